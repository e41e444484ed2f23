"""Tokens, comments and brackets: what can be said of a text without knowing the grammar."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from enum import Enum
from typing import NamedTuple

from kcheck.grammar.nodes import Value, node

ITEM_WORDS = frozenset({"use", "const", "struct", "enum", "fn", "kernel", "scene"})

# fmt: off
RESERVED = ITEM_WORDS | {
    "requires", "input", "output", "param", "memory", "let", "var", "if", "else", "match", "for", "in", "loop",
    "until", "return", "true", "false",
}
# fmt: on


class Kind(Enum):
    WORD = "word"
    NUMBER = "number"
    STRING = "string"
    PUNCTUATION = "punctuation"
    OPEN_STRING = "a string that its line does not close"
    OPEN_COMMENT = "a block comment that nothing closes"
    STRANGE = "a character of no token"


@node(kw_only=False)
class Token(Value):
    kind: Kind
    start: int
    end: int
    text: str


_KINDS: dict[str | None, Kind] = {kind.name.lower(): kind for kind in Kind}
_BLANK = re.compile(r"[ \t\r\n]+")
# Up to the next blank or comment.
_SOLID = re.compile(r"""(?:[^ \t\r\n/"]|/(?![/*])|"(?:\\[^\r\n]|[^"\\\r\n])*"?)+""")
_LINE_REST = re.compile(r"[^\r\n]*")
_DOC = re.compile(r"///(?!/) ?")
# A line comment, the start of a block comment, or a string, which ends with its line where nothing closes it.
_COMMENT_OR_STRING = re.compile(r"""//[^\r\n]*|/\*|"(?:\\[^\r\n]|[^"\\\r\n])*(?:"|[^\r\n]*)""")
_TOKEN = re.compile(
    r"""(?P<word>[A-Za-z_][A-Za-z0-9_]*)
    |(?P<number>[0-9](?:[eE][-+](?=[0-9])|\.(?=[0-9])|[A-Za-z0-9_])*)
    |(?P<string>"(?:\\[^\r\n]|[^"\\\r\n])*")
    |(?P<open_string>"[^\r\n]*)
    |(?P<punctuation>>>>=|<<=|>>=|>>>|\.\.=|&&|\|\||==|!=|<=|>=|<<|>>|[-+*/%&|^]=|->|=>|<~|\.\.|[][{}()<>=+\-*/%&|^!~.,;:@])
    """,
    re.VERBOSE,
)


_MARK = re.compile(
    r"""(?P<punctuation>[{}()\[\];])
    |(?P<string>"(?:\\[^\r\n]|[^"\\\r\n])*")
    |(?P<open_string>"[^\r\n]*)
    |(?P<block>/\*)
    |(?P<line>//[^\r\n]*)
    |(?<![A-Za-z0-9_])(?P<word>use|const|struct|enum|fn|kernel|scene|if|match|for|loop)(?![A-Za-z0-9_])
    """,
    re.VERBOSE,
)


# What tells where braces end: braces, what hides them, and a word that begins an item at the start of a line.
# No group is at a way's beginning: so Python looks for their first characters only.
_IN_BRACES = re.compile(
    r"""\{|\}
    |"(?:\\[^\r\n]|[^"\\\r\n])*"?
    |//[^\r\n]*|/\*
    |\n[ \t\r]*(use|const|struct|enum|fn|kernel|scene)(?![A-Za-z0-9_])
    """,
    re.VERBOSE,
)


_new_tuple = tuple.__new__


class Mark(NamedTuple):
    """A token that shapes a text: a bracket, `;`, a string, a word that begins an item or needs a block."""

    kind: Kind
    start: int
    end: int
    text: str


class Trivia:
    """Skips white space and comments of one text.

    It remembers from where on no `*/` follows, so that a text full of `/*` is still read in linear time.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self._unclosed_from = len(text)

    def skip(self, position: int) -> int:
        """The first position at or after `position` where neither blank nor closed comment stands."""
        while True:
            after = self._after_one(position)
            if after == position:
                return position
            position = after

    def skip_to_doc(self, position: int) -> int:
        """As `skip`, but stops before the first `///` comment."""
        while not _DOC.match(self.text, position):
            after = self._after_one(position)
            if after == position:
                break
            position = after
        return position

    def opens_comment(self, position: int) -> bool:
        """Whether a block comment starts here that nothing closes."""
        return self.text.startswith("/*", position) and self.comment_end(position) < 0

    def _after_one(self, position: int) -> int:
        text = self.text
        if blank := _BLANK.match(text, position):
            return blank.end()
        if text.startswith("//", position):
            return line_end(text, position)
        if text.startswith("/*", position):
            return max(position, self.comment_end(position))
        return position

    def comment_end(self, position: int) -> int:
        """The end of the block comment that starts here, or -1."""
        if position >= self._unclosed_from:
            return -1
        end = self.text.find("*/", position + 2)
        if end < 0:
            self._unclosed_from = position
            return -1
        return end + 2


def closest(word: str, known: Iterable[str]) -> str | None:
    """The one of some known words that a misspelt one is close to."""
    from difflib import get_close_matches  # takes long to load, and only mistakes need it

    return next(iter(get_close_matches(word, sorted(known), 1, 0.7)), None)


def line_end(text: str, position: int) -> int:
    """The end of the line that holds `position`, without its line break."""
    rest = _LINE_REST.match(text, position)
    return rest.end() if rest else position


def tokens(text: str) -> Iterator[Token]:
    """The tokens of `text`; a comment that nothing closes is one up to its line's end."""
    trivia = Trivia(text)
    position = trivia.skip(0)
    while position < len(text):
        token = _token(trivia, position)
        yield token
        position = trivia.skip(token.end)


def marks(trivia: Trivia, position: int = 0) -> Iterator[Mark]:
    """The marks of a text from `position` on; faster than all its tokens."""
    text = trivia.text
    while position < len(text):
        for match in _MARK.finditer(text, position):
            kind = match.lastgroup
            if kind == "line":
                continue
            start, end = match.span()
            if kind != "block":
                # What `Mark(…)` does, without going through Python again.
                yield _new_tuple(Mark, (_KINDS[kind], start, end, match[0]))
                continue
            if not trivia.opens_comment(start):
                position = trivia.comment_end(start)
            else:
                position = line_end(text, start)
                yield Mark(Kind.OPEN_COMMENT, start, position, text[start:position])
            break
        else:
            return


def marks_in_braces(trivia: Trivia, position: int) -> Iterator[Mark]:
    """Those marks from `position` on that may tell where the braces around it end: braces, words that begin an item
    where they begin a line, and comments that nothing closes."""
    text = trivia.text
    while position < len(text):
        for match in _IN_BRACES.finditer(text, position):
            start, end = match.span()
            match text[start]:
                case "{" | "}":
                    yield _new_tuple(Mark, (Kind.PUNCTUATION, start, end, text[start]))
                case "\n":
                    yield Mark(Kind.WORD, match.start(1), end, match[1])
                case "/" if match[0] == "/*":
                    if not trivia.opens_comment(start):
                        position = trivia.comment_end(start)
                    else:
                        position = line_end(text, start)
                        yield Mark(Kind.OPEN_COMMENT, start, position, text[start:position])
                    break
        else:
            return


def _token(trivia: Trivia, position: int) -> Token:
    text = trivia.text
    if trivia.opens_comment(position):
        end = line_end(text, position)
        return Token(Kind.OPEN_COMMENT, position, end, text[position:end])
    match = _TOKEN.match(text, position)
    if match is None or match.lastgroup is None:
        return Token(Kind.STRANGE, position, position + 1, text[position])
    return Token(_KINDS[match.lastgroup], position, match.end(), match.group())


def trimmed(text: str, start: int, end: int) -> int:
    """`end`, moved back over the blanks and comments that close `text[start:end]`."""
    trivia = Trivia(text[start:end])
    last = 0
    while (position := trivia.skip(last)) < end - start:
        solid = _SOLID.match(trivia.text, position)
        last = solid.end() if solid else line_end(trivia.text, position)
    return start + last


def doc_comments(text: str) -> dict[int, str]:
    """The text of the `///` comments before a token, by the token's position."""
    docs: dict[int, str] = {}
    if "///" not in text:
        return docs
    trivia = Trivia(text)
    position = 0
    while found := _COMMENT_OR_STRING.search(text, position):
        position = found.end()
        if found.group() == "/*":
            position = trivia.comment_end(found.start())
            position = position if position >= 0 else line_end(text, found.start())
        elif mark := _DOC.match(found.group()):
            token = trivia.skip(position)
            line = found.group()[mark.end() :].rstrip()
            docs[token] = f"{docs[token]}\n{line}" if token in docs else line
    docs.pop(len(text), None)
    return docs
