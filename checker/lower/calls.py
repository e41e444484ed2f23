"""Lowering of calls: built-ins, constructors, user functions, and the words that read ports and places or act."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from kcheck.checker import ir, rules, types
from kcheck.checker.builtins import (
    BY_NAME,
    CONSTRUCTORS,
    PLACE_WORDS,
    PORT_WORDS,
    Contract,
    resolve,
)
from kcheck.checker.lower import edits, expressions, fixes, functions
from kcheck.checker.lower.context import FunctionContext, Use
from kcheck.checker.lower.recording import Vocabulary, WordUse
from kcheck.checker.lower.scopes import FunctionEntity, PortEntity
from kcheck.checker.near import did_you_mean
from kcheck.grammar import syntax
from kcheck.grammar.diagnostics import Fix, Note
from kcheck.grammar.spans import Span
from kcheck.grammar.walk import descendants

WORDS = frozenset({*BY_NAME, *CONSTRUCTORS, *PLACE_WORDS, *PORT_WORDS})
"""Every name that can be called without declaring it."""


def lower_call(context: FunctionContext, node: syntax.Call, expected: types.Type | None = None) -> ir.Expression | None:
    """A call as a value; what is `expected` makes no difference to a call."""
    callee = callee_name(context, node)
    if callee is None:
        return None
    entity = context.scope.find_function(callee.text)
    context.program.declarations.check_clear("functions", callee, context.scope, context.home)
    record_call(context, node, callee, entity)
    if context.is_constant and (entity is not None or callee.text in _WORD_CALLS):
        context.not_constant(node.span)
        return None
    if entity is not None:
        return _call_function(context, entity, node)
    if callee.text in _WORD_CALLS:
        return _WORD_CALLS[callee.text](context, node)
    if callee.text in CONSTRUCTORS:
        return _construct(context, CONSTRUCTORS[callee.text], node)
    if callee.text in BY_NAME:
        return _call_builtin(context, BY_NAME[callee.text], node)
    _unknown_function(context, callee, node)
    return None


def record_call(
    context: FunctionContext, node: syntax.Call, callee: syntax.Name, entity: FunctionEntity | None
) -> None:
    if entity is not None or callee.text in WORDS:
        context.record.name(callee, entity or WordUse(Vocabulary.CALL, callee.text))
        context.record.call(node)


def callee_name(context: FunctionContext, node: syntax.Call) -> syntax.Name | None:
    if isinstance(node.callee, syntax.NameRef):
        return node.callee.name
    context.report(rules.NOT_A_VALUE, node.callee.span, "only a function can be called, by its plain name")
    return None


def gives_value(context: FunctionContext, node: syntax.Call) -> bool:
    """Whether a call has a value: not so for `put`, `emit` and functions without a result."""
    if not isinstance(node.callee, syntax.NameRef):
        return True
    name = node.callee.name.text
    entity = context.scope.find_function(name)
    return entity.node.result is not None if entity is not None else name not in ("put", "emit")


def _unknown_function(context: FunctionContext, callee: syntax.Name, node: syntax.Call) -> None:
    _check_arguments(context, node)
    scope, name = context.scope, callee.text
    if scope.excuses(name):
        return
    made: tuple[Fix, ...] = ()
    if context.find_local(name) is not None or scope.find_value(name) is not None:
        message = f"`{name}` is a value, not a function"
    elif scope.find_type(name) is not None:
        message = f"`{name}` is a type; write a value of it as `{name} {{ field: value }}`"
    elif habit := _FUNCTION_HABITS.get(name):
        message = f"there is no function `{name}`; write `{habit}`"
        made = _habit_fixes(context, callee, node, habit)
    else:
        known = [*WORDS, *scope.function_names()]
        message = f"there is no function `{name}`{did_you_mean(name, known)}"
        made = fixes.rename(context.home, callee, known)
    context.report(rules.UNKNOWN_NAME, callee.span, message, fixes=made)


def _habit_fixes(context: FunctionContext, callee: syntax.Name, node: syntax.Call, habit: str) -> tuple[Fix, ...]:
    """The language's own word for a foreign function, where it takes the same arguments."""
    word, _, rest = habit.partition("(")
    if rest:
        return fixes.rename_to(context.home, callee, word)
    texts = [f"({edits.source(context.home, a.span)})" for a in node.args]
    letters = [letter for letter in "abc" if letter in habit]
    if len(texts) != len(letters):
        return ()
    for letter, text in zip(letters, texts, strict=True):
        habit = habit.replace(letter, text, 1)
    return fixes.write(context.home, node.span, f"({habit})")


