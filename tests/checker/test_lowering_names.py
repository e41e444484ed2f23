"""Names: namespaces, what hides what, what is unknown, and what goes round in circles."""

from __future__ import annotations

import pytest

from kcheck.checker.ir import content_hash
from tests.checker.sources import ERROR, HINT, WARNING, checked_of, gives, kernel, program, refused

ALL = (ERROR, WARNING, HINT)

# ---------------------------------------------------------------- namespaces

MEANINGS = {
    "a value and a function of one name": ("let max = 3; return max(max, sample(x));", "", 5),
    "a value and a type of one name": ("let S = S { S: 4 }; return S.S + sample(x);", "struct S { S: Int; }", 9),
    "contextual words as values": (
        "let sum = 1; let min = 2; let last = 3; let over = 4; let emit = 5; let at = 6; return sum + min + last + over"
        " + emit + at + sample(x);",
        "",
        26,
    ),
    "contextual words as functions": ("return scan(1) + group(2) + expect(3);", "", 6),
    "contextual words as fields": (
        "let v = S { sum: 1, max: 2, group: 3 }; return v.sum + v.max * v.group;",
        "struct S { sum: Int; max: Int; group: Int; }",
        7,
    ),
    "a function of the user's hides a pure built-in": ("return min(7, 8);", "", 15),
    "a hidden built-in stays in the prelude": (
        "return int(clamp(9.0, 1.0, 2.0));",
        "fn max(a: Float) -> Float { return 0.0; }",
        2,
    ),
    "a built-in's name as a value": ("let floor = 2; return floor;", "", 2),
    "a local before a bare variant": ("let Dot = 5; return Dot;", "enum E { Dot; }", 5),
    "an inner local": ("let a = 1; { let a = 2; } return a;", "", 1),
    "a local after its block": ("let a = { let b = 3; b }; let b = 4; return a * 10 + b;", "", 34),
    "a local from its let on": ("let x2 = 1; let x2 = x2 + 1; return x2;", "", 2),
    "items in any order": (
        "return a(1);",
        "fn a(v: Int) -> Int { return b(v) + N; } const N: Int = M; const M: Int = 5;"
        " fn b(v: Int) -> Int { return S { v: v }.v; } struct S { v: Int; }",
        6,
    ),
    "a parameter hides a constant": ("return f(3);", "const n: Int = 1; fn f(n: Int) -> Int { return n; }", 3),
}
FUNCTIONS = """
fn scan(v: Int) -> Int { return v; }
fn group(v: Int) -> Int { return v; }
fn expect(v: Int) -> Int { return v; }
fn min(a: Int, b: Int) -> Int { return a + b; }
"""


@pytest.mark.parametrize(("body", "items", "value"), MEANINGS.values(), ids=MEANINGS)
def test_what_names_mean(body: str, items: str, value: int) -> None:
    gives(kernel(body, before=FUNCTIONS + items), {"r": [value]}, x=[5], domain=(1,))


def test_members_hide_items_and_locals_hide_members() -> None:
    members = "const n: Int = 20; struct S { v: Int; } fn f(v: Int) -> Int { return v + n; }"
    items = "const n: Int = 1; struct S { w: Int; } fn f(v: Int) -> Int { return v; }"
    gives(kernel("return f(S { v: 3 }.v);", before=items, members=members), {"r": [23]}, x=[5], domain=(1,))
    gives(kernel("let n = 7; return n;", before=items, members=members), {"r": [7]}, x=[5], domain=(1,))


def test_nested_functions_see_ports_and_params() -> None:
    members = "param k: Int = 2; fn f(v: Int) -> Int { return v * k + sample(x) + at(x, 0) + size(x); }"
    gives(kernel("return f(10);", members=members), {"r": [20 + 5 + 5 + 2, 20 + 6 + 5 + 2]}, x=[5, 6])


# ---------------------------------------------------------------- unknown names

