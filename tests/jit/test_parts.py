"""Pieces of the compiler on their own, and programs that strain it."""

from __future__ import annotations

import random
import time

import numpy as np
import pytest

from kcheck.checker import floats, ir
from kcheck.checker.types import BOOL, FLOAT, INT, Array, Mat, Type, Vec
from kcheck.runtime.backend import Launch
from kcheck.runtime.jit import Jit, engine
from kcheck.runtime.jit.program import write_module
from kcheck.runtime.jit.storage import Storage, byte_size
from kcheck.runtime.jit.switches import intervals_of
from kcheck.runtime.jit.text import float_constant
from kcheck.runtime.layout import packed_dtype
from kcheck.runtime.values.leaves import leaf_view
from tests.checker.build import PAIR, SHAPE, binary, function, integer, program
from tests.interpreter.build import kernel, local
from tests.interpreter.test_robustness import deep_sum, give, nested_ifs, recursion_limit
from tests.jit.build import assert_same, compiled, launch_of

# ---------------------------------------------------------------- text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1.0, "0x3FF0000000000000"),
        (-0.0, "0x8000000000000000"),
        (float("inf"), "0x7FF0000000000000"),
        (2.0**-149, "0x36A0000000000000"),
        (-(2.0**-127), "0xB800000000000000"),
        (0.1, "0x3FB99999A0000000"),
    ],
)
def test_floats_are_written_as_doubles(value: float, text: str) -> None:
    """The right side is what `struct.pack(">d", numpy.float32(value))` gives."""
    assert float_constant(floats.from_float(value)) == text


def test_a_nan_keeps_its_payload() -> None:
    assert float_constant(0xFFC00001) == "0xFFF8000020000000"


# ---------------------------------------------------------------- storage

TYPES: tuple[Type, ...] = (BOOL, INT, FLOAT, Vec(3), Mat(2), PAIR, SHAPE, Array(SHAPE, 3), Array(Array(PAIR, 2), 20))


@pytest.mark.parametrize("type_", TYPES, ids=str)
def test_memory_is_laid_out_as_numpy_does(type_: Type) -> None:
    from kcheck.checker.types import leaves

    dtype = packed_dtype(type_)
    assert byte_size(type_) == dtype.itemsize
    storage = Storage(frozenset())
    whole = np.zeros(1, dtype)
    start = whole.__array_interface__["data"][0]
    pieces, offsets = storage.pieces(type_), storage.offsets(type_)
    if all(piece in (BOOL, INT, FLOAT) for piece in pieces):
        views = [leaf_view(whole, leaf.path, 1) for leaf in leaves(type_)]
        assert list(offsets) == [view.__array_interface__["data"][0] - start for view in views]


def test_an_array_is_stored_where_an_index_is_computed_or_it_is_large() -> None:
    small, long, large = Array(INT, 4), Array(INT, 12), Array(INT, 100)
    assert not Storage(frozenset()).is_stored(long)
    assert Storage(frozenset({long})).is_stored(long)
    assert not Storage(frozenset({small})).is_stored(small)
    assert Storage(frozenset()).is_stored(large)


# ---------------------------------------------------------------- switches


@pytest.mark.parametrize("seed", range(50))
def test_the_first_case_that_holds_a_number_has_it(seed: int) -> None:
    source = random.Random(seed)
    cases = [[sorted(source.choices(range(-40, 200), k=2)) for _ in range(source.randrange(1, 4))] for _ in range(5)]
    found = intervals_of([[(low, high) for low, high in ranges] for ranges in cases])
    for number in range(-50, 210):
        holders = [i for i, ranges in enumerate(cases) if any(low <= number <= high for low, high in ranges)]
        held = [case for n, case in found.single if n == number]
        held += [case for low, high, case in found.wide if low <= number <= high]
        assert held == holders[:1]


def test_the_whole_range_of_ints() -> None:
    found = intervals_of([[(5, 5)], [(-(2**31), 2**31 - 1)], [(7, 7)]])
    assert found.single == [(5, 0)]
    assert found.wide == [(-(2**31), 4, 1), (6, 2**31 - 1, 1)]


# ---------------------------------------------------------------- what strains the compiler


