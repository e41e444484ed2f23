"""The built-ins that the prelude does not define, in WGSL: one line a built-in."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from kcheck.checker import ir
from kcheck.checker.builtins import Builtin
from kcheck.checker.prelude import ELEMENTARY_BUILTINS
from kcheck.checker.types import BOOL, FLOAT, INT, Mat, Scalar, Type, Vec
from kcheck.runtime.gpu.wgsl.lines import Lines
from kcheck.runtime.gpu.wgsl.module import Module

INTS: dict[Builtin, str] = {
    Builtin.ABS: "abs({})",
    Builtin.SIGN: "sign({})",
    Builtin.MIN: "min({}, {})",
    Builtin.MAX: "max({}, {})",
    Builtin.POPCOUNT: "countOneBits({})",
    Builtin.CLZ: "countLeadingZeros({})",
    Builtin.CTZ: "countTrailingZeros({})",
    Builtin.REVERSE_BITS: "reverseBits({})",
    Builtin.ULT: "(bitcast<u32>({}) < bitcast<u32>({}))",
}
"""On an Int first argument, the device's own."""

CALLED: dict[Builtin, str] = {
    Builtin.UDIV: "udiv",
    Builtin.UREM: "urem",
    Builtin.ISNAN: "is_nan",
    Builtin.BITCAST_INT: "bits_of",
}
"""By functions of the library."""

FLOATS: dict[Builtin, str] = {
    Builtin.ABS: "abs",
    Builtin.SIGN: "sign",
    Builtin.MIN: "min",
    Builtin.MAX: "max",
    Builtin.FLOOR: "floor",
    Builtin.CEIL: "ceil",
    Builtin.ROUND: "round",
    Builtin.TRUNC: "trunc",
    Builtin.SQRT: "sqrt",
    **{builtin: builtin.value for builtin in ELEMENTARY_BUILTINS},
}
"""By functions of the library, on Floats component by component; the elementary ones are there for fast code alone."""


def builtin(module: Module, node: ir.BuiltinCall, args: Sequence[str], lines: Lines) -> str:
    """The call of a built-in whose arguments are these texts."""
    found, first = node.builtin, node.args[0].type
    if found in SPECIAL:
        return SPECIAL[found](module, node, args, lines)
    if found in CALLED:
        return f"{module.use(CALLED[found])}({', '.join(args)})"
    if first is INT and found in INTS:
        return INTS[found].format(*args)
    return f"{module.arithmetic(FLOATS[found], first, len(args))}({', '.join(args)})"


def _select(module: Module, node: ir.BuiltinCall, args: Sequence[str], lines: Lines) -> str:
    condition, yes, no = args
    if isinstance(node.type, (Scalar, Vec)):
        return f"select({no}, {yes}, {condition})"
    return f"{_chooser(module, node.type)}({condition}, {yes}, {no})"


def _chooser(module: Module, type_: Type) -> str:
    name, result = f"choose_{module.types.word(type_)}", module.types.name(type_)
    text = [
        f"fn {name}(condition: bool, yes: {result}, no: {result}) -> {result} {{",
        "  if (condition) {",
        "    return yes;",
        "  }",
        "  return no;",
        "}",
    ]
    return module.function(name, lambda: "\n".join(text))


def _transpose(module: Module, node: ir.BuiltinCall, args: Sequence[str], lines: Lines) -> str:
    assert isinstance(node.type, Mat)
    size = node.type.size
    whole = lines.temporary(args[0])
    rows = [f"vec{size}<f32>({', '.join(f'{whole}[{c}].{axis}' for c in range(size))})" for axis in "xyzw"[:size]]
    return module.types.made(node.type, rows)


def _is_infinite(module: Module, node: ir.BuiltinCall, args: Sequence[str], lines: Lines) -> str:
    return f"({module.use('magnitude')}({args[0]}) == 0x7f800000u)"


def _to_int(module: Module, node: ir.BuiltinCall, args: Sequence[str], lines: Lines) -> str:
    first = node.args[0].type
    if first is FLOAT:
        return f"{module.use('int_of')}({args[0]})"
    return f"i32({args[0]})" if first is BOOL else args[0]


def _to_float(module: Module, node: ir.BuiltinCall, args: Sequence[str], lines: Lines) -> str:
    return args[0] if node.args[0].type is FLOAT else f"{module.use('kept')}(f32({args[0]}))"


def _bitcast(module: Module, node: ir.BuiltinCall, args: Sequence[str], lines: Lines) -> str:
    return f"{module.use('kept')}(bitcast<f32>({args[0]}))"


SPECIAL: dict[Builtin, Callable[[Module, ir.BuiltinCall, Sequence[str], Lines], str]] = {
    Builtin.SELECT: _select,
    Builtin.TRANSPOSE: _transpose,
    Builtin.ISINF: _is_infinite,
    Builtin.TO_INT: _to_int,
    Builtin.TO_FLOAT: _to_float,
    Builtin.BITCAST_FLOAT: _bitcast,
}
"""Those whose text depends on more than the kind of their arguments."""
