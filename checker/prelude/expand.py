"""Replacing calls of prelude built-ins by calls of functions."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files

from kcheck.checker import ir, types
from kcheck.checker.builtins import CONTRACTS, Builtin, ErrorClass
from kcheck.checker.lower.context import ProgramContext
from kcheck.checker.lower.declarations import Declarations
from kcheck.checker.lower.functions import lower_standalone
from kcheck.checker.lower.items import declare_file
from kcheck.checker.lower.problems import Problems
from kcheck.checker.rewrite import rewritten, with_calls, with_functions
from kcheck.grammar import parser
from kcheck.grammar.spans import Origin, Span

PRELUDE_BUILTINS = frozenset({b for b, c in CONTRACTS.items() if c.error is ErrorClass.COMPOSITE} | {Builtin.CLAMP})
"""The built-ins that `expand_prelude` replaces."""

_FILE = "composite.kernel"
_NOWHERE = Origin(_FILE, "", Span(0, 0))


@dataclass(frozen=True, slots=True)
class _Prelude:
    """The functions of the prelude, callee before caller, and where each one stands."""

    functions: tuple[ir.Function, ...]
    positions: dict[str, int]


def expand_prelude(program: ir.Program) -> ir.Program:
    """An equal program without calls of prelude built-ins: they call functions added before its own."""
    needed = sorted({_key(n) for f in program.functions for n in ir.walk(f.body) if _is_prelude_call(n)}, key=str)
    if not needed:
        return program
    added, positions = _functions_for(needed)
    shift = len(added)

    def rewrite(node: ir.Node) -> ir.Node:
        if _is_prelude_call(node):
            assert isinstance(node, ir.BuiltinCall)
            return ir.Call(id=node.id, type=node.type, function=positions[_key(node)], args=node.args)
        if isinstance(node, (ir.Call, ir.CallStatement)):
            return replace(node, function=node.function + shift)
        return node

    own = tuple(replace(f, body=rewritten(f.body, rewrite)) for f in program.functions)
    return replace(program, functions=added + own, schedule=with_functions(program.schedule, lambda f: f + shift))


_Key = tuple[Builtin, types.Type]
"""A built-in and the type of its first argument, which decides among its overloads."""


def _is_prelude_call(node: ir.Node) -> bool:
    return isinstance(node, ir.BuiltinCall) and node.builtin in PRELUDE_BUILTINS


def _key(node: ir.Node) -> _Key:
    assert isinstance(node, ir.BuiltinCall)
    return node.builtin, node.args[0].type


def _functions_for(needed: list[_Key]) -> tuple[tuple[ir.Function, ...], dict[_Key, int]]:
    """The functions that these built-ins need, and which one each of them calls."""
    prelude = _prelude()
    wanted: set[int] = set()
    for key in needed:
        _reach(prelude, _position(prelude, key), wanted)
    order = sorted(wanted)
    new_position = {old: new for new, old in enumerate(order)}
    added = [with_calls(prelude.functions[old], new_position.__getitem__) for old in order]
    positions: dict[_Key, int] = {}
    for builtin, type_ in needed:
        scalar = new_position[_position(prelude, (builtin, type_))]
        if CONTRACTS[builtin].componentwise and isinstance(type_, types.Vec):
            added.append(_componentwise(builtin, type_, scalar))
            scalar = len(added) - 1
        positions[builtin, type_] = scalar
    return tuple(added), positions


def _position(prelude: _Prelude, key: _Key) -> int:
    builtin, type_ = key
    scalar = types.FLOAT if CONTRACTS[builtin].componentwise and isinstance(type_, types.Vec) else type_
    return prelude.positions[f"{builtin.value}_{str(scalar).lower()}"]


def _reach(prelude: _Prelude, position: int, found: set[int]) -> None:
    if position not in found:
        found.add(position)
        for node in ir.walk(prelude.functions[position].body):
            if isinstance(node, ir.Call):
                _reach(prelude, node.function, found)


def _componentwise(builtin: Builtin, type_: types.Vec, scalar: int) -> ir.Function:
    """A function that takes vectors and calls a scalar one for each component."""
    count = CONTRACTS[builtin].arity
    origins: list[Origin] = []

    def node() -> int:
        origins.append(_NOWHERE)
        return len(origins) - 1

    def component(local: int, i: int) -> ir.Expression:
        whole = ir.Local(id=node(), type=type_, local=local)
        return ir.Swizzle(id=node(), type=types.FLOAT, operand=whole, components=(i,))

    parts = tuple(
        ir.Call(id=node(), type=types.FLOAT, function=scalar, args=tuple(component(local, i) for local in range(count)))
        for i in range(type_.size)
    )
    made = ir.Return(id=node(), value=ir.Make(id=node(), type=type_, parts=parts))
    return ir.Function(
        name=f"{builtin.value}_{str(type_).lower()}",
        parameters=count,
        locals=tuple(ir.LocalDecl(name=f"a{i}", type=type_) for i in range(count)),
        result=type_,
        body=ir.Block(id=node(), statements=(made,)),
        effects=frozenset(),
        origins=tuple(origins),
    )


@cache
def _prelude() -> _Prelude:
    """The prelude's text, parsed and lowered once a process."""
    text = files("kcheck.checker.prelude").joinpath(_FILE).read_text("utf-8")
    file, broken = parser.parse(text, _FILE)
    problems = Problems()
    scope = declare_file(_FILE, file.items, problems)
    program = ProgramContext(Declarations(problems), scope, rank=1)
    positions: dict[str, int] = {}
    for name, entity in scope.functions.items():
        if entity not in program.lowered:
            program.lowered[entity] = lower_standalone(program, entity)
        lowered = program.lowered[entity]
        assert lowered is not None, [d.message for d in (*broken, *problems.all())]
        positions[name] = lowered.index
    return _Prelude(tuple(lowered.function for lowered in program.functions), positions)
