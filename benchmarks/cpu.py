"""The JIT beside what a user of Python has on a processor: NumPy, SciPy, numba, Taichi, Halide and C, in one run.

    python benchmarks/cpu.py [--busy] [maps|elementary|shaders|scans|machines|folds|prefixes|scatters|groups|start …]

Each line gives the median time of every contender, taken in turns, and how many times as long as the JIT it takes.
Everybody makes a new array for what comes out.  What is not installed is left out, and said.

With --busy, for a machine that has other work to do, the times are CPU times instead, the least of each, divided by
the cores that a contender uses: what it would take if all of them were its own.
"""

from __future__ import annotations

import ctypes
import importlib.util
import math
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from kcheck.checker import check_text
from kcheck.checker.ir import Program
from kcheck.runtime.backend import Launch
from kcheck.runtime.binding import bind
from kcheck.runtime.jit import Jit
from kcheck.runtime.layout import AnyArray

SECONDS, FEWEST_ROUNDS = 2.0, 5
PAUSE = 0.01
"""Seconds before each run: threads of the one before may go on for a while, waiting for more to do."""
BUSY = "--busy"
CORES = len(os.sched_getaffinity(0))

Work = Callable[[], Any]


@dataclass(frozen=True)
class Case:
    """`source` is a kernel, `values` what it is bound to; `others` do the same work.

    `bounds` are how many times as long others have to take, `each` the number of elements where an element's time is
    of interest, and `tolerance` how far results may be apart.
    """

    name: str
    source: str
    values: Mapping[str, Any]
    others: Mapping[str, Work]
    bounds: Mapping[str, float]
    domain: tuple[int, ...] | None = None
    each: int | None = None
    tolerance: float = 1e-5
    result: Callable[[AnyArray], AnyArray] = field(default=lambda data: data)
    on_all_cores: tuple[str, ...] = ("jit", "numba prange", "taichi", "halide")


def main() -> None:
    words = [word for word in sys.argv[1:] if word != BUSY]
    print(f"{CORES} cores, Python {sys.version.split()[0]}, NumPy {np.__version__}")
    for package in ("numba", "scipy", "taichi", "halide"):
        if not _has(package):
            print(f"without {package}, which is not installed")
    if _compiler() is None:
        print("without C, as there is no compiler")
    for name, make in CASES.items():
        if not words or name in words:
            for case in make():
                print(line(case), flush=True)
    if not words or "start" in words:
        for text in starting():
            print(text)


def line(case: Case) -> str:
    """Check that all agree, then time them."""
    launch, jit = _bound(case.source, case.values, case.domain), Jit()
    works: dict[str, Work] = {"jit": lambda: _first(jit, launch), **case.others}
    expected = np.asarray(case.result(works["jit"]()))
    for name, work in case.others.items():
        got = np.asarray(work())
        if not np.allclose(expected, got, rtol=case.tolerance, atol=case.tolerance, equal_nan=True):
            worst = np.max(np.abs(expected.astype(np.float64) - got))
            raise AssertionError(f"{case.name}: the JIT and {name} differ by {worst}")
    times = least_cpu_times(works, case.on_all_cores) if BUSY in sys.argv else median_times(list(works.values()))
    ours = times[0]
    each = f" ({ours / case.each * 1e9:.2f} ns each)" if case.each else ""
    parts = [f"{case.name:34} jit {ours * 1e3:8.2f} ms{each}"]
    for name, seconds in zip(case.others, times[1:], strict=True):
        bound = case.bounds.get(name)
        wanted = f", wanted {bound}" if bound else ""
        missed = " MISSED" if bound and seconds / ours < bound else ""
        parts.append(f"{name} {seconds * 1e3:.2f} ms ({seconds / ours:.2f}x{wanted}{missed})")
    return " | ".join(parts)


def median_times(works: Sequence[Work]) -> list[float]:
    """The median seconds of each, taken in turns so that a busy machine treats them alike."""
    times: list[list[float]] = [[] for _ in works]
    end = time.perf_counter() + SECONDS
    while len(times[0]) < FEWEST_ROUNDS or time.perf_counter() < end:
        for taken, work in zip(times, works, strict=True):
            time.sleep(PAUSE)
            start = time.perf_counter()
            work()
            taken.append(time.perf_counter() - start)
    return [statistics.median(taken) for taken in times]


