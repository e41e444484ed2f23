"""A program of the typed core IR as readable pseudo-source."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import assert_never

from kcheck.checker import floats, ir, types


def render(program: ir.Program) -> str:
    """The program: its ports and params, its schedule, and its functions with types and effects."""
    lines = [f"program {program.name} (rank {program.rank}, result {program.result})"]
    lines += _declarations(program)
    lines.append(f"  schedule {_schedule(program.schedule, program.functions)}")
    for function in program.functions:
        lines += ["", *_function(function, program)]
    return "\n".join(lines) + "\n"


def _declarations(program: ir.Program) -> Iterator[str]:
    for port in program.inputs:
        sampled = "  # sampled" if port.name in program.sampled else ""
        yield f"  input {port.name}: {port.type}{sampled}"
    for port in program.memories:
        yield f"  memory {port.name}: {port.type}"
    for param in program.params:
        yield f"  param {param.name}: {param.type}{_default(param)}{_range(param)}"
    for port in program.outputs:
        yield f"  output {port.name}: {port.type}"


def _default(param: ir.ParamDecl) -> str:
    return "" if param.default is None else f" = {constant(param.default)}"


def _range(param: ir.ParamDecl) -> str:
    if param.low is None or param.high is None:
        return ""
    return f" in {constant(param.low)}..={constant(param.high)}"


def _schedule(schedule: ir.Schedule, functions: Sequence[ir.Function]) -> str:
    element = f"element {_named(schedule.element, functions)}"
    match schedule:
        case ir.Elements():
            return f"elements: {element}"
        case ir.Fold(over=over, merge=merge):
            return f"fold over {over}: {element}, merge {_named(merge, functions)}"
        case ir.OrderedWalk(over=over, init=init):
            return f"ordered walk over {over}: {element}, init {_named(init, functions)}"
        case ir.CombineByAddress(over=over, into=into, op=op):
            return f"combine by address over {over} into {into} with {op.value}: {element}"
        case ir.RunningCombine(over=over, op=op):
            return f"running combine over {over} with {op.value}: {element}"
        case ir.Lanes(size=size):
            return f"lanes, {size} a group: {element}"
        case _:
            assert_never(schedule)


def _named(function: int, functions: Sequence[ir.Function]) -> str:
    return f"{functions[function].name}#{function}"


def _function(function: ir.Function, program: ir.Program) -> Iterator[str]:
    writer = _Writer(function, program.functions)
    parameters = ", ".join(writer.declared(i) for i in range(function.parameters))
    number = next(i for i, f in enumerate(program.functions) if f is function)
    effects = "".join(f" !{effect.value}" for effect in sorted(function.effects, key=lambda e: e.value))
    yield f"fn {function.name}#{number}({parameters}) -> {function.result}{effects} {{"
    yield from writer.block(function.body, 1)
    yield "}"


class _Writer:
    """Writes the nodes of one function; locals are written with their number, `x.3`."""

    def __init__(self, function: ir.Function, functions: Sequence[ir.Function]) -> None:
        self._function = function
        self._functions = functions
        self._declared = set(range(function.parameters))

    def declared(self, local: int) -> str:
        return f"{self._local(local)}: {self._function.locals[local].type}"

    def _local(self, local: int) -> str:
        return f"{self._function.locals[local].name}.{local}"

    def _first(self, local: int) -> str:
        """A local that is given a value: with its type where it is given one for the first time."""
        if local in self._declared:
            return self._local(local)
        self._declared.add(local)
        return self.declared(local)

    # ------------------------------------------------------------ statements

    def block(self, block: ir.Block, depth: int) -> Iterator[str]:
        for statement in block.statements:
            yield from self._statement(statement, depth)

    def _statement(self, statement: ir.Statement, depth: int) -> Iterator[str]:
        pad = "  " * depth
        match statement:
            case ir.Block():
                yield f"{pad}{{"
                yield from self.block(statement, depth + 1)
                yield f"{pad}}}"
            case ir.If():
                yield from self._if(statement, depth)
            case ir.Switch():
                yield from self._switch(statement, depth)
            case ir.Loop():
                yield from self._loop(statement, depth)
            case _:
                yield pad + self._simple(statement)

    def _if(self, statement: ir.If, depth: int) -> Iterator[str]:
        pad = "  " * depth
        yield f"{pad}if {self.expression(statement.condition)} {{"
        yield from self.block(statement.then, depth + 1)
        if statement.otherwise.statements:
            yield f"{pad}}} else {{"
            yield from self.block(statement.otherwise, depth + 1)
        yield f"{pad}}}"

    def _switch(self, statement: ir.Switch, depth: int) -> Iterator[str]:
        pad = "  " * depth
        yield f"{pad}switch {self.expression(statement.subject)} {{"
        for case in statement.cases:
            yield f"{pad}  {' | '.join(map(_closed_range, case.ranges))} => {{"
            yield from self.block(case.body, depth + 2)
            yield f"{pad}  }}"
        yield f"{pad}  else => {{"
        yield from self.block(statement.otherwise, depth + 2)
        yield f"{pad}  }}"
        yield f"{pad}}}"

    def _loop(self, loop: ir.Loop, depth: int) -> Iterator[str]:
        pad = "  " * depth
        dots = "..=" if loop.closed else ".."
        local = self._first(loop.local)
        yield f"{pad}for {local} in {self.expression(loop.low)}{dots}{self.expression(loop.high)} {{"
        if loop.until is not None:
            yield f"{pad}  until {{"
            yield from self.block(loop.until.block, depth + 2)
            yield f"{pad}  }} {self.expression(loop.until.condition)}"
        yield from self.block(loop.body, depth + 1)
        yield f"{pad}}}"

    def _simple(
        self,
        statement: ir.Assign | ir.Return | ir.Exchange | ir.Load | ir.Put | ir.Emit | ir.CallStatement,
    ) -> str:
        match statement:
            case ir.Assign(local=local, steps=steps, value=value):
                written = self.expression(value)
                target = self._local(local) + self._steps(steps, local) if steps else self._first(local)
                return f"{target} = {written}"
            case ir.Return(value=None):
                return "return"
            case ir.Return(value=value) if value is not None:
                return f"return {self.expression(value)}"
            case ir.Exchange(local=local, value=value, lane=lane):
                call = f"exchange({self.expression(value)}, {self.expression(lane)})"
                return f"{self._first(local)} = {call}"
            case ir.Load(local=local, memory=memory, address=address):
                call = f"load({memory}, {self._list(address)})"
                return f"{self._first(local)} = {call}"
            case ir.Put(memory=memory, address=address, value=value):
                return f"put({memory}, {self._list(address)}, {self.expression(value)})"
            case ir.Emit(value=value):
                return f"emit({self.expression(value)})"
            case ir.CallStatement(local=local, function=function, args=args):
                call = f"{_named(function, self._functions)}({self._list(args)})"
                return call if local is None else f"{self._first(local)} = {call}"
            case _:
                raise AssertionError(statement)

    def _steps(self, steps: Sequence[ir.TargetStep], local: int) -> str:
        type_, written = self._function.locals[local].type, ""
        for step in steps:
            match step:
                case ir.FieldStep(index=index):
                    assert isinstance(type_, types.Struct)
                    written += f".{type_.fields[index].name}"
                    type_ = type_.fields[index].type
                case ir.SwizzleStep(components=components):
                    written += _swizzle(components)
                case ir.IndexStep(index=place):
                    written += f"[{self.expression(place)}]"
                    type_ = types.parts(type_)[0]
                case _:
                    assert_never(step)
        return written

    # ------------------------------------------------------------ expressions

    def _list(self, expressions: Sequence[ir.Expression]) -> str:
        return ", ".join(map(self.expression, expressions))

    def expression(self, node: ir.Expression) -> str:
        match node:
            case ir.Const():
                return constant(node)
            case ir.Local(local=local):
                return self._local(local)
            case ir.Param(name=name):
                return f"param.{name}"
            case ir.Unary(op=unary, operand=operand):
                return f"{unary.value}{self._tight(operand)}"
            case ir.Binary(op=operator, left=left, right=right):
                return f"{self._tight(left)} {operator.value} {self._tight(right)}"
            case ir.ShortCircuit(op=logic, left=left, right=right):
                return f"{self._tight(left)} {logic.value} {self._tight(right)}"
            case ir.Conditional(condition=condition, then=then, otherwise=otherwise):
                chosen = f"{self.expression(then)} else {self.expression(otherwise)}"
                return f"if {self.expression(condition)} then {chosen}"
            case _:
                return self._part(node)

    def _tight(self, node: ir.Expression) -> str:
        """An operand, in parentheses where it has parts that an operator would tear apart."""
        loose = isinstance(node, (ir.Unary, ir.Binary, ir.ShortCircuit, ir.Conditional))
        return f"({self.expression(node)})" if loose else self.expression(node)

    def _part(self, node: ir.Expression) -> str:
        match node:
            case ir.StructField(operand=operand, index=index):
                assert isinstance(operand.type, types.Struct)
                return f"{self._tight(operand)}.{operand.type.fields[index].name}"
            case ir.Swizzle(operand=operand, components=components):
                return self._tight(operand) + _swizzle(components)
            case ir.Index(operand=operand, index=place):
                return f"{self._tight(operand)}[{self.expression(place)}]"
            case ir.Make(parts=parts):
                return f"{node.type}({self._list(parts)})"
            case ir.Splat(operand=operand):
                return f"{node.type}(splat {self.expression(operand)})"
            case ir.MakeVariant(variant=variant, parts=parts):
                return f"{_variant(node.type, variant)}({self._list(parts)})"
            case ir.Tag(operand=operand):
                return f"tag({self.expression(operand)})"
            case ir.Payload(operand=operand, variant=variant, index=index):
                assert isinstance(operand.type, types.Enum)
                name = operand.type.variants[variant].fields[index].name
                return f"({self.expression(operand)} as {_variant(operand.type, variant)}).{name}"
            case _:
                return self._call(node)

    def _call(self, node: ir.Expression) -> str:
        match node:
            case ir.BuiltinCall(builtin=builtin, args=args):
                return f"{builtin.value}({self._list(args)})"
            case ir.Call(function=function, args=args):
                return f"{_named(function, self._functions)}({self._list(args)})"
            case ir.Sample(port=port):
                return f"sample({port})"
            case ir.SampleAt(port=port, position=position):
                return f"sample({port}, {self.expression(position)})"
            case ir.At(port=port, address=address):
                return f"at({port}, {self._list(address)})"
            case ir.Size(port=port):
                return f"size({port})"
            case ir.Extent(port=port):
                return f"extent({port})"
            case ir.Place(kind=kind):
                return f"{kind.value}()"
            case _:
                raise AssertionError(node)


def _closed_range(ends: tuple[int, int]) -> str:
    low, high = ends
    return str(low) if low == high else f"{low}..={high}"


def _swizzle(components: Sequence[int]) -> str:
    return "." + "".join("xyzw"[component] for component in components)


def _variant(type_: types.Type, variant: int) -> str:
    assert isinstance(type_, types.Enum)
    return f"{type_.name}.{type_.variants[variant].name}"


# ---------------------------------------------------------------- constants


def constant(const: ir.Const) -> str:
    """A constant as source would write it; values of several leaves as `Type(leaf, …)`."""
    scalars = [leaf.scalar for leaf in types.leaves(const.type)]
    written = [_leaf(value, scalar) for value, scalar in zip(const.leaves, scalars, strict=True)]
    return written[0] if isinstance(const.type, types.Scalar) else f"{const.type}({', '.join(written)})"


def _leaf(value: ir.LeafValue, scalar: types.Scalar) -> str:
    match scalar:
        case types.Scalar.BOOL:
            return "true" if value else "false"
        case types.Scalar.INT:
            return str(int(value))
        case types.Scalar.FLOAT:
            return float_text(int(value))


def float_text(bits: int) -> str:
    """The shortest decimal that gives these 32 bits back."""
    number = floats.to_float(bits)
    candidates = (float(f"{number:.{digits}g}") for digits in range(1, 10))
    return repr(next((c for c in candidates if floats.from_float(c) == bits), number))
