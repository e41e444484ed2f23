"""What goes wrong while a program is verified."""

from __future__ import annotations

from kcheck.checker import ir


class InvalidIR(Exception):
    """A program breaks an invariant that `ir` states."""


class Problem(Exception):
    """A broken invariant, before it is known in which function it stands."""

    def __init__(self, message: str, node: object = None) -> None:
        super().__init__(message)
        self.message = message
        self.node = node


def require(condition: bool, message: str, node: object = None) -> None:
    if not condition:
        raise Problem(message, node)


def invalid(problem: Problem, function: ir.Function | None = None) -> InvalidIR:
    """Without the node's own text, which may be very long and very deep."""
    parts = [f"function {function.name}" if function else "program"]
    if problem.node is not None:
        name = type(problem.node).__name__
        parts.append(f"{name} {problem.node.id}" if isinstance(problem.node, ir.Node) else name)
    return InvalidIR(f"{', '.join(parts)}: {problem.message}")
