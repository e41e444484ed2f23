"""Two evaluators that share no code but the prelude's, `evaluate` and the interpreter, on the same expressions."""

from __future__ import annotations

from typing import Any

import pytest

from kcheck.checker import floats, ir, types
from kcheck.checker.evaluate import evaluate
from kcheck.checker.prelude.expand import expand_prelude
from kcheck.checker.types import FLOAT
from kcheck.checker.verify import verify_ir
from tests.checker.build import call, function, program
from tests.checker.generate import SIGNATURES, Generator
from tests.support import run
from tests.values import EXACT, differences

SEEDS = 16
EACH = 20


def kernel(expression: ir.Expression) -> ir.Program:
    main = function(ir.Return(value=expression), result=expression.type)
    return program(ir.Elements(element=0), main, result=expression.type)


def plain(type_: types.Type, leaves: tuple[ir.LeafValue, ...]) -> Any:
    """A value as `tests.values` writes it."""
    rest = list(leaves)

    def take(type_: types.Type) -> Any:
        if isinstance(type_, types.Scalar):
            leaf = rest.pop(0)
            return floats.to_float(leaf) if type_ is FLOAT else leaf
        if isinstance(type_, types.Struct):
            return {field.name: take(field.type) for field in type_.fields}
        if isinstance(type_, types.Enum):
            tag = rest.pop(0)
            payloads = {v.name: {f.name: take(f.type) for f in v.fields} for v in type_.variants}
            chosen = type_.variants[tag].name
            return {chosen: payloads[chosen]} if payloads[chosen] else chosen
        return [take(part) for part in types.parts(type_)]

    return take(type_)


def check(expression: ir.Expression) -> None:
    want = plain(expression.type, evaluate(expression).leaves)
    made = kernel(expression)
    for each in (made, expand_prelude(made, remainder=True)):
        verify_ir(each)
        got = run(each, {}, domain=(1,)).outputs["result"][0]
        assert not list(differences(got, want, EXACT)), (expression, got, want)


@pytest.mark.parametrize("seed", range(SEEDS))
def test_random_expressions(seed: int) -> None:
    generator = Generator(seed)
    for _ in range(EACH):
        check(generator.expression(generator.type(), 4))


@pytest.mark.parametrize("signature", SIGNATURES, ids=lambda s: f"{s[0].value}({', '.join(map(str, s[1]))})")
def test_built_ins_on_constants(signature) -> None:
    builtin, args, _ = signature
    generator = Generator(len(SIGNATURES))
    for round_ in range(9):
        constants = [generator.constant(type_) for type_ in args]
        if round_ % 3 == 0 and len(set(args)) == 1:
            constants = constants[:1] * len(args)
        check(call(builtin, *constants))
