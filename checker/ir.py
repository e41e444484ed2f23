"""The typed core IR: what a checked program is, for the prover, the backends and the editor.

Invariants (asserted by `verify.verify_ir`):
- Structured: blocks, `If`, `Loop`; no jumps but `Return`.
- Typed at every node; operand types agree exactly.  A scalar that meets a vector or matrix is a `Splat`.
- Expressions are pure.  What acts is a statement: `Exchange`, `Put`, `Emit`, `Load` (from a memory), `Return`,
  and `CallStatement` for calls to functions that act.  Evaluation order is the order of statements.
- A `Call` refers to a function of the same program that stands before the caller: no recursion.
- Locals are numbered per function; each is assigned before it is read on every path.
- No node is deeper than `MAX_DEPTH` below its function.
- Absent on purpose: names to resolve, implicit conversions, `&&`-with-effects, patterns (a `match` is a `Switch`
  over an Int or a `Tag`), records (a body with several outputs returns the struct `Program.result`).

Nodes carry an `id`, their position in `Function.origins`; ids, origins and docs take no part in equality or in
`content_hash`.  Analyses are tables keyed by function and id, never fields of nodes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import field, fields, is_dataclass
from enum import Enum
from typing import Any, TypeAlias

from kcheck.checker import floats
from kcheck.checker.builtins import Builtin
from kcheck.checker.types import FLOAT, Struct, Type, leaves
from kcheck.checker.types import Enum as EnumType
from kcheck.checker.types import Field as FieldType
from kcheck.grammar.nodes import Value, compared_fields, node
from kcheck.grammar.recursion import deep_recursion
from kcheck.grammar.spans import Origin

MAX_DEPTH = 1024
"""The deepest node of a function; source text nests at most 256 deep, and lowering adds a few levels to each."""

LeafValue: TypeAlias = "bool | int"
"""A scalar of a constant: a bool, an Int as a signed int, or a Float as its 32 bits (unsigned)."""


@node
class Node(Value):
    id: int = field(default=-1, compare=False, repr=False)


# ---------------------------------------------------------------- expressions


@node
class Expression(Node):
    """Pure; `type` is the type of its value."""

    type: Type


@node
class Const(Expression):
    """A constant of any type, as its leaves in the order of `types.leaves`."""

    leaves: tuple[LeafValue, ...]


@node
class Local(Expression):
    """The present value of a local of the function."""

    local: int


@node
class Param(Expression):
    """A param of the kernel: the same for every element of a run."""

    name: str


class UnaryOp(Enum):
    NEG = "-"
    """On Int, Float, Vec and Mat; a Float's sign bit is flipped, so -(0.0) is -0.0."""
    NOT = "!"
    """On Bool."""
    INVERT = "~"
    """On Int."""


@node
class Unary(Expression):
    op: UnaryOp
    operand: Expression


class BinaryOp(Enum):
    """Both operands have one type but for `MATMUL`.  The numbers' rules are language.md, section 5."""

    ADD = "+"
    SUB = "-"
    MUL = "*"
    """Componentwise, on matrices too: the matrix product is `MATMUL`."""
    DIV = "/"
    REM = "%"
    AND = "&"
    OR = "|"
    XOR = "^"
    """On Int and Bool, as `AND` and `OR`; both sides are evaluated."""
    SHL = "<<"
    SHR = ">>"
    """Arithmetic."""
    USHR = ">>>"
    """Logical."""
    EQ = "=="
    NE = "!="
    """On any type, one Bool: `==` asks that all leaves are equal (Floats as numbers), `!=` is its negation."""
    LT = "<"
    LE = "<="
    GT = ">"
    GE = ">="
    """On scalar Int and Float."""
    MATMUL = "matmul"
    """Mat * Mat or Mat * Vec: each component is ((a0*b0 + a1*b1) + a2*b2) + a3*b3, k ascending."""


@node
class Binary(Expression):
    op: BinaryOp
    left: Expression
    right: Expression


class Logic(Enum):
    AND = "&&"
    OR = "||"


@node
class ShortCircuit(Expression):
    """`right` is evaluated only where `left` does not decide."""

    op: Logic
    left: Expression
    right: Expression


@node
class Conditional(Expression):
    """`if condition { then } else { otherwise }`; only the chosen side is evaluated."""

    condition: Expression
    then: Expression
    otherwise: Expression


