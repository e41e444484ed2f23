"""Binding: names, params and their ranges, domains; each refusal has its code and names what it is about."""

import math
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kcheck.checker import floats, ir
from kcheck.checker.ir import Const
from kcheck.checker.types import BOOL, FLOAT, INT, Array, Field, FieldOf, Mat, Struct, Type, Vec, leaves
from kcheck.runtime.binding import bind
from kcheck.runtime.errors import RunError
from kcheck.runtime.fields import Box, field_of
from kcheck.runtime.values.reading import Reading
from tests.runtime.slots import ORIGIN, PARTICLE, Refusal, param, program

ROWS, GRID = Field(1, FLOAT), Field(2, FLOAT)
MAP = ir.Elements(element=0)
GROUP = ir.Lanes(size=4, element=0)
FOLD = ir.Fold(over="x", element=0, merge=1)
WALKS = [
    FOLD,
    ir.OrderedWalk(over="x", element=0, init=1),
    ir.CombineByAddress(over="x", into="t", op=ir.CombineOp.SUM, element=0),
    ir.RunningCombine(over="x", op=ir.CombineOp.MAX, element=0),
]


def refused(launched: ir.Program, values: dict[str, Any], domain: tuple[int, ...] | None = None) -> Refusal:
    with pytest.raises(RunError) as info:
        bind(launched, values, domain)
    refusal = Refusal(info)
    assert refusal.origin == ORIGIN
    return refusal


def const(type_: Type, *values: float) -> Const:
    kinds = [leaf.scalar for leaf in leaves(type_)]
    return Const(
        type=type_,
        leaves=tuple(floats.from_float(v) if k is FLOAT else int(v) for k, v in zip(kinds, values, strict=True)),
    )


# ---------------------------------------------------------------- names


TWO = program(MAP, inputs={"source": ROWS}, params=[param("amount", FLOAT)], sampled=["source"])


def test_unknown_names() -> None:
    refusal = refused(TWO, {"sorce": [1], "amount": 1})
    assert refusal.code == "K701"
    assert "no input, memory or param `sorce`; did you mean `source`?" in refusal.message


def test_unknown_names_that_are_near_nothing() -> None:
    assert "it takes `source`, `amount`" in refused(TWO, {"zzz": 1}).message


def test_outputs_take_no_values() -> None:
    refusal = refused(TWO, {"result": [1]})
    assert refusal.code == "K701"
    assert "is an output" in refusal.message


@pytest.mark.parametrize(("values", "name"), [({"amount": 1}, "source"), ({"source": [1]}, "amount")])
def test_missing_values(values: dict[str, Any], name: str) -> None:
    refusal = refused(TWO, values)
    assert refusal.code == "K702"
    assert f"`{name}`" in refusal.message


def test_memories_are_bound_like_inputs() -> None:
    machine = program(WALKS[1], inputs={"x": ROWS}, memories={"ram": Field(1, INT)})
    launch = bind(machine, {"x": [1, 2], "ram": [3]})
    assert launch.memories["ram"].data.tolist() == [3]
    assert launch.memories["ram"].data.dtype == np.int32
    assert refused(machine, {"x": [1]}).code == "K702"


# ---------------------------------------------------------------- params


def bound(type_: Type, value: Any = None, **ends: Const | None) -> Any:
    launch = bind(program(MAP, params=[param("k", type_, **ends)]), {} if value is None else {"k": value}, (1,))
    return launch.params["k"]


@pytest.mark.parametrize(
    ("type_", "value", "shape", "dtype"),
    [
        (FLOAT, 1, (), np.float32),
        (INT, 7, (), np.int32),
        (BOOL, True, (), np.bool_),
        (Vec(3), [1, 2, 3], (3,), np.float32),
        (Mat(2), [[1, 2], [3, 4]], (2, 2), np.float32),
        (Array(INT, 2), [1, 2], (2,), np.int32),
        (FLOAT, np.float64(0.5), (), np.float32),
        (Vec(2), np.array([1.0, 2.0]), (2,), np.float32),
        (FLOAT, np.array(0.5), (), np.float32),
    ],
)
def test_params_are_arrays_of_their_type(type_: Type, value: Any, shape: tuple[int, ...], dtype: type) -> None:
    array = bound(type_, value)
    assert isinstance(array, np.ndarray)
    assert array.shape == shape
    assert array.dtype == dtype
    assert array.tolist() == np.array(value).tolist()


def test_struct_params() -> None:
    array = bound(PARTICLE, {"position": [1, 2], "mass": 3, "id": 4})
    assert array.shape == ()
    assert array["position"].tolist() == [1, 2]


