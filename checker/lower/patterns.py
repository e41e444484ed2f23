"""Lowering of `match`: patterns become a `Switch` over an Int or a variant's number, and must be exhaustive."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from kcheck.checker import ir, rules, types
from kcheck.checker.builtins import Builtin
from kcheck.checker.lower import control, edits, expressions, fixes
from kcheck.checker.lower.context import FunctionContext
from kcheck.grammar import syntax
from kcheck.grammar.diagnostics import Fix
from kcheck.grammar.spans import Span

Range = tuple[int, int]
"""A closed range of subjects: Ints, 0 and 1 for Bools, or variants by number."""


@dataclass(slots=True)
class _Subject:
    value: ir.Expression
    type: types.Type
    span: Span

    @property
    def all(self) -> Range:
        match self.type:
            case types.Enum():
                return (0, len(self.type.variants) - 1)
            case types.Scalar.BOOL:
                return (0, 1)
            case _:
                return (expressions.MIN_INT, expressions.MAX_INT)


@dataclass(slots=True)
class _Arm:
    ranges: list[Range]
    node: syntax.Arm
    bind: Callable[[], None]
    """Declares the locals that the pattern binds, at the start of the body."""


def match_statement(context: FunctionContext, node: syntax.Match) -> bool:
    """A `match` without a value; whether control never gets past it."""
    subject, arms, gaps = _prepare(context, node)
    blocks: list[ir.Block] = []
    diverges: list[bool] = []
    for arm in arms:
        block, ends = control.statement_block(context, arm.node.body, arm.bind)
        blocks.append(block)
        diverges.append(ends)
    if subject is not None and gaps:
        body = _leaving(context) if diverges and all(diverges) else "{}"
        _not_exhaustive(context, subject, gaps, node, body)
    elif subject is not None:
        _add_switch(context, subject, arms, blocks, node.span)
    return bool(diverges) and all(diverges) and not node.errors


def match_outcome(context: FunctionContext, node: syntax.Match, expected: types.Type | None) -> control.Outcome:
    """A `match` as a value."""
    subject, arms, gaps = _prepare(context, node)
    branches = control.Branches(context, expected)
    for arm in arms:
        branches.add(arm.node.body, arm.bind)
    blocks = branches.blocks()
    if subject is not None and gaps:
        body = _leaving(context) if branches.type is None else fixes.zero(branches.type)
        _not_exhaustive(context, subject, gaps, node, body)
    if subject is None or blocks is None or gaps:
        return control.Outcome(None, bool(arms) and branches.all_diverge())
    _add_switch(context, subject, arms, blocks, node.span)
    return branches.outcome(node.span)


def _leaving(context: FunctionContext) -> str:
    """The body of an arm beside others that all return."""
    wanted = context.result.type
    return "{}" if wanted is None or isinstance(wanted, types.Unit) else f"{{ return {fixes.zero(wanted)}; }}"


def _prepare(context: FunctionContext, node: syntax.Match) -> tuple[_Subject | None, list[_Arm], list[Range]]:
    """The subject in a local (None after an error), the arms with what they cover, and what none of them does."""
    subject = _subject(context, node)
    covered: list[Range] = []
    arms = []
    good = subject is not None and not node.errors
    for error in node.errors:
        _check_unread(context, error)
    for arm in node.arms:
        ranges = None if subject is None else _arm_ranges(context, subject, arm)
        if ranges is None:
            good = False
            ranges = []
        elif _is_covered(ranges, covered):
            context.report(
                rules.UNREACHABLE_ARM,
                arm.span,
                "earlier arms already cover this one: it never runs",
                fixes=fixes.remove(context.home, edits.with_comma(context.home, arm.span)),
            )
        covered = _union([*covered, *ranges])
        arms.append(_Arm(ranges, arm, partial(_bind, context, subject, arm)))
    if not good or subject is None:
        return None, arms, []
    return subject, arms, _gaps(subject, covered)


def _check_unread(context: FunctionContext, error: syntax.ErrorMember) -> None:
    """Look for errors in the block of an arm whose pattern could not be read."""
    if error.body is not None:
        with context.collect(), context.frame(), context.dropping_values():
            for name in error.names:
                context.declare(name, None, "field")
            control.statement_block(context, error.body)


def _subject(context: FunctionContext, node: syntax.Match) -> _Subject | None:
    value = expressions.lower(context, node.subject)
    if value is None:
        return None
    if value.type not in (types.INT, types.BOOL) and not isinstance(value.type, types.Enum):
        context.report(
            rules.BAD_PATTERN,
            node.subject.span,
            f"`match` takes an Int, a Bool or an enum, not {expressions.describe(value.type)}",
        )
        return None
    return _Subject(context.reusable(value, node.subject.span), value.type, node.subject.span)


# ---------------------------------------------------------------- what patterns cover


def _arm_ranges(context: FunctionContext, subject: _Subject, arm: syntax.Arm) -> list[Range] | None:
    found: list[Range] = []
    for pattern in arm.patterns:
        ranges = _pattern_ranges(context, subject, pattern)
        if ranges is None:
            return None
        found += ranges
    if len(arm.patterns) > 1:
        for pattern in arm.patterns:
            if isinstance(pattern, syntax.VariantPattern) and pattern.fields:
                context.report(
                    rules.BAD_PATTERN,
                    pattern.span,
                    "alternatives bind nothing: one may not hold the field of another",
                )
                return None
    return found


def _pattern_ranges(context: FunctionContext, subject: _Subject, pattern: syntax.Pattern) -> list[Range] | None:
    match pattern:
        case syntax.WildcardPattern():
            return [subject.all]
        case syntax.VariantPattern():
            return _variant_range(context, subject, pattern)
        case syntax.LiteralPattern():
            value = _literal(context, subject, pattern)
            return None if value is None else [(value, value)]
        case syntax.RangePattern():
            return _range(context, subject, pattern)


def _literal(context: FunctionContext, subject: _Subject, pattern: syntax.LiteralPattern) -> int | None:
    is_bool = isinstance(pattern.value, bool)
    if subject.type is (types.BOOL if is_bool else types.INT):
        value = int(pattern.value) if is_bool else expressions.int_value(pattern.value, pattern.pattern)
        if value is None:
            context.report(rules.LITERAL_OUT_OF_RANGE, pattern.span, "this number does not fit an Int")
        return value
    found = "a Bool" if is_bool else "an Int"
    context.report(
        rules.BAD_PATTERN,
        pattern.span,
        f"this is {found}, but the `match` is over {expressions.describe(subject.type)}",
    )
    return None


def _range(context: FunctionContext, subject: _Subject, pattern: syntax.RangePattern) -> list[Range] | None:
    if subject.type is not types.INT:
        message = f"a range holds Ints, but the `match` is over {expressions.describe(subject.type)}"
        context.report(rules.BAD_PATTERN, pattern.span, message)
        return None
    low, high = _literal(context, subject, pattern.low), _literal(context, subject, pattern.high)
    if low is None or high is None:
        return None
    last = high if pattern.closed else high - 1
    if last < low:
        context.report(
            rules.BAD_PATTERN,
            pattern.span,
            "this range holds nothing: it goes upwards, and without `=` its end is not in it",
            fixes=_range_fixes(context, pattern, low == high),
        )
        return None
    return [(low, last)]


def _range_fixes(context: FunctionContext, pattern: syntax.RangePattern, is_one: bool) -> tuple[Fix, ...]:
    """Close a range from a number to itself; turn another round."""
    low, high = (edits.source(context.home, end.span) for end in (pattern.low, pattern.high))
    text = f"{low}..={high}" if is_one else f"{high}..={low}"
    return fixes.write(context.home, pattern.span, text)


def _variant_range(context: FunctionContext, subject: _Subject, pattern: syntax.VariantPattern) -> list[Range] | None:
    index = _variant_index(context, subject, pattern)
    return None if index is None else [(index, index)]


def _variant_index(context: FunctionContext, subject: _Subject, pattern: syntax.VariantPattern) -> int | None:
    enum, name = subject.type, pattern.name
    if not isinstance(enum, types.Enum):
        context.report(
            rules.BAD_PATTERN,
            pattern.span,
            f"`{name.text}` would be a variant, but the `match` is over {expressions.describe(enum)}",
            notes=(context.note("patterns are literals and ranges here, or `_` for all the rest"),),
        )
        return None
    if pattern.enum is not None and not _names_enum(context, pattern.enum, enum):
        made = fixes.rename_to(context.home, pattern.enum, enum.name) if enum.index(name.text) is not None else ()
        message = f"the `match` is over `{enum}`, not `{pattern.enum.text}`"
        context.report(rules.BAD_PATTERN, pattern.enum.span, message, fixes=made)
        return None
    index = enum.index(name.text)
    if index is not None:
        context.record.variant(name, enum.key)
    if index is None:
        expressions.no_such_variant(context, enum, name)
    elif not _fields_exist(context, enum.variants[index], pattern):
        return None
    return index


def _names_enum(context: FunctionContext, name: syntax.Name, enum: types.Enum) -> bool:
    entity = context.find_type(name)
    if entity is None:
        return False
    context.record.name(name, entity)
    return context.program.declarations.type_of(entity) == enum


def _fields_exist(context: FunctionContext, variant: types.Variant, pattern: syntax.VariantPattern) -> bool:
    known = [f.name for f in variant.fields]
    listing = ", ".join(f"`{k}`" for k in known) or "no fields"
    bound: set[str] = set()
    good = True
    for field in pattern.fields or ():
        if field.name.text not in known:
            message = f"`{variant.name}` has no field `{field.name.text}`: it has {listing}"
            unbound = set(known) - {f.name.text for f in pattern.fields or ()}
            made = fixes.rename(context.home, field.name, unbound) if field.name.span != field.binding.span else ()
            context.report(rules.NO_SUCH_MEMBER, field.name.span, message, fixes=made)
            good = False
        if field.binding.text in bound:
            made = fixes.remove_listed(context.home, field.span, f"the second `{field.binding.text}`")
            message = f"a second `{field.binding.text}` in this pattern"
            context.report(rules.DUPLICATE, field.binding.span, message, fixes=made)
            good = False
        bound.add(field.binding.text)
    return good


def _union(ranges: list[Range]) -> list[Range]:
    """The same subjects as sorted ranges that neither overlap nor touch."""
    merged: list[Range] = []
    for low, high in sorted(ranges):
        if merged and low <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(high, merged[-1][1]))
        else:
            merged.append((low, high))
    return merged


def _is_covered(ranges: list[Range], covered: list[Range]) -> bool:
    return all(any(a <= low and high <= b for a, b in covered) for low, high in ranges)


def _gaps(subject: _Subject, covered: list[Range]) -> list[Range]:
    """The subjects that `covered`, sorted and apart, leaves out."""
    low, high = subject.all
    gaps: list[Range] = []
    for a, b in covered:
        if low < a:
            gaps.append((low, a - 1))
        low = b + 1
    if low <= high:
        gaps.append((low, high))
    return gaps


def _not_exhaustive(
    context: FunctionContext, subject: _Subject, gaps: list[Range], node: syntax.Match, body: str
) -> None:
    missing = _missing(subject, gaps)
    listing = ", ".join(f"`{m}`" for m in missing) if subject.type is not types.INT else ", ".join(missing)
    head = Span(node.span.start, node.subject.span.end)
    context.program.poisoned = True
    context.report(
        rules.NOT_EXHAUSTIVE,
        head,
        f"this `match` does not cover {listing}",
        notes=(context.note("add an arm for it, or `_ => …` for all the rest"),),
        fixes=(_arms_fix(context, node, ["_"] if subject.type is types.INT else missing, body),),
    )


def _missing(subject: _Subject, gaps: list[Range]) -> list[str]:
    """What is not covered, as patterns; of Ints the first few ranges."""
    match subject.type:
        case types.Enum() as enum:
            return [enum.variants[i].name for a, b in gaps for i in range(a, b + 1)]
        case types.Scalar.BOOL:
            return ["true" if i else "false" for a, b in gaps for i in range(a, b + 1)]
        case _:
            return [f"{a}" if a == b else f"{a}..={b}" for a, b in gaps[:3]]


def _arms_fix(context: FunctionContext, node: syntax.Match, patterns: list[str], body: str) -> Fix:
    """Add arms behind those that are there, each on its line where those are."""
    home = context.home
    arms = [f"{pattern} => {body}," for pattern in patterns]
    title = f"add {', '.join(f'`{arm}`' for arm in arms)}"
    if not node.arms:
        return Fix(title, (edits.insert(home, node.span.end - 1, f" {' '.join(arms)} "),))
    last = edits.with_comma(home, node.arms[-1].span)
    comma = "" if last != node.arms[-1].span or edits.source(home, last).endswith("}") else ","
    blanks = edits.indent(home, last.start)
    between = f"\n{blanks}" if edits.starts_line(home, last.start) else " "
    return Fix(title, (edits.insert(home, last.end, comma + "".join(between + arm for arm in arms)),))


# ---------------------------------------------------------------- bindings and the switch


def _bind(context: FunctionContext, subject: _Subject | None, arm: syntax.Arm) -> None:
    """Declare the locals that the arm's pattern binds; those of unknown type after an error."""
    for pattern in arm.patterns:
        if isinstance(pattern, syntax.VariantPattern):
            for field in pattern.fields or ():
                _bind_field(context, subject, pattern.name.text, field)


