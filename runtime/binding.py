"""From a program and values to a launch: what can be wrong with a run before it starts is refused here.

Values are never clamped, truncated or guessed; each refusal (K7) names the port or param, what it got and
what it needs, and points at its declaration.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

import numpy as np

from kcheck.checker import floats, ir, rules
from kcheck.checker.ir import Const, LeafValue, ParamDecl, Program
from kcheck.checker.near import did_you_mean
from kcheck.checker.rules.rule import Rule
from kcheck.checker.types import Leaf, Scalar
from kcheck.runtime.backend import Launch
from kcheck.runtime.errors import RunError
from kcheck.runtime.fields import Field
from kcheck.runtime.layout import AnyArray, inner_shape, zeros
from kcheck.runtime.values.incoming import Value, take, take_field
from kcheck.runtime.values.leaves import leaf_name, leaf_views
from kcheck.runtime.values.literals import shown
from kcheck.runtime.values.reading import Reading
from kcheck.runtime.values.sizes import check_limits, shape_of_size, shape_text
from kcheck.runtime.values.slot import Shape, Slot, param_slot, port_slot


def bind(
    program: Program,
    values: Mapping[str, Value],
    domain: Sequence[int] | None = None,
    reading: Reading | None = None,
    *,
    fast: bool = False,
) -> Launch:
    """The launch of `program` on `values`, which holds inputs, memories and params by name.

    `domain` is x first: (n), (w, h) or (w, h, d); `fast` is the launch's.  Raises `RunError`.
    """
    reading = reading or Reading()
    _check_names(program, values)
    params = {param.name: _param(param, values, reading) for param in program.params}
    inputs = {port.name: _field("input", port, values, reading) for port in program.inputs}
    memories = {port.name: _field("memory", port, values, reading) for port in program.memories}
    return Launch(program, inputs, memories, params, _domain(program, inputs, domain), fast)


def _check_names(program: Program, values: Mapping[str, Value]) -> None:
    known = [port.name for port in (*program.inputs, *program.memories)]
    known += [param.name for param in program.params]
    outputs = {port.name for port in program.outputs}
    for name in values:
        if name in outputs and name not in known:
            raise _refused(program, rules.UNKNOWN_PORT, f"`{name}` is an output of {program.name}; it takes no value")
        if name not in known:
            takes = f"it takes {', '.join(f'`{k}`' for k in known)}" if known else "it takes no values"
            problem = f"{program.name} has no input, memory or param `{name}`"
            raise _refused(program, rules.UNKNOWN_PORT, f"{problem}{did_you_mean(name, known) or f'; {takes}'}")


def _refused(program: Program, rule: Rule, problem: str) -> RunError:
    return RunError(rule.report(program.origin, problem))


def _field(kind: str, port: ir.PortDecl, values: Mapping[str, Value], reading: Reading) -> Field:
    slot = port_slot(kind, port)
    if port.name not in values:
        raise slot.error(rules.MISSING_VALUE, "nothing is bound to it")
    return take_field(slot, values[port.name], reading)


# ---------------------------------------------------------------- params


def _param(param: ParamDecl, values: Mapping[str, Value], reading: Reading) -> AnyArray:
    slot = param_slot(param)
    if param.name not in values:
        if param.default is None:
            raise slot.error(rules.MISSING_VALUE, "has no default and is not set")
        return constant(param.default)
    array = take(slot, values[param.name], reading)
    _check_range(param, slot, array)
    return array


@lru_cache(maxsize=1024)
def constant(const: Const) -> AnyArray:
    """A constant as an array, for reading only, of its type's `inner_shape` and `base_dtype`."""
    one = zeros(const.type, (1,))  # with an axis, for a leaf without axes has no view
    for (leaf, view), value in zip(leaf_views(const.type, one, 1), const.leaves, strict=True):
        view[0] = number(leaf, value)
    one.flags.writeable = False
    return one.reshape(inner_shape(const.type))


def number(leaf: Leaf, value: LeafValue) -> float | int | bool:
    """A constant's leaf as a Python number."""
    return floats.to_float(value) if leaf.scalar is Scalar.FLOAT else value


