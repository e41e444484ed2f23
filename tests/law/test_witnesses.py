"""From sampling to witnesses: what is found, that it is real, small, and readable."""

import math
import time

import pytest

from kcheck.checker import ir
from kcheck.checker.law.candidates import failed_of, trial_of
from kcheck.checker.law.drawing import undefined_text, witness_text
from kcheck.checker.law.evaluate import Case, SmallField
from kcheck.checker.law.problem import Law, Undefined
from kcheck.checker.law.running import Exactly, WrittenOut
from kcheck.checker.law.sampling import Effort, Failed, candidates
from kcheck.checker.law.solver.unrolling import Candidate
from kcheck.checker.law.symbolic import problem_of
from kcheck.checker.law.verdict import Trial, UndefinedStep, Witness, elements_of
from kcheck.checker.law.witness import confirmed, undefined_of, witness_of
from kcheck.runtime.interpreter.parts import InterpretedParts
from tests.law.build import over_floats, over_ints, reduction
from tests.support import program_of

EFFORT = Effort(least=60, most=60, seconds=0.0)
PARTS = InterpretedParts()

POINT = "struct Point { x: Float; weight: Float; }"
WEIGHTED_MEAN = (
    "let weight = a.weight + b.weight; Point { x: (a.x * a.weight + b.x * b.weight) / weight, weight: weight }"
)


def runner_of(program: ir.Program) -> WrittenOut:
    return WrittenOut(problem_of(program), lambda: PARTS)


def found_in(program: ir.Program, *, may_fail: bool = True) -> tuple[dict[Law, Witness], UndefinedStep | None]:
    """The witnesses that sampling leads to."""
    runner, wanted = runner_of(program), set(Law)
    witnesses: dict[Law, Witness] = {}
    for found in candidates(runner, wanted, EFFORT, time.monotonic() + 60, may_fail=may_fail):
        if isinstance(found, Failed):
            undefined = undefined_of(runner, found)
            if undefined is not None:
                return witnesses, undefined
        else:
            law, trial = found
            witness = witness_of(runner, law, trial)
            if witness is not None:
                wanted.discard(law)
                witnesses[law] = witness
    return witnesses, None


# ---------------------------------------------------------------- what is found

LAWFUL = {
    "sum": over_ints("a + b"),
    "largest": over_floats("max(a, b)"),
    "hypotenuse": reduction("Float", "Float", "abs(sample(values))", "sqrt(a * a + b * b)"),
    "sum of floats": over_floats("a + b"),
    "log of a sum": over_floats("log(exp(a) + exp(b))"),
    "first place of the largest": reduction(
        "Int",
        "Best",
        "Best { value: sample(values), at: index() }",
        "if a.value > b.value || (a.value == b.value && a.at < b.at) { a } else { b }",
        "struct Best { value: Int; at: Int; }",
    ),
}

BROKEN = {
    "difference": (over_ints("a - b"), {*Law}),
    "average": (over_floats("(a + b) * 0.5"), {Law.ASSOCIATIVE}),
    "first": (over_ints("a"), {Law.COMMUTATIVE}),
    "needle": (over_ints("if a == 0x12345678 { -1 } else { a + b }"), {*Law}),
    "saturating": (
        over_ints(
            "let s = a + b; if ((a ^ s) & (b ^ s)) < 0 { if a < 0 { -2147483648 } else { 2147483647 } } else { s }"
        ),
        {Law.ASSOCIATIVE},
    ),
    "place of the largest": (
        reduction(
            "Int",
            "Best",
            "Best { value: sample(values), at: index() }",
            "if a.value >= b.value { a } else { b }",
            "struct Best { value: Int; at: Int; }",
        ),
        {Law.COMMUTATIVE},
    ),
    "by a param": (
        reduction("Int", "Int", "sample(values)", "a + k * b", members="param k: Int = 1 in 0..3;"),
        {*Law},
    ),
    "neighbours": (
        reduction("Int", "Int", "sample(values) - at(values, index() + 1)", "a + 2 * b"),
        {*Law},
    ),
    "looked up": (reduction("Int", "Int", "at(values, sample(values))", "a + 2 * b"), {*Law}),
    "filtered": (
        reduction(
            "Int",
            "Float",
            "sample(lut, place()) + float(sample(values))",
            "a + 2.0 * b",
            members="input lut: Rows<Float>;",
        ),
        {*Law},
    ),
    "options": (
        reduction(
            "Int",
            "Option",
            "let x = sample(values); if x > 0 { Option.Some { value: x } } else { Option.None }",
            "match a { Some { value } => Option.Some { value: value }, None => b }",
            "enum Option { None; Some { value: Int; } }",
        ),
        {Law.COMMUTATIVE},
    ),
}


