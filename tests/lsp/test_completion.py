"""Completion: what is offered where, that it fits, and that what is accepted checks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from lsprotocol import types as lsp

from kcheck.checker.check import check_text
from kcheck.checker.memo import Memo
from kcheck.grammar.diagnostics import Severity
from kcheck.grammar.spans import Span
from kcheck.lsp.features.completion import completion
from kcheck.lsp.features.snippets import ITEMS, plain
from kcheck.lsp.view import Traits, View
from tests.lsp.views import MAIN, TRAITS, applied, marked_view, start_of, view_of

PLACES = [Path("/files")]
TYPES = """
struct Pair { low: Int; high: Float; }
enum Shape { Dot; Disc { r: Float; } Box { w: Float; h: Float; } }
const COUNT: Int = 4;
const HALF: Float = 0.5;
fn wide(x: Float, by: Pair) -> Vec3 { return vec3(x + by.high); }
"""
MAP = (
    TYPES
    + """
kernel photo.map@1 {
  requires { field.read; field.write; }
  input source: Image;
  input other: Rows<Int>;
  param amount: Float = 0.5 in 0.0..1.0;
  output result: Image;
  compute {
    let pixel = sample(source);
    let colour = pixel.rgb;
    %s
  }
}
"""
)
FOLLOWED = MAP.replace("%s", "%s\n    return vec4(colour * amount, 1.0);")


def offered(view: View, place: lsp.Position) -> dict[str, lsp.CompletionItem]:
    """The items by label, best first."""
    found = completion(view, place, PLACES)
    return {item.label: item for item in sorted(found.items, key=lambda item: item.sort_text or item.label)}


def items(text: str, others: Mapping[str, str] | None = None, traits: Traits = TRAITS) -> dict[str, lsp.CompletionItem]:
    view, marks = marked_view(text, others, traits=traits)
    return offered(view, start_of(view, marks[0]))


def labels(text: str, others: Mapping[str, str] | None = None) -> list[str]:
    return list(items(text, others))


def accepted(text: str, label: str) -> str:
    """The text after an item is accepted by a client without snippets."""
    view, marks = marked_view(text, traits=Traits())
    item = offered(view, start_of(view, marks[0]))[label]
    assert isinstance(item.text_edit, lsp.TextEdit)
    return applied(view.text, [item.text_edit, *(item.additional_text_edits or ())])


def errors(text: str) -> list[str]:
    found = check_text(text, MAIN).diagnostics
    return [f"{d.code} {d.message}" for d in found if d.severity is Severity.ERROR]


# ---------------------------------------------------------------- members and fields


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("let y = colour.«»;", {"x", "y", "z", "xy", "xyz", "r", "g", "b", "rg", "rgb"}),
        ("let y = sample(source).«»", {"xyzw", "rgba", "w", "a"}),
        ("let y = wide(1.0, Pair { low: 1, high: 2.0 }).«»", {"xyz"}),
        ("let y = (colour * 2.0).«»", {"xyz"}),
        ("let y = max(colour, 0.5).«» + 1.0;", {"xyz"}),
        ("let y = [colour, colour][1].«»", {"xyz"}),
        ("let p = Pair { low: 1, high: 2.0 };\n    p.«»", {"low", "high"}),
        ("let p = Pair { low: 1, high: 2.0 };\n    if p.l«» > 1 { }", {"low", "high"}),
        ("let y = Shape.«»;", {"Dot", "Disc", "Box"}),
        ("let y = mix(colour, vec3(colour.«»", {"x", "rg"}),
    ],
)
def test_members(written: str, expected: set[str]) -> None:
    assert expected <= set(labels(MAP % written))


def test_a_value_without_members_offers_none() -> None:
    assert labels(MAP % "let y = amount.«»;") == []
    assert labels(MAP % "let y = unknown.«»;") == []
    assert "w" not in labels(MAP % "let y = colour.«»;")


def test_members_work_in_unclosed_blocks_at_the_end_of_a_file() -> None:
    for end in ("", "\n", "\n}", "\n}\nfn after() -> Int { return 1; }\n"):
        text = TYPES + "fn f(p: Pair) -> Float {\n  let q = p;\n  if true {\n    let y = q.«»" + end
        assert labels(text) == ["high", "low"]


def test_struct_values_offer_the_fields_that_are_missing() -> None:
    assert set(labels(MAP % "let p = Pair { «» };")) == {"low", "high", "all fields"}
    assert labels(MAP % "let p = Pair { low: 1, «» };") == ["high"]
    assert labels(MAP % "let s = Shape.Disc { «» };") == ["r"]
    assert "all fields" in labels(MAP % "let s: Shape = Box { «» };")
    text = FOLLOWED % "let p = Pair { «» };"
    assert errors(accepted(text, "all fields")) == []


def test_records_offer_the_outputs_that_are_missing() -> None:
    text = """
