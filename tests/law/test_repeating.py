"""Laws that fail for thousands or millions of equal elements, found and drawn short; those that nearly do."""

from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from kcheck.checker import ir
from kcheck.checker.law.cache import Cache
from kcheck.checker.law.cases import can_repeat
from kcheck.checker.law.documents import witness_document
from kcheck.checker.law.drawing import tree_text, undefined_text, witness_text
from kcheck.checker.law.evaluate import Case, SmallField
from kcheck.checker.law.pipeline import Tools, judge_program
from kcheck.checker.law.problem import MAX_LEAVES, Law
from kcheck.checker.law.stepwise import Stepwise
from kcheck.checker.law.symbolic import problem_of
from kcheck.checker.law.verdict import Judgement, Repeated, Tree, Witness, counted, sides_of, size_of
from kcheck.checker.law.witness import Replay
from kcheck.runtime.interpreter.parts import InterpretedParts
from tests.law.build import over_floats, over_ints, reduction
from tests.law.replay import hold_undefined, hold_witness
from tests.support import program_of

PARTS = InterpretedParts()
SUM = "struct Sum { n: Int; s: Int; }"
ADDED = "Sum { n: a.n + b.n, s: a.s + b.s }"
MEAN = "let n = a.n + b.n; Mean { n: n, mean: (a.mean * float(a.n) + b.mean * float(b.n)) / float(n) }"


def counted_by(each: int, merge: str, compute: str = "sample(values)") -> ir.Program:
    """A sum with a count that each element makes larger by so much."""
    return reduction("Int", "Sum", f"Sum {{ n: {each}, s: {compute} }}", merge, SUM)


def up_to(limit: int, compute: str = "sample(values) & 0xFF") -> ir.Program:
    return reduction("Int", "Int", compute, f"min(a + b, {limit})")


def mean_by(each: int) -> ir.Program:
    compute = f"Mean {{ n: {each}, mean: sample(values) }}"
    return reduction("Float", "Mean", compute, MEAN, "struct Mean { n: Int; mean: Float; }")


def lost_at(count: int) -> str:
    """A sum that is lost where it is of so many."""
    return f"if a.n == {count} {{ b }} else {{ {ADDED} }}"


NEGATIVE = f"if a.n < 0 {{ b }} else {{ {ADDED} }}"

BROKEN = {
    "needle": (counted_by(1, lost_at(1000)), {*Law}),
    "needle by three": (counted_by(3, lost_at(3_000_000)), {*Law}),
    "needle behind two turns": (counted_by(5, lost_at(3)), {*Law}),
    "all but one": (counted_by(1, lost_at(2**31 - 2)), {*Law}),
    "below zero": (counted_by(2, NEGATIVE), {*Law}),
    "two wrap": (up_to(2**30), {Law.ASSOCIATIVE}),
    "near the top": (up_to(2_000_000_000), {Law.ASSOCIATIVE}),
    "reset": (reduction("Int", "Int", "1", "let n = a + b; if n > 70_000 { 0 } else { n }"), {Law.ASSOCIATIVE}),
    "count of floats": (
        reduction("Float", "Float", "1.0", "let n = a + b; if n > 70_000.0 { 0.0 } else { n }"),
        {Law.ASSOCIATIVE},
    ),
    "grid": (
        program_of(
            "kernel test.merge@1 { requires { field.read; field.write; } input values: Grid<Int>;"
            " output result: Rows<Int>; compute over values { sample(values) & 0xFF }"
            " merge(a, b) { min(a + b, 2_000_000_000) } }"
        ),
        {Law.ASSOCIATIVE},
    ),
    "two inputs": (
        reduction(
            "Int",
            "Int",
            "if sample(known) { sample(values) & 0xFFFF } else { -1 }",
            "if a < 0 || b < 0 { -1 } else { a + b }",
            members="input known: Rows<Bool>;",
        ),
        {Law.ASSOCIATIVE},
    ),
}

NOT_BROKEN = {
    "two do not wrap": up_to(2**30 - 1),
    "a milliard": up_to(1_000_000_000),
    "flags": up_to(1_500_000_000, "sample(values) & 1"),
    "count": counted_by(1, NEGATIVE),
    "all": counted_by(1, lost_at(2**31 - 1)),
    "none": counted_by(2, lost_at(0)),
    "odd": counted_by(2, lost_at(1001)),
    "mean by three": mean_by(3),
    "sum": over_floats("a + b"),
}


