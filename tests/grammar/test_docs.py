"""`///` comments describe the next item or member."""

from kcheck.grammar import syntax
from tests.grammar.support import PROGRAMS, item, kernel, nodes, read, text_of


def docs(node: syntax.Node) -> dict[str, str]:
    found = {}
    for inner in nodes(node, syntax.Documented):
        if isinstance(inner, syntax.Documented) and inner.doc:
            name = inner.path if isinstance(inner, syntax.Use) else inner.name  # type: ignore[attr-defined]  # all others have one
            found[name.text] = inner.doc
    return found


def test_items_and_members() -> None:
    node = item(
        "/// A kernel.\n///\n///   indented\nkernel k@1 {\n"
        "  /// in\n  input a: T;\n  /// out\n  output b: T; /// of the next\n  param p: T;\n  memory m: T;\n"
        "  /// c\n const C: T = 1; /// s\n struct S { /// x\n x: T; y: T; } /// e\n"
        " enum E { /// v\n V { /// f\n f: T; } W }\n"
        "  /// fn\n fn g() { /// nothing\n let a = 1; }\n compute {} /// ex\n example e { /// nothing\n a = 1; }\n}"
    )
    assert docs(node) == {
        "k@1": "A kernel.\n\n  indented",
        "a": "in",
        "b": "out",
        "p": "of the next",
        "C": "c",
        "S": "s",
        "x": "x",
        "E": "e",
        "V": "v",
        "f": "f",
        "g": "fn",
        "e": "ex",
    }


def test_scenes() -> None:
    node = item(
        "/// s\nscene s {\n/// a\ninput a: T;\n/// p\nparam p: T;\n/// n\nnode n: k@1 {}\n/// o\noutput o <- n.a;\n}"
    )
    assert docs(node) == {"s": "s", "a": "a", "p": "p", "n": "n", "o": "o"}


def test_other_comments_are_no_docs() -> None:
    assert docs(item("//// four\n// two\n/* /// inside */ const A: T = 1;")) == {}


def test_comments_between_do_not_part_a_doc_from_its_item() -> None:
    assert docs(item("/// one\n// note\n\n/// two\nconst A: T = 1;")) == {"A": "one\ntwo"}


def test_docs_stay_with_their_item() -> None:
    first, second = read("/// one\nuse a;\n/// two\n/// more\nuse b;\n/// nobody\n").items
    assert (first.text, second.text) == ("/// one\nuse a;", "/// two\n/// more\nuse b;")
    assert docs(second.node) == {"b": "two\nmore"}
    assert second.node.span.start == len("/// two\n/// more\n")


def test_docs_in_strings_and_lines_of_windows() -> None:
    [example] = kernel('\r\n/// d  \r\nexample e { a = file("/// x"); }').members
    assert docs(example) == {"e": "d"}


def test_programs_have_the_docs_they_show() -> None:
    found: dict[str, str] = {}
    for path in PROGRAMS:
        for parsed in read(text_of(path)).items:
            found |= docs(parsed.node)
    assert found == {
        "TAPS": "How many taps the smoother has.",
        "picture.split@1": "A map of two outputs.\nIts second line.",
        "photo": "Taken from the camera.",
        "edge": "Where dark ends.",
        "demo": "A small world.",
        "blur": "Eight rounds.",
        "raw": "Seen as it came.",
        "B": "Été",
    }
