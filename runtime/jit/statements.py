"""Statements of the IR as LLVM instructions."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from kcheck.checker import ir
from kcheck.runtime.jit import reads
from kcheck.runtime.jit.assignments import Target, assign_part
from kcheck.runtime.jit.combine import apply_pair
from kcheck.runtime.jit.costs import Costs
from kcheck.runtime.jit.emitter import Emitter, Value
from kcheck.runtime.jit.expressions import Expressions, Locals, call_function
from kcheck.runtime.jit.switches import intervals_of


class Statements:
    """Writes the statements of one function.

    `returned` writes what a `Return` does, and closes the block.
    """

    def __init__(
        self, emitter: Emitter, position: int, costs: Costs, locals_: Locals, returned: Callable[[ir.Return], None]
    ) -> None:
        self.expressions = Expressions(emitter, position, locals_)
        self._emitter = emitter
        self._module = emitter.module
        self._code = emitter.code
        self._costs = costs
        self._locals = locals_
        self._returned = returned
        self._reached: set[str] = set()

    def block(self, block: ir.Block) -> None:
        for statement in block.statements:
            if not self._code.is_open:
                return
            self.statement(statement)

    def statement(self, node: ir.Statement) -> None:
        match node:
            case ir.Block():
                self.block(node)
            case ir.Assign():
                self._assign(node)
            case ir.If():
                self._if(node)
            case ir.Switch():
                self._switch(node)
            case ir.Loop():
                self._loop(node)
            case ir.Return():
                self._returned(node)
            case ir.Load():
                address, site = self.expressions.address(node.address), self.expressions.site(node)
                self._set(node.local, reads.read_at(self._emitter, node.memory, address, site))
            case ir.Put():
                self._put(node)
            case ir.Emit():
                self._emit(node)
            case ir.CallStatement():
                self._call(node)
            case ir.Exchange():
                raise TypeError("only functions of groups exchange")

    def _set(self, local: int, value: Value) -> None:
        if not self._locals.settle(local, value):
            self._emitter.put(self._locals.places(local), self._locals.type_of(local), value)

    def _put(self, node: ir.Put) -> None:
        emitter, element = self._emitter, self._module.port(node.memory).type.element
        address = self.expressions.address(node.address)
        inside, position = reads.position_inside(emitter, node.memory, address)
        value = self.expressions.value(node.value)
        with self._code.only_if(inside):
            emitter.store(reads.element_place(emitter, node.memory, position), element, value)

    def _emit(self, node: ir.Emit) -> None:
        apply_pair(self._emitter, node.value.type, self.expressions.value(node.value))

    def _call(self, node: ir.CallStatement) -> None:
        callee = self._module.program.functions[node.function]
        args = [(arg.type, self.expressions.value(arg)) for arg in node.args]
        result = call_function(self._emitter, self._module.functions[node.function], callee.result, args)
        if node.local is not None:
            self._set(node.local, result)

    # ------------------------------------------------------------ control

    def _if(self, node: ir.If) -> None:
        code = self._code
        condition = self.expressions.scalar(node.condition)
        yes, no, end = code.label("then"), code.label("else"), code.label("end")
        code.branch(condition, yes, no)
        self._arm(yes, node.then, end)
        self._arm(no, node.otherwise, end)
        self._go_on(end)

    def _arm(self, label: str, body: ir.Block, end: str) -> None:
        self._code.start(label)
        self.block(body)
        if self._code.is_open:
            self._code.jump(end)
            self._reached.add(end)

    def _go_on(self, end: str) -> None:
        """Go on behind a branch, unless every arm of it has returned."""
        if end in self._reached:
            self._code.start(end)

    def _switch(self, node: ir.Switch) -> None:
        code = self._code
        labels = [code.label("case") for _ in (*node.cases, node.otherwise)]
        end = code.label("end")
        self.choose_case(node, self.expressions.scalar(node.subject), labels)
        for label, body in zip(labels, [*(case.body for case in node.cases), node.otherwise], strict=True):
            self._arm(label, body, end)
        self._go_on(end)

    def choose_case(self, node: ir.Switch, subject: str, labels: Sequence[str]) -> None:
        """Jump to the label of the case that holds the subject, the last label being that of all others."""
        code, chosen = self._code, intervals_of([case.ranges for case in node.cases])
        others = code.label("wide")
        targets = " ".join(f"i32 {number}, label %{labels[case]}" for number, case in chosen.single)
        code.close(f"switch i32 {subject}, label %{others} [{targets}]")
        for low, high, case in chosen.wide:
            code.start(others)
            distance = code.value(f"sub i32 {subject}, {low}")
            here = code.value(f"icmp ule i32 {distance}, {high - low}")
            others = code.label("wide")
            code.branch(here, labels[case], others)
        code.start(others)
        code.jump(labels[-1])

    def _loop(self, node: ir.Loop) -> None:
        code = self._code
        first, end = self.expressions.scalar(node.low), self.expressions.scalar(node.high)
        if node.closed:
            # The last round may be that of the greatest Int, which the counter must get beyond.
            first = code.value(f"sext i32 {first} to i64")
            end = code.value(f"add i64 {code.value(f'sext i32 {end} to i64')}, 1")
        done, strip = code.label("done"), self._costs.strip(node)
        if strip is None:
            self._rounds(node, first, end, done)
        else:
            self._strips(node, first, end, strip, done)
        code.start(done)

    def _strips(self, node: ir.Loop, first: str, end: str, strip: int, done: str) -> None:
        """The rounds of a loop that looks, behind each so many of them, whether it is to stop."""
        code, kind = self._code, _counter(node)
        before, head, body, look = code.block, *(code.label(name) for name in ("strip", "some", "look"))
        code.start(head)
        start, strip_end = code.name(), code.name()
        code.do(f"{start} = phi {kind} [{first}, %{before}], [{strip_end}, %{look}]")
        code.branch(code.value(f"icmp slt {kind} {start}, {end}"), body, done)
        code.start(body)
        # What is left may be more than the greatest Int, but as an unsigned number it is right.
        left = code.value(f"sub {kind} {end}, {start}")
        length = code.call(kind, f"llvm.umin.{kind}", [f"{kind} {left}", f"{kind} {strip}"])
        code.do(f"{strip_end} = add nsw {kind} {start}, {length}")
        self._rounds(node, start, strip_end, done)
        code.start(look)
        code.branch(self._emitter.stopped(), done, head)

    def _rounds(self, node: ir.Loop, first: str, end: str, done: str) -> None:
        """The rounds from `first` to before `end`; the writing goes on where all of them are over."""
        code, kind = self._code, _counter(node)
        before, head, body, latch, over = code.block, *(code.label(n) for n in ("loop", "body", "next", "over"))
        code.start(head)
        number, following = code.name(), code.name()
        code.do(f"{number} = phi {kind} [{first}, %{before}], [{following}, %{latch}]")
        code.branch(code.value(f"icmp slt {kind} {number}, {end}"), body, over)
        code.start(body)
        self._set(node.local, [code.value(f"trunc i64 {number} to i32") if node.closed else number])
        if node.until is not None:
            self._until(node.until, done)
        self.block(node.body)
        code.start(latch)
        code.do(f"{following} = add nsw {kind} {number}, 1")
        code.jump(head)
        code.start(over)

    def _until(self, until: ir.Until, done: str) -> None:
        self.block(until.block)
        if self._code.is_open:
            staying = self._code.label("round")
            self._code.branch(self.expressions.scalar(until.condition), done, staying)
            self._code.start(staying)

    def _assign(self, node: ir.Assign) -> None:
        value = self.expressions.value(node.value)
        if not node.steps:
            self._set(node.local, value)
            if self._locals.settled(node.local) is not None:
                self.expressions.settled(node.local, node.value)
            return
        indices = [self.expressions.scalar(step.index) for step in node.steps if isinstance(step, ir.IndexStep)]
        target = Target(self._locals.type_of(node.local), self._locals.places(node.local))
        assign_part(self._emitter, target, node.steps, indices, value)


def _counter(node: ir.Loop) -> str:
    return "i64" if node.closed else "i32"
