"""The composite built-ins: their order of operations, written down once.

Sums run left to right, the x component first, each operation rounded to a Float; nothing is contracted.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import cast

import numpy as np

from kcheck.runtime.interpreter.numbers import F0, F1, maximum, minimum, wrap
from kcheck.runtime.interpreter.numbers import shift_right_logical as ushr
from kcheck.runtime.interpreter.values import a_float, an_int, component, concatenate, expand, pick, stack_leaves
from kcheck.runtime.layout import AnyArray

_F2, _F3 = a_float(2), a_float(3)
_RADIANS, _DEGREES = a_float(0.017453292519943295), a_float(57.29577951308232)
_LUMA = (a_float(0.2126), a_float(0.7152), a_float(0.0722))


# ---------------------------------------------------------------- componentwise


def fract(x: AnyArray) -> AnyArray:
    return x - np.floor(x)


def radians(x: AnyArray) -> AnyArray:
    return x * _RADIANS


def degrees(x: AnyArray) -> AnyArray:
    return x * _DEGREES


def saturate(x: AnyArray) -> AnyArray:
    return minimum(maximum(x, F0), F1)


def step(edge: AnyArray, x: AnyArray) -> AnyArray:
    """0 where `x < edge`, else 1 (for NaN too)."""
    return (~(x < edge)).astype(np.float32)


def smoothstep(low: AnyArray, high: AnyArray, x: AnyArray) -> AnyArray:
    t = saturate((x - low) / (high - low))
    return pick(low == high, step(low, x), t * t * (_F3 - _F2 * t))


# ---------------------------------------------------------------- vectors


def _parts(vector: AnyArray) -> list[AnyArray]:
    return [component(vector, i) for i in range(vector.shape[1])]


def _sum(terms: Sequence[AnyArray]) -> AnyArray:
    return reduce(lambda a, b: a + b, terms)


def _each(scalar: AnyArray) -> AnyArray:
    """A Float per lane, shaped to meet a vector."""
    return expand(scalar, 2)


def dot(a: AnyArray, b: AnyArray) -> AnyArray:
    return _sum([p * q for p, q in zip(_parts(a), _parts(b), strict=True)])


def cross(a: AnyArray, b: AnyArray) -> AnyArray:
    (ax, ay, az), (bx, by, bz) = _parts(a), _parts(b)
    return concatenate([ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx], 3)


def length(x: AnyArray) -> AnyArray:
    """`sqrt(dot(x, x))`; of a Float, `sqrt(x * x)`."""
    square = x * x if x.ndim < 2 else dot(x, x)
    return cast(AnyArray, np.sqrt(square))


def distance(a: AnyArray, b: AnyArray) -> AnyArray:
    return length(a - b)


def normalize(v: AnyArray) -> AnyArray:
    return v / _each(length(v))


def reflect(i: AnyArray, n: AnyArray) -> AnyArray:
    reflected: AnyArray = i - n * _each(_F2 * dot(n, i))
    return reflected


def refract(i: AnyArray, n: AnyArray, eta: AnyArray) -> AnyArray:
    d = dot(n, i)
    k = F1 - eta * eta * (F1 - d * d)
    bent = _each(eta) * i - _each(eta * d + np.sqrt(k)) * n
    return pick(_each(k < F0), F0, bent)


def luma(colour: AnyArray) -> AnyArray:
    r, g, b = _parts(colour)[:3]
    return _sum([_LUMA[0] * r, _LUMA[1] * g, _LUMA[2] * b])


# ---------------------------------------------------------------- matrices

_Entries = list[list[AnyArray]]
"""The entries of a matrix as scalars per lane, `[column][row]`."""


def matmul(a: AnyArray, b: AnyArray) -> AnyArray:
    """Matrix by matrix or by vector: the columns of `a` scaled by the entries of `b` and added in order."""
    if b.ndim == 2:
        return _sum([a[:, k] * _each(component(b, k)) for k in range(a.shape[1])])
    return stack_leaves([matmul(a, b[:, column]) for column in range(b.shape[1])])


def transpose(m: AnyArray) -> AnyArray:
    return np.asfortranarray(m.swapaxes(1, 2))


def _entries(m: AnyArray) -> _Entries:
    return [_parts(m[:, column]) for column in range(m.shape[1])]


def determinant(m: AnyArray) -> AnyArray:
    """Along the first column, whose signs alternate; minors in the same way, a 2x2 one as `ad - bc`."""
    return _determinant(_entries(m))


def _determinant(entries: _Entries) -> AnyArray:
    if len(entries) == 1:
        return entries[0][0]
    first = entries[0]
    terms = [first[row] * _minor(entries, 0, row) for row in range(len(first))]
    return reduce(lambda total, term: _add_signed(total, term[0], term[1]), enumerate(terms[1:], 1), terms[0])


def _add_signed(total: AnyArray, position: int, term: AnyArray) -> AnyArray:
    return total - term if position % 2 else total + term


def _minor(entries: _Entries, column: int, row: int) -> AnyArray:
    """The determinant without one column and one row."""
    rest = [c[:row] + c[row + 1 :] for c in entries[:column] + entries[column + 1 :]]
    return _determinant(rest)


def inverse(m: AnyArray) -> AnyArray:
    """The adjugate, each entry divided by the determinant."""
    entries = _entries(m)
    size = len(entries)
    det = _determinant(entries)
    columns = [
        concatenate([_cofactor(entries, row, column) / det for row in range(size)], size) for column in range(size)
    ]
    return stack_leaves(columns)


def _cofactor(entries: _Entries, column: int, row: int) -> AnyArray:
    minor = _minor(entries, column, row)
    return -minor if (column + row) % 2 else minor


# ---------------------------------------------------------------- PCG


def pcg_hash(i: AnyArray) -> AnyArray:
    """One step of PCG and its output function (RXS-M-XS)."""
    s = i * an_int(747796405) + an_int(wrap(2891336453))
    w = (ushr(s, ushr(s, an_int(28)) + an_int(4)) ^ s) * an_int(277803737)
    mixed: AnyArray = ushr(w, an_int(22)) ^ w
    return mixed


def random(i: AnyArray) -> AnyArray:
    """The upper 24 bits of the hash, as a Float in 0.0 <= x < 1.0."""
    return ushr(pcg_hash(i), an_int(8)).astype(np.float32) * a_float(2.0**-24)
