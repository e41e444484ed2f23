"""Reading a file: text to items, each with its tree, and the diagnostics found on the way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from kcheck.grammar import build_items, engine, syntax
from kcheck.grammar.broken import broken_item, label, misplaced, starts_item
from kcheck.grammar.diagnostics import Diagnostic
from kcheck.grammar.garbage import no_collection
from kcheck.grammar.limits import (
    STRANGE_CHARACTER,
    deep_tree,
    not_text,
    strange_character,
    too_deep,
    too_large,
    unreadable,
)
from kcheck.grammar.messages import explain
from kcheck.grammar.problems import ENCODING, Problem, UnreadableError
from kcheck.grammar.source import ParsedItem, SourceFile
from kcheck.grammar.spans import Span
from kcheck.grammar.split import split

_BOM = b"\xef\xbb\xbf"
# About what a workspace that is open in an editor holds.
_ITEMS_KEPT = 4096


@dataclass(frozen=True, slots=True)
class _Reading:
    """What one item's text gave: its tree, how to call it, and the problem if it is broken."""

    node: syntax.Item
    label: str
    problem: Problem | None


def parse(text: str, path: str) -> tuple[SourceFile, tuple[Diagnostic, ...]]:
    """The items of `text` and what is wrong with them; `path` only names the file.

    Never raises: an item that cannot be read is a `BrokenItem` with one diagnostic, and hides nothing of the
    others. The same text of an item gives the same tree, as an object, while the cache holds it.
    """
    if problem := too_large(text):
        return SourceFile(path, text, ()), (problem.at(path, ""),)
    with no_collection():
        return _parse(text, path)


def _parse(text: str, path: str) -> tuple[SourceFile, tuple[Diagnostic, ...]]:
    ranges = split(text)
    diagnostics = [problem.at(path, "") for problem in _between(text, ranges)]
    items: list[ParsedItem] = []
    seen: Counter[str] = Counter()
    for start, end in ranges:
        reading = _read(text[start:end])
        seen[reading.label] += 1
        key = reading.label if seen[reading.label] == 1 else f"{reading.label}#{seen[reading.label]}"
        items.append(ParsedItem(key, start, text[start:end], reading.node))
        if reading.problem is not None:
            diagnostics.append(reading.problem.at(path, key))
    return SourceFile(path, text, tuple(items)), tuple(diagnostics)


def decode(data: bytes, path: str) -> tuple[str, tuple[Diagnostic, ...]]:
    """The text of a file's bytes, without a byte order mark; what is not UTF-8 stands as U+FFFD in it."""
    marked = data.startswith(_BOM)
    body = data.removeprefix(_BOM)
    try:
        return body.decode("utf-8"), ()
    except UnicodeDecodeError as error:
        problem = _not_utf8(body, error.start, len(_BOM) if marked else 0)
        return body.decode("utf-8", "replace"), (problem.at(path, ""),)


def _not_utf8(body: bytes, offset: int, skipped: int) -> Problem:
    before = body[:offset]
    line = before.count(b"\n") + 1
    start = len(before.decode("utf-8"))
    message = f"byte {offset + skipped}, on line {line}, is not UTF-8: 0x{body[offset]:02X}"
    note = "save the file as UTF-8"
    if body.startswith((b"\xff\xfe", b"\xfe\xff")):
        note = "this looks like UTF-16; " + note
    return Problem(ENCODING, message, Span(start, start + 1), notes=(note,))


def _between(text: str, ranges: list[tuple[int, int]]) -> Iterator[Problem]:
    """The first strange character that stands in no item, but in a comment between them."""
    ends = iter(ranges)
    start, end = next(ends, (len(text), len(text)))
    for found in STRANGE_CHARACTER.finditer(text):
        while end <= found.start():
            start, end = next(ends, (len(text), len(text)))
        if found.start() < start:
            yield not_text(found.group(), found.start())
            return


@lru_cache(maxsize=_ITEMS_KEPT)
def _read(text: str) -> _Reading:
    result = strange_character(text) or unreadable(text) or _tree(text)
    if isinstance(result, Problem):
        broken = broken_item(text)
        return _Reading(broken, label(broken), result)
    return _Reading(result, label(result), None)


def _tree(text: str) -> syntax.Item | Problem:
    """The tree of an item's text, or what is wrong with it."""
    if not starts_item(text):
        return misplaced(text)
    try:
        result = engine.read(text, lambda model: build_items.item(text, model))
    except UnreadableError as stop:
        return stop.problem
    except RecursionError:
        return too_deep(Span(0, len(text)))
    if isinstance(result, engine.Failure):
        return explain(text, result)
    return deep_tree(result) or result
