"""Memory of outputs that is used again."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pytest

from kcheck.runtime import memory
from kcheck.runtime.memory import copied, empty
from tests.interpreter.build import kernel
from tests.jit.build import run

FLOAT = np.dtype(np.float32)
COUNT = 1 << 20
DOUBLE = kernel("input x: Rows<Float>; output result: Rows<Float>;", "compute { sample(x) * 2.0 }")


@pytest.fixture(autouse=True)
def kept(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[int, object]]:
    """What is kept, nothing at first."""
    nothing: dict[int, object] = {}
    monkeypatch.setattr(memory, "_kept", nothing)
    return nothing


def place(array: np.ndarray[tuple[int, ...], np.dtype[np.float32]]) -> int:
    return int(array.ctypes.data)


def test_memory_is_used_again_when_nobody_holds_it() -> None:
    first = empty((COUNT,), FLOAT)
    where = place(first)
    assert place(empty((COUNT,), FLOAT)) != where
    del first
    assert where in (place(one) for one in [empty((2, COUNT // 2), FLOAT), empty((COUNT,), FLOAT)])


@pytest.mark.parametrize("part", [lambda a: a[5:7], lambda a: a.reshape(-1, 2), lambda a: a.view(np.int32), memoryview])
def test_memory_is_held_by_every_part(part: Callable[[object], object], kept: dict[int, object]) -> None:
    held = part(empty((COUNT,), FLOAT))
    assert not kept
    del held
    assert len(kept) == 1


def test_results_never_share_memory() -> None:
    x = np.arange(COUNT, dtype=np.float32)
    results = [run(DOUBLE, {"x": x + i}) for i in range(3)]
    assert [result[:2].tolist() for result in results] == [[0, 2], [2, 4], [4, 6]]


def test_a_result_is_as_any_array(kept: dict[int, object]) -> None:
    result = run(DOUBLE, {"x": np.ones(COUNT, np.float32)})
    result += 1
    assert result.tolist() == [3.0] * COUNT
    assert result.flags.c_contiguous
    assert result.flags.aligned
    assert not kept


def test_small_arrays_are_numpys_own(kept: dict[int, object]) -> None:
    assert empty((3, 4), FLOAT).base is None
    assert empty((0,), FLOAT).shape == (0,)
    assert not kept


def test_so_much_is_kept_and_no_more(kept: dict[int, object], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "_MOST", 9 * COUNT)
    arrays = [empty((COUNT,), FLOAT) for _ in range(4)]
    last = place(arrays[-1])
    while arrays:
        arrays.pop(0)
    assert len(kept) == 2
    assert last in (place(empty((COUNT,), FLOAT)), place(empty((COUNT,), FLOAT)))
    del arrays
    large = empty((3 * COUNT,), FLOAT)
    del large
    assert not kept


def test_what_is_kept_goes_where_memory_is_short(kept: dict[int, object], monkeypatch: pytest.MonkeyPatch) -> None:
    del_me = empty((COUNT,), FLOAT)
    del del_me
    assert len(kept) == 1
    allocate, asked = np.empty, []

    def scarce(*args: object) -> object:
        asked.append(args)
        if kept:
            raise MemoryError
        return allocate(*args)  # type: ignore[call-overload]

    monkeypatch.setattr(memory.np, "empty", scarce)
    assert empty((2 * COUNT,), FLOAT).shape == (2 * COUNT,)
    assert len(asked) == 2


def test_copies_are_row_major() -> None:
    array = np.arange(2 * COUNT, dtype=np.float32).reshape(2, COUNT).T
    copy = copied(array)
    assert copy.flags.c_contiguous
    np.testing.assert_array_equal(copy, array)
