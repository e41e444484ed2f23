"""The border to z3: scripts in, answers out.  z3 is imported when the first session starts."""

from __future__ import annotations

import math
import re
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from enum import Enum
from fractions import Fraction
from typing import Any

from kcheck.checker.law import work
from kcheck.checker.law.terms import Sort, Value

MEMORY_MEGABYTES = 700
"""Where z3 itself gives up; the process that holds it has a harder limit."""

_LEAST_MILLISECONDS = 5
_STEPS = "rlimit count"
"""What z3 calls the steps that it has taken."""
_ENDED = "canceled"
"""Why it has no answer where a limit was reached."""
_STEPS_A_SECOND = 2_000_000
"""About how many of them it takes in a second,"""
_SLOW_STEPS, _SLOWEST_STEPS = 600_000, 50_000
"""and how many where `Engine.SMT` meets products of variables and comes to no answer, the latter where there
are bits besides."""
_ANSWERED = 4
"""How many times more it takes in a second where it does come to one."""
_PRODUCT = re.compile(r"\([*/] (?!\d|\(- \(?/? ?\d|\(/ \d)\S+ (?!\d|\(- \(?/? ?\d|\(/ \d)")
"""A product or quotient neither of whose factors is a number."""
_CHARACTER = 3e-7
"""The work of reading a character of a script."""
_BUSY = 5
"""How many times longer than on an idle machine the same steps may take."""
_DIGITS = 20
"""Of a root that is no fraction."""


class Answer(Enum):
    NONE = "unsat"
    """There is no model."""
    MODEL = "sat"
    UNKNOWN = "unknown"


class Engine(Enum):
    """Which of z3's solvers."""

    SMT = "smt"
    """Starts fastest, keeps what it has learnt between checks, and knows unsatisfiable cores."""
    PORTFOLIO = "default"
    NONLINEAR = "nlsat"
    """Polynomials over the reals, nothing else."""
    BITS = "QF_BV"


_FAST_STEPS = dict.fromkeys((Engine.SMT, Engine.BITS, Engine.NONLINEAR), 5_000_000)
"""How many steps these take in a second, which are shorter."""


class Interrupted(Exception):
    """An interrupt that was meant for a check came to something else; the session is of no more use."""


