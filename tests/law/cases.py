"""The cases of the prover: Markdown files of reductions with the laws that hold for their merges.

    ## heading
    ```kernel
    … one reduction …
    ```
    ```json
    {"laws": "AC", "why": "…", "needs": "…", "far": ["associative"], "open": ["commutative"]}
    ```

`laws` is what the mathematics says: `AC` for both laws, `A` and `C` for one of them, `–` for none, `undefined` where
elements that can occur lead to a step without a value.  `why` is the proof in a line, `needs` an invariant that it
rests on.  `far` names what fails only beyond what a test can merge: after millions of leaves, or by a difference
below the precision of Floats; `undefined` may stand there too.  `open` names the laws that the prover may leave
undecided, as it does not decide them, or not in every ten seconds of a busy machine; all others it has to decide.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from kcheck.checker import ir
from kcheck.checker.law.problem import Law
from tests.cases.cases import read_specs
from tests.support import program_of

CASES = Path(__file__).parent / "cases"
UNDEFINED = "undefined"
_LAWS = {"A": (Law.ASSOCIATIVE,), "C": (Law.COMMUTATIVE,), "AC": tuple(Law), "–": (), UNDEFINED: ()}
_KEYS = {"laws", "why", "needs", "far", "open"}


@dataclass(frozen=True)
class LawCase:
    """A reduction and what is true of its merge."""

    name: str
    source: str
    laws: str
    why: str
    needs: str = ""
    far: tuple[str, ...] = ()
    open: tuple[str, ...] = ()

    @property
    def is_development(self) -> bool:
        return self.name.startswith("development/")

    @property
    def is_practice(self) -> bool:
        return self.name.startswith("practice/")

    @property
    def is_ported(self) -> bool:
        return self.name.startswith("ported/")

    @property
    def is_fresh(self) -> bool:
        return self.name.startswith(("monoids/", "workshop/"))

    @property
    def is_of_a_field(self) -> bool:
        return self.name.startswith(("databases/", "discrete/", "models/", "physics/", "systems/"))

    @property
    def is_undefined(self) -> bool:
        return self.laws == UNDEFINED

    def holds(self, law: Law) -> bool:
        return law in _LAWS[self.laws]

    @property
    def program(self) -> ir.Program:
        return program_of(self.source)


@cache
def law_cases() -> tuple[LawCase, ...]:
    """The cases of every file, in order."""
    return tuple(case for path in sorted(CASES.glob("*.md")) for case in _read(path))


def _read(path: Path) -> Iterator[LawCase]:
    for name, source, spec in read_specs(path):
        assert spec.keys() <= _KEYS, f"{name}: {spec.keys() - _KEYS} mean nothing"
        assert spec["laws"] in _LAWS, f"{name}: {spec['laws']}"
        yield LawCase(
            name.removesuffix("#1"),
            source,
            spec["laws"],
            spec["why"],
            spec.get("needs", ""),
            tuple(spec.get("far", ())),
            tuple(spec.get("open", ())),
        )
