"""Generators: sizes are checked before memory is asked for, and random numbers are the language's."""

import numpy as np
import pytest

from kcheck.checker.bindings import Generated
from kcheck.checker.types import BOOL, FLOAT, INT, Array, Mat, Type, Vec
from kcheck.runtime.errors import RunError
from kcheck.runtime.values.generators import generate, hash_bits, random_floats
from tests.runtime.slots import PARTICLE, SHAPE, Refusal, slot


def hash_of(i: int) -> int:
    """The contract's hash in Python's own integers, as an unsigned number."""
    s = (i * 747796405 + 2891336453) % 2**32
    w = ((s >> ((s >> 28) + 4)) ^ s) * 277803737 % 2**32
    return (w >> 22) ^ w


def test_hash_has_the_values_of_the_contract() -> None:
    assert hash_of(0) == 129708002
    assert hash_of(1) == -1463883204 % 2**32
    numbers = [0, 1, 2, 12345, 2**31, 2**32 - 1]
    assert hash_bits(np.array(numbers, np.uint32)).tolist() == [hash_of(i) for i in numbers]


def test_random_floats_are_24_bits_of_the_hash() -> None:
    assert random_floats(np.array([0, 7], np.uint32)).tolist() == [(hash_of(i) >> 8) / 2**24 for i in (0, 7)]


@pytest.mark.parametrize("seed", [0, 1, -1, 2**31])
def test_random_counts_leaves_over_elements(seed: int) -> None:
    array = generate(slot(2, Vec(3)), Generated("random", (4, 2), seed))
    assert array.shape == (2, 4, 3)
    expected = [(hash_of((hash_of(seed % 2**32) + i) % 2**32) >> 8) / 2**24 for i in range(24)]
    assert array.reshape(-1).tolist() == expected


def test_random_is_the_same_in_blocks() -> None:
    count = (1 << 20) + 3
    array = generate(slot(1, FLOAT), Generated("random", (count,), 5))
    last = (hash_of((hash_of(5) + count - 1) % 2**32) >> 8) / 2**24
    assert array[-1] == np.float32(last)


def test_random_matrices() -> None:
    assert generate(slot(1, Mat(2)), Generated("random", (3,), 0)).shape == (3, 2, 2)


@pytest.mark.parametrize("element", [INT, BOOL, PARTICLE, SHAPE])
def test_random_makes_floats_only(element: Type) -> None:
    assert refused(1, element, Generated("random", (3,))).code == "K703"


def test_range_counts_from_zero() -> None:
    assert generate(slot(1, INT), Generated("range", (4,))).tolist() == [0, 1, 2, 3]
    floats = generate(slot(1, FLOAT), Generated("range", (3,)))
    assert floats.dtype == np.float32
    assert floats.tolist() == [0.0, 1.0, 2.0]


@pytest.mark.parametrize(("rank", "element", "size"), [(1, BOOL, (3,)), (1, Vec(2), (3,)), (2, INT, (3, 3))])
def test_range_makes_rows_of_numbers_only(rank: int, element: Type, size: tuple[int, ...]) -> None:
    assert refused(rank, element, Generated("range", size)).code == "K703"


def test_zeros_of_anything() -> None:
    grid = generate(slot(2, SHAPE), Generated("zeros", (3, 2)))
    assert grid.shape == (2, 3)
    assert not grid.tobytes().strip(b"\0")


@pytest.mark.parametrize(("rank", "size"), [(1, (2, 2)), (2, (4,)), (2, (1, 2, 3)), (1, (-1,)), (0, (1,))])
def test_sizes_that_do_not_fit(rank: int, size: tuple[int, ...]) -> None:
    assert refused(rank, FLOAT, Generated("zeros", size)).code == "K704"


@pytest.mark.parametrize("kind", ["zeros", "random", "range"])
@pytest.mark.parametrize(
    ("rank", "size"), [(1, (2**31,)), (1, (10**18,)), (2, (2**24 + 1, 1)), (3, (2**12, 2**12, 2**12))]
)
def test_huge_sizes_are_refused_at_once(kind: str, rank: int, size: tuple[int, ...]) -> None:
    assert refused(rank, FLOAT, Generated(kind, size)).code == "K713"


def refused(rank: int, element: Type, generated: Generated) -> Refusal:
    with pytest.raises(RunError) as info:
        generate(slot(rank, element), generated)
    return Refusal(info)


def test_what_the_machine_has_no_room_for() -> None:
    refusal = refused(1, Array(Mat(4), 1 << 12), Generated("zeros", (2**31 - 1,)))
    assert refusal.code == "K713"
    assert "more than the machine has" in refusal.message
