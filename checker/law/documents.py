"""Witnesses as JSON has them."""

from __future__ import annotations

from typing import Any

from kcheck.checker.law.cases import merged_type, walked
from kcheck.checker.law.drawing import tree_text
from kcheck.checker.law.values import by_axes, document, field_document
from kcheck.checker.law.verdict import Witness, counted


def witness_document(witness: Witness) -> dict[str, Any]:
    """`elements` are those of the walked input, `inputs` those of the others; `left` and `right` the two results
    of the trees that `trees` names.  Where there are more elements than that, `counts` says how many like each."""
    program, case = witness.program, witness.case
    fields = {port.name: field_document(port.type.element, case.fields[port.name]) for port in program.inputs}
    type_ = merged_type(program)
    return {
        "elements": fields.pop(walked(program)),
        **({"counts": _counts(witness)} if witness.has_copies else {}),
        "inputs": fields,
        "params": {param.name: document(param.type, case.params[param.name]) for param in program.params},
        "left": document(type_, witness.left.value),
        "right": document(type_, witness.right.value),
        "trees": {"left": tree_text(witness.left.tree), "right": tree_text(witness.right.tree)},
    }


def _counts(witness: Witness) -> list[Any]:
    field, times = witness.case.fields[walked(witness.program)], dict(counted(witness.left.tree))
    return by_axes([times.get(position, 1) for position in range(len(field.elements))], field.shape)
