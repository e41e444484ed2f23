"""A file falls into its items, whatever is wrong inside of one."""

from itertools import pairwise
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kcheck.grammar import parse, syntax
from kcheck.grammar import split as splitting
from kcheck.grammar.lexis import marks
from kcheck.grammar.split import _Splitter, split
from tests.grammar.support import errors, read

GOOD = "struct Fine { x: Int; }"


def keys(text: str) -> list[str]:
    return [item.key for item in parse(text, "t.kernel")[0].items]


def broken(text: str) -> list[str]:
    return [item.key for item in parse(text, "t.kernel")[0].items if not item.is_whole]


@pytest.mark.parametrize(
    "text", ["", "\n \t\r\n", "// only\n/* comments */", "/// doc", ";;", "\ufeff", "\ufeff// mark"]
)
def test_files_without_items(text: str) -> None:
    source, diagnostics = parse(text, "t.kernel")
    assert (source.items, diagnostics) == ((), ())


def test_a_byte_order_mark_is_no_item() -> None:
    assert keys("\ufeffuse a;") == ["use a"]


def test_items_on_one_line_and_indented() -> None:
    text = "use a; const N: Int = 1; struct S {} fn f() {}\n\tkernel k@1 { compute {} } scene s {}enum E { A }"
    assert keys(text) == ["use a", "const N", "struct S", "fn f", "kernel k@1", "scene s", "enum E"]
    assert not errors(text)


def test_keys_count_equal_names() -> None:
    assert keys("use a; use a; kernel k@1 {} kernel k@2 {} kernel k@1 {} use a;") == [
        "use a",
        "use a#2",
        "kernel k@1",
        "kernel k@2",
        "kernel k@1#2",
        "use a#3",
    ]


def test_braces_in_comments_and_strings_do_not_count() -> None:
    text = 'kernel k@1 { /* } */ // }\n /// }\n compute {} example e { a = file("}\\"}"); } }\n' + GOOD
    assert keys(text) == ["kernel k@1", "struct Fine"]
    assert not errors(text)


def test_unindented_members_are_members() -> None:
    text = "kernel k@1 {\nconst N: Int = 1;\nstruct S {}\nenum E { A }\nfn f() {}\ncompute {}\n}\n" + GOOD
    source = read(text)
    assert [item.key for item in source.items] == ["kernel k@1", "struct Fine"]
    [kernel, _] = source.items
    assert isinstance(kernel.node, syntax.Kernel)
    assert len(kernel.node.members) == 5


MISSING_BRACE = "kernel bad@1 {\n  compute {\n    return 1;\n}\n"


@pytest.mark.parametrize(
    "next_item",
    [
        "kernel ok@1 { compute {} }",
        "scene ok {}",
        "use ok;",
        "fn ok() {}",
        "struct ok {}",
        "enum ok { A }",
        "const ok: Int = 1;",
        "/// documented\nfn ok() {}",
        "  kernel ok@1 { compute {} }",
    ],
)
def test_a_missing_brace_swallows_nothing(next_item: str) -> None:
    text = f"{GOOD}\n{MISSING_BRACE}{next_item}\nconst LAST: Int = 1;"
    found = keys(text)
    assert found[:2] == ["struct Fine", "kernel bad@1"]
    assert found[-1] == "const LAST"
    assert len(found) == 4
    assert broken(text) == ["kernel bad@1"]
    assert len(errors(text)) == 1


def test_a_missing_brace_of_another_item() -> None:
    for start in ("fn f() {\n if a {\n}\n", "struct S {\n", "scene s {\n", "enum E {\n", "const C: Int = {\n"):
        text = start + "const N: Int = 1;\nkernel k@1 {\nconst M: Int = 1;\ncompute {}\n}"
        assert keys(text)[1:] == ["const N", "kernel k@1"]
        assert len(errors(text)) == 1


def test_a_missing_brace_costs_only_the_members_at_its_own_margin() -> None:
    text = "kernel a@1 {\nfn f() {}\ncompute {\n\nkernel b@1 {\nfn g() {}\ncompute {}\n}\n"
    assert keys(text) == ["kernel a@1", "fn f", "?", "kernel b@1"]


def test_a_missing_semicolon_swallows_nothing() -> None:
    text = "use a\nuse b;\nconst N: Int = 1\nconst M: Int = 2;\nconst K: Int = 3 struct S {}"
    assert keys(text) == ["use a", "use b", "const N", "const M", "const K", "struct S"]
    assert broken(text) == ["use a", "const N", "const K"]


def test_one_brace_too_many() -> None:
    text = f"kernel k@1 {{ compute {{}} }} }}\n{GOOD}"
    assert keys(text) == ["kernel k@1", "?", "struct Fine"]
    [diagnostic] = errors(text)
    assert diagnostic.message == "this `}` closes nothing"


