"""Fields of some hundred thousand elements, against closed forms: where work is cut into blocks, no seam shows."""

import numpy as np
import pytest

from kcheck.runtime.backend import Outcome
from kcheck.runtime.binding import bind
from tests.backends import BACKENDS
from tests.support import backend_named, program_of

COUNT = 300_001

MAP = """
kernel large.map@1 {
  requires { field.write; }
  output cell: Grid<Int>;
  output place: Grid<Vec2>;
  compute { return { cell: index() * 3, place: coord() }; }
}
"""
REDUCTION = """
struct Sums { sum: Int; least: Float; most: Float; odd: Int; }
kernel large.fold@1 {
  requires { field.read; field.write; }
  input values: Rows<Int>;
  output result: Rows<Sums>;
  compute over values {
    let v = sample(values);
    return Sums { sum: v, least: float(v), most: float(v), odd: v & 1 };
  }
  merge(a, b) {
    return Sums { sum: a.sum + b.sum, least: min(a.least, b.least), most: max(a.most, b.most), odd: a.odd + b.odd };
  }
}
"""
PREFIX = """
struct Running { sum: Int; one: Int; }
kernel large.prefix@1 {
  requires { field.read; field.write; }
  input values: Rows<Int>;
  output result: Rows<Running>;
  prefix over values with sum { return Running { sum: sample(values), one: 1 }; }
}
"""
HIGHEST = """
kernel large.highest@1 {
  requires { field.read; field.write; }
  input values: Rows<Float>;
  output result: Rows<Float>;
  prefix over values with max { return sample(values); }
}
"""
SCATTER = """
struct Hit { slot: Int; value: Int; }
kernel large.scatter@1 {
  requires { field.read; field.write; }
  input values: Rows<Int>;
  input target: Rows<Int>;
  output result: Rows<Int>;
  scatter over values into target with last { return Hit { slot: index() % size(target), value: sample(values) }; }
}
"""
FLOAT_SUM = """
struct Hit { slot: Int; value: Float; }
kernel large.order@1 {
  requires { field.read; field.write; }
  input values: Rows<Float>;
  input target: Rows<Float>;
  output result: Rows<Float>;
  scatter over values into target with sum { return Hit { slot: index() % size(target), value: sample(values) }; }
}
"""
GROUP = """
kernel large.group@1 {
  requires { field.read; field.write; }
  input values: Rows<Int>;
  output result: Rows<Int>;
  group 100 { return exchange(sample(values), 99 - lane()) + group() * 1000000; }
}
"""


@pytest.fixture(params=BACKENDS)
def backend(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def outcome(source: str, backend: str, domain: tuple[int, ...] | None = None, **values: np.ndarray) -> Outcome:
    return backend_named(backend).run(bind(program_of(source), values, domain))


def test_map(backend: str) -> None:
    found = outcome(MAP, backend, (701, 501)).outputs
    cells = np.arange(701 * 501, dtype=np.int32).reshape(501, 701)
    assert np.array_equal(found["cell"].data, cells * 3)
    assert np.array_equal(found["place"].data[..., 0], cells % 701)
    assert np.array_equal(found["place"].data[..., 1], cells // 701)


def test_reduction(backend: str) -> None:
    [found] = outcome(REDUCTION, backend, values=np.arange(-5, COUNT - 5, dtype=np.int32)).outputs["result"].data
    total = sum(range(-5, COUNT - 5))
    assert found["sum"] == (total + 2**31) % 2**32 - 2**31
    assert (found["least"], found["most"]) == (-5.0, COUNT - 6)
    assert found["odd"] == COUNT // 2 + 1


def test_prefix(backend: str) -> None:
    """The sums of 1, 2, 3, … are n (n + 1) / 2, modulo 2^32."""
    found = outcome(PREFIX, backend, values=np.arange(1, COUNT + 1, dtype=np.int32)).outputs["result"].data
    n = np.arange(1, COUNT + 1, dtype=np.int64)
    assert np.array_equal(found["sum"], (n * (n + 1) // 2).astype(np.int32))
    assert np.array_equal(found["one"], n)


def test_prefix_of_floats(backend: str) -> None:
    """A saw that rises by one each tooth, with NaN and -0.0 among its teeth."""
    i = np.arange(COUNT)
    values = (i // 1000 - i % 1000).astype(np.float32)
    values[1::1000] = np.nan
    values[0] = -0.0
    found = outcome(HIGHEST, backend, values=values).outputs["result"].data
    assert np.array_equal(found, i // 1000)
    assert np.all(np.signbit(found[:1000]))
    assert not np.any(np.signbit(found[1000:]))


def test_scatter(backend: str) -> None:
    """Of the elements that share a slot the last one stays."""
    values = np.arange(COUNT, dtype=np.int32) * 7
    found = outcome(SCATTER, backend, values=values, target=np.zeros(1000, np.int32)).outputs["result"].data
    slots = np.arange(1000)
    last = COUNT - 1 - (COUNT - 1 - slots) % 1000
    assert np.array_equal(found, last * 7)


def test_scatter_of_floats(backend: str) -> None:
    """2^24 and ones: each one is lost as it comes, and twos are not; the last -2^24 leaves their sum."""
    values = np.tile(np.array([1, 2, 1], np.float32), 100_000)
    values[-3:] = -(2.0**24)
    found = outcome(FLOAT_SUM, backend, values=values, target=np.full(3, 2.0**24, np.float32)).outputs["result"].data
    assert np.array_equal(found, [0, 2 * 99_999, 0])


def test_group(backend: str) -> None:
    """Each hundred is turned round; in the last group only one lane is left to ask."""
    values = np.arange(COUNT, dtype=np.int32)
    found = outcome(GROUP, backend, values=values).outputs["result"].data
    turned = values // 100 * 100 + 99 - values % 100
    turned[-1] = COUNT - 1
    assert np.array_equal(found, (turned + values.astype(np.int64) // 100 * 1_000_000).astype(np.int32))
