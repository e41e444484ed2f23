"""What the prover found, as diagnostics and as the verdicts of a `Checked`."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from kcheck.checker import ir, rules
from kcheck.checker.checked import LawVerdict
from kcheck.checker.law.cases import merged_type
from kcheck.checker.law.compare_select import fixes
from kcheck.checker.law.drawing import tree_text, undefined_text, witness_text
from kcheck.checker.law.problem import Law, Undefined
from kcheck.checker.law.values import leaf_names
from kcheck.checker.law.verdict import REFUTED, UNKNOWN, Judgement, LawFinding, UndefinedStep, Witness
from kcheck.grammar.diagnostics import Diagnostic, Note
from kcheck.grammar.source import SourceFile
from kcheck.grammar.spans import Origin

_MEANINGS = {
    Law.ASSOCIATIVE: "`merge(merge(a, b), c)` and `merge(a, merge(b, c))` may differ",
    Law.COMMUTATIVE: "`merge(a, b)` and `merge(b, a)` may differ",
}

_STEPS = {
    Undefined.DIVISION: "this division may be by zero",
    Undefined.REMAINDER: "this remainder may be of a division by zero",
    Undefined.LOG: "this logarithm may be of a number that is not above 0",
    Undefined.SQRT: "this square root may be of a negative number",
    Undefined.INVERSESQRT: "this `inversesqrt` may be of a number that is not above 0",
    Undefined.ARC: "this may be of a number beyond -1 and 1",
    Undefined.TAN: "this tangent may be at a pole",
    Undefined.POW: "this power may have no value",
    Undefined.NORMALIZE: "this may normalize a vector of length 0",
    Undefined.NOT_REAL: "this may be infinite or NaN",
}


def verdicts(judgement: Judgement) -> tuple[LawVerdict, ...]:
    return tuple(
        LawVerdict(
            kernel=judgement.program.name,
            law=found.law.value,
            verdict=found.verdict,
            reason=found.reason,
            assuming=found.assuming,
            seconds=found.seconds,
            witness=found.witness,
        )
        for found in judgement.laws
    )


def diagnostics(judgement: Judgement, merge: Origin, sources: Mapping[str, SourceFile]) -> Iterator[Diagnostic]:
    """The findings on one reduction; `merge` is the head of its merge, in the file that is checked."""
    yield from (_refuted(found, merge) for found in judgement.laws if found.verdict == REFUTED)
    if judgement.undefined is not None:
        yield _undefined(judgement.undefined, merge)
    else:
        unknown = [found for found in judgement.laws if found.verdict == UNKNOWN]
        if unknown:
            yield _unknown(unknown, judgement, merge)
    if judgement.special is not None:
        yield _special(judgement.special, judgement.program, merge, sources)


def _refuted(found: LawFinding, merge: Origin) -> Diagnostic:
    witness = found.witness
    assert witness is not None
    return rules.LAW_REFUTED.report(
        merge,
        f"this merge is not {found.law.value}: {_MEANINGS[found.law]}{_where(witness)}",
        label=f"not {found.law.value}",
        notes=(Note(witness_text(witness)),),
    )


def _where(witness: Witness) -> str:
    """The fields that differ, where they have names."""
    names = leaf_names(merged_type(witness.program))
    differing = [f"`{names[leaf]}`" for leaf in witness.differing if names[leaf]]
    if not differing or len(differing) > 3:
        return ""
    return f" in {' and '.join(filter(None, (', '.join(differing[:-1]), differing[-1])))}"


def _undefined(found: UndefinedStep, merge: Origin) -> Diagnostic:
    inside = found.origin.path == merge.path
    message = f"{_STEPS[found.kind]}, for elements that can occur"
    notes = [Note(undefined_text(found))]
    if not inside:
        notes.append(Note("the step is here", found.origin))
    notes.append(Note("so the laws of the merge have no verdict: unknown, undefined step"))
    return rules.UNDEFINED_STEP.report(found.origin if inside else merge, message, notes=tuple(notes))


def _unknown(unknown: Sequence[LawFinding], judgement: Judgement, merge: Origin) -> Diagnostic:
    laws = " and ".join(found.law.value for found in unknown)
    reasons = dict.fromkeys(found.reason for found in unknown if found.reason)
    message = f"not proved that this merge is {laws}: {'; '.join(reasons)}"
    if judgement.blocked is None:
        note = Note("no elements were found that break it; a fold's tree is the backend's choice, so it matters")
    else:
        note = Note("this stopped the prover", judgement.blocked)
    return rules.LAW_UNKNOWN.report(merge, message, notes=(note,))


def _special(witness: Witness, program: ir.Program, merge: Origin, sources: Mapping[str, SourceFile]) -> Diagnostic:
    numbers = [n for field in witness.case.fields.values() for element in field.elements for n in element]
    kind = "NaN" if any(map(math.isnan, numbers)) else "infinities"
    first, second = tree_text(witness.left.tree), tree_text(witness.right.tree)
    return rules.SPECIAL_VALUES.report(
        merge,
        f"this merge depends on its order for {kind}: `{first}` and `{second}` differ",
        label=f"not the same for {kind}",
        notes=(Note(witness_text(witness)),),
        fixes=fixes(program, merge, sources),
    )
