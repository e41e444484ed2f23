"""What stands before the cursor, told from the tokens alone, so that it works while the text is broken.

The brackets that are open at the cursor are frames, from the file down to the innermost.  Each holds the pieces of the
statement or element that is being written in it; what stands in closed brackets is one piece.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cached_property

from kcheck.checker import types
from kcheck.checker.facts import ItemFacts, Names, Symbol, SymbolKind
from kcheck.grammar.lexis import RESERVED, Kind, Token
from kcheck.grammar.source import ParsedItem
from kcheck.grammar.spans import Span
from kcheck.lsp.features.inference import AnyType, type_of_text
from kcheck.lsp.features.nearby import tokens_before
from kcheck.lsp.view import View


class Inside(Enum):
    """What an open bracket holds."""

    FILE = "items"
    KERNEL = "members of a kernel"
    SCENE = "entries of a scene"
    NODE = "settings of a node"
    REQUIRES = "permissions"
    EXAMPLE = "entries of an example"
    FIELDS = "declarations of fields"
    VARIANTS = "declarations of variants"
    CODE = "statements"
    MATCH = "arms"
    VALUE = "fields of a struct or variant"
    RECORD = "fields of a record"
    CALL = "arguments"
    PARAMETERS = "parameters of a function"
    SIDES = "the two values of a merge"
    PARENTHESES = "a value"
    INDEX = "an index"
    ARRAY = "elements"
    ARRAY_TYPE = "a type and a length"
    TYPE = "the type of a field's elements"


_BODIES = frozenset({"compute", "scan", "scatter", "prefix", "group", "merge", "fn"})
_HEADS = frozenset({"if", "match", "for", "loop", "else"})
"""Words after which a brace opens a block."""
_BRACE_ENDS = _HEADS | _BODIES | {"requires", "example", "struct", "enum", "kernel", "scene", "node"}
"""A statement that starts with one of these ends at its brace."""
_BINDING = re.compile(r"(\w+)(?:\s*:\s*(\w+))?")
_FIELD_TYPES = frozenset({"Rows", "Grid", "Volume"})
_CLOSERS = {")": "(", "]": "[", "}": "{"}
_LISTS = frozenset({Inside.CALL, Inside.PARAMETERS, Inside.SIDES, Inside.ARRAY, Inside.PARENTHESES, Inside.INDEX})
_COMMA_ENDS = _LISTS | {Inside.VALUE, Inside.RECORD, Inside.MATCH, Inside.FIELDS, Inside.VARIANTS, Inside.TYPE}


@dataclass(frozen=True, slots=True)
class Piece:
    """A token, or all that stands in a pair of brackets; `text` of that is the opening bracket."""

    text: str
    start: int
    end: int
    is_word: bool = False
    is_group: bool = False

    @property
    def ends_value(self) -> bool:
        """Whether a value may end here."""
        if self.is_group:
            return True
        return (self.is_word and self.text not in RESERVED - {"true", "false"}) or self.text[:1].isdigit()


@dataclass(slots=True)
class Frame:
    """An open bracket; `head` is what stood before it in its statement.

    `pieces` are those since the last comma or semicolon, `number` counts the commas; `done` are the parts before, the
    last of them in long blocks.
    """

    inside: Inside
    bracket: str
    start: int
    head: tuple[Piece, ...] = ()
    pieces: list[Piece] = field(default_factory=list)
    number: int = 0
    done: list[tuple[Piece, ...]] = field(default_factory=list)

    is_begun: bool = False
    """Whether something stands in it before the part that is being written."""

    def end_part(self) -> None:
        self.is_begun = True
        if self.pieces:
            self.done.append(tuple(self.pieces))
        self.pieces = []

    @property
    def words(self) -> list[str]:
        """The texts of the pieces of the unfinished part."""
        return [piece.text for piece in self.pieces]

    @property
    def name(self) -> str:
        """What is called or made."""
        return self.head[-1].text if self.head else ""


@dataclass(frozen=True)
class Cursor:
    """A place in a file; `prefix` is the span of the word that is being written (empty where none is).

    All positions count from the start of the file.  `item` is what the place belongs to, None before the first.
    """

    view: View
    offset: int
    item: ParsedItem | None
    frames: Sequence[Frame]
    prefix: Span
    is_in_number: bool

    @property
    def frame(self) -> Frame:
        return self.frames[-1]

    @property
    def before(self) -> Piece | None:
        """The piece just before the word that is being written."""
        return self.frame.pieces[-1] if self.frame.pieces else None

    @property
    def starts_line(self) -> bool:
        """Whether nothing stands before the word on its line."""
        start = self.view.lines.line_start(self.view.lines.line(self.prefix.start))
        return not self.view.text[start : self.prefix.start].strip()

    @property
    def word(self) -> str:
        return self.view.text[self.prefix.start : self.prefix.end]

    @property
    def facts(self) -> ItemFacts | None:
        return None if self.item is None else self.view.checked.facts.get(self.item.key)

    @cached_property
    def names(self) -> Names:
        """The names in sight."""
        if self.item is None or self.facts is None:
            return Names({}, {}, {})
        known = self.facts.names(min(self.prefix.start - self.item.offset, len(self.item.text)))
        written = {symbol.name: symbol for frame in self.frames for symbol in self._written(frame, known)}
        return replace(known, values={**written, **known.values})

    def _written(self, frame: Frame, known: Names) -> Iterator[Symbol]:
        """The locals of a header or an arm that is being written, and so perhaps not read."""
        words = frame.words
        if words[:1] == ["for"] and "until" in words:
            yield Symbol(SymbolKind.LOCAL, words[1], None, types.INT, f"{words[1]}: Int")
        if frame.inside is Inside.MATCH and "=>" in words:
            place = words.index("=>")
            pattern = frame.pieces[max(0, place - 2) : place]
            if len(pattern) == 2 and pattern[1].is_group:
                fields = self._payload(frame, pattern[0].text, known)
                for name, binding in _BINDING.findall(self.text(pattern[1].start + 1, pattern[1].end - 1)):
                    type_ = fields.get(name)
                    yield Symbol(SymbolKind.LOCAL, binding or name, None, type_, f"{binding or name}: {type_ or '?'}")

    def _payload(self, frame: Frame, variant: str, known: Names) -> Mapping[str, types.Type]:
        """The fields of a variant of what is matched."""
        enum = self.subject(frame, known)
        variants = enum.variants if isinstance(enum, types.Enum) else ()
        return {field.name: field.type for each in variants if each.name == variant for field in each.fields}

    def subject(self, frame: Frame, known: Names) -> AnyType | None:
        """The type of what the match of a frame takes apart."""
        words = [piece.text for piece in frame.head]
        pieces = frame.head[len(words) - words[::-1].index("match") :]
        return type_of_text(self.text(pieces[0].start, pieces[-1].end), known, 1) if pieces else None

    def text(self, start: int, end: int) -> str:
        return self.view.text[start:end]

    def nearest(self, *kinds: Inside) -> Frame | None:
        """The innermost frame of one of these kinds."""
        return next((frame for frame in reversed(self.frames) if frame.inside in kinds), None)


@dataclass(frozen=True, slots=True)
class InString:
    """A cursor in a string: what stands before it there, and where that starts."""

    written: str
    start: int
    call: str
    """What the string is an argument of."""


def cursor_at(view: View, offset: int) -> Cursor | InString | None:
    """What stands before a place; None in comments."""
    item = _item_before(view, offset)
    start = 0 if item is None else item.offset
    found = tokens_before(view.text, start, offset)
    if found is None:
        return None
    prefix = Span(offset, offset)
    last = found[-1] if found else None
    touching = last.kind if last is not None and last.end == offset else None
    if last is not None and touching is Kind.WORD:
        found.pop()
        prefix = Span(last.start, offset)
    frames = _frames(found, start)
    if last is not None and touching is Kind.OPEN_STRING:
        name = frames[-1].name if frames[-1].inside is Inside.CALL else ""
        return InString(last.text[1:], last.start + 1, name)
    return Cursor(view, offset, item, frames, prefix, touching is Kind.NUMBER)


def _item_before(view: View, offset: int) -> ParsedItem | None:
    """The last item that starts before a place, or just there."""
    return next((item for item in reversed(view.file.items) if item.offset <= offset), None)


# ---------------------------------------------------------------- frames


def _frames(found: Sequence[Token], start: int) -> list[Frame]:
    stack = [Frame(Inside.FILE, "", start)]
    for i, token in enumerate(found):
        if token.kind is Kind.OPEN_STRING:
            continue
        frame, text = stack[-1], token.text
        if text in ("{", "(", "[") or (text == "<" and _opens_type(frame)):
            inside = _inside(frame, text, found[i + 1 : i + 3])
            stack.append(Frame(inside, text, token.start, tuple(frame.pieces)))
        elif text in _CLOSERS or (text == ">" and frame.inside is Inside.TYPE):
            _close(stack, _CLOSERS.get(text, "<"), token.end)
        else:
            _add(stack, token)
    return stack


def _add(stack: list[Frame], token: Token) -> None:
    """A token that is no bracket."""
    if token.text == ";":
        while stack[-1].inside is Inside.TYPE:
            stack.pop()
        stack[-1].number += stack[-1].inside is Inside.ARRAY_TYPE
        stack[-1].end_part()
    elif token.text == "," and stack[-1].inside in _COMMA_ENDS:
        stack[-1].number += 1
        stack[-1].end_part()
    else:
        if token.text == "else" and not stack[-1].pieces and stack[-1].done:
            stack[-1].pieces = list(stack[-1].done.pop())
        stack[-1].pieces.append(Piece(token.text, token.start, token.end, is_word=token.kind is Kind.WORD))


def _close(stack: list[Frame], bracket: str, end: int) -> None:
    """Close the innermost open bracket of this kind, with what was left open in it."""
    position = next((i for i in range(len(stack) - 1, 0, -1) if stack[i].bracket == bracket), None)
    if position is None:
        return
    closed = stack[position]
    del stack[position:]
    outer = stack[-1]
    outer.pieces.append(Piece(bracket, closed.start, end, is_group=True))
    ends_statement = closed.bracket == "{" and (
        outer.pieces[0].text in _BRACE_ENDS
        or closed.inside is Inside.FIELDS
        or (outer.inside is Inside.MATCH and len(outer.pieces) > 1 and outer.pieces[-2].text == "=>")
        or len(outer.pieces) == 1
    )
    if ends_statement and outer.inside not in _LISTS:
        outer.end_part()


def _opens_type(frame: Frame) -> bool:
    pieces = frame.pieces
    return len(pieces) > 1 and pieces[-1].text in _FIELD_TYPES and pieces[-2].text == ":"


def _inside(frame: Frame, bracket: str, following: Sequence[Token]) -> Inside:
    """What a bracket holds that opens in `frame`."""
    match bracket:
        case "{":
            return _inside_braces(frame, following)
        case "(":
            return _inside_parentheses(frame)
        case "[":
            return _inside_square_brackets(frame)
        case _:
            return Inside.TYPE


_PLAIN_VALUES = frozenset({Inside.EXAMPLE, Inside.ARRAY, Inside.VALUE, Inside.RECORD})
"""Where a brace without a name before it opens a record, as in examples."""
_BY_FIRST_WORD = {
    "kernel": Inside.KERNEL,
    "scene": Inside.SCENE,
    "struct": Inside.FIELDS,
    "enum": Inside.VARIANTS,
    "requires": Inside.REQUIRES,
    "example": Inside.EXAMPLE,
    "node": Inside.NODE,
}


def _inside_braces(frame: Frame, following: Sequence[Token]) -> Inside:
    first = frame.pieces[0].text if frame.pieces else ""
    last = frame.pieces[-1] if frame.pieces else None
    is_record = len(following) == 2 and following[0].kind is Kind.WORD and following[1].text == ":"
    if frame.inside is Inside.VARIANTS:
        return Inside.FIELDS
    if frame.inside in (Inside.FILE, Inside.KERNEL, Inside.SCENE) and first in _BY_FIRST_WORD:
        return _BY_FIRST_WORD[first]
    if frame.inside in (Inside.KERNEL, Inside.FILE) and first in _BODIES:
        is_start = first == "scan" and is_record and last is not None and last.is_word
        return Inside.VALUE if is_start else Inside.RECORD if is_record else Inside.CODE
    head = _open_head(frame.pieces)
    if head == "match":
        return Inside.MATCH
    if head or last is None or last.text == "=>":
        return Inside.RECORD if is_record or frame.inside in _PLAIN_VALUES else Inside.CODE
    if last.is_word and last.text not in RESERVED:
        return Inside.VALUE
    return Inside.RECORD if is_record or frame.inside in _PLAIN_VALUES else Inside.CODE


def _open_head(pieces: Sequence[Piece]) -> str:
    """The word whose header is not followed by its block yet, or ""."""
    for piece in reversed(pieces):
        if piece.is_group and piece.text == "{":
            return ""
        if piece.text in _HEADS:
            return piece.text
    return ""


def _inside_parentheses(frame: Frame) -> Inside:
    words = frame.words
    if words[:1] == ["fn"] and len(words) == 2:
        return Inside.PARAMETERS
    if words == ["merge"] and frame.inside is Inside.KERNEL:
        return Inside.SIDES
    last = frame.pieces[-1] if frame.pieces else None
    return Inside.CALL if last is not None and last.is_word and last.text not in RESERVED else Inside.PARENTHESES


def _inside_square_brackets(frame: Frame) -> Inside:
    last = frame.pieces[-1] if frame.pieces else None
    if frame.inside in (Inside.TYPE, Inside.ARRAY_TYPE) and not frame.number and last is None:
        return Inside.ARRAY_TYPE
    if last is not None and (last.text == "->" or (last.text == ":" and _declares(frame))):
        return Inside.ARRAY_TYPE
    return Inside.INDEX if last is not None and last.ends_value else Inside.ARRAY


_TYPED = frozenset({"let", "var", "const", "input", "output", "memory", "param"})


def _declares(frame: Frame) -> bool:
    """Whether a colon in this part stands before a type."""
    first = frame.pieces[0].text if frame.pieces else ""
    return frame.inside in (Inside.FIELDS, Inside.PARAMETERS) or first in _TYPED


def wants_type(frame: Frame) -> bool:
    """Whether the next word in a frame is a type."""
    if frame.inside in (Inside.TYPE, Inside.ARRAY_TYPE):
        return not frame.pieces and not (frame.inside is Inside.ARRAY_TYPE and frame.number)
    last = frame.pieces[-1].text if frame.pieces else ""
    return last == "->" or (last == ":" and _declares(frame))
