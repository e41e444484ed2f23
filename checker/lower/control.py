"""Lowering of statements, blocks, `if`, `match` and loops."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from kcheck.checker import ir, rules, types
from kcheck.checker.lower import assignment, calls, edits, expressions, fixes, functions, patterns
from kcheck.checker.lower.context import Expected, FunctionContext
from kcheck.grammar import syntax
from kcheck.grammar.diagnostics import Fix, Note
from kcheck.grammar.spans import Span
from kcheck.grammar.walk import descendants


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a block ends: with a `value`, or (`diverges`) never, since every path returned."""

    value: ir.Expression | None
    diverges: bool


def function_body(context: FunctionContext, block: syntax.Block, head: Span) -> ir.Block:
    """The statements of a function or body, ending in `Return` on every path."""
    wants_value = not isinstance(context.result.type, types.Unit)
    with context.collect() as statements, context.frame():
        if wants_value:
            outcome = _value_block(context, block, context.result.type, needs_value=False)
            if outcome.value is not None:
                _return_value(context, outcome.value, _last_expression(block), block.span)
            elif not outcome.diverges and not _ends_in_value(context, block):
                _missing_return(context, block, head)
        elif not _statements(context, block.statements):
            context.statements.append(ir.Return(id=context.node(_end(block)), value=None))
    return context.block(statements, block.span)


def _missing_return(context: FunctionContext, block: syntax.Block, head: Span) -> None:
    if _ends_unread(block):
        return
    result = context.result.type
    what = "a value" if result is None else expressions.describe(result)
    advice = context.note("end the block with a value, or `return` one on every path")
    notes = (_semicolon_note(context, block) or advice,)
    made = _semicolon_fixes(context, block)
    if not made and result is not None:
        made = (_return_fix(context, block, fixes.zero(result)),)
    context.report(rules.MISSING_RETURN, head, f"not every path returns {what}", notes=notes, fixes=made)


def _return_fix(context: FunctionContext, block: syntax.Block, value: str) -> Fix:
    text = f"return {value};"
    return Fix(f"end with `{text}`", (edits.add_last(context.home, block.span, text),))


def _semicolon_fixes(context: FunctionContext, block: syntax.Block) -> tuple[Fix, ...]:
    if _semicolon_note(context, block) is None:
        return ()
    end = block.statements[-1].span.end
    return (Fix("remove the `;`", (edits.replace(context.home, Span(end - 1, end), ""),)),)


def _semicolon_note(context: FunctionContext, block: syntax.Block) -> Note | None:
    """Why a block has no value, where only the `;` after its last expression is to blame."""
    last = block.statements[-1] if block.statements else None
    if isinstance(last, syntax.ExprStatement) and last.semicolon and yields(context, last.value):
        return context.note("remove the `;` after the last expression to make it the block's value", last.span)
    return None


def _end(block: syntax.Block) -> Span:
    return Span(max(block.span.start, block.span.end - 1), block.span.end)


def _last_expression(block: syntax.Block) -> syntax.Expr:
    last = block.statements[-1] if block.statements else None
    return last.value if isinstance(last, syntax.ExprStatement) else block


# ---------------------------------------------------------------- blocks


def _statements(
    context: FunctionContext, nodes: Sequence[syntax.Statement], then: Sequence[syntax.Statement] = ()
) -> bool:
    """Lower statements in the present frame; whether control never gets past them, to what comes `then`."""
    for i, node in enumerate(nodes):
        if _statement(context, node):
            _unreachable(context, [*nodes[i + 1 :], *then])
            return True
    return False


def _unreachable(context: FunctionContext, nodes: Sequence[syntax.Statement]) -> None:
    """Warn about statements that never run, and look for errors in them all the same."""
    if not nodes:
        return
    context.report(
        rules.UNREACHABLE,
        nodes[0].span.to(nodes[-1].span),
        "this never runs: every path before it has returned",
        fixes=fixes.remove(context.home, nodes[0].span.to(nodes[-1].span)),
    )
    with context.collect(), context.dropping_values():
        for node in nodes:
            _statement(context, node)


def statement_block(
    context: FunctionContext, block: syntax.Block, before: Callable[[], None] | None = None
) -> tuple[ir.Block, bool]:
    """A block without a value, and whether it never ends; `before` may declare what a pattern binds."""
    with context.collect() as statements, context.frame():
        if before is not None:
            before()
        with context.frame():
            diverges = _statements(context, block.statements)
    return context.block(statements, block.span), diverges


