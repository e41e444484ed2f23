"""How tree nodes are made: values with slots, compared by what they mean, that nothing may change.

`@node` is `@dataclass` with three differences, for the time that importing and building take. Equality, hashing and
`repr` are shared methods of `Value`; `__init__` is written when the first node of a class is made; and that nothing
assigns to a node's fields is left to the type checker, which knows them as frozen.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, Field, dataclass, field, fields
from typing import Any, TypeVar, cast, dataclass_transform, overload

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


@overload
def node(cls: C) -> C: ...
@overload
def node(*, kw_only: bool) -> Callable[[C], C]: ...


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(field,))
def node(cls: C | None = None, *, kw_only: bool = True) -> C | Callable[[C], C]:
    """Make a class that derives from `Value` one of nodes; its own fields are given by name unless not `kw_only`."""

    def make(cls: C) -> C:
        # For a class without a text `dataclass` would take long to write one.
        cls.__doc__ = cls.__doc__ or cls.__name__
        made = cast(Any, dataclass(init=False, repr=False, eq=False, slots=True, kw_only=kw_only)(cls))
        made.__init__ = _first_init
        return cast(C, made)

    return make if cls is None else make(cls)


@dataclass_transform(frozen_default=True, order_default=True)
def ordered(cls: C) -> C:
    """Make a class one of small values with an order; as with nodes, the type checker holds that they are frozen."""
    return cast(C, dataclass(slots=True, order=True, unsafe_hash=True)(cls))


def _first_init(self: Any, *values: Any, **named: Any) -> None:
    """Write the `__init__` of a class, and go on as that."""
    cls = type(self)
    cls.__init__ = _init(cls)
    cls.__init__(self, *values, **named)


def _init(cls: type) -> Callable[..., None]:
    given = [_parameter(f) for f in fields(cls) if not f.kw_only]
    named = [_parameter(f) for f in fields(cls) if f.kw_only]
    parameters = ", ".join(["self", *given, *(["*", *named] if named else [])])
    body = "; ".join(f"self.{f.name} = {f.name}" for f in fields(cls)) or "pass"
    scope = {f"default_{f.name}": f.default for f in fields(cls)}
    exec(f"def __init__({parameters}): {body}", scope)
    return cast(Callable[..., None], scope["__init__"])


def _parameter(f: Field[Any]) -> str:
    return f.name if f.default is MISSING else f"{f.name}=default_{f.name}"


_COMPARED: dict[type, tuple[str, ...]] = {}


def compared_fields(cls: type) -> tuple[str, ...]:
    """The names of a node class's fields that take part in equality."""
    names = _COMPARED.get(cls)
    if names is None:
        names = _COMPARED[cls] = tuple(f.name for f in fields(cls) if f.compare)
    return names
