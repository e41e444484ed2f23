"""Pieces of programs made by chance: text and meaning grow together, so each one brings its own oracle.

What they mix is what a backend that runs many elements at once gets wrong: branches, loops and early returns that
turn on the data, around writes to parts of values.
"""

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, field
from functools import partial
from random import Random
from typing import Any

from tests.matrix.arithmetic import (
    bits,
    div,
    fadd,
    fdiv,
    floor,
    fmax,
    fmin,
    fmul,
    fsub,
    leaves,
    pcg,
    rem,
    shl,
    shr,
    to_float,
    to_int,
    ushr,
    wrap,
)

Names = dict[str, Any]
"""The locals of a run by name; values are Python's, parts of them change in place."""

STRUCT = "struct S { n: Int; f: Float; t: [Int; 3]; }\n"
ARRAYS = {"[Int; 3]": ("Int", 3), "[S; 2]": ("S", 2), "[[Int; 2]; 2]": ("[Int; 2]", 2), "[Int; 2]": ("Int", 2)}
PARTS = {
    "S": (("n", "Int"), ("f", "Float"), ("t", "[Int; 3]")),
    "Vec3": (("x", "Float"), ("y", "Float"), ("z", "Float")),
}
TYPES = ("Int", "Int", "Float", "Bool", "[Int; 3]", "S", "[S; 2]", "[[Int; 2]; 2]", "Vec3")


class Returned(Exception):
    """How a `return` leaves the meaning of a body."""

    def __init__(self, value: Any) -> None:
        self.value = value


@dataclass(frozen=True)
class Piece:
    """A piece of text; `run` evaluates it, or executes it."""

    text: str
    run: Callable[[Names], Any]


@dataclass
class Place:
    """A place that can be written: the name and the way into its value; each step is a field's name or an index."""

    text: str
    name: str
    steps: list[str | Piece]
    type: str


