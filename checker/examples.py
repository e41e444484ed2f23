"""Checking `example` members: names, values against types, shapes, and what is left unbound."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from kcheck.checker import ir, rules, types
from kcheck.checker.bindings import BoundValue, ExampleSpec, FileValue
from kcheck.checker.example_values import BadValueError, ValueReader, shape_of, value_leaves
from kcheck.checker.lower import edits, fixes
from kcheck.checker.lower.declarations import Declarations
from kcheck.checker.lower.recording import Vocabulary
from kcheck.checker.lower.scopes import Home, Scope
from kcheck.checker.near import did_you_mean
from kcheck.grammar import syntax
from kcheck.grammar.diagnostics import Fix, Note
from kcheck.grammar.spans import Origin, Span


@dataclass
class _Example:
    node: syntax.Example
    kernel: syntax.Kernel
    home: Home
    scope: Scope
    declarations: Declarations
    reader: ValueReader
    values: dict[str, BoundValue] = field(default_factory=dict)
    expected: dict[str, BoundValue] = field(default_factory=dict)
    origins: dict[str, Origin] = field(default_factory=dict)
    places: dict[str, Span] = field(default_factory=dict)
    """Where the value of each input, memory and param stands."""
    domain: tuple[int, ...] | None = None
    domain_entry: syntax.ExampleEntry | None = None
    good: bool = True

    def report(self, span: Span, message: str, *notes: str, fixes: tuple[Fix, ...] = ()) -> None:
        self.good = False
        made = tuple(Note(n) for n in notes if n)
        self.declarations.problems.add(rules.BAD_EXAMPLE.report(self.home.at(span), message, notes=made, fixes=fixes))


def check_examples(
    kernel: syntax.Kernel, home: Home, scope: Scope, declarations: Declarations, program: ir.Program | None
) -> list[ExampleSpec]:
    """The examples of a kernel that have no error; `program` is None where the kernel has one."""
    reader = ValueReader(scope, home, declarations)
    specs = []
    seen: set[str] = set()
    names = {m.name.text for m in kernel.members if isinstance(m, syntax.Example)}
    for node in kernel.members:
        if isinstance(node, syntax.Example):
            example = _Example(node, kernel, home, scope, declarations, reader)
            if node.name.text in seen:
                free = fixes.free_name(node.name.text, seen | names)
                made = fixes.rename_to(home, node.name, free)
                example.report(node.name.span, f"a second example `{node.name.text}`", fixes=made)
            seen.add(node.name.text)
            spec = _check(example, program)
            if spec is not None:
                specs.append(spec)
    return specs


def _check(example: _Example, program: ir.Program | None) -> ExampleSpec | None:
    names = [_take(example, entry) for entry in example.node.entries]
    if example.node.errors:
        example.good = False
    elif all(names):
        _check_missing(example)
    if example.good and program is not None:
        _check_ranges(example, program)
        _check_shapes(example, program)
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


# ---------------------------------------------------------------- entries


def _take(example: _Example, entry: syntax.ExampleEntry) -> bool:
    """Take the value of one entry; whether its name is known."""
    name = entry.name.text
    is_domain = name == "domain" and not entry.expected and not entry.escaped
    _record_name(example, entry.name, is_domain)
    given = example.domain_entry if is_domain else (example.origins if entry.expected else example.places).get(name)
    if given is not None:
        made = fixes.remove(example.home, entry.span, f"the second `{name}`")
        example.report(entry.name.span, f"`{name}` is given twice", fixes=made)
        return True
    if not is_domain and not _is_known(example, entry):
        return False
    try:
        if is_domain:
            example.domain_entry = entry
            example.domain = example.reader.size(entry.value)
        else:
            _bind(example, entry)
    except BadValueError as bad:
        example.good = False
        if bad.message:
            example.report(bad.span, bad.message, bad.note)
    return True


def _record_name(example: _Example, name: syntax.Name, is_domain: bool) -> None:
    record = example.declarations.recorder.item(example.home)
    found = example.scope.ports.get(name.text) or example.scope.params.get(name.text)
    if is_domain:
        record.word(name, Vocabulary.EXAMPLE)
    elif found is not None:
        record.name(name, found)


def _bind(example: _Example, entry: syntax.ExampleEntry) -> None:
    name = entry.name.text
    if entry.expected:
        example.origins[name] = example.home.at(entry.name.span)
    else:
        example.places[name] = entry.value.span
    port, param = example.scope.ports.get(name), example.scope.params.get(name)
    type_ = port.type if port is not None else param.type if param is not None else None
    if type_ is None:
        example.good = False
        return
    value = example.reader.read(entry.value, type_)
    (example.expected if entry.expected else example.values)[name] = value


def _is_known(example: _Example, entry: syntax.ExampleEntry) -> bool:
    """Whether the kernel has what an entry names; reports it where not."""
    name, scope = entry.name.text, example.scope
    other = syntax.PortKind.OUTPUT if not entry.expected else syntax.PortKind.INPUT
    known = [n for n, p in scope.ports.items() if p.node.kind is not other]
    known += [] if entry.expected else list(scope.params)
    if name in known:
        return True
    if scope.excuses(name):
        example.good = False
        return False
    what = "output or memory" if entry.expected else "input, memory or param"
    if not entry.expected and name in scope.ports:
        advice = "outputs are expected: write `expect` before it"
        made: tuple[Fix, ...] = (
            Fix("write `expect` before it", (edits.insert(example.home, entry.span.start, "expect "),)),
        )
        example.report(entry.name.span, f"the kernel has no {what} `{name}`", advice, fixes=made)
        return False
    given = {e.name.text for e in example.node.entries if e.expected == entry.expected}
    made = fixes.rename(example.home, entry.name, [k for k in known if k not in given])
    made = made or fixes.remove(example.home, entry.span)
    example.report(entry.name.span, f"the kernel has no {what} `{name}`{did_you_mean(name, known)}", fixes=made)
    return False


def _check_missing(example: _Example) -> None:
    scope = example.scope
    inputs = [n for n, p in scope.ports.items() if p.node.kind is not syntax.PortKind.OUTPUT]
    params = [n for n, p in scope.params.items() if p.node.default is None]
    missing = [n for n in (*inputs, *params) if n not in example.places]
    if missing:
        names = ", ".join(f"`{m}`" for m in missing)
        made = _binding_fixes(example, missing)
        example.report(example.node.name.span, f"this example does not bind {names}", fixes=made)


def _binding_fixes(example: _Example, missing: list[str]) -> tuple[Fix, ...]:
    """Bind what is missing to zeros: fields to as many as other fields have, as far as that is plain to see."""
    lines = []
    for name in missing:
        port, param = example.scope.ports.get(name), example.scope.params.get(name)
        if param is not None and param.type is not None:
            lines.append(f"{name} = {fixes.zero(param.type)};")
        elif port is not None and port.type is not None and _is_zeroed(port.type.element):
            size = _given_size(example, port.type.rank)
            lines.append(f"{name} = zeros({size[0] if len(size) == 1 else size});")
        else:
            return ()
    text = " ".join(lines)
    return (Fix(f"add `{text}`", (edits.add_last(example.home, example.node.span, text),)),)


def _is_zeroed(element: types.Type) -> bool:
    return not types.contains_enum(element)


def _given_size(example: _Example, rank: int) -> tuple[int, ...]:
    """The size, x first, of another field of this rank that the example binds; else small."""
    if example.domain is not None and len(example.domain) == rank:
        return example.domain
    for name, value in example.values.items():
        port = example.scope.ports.get(name)
        if port is not None and port.type is not None and port.type.rank == rank:
            shape = shape_of(value, rank)
            if shape is not None:
                return shape[::-1]
    return (4,) * rank


# ---------------------------------------------------------------- what a run would refuse


def _check_ranges(example: _Example, program: ir.Program) -> None:
    for param in program.params:
        value = example.values.get(param.name)
        if value is None or isinstance(value, FileValue) or param.low is None or param.high is None:
            continue
        ends = (ir.const_numbers(param.low), ir.const_numbers(param.high))
        leaves = value_leaves(value, param.type)
        outside = next(
            ((v, low, high) for v, low, high in zip(leaves, *ends, strict=True) if not low <= v <= high), None
        )
        if outside is not None:
            value_, low, high = outside
            place = example.places[param.name]
            nearest = low if not value_ >= low else high
            made = fixes.write(example.home, place, f"{nearest}") if isinstance(param.type, types.Scalar) else ()
            example.report(place, f"{value_} is outside the range of `{param.name}`", fixes=made)


class _Size(NamedTuple):
    """The size of a field along each axis, slowest first, and what says so."""

    what: str
    shape: tuple[int, ...]
    span: Span


def _check_shapes(example: _Example, program: ir.Program) -> None:
    """Whether the fields that are read at a run's own place have one size, as far as literals tell."""
    entry = example.domain_entry
    if isinstance(program.schedule, (ir.Elements, ir.Lanes)):
        _check_domain(example, program)
    elif entry is not None:
        message = f"this kernel walks its input `{program.schedule.over}`, so it takes no domain"
        example.report(entry.name.span, message, fixes=fixes.remove(example.home, entry.span))
    if not example.good:
        return
    sizes = list(_known_sizes(example, program))
    first = sizes[0] if sizes else _Size("", (), Span(0, 0))
    if isinstance(program.schedule, ir.Fold) and 0 in first.shape:
        example.report(first.span, "a fold needs at least one element")
    for size in sizes[1:]:
        if size.shape != first.shape:
            message = f"{size.what} has {_size_text(size.shape)}, but {first.what} has {_size_text(first.shape)}"
            note = "both are read at each run's own place, so they need one size"
            example.report(size.span, message, note)


