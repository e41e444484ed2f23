"""Short maps: what is kept from one run to the next is never kept too long."""

from __future__ import annotations

import weakref
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

from kcheck.runtime.backend import Launch
from kcheck.runtime.errors import RunError
from kcheck.runtime.fields import Box
from kcheck.runtime.jit import Jit
from kcheck.runtime.layout import AnyArray
from tests.interpreter.build import kernel
from tests.jit.build import launch_of

LAST = kernel("input x: Rows<Int>; output result: Rows<Int>;", "compute { sample(x) * 100 + at(x, size(x) - 1) }")


@pytest.fixture
def jit() -> Jit:
    return Jit()


def ints(*values: int) -> AnyArray:
    return np.array(values, np.int32)


def result(jit: Jit, launch: Launch) -> list[float]:
    values: list[float] = jit.run(launch).outputs["result"].data.tolist()
    return values


def test_arrays_whose_contents_change(jit: Jit) -> None:
    launch = launch_of(LAST, {"x": ints(1, 2, 3)})
    x = launch.inputs["x"].data
    assert result(jit, launch) == [103, 203, 303]
    x[:] = 7, 8, 9
    assert result(jit, launch) == [709, 809, 909]


def test_a_view_whose_contents_change(jit: Jit) -> None:
    launch = launch_of(LAST, {"x": np.arange(6, dtype=np.int32)})
    x = launch.inputs["x"].data
    view = replace(launch.inputs["x"], data=x[::2])
    launch = replace(launch, inputs={"x": view}, shape=(3,))
    assert result(jit, launch) == [4, 204, 404]
    x[:] = 1
    assert result(jit, launch) == [101, 101, 101]


def test_params_that_change(jit: Jit) -> None:
    source = kernel(
        "input x: Rows<Float>; param k: Float = 2.0; param v: Vec2 = vec2(0.0); output result: Rows<Float>;",
        "compute { sample(x) * k + v.y }",
    )
    launch = launch_of(source, {"x": [1.0, 2.0]})
    assert result(jit, launch) == [2.0, 4.0]
    other = replace(launch, params={"k": np.array(3, np.float32), "v": np.array([1, 10], np.float32)})
    assert result(jit, other) == [13.0, 16.0]
    other.params["v"][1] = -1
    assert result(jit, other) == [2.0, 5.0]
    assert result(jit, launch) == [2.0, 4.0]


def test_other_arrays_in_the_place_of_those_that_are_gone(jit: Jit) -> None:
    launch = launch_of(LAST, {"x": ints(0, 0)})
    for n in range(1, 50):
        field = replace(launch.inputs["x"], data=ints(n, n + 1))
        launch = replace(launch, inputs={"x": field})
        assert result(jit, launch) == [100 * n + n + 1, 101 * (n + 1)]


def test_an_array_that_gets_another_shape(jit: Jit) -> None:
    source = kernel("input g: Image; output result: Rows<Float>;", "compute { size(g).x }")
    launch = launch_of(source, {"g": np.zeros((3, 5, 4), np.float32)}, [2])
    assert result(jit, launch) == [5.0, 5.0]
    launch.inputs["g"].data.resize((5, 3, 4), refcheck=False)
    assert result(jit, launch) == [3.0, 3.0]


def test_another_extent(jit: Jit) -> None:
    source = kernel("input x: Rows<Float>; output result: Rows<Float>;", "compute { sample(x) + extent(x) }")
    launch = launch_of(source, {"x": [0.0, 0.0]})
    assert result(jit, launch) == [2.0, 2.0]
    field = replace(launch.inputs["x"], extent=Box((0.0,), (8.0,)))
    outcome = jit.run(replace(launch, inputs={"x": field}))
    assert outcome.outputs["result"].data.tolist() == [8.0, 8.0]
    assert outcome.outputs["result"].extent == Box((0.0,), (8.0,))


def test_results_are_arrays_of_their_own(jit: Jit) -> None:
    launch = launch_of(LAST, {"x": ints(1, 2)})
    first, second = (jit.run(launch).outputs["result"].data for _ in range(2))
    first[:] = 0
    assert second.tolist() == [102, 202]


def test_arrays_are_not_kept(jit: Jit) -> None:
    launch = launch_of(LAST, {"x": ints(1, 2)})
    result(jit, launch)
    array = weakref.ref(launch.inputs["x"].data)
    del launch
    assert array() is None


def test_errors_come_every_time(jit: Jit) -> None:
    source = kernel(
        "input x: Rows<Int>; input t: Rows<Int>; output result: Rows<Int>;",
        "compute { let v = sample(x); return if v > 5 { at(t, v) } else { v }; }",
    )
    launch = launch_of(source, {"x": ints(1, 9), "t": []})
    for _ in range(2):
        with pytest.raises(RunError, match="K707"):
            jit.run(launch)
    launch.inputs["x"].data[1] = 2
    assert result(jit, launch) == [1, 2]


def test_progress_ends(jit: Jit) -> None:
    told: list[float] = []
    launch = launch_of(LAST, {"x": ints(1)})
    for _ in range(2):
        jit.run(launch, progress=told.append)
    assert told == [1.0, 1.0]


def test_many_threads_at_once(jit: Jit) -> None:
    launches = [launch_of(LAST, {"x": ints(n, n + 1)}) for n in range(4)]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda n: result(jit, launches[n % 4]), range(2000)))
    assert found == [[100 * n + n + 1, 101 * (n + 1)] for n in (i % 4 for i in range(2000))]
