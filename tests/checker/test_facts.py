"""Facts: what stands where in a file.

In the programs `«name»` marks all that one symbol is referred to by, `«!name»` its declaration, `«=name»` what
changes it.
"""

from __future__ import annotations

import re
from typing import NamedTuple

import pytest

from kcheck.checker import check_text
from kcheck.checker.builtins import CONTRACTS, Contract
from kcheck.checker.check import Loader
from kcheck.checker.checked import Checked
from kcheck.checker.facts import ItemFacts, Names, Reference, Symbol, SymbolKind, words
from kcheck.checker.lower.recording import Vocabulary, WordUse
from kcheck.checker.memo import Memo
from kcheck.grammar.spans import Origin, Span

PATH = "facts.kernel"
_MARK = re.compile(r"«(?P<sign>[!=]?)(?P<text>[^»]*)»")


class Mark(NamedTuple):
    """A marked stretch of a text without its marks."""

    sign: str
    text: str
    span: Span


def unmarked(marked: str) -> tuple[str, list[Mark]]:
    """The text without marks, and where they stood."""
    marks, parts, start = [], [], 0
    for found in _MARK.finditer(marked):
        parts += [marked[start : found.start()], found["text"]]
        end = sum(map(len, parts))
        marks.append(Mark(found["sign"], found["text"], Span(end - len(found["text"]), end)))
        start = found.end()
    return "".join((*parts, marked[start:])), marks


def absolute(checked: Checked) -> list[tuple[Span, Reference]]:
    """All references of a file with their places in it."""
    return [
        (reference.span.shifted(item.offset), reference)
        for item in checked.file.items
        for reference in checked.facts[item.key].references
    ]


def facts_at(checked: Checked, offset: int) -> tuple[ItemFacts, int]:
    """The facts of the item that holds a place of the file, and the place in it."""
    item = max((i for i in checked.file.items if i.offset <= offset), key=lambda i: i.offset)
    return checked.facts[item.key], offset - item.offset


def hold(kind: SymbolKind, detail: str, type_: str, marked: str, loader: Loader | None = None) -> Symbol:
    """Check that the marked names are all that stands for one symbol of this kind."""
    text, marks = unmarked(marked)
    checked = check_text(text, PATH, loader)
    found = absolute(checked)
    [symbol] = {r.symbol for span, r in found if span == marks[0].span and r.symbol.kind is kind}
    same = [(span, r) for span, r in found if r.symbol == symbol]
    assert [(span, "!" if r.is_declaration else "=" if r.is_write else "") for span, r in same] == [
        (mark.span, mark.sign) for mark in marks
    ]
    assert (symbol.detail, str(symbol.type)) == (detail, type_)
    declared = [mark.span for mark in marks if mark.sign == "!"]
    if symbol.origin is not None and symbol.origin.path == PATH:
        assert [checked.file.absolute(symbol.origin)] == declared
    return symbol


# ---------------------------------------------------------------- names

MAP = "kernel k.k@1 { requires { field.read; field.write; } input x: Rows<Int>; output r: Rows<Int>;"


