"""The texts that a client has open, and those on disk."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from pathlib import Path
from threading import Lock

from lsprotocol import types as lsp
from pygls.uris import from_fs_path, to_fs_path, uri_scheme

from kcheck.grammar.spans import LineIndex, Position


@dataclass(frozen=True)
class Document:
    """One version of a text; `path` is where its file lies, or the URI itself where it is none."""

    uri: str
    path: str
    version: int
    text: str

    @cached_property
    def lines(self) -> LineIndex:
        return LineIndex(self.text)


def path_of(uri: str) -> str:
    """The path of a file's URI, links followed, so that each file has one; any other URI stands for itself."""
    path = written_path(uri)
    try:
        return uri if path is None else os.path.realpath(path)
    except ValueError:  # no file can be called that
        return uri


def written_path(uri: str) -> str | None:
    """The path of a file's URI as it is written."""
    try:
        # A `;` begins no parameters in the URIs of files.
        path = to_fs_path(uri.replace(";", "%3B")) if uri_scheme(uri) == "file" else None
    except ValueError:  # not the URI of anything
        return None
    return os.path.normpath(path) if path else None


def uri_of(path: str) -> str:
    """The other way round."""
    return (from_fs_path(path) or path) if os.path.isabs(path) else path


def is_file(path: str) -> bool:
    return os.path.isabs(path)


class Documents:
    """What is open; written by the event loop, read by the analyst's thread too."""

    def __init__(self) -> None:
        self._by_uri: dict[str, Document] = {}
        self._by_path: dict[str, Document] = {}
        self._links: list[tuple[Path, Path]] = []
        self._lock = Lock()

    def put(self, document: Document) -> None:
        with self._lock:
            self._by_uri[document.uri] = document
            self._by_path[document.path] = document

    def remove(self, uri: str) -> Document | None:
        with self._lock:
            document = self._by_uri.pop(uri, None)
            if document is not None:
                self._by_path.pop(document.path, None)
                # The same file may be open under another spelling of its URI.
                self._by_path.update((d.path, d) for d in self._by_uri.values() if d.path == document.path)
            return document

    def get(self, uri: str) -> Document | None:
        with self._lock:
            return self._by_uri.get(uri)

    def at(self, path: str) -> Document | None:
        """The open document of a file."""
        with self._lock:
            return self._by_path.get(path)

    def all(self) -> Sequence[Document]:
        with self._lock:
            return tuple(self._by_uri.values())

    def follow(self, folders: Iterable[str]) -> None:
        """These are the workspace's folders, as the client writes them."""
        links = [(Path(os.path.realpath(folder)), Path(folder)) for folder in folders]
        self._links = [(real, link) for real, link in links if real != link]

    def uri(self, path: str) -> str:
        """The URI of a path, as the client writes it where the file is open, or its folder."""
        document = self.at(path)
        if document is not None:
            return document.uri
        for real, link in self._links:
            if Path(path).is_relative_to(real):
                return uri_of(str(link / Path(path).relative_to(real)))
        return uri_of(path)

    def read(self, path: Path) -> bytes:
        """The contents of a file, as they stand in the editor where it is open; raises `OSError`."""
        document = self.at(os.path.realpath(path))
        return path.read_bytes() if document is None else document.text.encode("utf-8", "surrogatepass")


def changed(document: Document, version: int, changes: Sequence[lsp.TextDocumentContentChangeEvent]) -> Document:
    """The document after a client's changes, in their order; places outside the text count as its nearest ones."""
    text = document.text
    for change in changes:
        if isinstance(change, lsp.TextDocumentContentChangePartial):
            start, end = _offsets(LineIndex(text), change.range)
            text = text[:start] + change.text + text[end:]
        else:
            text = change.text
    return Document(document.uri, document.path, version, text)


def _offsets(lines: LineIndex, range_: lsp.Range) -> tuple[int, int]:
    start, end = sorted(lines.offset(Position(max(0, p.line), max(0, p.character))) for p in (range_.start, range_.end))
    return start, end


def kernel_files(folders: Iterable[Path], most: int, cancelled: Callable[[], bool]) -> list[Path]:
    """The `.kernel` files below folders, in no special order, hidden folders left out; at most so many.

    Pipes are none, for reading from one may never end.
    """
    found: list[Path] = []
    for place, names, files in chain.from_iterable(os.walk(folder) for folder in folders):
        if cancelled():
            break
        names[:] = [name for name in names if not name.startswith(".") and name != "node_modules"]
        for name in files:
            if len(found) == most:
                return found
            if name.endswith(".kernel") and os.path.isfile(path := Path(place, name)):
                found.append(path)
    return found
