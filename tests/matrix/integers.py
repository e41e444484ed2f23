"""Features: Ints, Bools and bits."""

from tests.matrix.arithmetic import (
    MIN,
    div,
    pcg,
    rem,
    shl,
    shr,
    udiv,
    unsigned,
    urem,
    ushr,
    wrap,
)
from tests.matrix.columns import INT_PAIRS, SHIFT_PAIRS, SMALL, SMALL_PAIRS, feature
from tests.matrix.feature import Element


def comparisons(e: Element) -> int:
    a, b = e["a"], e["b"]
    return sum(bit << i for i, bit in enumerate((a == b, a != b, a < b, a <= b, a > b, a >= b)))


def bools(e: Element) -> int:
    p, q = e["a"] > 0, e["b"] > 0
    return sum(bit << i for i, bit in enumerate((p and q, p or q, p != q, not p, p == q)))


def short_circuit(e: Element) -> int:
    a, b = e["a"], e["b"]
    first = b != 0 and div(a, b) > 1
    second = b == 0 or rem(a, b) == 0
    return 2 * first + second


def compound(e: Element) -> int:
    r = wrap(e["a"] + e["b"])
    r = wrap(r - 3)
    r = wrap(r * 7)
    r = rem(div(r, 2), 1000)
    return shr(shl((r & 0xFF0) | 5, 3) ^ e["b"], 1)


def precedence(e: Element) -> int:
    a, b = e["a"], e["b"]
    return wrap(a + wrap(b * 3)) & 255 ^ shl(a, wrap(2 + 1)) | shr(-b if b != MIN else MIN, 1)


def bit_counts(e: Element) -> int:
    bits = unsigned(e["a"])
    text = f"{bits:032b}"
    counts = (text.count("1"), len(text) - len(text.lstrip("0")), len(text) - len(text.rstrip("0")))
    return wrap(int(text[::-1], 2) + counts[0] + 100 * counts[1] + 10000 * counts[2])


INTEGERS = (
    feature("Int + wraps", INT_PAIRS, "let r = a + b;", lambda e: wrap(e["a"] + e["b"]), count=81),
    feature("Int - wraps", INT_PAIRS, "let r = a - b;", lambda e: wrap(e["a"] - e["b"]), count=81),
    feature("Int * wraps", INT_PAIRS, "let r = a * b;", lambda e: wrap(e["a"] * e["b"]), count=81),
    feature(
        "Int negation, abs, sign",
        INT_PAIRS,
        "let r = -a + 3 * abs(b) - sign(a);",
        lambda e: wrap(-e["a"] + 3 * wrap(abs(e["b"])) - (e["a"] > 0) + (e["a"] < 0)),
        count=81,
    ),
    feature("Int division, every sign", INT_PAIRS, "let r = a / b;", lambda e: div(e["a"], e["b"]), count=81),
    feature("Int remainder, every sign", INT_PAIRS, "let r = a % b;", lambda e: rem(e["a"], e["b"]), count=81),
    feature(
        "Int division by zero",
        INT_PAIRS,
        """let zero = b - b;
let r = a / zero ^ (a % zero + b / 0 - b % 0);""",
        lambda e: e["a"] ^ e["b"],
        count=81,
    ),
    feature(
        "the least Int",
        INT_PAIRS,
        """let least = -2147483648;
let r = (least / -1 ^ a) + least % -1 + abs(least) / -b + -least * b;""",
        lambda e: wrap((MIN ^ e["a"]) + div(MIN, wrap(-e["b"])) + MIN * e["b"]),
        count=81,
    ),
    feature(
        "Int min, max, clamp",
        INT_PAIRS,
        "let r = min(a, b) * 3 ^ max(a, b) + clamp(a, -3, b);",
        lambda e: wrap(min(e["a"], e["b"]) * 3) ^ wrap(max(e["a"], e["b"]) + min(max(e["a"], -3), e["b"])),
        count=81,
    ),
    feature(
        "Int comparisons",
        INT_PAIRS,
        """let r = int(a == b) | int(a != b) << 1 | int(a < b) << 2 | int(a <= b) << 3 | int(a > b) << 4
  | int(a >= b) << 5;""",
        comparisons,
        count=81,
    ),
    feature("shift left", SHIFT_PAIRS, "let r = a << b;", lambda e: shl(e["a"], e["b"]), count=81),
    feature("shift right", SHIFT_PAIRS, "let r = a >> b;", lambda e: shr(e["a"], e["b"]), count=81),
    feature("shift right, logical", SHIFT_PAIRS, "let r = a >>> b;", lambda e: ushr(e["a"], e["b"]), count=81),
    feature(
        "bit operations",
        INT_PAIRS,
        "let r = (a & b) * 3 + (a | b) * 5 + (a ^ b) * 7 + ~a;",
        lambda e: wrap((e["a"] & e["b"]) * 3 + (e["a"] | e["b"]) * 5 + (e["a"] ^ e["b"]) * 7 + ~e["a"]),
        count=81,
    ),
    feature(
        "bit counts",
        INT_PAIRS,
        "let r = reverse_bits(a) + popcount(a) + 100 * clz(a) + 10000 * ctz(a);",
        bit_counts,
        count=81,
    ),
    feature(
        "unsigned readings",
        INT_PAIRS,
        "let r = udiv(a, b) ^ urem(a, b) * 5 ^ int(ult(a, b));",
        lambda e: udiv(e["a"], e["b"]) ^ wrap(urem(e["a"], e["b"]) * 5) ^ int(unsigned(e["a"]) < unsigned(e["b"])),
        count=81,
    ),
    feature(
        "precedence",
        INT_PAIRS,
        "let r = a + b * 3 & 255 ^ a << 2 + 1 | -b >> 1;",
        precedence,
        count=81,
    ),
    feature(
        "literals in hex and binary",
        SMALL,
        "let r = a * 0xFFFF_FFFF + 0b1010 + 1_000 - 0x7fffffff;",
        lambda e: wrap(-e["a"] + 10 + 1000 - 0x7FFFFFFF),
    ),
    feature(
        "compound assignment",
        INT_PAIRS,
        """var r = a;
r += b; r -= 3; r *= 7; r /= 2; r %= 1000;
r &= 0xFF0; r |= 5; r <<= 3; r ^= b; r >>= 1;""",
        compound,
        count=81,
    ),
    feature(
        "Bool operations",
        SMALL_PAIRS,
        """let p = a > 0;
let q = b > 0;
let r = int(p & q) | int(p | q) << 1 | int(p ^ q) << 2 | int(!p) << 3 | int(p == q) << 4;""",
        bools,
        count=55,
    ),
    feature(
        "short circuit",
        SMALL_PAIRS,
        "let r = 2 * int(b != 0 && a / b > 1) + int(b == 0 || a % b == 0);",
        short_circuit,
        count=55,
    ),
    feature("hash", INT_PAIRS, "let r = hash(a) ^ b;", lambda e: pcg(e["a"]) ^ e["b"], count=81),
)
