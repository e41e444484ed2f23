"""What `auto` takes: the processor, unless a device of its own has the data or enough to do."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import kcheck
from kcheck.runtime import backends
from kcheck.runtime.backend import Backend, Launch, Missing, Outcome, Unsupported
from kcheck.runtime.binding import bind
from kcheck.runtime.choice import DENSE, FEWEST, for_device, words_moved, work
from kcheck.runtime.fallback import WithFallback
from kcheck.runtime.gpu import driver
from tests.support import program_of

LITTLE = """
kernel choice.little@1 {
  requires { field.read; field.write; }
  input a: Rows<Float>;
  output result: Rows<Float>;
  compute { return sample(a) * 2.0; }
}
"""
MUCH = """
fn half(x: Float) -> Float { return x * 0.5; }
kernel choice.much@1 {
  requires { field.read; field.write; }
  input a: Rows<Float>;
  output result: Rows<Float>;
  compute { var x = sample(a); for i in 0..100 { x = half(x) + 0.25; } return x; }
}
"""
SCAN = """
kernel choice.scan@1 {
  requires { field.read; field.write; }
  input a: Rows<Float>;
  output result: Rows<Float>;
  scan over a with y = 0.0 { var x = y; for i in 0..100 { x = x * 0.5 + sample(a); } return x; }
}
"""
LARGE = np.zeros(FEWEST, np.float32)


def reason(source: str, array: Any) -> tuple[bool, str]:
    return for_device(bind(program_of(source), {"a": array}))


def test_work_is_counted() -> None:
    assert work(program_of(LITTLE)) == 1
    assert work(program_of(MUCH)) == 100 * (2 + 1)  # two operations, and one for the round
    assert words_moved(program_of(LITTLE)) == 2
    assert work(program_of(MUCH)) >= DENSE * 2


@pytest.mark.parametrize(
    ("source", "array", "wanted", "words"),
    [
        (LITTLE, LARGE, False, "longer than the work"),
        (MUCH, LARGE, True, "much is to be done"),
        (MUCH, LARGE[1:], False, "fewer than 1,048,576 elements"),
        (SCAN, LARGE, False, "a processor is quicker"),
    ],
)
def test_what_is_for_a_device(source: str, array: Any, wanted: bool, words: str) -> None:
    is_for, why = reason(source, array)
    assert is_for == wanted
    assert words in why


@pytest.mark.parametrize("source", [LITTLE, MUCH, SCAN])
def test_data_that_stays_on_a_device_is_for_it(source: str) -> None:
    assert reason(source, kcheck.device(LARGE[:3])) == (True, "its data stays on the device")


class Recording:
    """Stands for a device of its own."""

    name = "gpu"

    def __init__(self, refuses: bool = False) -> None:
        self.launches: list[Launch] = []
        self.refuses = refuses

    def run(self, launch: Launch, *_: Any) -> Outcome:
        self.launches.append(launch)
        if self.refuses:
            raise Unsupported("too much for it")
        return backends.best().run(launch)


def with_device(monkeypatch: pytest.MonkeyPatch, device: Callable[[], Backend]) -> None:
    monkeypatch.setattr(backends, "no_device", lambda: None)
    monkeypatch.setitem(backends.BACKENDS, "gpu", device)


def test_a_device_is_taken_and_the_result_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    device = Recording()
    with_device(monkeypatch, lambda: device)
    out = kcheck.loads(MUCH)["choice.much"](a=LARGE)
    assert (out.backend, out.reason, out.fallback) == ("gpu", "much is to be done with many elements", None)
    assert len(device.launches) == 1
    out = kcheck.loads(LITTLE)["choice.little"](a=LARGE)
    assert out.backend == backends.best().name
    assert "longer than the work" in out.reason
    assert len(device.launches) == 1


def test_what_it_cannot_do_runs_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    with_device(monkeypatch, lambda: WithFallback(Recording(refuses=True), backends.best))
    out = kcheck.loads(MUCH)["choice.much"](a=LARGE)
    assert (out.backend, out.fallback) == (backends.best().name, "too much for it")


def test_a_device_that_cannot_be_used(monkeypatch: pytest.MonkeyPatch) -> None:
    def inexact() -> Backend:
        raise Missing("its arithmetic cannot be kept exact")

    with_device(monkeypatch, inexact)
    out = kcheck.loads(MUCH)["choice.much"](a=LARGE)
    assert (out.backend, out.reason) == (backends.best().name, "its arithmetic cannot be kept exact")


def test_a_backend_that_is_named_has_no_reason() -> None:
    assert kcheck.loads(LITTLE)["choice.little"](a=[1.0], backend="interpreter").reason is None


def test_without_a_device_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """A driver that runs on the processor is not taken, nor one that is not there."""
    adapter = driver.Adapter(None, "a software driver", "CPU", "")

    def none() -> driver.Adapter:
        raise Missing("none")

    for find, words in ((lambda: adapter, "a software driver runs on the processor"), (none, "there is no graphics")):
        backends.no_device.cache_clear()
        monkeypatch.setattr(driver, "best_adapter", find)
        out = kcheck.loads(MUCH)["choice.much"](a=LARGE)
        assert out.backend == backends.best().name
        assert words in out.reason
    backends.no_device.cache_clear()


def test_few_elements_look_forno_device(monkeypatch: pytest.MonkeyPatch) -> None:
    def find() -> driver.Adapter:
        raise AssertionError("nobody asked for it")

    monkeypatch.setattr(driver, "best_adapter", find)
    backends.no_device.cache_clear()
    assert "too few" in kcheck.loads(MUCH)["choice.much"](a=[1.0]).reason
