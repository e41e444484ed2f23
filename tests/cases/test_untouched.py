"""A run leaves what was bound to it alone, whether it succeeds or fails; it gives the same bits every time."""

import math

import numpy as np
import pytest

from kcheck.runtime.backend import Launch
from kcheck.runtime.binding import bind
from kcheck.runtime.errors import RunError
from tests.backends import BACKENDS
from tests.support import backend_named, program_of

SCAN = """
kernel untouched.scan@1 {
  requires { field.read; field.write; }
  input steps: Rows<Int>;
  input empty: Rows<Int>;
  memory ram: Rows<Int>;
  output result: Rows<Int>;
  scan over steps with y = 0 {
    put(ram, index(), 100);
    return if sample(steps) > 0 { at(empty, 0) } else { at(ram, 0) };
  }
}
"""
SCATTER = """
struct Hit { slot: Int; value: Float; }
kernel untouched.scatter@1 {
  requires { field.read; field.write; }
  input values: Rows<Float>;
  input target: Rows<Float>;
  output result: Rows<Float>;
  scatter over values into target with sum { return Hit { slot: 0, value: sample(values) }; }
}
"""
SUM = """
kernel untouched.sum@1 {
  requires { field.read; field.write; }
  input values: Rows<Float>;
  output result: Rows<Float>;
  compute over values { return sample(values); }
  merge(a, b) { return a + b; }
}
"""


def bound(launch: Launch) -> dict[str, np.ndarray]:
    """Copies of all that a launch holds."""
    fields = {**launch.inputs, **launch.memories}
    return {name: f.data.copy() for name, f in fields.items()}


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("last", [0, 1])
def test_memory_is_a_copy(last: int, backend: str) -> None:
    steps = np.array([0, 0, last], np.int32)
    ram = np.arange(4, dtype=np.int32)
    launch = bind(program_of(SCAN), {"steps": steps, "empty": np.zeros(0, np.int32), "ram": ram})
    before = bound(launch)
    if last:
        with pytest.raises(RunError, match="K707"):
            backend_named(backend).run(launch)
    else:
        outcome = backend_named(backend).run(launch)
        assert outcome.memories["ram"].data.tolist() == [100, 100, 100, 3]
        assert outcome.outputs["result"].data.tolist() == [100, 100, 100]
    assert ram.tolist() == [0, 1, 2, 3]
    for name, data in bound(launch).items():
        assert np.array_equal(data, before[name]), name


@pytest.mark.parametrize("backend", BACKENDS)
def test_target_is_a_copy(backend: str) -> None:
    values, target = np.array([1, 2], np.float32), np.array([10, 20], np.float32)
    outcome = backend_named(backend).run(bind(program_of(SCATTER), {"values": values, "target": target}))
    assert outcome.outputs["result"].data.tolist() == [13, 20]
    assert target.tolist() == [10, 20]
    assert values.tolist() == [1, 2]


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("count", [1, 2, 3, 1000, 200_003])
def test_a_float_sum_is_near_and_always_the_same(count: int, backend: str) -> None:
    values = (np.random.default_rng(5).standard_normal(count) * 100).astype(np.float32)
    runs = [backend_named(backend).run(bind(program_of(SUM), {"values": values})) for _ in range(3)]
    bits = {run.outputs["result"].data.tobytes() for run in runs}
    assert len(bits) == 1
    error = abs(float(runs[0].outputs["result"].data[0]) - math.fsum(values.tolist()))
    assert error <= 2.0**-24 * count.bit_length() * math.fsum(np.abs(values).tolist())
