"""How the reference interpreter compares with NumPy written by hand, in one run.

    python benchmarks/interpreter.py [elements]

Each line gives the times of both (the best of several runs, taken in turns), their ratio, and the most memory
that was held, as a multiple of the data (inputs and outputs).  Scans have no counterpart in NumPy: they give the
time of an element.
"""

from __future__ import annotations

import math
import sys
import time
import tracemalloc
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kcheck.checker import check_text
from kcheck.runtime.backend import Launch
from kcheck.runtime.binding import bind
from kcheck.runtime.interpreter import Interpreter
from kcheck.runtime.layout import AnyArray

SECONDS, FEWEST_ROUNDS = 0.6, 4


@dataclass(frozen=True)
class Case:
    """`source` is a kernel, `values` what it is bound to, `by_hand` the same in NumPy (None: no such thing)."""

    name: str
    source: str
    values: Mapping[str, Any]
    by_hand: Callable[[], object] | None
    elements: int
    domain: tuple[int, ...] | None = None


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    print(f"{'':34}{'interpreter':>12}{'by hand':>12}{'ratio':>8}{'memory':>8}   ({count:,} elements)")
    for case in cases(count):
        print(line(case))


def line(case: Case) -> str:
    [program] = check_text(case.source).programs.values()
    launch = bind(program, case.values, case.domain)
    interpreter = Interpreter()
    memory = f"{peak_memory(interpreter, launch):7.1f}x"
    if case.by_hand is None:
        [ours] = best_times([lambda: interpreter.run(launch)])
        return f"{case.name:34}{ours * 1e3:9.1f} ms{ours / case.elements * 1e6:17.2f} us each{memory}"
    ours, theirs = best_times([lambda: interpreter.run(launch), case.by_hand])
    return f"{case.name:34}{ours * 1e3:9.1f} ms{theirs * 1e3:9.1f} ms{ours / theirs:8.2f}{memory}"


def best_times(works: Sequence[Callable[[], object]]) -> list[float]:
    """Seconds of the quickest run of each, taken in turns so that a busy machine treats them alike."""
    best = [math.inf] * len(works)
    end = time.perf_counter() + SECONDS
    rounds = 0
    while rounds < FEWEST_ROUNDS or time.perf_counter() < end:
        for i, work in enumerate(works):
            start = time.perf_counter()
            work()
            best[i] = min(best[i], time.perf_counter() - start)
        rounds += 1
    return best


def peak_memory(interpreter: Interpreter, launch: Launch) -> float:
    """The most that was allocated during a run, inputs counted in, over the size of inputs and outputs."""
    bound = sum(field.data.nbytes for field in (*launch.inputs.values(), *launch.memories.values()))
    tracemalloc.start()
    outcome = interpreter.run(launch)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return (peak + bound) / (bound + sum(field.data.nbytes for field in outcome.outputs.values()))


def kernel(ports: str, body: str, items: str = "") -> str:
    return f"{items} kernel bench.case@1 {{ requires {{ field.read; field.write; }} {ports} {body} }}"


def cases(n: int) -> list[Case]:
    rng = np.random.default_rng(1)
    floats = [rng.random(n, np.float32) for _ in range(3)]
    ints = [rng.integers(-(2**31), 2**31, n).astype(np.int32) for _ in range(2)]
    return [*maps(n, floats, ints), *vectors(n, rng), *control(n, floats), *combining(n, floats, ints), *ordered()]


def maps(n: int, floats: list[AnyArray], ints: list[AnyArray]) -> list[Case]:
    a, b, c = floats
    i, j = ints
    three = "input a: Rows<Float>; input b: Rows<Float>; input c: Rows<Float>; output result: Rows<Float>;"
    two = "input i: Rows<Int>; input j: Rows<Int>; output result: Rows<Int>;"
    of_floats, of_ints = {"a": a, "b": b, "c": c}, {"i": i, "j": j}
    half = np.float32(0.5)
    return [
        Case(
            "map a * b + c",
            kernel(three, "compute { sample(a) * sample(b) + sample(c) }"),
            of_floats,
            lambda: a * b + c,
            n,
        ),
        Case(
            "map (a - b) * (a + b) * 0.5 - c",
            kernel(three, "compute { (sample(a) - sample(b)) * (sample(a) + sample(b)) * 0.5 - sample(c) }"),
            of_floats,
            lambda: (a - b) * (a + b) * half - c,
            n,
        ),
        Case(
            "map i * 5 + j ^ i >> 3",
            kernel(two, "compute { (sample(i) * 5 + sample(j)) ^ (sample(i) >> 3) }"),
            of_ints,
            lambda: i * np.int32(5) + j ^ i >> np.int32(3),
            n,
        ),
        Case(
            "map i / j + i % j",
            kernel(two, "compute { sample(i) / sample(j) + sample(i) % sample(j) }"),
            of_ints,
            lambda: np.fmod(i, j) + i // j,
            n,
        ),
        Case(
            "map min, max, sqrt, floor",
            kernel(three, "compute { sqrt(max(sample(a), sample(b))) + floor(min(sample(b), sample(c)) * 9.0) }"),
            of_floats,
            lambda: np.sqrt(np.maximum(a, b)) + np.floor(np.minimum(b, c) * np.float32(9)),
            n,
        ),
        Case(
            "map sin(a) * exp(b)",
            kernel(three, "compute { sin(sample(a)) * exp(sample(b)) + sample(c) }"),
            of_floats,
            lambda: np.sin(a) * np.exp(b) + c,
            n,
        ),
    ]


