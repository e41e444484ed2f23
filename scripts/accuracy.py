"""How far the elementary built-ins are from the true values: prints the table of docs/accuracy.md.

    python scripts/accuracy.py [--every N] [--pairs N] [--jobs N] [NAME ...]

Functions of one argument are run on all 2^32 Floats (`--every 1`, the default) or on every N-th, and always on those
around each power of two; those of two arguments on N random pairs.  They are run by the interpreter, that is by the
prelude's text.  Odd and even functions, whose text works on |x| and sets the sign last, are run on all Floats without
a sign, and on every 1021st with one.

The true values are those of NumPy's float64 functions, whose own errors are below 10^-7 ulp of a Float; the worst
results of each part are held against mpmath as well.  Errors are counted in units of the last place (ulp) of the
true value, subnormal ones included; infinity counts as 2^128.  A NaN must be there where it should be, and be
0x7FC00000; the sign must be right, that of zeros too.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache
from typing import Any

import mpmath
import numpy as np
from numpy.typing import NDArray

from kcheck.checker import check_text
from kcheck.checker.prelude import expand_prelude
from kcheck.runtime.interpreter import Interpreter

Array = NDArray[Any]

CHUNK = 1 << 14
PART = 1 << 25
"""Arguments that one job takes."""
WORST = 4
"""So many results of each part are held against mpmath."""
STRIDE = 1021
"""Of the Floats with a sign every so many are looked at, where the sign is set last."""

ODD_OR_EVEN = frozenset({"sin", "cos", "tan", "asin", "atan", "sinh", "cosh", "tanh"})
TRUE: dict[str, Callable[..., Any]] = {
    "exp": np.exp,
    "exp2": np.exp2,
    "log": np.log,
    "log2": np.log2,
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "sinh": np.sinh,
    "cosh": np.cosh,
    "tanh": np.tanh,
    "inversesqrt": lambda x: 1 / np.sqrt(x),
    "pow": np.power,
    "atan2": np.arctan2,
    "%": np.fmod,
}
EXACT: dict[str, Callable[..., Any]] = {
    "exp2": lambda x: mpmath.mpf(2) ** x,
    "log2": lambda x: mpmath.log(x) / mpmath.log(2),
    "inversesqrt": lambda x: 1 / mpmath.sqrt(x),
    "pow": mpmath.power,
    "%": mpmath.fmod,
}
BINARY = ("pow", "atan2", "%")


# ---------------------------------------------------------------- the text, run


@cache
def text_of(name: str) -> Callable[..., Array]:
    """A built-in as the interpreter runs it, on arrays of Floats."""
    binary = name in BINARY
    call = "x % y" if name == "%" else f"{name}(x, y)" if binary else f"{name}(x)"
    takes, args = ("x: Float, y: Float", "0.5, 0.5") if binary else ("x: Float", "0.5")
    source = f"""
        fn text({takes}) -> Float {{ return {call}; }}
        kernel a.b@1 {{ requires {{ field.write; }} output r: Rows<Float>; compute {{ return text({args}); }} }}"""
    [checked] = check_text(source).programs.values()
    program = expand_prelude(checked, remainder=True)
    position = next(i for i, f in enumerate(program.functions) if f.name == "text")
    interpreter = Interpreter()

    def run(*arrays: Array) -> Array:
        return interpreter.call(program, position, arrays, {})

    return run


# ---------------------------------------------------------------- errors


def ulps(got: Array, true: Array) -> Array:
    """The errors of Floats against float64s; infinite where the sign is wrong or only one of the two is a NaN."""
    limit = np.float64(2.0**128)
    value, want = np.clip(got.astype(np.float64), -limit, limit), np.clip(true, -limit, limit)
    exponent = np.maximum((want.view(np.int64) >> 52) & 0x7FF, 1023 - 126)
    unit = ((exponent - 23) << 52).view(np.float64)
    error = np.where(np.signbit(value) == np.signbit(want), np.abs(value - want) / unit, np.inf)
    error[np.isnan(value) | np.isnan(want)] = np.nan
    bad = np.isnan(error)
    if bad.any():
        error[bad] = np.where(np.isnan(want[bad]) & (got[bad].view(np.int32) == 0x7FC00000), 0.0, np.inf)
    return error


def exact_ulps(name: str, got: np.float32, args: Sequence[np.float32]) -> float:
    """One error by mpmath; 0 where the true value is none or not finite."""
    with mpmath.workprec(300):
        try:
            true = (EXACT.get(name) or getattr(mpmath, name))(*(mpmath.mpf(float(a)) for a in args))
        except (ValueError, ZeroDivisionError):
            return 0.0
        if isinstance(true, mpmath.mpc) or not mpmath.isfinite(true) or not np.isfinite(got):
            return 0.0
        exponent = -126 if true == 0 else max(int(mpmath.floor(mpmath.log(abs(true), 2))), -126)
        return float(abs(mpmath.mpf(float(got)) - true) / mpmath.mpf(2) ** (exponent - 23))


@dataclass(frozen=True)
class Found:
    """The largest error, where it was, how many were above half an ulp, and how many arguments there were."""

    error: float
    args: tuple[float, ...]
    rounded: int
    count: int


def measure(name: str, chunks: Iterator[tuple[Array, ...]]) -> Found:
    text, true = text_of(name), TRUE[name]
    worst: list[tuple[float, float, tuple[np.float32, ...]]] = []
    right = count = 0
    with np.errstate(all="ignore"):
        for args in chunks:
            got = text(*args)
            error = ulps(got, true(*[a.astype(np.float64) for a in args]))
            at = int(error.argmax())
            worst.append((float(error[at]), float(got[at]), tuple(a[at] for a in args)))
            right += int(np.count_nonzero(error <= 0.5))
            count += error.size
            worst = sorted(worst, reverse=True, key=lambda w: w[0])[:WORST]
    for error_, value, at_ in worst:
        exact = exact_ulps(name, np.float32(value), at_)
        assert abs(exact - error_) < 1e-4 or error_ in (0.0, math.inf) or exact == 0.0, (name, at_, exact, error_)
    return Found(worst[0][0], tuple(map(float, worst[0][2])), count - right, count)


# ---------------------------------------------------------------- arguments


def patterns(first: int, end: int, every: int) -> Iterator[tuple[Array, ...]]:
    """Floats by their bits, in chunks."""
    step = CHUNK * every
    for start in range(first, end, step):
        yield (np.arange(start, min(start + step, end), every, dtype=np.int64).astype(np.uint32).view(np.float32),)


def boundaries(width: int = 2000) -> Iterator[tuple[Array, ...]]:
    """The Floats around each power of two, of both signs; zeros, infinities and NaNs are among them."""
    near = np.arange(-width, width + 1, dtype=np.int64)
    bits = (np.arange(256, dtype=np.int64) << 23)[:, None] + near
    for sign in (0, 1 << 31):
        for chunk in np.array_split((bits.clip(0, (1 << 31) - 1) | sign).ravel(), 32):
            yield (chunk.astype(np.uint32).view(np.float32),)


def pairs(name: str, seed: int, count: int) -> Iterator[tuple[Array, ...]]:
    """Random pairs: any two bit patterns, two of like size, and for pow those with a result in range."""
    rng = np.random.default_rng([seed, *name.encode()])
    for i in range(0, count, CHUNK):
        x = rng.integers(0, 1 << 32, CHUNK, dtype=np.uint32)
        y = rng.integers(0, 1 << 32, CHUNK, dtype=np.uint32)
        kind = i // CHUNK % 4
        if kind == 1:
            y = x + rng.integers(0, 1 << 27, CHUNK, dtype=np.uint32) - np.uint32(1 << 26)
        a, b = x.view(np.float32), y.view(np.float32)
        if kind >= 2:
            a, b = _in_range(name, rng, a, near=kind == 3)
        yield a, b


def _in_range(name: str, rng: np.random.Generator, any_: Array, *, near: bool) -> tuple[Array, Array]:
    """Pairs of middling size; for pow bases above 0 and exponents so that the result may be any Float."""
    if name != "pow":
        return rng.standard_normal(CHUNK).astype(np.float32), rng.standard_normal(CHUNK).astype(np.float32)
    base = (1 + rng.uniform(-0.5, 1, CHUNK) * 2.0 ** -rng.integers(0, 23, CHUNK)).astype(np.float32)
    a = base if near else np.abs(any_)
    power = rng.uniform(-150, 128, CHUNK) / np.log2(a.astype(np.float64))
    return a, power.astype(np.float32)


# ---------------------------------------------------------------- jobs

_Job = tuple[str, str, int, int, int]
"""The function, what to run it on, and three numbers for that."""


def jobs(name: str, every: int, count: int) -> Iterator[_Job]:
    if name in BINARY:
        yield from ((name, "pairs", seed, min(PART, count), 0) for seed in range(max(1, count // PART)))
        return
    yield (name, "boundaries", 0, 0, 0)
    end = 1 << 31 if name in ODD_OR_EVEN else 1 << 32
    yield from ((name, "patterns", first, first + PART * every, every) for first in range(0, end, PART * every))
    if name in ODD_OR_EVEN:
        yield (name, "patterns", 1 << 31, 1 << 32, STRIDE * every)


def do(job: _Job) -> Found:
    name, kind, first, second, third = job
    match kind:
        case "pairs":
            return measure(name, pairs(name, first, second))
        case "boundaries":
            return measure(name, boundaries())
        case _:
            return measure(name, patterns(first, min(second, 1 << 32), third))


def report(name: str, found: Sequence[Found], seconds: float) -> None:
    worst = max(found, key=lambda f: f.error)
    count = sum(f.count for f in found)
    part = 100 * sum(f.rounded for f in found) / count
    at = ", ".join(f"{np.float32(a):.9g}" for a in worst.args)
    print(f"| {name} | {worst.error:.3f} | {at} | {part:.2f} % | {count:.3g} | {seconds:.0f} |", flush=True)


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("names", nargs="*", default=list(TRUE))
    options.add_argument("--every", type=int, default=1)
    options.add_argument("--pairs", type=int, default=1 << 28)
    options.add_argument("--jobs", type=int, default=2)
    chosen = options.parse_args()
    print("| function | largest error, ulp | at | not the nearest | arguments | seconds |\n|---|---|---|---|---|---|")
    with ProcessPoolExecutor(chosen.jobs) as pool:
        for name in chosen.names:
            start = time.perf_counter()
            found = list(pool.map(do, jobs(name, chosen.every, chosen.pairs)))
            report(name, found, time.perf_counter() - start)


if __name__ == "__main__":
    main()
