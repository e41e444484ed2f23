"""How a merge stands, in Markdown: verdicts with what they assume, or elements that break a law."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest

from kcheck.checker.law.cases import merged_type
from kcheck.checker.law.drawing import bindings, tree_text
from kcheck.checker.law.evaluate import Leaves
from kcheck.checker.law.values import leaf_names, tokens
from kcheck.checker.law.verdict import Step, Witness
from kcheck.checker.types import Type
from kcheck.lsp.proofs import LawState, State

_WIDEST = 60
"""Values of more characters show only what differs."""

_WORDS = {
    State.QUEUED: "… {law}: not judged yet",
    State.WORKING: "… {law}: being proved",
    State.STALE: "… {law}: not judged yet since the last change",
    State.PROVED: "✓ **{law}**: proved",
    State.REFUTED: "✗ **not {law}**",
    State.UNKNOWN: "? **{law}**: not decided",
}


def verdicts(states: Sequence[LawState]) -> Iterator[str]:
    for state in states:
        yield _verdict(state)
        finding = state.finding
        if state.state is State.REFUTED and finding is not None and finding.witness is not None:
            yield witness_table(finding.witness)


def _verdict(state: LawState) -> str:
    text = _WORDS[state.state].format(law=state.law.value)
    finding = state.finding
    if finding is None:
        return text
    if state.state is State.STALE:
        return f"{text} (it was {finding.verdict})"
    if state.state is State.PROVED and finding.assuming:
        text += f", since always {' and '.join(f'`{each}`' for each in finding.assuming)}"
    if state.state is State.UNKNOWN and finding.reason:
        text += f": {finding.reason}"
    return text


def witness_table(witness: Witness) -> str:
    """The elements, and how each of the two trees makes one value of them."""
    given = "; ".join(f"`{line}`" for line in bindings(witness.program, witness.case))
    elements = {position: step for side in (witness.left, witness.right) for position, step in _elements(side)}
    columns = [
        [_row(witness, elements[position]) for position in sorted(elements)],
        [_row(witness, step) for step in _merges(witness.left)],
        [_row(witness, step) for step in _merges(witness.right)],
    ]
    for column in columns[1:]:
        column[-1:] = [f"**{last}**" for last in column[-1:]]
    head = f"| element | `{tree_text(witness.left.tree)}` | `{tree_text(witness.right.tree)}` |"
    rows = [f"| {' | '.join(cells)} |" for cells in zip_longest(*columns, fillvalue="")]
    return "\n".join([f"for {given}:", "", head, "|---|---|---|", *rows])


def _elements(step: Step) -> Iterator[tuple[int, Step]]:
    if isinstance(step.tree, int):
        yield step.tree, step
    for part in step.parts:
        yield from _elements(part)


def _merges(step: Step) -> Iterator[Step]:
    """The merges of a tree, in the order in which they are done."""
    for part in step.parts:
        yield from _merges(part)
    if step.parts:
        yield step


def _row(witness: Witness, step: Step) -> str:
    return f"`{tree_text(step.tree)} = {_value(merged_type(witness.program), step.value, witness.differing)}`"


def _value(type_: Type, value: Leaves, differing: Sequence[int]) -> str:
    """A value; of a long one only the numbers that differ."""
    pieces = tokens(type_, value)
    text = "".join(piece for piece, _ in pieces)
    if len(text) <= _WIDEST:
        return text
    names = leaf_names(type_)
    shown = [f"{names[leaf]}: {piece}" for piece, leaf in pieces if leaf is not None and leaf in differing]
    return f"{{ {', '.join(shown)}, … }}"
