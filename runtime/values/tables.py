"""Tables: .csv files with a line of column names, one row an element."""

from __future__ import annotations

import csv
from functools import partial
from io import TextIOWrapper
from typing import IO, Any

from kcheck.checker import rules, types
from kcheck.checker.bindings import BoundValue
from kcheck.checker.types import Scalar, contains_enum
from kcheck.runtime.fields import Field
from kcheck.runtime.layout import AnyArray, zeros
from kcheck.runtime.values.leaves import leaf_names, leaf_views
from kcheck.runtime.values.literals import convert_column
from kcheck.runtime.values.plain import floats
from kcheck.runtime.values.problems import Unreadable
from kcheck.runtime.values.slot import Slot
from kcheck.runtime.values.source import Source

SCALAR_COLUMN = "value"
"""The column of elements that are one number and have no name of their own."""


def read_csv(source: Source, slot: Slot, column: str | None) -> AnyArray:
    """Rows of numbers from `column` (or the only one), or of structs and vectors from the columns that are
    named like their parts (`position.x`)."""
    if not isinstance(slot.type, types.Field) or not fits(slot.type):
        raise slot.error(rules.VALUE_DOES_NOT_FIT, f"`{source.name}` is a table, which fits rows of anything but enums")
    header, rows = _table(source)
    array = zeros(slot.element, (len(rows),))
    names = column_names(source, slot, header, column)
    for (leaf, view), name in zip(leaf_views(slot.element, array, 1), names, strict=True):
        at = header.index(name)
        cells = [_literal(row[at].strip()) for row in rows]
        view[...] = convert_column(slot, leaf.scalar, cells, partial(_cell, source.name, name))
    return array


def _cell(file: str, column: str, row: int) -> str:
    return f"{file}:{column}, row {row + 1}"


def _table(source: Source) -> tuple[list[str], list[list[str]]]:
    try:
        with TextIOWrapper(source.open(), encoding="utf-8-sig", newline="") as file:
            lines = [row for row in csv.reader(file, strict=True) if row]
    except UnicodeDecodeError as problem:
        raise Unreadable(f"not UTF-8 at byte {problem.start}") from problem
    except csv.Error as problem:
        raise Unreadable(f"a damaged table ({problem})") from problem
    if not lines:
        raise Unreadable("it has no line of column names")
    header, rows = [name.strip() for name in lines[0]], lines[1:]
    for number, row in enumerate(rows, start=1):
        if len(row) != len(header):
            raise Unreadable(f"row {number} has {len(row)} values for {len(header)} columns")
    return header, rows


def column_names(source: Source, slot: Slot, header: list[str], column: str | None) -> list[str]:
    """The columns of the slot's leaves, in their order."""
    names = leaf_names(slot.element)
    if names == [""]:
        names = [column if column is not None else header[0] if len(header) == 1 else SCALAR_COLUMN]
    elif column is not None:
        needed = f"its elements need the columns {', '.join(names)}"
        raise slot.error(rules.VALUE_DOES_NOT_FIT, f"got one column of `{source.name}`, but {needed}")
    if missing := [name for name in names if name not in header]:
        raise Unreadable(f"it has no column `{missing[0]}`; its columns are {', '.join(header)}")
    return names


def _literal(text: str) -> BoundValue:
    """A cell as a literal: a Bool, a number, or else a text, which no scalar takes."""
    if text.lower() in _BOOLS:
        return _BOOLS[text.lower()]
    for parse in (int, float):
        try:
            return parse(text)
        except ValueError:
            continue
    return text


_BOOLS = {"true": True, "false": False}


def fits(type_: types.Field) -> bool:
    """Whether a field can be a table."""
    return type_.rank == 1 and not contains_enum(type_.element)


def write_csv(field: Field, file: IO[bytes]) -> None:
    """A line of column names and one line an element; the field `fits`."""
    names = [name or SCALAR_COLUMN for name in leaf_names(field.type.element)]
    columns = [_texts(leaf.scalar, view) for leaf, view in leaf_views(field.type.element, field.data, 1)]
    text = TextIOWrapper(file, encoding="utf-8", newline="")
    out = csv.writer(text, lineterminator="\n")
    out.writerow(names)
    out.writerows(zip(*columns, strict=True))
    text.detach()


def _texts(scalar: Scalar, values: AnyArray) -> list[Any]:
    match scalar:
        case Scalar.FLOAT:
            return floats(values)
        case Scalar.BOOL:
            return ["true" if value else "false" for value in values.tolist()]
        case Scalar.INT:
            return list(values.tolist())
