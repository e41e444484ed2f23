"""The contract of the built-ins: names, overloads and documentation.

This table is what the checker types calls with and what the reference pages are made from.  Each consumer (the
interpreter, a backend, the prover) owns a dict keyed by `Builtin`; a test holds each of them complete.
The words that read places and ports or act (`sample`, `at`, `index`, `put`, …) have nodes of their own in the
IR and are listed in `PLACE_WORDS` and `PORT_WORDS` for the documentation and for name look-up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias

from kcheck.checker.types import BOOL, FLOAT, INT, Mat, Type, Vec


class Builtin(Enum):
    """The pure built-ins; the value is the name in source."""

    ABS = "abs"
    SIGN = "sign"
    MIN = "min"
    MAX = "max"
    CLAMP = "clamp"
    FLOOR = "floor"
    CEIL = "ceil"
    ROUND = "round"
    TRUNC = "trunc"
    FRACT = "fract"
    SQRT = "sqrt"
    INVERSESQRT = "inversesqrt"
    EXP = "exp"
    EXP2 = "exp2"
    LOG = "log"
    LOG2 = "log2"
    POW = "pow"
    SIN = "sin"
    COS = "cos"
    TAN = "tan"
    ASIN = "asin"
    ACOS = "acos"
    ATAN = "atan"
    ATAN2 = "atan2"
    SINH = "sinh"
    COSH = "cosh"
    TANH = "tanh"
    RADIANS = "radians"
    DEGREES = "degrees"
    MIX = "mix"
    STEP = "step"
    SMOOTHSTEP = "smoothstep"
    SATURATE = "saturate"
    ISNAN = "isnan"
    ISINF = "isinf"
    DOT = "dot"
    CROSS = "cross"
    LENGTH = "length"
    DISTANCE = "distance"
    NORMALIZE = "normalize"
    REFLECT = "reflect"
    REFRACT = "refract"
    TRANSPOSE = "transpose"
    DETERMINANT = "determinant"
    INVERSE = "inverse"
    POPCOUNT = "popcount"
    CLZ = "clz"
    CTZ = "ctz"
    REVERSE_BITS = "reverse_bits"
    UDIV = "udiv"
    UREM = "urem"
    ULT = "ult"
    BITCAST_INT = "bitcast_int"
    BITCAST_FLOAT = "bitcast_float"
    TO_INT = "int"
    TO_FLOAT = "float"
    SELECT = "select"
    LUMA = "luma"
    HASH = "hash"
    RANDOM = "random"


class ErrorClass(Enum):
    """How far two backends may differ in strict mode, and how far the result is from the true value."""

    EXACT = "exact"
    """Integers, booleans, moves of bits."""
    ROUNDED = "correctly rounded"
    """IEEE basic operations."""
    COMPOSITE = "as its text says"
    """A prelude function over basic operations: the same bits everywhere."""
    ELEMENTARY = "elementary"
    """A prelude function with a bounded error."""


ANY = "any"
"""A parameter of any one type (only `select`)."""

Pattern: TypeAlias = "Type | str"
"""A type, or `"T"` for the type variable that an overload's `choices` range over."""


@dataclass(frozen=True, slots=True)
class Overload:
    """One signature; where `choices` is not empty, `"T"` stands for each of them in turn."""

    parameters: tuple[Pattern, ...]
    result: Pattern
    choices: tuple[Type, ...] = ()


@dataclass(frozen=True, slots=True)
class Contract:
    """What a built-in takes and gives.

    `componentwise` ones work on each component alone, and take scalars among vectors (as a `Splat`).
    """

    builtin: Builtin
    overloads: tuple[Overload, ...]
    error: ErrorClass
    doc: str
    componentwise: bool = False

    @property
    def arity(self) -> int:
        return len(self.overloads[0].parameters)


@dataclass(frozen=True, slots=True)
class Resolved:
    """The overload that fits a call: parameter types (arguments may need a `Splat` to meet them) and result."""

    parameters: tuple[Type, ...]
    result: Type


VECTORS: tuple[Type, ...] = (Vec(2), Vec(3), Vec(4))
FLOATS: tuple[Type, ...] = (FLOAT, *VECTORS)
NUMBERS: tuple[Type, ...] = (INT, *FLOATS)
MATRICES: tuple[Type, ...] = (Mat(2), Mat(3), Mat(4))


