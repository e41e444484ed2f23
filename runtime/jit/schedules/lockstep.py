"""Blocks of elements that run in lockstep, one for each lane: what `steps` cut, written for LLVM."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import assert_never

from kcheck.checker import ir
from kcheck.checker.types import INT, Scalar, Type
from kcheck.runtime.jit.emitter import Emitter, Value
from kcheck.runtime.jit.module import Wish
from kcheck.runtime.jit.rows import Rows, own_rows
from kcheck.runtime.jit.schedules.steps import (
    Action,
    Begin,
    Branch,
    Choose,
    Clear,
    Count,
    Do,
    Frame,
    Mask,
    Next,
    Pass,
    Postpone,
    Region,
    Rounds,
    Run,
    Shared,
    Slot,
    Start,
    Test,
    all_runs,
    mentioned,
    subject_of,
)
from kcheck.runtime.jit.statements import Statements
from kcheck.runtime.jit.storage import REGISTERS, byte_size

_ON, _OFF = "-1", "0"


class Lockstep:
    """Writes what the lanes of a block do; `enter` says where the lane at hand (i64) stands.

    `count` (i64) says how many lanes have an element.
    """

    def __init__(
        self, emitter: Emitter, regions: Sequence[Region], lanes: int, count: str, enter: Callable[[str], None]
    ) -> None:
        self._emitter, self._code = emitter, emitter.code
        self._regions, self._lanes, self._count, self._enter = regions, lanes, count, enter
        self._statements: dict[int, Statements] = {}
        self._some: dict[Mask, str] = {}
        """Whether any lane is in a mask (i1), of those that were looked at last."""
        self._numbers: dict[int, str] = {}
        """The number of the present round (i32) of each loop for which all lanes have the same."""
        self._cleared: Sequence[Mask] = ()
        """The masks that a return clears."""
        self._returning: Frame
        self._lane_end = ""
        self._make_room()

    def write(self) -> None:
        self._write(self._regions)

    def all_lanes(self) -> AbstractContextManager[str]:
        """What is written inside is done for each lane, whose number (i64) it gets."""
        wish = Wish.EIGHT if self._lanes == 8 else Wish.SIXTEEN
        return self._emitter.rounds("0", str(self._lanes), wish)

    # ------------------------------------------------------------ rows and variables

    def new_rows(self, type_: Type) -> Rows:
        """Rows for all lanes, zero at first."""
        rows = own_rows(self._emitter, type_, self._lanes)
        for piece, start in zip(self._emitter.pieces(type_), rows.starts, strict=True):
            size = byte_size(piece) * self._lanes
            self._code.do(f"call void @llvm.memset.p0.i64(ptr {start}, i8 0, i64 {size}, i1 false)")
        return rows

    def _make_room(self) -> None:
        """Rows for what several runs mention, and for masks."""
        runs = list(all_runs(self._regions))
        for run in runs:
            for slot in dict.fromkeys(slot for action in run.actions for slot, _ in mentioned(action)):
                slot.runs += 1
                if slot.runs == 2:
                    slot.rows = self.new_rows(slot.type)
        for mask in dict.fromkeys(mask for run in runs for mask in opened(run)):
            mask.rows, mask.place = self.new_rows(INT), self._emitter.variable(INT)

    def _statements_of(self, frame: Frame) -> Statements:
        known = self._statements.get(id(frame))
        if known is None:
            made = Statements(self._emitter, frame.position, frame.costs, _Locals(self._emitter, frame), self._return)
            known = self._statements[id(frame)] = made
        return known

    def _value(self, frame: Frame, node: ir.Expression) -> Value:
        return self._statements_of(frame).expressions.value(node)

    def _scalar(self, frame: Frame, node: ir.Expression) -> str:
        [value] = self._value(frame, node)
        return value

    # ------------------------------------------------------------ runs

    def _write(self, regions: Sequence[Region]) -> None:
        for region in regions:
            match region:
                case Run():
                    self._write_run(region)
                case Shared():
                    region.frame.slots[region.local].settled = self._value(region.source, region.value)
                case Branch():
                    self._write_branch(region)
                case Rounds():
                    self._write_rounds(region)
                case _:
                    assert_never(region)

    def _write_run(self, run: Run) -> None:
        code, emitter = self._code, self._emitter
        found = [code.alloca("i32", 4) for _ in run.watched]
        for place in found:
            code.do(f"store i32 0, ptr {place}")
        changed: dict[Slot, bool] = {}
        for action in run.actions:
            for slot, changes in mentioned(action):
                if slot.rows is not None:
                    changed[slot] = changed.get(slot, False) or changes
        new, old, joined = opened(run), cleared(run), [a.later for a in run.actions if isinstance(a, Postpone)]
        with self.all_lanes() as lane:
            self._enter(lane)
            self._lane_end = code.label("lane")
            entry = None if run.entry is None else _rows(run.entry).get(lane)[0]
            before = {slot: _rows(slot).get(lane) for slot in changed}
            for slot, value in before.items():
                emitter.put(places(emitter, slot), slot.type, value)
            for mask in (*new, *old, *joined):
                self._set_mask(mask, _ON if mask in old else _OFF)
            for action in run.actions:
                if code.is_open:
                    self._act(action)
            code.start(self._lane_end)
            active = None if entry is None else code.value(f"icmp ne i32 {entry}, 0")
            for slot, changes in changed.items():
                if changes:
                    self._keep(slot, lane, active, before[slot])
            for mask in (*new, *old):
                self._keep_mask(mask, lane, entry, is_new=mask in new, is_entry=mask is run.entry)
            for mask in joined:
                own = code.value(f"and i32 {entry}, {code.value(f'load i32, ptr {mask.place}')}")
                _rows(mask).put(lane, [code.value(f"or i32 {own}, {_rows(mask).get(lane)[0]}")])
            for mask, place in zip(run.watched, found, strict=True):
                either = code.value(f"or i32 {code.value(f'load i32, ptr {place}')}, {_rows(mask).get(lane)[0]}")
                code.do(f"store i32 {either}, ptr {place}")
        for mask, place in zip(run.watched, found, strict=True):
            self._some[mask] = code.value(f"icmp ne i32 {code.value(f'load i32, ptr {place}')}, 0")

    def _keep(self, slot: Slot, lane: str, active: str | None, before: Value) -> None:
        """Take what the lane has come to, if it is active."""
        emitter = self._emitter
        after = emitter.get(places(emitter, slot), slot.type)
        if active is not None:
            kinds = [REGISTERS[p] for p in emitter.pieces(slot.type) if isinstance(p, Scalar)]
            parts = zip(kinds, after, before, strict=True)
            after = [self._code.value(f"select i1 {active}, {kind} {a}, {kind} {b}") for kind, a, b in parts]
        _rows(slot).put(lane, after)

    def _keep_mask(self, mask: Mask, lane: str, entry: str | None, *, is_new: bool, is_entry: bool) -> None:
        code = self._code
        value = code.value(f"load i32, ptr {mask.place}")
        if is_new:
            base = self._has_element(lane) if entry is None else entry
        else:
            base = _rows(mask).get(lane)[0]
            if not is_entry and entry is not None:
                # Lanes that do not take part here keep what they are.
                value = code.value(f"or i32 {value}, {code.value(f'xor i32 {entry}, -1')}")
        _rows(mask).put(lane, [code.value(f"and i32 {base}, {value}")])

    def _has_element(self, lane: str) -> str:
        return self._code.value(f"sext i1 {self._code.value(f'icmp slt i64 {lane}, {self._count}')} to i32")

    # ------------------------------------------------------------ what a lane does

    def _act(self, action: Action) -> None:
        match action:
            case Start():
                self._set_mask(action.mask, _ON)
            case Do():
                self._cleared, self._returning = action.masks, action.frame
                self._statements_of(action.frame).statement(action.node)
            case Begin():
                self._begin(action.rounds)
            case Count():
                self._set(action.rounds.frame.slots[action.rounds.node.local], [self._numbers[id(action.rounds)]])
            case Test():
                assert action.rounds.mask is not None
                self._leave_if(self._scalar(action.rounds.frame, action.condition), [action.rounds.mask])
            case Postpone():
                self._leave_if(self._scalar(action.frame, action.condition), action.masks, action.later)
            case Clear():
                return  # masks that a run makes begin without any lane
            case Next():
                self._come_to_next(action.rounds)
            case Choose():
                self._choose(action.branch)
            case Pass():
                values = [self._value(action.caller, arg) for _, arg in action.args]
                for (local, _), value in zip(action.args, values, strict=True):
                    self._set(action.callee.slots[local], value)
                if action.mask is not None:
                    self._set_mask(action.mask, _ON)
            case _:
                assert_never(action)

    def _set(self, slot: Slot, value: Value) -> None:
        if not settle(slot, value):
            self._emitter.put(places(self._emitter, slot), slot.type, value)

    def _set_mask(self, mask: Mask, value: str) -> None:
        self._code.do(f"store i32 {value}, ptr {mask.place}")

    def _set_mask_if(self, mask: Mask, condition: str) -> None:
        self._set_mask(mask, self._code.value(f"sext i1 {condition} to i32"))

    def _leave_if(self, condition: str, masks: Sequence[Mask], joined: Mask | None = None) -> None:
        code, leaving, staying = self._code, self._code.label("leave"), self._code.label("stay")
        code.branch(condition, leaving, staying)
        code.start(leaving)
        for mask in masks:
            self._set_mask(mask, _OFF)
        if joined is not None:
            self._set_mask(joined, _ON)
        code.jump(self._lane_end)
        code.start(staying)

    def _begin(self, rounds: Rounds) -> None:
        assert rounds.mask is not None
        if rounds.end is None:
            self._set_mask(rounds.mask, _ON)
            return
        node = rounds.node
        low, high = self._scalar(rounds.frame, node.low), self._scalar(rounds.frame, node.high)
        self._set(rounds.frame.slots[node.local], [low])
        self._set(rounds.end, [high])
        order = "sle" if node.closed else "slt"
        self._set_mask_if(rounds.mask, self._code.value(f"icmp {order} i32 {low}, {high}"))

    def _come_to_next(self, rounds: Rounds) -> None:
        """The number wraps behind the greatest Int, when nobody needs it any more."""
        assert rounds.mask is not None
        assert rounds.end is not None
        code, counter = self._code, rounds.frame.slots[rounds.node.local]
        [number], [end] = (_read(self._emitter, slot) for slot in (counter, rounds.end))
        following = code.value(f"add i32 {number}, 1")
        self._set(counter, [following])
        last = f"icmp ne i32 {number}, {end}" if rounds.node.closed else f"icmp slt i32 {following}, {end}"
        self._set_mask_if(rounds.mask, code.value(last))

    def _choose(self, branch: Branch) -> None:
        code, node = self._code, branch.node
        subject = self._scalar(branch.frame, subject_of(node))
        if isinstance(node, ir.If):
            conditions = [subject, code.value(f"xor i1 {subject}, true")]
        else:
            conditions, left = [], "true"
            for case in node.cases:
                here = self._is_in(subject, case.ranges)
                conditions.append(code.value(f"and i1 {left}, {here}"))
                left = code.value(f"and i1 {left}, {code.value(f'xor i1 {here}, true')}")
            conditions.append(left)
        for mask, condition in zip(branch.masks, conditions, strict=True):
            if mask is not None:
                self._set_mask_if(mask, condition)

    def _is_in(self, subject: str, ranges: Sequence[tuple[int, int]]) -> str:
        """Whether an Int is in one of the ranges (i1)."""
        code, found = self._code, "false"
        for low, high in ranges:
            distance = code.value(f"sub i32 {subject}, {low}")
            here = code.value(f"icmp ule i32 {distance}, {high - low}")
            found = code.value(f"or i1 {found}, {here}")
        return found

    def _return(self, node: ir.Return) -> None:
        frame = self._returning
        if node.value is not None and frame.result is not None:
            self._set(frame.result, self._value(frame, node.value))
        if node is not frame.last:
            for mask in self._cleared:
                self._set_mask(mask, _OFF)
            self._code.jump(self._lane_end)

    # ------------------------------------------------------------ control

    def _write_branch(self, branch: Branch) -> None:
        code, end = self._code, self._code.label("end")
        if branch.is_shared:
            labels = [code.label("arm") for _ in branch.arms]
            subject = self._scalar(branch.frame, subject_of(branch.node))
            if isinstance(branch.node, ir.Switch):
                self._statements_of(branch.frame).choose_case(branch.node, subject, labels)
            else:
                code.branch(subject, *labels)
            for label, arm in zip(labels, branch.arms, strict=True):
                code.start(label)
                self._write(arm)
                code.jump(end)
            code.start(end)
            return
        for mask, arm in zip(branch.masks, branch.arms, strict=True):
            if mask is not None:
                with code.only_if(self._some[mask]):
                    self._write(arm)

    def _write_rounds(self, rounds: Rounds) -> None:
        code, node, done = self._code, rounds.node, self._code.label("done")
        if rounds.mask is not None:
            some = code.label("some")
            code.branch(self._some[rounds.mask], some, done)
            code.start(some)
        kind, first, end = "i32", "0", ""
        if rounds.end is None:
            first, end = self._scalar(rounds.frame, node.low), self._scalar(rounds.frame, node.high)
            if node.closed:
                # The last round may be that of the greatest Int, which the counter must get beyond.
                kind, first = "i64", code.value(f"sext i32 {first} to i64")
                end = code.value(f"add i64 {code.value(f'sext i32 {end} to i64')}, 1")
        before, head, body, latch, again = code.block, *(code.label(n) for n in ("loop", "body", "next", "again"))
        number, following = code.name(), code.name()
        code.start(head)
        code.do(f"{number} = phi {kind} [{first}, %{before}], [{following}, %{again}]")
        if rounds.end is None:
            code.branch(code.value(f"icmp slt {kind} {number}, {end}"), body, done)
            code.start(body)
            local = code.value(f"trunc i64 {number} to i32") if node.closed else number
            self._numbers[id(rounds)] = local
            if node.local in rounds.frame.shared:
                rounds.frame.slots[node.local].settled = [local]
        self._write(rounds.body)
        if rounds.watched is not None:
            code.branch(self._some[rounds.watched], latch, done)
        code.start(latch)
        code.do(f"{following} = add {kind} {number}, 1")
        strip = rounds.frame.costs.strip(node)
        if strip is not None:
            self._look(kind, number, strip, again, done)
        code.start(again)
        code.close(f"br label %{head}{self._emitter.module.note(Wish.ONCE)}")
        code.start(done)

    def _look(self, kind: str, number: str, strip: int, again: str, done: str) -> None:
        """Look, in about every `strip`-th round, whether the run is to stop."""
        code, look = self._code, self._code.label("look")
        part = code.value(f"and {kind} {number}, {(1 << strip.bit_length() - 1) - 1}")
        code.branch(code.value(f"icmp eq {kind} {part}, 0"), look, again)
        code.start(look)
        code.branch(self._emitter.stopped(), done, again)


class _Locals:
    """The locals of a frame, for its statements."""

    def __init__(self, emitter: Emitter, frame: Frame) -> None:
        self._emitter, self._frame = emitter, frame

    def settle(self, local: int, value: Value) -> bool:
        return settle(self._frame.slots[local], value)

    def settled(self, local: int) -> Value | None:
        return self._frame.slots[local].settled

    def places(self, local: int) -> list[str]:
        return places(self._emitter, self._frame.slots[local])

    def type_of(self, local: int) -> Type:
        return self._frame.slots[local].type


def settle(slot: Slot, value: Value) -> bool:
    if slot.assignments > 1 or slot.rows is not None:
        return False
    slot.settled = value
    return True


def places(emitter: Emitter, slot: Slot) -> list[str]:
    """The variables of the lane at hand."""
    if slot.places is None:
        slot.places = [emitter.variable(piece) for piece in emitter.pieces(slot.type)]
    return slot.places


def _read(emitter: Emitter, slot: Slot) -> Value:
    return emitter.get(places(emitter, slot), slot.type) if slot.settled is None else slot.settled


def opened(run: Run) -> list[Mask]:
    """The masks that a run makes."""
    found: list[Mask | None] = []
    for action in run.actions:
        match action:
            case Start() | Pass():
                found.append(action.mask)
            case Clear():
                found.append(action.mask)
            case Begin():
                found.append(action.rounds.mask)
            case Choose():
                found += action.branch.masks
    return [mask for mask in found if mask is not None]


def cleared(run: Run) -> list[Mask]:
    """The masks that lanes may leave in a run, but for those that it makes."""
    found: list[Mask | None] = []
    for action in run.actions:
        match action:
            case Do() if any(isinstance(n, ir.Return) and n is not action.frame.last for n in ir.walk(action.node)):
                found += action.masks
            case Postpone():
                found += action.masks
            case Test() | Next():
                found.append(action.rounds.mask)
    new = opened(run)
    return [mask for mask in dict.fromkeys(found) if mask is not None and mask not in new]


def _rows(one: Slot | Mask) -> Rows:
    assert one.rows is not None
    return one.rows
