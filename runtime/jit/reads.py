"""Reading the elements of ports: at an element's own place, at an address, and filtered at a position."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kcheck.checker.ir import BinaryOp
from kcheck.checker.types import BOOL, FLOAT, INT, Scalar
from kcheck.runtime.jit.emitter import Emitter, Value
from kcheck.runtime.jit.module import INDEX
from kcheck.runtime.jit.numbers import ONE, OPERATORS, ZERO, float_to_int, int_max, int_min, int_to_float, intrinsic
from kcheck.runtime.jit.storage import IN_MEMORY, SIZES, byte_size
from kcheck.runtime.jit.text import Code, float_constant

_HALF = float_constant(0x3F000000)
_ADD, _SUB, _MUL = (OPERATORS[FLOAT][op] for op in (BinaryOp.ADD, BinaryOp.SUB, BinaryOp.MUL))
floor = intrinsic("llvm.floor.f32", "float")


@dataclass(frozen=True, slots=True)
class Address:
    """The parts of an element's address, x first: Ints, or Floats that are still to be floored."""

    parts: list[str]
    kind: Scalar


def sample(emitter: Emitter, port: str) -> Value:
    """The element at the own place of the element at hand."""
    if port in emitter.held:
        return emitter.held[port]
    element, index = emitter.module.port(port).type.element, emitter.item(INDEX)
    if isinstance(element, Scalar) and index == f"%{INDEX}":
        return [_sample_scalar(emitter, port, element, index)]
    return emitter.load(element_place(emitter, port, index), element)


def _sample_scalar(emitter: Emitter, port: str, kind: Scalar, index: str) -> str:
    """Read where the function begins, whatever it does then: LLVM dislikes reads that may not be."""
    if port not in emitter.sampled:
        data, code = emitter.item(emitter.module.item_of(port)), emitter.code
        distance = code.at_entry(f"mul nuw nsw i64 {index}, {SIZES[kind]}")
        place = code.at_entry(f"getelementptr inbounds i8, ptr {data}, i64 {distance}")
        held = code.at_entry(f"load {IN_MEMORY[kind]}, ptr {place}, align 1")
        emitter.sampled[port] = code.at_entry(f"icmp ne i8 {held}, 0") if kind is BOOL else held
    return emitter.sampled[port]


def element_place(emitter: Emitter, port: str, position: str) -> str:
    """Where the element at a position (i64) lies."""
    size = byte_size(emitter.module.port(port).type.element)
    data = emitter.item(emitter.module.item_of(port))
    return emitter.code.offset(data, emitter.code.value(f"mul nuw nsw i64 {position}, {size}"))


def read_at(emitter: Emitter, port: str, address: Address, site: int) -> Value:
    """The element nearest to an address; an error where there is none."""
    if port in emitter.module.empty:
        emitter.fail(site)
        return emitter.zero(emitter.module.port(port).type.element)
    sizes = _sizes(emitter, port)
    parts = [_clamped(emitter, part, address.kind, size) for part, size in zip(address.parts, sizes, strict=True)]
    return _read(emitter, port, parts, sizes)


def _sizes(emitter: Emitter, port: str) -> list[str]:
    return [emitter.size(port, axis) for axis in range(emitter.module.port(port).type.rank)]


def _read(emitter: Emitter, port: str, parts: Sequence[str], sizes: Sequence[str]) -> Value:
    place = element_place(emitter, port, row_major(emitter.code, parts, sizes))
    return emitter.load(place, emitter.module.port(port).type.element)


def row_major(code: Code, parts: Sequence[str], sizes: Sequence[str]) -> str:
    """The position (i64) of the element at whole, in-range coordinates; it fits an Int."""
    position = parts[-1]
    for axis in reversed(range(len(parts) - 1)):
        row = code.value(f"mul nuw nsw i32 {position}, {sizes[axis]}")
        position = code.value(f"add nuw nsw i32 {row}, {parts[axis]}")
    return code.value(f"zext nneg i32 {position} to i64")


