"""From textX's objects to the syntax tree: types, expressions, patterns, statements.

textX's objects are untyped (`Any`); their classes and attributes are those of `kernel.tx`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from enum import Enum
from typing import Any, TypeVar

from kcheck.grammar import syntax
from kcheck.grammar.literals import number, pattern_number, string
from kcheck.grammar.loops import jump
from kcheck.grammar.nodes import Value, node
from kcheck.grammar.precedence import fold
from kcheck.grammar.problems import SYNTAX, Problem, UnreadableError
from kcheck.grammar.recovery import Damage
from kcheck.grammar.spans import Span

Made = TypeVar("Made", bound=syntax.Node)


class Place(Enum):
    """Where an expression stands; some forms are refused in some places."""

    CODE = "code"
    SETTING = "a node's setting"
    EXAMPLE = "an example"


class Faults:
    """What could not be read: where something was blanked out or stands for what is missing, and, as building finds
    more that is wrong, the problems."""

    def __init__(
        self, damages: Sequence[Damage] = (), holes: Collection[int] = (), problems: Sequence[Problem] = ()
    ) -> None:
        self.damages = list(damages)
        self.holes = holes
        self.problems = list(problems)

    def take(self, node: Any) -> list[Damage]:
        """The damages inside of a list's object, for the first that asks: the innermost."""
        start, end = node._tx_position, node._tx_position_end
        taken = [it for it in self.damages if not it.heads and start < it.span.start and it.span.end <= end]
        self.damages = [it for it in self.damages if it not in taken]
        return taken

    def header(self, node: Any) -> Damage | None:
        """The header of an object, if it could not be read."""
        return next((it for it in self.damages if it.heads and it.span.start == node._tx_position), None)


@node(kw_only=False)
class Context(Value):
    """What building needs beside the object: the item's text, its doc comments, its faults, the kind of place."""

    text: str
    docs: dict[int, str]
    faults: Faults
    place: Place = Place.CODE

    def parts(
        self, node: Any, parts: list[Any], build: Callable[[Context, Any], Made]
    ) -> tuple[list[Made], list[syntax.ErrorMember]]:
        """The parts of the list of a `node`, and error nodes for those that could not be read."""
        made: list[Made] = []
        errors: list[syntax.ErrorMember] = []
        for part in parts:
            try:
                made.append(build(self, part))
            except UnreadableError as stop:
                self.faults.problems.append(stop.problem)
                errors.append(error_member(Damage(span_of(part))))
        if self.faults.damages:
            errors += map(error_member, self.faults.take(node))
        return made, errors


def error_member(damage: Damage) -> syntax.ErrorMember:
    return syntax.ErrorMember(span=damage.span, keyword=damage.keyword, names=damage.names)


def headless(cx: Context, node: Any, header: Damage) -> syntax.ErrorMember:
    """A member or arm of which only the block could be read."""
    body = block(cx, node.block)
    return syntax.ErrorMember(span=span_of(node), keyword=header.keyword, names=header.names, body=body)


def span_of(node: Any) -> Span:
    return Span(node._tx_position, node._tx_position_end)


def name(node: Any) -> syntax.Name:
    return syntax.Name(Span(node._tx_position, node._tx_position_end), node.text)


def dotted(node: Any) -> syntax.Name:
    """The name of a `Path`."""
    return syntax.Name(span=span_of(node), text=".".join(part.text for part in node.parts))


def _optional_name(node: Any) -> syntax.Name | None:
    return name(node) if node is not None else None


# ---------------------------------------------------------------- types


def type_expr(cx: Context, node: Any) -> syntax.TypeExpr:
    if type(node).__name__ == "ArrayType":
        element = type_expr(cx, node.element)
        return syntax.ArrayType(span=span_of(node), element=element, length=expr(cx, node.length))
    named = name(node.name)
    if not node.args:
        return syntax.NamedType(named.span, named)
    # A list: a generator would recurse through C, whose stack ends where Python only raises RecursionError.
    args = tuple([type_expr(cx, arg) for arg in node.args])
    return syntax.NamedType(span_of(node), named, args=args)


def optional_type(cx: Context, node: Any) -> syntax.TypeExpr | None:
    return type_expr(cx, node) if node is not None else None


# ---------------------------------------------------------------- expressions


