"""How fast kernels run on the device, beside PyTorch and CuPy on the same one where they are installed.

    python benchmarks/gpu.py             # sizes for a real device
    python benchmarks/gpu.py --small     # for one that runs on the processor

Fields lie on the device; what is timed is the work alone, repeated so often that starting it does not count.  A device
that was idle runs at a lower clock for up to a second, so each kernel runs for a while before it is timed.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from kcheck.checker import check_text
from kcheck.runtime.backend import never, silent
from kcheck.runtime.binding import bind
from kcheck.runtime.gpu import backend
from kcheck.runtime.gpu.device import Device, Dispatch
from kcheck.runtime.gpu.driver import best_adapter
from kcheck.runtime.gpu.memory import Buffer

MAP = """
kernel bench.map@1 {
  requires { field.read; field.write; }
  input a: Rows<Float>;
  output result: Rows<Float>;
  compute { return sample(a) * 1.5 + 0.25; }
}
"""
STRUCTS = """
struct Body { x: Float; y: Float; vx: Float; vy: Float; }
kernel bench.structs@1 {
  requires { field.read; field.write; }
  input a: Rows<Body>;
  param dt: Float = 0.01;
  output result: Rows<Body>;
  compute {
    let b = sample(a);
    return Body { x: b.x + b.vx * dt, y: b.y + b.vy * dt, vx: b.vx, vy: b.vy };
  }
}
"""
HEAVY = """
kernel bench.heavy@1 {
  requires { field.read; field.write; }
  input a: Rows<Float>;
  output result: Rows<Float>;
  compute {
    let c = sample(a);
    var x = c;
    for i in 0..200 { x = x * x * 0.5 + c * 0.25 - x * 0.125; }
    return x;
  }
}
"""
SUM = """
kernel bench.sum@1 {
  requires { field.read; field.write; }
  input a: Rows<Float>;
  output result: Rows<Float>;
  compute over a { return sample(a); }
  merge(a, b) { return a + b; }
}
"""
PEAK = """
struct Peak { place: Int; value: Float; count: Int; }
kernel bench.peak@1 {
  requires { field.read; field.write; }
  input a: Rows<Float>;
  output result: Rows<Peak>;
  compute over a { return Peak { place: index(), value: sample(a), count: int(sample(a) > 0.5) }; }
  merge(a, b) {
    let first = a.value > b.value || (a.value == b.value && a.place < b.place);
    return Peak {
      place: select(first, a.place, b.place), value: select(first, a.value, b.value), count: a.count + b.count,
    };
  }
}
"""
TOTALS = """
struct Totals { sum: Float; most: Float; count: Int; }
kernel bench.totals@1 {
  requires { field.read; field.write; }
  input a: Rows<Float>;
  output result: Rows<Totals>;
  compute over a { return Totals { sum: sample(a), most: sample(a), count: int(sample(a) > 0.5) }; }
  merge(a, b) { return Totals { sum: a.sum + b.sum, most: max(a.most, b.most), count: a.count + b.count }; }
}
"""
PREFIX = """
kernel bench.prefix@1 {
  requires { field.read; field.write; }
  input a: Rows<TYPE>;
  output result: Rows<TYPE>;
  prefix over a with OP { return sample(a); }
}
"""
PAIR = "struct Pair { x: Int; y: Int; }"
COUNT = """
struct Hit { slot: Int; value: Int; }
kernel bench.count@1 {
  requires { field.read; field.write; }
  input a: Rows<Int>;
  input target: Rows<Int>;
  output result: Rows<Int>;
  scatter over a into target with sum { return Hit { slot: sample(a), value: 1 }; }
}
"""
ORDERED = """
struct Hit { slot: Int; value: Float; }
kernel bench.ordered@1 {
  requires { field.read; field.write; }
  input a: Rows<Int>;
  input values: Rows<Float>;
  input target: Rows<Float>;
  output result: Rows<Float>;
  scatter over a into target with sum { return Hit { slot: sample(a), value: sample(values) }; }
}
"""
SCAN = """
kernel bench.scan@1 {
  requires { field.read; field.write; }
  input a: Rows<Float>;
  output result: Rows<Float>;
  scan over a with y = 0.0 { return y + (sample(a) - y) * 0.125; }
}
"""


class Recorder(Device):
    """A device that can do again what it did since `recorded` was cleared, but for what was read back in between."""

    def __init__(self) -> None:
        super().__init__(best_adapter())
        self.recorded: list[Callable[[], None]] = []

    def buffer(self, words: int) -> Buffer:
        made = super().buffer(words)
        self.recorded.append(lambda: self._commands.clear(made.handle))
        return made

    def copy(self, source: Buffer, destination: Buffer) -> None:
        super().copy(source, destination)
        self.recorded.append(partial(super().copy, source, destination))

    def run(self, dispatches: Sequence[Dispatch]) -> None:
        super().run(dispatches)
        self.recorded.append(partial(super().run, dispatches))

    def seconds(self, times: int) -> float:
        """The time of doing all that was recorded so often."""
        for _ in range(times):
            for action in self.recorded:
                action()
        last = self.room(1)
        start = time.perf_counter()
        self.submit()
        self.download(last)
        return time.perf_counter() - start


Work = Callable[[], object]

Others = Mapping[str, Callable[[Any, dict[str, Any]], Work]]
"""What else does the same: by its name, what makes the work from PyTorch and its arrays on the device."""


@dataclass(frozen=True)
class Row:
    """A measured kernel; `moved` are the bytes that the work has to read and write at least."""

    name: str
    source: str
    values: dict[str, np.ndarray]
    moved: int
    others: Others = field(default_factory=dict)
    fast: bool = False
    """Whether to measure it with the driver's own arithmetic, too."""


