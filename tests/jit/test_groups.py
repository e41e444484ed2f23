"""Groups: what lanes share and what they keep, on the JIT and on the interpreter."""

from __future__ import annotations

import numpy as np
import pytest

from kcheck.checker import ir
from kcheck.checker.types import INT
from tests.checker.build import binary, integer
from tests.interpreter.build import local
from tests.jit.build import JIT, assert_same, kernel, launch_of
from tests.jit.groups import GROUP, LANE, ODD, branch, exchange, group_launch, rounds

PORTS = "input x: Rows<Int>; param n: Int = 3; output result: Rows<Int>;"
X = np.random.default_rng(3).integers(-9, 9, 1003).astype(np.int32)
BODIES = {
    "uniform branch": "var v = sample(x); if n > 2 { v = exchange(v, lane() + 1); } else { v = exchange(v, "
    "0) * 2; } return v;",
    "early return of all": "let v = sample(x); if n == 3 { return v * 2; } return exchange(v, 1);",
    "early return of none": "let v = sample(x); if n == 4 { return v * 2; } return exchange(v, 1) + v;",
    "return behind": "let v = exchange(sample(x), 3); if v > sample(x) { return v; } return sample(x) * 100;",
    "loop to a param": "var v = sample(x); for i in 0..n { v = v * 3 + exchange(v, lane() ^ i); } return v;",
    "closed loop": "var v = sample(x); for i in -1..=n { v = v + exchange(v, i) + i; } return v;",
    "until": "var v = sample(x); var i = 0; loop 10 until i >= n { v = v + exchange(v, lane() - "
    "1); i += 1; } return v + i;",
    "own loops between": "var v = sample(x); for i in 0..lane() { v = v * 3 + i; } v = exchange(v, 2) + v; "
    "for i in 0..(v & 7) { v = v ^ (i << 3); } return exchange(v, lane() + 5);",
    "match": "var v = sample(x); match n { 0 => { v = 1; } 3 => { v = exchange(v, 7); } _ => { v = "
    "exchange(v, 8); } } return v;",
    "exchange of a place": "let v = exchange(lane() * 10 + group(), lane() + 1); return v + index() - sample(x);",
    "nested loops": "var v = sample(x); for i in 0..3 { for j in 0..i { v = v + exchange(v, lane() + i * "
    "j); } v = v ^ i; } return v;",
    "value of a branch": "let v = if n > 1 { exchange(sample(x), 1) } else { 7 }; return v - sample(x);",
}


@pytest.mark.parametrize("size", [1, 5, 64])
@pytest.mark.parametrize("name", BODIES)
def test_bodies(name: str, size: int) -> None:
    assert_same(launch_of(kernel(PORTS, f"group {size} {{ {BODIES[name]} }}"), {"x": X}))


def test_functions_that_exchange() -> None:
    items = """
    struct Two { a: Int; b: [Float; 6]; }
    fn around(v: Int, by: Int) -> Two {
      let near = exchange(v, lane() + by);
      var rest = [0.0; 6];
      rest[near & 7] = float(near);
      return Two { a: near, b: rest };
    }
    fn twice(v: Int) -> Two { let t = around(v, 1); if t.a > 3 { return t; } return Two { a: t.a, b: [1.0; 6] }; }
    """
    body = (
        "group 16 { let t = around(sample(x), 2); let u = twice(t.a); return u.a * 7 + "
        "int(u.b[lane()]) + int(t.b[0]); }"
    )
    assert_same(launch_of(kernel(PORTS, body, items), {"x": X}))


def test_groups_on_a_grid_know_their_place() -> None:
    body = "group 8 { let c = coord(); let v = exchange(c.x * 100.0 + c.y, 7 - lane()); return vec2(v, place().y); }"
    launch = launch_of(kernel("output result: Grid<Vec2>;", body), {}, (13, 77))
    assert_same(launch)


def test_whole_groups_may_part() -> None:
    assert_same(group_launch(4, 10, branch(ODD, exchange(integer(2)))))
    assert_same(group_launch(4, 10, branch(ODD, ir.Return(value=LANE))))


def test_the_counter_of_a_loop_is_kept() -> None:
    body = rounds(integer(5), exchange(binary(local(1, INT), ir.BinaryOp.ADD, GROUP)))
    assert_same(group_launch(3, 11, body))


def test_large_groups() -> None:
    body = "group 3000 { let v = exchange(sample(x), 2999 - lane()); return v * 2 + exchange(v, lane() + 1); }"
    x = np.random.default_rng(1).integers(-99, 99, 100_000).astype(np.int32)
    launch = launch_of(kernel(PORTS, body), {"x": x})
    got = JIT.run(launch).outputs["result"].data
    assert_same(launch)
    assert got[0] == x[2999] * 2 + x[2998]
