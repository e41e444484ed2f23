"""What a verdict says that it rests on."""

from kcheck.checker.law.problem import Invariant, ghost_count
from kcheck.checker.law.solver.telling import told
from kcheck.checker.law.symbolic import problem_of
from tests.law.build import reduction

STATE = reduction(
    "Int",
    "State",
    "State { count: 1, sum: sample(values), mode: Mode.Off }",
    "State { count: a.count + b.count, sum: a.sum + b.sum, mode: a.mode }",
    "enum Mode { Off; On { level: Int; }; Broken; } struct State { count: Int; sum: Int; mode: Mode; }",
)


def test_bounds_that_say_nothing_new_are_left_out() -> None:
    problem = problem_of(STATE)
    terms = problem.terms
    count, total, mode, _ = problem.state("h")
    at_least_one = Invariant("count >= 1", terms.le(terms.integer(1), count))
    counted = Invariant("count = the number of elements", terms.eq(count, ghost_count(problem, "h")))
    not_negative = Invariant("sum >= 0", terms.le(terms.integer(0), total))
    same = Invariant("sum = count", terms.eq(total, count))
    known = Invariant("sum = 7", terms.eq(total, terms.integer(7)))
    assert told(problem, [at_least_one, not_negative, same]) == ("count >= 1", "sum >= 0", "sum = count")
    assert told(problem, [at_least_one, counted]) == ("count = the number of elements",)
    assert told(problem, [not_negative, known]) == ("sum = 7",)
    ends = [
        Invariant("mode.tag >= 0", terms.le(terms.integer(0), mode)),
        Invariant("mode.tag <= 2", terms.le(mode, terms.integer(2))),
    ]
    inside = Invariant("mode.tag <= 1", terms.le(mode, terms.integer(1)))
    assert told(problem, [*ends, inside]) == ("mode.tag <= 1",)