def expr(cx: Context, node: Any) -> syntax.Expr:
    """An `Expr` or `HeadExpr`."""
    try:
        if not node.operators:
            return _unary(cx, node.operands[0])
        operands = [_unary(cx, operand) for operand in node.operands]
        return fold(cx.text, operands, [(operator.text, operator._tx_position) for operator in node.operators])
    except UnreadableError as stop:
        cx.faults.problems.append(stop.problem)
        return syntax.ErrorExpr(span=span_of(node))


def optional_expr(cx: Context, node: Any) -> syntax.Expr | None:
    return expr(cx, node) if node is not None else None


def scan_init(cx: Context, node: Any) -> syntax.Expr:
    if node.head is not None:
        return expr(cx, node.head)
    try:
        return _suffixed(cx, _variable(cx, node.value), node.suffixes)
    except UnreadableError as stop:
        cx.faults.problems.append(stop.problem)
        return syntax.ErrorExpr(span=span_of(node))


def _unary(cx: Context, node: Any) -> syntax.Expr:
    operand = node.operand
    result = _PRIMARIES[type(operand).__name__](cx, operand)
    if node.suffixes:
        result = _suffixed(cx, result, node.suffixes)
    for prefix in reversed(node.prefixes):
        span = Span(prefix._tx_position, result.span.end)
        result = syntax.Unary(span=span, op=prefix.text, operand=result)
    return result


def _suffixed(cx: Context, operand: syntax.Expr, suffixes: list[Any]) -> syntax.Expr:
    for suffix in suffixes:
        operand = _SUFFIXES[type(suffix).__name__](cx, operand, suffix)
    return operand


def _call(cx: Context, callee: syntax.Expr, node: Any) -> syntax.Expr:
    span = Span(callee.span.start, node._tx_position_end)
    keywords = [arg for arg in node.args if type(arg).__name__ == "KeywordArgument"]
    if not keywords:
        return syntax.Call(span, callee, tuple([expr(cx, arg) for arg in node.args]))
    positional = [arg for arg in node.args if type(arg).__name__ != "KeywordArgument"]
    if cx.place is not Place.EXAMPLE:
        raise _refused(keywords[0].name, "a named argument", "give the arguments in their order")
    for late in positional:
        if late._tx_position > keywords[0]._tx_position:
            problem = "an argument without a name cannot follow a named one"
            raise UnreadableError(Problem(SYNTAX, problem, span_of(late)))
    return syntax.Call(
        span,
        callee,
        tuple([expr(cx, arg) for arg in positional]),
        keywords=tuple(
            syntax.KeywordArgument(span=span_of(arg), name=name(arg.name), value=expr(cx, arg.value))
            for arg in keywords
        ),
    )


def _index(cx: Context, operand: syntax.Expr, node: Any) -> syntax.Expr:
    return syntax.Index(Span(operand.span.start, node._tx_position_end), operand, expr(cx, node.index))


def _member(cx: Context, operand: syntax.Expr, node: Any) -> syntax.Expr:
    return syntax.Member(Span(operand.span.start, node._tx_position_end), operand, name(node.name))


_SUFFIXES: dict[str, Callable[[Context, syntax.Expr, Any], syntax.Expr]] = {
    "Call": _call,
    "Index": _index,
    "Member": _member,
}


def _number(cx: Context, node: Any) -> syntax.Expr:
    return number(node.text, span_of(node))


def _boolean(cx: Context, node: Any) -> syntax.Expr:
    if node._tx_position in cx.faults.holes:
        return syntax.ErrorExpr(span=span_of(node))
    return syntax.BoolLiteral(span=span_of(node), value=node.text == "true")


def _string(cx: Context, node: Any) -> syntax.Expr:
    if cx.place is not Place.EXAMPLE:
        raise _refused(node, "a string", "kernels know numbers, vectors and structs only")
    return syntax.StringLiteral(span=span_of(node), value=string(node.text, span_of(node)))


def _variable(cx: Context, node: Any) -> syntax.Expr:
    if node.body is None:
        return _name_ref(node)
    last = node.variant or node.name
    return syntax.StructValue(
        span=span_of(node),
        enum=name(node.name) if node.variant else None,
        name=name(last),
        fields=_field_values(cx, node.body.fields),
    )


def _head_variable(cx: Context, node: Any) -> syntax.Expr:
    return _name_ref(node)


def _name_ref(node: Any) -> syntax.NameRef:
    named = name(node.name)
    return syntax.NameRef(named.span, named)


