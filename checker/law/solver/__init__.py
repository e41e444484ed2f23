"""What z3 can do for the prover: invariants, proofs, definedness, candidates for witnesses; and its worker process."""

from kcheck.checker.law.solver.definedness import Definedness, defined
from kcheck.checker.law.solver.houdini import infer
from kcheck.checker.law.solver.intervals import interval_invariants
from kcheck.checker.law.solver.laws import prove, smt
from kcheck.checker.law.solver.unrolling import Candidate, search, search_undefined
from kcheck.checker.law.solver.worker import Worker

__all__ = [
    "Candidate",
    "Definedness",
    "Worker",
    "defined",
    "infer",
    "interval_invariants",
    "prove",
    "search",
    "search_undefined",
    "smt",
]