def vectors(n: int, rng: np.random.Generator) -> list[Case]:
    u, v = (rng.random((n, 3), np.float32) for _ in range(2))
    side = int(n**0.5)
    image = rng.random((side, side, 4), np.float32)
    ports = "input u: Rows<Vec3>; input v: Rows<Vec3>;"
    grid = "input image: Image; output result: Image;"
    return [
        Case(
            "map Vec3 u * 2 + v",
            kernel(ports + "output result: Rows<Vec3>;", "compute { sample(u) * 2.0 + sample(v) }"),
            {"u": u, "v": v},
            lambda: u * np.float32(2) + v,
            n,
        ),
        Case(
            "map dot(normalize(u), v)",
            kernel(ports + "output result: Rows<Float>;", "compute { dot(normalize(sample(u)), sample(v)) }"),
            {"u": u, "v": v},
            lambda: ((u / np.sqrt((u * u).sum(axis=1, keepdims=True))) * v).sum(axis=1),
            n,
        ),
        Case(
            "map Image, 3 taps by at",
            kernel(
                grid,
                "compute { let p = coord(); (at(image, p - vec2(1.0, 0.0)) + at(image, p) + "
                "at(image, p + vec2(1.0, 0.0))) * 0.25 }",
            ),
            {"image": image},
            lambda: _taps(image),
            side * side,
            (side, side),
        ),
        Case(
            "map Image, filtered sample",
            kernel(grid, "compute { sample(image, place() * 0.9) }"),
            {"image": image},
            lambda: _filtered(image),
            side * side,
            (side, side),
        ),
    ]


def _taps(image: AnyArray) -> AnyArray:
    wide = np.pad(image, ((0, 0), (1, 1), (0, 0)), mode="edge")
    taps: AnyArray = (wide[:, :-2] + image + wide[:, 2:]) * np.float32(0.25)
    return taps


def _filtered(image: AnyArray) -> AnyArray:
    height, width = image.shape[:2]
    y, x = (((np.arange(n, dtype=np.float32) + 0.5) / n * 0.9 * n - 0.5).astype(np.float32) for n in (height, width))
    fx, fy = (x - np.floor(x))[None, :, None], (y - np.floor(y))[:, None, None]
    x0, y0 = np.floor(x).astype(np.int64), np.floor(y).astype(np.int64)
    xs = [x0.clip(0, width - 1)[None], (x0 + 1).clip(0, width - 1)[None]]
    ys = [y0.clip(0, height - 1)[:, None], (y0 + 1).clip(0, height - 1)[:, None]]
    rows = [image[r, xs[0]] * (1 - fx) + image[r, xs[1]] * fx for r in ys]
    mixed: AnyArray = rows[0] * (1 - fy) + rows[1] * fy
    return mixed


def control(n: int, floats: list[AnyArray]) -> list[Case]:
    a, b, _ = floats
    ports = "input a: Rows<Float>; input b: Rows<Float>;"
    orbit = (
        "compute { let c = vec2(sample(a) * 3.0 - 2.0, sample(b) * 2.0 - 1.0); var z = vec2(0.0, 0.0); var k = 0; "
        "for i in 0..64 until dot(z, z) > 4.0 { z = vec2(z.x * z.x - z.y * z.y, 2.0 * z.x * z.y) + c; k += 1; } k }"
    )
    return [
        Case(
            "map if a > b",
            kernel(
                ports + "output result: Rows<Float>;",
                "compute { let x = sample(a); let y = sample(b); if x > y { return x - y; } x + y * 2.0 }",
            ),
            {"a": a, "b": b},
            lambda: np.where(a > b, a - b, a + b * np.float32(2)),
            n,
        ),
        Case(
            "map, 64 divergent rounds",
            kernel(ports + "output result: Rows<Int>;", orbit),
            {"a": a, "b": b},
            lambda: _orbits(a * 3 - 2, b * 2 - 1),
            n,
        ),
    ]


