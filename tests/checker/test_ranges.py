"""What the ranges of numbers show: hazards where they should be found, none elsewhere, and bounds that hold."""

import math
from dataclasses import fields, replace
from typing import Any

import pytest

from kcheck.checker import ir
from kcheck.checker.evaluate import evaluate
from kcheck.checker.ranges.analysis import analyse
from kcheck.checker.ranges.interval import ALL_FLOATS, ALL_INTS, Interval
from kcheck.checker.ranges.values import Value
from kcheck.checker.types import FLOAT, INT
from tests.cases.cases import Case, all_cases
from tests.checker.build import function
from tests.checker.generate import Generator
from tests.checker.sources import WARNING, checked_of, found, kernel, program, unmarked
from tests.checker.sources import floats as float_kernel
from tests.support import run

FOUND = {
    "a literal 0": ("K240", kernel("return ⟦sample(x) / 0⟧;")),
    "a remainder": ("K240", kernel("return ⟦sample(x) % 0⟧;")),
    "a Float": ("K240", float_kernel("return ⟦sample(x) / 0.0⟧;")),
    "a vector": ("K240", float_kernel("return length(⟦vec2(sample(x)) / vec2(0.0)⟧);")),
    "what comes out as 0": ("K240", kernel("let n = sample(x) & 0; return ⟦7 / n⟧;")),
    "an Int in a branch": ("K240", kernel("let n = sample(x); if n == 0 { return ⟦7 / n⟧; } return 1;")),
    "a param": ("K240", kernel("return ⟦sample(x) / k⟧;", members="param k: Int = 1 in 0..4;")),
    "a param as Float": ("K240", float_kernel("return ⟦sample(x) / float(k)⟧;", members="param k: Int = 1 in -1..4;")),
    "a param over a vector": (
        "K240",
        float_kernel("return length(⟦vec2(sample(x)) / k⟧);", members="param k: Float in 0.0..4.0;"),
    ),
    "a param tested the wrong way": (
        "K240",
        float_kernel("if k >= 0.0 { return ⟦sample(x) / k⟧; } return 0.0;", members="param k: Float in -1.0..4.0;"),
    ),
    "an array": ("K241", kernel("let a = [1, 2, 3]; return ⟦a[3]⟧;")),
    "an array below": ("K241", kernel("let a = [1, 2, 3]; return ⟦a[-1]⟧;")),
    "a counter": ("K241", kernel("let a = [1, 2]; var s = 0; for i in 2..5 { s += ⟦a[i]⟧; } return s;")),
    "a component": ("K241", float_kernel("let v = vec2(sample(x)); return ⟦v[2]⟧;")),
    "a write": ("K241", kernel("var a = [1, 2]; ⟦a[2]⟧ = sample(x); return a[0];")),
    "an address": ("K241", kernel("return at(x, ⟦-1⟧);")),
    "an address in a grid": (
        "K241",
        kernel("return at(g, 0, ⟦-1⟧);", "input x: Rows<Int>; input g: Grid<Int>; output r: Rows<Int>;").replace(
            "at(g", "sample(x) + at(g"
        ),
    ),
    "a memory": (
        "K241",
        kernel(
            "put(m, ⟦-2⟧, y); return sample(x);",
            "input x: Rows<Int>; memory m: Rows<Int>; output r: Rows<Int>;",
            head="scan over x with y = 0",
        ),
    ),
    "a lane": ("K241", kernel("return exchange(sample(x), ⟦8⟧);", head="group 8")),
    "a shift": ("K242", kernel("return ⟦sample(x) << 32⟧;")),
    "a shift by less than 0": ("K242", kernel("return ⟦sample(x) >> -1⟧;")),
    "a shift by a counter": ("K242", kernel("var s = 0; for i in 32..64 { s += ⟦1 << i⟧; } return s;")),
    "an index below 0": ("K243", kernel("if ⟦index() < 0⟧ { return 1; } return 0;")),
    "a size": ("K243", kernel("return if ⟦size(x) >= 0⟧ { 1 } else { 0 };")),
    "a square root": ("K243", float_kernel("return if ⟦sqrt(sample(x)) < 0.0⟧ { 1.0 } else { 0.0 };")),
    "a remainder of 8": ("K243", kernel("return if ⟦sample(x) % 8 == 8⟧ { 1 } else { 0 };")),
    "a lane beyond its group": ("K243", kernel("return if ⟦lane() < 8⟧ { 1 } else { 0 };", head="group 8")),
    "a param within its range": (
        "K243",
        kernel("return if ⟦k > 4⟧ { 1 } else { sample(x) };", members="param k: Int = 1 in 0..4;"),
    ),
    "a test once more": ("K243", kernel("let n = sample(x); if n > 3 { if ⟦n > 2⟧ { return 1; } } return 0;")),
    "after a return": (
        "K243",
        kernel("let n = sample(x); if n < 3 { return 1; } if ⟦n == 2⟧ { 1 } else { n }"),
    ),
    "both sides": ("K243", kernel("let n = sample(x); return if ⟦n > 3 && n < 2⟧ { 1 } else { 0 };")),
    "an until": ("K243", kernel("var s = 0; loop 9 until ⟦index() < 0⟧ { s += 1; } return s;")),
    "a loop downwards": ("K244", kernel("var s = 0; ⟦for i in 9..0 { s += i; }⟧ return s;")),
    "a loop below 0": ("K244", kernel("var s = 0; ⟦loop -index() { s += 1; }⟧ return s;")),
    "a closed loop": ("K244", kernel("var s = 0; ⟦for i in 1..=0 { s += i; }⟧ return s;")),
    "a function of the file": ("K242", "fn f(n: Int) -> Int { return ⟦n << 40⟧; }\n"),
    "a function of a kernel": (
        "K242",
        kernel("return f(sample(x));", members="fn f(n: Int) -> Int { ⟦n << 40⟧ }"),
    ),
    "a field of a struct": (
        "K243",
        "struct A { n: Int; m: Int; }\nfn f(a: A) -> Int { if a.m > 3 { if ⟦a.m > 2⟧ { return 1; } } return a.n; }\n",
    ),
    "a swizzle of a swizzle": (
        "K243",
        "fn f(v: Vec3) -> Int { if v.zyx.x > 3.0 { if ⟦v.z > 2.0⟧ { return 1; } } return 0; }\n",
    ),
    "a case of a match": (
        "K243",
        kernel("let n = sample(x); match n { 0..4 => { if ⟦n > 4⟧ { return 1; } } _ => {} } return 0;"),
    ),
}


