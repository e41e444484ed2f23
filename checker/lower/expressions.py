"""Lowering of expressions: names, operators, members, and the making of values.

`lower` gives a typed IR expression, or None after an error that is already reported (or where control cannot
come: every branch returned).  Whatever acts inside an expression has become statements of the context by then.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from kcheck.checker import floats, ir, rules, types
from kcheck.checker.lower import calls, control, edits, fixes
from kcheck.checker.lower.context import FunctionContext
from kcheck.checker.lower.scopes import ConstEntity, ParamEntity, PortEntity, TypeEntity
from kcheck.checker.near import did_you_mean
from kcheck.checker.rules.rule import Rule
from kcheck.grammar import syntax
from kcheck.grammar.diagnostics import Fix, Note
from kcheck.grammar.spans import Span

MIN_INT, MAX_INT = -(2**31), 2**31 - 1


def lower(context: FunctionContext, node: syntax.Expr, expected: types.Type | None = None) -> ir.Expression | None:
    """`expected` helps to choose among variants of one name; the caller checks the type that comes back."""
    value = _lowerings()[type(node)](context, node, expected)
    if value is None:
        context.program.poisoned = True
    else:
        context.record.types.append((node.span, value.type))
    return value


def lower_as(
    context: FunctionContext,
    node: syntax.Expr,
    type_: types.Type | None,
    *,
    rule: Rule = rules.TYPE_MISMATCH,
    reason: str = "",
) -> ir.Expression | None:
    """Lower and hold the value to `type_` (to any type where that is None)."""
    value = lower(context, node, type_)
    if value is None or type_ is None:
        return value
    return value if matches(context, value, type_, node, rule=rule, reason=reason) else None


def matches(
    context: FunctionContext,
    value: ir.Expression,
    type_: types.Type,
    node: syntax.Expr,
    *,
    rule: Rule = rules.TYPE_MISMATCH,
    reason: str = "",
) -> bool:
    """Whether `value` has type `type_`; reports it where not."""
    if value.type == type_:
        return True
    node = last_value(node)
    notes: tuple[Note, ...] = (context.note(reason),) if reason else ()
    made = fixes.convert(context.home, node, value.type, type_)
    if str(value.type) == str(type_):
        notes += (context.note("these are two types of one name, declared in different places"),)
    context.report(
        rule,
        node.span,
        f"expected {describe(type_)}, found {describe(value.type)}",
        label=f"this is {describe(value.type)}",
        notes=notes,
        fixes=made,
    )
    return False


def describe(type_: types.Type) -> str:
    """A type with its article, for messages."""
    if isinstance(type_, types.Unit):
        return "no value"
    name = str(type_)
    return f"an {name}" if name[0] in "AEIO" else f"a {name}"


def last_value(node: syntax.Expr) -> syntax.Expr:
    """What gives the value of `node`: the last expression of a block."""
    while isinstance(node, syntax.Block) and node.statements:
        last = node.statements[-1]
        if not isinstance(last, syntax.ExprStatement):
            break
        node = last.value
    return node


def value_span(node: syntax.Expr) -> Span:
    """Where to point for the value of `node`."""
    return last_value(node).span


def lower_all(
    context: FunctionContext,
    nodes: Sequence[syntax.Expr],
    expected: Sequence[types.Type | None] | None = None,
) -> list[ir.Expression | None]:
    """Lower operands left to right; a later one that acts cannot change what an earlier one gave."""
    results: list[ir.Expression | None] = []
    settled = 0
    for i, node in enumerate(nodes):
        with context.collect() as statements:
            value = lower(context, node, expected[i] if expected else None)
        if statements:
            for j in range(settled, i):
                earlier = results[j]
                results[j] = None if earlier is None else kept(context, earlier, nodes[j].span)
            settled = i
            context.statements.extend(statements)
        results.append(value)
    return results


def kept(context: FunctionContext, value: ir.Expression, span: Span) -> ir.Expression:
    """An expression for the present value of `value`, whatever later statements do."""
    return value if context.is_stable(value) else context.read(context.spill(value, span), span)


# ---------------------------------------------------------------- literals and names


def _int_literal(
    context: FunctionContext, node: syntax.IntLiteral, expected: types.Type | None
) -> ir.Expression | None:
    value = int_value(node.value, node.pattern)
    if value is None:
        limit = "32 bits" if node.pattern else f"{MAX_INT}"
        pattern = f"0x{node.value:X}"
        is_pattern = not node.pattern and node.value <= 0xFFFFFFFF
        context.report(
            rules.LITERAL_OUT_OF_RANGE,
            node.span,
            f"this number does not fit an Int: the largest is {limit}",
            notes=(context.note("an Int has 32 bits, from -2147483648 to 2147483647"),),
            fixes=fixes.write(context.home, node.span, pattern) if is_pattern else (),
        )
        return None
    return context.int_const(value, node.span)


def int_value(value: int, pattern: bool) -> int | None:
    """What an Int literal means: a decimal number, or a pattern of up to 32 bits; None where it does not fit."""
    if pattern:
        if value > 0xFFFFFFFF:
            return None
        return value - 2**32 if value > MAX_INT else value
    return value if MIN_INT <= value <= MAX_INT else None


def _float_literal(
    context: FunctionContext, node: syntax.FloatLiteral, expected: types.Type | None
) -> ir.Expression | None:
    bits = floats.bits_of(node.text)
    if bits is None:
        context.report(
            rules.LITERAL_OUT_OF_RANGE,
            node.span,
            "this number is too large for a Float",
            notes=(context.note("a Float has 32 bits; the largest is about 3.4028235e38"),),
        )
        return None
    return ir.Const(id=context.node(node.span), type=types.FLOAT, leaves=(bits,))


def _bool_literal(context: FunctionContext, node: syntax.BoolLiteral, expected: types.Type | None) -> ir.Expression:
    return ir.Const(id=context.node(node.span), type=types.BOOL, leaves=(node.value,))


def _string(context: FunctionContext, node: syntax.StringLiteral, expected: types.Type | None) -> None:
    context.report(rules.NOT_A_VALUE, node.span, "text has no place here; it may only name a file in an `example`")


def _tuple(context: FunctionContext, node: syntax.Tuple, expected: types.Type | None) -> None:
    context.report(
        rules.NOT_A_VALUE,
        node.span,
        "a list in parentheses is only a size in examples and scenes",
        notes=(context.note("write `vec2(x, y)` for a vector, `[a, b]` for an array"),),
    )


def _name(context: FunctionContext, node: syntax.NameRef, expected: types.Type | None) -> ir.Expression | None:
    name = node.name.text
    symbol = context.find_local(name)
    if symbol is not None:
        symbol.used = True
        context.record.name(node.name, symbol)
        return None if symbol.type is None else context.read(symbol.local, node.span)
    found = context.scope.find_value(name)
    if found is not None:
        context.record.name(node.name, found)
    if isinstance(found, ConstEntity):
        context.program.declarations.check_clear("consts", node.name, context.scope, context.home)
        value = context.program.declarations.constant(found)
        return None if value is None else context.again(value, node.span)
    if isinstance(found, ParamEntity):
        return _param(context, found, node)
    if isinstance(found, PortEntity):
        _port_as_value(context, found, node)
        return None
    return _bare_variant(context, node, expected)


def _param(context: FunctionContext, found: ParamEntity, node: syntax.NameRef) -> ir.Expression | None:
    found.used = True
    if found.type is None:
        return None
    return ir.Param(id=context.node(node.span), type=found.type, name=node.name.text)


def _port_as_value(context: FunctionContext, port: PortEntity, node: syntax.NameRef) -> None:
    port.used = True
    name = node.name.text
    advice = {
        syntax.PortKind.INPUT: f"read an element of it: `sample({name})` or `at({name}, …)`",
        syntax.PortKind.MEMORY: f"read an element of it: `at({name}, …)`",
        syntax.PortKind.OUTPUT: "an output is what the body returns; it cannot be read",
    }[port.node.kind]
    context.report(
        rules.NOT_A_VALUE,
        node.span,
        f"`{name}` is an {port.node.kind.value}, not a value".replace("an memory", "a memory"),
        notes=(context.note(advice),),
        fixes=_sample_fix(context, port, node),
    )


def _sample_fix(context: FunctionContext, port: PortEntity, node: syntax.NameRef) -> tuple[Fix, ...]:
    """Read the port at this run's place, where it has one."""
    fits = port.type is not None and port.type.rank == context.program.rank
    if port.node.kind is not syntax.PortKind.INPUT or not fits or context.is_constant or context.stands_apart:
        return ()
    return (Fix("read this run's element", edits.wrap(context.home, node.span, "sample(", ")")),)


