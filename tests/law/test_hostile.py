"""Merges that are far too much, judged in a process of their own: a verdict in bounded time, and less than 1 GiB."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from kcheck.checker import ir
from kcheck.checker.law.prover import Prover
from kcheck.runtime.interpreter.parts import InterpretedParts
from tests.law.build import largest, over_floats, over_ints, reduction

SECONDS = 4.0
"""What each may take,"""
MORE = 60
"""and how much longer the process may take on a busy machine, start and end included."""
MEBIBYTES = 1024
_STATUS = Path("/proc/self/status")
"""Of Linux."""


def fields() -> ir.Program:
    """50 fields, none of which turns on itself alone."""
    names = [f"f{i}" for i in range(50)]
    merged = ", ".join(f"{name}: max(a.{name}, b.{names[i - 1]}) ^ 1" for i, name in enumerate(names))
    declared = " ".join(f"{name}: Int;" for name in names)
    return reduction("S", "S", "sample(values)", f"S {{ {merged} }}", f"struct S {{ {declared} }}")


def chosen_fields() -> ir.Program:
    """50 fields, each of them chosen by a comparison of its own; both laws hold."""
    names = [f"f{i}" for i in range(50)]
    merged = ", ".join(f"{name}: if a.{name} > b.{name} {{ a.{name} }} else {{ b.{name} }}" for name in names)
    declared = " ".join(f"{name}: Int;" for name in names)
    return reduction("S", "S", "sample(values)", f"S {{ {merged} }}", f"struct S {{ {declared} }}")


def rounds() -> ir.Program:
    return over_ints("var s = a; for i in 0..1000 { s = (s ^ (s << 1)) + b * i; } s")


def lawful_rounds() -> ir.Program:
    return over_ints("var s = a; for i in 0..1000 { s = max(s, b ^ (i & 0)); } s")


def variants() -> ir.Program:
    """The larger of 32 variants, and of one variant the larger number; both laws hold."""
    count = range(32)
    declared = " ".join(f"V{i} {{ x{i}: Int; }}" for i in count)
    ranks = ", ".join(f"V{i} => {i}" for i in count)
    arms = ", ".join(
        f"V{i} {{ x{i}: p }} => match b {{ V{i} {{ x{i}: q }} => E.V{i} {{ x{i}: max(p, q) }}, _ => a }}" for i in count
    )
    made = " ".join(f"if (v & 31) == {i} {{ return E.V{i} {{ x{i}: v }}; }}" for i in count)
    return reduction(
        "Int",
        "E",
        f"let v = sample(values); {made} E.V0 {{ x0: v }}",
        f"let p = rank(a); let q = rank(b); if p < q {{ return b; }} match a {{ {arms} }}",
        f"enum E {{ {declared} }} fn rank(e: E) -> Int {{ return match e {{ {ranks} }}; }}",
    )


def numbers() -> ir.Program:
    """The twelve largest with their numbers: 144 comparisons that turn on one another."""
    return largest(12, "Top { key: [sample(values); 12], id: [index(); 12] }")


def squares() -> ir.Program:
    """A sum that is squared and grows 20 times."""
    return over_floats("var s = a + b; for i in 0..20 { s = s * s + a; } s")


def squares_of_a_product() -> ir.Program:
    """Of degree 2^41, with a coefficient that no machine can hold."""
    return over_floats("var s = 3.0 * a * b; for i in 0..40 { s = s * s; } s")


def squares_of_a_constant() -> ir.Program:
    return over_floats("var s = 3.0; for i in 0..40 { s = s * s; } max(a, b) + s")


def bins() -> ir.Program:
    """64 bins that move to places that are computed: each turns on terms that all share."""
    return reduction(
        "Int",
        "S",
        "var t = [0; 64]; t[sample(values) & 63] = 1; S { t: t, k: sample(values) & 7 }",
        "let k = max(a.k, b.k); var t = [0; 64];"
        " for i in 0..64 { t[i >> (k - a.k)] += a.t[i]; t[i >> (k - b.k)] += b.t[i]; } S { t: t, k: k }",
        "struct S { t: [Int; 64]; k: Int; }",
    )


HOSTILE = {
    make.__name__: make
    for make in (
        fields,
        chosen_fields,
        rounds,
        lawful_rounds,
        variants,
        numbers,
        squares,
        squares_of_a_product,
        squares_of_a_constant,
        bins,
    )
}


@pytest.mark.parametrize("name", HOSTILE)
def test_what_is_too_much_takes_bounded_time_and_memory(name: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.law.test_hostile", name],
        capture_output=True,
        text=True,
        timeout=SECONDS + MORE,
        check=True,
        cwd=Path(__file__).parents[2],
    )
    peak, *verdicts = done.stdout.split()
    assert len(verdicts) == 2
    assert int(peak) < MEBIBYTES or (peak == "-1" and sys.platform == "win32")  # which does not tell


def main(name: str) -> None:
    """Print the most memory that this process and the solver's had, in MiB, and the verdicts."""
    prover = Prover(InterpretedParts)
    judgement = prover.judgement(HOSTILE[name](), SECONDS)
    prover.close()
    print(_peak() >> 10, *(law.verdict for law in judgement.laws))


def _peak() -> int:
    """KiB of this process or of the solver's, whichever is more; below 0 where the system does not tell."""
    if sys.platform == "win32":
        return -1
    import resource

    own, solver = (resource.getrusage(of).ru_maxrss for of in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    if sys.platform == "darwin":  # in bytes
        return max(own, solver) >> 10
    # On Linux the first one counts the tests' process too, of which this one was forked.
    [line] = [line for line in _STATUS.read_text().splitlines() if line.startswith("VmHWM:")]
    return max(int(line.split()[1]), solver)


if __name__ == "__main__":
    main(sys.argv[1])