K = SymbolKind
NAMES: dict[str, tuple[SymbolKind, str, str, str]] = {
    "let": (
        K.LOCAL,
        "let a: Int",
        "Int",
        MAP + "compute { let «!a» = sample(x); let b = «a» + 1; return b * «a»; } }",
    ),
    "a let that hides another": (
        K.LOCAL,
        "let a: Float",
        "Float",
        MAP + "compute { let a = sample(x); if a > 0 { let «!a» = float(a); return int(«a»); } return a; } }",
    ),
    "var": (
        K.LOCAL,
        "var v: Vec2",
        "Vec2",
        MAP + "compute { var «!v» = vec2(0.0); «=v».x = 1.0; «=v» += «v»; return int(«v».y); } }",
    ),
    "loop variable": (
        K.LOCAL,
        "i: Int",
        "Int",
        MAP + "compute { var s = 0; for «!i» in 0..9 until «i» > s { s += «i»; } return s; } }",
    ),
    "loop variable beside its bounds": (
        K.LOCAL,
        "let i: Int",
        "Int",
        MAP + "compute { var s = 0; let «!i» = 3; for i in 0..«i» { s += i; } return s; } }",
    ),
    "what a pattern binds": (
        K.LOCAL,
        "radius: Float",
        "Float",
        "enum S { Dot; Disc { r: Float; } }\n"
        + MAP
        + "compute { let s = Disc { r: 1.0 };"
        + " return match s { Disc { r: «!radius» } => int(«radius»), Dot => 0 }; } }",
    ),
    "what a pattern binds under the field's name": (
        K.LOCAL,
        "r: Float",
        "Float",
        "enum S { Dot; Disc { r: Float; } }\n"
        + MAP
        + "compute { let s = Disc { r: 1.0 }; return match s { Disc { «!r» } => int(«r»), Dot => 0 }; } }",
    ),
    "parameter": (
        K.PARAMETER,
        "a: Int",
        "Int",
        "fn f(«!a»: Int, b: Int) -> Int { return «a» + b * «a»; }\n" + MAP + "compute { return f(1, 2); } }",
    ),
    "parameter of merge": (
        K.PARAMETER,
        "a: Int",
        "Int",
        MAP + "compute over x { return sample(x); } merge(«!a», b) { return max(«a», b); } }",
    ),
    "carried value": (
        K.LOCAL,
        "y: Int",
        "Int",
        MAP + "scan over x with «!y» = 0 { return «y» + sample(x); } }",
    ),
    "function": (
        K.FUNCTION,
        "fn f(a: Int, b: [Float; N]) -> Int",
        "Int",
        "const N: Int = 2;\nfn «!f»(a: Int, /* all */ b: [Float;  N]) -> Int { return a; }\n"
        + "fn g(f: Int) -> Int { return «f»(f, [1.0, 2.0]); }\n"
        + MAP
        + "compute { return «f»(g(1), [0.0; N]); } }",
    ),
    "function of a kernel": (
        K.FUNCTION,
        "fn f() -> Int",
        "Int",
        "fn f() -> Int { return 1; }\n" + MAP + "fn «!f»() -> Int { return sample(x); } compute { return «f»(); } }",
    ),
    "function without a result": (
        K.FUNCTION,
        "fn f(i: Int)",
        "no value",
        MAP + "memory m: Rows<Int>; fn «!f»(i: Int) { put(m, i, 1); } scan over x with y = 0 { «f»(3); return y; } }",
    ),
    "function that hides a built-in": (
        K.FUNCTION,
        "fn max(a: Int, b: Int) -> Int",
        "Int",
        "fn «!max»(a: Int, b: Int) -> Int { return a; }\n" + MAP + "compute { return «max»(min(1, 2), 3); } }",
    ),
    "function that nobody calls": (
        K.FUNCTION,
        "fn f() -> Vec2",
        "Vec2",
        "fn «!f»() -> Vec2 { return coord(); } fn g() -> Float { return «f»().x; }\n",
    ),
    "built-in": (
        K.BUILTIN,
        "max(a: T, b: T) -> T",
        "None",
        MAP + "compute { return «max»(1, «max»(2, 3)); } example e { x = [1]; expect r = [3]; } }",
    ),
    "word that reads": (
        K.BUILTIN,
        "sample(field)",
        "None",
        MAP + "compute { return «sample»(x) + at(x, 0) + «sample»(x); } }",
    ),
    "way to combine": (
        K.BUILTIN,
        "with max",
        "None",
        MAP + "prefix over x with «max» { return max(sample(x), 0); } }",
    ),
    "constant": (
        K.CONST,
        "const N: Int = 4 * 2",
        "Int",
        "const «!N»: Int = 4 * 2;\nconst M: [Int; «N»] = [1; «N»];\n"
        + "fn f(a: [Float; «N»]) -> Float { return a[«N» - 1]; }\n"
        + MAP
        + "param p: Int = 1 in 0..«N»; compute { return «N» + p + M[0]; }"
        + " example e { x = [«N»]; domain = «N»; p = «N»; } }",
    ),
    "constant of a kernel": (
        K.CONST,
        "const N: Int = 8",
        "Int",
        "const N: Int = 1;\n" + MAP + "const «!N»: Int = 8; group «N» { return exchange(sample(x), «N» - 1); } }",
    ),
    "long constant": (
        K.CONST,
        "const A: [Int; 24] = [1000000, 1000000, 1000000, 1000000, 1000000, 1000000, 10000…",
        "[Int; 24]",
        "const «!A»: [Int; 24] = [" + ", ".join(["1000000"] * 24) + "];\n" + MAP + "compute { return «A»[index()]; } }",
    ),
    "input": (
        K.INPUT,
        "input x: Rows<Int>",
        "Rows<Int>",
        "kernel k.k@1 { requires { field.read; field.write; } input «!x»: Rows<Int>; output r: Rows<Int>;"
        + " fn f() -> Int { return at(«x», size(«x»)) + int(extent(«x»)); }"
        + " scan over «x» with y = 0 { return sample(«x») + f(); } example e { «x» = [1]; expect r = [1]; } }",
    ),
    "input that is scattered into": (
        K.INPUT,
        "input t: Rows<Int>",
        "Rows<Int>",
        MAP + "input «!t»: Rows<Int>; struct P { i: Int; v: Int; }"
        " scatter over x into «t» with sum { return P { i: at(«t», 0), v: 1 }; } }",
    ),
    "output": (
        K.OUTPUT,
        "output r: Rows<Int>",
        "Rows<Int>",
        "kernel k.k@1 { requires { field.read; field.write; } input x: Rows<Int>; output «!r»: Rows<Int>;"
        + " compute { return sample(x); } example e { x = [1]; expect «r» = [1]; } }",
    ),
    "output of a record": (
        K.OUTPUT,
        "output a: Rows<Float>",
        "Rows<Float>",
        "kernel k.k@1 { requires { field.write; } output «!a»: Rows<Float>; output b: Rows<Int>;"
        + " compute { let a = 1.0; if a > 2.0 { return { b: 1, «=a»: a }; } { «=a»: a + 1.0, b: 2 } }"
        + " example e { domain = 1; expect «a» = [2]; expect b = [2]; } }",
    ),
    "memory": (
        K.MEMORY,
        "memory ram: Rows<Int>",
        "Rows<Int>",
        MAP
        + "memory «!ram»: Rows<Int>; scan over x with y = 0 { put(«=ram», y, at(«ram», size(«ram») - 1)); return y; }"
        " example e { x = [1]; «ram» = [2]; expect «ram» = [2]; expect r = [0]; } }",
    ),
    "param": (
        K.PARAM,
        "param k: Float = 0.1 in 0.0..1.0",
        "Float",
        MAP + "param «!k»: Float = 0.1 in 0.0..1.0; compute over x { return int(«k»); }"
        " merge(a, b) { return a + b + int(«k»); } example e { x = [1]; «k» = 1.0; expect r = [1]; } }",
    ),
    "param that is called like an option": (
        K.PARAM,
        "param domain: Float",
        "Float",
        MAP + "param «!domain»: Float; compute { return sample(x) + int(«domain»); }"
        " example e { x = [1]; param «domain» = 1.0; domain = 1; } }",
    ),
    "struct": (
        K.STRUCT,
        "struct P { x: Float; n: [Int; 2]; }",
        "P",
        "struct «!P» { x: Float; n: [Int; 2]; }\nstruct Q { p: [«P»; 2]; }\n"
        + "fn f(p: «P») -> «P» { let q: «P» = p; return «P» { x: 1.0, n: q.n }; }\n"
        + "kernel k.k@1 { requires { field.read; field.write; } input x: Grid<«P»>; output r: Grid<«P»>;"
        + " compute { return f(sample(x)); } example e { x = [[«P» { x: 1, n: [1, 2] }]]; } }",
    ),
    "struct of a kernel": (
        K.STRUCT,
        "struct P { x: Int; }",
        "P",
        "struct P { y: Int; }\n"
        + MAP
        + "struct «!P» { x: Int; } fn f(p: «P») -> Int { return p.x; } compute { return f(«P» { x: 1 }); } }",
    ),
    "field": (
        K.FIELD,
        "sum: Int",
        "Int",
        "struct P { «!sum»: Int; x: Float; }\nstruct Q { sum: Float; p: P; }\n"
        + "kernel k.k@1 { requires { field.read; field.write; } input x: Rows<P>; output r: Rows<Int>; compute {"
        + " let sum = 1; var q = Q { sum: 1.0, p: P { x: 2.0, «sum»: sum } }; q.p.«=sum» += 1; q.p.«=sum» = sum;"
        + " return q.p.«sum» + sample(x).«sum»; } example e { x = [{ «sum»: 1, x: 2 }, P { «sum»: 1, x: 2 }]; } }",
    ),
    "field of a kernel's struct": (
        K.FIELD,
        "a: Int",
        "Int",
        MAP + "struct P { «!a»: Int; b: Int; } scatter over x into x with sum"
        " { let p = P { «a»: 1, b: 2 }; return P { «a»: p.«a», b: 1 }; } }",
    ),
    "field of a variant": (
        K.FIELD,
        "r: Float",
        "Float",
        "enum S { Dot; Disc { «!r»: Float; } Ring { r: Float; } }\n"
        + "fn f(s: S) -> Float {\n"
        + "  let t = S.Disc { «r»: 1.0 };\n  let r = match s { Disc { «r» } => r, Ring { r } => r, Dot => 0.0 };\n"
        + "  return match t { Disc { «r»: s } => s + r, _ => 0.0 };\n}\n"
        + "kernel k.k@1 { requires { field.read; field.write; } input x: Rows<S>; output r: Rows<Float>;"
        + " compute { return f(sample(x)); } example e { x = [Dot, Disc { «r»: 1 }, S.Ring { r: 2 }]; } }",
    ),
    "enum": (
        K.ENUM,
        "enum S { Dot; Disc { r: Float; at: Vec2; } }",
        "S",
        "enum «!S» { Dot; Disc { r: Float; at: Vec2; } }\n"
        + "fn f(s: «S») -> «S» { return match s { «S».Dot => «S».Disc { r: 1.0, at: vec2(0.0) }, _ => «S».Dot }; }\n"
        + "kernel k.k@1 { requires { field.read; field.write; } input x: Rows<«S»>; output r: Rows<«S»>;"
        + " compute { return f(sample(x)); } example e { x = [«S».Dot, «S».Disc { r: 1, at: [0, 0] }]; } }",
    ),
    "variant": (
        K.VARIANT,
        "Dot",
        "S",
        "enum S { «!Dot»; Disc { r: Float; } }\n"
        + "fn f(s: S) -> S { if s == «Dot» { return S.«Dot»; } match s { «Dot» | Disc => «Dot» } }\n"
        + "kernel k.k@1 { requires { field.read; field.write; } input x: Rows<S>; output r: Rows<S>;"
        + " compute { let Dot = 1; return f(if Dot > 2 { sample(x) } else { S.«Dot» }); }"
        + " example e { x = [«Dot», S.«Dot»]; } }",
    ),
    "variant with fields": (
        K.VARIANT,
        "Disc { r: Float; }",
        "S",
        "enum S { Dot; «!Disc» { r: Float; } }\nenum T { Disc; }\n"
        + "fn f(s: S) -> S { return match s { S.«Disc» { r: q } => S.Dot, «Disc» => S.«Disc» { r: 1.0 }, _ => s }; }\n"
        + "fn g(t: T) -> Bool { return t == Disc; }\n",
    ),
    "built-in type": (
        K.TYPE,
        "Float",
        "Float",
        "struct P { a: «Float»; }\nfn f(a: «Float») -> Int { let b: [«Float»; 2] = [a, a]; return 1; }\n"
        + "kernel k.k@1 { requires { field.write; } output r: Grid<«Float»>; compute { return 1.0; } }",
    ),
    "type of a port": (
        K.TYPE,
        "Rows",
        "None",
        "kernel k.k@1 { requires { field.read; field.write; } input a: «Rows»<Int>; output r: «Rows»<Int>;"
        + " compute { return sample(a); } }",
    ),
    "kernel": (K.KERNEL, "kernel k.k@1", "None", MAP.replace("k.k@1", "«!k.k@1»") + "compute { return sample(x); } }"),
    "scene": (K.SCENE, "scene demo", "None", "scene «!demo» { input x: Rows<Int>; output y <- x; }"),
    "example": (K.EXAMPLE, "example e", "None", MAP + "compute { return 1; } example «!e» { x = [1]; } }"),
    "permission": (
        K.PERMISSION,
        "field.write",
        "None",
        "kernel k.k@1 { requires { «field.write»; } output r: Rows<Int>; compute { return 1; } }",
    ),
    "option of an example": (
        K.BUILTIN,
        "domain = (w, h)",
        "None",
        "kernel k.k@1 { requires { field.write; } output r: Rows<Int>; compute { return int(domain()); }"
        + " example e { «domain» = 2; } }",
    ),
    "generator": (
        K.BUILTIN,
        "random(size, seed=0)",
        "None",
        "kernel k.k@1 { requires { field.read; field.write; } input a: Rows<Float>; input b: Rows<Float>;"
        + " output r: Rows<Float>; compute { return sample(a) + sample(b) + random(1); }"
        + " example e { a = «random»(3); b = «random»(3, seed=1); } }",
    ),
}


