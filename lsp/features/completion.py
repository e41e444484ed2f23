"""What could be written at a position.

What stands before the cursor decides which names are offered; of values those that fit the type that is wanted come
first.  The text may be broken: only its tokens and what was known of the rest are looked at.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from pathlib import Path

from lsprotocol import types as lsp

from kcheck.checker import types
from kcheck.checker.facts import SymbolKind
from kcheck.checker.facts.words import EXAMPLE_WORDS, PERMISSIONS
from kcheck.grammar import syntax
from kcheck.lsp import convert
from kcheck.lsp.documents import is_file
from kcheck.lsp.features import code_offers, example_entries, packages, scene_offers, snippets
from kcheck.lsp.features.cursor import Cursor, Inside, InString, cursor_at, wants_type
from kcheck.lsp.features.expectation import expected_type
from kcheck.lsp.features.offers import Offers
from kcheck.lsp.features.snippets import Ports
from kcheck.lsp.features.words import TYPES, WORDS
from kcheck.lsp.view import View

_DOTTED = frozenset({Inside.REQUIRES, Inside.SCENE, Inside.NODE})
"""Where a dot stands in a name and not behind a value."""
_MOST_FILES = 1000
"""So many files of a folder are offered."""


def completion(view: View, position: lsp.Position, places: Sequence[Path]) -> lsp.CompletionList:
    """What could stand at a position; `places` are the folders below which packages lie."""
    cursor = cursor_at(view, view.offset(position))
    if isinstance(cursor, Cursor):
        offers = Offers(view, view.range(cursor.prefix))
        if not cursor.is_in_number:
            _offer(offers, cursor, places)
    else:
        offers = Offers(view, lsp.Range(position, position))
        if isinstance(cursor, InString) and cursor.call == "file":
            _files(offers, cursor)
    return lsp.CompletionList(offers.is_incomplete, offers.items)


def _offer(offers: Offers, cursor: Cursor, places: Sequence[Path]) -> None:
    frame, before = cursor.frame, cursor.before
    words = frame.words
    if words[:1] == ["use"] and frame.inside is Inside.FILE:
        _packages(offers, cursor, places)
    elif wants_type(frame):
        _types(offers, cursor, places)
    elif before is not None and before.text == "." and frame.inside not in _DOTTED:
        code_offers.members(offers, cursor)
    else:
        match frame.inside:
            case Inside.FILE:
                _file(offers, cursor, places)
            case Inside.KERNEL:
                _kernel(offers, cursor, places)
            case Inside.REQUIRES:
                _permissions(offers, cursor)
            case Inside.EXAMPLE:
                _example(offers, cursor)
            case Inside.SCENE | Inside.NODE:
                scene_offers.offer(offers, cursor)
            case Inside.FIELDS | Inside.VARIANTS | Inside.PARAMETERS | Inside.SIDES:
                pass
            case Inside.MATCH if "=>" not in words:
                code_offers.arms(offers, cursor)
            case Inside.VALUE | Inside.RECORD if len(words) < 2:
                code_offers.fields(offers, cursor)
            case _ if cursor.nearest(Inside.EXAMPLE) is not None:
                _example_value(offers, cursor)
            case _:
                code_offers.code(offers, cursor, places)


# ---------------------------------------------------------------- files and packages


def _files(offers: Offers, cursor: InString) -> None:
    """The files beside the source, folder by folder."""
    if not is_file(offers.view.path):
        return
    folder, _, name = cursor.written.rpartition("/")
    start = convert.position(offers.view.lines, cursor.start + len(cursor.written) - len(name))
    range_ = lsp.Range(start, offers.range.end)
    try:
        found = sorted(islice((Path(offers.view.path).parent / folder).iterdir(), _MOST_FILES))
    except (OSError, ValueError):  # no such folder, no name of one, or not ours to read
        return
    for path in found:
        if path.name.startswith(".") and not name.startswith("."):
            continue
        if path.is_dir():
            offers.add(f"{path.name}/", lsp.CompletionItemKind.Folder, rank=6, range_=range_)
        elif path.suffix != ".kernel":
            offers.add(path.name, lsp.CompletionItemKind.File, range_=range_)


def _packages(offers: Offers, cursor: Cursor, places: Sequence[Path]) -> None:
    written = cursor.frame.pieces[1:]
    start = written[0].start if written else cursor.prefix.start
    range_ = lsp.Range(convert.position(offers.view.lines, start), offers.range.end)
    used = packages.used(offers.view)
    for path, name in packages.names(offers.view, places).items():
        if path != offers.view.path and name not in used:
            offers.add(name, lsp.CompletionItemKind.Module, f"{name};", word=name, range_=range_)


# ---------------------------------------------------------------- declarations


def _file(offers: Offers, cursor: Cursor, places: Sequence[Path]) -> None:
    if not cursor.frame.pieces or cursor.starts_line:
        for snippet in snippets.ITEMS:
            offers.snippet(snippet)
        offers.add("use", lsp.CompletionItemKind.Keyword, "use $0;", detail=WORDS["use"].form)
    elif "=" in cursor.frame.words:
        code_offers.values(offers, cursor, places)


def _types(offers: Offers, cursor: Cursor, places: Sequence[Path]) -> None:
    frame = cursor.frame
    first = frame.pieces[0].text if frame.pieces else ""
    is_port = frame.inside in (Inside.KERNEL, Inside.SCENE) and first in ("input", "output", "memory")
    if is_port:
        for name in ("Rows", "Grid", "Volume"):
            offers.add(name, lsp.CompletionItemKind.TypeParameter, f"{name}<${{1:Float}}>", doc=TYPES[name])
        offers.add("Image", lsp.CompletionItemKind.TypeParameter, doc=TYPES["Image"])
        return
    for symbol in cursor.names.types.values():
        if symbol.kind is not SymbolKind.TYPE:
            offers.symbols([symbol], rank=4)
        elif not isinstance(symbol.type, types.Field) and symbol.type is not None:
            offers.add(symbol.name, lsp.CompletionItemKind.TypeParameter, doc=TYPES[symbol.name])
    offers.add("[T; N]", lsp.CompletionItemKind.TypeParameter, "[${1:Float}; ${2:4}]", detail="an array", word="array")
    code_offers.importable(offers, cursor, places, frozenset({SymbolKind.STRUCT, SymbolKind.ENUM}))


def _kernel(offers: Offers, cursor: Cursor, places: Sequence[Path]) -> None:
    ports = snippets.ports_of(cursor.names.values)
    words, before = cursor.frame.words, cursor.before
    if before is None or (cursor.starts_line and before.ends_value):
        _kernel_members(offers, cursor, ports)
    elif words == ["compute"]:
        offers.words(["over"])
    elif words[-1] in ("over", "into"):
        offers.symbols(ports.inputs)
    elif words[0] in ("scan", "scatter", "prefix") and "=" not in words:
        offers.words(_head_words(words, ports))
    elif (words[0] == "param" and words[-1] in ("=", "in", "..")) or words[-1:] == ["group"]:
        code_offers.values(offers, cursor, places)
    elif words[0] == "param" and "in" not in words and len(words) > 3:
        offers.words(["in"])
    elif "=" in words:
        code_offers.values(offers, cursor, places)


def _head_words(words: Sequence[str], ports: Ports) -> list[str]:
    """What may follow in the header of a scan, scatter or prefix."""
    match list(words):
        case [_]:
            return ["over"]
        case ["scatter", "over", _]:
            return ["into"]
        case ["scan" | "prefix", "over", _] | ["scatter", "over", _, "into", _]:
            return ["with"]
        case ["scatter", "over", _, "into", _, "with"]:
            return ["sum", "min", "max", "last"]
        case ["prefix", "over", _, "with"]:
            has_floats = ports.result is not None and types.contains(ports.result.element, types.FLOAT)
            return ["min", "max"] if has_floats else ["sum", "min", "max"]
        case _:
            return []


def _kernel_members(offers: Offers, cursor: Cursor, ports: Ports) -> None:
    """What a kernel lacks, and what it may have more of."""
    present = [part[0].text for part in cursor.frame.done]
    members = (
        cursor.item.node.members if cursor.item is not None and isinstance(cursor.item.node, syntax.Kernel) else ()
    )
    has_body = any(isinstance(member, syntax.Body) for member in members)
    has_merge = "merge" in present or any(isinstance(member, syntax.Merge) for member in members)
    if "requires" not in present and not any(isinstance(member, syntax.Requires) for member in members):
        offers.snippet(snippets.requires(ports), rank=1)
    for snippet in snippets.declarations(ports):
        offers.snippet(snippet, rank=4)
    if not has_body:
        for snippet in snippets.bodies(ports, cursor.names.types):
            offers.snippet(snippet, rank=3)
    if any(isinstance(member, syntax.ReductionBody) for member in members) and not has_merge:
        offers.snippet(snippets.merge(ports), rank=1)
    offers.snippet(example_entries.whole(cursor, ports), rank=4)


def _permissions(offers: Offers, cursor: Cursor) -> None:
    given = {"".join(piece.text for piece in part) for part in cursor.frame.done}
    pieces = cursor.frame.pieces
    range_ = None
    # What an editor completes lies in one line; before a `;` that is missing the pieces may go on from another.
    if pieces and "\n" not in offers.view.text[pieces[0].start : cursor.prefix.end]:
        range_ = lsp.Range(convert.position(offers.view.lines, pieces[0].start), offers.range.end)
    for name, doc in PERMISSIONS.items():
        if name not in given:
            offers.add(name, lsp.CompletionItemKind.Value, f"{name};", doc=doc, word=name, range_=range_)


# ---------------------------------------------------------------- examples


def _example(offers: Offers, cursor: Cursor) -> None:
    ports = snippets.ports_of(cursor.names.values)
    words = cursor.frame.words
    if not words:
        for snippet, rank in example_entries.entries(cursor, ports):
            offers.snippet(snippet, rank)
    elif words == ["expect"]:
        for snippet in example_entries.expectations(cursor, ports, after_word=True):
            offers.snippet(snippet)
    elif words == ["param"]:
        offers.symbols(ports.params)
    elif words[-1] == "=":
        _example_value(offers, cursor)


def _example_value(offers: Offers, cursor: Cursor) -> None:
    """A value in an example; whole fields are made by words of their own."""
    wanted = expected_type(cursor)
    value = lsp.CompletionItemKind.Value
    if isinstance(wanted, types.Field):
        shape = example_entries.shape(cursor, wanted)
        offers.add("[…]", value, snippets.place(1, snippets.example_value(wanted, shape)), rank=1)
        is_whole = cursor.frame.inside is Inside.EXAMPLE
        for name, text in example_entries.generators(wanted, shape) if is_whole else ():
            detail, doc = EXAMPLE_WORDS[name]
            offers.add(name, lsp.CompletionItemKind.Function, text, detail=detail, doc=doc, rank=2)
    if isinstance(wanted, types.Struct):
        offers.add("{…}", value, snippets.place(1, snippets.plain_value(wanted)), detail=wanted.name, rank=1)
    code_offers.variants(offers, wanted)
    for name in ("NaN", "Infinity"):
        offers.add(name, value, doc=EXAMPLE_WORDS[name][1], rank=6)
    offers.words(["true", "false"], rank=6)
    offers.symbols((s for s in cursor.names.values.values() if s.kind is SymbolKind.CONST), rank=6)
