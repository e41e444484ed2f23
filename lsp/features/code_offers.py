"""What could be written in code: members, fields, arms, statements and values; those that fit come first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from lsprotocol import types as lsp

from kcheck.checker import types
from kcheck.checker.builtins import BY_NAME, CONSTRUCTORS
from kcheck.checker.facts import Names, Symbol, SymbolKind
from kcheck.checker.lower.fixes import zero
from kcheck.grammar import syntax
from kcheck.lsp.features import packages, snippets
from kcheck.lsp.features.cursor import Cursor, Frame, Inside
from kcheck.lsp.features.expectation import chain, expected_outside, expected_type, fields_of
from kcheck.lsp.features.forms import Form, forms
from kcheck.lsp.features.inference import AnyType, type_of_text, word_type
from kcheck.lsp.features.offers import KINDS, Offers
from kcheck.lsp.features.signature import rank_of

_PORT_WORDS = frozenset({"sample", "at", "put", "size", "extent"})
"""What takes a port by name."""


# ---------------------------------------------------------------- parts of values


def members(offers: Offers, cursor: Cursor) -> None:
    """What stands after a `.`."""
    pieces = chain(cursor.frame.pieces)
    if not pieces:
        return
    text = cursor.text(pieces[0].start, pieces[-1].end)
    names = cursor.names
    enum = names.types.get(text)
    if text not in names.values and enum is not None and isinstance(enum.type, types.Enum):
        for variant in enum.type.variants:
            offers.add(
                variant.name,
                lsp.CompletionItemKind.EnumMember,
                snippets.made(variant.name, variant.fields),
                detail=text,
            )
        return
    type_ = type_of_text(text, names, rank_of(cursor))
    wanted = expected_type(cursor, before=cursor.frame.pieces[: -len(pieces) - 1])
    match type_:
        case types.Struct():
            for each in type_.fields:
                offers.add(
                    each.name,
                    lsp.CompletionItemKind.Field,
                    detail=f"{each.name}: {each.type}",
                    rank=_rank(each.type, wanted),
                )
        case types.Vec():
            for name in _swizzles(type_.size):
                made = types.FLOAT if len(name) == 1 else types.Vec(len(name))
                offers.add(name, lsp.CompletionItemKind.Property, detail=str(made), rank=_rank(made, wanted))
        case _:
            pass


def _rank(found: AnyType | None, wanted: AnyType | None) -> int:
    return 1 if wanted is not None and found == wanted else 5


def _swizzles(size: int) -> Iterator[str]:
    """The components, and the first ones together."""
    for letters in ("xyzw", "rgba"):
        yield from letters[:size]
        yield from (letters[:length] for length in range(2, size + 1))


def fields(offers: Offers, cursor: Cursor) -> None:
    """The fields that a struct value, or the outputs that a record, lacks."""
    frame = cursor.frame
    given = {part[0].text for part in frame.done}
    lacking = [each for each in _fields_wanted(cursor, frame) if each.name not in given]
    for each in lacking:
        detail = f"{each.name}: {each.type}"
        offers.add(each.name, lsp.CompletionItemKind.Field, f"{each.name}: ", detail=detail, rank=1, word=each.name)
    if len(lacking) > 1:
        names, text = ", ".join(each.name for each in lacking), snippets.fields(lacking)
        offers.add("all fields", lsp.CompletionItemKind.Snippet, text, detail=names, rank=0, word=lacking[0].name)


def _fields_wanted(cursor: Cursor, frame: Frame) -> Sequence[types.FieldOf]:
    if frame.inside is not Inside.RECORD:
        return fields_of(frame, cursor.names)
    if cursor.nearest(Inside.EXAMPLE) is not None:
        wanted = expected_outside(cursor)
        return wanted.fields if isinstance(wanted, types.Struct) else ()
    return outputs(cursor)


def outputs(cursor: Cursor) -> Sequence[types.FieldOf]:
    """The outputs of the kernel around, as the fields of a record."""
    found = [(symbol.name, snippets.field_of(symbol)) for symbol in snippets.ports_of(cursor.names.values).outputs]
    return [types.FieldOf(name, type_.element) for name, type_ in found if type_ is not None]


def arms(offers: Offers, cursor: Cursor) -> None:
    """The patterns that a match lacks."""
    frame = cursor.frame
    subject = cursor.subject(frame, cursor.names)
    given = {piece.text for part in (*frame.done, tuple(frame.pieces)) for piece in part if piece.is_word}
    patterns: list[tuple[str, str]] = []
    match subject:
        case types.Enum():
            for variant in subject.variants:
                bound = ", ".join(each.name for each in variant.fields)
                patterns.append((variant.name, f"{variant.name} {{ {bound} }}" if bound else variant.name))
        case types.Scalar.BOOL:
            patterns = [("true", "true"), ("false", "false")]
        case _:
            pass
    missing = [pattern for name, pattern in patterns if name not in given]
    for pattern in missing:
        word = pattern.partition(" ")[0]
        offers.add(pattern, lsp.CompletionItemKind.EnumMember, f"{snippets.escaped(pattern)} => $0,", word=word)
    if len(missing) > 1:
        text = "\n".join(f"{snippets.escaped(pattern)} => ${i + 1}," for i, pattern in enumerate(missing))
        offers.add("all arms", lsp.CompletionItemKind.Snippet, text, detail=", ".join(missing), rank=1, word=missing[0])
    if "_" not in given:
        offers.add("_", lsp.CompletionItemKind.Keyword, "_ => $0,", detail="all other values", rank=6)


# ---------------------------------------------------------------- code


def code(offers: Offers, cursor: Cursor, places: Sequence[Path]) -> None:
    before = cursor.before
    is_statement = cursor.frame.inside is Inside.CODE and (before is None or _follows_statement(cursor))
    if before is not None and before.text in ("let", "var", "for", "fn"):
        return  # a new name
    if before is not None and before.ends_value:
        offers.words(_between(cursor))
        if not is_statement:
            return
    if before is not None and before.text == "else":
        offers.words(["if"], rank=1)
    elif _takes_port(cursor.frame):
        _port_names(offers, cursor)
    else:
        if is_statement:
            _parts_of_results(offers, cursor)
        for snippet in snippets.STATEMENTS if is_statement else snippets.VALUES:
            offers.snippet(snippet, rank=4 if is_statement else 7)
        values(offers, cursor, places)


def _follows_statement(cursor: Cursor) -> bool:
    """Whether a new line begins behind what may be a whole statement but for its semicolon."""
    return cursor.starts_line and cursor.before is not None and cursor.before.ends_value


def _parts_of_results(offers: Offers, cursor: Cursor) -> None:
    """What a brace may begin that opens no block: the start value of a scan, or a record of outputs."""
    frame = cursor.frame
    head = frame.head[0].text if frame.head else ""
    if frame.is_begun:
        return
    if head == "scan" and fields_of(frame, cursor.names):
        fields(offers, cursor)
    if not head and len(outputs(cursor)) > 1:
        for each in outputs(cursor):
            offers.add(each.name, lsp.CompletionItemKind.Field, f"{each.name}: ", rank=2, word=each.name)
    if head in ("compute", "group") and len(outputs(cursor)) > 1:
        text = f"{{ {snippets.fields(outputs(cursor))} }}"
        offers.add("{ outputs }", lsp.CompletionItemKind.Snippet, text, rank=2, word=outputs(cursor)[0].name)


def _between(cursor: Cursor) -> list[str]:
    """The words that may follow a value."""
    words = cursor.frame.words
    if words[:1] == ["for"] and len(words) == 2:
        return ["in"]
    if words[:1] in (["for"], ["loop"]) and "until" not in words:
        return ["until"]
    last = cursor.frame.pieces[-1]
    return ["else"] if last.is_group and last.text == "{" and "if" in words else []


def values(offers: Offers, cursor: Cursor, places: Sequence[Path]) -> None:
    frame, names = cursor.frame, cursor.names
    wanted = expected_type(cursor)
    is_constant = frame.inside in (Inside.FILE, Inside.KERNEL) or cursor.nearest(Inside.CODE, Inside.MATCH) is None
    _named_values(offers, cursor, names, wanted, is_constant=is_constant)
    _structs(offers, names, wanted)
    _functions(offers, cursor, names, wanted, is_constant=is_constant)
    offers.words(["true", "false"], rank=1 if wanted is types.BOOL else 7)
    variants(offers, wanted)
    kinds = {SymbolKind.CONST} if is_constant else {SymbolKind.CONST, SymbolKind.FUNCTION, SymbolKind.STRUCT}
    importable(offers, cursor, places, frozenset(kinds))


def _takes_port(frame: Frame) -> bool:
    return frame.inside is Inside.CALL and frame.name in _PORT_WORDS and frame.number == 0 and not frame.pieces


def _port_names(offers: Offers, cursor: Cursor) -> None:
    """The ports that a word can read or write."""
    ports, word = snippets.ports_of(cursor.names.values), cursor.frame.name
    inputs = [] if word == "put" else ports.inputs
    memories = [] if word in ("sample", "extent") else ports.memories
    offers.symbols([*inputs, *memories], rank=1)


_CONSTANT = frozenset({SymbolKind.CONST, SymbolKind.VARIANT})
_LOCALS = frozenset({SymbolKind.LOCAL, SymbolKind.PARAMETER})
_PORTS = frozenset({SymbolKind.INPUT, SymbolKind.MEMORY})


def _named_values(offers: Offers, cursor: Cursor, names: Names, wanted: AnyType | None, *, is_constant: bool) -> None:
    rank, unfinished = rank_of(cursor), _unfinished(cursor)
    unseen = {SymbolKind.OUTPUT, *(_PORTS if _in_merge(cursor) else ())}
    for symbol in names.values.values():
        kind = symbol.kind
        if symbol.name in unfinished and kind is SymbolKind.LOCAL:
            continue
        if kind in unseen or (is_constant and kind not in _CONSTANT):
            continue
        if kind in _PORTS:
            _read(offers, symbol, rank, wanted)
        elif kind is SymbolKind.VARIANT:
            if symbol.type != wanted:  # else it comes with its fields
                offers.symbols([symbol], rank=7)
        else:
            fits = _rank(symbol.type, wanted)
            offers.symbols([symbol], rank=min(fits, 3 if kind in _LOCALS else 4))


def _unfinished(cursor: Cursor) -> set[str]:
    """What the statements around the cursor are about to declare, and what these broken ones only seem to."""
    starts = [
        frame.words[1] for frame in cursor.frames if frame.words[:1] in (["let"], ["var"]) and len(frame.words) > 1
    ]
    unknown = {symbol.name for symbol in cursor.names.values.values() if symbol.type is None}
    return {*starts, *(unknown & cursor.names.types.keys())}


def _read(offers: Offers, symbol: Symbol, rank: int, wanted: AnyType | None) -> None:
    """An element of a port."""
    type_ = snippets.field_of(symbol)
    is_sampled = symbol.kind is SymbolKind.INPUT and (type_ is None or type_.rank == rank)
    label = f"sample({symbol.name})" if is_sampled else f"at({symbol.name}, …)"
    text = "" if is_sampled else f"at({symbol.name}, {snippets.place(1, _address(type_, rank))})$0"
    fits = 2 if type_ is not None and type_.element == wanted else 4
    offers.add(label, KINDS[symbol.kind], text, detail=symbol.detail, doc=symbol.doc, rank=fits, word=symbol.name)


def _address(type_: types.Field | None, rank: int) -> str:
    """An address to start from: this run's own where the port has as many axes as the domain."""
    if type_ is None or type_.rank == 1:
        return "index()"
    return "coord()" if type_.rank == rank else zero(types.address_type(type_.rank))