class Session:
    """One z3 context.  Raises `ImportError` where z3 is not there."""

    def __init__(self) -> None:
        import z3

        z3.set_param("memory_max_size", MEMORY_MEGABYTES)
        self._z3: Any = z3
        self._context: Any = z3.Context()
        self._lock = threading.Lock()
        self._is_checking = False
        self._allowed = math.inf
        self._taken = 0.0
        """The work that z3 may do in all, and what it has done, in seconds."""
        self._steps = 0
        """How many it has taken."""

    def allow(self, seconds: float) -> None:
        """Let all checks together take so many seconds of an idle machine; later ones are not made."""
        self._allowed = seconds

    @property
    def seconds_left(self) -> float:
        return self._allowed - self._taken

    @property
    def is_spent(self) -> bool:
        """Whether no more checks are made, so that there is no use in writing scripts."""
        return self.seconds_left <= 0

    def interrupt(self) -> None:
        """End the check that runs now, if there is one; to be called from another thread."""
        with self._lock:
            if self._is_checking:
                self._context.interrupt()

    @contextmanager
    def checking(self) -> Iterator[None]:
        """Where an interrupt may come: reading a script would end with an error."""
        with self._lock:
            self._is_checking = True
        try:
            yield
        finally:
            with self._lock:
                self._is_checking = False

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Where z3 does anything but check; raises `Interrupted`."""
        try:
            yield
        except self._z3.Z3Exception as error:
            if "cancel" in str(error):
                raise Interrupted from error
            raise

    def steps_taken(self, solver: Any) -> int:
        """How many steps were taken since this was asked before."""
        statistics, before = solver.statistics(), self._steps
        known = statistics.keys()
        if _STEPS in known:
            self._steps = statistics.get_key_value(_STEPS)
        return self._steps - before

    def charge(self, seconds: float) -> None:
        work.count(seconds)
        self._taken += seconds

    def load(self, lines: Iterable[str], engine: Engine) -> Loaded:
        """A solver that holds the assertions of a script."""
        z3, context = self._z3, self._context
        match engine:
            case Engine.SMT:
                solver = z3.SimpleSolver(ctx=context)
            case Engine.PORTFOLIO:
                solver = z3.Solver(ctx=context)
            case Engine.NONLINEAR:
                solver = z3.Tactic("qfnra-nlsat", ctx=context).solver()
            case Engine.BITS:
                solver = z3.SolverFor("QF_BV", ctx=context)
        loaded = Loaded(self, z3, context, solver, engine)
        loaded.extend(lines)
        return loaded


class Loaded:
    """A solver with a script."""

    def __init__(self, session: Session, z3: Any, context: Any, solver: Any, engine: Engine) -> None:
        self._session = session
        self._z3 = z3
        self._context = context
        self._solver = solver
        self._engine = engine
        self._steps_a_second = self._most_steps = _FAST_STEPS.get(engine, _STEPS_A_SECOND)

    def extend(self, lines: Iterable[str]) -> None:
        """Assert more, of what was declared before and of what is declared here."""
        text = "\n".join(lines)
        work.count(len(text) * _CHARACTER)
        if self._engine is Engine.SMT and _PRODUCT.search(text):
            self._steps_a_second = min(self._steps_a_second, _slow_steps(text))
            self._most_steps = _STEPS_A_SECOND
        with self._session.reading():
            self._solver.from_string(text)

    def check(self, deadline: float, seconds: float, assumed: Sequence[str] = ()) -> Answer:
        """Whether there is a model in which these Bools of the script are true; unknown at the deadline.

        All limits are in the time of `work`: z3 counts its steps, so that a busy machine gets the same answers.  It may
        overrun all limits: who needs a promise runs it in a process that can be ended.
        """
        seconds = min(seconds, deadline - work.clock())
        left = min(seconds * _BUSY, work.really_left())
        if min(seconds, left) * 1000 < _LEAST_MILLISECONDS:
            return Answer.UNKNOWN
        steps = int(min(seconds, self._session.seconds_left) * self._steps_answered)
        if steps <= 0:  # 0 would be no limit
            return Answer.UNKNOWN
        z3 = self._z3
        self._solver.set("timeout", int(left * 1000))
        self._solver.set("rlimit", steps)
        literals = [z3.Bool(name, self._context) for name in assumed]
        try:
            with self._session.checking():
                found = self._solver.check(*literals)
        except z3.Z3Exception:  # out of memory, or beyond what this engine knows
            return Answer.UNKNOWN
        answer, taken = Answer(str(found)), self._session.steps_taken(self._solver)
        if answer is not Answer.UNKNOWN:
            self._session.charge(taken / self._steps_answered)
        elif taken < steps and self._solver.reason_unknown() == _ENDED:
            self._session.charge(left)  # it was stuck in one step
        else:
            self._session.charge(taken / self._steps_a_second)
        return answer

    @property
    def _steps_answered(self) -> int:
        return min(self._most_steps, _ANSWERED * self._steps_a_second)

    def core(self) -> frozenset[str]:
        """After NONE: assumed Bools that have no model together."""
        with self._session.reading():
            return frozenset(str(literal) for literal in self._solver.unsat_core())

    def truths(self, names: Iterable[str]) -> frozenset[str]:
        """After MODEL: which of these Bools the model makes true."""
        return frozenset(name for name, value in self.values(dict.fromkeys(names, Sort.BOOL)).items() if value)

    def values(self, names: Mapping[str, Sort], *, bits: bool = False) -> dict[str, Value]:
        """After MODEL: the values of these constants; with `bits`, Ints are bit-vectors."""
        with self._session.reading():
            return self._values(names, bits)

    def _values(self, names: Mapping[str, Sort], bits: bool) -> dict[str, Value]:
        z3, model = self._z3, self._solver.model()
        found: dict[str, Value] = {}
        for name, sort in names.items():
            if sort is Sort.BOOL:
                constant = z3.Bool(name, self._context)
            elif sort is Sort.REAL:
                constant = z3.Real(name, self._context)
            else:
                constant = z3.BitVec(name, 32, self._context) if bits else z3.Int(name, self._context)
            found[name] = self._value(model.eval(constant, model_completion=True), sort)
        return found

    def _value(self, value: Any, sort: Sort) -> Value:
        z3 = self._z3
        if sort is Sort.BOOL:
            return bool(z3.is_true(value))
        if sort is Sort.INT:
            return int(value.as_signed_long() if z3.is_bv_value(value) else value.as_long())
        if z3.is_algebraic_value(value):
            value = value.approx(_DIGITS)
        return Fraction(value.as_fraction())


def _slow_steps(text: str) -> int:
    return _SLOWEST_STEPS if "Real" in text and "BitVec" in text else _SLOW_STEPS
