"""Arrays that stay on the device: what runs give stays there, and is read like any array."""

import pickle
from collections.abc import Iterator

import numpy as np
import pytest

import kcheck
from kcheck import DeviceArray, RunError
from kcheck.runtime.gpu.device import Device
from kcheck.runtime.gpu.memory import Buffer
from kcheck.runtime.gpu.transfers import Transfers
from tests.gpu.launches import device

TEXT = """
enum Shape { Dot; Disc { r: Float; } }
struct Body { place: Vec2; heavy: Bool; shape: Shape; }
kernel stay.more@1 {
  requires { field.read; field.write; }
  input a: Rows<Float>;
  output result: Rows<Float>;
  compute { return sample(a) + 1.0; }
}
kernel stay.whole@1 {
  requires { field.read; field.write; }
  input a: Rows<Int>;
  output result: Rows<Int>;
  compute { return sample(a) + 1; }
}
kernel stay.total@1 {
  requires { field.read; field.write; }
  input a: Rows<Float>;
  output result: Rows<Float>;
  compute over a { return sample(a); }
  merge(a, b) { return a + b; }
}
kernel stay.bodies@1 {
  requires { field.read; field.write; }
  input a: Rows<Body>;
  output result: Rows<Body>;
  output heavy: Rows<Bool>;
  compute {
    let b = sample(a);
    let shape = match b.shape { Dot => Shape.Disc { r: 2.0 }, Disc { r } => Shape.Disc { r: r * 2.0 } };
    return { result: Body { place: b.place * 2.0, heavy: !b.heavy, shape: shape }, heavy: !b.heavy };
  }
}
kernel stay.tape@1 {
  requires { field.read; field.write; }
  input a: Rows<Int>;
  memory m: Rows<Int>;
  output result: Rows<Int>;
  scan over a with y = 0 { put(m, index(), y + 1); return y + sample(a); }
}
kernel stay.wide@1 {
  requires { field.read; field.write; }
  input a: Rows<Int>;
  output result: Rows<Int>;
  group 2000 { return exchange(sample(a), 1999 - lane()); }
}
"""


@pytest.fixture(scope="module")
def kernels() -> kcheck.Module:
    device()  # skips where there is none
    return kcheck.loads(TEXT)


@pytest.fixture
def moved(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, list[int]]]:
    """The sizes in words of what goes to the device and comes back."""
    found: dict[str, list[int]] = {"to": [], "from": []}
    upload, download = Transfers.upload, Transfers.download

    def counted_upload(self: Transfers, words: np.ndarray, handle: object) -> None:
        found["to"].append(words.size)
        upload(self, words, handle)

    def counted_download(self: Transfers, handle: object, words: int) -> np.ndarray:
        found["from"].append(words)
        return download(self, handle, words)

    monkeypatch.setattr(Transfers, "upload", counted_upload)
    monkeypatch.setattr(Transfers, "download", counted_download)
    return found


def test_results_stay_until_they_are_read(kernels: kcheck.Module, moved: dict[str, list[int]]) -> None:
    made = kcheck.device(np.arange(1000, dtype=np.float32))
    for _ in range(3):
        made = kernels["stay.more"](a=made, backend="gpu").result
    total = kernels["stay.total"](a=made, backend="gpu").result
    assert isinstance(made, DeviceArray)
    assert isinstance(total, DeviceArray)
    assert moved == {"to": [1000], "from": []}
    assert np.array_equal(made, np.arange(3, 1003))
    assert made.numpy() is made.numpy()
    assert float(total[0]) == sum(range(3, 1003))
    assert moved == {"to": [1000], "from": [1000, 1]}


def test_waiting(kernels: kcheck.Module, moved: dict[str, list[int]]) -> None:
    """It brings nothing here."""
    array = kcheck.device(np.arange(1000, dtype=np.float32))
    assert array.wait() is array  # nothing is to be waited for
    made = kernels["stay.more"](a=array, backend="gpu").result
    assert made.wait() is made
    assert array.wait() is array
    assert moved["from"] == []
    assert made[999] == 1000


