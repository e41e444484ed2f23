"""What fails only far out does fail: the trees that show it, too large or too fine for the other tests."""

from collections.abc import Sequence
from fractions import Fraction
from functools import partial, reduce
from itertools import product
from typing import Any

import pytest

from kcheck.checker import ir
from kcheck.checker.arithmetic import INT_MIN
from kcheck.checker.law.problem import MAX_LEAVES, Law
from tests.law.cases import LawCase, law_cases
from tests.law.exact import ExactProgram, UndefinedValue, differ, real

CASES = {case.name: case for case in law_cases() if case.far}
COUNTS = (1, 2, 3, 20, 60, 1000, 2**23, 2**24, 3 * 2**26, 2**29, 2**30, 3 * 2**29, 2**31 - 3, 2**31 - 2)
RED, GREEN = real(0.7152000069618225), real(0.2125999927520752)
"""The Floats 0.7152 and 0.2126, the weights of green and of red in `luma`."""

OWN_RED, OWN_GREEN = real(0.29899999499320984), real(0.5870000123977661)
"""The Floats 0.299 and 0.587."""

NEARLY_ONE = 1 + real(9.999999960041972e-13)
"""1 and the Float 1e-12."""
LEAST = real(-3.4028234663852886e38)
"""The least Float."""

LEAVES: dict[str, list[Any]] = {
    "databases/temperature offsets that saturate at a billion": [127, -128],
    "databases/variance with counts multiplied as Ints": [(1, Fraction(n), Fraction(0)) for n in (0, 1)],
    "discrete/Fletcher's checksum with a plain length": [(254, 254, 1), (1, 1, 1)],
    "discrete/count and greatest level in one word": [1, 1 << 24 | 1],
    "geometry/brightest colour": [(RED, Fraction(0), Fraction(0)), (Fraction(0), GREEN, Fraction(0))],
    "integers/count of leaves by two": [(2, 2), (-2, 0)],
    "models/peak number of voices, two for each note": [(2, 2), (-2, 0)],
    "monoids/length of a way, unknown if a part is": [2],
    "physics/hit counter that stops below the top": [255],
    "ported/brightest by own weights": [(OWN_GREEN, Fraction(0), Fraction(0)), (Fraction(0), OWN_RED, Fraction(0))],
    "ported/counter reset at a hundred": [1],
    "ported/masks under a shift": [(1, 1), (5, 1)],
    "statistics/sum of decibels with two rounded constants": [Fraction(0), Fraction(10)],
    "systems/bits sent, up to a quota": [8],
    "traps/a count that grows twice as fast": [(1, 1), (1, 5)],
    "traps/a counter that stops where two of it wrap": [2],
    "traps/a needle among floats": [real(1234.5677490234375), Fraction(1)],
    "traps/a needle of a thousand leaves": [(1, 1)],
    "traps/a needle of all leaves but one": [(1, 1)],
    "traps/a number below all Floats": [
        (number, at, LEAST, INT_MIN, at % 3) for number, at in ((10 * LEAST, 0), (10 * LEAST, 1), (Fraction(5), 3))
    ],
    "traps/balanced brackets that count twice": [(2, 0), (0, 2)],
    "traps/constants that are nearly in order": [(NEARLY_ONE, Fraction(1), Fraction(key)) for key in (1, 2)],
    "traps/factors that are nearly one": [Fraction(1)],
    "traps/two needles": [0x2545F491, 0x1B873593, 1],
}
"""What `compute` gives for some elements of each case."""

COPIED: dict[str, Any] = {
    "discrete/mean of four channels, counted in samples": (8, 4, Fraction(2)),
    "physics/mean of quads that counts the pixels": ((Fraction(1), Fraction(2), Fraction(3)), 4),
    "statistics/mean with a count of four for each leaf": (4, Fraction(1)),
    "systems/energy per byte of words": (Fraction(1), 4, Fraction(1, 4)),
}
"""What `compute` gives for an element of which 2^29 copies have a value, and 2^30 have none."""

SEED = 4_734_895
"""A number whose `random` is 0."""
READ: dict[str, dict[type[ir.Expression], Any]] = {
    "databases/weighted reservoir of one": {ir.Sample: Fraction(1), ir.Place: SEED},
    "physics/a sample by the Gumbel trick": {ir.Sample: SEED},
}
"""What an element reads for which `compute` has no value."""

BITS = "databases/linear counting that never fills up"


def power(program: ExactProgram, leaf: Any, count: int) -> Any:
    """A merge of so many leaves of one value, in a tree that halves them."""
    if count == 1:
        return leaf
    half = power(program, leaf, count // 2)
    doubled = program.merge(half, half)
    return program.merge(doubled, leaf) if count % 2 else doubled


def breaks(program: ExactProgram, law: Law, leaves: Sequence[Any]) -> bool:
    """Whether merges of these leaves, no more of them than a fold may have, break the law."""
    merge = program.merge
    powers = [(count, power(program, leaf, count)) for leaf in leaves for count in COUNTS]
    for chosen in product(powers, repeat=2 if law is Law.COMMUTATIVE else 3):
        if sum(count for count, _ in chosen) <= MAX_LEAVES:
            a, b, *rest = (value for _, value in chosen)
            sides = [(merge(merge(a, b), c), merge(a, merge(b, c))) for c in rest] or [(merge(a, b), merge(b, a))]
            if differ(*sides[0]):
                return True
    return False


def test_every_far_case_is_shown() -> None:
    assert CASES.keys() == LEAVES.keys() | COPIED.keys() | READ.keys() | {BITS}


@pytest.mark.parametrize("case", [c for c in CASES.values() if not c.is_undefined], ids=lambda case: case.name)
def test_a_law_that_fails_far_out(case: LawCase) -> None:
    program = ExactProgram(case.program, {})
    failing = [law.value for law in Law if breaks(program, law, LEAVES[case.name])]
    assert set(case.far) <= set(failing)


@pytest.mark.parametrize("name", COPIED)
def test_copies_without_a_value(name: str) -> None:
    program = ExactProgram(CASES[name].program, {})
    power(program, COPIED[name], 2**29)
    with pytest.raises(UndefinedValue):
        power(program, COPIED[name], 2**30)


@pytest.mark.parametrize("name", READ)
def test_rare_elements_without_a_value(name: str) -> None:
    program = ExactProgram(CASES[name].program, {})
    with pytest.raises(UndefinedValue):
        program.compute(lambda node, _: READ[name][type(node)])


def test_different_elements_without_a_value() -> None:
    program = ExactProgram(CASES[BITS].program, {})
    *leaves, last = (program.compute(partial(lambda number, *_: number, number)) for number in range(32))
    merged = reduce(program.merge, leaves)
    with pytest.raises(UndefinedValue):
        program.merge(merged, last)
