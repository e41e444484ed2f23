"""The layouts of types, expressions, patterns and statements."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypeGuard

from kcheck.grammar import syntax
from kcheck.grammar.formatter.brackets import ARGUMENTS, ARRAY, BRACKETED, FIELDS, TABLE, braces, listed, ungrouped
from kcheck.grammar.formatter.cursor import Cursor
from kcheck.grammar.formatter.document import (
    BROKEN,
    LINE_OR_NOTHING,
    NOTHING,
    SPACE_OR_LINE,
    Document,
    Group,
    IfBroken,
    Indent,
    joined,
    together,
)
from kcheck.grammar.precedence import LEVEL

# ---------------------------------------------------------------- types


def type_expr(cursor: Cursor, node: syntax.TypeExpr) -> Document:
    if isinstance(node, syntax.ArrayType):
        opener, element = cursor.take("["), type_expr(cursor, node.element)
        return (opener, element, cursor.take(";"), " ", expr(cursor, node.length), cursor.take("]"))
    name = cursor.words(node.name.text)
    return (name, _type_arguments(cursor, node.args)) if node.args else name


def _type_arguments(cursor: Cursor, nodes: tuple[syntax.TypeExpr, ...]) -> Document:
    opener = cursor.take("<")
    args = [(type_expr(cursor, node), cursor.separator(",", NOTHING)) for node in nodes]
    return (opener, joined(", ", args), cursor.take(">"))


def typed(cursor: Cursor, name: syntax.Name, type_: syntax.TypeExpr | None) -> Document:
    """`name: T`."""
    words = cursor.words(name.text)
    return (words, cursor.take(":"), " ", type_expr(cursor, type_)) if type_ else words


# ---------------------------------------------------------------- expressions


def expr(cursor: Cursor, node: syntax.Expr) -> Document:
    """An expression with the parentheses that the author wrote around it."""
    count = cursor.parentheses(node.span)
    if isinstance(node, syntax.Tuple):
        count -= 1  # its own
    before = cursor.leading()
    bare = _EXPRESSIONS[type(node)]
    if not count:
        return together(before, bare(cursor, node))
    openers = tuple(cursor.take("(") for _ in range(count))
    alone = isinstance(node, BRACKETED) and cursor.adjoins()
    inside = (_chain(cursor, node) if isinstance(node, syntax.Binary) else bare(cursor, node), cursor.comments())
    closers = tuple(cursor.take(")") for _ in range(count))
    if alone:
        return (before, openers, inside, closers)
    return (before, Group((openers, Indent((LINE_OR_NOTHING, inside)), LINE_OR_NOTHING, closers)))


def assigned(cursor: Cursor, sign: str, value: syntax.Expr) -> Document:
    """` = value`."""
    return _behind(cursor, (" ", cursor.take(sign)), value)


def _behind(cursor: Cursor, taken: Document, value: syntax.Expr) -> Document:
    """A value behind a sign; a chain of operators that does not fit there goes to a line of its own."""
    if _is_chain(value, cursor):
        return Group((taken, Indent((SPACE_OR_LINE, _chain(cursor, value)))))
    return (taken, " ", expr(cursor, value))


def headed(cursor: Cursor, word: str, value: syntax.Expr) -> Document:
    """`word value ` before a brace, which goes to the next line where a chain of operators breaks."""
    taken = (cursor.take(word), " ")
    if _is_chain(value, cursor):
        return Group((taken, Indent(_chain(cursor, value)), SPACE_OR_LINE))
    return (taken, expr(cursor, value), " ")


def _is_chain(node: syntax.Expr, cursor: Cursor) -> TypeGuard[syntax.Binary]:
    return isinstance(node, syntax.Binary) and not cursor.is_parenthesised(node.span)


def _chain(cursor: Cursor, node: syntax.Binary) -> Document:
    """Operands of one precedence; if they break, then before operators: where the author did, else before all."""
    first, links = _links(cursor, node)
    rows = [[expr(cursor, first)]]
    for link in links:
        breaks = cursor.breaks()
        operator = cursor.take(link.op)
        if breaks or cursor.breaks():
            rows.append([])
        rows[-1].append((operator, " ", expr(cursor, link.right)))
    laid = [joined(SPACE_OR_LINE, row) for row in rows]
    return laid[0] if len(laid) == 1 else joined(SPACE_OR_LINE, map(Group, laid))


def _links(cursor: Cursor, node: syntax.Binary) -> tuple[syntax.Expr, list[syntax.Binary]]:
    """The first operand of a chain, and each operator with the operand behind it."""
    links = [node]
    left: syntax.Expr = node.left
    while _is_chain(left, cursor) and LEVEL[left.op] == LEVEL[node.op]:
        links.append(left)
        left = left.left
    return left, links[::-1]


def _binary(cursor: Cursor, node: syntax.Binary) -> Document:
    return Group(Indent(_chain(cursor, node)))


def _unary(cursor: Cursor, node: syntax.Unary) -> Document:
    operator = cursor.take(node.op)
    apart = " " if node.op == cursor.peek() == "-" else NOTHING
    return (operator, apart, expr(cursor, node.operand))


def _literal(cursor: Cursor, _: syntax.Expr) -> Document:
    return cursor.take()


def _name(cursor: Cursor, node: syntax.NameRef) -> Document:
    return cursor.words(node.name.text)


def _call(cursor: Cursor, node: syntax.Call) -> Document:
    return (expr(cursor, node.callee), listed(cursor, (*node.args, *node.keywords), _argument, ARGUMENTS))


def _argument(cursor: Cursor, node: syntax.Expr | syntax.KeywordArgument) -> Document:
    if isinstance(node, syntax.KeywordArgument):
        return (cursor.words(node.name.text), cursor.take("="), expr(cursor, node.value))
    return expr(cursor, node)


def _index(cursor: Cursor, node: syntax.Index) -> Document:
    operand, opener = expr(cursor, node.operand), cursor.take("[")
    inside = (expr(cursor, node.index), cursor.comments())
    return (operand, Group((opener, Indent((LINE_OR_NOTHING, inside)), LINE_OR_NOTHING, cursor.take("]"))))


def _member(cursor: Cursor, node: syntax.Member) -> Document:
    return (expr(cursor, node.operand), cursor.take("."), cursor.words(node.name.text))


def _tuple(cursor: Cursor, node: syntax.Tuple) -> Document:
    if len(node.elements) > 1:
        return listed(cursor, node.elements, expr, ARGUMENTS)
    opener, [only] = cursor.take("("), node.elements
    return (opener, expr(cursor, only), cursor.take(","), cursor.take(")"))


def _array(cursor: Cursor, node: syntax.ArrayLiteral) -> Document:
    return listed(cursor, node.elements, expr, TABLE if all(map(_is_atom, node.elements)) else ARRAY)


def _is_atom(node: syntax.Expr) -> bool:
    """Whether this is a literal or a name, with at most a sign."""
    return isinstance(node.operand if isinstance(node, syntax.Unary) else node, _ATOMS)


def _repeat(cursor: Cursor, node: syntax.ArrayRepeat) -> Document:
    opener, value, sign = cursor.take("["), expr(cursor, node.value), cursor.take(";")
    inside = (value, sign, SPACE_OR_LINE, expr(cursor, node.length), cursor.comments())
    return Group((opener, Indent((LINE_OR_NOTHING, inside)), LINE_OR_NOTHING, cursor.take("]")))


def _struct(cursor: Cursor, node: syntax.StructValue) -> Document:
    return (_variant_name(cursor, node), " ", listed(cursor, node.fields, _field_value, FIELDS))


def _variant_name(cursor: Cursor, node: syntax.StructValue | syntax.VariantPattern) -> Document:
    if node.enum is None:
        return cursor.words(node.name.text)
    return (cursor.words(node.enum.text), cursor.take("."), cursor.words(node.name.text))


def _record(cursor: Cursor, node: syntax.Record) -> Document:
    return listed(cursor, node.fields, _field_value, FIELDS)


def _field_value(cursor: Cursor, node: syntax.FieldValue) -> Document:
    return (cursor.words(node.name.text), cursor.take(":"), " ", expr(cursor, node.value))


# ---------------------------------------------------------------- blocks and branches


def block(cursor: Cursor, node: syntax.Block) -> Document:
    """A block in braces, which breaks with the group around it."""
    match node.statements:
        case (syntax.ExprStatement(value=syntax.Record() as record),) if record.span == node.span:
            return ungrouped(cursor, record.fields, _field_value, FIELDS)
    return braces(cursor, node.statements, statement)


def _block(cursor: Cursor, node: syntax.Block) -> Document:
    return Group(block(cursor, node))


def _if(cursor: Cursor, node: syntax.If) -> Document:
    """All branches break together."""
    parts: list[Document] = []
    branch: syntax.If | None = node
    while branch is not None:
        parts += (headed(cursor, "if", branch.condition), block(cursor, branch.then))
        otherwise, branch = branch.otherwise, None
        if otherwise is not None:
            parts += (BROKEN if cursor.breaks() else NOTHING, " ", cursor.take("else"), " ")
            branch = _else_if(cursor, otherwise)
            parts.append(block(cursor, otherwise) if branch is None else NOTHING)
    return Group(tuple(parts))


def _else_if(cursor: Cursor, otherwise: syntax.Block) -> syntax.If | None:
    """The `if` behind an `else`, which the tree has in a block without braces."""
    if cursor.peek() != "if":
        return None
    [only] = otherwise.statements
    assert isinstance(only, syntax.ExprStatement)
    assert isinstance(only.value, syntax.If)
    return only.value


def _match(cursor: Cursor, node: syntax.Match) -> Document:
    arm = partial(_arm, last=node.arms[-1] if node.arms else None)
    return Group((headed(cursor, "match", node.subject), braces(cursor, node.arms, arm)))


def _arm(cursor: Cursor, node: syntax.Arm, last: syntax.Arm | None) -> Document:
    patterns = []
    for index, pattern in enumerate(node.patterns):
        bar = (cursor.take("|"), " ") if index else NOTHING
        patterns.append((bar, _PATTERNS[type(pattern)](cursor, pattern)))
    head = Group(Indent(joined(SPACE_OR_LINE, patterns)))
    sign = (" ", cursor.take("=>"))
    if cursor.peek() == "{":
        return (head, sign, " ", _block(cursor, node.body), cursor.separator(",", NOTHING))
    [body] = node.body.statements
    assert isinstance(body, syntax.ExprStatement)
    comma = "," if node is not last else IfBroken(",")
    return (head, _behind(cursor, sign, body.value), cursor.separator(",", comma))


# ---------------------------------------------------------------- patterns


def _wildcard(cursor: Cursor, _: syntax.WildcardPattern) -> Document:
    return cursor.take("_")


def _literal_pattern(cursor: Cursor, _: syntax.LiteralPattern) -> Document:
    sign = cursor.take("-") if cursor.peek() == "-" else NOTHING
    return (sign, cursor.take())


def _range(cursor: Cursor, node: syntax.RangePattern) -> Document:
    low = _literal_pattern(cursor, node.low)
    return (low, cursor.take("..=" if node.closed else ".."), _literal_pattern(cursor, node.high))


def _variant(cursor: Cursor, node: syntax.VariantPattern) -> Document:
    name = _variant_name(cursor, node)
    return name if node.fields is None else (name, " ", listed(cursor, node.fields, _field_pattern, FIELDS))


def _field_pattern(cursor: Cursor, node: syntax.FieldPattern) -> Document:
    name = cursor.words(node.name.text)
    return (name, cursor.take(":"), " ", cursor.words(node.binding.text)) if cursor.peek() == ":" else name


# ---------------------------------------------------------------- statements


def statement(cursor: Cursor, node: syntax.Statement) -> Document:
    return _STATEMENTS[type(node)](cursor, node)


def end(cursor: Cursor) -> Document:
    """The `;` that ends a statement or member."""
    return cursor.separator(";", ";")


def _let(cursor: Cursor, node: syntax.Let) -> Document:
    head = (cursor.take("var" if node.mutable else "let"), " ", typed(cursor, node.name, node.type))
    return (head, assigned(cursor, "=", node.value), end(cursor))


def _assign(cursor: Cursor, node: syntax.Assign) -> Document:
    return (expr(cursor, node.target), assigned(cursor, f"{node.op or ''}=", node.value), end(cursor))


def _for(cursor: Cursor, node: syntax.For) -> Document:
    head = (cursor.take("for"), " ", cursor.words(node.name.text), " ", cursor.take("in"), " ")
    bounds = (expr(cursor, node.low), cursor.take("..=" if node.closed else ".."), expr(cursor, node.high), " ")
    return Group((head, bounds, _until(cursor, node.until), block(cursor, node.body)))


def _loop(cursor: Cursor, node: syntax.Loop) -> Document:
    count = headed(cursor, "loop", node.count)
    return Group((count, _until(cursor, node.until), block(cursor, node.body)))


def _until(cursor: Cursor, condition: syntax.Expr | None) -> Document:
    return headed(cursor, "until", condition) if condition else NOTHING


def _return(cursor: Cursor, node: syntax.Return) -> Document:
    word = cursor.take("return")
    return (word, " ", expr(cursor, node.value), end(cursor)) if node.value else (word, end(cursor))


def _expr_statement(cursor: Cursor, node: syntax.ExprStatement) -> Document:
    value = expr(cursor, node.value)
    return (value, end(cursor)) if node.semicolon else value


_ATOMS = (syntax.IntLiteral, syntax.FloatLiteral, syntax.BoolLiteral, syntax.StringLiteral, syntax.NameRef)

_EXPRESSIONS: dict[type, Callable[[Cursor, Any], Document]] = {
    syntax.IntLiteral: _literal,
    syntax.FloatLiteral: _literal,
    syntax.BoolLiteral: _literal,
    syntax.StringLiteral: _literal,
    syntax.NameRef: _name,
    syntax.Unary: _unary,
    syntax.Binary: _binary,
    syntax.Call: _call,
    syntax.Member: _member,
    syntax.Index: _index,
    syntax.If: _if,
    syntax.Match: _match,
    syntax.Record: _record,
    syntax.StructValue: _struct,
    syntax.ArrayLiteral: _array,
    syntax.ArrayRepeat: _repeat,
    syntax.Tuple: _tuple,
    syntax.Block: _block,
}

_PATTERNS: dict[type, Callable[[Cursor, Any], Document]] = {
    syntax.WildcardPattern: _wildcard,
    syntax.LiteralPattern: _literal_pattern,
    syntax.RangePattern: _range,
    syntax.VariantPattern: _variant,
}

_STATEMENTS: dict[type, Callable[[Cursor, Any], Document]] = {
    syntax.Let: _let,
    syntax.Assign: _assign,
    syntax.For: _for,
    syntax.Loop: _loop,
    syntax.Return: _return,
    syntax.ExprStatement: _expr_statement,
}