@pytest.mark.parametrize(("codes", "text"), FOUND.values(), ids=FOUND)
def test_found(codes: str, text: str) -> None:
    source, spans = unmarked(text)
    assert [(code, span) for code, _, span in hazards(source)] == [(codes, span) for span in spans]


def hazards(source: str) -> list[tuple[str, str, tuple[int, int]]]:
    """The findings of the rules that look at ranges."""
    return [d for d in found(checked_of(source), (WARNING,)) if d[0].startswith("K24")]


MESSAGES = {
    "a literal 0": "the divisor is always 0",
    "a param": "`k` may be 0 here: it lies in 0 to 4",
    "an array": "this is always outside: it is 3, and the positions of [Int; 3] are 0 to 2",
    "a counter": "this is always outside: it lies in 2 to 4, and the positions of [Int; 2] are 0 to 1",
    "an address": "this is always outside: it is -1, and addresses begin at 0",
    "a lane": "this is always outside: it is 8, and the lanes of this group are 0 to 7",
    "a shift": "the count of this shift is never one of 0 to 31: it is 32",
    "an index below 0": "this condition is always false",
    "a size": "this condition is always true",
    "a loop downwards": "this loop never has a round: it would begin at 9 or above and end at 0 or below",
}


@pytest.mark.parametrize("name", MESSAGES)
def test_messages(name: str) -> None:
    source, _ = unmarked(FOUND[name][1])
    assert MESSAGES[name] in [d.message for d in checked_of(source).diagnostics]


