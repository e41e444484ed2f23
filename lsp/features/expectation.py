"""The type that fits at the cursor, where what stands around it tells."""

from __future__ import annotations

from collections.abc import Sequence

from kcheck.checker import types
from kcheck.checker.facts import Names, SymbolKind
from kcheck.lsp.features.cursor import Cursor, Frame, Inside, Piece
from kcheck.lsp.features.forms import forms
from kcheck.lsp.features.inference import AnyType, type_of_text
from kcheck.lsp.features.signature import given_types, rank_of
from kcheck.lsp.features.snippets import ports_of

_COMPARISONS = frozenset({"==", "!=", "<", "<=", ">", ">="})
_LOGIC = frozenset({"&&", "||", "!"})
_BITS = frozenset({"<<", ">>", ">>>", "~"})
_ARITHMETIC = frozenset({"+", "-", "*", "/", "%", "&", "|", "^"})
_ASSIGNMENTS = frozenset({"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", ">>>="})
_BODY_WORDS = frozenset({"compute", "scan", "prefix", "group", "merge"})
"""The bodies whose value is one of the output's elements."""


def expected_type(cursor: Cursor, before: Sequence[Piece] | None = None) -> AnyType | None:
    """The type of the value that is about to be written; None where nothing tells.

    `before` are the pieces before it, where it has been begun.
    """
    return _Expectation(cursor).at(len(cursor.frames) - 1, cursor.frame.pieces if before is None else before)


def expected_outside(cursor: Cursor) -> AnyType | None:
    """The type of the value that the innermost bracket is a part of."""
    return _Expectation(cursor).at(len(cursor.frames) - 2, cursor.frame.head)


class _Expectation:
    def __init__(self, cursor: Cursor) -> None:
        self._cursor = cursor
        self._names = cursor.names

    def at(self, depth: int, pieces: Sequence[Piece]) -> AnyType | None:
        """The type that a value has which follows `pieces` in the frame at this depth."""
        last = pieces[-1].text if pieces else ""
        if last in _LOGIC:
            return types.BOOL
        if last in _BITS:
            return types.INT
        if last in _COMPARISONS:
            return self._type(_operand(pieces[:-1]))
        if last in _ARITHMETIC:
            start = len(pieces) - 1 - len(_operand(pieces[:-1]))
            outer = self.at(depth, pieces[:start])
            return outer if outer is not None else self._type(_operand(pieces[:-1]))
        frame = self._cursor.frames[depth]
        match frame.inside:
            case Inside.CALL:
                return self._argument(depth, frame)
            case Inside.VALUE:
                return self._field(frame, pieces)
            case Inside.RECORD:
                return self._part_of_record(depth, pieces)
            case Inside.INDEX:
                return types.INT
            case Inside.ARRAY_TYPE:
                return types.INT if frame.number else None
            case Inside.PARENTHESES:
                return self.at(depth - 1, frame.head)
            case Inside.ARRAY:
                return _part(self.at(depth - 1, frame.head))
            case _:
                return self._statement(depth, frame, pieces)

    def _type(self, pieces: Sequence[Piece]) -> AnyType | None:
        """The type of an expression."""
        if not pieces:
            return None
        return type_of_text(self._cursor.text(pieces[0].start, pieces[-1].end), self._names, rank_of(self._cursor))

    def _argument(self, depth: int, frame: Frame) -> AnyType | None:
        """The type of an argument; where several forms fit, the one that the call itself should have."""
        symbol = self._names.functions.get(frame.name)
        found = [] if symbol is None else forms(self._cursor.view, symbol, self._names)
        given = given_types(self._cursor, frame, self._names)
        fitting = [form for form in found if frame.number < len(form.arguments) and form.takes(given)]
        wanted = {form.arguments[frame.number].type for form in fitting}
        if len(wanted) == 1:
            return wanted.pop()
        outer = self.at(depth - 1, frame.head[:-1])
        return outer if outer in wanted else None

    def _field(self, frame: Frame, pieces: Sequence[Piece]) -> AnyType | None:
        if len(pieces) < 2 or pieces[1].text != ":":
            return None
        fields = fields_of(frame, self._names)
        return next((field.type for field in fields if field.name == pieces[0].text), None)

    def _part_of_record(self, depth: int, pieces: Sequence[Piece]) -> AnyType | None:
        """A field of a struct in an example, or an output's element."""
        if len(pieces) != 2:
            return None
        if self._cursor.nearest(Inside.EXAMPLE) is not None:
            struct = self.at(depth - 1, self._cursor.frames[depth].head)
            fields = struct.fields if isinstance(struct, types.Struct) else ()
            return next((field.type for field in fields if field.name == pieces[0].text), None)
        symbol = self._names.values.get(pieces[0].text)
        return symbol.type.element if symbol is not None and isinstance(symbol.type, types.Field) else None

    def _statement(self, depth: int, frame: Frame, pieces: Sequence[Piece]) -> AnyType | None:
        words = [piece.text for piece in pieces]
        first, last = (words[0], words[-1]) if words else ("", "")
        if last in ("if", "until"):
            return types.BOOL
        if last in ("loop", "..", "..=") or (last == "in" and first == "for"):
            return types.INT
        if frame.inside is Inside.EXAMPLE:
            symbol = self._names.values.get(words[-2]) if len(words) > 1 and last == "=" else None
            return None if symbol is None else symbol.type
        if last in _ASSIGNMENTS or (last in ("in", "..") and first == "param"):
            return self._assigned(pieces)
        if frame.inside in (Inside.CODE, Inside.MATCH) and last in ("", "return", "=>"):
            if last != "return" and (frame.inside is Inside.MATCH or _is_inner(frame)):
                return self._around(depth, frame)
            return self._result()
        return None

    def _assigned(self, pieces: Sequence[Piece]) -> AnyType | None:
        """The type of what stands before `=`: as declared, or that of the place."""
        words = [piece.text for piece in pieces]
        if words[0] in ("let", "var", "const", "param"):
            symbol = self._names.types.get(words[3]) if len(words) > 4 and words[2] == ":" else None
            return None if symbol is None else symbol.type
        return self._type(pieces[:-1])

    def _around(self, depth: int, frame: Frame) -> AnyType | None:
        """What a block or match gives that stands in a statement."""
        head = list(frame.head)
        start = next((i for i, piece in enumerate(head) if piece.text in ("if", "match")), len(head))
        return self.at(depth - 1, head[:start])

    def _result(self) -> AnyType | None:
        """What the function or body around gives."""
        for frame in reversed(self._cursor.frames):
            first = frame.head[0].text if frame.head else ""
            if first == "fn":
                words = [piece.text for piece in frame.head]
                symbol = self._names.types.get(words[words.index("->") + 1]) if "->" in words[:-1] else None
                return None if symbol is None else symbol.type
            if frame.inside is Inside.CODE and first in _BODY_WORDS:
                result = ports_of(self._names.values).result
                return None if result is None else result.element
        return None


