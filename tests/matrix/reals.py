"""Features: Floats, exact ones to the bit and elementary functions within their bounds."""

import math
from collections.abc import Callable

from tests.matrix.arithmetic import (
    bits,
    ceil,
    fadd,
    fclamp,
    fdiv,
    floor,
    fmax,
    fmin,
    fmul,
    frem,
    from_bits,
    fsqrt,
    fsub,
    mix,
    random,
    round_even,
    to_float,
    to_int,
    trunc,
    wrap,
)
from tests.matrix.columns import (
    FLOAT_PAIRS,
    HALVES,
    INT_PAIRS,
    INTO_INTS,
    PLAIN_PAIRS,
    SMALL,
    SUBNORMALS,
    TINY,
    feature,
    floats,
    listed,
    pairs,
    scattered,
)
from tests.matrix.feature import FLOAT, VEC3, VEC4, Column, Element, Feature
from tests.values import f32

SUBNORMAL_PAIRS = pairs("Float", "uv", SUBNORMALS, SUBNORMALS)


def comparisons(e: Element) -> int:
    u, v = e["u"], e["v"]
    tests = (u == v, u != v, u < v, u <= v, u > v, u >= v, not u >= v, math.isnan(u), math.isinf(v))
    return sum(bit << i for i, bit in enumerate(tests))


def subnormals(e: Element) -> float:
    u, v = e["u"], e["v"]
    return fadd(fsub(fmul(u, 0.5), fdiv(v, 4.0)), fsub(u, v))


def signed_zeros(e: Element) -> list[float]:
    u = e["u"]
    return [-u, fmul(u, -0.0), fsub(0.0, u), fadd(-0.0, u)]


def smoothstep(e: Element) -> float:
    """Every step of it is exact for the numbers at hand."""
    t: float = min(max((e["u"] - e["v"]) / 2.0, 0.0), 1.0)
    return t * t * (3.0 - 2.0 * t)


def near(name: str, text: str, ulp: float, columns: tuple[Column, ...], oracle: Callable[..., float]) -> Feature:
    """A function of `u` (and `v`) whose results come near the true ones."""
    names = [c.name for c in columns]
    return feature(
        name, columns, f"let r = {text};", lambda e: oracle(*(e[n] for n in names)), FLOAT, count=48, ulp=ulp
    )


