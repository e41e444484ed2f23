"""Functions that exchange, as functions of LLVM that run for a whole group at once.

Such a function gets its arguments and gives its results as rows with a value for each lane.  A local lives in rows
too, unless it is of use within one run only.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from kcheck.checker import ir
from kcheck.checker.types import BOOL, INT, UNIT, Type
from kcheck.runtime.jit.costs import Costs
from kcheck.runtime.jit.emitter import Emitter, Value
from kcheck.runtime.jit.module import COORDINATES, GROUP, INDEX, LANE, Compiled, Module, item_type
from kcheck.runtime.jit.numbers import int_max, int_min
from kcheck.runtime.jit.reads import clamp
from kcheck.runtime.jit.rows import Rows, argument_rows, own_rows
from kcheck.runtime.jit.schedules.regions import (
    Action,
    Branch,
    Count,
    Fetch,
    GroupCall,
    Pass,
    Publish,
    Region,
    Rounds,
    Run,
    Vote,
    all_runs,
    regions_of,
)
from kcheck.runtime.jit.statements import Statements

FIRST, LANES = "%first", "%lanes"
"""A group function's last arguments: the number of the group's first element (i64), and how many lanes it has (i64)."""


class GroupWriter:
    """Writes one function that exchanges."""

    def __init__(self, module: Module, position: int, costs: Costs) -> None:
        schedule = module.program.schedule
        assert isinstance(schedule, ir.Lanes)
        self._module, self._position, self._costs = module, position, costs
        self._size = schedule.size
        self._function = module.program.functions[position]
        self._emitter = Emitter(module)
        self._code = self._emitter.code
        self._statements = Statements(self._emitter, position, costs, self, self._return)
        self._regions = regions_of(self._function.body, module.program.functions)
        self._declared: list[str] = []
        self._rows = self._homes()
        self._places: dict[int, list[str]] = {}
        self._result = self._result_rows()
        self._live = self._live_row()
        self._published: dict[int, Rows] = {}
        self._passed: dict[int, list[Rows]] = {}
        self._votes: dict[int, tuple[str, str]] = {}
        self._counters: dict[int, str] = {}
        self._lane = self._next_lane = self._exit = ""

    def write(self) -> Compiled:
        code = self._code
        self._exit = code.label("exit")
        self._write_regions(self._regions)
        code.start(self._exit)
        code.close("ret void")
        self._emitter.finish()
        name, needs = self._module.names[self._position], tuple(self._emitter.needs)
        declared = [f"{item_type(need)} %{need}" for need in needs] + self._declared
        declared += [f"i64 {FIRST}", f"i64 {LANES}"]
        self._module.texts.append(code.text(f"define internal void @{name}({', '.join(declared)}) nounwind"))
        return Compiled(name, needs, self._emitter.whole_stack, self._emitter.whole_scratch)

    # ------------------------------------------------------------ locals

    def type_of(self, local: int) -> Type:
        return self._function.locals[local].type

    def settle(self, local: int, value: Value) -> bool:
        return False

    def settled(self, local: int) -> Value | None:
        return None

    def places(self, local: int) -> list[str]:
        rows = self._rows.get(local)
        if rows is not None:
            return rows.places(self._lane)
        known = self._places.get(local)
        if known is None:
            pieces = self._emitter.pieces(self.type_of(local))
            known = self._places[local] = [self._emitter.variable(piece) for piece in pieces]
        return known

    def _homes(self) -> dict[int, Rows]:
        """The locals that live in rows: parameters, results of calls of groups, and what several runs mention."""
        rows = {}
        for local in range(self._function.parameters):
            rows[local], declared = argument_rows(self._emitter, self.type_of(local), f"a{local}")
            self._declared += declared
        seen = Counter(local for run in all_runs(self._regions) for local in set(run.locals()))
        several = {local for local, runs in seen.items() if runs > 1}
        called = {n.local for n in ir.walk(self._function.body) if isinstance(n, ir.CallStatement)}
        for local in sorted((several | {n for n in called if n is not None}) - rows.keys()):
            rows[local] = own_rows(self._emitter, self.type_of(local), self._size)
        return rows

    def _result_rows(self) -> Rows | None:
        if self._function.result == UNIT:
            return None
        rows, declared = argument_rows(self._emitter, self._function.result, "result")
        self._declared += declared
        return rows

    def _live_row(self) -> Rows | None:
        """Which lanes have not returned; None where nothing comes behind a run that returns."""
        returning = [run for run in all_runs(self._regions) if run.returns]
        if not returning or (returning == self._regions[-1:] and _returns_last(returning[0])):
            return None
        rows = own_rows(self._emitter, BOOL, self._size)
        with self._emitter.rounds("0", LANES) as lane:
            rows.put(lane, ["true"])
        return rows

    # ------------------------------------------------------------ regions

    def _write_regions(self, regions: Sequence[Region]) -> None:
        for region in regions:
            match region:
                case Run():
                    self._write_run(region)
                case Branch():
                    self._write_branch(region)
                case Rounds():
                    self._write_rounds(region)
                case GroupCall():
                    self._write_call(region.node)

    def _write_run(self, run: Run) -> None:
        code = self._code
        for action in run.actions:
            if isinstance(action, Vote):
                self._open_vote(action)
        with self._emitter.rounds("0", LANES) as lane:
            self._enter(lane)
            self._next_lane = code.label("lane")
            if self._live is not None:
                here = code.label("live")
                code.branch(self._live.get(lane)[0], here, self._next_lane)
                code.start(here)
            for action in run.actions:
                if code.is_open:
                    self._act(action)
            code.start(self._next_lane)
        if self._live is not None:
            if run.returns:
                self._leave_if_all_returned()
            if isinstance(run.actions[-1], (Publish, Pass)):
                self._require_all_live(run.actions[-1].node)

    def _enter(self, lane: str) -> None:
        """Where the lane stands."""
        code, items = self._code, self._emitter.items
        self._lane = lane
        index = items[INDEX] = code.value(f"add nuw nsw i64 {FIRST}, {lane}")
        items[LANE] = code.value(f"trunc i64 {lane} to i32")
        items[GROUP] = code.value(f"trunc i64 {code.value(f'udiv i64 {FIRST}, {self._size}')} to i32")
        rest = code.value(f"trunc i64 {index} to i32")
        axes = COORDINATES[: self._module.program.rank]
        for axis, name in enumerate(axes[:-1]):
            size = self._emitter.domain(axis)
            items[name] = code.value(f"urem i32 {rest}, {size}")
            rest = code.value(f"udiv i32 {rest}, {size}")
        items[axes[-1]] = rest

    def _leave_if_all_returned(self) -> None:
        some, going_on = self._live_count(), self._code.label("on")
        none = self._code.value(f"icmp eq i64 {some}, 0")
        self._code.branch(none, self._exit, going_on)
        self._code.start(going_on)

    def _require_all_live(self, node: ir.Statement) -> None:
        self._require(self._code.value(f"icmp eq i64 {self._live_count()}, {LANES}"), node)

    def _live_count(self) -> str:
        """How many lanes have not returned (i64)."""
        assert self._live is not None
        code = self._code
        total = code.alloca("i64", 8, 8)
        code.do(f"store i64 0, ptr {total}")
        with self._emitter.rounds("0", LANES) as lane:
            one = code.value(f"zext i1 {self._live.get(lane)[0]} to i64")
            before = code.value(f"load i64, ptr {total}")
            code.do(f"store i64 {code.value(f'add i64 {before}, {one}')}, ptr {total}")
        return code.value(f"load i64, ptr {total}")

    # ------------------------------------------------------------ what lanes do

    def _act(self, action: Action) -> None:
        expressions = self._statements.expressions
        match action:
            case Vote():
                self._cast_vote(action)
            case Publish():
                rows = own_rows(self._emitter, action.node.value.type, self._size)
                self._published[id(action.node)] = rows
                rows.put(self._lane, expressions.value(action.node.value))
            case Fetch():
                self._fetch(action.node)
            case Count():
                self._emitter.put(self.places(action.node.local), INT, [self._counters[id(action.node)]])
            case Pass():
                rows_of = [own_rows(self._emitter, arg.type, self._size) for arg in action.node.args]
                self._passed[id(action.node)] = rows_of
                for rows, arg in zip(rows_of, action.node.args, strict=True):
                    rows.put(self._lane, expressions.value(arg))
            case _:
                self._statements.statement(action)

    def _fetch(self, node: ir.Exchange) -> None:
        code = self._code
        last = code.value(f"sub nuw nsw i32 {code.value(f'trunc i64 {LANES} to i32')}, 1")
        lane = clamp(code, self._statements.expressions.scalar(node.lane), last)
        wide = code.value(f"zext nneg i32 {lane} to i64")
        value = self._published[id(node)].get(wide)
        self._emitter.put(self.places(node.local), node.value.type, value)

    def _return(self, node: ir.Return) -> None:
        if node.value is not None:
            assert self._result is not None
            self._result.put(self._lane, self._statements.expressions.value(node.value))
        if self._live is not None:
            self._live.put(self._lane, ["false"])
        self._code.jump(self._next_lane)

    # ------------------------------------------------------------ votes

    def _open_vote(self, vote: Vote) -> None:
        if isinstance(vote.value, ir.Const):
            return
        code = self._code
        least, most = code.alloca("i32", 4), code.alloca("i32", 4)
        code.do(f"store i32 {2**31 - 1}, ptr {least}")
        code.do(f"store i32 {-(2**31)}, ptr {most}")
        self._votes[id(vote)] = least, most

    def _cast_vote(self, vote: Vote) -> None:
        if isinstance(vote.value, ir.Const):
            return
        code = self._code
        value = self._statements.expressions.scalar(vote.value)
        number = code.value(f"zext i1 {value} to i32") if vote.value.type is BOOL else value
        for place, extreme in zip(self._votes[id(vote)], (int_min, int_max), strict=True):
            code.do(f"store i32 {extreme(code, code.value(f'load i32, ptr {place}'), number)}, ptr {place}")

    def _counted(self, vote: Vote) -> str:
        """What the lanes agree on (i32); where they do not, the run fails."""
        if isinstance(vote.value, ir.Const):
            return str(int(vote.value.leaves[0]))
        code = self._code
        least, most = (code.value(f"load i32, ptr {place}") for place in self._votes[id(vote)])
        self._require(code.value(f"icmp eq i32 {least}, {most}"), vote.node)
        return most

    def _require(self, agreed: str, node: ir.Statement) -> None:
        """Fail, at the first exchange below `node`, unless all lanes get there."""
        code, going_on, failing = self._code, self._code.label("on"), self._code.label("diverged")
        code.branch(agreed, going_on, failing)
        code.start(failing)
        self._emitter.fail(self._site(self._position, node))
        code.jump(self._exit)
        code.start(going_on)

    def _site(self, position: int, node: ir.Node) -> int:
        for found in ir.walk(node):
            if isinstance(found, ir.Exchange):
                return self._module.sites[position, found.id]
            if isinstance(found, ir.CallStatement):
                callee = self._module.program.functions[found.function]
                if ir.Effect.EXCHANGE in callee.effects:
                    return self._site(found.function, callee.body)
        raise TypeError(f"holds no exchange: {node}")

    # ------------------------------------------------------------ control

    def _write_branch(self, region: Branch) -> None:
        code, chosen = self._code, self._counted(region.vote)
        labels = [code.label("arm") for _ in region.arms]
        end = code.label("end")
        if isinstance(region.node, ir.Switch):
            self._statements.choose_case(region.node, chosen, labels)
        else:
            code.branch(code.value(f"icmp ne i32 {chosen}, 0"), *labels)
        for label, arm in zip(labels, region.arms, strict=True):
            code.start(label)
            self._write_regions(arm)
            code.jump(end)
        code.start(end)

    def _write_rounds(self, region: Rounds) -> None:
        code, node = self._code, region.node
        low, high = self._counted(region.low), self._counted(region.high)
        first, last = (code.value(f"sext i32 {bound} to i64") for bound in (low, high))
        end = code.value(f"add nsw i64 {last}, {int(node.closed)}")
        done = code.label("done")
        with self._emitter.rounds(first, end) as number:
            self._counters[id(node)] = code.value(f"trunc i64 {number} to i32")
            self._write_regions(region.before)
            if region.until is not None:
                staying = code.label("round")
                ended = code.value(f"icmp ne i32 {self._counted(region.until)}, 0")
                code.branch(ended, done, staying)
                code.start(staying)
            self._write_regions(region.body)
            if self._costs.strip(node) is not None:
                following = code.label("next")
                code.branch(self._emitter.stopped(), done, following)
                code.start(following)
        code.start(done)

    def _write_call(self, node: ir.CallStatement) -> None:
        callee = self._module.functions[node.function]
        result = self._module.program.functions[node.function].result
        rows = list(self._passed[id(node)])
        if result != UNIT:
            own = own_rows(self._emitter, result, self._size) if node.local is None else self._rows[node.local]
            rows.append(own)
        call_group(self._emitter, callee, rows, FIRST, LANES)


def call_group(emitter: Emitter, callee: Compiled, rows: Sequence[Rows], first: str, lanes: str) -> None:
    """Call a group function on rows of arguments, and of results."""
    emitter.calls(callee)
    starts = [f"ptr {start}" for one in rows for start in one.starts]
    args = [*emitter.arguments(callee), *starts, f"i64 {first}", f"i64 {lanes}"]
    emitter.code.do(f"call void @{callee.name}({', '.join(args)})")


def _returns_last(run: Run) -> bool:
    """Whether a run's only return is the last thing that it does."""
    *others, last = run.actions
    found = sum(isinstance(n, ir.Return) for a in others if isinstance(a, ir.Node) for n in ir.walk(a))
    return isinstance(last, ir.Return) and found == 0