@pytest.mark.parametrize("name", NAMES)
def test_names(name: str) -> None:
    hold(*NAMES[name])


def test_a_pattern_names_a_local_and_a_field_at_one_place() -> None:
    text = "enum S { Disc { r: Float; } }\nfn f(s: S) -> Float { return match s { Disc { r } => r }; }\n"
    checked = check_text(text, PATH)
    facts, offset = facts_at(checked, text.index("r } =>"))
    assert {(r.symbol.kind, r.is_declaration) for r in facts.at(offset)} == {(K.LOCAL, True), (K.FIELD, False)}


def test_docs_and_owners() -> None:
    text = """\
enum S {
  /// Round.
  Disc {
    /// From the middle to the edge.
    r: Float;
  }
}
/// Twice as much.
fn twice(x: Float) -> Float { return x + x; }
"""
    facts = check_text(text, PATH).facts
    disc, r = (x.symbol for x in facts["enum S"].references if x.is_declaration and x.symbol.name != "S")
    [twice] = (x.symbol for x in facts["fn twice"].references if x.symbol.name == "twice")
    assert (disc.owner, disc.doc) == ("S", "Round.")
    assert (r.owner, r.doc) == ("S.Disc", "From the middle to the edge.")
    assert (twice.owner, twice.doc) == ("", "Twice as much.")