def resolve(contract: Contract, args: Sequence[Type]) -> Resolved | None:
    """The overload that takes arguments of these types, or None."""
    for overload in contract.overloads:
        for choice in overload.choices or (None,):
            found = _instance(overload, choice, args)
            if found and _accepts(contract, found.parameters, args):
                return found
    return None


def _instance(overload: Overload, choice: Type | None, args: Sequence[Type]) -> Resolved | None:
    if len(args) != len(overload.parameters):
        return None
    any_type = next((a for p, a in zip(overload.parameters, args, strict=True) if p == ANY), None)

    def concrete(pattern: Pattern) -> Type:
        if isinstance(pattern, str):
            found = any_type if pattern == ANY else choice
            assert found is not None
            return found
        return pattern

    return Resolved(tuple(concrete(p) for p in overload.parameters), concrete(overload.result))


def _accepts(contract: Contract, parameters: Sequence[Type], args: Sequence[Type]) -> bool:
    splats = contract.componentwise and any(isinstance(a, Vec) for a in args)
    return all(p == a or (splats and isinstance(p, Vec) and a is FLOAT) for p, a in zip(parameters, args, strict=True))


def _same(count: int, choices: tuple[Type, ...], result: Pattern = "T") -> tuple[Overload, ...]:
    return (Overload(("T",) * count, result, choices),)


def _contract(
    builtin: Builtin, overloads: tuple[Overload, ...], error: ErrorClass, doc: str, *, each: bool = False
) -> Contract:
    return Contract(builtin, overloads, error, doc, each)


_EXACT, _ROUNDED = ErrorClass.EXACT, ErrorClass.ROUNDED
_COMPOSITE, _ELEMENTARY = ErrorClass.COMPOSITE, ErrorClass.ELEMENTARY
_INT1: tuple[Overload, ...] = (Overload((INT,), INT),)
_INT2: tuple[Overload, ...] = (Overload((INT, INT), INT),)

