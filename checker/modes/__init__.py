"""The six modes: each file holds the rules, the output shape and the schedule of one."""

from __future__ import annotations

from kcheck.checker.modes.common import KernelContext, Lowered
from kcheck.checker.modes.group import lower_group
from kcheck.checker.modes.map import lower_map
from kcheck.checker.modes.prefix import lower_prefix
from kcheck.checker.modes.reduction import lower_reduction
from kcheck.checker.modes.scan import lower_scan
from kcheck.checker.modes.scatter import lower_scatter
from kcheck.grammar import syntax


def lower_mode(kernel: KernelContext, body: syntax.Body) -> Lowered | None:
    """Check a kernel's body by the rules of its mode and lower it; None after an error."""
    match body:
        case syntax.MapBody():
            return lower_map(kernel, body)
        case syntax.ReductionBody():
            return lower_reduction(kernel, body)
        case syntax.ScanBody():
            return lower_scan(kernel, body)
        case syntax.ScatterBody():
            return lower_scatter(kernel, body)
        case syntax.PrefixBody():
            return lower_prefix(kernel, body)
        case syntax.GroupBody():
            return lower_group(kernel, body)
        case _:
            raise TypeError(f"{type(body).__name__} names no mode")
