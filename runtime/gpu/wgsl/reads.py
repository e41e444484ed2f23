"""Where elements lie, and reads that are filtered: the functions that shaders share for it."""

from __future__ import annotations

from collections.abc import Sequence

from kcheck.checker.types import FLOAT, INT, Enum, Mat, Struct, Type, Vec, parts
from kcheck.runtime.gpu.wgsl.module import Module, plus, times
from kcheck.runtime.gpu.wgsl.names import kind, members, words

Part = tuple[str, Type]
"""A text and its type."""


def accessors(type_: Type) -> list[Part]:
    """How to get at each direct part of a value of several parts."""
    if isinstance(type_, Struct) and not type_.fields:
        return []
    if isinstance(type_, (Struct, Enum)):
        return [(f".{name}", part) for name, part in members(type_)]
    return [(f"[{i}]", part) for i, part in enumerate(parts(type_))]


# ---------------------------------------------------------------- addresses


def clamped_position(module: Module, address: Sequence[Part], size: str) -> str:
    """The number (a u32) of the element nearest to an address; `size` is the fact of that name."""
    return _row_major([_clamped(module, part, f"{size}.{axis}") for part, axis in _by_axis(address)], size)


def inside_position(module: Module, address: Sequence[Part], size: str) -> tuple[str, str]:
    """Whether an address is that of an element, and the element's number."""
    parts_ = _by_axis(address)
    tests = [_is_inside(module, part, f"{size}.{axis}") for part, axis in parts_]
    return " && ".join(tests), _row_major([_whole(part) for part, _ in parts_], size)


def _by_axis(address: Sequence[Part]) -> list[tuple[Part, str]]:
    first, type_ = address[0]
    if isinstance(type_, Vec):
        return [((f"{first}.{axis}", FLOAT), axis) for axis in "xyz"[: type_.size]]
    return list(zip(address, "xyz", strict=False))


def _clamped(module: Module, part: Part, size: str) -> str:
    text, type_ = part
    return f"{module.use('clamp_index' if type_ is INT else 'clamp_floor')}({text}, {size})"


def _is_inside(module: Module, part: Part, size: str) -> str:
    text, type_ = part
    if type_ is INT:
        return f"bitcast<u32>({text}) < {size}"
    return f"{module.use('floor_is_inside')}({text}, {size})"


def _whole(part: Part) -> str:
    return f"u32({part[0]})"


def _row_major(numbers: Sequence[str], size: str) -> str:
    position = numbers[-1]
    for axis in reversed(range(len(numbers) - 1)):
        position = f"({position}) * {size}.{'xyz'[axis]} + {numbers[axis]}"
    return position


# ---------------------------------------------------------------- places


def size_value(fact: str, type_: Type) -> str:
    """A size as the language gives it: an Int, or a vector of Floats."""
    if type_ is INT:
        return f"i32({fact}.x)"
    assert isinstance(type_, Vec)
    return f"vec{type_.size}<f32>({fact}.{'xyz'[: type_.size]})"


def floats_of(fact: str, type_: Type) -> str:
    assert isinstance(type_, Vec)
    return f"bitcast<vec{type_.size}<f32>>({fact}.{'xyz'[: type_.size]})"


def coordinates(module: Module, type_: Type) -> str:
    """The function that gives the element's coordinates, x first, as a vector."""
    assert isinstance(type_, Vec)
    domain = module.fact("domain")
    row = f"element / {domain}.x"
    inside = {
        2: f"element % {domain}.x, {row}",
        3: f"element % {domain}.x, ({row}) % {domain}.y, ({row}) / {domain}.y",
    }[type_.size]
    name = f"coord_vec{type_.size}"
    text = f"fn {name}() -> vec{type_.size}<f32> {{\n  return vec{type_.size}<f32>(vec{type_.size}<u32>({inside}));\n}}"
    return module.function(name, lambda: text)