_ROWS: tuple[Contract, ...] = (
    _contract(Builtin.ABS, _same(1, NUMBERS), _EXACT, "Absolute value; `abs` of the least Int is itself.", each=True),
    _contract(Builtin.SIGN, _same(1, NUMBERS), _EXACT, "-1, 0 or 1; 0 for NaN and both zeros.", each=True),
    _contract(
        Builtin.MIN,
        _same(2, NUMBERS),
        _EXACT,
        "The smaller; a NaN is ignored (NaN only when both are) and -0.0 is below 0.0.",
        each=True,
    ),
    _contract(
        Builtin.MAX,
        _same(2, NUMBERS),
        _EXACT,
        "The larger; a NaN is ignored (NaN only when both are) and -0.0 is below 0.0.",
        each=True,
    ),
    _contract(Builtin.CLAMP, _same(3, NUMBERS), _EXACT, "`min(max(x, low), high)`.", each=True),
    _contract(Builtin.FLOOR, _same(1, FLOATS), _ROUNDED, "The largest whole number that is not above.", each=True),
    _contract(Builtin.CEIL, _same(1, FLOATS), _ROUNDED, "The smallest whole number that is not below.", each=True),
    _contract(Builtin.ROUND, _same(1, FLOATS), _ROUNDED, "The nearest whole number, halves to even.", each=True),
    _contract(Builtin.TRUNC, _same(1, FLOATS), _ROUNDED, "The whole part, towards zero.", each=True),
    _contract(Builtin.FRACT, _same(1, FLOATS), _COMPOSITE, "`x - floor(x)`.", each=True),
    _contract(Builtin.SQRT, _same(1, FLOATS), _ROUNDED, "Square root; NaN below zero.", each=True),
    _contract(Builtin.INVERSESQRT, _same(1, FLOATS), _ELEMENTARY, "`1 / sqrt(x)`.", each=True),
    _contract(Builtin.EXP, _same(1, FLOATS), _ELEMENTARY, "e to the power x.", each=True),
    _contract(Builtin.EXP2, _same(1, FLOATS), _ELEMENTARY, "2 to the power x.", each=True),
    _contract(Builtin.LOG, _same(1, FLOATS), _ELEMENTARY, "Natural logarithm.", each=True),
    _contract(Builtin.LOG2, _same(1, FLOATS), _ELEMENTARY, "Logarithm to base 2.", each=True),
    _contract(Builtin.POW, _same(2, FLOATS), _ELEMENTARY, "x to the power y, as in C.", each=True),
    _contract(Builtin.SIN, _same(1, FLOATS), _ELEMENTARY, "Sine of an angle in radians.", each=True),
    _contract(Builtin.COS, _same(1, FLOATS), _ELEMENTARY, "Cosine of an angle in radians.", each=True),
    _contract(Builtin.TAN, _same(1, FLOATS), _ELEMENTARY, "Tangent of an angle in radians.", each=True),
    _contract(Builtin.ASIN, _same(1, FLOATS), _ELEMENTARY, "Arc sine; NaN beyond 1.", each=True),
    _contract(Builtin.ACOS, _same(1, FLOATS), _ELEMENTARY, "Arc cosine; NaN beyond 1.", each=True),
    _contract(Builtin.ATAN, _same(1, FLOATS), _ELEMENTARY, "Arc tangent.", each=True),
    _contract(Builtin.ATAN2, _same(2, FLOATS), _ELEMENTARY, "Angle of the point (x, y): `atan2(y, x)`.", each=True),
    _contract(Builtin.SINH, _same(1, FLOATS), _ELEMENTARY, "Hyperbolic sine.", each=True),
    _contract(Builtin.COSH, _same(1, FLOATS), _ELEMENTARY, "Hyperbolic cosine.", each=True),
    _contract(Builtin.TANH, _same(1, FLOATS), _ELEMENTARY, "Hyperbolic tangent.", each=True),
    _contract(Builtin.RADIANS, _same(1, FLOATS), _COMPOSITE, "Degrees to radians.", each=True),
    _contract(Builtin.DEGREES, _same(1, FLOATS), _COMPOSITE, "Radians to degrees.", each=True),
    _contract(Builtin.MIX, _same(3, FLOATS), _COMPOSITE, "`a * (1 - t) + b * t`.", each=True),
    _contract(Builtin.STEP, _same(2, FLOATS), _COMPOSITE, "`step(edge, x)`: 0 below the edge, else 1.", each=True),
    _contract(
        Builtin.SMOOTHSTEP,
        _same(3, FLOATS),
        _COMPOSITE,
        "`smoothstep(low, high, x)`: a cubic from 0 to 1; `step` where the edges are equal.",
        each=True,
    ),
    _contract(Builtin.SATURATE, _same(1, FLOATS), _COMPOSITE, "`clamp(x, 0.0, 1.0)`.", each=True),
    _contract(Builtin.ISNAN, (Overload((FLOAT,), BOOL),), _EXACT, "Whether a Float is not a number."),
    _contract(Builtin.ISINF, (Overload((FLOAT,), BOOL),), _EXACT, "Whether a Float is an infinity."),
    _contract(Builtin.DOT, (Overload(("T", "T"), FLOAT, VECTORS),), _COMPOSITE, "Sum of the products, x first."),
    _contract(Builtin.CROSS, (Overload((Vec(3), Vec(3)), Vec(3)),), _COMPOSITE, "Cross product."),
    _contract(Builtin.LENGTH, _same(1, FLOATS, FLOAT), _COMPOSITE, "Euclidean length."),
    _contract(Builtin.DISTANCE, _same(2, FLOATS, FLOAT), _COMPOSITE, "`length(a - b)`."),
    _contract(Builtin.NORMALIZE, _same(1, VECTORS), _COMPOSITE, "The vector scaled to length 1."),
    _contract(Builtin.REFLECT, _same(2, VECTORS), _COMPOSITE, "`reflect(i, n)`: i - n * (2 * dot(n, i))."),
    _contract(
        Builtin.REFRACT,
        (Overload(("T", "T", FLOAT), "T", VECTORS),),
        _COMPOSITE,
        "`refract(i, n, eta)`: the refracted direction; zero on total reflection.",
    ),
    _contract(Builtin.TRANSPOSE, _same(1, MATRICES), _EXACT, "Rows become columns."),
    _contract(Builtin.DETERMINANT, _same(1, MATRICES, FLOAT), _COMPOSITE, "Determinant."),
    _contract(Builtin.INVERSE, _same(1, MATRICES), _COMPOSITE, "Inverse: the adjugate over the determinant."),
    _contract(Builtin.POPCOUNT, _INT1, _EXACT, "Number of bits that are 1."),
    _contract(Builtin.CLZ, _INT1, _EXACT, "Number of leading zero bits; 32 for 0."),
    _contract(Builtin.CTZ, _INT1, _EXACT, "Number of trailing zero bits; 32 for 0."),
    _contract(Builtin.REVERSE_BITS, _INT1, _EXACT, "The 32 bits in reverse order."),
    _contract(Builtin.UDIV, _INT2, _EXACT, "Quotient of the Ints read as unsigned; x / 0 is x."),
    _contract(Builtin.UREM, _INT2, _EXACT, "Remainder of the Ints read as unsigned; x % 0 is 0."),
    _contract(Builtin.ULT, (Overload((INT, INT), BOOL),), _EXACT, "a < b for the Ints read as unsigned."),
    _contract(
        Builtin.BITCAST_INT,
        (Overload((FLOAT,), INT),),
        _EXACT,
        "The bits of a Float; any NaN gives 0x7FC00000.",
    ),
    _contract(Builtin.BITCAST_FLOAT, (Overload((INT,), FLOAT),), _EXACT, "The Float that has these bits."),
    _contract(
        Builtin.TO_INT,
        _same(1, (FLOAT, INT, BOOL), INT),
        _EXACT,
        "To Int: a Float is truncated and saturates, NaN gives 0; true is 1.",
    ),
    _contract(
        Builtin.TO_FLOAT,
        _same(1, (INT, FLOAT, BOOL), FLOAT),
        _ROUNDED,
        "To Float: an Int is rounded; true is 1.0.",
    ),
    _contract(
        Builtin.SELECT,
        (Overload((BOOL, ANY, ANY), ANY),),
        _EXACT,
        "`select(c, a, b)`: a where c is true, else b.",
    ),
    _contract(
        Builtin.LUMA,
        (Overload(("T",), FLOAT, (Vec(3), Vec(4))),),
        _COMPOSITE,
        "Rec. 709 luma of a linear colour: 0.2126 r + 0.7152 g + 0.0722 b.",
    ),
    _contract(Builtin.HASH, _INT1, _COMPOSITE, "A well-mixed Int (PCG)."),
    _contract(Builtin.RANDOM, (Overload((INT,), FLOAT),), _COMPOSITE, "A Float in 0.0 <= x < 1.0 made from `hash`."),
)

