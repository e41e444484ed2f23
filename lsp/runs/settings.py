"""The params of a run, for sliders."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kcheck.checker import types
from kcheck.checker.bindings import BoundValue
from kcheck.checker.ir import Const, ParamDecl, Program
from kcheck.checker.types import Type
from kcheck.lsp.runs.order import as_written
from kcheck.lsp.runs.results import Setting
from kcheck.runtime.binding import constant
from kcheck.runtime.fields import field_of
from kcheck.runtime.layout import AnyArray
from kcheck.runtime.values.incoming import take
from kcheck.runtime.values.plain import elements
from kcheck.runtime.values.reading import Reading
from kcheck.runtime.values.slot import param_slot


def settings(program: Program, values: Mapping[str, BoundValue], reading: Reading) -> tuple[Setting, ...]:
    """Every param with the value that it had in a run on `values`."""
    return tuple(_setting(param, values, reading) for param in as_written(program.params))


def _setting(param: ParamDecl, values: Mapping[str, BoundValue], reading: Reading) -> Setting:
    default, low, high = (_constant(one) for one in (param.default, param.low, param.high))
    value = default
    if param.name in values:
        value = _plain(param.type, take(param_slot(param), values[param.name], reading))
    return Setting(param.name, str(param.type), value, default, low, high)


def _constant(const: Const | None) -> Any:
    return None if const is None else _plain(const.type, constant(const))


def _plain(type_: Type, array: AnyArray) -> Any:
    return elements(field_of(types.Field(1, type_), array[None]))[0]