@node
class StructField(Expression):
    """Field number `index` of a struct."""

    operand: Expression
    index: int


@node
class Swizzle(Expression):
    """Components of a vector by position; one component gives a Float, more a vector."""

    operand: Expression
    components: tuple[int, ...]


@node
class Index(Expression):
    """Element of an array, component of a vector or column of a matrix; `index` (Int) clamps to the ends."""

    operand: Expression
    index: Expression


@node
class Make(Expression):
    """A struct from its fields, an array from its elements, a matrix from its columns, or a vector from Floats
    and vectors that follow one another."""

    parts: tuple[Expression, ...]


@node
class Splat(Expression):
    """A Float in every component of a vector or matrix, or a value in every element of an array."""

    operand: Expression


@node
class MakeVariant(Expression):
    """Variant number `variant` of an enum with its fields; all other storage is zero."""

    variant: int
    parts: tuple[Expression, ...]


@node
class Tag(Expression):
    """The number (Int) of an enum value's variant."""

    operand: Expression


@node
class Payload(Expression):
    """Field `index` of variant `variant`; only reached where the value is of that variant."""

    operand: Expression
    variant: int
    index: int


@node
class BuiltinCall(Expression):
    """A pure built-in; scalars among vectors are already `Splat`, so the arguments fit one overload exactly."""

    builtin: Builtin
    args: tuple[Expression, ...]


@node
class Call(Expression):
    """A call of a pure function; `function` is its position in `Program.functions`."""

    function: int
    args: tuple[Expression, ...]


@node
class Sample(Expression):
    """`sample(f)`: the element of input `port` at this run's place."""

    port: str


@node
class SampleAt(Expression):
    """`sample(f, p)`: linear filtering at a normalised position (Float, Vec2, Vec3 by rank)."""

    port: str
    position: Expression


@node
class At(Expression):
    """`at(f, …)`: the element of input `port` at an address, clamped to the edge.

    `address` is one Int (Rows), one Vec2 or Vec3 (floored), or two or three Ints (x, y, z).
    """

    port: str
    address: tuple[Expression, ...]


@node
class Size(Expression):
    """`size(f)` of an input, output target or memory: Int, Vec2 (w, h), Vec3 (w, h, d)."""

    port: str


@node
class Extent(Expression):
    """`extent(f)`: the size of the field's box in space: Float, Vec2, Vec3."""

    port: str


class PlaceKind(Enum):
    INDEX = "index"
    """Int, row-major."""
    COORD = "coord"
    """Int, or Vec2 (x, y), Vec3 (x, y, z)."""
    PLACE = "place"
    """(coord + 0.5) / size: Float, Vec2, Vec3."""
    DOMAIN = "domain"
    """The size of the domain, typed as `coord`."""
    LANE = "lane"
    """Int: the element's number within its group."""
    GROUP = "group"
    """Int: the number of the group."""


@node
class Place(Expression):
    """Where this run stands in the domain."""

    kind: PlaceKind


# ---------------------------------------------------------------- statements


@node
class Block(Node):
    statements: tuple[Statement, ...]


@node
class FieldStep(Node):
    index: int


@node
class SwizzleStep(Node):
    """Always the last step; components are distinct."""

    components: tuple[int, ...]


@node
class IndexStep(Node):
    """A position of an array, vector or matrix (Int); outside, the whole assignment is dropped."""

    index: Expression


TargetStep: TypeAlias = "FieldStep | SwizzleStep | IndexStep"


@node
class Assign(Node):
    """Give a local, or a part of it, a new value; also the first value of every `let` and `var`."""

    local: int
    steps: tuple[TargetStep, ...] = ()
    value: Expression


@node
class If(Node):
    """`written` is the word of the source: `if`, or `&&` and `||` whose right side acts."""

    condition: Expression
    then: Block
    otherwise: Block
    written: str = field(default="if", compare=False)


@node
class Case(Node):
    """Taken where the subject lies in one of the closed `ranges` of signed Ints."""

    ranges: tuple[tuple[int, int], ...]
    body: Block


@node
class Switch(Node):
    """The first case that holds the `subject` (Int), else `otherwise`; there is no falling through."""

    subject: Expression
    cases: tuple[Case, ...]
    otherwise: Block


@node
class Until(Node):
    """Tested before each round: run `block`, then end the loop where `condition` is true."""

    block: Block
    condition: Expression


