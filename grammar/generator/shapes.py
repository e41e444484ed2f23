"""A grammar as the generator sees it: expressions of a few kinds, and rules that hold them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum
from typing import TypeAlias

CONVERSIONS = {"STRING": "to_string", "BOOL": "to_bool", "INT": "int", "FLOAT": "float", "STRICTFLOAT": "float"}
"""textX's base types whose text becomes a value, and what converts it in a generated parser."""


class Unsupported(Exception):
    """The grammar uses something that the generator does not model; the message names it."""


class Kind(Enum):
    """What a rule gives: an object of its own, one of its alternatives' objects, or a text."""

    COMMON = "common"
    ABSTRACT = "abstract"
    MATCH = "match"


@dataclass(frozen=True, eq=False)
class Literal:
    """A fixed text. A `word` must end at a word's boundary (textX's `autokwd`).

    `name` is how a failure calls a terminal, `conversion` textX's base type that turns its text into a value
    (`INT`), or nothing.
    """

    text: str
    word: bool
    name: str
    conversion: str = ""


@dataclass(frozen=True, eq=False)
class Regex:
    pattern: str
    flags: int
    name: str
    conversion: str = ""


Terminal: TypeAlias = Literal | Regex


@dataclass(frozen=True, eq=False)
class Call:
    """A reference to a rule that is more than one terminal."""

    rule: Rule


@dataclass(frozen=True, eq=False)
class Assign:
    """`attribute=value`, or `attribute?=value` for a `flag`, without the `?`: that is a `Maybe` around it."""

    attribute: Attribute
    value: Terminal | Call
    flag: bool = False


@dataclass(frozen=True, eq=False)
class Sequence:
    parts: tuple[Expression, ...]


@dataclass(frozen=True, eq=False)
class Choice:
    ways: tuple[Expression, ...]


@dataclass(frozen=True, eq=False)
class Maybe:
    body: Expression


@dataclass(frozen=True, eq=False)
class Repeat:
    """`body*`, or `body+` if it is `needed`."""

    body: Expression
    needed: bool
    separator: Terminal | None = None


@dataclass(frozen=True, eq=False)
class Look:
    """`&body` if it is `wanted`, else `!body`."""

    body: Expression
    wanted: bool


Expression: TypeAlias = Literal | Regex | Call | Assign | Sequence | Choice | Maybe | Repeat | Look


@dataclass(frozen=True, eq=False)
class Attribute:
    """`many` attributes are lists; the others begin as `default`."""

    name: str
    many: bool
    default: str | int | float | bool | None


@dataclass(eq=False)
class Rule:
    """`body` is empty only while the rules that it refers to are being read; `text` is the rule in the grammar."""

    name: str
    kind: Kind
    attributes: tuple[Attribute, ...]
    text: str
    conversion: str
    body: Expression = field(default_factory=lambda: Sequence(()))


@dataclass(frozen=True, eq=False)
class Grammar:
    """`rules` are all that can be reached from `top`, which is the first; `blanks` and `comments` may stand between
    any two terminals."""

    top: Rule
    rules: tuple[Rule, ...]
    blanks: str
    comments: tuple[Regex | Literal, ...]


def parts_of(expression: Expression) -> tuple[Expression, ...]:
    """What an expression consists of, within its rule; separators come last."""
    match expression:
        case Sequence(parts) | Choice(parts):
            return parts
        case Repeat(body, separator=separator):
            return (body,) if separator is None else (body, separator)
        case Maybe(body) | Look(body):
            return (body,)
        case Assign(value=value):
            return (value,)
        case Literal() | Regex() | Call():
            return ()


def expressions(expression: Expression) -> Iterator[Expression]:
    """An expression and all within it, in order, not going into the rules it refers to."""
    yield expression
    for part in parts_of(expression):
        yield from expressions(part)


def show(expression: Expression) -> str:
    """An expression in textX's notation."""
    match expression:
        case Literal(text):
            return repr(text)
        case Regex(pattern, name=name):
            return f"/{pattern}/" if name == pattern else name
        case Call(rule):
            return rule.name
        case Assign(attribute, value, flag):
            return f"{attribute.name}{'?' * flag}={show(value)}"
        case Sequence(parts):
            return " ".join(show(part) if not isinstance(part, Choice) else f"({show(part)})" for part in parts)
        case Choice(ways):
            return " | ".join(map(show, ways))
        case Maybe(Assign(flag=True) as body):
            return show(body)
        case Maybe(body):
            return f"{_grouped(body)}?"
        case Repeat(body, needed, separator):
            sign, between = "+" if needed else "*", f"[{show(separator)}]" if separator is not None else ""
            if isinstance(body, Assign):
                return f"{body.attribute.name}{sign}={show(body.value)}{between}"
            return f"{_grouped(body)}{sign}{between}"
        case Look(body, wanted):
            return f"{'&' if wanted else '!'}{_grouped(body)}"


def _grouped(expression: Expression) -> str:
    alone = isinstance(expression, Literal | Regex | Call)
    return show(expression) if alone else f"({show(expression)})"
