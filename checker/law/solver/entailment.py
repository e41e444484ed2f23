"""Whether facts imply a goal: several encodings and engines, one after the other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kcheck.checker.law import work
from kcheck.checker.law.algebra.interval import Interval
from kcheck.checker.law.solver.axioms import abstracted
from kcheck.checker.law.solver.intervals import assumed_ranges, conjuncts, met
from kcheck.checker.law.solver.session import Answer, Engine, Session
from kcheck.checker.law.solver.smtlib import Encoding, Writer
from kcheck.checker.law.terms import Op, Sort, Term, Terms, postorder, variables


@dataclass(frozen=True, slots=True)
class Script:
    """SMT-LIB commands that assert facts and, where a Bool is assumed, more.

    Assuming `kept[i]` adds optional fact i, assuming `fails[i]` adds that goal i does not hold.
    """

    lines: tuple[str, ...]
    exact: bool
    """Whether each model is one of the terms."""
    kept: tuple[str, ...] = ()
    fails: tuple[str, ...] = ()


def script(
    terms: Terms,
    facts: Sequence[Term],
    goals: Sequence[Term],
    encoding: Encoding,
    optional: Sequence[Term] = (),
    known: Mapping[Term, Interval] | None = None,
) -> Script:
    """Facts, optional facts and goals as one script; `known` bounds variables beside what the facts say of them."""
    writer, roots, axioms = _written(terms, (*facts, *optional, *goals), facts, encoding, known or {})
    lines = list(writer.lines)
    lines += [f"(assert {writer[fact]})" for fact in (*roots[: len(facts)], *axioms)]
    kept = tuple(f"kept.{i}" for i in range(len(optional)))
    fails = tuple(f"fails.{i}" for i in range(len(goals)))
    lines += [f"(declare-const {name} Bool)" for name in (*kept, *fails)]
    first_goal = len(facts) + len(optional)
    for name, fact in zip(kept, roots[len(facts) : first_goal], strict=True):
        lines.append(f"(assert (=> {name} {writer[fact]}))")
    for name, goal in zip(fails, roots[first_goal:], strict=True):
        lines.append(f"(assert (=> {name} (not {writer[goal]})))")
    return Script(tuple(lines), writer.exact and not axioms, kept, fails)


def single_script(
    terms: Terms,
    facts: Sequence[Term],
    goal: Term,
    encoding: Encoding,
    known: Mapping[Term, Interval] | None = None,
) -> Script:
    """Facts and that a goal does not hold, with no Bools of the script's own: what every engine takes."""
    writer, roots, axioms = _written(terms, (*facts, goal), facts, encoding, known or {})
    lines = [*writer.lines, *(f"(assert {writer[fact]})" for fact in (*roots[:-1], *axioms))]
    return Script((*lines, f"(assert (not {writer[roots[-1]]}))"), writer.exact and not axioms)


def _written(
    terms: Terms, roots: Sequence[Term], facts: Sequence[Term], encoding: Encoding, known: Mapping[Term, Interval]
) -> tuple[Writer, tuple[Term, ...], tuple[Term, ...]]:
    plain, axioms = abstracted(terms, roots)
    bounds = dict(assumed_ranges(facts))
    for variable, interval in known.items():
        bounds[variable] = met(interval, bounds[variable]) if variable in bounds else interval
    return Writer(encoding, (*plain, *axioms), bounds, _whole(plain[: len(facts)])), plain, axioms


def _whole(facts: Sequence[Term]) -> frozenset[Term]:
    """The variables that facts call whole."""
    found: set[Term] = set()
    for fact in conjuncts(facts):
        if fact.op is Op.EQ:
            floors = [side.args[0] for side in fact.args if side.op is Op.FLOOR]
            found.update(x for x in floors if x in fact.args and x.op is Op.VAR)
    return frozenset(found)


# ---------------------------------------------------------------- strategies


_CORE_SECONDS, _BITS_SECONDS = 0.3, 0.5
_NONLINEAR_SECONDS = 0.1
_QUICK_SECONDS = 0.03
_BIT_OPERATIONS = (
    Op.BIT_AND,
    Op.BIT_OR,
    Op.BIT_XOR,
    Op.SHL,
    Op.SHR,
    Op.USHR,
    Op.POPCOUNT,
    Op.CLZ,
    Op.CTZ,
    Op.REVERSE_BITS,
)

_COMPARING = frozenset({Op.VAR, Op.CONST, Op.IF, Op.MIN, Op.MAX})


@dataclass(frozen=True, slots=True)
class Strategy:
    encoding: Encoding
    engine: Engine
    seconds: float

    def __str__(self) -> str:
        return f"{self.encoding.value}, {self.engine.value}"