def _check_arguments(context: FunctionContext, node: syntax.Call) -> None:
    """Look for errors in the arguments of a call that is wrong itself; a port may well be one of them."""
    for argument in node.args:
        if _named_port(context, argument) is None:
            expressions.lower(context, argument)


def _named_port(context: FunctionContext, node: syntax.Expr) -> PortEntity | None:
    """The port that an argument names, unless a local hides it."""
    if not isinstance(node, syntax.NameRef) or context.find_local(node.name.text) is not None:
        return None
    found = context.scope.find_value(node.name.text)
    if not isinstance(found, PortEntity):
        return None
    context.record.name(node.name, found)
    return found


def _arity(
    context: FunctionContext, node: syntax.Call, counts: Sequence[int], form: str, fixes: tuple[Fix, ...] = ()
) -> bool:
    if node.keywords:
        name = node.keywords[0].name
        context.report(rules.WRONG_ARGUMENTS, name.span, "arguments have no names; their order tells them apart")
        return False
    if len(node.args) in counts:
        return True
    message = f"{form}, not {_count(len(node.args), 'argument')}"
    context.report(rules.WRONG_ARGUMENTS, node.span, message, fixes=fixes)
    return False


def _word_arity(
    context: FunctionContext, node: syntax.Call, counts: Sequence[int], form: str, fixes: tuple[Fix, ...] = ()
) -> bool:
    """As `_arity`, of what looks at its arguments only if their number is right."""
    if _arity(context, node, counts, form, fixes):
        return True
    _check_arguments(context, node)
    return False


def _count(number: int, what: str) -> str:
    return f"{number or 'no'} {what}{'' if number == 1 else 's'}"


def _takes(name: str, counts: Sequence[int]) -> str:
    words = " or ".join(_count(c, "argument") for c in counts)
    return f"`{name}` takes {words}"


# ---------------------------------------------------------------- user functions


def _call_function(context: FunctionContext, entity: FunctionEntity, node: syntax.Call) -> ir.Expression | None:
    called = _lower_user_call(context, entity, node)
    if called is None:
        return None
    lowered, args = called
    result = lowered.function.result
    if isinstance(result, types.Unit):
        name = entity.node.name.text
        context.report(
            rules.NO_VALUE,
            node.span,
            f"`{name}` has no result, so it cannot stand for a value",
            notes=(context.note("call it as a statement, or give it a result with `-> T`"),),
        )
        return None
    if not lowered.function.effects:
        return ir.Call(id=context.node(node.span), type=result, function=lowered.index, args=args)
    local = context.new_local(entity.node.name.text, result)
    context.statements.append(
        ir.CallStatement(id=context.node(node.span), local=local, function=lowered.index, args=args)
    )
    return context.read(local, node.span)


def call_statement(context: FunctionContext, entity: FunctionEntity, node: syntax.Call) -> None:
    """A call of a function without a result."""
    called = _lower_user_call(context, entity, node)
    if called is None:
        context.program.poisoned = True
    else:
        lowered, args = called
        context.statements.append(
            ir.CallStatement(id=context.node(node.span), local=None, function=lowered.index, args=args)
        )


def _lower_user_call(
    context: FunctionContext, entity: FunctionEntity, node: syntax.Call
) -> tuple[functions.LoweredFunction, tuple[ir.Expression, ...]] | None:
    entity.used = True
    signature = context.program.declarations.signature(entity)
    name = entity.node.name.text
    args = expressions.lower_all(context, node.args, _hints(signature.parameters, len(node.args)))
    if not _arity(context, node, (len(signature.parameters),), _takes(name, (len(signature.parameters),))):
        return None
    fits = [
        value is not None and (type_ is None or expressions.matches(context, value, type_, written))
        for value, type_, written in zip(args, signature.parameters, node.args, strict=True)
    ]
    lowered = functions.call_function(context, entity, node.span)
    if lowered is None or not all(fits):
        return None
    for use, site in lowered.uses.items():
        context.use(use, node.span, site.word, Note(f"`{name}` {use.value} here", site.origin))
    return lowered, tuple(v for v in args if v is not None)