def test_fields_of_results_stay(kernels: kcheck.Module, moved: dict[str, list[int]]) -> None:
    first = kernels["stay.more"](a=kcheck.device(np.zeros(5, np.float32)), backend="gpu")
    second = kernels["stay.more"](a=first.fields["result"], backend="gpu")
    assert moved["from"] == []
    assert second.fields["result"].data.tolist() == [2.0] * 5
    assert first.fields["result"].shape == (5,)


def test_runs_without_such_arrays_give_arrays_of_numpy(kernels: kcheck.Module) -> None:
    out = kernels["stay.more"](a=np.zeros(3, np.float32), backend="gpu").result
    assert isinstance(out, np.ndarray)
    out[0] = 7  # the caller's own


def test_they_are_read_like_any_array(kernels: kcheck.Module) -> None:
    here = np.arange(4, dtype=np.float32)
    there = kcheck.device(here)
    assert (there.shape, there.dtype, there.ndim, there.size, there.nbytes, len(there)) == (
        (4,),
        np.float32,
        1,
        4,
        16,
        4,
    )
    assert np.array_equal(there + 1, here + 1)
    assert np.array_equal(2 * there, here * 2)
    assert np.array_equal(here - there, here - here)
    assert np.array_equal(there == here, [True] * 4)
    assert np.array_equal(np.sqrt(there), np.sqrt(here))
    assert np.array_equal(np.concatenate([there, there]), np.concatenate([here, here]))
    assert there.sum() == 6
    assert there.tolist() == list(there) == [0, 1, 2, 3]
    assert there[1:3].tolist() == [1, 2]
    assert 3.0 in there
    assert np.asarray(there, np.int64).dtype == np.int64
    assert np.array(there, copy=True).flags.writeable
    assert there.__array__(copy=False) is there.numpy()
    with pytest.raises(ValueError, match="without a copy"):
        there.__array__(np.int64, copy=False)
    assert np.array_equal(pickle.loads(pickle.dumps(there)), here)
    assert repr(there) == "<DeviceArray (4,) of float32>"
    assert (int(kcheck.device(5)), float(kcheck.device(2.5)), bool(kcheck.device([0]))) == (5, 2.5, False)
    assert kcheck.device(there) is there
    with pytest.raises(ValueError, match="read-only"):
        there.numpy()[0] = 1
    with pytest.raises(AttributeError):
        _ = there.no_such_thing
    here[0] = 9
    assert there[0] == 0  # a copy


def test_arrays_of_structs_have_their_fields_in_numpy_too(kernels: kcheck.Module) -> None:
    shape = [("tag", np.int32), ("Disc", [("r", np.float32)])]
    here = np.array([((1, 2), True, (1, (3,)))], [("place", np.float32, 2), ("heavy", bool), ("shape", shape)])
    there = kcheck.device(here)
    made = kernels["stay.bodies"](a=there, backend="gpu").result
    for array in (there, made):
        assert np.asarray(array).dtype == array.dtype == array.numpy().dtype
    assert np.concatenate([there, there])["place"].tolist() == [[1, 2], [1, 2]]


@pytest.mark.parametrize("value", [[[1.0, 2.0]], [True], [(1, 2)], [2**40]], ids=str)
@pytest.mark.parametrize("name", ["stay.whole", "stay.bodies"])
def test_errors_are_those_of_other_arrays(kernels: kcheck.Module, name: str, value: list[object]) -> None:
    array = np.array(value)
    messages = []
    for given in (array, kcheck.device(array)):
        with pytest.raises(RunError) as refused:
            kernels[name](a=given, backend="gpu")
        messages.append(str(refused.value))
    assert messages[0] == messages[1]


def test_what_only_numpy_has_is_no_array(kernels: kcheck.Module) -> None:
    with pytest.raises(TypeError, match="Field"):
        kcheck.device(kernels["stay.more"](a=[1.0], backend="gpu").fields["result"])


def test_conversions_are_made_once(kernels: kcheck.Module, moved: dict[str, list[int]]) -> None:
    array = kcheck.device(np.arange(100))  # of 64 bits
    for _ in range(3):
        whole = kernels["stay.whole"](a=array, backend="gpu").result
        assert whole[99] == 100
    for _ in range(3):
        assert kernels["stay.more"](a=array, backend="gpu").result[99] == 100.0
    assert moved["to"] == [100, 100]
    assert kernels["stay.more"](a=whole, backend="gpu").result[99] == 101.0  # an Int field for a port of Floats


