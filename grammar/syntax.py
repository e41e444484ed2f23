"""The syntax tree: frozen values, one class a construct of `kernel.tx`.

Every node knows its `span`, counted from the first character of its file item; spans and doc comments take
no part in equality or hashing, so two items that differ only in layout are equal.
Names are not resolved and nothing is typed here; that is the checker's work.
"""

from __future__ import annotations

from dataclasses import field
from enum import Enum
from typing import TypeAlias

from kcheck.grammar.nodes import Value, node
from kcheck.grammar.spans import Span


@node(kw_only=False)
class Node(Value):
    span: Span = field(compare=False)


@node
class Documented(Node):
    """A node that a `///` comment may describe; `doc` is its text without the slashes."""

    doc: str = field(default="", compare=False)


@node(kw_only=False)
class Name(Node):
    """An identifier, a dotted path (`signal.fft`) or a kernel's name (`stats.luma@1`)."""

    text: str


# ---------------------------------------------------------------- types


@node(kw_only=False)
class NamedType(Node):
    """`Float`, `Light`, `Grid<Vec3>`."""

    name: Name
    args: tuple[TypeExpr, ...] = ()


@node
class ArrayType(Node):
    """`[Float; 4]`."""

    element: TypeExpr
    length: Expr


TypeExpr: TypeAlias = "NamedType | ArrayType"


# ---------------------------------------------------------------- expressions


@node(kw_only=False)
class IntLiteral(Node):
    """`value` is what the digits say, of any size; `pattern` marks hex and binary bit patterns."""

    value: int
    pattern: bool = False


@node(kw_only=False)
class FloatLiteral(Node):
    """`text` is the literal without underscores, as `float()` reads it."""

    text: str


@node(kw_only=False)
class BoolLiteral(Node):
    value: bool


@node
class StringLiteral(Node):
    """Only in examples: `file("photo.png")`."""

    value: str


@node(kw_only=False)
class NameRef(Node):
    """A name used as a value: a local, constant, port, param or bare variant."""

    name: Name


@node(kw_only=False)
class Unary(Node):
    """`op` is `-`, `!` or `~`."""

    op: str
    operand: Expr


@node(kw_only=False)
class Binary(Node):
    """`op` is one of `|| && == != < <= > >= | ^ & << >> >>> + - * / %`; precedence is already applied."""

    op: str
    op_span: Span = field(compare=False)
    left: Expr
    right: Expr


@node
class KeywordArgument(Node):
    """Only in examples: `random((64, 64), seed=1)`."""

    name: Name
    value: Expr


@node(kw_only=False)
class Call(Node):
    """`f(a, b)`; the checker refuses a `callee` that is not a plain name."""

    callee: Expr
    args: tuple[Expr, ...]
    keywords: tuple[KeywordArgument, ...] = ()


@node(kw_only=False)
class Member(Node):
    """`a.b`: a field, a swizzle or a variant of a named enum."""

    operand: Expr
    name: Name


@node(kw_only=False)
class Index(Node):
    """`a[i]`."""

    operand: Expr
    index: Expr


@node(kw_only=False)
class If(Node):
    """`if c { … } else …`; `otherwise` is the else block, or a block that holds just the next `if`."""

    condition: Expr
    then: Block
    otherwise: Block | None


@node
class Arm(Node):
    """`1 | 2 => body`; an expression body is a block without statements that ends in it."""

    patterns: tuple[Pattern, ...]
    body: Block


@node
class Match(Node):
    subject: Expr
    arms: tuple[Arm, ...]
    errors: tuple[ErrorMember, ...] = ()


@node(kw_only=False)
class FieldValue(Node):
    """`name: value` in a record or a struct value."""

    name: Name
    value: Expr


@node
class Record(Node):
    """`{ a: 1, b: 2 }`: the outputs of a body, or a struct in an example."""

    fields: tuple[FieldValue, ...]


@node(kw_only=False)
class StructValue(Node):
    """`Light { sum: l }`, `Disc { r: 1.0 }` or, with an `enum` name, `Shape.Disc { r: 1.0 }`."""

    enum: Name | None
    name: Name
    fields: tuple[FieldValue, ...]


@node
class ArrayLiteral(Node):
    """`[a, b, c]`."""

    elements: tuple[Expr, ...]


