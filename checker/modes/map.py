"""Map: `compute { … }`, once per element of the output domain; several outputs at once as a record."""

from __future__ import annotations

from kcheck.checker import ir, rules
from kcheck.checker.lower.context import Expected
from kcheck.checker.modes.common import (
    ELEMENT_USES,
    KernelContext,
    Lowered,
    domain_outputs,
    lower_body,
    output_fields,
    output_reason,
    refuse_memories,
)
from kcheck.grammar import syntax


def lower_map(kernel: KernelContext, body: syntax.MapBody) -> Lowered | None:
    refuse_memories(kernel)
    kernel.program.rank, result = domain_outputs(kernel)
    lowered = lower_body(kernel, "compute", body.block, body.head, expected_outputs(kernel, result), ELEMENT_USES)
    if lowered is None or result is None:
        return None
    return Lowered(ir.Elements(element=lowered.index), result)


def expected_outputs(kernel: KernelContext, result: object) -> Expected:
    """What the body of a map or group returns: the output's element, or a record of all outputs."""
    outputs = output_fields(kernel)
    if kernel.program.outputs is not None:
        names = ", ".join(f"{p.node.name.text}: …" for p, _ in outputs)
        return Expected(kernel.program.outputs, rules.WRONG_RESULT, f"several outputs leave as a record: {{ {names} }}")
    if not outputs or result is None:
        return Expected(None, rules.WRONG_RESULT)
    port, type_ = outputs[0]
    return Expected(type_.element, rules.WRONG_RESULT, output_reason(port, type_))
