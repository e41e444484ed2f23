"""The six modes: what each accepts, what its program gives, and what it refuses."""

from __future__ import annotations

import pytest

from kcheck.checker import check_text, ir
from tests.checker.sources import (
    ERROR,
    HINT,
    WARNING,
    checked_of,
    found,
    gives,
    kernel,
    program,
    refused,
    run,
    unmarked,
)

ALL = (ERROR, WARNING, HINT)
ROWS = "input x: Rows<Int>; output r: Rows<Int>;"
SUM = "merge(a, b) { return a + b; }"
CARRY = "scan over x with y = 0"

# ---------------------------------------------------------------- maps


def test_a_map_runs_once_an_element() -> None:
    gives(kernel("return sample(x) * 2;", ROWS), {"r": [2, 4, 6]}, x=[1, 2, 3])
    gives(kernel("return sample(x) * 2;", ROWS), {"r": []}, x=[])
    gives(kernel("return index();", "output r: Grid<Int>;"), {"r": [[0, 1], [2, 3]]}, domain=(2, 2))


RECORDS = {
    "returned": "return { b: 0.5, a: sample(x) };",
    "last": "{ a: sample(x), b: 0.5 }",
    "last after statements": "let v = sample(x); { a: v, b: 0.5, }",
    "an early one": "if sample(x) > 1 { return { a: sample(x), b: 0.5 }; } { a: 1, b: 0.5 }",
    "of an if": "if sample(x) > 1 { a: sample(x), b: 0.5 } else { a: 1, b: 0.5 }",
    "of an else if": "if sample(x) > 1 { a: 2, b: 0.5 } else if true { a: 1, b: 0.5 } else { a: 0, b: 0.0 }",
    "of a match": "match sample(x) { 1 => { a: 1, b: 0.5 }, _ => { b: 0.5, a: 2 } }",
    "of a returned if": "return if sample(x) > 1 { a: 2, b: 0.5 } else { a: 1, b: 0.5 };",
    "of a block": "{ let v = sample(x); { a: v, b: 0.5 } }",
}


@pytest.mark.parametrize("body", RECORDS.values(), ids=RECORDS)
def test_several_outputs_leave_as_a_record(body: str) -> None:
    for head in ("compute", "group 2"):
        made = program(kernel(body, "input x: Rows<Int>; output b: Rows<Float>; output a: Rows<Int>;", head=head))
        assert [p.name for p in made.outputs] == ["a", "b"]
        gives(made, {"a": [1, 2], "b": [0.5, 0.5]}, x=[1, 2])


TWO = "input x: Rows<Int>; output a: Rows<Int>; output b: Rows<Float>;"
BAD_RECORDS = {
    "one output missing": ("K323", "return ⟦{ a: 1 }⟧;"),
    "one too many": ("K323", "return { a: 1, b: 0.5, ⟦c⟧: 2 };"),
    "a wrong name": ("K323", "return { a: 1, ⟦bb⟧: 0.5 };"),
    "twice": ("K213", "return { a: 1, b: 0.5, ⟦a⟧: 2 };"),
    "a wrong type": ("K322", "return { a: 1, b: ⟦2⟧ };"),
    "two wrong types": ("K322 K322", "return { a: ⟦0.5⟧, b: ⟦2⟧ };"),
    "a single value": ("K322", "return ⟦1⟧;"),
    "a single last value": ("K322", "⟦1⟧"),
    "a struct": ("K322", "return ⟦S { a: 1, b: 0.5 }⟧;"),
    "in a let": ("K323", "let v = ⟦{ a: 1, b: 0.5 }⟧; return { a: 1, b: 0.5 };"),
    "an argument": ("K323", "return { a: f(⟦{ a: 1, b: 0.5 }⟧), b: 0.5 };"),
    "in a record": ("K323", "return { a: ⟦{ a: 1, b: 0.5 }⟧, b: 0.5 };"),
    "an unknown name within": ("K201", "return { a: ⟦c⟧, b: 0.5 };"),
    "in one branch": ("K203", "return if true { a: 1, b: 0.5 } else { ⟦1⟧ };"),
}


@pytest.mark.parametrize(("codes", "body"), BAD_RECORDS.values(), ids=BAD_RECORDS)
def test_records_that_do_not_fit(codes: str, body: str) -> None:
    refused(codes, kernel(body, TWO, members="struct S { a: Int; b: Float; } fn f(v: Int) -> Int { return v; }"))


