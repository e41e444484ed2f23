"""Groups whose lanes part ways before an exchange, which no checked text does."""

from __future__ import annotations

from kcheck.checker import ir
from kcheck.checker.ir import BinaryOp, Effect, PlaceKind
from kcheck.checker.types import INT
from kcheck.runtime.backend import Launch
from tests.checker.build import binary, block, function, integer, program
from tests.interpreter.build import local

LANE = ir.Place(type=INT, kind=PlaceKind.LANE)
GROUP = ir.Place(type=INT, kind=PlaceKind.GROUP)
START = ir.Assign(local=0, value=integer(-1))


def exchange(lane: ir.Expression) -> ir.Exchange:
    return ir.Exchange(local=0, value=LANE, lane=lane)


def branch(condition: ir.Expression, *then: ir.Statement) -> ir.If:
    return ir.If(condition=condition, then=block(*then), otherwise=block())


def rounds(high: ir.Expression, *body: ir.Statement, until: ir.Expression | None = None) -> ir.Loop:
    test = None if until is None else ir.Until(block=block(), condition=until)
    return ir.Loop(local=1, low=integer(0), high=high, closed=False, until=test, body=block(*body))


HALF = binary(LANE, BinaryOp.LT, integer(2))
DIVERGENT: dict[str, ir.Statement] = {
    "branch": branch(HALF, exchange(integer(0))),
    "early return": branch(HALF, ir.Return(value=integer(1))),
    "loop count": rounds(LANE, exchange(integer(0))),
    "until": rounds(integer(3), exchange(integer(0)), until=HALF),
}
ODD = binary(binary(GROUP, BinaryOp.AND, integer(1)), BinaryOp.EQ, integer(1))


def group_launch(size: int, count: int, *statements: ir.Statement) -> Launch:
    """A group kernel over Ints with two Int locals, that ends with an exchange and what it gave."""
    body = (START, *statements, exchange(integer(0)), ir.Return(value=local(0, INT)))
    main = function(*body, locals_=(INT, INT), result=INT, effects=[Effect.EXCHANGE])
    return Launch(program(ir.Lanes(size=size, element=0), main, result=INT), {}, {}, {}, (count,))
