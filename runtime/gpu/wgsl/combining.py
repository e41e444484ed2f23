"""How prefix and scatter put values together, scalar by scalar, as Ints.

Minima and maxima of Floats are taken over *keys*: Ints that are ordered as the Floats are, -0 below +0, in which a
NaN loses to all others.  They are exact and in any grouping the same.
"""

from __future__ import annotations

from kcheck.checker.ir import CombineOp
from kcheck.checker.types import BOOL, FLOAT, INT, Array, Scalar, Struct, Type, Vec, leaves
from kcheck.runtime.gpu.wgsl.module import Module
from kcheck.runtime.gpu.wgsl.reads import accessors

_NEVER = {CombineOp.MIN: "0x7fffffff", CombineOp.MAX: "bitcast<i32>(0x80000000u)"}
"""The keys of what can win no minimum and no maximum; read back they are NaNs."""

NONE = {CombineOp.SUM: "0", **_NEVER}
"""The Ints that change nothing when they are combined with others."""


def has_keys(op: CombineOp, type_: Type) -> bool:
    """Whether values of a type are combined as other words than those that they are stored as."""
    return op in _NEVER and any(leaf.scalar is FLOAT for leaf in leaves(type_))


def key(module: Module, op: CombineOp, bits: str, scalar: Scalar) -> str:
    """The Int that stands for a scalar with these bits (a u32)."""
    if scalar is not FLOAT or op not in _NEVER:
        return f"bitcast<i32>({bits})"
    flip = module.use("flip")
    text = [
        "fn key_of(bits: u32) -> i32 {",
        f"  return select({flip}(bitcast<i32>(bits)), {_NEVER[op]}, (bits & 0x7fffffffu) > 0x7f800000u);",
        "}",
    ]
    return f"{module.function('key_of', lambda: chr(10).join(text))}({bits})"


def unkeyed(module: Module, op: CombineOp, number: str, scalar: Scalar) -> str:
    """The word (a u32) of the scalar that an Int stands for."""
    if scalar is not FLOAT or op not in _NEVER:
        return f"bitcast<u32>({number})"
    return f"bitcast<u32>({module.use('flip')}({number}))"


def combined(op: CombineOp, a: str, b: str) -> str:
    """Two Ints combined."""
    return f"{a} + {b}" if op is CombineOp.SUM else f"{op.value}({a}, {b})"


def added(module: Module, type_: Type, a: str, b: str) -> str:
    """The sum of two values, leaf by leaf; Floats are rounded."""
    match type_:
        case Scalar():
            assert type_ is not BOOL
            return f"{a} + {b}" if type_ is INT else f"{module.use('add_f32')}({a}, {b})"
        case Vec():
            return f"{module.arithmetic('add', type_, 2)}({a}, {b})"
    name, result = f"sum_{module.types.word(type_)}", module.types.name(type_)
    head = f"fn {name}(a: {result}, b: {result}) -> {result} {{"
    if isinstance(type_, Array) and module.is_looped(type_):
        inner = added(module, type_.element, "a[i]", "b[i]")
        body = [
            f"  var all: {result};",
            f"  for (var i = 0u; i < {type_.length}u; i++) {{",
            f"    all[i] = {inner};",
            "  }",
            "  return all;",
        ]
    elif isinstance(type_, Struct) and not type_.fields:
        body = ["  return a;"]
    else:
        inside = [added(module, part, f"a{at}", f"b{at}") for at, part in accessors(type_)]
        body = [f"  return {module.types.made(type_, inside)};"]
    return f"{module.function(name, lambda: chr(10).join([head, *body, '}']))}({a}, {b})"
