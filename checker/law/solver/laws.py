"""A law as facts and goals, and its proof."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from kcheck.checker.law import algebra, work
from kcheck.checker.law.algebra import comparisons
from kcheck.checker.law.algebra.comparisons import Search
from kcheck.checker.law.algebra.proof import Proof
from kcheck.checker.law.problem import MAX_LEAVES, Invariant, Law, Obligation, Problem, ghost_count
from kcheck.checker.law.solver import few, rows
from kcheck.checker.law.solver.anf import leaves_by_forms
from kcheck.checker.law.solver.bitwise import holds_bit_by_bit
from kcheck.checker.law.solver.distinct import Distinct
from kcheck.checker.law.solver.entailment import (
    connected,
    entailed,
    is_compared_only,
    needed,
    nonlinear,
    quickest,
    single_script,
    spoken_of,
)
from kcheck.checker.law.solver.finite import Table
from kcheck.checker.law.solver.intervals import conjuncts, is_bound
from kcheck.checker.law.solver.linear import MOST_TERMS, factors, linear_variables, terms_of_factors
from kcheck.checker.law.solver.rotations import are_equal, turns
from kcheck.checker.law.solver.session import Answer, Engine, Session
from kcheck.checker.law.solver.smtlib import Encoding
from kcheck.checker.law.solver.thresholds import above, is_order_only
from kcheck.checker.law.terms import Op, Sort, Term, postorder, variables

_PATHS = 20_000
"""How many outcomes of comparisons are gone through for leaves that turn on the same ones."""
_FIRST_SHARE, _COMPARED_SHARE = 0.2, 2.5
"""How much of the usual time z3 gets at first, and where nothing but comparisons is in the goal, as no other way shows
more of these."""
_MOST_AT_FIRST = 1_000
"""Larger goals are not written out for a first short try."""
_STATED_SECONDS = 0.4
"""The most that z3 gets for a goal with all facts stated plainly, before other ways are tried."""


def prove(
    problem: Problem,
    law: Law,
    invariants: Sequence[Invariant],
    deadline: float,
    session: Session | None = None,
) -> Proof | None:
    """Shows the law for every reachable value for which all steps of merge have a value; None: not decided.

    Raises `ImportError` where z3 is not there.
    """
    session = session or Session()
    open_law = OpenLaw(problem, law)
    open_law.learn(invariants)
    open_law.by_solver(session, deadline)
    open_law.by_all_of_solver(session, deadline)
    return open_law.proof


@dataclass(frozen=True, slots=True)
class _Told:
    """What an invariant, or that a leaf is distinct, says of the states of a law."""

    invariant: Invariant
    fact: Term
    variables: frozenset[Term]


class OpenLaw:
    """A law that is proved leaf by leaf, in several ways one after the other; `learn` what may help first."""

    def __init__(self, problem: Problem, law: Law) -> None:
        self.law = law
        self._problem = problem
        self._states = names(law)
        self._facts = [*problem.assumptions, *definedness_facts(problem, law), *count_facts(problem, self._states)]
        terms = problem.terms
        self._sides = problem.goals(law)
        self._open = {i: terms.eq(a, b) for i, (a, b) in self._sides.items()}
        self._rational = {leaf for leaf, goal in self._open.items() if _is_rational(goal)}
        """What normal forms are more likely to show than a solver."""
        self._told: list[_Told] = []
        self._in_vain: dict[int, list[_Told]] = {}
        self._without_form: dict[int, list[_Told]] = {}
        self._gone_through: dict[int, list[_Told]] = {}
        self._without_case: dict[int, list[_Told]] = {}
        self._without_products: dict[int, list[_Told]] = {}
        self._without_rows: dict[tuple[Term, ...], list[_Told]] = {}
        """What was known when a leaf was last tried in vain by the solver's quickest way, by algebra, by going through
        the outcomes of comparisons, case by case, by what the solver knows of products, and by all values."""
        self._used: dict[str, Invariant] = {}
        self._methods: dict[str, None] = {}

    @property
    def proof(self) -> Proof | None:
        """The proof, when all leaves are proved."""
        if self._open:
            return None
        return Proof(tuple(self._used.values()), "; ".join(self._methods) or "same terms")

    @property
    def open_leaves(self) -> tuple[int, ...]:
        return tuple(self._open)

    def learn(self, invariants: Sequence[Invariant], distinct: Sequence[Distinct] = ()) -> None:
        """Use these invariants of every reachable value, and that these leaves differ between values."""
        problem, terms = self._problem, self._problem.terms
        told = [(i, terms.all(reachable_facts(problem, self._states, [i]))) for i in invariants]
        told += [(Invariant(d.text, terms.true), terms.all(d.of(problem, self._states))) for d in distinct]
        self._told = [_Told(i, fact, spoken_of(fact)) for i, fact in told]

    def by_table(self, table: Table) -> None:
        """Try all values, where there are few."""
        if table.holds(self.law):
            self._close_all(f"there are only {len(table.rows)} values", "all values")

    def by_bits(self) -> None:
        """Try all values of one bit, where merge mixes no two bits."""
        count = holds_bit_by_bit(self._problem, self.law)
        if count is not None:
            self._close_all(f"a bit of all leaves has only {count} values", "all bits")

    def by_forms_of_bits(self) -> None:
        """Try the algebraic normal form of each bit, where merge is one of bits."""
        for leaf in leaves_by_forms(self._problem, self.law, tuple(self._open)):
            self._close(leaf, (), "normal forms of bits")

    def by_turns(self) -> None:
        """Compare leaves as exclusive ors of turned words."""
        for leaf, (left, right) in self._sides.items():
            if leaf in self._open and turns(left) and are_equal(left, right):
                self._close(leaf, (), "turned words")

    def by_thresholds(self, session: Session, deadline: float) -> None:
        """Try the 0-1 principle on leaves that are minima and maxima."""
        terms = self._problem.terms
        for leaf, goal in list(self._open.items()):
            told = self._told_of(goal)
            if is_order_only(goal) and told != self._in_vain.get(leaf):
                (plain, *optional), facts = above(terms, (goal, *(t.fact for t in told)))
                core = needed(session, terms, facts, optional, plain, deadline)
                if core is not None:
                    self._close(leaf, [told[i].invariant for i in sorted(core)], "thresholds")

    def by_solver(self, session: Session, deadline: float, *, first: bool = False) -> None:
        """Try the quickest way, which also tells which invariants it needs; not what algebra has yet to try.

        The `first` time z3 gets little: what needs more than bounds is not to be looked for in vain.
        """
        terms = self._problem.terms
        for leaf, goal in list(self._open.items()):
            told = self._told_of(goal)
            if told == self._in_vain.get(leaf) or (leaf in self._rational and told != self._without_form.get(leaf)):
                continue
            if first and sum(1 for _ in postorder((goal,))) > _MOST_AT_FIRST:
                continue
            optional = [t.fact for t in told]
            share = _FIRST_SHARE if first else _COMPARED_SHARE if is_compared_only((goal,)) else 1.0
            core = needed(session, terms, self._facts, optional, goal, deadline, quickest((goal,)), share)
            if core is None:
                core = self._needed_within_bounds(session, told, goal, deadline, share)
            if core is None:
                self._in_vain[leaf] = told
            else:
                self._close(leaf, [told[i].invariant for i in sorted(core)], "z3")

    def _needed_within_bounds(
        self, session: Session, told: Sequence[_Told], goal: Term, deadline: float, share: float
    ) -> frozenset[int] | None:
        """The positions of what was told that implies the goal, all bounds among them.

        Ints that are stated to be small do not wrap, which is easier than that they do not where a bound is assumed.
        """
        terms, all_told = self._problem.terms, [t.fact for t in told]
        bounds = [i for i, fact in enumerate(all_told) if all(map(is_bound, conjuncts((fact,))))]
        if not bounds or is_compared_only((goal,)) or all(v.sort is Sort.REAL for v in spoken_of(goal)):
            return None
        stated = single_script(terms, [*self._facts, *all_told], goal, Encoding.LINEAR)
        if session.load(stated.lines, Engine.SMT).check(deadline, share * _STATED_SECONDS) is not Answer.NONE:
            return None
        others = [i for i in range(len(told)) if i not in bounds]
        facts = [*self._facts, *(all_told[i] for i in bounds)]
        core = needed(session, terms, facts, [all_told[i] for i in others], goal, deadline) if others else frozenset()
        return frozenset(range(len(told)) if core is None else (*bounds, *(others[i] for i in core)))

    def by_products(self, session: Session, deadline: float) -> None:
        """Try what the solver knows of products, until that is in vain, unless it was so with the same knowledge."""
        for leaf, goal in list(self._open.items()):
            told = self._told_of(goal)
            if told == self._without_products.get(leaf):
                return
            optional = [t.fact for t in told]
            encodings = nonlinear((goal, *optional))
            core = needed(session, self._problem.terms, self._facts, optional, goal, deadline, encodings)
            if core is None:
                self._without_products[leaf] = told
                return
            self._close(leaf, [told[i].invariant for i in sorted(core)], "z3")

    def by_all_of_solver(self, session: Session, deadline: float) -> None:
        """Try all that the solver knows, with all facts stated plainly; stops at the first leaf that it leaves open."""
        self.by_products(session, deadline)
        while self._open:
            leaf, goal = next(iter(self._open.items()))
            told = self._told_of(goal)
            facts = [*self._facts, *(t.fact for t in told)]
            verdict = entailed(session, self._problem.terms, facts, goal, deadline)
            if verdict.answer is not Answer.NONE:
                return
            self._close(leaf, [t.invariant for t in told], f"z3 ({verdict.method})")
            self.by_products(session, deadline)

    def by_comparisons(self, deadline: float) -> None:
        """Go through the outcomes of comparisons, unless that was in vain with the same knowledge and had the time."""
        known = {leaf: self._told_of(goal) for leaf, goal in self._open.items()}
        tried = [
            leaf
            for leaf, told in known.items()
            if told != self._gone_through.get(leaf) and comparisons.compares(self._sides[leaf])
        ]
        for group in comparisons.groups([self._sides[leaf] for leaf in tried]):
            leaves = [tried[position] for position in group]
            told = list(dict.fromkeys(t for leaf in leaves for t in known[leaf]))
            facts = [*(t.fact for t in told), *self._problem.assumptions]
            search = Search(facts, _PATHS, deadline)
            proved = search.proved([self._sides[leaf] for leaf in leaves])
            used = [told[i].invariant for i in sorted(search.used) if i < len(told)]
            for position, leaf in enumerate(leaves):
                if position in proved:
                    self._close(leaf, used, "comparisons")
                elif not search.is_cut_short:
                    self._gone_through[leaf] = known[leaf]

    def by_cases(self, deadline: float) -> None:
        """Go through the values of numbers that have few, unless that was in vain with the same knowledge."""
        for leaf, goal in list(self._open.items()):
            told = self._told_of(goal)
            if told == self._without_case.get(leaf):
                continue
            facts = [*(t.fact for t in told), *self._problem.assumptions]
            used = few.shown(self._problem.terms, self._sides[leaf], facts, deadline)
            if used is None:
                self._without_case[leaf] = told
            else:
                self._close(leaf, [told[i].invariant for i in sorted(used) if i < len(told)], "all cases")

    def by_rows(self) -> None:
        """Try all values of numbers that have few, without those in which a leaf is linear."""
        alike: dict[tuple[Term, ...], list[int]] = {}
        linear = {leaf: linear_variables(self._sides[leaf]) for leaf in self._open}
        for leaf, sides in self._sides.items():
            if leaf in self._open:
                others = tuple(v for v in variables(sides) if v not in linear[leaf])
                alike.setdefault(others, []).append(leaf)
        for others, leaves in alike.items():
            told = list(dict.fromkeys(t for leaf in leaves for t in self._told_of(self._open[leaf])))
            facts = [*(t.fact for t in told), *self._problem.assumptions]
            if told != self._without_rows.get(others) and rows.are_few(others, facts):
                self._without_rows[others] = told
                self._by_rows_of(leaves, linear, told, facts)

    def _by_rows_of(
        self, leaves: Sequence[int], linear: Mapping[int, Sequence[Term]], told: Sequence[_Told], facts: Sequence[Term]
    ) -> None:
        terms = self._problem.terms
        sizes = accumulate(terms_of_factors(self._sides[leaf], linear[leaf]) for leaf in leaves)
        if any(size > MOST_TERMS for size in sizes):  # seen soon, as large ones are walked through for it
            return
        goals = [(leaf, goal) for leaf in leaves for goal in factors(terms, self._sides[leaf], linear[leaf])]
        try:
            held, used = rows.shown([goal for _, goal in goals], facts)
        except rows.Unsupported:
            return
        failing = {leaf for i, (leaf, _) in enumerate(goals) if i not in held}
        for leaf in (leaf for leaf in leaves if leaf not in failing):
            self._close(leaf, [told[i].invariant for i in sorted(used) if i < len(told)], "all values")

    def by_algebra(self, deadline: float, *, likely: bool = False) -> None:
        """Try normal forms, unless they have failed with the same knowledge and had the time; the `likely` only."""
        self._by_forms(self._is_likely if likely else lambda leaf, told: True, deadline)

    def by_algebra_of_quotients(self, deadline: float) -> None:
        """The same for leaves with divisors of which bounds are known."""
        self._by_forms(lambda leaf, told: leaf in self._rational and bool(told), deadline)

    def _by_forms(self, is_tried: Callable[[int, Sequence[_Told]], bool], deadline: float) -> None:
        tried = list(self._open.items())
        for i, (leaf, goal) in enumerate(tried):
            told = self._told_of(goal)
            if told == self._without_form.get(leaf) or work.clock() >= deadline:
                continue
            if is_order_only(goal) or not is_tried(leaf, told):
                continue
            invariants = [t.invariant for t in told if not t.invariant.holds.is_const]
            share = work.clock() + (deadline - work.clock()) / (len(tried) - i)
            used = algebra.prove_leaf(self._problem, self.law, leaf, invariants, deadline, sparing=share)
            if used is not None:
                self._close(leaf, used, "normal forms")
            elif work.clock() < deadline:
                self._without_form[leaf] = told

    def _is_likely(self, leaf: int, told: Sequence[_Told]) -> bool:
        """Whether normal forms probably show it: with bounds what has divisors, and anything with an equation."""
        return any(leaf in self._rational or _is_equation(t.invariant.holds) for t in told)

    def by_guards(self, deadline: float) -> None:
        """Try normal forms under guards, with z3 for the cases."""
        for leaf, goal in list(self._open.items()):
            invariants = [t.invariant for t in self._told_of(goal) if not t.invariant.holds.is_const]
            used = algebra.prove_leaf(self._problem, self.law, leaf, invariants, deadline, linear=True)
            if used is not None:
                self._close(leaf, used, "guarded normal forms")

    def _told_of(self, goal: Term) -> list[_Told]:
        """What has to do with the goal."""
        return [self._told[i] for i in connected([told.variables for told in self._told], goal)]

    def _close_all(self, text: str, method: str) -> None:
        for leaf in list(self._open):
            self._close(leaf, [Invariant(text, self._problem.terms.true)], method)

    def _close(self, leaf: int, used: Sequence[Invariant], method: str) -> None:
        del self._open[leaf]
        self._used.update((invariant.text, invariant) for invariant in used)
        self._methods[method] = None


def _is_equation(holds: Term) -> bool:
    """Whether it is an equation of leaves, not one with the number of elements."""
    return holds.op is Op.EQ and spoken_of(holds).issuperset(variables((holds,)))


def _is_rational(goal: Term) -> bool:
    """Whether there are quotients of Reals in it, exponentials, or rests of products."""
    for term in postorder((goal,)):
        if term.op is Op.EXP or (term.op is Op.DIV and term.sort is Sort.REAL and not term.args[1].is_const):
            return True
        if term.op in (Op.REM, Op.UREM) and term.sort is Sort.INT:
            products = (t for t in postorder(term.args[:1]) if t.op is Op.MUL)
            if any(not any(arg.is_const for arg in product.args) for product in products):
                return True
    return False


def names(law: Law) -> tuple[str, ...]:
    """The states that the law speaks of."""
    return ("a", "b") if law is Law.COMMUTATIVE else ("a", "b", "c")


def reachable_facts(problem: Problem, states: Sequence[str], invariants: Sequence[Invariant]) -> list[Term]:
    """What the invariants say of these states, each merged from elements of its own."""
    found = [
        invariant.of(problem, problem.state(name), ghost_count(problem, name))
        for name in states
        for invariant in invariants
    ]
    counted = any(term.op is Op.VAR and str(term.value).endswith(".n") for term in postorder(found))
    return [*found, *count_facts(problem, states)] if counted else found


def count_facts(problem: Problem, states: Sequence[str]) -> list[Term]:
    """Each state is merged from one element or more, and all together from no more than a field holds."""
    terms = problem.terms
    one, most = terms.integer(1), terms.integer(MAX_LEAVES)
    counts = [ghost_count(problem, name) for name in states]
    facts = [terms.le(one, count) for count in counts]
    total = counts[0]
    for count in counts[1:]:
        facts.append(terms.le(total, terms.sub(most, count)))
        total = terms.add(total, count)
    return facts


def definedness_facts(problem: Problem, law: Law) -> list[Term]:
    """That the steps of all merges of both sides have a value."""
    a, b, c = problem.state("a"), problem.state("b"), problem.state("c")
    if law is Law.COMMUTATIVE:
        merges = [(a, b), (b, a)]
    else:
        merges = [(a, b), (problem.merged(a, b), c), (b, c), (a, problem.merged(b, c))]
    return [holds(problem, o) for x, y in merges for o in problem.merge_obligations(x, y)]


def holds(problem: Problem, obligation: Obligation) -> Term:
    """Where the step is reached its condition holds."""
    return problem.terms.or_(problem.terms.not_(obligation.guard), obligation.condition)


def smt(problem: Problem, law: Law, invariants: Sequence[Invariant] = ()) -> str:
    """The law as an SMT-LIB script, for other solvers and for people: `unsat` says that it holds."""
    terms = problem.terms
    left, right = problem.plain_sides(law)
    goal = terms.all(terms.eq(a, b) for a, b in zip(left, right, strict=True))
    facts = [
        *problem.assumptions,
        *definedness_facts(problem, law),
        *reachable_facts(problem, names(law), invariants),
    ]
    has_real = any(term.sort is Sort.REAL for term in postorder((*facts, goal)))
    encoding = Encoding.INTEGERS if has_real else Encoding.BITS
    written = single_script(terms, facts, goal, encoding)
    comment = [
        f"; {problem.program.name}: is the merge {law.value}?",
        f"; Ints are {encoding.value}, Floats real numbers.  `unsat` says that the law holds.",
        *(f"; {name}.{i} is {name}.{leaf}" for name in names(law) for i, leaf in enumerate(problem.names) if leaf),
        *(f"; assuming {invariant.text}" for invariant in invariants),
    ]
    if any("@" in line for line in written.lines):
        comment.append("; `exp@7` and its kind are results of functions: all that is known of them is asserted.")
    return "\n".join([*comment, "(set-logic ALL)", *written.lines, "(check-sat)", ""])
