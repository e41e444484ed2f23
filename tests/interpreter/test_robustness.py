"""What no checked text can show: divergent exchanges, the deepest IR, functions called on their own."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest

from kcheck.checker import ir
from kcheck.checker.builtins import Builtin
from kcheck.checker.ir import BinaryOp, Effect, PlaceKind
from kcheck.checker.types import FLOAT, INT, Struct, Type, Vec
from kcheck.checker.types import FieldOf as Member
from kcheck.runtime.backend import Launch
from kcheck.runtime.errors import RunError
from kcheck.runtime.layout import AnyArray
from tests.checker.build import ORIGIN, binary, block, call, function, integer, number, program
from tests.interpreter.build import INTERPRETER, compiled, evaluate, kernel, local, outcome, run

LANE = ir.Place(type=INT, kind=PlaceKind.LANE)
GROUP = ir.Place(type=INT, kind=PlaceKind.GROUP)


def run_group(size: int, count: int, *statements: ir.Statement) -> AnyArray:
    """A group kernel over Ints with two Int locals."""
    main = function(*statements, locals_=(INT, INT), result=INT, effects=[Effect.EXCHANGE])
    made = program(ir.Lanes(size=size, element=0), main, result=INT)
    return INTERPRETER.run(Launch(made, {}, {}, {}, (count,))).outputs["result"].data


def exchange(lane: ir.Expression) -> ir.Exchange:
    return ir.Exchange(local=0, value=LANE, lane=lane)


def give(value: ir.Expression) -> ir.Return:
    return ir.Return(value=value)


def branch(condition: ir.Expression, *then: ir.Statement) -> ir.If:
    return ir.If(condition=condition, then=block(*then), otherwise=block())


# ---------------------------------------------------------------- divergent exchanges

HALF = binary(LANE, BinaryOp.LT, integer(2))
DIVERGENT = {
    "branch": branch(HALF, exchange(integer(0))),
    "early return": branch(HALF, give(integer(1))),
    "loop count": ir.Loop(
        local=1, low=integer(0), high=LANE, closed=False, until=None, body=block(exchange(integer(0)))
    ),
}


@pytest.mark.parametrize("name", DIVERGENT)
def test_divergent_exchange_is_an_error(name: str) -> None:
    start = ir.Assign(local=0, value=integer(0))
    with pytest.raises(RunError, match="K712") as caught:
        run_group(4, 8, start, DIVERGENT[name], exchange(integer(0)), give(local(0, INT)))
    assert caught.value.diagnostic.origin == ORIGIN


def test_whole_groups_may_diverge() -> None:
    odd = binary(binary(GROUP, BinaryOp.AND, integer(1)), BinaryOp.EQ, integer(1))
    start = ir.Assign(local=0, value=integer(-1))
    got = run_group(4, 10, start, branch(odd, exchange(integer(2))), give(local(0, INT)))
    assert got.tolist() == [-1, -1, -1, -1, 2, 2, 2, 2, -1, -1]


def test_a_group_of_one_cannot_diverge() -> None:
    start = ir.Assign(local=0, value=integer(-1))
    even = binary(binary(GROUP, BinaryOp.AND, integer(1)), BinaryOp.EQ, integer(0))
    got = run_group(1, 3, start, branch(even, exchange(integer(7))), give(local(0, INT)))
    assert got.tolist() == [0, -1, 0]


# ---------------------------------------------------------------- depth


def deep_sum(depth: int) -> ir.Expression:
    node: ir.Expression = local(0, INT)
    for _ in range(depth):
        node = binary(integer(1), BinaryOp.ADD, node)
    return node


def nested_ifs(depth: int) -> ir.Statement:
    node: ir.Statement = ir.Assign(local=0, value=integer(5))
    for _ in range(depth):
        node = branch(binary(local(0, INT), BinaryOp.GT, integer(0)), node)
    return node


@contextmanager
def recursion_limit(limit: int) -> Iterator[None]:
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(limit)
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


def call_with_usual_limit(*functions: ir.Function, argument: list[int]) -> list[int]:
    """The last function's results, under the limit that Python starts with."""
    made = program(ir.Elements(element=0), *functions, result=INT)
    with recursion_limit(1000):
        got: list[int] = INTERPRETER.call(made, len(functions) - 1, [np.array(argument, np.int32)], {}).tolist()
    return got