def _bare_variant(context: FunctionContext, node: syntax.NameRef, expected: types.Type | None) -> ir.Expression | None:
    enum = find_variant(context, node.name, expected)
    if enum is None:
        return None
    return make_variant(context, enum, node.name, (), node.span)


def find_variant(context: FunctionContext, name: syntax.Name, expected: types.Type | None) -> types.Enum | None:
    """The enum that a bare variant name belongs to; reports unknown and ambiguous names."""
    if isinstance(expected, types.Enum) and expected.index(name.text) is not None:
        return expected
    candidates = context.scope.find_variants(name.text)
    if len(candidates) == 1:
        found = context.program.declarations.type_of(candidates[0])
        assert found is None or isinstance(found, types.Enum)
        return found
    if candidates:
        choices = ", ".join(f"`{c.node.name.text}.{name.text}`" for c in candidates)
        qualified = [f"{c.node.name.text}.{name.text}" for c in candidates]
        context.report(
            rules.AMBIGUOUS_VARIANT,
            name.span,
            f"`{name.text}` is a variant of several enums: {choices}",
            fixes=tuple(fix for text in qualified for fix in fixes.write(context.home, name.span, text)),
        )
    else:
        _unknown_value(context, name)
    return None


def _unknown_value(context: FunctionContext, name: syntax.Name) -> None:
    scope, text = context.scope, name.text
    if scope.excuses(text):
        return
    if scope.find_function(text) is not None or text in calls.WORDS:
        call = f"{text}()"
        made = fixes.write(context.home, name.span, call) if text in _PLACES else ()
        message = f"`{text}` is a function, not a value; call it: `{text}(…)`"
        context.report(rules.NOT_A_VALUE, name.span, message, fixes=made)
    elif scope.find_type(text) is not None:
        context.report(rules.NOT_A_VALUE, name.span, f"`{text}` is a type, not a value")
    else:
        known = [*context.local_names(), *scope.value_names()]
        message = f"there is no value `{text}` here{did_you_mean(text, known)}"
        context.report(rules.UNKNOWN_NAME, name.span, message, fixes=fixes.rename(context.home, name, known))
        context.expect_no_more_of(name)


