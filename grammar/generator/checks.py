"""Refuses grammars that the emitted parser would read otherwise than textX, or without end."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from kcheck.grammar.generator.firsts import Firsts
from kcheck.grammar.generator.shapes import (
    Assign,
    Attribute,
    Call,
    Choice,
    Expression,
    Grammar,
    Kind,
    Literal,
    Look,
    Maybe,
    Regex,
    Repeat,
    Rule,
    Sequence,
    Terminal,
    Unsupported,
    expressions,
    parts_of,
    show,
)

# Python allows 20 loops in each other.
_MOST_GROUPS = 16
# All that is between two tokens is one pattern; these parts of a comment's would not mean the same there.
_NAMES_GROUPS = re.compile(r"\\[1-9]|\(\?P|\(\?\(")
_USUAL_FLAGS = re.MULTILINE | re.UNICODE


def check(grammar: Grammar, firsts: Firsts) -> None:
    for rule in grammar.rules:
        for problem in _problems(rule, firsts):
            raise Unsupported(f"{problem} in the rule {rule.name}")
    for comment in grammar.comments:
        _check_comment(comment, firsts)


def _problems(rule: Rule, firsts: Firsts) -> Iterator[str]:
    if _is_left_recursive(rule, firsts):
        yield "left recursion"
    if _depth(rule.body) > _MOST_GROUPS:
        yield f"more than {_MOST_GROUPS} groups in each other"
    for expression in expressions(rule.body):
        yield from _empty_matches(expression, firsts)
        if isinstance(expression, Assign) and expression.flag and expression.attribute.many:
            yield f"`{expression.attribute.name}?=` beside other assignments to it"
    for attribute, count in _assignments(rule.body).items():
        if count > 1 and not attribute.many:
            yield f"two assignments to `{attribute.name}`, which is no list"
    if rule.kind is Kind.ABSTRACT:
        yield from (f"the alternative `{show(way)}` of an abstract rule" for way in _ways(rule) if not _is_way(way))


def _is_left_recursive(rule: Rule, firsts: Firsts) -> bool:
    seen: set[Rule] = set()
    waiting = list(firsts.beginnings(rule.body))
    while waiting:
        found = waiting.pop()
        if found is rule:
            return True
        if found not in seen:
            seen.add(found)
            waiting.extend(firsts.beginnings(found.body))
    return False


def _depth(expression: Expression) -> int:
    """How many groups stand in each other."""
    inside = max(map(_depth, parts_of(expression)), default=0)
    return inside + isinstance(expression, Maybe | Repeat | Choice | Look)


def _empty_matches(expression: Expression, firsts: Firsts) -> Iterator[str]:
    """Where something may match nothing, and textX takes that for no match or for the end of a list."""
    empty = firsts.may_be_empty
    match expression:
        case Literal(""):
            yield "the empty text ''"
        case Call(called) if empty(expression):
            yield f"the reference to {called.name}, which may match nothing,"
        case Choice(ways):
            yield from (f"the alternative `{show(way)}`, which may match nothing," for way in ways if empty(way))
        case Maybe(body) | Repeat(body) if empty(body):
            yield f"`{show(expression)}`, whose inside may match nothing,"
        case Repeat(separator=Literal() | Regex() as separator) if empty(separator):
            yield f"the separator `{show(separator)}`, which may match nothing,"


def _assignments(expression: Expression) -> Counter[Attribute]:
    """How often one reading of an expression may assign to each attribute; 2 stands for all that is more."""
    counts: Counter[Attribute] = Counter()
    match expression:
        case Assign(attribute):
            counts[attribute] = 1
        case Choice(ways):
            for way in ways:
                counts |= _assignments(way)
        case Sequence(parts):
            for part in parts:
                counts += _assignments(part)
        case Maybe(body):
            counts = _assignments(body)
        case Repeat(body):
            counts = Counter(dict.fromkeys(_assignments(body), 2))
    return counts


def _ways(rule: Rule) -> tuple[Expression, ...]:
    return rule.body.ways if isinstance(rule.body, Choice) else (rule.body,)


def _is_way(way: Expression) -> bool:
    """Whether an alternative of an abstract rule always gives what its first rule gives, or its only terminal."""
    if isinstance(way, Literal | Regex | Call):
        return True
    if not isinstance(way, Sequence):
        return False
    read = (part for part in way.parts if any(isinstance(inner, Call) for inner in _read_by(part)))
    return isinstance(next(read, None), Call)


def _read_by(expression: Expression) -> Iterator[Expression]:
    """What an expression reads for good, which leaves out what it only looks at."""
    if not isinstance(expression, Look):
        yield expression
        for part in parts_of(expression):
            yield from _read_by(part)


def _check_comment(comment: Terminal, firsts: Firsts) -> None:
    if firsts.may_be_empty(comment):
        raise Unsupported("a comment that may match nothing")
    if isinstance(comment, Regex) and (_NAMES_GROUPS.search(comment.pattern) or comment.flags != _USUAL_FLAGS):
        raise Unsupported("a comment whose pattern refers to groups or sets flags")
