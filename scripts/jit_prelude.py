"""Writes `runtime/jit/prelude.json`, the prelude's functions as the JIT has them: run it after changing either.

python scripts/jit_prelude.py

Writing these functions takes longer than compiling most kernels, so it is not left to each machine.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from kcheck.checker import ir
from kcheck.checker.builtins import CONTRACTS
from kcheck.checker.prelude import PRELUDE_BUILTINS, Key, functions_for
from kcheck.checker.types import Type
from kcheck.grammar.spans import Origin, Span
from kcheck.runtime.jit.costs import Cost
from kcheck.runtime.jit.functions import costs_of, write_function
from kcheck.runtime.jit.library import FLAGS, LARGE, TEXTS
from kcheck.runtime.jit.module import Module, environment_of, prelude_name
from kcheck.runtime.jit.storage import storage_of

NOWHERE = Origin("prelude", "", Span(0, 0))


def main() -> None:
    TEXTS.write_text(written(), encoding="utf-8")


def written() -> str:
    """What the file should hold: a line for each function."""
    lines = [f"{json.dumps(name)}: {json.dumps(function)}" for name, function in functions()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def functions() -> Iterator[tuple[str, dict[str, Any]]]:
    keys = [Key(b.value, type_, b) for b in PRELUDE_BUILTINS for type_ in first_types(CONTRACTS[b].overloads)]
    found, _ = functions_for(sorted(keys, key=str))
    yield from texts(found)


def first_types(overloads: Sequence[Any]) -> Iterator[Type]:
    """The types that a built-in takes as its first argument."""
    for overload in overloads:
        yield from overload.choices or (overload.parameters[0],)


def texts(found: Sequence[ir.Function]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Functions by their names in modules, as `library` reads them; callees stand before their callers."""
    program = program_of(found)
    names = [prelude_name(function.name) for function in found]
    module = Module(program, names, {}, storage_of(program), environment_of(program), FLAGS, frozenset(), {})
    sizes: dict[str, int] = {}
    for position, costs in enumerate(costs_of(found, no_cost)):
        name, text = names[position], write_function(module, position, costs)
        module.functions.append(text.compiled)
        nodes = list(ir.walk(found[position].body))
        calls = [names[node.function] for node in nodes if isinstance(node, ir.Call)]
        sizes[name] = len(nodes) + sum(size for callee in calls if (size := sizes[callee]) < LARGE)
        yield name, {**asdict(text), "calls": calls, "size": sizes[name]}


def no_cost(key: Key) -> Cost:
    raise AssertionError(f"{key} in the prelude's own text")


def program_of(found: Sequence[ir.Function]) -> ir.Program:
    """A program that has these functions, and that nobody runs."""
    last = len(found) - 1
    return ir.Program(
        name="prelude",
        inputs=(),
        outputs=(),
        memories=(),
        params=(),
        rank=1,
        result=found[last].result,
        schedule=ir.Elements(element=last),
        functions=tuple(found),
        sampled=frozenset(),
        origin=NOWHERE,
    )


if __name__ == "__main__":
    main()