def _part(type_: AnyType | None) -> AnyType | None:
    """The type of what a list for a value or port holds."""
    match type_:
        case types.Field():
            return type_.element if type_.rank == 1 else types.Field(type_.rank - 1, type_.element)
        case None:
            return None
        case _:
            return types.element_type(type_)


def _is_inner(frame: Frame) -> bool:
    """Whether a block stands in a statement, and is no body itself."""
    return bool(frame.head) and frame.head[0].text not in _BODY_WORDS | {"fn", "scatter"}


def _operand(pieces: Sequence[Piece]) -> Sequence[Piece]:
    """The value that the pieces end in: names, calls, members."""
    start = len(pieces)
    while start > 0 and (pieces[start - 1].ends_value or pieces[start - 1].text == "."):
        is_apart = start < len(pieces) and pieces[start - 1].ends_value and pieces[start].is_word
        if is_apart:
            break
        start -= 1
    return pieces[start:]


def fields_of(frame: Frame, names: Names) -> Sequence[types.FieldOf]:
    """The fields of the struct or variant whose value a frame is."""
    words = [piece.text for piece in frame.head]
    symbol = names.types.get(words[-1])
    if symbol is not None and isinstance(symbol.type, types.Struct):
        return symbol.type.fields
    if len(words) > 2 and words[-2] == ".":
        symbol = names.types.get(words[-3])
    else:
        symbol = names.values.get(words[-1])
        symbol = symbol if symbol is not None and symbol.kind is SymbolKind.VARIANT else None
    enum = symbol.type if symbol is not None else None
    if not isinstance(enum, types.Enum):
        return ()
    return next((variant.fields for variant in enum.variants if variant.name == words[-1]), ())


def chain(pieces: Sequence[Piece]) -> Sequence[Piece]:
    """The value before a last `.`."""
    return _operand(pieces[:-1])
