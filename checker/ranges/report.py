"""Hazards as diagnostics."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from kcheck.checker import rules
from kcheck.checker.ranges.analysis import Hazard, Kind
from kcheck.checker.ranges.interval import Interval
from kcheck.grammar.diagnostics import Diagnostic, Note
from kcheck.grammar.source import SourceFile
from kcheck.grammar.spans import Origin

_TUNABLE = {Kind.DECIDED, Kind.NO_ROUNDS}
"""What a named constant may well bring about: it is there to be set one way or another."""


def reports(hazards: Iterable[Hazard], files: Mapping[str, SourceFile]) -> Iterator[Diagnostic]:
    """A diagnostic for each hazard that no named constant decides."""
    for hazard in hazards:
        if hazard.kind not in _TUNABLE or not any(_is_named(origin, files) for origin in hazard.constants):
            yield _report(hazard)


def _is_named(origin: Origin, files: Mapping[str, SourceFile]) -> bool:
    file = files[origin.path]
    span = file.absolute(origin)
    text = file.text[span.start : span.end]
    return text.isidentifier() and text not in ("true", "false")


def _report(hazard: Hazard) -> Diagnostic:
    found = hazard.found
    match hazard.kind:
        case Kind.ZERO if hazard.detail == "Int":
            note = "on Ints, `x / 0` is x and `x % 0` is 0"
            return rules.DIVISION_BY_ZERO.report(hazard.origin, "the divisor is always 0", notes=(Note(note),))
        case Kind.ZERO:
            note = "on Floats, `x / 0.0` is an infinity or NaN, and `x % 0.0` is NaN"
            return rules.DIVISION_BY_ZERO.report(hazard.origin, "the divisor is always 0", notes=(Note(note),))
        case Kind.MAYBE_ZERO:
            message = f"`{hazard.detail}` may be 0 here: {_range(found)}"
            note = "narrow the range of the param, or test it first: `if x != 0 { … }`"
            return rules.DIVISION_BY_ZERO.report(hazard.origin, message, notes=(Note(note),))
        case Kind.OUTSIDE:
            message = f"this is always outside: {_range(found)}, and {hazard.detail}"
            note = "a read outside gives the nearest element, a write outside is dropped"
            return rules.INDEX_OUTSIDE.report(hazard.origin, message, notes=(Note(note),))
        case Kind.SHIFT:
            message = f"the count of this shift is never one of 0 to 31: {_range(found)}"
            note = "counts are taken modulo 32, so a shift by 32 changes nothing"
            return rules.SHIFT_OUT_OF_RANGE.report(hazard.origin, message, notes=(Note(note),))
        case Kind.DECIDED:
            word = "true" if found.low else "false"
            return rules.CONDITION_DECIDED.report(hazard.origin, f"this condition is always {word}")
        case Kind.NO_ROUNDS:
            message = f"this loop never has a round: it would begin at {_number(found.low)} or above"
            end = f"and end at {_number(found.high)} or below"
            return rules.LOOP_NEVER_ENTERED.report(hazard.origin, f"{message} {end}")


def _range(found: Interval) -> str:
    if found.is_point:
        return f"it is {_number(found.low)}"
    return f"it lies in {_number(found.low)} to {_number(found.high)}"


def _number(value: float) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)
