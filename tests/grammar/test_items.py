"""File items, kernel members and scene entries give the trees that the language's reference says."""

import re
from importlib import resources

import pytest

from kcheck.grammar import syntax
from kcheck.grammar.lexis import RESERVED
from tests.grammar.support import compact, errors, item, kernel, read


def test_use() -> None:
    node = item("use signal.fft.fast;")
    assert isinstance(node, syntax.Use)
    assert node.path.text == "signal.fft.fast"


def test_const() -> None:
    node = item("const N: [Int; 2] = [1, 2];")
    assert isinstance(node, syntax.Const)
    assert (node.name.text, type(node.type), type(node.value)) == ("N", syntax.ArrayType, syntax.ArrayLiteral)


@pytest.mark.parametrize("text", ["a: Int; b: Int;", "a: Int, b: Int,", "a: Int; b: Int", "a: Int, b: Int"])
def test_struct(text: str) -> None:
    node = item(f"struct S {{ {text} }}")
    assert isinstance(node, syntax.Struct)
    assert [field.name.text for field in node.fields] == ["a", "b"]


@pytest.mark.parametrize(
    "text",
    [
        "A; B { x: Int; y: Int; } C {}",
        "A, B { x: Int, y: Int }, C {},",
        "A; B { x: Int; y: Int }; C {};",
    ],
)
def test_enum(text: str) -> None:
    node = item(f"enum E {{ {text} }}")
    assert isinstance(node, syntax.Enumeration)
    fields = {variant.name.text: [field.name.text for field in variant.fields] for variant in node.variants}
    assert fields == {"A": [], "B": ["x", "y"], "C": []}


def test_enum_ends_without_a_separator() -> None:
    node = item("enum E { A; B }")
    assert isinstance(node, syntax.Enumeration)
    assert [variant.name.text for variant in node.variants] == ["A", "B"]


def test_functions() -> None:
    text = "fn f(a: Int, b: [Int; 2],) -> Vec2 /* ( */ { a }"
    node = item(text)
    assert isinstance(node, syntax.Function)
    assert [parameter.name.text for parameter in node.parameters] == ["a", "b"]
    assert isinstance(node.result, syntax.NamedType)
    assert text[node.head.start : node.head.end] == "fn f(a: Int, b: [Int; 2],) -> Vec2"


def test_a_function_without_a_result() -> None:
    text = "fn f() { g(); }"
    node = item(text)
    assert isinstance(node, syntax.Function)
    assert (node.parameters, node.result) == ((), None)
    assert text[node.head.start : node.head.end] == "fn f()"


def test_an_array_length_may_hold_braces() -> None:
    node = item("fn f(a: [Int; if true { 1 } else { 2 }]) { }")
    assert isinstance(node, syntax.Function)


def test_ports_and_params() -> None:
    node = kernel(
        "input a: Image; memory m: Rows<Int>; output o: Rows<Int>; param p: Int;"
        " param q: Float = 0.5; param r: Float in 0.0..1.0; param s: Int = 1 in -1..=N + 1;"
    )
    ports = [member for member in node.members if isinstance(member, syntax.Port)]
    assert [(port.kind.value, port.name.text) for port in ports] == [("input", "a"), ("memory", "m"), ("output", "o")]
    params = [member for member in node.members if isinstance(member, syntax.Param)]
    parts = [
        tuple(compact(part) if part else None for part in (param.default, param.low, param.high)) for param in params
    ]
    assert parts == [
        (None, None, None),
        ("0.5", None, None),
        (None, "0.0", "1.0"),
        ("1", "(-1)", "(N + 1)"),
    ]


def test_requires() -> None:
    node = kernel("requires { field.read; field.write; } requires {}")
    first, second = node.members
    assert isinstance(first, syntax.Requires)
    assert [permission.text for permission in first.permissions] == ["field.read", "field.write"]
    assert isinstance(second, syntax.Requires)
    assert second.permissions == ()


