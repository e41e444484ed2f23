"""What is shown between the letters: types, names of arguments, lanes, sizes of examples, results of runs.

Hints of an item come from its facts alone and stand at places of its own, so what is typed elsewhere moves none.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from enum import Enum
from typing import Any, NamedTuple

from lsprotocol import types as lsp

from kcheck.checker import ir
from kcheck.checker.bindings import ExampleSpec
from kcheck.checker.builtins import CONSTRUCTORS
from kcheck.checker.example_values import shape_of
from kcheck.checker.facts import ItemFacts, SymbolKind
from kcheck.grammar import syntax
from kcheck.grammar.source import ParsedItem
from kcheck.grammar.spans import Span
from kcheck.grammar.walk import descendants
from kcheck.lsp.features.hover import is_fresh
from kcheck.lsp.features.kernels import KernelItem, kernels
from kcheck.lsp.options import Options
from kcheck.lsp.outcomes import Outcome
from kcheck.lsp.runs.results import Output
from kcheck.lsp.view import View

_LITERALS = (syntax.IntLiteral, syntax.FloatLiteral, syntax.BoolLiteral)
_WIDEST = 48
"""Values of more characters are not shown, but their least and greatest number."""


class Kind(Enum):
    """What a hint in code tells."""

    TYPE = "the type of a local"
    ARGUMENT = "what an argument is for"
    LANES = "whether lanes differ"


class Mark(NamedTuple):
    """A hint in code, at an offset in its item."""

    offset: int
    kind: Kind
    text: str


class Marks:
    """The marks of items, which are kept from analysis to analysis while what they rest on stays."""

    def __init__(self) -> None:
        self._known: dict[str, dict[str, tuple[ItemFacts, Sequence[Mark]]]] = {}

    def of(self, view: View, items: Sequence[ParsedItem]) -> Iterator[tuple[ParsedItem, Mark]]:
        """The marks of some items of a file."""
        known = self._still_true(view)
        for item in items:
            facts = view.checked.facts.get(item.key)
            if facts is not None:
                if item.key not in known:
                    known[item.key] = facts, tuple(code_marks(item, facts))
                yield from ((item, mark) for mark in known[item.key][1])

    def _still_true(self, view: View) -> dict[str, tuple[ItemFacts, Sequence[Mark]]]:
        """What is known, held by the facts of this analysis so that those before it can go."""
        before, facts = self._known.get(view.path, {}), view.checked.facts
        kept = {
            key: (now, marks)
            for key, (then, marks) in before.items()
            if (now := facts.get(key)) is not None and (now is then or now.rests_on_same(then))
        }
        self._known[view.path] = kept
        return kept

    def forget(self, path: str) -> None:
        self._known.pop(path, None)


def inlay_hints(view: View, range_: lsp.Range, options: Options, marks: Marks) -> list[lsp.InlayHint]:
    """The hints in a part of a file, in the order of the text."""
    wanted = view.span(range_)
    items = [i for i in view.file.items if i.offset <= wanted.end and wanted.start <= i.offset + len(i.text)]
    shown = _shown(options)
    found = [
        (item.offset + mark.offset, _code_hint(view, item, mark))
        for item, mark in marks.of(view, items)
        if mark.kind in shown and wanted.start <= item.offset + mark.offset <= wanted.end
    ]
    for kernel in kernels(view):
        if kernel.span.start <= wanted.end and wanted.start <= kernel.span.end:
            found += ((view.offset(hint.position), hint) for hint in _of_kernel(view, kernel, options))
    inside = [pair for pair in found if wanted.start <= pair[0] <= wanted.end]
    return [hint for _, hint in sorted(inside, key=lambda pair: pair[0])]


def _shown(options: Options) -> set[Kind]:
    switches = {
        Kind.TYPE: options.hint_types,
        Kind.ARGUMENT: options.hint_parameters,
        Kind.LANES: options.hint_lanes,
    }
    return {kind for kind, is_on in switches.items() if is_on}


def _code_hint(view: View, item: ParsedItem, mark: Mark) -> lsp.InlayHint:
    position = view.range_in(item, Span(mark.offset, mark.offset)).start
    match mark.kind:
        case Kind.TYPE:
            edit = lsp.TextEdit(lsp.Range(position, position), mark.text)
            return lsp.InlayHint(position, mark.text, lsp.InlayHintKind.Type, text_edits=[edit])
        case Kind.ARGUMENT:
            return lsp.InlayHint(position, mark.text, lsp.InlayHintKind.Parameter, padding_right=True)
        case Kind.LANES:
            return lsp.InlayHint(position, mark.text, tooltip=_LANES[mark.text], padding_left=True)


# ---------------------------------------------------------------- code

_LANES = {"per lane": "may differ from lane to lane", "uniform": "the same in all lanes of a group"}


def code_marks(item: ParsedItem, facts: ItemFacts) -> Iterator[Mark]:
    """The hints of an item's code, of all kinds."""
    types_ = _local_types(facts)
    plain: set[Span] = set()
    for node in descendants(item.node):
        if isinstance(node, syntax.Let):
            yield from _local(node, types_.get(node.name.span), facts)
        elif _is_plain(node):
            plain.add(node.span)
    yield from _arguments(facts, plain)


def _local_types(facts: ItemFacts) -> dict[Span, str]:
    """The types of locals by their declarations."""
    return {
        reference.span: str(reference.symbol.type)
        for reference in facts.references
        if reference.is_declaration and reference.symbol.kind is SymbolKind.LOCAL and reference.symbol.type is not None
    }


