"""From a reduction's IR to terms: functions are followed, branches become `if`, loops are written out.

Everything here is exact but for what a compute reads from fields and places: each such read is a variable of its own
with no more than its bounds known.  So the values that the terms can take include all reachable ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache
from itertools import permutations
from typing import NoReturn, assert_never

from kcheck.checker import arithmetic, ir, types
from kcheck.checker.builtins import Builtin
from kcheck.checker.ir import BinaryOp, UnaryOp
from kcheck.checker.law import euclid
from kcheck.checker.law.builtins import MEANINGS, Leaves, float_constant, is_not_zero
from kcheck.checker.law.problem import SORTS, Input, Obligation, Problem, Symbolic, Undefined
from kcheck.checker.law.terms import Op, Sort, Term, Terms, TooLarge, number, variables
from kcheck.checker.prelude import COMPOSITE_BUILTINS, expand_prelude
from kcheck.checker.types import leaf_count, leaves
from kcheck.grammar.recursion import deep_recursion
from kcheck.grammar.spans import Origin

EXPANDED = COMPOSITE_BUILTINS - {Builtin.NORMALIZE}
"""The built-ins that become functions before terms are made."""

_MAX_ROUNDS = 2048
"""The most rounds of loops that are written out in all."""

_MOST_ASSUMED = 64
"""The most rounds that are written out of a loop in merge whose rounds no constant bounds."""

_MAX_AXIS = 1 << 24
_MAX_INDEX = (1 << 31) - 2


class Blocked(Exception):
    """The reduction cannot be turned into terms: why, and where."""

    def __init__(self, reason: str, origin: Origin) -> None:
        super().__init__(reason)
        self.reason = reason
        self.origin = origin


def problem_of(program: ir.Program) -> Problem:
    """The question whether the merge of this reduction obeys its laws; raises `Blocked`."""
    problem, assumed = _problem_of(program, knows_euclid=True)
    if not assumed:
        return problem
    from kcheck.checker.law.solver.intervals import always  # here, as most merges need nothing of the solver's

    return problem if always(problem, assumed) else _problem_of(program, knows_euclid=False)[0]


def _problem_of(program: ir.Program, *, knows_euclid: bool) -> tuple[Problem, Sequence[Term]]:
    """The problem, and what must hold for its loops that are Euclid's algorithm to have rounds enough."""
    schedule = program.schedule
    assert isinstance(schedule, ir.Fold)
    expanded = expand_prelude(program, EXPANDED)
    shift = len(expanded.functions) - len(program.functions)
    terms = Terms()
    reads = Reads(terms, schedule.over)
    type_ = program.functions[schedule.merge].result
    left, right = _fresh(terms, "left", type_), _fresh(terms, "right", type_)
    executions = [Execution(expanded, shift, terms, reads, knows_euclid=knows_euclid) for _ in range(2)]
    executions[0].assumed_rounds = _longest_array(program.functions[schedule.merge])
    try:
        with deep_recursion():
            merge = _symbolic(executions[0], schedule.merge + shift, (left, right))
            compute = _symbolic(executions[1], schedule.element + shift, ())
    except TooLarge:
        raise Blocked("the merge is too large once its loops and calls are written out", program.origin) from None
    problem = Problem(
        terms=terms,
        program=program,
        type=type_,
        left=left,
        right=right,
        merge=merge,
        compute=compute,
        inputs=tuple(reads.inputs),
        params=tuple(leaf for p in program.params for leaf in reads.param(p.name, p.type)),
        assumptions=tuple(a for p in program.params for a in _range(terms, p, reads.param(p.name, p.type))),
    )
    return problem, [condition for execution in executions for condition in execution.assumed]


def _longest_array(merge: ir.Function) -> int:
    """How many rounds a loop over a part of an array may have; 0 where there is none."""
    arrays = [type_ for local in merge.locals for type_ in _types_within(local.type) if isinstance(type_, types.Array)]
    return min(max((array.length for array in arrays), default=0), _MOST_ASSUMED)