def variants(offers: Offers, wanted: AnyType | None) -> None:
    """The variants of the enum that is wanted, with their fields."""
    if isinstance(wanted, types.Enum):
        for variant in wanted.variants:
            text = snippets.made(variant.name, variant.fields)
            offers.add(variant.name, lsp.CompletionItemKind.EnumMember, text, detail=wanted.name, rank=1)


def _structs(offers: Offers, names: Names, wanted: AnyType | None) -> None:
    """Values of structs with all their fields, and enums to choose a variant of."""
    for symbol in names.types.values():
        if isinstance(symbol.type, types.Struct):
            text = snippets.made(symbol.name, symbol.type.fields)
            rank = 2 if symbol.type == wanted else 6
            offers.add(
                f"{symbol.name} {{…}}", KINDS[symbol.kind], text, detail=symbol.detail, rank=rank, word=symbol.name
            )
        elif isinstance(symbol.type, types.Enum):
            offers.symbols([symbol], rank=6)


def _functions(offers: Offers, cursor: Cursor, names: Names, wanted: AnyType | None, *, is_constant: bool) -> None:
    refused = _refused_words(cursor)
    view, rank = offers.view, rank_of(cursor)
    is_called = view.text[cursor.offset : cursor.offset + 1] == "("
    at_start = cursor.frame.inside is Inside.CODE and (not cursor.frame.pieces or _follows_statement(cursor))
    for symbol in names.functions.values():
        is_own = symbol.origin is not None
        acts = symbol.name in ("put", "emit") and not is_own
        if symbol.name in refused or (acts and not at_start) or (is_constant and (is_own or symbol.name not in _PURE)):
            continue
        found = forms(view, symbol, names)
        fits = wanted is not None and _gives(symbol, found, wanted, rank)
        text = symbol.name if is_called else _call(found, wanted, ";" if acts else "")
        detail = symbol.detail if is_own or symbol.name in BY_NAME else found[0].label
        order = (2 if is_own else 3) if fits else 5
        offers.add(symbol.name, KINDS[symbol.kind], text, detail=detail, doc=symbol.doc, rank=order)


