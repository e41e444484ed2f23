"""Proofs of the laws by normal forms: a few milliseconds, and no solver but for `prove_linear`."""

from kcheck.checker.law.algebra.laws import (
    elements_commute,
    entailed,
    follows,
    prove,
    prove_goal,
    prove_leaf,
    prove_linear,
)
from kcheck.checker.law.algebra.proof import Proof

__all__ = ["Proof", "elements_commute", "entailed", "follows", "prove", "prove_goal", "prove_leaf", "prove_linear"]
