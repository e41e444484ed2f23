"""K1 in people's words: each message, and the place it points at (between « and »)."""

import re

import pytest

from kcheck.grammar.diagnostics import Severity
from tests.grammar.support import error, errors, place

BODY = "kernel k@1 {{ compute {{\n{}\n}} }}"

# In a body: the text, the message, the text after the first fix (if there is one).
STATEMENTS: list[tuple[str, str, str | None]] = [
    ("let x = 3«»\nlet y = 4;", "expected `;` after the value", "let x = 3;\nlet y = 4;"),
    ("let x = S { a: 1 }«»\nlet y = 4;", "expected `;` after the value", "let x = S { a: 1 };\nlet y = 4;"),
    ("let x = if a { 1 } else { 2 }«»\nreturn;", "expected `;` after the value", None),
    ("let x = 3«» // why\n  return x;", "expected `;` after the value", "let x = 3; // why\n  return x;"),
    ("x = 3«»", "expected `;` after the value", "x = 3;"),
    (
        "x = a «if» c else b;",
        "the condition stands before the values: `if c { a } else { b }`",
        "x = if c { a } else { b };",
    ),
    ("x = max(a, 1«»\nreturn x;", "expected `)` or `,`, found the end of the line", None),
    ("return 1«»", "expected `;` after the returned value", "return 1;"),
    ("return x «y»;", "expected `;`, found `y`", None),
    ("f(1)«»\nreturn;", "expected `;` after the statement", "f(1);\nreturn;"),
    ("f(1)«» return;", "expected `;` after the statement", "f(1); return;"),
    ("let x = «;»", "expected an expression, found `;`", None),
    ("let x = a + «;»", "expected an expression, found `;`", None),
    ("let x = (a«;»", "expected `)` or `,`, found `;`", None),
    ("let «=» 3;", "expected a name, found `=`", None),
    ("let x «3»;", "expected `:` or `=`, found `3`", None),
    ("let x: «=» 3;", "expected a type, found `=`", None),
    ("let x: [Int«]» = 3;", "expected `;`, found `]`", None),
    ("let x: Int«»;", "a `let` needs its first value: `= …`", None),
    ("var x«»;", "a `var` needs its first value: `= …`", None),
    ("let x = 1«,» y = 2;", "one `let` declares one name", None),
    ("«let mut» x = 1;", "write `var`, not `let mut`", "var x = 1;"),
    ("f(1, «,»2);", "expected an expression or `)`, found `,`", None),
    ("f(1«» 2);", "expected `,` after the value", "f(1, 2);"),
    ("let x = [1«» 2];", "expected `,` after the value", "let x = [1, 2];"),
    ("let x = S { a: 1«» b: 2 };", "expected `,` after the value", "let x = S { a: 1, b: 2 };"),
    ("let x = S { a«,» b };", "a field is written `a: value`, also where a local has its name", None),
    ("let x = S { a «=» 1 };", "a field is written `a: value`, also where a local has its name", None),
    ("{ a: 1, «2» }", "expected a name or `}`, found `2`", None),
    ("a[1«;»", "expected `]`, found `;`", None),
    ("if a { f(b «}»", "expected `)`, found `}`", None),
    ("a[f(1«]»;", "expected `)`, found `]`", None),
    ("let x = a«)»;", "this `)` closes nothing", None),
    ("«)»;", "this `)` closes nothing", None),
    ("a.«;»", "expected a name after the `.`, found `;`", None),
    ("a.«1»;", "expected a name after the `.`, found `1`", None),
    ("if «{» b }", "expected an expression, found `{`", None),
    ("if a «b»;", "expected `{`, found `b`", None),
    ("if (a) «b» = 1;", "expected `{`, found `b`", None),
    ("if a {} else «b» = 1;", "expected `{`, found `b`", None),
    ("if a «=» b {}", "`=` assigns; to compare write `==`", "if a == b {}"),
    ("if a {} «elif» b {}", "write `else if`, not `elif`", "if a {} else if b {}"),
    ("match x { 0 «->» 1 }", "an arm's value follows `=>`, not `->`", "match x { 0 => 1 }"),
    ("match x { a«:» 1 }", "an arm's value follows `=>`, not `:`", "match x { a=> 1 }"),
    ("match x { 0 => 1«» 1 => 2 }", "expected `,` after the arm", "match x { 0 => 1, 1 => 2 }"),
    ("match x { «0.5» => 1 }", "`0.5` is no pattern", None),
    ("match x { «+»1 => 1 }", "expected a pattern or `}`, found `+`", None),
    ("match x { 0 => «return» 1, }", "a statement needs braces around it here", None),
    ("match x { 0 => y «+=» 1, }", "a statement needs braces around it here", None),
    ("for i «0»..3 {}", "expected `in`, found `0`", None),
    ("for i in 3 «{»}", "expected `..`, found `{`", None),
    ("for «(»i = 0; i < 3; i++) {}", "a `for` walks a range: `for i in 0..n { … }`", None),
    ("loop«» {}", "`loop` needs to know how often: `loop 10 { … }`", None),
    ("«while» a < b {}", "there is no `while`", None),
    ("«while» (a) {}", "there is no `while`", None),
    ("«do» { a = 1; } while (b);", "there is no `do`", None),
    ("«switch» a {}", "there is no `switch`", None),
    ("«break»;", "there is no `break`", None),
    ("if a { «continue»; }", "there is no `continue`", None),
    ("«float x» = 1.0;", "a declaration begins with `let` or `var`: `var x: Float = …`", "var x: Float = 1.0;"),
    ("«int i»;", "a declaration begins with `let` or `var`: `var i: Int = …`", "var i: Int = 0;"),
    ("«Vec3 p» = q;", "a declaration begins with `let` or `var`: `var p: Vec3 = …`", "var p: Vec3 = q;"),
    ("«auto x» = 1;", "a declaration begins with `let` or `var`: `var x = …`", "var x = 1;"),
    ("x«++»;", "there is no `++`: write `x += 1`", None),
    ("x«--»;", "there is no `--`: write `x -= 1`", None),
    ("«++»x;", "there is no `++`: write `x += 1`", None),
    ("a «&&=» b;", "there is no `&&=`: write `a = a && b`", None),
    ("a «||=» b;", "there is no `||=`: write `a = a || b`", None),
    ("let x = a «?» b : c;", "there is no `? :`", None),
    ("let x = a «**» b;", "there is no `**`: write `pow(a, b)`", None),
    ("let x = a «and» b;", "write `&&`, not `and`", "let x = a && b;"),
    ("if «not» a {}", "write `!`, not `not`", "if ! a {}"),
    ("let x = p«->»y;", "fields are read by `.`", "let x = p.y;"),
    ("let x = «1.»;", "a Float has digits on both sides of its point: `1.0`, not `1.`", "let x = 1.0;"),
    ("let x = «1.»y;", "a Float has digits on both sides of its point: `1.0`, not `1.`", "let x = 1.0y;"),
    ("let x = «.5»;", "a Float has digits on both sides of its point: `0.5`, not `.5`", "let x = 0.5;"),
    ("let x = «.» 5;", "expected an expression, found `.`", None),
    ("let x = «1.0f»;", "numbers have no suffix: `f`", "let x = 1.0;"),
    ("let x = «1f»;", "numbers have no suffix: `f`", "let x = 1.0;"),
    ("let x = «3u»;", "numbers have no suffix: `u`", "let x = 3;"),
    ("let x = «0xG»;", "`0xG` is no number", None),
    ("let x = «0b12»;", "`0b12` is no number", None),
    ("let x = «12abc»;", "`12abc` is no number", None),
    ("let x = «'»a';", "' has no meaning here", None),
    ("let x = «é»;", "`é` cannot stand in a name", None),
    ("let x =«\u00a0» 1;", "an invisible character (U+00A0) has no meaning here", None),
    ("let x = 1 «#» 2;", "`#` (U+0023) has no meaning here", None),
    ('let x = «"a"»;', "a string can stand only in an example", None),
    ("let x = «(1, 2)»;", "a tuple can stand only in an example or a node's `domain`", None),
    ("let x = «(1,)»;", "a tuple can stand only in an example or a node's `domain`", None),
    ("f(«a» = 1);", "a named argument can stand only in an example", None),
    ("let «input» = 1;", "`input` is a reserved word and names nothing", None),
    ("let x = «input»;", "expected an expression, found `input`", None),
    ("a = 1; «input» x: Int;", "`input` cannot stand inside a block: a `}` is missing before it", None),
    ("a = 1; «merge»(a, b) { a }", "`merge` cannot stand inside a block: a `}` is missing before it", None),
    ("a = 1; «scan» over x with y = 0 { a }", "`scan` cannot stand inside a block: a `}` is missing before it", None),
]