_PURE = BY_NAME.keys() | CONSTRUCTORS.keys()
"""What constants may call."""
_OUTSIDE_MERGES = frozenset({"sample", "at", "size", "extent", "index", "coord", "place", "domain"})
_ONLY_IN: dict[type[syntax.Body], frozenset[str]] = {
    syntax.GroupBody: frozenset({"lane", "group", "exchange"}),
    syntax.ScanBody: frozenset({"put"}),
    syntax.ScatterBody: frozenset({"emit"}),
}


def _refused_words(cursor: Cursor) -> frozenset[str]:
    """What the mode of the kernel around does not have."""
    node = cursor.item.node if cursor.item is not None else None
    members = node.members if isinstance(node, syntax.Kernel) else ()
    body = next((member for member in members if isinstance(member, syntax.Body)), None)
    refused = [words for mode, words in _ONLY_IN.items() if body is not None and not isinstance(body, mode)]
    return frozenset().union(*refused, _OUTSIDE_MERGES if _in_merge(cursor) else ())


def _in_merge(cursor: Cursor) -> bool:
    """Whether the cursor stands in a merge, which sees no port and no place."""
    return any(frame.head and frame.head[0].text == "merge" for frame in cursor.frames)


def _gives(symbol: Symbol, found: Sequence[Form], wanted: AnyType, rank: int) -> bool:
    if symbol.origin is not None:
        return symbol.type == wanted
    return any(form.result == str(wanted) for form in found) or word_type(symbol.name, (), rank) == wanted


def _call(found: Sequence[Form], wanted: AnyType | None, end: str) -> str:
    """A call of the form that gives what is wanted, else of the shortest."""
    form = next((form for form in found if wanted is not None and form.result == str(wanted)), found[0])
    arguments = [argument.name for argument in form.arguments]
    return snippets.call(form.name, arguments) + end + ("$0" if arguments else "")


def importable(offers: Offers, cursor: Cursor, places: Sequence[Path], kinds: frozenset[SymbolKind]) -> None:
    """What other files of the workspace declare and this one does not use yet, once a letter of it is written."""
    if not cursor.word:
        offers.is_incomplete = True
        return
    names = cursor.names
    known = names.values.keys() | names.functions.keys() | names.types.keys()
    for name, kind, package in packages.exported(offers.view, places):
        if kind in kinds and name not in known and name[0].lower() == cursor.word[0].lower():
            edit = packages.add_use(offers.view, package)
            text = f"{name}($0)" if kind is SymbolKind.FUNCTION else ""
            offers.add(name, KINDS[kind], text, detail=f"use {package}", rank=8, edits=[edit])