def _check_range(param: ParamDecl, slot: Slot, array: AnyArray) -> None:
    """K705 unless every leaf lies in the closed range; NaN lies in none."""
    for i, (leaf, view) in enumerate(leaf_views(param.type, array, 0)):
        value = view.item()
        low, high = (None if end is None else number(leaf, end.leaves[i]) for end in (param.low, param.high))
        below = low is not None and not low <= value
        above = high is not None and not value <= high
        if below or above:
            name = f"{param.name}{_suffix(param, leaf)}"
            raise slot.error(
                rules.OUT_OF_RANGE, f"`{name}` is {_text(leaf, value)}, needs {_range_text(leaf, low, high)}"
            )


def _suffix(param: ParamDecl, leaf: Leaf) -> str:
    name = leaf_name(param.type, leaf.path)
    return name if not name or name.startswith("[") else f".{name}"


def _range_text(leaf: Leaf, low: float | None, high: float | None) -> str:
    if low is None or high is None:
        return f"at most {_text(leaf, high)}" if low is None else f"at least {_text(leaf, low)}"
    return f"{_text(leaf, low)} to {_text(leaf, high)}"


def _text(leaf: Leaf, value: float | None) -> str:
    """A number with the digits of its type."""
    short = leaf.scalar is Scalar.FLOAT and value is not None and math.isfinite(value)
    return shown(float(str(np.float32(value)))) if short else shown(value)


# ---------------------------------------------------------------- the domain


def _domain(program: Program, inputs: Mapping[str, Field], stated: Sequence[int] | None) -> Shape:
    match program.schedule:
        case ir.Elements() | ir.Lanes():
            return _map_domain(program, inputs, stated)
        case walk:
            return _walked_domain(program, walk, inputs, stated)


def _map_domain(program: Program, inputs: Mapping[str, Field], stated: Sequence[int] | None) -> Shape:
    """What the caller says, else the one shape of the inputs that are sampled at the run's own place."""
    if stated is None:
        first = next(iter(_sampled(program)), None)
        if first is None:
            sizes = {1: "(n)", 2: "(w, h)", 3: "(w, h, d)"}[program.rank]
            problem = f"{program.name} needs a domain {sizes}: it samples no input whose shape could give one"
            raise _refused(program, rules.NO_DOMAIN, problem)
        shape, source = inputs[first.name].shape, f"input `{first.name}`"
    else:
        shape, source = _stated_shape(program, stated), "the domain"
    _check_sampled(program, inputs, shape, source)
    return shape


def _stated_shape(program: Program, stated: Sequence[int]) -> Shape:
    """The shape of a domain that the caller states, as its outputs will have it."""
    shape: Shape = ()
    for output in program.outputs:
        slot = port_slot("output", output)
        shape = shape_of_size(slot, stated)
        check_limits(slot, shape)
    return shape


def _walked_domain(
    program: Program,
    walk: ir.Fold | ir.OrderedWalk | ir.CombineByAddress | ir.RunningCombine,
    inputs: Mapping[str, Field],
    stated: Sequence[int] | None,
) -> Shape:
    """The shape of the input that is walked."""
    if stated is not None:
        problem = f"{program.name} walks its input `{walk.over}` and takes no domain"
        raise _refused(program, rules.DOMAIN_NOT_ALLOWED, problem)
    shape = inputs[walk.over].shape
    if isinstance(walk, ir.Fold) and math.prod(shape) == 0:
        slot = next(port_slot("input", port) for port in program.inputs if port.name == walk.over)
        raise slot.error(rules.EMPTY_FOLD, f"has {shape_text(shape)}; a fold needs at least one")
    _check_sampled(program, inputs, shape, f"input `{walk.over}`")
    return shape


def _sampled(program: Program) -> Iterator[ir.PortDecl]:
    return (port for port in program.inputs if port.name in program.sampled)


def _check_sampled(program: Program, inputs: Mapping[str, Field], shape: Shape, source: str) -> None:
    """K704 where an input that is sampled at the run's own place has no element there."""
    for port in _sampled(program):
        got = inputs[port.name].shape
        if got != shape:
            slot = port_slot("input", port)
            problem = f"has {shape_text(got)}, but {source} has {shape_text(shape)}"
            note = f"`sample({port.name})` reads the element at each run's own place, so both need one shape"
            raise slot.error(rules.SHAPE_MISMATCH, problem, note)
