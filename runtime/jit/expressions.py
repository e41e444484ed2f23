"""Expressions of the IR as LLVM instructions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, assert_never

from kcheck.checker import ir, types
from kcheck.checker.builtins import Builtin
from kcheck.checker.ir import BinaryOp, Logic, PlaceKind, UnaryOp
from kcheck.checker.prelude import key_of
from kcheck.checker.types import BOOL, FLOAT, INT, Array, Enum, Mat, Scalar, Struct, Type, length_of
from kcheck.runtime.jit import places, reads
from kcheck.runtime.jit.builtins import OPERATIONS
from kcheck.runtime.jit.emitter import Emitter, Value
from kcheck.runtime.jit.module import ENV, Compiled
from kcheck.runtime.jit.numbers import OPERATORS, int_max, int_min
from kcheck.runtime.jit.storage import REGISTERS, Piece, byte_size
from kcheck.runtime.jit.text import arguments


class Locals(Protocol):
    """Where the locals of the function at hand are: a value that never changes, or variables."""

    def settle(self, local: int, value: Value) -> bool:
        """Whether this is all that the local ever is, so that it needs no variable."""
        ...

    def settled(self, local: int) -> Value | None:
        """What a local without variables is."""
        ...

    def places(self, local: int) -> list[str]:
        """A pointer to the variable of each piece."""
        ...

    def type_of(self, local: int) -> Type: ...


class Expressions:
    """Writes the expressions of one function; `position` is the function's in the program."""

    def __init__(self, emitter: Emitter, position: int, locals_: Locals) -> None:
        self._emitter = emitter
        self._code = emitter.code
        self._position = position
        self._locals = locals_
        self._uniform: set[int] = set()
        """Locals that are the same for all elements of a row."""
        self._places: set[int] = set()
        """Locals that are where the element stands."""

    def site(self, node: ir.Node) -> int:
        """The number of a node that may fail."""
        module = self._emitter.module
        return module.sites[self._position, node.id]

    def scalar(self, node: ir.Expression) -> str:
        [value] = self.value(node)
        return value

    def scalars(self, nodes: Sequence[ir.Expression]) -> list[str]:
        return [self.scalar(node) for node in nodes]

    def value(self, node: ir.Expression) -> Value:
        """Write what computes `node`, in the current block."""
        emitter = self._emitter
        match node:
            case ir.Const():
                return emitter.constant(node.type, node.leaves)
            case ir.Local():
                value = self._locals.settled(node.local)
                return emitter.get(self._locals.places(node.local), node.type) if value is None else value
            case ir.Param():
                place = emitter.module.environment.params[node.name]
                return emitter.load(self._code.offset(emitter.item(ENV), place), node.type)
            case ir.Unary():
                return self._unary(node)
            case ir.Binary():
                return self._binary(node)
            case ir.ShortCircuit():
                return self._short_circuit(node)
            case ir.Conditional():
                condition = self.scalar(node.condition)
                return emitter.choose(
                    condition, node.type, lambda: self.value(node.then), lambda: self.value(node.otherwise)
                )
            case ir.StructField() | ir.Swizzle() | ir.Index() | ir.Tag() | ir.Payload():
                return self._part(node)
            case ir.Make() | ir.Splat() | ir.MakeVariant():
                return self._whole(node)
            case ir.BuiltinCall():
                return self._builtin(node)
            case ir.Call():
                return self.call(emitter.module.functions[node.function], node.type, node.args)
            case ir.Sample():
                return reads.sample(emitter, node.port)
            case ir.SampleAt():
                position = self.value(node.position)
                return reads.filtered(emitter, node.port, position, self.site(node))
            case ir.At():
                return reads.read_at(emitter, node.port, self.address(node.address), self.site(node))
            case ir.Size():
                return places.size(emitter, node.port)
            case ir.Extent():
                return places.extent(emitter, node.port)
            case ir.Place():
                return places.place(emitter, node.kind)
            case _:
                # Not `assert_never`: `Expression` is the open base of the nodes above.
                raise TypeError(f"not an expression: {node}")

    def address(self, address: Sequence[ir.Expression]) -> reads.Address:
        """The parts of an address, x first."""
        parts = [part for node in address for part in self.value(node)]
        return reads.Address(parts, INT if address[0].type is INT else FLOAT)

    def is_uniform(self, node: ir.Expression) -> bool:
        """Whether this is surely the same for all elements of a row, where it has a value at all."""
        match node:
            case ir.Const() | ir.Param() | ir.Size() | ir.Extent():
                return True
            case ir.Place():
                return node.kind is PlaceKind.DOMAIN
            case ir.Swizzle() if self._is_place(node.operand):
                return 0 not in node.components
            case ir.Local():
                return node.local in self._uniform
            case ir.Call() | ir.Sample() | ir.SampleAt() | ir.At():
                return False
            case _:
                return all(self.is_uniform(child) for child in ir.children(node) if isinstance(child, ir.Expression))

    def _is_place(self, node: ir.Expression) -> bool:
        """Whether this is where the element stands, of which only x changes within a row."""
        if isinstance(node, ir.Local):
            return node.local in self._places
        return isinstance(node, ir.Place) and node.kind in (PlaceKind.PLACE, PlaceKind.COORD)

    def settled(self, local: int, node: ir.Expression) -> None:
        """Note that this is all that a local ever is."""
        if self.is_uniform(node):
            self._uniform.add(local)
        elif self._is_place(node):
            self._places.add(local)

    # ------------------------------------------------------------ operators

    def _unary(self, node: ir.Unary) -> Value:
        operand, kind = self.value(node.operand), _scalar_kind(node.type)
        match node.op:
            case UnaryOp.NEG if kind is INT:
                return [self._code.value(f"sub i32 0, {x}") for x in operand]
            case UnaryOp.NEG:
                return [self._code.value(f"fneg float {x}") for x in operand]
            case UnaryOp.NOT:
                return [self._code.value(f"xor i1 {x}, true") for x in operand]
            case UnaryOp.INVERT:
                return [self._code.value(f"xor i32 {x}, -1") for x in operand]
            case _:
                assert_never(node.op)

    def _binary(self, node: ir.Binary) -> Value:
        left, right = self.value(node.left), self.value(node.right)
        match node.op:
            case BinaryOp.EQ:
                return [self._emitter.equal(node.left.type, left, right)]
            case BinaryOp.NE:
                same = self._emitter.equal(node.left.type, left, right)
                return [self._code.value(f"xor i1 {same}, true")]
            case BinaryOp.MATMUL:
                return self._product(node, left, right)
            case _:
                operation = OPERATORS[_scalar_kind(node.left.type)][node.op]
                return [operation(self._code, a, b) for a, b in zip(left, right, strict=True)]

    def _product(self, node: ir.Binary, left: Value, right: Value) -> Value:
        """The columns of the matrix scaled by the entries of each column of the right side, added in order."""
        assert isinstance(node.left.type, Mat)
        size = node.left.type.size
        multiply, add = OPERATORS[FLOAT][BinaryOp.MUL], OPERATORS[FLOAT][BinaryOp.ADD]
        product: Value = []
        for start in range(0, len(right), size):
            for row in range(size):
                total = multiply(self._code, left[row], right[start])
                for k in range(1, size):
                    term = multiply(self._code, left[k * size + row], right[start + k])
                    total = add(self._code, total, term)
                product.append(total)
        return product

    def _short_circuit(self, node: ir.ShortCircuit) -> Value:
        left = self.scalar(node.left)
        if node.op is Logic.AND:
            return self._emitter.choose(left, BOOL, lambda: self.value(node.right), lambda: ["false"])
        return self._emitter.choose(left, BOOL, lambda: ["true"], lambda: self.value(node.right))

    # ------------------------------------------------------------ parts

    def _part(self, node: ir.StructField | ir.Swizzle | ir.Index | ir.Tag | ir.Payload) -> Value:
        operand, type_ = self.value(node.operand), node.operand.type
        match node:
            case ir.StructField():
                return operand[field_span(self._emitter, type_, node.index)]
            case ir.Swizzle():
                return [operand[i] for i in node.components]
            case ir.Tag():
                return operand[:1]
            case ir.Payload():
                return operand[payload_span(self._emitter, type_, node.variant, node.index)]
            case ir.Index():
                index = self.clamped(node.index, length_of(type_))
                return self.element(type_, operand, index)
            case _:
                assert_never(node)

    def clamped(self, node: ir.Expression, length: int) -> str:
        """An index into so many parts: the nearest that there is, as a number or a name (i32)."""
        if isinstance(node, ir.Const):
            return str(min(max(int(node.leaves[0]), 0), length - 1))
        not_below = int_max(self._code, self.scalar(node), "0")
        return int_min(self._code, not_below, str(length - 1))

    def element(self, type_: Type, whole: Value, index: str) -> Value:
        """The part at `index`, which is in range, of an array, vector or matrix."""
        emitter, part = self._emitter, types.parts(type_)[0]
        if isinstance(type_, Array) and emitter.module.storage.is_stored(type_):
            return emitter.load(element_place(emitter, type_, whole[0], index), part)
        width = len(emitter.pieces(part))
        choices = [whole[i : i + width] for i in range(0, len(whole), width)]
        if index.isdecimal():
            return choices[int(index)]
        chosen = choices[-1]
        for i in reversed(range(len(choices) - 1)):
            here = self._code.value(f"icmp eq i32 {index}, {i}")
            chosen = self._select(part, here, choices[i], chosen)
        return chosen

    def _select(self, type_: Type, condition: str, then: Value, otherwise: Value) -> Value:
        held = [REGISTERS[p] if isinstance(p, Scalar) else "ptr" for p in self._emitter.pieces(type_)]
        return [
            a if a == b else self._code.value(f"select i1 {condition}, {kind} {a}, {kind} {b}")
            for kind, a, b in zip(held, then, otherwise, strict=True)
        ]

    # ------------------------------------------------------------ wholes

    def _whole(self, node: ir.Make | ir.Splat | ir.MakeVariant) -> Value:
        match node:
            case ir.Make():
                return self._make(node.type, [self.value(part) for part in node.parts])
            case ir.Splat():
                return self._splat(node)
            case ir.MakeVariant():
                return self._make_variant(node)
            case _:
                assert_never(node)

    def _make(self, type_: Type, parts: Sequence[Value]) -> Value:
        emitter = self._emitter
        if not (isinstance(type_, Array) and emitter.module.storage.is_stored(type_)):
            return [piece for part in parts for piece in part]
        room, size = emitter.room(byte_size(type_)), byte_size(type_.element)
        for i, part in enumerate(parts):
            emitter.store(self._code.offset(room, i * size), type_.element, part)
        return [room]

    def _splat(self, node: ir.Splat) -> Value:
        emitter, part, type_ = self._emitter, self.value(node.operand), node.type
        if not (isinstance(type_, Array) and emitter.module.storage.is_stored(type_)):
            return part * (len(emitter.pieces(type_)) // len(part))
        room = emitter.room(byte_size(type_))
        with emitter.rounds("0", str(type_.length)) as i:
            place = self._code.value(f"mul nuw nsw i64 {i}, {byte_size(type_.element)}")
            emitter.store(self._code.offset(room, place), type_.element, part)
        return [room]

    def _make_variant(self, node: ir.MakeVariant) -> Value:
        emitter = self._emitter
        assert isinstance(node.type, Enum)
        value: Value = [str(node.variant)]
        for number, variant in enumerate(node.type.variants):
            if number == node.variant:
                value += [piece for part in node.parts for piece in self.value(part)]
            else:
                value += [piece for member in variant.fields for piece in emitter.zero(member.type)]
        return value

    # ------------------------------------------------------------ built-ins and calls

    def _builtin(self, node: ir.BuiltinCall) -> Value:
        key = key_of(node)
        if key is not None:
            module = self._emitter.module
            once = all(map(self.is_uniform, node.args))
            return self.call(module.of_prelude_once(key) if once else module.of_prelude(key), node.type, node.args)
        args = [self.value(arg) for arg in node.args]
        match node.builtin:
            case Builtin.SELECT:
                condition, then, otherwise = args
                return self._select(node.type, condition[0], then, otherwise)
            case Builtin.TRANSPOSE:
                assert isinstance(node.type, Mat)
                size = node.type.size
                return [args[0][column * size + row] for row in range(size) for column in range(size)]
            case _:
                operation = OPERATIONS[node.builtin][_scalar_kind(node.args[0].type)]
                return [operation(self._code, *scalars) for scalars in zip(*args, strict=True)]

    def call(self, callee: Compiled, result: Type, args: Sequence[ir.Expression]) -> Value:
        """A call of a function."""
        values = [self.value(arg) for arg in args]
        return call_function(self._emitter, callee, result, [(a.type, v) for a, v in zip(args, values, strict=True)])


def call_function(
    emitter: Emitter,
    callee: Compiled,
    result: Type,
    args: Sequence[tuple[Type, Value]],
    rooms: Sequence[str] | None = None,
) -> Value:
    """Write a call with these arguments; `rooms` are where the pieces of the result are to lie, if that matters."""
    code, pieces = emitter.code, emitter.pieces(result)
    emitter.calls(callee)
    given = emitter.arguments(callee) + [text for type_, value in args for text in typed(emitter, type_, value)]
    direct = direct_result(pieces)
    if direct is not None:
        return [code.call(REGISTERS[direct], callee.name, given)]
    if rooms is None:
        rooms = [emitter.variable(piece) for piece in pieces]
    code.do(f"call void @{callee.name}({', '.join([*given, *(f'ptr {room}' for room in rooms)])})")
    return emitter.get(rooms, result)


def typed(emitter: Emitter, type_: Type, value: Value) -> list[str]:
    """The pieces of a value with their LLVM types in front."""
    kinds = [REGISTERS[p] if isinstance(p, Scalar) else "ptr" for p in emitter.pieces(type_)]
    return arguments(kinds, value)


def direct_result(pieces: Sequence[Piece]) -> Scalar | None:
    """What a function returns as LLVM's functions do: a single scalar.  All else it writes to rooms of its caller."""
    return pieces[0] if len(pieces) == 1 and isinstance(pieces[0], Scalar) else None


def element_place(emitter: Emitter, array: Array, pointer: str, index: str) -> str:
    """Where an element of a stored array lies; `index` (i32) is used only if it is in range."""
    code, size = emitter.code, byte_size(array.element)
    if index.isdecimal():
        return code.offset(pointer, int(index) * size)
    wide = code.value(f"sext i32 {index} to i64")
    return code.offset(pointer, code.value(f"mul nsw i64 {wide}, {size}"))


def field_span(emitter: Emitter, type_: Type, index: int) -> slice:
    """Which pieces of a struct are a field's."""
    assert isinstance(type_, Struct)
    return emitter.module.storage.span(tuple(f.type for f in type_.fields[:index]), type_.fields[index].type)


def payload_span(emitter: Emitter, type_: Type, variant: int, index: int) -> slice:
    """Which pieces of an enum are those of a variant's field."""
    assert isinstance(type_, Enum)
    before: list[Type] = [INT, *(f.type for v in type_.variants[:variant] for f in v.fields)]
    fields = type_.variants[variant].fields
    before += [f.type for f in fields[:index]]
    return emitter.module.storage.span(tuple(before), fields[index].type)


def _scalar_kind(type_: Type) -> Scalar:
    return type_ if isinstance(type_, Scalar) else FLOAT
