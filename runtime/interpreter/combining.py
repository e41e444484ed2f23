"""How scatter and prefix put values together, scalar by scalar.

Minima and maxima of Floats are taken over order-preserving Ints, in which -0 is below +0 and a NaN has the
key that loses to all others: so they are exact and in any grouping the same.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kcheck.checker.ir import CombineOp
from kcheck.runtime.interpreter.numbers import NEVER_MAX, NEVER_MIN, from_keys, ordered_keys
from kcheck.runtime.interpreter.values import Value, leaf_arrays, map_leaves, wide_leaf
from kcheck.runtime.layout import AnyArray

_EXTREMES: dict[CombineOp, tuple[np.ufunc, int]] = {
    CombineOp.MIN: (np.minimum, NEVER_MIN),
    CombineOp.MAX: (np.maximum, NEVER_MAX),
}
"""The operation on Ints, and the key of a NaN."""


def _keys(op: CombineOp, leaf: AnyArray) -> AnyArray:
    return ordered_keys(leaf, _EXTREMES[op][1]) if leaf.dtype == np.float32 else leaf


def _values(keys: AnyArray, dtype: np.dtype[Any]) -> AnyArray:
    return from_keys(keys) if dtype == np.float32 else keys


# ---------------------------------------------------------------- by address


def scatter_keys(op: CombineOp, target: Value) -> Value:
    """A private copy of the target in the form in which `scatter` combines into it."""
    change = (lambda leaf: _keys(op, leaf)) if op in _EXTREMES else (lambda leaf: leaf)
    return map_leaves(lambda leaf: np.array(change(leaf)), target)


def scatter_values(op: CombineOp, keys: AnyArray, dtype: np.dtype[Any]) -> AnyArray:
    """A leaf of `scatter_keys` as values again."""
    return _values(keys, dtype) if op in _EXTREMES else keys


def scatter(op: CombineOp, target: Value, positions: AnyArray, values: Value) -> None:
    """Combine `values` into the elements of `target` at `positions` (both `(n, …)`), in order."""
    for whole, part in zip(leaf_arrays(target), leaf_arrays(values), strict=True):
        lanes = wide_leaf(part, positions.size)
        if op is CombineOp.LAST:
            whole[positions] = lanes  # NumPy keeps the last of several values for one position
        else:
            _combine_columns(op, whole, positions, lanes)


def _combine_columns(op: CombineOp, target: AnyArray, positions: AnyArray, values: AnyArray) -> None:
    """Scalar by scalar: the one form for which `ufunc.at` is quick, and it goes strictly in order."""
    combine = np.add if op is CombineOp.SUM else _EXTREMES[op][0]
    columns = target.reshape(target.shape[0], -1)
    rows = values.reshape(positions.size, -1)
    for i in range(columns.shape[1]):
        part = rows[:, i]
        combine.at(columns[:, i], positions, part if op is CombineOp.SUM else _keys(op, part))


# ---------------------------------------------------------------- running


def after(op: CombineOp, running: AnyArray, carry: AnyArray) -> AnyArray:
    """Running combinations of scalars, where `carry` is the combination of all that came before the first of them."""
    if op is CombineOp.SUM:
        return running + carry
    combined = _EXTREMES[op][0](_keys(op, running), _keys(op, carry))
    return _values(combined, running.dtype)


class Running:
    """The running combination of one leaf over blocks of lanes."""

    def __init__(self, op: CombineOp) -> None:
        self._combine, self._nan = (np.add, 0) if op is CombineOp.SUM else _EXTREMES[op]
        self._carry: AnyArray | None = None

    def write(self, leaf: AnyArray, place: AnyArray) -> None:
        """Write the combination of all lanes so far, at every lane of this block, to `place`."""
        floats = leaf.dtype == np.float32
        keys = place.view(np.int32) if floats else place
        self._combine.accumulate(ordered_keys(leaf, self._nan) if floats else leaf, axis=0, out=keys)
        if self._carry is not None:
            self._combine(keys, self._carry, out=keys)
        self._carry = keys[-1].copy()
        if floats:
            place[...] = from_keys(keys)
