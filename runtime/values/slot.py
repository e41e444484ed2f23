"""What a value is for: the port or param that takes it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from kcheck.checker import types
from kcheck.checker.ir import ParamDecl, PortDecl
from kcheck.checker.rules.rule import Rule
from kcheck.grammar.diagnostics import Note
from kcheck.grammar.spans import Origin
from kcheck.runtime.errors import RunError

Shape: TypeAlias = tuple[int, ...]
"""The axes of a field in NumPy order: (n), (h, w), (d, h, w); () for a param."""


@dataclass(frozen=True, slots=True)
class Slot:
    """A port, or a param: a param is a field without axes (`rank` 0) that holds one element.

    `kind` is the word of its declaration, `origin` the place of it.
    """

    kind: str
    name: str
    rank: int
    element: types.Type
    origin: Origin

    @property
    def type(self) -> types.Field | types.Type:
        return types.Field(self.rank, self.element) if self.rank else self.element

    def error(self, rule: Rule, problem: str, *notes: str) -> RunError:
        """What is wrong with a value for this slot, to be raised."""
        message = f"{self.kind} `{self.name}` ({self.type}): {problem}"
        return RunError(rule.report(self.origin, message, notes=tuple(Note(note) for note in notes)))


def port_slot(kind: str, port: PortDecl) -> Slot:
    return Slot(kind, port.name, port.type.rank, port.type.element, port.origin)


def param_slot(param: ParamDecl) -> Slot:
    return Slot("param", param.name, 0, param.type, param.origin)