def placing(module: Module, type_: Type) -> str:
    """The function that gives the element's normalised position: `(coord + 0.5) / size`."""
    result = module.types.name(type_)
    add, div = module.arithmetic("add", type_, 2), module.arithmetic("div", type_, 2)
    domain = module.fact("domain")
    if type_ is FLOAT:
        value = f"{div}({add}(f32(element), 0.5), f32({domain}.x))"
    else:
        half = f"{result}(0.5)"
        value = f"{div}({add}({coordinates(module, type_)}(), {half}), {size_value(domain, type_)})"
    name = f"place_{kind(type_)}"
    return module.function(name, lambda: f"fn {name}() -> {result} {{\n  return {value};\n}}")


# ---------------------------------------------------------------- filtered reads


def filtering(module: Module, port: str, type_: Type, position: Type) -> str:
    """The function that reads a port at a normalised position: lerps along x, then y, then z."""
    name = f"filter_{port}"
    return module.function(name, lambda: _filtering_text(module, name, port, type_, position))


def _filtering_text(module: Module, name: str, port: str, type_: Type, position: Type) -> str:
    result = module.types.name(type_)
    size, buffer = module.fact("size", port), module.buffer(f"in_{port}")
    rank = position.size if isinstance(position, Vec) else 1
    axis_of, lerp = module.use("axis_of"), _lerp(module, type_)
    axes = "xyz"[:rank]
    lines = [f"fn {name}(position: {module.types.name(position)}) -> {result} {{"]
    for axis in axes:
        part = "position" if rank == 1 else f"position.{axis}"
        lines.append(f"  let {axis} = {axis_of}({part}, {size}.{axis});")

    def mixed(depth: int, chosen: dict[str, str]) -> str:
        if depth == 0:
            at = _row_major([f"{axis}.{chosen[axis]}" for axis in axes], size)
            whole = f"({at})" if rank > 1 else at
            return module.load(buffer, times(whole, words(type_)), type_)
        axis = axes[depth - 1]
        low, high = (mixed(depth - 1, {**chosen, axis: end}) for end in ("low", "high"))
        return f"{lerp}({low}, {high}, {axis}.t)"

    lines += [f"  return {mixed(rank, {})};", "}"]
    return "\n".join(lines)


def _lerp(module: Module, type_: Type) -> str:
    """The function `(a, b, t: f32)` that mixes two values leaf by leaf."""
    module.use("lerp_f32")
    if type_ is FLOAT:
        return "lerp_f32"
    name, result = f"lerp_{kind(type_)}", module.types.name(type_)
    if isinstance(type_, Vec):
        inside = [f"lerp_f32(a.{axis}, b.{axis}, t)" for axis in "xyzw"[: type_.size]]
    else:
        assert isinstance(type_, Mat)
        inner = _lerp(module, Vec(type_.size))
        inside = [f"{inner}(a[{i}], b[{i}], t)" for i in range(type_.size)]
    text = f"fn {name}(a: {result}, b: {result}, t: f32) -> {result} {{\n  return {result}({', '.join(inside)});\n}}"
    return module.function(name, lambda: text)


# ---------------------------------------------------------------- failures


def failure(module: Module) -> str:
    """The function that notes that a read of an empty field was reached, for the first element that does.

    `failures` holds a word that says whether an invocation ran out of rounds, and then for each site of such a read
    the first element that failed there; an invocation counts at the first site that it reaches.
    """
    module.buffer("failures", "atomic")
    module.declare("failed", "var<private> failed: bool = false;")
    text = [
        "fn fail(site: u32) {",
        "  if (!failed) {",
        "    failed = true;",
        f"    atomicMin(&failures[{plus('site', 1)}], i32(element));",
        "  }",
        "}",
    ]
    return module.function("fail", lambda: "\n".join(text))


def round_counter(module: Module) -> str:
    """The function that counts a round of a loop and says whether the invocation may still run it."""
    module.buffer("failures", "atomic")
    module.declare("rounds", "var<private> rounds: u32 = 0u;")
    text = [
        "fn may_go_on() -> bool {",
        "  rounds += 1u;",
        f"  if (rounds > {module.traits.rounds}u) {{",
        "    atomicStore(&failures[0], 1);",
        "    return false;",
        "  }",
        "  return true;",
        "}",
    ]
    return module.function("may_go_on", lambda: "\n".join(text))
