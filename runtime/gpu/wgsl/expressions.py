"""Expressions of the IR in WGSL: each becomes a text without effects, which may stand where it is used once.

What has to be evaluated before (a chosen side, a text that would grow too long) is written as statements.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import assert_never

from kcheck.checker import ir
from kcheck.checker.ir import BinaryOp, Logic, PlaceKind, UnaryOp
from kcheck.checker.render.ir import float_text
from kcheck.checker.types import BOOL, FLOAT, INT, Array, Enum, Leaf, Mat, Scalar, Struct, Type, Vec, leaves, length_of
from kcheck.runtime.gpu.wgsl import library, reads
from kcheck.runtime.gpu.wgsl.builtins import builtin
from kcheck.runtime.gpu.wgsl.lines import Lines
from kcheck.runtime.gpu.wgsl.module import Module, param_word, plus, times
from kcheck.runtime.gpu.wgsl.names import field_name, field_word, payload_name, payload_word, plain, words
from kcheck.runtime.gpu.wgsl.traits import Guard

_LONG = 120
"""Texts beyond this get a name of their own, which keeps lines readable and nesting small."""


@dataclass(frozen=True, slots=True)
class Stored:
    """A value that lies in a buffer: its first word is number `at` + `offset`."""

    buffer: str
    at: str
    offset: int
    type: Type

    def part(self, offset: int, type_: Type) -> Stored:
        return Stored(self.buffer, self.at, self.offset + offset, type_)

    def chosen(self, index: str, type_: Type) -> Stored:
        """The part with this number (a u32)."""
        at = f"{self.at} + {times(index, words(type_))}" if self.at != "0u" else times(index, words(type_))
        return Stored(self.buffer, at, self.offset, type_)

    @property
    def word(self) -> str:
        if self.at == "0u":
            return f"{self.offset}u"
        return plus(self.at, self.offset)


class Expressions:
    """Writes the expressions of one function; `functions` are the names of those that it may call."""

    def __init__(self, module: Module, function: ir.Function, functions: Sequence[str], lines: Lines) -> None:
        self.module = module
        self.function = function
        self.lines = lines
        self._functions = functions

    def write(self, node: ir.Expression) -> str:
        text = self._write(node)
        return self.lines.temporary(text) if len(text) > _LONG else text

    def named(self, node: ir.Expression) -> str:
        """As `write`, for a value whose text is used more than once."""
        return self._name(self._write(node))

    def _name(self, text: str) -> str:
        return text if text.isidentifier() else self.lines.temporary(text)

    def all(self, nodes: Sequence[ir.Expression]) -> list[str]:
        return [self.write(node) for node in nodes]

    def _write(self, node: ir.Expression) -> str:
        match node:
            case ir.Const():
                return self._constant(node)
            case ir.Local():
                return local_name(self.function, node.local)
            case ir.Unary():
                return self._unary(node)
            case ir.Binary():
                return self._binary(node)
            case ir.ShortCircuit():
                return self._short_circuit(node)
            case ir.Conditional():
                return self._conditional(node)
            case ir.Param() | ir.StructField() | ir.Swizzle() | ir.Index() | ir.Tag() | ir.Payload():
                stored = self._stored(node)
                return self._part(node) if stored is None else self._load(stored)
            case ir.Sample() if node.port in self.module.streamed:
                return f"here_{node.port}"
            case ir.Sample() | ir.At():
                stored = self._stored(node)
                return self.module.types.zero(node.type) if stored is None else self._load(stored)
            case ir.Make():
                return self._make(node)
            case ir.Splat():
                return self._splat(node)
            case ir.MakeVariant():
                return self._make_variant(node)
            case ir.BuiltinCall():
                return builtin(self.module, node, self.all(node.args), self.lines)
            case ir.Call():
                return f"{self._functions[node.function]}({', '.join(self.all(node.args))})"
            case ir.SampleAt():
                return self._sample_at(node)
            case ir.Size():
                return reads.size_value(self.module.fact("size", node.port), node.type)
            case ir.Extent():
                fact = self.module.fact("extent", node.port)
                return f"bitcast<f32>({fact}.x)" if node.type is FLOAT else reads.floats_of(fact, node.type)
            case ir.Place():
                return self._place(node)
            case _:
                raise AssertionError(f"no expression: {node}")

    # ------------------------------------------------------------ constants

    def _constant(self, node: ir.Const) -> str:
        if self.module.is_table(node):
            return self._load(self._table(node))
        pieces = [self._literal(leaf, value) for leaf, value in zip(leaves(node.type), node.leaves, strict=True)]
        return self.module.assembled(node.type, pieces)

    def _literal(self, leaf: Leaf, value: ir.LeafValue) -> str:
        guarded = leaf.scalar is FLOAT and self.module.traits.guard is not Guard.NONE
        hidden = library.CONSTANTS.get(int(value)) if guarded else None
        return hidden or literal(leaf, value)

    def _zero(self, type_: Type) -> str:
        return self.module.assembled(type_, [self._literal(leaf, 0) for leaf in leaves(type_)])

    def _table(self, node: ir.Const) -> Stored:
        return Stored(self.module.buffer("tables"), "0u", self.module.table(node), node.type)

    # ------------------------------------------------------------ operators

    def _unary(self, node: ir.Unary) -> str:
        operand = self.write(node.operand)
        match node.op:
            case UnaryOp.NEG if node.type is INT:
                return f"(0 - {operand})"
            case UnaryOp.NEG:
                return f"{self.module.arithmetic('neg', node.type, 1)}({operand})"
            case UnaryOp.NOT:
                return f"!({operand})"
            case UnaryOp.INVERT:
                return f"~({operand})"

    def _binary(self, node: ir.Binary) -> str:
        if node.op is BinaryOp.MATMUL:
            return self._product(node)
        left, right = self.write(node.left), self.write(node.right)
        match node.op:
            case BinaryOp.EQ:
                return self.equal(node.left.type, left, right)
            case BinaryOp.NE:
                return f"!({self.equal(node.left.type, left, right)})"
        if node.left.type is INT:
            return _INT[node.op].format(left, right) if node.op in _INT else self._int_division(node.op, left, right)
        if node.left.type is BOOL:
            return f"({left} {_BOOL[node.op]} {right})"
        if node.op in _COMPARED:
            name, swapped = _COMPARED[node.op]
            first, second = (right, left) if swapped else (left, right)
            return f"{self.module.use(name)}({first}, {second})"
        return f"{self.module.arithmetic(_ARITHMETIC[node.op], node.type, 2)}({left}, {right})"

    def _int_division(self, op: BinaryOp, left: str, right: str) -> str:
        return f"{self.module.use('div_i32' if op is BinaryOp.DIV else 'rem_i32')}({left}, {right})"

    def equal(self, type_: Type, left: str, right: str) -> str:
        """Whether all leaves of two values are equal."""
        if type_ is FLOAT:
            return f"{self.module.use('eq_f32')}({left}, {right})"
        if isinstance(type_, Scalar):
            return f"({left} == {right})"
        return f"{self._equality(type_)}({left}, {right})"

    def _equality(self, type_: Type) -> str:
        name = f"equal_{self.module.types.word(type_)}"
        return self.module.function(name, lambda: self._equality_text(name, type_))

    def _equality_text(self, name: str, type_: Type) -> str:
        head = f"fn {name}(a: {self.module.types.name(type_)}, b: {self.module.types.name(type_)}) -> bool {{"
        if isinstance(type_, Array) and self.module.is_looped(type_):
            inner = self.equal(type_.element, "a[i]", "b[i]")
            loop = [f"  for (var i = 0u; i < {type_.length}u; i++) {{", "    if (!EQUAL) {", "      return false;"]
            body = [line.replace("EQUAL", f"({inner})") for line in loop] + ["    }", "  }", "  return true;"]
        else:
            tests = [self.equal(part, f"a{at}", f"b{at}") for at, part in reads.accessors(type_)]
            body = [f"  return {' && '.join(tests) or 'true'};"]
        return "\n".join([head, *body, "}"])

    def _product(self, node: ir.Binary) -> str:
        """A matrix times a matrix or a vector, each component summed k ascending."""
        assert isinstance(node.left.type, Mat)
        vector = Vec(node.left.type.size)
        name = self._times_vector(vector)
        left = self.named(node.left)
        if isinstance(node.right.type, Vec):
            return f"{name}({left}, {self.write(node.right)})"
        right = self.named(node.right)
        columns = [f"{name}({left}, {right}[{i}])" for i in range(vector.size)]
        return self.module.types.made(node.type, columns)

    def _times_vector(self, vector: Vec) -> str:
        size = vector.size
        add, mul = self.module.arithmetic("add", vector, 2), self.module.arithmetic("mul", vector, 2)
        terms = [f"{mul}(m[{k}], vec{size}<f32>(v.{'xyzw'[k]}))" for k in range(size)]
        total = terms[0]
        for term in terms[1:]:
            total = f"{add}({total}, {term})"
        type_ = self.module.types.name(vector)
        head = f"fn times_vec{size}(m: array<{type_}, {size}>, v: {type_}) -> {type_} {{"
        return self.module.function(f"times_vec{size}", lambda: f"{head}\n  return {total};\n}}")

    # ------------------------------------------------------------ choices

    def _short_circuit(self, node: ir.ShortCircuit) -> str:
        left = self.write(node.left)
        word = node.op.value
        if is_plain(node.right):
            return f"({left} {word} {self.write(node.right)})"
        chosen = self.lines.fresh("c")
        self.lines.add(f"var {chosen} = {left};")
        with self.lines.braces(f"if ({chosen})" if node.op is Logic.AND else f"if (!{chosen})"):
            self.lines.add(f"{chosen} = {self.write(node.right)};")
        return chosen

    def _conditional(self, node: ir.Conditional) -> str:
        condition = self.write(node.condition)
        if isinstance(node.type, (Scalar, Vec)) and is_plain(node.then) and is_plain(node.otherwise):
            return f"select({self.write(node.otherwise)}, {self.write(node.then)}, {condition})"
        chosen = self.lines.fresh("c")
        self.lines.add(f"var {chosen}: {self.module.types.name(node.type)};")
        with self.lines.braces(f"if ({condition})"):
            self.lines.add(f"{chosen} = {self.write(node.then)};")
        with self.lines.otherwise():
            self.lines.add(f"{chosen} = {self.write(node.otherwise)};")
        return chosen

    # ------------------------------------------------------------ parts

    def _stored(self, node: ir.Expression) -> Stored | None:
        """Where in a buffer the value of an expression lies; None where it does not."""
        match node:
            case ir.Param():
                return Stored(self.module.buffer("params"), "0u", param_word(self.module.program, node.name), node.type)
            case ir.Const() if self.module.is_table(node):
                return self._table(node)
            case ir.Sample() if node.port not in self.module.streamed:
                buffer = self.module.buffer(f"in_{node.port}")
                return Stored(buffer, times("element", words(node.type)), 0, node.type)
            case ir.At():
                return self._at(node)
            case ir.StructField():
                whole, type_ = self._stored(node.operand), node.operand.type
                assert isinstance(type_, Struct)
                return whole and whole.part(field_word(type_, node.index), node.type)
            case ir.Payload():
                whole, type_ = self._stored(node.operand), node.operand.type
                assert isinstance(type_, Enum)
                return whole and whole.part(payload_word(type_, node.variant, node.index), node.type)
            case ir.Tag():
                whole = self._stored(node.operand)
                return whole and whole.part(0, INT)
            case ir.Swizzle(components=(one,)):
                whole = self._stored(node.operand)
                return whole and whole.part(one, FLOAT)
            case ir.Index():
                return self._stored_index(node)
            case _:
                return None

    def _stored_index(self, node: ir.Index) -> Stored | None:
        if not self._is_stored(node.operand):
            return None
        whole = self._stored(node.operand)
        if whole is None:
            return None
        if isinstance(node.index, ir.Const):
            return whole.part(_clamped(node.index, length_of(node.operand.type)) * words(node.type), node.type)
        index = self.lines.temporary(self._clamp(node.index, length_of(node.operand.type)))
        return whole.chosen(index, node.type)

    def _is_stored(self, node: ir.Expression) -> bool:
        match node:
            case ir.StructField() | ir.Payload() | ir.Tag() | ir.Swizzle() | ir.Index():
                return self._is_stored(node.operand)
            case ir.Const():
                return self.module.is_table(node)
            case ir.Sample():
                return node.port not in self.module.streamed
            case _:
                return isinstance(node, (ir.Param, ir.At))

    def _load(self, stored: Stored) -> str:
        return self.module.load(stored.buffer, stored.word, stored.type)

    def _part(self, node: ir.Expression) -> str:
        match node:
            case ir.StructField():
                assert isinstance(node.operand.type, Struct)
                return f"{self.write(node.operand)}.{field_name(node.operand.type, node.index)}"
            case ir.Payload():
                assert isinstance(node.operand.type, Enum)
                return f"{self.write(node.operand)}.{payload_name(node.operand.type, node.variant, node.index)}"
            case ir.Tag():
                return f"{self.write(node.operand)}.tag"
            case ir.Swizzle():
                return f"{self.write(node.operand)}.{''.join('xyzw'[c] for c in node.components)}"
            case ir.Index():
                return self._index(node)
            case _:
                return self.module.types.zero(node.type)  # of a read that has failed

    def _index(self, node: ir.Index) -> str:
        length = length_of(node.operand.type)
        if isinstance(node.index, ir.Const):
            return f"{self.write(node.operand)}[{_clamped(node.index, length)}]"
        self.module.check_indexed(node.operand.type)
        return f"{self.named(node.operand)}[{self._clamp(node.index, length)}]"

    def _clamp(self, index: ir.Expression, length: int) -> str:
        return f"u32(clamp({self.write(index)}, 0, {length - 1}))"

    # ------------------------------------------------------------ wholes

    def _make(self, node: ir.Make) -> str:
        texts = self.all(node.parts)
        if isinstance(node.type, Struct):
            return self.module.types.made(node.type, texts)
        return f"{self.module.types.name(node.type)}({', '.join(texts)})"

    def _splat(self, node: ir.Splat) -> str:
        match node.type:
            case Vec():
                return f"{self.module.types.name(node.type)}({self.write(node.operand)})"
            case Mat():
                column = self.lines.temporary(f"vec{node.type.size}<f32>({self.write(node.operand)})")
                return self.module.types.made(node.type, [column] * node.type.size)
            case Array() if not self.module.is_looped(node.type):
                return self.module.types.made(node.type, [self.named(node.operand)] * node.type.length)
            case Array():
                return f"{self._filling(node.type)}({self.write(node.operand)})"
            case _:
                raise AssertionError(f"no splat of {node.type}")

    def _filling(self, type_: Array) -> str:
        name = f"filled_{self.module.types.word(type_)}"
        result, element = self.module.types.name(type_), self.module.types.name(type_.element)
        lines = [
            f"fn {name}(value: {element}) -> {result} {{",
            f"  var all: {result};",
            f"  for (var i = 0u; i < {type_.length}u; i++) {{",
            "    all[i] = value;",
            "  }",
            "  return all;",
            "}",
        ]
        return self.module.function(name, lambda: "\n".join(lines))

    def _make_variant(self, node: ir.MakeVariant) -> str:
        assert isinstance(node.type, Enum)
        texts = self.all(node.parts)
        inside = [str(node.variant)]
        for v, variant in enumerate(node.type.variants):
            inside += texts if v == node.variant else [self._zero(field.type) for field in variant.fields]
        return self.module.types.made(node.type, inside)

    # ------------------------------------------------------------ reads and places

    def _at(self, node: ir.At) -> Stored | None:
        address = self.address(node.address)
        if self.fails(node.port, node):
            return None
        size = self.module.fact("size", node.port)
        at = self.lines.temporary(reads.clamped_position(self.module, address, size))
        return Stored(self.module.buffer(f"in_{node.port}"), times(at, words(node.type)), 0, node.type)

    def address(self, parts_: Sequence[ir.Expression]) -> list[tuple[str, Type]]:
        """The parts of an address (as in `ir.At`) with their types; a vector has a name."""
        write = self.named if isinstance(parts_[0].type, Vec) else self.write
        return [(write(part), part.type) for part in parts_]

    def fails(self, port: str, node: ir.Node) -> bool:
        """Whether reads of a port are errors, which is noted."""
        if port not in self.module.subject.empty:
            return False
        origins = self.function.origins
        origin = origins[node.id] if 0 <= node.id < len(origins) else self.module.program.origin
        self.lines.add(f"{reads.failure(self.module)}({self.module.site(port, origin)}u);")
        return True

    def _sample_at(self, node: ir.SampleAt) -> str:
        position = self.write(node.position)
        if self.fails(node.port, node):
            return self.module.types.zero(node.type)
        return f"{reads.filtering(self.module, node.port, node.type, node.position.type)}({position})"

    def _place(self, node: ir.Place) -> str:
        match node.kind:
            case PlaceKind.INDEX:
                return "i32(element)"
            case PlaceKind.DOMAIN:
                return reads.size_value(self.module.fact("domain"), node.type)
            case PlaceKind.COORD:
                return "i32(element)" if node.type is INT else f"{reads.coordinates(self.module, node.type)}()"
            case PlaceKind.PLACE:
                return f"{reads.placing(self.module, node.type)}()"
            case PlaceKind.LANE | PlaceKind.GROUP:
                schedule = self.module.program.schedule
                size = schedule.size if isinstance(schedule, ir.Lanes) else 1
                return f"i32(element {'%' if node.kind is PlaceKind.LANE else '/'} {size}u)"
            case _:
                assert_never(node.kind)


_INT = {
    BinaryOp.ADD: "({} + {})",
    BinaryOp.SUB: "({} - {})",
    BinaryOp.MUL: "({} * {})",
    BinaryOp.AND: "({} & {})",
    BinaryOp.OR: "({} | {})",
    BinaryOp.XOR: "({} ^ {})",
    BinaryOp.SHL: "({} << (bitcast<u32>({}) & 31u))",
    BinaryOp.SHR: "({} >> (bitcast<u32>({}) & 31u))",
    BinaryOp.USHR: "bitcast<i32>(bitcast<u32>({}) >> (bitcast<u32>({}) & 31u))",
    BinaryOp.LT: "({} < {})",
    BinaryOp.LE: "({} <= {})",
    BinaryOp.GT: "({} > {})",
    BinaryOp.GE: "({} >= {})",
}
_BOOL = {BinaryOp.AND: "&", BinaryOp.OR: "|", BinaryOp.XOR: "!="}
_COMPARED = {
    BinaryOp.LT: ("lt_f32", False),
    BinaryOp.LE: ("le_f32", False),
    BinaryOp.GT: ("lt_f32", True),
    BinaryOp.GE: ("le_f32", True),
}
_ARITHMETIC = {
    BinaryOp.ADD: "add",
    BinaryOp.SUB: "sub",
    BinaryOp.MUL: "mul",
    BinaryOp.DIV: "div",
    BinaryOp.REM: "rem",
}


def local_name(function: ir.Function, local: int) -> str:
    return f"l{local}_{plain(function.locals[local].name)}"


def is_plain(node: ir.Expression) -> bool:
    """Whether it costs next to nothing, and does no harm, to evaluate an expression that is not asked for."""
    match node:
        case ir.Const() | ir.Param():
            return words(node.type) <= 4
        case ir.Local() | ir.Place() | ir.Size() | ir.Extent():
            return True
        case ir.StructField() | ir.Swizzle() | ir.Tag() | ir.Payload():
            return is_plain(node.operand)
        case ir.Unary():
            return is_plain(node.operand)
        case ir.Binary():
            return node.type is BOOL and is_plain(node.left) and is_plain(node.right)
        case _:
            return False


def _clamped(index: ir.Const, length: int) -> int:
    return min(max(int(index.leaves[0]), 0), length - 1)


def literal(leaf: Leaf, value: ir.LeafValue) -> str:
    """A scalar of a constant."""
    if leaf.scalar is BOOL:
        return "true" if value else "false"
    number = int(value)
    if leaf.scalar is INT:
        return f"{number}i" if number > -(2**31) else "bitcast<i32>(0x80000000u)"
    exponent = number >> 23 & 0xFF
    if number and (exponent in (0, 0xFF)):  # -0, subnormal, infinite, NaN
        return f"bitcast<f32>({number:#010x}u)"
    return f"{float_text(number)}f"
