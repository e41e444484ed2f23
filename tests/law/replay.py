"""What the prover shows, run again without any of its parts: on the interpreter, and in real arithmetic."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from kcheck.checker import ir
from kcheck.checker.law.evaluate import Case, Leaves
from kcheck.checker.law.verdict import Tree, UndefinedStep, Witness
from kcheck.checker.types import Type, leaves
from kcheck.runtime.binding import bind
from kcheck.runtime.interpreter import Interpreter
from kcheck.runtime.layout import AnyArray, zeros
from tests.law.exact import Undecided, UndefinedValue, differ
from tests.law.exact_fields import ExactFields
from tests.law.layout import columns


def hold_witness(witness: Witness) -> None:
    """The two trees hold the same elements, each once, and differ on the interpreter and over the reals."""
    assert sorted(_elements(witness.left.tree)) == sorted(_elements(witness.right.tree))
    assert len(set(_elements(witness.left.tree))) == len(_elements(witness.left.tree))
    run = _Run(witness.program, witness.case)
    left, right = run.merged(witness.left.tree), run.merged(witness.right.tree)
    assert any(x[0] != y[0] for x, y in zip(columns(run.type, left), columns(run.type, right), strict=True)), (
        "the interpreter gives equal results"
    )
    with suppress(Undecided):
        assert differ(run.exact(witness.left.tree), run.exact(witness.right.tree)), "equal over the reals"


def hold_undefined(found: UndefinedStep) -> None:
    """Some step of the tree has no value over the reals."""
    try:
        _Run(found.program, found.case).exact(found.tree)
    except (UndefinedValue, Undecided):
        return
    raise AssertionError(f"{found.tree} has a value")


class _Run:
    """The leaves that `compute` makes of a case, and their merges."""

    def __init__(self, program: ir.Program, case: Case) -> None:
        assert isinstance(program.schedule, ir.Fold)
        self._program, self._case, self._schedule = program, case, program.schedule
        self.type = program.functions[program.schedule.merge].result
        self._interpreter = Interpreter()
        self._inputs = {
            port.name: packed(port.type.element, field.elements, field.shape)
            for port in program.inputs
            for field in [case.fields[port.name]]
        }
        self._params = {p.name: packed(p.type, [case.params[p.name]], ())[...] for p in program.params}

    def merged(self, tree: Tree) -> AnyArray:
        if isinstance(tree, int):
            return self._leaves[tree : tree + 1]
        sides = [self.merged(side) for side in tree]
        return self._interpreter.call(self._program, self._schedule.merge, sides, self._params)

    def exact(self, tree: Tree) -> Any:
        if isinstance(tree, int):
            return self._exact.leaf(tree)
        return self._exact.program.merge(self.exact(tree[0]), self.exact(tree[1]))

    @cached_property
    def _leaves(self) -> AnyArray:
        mapped = replace(self._program, schedule=ir.Elements(element=self._schedule.element))
        shape = self._case.fields[self._schedule.over].shape
        domain = None if self._program.sampled else shape[::-1]
        outcome = self._interpreter.run(bind(mapped, {**self._inputs, **self._params}, domain))
        [output] = outcome.outputs.values()
        rank = len(shape)
        return output.data.reshape((-1, *output.data.shape[rank:]))

    @cached_property
    def _exact(self) -> ExactFields:
        return ExactFields(self._program, self._inputs, self._params)


def packed(type_: Type, elements: Sequence[Leaves], shape: tuple[int, ...]) -> AnyArray:
    """Values, given as their scalars, in an array of this shape."""
    data = zeros(type_, (len(elements),))
    for i, column in enumerate(columns(type_, data)):
        column[...] = np.array([element[i] for element in elements], column.dtype)
    assert all(len(element) == len(leaves(type_)) for element in elements)
    return data.reshape(shape + data.shape[1:])


def _elements(tree: Tree) -> list[int]:
    return [tree] if isinstance(tree, int) else [e for side in tree for e in _elements(side)]