kernel a.b@1 {
  requires { field.read; field.write; }
  input source: Grid<Float>;
  output light: Grid<Float>;
  output steep: Grid<Bool>;
  compute { { light: sample(source), «» } }
}
"""
    assert labels(text) == ["steep"]
    assert {"light", "steep"} <= set(labels(text.replace("light: sample(source), «»", "«»")))
    start = text.replace("{ { light: sample(source), «» } }", "{ «» }")
    assert "{ outputs }" in labels(start)
    assert errors(accepted(start, "{ outputs }")) == []


def test_the_start_of_a_scan_offers_its_fields() -> None:
    text = TYPES + "kernel a.b@1 { input x: Rows<Int>; output o: Rows<Pair>; scan over x with y = Pair { «» } { y } }"
    assert labels(text)[:3] == ["all fields", "high", "low"]


# ---------------------------------------------------------------- values


def test_what_fits_comes_first() -> None:
    assert labels(MAP % "let y: Vec3 = «»;")[0] == "colour"
    assert labels(MAP % "let y: Vec4 = «»;")[:2] == ["pixel", "sample(source)"]
    assert labels(MAP % "let y = wide(«»")[0] == "amount" or "HALF" in labels(MAP % "let y = wide(«»")[:2]
    assert labels(MAP % "let y = wide(1.0, «»")[0] == "Pair {…}"
    assert set(labels(MAP % "if «»")[:2]) == {"true", "false"}
    assert labels(MAP % "for i in 0..«»")[0] == "COUNT"
    assert labels(MAP % "let y = pixel * «»")[0] == "pixel"
    assert labels(MAP % "let y: Shape = «»;")[:3] == ["Box", "Disc", "Dot"]
    assert labels(MAP % "let b = Shape.Dot == «»;")[:3] == ["Box", "Disc", "Dot"]


@pytest.mark.parametrize("type_", ["Vec3", "Vec4", "Float", "Int", "Bool", "Pair", "Shape", "Vec2"])
def test_the_first_values_have_the_type_that_is_wanted(type_: str) -> None:
    """Values and calls of one's own; built-ins come with names in place of arguments."""
    text = FOLLOWED % f"let y: {type_} = «»;"
    best = [item.label for item in items(text).values() if (item.sort_text or "") < "2z" and "wide" not in item.label]
    assert best or type_ == "Vec2"
    for label in best:
        assert errors(accepted(text, label)) == [], label


def test_ports_come_as_reads() -> None:
    found = items(MAP % "«»")
    assert isinstance(found["sample(source)"].text_edit, lsp.TextEdit)
    assert found["sample(source)"].filter_text == "source"
    assert "at(other, …)" in found
    assert "result" not in found
    assert labels(MAP % "let y = at(«»") == ["other", "source"]
    assert labels(MAP % "let y = sample(source, «»")[0] != "source"


def test_locals_are_in_sight_where_they_are_declared() -> None:
    text = MAP % "if amount > 0.5 { let inner = 1; }\n    let later = «»;\n    let last = 2;"
    found = labels(text)
    assert "colour" in found
    assert not {"inner", "later", "last"} & set(found)


def test_built_ins_come_as_calls_with_their_signature() -> None:
    found = items(MAP % "let y = cla«»")
    clamp = found["clamp"]
    assert clamp.detail == "clamp(x: T, low: T, high: T) -> T"
    assert clamp.insert_text_format is lsp.InsertTextFormat.Snippet
    assert isinstance(clamp.text_edit, lsp.TextEdit)
    assert clamp.text_edit.new_text == "clamp(${1:x}, ${2:low}, ${3:high})$0"
    assert accepted(MAP % "let y = cla«»", "clamp").count("clamp(x, low, high)") == 1
    called = items(MAP % "let y = cla«»(1.0, 2.0, 3.0);")["clamp"].text_edit
    assert isinstance(called, lsp.TextEdit)
    assert called.new_text == "clamp"


