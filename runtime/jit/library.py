"""The prelude's functions as LLVM has them, each written once and kept in the cache folder.

Programs take them in where LLVM is to work on several elements at once.  Elsewhere the large ones are called: these
are compiled once too, and their machine code is linked to that of programs.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import cache

from kcheck.checker import ir
from kcheck.checker.prelude import ELEMENTARY_BUILTINS, Key, functions_for
from kcheck.grammar.spans import Origin, Span
from kcheck.runtime.jit import cache as folder
from kcheck.runtime.jit.costs import Cost
from kcheck.runtime.jit.engine import machine_code
from kcheck.runtime.jit.functions import costs_of, write_function
from kcheck.runtime.jit.module import Compiled, Module, Written, environment_of, prelude_name
from kcheck.runtime.jit.storage import storage_of
from kcheck.runtime.jit.text import FAST_FLAGS

_LARGE = 250
"""A function of this size is worth a call: it takes long itself, or stands where few arguments lead."""
_NOWHERE = Origin("prelude", "", Span(0, 0))


@cache
def library(fast: bool) -> Library:
    """The functions for strict or for fast arithmetic."""
    return Library(fast)


class Library:
    """The functions that were asked for so far in this process."""

    def __init__(self, fast: bool) -> None:
        self._fast = fast
        self._functions: dict[str, Written] = {}
        self._callees: dict[str, tuple[str, ...]] = {}
        self._sizes: dict[str, int] = {}
        """How large they are as text, what they take in included, but for what is large itself."""
        self._codes: dict[str, bytes] = {}
        self._lock = threading.Lock()

    @property
    def functions(self) -> Mapping[str, Written]:
        """By the names that they have in modules."""
        return self._functions

    def cost(self, key: Key) -> Cost:
        return self._functions[_name(key)].cost

    def need(self, keys: Iterable[Key]) -> None:
        """Have the functions of all these, and what they call."""
        with self._lock:
            self._need(keys)

    def texts(self, names: Iterable[str], *, apart: bool) -> Iterator[str]:
        """These functions and all that they call, for modules that take them in; with `apart` the large ones are only
        declared, and `linked` has them."""
        for name in self._reached(names, apart):
            one = self._functions[name]
            if apart and self._is_large(name):
                memory = "argmem: write" if "ptr" in one.signature else "none"
                yield f"declare {one.signature} nounwind willreturn memory({memory})\n"
            else:
                yield one.definition("internal ", "alwaysinline ")

    def linked(self, names: Iterable[str]) -> list[bytes]:
        """The machine code of the functions that `texts` declares."""
        linked: dict[str, bytes] = {}
        pending = list(names)
        while pending:
            large = [name for name in self._reached(pending, apart=True) if self._is_large(name) and name not in linked]
            with self._lock:
                linked |= {name: self._code(name) for name in large}
            pending = [callee for name in large for callee in self._callees[name]]
        return list(linked.values())

    def _reached(self, names: Iterable[str], apart: bool) -> list[str]:
        """These and all that they call, but for what only large ones call if these are apart."""
        reached: dict[str, None] = {}
        pending = list(names)
        while pending:
            name = pending.pop()
            if name not in reached:
                reached[name] = None
                if not (apart and self._is_large(name)):
                    pending += self._callees[name]
        return list(reached)

    def _is_large(self, name: str) -> bool:
        return self._sizes[name] >= _LARGE

    # ------------------------------------------------------------ from the cache folder, or made

    def _need(self, keys: Iterable[Key]) -> None:
        missing = [key for key in keys if not self._load(_name(key))]
        # The two files of the prelude apart, so that functions keep the positions that they have there.
        for is_elementary in (False, True):
            asked = [key for key in missing if (key.builtin in ELEMENTARY_BUILTINS) is is_elementary]
            if asked:
                functions, _ = functions_for(sorted(asked, key=str))
                self._write(functions)
        if missing:
            folder.keep({self._file(name, "text"): self._kept(name) for name in map(_name, missing)})

    def _load(self, name: str) -> bool:
        """Whether a function is here with all that it calls, if need be from the cache folder."""
        if name in self._functions:
            return True
        data = folder.load(self._file(name, "text"))
        for each, parts in json.loads(data).items() if data else ():
            compiled = Compiled(**{**parts["compiled"], "needs": ()})
            self._functions[each] = Written(parts["signature"], parts["body"], compiled, Cost(**parts["cost"]))
            self._callees[each], self._sizes[each] = tuple(parts["callees"]), parts["size"]
        return data is not None

    def _kept(self, name: str) -> bytes:
        """What `_load` reads."""
        reached = self._reached([name], apart=False)
        more = {each: {"callees": self._callees[each], "size": self._sizes[each]} for each in reached}
        return json.dumps({each: {**asdict(self._functions[each]), **more[each]} for each in reached}).encode()

    def _write(self, functions: Sequence[ir.Function]) -> None:
        program = _program(functions)
        names = [prelude_name(function.name) for function in functions]
        flags = FAST_FLAGS if self._fast else ""
        module = Module(program, names, {}, storage_of(program), environment_of(program), flags, frozenset(), {})
        for position, costs in enumerate(costs_of(functions, self.cost)):
            name, written = names[position], write_function(module, position, costs)
            module.functions.append(written.compiled)
            nodes = list(ir.walk(functions[position].body))
            called = [names[node.function] for node in nodes if isinstance(node, ir.Call)]
            taken_in = (self._sizes[callee] for callee in called if not self._is_large(callee))
            self._functions[name], self._callees[name] = written, tuple(dict.fromkeys(called))
            self._sizes[name] = len(nodes) + sum(taken_in)

    def _code(self, name: str) -> bytes:
        code = self._codes.get(name) or folder.load(self._file(name, "code"))
        if code is None:
            texts = self.texts(self._callees[name], apart=True)
            text = "".join([*texts, self._functions[name].definition("", "")])
            code = machine_code(text, has_vectors=False)
            folder.keep({self._file(name, "code"): code})
        self._codes[name] = code
        return code

    def _file(self, name: str, kind: str) -> str:
        return folder.name_of(f"{name} {kind} {self._fast}")


def _name(key: Key) -> str:
    return prelude_name(key.function_name)


def _program(functions: Sequence[ir.Function]) -> ir.Program:
    """A program that has these functions, and that nobody runs."""
    last = len(functions) - 1
    return ir.Program(
        name="prelude",
        inputs=(),
        outputs=(),
        memories=(),
        params=(),
        rank=1,
        result=functions[last].result,
        schedule=ir.Elements(element=last),
        functions=tuple(functions),
        sampled=frozenset(),
        origin=_NOWHERE,
    )
