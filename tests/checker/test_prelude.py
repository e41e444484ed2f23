"""The composite built-ins: expanded programs are valid, give the very same bits, and are near the true values."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from kcheck.checker import ir, types
from kcheck.checker.builtins import CONTRACTS, Builtin, Pattern
from kcheck.checker.prelude import COMPOSITE_BUILTINS, PRELUDE_BUILTINS, expand_prelude
from kcheck.checker.types import FLOAT, INT, Mat, Type, Vec
from kcheck.checker.verify import verify_ir
from kcheck.runtime.binding import bind
from kcheck.runtime.interpreter import Interpreter
from tests.checker.sources import kernel, program

EPS = 2.0**-24
COUNT = 400
SPECIAL = np.array(
    [0.0, -0.0, 1.0, -1.0, 0.5, 2.0, np.inf, -np.inf, np.nan, 2.0**-149, -(2.0**-126), 3.4028235e38, 1e-20, 16777217.0],
    np.float32,
)

Signature = tuple[Builtin, tuple[Type, ...], Type]
Array = np.ndarray[Any, Any]


def signatures() -> Iterator[Signature]:
    """Each composite built-in with each of its types."""
    for builtin in sorted(COMPOSITE_BUILTINS, key=lambda b: b.value):
        for overload in CONTRACTS[builtin].overloads:
            for choice in overload.choices or (FLOAT,):

                def concrete(pattern: Pattern, choice: Type = choice) -> Type:
                    return choice if isinstance(pattern, str) else pattern

                yield builtin, tuple(concrete(p) for p in overload.parameters), concrete(overload.result)


SIGNATURES = list(signatures())
NAMES = [f"{b.value}({', '.join(map(str, p))})" for b, p, _ in SIGNATURES]


@functools.cache
def source_program(signature: Signature) -> ir.Program:
    builtin, parameters, result = signature
    names = "abcd"[: len(parameters)]
    ports = "".join(f"input {n}: Rows<{t}>; " for n, t in zip(names, parameters, strict=True))
    call = f"{builtin.value}({', '.join(f'sample({n})' for n in names)})"
    return program(kernel(f"return {call};", f"{ports} output r: Rows<{result}>;"))


def shape(type_: Type) -> tuple[int, ...]:
    match type_:
        case Vec():
            return (type_.size,)
        case Mat():
            return (type_.size, type_.size)
        case _:
            return ()


def arguments(signature: Signature, *, special: bool) -> list[Array]:
    """Random arguments, among them special values or none."""
    rng = np.random.default_rng(7)
    made: list[Array] = []
    for type_ in signature[1]:
        size = (COUNT, *shape(type_))
        if type_ is INT:
            ints = rng.integers(-(2**31), 2**31, size)
            made.append(np.where(rng.random(size) < 0.3, rng.integers(-3, 4, size), ints).astype(np.int32))
            continue
        numbers = rng.normal(0.0, 1.0, size).astype(np.float32)
        if special:
            wide = np.exp2(rng.uniform(-140.0, 127.0, size)).astype(np.float32)
            numbers = np.where(rng.random(size) < 0.3, wide, numbers)
            numbers = np.where(rng.random(size) < 0.3, rng.choice(SPECIAL, size), numbers)
        made.append(numbers)
    return made


def result_of(made: ir.Program, args: list[Array]) -> Array:
    values: dict[str, Any] = dict(zip("abcd", args, strict=False))
    return Interpreter().run(bind(made, values)).outputs["r"].data


def same_bits(one: Array, two: Array) -> bool:
    """Whether all bits agree, where a NaN is a NaN."""
    if one.dtype == np.int32:
        return bool((one == two).all())
    return bool(((one.view(np.int32) == two.view(np.int32)) | (np.isnan(one) & np.isnan(two))).all())


# ---------------------------------------------------------------- expansion


def test_the_prelude_holds_what_the_contracts_call_composite() -> None:
    assert {Builtin.DOT, Builtin.MIX, Builtin.CLAMP, Builtin.INVERSE, Builtin.HASH} <= COMPOSITE_BUILTINS
    assert COMPOSITE_BUILTINS <= PRELUDE_BUILTINS
    assert {Builtin.SQRT, Builtin.MIN, Builtin.FLOOR, Builtin.SELECT}.isdisjoint(PRELUDE_BUILTINS)


@pytest.mark.parametrize("signature", SIGNATURES, ids=NAMES)
def test_expanded_programs_give_the_same_bits(signature: Signature) -> None:
    made = source_program(signature)
    expanded = expand_prelude(made)
    verify_ir(expanded)
    assert not any(calls_prelude(f) for f in expanded.functions)
    assert len(expanded.functions) > len(made.functions)
    args = arguments(signature, special=True)
    assert same_bits(result_of(made, args), result_of(expanded, args))


def calls_prelude(function: ir.Function) -> bool:
    return any(isinstance(n, ir.BuiltinCall) and n.builtin in PRELUDE_BUILTINS for n in ir.walk(function.body))


def test_a_program_without_calls_stays_the_same() -> None:
    made = program(kernel("return max(sample(x), 1);"))
    assert expand_prelude(made) is made


def test_each_function_is_added_once_and_only_where_needed() -> None:
    body = "let v = vec3(sample(x)); return dot(v, v) + dot(v, v.zyx) + length(v);"
    expanded = expand_prelude(program(kernel(body, "input x: Rows<Float>; output r: Rows<Float>;")))
    assert [f.name for f in expanded.functions] == ["dot_vec3", "length_vec3", "compute"]


def test_all_functions_of_a_program_are_expanded() -> None:
    members = """
      fn half(v: Float) -> Float { return mix(v, 0.0, 0.5); }
      merge(a, b) { return clamp(a + half(b), -1.0, 1.0); }
    """
    ports = "input x: Rows<Float>; output r: Rows<Float>;"
    made = program(kernel("return saturate(sample(x));", ports, head="compute over x", members=members))
    expanded = expand_prelude(made)
    verify_ir(expanded)
    assert isinstance(expanded.schedule, ir.Fold)
    assert expanded.functions[expanded.schedule.element].name == "compute"
    assert expanded.functions[expanded.schedule.merge].name == "merge"
    x = np.array([0.25, 3.0, -2.0, 0.5], np.float32)
    assert same_bits(*(Interpreter().run(bind(p, {"x": x})).outputs["r"].data for p in (made, expanded)))


def test_acting_functions_are_expanded_too() -> None:
    members = "fn add(v: Float) -> Float { put(m, 0, mix(at(m, 0), v, 0.5)); return v; }"
    ports = "input x: Rows<Float>; memory m: Rows<Float>; output r: Rows<Float>;"
    made = program(
        kernel("return y + add(fract(sample(x)));", ports, head="scan over x with y = fract(1.5)", members=members)
    )
    expanded = expand_prelude(made)
    verify_ir(expanded)
    values = {"x": np.array([0.5, 2.25], np.float32), "m": np.array([1.0], np.float32)}
    for one, two in zip(*(Interpreter().run(bind(p, values)).outputs.values() for p in (made, expanded)), strict=True):
        assert same_bits(one.data, two.data)


def test_a_deep_expression_is_expanded() -> None:
    body = "return " + "fract(1.0 + " * 100 + "sample(x)" + ")" * 100 + ";"
    verify_ir(expand_prelude(program(kernel(body, "input x: Rows<Float>; output r: Rows<Float>;"))))


def test_the_users_functions_do_not_reach_the_prelude() -> None:
    items = "fn min(a: Float, b: Float) -> Float { return 99.0; } fn floor(a: Float) -> Float { return 99.0; }"
    text = kernel(
        "return saturate(sample(x)) + fract(sample(x));", "input x: Rows<Float>; output r: Rows<Float>;", before=items
    )
    for made in (program(text), expand_prelude(program(text))):
        data = Interpreter().run(bind(made, {"x": [2.5]})).outputs["r"].data
        assert data.tolist() == [1.5]


# ---------------------------------------------------------------- the true values

D = np.float64


def dots(a: Array, b: Array) -> Array:
    found: Array = (a * b).sum(-1)
    return found


def norms(v: Array) -> Array:
    return np.sqrt(dots(v, v))


def permanent(m: Array) -> Array:
    """The sum over permutations of products of absolute values: what errors of a determinant are measured by."""
    size = m.shape[-1]
    if size == 1:
        return np.abs(m[..., 0, 0])
    minors = [np.delete(np.delete(m, i, -2), 0, -1) for i in range(size)]
    return functools.reduce(operator.add, (np.abs(m[..., i, 0]) * permanent(minor) for i, minor in enumerate(minors)))


def reflected(i: Array, n: Array) -> Array:
    return i - n * 2.0 * dots(n, i)[..., None]


def expand(value: Array, like: Array) -> Array:
    return value.reshape(value.shape + (1,) * (like.ndim - value.ndim))


# Each takes the arguments in doubles, and gives the true values and how far from them a result may be.
Oracle = Callable[..., tuple[Array, Array]]


def relative(bound: float, function: Callable[..., Array]) -> Oracle:
    def check(*args: Array) -> tuple[Array, Array]:
        true = function(*args)
        return true, bound * EPS * np.abs(true)

    return check


def mixed(a: Array, b: Array, t: Array) -> tuple[Array, Array]:
    return a * (1.0 - t) + b * t, 4 * EPS * (np.abs(a * (1.0 - t)) + np.abs(b * t) + np.abs(a))


def smooth(low: Array, high: Array, x: Array) -> tuple[Array, Array]:
    t = np.clip((x - low) / (high - low), 0.0, 1.0)
    # t has an error of 2 EPS (|x| + |low|) / |high - low| and more; the slope is 1.5 at most.
    return t * t * (3.0 - 2.0 * t), 16 * EPS * (1.0 + (np.abs(x) + np.abs(low) + np.abs(high)) / np.abs(high - low))


def dot(a: Array, b: Array) -> tuple[Array, Array]:
    return dots(a, b), 5 * EPS * dots(np.abs(a), np.abs(b))


def cross(a: Array, b: Array) -> tuple[Array, Array]:
    left, right = np.abs(a), np.abs(b)
    size = np.roll(left, -1, -1) * np.roll(right, -2, -1) + np.roll(left, -2, -1) * np.roll(right, -1, -1)
    return np.cross(a, b), 3 * EPS * size


def distance(a: Array, b: Array) -> tuple[Array, Array]:
    true = np.abs(a - b) if a.ndim == 1 else norms(a - b)
    return true, 8 * EPS * true


def normalized(v: Array) -> tuple[Array, Array]:
    return v / expand(norms(v), v), np.full_like(v, 6 * EPS)


def reflect(i: Array, n: Array) -> tuple[Array, Array]:
    size = norms(i) * (1.0 + 2.0 * norms(n) ** 2)
    return reflected(i, n), np.broadcast_to(expand(12 * EPS * size, i), i.shape)


def determinant(m: Array) -> tuple[Array, Array]:
    return np.linalg.det(m), 16 * EPS * permanent(m)


def inverse(m: Array) -> tuple[Array, Array]:
    true = np.linalg.inv(m)
    condition = expand(np.linalg.cond(m), m)
    largest = expand(np.abs(true).max((-2, -1)), m)
    # A formula by cofactors may lose as much as the square of the condition.
    return true, 64 * EPS * condition**2 * largest


def luma(c: Array) -> tuple[Array, Array]:
    weights = np.array([0.2126, 0.7152, 0.0722])
    return dots(c[..., :3], weights), 5 * EPS * dots(np.abs(c[..., :3]), weights)


ORACLES: dict[Builtin, Oracle] = {
    Builtin.CLAMP: relative(0.0, lambda x, low, high: np.minimum(np.maximum(x, low), high)),
    Builtin.FRACT: relative(1.0, lambda x: x - np.floor(x)),
    Builtin.RADIANS: relative(2.0, np.radians),
    Builtin.DEGREES: relative(2.0, np.degrees),
    Builtin.MIX: mixed,
    Builtin.STEP: relative(0.0, lambda edge, x: np.where(x < edge, 0.0, 1.0)),
    Builtin.SMOOTHSTEP: smooth,
    Builtin.SATURATE: relative(0.0, lambda x: np.clip(x, 0.0, 1.0)),
    Builtin.DOT: dot,
    Builtin.CROSS: cross,
    Builtin.LENGTH: relative(5.0, lambda v: np.abs(v) if v.ndim == 1 else norms(v)),
    Builtin.DISTANCE: distance,
    Builtin.NORMALIZE: normalized,
    Builtin.REFLECT: reflect,
    Builtin.DETERMINANT: determinant,
    Builtin.INVERSE: inverse,
    Builtin.LUMA: luma,
}
WITHOUT = {Builtin.REFRACT, Builtin.HASH, Builtin.RANDOM}
"""These have tests of their own."""


def test_every_function_has_an_oracle() -> None:
    assert set(ORACLES) | WITHOUT == COMPOSITE_BUILTINS


@pytest.mark.parametrize(
    "signature",
    [s for s in SIGNATURES if s[0] in ORACLES],
    ids=[n for n, s in zip(NAMES, SIGNATURES, strict=True) if s[0] in ORACLES],
)
def test_values_are_near_the_true_ones(signature: Signature) -> None:
    args = arguments(signature, special=False)
    got = result_of(expand_prelude(source_program(signature)), args).astype(D)
    true, allowed = ORACLES[signature[0]](*(a.astype(D) for a in args))
    error = np.abs(got - true)
    worst = int(np.argmax((error - allowed).reshape(len(got), -1).max(-1)))
    assert (error <= allowed).all(), ([a[worst] for a in args], got[worst], true[worst])


def refraction(size: int) -> tuple[Array, Array, Array, Array]:
    """Unit vectors, ratios, and the refracted directions in doubles."""
    rng = np.random.default_rng(3)
    vectors = rng.normal(size=(2, COUNT, size))
    i, n = (vectors / norms(vectors)[..., None]).astype(np.float32)
    eta = rng.uniform(0.3, 2.0, COUNT).astype(np.float32)
    d, e = dots(n.astype(D), i.astype(D)), eta.astype(D)
    k = 1.0 - e * e * (1.0 - d * d)
    true = i.astype(D) * e[:, None] - n.astype(D) * (e * d + np.sqrt(np.maximum(k, 0.0)))[:, None]
    return i, n, eta, np.where((k < 0.0)[:, None], 0.0, np.where((np.abs(k) < 0.02)[:, None], np.nan, true))


@pytest.mark.parametrize("size", [2, 3, 4])
def test_refract(size: int) -> None:
    i, n, eta, true = refraction(size)
    signature: Signature = (Builtin.REFRACT, (Vec(size), Vec(size), FLOAT), Vec(size))
    got = result_of(expand_prelude(source_program(signature)), [i, n, eta])
    clear = ~np.isnan(true).any(-1)
    assert clear.sum() > COUNT // 2
    assert np.abs(got[clear] - true[clear]).max() < 64 * EPS / np.sqrt(0.02)
    assert ((got == 0.0).all(-1) & clear).any()


def hash_of(i: int) -> int:
    """PCG's step and output permutation on unsigned 32 bits."""
    state = (i * 747796405 + 2891336453) % 2**32
    word = ((state >> ((state >> 28) + 4)) ^ state) * 277803737 % 2**32
    return (word >> 22) ^ word


