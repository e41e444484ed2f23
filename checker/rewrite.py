"""Copies of a program's parts in which something is replaced."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any, TypeVar

from kcheck.checker import ir

NodeT = TypeVar("NodeT", bound=ir.Node)


def rewritten(root: NodeT, rewrite: Callable[[ir.Node], ir.Node]) -> NodeT:
    """A copy of a tree of any depth in which every node went through `rewrite`, children first.

    What `rewrite` gives back unchanged stays the very same object.
    """
    done: dict[int, Any] = {}
    for node in reversed(list(ir.walk(root))):
        changes: dict[str, Any] = {
            f.name: new for f in fields(node) if (new := _replaced(getattr(node, f.name), done)) is not None
        }
        done[id(node)] = rewrite(replace(node, **changes) if changes else node)
    made: NodeT = done[id(root)]
    return made


def _replaced(value: object, done: dict[int, Any]) -> object:
    """A field's value with its nodes replaced, or None where all of them are as they were."""
    if isinstance(value, ir.Node):
        return None if done[id(value)] is value else done[id(value)]
    if isinstance(value, tuple) and any(isinstance(v, ir.Node) and done[id(v)] is not v for v in value):
        return tuple(done[id(v)] if isinstance(v, ir.Node) else v for v in value)
    return None


def with_calls(function: ir.Function, position: Callable[[int], int]) -> ir.Function:
    """The function with other positions of those that it calls."""
    called = (n.function for n in ir.walk(function.body) if isinstance(n, (ir.Call, ir.CallStatement)))
    if all(position(old) == old for old in called):
        return function

    def rewrite(node: ir.Node) -> ir.Node:
        if isinstance(node, (ir.Call, ir.CallStatement)) and position(node.function) != node.function:
            return replace(node, function=position(node.function))
        return node

    return replace(function, body=rewritten(function.body, rewrite))


_ROLES = ("element", "merge", "init")
"""The fields of schedules that hold positions of functions."""


def scheduled(schedule: ir.Schedule) -> tuple[int, ...]:
    """The positions of the functions that a schedule runs."""
    return tuple(getattr(schedule, role) for role in _ROLES if hasattr(schedule, role))


def with_functions(schedule: ir.Schedule, position: Callable[[int], int]) -> ir.Schedule:
    """The schedule with other positions of its functions."""
    moved: dict[str, Any] = {role: position(getattr(schedule, role)) for role in _ROLES if hasattr(schedule, role)}
    return replace(schedule, **moved)
