"""The shaders of a program, for people to read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import assert_never

from kcheck.checker import ir
from kcheck.checker.ir import CombineOp
from kcheck.checker.prelude import expand_prelude
from kcheck.checker.types import FLOAT, Struct, contains
from kcheck.grammar.spans import Origin
from kcheck.runtime.gpu.wgsl import combining, elements, exact, fold, ordered, prefix, scatter, walk
from kcheck.runtime.gpu.wgsl.module import Stage, Subject
from kcheck.runtime.gpu.wgsl.traits import Traits


def wgsl(program: ir.Program, traits: Traits, remark: Callable[[Origin], str | None]) -> str:
    """The shaders that run a program, one after the other; `remark` gives the comment for a place in the source."""
    subject = Subject(expand_prelude(program, remainder=True), traits, frozenset(), remark)
    sections = [f"// {program.name}: {title}\n\n{stage.code}" for title, stage in _stages(subject)]
    return "\n".join(sections)


def _stages(subject: Subject) -> Iterator[tuple[str, Stage]]:
    match subject.program.schedule:
        case ir.Elements() as schedule:
            yield "an invocation an element", elements.each(subject, schedule)
        case ir.Lanes() as schedule:
            yield "a workgroup a group", elements.grouped(subject, schedule)
        case ir.Fold() as schedule:
            yield "blocks of elements are merged", fold.first(subject, schedule)
            if fold.strided_groups(subject, schedule, 1 << 20):
                yield "the same for many elements, in any order", fold.strided(subject, schedule)
            yield "what blocks gave is merged, until one is left", fold.again(subject, schedule)
        case ir.OrderedWalk() as schedule:
            yield "one invocation walks on", walk.walk(subject, schedule)
        case ir.RunningCombine(op=op) as schedule:
            type_ = subject.program.result
            yield "the totals of blocks (and then those running)", prefix.total(subject, op, type_, schedule)
            keyed = combining.has_keys(op, type_)
            yield "blocks from what is before them", prefix.scan(subject, op, type_, schedule, keyed=keyed)
        case ir.CombineByAddress() as schedule:
            yield from _scatter_stages(subject, schedule)
        case schedule:
            assert_never(schedule)


def _scatter_stages(subject: Subject, schedule: ir.CombineByAddress) -> Iterator[tuple[str, Stage]]:
    pair = subject.program.result
    assert isinstance(pair, Struct)
    if schedule.op is CombineOp.LAST:
        yield "cells find the last of their pairs", scatter.claim(subject, schedule)
        yield "cells take its value", scatter.take(subject, schedule)
    elif schedule.op is CombineOp.SUM and contains(pair.fields[1].type, FLOAT):
        if exact.may_be_exact(pair.fields[1].type):
            yield (
                "values are added up as Ints, where that rounds nothing",
                exact.add(subject, schedule, is_watched=True),
            )
        yield "else pairs are made (and then sorted by cell)", ordered.pairs(subject, schedule)
        yield "cells find their pairs", ordered.bounds(subject)
        if ordered.has_helpers(subject):
            yield "cells with many add them up in order", ordered.add_up_many(subject)
        yield "cells add them up in order", ordered.add_up(subject, by_slices=ordered.has_slices(subject, 1, 0))
    else:
        yield "pairs are combined as they come", scatter.combine(subject, schedule)
        yield "the same, for small targets", scatter.combine_near(subject, schedule)
        if scatter.range_words(subject):
            yield "the same, for larger targets", scatter.combine_ranges(subject, schedule)
