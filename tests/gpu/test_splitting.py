"""Fields that are larger than the device binds: runs by pieces give what runs of the whole would."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from kcheck.runtime.backend import Outcome
from kcheck.runtime.errors import RunError
from kcheck.runtime.fields import Box, Field
from tests.gpu.launches import device, launch, run

LIMIT = 8192
COUNT = 10_007
"""Elements of four bytes, more than fit, and no multiple of anything."""


@pytest.fixture(autouse=True)
def small_bindings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(device().device, "most_bytes", LIMIT)


def kernel(body: str, result: str = "Rows<Int>", inputs: str = "input a: Rows<Int>;", types: str = "") -> str:
    return f"""
    {types}
    kernel split.it@1 {{
      requires {{ field.read; field.write; }}
      {inputs}
      output result: {result};
      {body}
    }}
    """


def split(source: str, domain: Sequence[int] | None = None, **values: Any) -> Outcome:
    """What the device itself gives."""
    outcome = run(source, domain, **values)
    assert outcome.fallback is None, outcome.fallback
    return outcome


def rows(source: str, domain: Sequence[int] | None = None, **values: Any) -> np.ndarray:
    return split(source, domain, **values).outputs["result"].data


CHANCE = np.random.default_rng(5)
INTS = CHANCE.integers(-1000, 1000, COUNT, np.int32)
FLOATS = CHANCE.standard_normal(COUNT).astype(np.float32)


def test_maps() -> None:
    found = rows(kernel("compute { return sample(a) * 2 + index(); }"), a=INTS)
    assert np.array_equal(found, INTS * 2 + np.arange(COUNT, dtype=np.int32))


def test_maps_without_inputs() -> None:
    assert np.array_equal(rows(kernel("compute { return index() * 3; }", inputs=""), (COUNT,)), np.arange(COUNT) * 3)


def test_inputs_that_are_read_elsewhere_stay_whole() -> None:
    table = np.arange(100, dtype=np.int32) ** 2
    source = kernel(
        "compute { return sample(a) + at(table, index() % size(table)) + size(a); }",
        inputs="input a: Rows<Int>; input table: Rows<Int>;",
    )
    assert np.array_equal(rows(source, a=INTS, table=table), INTS + table[np.arange(COUNT) % 100] + COUNT)


def test_places_of_grids() -> None:
    """Coordinates, places, sizes and extents are those of the whole field."""
    width, height = 113, 89
    source = kernel(
        """
        output places: Grid<Vec2>;
        output sizes: Grid<Vec4>;
        compute {
          let here = coord();
          return {
            result: Vec4(sample(a), here.x, here.y, float(index())), places: place(),
            sizes: Vec4(domain(), extent(a).x, size(a).y),
          };
        }
        """.replace("Vec4(", "vec4("),
        "Grid<Vec4>",
        "input a: Grid<Float>;",
    )
    values = CHANCE.random((height, width), np.float32)
    box = Box((1.0, 2.0), (5.0, 4.5))
    [port] = launch(source, a=values).program.inputs
    outputs = split(source, a=Field(port.type, values, box)).outputs
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    assert np.array_equal(outputs["result"].data, np.stack([values, x, y, y * width + x], -1))
    places = np.stack([(x + np.float32(0.5)) / np.float32(width), (y + np.float32(0.5)) / np.float32(height)], -1)
    assert np.array_equal(outputs["places"].data, places)
    assert np.array_equal(np.unique(outputs["sizes"].data.reshape(-1, 4), axis=0), [[width, height, 4.0, height]])
    assert outputs["result"].extent == box
    assert outputs["result"].shape == (height, width)


def test_volumes() -> None:
    source = kernel(
        "compute { let p = coord(); return vec4(p, place().z) + sample(a) * 0.0; }",
        "Volume<Vec4>",
        "input a: Volume<Float>;",
    )
    found = rows(source, a=np.zeros((7, 19, 29), np.float32))
    z, y, x = np.mgrid[0:7, 0:19, 0:29].astype(np.float32)
    assert np.array_equal(found, np.stack([x, y, z, (z + np.float32(0.5)) / np.float32(7)], -1))


@pytest.mark.parametrize("lanes", [1, 7, 100, 256])
def test_groups(lanes: int) -> None:
    body = f"group {lanes} {{ return exchange(sample(a), {lanes - 1} - lane()) + group() * 3 + index(); }}"
    numbers = np.arange(COUNT)
    starts = numbers // lanes * lanes
    last = np.minimum(starts + lanes, COUNT) - 1
    wanted = INTS[np.minimum(starts + lanes - 1 - (numbers - starts), last)] + numbers // lanes * 3 + numbers
    assert np.array_equal(rows(kernel(body), a=INTS), wanted)


def test_sums() -> None:
    """Int sums wrap, Float sums are right to rounding and the same each time."""
    body = "compute over a { return sample(a); } merge(a, b) { return a + b; }"
    large = INTS * 2_000_003
    assert rows(kernel(body), a=large)[0] == np.sum(large, dtype=np.int32)
    source = kernel(body, "Rows<Float>", "input a: Rows<Float>;")
    found = rows(source, a=FLOATS)[0]
    assert abs(found - math.fsum(FLOATS)) <= 1e-6 * math.fsum(np.abs(FLOATS))
    assert found == rows(source, a=FLOATS)[0]


def test_reductions_that_know_places() -> None:
    """The first of the largest, by a kernel of a grid."""
    source = kernel(
        """
        compute over a { return Best { value: sample(a), place: index(), at: coord(), count: 1 }; }
        merge(a, b) {
          let first = a.value > b.value || (a.value == b.value && a.place < b.place);
          return Best {
            value: select(first, a.value, b.value), place: select(first, a.place, b.place),
            at: select(first, a.at, b.at), count: a.count + b.count,
          };
        }
        """,
        "Rows<Best>",
        "input a: Grid<Float>;",
        "struct Best { value: Float; place: Int; at: Vec2; count: Int; }",
    )
    values = CHANCE.integers(0, 500, (89, 113)).astype(np.float32)
    found = rows(source, a=values)[0]
    place = int(np.argmax(values))
    assert found["value"] == values.max()
    assert found["place"] == place
    assert found["at"].tolist() == [place % 113, place // 113]
    assert found["count"] == values.size


@pytest.mark.parametrize(("op", "numpy"), [("sum", np.add), ("min", np.minimum), ("max", np.maximum)])
def test_prefixes_of_ints(op: str, numpy: np.ufunc) -> None:
    body = f"prefix over a with {op} {{ return sample(a) * 1000003; }}"
    assert np.array_equal(rows(kernel(body), a=INTS), numpy.accumulate(INTS * np.int32(1000003), dtype=np.int32))


def test_prefixes_of_floats_and_structs() -> None:
    """A NaN loses to all others, -0 is below 0."""
    values = FLOATS.copy()
    values[:3000] = np.nan
    values[3000:6000] = -0.0
    values[6000:] = 0.0
    source = kernel(
        "prefix over a with max { return Two { x: sample(a), i: index() % 5000 }; }",
        "Rows<Two>",
        "input a: Rows<Float>;",
        "struct Two { x: Float; i: Int; }",
    )
    found = rows(source, a=values)
    assert np.isnan(found["x"][:3000]).all()
    assert np.signbit(found["x"][3000:6000]).all()
    assert not np.signbit(found["x"][6000:]).any()
    assert np.array_equal(found["i"], np.maximum.accumulate(np.arange(COUNT) % 5000))


@pytest.mark.parametrize("op", ["sum", "max", "last"])
@pytest.mark.parametrize("type_", ["Int", "Float"])
def test_scatters(op: str, type_: str) -> None:
    source = kernel(
        f"scatter over a into target with {op} {{ return Hit {{ slot: sample(a) % 90, value: sample(v) }}; }}",
        f"Rows<{type_}>",
        f"input a: Rows<Int>; input v: Rows<{type_}>; input target: Rows<{type_}>;",
        f"struct Hit {{ slot: Int; value: {type_}; }}",
    )
    values = INTS if type_ == "Int" else FLOATS
    slots = np.fmod(INTS, 90)
    inside = slots >= 0
    wanted = np.arange(80).astype(values.dtype)
    inside &= slots < 80
    if op == "last":
        wanted[slots[inside]] = values[inside]
    else:
        {"sum": np.add, "max": np.maximum}[op].at(wanted, slots[inside], values[inside])
    found = rows(source, a=INTS, v=values, target=np.arange(80).astype(values.dtype))
    assert np.array_equal(found, wanted)  # Floats too: they are added in the order of the elements


def test_scans() -> None:
    body = "scan over a with y = 7 { return y * 3 + sample(a) + index(); }"
    y, wanted = 7, []
    for i, value in enumerate(INTS.tolist()):
        y = (y * 3 + value + i + 2**31) % 2**32 - 2**31
        wanted.append(y)
    assert rows(kernel(body), a=INTS).tolist() == wanted


def test_scans_with_memories() -> None:
    source = kernel(
        """
        memory m: Rows<Int>;
        scan over a with y = 0 { let old = at(m, index() % 10); put(m, index() % 10, old + 1); return old; }
        """
    )
    memory = np.zeros(10, np.int32)
    outcome = split(source, a=INTS, m=memory)
    assert np.array_equal(outcome.outputs["result"].data, np.arange(COUNT) // 10)
    assert outcome.memories["m"].data.tolist() == [1001] * 7 + [1000] * 3
    assert not memory.any()


def test_bools_and_params() -> None:
    source = kernel(
        "param k: Int = 3; compute { return sample(a) != (index() % k == 0); }", "Rows<Bool>", "input a: Rows<Bool>;"
    )
    values = INTS > 0
    assert np.array_equal(rows(source, a=values, k=5), values != (np.arange(COUNT) % 5 == 0))


def test_fields_that_must_be_whole_run_elsewhere() -> None:
    """A field that is read at computed places cannot be cut: the reason is said."""
    outcome = run(kernel("compute { return at(a, size(a) - 1 - index()); }"), (COUNT,), a=INTS)
    assert outcome.fallback is not None
    assert "buffer of 40028 bytes" in outcome.fallback
    assert np.array_equal(outcome.outputs["result"].data, INTS[::-1])
    big = kernel(
        "scatter over a into target with sum { return Hit { slot: sample(a), value: 1 }; }",
        inputs="input a: Rows<Int>; input target: Rows<Int>;",
        types="struct Hit { slot: Int; value: Int; }",
    )
    outcome = run(big, a=np.array([1, 1], np.int32), target=np.zeros(5000, np.int32))
    assert outcome.fallback is not None
    assert outcome.outputs["result"].data[1] == 2


def test_names_of_ports_are_free() -> None:
    source = kernel("compute { return sample(a) + at(a_, 0); }", inputs="input a: Rows<Int>; input a_: Rows<Int>;")
    assert np.array_equal(rows(source, a=INTS, a_=np.array([5], np.int32)), INTS + 5)


def test_errors_and_cancelling() -> None:
    source = kernel("compute { return at(b, sample(a)); }", inputs="input a: Rows<Int>; input b: Rows<Int>;")
    with pytest.raises(RunError) as refused:
        run(source, a=INTS, b=np.zeros(0, np.int32))
    assert refused.value.code == "K707"


def test_progress() -> None:
    told: list[float] = []
    device().run(launch(kernel("compute { return sample(a); }"), a=INTS), progress=told.append)
    assert told == sorted(told)
    assert len(told) > 2
    assert told[-1] == 1.0
