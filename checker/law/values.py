"""Values as their leaves, written for people and as JSON."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, TypeAlias, assert_never

from kcheck.checker import floats
from kcheck.checker.law.evaluate import Leaves, Number, SmallField
from kcheck.checker.render.ir import float_text
from kcheck.checker.types import Array, Enum, FieldOf, Mat, Scalar, Struct, Type, Unit, Vec, leaf_count, leaves, parts

# ---------------------------------------------------------------- JSON


def document(type_: Type, value: Leaves) -> Any:
    """A value as JSON has it: structs as objects, vectors as lists, an enum as its variant's name or
    `{variant: {field: value}}`; floats that are not finite as strings."""
    return _document(type_, iter(value))


def _document(type_: Type, rest: Iterator[Number]) -> Any:
    match type_:
        case Scalar():
            return _plain(next(rest))
        case Vec() | Mat() | Array():
            return [_document(part, rest) for part in parts(type_)]
        case Struct():
            return _fields(type_.fields, rest)
        case Enum():
            tag = int(next(rest))
            payloads = [_fields(variant.fields, rest) for variant in type_.variants]
            name = type_.variants[tag].name
            return {name: payloads[tag]} if payloads[tag] else name
        case Unit():
            raise TypeError("no value has this type")
        case _:
            assert_never(type_)


def _fields(fields: tuple[FieldOf, ...], rest: Iterator[Number]) -> dict[str, Any]:
    return {field.name: _document(field.type, rest) for field in fields}


def _plain(value: Number) -> Number | str:
    if not isinstance(value, float):
        return value
    return float(float_text(floats.from_float(value))) if math.isfinite(value) else _special(value)


def _special(value: float) -> str:
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def field_document(type_: Type, field: SmallField) -> Any:
    """The elements of a small field, nested by its axes."""
    return by_axes([document(type_, element) for element in field.elements], field.shape)


def by_axes(flat: list[Any], shape: tuple[int, ...]) -> list[Any]:
    """Row-major elements nested by their axes."""
    for length in reversed(shape[1:]):
        flat = [flat[i : i + length] for i in range(0, len(flat), length)]
    return flat


# ---------------------------------------------------------------- text

Token: TypeAlias = "tuple[str, int | None]"
"""A piece of a value's text, and which leaf it shows."""


def tokens(type_: Type, value: Leaves, start: int = 0) -> list[Token]:
    """A value as source would write it, in pieces; `start` is the number of its first leaf."""
    match type_:
        case Scalar():
            return [(_number(value[start]), start)]
        case Vec() | Mat() | Array():
            inner, at = [], start
            for part in parts(type_):
                inner.append(tokens(part, value, at))
                at += leaf_count(part)
            return [("[", None), *_separated(inner), ("]", None)]
        case Struct():
            return _record(type_.fields, value, start)
        case Enum():
            return _variant(type_, value, start)
        case Unit():
            raise TypeError("no value has this type")
        case _:
            assert_never(type_)


def _record(fields: tuple[FieldOf, ...], value: Leaves, start: int) -> list[Token]:
    inner, at = [], start
    for field in fields:
        inner.append([(f"{field.name}: ", None), *tokens(field.type, value, at)])
        at += leaf_count(field.type)
    return [("{ ", None), *_separated(inner), (" }", None)]


def _variant(type_: Enum, value: Leaves, start: int) -> list[Token]:
    tag, at = int(value[start]), start + 1
    for variant in type_.variants[:tag]:
        at += sum(leaf_count(field.type) for field in variant.fields)
    chosen = type_.variants[tag]
    name: Token = (chosen.name, start)
    return [name, (" ", None), *_record(chosen.fields, value, at)] if chosen.fields else [name]


def _separated(parts_: list[list[Token]]) -> list[Token]:
    joined: list[Token] = []
    for part in parts_:
        joined += [(", ", None), *part] if joined else part
    return joined


def _number(value: Number) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if not isinstance(value, float):
        return str(value)
    return float_text(floats.from_float(value)) if math.isfinite(value) else _special(value)


def shown(type_: Type, value: Leaves) -> str:
    """A value as source would write it: `{ x: 1, y: [0.5, -0.0] }`."""
    return "".join(text for text, _ in tokens(type_, value))


def field_shown(type_: Type, field: SmallField) -> str:
    """A small field as source would write it: `[1, 2]`, `[[1, 2], [3, 4]]`."""
    return _listed(by_axes([shown(type_, element) for element in field.elements], field.shape))


def _listed(nested: Any) -> str:
    return f"[{', '.join(map(_listed, nested))}]" if isinstance(nested, list) else str(nested)


def leaf_names(type_: Type) -> tuple[str, ...]:
    """A name for each leaf as source reads it: `low.x`, `counts[2]`, "" for a scalar."""
    return tuple(_leaf_names(type_, ""))


def _leaf_names(type_: Type, start: str) -> Iterator[str]:
    match type_:
        case Vec():
            yield from (_joined(start, "xyzw"[i]) for i in range(type_.size))
        case Mat() | Array():
            for i, part in enumerate(parts(type_)):
                yield from _leaf_names(part, f"{start}[{i}]")
        case Struct():
            for field in type_.fields:
                yield from _leaf_names(field.type, _joined(start, field.name))
        case _:
            yield from (_joined(start, ".".join(map(str, leaf.path))) for leaf in leaves(type_))


def _joined(start: str, name: str) -> str:
    return f"{start}.{name}" if start and name else start or name


# ---------------------------------------------------------------- making values


def valid(type_: Type, value: Leaves) -> Leaves:
    """The value with every tag in its range and zeros in the storage of variants that are not chosen."""
    return tuple(_valid(type_, iter(value), True))


def _valid(type_: Type, rest: Iterator[Number], used: bool) -> Iterator[Number]:
    match type_:
        case Scalar():
            value = next(rest)
            yield value if used else type(value)()
        case Enum():
            given = int(next(rest))
            tag = given % len(type_.variants) if used else 0
            yield tag
            for i, variant in enumerate(type_.variants):
                for field in variant.fields:
                    yield from _valid(field.type, rest, used and i == tag)
        case Struct():
            for field in type_.fields:
                yield from _valid(field.type, rest, used)
        case Unit():
            return
        case _:
            for part in parts(type_):
                yield from _valid(part, rest, used)


_ZEROS: dict[Scalar, Number] = {Scalar.BOOL: False, Scalar.INT: 0, Scalar.FLOAT: 0.0}


def zero(type_: Type) -> Leaves:
    """The value of a type in which every bit is zero."""
    return tuple(_ZEROS[leaf.scalar] for leaf in leaves(type_))
