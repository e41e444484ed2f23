"""Entry points: what the shaders of all schedules begin with.

`element` is the number of the element that an invocation is at, `lane` that of the invocation in its workgroup,
`number` that of the workgroup.  Workgroups are laid out in two dimensions, for there may be too many for one.
"""

from __future__ import annotations

from collections.abc import Sequence

from kcheck.checker.types import Struct, Type
from kcheck.grammar.recursion import deep_recursion
from kcheck.runtime.gpu.wgsl.lines import Lines
from kcheck.runtime.gpu.wgsl.module import Module, Stage, Subject, times
from kcheck.runtime.gpu.wgsl.names import field_name, words
from kcheck.runtime.gpu.wgsl.statements import write_functions
from kcheck.runtime.gpu.wgsl.streams import Streams

THREADS = 256
"""The invocations of a workgroup that share nothing."""


class Entry:
    """A shader whose entry point is being written; `functions` are those of the program that it calls."""

    def __init__(
        self, subject: Subject, threads: int = THREADS, functions: Sequence[int] = (), streams: Streams | None = None
    ) -> None:
        self.module = Module(subject)
        if streams:
            streams.declare(self.module)
        self.lines = Lines()
        self.threads = threads
        self.module.declare("element", "var<private> element: u32;")
        with deep_recursion():
            self.names = write_functions(self.module, functions)

    def add(self, *lines: str) -> None:
        for line in lines:
            self.lines.add(line)

    def leave_if(self, condition: str) -> None:
        with self.lines.braces(f"if ({condition})"):
            self.add("return;")

    def break_if(self, condition: str) -> None:
        with self.lines.braces(f"if ({condition})"):
            self.add("break;")

    def one_each(self) -> None:
        """An invocation for every element."""
        self.add(f"element = number * {self.threads}u + lane;")
        self.leave_if("element >= run.count")

    def load(self, buffer: str, number: str, type_: Type) -> str:
        """Element `number` (a text that may stand in a product) of a buffer that is only read."""
        return self.module.load(self.module.buffer(buffer), times(number, words(type_)), type_)

    def store(self, buffer: str, number: str, type_: Type, value: str) -> None:
        self.add(self.module.store(self.module.buffer(buffer, "write"), times(number, words(type_)), type_, value))

    def store_results(self, value: str) -> None:
        """Store what an element run gave to the outputs."""
        program = self.module.program
        if len(program.outputs) == 1:
            self.store(f"out_{program.outputs[0].name}", "element", program.result, value)
            return
        assert isinstance(program.result, Struct)
        for i, output in enumerate(program.outputs):
            self.store(f"out_{output.name}", "element", output.type.element, f"{value}.{field_name(program.result, i)}")

    def stage(self, each: int = 1) -> Stage:
        """The shader, an invocation of which takes `each` elements."""
        head = [
            f"@compute @workgroup_size({self.threads})",
            "fn main(",
            "  @builtin(workgroup_id) workgroup: vec3<u32>,",
            "  @builtin(num_workgroups) workgroups: vec3<u32>,",
            "  @builtin(local_invocation_index) lane: u32,",
            ") {",
            "  let number = workgroup.y * workgroups.x + workgroup.x;",
        ]
        body = [f"  {line}" for line in self.lines.lines]
        return self.module.stage("\n".join([*head, *body, "}"]), self.threads * each)