def _value_block(
    context: FunctionContext, block: syntax.Block, expected: types.Type | None, *, needs_value: bool = True
) -> Outcome:
    """A block whose last expression is its value; its statements go to the context."""
    with context.frame():
        *before, last = block.statements or (None,)
        if isinstance(last, syntax.ExprStatement) and not last.semicolon and yields(context, last.value):
            if _statements(context, [b for b in before if b is not None], [last]):
                return Outcome(None, True)
            return _value_outcome(context, last.value, expected)
        if _semicolon_note(context, block) is not None:
            with context.dropping_values():
                diverges = _statements(context, block.statements)
        else:
            diverges = _statements(context, block.statements)
    if needs_value and not diverges:
        _no_value(context, block)
    return Outcome(None, diverges)


def _value_outcome(context: FunctionContext, node: syntax.Expr, expected: types.Type | None) -> Outcome:
    """The value of a last expression; an `if` or `match` may return on all its paths."""
    match node:
        case syntax.If():
            outcome = _if_value(context, node, expected)
        case syntax.Match():
            outcome = patterns.match_outcome(context, node, expected)
        case syntax.Block():
            outcome = _value_block(context, node, expected)
        case _:
            return Outcome(expressions.lower(context, node, expected), False)
    if outcome.value is not None:
        context.record.types.append((node.span, outcome.value.type))
    return outcome


def _no_value(context: FunctionContext, block: syntax.Block) -> None:
    if _ends_unread(block):
        return
    note = _semicolon_note(context, block)
    where = block.statements[-1] if block.statements else block
    made = _semicolon_fixes(context, block)
    message = "this block ends without a value"
    context.report(rules.NO_VALUE, where.span, message, notes=(note,) if note else (), fixes=made)


def _ends_unread(block: syntax.Block) -> bool:
    """Whether a block, or one that it ends in, ends in what could not be read: that may have been a value."""
    match block.statements[-1:]:
        case (syntax.ErrorStatement(),):
            return True
        case (syntax.ExprStatement(value=syntax.If() as value),):
            return _ends_unread(value.then) or (value.otherwise is not None and _ends_unread(value.otherwise))
        case (syntax.ExprStatement(value=syntax.Match() as value),):
            return bool(value.errors) or any(_ends_unread(arm.body) for arm in value.arms)
        case (syntax.ExprStatement(value=syntax.Block() as value),):
            return _ends_unread(value)
    return False


def _ends_in_value(context: FunctionContext, block: syntax.Block) -> bool:
    """Whether a block tries to end in a value (which then had an error of its own)."""
    last = block.statements[-1] if block.statements else None
    return isinstance(last, syntax.ExprStatement) and not last.semicolon and yields(context, last.value)


def yields(context: FunctionContext, node: syntax.Expr) -> bool:
    """Whether an expression has a value: blocks, `if` and `match` have one if any branch ends in one."""
    match node:
        case syntax.If():
            branches = [node.then, *([node.otherwise] if node.otherwise else [])]
            return any(_ends_in_value(context, b) for b in branches)
        case syntax.Match():
            return any(_ends_in_value(context, a.body) for a in node.arms)
        case syntax.Block():
            return _ends_in_value(context, node)
        case syntax.Call():
            return calls.gives_value(context, node)
        case _:
            return True


# ---------------------------------------------------------------- statements


def _statement(context: FunctionContext, node: syntax.Statement) -> bool:
    """Lower one statement; whether control never gets past it."""
    if isinstance(node, syntax.ExprStatement):
        return _expression_statement(context, node.value, node.span)
    return _STATEMENTS[type(node)](context, node)


def _let(context: FunctionContext, node: syntax.Let) -> bool:
    declared = None
    if node.type is not None:
        declared = context.program.declarations.value_type(node.type, context.scope, context.home)
    reason = f"`{node.name.text}` is declared so" if node.type is not None else ""
    acts = len(context.statements)
    value = expressions.lower_as(context, node.value, declared, reason=reason)
    type_ = declared if declared is not None else (value.type if value is not None else None)
    if node.type is not None and declared is None:
        context.program.poisoned = True
        type_ = None
    word = "var" if node.mutable else "let"
    symbol = context.declare(node.name, type_, word, mutable=node.mutable)
    symbol.statement, symbol.removable = node.span, len(context.statements) == acts
    if value is not None and type_ is not None:
        context.assign(symbol.local, value, node.span)
    return False


