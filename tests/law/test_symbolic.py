"""Merges and computes as terms mean what the interpreter does, and what is asked of them is what it should be."""

import random
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from kcheck.checker import ir
from kcheck.checker.builtins import Builtin
from kcheck.checker.law.builtins import MEANINGS, is_not_zero
from kcheck.checker.law.problem import Problem, Undefined
from kcheck.checker.law.symbolic import EXPANDED, Blocked, problem_of
from kcheck.checker.law.terms import Op, Sort, Terms
from kcheck.checker.types import leaves
from kcheck.runtime.interpreter import Interpreter
from kcheck.runtime.layout import zeros
from tests.law.random_terms import RandomTerms
from tests.law.reference import evaluate
from tests.support import program_of

INTERPRETER = Interpreter()
INTS = (0, 1, 2, 3, 5, -1, -2, 7, 31, 32, 100, -100, 2**31 - 1, -(2**31), 0x12345678)
REALS = (0.0, 1.0, 0.5, 2.0, -1.0, -0.25, 3.0, 1.5, -2.5, 8.0, 0.125, 2.5)


def reduction(members: str, element: str = "Int", params: str = "") -> ir.Program:
    """A reduction over `xs: Rows<element>` to `Rows<S>` whose other members are given."""
    return program_of(
        f"kernel test.reduction@1 {{ requires {{ field.read; field.write; }} input xs: Rows<{element}>; {params}"
        f" output result: Rows<S>; {members} }}"
    )


def merge_only(result: str, body: str, more: str = "") -> ir.Program:
    """A merge of values of a type that are elements as well."""
    return program_of(
        f"{more} kernel test.merge@1 {{ requires {{ field.read; field.write; }} input xs: Rows<{result}>;"
        f" output result: Rows<{result}>; compute over xs {{ return sample(xs); }} merge(a, b) {{ {body} }} }}"
    )


STRUCT = "struct S { n: Int; v: Float; }"
COUNTERS = "struct S { rows: [[Int; 3]; 2]; k: Int; }"
SHAPE = "enum S { Dot; Disc { r: Float; } Box { w: Float; h: Int; } }"
POSE = "struct S { at: Vec3; turn: Mat2; flag: Bool; }"

