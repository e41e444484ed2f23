"""The prelude's functions as LLVM has them, from the file that `scripts/jit_prelude.py` writes.

Programs take them in where LLVM is to work on several elements at once.  Elsewhere the large ones are called: these
are compiled once a machine, and their machine code is linked to that of programs.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from kcheck.checker.prelude import Key
from kcheck.runtime.jit import cache as folder
from kcheck.runtime.jit.costs import Cost
from kcheck.runtime.jit.engine import machine_code
from kcheck.runtime.jit.module import Compiled, Written, prelude_name
from kcheck.runtime.jit.text import FAST_FLAGS

TEXTS = Path(__file__).with_name("prelude.json")
FLAGS = "~"
"""What stands in these texts for the flags of arithmetic on Floats."""
LARGE = 250
"""A function of this size is worth a call: it takes long itself, or stands where few arguments lead."""
_SHARED = 100
"""In machine code of its own a function of this size stands once: that of a vector calls one for each component."""


@dataclass(frozen=True, slots=True)
class Function(Written):
    """`calls` are the functions that it calls, as often as it does; `size` is how large it is as text, with what it
    takes in, but for what is large itself."""

    calls: tuple[str, ...]
    size: int

    @property
    def is_large(self) -> bool:
        return self.size >= LARGE


class _Functions(dict[str, Function]):
    """Functions by the names that they have in modules, each read when it is first asked for."""

    def __init__(self, flags: str) -> None:
        super().__init__()
        self._parts = json.loads(TEXTS.read_text("utf-8").replace(FLAGS, flags))

    def __missing__(self, name: str) -> Function:
        parts = self._parts[name]
        compiled = Compiled(**{**parts["compiled"], "needs": tuple(parts["compiled"]["needs"])})
        cost, calls = Cost(**parts["cost"]), tuple(parts["calls"])
        function = self[name] = Function(parts["signature"], parts["body"], compiled, cost, calls, parts["size"])
        return function


@cache
def library(fast: bool) -> Library:
    """The functions for strict or for fast arithmetic."""
    return Library(fast)


class Library:
    """All functions of the prelude, and the machine code of the large ones that were asked for."""

    def __init__(self, fast: bool) -> None:
        self._fast = fast
        self.functions = _Functions(FAST_FLAGS if fast else "")
        self._codes: dict[str, bytes] = {}

    def cost(self, key: Key) -> Cost:
        return self.functions[prelude_name(key.function_name)].cost

    def texts(self, names: Iterable[str], *, apart: bool, shared: Collection[str] = ()) -> Iterator[str]:
        """These functions and all that they call, for modules that take them in, but for the shared ones; with `apart`
        the large ones are only declared, and `linked` has them."""
        for name in self._reached(names, apart):
            one = self.functions[name]
            if apart and one.is_large:
                memory = "argmem: write" if "ptr" in one.signature else "none"
                yield f"declare {one.signature} nounwind willreturn memory({memory})\n"
            else:
                yield one.definition("internal ", "noinline " if name in shared else "alwaysinline ")

    def linked(self, names: Iterable[str]) -> list[bytes]:
        """The machine code of the functions that `texts` declares."""
        linked: dict[str, bytes] = {}
        pending = list(names)
        while pending:
            reached = self._reached(pending, apart=True)
            large = [name for name in reached if self.functions[name].is_large and name not in linked]
            linked |= {name: self._code(name) for name in large}
            pending = [callee for name in large for callee in self.functions[name].calls]
        return list(linked.values())

    def _reached(self, names: Iterable[str], apart: bool) -> list[str]:
        """These and all that they call, but for what only large ones call if these are apart."""
        reached: dict[str, None] = {}
        pending = list(names)
        while pending:
            name = pending.pop()
            if name not in reached:
                reached[name] = None
                if not (apart and self.functions[name].is_large):
                    pending += self.functions[name].calls
        return list(reached)

    def _code(self, name: str) -> bytes:
        """The machine code of a large function, from the cache folder or made now."""
        file = folder.name_of(f"{name} {self._fast}")
        code = self._codes.get(name) or folder.load(file)
        if code is None:
            code = machine_code(self._module(self.functions[name]), briefly=True)
            folder.keep({file: code})
        self._codes[name] = code
        return code

    def _module(self, function: Function) -> str:
        """The module of a large function."""
        calls = function.calls
        shared = [name for name in calls if calls.count(name) > 1 and self.functions[name].size >= _SHARED]
        return "".join([*self.texts(calls, apart=True, shared=shared), function.definition("", "")])