def _return(context: FunctionContext, node: syntax.Return) -> bool:
    wanted = context.result.type
    if isinstance(wanted, types.Unit):
        if node.value is not None:
            expressions.lower(context, node.value)
            context.report(
                rules.TYPE_MISMATCH,
                node.value.span,
                f"`{context.name}` has no result, so `return` takes no value",
                notes=(context.note("declare the result: `fn name(…) -> T`"),),
                fixes=fixes.write(context.home, node.span, "return;"),
            )
        context.statements.append(ir.Return(id=context.node(node.span), value=None))
        return True
    if node.value is None:
        what = "a value" if wanted is None else expressions.describe(wanted)
        made = () if wanted is None else fixes.write(context.home, node.span, f"return {fixes.zero(wanted)};")
        context.report(rules.TYPE_MISMATCH, node.span, f"this `return` needs {what}", fixes=made)
        return True
    value = expressions.lower(context, node.value, wanted)
    if value is not None:
        _return_value(context, value, node.value, node.span)
    return True


def _return_value(context: FunctionContext, value: ir.Expression, node: syntax.Expr, span: Span) -> None:
    wanted: Expected = context.result
    if context.is_body and context.program.in_scatter:
        good = functions.check_pair(context, value, expressions.value_span(node))
    elif wanted.type is None:
        good = False
    else:
        good = expressions.matches(context, value, wanted.type, node, rule=wanted.rule, reason=wanted.reason)
    if good:
        context.statements.append(ir.Return(id=context.node(span), value=value))


def _expression_statement(context: FunctionContext, node: syntax.Expr, statement: Span) -> bool:
    if isinstance(node, syntax.Call) and not calls.gives_value(context, node):
        _acting_call(context, node)
        return False
    if not yields(context, node):
        return _without_value(context, node)
    if not context.drops_values:
        _value_not_used(context, node, statement)
    with context.dropping_values():
        return _without_value(context, node)


def _without_value(context: FunctionContext, node: syntax.Expr) -> bool:
    match node:
        case syntax.If():
            return _if_statement(context, node)
        case syntax.Match():
            return patterns.match_statement(context, node)
        case syntax.Block():
            block, diverges = statement_block(context, node)
            context.statements.append(block)
            return diverges
        case _:
            expressions.lower(context, node)
            return False


def _acting_call(context: FunctionContext, node: syntax.Call) -> None:
    assert isinstance(node.callee, syntax.NameRef)
    name = node.callee.name.text
    entity = context.scope.find_function(name)
    calls.record_call(context, node, node.callee.name, entity)
    if entity is not None:
        calls.call_statement(context, entity, node)
    elif name == "put":
        calls.lower_put(context, node)
    else:
        calls.lower_emit(context, node)


def _value_not_used(context: FunctionContext, node: syntax.Expr, statement: Span) -> None:
    notes = (context.note("return it, give it a name with `let`, or remove it"),)
    if isinstance(node, syntax.Binary) and node.op == "==":
        notes = (context.note("`==` compares; `=` assigns"),)
    elif isinstance(node, (syntax.If, syntax.Match)):
        notes = (context.note("its branches end in values; end them with `;`-statements, or use the value"),)
    made = _assignment_fixes(context, node)
    if not any(isinstance(below, syntax.Call) for below in descendants(node)):
        made += fixes.remove(context.home, statement)
    context.report(
        rules.VALUE_NOT_USED, expressions.value_span(node), "this value is not used", notes=notes, fixes=made
    )


def _assignment_fixes(context: FunctionContext, node: syntax.Expr) -> tuple[Fix, ...]:
    """`x == 1;` and `x + 1;` as the assignments that were meant, where `x` is a `var`."""
    if not isinstance(node, syntax.Binary) or not isinstance(node.left, syntax.NameRef):
        return ()
    symbol = context.find_local(node.left.name.text)
    if symbol is None or not symbol.mutable or node.op not in _ASSIGNING:
        return ()
    op = _ASSIGNING[node.op]
    return (Fix(f"assign: `{op}`", (edits.replace(context.home, node.op_span, op),)),)


_ASSIGNING = {"==": "=", **{op: f"{op}=" for op in ("+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>")}}


# ---------------------------------------------------------------- if


