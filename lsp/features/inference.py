"""The type of an expression that is being written, as far as it is plain.

The checker types what it can read; this is for what stands before the cursor in a statement that cannot be read yet.
It guesses right or not at all, and finds no errors.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TypeAlias

from kcheck.checker import types
from kcheck.checker.builtins import BY_NAME, CONSTRUCTORS, resolve
from kcheck.checker.facts import Names
from kcheck.grammar import parser, syntax

AnyType: TypeAlias = "types.Type | types.Field"

_COMPARISONS = frozenset({"==", "!=", "<", "<=", ">", ">=", "&&", "||"})
_HEAD = "const guess: Int = "


def type_of_text(text: str, names: Names, rank: int) -> AnyType | None:
    """The type of an expression; `rank` is the number of axes of the domain."""
    node = _parsed(text)
    return None if node is None else type_of(node, names, rank)


@lru_cache(maxsize=256)
def _parsed(text: str) -> syntax.Expr | None:
    file, problems = parser.parse(f"{_HEAD}{text};", "guess")
    node = file.items[0].node if len(file.items) == 1 else None
    return node.value if isinstance(node, syntax.Const) and not problems else None


def type_of(node: syntax.Expr, names: Names, rank: int) -> AnyType | None:
    """The type of a value, or of a port; None where it is not known."""
    match node:
        case syntax.IntLiteral():
            return types.INT
        case syntax.FloatLiteral():
            return types.FLOAT
        case syntax.BoolLiteral():
            return types.BOOL
        case syntax.NameRef(name=name):
            symbol = names.values.get(name.text)
            return None if symbol is None else symbol.type
        case syntax.Unary(operand=operand):
            return type_of(operand, names, rank)
        case syntax.Binary():
            return _binary(node, names, rank)
        case syntax.Member(operand=operand, name=name):
            return member_type(type_of(operand, names, rank), name.text) or _enum(operand, names)
        case syntax.Index(operand=operand):
            inner = type_of(operand, names, rank)
            return None if inner is None or isinstance(inner, types.Field) else types.element_type(inner)
        case syntax.StructValue(enum=enum, name=name):
            symbol = names.types.get((enum or name).text) or names.values.get(name.text)
            return None if symbol is None else symbol.type
        case syntax.Call(callee=syntax.NameRef(name=name)):
            return _call(name.text, [type_of(argument, names, rank) for argument in node.args], names, rank)
        case syntax.ArrayLiteral(elements=[first, *_]):
            inner = type_of(first, names, rank)
            return None if inner is None or isinstance(inner, types.Field) else types.Array(inner, len(node.elements))
        case _:
            return None


def member_type(type_: AnyType | None, name: str) -> types.Type | None:
    """The type of a field or of a vector's components."""
    if isinstance(type_, types.Struct):
        return next((field.type for field in type_.fields if field.name == name), None)
    if isinstance(type_, types.Vec):
        letters = next((set_ for set_ in ("xyzw", "rgba") if set(name) <= set(set_[: type_.size])), None)
        if letters is not None and len(name) <= 4:
            return types.FLOAT if len(name) == 1 else types.Vec(len(name))
    return None


def _enum(operand: syntax.Expr, names: Names) -> AnyType | None:
    """The enum of `Shape` in `Shape.Dot`."""
    symbol = names.types.get(operand.name.text) if isinstance(operand, syntax.NameRef) else None
    return symbol.type if symbol is not None and isinstance(symbol.type, types.Enum) else None


def _binary(node: syntax.Binary, names: Names, rank: int) -> AnyType | None:
    if node.op in _COMPARISONS:
        return types.BOOL
    left, right = type_of(node.left, names, rank), type_of(node.right, names, rank)
    if node.op == "*" and isinstance(left, types.Mat) and isinstance(right, types.Vec):
        return right
    # A Float among vectors and matrices counts for every part.
    return right if left is None or (left is types.FLOAT and right is not None) else left


def _call(name: str, given: Sequence[AnyType | None], names: Names, rank: int) -> types.Type | None:
    symbol = names.functions.get(name)
    if symbol is not None and symbol.origin is not None:
        return None if isinstance(symbol.type, types.Field) else symbol.type
    return word_type(name, given, rank)


def word_type(name: str, given: Sequence[AnyType | None], rank: int) -> types.Type | None:
    """The type that a word of the language gives for arguments of these types."""
    first = given[0] if given else None
    if name in CONSTRUCTORS:
        return CONSTRUCTORS[name]
    if name in BY_NAME:
        known = [type_ for type_ in given if type_ is not None and not isinstance(type_, types.Field)]
        found = resolve(BY_NAME[name], known) if len(known) == len(given) else None
        return None if found is None else found.result
    if name in ("sample", "at"):
        return first.element if isinstance(first, types.Field) else None
    if name in ("size", "extent"):
        by_rank = types.address_type if name == "size" else types.position_type
        return by_rank(first.rank) if isinstance(first, types.Field) else None
    if name == "exchange":
        return None if isinstance(first, types.Field) else first
    if name == "place":
        return types.position_type(rank)
    if name in ("coord", "domain"):
        return types.address_type(rank)
    return types.INT if name in ("index", "lane", "group") else None
