"""What is checked of a text before the grammar sees it, and of a tree before anyone else does."""

from __future__ import annotations

import re

from kcheck.grammar import syntax
from kcheck.grammar.lexis import Kind, Mark, Trivia, marks
from kcheck.grammar.problems import ENCODING, SYNTAX, TOO_DEEP, TOO_LARGE, UNCLOSED, Problem
from kcheck.grammar.recursion import DEEPEST
from kcheck.grammar.spans import Span
from kcheck.grammar.walk import children

LARGEST_FILE = 1 << 20
"""In characters: far more than people write, and few enough for an editor to wait for."""

STRANGE_CHARACTER = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
"""Control characters but tab and line breaks, and halves of characters: no text file holds them."""


CONFLICT = re.compile(r"^<{7}(?![<=]).*$", re.MULTILINE)
CONFLICT_SIDE = re.compile(r"^(?:<{7}.*$|(?:\|{7}|={7})(?s:.)*?^>{7}.*$|={7}.*$|>{7}.*$)", re.MULTILINE)
"""What is left of a merge conflict without its first side: the marks, and all that stands behind the second one."""


def too_large(text: str) -> Problem | None:
    if len(text) <= LARGEST_FILE:
        return None
    message = f"the file has {len(text):,} characters; {LARGEST_FILE:,} are the most that are read"
    return Problem(TOO_LARGE, message, Span(0, 0), notes=("split it into several files and `use` them",))


def conflict(text: str) -> Problem | None:
    """The first mark of a merge conflict."""
    found = CONFLICT.search(text) if "<<<<<<<" in text else None
    if found is None:
        return None
    note = "keep what is right of both sides, and remove the lines `<<<<<<<`, `=======` and `>>>>>>>`"
    return Problem(SYNTAX, "this merge conflict is not resolved", Span(found.start(), found.end()), notes=(note,))


def strange_character(text: str) -> Problem | None:
    found = STRANGE_CHARACTER.search(text)
    return not_text(found.group(), found.start()) if found else None


def not_text(character: str, offset: int) -> Problem:
    kind = "half of a character" if "\ud800" <= character <= "\udfff" else "a control character"
    message = f"U+{ord(character):04X}, {kind}, cannot stand in a program"
    return Problem(ENCODING, message, Span(offset, offset + 1), notes=("is this a text file in UTF-8?",))


def unreadable(text: str) -> Problem | None:
    """The first of: a string or comment that is not closed, brackets that nest too deep."""
    if '"' not in text and "/*" not in text and _most_levels(text) <= DEEPEST:
        return None
    levels = _Levels()
    for mark in marks(Trivia(text)):
        if problem := _unclosed(mark) or levels.enter(mark):
            return problem
    return None


def _most_levels(text: str) -> int:
    """More than the levels of brackets and headers can be."""
    return sum(map(text.count, ("(", "[", "{", "if", "match", "for", "loop")))


def _unclosed(mark: Mark) -> Problem | None:
    span = Span(mark.start, mark.end)
    if mark.kind is Kind.OPEN_STRING:
        return Problem(UNCLOSED, "this string is not closed", span, 'no `"` follows on this line')
    if mark.kind is Kind.OPEN_COMMENT:
        return Problem(UNCLOSED, "this comment is not closed", span, "no `*/` follows")
    return None


class _Levels:
    """Counts open brackets, and headers whose block is still to come (`if if if …`)."""

    def __init__(self) -> None:
        self.headers = [0]
        self.waiting = 0

    def enter(self, mark: Mark) -> Problem | None:
        match mark.text:
            case "if" | "match" | "for" | "loop":
                self._wait(1)
            case "{" | "(" | "[":
                if mark.text == "{" and self.headers[-1]:
                    self._wait(-1)
                self.headers.append(0)
            case "}" | ")" | "]" if len(self.headers) > 1:
                self.waiting -= self.headers.pop()
        if len(self.headers) - 1 + self.waiting > DEEPEST:
            return too_deep(Span(mark.start, mark.end))
        return None

    def _wait(self, change: int) -> None:
        self.headers[-1] += change
        self.waiting += change


def too_deep(span: Span) -> Problem:
    return Problem(
        TOO_DEEP,
        f"this nests deeper than {DEEPEST} levels",
        span,
        notes=("split it: give parts a name by `let`, or move them into functions",),
    )


# What opens a level of its own; the nodes between two of these add a fixed number.
_LEVELS = frozenset(
    {
        syntax.Binary,
        syntax.Unary,
        syntax.Call,
        syntax.Member,
        syntax.Index,
        syntax.Block,
        syntax.Record,
        syntax.StructValue,
        syntax.ArrayLiteral,
        syntax.ArrayRepeat,
        syntax.Tuple,
        syntax.ArrayType,
        syntax.NamedType,
    }
)


# A level of the tree has one of these in the text, or a name before a bracket.
_LEVEL_SIGNS = re.compile(r"[-+*/%<>=&|^!~.:({\[]")


def deep_tree(item: syntax.Item, text: str) -> Problem | None:
    """A problem if the tree of a text nests deeper than all who walk it by recursion can follow."""
    if len(_LEVEL_SIGNS.findall(text)) < DEEPEST:
        return None
    waiting: list[tuple[syntax.Node, int]] = [(item, 0)]
    while waiting:
        node, depth = waiting.pop()
        depth += type(node) in _LEVELS
        if depth > DEEPEST:
            return too_deep(node.span)
        for child in children(node):
            waiting.append((child, depth))
    return None