MERGES = {
    "arithmetic": ("S", STRUCT, "return S { n: a.n * b.n - (a.n ^ b.n), v: a.v * 0.5 - b.v / 2.0 };"),
    "bits": ("Int", "", "return (a << b) ^ (a >>> 3) | (b >> (a & 7)) & ~a;"),
    "division": ("Int", "", "return a / b + a % b - udiv(a, b) * urem(b, a);"),
    "built-ins": ("Int", "", "return popcount(a) + clz(b) * ctz(a) + reverse_bits(b) + abs(a) + sign(b);"),
    "comparisons": ("Int", "", "return if ult(a, b) == (a < b) && a != b || a >= b { min(a, b) } else { max(a, b) };"),
    "early return": ("Int", "", "if a == 0 { return b; } if b == 0 { return a; } let c = a + b; return c * 2;"),
    "nested return": (
        "Int",
        "",
        "for i in 0..4 { if (a >> i & 1) == 1 { if b > i { return i; } return b; } } return a - b;",
    ),
    "loop until": ("Int", "", "var n = a & 7; for i in 0..10 until n > b { n += i; } return n;"),
    "loop count": ("Int", "", "var n = a; loop a & 3 { n = n * 3 + b; } loop 2 until n < 0 { n -= b; } return n;"),
    "until with a return": (
        "Int",
        "",
        "loop 3 until ({ if a > b { return 5; } a < 0 }) { if b == 1 { return 7; } } return 6;",
    ),
    "closed range": ("Int", "", "var n = 0; for i in -2..=(b & 3) { n += i * a; } return n;"),
    "variable start": ("Int", "", "var n = 1; for i in (a & 3)..5 until i == (b & 7) { n = n * 2 + i; } return n;"),
    "match": (
        "Int",
        "",
        "return match a { 0 => b, 1 | 3 => a + b, 4..9 => { let c = b * 2; c - 1 } -5..=-1 => 7, _ => a ^ b };",
    ),
    "arrays": (
        "S",
        COUNTERS,
        "var t = a; t.rows[1][a.k & 3] += b.k; t.rows[b.k][0] = 5; t.rows[9][1] = 3; t.k = t.rows[a.k][b.k]; return t;",
    ),
    "enum": (
        "S",
        SHAPE,
        "return match a { Dot => b, Disc { r } => match b { Disc { r: q } => Disc { r: max(r, q) }, _ => a },"
        " Box { w } => Box { w: w * 2.0, h: 3 } };",
    ),
    "enum equality": ("S", SHAPE, "return if a == b { S.Dot } else { b };"),
    "vectors": (
        "S",
        POSE,
        "var t = a; t.at.zx = b.at.xy; t.at[1] = dot(a.at, b.at); t.turn = a.turn * b.turn; t.turn[1].y = 2.0;"
        " t.flag = a.flag ^ b.flag; return t;",
    ),
    "matrix times vector": ("S", POSE, "var t = b; t.at.xy = transpose(a.turn) * b.at.yz; return t;"),
    "rounding": ("Float", "", "return floor(a * 0.5) + ceil(b * 0.5) + round(a * 0.5) * trunc(b) + fract(a);"),
    "mixing": ("Float", "", "return mix(a, b, 0.25) + clamp(a, -1.0, b) + step(a, b) + saturate(b) + a % 0.75;"),
    "conversions": ("S", STRUCT, "return S { n: int(a.v * 3.5) + int(a.n == b.n), v: float(b.n & 255) + a.v };"),
    "select": ("Int", "", "return select(a < b, a - 1, hash(b));"),
    "functions": (
        "Int",
        "fn gcd(x: Int, y: Int) -> Int { var p = x; var q = y; loop 6 until q == 0 { let r = p % q; p = q; q = r; }"
        " return p; }",
        "return gcd(a & 15, b & 15) + gcd(b & 3, 2);",
    ),
    "bits of floats": ("Float", "", "return bitcast_float(bitcast_int(a) ^ (bitcast_int(b) & 7));"),
    "random": ("Float", "", "return random(int(a)) + b;"),
}


def random_value(sort: Sort, source: random.Random) -> Any:
    if sort is Sort.BOOL:
        return source.random() < 0.5
    if sort is Sort.INT:
        return source.choice(INTS) if source.random() < 0.7 else source.randint(-(2**31), 2**31 - 1)
    return Fraction(source.choice(REALS))


def packed(problem: Problem, values: list[Any]) -> Any:
    """One value, in an array of length 1."""
    array = zeros(problem.type, (1,))
    for leaf, value in zip(leaves(problem.type), values, strict=True):
        slot(array, leaf.path)[0] = value
    return array


def slot(array: Any, path: tuple[int | str, ...]) -> Any:
    """The leaf at this path of every element of an array."""
    for step in path:
        if isinstance(step, int):
            array = array[:, step]
        else:
            for name in step.split("."):
                array = array[name]
    return array


def canonical(program: ir.Program, problem: Problem, source: random.Random) -> tuple[list[Any], list[Any]]:
    """Two elements, as compute gives them for random inputs."""
    made = []
    for _ in range(2):
        inputs = {i.variable: random_value(i.variable.sort, source) for i in problem.inputs}
        made.append(evaluate(problem.compute.leaves, inputs))
    return made[0], made[1]