def _known_sizes(example: _Example, program: ir.Program) -> Iterator[_Size]:
    """The sizes that are known of the domain and of what is read at a run's own place; what leads comes first."""
    if example.domain is not None and example.domain_entry is not None:
        yield _Size("the domain", example.domain[::-1], example.domain_entry.value.span)
    over = getattr(program.schedule, "over", None)
    ports = [p for p in program.inputs if p.name in program.sampled or p.name == over]
    for port in sorted(ports, key=lambda p: (p.name != over, example.places[p.name])):
        shape = shape_of(example.values[port.name], port.type.rank)
        if shape is not None:
            yield _Size(f"`{port.name}`", shape, example.places[port.name])


def _check_domain(example: _Example, program: ir.Program) -> None:
    forms = {1: "domain = 64", 2: "domain = (64, 32)", 3: "domain = (64, 32, 16)"}[program.rank]
    if example.domain is None and not program.sampled:
        message = "this example needs a domain: the kernel samples no input whose size could give one"
        made = (Fix(f"add `{forms};`", (edits.add_last(example.home, example.node.span, f"{forms};"),)),)
        example.report(example.node.name.span, message, f"write `{forms};`", fixes=made)
    elif example.domain is not None and example.domain_entry is not None and len(example.domain) != program.rank:
        kind = types.RANK_NAMES[program.rank]
        message = f"the outputs are {kind}, whose domain is written `{forms}`"
        example.report(example.domain_entry.value.span, message)


def _size_text(shape: tuple[int, ...]) -> str:
    return " × ".join(str(n) for n in reversed(shape)) + (" elements" if len(shape) == 1 else "")
