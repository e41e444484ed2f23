"""Whatever is typed: no exception, spans inside the text, an error for every broken item."""

from hypothesis import given, settings
from hypothesis import strategies as st

from kcheck.grammar import decode, parse, syntax
from kcheck.grammar.lexis import tokens
from tests.grammar.support import PROGRAMS, text_of

ITEMS = [item.text for path in PROGRAMS for item in parse(text_of(path), "t.kernel")[0].items if len(item.text) < 400]
PIECES = r"""
{ } ( ) [ ] ; , : . .. ..= = == => -> <- <~ < > << >>> + - * & && ! ~ @ 0 1. .5 0x 1e x " ' é 🚀 /* */ // ///
if else match for in loop until return let var fn kernel struct const compute scan over with merge example expect node
"""


def holds(text: str) -> None:
    """What is true of every text."""
    source, diagnostics = parse(text, "t.kernel")
    keys = {item.key for item in source.items}
    assert len(keys) == len(source.items)
    broken = {item.key for item in source.items if not item.is_whole}
    assert broken == {diagnostic.origin.item for diagnostic in diagnostics if diagnostic.origin.item}
    for diagnostic in diagnostics:
        places = [diagnostic.origin, *(note.origin for note in diagnostic.notes if note.origin)]
        places += [edit.origin for fix in diagnostic.fixes for edit in fix.edits]
        for origin in places:
            span = source.absolute(origin)
            assert 0 <= span.start <= span.end <= len(text)
            source.lines.position(span.start)
        assert diagnostic.message.strip()


@st.composite
def mutants(draw: st.DrawFn) -> str:
    """An item with some tokens taken out, put in or doubled."""
    item = draw(st.sampled_from(ITEMS))
    for _ in range(draw(st.integers(1, 3))):
        found = list(tokens(item))
        if not found:
            return item
        token = draw(st.sampled_from(found))
        change = draw(st.sampled_from(["delete", "insert", "double", "replace", "cut"]))
        piece = draw(st.sampled_from(PIECES.split()))
        before, after = item[: token.start], item[token.end :]
        item = {
            "delete": before + after,
            "insert": f"{before}{piece} {token.text}{after}",
            "double": f"{before}{token.text} {token.text}{after}",
            "replace": f"{before}{piece}{after}",
            "cut": before,
        }[change]
    return item


@settings(max_examples=200)
@given(mutants())
def test_mutants(text: str) -> None:
    holds(text)


@settings(max_examples=60)
@given(st.lists(st.sampled_from(PIECES.split()), max_size=30), st.sampled_from(["", " ", "\n"]))
def test_soups_of_tokens(pieces: list[str], between: str) -> None:
    holds(between.join(pieces))


@settings(max_examples=40)
@given(st.text(max_size=60))
def test_any_text(text: str) -> None:
    holds(text)


@settings(max_examples=60)
@given(st.sampled_from(ITEMS), st.lists(st.tuples(st.integers(0, 10_000), st.integers(0, 255)), min_size=1, max_size=3))
def test_flipped_bytes(item: str, flips: list[tuple[int, int]]) -> None:
    data = bytearray(item.encode())
    for place, value in flips:
        data[place % len(data)] = value
    text, diagnostics = decode(bytes(data), "t.kernel")
    assert all(diagnostic.code == "K102" for diagnostic in diagnostics)
    holds(text)


@settings(max_examples=30)
@given(mutants(), mutants())
def test_a_mutant_never_touches_the_item_before_it(first: str, second: str) -> None:
    good = "struct Fine { x: Int; }\n"
    source, _ = parse(f"{good}{first}\n{second}", "t.kernel")
    assert source.items[0].key == "struct Fine"
    assert isinstance(source.items[0].node, syntax.Struct)