@node
class ArrayRepeat(Node):
    """`[value; length]`."""

    value: Expr
    length: Expr


@node
class Tuple(Node):
    """Only in examples and scenes: a size `(w, h)`."""

    elements: tuple[Expr, ...]


@node
class ErrorExpr(Node):
    """A value that could not be read; its type is not known."""


@node(kw_only=False)
class Block(Node):
    """`{ … }`; as an expression its value is that of a last `ExprStatement` without a semicolon."""

    statements: tuple[Statement, ...]


Expr: TypeAlias = (
    "IntLiteral | FloatLiteral | BoolLiteral | StringLiteral | NameRef | Unary | Binary | Call | Member | Index"
    " | If | Match | Record | StructValue | ArrayLiteral | ArrayRepeat | Tuple | Block | ErrorExpr"
)


# ---------------------------------------------------------------- patterns


@node
class WildcardPattern(Node):
    """`_`."""


@node
class LiteralPattern(Node):
    """An Int (sign applied) or Bool literal."""

    value: int | bool
    pattern: bool = False
    """Whether an Int was written as a hex or binary bit pattern."""


@node
class RangePattern(Node):
    """`low..high` (half-open) or `low..=high` (closed)."""

    low: LiteralPattern
    high: LiteralPattern
    closed: bool


@node
class FieldPattern(Node):
    """`r` or `r: radius` inside a variant pattern: binds field `name` to local `binding`."""

    name: Name
    binding: Name


@node
class VariantPattern(Node):
    """`Dot`, `Disc { r }`, `Shape.Disc { r: radius }`; `fields` is None where no braces stand."""

    enum: Name | None
    name: Name
    fields: tuple[FieldPattern, ...] | None


Pattern: TypeAlias = "WildcardPattern | LiteralPattern | RangePattern | VariantPattern"


# ---------------------------------------------------------------- statements


@node(kw_only=False)
class Let(Node):
    """`let` or, where `mutable`, `var`."""

    mutable: bool
    name: Name
    type: TypeExpr | None
    value: Expr


@node(kw_only=False)
class Assign(Node):
    """`target = value`, or `target op= value` where `op` is `+ - * / % & | ^ << >> >>>`."""

    target: Expr
    op: str | None
    value: Expr


@node
class For(Node):
    """`for name in low..high until c { … }`; `closed` for `..=`."""

    name: Name
    low: Expr
    high: Expr
    closed: bool
    until: Expr | None
    body: Block


@node
class Loop(Node):
    """`loop count until c { … }`."""

    count: Expr
    until: Expr | None
    body: Block


@node(kw_only=False)
class Return(Node):
    value: Expr | None


@node(kw_only=False)
class ExprStatement(Node):
    """An expression as a statement; `semicolon` tells whether one ended it."""

    value: Expr
    semicolon: bool


@node
class ErrorStatement(Node):
    """A statement that could not be read; `names` are what it seems to declare."""

    names: tuple[Name, ...]


Statement: TypeAlias = "Let | Assign | For | Loop | Return | ExprStatement | ErrorStatement"


# ---------------------------------------------------------------- declarations


@node
class ErrorMember(Node):
    """A field, variant, arm, member, entry or setting that could not be read.

    `keyword` is its first word, `names` are those that it may declare. Where only the header of a body was wrong,
    `body` is what follows.
    """

    keyword: str | None
    names: tuple[Name, ...]
    body: Block | None = None


@node
class FieldDecl(Documented):
    """A field of a struct or of an enum's variant."""

    name: Name
    type: TypeExpr


@node
class Use(Documented):
    path: Name


@node
class Const(Documented):
    name: Name
    type: TypeExpr
    value: Expr


@node
class Struct(Documented):
    name: Name
    fields: tuple[FieldDecl, ...]
    errors: tuple[ErrorMember, ...] = ()


@node
class VariantDecl(Documented):
    name: Name
    fields: tuple[FieldDecl, ...]
    errors: tuple[ErrorMember, ...] = ()


@node
class Enumeration(Documented):
    name: Name
    variants: tuple[VariantDecl, ...]
    errors: tuple[ErrorMember, ...] = ()


@node
class Parameter(Node):
    name: Name
    type: TypeExpr