@pytest.mark.parametrize(
    ("type_", "values", "expected"),
    [
        (FLOAT, [0.1], np.float32(0.1)),
        (INT, [-7], -7),
        (Vec(2), [1.5, -0.0], [1.5, -0.0]),
        (Mat(2), [1, 2, 3, 4], [[1, 2], [3, 4]]),
    ],
)
def test_defaults(type_: Type, values: Iterable[float], expected: Any) -> None:
    array = bound(type_, default=const(type_, *values))
    assert array.tobytes() == np.array(expected, array.dtype).tobytes()


def test_struct_defaults() -> None:
    array = bound(PARTICLE, default=const(PARTICLE, 1, 2, 3, 4))
    assert array.shape == ()
    assert array["position"].tolist() == [1.0, 2.0]
    assert (array["mass"].item(), array["id"].item()) == (3.0, 4)


@pytest.mark.parametrize("value", [0.0, 0.5, 1, 1.0])
def test_ranges_are_closed(value: float) -> None:
    assert bound(FLOAT, value, low=const(FLOAT, 0), high=const(FLOAT, 1)) == value


@pytest.mark.parametrize(
    ("value", "says"),
    [
        (-1e-6, "`k` is -1e-06, needs 0.0 to 1.0"),
        (1.1, "`k` is 1.1, needs 0.0 to 1.0"),
        (math.nan, "`k` is NaN, needs 0.0 to 1.0"),
        (math.inf, "`k` is Infinity, needs 0.0 to 1.0"),
    ],
)
def test_values_out_of_range(value: float, says: str) -> None:
    launched = program(MAP, params=[param("k", FLOAT, low=const(FLOAT, 0), high=const(FLOAT, 1))])
    refusal = refused(launched, {"k": value}, (1,))
    assert refusal.code == "K705"
    assert says in refusal.message


def test_nan_needs_a_range_to_be_refused() -> None:
    assert math.isnan(bound(FLOAT, math.nan))


@pytest.mark.parametrize(("value", "says"), [(5, "needs 0 to 4"), (-1, "needs 0 to 4")])
def test_int_ranges(value: int, says: str) -> None:
    launched = program(MAP, params=[param("k", INT, low=const(INT, 0), high=const(INT, 4))])
    assert says in refused(launched, {"k": value}, (1,)).message


def test_ranges_hold_leaf_by_leaf() -> None:
    low, high = const(Vec(3), 0, 0, 0), const(Vec(3), 1, 2, 3)
    assert bound(Vec(3), [1, 2, 3], low=low, high=high).tolist() == [1, 2, 3]
    launched = program(MAP, params=[param("k", Vec(3), low=low, high=high)])
    refusal = refused(launched, {"k": [0, 2.5, 0]}, (1,))
    assert refusal.code == "K705"
    assert "`k.y` is 2.5, needs 0.0 to 2.0" in refusal.message


def test_ranges_in_structs_and_arrays() -> None:
    pair = Struct("Pair", "a#Pair", (FieldOf("a", Array(FLOAT, 2)), FieldOf("b", INT)))
    launched = program(MAP, params=[param("k", pair, low=const(pair, 0, 0, 0), high=const(pair, 1, 1, 1))])
    assert "`k.a[1]` is 2.0" in refused(launched, {"k": {"a": [0, 2], "b": 0}}, (1,)).message
    assert "`k.b` is 2, needs 0 to 1" in refused(launched, {"k": {"a": [0, 0], "b": 2}}, (1,)).message


# ---------------------------------------------------------------- domains of maps and groups


@pytest.mark.parametrize("schedule", [MAP, GROUP])
@pytest.mark.parametrize(("rank", "domain", "shape"), [(1, (5,), (5,)), (2, (4, 3), (3, 4)), (3, (4, 3, 2), (2, 3, 4))])
def test_a_stated_domain_is_x_first(
    schedule: ir.Schedule, rank: int, domain: tuple[int, ...], shape: tuple[int, ...]
) -> None:
    assert bind(program(schedule, rank=rank), {}, domain).shape == shape


def test_a_domain_may_be_empty() -> None:
    assert bind(program(MAP), {}, (0,)).shape == (0,)


@pytest.mark.parametrize("schedule", [MAP, GROUP])
def test_sampled_inputs_give_the_domain(schedule: ir.Schedule) -> None:
    launched = program(schedule, inputs={"a": GRID, "b": GRID, "other": ROWS}, sampled=["a", "b"], rank=2)
    assert bind(launched, {"a": [[1, 2]], "b": [[3, 4]], "other": [1]}).shape == (1, 2)


def test_no_domain() -> None:
    refusal = refused(program(MAP, inputs={"a": GRID}, rank=2), {"a": [[1]]})
    assert refusal.code == "K708"
    assert "(w, h)" in refusal.message