def judged(program: ir.Program) -> Judgement:
    return judge_program(program, Tools(lambda: PARTS, None), 10.0)


def witnesses(judgement: Judgement) -> dict[Law, Witness]:
    return {found.law: found.witness for found in judgement.laws if found.witness is not None}


# ---------------------------------------------------------------- trees


@given(st.integers(2, 300))
def test_copies_are_merged_by_halves(count: int) -> None:
    depths: dict[Tree, int] = {}

    def leaves(tree: Tree) -> int:
        if isinstance(tree, int):
            depths[tree] = 0
            return 1
        found = sum(map(leaves, sides_of(tree)))
        depths[tree] = 1 + max(depths[side] for side in sides_of(tree))
        return found

    assert leaves(Repeated(0, count)) == count
    assert depths[Repeated(0, count)] <= 2 * count.bit_length()


def test_what_copies_hold_is_counted() -> None:
    tree = (Repeated((0, Repeated(1, 5)), 3), 2)
    assert list(counted(tree)) == [(0, 3), (1, 15), (2, 1)]
    assert size_of(tree) == 19


@given(st.integers(2, MAX_LEAVES))
def test_copies_are_run_as_they_are(count: int) -> None:
    """A sum of copies is the product, in 32 bits, whatever runs it."""
    program = over_ints("a + b")
    case = Case({"values": SmallField((1,), ((7,),))}, {})
    [step] = Replay(program, case, PARTS).steps([Repeated(0, count)])
    expected = (7 * count + 2**31) % 2**32 - 2**31
    assert step.value == (expected,)
    assert [part.tree for part in step.parts] == [0]
    steps = Stepwise(program, lambda: PARTS)
    assert steps.run(case).value(Repeated(0, count)) == (expected,)
    assert steps.exactly(case).differing(Repeated(0, count), 0) == ((0,) if expected != 7 else ())


def test_the_words_for_copies() -> None:
    assert tree_text(Repeated(0, 2**29)) == "2^29 elements like a"
    assert tree_text((Repeated(1, 1000), 0)) == "merge(1_000 elements like b, a)"
    assert tree_text(Repeated((0, 1), 64)) == "64 copies of merge(a, b)"


# ---------------------------------------------------------------- what is found


@pytest.mark.parametrize("name", BROKEN)
def test_what_breaks_far_out_is_found(name: str) -> None:
    program, broken = BROKEN[name]
    judgement = judged(program)
    found = witnesses(judgement)
    assert judgement.undefined is None
    assert set(found) == broken
    for witness in found.values():
        assert witness.has_copies
        assert size_of(witness.left.tree) <= MAX_LEAVES
        assert len(list(counted(witness.left.tree))) <= 4
        assert len(witness_text(witness).splitlines()) < 40
        hold_witness(witness)


@pytest.mark.parametrize("name", NOT_BROKEN)
def test_what_nearly_breaks_far_out_is_not(name: str) -> None:
    judgement = judged(NOT_BROKEN[name])
    assert witnesses(judgement) == {}
    assert judgement.undefined is None


