"""Errors that only show at run time, words that mean something in WGSL, and code for people."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kcheck
from kcheck.cli import main
from kcheck.runtime import backends
from kcheck.runtime.backend import Interrupted
from kcheck.runtime.errors import RunError
from kcheck.runtime.gpu import Gpu, backend, driver
from kcheck.runtime.gpu.device import Device
from kcheck.runtime.gpu.wgsl.module import Stage
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


ONE_MORE = """
kernel failures.more@1 {
  requires { field.read; field.write; }
  input a: Rows<Int>;
  param k: Int = 1;
  output result: Rows<Int>;
  compute { return sample(a) + k; }
}
"""
NUMBERS = np.arange(5, dtype=np.int32)


def refusal(text: str, **values: object) -> RunError:
    with pytest.raises(RunError, match=text) as refused:
        device().run(launch(ONE_MORE, **values))
    assert refused.value.code == "K717"
    assert "nothing was changed" in str(refused.value)
    return refused.value


def test_a_shader_that_the_driver_refuses(monkeypatch: pytest.MonkeyPatch) -> None:
    """The device goes on: what lies there is not lost."""
    there = kcheck.device(NUMBERS)
    opened = device().device
    first = device().run(launch(ONE_MORE, a=there, k=5)).outputs["result"]
    compile_ = Device._compile

    def broken(self: Device, stage: Stage) -> object:
        return compile_(self, replace(stage, code=stage.code.replace("fn main(", "fn main(wrong ")))

    with monkeypatch.context() as patch:
        patch.setattr(Device, "_compile", broken)
        opened._pipelines.clear()
        refusal("expected", a=there)
    assert device().device is opened
    assert first.data.tolist() == [5, 6, 7, 8, 9]
    assert result(ONE_MORE, a=there).tolist() == [1, 2, 3, 4, 5]


def test_a_device_that_is_gone_for_good(monkeypatch: pytest.MonkeyPatch) -> None:
    """K717 each time, until there is one again."""
    gone = device()
    with monkeypatch.context() as patch:
        patch.setattr(driver, "adapters", list)
        gone.device.handle.destroy()
        for text in ("lost", "there is no device"):
            refusal(text, a=NUMBERS)
    assert result(ONE_MORE, a=NUMBERS).tolist() == [1, 2, 3, 4, 5]


class Short:
    """Stands for wgpu's device when memory runs out: refuses so many buffers."""

    def __init__(self, handle: Any, error: type[Exception], refusals: int) -> None:
        self._handle, self._error, self._left = handle, error, refusals

    def __getattr__(self, name: str) -> Any:
        return getattr(self._handle, name)

    def create_buffer(self, **options: Any) -> Any:
        if self._left > 0:
            self._left -= 1
            raise self._error("Not enough memory left.")
        return self._handle.create_buffer(**options)


@pytest.mark.parametrize("kind", ["GPUOutOfMemoryError", "GPUValidationError"])
def test_out_of_memory(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Memory that is kept is given up first; where that does not help the run is refused, and the next one is not.

    NVIDIA's driver runs out of memory by what wgpu calls an error of validation.
    """
    opened = device().device
    there = kcheck.device(NUMBERS)
    first = device().run(launch(ONE_MORE, a=there)).outputs["result"]
    error = getattr(opened.wgpu, kind)
    opened._pool.give_up()
    odd = np.arange(54_321, dtype=np.int32)  # a size of which there is no memory to be used again
    with monkeypatch.context() as patch:
        patch.setattr(opened, "handle", Short(opened.handle, error, 1))
        assert result(ONE_MORE, a=odd)[-1] == 54_321
        patch.setattr(opened, "handle", Short(opened.handle, error, 100))
        refusal("Not enough memory left", a=np.arange(65_432, dtype=np.int32))
    assert device().device is opened
    assert first.data.tolist() == [1, 2, 3, 4, 5]
    assert result(ONE_MORE, a=there).tolist() == [1, 2, 3, 4, 5]


def test_an_interrupt_leaves_the_device_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C between commands: what was not sent is forgotten."""
    with monkeypatch.context() as patch:
        patch.setattr(Device, "submit", interrupt)
        with pytest.raises(KeyboardInterrupt):
            device().run(launch(ONE_MORE, a=kcheck.device(NUMBERS)))
    assert not device().device._commands.waiting
    assert result(ONE_MORE, a=NUMBERS).tolist() == [1, 2, 3, 4, 5]


def interrupt(_: Device) -> None:
    raise KeyboardInterrupt


def test_a_device_without_subgroups_or_timestamps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driver, "_FEATURES", ())
    monkeypatch.setattr(backend, "_devices", [])
    plain = Gpu()
    assert plain.device.features == frozenset()
    assert plain.traits.subgroup == 0
    values = np.random.default_rng(3).integers(-99, 99, 5000).astype(np.int32)
    forms = {
        "compute over a { return sample(a); } merge(a, b) { return a + b; }": [values.sum()],
        "prefix over a with sum { return sample(a); }": np.cumsum(values),
        "prefix over a with max { return sample(a); }": np.maximum.accumulate(values),
        "compute { return sample(a) * 2; }": values * 2,
    }
    head = ONE_MORE.partition("compute")[0]
    for form, wanted in forms.items():
        found = plain.run(launch(f"{head} {form} }}", a=values)).outputs["result"].data
        assert np.array_equal(found, wanted)
    cells = np.zeros(7, np.float32)
    np.add.at(cells, np.abs(values) % 7, (values * 0.37).astype(np.float32))
    scatter = """
    struct Hit { slot: Int; value: Float; }
    kernel failures.sums@1 {
      requires { field.read; field.write; }
      input a: Rows<Int>;
      input v: Rows<Float>;
      input target: Rows<Float>;
      output result: Rows<Float>;
      scatter over a into target with sum { return Hit { slot: abs(sample(a)) % 7, value: sample(v) }; }
    }
    """
    bound = launch(scatter, a=values, v=(values * 0.37).astype(np.float32), target=np.zeros(7, np.float32))
    assert np.array_equal(plain.run(bound).outputs["result"].data, cells)