@dataclass
class Maker:
    """Makes pieces; `scopes` maps each name in sight to its type and whether it may be written."""

    chance: Random
    scopes: dict[str, tuple[str, bool]] = field(default_factory=dict)
    count: int = 0
    returns: bool = True
    leave: str = "RETURN({});"
    helper: Piece | None = None
    """A function of an S and an Int that gives an Int; its text is its name."""
    acts: str = ""
    """What statements may do besides: read and write `memory`, or `emit`."""

    def fresh(self, prefix: str) -> str:
        self.count += 1
        return f"{prefix}{self.count}"

    # ------------------------------------------------------------ expressions

    def value(self, type_: str, depth: int) -> Piece:
        """An expression of this type."""
        chance = self.chance
        if depth > 0 and chance.random() < 0.15:
            return self._conditional(type_, depth)
        if found := self._read(type_, depth):
            return found
        match type_:
            case "Int":
                return self._int(depth)
            case "Float":
                return self._float(depth)
            case "Bool":
                return self._bool(depth)
            case "S" | "Vec3":
                names = [name for name, _ in PARTS[type_]]
                parts = [self.value(part, depth - 1) for _, part in PARTS[type_]]
                texts = [f"{name}: {p.text}" for name, p in zip(names, parts, strict=True)]
                text = f"S {{ {', '.join(texts)} }}" if type_ == "S" else f"vec3({', '.join(p.text for p in parts)})"
                return Piece(text, lambda n: {name: p.run(n) for name, p in zip(names, parts, strict=True)})
            case _:
                element, length = ARRAYS[type_]
                parts = [self.value(element, depth - 1) for _ in range(length)]
                return Piece(f"[{', '.join(p.text for p in parts)}]", lambda n: [p.run(n) for p in parts])

    def _conditional(self, type_: str, depth: int) -> Piece:
        test, then, other = self.value("Bool", depth - 1), self.value(type_, depth - 1), self.value(type_, depth - 1)
        return Piece(
            f"(if {test.text} {{ {then.text} }} else {{ {other.text} }})",
            lambda names: then.run(names) if test.run(names) else other.run(names),
        )

    def _read(self, type_: str, depth: int) -> Piece | None:
        """A name, or a part of one; None by chance or where there is none."""
        if depth > 0 and self.chance.random() < 0.4:
            return None
        places = [p for name in self.scopes for p in self._places(name, depth) if p.type == type_]
        if not places:
            return None
        place = self.chance.choice(places)
        return Piece(place.text, lambda names: deepcopy(_reach(names[place.name], _keys(place, names))))

    def _places(self, name: str, depth: int) -> list[Place]:
        """`name` and some parts of its value."""
        found = [Place(name, name, [], self.scopes[name][0])]
        for place in found:
            for part, type_ in PARTS.get(place.type, ()):
                found.append(Place(f"{place.text}.{part}", name, [*place.steps, part], type_))
            if place.type in ARRAYS:
                index = self._index(depth)
                found.append(Place(f"{place.text}[{index.text}]", name, [*place.steps, index], ARRAYS[place.type][0]))
        return found

    def _index(self, depth: int) -> Piece:
        """Mostly inside, now and then outside."""
        if depth <= 0 or self.chance.random() < 0.4:
            number = self.chance.choice((0, 1, 2, 3, -1, 0, 1))
            return Piece(str(number), lambda _: number)
        inner = self._narrow(depth - 1)
        return Piece(f"{inner.text} - 1", lambda names: wrap(inner.run(names) - 1))

    def _narrow(self, depth: int) -> Piece:
        """An Int from 0 to 3."""
        inner = self.value("Int", depth)
        return Piece(f"({inner.text} & 3)", lambda names: inner.run(names) & 3)

    def _int(self, depth: int) -> Piece:
        if depth <= 0 or self.chance.random() < 0.2:
            number = self.chance.choice((0, 1, 2, 3, 7, -1, -5, 31, 1000, 2147483647, -2147483648))
            return Piece(str(number) if number >= 0 else f"({number})", lambda _: number)
        if self.acts == "memory" and self.chance.random() < 0.4:
            index = self._index(depth - 1)
            if self.chance.random() < 0.5:
                return Piece(f"at(cells, {index.text})", lambda n: _reach(n["cells"], [index.run(n)]))
            return Piece(f"bump({index.text})", lambda n: bump(n, index.run(n)))
        if self.helper and self.chance.random() < 0.2:
            helper, s, k = self.helper, self.value("S", depth - 1), self.value("Int", depth - 1)
            return Piece(f"{helper.text}({s.text}, {k.text})", lambda n: helper.run({"s": s.run(n), "k": k.run(n)}))
        if self.chance.random() < 0.3:
            type_, text, meaning = self.chance.choice(TO_INT)
            inner = self.value(type_, depth - 1)
            return Piece(text.format(inner.text), lambda names: meaning(inner.run(names)))
        return self._both("Int", self.chance.choice(list(INT_OPS.items())), depth)

    def _float(self, depth: int) -> Piece:
        if depth <= 0 or self.chance.random() < 0.2:
            number = self.chance.choice((0.0, 1.0, 0.5, 2.0, 1024.25))
            return Piece(repr(number), lambda _: number)
        if self.chance.random() < 0.3:
            type_, text, meaning = self.chance.choice(TO_FLOAT)
            inner = self.value(type_, depth - 1)
            return Piece(text.format(inner.text), lambda names: meaning(inner.run(names)))
        return self._both("Float", self.chance.choice(list(FLOAT_OPS.items())), depth)

    def _bool(self, depth: int) -> Piece:
        kind = self.chance.random()
        if depth <= 0 or kind < 0.1:
            truth = self.chance.random() < 0.5
            return Piece("true" if truth else "false", lambda _: truth)
        if kind < 0.3:
            left, right = self.value("Bool", depth - 1), self.value("Bool", depth - 1)
            if kind < 0.2:
                return Piece(f"({left.text} && {right.text})", lambda n: left.run(n) and right.run(n))
            return Piece(f"({left.text} || {right.text})", lambda n: left.run(n) or right.run(n))
        if kind < 0.35:
            inner = self.value("Bool", depth - 1)
            return Piece(f"!{inner.text}", lambda n: not inner.run(n))
        if kind < 0.42:
            type_ = self.chance.choice(("S", "[Int; 3]", "Vec3"))
            return self._both(type_, ("({} == {})", equal), depth)
        return self._both(self.chance.choice(("Int", "Int", "Float")), self.chance.choice(list(TESTS.items())), depth)

    def _both(self, type_: str, op: tuple[str, Callable[[Any, Any], Any]], depth: int) -> Piece:
        text, meaning = op
        left, right = self.value(type_, depth - 1), self.value(type_, depth - 1)
        return Piece(text.format(left.text, right.text), lambda n: meaning(left.run(n), right.run(n)))

    # ------------------------------------------------------------ statements

    def block(self, length: int, depth: int) -> Piece:
        """Statements in braces, with their own names."""
        outside = dict(self.scopes)
        statements = [self.statement(depth) for _ in range(length)]
        self.scopes = outside
        return Piece("{\n" + "\n".join(s.text for s in statements) + "\n}", lambda n: in_turn(statements, n))

    def statement(self, depth: int) -> Piece:
        if self.acts and self.chance.random() < 0.25:
            return self._act()
        if depth <= 0:
            return self.chance.choice((self.declare, self._assign, self._assign))()
        kinds: list[Callable[[], Piece]] = [self.declare, self._assign, self._assign]
        deeper = [self._if, self._for, self._loop, self._match, *([self.leaving] if self.returns else [])]
        kinds += [partial(kind, depth - 1) for kind in deeper]
        return self.chance.choice(kinds)()

    def _act(self) -> Piece:
        index, value = self._index(2), self.value("Int", 2)

        def put(n: Names) -> None:
            key = index.run(n)
            _write(n, "cells", [key], value.run(n))

        if self.acts == "memory":
            return Piece(f"put(cells, {index.text}, {value.text});", put)
        text = f"emit(Hit {{ slot: {index.text}, value: {value.text} }});"
        return Piece(text, lambda n: n["emitted"].append((index.run(n), value.run(n))))

    def declare(self) -> Piece:
        type_ = self.chance.choice(TYPES)
        first, name = self.value(type_, 2), self.fresh("x")
        self.scopes[name] = (type_, True)
        return Piece(f"var {name}: {type_} = {first.text};", lambda n: n.update({name: first.run(n)}))

    def _assign(self) -> Piece:
        places = [p for name, (_, free) in self.scopes.items() if free for p in self._places(name, 2)]
        if not places:
            return self.declare()
        place = self.chance.choice(places)
        if place.type in ("Int", "Float") and self.chance.random() < 0.4:
            return self._compound(place)
        new = self.value(place.type, 3)

        def run(n: Names) -> None:
            right = new.run(n)
            _write(n, place.name, _keys(place, n), right)

        return Piece(f"{place.text} = {new.text};", run)

    def _compound(self, place: Place) -> Piece:
        sign, meaning = self.chance.choice(COMPOUND[place.type])
        new = self.value(place.type, 2)

        def run(n: Names) -> None:
            right = new.run(n)
            keys = _keys(place, n)
            _write(n, place.name, keys, meaning(_reach(n[place.name], keys), right))

        return Piece(f"{place.text} {sign}= {new.text};", run)

    def _if(self, depth: int) -> Piece:
        test, then, other = self.value("Bool", 3), self.block(2, depth), self.block(self.chance.randrange(3), depth)
        return Piece(
            f"if {test.text} {then.text} else {other.text}",
            lambda n: then.run(n) if test.run(n) else other.run(n),
        )

    def _for(self, depth: int) -> Piece:
        """`for i in low..high until c { … }`, of few rounds; the bounds and `c` turn on the data."""
        low, more, name = self._index(2), self._narrow(2), self.fresh("i")
        outside = dict(self.scopes)
        self.scopes[name] = ("Int", False)
        stop = self.value("Bool", 2) if self.chance.random() < 0.5 else None
        body = self.block(2, depth)
        self.scopes = outside
        closed = self.chance.random() < 0.3
        until = f" until {stop.text}" if stop else ""

        def run(n: Names) -> None:
            for i in range(low.run(n), more.run(n) + closed):
                n[name] = i
                if stop and stop.run(n):
                    break
                body.run(n)

        dots = "..=" if closed else ".."
        return Piece(f"for {name} in {low.text}{dots}{more.text}{until} {body.text}", run)

    def _loop(self, depth: int) -> Piece:
        times, stop, body = self._narrow(2), self.value("Bool", 2), self.block(2, depth)

        def run(n: Names) -> None:
            for _ in range(times.run(n)):
                if stop.run(n):
                    break
                body.run(n)

        return Piece(f"loop {times.text} until {stop.text} {body.text}", run)

    def _match(self, depth: int) -> Piece:
        subject = self.value("Int", 2)
        few, some, rest = (self.block(1 + (depth > 0), depth) for _ in range(3))

        def run(n: Names) -> None:
            value = subject.run(n)
            (few if value in (0, -1, 7) else some if 1 <= value < 100 else rest).run(n)

        text = f"match {subject.text} {{ 0 | -1 | 7 => {few.text} 1..100 => {some.text} _ => {rest.text} }}"
        return Piece(text, run)

    def leaving(self, depth: int) -> Piece:
        """Leave under a condition, so that what follows is reached."""
        test, value, name = self.value("Bool", 3), self.value("Int", 2), self.fresh("r")

        def run(n: Names) -> None:
            if test.run(n):
                raise Returned(value.run(n))

        return Piece(f"if {test.text} {{ let {name} = {value.text}; {self.leave.format(name)} }}", run)


