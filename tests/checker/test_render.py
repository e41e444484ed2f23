"""The renderers, on findings made by hand."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kcheck.checker import ir
from kcheck.checker.builtins import Builtin
from kcheck.checker.checked import Checked, LawVerdict
from kcheck.checker.render import cells
from kcheck.checker.render import ir as render_ir
from kcheck.checker.render import json as render_json
from kcheck.checker.render import text as render_text
from kcheck.checker.render.excerpt import excerpt as excerpt_of
from kcheck.checker.render.text import Style
from kcheck.checker.types import BOOL, FLOAT, INT, Array, Enum, Field, FieldOf, Struct, Type, Variant, Vec
from kcheck.grammar.diagnostics import Diagnostic, Edit, Fix, Note, Severity
from kcheck.grammar.source import SourceFile
from kcheck.grammar.spans import LineIndex, Origin, Span
from tests.checker.build import call, number

PATH = "a.kernel"
PROGRAM = "fn f(x: Float) -> Float {\n  return y;\n}\n"


def place(text: str, part: str, path: str = PATH) -> Origin:
    start = text.index(part)
    return Origin(path, "", Span(start, start + len(part)))


def finding(
    origin: Origin, label: str = "", code: str = "K201", severity: Severity = Severity.ERROR, **more: Any
) -> Diagnostic:
    return Diagnostic(code, severity, "something is wrong", origin, label, **more)


def result(text: str, *found: Diagnostic, path: str = PATH, laws: tuple[LawVerdict, ...] = ()) -> Checked:
    file = SourceFile(path, text, ())
    return Checked(file, {path: file}, found, {}, (), (), laws)


def excerpt(text: str, part: str, label: str = "", width: int = 100) -> list[str]:
    """The lines below the arrow of a finding at `part` of `text`."""
    found = finding(place(text, part), label)
    return render_text.render([result(text, found)], Style(width=width), summary=False).splitlines()[3:]


# ---------------------------------------------------------------- text


def test_a_finding_with_all_its_parts() -> None:
    use = finding(
        place(PROGRAM, "y"),
        "not declared",
        notes=(Note("the parameter is here", place(PROGRAM, "x")), Note("names are case-sensitive")),
        fixes=(Fix("use `x`", (Edit(place(PROGRAM, "y"), "x"),)),),
    )
    assert (
        render_text.render([result(PROGRAM, use)])
        == """\
error[K201]: something is wrong
 --> a.kernel:2:10
  |
2 |   return y;
  |          ^ not declared
note: the parameter is here
 --> a.kernel:1:6
  |