QUIET = {
    "infinity": float_kernel("let top = 1.0 / 0.0; return min(top, sample(x));"),
    "a divisor that may be 0": kernel("return 7 / sample(x);"),
    "a param without a range": kernel("return 7 / k + sample(x);", members="param k: Int = 0;"),
    "a param above 0": float_kernel("return sample(x) / k;", members="param k: Float in 0.5..2.0;"),
    "a param tested": float_kernel(
        "if k > 0.0 { return sample(x) / k; } return 0.0;", members="param k: Float in 0.0..2.0;"
    ),
    "a param told from 0": float_kernel(
        "return if k != 0.0 { sample(x) / k } else { 0.0 };", members="param k: Float in -1.0..2.0;"
    ),
    "a param told from 0 before": kernel(
        "if k == 0 { return 0; } return sample(x) / k;", members="param k: Int = 1 in -1..2;"
    ),
    "a param told from 0 at once": kernel(
        "return if k != 0 && sample(x) / k > 1 { 1 } else { 0 };", members="param k: Int = 1 in -1..2;"
    ),
    "a param held above 0": float_kernel("return sample(x) / max(k, 0.1);", members="param k: Float in 0.0..2.0;"),
    "the element before": kernel("return at(x, index() - 1);"),
    "none": kernel(
        "return P { i: -1, v: 1 };", head="scatter over x into x with sum", members="struct P { i: Int; v: Int; }"
    ),
    "a literal condition": kernel("if true { return sample(x); } return 0;"),
    "a constant as a switch": kernel(
        "if DEEP > 2 { return sample(x); } return index();", before="const DEEP: Int = 1;"
    ),
    "a constant beside what varies": kernel(
        "return if index() >= START { 1 } else { sample(x) };", before="const START: Int = 0;"
    ),
    "a local as a switch": kernel("let deep = 1; if deep > 2 { return sample(x); } return index();"),
    "a constant without rounds": kernel(
        "var s = sample(x); for i in 0..N { s += i; } return s;", before="const N: Int = 0;"
    ),
    "a test for NaN": float_kernel("let v = sample(x); return if v != v { 0.0 } else { v };"),
    "a root that is NaN": float_kernel("return if sqrt(sample(x)) >= 0.0 { 1.0 } else { 0.0 };"),
    "what a loop changes": kernel("var n = 0; loop 3 { if n > 1 { return 1; } n += 1; } return sample(x);"),
    "what a loop found": kernel(
        "var n = -1; for i in 0..4 { if sample(x) == i { n = i; } } return if n < 0 { 0 } else { n };"
    ),
    "what another function gives": kernel(
        "return if f(sample(x)) > 3 { 1 } else { 0 };",
        members="fn f(n: Int) -> Int { if n > 0 { return 9; } n }",
    ),
    "one call of a function": kernel(
        "return f(sample(x), 0) + f(1, 2);",
        members="fn f(n: Int, k: Int) -> Int { if k == 0 { return n; } 1 }",
    ),
    "half of a condition": kernel("let i = index(); return if i >= 0 && i < 3 { 1 } else { sample(x) };"),
    "what comes after an endless round": kernel("var s = 0; loop sample(x) { s += 1; } if s > 0 { 1 } else { s }"),
    "a loop that may leave early": kernel("for i in 0..3 { if sample(x) == i { return i; } } return -1;"),
}


@pytest.mark.parametrize("text", QUIET.values(), ids=QUIET)
def test_quiet(text: str) -> None:
    assert hazards(text) == []


# ---------------------------------------------------------------- bounds hold


def holds(value: Value, leaves: list[float]) -> bool:
    return value is None or all(i.holds(leaf) for i, leaf in zip(value, leaves, strict=True))


