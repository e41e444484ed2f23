"""Functions cut for several elements that run in lockstep, the *lanes* of a block.

What has no loop in it is a `Run`: every lane does it, one after the other as it is written, several at once as LLVM
makes it.  A loop runs as long as any lane is in it, and a dear branch if any lane takes it.  A `Mask` says which lanes
take part; the others do the same and keep nothing of it.  Functions with loops are taken in.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from kcheck.checker import ir
from kcheck.checker.ir import PlaceKind
from kcheck.checker.types import INT, Type
from kcheck.runtime.jit.assignments import count_assignments
from kcheck.runtime.jit.costs import Costs
from kcheck.runtime.jit.emitter import Value
from kcheck.runtime.jit.rows import Rows

_DEAR = 30
"""A branch with an arm of so many units is worth a look whether any lane takes it."""


@dataclass(eq=False, slots=True)
class Mask:
    """Which lanes take part in something: an Int for each, -1 or 0."""

    rows: Rows | None = None
    place: str = ""
    """The variable that has it within a run."""


@dataclass(eq=False, slots=True)
class Slot:
    """Something that each lane has a value of: a local, mostly.

    It has rows where several runs mention it, besides variables that the lane at hand has within a run; or it is
    settled, being a single value in the only run that mentions it, or one value for all lanes.
    """

    type: Type
    assignments: int
    runs: int = 0
    rows: Rows | None = None
    places: list[str] | None = None
    settled: Value | None = None


@dataclass(eq=False, slots=True)
class Frame:
    """One call of a function that is taken in."""

    position: int
    function: ir.Function
    costs: Costs
    result: Slot | None
    slots: list[Slot]
    mask: Mask | None
    """The lanes that called and have not returned; None where all do, and return only at the end."""
    shared: set[int] = field(default_factory=set)
    """The locals that have the same value in all lanes."""

    @property
    def last(self) -> ir.Statement | None:
        """A return at the end, behind which there is nothing."""
        statements = self.function.body.statements
        return statements[-1] if statements and isinstance(statements[-1], ir.Return) else None


# ---------------------------------------------------------------- what a lane does in a run


@dataclass(eq=False, slots=True)
class Start:
    """All lanes with an element take part."""

    mask: Mask


@dataclass(eq=False, slots=True)
class Do:
    """A statement without loops; one that returns clears `masks`."""

    frame: Frame
    node: ir.Statement
    masks: Sequence[Mask]


@dataclass(eq=False, slots=True)
class Begin:
    """Come to a loop that not all lanes are in alike."""

    rounds: Rounds


@dataclass(eq=False, slots=True)
class Test:
    """Leave a loop where `until` holds."""

    rounds: Rounds
    condition: ir.Expression


@dataclass(eq=False, slots=True)
class Next:
    """Come to the next round of a loop whose bounds are the lane's own, or leave it."""

    rounds: Rounds


@dataclass(eq=False, slots=True)
class Choose:
    """Come to a branch."""

    branch: Branch


@dataclass(eq=False, slots=True)
class Count:
    """Note the number of the round, which is the same for all lanes, for those that leave the loop to remember."""

    rounds: Rounds


@dataclass(eq=False, slots=True)
class Clear:
    """No lane is in the mask yet."""

    mask: Mask


@dataclass(eq=False, slots=True)
class Postpone:
    """Where `condition` holds leave `masks` for `later`: what follows, and ends in a return, waits for other lanes."""

    frame: Frame
    condition: ir.Expression
    masks: Sequence[Mask]
    later: Mask


@dataclass(eq=False, slots=True)
class Pass:
    """Give the parameters of a call their values, but for those that are shared."""

    caller: Frame
    callee: Frame
    args: Sequence[tuple[int, ir.Expression]]
    mask: Mask | None
    """The callee's own."""


Action: TypeAlias = "Start | Do | Begin | Count | Test | Next | Choose | Clear | Postpone | Pass"

# ---------------------------------------------------------------- what a block does


@dataclass(eq=False, slots=True)
class Run:
    """What lanes do that take part in `entry`, all if that is None; afterwards somebody looks whether any lane is left
    in `watched`."""

    actions: list[Action]
    entry: Mask | None
    watched: list[Mask]


