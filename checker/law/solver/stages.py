"""What the solver's process does with a reduction, in the order of what it costs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from kcheck.checker import ir
from kcheck.checker.law.problem import Invariant, Law, Problem, Undefined
from kcheck.checker.law.solver.definedness import defined
from kcheck.checker.law.solver.distinct import distinct_leaves
from kcheck.checker.law.solver.element_values import element_values
from kcheck.checker.law.solver.equations import without_roots
from kcheck.checker.law.solver.finite import Table, table_of
from kcheck.checker.law.solver.flags import with_words
from kcheck.checker.law.solver.houdini import infer_in_steps
from kcheck.checker.law.solver.keyed import keyed
from kcheck.checker.law.solver.laws import OpenLaw
from kcheck.checker.law.solver.messages import Defined, GaveUp, Message, NotShownDefined, Proved, Suspect
from kcheck.checker.law.solver.ranked import ranked
from kcheck.checker.law.solver.session import Session
from kcheck.checker.law.solver.telling import told
from kcheck.checker.law.solver.units import with_units
from kcheck.checker.law.solver.unrolling import search, search_undefined
from kcheck.checker.law.solver.wording import leaf_text
from kcheck.checker.law.symbolic import problem_of
from kcheck.checker.law.terms import Op
from kcheck.checker.law.work import clock

_DEFINED_SHARE = 0.3
"""Of the time that is left."""
_FEW_SECONDS = 0.05
_SHORT_SECONDS = 0.1
_LIKELY_SECONDS = 0.25
_ALGEBRA_SECONDS = 0.2
_GUARDS_SECONDS = 0.1
_LONGER_SECONDS = 0.8
_SEARCH_SECONDS = 0.3
_SOLVER_SECONDS = 1.2
"""For all that z3 does, of an idle machine, where the time that was given is what is usually given;"""
_LAST_SECONDS = 0.8
"""and for the last stages."""
_USUAL_SECONDS = 9.0
_OTHERS_SECONDS = 2.0
_FEW_VALUES = 64
_TABLE_WORK = 800_000
"""Tables of no more values and work are made before anything else is tried."""
_MOST_TOLD = 6
"""How many invariants a reason names."""


@dataclass(frozen=True, slots=True)
class Work:
    """What all stages share; `invariants` are those found so far, `table` holds all values where they are few."""

    problem: Problem
    invariants: tuple[Invariant, ...]
    table: Table | None
    session: Session


def settle(
    program: ir.Program, wanted: Sequence[Law], deadline: float, session: Session, skipped: Callable[[Law | None], bool]
) -> Iterator[Message]:
    """Proofs and suspects for the laws that are wanted and not skipped, as they are found."""
    patience = max(1, int((deadline - clock()) / _USUAL_SECONDS))
    session.allow(_SOLVER_SECONDS * patience)
    problem = problem_of(program)
    distinct = distinct_leaves(problem, session, deadline)
    open_ = [OpenLaw(problem, law) for law in sorted(wanted, key=lambda law: law.values)]  # the shorter one first
    work = Work(problem, (), None, session)

    def passed(stages: Sequence[Stage]) -> Iterator[Message]:
        for stage in stages:
            for law in list(open_):
                if skipped(None) or clock() >= deadline:
                    return
                for message in () if skipped(law.law) else stage(work, law, deadline):
                    yield message
                    if skipped(law.law):
                        break
                if law.proof is not None:
                    yield Proved(law.law, law.proof.method, told(work.problem, law.proof.used))
                if law.proof is not None or skipped(law.law):
                    open_.remove(law)

    is_defined = False
    for step, invariants in enumerate(infer_in_steps(problem, deadline, session)):
        work = replace(work, invariants=invariants)
        for law in open_:
            law.learn(invariants, distinct)
        if not is_defined:
            steps = defined(problem, invariants, deadline, session, quick=True)
            is_defined = not steps.open
            if is_defined:
                yield Defined(told(problem, steps.used))
        if step == 0:
            for stage in (_by_ranks, _by_keys, _by_units, _by_flags, _by_equations):
                for law, proof in stage(work, tuple(open_), deadline):
                    yield proof
                    open_.remove(law)
            work = replace(work, table=table_of(problem, _FEW_VALUES, _TABLE_WORK) if open_ else None)
            yield from passed((_by_table, _by_bits, *_FIRST, _by_algebra_of_quotients))
            work = replace(work, table=table_of(problem) if open_ else None)
            yield from passed((_by_table,))
            elements = element_values(problem, session, deadline) if open_ else None
            work = replace(work, table=table_of(problem, elements=elements) if elements is not None else None)
            yield from passed((_by_table,))
        elif step == 1:
            yield from passed(_SHORT)
        else:
            # Where steps may have no value, z3 is needed more for invariants that show that they have one.
            by_products = _BY_PRODUCTS if step == 2 and is_defined else ()
            yield from passed((*_QUICK, *by_products, _by_algebra, _by_guards))
        if is_defined and not open_:
            return
    yield from passed((_searched, _by_comparisons, _by_algebra_longer))
    # From here on z3 may not come back before it is ended.
    if not is_defined:
        yield from _definedness(work, _share(deadline, _DEFINED_SHARE))
    # What has not been decided by now rarely is: a little more is tried, and more only where much time was given.
    deadline = _soon(deadline, _LAST_SECONDS * patience)
    yield from passed((_thoroughly, _searched_on))
    for law in open_:
        yield GaveUp(law.law, _tried(work, law))


def _share(deadline: float, share: float) -> float:
    now = clock()
    return now + (deadline - now) * share


def _soon(deadline: float, seconds: float) -> float:
    return min(deadline, clock() + seconds)


def _definedness(work: Work, deadline: float) -> Iterator[Message]:
    found = defined(work.problem, work.invariants, deadline, work.session)
    if not found.open:
        yield Defined(told(work.problem, found.used))
        return
    wanted = [o for o in found.open if o.kind is not Undefined.ROUNDS]
    for candidate in search_undefined(work.problem, wanted, deadline, work.session) if wanted else ():
        yield Suspect(None, candidate)
    yield NotShownDefined(tuple((o.kind, o.origin) for o in found.open))


def _by_ranks(work: Work, laws: Sequence[OpenLaw], deadline: float) -> Iterator[tuple[OpenLaw, Proved]]:
    """The laws that hold of the ranks of leaves that are compared one after the other."""
    ranks = ranked(work.problem) if laws else None
    if ranks is not None:
        yield from _by_others(work, ranks.problem, laws, "ranks", ranks.in_words, deadline)


def _by_keys(work: Work, laws: Sequence[OpenLaw], deadline: float) -> Iterator[tuple[OpenLaw, Proved]]:
    """The laws that hold of the keys of leaves that are compared by them."""
    keys = keyed(work.problem) if laws else None
    if keys is not None:
        yield from _by_others(work, keys, laws, "keys", str, deadline)


def _by_units(work: Work, laws: Sequence[OpenLaw], deadline: float) -> Iterator[tuple[OpenLaw, Proved]]:
    """The laws that hold of leaves counted in their units."""
    counted = with_units(work.problem) if laws else None
    if counted is not None:
        yield from _by_others(work, counted, laws, "units", str, deadline)


def _by_flags(work: Work, laws: Sequence[OpenLaw], deadline: float) -> Iterator[tuple[OpenLaw, Proved]]:
    """The laws that hold of words in place of Bools that tell whether a bit of them is set."""
    del deadline
    problem = with_words(work.problem) if laws else None
    if problem is None:
        return
    for law in laws:
        of_words = OpenLaw(problem, law.law)
        of_words.by_bits()
        of_words.by_forms_of_bits()
        if of_words.proof is not None:
            yield law, Proved(law.law, f"words: {of_words.proof.method}", told(problem, of_words.proof.used))


def _by_others(
    work: Work,
    problem: Problem,
    laws: Sequence[OpenLaw],
    name: str,
    in_words: Callable[[str], str],
    deadline: float,
) -> Iterator[tuple[OpenLaw, Proved]]:
    """The laws that hold of a problem that has other leaves, which are only compared."""
    until = _soon(deadline, _OTHERS_SECONDS)
    left = {law: OpenLaw(problem, law.law) for law in laws}
    for invariants in infer_in_steps(problem, until, work.session):
        for law, of_others in list(left.items()):
            of_others.learn(invariants)
            of_others.by_thresholds(work.session, until)
            of_others.by_comparisons(_soon(until, _FEW_SECONDS))
            of_others.by_solver(work.session, until)
            of_others.by_algebra(_soon(until, _SHORT_SECONDS))
            proof = of_others.proof
            if proof is not None:
                del left[law]
                assuming = tuple(map(in_words, told(problem, proof.used)))
                yield law, Proved(law.law, f"{name}: {proof.method}", assuming)
        if not left:
            return


def _by_equations(work: Work, laws: Sequence[OpenLaw], deadline: float) -> Iterator[tuple[OpenLaw, Proved]]:
    """The laws of merges that make unit what is unit anyway."""
    known = [i for i in work.invariants if i.holds.op is Op.EQ]
    problem = without_roots(work.problem, known) if laws else None
    for law in laws if problem is not None else ():
        assert problem is not None
        simpler = OpenLaw(problem, law.law)
        simpler.learn(work.invariants)
        simpler.by_algebra(_soon(deadline, _LIKELY_SECONDS))
        if simpler.proof is not None:
            assuming = told(problem, tuple(dict.fromkeys((*known, *simpler.proof.used))))
            yield law, Proved(law.law, simpler.proof.method, assuming)


def _by_short_algebra(work: Work, law: OpenLaw, deadline: float) -> Iterable[Message]:
    del work
    law.by_algebra(_soon(deadline, _SHORT_SECONDS))
    return ()


def _by_likely_algebra(work: Work, law: OpenLaw, deadline: float) -> Iterable[Message]:
    del work
    law.by_algebra(_soon(deadline, _LIKELY_SECONDS), likely=True)
    return ()


def _by_algebra(work: Work, law: OpenLaw, deadline: float) -> Iterable[Message]:
    del work
    law.by_algebra(_soon(deadline, _ALGEBRA_SECONDS))
    return ()


def _by_few_comparisons(work: Work, law: OpenLaw, deadline: float) -> Iterable[Message]:
    del work
    law.by_comparisons(_soon(deadline, _FEW_SECONDS))
    return ()


def _by_cases(work: Work, law: OpenLaw, deadline: float) -> Iterable[Message]:
    del work
    law.by_cases(_soon(deadline, _SHORT_SECONDS))
    return ()


def _by_rows(work: Work, law: OpenLaw, deadline: float) -> Iterable[Message]:
    del work, deadline
    law.by_rows()
    return ()


def _by_comparisons(work: Work, law: OpenLaw, deadline: float) -> Iterable[Message]:
    del work
    law.by_comparisons(_soon(deadline, _ALGEBRA_SECONDS))
    return ()


def _by_thresholds(work: Work, law: OpenLaw, deadline: float) -> Iterable[Message]:
    law.by_thresholds(work.session, deadline)
    return ()


def _by_bits(work: Work, law: OpenLaw, deadline: float) -> Iterable[Message]:
    del work, deadline
    law.by_bits()
    law.by_turns()
    law.by_forms_of_bits()
    return ()


def _by_table(work: Work, law: OpenLaw, deadline: float) -> Iterable[Message]:
    del deadline
    if work.table is not None:
        law.by_table(work.table)
    return ()


def _by_guards(work: Work, law: OpenLaw, deadline: float) -> Iterable[Message]:
    del work
    law.by_guards(_soon(deadline, _GUARDS_SECONDS))
    return ()


def _by_algebra_of_quotients(work: Work, law: OpenLaw, deadline: float) -> Iterable[Message]:
    del work
    law.by_algebra_of_quotients(_soon(deadline, _LONGER_SECONDS))
    return ()


def _by_algebra_longer(work: Work, law: OpenLaw, deadline: float) -> Iterable[Message]:
    del work
    law.by_algebra(_soon(deadline, _LONGER_SECONDS), likely=True)
    return ()


def _at_once(work: Work, law: OpenLaw, deadline: float) -> Iterable[Message]:
    law.by_solver(work.session, deadline, first=True)
    return ()


def _quickly(work: Work, law: OpenLaw, deadline: float) -> Iterable[Message]:
    law.by_solver(work.session, deadline)
    return ()


def _by_products(work: Work, law: OpenLaw, deadline: float) -> Iterable[Message]:
    law.by_products(work.session, deadline)
    return ()


def _thoroughly(work: Work, law: OpenLaw, deadline: float) -> Iterable[Message]:
    law.by_all_of_solver(work.session, deadline)
    return ()


def _searched(work: Work, law: OpenLaw, deadline: float) -> Iterator[Message]:
    for candidate in search(work.problem, law.law, _soon(deadline, _SEARCH_SECONDS), work.session):
        yield Suspect(law.law, candidate)


def _searched_at_once(work: Work, law: OpenLaw, deadline: float) -> Iterator[Message]:
    for candidate in search(work.problem, law.law, deadline, work.session, quick=True):
        yield Suspect(law.law, candidate)


def _searched_on(work: Work, law: OpenLaw, deadline: float) -> Iterator[Message]:
    for candidate in search(work.problem, law.law, deadline, work.session):
        yield Suspect(law.law, candidate)


Stage: TypeAlias = Callable[[Work, OpenLaw, float], Iterable[Message]]

_FEW: tuple[Stage, ...] = (_by_thresholds, _by_few_comparisons, _by_cases, _by_rows, _by_likely_algebra)
_FIRST: tuple[Stage, ...] = (*_FEW, _at_once)
"""When bounds are known."""

_QUICK: tuple[Stage, ...] = (*_FEW, _quickly)
"""Each time when more invariants are known: most laws need few."""

_SHORT: tuple[Stage, ...] = (
    *_QUICK,
    _by_short_algebra,
    _quickly,
    _by_algebra_of_quotients,
)
"""When the simple invariants are known: others may make it quick."""

_BY_PRODUCTS: tuple[Stage, ...] = (_by_products, _searched_at_once)
"""What z3 may take long for."""


def _tried(work: Work, law: OpenLaw) -> str:
    """What a person may want to know of a law that stayed open."""
    leaves = ", ".join(f"`{leaf_text(work.problem, leaf)}`" for leaf in law.open_leaves)
    texts = told(work.problem, work.invariants)
    more = ", …" if len(texts) > _MOST_TOLD else ""
    known = f", knowing that {', '.join(texts[:_MOST_TOLD])}{more}" if texts else ""
    return f"neither normal forms nor z3 show it for {leaves}{known}; and no few elements were found that break it"
