"""Definition, type definition, references, highlights and the hierarchy of calls, at marked names."""

import random
import re
from collections.abc import Mapping

import pytest
from lsprotocol import types as lsp

from kcheck.grammar.spans import Span
from kcheck.lsp.features.definition import definition, type_definition
from kcheck.lsp.features.hierarchy import incoming_calls, outgoing_calls, prepare_calls
from kcheck.lsp.features.references import highlights, references
from kcheck.lsp.view import View
from tests.lsp.views import MAIN, Marked, marked_view, seen_from, start_of, view_of

KERNEL = """
kernel sound.gain@1 {{
  requires {{ field.read; field.write; }}
  input samples: Rows<Float>;
  output result: Rows<Float>;
  param amount: Float = 2.0 in 0.0..16.0;
  {members}
  compute {{ {body} }}
}}
"""


def kernel(body: str, members: str = "") -> str:
    return KERNEL.format(body=body, members=members)


# Each text marks all the places that name one thing, its declaration first.
NAMES = {
    "let": kernel("let «x» = sample(samples); return «x» + «x»;"),
    "var": kernel("var «x» = 0.0; «x» += amount; «x» = «x» * sample(samples); return «x»;"),
    "an inner of two": kernel("let x = sample(samples); if amount > 1.0 { let «x» = 1.0; return «x»; } return x;"),
    "an outer of two": kernel("let «x» = sample(samples); if amount > 1.0 { let x = 1.0; return x; } return «x»;"),
    "input": """
kernel k@1 {
  requires { field.read; field.write; }
  input «src»: Rows<Int>;
  output out: Rows<Int>;
  compute over «src» { return sample(«src»); }
  merge(a, b) { return a + b; }
  example one { «src» = [1, 2]; expect out = [3]; }
}
scene s { input rows: Rows<Int>; node sum: k@1 { «src» <- rows; } output total <- sum.out; }
""",
    "output": """
kernel k@1 {
  requires { field.read; field.write; }
  input src: Rows<Int>;
  output «out»: Rows<Int>;
  output other: Rows<Int>;
  compute { «out»: sample(src), other: 1 }
  example one { src = [1, 2]; expect «out» = [1, 2]; }
}
scene s { input rows: Rows<Int>; node sum: k@1 { src <- rows; } output total <- sum.«out»; }
""",
    "param": """
kernel k@1 {
  requires { field.read; field.write; }
  input src: Rows<Int>;
  output out: Rows<Int>;
  param «step»: Int = 1;
  fn inner(x: Int) -> Int { return x + «step»; }
  compute { return inner(sample(src)); }
  example one { src = [1]; «step» = 2; expect out = [3]; }
}
scene s { input rows: Rows<Int>; param step: Int = 3; node n: k@1 { src <- rows; «step» = step; } }
""",
    "kernel": """
kernel «a.b@1» {
  requires { field.write; }
  output out: Rows<Int>;
  compute { return index(); }
}
kernel a.b@2 {
  requires { field.write; }
  output out: Rows<Int>;
  compute { return index() + 1; }
}
scene s { node one: «a.b@1» { domain = 4; } node two: a.b@2 { domain = like one.out; } }
""",
    "node of a scene": """
kernel a.b@1 {
  requires { field.read; field.write; }
  input src: Rows<Int>;
  output out: Rows<Int>;
  compute { return sample(src); }
}
scene s {
  input gate: Rows<Int>;
  node «first»: a.b@1 { src <- gate; awake = value(gate, 0); }
  node second: a.b@1 { src <~ «first».out from gate; awake = value(«first».out, 0); }
  output shown <- «first».out;
}
""",
    "constant in a scene": """
const «n»: Int = 4;
fn value(x: Int) -> Int { return x; }
kernel k@1 {
  requires { field.read; field.write; }
  input src: Rows<Int>;
  output out: Rows<Int>;
  param p: Int = 0;
  compute { return sample(src); }
}
scene s {
  input gate: Rows<Int>;
  param q: Int = «n» in 0..«n» + 1;
  node one: k@1 { src <- gate; p = q + «n»; awake = value(gate, «n»); times = «n»; carry src <- out; }
  node n: k@1 { src <- one.out; awake = value(n.out, 0); }
}
""",
    "type in a scene": """
struct «Pair» { a: Int; }
scene s {
  input pairs: Rows<«Pair»>;
  input more: Rows<[«Pair»; 2]>;
  example e { pairs = [«Pair» { a: 1 }]; }
}
""",
    "param of a scene": """
kernel k@1 {
  requires { field.write; }
  output out: Rows<Int>;
  param k: Int = 0;
  compute { return k; }
}
scene s { param «k»: Int = 1; node n: k@1 { domain = 3; k = «k» * 2; } example e { «k» = 3; } }
""",
    "field": """
struct Ray { at: Float; «speed»: Float; }
fn moved(r: Ray) -> Ray { return Ray { at: r.at + r.«speed», «speed»: r.«speed» }; }
fn stopped(r: Ray) -> Ray { var s = r; s.«speed» = 0.0; return s; }
""",
    "field of a variant": """
enum Shape { Dot; Disc { «r»: Float; } Ring { r: Float; } }
fn a(s: Shape) -> Float { return match s { Disc { «r»: x } => x, Ring { r: x } => x, Dot => 0.0 }; }
fn b() -> Shape { return Shape.Disc { «r»: 1.0 }; }
""",
    "local of a pattern": """
enum Shape { Dot; Disc { r: Float; } }
fn a(s: Shape) -> Float { return match s { Disc { r: «x» } => «x» * «x», Dot => 0.0 }; }
""",
    "variant": """
enum Shape { «Dot»; Disc { r: Float; } }
fn a(s: Shape) -> Float { return match s { «Dot» => 0.0, Shape.Disc { r } => r }; }
fn b() -> Shape { return Shape.«Dot»; }
fn c() -> Shape { return «Dot»; }
""",
    "function": """
fn «twice»(x: Float) -> Float { return x * 2.0; }
fn four(twice: Float) -> Float { return «twice»(«twice»(twice)); }
""",
    "constant": """
const «N»: Int = 4;
struct Block { parts: [Float; «N»]; }
fn last(b: Block) -> Float { return b.parts[«N» - 1]; }
""",
    "type": """
struct «Pair» { a: Float; }
fn made(x: Float) -> «Pair» { return «Pair» { a: x }; }
fn both(p: [«Pair»; 2]) -> Float { let q: «Pair» = p[0]; return q.a; }
""",
    "parameters of merge": """
kernel k@1 {
  requires { field.read; field.write; }
  input src: Rows<Int>;
  output out: Rows<Int>;
  compute over src { return sample(src); }
  merge(«a», b) { return «a» + b; }
}
""",
    "loop variable": "fn f(n: Int) -> Int { var s = 0; for «i» in 0..n until «i» > 9 { s += «i»; } return s; }",
}


