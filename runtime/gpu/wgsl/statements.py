"""Statements and functions of the IR in WGSL."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import assert_never

from kcheck.checker import ir
from kcheck.checker.types import UNIT, Struct, Type, Vec, length_of, parts
from kcheck.runtime.backend import Unsupported
from kcheck.runtime.gpu.wgsl import reads
from kcheck.runtime.gpu.wgsl.expressions import Expressions, local_name
from kcheck.runtime.gpu.wgsl.lines import Lines
from kcheck.runtime.gpu.wgsl.module import Module, times
from kcheck.runtime.gpu.wgsl.names import field_name, plain, words

_DEEPEST = 100
"""How far braces may nest; the compiler of WGSL takes 127."""


def write_functions(module: Module, wanted: Sequence[int]) -> list[str]:
    """Write these functions of the program and all that they call; answers the names of all functions."""
    program = module.program
    names = [f"f{i}_{plain(function.name)}" for i, function in enumerate(program.functions)]
    reached = _reached(program, wanted)
    for i in sorted(reached):
        _Writer(module, program.functions[i], names).write(names[i])
    return names


def _reached(program: ir.Program, wanted: Sequence[int]) -> set[int]:
    found: set[int] = set()
    pending = list(wanted)
    while pending:
        position = pending.pop()
        if position not in found:
            found.add(position)
            nodes = ir.walk(program.functions[position].body)
            pending += [node.function for node in nodes if isinstance(node, (ir.Call, ir.CallStatement))]
    return found


class _Writer:
    """Writes one function."""

    def __init__(self, module: Module, function: ir.Function, functions: Sequence[str]) -> None:
        self._module = module
        self._function = function
        self._functions = functions
        self._lines = Lines()
        self._expressions = Expressions(module, function, functions, self._lines)
        self._places = _scopes(function)
        self._last_remark: str | None = None

    def write(self, name: str) -> None:
        function, types = self._function, self._module.types
        names = [local_name(function, i) for i in range(len(function.locals))]
        assigned = {node.local for node in ir.walk(function.body) if isinstance(node, ir.Assign)}
        declared = [types.name(local.type) for local in function.locals]
        parameters = [f"{'a' if i in assigned else ''}{names[i]}: {declared[i]}" for i in range(function.parameters)]
        result = "" if function.result == UNIT else f" -> {types.name(function.result)}"
        with self._lines.braces(f"fn {name}({', '.join(parameters)}){result}"):
            for i in range(len(function.locals)):
                if i < function.parameters and i in assigned:
                    self._lines.add(f"var {names[i]} = a{names[i]};")
                elif i >= function.parameters and i not in self._places:
                    self._lines.add(f"var {names[i]}: {declared[i]};")
            ended = self.block(function.body)
            if result and (not ended or not isinstance(function.body.statements[-1], ir.Return)):
                self._lines.add(f"return {types.zero(function.result)};")
        if self._lines.deepest > _DEEPEST:
            raise Unsupported(f"its code nests {self._lines.deepest} deep, which is more than compilers of WGSL take")
        self._module.function(name, lambda: self._lines.text)

    # ------------------------------------------------------------ statements

    def block(self, block: ir.Block) -> bool:
        """Write a block; answers whether no path leads past it."""
        for statement in block.statements:
            self._remark(statement)
            if self._statement(statement):
                return True
        return False

    def _remark(self, node: ir.Node) -> None:
        origins = self._function.origins
        if not isinstance(node, ir.Block) and 0 <= node.id < len(origins):
            remark = self._module.subject.remark(origins[node.id])
            if remark and remark != self._last_remark:
                self._lines.add(f"// {remark}")
            self._last_remark = remark

    def _statement(self, node: ir.Statement) -> bool:
        match node:
            case ir.Block():
                return self.block(node)
            case ir.Assign():
                self._assign(node)
            case ir.If():
                return self._if(node)
            case ir.Switch():
                return self._switch(node)
            case ir.Loop():
                self._loop(node)
            case ir.Return():
                value = "" if node.value is None else f" {self._expressions.write(node.value)}"
                self._lines.add(f"return{value};")
                return True
            case ir.Exchange():
                self._exchange(node)
            case ir.Load():
                self._load(node)
            case ir.Put():
                self._put(node)
            case ir.Emit():
                self._lines.add(f"combine({self._expressions.named(node.value)});")
            case ir.CallStatement():
                self._call(node)
            case _:
                assert_never(node)
        return False

    def _call(self, node: ir.CallStatement) -> None:
        call = f"{self._functions[node.function]}({', '.join(self._expressions.all(node.args))})"
        if node.local is not None:
            self._set(node.local, call)
        elif self._module.program.functions[node.function].result == UNIT:
            self._lines.add(f"{call};")
        else:
            self._lines.add(f"_ = {call};")

    def _set(self, local: int, value: str) -> None:
        word = "let " if local in self._places else ""
        self._lines.add(f"{word}{local_name(self._function, local)} = {value};")

    # ------------------------------------------------------------ assignments

    def _assign(self, node: ir.Assign) -> None:
        if not node.steps:
            self._set(node.local, self._expressions.write(node.value))
            return
        value = self._expressions.named(node.value)
        path, tests, type_ = self._target(node)
        writes = list(self._writes(path, node.steps[-1], value, type_))
        if not tests:
            for line in writes:
                self._lines.add(line)
            return
        with self._lines.braces(f"if ({' && '.join(tests)})"):
            for line in writes:
                self._lines.add(line)

    def _target(self, node: ir.Assign) -> tuple[str, list[str], Type]:
        """The place that is assigned to, what must hold of its indices, and the type of its last whole."""
        path, tests = local_name(self._function, node.local), []
        type_ = self._function.locals[node.local].type
        for step in node.steps:
            match step:
                case ir.FieldStep():
                    assert isinstance(type_, Struct)
                    path += f".{field_name(type_, step.index)}"
                    type_ = type_.fields[step.index].type
                case ir.IndexStep():
                    self._module.check_indexed(type_)
                    index = self._lines.temporary(f"bitcast<u32>({self._expressions.write(step.index)})")
                    tests.append(f"{index} < {length_of(type_)}u")
                    path += f"[{index}]"
                    type_ = parts(type_)[0]
                case ir.SwizzleStep():
                    pass
        return path, tests, type_

    def _writes(self, path: str, last: ir.TargetStep, value: str, type_: Type) -> Iterator[str]:
        if not isinstance(last, ir.SwizzleStep):
            yield f"{path} = {value};"
            return
        assert isinstance(type_, Vec)
        for i, component in enumerate(last.components):
            part = value if len(last.components) == 1 else f"{value}.{'xyzw'[i]}"
            yield f"{path}.{'xyzw'[component]} = {part};"

    # ------------------------------------------------------------ branches

    def _if(self, node: ir.If) -> bool:
        with self._lines.braces(f"if ({self._expressions.write(node.condition)})"):
            ended = self.block(node.then)
        if not node.otherwise.statements:
            return False
        with self._lines.otherwise():
            return self.block(node.otherwise) and ended

    def _switch(self, node: ir.Switch) -> bool:
        subject = self._expressions.named(node.subject)
        if sum(high - low + 1 for case in node.cases for low, high in case.ranges) <= _SWITCHED:
            return self._switch_by_number(node, subject)
        ended = True
        for i, case in enumerate(node.cases):
            tests = [f"({subject} >= {_int(low)} && {subject} <= {_int(high)})" for low, high in case.ranges]
            head = f"if ({' || '.join(tests) or 'false'})"
            with self._lines.braces(head) if i == 0 else self._lines.otherwise(f"else {head}"):
                ended = self.block(case.body) and ended
        with self._lines.otherwise() if node.cases else self._lines.braces(""):
            return self.block(node.otherwise) and ended

    def _switch_by_number(self, node: ir.Switch, subject: str) -> bool:
        ended, seen = True, set[int]()
        with self._lines.braces(f"switch ({subject})"):
            for case in node.cases:
                numbers = [n for low, high in case.ranges for n in range(low, high + 1) if n not in seen]
                numbers = list(dict.fromkeys(numbers))
                seen.update(numbers)
                if numbers:
                    with self._lines.braces(f"case {', '.join(map(_int, numbers))}:"):
                        ended = self.block(case.body) and ended
            with self._lines.braces("default:"):
                ended = self.block(node.otherwise) and ended
        return ended

    # ------------------------------------------------------------ loops

    def _loop(self, node: ir.Loop) -> None:
        name = local_name(self._function, node.local)
        low = self._expressions.write(node.low)
        high = self._lines.temporary(self._expressions.write(node.high))
        self._lines.add(f"{name} = {low};")
        if not node.closed:
            with self._lines.braces("loop"):
                self._stop(f"{name} >= {high}")
                if not self._round(node):
                    self._lines.add(f"{name} += 1;")
            return
        with self._lines.braces(f"if ({name} <= {high})"), self._lines.braces("loop"):
            if not self._round(node):
                self._stop(f"{name} == {high}")
                self._lines.add(f"{name} += 1;")

    def _round(self, node: ir.Loop) -> bool:
        """Write the test and the body of a round; answers whether no path leads past it."""
        if self._module.traits.rounds is not None:
            self._stop(f"!{reads.round_counter(self._module)}()")
        if node.until is not None:
            if self.block(node.until.block):
                return True
            self._stop(self._expressions.write(node.until.condition))
        return self.block(node.body)

    def _stop(self, condition: str) -> None:
        with self._lines.braces(f"if ({condition})"):
            self._lines.add("break;")

    # ------------------------------------------------------------ what acts

    def _exchange(self, node: ir.Exchange) -> None:
        type_ = node.value.type
        schedule = self._module.program.schedule
        assert isinstance(schedule, ir.Lanes)
        value, lane = self._expressions.named(node.value), self._expressions.named(node.lane)
        if not words(type_):
            self._set(node.local, value)
            return
        store = self._module.storer(lambda word, bits, _: f"shared_words[{word}] = {bits};", "shared_words", type_)
        self._lines.add("workgroupBarrier();")
        self._lines.add(f"{store}({times('own_lane', words(type_))}, {value});")
        self._lines.add("workgroupBarrier();")
        other = self._lines.temporary(f"u32(clamp({lane}, 0, i32(last_lane)))")
        loaded = self._module.load("shared_words", times(other, words(type_)), type_)
        self._set(node.local, loaded)

    def _load(self, node: ir.Load) -> None:
        address = self._expressions.address(node.address)
        type_ = self._function.locals[node.local].type
        if self._expressions.fails(node.memory, node):
            self._set(node.local, self._module.types.zero(type_))
            return
        size = self._module.fact("size", node.memory)
        at = self._lines.temporary(reads.clamped_position(self._module, address, size))
        buffer = self._module.buffer(f"memory_{node.memory}", "write")
        self._set(node.local, self._module.load(buffer, times(at, words(type_)), type_))

    def _put(self, node: ir.Put) -> None:
        address = self._expressions.address(node.address)
        value, type_ = self._expressions.named(node.value), node.value.type
        test, position = reads.inside_position(self._module, address, self._module.fact("size", node.memory))
        buffer = self._module.buffer(f"memory_{node.memory}", "write")
        with self._lines.braces(f"if ({test})"):
            at = self._lines.temporary(position)
            self._lines.add(self._module.store(buffer, times(at, words(type_)), type_, value))


_SWITCHED = 256


def _int(number: int) -> str:
    return str(number) if number > -(2**31) else "i32(-2147483648)"


def _scopes(function: ir.Function) -> set[int]:
    """The locals that can be a `let`: given a value by one statement, and not read outside of its block."""
    given: dict[int, int] = {}
    homes: dict[int, tuple[int, ...]] = {}
    shared: set[int] = set()

    def visit(node: ir.Node, path: tuple[int, ...]) -> None:
        if isinstance(node, ir.Block):
            path = (*path, id(node))
        local = getattr(node, "local", None)
        if local is not None:
            if isinstance(node, ir.Local):
                home = homes.get(local)
                if home is not None and path[: len(home)] != home:
                    shared.add(local)
            else:
                given[local] = given.get(local, 0) + 1
                homes[local] = path
                if isinstance(node, ir.Loop) or (isinstance(node, ir.Assign) and node.steps):
                    shared.add(local)
        for child in ir.children(node):
            visit(child, path)

    visit(function.body, ())
    return {local for local, count in given.items() if count == 1 and local not in shared}