def _bind_field(context: FunctionContext, subject: _Subject | None, variant: str, field: syntax.FieldPattern) -> None:
    payload = None if subject is None else _payload(context, subject, variant, field)
    type_ = None if payload is None else payload.type
    symbol = context.declare(field.binding, type_, "name bound by a pattern")
    if field.name.span == field.binding.span:
        symbol.prefix = f"{field.name.text}: "
    if payload is not None:
        context.assign(symbol.local, payload, field.span)


def _payload(
    context: FunctionContext, subject: _Subject, variant: str, field: syntax.FieldPattern
) -> ir.Payload | None:
    """The field of the subject that a pattern binds, where there is one."""
    enum = subject.type
    number = enum.index(variant) if isinstance(enum, types.Enum) else None
    if number is None or not isinstance(enum, types.Enum):
        return None
    for index, declared in enumerate(enum.variants[number].fields):
        if declared.name == field.name.text:
            context.record.field(field.name, enum.key, variant)
            operand, id_ = context.again(subject.value, field.span), context.node(field.span)
            return ir.Payload(id=id_, type=declared.type, operand=operand, variant=number, index=index)
    return None


def _add_switch(
    context: FunctionContext, subject: _Subject, arms: list[_Arm], blocks: list[ir.Block], span: Span
) -> None:
    """Add the `Switch`; the last arm that can be reached needs no test."""
    cases: list[ir.Case] = []
    otherwise: ir.Block | None = None
    covered: list[Range] = []
    for arm, block in zip(arms, blocks, strict=True):
        if _is_covered(arm.ranges, covered):
            continue
        covered = _union([*covered, *arm.ranges])
        if _is_covered([subject.all], covered):
            otherwise = block
            break
        cases.append(ir.Case(id=context.node(arm.node.span), ranges=tuple(_union(arm.ranges)), body=block))
    assert otherwise is not None
    context.statements.append(
        ir.Switch(id=context.node(span), subject=_number(context, subject), cases=tuple(cases), otherwise=otherwise)
    )


def _number(context: FunctionContext, subject: _Subject) -> ir.Expression:
    """The subject as an Int."""
    value = context.again(subject.value, subject.span)
    if isinstance(subject.type, types.Enum):
        return ir.Tag(id=context.node(subject.span), type=types.INT, operand=value)
    if subject.type is types.BOOL:
        return ir.BuiltinCall(id=context.node(subject.span), type=types.INT, builtin=Builtin.TO_INT, args=(value,))
    return value
