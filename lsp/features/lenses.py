"""Lenses above kernels: run it, run an example, and how its merge laws stand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lsprotocol import types as lsp

from kcheck.lsp.commands import run_command, witness_command
from kcheck.lsp.features.kernels import KernelItem, kernels
from kcheck.lsp.proofs import LawState, State
from kcheck.lsp.view import View

_WORDS = {
    State.QUEUED: "… not judged yet",
    State.WORKING: "… proving",
    State.STALE: "… changed",
    State.UNKNOWN: "? not decided",
}


def code_lenses(view: View) -> list[lsp.CodeLens]:
    return [lens for kernel in kernels(view) for lens in _lenses(view, kernel)]


def _lenses(view: View, kernel: KernelItem) -> Iterator[lsp.CodeLens]:
    if kernel.program is None:
        return
    examples = {example.name for example in view.checked.examples if example.kernel == kernel.name}
    top = view.range(kernel.name_span)
    if not examples:
        yield lsp.CodeLens(top, _titled(run_command(view, kernel.name, None), "▶ run"))
    for number, node in enumerate(e for e in kernel.examples if e.name.text in examples):
        if number == 0:
            yield lsp.CodeLens(top, _titled(run_command(view, kernel.name, node.name.text), "▶ run"))
        command = run_command(view, kernel.name, node.name.text)
        yield lsp.CodeLens(view.range_in(kernel.item, node.name.span), _titled(command, f"▶ run {node.name.text}"))
    merge = kernel.merge
    states = view.laws.get(kernel.name, ())
    if merge is not None and states:
        yield from _law_lenses(view, kernel, view.range_in(kernel.item, merge.head), states)


def _law_lenses(view: View, kernel: KernelItem, place: lsp.Range, states: Sequence[LawState]) -> Iterator[lsp.CodeLens]:
    """One where both laws stand alike, else one each."""
    kinds = {state.state for state in states}
    if len(kinds) == 1 and kinds != {State.REFUTED}:
        names = " and ".join(state.law.value for state in states)
        yield lsp.CodeLens(place, _law_command(view, kernel, states[0], names, states))
        return
    for state in states:
        yield lsp.CodeLens(place, _law_command(view, kernel, state, state.law.value, [state]))


def _law_command(
    view: View, kernel: KernelItem, state: LawState, names: str, states: Sequence[LawState]
) -> lsp.Command:
    match state.state:
        case State.PROVED:
            assuming = dict.fromkeys(a for s in states if s.finding is not None for a in s.finding.assuming)
            under = f", since always {' and '.join(assuming)}" if assuming else ""
            return lsp.Command(f"✓ {names}: proved{under}", "")
        case State.REFUTED:
            title = f"✗ not {state.law.value}: show the elements"
            return witness_command(view, kernel.name, state.law.value, title)
        case _:
            return lsp.Command(f"{_WORDS[state.state]}: {names}", "")


def _titled(command: lsp.Command, title: str) -> lsp.Command:
    return lsp.Command(title, command.command, arguments=command.arguments)
