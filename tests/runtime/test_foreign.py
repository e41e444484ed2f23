"""Arrays and tables of other libraries."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
import xarray as xr

from kcheck.checker import types
from kcheck.checker.types import FLOAT, INT, Vec
from kcheck.runtime.errors import RunError
from kcheck.runtime.fields import Box, Field
from kcheck.runtime.layout import zeros
from kcheck.runtime.values.incoming import take, take_field
from kcheck.runtime.values.reading import Reading
from tests.runtime.slots import PARTICLE, SHAPE, slot


class Holder:
    """An array as other libraries hold it: by `__array__`, or by DLPack alone."""

    def __init__(self, array: Any) -> None:
        self.array = array


class WithArray(Holder):
    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return self.array


class WithDlpack(Holder):
    def __dlpack__(self, **options: Any) -> Any:
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self) -> Any:
        return self.array.__dlpack_device__()


class OnADevice:
    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        raise TypeError("can't convert a device tensor to numpy; copy it to the host first")


@pytest.mark.parametrize("kind", [WithArray, WithDlpack])
def test_arrays(kind: type[Holder]) -> None:
    found = take(slot(2, INT), kind(np.arange(6, dtype=np.int64).reshape(2, 3)), Reading())
    assert found.tolist() == [[0, 1, 2], [3, 4, 5]]


def test_what_gives_no_array_says_why() -> None:
    with pytest.raises(RunError, match="OnADevice gives no array: can't convert a device tensor") as info:
        take(slot(1, FLOAT), OnADevice(), Reading())
    assert info.value.code == "K703"


def test_tables() -> None:
    table = pa.table({"id": [7, 8], "mass": [0.5, 0.25], "position.x": [1.0, 3.0], "position.y": [2.0, 4.0]})
    assert take(slot(1, PARTICLE), table, Reading())["position"].tolist() == [[1.0, 2.0], [3.0, 4.0]]
    with pytest.raises(RunError, match="no column `value`"):
        take(slot(1, FLOAT), table, Reading())


def test_data_frames() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"x": [1.0, 2.0], "y": [3.0, 4.0]})
    assert take(slot(1, Vec(2)), frame, Reading()).tolist() == [[1.0, 3.0], [2.0, 4.0]]
    assert take(slot(1, FLOAT), frame["y"], Reading()).tolist() == [3.0, 4.0]


def test_named_axes_are_turned_to_our_order() -> None:
    values = np.arange(6.0).reshape(3, 2)
    field = take_field(slot(2, FLOAT), xr.DataArray(values, dims=("x", "y")), Reading())
    assert field.data.tolist() == values.T.tolist()
    assert field.extent == Box((0.0, 0.0), (3.0, 2.0))


def test_even_coordinates_are_the_extent() -> None:
    coords = {"y": [10.0, 20.0], "x": [-1.0, -0.5, 0.0]}
    array = xr.DataArray(np.zeros((3, 2)), dims=("x", "y"), coords=coords)
    field = take_field(slot(2, FLOAT), array, Reading())
    assert field.extent == Box((-1.25, 5.0), (0.25, 25.0))


@pytest.mark.parametrize("x", [[0.0, 1.0, 5.0], [2.0, 1.0, 0.0], ["a", "b", "c"]])
def test_other_coordinates_are_left_out(x: list[Any]) -> None:
    array = xr.DataArray(np.zeros((2, 3)), dims=("y", "x"), coords={"y": [0.0, 1.0], "x": x})
    assert take_field(slot(2, FLOAT), array, Reading()).extent == Box((0.0, 0.0), (3.0, 2.0))


def test_axes_of_elements_stay_behind() -> None:
    array = xr.DataArray(np.arange(12.0).reshape(2, 3, 2), dims=("channel", "x", "y"))
    field = take_field(slot(2, Vec(2)), array, Reading())
    assert field.type == types.Field(2, Vec(2))
    assert field.data.shape == (2, 3, 2)
    assert field.data[1, 2].tolist() == [5.0, 11.0]


def test_axes_without_our_names_are_taken_as_they_stand() -> None:
    array = xr.DataArray(np.arange(6.0).reshape(3, 2), dims=("lat", "lon"))
    assert take(slot(2, FLOAT), array, Reading()).shape == (3, 2)


def test_fields_give_labelled_arrays_that_come_back() -> None:
    data = np.arange(12, dtype=np.float32).reshape(2, 3, 2)
    field = Field(types.Field(2, Vec(2)), data, Box((-1.25, 5.0), (0.25, 25.0)))
    array = field.to_xarray()
    assert array.dims == ("y", "x", "axis 0")
    assert array.coords["x"].values.tolist() == [-1.0, -0.5, 0.0]
    assert array.coords["y"].values.tolist() == [10.0, 20.0]
    again = take_field(slot(2, Vec(2)), array, Reading())
    assert again.extent == field.extent
    assert again.data.tolist() == data.tolist()


def test_fields_give_tables() -> None:
    data = zeros(PARTICLE, (2,))
    data["position"] = [[1, 2], [3, 4]]
    field = Field(types.Field(1, PARTICLE), data, Box((0.0,), (2.0,)))
    assert field.to_arrow().column_names == ["position.x", "position.y", "mass", "id"]
    assert field.to_arrow()["position.y"].to_pylist() == [2.0, 4.0]
    with pytest.raises(TypeError, match="enums"):
        Field(types.Field(1, SHAPE), zeros(SHAPE, (1,)), Box((0.0,), (1.0,))).to_arrow()
