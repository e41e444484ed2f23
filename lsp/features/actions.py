"""What can be done at a place: the fixes of findings, and running the kernel."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lsprotocol import types as lsp

from kcheck.grammar.diagnostics import Diagnostic
from kcheck.grammar.spans import Span
from kcheck.lsp.commands import RUN_KERNEL, SAVE_WITNESS, backends, compare_command, run_command, witness_command
from kcheck.lsp.features.diagnostics import diagnostic, edit_of
from kcheck.lsp.features.kernels import examples_of, kernel_at
from kcheck.lsp.features.witness import witness
from kcheck.lsp.proofs import State
from kcheck.lsp.view import View


def code_actions(view: View, range_: lsp.Range, wanted: Sequence[str] | None) -> list[lsp.CodeAction]:
    """The actions of these kinds, or of all."""
    span = view.span(range_)
    found = [*_fixes(view, span), *_kernel_actions(view, span)]
    return [action for action in found if wanted is None or any(_is_kind(action.kind, kind) for kind in wanted)]


def _is_kind(kind: str | None, wanted: str) -> bool:
    """Kinds form a tree: `refactor` asks for `refactor.extract` too."""
    return kind is not None and (not wanted or kind == wanted or kind.startswith(f"{wanted}."))


def _fixes(view: View, span: Span) -> Iterator[lsp.CodeAction]:
    touching = [d for d in view.checked.diagnostics if _touches(view, d, span)]
    for found in touching:
        for number, fix in enumerate(found.fixes):
            yield lsp.CodeAction(
                title=fix.title,
                kind=lsp.CodeActionKind.QuickFix,
                diagnostics=[diagnostic(view, found)],
                is_preferred=number == 0,
                edit=edit_of(view, fix),
            )


def _touches(view: View, found: Diagnostic, span: Span) -> bool:
    place = view.file.absolute(found.origin)
    return place.start <= span.end and span.start <= place.end


def _kernel_actions(view: View, span: Span) -> Iterator[lsp.CodeAction]:
    kernel = kernel_at(view, span.start)
    if kernel is None or kernel.name not in view.checked.programs:
        return
    for example in (*examples_of(view, kernel.name), None):
        if example is None and examples_of(view, kernel.name):
            continue
        for backend in backends():
            command = run_command(view, kernel.name, example, None if backend == "auto" else backend)
            yield lsp.CodeAction(title=command.title, kind=RUN_KERNEL, command=command)
    yield lsp.CodeAction(title="Compare the backends", kind=RUN_KERNEL, command=compare_command(view, kernel.name))
    for law in view.laws.get(kernel.name, ()):
        if law.state is State.REFUTED:
            shown = witness_command(view, kernel.name, law.law.value)
            yield lsp.CodeAction(title=shown.title, kind=RUN_KERNEL, command=shown)
            found = witness(view, kernel.name, law.law.value)
            if found is not None and not found.has_copies:  # an example does not hold so many elements
                saved = lsp.Command(
                    f"Save the elements that refute {law.law.value} as an example",
                    SAVE_WITNESS,
                    arguments=[{"uri": view.uri, "kernel": kernel.name, "law": law.law.value}],
                )
                yield lsp.CodeAction(title=saved.title, kind=lsp.CodeActionKind.RefactorRewrite, command=saved)
