"""Reading on behind what is wrong, so that one mistake hides nothing else of its item.

The parser stops at its first failure. So the text is mended there and read again: a missing `;` or brace is put in, the
problem's own repair is made, the header of a block is replaced by one that can be read, and what cannot be helped is
blanked out up to where the list that holds it goes on. Building the tree puts an error node wherever something was
blanked out. A further failure at a place that was mended already says nothing new.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from kcheck.grammar import engine, syntax
from kcheck.grammar.broken import broken_item
from kcheck.grammar.habits import FOREIGN_TYPES
from kcheck.grammar.lexis import RESERVED, Kind, Token
from kcheck.grammar.limits import CONFLICT_SIDE, STRANGE_CHARACTER
from kcheck.grammar.messages import explain, never_closed
from kcheck.grammar.nodes import Value, node
from kcheck.grammar.precedence import LEVEL
from kcheck.grammar.problems import SYNTAX, Problem, Remark, Repair
from kcheck.grammar.spans import Span
from kcheck.grammar.spot import CLOSER, Spot

# So often is a text mended, and no more characters are read for it in all.
_MOST_REPAIRS = 40
_MOST_CHARACTERS = 200_000

# What stands for a value that is not there; its place tells it from one that is.
_HOLE = "true"
# fmt: off
_STATEMENT_WORDS = frozenset({"let", "var", "for", "loop", "return", "if", "match"})
_MEMBER_WORDS = frozenset({
    "requires", "input", "output", "param", "memory", "compute", "merge", "scan", "scatter", "prefix", "group",
    "example", "const", "struct", "enum", "fn", "node",
})
# fmt: on
_LINE_STARTS = {
    "Block.statements": _STATEMENT_WORDS | (_MEMBER_WORDS & RESERVED),
    "Kernel.members": _MEMBER_WORDS,
    "Scene.entries": _MEMBER_WORDS,
    "Example.entries": _MEMBER_WORDS | {"expect"},
    "Struct.fields": _MEMBER_WORDS,
    "Enumeration.variants": _MEMBER_WORDS,
    "VariantBody.fields": _MEMBER_WORDS,
    "SceneNode.settings": frozenset({"carry", "param"}),
}
# Elements of these begin with names.
_NAMED_ELEMENTS = frozenset({"Example.entries", "Struct.fields", "Enumeration.variants", "VariantBody.fields"})
# These lists end their elements by `,` too.
_WITH_COMMAS = frozenset({"Struct.fields", "Enumeration.variants", "VariantBody.fields", "Match.arms"})
# These lead to a block of statements.
_BODY_WORDS = frozenset({"compute", "merge", "scan", "scatter", "prefix", "group", "fn"})
_HEADERS = frozenset({"if", "elif", "elsif", "elseif", "else", "for", "loop", "while", "match"})
_OPENERS = _BODY_WORDS | _HEADERS | {"struct", "enum", "example"}
# After a `}` these go on with what it closed.
_GO_ON = frozenset({"else", ".", ",", ")", "]", ";", "=>"})
_ITEM_HEADERS = {
    "kernel": "kernel x@0 ",
    "fn": "fn x() ",
    "struct": "struct x ",
    "enum": "enum x ",
    "scene": "scene x ",
}
_NOT_A_BREAK = re.compile(r"[^\r\n]")


@node(kw_only=False)
class Damage(Value):
    """A place that could not be read; `names` are what it seems to declare.

    Where it `heads` something, only a header was wrong: what follows was read, and its object begins at the damage.
    """

    span: Span
    names: tuple[syntax.Name, ...] = ()
    keyword: str | None = None
    heads: bool = False


class _Draft:
    """A text that is being mended, which remembers where each of its characters comes from."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.origins = list(range(len(text) + 1))
        self.is_moved = False

    def span(self, start: int, end: int) -> Span:
        return Span(self.origins[start], self.origins[end])

    def put(self, start: int, end: int, text: str) -> None:
        self.text = self.text[:start] + text + self.text[end:]
        self.origins[start:end] = [self.origins[start]] * len(text)
        self.is_moved |= len(text) != end - start

    def blank(self, start: int, end: int) -> None:
        blanks = _NOT_A_BREAK.sub(" ", self.text[start:end])
        self.text = self.text[:start] + blanks + self.text[end:]

    def move_back(self, tree: Any) -> None:
        """Give the objects that were made of the draft the positions of the text."""
        waiting = [tree]
        while waiting:
            node = waiting.pop()
            if isinstance(node, list):
                waiting += node
            elif hasattr(node, "_tx_position"):
                node._tx_position = self.origins[node._tx_position]
                node._tx_position_end = self.origins[node._tx_position_end]
                waiting += [getattr(node, name) for name in type(node).__slots__]

    def placed(self, problem: Problem) -> Problem:
        """A problem of the draft as one of the text."""
        if not self.is_moved:
            return problem

        def place(span: Span) -> Span:
            return self.span(span.start, span.end)

        notes = tuple(
            Remark(note.message, place(note.span)) if isinstance(note, Remark) else note for note in problem.notes
        )
        repairs = tuple(Repair(repair.title, place(repair.span), repair.text) for repair in problem.repairs)
        return Problem(problem.code, problem.message, place(problem.span), problem.label, notes, repairs)


