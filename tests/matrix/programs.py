"""Programs made by chance, each with the oracle that grew with it.

A pure one is a feature that stands in any form.  The others act: they write memory, emit pairs, or exchange values
between lanes.
"""

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from random import Random
from typing import Any

from tests.matrix.arithmetic import bits, wrap
from tests.matrix.chance import BUMP, STRUCT, TYPES, Maker, Names, Piece, Returned, in_turn
from tests.matrix.columns import FLOAT_PAIRS, INT_PAIRS, feature
from tests.matrix.feature import Element, Feature
from tests.support import Result

COLUMNS = (*INT_PAIRS, *FLOAT_PAIRS)
INPUTS = "\n".join(f"input {c.port}: Rows<{c.type}>;" for c in COLUMNS)
LOCALS = "\n".join(f"let {c.name} = sample({c.port});" for c in COLUMNS)
PORTS: dict[str, tuple[str, bool]] = {c.name: (c.type, False) for c in COLUMNS}
REQUIRES = "requires { field.read; field.write; }"


@dataclass(frozen=True)
class Acting:
    """A kernel by chance; `expect` is its meaning for a number of elements."""

    source: str
    expect: Callable[[int], Result]


def inputs(count: int) -> dict[str, list[Any]]:
    return {c.port: [c.value(i) for i in range(count)] for c in COLUMNS}


def program(seed: int) -> Feature:
    """The feature of a seed: a body over two Ints and two Floats whose result is an Int."""
    maker = Maker(Random(seed))
    function = _helper(maker)
    maker.scopes = {"a": ("Int", False), "b": ("Int", False), "u": ("Float", False), "v": ("Float", False)}
    maker.returns = maker.chance.random() < 0.6
    declared = [maker.declare() for _ in range(4)]
    statements = [*declared, *(maker.statement(2) for _ in range(5))]
    last = [maker.value("Int", 2), *(_digest_of(name, type_) for name, (type_, _) in maker.scopes.items())]
    text = "\n".join(s.text for s in statements)
    total = " ^ ".join(f"({piece.text}) * {2 * i + 1}" for i, piece in enumerate(last))

    def oracle(e: Element) -> int:
        names: Names = {name: e[name] for name in "abuv"}
        try:
            in_turn(statements, names)
        except Returned as returned:
            return int(returned.value)
        mixed = 0
        for i, piece in enumerate(last):
            mixed ^= wrap(piece.run(names) * (2 * i + 1))
        return mixed

    returns = "\nRETURN(last);" if "RETURN(" in text else "\nlet r = last;"
    return feature(
        f"program {seed}",
        (*INT_PAIRS, *FLOAT_PAIRS),
        f"{text}\nlet last = {total};{returns}",
        oracle,
        items=STRUCT + function,
        count=45,
    )


def _helper(maker: Maker) -> str:
    """Give the maker a function to call: the text of its declaration."""
    maker.scopes = {"s": ("S", False), "k": ("Int", False)}
    maker.leave, maker.returns = "return {};", True
    statements = [maker.declare(), maker.leaving(1), *(maker.statement(1) for _ in range(3))]
    last = maker.value("Int", 3)

    text = "\n".join(s.text for s in statements)
    maker.leave, maker.helper = "RETURN({});", Piece("helper", lambda names: _returned(statements, last, names))
    return f"fn helper(s: S, k: Int) -> Int {{\n{text}\nreturn {last.text};\n}}\n"


def _digest_of(name: str, type_: str) -> Piece:
    """An Int that depends on all of a local."""
    match type_:
        case "Int":
            return Piece(name, lambda n: n[name])
        case "Bool":
            return Piece(f"int({name})", lambda n: int(n[name]))
        case "Float":
            return Piece(f"bitcast_int({name})", lambda n: bits(n[name]))
        case "[Int; 3]":
            return Piece(f"{name}[0] + 3 * {name}[1] + 5 * {name}[2]", lambda n: _sum(n[name]))
        case "Vec3":
            text = f"bitcast_int({name}.x) + 3 * bitcast_int({name}.y) ^ bitcast_int({name}.z)"
            return Piece(text, lambda n: _vector(n[name]))
        case "[[Int; 2]; 2]":
            text = f"{name}[0][0] + 3 * {name}[0][1] + 5 * {name}[1][0] + 7 * {name}[1][1]"
            return Piece(text, lambda n: _square(n[name]))
        case "S":
            text = f"{name}.n + bitcast_int({name}.f) + 7 * {name}.t[0] + {name}.t[2]"
            return Piece(text, lambda n: _struct(n[name]))
        case _:
            text = f"{name}[0].t[1] + 9 * {name}[1].n + {name}[1].t[1]"
            return Piece(text, lambda n: wrap(n[name][0]["t"][1] + 9 * n[name][1]["n"] + n[name][1]["t"][1]))


def _sum(t: list[int]) -> int:
    return wrap(t[0] + 3 * t[1] + 5 * t[2])


def _square(t: list[list[int]]) -> int:
    return wrap(t[0][0] + 3 * t[0][1] + 5 * t[1][0] + 7 * t[1][1])


def _vector(v: dict[str, float]) -> int:
    return wrap(bits(v["x"]) + 3 * bits(v["y"])) ^ bits(v["z"])


def _struct(s: dict[str, Any]) -> int:
    return wrap(s["n"] + bits(s["f"]) + 7 * s["t"][0] + s["t"][2])


# ---------------------------------------------------------------- memory

CELLS = [5, -1, 2147483647]


