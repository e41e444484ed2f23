"""Functions of the IR as functions of LLVM, one by one, callees first."""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass

from kcheck.checker import ir
from kcheck.checker.prelude import Key
from kcheck.checker.types import UNIT, Scalar, Type
from kcheck.runtime.jit.assignments import count_assignments
from kcheck.runtime.jit.costs import Cost, Costs
from kcheck.runtime.jit.emitter import Emitter, Value
from kcheck.runtime.jit.expressions import direct_result
from kcheck.runtime.jit.module import Compiled, Module, Written, item_type
from kcheck.runtime.jit.schedules.groups import GroupWriter
from kcheck.runtime.jit.statements import Statements
from kcheck.runtime.jit.storage import REGISTERS

_INLINED = 3000
"""A function of at most this size is inlined wherever it is called, so that loops around calls can be vectorised."""


def costs_of(functions: Sequence[ir.Function], prelude: Callable[[Key], Cost]) -> list[Costs]:
    """What the functions of a program cost."""
    found: list[Costs] = []
    wholes: list[Cost] = []
    inlined: list[bool] = []
    for function in functions:
        costs = Costs(function, wholes, inlined, prelude)
        found.append(costs)
        wholes.append(costs.whole)
        inlined.append(_is_inlined(costs.whole))
    return found


def write_functions(module: Module, costs: Sequence[Costs], taken: Container[int]) -> None:
    """Write the functions of the program, which cost so much, but for those that are `taken` in, which nobody calls."""
    for position, function in enumerate(module.program.functions):
        if position in taken:
            module.functions.append(Compiled(module.names[position], (), 0, 0))
            continue
        if ir.Effect.EXCHANGE in function.effects:
            module.functions.append(GroupWriter(module, position, costs[position]).write())
            continue
        written = write_function(module, position, costs[position])
        attributes = "alwaysinline " if written.compiled.is_inlined else ""
        module.texts.append(written.definition("internal ", attributes))
        module.functions.append(written.compiled)


def write_function(module: Module, position: int, costs: Costs) -> Written:
    """Write a function that does not exchange; those before it are known."""
    return _Writer(module, position, costs).write()


def _is_inlined(cost: Cost) -> bool:
    return cost.size <= _INLINED


@dataclass(frozen=True, slots=True)
class _Parameters:
    """The arguments of a function as LLVM has them: those of each parameter, and the rooms for its result."""

    by_local: list[list[str]]
    rooms: list[str]
    declared: list[str]


class _Writer:
    """Writes one function."""

    def __init__(self, module: Module, position: int, costs: Costs) -> None:
        self._module = module
        self._function = module.program.functions[position]
        self._emitter = Emitter(module)
        self._code = self._emitter.code
        self._position = position
        self._costs = costs
        self._statements = Statements(self._emitter, position, costs, self, self._return)
        self._direct = direct_result(self._emitter.pieces(self._function.result))
        self._parameters = self._declare()
        self._places: dict[int, list[str]] = {}
        self._settled: dict[int, Value] = {}
        self._assignments = count_assignments(self._function)

    def write(self) -> Written:
        self._take_arguments()
        self._statements.block(self._function.body)
        if self._code.is_open:
            # Behind a loop or branch that always returns, or at the end of a function without a result.
            self._code.close("ret void" if self._function.result == UNIT else "unreachable")
        self._emitter.finish()
        name, cost = self._module.names[self._position], self._costs.whole
        needs = tuple(self._emitter.needs)
        declared = [f"{item_type(need)} %{need}" for need in needs] + self._parameters.declared
        result = "void" if self._direct is None else REGISTERS[self._direct]
        is_inlined = _is_inlined(cost)
        compiled = Compiled(
            name,
            needs,
            self._emitter.whole_stack,
            self._emitter.whole_scratch,
            is_inlined,
            is_straight=is_inlined and cost.is_straight and not self._emitter.uses_arrays,
        )
        return Written(f"{result} @{name}({', '.join(declared)})", self._code.body(), compiled, cost)

    # ------------------------------------------------------------ locals

    def settle(self, local: int, value: Value) -> bool:
        """A single assignment comes before all reads, on every path."""
        if self._assignments[local] > 1 or not self._is_in_registers(local):
            return False
        self._settled[local] = value
        return True

    def settled(self, local: int) -> Value | None:
        return self._settled.get(local)

    def _is_in_registers(self, local: int) -> bool:
        return all(isinstance(piece, Scalar) for piece in self._emitter.pieces(self.type_of(local)))

    def type_of(self, local: int) -> Type:
        return self._function.locals[local].type

    def places(self, local: int) -> list[str]:
        known = self._places.get(local)
        if known is None:
            pieces = self._emitter.pieces(self.type_of(local))
            known = self._places[local] = [self._emitter.variable(piece) for piece in pieces]
        return known

    def _declare(self) -> _Parameters:
        by_local: list[list[str]] = []
        declared: list[str] = []
        for local in range(self._function.parameters):
            pieces = self._emitter.pieces(self.type_of(local))
            names = [f"%a{local}.{i}" for i in range(len(pieces))]
            kinds = [REGISTERS[p] if isinstance(p, Scalar) else "ptr" for p in pieces]
            declared += [f"{kind} {name}" for kind, name in zip(kinds, names, strict=True)]
            by_local.append(names)
        pieces = self._emitter.pieces(self._function.result)
        rooms = [] if self._direct is not None else [f"%r{i}" for i in range(len(pieces))]
        return _Parameters(by_local, rooms, declared + [f"ptr {room}" for room in rooms])

    def _take_arguments(self) -> None:
        """Variables for the parameters that are assigned to; others are what the caller gave."""
        for local, names in enumerate(self._parameters.by_local):
            assigned = self._assignments[local] > 0
            if not assigned and self._is_in_registers(local):
                self._settled[local] = names
                continue
            pieces = self._emitter.pieces(self.type_of(local))
            places = self._places[local] = [
                self._emitter.variable(piece) if isinstance(piece, Scalar) or assigned else name
                for piece, name in zip(pieces, names, strict=True)
            ]
            for piece, place, name in zip(pieces, places, names, strict=True):
                if place != name:
                    self._emitter.put_piece(piece, place, name)

    # ------------------------------------------------------------ returns

    def _return(self, node: ir.Return) -> None:
        value = [] if node.value is None else self._statements.expressions.value(node.value)
        if self._direct is not None:
            self._code.close(f"ret {REGISTERS[self._direct]} {value[0]}")
            return
        self._emitter.put(self._parameters.rooms, self._function.result, value)
        self._code.close("ret void")
