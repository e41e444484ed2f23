"""Checks with a memo: after any edits they give exactly what a check without one gives, and do only what is new."""

from __future__ import annotations

import gc
import random
import re
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from kcheck.checker import check_text, ir
from kcheck.checker.checked import Checked
from kcheck.checker.lower import functions, kernels
from kcheck.checker.lower.ledger import Ledger
from kcheck.checker.memo import Cancelled, Memo
from kcheck.grammar.lexis import tokens
from kcheck.grammar.split import split

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.kernel"))

MAIN = """\
use lib.shapes;
use lib.noise;

/// How much.
const N: Int = 4 * COUNT;
const COUNT: Int = 2;
const TABLE: [Int; N] = [COUNT; N];
struct Pair { at_: Int; value: Float; }
struct Ring { inner: Pair; pairs: [Pair; COUNT]; }
enum Mode { Off; On { level: Float; } }

fn level(m: Mode) -> Float { return match m { Off => 0.0, On { level } => level * SCALE }; }
fn here() -> Float { return float(index() + TABLE[1]); }
fn apart(v: Vec2) -> Float { return length(v - coord()) + helper(v.x); }
fn helper(x: Float) -> Float { let unused = 1; return x / float(N - 8); }

kernel town.map@1 {
  requires { field.read; field.write; }
  input source: Rows<Float>;
  param gain: Float = 1.0 in 0.0..2.0;
  output result: Rows<Float>;
  const N: Int = 3;
  struct Own { ring: Ring; n: Int; }
  fn own(x: Float) -> Float { return x * gain + here(); }
  compute {
    let one = Pair { at_: N, value: own(sample(source)) };
    let o = Own { ring: Ring { inner: one, pairs: [one; COUNT] }, n: TABLE[2] };
    return o.ring.inner.value + level(On { level: area(Disc { r: 1.0 }) });
  }
  example plain { source = [1, 2]; gain = 1.5; expect result = [1, 2]; }
}

kernel town.sum@1 {
  requires { field.read; field.write; }
  input source: Rows<Float>;
  output result: Rows<Float>;
  compute over source { return sample(source) + wave(SCALE); }
  merge(a, b) { return a + b; }
}

kernel town.lanes@2 {
  requires { field.read; field.write; }
  input source: Rows<Int>;
  output result: Rows<Int>;
  group 8 {
    let i = index() / 8;
    let v = exchange(sample(source), lane() + 1);
    if lane() == COUNT { return exchange(v, 0); }
    return v + i + TABLE[10];
  }
}
"""

SHAPES = """\
use lib.noise;
const SCALE: Float = 2.0 * AMOUNT;
enum Shape { Dot; Disc { r: Float; } }
struct Point { at_: Vec2; shape: Shape; }
fn area(s: Shape) -> Float { return match s { Dot => 0.0, Disc { r } => r * r * SCALE }; }
fn both(p: Point) -> Float { return area(p.shape) + wave(p.at_.x); }
"""

NOISE = """\
const AMOUNT: Float = 0.5;
struct Seed { n: Int; }
fn wave(x: Float) -> Float { return sin(x * AMOUNT) + float(mixed(Seed { n: 1 }).n); }
fn mixed(s: Seed) -> Seed { return Seed { n: hash(s.n) }; }
"""

Files = dict[str, str]
"""The texts of a file and those that it may use, by their dotted paths; the file itself is `main`."""

TOWN: Files = {"main": MAIN, "lib.shapes": SHAPES, "lib.noise": NOISE}

LIBRARY: Files = {
    "main": """\
use lib.shapes;
use lib.other;

const LIMIT: Float = SCALE * float(STEPS);
fn first(p: Point) -> Float { return both(p) * second(p.at_); }
fn second(v: Vec2) -> Float { return third(v - coord()) + flat(LIMIT); }
fn third(v: Vec2) -> Float { return deep(v.x / (LIMIT - LIMIT)); }
fn fourth(i: Int) -> Int { return exchange(fifth(i), lane()); }
fn fifth(i: Int) -> Int { return [1, 2, 3][i + STEPS] + missing(i); }
""",
    "lib.shapes": SHAPES,
    "lib.noise": NOISE,
    "lib.other": """\
use lib.noise;
const STEPS: Int = 7;
struct Cell { seeds: [Seed; STEPS]; }
fn flat(x: Float) -> Float { return wave(x) + place(); }
fn deep(x: Float) -> Float { return if x > 0.0 { deeper(x) } else { 1.0 }; }
fn deeper(x: Float) -> Float { let c = Cell { seeds: [Seed { n: 1 }; STEPS] }; return x + float(c.seeds[9].n); }
""",
}
"""Without kernels: functions in several files that fit domains of one axis, of two, or none."""

