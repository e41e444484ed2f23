"""textX: loads `kernel.tx` once, reads texts by it, and says where and what it expected if it cannot.

The rest of the package knows neither textX's exceptions nor its rules; another parser of the same grammar
can take this module's place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar

from kcheck.grammar.recursion import deep_recursion

Result = TypeVar("Result")

# textX keeps state while it reads; one text at a time.
_LOCK = Lock()


@dataclass(frozen=True, slots=True)
class Failure:
    """Reading stopped before `offset`; `expected` holds the tokens and the token rules that could stand there."""

    offset: int
    expected: frozenset[str]


def read(text: str, build: Callable[[Any], Result]) -> Result | Failure:
    """What `build` makes of the textX object of the first item of `text`.

    RecursionError may leave it where something nests deeper than all limits foresee.
    """
    from textx.exceptions import TextXSyntaxError

    with _LOCK, deep_recursion():
        try:
            model = _metamodel().model_from_str(text)
        except TextXSyntaxError as error:
            return Failure(_offset(text, error), frozenset(_rule_names(error)))
        return build(model.items[0])


@cache
def _metamodel() -> Any:
    from textx import metamodel_from_file

    # Without white space of its own textX leaves all that stands between tokens to the rule `Comment`.
    return metamodel_from_file(str(Path(__file__).with_name("kernel.tx")), autokwd=True, ws="")


def _offset(text: str, error: Any) -> int:
    position: int = error.__cause__.position
    return position


def _rule_names(error: Any) -> Iterator[str]:
    for rule in error.expected_rules:
        yield rule.rule_name if rule.root else str(getattr(rule, "to_match", rule.name))
