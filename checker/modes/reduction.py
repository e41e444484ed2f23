"""Reduction: `compute over x { … }` and `merge(a, b) { … }`, folded to Rows of exactly one element."""

from __future__ import annotations

from kcheck.checker import ir, rules
from kcheck.checker.lower.context import Expected
from kcheck.checker.lower.fixes import free_name, names_in, rename_to
from kcheck.checker.modes import fixes
from kcheck.checker.modes.common import (
    ELEMENT_USES,
    KernelContext,
    Lowered,
    isolated_uses,
    lower_body,
    named_input,
    output_reason,
    refuse_memories,
    rows_output,
)
from kcheck.grammar import syntax


def lower_reduction(kernel: KernelContext, body: syntax.ReductionBody) -> Lowered | None:
    refuse_memories(kernel)
    over = named_input(kernel, body.over, "over")
    output = rows_output(kernel, "reduction", "one element comes out, whatever the shape of the input")
    kernel.program.rank = over.rank if over is not None else 1
    element_type = output[1].element if output is not None else None
    reason = output_reason(*output) if output is not None else ""
    expected = Expected(element_type, rules.WRONG_RESULT, reason)
    element = lower_body(kernel, "compute", body.block, body.head, expected, ELEMENT_USES)
    if kernel.merge is None:
        kernel.report(
            rules.MISSING_MERGE,
            body.head,
            "a reduction also needs `merge(a, b) { … }`",
            "`merge` folds two results into one; it must be associative and commutative",
            fixes=fixes.merge_skeleton(kernel, body, element_type) if element_type is not None else (),
        )
        return None
    merge = kernel.merge
    if merge.left.text == merge.right.text:
        made = rename_to(kernel.home, merge.right, free_name("b", names_in(merge)))
        kernel.report(rules.DUPLICATE, merge.right.span, f"a second parameter `{merge.right.text}`", fixes=made)
        return None
    parameters = [(name, element_type, "parameter of `merge`") for name in (merge.left, merge.right)]
    merged = lower_body(kernel, "merge", merge.block, merge.head, expected, isolated_uses("`merge`"), parameters)
    if element is None or merged is None or over is None or element_type is None:
        return None
    return Lowered(ir.Fold(over=body.over.text, element=element.index, merge=merged.index), element_type)
