"""Writes `docs/builtins.md` from the checker's table of built-ins: run it after changing one.

python scripts/builtin_docs.py

The edge values are worked out by the checker itself, as constants, so the page cannot say what is not so.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from kcheck.checker import ir, types
from kcheck.checker.builtins import (
    BY_NAME,
    PLACE_WORDS,
    PORT_WORDS,
    ULPS,
    Contract,
    ErrorClass,
    Overload,
)
from kcheck.checker.lower.declarations import Declarations
from kcheck.checker.lower.items import declare_file
from kcheck.checker.lower.ledger import Ledger
from kcheck.checker.lower.scopes import Home
from kcheck.checker.prelude import COMPOSITE_BUILTINS, composite_text
from kcheck.checker.render.ir import constant, float_text
from kcheck.grammar import parser, syntax

PAGE = Path(__file__).resolve().parent.parent / "docs" / "builtins.md"

SECTIONS: dict[str, str] = {
    "Size and sign": "abs sign min max clamp saturate select",
    "Rounding": "floor ceil round trunc fract",
    "Powers and roots": "sqrt inversesqrt exp exp2 log log2 pow",
    "Angles": "sin cos tan asin acos atan atan2 sinh cosh tanh radians degrees",
    "Blending": "mix step smoothstep",
    "Special values": "isnan isinf",
    "Vectors": "dot cross length distance normalize reflect refract luma",
    "Matrices": "transpose determinant inverse",
    "Conversion": "int float bitcast_int bitcast_float",
    "Bits": "popcount clz ctz reverse_bits udiv urem ult",
    "Chance": "hash random",
}
"""Every pure built-in, in the order of the page."""

_NAN, _INF = "0.0 / 0.0", "1.0 / 0.0"

EDGES: dict[str, tuple[str, ...]] = {
    "abs": ("abs(-2147483648)", "abs(-0.0)"),
    "sign": ("sign(-7)", "sign(-0.0)", f"sign({_NAN})"),
    "min": (f"min({_NAN}, 1.0)", f"min({_NAN}, {_NAN})", "min(-0.0, 0.0)", "min(vec2(1.0, 5.0), 3.0)"),
    "max": (f"max({_NAN}, 1.0)", "max(-0.0, 0.0)", "max(-1, 1)"),
    "clamp": ("clamp(5, 0, 3)", "clamp(5.0, 3.0, 1.0)", f"clamp({_NAN}, 0.0, 1.0)"),
    "saturate": ("saturate(1.5)", f"saturate({_NAN})"),
    "select": ("select(true, 1, 2)", "select(false, vec2(1.0), vec2(2.0))"),
    "floor": ("floor(-0.5)", f"floor(-{_INF})"),
    "ceil": ("ceil(-0.5)", "ceil(1.25)"),
    "round": ("round(0.5)", "round(1.5)", "round(2.5)", "round(-0.5)"),
    "trunc": ("trunc(-1.75)", "trunc(-0.5)"),
    "fract": ("fract(1.25)", "fract(-0.25)", f"fract({_INF})"),
    "sqrt": ("sqrt(-0.0)", "sqrt(-1.0)", f"sqrt({_INF})"),
    "inversesqrt": ("inversesqrt(4.0)", "inversesqrt(0.0)", "inversesqrt(-0.0)", "inversesqrt(-1.0)"),
    "exp": ("exp(0.0)", "exp(89.0)", "exp(-200.0)"),
    "exp2": ("exp2(10.0)", "exp2(128.0)", "exp2(-149.0)"),
    "log": ("log(1.0)", "log(0.0)", "log(-1.0)"),
    "log2": ("log2(8.0)", "log2(0.0)", "log2(-1.0)"),
    "pow": ("pow(2.0, 0.5)", "pow(-2.0, 3.0)", "pow(-2.0, 0.5)", "pow(0.0, 0.0)", "pow(0.0, -1.0)"),
    "sin": ("sin(-0.0)", "sin(10000000000.0)", f"sin({_INF})"),
    "cos": ("cos(0.0)", f"cos({_INF})"),
    "tan": ("tan(-0.0)", f"tan({_INF})"),
    "asin": ("asin(1.0)", "asin(1.5)"),
    "acos": ("acos(1.0)", "acos(-1.5)"),
    "atan": ("atan(1.0)", f"atan({_INF})"),
    "atan2": ("atan2(0.0, 0.0)", "atan2(0.0, -1.0)", "atan2(-0.0, -1.0)", "atan2(1.0, 0.0)"),
    "sinh": ("sinh(-0.0)", "sinh(100.0)"),
    "cosh": ("cosh(0.0)", "cosh(100.0)"),
    "tanh": ("tanh(-0.0)", "tanh(100.0)"),
    "radians": ("radians(180.0)",),
    "degrees": ("degrees(3.1415927)",),
    "mix": ("mix(1.0, 3.0, 0.25)", "mix(1.0, 3.0, 2.0)", "mix(vec2(0.0), vec2(4.0), 0.5)"),
    "step": ("step(0.5, 0.5)", "step(0.5, 0.25)", f"step(0.5, {_NAN})"),
    "smoothstep": ("smoothstep(0.0, 1.0, 0.25)", "smoothstep(1.0, 1.0, 0.5)", "smoothstep(1.0, 0.0, 0.25)"),
    "isnan": (f"isnan({_NAN})", f"isnan({_INF})"),
    "isinf": (f"isinf(-{_INF})", f"isinf({_NAN})"),
    "dot": ("dot(vec2(1.0, 2.0), vec2(3.0, 4.0))",),
    "cross": ("cross(vec3(1.0, 0.0, 0.0), vec3(0.0, 1.0, 0.0))",),
    "length": ("length(vec2(3.0, 4.0))", "length(-2.0)", "length(vec2(1e30, 0.0))"),
    "distance": ("distance(vec2(1.0, 1.0), vec2(4.0, 5.0))", "distance(1.0, 3.0)"),
    "normalize": ("normalize(vec2(3.0, 4.0))", "normalize(vec2(0.0))"),
    "reflect": ("reflect(vec2(1.0, -1.0), vec2(0.0, 1.0))",),
    "refract": ("refract(vec2(0.0, -1.0), vec2(0.0, 1.0), 1.5)", "refract(vec2(1.0, 0.0), vec2(0.0, 1.0), 1.5)"),
    "luma": ("luma(vec3(1.0))", "luma(vec4(0.0, 1.0, 0.0, 0.5))"),
    "transpose": ("transpose(mat2(1.0, 2.0, 3.0, 4.0))",),
    "determinant": ("determinant(mat2(1.0, 2.0, 3.0, 4.0))",),
    "inverse": ("inverse(mat2(2.0, 0.0, 0.0, 4.0))", "inverse(mat2(1.0, 2.0, 2.0, 4.0))"),
    "int": ("int(-1.75)", "int(3e9)", f"int({_NAN})", "int(true)"),
    "float": ("float(16777217)", "float(false)"),
    "bitcast_int": ("bitcast_int(1.0)", "bitcast_int(-0.0)", f"bitcast_int({_NAN})"),
    "bitcast_float": ("bitcast_float(0x3F800000)", "bitcast_float(1)"),
    "popcount": ("popcount(-1)",),
    "clz": ("clz(1)", "clz(0)"),
    "ctz": ("ctz(8)", "ctz(0)"),
    "reverse_bits": ("reverse_bits(1)",),
    "udiv": ("udiv(-1, 2)", "udiv(7, 0)"),
    "urem": ("urem(-1, 10)", "urem(7, 0)"),
    "ult": ("ult(1, -1)",),
    "hash": ("hash(0)", "hash(1)"),
    "random": ("random(0)", "random(1)"),
}
"""Calls whose results are worth knowing, by the name of the built-in."""

_HEAD = """\
# Built-in functions