UNKNOWN = {
    "value": ("K201", "let a = 1; return ⟦b⟧;"),
    "value before its let": ("K201", "let a = ⟦b⟧; let b = 1; return a + b;"),
    "value of an inner block": ("K201", "{ let b = 1; } return ⟦b⟧;"),
    "loop variable after the loop": ("K201", "for i in 0..2 { } return ⟦i⟧;"),
    "bound name in another arm": ("K201", "return match s() { Disc { w } => w, Dot => ⟦w⟧ };"),
    "function": ("K201", "return ⟦nothing⟧(1, 2.5);"),
    "arguments of an unknown function": ("K201 K201", "return ⟦nothing⟧(⟦b⟧);"),
    "a value called": ("K201", "let q = 1; return ⟦q⟧(2);"),
    "a type called": ("K201", "return ⟦S⟧(2);"),
    "something else called": ("K226", "return ⟦s().w⟧(2);"),
    "type": ("K202", "let a: ⟦Nothing⟧ = 1; return a;"),
    "type of an array": ("K202", "let a: [⟦Nothing⟧; 2] = 1; return a[0];"),
    "type with arguments": ("K202", "let a: ⟦Int<Float>⟧ = 1; return a;"),
    "struct": ("K202", "return ⟦Nothing⟧ { v: 1 }.v;"),
    "struct, its values": ("K202 K201", "return ⟦Nothing⟧ { v: ⟦b⟧ }.v;"),
    "enum of a variant": ("K202", "let a = ⟦Nothing⟧.Disc { w: 1 }; return 1;"),
    "enum of a bare variant": ("K201", "let a = ⟦Nothing⟧.Disc; return 1;"),
    "field": ("K216", "return S { v: 1 }.⟦w⟧;"),
    "field of a scalar": ("K216", "return sample(x).⟦w⟧;"),
    "swizzle too long": ("K216", "let a = vec2(1.0).⟦z⟧; return 1;"),
    "swizzle of two sets": ("K216", "let a = vec2(1.0).⟦xg⟧; return 1;"),
    "swizzle of five": ("K216", "let a = vec2(1.0).⟦xyxyx⟧; return 1;"),
    "variant": ("K216", "let a = E.⟦Box⟧; return 1;"),
    "variant with fields": ("K216", "let a = E.⟦Box⟧ { w: 1 }; return 1;"),
    "variant's field": ("K216", "let a = E.Disc { ⟦r⟧: 1 }; return 1;"),
    "variant's fields": ("K204", "let a = E.⟦Disc⟧ { }; return 1;"),
    "variant by its value": ("K216", "return s().⟦Disc⟧;"),
    "a function as a value": ("K226", "let a = ⟦f⟧; return 1;"),
    "a built-in as a value": ("K226", "let a = ⟦max⟧; return 1;"),
    "a type as a value": ("K226", "let a = ⟦S⟧; return 1;"),
    "an input as a value": ("K226", "let a = ⟦x⟧; return 1;"),
    "an output as a value": ("K226", "let a = ⟦r⟧; return 1;"),
    "a field type as a value's": ("K226", "let a: ⟦Rows<Int>⟧ = 1; return 1;"),
    "Image as a value's type": ("K226", "let a: ⟦Image⟧ = 1; return 1;"),
    "an ambiguous variant": ("K228", "let a = ⟦Same⟧; return 1;"),
    "an ambiguous variant with fields": ("K228", "let a = ⟦Same⟧ { }; return 1;"),
    "a use of what had an error": ("K201", "let a = ⟦b⟧; let c = a + 1; return c;"),
    "a use of what has an unknown type": ("K202", "let a: ⟦Nothing⟧ = 1; let c = a.b; return c + a;"),
}
ITEMS = """
struct S { v: Int; }
enum E { Dot; Disc { w: Int; } }
enum One { Same; }
enum Two { Same; }
fn s() -> E { return Dot; }
fn f() -> Int { return 1; }
"""


