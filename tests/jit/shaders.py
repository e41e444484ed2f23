"""Random kernels whose elements part ways: loops in loops, left early or with bounds of their own."""

from __future__ import annotations

import random
from collections.abc import Callable

ITEMS = "struct Pair { a: Float; n: Int; }"


class Shader:
    """A map over `x` (Float) and `k` (Int) with a param `p` (Int), as text."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._counters: list[str] = []
        self._functions: list[str] = []
        self._names = 0
        self._shared, self._ports = "b", ["float(b)"]
        """What a function has in place of the param, and of reads."""

    def items(self) -> str:
        return "\n".join([ITEMS, *self._functions])

    def body(self) -> str:
        """What stands in `compute`; then `items` are known."""
        for _ in range(self._random.randrange(3)):
            self._functions.append(self._function())
        self._shared, self._ports = "p", ["sample(x)", "at(x, n)", "sample(x, g)"]
        start = "var f = sample(x); var g = 0.5; var n = sample(k); var q = Pair { a: 1.0, n: 3 };"
        return f"compute {{ {start} {self._block(3)} return f + g * float(n) + q.a + float(q.n); }}"

    def _function(self) -> str:
        name = f"f{len(self._functions)}"
        start = "var f = a; var g = float(b); var n = b; var q = Pair { a: a, n: b };"
        held = f"{start} {self._block(2)}"
        return f"fn {name}(a: Float, b: Int) -> Float {{ {held} return f - g + q.a; }}"

    def _pick(self, *choices: Callable[[], str]) -> str:
        return self._random.choice(choices)()

    # ------------------------------------------------------------ statements

    def _block(self, depth: int) -> str:
        return " ".join(self._statement(depth) for _ in range(self._random.randrange(1, 4)))

    def _statement(self, depth: int) -> str:
        if depth == 0 or self._random.random() < 0.35:
            return self._simple()
        inner = depth - 1
        return self._pick(
            lambda: f"if {self._condition()} {{ {self._block(inner)} }}",
            lambda: f"if {self._condition()} {{ {self._block(inner)} }} else {{ {self._block(inner)} }}",
            lambda: self._for(inner),
            lambda: self._for(inner),
            lambda: f"loop {self._few()} until {self._condition()} {{ {self._block(inner)} }}",
            lambda: f"match n & 3 {{ 0 => {{ {self._block(inner)} }} 1 | 2 => {{ {self._block(inner)} }} _ => {{ }} }}",
            lambda: f"let t{self._name()} = if {self._condition()} {{ {self._float()} }} else {{ return f; }};",
        )

    def _name(self) -> int:
        self._names += 1
        return self._names

    def _for(self, depth: int) -> str:
        name = f"i{self._name()}"
        low = self._pick(lambda: "0", lambda: "-2", lambda: "n & 3", lambda: self._shared)
        dots = self._random.choice(["..", "..="])
        head = f"for {name} in {low}{dots}{self._few()}"
        self._counters.append(name)
        if self._random.random() < 0.3:
            head += f" until {self._condition()}"
        made = f"{head} {{ {self._block(depth)} }}"
        self._counters.pop()
        return made

    def _few(self) -> str:
        return self._pick(
            lambda: str(self._random.randrange(5)), lambda: "(n & 7)", lambda: self._shared, lambda: "int(g) % 5"
        )

    def _simple(self) -> str:
        return self._pick(
            lambda: f"f = {self._float()};",
            lambda: f"f += {self._float()};",
            lambda: f"g = {self._float()};",
            lambda: f"n = {self._int()};",
            lambda: f"q.a = {self._float()};",
            lambda: f"q = Pair {{ a: {self._float()}, n: {self._int()} }};",
            lambda: f"if {self._condition()} {{ return {self._float()}; }}",
        )

    # ------------------------------------------------------------ expressions

    def _condition(self) -> str:
        return self._pick(
            lambda: f"f < {self._float()}",
            lambda: f"n > {self._int()}",
            lambda: f"(n & 1) == 0 && g != {self._float()}",
            lambda: f"({self._shared} > 2 || isnan({self._float()}))",
            lambda: f"{self._shared} == 3",
        )

    def _float(self) -> str:
        return self._pick(
            self._leaf,
            lambda: f"({self._leaf()} * 0.75 + {self._leaf()})",
            lambda: f"({self._leaf()} - f / {self._leaf()})",
            lambda: f"max(-{self._leaf()}, {self._leaf()})",
            lambda: f"sqrt({self._leaf()})",
            lambda: f"(if {self._leaf()} < g {{ {self._leaf()} }} else {{ {self._call()} }})",
            lambda: "exp(-abs(f))",
            self._call,
        )

    def _call(self) -> str:
        if not self._functions:
            return "floor(f)"
        return f"f{self._random.randrange(len(self._functions))}({self._leaf()}, n & 15)"

    def _leaf(self) -> str:
        return self._random.choice(["f", "g", "q.a", "0.25", "-0.0", "3.0", "float(n)", *self._ports])

    def _int(self) -> str:
        counters = self._counters or ["n"]
        return self._pick(
            lambda: "n",
            lambda: "q.n",
            lambda: self._random.choice(counters),
            lambda: f"({self._random.choice(counters)} * 3 - n)",
            lambda: "(n ^ 5)",
            lambda: "int(f)",
            lambda: "n / (q.n - 2)",
        )