def _types_within(type_: types.Type) -> Iterator[types.Type]:
    yield type_
    if isinstance(type_, types.Struct | types.Array):
        for part in types.parts(type_):
            yield from _types_within(part)


def _symbolic(execution: Execution, function: int, args: Sequence[Leaves]) -> Symbolic:
    result = execution.call(function, args)
    assert result is not None  # compute and merge have results
    return Symbolic(result, tuple(execution.obligations))


def _fresh(terms: Terms, name: str, type_: types.Type) -> Leaves:
    return tuple(terms.var(f"{name}.{i}", SORTS[leaf.scalar]) for i, leaf in enumerate(leaves(type_)))


def _range(terms: Terms, param: ir.ParamDecl, found: Leaves) -> Iterator[Term]:
    """What the declared range of a param says of its leaves."""
    for bound, is_low in ((param.low, True), (param.high, False)):
        if bound is None:
            continue
        for leaf, value in zip(found, ir.const_numbers(bound), strict=True):
            limit = terms.const(Fraction(value) if leaf.sort is Sort.REAL else int(value), leaf.sort)
            yield terms.le(limit, leaf) if is_low else terms.le(leaf, limit)


# ---------------------------------------------------------------- what a compute reads


class Reads:
    """The variables that stand for params, fields and places; equal reads are one variable.

    `walked` is the port that is folded.
    """

    def __init__(self, terms: Terms, walked: str) -> None:
        self._terms = terms
        self._walked = walked
        self._params: dict[str, Leaves] = {}
        self._known: dict[tuple[object, ...], Leaves] = {}
        self.inputs: list[Input] = []

    def param(self, name: str, type_: types.Type) -> Leaves:
        if name not in self._params:
            fresh = _fresh(self._terms, f"param {name}", type_)
            self._params[name] = self._of_type(type_, fresh)
        return self._params[name]

    def read(self, node: ir.Expression, key: tuple[object, ...], shared: bool = False, address: Leaves = ()) -> Leaves:
        """The leaves of what `node` reads; `key` tells it from other reads, `shared` says that all elements see
        one value."""
        if key not in self._known:
            name = " ".join(str(part) for part in key)
            fresh = _fresh(self._terms, f"{name} #{len(self._known)}", node.type)
            low, high = _bounds(node, self._walked)
            for i, variable in enumerate(fresh):
                self.inputs.append(Input(variable, node, i, low, high, shared, address))
            self._known[key] = self._of_type(node.type, fresh)
        return self._known[key]

    def are_shared(self, address: Sequence[Term]) -> bool:
        """Whether an address is one for all elements: it rests on nothing but params and what is shared itself."""
        own = {read.variable for read in self.inputs if not read.shared}
        return own.isdisjoint(variables(address))

    def _of_type(self, type_: types.Type, fresh: Leaves) -> Leaves:
        """Leaves of which those of variants that are not chosen are zero, as in every enum value."""
        match type_:
            case types.Enum():
                return self._of_enum(type_, fresh)
            case types.Struct() | types.Array() if types.contains_enum(type_):
                made: list[Term] = []
                for part in types.parts(type_):
                    made += self._of_type(part, fresh[len(made) : len(made) + leaf_count(part)])
                return tuple(made)
            case _:
                return fresh

    def _of_enum(self, type_: types.Enum, fresh: Leaves) -> Leaves:
        terms = self._terms
        tag = terms.apply(
            Op.MIN, terms.apply(Op.MAX, fresh[0], terms.integer(0)), terms.integer(len(type_.variants) - 1)
        )
        made = [tag]
        for i, variant in enumerate(type_.variants):
            chosen = terms.eq(tag, terms.integer(i))
            for f in variant.fields:
                inner = self._of_type(f.type, fresh[len(made) : len(made) + leaf_count(f.type)])
                made += [terms.if_(chosen, leaf, terms.zero(leaf.sort)) for leaf in inner]
        return tuple(made)


