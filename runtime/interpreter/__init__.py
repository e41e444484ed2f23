"""The NumPy reference interpreter."""

from kcheck.runtime.interpreter.interpreter import Interpreter

__all__ = ["Interpreter"]