def _local(node: syntax.Let, type_: str | None, facts: ItemFacts) -> Iterator[Mark]:
    name = node.name.span
    if type_ is not None and node.type is None and not _says_type(node.value):
        yield Mark(name.end, Kind.TYPE, f": {type_}")
    text = "per lane" if name in facts.divergent else "uniform" if name in facts.uniform else ""
    if text:
        yield Mark(name.end if node.type is None else node.type.span.end, Kind.LANES, text)


def _says_type(value: syntax.Expr) -> bool:
    """Whether a value is seen to be of its type: a literal, a struct value, `vec3(…)`."""
    if isinstance(value, syntax.Call) and isinstance(value.callee, syntax.NameRef):
        return value.callee.name.text in CONSTRUCTORS
    return isinstance(value, (*_LITERALS, syntax.StructValue))


def _arguments(facts: ItemFacts, plain: Collection[Span]) -> Iterator[Mark]:
    """The names of arguments that do not tell themselves what they are for."""
    for call in facts.calls:
        is_own = call.symbol.origin is not None
        for span, parameter in zip(call.arguments, call.parameters, strict=False):
            tells = is_own or (parameter.type is not None and len(parameter.name) > 1)
            if span in plain and tells:
                yield Mark(span.start, Kind.ARGUMENT, f"{parameter.name}:")


def _is_plain(node: syntax.Node) -> bool:
    """Whether a value is a literal, perhaps with a sign, or made of literals alone."""
    match node:
        case syntax.Unary(operand=operand):
            return isinstance(operand, _LITERALS)
        case syntax.Call(callee=syntax.NameRef(name=name), args=args) if name.text in CONSTRUCTORS:
            return all(_is_plain(argument) for argument in args)
        case _:
            return isinstance(node, _LITERALS)


# ---------------------------------------------------------------- kernels


def _of_kernel(view: View, kernel: KernelItem, options: Options) -> Iterator[lsp.InlayHint]:
    if options.hint_domains and kernel.program is not None:
        specs = {spec.name: spec for spec in view.checked.examples if spec.kernel == kernel.name}
        for node in kernel.examples:
            spec = specs.get(node.name.text)
            shape = _shape(kernel.program, spec) if spec is not None else None
            if shape is not None:
                yield _plain(view, kernel.item, node.name.span.end, _size(shape), "what the kernel runs for")
    outcomes = view.outcomes.get(kernel.name, ())
    if options.hint_results and outcomes:
        yield from _results(view, kernel, outcomes[-1])


def _shape(program: ir.Program, spec: ExampleSpec) -> tuple[int, ...] | None:
    """The size of what an example runs for, where it says so only by its values."""
    if spec.domain is not None:
        return None
    over = getattr(program.schedule, "over", None)
    walked = [p for p in program.inputs if p.name == over] or [p for p in program.inputs if p.name in program.sampled]
    shapes = (shape_of(spec.values[port.name], port.type.rank) for port in walked)
    return next((shape for shape in shapes if shape is not None), None)


def _plain(view: View, item: ParsedItem, offset: int, text: str, tooltip: str) -> lsp.InlayHint:
    position = view.range_in(item, Span(offset, offset)).start
    return lsp.InlayHint(position, text, tooltip=tooltip, padding_left=True)


def _size(shape: Sequence[int]) -> str:
    """`3 elements`, or x first: `64 × 48`."""
    if len(shape) == 1:
        return f"{shape[0]} element{'' if shape[0] == 1 else 's'}"
    return " × ".join(str(n) for n in reversed(shape))


def _results(view: View, kernel: KernelItem, outcome: Outcome) -> Iterator[lsp.InlayHint]:
    """The last result at the outputs and memories."""
    outputs = {output.name: output for output in outcome.result.outputs}
    for member in kernel.node.members:
        if isinstance(member, syntax.Port) and member.name.text in outputs:
            text = _result(outputs[member.name.text], outcome, is_old=not is_fresh(kernel, outcome))
            example = "" if outcome.example is None else f"example {outcome.example}, "
            tooltip = f"{example}on the {outcome.result.backend}"
            yield _plain(view, kernel.item, member.span.end, text, tooltip)


def _result(output: Output, outcome: Outcome, *, is_old: bool) -> str:
    failed = any(e.output == output.name and e.problem is not None for e in outcome.result.expectations)
    result = outcome.result
    parts = [
        f"{'✗ ' if failed else ''}= {_value(output)}",
        f"{result.backend} {_time(result.run_seconds)}",
        *(["(old)"] if is_old else []),
    ]
    return " ".join(parts)


def _value(output: Output) -> str:
    if output.values is not None:
        text = _written(output.values)
        if len(text) <= _WIDEST:
            return text
    shape = _size(output.shape)
    if not output.summaries:
        return shape
    finite = [summary for summary in output.summaries if not math.isnan(summary.low)]
    if not finite:
        return f"{shape}, nothing finite"
    low, high = min(summary.low for summary in finite), max(summary.high for summary in finite)
    return f"{shape}, {low:.4g} … {high:.4g}"


def _written(value: Any) -> str:
    """A value as source writes it, Floats to a few digits."""
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{name}: {_written(part)}' for name, part in value.items())} }}"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return f"[{', '.join(map(_written, value))}]"
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _time(seconds: float) -> str:
    return f"{seconds:.3g} s" if seconds >= 1 else f"{seconds * 1000:.2g} ms"
