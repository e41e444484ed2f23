"""The six forms: order, combination, and what changes when."""

from __future__ import annotations

import itertools
import math
import tracemalloc
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kcheck.runtime.backend import Interrupted
from kcheck.runtime.binding import bind
from kcheck.runtime.errors import RunError
from kcheck.runtime.interpreter import schedules
from kcheck.runtime.layout import AnyArray
from tests.interpreter.build import INTERPRETER, compiled, kernel, outcome, run

NAN, INF = math.nan, math.inf


def floats(*values: float) -> AnyArray:
    return np.array(values, np.float32)


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks of so few elements that short inputs take many."""
    monkeypatch.setattr(schedules, "_MOST_LANES", 8)
    monkeypatch.setattr(schedules, "_FEWEST_LANES", 8)


# ---------------------------------------------------------------- map


def test_several_outputs(small_blocks: None) -> None:
    source = kernel(
        "input x: Grid<Int>; output low: Grid<Int>; output both: Grid<Vec2>;",
        "compute { let v = sample(x); if v > 9 { return { low: 9, both: vec2(9.0) }; } "
        "{ low: v, both: vec2(float(v), 1.0) } }",
    )
    x = np.arange(20, dtype=np.int32).reshape(4, 5)
    got = outcome(source, {"x": x}).outputs
    assert got["low"].data.tolist() == np.minimum(x, 9).tolist()
    assert got["both"].data.tolist() == [[[float(v), 1.0] if v <= 9 else [9.0, 9.0] for v in row] for row in x]


def test_results_never_alias_inputs() -> None:
    x = floats(1, 2, 3)
    got = run(kernel("input x: Rows<Float>; output result: Rows<Float>;", "compute { sample(x) }"), {"x": x})
    got[0] = 9
    assert x[0] == 1


@pytest.mark.parametrize(
    "body",
    [
        "compute { sample(x) + 1.0 }",
        "scan over x with y = 0.0 { y + sample(x) }",
        "prefix over x with max { sample(x) }",
        "group 4 { exchange(sample(x), 0) }",
    ],
)
def test_empty_inputs(body: str) -> None:
    assert run(kernel("input x: Rows<Float>; output result: Rows<Float>;", body), {"x": floats()}).tolist() == []


# ---------------------------------------------------------------- reduction

SPAN = "struct Span { first: Int; last: Int; count: Int; ordered: Bool; }"
SPANS = kernel(
    "input x: Rows<Int>; output result: Rows<Span>;",
    "compute over x { let v = sample(x); Span { first: v, last: v, count: 1, ordered: true } } "
    "merge(a, b) { Span { first: a.first, last: b.last, count: a.count + b.count, "
    "ordered: a.ordered && b.ordered && a.last + 1 == b.first } }",
    SPAN,
)


@pytest.mark.parametrize("count", [1, 2, 3, 7, 8, 9, 63, 64, 65, 100])
def test_merge_sees_neighbours_in_order(count: int, small_blocks: None) -> None:
    got = run(SPANS, {"x": np.arange(count, dtype=np.int32)})
    assert got.tolist() == [(0, count - 1, count, True)]


def pairwise(values: Sequence[np.float32]) -> np.float32:
    """Neighbours are added, an odd last one waits."""
    while len(values) > 1:
        sums = [np.float32(a + b) for a, b in zip(values[::2], values[1::2], strict=False)]
        values = sums + ([values[-1]] if len(values) % 2 else [])
    return values[0]


TOTAL = kernel(
    "input x: Rows<Float>; output result: Rows<Float>;",
    "compute over x { sample(x) } merge(a, b) { a + b }",
)


@pytest.mark.parametrize("count", [1, 5, 8, 13, 200])
def test_the_tree_depends_on_the_number_of_elements_alone(count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    x = np.random.default_rng(count).random(count, np.float32)
    want = float(pairwise(list(x)))
    for lanes in (1, 2, 8, 64, 1 << 15):
        monkeypatch.setattr(schedules, "_MOST_LANES", lanes)
        monkeypatch.setattr(schedules, "_FEWEST_LANES", 1)
        assert run(TOTAL, {"x": x}).tolist() == [want]


def test_fold_of_what_all_elements_share() -> None:
    source = kernel(
        "input x: Rows<Float>; param p: Int = 3; output result: Rows<Int>;",
        "compute over x { p } merge(a, b) { a + b }",
    )
    assert run(source, {"x": np.zeros(10, np.float32)}).tolist() == [30]


def test_fold_of_nothing_is_refused() -> None:
    with pytest.raises(RunError, match="K706"):
        run(TOTAL, {"x": floats()})


# ---------------------------------------------------------------- scan


def test_scan_carries_structs_and_walks_grids_row_by_row() -> None:
    source = kernel(
        "input x: Grid<Int>; output result: Rows<Two>;",
        "scan over x with y = Two { a: 1, b: vec2(0.0, 0.0) } { Two { a: y.a * 3 + sample(x), b: y.b + coord() } }",
        "struct Two { a: Int; b: Vec2; }",
    )
    x = np.array([[1, 2, 3], [4, 5, 6]], np.int32)
    want, a, bx, by = [], 1, 0.0, 0.0
    for row in range(2):
        for column in range(3):
            a, bx, by = a * 3 + int(x[row, column]), bx + column, by + row
            want.append((a, [bx, by]))
    got = run(source, {"x": x})
    assert [(int(r["a"]), r["b"].tolist()) for r in got] == want


def test_low_pass_rounds_every_step() -> None:
    source = kernel(
        "input wave: Rows<Float>; param gain: Float = 0.1; output result: Rows<Float>;",
        "scan over wave with held = 0.0 { let step = gain * (sample(wave) - held); held + step }",
    )
    samples = np.random.default_rng(3).standard_normal(300).astype(np.float32)
    y, want = np.float32(0), []
    for s in samples:
        y = np.float32(y + np.float32(np.float32(s - y) * np.float32(0.1)))
        want.append(y)
    assert (run(source, {"wave": samples}) == np.array(want)).all()


MACHINE = kernel(
    "input ticks: Rows<Int>; memory ram: Grid<Pair>; output result: Rows<Int>;",
    "scan over ticks with y = 0 { let p = vec2(float(sample(ticks)), 0.9); let c = at(ram, p); "
    "put(ram, p, Pair { n: c.n + 10, v: c.v * 2.0 }); let after = at(ram, p); put(ram, 0, 1, c); "
    "return y + c.n * 100 + after.n; }",
    "struct Pair { n: Int; v: Vec2; }",
)
PAIR = np.dtype([("n", np.int32), ("v", np.float32, 2)])


def test_memory_is_private_and_written_in_step_order() -> None:
    ram = np.zeros((2, 3), PAIR)
    ram["n"], ram["v"] = [[1, 2, 3], [4, 5, 6]], 1
    before = ram.copy()
    got = outcome(MACHINE, {"ticks": [0, 0, 2, 7, -1], "ram": ram})
    # Ticks 7 and -1 read the nearest element (3 + 10 and 11 + 10) and write nowhere.
    want = list(itertools.accumulate([1 * 100 + 11, 11 * 100 + 21, 3 * 100 + 13, 13 * 100 + 13, 21 * 100 + 21]))
    assert got.outputs["result"].data.tolist() == want
    after = got.memories["ram"].data
    assert after["n"].tolist() == [[21, 2, 13], [21, 5, 6]]
    assert after["v"].tolist() == [[[4, 4], [1, 1], [2, 2]], [[4, 4], [1, 1], [1, 1]]]
    assert (ram == before).all()


def test_a_loaded_value_stays_when_its_element_is_written() -> None:
    source = kernel(
        "input ticks: Rows<Int>; memory ram: Rows<Vec2>; output result: Rows<Vec2>;",
        "scan over ticks with y = vec2(0.0, 0.0) { let old = at(ram, 0); put(ram, 0, old + 1.0); return old; }",
    )
    got = run(source, {"ticks": [0, 0, 0], "ram": np.zeros((1, 2), np.float32)})
    assert got.tolist() == [[0, 0], [1, 1], [2, 2]]


def test_a_failed_scan_changes_nothing() -> None:
    source = kernel(
        "input ticks: Rows<Int>; memory ram: Rows<Int>; memory none: Rows<Int>; output result: Rows<Int>;",
        "scan over ticks with y = 0 { put(ram, 0, 9); put(none, 0, 1); "
        "if sample(ticks) == 3 { return at(none, 0); } return size(none); }",
    )
    ram, none = np.array([1, 2], np.int32), np.zeros(0, np.int32)
    with pytest.raises(RunError, match=r"K707.*`none`"):
        run(source, {"ticks": [1, 2, 3], "ram": ram, "none": none})
    assert ram.tolist() == [1, 2]
    assert run(source, {"ticks": [1, 2], "ram": ram, "none": none}).tolist() == [0, 0]


# ---------------------------------------------------------------- scatter


def scatter(op: str, element: str = "Float", emits: str = "") -> str:
    return kernel(
        f"input at: Rows<Int>; input v: Rows<{element}>; input t: Rows<{element}>; output result: Rows<{element}>;",
        f"scatter over at into t with {op} {{ {emits} Pair {{ at: sample(at), value: sample(v) }} }}",
        f"struct Pair {{ at: Int; value: {element}; }}",
    )


def test_float_sums_are_taken_in_element_order(small_blocks: None) -> None:
    rng = np.random.default_rng(7)
    at = rng.integers(-2, 7, 500).astype(np.int32)
    v = (rng.standard_normal(500) * 10.0 ** rng.integers(-6, 7, 500)).astype(np.float32)
    want = list(floats(1, 2, 3, 4, 5))
    for i, x in zip(at, v, strict=True):
        if 0 <= i < 5:
            want[i] = np.float32(want[i] + x)
    assert run(scatter("sum"), {"at": at, "v": v, "t": floats(1, 2, 3, 4, 5)}).tolist() == [float(w) for w in want]


def test_int_sums_wrap_and_fields_add_one_by_one() -> None:
    at, v = [1, 1, 0, 9, -1], [2**31 - 1, 1, 5, 7, 7]
    assert run(scatter("sum", "Int"), {"at": at, "v": v, "t": [0, 0]}).tolist() == [5, -(2**31)]
    source = scatter("sum", "Cell").replace("kernel", "struct Cell { n: [Int; 2]; v: Vec2; } kernel", 1)
    cell = np.dtype([("n", np.int32, 2), ("v", np.float32, 2)])
    v2 = np.array([([1, 2], [0.5, 1]), ([3, 4], [0.25, 2])], cell)
    got = run(source, {"at": [1, 1], "v": v2, "t": np.zeros(2, cell)})
    assert got["n"].tolist() == [[0, 0], [4, 6]]
    assert got["v"].tolist() == [[0, 0], [0.75, 3]]


def test_extremes_ignore_nan_and_order_zeros() -> None:
    at = [0, 0, 1, 2, 2, 3, 4, 4]
    v = floats(NAN, 2, NAN, -0.0, 0.0, NAN, INF, -INF)
    target = floats(5, NAN, 0.0, NAN, NAN)
    low = run(scatter("min"), {"at": at, "v": v, "t": target})
    assert low[0] == 2
    assert np.isnan(low[[1, 3]]).all()
    assert math.copysign(1, low[2]) == -1
    assert low[4] == -INF
    high = run(scatter("max"), {"at": at, "v": v, "t": target})
    assert high[0] == 5
    assert math.copysign(1, high[2]) == 1
    assert high[4] == INF
    assert run(scatter("min", "Int"), {"at": [0, 0], "v": [-5, 3], "t": [0, 8]}).tolist() == [-5, 8]


def test_last_takes_the_last_in_element_order(small_blocks: None) -> None:
    rng = np.random.default_rng(8)
    at = rng.integers(-3, 40, 1000).astype(np.int32)
    v = np.arange(1000, dtype=np.float32)
    want = [-1.0] * 30
    for i, x in zip(at, v, strict=True):
        if 0 <= i < 30:
            want[i] = float(x)
    got = run(scatter("last"), {"at": at, "v": v, "t": np.full(30, -1, np.float32)})
    assert got.tolist() == want


def test_emitted_pairs(small_blocks: None) -> None:
    emits = (
        "for i in 0..sample(at) { emit(Pair { at: i, value: 1 }); } "
        "if sample(v) < 0 { return Pair { at: -1, value: 0 }; }"
    )
    at, v = [3, 0, 2, 5] * 5, [10, -1, 20, -30] * 5
    want = [0, 0, 0, 0]
    for i, x in zip(at, v, strict=True):
        for k in range(min(i, 4)):
            want[k] += 1
        if x >= 0 and i < 4:
            want[i] += x
    assert run(scatter("sum", "Int", emits), {"at": at, "v": v, "t": [0, 0, 0, 0]}).tolist() == want


def test_pairs_emitted_by_packed_lanes() -> None:
    at = np.zeros(3000, np.int32)
    at[[5, 1000, 2999]] = [40, 3, 17]
    emits = "for i in 0..sample(at) { emit(Pair { at: i, value: sample(v) }); }"
    got = run(scatter("max", "Int", emits), {"at": at, "v": np.arange(3000, dtype=np.int32), "t": [0] * 50})
    # The returned pairs go to 0, 40, 3 and 17.
    want = [2999] * 17 + [2999] + [5] * 22 + [5] + [0] * 9
    assert got.tolist() == want


def test_float_addresses_are_floored_and_tested_as_floats() -> None:
    source = kernel(
        "input p: Rows<Vec2>; input t: Grid<Int>; output result: Grid<Int>;",
        "scatter over p into t with sum { Pair { at: sample(p), value: 1 } }",
        "struct Pair { at: Vec2; value: Int; }",
    )
    points = [[0.5, 0.9], [-0.1, 0], [2.99, 1], [3, 0], [NAN, 0], [0, NAN], [1e30, 0], [-0.0, 1.5], [1, -INF]]
    t = np.zeros((2, 3), np.int32)
    assert run(source, {"p": floats(*np.ravel(points)).reshape(-1, 2), "t": t}).tolist() == [[1, 0, 0], [1, 0, 1]]


def test_scatter_without_pairs_or_without_target() -> None:
    none, ints = np.zeros(0, np.int32), np.zeros(0, np.float32)
    assert run(scatter("sum"), {"at": none, "v": ints, "t": floats(1, 2)}).tolist() == [1, 2]
    assert run(scatter("sum"), {"at": [0], "v": [1.0], "t": ints}).tolist() == []
    source = scatter("max").replace("sample(at), value: sample(v)", "1, value: 4.0")
    assert run(source, {"at": [0, 0, 0], "v": [1.0] * 3, "t": floats(9, 1)}).tolist() == [9, 4]


def test_reads_of_the_target_see_the_original() -> None:
    source = kernel(
        "input x: Rows<Int>; output result: Rows<Int>;",
        "scatter over x into x with sum { Pair { at: 0, value: at(x, 0) } }",
        "struct Pair { at: Int; value: Int; }",
    )
    assert run(source, {"x": [1, 2, 3]}).tolist() == [4, 2, 3]


# ---------------------------------------------------------------- prefix


def running(values: list[int], combine: Callable[[int, int], int]) -> list[int]:
    return list(itertools.accumulate(values, combine))


@settings(max_examples=25)
@given(values=st.lists(st.integers(-(2**31), 2**31 - 1), min_size=1, max_size=70))
def test_prefix_of_ints(values: list[int]) -> None:
    def wrapped(a: int, b: int) -> int:
        return (a + b + 2**31) % 2**32 - 2**31

    for op, combine in {"sum": wrapped, "min": min, "max": max}.items():
        source = kernel("input x: Rows<Int>; output result: Rows<Int>;", f"prefix over x with {op} {{ sample(x) }}")
        assert run(source, {"x": values}).tolist() == running(values, combine)


def test_prefix_carries_across_blocks(small_blocks: None) -> None:
    x = np.random.default_rng(9).integers(-9, 9, 100).astype(np.int32)
    for op, accumulate in {"sum": np.add, "min": np.minimum, "max": np.maximum}.items():
        source = kernel("input x: Rows<Int>; output result: Rows<Int>;", f"prefix over x with {op} {{ sample(x) }}")
        assert run(source, {"x": x}).tolist() == accumulate.accumulate(x).tolist()
    ones = kernel("input x: Rows<Int>; output result: Rows<Int>;", "prefix over x with sum { 1 }")
    assert run(ones, {"x": x}).tolist() == list(range(1, 101))


def test_prefix_extremes_of_floats(small_blocks: None) -> None:
    x = floats(NAN, NAN, 3, NAN, 0.0, -0.0, 5, -INF, NAN, 7)
    low = run(
        kernel("input x: Rows<Float>; output result: Rows<Float>;", "prefix over x with min { sample(x) }"), {"x": x}
    )
    assert np.isnan(low[:2]).all()
    assert low[2:].tolist() == [3, 3, 0, 0, 0, -INF, -INF, -INF]
    assert [math.copysign(1, v) for v in low[4:6]] == [1, -1]
    vectors = kernel(
        "input x: Rows<Float>; output result: Rows<Vec2>;", "prefix over x with max { vec2(sample(x), 1.0) }"
    )
    assert run(vectors, {"x": x})[2:, 0].tolist() == [3, 3, 3, 3, 5, 5, 5, 7]


# ---------------------------------------------------------------- group


@pytest.mark.parametrize("count", [1, 5, 8, 64, 100, 130])
def test_exchange_clamps_to_the_lanes_there_are(count: int, small_blocks: None) -> None:
    source = kernel(
        "input x: Rows<Int>; output result: Rows<Int>; output where: Rows<Int>;",
        "group 5 { let v = sample(x); let next = exchange(v, lane() + 1); let last = exchange(v, 99); "
        "let first = exchange(v + next, -3); { result: next * 10000 + last * 100 + first, "
        "where: group() * 10 + lane() } }",
    )
    x = np.arange(count, dtype=np.int32) % 50
    got = outcome(source, {"x": x}).outputs
    want, where = [], []
    for e in range(count):
        lanes = x[e // 5 * 5 : e // 5 * 5 + 5].tolist()
        following = [*lanes[1:], lanes[-1]]
        want.append(following[e % 5] * 10000 + lanes[-1] * 100 + lanes[0] + following[0])
        where.append(e // 5 * 10 + e % 5)
    assert got["result"].data.tolist() == want
    assert got["where"].data.tolist() == where


def test_groups_may_go_their_own_ways() -> None:
    source = kernel(
        "input x: Rows<Int>; output result: Rows<Int>;",
        "group 4 { var v = sample(x); if group() % 2 == 0 { v = exchange(v, lane() ^ 1); } "
        "for i in 0..group() { v = exchange(v, lane() + 1); } return v; }",
    )
    x = np.arange(18, dtype=np.int32)
    want = []
    for g in range(5):
        lanes = x[4 * g : 4 * g + 4].tolist()
        last = len(lanes) - 1
        if g % 2 == 0:
            lanes = [lanes[min(i ^ 1, last)] for i in range(len(lanes))]
        for _ in range(g):
            lanes = [lanes[min(i + 1, last)] for i in range(len(lanes))]
        want += lanes
    assert run(source, {"x": x}).tolist() == want


def test_a_group_larger_than_a_block(small_blocks: None) -> None:
    source = kernel("input x: Rows<Int>; output result: Rows<Int>;", "group 100 { exchange(sample(x), 99 - lane()) }")
    x = np.arange(200, dtype=np.int32)
    assert run(source, {"x": x}).tolist() == [*range(99, -1, -1), *range(199, 99, -1)]


# ---------------------------------------------------------------- memory


def test_memory_stays_within_six_times_the_data() -> None:
    source = kernel(
        "input x: Rows<Body>; output result: Rows<Body>;",
        "compute { var b = sample(x); let a = -b.at / pow(length(b.at) + 0.1, 3.0); b.speed += a * 0.01; "
        "b.at += b.speed * 0.01; if dot(b.at, b.at) > 4.0 { b.at = normalize(b.at); b.hits += 1; } return b; }",
        "struct Body { at: Vec3; speed: Vec3; hits: Int; }",
    )
    bodies = np.zeros(1 << 19, np.dtype([("at", np.float32, 3), ("speed", np.float32, 3), ("hits", np.int32)]))
    bodies["at"] = np.random.default_rng(1).standard_normal((1 << 19, 3))
    launch = bind(compiled(source), {"x": bodies})
    tracemalloc.start()
    INTERPRETER.run(launch)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    # Input and output are the data; the input was there before.
    assert peak + bodies.nbytes < 6 * 2 * bodies.nbytes


# ---------------------------------------------------------------- asking and telling


def test_a_cancelled_run_is_interrupted(small_blocks: None) -> None:
    x = np.zeros(100, np.int32)
    launch = bind(compiled(kernel("input x: Rows<Int>; output result: Rows<Int>;", "compute { sample(x) }")), {"x": x})
    asked = iter([False, False, True])
    with pytest.raises(Interrupted):
        INTERPRETER.run(launch, lambda: next(asked))


def test_a_long_loop_and_a_long_scan_can_be_cancelled() -> None:
    spin = "loop 2147483647 until sample(x) == 1 { } "
    for body in (f"compute {{ {spin} sample(x) }}", f"scan over x with y = 0 {{ {spin} return y; }}"):
        launch = bind(compiled(kernel("input x: Rows<Int>; output result: Rows<Int>;", body)), {"x": [0, 0]})
        asked = itertools.chain([False] * 3, itertools.repeat(True))
        with pytest.raises(Interrupted):
            INTERPRETER.run(launch, lambda asked=asked: next(asked))


def test_progress_grows_to_one(small_blocks: None) -> None:
    told: list[float] = []
    launch = bind(
        compiled(kernel("input x: Rows<Int>; output result: Rows<Int>;", "compute { sample(x) }")),
        {"x": np.zeros(20, np.int32)},
    )
    INTERPRETER.run(launch, progress=told.append)
    assert told == [0.4, 0.8, 1.0]
