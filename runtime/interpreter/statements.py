"""Statements of the IR, compiled to closures that run for the active lanes and answer those that go on."""

from __future__ import annotations

from typing import assert_never

from kcheck.checker import ir
from kcheck.runtime.interpreter.branches import compile_if, compile_switch
from kcheck.runtime.interpreter.exchanges import compile_exchange
from kcheck.runtime.interpreter.expressions import compile_expression, compile_into
from kcheck.runtime.interpreter.frames import NOBODY, Execute, Frame, Mask
from kcheck.runtime.interpreter.functions import Scope
from kcheck.runtime.interpreter.loops import compile_loop
from kcheck.runtime.interpreter.memories import compile_load, compile_put
from kcheck.runtime.interpreter.mentions import Mentions
from kcheck.runtime.interpreter.updates import compile_assign, set_local
from kcheck.runtime.interpreter.values import select


def compile_body(block: ir.Block, scope: Scope) -> Execute:
    """The closure for a function's body."""
    return _Compiler(scope, Mentions(block)).block(block)


class _Compiler:
    def __init__(self, scope: Scope, mentions: Mentions) -> None:
        self.scope = scope
        self.mentions = mentions

    def block(self, block: ir.Block) -> Execute:
        statements = [self._statement(s, self.mentions.is_fresh(s, block)) for s in block.statements]
        match statements:
            case []:
                return lambda frame, mask: mask
            case [only]:
                return only

        def execute(frame: Frame, mask: Mask) -> Mask:
            for statement in statements:
                mask = statement(frame, mask)
                if mask is NOBODY:
                    break
            return mask

        return execute

    def _statement(self, node: ir.Statement, fresh: bool) -> Execute:
        """`fresh` says that the local which the statement sets holds nothing that is still wanted."""
        match node:
            case ir.Block():
                return self.block(node)
            case ir.Assign():
                return compile_assign(node, self.scope, fresh and not node.steps)
            case ir.If():
                return compile_if(node, self.scope, self.block(node.then), self.block(node.otherwise))
            case ir.Switch():
                cases = [self.block(case.body) for case in node.cases]
                return compile_switch(node, self.scope, cases, self.block(node.otherwise))
            case ir.Loop():
                until = self.block(node.until.block) if node.until else None
                return compile_loop(node, self.scope, self.block(node.body), until)
            case ir.Return():
                return _return(node, self.scope)
            case ir.Exchange():
                return compile_exchange(node, self.scope, fresh)
            case ir.Load():
                return compile_load(node, self.scope)
            case ir.Put():
                return compile_put(node, self.scope)
            case ir.Emit():
                return _emit(node, self.scope)
            case ir.CallStatement():
                return _call(node, self.scope, fresh)
            case _:
                assert_never(node)


def _return(node: ir.Return, scope: Scope) -> Execute:
    if node.value is None:
        return lambda frame, mask: NOBODY
    value = compile_expression(node.value, scope)
    into = compile_into(node.value, scope)

    def execute(frame: Frame, mask: Mask) -> Mask:
        if frame.room is not None and mask is None and into is not None:
            frame.result = into(frame, frame.room)
            return NOBODY
        result, before = value(frame, mask), frame.result
        frame.result = result if mask is None or before is None else select(mask, result, before)
        return NOBODY

    return execute


def _emit(node: ir.Emit, scope: Scope) -> Execute:
    value = compile_expression(node.value, scope)

    def execute(frame: Frame, mask: Mask) -> Mask:
        frame.lanes.run.emit(value(frame, mask), frame.lanes.count, mask)
        return mask

    return execute


def _call(node: ir.CallStatement, scope: Scope, fresh: bool) -> Execute:
    callee, local = scope.callees[node.function], node.local
    args = [compile_expression(arg, scope) for arg in node.args]

    def execute(frame: Frame, mask: Mask) -> Mask:
        result = callee.call(frame.lanes, [arg(frame, mask) for arg in args], mask)
        if local is not None and result is not None:
            set_local(frame, local, result, mask, fresh)
        return mask

    return execute
