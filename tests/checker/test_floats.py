"""binary32 numbers as bits: decimal literals, doubles, halves to even."""

import math
import random
from fractions import Fraction

import pytest

from kcheck.checker import floats
from kcheck.checker.floats import INFINITY, NAN, SIGN_BIT, bits_of, from_float, to_float

ONE = 0x3F800000
MIN_SUBNORMAL = 0x00000001
MAX_FINITE = 0x7F7FFFFF


@pytest.mark.parametrize(
    ("text", "bits"),
    [
        ("0.0", 0),
        ("-0.0", SIGN_BIT),
        ("0e999999999999999999", 0),
        ("1", ONE),
        ("1.", ONE),
        (".5", 0x3F000000),
        ("1_000.5", 0x447A2000),
        ("0.1", 0x3DCCCCCD),
        ("-2.5e-1", SIGN_BIT | 0x3E800000),
        ("16777217.0", 0x4B800000),  # halfway between 2^24 and 2^24 + 2
        ("16777219.0", 0x4B800002),
        ("16777217.000000000000000000000000000000000000001", 0x4B800001),
        # Rounding to a double first gives 1 + 2^-24, halfway, and then 1.
        ("1.00000005960464477540", ONE + 1),
        ("1.17549435e-38", 0x00800000),
        ("1.401298464324817e-45", MIN_SUBNORMAL),
        ("7.0e-46", 0),
        ("7.1e-46", MIN_SUBNORMAL),
        ("3.4028234663852886e38", MAX_FINITE),
        ("340282356779733661637539395458142568447.999", MAX_FINITE),
    ],
)
def test_decimal_literals(text, bits):
    assert bits_of(text) == bits


@pytest.mark.parametrize(
    "text",
    ["340282356779733661637539395458142568448.0", "1e39", "1e400000000", "-1e400000000", "1e" + "9" * 5000],
)
def test_literals_too_large_have_no_bits(text):
    assert bits_of(text) is None


@pytest.mark.parametrize("text", ["", ".", "e5", "1e", "inf", "0x10", "1.0f"])
def test_other_text_is_refused(text):
    with pytest.raises(ValueError, match="not a decimal literal"):
        bits_of(text)


def test_literals_of_any_length_are_read_at_once():
    assert bits_of("1e-400000000") == 0
    assert bits_of("1e-" + "9" * 5000) == 0
    assert bits_of("0." + "0" * 100_000 + "1" + "0" * 100_000 + "e100001") == ONE
    assert bits_of("1" * 100_000) is None
    assert bits_of("1" + "0" * 100_000 + "e-100000") == ONE
    assert bits_of("1." + "0" * 100_000 + "1") == ONE
    assert bits_of("16777217." + "0" * 100_000 + "1") == 0x4B800001  # past the halfway point


def decimal(value: Fraction) -> str:
    """The exact decimal expansion of a number whose denominator is a power of two."""
    digits = value.denominator.bit_length() - 1
    return f"{value.numerator * 5**digits}e-{digits}"


def test_points_halfway_go_to_even_and_their_neighbours_do_not():
    source = random.Random(1)
    for bits in [0, 1, 0x007FFFFF, 0x00800000, *(source.randrange(MAX_FINITE) for _ in range(500))]:
        below, above = Fraction(to_float(bits)), Fraction(to_float(bits + 1))
        halfway = (below + above) / 2
        tiny = Fraction(1, 2**400)
        even = bits + bits % 2
        assert bits_of(decimal(halfway)) == from_float(float(halfway)) == even
        assert bits_of(decimal(halfway - tiny)) == bits
        assert bits_of(decimal(halfway + tiny)) == bits + 1
        assert bits_of(decimal(below)) == bits_of(repr(to_float(bits))) == bits


def test_doubles_round_to_binary32():
    assert from_float(math.nan) == from_float(-math.nan) == NAN
    assert from_float(math.inf) == from_float(1e39) == INFINITY
    assert from_float(-math.inf) == from_float(-1e300) == SIGN_BIT | INFINITY
    assert from_float(3.4028235677973362e38) == MAX_FINITE  # just below the halfway point to 2^128
    assert from_float(-0.0) == SIGN_BIT
    assert from_float(1e-46) == 0
    assert from_float(-1e-46) == SIGN_BIT


def test_every_kind_of_bits_comes_back():
    for bits in (0, MIN_SUBNORMAL, 0x00800000, ONE, MAX_FINITE, INFINITY):
        assert from_float(to_float(bits)) == bits
        assert from_float(to_float(bits | SIGN_BIT)) == bits | SIGN_BIT


def test_which_bits_are_no_number():
    assert [floats.is_nan(bits) for bits in (NAN, 0x7F800001, 0xFFFFFFFF, INFINITY, 0xFF800000, 0)] == [
        True, True, True, False, False, False,
    ]  # fmt: skip