@dataclass(eq=False, slots=True)
class Shared:
    """A local that is the same for all lanes: that of `frame`, for a value in `source`."""

    frame: Frame
    local: int
    source: Frame
    value: ir.Expression


@dataclass(eq=False, slots=True)
class Branch:
    """An `If` or a `Switch`: the arms in the order of the source, the last one for all others.

    Where the subject is not shared there is a mask for each arm; None where the arm is empty.  An arm that was
    postponed stands alone.
    """

    frame: Frame
    node: ir.If | ir.Switch
    is_shared: bool
    masks: list[Mask | None]
    arms: list[list[Region]]


@dataclass(eq=False, slots=True)
class Rounds:
    """A loop.  `end` is each lane's own, None where the bounds are shared; `mask` has the lanes that are in it, None
    where it is all that come to it; of `watched` a round must leave some lane for the next."""

    frame: Frame
    node: ir.Loop
    end: Slot | None
    mask: Mask | None
    watched: Mask | None
    body: list[Region]


Region: TypeAlias = "Run | Shared | Branch | Rounds"


def all_runs(regions: Sequence[Region]) -> Iterator[Run]:
    for region in regions:
        match region:
            case Run():
                yield region
            case Branch():
                for arm in region.arms:
                    yield from all_runs(arm)
            case Rounds():
                yield from all_runs(region.body)
            case Shared():
                pass


def mentioned(action: Action) -> Iterator[tuple[Slot, bool]]:
    """The slots that an action mentions, and whether it may change them; some more than once."""
    match action:
        case Do():
            yield from _of_nodes(action.frame, action.node)
            if action.frame.result is not None and any(isinstance(n, ir.Return) for n in ir.walk(action.node)):
                yield action.frame.result, True
        case Begin() | Next():
            rounds = action.rounds
            if rounds.end is not None:
                yield rounds.frame.slots[rounds.node.local], True
                yield rounds.end, isinstance(action, Begin)
            if isinstance(action, Begin):
                yield from _of_nodes(rounds.frame, rounds.node.low)
                yield from _of_nodes(rounds.frame, rounds.node.high)
        case Count():
            yield action.rounds.frame.slots[action.rounds.node.local], True
        case Test():
            yield from _of_nodes(action.rounds.frame, action.condition)
        case Postpone():
            yield from _of_nodes(action.frame, action.condition)
        case Choose():
            yield from _of_nodes(action.branch.frame, subject_of(action.branch.node))
        case Pass():
            for local, arg in action.args:
                yield action.callee.slots[local], True
                yield from _of_nodes(action.caller, arg)
        case Start() | Clear():
            pass


def _of_nodes(frame: Frame, root: ir.Node) -> Iterator[tuple[Slot, bool]]:
    for node in ir.walk(root):
        match node:
            case ir.Local():
                yield frame.slots[node.local], False
            case ir.Assign():
                yield frame.slots[node.local], True


def subject_of(node: ir.If | ir.Switch) -> ir.Expression:
    return node.condition if isinstance(node, ir.If) else node.subject


def arms_of(node: ir.If | ir.Switch) -> list[ir.Block]:
    if isinstance(node, ir.If):
        return [node.then, node.otherwise]
    return [*(case.body for case in node.cases), node.otherwise]


# ---------------------------------------------------------------- cutting


def cut(position: int, functions: Mapping[int, tuple[ir.Function, Costs]]) -> tuple[Frame, list[Region]]:
    """The regions of the function at `position`; `functions` are those to take in, their calls of each other
    statements."""
    cutter = _Cutter(functions)
    # What comes out is read behind the block.
    result = Slot(functions[position][0].result, assignments=2, runs=1)
    frame = cutter.frame(position, result, None)
    frame.mask = Mask() if returns_early(frame) else None
    return frame, cutter.whole(frame)


def returns_early(frame: Frame) -> bool:
    return any(isinstance(n, ir.Return) and n is not frame.last for n in ir.walk(frame.function.body))