1 | fn f(x: Float) -> Float {
  |      ^
  = note: names are case-sensitive
  = help: use `x`

1 error in 1 file
why: kcheck explain K201
"""
    )


def test_findings_stand_in_the_order_of_their_places() -> None:
    second, first = finding(place(PROGRAM, "y"), code="K201"), finding(place(PROGRAM, "x"), code="K208")
    shown = render_text.render([result(PROGRAM, second, first)])
    assert shown.index("K208") < shown.index("K201")


def test_notes_may_point_into_other_files() -> None:
    user, used = SourceFile("a.kernel", "use b;\n", ()), SourceFile("b.kernel", "const A: Real = 1;\n", ())
    found = finding(place("use b;", "b"), notes=(Note("unknown type", place(used.text, "Real", "b.kernel")),))
    checked = Checked(user, {"a.kernel": user, "b.kernel": used}, (found,), {}, (), (), ())
    shown = render_text.render([checked], summary=False)
    assert shown.splitlines()[5:] == [
        "note: unknown type",
        " --> b.kernel:1:10",
        "  |",
        "1 | const A: Real = 1;",
        "  |          ^^^^",
    ]


@pytest.mark.parametrize(
    ("severities", "verdicts", "expected"),
    [
        ([], [], "no errors in 1 file"),
        ([Severity.ERROR, Severity.ERROR, Severity.WARNING], [], "2 errors, 1 warning in 1 file"),
        ([Severity.HINT], [], "1 hint in 1 file"),
        (
            [Severity.WARNING],
            ["proved", "unknown", "proved"],
            "1 warning in 1 file; laws: 2 proved, 1 unknown",
        ),
    ],
)
def test_totals(severities: list[Severity], verdicts: list[str], expected: str) -> None:
    found = [finding(Origin(PATH, "", Span(i, i)), severity=s) for i, s in enumerate(severities)]
    laws = tuple(LawVerdict("k@1", "associative", verdict, "") for verdict in verdicts)
    assert expected in render_text.render([result(PROGRAM, *found, laws=laws)]).splitlines()


def test_colours_only_when_asked() -> None:
    checked = result(PROGRAM, finding(place(PROGRAM, "y"), "here"))
    assert "\x1b" not in render_text.render([checked])
    assert "\x1b[1;31merror[K201]\x1b[0m" in render_text.render([checked], Style(color=True))


def test_tabs_and_wide_characters_keep_the_carets_in_line() -> None:
    assert excerpt("\tlet 変数 = y;", "y") == ["1 |     let 変数 = y;", "  |                ^"]
    assert excerpt("/* é🙂 */ y", "y") == ["1 | /* é🙂 */ y", "  |           ^"]
    assert excerpt("\ty\t+ z", "y\t+") == ["1 |     y    + z", "  |     ^^^^^^"]
    assert excerpt("e\u0301 y", "y") == ["1 | e\u0301 y", "  |   ^"]


def test_line_breaks_of_windows() -> None:
    assert excerpt("let a;\r\nlet y;\r\n", "let y;\r\n") == ["2 | let y;", "  | ^^^^^^"]


def test_a_place_at_the_end_of_the_text() -> None:
    text = "fn f() {\n"
    shown = render_text.render([result(text, finding(Origin(PATH, "", Span(9, 9))))], summary=False)
    assert shown.splitlines()[1:] == [" --> a.kernel:2:1", "  |", "2 |", "  | ^"]


def test_spans_over_several_lines() -> None:
    text = "  if a {\n    b\n  }\n"
    assert excerpt(text, "if a {\n    b\n  }", "all this") == [
        "1 |   if a {",
        "  |   ^^^^^^",
        "2 |     b",
        "  |     ^",
        "3 |   }",
        "  |   ^ all this",
    ]


def test_long_spans_leave_lines_out() -> None:
    text = "".join(f"line{i}\n" for i in range(1, 12))
    assert excerpt(text, text.rstrip()) == [
        " 1 | line1",
        "   | ^^^^^",
        " 2 | line2",
        "   | ^^^^^",
        "...",
        "11 | line11",
        "   | ^^^^^^",
    ]


def test_long_lines_are_cut_around_the_span() -> None:
    text = "a + " * 100 + "wrong" + " + b" * 100
    source, carets = excerpt(text, "wrong", width=60)
    assert len(source) <= 60
    assert source[4] == source[-1] == "…"
    assert source[carets.index("^") : carets.rindex("^") + 1] == "wrong"


def test_a_span_longer_than_the_screen() -> None:
    source, carets = excerpt("x" * 500, "x" * 500, width=60)
    assert len(source) <= 60
    assert len(carets) <= 60


def test_one_line_of_ten_megabytes() -> None:
    text = "変" * 5_000_000 + "y" + " " * 5_000_000
    source, carets = excerpt(text, "y", width=60)
    assert cells.cells(source) <= 60
    assert carets.count("^") == 1
    assert cells.cells(source[: source.index("y")]) == carets.index("^")


def test_nothing_in_a_source_steers_the_terminal() -> None:
    text = "let a = \x1b[2J\x00\u202e\x9b y;"
    shown = render_text.render([result(text, finding(place(text, "y"), "\x1b[31m"))])
    assert all(c == "\n" or c.isprintable() for c in shown)
    assert "␛[2J␀\ufffd\ufffd y;" in shown


@given(
    text=st.text(st.sampled_from("ab \t\r\n変\u0301\x1b🙂"), max_size=200),
    ends=st.tuples(st.integers(0, 200), st.integers(0, 200)),
    room=st.integers(20, 60),
)
def test_excerpts_of_any_text_fit_and_mark_something(text: str, ends: tuple[int, int], room: int) -> None:
    start, end = sorted(min(end, len(text)) for end in ends)
    for row in excerpt_of(LineIndex(text), Span(start, end), room):
        assert cells.cells(row.text) <= room
        assert row.number is None or row.carets >= 1
        assert row.pad + row.carets <= room + 1


# ---------------------------------------------------------------- JSON


def test_json() -> None:
    text = "// 🙂 y\n"
    found = finding(
        place(text, "y"),
        "label",
        notes=(
            Note("here", place(text, "//")),
            Note("nowhere"),
            Note("there", Origin("b.kernel", "", Span(0, 1))),
        ),
        fixes=(Fix("use `x`", (Edit(place(text, "y"), "x"),)),),
    )
    warning = finding(place(text, "//"), code="K402", severity=Severity.WARNING)
    law = LawVerdict("stats.total@1", "associative", "unknown", "no prover yet")
    checked = result(text, found, warning, laws=(law,))
    other = SourceFile("b.kernel", "z", ())
    checked = Checked(checked.file, {**checked.files, "b.kernel": other}, checked.diagnostics, {}, (), (), (law,))

    def reach(start: int, end: int) -> object:
        return {"start": {"line": 0, "character": start}, "end": {"line": 0, "character": end}}

    assert json.loads(render_json.render([checked, result("", path="empty.kernel")])) == {
        "version": 1,
        "files": [
            {
                "path": "a.kernel",
                "diagnostics": [
                    {
                        "code": "K402",
                        "severity": "warning",
                        "message": "something is wrong",
                        "range": reach(0, 2),
                        "notes": [],
                        "fixes": [],
                    },
                    {
                        "code": "K201",
                        "severity": "error",
                        "message": "something is wrong",
                        "range": reach(6, 7),
                        "notes": [
                            {"message": "here", "range": reach(0, 2)},
                            {"message": "nowhere", "range": None},
                            {"message": "there", "path": "b.kernel", "range": reach(0, 1)},
                        ],
                        "fixes": [{"title": "use `x`", "edits": [{"range": reach(6, 7), "newText": "x"}]}],
                    },
                ],
                "laws": [
                    {
                        "kernel": "stats.total@1",
                        "law": "associative",
                        "verdict": "unknown",
                        "assuming": [],
                        "seconds": 0.0,
                        "reason": "no prover yet",
                        "witness": None,
                    }
                ],
            },
            {"path": "empty.kernel", "diagnostics": [], "laws": []},
        ],
        "summary": {"errors": 1, "warnings": 1, "laws": {"proved": 0, "refuted": 0, "unknown": 1}},
    }


# ---------------------------------------------------------------- IR

NOWHERE = Origin(PATH, "", Span(0, 0))
PAIR = Struct("Pair", "a#Pair", (FieldOf("cell", INT), FieldOf("weights", Array(FLOAT, 2))))
SHAPE = Enum("Shape", "a#Shape", (Variant("Dot", ()), Variant("Disc", (FieldOf("r", FLOAT),))))


def function(
    name: str,
    body: tuple[ir.Statement, ...],
    result_type: Type = INT,
    local_types: tuple[tuple[str, Type], ...] = (),
    parameters: int = 0,
    effects: frozenset[ir.Effect] = frozenset(),
) -> ir.Function:
    return ir.Function(
        name=name,
        parameters=parameters,
        locals=tuple(ir.LocalDecl(name=n, type=t) for n, t in local_types),
        result=result_type,
        body=ir.Block(statements=body),
        effects=effects,
        origins=(),
    )


def program(schedule: ir.Schedule, *functions: ir.Function) -> ir.Program:
    return ir.Program(
        name="demo.all@1",
        inputs=(ir.PortDecl(name="values", type=Field(1, INT), origin=NOWHERE),),
        outputs=(ir.PortDecl(name="result", type=Field(1, INT), origin=NOWHERE),),
        memories=(ir.PortDecl(name="ram", type=Field(1, INT), origin=NOWHERE),),
        params=(
            ir.ParamDecl(name="k", type=FLOAT, default=number(0.1), low=number(0.0), high=number(1.0), origin=NOWHERE),
        ),
        rank=1,
        result=INT,
        schedule=schedule,
        functions=functions,
        sampled=frozenset({"values"}),
        origin=NOWHERE,
    )


def local(number_: int, type_: Type) -> ir.Local:
    return ir.Local(type=type_, local=number_)


def integer(value: int) -> ir.Const:
    return ir.Const(type=INT, leaves=(value,))


def test_ir_of_a_whole_program() -> None:
    one, total = integer(1), local(0, INT)
    helper = function("helper", (ir.Return(value=local(0, FLOAT)),), FLOAT, (("x", FLOAT),), 1)
    start = function("init", (ir.Return(value=integer(0)),))
    loop = ir.Loop(
        local=2,
        low=integer(0),
        high=integer(9),
        closed=True,
        until=ir.Until(
            block=ir.Block(statements=(ir.Load(local=3, memory="ram", address=(local(2, INT),)),)),
            condition=ir.Binary(type=BOOL, op=ir.BinaryOp.GT, left=local(3, INT), right=one),
        ),
        body=ir.Block(
            statements=(
                ir.Switch(
                    subject=local(2, INT),
                    cases=(ir.Case(ranges=((1, 1), (3, 5)), body=ir.Block(statements=())),),
                    otherwise=ir.Block(
                        statements=(ir.Put(memory="ram", address=(total,), value=ir.Sample(type=INT, port="values")),)
                    ),
                ),
            )
        ),
    )
    step = function(
        "step",
        (
            ir.Assign(local=1, value=ir.Binary(type=INT, op=ir.BinaryOp.ADD, left=total, right=one)),
            ir.Assign(local=1, value=one),
            loop,
            ir.If(
                condition=ir.Const(type=BOOL, leaves=(True,)),
                then=ir.Block(statements=(ir.Return(value=total),)),
                otherwise=ir.Block(statements=()),
            ),
            ir.Return(value=local(1, INT)),
        ),
        INT,
        (("total", INT), ("next", INT), ("i", INT), ("op", INT)),
        1,
        frozenset({ir.Effect.PUT, ir.Effect.LOAD}),
    )
    walk = ir.OrderedWalk(over="values", element=2, init=1)
    assert (
        render_ir.render(program(walk, helper, start, step))
        == """\
program demo.all@1 (rank 1, result Int)
  input values: Rows<Int>  # sampled
  memory ram: Rows<Int>
  param k: Float = 0.1 in 0.0..=1.0
  output result: Rows<Int>
  schedule ordered walk over values: element step#2, init init#1

fn helper#0(x.0: Float) -> Float {
  return x.0
}

