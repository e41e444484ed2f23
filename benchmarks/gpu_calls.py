"""What a call on the device costs around the work: starting it, waiting for it, and bringing data there and back.

    python benchmarks/gpu_calls.py             # transfers of 256 MiB
    python benchmarks/gpu_calls.py --small     # of 16 MiB, for a device that runs on the processor

Times are the least of several rounds: on the clock, and for calls the CPU time of the calling thread besides.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np

import kcheck
from kcheck.checker import check_text
from kcheck.runtime.gpu import backend

TEXT = """
kernel bench.more@1 {
  requires { field.read; field.write; }
  input a: Rows<Float>;
  param k: Float = 1.5;
  output result: Rows<Float>;
  compute { return sample(a) * k + 0.25; }
}
kernel bench.total@1 {
  requires { field.read; field.write; }
  input a: Rows<Float>;
  output result: Rows<Float>;
  compute over a { return sample(a); }
  merge(a, b) { return a + b; }
}
"""


def timed(work: Callable[[], object], times: int, rounds: int = 7) -> tuple[float, float]:
    """Seconds a call on the clock, and of the calling thread's CPU time."""
    found = []
    for _ in range(rounds):
        clock, cpu = time.perf_counter(), time.thread_time()
        for _ in range(times):
            work()
        found.append(((time.perf_counter() - clock) / times, (time.thread_time() - cpu) / times))
    return min(clock for clock, _ in found), min(cpu for _, cpu in found)


def calls() -> None:
    module = kcheck.loads(TEXT)
    more, total = module["bench.more"], module["bench.total"]
    array = kcheck.device(np.arange(1024, dtype=np.float32))
    here = np.arange(1024, dtype=np.float32)

    def waited() -> None:
        more(a=array, backend="gpu").result.wait()

    work: list[tuple[str, Callable[[], object]]] = [
        ("call on 4 KiB that lie there, not waited for", lambda: more(a=array, backend="gpu")),
        ("the same, waited for", waited),
        ("the same, its result read", lambda: np.asarray(more(a=array, backend="gpu").result)),
        (
            "two calls, the sum of the first read",
            lambda: float(total(a=more(a=array, backend="gpu").result, backend="gpu").result[0]),
        ),
        ("call on 4 KiB that lie here", lambda: more(a=here, backend="gpu").result),
    ]
    for name, one in work:
        one()
        clock, cpu = timed(one, 200)
        print(f"{name:50} {clock * 1e6:8.0f} us, {cpu * 1e6:6.0f} us of CPU", flush=True)


def first_calls() -> None:
    """New kernels on a device that is open: shaders are written and compiled."""
    array = kcheck.device(np.arange(1024, dtype=np.float32))
    took = []
    for i in range(5):
        [program] = check_text(TEXT.replace("0.25", f"0.{i + 30}").partition("kernel bench.total")[0]).programs.values()
        kernel = kcheck.Kernel(program)
        start = time.perf_counter()
        np.asarray(kernel(a=array, backend="gpu").result)
        took.append(time.perf_counter() - start)
    print(f"{'first call of a new kernel':50} {min(took) * 1e3:8.1f} to {max(took) * 1e3:.1f} ms", flush=True)


def transfers(mebibytes: int) -> None:
    device = backend._open().device
    words = np.arange(mebibytes << 18, dtype=np.uint32)
    buffer = device.upload(words)

    def up() -> None:
        nonlocal buffer
        del buffer
        buffer = device.upload(words)
        device.download(buffer, 1)

    with device.lock:
        clock, _ = timed(up, 1)
        print(f"{f'{mebibytes} MiB to the device':50} {clock * 1e3:8.1f} ms", flush=True)
        clock, _ = timed(lambda: device.download(buffer), 1)
        print(f"{f'{mebibytes} MiB back':50} {clock * 1e3:8.1f} ms", flush=True)
    try:
        import torch
    except ImportError:
        return
    if not torch.cuda.is_available():
        return
    pinned = torch.empty(mebibytes << 18, dtype=torch.int32, pin_memory=True)
    there = torch.empty(mebibytes << 18, dtype=torch.int32, device="cuda")
    for name, one in (("to the device", lambda: there.copy_(pinned)), ("back", lambda: pinned.copy_(there))):
        one()

        def waited(one: Callable[[], object] = one) -> None:
            one()
            torch.cuda.synchronize()

        print(f"{f'{mebibytes} MiB {name}, PyTorch, pinned':50} {timed(waited, 1)[0] * 1e3:8.1f} ms", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--small", action="store_true", help="transfers of 16 MiB instead of 256")
    small = parser.parse_args().small
    start = time.perf_counter()
    opened = backend._open()
    adapter = opened.device.adapter
    print(f"{adapter.name}, {adapter.driver}; opened in {time.perf_counter() - start:.2f} s; {opened.traits}")
    calls()
    first_calls()
    transfers(16 if small else 256)


if __name__ == "__main__":
    main()
