"""Scans that could be prefixes: those that only combine what they carry with something of each element.

`carry + f(element)` over Ints, and `min` and `max` of the two (also where a comparison of Ints chooses them), are
associative for all values, so they may be grouped at will; a sum of Floats is not, as each step rounds.
"""

from __future__ import annotations

from dataclasses import dataclass

from kcheck.checker import arithmetic, evaluate, ir, rules
from kcheck.checker.builtins import Builtin
from kcheck.checker.ir import BinaryOp, CombineOp
from kcheck.checker.types import FLOAT, INT
from kcheck.grammar import syntax
from kcheck.grammar.diagnostics import Diagnostic, Edit, Fix, Note
from kcheck.grammar.spans import Origin, Span

_CARRY = 0
"""The local that holds what is carried."""

_IDENTITIES = {
    CombineOp.SUM: 0,
    CombineOp.MIN: arithmetic.INT_MAX,
    CombineOp.MAX: arithmetic.INT_MIN,
}
"""The Int that changes nothing when it is combined with another."""


@dataclass(frozen=True, slots=True)
class _Step:
    """What each element does: `whole` is the `op` of the carry and `value`."""

    op: CombineOp
    whole: ir.Expression
    value: ir.Expression


def could_be_prefix(program: ir.Program, kernel: syntax.Kernel, text: str) -> Diagnostic | None:
    """The remark on a scan that could be a prefix; `text` is that of its item."""
    walk = program.schedule
    if not isinstance(walk, ir.OrderedWalk) or program.memories or program.result not in (INT, FLOAT):
        return None
    function = program.functions[walk.element]
    step = _step(function)
    if step is None:
        return None
    body = next(member for member in kernel.members if isinstance(member, syntax.ScanBody))
    start = _start(step.op, program.functions[walk.init], _text(text, body.init.span))
    if start is None:
        return None
    value = _text(text, function.origins[step.value.id].span)
    value = f"{step.op.value}({start}, {value})" if start else value
    return _report(program, body, function.origins[step.whole.id], step.op, value)


def _report(program: ir.Program, body: syntax.ScanBody, whole: Origin, op: CombineOp, value: str) -> Diagnostic:
    head = Origin(whole.path, whole.item, body.head)
    written = f"prefix over {body.over.text} with {op.value}"
    return rules.SCAN_COULD_BE_PREFIX.report(
        head,
        "this scan could be a prefix: its steps may be grouped at will, so they need not wait for each other",
        notes=(Note(f"`{written} {{ … {value} … }}` gives the same values"),),
        fixes=(Fix(f"write `{written}`", (Edit(head, written), Edit(whole, value))),),
    )


def _text(text: str, span: Span) -> str:
    return text[span.start : span.end]


def _step(function: ir.Function) -> _Step | None:
    """The step, where only the value that is returned looks at the carry."""
    *before, last = function.body.statements
    if not isinstance(last, ir.Return) or last.value is None or any(map(_sees_carry, before)):
        return None
    match last.value:
        case ir.Binary(op=BinaryOp.ADD, left=left, right=right) if last.value.type is INT:
            op = CombineOp.SUM
        case ir.BuiltinCall(builtin=Builtin.MIN | Builtin.MAX as builtin, args=(left, right)):
            op = CombineOp.MIN if builtin is Builtin.MIN else CombineOp.MAX
        case ir.Conditional(condition=ir.Binary(op=test, left=left, right=right)) if left.type is INT:
            chosen = _extreme(test, last.value, left, right)
            if chosen is None:
                return None
            op = chosen
        case _:
            return None
    for carry, value in ((left, right), (right, left)):
        if isinstance(carry, ir.Local) and carry.local == _CARRY and not _sees_carry(value):
            return _Step(op, last.value, value)
    return None


def _extreme(test: BinaryOp, choice: ir.Conditional, left: ir.Expression, right: ir.Expression) -> CombineOp | None:
    """Which extreme of two Ints it is that the choice takes; of Floats it would matter which side is NaN."""
    if test not in (BinaryOp.LT, BinaryOp.LE, BinaryOp.GT, BinaryOp.GE):
        return None
    takes_left = (choice.then, choice.otherwise) == (left, right)
    if not takes_left and (choice.then, choice.otherwise) != (right, left):
        return None
    return CombineOp.MIN if (test in (BinaryOp.LT, BinaryOp.LE)) == takes_left else CombineOp.MAX


def _sees_carry(node: ir.Node) -> bool:
    """Whether a statement or expression uses the carry, changes it or may end the step."""
    return any(
        isinstance(inner, ir.Return) or (isinstance(inner, ir.Local | ir.Assign) and inner.local == _CARRY)
        for inner in ir.walk(node)
    )


def _start(op: CombineOp, init: ir.Function, written: str) -> str | None:
    """What the values have to be combined with to begin as the scan does: "" for nothing, None where that fails."""
    if _constant(init) == _IDENTITIES[op]:
        return ""
    # The extremes of x and the start, taken at each element, are the same as those of x with the start taken once.
    return None if op is CombineOp.SUM else written


def _constant(init: ir.Function) -> int | None:
    """The start value, where it is a constant Int."""
    match init.body.statements:
        case (ir.Return(value=ir.Expression() as value),) if value.type is INT:
            try:
                return int(evaluate.evaluate(value).leaves[0])
            except evaluate.NotConstant:
                return None
    return None