def loosened(node: Any, params: dict[str, ir.ParamDecl], generator: Generator) -> Any:
    """An expression with params in place of its numbers, whose ranges hold those."""
    if isinstance(node, ir.Const) and node.type in (INT, FLOAT) and not math.isnan(ir.const_numbers(node)[0]):
        name = f"p{len(params)}"
        ends = sorted([node, generator.constant(node.type), node], key=lambda c: ir.const_numbers(c)[0])
        if not any(math.isnan(ir.const_numbers(end)[0]) for end in ends):
            origin = function(ir.Return(value=node), result=node.type).origins[0]
            params[name] = ir.ParamDecl(
                name=name, type=node.type, default=None, low=ends[0], high=ends[2], origin=origin
            )
            return ir.Param(id=node.id, type=node.type, name=name)
    if not isinstance(node, ir.Node):
        return node
    changed = {}
    for field in fields(node):
        value = getattr(node, field.name)
        if isinstance(value, tuple):
            changed[field.name] = tuple(loosened(part, params, generator) for part in value)
        elif isinstance(value, ir.Node):
            changed[field.name] = loosened(value, params, generator)
    return replace(node, **changed)


@pytest.mark.parametrize("seed", range(12))
def test_random_expressions_lie_in_their_ranges(seed: int) -> None:
    generator = Generator(seed)
    for _ in range(25):
        expression = generator.expression(generator.type(), 4)
        params: dict[str, ir.ParamDecl] = {}
        loose = loosened(expression, params, generator)
        main = function(ir.Return(value=loose), result=expression.type)
        [value] = analyse([main], list(params.values())).results
        assert holds(value, ir.const_numbers(evaluate(expression))), (expression, value)


MAPS = [case for case in all_cases() if case.outputs is not None and case.error is None]


@pytest.mark.parametrize("case", MAPS, ids=lambda case: case.name)
def test_what_cases_give_lies_in_its_range(case: Case) -> None:
    made = program(case.source, case.kernel)
    if not isinstance(made.schedule, (ir.Elements, ir.Lanes, ir.OrderedWalk)) or len(made.outputs) != 1:
        return
    size = made.schedule.size if isinstance(made.schedule, ir.Lanes) else None
    value = analyse(made.functions, made.params, size).results[made.schedule.element]
    result = run(made, case.inputs, case.params, case.domain, case.memories)
    [output] = result.outputs.values()
    if made.result in (INT, FLOAT):
        for leaf in _flat(output):
            assert holds(value, [leaf]), (leaf, value)


def _flat(value: Any) -> list[float]:
    return [leaf for part in value for leaf in _flat(part)] if isinstance(value, list) else [value]


# ---------------------------------------------------------------- bounds are of use


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("return sample(x);", ALL_INTS),
        ("return index() % 8;", Interval(0, 7)),
        ("return clamp(sample(x), 0, 9) * 2;", Interval(0, 18)),
        ("var s = 0; if sample(x) > 0 { s = 3; } return s;", Interval(0, 3)),
        ("let n = sample(x); if n < 0 { return 0; } if n > 9 { return 9; } return n;", Interval(0, 9)),
        ("for i in 3..=5 { if sample(x) == i { return i; } } return 9;", Interval(3, 9)),
        ("return match sample(x) & 3 { 0 => 5, 1 => 6, _ => 7 };", Interval(5, 7)),
        ("var v = vec2(1.0, 2.0); v.y = 4.0; v[0] = 3.0; return int(v.x + v.y);", Interval(7, 7)),
        ("let a = [1, 5, 3]; return a[sample(x)];", Interval(1, 5)),
        ("return int(saturate(float(sample(x))) * 255.0 + 0.5);", Interval(0, 255)),
    ],
)
def test_bounds(body: str, expected: Interval) -> None:
    made = program(kernel(body))
    assert analyse(made.functions).results[-1] == (expected,)


def test_large_values_are_unknown() -> None:
    made = program(float_kernel("var a = [sample(x); 100]; a[1] = 2.0; return a[0];"))
    assert analyse(made.functions).results[-1] == (ALL_FLOATS,)