INSERTS = (
    "use lib.other;\n",
    "use lib.noise;\n",
    "use main;\n",
    "const AMOUNT: Int = 3;\n",
    "const A: Int = B; const B: Int = A;\n",
    "struct Shape { r: Float; }\n",
    "enum Other { Dot; Off; }\n",
    "struct A { b: B; } struct B { a: A; }\n",
    "fn wave(x: Float) -> Float { return x; }\n",
    "fn area() { }\n",
    "fn mixed(s: Int) -> Int { return level(s); }\n",
    "fn here() -> Vec2 { return coord() + exchange(coord(), 1); }\n",
    "kernel town.sum@1 { requires { field.write; } output r: Rows<Int>; compute { return COUNT; } }\n",
    "fn even(n: Int) -> Bool { return odd(n - 1); } fn odd(n: Int) -> Bool { return even(n - 1); }\n",
    "kernel { compute { return here(); } }\n",
    "fn { return apart(1, unknown); }\n",
    "// a comment\n",
    "}",
    "{",
    "/*",
)


# ---------------------------------------------------------------- edits


def edited(text: str, choose: random.Random) -> str:
    """The text after one change such as people make, or worse."""
    return choose.choice((_token_gone, _token_twice, _renamed, _number, _inserted, _moved, _item_gone))(text, choose)


def _token_gone(text: str, choose: random.Random) -> str:
    found = list(tokens(text))
    if not found:
        return text
    first = choose.randrange(len(found))
    last = min(first + choose.choice((0, 0, 0, 1, 5)), len(found) - 1)
    return text[: found[first].start] + text[found[last].end :]


def _token_twice(text: str, choose: random.Random) -> str:
    found = list(tokens(text))
    if not found:
        return text
    token, place = choose.choice(found), choose.choice(found).start
    return f"{text[:place]}{token.text} {text[place:]}"


def _renamed(text: str, choose: random.Random) -> str:
    """One occurrence of a name, or all of them, become another name of the text."""
    names = re.findall(r"[A-Za-z_][A-Za-z0-9_]*", text)
    if not names:
        return text
    old, new = choose.choice(names), choose.choice([*names, "fresh"])
    count = choose.choice((0, 1))
    return re.sub(rf"\b{old}\b", new, text, count=count)


def _number(text: str, choose: random.Random) -> str:
    numbers = list(re.finditer(r"\b[0-9]+\b", text))
    if not numbers:
        return text
    number = choose.choice(numbers)
    return text[: number.start()] + str(choose.randrange(8)) + text[number.end() :]


def _inserted(text: str, choose: random.Random) -> str:
    places = [0, *(end for _, end in split(text))]
    place = choose.choice(places) if choose.random() < 0.8 else choose.randrange(len(text) + 1)
    return text[:place] + choose.choice(INSERTS) + text[place:]


def _moved(text: str, choose: random.Random) -> str:
    ranges = split(text)
    if len(ranges) < 2:
        return text
    items = [text[start:end] for start, end in ranges]
    item = items.pop(choose.randrange(len(items)))
    items.insert(choose.randrange(len(items) + 1), item)
    if choose.random() < 0.2:
        items.append(item)
    return "\n".join(items)


def _item_gone(text: str, choose: random.Random) -> str:
    ranges = split(text)
    if not ranges:
        return text
    start, end = choose.choice(ranges)
    return text[:start] + text[end:]


def walk(files: Files, choose: random.Random, steps: int) -> Iterator[Files]:
    """The files after one edit, after two and so on; from time to time they are as they were before."""
    past = [files]
    for _ in range(steps):
        if choose.random() < 0.2:
            past.append(past[-choose.randrange(1, min(len(past), 4) + 1)])
        elif choose.random() < 0.1:
            past.append(past[0])
        else:
            name = "main" if choose.random() < 0.7 else choose.choice(sorted(past[-1]))
            past.append({**past[-1], name: edited(past[-1][name], choose)})
        yield past[-1]


# ---------------------------------------------------------------- what is compared


def check(files: Files, memo: Memo | None = None) -> Checked:
    def load(path: str) -> tuple[str, bytes] | None:
        text = files.get(path)
        return None if text is None else (f"{path.replace('.', '/')}.kernel", text.encode("utf-8", "replace"))

    return check_text(files["main"], "main.kernel", load, memo)


