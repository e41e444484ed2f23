"""How fast kernels run on the device, beside PyTorch on the same one where that is installed.

    python benchmarks/gpu.py             # sizes for a real device
    python benchmarks/gpu.py --small     # for one that runs on the processor

Fields lie on the device; what is timed is the work alone, repeated so often that starting it does not count.  A device
that was idle runs at a lower clock for up to a second, so each kernel runs for a while before it is timed.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kcheck.checker import check_text
from kcheck.runtime.backend import never, silent
from kcheck.runtime.binding import bind
from kcheck.runtime.gpu import backend
from kcheck.runtime.gpu.device import Device, Dispatch
from kcheck.runtime.gpu.driver import best_adapter

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
PREFIX = """
kernel bench.prefix@1 {
  requires { field.read; field.write; }
  input a: Rows<TYPE>;
  output result: Rows<TYPE>;
  prefix over a with OP { return sample(a); }
}
"""
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
    """A device that can run again what it ran."""

    def __init__(self) -> None:
        super().__init__(best_adapter())
        self.recorded: list[Dispatch] = []

    def run(self, dispatches: Sequence[Dispatch]) -> None:
        self.recorded += dispatches
        super().run(dispatches)

    def seconds(self, times: int) -> float:
        """The time of running all that was recorded so often."""
        bound = [self.bound(dispatch) for dispatch in self.recorded]
        begun = {d.buffers["state"].handle for d in self.recorded if "state" in d.buffers}
        encoder = self.handle.create_command_encoder()
        for _ in range(times):
            for state in begun:  # or a scan would go on where it has ended
                encoder.clear_buffer(state)
            work = encoder.begin_compute_pass()
            for pipeline, group, grid in bound:
                work.set_pipeline(pipeline)
                work.set_bind_group(0, group)
                work.dispatch_workgroups(*grid)
            work.end()
        commands = encoder.finish()
        self.wait()
        start = time.perf_counter()
        self.handle.queue.submit([commands])
        self.wait()
        return time.perf_counter() - start

    def wait(self) -> None:
        self.download(self.recorded[-1].buffers[self.recorded[-1].stage.buffers[-1][0]], 1)


@dataclass(frozen=True)
class Row:
    """A measured kernel; `moved` are the bytes that the work has to read and write at least."""

    name: str
    source: str
    values: dict[str, np.ndarray]
    moved: int
    other: Callable[[Any, dict[str, Any]], Callable[[], Any]] | None = None
    other_name: str = ""


def measured(recorder: Recorder, row: Row) -> float:
    """Seconds a run."""
    [program] = check_text(row.source, "bench.kernel").programs.values()
    launch = bind(program, row.values)
    recorder.recorded.clear()
    compiled = backend._compiled(program, backend._open().traits, frozenset())
    backend._run(recorder, compiled, launch, never, silent)
    once = recorder.seconds(1)
    times = max(1, min(200, int(0.2 / once)))
    end = time.perf_counter() + 0.6
    while time.perf_counter() < end:
        recorder.seconds(times)
    return min(recorder.seconds(times) for _ in range(3)) / times


def measured_torch(torch: Any, row: Row) -> float:
    assert row.other is not None
    work = row.other(torch, {name: torch.from_numpy(value.view()).cuda() for name, value in row.values.items()})
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    work()
    torch.cuda.synchronize()
    until = time.perf_counter() + 0.3
    while time.perf_counter() < until:
        work()
        torch.cuda.synchronize()
    begin.record()
    for _ in range(5):
        work()
    end.record()
    torch.cuda.synchronize()
    return float(begin.elapsed_time(end)) / 5000


def rows(exponent: int) -> list[Row]:
    count = 1 << exponent
    fewer = count >> 2
    chance = np.random.default_rng(1)
    ints = chance.integers(0, 1 << 20, count, np.int32)
    floats = (ints[::-1] & 0xFFFF).astype(np.float32) * np.float32(2.0**-16)
    bodies = floats.view(np.dtype([(name, np.float32) for name in ("x", "y", "vx", "vy")]))
    found = [
        Row("map, x * 1.5 + 0.25", MAP, {"a": floats}, 8 * count, _copy, "copy"),
        Row("map of structs of four Floats", STRUCTS, {"a": bodies}, 8 * count),
        Row("map, 1,000 operations an element", HEAVY, {"a": floats[:fewer]}, 8 * fewer),
        Row("sum of Floats", SUM, {"a": floats}, 4 * count, lambda t, v: v["a"].sum, "sum"),
        Row(
            "place of the largest, and a count",
            PEAK,
            {"a": floats},
            4 * count,
            lambda t, v: v["a"].max,
            "max",
        ),
        Row(
            "prefix, sum of Ints",
            PREFIX.replace("TYPE", "Int").replace("OP", "sum"),
            {"a": ints},
            8 * count,
            _cumsum,
            "cumsum",
        ),
        Row("prefix, largest Float", PREFIX.replace("TYPE", "Float").replace("OP", "max"), {"a": floats}, 8 * count),
        Row("scan of Floats", SCAN, {"a": floats[: 1 << 20]}, 8 << 20),
    ]
    for cells in (256, 65_536, 1 << 20):
        keys = (ints & (cells - 1)).astype(np.int32)
        target = np.zeros(cells, np.int32)
        name = f"scatter, count into {cells:,} cells"
        found.append(Row(name, COUNT, {"a": keys, "target": target}, 4 * count, _bincount(cells), "bincount"))
        values = {"a": keys[:fewer], "values": floats[:fewer], "target": target.astype(np.float32)}
        name = f"scatter, sum of Floats in order, {cells:,} cells"
        found.append(Row(name, ORDERED, values, 8 * fewer, _index_add, "index_add, deterministic"))
    return found


def _copy(torch: Any, values: dict[str, Any]) -> Callable[[], Any]:
    room = torch.empty_like(values["a"])
    return lambda: room.copy_(values["a"])


def _cumsum(torch: Any, values: dict[str, Any]) -> Callable[[], Any]:
    return lambda: torch.cumsum(values["a"], 0, dtype=torch.int32)


def _bincount(cells: int) -> Callable[[Any, dict[str, Any]], Callable[[], Any]]:
    return lambda torch, values: lambda: torch.bincount(values["a"], minlength=cells)


def _index_add(torch: Any, values: dict[str, Any]) -> Callable[[], Any]:
    torch.use_deterministic_algorithms(True)
    room, keys = values["target"].clone(), values["a"].long()
    return lambda: room.index_add_(0, keys, values["values"])


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
    print(f"{'':45} {'ms':>9} {'GB/s':>7}   PyTorch: ms")
    for row in rows(18 if small else 28):
        seconds = measured(recorder, row)
        line = f"{row.name:45} {seconds * 1e3:9.3f} {row.moved / seconds / 1e9:7.0f}"
        if torch is not None and row.other is not None:
            theirs = measured_torch(torch, row)
            line += f"   {theirs * 1e3:.3f} ({row.other_name}; {theirs / seconds:.2f} times ours)"
            torch.cuda.empty_cache()
        print(line, flush=True)


if __name__ == "__main__":
    main()
