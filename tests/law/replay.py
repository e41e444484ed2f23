"""What the prover shows, run again without any of its parts: on the interpreter, and in real arithmetic."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from kcheck.checker import ir
from kcheck.checker.law.evaluate import Case, Leaves, SmallField
from kcheck.checker.law.verdict import Repeated, Tree, UndefinedStep, Witness
from kcheck.checker.types import Type, leaves
from kcheck.runtime.binding import bind
from kcheck.runtime.interpreter import Interpreter
from kcheck.runtime.layout import AnyArray, zeros
from tests.law.exact import Undecided, UndefinedValue, differ
from tests.law.exact_fields import ExactFields
from tests.law.layout import columns


def hold_witness(witness: Witness) -> None:
    """The two trees hold the same elements, each once, and differ on the interpreter and over the reals."""
    elements = _elements(witness.left.tree)
    assert sorted(elements) == sorted(_elements(witness.right.tree))
    assert len({position for position, _ in elements}) == len(elements)
    run = _Run(witness.program, witness.case)
    run.hold_copies(elements)
    left, right = run.merged(witness.left.tree), run.merged(witness.right.tree)
    assert any(x[0] != y[0] for x, y in zip(columns(run.type, left), columns(run.type, right), strict=True)), (
        "the interpreter gives equal results"
    )
    with suppress(Undecided):
        assert differ(run.exact(witness.left.tree), run.exact(witness.right.tree)), "equal over the reals"


def hold_undefined(found: UndefinedStep) -> None:
    """Some step of the tree has no value over the reals."""
    run = _Run(found.program, found.case)
    run.hold_copies(_elements(found.tree))
    try:
        run.exact(found.tree)
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

    def hold_copies(self, elements: Sequence[tuple[int, int]]) -> None:
        """No field is too small for all the elements, and compute gives the same for elements at other places."""
        assert sum(times for _, times in elements) < 2**31
        if all(times == 1 for _, times in elements):
            return
        order = [*range(len(self._leaves)), *(position for position, _ in elements[::-1] for _ in range(3))][::-1]
        walked = {self._schedule.over, *self._program.sampled}
        fields = {
            name: SmallField((*field.shape[:-1], len(order)), tuple(field.elements[at] for at in order))
            if name in walked
            else field
            for name, field in self._case.fields.items()
        }
        moved = _Run(self._program, Case(fields, self._case.params))
        for x, y in zip(columns(self.type, self._leaves), columns(self.type, moved._leaves), strict=True):
            assert np.array_equal(x[order], y)

    def merged(self, tree: Tree) -> AnyArray:
        def merge(*sides: AnyArray) -> AnyArray:
            return self._interpreter.call(self._program, self._schedule.merge, sides, self._params)

        return _folded(tree, lambda position: self._leaves[position : position + 1], merge)

    def exact(self, tree: Tree) -> Any:
        return _folded(tree, self._exact.leaf, self._exact.program.merge)

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


def _folded(tree: Tree, leaf: Callable[[int], Any], merge: Callable[[Any, Any], Any]) -> Any:
    if isinstance(tree, int):
        return leaf(tree)
    if not isinstance(tree, Repeated):
        left, right = tree
        return merge(_folded(left, leaf, merge), _folded(right, leaf, merge))
    one = value = _folded(tree.tree, leaf, merge)
    for bit in f"{tree.count:b}"[1:]:
        value = merge(value, value)
        if bit == "1":
            value = merge(value, one)
    return value


def _elements(tree: Tree, times: int = 1) -> list[tuple[int, int]]:
    """The elements, each with how many there are like it."""
    if isinstance(tree, int):
        return [(tree, times)]
    if isinstance(tree, Repeated):
        return _elements(tree.tree, times * tree.count)
    return [e for side in tree for e in _elements(side, times)]