def test_functions_return_no_records() -> None:
    refused("K323", kernel("return { a: f(), b: 0.5 };", TWO, members="fn f() -> Int { return ⟦{ a: 1, b: 0.5 }⟧; }"))


def test_one_output_is_no_record() -> None:
    refused("K323", kernel("return ⟦{ r: 1 }⟧;", ROWS))


PREFIX = "prefix over x with sum"
SECOND = "input x: Rows<Int>; output a: Rows<Int>; ⟦output b: Rows<Int>;⟧"
GRID = "input x: Grid<Int>; ⟦output r: Grid<Int>;⟧"
OUTPUTS = {
    "none": ("K309", "kernel ⟦a.b@1⟧ { compute { return 1; } }"),
    "none for a group": ("K309", "kernel ⟦a.b@1⟧ { group 2 { return 1; } }"),
    "other ranks": (
        "K308",
        kernel("return { a: 1, b: 1 };", "output a: Rows<Int>; ⟦output b: Grid<Int>;⟧"),
    ),
    "none for a scan": ("K309", kernel("return 1;", "input x: Rows<Int>;", head=CARRY, name="⟦a.b@1⟧")),
    "two for a scan": (
        "K309",
        kernel("return 1;", SECOND, head=CARRY),
    ),
    "two for a prefix": (
        "K309",
        kernel("return 1;", SECOND, head=PREFIX),
    ),
    "two for a reduction": (
        "K309",
        kernel("return 1;", SECOND, head="compute over x", members=SUM),
    ),
    "a grid from a scan": ("K308", kernel("return 1;", GRID, head=CARRY)),
    "a grid from a prefix": ("K308", kernel("return 1;", GRID, head=PREFIX)),
    "a grid from a reduction": (
        "K308",
        kernel("return 1;", GRID, head="compute over x", members=SUM),
    ),
    "not the target's rank": (
        "K308",
        kernel(
            "return S { a: 0, v: 1 };",
            "input x: Rows<Int>; input t: Rows<Int>; ⟦output r: Grid<Int>;⟧",
            head="scatter over x into t with sum",
            members="struct S { a: Int; v: Int; }",
        ),
    ),
    "not the target's element": (
        "K308",
        kernel(
            "return S { a: 0, v: 1 };",
            "input x: Rows<Int>; input t: Rows<Int>; ⟦output r: Rows<Float>;⟧",
            head="scatter over x into t with sum",
            members="struct S { a: Int; v: Int; }",
        ),
    ),
    "a wrong result": ("K322", kernel("return ⟦1.5⟧;", ROWS)),
    "a wrong last value": ("K322", kernel("⟦1.5⟧", ROWS)),
    "a wrong last value in a block": ("K322", kernel("{ let a = 1.5; ⟦a⟧ }", ROWS)),
    "a wrong result of a scan": ("K322", kernel("return ⟦1.5⟧;", ROWS, head=CARRY)),
    "a wrong start of a scan": ("K322", kernel("return 1;", ROWS, head="scan over x with y = ⟦0.5⟧")),
    "a wrong result of a merge": (
        "K322",
        kernel("return 1;", ROWS, head="compute over x", members="merge(a, b) { return ⟦0.5⟧; }"),
    ),
    "a wrong result of a prefix": ("K322", kernel("return ⟦1.5⟧;", ROWS, head=PREFIX)),
    "a wrong result of a group": ("K322", kernel("return ⟦1.5⟧;", ROWS, head="group 2")),
}


@pytest.mark.parametrize(("codes", "text"), OUTPUTS.values(), ids=OUTPUTS)
def test_outputs(codes: str, text: str) -> None:
    refused(codes, text)


# ---------------------------------------------------------------- bodies and permissions

