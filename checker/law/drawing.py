"""Witnesses as text: the elements, then both orders or groupings step by step, with what differs underlined.

values = [0, 0, 1]
merge(merge(a, b), c) = -1
│                       ^^
├─ merge(a, b) = 0
│  ├─ a = 0
│  └─ b = 0
└─ c = 1
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from string import ascii_lowercase

from kcheck.checker import ir
from kcheck.checker.law.cases import merged_type, walked
from kcheck.checker.law.elements import param_numbers
from kcheck.checker.law.evaluate import Case, Leaves
from kcheck.checker.law.values import Token, field_shown, shown, tokens
from kcheck.checker.law.verdict import Repeated, Step, Tree, UndefinedStep, Witness, elements_of, size_of
from kcheck.checker.types import Struct, Type, leaf_count

_WIDEST = 80
"""Values of more characters show only the fields that differ."""
_MOST_ELEMENTS = 12
"""Larger fields are not written out, nor what is merged of more."""
_LAW_DEPTH = 1
"""How deep the values lie that a law speaks of, which are always shown."""
_LEAST_POWER = 1 << 10
"""From here on powers of two are written as such."""


def tree_text(tree: Tree) -> str:
    """`merge(merge(a, b), c)`, `2^29 elements like a`."""
    match tree:
        case int():
            return element_name(tree)
        case Repeated(tree=int() as element):
            return f"{_count_text(tree.count)} elements like {element_name(element)}"
        case Repeated():
            return f"{_count_text(tree.count)} copies of {_part_text(tree.tree)}"
        case (left, right):
            return f"merge({_part_text(left)}, {_part_text(right)})"


def _part_text(tree: Tree) -> str:
    """The same, or how many elements are merged where those are too many to be named."""
    return tree_text(tree) if _is_shown(tree) else f"{_count_text(size_of(tree))} elements"


def _is_shown(tree: Tree) -> bool:
    return sum(1 for _ in elements_of(tree)) <= _MOST_ELEMENTS


def _count_text(count: int) -> str:
    is_power = count >= _LEAST_POWER and count.bit_count() == 1
    return f"2^{count.bit_length() - 1}" if is_power else f"{count:_}"


def element_name(position: int) -> str:
    """The name of what compute gives for an element: `a`, `b`, …; far elements have their number."""
    return ascii_lowercase[position] if position < 8 else f"e{position}"


def witness_text(witness: Witness) -> str:
    """The elements and the two trees."""
    lines = [*bindings(witness.program, witness.case)]
    for side in (witness.left, witness.right):
        lines += _tree(side, merged_type(witness.program), witness.differing)
    return "\n".join(lines)


def undefined_text(found: UndefinedStep) -> str:
    """The elements, and the values whose merge has no value."""
    lines = [*bindings(found.program, found.case)]
    if isinstance(found.tree, int):
        lines.append(f"compute has no value for element {found.tree}")
    else:
        lines.append(f"{tree_text(found.tree)} has no value")
        lines += _parts(found.parts, merged_type(found.program), ())
    return "\n".join(lines)


def bindings(program: ir.Program, case: Case) -> Iterator[str]:
    """What the run is bound to, a line a port or param; params at their defaults are left out."""
    ports = sorted(program.inputs, key=lambda port: port.name != walked(program))
    for port in ports:
        field = case.fields[port.name]
        if len(field.elements) > _MOST_ELEMENTS:
            yield f"{port.name}: {len(field.elements)} elements"
        else:
            yield f"{port.name} = {field_shown(port.type.element, field)}"
    for param in program.params:
        value = case.params[param.name]
        if param.default is None or value != param_numbers(param.default):
            yield f"{param.name} = {shown(param.type, value)}"


def _tree(step: Step, type_: Type, differing: Sequence[int]) -> Iterator[str]:
    head = f"{tree_text(step.tree)} = "
    pieces = _pieces(type_, step.value, differing)
    yield head + "".join(text for text, _ in pieces)
    if differing:
        marks = "".join((" " if leaf not in differing else "^") * len(text) for text, leaf in pieces)
        bar = "│" if step.parts else " "
        yield (bar + " " * (len(head) - 1) + marks).rstrip()
    yield from _parts(step.parts, type_, differing)


def _parts(parts: Sequence[Step], type_: Type, differing: Sequence[int], depth: int = 0) -> Iterator[str]:
    for i, part in enumerate(parts):
        last = i == len(parts) - 1
        value = "".join(text for text, _ in _pieces(type_, part.value, differing))
        yield f"{'└─' if last else '├─'} {_part_text(part.tree)} = {value}"
        if depth < _LAW_DEPTH or _is_shown(part.tree):
            for line in _parts(part.parts, type_, differing, depth + 1):
                yield ("   " if last else "│  ") + line


def _pieces(type_: Type, value: Leaves, differing: Sequence[int]) -> list[Token]:
    """A value in pieces; of a long struct only the fields that differ."""
    whole = tokens(type_, value)
    if not isinstance(type_, Struct) or not differing or sum(len(text) for text, _ in whole) <= _WIDEST:
        return whole
    pieces: list[Token] = [("{ ", None)]
    start = 0
    for field in type_.fields:
        end = start + leaf_count(field.type)
        if any(start <= leaf < end for leaf in differing):
            pieces += [(f"{field.name}: ", None), *tokens(field.type, value, start), (", ", None)]
        start = end
    return [*pieces, ("… }", None)]
