"""The extent of a field: read by kernels, passed on by maps and scatters."""

import numpy as np
import pytest

from kcheck.runtime.backend import Outcome
from kcheck.runtime.binding import bind
from kcheck.runtime.fields import Box, Field, field_of
from tests.backends import BACKENDS
from tests.support import backend_named, program_of

MAP = """
kernel extent.map@1 {
  requires { field.read; field.write; }
  input a: Grid<Float>;
  input b: Grid<Float>;
  input other: Rows<Float>;
  output result: Grid<Vec2>;
  output length: Grid<Float>;
  compute { return { result: extent(a) + sample(a) + sample(b), length: extent(other) }; }
}
"""
SCATTER = """
struct Hit { cell: Vec2; value: Float; }
kernel extent.scatter@1 {
  requires { field.read; field.write; }
  input a: Rows<Float>;
  input target: Grid<Float>;
  output result: Grid<Float>;
  scatter over a into target with sum { return Hit { cell: vec2(0.0), value: extent(target).y }; }
}
"""
WIDE, HIGH = Box((-1.0, 0.5), (3.0, 1.0)), Box((0.0, 0.0), (2.0, 8.0))
SMALL = Box((2.0,), (2.5,))


def outcome(source: str, backend: str, boxes: dict[str, Box]) -> Outcome:
    program = program_of(source)
    shapes = {2: (2, 3), 1: (4,)}
    fields: dict[str, Field] = {
        port.name: field_of(port.type, np.zeros(shapes[port.type.rank], np.float32), boxes.get(port.name))
        for port in program.inputs
    }
    return backend_named(backend).run(bind(program, fields))


@pytest.mark.parametrize("backend", BACKENDS)
def test_map_passes_on_what_its_sampled_inputs_share(backend: str) -> None:
    found = outcome(MAP, backend, {"a": WIDE, "b": WIDE, "other": SMALL}).outputs
    assert np.array_equal(found["result"].data, np.full((2, 3, 2), [4.0, 0.5]))
    assert np.array_equal(found["length"].data, np.full((2, 3), 0.5))
    assert {f.extent for f in found.values()} == {WIDE}


@pytest.mark.parametrize("backend", BACKENDS)
def test_map_starts_anew_where_they_differ(backend: str) -> None:
    found = outcome(MAP, backend, {"a": WIDE, "b": HIGH}).outputs
    assert {f.extent for f in found.values()} == {Box((0.0, 0.0), (3.0, 2.0))}
    assert np.array_equal(found["length"].data, np.full((2, 3), 4.0))


@pytest.mark.parametrize("backend", BACKENDS)
def test_scatter_passes_on_that_of_its_target(backend: str) -> None:
    found = outcome(SCATTER, backend, {"a": SMALL, "target": HIGH}).outputs["result"]
    assert found.extent == HIGH
    assert found.data.tolist() == [[32.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