@pytest.mark.parametrize(
    ("text", "kind", "head"),
    [
        ("compute { x }", syntax.MapBody, "compute"),
        ("compute over a { x }", syntax.ReductionBody, "compute over a"),
        ("scan over a with y = b + 1 { x }", syntax.ScanBody, "scan over a with y = b + 1"),
        ("scatter over a into t with last { x }", syntax.ScatterBody, "scatter over a into t with last"),
        ("prefix over a with min /* { */ { x }", syntax.PrefixBody, "prefix over a with min"),
        ("group 2 * N { x }", syntax.GroupBody, "group 2 * N"),
        ("merge(a, b) { x }", syntax.Merge, "merge(a, b)"),
    ],
)
def test_bodies(text: str, kind: type[syntax.Body] | type[syntax.Merge], head: str) -> None:
    node = kernel(text)
    [member] = node.members
    assert isinstance(member, syntax.Body | syntax.Merge)
    assert type(member) is kind
    start = len("kernel k@1 { ")
    assert (member.head.start - start, member.head.end - start) == (0, len(head))
    assert compact(member.block) == "{x}"


def test_body_names() -> None:
    scan, scatter, prefix, merge = kernel(
        "scan over a with y = 0 {} scatter over b into t with sum {} prefix over c with max {} merge(l, r,) {}"
    ).members
    assert isinstance(scan, syntax.ScanBody)
    assert (scan.over.text, scan.carry.text, compact(scan.init)) == ("a", "y", "0")
    assert isinstance(scatter, syntax.ScatterBody)
    assert (scatter.over.text, scatter.into.text, scatter.op.text) == ("b", "t", "sum")
    assert isinstance(prefix, syntax.PrefixBody)
    assert (prefix.over.text, prefix.op.text) == ("c", "max")
    assert isinstance(merge, syntax.Merge)
    assert (merge.left.text, merge.right.text) == ("l", "r")


@pytest.mark.parametrize(
    ("text", "init", "body"),
    [
        ("with y = S { a: 1 } { y }", "S {a: 1}", "{y}"),
        ("with y = E.S { a: 1 } { y }", "E.S {a: 1}", "{y}"),
        ("with y = S { a: 1, }.a { y }", "S {a: 1}.a", "{y}"),
        ("with y = zero { y }", "zero", "{y}"),
        ("with y = E.Dot { y }", "E.Dot", "{y}"),
        ("with y = f(S { a: 1 }) { a: 1 }", "f(S {a: 1})", "{{a: 1}}"),
        ("with y = -1 { a: 1, b: 2 }", "(-1)", "{{a: 1, b: 2}}"),
        ("with y = if c { 1 } else { 2 } { y }", "if c {1} else {2}", "{y}"),
    ],
)
def test_the_start_of_a_scan(text: str, init: str, body: str) -> None:
    [member] = kernel(f"scan over x {text}").members
    assert isinstance(member, syntax.ScanBody)
    assert (compact(member.init), compact(member.block)) == (init, body)


def test_kernel_members_in_any_order_with_nested_items() -> None:
    node = kernel("merge(a, b) {} struct S {} enum E {} fn f() {} const N: Int = 1; compute over x {} output o: T;")
    kinds = [type(member).__name__ for member in node.members]
    assert kinds == ["Merge", "Struct", "Enumeration", "Function", "Const", "ReductionBody", "Port"]


def test_kernel_names() -> None:
    node = item("kernel a.b.c@12 {}")
    assert isinstance(node, syntax.Kernel)
    assert node.name.text == "a.b.c@12"


def test_examples() -> None:
    [example] = kernel(
        "example e { a = [1, -2]; domain = (64, 64); param domain = 3; expect r = random((4, 4), seed = 1);"
        ' f = file("x"); }'
    ).members
    assert isinstance(example, syntax.Example)
    flags = [(entry.name.text, entry.expected, entry.escaped) for entry in example.entries]
    assert flags == [
        ("a", False, False),
        ("domain", False, False),
        ("domain", False, True),
        ("r", True, False),
        ("f", False, False),
    ]
    _, size, _, made, file = (entry.value for entry in example.entries)
    assert isinstance(size, syntax.Tuple)
    assert [compact(element) for element in size.elements] == ["64", "64"]
    assert isinstance(made, syntax.Call)
    assert [(keyword.name.text, compact(keyword.value)) for keyword in made.keywords] == [("seed", "1")]
    assert isinstance(file, syntax.Call)
    assert file.args == (syntax.StringLiteral(span=file.span, value="x"),)


def test_strings_know_four_escapes() -> None:
    [example] = kernel(r'example e { a = file("\"\\\n\t/ü"); }').members
    assert isinstance(example, syntax.Example)
    [entry] = example.entries
    assert isinstance(entry.value, syntax.Call)
    [argument] = entry.value.args
    assert isinstance(argument, syntax.StringLiteral)
    assert argument.value == '"\\\n\t/ü'


