"""Reading a file: text to items, each with its tree, and the diagnostics found on the way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import lru_cache

from kcheck.grammar import build_items, engine, syntax
from kcheck.grammar.broken import broken_item, label, misplaced, starts_item
from kcheck.grammar.build_code import Faults
from kcheck.grammar.diagnostics import Diagnostic
from kcheck.grammar.garbage import no_collection
from kcheck.grammar.limits import (
    STRANGE_CHARACTER,
    conflict,
    deep_tree,
    not_text,
    strange_character,
    too_deep,
    too_large,
    unreadable,
)
from kcheck.grammar.nodes import Value, node
from kcheck.grammar.problems import ENCODING, TOO_DEEP, Problem
from kcheck.grammar.recovery import Recovery
from kcheck.grammar.recursion import deep_recursion
from kcheck.grammar.source import ParsedItem, SourceFile
from kcheck.grammar.spans import Span
from kcheck.grammar.split import split

_BOM = b"\xef\xbb\xbf"
# About what a workspace that is open in an editor holds.
_ITEMS_KEPT = 4096


@node(kw_only=False)
class _Reading(Value):
    """What one item's text gave: its tree, how to call it, what is wrong with it, and where that is told already."""

    node: syntax.Item
    label: str
    problems: tuple[Problem, ...] = ()
    quiet: tuple[Span, ...] = ()


def parse(text: str, path: str) -> tuple[SourceFile, tuple[Diagnostic, ...]]:
    """The items of `text` and what is wrong with them; `path` only names the file.

    Never raises: what cannot be read is an error node of the tree with one diagnostic, and hides nothing of what
    stands around it; an item of which nothing can be read is a `BrokenItem`.
    The same text of an item gives the same tree, as an object, while the cache holds it.
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
        items.append(ParsedItem(key, start, text[start:end], reading.node, not reading.problems, reading.quiet))
        diagnostics += (problem.at(path, key) for problem in reading.problems)
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
    before = 0
    for start, end in (*ranges, (len(text), len(text))):
        if found := STRANGE_CHARACTER.search(text, before, start):
            yield not_text(found.group(), found.start())
            return
        before = end


@lru_cache(maxsize=_ITEMS_KEPT)
def _read(text: str) -> _Reading:
    problem = strange_character(text) or unreadable(text) or conflict(text)
    problem = problem or (None if starts_item(text) else misplaced(text))
    if problem is not None and problem.code == TOO_DEEP:
        return _broken(text, problem)
    try:
        found = problem or _whole(text)
        return found if isinstance(found, _Reading) else _recovered(text, found)
    except RecursionError:
        return _broken(text, too_deep(Span(0, len(text))))


def _whole(text: str) -> _Reading | engine.Failure:
    """The reading of an item that the grammar knows, or where that stopped."""
    faults = Faults()
    tree = engine.read(text, lambda items: build_items.item(text, items[0], faults))
    return tree if isinstance(tree, engine.Failure) else _checked(text, tree, tuple(faults.problems))


def _recovered(text: str, found: Problem | engine.Failure) -> _Reading:
    """The reading of an item with errors: all that can be read of it."""
    recovery = Recovery(text)
    model = recovery.run(found)
    if model is None:
        return _broken(text, *recovery.problems)
    faults = Faults(recovery.damages, recovery.holes, recovery.problems)
    with deep_recursion():
        tree = build_items.item(text, model, faults)
    return _checked(text, tree, tuple(faults.problems), tuple(recovery.quiet))


def _checked(text: str, tree: syntax.Item, problems: tuple[Problem, ...], quiet: tuple[Span, ...] = ()) -> _Reading:
    if problem := deep_tree(tree, text):
        return _broken(text, problem)
    quiet += tuple(problem.span for problem in problems)
    return _Reading(tree, label(tree), tuple(sorted(problems, key=lambda each: each.span)), quiet)


def _broken(text: str, *problems: Problem) -> _Reading:
    broken = broken_item(text)
    return _Reading(broken, label(broken), problems, (broken.span,))
