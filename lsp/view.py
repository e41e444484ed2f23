"""What a feature sees: one version of a file with all that is known of it, and the files around it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from lsprotocol import types as lsp

from kcheck.checker.checked import Checked
from kcheck.grammar.source import ParsedItem, SourceFile
from kcheck.grammar.spans import LineIndex, Origin, Span
from kcheck.lsp import convert
from kcheck.lsp.documents import Documents
from kcheck.lsp.outcomes import Outcome
from kcheck.lsp.proofs import LawState


@dataclass(frozen=True)
class Traits:
    """What the client can show."""

    snippets: bool = False
    hierarchical_symbols: bool = False
    document_changes: bool = False
    related_information: bool = False
    resource_create: bool = False
    markdown: bool = True
    markdown_in_items: bool = True
    markdown_in_signatures: bool = True
    pictures: bool = False
    """Whether Markdown may hold pictures."""


@dataclass(frozen=True)
class View:
    """A file as it was last analysed; it never changes.

    `laws` has the states of the merge laws by kernel; `checked` the findings on them too, as far as they are known.
    """

    uri: str
    version: int | None
    checked: Checked
    laws: Mapping[str, Sequence[LawState]]
    outcomes: Mapping[str, Sequence[Outcome]]
    """What came of runs, by kernel, the latest last."""
    documents: Documents
    every: Mapping[str, Checked]
    """The last analysis of every file of the workspace, by path."""
    traits: Traits = Traits()
    paths: Collection[str] = ()
    """The files of the workspace, those too that are still to be analysed."""

    @property
    def path(self) -> str:
        return self.file.path

    @property
    def file(self) -> SourceFile:
        return self.checked.file

    @property
    def text(self) -> str:
        return self.file.text

    @property
    def lines(self) -> LineIndex:
        return self.file.lines

    # ------------------------------------------------------------ places

    def offset(self, position: lsp.Position) -> int:
        return convert.offset_of(self.lines, position)

    def range(self, span: Span) -> lsp.Range:
        """The range of a span that counts from the start of the file."""
        return convert.range_of(self.lines, span)

    def span(self, range_: lsp.Range) -> Span:
        return Span(self.offset(range_.start), self.offset(range_.end))

    def item_at(self, offset: int) -> ParsedItem | None:
        """The item that a position lies in, or touches at its end."""
        return next((i for i in self.file.items if i.offset <= offset <= i.offset + len(i.text)), None)

    def range_in(self, item: ParsedItem, span: Span) -> lsp.Range:
        return self.range(span.shifted(item.offset))

    def location(self, origin: Origin) -> lsp.Location | None:
        """Where something is, in this or another file; None where that file is not known."""
        file = self.source(origin.path)
        if file is None:
            return None
        return lsp.Location(self.uri_of(origin.path), convert.range_of(file.lines, file.absolute(origin)))

    def source(self, path: str) -> SourceFile | None:
        if path == self.path:
            return self.file
        known = self.checked.files.get(path)
        if known is not None:
            return known
        other = self.every.get(path)
        return None if other is None else other.file

    def uri_of(self, path: str) -> str:
        return self.uri if path == self.path else self.documents.uri(path)

    def users(self, path: str) -> Iterator[Checked]:
        """The files in which a declaration of the file at `path` may be named: itself, and those that use it."""
        for checked in self.every.values():
            if checked.file.path == path or path in checked.files:
                yield checked
