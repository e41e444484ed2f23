"""The reference interpreter: the living definition of the language, on NumPy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from kcheck.checker import ir
from kcheck.checker.prelude import ELEMENTARY_BUILTINS, expand_prelude
from kcheck.runtime.backend import Cancelled, Launch, Outcome, Progress, never, silent
from kcheck.runtime.interpreter.frames import Lanes, Run
from kcheck.runtime.interpreter.functions import CompiledFunction, compile_functions, make_room_for
from kcheck.runtime.interpreter.launches import param_values
from kcheck.runtime.interpreter.schedules import Job, execute
from kcheck.runtime.interpreter.statements import compile_body
from kcheck.runtime.interpreter.values import map_leaves, store, tidy, views
from kcheck.runtime.layout import AnyArray, zeros


@dataclass(frozen=True, slots=True)
class _Compiled:
    """A program with the prelude's functions before its own, and what was made of them."""

    source: ir.Program
    program: ir.Program
    functions: tuple[CompiledFunction, ...]

    def position(self, function: int) -> int:
        """Where a function of `source` stands in `program`."""
        return function + len(self.program.functions) - len(self.source.functions)


class Interpreter:
    """Runs whole blocks of elements at a time, under masks; one by one only where order demands it.

    Compiled programs are kept, the last few of them, so to run a program often costs little.
    """

    def __init__(self) -> None:
        self._compiled: dict[tuple[int, bool], _Compiled] = {}

    @property
    def name(self) -> str:
        return "interpreter"

    def run(self, launch: Launch, cancelled: Cancelled = never, progress: Progress = silent) -> Outcome:
        """Run the launch; raises `RunError` for what only shows at run time, and changes nothing then."""
        compiled = self._compile(launch.program, fast=launch.fast)
        expanded = replace(launch, program=compiled.program)
        with np.errstate(all="ignore"):
            return execute(Job(expanded, compiled.functions, cancelled, progress))

    def call(
        self, program: ir.Program, function: int, args: Sequence[AnyArray], params: Mapping[str, AnyArray]
    ) -> AnyArray:
        """One function of a program on many elements at once, such as a reduction's `merge`.

        The function reads no port and no place.  Each argument has an axis of elements, of one length for
        all, and then those of its type, in the layout of `runtime.layout`; so has the result (of length 1 where
        the function takes nothing).
        """
        declared = program.functions[function]
        found = self._compile(program)
        compiled = found.functions[found.position(function)]
        count = args[0].shape[0] if args else 1
        lanes = Lanes(Run(program=program, params=param_values(program, params)), 0, count)
        values = [map_leaves(tidy, views(declared.locals[i].type, arg)) for i, arg in enumerate(args)]
        result = zeros(declared.result, (count,))
        with np.errstate(all="ignore"):
            value = compiled.call(lanes, values, None)
        assert value is not None  # a function with a result returns one
        store(views(declared.result, result), slice(0, count), value)
        return result

    def _compile(self, program: ir.Program, *, fast: bool = False) -> _Compiled:
        """In strict mode the elementary built-ins are the prelude's text, in fast mode NumPy's own."""
        known = self._compiled.get((id(program), fast))
        if known is None:
            expanded = program if fast else expand_prelude(program, ELEMENTARY_BUILTINS)
            known = _Compiled(program, expanded, compile_functions(expanded, compile_body))
            while len(self._compiled) >= _KEPT:
                self._compiled.pop(next(iter(self._compiled)), None)
            self._compiled[id(program), fast] = known
        make_room_for(max(known.functions, key=lambda f: f.height))
        return known


_KEPT = 16


def _keep_freed_memory() -> None:
    """Make glibc keep the memory of arrays that blocks are done with, by freeing one that is larger.

    It sets its limits by the largest piece freed so far.  Below them, memory that goes back to the system comes
    again page by page with every block, which costs more than the arithmetic on it.
    """
    np.empty(1 << 24, np.uint8)


_keep_freed_memory()
