"""The LLVM backend: kernels compiled to machine code that runs on all cores."""

from kcheck.runtime.jit.backend import Jit

__all__ = ["Jit"]
