"""Checking `example` members: names, values against types, and what is left unbound."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from kcheck.checker import floats, ir, rules, types
from kcheck.checker.bindings import BoundValue, ExampleSpec, FileValue, Generated
from kcheck.checker.lower.declarations import Declarations
from kcheck.checker.lower.scopes import ConstEntity, Home, Scope
from kcheck.checker.near import did_you_mean
from kcheck.grammar import syntax
from kcheck.grammar.diagnostics import Note
from kcheck.grammar.spans import Origin, Span

GENERATORS = ("zeros", "range", "random")
_NUMBERS = {"NaN": float("nan"), "Infinity": float("inf")}


class _Bad(Exception):
    """A value that cannot be, with where and why."""

    def __init__(self, span: Span, message: str, note: str = "") -> None:
        super().__init__(message)
        self.span, self.message, self.note = span, message, note


@dataclass
class _Example:
    node: syntax.Example
    kernel: syntax.Kernel
    home: Home
    scope: Scope
    declarations: Declarations
    values: dict[str, BoundValue] = field(default_factory=dict)
    expected: dict[str, BoundValue] = field(default_factory=dict)
    origins: dict[str, Origin] = field(default_factory=dict)
    domain: tuple[int, ...] | None = None
    good: bool = True

    def report(self, span: Span, message: str, *notes: str) -> None:
        self.good = False
        made = tuple(Note(n) for n in notes if n)
        self.declarations.problems.add(rules.BAD_EXAMPLE.report(self.home.at(span), message, notes=made))


def check_examples(kernel: syntax.Kernel, home: Home, scope: Scope, declarations: Declarations) -> list[ExampleSpec]:
    """The examples of a kernel that have no error."""
    specs = []
    seen: set[str] = set()
    for node in kernel.members:
        if isinstance(node, syntax.Example):
            example = _Example(node, kernel, home, scope, declarations)
            if node.name.text in seen:
                example.report(node.name.span, f"a second example `{node.name.text}`")
            seen.add(node.name.text)
            spec = _check(example)
            if spec is not None:
                specs.append(spec)
    return specs


def _check(example: _Example) -> ExampleSpec | None:
    for entry in example.node.entries:
        try:
            _entry(example, entry)
        except _Bad as bad:
            example.report(bad.span, bad.message, bad.note)
    _check_missing(example)
    if not example.good:
        return None
    return ExampleSpec(
        name=example.node.name.text,
        kernel=example.kernel.name.text,
        values=example.values,
        domain=example.domain,
        expected=example.expected,
        origin=example.home.at(example.node.name.span),
        expected_origins=example.origins,
    )


def _entry(example: _Example, entry: syntax.ExampleEntry) -> None:
    name = entry.name.text
    if name == "domain" and not entry.expected and not entry.escaped:
        example.domain = _size(entry.value)
        return
    target = example.expected if entry.expected else example.values
    if name in target:
        raise _Bad(entry.name.span, f"`{name}` is given twice")
    type_ = _type_of(example, entry)
    value = _value(example, entry.value)
    if type_ is not None:
        _check_fit(value, type_, entry.value.span)
    target[name] = value
    if entry.expected:
        example.origins[name] = example.home.at(entry.name.span)


def _type_of(example: _Example, entry: syntax.ExampleEntry) -> types.Type | types.Field | None:
    """The type of the port or param that an entry names; None where it could not be read."""
    name, scope = entry.name.text, example.scope
    port, param = scope.ports.get(name), scope.params.get(name)
    result_kinds = (syntax.PortKind.OUTPUT, syntax.PortKind.MEMORY)
    input_kinds = (syntax.PortKind.INPUT, syntax.PortKind.MEMORY)
    if port is not None and port.node.kind in (result_kinds if entry.expected else input_kinds):
        return port.type
    if param is not None and not entry.expected:
        return param.type
    known = [n for n, p in scope.ports.items() if p.node.kind in (result_kinds if entry.expected else input_kinds)]
    known += [] if entry.expected else list(scope.params)
    what = "output or memory" if entry.expected else "input, memory or param"
    advice = "write `expect` before it" if port is not None and not entry.expected else ""
    raise _Bad(entry.name.span, f"the kernel has no {what} `{name}`{did_you_mean(name, known)}", advice)


def _check_missing(example: _Example) -> None:
    scope = example.scope
    inputs = [n for n, p in scope.ports.items() if p.node.kind is not syntax.PortKind.OUTPUT]
    params = [n for n, p in scope.params.items() if p.node.default is None]
    given = {e.name.text for e in example.node.entries if not e.expected}
    missing = [n for n in (*inputs, *params) if n not in given]
    if missing:
        names = ", ".join(f"`{m}`" for m in missing)
        example.report(example.node.name.span, f"this example does not bind {names}")


# ---------------------------------------------------------------- values


def _size(node: syntax.Expr) -> tuple[int, ...]:
    """A size: `n`, `(w, h)` or `(w, h, d)`."""
    parts = node.elements if isinstance(node, syntax.Tuple) else (node,)
    sizes = tuple(p.value for p in parts if isinstance(p, syntax.IntLiteral))
    if len(sizes) < len(parts) or not 1 <= len(sizes) <= 3:
        raise _Bad(node.span, "a size is a whole number, `(w, h)` or `(w, h, d)`")
    return sizes


def _value(example: _Example, node: syntax.Expr) -> BoundValue:
    match node:
        case syntax.IntLiteral() | syntax.BoolLiteral():
            return node.value
        case syntax.FloatLiteral():
            return float(node.text)
        case syntax.Unary(op="-"):
            return _negative(example, node)
        case syntax.ArrayLiteral():
            return [_value(example, e) for e in node.elements]
        case syntax.ArrayRepeat():
            return _repeat(example, node)
        case syntax.Record():
            return {f.name.text: _value(example, f.value) for f in node.fields}
        case syntax.StructValue():
            return _struct(example, node)
        case syntax.NameRef() | syntax.Member():
            return _name(example, node)
        case syntax.Call():
            return _call(example, node)
        case _:
            raise _Bad(
                node.span,
                "this is no value of an example",
                "values are literals, lists, generators and files",
            )


def _negative(example: _Example, node: syntax.Unary) -> BoundValue:
    value = _value(example, node.operand)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise _Bad(node.span, "`-` takes a number")
    return -value


def _repeat(example: _Example, node: syntax.ArrayRepeat) -> BoundValue:
    count = _size(node.length)
    if len(count) != 1 or count[0] > types.MAX_LEAVES:
        raise _Bad(node.length.span, f"a repeated list has up to {types.MAX_LEAVES} elements")
    return [_value(example, node.value)] * count[0]


def _struct(example: _Example, node: syntax.StructValue) -> BoundValue:
    fields: dict[str, BoundValue] = {f.name.text: _value(example, f.value) for f in node.fields}
    is_variant = node.enum is not None or example.scope.find_type(node.name.text) is None
    return {node.name.text: fields} if is_variant else fields


def _name(example: _Example, node: syntax.NameRef | syntax.Member) -> BoundValue:
    if isinstance(node, syntax.Member):
        return node.name.text
    name = node.name.text
    if name in _NUMBERS:
        return _NUMBERS[name]
    constant = example.scope.find_value(name)
    if isinstance(constant, ConstEntity):
        return _constant(example, constant, node)
    if example.scope.find_variants(name):
        return name
    raise _Bad(node.span, f"there is no value `{name}` here")


def _constant(example: _Example, entity: ConstEntity, node: syntax.NameRef) -> BoundValue:
    value = example.declarations.constant(entity)
    if value is None:
        raise _Bad(node.span, f"the constant `{node.name.text}` has an error")
    if not isinstance(value.type, types.Scalar):
        raise _Bad(node.span, "in an example a constant stands for one number")
    return bool(value.leaves[0]) if value.type is types.BOOL else ir.const_numbers(value)[0]


def _call(example: _Example, node: syntax.Call) -> BoundValue:
    name = node.callee.name.text if isinstance(node.callee, syntax.NameRef) else ""
    if name == "file":
        if len(node.args) != 1 or not isinstance(node.args[0], syntax.StringLiteral):
            raise _Bad(node.span, '`file` takes one path in quotes: `file("photo.png")`')
        return FileValue(node.args[0].value)
    if name in ("vec2", "vec3", "vec4"):
        return _vector(example, node, int(name[-1]))
    if name in GENERATORS:
        return _generator(node, name)
    raise _Bad(node.span, f"an example cannot call `{name}`", "it can: `zeros`, `range`, `random`, `file`, `vec2` …")


def _vector(example: _Example, node: syntax.Call, size: int) -> BoundValue:
    values = [_value(example, a) for a in node.args]
    if len(values) == 1:
        values *= size
    if len(values) != size:
        raise _Bad(node.span, f"`vec{size}` takes {size} numbers")
    return values


def _generator(node: syntax.Call, name: str) -> Generated:
    keywords = {k.name.text: k.value for k in node.keywords}
    seed = keywords.pop("seed", None) if name == "random" else None
    if keywords or len(node.args) != 1:
        raise _Bad(node.span, f"`{name}` takes a size" + (" and `seed = …`" if name == "random" else ""))
    size = _size(node.args[0])
    if name == "range" and len(size) != 1:
        raise _Bad(node.args[0].span, "`range` takes one whole number")
    return Generated(name, size, 0 if seed is None else _size(seed)[0])


# ---------------------------------------------------------------- values against types


def _check_fit(value: BoundValue, type_: types.Type | types.Field, span: Span) -> None:
    """Raise where a literal cannot be a value of `type_`; files and generators show at run time."""
    if isinstance(value, FileValue):
        return
    if isinstance(value, Generated):
        _check_generated(value, type_, span)
        return
    if isinstance(type_, types.Field):
        _check_axes(value, type_.rank, type_.element, span)
    else:
        _check_element(value, type_, span)


def _check_generated(value: Generated, type_: types.Type | types.Field, span: Span) -> None:
    if not isinstance(type_, types.Field):
        raise _Bad(span, f"`{value.kind}` makes a field; a param takes one value")
    if len(value.size) != type_.rank:
        raise _Bad(span, f"a {types.RANK_NAMES[type_.rank]} has {type_.rank} sizes, this has {len(value.size)}")
    if value.kind == "random" and not _only_floats(type_.element):
        raise _Bad(span, f"`random` makes Floats, not {type_.element}")
    if value.kind == "range" and type_.element not in (types.INT, types.FLOAT):
        raise _Bad(span, f"`range` makes whole numbers, not {type_.element}")


def _only_floats(type_: types.Type) -> bool:
    return types.contains(type_, types.FLOAT) and not (
        types.contains(type_, types.INT) or types.contains(type_, types.BOOL)
    )


def _check_axes(value: BoundValue, rank: int, element: types.Type, span: Span) -> None:
    if rank == 0:
        _check_element(value, element, span)
        return
    if not isinstance(value, list):
        raise _Bad(span, f"expected a list of {element}, found {_kind(value)}")
    if rank > 1 and len({len(v) for v in value if isinstance(v, list)}) > 1:
        raise _Bad(span, "the rows of this list have different lengths")
    for part in value:
        _check_axes(part, rank - 1, element, span)


def _check_element(value: BoundValue, type_: types.Type, span: Span) -> None:
    match type_:
        case types.Scalar():
            _check_scalar(value, type_, span)
        case types.Struct():
            _check_struct(value, type_, span)
        case types.Enum():
            _check_enum(value, type_, span)
        case types.Unit():
            raise _Bad(span, "no value has this type")
        case _:
            parts = types.parts(type_)
            if not isinstance(value, list):
                raise _Bad(span, f"a {type_} is a list of {len(parts)}, this is {_kind(value)}")
            if len(value) != len(parts):
                raise _Bad(span, f"a {type_} has {len(parts)} parts, this has {len(value)}")
            for part, part_type in zip(value, parts, strict=True):
                _check_element(part, part_type, span)


def _check_scalar(value: BoundValue, type_: types.Scalar, span: Span) -> None:
    is_int = isinstance(value, int) and not isinstance(value, bool)
    good = {
        types.BOOL: isinstance(value, bool),
        types.INT: is_int,
        types.FLOAT: is_int or isinstance(value, float),
    }[type_]
    if not good:
        raise _Bad(span, f"expected a value of type {type_}, found {_kind(value)}")
    if type_ is types.INT and isinstance(value, int) and not -(2**31) <= value < 2**31:
        raise _Bad(span, f"{value} does not fit an Int")
    if type_ is types.FLOAT and isinstance(value, int) and floats.bits_of(str(value)) is None:
        raise _Bad(span, "this number is too large for a Float")


def _check_struct(value: BoundValue, type_: types.Struct, span: Span) -> None:
    if not isinstance(value, dict):
        raise _Bad(span, f"a {type_} is written `{{ field: value }}`, this is {_kind(value)}")
    _check_fields(value, type_.fields, str(type_), span)


def _check_fields(value: Mapping[str, BoundValue], fields: tuple[types.FieldOf, ...], owner: str, span: Span) -> None:
    names = [f.name for f in fields]
    for name in value:
        if name not in names:
            raise _Bad(span, f"`{owner}` has no field `{name}`{did_you_mean(name, names)}")
    for f in fields:
        if f.name not in value:
            raise _Bad(span, f"`{owner}` also needs `{f.name}`")
        _check_element(value[f.name], f.type, span)


def _check_enum(value: BoundValue, type_: types.Enum, span: Span) -> None:
    if isinstance(value, dict) and len(value) == 1:
        ((name, payload),) = value.items()
    else:
        name, payload = (value, {}) if isinstance(value, str) else ("", {})
    index = type_.index(name)
    if index is None or not isinstance(payload, dict):
        listing = ", ".join(f"`{v.name}`" for v in type_.variants)
        raise _Bad(span, f"a {type_} is one of {listing}")
    _check_fields(payload, type_.variants[index].fields, name, span)


def _kind(value: BoundValue) -> str:
    match value:
        case bool():
            return "a Bool"
        case int():
            return "a whole number"
        case float():
            return "a number with a fraction"
        case str():
            return f"`{value}`"
        case list():
            return "a list"
        case dict():
            return "a record"
        case _:
            return "a generator or file"
