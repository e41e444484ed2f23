"""Edits of source text, for fixes: replacing, wrapping, inserting, and removing with what belongs to it."""

from __future__ import annotations

from kcheck.checker.lower.scopes import Home
from kcheck.grammar.diagnostics import Edit
from kcheck.grammar.lexis import Trivia
from kcheck.grammar.spans import Span

STEP = "  "
"""One level of indentation."""


def source(home: Home, span: Span) -> str:
    """The text at `span`."""
    return home.text[span.start : span.end]


def replace(home: Home, span: Span, text: str) -> Edit:
    return Edit(home.at(span), text)


def insert(home: Home, position: int, text: str) -> Edit:
    return replace(home, Span(position, position), text)


def wrap(home: Home, span: Span, before: str, after: str) -> tuple[Edit, Edit]:
    return insert(home, span.start, before), insert(home, span.end, after)


def indent(home: Home, position: int) -> str:
    """The blanks before the first character of the line that holds `position`."""
    line = home.text[_line_start(home.text, position) : position]
    return line[: len(line) - len(line.lstrip(" \t"))]


def starts_line(home: Home, position: int) -> bool:
    """Whether nothing but blanks stands before `position` on its line."""
    return not home.text[_line_start(home.text, position) : position].strip()


def add_line(home: Home, after: Span, text: str) -> Edit:
    """Put `text` on a line of its own below the node at `after`, as deep as that."""
    return insert(home, after.end, f"\n{indent(home, after.start)}{text}")


def add_last(home: Home, braces: Span, text: str) -> Edit:
    """Put `text` before the closing brace of the node at `braces`, on a line of its own where the brace has one."""
    close = braces.end - 1
    start = _line_start(home.text, close)
    if home.text[start:close].strip():
        space = "" if home.text[close - 1] in " \n" else " "
        return insert(home, close, f"{space}{text} ")
    return insert(home, start, f"{indent(home, close)}{STEP}{text}\n")


def remove(home: Home, span: Span) -> Edit:
    """Remove a statement or member: with its doc comment, and with its lines where nothing else stands on them."""
    text = home.text
    start, end = _line_start(text, span.start), _line_end(text, span.end)
    alone = not text[start : span.start].strip() and not text[span.end : end].strip()
    if not alone:
        end = span.end
        while end < len(text) and text[end] in " \t":
            end += 1
        return replace(home, Span(span.start, end), "")
    while (above := _line_start(text, start - 1)) < start and text[above:start].lstrip().startswith("///"):
        start = above
    end = min(end + 1, len(text))
    if _is_blank(text, start) and text[end : _line_end(text, end)].strip() in ("", "}"):
        start = _line_start(text, start - 1)
    return replace(home, Span(start, end), "")


def remove_listed(home: Home, span: Span) -> Edit:
    """Remove one of several things that commas part, with one comma."""
    whole = with_comma(home, span)
    if whole.end > span.end:
        return remove(home, whole)
    start = len(home.text[: span.start].rstrip())
    return replace(home, Span(start - 1 if home.text[start - 1] == "," else span.start, span.end), "")


def with_comma(home: Home, span: Span) -> Span:
    """`span` with the comma that follows it, where one does."""
    return with_separator(home, span, ",")


def with_separator(home: Home, span: Span, separators: str) -> Span:
    end = Trivia(home.text).skip(span.end)
    return Span(span.start, end + 1) if home.text[end : end + 1] in tuple(separators) else span


def _is_blank(text: str, line: int) -> bool:
    """Whether the line before the one that starts at `line` is empty."""
    return line > 0 and not text[_line_start(text, line - 1) : line].strip()


def _line_start(text: str, position: int) -> int:
    return text.rfind("\n", 0, max(position, 0)) + 1


def _line_end(text: str, position: int) -> int:
    end = text.find("\n", position)
    return len(text) if end < 0 else end