BODIES = {
    "none": ("K304", "kernel ⟦a.b@1⟧ { requires { field.write; } output r: Rows<Int>; }"),
    "two": (
        "K305",
        kernel("return sample(x);", ROWS, head="⟦prefix over x with sum⟧", members="compute { return sample(x); }"),
    ),
    "a merge without its body": ("K307", kernel("return sample(x);", ROWS, members="⟦merge(a, b)⟧ { return a; }")),
    "a fold without a merge": ("K306", kernel("return sample(x);", ROWS, head="⟦compute over x⟧")),
    "two merges": (
        "K305",
        kernel(
            "return sample(x);",
            ROWS,
            head="compute over x",
            members="merge(a, b) { return a + b; } ⟦merge(a, b)⟧ { return a; }",
        ),
    ),
    "a merge of one name": (
        "K213",
        kernel("return sample(x);", ROWS, head="compute over x", members="merge(a, ⟦a⟧) { return a; }"),
    ),
    "no such input": ("K310", kernel("return 1;", ROWS, head="scan over ⟦y⟧ with z = 0")),
    "over an output": ("K310", kernel("return sample(x);", ROWS, head="prefix over ⟦r⟧ with sum")),
    "over a param": (
        "K310",
        kernel("return sample(x) + k;", ROWS, head="prefix over ⟦k⟧ with sum", members="param k: Int;"),
    ),
    "over a memory": (
        "K310",
        kernel("return at(m, 0) + sample(x);", ROWS + "memory m: Rows<Int>;", head="scan over ⟦m⟧ with y = 0"),
    ),
    "into nothing": (
        "K310",
        kernel(
            "return S { a: 0, v: sample(x) };",
            ROWS,
            head="scatter over x into ⟦t⟧ with sum",
            members="struct S { a: Int; v: Int; }",
        ),
    ),
    "a memory of a map": ("K316", kernel("return sample(x);", ROWS, members="⟦memory m: Rows<Int>;⟧")),
    "memories of a prefix": (
        "K316",
        kernel("put(m, 0, 1); return sample(x) + at(m, 0);", ROWS, head=PREFIX, members="⟦memory m: Rows<Int>;⟧"),
    ),
}


@pytest.mark.parametrize(("codes", "text"), BODIES.values(), ids=BODIES)
def test_bodies(codes: str, text: str) -> None:
    refused(codes, text)


IO = "input x: Rows<Int>; output r: Rows<Int>; compute { return sample(x); }"
OUT = "output r: Rows<Int>; compute { return 1; }"
MEMORY = "input x: Rows<Int>; memory m: Rows<Int>; output r: Rows<Int>;"
LOADS = "scan over x with y = 0 { put(m, 0, y); return y + at(m, sample(x)); }"
PERMISSIONS = {
    "read is missing": ("K301", f"kernel a@1 {{ ⟦requires {{ field.write; }}⟧ {IO} }}"),
    "write is missing": ("K301", f"kernel a@1 {{ ⟦requires {{ field.read; }}⟧ {IO} }}"),
    "none at all": ("K301", f"kernel ⟦a@1⟧ {{ {OUT} }}"),
    "an empty list": ("K301", f"kernel a@1 {{ ⟦requires {{ }}⟧ {OUT} }}"),
    "an unknown one": ("K303", f"kernel a@1 {{ requires {{ field.write; ⟦field.paint⟧; }} {OUT} }}"),
    "read is not needed": ("K302", f"kernel a@1 {{ requires {{ ⟦field.read⟧; field.write; }} {OUT} }}"),
    "two lists": ("", f"kernel a@1 {{ requires {{ field.read; }} requires {{ field.write; }} {IO} }}"),
    "a memory is read": ("K301", f"kernel a@1 {{ ⟦requires {{ field.write; }}⟧ {MEMORY} {LOADS} }}"),
}


@pytest.mark.parametrize(("codes", "text"), PERMISSIONS.values(), ids=PERMISSIONS)
def test_permissions(codes: str, text: str) -> None:
    for d in refused(codes, text, severities=ALL):
        if d.code == "K301":
            source, _ = unmarked(text)
            [fix] = d.fixes
            [edit] = fix.edits
            span = check_text(source).file.absolute(edit.origin)
            fixed = source[: span.start] + edit.text + source[span.end :]
            assert found(check_text(fixed), ALL) == []


def test_a_fix_leaves_docs_with_their_member() -> None:
    text = "kernel a@1 {\n  /// The result.\n  output r: Rows<Int>;\n  compute { return 1; } }"
    checked = check_text(text)
    [wrong] = checked.diagnostics
    [edit] = wrong.fixes[0].edits
    place = checked.file.absolute(edit.origin).start
    fixed = text[:place] + edit.text + text[place:]
    assert "/// The result.\n  output r" in fixed
    assert checked_of(fixed).diagnostics == ()


# ---------------------------------------------------------------- reductions

FOLD = "input x: Rows<Int>; output r: Rows<Int>;"


