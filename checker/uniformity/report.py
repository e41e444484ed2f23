"""Violations as diagnostics: the exchange, and the chain that leads back to what a lane holds alone."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from kcheck.checker import rules
from kcheck.checker.uniformity.analysis import Violation
from kcheck.checker.uniformity.values import Cause
from kcheck.grammar.diagnostics import Diagnostic, Edit, Fix, Note
from kcheck.grammar.source import SourceFile
from kcheck.grammar.spans import Origin, Span

_LONGEST_CHAIN = 8
_DIVIDED = re.compile(r"index\(\)\s*/\s*(?P<size>[0-9]+)\b")


def report(violation: Violation, size: int, files: Mapping[str, SourceFile]) -> Diagnostic:
    """`size` is that of the group, `files` the sources by path."""
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
        fixes=_group_fixes(links[-1].origin, size, files),
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


def _group_fixes(source: Origin, size: int, files: Mapping[str, SourceFile]) -> tuple[Fix, ...]:
    """`index()` divided by the size of the group is the group's number, written in a way that says so."""
    file = files[source.path]
    found = _DIVIDED.match(file.text, file.absolute(source).start)
    if found is None or int(found["size"]) != size:
        return ()
    span = Span(source.span.start, source.span.start + len(found.group()))
    return (Fix("write `group()`", (Edit(Origin(source.path, source.item, span), "group()"),)),)