def least_cpu_times(works: Mapping[str, Work], on_all_cores: Sequence[str]) -> list[float]:
    """The least CPU seconds of each, divided by the cores that it uses."""
    least = dict.fromkeys(works, math.inf)
    end = time.perf_counter() + 2 * SECONDS
    while time.perf_counter() < end:
        for name, work in works.items():
            time.sleep(PAUSE)
            start = time.process_time()
            work()
            least[name] = min(least[name], time.process_time() - start)
    return [seconds / (CORES if name in on_all_cores else 1) for name, seconds in least.items()]


def _bound(source: str, values: Mapping[str, Any], domain: tuple[int, ...] | None = None) -> Launch:
    return bind(_program(source), values, domain)


def _program(source: str) -> Program:
    checked = check_text(source)
    [program] = checked.programs.values()
    return program


def _first(jit: Jit, launch: Launch) -> AnyArray:
    return next(iter(jit.run(launch).outputs.values())).data


def kernel(ports: str, body: str, items: str = "") -> str:
    return f"{items} kernel bench.case@1 {{ requires {{ field.read; field.write; }} {ports} {body} }}"


# ---------------------------------------------------------------- contenders


def _has(package: str) -> bool:
    return importlib.util.find_spec(package) is not None


def only(**works: Work | None) -> dict[str, Work]:
    """Those that are there; underscores in names stand for spaces."""
    return {name.replace("_", " "): work for name, work in works.items() if work is not None}


def _compiler() -> str | None:
    return shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")


def c_function(source: str, name: str) -> Any | None:
    """A function of a C source, compiled with -O3 for this processor and without contraction; None without C."""
    compiler = _compiler()
    if compiler is None:
        return None
    folder = Path(tempfile.mkdtemp())
    (folder / "code.c").write_text(source)
    options = ["-O3", "-march=native", "-ffp-contract=off", "-shared", "-fPIC"]
    subprocess.run([compiler, *options, "code.c", "-o", "code.so"], cwd=folder, check=True)
    return getattr(ctypes.CDLL(str(folder / "code.so")), name)


# ---------------------------------------------------------------- maps


def maps() -> Iterator[Case]:
    x = np.random.default_rng(0).standard_normal(1 << 24).astype(np.float32)
    body = "compute { let v = sample(x); let t = v * 1.5 + 0.5; return (t * v - 0.25) * t; }"
    f = np.float32

    def by_numpy() -> AnyArray:
        t = x * f(1.5) + f(0.5)
        result: AnyArray = (t * x - f(0.25)) * t
        return result

    yield Case(
        "map of 5 flops, 16M Floats",
        kernel("input x: Rows<Float>; output result: Rows<Float>;", body),
        {"x": x},
        only(
            numpy=by_numpy,
            numba_prange=_numba_map(x),
            taichi=_taichi_map(x),
            halide=_halide_map(x),
            C_one_core=_c_map(x),
        ),
        {"numpy": 4, "numba prange": 1.5},
    )


def _numba_map(x: AnyArray) -> Work | None:
    if not _has("numba"):
        return None
    import numba

    @numba.njit(parallel=True)
    def run(a: Any) -> Any:
        o = np.empty_like(a)
        for i in numba.prange(a.size):
            v = a[i]
            t = v * np.float32(1.5) + np.float32(0.5)
            o[i] = (t * v - np.float32(0.25)) * t
        return o

    return lambda: run(x)


def _taichi_map(x: AnyArray) -> Work | None:
    ti = _taichi()
    if ti is None:
        return None

    def run(a: Any, o: Any):  # type: ignore[no-untyped-def]  # a kernel of Taichi must not say that it returns None
        for i in a:
            v = a[i]
            t = v * 1.5 + 0.5
            o[i] = (t * v - 0.25) * t

    # Taichi wants the types themselves, not their names.
    run.__annotations__ = {"a": ti.types.ndarray(), "o": ti.types.ndarray()}
    return _with_output(ti.kernel(run), x)


