"""The elementary functions: computed in float64 and rounded once to a Float."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from kcheck.checker.builtins import Builtin
from kcheck.runtime.layout import AnyArray


def _rounded(function: Callable[..., Any]) -> Callable[..., AnyArray]:
    """`function` on Floats, by way of float64."""

    def call(*args: AnyArray) -> AnyArray:
        result: AnyArray = function(*[x.astype(np.float64) for x in args]).astype(np.float32)
        return result

    return call


ELEMENTARY: dict[Builtin, Callable[..., AnyArray]] = {
    Builtin.INVERSESQRT: _rounded(lambda x: np.float64(1) / np.sqrt(x)),
    Builtin.EXP: _rounded(np.exp),
    Builtin.EXP2: _rounded(np.exp2),
    Builtin.LOG: _rounded(np.log),
    Builtin.LOG2: _rounded(np.log2),
    Builtin.POW: _rounded(np.power),
    Builtin.SIN: _rounded(np.sin),
    Builtin.COS: _rounded(np.cos),
    Builtin.TAN: _rounded(np.tan),
    Builtin.ASIN: _rounded(np.arcsin),
    Builtin.ACOS: _rounded(np.arccos),
    Builtin.ATAN: _rounded(np.arctan),
    Builtin.ATAN2: _rounded(np.arctan2),
    Builtin.SINH: _rounded(np.sinh),
    Builtin.COSH: _rounded(np.cosh),
    Builtin.TANH: _rounded(np.tanh),
}
