"""Goals as one query to z3: linear conditions over monomials, each a fresh unknown.

A number is a list of normal forms, each with a guard: the formula under which it is the value.  Branches that differ
by a product or an exponential so become linear in what z3 sees.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import product
from typing import Any, TypeAlias

from kcheck.checker.law import work
from kcheck.checker.law.algebra.atoms import Kind
from kcheck.checker.law.algebra.elimination import Row
from kcheck.checker.law.algebra.facts import NEGATIVE, NULL, Query
from kcheck.checker.law.algebra.normal import Normal, Value, value_key
from kcheck.checker.law.algebra.polynomial import (
    ONE,
    Monomial,
    Number,
    Polynomial,
    TooLarge,
    constant,
    multiply_monomials,
    power,
)
from kcheck.checker.law.algebra.reals import Ratio
from kcheck.checker.law.algebra.search import Clause, Goal
from kcheck.checker.law.terms import Op, Sort, Term, postorder

Formula: TypeAlias = Any
"""A Bool of z3."""

Choice: TypeAlias = tuple[Formula, Value]

MAX_CHOICES = 64
_CHOICE = 3e-4
"""The work of making a choice."""
_STEPS_A_SECOND = 2_000_000
"""About how many steps z3 takes."""
_BUSY = 5
"""How many times longer than on an idle machine z3 may take for as many steps."""


class Guarded:
    """Builds the query about what holds on `path`."""

    def __init__(self, path: Normal, invariants: int) -> None:
        import z3

        self._z3: Any = z3
        self._context: Any = z3.Context()
        self._path = path
        self._formulas: dict[Term, Formula] = {}
        self._choices: dict[Term, list[Choice]] = {}
        self._unknowns: dict[Monomial, Any] = {}
        self._fresh: list[Monomial] = []
        self._flags = [z3.Bool(f"invariant {i}", self._context) for i in range(invariants)]

    def proves(self, goals: Sequence[Goal], clauses: Sequence[Clause], seconds: float) -> int | None:
        """The causes of which the goals follow; None where that was not shown within so many seconds of work.

        Raises what `Normal.value` does, but never `Split`.
        """
        wrong = [formula for goal in goals for formula in self._differences(*goal)]
        if not wrong:
            return 0
        solver = self._z3.Solver(ctx=self._context)
        solver.set("rlimit", max(1, int(seconds * _STEPS_A_SECOND)))
        solver.set("timeout", max(1, int(seconds * 1000 * _BUSY)))
        solver.add(self._any(wrong))
        for choices, cause in clauses:
            solver.add(self._if_caused(cause, self._any([self._formula(term) for term in choices])))
        for row in self._path.facts.rows():
            solver.add(self._of_row(row))
        while self._fresh:
            monomial = self._fresh.pop()
            for row in self._path.facts.rows_about(monomial):
                solver.add(self._of_row(row))
            solver.add(*self._exponential_rules(monomial))
        answer = solver.check(*self._flags)
        work.count(solver.statistics().get_key_value("rlimit count") / _STEPS_A_SECOND)
        if answer != self._z3.unsat:
            return None
        core = {str(flag) for flag in solver.unsat_core()}
        return sum(1 << bit for bit, flag in enumerate(self._flags) if str(flag) in core)

    # ------------------------------------------------------------ goals

    def _differences(self, left: Term, right: Term) -> Iterator[Formula]:
        if left.sort is Sort.BOOL:
            yield self._z3.Xor(self._formula(left), self._formula(right))
            return
        for (guard, x), (other, y) in product(self._choices_of(left), self._choices_of(right)):
            unequal = self._asked(Query(self._path.inequality(x, y), NULL).negated())
            if not self._z3.is_false(unequal):
                yield self._z3.And(guard, other, unequal)

    # ------------------------------------------------------------ terms

    def _formula(self, term: Term) -> Formula:
        self._work_through(term)
        return self._formulas[term]

    def _choices_of(self, term: Term) -> list[Choice]:
        self._work_through(term)
        return self._choices[term]

    def _work_through(self, term: Term) -> None:
        for part in postorder([term]):
            if part in self._formulas or part in self._choices:
                continue
            if part.sort is Sort.BOOL:
                self._formulas[part] = self._z3.simplify(self._of_bool(part))
            else:
                self._choices[part] = self._merged(self._of_number(part))

    def _of_bool(self, term: Term) -> Formula:
        z3, args = self._z3, term.args
        match term.op:
            case Op.CONST:
                return z3.BoolVal(bool(term.value), self._context)
            case Op.NOT:
                return z3.Not(self._formulas[args[0]])
            case Op.AND:
                return z3.And(self._formulas[args[0]], self._formulas[args[1]])
            case Op.OR:
                return z3.Or(self._formulas[args[0]], self._formulas[args[1]])
            case Op.IF:
                return z3.If(*(self._formulas[argument] for argument in args))
            case Op.EQ if args[0].sort is Sort.BOOL:
                return self._formulas[args[0]] == self._formulas[args[1]]
            case _:
                return self._any(
                    [
                        z3.And(guard, self._asked(self._path.question_from(term, values)))
                        for guard, values in self._combinations(term)
                    ]
                )

    def _of_number(self, term: Term) -> Iterator[Choice]:
        z3 = self._z3
        if term.op is Op.IF:
            condition = self._formulas[term.args[0]]
            for side, branch in ((condition, term.args[1]), (z3.Not(condition), term.args[2])):
                yield from ((z3.And(side, guard), value) for guard, value in self._choices[branch])
            return
        for guard, values in self._combinations(term):
            if term.op is Op.MIN or term.op is Op.MAX:
                x, y = values[0], values[-1]
                below = self._asked(Query(self._path.difference(x, y), NEGATIVE))
                first, second = (y, x) if term.op is Op.MAX else (x, y)
                yield z3.And(guard, below), first
                yield z3.And(guard, z3.Not(below)), second
            elif term.op is Op.ABS:
                zero: Value = Ratio({}) if term.sort is Sort.REAL else constant(0)
                below = self._asked(Query(self._path.difference(values[0], zero), NEGATIVE))
                yield z3.And(guard, below), self._path.negated(values[0])
                yield z3.And(guard, z3.Not(below)), values[0]
            else:
                yield guard, self._path.made_from(term, values)

    def _combinations(self, term: Term) -> Iterator[tuple[Formula, list[Value]]]:
        """All choices of the arguments; one that stands there twice is the same both times."""
        distinct = list(dict.fromkeys(term.args))
        for chosen in product(*(self._options(argument) for argument in distinct)):
            by = dict(zip(distinct, chosen, strict=True))
            guard = self._z3.simplify(self._all([guard for guard, _ in chosen]))
            if not self._z3.is_false(guard):
                yield guard, [by[argument][1] for argument in term.args]

    def _options(self, term: Term) -> list[Choice]:
        if term.sort is not Sort.BOOL:
            return self._choices[term]
        formula = self._formulas[term]
        return [(formula, True), (self._z3.Not(formula), False)]

    def _merged(self, choices: Iterator[Choice]) -> list[Choice]:
        """With one guard for equal values, and without those that never are."""
        by_key: dict[object, tuple[list[Formula], Value]] = {}
        for guard, value in choices:
            work.count(_CHOICE)
            self._path.facts.check_time()
            simple = self._z3.simplify(guard)
            if not self._z3.is_false(simple):
                by_key.setdefault(value_key(value), ([], value))[0].append(simple)
                if len(by_key) > MAX_CHOICES:
                    raise TooLarge
        return [(self._z3.simplify(self._any(guards)), value) for guards, value in by_key.values()]

    # ------------------------------------------------------------ linear conditions

    def _asked(self, query: Query) -> Formula:
        known = self._path.facts.holds(query)
        if known is not None:
            return self._z3.BoolVal(known, self._context)
        value = self._linear(query.polynomial)
        negative, null, above = (bool(query.signs & sign) for sign in (1, 2, 4))
        if negative and above:
            return value != 0
        if null and not negative and not above:
            return value == 0
        if negative:
            return value <= 0 if null else value < 0
        return value >= 0 if null else value > 0

    def _of_row(self, row: Row) -> Formula:
        value = self._linear(row.polynomial)
        formula = value == 0 if row.equal else value < 0 if row.strict else value <= 0
        return self._if_caused(row.cause, formula)

    def _if_caused(self, cause: int, formula: Formula) -> Formula:
        flags = [flag for bit, flag in enumerate(self._flags) if cause >> bit & 1]
        return self._z3.Implies(self._all(flags), formula) if flags else formula

    def _linear(self, p: Polynomial) -> Any:
        whole = self._path.facts.atoms.whole(p)
        parts = [
            self._number(c, whole) * self._unknown(m) if m != ONE else self._number(c, whole) for m, c in p.items()
        ]
        return self._z3.Sum(*parts) if parts else self._number(0, whole)

    def _number(self, value: Number, whole: bool) -> Any:
        if whole:
            return self._z3.IntVal(int(value), self._context)
        return self._z3.RealVal(str(Fraction(value)), self._context)

    def _unknown(self, m: Monomial) -> Any:
        if m not in self._unknowns:
            make: Callable[..., Any] = self._z3.Int if self._path.facts.atoms.whole({m: 1}) else self._z3.Real
            self._unknowns[m] = make(f"m{len(self._unknowns)}", self._context)
            self._fresh.append(m)
        return self._unknowns[m]

    def _exponential_rules(self, m: Monomial) -> Iterator[Formula]:
        """What e^p * r is where p is 0, and that e^p is above 1 just where p is above 0."""
        argument: dict[Monomial, Number] = {}
        rest: Monomial = ONE
        for atom, exponent in m:
            entry = self._path.facts.atoms[atom]
            if entry.kind is not Kind.EXP:
                rest = multiply_monomials(rest, power(atom, exponent))
                continue
            assert isinstance(entry.key, tuple)
            inner, denominator = entry.key
            if denominator != ONE:
                return
            argument[inner] = argument.get(inner, 0) + exponent
        if not argument:
            return
        p, whole = self._linear(argument), self._unknown(m)
        yield self._z3.Implies(p == 0, whole == (1 if rest == ONE else self._unknown(rest)))
        if rest == ONE:
            yield (p > 0) == (whole > 1)

    def _any(self, formulas: Sequence[Formula]) -> Formula:
        return self._z3.Or(*formulas, self._z3.BoolVal(False, self._context))

    def _all(self, formulas: Sequence[Formula]) -> Formula:
        return self._z3.And(*formulas, self._z3.BoolVal(True, self._context))
