"""The elementary built-ins are the prelude's text, in the interpreter and in constants, and keep their bounds.

`scripts/accuracy.py` has the true values and runs far more of the same; docs/accuracy.md holds what it found.
"""

from __future__ import annotations

import math
from itertools import chain
from typing import Any

import numpy as np
import pytest
from scripts import accuracy

from kcheck.checker import floats, ir
from kcheck.checker.builtins import CONTRACTS, Builtin
from kcheck.checker.evaluate import evaluate
from kcheck.checker.ir import BinaryOp
from kcheck.checker.prelude import ELEMENTARY_BUILTINS, expand_prelude
from kcheck.checker.types import FLOAT, Mat, Type, Vec, leaf_count
from kcheck.checker.verify import verify_ir
from kcheck.runtime.layout import AnyArray, inner_shape
from tests.checker.build import binary, bits, call, function, program
from tests.interpreter.build import INTERPRETER, compiled, kernel, local
from tests.interpreter.build import run as run_source

AT_MOST_ONE = {"exp", "exp2", "log", "log2", "sin", "cos", "pow"}
ONE = [name for name in accuracy.TRUE if name not in accuracy.BINARY]
TWO = list(accuracy.BINARY)
ELEMENTARY = sorted(ELEMENTARY_BUILTINS, key=lambda b: b.value)
NAN = 0x7FC00000

SPECIAL = np.array(
    [
        *(0.0, 1e-45, 1e-40, 1.1754942e-38, 1.17549435e-38, 1e-30, 2.0**-12, 0.25, 1 / 3, 0.5, 0.99999994),
        *(1.0, 1.0000001, 1.5, 2.0, 3.0, math.e, math.pi, 4.0, 7.0, 10.0, 88.72284, 89.4161, 100.0, 127.5, 128.0),
        *(150.0, 4096.0, 4095.9998, 8388607.0, 8388608.5, 16777215.0, 16777216.0, 3e9, 1e22, 3.4028235e38, math.inf),
        math.nan,
    ],
    np.float32,
)
SIGNED = np.concatenate([SPECIAL, -SPECIAL])
EVERY = [SIGNED.repeat(SIGNED.size), np.tile(SIGNED, SIGNED.size)]
"""All pairs of special numbers."""


def bound(name: str) -> float:
    return 0.0 if name == "%" else 1.0 if name in AT_MOST_ONE else 2.0


# ---------------------------------------------------------------- against the true values


@pytest.mark.parametrize("name", ONE)
def test_errors_of_one_argument(name: str) -> None:
    """Special values are among them: where the true one is a NaN, this is 0x7FC00000; signs are right."""
    chunks = chain(accuracy.patterns(0, 1 << 32, 16381), accuracy.boundaries(100), [(SIGNED,)])
    found = accuracy.measure(name, chunks)
    assert found.error <= bound(name), found


@pytest.mark.parametrize("name", TWO)
def test_errors_of_two_arguments(name: str) -> None:
    found = accuracy.measure(name, chain(accuracy.pairs(name, 7, 1 << 18), [tuple(EVERY)]))
    assert found.error <= bound(name), found


def near_quarter_turns() -> AnyArray:
    """For each exponent the one of some Floats that comes nearest to a multiple of pi / 2."""
    mantissas = np.random.default_rng(3).integers(1 << 23, 1 << 24, (400, 1))
    many = (mantissas * 2.0 ** (np.arange(1, 128) - 23.0)).astype(np.float32)
    rows = [np.abs(f(many.astype(np.float64))).argmin(axis=0) for f in (np.sin, np.cos)]
    chosen = [many[row, np.arange(many.shape[1])] for row in rows]
    # The worst one of all is known.
    return np.concatenate([*chosen, np.array([16367173 * 2.0**72], np.float32)])


@pytest.mark.parametrize("name", ["sin", "cos", "tan"])
def test_angles_near_a_multiple_of_a_quarter_turn(name: str) -> None:
    """Where many places of 2 / pi are needed, by mpmath."""
    x = near_quarter_turns()
    got = accuracy.text_of(name)(x)
    assert max(accuracy.exact_ulps(name, g, (v,)) for g, v in zip(got, x, strict=True)) <= bound(name)


def test_results_that_are_floats_are_exact() -> None:
    """Their errors are whole ulps, so a bound below 1 leaves none."""

    def values(name: str, *args: Any) -> list[float]:
        return accuracy.text_of(name)(*[np.array(a, np.float32) for a in args]).tolist()

    whole = list(range(-149, 128))
    powers = [2.0**n for n in whole]
    assert values("exp2", whole) == powers
    assert values("log2", powers) == whole
    bases, exponents = np.meshgrid(np.arange(2.0, 12), np.arange(1.0, 7))
    assert values("pow", bases.ravel(), exponents.ravel()) == (bases**exponents).ravel().tolist()
    assert values("pow", [4.0, 9.0, 27.0, 2.25], [0.5, 0.5, 0.0, 1.5]) == [2.0, 3.0, 1.0, 3.375]
    assert values("atan", [1.0, -1.0]) == [float(np.float32(math.pi / 4)), -float(np.float32(math.pi / 4))]
    assert values("inversesqrt", [4.0, 0.25, 2.0**-148, 2.0**-130]) == [0.5, 2.0, 2.0**74, 2.0**65]
    assert values("exp", [0.0, -0.0]) == values("cosh", [0.0, -0.0]) == values("cos", [0.0, 1e-20]) == [1.0, 1.0]


