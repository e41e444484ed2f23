"""Functions in WGSL that shaders take from here: the numbers of the language where the device's own differ.

Every Float is judged by its bits, since drivers fold tests such as `x != x`, and arithmetic goes through one
function an operation, where the guard of the driver (`traits.Guard`) is kept.  `run` is the uniform block that
`module` declares; its `one`, `negative_zero` and `zeros` are numbers that no compiler knows.
"""

from __future__ import annotations

from kcheck.runtime.gpu.wgsl.traits import Comparison, Guard, Traits

_FIXED = {
    # ------------------------------------------------------------ Int
    "div_i32": """\
fn div_i32(a: i32, b: i32) -> i32 {
  let q = a / select(b, 1, b == 0 || b == -1);
  return select(select(q, 0 - q, b == -1), a, b == 0);
}""",
    "rem_i32": """\
fn rem_i32(a: i32, b: i32) -> i32 {
  let divisor = select(b, 1, b == 0 || b == -1);
  return select(a - (a / divisor) * divisor, 0, b == 0);
}""",
    "udiv": """\
fn udiv(a: i32, b: i32) -> i32 {
  let divisor = bitcast<u32>(select(b, 1, b == 0));
  return bitcast<i32>(bitcast<u32>(a) / divisor);
}""",
    "urem": """\
fn urem(a: i32, b: i32) -> i32 {
  let divisor = bitcast<u32>(select(b, 1, b == 0));
  return select(bitcast<i32>(bitcast<u32>(a) % divisor), 0, b == 0);
}""",
    # ------------------------------------------------------------ Floats as bits
    "float_of": """\
fn float_of(bits: u32) -> f32 {
  return bitcast<f32>(bits);
}""",
    "magnitude": """\
fn magnitude(x: f32) -> u32 {
  return bitcast<u32>(x) & 0x7fffffffu;
}""",
    "is_nan": """\
fn is_nan(x: f32) -> bool {
  return magnitude(x) > 0x7f800000u;
}""",
    "bits_of": """\
fn bits_of(x: f32) -> i32 {
  return select(bitcast<i32>(x), 0x7fc00000, is_nan(x));
}""",
    "neg_f32": """\
fn neg_f32(x: f32) -> f32 {
  return bitcast<f32>(bitcast<u32>(x) ^ 0x80000000u);
}""",
    "abs_f32": """\
fn abs_f32(x: f32) -> f32 {
  return bitcast<f32>(magnitude(x));
}""",
    # The Ints that are ordered as the Floats are; -0 is below +0.  Its own inverse.
    "flip": """\
fn flip(bits: i32) -> i32 {
  return bits ^ ((bits >> 31u) & 0x7fffffff);
}""",
    "min_f32": """\
fn min_f32(a: f32, b: f32) -> f32 {
  let first = flip(bitcast<i32>(a)) < flip(bitcast<i32>(b));
  return select(select(b, a, first || is_nan(b)), b, is_nan(a));
}""",
    "max_f32": """\
fn max_f32(a: f32, b: f32) -> f32 {
  let first = flip(bitcast<i32>(a)) > flip(bitcast<i32>(b));
  return select(select(b, a, first || is_nan(b)), b, is_nan(a));
}""",
    # As `flip`, but both zeros are 0.
    "rank": """\
fn rank(x: f32) -> i32 {
  let bits = bitcast<i32>(x);
  return select(bits, bitcast<i32>(0x80000000u - bitcast<u32>(bits)), bits < 0);
}""",
    "eq_f32": """\
fn eq_f32(a: f32, b: f32) -> bool {
  return rank(a) == rank(b) && !is_nan(a) && !is_nan(b);
}""",
    "lt_f32": """\
fn lt_f32(a: f32, b: f32) -> bool {
  return rank(a) < rank(b) && !is_nan(a) && !is_nan(b);
}""",
    "le_f32": """\
fn le_f32(a: f32, b: f32) -> bool {
  return rank(a) <= rank(b) && !is_nan(a) && !is_nan(b);
}""",
    "sign_f32": """\
fn sign_f32(x: f32) -> f32 {
  let r = rank(x);
  return f32(select(i32(r > 0) - i32(r < 0), 0, is_nan(x)));
}""",
    "int_of": """\
fn int_of(x: f32) -> i32 {
  if (is_nan(x)) {
    return 0;
  }
  if (magnitude(x) >= 0x4f000000u) { // 2^31
    return select(0x7fffffff, bitcast<i32>(0x80000000u), bitcast<i32>(x) < 0);
  }
  return i32(x);
}""",
    # ------------------------------------------------------------ addresses
    "clamp_index": """\
fn clamp_index(i: i32, size: u32) -> u32 {
  return select(min(bitcast<u32>(i), size - 1u), 0u, i < 0);
}""",
    # Floored, then clamped; NaN counts as 0.
    "clamp_floor": """\
fn clamp_floor(x: f32, size: u32) -> u32 {
  let bits = bitcast<u32>(x);
  if (bits > 0x7f800000u) { // negative or NaN
    return 0u;
  }
  return select(min(u32(x), size - 1u), size - 1u, bits >= bitcast<u32>(f32(size)));
}""",
    "floor_is_inside": """\
fn floor_is_inside(x: f32, size: u32) -> bool {
  let bits = bitcast<u32>(x);
  return bits < bitcast<u32>(f32(size)) || (bits == 0x80000000u && size > 0u);
}""",
    # ------------------------------------------------------------ filtered reads
    "clamp_unit": """\
fn clamp_unit(x: f32) -> f32 {
  let bits = bitcast<u32>(x);
  return bitcast<f32>(select(min(bits, 0x3f800000u), 0u, bits > 0x7f800000u)); // NaN and below 0: 0
}""",
    "axis_of": """\
struct Axis {
  low: u32,
  high: u32,
  t: f32,
}
fn axis_of(position: f32, size: u32) -> Axis {
  let texel = sub_f32(mul_f32(clamp_unit(position), f32(size)), 0.5);
  let whole = floor_f32(texel);
  let first = int_of(whole);
  let last = i32(size) - 1;
  return Axis(u32(clamp(first, 0, last)), u32(min(first + 1, last)), sub_f32(texel, whole));
}""",
    "lerp_f32": """\
fn lerp_f32(a: f32, b: f32, t: f32) -> f32 {
  return add_f32(mul_f32(a, sub_f32(run.one, t)), mul_f32(b, t));
}""",
    # ------------------------------------------------------------ guards
    "kept": """\
fn kept(x: f32) -> f32 {
  return bitcast<f32>(bitcast<u32>(x) ^ run.zeros.z);
}""",
    "hide_first": """\
fn hide_first(x: f32) -> f32 {
  return bitcast<f32>(bitcast<u32>(x) ^ run.zeros.x);
}""",
    "hide_second": """\
fn hide_second(x: f32) -> f32 {
  return bitcast<f32>(bitcast<u32>(x) ^ run.zeros.y);
}""",
    # ------------------------------------------------------------ division and root in full
    # A mantissa of 24 bits and the exponent that goes with it, for a finite number that is not 0.
    "Parts": """\
struct Parts {
  mantissa: u32,
  exponent: i32,
}
fn parts_of(size: u32) -> Parts {
  if (size < 0x00800000u) {
    let shift = countLeadingZeros(size) - 8u;
    return Parts(size << shift, 1 - i32(shift));
  }
  return Parts((size & 0x007fffffu) | 0x00800000u, i32(size >> 23u));
}""",
    # The driver's quotient is near; what it leaves is exact, and says whether a neighbour is nearer.
    "div_near": """\
fn div_near(a: f32, b: f32) -> f32 {
  let first = kept(a / b);
  let q = fma(fma(-first, b, a), 1.0 / b, first);
  let rest = fma(-q, b, a);
  let outwards = (bitcast<u32>(rest) ^ bitcast<u32>(a)) < 0x80000000u;
  let next = bitcast<f32>(select(bitcast<u32>(q) - 1u, bitcast<u32>(q) + 1u, outwards));
  return select(q, next, 2.0 * abs(rest) > abs(next - q) * abs(b));
}""",
    "div_far": """\
fn div_far(a: f32, b: f32) -> f32 {
  let sign = (bitcast<u32>(a) ^ bitcast<u32>(b)) & 0x80000000u;
  let x = magnitude(a);
  let y = magnitude(b);
  if (x > 0x7f800000u || y > 0x7f800000u || (x == y && (x == 0u || x == 0x7f800000u))) {
    return float_of(0x7fc00000u);
  }
  if (x == 0x7f800000u || y == 0u) {
    return bitcast<f32>(sign | 0x7f800000u);
  }
  if (x == 0u || y == 0x7f800000u) {
    return bitcast<f32>(sign);
  }
  let p = parts_of(x);
  let d = parts_of(y);
  // 27 bits of the quotient, eight at a time, and whether any are left.
  var q = p.mantissa / d.mantissa;
  var rest = (p.mantissa % d.mantissa) << 8u;
  q = (q << 8u) | (rest / d.mantissa);
  rest = (rest % d.mantissa) << 8u;
  q = (q << 8u) | (rest / d.mantissa);
  rest = (rest % d.mantissa) << 8u;
  q = (q << 8u) | (rest / d.mantissa);
  rest = (rest % d.mantissa) << 2u;
  q = (q << 2u) | (rest / d.mantissa);
  q = (q << 1u) | u32(rest % d.mantissa != 0u);
  // q is 2^27 times the quotient of the mantissas, with its last bit sticky.
  let top = 31 - i32(countLeadingZeros(q));
  let exponent = p.exponent - d.exponent + 127 + top - 27;
  if (exponent >= 255) {
    return bitcast<f32>(sign | 0x7f800000u);
  }
  // A subnormal result has fewer bits.
  let dropped = u32(top - 23 + max(1 - exponent, 0));
  if (dropped > 31u) {
    return bitcast<f32>(sign);
  }
  let half = 1u << (dropped - 1u);
  let low = q & ((1u << dropped) - 1u);
  let kept_bits = q >> dropped;
  let up = u32(low > half || (low == half && (kept_bits & 1u) == 1u));
  let base = select(u32(exponent - 1) << 23u, 0u, exponent < 1);
  return bitcast<f32>(sign | (base + kept_bits + up));
}""",
    "div_rounded": """\
fn div_rounded(a: f32, b: f32) -> f32 {
  let x = (bitcast<u32>(a) >> 23u) & 255u;
  let y = (bitcast<u32>(b) >> 23u) & 255u;
  if (x - 96u <= 62u && y - 96u <= 62u) {
    return div_near(a, hide_second(b)); // a known divisor would become a product with its inverse
  }
  return div_far(a, b);
}""",
    "root_near": """\
fn root_near(x: f32) -> f32 {
  let first = sqrt(x);
  let s = fma(fma(-first, first, x), 0.5 / first, first);
  let rest = fma(-s, s, x);
  let up = bitcast<f32>(bitcast<u32>(s) + 1u);
  let down = bitcast<f32>(bitcast<u32>(s) - 1u);
  return select(select(s, down, rest <= s * (down - s)), up, rest > s * (up - s));
}""",
    "root_rounded": """\
fn root_rounded(x: f32) -> f32 {
  let bits = bitcast<u32>(x);
  if (bits - 0x20000000u < 0x3f800000u) { // 2^-63 to 2^64
    return root_near(x);
  }
  if (magnitude(x) == 0u || bits == 0x7f800000u) {
    return x;
  }
  if (bits > 0x7f800000u) {
    return float_of(0x7fc00000u);
  }
  let p = parts_of(bits);
  let odd = (p.exponent - 127) & 1;
  let near = root_near(bitcast<f32>((p.mantissa & 0x007fffffu) | (u32(127 + odd) << 23u)));
  return bitcast<f32>(bitcast<u32>(near) + bitcast<u32>(((p.exponent - 127 - odd) / 2) << 23u));
}""",
}