def measured(recorder: Recorder, row: Row, warm: float, *, fast: bool = False) -> float:
    """Seconds a run, after so many seconds of doing it."""
    [program] = check_text(row.source, "bench.kernel").programs.values()
    launch = bind(program, row.values)
    compiled = backend._compiled(program, backend._open().traits, frozenset(), fast=fast)
    recorder.recorded.clear()
    backend._run(recorder, compiled, launch, never, silent)
    once = recorder.seconds(1)
    times = max(1, min(200, int(warm / 4 / once)))
    end = time.perf_counter() + warm
    while time.perf_counter() < end:
        recorder.seconds(times)
    return min(recorder.seconds(times) for _ in range(5)) / times


def measured_other(torch: Any, work: Work, warm: float) -> float:
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    until = time.perf_counter() + warm
    while True:
        begin.record()
        for _ in range(5):
            work()
        end.record()
        torch.cuda.synchronize()
        if time.perf_counter() > until:
            return float(begin.elapsed_time(end)) / 5000


def rows(exponent: int) -> Iterator[Row]:
    count = 1 << exponent
    chance = np.random.default_rng(1)
    ints = chance.integers(0, 1 << 20, count, np.int32)
    floats = (ints[::-1] & 0xFFFF).astype(np.float32) * np.float32(2.0**-16)
    bodies = floats.view(np.dtype([(name, np.float32) for name in ("x", "y", "vx", "vy")]))
    fewer, odd = count >> 2, count - 12_345
    yield Row("map, x * 1.5 + 0.25", MAP, {"a": floats}, 8 * count, {"copy": _copy}, fast=True)
    yield Row("map of structs of four Floats", STRUCTS, {"a": bodies}, 8 * count)
    yield Row("map, 1,000 operations an element", HEAVY, {"a": floats[:fewer]}, 8 * fewer, fast=True)
    yield Row("sum of Floats", SUM, {"a": floats}, 4 * count, SUMS, fast=True)
    yield Row("the same, 12,345 fewer", SUM, {"a": floats[:odd]}, 4 * odd)
    yield Row(
        "place of the largest, and a count", PEAK, {"a": floats}, 4 * count, {"max alone": lambda _, v: v["a"].max}
    )
    yield Row("sum of Floats, the largest, and a count", TOTALS, {"a": floats}, 4 * count)
    yield Row("prefix, sum of Ints", _prefix("Int", "sum"), {"a": ints}, 8 * count, {"cumsum": _cumsum})
    yield Row("the same, 12,345 fewer", _prefix("Int", "sum"), {"a": ints[:odd]}, 8 * odd)
    yield Row("prefix, largest Float", _prefix("Float", "max"), {"a": floats}, 8 * count)
    pairs = ints.view(np.dtype([("x", np.int32), ("y", np.int32)]))
    yield Row("prefix, sum of structs of two Ints", PAIR + _prefix("Pair", "sum"), {"a": pairs}, 8 * count)
    yield Row("scan of Floats", SCAN, {"a": floats[: 1 << 20]}, 8 * min(count, 1 << 20))
    del bodies, pairs
    for cells in (256, 65_536, 1 << 20):
        keys = ints & np.int32(cells - 1)
        values = {"a": keys, "target": np.zeros(cells, np.int32)}
        yield Row(f"count into {cells:,} cells", COUNT, values, 4 * count, {"bincount": _bincount(cells)})
    rounded = chance.random(fewer, np.float32)
    for cells in (256, 65_536, 1 << 20):
        keys, target = ints[:fewer] & np.int32(cells - 1), np.zeros(cells, np.float32)
        for name, weights in (("Floats", rounded), ("Floats that are whole", np.float32(1) + (keys & 3))):
            values = {"a": keys, "values": weights.astype(np.float32, copy=False), "target": target}
            yield Row(f"sum of {name} into {cells:,} cells", ORDERED, values, 8 * fewer, {"index_add": _index_add})
    fewer >>= 4
    keys = np.where(chance.random(fewer, np.float32) < 0.99, 77, ints[:fewer] & 0xFFFF).astype(np.int32)
    values = {"a": keys, "values": rounded[:fewer], "target": np.zeros(1 << 16, np.float32)}
    yield Row("sum of Floats, 99 % into one cell", ORDERED, values, 8 * fewer, {"index_add": _index_add})


