"""Float and Int operations on tables of edge values and many random ones, bit for bit against NumPy.

Results that are subnormal, and operands that are, form a class of their own: devices may flush them to zero.
"""

from collections.abc import Callable

import numpy as np
import pytest

from tests.gpu.launches import flushes, result

pytestmark = pytest.mark.filterwarnings("ignore:.*encountered in.*:RuntimeWarning")

TINY = np.finfo(np.float32).tiny
EDGES = np.array(
    [
        *(0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 0.1, 1 / 3, 0.49999997, 3.0, 1e-3, 8388607.5, 16777215.0),
        *(16777216.0, 2147483520.0, 2147483648.0, -2147483648.0, 4294967296.0, 1e30, -1e30, 1e-30, 3.4028235e38),
        *(-3.4028235e38, TINY, -TINY, np.inf, -np.inf, np.nan, 1.0000001, 0.99999994, 1e19, 1.8446743e19, 1e-19),
    ],
    np.float32,
)
INTS = np.array([0, 1, -1, 2, -2, 3, 7, -7, 31, 32, 33, 65536, 2**30, 2**31 - 1, -(2**31), 1 - 2**31], np.int64).astype(
    np.int32
)


def random_floats(count: int, spread: int) -> np.ndarray:
    chance = np.random.default_rng(7)
    return (chance.standard_normal(count) * np.exp2(chance.integers(-spread, spread, count))).astype(np.float32)


def pairs(edges: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    a, b = np.meshgrid(edges, edges)
    return a.ravel(), b.ravel()


def binary(expression: str, a: np.ndarray, b: np.ndarray, kind: str = "Float", gives: str = "Float") -> np.ndarray:
    source = f"""
    kernel t.binary@1 {{
      requires {{ field.read; field.write; }}
      input a: Rows<{kind}>;
      input b: Rows<{kind}>;
      output result: Rows<{gives}>;
      compute {{ let x = sample(a); let y = sample(b); return {expression}; }}
    }}
    """
    return result(source, a=a, b=b)


def unary(expression: str, a: np.ndarray, kind: str = "Float", gives: str = "Float") -> np.ndarray:
    return binary(f"select(x == y, {expression}, {expression})", a, a, kind, gives)


def assert_same_floats(got: np.ndarray, wanted: np.ndarray, *operands: np.ndarray) -> None:
    flushed = [(values != 0) & (np.abs(values) < TINY) for values in (*operands, wanted)]
    flushed.append(np.abs(wanted) == TINY)  # before it was rounded it may have been less
    same = (got.view(np.uint32) == wanted.view(np.uint32)) | (np.isnan(got) & np.isnan(wanted))
    wrong = np.flatnonzero(~(same | np.logical_or.reduce(flushed)))
    found = [(*(float(o[i]) for o in operands), float(got[i]), float(wanted[i])) for i in wrong[:5]]
    assert not wrong.size, f"{wrong.size} of {got.size} differ: (operands, got, wanted) {found}"


ARITHMETIC: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "x + y": np.add,
    "x - y": np.subtract,
    "x * y": np.multiply,
    "x / y": np.divide,
    "x % y": np.fmod,
}
CHAINS: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "x * y + x": lambda x, y: x * y + x,
    "y - x * x": lambda x, y: y - x * x,
    "(x + y) - x": lambda x, y: (x + y) - x,
    "(x * y) * y": lambda x, y: (x * y) * y,
    "(x * 1.1) * 1.3": lambda x, y: (x * np.float32(1.1)) * np.float32(1.3),
    "(x / 3.0) * y": lambda x, y: (x / np.float32(3)) * y,
    "x * y - y * x": lambda x, y: x * y - y * x,
    "(x + 12582912.0) - 12582912.0": lambda x, y: (x + np.float32(12582912)) - np.float32(12582912),
    "x * 0.0 + y": lambda x, y: x * np.float32(0) + y,
    "0.0 - x": lambda x, y: np.float32(0) - x,
    "x + 0.0": lambda x, y: x + np.float32(0),
    "x - x": lambda x, y: x - x,
    "x / x": lambda x, y: x / x,
    "x - floor(x)": lambda x, y: x - np.floor(x),
    "sqrt(abs(x)) * sqrt(abs(x))": lambda x, y: np.sqrt(np.abs(x)) * np.sqrt(np.abs(x)),
}


