"""Sets of polynomials with the same common divisors."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence

import pytest

from kcheck.checker import ir
from kcheck.checker.law.algebra.divisors import divided
from kcheck.checker.law.algebra.polynomial import ONE, Key, Polynomial, add, power, scale
from kcheck.checker.law.prover import Prover
from kcheck.checker.law.verdict import PROVED, REFUTED
from tests.law.build import reduction
from tests.law.replay import hold_witness

ATOMS = 4


def drawn(source: random.Random) -> Polynomial:
    monomials = [ONE, *(power(atom) for atom in range(ATOMS))]
    return {m: c for m in monomials if (c := source.choice((0, 0, 1, -1, 2, -3, 6)))}


def value(p: Polynomial | Key, atoms: Sequence[int]) -> int:
    items = p if isinstance(p, frozenset) else p.items()
    return sum(int(c) * math.prod(atoms[atom] for atom, _ in m) for m, c in items)


def test_divisors_stay_the_same() -> None:
    source = random.Random(2)
    for _ in range(500):
        rows = [drawn(source) for _ in range(source.randint(1, 5))]
        found = divided(rows)
        assert len(found) <= ATOMS + 1
        for _ in range(5):
            atoms = [source.randint(-50, 50) for _ in range(ATOMS)]
            assert math.gcd(*(value(p, atoms) for p in rows)) == math.gcd(*(value(p, atoms) for p in found))


def test_sums_of_multiples_give_the_same_set() -> None:
    source = random.Random(3)
    for _ in range(300):
        rows = [drawn(source) for _ in range(source.randint(2, 4))]
        others = list(rows)
        for _ in range(6):
            i, j = source.sample(range(len(others)), 2)
            others[i] = add(others[i], others[j], source.randint(-3, 3))
            others[j] = scale(others[j], source.choice((1, -1)))
        source.shuffle(others)
        others.append(add(others[0], others[1], 2))
        assert divided(rows) == divided(others)


def test_different_divisors_have_different_sets() -> None:
    a, b, c = ({power(atom): 1} for atom in range(3))
    assert divided([add(a, b, -1), add(b, c, -1)]) == divided([add(a, c, -1), add(c, b, -1)])
    assert divided([add(a, b, -1)]) != divided([add(a, b)])
    assert divided([scale(a, 2), b]) != divided([a, b])
    assert divided([{}, {}]) == frozenset()


COMB = "struct C { first: Int; step: Int; }"
STEP = """
var p = {};
var q = abs(a.first - b.first);
loop 24 until q == 0 {{ let r = p % q; p = q; q = r; }}
var s = b.step;
loop 24 until s == 0 {{ let r = p % s; p = s; s = r; }}
C {{ first: {}, step: p }}
"""


def comb(step: str = "a.step", first: str = "a.first", start: str = "0") -> ir.Program:
    compute = f"C {{ first: sample(values) & 255, step: {start} }}"
    return reduction("Int", "C", compute, STEP.format(step, first), COMB)


@pytest.mark.parametrize(
    ("program", "verdict"),
    [
        (comb(), PROVED),
        (comb(first="b.first"), PROVED),
        (comb(first="max(a.first, b.first)"), PROVED),
        (comb(step="0"), REFUTED),
        (comb(first="a.first + 1"), REFUTED),
        (comb(step="a.step * 2", start="6"), REFUTED),
    ],
)
def test_common_steps(program: ir.Program, verdict: str, prover: Prover) -> None:
    associative, _ = prover.judgement(program, 30.0).laws
    assert associative.verdict == verdict
    if associative.witness is not None:
        hold_witness(associative.witness)