def _clamped(emitter: Emitter, part: str, kind: Scalar, size: str) -> str:
    code = emitter.code
    # Saturation does no harm, as the last element is no further than the last Int; NaN gives 0.
    whole = part if kind is INT else float_to_int(code, floor(code, part))
    return clamp(code, whole, code.value(f"sub nsw i32 {size}, 1"))


def clamp(code: Code, whole: str, last: str) -> str:
    return int_min(code, int_max(code, whole, "0"), last)


# ---------------------------------------------------------------- addresses that may be outside


def position_inside(emitter: Emitter, port: str, address: Address) -> tuple[str, str]:
    """Whether an address (as in the IR) is of an element (i1), and the element's position (i64), if so."""
    code, sizes = emitter.code, _sizes(emitter, port)
    inside, parts = "true", []
    for part, size in zip(address.parts, sizes, strict=True):
        here, whole = _whole_inside(code, part, address.kind, size)
        inside = here if inside == "true" else code.value(f"and i1 {inside}, {here}")
        parts.append(whole)
    # Outside, the numbers may be any, so nothing may be said of their products.
    position = parts[-1]
    for axis in reversed(range(len(parts) - 1)):
        position = code.value(f"add i32 {code.value(f'mul i32 {position}, {sizes[axis]}')}, {parts[axis]}")
    return inside, code.value(f"zext i32 {position} to i64")


def _whole_inside(code: Code, part: str, kind: Scalar, size: str) -> tuple[str, str]:
    if kind is INT:
        return code.value(f"icmp ult i32 {part}, {size}"), part
    whole = floor(code, part)
    not_below = code.value(f"fcmp oge float {whole}, {ZERO}")
    below = code.value(f"fcmp olt float {whole}, {int_to_float(code, size)}")
    return code.value(f"and i1 {not_below}, {below}"), float_to_int(code, whole)


# ---------------------------------------------------------------- filtered


@dataclass(frozen=True, slots=True)
class _Axis:
    """The two texels around a position along one axis (i32), and how far it is from the first to the second."""

    low: str
    high: str
    t: str


def filtered(emitter: Emitter, port: str, position: Value, site: int) -> Value:
    """Linear filtering at a normalised position: a lerp along x, then y, then z."""
    if port in emitter.module.empty:
        emitter.fail(site)
        return emitter.zero(emitter.module.port(port).type.element)
    sizes = _sizes(emitter, port)
    axes = [_axis(emitter.code, part, size) for part, size in zip(position, sizes, strict=True)]
    return _mix_axes(emitter, port, axes, [], sizes)


def _axis(code: Code, part: str, size: str) -> _Axis:
    # `x > 0` is false of NaN; the sign of a zero does not matter here.
    above = code.value(f"fcmp ogt float {part}, {ZERO}")
    not_below = code.value(f"select i1 {above}, float {part}, float {ZERO}")
    inside = code.value(f"fcmp olt float {not_below}, {ONE}")
    bounded = code.value(f"select i1 {inside}, float {not_below}, float {ONE}")
    texel = _SUB(code, _MUL(code, bounded, int_to_float(code, size)), _HALF)
    below = floor(code, texel)
    # Rows may have so many elements that the next Float is not the next Int: the next texel is taken in Ints.
    first, last = float_to_int(code, below), code.value(f"sub nsw i32 {size}, 1")
    following = code.value(f"add i32 {first}, 1")
    return _Axis(clamp(code, first, last), int_min(code, following, last), _SUB(code, texel, below))


def _mix_axes(emitter: Emitter, port: str, axes: Sequence[_Axis], chosen: list[str], sizes: Sequence[str]) -> Value:
    """Mix along the last of `axes`; `chosen` are the texels along the axes behind it."""
    if not axes:
        return _read(emitter, port, chosen, sizes)
    axis, code = axes[-1], emitter.code
    low = _mix_axes(emitter, port, axes[:-1], [axis.low, *chosen], sizes)
    high = _mix_axes(emitter, port, axes[:-1], [axis.high, *chosen], sizes)
    rest = _SUB(code, ONE, axis.t)
    return [_ADD(code, _MUL(code, a, rest), _MUL(code, b, axis.t)) for a, b in zip(low, high, strict=True)]
