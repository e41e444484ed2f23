"""The backends that the tests run on: a new one adds its name here."""

import os

import pytest

ALL = ("interpreter", "jit", "gpu")

BACKENDS = [name for name in ALL if name in os.environ.get("KCHECK_BACKENDS", ",".join(ALL)).split(",")]
"""All of them, or those that KCHECK_BACKENDS names: `KCHECK_BACKENDS=interpreter` where time is short."""

REQUIRED = frozenset(name for name in os.environ.get("KCHECK_REQUIRE", "").split(",") if name)
"""The backends whose absence is a failure; that of the others is a skip, with the reason shown."""


def absent(name: str, reason: str) -> None:
    """Skip the test, or fail it where the backend has to be there."""
    if name in REQUIRED:
        pytest.fail(f"backend {name} is required and not there: {reason}")
    pytest.skip(f"backend {name} is not there: {reason}")