@given(st.integers(1, 20), st.integers(-(2**31), 2**31 - 1) | st.integers(10, 100_000))
@settings(max_examples=40)
def test_needles_are_found_wherever_a_count_reaches_them(each: int, needle: int) -> None:
    counts = [(needle + 2**32 * turns) // each for turns in range(each + 1) if (needle + 2**32 * turns) % each == 0]
    assume(1 not in counts)  # else every left is lost, which is associative
    is_reached = any(0 < count < MAX_LEAVES for count in counts)
    judgement = judged(counted_by(each, lost_at(needle)))
    assert set(witnesses(judgement)) == (set(Law) if is_reached else set())


@given(st.integers(1, 12), st.integers(2**29, 2**31 - 1))
@settings(max_examples=40)
def test_limits_are_passed_where_two_of_them_wrap(bits: int, limit: int) -> None:
    """Flags never add up to more than an Int; below the largest Int there is none that is cut."""
    breaks = bits > 1 and 2**30 <= limit < 2**31 - 1
    found = witnesses(judged(up_to(limit, f"sample(values) & {2**bits - 1}")))
    assert set(found) == ({Law.ASSOCIATIVE} if breaks else set())


@pytest.mark.parametrize("each", [4, 12, -4, 1 << 20])
def test_a_step_without_a_value(each: int) -> None:
    undefined = judged(mean_by(each)).undefined
    assert undefined is not None
    hold_undefined(undefined)
    assert size_of(undefined.tree) * each % 2**32 == 0
    assert "elements like a = " in undefined_text(undefined)
    assert undefined_text(undefined).splitlines()[0] == "values = [0.0, 0.0]"


@pytest.mark.parametrize(
    ("compute", "members", "is_so"),
    [
        ("sample(values)", "", True),
        ("at(lut, sample(values)) + size(lut)", "input lut: Rows<Int>;", True),
        ("sample(values) + index()", "", False),
        ("sample(values) + size(values)", "", False),
        ("sample(values) + domain()", "", False),
        ("sample(values) + int(extent(values))", "", False),
        ("sample(values) + at(values, 0)", "", False),
        ("sample(values) + sample(more) + size(more)", "input more: Rows<Int>;", False),
        ("at(lut, index())", "input lut: Rows<Int>;", False),
        ("int(sample(lut, place()))", "input lut: Rows<Float>;", False),
        ("int(sample(lut, 0.5))", "input lut: Rows<Float>;", True),
    ],
)
def test_what_depends_on_a_place_has_no_copies(compute: str, members: str, is_so: bool) -> None:
    program = reduction("Int", "Sum", f"Sum {{ n: 2, s: {compute} }}", NEGATIVE, SUM, members)
    assert can_repeat(problem_of(program)) is is_so
    found = witnesses(judged(program))
    assert set(found) == (set(Law) if is_so else set())
    for witness in found.values():
        hold_witness(witness)


# ---------------------------------------------------------------- what is shown


NEEDLE = """\
values = [0, 0]
merge(a, 1_000 elements like b) = { n: 1001, s: 0 }
│                                      ^^^^
├─ a = { n: 1, s: 0 }
└─ 1_000 elements like b = { n: 1000, s: 0 }
   └─ b = { n: 1, s: 0 }
merge(1_000 elements like b, a) = { n: 1, s: 0 }
│                                      ^
├─ 1_000 elements like b = { n: 1000, s: 0 }
│  └─ b = { n: 1, s: 0 }
└─ a = { n: 1, s: 0 }"""


def test_few_copies_of_simple_elements_are_shown() -> None:
    witness = witnesses(judged(BROKEN["needle"][0]))[Law.COMMUTATIVE]
    assert witness_text(witness) == NEEDLE


def test_few_elements_are_shown_where_they_do() -> None:
    program = reduction(
        "Int", "Int", "clamp(sample(values), 0, limit)", "min(a + b, limit)", members="param limit: Int = 100;"
    )
    witness = witnesses(judged(program))[Law.ASSOCIATIVE]
    assert not witness.has_copies
    assert "counts" not in witness_document(witness)


def test_json_says_how_many() -> None:
    found = witness_document(witnesses(judged(BROKEN["needle"][0]))[Law.COMMUTATIVE])
    assert (found["elements"], found["counts"]) == ([0, 0], [1, 1000])
    assert found["trees"] == {"left": "merge(a, 1_000 elements like b)", "right": "merge(1_000 elements like b, a)"}


def test_json_nests_counts_as_elements() -> None:
    witness = witnesses(judged(BROKEN["grid"][0]))[Law.ASSOCIATIVE]
    found = witness_document(witness)
    assert found["counts"] == [[times for _, times in sorted(counted(witness.left.tree))]]
    assert len(found["elements"][0]) == len(found["counts"][0])


@pytest.mark.parametrize("program", [BROKEN["needle"][0], BROKEN["two wrap"][0], mean_by(4)])
def test_what_is_kept_comes_back(program: ir.Program, tmp_path: Path) -> None:
    judgement = judged(program)
    Cache(tmp_path).put(judgement, 10.0)
    assert repr(Cache(tmp_path).get(program, 10.0, lambda: PARTS)) == repr(judgement)