@pytest.mark.parametrize("name", ["exp", "exp2", "log", "log2", "atan", "sinh", "tanh", "asin"])
def test_growing_functions_grow(name: str) -> None:
    """Between neighbours a result may fall back by its error, over many Floats it may not."""
    x = np.linspace(-0.99, 0.99, 10_000, dtype=np.float32)
    result = accuracy.text_of(name)(x + 1 if name.startswith("log") else x)
    assert (np.diff(result) >= 0).all()


# ---------------------------------------------------------------- the same bits


def some(type_: Type, seed: int) -> AnyArray:
    """Numbers of the type, special ones among them."""
    rng = np.random.default_rng(seed)
    shape = (96, *inner_shape(type_))
    numbers = (rng.standard_normal(shape) * 2.0 ** rng.integers(-8, 8, shape)).astype(np.float32)
    return np.where(rng.random(shape) < 0.5, rng.choice(SIGNED, shape), numbers)


def main_of(node: ir.Expression, types: tuple[Type, ...]) -> ir.Program:
    main = function(ir.Return(value=node), takes=types, result=node.type)
    return program(ir.Elements(element=0), main, result=node.type)


def patterns(array: AnyArray) -> list[int]:
    """The bits of Floats; of any NaN 0x7FC00000."""
    return [NAN if floats.is_nan(b) else b for b in array.view(np.uint32).ravel().tolist()]


@pytest.mark.parametrize("builtin", ELEMENTARY, ids=lambda b: b.value)
def test_constants_have_the_bits_of_the_interpreter(builtin: Builtin) -> None:
    arity = CONTRACTS[builtin].arity
    args = [some(FLOAT, seed) for seed in range(arity)]
    node = call(builtin, *(local(i, FLOAT) for i in range(arity)))
    got = patterns(INTERPRETER.call(main_of(node, (FLOAT,) * arity), 0, args, {}))
    rows = zip(*(arg.view(np.uint32).tolist() for arg in args), strict=True)
    assert got == [evaluate(call(builtin, *map(bits, row))).leaves[0] for row in rows]


def test_a_constant_equals_the_call_in_a_body() -> None:
    names = ["sin", "cos", "tan", "exp", "exp2", "log", "log2", "asin", "acos", "atan", "sinh", "cosh", "tanh"]
    names.append("inversesqrt")
    calls = [f"{name}({{x}})" for name in names] + ["pow({x}, 1.7)", "atan2({x}, -0.3)", "5.0 % {x}"]
    consts = " ".join(f"const A{i}: Float = {c.format(x='0.7')};" for i, c in enumerate(calls))
    for i, each in enumerate(calls):
        body = f"compute {{ return vec2(A{i}, {each.format(x='sample(a)')}); }}"
        source = kernel("input a: Rows<Float>; output result: Rows<Vec2>;", body, consts)
        [[constant, here]] = run_source(source, {"a": np.array([0.7], np.float32)})
        assert constant == here, each


@pytest.mark.parametrize("type_", [Vec(2), Vec(3), Vec(4)], ids=str)
@pytest.mark.parametrize("builtin", ELEMENTARY, ids=lambda b: b.value)
def test_vectors_go_by_component(builtin: Builtin, type_: Type) -> None:
    arity = CONTRACTS[builtin].arity
    args = [some(type_, seed) for seed in range(arity)]
    made = main_of(call(builtin, *(local(i, type_) for i in range(arity))), (type_,) * arity)
    scalars = main_of(call(builtin, *(local(i, FLOAT) for i in range(arity))), (FLOAT,) * arity)
    want = INTERPRETER.call(scalars, 0, [arg.ravel() for arg in args], {})
    assert patterns(INTERPRETER.call(made, 0, args, {})) == patterns(want)


REMAINDERS = [FLOAT, Vec(3), Mat(2), Mat(4)]


@pytest.mark.parametrize("type_", REMAINDERS, ids=str)
def test_remainders_have_the_bits_of_their_text(type_: Type) -> None:
    args = [some(type_, seed) for seed in range(2)]
    made = main_of(binary(local(0, type_), BinaryOp.REM, local(1, type_)), (type_, type_))
    text = expand_prelude(made, remainder=True)
    assert not [n for f in text.functions for n in ir.walk(f.body) if _is_float_remainder(n)]
    assert isinstance(text.schedule, ir.Elements)
    native = patterns(INTERPRETER.call(made, 0, args, {}))
    assert native == patterns(INTERPRETER.call(text, text.schedule.element, args, {}))


@pytest.mark.parametrize("type_", REMAINDERS, ids=str)
def test_expanded_remainders_are_valid(type_: Type) -> None:
    half = ir.Const(type=type_, leaves=(0x3F000000,) * leaf_count(type_))
    verify_ir(expand_prelude(main_of(binary(half, BinaryOp.REM, half), ()), remainder=True))


def _is_float_remainder(node: ir.Node) -> bool:
    return isinstance(node, ir.Binary) and node.op is BinaryOp.REM and node.left.type is FLOAT


def test_only_what_is_asked_for_is_expanded() -> None:
    made = compiled(
        kernel(
            "input a: Rows<Vec2>; output result: Rows<Float>;",
            "compute { return dot(sin(sample(a)), sample(a)) % 2.0; }",
        )
    )
    elementary = expand_prelude(made, ELEMENTARY_BUILTINS)
    assert _builtins(elementary) >= {Builtin.DOT, Builtin.SELECT}
    assert Builtin.SIN not in _builtins(elementary)
    assert not _builtins(expand_prelude(made)) & (ELEMENTARY_BUILTINS | {Builtin.DOT})
    assert expand_prelude(made, frozenset()) is made


def _builtins(made: ir.Program) -> set[Builtin]:
    return {n.builtin for f in made.functions for n in ir.walk(f.body) if isinstance(n, ir.BuiltinCall)}
