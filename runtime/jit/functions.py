"""Functions of the IR as functions of LLVM, one by one, callees first."""

from __future__ import annotations

from dataclasses import dataclass

from kcheck.checker import ir
from kcheck.checker.types import UNIT, Scalar, Type
from kcheck.runtime.jit.costs import Cost, Costs
from kcheck.runtime.jit.emitter import Emitter
from kcheck.runtime.jit.expressions import direct_result
from kcheck.runtime.jit.module import Compiled, Module, item_type
from kcheck.runtime.jit.schedules.groups import GroupWriter
from kcheck.runtime.jit.statements import Statements
from kcheck.runtime.jit.storage import REGISTERS

_INLINED = 3000
"""A function of at most this size is inlined wherever it is called, so that loops around calls can be vectorised."""


def write_functions(module: Module) -> list[Cost]:
    """Write all functions of the program; answers what they cost."""
    costs: list[Cost] = []
    inlined: list[bool] = []
    for position, function in enumerate(module.program.functions):
        found = Costs(function, costs, inlined)
        costs.append(found.whole)
        inlined.append(found.size <= _INLINED)
        if ir.Effect.EXCHANGE in function.effects:
            module.functions.append(GroupWriter(module, position, found).write())
        else:
            module.functions.append(_Writer(module, position, found).write(inlined[-1]))
    return costs


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

    def write(self, inline: bool) -> Compiled:
        self._take_arguments()
        self._statements.block(self._function.body)
        if self._code.is_open:
            # Behind a loop or branch that always returns, or at the end of a function without a result.
            self._code.close("ret void" if self._function.result == UNIT else "unreachable")
        self._emitter.finish()
        name = f"f{self._position}"
        needs = tuple(self._emitter.needs)
        declared = [f"{item_type(need)} %{need}" for need in needs] + self._parameters.declared
        attributes = "alwaysinline nounwind" if inline else "nounwind"
        result = "void" if self._direct is None else REGISTERS[self._direct]
        head = f"define internal {result} @{name}({', '.join(declared)}) {attributes}"
        self._module.texts.append(self._code.text(head))
        is_straight = inline and self._costs.whole.is_straight and not self._emitter.uses_arrays
        return Compiled(
            name, needs, self._emitter.whole_stack, self._emitter.whole_scratch, inline, is_straight=is_straight
        )

    # ------------------------------------------------------------ locals

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
        """Variables for the parameters.  Stored arrays stay the caller's where nothing is assigned to them."""
        assigned = {
            n.local for n in ir.walk(self._function.body) if not isinstance(n, ir.Local) and hasattr(n, "local")
        }
        for local, names in enumerate(self._parameters.by_local):
            pieces = self._emitter.pieces(self.type_of(local))
            places = self._places[local] = [
                self._emitter.variable(piece) if isinstance(piece, Scalar) or local in assigned else name
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
