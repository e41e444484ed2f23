"""What could be written in scenes: nodes and their kernels, what feeds them, and their settings."""

from __future__ import annotations

from collections.abc import Iterator

from lsprotocol import types as lsp

from kcheck.grammar import syntax
from kcheck.lsp import convert
from kcheck.lsp.features.cursor import Cursor, Frame, Inside
from kcheck.lsp.features.offers import Offers
from kcheck.lsp.features.snippets import Snippet
from kcheck.lsp.view import View

_ENTRIES = (
    Snippet("input", "input ${1:source}: ${2:Grid}<${3:Float}>;$0"),
    Snippet("param", "param ${1:amount}: Float = ${2:0.5} in ${3:0.0}..${4:1.0};$0"),
    Snippet("node", "node ${1:name}: ${2:package.kernel@1} {\n  $0\n}", detail="node name: kernel@1 { … }"),
    Snippet("output", "output ${1:result} <- $0;"),
)
_SETTINGS = (
    Snippet("domain", "domain = ${1:(64, 64)};", detail="the size of what the node runs for"),
    Snippet("times", "times = ${1:2};", detail="how often the node is placed, one behind the other"),
    Snippet("carry", "carry ${1:source} <- ${2:result};", detail="what the next placement takes from the one before"),
    Snippet("async", "async = true;", detail="readers take what the last run gave"),
    Snippet("awake", "awake = value(${1:source}, ${2:0});", detail="the node sleeps while this is 0"),
)


def offer(offers: Offers, cursor: Cursor) -> None:
    frame = cursor.frame
    words = frame.words
    if _wants_source(words):
        _sources(offers, cursor)
    elif frame.inside is Inside.NODE and not words:
        _settings(offers, cursor)
    elif not words:
        for snippet in _ENTRIES:
            offers.snippet(snippet)
    elif words[0] == "node" and ":" in words:
        _kernels(offers, cursor)


def _wants_source(words: list[str]) -> bool:
    """Whether a source is being written: behind an arrow or `from`, also when its node and dot are there already."""
    begun = words[:-2] if words[-1:] == ["."] else words
    return begun[-1:] in (["from"], ["<~"]) or begun[-2:] == ["<", "-"]


def _kernels(offers: Offers, cursor: Cursor) -> None:
    pieces = cursor.frame.pieces
    start = next(piece.end for piece in pieces if piece.text == ":")
    written = [piece for piece in pieces if piece.start >= start]
    first = written[0].start if written else cursor.prefix.start
    range_ = lsp.Range(convert.position(offers.view.lines, first), offers.range.end)
    for node in _known(offers.view):
        name = node.name.text
        offers.add(name, lsp.CompletionItemKind.Module, doc=node.doc, word=name, range_=range_)


def _known(view: View) -> Iterator[syntax.Kernel]:
    """The kernels of the file and of those that it uses."""
    for file in view.checked.files.values():
        for item in file.items:
            if isinstance(item.node, syntax.Kernel):
                yield item.node


def _sources(offers: Offers, cursor: Cursor) -> None:
    """The inputs of the scene, and the outputs of its nodes."""
    scene = None if cursor.item is None else cursor.item.node
    is_begun = cursor.before is not None and cursor.before.text == "."
    first = cursor.frame.pieces[-2].start if is_begun else cursor.prefix.start
    range_ = lsp.Range(convert.position(offers.view.lines, first), offers.range.end)
    kernels = {node.name.text: node for node in _known(offers.view)}
    for entry in scene.entries if isinstance(scene, syntax.Scene) else ():
        if isinstance(entry, syntax.Port):
            offers.add(entry.name.text, lsp.CompletionItemKind.Field, range_=range_)
        elif isinstance(entry, syntax.SceneNode):
            kernel = kernels.get(entry.kernel.text)
            for name in _ports(kernel, syntax.PortKind.OUTPUT, syntax.PortKind.MEMORY):
                label = f"{entry.name.text}.{name}"
                offers.add(label, lsp.CompletionItemKind.Field, word=label, range_=range_)


def _ports(kernel: syntax.Kernel | None, *kinds: syntax.PortKind) -> list[str]:
    members = kernel.members if kernel is not None else ()
    return [member.name.text for member in members if isinstance(member, syntax.Port) and member.kind in kinds]


def _settings(offers: Offers, cursor: Cursor) -> None:
    """The ports and params of the node's kernel that are not bound yet, and the options."""
    frame = cursor.frame
    given = {part[0].text for part in frame.done}
    name = _kernel_name(cursor, frame)
    kernel = next((node for node in _known(offers.view) if node.name.text == name), None)
    for port in _ports(kernel, syntax.PortKind.INPUT, syntax.PortKind.MEMORY):
        if port not in given:
            offers.add(port, lsp.CompletionItemKind.Field, f"{port} <- $0;", rank=1, word=port)
    for member in kernel.members if kernel is not None else ():
        if isinstance(member, syntax.Param) and member.name.text not in given:
            param = member.name.text
            offers.add(param, lsp.CompletionItemKind.Property, f"{param} = $0;", rank=2, word=param)
    for snippet in _SETTINGS:
        if snippet.word not in given or snippet.word == "carry":
            offers.snippet(snippet)


def _kernel_name(cursor: Cursor, frame: Frame) -> str:
    """What stands between the colon and the brace of a node."""
    start = next((piece.end for piece in frame.head if piece.text == ":"), frame.start)
    return cursor.text(start, frame.start).strip()
