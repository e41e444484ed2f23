"""What one wrong token costs: how many messages it brings, and how much of the rest is still looked at.

    python benchmarks/recovery.py [breakages]

Programs without errors (the examples, those of the tests, and the first kernels of all where they are there) are
broken at one random token: it is deleted, doubled, swapped with the next, replaced, or another is put before it. What
the parser still reads is no breakage and does not count. Of each broken program are counted: the syntax errors, all
errors, and the statements without the token that are in the tree as they were, and that the checker lowered.
"""

from __future__ import annotations

import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from kcheck.checker.check import check_text
from kcheck.checker.lower import control, expressions
from kcheck.grammar import parse, syntax
from kcheck.grammar.diagnostics import Severity
from kcheck.grammar.lexis import Token, tokens
from kcheck.grammar.source import SourceFile
from kcheck.grammar.walk import descendants

ROOT = Path(__file__).parents[1]
SEEDS = ROOT.parent / "shared" / "seed" / "kernels"
STATEMENTS = (syntax.Let, syntax.Assign, syntax.For, syntax.Loop, syntax.Return, syntax.ExprStatement)
_PIECES = """
= == ; { } ( ) [ ] , : . .. -> <- => + - * / < > && || ! let var if else match for in loop return input output param
compute merge fn const x y 0 1.5 true
"""
PIECES = _PIECES.split()
_BLOCK = re.compile(r"^```kernel[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Breakage:
    """`text` differs from the program in what stood from `start` to `end`, which is `change` characters longer now."""

    kind: str
    text: str
    start: int
    end: int
    change: int


@dataclass
class Count:
    """Sums over breakages."""

    breakages: int = 0
    syntax: int = 0
    errors: int = 0
    untouched: int = 0
    kept: int = 0
    lowered: int = 0

    def add(self, other: Count) -> None:
        for name in vars(self):
            setattr(self, name, getattr(self, name) + getattr(other, name))


def programs() -> list[str]:
    """The texts that have no error."""
    paths = [*(ROOT / "examples").rglob("*.kernel"), *(ROOT / "tests").rglob("*.kernel"), *SEEDS.glob("*.kernel")]
    texts = [path.read_text(encoding="utf-8") for path in sorted(paths)]
    for page in sorted((ROOT / "tests" / "cases").rglob("*.md")):
        texts += _BLOCK.findall(page.read_text(encoding="utf-8"))
    return [text for text in texts if not check_text(text).has_errors]


def breakages(texts: list[str], random: Random) -> Iterator[tuple[str, Breakage]]:
    """Programs, each with one wrong token, without end; the longer a program, the oftener."""
    found = {text: list(tokens(text)) for text in texts}
    weights = [len(found[text]) for text in texts]
    while True:
        [text] = random.choices(texts, weights)
        broken = breakage(text, found[text], random)
        if parse(broken.text, "t.kernel")[1]:
            yield text, broken


def breakage(text: str, found: list[Token], random: Random) -> Breakage:
    index = random.randrange(len(found) - 1)
    token, following = found[index], found[index + 1]
    kind = random.choice(("delete", "double", "swap", "replace", "insert"))
    end = following.end if kind == "swap" else token.end
    between = text[token.end : following.start]
    new = {
        "delete": "",
        "double": f"{token.text} {token.text}",
        "swap": f" {following.text}{between or ' '}{token.text}",
        "replace": random.choice(PIECES),
        "insert": f"{random.choice(PIECES)} {token.text}",
    }[kind]
    broken = text[: token.start] + new + text[end:]
    return Breakage(kind, broken, token.start, end, len(new) - (end - token.start))


# ---------------------------------------------------------------- counting


def count(text: str, broken: Breakage) -> Count:
    with Watch() as seen:
        checked = check_text(broken.text)
    errors = [found for found in checked.diagnostics if found.severity is Severity.ERROR]
    now: dict[int, list[syntax.Node]] = {}
    for start, _, node in statements(checked.file):
        now.setdefault(start, []).append(node)
    result = Count(1, sum(found.code.startswith("K1") for found in errors), len(errors))
    for start, end, node in statements(parse(text, "t.kernel")[0]):
        if start < broken.end and broken.start < end:
            continue
        result.untouched += 1
        kept = now.get(start if start < broken.start else start + broken.change, [])
        same = [other for other in kept if other == node]
        result.kept += bool(same)
        parts = [part for other in same for part in (other, getattr(other, "value", None))]
        result.lowered += any(id(part) in seen.nodes for part in parts)
    return result


def statements(source: SourceFile) -> Iterator[tuple[int, int, syntax.Node]]:
    for item in source.items:
        for node in descendants(item.node):
            if isinstance(node, STATEMENTS):
                yield item.offset + node.span.start, item.offset + node.span.end, node


class Watch:
    """Notes the statements and values that the checker lowers."""

    def __init__(self) -> None:
        self.nodes: set[int] = set()
        self._watched = ((control, "_statement"), (control, "_value_outcome"), (expressions, "lower"))
        self._before: list[Callable[..., Any]] = []

    def __enter__(self) -> Watch:
        for module, name in self._watched:
            function = getattr(module, name)
            self._before.append(function)
            setattr(module, name, self._noting(function))
        return self

    def __exit__(self, *_: object) -> None:
        for (module, name), function in zip(self._watched, self._before, strict=True):
            setattr(module, name, function)

    def _noting(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def noting(context: object, node: object, *rest: Any, **named: Any) -> Any:
            self.nodes.add(id(node))
            return function(context, node, *rest, **named)

        return noting


def measure(number: int, seed: str = "recovery") -> tuple[Count, dict[str, Count], Counter[int]]:
    """The sums over so many breakages, those of each kind, and how many breakages bring how many syntax errors."""
    whole, kinds, spread = Count(), {}, Counter[int]()
    found = breakages(programs(), Random(seed))
    for _ in range(number):
        text, broken = next(found)
        one = count(text, broken)
        whole.add(one)
        kinds.setdefault(broken.kind, Count()).add(one)
        spread[one.syntax] += 1
    return whole, kinds, spread


def main() -> None:
    number = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    start = time.process_time()
    whole, kinds, spread = measure(number)
    print(f"{'':10}{'breakages':>10}{'syntax errors':>15}{'all errors':>12}{'in the tree':>13}{'lowered':>9}")
    for name, each in (*sorted(kinds.items()), ("all", whole)):
        print(
            f"{name:10}{each.breakages:10,}{each.syntax / each.breakages:15.3f}{each.errors / each.breakages:12.3f}"
            f"{each.kept / each.untouched:13.2%}{each.lowered / each.untouched:9.2%}"
        )
    print("syntax errors: ", ", ".join(f"{errors}: {times / number:.1%}" for errors, times in sorted(spread.items())))
    print(f"{time.process_time() - start:.0f} s")


if __name__ == "__main__":
    main()
