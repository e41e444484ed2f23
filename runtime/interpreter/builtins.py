"""What each pure built-in does: one line a built-in, complete over `Builtin` (a test holds it).

The elementary ones are functions of the prelude, which take the place of those here in strict mode."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from kcheck.checker.builtins import Builtin
from kcheck.runtime.interpreter import composites, numbers
from kcheck.runtime.interpreter.reads import mix
from kcheck.runtime.interpreter.values import Value, select
from kcheck.runtime.layout import AnyArray

Operation = Callable[..., AnyArray]


def _by_kind(of_ints: Callable[..., Any], of_floats: Callable[..., Any]) -> Operation:
    """The one for Ints or the one for Floats, by what comes."""

    def call(*args: AnyArray) -> AnyArray:
        chosen = of_ints if args[0].dtype == np.int32 else of_floats
        result: AnyArray = chosen(*args)
        return result

    return call


_MIN = _by_kind(np.minimum, numbers.minimum)
_MAX = _by_kind(np.maximum, numbers.maximum)


def _clamp(x: AnyArray, low: AnyArray, high: AnyArray) -> AnyArray:
    return _MIN(_MAX(x, low), high)


def _to_int(x: AnyArray) -> AnyArray:
    return numbers.float_to_int(x) if x.dtype == np.float32 else x.astype(np.int32)


def _to_float(x: AnyArray) -> AnyArray:
    return x.astype(np.float32)


OPERATIONS: dict[Builtin, Callable[..., Value]] = {
    Builtin.ABS: np.abs,
    Builtin.SIGN: _by_kind(np.sign, numbers.float_sign),
    Builtin.MIN: _MIN,
    Builtin.MAX: _MAX,
    Builtin.CLAMP: _clamp,
    Builtin.FLOOR: np.floor,
    Builtin.CEIL: np.ceil,
    Builtin.ROUND: np.rint,
    Builtin.TRUNC: np.trunc,
    Builtin.FRACT: composites.fract,
    Builtin.SQRT: np.sqrt,
    Builtin.RADIANS: composites.radians,
    Builtin.DEGREES: composites.degrees,
    Builtin.MIX: mix,
    Builtin.STEP: composites.step,
    Builtin.SMOOTHSTEP: composites.smoothstep,
    Builtin.SATURATE: composites.saturate,
    Builtin.ISNAN: np.isnan,
    Builtin.ISINF: np.isinf,
    Builtin.DOT: composites.dot,
    Builtin.CROSS: composites.cross,
    Builtin.LENGTH: composites.length,
    Builtin.DISTANCE: composites.distance,
    Builtin.NORMALIZE: composites.normalize,
    Builtin.REFLECT: composites.reflect,
    Builtin.REFRACT: composites.refract,
    Builtin.TRANSPOSE: composites.transpose,
    Builtin.DETERMINANT: composites.determinant,
    Builtin.INVERSE: composites.inverse,
    Builtin.POPCOUNT: numbers.popcount,
    Builtin.CLZ: numbers.leading_zeros,
    Builtin.CTZ: numbers.trailing_zeros,
    Builtin.REVERSE_BITS: numbers.reverse_bits,
    Builtin.UDIV: numbers.unsigned_div,
    Builtin.UREM: numbers.unsigned_rem,
    Builtin.ULT: numbers.unsigned_less,
    Builtin.BITCAST_INT: numbers.bits_of,
    Builtin.BITCAST_FLOAT: numbers.float_of_bits,
    Builtin.TO_INT: _to_int,
    Builtin.TO_FLOAT: _to_float,
    Builtin.SELECT: select,
    Builtin.LUMA: composites.luma,
    Builtin.HASH: composites.pcg_hash,
    Builtin.RANDOM: composites.random,
    # NumPy's own, for fast mode.
    Builtin.INVERSESQRT: lambda x: np.float32(1.0) / np.sqrt(x),
    Builtin.EXP: np.exp,
    Builtin.EXP2: np.exp2,
    Builtin.LOG: np.log,
    Builtin.LOG2: np.log2,
    Builtin.POW: np.power,
    Builtin.SIN: np.sin,
    Builtin.COS: np.cos,
    Builtin.TAN: np.tan,
    Builtin.ASIN: np.arcsin,
    Builtin.ACOS: np.arccos,
    Builtin.ATAN: np.arctan,
    Builtin.ATAN2: np.arctan2,
    Builtin.SINH: np.sinh,
    Builtin.COSH: np.cosh,
    Builtin.TANH: np.tanh,
}