def test_sampled_inputs_that_disagree() -> None:
    launched = program(MAP, inputs={"a": GRID, "b": GRID}, sampled=["a", "b"], rank=2)
    refusal = refused(launched, {"a": [[1, 2]], "b": [[1], [2]]})
    assert refusal.code == "K704"
    assert "input `b` (Grid<Float>): has 1x2 (w x h), but input `a` has 2x1 (w x h)" in refusal.message


def test_a_stated_domain_that_a_sampled_input_does_not_have() -> None:
    refusal = refused(program(MAP, inputs={"a": ROWS}, sampled=["a"]), {"a": [1, 2]}, (3,))
    assert refusal.code == "K704"
    assert "has 2 elements, but the domain has 3 elements" in refusal.message


@pytest.mark.parametrize(("rank", "domain"), [(1, (2, 2)), (2, (4,)), (3, (1, 2)), (2, ()), (1, (-1,))])
def test_domains_of_another_rank(rank: int, domain: tuple[int, ...]) -> None:
    assert refused(program(MAP, rank=rank), {}, domain).code == "K704"


@pytest.mark.parametrize(("rank", "domain"), [(1, (2**31,)), (2, (2**24 + 1, 1)), (2, (2**16, 2**16))])
def test_huge_domains(rank: int, domain: tuple[int, ...]) -> None:
    assert refused(program(MAP, rank=rank), {}, domain).code == "K713"


# ---------------------------------------------------------------- walks


@pytest.mark.parametrize("walk", WALKS)
def test_walks_have_the_shape_of_their_input(walk: ir.Schedule) -> None:
    launched = program(walk, inputs={"other": ROWS, "x": GRID, "t": ROWS}, rank=2)
    assert bind(launched, {"x": [[1, 2]], "t": [0], "other": [1, 2, 3]}).shape == (1, 2)


@pytest.mark.parametrize("walk", WALKS)
def test_walks_take_no_domain(walk: ir.Schedule) -> None:
    refusal = refused(program(walk, inputs={"x": ROWS, "t": ROWS}), {"x": [1], "t": [1]}, (1,))
    assert refusal.code == "K714"
    assert "`x`" in refusal.message


@pytest.mark.parametrize("walk", WALKS)
def test_walks_sample_inputs_of_the_same_shape(walk: ir.Schedule) -> None:
    launched = program(walk, inputs={"b": ROWS, "x": ROWS, "t": ROWS}, sampled=["x", "b"])
    refusal = refused(launched, {"x": [1, 2], "b": [1, 2, 3], "t": [0]})
    assert refusal.code == "K704"
    assert "input `b` (Rows<Float>): has 3 elements, but input `x` has 2 elements" in refusal.message


@pytest.mark.parametrize("walk", WALKS)
def test_only_folds_need_an_element(walk: ir.Schedule) -> None:
    launched = program(walk, inputs={"x": ROWS, "t": ROWS})
    if walk is FOLD:
        refusal = refused(launched, {"x": [], "t": []})
        assert refusal.code == "K706"
        assert "`x`" in refusal.message
    else:
        assert bind(launched, {"x": [], "t": []}).shape == (0,)


def test_folds_of_grids_without_rows() -> None:
    launched = program(FOLD, inputs={"x": GRID}, rank=2)
    assert refused(launched, {"x": np.zeros((0, 5), np.float32)}).code == "K706"


# ---------------------------------------------------------------- fields and files


def test_fields_keep_their_extent() -> None:
    field = field_of(ROWS, np.zeros(2, np.float32), Box((1.0,), (3.0,)))
    launch = bind(program(MAP, inputs={"a": ROWS}, sampled=["a"]), {"a": field})
    assert launch.inputs["a"].extent == Box((1.0,), (3.0,))


def test_arrays_have_an_extent_of_their_size() -> None:
    launch = bind(program(MAP, inputs={"a": GRID}, sampled=["a"], rank=2), {"a": np.zeros((2, 3), np.float32)})
    assert launch.inputs["a"].extent == Box((0.0, 0.0), (3.0, 2.0))


def test_fields_of_another_type() -> None:
    field = field_of(Field(1, INT), np.zeros(2, np.int32))
    assert refused(program(MAP, inputs={"a": ROWS}, sampled=["a"]), {"a": field}).code == "K703"


def test_files_are_relative_to_the_folder(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.array([1.0, 2.0]))
    launched = program(MAP, inputs={"a": ROWS}, sampled=["a"])
    assert bind(launched, {"a": Path("a.npy")}, reading=Reading(tmp_path)).inputs["a"].data.tolist() == [1.0, 2.0]
    assert refused(launched, {"a": Path("none.npy")}).code == "K709"