def _parens(cx: Context, node: Any) -> syntax.Expr:
    """A tuple, or the one expression inside, whose span then holds the parentheses."""
    if len(node.elements) == 1 and not node.comma:
        return replace(expr(cx, node.elements[0]), span=span_of(node))
    if cx.place is Place.CODE:
        raise _refused(node, "a tuple", "write `vec2(a, b)` for a vector, `[a, b]` for an array")
    return syntax.Tuple(span=span_of(node), elements=_exprs(cx, node.elements))


def _array(cx: Context, node: Any) -> syntax.Expr:
    if node.length is None:
        return syntax.ArrayLiteral(span=span_of(node), elements=_exprs(cx, node.elements))
    value = expr(cx, node.elements[0])
    return syntax.ArrayRepeat(span=span_of(node), value=value, length=expr(cx, node.length))


def _exprs(cx: Context, nodes: list[Any]) -> tuple[syntax.Expr, ...]:
    return tuple([expr(cx, node) for node in nodes])


def _field_values(cx: Context, nodes: list[Any]) -> tuple[syntax.FieldValue, ...]:
    return tuple([syntax.FieldValue(span_of(node), name(node.name), expr(cx, node.value)) for node in nodes])


def _if(cx: Context, node: Any) -> syntax.Expr:
    end = node._tx_position_end
    otherwise = block(cx, node.otherwise) if node.otherwise is not None else None
    for branch in reversed(node.branches):
        otherwise = _only(_one_if(cx, branch, Span(branch.start._tx_position, end), otherwise))
    return _one_if(cx, node, span_of(node), otherwise)


def _one_if(cx: Context, node: Any, span: Span, otherwise: syntax.Block | None) -> syntax.If:
    return syntax.If(
        span=span,
        condition=expr(cx, node.condition),
        then=block(cx, node.then),
        otherwise=otherwise,
    )


def _only(value: syntax.Expr) -> syntax.Block:
    """A block of no braces that is just `value`."""
    statement = syntax.ExprStatement(span=value.span, value=value, semicolon=False)
    return syntax.Block(span=value.span, statements=(statement,))


def _match(cx: Context, node: Any) -> syntax.Expr:
    subject = expr(cx, node.subject)
    headed = [arm for arm in node.arms if cx.faults.header(arm) is None]
    arms, errors = cx.parts(node, headed, _arm)
    errors += (headless(cx, arm, header) for arm in node.arms if (header := cx.faults.header(arm)) is not None)
    return syntax.Match(span=span_of(node), subject=subject, arms=tuple(arms), errors=tuple(errors))


def _arm(cx: Context, node: Any) -> syntax.Arm:
    patterns = tuple(_pattern(cx, pattern) for pattern in node.patterns)
    body = block(cx, node.block) if node.block is not None else _only(expr(cx, node.value))
    return syntax.Arm(span=patterns[0].span.to(body.span), patterns=patterns, body=body)


def _block_or_record(cx: Context, node: Any) -> syntax.Expr:
    return _record(cx, node) if node.fields else block(cx, node)


def _record(cx: Context, node: Any) -> syntax.Record:
    return syntax.Record(span=span_of(node), fields=_field_values(cx, node.fields))


_PRIMARIES: dict[str, Callable[[Context, Any], syntax.Expr]] = {
    "Variable": _variable,
    "HeadVariable": _head_variable,
    "Number": _number,
    "Boolean": _boolean,
    "String": _string,
    "Parens": _parens,
    "Array": _array,
    "If": _if,
    "Match": _match,
    "Block": _block_or_record,
}


def _refused(node: Any, what: str, advice: str) -> UnreadableError:
    message = f"{what} can stand only in an example"
    if what == "a tuple":
        message += " or a node's `domain`"
    return UnreadableError(Problem(SYNTAX, message, span_of(node), "not here", (advice,)))


# ---------------------------------------------------------------- patterns


def _pattern(cx: Context, node: Any) -> syntax.Pattern:
    return _PATTERNS[type(node).__name__](cx, node)


def _wildcard(cx: Context, node: Any) -> syntax.Pattern:
    return syntax.WildcardPattern(span=span_of(node))


