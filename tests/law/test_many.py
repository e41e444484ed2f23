"""Laws that fail for few elements only, or only for many: they are found without a solver, and drawn small."""

import pytest

from kcheck.checker import ir
from kcheck.checker.law.drawing import witness_text
from kcheck.checker.law.pipeline import Tools, judge_program
from kcheck.checker.law.problem import Law
from kcheck.checker.law.verdict import REFUTED, elements_of
from kcheck.runtime.interpreter.parts import InterpretedParts
from tests.law.build import reduction
from tests.law.replay import hold_undefined, hold_witness

PARTS = InterpretedParts()

BRIGHTEST = "if luma(a) >= luma(b) { a } else { b }"
OWN_WEIGHTS = "if dot(a, vec3(0.3, 0.6, 0.1)) > dot(b, vec3(0.3, 0.6, 0.1)) { a } else { b }"
RESET = "let n = a + b; if n > 100 { 0 } else { n }"
SHIFTED = "S { bits: (a.bits << b.length) ^ b.bits, length: a.length + b.length }"


@pytest.mark.parametrize(
    ("program", "law"),
    [
        (reduction("Vec3", "Vec3", "sample(values)", BRIGHTEST), Law.COMMUTATIVE),
        (reduction("Vec3", "Vec3", "sample(values)", OWN_WEIGHTS), Law.COMMUTATIVE),
        (reduction("Int", "Int", "1", RESET), Law.ASSOCIATIVE),
        (
            reduction(
                "Int", "S", "S { bits: sample(values), length: 1 }", SHIFTED, "struct S { bits: Int; length: Int; }"
            ),
            Law.ASSOCIATIVE,
        ),
    ],
)
def test_laws_are_refuted_without_a_solver(program: ir.Program, law: Law) -> None:
    found = {finding.law: finding for finding in judge_program(program, Tools(lambda: PARTS, None), 10.0).laws}
    assert found[law].verdict == REFUTED
    witness = found[law].witness
    assert witness is not None
    hold_witness(witness)
    text = witness_text(witness)
    assert max(map(len, text.splitlines())) < 200
    assert len(text.splitlines()) < 120


def test_a_step_without_a_value_is_found_where_all_of_few_places_are_taken() -> None:
    program = reduction(
        "Int",
        "S",
        "let taken = 1 << (sample(values) & 31); S { taken: taken, free: log(float(32 - popcount(taken))) }",
        "let taken = a.taken | b.taken; S { taken: taken, free: log(float(32 - popcount(taken))) }",
        "struct S { taken: Int; free: Float; }",
    )
    undefined = judge_program(program, Tools(lambda: PARTS, None), 10.0).undefined
    assert undefined is not None
    hold_undefined(undefined)
    numbers = {element[0] % 32 for element in undefined.case.fields["values"].elements}
    assert len(numbers) == len(list(elements_of(undefined.tree))) == 32