def _with_output(run: Callable[..., Any], x: AnyArray) -> Work:
    def work() -> AnyArray:
        result = np.empty_like(x)
        run(x, result)
        return result

    return work


def _taichi() -> Any | None:
    if not _has("taichi"):
        return None
    os.environ["TI_LOG_LEVEL"] = "error"
    import taichi

    if not taichi.lang.impl.get_runtime().prog:
        taichi.init(arch=taichi.cpu, offline_cache=False, fast_math=False, log_level=taichi.ERROR)
    return taichi


def _halide_map(x: AnyArray) -> Work | None:
    if not _has("halide"):
        return None
    import halide as hl

    i, block, within = hl.Var("i"), hl.Var("block"), hl.Var("within")
    result, v = hl.Func("result"), hl.Buffer(x)[i]
    t = v * 1.5 + 0.5
    result[i] = (t * v - 0.25) * t
    result.split(i, block, within, 1 << 16).parallel(block).vectorize(within, 8)
    return _with_output(_compiled_by_halide(hl, result), x)


def _compiled_by_halide(hl: Any, result: Any) -> Callable[[AnyArray, AnyArray], None]:
    """A function that ignores its first argument and fills its second one."""
    result.compile_jit(hl.get_jit_target_from_environment().with_feature(hl.TargetFeature.StrictFloat))

    def run(_: AnyArray, o: AnyArray) -> None:
        result.realize(hl.Buffer(o))

    return run


def _c_map(x: AnyArray) -> Work | None:
    function = c_function(
        "void run(const float *restrict a, float *restrict o, long n) { for (long i = 0; i < n; i++) {"
        " float v = a[i]; float t = v * 1.5f + .5f; o[i] = (t * v - .25f) * t; } }",
        "run",
    )
    if function is None:
        return None
    call = function

    def run(a: AnyArray, o: AnyArray) -> None:
        call(ctypes.c_void_p(a.ctypes.data), ctypes.c_void_p(o.ctypes.data), ctypes.c_long(a.size))

    return _with_output(run, x)


def elementary() -> Iterator[Case]:
    x = np.random.default_rng(0).uniform(0.1, 6, 1 << 22).astype(np.float32)
    yield Case(
        "exp, log and sin, 4M Floats",
        kernel(
            "input x: Rows<Float>; output result: Rows<Float>;",
            "compute { let v = sample(x); return exp(v) * log(v) + sin(v); }",
        ),
        {"x": x},
        only(numpy=lambda: np.exp(x) * np.log(x) + np.sin(x), numba_prange=_numba_elementary(x)),
        {"numpy": 1, "numba prange": 1},
        tolerance=1e-4,
    )


def _numba_elementary(x: AnyArray) -> Work | None:
    if not _has("numba"):
        return None
    import numba

    @numba.njit(parallel=True)
    def run(a: Any) -> Any:
        o = np.empty_like(a)
        for i in numba.prange(a.size):
            o[i] = math.exp(a[i]) * math.log(a[i]) + math.sin(a[i])
        return o

    return lambda: run(x)


SHADER = """
fn escape(cx: Float, cy: Float) -> Float {
  let q = (cx - 0.25) * (cx - 0.25) + cy * cy;
  if q * (q + (cx - 0.25)) < 0.25 * cy * cy { return 0.0; }
  var x = 0.0;
  var y = 0.0;
  for i in 0..limit {
    let xx = x * x;
    let yy = y * y;
    if xx + yy > 16.0 { return float(i) / float(limit); }
    y = 2.0 * x * y + cy;
    x = xx - yy + cx;
  }
  return 0.0;
}
"""


def shaders() -> Iterator[Case]:
    width, height, limit = 1024, 768, 100
    members = f"param limit: Int = {limit}; output result: Grid<Float>; {SHADER}"
    body = "compute { let p = place(); return escape(p.x * 3.0 - 2.0, p.y * 2.0 - 1.0); }"
    source = f"kernel bench.case@1 {{ requires {{ field.write; }} {members} {body} }}"
    yield Case(
        "shader with loop and early return",
        source,
        {},
        only(
            numba_prange=_numba_shader(width, height, limit),
            taichi=_taichi_shader(width, height, limit),
            halide=_halide_shader(width, height, limit),
        ),
        {"numba prange": 1},
        domain=(width, height),
        tolerance=1e-2,
    )

    width, height = 640, 480
    yield Case(
        "ray marching until a hit, 640 x 480",
        f"kernel bench.case@1 {{ requires {{ field.write; }} output result: Grid<Float>; {MARCHING} }}",
        {},
        only(numba_prange=_numba_marching(width, height)),
        {"numba prange": 1},
        domain=(width, height),
        tolerance=1e-2,
    )