_PLACES = frozenset(kind.value for kind in ir.PlaceKind)
"""The words that are called without an argument."""


# ---------------------------------------------------------------- operators

_BINARY_OPS = {op.value: op for op in ir.BinaryOp if op is not ir.BinaryOp.MATMUL}
_ARITHMETIC = {ir.BinaryOp.ADD, ir.BinaryOp.SUB, ir.BinaryOp.MUL, ir.BinaryOp.DIV, ir.BinaryOp.REM}
_ORDERED = {ir.BinaryOp.LT, ir.BinaryOp.LE, ir.BinaryOp.GT, ir.BinaryOp.GE}
_EQUALITY = {ir.BinaryOp.EQ, ir.BinaryOp.NE}
_BITWISE = {ir.BinaryOp.AND, ir.BinaryOp.OR, ir.BinaryOp.XOR}


def _unary(context: FunctionContext, node: syntax.Unary, expected: types.Type | None) -> ir.Expression | None:
    operand = node.operand
    if node.op == "-" and isinstance(operand, syntax.IntLiteral) and not operand.pattern:
        value = int_value(-operand.value, False)
        if value is not None:
            return context.int_const(value, node.span)
    value_ = lower(context, operand, expected)
    if value_ is None:
        return None
    op = ir.UnaryOp(node.op)
    allowed = {
        ir.UnaryOp.NEG: value_.type in (types.INT, types.FLOAT) or isinstance(value_.type, (types.Vec, types.Mat)),
        ir.UnaryOp.NOT: value_.type is types.BOOL,
        ir.UnaryOp.INVERT: value_.type is types.INT,
    }[op]
    if not allowed:
        need = {"-": "a number", "!": "a Bool", "~": "an Int"}[node.op]
        compared = fixes.write(context.home, node.span, f"{edits.source(context.home, operand.span)} == 0")
        is_test = op is ir.UnaryOp.NOT and value_.type is types.INT and isinstance(operand, syntax.NameRef)
        context.report(
            rules.BAD_OPERANDS,
            node.span,
            f"`{node.op}` takes {need}, not {describe(value_.type)}",
            fixes=compared if is_test else (),
        )
        return None
    if op is ir.UnaryOp.NEG and isinstance(value_, ir.Const) and value_.type is types.FLOAT:
        return ir.Const(id=context.node(node.span), type=types.FLOAT, leaves=(int(value_.leaves[0]) ^ 0x80000000,))
    return ir.Unary(id=context.node(node.span), type=value_.type, op=op, operand=value_)


def _binary(context: FunctionContext, node: syntax.Binary, expected: types.Type | None) -> ir.Expression | None:
    if node.op in ("&&", "||"):
        return _logic(context, node)
    chain = _left_chain(node)
    left = lower(context, chain[0].left)
    for link in chain:
        left = _link(context, link, left)
    return left


