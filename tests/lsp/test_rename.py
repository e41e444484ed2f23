"""Renaming: what it changes, and that it never changes a meaning."""

import random
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from lsprotocol import types as lsp

from kcheck.checker.check import check_text
from kcheck.checker.facts import SymbolKind
from kcheck.checker.ir import Program, content_hash
from kcheck.checker.memo import Cancelled, Memo
from kcheck.checker.settings import settled
from kcheck.grammar.spans import Span
from kcheck.lsp.documents import Document
from kcheck.lsp.features import rename
from kcheck.lsp.features.rename import RenameRefused, Sources
from kcheck.lsp.view import View
from tests.cases.cases import all_cases
from tests.lsp.views import MAIN, Marked, applied, seen_from, start_of, view_of


class Workspace:
    """Files by path, checked as the server does: with what is kept from one check to the next."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self.texts = dict(texts)
        self.memos = {path: Memo() for path in texts}
        every = {path: check_text(text, path, self.load, self.memos[path]) for path, text in texts.items()}
        view = view_of(texts[MAIN], {path: text for path, text in texts.items() if path != MAIN})
        self.view = replace(view, checked=settled(every[MAIN]), every=every)

    def load(self, package: str) -> tuple[str, bytes] | None:
        path = f"/files/{package.replace('.', '/')}.kernel"
        return (path, self.texts[path].encode()) if path in self.texts else None

    def sources(self, *, with_memos: bool = True) -> Sources:
        return Sources(
            loader=lambda path: self.load,
            is_ours=lambda path: path.startswith("/files/tool/"),
            memo=lambda path: self.memos[path].copy() if with_memos else Memo(),
        )

    def renamed(self, path: str, span: Span, new: str) -> dict[str, str]:
        """The texts that change, by path."""
        view = seen_from(self.view, path)
        answers = [self._answer(view, span, new, with_memos=with_memos) for with_memos in (True, False)]
        assert answers[0] == answers[1]
        if isinstance(answers[0], str):
            raise RenameRefused(answers[0])
        return answers[0]

    def _answer(self, view: View, span: Span, new: str, *, with_memos: bool) -> dict[str, str] | str:
        """The texts, or why not."""
        try:
            edit = rename.rename(view, start_of(view, span), new, self.sources(with_memos=with_memos))
        except RenameRefused as refused:
            return str(refused)
        assert edit is not None
        assert edit.document_changes is not None
        found = {}
        for change in edit.document_changes:
            assert isinstance(change, lsp.TextDocumentEdit)
            assert change.text_document.version == 1
            path = change.text_document.uri.removeprefix("file://")
            found[path] = applied(self.texts[path], [edit for edit in change.edits if isinstance(edit, lsp.TextEdit)])
        return found


def renamed(text: str, new: str, others: Mapping[str, str] | None = None) -> dict[str, str]:
    """The texts that change where the first mark is renamed, by path; the marks may be in any file."""
    marked = {path: Marked(each) for path, each in {MAIN: text, **(others or {})}.items()}
    path, span = next((path, each.marks[0]) for path, each in marked.items() if each.marks)
    return Workspace({path: each.text for path, each in marked.items()}).renamed(path, span, new)


def refusal(text: str, new: str, others: Mapping[str, str] | None = None) -> str:
    with pytest.raises(RenameRefused) as refused:
        renamed(text, new, others)
    return str(refused.value)


# What stands in « » is renamed to `other`; what comes out is written with the new names.
GOOD = {
    "a local": (
        "fn f() -> Int { let «x» = 1; return x + x; }",
        "fn f() -> Int { let other = 1; return other + other; }",
    ),
    "from a use": ("fn f() -> Int { let x = 1; return «x»; }", "fn f() -> Int { let other = 1; return other; }"),
    "one of two locals": (
        "fn f(x: Int) -> Int { let y = x; if y > 1 { let «x» = 2; return x; } return x; }",
        "fn f(x: Int) -> Int { let y = x; if y > 1 { let other = 2; return other; } return x; }",
    ),
    "a field bound by its name": (
        "enum S { Dot; Disc { «r»: Float; } }\nfn f(s: S) -> Float { return match s { Disc { r } => r, Dot => 0.0 }; }",
        "enum S { Dot; Disc { other: Float; } }\n"
        "fn f(s: S) -> Float { return match s { Disc { other: r } => r, Dot => 0.0 }; }",
    ),
    "a local that has the name of its field": (
        "enum S { Dot; Disc { r: Float; } }\n"
        "fn f(s: S) -> Float { return match s { Disc { r } => «r» * r, Dot => 0.0 }; }",
        "enum S { Dot; Disc { r: Float; } }\n"
        "fn f(s: S) -> Float { return match s { Disc { r: other } => other * other, Dot => 0.0 }; }",
    ),
    "the same, from the pattern": (
        "enum S { Dot; Disc { r: Float; } }\n"
        "fn f(s: S) -> Float { return match s { Disc { «r» } => r * r, Dot => 0.0 }; }",
        "enum S { Dot; Disc { r: Float; } }\n"
        "fn f(s: S) -> Float { return match s { Disc { r: other } => other * other, Dot => 0.0 }; }",
    ),
    "a field and not the other": (
        "struct A { «h»: Int; }\nstruct B { h: Int; }\nfn f(a: A, b: B) -> A { let h = b.h; return A { h: h + a.h }; }",
        "struct A { other: Int; }\nstruct B { h: Int; }\n"
        "fn f(a: A, b: B) -> A { let h = b.h; return A { other: h + a.other }; }",
    ),
    "a function and not the value": (
        "fn «g»() -> Int { return 1; }\nfn f(g: Int) -> Int { return g() + g; }",
        "fn other() -> Int { return 1; }\nfn f(g: Int) -> Int { return other() + g; }",
    ),
    "a port": (
        "kernel k@1 { requires { field.read; field.write; } input «src»: Rows<Int>; output out: Rows<Int>;\n"
        "  compute { return sample(src); }\n  example e { src = [1]; expect out = [1]; } }\n"
        "scene s { input src: Rows<Int>; node n: k@1 { src <- src; } output o <- n.out; }\n",
        "kernel k@1 { requires { field.read; field.write; } input other: Rows<Int>; output out: Rows<Int>;\n"
        "  compute { return sample(other); }\n  example e { other = [1]; expect out = [1]; } }\n"
        "scene s { input src: Rows<Int>; node n: k@1 { other <- src; } output o <- n.out; }\n",
    ),
    "the second of two of one name": (
        "fn a() -> Int { return 1; }\nfn «a»() -> Int { return 2; }\nfn f() -> Int { return a(); }",
        "fn a() -> Int { return 1; }\nfn other() -> Int { return 2; }\nfn f() -> Int { return a(); }",
    ),
    "beside an error": (
        "fn f() -> Int { let «x» = 1; let y = ; return x; }",
        "fn f() -> Int { let other = 1; let y = ; return other; }",
    ),
    "a field where a component of that name stands in an error": (
        "struct S { «x»: Float; }\nfn f(s: S, v: Vec2) -> Float { return s.x + v.x + nothing; }",
        "struct S { other: Float; }\nfn f(s: S, v: Vec2) -> Float { return s.other + v.x + nothing; }",
    ),
    "a local beside an unknown name": (
        "fn f() -> Int { if true { let «x» = 1; return x; } return x; }",
        "fn f() -> Int { if true { let other = 1; return other; } return x; }",
    ),
    "a node of a scene": (
        "kernel k@1 { requires { field.write; } output out: Rows<Int>; compute { return index(); } }\n"
        "scene s { node «n»: k@1 { domain = 4; } node m: k@1 { domain = like n.out; } output o <- n.out; }\n",
        "kernel k@1 { requires { field.write; } output out: Rows<Int>; compute { return index(); } }\n"
        "scene s { node other: k@1 { domain = 4; } node m: k@1 { domain = like other.out; } output o <- other.out; }\n",
    ),
    "an input of a scene": (
        "kernel k@1 { requires { field.read; field.write; } input src: Rows<Int>; output out: Rows<Int>;\n"
        "  compute { return sample(src); } }\n"
        "scene s { input «src»: Rows<Int>; node n: k@1 { src <- src; awake = value(src, 0); } output o <- n.out; }\n",
        "kernel k@1 { requires { field.read; field.write; } input src: Rows<Int>; output out: Rows<Int>;\n"
        "  compute { return sample(src); } }\n"
        "scene s { input other: Rows<Int>; node n: k@1 { src <- other; awake = value(other, 0); }"
        " output o <- n.out; }\n",
    ),
    "beside a finding that is allowed": (
        "fn f() -> Int {\n  let y = 1; // kcheck: allow K208 — later\n  let «x» = 1;\n  return x;\n}\n",
        "fn f() -> Int {\n  let y = 1; // kcheck: allow K208 — later\n  let other = 1;\n  return other;\n}\n",
    ),
    "after wide characters": (
        "/* 🎈 */ fn «x»() -> Int { return /* 🎈 */ 1; } /* 🎈🎈 */ fn f() -> Int { return /* é🎈 */ x(); }",
        "/* 🎈 */ fn other() -> Int { return /* 🎈 */ 1; } /* 🎈🎈 */ fn f() -> Int { return /* é🎈 */ other(); }",
    ),
}


@pytest.mark.parametrize("name", GOOD)
def test_rename(name: str) -> None:
    before, after = GOOD[name]
    assert renamed(before, "other") == {MAIN: after}


def test_rename_across_files() -> None:
    others = {
        "/files/shapes.kernel": "fn «area»(r: Float) -> Float { return r; }\n",
        "/files/more.kernel": "use shapes;\nfn g() -> Float { return area(area(1.0)); }\n",
        "/files/stranger.kernel": "fn area() -> Int { return 1; }\nfn g() -> Int { return area(); }\n",
    }
    main = "use shapes;\nfn f(area: Float) -> Float { return area(area); }\n"
    wanted = {
        MAIN: "use shapes;\nfn f(area: Float) -> Float { return size_of(area); }\n",
        "/files/shapes.kernel": "fn size_of(r: Float) -> Float { return r; }\n",
        "/files/more.kernel": "use shapes;\nfn g() -> Float { return size_of(size_of(1.0)); }\n",
    }
    assert renamed(main, "size_of", others) == wanted
    plain = {path: text.replace("«", "").replace("»", "") for path, text in others.items()}
    assert renamed(main.replace("area(area)", "«area»(area)"), "size_of", plain) == wanted


KERNEL = "kernel «a.b@1» { requires { field.write; } output out: Rows<Int>; compute { return index(); } }\n"
SCENE = "use ks;\nscene s { node n: a.b@1 { domain = 4; } output o <- n.out; }\n"


@pytest.mark.parametrize(("new", "name"), [("a.c@2", "a.c@2"), ("c", "c@1"), ("x.y.z", "x.y.z@1"), ("a.b@9", "a.b@9")])
def test_kernel_keeps_its_version(new: str, name: str) -> None:
    found = renamed(SCENE, new, {"/files/ks.kernel": KERNEL})
    assert found == {MAIN: SCENE.replace("a.b@1", name), "/files/ks.kernel": KERNEL.replace("«a.b@1»", name)}


# The new name is `other`; what is refused, and a part of what is said.
BAD = {
    "twice in one file": ("fn «a»() -> Int { return 1; }\nfn other() -> Int { return 2; }", "K213"),
    "three times": (
        "fn other() -> Int { return 1; }\nfn other() -> Int { return 2; }\nfn «a»() -> Int { return 3; }",
        "K213",
    ),
    "twice in a struct": ("struct S { «a»: Int; other: Int; }", "K213"),
    "twice in a kernel": (
        "kernel k@1 { requires { field.read; field.write; } input «a»: Rows<Int>; output other: Rows<Int>;"
        " compute { return sample(a); } }",
        "K213",
    ),
    "captured by an inner local": (
        "fn f(«a»: Int) -> Int { var s = 0; for other in 0..3 { s += other + a; } return s; }",
        "other",
    ),
    "captures the uses of an outer local": (
        "fn f(other: Int) -> Int { var s = 0; for «a» in 0..3 { s += other + a; } return s; }",
        "other",
    ),
    "hides a constant": ("const other: Int = 1;\nfn f() -> Int { let «a» = 2; return a; }", "K209"),
    "hidden by a local": ("const «a»: Int = 1;\nfn f() -> Int { let other = 2; return other + a; }", "other"),
    "an option of examples": (
        "kernel k@1 { requires { field.write; } output out: Rows<Int>; param «a»: Int = 1;"
        " compute { return a; } example e { a = 2; domain = 1; expect out = [2]; } }",
        "domain",
    ),
    "a variant of two enums": (
        "enum A { «X»; }\nenum B { other; }\nfn f() -> B { let b = other; return b; }\nfn g(a: A) -> A { return A.X; }",
        "other",
    ),
    "a name that nobody knew": ("fn «a»() -> Int { return 1; }\nfn f() -> Int { return other(); }", "other"),
}


@pytest.mark.parametrize("name", BAD)
def test_rename_that_would_change_a_meaning(name: str) -> None:
    text, said = BAD[name]
    assert said in refusal(text, "domain" if said == "domain" else "other")


def test_rename_that_would_change_a_meaning_in_another_file() -> None:
    shapes = {"/files/shapes.kernel": "fn «area»(r: Float) -> Float { return r; }\n"}
    own = "use shapes;\nfn own() -> Float { return 1.0; }\nfn f() -> Float { return area(own()); }\n"
    assert "own" in refusal(own, "own", shapes)
    rival = {**shapes, "/files/b.kernel": "fn far() -> Float { return 1.0; }\n"}
    assert "far" in refusal("use shapes;\nuse b;\nfn f() -> Float { return far(); }\n", "far", rival)
    scene = "use ks;\n" + KERNEL.replace("«a.b@1»", "c@1") + "scene s { node n: a.b@1 { domain = 4; } }\n"
    assert "c@1" in refusal(scene, "c", {"/files/ks.kernel": KERNEL})


@pytest.mark.parametrize(
    ("text", "new", "said"),
    [
        ("fn «a»() -> Int { return 1; }", "let", "`let` is a word of the language"),
        ("fn «a»() -> Int { return 1; }", "1a", "no name"),
        ("fn «a»() -> Int { return 1; }", "a b", "no name"),
        ("fn «a»() -> Int { return 1; }", "", "no name"),
        ("fn «a»() -> Int { return 1; }", "é", "no name"),
        ("fn «a»() -> Int { return 1; }", "max", "the language has a `max` itself"),
        ("fn «a»() -> Int { return 1; }", "sample", "the language has a `sample` itself"),
        ("struct «a» { x: Int; }", "Vec3", "the language has a `Vec3` itself"),
        (KERNEL, "a.let", "`let` is a word of the language"),
        (KERNEL, "a.b@", "no name for a kernel"),
        (KERNEL, "a..b", "no name for a kernel"),
        ("fn a() -> Int { return «max»(1, 2); }", "b", "`max` is a word of the language"),
        ("fn a() -> «Int» { return 1; }", "b", "`Int` is a word of the language"),
        ("fn a() -> Int { let «x» = 1; let = x; return x; }", "y", "it is not known what `x` stands for in line 1"),
        ("struct S { «x»: Int; }\nfn f(s: S) -> Int { return s.x + nothing.x; }", "y", "`x` stands for in line 2"),
        ("struct S { «x»: Int; }\nfn g() { }\nfn g(s: S) { let a = s.x; }", "y", "`x` stands for in line 3"),
        ("scene s { input x: Rows<Int>; node n: unknown@1 { x <- x; } }\nconst «x»: Int = 1;", "y", "line 1"),
    ],
)
def test_names_that_cannot_be_taken_or_given(text: str, new: str, said: str) -> None:
    assert said in refusal(text, new)


def test_what_is_declared_elsewhere_keeps_its_name() -> None:
    main = "use tool.a;\nuse b;\nfn f() -> Int { return in_tool() + outside(); }\n"
    texts = {"tool/a": "fn in_tool() -> Int { return 1; }\n", "b": "fn outside() -> Int { return 1; }\n"}
    workspace = Workspace({MAIN: main, **{f"/files/{name}.kernel": text for name, text in texts.items()}})
    every = {path: checked for path, checked in workspace.view.every.items() if path != "/files/b.kernel"}
    view = replace(workspace.view, every=every)
    for word, said in (
        ("in_tool", "comes with kcheck"),
        ("outside", "outside of the workspace"),
        ("b;", "rename that"),
    ):
        position = start_of(view, Span(main.index(word), len(main)))
        with pytest.raises(RenameRefused, match=said):
            rename.prepare_rename(view, position, workspace.sources())


def test_texts_that_have_changed_are_not_edited() -> None:
    main = "use shapes;\nfn f() -> Int { return area(); }\n"
    workspace = Workspace({MAIN: main, "/files/shapes.kernel": "fn area() -> Int { return 1; }\n"})
    span = Span(main.index("area"), len(main))
    uri = workspace.view.documents.uri("/files/shapes.kernel")
    workspace.view.documents.put(Document(uri, "/files/shapes.kernel", 2, "fn area() -> Int { return 2; }\n"))
    with pytest.raises(RenameRefused, match="try again"):
        workspace.renamed(MAIN, span, "other")
    workspace.view.documents.remove(uri)
    with pytest.raises(RenameRefused, match="try again"):  # there is no such file
        workspace.renamed(MAIN, span, "other")


def test_a_rename_can_be_cancelled() -> None:
    workspace = Workspace({MAIN: "fn a() -> Int { return 1; }"})
    position = lsp.Position(0, 3)
    with pytest.raises(Cancelled):
        rename.rename(workspace.view, position, "b", workspace.sources(with_memos=False), lambda: True)


def test_prepare() -> None:
    marked = Marked(KERNEL)
    workspace = Workspace({MAIN: marked.text})
    view = workspace.view
    found = rename.prepare_rename(view, start_of(view, marked.marks[0]), workspace.sources())
    assert found is not None
    assert (view.span(found.range), found.placeholder) == (marked.marks[0], "a.b@1")
    assert rename.prepare_rename(view, lsp.Position(0, 0), workspace.sources()) is None
    assert rename.rename(view, lsp.Position(0, 0), "other", workspace.sources()) is None


# ---------------------------------------------------------------- all programs

EXAMPLES = Path(__file__).parents[2] / "examples"
SOURCES = {
    **{path.name: path.read_text(encoding="utf-8") for path in sorted(EXAMPLES.glob("*.kernel"))},
    **{case.name: case.source for case in all_cases()},
}
INNER = {SymbolKind.LOCAL, SymbolKind.PARAMETER, SymbolKind.FUNCTION, SymbolKind.CONST}
"""What has no name that is seen from outside of a program."""


@pytest.mark.parametrize("name", SOURCES)
def test_rename_in_programs(name: str) -> None:
    """A new name is always good; one that stands in the file already is good or refused.  Programs stay as they were,
    which their hashes tell, worked out by nothing that knows of renames."""
    text = SOURCES[name]
    workspace = Workspace({MAIN: text})
    found = [
        (item, reference)
        for item in workspace.view.file.items
        for reference in workspace.view.checked.facts[item.key].references
        if reference.symbol.kind in INNER
    ]
    random_ = random.Random(name)
    for item, reference in random_.sample(found, min(len(found), 1)):
        span = reference.span.shifted(item.offset)
        good = workspace.renamed(MAIN, span, "quite_new")
        assert programs(good[MAIN]) == programs(text)
        other = random_.choice(found)[1].symbol.name
        try:
            good = workspace.renamed(MAIN, span, other)
        except RenameRefused:
            continue
        assert programs(good[MAIN]) == programs(text)


def programs(text: str) -> dict[str, str]:
    return {name: content_hash(_nameless(program)) for name, program in check_text(text, MAIN).programs.items()}


def _nameless(program: Program) -> Program:
    """A program whose functions and locals are known by their places alone."""
    functions = tuple(
        replace(function, name="", locals=tuple(replace(local, name="") for local in function.locals))
        for function in program.functions
    )
    return replace(program, functions=functions)


def test_names_that_other_files_may_use_stay_where_not_all_are_read() -> None:
    marked = Marked("fn «twice»(«x»: Float) -> Float { return x * 2.0; }\n")
    workspace = Workspace({MAIN: marked.text})
    partly = replace(workspace.sources(), is_whole=False)
    name, parameter = marked.marks
    with pytest.raises(RenameRefused, match="too many files"):
        rename.rename(workspace.view, start_of(workspace.view, name), "thrice", partly)
    assert rename.rename(workspace.view, start_of(workspace.view, parameter), "y", partly) is not None