@pytest.mark.parametrize("name", LAWFUL)
def test_nothing_is_found_where_the_laws_hold(name: str) -> None:
    assert found_in(LAWFUL[name]) == ({}, None)


@pytest.mark.parametrize("name", BROKEN)
def test_what_breaks_a_law_is_found(name: str) -> None:
    program, broken = BROKEN[name]
    witnesses, undefined = found_in(program)
    assert set(witnesses) == broken
    assert undefined is None
    for law, witness in witnesses.items():
        assert len(set(elements_of(witness.left.tree))) == law.values
        assert all(witness.left.value[leaf] != witness.right.value[leaf] for leaf in witness.differing)


def test_witnesses_are_of_small_numbers() -> None:
    witnesses, _ = found_in(over_ints("a - b"))
    assert sorted(witnesses[Law.COMMUTATIVE].case.fields["values"].elements) == [(0,), (1,)]
    witnesses, _ = found_in(over_ints("if a == 0x12345678 { -1 } else { a + b }"))
    assert sorted(witnesses[Law.COMMUTATIVE].case.fields["values"].elements) == [(0,), (0x12345678,)]


def test_params_are_at_their_defaults_where_that_shows_it() -> None:
    program = reduction("Int", "Int", "sample(values)", "a - b + k", members="param k: Int = 2 in 0..9;")
    witnesses, _ = found_in(program)
    assert all(witness.case.params == {"k": (2,)} for witness in witnesses.values())


def test_params_keep_to_their_range() -> None:
    """The merge is the sum but for k = 7, which is out of range."""
    merge = "if k == 7 { a - b } else { a + b }"
    assert found_in(reduction("Int", "Int", "sample(values)", merge, members="param k: Int = 0 in 0..6;")) == ({}, None)
    witnesses, _ = found_in(reduction("Int", "Int", "sample(values)", merge, members="param k: Int = 0 in 0..7;"))
    assert {witness.case.params["k"] for witness in witnesses.values()} == {(7,)}


# ---------------------------------------------------------------- what elements read

PLACES = {
    1: "float(index()) + 10.0 * float(coord()) + 100.0 * place() + 0.5 * float(domain() + size(lut)) + extent(values)",
    2: "float(index()) + dot(coord(), vec2(3.0, 5.0)) + dot(place() + domain(), vec2(7.0, 9.0))"
    " + dot(extent(values), vec2(0.25, 0.5)) + at(lut, index() - 1) + 2.0 * float(size(lut))",
    3: "dot(coord(), vec3(1.0, 3.0, 5.0)) + dot(place(), vec3(7.0, 9.0, 11.0)) + dot(size(values), vec3(0.5, 2.0, 4.0))"
    " + at(values, coord().yxz + vec3(0.5, -1.0, 1.0)) + at(values, 1, index(), 0)",
}


@pytest.mark.parametrize("rank", PLACES)
def test_terms_read_what_a_run_reads(rank: int) -> None:
    """Compute on terms gives what the interpreter gives, for places, sizes and reads at addresses."""
    field = {1: "Rows", 2: "Grid", 3: "Volume"}[rank]
    program = program_of(
        f"kernel test.reads@1 {{ requires {{ field.read; field.write; }} input values: {field}<Float>;"
        f" input lut: Rows<Float>; output result: Rows<Float>;"
        f" compute over values {{ return sample(values) + at(lut, int(sample(values))) + {PLACES[rank]}; }}"
        " merge(a, b) { return a + b; } }"
    )
    runner = runner_of(program)
    assert runner.reader.is_direct
    shape = {1: (4,), 2: (2, 3), 3: (2, 3, 2)}[rank]
    values = SmallField(shape, tuple((float(i * 7 % 5),) for i in range(math.prod(shape))))
    case = Case({"values": values, "lut": SmallField((3,), ((0.5,), (20.0,), (-3.0,)))}, {})
    run = runner.run(case)
    for position, [expected] in enumerate(PARTS.compute(program, case)):
        [got] = run.value(position)
        assert got == pytest.approx(expected, rel=1e-6)


# ---------------------------------------------------------------- over the reals


def test_rounding_is_no_witness() -> None:
    """In Floats 1e8 + 1 - 1e8 depends on the grouping, over the reals it does not."""
    runner = runner_of(over_floats("a + b"))
    field = SmallField((3,), ((1.0,), (1e8,), (-1e8,)))
    trial = Trial(Case({"values": field}, {}), ((0, 1), 2), (0, (1, 2)))
    [left], [right] = (runner.run(trial.case).value(tree) for tree in (trial.left, trial.right))
    assert left == right == 1.0
    assert confirmed(runner, trial) is None


def test_what_only_doubles_tell_apart_is_no_witness() -> None:
    runner = runner_of(over_floats("if sqrt(a) * sqrt(a) == a { a } else { b }"))
    case = Case({"values": SmallField((2,), ((2.0,), (3.0,)))}, {})
    assert runner.breaks(Trial(case, (0, 1), (1, 0)))  # by rounding, neither root is exact
    assert Exactly(runner, case).differing((0, 1), (1, 0)) == ()


