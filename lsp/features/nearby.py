"""The tokens before a place, as far as they tell what may stand there: long finished parts are left out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from kcheck.grammar.lexis import Token, tokens

_LONG = 2000
"""Finished statements and blocks of more characters are not looked into."""
_OUTLINE = re.compile(r"""[{}]|;(?=[ \t]*[\r\n])|//[^\r\n]*|/\*(?:[^*]|\*(?!/))*\*/|/\*|"(?:\\[^\r\n]|[^"\\\r\n])*"?""")


@dataclass(slots=True)
class _Block:
    """An open brace: where its content begins, from where on it matters, and what of that is left out."""

    begin: int
    start: int
    skipped: list[tuple[int, int]] = field(default_factory=list)


def tokens_before(text: str, start: int, end: int) -> list[Token] | None:
    """The tokens of `text[start:end]`, placed in the text; None where `end` is in a comment.

    Of a long block that is open at the end only the last statements are there, of one that is closed the braces.
    """
    blocks = [_Block(start, start)]
    for found in _OUTLINE.finditer(text, start, end):
        mark = found.group()
        if mark == "{":
            blocks.append(_Block(found.end(), found.end()))
        elif mark == "}" and len(blocks) > 1:
            _close(blocks, found.start())
        elif mark == ";" and found.start() - blocks[-1].begin > _LONG:
            blocks[-1].start = found.start()
            blocks[-1].skipped.clear()
        elif mark == "/*" or (mark.startswith("//") and found.end() == end):
            return None
    return [
        Token(token.kind, token.start + a, token.end + a, token.text)
        for a, b in _parts(blocks, end)
        for token in tokens(text[a:b])
    ]


def _close(blocks: list[_Block], end: int) -> None:
    closed = blocks.pop()
    if end - closed.begin > _LONG:
        blocks[-1].skipped.append((closed.begin, end))


def _parts(blocks: list[_Block], end: int) -> Iterator[tuple[int, int]]:
    """The stretches of text that are left."""
    ends = [*(block.begin for block in blocks[1:]), end]
    for block, last in zip(blocks, ends, strict=True):
        position = block.start
        for skipped, after in block.skipped:
            yield position, skipped
            position = after
        yield position, last