def _hints(types_: Sequence[types.Type | None], count: int) -> list[types.Type | None]:
    return [types_[i] if i < len(types_) else None for i in range(count)]


# ---------------------------------------------------------------- pure built-ins and constructors


def _call_builtin(context: FunctionContext, contract: Contract, node: syntax.Call) -> ir.Expression | None:
    name = contract.builtin.value
    args = expressions.lower_all(context, node.args)
    if not _arity(context, node, (contract.arity,), _takes(name, (contract.arity,))):
        return None
    values = [a for a in args if a is not None]
    if len(values) < len(args):
        return None
    resolved = resolve(contract, [v.type for v in values])
    if resolved is None:
        _no_overload(context, contract, values, node)
        return None
    spread = tuple(
        v if v.type == p else expressions.splat(context, v, p, written.span)
        for v, p, written in zip(values, resolved.parameters, node.args, strict=True)
    )
    return ir.BuiltinCall(id=context.node(node.span), type=resolved.result, builtin=contract.builtin, args=spread)


def _no_overload(
    context: FunctionContext, contract: Contract, values: Sequence[ir.Expression], node: syntax.Call
) -> None:
    name = contract.builtin.value
    found = ", ".join(str(v.type) for v in values)
    notes = (context.note(f"it takes {_overload_text(contract)}"),)
    made: tuple[Fix, ...] = ()
    as_floats = [types.FLOAT if v.type is types.INT else v.type for v in values]
    if resolve(contract, as_floats) is not None:
        made = _float_fixes(context, values, node)
    context.report(rules.WRONG_ARGUMENTS, node.span, f"`{name}` does not take ({found})", notes=notes, fixes=made)


def _float_fixes(context: FunctionContext, values: Sequence[ir.Expression], node: syntax.Call) -> tuple[Fix, ...]:
    """Make Floats of all arguments that are Ints."""
    integers = [a for v, a in zip(values, node.args, strict=True) if v.type is types.INT]
    if len(integers) == 1:
        return fixes.convert(context.home, integers[0], types.INT, types.FLOAT)
    made = [fixes.conversion(context.home, a, types.INT, types.FLOAT) or () for a in integers]
    return (Fix("make Floats of the Ints", tuple(edit for group in made for edit in group)),) if made else ()


def _overload_text(contract: Contract) -> str:
    forms = []
    for overload in contract.overloads:
        parameters = ", ".join(str(p) for p in overload.parameters)
        form = f"`{contract.builtin.value}({parameters}) -> {overload.result}`"
        if overload.choices:
            form += " for T in " + ", ".join(str(c) for c in overload.choices)
        forms.append(form)
    return " or ".join(forms)


def _construct(context: FunctionContext, type_: types.Type, node: syntax.Call) -> ir.Expression | None:
    args = expressions.lower_all(context, node.args)
    if not _arity(context, node, (max(1, len(node.args)),), f"`{str(type_).lower()}` takes its parts"):
        return None
    values = [a for a in args if a is not None]
    if len(values) < len(args):
        return None
    made = _vector(context, type_, values, node) if isinstance(type_, types.Vec) else None
    if isinstance(type_, types.Mat):
        made = _matrix(context, type_, values, node)
    if made is None:
        _bad_construction(context, type_, values, node)
    return made


def _vector(
    context: FunctionContext, type_: types.Vec, values: Sequence[ir.Expression], node: syntax.Call
) -> ir.Expression | None:
    if not all(v.type is types.FLOAT or isinstance(v.type, types.Vec) for v in values):
        return None
    if len(values) == 1 and values[0].type is types.FLOAT:
        return expressions.splat(context, values[0], type_, node.span)
    if len(values) == 1 and values[0].type == type_:
        return values[0]
    if sum(v.type.size if isinstance(v.type, types.Vec) else 1 for v in values) != type_.size:
        return None
    return ir.Make(id=context.node(node.span), type=type_, parts=tuple(values))


def _matrix(
    context: FunctionContext, type_: types.Mat, values: Sequence[ir.Expression], node: syntax.Call
) -> ir.Expression | None:
    size = type_.size
    column = types.Vec(size)
    if len(values) == size and all(v.type == column for v in values):
        return ir.Make(id=context.node(node.span), type=type_, parts=tuple(values))
    if len(values) == size * size and all(v.type is types.FLOAT for v in values):
        columns = tuple(
            ir.Make(id=context.node(node.span), type=column, parts=tuple(values[c * size : (c + 1) * size]))
            for c in range(size)
        )
        return ir.Make(id=context.node(node.span), type=type_, parts=columns)
    return None