def test_a_reduction_gives_one_element() -> None:
    text = kernel(
        "return sample(x) * k;", FOLD, head="compute over x", members="param k: Int = 2; merge(a, b) { return a + b; }"
    )
    gives(text, {"r": [12]}, x=[1, 2, 3])
    grid = kernel(
        "return int(coord().x) + sample(x);",
        "input x: Grid<Int>; output r: Rows<Int>;",
        head="compute over x",
        members="merge(a, b) { return max(a, b); }",
    )
    gives(grid, {"r": [11]}, x=[[1, 10], [2, 3]])
    made = program(grid)
    assert isinstance(made.schedule, ir.Fold)
    assert [f.name for f in made.functions] == ["compute", "merge"]


def test_a_merge_sees_params_constants_and_functions() -> None:
    members = """
      param k: Int;
      const TABLE: [Int; 2] = [10, 20];
      fn chosen(a: Int) -> Int { return TABLE[a & 1] * k; }
      merge(a, b) { let c = max(a, b); return if chosen(1) > 0 { c } else { a + b }; }
    """
    text = kernel("return sample(x);", FOLD, head="compute over x", members=members)
    gives(text, {"r": [3]}, x=[1, 2, 3], k=1)
    gives(text, {"r": [6]}, x=[1, 2, 3], k=0)


READERS = "fn f(v: Int) -> Int { return v + g(); } fn g() -> Int { return at(x, 0); }"
MERGES = {
    "sample": ("K321", "merge(a, b) { return a + b + ⟦sample(x)⟧; }"),
    "at": ("K321", "merge(a, b) { return a + b + ⟦at(x, 0)⟧; }"),
    "size": ("K321", "merge(a, b) { return a + b + ⟦size(x)⟧; }"),
    "extent": ("K321", "merge(a, b) { return a + b + int(⟦extent(x)⟧); }"),
    "index": ("K321", "merge(a, b) { return a + b + ⟦index()⟧; }"),
    "domain": ("K321", "merge(a, b) { return a + b + ⟦domain()⟧; }"),
    "place": ("K321", "merge(a, b) { return a + b + int(⟦place()⟧); }"),
    "lane": ("K317", "merge(a, b) { return a + b + ⟦lane()⟧; }"),
    "by a function": ("K321", READERS + "merge(a, b) { return a + ⟦f(b)⟧; }"),
    "an unknown name": ("K201", "merge(a, b) { return a + ⟦c⟧; }"),
    "an assignment": ("K215", "merge(a, b) { ⟦a⟧ = b; return a; }"),
}


@pytest.mark.parametrize(("codes", "members"), MERGES.values(), ids=MERGES)
def test_what_a_merge_cannot_do(codes: str, members: str) -> None:
    refused(codes, kernel("return sample(x);", FOLD, head="compute over x", members=members))


def test_the_way_to_a_read_is_shown() -> None:
    members = (
        "fn f(v: Int) -> Int { return v + g(); } fn g() -> Int { return at(x, 0); } merge(a, b) { return a + ⟦f(b)⟧; }"
    )
    [wrong] = refused("K321", kernel("return sample(x);", FOLD, head="compute over x", members=members))
    assert any(n.origin is not None and n.message == "`f` reads a port here" for n in wrong.notes)


# ---------------------------------------------------------------- scans


def test_a_scan_carries_its_result() -> None:
    gives(kernel("return y * 2 + sample(x);", ROWS, head="scan over x with y = 1"), {"r": [3, 8, 19]}, x=[1, 2, 3])
    gives(kernel("return y + index();", ROWS, head="scan over x with y = 10"), {"r": [10, 11, 13]}, x=[0, 0, 0])
    gives(kernel("return y + sample(x);", ROWS, head="scan over x with y = 10"), {"r": []}, x=[])


def test_a_scan_walks_a_grid_row_by_row() -> None:
    text = kernel("return y * 10 + sample(x);", "input x: Grid<Int>; output r: Rows<Int>;", head=CARRY)
    gives(text, {"r": [1, 12, 123, 1234]}, x=[[1, 2], [3, 4]])