def memory_program(seed: int) -> Acting:
    """A scan whose steps read and write three cells in the middle of everything."""
    maker = Maker(Random(seed), dict(PORTS), acts="memory", leave="return {} ^ carry;")
    statements = [maker.declare(), *(maker.statement(2) for _ in range(7))]
    last = maker.value("Int", 3)
    text = "\n".join(s.text for s in statements)

    def expect(count: int) -> Result:
        cells, carry, given = list(CELLS), 7, []
        for i in range(count):
            names = {**_element(i), "cells": cells}
            carry ^= _returned(statements, last, names)
            given.append(carry)
        return Result({"result": given}, {"cells": cells})

    return Acting(
        f"""{STRUCT}
kernel chance.cells@1 {{
{REQUIRES}
{INPUTS}
memory cells: Rows<Int>;
output result: Rows<Int>;
{BUMP}
scan over in_a with carry = 7 {{
{LOCALS}
{text}
return {last.text} ^ carry;
}}
}}
""",
        expect,
    )


# ---------------------------------------------------------------- emit


def emitting_program(seed: int) -> Acting:
    """A scatter that emits wherever a statement may stand."""
    maker = Maker(Random(seed), dict(PORTS), acts="emit", leave="return Hit {{ slot: 0, value: {} }};")
    statements = [maker.declare(), *(maker.statement(2) for _ in range(7))]
    last = maker.value("Int", 3)
    text = "\n".join(s.text for s in statements)

    def expect(count: int) -> Result:
        cells = list(CELLS)
        for i in range(count):
            names = {**_element(i), "emitted": []}
            value = _returned(statements, last, names)
            for slot, added in [*names["emitted"], (0, value)]:
                if 0 <= slot < len(cells):
                    cells[slot] = wrap(cells[slot] + added)
        return Result({"result": cells})

    return Acting(
        f"""{STRUCT}
struct Hit {{ slot: Int; value: Int; }}
kernel chance.emitting@1 {{
{REQUIRES}
{INPUTS}
input target: Rows<Int>;
output result: Rows<Int>;
scatter over in_a into target with sum {{
{LOCALS}
{text}
return Hit {{ slot: 0, value: {last.text} }};
}}
}}
""",
        expect,
    )


# ---------------------------------------------------------------- lanes

GROUP = 8
PARAMS = {"rounds": 2, "on": True}
Lanes = list[Names]


@dataclass(frozen=True)
class Step:
    """A piece of a group's body, executed by all its lanes together."""

    text: str
    run: Callable[[Lanes], None]


def lanes_program(seed: int) -> Acting:
    """A group: code that parts the lanes, and between it exchanges that all of them reach."""
    maker = Maker(Random(seed), dict(PORTS), returns=False)
    steps = _steps(maker, 2)
    last = maker.value("Int", 3)
    text = "\n".join(s.text for s in steps)

    def expect(count: int) -> Result:
        lanes = [_element(i) for i in range(count)]
        for first in range(0, count, GROUP):
            group = lanes[first : first + GROUP]
            for step in steps:
                step.run(group)
        return Result({"result": [last.run(names) for names in lanes]})

    return Acting(
        f"""{STRUCT}
kernel chance.lanes@1 {{
{REQUIRES}
{INPUTS}
param rounds: Int;
param on: Bool;
output result: Rows<Int>;
group {GROUP} {{
{LOCALS}
{text}
return {last.text};
}}
}}
""",
        expect,
    )


def _steps(maker: Maker, depth: int) -> list[Step]:
    kinds: list[Callable[[Maker, int], Step]] = [_parted, _exchange, _exchange]
    if depth:
        kinds += [_rounds, _branch]
    first = _all(maker.declare())
    return [first, *(maker.chance.choice(kinds)(maker, depth) for _ in range(4)), _exchange(maker, depth)]


def _all(piece: Piece) -> Step:
    def run(lanes: Lanes) -> None:
        for names in lanes:
            piece.run(names)

    return Step(piece.text, run)


def _parted(maker: Maker, _: int) -> Step:
    return _all(maker.statement(2))


def _exchange(maker: Maker, _: int) -> Step:
    type_, name = maker.chance.choice(TYPES), maker.fresh("e")
    value, other = maker.value(type_, 2), maker.value("Int", 2)

    def run(lanes: Lanes) -> None:
        held = [value.run(names) for names in lanes]
        asked = [min(max(other.run(names), 0), len(lanes) - 1) for names in lanes]
        for names, lane in zip(lanes, asked, strict=True):
            names[name] = deepcopy(held[lane])

    text = f"var {name} = exchange({value.text}, {other.text});"
    maker.scopes[name] = (type_, True)
    return Step(text, run)


def _rounds(maker: Maker, depth: int) -> Step:
    """A loop whose rounds a param counts."""
    inner = _inside(maker, depth)

    def run(lanes: Lanes) -> None:
        for _ in range(PARAMS["rounds"]):
            inner.run(lanes)

    return Step(f"loop rounds {inner.text}", run)


def _branch(maker: Maker, depth: int) -> Step:
    """A branch that a param decides."""
    then, other = _inside(maker, depth), _inside(maker, depth)
    return Step(f"if on {then.text} else {other.text}", (then if PARAMS["on"] else other).run)


def _inside(maker: Maker, depth: int) -> Step:
    outside = dict(maker.scopes)
    steps = _steps(maker, depth - 1)
    maker.scopes = outside

    def run(lanes: Lanes) -> None:
        for step in steps:
            step.run(lanes)

    return Step("{\n" + "\n".join(s.text for s in steps) + "\n}", run)


# ---------------------------------------------------------------- shared


def _element(i: int) -> Names:
    return {c.name: c.value(i) for c in COLUMNS}


def _returned(statements: list[Piece], last: Piece, names: Names) -> int:
    try:
        in_turn(statements, names)
    except Returned as returned:
        return int(returned.value)
    return int(last.run(names))
