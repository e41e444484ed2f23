"""The tests by which a merge tells what one of its sides is: empty, a miss, one variant of an enum."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.checker.law.problem import Problem
from kcheck.checker.law.solver.wording import leaf_text, number_text
from kcheck.checker.law.terms import Op, Term, number, postorder, variables

_MOST_TESTS = 10

_SIGNS = {Op.EQ: ("=", "!="), Op.LT: ("<", ">="), Op.LE: ("<=", ">")}
"""How a comparison is written, and its opposite."""


def tests_of_one_side(problem: Problem) -> list[Term]:
    """Bools, and comparisons of a leaf with a constant or another leaf, that merge asks of one side; over state `h`."""
    terms = problem.terms
    state = problem.state("h")
    found: dict[Term, None] = {}
    for term in postorder(problem.merge.leaves):
        for test in _tests(term.args[0]) if term.op is Op.IF else ():
            read = frozenset(variables((test,)))
            for side in (problem.left, problem.right):
                if read and read <= frozenset(side):
                    [asked] = terms.substitute((test,), dict(zip(side, state, strict=True)))
                    found.setdefault(asked)
    return list(found)[:_MOST_TESTS]


def _tests(condition: Term) -> Iterator[Term]:
    """The tests that a condition is made of."""
    if condition.op in (Op.AND, Op.OR, Op.NOT):
        for arg in condition.args:
            yield from _tests(arg)
    elif condition.op is Op.VAR or (condition.op in _SIGNS and all(arg.op in _PLAIN for arg in condition.args)):
        yield condition


_PLAIN = (Op.VAR, Op.CONST)


def test_text(problem: Problem, test: Term) -> str:
    """A test or its opposite in the words of the kernel."""
    is_opposite = test.op is Op.NOT
    test = test.args[0] if is_opposite else test
    names = {leaf: leaf_text(problem, i) for i, leaf in enumerate(problem.state("h"))}
    if test.op is Op.VAR:
        return f"{'!' if is_opposite else ''}{names[test]}"
    low, high = (names[arg] if arg in names else number_text(number(arg)) for arg in test.args)
    signs = _SIGNS[test.op]
    if test.args[0].is_const:  # the leaf first
        flipped = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
        return f"{high} {flipped.get(signs[is_opposite], signs[is_opposite])} {low}"
    return f"{low} {signs[is_opposite]} {high}"