def test_records_and_values_in_examples() -> None:
    [example] = kernel("example e { a = { x: 1, y: [S { z: NaN }, -Infinity] }; }").members
    assert isinstance(example, syntax.Example)
    [entry] = example.entries
    assert isinstance(entry.value, syntax.Record)
    assert [field.name.text for field in entry.value.fields] == ["x", "y"]


def test_scene_settings() -> None:
    node = item(
        "scene s { node n: a.b@2 { p <- m.o; q <- photo; r <~ n.r from z.o; carry p <- o; times = 3;"
        " domain = like m.o; domain = (w, h); domain = 4096; param times = 2; like = like; } }"
    )
    assert isinstance(node, syntax.Scene)
    [inner] = node.entries
    assert isinstance(inner, syntax.SceneNode)
    assert (inner.name.text, inner.kernel.text) == ("n", "a.b@2")
    kinds = [type(setting).__name__ for setting in inner.settings]
    assert kinds == ["Binding", "Binding", "Feedback", "Carry", *["Setting"] * 6]
    bound, from_input, feedback, carry, times, like, size, number, escaped, named_like = inner.settings
    assert isinstance(bound, syntax.Binding)
    assert (bound.port.text, bound.source.node.text, bound.source.port and bound.source.port.text) == ("p", "m", "o")
    assert isinstance(from_input, syntax.Binding)
    assert from_input.source.port is None
    assert isinstance(feedback, syntax.Feedback)
    assert (feedback.source.node.text, feedback.init.node.text) == ("n", "z")
    assert isinstance(carry, syntax.Carry)
    assert (carry.port.text, carry.output.text) == ("p", "o")
    settings = [times, like, size, number, escaped, named_like]
    assert all(isinstance(setting, syntax.Setting) for setting in settings)
    values = [type(setting.value) for setting in settings if isinstance(setting, syntax.Setting)]
    assert values == [
        syntax.IntLiteral,
        syntax.Like,
        syntax.Tuple,
        syntax.IntLiteral,
        syntax.IntLiteral,
        syntax.NameRef,
    ]
    assert [setting.escaped for setting in settings if isinstance(setting, syntax.Setting)] == [False] * 4 + [
        True,
        False,
    ]


def test_scene_entries() -> None:
    node = item(
        "scene s { input a: Image; param p: Int = 1 in 0..2; node n: k@1 {} output o <- n.r; output i <- a;"
        " example e { a = zeros((4, 4)); expect o = [[1]]; } }"
    )
    assert isinstance(node, syntax.Scene)
    kinds = [type(entry).__name__ for entry in node.entries]
    assert kinds == ["Port", "Param", "SceneNode", "SceneOutput", "SceneOutput", "Example"]


def test_stray_semicolons_are_nothing() -> None:
    text = ";struct A {}; kernel k@1 { compute {}; ; } ;; scene s { input a: Int;; }; fn f() { g();; } enum E {};"
    assert [parsed.key for parsed in read(text).items] == ["struct A", "kernel k@1", "scene s", "fn f", "enum E"]


def test_reserved_words_are_no_names() -> None:
    """The grammar and the rest of the package know the same ones."""
    grammar = resources.files("kcheck.grammar").joinpath("kernel.tx").read_text()
    [listed] = re.findall(r"NameToken: /\(\?!\(\?:([a-z|]*)\)", grammar)
    assert set(listed.split("|")) == RESERVED
    for word in RESERVED:
        assert errors(f"fn f({word}: Int) {{}}")[0].code == "K101"


CONTEXTUAL = """
compute merge scan scatter prefix group over into with emit put sum min max last async times carry awake from node
domain example expect like field read write while break file NaN
"""


@pytest.mark.parametrize("word", CONTEXTUAL.split())
def test_contextual_words_are_ordinary_names(word: str) -> None:
    text = """
        struct W { W: W; }
        fn W(W: W) -> W { let W = W { W: W(W.W) }; W += W; for W in W..W { W(W); } return W; }
        kernel W.W@1 {
          input W: W; param W: W = W;
          compute over W { W } scan over W with W = W { W } scatter over W into W with W { W }
          example W { W = W; expect W = W; param W = W; }
        }
        scene W {
          input W: W; output W <- W;
          node W: W@1 { W <- W.W; carry W <- W; W <~ W.W from W; W = W; domain = like W; }
        }
    """
    assert len(read(text.replace("W", word)).items) == 4
