"""A device's memory, its transfers, and what is kept of it from one process to the next."""

import os
import subprocess
import sys
from collections import deque
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kcheck.runtime.backend import Missing
from kcheck.runtime.gpu import known, transfers
from kcheck.runtime.gpu.commands import Commands
from kcheck.runtime.gpu.device import Device, TooLarge
from kcheck.runtime.gpu.memory import Pool, byte_size
from kcheck.runtime.gpu.wgsl.traits import COMMON, Guard, Traits
from tests.gpu.launches import device


def opened() -> Device:
    return device().device


# ---------------------------------------------------------------- transfers


@pytest.mark.parametrize("size", [1, 63, 64, 65, 127, 128, 129, 640, 1000])
def test_transfers_in_chunks(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Large transfers go by two buffers in turn, each a chunk."""
    monkeypatch.setattr(transfers, "LARGE", 1)
    monkeypatch.setattr(transfers, "_CHUNK", 64)
    words = np.random.default_rng(size).integers(0, 2**32, size, np.uint32)
    buffer = opened().upload(words)
    assert np.array_equal(opened().download(buffer), words)
    assert np.array_equal(opened().download(buffer, size // 2 + 1), words[: size // 2 + 1])


def test_transfers_by_several_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transfers, "_SLICE", 1000)
    monkeypatch.setattr(transfers, "_most_threads", lambda: 5)
    words = np.random.default_rng(1).integers(0, 2**32, transfers.LARGE + 17, np.uint32)
    assert np.array_equal(opened().download(opened().upload(words)), words)


def test_an_interrupt_while_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C during a transfer: the answer comes when nobody waits for it, and the buffers can be used again."""
    words = np.arange(100, dtype=np.uint32)
    buffer = opened().upload(words)

    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    for _ in range(3):
        with monkeypatch.context() as patch:
            patch.setattr(Commands, "_poll", interrupt)
            with pytest.raises(KeyboardInterrupt):
                opened().download(buffer)
        assert np.array_equal(opened().download(buffer), words)


def test_what_was_to_be_done_comes_before_what_is_brought() -> None:
    """A buffer that is cleared and then written holds what was written."""
    words = np.arange(1, 9, dtype=np.uint32)
    first = opened().buffer(8)
    second = opened().copied(first)
    opened()._transfers.upload(words, first.handle)
    assert opened().download(second).tolist() == [0] * 8
    assert opened().download(first).tolist() == words.tolist()


def test_memory_that_is_used_again_is_cleared_where_that_is_promised() -> None:
    words = np.full(777, 5, np.uint32)
    for _ in range(3):
        dirty = opened().upload(words)
        del dirty
        assert not opened().download(opened().buffer(777)).any()


def test_constants_are_kept() -> None:
    words = np.array([3, 1, 4], np.uint32).tobytes()
    assert opened().constant(words) is opened().constant(words)
    assert opened().download(opened().constant(words)).tolist() == [3, 1, 4]
    large = bytes(20_000)
    assert opened().constant(large) is not opened().constant(large)


def test_what_is_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opened(), "most_bytes", 4096)
    assert opened().room(1000).words == 1000
    with pytest.raises(TooLarge, match="a buffer of 8000 bytes, and the device binds at most 4096") as refused:
        opened().room(2000)
    assert refused.value.times == 8000 / 4096


# ---------------------------------------------------------------- memory


class Memory:
    def __init__(self, size: int) -> None:
        self.size = size


def pool(most: int) -> tuple[Pool, list[int], deque[str]]:
    made: list[int] = []
    forgotten: deque[str] = deque()

    def create(size: int) -> Memory:
        made.append(size)
        return Memory(size)

    return Pool(create, most, lambda: forgotten.append("all")), made, forgotten


def test_memory_goes_back_and_is_given_out_again() -> None:
    here, made, forgotten = pool(10_000)
    one, other = here.take(100), here.take(100)
    assert one.handle is not other.handle
    handle = one.handle
    del one
    assert here.take(100).handle is handle
    assert here.take(90).words == 90  # another size or the same memory, whatever it rounds to
    assert len(made) <= 3
    assert not forgotten