def _prefix(type_: str, op: str) -> str:
    return PREFIX.replace("TYPE", type_).replace("OP", op)


def _copy(torch: Any, values: dict[str, Any]) -> Work:
    room = torch.empty_like(values["a"])
    return lambda: room.copy_(values["a"])


def _cupy_sum(_: Any, values: dict[str, Any]) -> Work:
    import cupy

    array = cupy.from_dlpack(values["a"])
    return lambda: cupy.sum(array)


SUMS: Others = {"sum": lambda _, values: values["a"].sum, "CuPy": _cupy_sum}


def _cumsum(torch: Any, values: dict[str, Any]) -> Work:
    return lambda: torch.cumsum(values["a"], 0, dtype=torch.int32)


def _bincount(cells: int) -> Callable[[Any, dict[str, Any]], Work]:
    return lambda torch, values: lambda: torch.bincount(values["a"], minlength=cells)


def _index_add(torch: Any, values: dict[str, Any]) -> Work:
    torch.use_deterministic_algorithms(True)
    room, keys = values["target"].clone(), values["a"].long()
    return lambda: room.index_add_(0, keys, values["values"])


def _line(recorder: Recorder, torch: Any, row: Row, warm: float) -> str:
    """What was measured of a row, and how many times as long the others took."""
    seconds = measured(recorder, row, warm)
    line = f"{row.name:45} {seconds * 1e3:9.3f} {row.moved / seconds / 1e9:7.0f}"
    if row.fast:
        line += f"   fast: {measured(recorder, row, warm, fast=True) * 1e3:.3f}"
    if torch is None:
        return line
    arrays = {name: torch.from_numpy(value.view()).cuda() for name, value in row.values.items()} if row.others else {}
    for name, other in row.others.items():
        try:
            theirs = measured_other(torch, other(torch, arrays), warm)
        except ImportError:
            continue
        line += f"   {name}: {theirs * 1e3:.3f}, {theirs / seconds:.2f} times"
    return line


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--small", action="store_true", help="2^18 elements instead of 2^28")
    small = parser.parse_args().small
    try:
        import torch
    except ImportError:
        torch = None
    if torch is not None and not torch.cuda.is_available():
        torch = None
    recorder = Recorder()
    print(f"{recorder.adapter.name}, {recorder.adapter.driver}; {backend._open().traits}")
    print(f"{'':45} {'ms':>9} {'GB/s':>7}   others: ms")
    for row in rows(18 if small else 28):
        print(_line(recorder, torch, row, 0.02 if small else 0.4), flush=True)
        if torch is not None:
            torch.cuda.empty_cache()


if __name__ == "__main__":
    main()