# ---------------------------------------------------------------- files that are used

LIBRARY = """\
/// Light of a colour.
fn light(c: Colour) -> Float { return c.r; }
struct Colour { r: Float; g: Float; }
enum Kind { Warm; Cold { by: Float; } }
const LIMIT: Float = 0.5;
"""


def load(package: str) -> tuple[str, bytes] | None:
    return ("lib/colours.kernel", LIBRARY.encode()) if package == "lib.colours" else None


@pytest.mark.parametrize(
    ("marked", "kind", "detail", "item", "declared"),
    [
        ("«light»(c) + «light»(c)", K.FUNCTION, "fn light(c: Colour) -> Float", "fn light", "light(c"),
        ("light(c) + c.«g»", K.FIELD, "g: Float", "struct Colour", "g: Float"),
        ("«LIMIT» + c.g", K.CONST, "const LIMIT: Float = 0.5", "const LIMIT", "LIMIT:"),
        ("if k == Warm { 1.0 } else { match k { Kind.«Cold» => 0.0, _ => 2.0 } }", K.VARIANT, "Cold { by: Float; }",
         "enum Kind", "Cold"),
        ("match k { Cold { «by» } => by, _ => 0.0 }", K.FIELD, "by: Float", "enum Kind", "by:"),
    ],
)  # fmt: skip
def test_names_of_used_files(marked: str, kind: SymbolKind, detail: str, item: str, declared: str) -> None:
    symbol = hold(
        kind,
        detail,
        "Kind" if kind is K.VARIANT else "Float",
        f"use lib.colours;\nfn f(c: Colour, k: Kind) -> Float {{ return {marked}; }}\n",
        load,
    )
    assert symbol.origin is not None
    start = LIBRARY.index(declared) - (LIBRARY.index("/// Light") if item == "fn light" else LIBRARY.index(item))
    assert symbol.origin == Origin("lib/colours.kernel", item, Span(start, start + len(symbol.name)))


def test_a_used_file_is_the_origin_of_its_package() -> None:
    symbol = hold(K.PACKAGE, "use lib.colours", "None", "use «lib.colours»;\nfn f() -> Float { return LIMIT; }\n", load)
    assert symbol.origin == Origin("lib/colours.kernel", "", Span(0, 0))


def test_an_unknown_package_is_nothing() -> None:
    assert check_text("use lib.none;\n", PATH, load).facts["use lib.none"].references == ()


# ---------------------------------------------------------------- types of expressions


