"""The analysis: an abstract run of a group kernel in which each value is either shared by all lanes or not.

It follows the flow of the program, part by part, without reasoning on values: what is picked by a branch that
lanes take differently differs, equal arms or not; a loop that lanes leave at different rounds makes all that it
assigns differ; once some lanes have returned, no later exchange is met by all.  Loops run to a fixed point.
Functions are summarised once for each pattern of uneven arguments.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from kcheck.checker import ir, types
from kcheck.checker.builtins import CONTRACTS
from kcheck.checker.uniformity.values import (
    Abstract,
    Cause,
    Root,
    Shape,
    explained,
    first_cause,
    join,
    rebased,
    rebased_value,
    rooted,
    shape,
    tainted,
    uniform,
    whole,
)
from kcheck.grammar.spans import Origin


@dataclass(frozen=True, slots=True)
class Violation:
    """An exchange that some lanes may not reach: at the exchange, or at the call that leads to it."""

    origin: Origin
    cause: Cause


@dataclass(frozen=True, slots=True)
class Uniformity:
    """`divergent` maps a function's position and a node's id to why its value differs from lane to lane."""

    divergent: Mapping[tuple[int, int], Cause]
    violations: tuple[Violation, ...]


@dataclass(frozen=True, slots=True)
class _Summary:
    """What a function does for one pattern of arguments: its result and its own violations."""

    result: Abstract
    violations: tuple[Violation, ...]


def analyse(program: ir.Program) -> Uniformity:
    """Follow a group kernel from its body; programs of other modes have no lanes and so nothing that differs."""
    if not isinstance(program.schedule, ir.Lanes):
        return Uniformity({}, ())
    analysis = _Analysis(program)
    summary = analysis.summary(program.schedule.element, (), reached_by_all=True)
    violations = {v.origin: v for v in (*analysis.own_violations, *summary.violations)}
    return Uniformity(analysis.divergent, tuple(violations.values()))


class _Analysis:
    def __init__(self, program: ir.Program) -> None:
        self.program = program
        self.divergent: dict[tuple[int, int], Cause] = {}
        self.own_violations: list[Violation] = []
        self._summaries: dict[tuple[int, tuple[Shape, ...], bool], _Summary] = {}

    def summary(self, function: int, args: tuple[Abstract, ...], *, reached_by_all: bool) -> _Summary:
        key = (function, tuple(shape(a) for a in args), reached_by_all)
        if key not in self._summaries:
            self._summaries[key] = _FunctionRun(self, function, args, reached_by_all).run()
        return self._summaries[key]


_Write = tuple[int, tuple[int, ...]]
"""A local and the part of it that was assigned."""


@dataclass
class _State:
    """What is known at a point: every local that is assigned by now."""

    locals: dict[int, Abstract] = field(default_factory=dict)

    def copy(self) -> _State:
        return _State(dict(self.locals))

    def join(self, other: _State) -> None:
        """What is known where this flow and another meet."""
        for local, value in other.locals.items():
            mine = self.locals.get(local)
            self.locals[local] = value if mine is None and local not in self.locals else join(mine, value)


class _FunctionRun:
    """One abstract run of a function."""

    def __init__(self, analysis: _Analysis, function: int, args: tuple[Abstract, ...], reached_by_all: bool) -> None:
        self._analysis = analysis
        self._position = function
        self._function = analysis.program.functions[function]
        self._violations: dict[Origin, Violation] = {}
        self._result: Abstract = uniform(self._function.result)
        head = self._origin(self._function.body)
        self._state = _State({i: rooted(a, i, head) for i, a in enumerate(args)})
        self._control: Cause | None = None if reached_by_all else Cause("the call", head, None, Root(None))
        """Why only some lanes may be here, or None."""
        self._returned: Cause | None = None
        """Why some lanes, but not all, may have returned by now."""
        self._writes: set[_Write] = set()
        """What was assigned since the last decision, to be tainted where lanes took different ways to it."""
        self._dry = 0
        """Above 0 while a loop looks for its fixed point: violations found then are not final."""

    def run(self) -> _Summary:
        self._block(self._function.body)
        return _Summary(self._result, tuple(self._violations.values()))

    def _origin(self, node: ir.Node) -> Origin:
        return self._function.origins[node.id]

    # ------------------------------------------------------------ control

    @property
    def _partial(self) -> Cause | None:
        """Why not all lanes are at this point."""
        return self._control or self._returned

    @contextmanager
    def _under(self, cause: Cause | None) -> Iterator[None]:
        """Code that lanes reach by a decision that differs, where `cause` says so."""
        before = self._control
        self._control = before or cause
        try:
            yield
        finally:
            self._control = before

    def _meet(self, node: ir.Node) -> None:
        """An exchange: all lanes must be here."""
        if self._partial is not None and not self._dry:
            origin = self._origin(node)
            self._violations.setdefault(origin, Violation(origin, self._partial))

    # ------------------------------------------------------------ statements

    def _block(self, block: ir.Block) -> None:
        for statement in block.statements:
            _STATEMENTS[type(statement)](self, statement)

    def _assign(self, node: ir.Assign) -> None:
        value = self._value(node.value)
        decl = self._function.locals[node.local]
        if not decl.name.startswith("$") and not isinstance(node.value, ir.Local):
            value = explained(value, f"`{decl.name}` holds it from here", self._origin(node))
        if node.steps:
            before = self._state.locals[node.local]
            value = self._stored(before, decl.type, node.steps, value, node)
        self._set(node.local, value, _written_part(decl.type, node.steps))

    def _set(self, local: int, value: Abstract, part: tuple[int, ...] = ()) -> None:
        self._state.locals[local] = value
        self._writes.add((local, part))

    @contextmanager
    def _written(self) -> Iterator[set[_Write]]:
        """What the statements inside assign."""
        outer, self._writes = self._writes, set()
        try:
            yield self._writes
        finally:
            self._writes = outer | self._writes

    def _stored(
        self, before: Abstract, type_: types.Type, steps: tuple[ir.TargetStep, ...], value: Abstract, node: ir.Node
    ) -> Abstract:
        """`before` with `value` at the end of a path; an element at a position may be any element."""
        if not steps:
            return value
        step, *rest = steps
        match step, type_, before:
            case ir.FieldStep(), types.Struct(), tuple():
                part = self._stored(before[step.index], type_.fields[step.index].type, tuple(rest), value, node)
                return (*before[: step.index], part, *before[step.index + 1 :])
            case ir.SwizzleStep(), types.Vec(), tuple():
                return _swizzled(before, step.components, value)
            case ir.IndexStep(), types.Vec(), tuple():
                return self._stored_component(before, step, value)
            case ir.IndexStep(), _, _:
                index = first_cause(self._value(step.index))
                return join(before, whole(type_, first_cause(value) or index))
            case _:
                raise TypeError(f"{type(step).__name__} does not fit {type_}")

    def _stored_component(self, before: tuple[Abstract, ...], step: ir.IndexStep, value: Abstract) -> Abstract:
        position = _constant_index(step.index, len(before))
        if position is not None:
            return (*before[:position], value, *before[position + 1 :])
        cause = first_cause(value) or first_cause(self._value(step.index))
        return tuple(join(part, cause) for part in before)

    def _if(self, node: ir.If) -> None:
        cause = first_cause(self._value(node.condition))
        word = "short-circuit" if node.written in ("&&", "||") else "branch"
        self._branch(node, cause, word, [node.then, node.otherwise])

    def _switch(self, node: ir.Switch) -> None:
        cause = first_cause(self._value(node.subject))
        self._branch(node, cause, "branch", [*(case.body for case in node.cases), node.otherwise])

    def _branch(self, node: ir.Node, cause: Cause | None, word: str, blocks: list[ir.Block]) -> None:
        """Run each block from the same state and join what they leave."""
        decision = None if cause is None else Cause(f"this {word} goes different ways", self._origin(node), cause)
        start = self._state
        joined: _State | None = None
        with self._written() as writes:
            for block in blocks:
                self._state = start.copy()
                with self._under(decision):
                    self._block(block)
                if joined is not None:
                    self._state.join(joined)
                joined = self._state
        self._pick(writes, decision, "branch")

    def _pick(self, writes: set[_Write], decision: Cause | None, place: str) -> None:
        """What is assigned where lanes go different ways: the value depends on the way taken."""
        if decision is None:
            return
        for local, part in writes:
            name = self._function.locals[local].name
            text = f"picked by {place}" if name.startswith("$") else f"`{name}` is set under a {place}"
            cause = Cause(text, decision.origin, decision)
            self._state.locals[local] = _tainted_part(self._state.locals[local], part, cause)

    def _loop(self, node: ir.Loop) -> None:
        low = first_cause(self._value(node.low))
        bounds = low or first_cause(self._value(node.high))
        if bounds is not None:
            bounds = Cause("this loop bound differs", self._origin(node), bounds)
        self._set(node.local, low)
        before = self._state.copy()
        with self._written() as writes:
            leave = self._fixed_point(node, bounds)
            self._round(node, leave)
        self._pick(writes, leave, "loop")
        self._state.join(before)

    def _fixed_point(self, node: ir.Loop, bounds: Cause | None) -> Cause | None:
        """Run rounds until nothing new differs at their start; the cause of lanes leaving at different rounds."""
        leave = bounds
        self._dry += 1
        while True:
            start, returned, leaving = self._state.copy(), self._returned, leave
            leave = self._round(node, leave)
            self._pick(self._writes, leave, "loop")
            self._state.join(start)
            if leave is leaving and self._returned is returned and _same_shapes(self._state, start):
                break
        self._dry -= 1
        return leave

    def _round(self, node: ir.Loop, leave: Cause | None) -> Cause | None:
        """One round: the test, then the body; the cause of an uneven `until`."""
        with self._under(leave):
            if node.until is not None:
                self._block(node.until.block)
                cause = first_cause(self._value(node.until.condition))
                if cause is not None and leave is None:
                    text = "this `until` ends the loop at different rounds"
                    leave = Cause(text, self._origin(node.until), cause)
            with self._under(leave):
                self._block(node.body)
        return leave

    def _return(self, node: ir.Return) -> None:
        if node.value is not None:
            value = self._value(node.value)
            self._result = join(self._result, tainted(value, self._picked_result(node)))
        if self._control is not None and self._returned is None and self._control.root != Root(None):
            self._returned = Cause("some lanes returned here", self._origin(node), self._control)

    def _picked_result(self, node: ir.Return) -> Cause | None:
        """Which `return` gives the result differs where not all lanes come to this one."""
        if self._partial is None or self._partial.source().root == Root(None):
            return None
        return Cause("picked by branch: this `return` is not every lane's", self._origin(node), self._partial)

    def _exchange(self, node: ir.Exchange) -> None:
        self._value(node.value)
        lane = first_cause(self._value(node.lane))
        self._meet(node)
        type_ = self._function.locals[node.local].type
        cause = None if lane is None else Cause("exchange at an uneven lane", self._origin(node), lane)
        self._set(node.local, whole(type_, cause))

    def _call_statement(self, node: ir.CallStatement) -> None:
        result = self._called(node, node.function, node.args)
        if node.local is not None:
            self._set(node.local, result)

    def _load(self, node: ir.Load) -> None:
        raise TypeError("a group has no memories")

    # ------------------------------------------------------------ calls

    def _called(self, node: ir.Node, function: int, args: tuple[ir.Expression, ...]) -> Abstract:
        values = tuple(self._value(a) for a in args)
        summary = self._analysis.summary(function, values, reached_by_all=self._partial is None)
        causes = self._roots(values)
        name = self._analysis.program.functions[function].name
        for violation in summary.violations:
            self._call_violation(node, name, violation, causes)
        result = rebased_value(summary.result, causes)
        return explained(result, f"`{name}` gives it", self._origin(node)) if first_cause(result) else result

    def _roots(self, values: tuple[Abstract, ...]) -> dict[Root, Cause]:
        """The causes of the caller for what the callee could not know."""
        causes = {Root(i, part): cause for i, value in enumerate(values) for part, cause in _parts(value)}
        if self._partial is not None:
            causes[Root(None)] = self._partial
        return causes

    def _call_violation(self, node: ir.Node, name: str, violation: Violation, causes: dict[Root, Cause]) -> None:
        if self._dry:
            return
        if violation.cause.source().root is None:
            self._analysis.own_violations.append(violation)
            return
        origin = self._origin(node)
        inner = Cause(f"`{name}` exchanges here", violation.origin, rebased(violation.cause, causes))
        self._violations.setdefault(origin, Violation(origin, inner))

    # ------------------------------------------------------------ expressions

    def _value(self, node: ir.Expression) -> Abstract:
        value = _EXPRESSIONS[type(node)](self, node)
        cause = first_cause(value)
        if cause is not None:
            self._analysis.divergent.setdefault((self._position, node.id), cause)
        return value

    def _constant(self, node: ir.Expression) -> Abstract:
        return uniform(node.type)

    def _local(self, node: ir.Local) -> Abstract:
        return self._state.locals[node.local]

    def _any(self, node: ir.Expression) -> Abstract:
        """An operation that mixes all parts of its operands."""
        cause: Cause | None = None
        for child in ir.children(node):
            assert isinstance(child, ir.Expression)
            cause = cause or first_cause(self._value(child))
        return whole(node.type, cause)

    def _each(self, node: ir.Expression) -> Abstract:
        """An operation on each component alone."""
        values = [self._value(c) for c in ir.children(node) if isinstance(c, ir.Expression)]
        joined = values[0]
        for value in values[1:]:
            joined = join(joined, value)
        return joined

    def _binary(self, node: ir.Binary) -> Abstract:
        if node.op is not ir.BinaryOp.MATMUL and node.left.type == node.right.type == node.type:
            return join(self._value(node.left), self._value(node.right))
        return self._any(node)

    def _builtin(self, node: ir.BuiltinCall) -> Abstract:
        same = all(a.type == node.type for a in node.args)
        return self._each(node) if CONTRACTS[node.builtin].componentwise and same else self._any(node)

    def _conditional(self, node: ir.Conditional) -> Abstract:
        cause = first_cause(self._value(node.condition))
        picked = join(self._value(node.then), self._value(node.otherwise))
        if cause is None:
            return picked
        branch = Cause("this branch goes different ways", self._origin(node), cause)
        return tainted(whole(node.type, None), Cause("picked by branch", self._origin(node), branch))

    def _field(self, node: ir.StructField) -> Abstract:
        value = self._value(node.operand)
        assert isinstance(value, tuple)
        return value[node.index]

    def _swizzle(self, node: ir.Swizzle) -> Abstract:
        value = self._value(node.operand)
        assert isinstance(value, tuple)
        parts = tuple(value[c] for c in node.components)
        return parts[0] if len(parts) == 1 else parts

    def _index(self, node: ir.Index) -> Abstract:
        operand, index = self._value(node.operand), first_cause(self._value(node.index))
        if isinstance(operand, tuple):
            position = _constant_index(node.index, len(operand))
            if position is not None:
                return operand[position]
        return whole(node.type, first_cause(operand) or index)

    def _make(self, node: ir.Make) -> Abstract:
        values = [self._value(p) for p in node.parts]
        match node.type:
            case types.Struct():
                return tuple(values)
            case types.Vec():
                return tuple(part for v in values for part in (v if isinstance(v, tuple) else (v,)))
            case _:
                return next((c for v in values if (c := first_cause(v)) is not None), None)

    def _splat(self, node: ir.Splat) -> Abstract:
        return whole(node.type, first_cause(self._value(node.operand)))

    def _call(self, node: ir.Call) -> Abstract:
        return self._called(node, node.function, node.args)

    def _sample(self, node: ir.Sample) -> Abstract:
        return whole(node.type, Cause(f"`sample()` of `{node.port}` is each lane's own", self._origin(node)))

    def _place(self, node: ir.Place) -> Abstract:
        if node.kind in (ir.PlaceKind.DOMAIN, ir.PlaceKind.GROUP):
            return uniform(node.type)
        return whole(node.type, Cause(f"`{node.kind.value}()` is each lane's own", self._origin(node)))


def _parts(value: Abstract, path: tuple[int, ...] = ()) -> Iterator[tuple[tuple[int, ...], Cause]]:
    """The parts that differ, with their paths."""
    if isinstance(value, tuple):
        for i, part in enumerate(value):
            yield from _parts(part, (*path, i))
    elif value is not None:
        yield path, value


def _constant_index(index: ir.Expression, count: int) -> int | None:
    """The position that a constant index reads or writes, clamped; None where it is not constant."""
    return min(max(int(index.leaves[0]), 0), count - 1) if isinstance(index, ir.Const) else None


def _swizzled(before: tuple[Abstract, ...], components: tuple[int, ...], value: Abstract) -> Abstract:
    parts = list(before)
    values = value if isinstance(value, tuple) else (value,)
    for component, part in zip(components, values, strict=True):
        parts[component] = part
    return tuple(parts)


def _written_part(type_: types.Type, steps: tuple[ir.TargetStep, ...]) -> tuple[int, ...]:
    """The part of a local that an assignment writes: the path of fields, as far as parts are tracked."""
    path: list[int] = []
    for step in steps:
        if not isinstance(step, ir.FieldStep) or not isinstance(type_, types.Struct):
            break
        path.append(step.index)
        type_ = type_.fields[step.index].type
    return tuple(path)


def _tainted_part(value: Abstract, part: tuple[int, ...], cause: Cause) -> Abstract:
    if not part:
        return tainted(value, cause)
    assert isinstance(value, tuple)
    first, *rest = part
    return (*value[:first], _tainted_part(value[first], tuple(rest), cause), *value[first + 1 :])


def _same_shapes(first: _State, second: _State) -> bool:
    return first.locals.keys() == second.locals.keys() and all(
        shape(value) == shape(second.locals[local]) for local, value in first.locals.items()
    )


_STATEMENTS: dict[type, Callable[[_FunctionRun, Any], None]] = {
    ir.Block: _FunctionRun._block,
    ir.Assign: _FunctionRun._assign,
    ir.If: _FunctionRun._if,
    ir.Switch: _FunctionRun._switch,
    ir.Loop: _FunctionRun._loop,
    ir.Return: _FunctionRun._return,
    ir.Exchange: _FunctionRun._exchange,
    ir.CallStatement: _FunctionRun._call_statement,
}

_EXPRESSIONS: dict[type, Callable[[_FunctionRun, Any], Abstract]] = {
    ir.Const: _FunctionRun._constant,
    ir.Param: _FunctionRun._constant,
    ir.Size: _FunctionRun._constant,
    ir.Extent: _FunctionRun._constant,
    ir.Local: _FunctionRun._local,
    ir.Unary: _FunctionRun._each,
    ir.Binary: _FunctionRun._binary,
    ir.ShortCircuit: _FunctionRun._any,
    ir.Conditional: _FunctionRun._conditional,
    ir.StructField: _FunctionRun._field,
    ir.Swizzle: _FunctionRun._swizzle,
    ir.Index: _FunctionRun._index,
    ir.Make: _FunctionRun._make,
    ir.Splat: _FunctionRun._splat,
    ir.MakeVariant: _FunctionRun._any,
    ir.Tag: _FunctionRun._any,
    ir.Payload: _FunctionRun._any,
    ir.BuiltinCall: _FunctionRun._builtin,
    ir.Call: _FunctionRun._call,
    ir.Sample: _FunctionRun._sample,
    ir.SampleAt: _FunctionRun._any,
    ir.At: _FunctionRun._any,
    ir.Place: _FunctionRun._place,
}
