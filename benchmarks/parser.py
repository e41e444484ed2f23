"""How the generated parser compares with textX, which it is made from, and what parsing costs, in one run.

    python benchmarks/parser.py [lines]

All times are CPU time of this process or, for getting ready, of fresh ones: the best of several. The text is made
of the repository's own programs, repeated up to the lines asked for, and read item by item, as `parse` does. The
last column is what an editor needs.

A keystroke is one random character more or less in the text of so many lines: it costs the cut into items, the look
into the cache, and the reading of what changed, with recovery where that is broken now.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from os import environ
from pathlib import Path
from random import Random
from unittest.mock import patch

from kcheck.grammar import engine, parser
from kcheck.grammar import split as splitting
from kcheck.grammar.garbage import no_collection
from kcheck.grammar.generator.reference import kernel_metamodel, reference_parser
from kcheck.grammar.recursion import deep_recursion
from kcheck.grammar.split import split

ROOT = Path(__file__).parents[1]
ROUNDS = 7
ITEM = 1300  # characters; about what a kernel has
TYPED = "abcxyz0123 .,;:=+-*()[]{}<>\n"

IMPORT = "import kcheck.grammar"
GRAMMAR = "import kcheck.grammar as first"
KEPT = "from kcheck.grammar.engine import _parser; _parser()"
TEXTX = "from kcheck.grammar.generator.reference import kernel_metamodel; kernel_metamodel()"


def main() -> None:
    lines = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    text = program(lines)
    items = [text[start:end] for start, end in split(text)]
    item = min(items, key=lambda it: abs(len(it) - ITEM))
    # Without its last `;`, so that all of it is read before something is wrong.
    broken = "".join(item.rsplit(";", 1))
    textx = reference_parser(kernel_metamodel())

    print(f"{'':48}{'textX':>12}{'generated':>12}{'ratio':>8}{'bound':>10}")
    row(f"{lines:,} lines, {len(text) / 1e3:.0f} KB", reading(items, textx, 1), reading(items, generated), 100)
    row(f"one item, {len(item) / 1e3:.1f} KB", reading([item], textx, 3), reading([item], generated), 3)
    row("the same, broken at its end", reading([broken], textx, 3), reading([broken], generated))
    row("getting ready", starting(TEXTX), starting(KEPT), 80)
    row("getting ready where nothing is kept", None, starting(KEPT, kept=False))
    row("importing the parser", None, starting(IMPORT, ready="pass"), 80)
    row(f"all of `parse` for the {lines:,} lines", None, whole(text), 100)
    row("all of `parse` for the one item", None, whole(item), 3)
    row("the same, broken at its end", None, whole(broken))
    times = keystrokes(text)
    row(f"a keystroke in {lines:,} lines, the median", None, times[len(times) // 2])
    row("a keystroke, the 95th percentile", None, times[len(times) * 95 // 100], 10)


def program(lines: int) -> str:
    """The repository's programs, one after the other and again, up to the end of an item after so many lines."""
    folders = ("checker", "examples", "tests/grammar")
    paths = [path for folder in folders for path in sorted((ROOT / folder).rglob("*.kernel"))]
    text = "\n".join(path.read_text(encoding="utf-8") for path in paths)
    text *= lines // text.count("\n") + 1
    ends = (end for _, end in split(text) if text.count("\n", 0, end) >= lines)
    return text[: next(ends)]


def generated(text: str) -> object:
    return engine.read(text, lambda item: item)


def reading(items: list[str], read: Callable[[str], object], rounds: int = ROUNDS) -> float:
    """Milliseconds to read all items."""

    def work() -> None:
        with no_collection(), deep_recursion():
            for item in items:
                read(item)

    read(items[0])
    return best(work, rounds)


def whole(text: str) -> float:
    """Milliseconds from a text to its tree and diagnostics, with no item remembered."""
    without_caches = (
        patch.object(parser, "_read", parser._read.__wrapped__),
        patch.object(splitting, "_part", splitting._part.__wrapped__),
    )
    with without_caches[0], without_caches[1]:
        return best(lambda: parser.parse(text, "bench.kernel"), ROUNDS)


def keystrokes(text: str, number: int = 400) -> list[float]:
    """Milliseconds for each of some changes by one character, sorted."""
    random = Random("keystrokes")
    parser.parse(text, "bench.kernel")
    times = []
    for _ in range(number):
        place = random.randrange(len(text))
        typed, taken = random.choice(((random.choice(TYPED), 0), ("", 1)))
        changed = text[:place] + typed + text[place + taken :]
        start = time.process_time()
        parser.parse(changed, "bench.kernel")
        times.append((time.process_time() - start) * 1e3)
    return sorted(times)


def starting(program: str, kept: bool = True, ready: str = GRAMMAR) -> float:
    """Milliseconds that `program` takes in a fresh process, with what is `ready` there already."""
    timed = f"{ready}; import time; start = time.process_time(); {program}; print(time.process_time() - start)"

    def once(folder: str) -> float:
        variables = {} if kept else {"XDG_CACHE_HOME": folder, "LOCALAPPDATA": folder}
        command = [sys.executable, "-c", timed]
        return float(subprocess.run(command, env=environ | variables, capture_output=True, check=True).stdout)

    times = []
    for _ in range(ROUNDS):
        with tempfile.TemporaryDirectory() as folder:
            times.append(once(folder))
    return min(times) * 1e3


def best(work: Callable[[], object], rounds: int) -> float:
    times = []
    for _ in range(rounds):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times) * 1e3


def row(name: str, textx: float | None, ours: float, bound: int | None = None) -> None:
    theirs = f"{textx:9.1f} ms{ours:9.1f} ms{textx / ours:7.0f}x" if textx else f"{'':12}{ours:9.1f} ms{'':8}"
    print(f"{name:48}{theirs}" + (f"{bound:7} ms" if bound else ""))


if __name__ == "__main__":
    main()
