"""Reads texts by `kernel.tx`, and says where and what it expected if it cannot.

The definition is textX's; what reads is the parser that `generator` makes from it. The rest of the package knows
neither of them, only the objects that both give and the names of the grammar's rules.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeVar

from kcheck.grammar.nodes import Value, node
from kcheck.grammar.recursion import deep_recursion

if TYPE_CHECKING:
    from kcheck.grammar.generator.cache import Reading

Result = TypeVar("Result")

# The parser keeps state while it reads; one text at a time.
_LOCK = Lock()


@cache
def _parser() -> Callable[[str], Reading]:
    # With it come hashing and paths, which nobody needs who parses nothing.
    from kcheck.grammar.generator.cache import kernel_parser

    return kernel_parser()


@node(kw_only=False)
class Failure(Value):
    """Reading stopped before `offset`; `expected` holds the tokens and the token rules that could stand there.

    `elements` are those of lists inside of which that was, the outermost first: each as its list, such as
    `Block.statements`, and where it begins.
    """

    offset: int
    expected: frozenset[str]
    elements: tuple[tuple[str, int], ...]


def read(text: str, build: Callable[[list[Any]], Result]) -> Result | Failure:
    """What `build` makes of the grammar's objects of the items of `text`.

    RecursionError may leave it where something nests deeper than all limits foresee.
    """
    with deep_recursion():
        tree, offset, expected, elements = _read(text)
        return Failure(offset, expected, elements) if tree is None else build(tree.items if tree else [])


def _read(text: str) -> Reading:
    with _LOCK:
        return _parser()(text)
