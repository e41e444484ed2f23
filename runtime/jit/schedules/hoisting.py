"""Calls of some functions taken out of expressions, so that they are statements."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import fields, replace
from typing import Any, TypeVar

from kcheck.checker import ir
from kcheck.checker.ir import Logic
from kcheck.checker.types import BOOL, Type

NodeT = TypeVar("NodeT", bound="ir.Statement | ir.Expression")


def hoisted(function: ir.Function, callees: Container[int]) -> ir.Function:
    """The function with each call of one of `callees` a `CallStatement` that gives its result to a new local.

    Functions are pure here, so a call may move before the rest of its expression, and one without a result is nothing.
    """
    return _Hoister(function, callees).write()


class _Hoister:
    def __init__(self, function: ir.Function, callees: Container[int]) -> None:
        self._function = function
        self._callees = callees
        self._locals = list(function.locals)

    def write(self) -> ir.Function:
        body = self._block(self._function.body)
        return replace(self._function, body=body, locals=tuple(self._locals))

    def _calls(self, node: ir.Node) -> bool:
        return any(
            isinstance(n, ir.CallStatement) or (isinstance(n, ir.Call) and n.function in self._callees)
            for n in ir.walk(node)
        )

    def _local(self, type_: Type) -> int:
        self._locals.append(ir.LocalDecl(name="", type=type_))
        return len(self._locals) - 1

    # ------------------------------------------------------------ statements

    def _block(self, block: ir.Block) -> ir.Block:
        into: list[ir.Statement] = []
        for statement in block.statements:
            self._statement(statement, into)
        return replace(block, statements=tuple(into))

    def _statement(self, node: ir.Statement, into: list[ir.Statement]) -> None:
        """Write a statement, behind the calls that are in it."""
        if not self._calls(node):
            into.append(node)
            return
        match node:
            case ir.Block():
                into.append(self._block(node))
            case ir.If():
                condition = self._expression(node.condition, into)
                into.append(
                    replace(
                        node, condition=condition, then=self._block(node.then), otherwise=self._block(node.otherwise)
                    )
                )
            case ir.Switch():
                subject = self._expression(node.subject, into)
                cases = tuple(replace(case, body=self._block(case.body)) for case in node.cases)
                into.append(replace(node, subject=subject, cases=cases, otherwise=self._block(node.otherwise)))
            case ir.Loop():
                low, high = self._expression(node.low, into), self._expression(node.high, into)
                into.append(
                    replace(node, low=low, high=high, until=self._until(node.until), body=self._block(node.body))
                )
            case ir.CallStatement():
                pass
            case _:
                into.append(self._with_parts(node, into))

    def _until(self, until: ir.Until | None) -> ir.Until | None:
        if until is None:
            return None
        statements = list(self._block(until.block).statements)
        condition = self._expression(until.condition, statements)
        return replace(until, block=replace(until.block, statements=tuple(statements)), condition=condition)

    # ------------------------------------------------------------ expressions

    def _expression(self, node: ir.Expression, into: list[ir.Statement]) -> ir.Expression:
        """What is left of an expression once the calls in it stand in `into`."""
        if not self._calls(node):
            return node
        match node:
            case ir.Call() if node.function in self._callees:
                args = tuple(self._expression(arg, into) for arg in node.args)
                local = self._local(node.type)
                into.append(ir.CallStatement(local=local, function=node.function, args=args))
                return ir.Local(type=node.type, local=local)
            case ir.Conditional():
                return self._chosen(node.condition, node.then, node.otherwise, into)
            case ir.ShortCircuit():
                decided = ir.Const(type=BOOL, leaves=(node.op is Logic.OR,))
                if node.op is Logic.AND:
                    return self._chosen(node.left, node.right, decided, into)
                return self._chosen(node.left, decided, node.right, into)
            case _:
                return self._with_parts(node, into)

    def _chosen(
        self, condition: ir.Expression, then: ir.Expression, otherwise: ir.Expression, into: list[ir.Statement]
    ) -> ir.Expression:
        condition = self._expression(condition, into)
        local = self._local(then.type)
        arms = []
        for side in (then, otherwise):
            arm: list[ir.Statement] = []
            value = self._expression(side, arm)
            arms.append(ir.Block(statements=(*arm, ir.Assign(local=local, value=value))))
        into.append(ir.If(condition=condition, then=arms[0], otherwise=arms[1]))
        return ir.Local(type=then.type, local=local)

    def _with_parts(self, node: NodeT, into: list[ir.Statement]) -> NodeT:
        """The node with what is left of the expressions in it."""
        changes: dict[str, Any] = {f.name: self._part(getattr(node, f.name), into) for f in fields(node)}
        return replace(node, **changes)

    def _part(self, value: object, into: list[ir.Statement]) -> object:
        match value:
            case ir.Expression():
                return self._expression(value, into)
            case ir.IndexStep():
                return replace(value, index=self._expression(value.index, into))
            case tuple():
                return tuple(self._part(part, into) for part in value)
            case _:
                return value
