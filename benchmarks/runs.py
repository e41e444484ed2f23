"""What runs for an editor cost: a slider that is dragged, a picture of 4096 x 4096, and being cancelled.

    python benchmarks/runs.py

Frames are quick runs, one after the other, from the request to the text that would be sent.  CPU time is that of the
server and of the process that runs kernels; on a machine with nothing else to do the clock shows little more.
"""

from __future__ import annotations

import asyncio
import json
import os
import statistics
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from kcheck.checker import check_text
from kcheck.lsp.runs import Limits, Runner, RunRequest

FRAMES = 100
CANCELLED = 10
PATH = Path("bench.kernel").absolute()

SOURCE = """\
kernel bench.colours@1 {
  requires { field.write; }
  param k: Float = 0.5 in 0.0..1.0;
  output result: Image;
  compute { let p = place(); return vec4(p.x, p.y * k, fract(p.x * 8.0 * k), 1.0); }
}
kernel bench.heights@1 {
  requires { field.write; }
  param k: Float = 0.5 in 0.0..1.0;
  output result: Grid<Float>;
  compute { let p = place(); return sin(p.x * 20.0 * k) + p.y; }
}
kernel bench.photo@1 {
  requires { field.read; field.write; }
  input source: Image;
  param k: Float = 0.5 in 0.0..1.0;
  output result: Image;
  compute { let p = sample(source); return vec4(saturate(p.rgb * k), p.a); }
}
kernel bench.long@1 {
  requires { field.read; field.write; }
  input x: Rows<Float>;
  output result: Rows<Float>;
  scan over x with y = 0.0 {
    var s = y;
    for i in 0..1000000000 { s = s * 1.0000001 + sample(x); }
    return s;
  }
}
"""


async def main() -> None:
    programs = check_text(SOURCE, str(PATH)).programs
    runner = Runner(Limits())

    def request(name: str, **options: Any) -> RunRequest:
        return RunRequest(path=PATH, program=programs[f"bench.{name}@1"], **options)

    print("quick runs of 512 x 512, per frame")
    await slider(runner, "colours", request("colours", domain=(512, 512)))
    await slider(runner, "heights", request("heights", domain=(512, 512)))
    await slider(runner, "photo", request("photo", texts={"source": "random((512, 512), seed=1)"}))
    print("runs of 4096 x 4096")
    for name in ("colours", "heights"):
        await large(runner, name, request(name, domain=(4096, 4096)))
        await large(runner, f"{name}, again", request(name, domain=(4096, 4096), params={"k": 0.25}))
    await cancel(runner, request("long", texts={"x": "zeros(1000000)"}), request("heights", domain=(8, 8)))
    await runner.close()


async def slider(runner: Runner, name: str, request: RunRequest) -> None:
    await runner.run(request)
    times = []
    start = cpu_seconds(runner)
    for i in range(FRAMES):
        begin = time.perf_counter()
        await sent(runner, replace(request, params={"k": i / FRAMES}, quick=True))
        times.append(time.perf_counter() - begin)
    server, runs = (1e3 * (now - then) / FRAMES for now, then in zip(cpu_seconds(runner), start, strict=True))
    clock = statistics.median(times)
    print(
        f"  {name:16} {clock * 1e3:6.1f} ms on the clock, {1 / clock:4.0f} a second; CPU {server:.1f} + {runs:.1f} ms"
    )


async def large(runner: Runner, name: str, request: RunRequest) -> None:
    before = cpu_seconds(runner)
    begin = time.perf_counter()
    size = await sent(runner, request)
    clock = time.perf_counter() - begin
    server, runs = (now - then for now, then in zip(cpu_seconds(runner), before, strict=True))
    print(f"  {name:16} {clock:6.2f} s on the clock; CPU {server:.2f} + {runs:.2f} s; {size / 1e6:.2f} MB sent")


async def cancel(runner: Runner, long: RunRequest, other: RunRequest) -> None:
    """How long after a run is cancelled the next one has its result."""
    times = []
    for _ in range(CANCELLED):
        task = asyncio.create_task(runner.run(long))
        await asyncio.sleep(0.2)
        begin = time.perf_counter()
        task.cancel()
        await runner.run(other)
        times.append(time.perf_counter() - begin)
    print(f"from cancelling a run to the result of another: at most {max(times) * 1e3:.0f} ms")


async def sent(runner: Runner, request: RunRequest) -> int:
    """Run, and write what would be sent; answers its size."""
    result = await runner.run(request)
    assert result.error is None, result.error.message
    return len(json.dumps(result.to_json(lambda _: None)).encode())


def cpu_seconds(runner: Runner) -> tuple[float, float]:
    """The CPU time of this process, and of the one that runs kernels (on Linux)."""
    fields = Path(f"/proc/{runner.pid}/stat").read_text().rpartition(")")[2].split() if runner.pid else [0] * 13
    return time.process_time(), (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    asyncio.run(main())
