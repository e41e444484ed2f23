"""Vectors and matrices of Floats, in the order of operations that the language fixes.

A vector is a tuple of doubles that hold binary32 numbers, a matrix a tuple of its columns.
"""

from __future__ import annotations

from functools import reduce
from typing import TypeAlias

from kcheck.checker.arithmetic import add, divide, multiply, single, square_root, subtract

Vector: TypeAlias = tuple[float, ...]
Matrix: TypeAlias = tuple[Vector, ...]


def dot(a: Vector, b: Vector) -> float:
    """`(a.x * b.x + a.y * b.y) + a.z * b.z` and so on."""
    return reduce(add, map(multiply, a, b))


def cross(a: Vector, b: Vector) -> Vector:
    def component(i: int, j: int) -> float:
        return subtract(multiply(a[i], b[j]), multiply(a[j], b[i]))

    return component(1, 2), component(2, 0), component(0, 1)


def length(a: Vector) -> float:
    return square_root(dot(a, a))


def distance(a: Vector, b: Vector) -> float:
    return length(_minus(a, b))


def normalize(a: Vector) -> Vector:
    size = length(a)
    return tuple(divide(x, size) for x in a)


def reflect(incident: Vector, normal: Vector) -> Vector:
    """`i - n * (2 * dot(n, i))`"""
    return _minus(incident, _scaled(normal, multiply(2.0, dot(normal, incident))))


def refract(incident: Vector, normal: Vector, eta: float) -> Vector:
    """`i * eta - n * (eta * d + sqrt(k))` with d = dot(n, i) and k = 1 - (eta * eta) * (1 - d * d).

    Zero where k < 0: total reflection.
    """
    d = dot(normal, incident)
    k = subtract(1.0, multiply(multiply(eta, eta), subtract(1.0, multiply(d, d))))
    if k < 0.0:
        return (0.0,) * len(incident)
    along = add(multiply(eta, d), square_root(k))
    return _minus(_scaled(incident, eta), _scaled(normal, along))


def luma(colour: Vector) -> float:
    """Rec. 709, of the first three components."""
    return dot(tuple(map(single, (0.2126, 0.7152, 0.0722))), colour[:3])


def transpose(m: Matrix) -> Matrix:
    return tuple(zip(*m, strict=True))


def times_vector(m: Matrix, v: Vector) -> Vector:
    return tuple(dot(row, v) for row in transpose(m))


def times_matrix(a: Matrix, b: Matrix) -> Matrix:
    return tuple(times_vector(a, column) for column in b)


def determinant(m: Matrix) -> float:
    """Expanded along the first column, signs alternating, from the first row on."""
    if len(m) == 1:
        return m[0][0]
    total = multiply(m[0][0], _minor(m, 0, 0))
    for row in range(1, len(m)):
        term = multiply(m[0][row], _minor(m, 0, row))
        total = subtract(total, term) if row % 2 else add(total, term)
    return total


def inverse(m: Matrix) -> Matrix:
    """The adjugate over the determinant."""
    whole = determinant(m)
    places = range(len(m))
    return tuple(tuple(divide(_cofactor(m, row, column), whole) for row in places) for column in places)


def _cofactor(m: Matrix, column: int, row: int) -> float:
    minor = _minor(m, column, row)
    return -minor if (column + row) % 2 else minor


def _minor(m: Matrix, column: int, row: int) -> float:
    """The determinant without one column and one row."""
    rest = (c for i, c in enumerate(m) if i != column)
    return determinant(tuple(c[:row] + c[row + 1 :] for c in rest))


def _minus(a: Vector, b: Vector) -> Vector:
    return tuple(map(subtract, a, b))


def _scaled(a: Vector, factor: float) -> Vector:
    return tuple(multiply(x, factor) for x in a)