ULPS: dict[Builtin, int] = {
    **dict.fromkeys((Builtin.EXP, Builtin.EXP2, Builtin.LOG, Builtin.LOG2, Builtin.SIN, Builtin.COS), 1),
    **dict.fromkeys((Builtin.TAN, Builtin.ASIN, Builtin.ACOS, Builtin.ATAN, Builtin.ATAN2), 2),
    **dict.fromkeys((Builtin.SINH, Builtin.COSH, Builtin.TANH, Builtin.INVERSESQRT, Builtin.POW), 2),
}
"""How far an elementary function may be from the true value, in units of the last place."""

CONTRACTS: dict[Builtin, Contract] = {row.builtin: row for row in _ROWS}
BY_NAME: dict[str, Contract] = {row.builtin.value: row for row in _ROWS}

CONSTRUCTORS: dict[str, Type] = {
    "vec2": Vec(2),
    "vec3": Vec(3),
    "vec4": Vec(4),
    "mat2": Mat(2),
    "mat3": Mat(3),
    "mat4": Mat(4),
}

PLACE_WORDS: dict[str, str] = {
    "index": "The number of this run's element, row-major (Int).",
    "coord": "The address of this run's element: Int, Vec2 (x, y) or Vec3 (x, y, z).",
    "place": "The normalised position of this run's element, (coord + 0.5) / size.",
    "domain": "The size of the domain: Int, Vec2 (w, h) or Vec3 (w, h, d).",
    "lane": "The number of this element within its group (Int; only in `group` kernels).",
    "group": "The number of this element's group (Int; only in `group` kernels).",
}

PORT_WORDS: dict[str, str] = {
    "sample": "`sample(f)`: the element at this run's place; `sample(f, p)`: filtered at a position in 0..1.",
    "at": "`at(f, i)`, `at(f, v)`, `at(f, x, y)`, `at(f, x, y, z)`: the element at an address, clamped to the edge.",
    "put": "`put(m, i, value);`: write an element of a memory; outside it is dropped.",
    "emit": "`emit(pair);`: give one more pair to a scatter.",
    "exchange": "`exchange(v, k)`: the v that lane k holds at this exchange.",
    "size": "`size(f)`: the number of elements along each axis.",
    "extent": "`extent(f)`: the size of the field's box in space.",
}

ACTING_WORDS = frozenset({"sample", "at", "put", "emit", "exchange"})
"""The words that user functions may not shadow."""