@pytest.mark.parametrize(
    ("marked", "type_"),
    [
        ("let a = «1 + 2»; return a;", "Int"),
        ("let a = «1.0 + 2.0» + 3.0; return int(a);", "Float"),
        ("let a = «vec2(1.0) * 2.0»; return int(a.x);", "Vec2"),
        ("let a = «vec3(1.0, 2.0, 3.0).xz»; return int(a.x);", "Vec2"),
        ("let a = [«vec3(1.0).y», 2.0]; return int(a[1]);", "Float"),
        ("let a = «[1.0, 2.0]»; return int(a[1]);", "[Float; 2]"),
        ("let a = «[true; 3]»; return int(a[1]);", "[Bool; 3]"),
        ("let a = «[mat2(1.0, 2.0, 3.0, 4.0)][0]»; return int(a[1].x);", "Mat2"),
        ("return «sample(x)»;", "Int"),
        ("return «if 1 > 2 { 3 } else { 4 }»;", "Int"),
        ("return int(«match 1 { 2 => 1.0, _ => 2.0 }»);", "Float"),
        ("let a = «{ let b = 1; b > 2 }»; return int(a);", "Bool"),
        ("let a = «!true»; return int(a);", "Bool"),
        ("var a = 1.5; a += «-a»; return int(a);", "Float"),
        ("if «1 > 2 && true» { return 1; } return 2;", "Bool"),
        ("let a = «P { x: 1.0 }»; return int(a.x);", "P"),
        ("let a = P { x: «float(1) * 0.5» }; return int(a.x);", "Float"),
        ("return «P { x: 1.0 }.x»;", "Float"),
        ("let a = «Dot»; return int(a == S.Dot);", "S"),
        ("let a = «S.Dot»; return int(a == Dot);", "S"),
        ("«1 + 2»", "Int"),
        ("for i in 0..«4» { } return 1;", "Int"),
    ],
)
def test_types(marked: str, type_: str) -> None:
    text, [mark] = unmarked(f"struct P {{ x: Float; }} enum S {{ Dot; Line; }}\n{MAP} compute {{ {marked} }} }}")
    facts, start = facts_at(check_text(text, PATH), mark.span.start)
    assert str(facts.types[Span(start, start + len(mark.text))]) == type_


def test_a_function_for_any_domain_has_the_types_of_its_first_kernel() -> None:
    kernels = "\n".join(
        f"kernel k.k@{i} {{ requires {{ field.write; }} output r: {rank}<Int>; compute {{ return f(); }} }}"
        for i, rank in enumerate(("Grid", "Rows", "Volume"))
    )
    text = f"fn f() -> Int {{ let c = coord(); return int(c == c); }}\n{kernels}\n"
    facts = check_text(text, PATH).facts["fn f"]
    named = [r for r in facts.references if r.symbol.name == "c"]
    assert [str(r.symbol.type) for r in named] == ["Vec2"] * 3
    assert [str(facts.types[r.span]) for r in named if not r.is_declaration] == ["Vec2"] * 2


# ---------------------------------------------------------------- calls


@pytest.mark.parametrize(
    ("call", "parameters"),
    [
        ("f(1, vec2(0.0))", "count: Int, at: Vec2"),
        ("f(1)", "count: Int, at: Vec2"),
        ("f()", "count: Int, at: Vec2"),
        ("g(2.0)", "x: None"),
        ("max(1, 2)", "a: Int, b: Int"),
        ("max(vec2(1.0), 2.0)", "a: Vec2, b: Vec2"),
        ("max(1, 2.0)", "a: None, b: None"),
        ("clamp(1)", "x: None, low: None, high: None"),
        ("select(true, 1, 2)", "condition: Bool, a: Int, b: Int"),
        ("vec3(1.0, 2.0, 3.0)", "x: Float, y: Float, z: Float"),
        ("vec3(vec2(1.0), 3.0)", ""),
        ("sample(x)", "field: Rows<Int>"),
        ("sample(x, 0.5)", "field: Rows<Int>, position: Float"),
        ("at(x, 1)", "field: Rows<Int>, address: Int"),
        ("at(x, 1, 2, 3)", "field: Rows<Int>, x: Int, y: Int, z: Int"),
        ("at(x)", "field: Rows<Int>, address: None"),
        ("size(x)", "field: Rows<Int>"),
        ("index()", ""),
    ],
)
def test_calls(call: str, parameters: str) -> None:
    functions = "fn f(count: Int, at: Vec2) -> Int { return count; } fn g(x: Strange) -> Int { return 1; }"
    text = f"{functions}\n{MAP} compute {{ return {call}; }} }}"
    facts, start = facts_at(check_text(text, PATH), text.index(f"{call};"))
    [site] = [site for site in facts.calls if site.span.start == start]
    assert site.span == Span(start, start + len(call))
    assert site.name == Span(start, start + call.index("("))
    assert site.symbol.name == call[: call.index("(")]
    assert ", ".join(f"{p.name}: {p.type}" for p in site.parameters) == parameters
    assert len(site.arguments) == len(_arguments(call))


def _arguments(call: str) -> list[str]:
    """The arguments of a call whose own arguments hold calls of one argument at most."""
    inside = re.sub(r"\([^()]*\)", "", call[call.index("(") + 1 : -1])
    return [part for part in inside.split(",") if part]


@pytest.mark.parametrize(
    ("statement", "parameters"),
    [
        ("put(m, 1, 2)", "memory: Rows<Int>, address: Int, value: Int"),
        ("put(m, 1, 2, 3)", "memory: Rows<Int>, x: Int, y: Int, value: Int"),
        ("f(1)", "i: Int"),
    ],
)
def test_calls_that_act(statement: str, parameters: str) -> None:
    members = "memory m: Rows<Int>; fn f(i: Int) { put(m, i, 0); }"
    text = f"{MAP} {members} scan over x with y = 0 {{ {statement}; return y; }} }}"
    facts, start = facts_at(check_text(text, PATH), text.index(f"{statement};"))
    [site] = [site for site in facts.calls if site.span.start == start]
    assert ", ".join(f"{p.name}: {p.type}" for p in site.parameters) == parameters