def _left_chain(node: syntax.Binary) -> list[syntax.Binary]:
    """The operators of `a + b + c …`, innermost first, without recursion over a long sum."""
    chain = [node]
    while isinstance(chain[-1].left, syntax.Binary) and chain[-1].left.op not in ("&&", "||"):
        chain.append(chain[-1].left)
    return chain[::-1]


def _link(context: FunctionContext, node: syntax.Binary, left: ir.Expression | None) -> ir.Expression | None:
    hint = left.type if left is not None and isinstance(left.type, types.Enum) else None
    with context.collect() as statements:
        right = lower(context, node.right, hint)
    if left is not None and statements:
        left = kept(context, left, node.left.span)
    context.statements.extend(statements)
    if left is None or right is None:
        return None
    value = combine(context, _BINARY_OPS[node.op], left, right, node)
    if value is not None:
        context.record.types.append((node.span, value.type))
    return value


def combine(
    context: FunctionContext,
    op: ir.BinaryOp,
    left: ir.Expression,
    right: ir.Expression,
    node: syntax.Binary | syntax.Assign,
) -> ir.Expression | None:
    """`left op right` with scalars spread over vectors; reports operands that do not fit."""
    made = _typed_binary(context, op, left, right, node.span)
    if made is None:
        _bad_operands(context, op, left, right, node)
    return made


def _typed_binary(
    context: FunctionContext, op: ir.BinaryOp, left: ir.Expression, right: ir.Expression, span: Span
) -> ir.Expression | None:
    a, b = left.type, right.type
    if op in _EQUALITY:
        return _make_binary(context, op, left, right, types.BOOL, span) if a == b else None
    if op in _ORDERED:
        fits = a == b and a in (types.INT, types.FLOAT)
        return _make_binary(context, op, left, right, types.BOOL, span) if fits else None
    if op in _BITWISE:
        fits = a == b and a in (types.INT, types.BOOL)
        return _make_binary(context, op, left, right, a, span) if fits else None
    if op not in _ARITHMETIC:
        return _make_binary(context, op, left, right, a, span) if a is types.INT and b is types.INT else None
    return _arithmetic(context, op, left, right, span)


def _arithmetic(
    context: FunctionContext, op: ir.BinaryOp, left: ir.Expression, right: ir.Expression, span: Span
) -> ir.Expression | None:
    a, b = left.type, right.type
    if isinstance(a, types.Mat) and b in (a, types.Vec(a.size)):
        if op is ir.BinaryOp.MUL:
            return _make_binary(context, ir.BinaryOp.MATMUL, left, right, b, span)
        if a != b or op not in (ir.BinaryOp.ADD, ir.BinaryOp.SUB):
            return None
    if a != b:
        if a is types.FLOAT and isinstance(b, (types.Vec, types.Mat)):
            left = splat(context, left, b, span)
        elif b is types.FLOAT and isinstance(a, (types.Vec, types.Mat)):
            right = splat(context, right, a, span)
        else:
            return None
    if left.type in (types.INT, types.FLOAT) or isinstance(left.type, (types.Vec, types.Mat)):
        return _make_binary(context, op, left, right, left.type, span)
    return None


def splat(context: FunctionContext, value: ir.Expression, type_: types.Type, span: Span) -> ir.Expression:
    return ir.Splat(id=context.node(span), type=type_, operand=value)


def _make_binary(
    context: FunctionContext,
    op: ir.BinaryOp,
    left: ir.Expression,
    right: ir.Expression,
    type_: types.Type,
    span: Span,
) -> ir.Expression:
    return ir.Binary(id=context.node(span), type=type_, op=op, left=left, right=right)


def _bad_operands(
    context: FunctionContext,
    op: ir.BinaryOp,
    left: ir.Expression,
    right: ir.Expression,
    node: syntax.Binary | syntax.Assign,
) -> None:
    a, b = left.type, right.type
    notes: tuple[Note, ...] = ()
    made: tuple[Fix, ...] = ()
    if types.INT in (a, b) and (types.float_shape(a) or types.float_shape(b)):
        made = _operand_fixes(context, op, a, b, node)
        notes = (context.note("Int and Float never convert by themselves; write `float(…)` or `int(…)`"),)
    elif isinstance(a, types.Vec) and isinstance(b, types.Mat):
        notes = (context.note("a matrix stands left of the vector: `m * v`; `transpose(m) * v` is the other product"),)
        made = _product_fixes(context, a, b, node)
    elif op in _ORDERED and isinstance(a, types.Vec):
        notes = (context.note("vectors have no order; compare components or `length`s"),)
    elif isinstance(a, types.Array) or isinstance(b, types.Array):
        notes = (context.note("arrays have no arithmetic; loop over their elements"),)
    context.report(
        rules.BAD_OPERANDS,
        node.op_span if isinstance(node, syntax.Binary) else node.span,
        f"`{op.value}` does not take {describe(a)} and {describe(b)}",
        notes=notes,
        fixes=made,
    )


