"""Where work is split among workgroups, invocations and dispatches no seam shows, with wide reads and without."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from kcheck.runtime.gpu import schedules
from kcheck.runtime.gpu.wgsl import runs
from kcheck.runtime.interpreter import Interpreter
from tests.gpu.launches import device, launch

SIZES = (0, 1, 2, 3, 4, 5, 255, 256, 257, 1023, 1024, 1025, 2047, 2049, 70_001)

MAP = """
struct Both { n: Int; x: Float; }
kernel split.map@1 {
  requires { field.read; field.write; }
  input a: Rows<Int>;
  input b: Rows<Vec3>;
  output sum: Rows<Both>;
  output last: Rows<Bool>;
  compute {
    let v = sample(b);
    return { sum: Both { n: sample(a) + index(), x: v.x + v.z }, last: at(a, index() + 1) == sample(a) };
  }
}
"""
PREFIX = """
kernel split.prefix@1 {
  requires { field.read; field.write; }
  input a: Rows<Int>;
  output result: Rows<TYPE>;
  prefix over a with OP { let v = sample(a); return VALUE; }
}
"""
FOLD = """
struct Found { place: Int; value: Float; sum: Float; }
kernel split.fold@1 {
  requires { field.read; field.write; }
  input a: Rows<Float>;
  output result: Rows<Found>;
  compute over a { return Found { place: index(), value: sample(a), sum: sample(a) }; }
  merge(a, b) {
    let first = a.value > b.value || (a.value == b.value && a.place < b.place);
    return Found {
      place: select(first, a.place, b.place), value: select(first, a.value, b.value), sum: a.sum + b.sum,
    };
  }
}
"""
SCATTER = """
struct Hit { slot: Int; value: TYPE; }
kernel split.scatter@1 {
  requires { field.read; field.write; }
  input slots: Rows<Int>;
  input values: Rows<Float>;
  input target: Rows<TYPE>;
  output result: Rows<TYPE>;
  scatter over slots into target with OP { return Hit { slot: sample(slots), value: VALUE }; }
}
"""
EMITTING = """
struct Hit { slot: Int; value: Int; }
kernel split.emit@1 {
  requires { field.read; field.write; }
  input slots: Rows<Int>;
  input target: Rows<Int>;
  output result: Rows<Int>;
  scatter over slots into target with sum {
    for i in 0..3 { emit(Hit { slot: sample(slots) + i, value: i + 1 }); }
    return Hit { slot: sample(slots), value: 100 };
  }
}
"""


@pytest.fixture(autouse=True, params=["one", "four", "subgroups"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """With an invocation for each element, with one for four, and that where subgroups do what they can."""
    gpu = device()
    subgroup = gpu.traits.subgroup if request.param == "subgroups" else 0
    traits = replace(gpu.traits, at_once=request.param != "one", subgroup=subgroup)
    monkeypatch.setattr(gpu._opened, "traits", traits)
    gpu._compiled.clear()
    yield
    gpu._compiled.clear()


def outputs(source: str, **values: Any) -> dict[str, np.ndarray]:
    return {name: field.data for name, field in device().run(launch(source, **values)).outputs.items()}


def test_map() -> None:
    for count in SIZES:
        a = np.arange(count, dtype=np.int32) // 3
        b = np.arange(3 * count, dtype=np.float32).reshape(count, 3)
        found = outputs(MAP, a=a, b=b)
        assert np.array_equal(found["sum"]["n"], a + np.arange(count))
        assert np.array_equal(found["sum"]["x"], b[:, 0] + b[:, 2])
        assert np.array_equal(found["last"], np.append(a[1:], a[-1:]) == a)


def test_map_of_wide_elements() -> None:
    source = """
    kernel split.wide@1 {
      requires { field.read; field.write; }
      input a: Rows<Vec4>;
      input n: Rows<Int>;
      input v: Rows<Vec3>;
      output sum: Rows<Vec4>;
      output more: Rows<Vec2>;
      compute {
        return { sum: sample(a) + vec4(sample(v), float(sample(n))), more: vec2(sample(a).w, float(index())) };
      }
    }
    """
    for count in SIZES:
        a = np.arange(4 * count, dtype=np.float32).reshape(count, 4)
        n, v = np.arange(count, dtype=np.int32), np.arange(3 * count, dtype=np.float32).reshape(count, 3)
        found = outputs(source, a=a, n=n, v=v)
        assert np.array_equal(found["sum"], a + np.column_stack([v, n]).astype(np.float32))
        assert np.array_equal(found["more"], np.column_stack([a[:, 3], n]))


def test_prefix_of_ints() -> None:
    source = PREFIX.replace("TYPE", "Int").replace("OP", "sum").replace("VALUE", "v * v")
    for count in (*SIZES, 300_001):
        a = np.arange(count, dtype=np.int32)
        wanted = np.cumsum(a.astype(np.int64) ** 2).astype(np.int32)
        assert np.array_equal(outputs(source, a=a)["result"], wanted), count


def test_prefix_of_long_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """With few runs these have many steps, and the last of all is not full."""
    monkeypatch.setattr(runs, "_MOST_RUNS", 3)
    source = PREFIX.replace("TYPE", "Int").replace("OP", "sum").replace("VALUE", "v")
    pairs = PREFIX.replace("TYPE", "Vec2").replace("OP", "min").replace("VALUE", "vec2(float(v), float(0 - v))")
    for count in (1, 100, 5000, 8192, 30_001):
        a = np.random.default_rng(count).integers(-(2**31), 2**31, count).astype(np.int32)
        assert np.array_equal(outputs(source, a=a)["result"], np.cumsum(a, dtype=np.int32)), count
        a >>= 10
        both = np.column_stack([a, -a]).astype(np.float32)
        assert np.array_equal(outputs(pairs, a=a)["result"], np.minimum.accumulate(both)), count


def test_prefix_of_vectors() -> None:
    value = "vec3(float(v), select(v == 3, bitcast_float(0x7FC00000), -float(v)), 0.0 - float(v & 7))"
    source = PREFIX.replace("TYPE", "Vec3").replace("OP", "max").replace("VALUE", value)
    for count in SIZES:
        a = np.arange(count, dtype=np.int32)
        found = outputs(source, a=a)["result"]
        assert np.array_equal(found[:, 0], a)
        assert np.array_equal(found[:, 1:], np.zeros((count, 2)))


def test_reduction() -> None:
    """The tree is the interpreter's, so rounded sums have its bits, and the same ones in every run."""
    for count in SIZES[1:]:
        a = np.random.default_rng(count).standard_normal(count).astype(np.float32)
        a[a.argmax() :: 1000] = a.max()
        [found] = outputs(FOLD, a=a)["result"]
        [wanted] = Interpreter().run(launch(FOLD, a=a)).outputs["result"].data
        assert (found["place"], found["value"]) == (a.argmax(), a.max())
        assert found["sum"] == wanted["sum"]
        assert abs(found["sum"] - a.astype(np.float64).sum()) <= 1e-6 * np.abs(a).sum()
        assert outputs(FOLD, a=a)["result"].tobytes() == np.array([found]).tobytes()


