"""`parse` and `decode` as other parts of the tool meet them."""

import os
import subprocess
import sys
from pathlib import Path
from threading import Thread

import pytest

from kcheck.grammar import decode, parse, syntax
from kcheck.grammar.spans import Origin, Span
from tests.grammar.support import PROGRAMS, SEEDS, nodes, read, text_of


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_programs_are_read(path: Path) -> None:
    assert all(not isinstance(item.node, syntax.BrokenItem) for item in read(text_of(path)).items)


ERRORS = {syntax.BrokenItem, syntax.ErrorExpr, syntax.ErrorMember, syntax.ErrorStatement}


def test_programs_hold_every_construct() -> None:
    found = {
        type(node) for path in PROGRAMS for item in read(text_of(path)).items for node in nodes(item.node, syntax.Node)
    }
    concrete = {
        kind
        for kind in vars(syntax).values()
        if isinstance(kind, type) and issubclass(kind, syntax.Node) and not kind.__subclasses__()
    }
    assert concrete - found == ERRORS


def test_the_first_kernels_of_all() -> None:
    paths = sorted(SEEDS.glob("*.kernel"))
    if not paths:
        pytest.skip(f"{SEEDS} is not here")
    for path in paths:
        read(text_of(path))


def test_the_same_text_gives_the_same_tree() -> None:
    text = "fn twice(a: Int) -> Int { a * 2 }"
    [first] = read(text).items
    [second] = read(f"// elsewhere\n\n{text}\n").items
    assert first.node is second.node


def test_broken_items_are_remembered_too() -> None:
    [first] = parse("fn f( {}", "a.kernel")[0].items
    [second] = parse("\nfn f( {}", "b.kernel")[0].items
    assert first.node is second.node


def test_origins_name_path_and_item() -> None:
    text = "use a;\n\n/// d\nconst A: Int = ;"
    source, [diagnostic] = parse(text, "some/where.kernel")
    start = len("/// d\nconst A: Int = ")
    assert diagnostic.origin == Origin("some/where.kernel", "const A", Span(start, start + 1))
    assert source.path == "some/where.kernel"
    assert source.absolute(diagnostic.origin) == Span(len(text) - 1, len(text))


def test_diagnostics_come_in_the_order_of_the_text() -> None:
    text = "use ;\nstruct A {}\nconst B: Int = ;\nuse ;"
    _, diagnostics = parse(text, "t.kernel")
    assert [diagnostic.origin.item for diagnostic in diagnostics] == ["use", "const B", "use#2"]


def test_threads_may_read_at_once() -> None:
    texts = [f"fn f{place}() {{ return {'(' * 30}{place}{')' * 30}; }}" for place in range(12)]
    results: dict[str, str] = {}

    def work(text: str) -> None:
        results[text] = read(text).items[0].key

    threads = [Thread(target=work, args=(text,)) for text in texts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == {text: f"fn f{place}" for place, text in enumerate(texts)}


def test_textx_is_loaded_where_no_parser_is_kept(tmp_path: Path) -> None:
    program = (
        "import sys; import kcheck.grammar as g;"
        "g.parse('// nothing', ''); assert not {'textx', 'arpeggio'} & set(sys.modules);"
        "g.parse('use a;', ''); print({'textx', 'arpeggio'} & set(sys.modules))"
    )
    environment = os.environ | {"XDG_CACHE_HOME": str(tmp_path), "LOCALAPPDATA": str(tmp_path), "HOME": str(tmp_path)}
    command = [sys.executable, "-c", program]
    runs = [subprocess.run(command, env=environment, capture_output=True, text=True, check=True) for _ in range(2)]
    assert "textx" in runs[0].stdout
    assert runs[1].stdout == "set()\n"


def test_decode() -> None:
    assert decode("/* é */".encode(), "t.kernel") == ("/* é */", ())
    assert decode(b"\xef\xbb\xbfuse a;\r\n", "t.kernel") == ("use a;\r\n", ())
    assert decode(b"", "t.kernel") == ("", ())


@pytest.mark.parametrize(
    ("data", "message", "start"),
    [
        (b"use a;\n// \xff\n", "byte 10, on line 2, is not UTF-8: 0xFF", 10),
        ("// é\n".encode() + b"\xc3(", "byte 6, on line 2, is not UTF-8: 0xC3", 5),
        (b"\xef\xbb\xbf\x80", "byte 3, on line 1, is not UTF-8: 0x80", 0),
        (b"// cut \xf0\x9f\x9a", "byte 7, on line 1, is not UTF-8: 0xF0", 7),
        (b"\xed\xa0\x80", "byte 0, on line 1, is not UTF-8: 0xED", 0),
    ],
)
def test_decode_names_the_byte(data: bytes, message: str, start: int) -> None:
    text, [diagnostic] = decode(data, "t.kernel")
    assert (diagnostic.code, diagnostic.message) == ("K102", message)
    assert diagnostic.origin == Origin("t.kernel", "", Span(start, start + 1))
    assert text[start] == "\ufffd"


def test_decode_knows_utf_16() -> None:
    _, [diagnostic] = decode("use a;".encode("utf-16"), "t.kernel")
    assert "UTF-16" in diagnostic.notes[0].message