REALS = (
    feature("Float +", FLOAT_PAIRS, "let r = u + v;", lambda e: fadd(e["u"], e["v"]), FLOAT, count=100),
    feature("Float -", FLOAT_PAIRS, "let r = u - v;", lambda e: fsub(e["u"], e["v"]), FLOAT, count=100),
    feature("Float *", FLOAT_PAIRS, "let r = u * v;", lambda e: fmul(e["u"], e["v"]), FLOAT, count=100),
    feature("Float /", FLOAT_PAIRS, "let r = u / v;", lambda e: fdiv(e["u"], e["v"]), FLOAT, count=100),
    feature("Float %", FLOAT_PAIRS, "let r = u % v;", lambda e: frem(e["u"], e["v"]), FLOAT, count=100),
    feature(
        "no contraction",
        PLAIN_PAIRS,
        "let r = u * v + u - v * v;",
        lambda e: fsub(fadd(fmul(e["u"], e["v"]), e["u"]), fmul(e["v"], e["v"])),
        FLOAT,
    ),
    feature(
        "NaN and infinity",
        FLOAT_PAIRS,
        """let r = int(u == v) | int(u != v) << 1 | int(u < v) << 2 | int(u <= v) << 3 | int(u > v) << 4
  | int(u >= v) << 5 | int(!(u >= v)) << 6 | int(isnan(u)) << 7 | int(isinf(v)) << 8;""",
        comparisons,
        count=100,
    ),
    feature("Float min", FLOAT_PAIRS, "let r = min(u, v);", lambda e: fmin(e["u"], e["v"]), FLOAT, count=100),
    feature("Float max", FLOAT_PAIRS, "let r = max(u, v);", lambda e: fmax(e["u"], e["v"]), FLOAT, count=100),
    feature(
        "Float clamp, saturate",
        FLOAT_PAIRS,
        "let r = vec3(clamp(u, v, 2.0), saturate(u), clamp(1.0, v, u));",
        lambda e: [fclamp(e["u"], e["v"], 2.0), fclamp(e["u"], 0.0, 1.0), fclamp(1.0, e["v"], e["u"])],
        VEC3,
        count=100,
    ),
    feature(
        "rounding",
        floats(HALVES),
        "let r = vec4(floor(u), ceil(u), round(u), trunc(u));",
        lambda e: [floor(e["u"]), ceil(e["u"]), round_even(e["u"]), trunc(e["u"])],
        VEC4,
        count=len(HALVES),
    ),
    feature(
        "fract, sign, step",
        FLOAT_PAIRS,
        "let r = vec3(fract(u), sign(u), step(u, v));",
        lambda e: [
            fsub(e["u"], floor(e["u"])),
            0.0 if math.isnan(e["u"]) or e["u"] == 0.0 else math.copysign(1.0, e["u"]),
            0.0 if e["v"] < e["u"] else 1.0,
        ],
        VEC3,
        count=100,
    ),
    feature(
        "Float to Int",
        floats(INTO_INTS),
        "let r = int(u);",
        lambda e: to_int(e["u"]),
        count=len(INTO_INTS),
    ),
    feature(
        "Int and Bool to Float",
        INT_PAIRS,
        "let r = float(a) + float(b > 0);",
        lambda e: fadd(to_float(e["a"]), to_float(e["b"] > 0)),
        FLOAT,
        count=81,
    ),
    feature(
        "bitcasts",
        FLOAT_PAIRS,
        """let n = bitcast_int(u);
let r = bitcast_float(n ^ 1) + v * float(n);""",
        lambda e: fadd(from_bits(bits(e["u"]) ^ 1), fmul(e["v"], to_float(bits(e["u"])))),
        FLOAT,
        count=100,
    ),
    feature(
        "signed zeros",
        floats((0.0, -0.0, 1.0, -1.0, 3 * TINY)),
        "let r = vec4(-u, u * -0.0, 0.0 - u, -0.0 + u);",
        signed_zeros,
        VEC4,
        count=20,
    ),
    feature(
        "subnormals",
        SUBNORMAL_PAIRS,
        "let r = u * 0.5 - v / 4.0 + (u - v);",
        subnormals,
        FLOAT,
        count=100,
    ),
    feature("sqrt", floats(HALVES), "let r = sqrt(u);", lambda e: fsqrt(e["u"]), FLOAT, count=len(HALVES)),
    feature(
        "mix",
        PLAIN_PAIRS,
        "let r = mix(u, v, 0.3);",
        lambda e: mix(e["u"], e["v"], f32(0.3)),
        FLOAT,
    ),
    feature("random", SMALL, "let r = random(a * 1000);", lambda e: random(wrap(e["a"] * 1000)), FLOAT),
    feature(
        "smoothstep",
        pairs("Float", "uv", (-1.0, 0.5, 1.25, 3.0), (0.0, 0.5)),
        "let r = smoothstep(v, v + 2.0, u);",
        smoothstep,
        FLOAT,
    ),
    near("exp", "exp(u)", 1.0, scattered(-20.0, 20.0), math.exp),
    near("exp2", "exp2(u)", 1.0, scattered(-20.0, 20.0), lambda u: 2.0**u),
    near("log", "log(u)", 1.0, scattered(1e-3, 1e3), math.log),
    near("log2", "log2(u)", 1.0, scattered(1e-3, 1e3), math.log2),
    near(
        "pow",
        "pow(u, v)",
        2.0,
        (*scattered(0.1, 9.0), Column("v", "Float", listed((0.5, -2.25, 3.0)))),
        math.pow,
    ),
    near("sin", "sin(u)", 1.0, scattered(-100.0, 100.0), math.sin),
    near("cos", "cos(u)", 1.0, scattered(-1e5, 1e5), math.cos),
    near("tan", "tan(u)", 2.0, scattered(-1.5, 1.5), math.tan),
    near("asin", "asin(u)", 2.0, scattered(-1.0, 1.0), math.asin),
    near("acos", "acos(u)", 2.0, scattered(-1.0, 1.0), math.acos),
    near("atan", "atan(u)", 2.0, scattered(-50.0, 50.0), math.atan),
    near(
        "atan2",
        "atan2(u, v)",
        2.0,
        pairs("Float", "uv", (-3.0, -0.5, 0.0, 2.0), (-1.5, 0.25, 4.0)),
        math.atan2,
    ),
    near("sinh", "sinh(u)", 2.0, scattered(-9.0, 9.0), math.sinh),
    near("cosh", "cosh(u)", 2.0, scattered(-9.0, 9.0), math.cosh),
    near("tanh", "tanh(u)", 2.0, scattered(-4.0, 4.0), math.tanh),
    near("inversesqrt", "inversesqrt(u)", 2.0, scattered(1e-3, 1e4), lambda u: 1.0 / math.sqrt(u)),
)
