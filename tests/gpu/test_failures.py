"""Errors that only show at run time, words that mean something in WGSL, and code for people."""

from pathlib import Path

import numpy as np
import pytest

import kcheck
from kcheck.cli import main
from kcheck.runtime import backends
from kcheck.runtime.backend import Interrupted
from kcheck.runtime.errors import RunError
from kcheck.runtime.gpu import backend, driver
from kcheck.runtime.gpu.device import Buffer, Device
from tests.gpu.launches import device, launch, result, run
from tests.support import program_of

READS = """
kernel failures.reads@1 {
  requires { field.read; field.write; }
  input flags: Rows<Bool>;
  input first: Rows<Int>;
  input second: Rows<Float>;
  output result: Rows<Float>;
  compute {
    if sample(flags) { return float(at(first, index())); }
    if index() >= 2 { return sample(second, 0.5); }
    return 1.0;
  }
}
"""


def refused(flags: list[bool]) -> str:
    values = {"flags": np.array(flags), "first": np.zeros(0, np.int32), "second": np.zeros(0, np.float32)}
    with pytest.raises(RunError) as error:
        run(READS, **values)
    assert error.value.code == "K707"
    return error.value.diagnostic.message


def test_reads_of_empty_fields() -> None:
    """They count only where they are reached, and the first element that reaches one names the field."""
    values = {"first": np.zeros(0, np.int32), "second": np.zeros(0, np.float32)}
    assert result(READS, flags=np.array([False, False]), **values).tolist() == [1.0, 1.0]
    assert "`first`" in refused([False, True, False])
    assert "`second`" in refused([False, False, False, True])
    assert "`first`" in refused([False] * 2 + [True, False])


def test_a_scan_stops_at_a_read_of_an_empty_memory() -> None:
    source = """
    kernel failures.tape@1 {
      requires { field.read; field.write; }
      input a: Rows<Int>;
      memory m: Rows<Int>;
      output result: Rows<Int>;
      scan over a with y = 0 { if sample(a) > 2 { return at(m, 0); } put(m, 0, 1); return y + 1; }
    }
    """
    assert result(source, a=np.array([0, 1], np.int32), m=np.zeros(0, np.int32)).tolist() == [1, 2]
    with pytest.raises(RunError) as error:
        run(source, a=np.arange(50_000, dtype=np.int32), m=np.zeros(0, np.int32))
    assert error.value.code == "K707"


def test_cancelled() -> None:
    with pytest.raises(Interrupted):
        device().run(
            launch(READS, flags=np.array([False]), first=np.ones(1, np.int32), second=np.ones(1, np.float32)),
            cancelled=lambda: True,
        )


def test_words_of_wgsl_are_names_like_any() -> None:
    source = """
    struct target { override: Float; vec2: Vec2; }
    fn abs(fn1: Float) -> Float { return fn1 + 1.0; }
    kernel failures.names@1 {
      requires { field.read; field.write; }
      input bitcast: Rows<Float>;
      param element: Float = 2.0;
      output run: Rows<Float>;
      compute {
        let self = sample(bitcast);
        let workgroup = target { override: abs(self), vec2: vec2(element) };
        var array = workgroup.override;
        let lane = index();
        array += workgroup.vec2.y + float(lane);
        return array;
      }
    }
    """
    found = run(source, bitcast=np.array([1.0, 5.0], np.float32))
    assert found.fallback is None
    assert found.outputs["run"].data.tolist() == [4.0, 9.0]


def test_bound_arrays_stay_as_they_are() -> None:
    source = """
    kernel failures.bound@1 {
      requires { field.read; field.write; }
      input a: Rows<Int>;
      memory m: Rows<Int>;
      output result: Rows<Int>;
      scan over a with y = 0 { put(m, index(), y); return y + sample(a); }
    }
    """
    a, m = np.arange(5, dtype=np.int32), np.full(3, 9, np.int32)
    outcome = run(source, a=a, m=m)
    assert outcome.memories["m"].data.tolist() == [0, 0, 1]
    assert m.tolist() == [9, 9, 9]
    outcome.outputs["result"].data[0] = 7  # results are the caller's own
    assert a.tolist() == [0, 1, 2, 3, 4]


def test_arrays_that_stay_on_the_device(monkeypatch: pytest.MonkeyPatch) -> None:
    source = """
    kernel failures.stay@1 {
      requires { field.read; field.write; }
      input a: Rows<Float>;
      output result: Rows<Float>;
      compute { return sample(a) + 1.0; }
    }
    """
    sizes: list[int] = []
    upload = Device.upload

    def counted(self: Device, words: np.ndarray) -> Buffer:
        sizes.append(words.size)
        return upload(self, words)

    monkeypatch.setattr(Device, "upload", counted)
    array = kcheck.device(np.arange(1000, dtype=np.float32))
    for _ in range(3):
        assert np.array_equal(result(source, a=array), np.arange(1, 1001))
    assert sizes.count(1000) == 1
    assert result(source, a=array[1:3]).tolist() == [2.0, 3.0]
    assert not array.flags.writeable


def test_show(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The code has the lines of the source as comments."""
    file = tmp_path / "reads.kernel"
    file.write_text(READS)
    assert main(["show", str(file), "--wgsl"]) == 0
    out = capsys.readouterr().out
    assert "// 9: if sample(flags) { return float(at(first, index())); }\n" in out
    assert "@compute @workgroup_size(256)" in out


def test_without_a_device(monkeypatch: pytest.MonkeyPatch) -> None:
    """K711 says how to get one."""
    program = program_of(READS)
    monkeypatch.setattr(backend, "_devices", [])
    monkeypatch.setattr(driver, "adapters", list)
    monkeypatch.setattr(backends, "BACKENDS", {**backends.BACKENDS, "gpu": backends._gpu.__wrapped__})
    with pytest.raises(RunError, match="apt-get install mesa-vulkan-drivers") as missing:
        backends.backend_for(program, "gpu")
    assert missing.value.code == "K711"