def test_words_of_other_modes_are_left_out() -> None:
    found = labels(MAP % "«»")
    assert not {"lane", "exchange", "put", "emit"} & set(found)
    group = "kernel a.b@1 {\n requires { field.write; }\n output o: Rows<Int>;\n group 4 { let x = «»; }\n}"
    assert {"lane", "exchange", "index"} <= set(labels(group))
    scan = """
kernel a.b@1 {
  requires { field.read; field.write; }
  input line: Rows<Int>;
  memory cells: Rows<Int>;
  output result: Rows<Int>;
  scan over line with y = 0 { %s }
}
"""
    assert "put" in labels(scan % "«»")
    assert "put" not in labels(scan % "let x = «»;")
    assert labels(scan % "put(«»") == ["cells"]
    merge = "kernel a.b@1 {\n input x: Rows<Int>;\n output o: Rows<Int>;\n compute over x { 1 }\n merge(a, b) { «» }\n}"
    assert {"a", "b"} <= set(labels(merge))
    assert not {"sample", "index", "lane"} & set(labels(merge))


def test_a_forgotten_semicolon_hides_nothing() -> None:
    assert {"let", "colour", "clamp"} <= set(labels(MAP % "let a = colour\n    «»"))
    assert {"output", "compute"} <= set(labels("kernel a.b@1 {\n  input x: Rows<Int>\n  «»\n}"))
    assert {"fn", "struct"} <= set(labels("fn f() -> Int\n«»"))


def test_constants_call_no_functions() -> None:
    found = labels(TYPES + "const MORE: Float = «»;")
    assert {"HALF", "sqrt", "vec3"} <= set(found)
    assert not {"wide", "index", "sample"} & set(found)


def test_no_names_where_a_new_one_is_written() -> None:
    for text in ("let «»", "var x«»", "for «»"):
        assert labels(MAP % text) == []
    assert labels("fn «»") == []
    assert labels("kernel a«»") == []


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("for i «»", ["in"]),
        ("for i in 0..4 «»", ["until"]),
        ("loop 3 «»", ["until"]),
        ("let y = if amount > 0.5 { 1 } «»", ["else"]),
        ("if amount > 0.5 { } else «»", ["if"]),
        ("let y = amount «»", []),
    ],
)
def test_words_between(written: str, expected: list[str]) -> None:
    assert labels(MAP % written) == expected


@pytest.mark.parametrize(
    "text",
    ["// let «»", "/* let «» */", "/// Doc «»\nconst N: Int = 1;", "const N: Int = 12«»;", "const N: Int = 0x«»;"],
)
def test_nothing_in_comments_and_numbers(text: str) -> None:
    assert labels(text) == []


# ---------------------------------------------------------------- matches

MATCH = TYPES + "fn area(shape: Shape) -> Float {\n  return match shape {\n    %s\n  };\n}\n"


def test_what_an_arm_binds_is_in_sight_while_it_is_written() -> None:
    for arm in ("Disc { r } => «»", "Dot => 1.0, Disc { r } => 2.0 * «»", "Disc { r } => { max(«»"):
        assert "r" in labels(MATCH % arm)[:2]
    renamed = items(MATCH % "Disc { r: radius } => «»")
    assert renamed["radius"].detail == "radius: Float"
    assert "r" not in renamed
    assert labels(MAP % "for i in 0..4 until «»").count("i") == 1


def test_matches_offer_the_arms_that_are_missing() -> None:
    assert set(labels(MATCH % "«»")) == {"Dot", "Disc { r }", "Box { w, h }", "all arms", "_"}
    assert set(labels(MATCH % "Dot => 1.0, «»")) == {"Disc { r }", "Box { w, h }", "all arms", "_"}
    assert set(labels(MATCH % "Dot => 1.0, Disc { r } => { r } «»")) == {"Box { w, h }", "_"}
    assert labels(MATCH % "Dot => «»")[0] == "HALF"
    assert set(labels("fn f(b: Bool) -> Int { return match b { «» }; }")) == {"true", "false", "all arms", "_"}


def test_all_arms_make_a_whole_match() -> None:
    text = accepted(MATCH % "«»", "all arms").replace("=> ,", "=> 1.0,")
    assert errors(text) == []


# ---------------------------------------------------------------- types and items