@pytest.mark.parametrize("expression", [*ARITHMETIC, *CHAINS])
def test_arithmetic(expression: str) -> None:
    of_edges = pairs(EDGES)
    a = np.concatenate([of_edges[0], random_floats(40_000, 40)])
    b = np.concatenate([of_edges[1], random_floats(40_001, 30)[1:]])
    wanted = {**ARITHMETIC, **CHAINS}[expression](a, b)
    with np.errstate(all="ignore"):
        parts = [a, b] if expression in ARITHMETIC else [a, b, a * b, a * a, a / np.float32(3)]
    assert_same_floats(binary(expression, a, b), wanted, *parts)


@pytest.mark.parametrize(("expression", "wanted"), [("x / y", np.divide), ("sqrt(abs(x)) + y * 0.0", None)])
def test_division_and_root_of_many(
    expression: str, wanted: Callable[[np.ndarray, np.ndarray], np.ndarray] | None
) -> None:
    a, b = random_floats(2_000_000, 60), random_floats(2_000_001, 60)[1:]
    expected = wanted(a, b) if wanted else np.sqrt(np.abs(a)) + b * np.float32(0)
    assert_same_floats(binary(expression, a, b), expected, a, b)


@pytest.mark.parametrize(
    ("expression", "wanted"),
    [
        ("floor(x)", np.floor),
        ("ceil(x)", np.ceil),
        ("trunc(x)", np.trunc),
        ("round(x)", np.rint),
        ("abs(x)", np.abs),
        ("-x", np.negative),
        ("sqrt(x)", np.sqrt),
        ("sign(x)", lambda x: (x > 0).astype(np.float32) - (x < 0).astype(np.float32)),
    ],
)
def test_unary(expression: str, wanted: Callable[[np.ndarray], np.ndarray]) -> None:
    values = np.concatenate([EDGES, -EDGES, random_floats(20_000, 25)])
    assert_same_floats(unary(expression, values), wanted(values), values)


def test_minimum_and_maximum() -> None:
    """NaN is ignored, and -0 is below +0."""
    a, b = pairs(EDGES)
    for name, better in (("min", np.less), ("max", np.greater)):
        sign = np.signbit(a) & ~np.signbit(b) if name == "min" else ~np.signbit(a) & np.signbit(b)
        first = np.isnan(b) | better(a, b) | ((a == b) & sign)
        assert_same_floats(binary(f"{name}(x, y)", a, b), np.where(np.isnan(a), b, np.where(first, a, b)))