def _number_pattern(cx: Context, node: Any) -> syntax.Pattern:
    low = pattern_number(node.low.text, span_of(node.low))
    if node.high is None:
        return low
    high = pattern_number(node.high.text, span_of(node.high))
    return syntax.RangePattern(span=span_of(node), low=low, high=high, closed=node.range == "..=")


def _boolean_pattern(cx: Context, node: Any) -> syntax.Pattern:
    return syntax.LiteralPattern(span=span_of(node), value=node.text == "true")


def _variant_pattern(cx: Context, node: Any) -> syntax.Pattern:
    fields = None
    if node.body is not None:
        fields = tuple(_field_pattern(field) for field in node.body.fields)
    return syntax.VariantPattern(
        span=span_of(node),
        enum=name(node.name) if node.variant is not None else None,
        name=name(node.variant or node.name),
        fields=fields,
    )


def _field_pattern(node: Any) -> syntax.FieldPattern:
    field = name(node.name)
    binding = _optional_name(node.binding) or field
    return syntax.FieldPattern(span=span_of(node), name=field, binding=binding)


_PATTERNS: dict[str, Callable[[Context, Any], syntax.Pattern]] = {
    "Wildcard": _wildcard,
    "NumberPattern": _number_pattern,
    "BooleanPattern": _boolean_pattern,
    "VariantPattern": _variant_pattern,
}


# ---------------------------------------------------------------- statements


def block(cx: Context, node: Any) -> syntax.Block:
    """A `Block`; one that is a record becomes a block that yields it."""
    if node.fields:
        return _only(_record(cx, node))
    statements, errors = cx.parts(node, node.statements, _statement)
    unread: list[syntax.Statement] = [syntax.ErrorStatement(span=it.span, names=it.names) for it in errors]
    return syntax.Block(span=span_of(node), statements=in_order(statements, unread))


def _start(node: syntax.Node) -> int:
    return node.span.start


def in_order(parts: Sequence[Made], errors: Sequence[Made]) -> tuple[Made, ...]:
    """The parts of a list that holds its error nodes."""
    return tuple(sorted([*parts, *errors], key=_start)) if errors else tuple(parts)


def _statement(cx: Context, node: Any) -> syntax.Statement:
    return _STATEMENTS[type(node).__name__](cx, node)


def _let(cx: Context, node: Any) -> syntax.Statement:
    return syntax.Let(
        span=span_of(node),
        mutable=node.keyword == "var",
        name=name(node.name),
        type=optional_type(cx, node.type),
        value=expr(cx, node.value),
    )


def _for(cx: Context, node: Any) -> syntax.Statement:
    return syntax.For(
        span=span_of(node),
        name=name(node.name),
        low=expr(cx, node.low),
        high=expr(cx, node.high),
        closed=node.range == "..=",
        until=optional_expr(cx, node.until),
        body=block(cx, node.body),
    )


def _loop(cx: Context, node: Any) -> syntax.Statement:
    return syntax.Loop(
        span=span_of(node),
        count=expr(cx, node.count),
        until=optional_expr(cx, node.until),
        body=block(cx, node.body),
    )


def _return(cx: Context, node: Any) -> syntax.Statement:
    return syntax.Return(span=span_of(node), value=optional_expr(cx, node.value))


def _brace_statement(cx: Context, node: Any) -> syntax.Statement:
    value = _PRIMARIES[type(node.value).__name__](cx, node.value)
    return syntax.ExprStatement(span=span_of(node), value=value, semicolon=node.end)


def _value_statement(cx: Context, node: Any) -> syntax.Statement:
    target = expr(cx, node.target)
    if not node.op:
        if node.end:
            _refuse_jump(cx, target)
        return syntax.ExprStatement(span=span_of(node), value=target, semicolon=bool(node.end))
    op = node.op.removesuffix("=") or None
    return syntax.Assign(span=span_of(node), target=target, op=op, value=expr(cx, node.value))


def _refuse_jump(cx: Context, value: syntax.Expr) -> None:
    """`break` and `continue` are names like others, but as statements they are another language's."""
    if isinstance(value, syntax.NameRef) and value.name.text in ("break", "continue"):
        raise UnreadableError(jump(cx.text, value.name.text, value.span))


_STATEMENTS: dict[str, Callable[[Context, Any], syntax.Statement]] = {
    "Let": _let,
    "For": _for,
    "Loop": _loop,
    "Return": _return,
    "BraceStatement": _brace_statement,
    "ValueStatement": _value_statement,
}
