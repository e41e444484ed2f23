"""The generators: `zeros(size)`, `range(n)`, `random(size, seed=s)`."""

from __future__ import annotations

import math

import numpy as np

from kcheck.checker import rules
from kcheck.checker.bindings import Generated
from kcheck.checker.types import BOOL, FLOAT, INT, contains, leaf_count
from kcheck.runtime.layout import AnyArray, base_dtype, inner_shape
from kcheck.runtime.values.sizes import allocate, check_limits, shape_of_size
from kcheck.runtime.values.slot import Shape, Slot

KINDS = ("zeros", "range", "random")

_BLOCK = 1 << 20
"""So many random leaves are made at a time, to need little memory beside the result."""


def generate(slot: Slot, generated: Generated) -> AnyArray:
    """The array that a generator makes for a slot; refused before anything is allocated."""
    shape = shape_of_size(slot, generated.size)
    check_limits(slot, shape)
    match generated.kind:
        case "zeros":
            return allocate(slot, shape)
        case "range":
            return _range(slot, shape)
        case "random":
            return _random(slot, shape, generated.seed)
        case kind:
            raise slot.error(rules.VALUE_DOES_NOT_FIT, f"there is no generator `{kind}`; there are {', '.join(KINDS)}")


def _range(slot: Slot, shape: Shape) -> AnyArray:
    if slot.rank != 1 or slot.element not in (INT, FLOAT):
        raise slot.error(rules.VALUE_DOES_NOT_FIT, "range(n) makes Rows<Int> or Rows<Float>")
    array = allocate(slot, shape)
    array[:] = np.arange(shape[0], dtype=np.int32)
    return array


def _random(slot: Slot, shape: Shape, seed: int) -> AnyArray:
    """Leaf i, counted over elements and then their leaves, is the language's `random(hash(seed) + i)`."""
    if contains(slot.element, INT) or contains(slot.element, BOOL):
        raise slot.error(rules.VALUE_DOES_NOT_FIT, "random(…) makes Floats, and this type holds others too")
    total = math.prod(shape) * leaf_count(slot.element)
    flat = allocate(slot, shape).reshape(-1).view(np.float32)
    start = hash_bits(np.array([seed & 0xFFFFFFFF], np.uint32))
    for low in range(0, total, _BLOCK):
        leaves = np.arange(low, min(low + _BLOCK, total), dtype=np.int64).astype(np.uint32)
        flat[low : low + len(leaves)] = random_floats(start + leaves)
    return flat.view(base_dtype(slot.element)).reshape(shape + inner_shape(slot.element))


def hash_bits(values: AnyArray) -> AnyArray:
    """The language's `hash`, on Ints given as their unsigned bits."""
    state = values * np.uint32(747796405) + np.uint32(2891336453)
    word = ((state >> ((state >> np.uint32(28)) + np.uint32(4))) ^ state) * np.uint32(277803737)
    hashed: AnyArray = (word >> np.uint32(22)) ^ word
    return hashed


def random_floats(values: AnyArray) -> AnyArray:
    """The language's `random`, on Ints given as their unsigned bits."""
    floats: AnyArray = (hash_bits(values) >> np.uint32(8)).astype(np.float32) * np.float32(2.0**-24)
    return floats