def test_a_body_closed_too_early() -> None:
    text = f"kernel k@1 {{ compute over x {{ }} }}\n merge(a, b) {{ }}\n}}\n{GOOD}"
    assert keys(text) == ["kernel k@1", "?", "struct Fine"]
    [diagnostic] = errors(text)
    assert diagnostic.message == "`merge` belongs inside a kernel or scene"


def test_unknown_words_are_items_of_their_own() -> None:
    text = f"structt A {{ x: Int; }}\n{GOOD}\nkernle b@1 {{ compute {{}} }}\nimport c;\nfoo bar {{ }}\n1 + 2;\n)"
    assert keys(text) == ["struct A", "struct Fine", "kernel b@1", "use c", "?"]
    assert [error.code for error in errors(text)] == ["K101"] * 4


def test_a_reserved_word_used_as_a_name_cuts_nothing() -> None:
    for text in (
        "kernel k@1 {\n  input kernel: Rows<Int>;\n  compute {}\n}",
        "kernel k@1 {\n  compute {\n    let scene = 1;\n    kernel = 2;\n  }\n}",
        "const kernel: Int = 1;",
        "fn use(a: Int) {}",
        "use kernel.fft;",
    ):
        found = errors(text)
        assert len(found) == (2 if "let scene" in text else 1)
        for diagnostic in found:
            assert "reserved word" in " ".join([diagnostic.message, *(note.message for note in diagnostic.notes)])


def test_an_error_hides_nothing_in_the_others() -> None:
    bad = ["const A: Int = ;", "fn f( {}", "kernel k@1 { inptu a: T; }", "scene s { nod a: k@1 {} }", "struct S { a }"]
    text = "\n".join(f"{GOOD.replace('Fine', f'Fine{place}')}\n{item}" for place, item in enumerate(bad))
    source, diagnostics = parse(text, "t.kernel")
    assert [item.key for item in source.items][::2] == [f"struct Fine{place}" for place in range(len(bad))]
    assert [diagnostic.origin.item for diagnostic in diagnostics] == [
        "const A",
        "fn f",
        "kernel k@1",
        "scene s",
        "struct S",
    ]


def test_broken_items_tell_what_they_declare() -> None:
    text = "kernel a.b@2 (\nfn f(;\nconst\nstruct 1;\nfunction g();\nuse;\n???"
    nodes = [item.node for item in parse(text, "t.kernel")[0].items]
    assert all(isinstance(node, syntax.BrokenItem) for node in nodes)
    told = [(node.keyword, node.name and node.name.text) for node in nodes if isinstance(node, syntax.BrokenItem)]
    assert told == [
        ("kernel", "a.b@2"),
        ("fn", "f"),
        ("const", None),
        ("struct", None),
        ("fn", "g"),
        ("use", None),
        (None, None),
    ]


def test_ranges_are_ordered_and_hold_all_that_is_no_comment() -> None:
    text = "x { y ( } struct A {} /* c */ fn f( { use\nkernel k@1 { \nfn g() {\n}}}} ;; const N: [Int; 2 = 1; } use q"
    ranges = split(text)
    assert all(start < end for start, end in ranges)
    assert all(left[1] <= right[0] for left, right in pairwise(ranges))
    outside = text
    for start, end in reversed(ranges):
        outside = outside[:start] + outside[end:]
    assert outside.replace("/* c */", "").strip(" ;\n") == ""


PIECES = ["}", "{", "(", ")", ";", "x", "use", "scene", '"a"', '"{', "//", "/*", "*/", "/// doc\n", "\n", "\nfn f() {"]
ITEMS = ["\nkernel k@1 {", "use b;", "\n  const N: Int = 1;", "\nconst N: Int = 1;\n", "\nstruct S { x: Int; }\n"]


@settings(max_examples=300)
@given(st.lists(st.sampled_from(PIECES + ITEMS), max_size=14))
def test_parts_are_cut_as_the_whole_is(pieces: list[str]) -> None:
    text = "".join(pieces)
    assert split(text) == list(_Splitter(text).ranges())


# fmt: off
SIGNS = st.sampled_from([
    "{", "}", "(", ")", "[", "]", ";", '"', "\\", "/*", "*/", "//", "///", "\n", "\r\n", " ", "  ", "x",
    "fn f() ", "kernel k@1 ", "use a;", "scene s ", "const N", "struct",
])
# fmt: on


@settings(max_examples=500)
@given(st.lists(SIGNS, max_size=30).map("".join))
def test_what_is_left_out_in_braces_tells_nothing(text: str) -> None:
    found = list(_Splitter(text).ranges())
    with patch.object(splitting, "marks_in_braces", marks):
        assert found == list(_Splitter(text).ranges())
