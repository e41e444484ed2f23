"""Values of a block of elements ("lanes") as trees of NumPy arrays.

The tree mirrors the type.  Each group of scalars is one array with the lane axis first:

- `Bool`, `Int`, `Float`: `(n,)`; `VecK`: `(n, k)`; `MatK`: `(n, columns, rows)`.
- `[T; L]`: the tree of `T` with an axis of length L right behind the lane axis of every array.
- structs: the tuple of their fields; enums: `(tag, (fields of variant 0, fields of variant 1, …))`.

A value that all lanes share ("uniform") has a lane axis of length 1, and a uniform scalar is a plain NumPy
scalar of shape `()`, on which operators are ten times quicker than on arrays: scans run on them.  So code
here uses operators and methods that scalars have too, and asks `size == 1` where it wants to know.

Arrays of more than one axis lie in memory with the lane axis *fastest* (Fortran order): then a component is
contiguous, and a uniform or splatted operand costs nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import reduce
from typing import TypeAlias, cast

import numpy as np

from kcheck.checker import types
from kcheck.checker.ir import Const, LeafValue
from kcheck.checker.types import Array, Enum, Mat, Scalar, Struct, Type, Unit, Vec
from kcheck.runtime.layout import SCALAR_DTYPES, AnyArray

Value: TypeAlias = "AnyArray | tuple[Value, ...]"

_INT = np.dtype(np.int32)
_BOOL = np.dtype(np.bool_)


# ---------------------------------------------------------------- uniform scalars


def an_int(number: int) -> AnyArray:
    return cast(AnyArray, np.int32(number))


def a_bool(truth: bool) -> AnyArray:
    return cast(AnyArray, np.bool_(truth))


def a_float(number: float) -> AnyArray:
    return cast(AnyArray, np.float32(number))


# ---------------------------------------------------------------- trees


def map_leaves(change: Callable[[AnyArray], AnyArray], value: Value) -> Value:
    """The tree with every array changed."""
    if isinstance(value, tuple):
        return tuple([map_leaves(change, part) for part in value])
    return change(value)


def map_pairs(change: Callable[[AnyArray, AnyArray], AnyArray], left: Value, right: Value) -> Value:
    """As `map_leaves`, over two trees of one type."""
    if isinstance(left, tuple):
        return tuple([map_pairs(change, a, b) for a, b in zip(left, cast(tuple[Value, ...], right), strict=True)])
    return change(left, cast(AnyArray, right))


def leaf_arrays(value: Value) -> Iterator[AnyArray]:
    """The arrays of a tree, in the order of the type."""
    if isinstance(value, tuple):
        for part in value:
            yield from leaf_arrays(part)
    else:
        yield value


def width(leaf: AnyArray) -> int:
    """The length of the lane axis; 1 for a NumPy scalar."""
    return leaf.shape[0] if leaf.ndim else 1


def expand(mask: AnyArray, ndim: int) -> AnyArray:
    """A scalar per lane, shaped to meet leaves of `ndim` axes."""
    return mask.reshape(mask.shape + (1,) * (ndim - 1)) if mask.ndim and ndim > 1 else mask


def tidy(leaf: AnyArray) -> AnyArray:
    """The same leaf in the form that this module promises: lane axis fastest, one scalar without axes."""
    if leaf.ndim > 1:
        return np.asfortranarray(leaf)
    return leaf[0] if leaf.shape == (1,) else leaf


def spread(leaf: AnyArray, count: int) -> AnyArray:
    """A writable copy with `count` lanes."""
    return np.array(np.broadcast_to(leaf, (count, *leaf.shape[1:])), order="F")


# ---------------------------------------------------------------- choosing between values


def pick(mask: AnyArray, chosen: AnyArray, other: AnyArray) -> AnyArray:
    """`chosen` where `mask` holds, else `other`; the three broadcast.

    By bits, because `np.where` branches on every element and costs five times as much on mixed masks.
    """
    if chosen.dtype == _BOOL:
        return (chosen & mask) | (other & ~mask)
    bits = -mask.astype(_INT)
    base = other.view(_INT)
    return ((chosen.view(_INT) ^ base) & bits ^ base).view(chosen.dtype)


def select(mask: AnyArray, chosen: Value, other: Value) -> Value:
    """`chosen` in the lanes where `mask` (`(n,)` or uniform) holds, else `other`."""
    if mask.size == 1:
        return chosen if mask else other

    def leaf(a: AnyArray, b: AnyArray) -> AnyArray:
        return a if a is b else pick(expand(mask, max(a.ndim, b.ndim)), a, b)

    return map_pairs(leaf, chosen, other)


def equal(left: Value, right: Value) -> AnyArray:
    """Bool per lane: whether all scalars are equal, Floats as numbers."""
    if not isinstance(left, tuple):
        return _all_parts(left == right)
    parts = zip(left, cast(tuple[Value, ...], right), strict=True)
    return reduce(lambda same, pair: same & equal(*pair), parts, a_bool(True))


def _all_parts(same: AnyArray) -> AnyArray:
    return tidy(np.all(same, axis=tuple(range(1, same.ndim)))) if same.ndim > 1 else same


# ---------------------------------------------------------------- moving lanes


def cut(value: Value, first: int, end: int, step: int = 1) -> Value:
    """Views of the lanes from `first` on before `end`; none of the leaves is uniform."""
    return map_leaves(lambda leaf: leaf[first:end:step], value)


def take_lanes(value: Value, lanes: AnyArray) -> Value:
    """The lanes with these positions; uniform values stay as they are."""
    return map_leaves(lambda leaf: take_leaf(leaf, lanes), value)


def take_leaf(leaf: AnyArray, lanes: AnyArray) -> AnyArray:
    # Transposed, the lane axis is the last and the result is contiguous again.
    return leaf if width(leaf) == 1 else np.take(leaf.T, lanes, axis=-1).T


def put_lanes(value: Value, count: int, lanes: AnyArray, part: Value) -> Value:
    """`value` with `count` lanes, those at the positions `lanes` replaced by the lanes of `part`."""

    def leaf(old: AnyArray, new: AnyArray) -> AnyArray:
        result = spread(old, count)
        result[lanes] = new
        return result

    return map_pairs(leaf, value, part)


def widened(value: Value, count: int) -> Value:
    """The value with a lane axis of `count` in every leaf (read-only where it was uniform)."""
    return map_leaves(lambda leaf: wide_leaf(leaf, count), value)


def wide_leaf(leaf: AnyArray, count: int) -> AnyArray:
    # Not `broadcast_to` in any case: NumPy is slower on the views that it makes.
    return leaf if leaf.shape[:1] == (count,) else np.broadcast_to(leaf, (count, *leaf.shape[1:]))


def append_lanes(parts: Sequence[Value]) -> Value:
    """The lanes of several values, none of whose leaves is a NumPy scalar, one after the other."""
    first = parts[0]
    if isinstance(first, tuple):
        rows = [cast(tuple[Value, ...], p) for p in parts]
        return tuple([append_lanes([row[i] for row in rows]) for i in range(len(first))])
    # Transposed, so that the lane axis stays the fastest.
    return np.concatenate([cast(AnyArray, p).T for p in parts], axis=-1).T


# ---------------------------------------------------------------- parts of values


def component(vector: AnyArray, index: int) -> AnyArray:
    """One component of a vector, as a scalar per lane."""
    return vector[0, index] if vector.shape[0] == 1 else vector[:, index]


def element(value: Value, index: AnyArray, length: int) -> Value:
    """The part at `index` (Int per lane, clamped to the ends) of an array, vector or matrix."""
    if index.size == 1:
        position = min(max(index.item(), 0), length - 1)
        return map_leaves(lambda leaf: tidy(leaf[:, position]), value)
    positions = np.minimum(np.maximum(index, 0), length - 1)
    lanes = np.arange(positions.shape[0])

    def leaf(array: AnyArray) -> AnyArray:
        if array.shape[0] == 1:
            return tidy(np.take(array[0], positions, axis=0))
        return tidy(array[lanes, positions])

    return map_leaves(leaf, value)


def concatenate(parts: Sequence[AnyArray], size: int) -> AnyArray:
    """A vector from Floats `(n,)` and vectors `(n, k)` that follow one another."""
    result = np.empty((max(width(p) for p in parts), size), np.float32, order="F")
    start = 0
    for part in parts:
        if part.ndim < 2:
            result[:, start] = part
            start += 1
        else:
            result[:, start : start + part.shape[1]] = part
            start += part.shape[1]
    return result


def stack(parts: Sequence[Value]) -> Value:
    """An array (or a matrix) from its elements (columns): a new axis behind the lane axis of every leaf."""
    first = parts[0]
    if isinstance(first, tuple):
        rows = [cast(tuple[Value, ...], p) for p in parts]
        return tuple([stack([row[i] for row in rows]) for i in range(len(first))])
    return stack_leaves([cast(AnyArray, p) for p in parts])


def stack_leaves(leaves: Sequence[AnyArray]) -> AnyArray:
    first = leaves[0]
    shape = (max(width(leaf) for leaf in leaves), len(leaves), *first.shape[1:])
    result = np.empty(shape, first.dtype, order="F")
    for i, leaf in enumerate(leaves):
        result[:, i] = leaf
    return result


def splat(value: Value, shape: tuple[int, ...]) -> Value:
    """A value repeated along new axes of these lengths behind the lane axis of every leaf."""

    def leaf(array: AnyArray) -> AnyArray:
        inner = array.shape[1:]
        result = np.empty((width(array), *shape, *inner), array.dtype, order="F")
        result[...] = array.reshape(width(array), *(1 for _ in shape), *inner)
        return result

    return map_leaves(leaf, value)


# ---------------------------------------------------------------- constants and storage


def constant(node: Const) -> Value:
    """The uniform value of a constant."""
    return _from_leaves(node.type, iter(node.leaves))


def zero(type_: Type) -> Value:
    """The uniform value of a type in which every bit is zero."""
    return _from_leaves(type_, iter([0] * types.leaf_count(type_)))


def _from_leaves(type_: Type, leaves: Iterator[LeafValue]) -> Value:
    match type_:
        case Scalar():
            return _scalar(type_, next(leaves))
        case Vec():
            return concatenate([_scalar(types.FLOAT, next(leaves)) for _ in range(type_.size)], type_.size)
        case Mat() | Array():
            return stack([_from_leaves(part, leaves) for part in types.parts(type_)])
        case Struct():
            return tuple([_from_leaves(f.type, leaves) for f in type_.fields])
        case Enum():
            tag = _scalar(types.INT, next(leaves))
            return tag, tuple([tuple([_from_leaves(f.type, leaves) for f in v.fields]) for v in type_.variants])
        case Unit():
            raise TypeError("no value has this type")


def _scalar(kind: Scalar, leaf: LeafValue) -> AnyArray:
    value = np.uint32(leaf).view(np.float32) if kind is types.FLOAT else SCALAR_DTYPES[kind].type(leaf)
    return cast(AnyArray, value)


def views(type_: Type, data: AnyArray) -> Value:
    """The tree of views on an array in the layout of `runtime.layout`, whose first axis is the lanes."""
    match type_:
        case Array():
            return views(type_.element, data)
        case Struct():
            return tuple([views(f.type, data[f.name]) for f in type_.fields])
        case Enum():
            variants = [tuple([views(f.type, data[v.name][f.name]) for f in v.fields]) for v in type_.variants]
            return data["tag"], tuple(variants)
        case _:
            return data


def store(target: Value, where: slice | int, value: Value) -> None:
    """Write lanes into a tree of views."""
    if isinstance(target, tuple):
        for place, part in zip(target, cast(tuple[Value, ...], value), strict=True):
            store(place, where, part)
    else:
        _store_leaf(target, where, cast(AnyArray, value))


_FEW = 16


def _store_leaf(target: AnyArray, where: slice | int, leaf: AnyArray) -> None:
    if target.ndim == 2 and target.shape[1] <= _FEW and leaf.shape[0] > 1:
        # Component by component: copying across memory orders at once is five times slower.
        for i in range(target.shape[1]):
            target[where, i] = leaf[:, i]
    else:
        target[where] = leaf
