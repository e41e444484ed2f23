"""Fields of every type and size have something to show that JSON can hold."""

import json
import math
import random
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from kcheck.checker import types
from kcheck.checker.types import BOOL, FLOAT, INT, Array, Enum, FieldOf, Mat, Struct, Type, Variant, Vec
from kcheck.lsp.runs.drawing import FULL, QUICK, change, hex_dump, output
from kcheck.lsp.runs.wording import words
from kcheck.runtime.fields import Field, field_of
from kcheck.runtime.layout import zeros
from kcheck.runtime.values.leaves import leaf_views

PAIR = Struct("Pair", "file.Pair", (FieldOf("flag", BOOL), FieldOf("where", Vec(3))))
SHAPE = Enum("Shape", "file.Shape", (Variant("Dot", ()), Variant("Disc", (FieldOf("r", FLOAT), FieldOf("p", PAIR)))))
ELEMENTS: dict[str, Type] = {
    "Bool": BOOL,
    "Int": INT,
    "Float": FLOAT,
    "Vec2": Vec(2),
    "Vec3": Vec(3),
    "Vec4": Vec(4),
    "Mat3": Mat(3),
    "array": Array(INT, 3),
    "array of structs": Array(PAIR, 2),
    "struct": PAIR,
    "struct of arrays": Struct("All", "file.All", (FieldOf("many", Array(Vec(2), 20)), FieldOf("shape", SHAPE))),
    "enum": SHAPE,
    "empty struct": Struct("Empty", "file.Empty", ()),
}
SHAPES: list[tuple[int, ...]] = [
    *((0,), (1,), (5,), (3000,)),
    *((1, 1), (0, 4), (4, 0), (9, 13), (2, 1500), (40, 50)),
    *((1, 2, 3), (3, 0, 2), (4, 8, 9)),
]
QUIET = 1 << 22
"""The bit that every NaN has which arithmetic makes."""


def any_bits(element: Type, shape: tuple[int, ...]) -> Field:
    """Anything that can be in a field: all Floats, tags as there are."""
    bits = np.random.default_rng(random.Random(f"{element} {shape}").getrandbits(32))
    data = zeros(element, shape)
    for leaf, view in leaf_views(element, data, len(shape)):
        if leaf.path and leaf.path[-1] == "tag":
            view[...] = bits.integers(0, len(SHAPE.variants), view.shape)
        elif leaf.scalar is BOOL:
            view[...] = bits.integers(0, 2, view.shape)
        else:
            numbers = bits.integers(0, 1 << 32, view.shape, np.uint32) | QUIET
            view[...] = numbers.view(np.float32 if leaf.scalar is FLOAT else np.int32)
    return field_of(types.Field(len(shape), element), data)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("name", ELEMENTS)
def test_every_field_can_be_shown(name: str, shape: tuple[int, ...]) -> None:
    field = any_bits(ELEMENTS[name], shape)
    for kind in ("output", "memory"):
        for detail in (FULL, QUICK):
            shown = output("result", kind, field, detail)
            json.dumps(shown.to_json(), allow_nan=False)
            assert shown.shape == shape
    text = words("result", field, output("result", "output", field, FULL).summaries)
    assert "result" in text.text


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("name", ELEMENTS)
def test_every_change_can_be_shown(name: str, shape: tuple[int, ...]) -> None:
    field = any_bits(ELEMENTS[name], shape)
    before = field_of(field.type, field.data[::-1])
    json.dumps(change(field, before, FULL).to_json(), allow_nan=False)
    assert change(field, field, FULL).changed == 0


@pytest.mark.parametrize(
    ("kind", "element", "shape", "view"),
    [
        ("output", FLOAT, (1,), "value"),
        ("output", FLOAT, (64,), "table"),
        ("output", FLOAT, (65,), "plot"),
        ("output", Vec(2), (65,), "plot"),
        ("output", PAIR, (1000,), "table"),
        ("output", SHAPE, (30, 30), "table"),
        ("output", FLOAT, (2, 3), "table"),
        ("output", Vec(4), (30, 30), "picture"),
        ("output", PAIR, (30, 30), "picture"),
        ("output", BOOL, (9, 9, 9), "picture"),
        ("memory", INT, (3,), "hex"),
        ("memory", INT, (30, 30), "picture"),
        ("memory", FLOAT, (300,), "plot"),
    ],
)
def test_what_suits_a_field(kind: str, element: Type, shape: tuple[int, ...], view: str) -> None:
    assert output("result", kind, any_bits(element, shape), QUICK).view == view


def test_the_numbers_of_an_element_are_named() -> None:
    field = field_of(types.Field(1, PAIR), zeros(PAIR, (2,)))
    flag = {"name": "flag", "type": "Bool"}
    where = [{"name": f"where.{axis}", "type": "Float"} for axis in "xyz"]
    assert output("x", "output", field, FULL).to_json()["numbers"] == [flag, *where]
    assert "numbers" not in output("x", "output", field, QUICK).to_json()


def test_an_enum_s_tag_has_the_names_of_its_variants() -> None:
    element = Array(SHAPE, 2)
    field = field_of(types.Field(1, element), zeros(element, (2,)))
    shown = output("x", "output", field, FULL).to_json()
    assert shown["numbers"][0] == {"name": "[0].tag", "type": "Int", "variants": ["Dot", "Disc"]}
    assert [one["name"] for one in shown["numbers"] if "variants" in one] == ["[0].tag", "[1].tag"]
    assert "values" in shown
    assert "values" not in output("x", "output", field, QUICK).to_json()


def test_plots_hold_every_number() -> None:
    values = np.random.default_rng(1).normal(0, 1, 5000).astype(np.float32)
    plot = output("result", "output", field_of(types.Field(1, FLOAT), values), FULL).plot
    assert plot is not None
    assert (min(plot.low), max(plot.high)) == (values.min(), values.max())


def test_floats_have_few_digits() -> None:
    field = field_of(types.Field(1, FLOAT), np.array([0.1, 0.7], np.float32))
    [summary] = output("result", "output", field, FULL).summaries
    assert (summary.low, summary.high) == (0.1, 0.7)


def test_nothing_finite() -> None:
    field = field_of(types.Field(2, FLOAT), np.full((10, 10), math.nan, np.float32))
    shown = output("result", "output", field, FULL).to_json()
    assert (shown["summary"]["min"], shown["summary"]["nan"]) == ("NaN", 100)
    assert (shown["preview"]["low"], shown["preview"]["high"]) == (0.0, 0.0)


def test_hex() -> None:
    data: npt.NDArray[Any] = np.arange(17, dtype=np.int32)
    assert hex_dump(data) == "00000000  00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f\n00000010  10"
    assert hex_dump(-data[:2]) == "00000000  00000000 ffffffff"
