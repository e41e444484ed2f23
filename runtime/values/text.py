"""The values of the command line: `literal | generator | path[:key] | -` (a literal on standard input).

Literals are JSON with `NaN`, `Infinity`, `-Infinity` and a comma allowed at the end of lists and objects.
A word alone is the name of an enum's variant.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import NoReturn, TypeAlias

from kcheck.checker.bindings import BoundValue, FileValue, Generated
from kcheck.runtime.values.files import names_file
from kcheck.runtime.values.generators import KINDS
from kcheck.runtime.values.literals import SPECIAL_FLOATS
from kcheck.runtime.values.source import STREAM

MAX_DEPTH = 100


class ValueSyntaxError(ValueError):
    """A text that is no value; tells what was expected, and where."""


def parse_value(text: str) -> BoundValue:
    """What a text on the command line means; raises `ValueSyntaxError`."""
    stripped = text.strip()
    if not stripped:
        raise ValueSyntaxError("the value is empty")
    if stripped == STREAM:
        return FileValue(f"{STREAM}.json")
    if _GENERATOR.match(stripped):
        return _Parser(stripped).whole(_Parser.generator)
    if stripped[0] not in '[{"' and _is_path(stripped):
        return FileValue(stripped)
    return _Parser(stripped).whole(_Parser.literal)


_GENERATOR = re.compile(rf"(?:{'|'.join(KINDS)})\s*\(")
_NUMBER_ONLY = re.compile(r"[-+]?[\d._eE+-]+")


def _is_path(text: str) -> bool:
    """Files that can be read; and what looks like a file, for a message that names the endings that can."""
    return names_file(text) or (("/" in text or "." in text) and not _NUMBER_ONLY.fullmatch(text))


_TOKEN = re.compile(
    r"""\s*(?:
        (?P<float>[-+]?(?:\d+\.\d*(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?|\d+[eE][-+]?\d+))
      | (?P<int>[-+]?\d+)
      | (?P<string>"(?:[^"\\\x00-\x1f]|\\.)*")
      | (?P<word>-?[A-Za-z_]\w*)
      | (?P<mark>[][{}(),:=])
      | (?P<end>\Z)
    )""",
    re.VERBOSE,
)

_Rule: TypeAlias = "Callable[[_Parser, int], BoundValue]"

_WORDS: dict[str, BoundValue] = {"true": True, "false": False, **SPECIAL_FLOATS}


class _Parser:
    """One pass over a text with one token of look-ahead: `_kind` and `_token`."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._end = 0
        self._advance()

    def whole(self, rule: _Rule) -> BoundValue:
        value = rule(self, 0)
        if self._kind != "end":
            self._fail("the end of the value")
        return value

    def literal(self, depth: int) -> BoundValue:
        if depth > MAX_DEPTH:
            raise ValueSyntaxError(f"lists and objects nest at most {MAX_DEPTH} deep")
        kind, token = self._kind, self._token
        if token == "[":
            return self._list(depth)
        if token == "{":
            return self._object(depth)
        self._advance()
        match kind:
            case "float":
                return _float(token)
            case "int":
                return _int(token)
            case "string":
                return _string(token)
            case "word" if token in _WORDS:
                return _WORDS[token]
            case "word" if not token.startswith("-"):
                return token
        self._fail("a value", token)

    def _list(self, depth: int) -> BoundValue:
        items: list[BoundValue] = []
        self._take("[")
        while self._token != "]":
            items.append(self.literal(depth + 1))
            if self._token != "]":
                self._take(",", "a comma or ]")
        self._take("]")
        return items

    def _object(self, depth: int) -> BoundValue:
        members: dict[str, BoundValue] = {}
        self._take("{")
        while self._token != "}":
            key = self._key()
            if key in members:
                raise ValueSyntaxError(f"`{key}` stands twice in one object")
            self._take(":", f"a colon after `{key}`")
            members[key] = self.literal(depth + 1)
            if self._token != "}":
                self._take(",", "a comma or }")
        self._take("}")
        return members

    def _key(self) -> str:
        kind, token = self._kind, self._token
        if kind not in ("string", "word"):
            self._fail("a field's name")
        self._advance()
        return _string(token) if kind == "string" else token

    def generator(self, _: int) -> BoundValue:
        """`zeros(n)`, `zeros((w, h))`, `range(n)`, `random((w, h, d), seed=s)`."""
        kind = self._token
        self._advance()
        self._take("(")
        size, seed = self._size(), 0
        if self._token == ",":
            self._advance()
            if self._token != ")":
                seed = self._seed(kind)
                if self._token == ",":
                    self._advance()
        self._take(")")
        return Generated(kind, size, seed)

    def _size(self) -> tuple[int, ...]:
        if self._token != "(":
            return (self._whole(),)
        self._advance()
        size = [self._whole()]
        while self._token == ",":
            self._advance()
            if self._token != ")":
                size.append(self._whole())
        self._take(")", "a comma or )")
        return tuple(size)

    def _seed(self, kind: str) -> int:
        if kind != "random" or self._token != "seed":
            self._fail(")" if kind != "random" else "seed=… or )")
        self._advance()
        self._take("=")
        return self._whole()

    def _whole(self) -> int:
        kind, token = self._kind, self._token
        if kind != "int":
            self._fail("a whole number")
        self._advance()
        return _int(token)

    def _take(self, mark: str, expected: str | None = None) -> None:
        if self._token != mark or self._kind != "mark":
            self._fail(expected or mark)
        self._advance()

    def _advance(self) -> None:
        found = _TOKEN.match(self._text, self._end)
        if found is None:
            rest = self._text[self._end :].strip()
            raise ValueSyntaxError(f"`{rest[:20]}` is no value" + _hint(rest))
        assert found.lastgroup is not None
        self._kind, self._token, self._end = found.lastgroup, found[found.lastgroup], found.end()

    def _fail(self, expected: str, got: str | None = None) -> NoReturn:
        token = self._token if got is None else got
        found = f"`{token}`" if token else "the end of the value"
        raise ValueSyntaxError(f"expected {expected}, got {found}")


def _float(token: str) -> float:
    value = float(token)
    if math.isinf(value):
        raise ValueSyntaxError(f"{token} is too large for a Float; write Infinity for the infinite value")
    return value


def _int(token: str) -> int:
    try:
        return int(token)
    except ValueError:  # Python reads no numbers of thousands of digits
        raise ValueSyntaxError(f"`{token[:10]}…` has {len(token)} digits") from None


def _string(token: str) -> str:
    import json

    try:
        return str(json.loads(token))
    except ValueError:
        raise ValueSyntaxError(f"{token} is no text as JSON writes it") from None


def _hint(rest: str) -> str:
    return "; texts stand in double quotes" if rest.startswith("'") else ""