@pytest.mark.parametrize("name", MERGES)
def test_terms_mean_what_the_interpreter_does(name: str) -> None:
    type_name, more, body = MERGES[name]
    program = merge_only(type_name, body, more)
    problem = problem_of(program)
    assert isinstance(program.schedule, ir.Fold)
    source = random.Random(name)
    for _ in range(150):
        left, right = canonical(program, problem, source)
        variables = dict(zip((*problem.left, *problem.right), (*left, *right), strict=True))
        ours = evaluate(problem.merge.leaves, variables)
        args = (packed(problem, left), packed(problem, right))
        result = INTERPRETER.call(program, program.schedule.merge, args, {})
        for leaf, mine in zip(leaves(problem.type), ours, strict=True):
            [real] = slot(result, leaf.path)
            context = f"{leaf.path} of {left} and {right}"
            if mine is None:
                continue
            if isinstance(mine, Fraction):
                assert float(mine) == pytest.approx(float(real), rel=1e-5, abs=1e-6), context
            else:
                assert mine == real, context


def test_every_builtin_that_is_not_expanded_has_a_meaning() -> None:
    assert set(MEANINGS) | EXPANDED == set(Builtin)
    assert not set(MEANINGS) & EXPANDED


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ("return a / b;", Undefined.DIVISION),
        ("return a % b;", Undefined.REMAINDER),
        ("return log(a) + b;", Undefined.LOG),
        ("return log2(a) + b;", Undefined.LOG),
        ("return sqrt(a + b);", Undefined.SQRT),
        ("return inversesqrt(a + b);", Undefined.INVERSESQRT),
        ("return asin(a + b);", Undefined.ARC),
        ("return tan(a + b);", Undefined.TAN),
        ("return pow(a, b);", Undefined.POW),
        ("return pow(a + b, -1.0);", Undefined.POW),
        ("return normalize(vec2(a, b)).x;", Undefined.NORMALIZE),
    ],
)
def test_a_step_without_a_value_is_asked_about(body: str, kind: Undefined) -> None:
    program = merge_only("Float", body)
    [obligation] = problem_of(program).merge.obligations
    assert obligation.kind is kind
    assert obligation.origin.path == "case.kernel"


def test_what_is_asked_is_asked_under_its_conditions_only() -> None:
    program = merge_only("Float", "if b == 0.0 || a > 1.0 && 1.0 / b > a { return a; } return a / b;")
    problem = problem_of(program)
    first, second = problem.merge.obligations
    [a], [b] = problem.left, problem.right
    guard, condition = evaluate((first.guard, first.condition), {a: Fraction(2), b: Fraction(3)})
    assert (guard, condition) == (True, True)
    assert evaluate((first.guard,), {a: Fraction(1), b: Fraction(3)}) == [False]
    assert evaluate((second.guard,), {a: Fraction(1), b: Fraction(0)}) == [False]
    assert evaluate((second.guard, second.condition), {a: Fraction(1), b: Fraction(3)}) == [True, True]


@pytest.mark.parametrize("seed", range(80))
def test_a_product_is_not_0_just_where_no_factor_is(seed: int) -> None:
    source = random.Random(seed)
    terms = Terms()
    make = RandomTerms(terms, source)
    x = make.term(Sort.REAL, 2)
    for _ in range(source.randint(0, 4)):
        op = source.choice((Op.MUL, Op.DIV))
        x = terms.apply(op, x, make.term(Sort.REAL, 2)) if source.random() < 0.7 else terms.mul(x, x)
    condition = is_not_zero(terms, x)
    for _ in range(8):
        value, holds = evaluate([x, condition], make.values())
        if value is not None and holds is not None:
            assert holds == (value != 0)


def test_nothing_is_asked_of_constant_divisors_and_ints() -> None:
    assert not problem_of(merge_only("Float", "return a / 2.0 + b % 0.5;")).merge.obligations
    assert not problem_of(merge_only("Int", "return a / b;")).merge.obligations