def condition(context: FunctionContext, node: syntax.Expr, what: str) -> ir.Expression | None:
    value = expressions.lower(context, node)
    if value is None:
        return None
    if value.type is types.BOOL:
        return value
    notes: tuple[Note, ...] = ()
    if value.type in (types.INT, types.FLOAT):
        notes = (
            context.note("compare it, as in `x != 0`" if value.type is types.INT else "compare it, as in `x != 0.0`"),
        )
    context.report(
        rules.TYPE_MISMATCH,
        node.span,
        f"the condition of {what} is a Bool; this is {expressions.describe(value.type)}",
        notes=notes,
        fixes=fixes.convert(context.home, node, value.type, types.BOOL),
    )
    return None


def _if_statement(context: FunctionContext, node: syntax.If) -> bool:
    test = condition(context, node.condition, "`if`")
    then, then_diverges = statement_block(context, node.then)
    if node.otherwise is None:
        otherwise, else_diverges = context.block([], node.span), False
    else:
        otherwise, else_diverges = statement_block(context, node.otherwise)
    if test is not None:
        context.statements.append(ir.If(id=context.node(node.span), condition=test, then=then, otherwise=otherwise))
    return then_diverges and else_diverges


def if_value(context: FunctionContext, node: syntax.If, expected: types.Type | None) -> ir.Expression | None:
    return _settled(context, _if_value(context, node, expected), node.span)


def _settled(context: FunctionContext, outcome: Outcome, span: Span) -> ir.Expression | None:
    if outcome.diverges:
        context.report(rules.NO_VALUE, span, "no path gives a value here: all of them return")
    return outcome.value


def _if_value(context: FunctionContext, node: syntax.If, expected: types.Type | None) -> Outcome:
    test = condition(context, node.condition, "`if`")
    if node.otherwise is None:
        with context.collect():
            value = _value_block(context, node.then, expected).value
        context.report(
            rules.NO_VALUE,
            node.span,
            "this `if` has no `else`, so it does not always have a value",
            notes=(context.note("add `else { … }`"),),
            fixes=() if value is None else _else_fixes(context, node, fixes.zero(value.type)),
        )
        return Outcome(None, False)
    branches = Branches(context, expected)
    branches.add(node.then)
    branches.add(node.otherwise)
    if test is None:
        return Outcome(None, False)
    if branches.are_pure():
        first, second = branches.values()
        made = ir.Conditional(id=context.node(node.span), type=first.type, condition=test, then=first, otherwise=second)
        return Outcome(made, False)
    blocks = branches.blocks()
    if blocks is None:
        return Outcome(None, branches.all_diverge())
    context.statements.append(ir.If(id=context.node(node.span), condition=test, then=blocks[0], otherwise=blocks[1]))
    return branches.outcome(node.span)


def _else_fixes(context: FunctionContext, node: syntax.If, value: str) -> tuple[Fix, ...]:
    text = f"else {{ {value} }}"
    return (Fix(f"add `{text}`", (edits.insert(context.home, node.span.end, f" {text}"),)),)


class Branches:
    """The branches of an `if` or `match` that gives a value: they agree on its type."""

    def __init__(self, context: FunctionContext, expected: types.Type | None) -> None:
        self._context = context
        self._expected = expected
        self.type: types.Type | None = None
        """The type of the branches' values, once one is known."""
        self._first: syntax.Block | None = None
        self._result: int | None = None
        self._branches: list[tuple[list[ir.Statement], Outcome, syntax.Block]] = []

    def add(self, block: syntax.Block, before: Callable[[], None] | None = None) -> None:
        """Lower a branch; `before` may declare what its pattern binds."""
        context = self._context
        with context.collect() as statements, context.frame():
            if before is not None:
                before()
            outcome = _value_block(context, block, self._expected if self.type is None else self.type)
        self._branches.append((statements, self._agreeing(outcome, block), block))

    def _agreeing(self, outcome: Outcome, block: syntax.Block) -> Outcome:
        value = outcome.value
        if value is None:
            return outcome
        if self.type is None or self._first is None:
            self.type, self._first = value.type, block
            return outcome
        if value.type == self.type:
            return outcome
        if value.type == self._expected:
            self._odd(self._first, self.type, block, value.type)
            self.type, self._first = value.type, block
        else:
            self._odd(block, value.type, self._first, self.type)
        return Outcome(None, False)

    def _odd(self, block: syntax.Block, type_: types.Type, other: syntax.Block, wanted: types.Type) -> None:
        """Report a branch whose type is not that of another."""
        context, node = self._context, expressions.last_value(block)
        context.report(
            rules.TYPE_MISMATCH,
            node.span,
            f"this branch gives {expressions.describe(type_)}, another {expressions.describe(wanted)}",
            notes=(context.note(f"{expressions.describe(wanted)} comes from here", expressions.value_span(other)),),
            fixes=fixes.convert(context.home, node, type_, wanted),
        )

    def all_diverge(self) -> bool:
        return all(outcome.diverges for _, outcome, _ in self._branches)

    def are_pure(self) -> bool:
        return all(not statements and outcome.value is not None for statements, outcome, _ in self._branches)

    def values(self) -> list[ir.Expression]:
        return [outcome.value for _, outcome, _ in self._branches if outcome.value is not None]

    def blocks(self) -> list[ir.Block] | None:
        """The branches as blocks that assign the result; None where one had an error or none has a value."""
        context = self._context
        bad = any(outcome.value is None and not outcome.diverges for _, outcome, _ in self._branches)
        if bad:
            return None
        if self.type is not None:
            self._result = context.new_local("$t", self.type)
        return [self._block(statements, outcome, block) for statements, outcome, block in self._branches]

    def _block(self, statements: list[ir.Statement], outcome: Outcome, block: syntax.Block) -> ir.Block:
        context = self._context
        if outcome.value is not None and self._result is not None:
            with context.collect() as assigned:
                context.assign(self._result, outcome.value, expressions.value_span(block))
            statements = [*statements, *assigned]
        return context.block(statements, block.span)

    def outcome(self, span: Span) -> Outcome:
        if self._result is None:
            return Outcome(None, True)
        return Outcome(self._context.read(self._result, span), False)