@node
class Loop(Node):
    """`local` (Int) runs from `low` to `high` (`high` itself only where `closed`), both evaluated once.

    The local holds the coming round's number when `until` is tested.  No rounds where the range is empty.
    A closed range may hold 2^32 rounds; the counter never wraps past `high`.
    """

    local: int
    low: Expression
    high: Expression
    closed: bool
    until: Until | None
    body: Block


@node
class Return(Node):
    """Ends the function; `value` is None exactly in functions of type `UNIT`."""

    value: Expression | None


@node
class Exchange(Node):
    """`local` = the `value` that lane `lane` (clamped to the group's lanes) holds at this exchange."""

    local: int
    value: Expression
    lane: Expression


@node
class Load(Node):
    """`local` = element of a memory, clamped to the edge; `address` as in `At`."""

    local: int
    memory: str
    address: tuple[Expression, ...]


@node
class Put(Node):
    """Write an element of a memory; dropped where the address (as in `At`) is outside or NaN."""

    memory: str
    address: tuple[Expression, ...]
    value: Expression


@node
class Emit(Node):
    """Give one more pair (a struct of address and value) to a scatter."""

    value: Expression


@node
class CallStatement(Node):
    """Call a function that acts, or one without a result; its result goes to `local` unless that is None."""

    local: int | None
    function: int
    args: tuple[Expression, ...]


Statement: TypeAlias = "Block | Assign | If | Switch | Loop | Return | Exchange | Load | Put | Emit | CallStatement"


# ---------------------------------------------------------------- functions and programs


class Effect(Enum):
    EXCHANGE = "exchange"
    LOAD = "load"
    PUT = "put"
    EMIT = "emit"


@node
class LocalDecl(Value):
    name: str
    type: Type


@node
class Function(Value):
    """The first `parameters` locals are the parameters.

    `origins[id]` is the source of the node with that id; `effects` holds those of the functions it calls too.
    Every path of a function with a result ends in a `Return`.
    """

    name: str
    parameters: int
    locals: tuple[LocalDecl, ...]
    result: Type
    body: Block
    effects: frozenset[Effect]
    origins: tuple[Origin, ...] = field(compare=False, repr=False)


@node
class PortDecl(Value):
    name: str
    type: FieldType
    origin: Origin = field(compare=False, repr=False)


@node
class ParamDecl(Value):
    """`default`, `low` and `high` are None where they are not declared; the range is closed.

    On vectors, matrices, arrays and structs the range holds leaf by leaf.
    """

    name: str
    type: Type
    default: Const | None
    low: Const | None
    high: Const | None
    origin: Origin = field(compare=False, repr=False)


class CombineOp(Enum):
    SUM = "sum"
    MIN = "min"
    MAX = "max"
    LAST = "last"


# The schedule: what to run per element, and how results come together.  `element`, `merge` and `init` are
# positions in `Program.functions`.


@node
class Elements(Value):
    """Map: `element()` once for every element of the domain, results to the outputs."""

    element: int


@node
class Fold(Value):
    """Reduction: `element()` once per element of `over`, folded by `merge(a, b)` to one element."""

    over: str
    element: int
    merge: int


@node
class OrderedWalk(Value):
    """Scan: `element(carry)` in row-major order of `over`, each result the next carry; the first is `init()`."""

    over: str
    element: int
    init: int


@node
class CombineByAddress(Value):
    """Scatter: the pairs of `element()` (emitted ones first, then the returned one) applied to a copy of
    `into` in element order."""

    over: str
    into: str
    op: CombineOp
    element: int


@node
class RunningCombine(Value):
    """Prefix: output i is `op` over the results of elements 0..=i of `over`."""

    over: str
    op: CombineOp
    element: int


@node
class Lanes(Value):
    """Group: as `Elements`, in groups of `size` lanes that may exchange values."""

    size: int
    element: int


Schedule: TypeAlias = "Elements | Fold | OrderedWalk | CombineByAddress | RunningCombine | Lanes"


@node
class Program(Value):
    """One kernel, checked.

    `functions` are ordered callee before caller.  `rank` is the number of axes of the domain (or of the walked
    input).  `result` is what an element run gives for the outputs: the one output's element type, or a struct
    with a field for each output in the order of `outputs`; for scatter it is the pair.
    `sampled` are the inputs read by one-argument `sample` anywhere reachable from the schedule's functions.
    """

    name: str
    inputs: tuple[PortDecl, ...]
    outputs: tuple[PortDecl, ...]
    memories: tuple[PortDecl, ...]
    params: tuple[ParamDecl, ...]
    rank: int
    result: Type
    schedule: Schedule
    functions: tuple[Function, ...]
    sampled: frozenset[str]
    origin: Origin = field(compare=False, repr=False)
    doc: str = field(default="", compare=False, repr=False)