_GUARDED = {
    Guard.FMA: {
        "add": "fma(a, run.one, b)",
        "sub": "fma(a, run.one, -b)",
        "mul": "fma(a, b, run.negative_zero)",
        "div": "kept(a / hide_second(b))",
    },
    Guard.XOR: {
        "add": "kept(hide_first(a) + hide_second(b))",
        "sub": "kept(hide_first(a) - hide_second(b))",
        "mul": "kept(hide_first(a) * hide_second(b))",
        "div": "kept(hide_first(a) / hide_second(b))",
    },
    Guard.BOTH: {
        "add": "kept(fma(hide_first(a), run.one, hide_second(b)))",
        "sub": "kept(fma(hide_first(a), run.one, -hide_second(b)))",
        "mul": "kept(fma(hide_first(a), hide_second(b), run.negative_zero))",
        "div": "kept(hide_first(a) / hide_second(b))",
    },
    Guard.NONE: {"add": "a + b", "sub": "a - b", "mul": "a * b", "div": "a / b"},
}
"""The text of each operation.

Hidden operands and results are hidden by different words, or a compiler could tell that operands are equal, or that
hiding twice is no change.  What an `fma` leaves open is that a compiler knows an operand to be 0, 1 or -1 and
makes less of it, so no Float that a compiler could work out to be one of those is left unhidden: neither constants
(`CONSTANTS`) nor what conversions and roundings give.
"""