def _bad_construction(
    context: FunctionContext, type_: types.Type, values: Sequence[ir.Expression], node: syntax.Call
) -> None:
    name = str(type_).lower()
    found = ", ".join(str(v.type) for v in values)
    if isinstance(type_, types.Vec):
        advice = f"it takes one Float, or Floats and vectors with {type_.size} components in all"
    else:
        assert isinstance(type_, types.Mat)
        advice = f"it takes {type_.size} columns (Vec{type_.size}) or {type_.size**2} Floats, column by column"
    context.report(
        rules.WRONG_ARGUMENTS,
        node.span,
        f"`{name}` does not take ({found})",
        notes=(context.note(advice),),
        fixes=_float_fixes(context, values, node),
    )


# ---------------------------------------------------------------- places and lanes


def _place(kind: ir.PlaceKind) -> Callable[[FunctionContext, syntax.Call], ir.Expression | None]:
    lanes = kind in (ir.PlaceKind.LANE, ir.PlaceKind.GROUP)

    def lower_place(context: FunctionContext, node: syntax.Call) -> ir.Expression | None:
        if not _word_arity(context, node, (0,), _takes(kind.value, (0,))):
            return None
        context.use(Use.LANES if lanes else Use.PLACES, node.span, f"{kind.value}()")
        if kind in _RANKED and not context.program.is_rank_known:
            return None
        return ir.Place(id=context.node(node.span), type=place_type(context, kind), kind=kind)

    return lower_place


_RANKED = frozenset({ir.PlaceKind.COORD, ir.PlaceKind.PLACE, ir.PlaceKind.DOMAIN})
"""What has a number for each axis."""


def place_type(context: FunctionContext, kind: ir.PlaceKind) -> types.Type:
    if kind not in _RANKED:
        return types.INT
    rank = context.program.rank
    return types.position_type(rank) if kind is ir.PlaceKind.PLACE else types.address_type(rank)


def _exchange(context: FunctionContext, node: syntax.Call) -> ir.Expression | None:
    args = expressions.lower_all(context, node.args)
    if not _arity(context, node, (2,), "`exchange` takes a value and a lane's number"):
        return None
    value, lane = args
    if value is None or lane is None or not expressions.matches(context, lane, types.INT, node.args[1]):
        return None
    context.use(Use.LANES, node.span, "exchange")
    local = context.new_local("exchanged", value.type)
    context.statements.append(ir.Exchange(id=context.node(node.span), local=local, value=value, lane=lane))
    return context.read(local, node.span)


# ---------------------------------------------------------------- ports


def _port(context: FunctionContext, node: syntax.Call, word: str) -> PortEntity | None:
    """The port that the first argument names; `used` is set."""
    argument = node.args[0]
    if isinstance(argument, syntax.NameRef) and context.find_local(argument.name.text) is None:
        found = context.scope.find_value(argument.name.text)
        if isinstance(found, PortEntity):
            found.used = True
            context.record.name(argument.name, found, write=word == "put")
            return _readable(context, found, argument)
        if found is None:
            _unknown_port(context, argument.name)
            return None
    expressions.lower(context, argument)
    context.report(
        rules.NOT_A_VALUE,
        argument.span,
        f"`{word}` takes a port by name",
        notes=(context.note("ports are the inputs and memories that the kernel declares; values cannot be read so"),),
    )
    return None


def _readable(context: FunctionContext, port: PortEntity, argument: syntax.NameRef) -> PortEntity | None:
    if port.node.kind is not syntax.PortKind.OUTPUT:
        return port
    context.report(
        rules.NOT_A_VALUE,
        argument.span,
        f"`{argument.name.text}` is an output; it cannot be read",
        notes=(context.note("the body returns its elements"),),
    )
    return None


def _unknown_port(context: FunctionContext, name: syntax.Name) -> None:
    if context.scope.excuses(name.text):
        return
    known = list(context.scope.ports)
    if not known and context.scope.parent is None:
        context.report(
            rules.UNKNOWN_NAME,
            name.span,
            f"there is no port `{name.text}` here",
            notes=(context.note("a function outside a kernel sees no ports: declare it inside the kernel"),),
        )
        return
    context.report(
        rules.UNKNOWN_NAME,
        name.span,
        f"there is no input or memory `{name.text}`{did_you_mean(name.text, known)}",
        fixes=fixes.rename(context.home, name, known),
    )


