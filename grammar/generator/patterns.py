"""What can be told of a regular expression: the characters that a match may begin with, and its least length.

Python's own parser of patterns is asked. What is said of first characters may be too many, never too few.
"""

from __future__ import annotations

import re
from re import _parser as sre  # type: ignore[attr-defined]  # part of Python, unknown to its type stubs
from typing import Any

ASCII = frozenset(map(chr, range(128)))
OTHER = "\x80"
"""Stands for all characters that are not ASCII."""
EVERY = ASCII | {OTHER}

_CLASSES = {
    "CATEGORY_DIGIT": r"\d",
    "CATEGORY_NOT_DIGIT": r"\D",
    "CATEGORY_SPACE": r"\s",
    "CATEGORY_NOT_SPACE": r"\S",
    "CATEGORY_WORD": r"\w",
    "CATEGORY_NOT_WORD": r"\W",
}


def may_match_nothing(pattern: str, flags: int) -> bool:
    least: int = sre.parse(pattern, flags).getwidth()[0]
    return least == 0


def first_characters(pattern: str, flags: int) -> frozenset[str]:
    """What a match that is not empty may begin with, of `EVERY`."""
    return _first(sre.parse(pattern, flags), bool(flags & re.IGNORECASE))[0]


def kind_of(character: str) -> str:
    """The character's stand-in among `EVERY`."""
    return character if character in ASCII else OTHER


def _first(steps: Any, any_case: bool) -> tuple[frozenset[str], bool]:
    """The first characters of some steps in a row, and whether these may match nothing."""
    found: frozenset[str] = frozenset()
    for operation, argument in steps:
        characters, empty = _first_of_step(str(operation), argument, any_case)
        found |= _in_any_case(characters) if any_case else characters
        if not empty:
            return found, False
    return found, True


def _first_of_step(operation: str, argument: Any, any_case: bool) -> tuple[frozenset[str], bool]:
    match operation:
        case "LITERAL":
            return frozenset({kind_of(chr(argument))}), False
        case "IN":
            return _of_set(argument), False
        case "ANY" | "NOT_LITERAL":
            return EVERY, False
        case "AT" | "ASSERT" | "ASSERT_NOT":
            return frozenset(), True
        case "BRANCH":
            ways = [_first(way, any_case) for way in argument[1]]
            return frozenset().union(*(characters for characters, _ in ways)), any(empty for _, empty in ways)
        case "SUBPATTERN":
            return _first(argument[3], any_case or bool(argument[1] & re.IGNORECASE))
        case "ATOMIC_GROUP":
            return _first(argument, any_case)
        case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
            characters, empty = _first(argument[2], any_case)
            return characters, empty or argument[0] == 0
    # References to groups and whatever a later Python adds.
    return EVERY, True


def _of_set(members: Any) -> frozenset[str]:
    """The characters of `[…]`."""
    found: set[str] = set()
    negated = False
    for operation, argument in members:
        match str(operation):
            case "NEGATE":
                negated = True
            case "LITERAL":
                found.add(kind_of(chr(argument)))
            case "RANGE":
                found |= _range(*argument)
            case "CATEGORY" if str(argument) in _CLASSES:
                found |= {character for character in ASCII if re.match(_CLASSES[str(argument)], character)} | {OTHER}
            case _:
                return EVERY
    return (EVERY - found) | {OTHER} if negated else frozenset(found)


def _range(low: int, high: int) -> set[str]:
    ascii_part = set(map(chr, range(low, min(high, 127) + 1)))
    return ascii_part | {OTHER} if high > 127 else ascii_part


def _in_any_case(characters: frozenset[str]) -> frozenset[str]:
    """A few letters that are not ASCII equal some that are, if case is ignored, so both ways these are added."""
    if OTHER in characters:
        return EVERY
    return characters | {character.swapcase() for character in characters} | {OTHER}