def test_types() -> None:
    assert set(labels("kernel a.b@1 { input x: «»")) == {"Rows", "Grid", "Volume", "Image"}
    inner = labels(TYPES + "kernel a.b@1 { input x: Rows<«»")
    assert {"Pair", "Shape", "Float", "Vec3"} <= set(inner)
    assert "Rows" not in inner
    for text in ("fn f(a: «»", "fn f() -> «»", "fn f() { let x: «»", "struct S { a: «»", "const N: «»"):
        found = labels(TYPES + text)
        assert {"Int", "Mat4", "Pair", "[T; N]"} <= set(found)
        assert "Image" not in found


def test_the_texts_for_items_check() -> None:
    for snippet in ITEMS:
        assert errors(plain(snippet.text)) == [], snippet.label
    assert {"kernel: scan", "fn", "struct", "use"} <= set(labels("«»"))
    assert "fn" in labels("const N: Int = 1;\nf«»")


KERNELS = {
    "grids": (["Grid<Float>"], "Grid", "Float"),
    "whole numbers": (["Rows<Int>"], "Rows", "Int"),
    "structs": (["Rows<Pair>"], "Rows", "Pair"),
    "vectors": (["Rows<Float>", "Rows<Vec3>"], "Rows", "Vec3"),
    "enums": (["Rows<Float>", "Rows<Shape>"], "Rows", "Shape"),
    "volumes": (["Volume<Vec2>", "Volume<Vec2>"], "Volume", "Vec2"),
    "flags": (["Rows<Bool>"], "Rows", "Bool"),
}
"""The types of the inputs, and what the output is and holds."""
ROWS = {"compute over", "scan", "prefix"}
"""The modes whose output has one axis whatever the inputs have."""


@pytest.mark.parametrize(("inputs", "field", "element"), KERNELS.values(), ids=KERNELS.keys())
@pytest.mark.parametrize("mode", ["compute", "compute over", "scan", "scatter", "prefix", "group"])
def test_the_bodies_of_all_modes_check(mode: str, inputs: list[str], field: str, element: str) -> None:
    ports = [f"  input in{i}: {type_};\n" for i, type_ in enumerate(inputs)]
    output = f"  output result: {'Rows' if mode in ROWS else field}<{element}>;\n"
    head = f"{TYPES}kernel a.b@1 {{\n  requires {{ field.read; field.write; }}\n"
    text = f"{head}{''.join(ports)}{output}  «»\n}}\n"
    if mode == "prefix" and element in ("Shape", "Bool"):
        assert mode not in items(text)
    else:
        assert errors(accepted(text, mode)) == []


def test_a_kernel_offers_what_it_lacks() -> None:
    head = "kernel a.b@1 {\n  input x: Rows<Int>;\n  output o: Rows<Int>;\n"
    assert {"requires", "compute", "example", "input", "param with a range"} <= set(labels(head + "«»\n}"))
    assert not {"compute", "scan", "group"} & set(labels(head + "  compute { sample(x) }\n  «»\n}"))
    assert "merge" in labels(head + "  compute over x { sample(x) }\n  «»\n}")
    assert "merge" not in labels(head + "  compute over x { sample(x) }\n  merge(a, b) { a + b }\n  «»\n}")
    assert "requires" not in labels(head + "  requires { field.read; }\n  «»\n}")


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("compute «»", ["over"]),
        ("compute over «»", ["t", "x"]),
        ("scan «»", ["over"]),
        ("scan over x «»", ["with"]),
        ("scatter over x «»", ["into"]),
        ("scatter over x into «»", ["t", "x"]),
        ("scatter over x into t «»", ["with"]),
        ("scatter over x into t with «»", ["last", "max", "min", "sum"]),
        ("prefix over x with «»", ["max", "min", "sum"]),
    ],
)
def test_headers_of_bodies(header: str, expected: list[str]) -> None:
    assert (
        labels(f"kernel a.b@1 {{\n input x: Rows<Int>;\n input t: Rows<Int>;\n output o: Rows<Int>;\n {header}")
        == expected
    )


def test_permissions() -> None:
    assert labels("kernel a.b@1 { requires { «» } }") == ["field.read", "field.write"]
    text = "kernel a.b@1 { requires { field.read; field.«» } }"
    assert labels(text) == ["field.write"]
    assert "requires { field.read; field.write; }" in accepted(text, "field.write")


# ---------------------------------------------------------------- examples

EXAMPLE = MAP % "pixel * amount" % ()
EXAMPLE = EXAMPLE[: EXAMPLE.rindex("}")].replace("  input other: Rows<Int>;\n", "")