INT_OPS: dict[str, Callable[[int, int], int]] = {
    "({} + {})": lambda a, b: wrap(a + b),
    "({} - {})": lambda a, b: wrap(a - b),
    "({} * {})": lambda a, b: wrap(a * b),
    "({} / {})": div,
    "({} % {})": rem,
    "({} & {})": lambda a, b: a & b,
    "({} | {})": lambda a, b: a | b,
    "({} ^ {})": lambda a, b: a ^ b,
    "({} << {})": shl,
    "({} >> {})": shr,
    "({} >>> {})": ushr,
    "min({}, {})": min,
    "max({}, {})": max,
}
FLOAT_OPS: dict[str, Callable[[float, float], float]] = {
    "({} + {})": fadd,
    "({} - {})": fsub,
    "({} * {})": fmul,
    "({} / {})": fdiv,
    "min({}, {})": fmin,
    "max({}, {})": fmax,
}
TESTS: dict[str, Callable[[Any, Any], bool]] = {
    "({} == {})": lambda a, b: a == b,
    "({} != {})": lambda a, b: a != b,
    "({} < {})": lambda a, b: a < b,
    "({} <= {})": lambda a, b: a <= b,
    "({} > {})": lambda a, b: a > b,
    "({} >= {})": lambda a, b: a >= b,
}
TO_INT: list[tuple[str, str, Callable[[Any], int]]] = [
    ("Int", "(-{})", lambda a: wrap(-a)),
    ("Int", "(~{})", lambda a: ~a),
    ("Int", "hash({})", pcg),
    ("Int", "abs({})", lambda a: wrap(abs(a))),
    ("Float", "int({})", to_int),
    ("Float", "bitcast_int({})", bits),
    ("Bool", "int({})", int),
]
TO_FLOAT: list[tuple[str, str, Callable[[Any], float]]] = [
    ("Float", "(-{})", lambda a: -a),
    ("Float", "floor({})", floor),
    ("Float", "abs({})", abs),
    ("Int", "float({})", to_float),
    ("Bool", "float({})", to_float),
]
COMPOUND: dict[str, list[tuple[str, Callable[[Any, Any], Any]]]] = {
    "Int": [("+", INT_OPS["({} + {})"]), ("*", INT_OPS["({} * {})"]), ("/", div), ("^", INT_OPS["({} ^ {})"])],
    "Float": [("+", fadd), ("*", fmul), ("-", fsub)],
}


