"""From an expression of a grammar to Python statements that read it.

The statements share these variables of the parser that holds them:

    src, pos    the text, and the place in it where the next token begins
    end         where the last token ended: the end of an object that ends with it
    far         the farthest place where reading failed

A rule's function moves `pos` and `end` on and gives what it read, or gives None and leaves them where it failed.
Statements that may fail end in what their caller says, such as `return None` or `continue`.

The tracking parser differs in few lines. It notes what was expected at `far` (`miss`), and so tries alternatives
that a look at the next character could rule out, but only from `FAR` on, where the fast parser got to. Beside
`pos` it knows `raw`, Arpeggio's own position, as a failing `!` is noted there: before blanks that `pos` is after.
It also keeps `inside`, the elements of lists that are being read, each as the list's name and where the element began.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import count
from typing import TypeAlias

from kcheck.grammar.generator.firsts import Firsts
from kcheck.grammar.generator.names import Names
from kcheck.grammar.generator.patterns import OTHER
from kcheck.grammar.generator.shapes import (
    CONVERSIONS,
    Assign,
    Attribute,
    Call,
    Choice,
    Expression,
    Kind,
    Literal,
    Look,
    Maybe,
    Regex,
    Repeat,
    Rule,
    Sequence,
    Terminal,
    parts_of,
    show,
)
from kcheck.grammar.generator.undo import PARTS, left_behind

Lines: TypeAlias = list[str]
Take: TypeAlias = Callable[[str], Lines]
"""Given a Python expression for what was read, the statements that keep it."""

_LONGEST_COMMENT = 90


def forget(_value: str) -> Lines:
    return []


def indent(lines: Iterable[str]) -> Lines:
    return ["    " + line for line in lines]


def local(attribute: Attribute) -> str:
    """The variable that holds an attribute until there is an object for it."""
    return f"{attribute.name}_"


class Coder:
    """Writes the statements of one rule, for the fast or the tracking parser."""

    def __init__(self, rule: Rule, names: Names, firsts: Firsts, tracking: bool, lists: frozenset[str]) -> None:
        self.kind = rule.kind
        self.lists = {it: f"{rule.name}.{it.name}" for it in rule.attributes if f"{rule.name}.{it.name}" in lists}
        self.names = names
        self.firsts = firsts
        self.tracking = tracking
        self._numbers = count(1)

    def code(self, expression: Expression, fail: Lines, take: Take) -> Lines:
        match expression:
            case Literal() | Regex():
                tried, _, unmatched = self._tried(expression)
                failed = self._missed(expression) + fail
                return [*tried, f"if {unmatched}:", *indent(failed), *self._read(expression, take)]
            case Call(rule):
                return self._call(rule, fail, take)
            case Assign():
                return self._assign(expression, fail)
            case Sequence(parts):
                takes = self._takes(parts, take)
                return [line for part, its in zip(parts, takes, strict=True) for line in self.code(part, fail, its)]
            case Choice():
                return self._choice(expression, fail, take)
            case Maybe():
                return self._maybe(expression, take)
            case Repeat():
                return self._repeat(expression, fail, take)
            case Look():
                return self._look(expression, fail)

    def _takes(self, parts: tuple[Expression, ...], take: Take) -> list[Take]:
        """An alternative of an abstract rule gives what the first rule gives that it calls, and forgets the rest."""
        if self.kind is not Kind.ABSTRACT:
            return [take] * len(parts)
        giver = next((part for part in parts if isinstance(part, Call)), None)
        return [take if part is giver else forget for part in parts]

    # ------------------------------------------------------------ terminals

    def _tried(self, terminal: Terminal) -> tuple[Lines, str, str]:
        """What tries a terminal, and the conditions that it matched and that it did not."""
        match terminal:
            case Literal(text, word=False):
                matched = f"src.startswith({text!r}, pos)"
                return [], matched, f"not {matched}"
            case Literal(text):
                matched = f"src.startswith({text!r}, pos) and boundary(src, pos + {len(text)})"
                return [], matched, f"not ({matched})"
            case Regex():
                return [f"match = {self.names.matcher(terminal)}(src, pos)"], "match is not None", "match is None"

    def _read(self, terminal: Terminal, take: Take) -> Lines:
        """What goes on behind a terminal that matched. One that matched nothing is as if it were not there."""
        match terminal:
            case Literal(text):
                end, value = f"pos + {len(text)}", repr(text)
            case Regex():
                end, value = "match.end()", "match[0]"
        moved = [f"end = {end}", "pos = skip(src, end).end()", *self._if_tracking("raw = end")]
        lines = moved + take(converted(value, terminal.conversion))
        if not self.firsts.may_be_empty(terminal):
            return lines
        return ["if match[0]:", *indent(lines), *self._if_tracking("else:", "    raw = pos")]

    def _missed(self, terminal: Terminal) -> Lines:
        return self._if_tracking("if pos >= far:", f"    miss({terminal.name!r})")

    def _if_tracking(self, *lines: str) -> Lines:
        return list(lines) if self.tracking else []

    # ------------------------------------------------------------ rules and attributes

    def _call(self, rule: Rule, fail: Lines, take: Take) -> Lines:
        called = f"{self.names.function(rule)}()"
        kept = take("value")
        if not kept:
            return [f"if {called} is None:", *indent(fail)]
        return [f"value = {called}", "if value is None:", *indent(fail), *kept]

    def _assign(self, assign: Assign, fail: Lines) -> Lines:
        match assign:
            # The rule's None is the value of an attribute that has none.
            case Assign(Attribute(many=False, default=None) as attribute, Call(rule), flag=False):
                variable = local(attribute)
                return [f"{variable} = {self.names.function(rule)}()", f"if {variable} is None:", *indent(fail)]
        ended = ["inside.pop()"] if self.tracking and assign.attribute in self.lists else []
        return self.code(assign.value, fail, lambda value: [_store(assign, value), *ended])

    # ------------------------------------------------------------ groups

    def _choice(self, choice: Choice, fail: Lines, take: Take) -> Lines:
        """Alternatives in order: `break` keeps one, `continue` goes to the next."""
        number = next(self._numbers)
        undone = left_behind(choice, self.kind)
        lines = self._back(number, undone)
        for index, way in enumerate(choice.ways, 1):
            body = [*self.code(way, ["continue"], take), "break"]
            guard = self._guard(way)
            condition = f"way_{number} == {index}" + (f" and ({guard})" if guard else "")
            lines += [f"if {condition}:  # {_comment(way)}", *indent(body)]
        return [
            *self._mark(number, undone),
            f"for way_{number} in {tuple(range(1, len(choice.ways) + 1))}:",
            *indent(lines),
            "else:",
            *indent(fail),
        ]

    def _maybe(self, maybe: Maybe, take: Take) -> Lines:
        alone, take_alone = _alone(maybe.body, take)
        if alone is not None:
            tried, matched, _ = self._tried(alone)
            missed = self._if_tracking("else:", *indent(self._missed(alone)))
            return [*tried, f"if {matched}:", *indent(self._read(alone, take_alone)), *missed]
        number = next(self._numbers)
        undone = left_behind(maybe.body, self.kind)
        lines = [
            *self._mark(number, undone),
            f"for _ in ONCE:  # {_comment(maybe)}",
            *indent([*self.code(maybe.body, ["continue"], take), "break"]),
            "else:",
            *indent(self._back(number, undone)),
        ]
        guard = self._guard(maybe.body)
        return [f"if {guard}:", *indent(lines)] if guard else lines

    def _repeat(self, repeat: Repeat, fail: Lines, take: Take) -> Lines:
        number = next(self._numbers)
        undone = left_behind(repeat.body, self.kind)
        between = self._between(repeat, number, undone, take)
        counted = [f"more_{number} = True"] if repeat.needed or between else []
        # A terminal that fails leaves nothing to go back from.
        leaves = bool(between) or _alone(repeat.body, take)[0] is None
        mark = self._mark(number, undone) if leaves else []
        depth, begun, left = self._element(repeat, number)
        guard = None if between else self._guard(repeat.body)
        lines = [
            *([f"more_{number} = False"] if counted else []),
            *mark,
            *depth,
            f"while {guard or True}:  # {_comment(repeat)}",
            *indent([*between, *begun, *self.code(repeat.body, ["break"], take), *mark, *counted]),
            *left,
            *(self._back(number, undone) if leaves else []),
            *([f"if not more_{number}:", *indent(fail)] if repeat.needed else []),
        ]
        # Where not even one can begin there is nothing to go back from; what follows notes how far reading got.
        return [f"if {guard}:", *indent(lines)] if guard and mark and not repeat.needed else lines

    def _element(self, repeat: Repeat, number: int) -> tuple[Lines, Lines, Lines]:
        """What notes the elements of a list: before it, before each, and behind it."""
        named = next((name for it, name in self.lists.items() if it in _assigned_in(repeat.body)), None)
        if not self.tracking or named is None:
            return [], [], []
        begun = f"inside[depth_{number}:] = [({named!r}, pos)]"
        return [f"depth_{number} = len(inside)"], [begun], [f"del inside[depth_{number}:]"]

    def _between(self, repeat: Repeat, number: int, undone: list[Attribute], take: Take) -> Lines:
        """The separator, before all but the first. One that nothing follows textX keeps, though it reads on from
        before it: an object ends behind it, a text holds it."""
        if repeat.separator is None:
            return []
        read = self.code(repeat.separator, ["break"], take)
        kept = [f"parts_at_{number} = len(parts_)"] if PARTS in undone else []
        return [f"if more_{number}:", *indent([*read, f"end_{number} = end", *kept])]

    def _look(self, look: Look, fail: Lines) -> Lines:
        if isinstance(look.body, Literal | Regex):
            return self._look_at(look.body, look.wanted, fail)
        number = next(self._numbers)
        names = ("pos", "end", "raw", "hidden") if self.tracking else ("pos", "end", "far")
        body = [*self.code(look.body, ["continue"], forget), f"seen_{number} = True", "break"]
        hides = not look.wanted
        return [
            _assigned([f"{name}_{number}" for name in names], names),
            *(self._if_tracking("hidden = True") if hides else []),
            f"for _ in ONCE:  # {_comment(look)}",
            *indent(body),
            "else:",
            f"    seen_{number} = False",
            _assigned(names, [f"{name}_{number}" for name in names]),
            f"if {'not ' * look.wanted}seen_{number}:",
            *indent([*(self._if_tracking("hide(raw)") if hides else []), *fail]),
        ]

    def _look_at(self, terminal: Terminal, wanted: bool, fail: Lines) -> Lines:
        tried, matched, unmatched = self._tried(terminal)
        if wanted:
            return [*tried, f"if {unmatched}:", *indent([*self._missed(terminal), *fail])]
        refused = [*self._if_tracking("hide(raw)"), *fail]
        return [*tried, f"if {matched}:", *indent(refused), *self._if_tracking("hide(pos)")]

    # ------------------------------------------------------------ going back

    def _mark(self, number: int, undone: list[Attribute]) -> Lines:
        """Remembers the place to which `_back` returns."""
        names = self._place()
        lists = [f"{attribute.name}_at_{number} = len({local(attribute)})" for attribute in undone if attribute.many]
        return [_assigned([f"{name}_{number}" for name in names], names), *lists]

    def _back(self, number: int, undone: list[Attribute]) -> Lines:
        names = self._place()
        note = [] if self.tracking else ["if pos > far:", "    far = pos"]
        forgotten = [
            f"del {local(attribute)}[{attribute.name}_at_{number}:]"
            if attribute.many
            else f"{local(attribute)} = {attribute.default!r}"
            for attribute in undone
        ]
        return [*note, _assigned(names, [f"{name}_{number}" for name in names]), *forgotten]

    def _place(self) -> tuple[str, ...]:
        return ("pos", "end", "raw") if self.tracking else ("pos", "end")

    def _guard(self, expression: Expression) -> str | None:
        """The condition that the next character can begin `expression`, unless it is as quick to try."""
        if _begins_with_terminal(expression):
            return None
        first = self.firsts.first(expression)
        if len(first) == 1 and OTHER not in first:
            condition: str | None = f"src.startswith({min(first)!r}, pos)"
        else:
            condition = self.names.one_of(first, "src[pos : pos + 1]")
        return f"pos >= FAR or {condition}" if condition and self.tracking else condition


def _assigned_in(expression: Expression) -> frozenset[Attribute]:
    """The attributes to which an expression assigns itself, not by lists within it."""
    if isinstance(expression, Assign):
        return frozenset({expression.attribute})
    inner = (part for part in parts_of(expression) if not isinstance(part, Repeat))
    return frozenset[Attribute]().union(*map(_assigned_in, inner))


def _store(assign: Assign, value: str) -> str:
    variable = local(assign.attribute)
    if assign.flag:
        return f"{variable} = True"
    return f"{variable}.append({value})" if assign.attribute.many else f"{variable} = {value}"


def converted(value: str, conversion: str) -> str:
    return f"{CONVERSIONS[conversion]}({value})" if conversion else value


def _alone(expression: Expression, take: Take) -> tuple[Terminal | None, Take]:
    """The terminal that is all of `expression`, with what keeps it."""
    match expression:
        case Literal() | Regex():
            return expression, take
        case Assign(value=Literal() | Regex() as terminal):
            return terminal, lambda value: [_store(expression, value)]
    return None, take


def _begins_with_terminal(expression: Expression) -> bool:
    match expression:
        case Literal() | Regex():
            return True
        case Assign(value=value):
            return _begins_with_terminal(value)
        case Sequence(parts):
            return _begins_with_terminal(parts[0])
    return False


def _assigned(targets: Iterable[str], values: Iterable[str]) -> str:
    return f"{', '.join(targets)} = {', '.join(values)}"


def _comment(expression: Expression) -> str:
    """An expression to stand behind a `#`."""
    text = " ".join(show(expression).split())
    return text if len(text) <= _LONGEST_COMMENT else f"{text[: _LONGEST_COMMENT - 1]}…"
