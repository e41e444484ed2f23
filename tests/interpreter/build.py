"""Programs for the interpreter's tests: from text, or by hand where a checked program would not do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from kcheck.checker import check_text, ir
from kcheck.checker.types import Type
from kcheck.grammar.diagnostics import Severity
from kcheck.runtime.backend import Outcome
from kcheck.runtime.binding import bind
from kcheck.runtime.interpreter import Interpreter
from kcheck.runtime.layout import AnyArray
from tests.checker.build import function, program

INTERPRETER = Interpreter()


def compiled(source: str) -> ir.Program:
    """The one kernel of a source without errors."""
    checked = check_text(source)
    assert not [d for d in checked.diagnostics if d.severity is Severity.ERROR], checked.diagnostics
    [found] = checked.programs.values()
    return found


def kernel(ports: str, body: str, items: str = "") -> str:
    """A kernel with inputs and outputs."""
    return f"{items} kernel test.case@1 {{ requires {{ field.read; field.write; }} {ports} {body} }}"


def outcome(source: str, values: Mapping[str, Any], domain: Sequence[int] | None = None) -> Outcome:
    return INTERPRETER.run(bind(compiled(source), values, domain))


def run(source: str, values: Mapping[str, Any], domain: Sequence[int] | None = None) -> AnyArray:
    """The output `result` of a kernel."""
    return outcome(source, values, domain).outputs["result"].data


def local(number: int, type_: Type) -> ir.Local:
    return ir.Local(type=type_, local=number)


def evaluate(node: ir.Expression, *args: tuple[Type, AnyArray]) -> AnyArray:
    """An expression over locals 0, 1, … that hold `args`, for all their elements."""
    types, arrays = [t for t, _ in args], [a for _, a in args]
    main = function(ir.Return(value=node), takes=types, result=node.type)
    made = program(ir.Elements(element=0), main, result=node.type)
    return INTERPRETER.call(made, 0, arrays, {})


def evaluate_each(node: ir.Expression, *args: tuple[Type, AnyArray]) -> AnyArray:
    """As `evaluate`, element by element: values are NumPy scalars then, not arrays."""
    count = args[0][1].shape[0]
    return np.concatenate([evaluate(node, *[(t, a[i : i + 1]) for t, a in args]) for i in range(count)])
