"""Scatter: `scatter over x into t with op { … }`, pairs of address and value combined into a copy of `t`."""

from __future__ import annotations

from kcheck.checker import ir, rules, types
from kcheck.checker.lower import edits, fixes
from kcheck.checker.lower.context import Expected, Use
from kcheck.checker.modes.common import (
    ELEMENT_USES,
    KernelContext,
    Lowered,
    check_combinable,
    combine_op,
    lower_body,
    named_input,
    refuse_memories,
    single_output,
)
from kcheck.checker.modes.fixes import retype
from kcheck.checker.rules.rule import Rule
from kcheck.grammar import syntax
from kcheck.grammar.walk import descendants


def lower_scatter(kernel: KernelContext, body: syntax.ScatterBody) -> Lowered | None:
    refuse_memories(kernel)
    over = named_input(kernel, body.over, "over")
    target = named_input(kernel, body.into, "into")
    op = combine_op(kernel, body.op, tuple(ir.CombineOp))
    _check_output(kernel, body, target)
    if op is not None and target is not None:
        emits = any(isinstance(n, syntax.Name) and n.text == "emit" for n in descendants(body.block))
        last = () if emits else fixes.rename_to(kernel.home, body.op, "last")
        check_combinable(kernel, op, target.element, body.op.span, last)
    kernel.program.rank = over.rank if over is not None else 1
    kernel.program.in_scatter = True
    kernel.program.scatter_target = target
    element = lower_body(kernel, "scatter", body.block, body.head, Expected(None, rules.BAD_PAIR), _refused(op, target))
    if element is None or over is None or op is None:
        return None
    schedule = ir.CombineByAddress(over=body.over.text, into=body.into.text, op=op, element=element.index)
    return Lowered(schedule, element.function.result)


def _check_output(kernel: KernelContext, body: syntax.ScatterBody, target: types.Field | None) -> None:
    output = single_output(kernel, "scatter")
    if output is None or target is None or output[1] == target:
        return
    kernel.report(
        rules.OUTPUT_SHAPE,
        output[0].node.span,
        f"the output of a scatter is its target with more written into it: {target}, not {output[1]}",
        f"`{body.into.text}` is declared as {target}",
        fixes=retype(kernel, output[0].node, _type_text(kernel, body.into.text)),
    )


def _type_text(kernel: KernelContext, name: str) -> str:
    """The type of a port as it is written."""
    return edits.source(kernel.home, kernel.scope.ports[name].node.type.span)


def _refused(op: ir.CombineOp | None, target: types.Field | None) -> dict[Use, tuple[Rule, str]]:
    refused = dict(ELEMENT_USES)
    floats = target is not None and types.contains(target.element, types.FLOAT)
    if op is ir.CombineOp.LAST:
        refused[Use.EMIT] = (rules.EMIT_NOT_ALLOWED, "with `last` only the pair that the body returns counts")
    elif op is ir.CombineOp.SUM and floats:
        refused[Use.EMIT] = (
            rules.EMIT_NOT_ALLOWED,
            "a sum of Floats depends on the order of its terms, so each element gives just the pair it returns",
        )
    else:
        del refused[Use.EMIT]
    return refused
