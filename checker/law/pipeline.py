"""From a reduction to its judgement, in stages: each is cheap enough to run before the next.

0. Bounds of reachable values: most steps that may have no value are seen to have one.
1. Polynomials and comparisons: what takes less time than anything else.
2. Sampling, a little: most of what breaks a law shows at once.
3. Algebra: equal normal forms, in this process and without a solver.
4. Sampling: elements that break a law, or that reach a step without a value; and such whose sums cancel.
5. Comparisons again, with what leaves are where a test of merge holds.
6. The worker, a process of its own that can be ended: invariants, linear queries, z3, bounded search.
7. Exploring: all merges of the values that a few elements lead to; and sampling once more, with longer trees too.

What is called *refuted* has been replayed on a backend; what is called *proved* holds for all reachable values.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from kcheck.checker import ir
from kcheck.checker.law import algebra, work
from kcheck.checker.law.cancelling import cancelled
from kcheck.checker.law.concrete import Unsupported
from kcheck.checker.law.evaluate import Evaluate
from kcheck.checker.law.exploring import explored
from kcheck.checker.law.problem import Invariant, Law, Problem
from kcheck.checker.law.repeating import repeated
from kcheck.checker.law.running import Runner, WrittenOut
from kcheck.checker.law.sampling import Effort, Failed, Found, candidates
from kcheck.checker.law.special import special_witness
from kcheck.checker.law.stepwise import Stepwise
from kcheck.checker.law.symbolic import Blocked, problem_of
from kcheck.checker.law.terms import Op, TooLarge, postorder
from kcheck.checker.law.verdict import PROVED, REFUTED, UNKNOWN, Judgement, LawFinding, Trial, UndefinedStep, Witness
from kcheck.checker.law.witness import undefined_of, witness_of
from kcheck.grammar.recursion import deep_recursion

if TYPE_CHECKING:
    from kcheck.checker.law.solver.messages import Message
    from kcheck.checker.law.solver.worker import Worker

MakeTrials = Callable[[Runner, set[Law], float], Iterable[tuple[Law, Trial]]]
"""Trials that seem to break a law that is wanted still, until a moment of `work`."""

Told = Callable[[LawFinding], None]
"""Told of the verdict on a law as soon as there is one."""

_ALGEBRA_SECONDS = 0.04
"""The most that the algebra may take here, in the time of `work`: z3 soon shows most of what takes it longer;"""
_FRACTIONS_SECONDS = 0.1
"""where there are quotients, roots or exponentials, of which z3 knows little;"""
_KNOWING_SECONDS = 0.25
"""and where it knows bounds for quotients and rests, which then rarely need more."""
_FRACTIONS = frozenset({Op.DIV, Op.REM, Op.UREM, Op.EXP, Op.LOG, Op.SQRT})
_TESTS_SECONDS = 0.1
"""The same for what rests on values that stand for none."""
_FIRST = Effort(least=4, most=4, seconds=0.0)
"""How long elements are tried before anything else: nine in ten of the laws that fail do so here;"""
_QUICK = Effort(least=12, most=40, seconds=0.02, seed=1)
"""then, other ones, before the worker is asked,"""
_THOROUGH = Effort(least=400, most=400, seconds=0.0, seed=2)
"""and once more where it has not decided."""
_MANY = Effort(least=8, most=8, seconds=0.0, seed=3, count=160)
"""At last trees of more elements, as a law may fail where a count has grown."""
_STEPWISE = Effort(least=6, most=60, seconds=0.3)
"""How long elements are tried where that is all that can be done."""
_LAST_SECONDS = 1.0
"""What is kept for that of the time that was given, but for very short times."""
_LEAST_SECONDS = 0.2
"""What is taken for the other tries, however short the time."""
_TRIALS_SECONDS = 0.1
"""The most work of making each other kind of trials."""
_REPEATING_SECONDS = 0.025
"""The most work of merging copies, and of trying the laws on them."""
_LARGE = 2_000
"""From so many terms on it takes longer to put a merge into itself than to try a few elements."""
_MOST_REJECTED = 8
"""After as many candidates that did not hold up, others are not likely to;"""
_MOST_FAR_REJECTED = 3
"""those of very many elements take longer."""

UNDEFINED_STEP = "undefined step"
"""The reason why there is no verdict where elements reach a step without a value."""


@dataclass(frozen=True, slots=True)
class Tools:
    """What the stages need from outside; each is called when it is first needed.

    Without a worker there is no third stage.
    """

    evaluate: Callable[[], Evaluate]
    worker: Callable[[], Worker] | None


def judge_program(program: ir.Program, tools: Tools, seconds: float, told: Told = lambda _: None) -> Judgement:
    """The judgement on a reduction, after at most so many seconds and a little."""
    with deep_recursion():  # terms are as deep as loops are long
        return _Judging(program, tools, seconds, told).judgement()


class _Judging:
    def __init__(self, program: ir.Program, tools: Tools, seconds: float, told: Told) -> None:
        self._program = program
        self._tools = tools
        self._told = told
        self._start = time.monotonic()
        self._deadline = self._start + seconds
        self._proofs: dict[Law, tuple[str, ...]] = {}
        """The laws that are proved, and what that rests on."""
        self._assuming: tuple[str, ...] = ()
        """What the proof that every step has a value rests on."""
        self._seconds: dict[Law, float] = {}
        self._witnesses: dict[Law, Witness] = {}
        self._undefined: UndefinedStep | None = None
        self._is_defined = False
        self._is_probed = False
        """Whether elements that reach a step without a value were looked for as long as a refutation waits for that."""
        self._doubt = ""
        """Why it is not known whether every step has a value."""
        self._blocked: dict[Law, str] = {}
        self._is_lasting = True
        self._rejected: Counter[Law | None] = Counter()

    def judgement(self) -> Judgement:
        try:
            problem = problem_of(self._program)
            self._decide(problem)
        except Blocked as blocked:
            self._blocked = dict.fromkeys(Law, blocked.reason)
            self._by_sampling(Stepwise(self._program, self._tools.evaluate), _STEPWISE)
            return replace(self._result(), blocked=blocked.origin)
        except TooLarge:
            self._blocked = dict.fromkeys(Law, "the merge is too large once it is merged with itself")
        return self._result()

    def _decide(self, problem: Problem) -> None:
        self._is_defined = not (problem.compute.obligations or problem.merge.obligations)
        if not self._is_defined:
            self._by_bounds(problem)
        runner = WrittenOut(problem, self._tools.evaluate)
        compared, tried = partial(self._by_comparisons, problem), partial(self._by_sampling, runner, _FIRST)
        for stage in (
            *((compared, tried) if len(problem.terms) < _LARGE else (tried, compared)),
            partial(self._by_algebra, problem),
            partial(self._by_sampling, runner, _QUICK),
            partial(self._by_trials, cancelled, runner),
            partial(self._by_elements, problem),
            partial(self._by_tests, problem),
            partial(self._by_repeating, runner),
            partial(self._by_worker, problem, runner),
            partial(self._by_trials, explored, runner),
            partial(self._by_sampling, runner, _THOROUGH),
            partial(self._by_sampling, runner, _MANY),
        ):
            stage()
            if self._is_settled:
                return
        if problem.assumes_rounds:
            self._by_sampling(Stepwise(self._program, self._tools.evaluate), _STEPWISE)

    # ------------------------------------------------------------ what is known

    @property
    def _open(self) -> set[Law]:
        return set(Law) - self._proofs.keys() - self._witnesses.keys()

    @property
    def _is_settled(self) -> bool:
        """Whether nothing is left to find out: a proof holds only if every step has a value."""
        if self._undefined is not None:
            return True
        return not self._open and (self._is_defined or (not self._proofs and self._is_probed))

    def _result(self) -> Judgement:
        laws = tuple(self._finding(law) for law in Law)
        special = None
        if self._undefined is None and not self._witnesses and not self._blocked:
            special = special_witness(self._program, self._tools.evaluate)
        return Judgement(self._program, laws, self._undefined, special, is_lasting=self._is_lasting)

    def _finding(self, law: Law) -> LawFinding:
        seconds = self._seconds.get(law, time.monotonic() - self._start)
        if self._undefined is not None:
            return LawFinding(law, UNKNOWN, reason=UNDEFINED_STEP, seconds=seconds)
        if law in self._witnesses:
            return LawFinding(law, REFUTED, witness=self._witnesses[law], seconds=seconds)
        if law in self._proofs and self._is_defined:
            assuming = tuple(dict.fromkeys((*self._proofs[law], *self._assuming)))
            return LawFinding(law, PROVED, assuming=assuming, seconds=seconds)
        return LawFinding(law, UNKNOWN, reason=self._reason(law), seconds=seconds)

    def _reason(self, law: Law) -> str:
        if law in self._proofs:
            return self._doubt or "it was not shown that every step has a value"
        return self._blocked.get(law, "no stage of the prover could decide it")

    def _tell(self, law: Law) -> None:
        """The verdict on a law is known, unless elements are found that reach a step without a value."""
        is_known = self._is_defined or (law in self._witnesses and self._is_probed)
        if law not in self._seconds and law not in self._open and is_known:
            self._seconds[law] = time.monotonic() - self._start
            self._told(self._finding(law))

    def _tell_all(self) -> None:
        for law in Law:
            self._tell(law)

    # ------------------------------------------------------------ the stages

    def _by_bounds(self, problem: Problem) -> None:
        # Here, as most merges need none of it.
        from kcheck.checker.law.solver.bounded import Bounds
        from kcheck.checker.law.solver.telling import told

        used = Bounds(problem).show_all()
        if used is not None:
            self._is_defined, self._assuming = True, told(problem, used)

    def _by_comparisons(self, problem: Problem) -> None:
        for law in Law if self._is_defined else ():  # else the algebra has more to show than the law
            if law in self._open and algebra.follows(problem, law):
                self._proofs[law] = ()
                self._tell(law)

    def _by_algebra(self, problem: Problem) -> None:
        known = _bounds(problem)
        has_fractions = any(term.op in _FRACTIONS for term in postorder(problem.merge.leaves))
        seconds = _KNOWING_SECONDS if known else _FRACTIONS_SECONDS if has_fractions else _ALGEBRA_SECONDS
        deadline = work.clock() + min(seconds, self._deadline - time.monotonic())
        for law in sorted(Law, key=lambda law: law.values):  # the shorter one first
            proof = None
            if law in self._open:
                proof = algebra.prove(problem, law, known, deadline, with_steps=not self._is_defined)
            if proof is not None:
                self._proofs[law] = _texts(problem, proof.used)
                # A law speaks of all values, so its steps are all the steps of merge.
                if not (self._is_defined or proof.open or problem.compute.obligations):
                    self._is_defined, self._assuming = True, self._proofs[law]
            self._tell_all()

    def _by_elements(self, problem: Problem) -> None:
        if Law.COMMUTATIVE in self._open and Law.ASSOCIATIVE in self._proofs:
            deadline = work.clock() + min(_ALGEBRA_SECONDS, self._deadline - time.monotonic())
            if algebra.elements_commute(problem, deadline):
                self._proofs[Law.COMMUTATIVE] = self._proofs[Law.ASSOCIATIVE]
                self._tell(Law.COMMUTATIVE)

    def _by_tests(self, problem: Problem) -> None:
        # Here, as most merges need none of it.
        from kcheck.checker.law.solver.telling import told
        from kcheck.checker.law.solver.tested import laws_by_tests

        deadline = work.clock() + min(_TESTS_SECONDS, self._deadline - time.monotonic())
        for law, used in laws_by_tests(problem, self._open, deadline).items() if self._is_defined else ():
            self._proofs[law] = told(problem, used)
            self._tell(law)

    def _by_sampling(self, runner: Runner, effort: Effort) -> None:
        wanted = self._open
        deadline = max(self._deadline, time.monotonic() + (_LAST_SECONDS if effort is _THOROUGH else _LEAST_SECONDS))
        self._rejected.clear()
        try:
            for found in candidates(runner, wanted, effort, deadline, may_fail=not self._is_defined):
                self._try_found(runner, found)
                wanted &= self._open
                if self._undefined is not None or max(self._rejected.values(), default=0) > _MOST_REJECTED:
                    break
        except Unsupported:
            return  # too large to be compiled
        self._is_probed = self._is_probed or effort is not _FIRST
        self._tell_all()

    def _by_repeating(self, runner: WrittenOut) -> None:
        wanted = self._open
        seconds = min(_REPEATING_SECONDS, self._deadline - time.monotonic())
        have_few_been_tried = False
        try:
            for found in repeated(runner, wanted, seconds, may_fail=not self._is_defined):
                if not have_few_been_tried:
                    self._by_sampling(runner, _THOROUGH)  # few elements show better what is wrong
                    self._rejected.clear()
                    have_few_been_tried = True
                if isinstance(found, Failed) or found[0] in self._open:
                    self._try_found(runner, found)
                wanted &= self._open
                if self._undefined is not None or self._rejected.total() >= _MOST_FAR_REJECTED:
                    return
        except Unsupported:
            return  # too large to be compiled

    def _by_trials(self, made: MakeTrials, runner: Runner) -> None:
        wanted = self._open
        deadline = work.clock() + min(_TRIALS_SECONDS, self._deadline - time.monotonic())
        try:
            for law, trial in made(runner, wanted, deadline):
                self._try(runner, law, trial)
                self._tell(law)
                wanted &= self._open
        except Unsupported:
            return  # too large to be compiled

    def _by_worker(self, problem: Problem, runner: Runner) -> None:
        if self._tools.worker is None:
            return
        worker = self._tools.worker()
        wanted = self._open
        deadline = max(self._deadline - _LAST_SECONDS, (time.monotonic() + self._deadline) / 2)
        for message in worker.decide(self._program, wanted, deadline):
            self._take(message, problem, runner)
            self._tell_all()
            wanted &= self._open
            if self._is_settled:
                break

    def _take(self, message: Message, problem: Problem, runner: Runner) -> None:
        # Here, so that whoever needs no solver does not wait for its modules.
        from kcheck.checker.law.candidates import failed_of, trial_of
        from kcheck.checker.law.solver.messages import Defined, GaveUp, NotShownDefined, Proved, Suspect
        from kcheck.checker.law.solver.worker import TIMED_OUT

        match message:
            case Defined():
                self._is_defined = True
                self._assuming = message.assuming
            case NotShownDefined(steps=steps):
                self._doubt = f"it was not shown that {' and that '.join(dict.fromkeys(k.value for k, _ in steps))}"
            case Proved(law=law):
                self._proofs[law] = message.assuming
                self._by_elements(problem)
            case Suspect(law=None):
                failed = failed_of(problem, message.candidate)
                if failed is not None:
                    self._try_failed(runner, failed)
            case Suspect(law=Law() as law):
                trial = trial_of(problem, law, message.candidate)
                if trial is not None:
                    self._try(runner, law, trial)
            case GaveUp(law=None):
                self._blocked = {**dict.fromkeys(Law, message.reason), **self._blocked}
                self._is_lasting = message.reason == TIMED_OUT
            case GaveUp(law=Law() as law):
                self._blocked[law] = message.reason

    # ------------------------------------------------------------ candidates

    def _try_found(self, runner: Runner, found: Found) -> None:
        if isinstance(found, Failed):
            self._try_failed(runner, found)
        else:
            self._try(runner, *found)
            self._tell(found[0])

    def _try(self, runner: Runner, law: Law, trial: Trial) -> None:
        """Take a trial as the refutation of a law, if it holds up."""
        try:
            witness = witness_of(runner, law, trial)
        except Unsupported:
            witness = None
        if witness is None:
            self._rejected[law] += 1
        else:
            self._witnesses[law] = witness

    def _try_failed(self, runner: Runner, failed: Failed) -> None:
        with suppress(Unsupported):
            self._undefined = undefined_of(runner, failed)
        if self._undefined is None:
            self._rejected[None] += 1


def _bounds(problem: Problem) -> tuple[Invariant, ...]:
    """What is known of reachable values at once, where quotients or rests may rest on it."""
    if not any(term.op in (Op.DIV, Op.REM, Op.UREM) for term in postorder(problem.merge.leaves)):
        return ()
    # Here, so that whoever needs nothing of the solver's does not wait for its modules.
    from kcheck.checker.law.solver.intervals import counted_invariants, interval_invariants

    found = (*interval_invariants(problem), *counted_invariants(problem))
    return tuple({invariant.holds: invariant for invariant in found}.values())


def _texts(problem: Problem, used: Sequence[Invariant]) -> tuple[str, ...]:
    if not used:
        return ()
    from kcheck.checker.law.solver.telling import told

    return told(problem, used)
