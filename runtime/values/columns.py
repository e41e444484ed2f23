"""Tables of typed columns: .parquet and .arrow files, and the tables of other libraries.

A struct's columns are named as in .csv files, `position.x`; nested columns (structs, and lists of one length) are taken
apart into columns of such names.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO, Any

import numpy as np

from kcheck.checker import rules, types
from kcheck.runtime.fields import Field
from kcheck.runtime.layout import AnyArray, zeros
from kcheck.runtime.values import tables
from kcheck.runtime.values.arrays import scalars
from kcheck.runtime.values.leaves import leaf_names, leaf_views
from kcheck.runtime.values.optional import needed
from kcheck.runtime.values.problems import Unreadable
from kcheck.runtime.values.slot import Slot
from kcheck.runtime.values.source import Source

_EXTRA = "tables"


def read_parquet(source: Source, slot: Slot, column: str | None) -> AnyArray:
    parquet = needed("pyarrow.parquet", _EXTRA, ".parquet files")
    arrow = needed("pyarrow", _EXTRA, ".parquet files")
    try:
        with source.open() as stream:
            file = parquet.ParquetFile(stream)
            groups = range(file.metadata.num_row_groups)
            # Columns of one repeated value take next to nothing in the file, so the rows are counted as well.
            stored = sum(file.metadata.row_group(i).total_byte_size for i in groups)
            source.check_limit(max(stored, file.metadata.num_rows * file.metadata.num_columns * 4))
            table = file.read()
    except (arrow.ArrowException, OSError) as problem:
        raise Unreadable(f"a damaged .parquet file ({_first_line(problem)})") from problem
    return from_table(source, slot, table, column)


def read_arrow(source: Source, slot: Slot, column: str | None) -> AnyArray:
    """An Arrow IPC file or stream; `.feather` files are the former."""
    ipc = needed("pyarrow.ipc", _EXTRA, ".arrow files")
    arrow = needed("pyarrow", _EXTRA, ".arrow files")
    batches: list[Any] = []
    total = 0
    try:
        for batch in _batches(ipc, arrow, source.read()):
            total += batch.nbytes
            source.check_limit(total)
            batches.append(batch)
        if not batches:
            raise Unreadable("it holds no rows")
        table = arrow.Table.from_batches(batches)
    except (arrow.ArrowException, OSError) as problem:
        raise Unreadable(f"a damaged .arrow file ({_first_line(problem)})") from problem
    return from_table(source, slot, table, column)


def _batches(ipc: Any, arrow: Any, data: bytes) -> Iterator[Any]:
    if data[:6] == b"ARROW1":
        file = ipc.open_file(arrow.BufferReader(data))
        for i in range(file.num_record_batches):
            yield file.get_batch(i)
    else:
        yield from ipc.open_stream(arrow.BufferReader(data))


def from_table(source: Source, slot: Slot, table: Any, column: str | None) -> AnyArray:
    """The rows of a pyarrow table: numbers from `column`, or structs and vectors from the columns of their parts."""
    if not isinstance(slot.type, types.Field) or not tables.fits(slot.type):
        problem = f"{source.name} is a table, which fits rows of anything but enums"
        raise slot.error(rules.VALUE_DOES_NOT_FIT, problem)
    found = {name: array for i, name in enumerate(table.column_names) for name, array in _flat(name, table.column(i))}
    names = tables.column_names(source, slot, list(found), column)
    array = zeros(slot.element, (table.num_rows,))
    for (leaf, view), name in zip(leaf_views(slot.element, array, 1), names, strict=True):
        view[...] = scalars(slot, leaf.scalar, _numbers(name, found[name]), f"{source.name}:{name}")
    return array


def _flat(name: str, column: Any) -> Iterator[tuple[str, Any]]:
    """A column under its name; a nested one as one for each part."""
    arrow = needed("pyarrow", _EXTRA, "tables")
    kind = column.type
    if arrow.types.is_struct(kind):
        parts = column.combine_chunks().flatten() if isinstance(column, arrow.ChunkedArray) else column.flatten()
        for i, part in enumerate(parts):
            yield from _flat(f"{name}.{kind.field(i).name}", part)
    elif arrow.types.is_fixed_size_list(kind):
        flat = column.combine_chunks() if isinstance(column, arrow.ChunkedArray) else column
        length = kind.list_size
        for i in range(length):
            part = flat.flatten().take(arrow.array(range(i, len(flat) * length, length)))
            yield from _flat(f"{name}[{i}]", part)
            if length <= 4:
                yield from _flat(f"{name}.{'xyzw'[i]}", part)
    else:
        yield name, column


def _numbers(name: str, column: Any) -> AnyArray:
    if column.null_count:
        raise Unreadable(f"its column `{name}` has {column.null_count} rows without a value; fill or drop them first")
    return np.asarray(column.to_numpy(zero_copy_only=False) if not hasattr(column, "chunks") else column.to_numpy())


def write_parquet(field: Field, file: IO[bytes]) -> None:
    needed("pyarrow.parquet", _EXTRA, ".parquet files").write_table(to_table(field), file)


def write_arrow(field: Field, file: IO[bytes]) -> None:
    table = to_table(field)
    with needed("pyarrow.ipc", _EXTRA, ".arrow files").new_file(file, table.schema) as writer:
        writer.write_table(table)


def to_table(field: Field) -> Any:
    """A pyarrow table with a column for each part of the elements of a field that `tables.fits`."""
    arrow = needed("pyarrow", _EXTRA, "tables")
    names = [name or tables.SCALAR_COLUMN for name in leaf_names(field.type.element)]
    columns = [np.ascontiguousarray(view) for _, view in leaf_views(field.type.element, field.data, 1)]
    return arrow.table(dict(zip(names, columns, strict=True)))


def _first_line(problem: Exception) -> str:
    return (str(problem).splitlines() or [type(problem).__name__])[0]
