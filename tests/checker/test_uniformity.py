"""Uniformity: the public cases, a few more, and the analysis held to what the interpreter sees happen."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kcheck.checker import Checked, check_text
from kcheck.grammar.diagnostics import Diagnostic, Severity
from kcheck.runtime.binding import bind
from kcheck.runtime.errors import RunError
from kcheck.runtime.interpreter import Interpreter

CASES = json.loads(Path(__file__).with_name("uniformity.json").read_text("utf-8"))

PROGRAM = """\
enum T {{ A; B; }}
struct Pt {{ x: Int; y: Int; }}
{defs}
kernel u.t@1 {{
  requires {{ field.read; field.write; }}
  input line: Rows<Int>;
  output result: Rows<Int>;
  param k: Int = 2;
  param n: Int = 3;
  param b: Bool = true;
  param m: T = A;
  group {size} {{ {body} }}
}}
"""


KINDS = json.loads(Path(__file__).with_name("uniformity_kinds.json").read_text("utf-8"))

KINDS_PROGRAM = """\
enum T {{ A; B; }}
enum W {{ No; Yes {{ n: Int; }} }}
struct Pt {{ x: Int; y: Int; }}
struct Deep {{ p: Pt; v: Vec2; a: [Int; 3]; w: W; }}
{defs}
kernel u.t@1 {{
  requires {{ field.read; field.write; }}
  input line: Rows<Int>;
  input grid: Grid<Float>;
  output result: Rows<Int>;
  param k: Int = 2;
  param n: Int = 3;
  param b: Bool = true;
  param m: T = A;
  param v2: Vec2 = vec2(1.0);
  group 64 {{ {body} }}
}}
"""


def check(body: str, defs: str = "", size: int = 64) -> Checked:
    return check_text(PROGRAM.format(defs=defs, body=body, size=size), "case.kernel")


def errors(checked: Checked) -> list[Diagnostic]:
    return [d for d in checked.diagnostics if d.severity is Severity.ERROR]


def source(checked: Checked, diagnostic: Diagnostic) -> str:
    span = checked.file.absolute(diagnostic.origin)
    return checked.file.text[span.start : span.end]


@pytest.mark.parametrize("case", KINDS, ids=lambda case: case["body"][34:90])
def test_more_of_each_kind(case: dict[str, str]) -> None:
    checked = check_text(KINDS_PROGRAM.format(defs=case.get("defs", ""), body=case["body"]), "case.kernel")
    assert [d.code for d in errors(checked)] == (["K501"] if case["expect"] == "refuse" else [])


@pytest.mark.parametrize("case", CASES, ids=lambda c: f"{c['id']} {c['idea']}")
def test_public_case(case: dict[str, Any]) -> None:
    checked = check(str(case["body"]), str(case.get("defs", "")))
    found = errors(checked)
    if case["expect"] == "ok":
        assert [d.message for d in found] == []
        assert set(checked.programs) == {"u.t@1"}
        return
    assert [d.code for d in found] == ["K501"]
    assert not checked.programs
    chain = " / ".join(n.message for n in found[0].notes)
    position = 0
    for word in case["trace"]:
        position = chain.index(str(word), position) + 1


def test_error_points_at_the_exchange() -> None:
    checked = check("let v = sample(line); var y = 0; if lane() < 3 { y = exchange(v, 1); } return y;")
    (error,) = errors(checked)
    assert source(checked, error) == "exchange(v, 1)"
    noted = [checked.file.absolute(n.origin) for n in error.notes if n.origin is not None]
    assert [checked.file.text[s.start : s.end] for s in noted][-1] == "lane()"


def test_uneven_argument_is_reported_at_the_call() -> None:
    defs = "fn maybe(p: Int, x: Int) -> Int { if p > 0 { return exchange(x, 0); } return x; }"
    checked = check("let v = sample(line); return maybe(k, v) + maybe(v, v);", defs)
    (error,) = errors(checked)
    assert source(checked, error) == "maybe(v, v)"


def test_unevenness_born_in_a_function_is_reported_there() -> None:
    defs = "fn odd(x: Int) -> Int { if lane() % 2 == 1 { return exchange(x, 0); } return x; }"
    checked = check("let v = sample(line); return odd(v) + odd(k);", defs)
    (error,) = errors(checked)
    assert source(checked, error) == "exchange(x, 0)"


@pytest.mark.parametrize(
    "body",
    [
        "var p = Pt { x: 1, y: 2 }; p.x = sample(line); if p.y > 1 { return exchange(p.x, 0); } return p.x;",
        "var v = vec3(0.0); v.y = float(sample(line)); if v.xz == vec2(0.0) { return exchange(1, 0); } return 2;",
        "var v = vec2(float(lane()), 1.0); v[0] = 2.0; if v.x > 1.0 { return exchange(1, 0); } return 2;",
        "if at(line, group()) > 0 { return exchange(lane(), 0); } return 0;",
        "if at(line, k) > exchange(sample(line), n) { return exchange(lane(), 0); } return 0;",
        "let w = if b { k } else { n }; loop w until w > 9 { let q = exchange(lane(), w); } return w;",
        "match m { A => exchange(lane(), 0), B => 1 }",
        "var s = 0; for i in 0..4 { if lane() == i { s += 1; } s += exchange(s, 0); } return s;",
    ],
)
def test_accepted(body: str) -> None:
    assert errors(check(body)) == []


@pytest.mark.parametrize(
    "body",
    [
        "var p = Pt { x: 1, y: 2 }; p.x = sample(line); if p.x > 1 { return exchange(p.y, 0); } return p.y;",
        "var v = vec2(float(lane()), 1.0); v[k] = 2.0; if v.x > 1.0 { return exchange(1, 0); } return 2;",
        "if at(line, lane()) > 0 { return exchange(1, 0); } return 0;",
        "var a = k; for i in 0..3 { if a > 5 { let q = exchange(1, 0); } a = select(lane() > i, a, n); } return a;",
        "for i in 0..3 { if sample(line) == i { return 1; } let q = exchange(1, 0); } return 0;",
        "var c = 0; loop sample(line) { c += 1; } if c > 2 { return exchange(c, 0); } return c;",
        "var c = 0; loop 9 until c > sample(line) { c += 1; } if c > 2 { return exchange(c, 0); } return c;",
        "let t = if sample(line) > 0 { A } else { m }; match t { A => exchange(1, 0), B => 1 }",
        "if inverse(mat2(1.0, 0.0, 0.0, float(lane())))[0].x > 0.0 { return exchange(1, 0); } return 0;",
    ],
)
def test_refused(body: str) -> None:
    assert [d.code for d in errors(check(body))] == ["K501"]


# ---------------------------------------------------------------- held to the interpreter


class _Writer:
    """Random bodies in which everything may steer an exchange."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def body(self) -> str:
        start = "let v = sample(line); var a = k; var c = lane(); var p = Pt { x: v, y: n }; "
        return start + self._statements(3) + " return a + c + p.x + p.y;"

    def _pick(self, *choices: str) -> str:
        return self._random.choice(choices)

    def _value(self, depth: int = 2) -> str:
        if depth == 0 or self._random.random() < 0.4:
            return self._pick("a", "c", "p.x", "p.y", "k", "n", "v", "lane()", "group()", "1", "5", "at(line, k)")
        left, right = self._value(depth - 1), self._value(depth - 1)
        return self._pick(
            f"({left} {self._pick('+', '*', '^', '-')} {right})",
            f"select({self._test(depth - 1)}, {left}, {right})",
            f"min({left}, {right})",
            f"at(line, {left})",
        )

    def _test(self, depth: int = 1) -> str:
        return f"{self._value(depth)} {self._pick('<', '==', '>', '!=')} {self._value(depth)}"

    def _target(self) -> str:
        return self._pick("a", "c", "p.x", "p.y")

    def _statements(self, depth: int) -> str:
        return " ".join(self._statement(depth) for _ in range(self._random.randint(1, 3)))

    def _statement(self, depth: int) -> str:
        roll = self._random.random()
        if depth == 0 or roll < 0.3:
            return f"{self._target()} = {self._value()};"
        if roll < 0.5:
            return f"{self._target()} = exchange({self._value(1)}, {self._value(1)});"
        if roll < 0.7:
            return f"if {self._test()} {{ {self._statements(depth - 1)} }} else {{ {self._statements(depth - 1)} }}"
        if roll < 0.8:
            return f"loop {self._value(1)} & 3 until {self._test()} {{ {self._statements(depth - 1)} }}"
        if roll < 0.9:
            return f"for i in 0..({self._value(1)} & 3) {{ {self._statements(depth - 1)} }}"
        return f"if {self._test()} {{ return {self._value()}; }}"


def test_accepted_programs_never_diverge() -> None:
    """The analysis is sound on random programs: what it accepts, the interpreter never sees diverge."""
    accepted = refused = 0
    line = np.array([3, -1, 4, 1, -5, 9, 2, 6, 5, 3, 5], np.int32)
    for seed in range(150):
        checked = check(_Writer(seed).body(), size=4)
        codes = {d.code for d in errors(checked)}
        assert codes <= {"K501"}, codes
        refused += bool(codes)
        if not codes:
            accepted += 1
            try:
                Interpreter().run(bind(checked.programs["u.t@1"], {"line": line}))
            except RunError as error:
                raise AssertionError(f"seed {seed}: accepted, yet {error}") from error
    assert accepted > 15
    assert refused > 15