STARTS = {
    "a struct": (
        "struct S { n: Int; v: Float; }",
        "S { n: 2, v: 0.5 }",
        "S",
        "return S { n: s.n + 1, v: s.v * 2.0 };",
        [{"n": 3, "v": 1.0}, {"n": 4, "v": 2.0}],
    ),
    "a param": ("param k: Int = 5;", "k", "Int", "return s + 1;", [6, 7]),
    "a constant": ("const N: Int = 5;", "N * 2", "Int", "return s + 1;", [11, 12]),
    "a function": ("fn f() -> Int { return 8; }", "f()", "Int", "return s + 1;", [9, 10]),
    "a variant": ("enum E { A; B; }", "A", "E", "return match s { A => B, B => A };", ["B", "A"]),
    "an array": ("", "[1, 2]", "[Int; 2]", "return [s[1], s[0] + s[1]];", [[2, 3], [3, 5]]),
    "in brackets": ("", "(1 + 1)", "Int", "return s * 2;", [4, 8]),
    "a conditional": ("param k: Int = 5;", "(if k > 3 { 1 } else { 2 })", "Int", "return s * 2;", [2, 4]),
}


@pytest.mark.parametrize(("members", "start", "type_", "body", "values"), STARTS.values(), ids=STARTS)
def test_starts(members: str, start: str, type_: str, body: str, values: list[object]) -> None:
    ports = f"input x: Rows<Int>; output r: Rows<{type_}>;"
    text = kernel(body, ports, head=f"scan over x with s = {start}", members=members)
    gives(text, {"r": values}, x=[0, 0])


def test_a_start_belongs_to_no_element() -> None:
    refused("K321", kernel("return y;", ROWS, head="scan over x with y = ⟦sample(x)⟧"))
    refused("K321", kernel("return y;", ROWS, head="scan over x with y = ⟦index()⟧"))
    refused("K201", kernel("return y;", ROWS, head="scan over x with y = ⟦y⟧"))


def test_the_carried_value_stays_as_it_is() -> None:
    refused("K215", kernel("⟦y⟧ = 3; return y;", ROWS, head=CARRY))
    refused(
        "K209",
        kernel("return ⟦x⟧;", ROWS, head="scan over x with ⟦x⟧ = 0").replace("return ⟦x⟧;", "return x;"),
        severities=ALL,
    )


# ---------------------------------------------------------------- scatters

SPLAT = "struct S { at_: Int; v: Int; }"
INTO = "input x: Rows<Int>; input t: Rows<Int>; output r: Rows<Int>;"


def scatter(body: str, op: str = "sum", ports: str = INTO, members: str = SPLAT) -> str:
    return kernel(body, ports, head=f"scatter over x into t with {op}", members=members)


def test_scatters() -> None:
    body = "return S { at_: sample(x), v: index() + 1 };"
    gives(scatter(body), {"r": [13, 20, 35]}, x=[0, 2, 2, 7, -1, 0][:3], t=[12, 20, 30])
    gives(scatter(body, "min"), {"r": [1, 20, 2]}, x=[0, 2, 2, 7, -1], t=[12, 20, 30])
    gives(scatter(body, "max"), {"r": [1, 20, 3]}, x=[0, 2, 2, 7, -1], t=[0, 20, 1])
    gives(scatter(body, "last"), {"r": [1, 20, 3]}, x=[0, 2, 2, 7, -1], t=[12, 20, 30])
    gives(scatter(body), {"r": [1, 2]}, x=[], t=[1, 2])


def test_addresses_are_typed_by_the_target() -> None:
    grid = "input x: Rows<Vec2>; input t: Grid<Int>; output r: Grid<Int>;"
    text = scatter("return S { at_: sample(x) * size(t), v: 1 };", "sum", grid, "struct S { at_: Vec2; v: Int; }")
    gives(
        text,
        {"r": [[1, 0], [0, 2]]},
        x=[[0.0, 0.4], [0.9, 0.6], [0.5, 0.5], [1.0, 0.0], [-0.1, 0.0]],
        t=[[0, 0], [0, 0]],
    )
    volume = "input x: Rows<Vec3>; input t: Volume<Float>; output r: Volume<Float>;"
    text = scatter("return S { at_: sample(x), v: 1.5 };", "max", volume, "struct S { at_: Vec3; v: Float; }")
    gives(
        text, {"r": [[[0.0, 1.5]], [[0.0, 0.0]]]}, x=[[1.9, 0.0, 0.0], [0.0, 0.0, 2.0]], t=[[[0.0, 0.0]], [[0.0, 0.0]]]
    )