def _input(context: FunctionContext, node: syntax.Call, word: str) -> tuple[str, types.Field] | None:
    """The input that the first argument names; memories are refused."""
    port = _port(context, node, word)
    if port is None:
        return None
    name = port.node.name.text
    if port.node.kind is syntax.PortKind.MEMORY:
        context.report(
            rules.MEMORY_READ,
            node.span,
            f"`{name}` is a memory: it has no `{word}`",
            notes=(context.note(f"read it by `at({name}, …)`, write it by `put({name}, …)`"),),
            fixes=_memory_fixes(context, port, node),
        )
        return None
    return None if port.type is None else (name, port.type)


def _memory_fixes(context: FunctionContext, port: PortEntity, node: syntax.Call) -> tuple[Fix, ...]:
    """Read the element of a memory that has this step's number."""
    is_plain = isinstance(node.callee, syntax.NameRef) and node.callee.name.text == "sample" and len(node.args) == 1
    if not is_plain or port.type is None or port.type.rank != 1 or context.stands_apart:
        return ()
    return fixes.write(context.home, node.span, f"at({port.node.name.text}, index())")


def _sample(context: FunctionContext, node: syntax.Call) -> ir.Expression | None:
    form = "`sample` takes an input, and for a filtered read a position"
    if not _word_arity(context, node, (1, 2), form, _position_fixes(context, node)):
        return None
    found = _input(context, node, "sample")
    if found is None:
        _lower_rest(context, node)
        return None
    name, type_ = found
    context.use(Use.PORTS, node.span, f"sample({name})")
    if len(node.args) == 2:
        return _sample_at(context, node, name, type_)
    context.use(Use.PLACES, node.span, f"sample({name})")
    if type_.rank != context.program.rank:
        _sample_rank(context, node, name, type_)
        return None
    return ir.Sample(id=context.node(node.span), type=type_.element, port=name)


def _position_fixes(context: FunctionContext, node: syntax.Call) -> tuple[Fix, ...]:
    """`sample(f, x, y)` with its coordinates in a vector."""
    parts = node.args[1:]
    if not 2 <= len(parts) <= 3:
        return ()
    word = f"vec{len(parts)}("
    return (Fix(f"make a vector: `{word}…)`", edits.wrap(context.home, parts[0].span.to(parts[-1].span), word, ")")),)


def _sample_rank(context: FunctionContext, node: syntax.Call, name: str, type_: types.Field) -> None:
    here = types.RANK_NAMES[context.program.rank]
    context.report(
        rules.SAMPLE_RANK,
        node.span,
        f"`{name}` is a {type_}, but this kernel walks a {here}",
        label="`sample` with one argument reads at this run's place",
        notes=(context.note(f"read another place by `at({name}, …)` or `sample({name}, position)`"),),
    )


def _sample_at(context: FunctionContext, node: syntax.Call, name: str, type_: types.Field) -> ir.Expression | None:
    position = expressions.lower_as(
        context,
        node.args[1],
        types.position_type(type_.rank),
        rule=rules.BAD_ADDRESS,
        reason=f"a position in a {types.RANK_NAMES[type_.rank]} goes from 0.0 to 1.0 along each axis",
    )
    if not types.float_shape(type_.element):
        context.report(
            rules.NOT_FILTERABLE,
            node.span,
            f"elements of `{name}` are {type_.element}: they cannot be mixed",
            notes=(context.note(f"`sample` at a position mixes neighbours; read one element by `at({name}, …)`"),),
            fixes=() if position is None else _nearest_fixes(context, node, name, type_),
        )
        return None
    if position is None:
        return None
    return ir.SampleAt(id=context.node(node.span), type=type_.element, port=name, position=position)


def _nearest_fixes(context: FunctionContext, node: syntax.Call, name: str, type_: types.Field) -> tuple[Fix, ...]:
    """Read the element that holds the position."""
    position = edits.source(context.home, node.args[1].span)
    if isinstance(node.args[1], syntax.Binary):
        position = f"({position})"
    address = f"int(floor({position} * float(size({name}))))" if type_.rank == 1 else f"{position} * size({name})"
    return fixes.write(context.home, node.span, f"at({name}, {address})")