@pytest.mark.parametrize(("codes", "body"), UNKNOWN.values(), ids=UNKNOWN)
def test_unknown(codes: str, body: str) -> None:
    refused(codes, kernel(body, before=ITEMS))


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("let number = 1; return ⟦numbr⟧;", "did you mean `number`?"),
        ("return ⟦smple⟧(x);", "did you mean `sample`?"),
        ("return int(⟦lerp⟧(1.0, 2.0, 0.5));", "write `mix(a, b, t)`"),
        ("return at(⟦y⟧, 0);", "there is no input or memory `y`"),
    ],
)
def test_hints(text: str, hint: str) -> None:
    assert hint in refused("K201", kernel(text))[0].message


def test_hints_for_types() -> None:
    [wrong] = refused("K202", "const N: ⟦f32⟧ = 1.0;")
    assert wrong.message.endswith("; write `Float`")
    [wrong] = refused("K202", "const N: ⟦Flot⟧ = 1.0;")
    assert wrong.message.endswith("did you mean `Float`?")


def test_ports_are_not_seen_outside_of_their_kernel() -> None:
    [wrong] = refused("K201", kernel("return f();", before="fn f() -> Int { return sample(⟦x⟧); }"))
    assert "declare it inside the kernel" in wrong.notes[0].message
    refused("K201", kernel("return f();", members="param k: Int;", before="fn f() -> Int { return ⟦k⟧; }"))


# ---------------------------------------------------------------- shadowing and unused names

WARNINGS = {
    "local over local": ("K209", "let a = sample(x); let ⟦a⟧ = a; return a;"),
    "local over local outside": ("K209", "let a = sample(x); { let ⟦a⟧ = 2; put_(a); } return a;"),
    "not a local of another block": ("", "{ let a = 1; put_(a); } { let a = 2; put_(a); } return sample(x);"),
    "local over port": ("K209", "let ⟦x⟧ = sample(x); return x;"),
    "local over param": ("K209", "let ⟦k⟧ = sample(x) + k; return k;"),
    "local over constant": ("K209", "let ⟦N⟧ = sample(x) + N; return N;"),
    "loop variable": ("K209", "let i = sample(x); for ⟦i⟧ in 0..2 { put_(i); } return i;"),
    "bound name": ("K209", "let w = sample(x); return match s() { Disc { ⟦w⟧ } => w, Dot => w };"),
    "an underscore is quiet": ("", "let _a = 1; let _a = 2; return sample(x);"),
    "never read": ("K208", "let ⟦a⟧ = 1; return sample(x);"),
    "never read, var": ("K208", "var ⟦a⟧ = 1; a = 2; return sample(x);"),
    "read by a compound assignment": ("", "var a = 1; a += 2; return sample(x);"),
    "bound and never read": ("K208", "return match s() { Disc { ⟦w⟧ } => 1, Dot => sample(x) };"),
    "loop variables need not be read": ("", "for i in 0..2 { } return sample(x);"),
    "parameters need not be read": ("", "return one(sample(x));"),
    "unreachable": ("K207", "return sample(x); ⟦put_(1); put_(2);⟧"),
    "unreachable statement and value": ("K207", "return sample(x); ⟦put_(1); 2⟧"),
    "unreachable value": ("K207", "if true { return sample(x); } else { return 1; } ⟦2⟧"),
    "unreachable in a block": ("K207", "if true { return sample(x); ⟦put_(1);⟧ } return 1;"),
    "unreachable after a match": (
        "K207",
        "match true { true => { return sample(x); } false => { return 2; } } ⟦return 1;⟧",
    ),
    "not unreachable after a loop": ("", "for i in 0..9 { return sample(x); } return 1;"),
    "arm that never runs": ("K225", "return match sample(x) { 0..9 => 1, ⟦3 => 2⟧, _ => 3 };"),
    "arm after the rest": ("K225", "return match sample(x) { _ => 1, ⟦3 => 2⟧ };"),
}