def test_a_scatter_into_what_it_walks() -> None:
    text = kernel(
        "return S { at_: 1 - index(), v: sample(x) + at(x, 0) };",
        ROWS,
        head="scatter over x into x with sum",
        members=SPLAT,
    )
    gives(text, {"r": [5 + 7 + 5, 7 + 5 + 5]}, x=[5, 7])


def test_emits_come_before_the_returned_pair() -> None:
    body = """
      emit(S { at_: 0, v: sample(x) });
      for i in 0..2 { emit(S { at_: 1, v: i }); }
      if sample(x) > 1 { return S { at_: -1, v: 0 }; }
      also(2);
      return S { at_: 2, v: 100 };
    """
    members = SPLAT + "fn also(a: Int) { emit(S { at_: a, v: 5 }); }"
    gives(scatter(body, "sum", INTO, members), {"r": [3, 2, 105]}, x=[1, 2], t=[0, 0, 0])
    gives(scatter(body, "max", INTO, members), {"r": [2, 1, 100]}, x=[1, 2], t=[0, 0, 0])


def test_a_sum_of_ints_on_a_grid_may_emit() -> None:
    grid = "input x: Rows<Int>; input t: Grid<Int>; output r: Grid<Int>;"
    text = scatter(
        "emit(S { at_: vec2(0.0), v: 1 }); return S { at_: vec2(1.0, 0.0), v: 2 };",
        "sum",
        grid,
        "struct S { at_: Vec2; v: Int; }",
    )
    gives(text, {"r": [[2, 4]]}, x=[0, 0], t=[[0, 0]])


FLOATS = "input x: Rows<Int>; input t: Rows<Float>; output r: Rows<Float>;"
PAIR = "struct F { a: Int; v: Float; }"
SCATTERS = {
    "no struct": ("K311", scatter("return ⟦sample(x)⟧;")),
    "no struct at the end": ("K311", scatter("⟦sample(x)⟧")),
    "three fields": (
        "K311",
        scatter("return ⟦T { a: 1, b: 2, c: 3 }⟧;", members="struct T { a: Int; b: Int; c: Int; }"),
    ),
    "one field": ("K311", scatter("return ⟦T { a: 1 }⟧;", members="struct T { a: Int; }")),
    "a Float address": ("K311", scatter("return ⟦T { a: 1.0, b: 2 }⟧;", members="struct T { a: Float; b: Int; }")),
    "an Int address in a grid": (
        "K311",
        scatter(
            "return ⟦T { a: 1, b: 2 }⟧;",
            ports="input x: Rows<Int>; input t: Grid<Int>; output r: Grid<Int>;",
            members="struct T { a: Int; b: Int; }",
        ),
    ),
    "another value": ("K311", scatter("return ⟦T { a: 1, b: 2.0 }⟧;", members="struct T { a: Int; b: Float; }")),
    "two types of pairs": (
        "K311",
        scatter(
            "if sample(x) > 0 { return S { at_: 0, v: 0 }; } return ⟦T { a: 1, b: 2 }⟧;",
            members=SPLAT + "struct T { a: Int; b: Int; }",
        ),
    ),
    "an emitted one of another type": (
        "K311",
        scatter("emit(S { at_: 0, v: 0 }); return ⟦T { a: 1, b: 2 }⟧;", members=SPLAT + "struct T { a: Int; b: Int; }"),
    ),
    "an emitted scalar": ("K311", scatter("emit(⟦1⟧); return S { at_: 0, v: 0 };")),
    "emit with last": ("K314", scatter("⟦emit(S { at_: 0, v: 0 })⟧; return S { at_: 0, v: 0 };", "last")),
    "emit with a Float sum": (
        "K314",
        scatter("⟦emit(F { a: 0, v: 0.5 })⟧; return F { a: 0, v: 0.5 };", "sum", FLOATS, PAIR),
    ),
    "emit by a function with a Float sum": (
        "K314",
        scatter("⟦f()⟧; return F { a: 0, v: 0.5 };", "sum", FLOATS, PAIR + "fn f() { emit(F { a: 0, v: 0.5 }); }"),
    ),
    "emit in a map": ("K314", kernel("⟦emit(S { at_: 0, v: 0 })⟧; return 1;", ROWS, members=SPLAT)),
    "emit in a scan": ("K314", kernel("⟦emit(S { at_: 0, v: 0 })⟧; return 1;", ROWS, head=CARRY, members=SPLAT)),
    "emit in a group": ("K314", kernel("⟦emit(S { at_: 0, v: 0 })⟧; return 1;", ROWS, head="group 2", members=SPLAT)),
    "emit as a value": ("K230", scatter("let a = ⟦emit(S { at_: 0, v: 0 })⟧; return S { at_: 0, v: 0 };")),
    "emit of nothing": ("K204", scatter("⟦emit()⟧; return S { at_: 0, v: 0 };")),
    "no way to combine": ("K312", scatter("return S { at_: 0, v: 0 };", "⟦product⟧")),
    "a sum of Bools": (
        "K312",
        scatter(
            "return T { a: 0, v: true };",
            "⟦sum⟧",
            "input x: Rows<Int>; input t: Rows<Bool>; output r: Rows<Bool>;",
            "struct T { a: Int; v: Bool; }",
        ),
    ),
    "an extreme of enums": (
        "K312",
        scatter(
            "return T { a: 0, v: A };",
            "⟦max⟧",
            "input x: Rows<Int>; input t: Rows<E>; output r: Rows<E>;",
            "struct T { a: Int; v: E; } enum E { A; }",
        ),
    ),
    "a sum of structs with Bools": (
        "K312",
        scatter(
            "return T { a: 0, v: B { n: [true, false] } };",
            "⟦sum⟧",
            "input x: Rows<Int>; input t: Rows<B>; output r: Rows<B>;",
            "struct T { a: Int; v: B; } struct B { n: [Bool; 2]; }",
        ),
    ),
    "not on every path": (
        "K206",
        kernel(
            "if sample(x) > 0 { return S { at_: 0, v: 0 }; }",
            INTO,
            head="⟦scatter over x into t with sum⟧",
            members=SPLAT,
        ),
    ),
    "no target, no further errors": (
        "K310",
        kernel(
            "emit(S { at_: 0, v: 1 }); return S { at_: 0, v: sample(x) };",
            ROWS,
            head="scatter over x into ⟦t⟧ with sum",
            members=SPLAT,
        ),
    ),
}


