"""What a call takes, while it is being written."""

from __future__ import annotations

from lsprotocol import types as lsp

from kcheck.checker import types
from kcheck.checker.facts import Names
from kcheck.grammar import syntax
from kcheck.lsp.features.cursor import Cursor, Frame, Inside, cursor_at
from kcheck.lsp.features.forms import Form, best, forms
from kcheck.lsp.features.inference import AnyType, type_of_text
from kcheck.lsp.view import View


def signature_help(view: View, position: lsp.Position) -> lsp.SignatureHelp | None:
    """The signatures of the innermost call around a position, and the argument that is being written."""
    cursor = cursor_at(view, view.offset(position))
    if not isinstance(cursor, Cursor):
        return None
    frame = _call(cursor)
    names = cursor.names
    symbol = names.functions.get(frame.name) if frame is not None else None
    if frame is None or symbol is None:
        return None
    found = forms(view, symbol, names)
    if not found:
        return None
    given = given_types(cursor, frame, names)
    active = best(found, given, frame.number + (1 if frame.number or frame.pieces or cursor.word else 0))
    documentation = _documentation(view, symbol.doc)
    return lsp.SignatureHelp(
        signatures=[_information(form, documentation) for form in found],
        active_signature=active,
        active_parameter=min(frame.number, len(found[active].arguments)),
    )


def _call(cursor: Cursor) -> Frame | None:
    """The innermost call whose arguments the cursor stands in; a block between them ends it."""
    for frame in reversed(cursor.frames):
        if frame.inside is Inside.CALL:
            return frame
        if frame.inside in (Inside.CODE, Inside.MATCH, Inside.KERNEL, Inside.EXAMPLE):
            return None
    return None


def given_types(cursor: Cursor, frame: Frame, names: Names) -> list[AnyType | None]:
    """The types of the arguments that are complete, as far as they are known."""
    rank = rank_of(cursor)
    return [type_of_text(cursor.text(part[0].start, part[-1].end), names, rank) for part in frame.done]


def rank_of(cursor: Cursor) -> int:
    """The number of axes of the domain of the kernel around; 1 elsewhere."""
    node = None if cursor.item is None else cursor.item.node
    members = node.members if isinstance(node, syntax.Kernel) else ()
    outputs = [m.name.text for m in members if isinstance(m, syntax.Port) and m.kind is syntax.PortKind.OUTPUT]
    symbol = cursor.names.values.get(outputs[0]) if outputs else None
    return symbol.type.rank if symbol is not None and isinstance(symbol.type, types.Field) else 1


def _information(form: Form, documentation: lsp.MarkupContent | str | None) -> lsp.SignatureInformation:
    """The parameters by where they stand in the label, in UTF-16 units; labels are ASCII."""
    label = form.label
    parameters = []
    start = len(form.name) + 1
    for argument in form.arguments:
        end = start + len(argument.label)
        parameters.append(lsp.ParameterInformation((start, end)))
        start = end + 2
    return lsp.SignatureInformation(label, documentation, parameters)


def _documentation(view: View, doc: str) -> lsp.MarkupContent | str | None:
    if not doc:
        return None
    return lsp.MarkupContent(lsp.MarkupKind.Markdown, doc) if view.traits.markdown_in_signatures else doc