CONSTANTS = {
    0x00000000: "bitcast<f32>(run.zeros.w)",
    0x80000000: "run.negative_zero",
    0x3F800000: "run.one",
    0xBF800000: "(-run.one)",
}
"""The constants that stand for themselves nowhere.  Drivers also take one zero for the other when they make a choice
between constants arithmetic."""

_COMPARED = {
    Comparison.OWN: "a {} b",
    Comparison.APART: "a {} hide_second(b)",
    Comparison.HIDDEN: "(select(0u, 1u, a {} hide_second(b)) ^ run.zeros.x) != 0u",
}

_COMPARISONS = {"eq": "==", "lt": "<", "le": "<="}

_FAST = {
    "kept": """\
fn kept(x: f32) -> f32 {
  return x;
}""",
    "rem_f32": """\
fn rem_f32(a: f32, b: f32) -> f32 {
  return a % b;
}""",
    "inversesqrt_f32": """\
fn inversesqrt_f32(x: f32) -> f32 {
  return inverseSqrt(x);
}""",
    # As a driver has it, but for a base below zero or a power of zero, for which it need have none.
    "pow_f32": """\
fn pow_f32(x: f32, y: f32) -> f32 {
  let size = select(pow(abs(x), y), 1.0, y == 0.0);
  let is_odd = floor(y) == y && floor(y * 0.5) * 2.0 != y;
  if (x < 0.0) {
    return select(select(size, -size, is_odd), float_of(0x7fc00000u), floor(y) != y);
  }
  return size;
}""",
    "tanh_f32": """\
fn tanh_f32(x: f32) -> f32 {
  return tanh(clamp(x, -20.0, 20.0)); // or infinity could be divided by itself
}""",
    "atan2_f32": """\
fn atan2_f32(y: f32, x: f32) -> f32 {
  return atan2(y, x);
}""",
}
"""What is otherwise where arithmetic is the driver's own; the other elementary functions have WGSL's names."""