MARCHING = """
fn distance_to(p: Vec3) -> Float {
  let ball = length(p - vec3(0.0, 0.5, 4.0)) - 1.0;
  let small = length(p - vec3(1.5, 0.0, 3.5)) - 0.5;
  return min(min(ball, small), p.y + 0.5);
}
compute {
  let p = place() * 2.0 - 1.0;
  let direction = normalize(vec3(p.x * 1.3, -p.y, 1.5));
  var t = 0.0;
  for i in 0..64 {
    let d = distance_to(direction * t);
    if d < 0.001 { return t; }
    t += d;
    if t > 20.0 { return -1.0; }
  }
  return t;
}
"""


def _numba_marching(width: int, height: int) -> Work | None:
    if not _has("numba"):
        return None
    import numba

    f = np.float32

    @numba.njit
    def length(x: Any, y: Any, z: Any) -> Any:
        return f(math.sqrt(x * x + y * y + z * z))

    @numba.njit
    def march(x: Any, y: Any, z: Any) -> Any:
        t = f(0.0)
        for _ in range(64):
            px, py, pz = x * t, y * t, z * t
            ball = length(px, py - f(0.5), pz - f(4.0)) - f(1.0)
            small = length(px - f(1.5), py, pz - f(3.5)) - f(0.5)
            d = min(ball, small, py + f(0.5))
            if d < f(0.001):
                return t
            t += d
            if t > f(20.0):
                return f(-1.0)
        return t

    @numba.njit(parallel=True)
    def run(w: int, h: int) -> Any:
        o = np.empty((h, w), np.float32)
        for row in numba.prange(h):
            for column in range(w):
                px = (f(column) + f(0.5)) / f(w) * f(2.0) - f(1.0)
                py = (f(row) + f(0.5)) / f(h) * f(2.0) - f(1.0)
                x, y, z = px * f(1.3), -py, f(1.5)
                size = length(x, y, z)
                o[row, column] = march(x / size, y / size, z / size)
        return o

    return lambda: run(width, height)


def _numba_shader(width: int, height: int, limit: int) -> Work | None:
    if not _has("numba"):
        return None
    import numba

    f = np.float32

    @numba.njit
    def escape(cx: Any, cy: Any, most: Any) -> Any:
        q = (cx - f(0.25)) * (cx - f(0.25)) + cy * cy
        if q * (q + (cx - f(0.25))) < f(0.25) * cy * cy:
            return f(0.0)
        x = f(0.0)
        y = f(0.0)
        for i in range(most):
            xx = x * x
            yy = y * y
            if xx + yy > f(16.0):
                return f(i) / f(most)
            y = f(2.0) * x * y + cy
            x = xx - yy + cx
        return f(0.0)

    @numba.njit(parallel=True)
    def run(w: int, h: int, most: int) -> Any:
        o = np.empty((h, w), np.float32)
        for row in numba.prange(h):
            for column in range(w):
                px = (f(column) + f(0.5)) / f(w)
                py = (f(row) + f(0.5)) / f(h)
                o[row, column] = escape(px * f(3.0) - f(2.0), py * f(2.0) - f(1.0), most)
        return o

    return lambda: run(width, height, limit)


