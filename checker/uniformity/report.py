"""Violations as diagnostics: the exchange, and the chain that leads back to what a lane holds alone."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.checker import rules
from kcheck.checker.uniformity.analysis import Violation
from kcheck.checker.uniformity.values import Cause
from kcheck.grammar.diagnostics import Diagnostic, Note

_LONGEST_CHAIN = 8


def report(violation: Violation) -> Diagnostic:
    links = list(_links(violation.cause))
    if len(links) > _LONGEST_CHAIN:
        links = [*links[: _LONGEST_CHAIN - 1], links[-1]]
    notes = [Note(link.text, link.origin) for link in links]
    notes.append(Note(_advice(links[-1])))
    return rules.UNEVEN_EXCHANGE.report(
        violation.origin,
        "not every lane of the group reaches this exchange alike",
        label="all lanes must come here",
        notes=tuple(notes),
    )


def _links(cause: Cause) -> Iterator[Cause]:
    """The chain, each place once: a loop that ran to its fixed point passes some several times."""
    link: Cause | None = cause
    seen = set()
    while link is not None:
        if (link.text, link.origin) not in seen:
            yield link
        seen.add((link.text, link.origin))
        link = link.because


def _advice(source: Cause) -> str:
    if "index()" in source.text:
        return "`group()` is the number of the group, the same for all its lanes"
    return "exchange in all lanes first, and let each decide afterwards what to keep"
