"""Which attributes hold what must be forgotten when an expression fails midway, and which are sure to be assigned."""

from __future__ import annotations

from kcheck.grammar.generator.firsts import Firsts
from kcheck.grammar.generator.shapes import (
    Assign,
    Attribute,
    Call,
    Choice,
    Expression,
    Kind,
    Literal,
    Look,
    Maybe,
    Regex,
    Repeat,
    Sequence,
    parts_of,
)

PARTS = Attribute("parts", True, None)
"""What a match rule reads, before it is joined."""


def left_behind(expression: Expression, kind: Kind) -> list[Attribute]:
    """The attributes to which `expression`, of a rule of that kind, may have assigned when it fails."""
    return list(_left(expression, kind))


def _left(expression: Expression, kind: Kind) -> dict[Attribute, None]:
    left: dict[Attribute, None] = {}
    match expression:
        case Sequence(parts):
            stored: dict[Attribute, None] = {}
            for part in parts:
                if _may_fail(part):
                    left |= stored | _left(part, kind)
                stored |= _stored(part, kind)
        case Choice(ways):
            for way in ways:
                left |= _left(way, kind)
    # The others forget by themselves.
    return left


def _stored(expression: Expression, kind: Kind) -> dict[Attribute, None]:
    """The attributes to which an expression may assign."""
    match expression:
        case Assign(attribute):
            return {attribute: None}
        case Literal() | Regex() | Call():
            return {PARTS: None} if kind is Kind.MATCH else {}
        case Look():
            return {}
    stored: dict[Attribute, None] = {}
    for part in parts_of(expression):
        stored |= _stored(part, kind)
    return stored


def _may_fail(expression: Expression) -> bool:
    match expression:
        case Maybe():
            return False
        case Repeat(needed=needed):
            return needed
        case Sequence(parts):
            return any(map(_may_fail, parts))
    return True


def surely_assigned(expression: Expression, firsts: Firsts) -> frozenset[Attribute]:
    """The attributes of one value that have it wherever `expression` was read."""
    match expression:
        case Assign(attribute, value) if not attribute.many and not firsts.may_be_empty(value):
            return frozenset({attribute})
        case Sequence(parts):
            return frozenset().union(*(surely_assigned(part, firsts) for part in parts))
        case Choice(ways):
            return frozenset.intersection(*(surely_assigned(way, firsts) for way in ways))
        case Repeat(body, needed=True):
            return surely_assigned(body, firsts)
    return frozenset()
