"""An abstract run of each function of a program, in which a value is known by the ranges of its numbers.

It asks what the ranges alone show, for any elements and any params within their ranges: parameters of functions,
elements of fields and carried values may be anything.  Conditions narrow what is known under them; what a loop
assigns may be anything in it.  So each function is looked at once, whatever calls it, in time linear in its size.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
from typing import Any, TypeAlias

from kcheck.checker import ir, types
from kcheck.checker.arithmetic import INT_MAX
from kcheck.checker.builtins import Builtin
from kcheck.checker.ranges import interval as iv
from kcheck.checker.ranges import operations
from kcheck.checker.ranges.interval import Interval
from kcheck.checker.ranges.values import Value, any_part, constant, filled, hull, part, unknown
from kcheck.checker.types import BOOL, FLOAT, INT
from kcheck.grammar.spans import Origin


class Kind(Enum):
    """What the ranges show to be wrong, or at least strange."""

    ZERO = "a divisor that is 0"
    MAYBE_ZERO = "a param as divisor whose range holds 0"
    OUTSIDE = "an index outside of what it reads or writes"
    SHIFT = "a shift by fewer than 0 or more than 31 bits"
    DECIDED = "a condition that is always the same"
    NO_ROUNDS = "a loop without rounds"


@dataclass(frozen=True, slots=True)
class Hazard:
    """`found` is the range that shows it, `detail` what was needed; `constants` are where constants stand in it."""

    kind: Kind
    origin: Origin
    found: Interval
    detail: str
    constants: tuple[Origin, ...] = ()


@dataclass(frozen=True, slots=True)
class Ranges:
    """What each function may return, and what is hazardous in them."""

    results: tuple[Value, ...]
    hazards: tuple[Hazard, ...]


def analyse(functions: Sequence[ir.Function], params: Sequence[ir.ParamDecl] = (), lanes: int | None = None) -> Ranges:
    """Look at functions, callees first; `lanes` is the size of the groups that they run in, if any."""
    analysis = Analysis(params, lanes)
    found = [hazard for function in functions for hazard in analysis.look_at(function)]
    return Ranges(tuple(analysis.results), tuple(found))


class Analysis:
    """Looks at functions one after the other, callees first; `results` is what each may return."""

    def __init__(self, params: Sequence[ir.ParamDecl] = (), lanes: int | None = None) -> None:
        self._params = {p.name: _param_range(p) for p in params}
        self._bounded = frozenset(p.name for p in params if p.low is not None)
        self._lanes = lanes
        self.results: list[Value] = []

    def look_at(self, function: ir.Function) -> Collection[Hazard]:
        """What is hazardous in a function; those that it calls were looked at before."""
        run = _Run(function, self._params, self._bounded, self.results, self._lanes)
        self.results.append(run.result())
        return run.hazards.values()


def _param_range(param: ir.ParamDecl) -> Value:
    if param.low is None or param.high is None:
        return unknown(param.type)
    lows, highs = ir.const_numbers(param.low), ir.const_numbers(param.high)
    if len(lows) != types.leaf_count(param.type) or unknown(param.type) is None:
        return unknown(param.type)
    return tuple(Interval(low, high) for low, high in zip(lows, highs, strict=True))


Key: TypeAlias = "int | str"
"""A local by its number or a param by its name."""


class _Run:
    """One abstract run; `self._values` is what is known at the present point, `self._trail` what it replaced."""

    def __init__(
        self,
        function: ir.Function,
        params: Mapping[str, Value],
        bounded: frozenset[str],
        results: list[Value],
        lanes: int | None,
    ) -> None:
        self.hazards: dict[tuple[Kind, int], Hazard] = {}
        self._function = function
        self._bounded = bounded
        self._results = results
        self._lanes = lanes
        self._values: dict[Key, Value] = dict(params.items())
        self._trail: list[tuple[Key, Value]] = []
        self._never_zero: list[str] = []
        """Params that a condition around the present point tells from 0."""
        self._seen: dict[int, Value] = {}
        """What each expression gave when it was last evaluated."""
        self._dead = False
        """Whether control cannot come here."""
        self._returned: list[Value] = []
        for local in range(function.parameters):
            self._values[local] = unknown(function.locals[local].type)

    def result(self) -> Value:
        """Run; gives what the function may return."""
        self._block(self._function.body)
        if not self._returned:
            return unknown(self._function.result)
        merged = self._returned[0]
        for value in self._returned[1:]:
            merged = hull(merged, value)
        return merged

    # ------------------------------------------------------------ state

    def _set(self, key: Key, value: Value) -> None:
        self._trail.append((key, self._values.get(key)))
        self._values[key] = value

    def _undo(self, mark: int) -> None:
        while len(self._trail) > mark:
            key, before = self._trail.pop()
            self._values[key] = before

    def _branches(self, runs: Sequence[Callable[[], None]]) -> None:
        """Run each from the present state; go on with what any of them may leave."""
        outcomes: list[dict[Key, Value]] = []
        learnt: list[set[str]] = []
        mark, known = len(self._trail), len(self._never_zero)
        for run in runs:
            run()
            if not self._dead:
                outcomes.append({key: self._values[key] for key, _ in self._trail[mark:]})
                learnt.append(set(self._never_zero[known:]))
            del self._never_zero[known:]
            self._undo(mark)
            self._dead = False
        self._dead = not outcomes
        self._never_zero += sorted(set.intersection(*learnt)) if learnt else []
        for key in {key for outcome in outcomes for key in outcome}:
            values = [outcome.get(key, self._values.get(key)) for outcome in outcomes]
            merged = values[0]
            for value in values[1:]:
                merged = hull(merged, value)
            self._set(key, merged)

    @contextmanager
    def _aside(self) -> Iterator[None]:
        """What is learnt inside is forgotten after."""
        mark, known = len(self._trail), len(self._never_zero)
        yield
        self._undo(mark)
        del self._never_zero[known:]
        self._dead = False

    def _report(
        self, kind: Kind, node: ir.Node, found: Interval, detail: str = "", within: Sequence[ir.Expression] = ()
    ) -> None:
        origins = self._function.origins
        constants = tuple(origins[n.id] for e in within for n in ir.walk(e) if isinstance(n, ir.Const))
        self.hazards.setdefault((kind, node.id), Hazard(kind, origins[node.id], found, detail, constants))

    # ------------------------------------------------------------ statements

    def _block(self, node: ir.Block) -> None:
        for statement in node.statements:
            if self._dead:
                return
            _STATEMENTS[type(statement)](self, statement)

    def _assign(self, node: ir.Assign) -> None:
        value = self._value(node.value)
        if node.steps:
            value = self._stored(node, value)
        self._set(node.local, value)

    def _stored(self, node: ir.Assign, value: Value) -> Value:
        """What a local holds after a part of it was assigned."""
        type_: types.Type = self._function.locals[node.local].type
        whole = self._values.get(node.local)
        before = unknown(type_) if whole is None else whole
        positions: list[int] | None = list(range(types.leaf_count(type_))) if before is not None else None
        for step in node.steps:
            match step:
                case ir.FieldStep():
                    assert isinstance(type_, types.Struct)
                    start = sum(types.leaf_count(f.type) for f in type_.fields[: step.index])
                    type_ = type_.fields[step.index].type
                    if positions is not None:
                        positions = positions[start : start + types.leaf_count(type_)]
                case ir.SwizzleStep():
                    positions = None if positions is None else [positions[c] for c in step.components]
                case ir.IndexStep():
                    index, parts = self._scalar(step.index), types.parts(type_)
                    self._check_index(step, index, len(parts), type_)
                    type_ = parts[0]
                    if not index.is_point or not 0 <= index.low < len(parts):
                        positions = None
                    elif positions is not None:
                        size = types.leaf_count(type_)
                        positions = positions[int(index.low) * size :][:size]
        if before is None or positions is None or value is None:
            return unknown(self._function.locals[node.local].type)
        made = list(before)
        for position, new in zip(positions, value, strict=True):
            made[position] = new
        return tuple(made)

    def _if(self, node: ir.If) -> None:
        self._condition(node.condition, node.condition)
        self._branches(
            [
                lambda: self._under(node.condition, True, node.then),
                lambda: self._under(node.condition, False, node.otherwise),
            ]
        )

    def _under(self, condition: ir.Expression, truth: bool, block: ir.Block) -> None:
        self._assume(condition, truth)
        self._block(block)

    def _switch(self, node: ir.Switch) -> None:
        subject = self._scalar(node.subject)

        def case_of(ranges: Sequence[tuple[int, int]], body: ir.Block) -> Callable[[], None]:
            def run() -> None:
                met = [found for low, high in ranges if (found := iv.meet(subject, Interval(low, high))) is not None]
                self._dead = not met
                target = self._target(node.subject)
                if met and target is not None:
                    self._narrow(target, iv.hull(*met))
                self._block(body)

            return run

        runs = [case_of(case.ranges, case.body) for case in node.cases]
        self._branches([*runs, lambda: self._block(node.otherwise)])

    def _loop(self, node: ir.Loop) -> None:
        low, high = self._scalar(node.low), self._scalar(node.high)
        last = high.high if node.closed else high.high - 1
        if last < low.low:
            bounds = (node.low, node.high)
            if all(isinstance(b, ir.Const) for b in bounds) or any(self._is_open(b) for b in bounds):
                self._report(Kind.NO_ROUNDS, node, Interval(low.low, high.high), within=bounds)
            return

        assigned = _assigned(node)

        def rounds() -> None:
            for local in assigned:
                self._set(local, unknown(self._function.locals[local].type))
            self._set(node.local, (Interval(low.low, last),))
            if node.until is not None:
                self._block(node.until.block)
                if not self._dead:
                    self._condition(node.until.condition, node.until.condition)
            self._block(node.body)
            # A round may end at any point of what came before it, so what it assigned is not known after it.
            self._dead = False
            for local in assigned:
                self._set(local, unknown(self._function.locals[local].type))

        self._branches([rounds, lambda: None])

    def _return(self, node: ir.Return) -> None:
        if node.value is not None:
            self._returned.append(self._value(node.value))
        self._dead = True

    def _exchange(self, node: ir.Exchange) -> None:
        # All lanes come here alike, so what is known of this one's value is known of theirs.
        self._set(node.local, self._value(node.value))
        lane = self._scalar(node.lane)
        if self._lanes is not None and not _meets(lane, self._lanes):
            self._report(Kind.OUTSIDE, node.lane, lane, f"the lanes of this group are 0 to {self._lanes - 1}")

    def _load(self, node: ir.Load) -> None:
        self._address(node.address)
        self._set(node.local, unknown(self._function.locals[node.local].type))

    def _put(self, node: ir.Put) -> None:
        self._address(node.address)
        self._value(node.value)

    def _emit(self, node: ir.Emit) -> None:
        self._value(node.value)

    def _call_statement(self, node: ir.CallStatement) -> None:
        for arg in node.args:
            self._value(arg)
        if node.local is not None:
            self._set(node.local, self._results[node.function])

    # ------------------------------------------------------------ conditions

    def _condition(self, condition: ir.Expression, node: ir.Node) -> None:
        """Evaluate what decides; report it where its parts vary and it does not."""
        value = self._scalar(condition)
        if value.is_point and self._is_open(condition) and _compares(condition):
            self._report(Kind.DECIDED, node, value, within=(condition,))

    def _is_open(self, node: ir.Expression) -> bool:
        """Whether anything that is named or read in an expression may have more than one value."""
        return any(
            isinstance(n, ir.Expression)
            and not isinstance(n, ir.Const)
            and not any(True for _ in ir.children(n))
            and not _is_fixed(self._seen.get(n.id))
            for n in ir.walk(node)
        )

    def _assume(self, condition: ir.Expression, truth: bool) -> None:
        """Narrow what is known to where a condition, just evaluated, is `truth`; the point is dead if nowhere."""
        value = self._seen.get(condition.id)
        if value is not None and not value[0].holds(truth):
            self._dead = True
            return
        match condition:
            case ir.Unary(op=ir.UnaryOp.NOT):
                self._assume(condition.operand, not truth)
            case ir.ShortCircuit():
                if (condition.op is ir.Logic.AND) == truth:
                    self._assume(condition.left, truth)
                    if not self._dead:
                        self._assume(condition.right, truth)
            case ir.Binary() if condition.op in _COMPARED and condition.left.type in (INT, FLOAT):
                self._compare(condition, truth)
            case _:
                target = self._target(condition)
                if target is not None and condition.type is BOOL:
                    self._narrow(target, iv.ALWAYS if truth else iv.NEVER)

    def _compare(self, node: ir.Binary, truth: bool) -> None:
        left, right = self._known(node.left), self._known(node.right)
        op = node.op if truth else _COMPARED[node.op]
        if op is ir.BinaryOp.NE:
            self._tell_from_zero(node.left, right)
            self._tell_from_zero(node.right, left)
        for operand, mine, other, word in ((node.left, left, right, op), (node.right, right, left, _MIRRORED[op])):
            target = self._target(operand)
            if target is not None and not self._dead:
                self._narrow(target, _narrowed(mine, word, other, operand.type, truth=truth))

    def _tell_from_zero(self, operand: ir.Expression, other: Interval) -> None:
        if isinstance(operand, ir.Param) and other == iv.point(0):
            self._never_zero.append(operand.name)

    def _known(self, node: ir.Expression) -> Interval:
        value = self._seen.get(node.id)
        return iv.everything(INT if node.type is INT else FLOAT) if value is None else value[0]

    def _target(self, node: ir.Expression) -> tuple[Key, int] | None:
        """The scalar of a local or param that an expression names."""
        found = self._scalars(node)
        return (found[0], found[1][0]) if found is not None and len(found[1]) == 1 else None

    def _scalars(self, node: ir.Expression) -> tuple[Key, Sequence[int]] | None:
        """The positions of the scalars of a local or param that an expression names."""
        match node:
            case ir.Local():
                return node.local, range(types.leaf_count(node.type))
            case ir.Param():
                return node.name, range(types.leaf_count(node.type))
            case ir.StructField(operand=ir.Expression(type=types.Struct() as struct)):
                inner = self._scalars(node.operand)
                start = sum(types.leaf_count(f.type) for f in struct.fields[: node.index])
                return None if inner is None else (inner[0], inner[1][start : start + types.leaf_count(node.type)])
            case ir.Swizzle():
                inner = self._scalars(node.operand)
                return None if inner is None else (inner[0], [inner[1][c] for c in node.components])
            case _:
                return None

    def _narrow(self, target: tuple[Key, int], to: Interval | None) -> None:
        """Take a scalar to lie in `to`; None: it cannot."""
        key, position = target
        value = self._values.get(key)
        if to is None:
            self._dead = True
        elif value is not None:
            self._set(key, (*value[:position], to, *value[position + 1 :]))

    # ------------------------------------------------------------ expressions

    def _value(self, node: ir.Expression) -> Value:
        value = self._seen[node.id] = _EXPRESSIONS[type(node)](self, node)
        return value

    def _scalar(self, node: ir.Expression) -> Interval:
        value = self._value(node)
        assert value is not None
        return value[0]

    def _constant(self, node: ir.Const) -> Value:
        return constant(node)

    def _local(self, node: ir.Local) -> Value:
        value = self._values.get(node.local)
        return unknown(node.type) if value is None else value

    def _param(self, node: ir.Param) -> Value:
        return self._values[node.name]

    def _any(self, node: ir.Expression) -> Value:
        """Anything of its type, whatever its operands are."""
        for child in ir.children(node):
            assert isinstance(child, ir.Expression)
            self._value(child)
        return unknown(node.type)

    def _unary(self, node: ir.Unary) -> Value:
        return operations.unary(node, self._value(node.operand))

    def _binary(self, node: ir.Binary) -> Value:
        left, right = self._value(node.left), self._value(node.right)
        if node.op in (ir.BinaryOp.DIV, ir.BinaryOp.REM) and right is not None:
            self._check_divisor(node, left, right)
        elif node.op in _SHIFTS and right is not None and not _meets(right[0], 32):
            self._report(Kind.SHIFT, node, right[0])
        return operations.binary(node, left, right)

    def _check_divisor(self, node: ir.Binary, left: Value, right: tuple[Interval, ...]) -> None:
        divisor = node.right.operand if isinstance(node.right, ir.Splat) else node.right
        if all(part == (0, 0, False) for part in right):
            # Of two constants: that is how one writes an infinity.
            if node.type is INT or not _is_fixed(left):
                self._report(Kind.ZERO, node, right[0], str(node.type))
            return
        if isinstance(divisor, ir.BuiltinCall) and divisor.builtin is Builtin.TO_FLOAT:
            [divisor] = divisor.args
        if isinstance(divisor, ir.Param) and divisor.name in self._bounded and divisor.name not in self._never_zero:
            zero = next((part for part in right if part.holds(0)), None)
            if zero is not None:
                self._report(Kind.MAYBE_ZERO, node, zero, divisor.name)

    def _short_circuit(self, node: ir.ShortCircuit) -> Value:
        left = self._scalar(node.left)
        right = left
        with self._aside():
            self._assume(node.left, node.op is ir.Logic.AND)
            if not self._dead:
                right = self._scalar(node.right)
        return (iv.both(left, right) if node.op is ir.Logic.AND else iv.either(left, right),)

    def _conditional(self, node: ir.Conditional) -> Value:
        self._condition(node.condition, node.condition)
        found = []
        for truth, branch in ((True, node.then), (False, node.otherwise)):
            with self._aside():
                self._assume(node.condition, truth)
                if not self._dead:
                    found.append(self._value(branch))
        return hull(found[0], found[-1]) if found else unknown(node.type)

    def _field(self, node: ir.StructField) -> Value:
        assert isinstance(node.operand.type, types.Struct)
        return part(self._value(node.operand), tuple(f.type for f in node.operand.type.fields), node.index)

    def _swizzle(self, node: ir.Swizzle) -> Value:
        value = self._value(node.operand)
        return unknown(node.type) if value is None else tuple(value[c] for c in node.components)

    def _index(self, node: ir.Index) -> Value:
        value, index = self._value(node.operand), self._scalar(node.index)
        parts = types.parts(node.operand.type)
        self._check_index(node, index, len(parts), node.operand.type)
        if index.is_point:
            return part(value, parts, min(max(int(index.low), 0), len(parts) - 1))
        return any_part(value, node.type)

    def _check_index(self, node: ir.Node, index: Interval, count: int, type_: types.Type) -> None:
        if not _meets(index, count):
            self._report(Kind.OUTSIDE, node, index, f"the positions of {type_} are 0 to {count - 1}")

    def _make(self, node: ir.Make) -> Value:
        values = [self._value(p) for p in node.parts]
        known = [v for v in values if v is not None]
        if len(known) < len(values) or unknown(node.type) is None:
            return unknown(node.type)
        return tuple(scalar for value in known for scalar in value)

    def _splat(self, node: ir.Splat) -> Value:
        value = self._value(node.operand)
        if value is None or unknown(node.type) is None:
            return unknown(node.type)
        return value * (types.leaf_count(node.type) // len(value)) if value else value

    def _tag(self, node: ir.Tag) -> Value:
        self._value(node.operand)
        assert isinstance(node.operand.type, types.Enum)
        return (Interval(0, len(node.operand.type.variants) - 1),)

    def _builtin(self, node: ir.BuiltinCall) -> Value:
        return operations.builtin(node, [self._value(a) for a in node.args])

    def _call(self, node: ir.Call) -> Value:
        for arg in node.args:
            self._value(arg)
        return self._results[node.function]

    def _at(self, node: ir.At) -> Value:
        self._address(node.address)
        return unknown(node.type)

    def _address(self, address: Sequence[ir.Expression]) -> None:
        """A field has no element at a negative address, whatever its size."""
        for coordinate in address:
            for scalar in self._value(coordinate) or ():
                if scalar.high < 0 and not scalar.nan:
                    self._report(Kind.OUTSIDE, coordinate, scalar, "addresses begin at 0")

    def _size(self, node: ir.Size) -> Value:
        return filled(node.type, Interval(0, INT_MAX))

    def _place(self, node: ir.Place) -> Value:
        match node.kind:
            case ir.PlaceKind.LANE:
                return (Interval(0, INT_MAX if self._lanes is None else self._lanes - 1),)
            case ir.PlaceKind.PLACE:
                return filled(node.type, Interval(0.0, 1.0))
            case ir.PlaceKind.DOMAIN:
                return filled(node.type, Interval(1, INT_MAX))
            case _:
                return filled(node.type, Interval(0, INT_MAX))


_SHIFTS = (ir.BinaryOp.SHL, ir.BinaryOp.SHR, ir.BinaryOp.USHR)

_COMPARED = {
    ir.BinaryOp.LT: ir.BinaryOp.GE,
    ir.BinaryOp.GE: ir.BinaryOp.LT,
    ir.BinaryOp.LE: ir.BinaryOp.GT,
    ir.BinaryOp.GT: ir.BinaryOp.LE,
    ir.BinaryOp.EQ: ir.BinaryOp.NE,
    ir.BinaryOp.NE: ir.BinaryOp.EQ,
}
"""The comparisons, each with what holds of numbers where it does not."""

_MIRRORED = {
    ir.BinaryOp.LT: ir.BinaryOp.GT,
    ir.BinaryOp.GT: ir.BinaryOp.LT,
    ir.BinaryOp.LE: ir.BinaryOp.GE,
    ir.BinaryOp.GE: ir.BinaryOp.LE,
    ir.BinaryOp.EQ: ir.BinaryOp.EQ,
    ir.BinaryOp.NE: ir.BinaryOp.NE,
}


def _narrowed(mine: Interval, op: ir.BinaryOp, other: Interval, type_: types.Type, *, truth: bool) -> Interval | None:
    """What is left of `mine` where it stands in relation `op` to something in `other`.

    A NaN makes every comparison but `!=` false: where it was false, NaN stays possible, and beside one so is all.
    """
    scalar = INT if type_ is INT else FLOAT
    if other.nan and (not truth or op is ir.BinaryOp.NE):
        return mine
    low, high = mine.low, mine.high
    match op:
        case ir.BinaryOp.LT:
            high = min(high, iv.below(other.high, scalar))
        case ir.BinaryOp.LE:
            high = min(high, other.high)
        case ir.BinaryOp.GT:
            low = max(low, iv.above(other.low, scalar))
        case ir.BinaryOp.GE:
            low = max(low, other.low)
        case ir.BinaryOp.EQ:
            low, high = max(low, other.low), min(high, other.high)
        case _ if other.is_point:
            low = iv.above(low, scalar) if low == other.low else low
            high = iv.below(high, scalar) if high == other.high else high
    nan = mine.nan and (not truth or op is ir.BinaryOp.NE)
    if low <= high:
        return Interval(low, high, nan)
    return Interval(mine.low, mine.low, True) if nan else None


def _meets(index: Interval, count: int) -> bool:
    """Whether an index may be one of 0 to `count - 1`."""
    return index.high >= 0 and index.low < count


def _is_fixed(value: Value) -> bool:
    return value is not None and all(scalar.is_point for scalar in value)


def _compares(node: ir.Expression) -> bool:
    return any(isinstance(n, ir.Binary) and n.op in _COMPARED for n in ir.walk(node))


def _assigned(loop: ir.Loop) -> set[int]:
    """The locals that a loop's rounds assign."""
    found: set[int] = set()
    pending: list[ir.Node] = [loop]
    while pending:
        match pending.pop():
            case ir.Block(statements=statements):
                pending += statements
            case ir.If(then=then, otherwise=otherwise):
                pending += (then, otherwise)
            case ir.Switch(cases=cases, otherwise=otherwise):
                pending += (otherwise, *(case.body for case in cases))
            case ir.Loop(local=local, until=until, body=body):
                found.add(local)
                pending += (body,) if until is None else (until.block, body)
            case ir.Assign(local=local) | ir.Load(local=local) | ir.Exchange(local=local):
                found.add(local)
            case ir.CallStatement(local=int() as local):
                found.add(local)
    return found