def test_the_deepest_program() -> None:
    depth = ir.MAX_DEPTH - 4
    with recursion_limit(10_000):  # for the tests' own way of numbering nodes
        start = ir.Assign(local=0, value=integer(-1))
        main = function(start, nested_ifs(depth // 2), give(deep_sum(depth)), locals_=[INT], result=INT)
    made = program(ir.Elements(element=0), main, result=INT)
    with recursion_limit(1000):
        got = Jit().run(Launch(made, {}, {}, {}, (2,))).outputs["result"].data
    assert got.tolist() == [depth - 1] * 2


def test_functions_that_call_twice_what_calls_twice() -> None:
    functions = [function(give(binary(local(0, INT), ir.BinaryOp.ADD, integer(1))), takes=[INT], result=INT)]
    for i in range(12):
        inner: ir.Expression = ir.Call(type=INT, function=i, args=(local(0, INT),))
        functions.append(function(give(ir.Call(type=INT, function=i, args=(inner,))), takes=[INT], result=INT))
    main = function(give(ir.Call(type=INT, function=12, args=(integer(0),))), result=INT)
    made = program(ir.Elements(element=13), *functions, main, result=INT)
    assert Jit().run(Launch(made, {}, {}, {}, (1,))).outputs["result"].data.tolist() == [2**12]


def test_large_arrays_do_not_fill_the_stack() -> None:
    """Each of these takes a quarter of a megabyte, and there are many."""
    locals_ = " ".join(f"var a{i} = [sample(x); 65000]; a{i}[sample(x)] = {i};" for i in range(40))
    body = f"compute {{ {locals_} return {' + '.join(f'a{i}[sample(x) + {i % 2}]' for i in range(40))}; }}"
    launch = launch_of(kernel("input x: Rows<Int>; output result: Rows<Int>;", body), {"x": [0, 3, 70000]})
    got = Jit().run(launch).outputs["result"].data.tolist()
    assert got == [sum(i for i in range(0, 40, 2)) + 20 * x if x < 65000 else 40 * x for x in (0, 3, 70000)]


ARRAYS = """
struct Box { rows: [[Int; 3]; 9]; more: [[Int; 3]; 9]; flag: Bool; ends: [Int; 2]; }
fn swapped(b: Box) -> Box { return Box { rows: b.more, more: b.rows, flag: !b.flag, ends: [b.ends[1], b.ends[0]] }; }
fn marked(b: Box, i: Int) -> Box { var c = b; c.rows[i][i % 3] = 100 + i; c.ends[i & 1] += 7; return c; }
"""


def test_arrays_inside_of_structs() -> None:
    body = """
    compute {
      let i = sample(x);
      var b = Box { rows: [[i, 1, 2]; 9], more: [[3, 4, i]; 9], flag: i > 2, ends: [i, 9] };
      b = swapped(marked(b, i));
      b = Box { rows: b.more, more: b.rows, flag: b.flag, ends: b.ends };
      b.rows[i + 1] = b.more[i];
      b.more[2][i] = b.rows[i][0];
      if b == marked(b, 99) { return [b.rows[i], b.more[2], b.rows[i + 1]]; }
      return [[b.ends[0], b.ends[1], select(b.flag, 1, 0)], b.rows[i], b.more[i]];
    }"""
    source = kernel("input x: Rows<Int>; output result: Rows<[[Int; 3]; 3]>;", body, ARRAYS)
    assert_same(launch_of(source, {"x": list(range(-2, 12))}))


def test_a_scan_that_carries_arrays() -> None:
    body = """
    scan over x with b = Box { rows: [[1, 1, 2]; 9], more: [[3, 4, 5]; 9], flag: true, ends: [0, 9] } {
      if sample(x) > 5 { return b; }
      return swapped(marked(b, sample(x)));
    }"""
    source = kernel("input x: Rows<Int>; output result: Rows<Box>;", body, ARRAYS)
    assert_same(launch_of(source, {"x": np.random.default_rng(0).integers(-1, 9, 500).astype(np.int32)}))


def test_a_reduction_to_an_array() -> None:
    body = """
    compute over x { var h = [0; 40]; h[sample(x)] = 1; return h; }
    merge(a, b) { var c = a; for i in 0..40 { c[i] = a[i] + b[i]; } return c; }"""
    source = kernel("input x: Rows<Int>; output result: Rows<[Int; 40]>;", body)
    x = np.random.default_rng(0).integers(0, 40, 5000).astype(np.int32)
    launch = launch_of(source, {"x": x})
    assert Jit().run(launch).outputs["result"].data.tolist() == [np.bincount(x, minlength=40).tolist()]
    assert_same(launch)


def test_simple_maps_work_on_several_elements_at_once() -> None:
    source = kernel(
        "input x: Rows<Float>; output result: Rows<Float>;",
        "compute { let v = sample(x); exp(v) + log(v) + sin(v) + pow(v, 2.5) }",
    )
    text = write_module(compiled(source), frozenset(), fast=False).text
    # The least that any processor for this test has is four at once.
    assert any(f"<{n} x float>" in engine.optimised(text) for n in (4, 8, 16))


def test_strict_arithmetic_is_never_contracted() -> None:
    source = kernel(
        "input x: Rows<Float>; output result: Rows<Float>;", "compute { sample(x) * sample(x) + sample(x) }"
    )
    texts = [write_module(compiled(source), frozenset(), fast=fast).text for fast in (False, True)]
    assert ["contract" in text for text in texts] == [False, True]
    assert "fma" not in engine.optimised(texts[0])


@pytest.mark.parametrize(
    "body",
    [
        "return pow(exp(k), 2.2) * sample(a);",
        "let e = exp(k); let p = place(); let g = sin(p.y * e); return pow(g, 2.2) + sample(a);",
        "if sample(a) > 3.0 { return pow(sin(k), 2.0); } return sin(sample(a));",
        "return pow(sin(coord().y), 2.2);",
    ],
)
def test_what_is_the_same_for_a_row_is_compiled_soon(body: str) -> None:
    """LLVM went through the branches of such functions, one inside of the other, for minutes."""
    source = f"""
    kernel t.rows@1 {{
      requires {{ field.read; field.write; }}
      input a: Grid<Float>; param k: Float = 0.3; output result: Grid<Float>;
      compute {{ {body} }}
    }}
    """
    launch = launch_of(source, {"a": np.arange(12, dtype=np.float32).reshape(3, 4) - 2}, (4, 3))
    start = time.process_time()
    engine.machine_code(write_module(launch.program, frozenset(), fast=False).text)
    assert time.process_time() - start < 10
    assert_same(launch)
