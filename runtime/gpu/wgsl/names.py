"""The types of the language in WGSL.

Vectors are `vecN<f32>`; matrices are arrays of their columns, as arithmetic on them goes by columns and a computed
index may choose one.  Structs and enums become structs; every variant of an enum has members of its own.
No name of a program is used as it is: a letter and a number in front keep it from being a word of WGSL.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from kcheck.checker.types import BOOL, FLOAT, INT, Array, Enum, Mat, Scalar, Struct, Type, Unit, Vec, leaf_count

_SCALARS = {BOOL: "bool", INT: "i32", FLOAT: "f32"}


def words(type_: Type) -> int:
    """The size of a value in buffers: each scalar takes a word, a Bool too."""
    return leaf_count(type_)


def kind(type_: Type) -> str:
    """A short word for a type of numbers, for names of functions: `f32`, `vec3`, `mat2`."""
    match type_:
        case Scalar():
            return _SCALARS[type_]
        case Vec():
            return f"vec{type_.size}"
        case Mat():
            return f"mat{type_.size}"
        case _:
            raise TypeError(f"{type_} is no type of numbers")


class TypeNames:
    """Names for types; `declarations` holds the structs that were needed, in an order that WGSL takes."""

    def __init__(self) -> None:
        self._names: dict[Type, str] = {}
        self.declarations: list[str] = []

    def name(self, type_: Type) -> str:
        match type_:
            case Scalar():
                return _SCALARS[type_]
            case Vec():
                return f"vec{type_.size}<f32>"
            case Mat():
                return f"array<vec{type_.size}<f32>, {type_.size}>"
            case Array():
                return f"array<{self.name(type_.element)}, {type_.length}>"
            case Struct() | Enum():
                return self._named(type_)
            case Unit():
                raise TypeError("no value has this type")

    def word(self, type_: Type) -> str:
        """A word that stands for the type within the name of a function."""
        match type_:
            case Scalar() | Vec() | Mat():
                return kind(type_)
            case Array():
                return f"{self.word(type_.element)}x{type_.length}"
            case _:
                return self.name(type_)

    def _named(self, type_: Struct | Enum) -> str:
        known = self._names.get(type_)
        if known is None:
            inside = [f"  {member}: {self.name(part)}," for member, part in members(type_)]
            known = self._names[type_] = f"S{len(self._names)}_{plain(type_.name)}"
            self.declarations.append("\n".join([f"struct {known} {{", *inside, "}"]))
        return known

    def zero(self, type_: Type) -> str:
        return f"{self.name(type_)}()"

    def made(self, type_: Type, parts: Sequence[str]) -> str:
        """A value from all its members, columns, elements or components."""
        return f"{self.name(type_)}({', '.join(parts) if parts else 'false'})"


def plain(name: str) -> str:
    """A name without what WGSL has no use for; the checker makes names that no text has, such as `$t`."""
    return re.sub(r"\W+", "_", name).strip("_")


def members(type_: Struct | Enum) -> list[tuple[str, Type]]:
    """The members of the struct that stands for a struct or an enum."""
    if isinstance(type_, Enum):
        found: list[tuple[str, Type]] = [("tag", INT)]
        for v, variant in enumerate(type_.variants):
            found += [(payload_name(type_, v, i), field.type) for i, field in enumerate(variant.fields)]
        return found
    if not type_.fields:
        return [("nothing", BOOL)]  # WGSL has no struct without members
    return [(field_name(type_, i), field.type) for i, field in enumerate(type_.fields)]


def field_name(type_: Struct, index: int) -> str:
    return f"f{index}_{plain(type_.fields[index].name)}"


def payload_name(type_: Enum, variant: int, index: int) -> str:
    return f"v{variant}_{index}_{plain(type_.variants[variant].fields[index].name)}"


def payload_word(type_: Enum, variant: int, index: int) -> int:
    """How many words stand before a field of a variant."""
    before = sum(leaf_count(field.type) for v in type_.variants[:variant] for field in v.fields)
    return 1 + before + sum(leaf_count(field.type) for field in type_.variants[variant].fields[:index])


def field_word(type_: Struct, index: int) -> int:
    return sum(leaf_count(field.type) for field in type_.fields[:index])