@pytest.mark.parametrize(("codes", "text"), SCATTERS.values(), ids=SCATTERS)
def test_what_a_scatter_refuses(codes: str, text: str) -> None:
    refused(codes, text)


def test_last_takes_any_element() -> None:
    members = "struct T { a: Int; v: E; } enum E { A; B { f: Bool; } }"
    text = scatter(
        "return T { a: sample(x), v: B { f: true } };",
        "last",
        "input x: Rows<Int>; input t: Rows<E>; output r: Rows<E>;",
        members,
    )
    gives(text, {"r": ["A", {"B": {"f": True}}]}, x=[1], t=["A", "A"])


# ---------------------------------------------------------------- prefixes


def test_prefixes() -> None:
    gives(kernel("return sample(x);", ROWS, head=PREFIX), {"r": [1, 3, 6]}, x=[1, 2, 3])
    gives(kernel("return sample(x);", ROWS, head="prefix over x with max"), {"r": [1, 5, 5]}, x=[1, 5, 3])
    gives(kernel("return sample(x);", ROWS, head="prefix over x with min"), {"r": []}, x=[])
    grid = kernel(
        "return vec2(sample(x), -sample(x));",
        "input x: Grid<Float>; output r: Rows<Vec2>;",
        head="prefix over x with min",
    )
    nan = float("nan")
    gives(grid, {"r": [[nan, nan], [2.0, -2.0], [1.0, -2.0], [1.0, -3.0]]}, x=[[nan, 2.0], [1.0, 3.0]])
    struct = kernel(
        "return S { n: sample(x), m: [1, 2] };",
        "input x: Rows<Int>; output r: Rows<S>;",
        head=PREFIX,
        members="struct S { n: Int; m: [Int; 2]; }",
    )
    gives(struct, {"r": [{"n": 1, "m": [1, 2]}, {"n": 3, "m": [2, 4]}]}, x=[1, 2])