@pytest.mark.parametrize(("codes", "body"), WARNINGS.values(), ids=WARNINGS)
def test_warnings(codes: str, body: str) -> None:
    items = """
      const N: Int = 1;
      enum E { Dot; Disc { w: Int; } }
      fn put_(v: Int) { }
      fn one(v: Int) -> Int { return 1; }
      fn s() -> E { return Disc { w: 3 }; }
    """
    members = "param k: Int; fn _uses_k() -> Int { return k; }"
    refused(codes, kernel(body, before=items, members=members), severities=ALL)


def test_a_hidden_name_is_shown() -> None:
    [warning] = refused("K209", kernel("let a = 1; let ⟦a⟧ = sample(x) + a; return a;"), severities=ALL)
    assert warning.notes[0].origin is not None
    assert warning.notes[0].message == "the other `a` is declared here"
    [warning] = refused("K209", kernel("let ⟦x⟧ = sample(x); return x;"), severities=ALL)
    assert warning.message == "`x` hides the input `x`"


MEMBER_WARNINGS = {
    "unused function": ("K208", "fn ⟦f⟧() -> Int { return 1; }"),
    "unused functions that call each other": (
        "K208",
        "fn g() -> Int { return 1; } fn ⟦f⟧() -> Int { return g(); } ",
    ),
    "the same in another order": ("K208", "fn ⟦f⟧() -> Int { return g(); } fn g() -> Int { return 1; }"),
    "unused constant": ("K208", "const ⟦N⟧: Int = 1;"),
    "constant of a constant": ("K208", "const M: Int = 1; const ⟦N⟧: Int = M;"),
    "unused type": ("K208", "struct ⟦S⟧ { v: Int; }"),
    "unused param": ("K208", "param ⟦k⟧: Int;"),
    "unused input": ("K224", "input ⟦y⟧: Rows<Int>;"),
    "an input that only an unused function reads": (
        "K208",
        "input y: Rows<Int>; fn ⟦f⟧() -> Int { return sample(y); }",
    ),
    "hides an item": ("K209", "const ⟦C⟧: Int = 1; fn f() -> Int { return C; } fn _g() -> Int { return f(); }"),
    "hides a function": ("K209", "fn ⟦F⟧() -> Int { return 1; } fn _g() -> Int { return F(); }"),
    "hides a type": ("K209", "struct ⟦T⟧ { v: Int; } fn _g(t: T) -> Int { return t.v; }"),
    "a param hides an item": ("K209", "param ⟦C⟧: Int; fn _g() -> Int { return C; }"),
    "a port hides a member": (
        "K208 K209",
        "const ⟦N⟧: Int = 1; input ⟦N⟧: Rows<Int>; fn _g() -> Int { return at(N, 0); }",
    ),
    "underscores are quiet": ("", "const _N: Int = 1; param _k: Int; fn _f() { } struct _S { v: Int; }"),
}


@pytest.mark.parametrize(("codes", "members"), MEMBER_WARNINGS.values(), ids=MEMBER_WARNINGS)
def test_member_warnings(codes: str, members: str) -> None:
    items = "const C: Int = 1; fn F() -> Int { return 1; } struct T { v: Int; }"
    refused(codes, kernel("return sample(x);", members=members, before=items), severities=ALL)


def test_warnings_and_hints_about_uses_wait_for_errors_to_go() -> None:
    members = "const N: Int = 1; input y: Rows<Int>; fn f() -> Int { return 1; }"
    refused("K201", kernel("let a = 1; return ⟦b⟧;", members=members), severities=ALL)


# ---------------------------------------------------------------- declared twice, circles

