"""Branches: every side runs for the lanes that choose it, and not at all where none does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from kcheck.checker import ir
from kcheck.runtime.interpreter.expressions import compile_scalars
from kcheck.runtime.interpreter.frames import NOBODY, Execute, Frame, Mask, join, narrow
from kcheck.runtime.interpreter.functions import Scope
from kcheck.runtime.interpreter.values import a_bool, an_int
from kcheck.runtime.layout import AnyArray


def compile_if(node: ir.If, scope: Scope, then: Execute, otherwise: Execute) -> Execute:
    condition = compile_scalars(node.condition, scope)

    def execute(frame: Frame, mask: Mask) -> Mask:
        chosen = condition(frame, mask)
        if chosen.size == 1:
            return (then if chosen else otherwise)(frame, mask)
        yes, no = narrow(mask, chosen), narrow(mask, ~chosen)
        if no is NOBODY:
            return then(frame, mask)
        if yes is NOBODY:
            return otherwise(frame, mask)
        after_yes, after_no = then(frame, yes), otherwise(frame, no)
        return mask if after_yes is yes and after_no is no else join(after_yes, after_no)

    return execute


# ---------------------------------------------------------------- switch

_Ranges: TypeAlias = Sequence[tuple[int, int]]


def compile_switch(node: ir.Switch, scope: Scope, bodies: Sequence[Execute], otherwise: Execute) -> Execute:
    subject = compile_scalars(node.subject, scope)
    find = _Finder([case.ranges for case in node.cases])
    arms = [*bodies, otherwise]
    tests = [case.ranges for case in node.cases]

    def execute(frame: Frame, mask: Mask) -> Mask:
        value = subject(frame, mask)
        if value.size == 1:
            return arms[find(value.item())](frame, mask)
        return _run_arms(frame, mask, arms, [_holds(ranges, value) for ranges in tests])

    return execute


def _run_arms(frame: Frame, mask: Mask, arms: Sequence[Execute], chosen: Sequence[AnyArray]) -> Mask:
    """Run each arm for those of the lanes still left that it holds, the last arm for the rest."""
    left: Mask = mask
    after: Mask = NOBODY
    returned = False
    for arm, holds in zip(arms, [*chosen, a_bool(True)], strict=True):
        taken = narrow(left, holds)
        if taken is not NOBODY:
            left = narrow(left, ~holds)
            still = arm(frame, taken)
            returned = returned or still is not taken
            after = join(after, still)
        if left is NOBODY:
            break
    return after if returned else mask


def _holds(ranges: _Ranges, value: AnyArray) -> AnyArray:
    result = a_bool(False)
    for low, high in ranges:
        result = result | (value == an_int(low) if low == high else (value >= an_int(low)) & (value <= an_int(high)))
    return result


class _Finder:
    """Finds the first case that holds an Int: single ones in one look, for scans that interpret code."""

    def __init__(self, cases: Sequence[_Ranges]) -> None:
        self._singles: dict[int, int] = {}
        self._spans: list[tuple[int, int, int]] = []
        self._none = len(cases)
        for position, ranges in enumerate(cases):
            for low, high in ranges:
                if low == high:
                    self._singles.setdefault(low, position)
                else:
                    self._spans.append((low, high, position))

    def __call__(self, value: int) -> int:
        """The position of the case, or how many there are where none holds `value`."""
        found = self._singles.get(value, self._none)
        spans = (at for low, high, at in self._spans if low <= value <= high)
        return min(found, next(spans, self._none))
