"""Values as people type them, for the ports and params of a program."""

from __future__ import annotations

from kcheck.checker import rules
from kcheck.checker.bindings import BoundValue
from kcheck.checker.ir import Program
from kcheck.runtime.errors import RunError
from kcheck.runtime.values.text import ValueSyntaxError, parse_value


def parsed(program: Program, name: str, text: str) -> BoundValue:
    """The value that a text says; K703 where it says none."""
    try:
        return parse_value(text)
    except ValueSyntaxError as problem:
        origins = {d.name: d.origin for d in (*program.inputs, *program.memories)}
        origins |= {p.name: p.origin for p in program.params}
        message = f"the value of `{name}` cannot be read: {problem}"
        raise RunError(rules.VALUE_DOES_NOT_FIT.report(origins.get(name, program.origin), message)) from problem