def _taichi_shader(width: int, height: int, limit: int) -> Work | None:
    ti = _taichi()
    if ti is None:
        return None

    def run(o: Any, w: Any, h: Any, most: Any):  # type: ignore[no-untyped-def]  # as above
        for row, column in o:
            cx = (column + 0.5) / w * 3.0 - 2.0
            cy = (row + 0.5) / h * 2.0 - 1.0
            q = (cx - 0.25) * (cx - 0.25) + cy * cy
            result = 0.0
            if q * (q + (cx - 0.25)) >= 0.25 * cy * cy:
                x = 0.0
                y = 0.0
                for i in range(most):
                    xx = x * x
                    yy = y * y
                    if xx + yy > 16.0:
                        result = i / most
                        break
                    y = 2.0 * x * y + cy
                    x = xx - yy + cx
            o[row, column] = result

    run.__annotations__ = {"o": ti.types.ndarray(), "w": ti.i32, "h": ti.i32, "most": ti.i32}
    made = ti.kernel(run)

    def work() -> AnyArray:
        o = np.empty((height, width), np.float32)
        made(o, width, height, limit)
        return o

    return work


def _halide_shader(width: int, height: int, limit: int) -> Work | None:
    """Halide's loops do not end early: each element goes through all rounds, eight elements at once."""
    if not _has("halide"):
        return None
    import halide as hl

    column, row, block, within = (hl.Var(name) for name in ("column", "row", "block", "within"))
    cx = (hl.f32(column) + 0.5) / float(width) * 3.0 - 2.0
    cy = (hl.f32(row) + 0.5) / float(height) * 2.0 - 1.0
    state, number = hl.Func("state"), hl.RDom([(0, limit)])
    state[column, row] = (hl.f32(0.0), hl.f32(0.0), hl.i32(-1))
    x, y, escaped = (state[column, row][i] for i in range(3))
    xx, yy = x * x, y * y
    now = hl.select((escaped < 0) & (xx + yy > 16.0), number.x, escaped)
    state[column, row] = (xx - yy + cx, 2.0 * x * y + cy, now)
    q = (cx - 0.25) * (cx - 0.25) + cy * cy
    inside = q * (q + (cx - 0.25)) < 0.25 * cy * cy
    result, last = hl.Func("result"), state[column, row][2]
    result[column, row] = hl.select(inside | (last < 0), hl.f32(0.0), hl.f32(last) / float(limit))
    result.split(column, block, within, 32).vectorize(within, 8).parallel(row)
    state.compute_at(result, block).vectorize(column, 8)
    state.update().reorder(column, number.x).vectorize(column, 8)
    return _with_output(_compiled_by_halide(hl, result), np.empty((height, width), np.float32))


# ---------------------------------------------------------------- scans


def scans() -> Iterator[Case]:
    x = np.random.default_rng(0).standard_normal(10_000_000).astype(np.float32)
    k = np.float32(0.01)
    yield Case(
        "low-pass scan, 10M Floats",
        kernel(
            "input x: Rows<Float>; param k: Float = 0.01; output result: Rows<Float>;",
            "scan over x with y = 0.0 { y + (sample(x) - y) * k }",
        ),
        {"x": x},
        only(C=_c_scan(x, k), numba=_numba_scan(x, k), scipy_lfilter=_scipy_scan(x, k)),
        {"C": 1 / 1.05, "scipy lfilter": 4},
        each=x.size,
        on_all_cores=(),
    )


def _c_scan(x: AnyArray, k: np.float32) -> Work | None:
    function = c_function(
        "void run(const float *restrict a, float *restrict o, long n, float k) { float y = 0;"
        " for (long i = 0; i < n; i++) { y = y + (a[i] - y) * k; o[i] = y; } }",
        "run",
    )
    if function is None:
        return None
    call = function

    def run(a: AnyArray, o: AnyArray) -> None:
        pointers = (ctypes.c_void_p(a.ctypes.data), ctypes.c_void_p(o.ctypes.data))
        call(*pointers, ctypes.c_long(a.size), ctypes.c_float(float(k)))

    return _with_output(run, x)


def _numba_scan(x: AnyArray, k: np.float32) -> Work | None:
    if not _has("numba"):
        return None
    import numba

    @numba.njit
    def run(a: Any, factor: Any) -> Any:
        o = np.empty_like(a)
        y = np.float32(0)
        for i in range(a.size):
            y = y + (a[i] - y) * factor
            o[i] = y
        return o

    return lambda: run(x, k)


def _scipy_scan(x: AnyArray, k: np.float32) -> Work | None:
    if not _has("scipy"):
        return None
    from scipy.signal import lfilter

    b, a = np.array([k]), np.array([1, k - np.float32(1)], np.float32)
    return lambda: lfilter(b, a, x)


