"""Replacing calls of prelude built-ins, and `%` on Floats, by calls of functions."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache, reduce
from importlib.resources import files

from kcheck.checker import ir, types
from kcheck.checker.builtins import CONTRACTS, Builtin, ErrorClass
from kcheck.checker.lower.context import ProgramContext
from kcheck.checker.lower.declarations import Declarations
from kcheck.checker.lower.functions import lower_function
from kcheck.checker.lower.items import declare_file
from kcheck.checker.lower.ledger import Ledger
from kcheck.checker.rewrite import rewritten, with_calls, with_functions
from kcheck.grammar import parser, syntax
from kcheck.grammar.spans import Origin, Span

COMPOSITE_BUILTINS = frozenset({b for b, c in CONTRACTS.items() if c.error is ErrorClass.COMPOSITE} | {Builtin.CLAMP})
ELEMENTARY_BUILTINS = frozenset(b for b, c in CONTRACTS.items() if c.error is ErrorClass.ELEMENTARY)
PRELUDE_BUILTINS = COMPOSITE_BUILTINS | ELEMENTARY_BUILTINS
"""The built-ins that have a text in the prelude."""

_COMPOSITE, _ELEMENTARY = "composite.kernel", "elementary.kernel"
_REMAINDER = "rem"
_NOWHERE = Origin(_ELEMENTARY, "", Span(0, 0))


@dataclass(frozen=True, slots=True)
class Prelude:
    """The functions of one file of the prelude, callee before caller, and where each one stands."""

    functions: tuple[ir.Function, ...]
    positions: dict[str, int]


@dataclass(frozen=True, slots=True)
class Key:
    """What a node asks for: a built-in or `%` on the type of its first argument, which decides among overloads."""

    name: str
    type: types.Type
    builtin: Builtin | None = None

    @property
    def arity(self) -> int:
        return CONTRACTS[self.builtin].arity if self.builtin else 2

    @property
    def is_componentwise(self) -> bool:
        """Whether the prelude has it for Floats alone."""
        each = self.builtin is None or CONTRACTS[self.builtin].componentwise
        return each and isinstance(self.type, (types.Vec, types.Mat))

    @property
    def file(self) -> str:
        return _COMPOSITE if self.builtin in COMPOSITE_BUILTINS else _ELEMENTARY

    @property
    def text_name(self) -> str:
        """The name of the function that the prelude has for it."""
        return f"{self.name}_{str(types.FLOAT if self.is_componentwise else self.type).lower()}"

    @property
    def function_name(self) -> str:
        """The name of the function that it is: that of the prelude, or of one that applies this to each component."""
        return f"{self.name}_{str(self.type).lower()}"


def key_of(node: ir.Node) -> Key | None:
    """What a call of a built-in asks of the prelude, if it has a text there."""
    if isinstance(node, ir.BuiltinCall) and node.builtin in PRELUDE_BUILTINS:
        return Key(node.builtin.value, node.args[0].type, node.builtin)
    return None


def expand_prelude(
    program: ir.Program, builtins: frozenset[Builtin] = PRELUDE_BUILTINS, *, remainder: bool = False
) -> ir.Program:
    """An equal program without calls of these built-ins: they call functions added before its own.

    With `remainder` it is without `%` on Floats too, for backends on which that is not exact.
    """

    def key(node: ir.Node) -> Key | None:
        if isinstance(node, ir.BuiltinCall):
            return key_of(node) if node.builtin in builtins else None
        if remainder and isinstance(node, ir.Binary) and node.op is ir.BinaryOp.REM and node.type is not types.INT:
            return Key(_REMAINDER, node.type)
        return None

    needed = {found for f in program.functions for n in ir.walk(f.body) if (found := key(n))}
    if not needed:
        return program
    added, positions = functions_for(sorted(needed, key=str))
    shift = len(added)

    def rewrite(node: ir.Node) -> ir.Node:
        found = key(node)
        if found:
            assert isinstance(node, (ir.BuiltinCall, ir.Binary))
            args = node.args if isinstance(node, ir.BuiltinCall) else (node.left, node.right)
            return ir.Call(id=node.id, type=node.type, function=positions[found], args=args)
        if isinstance(node, (ir.Call, ir.CallStatement)):
            return replace(node, function=node.function + shift)
        return node

    own = tuple(replace(f, body=rewritten(f.body, rewrite)) for f in program.functions)
    return replace(program, functions=added + own, schedule=with_functions(program.schedule, lambda f: f + shift))


def functions_for(needed: Iterable[Key]) -> tuple[tuple[ir.Function, ...], dict[Key, int]]:
    """The functions that these need, callee before caller, and which one each of them calls."""
    added: list[ir.Function] = []
    positions: dict[Key, int] = {}
    for file in (_COMPOSITE, _ELEMENTARY):
        asked = [key for key in needed if key.file == file]
        if asked:
            positions |= _take(prelude(file, frozenset(key.text_name for key in asked)), asked, added)
    for key, position in positions.items():
        if key.is_componentwise:
            added.append(_componentwise(key, position))
            positions[key] = len(added) - 1
    return tuple(added), positions


def _take(text: Prelude, asked: Iterable[Key], added: list[ir.Function]) -> dict[Key, int]:
    """Add what one file has for these, with what that calls in its turn; answers where each one stands then."""
    wanted: set[int] = set()
    for key in asked:
        _reach(text, text.positions[key.text_name], wanted)
    moved = {old: len(added) + new for new, old in enumerate(sorted(wanted))}
    added += [with_calls(text.functions[old], moved.__getitem__) for old in moved]
    return {key: moved[text.positions[key.text_name]] for key in asked}


def _reach(text: Prelude, position: int, found: set[int]) -> None:
    if position not in found:
        found.add(position)
        for node in ir.walk(text.functions[position].body):
            if isinstance(node, ir.Call):
                _reach(text, node.function, found)


def _componentwise(key: Key, scalar: int) -> ir.Function:
    """A function that takes vectors or matrices and calls a scalar one for each component."""
    origins: list[Origin] = []

    def node() -> int:
        origins.append(_NOWHERE)
        return len(origins) - 1

    def part(whole: ir.Expression, i: int) -> ir.Expression:
        if isinstance(whole.type, types.Vec):
            return ir.Swizzle(id=node(), type=types.FLOAT, operand=whole, components=(i,))
        index = ir.Const(id=node(), type=types.INT, leaves=(i,))
        return ir.Index(id=node(), type=types.parts(whole.type)[i], operand=whole, index=index)

    def component(local: int, path: tuple[int, ...]) -> ir.Expression:
        whole: ir.Expression = ir.Local(id=node(), type=key.type, local=local)
        return reduce(part, path, whole)

    def applied(type_: types.Type, path: tuple[int, ...]) -> ir.Expression:
        if type_ is types.FLOAT:
            args = tuple(component(local, path) for local in range(key.arity))
            return ir.Call(id=node(), type=type_, function=scalar, args=args)
        made = tuple(applied(inner, (*path, i)) for i, inner in enumerate(types.parts(type_)))
        return ir.Make(id=node(), type=type_, parts=made)

    returned = ir.Return(id=node(), value=applied(key.type, ()))
    return ir.Function(
        name=key.function_name,
        parameters=key.arity,
        locals=tuple(ir.LocalDecl(name=f"a{i}", type=key.type) for i in range(key.arity)),
        result=key.type,
        body=ir.Block(id=node(), statements=(returned,)),
        effects=frozenset(),
        origins=tuple(origins),
    )


def elementary_function(builtin: Builtin) -> tuple[tuple[ir.Function, ...], int]:
    """The functions of the elementary built-ins, and which of them is this one's for Floats."""
    text = prelude(_ELEMENTARY)
    return text.functions, text.positions[f"{builtin.value}_float"]


