"""Maps and reductions with loops: which of them run in lockstep, and what drivers write for these."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Sequence

from kcheck.checker import ir
from kcheck.checker.ir import PlaceKind
from kcheck.checker.prelude import key_of
from kcheck.checker.types import Scalar, Type
from kcheck.runtime.jit.assignments import count_assignments
from kcheck.runtime.jit.costs import Costs
from kcheck.runtime.jit.emitter import Value
from kcheck.runtime.jit.module import COORDINATES, INDEX, Module, Wish
from kcheck.runtime.jit.numbers import intrinsic
from kcheck.runtime.jit.reads import element_place
from kcheck.runtime.jit.rows import Rows
from kcheck.runtime.jit.schedules.driver import Driver
from kcheck.runtime.jit.schedules.gathers import is_one_by_one, scalars_read
from kcheck.runtime.jit.schedules.hoisting import hoisted
from kcheck.runtime.jit.schedules.lockstep import Lockstep
from kcheck.runtime.jit.schedules.steps import cut

_FEW_LANES, _MANY_LANES = 8, 16
"""As many as a register of most processors holds, or two times as many, so that there is something to do while results
are waited for."""
_HEAVY = 150
"""A round of so many units has something to do at any time."""
_LARGEST = 6000
_MOST_PARTS = 24
"""What is larger, or has more parts that are cut, would take long to compile."""
_min64 = intrinsic("llvm.smin.i64", "i64")


def lanes_of(module: Module, costs: Sequence[Costs]) -> int:
    """How many elements of a map or reduction run in lockstep: 1 where each runs on its own."""
    program, schedule = module.program, module.program.schedule
    if not isinstance(schedule, (ir.Elements, ir.Fold)) or costs[schedule.element].whole.size > _LARGEST:
        return 1
    taken = taken_in(program)
    if schedule.element not in taken or _parts(program, schedule.element, taken, {}) > _MOST_PARTS:
        return 1
    positions, read = reached(program, schedule.element), scalars_read(module)
    if not any(isinstance(node, ir.Loop) for p in positions for node in ir.walk(program.functions[p].body)):
        return 1
    for position in positions:
        function, cost = program.functions[position], costs[position]
        fits = _fits(module, function) and not is_one_by_one(module, function, cost, read)
        if not (fits if position in taken else cost.whole.is_straight):
            return 1
    heavy = any(costs[p].heaviest_round >= _HEAVY for p in positions)
    return _FEW_LANES if heavy else _MANY_LANES


def only_in_blocks(program: ir.Program) -> set[int]:
    """The functions of a program that are part of the blocks and called by nobody else."""
    schedule, taken = program.schedule, taken_in(program)
    return taken - reached(program, schedule.merge) if isinstance(schedule, ir.Fold) else taken


def reached(program: ir.Program, position: int) -> set[int]:
    """A function and all that it calls."""
    found, pending = set(), [position]
    while pending:
        one = pending.pop()
        if one not in found:
            found.add(one)
            pending += _called(program.functions[one])
    return found


def _called(function: ir.Function) -> Iterator[int]:
    return (n.function for n in ir.walk(function.body) if isinstance(n, (ir.Call, ir.CallStatement)))


def taken_in(program: ir.Program) -> set[int]:
    """The functions that are to be part of the block: those that have to be cut, or that read."""
    kinds = (ir.Loop, ir.Switch, ir.Sample, ir.At, ir.SampleAt)
    taken: set[int] = set()
    for position, function in enumerate(program.functions):
        if any(isinstance(node, kinds) for node in ir.walk(function.body)) or not taken.isdisjoint(_called(function)):
            taken.add(position)
    return taken


def _parts(program: ir.Program, position: int, taken: Container[int], known: dict[int, int]) -> int:
    """The loops and branches that have to be cut in a function and in all that it takes in, once for each call."""
    if position not in known:
        function = program.functions[position]
        own = sum(isinstance(n, (ir.Loop, ir.Switch)) for n in ir.walk(function.body))
        callees = (callee for callee in _called(function) if callee in taken)
        known[position] = own + sum(1 + _parts(program, callee, taken, known) for callee in callees)
    return known[position]


def _fits(module: Module, function: ir.Function) -> bool:
    """Whether LLVM is sure to work on several lanes at once."""
    assignments = count_assignments(function)
    for node in ir.walk(function.body):
        match node:
            case ir.At() | ir.SampleAt() if node.port in module.empty:
                return False
            case ir.Loop() if assignments[node.local] > 1:
                return False
            case ir.BuiltinCall() if (key := key_of(node)) is not None and not module.of_prelude(key).is_straight:
                return False
            case ir.Expression() if not _is_in_registers(module, node.type):
                return False
    return all(_is_in_registers(module, local.type) for local in function.locals)


def _is_in_registers(module: Module, type_: Type) -> bool:
    return all(isinstance(piece, Scalar) for piece in module.storage.pieces(type_))


# ---------------------------------------------------------------- writing


class Blocks:
    """Writes the elements of a range for a driver, block by block; `write` takes each one's number (i64) and result."""

    def __init__(
        self,
        driver: Driver,
        element: int,
        costs: Sequence[Costs],
        lanes: int,
        write: Callable[[str, Value], None],
    ) -> None:
        self._driver, self._module, self._lanes, self._write_result = driver, driver.module, lanes, write
        self._emitter, self._code = driver.emitter, driver.code
        self._functions: dict[int, tuple[ir.Function, Costs]] = {}
        taken = taken_in(self._module.program)
        for position in reached(self._module.program, element) & taken:
            function = hoisted(self._module.program.functions[position], taken)
            self._functions[position] = function, costs[position].of(function)
        self._element = element
        self._first = self._count = self._column = ""
        self._sampled = sorted(
            {n.port for f, _ in self._functions.values() for n in ir.walk(f.body) if isinstance(n, ir.Sample)}
        )
        self._inputs: dict[str, Rows] = {}

    def write(self, begin: str, end: str) -> None:
        """Write the elements from `begin` to before `end`."""
        program = self._module.program
        kinds = {n.kind for f in program.functions for n in ir.walk(f.body) if isinstance(n, ir.Place)}
        if program.rank > 1 and not kinds.isdisjoint({PlaceKind.COORD, PlaceKind.PLACE}):
            with self._driver.rows(begin, end) as (first, last, origin):
                self._write_range(first, last, origin)
        else:
            self._write_range(begin, end, begin)

    def _write_range(self, first: str, last: str, origin: str) -> None:
        """The blocks of elements that lie in one row; `origin` is the number of the row's first element."""
        code, lanes = self._code, self._lanes
        length = code.value(f"sub nsw i64 {last}, {first}")
        blocks = code.value(f"sdiv i64 {code.value(f'add nsw i64 {length}, {lanes - 1}')}, {lanes}")
        with self._emitter.rounds("0", blocks, Wish.ONCE) as block:
            before = code.value(f"mul nuw nsw i64 {block}, {lanes}")
            self._first = code.value(f"add nuw nsw i64 {first}, {before}")
            self._column = code.value(f"sub nuw nsw i64 {self._first}, {origin}")
            self._count = _min64(code, str(lanes), code.value(f"sub nsw i64 {last}, {self._first}"))
            self._write_block()

    def _write_block(self) -> None:
        frame, regions = cut(self._element, self._functions)
        lockstep = Lockstep(self._emitter, regions, self._lanes, self._count, self._enter)
        self._inputs = {port: lockstep.new_rows(self._module.port(port).type.element) for port in self._sampled}
        if self._inputs:
            self._read_inputs(lockstep)
        lockstep.write()
        assert frame.result is not None
        assert frame.result.rows is not None
        self._write_outputs(lockstep, frame.result.rows)

    def _read_inputs(self, lockstep: Lockstep) -> None:
        """Read the elements at the lanes' own places; past the end there are zeros."""

        def read(port: str, rows: Rows, lane: str) -> None:
            place = element_place(self._emitter, port, self._index(lane))
            rows.put(lane, self._emitter.load(place, rows.type))

        def whole() -> None:
            with lockstep.all_lanes() as lane:
                for port, rows in self._inputs.items():
                    read(port, rows, lane)

        def part() -> None:
            some = {port: lockstep.new_rows(rows.type) for port, rows in self._inputs.items()}
            with self._emitter.rounds("0", self._count, Wish.SINGLE) as lane:
                for port, rows in some.items():
                    read(port, rows, lane)
            with lockstep.all_lanes() as lane:
                for port, rows in self._inputs.items():
                    rows.put(lane, some[port].get(lane))

        self._for_whole_or_part(whole, part)

    def _write_outputs(self, lockstep: Lockstep, result: Rows) -> None:
        def whole() -> None:
            with lockstep.all_lanes() as lane:
                self._write_result(self._index(lane), result.get(lane))

        def part() -> None:
            some = lockstep.new_rows(result.type)
            with lockstep.all_lanes() as lane:
                some.put(lane, result.get(lane))
            with self._emitter.rounds("0", self._count, Wish.SINGLE) as lane:
                self._write_result(self._index(lane), some.get(lane))

        self._for_whole_or_part(whole, part)

    def _for_whole_or_part(self, whole: Callable[[], None], part: Callable[[], None]) -> None:
        """Do one thing for a block in which every lane has an element, another for the last ones.

        Rows that are read by a computed lane have to lie in memory.  So these others are copies: what the lanes work
        with is in registers, as LLVM knows each lane.
        """
        code, labels = self._code, [self._code.label(name) for name in ("whole", "part", "end")]
        code.branch(code.value(f"icmp eq i64 {self._count}, {self._lanes}"), *labels[:2])
        for label, write in zip(labels, (whole, part), strict=False):
            code.start(label)
            write()
            code.jump(labels[2])
        code.start(labels[2])

    def _index(self, lane: str) -> str:
        return self._code.value(f"add nuw nsw i64 {self._first}, {lane}")

    def _enter(self, lane: str) -> None:
        items = self._emitter.items
        items[INDEX] = self._index(lane)
        column = self._code.value(f"add nuw nsw i64 {self._column}, {lane}")
        items[COORDINATES[0]] = self._code.value(f"trunc i64 {column} to i32")
        self._emitter.held = {port: rows.get(lane) for port, rows in self._inputs.items()}
