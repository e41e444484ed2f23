"""The types of the language, as values.

Types are compared by structure; structs and enums are nominal, so their `key` (the declaring item and name)
takes part.  Fields (`Rows<T>` and so on) are the types of ports, not of values, and have a class of their own.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum as PyEnum
from functools import lru_cache
from typing import TypeAlias


class Scalar(PyEnum):
    """The scalar types; also the kinds of `Leaf`."""

    BOOL = "Bool"
    INT = "Int"
    FLOAT = "Float"

    def __str__(self) -> str:
        return self.value


BOOL, INT, FLOAT = Scalar.BOOL, Scalar.INT, Scalar.FLOAT


@dataclass(frozen=True, slots=True)
class Vec:
    """`Vec2`, `Vec3`, `Vec4`: `size` Floats."""

    size: int

    def __str__(self) -> str:
        return f"Vec{self.size}"


@dataclass(frozen=True, slots=True)
class Mat:
    """`Mat2`, `Mat3`, `Mat4`: `size` columns of `size` Floats."""

    size: int

    def __str__(self) -> str:
        return f"Mat{self.size}"


@dataclass(frozen=True, slots=True)
class Array:
    """`[element; length]`, `length >= 1`."""

    element: Type
    length: int

    def __str__(self) -> str:
        return f"[{self.element}; {self.length}]"


@dataclass(frozen=True, slots=True)
class FieldOf:
    """A named field of a struct or of a variant."""

    name: str
    type: Type


@dataclass(frozen=True, slots=True)
class Struct:
    """`key` tells apart structs of one name declared in different places."""

    name: str
    key: str
    fields: tuple[FieldOf, ...]

    def __str__(self) -> str:
        return self.name

    def index(self, field: str) -> int | None:
        """The position of `field`, or None where there is no such field."""
        return next((i for i, f in enumerate(self.fields) if f.name == field), None)


@dataclass(frozen=True, slots=True)
class Variant:
    name: str
    fields: tuple[FieldOf, ...]


@dataclass(frozen=True, slots=True)
class Enum:
    """A tagged union; the tag of a variant is its position.

    Every variant has storage of its own, and the fields of the variants that are not chosen are zero.
    """

    name: str
    key: str
    variants: tuple[Variant, ...]

    def __str__(self) -> str:
        return self.name

    def index(self, variant: str) -> int | None:
        return next((i for i, v in enumerate(self.variants) if v.name == variant), None)


@dataclass(frozen=True, slots=True)
class Unit:
    """What a function without a result gives; no value has this type."""

    def __str__(self) -> str:
        return "no value"


UNIT = Unit()

Type: TypeAlias = "Scalar | Vec | Mat | Array | Struct | Enum | Unit"


@dataclass(frozen=True, slots=True)
class Field:
    """The type of a port: a box of elements with `rank` axes (1 Rows, 2 Grid, 3 Volume)."""

    rank: int
    element: Type

    def __str__(self) -> str:
        return f"{RANK_NAMES[self.rank]}<{self.element}>"


RANK_NAMES = {1: "Rows", 2: "Grid", 3: "Volume"}


# ---------------------------------------------------------------- leaves

Step: TypeAlias = "str | int"
"""A step of a leaf's path: a field's name (`tag` and `Variant.field` in enums) or a position."""


@dataclass(frozen=True, slots=True)
class Leaf:
    """One scalar inside a value: how to get there, and what it is."""

    path: tuple[Step, ...]
    scalar: Scalar


MAX_LEAVES = 1 << 16
"""The most scalars that one value may hold."""


@lru_cache(maxsize=4096)
def leaves(type_: Type) -> tuple[Leaf, ...]:
    """The scalars of a type in storage order.

    Vectors by component, matrices by column, arrays by element, structs by field; an enum is its tag (an Int)
    and then the fields of every variant.
    """
    match type_:
        case Scalar():
            return (Leaf((), type_),)
        case Unit():
            return ()
        case Enum():
            found = [Leaf(("tag",), INT)]
            for variant in type_.variants:
                for field in variant.fields:
                    found += _below(f"{variant.name}.{field.name}", field.type)
            return tuple(found)
        case Struct():
            return tuple(leaf for field in type_.fields for leaf in _below(field.name, field.type))
        case _:
            return tuple(leaf for i, part in enumerate(parts(type_)) for leaf in _below(i, part))


def _below(step: Step, type_: Type) -> list[Leaf]:
    return [Leaf((step, *leaf.path), leaf.scalar) for leaf in leaves(type_)]


@lru_cache(maxsize=4096)
def leaf_count(type_: Type) -> int:
    """`len(leaves(type_))`, without building them."""
    match type_:
        case Scalar():
            return 1
        case Unit():
            return 0
        case Vec():
            return type_.size
        case Mat():
            return type_.size * type_.size
        case Array():
            return type_.length * leaf_count(type_.element)
        case Struct():
            return sum(leaf_count(f.type) for f in type_.fields)
        case Enum():
            return 1 + sum(leaf_count(f.type) for v in type_.variants for f in v.fields)


def parts(type_: Type) -> tuple[Type, ...]:
    """The types of the direct parts of a vector, matrix, array or struct."""
    match type_:
        case Vec():
            return (FLOAT,) * type_.size
        case Mat():
            return (Vec(type_.size),) * type_.size
        case Array():
            return (type_.element,) * type_.length
        case Struct():
            return tuple(f.type for f in type_.fields)
        case _:
            raise TypeError(f"{type_} has no parts of one kind")


def contains(type_: Type, wanted: Scalar) -> bool:
    """Whether any scalar of `type_` is of kind `wanted`."""
    match type_:
        case Scalar():
            return type_ is wanted
        case Vec() | Mat():
            return wanted is FLOAT
        case Array():
            return contains(type_.element, wanted)
        case Struct():
            return any(contains(f.type, wanted) for f in type_.fields)
        case Enum():
            return wanted is INT or any(contains(f.type, wanted) for v in type_.variants for f in v.fields)
        case Unit():
            return False


def contains_enum(type_: Type) -> bool:
    match type_:
        case Enum():
            return True
        case Array():
            return contains_enum(type_.element)
        case Struct():
            return any(contains_enum(f.type) for f in type_.fields)
        case _:
            return False


def float_shape(type_: Type) -> bool:
    """Whether `type_` is a Float or a vector or matrix of Floats, which a filtered read can mix."""
    return type_ is FLOAT or isinstance(type_, (Vec, Mat))


def element_type(type_: Type) -> Type | None:
    """The type of `v[i]`: what an Int selects from an array, vector or matrix; None where there is no such thing."""
    match type_:
        case Array():
            return type_.element
        case Vec():
            return FLOAT
        case Mat():
            return Vec(type_.size)
        case _:
            return None


def length_of(type_: Type) -> int:
    """How many elements an Int may select from, in a type that has such."""
    match type_:
        case Array():
            return type_.length
        case Vec() | Mat():
            return type_.size
        case _:
            raise TypeError(f"{type_} has no elements by number")


def position_type(rank: int) -> Type:
    """The type of a normalised position or of a size in Floats: Float, Vec2, Vec3."""
    return FLOAT if rank == 1 else Vec(rank)


def address_type(rank: int) -> Type:
    """The type of an element's address and of `size`: Int, Vec2, Vec3."""
    return INT if rank == 1 else Vec(rank)