_OWN = ("exp", "exp2", "log", "log2", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh")

ROUNDINGS = {"floor": "floor", "ceil": "ceil", "round": "round", "trunc": "trunc"}
"""The language's names, and WGSL's."""


def functions(traits: Traits) -> dict[str, str]:
    """The text of every function of the library by its name, for one driver."""
    guard = _GUARDED[traits.guard]
    found = dict(_FIXED)
    for name in ("add", "sub", "mul"):
        found[f"{name}_f32"] = _binary(f"{name}_f32", guard[name])
    found["div_f32"] = _binary("div_f32", guard["div"] if traits.exact_division else "div_rounded(a, b)")
    root = "kept(sqrt(x))" if traits.exact_root else "root_rounded(x)"
    found["sqrt_f32"] = _unary("sqrt_f32", root)
    if traits.comparison is not Comparison.BITS:
        for name, sign in _COMPARISONS.items():
            value = _COMPARED[traits.comparison].format(sign)
            found[f"{name}_f32"] = f"fn {name}_f32(a: f32, b: f32) -> bool {{\n  return {value};\n}}"
    if traits.guard is Guard.NONE:
        found |= _FAST | {f"{name}_f32": _unary(f"{name}_f32", f"{name}(x)") for name in _OWN}
    for name, theirs in ROUNDINGS.items():
        found[f"{name}_f32"] = _unary(f"{name}_f32", f"kept({theirs}(x))")
    return found


def _binary(name: str, value: str) -> str:
    return f"fn {name}(a: f32, b: f32) -> f32 {{\n  return {value};\n}}"


def _unary(name: str, value: str) -> str:
    return f"fn {name}(x: f32) -> f32 {{\n  return {value};\n}}"


def by_component(name: str, arity: int, size: int) -> str:
    """A function on vectors that applies the one on Floats to each component."""
    letters = "abc"[:arity]
    parameters = ", ".join(f"{letter}: vec{size}<f32>" for letter in letters)
    parts = [f"{name}_f32({', '.join(f'{letter}.{axis}' for letter in letters)})" for axis in "xyzw"[:size]]
    return f"fn {name}_vec{size}({parameters}) -> vec{size}<f32> {{\n  return vec{size}<f32>({', '.join(parts)});\n}}"


def by_column(name: str, arity: int, size: int) -> str:
    """A function on matrices that applies the one on vectors to each column."""
    type_ = f"array<vec{size}<f32>, {size}>"
    letters = "abc"[:arity]
    parameters = ", ".join(f"{letter}: {type_}" for letter in letters)
    parts = [f"{name}_vec{size}({', '.join(f'{letter}[{i}]' for letter in letters)})" for i in range(size)]
    return f"fn {name}_mat{size}({parameters}) -> {type_} {{\n  return {type_}({', '.join(parts)});\n}}"