class Recovery:
    """Mends one item's text.

    `problems` are what was wrong; `damages` what the tree has error nodes for; `holes` the places of values that are
    not there; `quiet` where nothing that the checker may find is news.
    """

    def __init__(self, text: str) -> None:
        self.problems: list[Problem] = []
        self.damages: list[Damage] = []
        self.holes: set[int] = set()
        self.quiet: list[Span] = []
        self._known: list[Span] = []
        self._headless: set[int] = set()
        self._draft = _Draft(text)

    def run(self, found: Problem | engine.Failure) -> Any:
        """The grammar's object of the mended text, with the positions of the text itself; None if it is of no use.

        `found` is the problem that forbade to read it as it is, or where that stopped.
        """
        draft = self._draft
        result: Any = found
        if isinstance(found, Problem):
            self._clean(found)
            result = engine.read(draft.text, list)
        for _ in range(max(1, min(_MOST_REPAIRS, _MOST_CHARACTERS // max(1, len(draft.text))))):
            if not isinstance(result, engine.Failure):
                break
            if not self._mend(Spot(draft.text, result)):
                return None
            result = engine.read(draft.text, list)
        if isinstance(result, engine.Failure) or len(result) != 1:
            return None
        if draft.is_moved:
            draft.move_back(result)
        return result[0]

    def _clean(self, problem: Problem) -> None:
        """Blank out what is no text, and strings and comments that nothing closes; write an item's word as meant."""
        draft = self._draft
        self._report(problem, problem.span.start, problem.span.end)
        if len(draft.text) > _MOST_CHARACTERS:
            return
        draft.text = STRANGE_CHARACTER.sub(self._forgotten, draft.text)
        for mark in CONFLICT_SIDE.finditer(draft.text):
            draft.blank(mark.start(), mark.end())
        found = Spot(draft.text, engine.Failure(0, frozenset(), ())).tokens
        for index, token in enumerate(found):
            if token.kind in (Kind.OPEN_STRING, Kind.OPEN_COMMENT):
                before = found[index - 1].end if index else 0
                after = found[index + 1].start if index + 1 < len(found) else token.end
                self._know(before, after)
                draft.blank(token.start, token.end)
            if token.kind is Kind.OPEN_COMMENT:
                self._keep_quiet(token.start, len(draft.text))
        if problem.code == SYNTAX and problem.repairs:
            draft.put(problem.repairs[0].span.start, problem.repairs[0].span.end, problem.repairs[0].text)
        elif problem.code == SYNTAX:
            self._put_item_header(Spot(draft.text, engine.Failure(problem.span.start, frozenset(), ())))

    def _forgotten(self, strange: re.Match[str]) -> str:
        self._know(strange.start(), strange.end())
        return " "

    # ------------------------------------------------------------ one failure

    def _mend(self, spot: Spot) -> bool:
        """Mend the text where reading stopped; whether that could be done."""
        spot = _at_cut(spot)
        place = self._start(spot)
        known = self._is_known(place) or self._is_known(spot.failure.offset) or self._is_known_before(spot)
        extra = _extra_closer(spot)
        problem = None
        opener = None if known or extra is not None else _closed_by_outer(spot)
        if opener is not None:
            self._report(never_closed(spot, opener), place, max(place, spot.previous.end))
            known = True
        if not known:
            problem = explain(spot) if extra is None else _one_too_many(extra)
            self._report(problem, place, max(place, spot.previous.end))
        if around := _brace_around_members(spot):
            self._know(place, around.end)
            self._draft.blank(place, around.end)
            return True
        if opener is not None:
            end = _place_of_closer(spot)
            self._draft.put(end, end, " }")
            return True
        extra = extra or _extra_opener(spot)
        if extra is not None:
            self._draft.blank(extra.start, extra.end)
            return True
        return (
            self._put_brace(spot)
            or (problem is not None and self._repair(spot, problem))
            or self._replace_header(spot)
            or self._drop(spot)
        )

    def _start(self, spot: Spot) -> int:
        """Where the element begins in which reading stopped, or the item."""
        elements = spot.failure.elements
        return elements[-1][1] if elements else spot.tokens[0].start if spot.tokens else 0

    def _is_known(self, place: int) -> bool:
        origin = self._draft.origins[place]
        return any(span.start <= origin <= span.end for span in self._known)

    def _is_known_before(self, spot: Spot) -> bool:
        """Whether what was cut short is so because what followed was blanked out."""
        start, end = self._draft.origins[spot.previous.end], self._draft.origins[spot.found.start]
        return spot.is_cut_short and any(span.start < end and start < span.end for span in self._known)

    def _report(self, problem: Problem, start: int, end: int) -> None:
        self.problems.append(self._draft.placed(problem))
        self._know(start, end)

    def _know(self, start: int, end: int) -> None:
        """Say nothing more about what stands from `start` to `end`, both included."""
        self._known.append(self._draft.span(start, end))

    # ------------------------------------------------------------ braces

    def _put_brace(self, spot: Spot) -> bool:
        """Put in a brace that is missing: the one that reading stopped for, or one that indentation tells of."""
        balance = spot.braces
        if balance < 0 and spot.is_cut_short and _is_header(spot):
            self._draft.put(spot.previous.end, spot.previous.end, " -> {" if "->" in spot.expected else " {")
            return True
        if balance < 0 and "{" in spot.expected and spot.found.text not in (";", ",", ")", "]"):
            start, end = spot.previous.end, spot.previous.end
            if not spot.on_new_line and "\n" in spot.text[spot.found.end : spot.token(1).start]:
                start, end = spot.found.start, spot.found.end
            self._draft.put(start, end, " {")
            return True
        if balance > 0 and spot.found.text in (")", "]") and _innermost(spot) == "{":
            self._draft.put(spot.found.start, spot.found.end, "}")
            return True
        if balance > 0 and (spot.at_end or _leaves_block(spot)):
            place = _place_of_closer(spot)
            self._draft.put(place, place, " }")
            return True
        return False

    # ------------------------------------------------------------ repairs

    def _repair(self, spot: Spot, problem: Problem) -> bool:
        """Make the problem's own repair and keep the element."""
        if not problem.repairs or not spot.failure.elements:
            return False
        repair = problem.repairs[0]
        if repair.text.startswith(": "):  # a type that is only a guess
            return False
        ends = repair.text == ";" or (repair.text == "," and spot.failure.elements[-1][0] in _WITH_COMMAS)
        start = self._start(spot)
        if not ends:
            self._keep_quiet(start, self._quiet_end(spot, start))
        elif not spot.on_new_line:
            self._keep_quiet(start, spot.previous.end)
            self._know(start, spot.found.end)
        elif spot.ends_value or spot.previous.text == "return":
            self._keep_quiet(start, start + 1)  # perhaps a value is still to come, or what makes use of this one
        self._draft.put(repair.span.start, repair.span.end, repair.text)
        return True

    def _quiet_end(self, spot: Spot, start: int) -> int:
        """The end of the element, or of its header."""
        end = _end(spot, start)
        brace = _body(spot)
        return min(end, brace.start) if brace is not None else end

    def _keep_quiet(self, start: int, end: int) -> None:
        self.quiet.append(self._draft.span(start, end))

    # ------------------------------------------------------------ headers

    def _replace_header(self, spot: Spot) -> bool:
        """Put a header that can be read in the place of one that cannot, so that its body is kept."""
        brace = _body(spot)
        place = self._draft.origins[self._start(spot)]
        if brace is None or place in self._headless:
            return False
        self._headless.add(place)
        elements = spot.failure.elements
        if not elements:
            return self._replace_item_header(spot, brace)
        kind, start = elements[-1]
        if kind == "Block.statements":
            return self._replace_statement_header(spot, start, brace)
        if kind in ("Kernel.members", "Scene.entries"):
            return self._replace_member_header(spot, kind, start, brace)
        before = _between(spot, start, brace.start)
        if kind == "Match.arms" and before and before[-1].text == "=>":
            self.damages.append(Damage(self._draft.span(start, brace.start), self._names(before), heads=True))
            self._exchange(start, start, brace.start, "_ => ")
            return True
        return False

    def _replace_statement_header(self, spot: Spot, start: int, brace: Token) -> bool:
        word = _header(spot, start)
        if word is None:
            return False
        names = self._names(_between(spot, word.end, brace.start))
        name = next((it.text for it in names if it.text not in FOREIGN_TYPES), "_")
        header = {
            "else": "else " if not spot.text.startswith("else", start) else f"if {_HOLE} ",
            "for": f"for {name} in 0..0 ",
            "loop": "loop 0 ",
            "while": "loop 0 ",
            "match": f"match {_HOLE} ",
        }.get(word.text, f"if {_HOLE} ")
        if _HOLE in header:
            self.holes.add(self._draft.origins[word.start])
        self._exchange(start, start if spot.text.startswith("else", start) else word.start, brace.start, header)
        return True

    def _replace_member_header(self, spot: Spot, kind: str, start: int, brace: Token) -> bool:
        tokens = _between(spot, start, brace.start)
        keyword, names = tokens[0].text if tokens else "", self._names(tokens[1:])
        name = names[0].text if names else "_"
        named = {"struct": f"struct {name} ", "enum": f"enum {name} ", "example": f"example {name} "}
        if kind == "Scene.entries":
            named = {"example": named["example"], "node": f"node {name}: {name}@0 "}
        elif keyword not in _MEMBER_WORDS:
            return False
        elif keyword not in named:
            self.damages.append(Damage(self._draft.span(start, brace.start), names, keyword, heads=True))
            named = {keyword: "compute "}
        if keyword not in named:
            return False
        self._exchange(start, start, brace.start, named[keyword])
        return True

    def _replace_item_header(self, spot: Spot, brace: Token) -> bool:
        keyword = broken_item(spot.text).keyword
        header = _ITEM_HEADERS.get(keyword or "")
        if header is None:
            return False
        start = spot.tokens[0].start
        names = self._names(_between(spot, start, brace.start))
        self.damages.append(Damage(self._draft.span(start, brace.start), names, keyword, heads=True))
        self._exchange(start, start, brace.start, header)
        return True

    def _put_item_header(self, spot: Spot) -> None:
        """Give a text that begins no item the header of a kernel or function, if what it begins with is like one."""
        brace = _body(spot)
        if brace is None or spot.found.text in _MEMBER_WORDS | _STATEMENT_WORDS:
            return
        signs = {token.text for token in _between(spot, spot.found.start, brace.start)}
        keyword = "kernel" if "@" in signs else "fn" if "(" in signs else None
        if keyword is not None:
            names = self._names(_between(spot, spot.found.start, brace.start))
            self.damages.append(Damage(self._draft.span(spot.found.start, brace.start), names, keyword, heads=True))
            self._exchange(spot.found.start, spot.found.start, brace.start, _ITEM_HEADERS[keyword])

    def _exchange(self, element: int, start: int, end: int, header: str) -> None:
        self._know(element, end)
        self._keep_quiet(start, end)
        self._draft.put(start, end, header)

    # ------------------------------------------------------------ what cannot be helped

    def _drop(self, spot: Spot) -> bool:
        """Blank out the element in which reading stopped, or what the braces around hold, if that is no list."""
        elements = spot.failure.elements
        start = elements[-1][1] if elements else len(spot.text)
        inner = _inner_brace(spot, elements[-1] if elements else None)
        if inner is not None:
            start, end = inner.end, _closing(spot, inner)
        else:
            end = _end(spot, start)
        if end <= start or not spot.text[start:end].strip():
            return False
        tokens = _between(spot, start, end)
        is_code = inner is not None or elements[-1][0] == "Block.statements"
        names = _declared(tokens) if is_code else _named(tokens)
        self.damages.append(Damage(self._draft.span(start, end), self._names(names), tokens[0].text))
        self._know(start, end - 1)
        self._keep_quiet(start, end)
        self._draft.blank(start, end)
        return True

    def _names(self, tokens: list[Token]) -> tuple[syntax.Name, ...]:
        """The words among some tokens that can be names."""
        words = [token for token in tokens if token.kind is Kind.WORD and token.text not in RESERVED]
        return tuple(syntax.Name(span=self._draft.span(word.start, word.end), text=word.text) for word in words)


# ---------------------------------------------------------------- tokens


def _between(spot: Spot, start: int, end: int) -> list[Token]:
    return [token for token in spot.tokens if start <= token.start < end]


def _declared(tokens: list[Token]) -> list[Token]:
    """The tokens of a statement among which is the name that it declares, if it declares one."""
    ends = (index for index, token in enumerate(tokens) if token.text in ("=", ";", "{"))
    head = tokens[: next(ends, len(tokens))]
    declares = bool(head) and (head[0].text in ("let", "var", "for") or _are_words(head[:2]))
    return head if declares else []


def _named(tokens: list[Token]) -> list[Token]:
    """The tokens of a member, if there seems to be a name among them: after its word, or before its `:` or `{`."""
    named = any(
        token.kind is Kind.WORD and token.text not in RESERVED and (index == 1 or after.text in (":", "{", ";", ","))
        for index, (token, after) in enumerate(pairwise(tokens))
    )
    return tokens if named else []


def _are_words(tokens: list[Token]) -> bool:
    return len(tokens) == 2 and all(token.kind is Kind.WORD and token.text not in RESERVED for token in tokens)


def _line_indent(spot: Spot, token: Token) -> int:
    line = spot.text[spot.text.rfind("\n", 0, token.start) + 1 :]
    return len(line) - len(line.lstrip(" \t"))


def _at_cut(spot: Spot) -> Spot:
    """The spot at the end of a line that was cut short, if reading went on from there and stopped in a later one.

    So `input` alone takes `example` of the next line for its name. What could have stood at the line's end is what
    the grammar expects where a sign stands that fits nowhere.
    """
    index = _cut(spot)
    if index is None:
        return spot
    token = spot.tokens[index]
    found = engine.read(f"{spot.text[: token.start]}?{spot.text[token.start + 1 :]}", list)
    return Spot(spot.text, found, True) if isinstance(found, engine.Failure) and found.offset == token.start else spot


def _cut(spot: Spot) -> int | None:
    """The index of the first token of the line that what reading stopped in should not have reached."""
    named = {start for kind, start in spot.failure.elements if kind in _NAMED_ELEMENTS}
    for index, token in enumerate(spot.tokens[: spot.index] if named else ()):
        is_member = (
            token.text in _MEMBER_WORDS - {"param"} and _starts_line(spot, index) and _begins_element(spot, index)
        )
        if token.start in named and is_member:
            return index
    kind, start = spot.failure.elements[-1] if spot.failure.elements else ("", spot.tokens[0].start)
    first = next((token for token in spot.tokens if token.start >= start), None)
    if first is None or any(bracket.text == "{" and bracket.start >= start for bracket in spot.open_brackets):
        return None
    lines = _lines_outside_braces(spot, start)
    if not kind and any(token.text == "{" for token in spot.tokens[: spot.index]):
        return None
    words = _STATEMENT_WORDS | _MEMBER_WORDS if not kind or first.text in _BODY_WORDS else _LINE_STARTS.get(kind, ())
    for index in lines:
        if spot.tokens[index].text in words and _begins_element(spot, index):
            return index
    if lines and _begins_otherwise(spot, kind, lines[-1]):
        return lines[-1]
    header = first if kind != "Block.statements" else _header(spot, start)
    is_header = header is not None and (not kind or header.text in _OPENERS)
    if header is None or not is_header or spot.braces >= 0 or not lines or spot.found.text == "{":
        return None
    inner = spot.tokens[lines[-1]]
    return lines[-1] if inner.start > header.start and _line_indent(spot, inner) > _line_indent(spot, header) else None


def _lines_outside_braces(spot: Spot, start: int) -> list[int]:
    """The indices of the tokens that begin lines after `start` up to the one found, without those in braces."""
    lines, depth = [], 0
    for index, token in enumerate(spot.tokens[: spot.index + 1]):
        if token.start >= start:
            if depth == 0 and token.start > start and _starts_line(spot, index):
                lines.append(index)
            depth += (token.text == "{") - (token.text == "}")
    return lines


def _begins_otherwise(spot: Spot, kind: str, index: int) -> bool:
    """Whether a line begins a field or an assignment, where what stands before it is not complete."""
    first, before = spot.tokens[index], spot.tokens[index - 1]
    if first.kind is not Kind.WORD or first.text in RESERVED:
        return False
    if kind in ("Struct.fields", "VariantBody.fields"):
        return spot.found.text == ":" and spot.previous is first and before.text == ":"
    assigns = spot.found.text.endswith("=") and spot.found.text not in LEVEL
    is_open = (
        before.text in LEVEL
        or before.text in ("=", ",", "(", "[")
        or (before.text == ";" and spot.open_brackets[-1].text == "[")
    )
    return kind in ("Block.statements", "Example.entries") and assigns and is_open


def _begins_element(spot: Spot, index: int) -> bool:
    """Whether a word at a line's start begins a statement or member, rather than being a name."""
    if spot.tokens[index].text in RESERVED:
        return True
    after = spot.tokens[index + 1] if index + 1 < len(spot.tokens) else None
    return after is not None and (after.kind in (Kind.WORD, Kind.NUMBER) or after.text in ("{", "("))


def _is_header(spot: Spot) -> bool:
    """Whether what was cut short leads to a block, in which the line that follows seems to stand."""
    kind, start = spot.failure.elements[-1] if spot.failure.elements else ("", spot.tokens[0].start)
    header = _header(spot, start) if kind == "Block.statements" else spot.first
    leads = header is not None and (not kind or header.text in _OPENERS)
    return header is not None and leads and _line_indent(spot, spot.found) > _line_indent(spot, header)


def _starts_line(spot: Spot, index: int) -> bool:
    before = spot.tokens[index - 1].end if index else 0
    return "\n" in spot.text[before : spot.tokens[index].start]


def _pairs(spot: Spot) -> Iterator[tuple[Token | None, int]]:
    """Each `}` by its index, with the `{` that it closes."""
    stack: list[Token] = []
    for index, token in enumerate(spot.tokens):
        if token.text == "{":
            stack.append(token)
        elif token.text == "}":
            yield (stack.pop() if stack else None), index


def _extra_closer(spot: Spot) -> Token | None:
    """A `}` before the failure that is one too many: one that does not stand where its `{` would have it."""
    if spot.braces >= 0 or ("{" in spot.expected and spot.found.text != "}"):
        return None
    for opener, index in _pairs(spot):
        token = spot.tokens[index]
        if index > spot.index:
            break
        if opener is None:
            return token
        if "\n" not in spot.text[opener.start : token.start]:
            continue
        if not _starts_line(spot, index) or _line_indent(spot, token) != _line_indent(spot, opener):
            return token
    return spot.found if spot.found.text == "}" else None


def _extra_opener(spot: Spot) -> Token | None:
    """A `{` that is one too many: one that cannot stand where it does, or that a `)` of the same line closes."""
    if spot.braces <= 0:
        return None
    if spot.found.text == "{" and "{" not in spot.expected and not _leaves_block(spot):
        return spot.found
    if spot.found.text not in (")", "]") or len(spot.open_brackets) < 2:
        return None
    outer, inner = spot.open_brackets[-2:]
    same_line = "\n" not in spot.text[outer.start : spot.found.start]
    return inner if inner.text == "{" and CLOSER[outer.text] == spot.found.text and same_line else None


def _brace_around_members(spot: Spot) -> Token | None:
    """The `{` of a statement that stands among members, if members follow it and its `}` is missing."""
    brace = _body(spot) if "requires" in spot.expected and spot.braces > 0 else None
    index = spot.tokens.index(brace) + 1 if brace is not None else len(spot.tokens)
    if index >= len(spot.tokens) or spot.tokens[index].text not in _MEMBER_WORDS or not _starts_line(spot, index):
        return None
    return brace if _begins_element(spot, index) else None


def _innermost(spot: Spot) -> str:
    return spot.open_brackets[-1].text if spot.open_brackets else ""


def _one_too_many(brace: Token) -> Problem:
    span = Span(brace.start, brace.end)
    message = "this `}` is one too many"
    return Problem(SYNTAX, message, span, "no `{` is left for it", (), (Repair("Remove it", span, ""),))


def _leaves_block(spot: Spot) -> bool:
    """Whether a block should have ended before the statement that was found."""
    first = spot.first.text
    if "}" in spot.expected and spot.on_new_line and spot.found.text in _MEMBER_WORDS:
        return "let" in spot.expected or spot.found.text not in ("fn", "const")
    if spot.is_arm_in_block or (
        spot.ends_value and spot.found.text in _MEMBER_WORDS and _begins_element(spot, spot.index)
    ):
        return True
    leaves_if = first == "else" and spot.is_in_branch
    return ("let" in spot.expected and (first in _MEMBER_WORDS or leaves_if)) or (
        first in _MEMBER_WORDS and bool(spot.failure.elements) and spot.failure.elements[-1][0] == "Block.statements"
    )


def _place_of_closer(spot: Spot) -> int:
    """Where a `}` is missing: where the indentation goes back, but no later than where reading stopped."""
    opener = _unclosed(spot)
    if spot.is_arm_in_block and spot.ends_value:
        return spot.previous.end
    end = (
        spot.previous.end
        if spot.at_end or spot.ends_value or not spot.statement
        else spot.token(-len(spot.statement) - 1).end
    )
    for index, token in enumerate(spot.tokens[: spot.index]):
        if opener is None or token.start <= opener.start or token.start >= end:
            continue
        if _starts_line(spot, index) and _line_indent(spot, token) <= _line_indent(spot, opener):
            return spot.tokens[index - 1].end
    return end


def _unclosed(spot: Spot) -> Token | None:
    """The `{` that most likely lacks its `}`: one whose `}` stands further left than its line."""
    stack: list[Token] = []
    for index, token in enumerate(spot.tokens):
        if token.text == "{":
            stack.append(token)
        elif token.text == "}" and stack:
            opener = stack.pop()
            if stack and _starts_line(spot, index) and _line_indent(spot, token) < _line_indent(spot, opener):
                return opener
    return stack[-1] if stack else None


def _closed_by_outer(spot: Spot) -> Token | None:
    """The `{` before the failure whose `}` is missing, if another one's `}` that stands further left closes it."""
    opener = _unclosed(spot) if spot.braces > 0 else None
    if opener is None or _place_of_closer(spot) > spot.found.start:
        return None
    depth = 0
    for index, token in enumerate(spot.tokens):
        if token.start >= opener.start:
            depth += (token.text == "{") - (token.text == "}")
            if depth == 0:
                left = _starts_line(spot, index) and _line_indent(spot, token) < _line_indent(spot, opener)
                return opener if left and token.start < spot.failure.offset else None
    return None


def _body(spot: Spot) -> Token | None:
    """The `{` that what reading stopped in still leads to; before it `;` can stand in parentheses only."""
    kind, start = spot.failure.elements[-1] if spot.failure.elements else ("", 0)
    words = _LINE_STARTS.get(kind, frozenset()) if kind != "Block.statements" else frozenset()
    first = spot.index
    if "(" in (spot.found.text, spot.token(1).text if spot.found.text in _HEADERS else ""):
        after = (index for index in range(first, len(spot.tokens)) if spot.tokens[index].text in (")", "{"))
        first = next(after, first)
    for index, token in enumerate(spot.tokens[first:], first):
        anew = token.start > start and token.text in words and _starts_line(spot, index)
        if anew and _begins_element(spot, index):
            return None
        if token.text == "{":
            return _last_brace(spot, token)
        if token.text in (";", "}"):
            return None
    return None


def _last_brace(spot: Spot, brace: Token) -> Token:
    """The `{` of the body where that of a struct value comes before it, as in `with y = S { a: 0 } {`."""
    end = _closing(spot, brace)
    index = next((index for index, token in enumerate(spot.tokens) if token.start > end), len(spot.tokens))
    goes_on = index < len(spot.tokens) and spot.tokens[index].text == "{" and not _starts_line(spot, index)
    return _last_brace(spot, spot.tokens[index]) if goes_on else brace


def _header(spot: Spot, start: int) -> Token | None:
    """The word that begins the header in which reading stopped."""
    words: list[Token | None] = [None]
    for token in spot.tokens[: spot.index + (spot.found.start == start)]:
        if token.start < start:
            continue
        if token.text == "{":
            words.append(None)
        elif token.text == "}" and len(words) > 1:
            words.pop()
        elif token.text in _HEADERS:
            words[-1] = token
    return words[-1]


def _inner_brace(spot: Spot, element: tuple[str, int] | None) -> Token | None:
    """The innermost open `{`, if it is within the element, and this is no statement: its block holds a record."""
    braces = [bracket for bracket in spot.open_brackets if bracket.text == "{"]
    if not braces or (element is not None and (element[0] != "Kernel.members" or braces[-1].start < element[1])):
        return None
    return braces[-1]


def _closing(spot: Spot, brace: Token) -> int:
    """Where the `}` of a brace stands, or the text ends."""
    depth = 0
    for token in spot.tokens:
        if token.start >= brace.start:
            depth += (token.text == "{") - (token.text == "}")
            if depth == 0:
                return token.start
    return len(spot.text)


def _end(spot: Spot, start: int) -> int:
    """Where the element that begins at `start` ends: behind the failure, at its `;` or `}` or before a line that
    begins another."""
    kind = spot.failure.elements[-1][0] if spot.failure.elements else ""
    ends = {";", ","} if kind in _WITH_COMMAS else {";"}
    words = _LINE_STARTS.get(kind, frozenset())
    open_: list[str] = []
    end = start
    for index, token in enumerate(spot.tokens):
        if token.start < start:
            continue
        late = index >= spot.index
        text = token.text
        if late and token.start > start and "{" not in open_ and text in words and _starts_line(spot, index):
            return end
        if text in ("(", "[", "{"):
            open_.append(text)
        elif text == "}":
            if "{" not in open_:
                return end
            while open_.pop() != "{":
                pass
            after = spot.tokens[index + 1].text if index + 1 < len(spot.tokens) else ""
            goes_on = after in _GO_ON or (after == "while" and not _starts_line(spot, index + 1))
            if late and not open_ and not goes_on:
                return token.end
        elif text in (")", "]") and open_ and open_[-1] != "{":
            open_.pop()
        elif text in ends and late and (not open_ or (text == ";" and open_[-1] == "(")) and "{" not in open_:
            return token.end
        end = token.end
    return end