def _product_fixes(
    context: FunctionContext, a: types.Vec, b: types.Mat, node: syntax.Binary | syntax.Assign
) -> tuple[Fix, ...]:
    """`v * m` with the matrix first: the vector as a column, or the product that rows would give."""
    if not isinstance(node, syntax.Binary) or node.op != "*" or a.size != b.size:
        return ()
    home = context.home
    vector, matrix = edits.source(home, node.left.span), edits.source(home, node.right.span)
    if isinstance(node.left, syntax.Binary):
        vector = f"({vector})"
    return tuple(
        Fix(f"write `{product}`", (edits.replace(home, node.span, product),))
        for product in (f"{matrix} * {vector}", f"transpose({matrix}) * {vector}")
    )


def _operand_fixes(
    context: FunctionContext, op: ir.BinaryOp, a: types.Type, b: types.Type, node: syntax.Binary | syntax.Assign
) -> tuple[Fix, ...]:
    """What makes an Int fit the Floats that it meets."""
    if isinstance(node, syntax.Assign) and a is types.INT:
        return fixes.convert(context.home, node.value, b, types.INT)
    if op not in _ARITHMETIC and not (types.FLOAT in (a, b) and op in _ORDERED | _EQUALITY):
        return ()
    left = node.left if isinstance(node, syntax.Binary) else node.target
    right = node.right if isinstance(node, syntax.Binary) else node.value
    return fixes.convert(context.home, left if a is types.INT else right, types.INT, types.FLOAT)


def _logic(context: FunctionContext, node: syntax.Binary) -> ir.Expression | None:
    """`&&` and `||`; where the right side acts it becomes an `If`."""
    left = _logic_operand(context, node, node.left)
    with context.collect() as statements:
        right = _logic_operand(context, node, node.right)
    if left is None or right is None:
        return None
    op = ir.Logic(node.op)
    if not statements:
        return ir.ShortCircuit(id=context.node(node.span), type=types.BOOL, op=op, left=left, right=right)
    result = context.new_local("$t", types.BOOL, mutable=True)
    context.assign(result, left, node.left.span)
    with context.collect() as inner:
        context.statements.extend(statements)
        context.assign(result, right, node.right.span)
    condition: ir.Expression = context.read(result, node.left.span)
    if op is ir.Logic.OR:
        condition = ir.Unary(id=context.node(node.span), type=types.BOOL, op=ir.UnaryOp.NOT, operand=condition)
    taken, skipped = context.block(inner, node.span), context.block([], node.span)
    context.statements.append(
        ir.If(id=context.node(node.span), condition=condition, then=taken, otherwise=skipped, written=node.op)
    )
    return context.read(result, node.span)


def _logic_operand(context: FunctionContext, node: syntax.Binary, operand: syntax.Expr) -> ir.Expression | None:
    value = lower(context, operand)
    if value is not None and value.type is not types.BOOL:
        context.report(
            rules.BAD_OPERANDS,
            operand.span,
            f"`{node.op}` takes Bools, not {describe(value.type)}",
            notes=(context.note("compare first, as in `x != 0`"),) if value.type is types.INT else (),
            fixes=fixes.convert(context.home, operand, value.type, types.BOOL),
        )
        return None
    return value


# ---------------------------------------------------------------- members and positions


def _member(context: FunctionContext, node: syntax.Member, expected: types.Type | None) -> ir.Expression | None:
    enum = _named_enum(context, node.operand)
    if enum is not None:
        return _qualified_variant(context, enum, node.name, (), node.span)
    operand = lower(context, node.operand)
    return None if operand is None else member_of(context, operand, node.name, node.span)


def _named_enum(context: FunctionContext, node: syntax.Expr) -> TypeEntity | None:
    """The enum that `Shape` in `Shape.Dot` names, unless a value of that name hides it."""
    if not isinstance(node, syntax.NameRef):
        return None
    name = node.name.text
    if context.find_local(name) is not None or context.scope.find_value(name) is not None:
        return None
    entity = context.find_type(node.name)
    if entity is None or not isinstance(entity.node, syntax.Enumeration):
        return None
    context.record.name(node.name, entity)
    return entity


