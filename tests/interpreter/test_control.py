"""Branches, loops and assignments: many lanes under masks against one element at a time in Python."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from kcheck.runtime.errors import RunError
from tests.interpreter.build import kernel, run

COUNTS = [1, 2, 7, 5000]
"""One lane (scalars all through), few (masks), and enough to pack the lanes of a long loop."""

INTS = "input x: Rows<Int>; output result: Rows<Int>;"


def check(body: str, oracle: Callable[[int], int], low: int = -20, high: int = 60, items: str = "") -> None:
    """A map over Ints gives what the oracle gives for each of them."""
    source = kernel(INTS, f"compute {{ {body} }}", items)
    for count in COUNTS:
        x = np.random.default_rng(count).integers(low, high, count).astype(np.int32)
        assert run(source, {"x": x}, (count,)).tolist() == [oracle(int(v)) for v in x]


def test_if_and_early_return() -> None:
    def oracle(x: int) -> int:
        if x > 30:
            return -1
        y = x * 2
        if x % 2 == 0:
            if x < 0:
                return 7
            y += 5
        else:
            y -= 1
        return y

    check(
        "let v = sample(x); if v > 30 { return -1; } var y = v * 2; "
        "if v & 1 == 0 { if v < 0 { return 7; } y += 5; } else { y -= 1; } return y;",
        oracle,
    )


def test_values_of_blocks_and_short_circuits() -> None:
    def oracle(x: int) -> int:
        a = x + 1 if x > 10 else -x
        return a + (100 if x > 0 and 60 // x > 5 else 0) + (1000 if x < 0 or x == 5 else 0)

    check(
        "let v = sample(x); let a = if v > 10 { v + 1 } else { -v }; "
        "return a + (if v > 0 && 60 / v > 5 { 100 } else { 0 }) + (if v < 0 || v == 5 { 1000 } else { 0 });",
        oracle,
    )


def test_match() -> None:
    def oracle(x: int) -> int:
        if x == 3:
            return 300
        if x in (1, 2):
            return x * 10
        if 4 <= x < 9:
            return 49
        return -x

    check("let v = sample(x); match v { 3 => 300, 1 | 2 => v * 10, 4..9 => { 49 } _ => -v }", oracle)
    check(
        "let v = sample(x); var y = 0; match v { 3 => { return 300; } 1 | 2 => { y = v * 10; } "
        "4..=8 => { y = 49; } _ => { y = -v; } } return y;",
        oracle,
    )


def test_first_matching_arm_wins() -> None:
    def oracle(x: int) -> int:
        return 1 if 0 <= x <= 10 else 2 if x == 12 or -5 <= x < 20 else 3

    check("match sample(x) { 0..=10 => 1, 12 | -5..20 => 2, _ => 3 }", oracle)


# ---------------------------------------------------------------- loops


def test_ranges_of_all_kinds() -> None:
    def oracle(x: int) -> int:
        total = 0
        for i in range(3, x):
            total += i
        for i in range(x, 6):  # closed, to 5
            total += 100 * i
        for _ in range(x // 2 if x > 0 else -(-x // 2)):
            total += 7
        return total

    check(
        "let v = sample(x); var t = 0; for i in 3..v { t += i; } for i in v..=5 { t += 100 * i; } "
        "loop v / 2 { t += 7; } return t;",
        oracle,
    )


def test_until_is_tested_before_each_round() -> None:
    def oracle(x: int) -> int:
        n, steps = abs(x) + 1, 0
        for _ in range(100):
            if n == 1:
                break
            n = n // 2 if n % 2 == 0 else 3 * n + 1
            steps += 1
        return steps * 1000 + n

    check(
        "var n = abs(sample(x)) + 1; var steps = 0; for i in 0..100 until n == 1 { "
        "n = if n & 1 == 0 { n / 2 } else { 3 * n + 1 }; steps += 1; } return steps * 1000 + n;",
        oracle,
    )


def test_until_sees_the_coming_round() -> None:
    check(
        "var t = 0; for i in 0..50 until i >= sample(x) { t += 1; } return t;",
        lambda x: min(max(x, 0), 50),
    )


def test_return_from_a_loop() -> None:
    def oracle(x: int) -> int:
        for i in range(40):
            for k in range(3):
                if i * 3 + k == x:
                    return i * 1000 + k
        return -x

    check(
        "let v = sample(x); for i in 0..40 { for k in 0..3 { if i * 3 + k == v { return i * 1000 + k; } } } return -v;",
        oracle,
    )


def test_loop_in_a_function_called_under_a_mask() -> None:
    def oracle(x: int) -> int:
        return sum(range(x)) if x > 5 else x

    items = "fn total(n: Int) -> Int { var t = 0; for i in 0..n { t += i; } return t; }"
    # Lanes that do not call hold counts of millions of rounds, which must not be run.
    source = "let v = sample(x); let n = if v > 5 { v } else { 100000000 }; return if v > 5 { total(n) } else { v };"
    check(source, oracle, items=items)


def test_closed_range_to_the_last_int() -> None:
    last = 2147483647
    body = f"var t = 0; for i in {last - 2}..={last} {{ t += 1; }} for i in {last}..={last} {{ t += 10; }} return t;"
    check(body, lambda x: 13)
    check(
        f"var t = 0; for i in {last} - (sample(x) & 3)..={last} {{ t += i & 15; }} return t;",
        lambda x: sum(15 - k for k in range((x & 3) + 1)),
    )


def test_ranges_longer_than_an_int_can_count() -> None:
    body = "var t = 0; for i in -2147483647 - 1..=2147483647 until t == 9 { t += 1; } return t;"
    check(body, lambda x: 9)


def test_nested_loops_with_lane_bounds() -> None:
    def oracle(x: int) -> int:
        return sum(i * k + 1 for i in range(x % 9 if x >= 0 else 0) for k in range(i, 8))

    check("let v = sample(x); var t = 0; for i in 0..v % 9 { for k in i..8 { t += i * k + 1; } } return t;", oracle)


def test_locals_survive_packing() -> None:
    """Few lanes run on while the others wait with what they hold, of every shape."""

    def oracle(x: int) -> int:
        a, n = [x, 2 * x, 3 * x], 0
        while n < max(x, 0) * 3:
            a[n % 3] += 1
            n += 1
        return a[0] + 10 * a[1] + 100 * a[2] + n

    check(
        "let v = sample(x); var a = [v, 2 * v, 3 * v]; var n = 0; "
        "for i in 0..max(v, 0) * 3 { a[n % 3] += 1; n += 1; } return a[0] + 10 * a[1] + 100 * a[2] + n;",
        oracle,
    )


def test_packed_lanes_know_their_places() -> None:
    source = kernel(
        "input x: Grid<Int>; output result: Grid<Vec2>;",
        "compute { var sum = vec2(0.0, 0.0); for i in 0..sample(x) { sum += coord() + vec2(float(at(x, coord())), "
        "float(index() - sample(x))); } sum }",
    )
    x = np.zeros((40, 50), np.int32)
    x[3, 7], x[39, 49], x[0, 0] = 5, 2, 9
    got = run(source, {"x": x})
    want = np.zeros((40, 50, 2))
    for row, column in ((3, 7), (39, 49), (0, 0)):
        n = x[row, column]
        want[row, column] = n * (column + n), n * (row + row * 50 + column - n)
    assert got.tolist() == want.tolist()


# ---------------------------------------------------------------- assignments


def test_writes_to_slots() -> None:
    def oracle(x: int) -> int:
        a = [1, 2, 3, 4]
        if 0 <= x < 4:
            a[x] = 50
        a[min(max(x, 0), 3)] += 1
        b = a[min(max(x - 1, 0), 3)] + 5  # reads clamp, writes outside are dropped
        if 0 <= x - 1 < 4:
            a[x - 1] = b
        return sum(v * 10**i for i, v in enumerate(a))

    check(
        "let v = sample(x); var a = [1, 2, 3, 4]; a[v] = 50; a[clamp(v, 0, 3)] += 1; a[v - 1] += 5; "
        "return a[0] + 10 * a[1] + 100 * a[2] + 1000 * a[3];",
        oracle,
        low=-3,
        high=8,
    )


def test_nested_writes_are_dropped_whole() -> None:
    def oracle(x: int) -> int:
        rows = [[1, 2], [3, 4]]
        if 0 <= x < 2 and 0 <= x + 1 < 2:
            rows[x][x + 1] = 9
        return rows[0][0] + 10 * rows[0][1] + 100 * rows[1][0] + 1000 * rows[1][1]

    check(
        "let v = sample(x); var t = T { rows: [[1, 2], [3, 4]] }; t.rows[v][v + 1] = 9; let r = t.rows; "
        "return r[0][0] + 10 * r[0][1] + 100 * r[1][0] + 1000 * r[1][1];",
        oracle,
        low=-2,
        high=4,
        items="struct T { rows: [[Int; 2]; 2]; }",
    )


def test_values_are_copied() -> None:
    check("var a = [1, 2]; let b = a; a[sample(x)] = 7; return b[0] + b[1];", lambda x: 3, low=0, high=2)


def test_components_and_fields() -> None:
    def oracle(x: int) -> int:
        v = [1, 2, 3]
        if x > 0:
            v[0], v[2] = 30, 10  # v.zx = (10, 30)
        v[1] += x
        return v[0] + 100 * v[1] + 10000 * v[2]

    check(
        "let k = sample(x); var s = S { v: vec3(1.0, 2.0, 3.0), n: 1 }; "
        "if k > 0 { s.v.zx = vec2(10.0, 30.0); } s.v.y += float(k); s.n = k; "
        "return int(s.v.x) + 100 * int(s.v.y) + 10000 * int(s.v.z) + s.n - k;",
        oracle,
        items="struct S { v: Vec3; n: Int; }",
    )


def test_arrays_of_structs_and_enums() -> None:
    def oracle(x: int) -> int:
        return [x * 2, 7, -1][x % 3] if x >= 0 else x

    check(
        "let v = sample(x); var s = [Shape.Disc { r: 0 }; 3]; s[0] = Shape.Disc { r: v * 2 }; "
        "s[1] = Shape.Box { w: 3, h: 4 }; s[2] = Shape.Dot; if v < 0 { return v; } "
        "return match s[v % 3] { Disc { r } => r, Box { w, h } => w + h, Dot => -1 };",
        oracle,
        items="enum Shape { Dot; Disc { r: Int; } Box { w: Int; h: Int; } }",
    )


def test_unused_payload_is_zero() -> None:
    source = kernel(
        "input x: Rows<Int>; output result: Rows<Shape>;",
        "compute { let v = sample(x); if v > 0 { return Shape.Disc { r: v }; } return Shape.Dot; }",
        "enum Shape { Dot; Disc { r: Int; } }",
    )
    got = run(source, {"x": np.array([5, -5], np.int32)})
    assert got["tag"].tolist() == [1, 0]
    assert got["Disc"]["r"].tolist() == [5, 0]
    same = kernel(
        "input x: Rows<Int>; output result: Rows<Bool>;",
        "compute { let v = sample(x); var s = Shape.Disc { r: v }; s = Shape.Dot; return s == Shape.Dot; }",
        "enum Shape { Dot; Disc { r: Int; } }",
    )
    assert run(same, {"x": np.array([5, -5], np.int32)}).tolist() == [True, True]


# ---------------------------------------------------------------- what is not evaluated

EMPTY = "input x: Rows<Int>; input none: Rows<Int>; output result: Rows<Int>;"


@pytest.mark.parametrize(
    "body",
    [
        "if sample(x) > 100 { at(none, 0) } else { 1 }",
        "let v = sample(x); if v > 100 { return at(none, 0); } return 1;",
        "if sample(x) > 100 && at(none, 0) == 0 { 2 } else { 1 }",
        "if sample(x) < 100 || at(none, 0) == 0 { 1 } else { 2 }",
        "var t = 1; for i in 0..sample(x) - 100 { t += at(none, i); } return t;",
        "match sample(x) { 500 => at(none, 0), _ => 1 }",
    ],
)
def test_reads_of_empty_fields_that_are_not_reached(body: str) -> None:
    source = kernel(EMPTY, f"compute {{ {body} }}")
    none = np.zeros(0, np.int32)
    for count in (1, 5):
        x = np.arange(count, dtype=np.int32)
        assert run(source, {"x": x, "none": none}).tolist() == [1] * count
        x[-1] = 500  # one lane gets there
        with pytest.raises(RunError, match=r"K707.*`none`"):
            run(source, {"x": x, "none": none})