def described(checked: Checked) -> list[Any]:
    """All of a result, with what equality of programs leaves out."""
    return [
        checked.file,
        dict(checked.files),
        checked.diagnostics,
        list(checked.programs.items()),
        [described_program(program) for program in checked.programs.values()],
        checked.scenes,
        [(spec, spec.origin, dict(spec.expected_origins)) for spec in checked.examples],
        checked.facts,
    ]


def described_program(program: ir.Program) -> list[Any]:
    ports: list[Any] = [*program.inputs, *program.outputs, *program.memories, *program.params]
    nodes = [[node.id for node in ir.walk(function.body)] for function in program.functions]
    origins = [program.origin, *(port.origin for port in ports), *(f.origins for f in program.functions)]
    return [program.doc, ir.content_hash(program), nodes, origins]


# ---------------------------------------------------------------- tests


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("start", [TOWN, LIBRARY], ids=["town", "library"])
def test_edits_of_files_that_use_each_other(start: Files, seed: int) -> None:
    memo = Memo()
    for files in walk(start, random.Random(seed), 25):
        assert described(check(files, memo)) == described(check(files)), files


@pytest.mark.parametrize("path", EXAMPLES, ids=[path.stem for path in EXAMPLES])
def test_edits_of_examples(path: Path) -> None:
    memo = Memo()
    for files in walk({"main": path.read_text("utf-8")}, random.Random(path.stem), 10):
        assert described(check(files, memo)) == described(check(files)), files


def test_the_town_as_it_is() -> None:
    """With many errors most edits would be to what has no program anyway."""
    checked = check(TOWN)
    assert list(checked.programs) == ["town.map@1", "town.sum@1"]
    assert [d.code for d in checked.diagnostics] == ["K208", "K240", "K209", "K501", "K241"]


def lowered(files: Files, memo: Memo, monkeypatch: pytest.MonkeyPatch) -> Sequence[str]:
    """The kernels and functions that are lowered to check these files."""
    names: list[str] = []
    lower_kernel, lower = kernels.lower_kernel, functions._lower

    def noting_kernel(node: Any, *rest: Any) -> Any:
        names.append(node.name.text)
        return lower_kernel(node, *rest)

    def noting_function(program: Any, entity: Any) -> Any:
        names.append(entity.node.name.text)
        return lower(program, entity)

    with monkeypatch.context() as patch:
        patch.setattr(kernels, "lower_kernel", noting_kernel)
        patch.setattr(functions, "_lower", noting_function)
        check(files, memo)
    return names


APART = ["apart", "apart", "helper", "helper"]
"""Each is tried for one axis and, since `apart` needs two, for two."""
MAP = ["town.map@1", "own", "here", "level", "area"]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("", "", []),
        ("use lib.noise;\n\n", "use lib.noise;  // for waves\n\n\n", []),
        ("/// How much.", "/// How many.", [*APART, *MAP]),
        ("kernel town.sum@1", "// moved\n\nkernel town.sum@1", []),
        ("sample(source) + wave", "sample(source) * wave", ["town.sum@1", "wave", "mixed"]),
        ("return x / float", "return x * float", APART),
        ("float(index() +", "float(index() -", MAP),
    ],
)
def test_only_what_changes_is_checked_again(
    old: str, new: str, expected: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    memo = Memo()
    check(TOWN, memo)
    assert old in MAIN
    changed = {**TOWN, "main": MAIN.replace(old, new, 1)}
    assert sorted(lowered(changed, memo, monkeypatch)) == sorted(expected)
    assert lowered(TOWN, memo, monkeypatch) == [], "an edit that is taken back costs nothing"


def test_a_cancelled_check_leaves_a_good_memo() -> None:
    memo, choose = Memo(), random.Random("cancelled")
    cancelled = 0
    for files in walk(TOWN, choose, 20):
        waiting = iter([False] * choose.randrange(6))
        try:
            check_text(files["main"], "main.kernel", None, memo, partial(next, waiting, True))
        except Cancelled:
            cancelled += 1
        assert described(check(files, memo)) == described(check(files)), files
    assert cancelled > 10


def test_what_is_kept_does_not_grow() -> None:
    """Kept pages refer to what was there when they were made; that must not refer to yet older pages."""
    before = living_ledgers()  # of other tests
    memo = Memo()
    for step in range(30):
        name = ("COUNT: Int = 2", "AMOUNT: Float = 0.5", "gain: Float = 1.0")[step % 3]
        check({name_: text.replace(name, f"{name} + {step}") for name_, text in TOWN.items()}, memo)
    assert living_ledgers() - before < 8


def living_ledgers() -> int:
    gc.collect()
    return sum(isinstance(each, Ledger) for each in gc.get_objects())