def test_calls_in_examples() -> None:
    text = MAP + 'compute { return 1; } example e { x = zeros(3); } example g { x = file("x.npy"); } }'
    [facts] = check_text(text, PATH).facts.values()
    assert [(site.symbol.name, [p.name for p in site.parameters]) for site in facts.calls] == [
        ("zeros", ["size"]),
        ("file", ["path"]),
    ]


@pytest.mark.parametrize("contract", CONTRACTS.values(), ids=lambda c: c.builtin.value)
def test_every_built_in_names_its_arguments(contract: Contract) -> None:
    word = WordUse(Vocabulary.CALL, contract.builtin.value)
    named = [name for name, _ in words.parameters(word, [])]
    assert len(set(named)) == len(named) == contract.arity
    assert all(f"{name}: " in words.detail(word) for name in named)
    assert words.doc(word) == contract.doc


# ---------------------------------------------------------------- names in sight


def in_sight(marked: str, loader: Loader | None = None) -> Names:
    """The names in sight where `|` stands."""
    start = marked.index("|")
    facts, offset = facts_at(check_text(marked[:start] + marked[start + 1 :], PATH, loader), start)
    return facts.names(offset)


LOCALS = {K.LOCAL, K.PARAMETER}


@pytest.mark.parametrize(
    ("marked", "locals_"),
    [
        ("fn f(a: Int) -> Int { | let b = a; return b; }", "a: Int"),
        ("fn f(a: Int) -> Int { let b = |a; return b; }", "a: Int"),
        ("fn f(a: Int) -> Int { let b = a;| return b; }", "a: Int, let b: Int"),
        ("fn f(a: Int) -> Int { let a = 1.0; | return 1; }", "let a: Float"),
        ("fn f(a: Int) -> Int { if a > 0 { let b = a; } | return 1; }", "a: Int"),
        ("fn f(a: Int) -> Int { if a > 0 { let b = a; | } return 1; }", "a: Int, let b: Int"),
        ("fn f(a: Int) -> Int { if a > 0 { let b = a; } else { | } return 1; }", "a: Int"),
        ("fn f(a: Int) -> Int { for i in 0..|a { } return 1; }", "a: Int"),
        ("fn f(a: Int) -> Int { for i in 0..a until i > |a { } return 1; }", "a: Int, i: Int"),
        ("fn f(a: Int) -> Int { for i in 0..a { | } return 1; }", "a: Int, i: Int"),
        ("fn f(a: Int) -> Int { for i in 0..a { } | return 1; }", "a: Int"),
        ("fn f(s: S) -> Int { return match s { Disc { r } => |int(r), _ => 1 }; }", "r: Float, s: S"),
        ("fn f(s: S) -> Int { return match s { Disc { r: q } => { | int(q) } _ => 1 }; }", "q: Float, s: S"),
        ("fn f(s: S) -> Int { return match s { Disc { r } => int(r), _ => |1 }; }", "s: S"),
        ("fn f(s: |S) -> Int { return 1; }", ""),
        (MAP + "scan over x with y = |0 { return y; } }", ""),
        (MAP + "scan over x with y = 0 { | return y; } }", "y: Int"),
        (MAP + "compute over x { | return 1; } merge(a, b) { return a; } }", ""),
        (MAP + "compute over x { return 1; } merge(a, b) { | return a; } }", "a: Int, b: Int"),
        (MAP + "fn f(a: Int) -> Int { return a; } compute { let b = 1; | return f(b); } }", "let b: Int"),
        ("fn f(a: Int) -> Int { let b = a; let c = ; | return b; }", "a: Int, let b: Int, let c"),
        ("fn f(a: Int) -> Int { let b = a; return b.| }", "a: Int, let b: Int"),
        ("fn f(a: Int) -> Int { let b = strange(a); | return a; }", "a: Int, let b"),
        ("fn f(a: Int) -> Int { let b = a; | ", "a: Int, let b: Int"),
        ("fn f(a: Int) -> Int { let b = a; if a > 0 { let c = a; } | ", "a: Int, let b: Int"),
        ("fn f(a: Int) -> Int { let b = a; if a > 0 { let c = a; | ", "a: Int, let b: Int, let c: Int"),
        ("fn f(a: Int) -> Int { return a; } | ", ""),
    ],
)
def test_locals_in_sight(marked: str, locals_: str) -> None:
    values = in_sight(f"enum S {{ Dot; Disc {{ r: Float; }} }}\n{marked}").values
    found = sorted((name, symbol.detail) for name, symbol in values.items() if symbol.kind in LOCALS)
    assert ", ".join(detail for _, detail in found) == locals_


def test_names_of_a_kernel_are_in_sight_in_it_alone() -> None:
    kernel = (
        MAP + "param k: Int = 1; memory m: Rows<Int>; const N: Int = 1; struct P { a: Int; } enum S { Dot; }"
        " fn f() -> Int { return 1; } scan over x with y = 0 { return ~y; } }"
    )
    inside = in_sight("const M: Int = 2; fn g() { }\n" + kernel.replace("~", "|"))
    assert set("xrkmNMy") | {"Dot"} == inside.values.keys()
    assert {"f", "g", "max", "sample"} < inside.functions.keys()
    assert {"P", "S", "Float", "Rows"} < inside.types.keys()
    outside = in_sight("const M: Int = 2; fn g() { | }\n" + kernel.replace("~", ""))
    assert {"M"} == outside.values.keys()
    assert "f" not in outside.functions
    assert {"P", "S"}.isdisjoint(outside.types)


