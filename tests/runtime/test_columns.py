"""Tables of typed columns, written by pyarrow itself and read as rows."""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import feather, parquet

from kcheck.checker.bindings import FileValue
from kcheck.checker.types import BOOL, FLOAT, INT, Array, Type, Vec
from kcheck.runtime.errors import RunError
from kcheck.runtime.values.incoming import take
from kcheck.runtime.values.reading import Reading
from tests.runtime.slots import PARTICLE, SHAPE, Refusal, slot


def read(folder: Path, written: str, element: Type = FLOAT, limit: int = 1 << 30) -> Any:
    return take(slot(1, element), FileValue(written), Reading(folder, limit=limit))


def refused(folder: Path, written: str, element: Type = FLOAT, limit: int = 1 << 30) -> Refusal:
    with pytest.raises(RunError) as info:
        read(folder, written, element, limit)
    return Refusal(info)


def save(path: Path, **columns: Any) -> None:
    table = pa.table(columns)
    if path.suffix == ".parquet":
        parquet.write_table(table, path)
    else:
        feather.write_feather(table, str(path))


@pytest.mark.parametrize("ending", ["parquet", "feather"])
def test_columns(tmp_path: Path, ending: str) -> None:
    save(tmp_path / f"a.{ending}", x=pa.array([1, 2], pa.int64()), y=[0.5, 2.5], z=[True, False])
    assert read(tmp_path, f"a.{ending}:y").tolist() == [0.5, 2.5]
    assert read(tmp_path, f"a.{ending}:x", INT).tolist() == [1, 2]
    assert read(tmp_path, f"a.{ending}:z", BOOL).tolist() == [True, False]
    assert "x, y, z" in refused(tmp_path, f"a.{ending}").message
    assert refused(tmp_path, f"a.{ending}:y", INT).code == "K703"


def test_a_stream_of_batches(tmp_path: Path) -> None:
    batches = [pa.record_batch({"value": pa.array([i, i + 1], pa.int32())}) for i in (1, 3)]
    with pa.OSFile(str(tmp_path / "a.arrow"), "wb") as sink, pa.ipc.new_stream(sink, batches[0].schema) as writer:
        for batch in batches:
            writer.write_batch(batch)
    assert read(tmp_path, "a.arrow", INT).tolist() == [1, 2, 3, 4]


def test_structs_from_flat_and_from_nested_columns(tmp_path: Path) -> None:
    flat = {"position.x": [1.0, 3.0], "position.y": [2.0, 4.0], "mass": [0.5, 0.25], "id": [7, 8], "more": ["a", "b"]}
    save(tmp_path / "flat.parquet", **flat)
    pairs = pa.FixedSizeListArray.from_arrays(pa.array([1.0, 2.0, 3.0, 4.0]), 2)
    save(tmp_path / "lists.parquet", position=pairs, mass=flat["mass"], id=flat["id"])
    points = pa.StructArray.from_arrays([pa.array([1.0, 3.0]), pa.array([2.0, 4.0])], names=["x", "y"])
    save(tmp_path / "structs.parquet", position=points, mass=flat["mass"], id=flat["id"])
    for name in ("flat", "lists", "structs"):
        found = read(tmp_path, f"{name}.parquet", PARTICLE)
        assert found["position"].tolist() == [[1.0, 2.0], [3.0, 4.0]], name
        assert found["mass"].tolist() == [0.5, 0.25]
        assert found["id"].tolist() == [7, 8]


def test_lists_are_arrays_and_vectors(tmp_path: Path) -> None:
    triples = pa.FixedSizeListArray.from_arrays(pa.array([1, 2, 3, 4, 5, 6], pa.int32()), 3)
    save(tmp_path / "a.parquet", **{f"[{i}]": triples.flatten().take(pa.array([i, 3 + i])) for i in range(3)})
    assert read(tmp_path, "a.parquet", Array(INT, 3)).tolist() == [[1, 2, 3], [4, 5, 6]]
    save(tmp_path / "b.parquet", x=[1.0], y=[2.0])
    assert read(tmp_path, "b.parquet", Vec(2)).tolist() == [[1.0, 2.0]]


def test_rows_without_a_value(tmp_path: Path) -> None:
    save(tmp_path / "a.parquet", x=[1.0, None, 2.0])
    refusal = refused(tmp_path, "a.parquet")
    assert refusal.code == "K709"
    assert "1 rows without a value" in refusal.message


def test_texts_and_enums(tmp_path: Path) -> None:
    save(tmp_path / "a.parquet", x=["a"])
    assert refused(tmp_path, "a.parquet").code == "K703"
    assert refused(tmp_path, "a.parquet", SHAPE).code == "K703"


@pytest.mark.parametrize("ending", ["parquet", "feather"])
def test_every_cut_of_a_table(tmp_path: Path, ending: str) -> None:
    save(tmp_path / f"whole.{ending}", x=np.arange(50.0))
    whole = (tmp_path / f"whole.{ending}").read_bytes()
    for length in range(0, len(whole), 7):
        (tmp_path / f"a.{ending}").write_bytes(whole[:length])
        assert refused(tmp_path, f"a.{ending}").code == "K709", length


def test_tables_that_swell(tmp_path: Path) -> None:
    save(tmp_path / "a.parquet", x=np.zeros(1_000_000))
    assert (tmp_path / "a.parquet").stat().st_size < 100_000
    assert "--read-limit" in refused(tmp_path, "a.parquet", limit=1_000_000).message
    feather.write_feather(pa.table({"x": np.zeros(1_000_000)}), str(tmp_path / "a.feather"), compression="zstd")
    assert "--read-limit" in refused(tmp_path, "a.feather", limit=1_000_000).message