# ---------------------------------------------------------------- steps without a value


def test_an_undefined_step() -> None:
    _, undefined = found_in(reduction("Point", "Point", "sample(values)", WEIGHTED_MEAN, POINT))
    assert undefined is not None
    assert undefined.kind is Undefined.DIVISION
    assert undefined.tree == (0, 1)
    [first, second] = undefined.case.fields["values"].elements
    assert first[1] + second[1] == 0.0


def test_an_undefined_step_of_compute() -> None:
    _, undefined = found_in(reduction("Float", "Float", "log(sample(values))", "max(a, b)"))
    assert undefined is not None
    assert (undefined.kind, undefined.tree) == (Undefined.LOG, 0)
    assert undefined.case.fields["values"].elements[0][0] <= 0.0
    assert undefined_text(undefined) == "values = [0.0]\ncompute has no value for element 0"


def test_guarded_steps_are_defined() -> None:
    guarded = WEIGHTED_MEAN.replace("let weight", "if a.weight + b.weight == 0.0 { return a; } let weight")
    witnesses, undefined = found_in(reduction("Point", "Point", "sample(values)", guarded, POINT))
    assert undefined is None
    assert Law.COMMUTATIVE in witnesses  # of two points that cancel, the left one is kept


# ---------------------------------------------------------------- candidates of a solver


def test_candidates_become_fields() -> None:
    program = reduction("Int", "Int", "sample(values) + index()", "a - b")
    problem = problem_of(program)
    order = [type(read.read) for read in problem.inputs]
    elements = tuple(tuple({ir.Sample: v, ir.Place: i}[kind] for kind in order) for v, i in ((5, 3), (7, 1)))
    trial = trial_of(problem, Law.COMMUTATIVE, Candidate(elements, (), (1, 1)))
    assert trial is not None
    assert trial.case.fields["values"].elements == ((0,), (7,), (0,), (5,))
    assert (trial.left, trial.right) == ((3, 1), (1, 3))
    same_place = tuple(tuple({ir.Sample: v, ir.Place: 3}[kind] for kind in order) for v in (5, 7))
    assert trial_of(problem, Law.COMMUTATIVE, Candidate(same_place, (), (1, 1))) is None
    far = tuple(tuple({ir.Sample: v, ir.Place: i}[kind] for kind in order) for v, i in ((5, 1 << 30), (7, 1)))
    assert trial_of(problem, Law.COMMUTATIVE, Candidate(far, (), (1, 1))) is None


def test_candidates_of_steps_without_a_value() -> None:
    problem = problem_of(reduction("Point", "Point", "sample(values)", WEIGHTED_MEAN, POINT))
    failed = failed_of(problem, Candidate(((0, 1), (0, -1)), (), (1, 1)))
    assert failed is not None
    undefined = undefined_of(WrittenOut(problem, lambda: PARTS), failed)
    assert undefined is not None
    assert undefined.kind is Undefined.DIVISION
    harmless = failed_of(problem, Candidate(((0, 1), (0, 2)), (), (1, 1)))
    assert harmless is not None
    assert undefined_of(WrittenOut(problem, lambda: PARTS), harmless) is None


# ---------------------------------------------------------------- as text


def test_the_drawing() -> None:
    program = reduction(
        "Int",
        "Best",
        "Best { value: sample(values), at: index() }",
        "if a.value >= b.value { a } else { b }",
        "struct Best { value: Int; at: Int; }",
    )
    witnesses, _ = found_in(program)
    assert witness_text(witnesses[Law.COMMUTATIVE]).splitlines() == [
        "values = [0, 0]",
        "merge(a, b) = { value: 0, at: 0 }",
        "│                             ^",
        "├─ a = { value: 0, at: 0 }",
        "└─ b = { value: 0, at: 1 }",
        "merge(b, a) = { value: 0, at: 1 }",
        "│                             ^",
        "├─ b = { value: 0, at: 1 }",
        "└─ a = { value: 0, at: 0 }",
    ]


def test_long_values_show_what_differs() -> None:
    names = [f"field{i}" for i in range(20)]
    fields = " ".join(f"{name}: Int;" for name in names)
    merged = ", ".join(f"{name}: a.{name} {'-' if name == 'field7' else '+'} b.{name}" for name in names)
    program = reduction("Many", "Many", "sample(values)", f"Many {{ {merged} }}", f"struct Many {{ {fields} }}")
    witnesses, _ = found_in(program)
    text = witness_text(witnesses[Law.COMMUTATIVE])
    tree = text[text.index("merge(a, b)") :]
    assert "{ field7: 1, … }" in tree
    assert "field8" not in tree
