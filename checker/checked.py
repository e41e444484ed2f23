"""What checking a file gives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from kcheck.checker.bindings import ExampleSpec
from kcheck.checker.ir import Program
from kcheck.grammar.diagnostics import Diagnostic, Severity
from kcheck.grammar.source import SourceFile

if TYPE_CHECKING:
    from kcheck.checker.facts import ItemFacts
    from kcheck.checker.law.verdict import Witness


@dataclass(frozen=True, slots=True)
class LawVerdict:
    """A verdict on one law of one reduction's merge.

    `law` is "associative" or "commutative"; `verdict` "proved", "refuted" (then there is a `witness`) or "unknown"
    (then there is a `reason`).  A proof may rest on what is true of every value of a fold: `assuming`.
    """

    kernel: str
    law: str
    verdict: str
    reason: str = ""
    assuming: tuple[str, ...] = ()
    seconds: float = 0.0
    witness: Witness | None = None


@dataclass(frozen=True)
class Checked:
    """The result of checking one file together with the files it uses.

    `programs` holds a program for each kernel of the file that has no error; `scenes` the names of its scenes.
    `files` maps the path in any `Origin` to its source.  `laws` is empty until a prover has judged the merges.
    `facts` tells what stands where in the file, by the keys of its items.
    """

    file: SourceFile
    files: Mapping[str, SourceFile]
    diagnostics: tuple[Diagnostic, ...]
    programs: Mapping[str, Program]
    scenes: tuple[str, ...]
    examples: tuple[ExampleSpec, ...]
    laws: tuple[LawVerdict, ...] = ()
    facts: Mapping[str, ItemFacts] = field(default_factory=dict, repr=False)

    @property
    def has_errors(self) -> bool:
        return any(d.severity is Severity.ERROR for d in self.diagnostics)