def test_reduction_that_rounds_nothing() -> None:
    """Its elements meet in any order; what does not round is the same then."""
    source = FOLD.replace("sum: sample(a)", "sum: 0.0 - sample(a)").replace("a.sum + b.sum", "max(a.sum, b.sum)")
    for count in (1, 8191, 8192, 8193, 16_384, 70_001, 300_003):
        a = np.random.default_rng(count).standard_normal(count).astype(np.float32)
        a[a.argmax() :: 1000] = a.max()
        [found] = outputs(source, a=a)["result"]
        assert (found["place"], found["value"], found["sum"]) == (a.argmax(), a.max(), -a.min()), count


@pytest.mark.parametrize("rounds", [0, 3, 500])
def test_scan(rounds: int) -> None:
    """Its tiles and its dispatches join; with many rounds a dispatch may end within a tile."""
    source = f"""
    kernel split.scan@1 {{
      requires {{ field.read; field.write; }}
      input a: Rows<Int>;
      input b: Rows<Vec2>;
      memory last: Rows<Int>;
      output result: Rows<Int>;
      scan over a with y = -2 {{
        var x = y;
        for i in 0..{rounds} {{ x = x * 1664525 + 1013904223; }}
        put(last, 0, index());
        return x * 3 + sample(a) + int(sample(b).y);
      }}
    }}
    """
    for count in (0, 1, 3, 4, 5, 511, 512, 513, 1030, *([40_000] if rounds < 500 else [])):
        a = np.arange(5, count + 5, dtype=np.int32)
        b = np.arange(2 * count, dtype=np.float32).reshape(count, 2)
        x, wanted = -2, []
        for value, more in zip(a.tolist(), b[:, 1].tolist(), strict=True):
            for _ in range(rounds):
                x = (x * 1664525 + 1013904223) % 2**32
            x = (x * 3 + value + int(more)) % 2**32
            wanted.append((x + 2**31) % 2**32 - 2**31)
        outcome = device().run(launch(source, a=a, b=b, last=np.full(1, -1, np.int32)))
        assert outcome.outputs["result"].data.tolist() == wanted, count
        assert outcome.memories["last"].data.tolist() == [count - 1]


