"""What the nodes of a function may refer to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kcheck.checker import ir
from kcheck.checker.types import Field, Type
from kcheck.checker.verify.problem import Problem, require


@dataclass(frozen=True)
class Scope:
    """A function, by its position, within its program."""

    program: ir.Program
    position: int

    @property
    def function(self) -> ir.Function:
        return self.program.functions[self.position]

    def local(self, number: int) -> Type:
        require(0 <= number < len(self.function.locals), f"there is no local {number}")
        return self.function.locals[number].type

    def param(self, name: str) -> Type:
        for param in self.program.params:
            if param.name == name:
                return param.type
        raise Problem(f"there is no param {name}")

    def input(self, name: str) -> Field:
        return _port(self.program.inputs, name, "input")

    def memory(self, name: str) -> Field:
        return _port(self.program.memories, name, "memory")

    def readable(self, name: str) -> Field:
        """An input or a memory."""
        return _port((*self.program.inputs, *self.program.memories), name, "input or memory")

    def callee(self, position: int, args: Sequence[Type]) -> ir.Function:
        """The function at `position`, which stands before this one and takes `args`."""
        require(0 <= position < self.position, "the function called does not stand before the caller")
        callee = self.program.functions[position]
        wanted = parameter_types(callee)
        require(list(args) == wanted, f"{callee.name} takes {_list(wanted)}, not {_list(args)}")
        return callee


def parameter_types(function: ir.Function) -> list[Type]:
    return [local.type for local in function.locals[: function.parameters]]


def _port(ports: Sequence[ir.PortDecl], name: str, kind: str) -> Field:
    for port in ports:
        if port.name == name:
            return port.type
    raise Problem(f"there is no {kind} {name}")


def _list(types: Sequence[Type]) -> str:
    return f"({', '.join(map(str, types))})"
