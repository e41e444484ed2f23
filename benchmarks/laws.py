"""What the prover costs for the merges of tests/law/cases, and what solvers make of the same goals by themselves.

    python benchmarks/laws.py [--solvers] [--every N] [--slowest N]

Times are CPU time from the program to the verdict on a law, of this process and of the worker, both of which have
loaded what they need before (Linux only). With `--solvers` instead z3 and cvc5 get the query that `kcheck show --smt`
prints, for each law that holds, with the invariants that the prover inferred and without them, and five seconds for
each; `--every` takes one of N merges only, `--slowest` names the N laws that took longest. cvc5 has to be installed.
"""

from __future__ import annotations

import argparse
import math
import os
import resource
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))  # for the cases

from tests.law.cases import LawCase, law_cases

from kcheck.checker.law import verdict
from kcheck.checker.law.pipeline import Tools, judge_program
from kcheck.checker.law.problem import Law
from kcheck.checker.law.prover import Prover
from kcheck.checker.law.solver import infer, smt
from kcheck.checker.law.symbolic import Blocked, problem_of
from kcheck.checker.law.terms import TooLarge
from kcheck.checker.law.verdict import Judgement
from kcheck.runtime.interpreter.parts import InterpretedParts

SECONDS = 10.0
SOLVER_SECONDS = 5
SOLVERS = ("z3", "cvc5")


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--solvers", action="store_true")
    options.add_argument("--every", type=int, default=1)
    options.add_argument("--slowest", type=int, default=0)
    options.add_argument("--solve", choices=SOLVERS, help=argparse.SUPPRESS)
    args = options.parse_args()
    if args.solve:
        print(answer(args.solve, sys.stdin.read()))
        return
    cases = law_cases()[:: args.every]
    sets = {
        "development set": [case for case in cases if case.is_development],
        "second set": [case for case in cases if not (case.is_development or is_later(case))],
        "third set": [case for case in cases if case.is_practice],
        "fourth set": [case for case in cases if case.is_ported],
        "fifth set": [case for case in cases if case.is_fresh],
        "sixth set": [case for case in cases if case.is_of_a_field],
    }
    if args.solvers:
        print(f"{'':40}{'goals':>8}{'proved':>9}{'p50':>10}{'p90':>10}")
    else:
        print(f"{'':20}{'laws':>6}{'decided':>10}{'p50':>10}{'p90':>10}{'p99':>10}{'most':>10}")
    for name, chosen in sets.items():
        if args.solvers:
            compare(name, chosen)
        else:
            measure(name, chosen, args.slowest)


def is_later(case: LawCase) -> bool:
    """Whether a case is of a set that came after the prover, to see what it makes of merges that are new."""
    return case.is_practice or case.is_ported or case.is_fresh or case.is_of_a_field


# ---------------------------------------------------------------- the prover


def measure(name: str, cases: Sequence[LawCase], slowest: int) -> None:
    taken: list[tuple[float, str]] = []
    decided = 0
    stages: Counter[str] = Counter()
    prover = Prover(InterpretedParts)
    warm_up(prover)
    alone = Tools(lambda: EVALUATE, None)
    for case in cases:
        judgement, seconds = timed(prover, case)
        taken += [(spent, f"{case.name}, {law.value}") for law, spent in zip(Law, seconds, strict=True)]
        quick = judge_program(case.program, alone, SECONDS)
        for finding, without in zip(judgement.laws, quick.laws, strict=True):
            is_decided = finding.verdict != verdict.UNKNOWN or judgement.undefined is not None
            is_quick = without.verdict != verdict.UNKNOWN or quick.undefined is not None
            decided += is_decided
            stages[stage(finding) if is_quick else "worker" if is_decided else "none"] += 1
    prover.close()
    share = f"{100 * decided / len(taken):.1f} %"
    times = "".join(map(shown, [*quantiles([spent for spent, _ in taken]), max(taken)[0]]))
    print(f"{name:20}{len(taken):>6}{share:>10}{times}")
    print(f"{'':20}{', '.join(f'{stage} {count}' for stage, count in stages.most_common())}")
    for spent, law in sorted(taken, reverse=True)[:slowest]:
        print(f"{'':20}{shown(spent)}  {law}")


