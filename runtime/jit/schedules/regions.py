"""Functions that exchange, cut at their exchanges.

Between two exchanges each lane runs on its own: what stands there is a `Run`, a loop over the lanes.  Branches and
loops that hold an exchange are the same for all lanes (the checker has proved it), so the group takes them as one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from kcheck.checker import ir
from kcheck.checker.ir import Effect

# ---------------------------------------------------------------- what a lane does in a run


@dataclass(eq=False, slots=True)
class Vote:
    """Evaluate an Int or Bool that has to be the same in all lanes; `node` is what turns on it."""

    value: ir.Expression
    node: ir.Statement


@dataclass(eq=False, slots=True)
class Publish:
    """Put a lane's value where the other lanes find it."""

    node: ir.Exchange


@dataclass(eq=False, slots=True)
class Fetch:
    """Take the value of another lane."""

    node: ir.Exchange


@dataclass(eq=False, slots=True)
class Count:
    """Give the local of a loop the number of the coming round."""

    node: ir.Loop


@dataclass(eq=False, slots=True)
class Pass:
    """Put a lane's arguments where the function finds them that the group calls."""

    node: ir.CallStatement


Action: TypeAlias = "ir.Statement | Vote | Publish | Fetch | Count | Pass"

# ---------------------------------------------------------------- what a group does


@dataclass(eq=False, slots=True)
class Run:
    actions: list[Action]

    def locals(self) -> Iterator[int]:
        """The locals that are mentioned, some of them more than once."""
        for action in self.actions:
            for node in _nodes(action):
                yield from (n.local for n in ir.walk(node) if hasattr(n, "local") and n.local is not None)
            if isinstance(action, (Fetch, Count)):
                yield action.node.local

    @property
    def returns(self) -> bool:
        statements = (a for a in self.actions if isinstance(a, ir.Node))
        return any(isinstance(node, ir.Return) for statement in statements for node in ir.walk(statement))


@dataclass(eq=False, slots=True)
class Branch:
    """An `If` or a `Switch`: the arms in the order of the source, the last one for all others."""

    vote: Vote
    node: ir.If | ir.Switch
    arms: list[list[Region]]


@dataclass(eq=False, slots=True)
class Rounds:
    """A loop; `before` runs at the head of each round, and `until` ends it."""

    low: Vote
    high: Vote
    node: ir.Loop
    before: list[Region]
    until: Vote | None
    body: list[Region]


@dataclass(eq=False, slots=True)
class GroupCall:
    node: ir.CallStatement


Region: TypeAlias = "Run | Branch | Rounds | GroupCall"


def _nodes(action: Action) -> Sequence[ir.Node]:
    """The nodes that a lane evaluates."""
    match action:
        case Vote():
            return (action.value,)
        case Publish():
            return (action.node.value,)
        case Fetch():
            return (action.node.lane,)
        case Count():
            return ()
        case Pass():
            return action.node.args
        case _:
            return (action,)


# ---------------------------------------------------------------- cutting


def regions_of(body: ir.Block, functions: Sequence[ir.Function]) -> list[Region]:
    """The regions of a function's body; `functions` are the program's."""
    return _Cutter(functions).regions(body)


@dataclass(slots=True)
class _Cutter:
    functions: Sequence[ir.Function]
    _pending: list[Action] = field(default_factory=list)
    """What the next run does first."""

    def regions(self, block: ir.Block) -> list[Region]:
        found: list[Region] = []
        self._cut(block, found)
        self._flush(found)
        return found

    def _flush(self, into: list[Region]) -> None:
        if self._pending:
            into.append(Run(self._pending))
            self._pending = []

    def _cut(self, block: ir.Block, into: list[Region]) -> None:
        for statement in block.statements:
            if exchanges(statement, self.functions):
                self._cut_statement(statement, into)
            else:
                self._pending.append(statement)

    def _vote(self, value: ir.Expression, node: ir.Statement) -> Vote:
        vote = Vote(value, node)
        self._pending.append(vote)
        return vote

    def _cut_statement(self, node: ir.Statement, into: list[Region]) -> None:
        match node:
            case ir.Block():
                self._cut(node, into)
            case ir.Exchange():
                self._pending.append(Publish(node))
                self._flush(into)
                self._pending.append(Fetch(node))
            case ir.CallStatement():
                self._pending.append(Pass(node))
                self._flush(into)
                into.append(GroupCall(node))
            case ir.If():
                vote = self._vote(node.condition, node)
                self._flush(into)
                into.append(Branch(vote, node, [self.regions(node.then), self.regions(node.otherwise)]))
            case ir.Switch():
                vote = self._vote(node.subject, node)
                self._flush(into)
                arms = [self.regions(case.body) for case in node.cases]
                into.append(Branch(vote, node, [*arms, self.regions(node.otherwise)]))
            case ir.Loop():
                into.append(self._cut_loop(node, into))
            case _:
                raise TypeError(f"holds no exchange: {node}")

    def _cut_loop(self, node: ir.Loop, into: list[Region]) -> Rounds:
        low, high = self._vote(node.low, node), self._vote(node.high, node)
        self._flush(into)
        before: list[Region] = []
        until = None
        self._pending.append(Count(node))
        if node.until is not None:
            self._cut(node.until.block, before)
            until = self._vote(node.until.condition, node)
            self._flush(before)
        return Rounds(low, high, node, before, until, self.regions(node.body))


def exchanges(node: ir.Node, functions: Sequence[ir.Function]) -> bool:
    """Whether an exchange may run below a node."""
    return any(_is_exchange(found, functions) for found in ir.walk(node))


def _is_exchange(node: ir.Node, functions: Sequence[ir.Function]) -> bool:
    if isinstance(node, ir.CallStatement):
        return Effect.EXCHANGE in functions[node.function].effects
    return isinstance(node, ir.Exchange)


def all_runs(regions: Sequence[Region]) -> Iterator[Run]:
    for region in regions:
        match region:
            case Run():
                yield region
            case Branch():
                for arm in region.arms:
                    yield from all_runs(arm)
            case Rounds():
                yield from all_runs([*region.before, *region.body])
            case GroupCall():
                pass
