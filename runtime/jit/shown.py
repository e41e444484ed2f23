"""Programs as LLVM sees them, for people."""

from __future__ import annotations

from kcheck.checker.ir import Program
from kcheck.runtime.jit.engine import optimised
from kcheck.runtime.jit.program import write_module


def llvm(program: Program) -> str:
    """The assembly language of a program's drivers as LLVM improved it for this processor."""
    return optimised(write_module(program, frozenset(), fast=False).text)
