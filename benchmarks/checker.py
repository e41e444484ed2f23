"""What checking costs, without the laws of merges: part by part, for growing kernels, for edits, and for a folder.

    python benchmarks/checker.py

Times are CPU time of this process, the best of several; nothing is remembered from one round to the next but what
is said.  For the folder it is the time on the clock.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from random import Random

from kcheck.checker import check_text, uniformity
from kcheck.checker.memo import Memo
from kcheck.checker.ranges import analysis as ranges
from kcheck.checker.settings import settled
from kcheck.grammar import parser

ROUNDS = 15
SIZES = (100, 200, 400, 800, 1600)
KERNELS = 50
EDITS = 100
FILES = 500
PATH = "bench.kernel"

HEAD = """\
/// Smooths a line and keeps what stands out, in groups of 64.
kernel bench.smooth@1 {
  requires { field.read; field.write; }
  input line: Rows<Vec3>;
  input weights: Rows<Float>;
  param strength: Float = 0.5 in 0.0..1.0;
  output result: Rows<Vec3>;

  struct Found { at: Int; value: Vec3; clear: Bool; }
  enum Kind { None; Edge { height: Float; } Spike { height: Float; width: Int; } }

"""

PART = """\
  /// Step {0}: looks at both neighbours.
  fn look{0}(i: Int, value: Vec3, limit: Float) -> Found {{
    var best = Found {{ at: i, value: value, clear: false }};
    for offset in -2..=2 {{
      let other = at(line, i + offset) * at(weights, abs(offset));
      let height = luma(other) - luma(best.value);
      if height > limit && offset != 0 {{
        best.at = clamp(i + offset, 0, size(line) - 1);
        best.value = mix(best.value, other, saturate(height * strength));
      }}
    }}
    let kind = if best.at == i {{ Kind.None }} else {{ Kind.Edge {{ height: luma(best.value) }} }};
    best.clear = match kind {{ None => false, Edge {{ height }} => height > 0.5, Spike => true }};
    return best;
  }}

"""

TAIL = """\
  group 64 {{
    let i = index();
    let left = exchange(sample(line), lane() - 1);
    let right = exchange(sample(line), lane() + 1);
    var value = (sample(line) * 2.0 + left + right) / 4.0;
    {0}
    return value;
  }}

  example flat {{ line = [[1, 1, 1], [1, 1, 1]]; weights = [1, 0.5, 0.25]; expect result = [[1, 1, 1], [1, 1, 1]]; }}
}}
"""


def kernel(lines: int) -> str:
    """One kernel of about so many lines."""
    parts = (lines - HEAD.count("\n") - TAIL.count("\n")) // (PART.count("\n") + 1)
    uses = "\n    ".join(f"value += look{i}(i, value, 0.25).value * 0.1;" for i in range(parts))
    return HEAD + "".join(PART.format(i) for i in range(parts)) + TAIL.format(uses)


def main() -> None:
    print("".join(f"{name:>12}" for name in ("lines", "parse", "lower", "uniformity", "ranges", "all", "us a line")))
    for size in SIZES:
        print("".join(f"{value:>12.1f}" for value in row(kernel(size))))
    edits()
    with tempfile.TemporaryDirectory() as place:
        folder(Path(place))


def row(text: str) -> tuple[float, ...]:
    """Milliseconds for each part of checking a kernel; `lower` is all that is not another's, examples too."""
    [program] = check_text(text, PATH).programs.values()
    lines = text.count("\n")
    parse = best(lambda: parsed(text))
    uneven = best(lambda: uniformity.analyse(program))
    numbers = best(lambda: ranges.analyse(program.functions, program.params, 64))
    rest = best(lambda: settled(check_text(text, PATH))) - uneven - numbers
    whole = best(lambda: (parser._read.cache_clear(), settled(check_text(text, PATH))))
    return lines, parse, rest, uneven, numbers, whole, 1000 * whole / lines


def edits() -> None:
    """Edits of numbers in a file of many kernels, each checked with what is remembered of the check before."""
    one = kernel(45)
    text = "\n".join(one.replace("bench.smooth@1", f"bench.smooth@{i + 1}") for i in range(KERNELS))
    whole = best(lambda: settled(check_text(text, PATH)))
    random, memo, times = Random("edits"), Memo(), []
    check_text(text, PATH, memo=memo)
    for _ in range(EDITS):
        place = random.choice([found.start() for found in re.finditer(r"0\.[0-9]", text)]) + 2
        text = text[:place] + random.choice("123456789") + text[place + 1 :]
        start = time.process_time()
        settled(check_text(text, PATH, memo=memo))
        times.append((time.process_time() - start) * 1e3)
    times.sort()
    shares = f"{times[len(times) // 2]:.1f} ms, {times[len(times) * 95 // 100]:.1f} ms at the 95th percentile"
    print(f"an edit in {text.count(chr(10))} lines, {KERNELS} kernels: {shares}; all of them: {whole:.1f} ms")


def parsed(text: str) -> None:
    parser._read.cache_clear()
    parser.parse(text, PATH)


def best(action: Callable[[], object]) -> float:
    """The least CPU time, in milliseconds."""
    times = []
    for _ in range(ROUNDS):
        start = time.process_time()
        action()
        times.append(time.process_time() - start)
    return min(times) * 1e3


def folder(place: Path) -> None:
    """Check many files with one core and with all."""
    text = kernel(100)
    for i in range(FILES):
        changed = text.replace("bench.smooth@1", f"bench.smooth@{i + 1}").replace("0.25", f"0.{i + 1}")
        (place / f"k{i:03}.kernel").write_text(changed, encoding="utf-8")
    cores = sorted(os.sched_getaffinity(0))
    for used in (cores[:1], cores):
        start, before = time.monotonic(), os.times()
        subprocess.run(
            [sys.executable, "-m", "kcheck", "check", "--no-laws", "--quiet", str(place)],
            check=True,
            stdout=subprocess.DEVNULL,
            preexec_fn=lambda used=used: os.sched_setaffinity(0, used),
        )
        cpu = os.times().children_user - before.children_user
        clock = time.monotonic() - start
        print(f"{FILES} kernels, {len(used)} core(s): {clock:.1f} s on the clock, {cpu:.1f} s of CPU in all")


if __name__ == "__main__":
    main()
