"""The comparison that all run tests rest on tells apart what it has to."""

import math
from typing import Any

import pytest

from tests.values import EXACT, Tolerance, differences, f32, numbers, ulp

TENTH = f32(0.1)


@pytest.mark.parametrize(
    ("got", "want"),
    [
        (1, 1),
        (True, True),
        (1.0, 1),
        (TENTH, 0.1),
        (-0.0, -0.0),
        (math.nan, math.nan),
        (math.nan, "NaN"),
        (-math.inf, "-Infinity"),
        (math.inf, 1e300),
        ([], []),
        ({"a": [1.5, 2.5]}, {"a": [1.5, 2.5]}),
        ("Dot", "Dot"),
    ],
)
def test_same(got: Any, want: Any) -> None:
    assert not list(differences(got, want, EXACT))


@pytest.mark.parametrize(
    ("got", "want"),
    [
        (1, 2),
        (1, 1.0),
        (1, True),
        (True, 1),
        (1.0, True),
        (0.0, -0.0),
        (-0.0, 0),
        (math.nan, 0.0),
        (0.0, "NaN"),
        (TENTH + ulp(0.1), 0.1),
        ([1], [1, 1]),
        ([[]], []),
        ({"a": 1}, {"b": 1}),
        ({"a": 1}, {"a": 1, "b": 1}),
        ("Dot", {"Dot": {}}),
        ([1, 2], [2, 1]),
    ],
)
def test_different(got: Any, want: Any) -> None:
    assert list(differences(got, want, EXACT))


def test_tolerances() -> None:
    near = f32(100.0) + 2 * ulp(100.0)
    assert not list(differences(near, 100.0, Tolerance(ulp=2)))
    assert list(differences(near, 100.0, Tolerance(ulp=1)))
    assert not list(differences(near, 100.0, Tolerance(relative=1e-6)))
    assert list(differences(near, 100.0, Tolerance(relative=1e-8)))
    assert list(differences(1, 2, Tolerance(ulp=10)))
    assert list(differences(math.inf, 3.0e38, Tolerance(ulp=10)))


def test_ulp_is_the_step_between_floats() -> None:
    assert ulp(1.0) == 2.0**-23
    assert ulp(0.75) == 2.0**-24
    assert ulp(1e-45) == 2.0**-149
    assert f32(1.0 + 2.0**-24) == 1.0
    assert f32(3.5e38) == math.inf


def test_numbers_reads_names_at_every_depth() -> None:
    assert numbers({"a": ["Infinity", {"b": "-Infinity"}]}) == {"a": [math.inf, {"b": -math.inf}]}
    assert math.isnan(numbers("NaN"))
    assert numbers("Dot") == "Dot"
