"""Witnesses as JSON has them."""

from __future__ import annotations

from typing import Any

from kcheck.checker.law.cases import merged_type, walked
from kcheck.checker.law.drawing import tree_text
from kcheck.checker.law.values import document, field_document
from kcheck.checker.law.verdict import Witness


def witness_document(witness: Witness) -> dict[str, Any]:
    """`elements` are those of the walked input, `inputs` those of the others; `left` and `right` the two results
    of the trees that `trees` names."""
    program, case = witness.program, witness.case
    fields = {port.name: field_document(port.type.element, case.fields[port.name]) for port in program.inputs}
    type_ = merged_type(program)
    return {
        "elements": fields.pop(walked(program)),
        "inputs": fields,
        "params": {param.name: document(param.type, case.params[param.name]) for param in program.params},
        "left": document(type_, witness.left.value),
        "right": document(type_, witness.right.value),
        "trees": {"left": tree_text(witness.left.tree), "right": tree_text(witness.right.tree)},
    }