def test_ranges_of_params_are_assumed() -> None:
    program = reduction(
        "struct S { v: Float; } compute over xs { return S { v: k }; } merge(a, b) { return S { v: a.v * k }; }",
        params="param k: Float = 0.5 in 0.25..0.75;",
    )
    problem = problem_of(program)
    [k] = problem.params
    for value, expected in (("1/4", [True, True]), ("3/4", [True, True]), ("1/5", [False, True]), (1, [True, False])):
        assert evaluate(problem.assumptions, {k: Fraction(value)}) == expected, value


def test_a_loop_is_bounded_by_the_range_of_a_param() -> None:
    program = reduction(
        "struct S { v: Int; } compute over xs { return S { v: sample(xs) }; }"
        " merge(a, b) { var v = a.v; for i in 0..k { v += b.v; } return S { v: v }; }",
        params="param k: Int = 2 in 0..4;",
    )
    problem = problem_of(program)
    [k] = problem.params
    for rounds in range(5):
        values = {k: rounds, problem.left[0]: 10, problem.right[0]: 3}
        assert evaluate(problem.merge.leaves, values) == [10 + 3 * rounds]


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("var v = a; for i in 0..5000 { v = v * 3 + b; } return v;", "rounds"),
        ("var v = a; for i in 0..b { v = v * 3 + b; } return v;", "rounds"),
        ("var v = a; for i in 0..100 { for j in 0..100 { v = v * 3 + b; } } return v;", "2048"),
    ],
)
def test_what_cannot_be_written_out_says_so(body: str, reason: str) -> None:
    with pytest.raises(Blocked, match=reason):
        problem_of(merge_only("Int", body))


def test_an_infinite_constant_has_no_real_value() -> None:
    with pytest.raises(Blocked, match="infinity"):
        problem_of(merge_only("Float", "return max(a, bitcast_float(0x7F800000));"))


def test_equal_reads_are_one_variable_and_what_all_elements_read_is_shared() -> None:
    program = reduction(
        "struct S { v: Int; w: Int; } param k: Int = 0; compute over xs { return S {"
        " v: at(xs, 3) - at(xs, 3) + at(xs, at(xs, k) + size(xs)), w: at(xs, index()) }; } merge(a, b) { return a; }"
    )
    problem = problem_of(program)
    reads = [(type(i.read).__name__, i.shared) for i in problem.inputs]
    assert reads == [("At", True), ("At", True), ("Size", True), ("At", True), ("Place", False), ("At", False)]
    for read in problem.inputs:
        own = problem.element_variable(read, "1"), problem.element_variable(read, "2")
        assert (own[0] is own[1]) == read.shared
    first, second = problem.element("1"), problem.element("2")
    assert first.leaves[0] is second.leaves[0]
    assert first.leaves[1] is not second.leaves[1]
    assert [i.low for i in problem.inputs if i.low is not None] == [1, 0]
    assert len(problem.common) == 5


def test_only_the_field_that_is_folded_is_surely_not_empty() -> None:
    program = reduction(
        "struct S { v: Int; } input ys: Grid<Int>;"
        " compute over xs { return S { v: size(xs) + domain() + int(size(ys).x) }; } merge(a, b) { return a; }"
    )
    assert [i.low for i in problem_of(program).inputs] == [1, 1, 0, 0]


def test_elements_of_enums_hold_no_payload_of_other_variants() -> None:
    program = merge_only("S", "return a;", SHAPE)
    problem = problem_of(program)
    source = random.Random(1)
    for _ in range(50):
        inputs = {i.variable: random_value(i.variable.sort, source) for i in problem.inputs}
        tag, r, w, h = evaluate(problem.compute.leaves, inputs)
        assert tag in (0, 1, 2)
        assert tag == 1 or r == 0
        assert tag == 2 or (w, h) == (0, 0)


def test_numpy_scalars_do_not_leak_into_terms() -> None:
    problem = problem_of(merge_only("Int", "return a + 1;"))
    assert not any(isinstance(leaf.value, np.generic) for leaf in problem.merge.leaves)