def member_of(context: FunctionContext, operand: ir.Expression, name: syntax.Name, span: Span) -> ir.Expression | None:
    """`operand.name`: a struct's field or a vector's components."""
    type_ = operand.type
    if isinstance(type_, types.Struct):
        index = type_.index(name.text)
        if index is not None:
            context.record.field(name, type_.key)
            field_type = type_.fields[index].type
            return ir.StructField(id=context.node(span), type=field_type, operand=operand, index=index)
        no_such_field(context, type_, name)
        return None
    if isinstance(type_, types.Vec):
        components = swizzle(context, type_, name)
        if components is None:
            return None
        result: types.Type = types.FLOAT if len(components) == 1 else types.Vec(len(components))
        return ir.Swizzle(id=context.node(span), type=result, operand=operand, components=components)
    advice = "; use `match` to look inside" if isinstance(type_, types.Enum) else ""
    context.report(rules.NO_SUCH_MEMBER, name.span, f"{describe(type_)} has no parts by name{advice}")
    return None


def no_such_field(context: FunctionContext, type_: types.Struct, name: syntax.Name) -> None:
    known = [f.name for f in type_.fields]
    listing = f"`{type_}` has " + (", ".join(f"`{k}`" for k in known) or "no fields")
    context.report(
        rules.NO_SUCH_MEMBER,
        name.span,
        f"`{type_}` has no field `{name.text}`{did_you_mean(name.text, known)}",
        notes=(context.note(listing),),
        fixes=fixes.rename(context.home, name, known),
    )


def swizzle(context: FunctionContext, type_: types.Vec, name: syntax.Name) -> tuple[int, ...] | None:
    """The positions that `.xyz` or `.rgb` name."""
    text = name.text
    for letters in ("xyzw", "rgba"):
        if all(c in letters for c in text):
            components = tuple(letters.index(c) for c in text)
            if len(components) <= 4 and max(components) < type_.size:
                return components
    allowed = "xyzw"[: type_.size]
    context.report(
        rules.NO_SUCH_MEMBER,
        name.span,
        f"a {type_} has no `.{text}`: up to four of `{allowed}` or of `{'rgba'[: type_.size]}`",
    )
    return None


def _index(context: FunctionContext, node: syntax.Index, expected: types.Type | None) -> ir.Expression | None:
    operand, index = lower_all(context, (node.operand, node.index))
    if operand is None or index is None:
        return None
    return index_of(context, operand, index, node)


def index_of(
    context: FunctionContext, operand: ir.Expression, index: ir.Expression, node: syntax.Index
) -> ir.Expression | None:
    element = types.element_type(operand.type)
    if element is None:
        context.report(
            rules.NO_SUCH_MEMBER,
            node.span,
            f"{describe(operand.type)} has no elements by number; arrays, vectors and matrices have",
        )
        return None
    if not matches(context, index, types.INT, node.index):
        return None
    return ir.Index(id=context.node(node.span), type=element, operand=operand, index=index)


# ---------------------------------------------------------------- making values


def _struct_value(
    context: FunctionContext, node: syntax.StructValue, expected: types.Type | None
) -> ir.Expression | None:
    if node.enum is not None:
        entity = context.find_type(node.enum)
        if entity is None or not isinstance(entity.node, syntax.Enumeration):
            if not context.scope.excuses(node.enum.text):
                made = fixes.rename(context.home, node.enum, context.scope.type_names())
                message = f"there is no enum `{node.enum.text}`"
                context.report(rules.UNKNOWN_TYPE, node.enum.span, message, fixes=made)
            _check_values(context, node.fields)
            return None
        context.record.name(node.enum, entity)
        return _qualified_variant(context, entity, node.name, node.fields, node.span)
    entity = context.find_type(node.name)
    if entity is not None and isinstance(entity.node, syntax.Struct):
        context.record.name(node.name, entity)
        type_ = context.program.declarations.type_of(entity)
        if not isinstance(type_, types.Struct):
            return None
        _record_fields(context, type_.key, None, type_.fields, node.fields)
        parts = named_values(context, type_.fields, node.fields, f"`{type_}`", node.name.span, node.span)
        return None if parts is None else ir.Make(id=context.node(node.span), type=type_, parts=parts)
    if context.scope.find_variants(node.name.text) or isinstance(expected, types.Enum):
        enum = find_variant(context, node.name, expected)
        return None if enum is None else make_variant(context, enum, node.name, node.fields, node.span)
    _unknown_struct(context, node)
    return None