_INTS = (
    Strategy(Encoding.LINEAR, Engine.SMT, 0.15),
    Strategy(Encoding.BITS, Engine.BITS, 1.0),
    Strategy(Encoding.INTEGERS, Engine.PORTFOLIO, 1.0),
    Strategy(Encoding.BITS, Engine.BITS, 5.0),
)
_REALS = (
    Strategy(Encoding.LINEAR, Engine.SMT, 0.1),
    Strategy(Encoding.RELAXED, Engine.SMT, 0.15),
    Strategy(Encoding.RELAXED, Engine.NONLINEAR, 0.5),
    Strategy(Encoding.RELAXED, Engine.PORTFOLIO, 1.0),
    Strategy(Encoding.RELAXED, Engine.NONLINEAR, 3.0),
)
_BOTH = (
    Strategy(Encoding.LINEAR, Engine.SMT, 0.15),
    Strategy(Encoding.INTEGERS, Engine.SMT, 0.15),
    Strategy(Encoding.RELAXED, Engine.SMT, 0.3),
    Strategy(Encoding.RELAXED, Engine.NONLINEAR, 0.5),
    Strategy(Encoding.INTEGERS, Engine.PORTFOLIO, 1.0),
    Strategy(Encoding.BITS, Engine.PORTFOLIO, 1.0),
    Strategy(Encoding.RELAXED, Engine.NONLINEAR, 3.0),
)


def strategies(roots: Sequence[Term]) -> tuple[Strategy, ...]:
    """What to try for terms of these sorts, cheap before dear."""
    found = list(postorder(roots))
    sorts = {term.sort for term in found}
    if Sort.REAL not in sorts:
        return _INTS
    if Sort.INT not in sorts:
        return _REALS
    has_bits = any(term.op in _BIT_OPERATIONS for term in found)
    # Words of bits beside real numbers are slow, and add nothing where Ints are only added and compared.
    return _BOTH if has_bits else tuple(strategy for strategy in _BOTH if strategy.encoding is not Encoding.BITS)


def is_compared_only(roots: Sequence[Term]) -> bool:
    """Whether numbers are chosen and compared in them, and nothing else: of these z3 knows all in any encoding."""
    return all(term.op in _COMPARING or term.sort is Sort.BOOL for term in postorder(roots))


def exact_strategies(roots: Sequence[Term]) -> tuple[Strategy, ...]:
    """Those of them whose models may be ones of the terms."""
    has_ints = any(term.sort is Sort.INT for term in postorder(roots))
    inexact = (Encoding.LINEAR, Encoding.RELAXED) if has_ints else (Encoding.LINEAR,)
    others = tuple(strategy for strategy in strategies(roots) if strategy.encoding not in inexact)
    return (Strategy(Encoding.INTEGERS, Engine.SMT, 0.15), *others) if has_ints else others


def spoken_of(fact: Term) -> frozenset[Term]:
    """The variables of a fact but for counts, which most facts share."""
    return frozenset(v for v in variables((fact,)) if not _is_count(v))


def connected(spoken: Sequence[frozenset[Term]], goal: Term) -> list[int]:
    """The positions of facts, given by what they speak of, that share variables with the goal or with one another."""
    reached = set(spoken_of(goal))
    found: set[int] = set()
    grown = True
    while grown:
        more = [i for i, of in enumerate(spoken) if i not in found and not of.isdisjoint(reached)]
        grown = bool(more)
        found.update(more)
        reached.update(v for i in more for v in spoken[i])
    return [i for i, of in enumerate(spoken) if i in found or not of]


def _is_count(variable: Term) -> bool:
    return variable.sort is Sort.INT and str(variable.value).endswith(".n")


@dataclass(frozen=True, slots=True)
class Verdict:
    answer: Answer
    """NONE: implied.  MODEL: not implied, unless the facts contradict each other."""
    method: str = ""


def entailed(
    session: Session,
    terms: Terms,
    facts: Sequence[Term],
    goal: Term,
    deadline: float,
    *,
    quick: bool = False,
    known: Mapping[Term, Interval] | None = None,
) -> Verdict:
    """Whether the facts, and bounds that are `known`, imply the goal; `quick` tries the first strategy only."""
    if goal is terms.true:
        return Verdict(Answer.NONE, "same terms")
    near = [facts[i] for i in connected([spoken_of(fact) for fact in facts], goal)]
    for strategy in strategies((*near, goal))[: 1 if quick else None]:
        if work.clock() >= deadline or session.is_spent:
            break
        written = single_script(terms, near, goal, strategy.encoding, known)
        answer = session.load(written.lines, strategy.engine).check(deadline, strategy.seconds)
        if answer is Answer.NONE or (answer is Answer.MODEL and written.exact):
            return Verdict(answer, str(strategy))
    return Verdict(Answer.UNKNOWN)