def test_the_deepest_expressions_and_statements() -> None:
    depth = ir.MAX_DEPTH - 4
    with recursion_limit(10_000):  # for the tests' own way of numbering nodes
        main = function(nested_ifs(depth // 2), give(deep_sum(depth)), takes=[INT], result=INT)
    assert call_with_usual_limit(main, argument=[-1, 1]) == [depth - 1, depth + 5]


def test_a_long_chain_of_deep_functions() -> None:
    depth, links = 200, 20
    with recursion_limit(10_000):
        functions = [function(give(deep_sum(depth)), takes=[INT], result=INT)]
        for i in range(links - 1):
            inner: ir.Expression = ir.Call(type=INT, function=i, args=(local(0, INT),))
            for _ in range(depth):
                inner = binary(integer(1), BinaryOp.ADD, inner)
            functions.append(function(give(inner), takes=[INT], result=INT))
    assert call_with_usual_limit(*functions, argument=[7]) == [7 + depth * links]


# ---------------------------------------------------------------- functions on their own


def test_a_merge_is_called_on_many_pairs_at_once() -> None:
    made = compiled(
        kernel(
            "input x: Rows<Float>; param k: Float = 1.0; output result: Rows<S>;",
            "compute over x { S { v: vec2(sample(x), 1.0), n: 1 } } "
            "merge(a, b) { S { v: (a.v + b.v) * k, n: a.n + b.n } }",
            "struct S { v: Vec2; n: Int; }",
        )
    )
    assert isinstance(made.schedule, ir.Fold)
    layout = np.dtype([("v", np.float32, 2), ("n", np.int32)])
    a, b = np.zeros(3, layout), np.zeros(3, layout)
    a["v"], a["n"], b["v"], b["n"] = [[1, 2], [3, 4], [5, 6]], [1, 2, 3], 10, 100
    k = np.array(2, np.float32)
    got = INTERPRETER.call(made, made.schedule.merge, [a, b], {"k": k})
    assert got["v"].tolist() == [[22, 24], [26, 28], [30, 32]]
    assert got["n"].tolist() == [101, 102, 103]
    one = INTERPRETER.call(made, made.schedule.merge, [a[:1], b[:1]], {"k": k})
    assert one.tobytes() == got[:1].tobytes()


def test_a_function_without_parameters() -> None:
    made = compiled(
        kernel(
            "input x: Rows<Int>; param p: Int = 4; output result: Rows<Int>;",
            "scan over x with y = p * 2 { y + sample(x) }",
        )
    )
    assert isinstance(made.schedule, ir.OrderedWalk)
    assert INTERPRETER.call(made, made.schedule.init, [], {"p": np.array(4, np.int32)}).tolist() == [8]


def test_results_that_all_lanes_share() -> None:
    type_: Type = Struct("P", "a#P", (Member("a", INT), Member("b", Vec(2)), Member("c", FLOAT)))
    splat = ir.Splat(type=Vec(2), operand=number(0.5))
    value = ir.Make(type=type_, parts=(integer(3), splat, call(Builtin.SQRT, number(4.0))))
    made = program(ir.Elements(element=0), function(give(value), result=type_), result=type_)
    got = INTERPRETER.run(Launch(made, {}, {}, {}, (3,))).outputs["result"].data
    assert [(int(r["a"]), r["b"].tolist(), float(r["c"])) for r in got] == [(3, [0.5, 0.5], 2.0)] * 3


def test_warnings_of_numpy_stay_inside() -> None:
    quotient = binary(number(1.0), BinaryOp.DIV, local(0, FLOAT))
    before = np.geterr()
    got = evaluate(quotient, (FLOAT, np.array([0.0, 2.0], np.float32)))
    assert got.tolist() == [np.inf, 0.5]
    assert np.geterr() == before


# ---------------------------------------------------------------- functions that act


def test_functions_that_emit_and_give_nothing() -> None:
    source = kernel(
        "input x: Rows<Int>; input t: Rows<Int>; output result: Rows<Int>; "
        "fn spread(k: Int, n: Int) { if k < 0 { return; } give(k, n); give(k + 1, n); } "
        "fn give(k: Int, n: Int) { emit(Pair { at: k, value: n }); }",
        "scatter over x into t with sum { let v = sample(x); if v != 3 { spread(v, 10); } Pair { at: 0, value: 1 } }",
        "struct Pair { at: Int; value: Int; }",
    )
    assert run(source, {"x": [0, 3, -1, 2, 1], "t": [0, 0, 0, 0]}).tolist() == [15, 20, 20, 10]


def test_functions_that_exchange() -> None:
    source = kernel(
        "input x: Rows<Int>; output result: Rows<Int>;",
        "group 4 { var v = sample(x); for i in 0..2 { v = v + neighbour(v, 1 << i); } return v; }",
        "fn neighbour(v: Int, distance: Int) -> Int { return exchange(v, lane() ^ distance); }",
    )
    x = np.arange(8, dtype=np.int32)
    assert run(source, {"x": x}).tolist() == [6] * 4 + [22] * 4


def test_functions_that_read_and_write_memory() -> None:
    source = kernel(
        "input x: Rows<Int>; memory ram: Rows<Int>; output result: Rows<Int>; "
        "fn swap(i: Int, v: Int) -> Int { let old = at(ram, i); put(ram, i, v); return old; }",
        "scan over x with y = 0 { swap(0, sample(x)) + 10 * y }",
    )
    got = outcome(source, {"x": [1, 2, 3], "ram": [9, 9]})
    assert got.outputs["result"].data.tolist() == [9, 91, 912]
    assert got.memories["ram"].data.tolist() == [3, 9]


# ---------------------------------------------------------------- constants of every kind


def test_constants_and_params_of_every_type() -> None:
    items = (
        "struct S { flag: Bool; m: Mat2; parts: [Vec2; 2]; e: E; } enum E { None; Some { n: Int; } } "
        "const C: S = S { flag: true, m: mat2(vec2(1.0, 2.0), vec2(3.0, 4.0)), "
        "parts: [vec2(5.0, 6.0), vec2(7.0, 8.0)], e: E.Some { n: 9 } };"
    )
    source = kernel(
        "input x: Rows<Int>; param p: [Int; 3] = [1, 2, 3]; output result: Rows<S>; output more: Rows<Int>;",
        "compute { var s = C; { s.parts[sample(x)] = vec2(0.0, 0.0); } let filled = [s.e; 3]; "
        "{ result: s, more: p[sample(x)] + match filled[1] { Some { n } => n, None => 0 } } }",
        items,
    )
    got = outcome(source, {"x": [0, 1, 2]}).outputs
    result = got["result"].data
    assert result["flag"].all()
    assert result["m"].tolist() == [[[1, 2], [3, 4]]] * 3
    assert result["parts"].tolist() == [[[0, 0], [7, 8]], [[5, 6], [0, 0]], [[5, 6], [7, 8]]]
    assert result["e"]["tag"].tolist() == [1, 1, 1]
    assert result["e"]["Some"]["n"].tolist() == [9, 9, 9]
    assert got["more"].data.tolist() == [10, 11, 12]


def test_equality_of_whole_values() -> None:
    source = kernel(
        "input a: Rows<S>; input b: Rows<S>; output result: Rows<Bool>;",
        "compute { sample(a) == sample(b) }",
        "struct S { v: Vec2; n: [Int; 2]; ok: Bool; }",
    )
    layout = np.dtype([("v", np.float32, 2), ("n", np.int32, 2), ("ok", np.bool_)])
    a = np.array([([0.0, 1], [2, 3], True)] * 5, layout)
    b = a.copy()
    b["v"][0, 0], b["v"][1, 1], b["n"][2, 1], b["ok"][3] = -0.0, np.nan, 4, False
    assert run(source, {"a": a, "b": b}).tolist() == [True, False, False, False, True]