def machines() -> Iterator[Case]:
    """Steps of a small machine as emulators take them: fetch, decode, registers and memory."""
    steps = 4_000_000
    rng = np.random.default_rng(3)
    ram, registers = rng.integers(0, 256, 4096).astype(np.int32), np.zeros(16, np.int32)
    body = """
    scan over clock with cpu = Cpu { pc: 512, index: 0 } {
      let high = at(ram, cpu.pc & 4095);
      let low = at(ram, (cpu.pc + 1) & 4095);
      let x = high & 15;
      let vx = at(v, x);
      let vy = at(v, low >> 4);
      let next = cpu.pc + 2;
      match high >> 4 {
        1 => Cpu { pc: ((x << 8) | low) & 4094, index: cpu.index },
        3 => Cpu { pc: next + select(vx == low, 2, 0), index: cpu.index },
        6 => { put(v, x, low); Cpu { pc: next, index: cpu.index } }
        7 => { put(v, x, (vx + low) & 255); Cpu { pc: next, index: cpu.index } }
        8 => {
          put(v, x, match low & 15 { 0 => vy, 1 => vx | vy, 2 => vx & vy, 3 => vx ^ vy, _ => (vx + vy) & 255 });
          Cpu { pc: next, index: cpu.index }
        }
        10 => Cpu { pc: next, index: (x << 8) | low },
        15 => { put(ram, 1024 + (cpu.index & 1023), vx); Cpu { pc: next, index: cpu.index } }
        _ => { put(v, x, at(ram, 1024 + (low & 1023))); Cpu { pc: next, index: cpu.index } }
      }
    }"""
    ports = "input clock: Rows<Int>; memory ram: Rows<Int>; memory v: Rows<Int>; output trace: Rows<Cpu>;"
    yield Case(
        "machine with memory (at most 10 ns)",
        kernel(ports, body, "struct Cpu { pc: Int; index: Int; }"),
        {"clock": np.zeros(steps, np.int32), "ram": ram, "v": registers},
        {},
        {},
        each=steps,
        on_all_cores=(),
    )


# ---------------------------------------------------------------- combining


def folds() -> Iterator[Case]:
    x = np.random.default_rng(0).standard_normal(1 << 24).astype(np.float32)
    yield Case(
        "reduction to a struct, 16M Floats",
        kernel(
            "input x: Rows<Float>; output result: Rows<S>;",
            "compute over x { let v = sample(x); S { sum: v, max: v, above: select(v > 0.5, 1, 0) } } "
            "merge(a, b) { S { sum: a.sum + b.sum, max: max(a.max, b.max), above: a.above + b.above } }",
            "struct S { sum: Float; max: Float; above: Int; }",
        ),
        {"x": x},
        only(
            numpy=lambda: np.array([x.sum(), x.max(), np.count_nonzero(x > 0.5)], np.float64),
            numba_prange=_numba_fold(x),
        ),
        {"numba prange": 1},
        tolerance=1e-1,
        result=lambda data: np.array([float(data[0][name]) for name in ("sum", "max", "above")]),
    )


def _numba_fold(x: AnyArray) -> Work | None:
    if not _has("numba"):
        return None
    import numba

    @numba.njit(parallel=True)
    def run(a: Any) -> Any:
        total = np.float32(0)
        most = np.float32(-np.inf)
        above = 0
        for i in numba.prange(a.size):
            total += a[i]
            most = max(most, a[i])
            above += 1 if a[i] > np.float32(0.5) else 0
        return total, most, above

    return lambda: np.array(run(x), np.float64)


def prefixes() -> Iterator[Case]:
    n = 1 << 24
    flags = np.random.default_rng(0).integers(0, 2, n).astype(np.int32)
    x = np.random.default_rng(0).standard_normal(n).astype(np.float32)
    yield Case(
        "prefix sum, 16M Ints",
        kernel("input x: Rows<Int>; output result: Rows<Int>;", "prefix over x with sum { sample(x) }"),
        {"x": flags},
        {"numpy cumsum": lambda: np.cumsum(flags, dtype=np.int32)},
        {"numpy cumsum": 1.5},
    )
    yield Case(
        "prefix max, 16M Floats",
        kernel("input x: Rows<Float>; output result: Rows<Float>;", "prefix over x with max { sample(x) }"),
        {"x": x},
        {"numpy accumulate": lambda: np.maximum.accumulate(x)},
        {"numpy accumulate": 4},
    )


