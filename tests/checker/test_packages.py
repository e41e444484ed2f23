"""`use`: items of other files, what goes wrong with files, and names that several of them declare."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from kcheck.checker import check_bytes, check_text, ir
from kcheck.checker.ir import content_hash
from tests.checker.sources import ERROR, HINT, WARNING, checked_of, found, gives, kernel, program, refused

ALL = (ERROR, WARNING, HINT)
Files = Callable[[str], "tuple[str, bytes] | None"]


def files(**texts: str) -> Files:
    """A loader of these files; `_` in a name stands for a dot of the path, `t` is the file being checked."""
    known = {name.replace("_", "."): text for name, text in texts.items()}

    def load(path: str) -> tuple[str, bytes] | None:
        text = known.get(path)
        return None if text is None else (f"{path.replace('.', '/')}.kernel", text.encode())

    return load


GEOMETRY = """
const SIDE: Float = HALF * 2.0;
const HALF: Float = 1.5;
struct Point { at_: Vec2; shape: Shape; }
enum Shape { Dot; Disc { r: Float; } }
fn area(s: Shape) -> Float { return match s { Dot => 0.0, Disc { r } => r * r * SIDE }; }
fn here() -> Int { return index() + hidden(); }
fn hidden() -> Int { return 0; }
kernel geometry.other@1 { requires { field.write; } output r: Rows<Int>; compute { return 1; } }
"""


def test_items_of_a_used_file() -> None:
    text = "use lib.geometry;" + kernel(
        "let p = sample(x); let q = Disc { r: HALF };"
        " return area(p.shape) + area(q) + area(Shape.Dot) + SIDE * float(here());",
        "input x: Rows<Point>; output r: Rows<Float>;",
    )
    made = program(text, loader=files(lib_geometry=GEOMETRY))
    points = [{"at_": [0, 0], "shape": {"Disc": {"r": 2}}}, {"at_": [0, 0], "shape": "Dot"}]
    gives(made, {"r": [12 + 6.75, 6.75 + 3]}, x=points)
    assert {f.name for f in made.functions} == {"area", "here", "hidden", "compute"}


def test_only_the_files_own_kernels_become_programs() -> None:
    checked = checked_of("use g;" + kernel("return here();", "output r: Rows<Int>;"), files(g=GEOMETRY))
    assert list(checked.programs) == ["t.t@1"]
    assert sorted(checked.files) == ["g.kernel", "t.kernel"]


def test_origins_name_the_file_that_they_are_in() -> None:
    made = program("use g;" + kernel("return here();", "output r: Rows<Int>;"), loader=files(g=GEOMETRY))
    here = next(f for f in made.functions if f.name == "here")
    assert {o.path for o in here.origins} == {"g.kernel"}
    assert {o.item for o in here.origins} == {"fn here"}


def test_a_use_reaches_no_further_than_one_file() -> None:
    loader = files(a="use b; fn f() -> Int { return g(); }", b="fn g() -> Int { return N; } const N: Int = 7;")
    gives(program("use a;" + kernel("return f();", "output r: Rows<Int>;"), loader=loader), {"r": [7]}, domain=(1,))
    refused("K201", "use a;" + kernel("return ⟦g⟧();", "output r: Rows<Int>;"), loader=loader)


def test_files_that_both_use_a_third() -> None:
    loader = files(
        a="use c; fn f(p: P) -> Int { return p.v; }",
        b="use c; fn g() -> P { return P { v: 3 }; }",
        c="struct P { v: Int; }",
    )
    gives(
        program("use a; use b;" + kernel("return f(g());", "output r: Rows<Int>;"), loader=loader),
        {"r": [3]},
        domain=(1,),
    )


def test_used_items_in_any_order_and_twice() -> None:
    loader = files(a="fn f() -> Int { return 1; }")
    for text in ("use a; use a;", "use a;"):
        checked_of(kernel("return f();", "output r: Rows<Int>;") + text, loader)


def test_each_file_is_loaded_once() -> None:
    asked: list[str] = []
    known = files(a="use c;", b="use c;", c="fn f() -> Int { return 1; }")

    def load(path: str) -> tuple[str, bytes] | None:
        asked.append(path)
        return known(path)

    checked_of("use a; use b; use c;" + kernel("return f();", "output r: Rows<Int>;"), load)
    assert set(asked) == {"a", "b", "c"}


# ---------------------------------------------------------------- what goes wrong

F = "fn f(v: Int) -> Int { return v; }"
USES = kernel("return f(sample(x));")
WRONG = {
    "no such file": ("K221", "use ⟦lib.a⟧;" + USES, files()),
    "no loader": ("K221", "use ⟦lib.a⟧;" + USES, None),
    "two that are missing": ("K221 K221", "use ⟦a⟧; use ⟦b⟧;" + USES, files()),
    "itself": ("K222", "use ⟦t⟧;", files(t="use t;")),
    "a circle of two": ("K222", "use ⟦a⟧;" + USES, files(a="use t; " + F, t="use a;")),
    "a circle of three": ("K222", "use ⟦a⟧;" + USES, files(a="use b; " + F, b="use t;", t="")),
    "a circle of others": ("K221", "use ⟦a⟧;" + USES, files(a="use b; " + F, b="use a;")),
    "a used file lacks one": ("K221", "use ⟦a⟧;" + USES, files(a="use b; " + F)),
    "a used file does not parse": ("K221", "use ⟦a⟧;" + USES, files(a="fn f(v: Int -> Int { return v; }")),
    "another item does not parse": ("K221", "use ⟦a⟧;" + USES, files(a="fn f(v: Int) -> Int { return v; } struct { }")),
    "an error in a used function": ("K221", "use ⟦a⟧;" + USES, files(a="fn f(v: Int) -> Int { return 1.5; }")),
    "an error two files away": (
        "K221",
        "use c; use ⟦a⟧;" + USES,
        files(a="use b; fn f(v: Int) -> Int { return g(v); }", b="fn g(v: Int) -> Int { return 1.5; }", c=""),
    ),
    "errors behind two uses": (
        "K221 K221",
        "use ⟦a⟧; use ⟦b⟧;" + USES,
        files(a="fn f(v: Int) -> Int { return N; } const N: Int = 1.5;", b="fn g() { } fn h( { }"),
    ),
    "a use of what a used file has not": ("K201", "use a;" + kernel("return ⟦f⟧(sample(x));"), files(a="fn g() { }")),
}


@pytest.mark.parametrize(("codes", "text", "loader"), WRONG.values(), ids=WRONG)
def test_what_goes_wrong_with_files(codes: str, text: str, loader: Files | None) -> None:
    refused(codes, text, loader=loader)


def test_a_circle_is_shown() -> None:
    [wrong] = refused("K222", "use ⟦a⟧;", loader=files(a="use b;", b="use t;", t=""))
    assert wrong.message == "files use each other in a circle: t.kernel → a.kernel → b.kernel → t.kernel"


def test_errors_of_used_files_are_shown_where_they_are() -> None:
    loader = files(a="fn f(v: Int) -> Int { return 1.5; } fn g(v: Int) -> Int { return f(v) + b; }")
    [wrong] = refused("K221", "use ⟦a⟧;" + kernel("return g(sample(x));"), loader=loader)
    assert wrong.message == "this cannot be used: there are 2 errors in `a.kernel`"
    assert [n.message for n in wrong.notes] == [
        "K203: expected an Int, found a Float",
        "K201: there is no value `b` here",
    ]
    assert all(n.origin is not None and n.origin.path == "a.kernel" for n in wrong.notes)


def test_warnings_of_used_files_stay_there() -> None:
    loader = files(a="fn f(v: Int) -> Int { let v = 1; return 2; let c = 3; }")
    assert found(check_text("use a;" + USES, "t.kernel", loader), ALL) == []


def test_bytes_of_used_files_that_are_no_text() -> None:
    def load(path: str) -> tuple[str, bytes] | None:
        return "a.kernel", b"fn f(v: Int) -> Int { return v; } // \xff"

    refused("K221", "use ⟦a⟧;" + USES, loader=load)
    assert [d.code for d in check_bytes(b"use a; // \xff", "t.kernel", files(a="")).diagnostics] == ["K102"]


# ---------------------------------------------------------------- one name in several files

BOTH = files(
    a=F + "const N: Int = 1; struct S { v: Int; } enum E { Dot; } fn own() -> Int { return f(N); }",
    b=F + "const N: Int = 1; struct S { v: Int; } enum F { Dot; }",
)
CLASHES = {
    "function": ("K213", "fn h() -> Int { return ⟦f⟧(1); }"),
    "constant": ("K213", "fn h() -> Int { return ⟦N⟧; }"),
    "constant as a length": ("K213", "struct T { a: [Int; ⟦N⟧]; }"),
    "type": ("K213", "fn h(s: ⟦S⟧) { }"),
    "struct value": ("K213", "fn h() -> Int { return ⟦S⟧ { v: 1 }.v; }"),
    "variant": ("K228", "fn h() { let _e = ⟦Dot⟧; }"),
    "not used": ("", "fn h() -> Int { return own(); }"),
    "told apart by its enum": ("", "fn h() { let _e = E.Dot; let _f = F.Dot; }"),
    "told apart by what is expected": ("", "fn h(e: E) -> E { return Dot; }"),
    "declared here": (
        "",
        "fn f(v: Float) -> Float { return v; } const N: Float = 2.0; struct S { w: Int; } enum G { Dot; }"
        " fn h(s: S) -> Float { let _e = Dot; return f(N) + float(s.w); }",
    ),
    "a local": ("", "fn h() -> Int { let _N = 1; return _N; }"),
}


@pytest.mark.parametrize(("codes", "items"), CLASHES.values(), ids=CLASHES)
@pytest.mark.parametrize("uses", ["use a; use b;", "use b; use a;"])
def test_a_name_of_two_files(codes: str, items: str, uses: str) -> None:
    refused(codes, f"{uses} {items}", loader=BOTH)


def test_both_declarations_are_shown() -> None:
    [wrong] = refused("K213", "use a; use b; fn h() -> Int { return ⟦f⟧(1); }", loader=BOTH)
    assert [n.origin.path for n in wrong.notes if n.origin is not None] == ["a.kernel", "b.kernel"]


def test_types_of_one_name_in_two_files_are_different() -> None:
    loader = files(a="struct S { v: Int; } fn f(s: S) -> Int { return s.v; }")
    [wrong] = refused("K203", "use a; struct S { v: Int; } fn g() -> Int { return f(⟦S { v: 1 }⟧); }", loader=loader)
    assert any("two types of one name" in n.message for n in wrong.notes)


def test_where_a_package_lies_changes_no_hash() -> None:
    text = "use g;" + kernel("return int(area(sample(x).shape));", "input x: Rows<Point>; output r: Rows<Int>;")

    def elsewhere(path: str) -> tuple[str, bytes] | None:
        return ("/home/someone/g.kernel", GEOMETRY.encode()) if path == "g" else None

    here = check_text(text, "t.kernel", files(g=GEOMETRY)).programs["t.t@1"]
    there = check_text(text, "elsewhere/t.kernel", elsewhere).programs["t.t@1"]
    assert content_hash(here) == content_hash(there)
    assert isinstance(here, ir.Program)
