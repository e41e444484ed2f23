"""Fields as words: in buffers every scalar of an element takes one word (u32), a Bool too."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from kcheck.checker import ir
from kcheck.checker.types import BOOL, Type, contains, leaf_count
from kcheck.runtime.layout import AnyArray, base_dtype, inner_shape
from kcheck.runtime.values.leaves import leaf_views

Words = npt.NDArray[np.uint32]


def pack(type_: Type, data: AnyArray, count: int) -> Words:
    """The words of `count` elements in the layout of `runtime.layout`; no copy where they lie so already."""
    words = leaf_count(type_)
    if not words:
        return np.zeros(0, np.uint32)
    if not contains(type_, BOOL):
        return np.ascontiguousarray(data).reshape(-1).view(np.uint32)
    rows = data.reshape((count, *inner_shape(type_)))
    packed = np.empty((count, words), np.uint32)
    for i, (leaf, view) in enumerate(leaf_views(type_, rows, 1)):
        packed[:, i] = view if leaf.scalar is BOOL else view.view(np.uint32)
    return packed.reshape(-1)


def unpack(type_: Type, words: Words, shape: tuple[int, ...]) -> AnyArray:
    """The elements of a field of this shape; the array may be `words` itself."""
    whole = shape + inner_shape(type_)
    count = leaf_count(type_)
    if not count:
        return np.zeros(whole, base_dtype(type_))
    if not contains(type_, BOOL):
        return words.view(base_dtype(type_)).reshape(whole)
    rows = words.reshape(-1, count)
    data = np.zeros((math.prod(shape), *inner_shape(type_)), base_dtype(type_))
    for i, (leaf, view) in enumerate(leaf_views(type_, data, 1)):
        view[...] = rows[:, i] if leaf.scalar is BOOL else rows[:, i].view(view.dtype)
    return data.reshape(whole)


def pack_params(program: ir.Program, params: Mapping[str, AnyArray]) -> Words:
    """The words of all params, one after the other."""
    return np.concatenate([pack(param.type, params[param.name][None], 1) for param in program.params])
