"""`if a > b { a } else { b }` on Floats, which is `max(a, b)` but for NaN and the signs of zeros: the fix."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from kcheck.checker import ir
from kcheck.checker.ir import BinaryOp
from kcheck.checker.types import FLOAT
from kcheck.grammar.diagnostics import Edit, Fix
from kcheck.grammar.source import SourceFile
from kcheck.grammar.spans import Origin

_TAKES_LARGER = {BinaryOp.GT: True, BinaryOp.GE: True, BinaryOp.LT: False, BinaryOp.LE: False}
"""Whether a comparison, where it holds, says that the left side is the larger."""

_OWN_FUNCTION = re.compile(r"\bfn\s+(max|min)\b")


def fixes(program: ir.Program, merge: Origin, sources: Mapping[str, SourceFile]) -> tuple[Fix, ...]:
    """One fix that edits every such choice in the kernel's own functions; none where there is none.

    Nor is there one where a function of the user's may stand for `max` or `min`.
    """
    if any(_OWN_FUNCTION.search(source.text) for source in sources.values()):
        return ()
    found = [
        edit
        for function in program.functions
        for node in ir.walk(function.body)
        if (edit := _edit(node, function, sources)) is not None and edit.origin.item == merge.item
    ]
    # A choice inside another is edited with it, or not at all.
    outer = [e for e in found if not any(o is not e and _holds(o.origin, e.origin) for o in found)]
    words = " and ".join(dict.fromkeys(f"`{edit.text}`" for edit in outer))
    return (Fix(f"write {words}, which ignores NaN", tuple(outer)),) if outer else ()


def _holds(outer: Origin, inner: Origin) -> bool:
    return outer.span.start <= inner.span.start and inner.span.end <= outer.span.end


def _edit(node: ir.Node, function: ir.Function, sources: Mapping[str, SourceFile]) -> Edit | None:
    match node:
        case ir.Conditional(condition=ir.Binary() as test, then=then, otherwise=otherwise):
            name = _name(test, then, otherwise)
            form = "{}"
        case ir.If(condition=ir.Binary() as test):
            values = list(_returned(node))
            name = _name(test, *values) if len(values) == 2 else None
            form = "return {};"
        case _:
            return None
    if name is None:
        return None
    origin = function.origins[node.id]
    sides = [_text(function.origins[side.id], sources) for side in (test.left, test.right)]
    text = form.format(f"{name}({', '.join(sides)})")
    return Edit(origin, f"{{ {text} }}" if _is_after_else(origin, sources) else text)


def _is_after_else(origin: Origin, sources: Mapping[str, SourceFile]) -> bool:
    source = sources[origin.path]
    return source.text[: source.absolute(origin).start].rstrip().endswith("else")


def _returned(node: ir.If) -> Iterator[ir.Expression]:
    """What each branch returns, where that is all it does."""
    for block in (node.then, node.otherwise):
        match block.statements:
            case (ir.Return(value=ir.Expression() as value),):
                yield value


def _name(test: ir.Binary, then: ir.Expression, otherwise: ir.Expression) -> str | None:
    """`max` or `min`, where the choice is between the two sides of the comparison."""
    takes_larger = _TAKES_LARGER.get(test.op)
    if takes_larger is None or test.left.type is not FLOAT:
        return None
    if (then, otherwise) == (test.left, test.right):
        return "max" if takes_larger else "min"
    if (then, otherwise) == (test.right, test.left):
        return "min" if takes_larger else "max"
    return None


def _text(origin: Origin, sources: Mapping[str, SourceFile]) -> str:
    source = sources[origin.path]
    span = source.absolute(origin)
    return source.text[span.start : span.end]
