"""Good programs pass; a program that breaks one invariant is refused, by that invariant's message."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from kcheck.checker import ir
from kcheck.checker.builtins import Builtin
from kcheck.checker.ir import BinaryOp, CombineOp, Effect, Logic, PlaceKind, UnaryOp
from kcheck.checker.types import (
    BOOL,
    FLOAT,
    INT,
    MAX_LEAVES,
    UNIT,
    Array,
    Enum,
    FieldOf,
    Mat,
    Struct,
    Type,
    Variant,
    Vec,
)
from kcheck.checker.verify import InvalidIR, verify_ir
from kcheck.grammar.nodes import node
from tests.checker.build import (
    ORIGIN,
    PAIR,
    SHAPE,
    array,
    binary,
    block,
    boolean,
    call,
    function,
    integer,
    matrix,
    number,
    numbered,
    param,
    port,
    program,
    unary,
    vector,
)

ZERO, ONE = integer(0), integer(1)
YES = boolean(True)


def local(number_: int, type_: Type = INT) -> ir.Local:
    return ir.Local(type=type_, local=number_)


def assign(target: int, value: ir.Expression, *steps: ir.TargetStep) -> ir.Assign:
    return ir.Assign(local=target, value=value, steps=steps)


def give(value: ir.Expression | None) -> ir.Return:
    return ir.Return(value=value)


def elements(
    *statements: ir.Statement,
    locals_: Sequence[Type] = (),
    result: ir.Expression = ZERO,
    before: Sequence[ir.Function] = (),
    effects: Sequence[Effect] = (),
    lanes: bool = False,
    **changes: Any,
) -> ir.Program:
    """A map over Rows that runs `statements` and gives `result`; `before` it stand other functions."""
    main = function(*statements, give(result), locals_=locals_, result=result.type, effects=effects)
    place = len(before)
    schedule = ir.Lanes(element=place, size=4) if lanes else ir.Elements(element=place)
    inputs = (port("ints", 1, INT), port("grid", 2, Vec(2)), port("floats", 3, FLOAT))
    params = (param("gain", number(1.0), number(0.0), number(2.0)),)
    return program(schedule, *before, main, **{"result": result.type, "inputs": inputs, "params": params, **changes})


def pure(result: Type = INT, takes: Sequence[Type] = (INT,), **changes: Any) -> ir.Function:
    return function(give(ir.Const(type=result, leaves=(0,))), name="pure", takes=takes, result=result, **changes)


def acts() -> ir.Function:
    statement = ir.Exchange(local=1, value=local(0), lane=ZERO)
    effects = (Effect.EXCHANGE,)
    return function(statement, give(local(1)), name="acts", takes=(INT,), locals_=(INT,), result=INT, effects=effects)


# ---------------------------------------------------------------- good programs


def fold(**changes: Any) -> ir.Program:
    element = function(give(ir.Sample(type=FLOAT, port="values")), name="element", result=FLOAT)
    total = binary(local(0, FLOAT), BinaryOp.ADD, local(1, FLOAT))
    merge = function(give(total), name="merge", takes=(FLOAT, FLOAT), result=FLOAT)
    arguments = {
        "result": FLOAT,
        "inputs": (port("values", 2, FLOAT),),
        "outputs": (port("total", 1, FLOAT),),
        "rank": 2,
        "sampled": ("values",),
    }
    return program(ir.Fold(over="values", element=0, merge=1), element, merge, **{**arguments, **changes})


def walk() -> ir.Program:
    element = function(
        ir.Load(local=1, memory="ram", address=(local(0),)),
        ir.Put(memory="ram", address=(ZERO,), value=binary(local(1), BinaryOp.ADD, ONE)),
        give(local(1)),
        name="step",
        takes=(INT,),
        locals_=(INT,),
        result=INT,
        effects=(Effect.LOAD, Effect.PUT),
    )
    init = function(give(ZERO), name="init", result=INT)
    return program(
        ir.OrderedWalk(over="ticks", element=0, init=1),
        element,
        init,
        result=INT,
        inputs=(port("ticks", 1, BOOL),),
        memories=(port("ram", 1, INT),),
    )


def pair(address: ir.Expression, value: ir.Expression) -> ir.Make:
    return ir.Make(type=PAIR, parts=(address, value))


def scatter(op: CombineOp = CombineOp.MAX, emits: bool = True) -> ir.Program:
    emitted = (ir.Emit(value=pair(ONE, number(2.0))),) if emits else ()
    element = function(
        *emitted,
        give(pair(ir.Place(type=INT, kind=PlaceKind.INDEX), number(1.0))),
        name="element",
        result=PAIR,
        effects=(Effect.EMIT,) if emits else (),
    )
    return program(
        ir.CombineByAddress(over="values", into="target", op=op, element=0),
        element,
        result=PAIR,
        inputs=(port("values", 1, BOOL), port("target", 1, FLOAT)),
        outputs=(port("result", 1, FLOAT),),
    )


def prefix(op: CombineOp = CombineOp.SUM, value: ir.Expression = ONE) -> ir.Program:
    element = function(give(value), name="element", result=value.type)
    return program(
        ir.RunningCombine(over="values", op=op, element=0),
        element,
        result=value.type,
        inputs=(port("values", 3, BOOL),),
        outputs=(port("result", 1, value.type),),
        rank=3,
    )


def group() -> ir.Program:
    statement = ir.CallStatement(local=0, function=0, args=(ir.Place(type=INT, kind=PlaceKind.LANE),))
    return elements(statement, locals_=(INT,), result=local(0), before=[acts()], effects=(Effect.EXCHANGE,), lanes=True)


def two_outputs() -> ir.Program:
    result = Struct("a@1", "a.kernel#kernel a@1", (FieldOf("low", INT), FieldOf("high", FLOAT)))
    value = ir.Make(type=result, parts=(ZERO, number(1.0)))
    return elements(result=value, outputs=(port("low", 1, INT), port("high", 1, FLOAT)))


def branches() -> ir.Program:
    """Every path assigns local 0; local 1 counts rounds; local 2 belongs to a path that returns."""
    first = ir.If(condition=YES, then=block(assign(0, ZERO)), otherwise=block(assign(2, ONE), give(local(2))))
    cases = (
        ir.Case(ranges=((0, 0), (2, 5)), body=block(assign(0, ONE))),
        ir.Case(ranges=((7, 7),), body=block(give(ONE))),
    )
    second = ir.Switch(subject=local(0), cases=cases, otherwise=block())
    until = ir.Until(block=block(assign(2, local(1))), condition=binary(local(2), BinaryOp.GT, integer(3)))
    loop = ir.Loop(local=1, low=ZERO, high=local(0), closed=True, until=until, body=block(assign(0, local(2))))
    return elements(first, second, loop, block(), locals_=(INT, INT, INT), result=local(0))


@pytest.mark.parametrize(
    "build",
    [
        elements,
        fold,
        walk,
        scatter,
        lambda: scatter(CombineOp.SUM, emits=False),
        lambda: scatter(CombineOp.LAST, emits=False),
        prefix,
        lambda: prefix(CombineOp.MIN, vector(1, 2)),
        group,
        two_outputs,
        branches,
    ],
)
def test_good_programs_pass_and_can_be_pickled(build):
    good = build()
    verify_ir(good)
    assert pickle.loads(pickle.dumps(good)) == good


# ---------------------------------------------------------------- expressions

MATRIX, PLACE = matrix((1, 2), (3, 4)), (PlaceKind.INDEX, PlaceKind.COORD)
DISC = ir.MakeVariant(type=SHAPE, variant=1, parts=(number(1.0), YES))


@node
class Odd(ir.Expression):
    """No node of the IR."""


GOOD_EXPRESSIONS = [
    unary(UnaryOp.NEG, MATRIX),
    unary(UnaryOp.NOT, YES),
    unary(UnaryOp.INVERT, ONE),
    binary(MATRIX, BinaryOp.REM, MATRIX),
    binary(YES, BinaryOp.XOR, YES),
    binary(ONE, BinaryOp.USHR, ONE),
    binary(DISC, BinaryOp.EQ, DISC),
    binary(MATRIX, BinaryOp.MATMUL, MATRIX),
    binary(MATRIX, BinaryOp.MATMUL, vector(1, 2)),
    ir.ShortCircuit(type=BOOL, op=Logic.AND, left=YES, right=YES),
    ir.Conditional(type=INT, condition=YES, then=ONE, otherwise=ZERO),
    ir.StructField(type=FLOAT, operand=pair(ONE, number(1.0)), index=1),
    ir.Swizzle(type=Vec(4), operand=vector(1, 2), components=(1, 1, 0, 0)),
    ir.Swizzle(type=FLOAT, operand=vector(1, 2), components=(1,)),
    ir.Index(type=INT, operand=array(ONE, ZERO), index=integer(9)),
    ir.Index(type=FLOAT, operand=vector(1, 2), index=ZERO),
    ir.Index(type=Vec(2), operand=MATRIX, index=ZERO),
    ir.Make(type=Vec(4), parts=(number(1.0), vector(1, 2), number(1.0))),
    ir.Make(type=Mat(2), parts=(vector(1, 2), vector(3, 4))),
    ir.Splat(type=Mat(3), operand=number(1.0)),
    ir.Splat(type=Array(PAIR, 3), operand=pair(ONE, number(1.0))),
    ir.Tag(type=INT, operand=DISC),
    ir.Payload(type=BOOL, operand=DISC, variant=1, index=1),
    call(Builtin.SELECT, YES, DISC, DISC),
    call(Builtin.REFRACT, vector(1, 2), vector(1, 2), number(1.0)),
    ir.Param(type=FLOAT, name="gain"),
    ir.SampleAt(type=FLOAT, port="floats", position=vector(1, 2, 3)),
    ir.SampleAt(type=Vec(2), port="grid", position=vector(1, 2)),
    ir.At(type=INT, port="ints", address=(ONE,)),
    ir.At(type=Vec(2), port="grid", address=(vector(1, 2),)),
    ir.At(type=FLOAT, port="floats", address=(ONE, ONE, ONE)),
    ir.Size(type=INT, port="ints"),
    ir.Size(type=Vec(3), port="floats"),
    ir.Extent(type=FLOAT, port="ints"),
    ir.Extent(type=Vec(2), port="grid"),
    ir.Place(type=INT, kind=PlaceKind.COORD),
    ir.Place(type=FLOAT, kind=PlaceKind.PLACE),
    ir.Const(type=SHAPE, leaves=(1, 0, True, 0, 0, 0)),
    ir.Const(type=Array(SHAPE, 1), leaves=(2, 0, False, 1, 0, -5)),
]


@pytest.mark.parametrize("expression", GOOD_EXPRESSIONS, ids=lambda e: type(e).__name__)
def test_good_expressions(expression):
    verify_ir(elements(assign(0, expression), locals_=(expression.type,)))


BAD_EXPRESSIONS = [
    (replace(unary(UnaryOp.NEG, ONE), type=FLOAT), "has the type Float, not Int"),
    (unary(UnaryOp.NEG, YES), "- on Bool"),
    (unary(UnaryOp.NOT, ONE), "! on Int"),
    (unary(UnaryOp.INVERT, YES), "~ on Bool"),
    (binary(ONE, BinaryOp.ADD, number(1.0)), "operands of the types Int and Float"),
    (binary(vector(1, 2), BinaryOp.MUL, number(1.0)), "operands of the types Vec2 and Float"),
    (binary(YES, BinaryOp.ADD, YES), r"\+ on Bool"),
    (binary(number(1.0), BinaryOp.AND, number(1.0)), "& on Float"),
    (binary(YES, BinaryOp.SHL, YES), "<< on Bool"),
    (binary(vector(1, 2), BinaryOp.LT, vector(1, 2)), "< on Vec2"),
    (binary(ONE, BinaryOp.EQ, ONE, INT), "has the type Int, not Bool"),
    (binary(MATRIX, BinaryOp.MATMUL, vector(1, 2, 3)), "the product of Mat2 and Vec3"),
    (binary(vector(1, 2), BinaryOp.MATMUL, MATRIX), "the product of Vec2 and Mat2"),
    (ir.ShortCircuit(type=BOOL, op=Logic.OR, left=YES, right=ONE), "an operand is not a Bool"),
    (ir.Conditional(type=INT, condition=ONE, then=ONE, otherwise=ZERO), "the condition is not a Bool"),
    (ir.Conditional(type=INT, condition=YES, then=ONE, otherwise=YES), "the branches have different types"),
    (ir.Conditional(type=BOOL, condition=YES, then=ONE, otherwise=ONE), "has the type Bool, not Int"),
    (ir.StructField(type=INT, operand=pair(ONE, number(1.0)), index=2), "Pair has no field 2"),
    (ir.StructField(type=INT, operand=pair(ONE, number(1.0)), index=-1), "Pair has no field -1"),
    (ir.StructField(type=INT, operand=ONE, index=0), "Int has no field 0"),
    (ir.Swizzle(type=FLOAT, operand=vector(1, 2), components=(2,)), "Vec2 has no components"),
    (ir.Swizzle(type=FLOAT, operand=vector(1, 2), components=()), "Vec2 has no components"),
    (ir.Swizzle(type=Vec(2), operand=ONE, components=(0, 0)), "Int has no components"),
    (ir.Swizzle(type=Vec(5), operand=vector(1, 2), components=(0,) * 5), "there is no type Vec5"),
    (ir.Index(type=INT, operand=array(ONE), index=number(0.0)), "the index is not an Int"),
    (ir.Index(type=INT, operand=pair(ONE, number(1.0)), index=ZERO), "Pair has no elements by number"),
    (ir.Index(type=Vec(3), operand=MATRIX, index=ZERO), "has the type Vec3, not Vec2"),
    (ir.Make(type=Array(INT, 2), parts=(ONE,)), "parts that are no"),
    (ir.Make(type=PAIR, parts=(ONE, ONE)), "parts that are no Pair"),
    (ir.Make(type=Mat(2), parts=(vector(1, 2), vector(1, 2, 3))), "parts that are no Mat2"),
    (ir.Make(type=Vec(3), parts=(vector(1, 2),)), "parts that are no Vec3"),
    (ir.Make(type=Vec(2), parts=(ONE, ONE)), "parts that are no Vec2"),
    (ir.Make(type=INT, parts=(ONE,)), "Int is not made of parts"),
    (ir.Splat(type=Vec(2), operand=ONE), "Int in every component of a Vec2"),
    (ir.Splat(type=Array(INT, 2), operand=YES), "Bool in every element"),
    (ir.Splat(type=FLOAT, operand=number(1.0)), "Float is not made from one value"),
    (ir.MakeVariant(type=SHAPE, variant=1, parts=()), "parts of other types"),
    (ir.MakeVariant(type=SHAPE, variant=3, parts=()), "Shape has no variant 3"),
    (ir.MakeVariant(type=PAIR, variant=0, parts=()), "Pair has no variant 0"),
    (ir.Tag(type=INT, operand=ONE), "Int has no tag"),
    (ir.Payload(type=FLOAT, operand=DISC, variant=0, index=0), "the variant has no field 0"),
    (ir.Payload(type=FLOAT, operand=DISC, variant=-1, index=0), "Shape has no variant -1"),
    (ir.Payload(type=INT, operand=DISC, variant=1, index=0), "has the type Int, not Float"),
    (replace(call(Builtin.MAX, ONE, ONE), args=(ONE, YES)), "max has no overload for"),
    (replace(call(Builtin.MAX, vector(1, 2), number(1.0))), "max has no overload for"),
    (replace(call(Builtin.DOT, vector(1, 2), vector(1, 2)), type=Vec(2)), "has the type Vec2, not Float"),
    (ir.Param(type=FLOAT, name="loss"), "there is no param loss"),
    (ir.Param(type=INT, name="gain"), "has the type Int, not Float"),
    (local(1), "there is no local 1"),
    (local(-1), "there is no local -1"),
    (ir.Sample(type=Vec(2), port="grid"), "has no element at this place"),
    (ir.Sample(type=INT, port="result"), "there is no input result"),
    (ir.SampleAt(type=INT, port="ints", position=number(0.0)), "elements of ints cannot be mixed"),
    (ir.SampleAt(type=Vec(2), port="grid", position=number(0.0)), "grid has no such position"),
    (ir.SampleAt(type=Vec(2), port="none", position=number(0.0)), "there is no input none"),
    (ir.At(type=INT, port="ints", address=(number(0.0),)), "no address of a Rows<Int>"),
    (ir.At(type=Vec(2), port="grid", address=(ONE,)), "no address of a Grid<Vec2>"),
    (ir.At(type=Vec(2), port="grid", address=(ONE, ONE, ONE)), "no address of a Grid<Vec2>"),
    (ir.At(type=FLOAT, port="ints", address=(ONE,)), "has the type Float, not Int"),
    (ir.Size(type=FLOAT, port="ints"), "has the type Float, not Int"),
    (ir.Size(type=INT, port="gain"), "there is no input or memory gain"),
    (ir.Extent(type=INT, port="ints"), "has the type Int, not Float"),
    (ir.Extent(type=FLOAT, port="result"), "there is no input result"),
    (ir.Place(type=FLOAT, kind=PlaceKind.INDEX), "has the type Float, not Int"),
    (ir.Place(type=Vec(2), kind=PlaceKind.COORD), "has the type Vec2, not Int"),
    (ir.Place(type=INT, kind=PlaceKind.PLACE), "has the type Int, not Float"),
    (ir.Place(type=FLOAT, kind=PlaceKind.DOMAIN), "has the type Float, not Int"),
    (ir.Place(type=INT, kind=PlaceKind.LANE), "only groups have lanes"),
    (ir.Const(type=INT, leaves=()), "0 leaves for the type Int"),
    (ir.Const(type=INT, leaves=(True,)), "True is not a Int"),
    (ir.Const(type=INT, leaves=(2**31,)), "2147483648 is not a Int"),
    (ir.Const(type=BOOL, leaves=(1,)), "1 is not a Bool"),
    (ir.Const(type=FLOAT, leaves=(-1,)), "-1 is not a Float"),
    (ir.Const(type=FLOAT, leaves=(2**32,)), "4294967296 is not a Float"),
    (ir.Const(type=SHAPE, leaves=(3, 0, False, 0, 0, 0)), "Shape has no variant 3"),
    (ir.Const(type=Array(SHAPE, 1), leaves=(0, 0, True, 0, 0, 0)), "storage of Disc is not zero"),
    (ir.Const(type=UNIT, leaves=()), "no value has the type Unit"),
    (ir.Const(type=Array(UNIT, 1), leaves=()), "no value has the type Unit"),
    (ir.Const(type=Array(INT, 0), leaves=()), "has no elements"),
    (ir.Const(type=Mat(1), leaves=(0,)), "there is no type Mat1"),
    (ir.Splat(type=Array(INT, MAX_LEAVES + 1), operand=ONE), "is too large"),
    (ir.Const(type=Enum("E", "E", ()), leaves=(0,)), "the enum E has no variants"),
    (ir.Const(type=Enum("E", "E", (Variant("A", ()),) * 2), leaves=(0,)), "two variants of E have one name"),
    (ir.Const(type=Struct("S", "S", (FieldOf("a", INT),) * 2), leaves=(0, 0)), "two fields of a type have one name"),
    (ir.Call(type=INT, function=1, args=()), "does not stand before the caller"),
    (ir.Call(type=INT, function=0, args=(YES,)), r"pure takes \(Int\), not \(Bool\)"),
    (ir.Call(type=BOOL, function=0, args=(ONE,)), "has the type Bool, not Int"),
    (Odd(type=INT), "no known expression"),
]


@pytest.mark.parametrize(("expression", "message"), BAD_EXPRESSIONS)
def test_bad_expressions(expression, message):
    with pytest.raises(InvalidIR, match=f"^function main, {type(expression).__name__} [0-9]+: .*{message}"):
        verify_ir(elements(assign(0, expression), locals_=(INT,), before=[pure()]))


def test_a_call_of_a_function_that_acts_is_no_expression():
    value = ir.Call(type=INT, function=0, args=(ONE,))
    refuse(elements(assign(0, value), locals_=(INT,), before=[acts()], lanes=True), "acts acts: its calls are")


def refuse(bad: ir.Program, message: str) -> None:
    with pytest.raises(InvalidIR, match=message):
        verify_ir(bad)


# ---------------------------------------------------------------- statements

LOOP = ir.Loop(local=0, low=ZERO, high=ONE, closed=False, until=None, body=block())
AFTER = [assign(0, ZERO)]


def switch(ranges: tuple[tuple[int, int], ...]) -> ir.Switch:
    return ir.Switch(subject=ONE, cases=(ir.Case(ranges=ranges, body=block()),), otherwise=block())


BAD_STATEMENTS: list[tuple[str, list[ir.Statement], list[Type], str]] = [
    ("type", [assign(0, YES)], [INT], "a Bool for a Int"),
    ("no local", [assign(1, YES)], [INT], "there is no local 1"),
    ("no field", [assign(0, pair(ONE, number(0))), assign(0, ONE, ir.FieldStep(index=2))], [PAIR], "no field 2"),
    (
        "swizzle twice",
        [assign(0, vector(1, 2)), assign(0, vector(1, 2), ir.SwizzleStep(components=(0, 0)))],
        [Vec(2)],
        "a component is assigned twice",
    ),
    (
        "swizzle in the middle",
        [
            assign(0, vector(1, 2)),
            assign(0, number(1), ir.SwizzleStep(components=(0, 1)), ir.SwizzleStep(components=(0,))),
        ],
        [Vec(2)],
        "a swizzle is the last step",
    ),
    (
        "step's index",
        [assign(0, vector(1, 2)), assign(0, number(1), ir.IndexStep(index=YES))],
        [Vec(2)],
        "the index is not an Int",
    ),
    ("if", [ir.If(condition=ONE, then=block(), otherwise=block())], [], "the condition is not a Bool"),
    ("switch", [ir.Switch(subject=YES, cases=(), otherwise=block())], [], "the subject is not an Int"),
    (
        "range",
        [switch(((2, 1),))],
        [],
        "2..=1 is no range of Ints",
    ),
    (
        "range of Ints",
        [switch(((0, 2**31),))],
        [],
        "is no range of Ints",
    ),
    ("loop's local", [LOOP], [FLOAT], "the loop's local is not an Int"),
    ("low", [replace(LOOP, low=YES)], [INT], "a bound is not an Int"),
    ("high", [replace(LOOP, high=YES)], [INT], "a bound is not an Int"),
    (
        "until",
        [replace(LOOP, until=ir.Until(block=block(), condition=ONE))],
        [INT],
        "the condition is not a Bool",
    ),
    ("return type", [give(YES)], [], "returns Bool, not Int"),
    ("return nothing", [give(None)], [], "returns no value, not Int"),
    ("exchange", [ir.Exchange(local=0, value=YES, lane=ONE)], [INT], "a Bool for a Int"),
    ("lane", [ir.Exchange(local=0, value=ONE, lane=YES)], [INT], "the lane is not an Int"),
    ("load", [ir.Load(local=0, memory="ints", address=(ONE,))], [INT], "there is no memory ints"),
    ("put", [ir.Put(memory="ints", address=(ONE,), value=ONE)], [], "there is no memory ints"),
    ("emit", [ir.Emit(value=YES)], [], "emits a Bool"),
    ("call of a pure one", [ir.CallStatement(local=0, function=0, args=(ONE,))], [INT], "pure is pure"),
    ("call of itself", [ir.CallStatement(local=0, function=1, args=())], [INT], "does not stand before"),
    ("read", [assign(0, local(1))], [INT, INT], "local 1 may be read before it is assigned"),
    ("read of itself", [assign(0, local(0))], [INT], "local 0 may be read"),
    ("part", [assign(0, number(1), ir.IndexStep(index=ONE))], [Vec(2)], "a part of local 0 before the whole"),
    (
        "one branch",
        [ir.If(condition=YES, then=block(assign(0, ONE)), otherwise=block()), assign(1, local(0))],
        [INT, INT],
        "local 0 may be read",
    ),
    (
        "condition",
        [ir.If(condition=binary(local(0), BinaryOp.EQ, ONE), then=block(*AFTER), otherwise=block(*AFTER))],
        [INT],
        "local 0 may be read",
    ),
    (
        "one case",
        [
            ir.Switch(
                subject=ONE,
                cases=(ir.Case(ranges=((0, 0),), body=block()), ir.Case(ranges=((1, 1),), body=block(*AFTER))),
                otherwise=block(*AFTER),
            ),
            assign(1, local(0)),
        ],
        [INT, INT],
        "local 0 may be read",
    ),
    (
        "default case",
        [
            ir.Switch(subject=ONE, cases=(ir.Case(ranges=((0, 0),), body=block(*AFTER)),), otherwise=block()),
            assign(1, local(0)),
        ],
        [INT, INT],
        "local 0 may be read",
    ),
    ("subject", [ir.Switch(subject=local(0), cases=(), otherwise=block())], [INT], "local 0 may be read"),
    ("after a loop", [LOOP, assign(1, local(0))], [INT, INT], "local 0 may be read"),
    ("loop's bound", [replace(LOOP, high=local(0))], [INT], "local 0 may be read"),
    (
        "from a loop's body",
        [replace(LOOP, body=block(assign(1, ONE))), assign(0, local(1))],
        [INT, INT],
        "local 1 may be read",
    ),
    (
        "first test",
        [
            replace(
                LOOP,
                until=ir.Until(block=block(), condition=binary(local(1), BinaryOp.EQ, ONE)),
                body=block(assign(1, ONE)),
            )
        ],
        [INT, INT],
        "local 1 may be read",
    ),
    (
        "in a loop's body",
        [replace(LOOP, body=block(assign(0, local(1)), assign(1, ONE)))],
        [INT, INT],
        "local 1 may be read",
    ),
]


@pytest.mark.parametrize(
    ("statements", "locals_", "message"),
    [row[1:] for row in BAD_STATEMENTS],
    ids=[row[0] for row in BAD_STATEMENTS],
)
def test_bad_statements(statements, locals_, message):
    refuse(elements(*statements, locals_=locals_, before=[pure()]), f"^function main, .*{message}")


def test_memories_have_addresses_and_element_types():
    def changed(statement: ir.Statement) -> ir.Program:
        good = walk()
        step, init = good.functions
        statements = step.body.statements
        place = 0 if isinstance(statement, ir.Load) else 1
        body = block(*statements[:place], statement, *statements[place + 1 :])
        return replace(good, functions=(replace(step, body=numbered(body)), init))

    refuse(changed(ir.Load(local=1, memory="ram", address=(YES,))), "no address of a Rows<Int>")
    refuse(changed(ir.Put(memory="ram", address=(vector(1, 2),), value=ONE)), "no address of a Rows<Int>")
    refuse(changed(ir.Put(memory="ram", address=(ONE,), value=YES)), "a Bool for a Int")
    refuse(changed(ir.Load(local=2, memory="ram", address=(ONE,))), "there is no local 2")


def test_calls_of_functions_without_a_result():
    unit = function(name="unit", takes=(INT,))
    good = ir.CallStatement(local=None, function=0, args=(ONE,))
    verify_ir(elements(good, before=[unit]))
    refuse(elements(replace(good, local=0), locals_=(INT,), before=[unit]), "a no value for a Int")
    refuse(elements(replace(good, args=(YES,)), before=[unit]), "unit takes")
    refuse(elements(assign(0, ir.Call(type=UNIT, function=0, args=(ONE,))), locals_=(INT,), before=[unit]), "Unit")
    refuse(elements(good, before=[function(give(ONE), name="unit", takes=(INT,))]), "returns Int, not no value")


@pytest.mark.parametrize(
    "statements",
    [
        [],
        [ir.If(condition=YES, then=block(give(ONE)), otherwise=block())],
        [ir.Switch(subject=ONE, cases=(ir.Case(ranges=((0, 0),), body=block()),), otherwise=block(give(ONE)))],
        [replace(LOOP, body=block(give(ONE)))],
    ],
    ids=["nothing", "if", "switch", "loop"],
)
def test_every_path_of_a_function_with_a_result_returns(statements):
    bad = function(*statements, locals_=(INT,), result=INT)
    refuse(program(ir.Elements(element=0), bad, result=INT), "function main: not every path ends in a Return")


def test_nothing_is_wrong_with_code_after_a_return():
    verify_ir(elements(give(ONE), assign(0, local(1)), locals_=(INT, INT)))


# ---------------------------------------------------------------- functions


def with_main(**changes: Any) -> ir.Program:
    good = elements(assign(0, ONE), locals_=(INT,))
    return replace(good, functions=(replace(good.functions[0], **changes),))


def main_body() -> ir.Block:
    return with_main().functions[0].body


def test_ids_are_positions_in_origins_and_unique():
    body = main_body()
    first, last = body.statements
    refuse(with_main(origins=(ORIGIN,) * 2), "its id has no origin")
    refuse(with_main(body=replace(body, id=-1)), "Block -1: its id has no origin")
    refuse(with_main(body=replace(body, statements=(replace(first, id=last.id), last))), "has the same id")
    refuse(with_main(body=replace(body, statements=(first, first, last))), "another node has the same id")


def test_nodes_that_share_all_their_parts_are_refused_at_once():
    shared: ir.Expression = ONE
    for _ in range(200):
        shared = binary(shared, BinaryOp.ADD, shared)
    body = main_body()
    bad = replace(body, statements=(give(shared),))
    refuse(with_main(body=bad), "its id has no origin")


def deep(depth: int) -> ir.Expression:
    """An expression whose deepest node is `depth` below its function, if a statement of its body holds it."""
    expression: ir.Expression = ONE
    for _ in range(depth - 3):
        expression = unary(UnaryOp.NEG, expression)
    return expression


def deep_program(depth: int) -> ir.Program:
    nodes = list(ir.walk(deep(depth)))
    expression = replace(nodes[-1], id=0)
    for id_, inner in enumerate(reversed(nodes[:-1]), 1):
        expression = replace(inner, id=id_, operand=expression)
    body = ir.Block(id=len(nodes), statements=(ir.Return(id=len(nodes) + 1, value=expression),))
    main = replace(function(result=INT), body=body, origins=(ORIGIN,) * (len(nodes) + 2))
    return program(ir.Elements(element=0), main, result=INT)


def test_depth_has_a_limit_and_no_recursion():
    verify_ir(deep_program(ir.MAX_DEPTH))
    refuse(deep_program(ir.MAX_DEPTH + 1), "a node is more than 1024 deep")
    refuse(deep_program(50_000), "a node is more than 1024 deep")


def test_deep_blocks_need_no_recursion():
    body: ir.Statement = ir.Block(id=0, statements=())
    for id_ in range(1, ir.MAX_DEPTH):
        body = ir.Block(id=id_, statements=(body,))
    main = replace(function(), body=body, origins=(ORIGIN,) * ir.MAX_DEPTH)
    caller = elements(ir.CallStatement(local=None, function=0, args=()), before=[main])
    verify_ir(caller)


def test_locals_and_results_have_types_of_values():
    refuse(with_main(parameters=2), "there are fewer locals than parameters")
    refuse(with_main(parameters=-1), "there are fewer locals than parameters")
    refuse(with_main(locals=(ir.LocalDecl(name="x", type=UNIT),)), "no value has the type Unit")
    refuse(with_main(result=Vec(7)), "there is no type Vec7")


@pytest.mark.parametrize("effects", [[], [Effect.EXCHANGE, Effect.LOAD]])
def test_effects_are_those_of_the_body(effects):
    bad = replace(acts(), effects=frozenset(effects))
    good = group()
    refuse(replace(good, functions=(bad, good.functions[1])), "function acts: its effects are: exchange")


@pytest.mark.parametrize("effects", [[], [Effect.EXCHANGE, Effect.LOAD]])
def test_effects_are_those_of_called_functions_too(effects):
    good = group()
    bad = replace(good.functions[1], effects=frozenset(effects))
    refuse(replace(good, functions=(good.functions[0], bad)), "function main: its effects are: exchange")


def test_effects_of_each_kind():
    step, init = walk().functions
    for effects in ([Effect.LOAD], [Effect.PUT], []):
        bad = replace(step, effects=frozenset(effects))
        refuse(replace(walk(), functions=(bad, init)), "its effects are: load, put")
    bad = replace(scatter().functions[0], effects=frozenset())
    refuse(replace(scatter(), functions=(bad,)), "its effects are: emit")


# ---------------------------------------------------------------- ports, params and the schedule

PROGRAMS: list[tuple[Callable[[], ir.Program], dict[str, Any], str]] = [
    (elements, {"inputs": (port("result", 1, INT),)}, "two ports or params have one name"),
    (elements, {"params": (param("result", ZERO),)}, "two ports or params have one name"),
    (elements, {"rank": 4}, "there is no rank 4"),
    (elements, {"inputs": (port("x", 0, INT),)}, "x has the rank 0"),
    (elements, {"inputs": (port("x", 1, UNIT),)}, "no value has the type Unit"),
    (elements, {"params": (param("p", ZERO, YES),)}, "a Bool for the param p"),
    (elements, {"params": (param("p", ir.Const(type=INT, leaves=(True,))),)}, "True is not a Int"),
    (elements, {"outputs": ()}, "there is no output"),
    (elements, {"outputs": (port("result", 2, INT),)}, "an output has another rank"),
    (elements, {"outputs": (port("result", 1, FLOAT),)}, "is not the output's element"),
    (elements, {"memories": (port("ram", 1, INT),)}, "only a walk has memories"),
    (elements, {"schedule": ir.Elements(element=1)}, "the schedule names no function"),
    (elements, {"schedule": ir.Elements(element=-1)}, "the schedule names no function"),
    (elements, {"sampled": frozenset({"ints"})}, "sampled are"),
    (elements, {"functions": (function(give(YES), result=BOOL),)}, "does not give the program's result"),
    (elements, {"functions": (pure(takes=(INT,)),)}, "does not take what it is given"),
    (two_outputs, {"outputs": (port("high", 1, FLOAT), port("low", 1, INT))}, "is no struct of the outputs"),
    (two_outputs, {"outputs": (port("low", 1, INT), port("high", 1, INT))}, "is no struct of the outputs"),
    (group, {"schedule": ir.Lanes(element=1, size=0)}, "a group has at least one lane"),
    (group, {"schedule": ir.Elements(element=1)}, "only groups have lanes"),
    (fold, {"sampled": frozenset()}, "sampled are"),
    (fold, {"schedule": ir.Fold(over="total", element=0, merge=1)}, "there is no input total"),
    (fold, {"schedule": ir.Fold(over="values", element=1, merge=1)}, "merge does not take"),
    (fold, {"schedule": ir.Fold(over="values", element=0, merge=0)}, "element does not take"),
    (fold, {"schedule": ir.Elements(element=0)}, "an output has another rank"),
    (fold, {"outputs": (port("total", 2, FLOAT),)}, "the only output is not a Rows<Float>"),
    (fold, {"outputs": (port("a", 1, FLOAT), port("b", 1, FLOAT))}, "the only output is not a Rows<Float>"),
    (walk, {"schedule": ir.OrderedWalk(over="ticks", element=0, init=0)}, "step does not take"),
    (walk, {"schedule": ir.OrderedWalk(over="ticks", element=1, init=1)}, "init does not take"),
    (walk, {"schedule": ir.OrderedWalk(over="ram", element=0, init=1)}, "there is no input ram"),
    (walk, {"rank": 2}, "the walked input has another rank"),
    (walk, {"outputs": (port("result", 1, FLOAT),)}, "the only output is not a Rows<Int>"),
    (scatter, {"outputs": (port("result", 2, FLOAT),)}, "the only output is not a Rows<Float>"),
    (
        scatter,
        {"inputs": (port("values", 1, BOOL), port("target", 2, FLOAT)), "outputs": (port("r", 2, FLOAT),)},
        "is no pair for a Grid<Float>",
    ),
    (
        scatter,
        {"inputs": (port("values", 1, BOOL), port("target", 1, INT)), "outputs": (port("r", 1, INT),)},
        "is no pair for a Rows<Int>",
    ),
    (lambda: scatter(CombineOp.SUM), {}, "no emitting under this combination"),
    (lambda: scatter(CombineOp.LAST), {}, "no emitting under this combination"),
    (lambda: prefix(CombineOp.LAST), {}, "no running combine of this kind"),
    (lambda: prefix(CombineOp.SUM, vector(1, 2)), {}, "no running combine of this kind"),
    (lambda: prefix(CombineOp.MAX, array(YES)), {}, "has no max"),
    (lambda: prefix(CombineOp.SUM, DISC), {}, "Shape has no sum"),
    (prefix, {"rank": 1}, "the walked input has another rank"),
    (prefix, {"outputs": (port("result", 3, INT),)}, "the only output is not a Rows<Int>"),
]


@pytest.mark.parametrize(("build", "changes", "message"), PROGRAMS)
def test_bad_programs(build, changes, message):
    refuse(replace(build(), **changes), message)


@pytest.mark.parametrize(
    "value",
    [
        ir.Sample(type=FLOAT, port="values"),
        ir.At(type=FLOAT, port="values", address=(ONE, ONE)),
        ir.SampleAt(type=FLOAT, port="values", position=vector(0, 0)),
        ir.Swizzle(type=FLOAT, operand=ir.Size(type=Vec(2), port="values"), components=(0,)),
        ir.Swizzle(type=FLOAT, operand=ir.Extent(type=Vec(2), port="values"), components=(0,)),
        ir.Swizzle(type=FLOAT, operand=ir.Place(type=Vec(2), kind=PlaceKind.PLACE), components=(0,)),
    ],
    ids=["sample", "at", "sample at", "size", "extent", "place"],
)
def test_a_merge_reads_no_ports_and_places_even_in_what_it_calls(value):
    element = fold().functions[0]
    reads = function(give(value), name="reads", result=FLOAT)
    called = ir.Call(type=FLOAT, function=1, args=())
    merge = function(give(called), name="merge", takes=(FLOAT, FLOAT), result=FLOAT)
    schedule = ir.Fold(over="values", element=0, merge=2)
    refuse(replace(fold(), schedule=schedule, functions=(element, reads, merge)), "a merge reads no ports or places")


@pytest.mark.parametrize("effect", [Effect.LOAD, Effect.EMIT])
def test_what_functions_do_is_for_their_schedule(effect):
    """Each effect belongs to one schedule: here a walk's element emits, a scatter's loads."""
    if effect is Effect.LOAD:
        statement: ir.Statement = ir.Load(local=0, memory="ram", address=(ONE,))
        bad = replace(with_main(), memories=(port("ram", 1, INT),))
    else:
        statement, bad = ir.Emit(value=ONE), with_main()
    body = numbered(block(statement, give(ONE)))
    main = replace(bad.functions[0], body=body, effects=frozenset({effect}), origins=(ORIGIN,) * 9)
    refuse(replace(bad, functions=(main,)), f"its functions may not {effect.value}")


def test_every_function_is_called():
    refuse(elements(before=[pure()]), "function pure is never called")
    lonely = function(give(ir.Call(type=INT, function=0, args=(ONE,))), name="lonely", result=INT)
    refuse(elements(before=[pure(), lonely]), "function pure is never called")


# ---------------------------------------------------------------- plain data

PLAIN: list[tuple[ir.Program, str]] = [
    (replace(elements(), functions=list(elements().functions)), "Program: functions is not of its declared type"),
    (replace(elements(), sampled=set()), "Program: sampled"),
    (replace(elements(), sampled=frozenset({1})), "Program: sampled"),
    (replace(elements(), rank=True), "Program: rank"),
    (replace(elements(), doc=None), "Program: doc"),
    (with_main(result=lambda: INT), "Function: result"),
    (with_main(body=numbered(block(ONE))), "Block [0-9]+: statements"),
    (with_main(body=numbered(block(give(block())))), "Return [0-9]+: value"),
    (with_main(body=numbered(block(replace(LOOP, until=YES)))), "Loop [0-9]+: until"),
    (elements(assign(0, ir.Const(type=INT, leaves=(1.0,))), locals_=(INT,)), "Const [0-9]+: leaves"),
    (with_main(body=numbered(block(ir.Case(ranges=((1, 2, 3),), body=block())))), "Block [0-9]+: statements"),
    (elements(switch(((1, 2, 3),))), "Case [0-9]+: ranges"),
    (elements(result=ir.Const(type=Array(INT, 1.0), leaves=(1,))), "Array: length"),
]  # fmt: skip


@pytest.mark.parametrize(("bad", "message"), PLAIN)
def test_fields_hold_what_they_declare(bad, message):
    refuse(bad, message)


def test_a_copy_of_a_program_is_good_too():
    verify_ir(copy.deepcopy(branches()))