BUMP = """fn bump(i: Int) -> Int {
  let old = at(cells, i);
  put(cells, i, old * 3 + 1);
  return old;
}"""


def bump(names: Names, i: int) -> int:
    """The meaning of `BUMP`."""
    old: int = _reach(names["cells"], [i])
    _write(names, "cells", [i], wrap(old * 3 + 1))
    return old


def equal(a: Any, b: Any) -> bool:
    """`==` of whole values; Python's own takes a NaN for equal to itself inside lists and dicts."""
    return all(x == y for x, y in zip(leaves(a), leaves(b), strict=True))


def in_turn(statements: list[Piece], names: Names) -> None:
    for statement in statements:
        statement.run(names)


def _keys(place: Place, names: Names) -> list[str | int]:
    """The way into the value, its indices evaluated."""
    return [step if isinstance(step, str) else step.run(names) for step in place.steps]


def _reach(value: Any, keys: list[str | int]) -> Any:
    """The part of a value; an index outside takes the nearest place."""
    for key in keys:
        value = value[key] if isinstance(key, str) else value[min(max(key, 0), len(value) - 1)]
    return value


def _write(names: Names, name: str, keys: list[str | int], new: Any) -> None:
    """Write a part of a value; where an index is outside, nothing."""
    if not keys:
        names[name] = new
        return
    value = names[name]
    for key in keys[:-1]:
        if not isinstance(key, str) and not 0 <= key < len(value):
            return
        value = value[key]
    last = keys[-1]
    if isinstance(last, str) or 0 <= last < len(value):
        value[last] = new
