"""textX itself: the definition that the generated parser must not be told from.

Nothing that people use reads by it; it is slow. Tests and benchmarks do.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from textx import metamodel_from_file
from textx.exceptions import TextXSyntaxError

from kcheck.grammar.generator.cache import GRAMMAR, Reading
from kcheck.grammar.generator.reader import terminal_name


def kernel_metamodel() -> Any:
    """textX's metamodel of `kernel.tx`."""
    # Without white space of its own textX leaves all that stands between tokens to the rule `Comment`.
    return metamodel_from_file(str(GRAMMAR), autokwd=True, ws="")


def reference_parser(metamodel: Any) -> Callable[[str], Reading]:
    """A function like the `read` of the parser that is generated from `metamodel`; it tells of no elements."""

    def read(text: str) -> Reading:
        try:
            return metamodel.model_from_str(text), len(text), frozenset(), ()
        except TextXSyntaxError as error:
            offset: int = error.__cause__.position
            return None, offset, frozenset(map(terminal_name, error.expected_rules)), ()

    return read