def test_bools_structs_and_enums_stay(kernels: kcheck.Module, moved: dict[str, list[int]]) -> None:
    rows = [
        {"place": [1.0, 2.0], "heavy": True, "shape": "Dot"},
        {"place": [0.0, -1.0], "heavy": False, "shape": {"Disc": {"r": 3.0}}},
    ]
    here = kernels["stay.bodies"](a=rows, backend="interpreter")
    twice = kernels["stay.bodies"](a=here.result, backend="interpreter")
    moved["from"].clear()
    first = kernels["stay.bodies"](a=kcheck.device(here.result), backend="gpu")
    second = kernels["stay.bodies"](a=first.result, backend="gpu")
    assert moved["from"] == []
    assert first.result.tobytes() == twice.result.tobytes()
    assert second.heavy.tolist() == here.heavy.tolist() == [False, True]


def test_memories_stay_and_are_not_written_to(kernels: kcheck.Module, moved: dict[str, list[int]]) -> None:
    tape = kcheck.device(np.full(4, 9, np.int32))
    out = kernels["stay.tape"](a=[5, 6], m=tape, backend="gpu")
    again = kernels["stay.tape"](a=[5, 6], m=tape, backend="gpu")
    assert out.memories["m"].tolist() == again.memories["m"].tolist() == [1, 6, 9, 9]
    assert tape.tolist() == [9] * 4
    assert moved["to"].count(4) == 1


@pytest.mark.parametrize("backend", ["interpreter", "gpu"])
def test_runs_elsewhere_give_such_arrays_too(kernels: kcheck.Module, backend: str) -> None:
    """What Python gets does not depend on where a kernel can run."""
    out = kernels["stay.wide"](a=kcheck.device(np.arange(2000, dtype=np.int32)), backend=backend)
    assert isinstance(out.result, DeviceArray)
    assert out.result[0] == 1999
    assert (out.fallback is not None) == (backend == "gpu")
    assert kernels["stay.whole"](a=out.result, backend="gpu").result[0] == 2000


def test_memory_is_used_again_but_not_while_somebody_holds_it(
    kernels: kcheck.Module, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[int] = []
    memory = Device._memory

    def counted(self: Device, size: int) -> object:
        made.append(size)
        return memory(self, size)

    monkeypatch.setattr(Device, "_memory", counted)
    array = kcheck.device(np.arange(12345, dtype=np.float32))
    held = [kernels["stay.more"](a=array, backend="gpu").result for _ in range(3)]
    for _ in range(20):
        kernels["stay.total"](a=kernels["stay.more"](a=array, backend="gpu").result, backend="gpu")
    assert sum(size > 12345 * 4 for size in made) <= 6
    assert all(np.array_equal(one, np.arange(1, 12346)) for one in held)


def test_what_lies_on_a_lost_device_only_is_lost(kernels: kcheck.Module) -> None:
    array = kcheck.device(np.arange(3, dtype=np.float32))
    read = kernels["stay.more"](a=array, backend="gpu").result
    unread = kernels["stay.more"](a=array, backend="gpu").result
    assert read.tolist() == [1, 2, 3]
    device().device.handle.destroy()
    with pytest.raises(RunError) as refused:
        kernels["stay.more"](a=array, backend="gpu")
    assert refused.value.code == "K717"
    with pytest.raises(RunError, match="what lay there is lost") as lost:
        unread.numpy()
    assert lost.value.code == "K717"
    with pytest.raises(RunError, match="what lay there is lost"):
        unread.wait()
    with pytest.raises(RunError, match="what lay there is lost"):
        kernels["stay.more"](a=unread, backend="gpu")
    assert kernels["stay.more"](a=array, backend="gpu").result.tolist() == [1, 2, 3]
    assert kernels["stay.more"](a=read, backend="gpu").result.tolist() == [2, 3, 4]


def test_buffers_of_no_words(kernels: kcheck.Module) -> None:
    empty = kcheck.device(np.zeros(0, np.float32))
    out = kernels["stay.more"](a=kernels["stay.more"](a=empty, backend="gpu").result, backend="gpu")
    assert out.result.shape == (0,)
    assert isinstance(device().device.upload(np.zeros(0, np.uint32)), Buffer)