ITEMS: list[tuple[str, str, str | None]] = [
    ("const A: Int = 3«»", "expected `;` after the value", "const A: Int = 3;"),
    ("const A«» = 3;", "`A` needs its type: `A: Float`", None),
    ("const A: Rows<Int «=» 3;", "expected `,` or `>`, found `=`", None),
    ("use «;»", "expected a name, found `;`", None),
    ("use a.b«»", "expected `;` after the declaration", "use a.b;"),
    ("struct S { x: Int«» y: Int }", "expected `;` after the field", "struct S { x: Int; y: Int }"),
    ("struct S { x«» }", "`x` needs its type: `x: Float`", None),
    ("struct S { x «Int» }", "expected `:`, found `Int`", None),
    ("struct S { «float x»; }", "the type follows the name: `x: Float`", "struct S { x: Float; }"),
    ("struct S «{» x: Int;", "this `{` is never closed", None),
    ("enum E { A«» B }", "expected `;` after the variant", "enum E { A; B }"),
    ("fn f(a«», b) {}", "`a` needs its type: `a: Float`", None),
    ("fn f(«float a») {}", "the type follows the name: `a: Float`", "fn f(a: Float) {}"),
    ("fn f(a: Int «{» }", "expected `)` or `,`, found `{`", None),
    ("fn f() «:» Int {}", "a result's type follows `->`, not `:`", "fn f() -> Int {}"),
    ("fn f() -> «{» }", "expected a type, found `{`", None),
    ("kernel k«» {}", "a kernel's name ends in its version: `@1`", "kernel k@1 {}"),
    ("kernel k@«1.2» {}", "a version is a whole number such as `@1`, not `1.2`", None),
    ("kernel «@»1 {}", "expected the kernel's name, found `@`", None),
    ("kernel«»", "expected the kernel's name, found the end of the item", None),
    (
        "kernel k@1 { «inputs» a: T; }",
        "expected a member of the kernel or `}`, found `inputs`",
        "kernel k@1 { input a: T; }",
    ),
    ("kernel k@1 { «reduce» over a {} }", "expected a member of the kernel or `}`, found `reduce`", None),
    ("kernel k@1 { «let» N = 3; }", "`let` belongs in a body", None),
    ("kernel k@1 { «return» 1; }", "a statement belongs in a body", None),
    ("kernel k@1 { input «Image x»; }", "the type follows the name: `x: Image`", "kernel k@1 { input x: Image; }"),
    ("kernel k@1 { input a«,» b: T; }", "expected `:`, found `,`", None),
    ("scene s { node n «=» k@1 {} }", "expected `:`, found `=`", None),
    ("kernel k@1 { param x«» = 3; }", "`x` needs its type: `x: Float`", None),
    ("kernel k@1 { param x: Int = 3 in 0«;» }", "expected `..`, found `;`", None),
    ("kernel k@1 { input x: Int«» output y: Int; }", "expected `;` after the declaration", None),
    ("kernel k@1 { requires «field».read; }", "expected `{`, found `field`", None),
    ("kernel k@1 { requires { field.read«» } }", "expected `;` after the name", None),
    ("kernel k@1 { compute «ovr» x {} }", "expected `over` or `{`, found `ovr`", "kernel k@1 { compute over x {} }"),
    ("kernel k@1 { scan over x with y «{» } }", "expected `=`, found `{`", None),
    ("kernel k@1 { scan over x with y = S { a: 1 } «}»", "expected `{`, found `}`", None),
    ("kernel k@1 { scatter over x into t with «{» } }", "expected `sum`, `min`, `max` or `last`, found `{`", None),
    ("kernel k@1 { example «{» } }", "expected a name, found `{`", None),
    ("kernel k@1 { example e { x = 1«» } }", "expected `;` after the value", None),
    ('kernel k@1 { example e { x = f("«\\d»"); } }', "unknown escape `\\d` in a string", None),
    ("kernel k@1 { example e { x = f(a = 1, «2»); } }", "an argument without a name cannot follow a named one", None),
    ("kernel k@1 {\n  compute over x «{»\n    if a {\n    }\n}\n", "this `{` is never closed", None),
    ("kernel k@1 {\n  compute {\n    if a «{»\n      b;\n  }\n}\n", "this `{` is never closed", None),
    ("scene s { «nod» a: k@1 {} }", "expected an entry of the scene or `}`, found `nod`", "scene s { node a: k@1 {} }"),
    ("scene s { node a: k@1 { x <- «;» } }", "expected a source such as `node.output`, found `;`", None),
    ("scene s { node a: k@1 { x <~ y.z«;» } }", "expected `from`, found `;`", None),
    ("scene s { node a: k@1 { x «}» }", "expected `<-`, `<~` or `=`, found `}`", None),
    ("scene s { node a: k@1 { x = «like y»; } }", "`like` can stand only in `domain = like node.port`", None),
    ('scene s { node a: k@1 { x = «"y"»; } }', "a string can stand only in an example", None),
    ("scene s { output x «=» y; }", "a source follows `<-`, not `=`", "scene s { output x <- y; }"),
    ("«structt» A { x: Int; }", "expected an item, found `structt`", "struct A { x: Int; }"),
    ("«import» a;", "expected an item, found `import`", "use a;"),
    ("«def» f() {}", "expected an item, found `def`", "fn f() {}"),
    ("«let» x = 3;", "expected an item, found `let`", "const x = 3;"),
    ("«merge»(a, b) {}", "`merge` belongs inside a kernel or scene", None),
    ("«if» a {}", "a statement belongs inside a kernel or function", None),
    ("«}»", "this `}` closes nothing", None),
    ("«42»", "expected an item, found `42`", None),
]