def marks_of(view: View, locations: list[lsp.Location]) -> list[Span]:
    assert {location.uri for location in locations} <= {view.uri}
    return sorted({view.span(location.range) for location in locations})


@pytest.mark.parametrize("name", NAMES)
def test_definition(name: str) -> None:
    view, marks = marked_view(NAMES[name])
    for mark in marks:
        assert marks_of(view, definition(view, start_of(view, mark))) == marks[:1]
        assert marks_of(view, definition(view, view.range(mark).end)) == marks[:1]


@pytest.mark.parametrize("name", NAMES)
def test_references(name: str) -> None:
    view, marks = marked_view(NAMES[name])
    for mark in marks:
        position = start_of(view, mark)
        assert marks_of(view, references(view, position, with_declaration=True)) == marks
        assert marks_of(view, references(view, position, with_declaration=False)) == marks[1:]
        assert sorted(view.span(h.range) for h in highlights(view, position)) == marks


def test_pattern_that_makes_a_local_of_a_field() -> None:
    """`r` alone names the field and declares the local: both are found there."""
    view, (field, local, use) = marked_view(
        "enum Shape { Dot; Disc { «r»: Float; } }\n"
        "fn a(s: Shape) -> Float { return match s { Disc { «r» } => «r», Dot => 0.0 }; }\n"
    )
    assert marks_of(view, definition(view, start_of(view, local))) == [field, local]
    assert [view.span(place.range) for place in definition(view, start_of(view, local))] == [field, local]
    assert marks_of(view, definition(view, start_of(view, use))) == [local]
    assert marks_of(view, references(view, start_of(view, field), with_declaration=True)) == [field, local]
    assert marks_of(view, references(view, start_of(view, use), with_declaration=True)) == [local, use]
    assert marks_of(view, references(view, start_of(view, local), with_declaration=True)) == [field, local, use]