def example(entries: str) -> str:
    return f"{EXAMPLE}  example one {{ {entries} }}\n}}\n"


def test_examples_offer_what_is_not_bound() -> None:
    assert labels(example("«»"))[:2] == ["source", "expect result"]
    assert {"amount", "domain"} <= set(labels(example("«»")))
    assert "source" not in labels(example("source = zeros((2, 2)); «»"))
    assert labels(example("source = zeros((2, 2)); expect «»")) == ["result"]
    bound = accepted(example("«»"), "source")
    assert errors(bound) == []
    whole = accepted(bound.replace("zeros((2, 2));", "zeros((3, 5)); «»"), "expect result")
    assert "expect result = zeros((3, 5));" in whole
    assert errors(whole) == []


def test_whole_examples_check() -> None:
    assert errors(accepted(f"{EXAMPLE}  «»\n}}\n", "example")) == []
    text = """
struct Pair { low: Int; high: Vec2; }
enum Move { Stay; Step { by: Int; } }
kernel a.b@1 {
  requires { field.read; field.write; }
  input moves: Rows<Move>;
  input pairs: Rows<Pair>;
  input flags: Grid<Bool>;
  memory cells: Volume<Int>;
  param start: Int;
  param scale: Float in 2.0..3.0;
  output result: Rows<Int>;
  scan over moves with y = 0 { y + at(pairs, 0).low + at(cells, 0, 0, 0) + start + int(scale) + int(at(flags, 0, 0)) }
  %s
}
"""
    assert errors(accepted(text % "«»", "example")) == []
    assert errors(accepted(text % "example one { «» }", "all that is missing")) == []


def test_values_in_examples() -> None:
    found = labels(example("source = «»"))
    assert {"[…]", "zeros", "random", "file"} <= set(found)
    assert "range" not in found
    assert "range" in labels("kernel a.b@1 { input x: Rows<Int>; output o: Rows<Int>; example one { x = «» } }")
    moves = TYPES + "kernel a.b@1 { input x: Rows<Shape>; output o: Rows<Int>; example one { x = [Dot, «»] } }"
    assert labels(moves)[:3] == ["Box", "Disc", "Dot"]
    assert {"NaN", "Infinity"} <= set(labels(example("amount = «»")))


def test_structs_in_examples() -> None:
    text = TYPES + "kernel a.b@1 { input x: Grid<Pair>; output o: Rows<Pair>; example one { %s } }"
    for entries in ("x = [[«»", "x = [[{ low: 1, high: 2.0 }, «»", "expect o = [«»"):
        assert labels(text % entries)[0] == "{…}"
    assert labels(text % "x = [[{ «»")[:3] == ["all fields", "high", "low"]
    assert labels(text % "x = [[{ low: 1, «» }]];") == ["high"]
    assert labels(text % "expect o = [{ «»: 1 }];")[:3] == ["all fields", "high", "low"]


def test_files_beside_the_source(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "cat.png").touch()
    (tmp_path / "dog.png").touch()
    (tmp_path / ".hidden").touch()
    path = str(tmp_path / "main.kernel")

    def found(entries: str) -> dict[str, lsp.CompletionItem]:
        view, marks = marked_view(example(entries), path=path)
        return offered(view, start_of(view, marks[0]))

    assert list(found('source = file("«»')) == ["dog.png", "data/"]
    assert list(found('source = file("data/«»");')) == ["cat.png"]
    edit = found('source = file("data/c«»");')["cat.png"].text_edit
    assert isinstance(edit, lsp.TextEdit)
    assert edit.new_text == "cat.png"
    assert edit.range.end.character - edit.range.start.character == 1
    assert found('source = file("nowhere/«»");') == {}
    assert labels(MAP % 'let y = "«»"') == []


# ---------------------------------------------------------------- scenes