def check(marked: str, message: str, repaired: str | None) -> None:
    start, end = marked.index("«"), marked.index("»") - 1
    text = re.sub("[«»]", "", marked)
    diagnostic = error(text)
    assert (diagnostic.code, diagnostic.severity, diagnostic.message) == ("K101", Severity.ERROR, message)
    assert place(text, diagnostic) == (start, end)
    if repaired is not None:
        [edit] = diagnostic.fixes[0].edits
        assert text[: edit.origin.span.start] + edit.text + text[edit.origin.span.end :] == repaired


@pytest.mark.parametrize(("marked", "message", "repaired"), STATEMENTS, ids=[row[0] for row in STATEMENTS])
def test_statements(marked: str, message: str, repaired: str | None) -> None:
    check(BODY.format(marked), message, repaired and BODY.format(repaired))


@pytest.mark.parametrize(("marked", "message", "repaired"), ITEMS, ids=[row[0] for row in ITEMS])
def test_items(marked: str, message: str, repaired: str | None) -> None:
    check(marked, message, repaired)


GRAMMAR_WORDS = re.compile(r"[A-Z][a-z]+[A-Z]\w*|Token|Expr\b|Not\b|\bEOF\b")


def test_no_message_speaks_of_the_grammar() -> None:
    texts = [BODY.format(row[0]) for row in STATEMENTS] + [row[0] for row in ITEMS]
    for text in texts:
        for diagnostic in errors(re.sub("[«»]", "", text)):
            told = [diagnostic.message, diagnostic.label, *(note.message for note in diagnostic.notes)]
            assert not GRAMMAR_WORDS.search(" ".join(told)), told


def test_an_open_bracket_is_shown() -> None:
    text = "kernel k@1 { compute { f(a } }"
    [note] = error(text).notes
    assert note.origin is not None
    assert text[note.origin.span.start : note.origin.span.end] == "("


def test_members_are_listed() -> None:
    [note] = error("kernel k@1 { oops }").notes
    assert "`input`" in note.message
    assert "`merge`" in note.message
