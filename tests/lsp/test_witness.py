"""Elements that refute a law: shown in hovers, as an object for clients, and kept as an example where they are few."""

from dataclasses import replace

import pytest
from lsprotocol import types as lsp

from kcheck.checker.law.evaluate import Case, SmallField
from kcheck.checker.law.problem import Law
from kcheck.checker.law.verdict import REFUTED, LawFinding, Repeated, Step, Tree, Witness
from kcheck.lsp.features.actions import code_actions
from kcheck.lsp.features.hover import hover
from kcheck.lsp.features.witness import as_example, witness_object
from kcheck.lsp.proofs import LawState, State
from kcheck.lsp.view import View
from tests.lsp.views import marked_view, start_of

KERNEL = "list.lost@1"
TEXT = """
kernel list.lost@1 {
  requires { field.read; field.write; }
  input line: Rows<Int>;
  output result: Rows<Int>;
  compute over line { 1 }
  «merge»(a, b) { if a == 1000 { b } else { a + b } }
}
"""
MANY = Repeated(0, 1000)


def refuted(many: Tree, count: int) -> tuple[View, lsp.Position, Witness]:
    """A view of a sum that is lost where it is 1000, and the elements that show it."""
    view, [mark] = marked_view(TEXT)
    case = Case({"line": SmallField((2,), ((5,), (3,)))}, {})
    copied = Step(many, (count,), (Step(0, (1,)),) if many != 0 else ())
    one = Step(1, (1,))
    sides = Step((many, 1), (1,), (copied, one)), Step((1, many), (count + 1,), (one, copied))
    witness = Witness(view.checked.programs[KERNEL], case, *sides, differing=(0,))
    found = LawFinding(Law.COMMUTATIVE, REFUTED, witness=witness)
    laws = {KERNEL: [LawState(Law.COMMUTATIVE, State.REFUTED, found)]}
    return replace(view, laws=laws), start_of(view, mark), witness


def test_a_line_stands_for_all_copies() -> None:
    view, place, _ = refuted(MANY, 1000)
    found = hover(view, place)
    assert found is not None
    assert isinstance(found.contents, lsp.MarkupContent)
    rows = [line for line in found.contents.value.splitlines() if line.startswith("|")]
    assert rows == [
        "| element | `merge(1_000 elements like a, b)` | `merge(b, 1_000 elements like a)` |",
        "|---|---|---|",
        "| `a = 1` | `1_000 elements like a = 1000` | `1_000 elements like a = 1000` |",
        "| `b = 1` | **`merge(1_000 elements like a, b) = 1`** | **`merge(b, 1_000 elements like a) = 1001`** |",
    ]


def test_clients_are_told_how_many_there_are() -> None:
    _, _, witness = refuted(MANY, 1000)
    found = witness_object(witness, KERNEL, "commutative")
    assert (found["elements"], found["counts"]) == ([5, 3], [1000, 1])
    [copied, one] = found["left"]["parts"]
    assert copied == {
        "text": "1_000 elements like a",
        "elements": [0],
        "value": 1000,
        "parts": [{"text": "a", "elements": [0], "value": 1}],
    }
    assert one == {"text": "b", "elements": [1], "value": 1}


@pytest.mark.parametrize(("many", "count", "are_few"), [(0, 1, True), (MANY, 1000, False)])
def test_few_elements_may_become_an_example(many: Tree, count: int, are_few: bool) -> None:
    view, place, _ = refuted(many, count)
    titles = [action.title for action in code_actions(view, lsp.Range(place, place), None)]
    assert ("Save the elements that refute commutative as an example" in titles) is are_few
    assert "Show the elements that refute commutative" in titles
    assert (as_example(view, KERNEL, "commutative") is not None) is are_few
