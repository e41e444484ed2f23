"""Fast mode: NumPy's own elementary functions, close to the strict ones."""

from dataclasses import replace

import numpy as np
import pytest

from kcheck.checker.builtins import CONTRACTS
from kcheck.checker.prelude import ELEMENTARY_BUILTINS
from kcheck.runtime.binding import bind
from kcheck.runtime.interpreter import Interpreter
from kcheck.runtime.layout import AnyArray
from tests.support import program_of

POINTS = np.array([0.1, 0.25, 0.5, 0.9, 0.999], np.float32)


@pytest.mark.parametrize("name", sorted(b.value for b in ELEMENTARY_BUILTINS))
def test_both_modes_are_close(name: str) -> None:
    args = (
        "sample(x)"
        if CONTRACTS[next(b for b in ELEMENTARY_BUILTINS if b.value == name)].arity == 1
        else "sample(x), 0.7"
    )
    strict, fast = results(f"{name}({args})")
    np.testing.assert_allclose(fast, strict, rtol=5e-7)


def test_fast_mode_is_numpy() -> None:
    strict, fast = results("sin(sample(x)) * exp(sample(x))")
    assert fast.tolist() == (np.sin(POINTS) * np.exp(POINTS)).tolist()
    assert strict.dtype == fast.dtype == np.float32


def results(expression: str) -> tuple[AnyArray, AnyArray]:
    """What an expression of `sample(x)` gives at `POINTS`, in strict and in fast mode, on one interpreter."""
    program = program_of(
        "kernel fast.test@1 { requires { field.read; field.write; } input x: Rows<Float>; output result: Rows<Float>;"
        f" compute {{ return {expression}; }} }}"
    )
    launch, interpreter = bind(program, {"x": POINTS}), Interpreter()
    strict, fast = (interpreter.run(replace(launch, fast=fast)).outputs["result"].data for fast in (False, True))
    return strict, fast