def test_hash_and_random() -> None:
    hashing: Signature = (Builtin.HASH, (INT,), INT)
    [ints] = arguments(hashing, special=True)
    ints[:4] = [0, 1, -1, -(2**31)]
    for made in (source_program(hashing), expand_prelude(source_program(hashing))):
        got = result_of(made, [ints])
        assert got[:2].tolist() == [129708002, -1463883204]
        assert [int(v) % 2**32 for v in got] == [hash_of(int(v) % 2**32) for v in ints]
    drawing: Signature = (Builtin.RANDOM, (INT,), FLOAT)
    for made in (source_program(drawing), expand_prelude(source_program(drawing))):
        drawn = result_of(made, [ints])
        assert [Fraction(float(v)) for v in drawn] == [Fraction(hash_of(int(v) % 2**32) >> 8, 2**24) for v in ints]


EDGES = [
    ("smoothstep(1.0, 1.0, 0.5)", 0.0),
    ("smoothstep(1.0, 1.0, 1.0)", 1.0),
    ("smoothstep(0.0, 2.0, 1.0)", 0.5),
    ("smoothstep(2.0, 0.0, 0.5)", 0.84375),
    ("step(1.0, 1.0)", 1.0),
    ("clamp(5.0, 3.0, 1.0)", 1.0),
    ("clamp(0.0 / 0.0, 0.0, 1.0)", 0.0),
    ("saturate(-0.0)", 0.0),
    ("fract(-0.25)", 0.75),
    ("fract(-1e-10)", 1.0),
    ("mix(2.0, 4.0, 0.0)", 2.0),
    ("mix(2.0, 4.0, 1.0)", 4.0),
    ("length(-3.0)", 3.0),
    ("distance(-1.0, 2.0)", 3.0),
    ("luma(vec3(1.0))", float(np.float32(np.float32(0.2126) + np.float32(0.7152)) + np.float32(0.0722))),
    ("luma(vec4(0.0, 0.0, 0.0, 9.0))", 0.0),
    ("determinant(mat3(2.0, 0.0, 0.0, 0.0, 3.0, 0.0, 0.0, 0.0, 4.0))", 24.0),
    ("inverse(mat2(2.0, 0.0, 0.0, 4.0))[1].y", 0.25),
    ("refract(vec2(1.0, 0.0), vec2(0.0, 1.0), 1.5).x", 0.0),
    ("reflect(vec2(1.0, -1.0), vec2(0.0, 1.0)).y", 1.0),
    ("cross(vec3(1.0, 0.0, 0.0), vec3(0.0, 1.0, 0.0)).z", 1.0),
]


@pytest.mark.parametrize(("expression", "value"), EDGES, ids=[e for e, _ in EDGES])
def test_edges(expression: str, value: float) -> None:
    made = program(kernel(f"return {expression};", "output r: Rows<Float>;"))
    for each in (made, expand_prelude(made)):
        assert Interpreter().run(bind(each, {}, (1,))).outputs["r"].data.tolist() == [value]


def test_types_are_those_of_the_contract() -> None:
    for (builtin, parameters, result), name in zip(SIGNATURES, NAMES, strict=True):
        made = expand_prelude(source_program((builtin, parameters, result)))
        [call] = [n for n in ir.walk(made.functions[-1].body) if isinstance(n, ir.Call)]
        callee = made.functions[call.function]
        assert tuple(local.type for local in callee.locals[: callee.parameters]) == parameters, name
        assert callee.result == result, name
        assert isinstance(callee.result, types.Scalar | types.Vec | types.Mat)