class _Cutter:
    def __init__(self, functions: Mapping[int, tuple[ir.Function, Costs]]) -> None:
        self._functions = functions
        self._pending: list[Action] = []
        """What the next run does first."""
        self._entry: Mask | None = None
        self._frame: Frame
        self._masks: list[Mask | None] = []
        """From the frame's own on, each for a part of the lanes of the one before."""
        self._in_arm = False
        """Whether what is cut stands in a branch of the frame: what it assigns may be read behind the branch."""
        self._waiting: dict[int, Mask] | None = None
        """The lanes that wait for the end of the frame's outermost loop, by the `If` there; None outside of loops."""
        self._remembered: set[int] = set()
        """The locals that are of use then."""

    def frame(self, position: int, result: Slot | None, mask: Mask | None) -> Frame:
        function, costs = self._functions[position]
        assignments = count_assignments(function)
        slots = [Slot(local.type, assignments[i]) for i, local in enumerate(function.locals)]
        return Frame(position, function, costs, result, slots, mask)

    def whole(self, frame: Frame) -> list[Region]:
        found: list[Region] = []
        if frame.mask is not None:
            self._pending.append(Start(frame.mask))
        self._body(frame, found)
        self._flush(found)
        return found

    def _body(self, frame: Frame, into: list[Region]) -> None:
        self._frame, self._masks, self._in_arm = frame, [frame.mask], False
        self._cut(frame.function.body, into)

    # ------------------------------------------------------------ runs

    def _do(self, action: Action) -> None:
        if not self._pending:
            self._entry = self._masks[-1]
        self._pending.append(action)

    def _flush(self, into: list[Region], watched: Sequence[Mask] = ()) -> None:
        if self._pending or watched:
            entry = self._entry if self._pending else self._masks[-1]
            into.append(Run(self._pending, entry, list(watched)))
            self._pending = []

    # ------------------------------------------------------------ statements

    def _cut(self, block: ir.Block, into: list[Region]) -> None:
        for node in block.statements:
            if any(self._is_cut(n) for n in ir.walk(node)):
                self._statement(node, into)
            elif isinstance(node, ir.Assign) and self._is_shared_local(node):
                self._frame.shared.add(node.local)
                into.append(Shared(self._frame, node.local, self._frame, node.value))
            else:
                self._do(Do(self._frame, node, [mask for mask in self._masks if mask is not None]))

    def _is_cut(self, node: ir.Node) -> bool:
        match node:
            case ir.Loop() | ir.CallStatement() | ir.Switch():
                # LLVM cannot always do what jumps to one of many places for several lanes at once.
                return True
            case ir.If():
                dear = any(self._frame.costs.units(arm) >= _DEAR for arm in arms_of(node))
                return dear or (_compares_int(node) and any(map(_compares_int, node.otherwise.statements)))
            case _:
                return False

    def _is_shared_local(self, node: ir.Assign) -> bool:
        once = not node.steps and self._frame.slots[node.local].assignments == 1
        free = not self._in_arm and node.local not in self._remembered
        return once and free and is_shared(self._frame, node.value)

    def _statement(self, node: ir.Statement, into: list[Region]) -> None:
        match node:
            case ir.Block():
                self._cut(node, into)
            case ir.CallStatement():
                self._call(node, into)
            case ir.If() if self._waiting is not None and id(node) in self._waiting:
                masks = [mask for mask in self._masks if mask is not None]
                self._do(Postpone(self._frame, node.condition, masks, self._waiting[id(node)]))
                self._cut(node.otherwise, into)
            case ir.If() | ir.Switch():
                self._branch(node, into)
            case ir.Loop() if self._waiting is None:
                self._outermost_loop(node, into)
            case ir.Loop():
                self._loop(node, into)
            case _:
                raise TypeError(f"nothing to cut: {node}")

    def _call(self, node: ir.CallStatement, into: list[Region]) -> None:
        kept = self._frame, self._masks, self._in_arm, self._waiting, self._remembered
        caller, masks, self._waiting, self._remembered = self._frame, self._masks, None, set()
        result = None if node.local is None else caller.slots[node.local]
        callee = self.frame(node.function, result, masks[-1])
        own = Mask() if returns_early(callee) else None
        if own is not None:
            callee.mask = own
            if result is not None:
                result.assignments = 2
        given = []
        for local, arg in enumerate(node.args):
            if callee.slots[local].assignments == 0 and is_shared(caller, arg):
                callee.shared.add(local)
                into.append(Shared(callee, local, caller, arg))
            else:
                callee.slots[local].assignments += 1
                given.append((local, arg))
        self._do(Pass(caller, callee, given, own))
        self._body(callee, into)
        if own is not None:
            self._flush(into)
        self._frame, self._masks, self._in_arm, self._waiting, self._remembered = kept

    def _branch(self, node: ir.If | ir.Switch, into: list[Region]) -> None:
        shared, blocks = is_shared(self._frame, subject_of(node)), arms_of(node)
        masks = [None if shared or not block.statements else Mask() for block in blocks]
        branch = Branch(self._frame, node, shared, masks, [])
        if not shared:
            self._do(Choose(branch))
        self._flush(into, [mask for mask in masks if mask is not None])
        in_arm, self._in_arm = self._in_arm, True
        for block, mask in zip(blocks, masks, strict=True):
            arm: list[Region] = []
            self._masks.append(self._masks[-1] if mask is None else mask)
            self._cut(block, arm)
            self._flush(arm)
            self._masks.pop()
            branch.arms.append(arm)
        self._in_arm = in_arm
        into.append(branch)

    def _can_wait(self, node: ir.If) -> bool:
        """Whether the arm of a branch is dear and ends in a return: what it reads is the same later."""
        statements = node.then.statements
        returns = bool(statements) and isinstance(statements[-1], ir.Return)
        return returns and self._frame.costs.units(node.then) >= _DEAR

    def _outermost_loop(self, node: ir.Loop, into: list[Region]) -> None:
        """A loop, and behind it what those lanes do that left it for a return: all of them at once."""
        waiting = {id(n): (n, Mask()) for n in ir.walk(node.body) if isinstance(n, ir.If) and self._can_wait(n)}
        self._waiting = {key: mask for key, (_, mask) in waiting.items()}
        for branch, mask in waiting.values():
            self._remembered |= {n.local for n in ir.walk(branch.then) if isinstance(n, ir.Local)}
            self._do(Clear(mask))
        self._loop(node, into)
        self._waiting, self._remembered = None, set()
        self._flush(into, [mask for _, mask in waiting.values()])
        in_arm, self._in_arm = self._in_arm, True
        for branch, mask in waiting.values():
            arm: list[Region] = []
            self._masks.append(mask)
            self._cut(branch.then, arm)
            self._flush(arm)
            self._masks.pop()
            into.append(Branch(self._frame, branch, False, [mask], [arm]))
        self._in_arm = in_arm

    def _loop(self, node: ir.Loop, into: list[Region]) -> None:
        frame = self._frame
        shared = is_shared(frame, node.low) and is_shared(frame, node.high)
        returns = any(isinstance(n, ir.Return) for n in ir.walk(node))
        own = None if shared and node.until is None else Mask()
        mask = self._masks[-1] if own is None else own
        watched = mask if own is not None or returns else None
        rounds = Rounds(frame, node, None if shared else Slot(INT, 2), own, watched, [])
        if own is None:
            self._flush(into)
        else:
            self._do(Begin(rounds))
            self._flush(into, [own])
        self._masks.append(mask)
        frame.slots[node.local].assignments = 2
        if shared and node.local in self._remembered:
            self._do(Count(rounds))
        elif shared:
            frame.shared.add(node.local)
        if node.until is not None:
            self._cut(node.until.block, rounds.body)
            self._do(Test(rounds, node.until.condition))
        self._cut(node.body, rounds.body)
        if not shared:
            self._do(Next(rounds))
        self._flush(rounds.body, [] if watched is None else [watched])
        self._masks.pop()
        into.append(rounds)


def _compares_int(node: ir.Statement) -> bool:
    """Whether a statement turns on the equality of Ints: several in a chain are a `Switch` to LLVM."""
    if not (isinstance(node, ir.If) and isinstance(node.condition, ir.Binary)):
        return False
    return node.condition.op is ir.BinaryOp.EQ and node.condition.left.type is INT


def is_shared(frame: Frame, value: ir.Expression) -> bool:
    """Whether an expression plainly has the same value in all lanes."""
    return all(_is_shared(frame, node) for node in ir.walk(value))


def _is_shared(frame: Frame, node: ir.Node) -> bool:
    match node:
        case ir.Local():
            return node.local in frame.shared
        case ir.Place():
            return node.kind is PlaceKind.DOMAIN
        case ir.Sample() | ir.Call():
            return False
        case _:
            return True
