"""Which expressions and locals may differ between the lanes of a group, and which cannot."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from kcheck.checker import ir
from kcheck.checker.lower.recording import LaneFacts
from kcheck.grammar import syntax
from kcheck.grammar.source import SourceFile
from kcheck.grammar.spans import Span
from kcheck.grammar.walk import descendants


@dataclass(slots=True)
class Lanes:
    """What may differ from lane to lane in some group kernel, and the locals that do so in none.

    `values` are where the IR says that the values come from, the others names of locals where they are declared.
    """

    values: set[Span] = field(default_factory=set)
    divergent: set[Span] = field(default_factory=set)
    uniform: set[Span] = field(default_factory=set)


def lanes_of(file: SourceFile, found: Iterable[LaneFacts]) -> dict[str, Lanes]:
    """What group kernels tell about the items of a file, by key; items that none of them runs are left out."""
    lanes: dict[str, Lanes] = {}
    items = {item.key: item.node for item in file.items}
    bindings: dict[str, dict[Span, list[syntax.Name]]] = {}
    for facts in found:
        for position, function in enumerate(facts.program.functions):
            head = function.origins[function.body.id]
            if head.path == file.path:
                if head.item not in lanes:
                    lanes[head.item], bindings[head.item] = Lanes(), dict(_bindings(items[head.item]))
                _add(lanes[head.item], facts, position, function, bindings[head.item])
    for each in lanes.values():
        each.uniform -= each.divergent
    return lanes


def _add(
    lanes: Lanes, facts: LaneFacts, position: int, function: ir.Function, bindings: dict[Span, list[syntax.Name]]
) -> None:
    parameters = bindings.get(function.origins[function.body.id].span, [])
    named = {local: name.span for local, name in enumerate(parameters)}
    differing: set[int] = set()
    for node in ir.walk(function.body):
        span = function.origins[node.id].span
        if (position, node.id) in facts.divergent:
            lanes.values.add(span)
            if isinstance(node, ir.Local):
                differing.add(node.local)
        if isinstance(node, ir.Assign) and (position, node.value.id) in facts.divergent:
            differing.add(node.local)
        if isinstance(node, (ir.Assign, ir.Loop)) and span in bindings:
            named[node.local] = bindings[span][0].span
    for local, span in named.items():
        (lanes.divergent if local in differing else lanes.uniform).add(span)


def _bindings(item: syntax.Item) -> Iterator[tuple[Span, list[syntax.Name]]]:
    """What gives locals their first value, by where the IR says that it stands: parameters at the function's body."""
    for node in descendants(item):
        match node:
            case syntax.Function():
                yield node.body.span, [parameter.name for parameter in node.parameters]
            case syntax.Let() | syntax.For():
                yield node.span, [node.name]
            case syntax.FieldPattern():
                yield node.span, [node.binding]
            case _:
                pass