def test_names_of_the_language_are_declared_nowhere() -> None:
    view, marks = marked_view(kernel("return «max»(«sample»(samples), «max»(amount, 1.0));"))
    for mark in marks:
        assert definition(view, start_of(view, mark)) == []
    assert marks_of(view, references(view, start_of(view, marks[0]), with_declaration=True)) == [marks[0], marks[2]]


def test_nothing_is_named_between_names() -> None:
    view, (mark, blank) = marked_view(kernel("let x = «1.0»; « » return sample(samples) * x;"))
    for span in (mark, Span(blank.start + 1, blank.start + 1)):
        place = start_of(view, span)
        assert definition(view, place) == []
        assert type_definition(view, place) == []
        assert references(view, place, with_declaration=True) == []
        assert highlights(view, place) == []
        assert prepare_calls(view, place) == []


@pytest.mark.parametrize("blank", ["\n", "\r\n", " /* 🎈🎈 */ ", " /* é\u2028 */ "])
def test_places_count_as_editors_do(blank: str) -> None:
    text = "/* 🎈 */ fn{0}«one»() -> Int {{{0}return 1; }}{0}\nfn two() -> Int {{ /* 🎈 */ return{0}«one»(); }}\n"
    marked = Marked(text.format(blank))
    view = view_of(marked.text)
    for mark in marked.marks:
        before = marked.text[: mark.start].replace("\r\n", "\n").split("\n")
        position = lsp.Position(len(before) - 1, len(before[-1].encode("utf-16-le")) // 2)
        found = definition(view, position)
        assert marks_of(view, found) == marked.marks[:1]
        assert marks_of(view, references(view, position, with_declaration=True)) == marked.marks


def test_writes_are_told_from_reads() -> None:
    view, marks = marked_view(kernel("var «x» = 0.0; «x» += amount; «x» = sample(samples) + «x»; return «x»;"))
    found = {view.span(h.range): h.kind for h in highlights(view, start_of(view, marks[0]))}
    write, read = lsp.DocumentHighlightKind.Write, lsp.DocumentHighlightKind.Read
    assert [found[mark] for mark in marks] == [write, write, write, read, read]


# ---------------------------------------------------------------- files


def marked_files(texts: Mapping[str, str]) -> tuple[View, dict[str, list[Span]]]:
    """A view of the file `main` among others by name, and the marks of each."""
    marked = {f"/files/{name}.kernel": Marked(text) for name, text in texts.items()}
    others = {path: each.text for path, each in marked.items() if path != MAIN}
    return view_of(marked[MAIN].text, others), {path: each.marks for path, each in marked.items()}


def places(view: View, locations: list[lsp.Location]) -> dict[str, list[Span]]:
    found: dict[str, list[Span]] = {}
    for location in locations:
        path = location.uri.removeprefix("file://")
        found.setdefault(path, []).append(seen_from(view, path).span(location.range))
    return {path: sorted(spans) for path, spans in found.items()}


FILES = {
    "a function": {
        "shapes": "fn «area»(r: Float) -> Float { return r * r; }\nfn own() -> Float { return «area»(1.0); }\n",
        "main": "use shapes;\nfn twice(r: Float) -> Float { return 2.0 * «area»(r); }\n",
        "more": "use shapes;\nfn thrice(r: Float) -> Float { let area = «area»(r); return 3.0 * area; }\n",
        "stranger": "fn area(r: Float) -> Float { return r; }\nfn f() -> Float { return area(1.0); }\n",
    },
    "a field": {
        "shapes": "struct Box { w: Float; «h»: Float; }\n",
        "main": "use shapes;\nfn f(b: Box) -> Float { let h = b.«h»; return h; }\n",
        "more": "use shapes;\nstruct Other { h: Float; }\nfn g(o: Other) -> Box { return Box { w: o.h, «h»: o.h }; }\n",
    },
    "a variant": {
        "shapes": "enum Kind { «Open»; Closed; }\n",
        "main": "use shapes;\nfn f(k: Kind) -> Int { return match k { «Open» => 1, Closed => 2 }; }\n",
        "more": "use shapes;\nenum Mine { Open; }\nfn g() -> Mine { return Mine.Open; }\n"
        "fn h() -> Kind { return Kind.«Open»; }\n",
    },
    "a kernel": {
        "shapes": "kernel «a.b@1» { requires { field.write; } output out: Rows<Int>; compute { return index(); } }\n",
        "main": "use shapes;\nscene s { node n: «a.b@1» { domain = 4; } output o <- n.out; }\n",
        "more": "use shapes;\nscene t { node n: «a.b@1» { domain = 8; } output o <- n.out; }\n",
        "stranger": "scene u { node n: a.b@1 { domain = 8; } output o <- n.out; }\n",
    },
}


@pytest.mark.parametrize("name", FILES)
def test_names_across_files(name: str) -> None:
    view, marks = marked_files(FILES[name])
    declared = {"/files/shapes.kernel": marks["/files/shapes.kernel"][:1]}
    wanted = {path: spans for path, spans in marks.items() if spans}
    for path, spans in wanted.items():
        seen = seen_from(view, path)
        for span in spans:
            position = start_of(seen, span)
            assert places(view, definition(seen, position)) == declared
            assert places(view, references(seen, position, with_declaration=True)) == wanted
            assert sorted(seen.span(h.range) for h in highlights(seen, position)) == spans


def test_definition_of_a_package_is_its_file() -> None:
    view, marks = marked_files({"a/b": "fn f() -> Int { return 1; }\n", "main": "use «a.b»;\n"})
    for offset in (marks[MAIN][0].start, marks[MAIN][0].end):
        found = definition(view, view.range(Span(offset, offset)).start)
        assert places(view, found) == {"/files/a/b.kernel": [Span(0, 0)]}


def test_references_to_a_package_are_where_it_is_used() -> None:
    texts = {"a/b": "fn f() -> Int { return 1; }\n", "main": "use «a.b»;\n", "more": "// twice\nuse «a.b»;\n"}
    view, marks = marked_files(texts)
    found = references(view, start_of(view, marks[MAIN][0]), with_declaration=True)
    assert places(view, found) == {path: spans for path, spans in marks.items() if spans}


# ---------------------------------------------------------------- types


def test_type_definition() -> None:
    view, marks = marked_files(
        {
            "shapes": "struct «Box» { w: Float; }\nstruct Pile { top: Box; all: [Box; 3]; }\n",
            "main": "use shapes;\nenum «Kind» { Open; }\n"
            "fn f(«p»: Pile) -> Float { let «b» = p.«top»; let «c» = p.«all»; return «b».w + c[0].w; }\n"
            "fn g(«k»: Kind) -> Kind { return Kind.«Open»; }\nfn h(«x»: Float) -> Box { return Box { w: x }; }\n"
            "fn i() -> Box { return «h»(1.0); }\n",
        }
    )
    box = {"/files/shapes.kernel": marks["/files/shapes.kernel"]}
    kind, p, b, top, c, everything, b_again, k, open_, x, h = marks[MAIN]
    for mark in (b, top, c, everything, b_again, h):
        assert places(view, type_definition(view, start_of(view, mark))) == box
    for mark in (kind, k, open_):
        assert places(view, type_definition(view, start_of(view, mark))) == {MAIN: [kind]}
    assert list(places(view, type_definition(view, start_of(view, p)))) == ["/files/shapes.kernel"]
    assert type_definition(view, start_of(view, x)) == []


def test_type_that_is_not_in_sight() -> None:
    """`use` brings in the items of one file, and not what that uses; so the type has no name here."""
    view, marks = marked_files(
        {
            "deep": "struct «Box» { w: Float; }\n",
            "shapes": "use deep;\nfn made(x: Float) -> Box { return Box { w: x }; }\n",
            "main": "use shapes;\nstruct Other { x: Int; }\nfn f() -> Float { let «b» = made(1.0); return b.w; }\n",
        }
    )
    found = type_definition(view, start_of(view, marks[MAIN][0]))
    assert places(view, found) == {"/files/deep.kernel": marks["/files/deep.kernel"]}


# ---------------------------------------------------------------- calls

CALLS = {
    "shapes": "fn «area»(r: Float) -> Float { return r * r; }\n",
    "main": """use shapes;
fn «ring»(r: Float) -> Float { return area(r) - area(r / 2.0); }
kernel «k@1» {
  requires { field.read; field.write; }
  input src: Rows<Float>;
  output out: Rows<Float>;
  fn «inner»(x: Float) -> Float { return ring(x); }
  compute { return inner(sample(src)) + area(1.0); }
}
scene «s» { input rows: Rows<Float>; node n: k@1 { src <- rows; } output o <- n.out; }
""",
}


def called(view: View, span: Span) -> lsp.CallHierarchyItem:
    (item,) = prepare_calls(view, start_of(view, span))
    return item


def test_calls_of_a_function() -> None:
    view, marks = marked_files(CALLS)
    ring, kernel_, inner, _ = marks[MAIN]
    area = marks["/files/shapes.kernel"][0]
    callee = view.text.index("area(r)")
    item = called(view, Span(callee, callee))
    assert (item.name, item.uri) == ("area", "file:///files/shapes.kernel")
    assert seen_from(view, "/files/shapes.kernel").span(item.selection_range) == area

    callers = incoming_calls(seen_from(view, "/files/shapes.kernel"), item)
    assert [(c.from_.name, len(c.from_ranges)) for c in callers] == [("ring", 2), ("k@1", 1)]
    assert [view.text[view.span(r).start :][:7] for c in callers for r in c.from_ranges] == [
        "area(r)",
        "area(r ",
        "area(1.",
    ]
    assert view.span(callers[0].from_.selection_range) == ring

    outgoing = outgoing_calls(view, called(view, kernel_))
    assert [(c.to.name, len(c.from_ranges)) for c in outgoing] == [("inner", 1), ("area", 1)]
    assert [(c.to.name, len(c.from_ranges)) for c in outgoing_calls(view, called(view, inner))] == [("ring", 1)]
    assert [(c.to.name, len(c.from_ranges)) for c in outgoing_calls(view, called(view, ring))] == [("area", 2)]
    assert outgoing_calls(seen_from(view, "/files/shapes.kernel"), item) == []


def test_calls_of_a_kernel() -> None:
    view, marks = marked_files(CALLS)
    _, kernel_, _, scene = marks[MAIN]
    (caller,) = incoming_calls(view, called(view, kernel_))
    assert (caller.from_.name, view.span(caller.from_.selection_range)) == ("s", scene)
    (run,) = outgoing_calls(view, caller.from_)
    assert (run.to.name, view.span(run.to.selection_range)) == ("k@1", kernel_)


# ---------------------------------------------------------------- broken texts


@pytest.mark.parametrize("seed", range(12))
def test_broken_texts_have_places_too(seed: int) -> None:
    """In a text that is damaged anywhere, what is found is a name, and each name is found from all its places."""
    random_ = random.Random(seed)
    text = "\n".join(NAMES[name] for name in random_.sample(sorted(NAMES), 4)).replace("«", "").replace("»", "")
    for _ in range(random_.randrange(1, 6)):
        place = random_.randrange(len(text))
        text = (
            text[:place]
            + random_.choice(["", "}", "{", "let ", "x", ";", "🎈"])
            + text[place + random_.choice([0, 1, 4]) :]
        )
    view = view_of(text)
    for match in re.finditer(r"\w+", text):
        position = start_of(view, Span(*match.span()))
        found = definition(view, position)
        highlighted = highlights(view, position)
        references_ = references(view, position, with_declaration=True)
        assert sorted(view.span(h.range) for h in highlighted) == marks_of(view, references_)
        assert all(text[s.start : s.end].strip("🎈") for s in marks_of(view, references_))
        for other in references_:
            assert {str(place) for place in definition(view, other.range.start)} >= {str(place) for place in found[-1:]}
        for item in prepare_calls(view, position):
            incoming_calls(view, item)
            outgoing_calls(view, item)
        type_definition(view, position)
