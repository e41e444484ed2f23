"""Reductions that the solver's tests share."""

from __future__ import annotations

from kcheck.checker import ir
from tests.support import program_of


def reduction(fields: str, element: str, compute: str, merge: str, params: str = "") -> ir.Program:
    """A reduction of `xs: Rows<element>` to a struct `S` of these fields; `v` is the element."""
    return program_of(
        f"kernel test.reduction@1 {{ requires {{ field.read; field.write; }} input xs: Rows<{element}>; {params}"
        f" output result: Rows<S>; struct S {{ {fields} }}"
        f" compute over xs {{ let v = sample(xs); {compute} }} merge(a, b) {{ {merge} }} }}"
    )


def clamped_sum() -> ir.Program:
    return reduction("f: Int;", "Int", "S { f: clamp(v, 0, 100) }", "S { f: min(a.f + b.f, 100) }")


def welford(count: str = "Int") -> ir.Program:
    one, real = ("1", "float") if count == "Int" else ("1.0", "")
    return reduction(
        f"n: {count}; mean: Float; m2: Float;",
        "Float",
        f"S {{ n: {one}, mean: v, m2: 0.0 }}",
        f"let d = b.mean - a.mean; let n = a.n + b.n; let na = {real}(a.n); let nb = {real}(b.n);"
        f" let whole = {real}(n);"
        " S { n: n, mean: a.mean + d * nb / whole, m2: a.m2 + b.m2 + d * d * na * nb / whole }",
    )


def two_least() -> ir.Program:
    return reduction(
        "m: Int; m2: Int;",
        "Int",
        "S { m: v, m2: 2147483647 }",
        "S { m: min(a.m, b.m), m2: min(max(min(b.m2, a.m), b.m), a.m2) }",
    )


def velocities() -> ir.Program:
    return reduction("f: Float;", "Float", "S { f: v / (1.0 + abs(v)) }", "S { f: (a.f + b.f) / (1.0 + a.f * b.f) }")


def needle() -> ir.Program:
    return reduction("f: Int;", "Int", "S { f: v }", "S { f: if a.f == 0x12345678 { -1 } else { a.f + b.f } }")


def modulo_param() -> ir.Program:
    return reduction(
        "f: Int;", "Int", "S { f: urem(v, p) }", "S { f: (a.f + b.f) % p }", "param p: Int = 7 in 2..1000;"
    )


def weighted_mean(weight: str) -> ir.Program:
    return reduction(
        "x: Float; w: Float;",
        "Vec2",
        f"S {{ x: v.x, w: {weight} }}",
        "let w = a.w + b.w; S { x: (a.x * a.w + b.x * b.w) / w, w: w }",
    )