def _check_values(context: FunctionContext, fields: tuple[syntax.FieldValue, ...]) -> None:
    """Look for errors in the values of something that is itself unknown."""
    for field in fields:
        lower(context, field.value)


def _unknown_struct(context: FunctionContext, node: syntax.StructValue) -> None:
    _check_values(context, node.fields)
    if context.scope.excuses(node.name.text):
        return
    known = list(context.scope.type_names())
    message = f"there is no struct `{node.name.text}`{did_you_mean(node.name.text, known)}"
    context.report(rules.UNKNOWN_TYPE, node.name.span, message, fixes=fixes.rename(context.home, node.name, known))


def named_values(
    context: FunctionContext,
    declared: tuple[types.FieldOf, ...],
    given: tuple[syntax.FieldValue, ...],
    owner: str,
    span: Span,
    whole: Span,
    *,
    missing: Rule = rules.WRONG_ARGUMENTS,
    unknown: Rule = rules.NO_SUCH_MEMBER,
    mismatch: Rule = rules.TYPE_MISMATCH,
) -> tuple[ir.Expression, ...] | None:
    """The values of `{ name: value, … }` in the order of declaration, evaluated in the order of writing.

    `whole` ends where the braces do; `span` is where to say that something lacks.
    """
    wanted = {f.name: f.type for f in declared}
    values = lower_all(context, [g.value for g in given], [wanted.get(g.name.text) for g in given])
    parts: dict[str, ir.Expression] = {}
    good = True
    seen: set[str] = set()
    for field, value in zip(given, values, strict=True):
        name = field.name.text
        if name not in wanted:
            hint = did_you_mean(name, wanted)
            made = fixes.rename(context.home, field.name, wanted.keys() - {g.name.text for g in given})
            made = made or fixes.remove_listed(context.home, field.span, f"`{name}`")
            context.report(unknown, field.name.span, f"{owner} has no `{name}`{hint}", fixes=made)
            good = False
        elif name in seen:
            made = fixes.remove_listed(context.home, field.span, f"the second `{name}`")
            context.report(rules.DUPLICATE, field.name.span, f"`{name}` is given twice", fixes=made)
            good = False
        elif value is None or not matches(context, value, wanted[name], field.value, rule=mismatch):
            good = False
        else:
            parts[name] = value
        seen.add(name)
    absent = [name for name in wanted if name not in seen]
    if absent and seen <= wanted.keys():
        listing = ", ".join(f"`{a}`" for a in absent)
        lacking = [f for f in declared if f.name in absent]
        made = fixes.add_fields(context.home, whole, lacking, [g.span for g in given])
        context.report(missing, span, f"{owner} also needs {listing}", fixes=made)
    good = good and not absent
    return tuple(parts[f.name] for f in declared) if good else None


def _record_fields(
    context: FunctionContext,
    key: str,
    variant: str | None,
    declared: tuple[types.FieldOf, ...],
    given: tuple[syntax.FieldValue, ...],
) -> None:
    known = {f.name for f in declared}
    for field in given:
        if field.name.text in known:
            context.record.field(field.name, key, variant)


def _qualified_variant(
    context: FunctionContext,
    entity: TypeEntity,
    name: syntax.Name,
    fields: tuple[syntax.FieldValue, ...],
    span: Span,
) -> ir.Expression | None:
    enum = context.program.declarations.type_of(entity)
    if not isinstance(enum, types.Enum):
        return None
    if enum.index(name.text) is None:
        no_such_variant(context, enum, name)
        return None
    return make_variant(context, enum, name, fields, span)


def no_such_variant(context: FunctionContext, enum: types.Enum, name: syntax.Name) -> None:
    known = [v.name for v in enum.variants]
    listing = f"`{enum}` has " + ", ".join(f"`{k}`" for k in known)
    context.report(
        rules.NO_SUCH_MEMBER,
        name.span,
        f"`{enum}` has no variant `{name.text}`{did_you_mean(name.text, known)}",
        notes=(context.note(listing),),
        fixes=fixes.rename(context.home, name, known),
    )


def make_variant(
    context: FunctionContext,
    enum: types.Enum,
    name: syntax.Name,
    given: tuple[syntax.FieldValue, ...],
    span: Span,
) -> ir.Expression | None:
    index = enum.index(name.text)
    if index is None:
        no_such_variant(context, enum, name)
        return None
    variant = enum.variants[index]
    context.record.variant(name, enum.key)
    _record_fields(context, enum.key, variant.name, variant.fields, given)
    parts = named_values(context, variant.fields, given, f"`{variant.name}`", name.span, span)
    if parts is None:
        return None
    return ir.MakeVariant(id=context.node(span), type=enum, variant=index, parts=parts)


