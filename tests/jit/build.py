"""Running programs on the JIT and the interpreter, and comparing what comes out bit by bit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from kcheck.checker import ir
from kcheck.runtime.backend import Launch
from kcheck.runtime.binding import bind
from kcheck.runtime.jit import Jit
from kcheck.runtime.layout import AnyArray
from kcheck.runtime.values.leaves import leaf_views
from tests.interpreter.build import INTERPRETER, compiled, kernel

__all__ = ["JIT", "assert_same", "compiled", "kernel", "launch_of", "run"]

JIT = Jit(threads=2)


def launch_of(source: str, values: Mapping[str, Any], domain: Sequence[int] | None = None) -> Launch:
    return bind(compiled(source), values, domain)


def run(source: str, values: Mapping[str, Any], domain: Sequence[int] | None = None, jit: Jit = JIT) -> AnyArray:
    """The output `result` of a kernel."""
    return jit.run(launch_of(source, values, domain)).outputs["result"].data


def assert_same(launch: Launch, jit: Jit = JIT) -> None:
    """Both backends give the same bits, but for those of NaNs."""
    got, wanted = jit.run(launch), INTERPRETER.run(launch)
    ports = (*launch.program.outputs, *launch.program.memories)
    for port in ports:
        for leaf, bits in _bits(port, got).items():
            np.testing.assert_array_equal(bits, _bits(port, wanted)[leaf], err_msg=f"{port.name} {leaf}")


def _bits(port: ir.PortDecl, outcome: Any) -> dict[object, AnyArray]:
    field = outcome.outputs.get(port.name) or outcome.memories[port.name]
    return {
        leaf.path: _comparable(np.ascontiguousarray(view))
        for leaf, view in leaf_views(port.type.element, field.data, port.type.rank)
    }


def _comparable(array: AnyArray) -> AnyArray:
    if array.dtype != np.float32:
        return array
    bits = array.view(np.int32)
    return np.where(np.isnan(array), np.int32(0x7FC00000), bits)