def test_no_more_memory_is_kept_than_allowed() -> None:
    size = byte_size(100)
    here, made, forgotten = pool(2 * size)
    buffers = [here.take(100) for _ in range(5)]
    buffers.clear()
    kept = [here.take(100) for _ in range(5)]
    assert len(made) == 5 + 3
    assert forgotten
    del kept
    here.give_up()
    here.take(100)
    assert len(made) == 9
    forgotten.clear()
    large = here.take(100_000)
    del large
    here.take(100_000)
    assert made.count(byte_size(100_000)) == 2  # more than may be kept at all
    assert forgotten
    assert made.count(size) == 9  # small memory is given up last


# ---------------------------------------------------------------- traits


TRAITS = replace(COMMON, guard=Guard.BOTH, rounds=77, subgroup=16)


class Finder:
    def __init__(self) -> None:
        self.calls = 0

    def __call__(self) -> Traits:
        self.calls += 1
        return TRAITS


def test_traits_are_found_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(known, "cache_folder", lambda: tmp_path)
    monkeypatch.setattr(opened(), "adapter", replace(opened().adapter, version="1.2"))
    find = Finder()
    assert [known.traits_of(opened(), find) for _ in range(3)] == [TRAITS] * 3
    assert find.calls == 1
    [file] = tmp_path.iterdir()
    file.write_bytes(file.read_bytes()[:-1])
    assert known.traits_of(opened(), find) == TRAITS
    assert find.calls == 2
    monkeypatch.setattr(known, "_own_code", lambda: "other code")
    assert known.traits_of(opened(), find) == TRAITS
    assert find.calls == 3
    assert known.traits_of(opened(), find) == TRAITS
    assert find.calls == 3


@pytest.mark.parametrize("missing", ["version", "folder"])
def test_traits_that_cannot_be_kept(missing: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A driver that says nothing of itself may be another tomorrow."""
    monkeypatch.setattr(known, "cache_folder", lambda: None if missing == "folder" else tmp_path)
    if missing == "version":
        monkeypatch.setattr(opened(), "adapter", replace(opened().adapter, version=""))
    find = Finder()
    for _ in range(2):
        assert known.traits_of(opened(), find) == TRAITS
    assert find.calls == 2
    assert not list(tmp_path.iterdir())


def test_a_folder_that_nobody_may_write_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "file"
    file.touch()
    monkeypatch.setattr(known, "cache_folder", lambda: file)
    monkeypatch.setattr(opened(), "adapter", replace(opened().adapter, version="1.2"))
    assert known.traits_of(opened(), Finder()) == TRAITS


def test_a_driver_that_refuses_to_open() -> None:
    class Refusing:
        features: frozenset[str] = frozenset()
        limits = opened().adapter.handle.limits

        def request_device_sync(self, **_: Any) -> None:
            raise RuntimeError("Request device failed")

    with pytest.raises(Missing, match="Request device failed"):
        Device(replace(opened().adapter, handle=Refusing()))


# ---------------------------------------------------------------- interrupts and forks


def test_ctrl_c_while_the_library_waits() -> None:
    """Python meets it in what the library calls then, from where nothing can be raised."""

    class Stopped(Commands):
        def _on_mapped(self, *_: Any) -> None:
            raise KeyboardInterrupt

    buffer = opened().upload(np.arange(4, dtype=np.uint32))
    opened().submit()
    moves = transfers.Transfers(opened().wgpu, opened().handle, Stopped(opened().handle))
    with pytest.raises(KeyboardInterrupt):
        moves.download(buffer.handle, 4)
    assert opened().download(buffer).tolist() == [0, 1, 2, 3]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="without fork")
def test_a_process_that_is_forked_leaves_the_device_to_its_parent() -> None:
    """It runs elsewhere, says so, and ends."""
    program = """
import os
import kcheck
text = "kernel a.b@1 { requires { field.read; field.write; } input x: Rows<Int>; output y: Rows<Int>; "
kernel = kcheck.loads(text + "compute { return sample(x) + 1; } }")["a.b"]
made = kernel(x=kcheck.device([1, 2]), backend="gpu")
child = os.fork()
if child == 0:
    out = kernel(x=[1, 2], backend="gpu")
    assert (out.y.tolist(), "forked" in out.fallback) == ([2, 3], True)
    try:
        made.y.tolist()
    except kcheck.RunError as error:
        os._exit(7 if error.code == "K717" else 1)  # as those of multiprocessing do: NVIDIA's driver hangs in exit()
    os._exit(1)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
assert made.y.tolist() == [2, 3]
"""
    assert subprocess.run([sys.executable, "-W", "ignore", "-c", program], timeout=60, check=False).returncode == 0
