"""What there is to say of the functions and words that the language has itself."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.checker.builtins import BY_NAME, CONSTRUCTORS, ULPS, Contract, ErrorClass
from kcheck.checker.facts import Symbol
from kcheck.checker.prelude import COMPOSITE_BUILTINS, composite_text


def about(symbol: Symbol) -> Iterator[str]:
    """The documentation of a word, in Markdown."""
    contract = BY_NAME.get(symbol.name)
    if symbol.name in CONSTRUCTORS:
        yield _constructor(symbol.name)
    elif symbol.doc:
        yield symbol.doc
    if contract is not None and symbol.doc == contract.doc:
        yield from _contract(contract)


def _constructor(name: str) -> str:
    size = name[-1]
    if name.startswith("vec"):
        return f"A vector of one Float in every component, or of Floats and vectors with {size} components in all."
    return f"A matrix of its {size} columns, or of {int(size) ** 2} Floats, column by column."


def _contract(contract: Contract) -> Iterator[str]:
    choices = [str(choice) for overload in contract.overloads for choice in overload.choices]
    facts = [f"T: {', '.join(choices)}"] if choices else []
    if contract.componentwise and contract.arity > 1:
        facts.append("by component")
    yield f"_{' · '.join([*facts, exactness(contract)])}_"
    if contract.builtin in COMPOSITE_BUILTINS:
        yield f"```kernel\n{composite_text(contract.builtin)}\n```"


def exactness(contract: Contract) -> str:
    """How far a result may be from the true value."""
    if contract.error is ErrorClass.ELEMENTARY:
        return f"elementary, at most {ULPS[contract.builtin]} ulp"
    return str(contract.error.value)
