"""Prefix: `prefix over x with op { … }`, output i combines the values at 0..=i in any grouping."""

from __future__ import annotations

from kcheck.checker import ir, rules, types
from kcheck.checker.lower.context import Expected
from kcheck.checker.modes import fixes
from kcheck.checker.modes.common import (
    ELEMENT_USES,
    KernelContext,
    Lowered,
    check_combinable,
    combine_op,
    lower_body,
    named_input,
    output_reason,
    refuse_memories,
    rows_output,
)
from kcheck.grammar import syntax


def lower_prefix(kernel: KernelContext, body: syntax.PrefixBody) -> Lowered | None:
    refuse_memories(kernel)
    over = named_input(kernel, body.over, "over")
    output = rows_output(kernel, "prefix", "elements come out in the order of the walk")
    element_type = output[1].element if output is not None else None
    without_last = fixes.without_last(kernel, body, element_type) if element_type is not None else ()
    op = combine_op(kernel, body.op, (ir.CombineOp.SUM, ir.CombineOp.MIN, ir.CombineOp.MAX), without_last)
    kernel.program.rank = over.rank if over is not None else 1
    if op is not None and element_type is not None and check_combinable(kernel, op, element_type, body.op.span):
        _refuse_float_sum(kernel, body, op, element_type)
    reason = output_reason(*output) if output is not None else ""
    expected = Expected(element_type, rules.WRONG_RESULT, reason)
    element = lower_body(kernel, "prefix", body.block, body.head, expected, ELEMENT_USES)
    if element is None or over is None or op is None or element_type is None:
        return None
    return Lowered(ir.RunningCombine(over=body.over.text, op=op, element=element.index), element_type)


def _refuse_float_sum(kernel: KernelContext, body: syntax.PrefixBody, op: ir.CombineOp, element: types.Type) -> None:
    if op is not ir.CombineOp.SUM or not types.contains(element, types.FLOAT):
        return
    name = body.over.text
    kernel.report(
        rules.FLOAT_PREFIX_SUM,
        body.op.span,
        f"a prefix cannot `sum` {element}: sums of Floats depend on their grouping, and a prefix may group at will",
        f"a scan adds in order: `scan over {name} with total = 0.0 {{ return total + …; }}`",
        label="holds Floats",
        fixes=fixes.scan_for_prefix(kernel, body, element),
    )
