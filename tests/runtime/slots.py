"""Slots, types and programs made by hand."""

from collections.abc import Iterable, Mapping

import pytest

from kcheck.checker import ir, types
from kcheck.checker.types import BOOL, FLOAT, INT, Array, Enum, FieldOf, Mat, Struct, Variant, Vec
from kcheck.grammar.spans import Origin, Span
from kcheck.runtime.errors import RunError
from kcheck.runtime.values.slot import Slot

ORIGIN = Origin("a.kernel", "kernel a.b@1", Span(3, 7))

PARTICLE = Struct("Particle", "a#Particle", (FieldOf("position", Vec(2)), FieldOf("mass", FLOAT), FieldOf("id", INT)))
SHAPE = Enum(
    "Shape",
    "a#Shape",
    (
        Variant("Dot", ()),
        Variant("Disc", (FieldOf("r", FLOAT), FieldOf("filled", BOOL))),
        Variant("Box", (FieldOf("size", Vec(2)),)),
    ),
)
NESTED = Struct("Nested", "a#Nested", (FieldOf("shape", SHAPE), FieldOf("weights", Array(INT, 2))))
ALL_TYPES = (BOOL, INT, FLOAT, Vec(2), Vec(4), Mat(2), Mat(3), Array(INT, 3), Array(Vec(2), 2), PARTICLE, SHAPE, NESTED)


def slot(rank: int, element: types.Type, name: str = "source") -> Slot:
    """An input's slot, or a param's where `rank` is 0."""
    return Slot("input" if rank else "param", name, rank, element, ORIGIN)


def port(name: str, rank: int, element: types.Type) -> ir.PortDecl:
    return ir.PortDecl(name=name, type=types.Field(rank, element), origin=ORIGIN)


def param(
    name: str,
    type_: types.Type,
    default: ir.Const | None = None,
    low: ir.Const | None = None,
    high: ir.Const | None = None,
) -> ir.ParamDecl:
    return ir.ParamDecl(name=name, type=type_, default=default, low=low, high=high, origin=ORIGIN)


def program(
    schedule: ir.Schedule,
    *,
    inputs: Mapping[str, types.Field] | None = None,
    memories: Mapping[str, types.Field] | None = None,
    params: Iterable[ir.ParamDecl] = (),
    sampled: Iterable[str] = (),
    rank: int = 1,
) -> ir.Program:
    """A program without functions, which can be bound but not run; its one output is of Floats."""
    return ir.Program(
        name="a.b@1",
        inputs=tuple(port(name, t.rank, t.element) for name, t in (inputs or {}).items()),
        outputs=(port("result", rank, FLOAT),),
        memories=tuple(port(name, t.rank, t.element) for name, t in (memories or {}).items()),
        params=tuple(params),
        rank=rank,
        result=FLOAT,
        schedule=schedule,
        functions=(),
        sampled=frozenset(sampled),
        origin=ORIGIN,
    )


class Refusal:
    """What a refused value says."""

    def __init__(self, info: pytest.ExceptionInfo[RunError]) -> None:
        self.code = info.value.code
        self.message = info.value.diagnostic.message
        self.notes = [note.message for note in info.value.diagnostic.notes]
        self.origin = info.value.diagnostic.origin
