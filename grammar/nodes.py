"""How tree nodes are made: frozen values with slots, compared by what they mean.

`@node` is `@dataclass` with one difference: equality, hashing and `repr` are shared methods of `Value` instead of
generated code for every class, which halves the time to import the hundred classes of the two trees.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any, TypeVar, cast, dataclass_transform

C = TypeVar("C", bound=type)


class Value:
    """Compares by class and by the fields that are not marked `compare=False`."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if type(self) is not type(other):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in compared_fields(type(self)))

    def __hash__(self) -> int:
        return hash((type(self), *(getattr(self, name) for name in compared_fields(type(self)))))

    def __repr__(self) -> str:
        parts = ", ".join(f"{f.name}={getattr(self, f.name)!r}" for f in fields(cast(Any, self)) if f.repr)
        return f"{type(self).__name__}({parts})"


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(field,))
def node(cls: C) -> C:
    """Make a class that derives from `Value` a frozen, keyword-only dataclass with slots."""
    return cast(C, dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)(cls))


_COMPARED: dict[type, tuple[str, ...]] = {}


def compared_fields(cls: type) -> tuple[str, ...]:
    """The names of a node class's fields that take part in equality."""
    names = _COMPARED.get(cls)
    if names is None:
        names = _COMPARED[cls] = tuple(f.name for f in fields(cls) if f.compare)
    return names