fn init#1() -> Int {
  return 0
}

fn step#2(total.0: Int) -> Int !load !put {
  next.1: Int = total.0 + 1
  next.1 = 1
  for i.2: Int in 0..=9 {
    until {
      op.3: Int = load(ram, i.2)
    } op.3 > 1
    switch i.2 {
      1 | 3..=5 => {
      }
      else => {
        put(ram, total.0, sample(values))
      }
    }
  }
  if true {
    return total.0
  }
  return next.1
}
"""
    )


PAIR_LOCAL, SHAPE_LOCAL, VECTOR_LOCAL = local(0, PAIR), local(1, SHAPE), local(2, Vec(3))
MINUS = ir.Unary(type=FLOAT, op=ir.UnaryOp.NEG, operand=number(1.0))
SUM = ir.Binary(type=INT, op=ir.BinaryOp.ADD, left=integer(1), right=integer(-2))
TRUE = ir.Const(type=BOOL, leaves=(True,))


@pytest.mark.parametrize(
    ("node", "expected"),
    [
        (MINUS, "-1.0"),
        (ir.Binary(type=INT, op=ir.BinaryOp.MUL, left=SUM, right=SUM), "(1 + -2) * (1 + -2)"),
        (ir.ShortCircuit(type=BOOL, op=ir.Logic.AND, left=TRUE, right=TRUE), "true && true"),
        (
            ir.Conditional(type=INT, condition=TRUE, then=SUM, otherwise=integer(3)),
            "if true then 1 + -2 else 3",
        ),
        (ir.Param(type=FLOAT, name="k"), "param.k"),
        (ir.StructField(type=INT, operand=PAIR_LOCAL, index=0), "pair.0.cell"),
        (ir.Swizzle(type=Vec(2), operand=VECTOR_LOCAL, components=(2, 0)), "v.2.zx"),
        (ir.Index(type=FLOAT, operand=VECTOR_LOCAL, index=SUM), "v.2[1 + -2]"),
        (ir.Make(type=Vec(3), parts=(VECTOR_LOCAL, number(1e-10))), "Vec3(v.2, 1e-10)"),
        (ir.Splat(type=Vec(3), operand=number(0.5)), "Vec3(splat 0.5)"),
        (ir.MakeVariant(type=SHAPE, variant=1, parts=(number(2.0),)), "Shape.Disc(2.0)"),
        (ir.Tag(type=INT, operand=SHAPE_LOCAL), "tag(shape.1)"),
        (ir.Payload(type=FLOAT, operand=SHAPE_LOCAL, variant=1, index=0), "(shape.1 as Shape.Disc).r"),
        (call(Builtin.MAX, integer(1), integer(2)), "max(1, 2)"),
        (ir.Call(type=INT, function=0, args=(SUM,)), "f#0(1 + -2)"),
        (ir.SampleAt(type=FLOAT, port="p", position=number(0.25)), "sample(p, 0.25)"),
        (ir.At(type=INT, port="p", address=(integer(1), integer(2))), "at(p, 1, 2)"),
        (ir.Size(type=INT, port="p"), "size(p)"),
        (ir.Extent(type=FLOAT, port="p"), "extent(p)"),
        (ir.Place(type=INT, kind=ir.PlaceKind.LANE), "lane()"),
        (ir.Const(type=PAIR, leaves=(7, 0x7FC00000, 0xFF800000)), "Pair(7, nan, -inf)"),
    ],
)
def test_ir_of_expressions(node: ir.Expression, expected: str) -> None:
    locals_ = (("pair", PAIR), ("shape", SHAPE), ("v", Vec(3)))
    whole = program(ir.Elements(element=0), function("f", (ir.Emit(value=node),), INT, locals_, 3))
    assert f"  emit({expected})\n" in render_ir.render(whole)


def test_ir_of_other_statements() -> None:
    cell = ir.Assign(local=0, steps=(ir.FieldStep(index=1), ir.IndexStep(index=integer(1))), value=number(16777216.0))
    body = (
        cell,
        ir.Assign(local=2, steps=(ir.SwizzleStep(components=(0, 1)),), value=number(3.4028235e38)),
        ir.Exchange(local=3, value=integer(1), lane=integer(0)),
        ir.CallStatement(local=None, function=0, args=()),
        ir.CallStatement(local=4, function=0, args=()),
        ir.Block(statements=(ir.Return(value=None),)),
    )
    locals_ = (("pair", PAIR), ("shape", SHAPE), ("v", Vec(3)), ("x", INT), ("y", INT))
    shown = render_ir.render(program(ir.Lanes(size=64, element=0), function("f", body, INT, locals_, 3)))
    assert "schedule lanes, 64 a group: element f#0\n" in shown
    assert shown.endswith("""{
  pair.0.weights[1] = 16777216.0
  v.2.xy = 3.4028235e+38
  x.3: Int = exchange(1, 0)
  f#0()
  y.4: Int = f#0()
  {
    return
  }
}
""")


@pytest.mark.parametrize(
    ("schedule", "expected"),
    [
        (ir.Fold(over="values", element=0, merge=0), "fold over values: element f#0, merge f#0"),
        (
            ir.CombineByAddress(over="values", into="t", op=ir.CombineOp.LAST, element=0),
            "combine by address over values into t with last: element f#0",
        ),
        (
            ir.RunningCombine(over="values", op=ir.CombineOp.SUM, element=0),
            "running combine over values with sum: element f#0",
        ),
    ],
)
def test_ir_of_schedules(schedule: ir.Schedule, expected: str) -> None:
    assert f"  schedule {expected}\n" in render_ir.render(program(schedule, function("f", ())))