def _bounds(node: ir.Expression, walked: str) -> tuple[int | None, int | None]:
    """The least and the largest that a read of a place or a size can give; a field that is folded is not empty."""
    rank_one = node.type is types.INT
    match node:
        case ir.Size() | ir.Place(kind=ir.PlaceKind.DOMAIN):
            least = 0 if isinstance(node, ir.Size) and node.port != walked else 1
            return least, _MAX_INDEX + 1 if rank_one else _MAX_AXIS
        case ir.Place(kind=ir.PlaceKind.PLACE):
            return 0, 1
        case ir.Place():
            return 0, _MAX_INDEX if rank_one else _MAX_AXIS - 1
        case _:
            return None, None


# ---------------------------------------------------------------- running a function on terms


@dataclass
class _Frame:
    """Where the execution of one call stands: locals, and what it has returned under which condition."""

    function: ir.Function
    is_prelude: bool
    locals: dict[int, Leaves]
    returned: Term
    value: Leaves | None = None

    def copy(self) -> _Frame:
        return replace(self, locals=dict(self.locals))


@dataclass
class Execution:
    program: ir.Program
    prelude: int
    """How many of the functions, the first ones, are the prelude's: no place to point at."""
    terms: Terms
    reads: Reads
    most_rounds: int = _MAX_ROUNDS
    assumed_rounds: int = 0
    """How many rounds to write out of a loop that may have more: an obligation says that it has not; 0 for none."""
    is_stepwise: bool = False
    """Whether all values are constants, so that a loop with an `until` may end long before its range does."""
    knows_euclid: bool = False
    """Whether a loop that is Euclid's algorithm is the function that it computes."""
    assumed: list[Term] = field(default_factory=list)
    """What must hold for that."""
    obligations: list[Obligation] = field(default_factory=list)
    rounds: int = 0
    steps: int = 0
    """How many expressions were looked at."""
    _guards: list[Term] = field(default_factory=list)
    _origins: list[Origin] = field(default_factory=list)

    # ------------------------------------------------------------ conditions and obligations

    @property
    def guard(self) -> Term:
        """Under what condition the present step is reached."""
        return self._guards[-1] if self._guards else self.terms.true

    @contextmanager
    def under(self, condition: Term) -> Iterator[None]:
        self._guards.append(self.terms.and_(self.guard, condition))
        try:
            yield
        finally:
            self._guards.pop()

    def require(self, condition: Term, kind: Undefined) -> None:
        if condition is not self.terms.true and self.guard is not self.terms.false:
            self.obligations.append(Obligation(self.guard, condition, kind, self._origins[-1]))

    def block(self, reason: str) -> NoReturn:
        raise Blocked(reason, self._origins[-1])

    @contextmanager
    def at(self, frame: _Frame, node: ir.Node) -> Iterator[None]:
        """Steps inside are blamed on `node`; inside the prelude, on the call that led there."""
        blamed = self._origins[-1] if frame.is_prelude else frame.function.origins[node.id]
        self._origins.append(blamed)
        try:
            yield
        finally:
            self._origins.pop()

    # ------------------------------------------------------------ functions

    def call(self, function: int, args: Sequence[Leaves]) -> Leaves | None:
        declared = self.program.functions[function]
        frame = _Frame(declared, function < self.prelude, dict(enumerate(args)), self.terms.false)
        self._block(declared.body, frame)
        return frame.value

    def _block(self, block: ir.Block, frame: _Frame) -> None:
        for statement in block.statements:
            if frame.returned is self.terms.true:
                return
            with self.under(self.terms.not_(frame.returned)), self.at(frame, statement):
                self._statement(statement, frame)

    def _statement(self, node: ir.Statement, frame: _Frame) -> None:
        match node:
            case ir.Block():
                self._block(node, frame)
            case ir.Assign():
                self._assign(node, frame)
            case ir.If():
                condition = self._scalar(node.condition, frame)
                self._branch(condition, node.then, node.otherwise, frame)
            case ir.Switch():
                self._switch(node, frame)
            case ir.Loop():
                self._loop(node, frame)
            case ir.Return():
                self._return(node, frame)
            case ir.CallStatement():
                result = self.call(node.function, [self._value(arg, frame) for arg in node.args])
                if node.local is not None:
                    assert result is not None
                    frame.locals[node.local] = result
            case ir.Exchange() | ir.Load() | ir.Put() | ir.Emit():
                raise AssertionError("no statement of a reduction")
            case _:
                assert_never(node)

    def _return(self, node: ir.Return, frame: _Frame) -> None:
        if node.value is not None:
            value = self._value(node.value, frame)
            frame.value = value if frame.value is None else self._choose(frame.returned, frame.value, value)
        frame.returned = self.terms.true

    def _branch(self, condition: Term, then: ir.Block, otherwise: ir.Block, frame: _Frame) -> None:
        taken, other = frame.copy(), frame.copy()
        if condition is not self.terms.false:
            with self.under(condition):
                self._block(then, taken)
        if condition is not self.terms.true:
            with self.under(self.terms.not_(condition)):
                self._block(otherwise, other)
        self._join(condition, taken, other, frame)

    def _join(self, condition: Term, taken: _Frame, other: _Frame, frame: _Frame) -> None:
        """`frame` becomes `taken` where the condition holds, else `other`.

        A local that only one side has is not read where the other was taken: that one returned, or declared none.
        """
        frame.locals = {
            local: self._choose(condition, taken.locals.get(local, leaves_), other.locals.get(local, leaves_))
            for local, leaves_ in {**taken.locals, **other.locals}.items()
        }
        frame.returned = self.terms.if_(condition, taken.returned, other.returned)
        if taken.value is None or other.value is None:
            frame.value = other.value if taken.value is None else taken.value
        else:
            frame.value = self._choose(condition, taken.value, other.value)

    def _choose(self, condition: Term, then: Leaves, otherwise: Leaves) -> Leaves:
        if then is otherwise:
            return then
        return tuple(self.terms.if_(condition, a, b) for a, b in zip(then, otherwise, strict=True))

    def _switch(self, node: ir.Switch, frame: _Frame) -> None:
        self._cases(self._scalar(node.subject, frame), node.cases, node.otherwise, frame)

    def _cases(self, subject: Term, cases: Sequence[ir.Case], otherwise: ir.Block, frame: _Frame) -> None:
        if not cases:
            self._block(otherwise, frame)
            return
        condition = self.terms.any(self._within(subject, low, high) for low, high in cases[0].ranges)
        taken, other = frame.copy(), frame.copy()
        if condition is not self.terms.false:
            with self.under(condition):
                self._block(cases[0].body, taken)
        if condition is not self.terms.true:
            with self.under(self.terms.not_(condition)):
                self._cases(subject, cases[1:], otherwise, other)
        self._join(condition, taken, other, frame)

    def _within(self, subject: Term, low: int, high: int) -> Term:
        terms = self.terms
        if low == high:
            return terms.eq(subject, terms.integer(low))
        above = terms.true if low == arithmetic.INT_MIN else terms.le(terms.integer(low), subject)
        below = terms.true if high == arithmetic.INT_MAX else terms.le(subject, terms.integer(high))
        return terms.and_(above, below)

    # ------------------------------------------------------------ loops

    def _loop(self, node: ir.Loop, frame: _Frame) -> None:
        """All rounds that there can be, each under the condition that it is run."""
        terms = self.terms
        low, high = self._scalar(node.low, frame), self._scalar(node.high, frame)
        first, last = self._limits(low)[0], self._limits(high)[1] - (0 if node.closed else 1)
        if self.knows_euclid and low.is_const and high.is_const and self._ends_as_euclid(node, last - first + 1, frame):
            return
        if last - first >= self.most_rounds and not self.is_stepwise:
            if not self.assumed_rounds or first == arithmetic.INT_MIN:
                self.block("a loop whose rounds have no small constant bound cannot be written out")
            last = first + self.assumed_rounds - 1
            self.require(terms.le(high, terms.integer(last + (0 if node.closed else 1))), Undefined.ROUNDS)
        running = terms.true
        for counter in range(first, last + 1):
            if running is terms.false or frame.returned is terms.true:
                return
            self._count_round()
            i = terms.integer(counter)
            inside = terms.and_(terms.le(low, i), terms.le(i, high) if node.closed else terms.lt(i, high))
            running = self._round(node, i, inside, running, frame)

    def _ends_as_euclid(self, node: ir.Loop, rounds: int, frame: _Frame) -> bool:
        """Whether the loop is Euclid's algorithm; then `frame` is as after it."""
        terms = self.terms
        inside = list(ir.walk(node))
        assigned = {inner.local for inner in inside if isinstance(inner, ir.Assign)} & frame.locals.keys()
        if len(assigned) != 2 or any(frame.function.locals[local].type is not types.INT for local in assigned):
            return False
        if rounds < 1 or any(isinstance(inner, ir.Return) for inner in inside):
            return False
        p, q, counter = (terms.var(f"euclid.{name}", Sort.INT) for name in ("p", "q", "counter"))
        for first, second in permutations(sorted(assigned)):
            trial = Execution(self.program, self.prelude, terms, self.reads, _origins=list(self._origins))
            entered = frame.copy()
            entered.locals |= {first: (p,), second: (q,)}
            trial._round(node, counter, terms.true, terms.true, entered)
            [one], [other] = entered.locals[first], entered.locals[second]
            if not trial.obligations and euclid.is_round(terms, p, q, (one, other)):
                [left], [right] = frame.locals[first], frame.locals[second]
                self.assumed.append(terms.or_(terms.not_(self.guard), euclid.ends_after(terms, left, right, rounds)))
                frame.locals |= {first: (euclid.gcd(terms, left, right),), second: (terms.integer(0),)}
                return True
        return False

    def _count_round(self) -> None:
        self.rounds += 1
        if self.rounds > self.most_rounds:
            self.block(f"with more than {self.most_rounds} rounds in all, loops are too long to be written out")

    def _round(self, node: ir.Loop, counter: Term, inside: Term, running: Term, frame: _Frame) -> Term:
        """One round where the counter is `inside` the range and `running` still holds; what holds after it."""
        terms = self.terms
        starts = terms.and_(running, inside)
        if node.until is not None:
            entered = self._entered(node, counter, starts, node.until.block, frame)
            with self.under(terms.and_(starts, terms.not_(entered.returned))):
                stop = self._scalar(node.until.condition, entered)
            self._join(starts, entered, frame.copy(), frame)
            # Before the range begins nothing stops the loop: it has yet to start.
            running = terms.and_(running, terms.not_(terms.and_(inside, stop)))
            starts = terms.and_(starts, terms.not_(stop))
        entered = self._entered(node, counter, starts, node.body, frame)
        self._join(starts, entered, frame.copy(), frame)
        return running

    def _entered(self, node: ir.Loop, counter: Term, starts: Term, block: ir.Block, frame: _Frame) -> _Frame:
        """How things stand after a block of the loop, run under the condition `starts`."""
        entered = frame.copy()
        entered.locals[node.local] = (counter,)
        with self.under(starts):
            self._block(block, entered)
        return entered

    def _limits(self, term: Term) -> tuple[int, int]:
        """The least and largest value that an Int can have as far as params and constants tell."""
        everything = (arithmetic.INT_MIN, arithmetic.INT_MAX)
        if term.is_const:
            value = int(number(term))
            return value, value
        known = self._param_limits().get(term)
        if known is not None:
            return known
        inner = [self._limits(arg) for arg in term.args if arg.sort is Sort.INT]
        match term.op:
            case Op.MIN:
                return min(inner[0][0], inner[1][0]), min(inner[0][1], inner[1][1])
            case Op.MAX:
                return max(inner[0][0], inner[1][0]), max(inner[0][1], inner[1][1])
            case Op.IF:
                return min(inner[0][0], inner[1][0]), max(inner[0][1], inner[1][1])
            case Op.ADD:
                return _unwrapped(inner[0][0] + inner[1][0], inner[0][1] + inner[1][1])
            case Op.SUB:
                return _unwrapped(inner[0][0] - inner[1][1], inner[0][1] - inner[1][0])
            case Op.BIT_AND:
                bounds = [high for low, high in inner if low >= 0]
                return (0, min(bounds)) if bounds else everything
            case _:
                return everything

    def _param_limits(self) -> dict[Term, tuple[int, int]]:
        found: dict[Term, tuple[int, int]] = {}
        for param in self.program.params:
            low = ir.const_numbers(param.low) if param.low else None
            high = ir.const_numbers(param.high) if param.high else None
            for i, leaf in enumerate(self.reads.param(param.name, param.type)):
                if leaf.sort is Sort.INT:
                    found[leaf] = (
                        int(low[i]) if low else arithmetic.INT_MIN,
                        int(high[i]) if high else arithmetic.INT_MAX,
                    )
        return found

    # ------------------------------------------------------------ assignments

    def _assign(self, node: ir.Assign, frame: _Frame) -> None:
        value = self._value(node.value, frame)
        if not node.steps:
            frame.locals[node.local] = value
            return
        type_ = frame.function.locals[node.local].type
        frame.locals[node.local] = self._stored(type_, frame.locals[node.local], node.steps, value, frame)

    def _stored(
        self, type_: types.Type, old: Leaves, steps: Sequence[ir.TargetStep], value: Leaves, frame: _Frame
    ) -> Leaves:
        """The leaves with the part that `steps` lead to replaced; with a position outside, the old ones."""
        if not steps:
            return value
        step, rest = steps[0], steps[1:]
        if isinstance(step, ir.SwizzleStep):
            made = list(old)
            for component, leaf in zip(step.components, value, strict=True):
                made[component] = leaf
            return tuple(made)
        slices = _part_slices(type_)
        inner = types.parts(type_)
        if isinstance(step, ir.FieldStep):
            part = slices[step.index]
            return old[: part.start] + self._stored(inner[step.index], old[part], rest, value, frame) + old[part.stop :]
        position = self._scalar(step.index, frame)
        made_parts: list[Term] = []
        for i, part in enumerate(slices):
            chosen = self.terms.eq(position, self.terms.integer(i))
            new = old[part] if chosen is self.terms.false else self._stored(inner[i], old[part], rest, value, frame)
            made_parts += self._choose(chosen, new, old[part])
        return tuple(made_parts)

    # ------------------------------------------------------------ expressions

    def _scalar(self, node: ir.Expression, frame: _Frame) -> Term:
        [leaf] = self._value(node, frame)
        return leaf

    def _value(self, node: ir.Expression, frame: _Frame) -> Leaves:
        self.steps += 1
        with self.at(frame, node):
            return self._expression(node, frame)

    def _expression(self, node: ir.Expression, frame: _Frame) -> Leaves:
        match node:
            case ir.Const():
                return self._constant(node)
            case ir.Local():
                return frame.locals[node.local]
            case ir.Param():
                return self.reads.param(node.name, node.type)
            case ir.Unary():
                return self._unary(node, frame)
            case ir.Binary():
                return self._binary(node, frame)
            case ir.ShortCircuit():
                return (self._short_circuit(node, frame),)
            case ir.Conditional():
                return self._conditional(node, frame)
            case ir.StructField():
                return self._value(node.operand, frame)[_part_slices(node.operand.type)[node.index]]
            case ir.Swizzle():
                vector = self._value(node.operand, frame)
                return tuple(vector[component] for component in node.components)
            case ir.Index():
                return self._indexed(node, frame)
            case ir.Make():
                return tuple(leaf for part in node.parts for leaf in self._value(part, frame))
            case ir.Splat():
                part = self._value(node.operand, frame)
                return part * (leaf_count(node.type) // len(part))
            case ir.MakeVariant():
                return self._variant(node, frame)
            case ir.Tag():
                return self._value(node.operand, frame)[:1]
            case ir.Payload():
                enum = node.operand.type
                assert isinstance(enum, types.Enum)
                return self._value(node.operand, frame)[_payload_slice(enum, node.variant, node.index)]
            case ir.BuiltinCall():
                return MEANINGS[node.builtin](self, [self._value(arg, frame) for arg in node.args])
            case ir.Call():
                result = self.call(node.function, [self._value(arg, frame) for arg in node.args])
                assert result is not None
                return result
            case _:
                return self._read(node, frame)

    def _read(self, node: ir.Expression, frame: _Frame) -> Leaves:
        match node:
            case ir.Sample():
                return self.reads.read(node, ("sample", node.port))
            case ir.SampleAt():
                position = self._value(node.position, frame)
                return self.reads.read(node, ("sample", node.port, *position), shared=self.reads.are_shared(position))
            case ir.At():
                address = [leaf for part in node.address for leaf in self._value(part, frame)]
                return self.reads.read(
                    node, ("at", node.port, *address), shared=self.reads.are_shared(address), address=tuple(address)
                )
            case ir.Size():
                return self.reads.read(node, ("size", node.port), shared=True)
            case ir.Extent():
                return self.reads.read(node, ("extent", node.port), shared=True)
            case ir.Place():
                return self.reads.read(node, (node.kind.value,), shared=node.kind is ir.PlaceKind.DOMAIN)
            case _:
                raise AssertionError(type(node).__name__)

    def _constant(self, node: ir.Const) -> Leaves:
        return tuple(
            float_constant(self, int(value))
            if leaf.scalar is types.FLOAT
            else self.terms.const(value, SORTS[leaf.scalar])
            for leaf, value in zip(leaves(node.type), node.leaves, strict=True)
        )

    def _unary(self, node: ir.Unary, frame: _Frame) -> Leaves:
        operand = self._value(node.operand, frame)
        match node.op:
            case UnaryOp.NOT:
                return (self.terms.not_(operand[0]),)
            case UnaryOp.NEG:
                return tuple(self.terms.neg(leaf) for leaf in operand)
            case UnaryOp.INVERT:
                return (self.terms.apply(Op.BIT_NOT, operand[0]),)

    def _short_circuit(self, node: ir.ShortCircuit, frame: _Frame) -> Term:
        left = self._scalar(node.left, frame)
        is_and = node.op is ir.Logic.AND
        with self.under(left if is_and else self.terms.not_(left)):
            right = self._scalar(node.right, frame)
        return self.terms.and_(left, right) if is_and else self.terms.or_(left, right)

    def _conditional(self, node: ir.Conditional, frame: _Frame) -> Leaves:
        condition = self._scalar(node.condition, frame)
        if condition.is_const:
            return self._value(node.then if condition.value else node.otherwise, frame)
        with self.under(condition):
            then = self._value(node.then, frame)
        with self.under(self.terms.not_(condition)):
            otherwise = self._value(node.otherwise, frame)
        return self._choose(condition, then, otherwise)

    def _indexed(self, node: ir.Index, frame: _Frame) -> Leaves:
        """The part at a position that clamps to the ends."""
        whole = self._value(node.operand, frame)
        position = self._scalar(node.index, frame)
        slices = _part_slices(node.operand.type)
        result = whole[slices[-1]]
        for i in reversed(range(len(slices) - 1)):
            result = self._choose(self.terms.le(position, self.terms.integer(i)), whole[slices[i]], result)
        return result

    def _variant(self, node: ir.MakeVariant, frame: _Frame) -> Leaves:
        enum = node.type
        assert isinstance(enum, types.Enum)
        made = [self.terms.zero(SORTS[leaf.scalar]) for leaf in leaves(enum)]
        made[0] = self.terms.integer(node.variant)
        for i, part in enumerate(node.parts):
            made[_payload_slice(enum, node.variant, i)] = self._value(part, frame)
        return tuple(made)

    # ------------------------------------------------------------ operators

    def _binary(self, node: ir.Binary, frame: _Frame) -> Leaves:
        left, right = self._value(node.left, frame), self._value(node.right, frame)
        terms = self.terms
        match node.op:
            case BinaryOp.EQ | BinaryOp.NE:
                same = terms.all(terms.eq(a, b) for a, b in zip(left, right, strict=True))
                return (same if node.op is BinaryOp.EQ else terms.not_(same),)
            case BinaryOp.LT:
                return (terms.lt(left[0], right[0]),)
            case BinaryOp.LE:
                return (terms.le(left[0], right[0]),)
            case BinaryOp.GT:
                return (terms.lt(right[0], left[0]),)
            case BinaryOp.GE:
                return (terms.le(right[0], left[0]),)
            case BinaryOp.MATMUL:
                return self._matrix_product(node, left, right)
            case _:
                return tuple(self._arithmetic(node.op, a, b) for a, b in zip(left, right, strict=True))

    def _arithmetic(self, op: BinaryOp, a: Term, b: Term) -> Term:
        terms = self.terms
        if a.sort is Sort.BOOL:
            return {BinaryOp.AND: terms.and_, BinaryOp.OR: terms.or_, BinaryOp.XOR: terms.xor}[op](a, b)
        if a.sort is Sort.REAL and op in (BinaryOp.DIV, BinaryOp.REM):
            kind = Undefined.DIVISION if op is BinaryOp.DIV else Undefined.REMAINDER
            self.require(is_not_zero(terms, b), kind)
        return terms.apply(_OPERATIONS[op], a, b)

    def _matrix_product(self, node: ir.Binary, left: Leaves, right: Leaves) -> Leaves:
        matrix = node.left.type
        assert isinstance(matrix, types.Mat)
        size = matrix.size
        terms = self.terms

        def entry(row: int, column: int) -> Term:
            total = terms.mul(left[row], right[column * size])
            for k in range(1, size):
                total = terms.add(total, terms.mul(left[k * size + row], right[column * size + k]))
            return total

        return tuple(entry(row, column) for column in range(len(right) // size) for row in range(size))


_OPERATIONS = {
    BinaryOp.ADD: Op.ADD,
    BinaryOp.SUB: Op.SUB,
    BinaryOp.MUL: Op.MUL,
    BinaryOp.DIV: Op.DIV,
    BinaryOp.REM: Op.REM,
    BinaryOp.AND: Op.BIT_AND,
    BinaryOp.OR: Op.BIT_OR,
    BinaryOp.XOR: Op.BIT_XOR,
    BinaryOp.SHL: Op.SHL,
    BinaryOp.SHR: Op.SHR,
    BinaryOp.USHR: Op.USHR,
}


def _unwrapped(low: int, high: int) -> tuple[int, int]:
    """Bounds of a sum, unless it may wrap."""
    if low < arithmetic.INT_MIN or high > arithmetic.INT_MAX:
        return arithmetic.INT_MIN, arithmetic.INT_MAX
    return low, high


@lru_cache(maxsize=1024)
def _part_slices(type_: types.Type) -> tuple[slice, ...]:
    """Where the leaves of each direct part of a value lie among its leaves."""
    found, start = [], 0
    for part in types.parts(type_):
        stop = start + leaf_count(part)
        found.append(slice(start, stop))
        start = stop
    return tuple(found)


def _payload_slice(enum: types.Enum, variant: int, index: int) -> slice:
    """Where the leaves of a variant's field lie among those of the enum; its tag is the first."""
    start = 1
    for i, declared in enumerate(enum.variants):
        for j, declared_field in enumerate(declared.fields):
            stop = start + leaf_count(declared_field.type)
            if (i, j) == (variant, index):
                return slice(start, stop)
            start = stop
    raise AssertionError("no such field")