SCENE = (
    MAP % "pixel"
    + """
scene demo {
  input photo: Image;
  node first: photo.map@1 { source <- photo; }
  %s
}
"""
)


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("«»", ["input", "node", "output", "param"]),
        ("node second: «»", ["photo.map@1"]),
        ("node second: photo.«»", ["photo.map@1"]),
        (
            "node second: photo.map@1 { «» }",
            ["other", "source", "amount", "async", "awake", "carry", "domain", "times"],
        ),
        (
            "node second: photo.map@1 { source <- photo; «» }",
            ["other", "amount", "async", "awake", "carry", "domain", "times"],
        ),
        ("node second: photo.map@1 { source <- «» }", ["first.result", "photo", "second.result"]),
        ("node second: photo.map@1 { source <~ second.«» }", ["first.result", "photo", "second.result"]),
        ("node second: photo.map@1 { source <~ second.result from «» }", ["first.result", "photo", "second.result"]),
        ("output picture <- «»;", ["first.result", "photo"]),
    ],
)
def test_scenes(written: str, expected: list[str]) -> None:
    assert labels(SCENE % written) == expected


# ---------------------------------------------------------------- other files

FAR = {"/files/far/off.kernel": "fn distant(x: Float) -> Float { return x; }\nstruct Dim { d: Int; }\n"}


def test_packages_that_are_still_to_be_analysed() -> None:
    view = replace(view_of("use "), paths=("/files/far/off.kernel", "untitled:Untitled-1"))
    found = completion(view, lsp.Position(0, 4), [Path("/files")])
    assert "far.off" in [item.label for item in found.items]


def test_packages() -> None:
    assert labels("use «»", FAR) == ["far.off"]
    assert labels("use far.«»", FAR) == ["far.off"]
    assert labels("use far.off;\nuse «»", FAR) == []
    assert accepted_with("use far.o«»;\n", "far.off") == "use far.off;\n"


def accepted_with(text: str, label: str) -> str:
    view, marks = marked_view(text, FAR, traits=Traits())
    item = offered(view, start_of(view, marks[0]))[label]
    assert isinstance(item.text_edit, lsp.TextEdit)
    return applied(view.text, [item.text_edit, *(item.additional_text_edits or ())])


def test_names_of_other_files_bring_their_use() -> None:
    text = "// A head.\n\n/// Doc.\nfn f(x: Float) -> Float { return d«»; }\n"
    assert accepted_with(text, "distant") == (
        "// A head.\n\nuse far.off;\n\n/// Doc.\nfn f(x: Float) -> Float { return distant(); }\n"
    )
    used = "use other;\nfn f(x: D«») -> Float { return 1.0; }\n"
    assert accepted_with(used, "Dim") == "use other;\nuse far.off;\nfn f(x: Dim) -> Float { return 1.0; }\n"
    known = "use far.off;\nfn f(x: Float) -> Float { return d«»; }\n"
    assert items(known, FAR)["distant"].additional_text_edits is None


def test_clients_without_snippets_get_plain_text() -> None:
    view, marks = marked_view(MAP % "«»", traits=Traits())
    for item in completion(view, start_of(view, marks[0]), PLACES).items:
        assert isinstance(item.text_edit, lsp.TextEdit)
        assert "$" not in item.text_edit.new_text
        assert item.insert_text_format is None


def test_the_word_that_is_written_is_replaced() -> None:
    view, marks = marked_view("const 😀: Int = 1;\nfn f(x: Vec3) -> Float { /* é😀 */ return x.x + dis«»; }")
    place = start_of(view, marks[0])
    edit = offered(view, place)["distance"].text_edit
    assert isinstance(edit, lsp.TextEdit)
    assert (edit.range.start.character, edit.range.end) == (place.character - 3, place)


EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.mark.parametrize("name", ["machine", "shapes", "lists"])
def test_every_name_of_an_example_is_offered_where_it_stands(name: str) -> None:
    """With the rest of its line gone too."""
    text = (EXAMPLES / f"{name}.kernel").read_text("utf-8")
    whole, memo = view_of(text), Memo()
    for item in whole.file.items:
        for reference in whole.checked.facts[item.key].references:
            start, end = (item.offset + edge for edge in (reference.span.start, reference.span.end))
            if not reference.is_declaration:
                cut = text[:start] + text[text.index("\n", end) :]
                view = replace(whole, checked=check_text(cut, MAIN, memo=memo))
                found = completion(view, view.range(Span(start, start)).start, PLACES).items
                assert text[start:end] in {item.filter_text or item.label for item in found}, text[start - 40 : end]


def test_a_permission_replaces_what_is_in_its_line() -> None:
    view, [mark] = marked_view("kernel a.b@1 {\n  requires { field.read; field.write }\n  inp«»\n}")
    place = start_of(view, mark)
    for item in offered(view, place).values():
        assert isinstance(item.text_edit, lsp.TextEdit)
        assert item.text_edit.range.start.line == place.line
