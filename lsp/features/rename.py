"""Renaming: the edits, and the proof that they change no meaning.

The files that could tell the difference are checked again as they would stand.  A rename is good where every name
still stands for what it stood for, and nothing new is found wrong.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple

from lsprotocol import types as lsp

from kcheck.checker.check import Loader, check_text
from kcheck.checker.checked import Checked
from kcheck.checker.facts import Symbol, SymbolKind
from kcheck.checker.lower.calls import WORDS
from kcheck.checker.lower.declarations import TYPE_NAMES
from kcheck.checker.memo import Memo
from kcheck.grammar import parser, syntax
from kcheck.grammar.lexis import RESERVED, Kind, tokens
from kcheck.grammar.source import ParsedItem
from kcheck.grammar.spans import Origin, Span
from kcheck.grammar.walk import descendants
from kcheck.lsp import convert
from kcheck.lsp.features.diagnostics import workspace_edit
from kcheck.lsp.features.names import (
    Occurrence,
    files_naming,
    last_word,
    may_name,
    names_at,
    occurrences_in,
    references_in,
)
from kcheck.lsp.view import View

_LANGUAGE = frozenset({SymbolKind.BUILTIN, SymbolKind.TYPE, SymbolKind.PERMISSION})
_LOCALS = frozenset({SymbolKind.LOCAL, SymbolKind.PARAMETER})
_TYPES = frozenset({SymbolKind.STRUCT, SymbolKind.ENUM})
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_KERNEL_NAME = re.compile(r"([A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*)(@[0-9]+)?")


class RenameRefused(Exception):
    """Why something cannot be renamed, or not to this name; for people."""


@dataclass(frozen=True, slots=True)
class Sources:
    """`loader` finds the packages that the file at a path uses; `is_ours` tells the files that come with the tool;
    `memo` has what is known of earlier checks of a file; without `is_whole` some files of the workspace are not read.
    """

    loader: Callable[[str], Loader]
    is_ours: Callable[[str], bool]
    memo: Callable[[str], Memo]
    is_whole: bool = True


def prepare_rename(view: View, position: lsp.Position, sources: Sources) -> lsp.PrepareRenamePlaceholder | None:
    """The name to be changed; None where nothing is named.  Raises `RenameRefused`."""
    found = _target(view, position, sources)
    return None if found is None else lsp.PrepareRenamePlaceholder(view.range(found.span), found.symbol.name)


def rename(
    view: View,
    position: lsp.Position,
    new: str,
    sources: Sources,
    cancelled: Callable[[], bool] = lambda: False,
) -> lsp.WorkspaceEdit | None:
    """The edits that rename what is named at a position; None where nothing is.

    Takes as long as checking the files that may be affected.  Raises `RenameRefused`, and `Cancelled` where
    `cancelled` says so.
    """
    target = _target(view, position, sources)
    if target is None:
        return None
    renaming = _Renaming(view, target.symbol, _valid_name(new.strip(), target.symbol), sources)
    # The versions first: what changes from here on makes the client refuse the edits.
    edit = renaming.edit()
    renaming.check(cancelled)
    return edit


# ---------------------------------------------------------------- what is renamed


def _target(view: View, position: lsp.Position, sources: Sources) -> Occurrence | None:
    found = names_at(view, view.offset(position))
    # Where a pattern makes a local of a field, the local is meant.
    found.sort(key=lambda name: not name.reference.is_declaration)
    if not found:
        return None
    _refuse_foreign(view, found[0].symbol, sources)
    return found[0]


def _refuse_foreign(view: View, symbol: Symbol, sources: Sources) -> None:
    if symbol.kind in _LANGUAGE or symbol.origin is None:
        raise RenameRefused(f"`{symbol.name}` is a word of the language")
    if symbol.kind is SymbolKind.PACKAGE:
        raise RenameRefused(f"`{symbol.name}` is named after its file: rename that")
    path = symbol.origin.path
    if sources.is_ours(path):
        raise RenameRefused(f"`{symbol.name}` is declared in a package that comes with kcheck")
    if not sources.is_whole and symbol.kind not in (SymbolKind.LOCAL, SymbolKind.PARAMETER):
        raise RenameRefused(f"there are too many files here to know that none names `{symbol.name}`")
    if path not in view.every:
        raise RenameRefused(f"`{symbol.name}` is declared outside of the workspace, in `{path}`")


def _valid_name(new: str, symbol: Symbol) -> str:
    """The new name, whole; a kernel keeps its version unless another one is given."""
    if symbol.kind is SymbolKind.KERNEL:
        match = _KERNEL_NAME.fullmatch(new)
        if match is None:
            raise RenameRefused(
                f"`{new}` is no name for a kernel: it takes names with dots and a version, `image.blur@1`"
            )
        words, version = match[1].split("."), match[2] or "@" + symbol.name.rpartition("@")[2]
        new = match[1] + version
    else:
        if not _NAME.fullmatch(new):
            raise RenameRefused(f"`{new}` is no name: it takes letters, digits and `_`, and no digit first")
        words = [new]
    for word in words:
        if word in RESERVED:
            raise RenameRefused(f"`{word}` is a word of the language")
    if (symbol.kind is SymbolKind.FUNCTION and new in WORDS) or (symbol.kind in _TYPES and new in TYPE_NAMES):
        raise RenameRefused(f"the language has a `{new}` itself")
    return new


# ---------------------------------------------------------------- the edits and what they must not change


class _Place(NamedTuple):
    """`span` counts from the start of the file."""

    path: str
    span: Span


class _Meaning(NamedTuple):
    """A name and what it stands for."""

    place: _Place
    kind: SymbolKind
    name: str
    origin: _Place | None
    is_declaration: bool
    is_write: bool


@dataclass(frozen=True, slots=True)
class _Change:
    """A name at `span` becomes `text`; in that the thing that is renamed stands at `new`.

    `other` is where another thing stands that the same name declared or named: in a pattern `r` becomes `r: radius`.
    """

    span: Span
    text: str
    new: Span
    other: Span


class _FileChanges:
    """The changes of one file, in the order of its text."""

    def __init__(self, checked: Checked, changes: Sequence[_Change]) -> None:
        self.checked = checked
        self.changes = changes

    @cached_property
    def text(self) -> str:
        parts, end = [], 0
        for change in self.changes:
            parts += [self.checked.file.text[end : change.span.start], change.text]
            end = change.span.end
        return "".join([*parts, self.checked.file.text[end:]])

    @cached_property
    def _shifts(self) -> list[int]:
        """How far the text is moved before each change, and behind the last one."""
        grown = (len(change.text) - (change.span.end - change.span.start) for change in self.changes)
        return list(accumulate(grown, initial=0))

    def moved(self, span: Span, *, is_renamed: bool) -> Span:
        """Where a name stands after the changes."""
        number = bisect_left(self.changes, span, key=lambda change: change.span)
        by = self._shifts[number]
        if number < len(self.changes) and self.changes[number].span == span:
            change = self.changes[number]
            return (change.new if is_renamed else change.other).shifted(span.start + by)
        return span.shifted(by)


class _Renaming:
    def __init__(self, view: View, symbol: Symbol, new: str, sources: Sources) -> None:
        self._view = view
        self._symbol = symbol
        self._new = new
        assert symbol.origin is not None, "only what is declared is renamed"
        self._origin = _place(view.checked, symbol.origin)
        self._sources = sources
        self._word = last_word(symbol.name)
        self._files = {c.file.path: _FileChanges(c, list(self._changes(c))) for c in files_naming(view, symbol)}

    def _changes(self, checked: Checked) -> Iterator[_Change]:
        old, new = self._symbol.name, self._new
        is_field = self._symbol.kind is SymbolKind.FIELD
        for found in occurrences_in(checked, self._symbol):
            shared = [r for r in references_in(checked, found.item) if r.span == found.reference.span]
            if len(shared) == 1:
                whole = Span(0, len(new))
                yield _Change(found.span, new, whole, whole)
            elif is_field:
                yield _Change(found.span, f"{new}: {old}", Span(0, len(new)), _after(new, old))
            else:
                yield _Change(found.span, f"{old}: {new}", _after(old, new), Span(0, len(old)))

    def edit(self) -> lsp.WorkspaceEdit:
        edits: dict[str, list[lsp.TextEdit]] = {}
        for path, file in self._files.items():
            lines = file.checked.file.lines
            for change in file.changes:
                range_ = convert.range_of(lines, change.span)
                edits.setdefault(self._view.uri_of(path), []).append(lsp.TextEdit(range_, change.text))
        return workspace_edit(self._view, edits)

    # ------------------------------------------------------------ the proof

    def check(self, cancelled: Callable[[], bool]) -> None:
        """Raises `RenameRefused` where the rename would change what a program means."""
        affected = [file for file in self._files.values() if self._is_affected(file)]
        for file in affected:
            self._refuse_stale(file.checked)
            self._refuse_unknown(file.checked)
        for file in affected:
            path = file.checked.file.path
            after = check_text(file.text, path, self._loader(path), self._sources.memo(path), cancelled)
            self._refuse_news(file.checked, after)
            self._refuse_other_meaning(file.checked, after)

    def _is_affected(self, file: _FileChanges) -> bool:
        """Whether the file has the old name or the new one; else what these mean is nothing to it."""
        words = self._word, last_word(self._new)
        return bool(file.changes) or any(word in file.checked.file.text for word in words)

    def _loader(self, path: str) -> Loader:
        """Gives the files as they would stand."""
        find = self._sources.loader(path)

        def load(package: str) -> tuple[str, bytes] | None:
            found = find(package)
            if found is None or found[0] not in self._files:
                return found
            return found[0], self._files[found[0]].text.encode("utf-8", "surrogatepass")

        return load

    def _refuse_stale(self, checked: Checked) -> None:
        """The edits are for the texts that were analysed, and these must be one state of the workspace."""
        for path, file in checked.files.items():
            changes = self._files.get(path)
            if changes is not None and (file.text != changes.checked.file.text or self._text_now(path) != file.text):
                raise RenameRefused(f"`{path}` has just changed: try again")

    def _text_now(self, path: str) -> str | None:
        document = self._view.documents.at(path)
        if document is not None:
            return document.text
        try:
            return parser.decode(Path(path).read_bytes(), path)[0]
        except OSError:
            return None

    def _refuse_unknown(self, checked: Checked) -> None:
        """Where something is wrong, and in scenes, a name may stand for what nobody knows."""
        for item in checked.file.items:
            offset = self._unknown(checked, item) if may_name(item, self._symbol) else None
            if offset is not None:
                place = self._line(checked, item.offset + offset)
                raise RenameRefused(f"it is not known what `{self._word}` stands for in {place}")

    def _unknown(self, checked: Checked, item: ParsedItem) -> int | None:
        """Where in an item the old name stands for nothing that is known."""
        # A local's uses are known even where their types are not.
        is_doubtful = checked.has_errors and self._symbol.kind not in _LOCALS
        if self._word not in item.text or not (is_doubtful or not item.is_whole or isinstance(item.node, syntax.Scene)):
            return None
        known = [reference.span for reference in references_in(checked, item)]
        known += _components(checked, item)
        places = (t.start for t in tokens(item.text) if t.kind is Kind.WORD and t.text == self._word)
        return next((place for place in places if not any(s.start <= place < s.end for s in known)), None)

    def _refuse_news(self, before: Checked, after: Checked) -> None:
        """Findings that were not there before."""
        news = Counter(d.code for d in after.diagnostics)
        news.subtract(d.code for d in before.diagnostics)
        known = {(d.code, d.message) for d in before.diagnostics}
        found = [d for d in after.diagnostics if news[d.code] > 0]
        # Of several the one that is news itself, and speaks of the name.
        found.sort(key=lambda d: ((d.code, d.message) in known, f"`{self._new}`" not in d.message))
        if found:
            place = self._line(after, after.file.absolute(found[0].origin).start)
            raise RenameRefused(f"as `{self._new}` it would be wrong: {found[0].message} ({found[0].code}, {place})")

    def _refuse_other_meaning(self, before: Checked, after: Checked) -> None:
        """Names that would stand for something else, and names of nothing that would stand for what is renamed."""
        same = _unchanged(before, after)
        expected, actual = {self._renamed(m) for m in _meanings(before, same)}, set(_meanings(after, same))
        origin = self._moved(self._origin, is_renamed=True)
        captured = {meaning for meaning in actual - expected if meaning.origin == origin}
        different = min((expected - actual) | captured, key=lambda meaning: meaning.place, default=None)
        if different is not None:
            place = self._line(after, different.place.span.start)
            raise RenameRefused(f"`{different.name}` in {place} would stand for something else")

    def _line(self, checked: Checked, offset: int) -> str:
        """A line of this file or another one, for people."""
        line, path = checked.file.lines.line(offset) + 1, checked.file.path
        return f"line {line}" if path == self._view.path else f"line {line} of `{Path(path).name}`"

    def _renamed(self, meaning: _Meaning) -> _Meaning:
        """What should be there after the rename."""
        is_renamed = meaning.origin == self._origin and meaning.kind is self._symbol.kind
        return meaning._replace(
            place=self._moved(meaning.place, is_renamed=is_renamed),
            name=self._new if is_renamed else meaning.name,
            origin=None if meaning.origin is None else self._moved(meaning.origin, is_renamed=is_renamed),
        )

    def _moved(self, place: _Place, *, is_renamed: bool) -> _Place:
        file = self._files.get(place.path)
        return place if file is None else _Place(place.path, file.moved(place.span, is_renamed=is_renamed))


def _components(checked: Checked, item: ParsedItem) -> list[Span]:
    """Names after dots that are known without being declared: the components of vectors."""
    types = checked.facts[item.key].types
    return [node.name.span for node in descendants(item.node) if isinstance(node, syntax.Member) and node.span in types]


def _unchanged(before: Checked, after: Checked) -> set[str]:
    """The items that rest on what they rested on before."""
    return {
        item.key
        for item in after.file.items
        if not isinstance(item.node, syntax.Scene)
        and item.key in before.facts
        and after.facts[item.key].rests_on_same(before.facts[item.key])
    }


def _meanings(checked: Checked, same: Set[str]) -> Iterator[_Meaning]:
    """What the names of a file stand for, but those of the items in `same`."""
    for item in checked.file.items:
        for reference in () if item.key in same else references_in(checked, item):
            symbol = reference.symbol
            yield _Meaning(
                _Place(checked.file.path, reference.span.shifted(item.offset)),
                symbol.kind,
                symbol.name,
                None if symbol.origin is None else _place(checked, symbol.origin),
                reference.is_declaration,
                reference.is_write,
            )


def _place(checked: Checked, origin: Origin) -> _Place:
    return _Place(origin.path, checked.files[origin.path].absolute(origin))


def _after(first: str, second: str) -> Span:
    """Where the second name stands in `first: second`."""
    start = len(first) + len(": ")
    return Span(start, start + len(second))