def needed(
    session: Session,
    terms: Terms,
    facts: Sequence[Term],
    optional: Sequence[Term],
    goal: Term,
    deadline: float,
    encodings: Sequence[Encoding] = (Encoding.LINEAR,),
    share: float = 1.0,
) -> frozenset[int] | None:
    """Positions of optional facts that, with the facts, imply the goal; None where that is not seen quickly.

    z3 gets a `share` of the time that it usually gets.
    """
    if goal is terms.true:
        return frozenset()
    asked = _Asked(session, terms, facts, optional, goal, deadline)
    for encoding in () if session.is_spent else encodings:
        if encoding is Encoding.BITS:
            core = _needed_of_bits(asked, share * _BITS_SECONDS)
        else:
            core = _core(asked, share * _CORE_SECONDS, encoding)
        if core is not None:
            return core
    return None


@dataclass(frozen=True, slots=True)
class _Asked:
    """Whether facts, and optional ones, imply a goal."""

    session: Session
    terms: Terms
    facts: Sequence[Term]
    optional: Sequence[Term]
    goal: Term
    deadline: float


def _core(asked: _Asked, seconds: float, encoding: Encoding) -> frozenset[int] | None:
    """The optional facts that z3 names as those which imply the goal."""
    written = script(asked.terms, asked.facts, (asked.goal,), encoding, asked.optional)
    loaded = asked.session.load(written.lines, Engine.BITS if encoding is Encoding.BITS else Engine.SMT)
    if loaded.check(asked.deadline, seconds, (*written.kept, *written.fails)) is not Answer.NONE:
        return None
    core = loaded.core()
    return frozenset(i for i, name in enumerate(written.kept) if name in core)


def _needed_of_bits(asked: _Asked, seconds: float) -> frozenset[int] | None:
    """The same for words of bits, of which z3 shows more when it need not say why: all facts where that took long."""
    begun = work.clock()
    written = single_script(asked.terms, [*asked.facts, *asked.optional], asked.goal, Encoding.BITS)
    if asked.session.load(written.lines, Engine.BITS).check(asked.deadline, seconds) is not Answer.NONE:
        return None
    core = _core(asked, seconds, Encoding.BITS) if work.clock() - begun <= _QUICK_SECONDS else None
    return frozenset(range(len(asked.optional))) if core is None else core


def follows_of_reals(
    session: Session,
    terms: Terms,
    facts: Sequence[Term],
    goal: Term,
    deadline: float,
    known: Mapping[Term, Interval] | None = None,
) -> bool:
    """Whether the goal is seen to follow by what decides polynomials over the reals, and nothing else."""
    if goal is terms.true:
        return True
    near = [facts[i] for i in connected([spoken_of(fact) for fact in facts], goal)]
    written = single_script(terms, near, goal, Encoding.RELAXED, known)
    return session.load(written.lines, Engine.NONLINEAR).check(deadline, _NONLINEAR_SECONDS) is Answer.NONE


def needed_of_reals(
    session: Session, terms: Terms, facts: Sequence[Term], optional: Sequence[Term], goal: Term, deadline: float
) -> frozenset[int] | None:
    """The same by what decides polynomials over the reals: it names no facts, so one after the other is left out."""

    def follows(positions: Sequence[int]) -> bool:
        return follows_of_reals(session, terms, [*facts, *(optional[i] for i in positions)], goal, deadline)

    kept = list(range(len(optional)))
    if session.is_spent or not follows(kept):
        return None
    for i in reversed(range(len(optional))):
        fewer = [other for other in kept if other != i]
        if not session.is_spent and follows(fewer):
            kept = fewer
    return frozenset(kept)


def quickest(roots: Sequence[Term]) -> tuple[Encoding, ...]:
    """The encodings that answer soon, if at all."""
    found = list(postorder(roots))
    has_bits = any(term.op in _BIT_OPERATIONS for term in found)
    has_reals = any(term.sort is Sort.REAL for term in found)
    return (Encoding.LINEAR, Encoding.BITS) if has_bits and not has_reals else (Encoding.LINEAR,)


def nonlinear(roots: Sequence[Term]) -> tuple[Encoding, ...]:
    """The encodings of terms of these sorts that know products."""
    sorts = {term.sort for term in postorder(roots)}
    return (Encoding.INTEGERS,) if Sort.REAL not in sorts else (Encoding.RELAXED,)