Made from the checker's table by `scripts/builtin_docs.py`; the edge values are what the checker works out.

Built-ins are called like functions and need no `use`. `T` stands for any one of the types listed beside it. Where a
built-in works *by component*, a Float among vectors counts for every component: `max(v, 0.0)`. A function of your own
may take the name of any of them but `sample`, `at`, `put`, `emit` and `exchange`.

How exact a result is stands behind the signature:

| class | meaning |
|---|---|
| exact | no rounding takes place |
| correctly rounded | the Float nearest to the true value |
| as its text says | a function over basic operations; its text, given here, fixes each rounding |
| elementary | within the given number of units in the last place (ulp) of the true value, subnormal numbers included |

Where a text is given, it is that of the built-in's first type; the other types go the same way. The elementary
functions have texts too (`checker/prelude/elementary.kernel`), so their results have the same bits everywhere;
[accuracy.md](accuracy.md) tells how their errors were measured.

Every result is defined, for all arguments. Where mathematics has none, it is NaN or an infinity as in C. The examples
write `0.0 / 0.0` for a NaN and `1.0 / 0.0` for infinity.
"""

_CONSTRUCTORS = """\
## Constructors

| call | gives |
|---|---|
| `vecN(x)` | a vector with x in every component |
| `vecN(a, b, …)` | Floats and vectors side by side, N components in all |
| `matN(c0, c1, …)` | a matrix from its N columns |
| `matN(x, y, …)` | a matrix from N * N Floats, column by column |