TWICE = {
    "function": ("K213", "fn f() { } fn ⟦f⟧() { }"),
    "constant": ("K213", "const N: Int = 1; const ⟦N⟧: Int = 1;"),
    "struct": ("K213", "struct S { v: Int; } struct ⟦S⟧ { v: Int; }"),
    "struct and enum": ("K213", "struct S { v: Int; } enum ⟦S⟧ { Dot; }"),
    "field": ("K213", "struct S { v: Int; ⟦v⟧: Float; }"),
    "variant": ("K213", "enum S { Dot; ⟦Dot⟧; }"),
    "variant's field": ("K213", "enum S { Dot { v: Int; ⟦v⟧: Int; } }"),
    "parameter": ("K213", "fn f(a: Int, ⟦a⟧: Int) -> Int { return a; }"),
    "a variant called tag": ("K213", "enum S { ⟦tag⟧; Dot; }"),
    "a type of the language": ("K213", "struct ⟦Vec2⟧ { v: Int; }"),
    "a field type of the language": ("K213", "enum ⟦Image⟧ { Dot; }"),
    "kernel": ("K213", kernel("return sample(x);") + kernel("return sample(x);", name="⟦t.t@1⟧")),
    "value of a struct": ("K213", "struct S { v: Int; } fn f() -> Int { return S { v: 1, ⟦v⟧: 2 }.v; }"),
    "bound name": (
        "K213",
        "enum S { A { v: Int; w: Int; } } fn f(s: S) -> Int { return match s { A { v, w: ⟦v⟧ } => v }; }",
    ),
    "port": ("K213", kernel("return sample(x);", members="input ⟦x⟧: Rows<Int>;")),
    "port and param": ("K213", kernel("return sample(x);", members="param ⟦x⟧: Int;")),
    "output": ("K213", kernel("return sample(x);", members="output ⟦r⟧: Rows<Int>;")),
    "member": ("K213", kernel("return sample(x);", members="const N: Int = 1; const ⟦N⟧: Int = 1;")),
    "example": ("K220", kernel("return sample(x);", members="example a { x = [1]; } example ⟦a⟧ { x = [1]; }")),
    "body": ("K305", kernel("return 1;", members="compute { return sample(x); }", head="⟦compute⟧")),
}


@pytest.mark.parametrize(("codes", "text"), TWICE.values(), ids=TWICE)
def test_declared_twice(codes: str, text: str) -> None:
    refused(codes, text)


def test_versions_of_a_kernel_stand_side_by_side() -> None:
    both = checked_of(kernel("return sample(x);") + kernel("return sample(x) + 1;", name="t.t@2"))
    assert list(both.programs) == ["t.t@1", "t.t@2"]


def test_an_acting_word_is_no_function_of_the_users() -> None:
    for word in ("sample", "at", "put", "emit", "exchange"):
        text = f"fn ⟦{word}⟧(v: Int) -> Int {{ return v; }}"
        refused("K229", kernel("return sample(x) + at(x, 0);", before=text))
    refused("K229", kernel("return sample(x);", members="fn ⟦sample⟧(v: Int) -> Int { return v; }"))
    gives(
        kernel(
            "return size(3) + index(4);",
            before="fn size(v: Int) -> Int { return v; } fn index(v: Int) -> Int { return v; }",
        ),
        {"r": [7]},
        x=[1],
        domain=(1,),
    )


CIRCLES = {
    "a function calls itself": ("K210", "fn f(a: Int) -> Int { return ⟦f(a)⟧; }", "`f` → `f`"),
    "two functions": (
        "K210",
        "fn f(a: Int) -> Int { return g(a); } fn g(a: Int) -> Int { return ⟦f(a)⟧; }",
        "`f` → `g` → `f`",
    ),
    "not the first": (
        "K210",
        "fn e(a: Int) -> Int { return f(a); } fn f(a: Int) -> Int { return g(a); }"
        " fn g(a: Int) -> Int { return ⟦f(a)⟧; }",
        "`f` → `g` → `f`",
    ),
    "a constant": ("K211", "const ⟦A⟧: Int = A + 1;", "the value of `A` depends on itself"),
    "three constants": ("K211", "const ⟦A⟧: Int = B; const B: Int = C; const C: Int = A;", "`A` → `B` → `C` → `A`"),
    "a constant and its type": ("K211", "const ⟦A⟧: [Int; A[0]] = [1];", "depends on itself"),
    "a struct": ("K212", "struct ⟦S⟧ { s: S; }", "`S` contains itself"),
    "an array of itself": ("K212", "struct ⟦S⟧ { s: [S; 2]; }", "`S` contains itself"),
    "a struct and an enum": ("K212", "struct ⟦S⟧ { e: E; } enum E { Dot; Some { s: S; } }", "`S` → `E` → `S`"),
    "a type and a constant": (
        "K212",
        "struct ⟦S⟧ { a: [Int; N]; } const N: Int = S { a: [1] }.a[0];",
        "`S` → `N` → `S`",
    ),
}