def _lower_rest(context: FunctionContext, node: syntax.Call) -> None:
    for argument in node.args[1:]:
        expressions.lower(context, argument)


def _at(context: FunctionContext, node: syntax.Call) -> ir.Expression | None:
    if not _word_arity(context, node, (2, 3, 4), "`at` takes a port and an address"):
        return None
    port = _port(context, node, "at")
    if port is None or port.type is None:
        _lower_rest(context, node)
        return None
    name = port.node.name.text
    values = expressions.lower_all(context, node.args[1:])
    address = tuple(v for v in values if v is not None)
    if len(address) < len(values) or not _address_fits(context, port.type, name, address, node):
        return None
    if port.node.kind is syntax.PortKind.INPUT:
        context.use(Use.PORTS, node.span, f"at({name}, …)")
        return ir.At(id=context.node(node.span), type=port.type.element, port=name, address=address)
    context.use(Use.MEMORY, node.span, f"at({name}, …)")
    local = context.new_local(name, port.type.element)
    context.statements.append(ir.Load(id=context.node(node.span), local=local, memory=name, address=address))
    return context.read(local, node.span)


def _address_fits(
    context: FunctionContext,
    type_: types.Field,
    name: str,
    address: Sequence[ir.Expression],
    node: syntax.Call,
) -> bool:
    """Whether these values are an element's address: one Int, one vector, or an Int for each axis."""
    found = tuple(v.type for v in address)
    if found in ((types.INT,) * type_.rank, (types.address_type(type_.rank),)):
        return True
    axes = ", ".join("xyz"[: type_.rank])
    forms = "one Int" if type_.rank == 1 else f"a Vec{type_.rank}, or {type_.rank} Ints ({axes})"
    given = ", ".join(str(t) for t in found)
    written = node.args[1 : 1 + len(address)]
    context.report(
        rules.BAD_ADDRESS,
        node.span,
        f"an address in `{name}`, a {type_}, is {forms}; this is ({given})",
        fixes=_address_fixes(context, type_.rank, found, written),
    )
    return False


def _address_fixes(
    context: FunctionContext, rank: int, found: tuple[types.Type, ...], written: Sequence[syntax.Expr]
) -> tuple[Fix, ...]:
    """Make an address of numbers of the wrong type: a Float is floored, as in a vector."""
    home = context.home
    if len(found) == rank and all(t in (types.INT, types.FLOAT) for t in found):
        if rank > 1 and set(found) == {types.FLOAT}:
            whole = written[0].span.to(written[-1].span)
            return (Fix(f"make a vector: `vec{rank}(…)`", edits.wrap(home, whole, f"vec{rank}(", ")")),)
        floats = [w for t, w in zip(found, written, strict=True) if t is types.FLOAT]
        made = tuple(edit for w in floats for edit in fixes.floored(home, w))
        return (Fix("floor it: `int(floor(…))`" if len(made) > 1 else f"write `{made[0].text}`", made),)
    if rank > 1 and len(found) == 1 and isinstance(found[0], types.Vec):
        return fixes.convert(home, written[0], found[0], types.address_type(rank))
    return ()


def _measure(word: str) -> Callable[[FunctionContext, syntax.Call], ir.Expression | None]:
    def lower_measure(context: FunctionContext, node: syntax.Call) -> ir.Expression | None:
        if not _word_arity(context, node, (1,), f"`{word}` takes a port"):
            return None
        if word == "extent":
            found = _input(context, node, word)
        else:
            port = _port(context, node, word)
            found = None if port is None or port.type is None else (port.node.name.text, port.type)
        if found is None:
            return None
        name, type_ = found
        context.use(Use.PORTS, node.span, f"{word}({name})")
        id_ = context.node(node.span)
        if word == "extent":
            return ir.Extent(id=id_, type=types.position_type(type_.rank), port=name)
        return ir.Size(id=id_, type=types.address_type(type_.rank), port=name)

    return lower_measure


# ---------------------------------------------------------------- statements that act


def _statement_only(context: FunctionContext, node: syntax.Call) -> None:
    assert isinstance(node.callee, syntax.NameRef)
    word = node.callee.name.text
    context.report(
        rules.NO_VALUE,
        node.span,
        f"`{word}` has no value",
        notes=(context.note(f"write it as a statement: `{word}(…);`"),),
    )