def timed(prover: Prover, case: LawCase) -> tuple[Judgement, list[float]]:
    """The judgement, and the CPU seconds until each of its verdicts."""
    program, start = case.program, cpu_seconds()
    told: dict[Law, float] = {}
    judgement = prover.judgement(program, SECONDS, lambda _, finding: told.setdefault(finding.law, cpu_seconds()))
    end = cpu_seconds()
    return judgement, [told.get(finding.law, end) - start for finding in judgement.laws]


def cpu_seconds() -> float:
    """What this process and its children, those that have ended too, have used."""
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    children = [pid for path in Path("/proc/self/task").glob("*/children") for pid in path.read_text().split()]
    threads = [path for pid in children for path in Path(f"/proc/{pid}/task").glob("*/schedstat")]
    running = sum(int(path.read_text().split()[0]) for path in threads)
    return time.process_time() + ended.ru_utime + ended.ru_stime + running * 1e-9


EVALUATE = InterpretedParts()


def stage(finding: verdict.LawFinding) -> str:
    """The stage in this process that decided a law."""
    return "algebra" if finding.verdict == verdict.PROVED else "elements tried"


def warm_up(prover: Prover) -> None:
    """Load what a first reduction loads, z3 in the worker included."""
    needy = next(case for case in law_cases() if case.needs)
    prover.judgement(needy.program, SECONDS)


def quantiles(values: Sequence[float]) -> list[float]:
    ordered = sorted(values)
    return [ordered[min(int(q * len(ordered)), len(ordered) - 1)] for q in (0.5, 0.9, 0.99)]


def shown(seconds: float) -> str:
    return f"{seconds * 1e3:>7.1f} ms"


# ---------------------------------------------------------------- solvers by themselves


def compare(name: str, cases: Sequence[LawCase]) -> None:
    """What each solver proves of the laws that hold, each query in a process of its own.

    A law that rests on what values are reachable is beyond a solver that is not told so: it gets the query with the
    invariants that the prover inferred, and without them.
    """
    for informed in (True, False):
        queries = [query for case in cases for query in written(case, informed)]
        for solver in SOLVERS:
            # Threads that wait for processes; their CPU time is what counts.
            with ThreadPoolExecutor(os.cpu_count()) as pool:
                answers = list(pool.map(partial(solved, solver), queries))
            proved = sum(said == "unsat" for said, _ in answers)
            times = "".join(map(shown, quantiles([seconds for _, seconds in answers])[:2]))
            title = f"{name}, {solver}{'' if informed else ' without invariants'}"
            print(f"{title:40}{len(queries):>8}{proved:>9}{times}", flush=True)


def written(case: LawCase, informed: bool) -> Iterator[str]:
    """The queries for the laws that hold of a merge; if `informed`, with the invariants."""
    try:
        problem = problem_of(case.program)
        invariants = infer(problem, time.monotonic() + SOLVER_SECONDS) if informed else ()
        for law in Law:
            if case.holds(law):
                yield smt(problem, law, invariants)
    except (Blocked, TooLarge):
        return


def solved(solver: str, query: str) -> tuple[str, float]:
    """The answer of a solver and its CPU seconds."""
    command = [sys.executable, __file__, "--solve", solver]
    done = subprocess.run(command, input=query, text=True, capture_output=True, check=False)
    if done.returncode == -signal.SIGXCPU:
        return "", float(SOLVER_SECONDS)
    assert done.returncode == 0, done.stderr
    said, _, seconds = done.stdout.strip().rpartition(" ")
    return said, float(seconds)


def answer(solver: str, query: str) -> str:
    """What a solver says to a query, and its CPU seconds; runs in a process of its own, which ends when time is up."""
    ask = {"z3": ask_z3, "cvc5": ask_cvc5}[solver]
    start = time.process_time()
    resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(start) + SOLVER_SECONDS, resource.RLIM_INFINITY))
    return f"{ask(query)} {time.process_time() - start:.3f}"


def ask_z3(query: str) -> str:
    import z3

    solver = z3.Solver()
    solver.from_string(query)
    return str(solver.check())


def ask_cvc5(query: str) -> str:
    import cvc5

    solver = cvc5.Solver()
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, query, "query")
    symbols = parser.getSymbolManager()
    said = ""
    while not (command := parser.nextCommand()).isNull():
        said += command.invoke(solver, symbols)
    return said.strip()


if __name__ == "__main__":
    main()