@cache
def composite_text(builtin: Builtin) -> str:
    """The first function that the prelude has for a composite built-in, in full."""
    file, _ = parser.parse(_source(_COMPOSITE), _COMPOSITE)
    functions = (item for item in file.items if isinstance(item.node, syntax.Function))
    return next(item.text for item in functions if item.key.rpartition("_")[0] == f"fn {builtin.value}")


def _source(name: str) -> str:
    return files("kcheck.checker.prelude").joinpath(name).read_text("utf-8")


@cache
def prelude(name: str, needed: frozenset[str] | None = None) -> Prelude:
    """A file of the prelude, parsed and lowered once a process; where it is said what is needed, only these functions
    and those that they reach, which saves most of the time."""
    file, broken = parser.parse(_part(_source(name), needed), name)
    ledger = Ledger()
    scope = declare_file(name, file.items, ledger)
    program = ProgramContext(Declarations(ledger), scope, rank=1)
    positions: dict[str, int] = {}
    for function, entity in scope.functions.items():
        lowered = lower_function(program, entity)
        assert lowered is not None, [d.message for d in (*broken, *ledger.page.problems.all())]
        positions[function] = lowered.index
    return Prelude(tuple(lowered.function for lowered in program.functions), positions)


def _part(text: str, needed: frozenset[str] | None) -> str:
    """A text without the functions that the needed ones do not reach, and without docs."""
    if needed is None:
        return text
    items = [(_FUNCTION.match(item), item) for item in _ITEM.split(_DOCS.sub("", text))]
    functions = {found[1]: item for found, item in items if found}
    reached, pending = set[str](), list(needed)
    while pending:
        name = pending.pop()
        if name in functions and name not in reached:
            reached.add(name)
            pending += _CALL.findall(functions[name])
    return "".join(item for found, item in items if not found or found[1] in reached)


_DOCS = re.compile(r"^///.*\n", re.MULTILINE)
_ITEM = re.compile(r"^(?=(?:const|fn|struct) )", re.MULTILINE)
_FUNCTION, _CALL = re.compile(r"fn (\w+)"), re.compile(r"(\w+)\(")