@pytest.mark.parametrize(("codes", "text", "path"), CIRCLES.values(), ids=CIRCLES)
def test_circles_are_shown(codes: str, text: str, path: str) -> None:
    [wrong] = refused(codes, text)
    assert path in "\n".join([wrong.message, *(n.message for n in wrong.notes)])


def test_a_circle_is_reported_once_for_all_who_reach_it() -> None:
    circle = "fn f(a: Int) -> Int { return g(a); } fn g(a: Int) -> Int { return ⟦f(a)⟧; }"
    uses = "fn h(a: Int) -> Int { return f(a) + g(a); }"
    refused("K210", circle + uses + kernel("return h(1) + f(2);") + kernel("return g(1);", name="t.t@2"))
    circle = "const ⟦A⟧: Int = B; const B: Int = A;"
    refused("K211", circle + kernel("return A + B;") + kernel("let a: [Int; A] = [B; A]; return 1;", name="t.t@2"))


# ---------------------------------------------------------------- what order and place do not change


def test_the_order_of_members_means_nothing() -> None:
    members = [
        "requires { field.write; field.read; }",
        "input a: Rows<Int>;",
        "input b: Rows<S>;",
        "output u: Rows<Int>;",
        "output v: Rows<Float>;",
        "param k: Int = N;",
        "param j: Float;",
        "const N: Int = 2;",
        "struct S { n: Int; }",
        "fn f(n: Int) -> Int { return g(n) * k; }",
        "fn g(n: Int) -> Int { return n + N; }",
        "compute { return { v: float(f(sample(b).n)) * j, u: sample(a) }; }",
    ]
    orders = [members[i:] + members[:i] for i in range(len(members))] + [members[::-1]]
    programs = [program(f"kernel t.t@1 {{ {' '.join(order)} }}") for order in orders]
    assert len({content_hash(p) for p in programs}) == 1
    assert all(p == programs[0] for p in programs)


def test_the_order_of_items_means_nothing() -> None:
    items = [
        "const N: Int = M * 2;",
        "const M: Int = 3;",
        "struct S { t: T; }",
        "struct T { v: [Int; N]; }",
        "fn f(s: S) -> Int { return g(s.t); }",
        "fn g(t: T) -> Int { return t.v[M]; }",
        kernel("return f(S { t: T { v: [sample(x); N] } });"),
    ]
    orders = [items[i:] + items[:i] for i in range(len(items))] + [items[::-1]]
    assert len({content_hash(program("\n".join(order))) for order in orders}) == 1


def test_edits_above_an_item_change_nothing_in_it() -> None:
    text = kernel("let a = f(sample(x)); return a;", before="fn f(v: Int) -> Int { return v + 1; }")
    before = program(text)
    after = program("// a comment\n\n/// docs\nconst UNUSED: Int = 1;\n" + text)
    assert content_hash(after) == content_hash(before)
    assert [f.origins for f in after.functions] == [f.origins for f in before.functions]
    assert after.origin == before.origin


def test_layout_comments_and_docs_change_no_hash() -> None:
    one = program(kernel("let a = sample(x) + 1; return a;"))
    two = program(kernel("  /* why */ let a =\n sample( x ) + 1 ;\n return a ; // so\n"))
    assert content_hash(one) == content_hash(two)
    assert content_hash(one) != content_hash(program(kernel("let a = sample(x) + 2; return a;")))


def test_docs_reach_the_program() -> None:
    text = kernel("return sample(x);").replace("kernel t.t@1", "/// Copies.\n/// Twice.\nkernel t.t@1")
    assert program(text).doc == "Copies.\nTwice."