def const_numbers(const: Const) -> list[float | int]:
    """The leaves of a constant as numbers: Floats decoded from their bits, Bools as 0 and 1."""
    return [
        floats.to_float(int(value)) if leaf.scalar is FLOAT else int(value)
        for leaf, value in zip(leaves(const.type), const.leaves, strict=True)
    ]


# ---------------------------------------------------------------- walking and hashing


def children(node: object) -> Iterator[Node]:
    """The direct child nodes of a node, in evaluation order."""
    return iter(_children(node))


def _children(node: object) -> list[Node]:
    found: list[Node] = []
    for name in _CHILD_FIELDS.get(type(node)) or _child_fields(type(node)):
        value = getattr(node, name)
        if isinstance(value, Node):
            found.append(value)
        elif type(value) is tuple and value and isinstance(value[0], Node):  # all of them are
            found += value
    return found


def walk(node: Node) -> Iterator[Node]:
    """`node` and all nodes below it, parents first."""
    pending = [node]
    while pending:
        current = pending.pop()
        yield current
        pending += _children(current)[::-1]


_CHILD_FIELDS: dict[type, tuple[str, ...]] = {}


def _child_fields(cls: type) -> tuple[str, ...]:
    names = _CHILD_FIELDS.get(cls)
    if names is None:
        assert is_dataclass(cls)
        names = _CHILD_FIELDS[cls] = tuple(f.name for f in fields(cls) if f.name not in ("id", "type"))
    return names


def content_hash(value: object) -> str:
    """A hash of what a program, function or node means, the same in every process; positions do not matter."""
    with deep_recursion():
        return _hash_of(_write, value, {})


_Writer: TypeAlias = "Callable[[list[str], Any, dict[int, str]], None]"
"""Writes a value to a text that is to be hashed; the dict has the hashes of structs and enums that were met, by ids."""


def _hash_of(write: _Writer, value: object, types: dict[int, str]) -> str:
    text: list[str] = []
    write(text, value, types)
    return hashlib.sha256("".join(text).encode()).hexdigest()


def _write(text: list[str], value: object, types: dict[int, str]) -> None:
    """All that takes part in equality."""
    cls = type(value)
    writer = _WRITERS.get(cls)
    if writer is None:
        writer = _WRITERS[cls] = _writer(cls)
    writer(text, value, types)


_WRITERS: dict[type, _Writer] = {}


def _writer(cls: type) -> _Writer:
    if issubclass(cls, Enum):
        return _write_member
    if issubclass(cls, frozenset):
        return _write_set
    if issubclass(cls, tuple):
        return _write_tuple
    if issubclass(cls, (Struct, EnumType)):
        return _write_type
    return _parts_writer(cls) if is_dataclass(cls) else _write_plain


def _write_member(text: list[str], value: Enum, types: dict[int, str]) -> None:
    text.append(f"{type(value).__name__}.{value.name};")


def _write_set(text: list[str], value: frozenset[object], types: dict[int, str]) -> None:
    _write_tuple(text, tuple(sorted(value, key=repr)), types)


def _write_tuple(text: list[str], value: tuple[object, ...], types: dict[int, str]) -> None:
    text.append(f"({len(value)};")
    for part in value:
        _write(text, part, types)


def _write_type(text: list[str], value: Struct | EnumType, types: dict[int, str]) -> None:
    if id(value) not in types:
        types[id(value)] = _hash_of(_parts_writer(type(value)), value, types)
    text.append(f"type {types[id(value)]};")


def _parts_writer(cls: type) -> _Writer:
    """Writes the name of a dataclass and all its fields."""
    head, names = f"{cls.__name__}{{", compared_fields(cls)

    def write(text: list[str], value: object, types: dict[int, str]) -> None:
        text.append(head)
        for name in names:
            part = getattr(value, name)
            (_WRITERS.get(type(part)) or _write)(text, part, types)
        text.append("}")

    return write


def _write_plain(text: list[str], value: object, types: dict[int, str]) -> None:
    text.append(f"{type(value).__name__}:{value!r};")