def _orbits(x: AnyArray, y: AnyArray) -> AnyArray:
    """The usual way in NumPy: all points under a mask."""
    c = x + 1j * y
    z = np.zeros_like(c)
    rounds = np.zeros(x.shape, np.int32)
    for _ in range(64):
        inside = z.real * z.real + z.imag * z.imag <= 4
        z[inside] = z[inside] ** 2 + c[inside]
        rounds += inside
    return rounds


def combining(n: int, floats: list[AnyArray], ints: list[AnyArray]) -> list[Case]:
    bins = (ints[0] & 0xFFF).astype(np.int32)
    values = floats[0]
    histogram = np.zeros(4096, np.float32)
    pair = "struct Pair { at: Int; value: Float; }"
    ports = "input bins: Rows<Int>; input values: Rows<Float>; input t: Rows<Float>; output result: Rows<Float>;"
    scattered = "{ return Pair { at: sample(bins), value: sample(values) }; }"

    def scatter(op: str) -> str:
        return kernel(ports, f"scatter over bins into t with {op} {scattered}", pair)

    def at(operation: np.ufunc) -> Callable[[], AnyArray]:
        def work() -> AnyArray:
            target = histogram.copy()
            operation.at(target, bins, values)
            return target

        return work

    flags = (bins & 1).astype(np.int32)
    bound = {"bins": bins, "values": values, "t": histogram}
    rows = "output result: Rows<Int>;"
    return [
        Case("scatter sum of Floats", scatter("sum"), bound, at(np.add), n),
        Case("scatter max of Floats", scatter("max"), bound, at(np.maximum), n),
        Case(
            "prefix sum of Ints",
            kernel("input flags: Rows<Int>;" + rows, "prefix over flags with sum { sample(flags) }"),
            {"flags": flags},
            lambda: np.cumsum(flags, dtype=np.int32),
            n,
        ),
        Case(
            "prefix max of Floats",
            kernel(
                "input values: Rows<Float>; output result: Rows<Float>;",
                "prefix over values with max { sample(values) }",
            ),
            {"values": values},
            lambda: np.maximum.accumulate(values),
            n,
        ),
        Case(
            "reduction: sum, max, count",
            kernel(
                "input values: Rows<Float>; output result: Rows<S>;",
                "compute over values { S { sum: sample(values), max: sample(values), count: 1 } } "
                "merge(a, b) { S { sum: a.sum + b.sum, max: max(a.max, b.max), count: a.count + b.count } }",
                "struct S { sum: Float; max: Float; count: Int; }",
            ),
            {"values": values},
            lambda: (values.sum(), values.max(), values.size),
            n,
        ),
        Case(
            "group 64, one exchange",
            kernel(
                "input values: Rows<Float>; output result: Rows<Float>;",
                "group 64 { let x = sample(values); let y = exchange(x, lane() ^ 1); return x + y; }",
            ),
            {"values": values[: n // 64 * 64]},
            lambda: values[: n // 64 * 64] + values[: n // 64 * 64].reshape(-1, 2)[:, ::-1].reshape(-1),
            n,
        ),
    ]


def ordered() -> list[Case]:
    steps = 20_000
    samples = np.random.default_rng(2).random(steps, np.float32)
    machine = (
        "scan over clock with where = 7 { let word = at(store, where & 4095); put(store, word & 4095, word + where); "
        "match word % 4 { 0 => where + 1, 1 => where + 3, _ => where ^ word } }"
    )
    return [
        Case(
            "scan: low-pass",
            kernel(
                "input signal: Rows<Float>; param smoothing: Float = 0.25; output smooth: Rows<Float>;",
                "scan over signal with held = 0.0 { mix(sample(signal), held, smoothing) }",
            ),
            {"signal": samples},
            None,
            steps,
        ),
        Case(
            "scan: machine with memory",
            kernel("input clock: Rows<Int>; memory store: Rows<Int>; output trace: Rows<Int>;", machine),
            {"clock": np.zeros(steps, np.int32), "store": np.arange(4096, dtype=np.int32)},
            None,
            steps,
        ),
    ]


if __name__ == "__main__":
    main()
