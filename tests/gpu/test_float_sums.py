"""Scatters that sum Floats have the bits of adding in the order of the elements, whichever way they go."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
import pytest

from kcheck.runtime.gpu import schedules
from tests.gpu.launches import device, launch

SUM = """
struct Hit { slot: Int; value: Float; }
kernel sums.one@1 {
  requires { field.read; field.write; }
  input slots: Rows<Int>;
  input values: Rows<Float>;
  input target: Rows<Float>;
  output result: Rows<Float>;
  scatter over slots into target with sum { return Hit { slot: sample(slots), value: sample(values) }; }
}
"""
WIDE = """
struct Both { x: Vec2; n: Int; }
struct Hit { slot: Int; value: Both; }
kernel sums.wide@1 {
  requires { field.read; field.write; }
  input slots: Rows<Int>;
  input values: Rows<Vec2>;
  input target: Rows<Both>;
  output result: Rows<Both>;
  scatter over slots into target with sum {
    return Hit { slot: sample(slots), value: Both { x: sample(values), n: index() } };
  }
}
"""


@pytest.fixture(autouse=True, params=["plain", "fours", "votes"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """An invocation for each element without subgroups, one for four, and that with subgroups where they are."""
    gpu = device()
    subgroup = gpu.traits.subgroup if request.param == "votes" else 0
    traits = replace(gpu.traits, at_once=request.param != "plain", subgroup=subgroup)
    monkeypatch.setattr(gpu._opened, "traits", traits)
    gpu._compiled.clear()
    yield
    gpu._compiled.clear()


@pytest.fixture
def sorted_runs(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """An entry for each run that had to sort."""
    found: list[int] = []
    plain: Callable[..., None] = schedules._add_in_order

    def noted(job: schedules.Job, *args: object) -> None:
        found.append(job.count)
        plain(job, *args)

    monkeypatch.setattr(schedules, "_add_in_order", noted)
    return found


def check(slots: np.ndarray, values: np.ndarray, target: np.ndarray) -> None:
    slots, values, target = slots.astype(np.int32), values.astype(np.float32), target.astype(np.float32)
    inside = (slots >= 0) & (slots < target.size)
    wanted = target.copy()
    with np.errstate(all="ignore"):
        np.add.at(wanted, slots[inside], values[inside])
    outcome = device().run(launch(SUM, slots=slots, values=values, target=target))
    found = outcome.outputs["result"].data
    nans = np.isnan(wanted)
    assert np.array_equal(np.isnan(found), nans)
    assert np.array_equal(found[~nans].view(np.uint32), wanted[~nans].view(np.uint32))


@pytest.mark.parametrize("cells", [1, 3, 256, 2049, 5000])
def test_sums_that_round_nowhere_are_not_sorted(cells: int, sorted_runs: list[int]) -> None:
    chance = np.random.default_rng(cells)
    for count in (5, 4097, 20_001):
        slots = chance.integers(-1, cells + 1, count)
        slots[:3] = 0  # that some values meet a cell
        check(slots, chance.integers(-300, 300, count) / 16, chance.integers(-9, 9, cells) / 4 + 0.0)
        check(slots, np.ones(count), np.zeros(cells))
        check(slots, chance.integers(0, 5, count) * 2.0**90, np.full(cells, 2.0**91))
    assert not sorted_runs


def amiss() -> dict[str, tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Sums that look exact by most of their values, and are not, or whose zeros have signs."""
    count = 40_001
    slots, values, target = np.arange(count) % 7, np.full(count, 0.5), np.zeros(7)

    def with_value(x: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        changed = values.copy()
        changed[count - 2] = x
        return slots, changed, target

    def with_target(x: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        changed = target.copy()
        changed[2] = x
        return slots, values, changed

    alternating = np.where(np.arange(count) % 2, 1.0, -1.0) * np.where(np.arange(count) % 4 < 2, 1000.25, 8190.5)
    return {
        "a finer value": with_value(0.3),
        "a tiny value": with_value(1e-44),
        "a huge value": with_value(1e30),
        "an infinite value": with_value(np.inf),
        "a NaN": with_value(np.nan),
        "a value of -0": with_value(-0.0),
        "a finer target": with_target(0.1),
        "a large target": with_target(2.0**24),
        "a target of NaN": with_target(np.nan),
        "too many units": (np.zeros(count), np.full(count, 1023.5), target),
        "too many units that cancel": (np.zeros(count), alternating, target),
        "a target of -0 that stays": (slots % 3, values, np.full(7, -0.0)),
        "zeros into -0": (slots, np.zeros(count), np.full(7, -0.0)),
    }


@pytest.mark.parametrize("what", amiss())
def test_sums_that_are_not_exact_are_sorted(what: str, sorted_runs: list[int]) -> None:
    check(*amiss()[what])
    assert sorted_runs


def test_subnormal_units_are_sorted(sorted_runs: list[int]) -> None:
    """Units below the normal numbers are left to the device's own additions; here no sum is subnormal."""
    check(np.array([0, 0, 1]), np.array([2.0**-126, 2.0**-126, 2.0**-125]), np.zeros(2))
    assert not sorted_runs
    check(np.array([0, 1]), np.array([2.0**-125 * (1 + 2.0**-20), 1.0]), np.array([1.0, 1.0]))
    assert sorted_runs


@pytest.mark.parametrize("cells", [1, 2, 255, 256, 511, 513, 66_000])
def test_sorted_sums(cells: int) -> None:
    """Digits of one to nine bits, tiles that are not full, and cells from nothing to nearly all of the pairs."""
    chance = np.random.default_rng(cells)
    for count in (1, 17, 1024, 5001, 33_000):
        values = chance.standard_normal(count) * 10.0 ** chance.integers(-3, 4, count)
        check(chance.integers(-1, cells + 1, count), values, chance.standard_normal(cells))
        skewed = np.where(chance.random(count) < 0.99, cells // 2, chance.integers(0, cells, count))
        check(skewed, values, chance.standard_normal(cells))


@pytest.mark.parametrize("cells", [1, 40, 3000])
def test_sums_of_several_numbers(cells: int) -> None:
    dtype = np.dtype([("x", np.float32, 2), ("n", np.int32)])
    chance = np.random.default_rng(cells)
    for count in (0, 1, 129, 10_001):
        slots = np.minimum(chance.integers(-1, cells + 1, count), chance.integers(0, cells + 1, count)).astype(np.int32)
        values = chance.standard_normal((count, 2)).astype(np.float32)
        target = np.zeros(cells, dtype)
        target["x"] = 0.1
        wanted = target.copy()
        inside = (slots >= 0) & (slots < cells)
        np.add.at(wanted["x"], slots[inside], values[inside])
        np.add.at(wanted["n"], slots[inside], np.arange(count, dtype=np.int32)[inside])
        found = device().run(launch(WIDE, slots=slots, values=values, target=target)).outputs["result"].data
        assert found.tobytes() == wanted.tobytes(), count