def lower_put(context: FunctionContext, node: syntax.Call) -> None:
    """`put(memory, address, value);`."""
    if not _word_arity(context, node, (3, 4, 5), "`put` takes a memory, an address and a value"):
        return
    port = _port(context, node, "put")
    if port is None or port.type is None:
        _lower_rest(context, node)
        return
    name = port.node.name.text
    if port.node.kind is not syntax.PortKind.MEMORY:
        context.report(
            rules.PUT_NOT_ALLOWED,
            node.span,
            f"`{name}` is an input: it cannot be written",
            notes=(context.note(f"declare it as `memory {name}: {port.type};` in a scan, or return an output"),),
            fixes=_memory_fix(context, port),
        )
        _lower_rest(context, node)
        return
    parts = expressions.lower_all(context, node.args[1:], [None] * (len(node.args) - 2) + [port.type.element])
    good = [p for p in parts if p is not None]
    if len(good) < len(parts):
        return
    *address, value = good
    if not _address_fits(context, port.type, name, address, node):
        return
    if not expressions.matches(
        context,
        value,
        port.type.element,
        node.args[-1],
        reason=f"elements of `{name}` are {port.type.element}",
    ):
        return
    context.use(Use.MEMORY, node.span, f"put({name}, …)")
    context.statements.append(ir.Put(id=context.node(node.span), memory=name, address=tuple(address), value=value))


def _memory_fix(context: FunctionContext, port: PortEntity) -> tuple[Fix, ...]:
    """Declare an input that is written as a memory, where all else that reads it is `at` and `size`."""
    kernel, name = context.program.node, port.node.name.text
    if kernel is None:
        return ()
    walked = {n.over.text for n in descendants(kernel) if isinstance(n, _WALKS)}
    sampled = any(
        isinstance(n, syntax.Call)
        and isinstance(n.callee, syntax.NameRef)
        and n.callee.name.text in ("sample", "extent")
        and any(isinstance(a, syntax.NameRef) and a.name.text == name for a in n.args[:1])
        for n in descendants(kernel)
    )
    is_scan = any(isinstance(m, syntax.ScanBody) for m in kernel.members)
    if not is_scan or name in walked or sampled:
        return ()
    word = Span(port.node.span.start, port.node.span.start + len("input"))
    return (Fix(f"make `{name}` a memory", (edits.replace(context.home, word, "memory"),)),)


_WALKS = (syntax.ReductionBody, syntax.ScanBody, syntax.ScatterBody, syntax.PrefixBody)


def lower_emit(context: FunctionContext, node: syntax.Call) -> None:
    """`emit(pair);`."""
    if not _word_arity(context, node, (1,), "`emit` takes one pair"):
        return
    value = expressions.lower(context, node.args[0])
    context.use(Use.EMIT, node.span, "emit")
    if value is None:
        return
    if not context.program.in_scatter or functions.check_pair(context, value, node.args[0].span):
        context.statements.append(ir.Emit(id=context.node(node.span), value=value))


_WORD_CALLS: dict[str, Callable[[FunctionContext, syntax.Call], ir.Expression | None]] = {
    **{kind.value: _place(kind) for kind in ir.PlaceKind},
    "exchange": _exchange,
    "sample": _sample,
    "at": _at,
    "size": _measure("size"),
    "extent": _measure("extent"),
    "put": _statement_only,
    "emit": _statement_only,
}

_FUNCTION_HABITS = {
    "lerp": "mix(a, b, t)",
    "frac": "fract(x)",
    "rsqrt": "inversesqrt(x)",
    "fma": "a * b + c",
    "mad": "a * b + c",
    "float2": "vec2(x, y)",
    "float3": "vec3(x, y, z)",
    "float4": "vec4(x, y, z, w)",
    "f32": "float(x)",
    "i32": "int(x)",
    "texture": "sample(f, p)",
    "load": "at(f, i)",
    "store": "put(m, i, v);",
    "fabs": "abs(x)",
    "fmin": "min(a, b)",
    "fmax": "max(a, b)",
    "powf": "pow(x, y)",
    "countOneBits": "popcount(x)",
    "mod": "a % b",
    "fmod": "a % b",
    "rand": "random(i)",
}