def match_value(context: FunctionContext, node: syntax.Match, expected: types.Type | None) -> ir.Expression | None:
    return _settled(context, patterns.match_outcome(context, node, expected), node.span)


def block_expression(context: FunctionContext, node: syntax.Block, expected: types.Type | None) -> ir.Expression | None:
    return _settled(context, _value_block(context, node, expected), node.span)


# ---------------------------------------------------------------- loops


def _for(context: FunctionContext, node: syntax.For) -> bool:
    low, high = expressions.lower_all(context, (node.low, node.high))
    reason = "a loop counts in Ints"
    fits = [
        value is not None and expressions.matches(context, value, types.INT, written, reason=reason)
        for value, written in ((low, node.low), (high, node.high))
    ]
    with context.frame():
        symbol = context.declare(node.name, types.INT, "loop variable")
        symbol.used = True
        until, body = _round(context, node.until, node.body)
    if all(fits) and low is not None and high is not None and not (node.until and until is None):
        _add_loop(context, node.span, symbol.local, (low, high), node.closed, until, body)
    return False


def _loop(context: FunctionContext, node: syntax.Loop) -> bool:
    count = expressions.lower_as(context, node.count, types.INT, reason="`loop` takes the number of rounds")
    counter = context.new_local("round", types.INT)
    until, body = _round(context, node.until, node.body)
    if count is not None and not (node.until and until is None):
        zero = context.int_const(0, node.span)
        _add_loop(context, node.span, counter, (zero, count), False, until, body)
    return False


def _round(
    context: FunctionContext, until: syntax.Expr | None, block: syntax.Block
) -> tuple[ir.Until | None, ir.Block]:
    """The test and the body of one round; the test is None after an error too."""
    tested = None
    if until is not None:
        with context.collect() as statements:
            test = condition(context, until, "`until`")
        if test is not None:
            tested = ir.Until(id=context.node(until.span), block=context.block(statements, until.span), condition=test)
    body, _ = statement_block(context, block)
    return tested, body


def _add_loop(
    context: FunctionContext,
    span: Span,
    local: int,
    bounds: tuple[ir.Expression, ir.Expression],
    closed: bool,
    until: ir.Until | None,
    body: ir.Block,
) -> None:
    low, high = bounds
    context.statements.append(
        ir.Loop(id=context.node(span), local=local, low=low, high=high, closed=closed, until=until, body=body)
    )


def _unread(context: FunctionContext, node: syntax.ErrorStatement) -> bool:
    """A statement that could not be read: what it declares is known by name only."""
    context.program.poisoned = True
    for name in node.names:
        context.declare(name, None, "let", mutable=True)
    return False


_STATEMENTS: dict[type, Callable[[FunctionContext, Any], bool]] = {
    syntax.Let: _let,
    syntax.Assign: assignment.lower_assignment,
    syntax.For: _for,
    syntax.Loop: _loop,
    syntax.Return: _return,
    syntax.ErrorStatement: _unread,
}