PREFIXES = {
    "last": ("K312", kernel("return sample(x);", ROWS, head="prefix over x with ⟦last⟧")),
    "no way": ("K312", kernel("return sample(x);", ROWS, head="prefix over x with ⟦mean⟧")),
    "a Float sum": ("K313", kernel("return sample(x);", ROWS.replace("Int", "Float"), head="prefix over x with ⟦sum⟧")),
    "a sum of vectors": (
        "K313",
        kernel("return sample(x);", ROWS.replace("Int", "Vec2"), head="prefix over x with ⟦sum⟧"),
    ),
    "a sum with a Float inside": (
        "K313",
        kernel(
            "return S { n: sample(x), m: [0.5] };",
            "input x: Rows<Int>; output r: Rows<S>;",
            head="prefix over x with ⟦sum⟧",
            members="struct S { n: Int; m: [Float; 1]; }",
        ),
    ),
    "a sum of matrices": (
        "K313",
        kernel(
            "return mat2(1.0, 0.0, 0.0, float(sample(x)));",
            "input x: Rows<Int>; output r: Rows<Mat2>;",
            head="prefix over x with ⟦sum⟧",
        ),
    ),
    "Bools": (
        "K312",
        kernel("return sample(x) > 0;", "input x: Rows<Int>; output r: Rows<Bool>;", head="prefix over x with ⟦max⟧"),
    ),
}


@pytest.mark.parametrize(("codes", "text"), PREFIXES.values(), ids=PREFIXES)
def test_what_a_prefix_refuses(codes: str, text: str) -> None:
    refused(codes, text)


# ---------------------------------------------------------------- groups


def test_groups() -> None:
    gives(
        kernel("return exchange(sample(x), lane() ^ 1) * 10 + group();", ROWS, head="group 2"),
        {"r": [20, 10, 41, 31, 52]},
        x=[1, 2, 3, 4, 5],
    )
    items = "fn swap(v: Int) -> Int { return exchange(v, lane() ^ 1); } fn number() -> Int { return group() * 100; }"
    gives(
        kernel("return swap(sample(x)) + number();", ROWS, head="group 2", before=items),
        {"r": [2, 1, 104, 103]},
        x=[1, 2, 3, 4],
    )
    made = program(kernel("return 1;", "output r: Grid<Int>;", head="group 3"))
    assert isinstance(made.schedule, ir.Lanes)
    assert made.schedule.size == 3
    assert run(made, domain=(2, 2))["r"] == [[1, 1], [1, 1]]


GROUPS = {
    "none": ("K318", kernel("return sample(x);", ROWS, head="group ⟦0⟧")),
    "below none": ("K318", kernel("return sample(x);", ROWS, head="group ⟦1 - 2⟧")),
    "a Float": ("K203", kernel("return sample(x);", ROWS, head="group ⟦2.0⟧")),
    "lane in a map": ("K317", kernel("return sample(x) + ⟦lane()⟧;", ROWS)),
    "group in a map": ("K317", kernel("return sample(x) + ⟦group()⟧;", ROWS)),
    "exchange in a map": ("K317", kernel("return ⟦exchange(sample(x), 0)⟧;", ROWS)),
    "lane in a scan": ("K317", kernel("return ⟦lane()⟧;", ROWS, head=CARRY)),
    "by a function": (
        "K317",
        kernel("return ⟦f(sample(x))⟧;", ROWS, before="fn f(v: Int) -> Int { return exchange(v, 0); }"),
    ),
    "by a chain of functions": (
        "K317",
        kernel(
            "return ⟦g(sample(x))⟧;",
            ROWS,
            before="fn f() -> Int { return lane(); } fn g(v: Int) -> Int { return v + f(); }",
        ),
    ),
    "exchange with a Float lane": ("K203", kernel("return exchange(sample(x), ⟦1.0⟧);", ROWS, head="group 2")),
    "exchange of one": ("K204", kernel("return ⟦exchange(sample(x))⟧;", ROWS, head="group 2")),
    "exchange of three": ("K204", kernel("return ⟦exchange(sample(x), 1, 2)⟧;", ROWS, head="group 2")),
    "exchange of an error": ("K201", kernel("return exchange(⟦b⟧, 0);", ROWS, head="group 2")),
}


@pytest.mark.parametrize(("codes", "text"), GROUPS.values(), ids=GROUPS)
def test_what_groups_refuse(codes: str, text: str) -> None:
    refused(codes, text)


def test_exchanges_of_whole_values() -> None:
    members = "struct S { v: Vec2; e: E; } enum E { A; B { n: Int; } }"
    body = "let s = exchange(S { v: vec2(float(sample(x))), e: B { n: index() } }, 0); return s;"
    text = kernel(body, "input x: Rows<Int>; output r: Rows<S>;", head="group 2", members=members)
    gives(text, {"r": [{"v": [7.0, 7.0], "e": {"B": {"n": 0}}}] * 2}, x=[7, 8])
