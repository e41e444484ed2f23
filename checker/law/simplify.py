"""Making what was found small: fewer elements, simpler numbers, params at their defaults."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence

from kcheck.checker import ir
from kcheck.checker.arithmetic import INT_MAX, INT_MIN
from kcheck.checker.law.cases import has_walked_shape
from kcheck.checker.law.elements import SIMPLE_FLOATS, SIMPLE_INTS, param_numbers, within
from kcheck.checker.law.evaluate import Case, Leaves, Number, SmallField
from kcheck.checker.law.values import valid, zero
from kcheck.checker.law.verdict import Repeated, Tree, Trial, copies, elements_of, mapped, sides_of, size_of
from kcheck.checker.law.work import clock

Breaks = Callable[[Trial], bool]

_INTS = (*SIMPLE_INTS, 100, 1000, 65536, 1 << 30, INT_MAX, INT_MIN)
_FLOATS = (*SIMPLE_FLOATS, 5.0, 100.0, 0.25, 1000.0)


_PASSES = 4


def simplified(
    program: ir.Program, trial: Trial, plain: Iterable[tuple[Tree, Tree]], breaks: Breaks, deadline: float
) -> Trial:
    """The simplest trial that still `breaks`, as far as it is found before the deadline, which is one of `work`.

    `plain` are the trees with the fewest merges, to be tried first.
    """
    work = _Work(program, trial, breaks, deadline)
    work.plain_trees(plain)
    for _ in range(_PASSES):
        before = work.trial
        work.shrink_trees()
        work.drop_elements()
        work.reset_params()
        work.simplify_numbers()
        if work.trial == before:
            break
    return work.trial


class _Work:
    def __init__(self, program: ir.Program, trial: Trial, breaks: Breaks, deadline: float) -> None:
        self.trial = trial
        self._program = program
        self._breaks = breaks
        self._deadline = deadline

    @property
    def _is_late(self) -> bool:
        return clock() > self._deadline

    def _try(self, trial: Trial) -> bool:
        """Keep this one, if it still breaks."""
        if self._is_late or trial == self.trial or not self._breaks(trial):
            return False
        self.trial = trial
        return True

    # ------------------------------------------------------------ elements

    def plain_trees(self, plain: Iterable[tuple[Tree, Tree]]) -> None:
        """The first of these that breaks."""
        case = self.trial.case
        any(self._try(Trial(case, left, right)) for left, right in plain)

    def shrink_trees(self) -> None:
        """Merge fewer elements: put a side of a merge, or fewer copies, in its place, in both trees at once."""
        while any(self._try(self._with_trees(old, new)) for old, new in _shorter(self.trial)):
            pass

    def _with_trees(self, old: Tree, new: Tree) -> Trial:
        trial = self.trial
        return Trial(trial.case, _replaced(trial.left, old, new), _replaced(trial.right, old, new))

    def drop_elements(self) -> None:
        """Leave out the elements that no tree uses, and put the others in the order in which they are named."""
        used = list(dict.fromkeys(elements_of((self.trial.left, self.trial.right))))
        for order in (used, sorted(used), list(range(max(used) + 1))):
            # The last keeps every position, for what reads its own.
            if self._try(self._only(order)):
                return

    def _only(self, order: Sequence[int]) -> Trial:
        trial, rank = self.trial, self._program.rank
        shape = (1,) * (rank - 1) + (len(order),)
        fields = {
            name: SmallField(shape, tuple(field.elements[i] for i in order))
            if has_walked_shape(self._program, name)
            else field
            for name, field in trial.case.fields.items()
        }
        at = {old: new for new, old in enumerate(order)}
        return Trial(Case(fields, trial.case.params), _renamed(trial.left, at), _renamed(trial.right, at))

    # ------------------------------------------------------------ params and numbers

    def reset_params(self) -> None:
        for param in self._program.params:
            default = within(param, valid(param.type, zero(param.type)))
            if param.default is not None:
                default = param_numbers(param.default)
            self._try(self._with_param(param.name, default))

    def _with_param(self, name: str, value: Leaves) -> Trial:
        case = self.trial.case
        return self._with_case(Case(case.fields, {**case.params, name: value}))

    def simplify_numbers(self) -> None:
        """Every number in turn; those that are equal together first, as what breaks a law may be a tie."""
        for value in dict.fromkeys(self._numbers()):
            for simpler in _simpler(value):
                if self._is_late or self._try(self._with_number(value, simpler)):
                    break
        for port in self._program.inputs:
            for position in range(len(self.trial.case.fields[port.name].elements)):
                if self._is_late:
                    return
                self._simplify_element(port, position)

    def _numbers(self) -> Iterator[Number]:
        for field in self.trial.case.fields.values():
            for element in field.elements:
                yield from element

    def _with_number(self, old: Number, new: Number) -> Trial:
        def changed(element: Leaves) -> Leaves:
            return tuple(new if type(n) is type(old) and n == old else n for n in element)

        fields = {}
        for port in self._program.inputs:
            field = self.trial.case.fields[port.name]
            elements = tuple(valid(port.type.element, changed(element)) for element in field.elements)
            fields[port.name] = SmallField(field.shape, elements)
        return self._with_case(Case(fields, self.trial.case.params))

    def _simplify_element(self, port: ir.PortDecl, position: int) -> None:
        for leaf in range(len(self.trial.case.fields[port.name].elements[position])):
            value = self.trial.case.fields[port.name].elements[position][leaf]
            for simpler in _simpler(value):
                if self._try(self._with_leaf(port, position, leaf, simpler)):
                    break

    def _with_leaf(self, port: ir.PortDecl, position: int, leaf: int, value: Number) -> Trial:
        field = self.trial.case.fields[port.name]
        element = field.elements[position]
        new = valid(port.type.element, (*element[:leaf], value, *element[leaf + 1 :]))
        elements = (*field.elements[:position], new, *field.elements[position + 1 :])
        fields = {**self.trial.case.fields, port.name: SmallField(field.shape, elements)}
        return self._with_case(Case(fields, self.trial.case.params))

    def _with_case(self, case: Case) -> Trial:
        return Trial(case, self.trial.left, self.trial.right)


def _simpler(value: Number) -> Iterator[Number]:
    """Numbers simpler than this one, the simplest first."""
    if isinstance(value, bool):
        if value:
            yield False
        return
    for candidate in _FLOATS if isinstance(value, float) else _INTS:
        if candidate == value:
            return
        yield candidate
    if isinstance(value, float) and not math.isfinite(value):
        return
    if isinstance(value, float):
        yield float(round(value))
        yield round(value * 2) / 2
        yield round(value * 4) / 4
    else:
        while abs(value) > 1:
            value = int(value / 2)
            yield value


def _shorter(trial: Trial) -> Iterator[tuple[Tree, Tree]]:
    """Values that both trees merge, with one of their own sides, or with fewer copies."""
    for tree in _subtrees(trial.left):
        if not isinstance(tree, int) and tree in _subtrees(trial.right):
            for part in _fewer(tree) if isinstance(tree, Repeated) else tree:
                yield tree, part


def _fewer(tree: Repeated) -> Iterator[Tree]:
    """Copies of a side alone, or a power of two fewer copies, which takes the fewest words, the fewest first."""
    if not isinstance(tree.tree, int):
        for side in sides_of(tree.tree):
            yield copies(side, tree.count)
            yield copies(side, tree.count * size_of(tree.tree) // size_of(side))
    for doublings in range((tree.count - 1).bit_length()):
        yield copies(tree.tree, 1 << doublings)


def _subtrees(tree: Tree) -> list[Tree]:
    match tree:
        case int():
            return [tree]
        case Repeated():
            return [tree, *_subtrees(tree.tree)]
        case (left, right):
            return [tree, *_subtrees(left), *_subtrees(right)]


def _replaced(tree: Tree, old: Tree, new: Tree) -> Tree:
    if tree == old:
        return new
    return tree if isinstance(tree, int) else mapped(tree, lambda part: _replaced(part, old, new))


def _renamed(tree: Tree, at: dict[int, int]) -> Tree:
    return at[tree] if isinstance(tree, int) else mapped(tree, lambda part: _renamed(part, at))
