"""The coefficients of the prelude's polynomials (`checker/prelude/elementary.kernel`), fitted anew and printed.

Each polynomial stands in a formula `f(x) = known(x) + factor(x) * P(v(x))`.  It is fitted so that the largest error
of the whole formula, relative to f, is least (Lawson's iteration: least squares whose weights follow the error).
Coefficients are rounded to binary32 one after the other, from the constant one up, and those that are left are
fitted again each time, so that they make up for the rounding.

Needs mpmath (in the `dev` extra), because f - known cancels.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import mpmath
import numpy as np
from mpmath import mpf
from numpy.typing import NDArray

mpmath.mp.dps = 40
POINTS = 2000
ROUNDS = 400
LN2 = mpmath.log(2)

Real = Callable[[Any], Any]
Reals = NDArray[np.float64]


@dataclass(frozen=True)
class Fit:
    """`f = known + factor * P(v)` on [low, high], P with `count` coefficients."""

    f: Real
    known: Real
    factor: Real
    v: Real
    low: float
    high: float
    count: int


def _square(x: Any) -> Any:
    return x * x


def _cube(x: Any) -> Any:
    return x**3


def _same(x: Any) -> Any:
    return x


def _one(x: Any) -> Any:
    return mpf(1)


def _odd(f: Real, high: float, count: int) -> Fit:
    """x + x^3 P(x^2)"""
    return Fit(f, _same, _cube, _square, 1e-4, high, count)


FITS: dict[str, Fit] = {
    "exp": Fit(mpmath.exp, lambda x: 1 + x, _square, _same, -0.3467, 0.3467, 5),
    "exp2": Fit(lambda x: mpf(2) ** x, lambda x: 1 + x * LN2, _square, _same, -0.5, 0.5, 5),
    "log": Fit(mpmath.log1p, lambda x: x - x * x / 2, _cube, _same, -0.29290, 0.41422, 9),
    # atanh(s) = s / 3 * (3 + s^2 + s^4 P(s^2)), for pow
    "pow": Fit(mpmath.atanh, lambda s: s + s**3 / 3, lambda s: s**5 / 3, _square, 1e-3, 0.17158, 3),
    "sin": _odd(mpmath.sin, 0.7855, 3),
    "cos": Fit(mpmath.cos, lambda x: 1 - x * x / 2, lambda x: x**4, _square, 1e-3, 0.7855, 3),
    "tan": _odd(mpmath.tan, 0.7855, 6),
    "asin": _odd(mpmath.asin, 0.5, 5),
    "atan": _odd(mpmath.atan, 1.0, 9),
    "sinh": _odd(mpmath.sinh, 1.0, 4),
    "tanh": _odd(mpmath.tanh, 0.625, 5),
}


def _least_error(target: Reals, powers: Reals, scale: Reals) -> Reals:
    """The coefficients c that make the largest |scale * (target - powers @ c)| least."""
    weights = np.full(target.shape, 1.0 / target.size)
    best, smallest = np.zeros(powers.shape[1]), np.inf
    for _ in range(ROUNDS):
        root = np.sqrt(weights) * scale
        found = np.linalg.lstsq(powers * root[:, None], target * root, rcond=None)[0]
        error = np.abs(scale * (target - powers @ found))
        if error.max() < smallest:
            best, smallest = found, error.max()
        weights *= error / error.max() + 1e-9
        weights /= weights.sum()
    return best


def fitted(fit: Fit) -> tuple[list[np.float32], float]:
    """The coefficients as Floats, constant one first, and log2 of the formula's largest relative error."""
    middle, half = (fit.high + fit.low) / 2, (fit.high - fit.low) / 2
    xs = [mpf(middle - half * np.cos(np.pi * (i + 0.5) / POINTS)) for i in range(POINTS)]
    rest = np.array([float((fit.f(x) - fit.known(x)) / fit.factor(x)) for x in xs])
    scale = np.array([float(fit.factor(x) / fit.f(x)) for x in xs])
    v = np.array([float(fit.v(x)) for x in xs])
    done: list[np.float32] = []
    for i in range(fit.count):
        powers = v[:, None] ** np.arange(i, fit.count, dtype=np.float64)
        done.append(np.float32(_least_error(rest, powers, scale)[0]))
        rest = rest - float(done[-1]) * v**i
    return done, float(np.log2(np.abs(rest * scale).max()))


def split(value: Any, *sizes: int) -> list[float]:
    """Numbers of so many bits each, cut off, that add up to `value`, but for a rest."""
    parts = []
    for bits in sizes:
        unit = mpf(2) ** (int(mpmath.floor(mpmath.log(abs(value), 2))) + 1 - bits)
        parts.append(mpmath.sign(value) * mpmath.floor(abs(value) / unit) * unit)
        value -= parts[-1]
    return [float(p) for p in parts]


def nearest(value: Any) -> list[float]:
    """The nearest Float, and the Float nearest to the rest."""
    high = float(np.float32(float(value)))
    return [high, float(value - high)]


def two_over_pi() -> list[str]:
    """A word of zeros, then the first 224 binary places of 2/pi."""
    with mpmath.workdps(100):
        digits = int(mpmath.floor(2 / mpmath.pi * mpf(2) ** 224))
    return [f"0x{digits >> shift & 0xFFFFFFFF:08X}" for shift in range(224, -1, -32)]


def text(number: float | np.float32) -> str:
    return repr(float(str(np.float32(number))))


def main() -> None:
    for name, fit in FITS.items():
        coefficients, error = fitted(fit)
        print(f"{name:5} 2^{error:.1f}  {' '.join(map(text, coefficients))}")
    # Products of the short parts with a short n or with the upper 12 bits of a Float are exact.
    print("ln 2, 15 + 24 bits   ", *map(text, split(LN2, 15, 24)))
    print("ln 2, 12 + 24 bits   ", *map(text, split(LN2, 12, 24)))
    print("log2 e, 12 + 24 bits ", *map(text, split(1 / LN2, 12, 24)))
    print("2 / (3 ln 2), 12 + 24", *map(text, split(2 / (3 * LN2), 12, 24)), text(float(2 / (3 * LN2))))
    print("pi/2, 12 12 12 24    ", *map(text, split(mpmath.pi / 2, 12, 12, 12, 24)))
    print("pi/2, pi: nearest    ", *map(text, [*nearest(mpmath.pi / 2), *nearest(mpmath.pi)]))
    print("2/pi                 ", *two_over_pi())


if __name__ == "__main__":
    main()