def test_the_nearest_of_a_name_is_in_sight() -> None:
    names = in_sight(
        "use lib.colours; const LIMIT: Int = 1; fn max(a: Int, b: Int) -> Int { return a; }\n"
        + MAP
        + "const LIMIT: Bool = true; fn light() -> Int { return 1; } compute { let x = 1.5; | return 1; } }",
        load,
    )
    assert names.values["LIMIT"].detail == "const LIMIT: Bool = true"
    assert names.values["x"].detail == "let x: Float"
    assert names.functions["light"].detail == "fn light() -> Int"
    assert names.functions["max"].detail == "fn max(a: Int, b: Int) -> Int"
    assert names.types["Colour"].detail == "struct Colour { r: Float; g: Float; }"
    assert {"Warm", "Cold", "by"} & names.values.keys() == {"Warm", "Cold"}


def test_visible_prefers_values() -> None:
    text = "fn f(max: Int) -> Int { return max; }\n"
    facts = check_text(text, PATH).facts["fn f"]
    assert facts.visible(text.index("return"))["max"].kind is K.PARAMETER
    assert facts.visible(0)["max"].kind is K.BUILTIN
    assert facts.visible(0)["f"].kind is K.FUNCTION
    assert facts.visible(0)["Float"].kind is K.TYPE


# ---------------------------------------------------------------- lanes of groups

GROUP = (
    "kernel k.k@1 { requires { field.read; field.write; } input x: Rows<Int>; output r: Rows<Int>; param p: Int = 1;"
)


def lanes(text: str) -> tuple[set[str], set[str]]:
    """What differs between lanes, as it is written, and the locals that do not."""
    checked = check_text(text, PATH)
    assert not checked.has_errors, checked.diagnostics
    divergent, uniform = set(), set()
    for item in checked.file.items:
        facts = checked.facts[item.key]
        divergent |= {item.text[s.start : s.end] for s in facts.divergent}
        uniform |= {item.text[s.start : s.end] for s in facts.uniform}
    return divergent, uniform


@pytest.mark.parametrize(
    ("body", "divergent", "uniform"),
    [
        ("let a = p + 1; return a;", {}, {"a"}),
        ("let a = lane(); return a + 1;", {"a", "lane()", "a + 1"}, {}),
        ("let a = sample(x) + p; return p;", {"a", "sample(x)", "sample(x) + p"}, {}),
        ("let a = exchange(sample(x), 0); return a;", {"sample(x)"}, {"a"}),
        (
            "var a = 0; if lane() > 1 { a = p; } let b = a; return p;",
            {"lane()", "lane() > 1", "a", "b"},
            {},
        ),
        ("var a = 0; if p > 1 { a = p; } let b = a; return b;", {}, {"a", "b"}),
        ("var s = 0; for i in 0..p { s += i; } return s;", {}, {"s", "i"}),
        ("var s = 0; for i in 0..lane() { s += i; } return p;", {"lane()", "s"}, {"i"}),
        (
            "let a = E.Some { v: lane() }; return match a { Some { v: q } => q, _ => 0 };",
            {"a", "lane()", "E.Some { v: lane() }", "q", "match a { Some { v: q } => q, _ => 0 }"},
            {},
        ),
        ("return f(1, lane());", {"c", "n", "lane()"}, {"m"}),
    ],
)
def test_lanes(body: str, divergent: set[str], uniform: set[str]) -> None:
    functions = "enum E { None; Some { v: Int; } }\nfn f(m: Int, n: Int) -> Int { let c = n; return m; }"
    assert lanes(f"{functions}\n{GROUP} group 4 {{ {body} }} }}") == (set(divergent), set(uniform))


def test_a_function_differs_where_one_of_its_callers_does() -> None:
    function = "fn f(m: Int, n: Int) -> Int { return m; }"
    kernels = (
        GROUP + " group 4 { return f(1, 2); } }\n" + GROUP.replace("@1", "@2") + " group 4 { return f(lane(), 2); } }"
    )
    divergent, uniform = lanes(f"{function}\n{kernels}\n")
    assert ("m" in divergent, "n" in uniform) == (True, True)


def test_functions_of_used_files_run_in_groups_too() -> None:
    body = "group 4 { let c = Colour { r: float(lane()), g: 0.0 }; let a = light(c); return int(a); } }"
    checked = check_text(f"use lib.colours;\n{GROUP} {body}", PATH, load)
    facts, offset = facts_at(checked, checked.file.text.index("a = light"))
    assert Span(offset, offset + 1) in facts.divergent


def test_nothing_differs_outside_groups() -> None:
    assert lanes(MAP + "compute { let a = sample(x); return a; } }") == (set(), set())


# ---------------------------------------------------------------- files with errors


