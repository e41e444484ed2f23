"""Group: `group N { … }`, as a map in groups of N lanes that may exchange values."""

from __future__ import annotations

from kcheck.checker import ir, rules
from kcheck.checker.lower.context import Use
from kcheck.checker.modes.common import (
    EMIT_RULE,
    KernelContext,
    Lowered,
    domain_outputs,
    lower_body,
    refuse_memories,
)
from kcheck.checker.modes.map import expected_outputs
from kcheck.grammar import syntax


def lower_group(kernel: KernelContext, body: syntax.GroupBody) -> Lowered | None:
    refuse_memories(kernel)
    size = kernel.program.declarations.constant_int(body.size, kernel.scope, kernel.home)
    if size is not None and size < 1:
        kernel.report(rules.BAD_GROUP_SIZE, body.size.span, f"a group has at least 1 lane, this one {size}")
    kernel.program.rank, result = domain_outputs(kernel)
    lowered = lower_body(
        kernel,
        "group",
        body.block,
        body.head,
        expected_outputs(kernel, result),
        {Use.EMIT: EMIT_RULE},
    )
    if lowered is None or result is None or size is None:
        return None
    return Lowered(ir.Lanes(size=size, element=lowered.index), result)
