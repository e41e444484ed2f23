"""Real arithmetic and the interpreter agree where rounding cannot show: what the other tests lean on is sound."""

from fractions import Fraction
from typing import Any

import pytest

from kcheck.checker import ir
from tests.law.cases import LawCase, law_cases
from tests.law.exact import ExactProgram, UndefinedValue, differ
from tests.law.trees import Trials
from tests.support import program_of

NEAR = 1e-4
"""How far a Float may be from the real number, relative to the larger of it and 1."""


def same(exact: Any, run: Any) -> bool:
    """Whether a value of a run is the exact one, Floats to rounding."""
    if isinstance(exact, tuple):
        return all(same(e, r) for e, r in zip(exact, run, strict=True))
    if isinstance(exact, bool | int):
        return bool(exact == run)
    return bool(abs(float(exact) - float(run)) <= NEAR * max(1.0, abs(float(exact))))


@pytest.mark.parametrize("case", [c for c in law_cases() if not c.is_undefined], ids=lambda case: case.name)
def test_leaves_and_merges_are_those_of_the_interpreter(case: LawCase) -> None:
    compared = 0
    for exact, run in Trials(case.program, 1600).pairs():
        assert same(exact, run), (exact, run)
        compared += 1
    assert compared > 20


def reduction(merge: str, element: str = "Float") -> ir.Program:
    return program_of(
        f"""
        kernel exact.one@1 {{
          requires {{ field.read; field.write; }}
          input x: Rows<{element}>;
          output result: Rows<{element}>;
          compute over x {{ return sample(x); }}
          merge(a, b) {{ return {merge}; }}
        }}
        """
    )


@pytest.mark.parametrize(
    ("merge", "a", "b", "want"),
    [
        ("a / b + b / a", 3, 4, Fraction(25, 12)),
        ("sqrt(a * a + b * b)", 3, 4, 5),
        ("floor(a / b) + fract(-a / b)", 7, 2, Fraction(7, 2)),
        ("a % b", -7, 2, -1),
        ("round(a * 0.5) + round(b * 0.5)", 5, 3, 4),
        ("exp2(a) + log2(b)", 5, 8, 35),
        ("pow(a, b)", 3, 4, 81),
        ("dot(vec2(a, b), vec2(b, 1.0))", 3, 4, 16),
        ("determinant(mat2(vec2(a, b), vec2(1.0, 2.0)))", 3, 4, 2),
        ("clamp(a, b, 1.0) + sign(-b) + abs(-a) + trunc(-2.5)", 3, 4, 1),
        ("float(int(a * 1.5)) + select(a < b, 0.25, 9.0)", 3, 4, Fraction(17, 4)),
    ],
)
def test_values_worked_out_by_hand(merge: str, a: int, b: int, want: Fraction | int) -> None:
    result = ExactProgram(reduction(merge), {}).merge(Fraction(a), Fraction(b))
    assert not differ(result, Fraction(want)), result


@pytest.mark.parametrize(
    "merge", ["a / b", "a % b", "sqrt(a - 1.0)", "log(b)", "inversesqrt(b)", "acos(a - 2.0)", "pow(a - 1.0, 0.5)"]
)
def test_steps_without_a_value(merge: str) -> None:
    with pytest.raises(UndefinedValue):
        ExactProgram(reduction(merge), {}).merge(Fraction(0), Fraction(0))
