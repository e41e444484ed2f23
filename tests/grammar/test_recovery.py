"""A mistake costs the element that it stands in and no more."""

from __future__ import annotations

import pytest
from benchmarks.recovery import measure

from kcheck.checker.check import check_text
from kcheck.grammar import parse, syntax
from kcheck.grammar.walk import descendants
from tests.grammar.support import errors, nodes, place
from tests.grammar.test_split import GOOD

KERNEL = """kernel a.b@1 {
  requires { field.read; }
  input source Image;
  param k: Float = ;
  output result: Rows<Int>;
  compute over source {
    let x = = 3;
    let ok = 1 + 2;
    for i in 0..4 { sum += i * ; sum -= 1; }
    if ok < { 1 } else { 2 }
    var y: Float = 2.0
    return Light { sum: l, max: };
  }
  merge(a, b) { return a; }
}
"""


def tree(text: str) -> syntax.Item:
    [item] = parse(text, "t.kernel")[0].items
    assert not item.is_whole
    return item.node


def lines(text: str) -> list[int]:
    """The lines of the errors, from 1."""
    return [text.count("\n", 0, place(text, found)[0]) + 1 for found in errors(text)]


def unread(text: str) -> list[str]:
    """What the error nodes of the only item stand for."""
    return [text[node.span.start : node.span.end] for node in nodes(tree(text), *ERRORS)]


ERRORS = (syntax.ErrorStatement, syntax.ErrorMember, syntax.ErrorExpr)


def test_each_mistake_has_one_message_at_its_line() -> None:
    assert lines(KERNEL) == [3, 4, 7, 9, 10, 11, 12]


def test_what_is_right_is_read() -> None:
    kernel = tree(KERNEL)
    assert isinstance(kernel, syntax.Kernel)
    assert [type(member) for member in kernel.members] == [
        syntax.Requires,
        syntax.ErrorMember,
        syntax.ErrorMember,
        syntax.Port,
        syntax.ReductionBody,
        syntax.Merge,
    ]
    body = kernel.members[4]
    assert isinstance(body, syntax.ReductionBody)
    assert [type(statement) for statement in body.block.statements] == [
        syntax.ErrorStatement,
        syntax.Let,
        syntax.For,
        syntax.ExprStatement,
        syntax.Let,
        syntax.ErrorStatement,
    ]


def test_names_of_what_is_not_read_are_known() -> None:
    found = {name.text for node in descendants(tree(KERNEL)) for name in getattr(node, "names", ())}
    assert {"source", "k", "x"} <= found


# In a function's body: the text, the places of the errors in it, and what error nodes stand for.
STATEMENTS = [
    ("let x = ; let y = 1;", 1, ["let x = ;"]),
    ("let x = 1 let y = 2;", 1, []),
    ("x = (1 + ; y = 2;", 1, ["x = (1 + ;"]),
    ("f(1 2); g();", 1, []),
    ("let a = b c d; let e = 1;", 1, ["let a = b c d;"]),
    ("if a = { b = 1; } c = 2;", 1, [""]),
    ("for i 0..3 { a = ; b = 1; } c = 2;", 2, ["a = ;"]),
    ("while a { b = 1; c = ; }", 2, ["c = ;"]),
    ("match x { 0 => 1, 1 = > 2, 2 => 3 }", 1, ["1 = > 2,"]),
    ("match x { 0 => 1, ? => { let a = 1; } _ => {} }", 1, ["? => { let a = 1; }"]),
    ("let a = b < c < d; let e = 1;", 1, ["b < c < d"]),
    ("break; a = 1;", 1, ["break;"]),
    (") a = 1; b = 2;", 1, [") a = 1;"]),
    ("a = 1; return {", 1, ["return { }"]),
]


@pytest.mark.parametrize(("body", "count", "kept"), STATEMENTS, ids=[row[0] for row in STATEMENTS])
def test_statements(body: str, count: int, kept: list[str]) -> None:
    text = f"fn f() {{ {body} }}"
    assert len(errors(text)) == count
    assert [part for part in unread(text) if part] == [part for part in kept if part]


# A missing or odd brace, told by the indentation: the text, the line of the message, the kinds of the members.
BRACES = [
    ("if a {\n      b = 1;\n    c = 2;\n  }\n  merge(a, b) { a }", "MapBody Merge"),
    ("if a {\n      b = 1;\n    }\n    c = 2;\n  merge(a, b) { a }", "MapBody Merge"),
    ("if a\n      b = 1;\n    }\n    c = 2;\n  }\n  merge(a, b) { a }", "MapBody Merge"),
    ("if a {\n      b = 1;\n    } }\n    c = 2;\n  }\n  merge(a, b) { a }", "MapBody Merge"),
    ("if a { {\n      b = 1;\n    }\n    c = 2;\n  }\n  merge(a, b) { a }", "MapBody Merge"),
]