N is 2, 3 or 4. Nothing is cut off: `vec2(vec3(1.0))` is refused, `vec3(1.0).xy` is the way.
"""


def page() -> str:
    """The whole page in Markdown."""
    values = edge_values()
    parts = [_HEAD]
    for title, names in SECTIONS.items():
        parts.append(f"## {title}\n")
        parts += [_entry(BY_NAME[name], values[name]) for name in names.split()]
    parts += [_CONSTRUCTORS, _words("Where a run stands", PLACE_WORDS, "()"), _words("Ports", PORT_WORDS, "")]
    return "\n".join(parts)


def _entry(contract: Contract, edges: Mapping[str, str]) -> str:
    name = contract.builtin.value
    forms = "<br>".join(_signature(name, overload) for overload in contract.overloads)
    traits = [*(["by component"] if contract.componentwise and contract.arity > 1 else []), _exactness(contract)]
    lines = [f"### {name}", "", f"{forms} · {' · '.join(traits)}", "", contract.doc, ""]
    lines += [f"- `{call}` is `{value}`" for call, value in edges.items()]
    if contract.builtin in COMPOSITE_BUILTINS:
        lines += ["", "```text", composite_text(contract.builtin), "```"]
    return "\n".join(lines) + "\n"


def _signature(name: str, overload: Overload) -> str:
    parameters = ", ".join(_pattern(p) for p in overload.parameters)
    form = f"`{name}({parameters}) -> {_pattern(overload.result)}`"
    if overload.choices:
        return f"{form}, T: {', '.join(str(c) for c in overload.choices)}"
    return f"{form}, T: any type" if "any" in overload.parameters else form


def _pattern(pattern: types.Type | str) -> str:
    return "T" if pattern == "any" else str(pattern)


def _exactness(contract: Contract) -> str:
    if contract.error is not ErrorClass.ELEMENTARY:
        return str(contract.error.value)
    return f"elementary, at most {ULPS[contract.builtin]} ulp"


def _words(title: str, words: Mapping[str, str], call: str) -> str:
    rows = [f"| `{name}{call}` | {doc} |" for name, doc in words.items()]
    return "\n".join([f"## {title}", "", "| word | gives |", "|---|---|", *rows]) + "\n"


# ---------------------------------------------------------------- edge values


def edge_values() -> dict[str, dict[str, str]]:
    """For each built-in its calls in `EDGES` with their values, as source writes them."""
    calls = [call for edges in EDGES.values() for call in edges]
    values = dict(zip(calls, _constants(calls), strict=True))
    return {name: {call: values[call] for call in edges} for name, edges in EDGES.items()}


def _constants(calls: Sequence[str]) -> Iterator[str]:
    """The values of constant expressions."""
    text = "\n".join(f"const E{i}: Int = {call};" for i, call in enumerate(calls))
    file, broken = parser.parse(text, "edges")
    ledger = Ledger()
    scope = declare_file("edges", file.items, ledger)
    declarations = Declarations(ledger)
    for item in file.items:
        assert isinstance(item.node, syntax.Const)
        value = declarations.constant_value(item.node.value, None, scope, Home("edges", item.key))
        assert value is not None, [d.message for d in (*broken, *ledger.page.problems.all())]
        yield _text(value)


def _text(value: ir.Const) -> str:
    """A constant as source writes it, but for NaN and Infinity."""
    if isinstance(value.type, types.Vec | types.Mat):
        parts = ", ".join(_float(int(bits)) for bits in value.leaves)
        return f"{str(value.type).lower()}({parts})"
    return _float(int(value.leaves[0])) if value.type is types.FLOAT else constant(value)


def _float(bits: int) -> str:
    """The shortest decimal that gives these bits back."""
    return repr(float(float_text(bits))).replace("nan", "NaN").replace("inf", "Infinity")


def main() -> None:
    PAGE.parent.mkdir(parents=True, exist_ok=True)
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
