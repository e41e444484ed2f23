"""Programs as plain data: every field holds what it is declared to hold, and so a program can be pickled."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import is_dataclass
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from kcheck.checker import types
from kcheck.checker.ir import Node
from kcheck.checker.verify.problem import Problem, require


def check_data(root: object) -> None:
    """Check the declared types of all fields of `root` and of what is below it."""
    pending: list[Any] = [root]
    seen: set[int] = set()
    while pending:
        value = pending.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        for name, hint in _hints(type(value)).items():
            part = getattr(value, name)
            if not _matches(part, hint):
                raise Problem(f"{name} is not of its declared type", value)
            pending.extend(_dataclasses(part))


def _dataclasses(value: object) -> Iterator[object]:
    if isinstance(value, tuple):
        for part in value:
            yield from _dataclasses(part)
    elif is_dataclass(value):
        yield value


_ALIASED = (types.Scalar, types.Vec, types.Mat, types.Array, types.Struct, types.Enum, types.Unit)
"""What the alias `types.Type` names, for modules that import no more than the alias."""

_HINTS: dict[type, dict[str, Any]] = {}


def _hints(cls: type) -> dict[str, Any]:
    """The declared type of each field of a dataclass."""
    if cls not in _HINTS:
        _HINTS[cls] = get_type_hints(cls, localns={kind.__name__: kind for kind in _ALIASED})
    return _HINTS[cls]


def _matches(value: object, hint: Any) -> bool:
    """Whether `value` is of the declared type, without a look into dataclasses."""
    origin, args = get_origin(hint), get_args(hint)
    if origin is Union or origin is UnionType:
        return any(_matches(value, arg) for arg in args)
    if origin is tuple:
        return type(value) is tuple and _matches_tuple(value, args)
    if origin is frozenset:
        return type(value) is frozenset and all(_matches(part, args[0]) for part in value)
    if hint in (bool, int, str, type(None)):
        return type(value) is hint
    return isinstance(value, hint)


def _matches_tuple(value: tuple[object, ...], args: tuple[Any, ...]) -> bool:
    if args[-1] is Ellipsis:
        return all(_matches(part, args[0]) for part in value)
    return len(value) == len(args) and all(map(_matches, value, args))


# ---------------------------------------------------------------- types and constants


def check_type(type_: types.Type, node: object = None) -> None:
    """Whether `type_` is the type of a value: well-formed and not too large."""
    _check_well_formed(type_, node)
    require(types.leaf_count(type_) <= types.MAX_LEAVES, f"a value of type {type_} is too large", node)


def _check_well_formed(type_: types.Type, node: object) -> None:
    match type_:
        case types.Unit():
            raise Problem("no value has the type Unit", node)
        case types.Vec(size) | types.Mat(size):
            require(2 <= size <= 4, f"there is no type {type_}", node)
        case types.Array(element, length):
            require(length >= 1, f"the array {type_} has no elements", node)
            _check_well_formed(element, node)
        case types.Struct(fields=members):
            _check_members(members, node)
        case types.Enum(variants=variants):
            require(bool(variants), f"the enum {type_} has no variants", node)
            require(_distinct([v.name for v in variants]), f"two variants of {type_} have one name", node)
            for variant in variants:
                _check_members(variant.fields, node)
        case types.Scalar():
            pass


def _check_members(members: tuple[types.FieldOf, ...], node: object) -> None:
    require(_distinct([m.name for m in members]), "two fields of a type have one name", node)
    for member in members:
        _check_well_formed(member.type, node)


def _distinct(names: list[str]) -> bool:
    return len(set(names)) == len(names)


def check_leaves(type_: types.Type, leaves: tuple[bool | int, ...], node: Node) -> None:
    """Whether these are the leaves of a value of `type_`."""
    require(len(leaves) == types.leaf_count(type_), f"{len(leaves)} leaves for the type {type_}", node)
    for leaf, value in zip(types.leaves(type_), leaves, strict=True):
        require(_is_scalar(leaf.scalar, value), f"{value!r} is not a {leaf.scalar}", node)
    if types.contains_enum(type_):
        _check_variants(type_, leaves, node)


def _is_scalar(scalar: types.Scalar, value: bool | int) -> bool:
    match scalar:
        case types.Scalar.BOOL:
            return type(value) is bool
        case types.Scalar.INT:
            return type(value) is int and -(1 << 31) <= value < 1 << 31
        case types.Scalar.FLOAT:
            return type(value) is int and 0 <= value < 1 << 32


def _check_variants(type_: types.Type, leaves: tuple[bool | int, ...], node: Node) -> None:
    """Whether the tags name variants, and the storage of the other variants is zero."""
    if isinstance(type_, types.Enum):
        require(0 <= leaves[0] < len(type_.variants), f"{type_} has no variant {leaves[0]}", node)
        start = 1
        for number, variant in enumerate(type_.variants):
            for field in variant.fields:
                stored = leaves[start : start + types.leaf_count(field.type)]
                if number == leaves[0]:
                    _check_variants(field.type, stored, node)
                else:
                    require(not any(stored), f"storage of {variant.name} is not zero", node)
                start += len(stored)
    elif isinstance(type_, (types.Array, types.Struct)):
        start = 0
        for part in types.parts(type_):
            size = types.leaf_count(part)
            _check_variants(part, leaves[start : start + size], node)
            start += size
