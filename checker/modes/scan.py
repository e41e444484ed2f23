"""Scan: `scan over x with y = init { … }`, in order, each result the next `y`; it may own memories."""

from __future__ import annotations

from kcheck.checker import ir, rules
from kcheck.checker.lower.context import Expected, Use
from kcheck.checker.modes.common import (
    EMIT_RULE,
    LANES_RULE,
    KernelContext,
    Lowered,
    isolated_uses,
    lower_body,
    named_input,
    output_reason,
    rows_output,
)
from kcheck.grammar import syntax


def lower_scan(kernel: KernelContext, body: syntax.ScanBody) -> Lowered | None:
    over = named_input(kernel, body.over, "over")
    output = rows_output(kernel, "scan", "elements come out in the order of the walk")
    kernel.program.rank = over.rank if over is not None else 1
    carry = output[1].element if output is not None else None
    reason = output_reason(*output) if output is not None else ""
    start = Expected(carry, rules.WRONG_RESULT, f"`{body.carry.text}` carries the previous output; {reason}")
    init_block = syntax.Block(
        span=body.init.span,
        statements=(syntax.ExprStatement(span=body.init.span, value=body.init, semicolon=False),),
    )
    init = lower_body(kernel, "init", init_block, body.init.span, start, isolated_uses("the start value"))
    parameters = [(body.carry, carry, "carried value")]
    expected = Expected(carry, rules.WRONG_RESULT, reason)
    element = lower_body(
        kernel,
        "scan",
        body.block,
        body.head,
        expected,
        {Use.LANES: LANES_RULE, Use.EMIT: EMIT_RULE},
        parameters,
    )
    if init is None or element is None or over is None or carry is None:
        return None
    return Lowered(ir.OrderedWalk(over=body.over.text, element=element.index, init=init.index), carry)
