"""How much room text takes on a terminal, and text that is safe to show on one."""

from __future__ import annotations

import unicodedata

TAB = "    "

_DELETE = 0x7F
_HIDING = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u2028\u2029\ufeff")
"""Characters that reorder or break what a terminal shows."""


def shown(text: str) -> str:
    """`text` with tabs as spaces and a picture in place of what would steer the terminal."""
    return text if text.isascii() and text.isprintable() else "".join(map(_shown, text))


def cells(text: str) -> int:
    """The columns that `shown(text)` takes."""
    return len(text) if text.isascii() and text.isprintable() else sum(map(_cells, text))


def _shown(character: str) -> str:
    code = ord(character)
    if character == "\t":
        return TAB
    if code < 0x20:
        return chr(0x2400 + code)
    if code == _DELETE:
        return "\u2421"
    if 0x80 <= code < 0xA0 or 0xD800 <= code < 0xE000 or character in _HIDING:
        return "\ufffd"
    return character


def _cells(character: str) -> int:
    visible = _shown(character)
    if visible == TAB:
        return len(TAB)
    if unicodedata.category(visible) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(visible) in ("W", "F") else 1
