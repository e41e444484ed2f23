"""What a feature of the language is to the matrix: a piece of kernel text and its meaning in plain Python."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from math import prod
from typing import Any

Shape = tuple[int, ...]
"""The axes of a field, height before width."""

RANK_NAMES = {1: "Rows", 2: "Grid", 3: "Volume"}


@dataclass(frozen=True, eq=False)
class Column:
    """An input `in_<name>`: `value` gives the element of each row-major index.

    It has the walked shape, and each element run holds its own element as a local called `name`; or it has a
    `shape` of its own, and the feature reads it as it likes.
    """

    name: str
    type: str
    value: Callable[[int], Any]
    shape: Shape | None = None

    @property
    def port(self) -> str:
        return f"in_{self.name}"


@dataclass(frozen=True)
class ResultType:
    """The type of a feature's result, and the Ints and Floats in it: kernel expressions on a value `r`.

    Each pair is an expression and whether it is a Float.
    """

    type: str
    leaves: tuple[tuple[str, bool], ...]

    @property
    def digest(self) -> str:
        """The kernel expression that `arithmetic.digest` is the meaning of."""
        scalars = [f"bitcast_int({text})" if is_float else text for text, is_float in self.leaves]
        total = scalars[0]
        for scalar in scalars[1:]:
            total = f"({total}) * 31 + {scalar}"
        return total


INT = ResultType("Int", (("r", False),))
FLOAT = ResultType("Float", (("r", True),))
VEC2, VEC3, VEC4 = (ResultType(f"Vec{n}", tuple((f"r.{c}", True) for c in "xyzw"[:n])) for n in (2, 3, 4))


@dataclass(frozen=True)
class Output:
    """One of several outputs: a kernel expression on `r` and what it means."""

    name: str
    type: str
    text: str
    meaning: Callable[[Any], Any]


@dataclass(frozen=True)
class Element:
    """One element run, as an oracle sees it."""

    index: int
    shape: Shape
    columns: Mapping[str, Column]
    params: Mapping[str, Any]

    def __getitem__(self, name: str) -> Any:
        """This run's element of a walked column, or a param."""
        if name in self.params:
            return self.params[name]
        return self.columns[name].value(self.index)

    def at(self, name: str, *address: int) -> Any:
        """An element of a column by address, x first, clamped to the edge."""
        shape = self.columns[name].shape or self.shape
        flat = 0
        for size, place in zip(shape, reversed(address), strict=True):
            flat = flat * size + min(max(place, 0), size - 1)
        return self.columns[name].value(flat)

    @property
    def coord(self) -> tuple[int, ...]:
        """The address of this run, x first."""
        rest, found = self.index, []
        for size in reversed(self.shape):
            rest, place = divmod(rest, size)
            found.append(place)
        return tuple(found)

    @property
    def size(self) -> tuple[int, ...]:
        """The size of the walked shape, x first."""
        return tuple(reversed(self.shape))


@dataclass(frozen=True, kw_only=True, eq=False)
class Feature:
    """A feature: statements that end with a local `r` or with `RETURN(name);`, and the `oracle` of its value.

    `items` stand at file level, `members` in the kernel.  `walk_shapes` are fewer or smaller ones for scans,
    which go element by element.  `ulp` is the tolerance of a Float that only comes near; else every bit
    counts.  `absent` says why a feature cannot stand in a form, `refused` which run-time error a form gives.
    """

    name: str
    columns: tuple[Column, ...]
    body: str
    oracle: Callable[[Element], Any]
    result: ResultType = INT
    items: str = ""
    members: str = ""
    params: Mapping[str, Any] = field(default_factory=dict)
    shapes: tuple[Shape, ...]
    walk_shapes: tuple[Shape, ...] = ()
    outputs: tuple[Output, ...] = ()
    ulp: float | None = None
    absent: Mapping[str, str] = field(default_factory=dict)
    refused: Mapping[str, str] = field(default_factory=dict)

    @property
    def rank(self) -> int:
        return len(self.shapes[0])

    @property
    def statements(self) -> str:
        return self.body if "RETURN(" in self.body else f"{self.body}\nRETURN(r);"

    @property
    def returns_early(self) -> bool:
        return "RETURN(" in self.body

    def walked(self) -> list[Column]:
        return [c for c in self.columns if c.shape is None]

    def results(self, shape: Shape) -> list[Any]:
        """What the oracle gives for each element, row-major."""
        return _results(self, shape)


def nest(flat: Sequence[Any], shape: Shape) -> list[Any]:
    """Row-major elements as lists of lists."""
    if len(shape) == 1:
        return list(flat)
    step = prod(shape[1:])
    return [nest(flat[i * step : (i + 1) * step], shape[1:]) for i in range(shape[0])]


def fields(feature: Feature, shape: Shape) -> dict[str, Any]:
    """The columns of a feature as values of the kernel's inputs."""
    found = {}
    for column in feature.columns:
        own = column.shape or shape
        found[column.port] = nest([column.value(i) for i in range(prod(own))], own)
    return found


@cache
def _results(feature: Feature, shape: Shape) -> list[Any]:
    columns = {c.name: c for c in feature.columns}
    return [feature.oracle(Element(i, shape, columns, feature.params)) for i in range(prod(shape))]