def _record(context: FunctionContext, node: syntax.Record, expected: types.Type | None) -> ir.Expression | None:
    outputs = context.program.outputs
    if outputs is None or expected != outputs or not context.is_body:
        _check_values(context, node.fields)
        if context.is_body and context.result.type is None and not context.program.in_scatter:
            return None
        advice = (
            "records leave the body of a kernel with several outputs; a struct value starts with its name: "
            "`Name { field: value }`"
        )
        made: tuple[Fix, ...] = ()
        if context.is_body and outputs is None and len(node.fields) == 1:
            value = edits.source(context.home, node.fields[0].value.span)
            made = _unwrapped(context, node, value)
        message = "a record cannot stand here"
        context.report(rules.BAD_RECORD, node.span, message, notes=(context.note(advice),), fixes=made)
        return None
    for field in node.fields:
        output = context.scope.ports.get(field.name.text)
        if output is not None and output.node.kind is syntax.PortKind.OUTPUT:
            context.record.name(field.name, output, write=True)
    parts = named_values(
        context,
        outputs.fields,
        node.fields,
        "the record of outputs",
        node.span,
        node.span,
        missing=rules.BAD_RECORD,
        unknown=rules.BAD_RECORD,
        mismatch=rules.WRONG_RESULT,
    )
    return None if parts is None else ir.Make(id=context.node(node.span), type=outputs, parts=parts)


def _unwrapped(context: FunctionContext, node: syntax.Record, value: str) -> tuple[Fix, ...]:
    """The value of a record of one field alone; braces that are a block's too stay."""
    returned = edits.source(context.home, Span(0, node.span.start)).rstrip().endswith("return")
    text = value if returned else f"{{ {value} }}"
    return (Fix("give the value alone", (edits.replace(context.home, node.span, text),)),)


def _array(context: FunctionContext, node: syntax.ArrayLiteral, expected: types.Type | None) -> ir.Expression | None:
    if not node.elements:
        context.report(rules.BAD_ARRAY, node.span, "an array has at least 1 element")
        return None
    hint = expected.element if isinstance(expected, types.Array) else None
    values = lower_all(context, node.elements, [hint] * len(node.elements))
    first = next((v for v in values if v is not None), None)
    if first is None:
        return None
    element = first.type if hint is None else hint
    parts = []
    for value, written in zip(values, node.elements, strict=True):
        if value is not None and matches(context, value, element, written, reason="the elements have one type"):
            parts.append(value)
    if len(parts) < len(values):
        return None
    type_ = context.program.declarations.checked_array(element, len(parts), context.home, node.span)
    return None if type_ is None else ir.Make(id=context.node(node.span), type=type_, parts=tuple(parts))


def _repeat(context: FunctionContext, node: syntax.ArrayRepeat, expected: types.Type | None) -> ir.Expression | None:
    hint = expected.element if isinstance(expected, types.Array) else None
    value = lower(context, node.value, hint)
    length = context.program.declarations.constant_int(node.length, context.scope, context.home)
    if value is None or length is None:
        return None
    type_ = context.program.declarations.checked_array(value.type, length, context.home, node.span)
    return None if type_ is None else splat(context, value, type_, node.span)


def _unread(context: FunctionContext, node: syntax.ErrorExpr, expected: types.Type | None) -> None:
    """A value that could not be read, which is told already."""


@cache
def _lowerings() -> dict[type, Callable[[FunctionContext, Any, types.Type | None], ir.Expression | None]]:
    """By syntax node; built late, since calls and blocks are lowered by modules that import this one."""
    return {
        syntax.IntLiteral: _int_literal,
        syntax.FloatLiteral: _float_literal,
        syntax.BoolLiteral: _bool_literal,
        syntax.StringLiteral: _string,
        syntax.Tuple: _tuple,
        syntax.NameRef: _name,
        syntax.Unary: _unary,
        syntax.Binary: _binary,
        syntax.Member: _member,
        syntax.Index: _index,
        syntax.StructValue: _struct_value,
        syntax.Record: _record,
        syntax.ArrayLiteral: _array,
        syntax.ArrayRepeat: _repeat,
        syntax.Call: calls.lower_call,
        syntax.If: control.if_value,
        syntax.Match: control.match_value,
        syntax.Block: control.block_expression,
        syntax.ErrorExpr: _unread,
    }
