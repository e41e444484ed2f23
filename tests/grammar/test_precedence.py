"""Precedence against an oracle that works the other way round: it splits a chain at its weakest operator."""

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kcheck.grammar import syntax
from kcheck.grammar.precedence import fold
from kcheck.grammar.problems import COMPARISON_CHAIN, UnreadableError
from kcheck.grammar.spans import Span
from tests.grammar.support import compact, error, expr, statements

# Written again from the language's reference, weakest first.
ROWS = [
    ["||"],
    ["&&"],
    ["==", "!=", "<", "<=", ">", ">="],
    ["|"],
    ["^"],
    ["&"],
    ["<<", ">>", ">>>"],
    ["+", "-"],
    ["*", "/", "%"],
]
OPERATORS = [operator for row in ROWS for operator in row]
COMPARISONS = ROWS[2]


def oracle(operands: list[str], operators: list[str]) -> str | None:
    """The fully parenthesised chain, or None where comparisons chain."""
    if not operators:
        return operands[0]
    for row in ROWS:
        places = [place for place, operator in enumerate(operators) if operator in row]
        if not places:
            continue
        if row is COMPARISONS and len(places) > 1:
            return None
        at = places[-1]
        left = oracle(operands[: at + 1], operators[:at])
        right = oracle(operands[at + 1 :], operators[at + 1 :])
        return f"({left} {operators[at]} {right})" if left and right else None
    raise AssertionError(operators)


def folded(operands: list[str], operators: list[str]) -> str | None:
    span = Span(0, 0)
    values: list[syntax.Expr] = [
        syntax.NameRef(span=span, name=syntax.Name(span=span, text=operand)) for operand in operands
    ]
    try:
        return compact(fold("", values, [(operator, 0) for operator in operators]))
    except UnreadableError as stop:
        return None if stop.problem.code == COMPARISON_CHAIN else stop.problem.message


def test_every_pair_in_source() -> None:
    pairs = [list(pair) for pair in product(OPERATORS, repeat=2) if oracle(["a", "b", "c"], list(pair))]
    text = " ".join(f"a {first} b {second} c;" for first, second in pairs)
    trees = [compact(statement).removesuffix(";") for statement in statements(text)]
    assert trees == [oracle(["a", "b", "c"], pair) for pair in pairs]


def test_every_triple() -> None:
    for triple in product(OPERATORS, repeat=3):
        assert folded(list("abcd"), list(triple)) == oracle(list("abcd"), list(triple))


@given(st.lists(st.sampled_from(OPERATORS), max_size=14))
def test_long_chains(operators: list[str]) -> None:
    operands = [f"v{place}" for place in range(len(operators) + 1)]
    assert folded(operands, operators) == oracle(operands, operators)


@settings(max_examples=30)
@given(st.lists(st.sampled_from(OPERATORS), min_size=1, max_size=8), st.booleans())
def test_chains_in_source(operators: list[str], spaced: bool) -> None:
    operands = [f"v{place}" for place in range(len(operators) + 1)]
    pieces = [operands[0], *(piece for pair in zip(operators, operands[1:], strict=True) for piece in pair)]
    text = (" " if spaced else "").join(pieces)
    expected = oracle(operands, operators)
    if expected is None:
        assert error(f"fn f() {{ let x = {text}; }}").code == COMPARISON_CHAIN
    else:
        assert compact(expr(text)) == expected


@pytest.mark.parametrize("first", COMPARISONS)
@pytest.mark.parametrize("second", COMPARISONS)
def test_comparisons_do_not_chain(first: str, second: str) -> None:
    text = f"fn f() {{ let x = a {first} b + 1 {second} c; }}"
    diagnostic = error(text)
    assert diagnostic.code == "K105"
    start = text.index(f" {second} c") + 1
    assert (diagnostic.origin.span.start, diagnostic.origin.span.end) == (start, start + len(second))
    [fix] = diagnostic.fixes
    [edit] = fix.edits
    repaired = text[: edit.origin.span.start] + edit.text + text[edit.origin.span.end :]
    assert f"a {first} b + 1 && b + 1 {second} c" in repaired


def test_parentheses_end_a_chain_of_comparisons() -> None:
    assert compact(expr("(a < b) == c")) == "((a < b) == c)"
    assert compact(expr("a < b && b < c")) == "((a < b) && (b < c))"
