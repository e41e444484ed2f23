"""Abstract values: for each part of a value, why lanes may hold different ones.

A part is `None` where all lanes of a group are sure to hold the same, else the `Cause` of the difference.  Structs
and vectors are tracked part by part; arrays, matrices and enums as one part.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypeAlias

from kcheck.checker import types
from kcheck.grammar.spans import Origin


@dataclass(frozen=True, slots=True)
class Cause:
    """Why something differs from lane to lane: what happened at `origin`, and what made it matter.

    A cause without a `because` is a source, such as `lane()`; inside a function the source may also be what the
    caller passes (`root`), which is replaced by the caller's own cause at each call.
    """

    text: str
    origin: Origin
    because: Cause | None = None
    root: Root | None = None

    def source(self) -> Cause:
        """The last cause of the chain."""
        cause = self
        while cause.because is not None:
            cause = cause.because
        return cause


@dataclass(frozen=True, slots=True)
class Root:
    """What a function cannot know: part `part` of parameter `parameter`, or (None) whether all lanes call it."""

    parameter: int | None
    part: tuple[int, ...] = ()


Abstract: TypeAlias = "Cause | tuple[Abstract, ...] | None"


def uniform(type_: types.Type) -> Abstract:
    return whole(type_, None)


def whole(type_: types.Type, cause: Cause | None) -> Abstract:
    """A value of `type_` every part of which has this cause."""
    match type_:
        case types.Vec():
            return (cause,) * type_.size
        case types.Struct():
            return tuple(whole(f.type, cause) for f in type_.fields)
        case _:
            return cause


def first_cause(value: Abstract) -> Cause | None:
    """The cause of the first part that differs."""
    if value is None or isinstance(value, Cause):
        return value
    for part in value:
        if part is not None:
            cause = first_cause(part)
            if cause is not None:
                return cause
    return None


def join(first: Abstract, second: Abstract) -> Abstract:
    """A part differs where it differs on either side; the first cause stays."""
    if first is second or second is None:
        return first
    if isinstance(first, tuple):
        assert isinstance(second, tuple)
        return tuple(join(a, b) for a, b in zip(first, second, strict=True))
    assert not isinstance(second, tuple)
    return second if first is None else first


def tainted(value: Abstract, cause: Cause | None) -> Abstract:
    """`value` with a cause for every part that had none."""
    if cause is None:
        return value
    if isinstance(value, tuple):
        return tuple(tainted(part, cause) for part in value)
    return cause if value is None else value


def explained(value: Abstract, text: str, origin: Origin) -> Abstract:
    """`value` with one more link before the cause of each part that has one."""
    if isinstance(value, tuple):
        return tuple(explained(part, text, origin) for part in value)
    return None if value is None else Cause(text, origin, value)


Shape: TypeAlias = "bool | tuple[Shape, ...]"


def shape(value: Abstract) -> Shape:
    """Which parts differ, without why."""
    return tuple(shape(part) for part in value) if isinstance(value, tuple) else value is not None


def rooted(value: Abstract, parameter: int, origin: Origin, part: tuple[int, ...] = ()) -> Abstract:
    """The same parts, with causes that name a parameter in place of their own."""
    if isinstance(value, tuple):
        return tuple(rooted(p, parameter, origin, (*part, i)) for i, p in enumerate(value))
    return None if value is None else Cause("the caller's value", origin, None, Root(parameter, part))


def rebased(cause: Cause, causes: dict[Root, Cause]) -> Cause:
    """`cause` with a root at its end replaced by the cause that the caller has for it."""
    if cause.because is not None:
        return replace(cause, because=rebased(cause.because, causes))
    return causes.get(cause.root, cause) if cause.root is not None else cause


def rebased_value(value: Abstract, causes: dict[Root, Cause]) -> Abstract:
    if isinstance(value, tuple):
        return tuple(rebased_value(part, causes) for part in value)
    return None if value is None else rebased(value, causes)
