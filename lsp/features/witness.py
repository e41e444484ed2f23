"""Elements that refute a law: as a tree for a view of its own, and as an example of the kernel."""

from __future__ import annotations

from typing import Any

from lsprotocol import types as lsp

from kcheck.checker.law.cases import merged_type
from kcheck.checker.law.documents import witness_document
from kcheck.checker.law.drawing import bindings, tree_text, witness_text
from kcheck.checker.law.values import document, leaf_names
from kcheck.checker.law.verdict import Step, Witness, elements_of
from kcheck.checker.lower import edits
from kcheck.checker.lower.scopes import Home
from kcheck.grammar.diagnostics import Fix
from kcheck.lsp.features.diagnostics import edit_of
from kcheck.lsp.features.kernels import kernel_named
from kcheck.lsp.view import View

Object = dict[str, Any]


def witness(view: View, kernel: str, law: str) -> Witness | None:
    """The witness against a law of a kernel, if the law is refuted."""
    states = view.laws.get(kernel, ())
    finding = next((state.finding for state in states if state.law.value == law and state.state.is_settled), None)
    return None if finding is None else finding.witness


def witness_object(found: Witness, kernel: str, law: str) -> Object:
    """What `kcheck.witness` answers: the elements, and the two trees with the value of each step."""
    type_ = merged_type(found.program)
    names = leaf_names(type_)
    return {
        "kernel": kernel,
        "law": law,
        **{key: value for key, value in witness_document(found).items() if key not in ("left", "right")},
        "left": _tree(found, found.left),
        "right": _tree(found, found.right),
        "differing": [names[leaf] for leaf in found.differing],
        "text": witness_text(found),
    }


def _tree(found: Witness, step: Step) -> Object:
    tree: Object = {
        "text": tree_text(step.tree),
        "elements": list(elements_of(step.tree)),
        "value": document(merged_type(found.program), step.value),
    }
    return tree | {"parts": [_tree(found, part) for part in step.parts]} if step.parts else tree


def as_example(view: View, kernel: str, law: str) -> lsp.WorkspaceEdit | None:
    """An edit that adds the elements to the kernel as an example; None where there are none, or too many."""
    found, place = witness(view, kernel, law), kernel_named(view, kernel)
    if found is None or found.has_copies or place is None:
        return None
    lines = list(bindings(found.program, found.case))
    if any(" = " not in line for line in lines):
        return None
    home = Home(view.path, place.item.key, place.item.text)
    taken = {example.name.text for example in place.examples}
    name = f"not_{law}"
    while name in taken:
        name += "_"
    left, right = tree_text(found.left.tree), tree_text(found.right.tree)
    inner = "".join(f"\n    {line};" for line in lines)
    text = f"/// `{left}` and `{right}` differ for these.\n  example {name} {{{inner}\n  }}"
    return edit_of(view, Fix("", (edits.add_last(home, place.node.span, text),)))