def scatters() -> Iterator[Case]:
    n, cells = 1 << 22, 1 << 16
    rng = np.random.default_rng(0)
    places, weights = rng.integers(0, cells, n).astype(np.int32), rng.standard_normal(n).astype(np.float32)
    target = np.zeros(cells, np.float32)

    def by_numpy() -> AnyArray:
        result = target.copy()
        np.add.at(result, places, weights)
        return result

    yield Case(
        "scatter sum, 4M Floats to 65,536",
        kernel(
            "input i: Rows<Int>; input w: Rows<Float>; input t: Rows<Float>; output result: Rows<Float>;",
            "scatter over i into t with sum { P { at: sample(i), value: sample(w) } }",
            "struct P { at: Int; value: Float; }",
        ),
        {"i": places, "w": weights, "t": target},
        {"numpy add.at": by_numpy},
        {"numpy add.at": 2},
        tolerance=0,
        on_all_cores=(),
    )


FFT = """
const STEPS: Int = 6;
fn twiddle(k: Int, half: Int) -> Vec2 {
  let a = -3.14159265 * float(k) / float(half);
  return vec2(cos(a), sin(a));
}
"""


def groups() -> Iterator[Case]:
    n = 1 << 20
    rng = np.random.default_rng(0)
    x = rng.standard_normal((n, 2)).astype(np.float32)
    body = """
    group 64 {
      let reversed = reverse_bits(lane()) >>> 26;
      var v = exchange(sample(x), reversed);
      for step in 0..6 {
        let half = 1 << step;
        let other = exchange(v, lane() ^ half);
        let w = at(roots, (lane() & (half - 1)) << (5 - step));
        let upper = (lane() & half) != 0;
        let a = select(upper, other, v);
        let b = select(upper, v, other);
        let t = vec2(b.x * w.x - b.y * w.y, b.x * w.y + b.y * w.x);
        v = select(upper, a - t, a + t);
      }
      return v;
    }"""
    angles = -2 * np.pi * np.arange(32) / 64
    roots = np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)
    yield Case(
        "FFT in groups of 64, 1M elements",
        kernel("input x: Rows<Vec2>; input roots: Rows<Vec2>; output result: Rows<Vec2>;", body),
        {"x": x, "roots": roots},
        only(scipy_fft=_scipy_fft(x)),
        {"scipy fft": 0.3},
        tolerance=1e-3,
    )


def _scipy_fft(x: AnyArray) -> Work | None:
    if not _has("scipy"):
        return None
    import scipy.fft

    complex_rows = x.view(np.complex64).reshape(-1, 64)
    return lambda: scipy.fft.fft(complex_rows, axis=1).view(np.float32).reshape(-1, 2)


# ---------------------------------------------------------------- starting