_STATEMENTS: dict[type, Callable[[_Run, Any], None]] = {
    ir.Block: _Run._block,
    ir.Assign: _Run._assign,
    ir.If: _Run._if,
    ir.Switch: _Run._switch,
    ir.Loop: _Run._loop,
    ir.Return: _Run._return,
    ir.Exchange: _Run._exchange,
    ir.Load: _Run._load,
    ir.Put: _Run._put,
    ir.Emit: _Run._emit,
    ir.CallStatement: _Run._call_statement,
}

_EXPRESSIONS: dict[type, Callable[[_Run, Any], Value]] = {
    ir.Const: _Run._constant,
    ir.Local: _Run._local,
    ir.Param: _Run._param,
    ir.Unary: _Run._unary,
    ir.Binary: _Run._binary,
    ir.ShortCircuit: _Run._short_circuit,
    ir.Conditional: _Run._conditional,
    ir.StructField: _Run._field,
    ir.Swizzle: _Run._swizzle,
    ir.Index: _Run._index,
    ir.Make: _Run._make,
    ir.Splat: _Run._splat,
    ir.MakeVariant: _Run._any,
    ir.Tag: _Run._tag,
    ir.Payload: _Run._any,
    ir.BuiltinCall: _Run._builtin,
    ir.Call: _Run._call,
    ir.Sample: _Run._any,
    ir.SampleAt: _Run._any,
    ir.At: _Run._at,
    ir.Size: _Run._size,
    ir.Extent: _Run._any,
    ir.Place: _Run._place,
}
