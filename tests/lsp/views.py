"""Views of texts for tests of features, made without a server."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from lsprotocol import types as lsp

from kcheck.checker.check import check_text
from kcheck.checker.checked import Checked
from kcheck.grammar.spans import Span
from kcheck.lsp.documents import Document, Documents, uri_of
from kcheck.lsp.outcomes import Outcome
from kcheck.lsp.proofs import LawState
from kcheck.lsp.view import Traits, View

MAIN = "/files/main.kernel"
"""Where the text stands unless a test says otherwise."""
TRAITS = Traits(
    snippets=True,
    hierarchical_symbols=True,
    document_changes=True,
    related_information=True,
    resource_create=True,
    markdown=True,
)


class Marked:
    """A text whose `«marks»` are taken out; an empty mark is a place between two characters."""

    def __init__(self, text: str) -> None:
        self.text = ""
        self.marks: list[Span] = []
        starts: list[int] = []
        for character in text:
            if character == "«":
                starts.append(len(self.text))
            elif character == "»":
                self.marks.append(Span(starts.pop(), len(self.text)))
            else:
                self.text += character
        assert not starts, "a mark is not closed"
        self.marks.sort()


def view_of(
    text: str,
    others: Mapping[str, str] | None = None,
    *,
    path: str = MAIN,
    traits: Traits = TRAITS,
    laws: Mapping[str, Sequence[LawState]] | None = None,
    outcomes: Mapping[str, Sequence[Outcome]] | None = None,
) -> View:
    """A view of an open text; `others` are the other files of its workspace by path, as `/files/a/b.kernel` for the
    package `a.b`.  All of them are open."""
    texts = {path: text, **(others or {})}
    documents = Documents()
    for each, content in texts.items():
        documents.put(Document(uri_of(each), each, 1, content))

    def load(package: str) -> tuple[str, bytes] | None:
        place = f"/files/{package.replace('.', '/')}.kernel"
        return (place, texts[place].encode()) if place in texts else None

    every: dict[str, Checked] = {each: check_text(content, each, load) for each, content in texts.items()}
    return View(
        uri=uri_of(path),
        version=1,
        checked=every[path],
        laws=laws or {},
        outcomes=outcomes or {},
        documents=documents,
        every=every,
        traits=traits,
    )


def marked_view(
    text: str, others: Mapping[str, str] | None = None, *, path: str = MAIN, traits: Traits = TRAITS
) -> tuple[View, list[Span]]:
    """A view of a text, and its `«marks»`."""
    marked = Marked(text)
    return view_of(marked.text, others, path=path, traits=traits), marked.marks


def seen_from(view: View, path: str) -> View:
    """A view of another file of the same workspace."""
    return replace(view, uri=uri_of(path), checked=view.every[path])


def start_of(view: View, span: Span) -> lsp.Position:
    """The position at which a mark begins."""
    return view.range(span).start


def applied(text: str, edits: Sequence[lsp.TextEdit]) -> str:
    """A text after edits that do not overlap, as a client applies them."""
    view = view_of(text)
    for edit in sorted(edits, key=lambda e: (e.range.start.line, e.range.start.character), reverse=True):
        span = view.span(edit.range)
        text = text[: span.start] + edit.new_text + text[span.end :]
    return text