@pytest.mark.parametrize(("inside", "members"), BRACES, ids=range(len(BRACES)))
def test_braces(inside: str, members: str) -> None:
    text = f"kernel k@1 {{\n  compute {{\n    {inside}\n}}\n"
    source, found = parse(f"{text}{GOOD}", "t.kernel")
    assert len(found) == 1
    assert [item.key for item in source.items] == ["kernel k@1", "struct Fine"]
    kernel = source.items[0].node
    assert isinstance(kernel, syntax.Kernel)
    assert [type(member).__name__ for member in kernel.members] == members.split()
    assert {statement.target.name.text for statement in targets(kernel)} == {"b", "c"}


def targets(kernel: syntax.Kernel) -> list[syntax.Assign]:
    return [node for node in descendants(kernel) if isinstance(node, syntax.Assign)]


# A header that is wrong leaves its body.
HEADERS = [
    "kernel k@1 { compute ovr x { let a = 1; } }",
    "kernel k@1 { merge(a, ) { let a = 1; } }",
    "kernel k@1 { fn f(x: Int -> Int { let a = 1; } }",
    "kernel k { compute { let a = 1; } }",
    "fn f(x: Int -> Int { let a = 1; }",
    "f(x: Int) -> Int { let a = 1; }",
    "fn f() { match x { ? => { let a = 1; } } }",
]


@pytest.mark.parametrize("text", HEADERS)
def test_headers(text: str) -> None:
    assert len(errors(text)) == 1
    [let] = nodes(tree(text), syntax.Let)
    assert text[let.span.start : let.span.end] == "let a = 1;"


def test_other_lists() -> None:
    text = """scene s {
  input a Image;
  node n: k@1 { x <- ; y = 1; }
  output o <- n.z;
  example e { a = ; b = 1; }
}"""
    assert lines(text) == [2, 3, 5]
    assert unread(text) == ["a = ;", "x <- ;", "input a Image;"]
    assert unread("struct S { a: Int; b Int; c: Int; }") == ["b Int;"]
    assert unread("enum E { A; B { x Int; y: Int; } 3; C }") == ["3;", "x Int;"]


# What stands at the end of a line that was cut short, as while typing: members of a kernel, and what is said.
# «» is the place of the message; the lines that follow are read as if the line were whole.
CUT_SHORT = [
    ("scan over x with y«»\n    let i = 1;\n    return i;\n  }", "expected `=`, found the end of the line"),
    ("scan over«»\n    let i = 1;\n    return i;\n  }", "expected the input to walk, found the end of the line"),
    ("group«»\n    let i = 1;\n    return i;\n  }", "expected an expression, found the end of the line"),
    ("fn f(a: Int)«»\n    let i = 1;\n    return i;\n  }", "expected `->` or `{`, found the end of the line"),
    ("fn«»\n    let i = 1;\n    return i;\n  }", "expected a name, found the end of the line"),
    ("compute {\n    if a >«»\n      b += 1.0;\n    }\n  }", "expected an expression, found the end of the line"),
    ("compute {\n    for i in«»\n      b += 1.0;\n    }\n  }", "expected an expression, found the end of the line"),
    ("compute {\n    let«»\n    let b = 1;\n  }", "expected a name, found the end of the line"),
    ("compute {\n    let a =«»\n    b = 1;\n  }", "expected an expression, found the end of the line"),
    ("compute {\n    match«»\n    return b;\n  }", "expected an expression, found the end of the line"),
    ("compute {\n    return«»\n  }", "expected a value or `;` after `return`"),
    ("input«»", "expected a name, found the end of the line"),
    ("input q«»", "`q` needs its type: `q: Float`"),
    ("param q: Float =«»", "expected an expression, found the end of the line"),
    ("fn«»", "expected a name, found the end of the line"),
    ("example«»", "expected a name, found the end of the line"),
    ("example q {«»", "expected `port = value;` or `expect port = value;` or `}`, found the end of the line"),
    ("example«»\n    x = 1;\n    expect y = 2;\n  }", "expected a name, found the end of the line"),
    ("struct P {«»", "expected a name or `}`, found the end of the line"),
    ("struct P { a:«»", "expected a type, found the end of the line"),
    ("struct P {\n    a:«»\n    b: Int;\n  }", "expected a type, found the end of the line"),
    ("output y: Rows<Float«»", "expected `,` or `>`, found the end of the line"),
]


@pytest.mark.parametrize(("marked", "message"), CUT_SHORT, ids=range(len(CUT_SHORT)))
def test_a_line_that_was_cut_short(marked: str, message: str) -> None:
    marked = f"kernel k@1 {{\n  {marked}\n  example last {{ x = 1; }}\n}}\n"
    text = marked.replace("«»", "")
    [found] = errors(text)
    assert (found.message, place(text, found)[0]) == (message, marked.index("«"))
    [last] = [node for node in nodes(tree(text), syntax.Example) if node.name.text == "last"]
    assert text[last.span.start : last.span.end] == "example last { x = 1; }"