@pytest.mark.parametrize(
    ("kind", "detail", "type_", "marked"),
    [
        (K.LOCAL, "let a: Int", "Int", "fn f() -> Int { let «!a» = 1; let b = ; return «a» + 1; }"),
        (K.LOCAL, "let a: Int", "Int", "fn f() -> Int { let «!a» = 1; let b = strange(«a», other); return «a»; }"),
        (K.LOCAL, "let a: Int", "Int", "fn f() -> Int { let «!a» = 1; return «a» + 1.0; }"),
        (K.LOCAL, "let a: Int", "Int", "fn f() -> Int { let «!a» = 1; «=a» = 2; return max(«a»); }"),
        (K.LOCAL, "let a", "None", "fn f() -> Int { let «!a» = strange(); return «a» + «a»; }"),
        (K.LOCAL, "let a", "None", "fn f() -> Int { let «!a» = ; return «a»; }"),
        (K.LOCAL, "let a: Float", "Float", "fn f() -> Int { let «!a»: Float = 1; return int(«a»); }"),
        (K.LOCAL, "let a: Int", "Int", "fn f() -> Int { return 1; let «!a» = 1; return «a» + 1.0; }"),
        (K.LOCAL, "let s: S", "S", "enum S { Dot; }\nfn f() -> Int { let «!s» = S.Dot; return match «s» { L => 1 }; }"),
        (K.PARAMETER, "a", "None", "fn f(«!a»: Strange) -> Int { return «a»; }"),
        (K.FUNCTION, "fn f()", "no value", "fn «!f»() { return 1; }\nfn g() -> Int { return «f»(1) + «f»(); }"),
        (K.FUNCTION, "fn f() -> Int", "Int", "fn «!f»() -> Int { return «f»(); }"),
        (K.CONST, "const N: Int = N + 1", "None", "const «!N»: Int = «N» + 1;"),
        (K.STRUCT, "struct P { a: Strange; }", "None", "struct «!P» { a: Strange; }\nfn f(p: «P») -> «P» { }"),
        (K.INPUT, "input x: Rows<Int>", "Rows<Int>",
         "kernel k.k@1 { requires { field.read; } input «!x»: Rows<Int>; compute { sample(«x», 1, 2) + «x» } }"),
        (K.OUTPUT, "output r: Rows<Int>", "Rows<Int>",
         "kernel k.k@1 { requires { field.write; } output «!r»: Rows<Int>; compute { «=r» = 1; return at(«r», 1); }"
         " example e { «r» = [1]; } }"),
        (K.PARAM, "param k: Float", "Float",
         "kernel k.k@1 { param «!k»: Float; output r: ; compute { return «k»; } example e { «k» = 1; «k» = 2; } }"),
    ],
)  # fmt: skip
def test_names_beside_errors(kind: SymbolKind, detail: str, type_: str, marked: str) -> None:
    assert check_text(unmarked(marked)[0]).has_errors
    hold(kind, detail, type_, marked)


def test_the_second_of_a_name_is_another_thing() -> None:
    text = "const N: Int = 1;\nconst N: Float = 2.0;\nfn f() -> Int { return N; }\n"
    facts = check_text(text, PATH).facts
    [first], [second] = (
        [r.symbol for r in facts[key].references if r.is_declaration] for key in ("const N", "const N#2")
    )
    [used] = (r.symbol for r in facts["fn f"].references if r.symbol.name == "N")
    assert used == first
    assert first.origin != second.origin


@pytest.mark.parametrize("text", ["fn f() { let a = b; return a + b; }", "fn f() { b = 1; let a = b; }"])
def test_unknown_names_stand_for_nothing(text: str) -> None:
    assert {r.symbol.name for r in check_text(text, PATH).facts["fn f"].references} == {"f", "a"}


# ---------------------------------------------------------------- facts as values


def test_facts_of_equal_texts_are_equal() -> None:
    text = "const N: Int = 1;\nfn f() -> Int { return N; }\n"
    assert check_text(text, PATH).facts == check_text(text, PATH).facts


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("const N: Int = 1;", "const N: Int = 2;"),
        ("const N: Int = 1;", "const N: Float = 1.0;"),
        ("return N;", "return 1;"),
        ("fn g() {", "fn h() {"),
    ],
)
def test_facts_follow_what_they_tell_of(old: str, new: str) -> None:
    text = "fn g() { }\nconst N: Int = 1;\nfn f() -> Int { return N; }\n"
    assert check_text(text, PATH).facts["fn f"] != check_text(text.replace(old, new), PATH).facts["fn f"]


def test_one_thing_with_other_knowledge_is_the_same() -> None:
    text = "const N: Int = 1;\n"
    [first] = check_text(text, PATH).facts["const N"].references[:1]
    [second] = check_text(text.replace("1", "2"), PATH).facts["const N"].references[:1]
    assert first.symbol != second.symbol
    assert first.symbol.is_same(second.symbol)
    assert not first.symbol.is_same(check_text("struct N { }\n", PATH).facts["struct N"].references[0].symbol)


def test_facts_rest_on_those_of_an_earlier_check() -> None:
    memo = Memo()
    kernel = f"{GROUP} group 4 {{ return f(1, 2); }} }}"
    text = f"fn f(m: Int, n: Int) -> Int {{ return m; }}\nfn g() -> Int {{ return 1; }}\n{kernel}\n"
    first = check_text(text, PATH, memo=memo).facts
    moved = check_text(f"\n{text}fn h() {{ }}\n", PATH, memo=memo).facts
    assert {key for key in first if moved[key].rests_on(first[key])} == set(first)
    edited = check_text(text.replace("return 1;", "return 2;"), PATH, memo=memo).facts
    assert {key for key in first if edited[key].rests_on(moved[key])} == set(first) - {"fn g"}
    uneven = check_text(text.replace("f(1, 2)", "f(lane(), 2)"), PATH, memo=memo).facts
    assert {key for key in first if uneven[key].rests_on(first[key])} == {"fn g"}