@pytest.mark.parametrize("cells", [1, 7, 4096, 5000])
@pytest.mark.parametrize("op", ["sum", "min", "max"])
def test_scatter_of_ints(op: str, cells: int) -> None:
    """Small targets have a copy in each workgroup."""
    for count in (0, 1, 500, 70_001):
        scatter_ints(op, cells, count)


@pytest.mark.parametrize("op", ["sum", "max"])
def test_scatter_of_ints_by_ranges(op: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of larger targets workgroups have copies of a range, where an invocation takes four elements."""
    monkeypatch.setattr(schedules, "_RANGE_PAIRS", 2)
    monkeypatch.setattr(schedules, "_RANGE_BLOCKS", 3)
    for cells in (5000, 20_001):
        scatter_ints(op, cells, 70_001)


def scatter_ints(op: str, cells: int, count: int) -> None:
    source = SCATTER.replace("TYPE", "Int").replace("OP", op).replace("VALUE", "index() * 7 - 1000")
    slots = np.random.default_rng(count).integers(-1, cells + 1, count).astype(np.int32)
    target = np.arange(cells, dtype=np.int32) * 3
    inside = (slots >= 0) & (slots < cells)
    wanted = target.copy()
    combine = {"sum": np.add, "min": np.minimum, "max": np.maximum}[op]
    combine.at(wanted, slots[inside], (np.arange(count, dtype=np.int32) * 7 - 1000)[inside])
    found = outputs(source, slots=slots, values=np.zeros(count, np.float32), target=target)
    assert np.array_equal(found["result"], wanted), count


@pytest.mark.parametrize("cells", [1, 300, 70_000])
def test_scatter_of_floats_in_order(cells: int) -> None:
    source = SCATTER.replace("TYPE", "Float").replace("OP", "sum").replace("VALUE", "sample(values)")
    for count in (0, 1, 1023, 1025, 70_001):
        chance = np.random.default_rng(count)
        slots = (chance.random(count) ** 3 * (cells + 2)).astype(np.int32) - 1
        values = (chance.standard_normal(count) * 10.0 ** chance.integers(-4, 5, count)).astype(np.float32)
        inside = (slots >= 0) & (slots < cells)
        wanted = np.ones(cells, np.float32)
        np.add.at(wanted, slots[inside], values[inside])
        found = outputs(source, slots=slots, values=values, target=np.ones(cells, np.float32))
        assert np.array_equal(found["result"].view(np.uint32), wanted.view(np.uint32)), count


@pytest.mark.parametrize(("op", "combine"), [("min", np.fmin), ("max", np.fmax)])
def test_scatter_of_extremes(op: str, combine: np.ufunc) -> None:
    source = SCATTER.replace("TYPE", "Float").replace("OP", op).replace("VALUE", "sample(values)")
    chance = np.random.default_rng(5)
    slots, values = chance.integers(0, 50, 5000).astype(np.int32), chance.standard_normal(5000).astype(np.float32)
    values[::3] = np.nan
    target = np.full(51, np.nan, np.float32)
    wanted = target.copy()
    combine.at(wanted, slots, values)
    found = outputs(source, slots=slots, values=values, target=target)["result"]
    assert np.array_equal(found, wanted, equal_nan=True)


def test_scatter_last() -> None:
    source = SCATTER.replace("TYPE", "Float").replace("OP", "last").replace("VALUE", "sample(values)")
    slots = np.random.default_rng(6).integers(-2, 700, 70_001).astype(np.int32)
    values = np.arange(slots.size, dtype=np.float32)
    inside = (slots >= 0) & (slots < 690)
    wanted = np.full(690, -1, np.float32)
    wanted[slots[inside]] = values[inside]
    found = outputs(source, slots=slots, values=values, target=np.full(690, -1, np.float32))["result"]
    assert np.array_equal(found, wanted)


@pytest.mark.parametrize("cells", [40, 9000])
def test_emitted_pairs(cells: int) -> None:
    slots = np.random.default_rng(8).integers(0, cells, 3000).astype(np.int32)
    wanted = np.zeros(cells + 2, np.int64)
    for i, value in ((0, 101), (1, 2), (2, 3)):
        np.add.at(wanted, slots + i, value)
    found = outputs(EMITTING, slots=slots, target=np.zeros(cells, np.int32))["result"]
    assert np.array_equal(found, wanted[:cells])