# One slip, one message, whatever stands around it: members of a kernel, and where the message begins.
ONE_MESSAGE = [
    "«else» if x {\n  compute { sample(x) }",
    "«for» (int i = 0; i < 10; i++) {\n  compute { sample(x) }",
    "«do» { x(); } while (y);\n  compute { sample(x) }",
    "“quoted”\n  compute { sample(x) }".replace("“", "«“»", 1),
    "«return»\n  compute { sample(x) }",
    "scan «x» with y = S { a: 0 } {\n    return y;\n  }",
    "compute {\n    return match x «{»\n  }",
    "compute {\n    match x {\n      0 => {\n      «1» => 2,\n      _ => 3,\n    }\n  }",
    "compute {\n    match x {\n      0 => {\n        y\n      «1» => 2,\n      _ => 3,\n    }\n  }",
    "compute {\n    match x {\n      «enum»\n      2 => 3,\n      _ => 1,\n    }\n  }",
    "compute {\n    let a = x;\n    «else» { a = 1; }\n  }",
    "compute {\n    return P«»\n      a: 1,\n    };\n  }",
    'compute {\n    let a = «"x;»\n    return a;\n  }',
    "compute {\n    «#» a remark\n    a\n  }",
    "compute {\n    «--» a remark\n    a\n  }",
    "compute {\n    a\n\n  «example» e { x = 1; }",
]


@pytest.mark.parametrize("marked", ONE_MESSAGE, ids=range(len(ONE_MESSAGE)))
def test_one_slip_has_one_message(marked: str) -> None:
    marked = f"kernel k@1 {{\n  {marked}\n  example last {{ x = 1; }}\n}}\n"
    text = marked.replace("«", "").replace("»", "")
    [found] = errors(text)
    assert place(text, found) == (marked.index("«"), marked.index("»") - 1)
    assert "last" in [node.name.text for node in nodes(tree(text), syntax.Example)]


ITEMS_WITHOUT_BRACE = [
    "fn f(a: Int) -> Int\n  var t = a;\n  let u = t;\n  return u;\n}\n",
    "fn\n  var t = 1;\n  let u = t;\n  return u;\n}\n",
    "struct P\n  a: Int;\n  b: Int;\n}\n",
    "kernel\n  requires { field.write; }\n  compute { 1.0 }\n}\n",
]


@pytest.mark.parametrize("text", ITEMS_WITHOUT_BRACE)
def test_an_item_whose_header_was_cut_short(text: str) -> None:
    source, found = parse(f"{text}{GOOD}", "t.kernel")
    assert len(found) == 1
    assert found[0].origin.span.start == text.index("\n")
    assert [item.text for item in source.items] == [text.rstrip(), GOOD.rstrip()]


def test_a_merge_conflict() -> None:
    text = """fn f() -> Int {
<<<<<<< ours
  let a = 1;
=======
  let a = 2;
>>>>>>> theirs
  return a;
}
"""
    [found] = errors(text)
    assert (found.message, lines(text)) == ("this merge conflict is not resolved", [2])
    assert [text[let.span.start : let.span.end] for let in nodes(tree(text), syntax.Let)] == ["let a = 1;"]


# What the checker would only say because of what could not be read.
FOLLOW_ONS = [
    "struct P {\n  a: Int;\n  b\n}\nfn f(p: P) -> Int { return p.a + p.b; }\n",
    "fn f() -> Int {\n  /* let a = 1;\n  return a;\n}\n",
    "fn f() -> Float {\n  return\n}\n",
    "fn f(a: Int) -> Int {\n  a + 1\n  return a;\n}\n",
    "fn f(a: Int) -> Int {\n  let b = a;\n  return b + ;\n}\n",
    "kernel a.b@\n}\nkernel a.b@\n}\n",
    "kernel a.b@1 {\n  requires { field.read; field.write; }\n  input x: Rows<Int>;\n  output r: Rows<Int>;\n"
    "  compute { sample(x) }\n  example e {\n}\n",
]


@pytest.mark.parametrize("text", FOLLOW_ONS, ids=range(len(FOLLOW_ONS)))
def test_nothing_follows_from_what_was_not_read(text: str) -> None:
    assert [found.code for found in check_text(text).diagnostics if not found.code.startswith("K1")] == []


def test_the_line_after_an_empty_return_is_looked_at() -> None:
    assert lines("fn f() -> Int {\n  return\n  let a = ;\n}\n") == [2, 3]


def test_a_place_of_the_text_itself_whatever_was_mended_before_it() -> None:
    text = "fn f() { f(1)return 2; let longer: Int = 3; }"
    [let] = nodes(tree(text), syntax.Let)
    assert text[let.span.start : let.span.end] == "let longer: Int = 3;"


def test_many_mistakes_end() -> None:
    text = f"fn f() {{ {'let x = ; ' * 300} }}"
    assert 1 < len(errors(text)) <= 300


def test_random_breakages() -> None:
    """A sample of what `benchmarks/recovery.py` measures."""
    whole, _, _ = measure(400, "sample")
    assert 1.0 <= whole.syntax / whole.breakages <= 1.3
    assert 1.0 <= whole.errors / whole.breakages <= 1.3
    assert whole.lowered / whole.untouched >= 0.95
