"""Links to the files that a text names: packages after `use`, and data in examples."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from lsprotocol import types as lsp

from kcheck.checker.check import Loader
from kcheck.grammar import syntax
from kcheck.grammar.source import ParsedItem
from kcheck.grammar.walk import descendants
from kcheck.lsp.documents import is_file, uri_of
from kcheck.lsp.view import View


def document_links(view: View, loader: Loader) -> list[lsp.DocumentLink]:
    return [link for item in view.file.items for link in _links(view, item, loader)]


def _links(view: View, item: ParsedItem, loader: Loader) -> Iterator[lsp.DocumentLink]:
    match item.node:
        case syntax.Use(path=path):
            found = loader(path.text)
            if found is not None:
                yield lsp.DocumentLink(view.range_in(item, path.span), view.uri_of(found[0]), "open the package")
        case syntax.Kernel() | syntax.Scene():
            if is_file(view.path):
                for node in descendants(item.node):
                    if isinstance(node, syntax.Call) and _name(node.callee) == "file" and node.args:
                        yield from _file_link(view, item, node.args[0])
        case _:
            pass


def _file_link(view: View, item: ParsedItem, node: syntax.Expr) -> Iterator[lsp.DocumentLink]:
    if not isinstance(node, syntax.StringLiteral):
        return
    written = Path(view.path).parent / node.value
    # What follows a colon names a column, a channel or an array in the file.
    places = (written, Path(str(written).rpartition(":")[0] or written))
    found = next((place for place in places if place.is_file()), None)
    if found is not None:
        yield lsp.DocumentLink(view.range_in(item, node.span), uri_of(os.path.normpath(found)), "open the file")


def _name(node: syntax.Expr) -> str:
    return node.name.text if isinstance(node, syntax.NameRef) else ""