@node
class Function(Documented):
    """`head` spans from `fn` to the end of the result type."""

    name: Name
    parameters: tuple[Parameter, ...]
    result: TypeExpr | None
    body: Block
    head: Span = field(compare=False)


# ---------------------------------------------------------------- kernels


class PortKind(Enum):
    INPUT = "input"
    OUTPUT = "output"
    MEMORY = "memory"


@node
class Requires(Node):
    """`requires { field.read; field.write; }`; an item without one has none of these nodes."""

    permissions: tuple[Name, ...]


@node
class Port(Documented):
    kind: PortKind
    name: Name
    type: TypeExpr


@node
class Param(Documented):
    """`param name: T = default in low..high;`; the range is closed."""

    name: Name
    type: TypeExpr
    default: Expr | None
    low: Expr | None
    high: Expr | None


@node
class Body(Node):
    """A kernel's body; `head` spans the words before its opening brace."""

    block: Block
    head: Span = field(compare=False)


@node
class MapBody(Body):
    """`compute { … }`."""


@node
class ReductionBody(Body):
    """`compute over x { … }`."""

    over: Name


@node
class ScanBody(Body):
    """`scan over x with y = init { … }`."""

    over: Name
    carry: Name
    init: Expr


@node
class ScatterBody(Body):
    """`scatter over x into t with op { … }`."""

    over: Name
    into: Name
    op: Name


@node
class PrefixBody(Body):
    """`prefix over x with op { … }`."""

    over: Name
    op: Name


@node
class GroupBody(Body):
    """`group N { … }`."""

    size: Expr


@node
class Merge(Node):
    """`merge(a, b) { … }`."""

    left: Name
    right: Name
    block: Block
    head: Span = field(compare=False)


@node
class ExampleEntry(Node):
    """`port = value;`, `expect output = value;` or `param name = value;`.

    `escaped` marks an entry written with the word `param` before it, which no option name catches.
    """

    name: Name
    value: Expr
    expected: bool
    escaped: bool = False


@node
class Example(Documented):
    name: Name
    entries: tuple[ExampleEntry, ...]
    errors: tuple[ErrorMember, ...] = ()


KernelMember: TypeAlias = (
    "Requires | Port | Param | Const | Struct | Enumeration | Function | Body | Merge | Example | ErrorMember"
)


@node
class Kernel(Documented):
    """`kernel stats.luma@1 { … }`; `name.text` holds the dotted name with its version."""

    name: Name
    members: tuple[KernelMember, ...]


# ---------------------------------------------------------------- scenes


@node
class Reference(Node):
    """`node.port`, or the name of a scene input."""

    node: Name
    port: Name | None


@node
class Binding(Node):
    """`port <- source;`."""

    port: Name
    source: Reference


@node
class Feedback(Node):
    """`port <~ source from init;`."""

    port: Name
    source: Reference
    init: Reference


@node
class Carry(Node):
    """`carry port <- output;`."""

    port: Name
    output: Name


@node
class Like(Node):
    """`like node.port`, only as the value of `domain`."""

    source: Reference


@node
class Setting(Node):
    """`name = value;`: an option or a param; `escaped` marks one written `param name = value;`."""

    name: Name
    value: Expr | Like
    escaped: bool = False


NodeSetting: TypeAlias = "Binding | Feedback | Carry | Setting | ErrorMember"


@node
class SceneNode(Documented):
    """`node name: kernel@1 { … }`."""

    name: Name
    kernel: Name
    settings: tuple[NodeSetting, ...]


@node
class SceneOutput(Documented):
    """`output name <- source;`."""

    name: Name
    source: Reference


SceneEntry: TypeAlias = "Port | Param | SceneNode | SceneOutput | Example | ErrorMember"


@node
class Scene(Documented):
    name: Name
    entries: tuple[SceneEntry, ...]


@node
class BrokenItem(Node):
    """An item that could not be read; what it declares is known by `keyword` and `name` where those were seen.

    Where only the header of a function was wrong, `body` is its block, and `names` may be its parameters.
    """

    keyword: str | None
    name: Name | None
    names: tuple[Name, ...] = ()
    body: Block | None = None


Item: TypeAlias = "Use | Const | Struct | Enumeration | Function | Kernel | Scene | BrokenItem"
