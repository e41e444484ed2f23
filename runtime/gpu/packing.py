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


def param_words(program: ir.Program, params: Mapping[str, AnyArray]) -> bytes:
    """The words of all params, one after the other."""
    return b"".join(_param_words(param.type, params[param.name]) for param in program.params)


def _param_words(type_: Type, value: AnyArray) -> bytes:
    return pack(type_, value[None], 1).tobytes() if contains(type_, BOOL) else value.tobytes()
