"""Reads texts by `kernel.tx`, and says where and what it expected if it cannot.

The definition is textX's; what reads is the parser that `generator` makes from it. The rest of the package knows
neither of them, only the objects that both give and the names of the grammar's rules.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from threading import Lock
from typing import Any, TypeVar

from kcheck.grammar.generator.cache import Reading, kernel_parser
from kcheck.grammar.recursion import deep_recursion

Result = TypeVar("Result")

# The parser keeps state while it reads; one text at a time.
_LOCK = Lock()
_parser = cache(kernel_parser)


@dataclass(frozen=True, slots=True)
class Failure:
    """Reading stopped before `offset`; `expected` holds the tokens and the token rules that could stand there."""

    offset: int
    expected: frozenset[str]


def read(text: str, build: Callable[[Any], Result]) -> Result | Failure:
    """What `build` makes of the grammar's object of the first item of `text`.

    RecursionError may leave it where something nests deeper than all limits foresee.
    """
    with deep_recursion():
        tree, offset, expected = _read(text)
        return Failure(offset, expected) if tree is None else build(tree.items[0])


def _read(text: str) -> Reading:
    with _LOCK:
        return _parser()(text)