SIXTY_LINES = """
const STEPS: Int = 24;

struct Ray { origin: Vec3; direction: Vec3; }
struct Hit { t: Float; normal: Vec3; color: Vec3; }

fn sphere(r: Ray, center: Vec3, radius: Float, color: Vec3) -> Hit {
  let oc = r.origin - center;
  let b = dot(oc, r.direction);
  let c = dot(oc, oc) - radius * radius;
  let d = b * b - c;
  if d < 0.0 { return Hit { t: -1.0, normal: vec3(0.0), color: color }; }
  let t = -b - sqrt(d);
  return Hit { t: t, normal: normalize(oc + r.direction * t), color: color };
}

fn nearer(a: Hit, b: Hit) -> Hit {
  if a.t < 0.0 { return b; }
  if b.t < 0.0 { return a; }
  return if a.t < b.t { a } else { b };
}

fn fog(distance: Float, density: Float) -> Float {
  return 1.0 - exp(-distance * density);
}

fn noise(p: Vec2) -> Float {
  let i = hash(int(floor(p.x)) * 131 + int(floor(p.y)));
  return random(i);
}

kernel bench.render@1 {
  requires { field.write; }
  param light: Vec3 = vec3(0.5, 0.7, -0.5);
  param density: Float = 0.05 in 0.0..1.0;
  param time: Float = 0.0;
  output picture: Image;

  fn world(r: Ray) -> Hit {
    var best = Hit { t: -1.0, normal: vec3(0.0), color: vec3(0.0) };
    for i in 0..STEPS {
      let angle = float(i) * 0.7 + time;
      let center = vec3(sin(angle) * 3.0, cos(angle * 1.3) * 2.0, 6.0 + float(i % 5));
      let color = vec3(random(i), random(i + 100), random(i + 200));
      best = nearer(best, sphere(r, center, 0.6 + 0.3 * random(i + 300), color));
    }
    return best;
  }

  compute {
    let p = place() * 2.0 - 1.0;
    let ray = Ray { origin: vec3(0.0), direction: normalize(vec3(p.x, p.y, 1.5)) };
    let hit = world(ray);
    let sky = mix(vec3(0.1, 0.1, 0.2), vec3(0.5, 0.7, 1.0), 0.5 * (p.y + 1.0));
    if hit.t < 0.0 { return vec4(sky + noise(coord()) * 0.01, 1.0); }
    let shade = max(dot(hit.normal, normalize(light)), 0.0);
    let lit = hit.color * (0.2 + 0.8 * shade) + pow(shade, 32.0);
    return vec4(mix(lit, sky, fog(hit.t, density)), 1.0);
  }
}
"""

START = """
import sys, time
from kcheck.checker import check_text
from kcheck.runtime.binding import bind
from kcheck.runtime.jit import Jit
[program] = check_text(sys.stdin.read()).programs.values()
jit, launch = Jit(), bind(program, {}, [4, 4])
start = time.process_time()
outcome = jit.run(launch)
first = time.process_time()
jit.run(launch)
print(outcome.compile_seconds, first - start - (time.process_time() - first))
"""


def starting() -> Iterator[str]:
    """How long it takes to compile, to load what was compiled, and to call."""
    edited = SIXTY_LINES.replace("STEPS: Int = 24", "STEPS: Int = 25")
    first, again, kept = [], [], []
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | {"XDG_CACHE_HOME": folder}
        _start(SIXTY_LINES, environment)  # for the parser, which is made once
        for _ in range(FEWEST_ROUNDS):
            shutil.rmtree(Path(folder, "kcheck", "jit"))
            first.append(_start(SIXTY_LINES, environment))
            again.append(_start(edited, environment))
            kept.append(_start(edited, environment))
    lines = SIXTY_LINES.strip().count("\n") + 1
    yield f"compiling a kernel of {lines} lines, in a new process: {statistics.median(again) * 1e3:.0f} ms, wanted 150"
    yield f"where no kernel needed its built-ins before: {statistics.median(first) * 1e3:.0f} ms"
    yield f"the same from the cache folder: {statistics.median(kept) * 1e3:.1f} ms, wanted 5"
    launch, jit = (
        _bound(
            kernel("input x: Rows<Float>; output result: Rows<Float>;", "compute { sample(x) * 2.0 }"),
            {"x": np.ones(16, np.float32)},
        ),
        Jit(),
    )
    calls: dict[str, Work] = {"jit": lambda: [jit.run(launch) for _ in range(100)]}
    [seconds] = least_cpu_times(calls, ()) if BUSY in sys.argv else median_times(list(calls.values()))
    yield f"a call with ready arguments: {seconds / 100 * 1e6:.0f} us, wanted 30"


def _start(source: str, environment: Mapping[str, str]) -> float:
    done = subprocess.run(
        [sys.executable, "-c", START], input=source, env=environment, capture_output=True, text=True, check=True
    )
    wall, cpu = map(float, done.stdout.split())
    return cpu if BUSY in sys.argv else wall


CASES: dict[str, Callable[[], Iterator[Case]]] = {
    "maps": maps,
    "elementary": elementary,
    "shaders": shaders,
    "scans": scans,
    "machines": machines,
    "folds": folds,
    "prefixes": prefixes,
    "scatters": scatters,
    "groups": groups,
}

if __name__ == "__main__":
    main()
