"""Random merges of which few values are reachable, so that all of them can be tried."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import product
from typing import Any

from kcheck.checker import ir
from kcheck.checker.law.problem import Law
from tests.law.exact import ExactProgram

INPUTS = (*range(-70, 70), -(2**31), 2**31 - 1, 2**30, -(2**30), 12345, -777, 65536, 0x5555, -0x5555)
"""What elements are tried."""
_NAMES = ("p", "q", "s")
PARAM = range(1, 5)
"""What the param `n` may be, of those merges that have it."""


def few_values(seed: int) -> str:
    """The source of a reduction to a struct of one to three small Ints and Bools."""
    return _Maker(random.Random(seed)).source()


class _Maker:
    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        types = [rng.choice(("Int", "Int", "Int", "Bool")) for _ in range(rng.choice((1, 1, 2, 2, 3)))]
        self._fields = dict(zip(_NAMES, types, strict=False))
        self._ints = [name for name, type_ in self._fields.items() if type_ == "Int"]
        self._bools = [name for name, type_ in self._fields.items() if type_ == "Bool"]
        self._mask = (1 << rng.choice((1, 2, 2, 3))) - 1
        self._has_param = rng.random() < 0.4

    def source(self) -> str:
        made = {"Int": self._element_int, "Bool": self._element_bool}
        element = ", ".join(f"{name}: {made[type_]()}" for name, type_ in self._fields.items())
        members = " ".join(f"{name}: {type_};" for name, type_ in self._fields.items())
        return (
            f"struct S {{ {members} }}\n"
            "kernel test.few@1 { requires { field.read; field.write; } input x: Rows<Int>; output result: Rows<S>;\n"
            f"{f'  param n: Int = 2 in {PARAM[0]}..{PARAM[-1]};' if self._has_param else ''}\n"
            f"  compute over x {{ S {{ {element} }} }}\n"
            f"  merge(a, b) {{ {self._merge()} }} }}\n"
        )

    def _one_of(self, *choices: str) -> str:
        return self._rng.choice(choices)

    def _number(self, low: int, high: int) -> str:
        """A number, or the param that is within these bounds or may leave them a little."""
        number = self._rng.randint(low, high)
        return "n" if self._has_param and low > 0 and self._rng.random() < 0.7 else str(number)

    # ------------------------------------------------------------ elements

    def _element_int(self) -> str:
        return self._one_of(
            f"sample(x) & {self._mask}",
            self._number(0, 3),
            f"(sample(x) >> {self._number(1, 4)}) & {self._mask}",
            f"abs(sample(x) % {self._number(2, 5)})",
            f"clamp(sample(x), {self._number(-2, 0)}, {self._number(1, 3)})",
            f"if sample(x) > 0 {{ {self._number(0, 3)} }} else {{ {self._number(0, 3)} }}",
            f"sample(x) & -sample(x) & {self._mask}",
        )

    def _element_bool(self) -> str:
        return self._one_of("sample(x) > 0", "sample(x) & 4 != 0", "true", f"sample(x) % 3 == {self._number(0, 2)}")

    # ------------------------------------------------------------ merges

    def _merge(self) -> str:
        if self._rng.random() < 0.2:
            return f"if {self._bool(1)} {{ a }} else if {self._bool(1)} {{ b }} else {{ {self._one_of('a', 'b')} }}"
        depth = self._rng.choice((1, 1, 2, 2, 3))
        made = {"Int": self._int, "Bool": self._bool}
        return f"S {{ {', '.join(f'{name}: {made[type_](depth)}' for name, type_ in self._fields.items())} }}"

    def _int(self, depth: int) -> str:
        chance = self._rng.random()
        if depth == 0:
            own = [f"{side}.{name}" for name in self._ints for side in "ab"] * 2
            return self._one_of(*own, *map(str, (0, 1, 2, 3, -1, 7)))
        if self._ints and chance < 0.45:
            return self._sided(self._rng.choice(self._ints))
        if chance < 0.7:
            return f"(if {self._bool(depth - 1)} {{ {self._int(depth - 1)} }} else {{ {self._int(depth - 1)} }})"
        if chance < 0.85:
            return f"({self._int(depth - 1)} {self._one_of('+', '-', '*', '&', '|', '^')} {self._int(depth - 1)})"
        if chance < 0.93:
            return f"clamp({self._int(depth - 1)}, {self._number(-2, 0)}, {self._number(1, 4)})"
        return f"{self._one_of('min', 'max')}({self._int(depth - 1)}, {self._int(depth - 1)})"

    def _sided(self, name: str) -> str:
        """What merges often do with one field of both sides."""
        x, y = self._rng.sample((f"a.{name}", f"b.{name}"), 2)
        return self._one_of(
            f"min({x}, {y})",
            f"max({x}, {y})",
            f"({x} {self._one_of('|', '&', '^')} {y})",
            f"(({x} + {y}) & {self._mask})",
            f"min({x} + {y}, {self._mask})",
            f"(({x} + {y}) % {self._number(2, 5)})",
            f"({x} * {y} % {self._number(2, 7)})",
            x,
        )

    def _bool(self, depth: int) -> str:
        chance = self._rng.random()
        if self._bools and chance < 0.4:
            name = self._rng.choice(self._bools)
            return self._one_of(
                f"(a.{name} {self._one_of('&&', '||', '!=', '==')} b.{name})", f"a.{name}", f"!b.{name}"
            )
        if self._ints and chance < 0.8:
            name = self._rng.choice(self._ints)
            compared = f"a.{name} {self._one_of('<', '<=', '==', '!=', '>', '>=')} b.{name}"
            side = self._one_of("a", "b")
            return self._one_of(compared, f"{side}.{name} == {self._number(0, 3)}", f"a.{name} + b.{name} > 2")
        if depth == 0:
            return self._one_of("true", "false")
        return f"({self._bool(depth - 1)} {self._one_of('&&', '||')} {self._bool(depth - 1)})"


# ---------------------------------------------------------------- the truth


def laws_of(program: ir.Program, most: int) -> frozenset[Law] | None:
    """The laws that hold for all values that the `INPUTS` lead to; None where these are more than `most`."""
    found = set(Law)
    for n in PARAM if program.params else PARAM[:1]:
        laws = _laws_with(ExactProgram(program, {"n": n}), most)
        if laws is None:
            return None
        found &= laws
    return frozenset(found)


def _laws_with(run: ExactProgram, most: int) -> set[Law] | None:
    values = list(dict.fromkeys(run.compute(lambda node, address, read=read: read) for read in INPUTS))
    merged: dict[tuple[Any, Any], Any] = {}
    while True:
        new = [pair for pair in product(values, repeat=2) if pair not in merged]
        if not new:
            return {law for law in Law if _holds(law, values, merged)}
        merged |= {pair: run.merge(*pair) for pair in new}
        values = list(dict.fromkeys((*values, *merged.values())))
        if len(values) > most:
            return None


def _holds(law: Law, values: Sequence[Any], merged: dict[tuple[Any, Any], Any]) -> bool:
    if law is Law.COMMUTATIVE:
        return all(merged[a, b] == merged[b, a] for a, b in product(values, repeat=2))
    return all(merged[merged[a, b], c] == merged[a, merged[b, c]] for a, b, c in product(values, repeat=3))
