"""The interpreter's own composite built-ins have the bits of the prelude's text."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from kcheck.checker import ir
from kcheck.checker.builtins import ANY, CONTRACTS, Builtin
from kcheck.checker.prelude import COMPOSITE_BUILTINS, expand_prelude
from kcheck.checker.types import INT, Type
from kcheck.runtime.layout import AnyArray, base_dtype, inner_shape
from tests.checker.build import call, function, program
from tests.interpreter.build import INTERPRETER, local

EDGES = np.array([0.0, -0.0, 1.0, -1.0, 0.5, 2.0, 3e38, -3e38, 1e-40, np.inf, -np.inf, np.nan], np.float32)
COUNT = 400


def signatures() -> list[tuple[Builtin, tuple[Type, ...]]]:
    found = []
    for builtin in sorted(COMPOSITE_BUILTINS, key=lambda b: b.value):
        for overload in CONTRACTS[builtin].overloads:
            for choice in overload.choices or (INT,):
                types = tuple(choice if p == "T" else p for p in overload.parameters)
                assert ANY not in types
                found.append((builtin, types))
    return found


def values(type_: Type, seed: int) -> AnyArray:
    """Numbers of middling size, with edges among them."""
    rng = np.random.default_rng(seed)
    shape = (COUNT, *inner_shape(type_))
    if base_dtype(type_) == np.int32:
        return rng.integers(-(2**31), 2**31, shape).astype(np.int32)
    numbers = (rng.standard_normal(shape) * 3).astype(np.float32)
    return np.where(rng.random(shape) < 0.15, rng.choice(EDGES, shape), numbers)


def bits(array: AnyArray) -> AnyArray:
    """The bits, all NaNs alike."""
    return np.where(np.isnan(array), np.int32(0x7FC00000), array.view(np.int32))


SIGNATURES = signatures()


@pytest.mark.parametrize(("builtin", "types"), SIGNATURES, ids=[f"{b.value} {t[0]}" for b, t in SIGNATURES])
def test_composite_has_the_bits_of_its_text(builtin: Builtin, types: tuple[Type, ...]) -> None:
    node = call(builtin, *itertools.starmap(local, enumerate(types)))
    made = program(
        ir.Elements(element=0),
        function(ir.Return(value=node), takes=types, result=node.type),
        result=node.type,
    )
    expanded = expand_prelude(made)
    assert isinstance(expanded.schedule, ir.Elements)
    args = [values(type_, seed) for seed, type_ in enumerate(types)]
    own = INTERPRETER.call(made, 0, args, {})
    text = INTERPRETER.call(expanded, expanded.schedule.element, args, {})
    np.testing.assert_array_equal(bits(own), bits(text))