@pytest.mark.parametrize(
    ("expression", "wanted"),
    [
        ("x < y", np.less),
        ("x <= y", np.less_equal),
        ("x > y", np.greater),
        ("x >= y", np.greater_equal),
        ("x == y", np.equal),
        ("x != y", np.not_equal),
        ("!(x >= y)", lambda x, y: ~(x >= y)),
        ("!(x < y) && !(x > y)", lambda x, y: ~(x < y) & ~(x > y)),
        ("x != x", lambda x, y: np.isnan(x)),
        ("x <= x", lambda x, y: ~np.isnan(x)),
        ("isnan(x + y) || isinf(x)", lambda x, y: np.isnan(x + y) | np.isinf(x)),
    ],
)
def test_comparisons(expression: str, wanted: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> None:
    a, b = pairs(np.concatenate([EDGES, np.array([1e-40, -1e-45], np.float32)]))
    got, expected = binary(expression, a, b, gives="Bool"), [wanted(a, b)]
    if flushes():  # in arithmetic; some devices do when they compare, too
        expected.append(wanted(*(np.where(np.abs(x) < TINY, x * 0, x) for x in (a, b))))
    assert any(np.array_equal(got, one) for one in expected)


def test_constants_in_choices() -> None:
    """Drivers make a choice between such constants arithmetic, which must not lose the sign of a zero."""
    a, b = pairs(EDGES)
    for yes in (0.0, -0.0, 1.0, -1.0):
        for no in (0.0, -0.0, 1.0, -1.0):
            got = binary(f"select(x < y, {yes}, {no})", a, b)
            assert_same_floats(got, np.where(a < b, np.float32(yes), np.float32(no)))


def test_to_int() -> None:
    wanted = [0 if np.isnan(x) else int(np.clip(np.trunc(float(x)), -(2**31), 2**31 - 1)) for x in EDGES]
    assert unary("int(x)", EDGES, gives="Int").tolist() == wanted


def test_bits() -> None:
    """A move changes no bit, not even of subnormal numbers; a NaN has one pattern as an Int."""
    values = np.array([1e-45, -1e-40, 0.0, -0.0, np.nan, -np.nan, np.inf], np.float32)
    got = unary("bitcast_int(x)", values, gives="Int")
    assert got.tolist() == [*values[:4].view(np.int32).tolist(), 0x7FC00000, 0x7FC00000, 0x7F800000]
    assert np.array_equal(unary("bitcast_float(bitcast_int(x))", values)[:4].view(np.int32), values[:4].view(np.int32))


def truncated(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Quotient towards zero and remainder, with the language's answers for 0; in Python's own Ints."""
    quotients = [
        x if y == 0 else abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1) for x, y in zip(a, b, strict=True)
    ]
    rests = [0 if y == 0 else x - q * y for x, y, q in zip(a, b, quotients, strict=True)]
    return wrapped(quotients), wrapped(rests)


def wrapped(numbers: list[int]) -> np.ndarray:
    return np.array([(n + 2**31) % 2**32 - 2**31 for n in numbers], np.int64).astype(np.int32)


def test_int_arithmetic() -> None:
    a, b = pairs(INTS)
    x, y = a.tolist(), b.tolist()
    quotients, rests = truncated(x, y)
    assert np.array_equal(binary("x / y", a, b, "Int", "Int"), quotients)
    assert np.array_equal(binary("x % y", a, b, "Int", "Int"), rests)
    for expression, wanted in {
        "x + y": [p + q for p, q in zip(x, y, strict=True)],
        "x - y": [p - q for p, q in zip(x, y, strict=True)],
        "x * y": [p * q for p, q in zip(x, y, strict=True)],
        "x << y": [p << (q % 32) for p, q in zip(x, y, strict=True)],
        "x >> y": [p >> (q % 32) for p, q in zip(x, y, strict=True)],
        "x >>> y": [p % 2**32 >> (q % 32) for p, q in zip(x, y, strict=True)],
        "udiv(x, y)": [p if q == 0 else p % 2**32 // (q % 2**32) for p, q in zip(x, y, strict=True)],
        "urem(x, y)": [0 if q == 0 else p % 2**32 % (q % 2**32) for p, q in zip(x, y, strict=True)],
        "abs(x) + -y": [abs(p) - q for p, q in zip(x, y, strict=True)],
    }.items():
        assert np.array_equal(binary(expression, a, b, "Int", "Int"), wrapped(wanted)), expression


def test_int_bits() -> None:
    values = np.concatenate([INTS, np.random.default_rng(3).integers(-(2**31), 2**31, 1000).astype(np.int32)])
    texts = [f"{x % 2**32:032b}" for x in values.tolist()]
    for expression, wanted in {
        "popcount(x)": [text.count("1") for text in texts],
        "clz(x)": [len(text) - len(text.lstrip("0")) for text in texts],
        "ctz(x)": [len(text) - len(text.rstrip("0")) for text in texts],
        "reverse_bits(x)": [int(text[::-1], 2) for text in texts],
    }.items():
        assert np.array_equal(unary(expression, values, "Int", "Int"), wrapped(wanted)), expression
    assert np.array_equal(unary("float(x)", values, "Int", "Float"), values.astype(np.float32))
