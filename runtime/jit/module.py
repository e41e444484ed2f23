"""A program's module as it is written: its functions, the items that they take, its constants and notes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum

from kcheck.checker import ir
from kcheck.checker.prelude import Key
from kcheck.checker.types import Scalar
from kcheck.runtime.jit.costs import Cost
from kcheck.runtime.jit.storage import Storage, byte_size

ENV, STOP, ERROR, SCRATCH = "env", "stop", "error", "scratch"
INDEX, X, Y, Z, LANE, GROUP = "index", "x", "y", "z", "lane", "group"
ITEM_TYPES: dict[str, str] = {INDEX: "i64", X: "i32", Y: "i32", Z: "i32", LANE: "i32", GROUP: "i32"}
"""Those of the items that are no pointers."""
COORDINATES = (X, Y, Z)


def item_type(item: str) -> str:
    return ITEM_TYPES.get(item, "ptr")


class Wish(Enum):
    """What LLVM is asked to do with a loop, without a thought whether it pays; the value is its own word."""

    VECTORISED = '!"llvm.loop.vectorize.enable", i1 true'
    """Several rounds are worked on at once; there must be nothing in them that stands in the way."""
    ONCE = '!"llvm.loop.unroll.disable"'
    """The body is written once: it is large."""


@dataclass(frozen=True, slots=True)
class Environment:
    """Where the numbers that all elements share lie, in bytes, in the block of memory that `ENV` points to: first the
    domain's size, then each port's size and extent, all x first, then the params."""

    size: int
    sizes: Mapping[str, int]
    extents: Mapping[str, int]
    params: Mapping[str, int]


def environment_of(program: ir.Program) -> Environment:
    sizes: dict[str, int] = {}
    extents: dict[str, int] = {}
    end = 4 * program.rank
    for port in ports_of(program):
        sizes[port.name], extents[port.name] = end, end + 4 * port.type.rank
        end += 8 * port.type.rank
    params: dict[str, int] = {}
    for param in program.params:
        params[param.name] = end
        end += byte_size(param.type)
    return Environment(end, sizes, extents, params)


def ports_of(program: ir.Program) -> tuple[ir.PortDecl, ...]:
    """All ports, in the order in which drivers take pointers to their elements."""
    return (*program.inputs, *program.memories, *program.outputs)


@dataclass(frozen=True, slots=True)
class Compiled:
    """A function that has been written: its name, the items it needs before its own arguments, and the room it takes on
    the stack and in the scratch memory, callees included; `is_straight` is what `costs.Cost` says."""

    name: str
    needs: tuple[str, ...]
    stack: int
    scratch: int
    is_inlined: bool = False
    is_straight: bool = False


@dataclass(frozen=True, slots=True)
class Written:
    """A function as text: what stands behind `define` up to its arguments, its body in braces, and what is known of
    it."""

    signature: str
    body: str
    compiled: Compiled
    cost: Cost

    def definition(self, linkage: str, attributes: str) -> str:
        return f"define {linkage}{self.signature} {attributes}nounwind {self.body}"


def prelude_name(name: str) -> str:
    """What a function of the prelude is called in modules."""
    return f"prelude.{name}"


@dataclass(slots=True)
class Module:
    """The text of a program as it comes together.

    `names` are those of its functions and `prelude` those of the prelude that it may call, by name; `empty` are the
    ports without elements; `sites` numbers the nodes that may fail, by function and node id.
    """

    program: ir.Program
    names: Sequence[str]
    prelude: Mapping[str, Written]
    storage: Storage
    environment: Environment
    float_flags: str
    empty: frozenset[str]
    sites: Mapping[tuple[int, int], int]
    functions: list[Compiled] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    from_prelude: dict[str, None] = field(default_factory=dict)
    """The functions of the prelude that it does call."""
    _constants: dict[str, str] = field(default_factory=dict)
    _loops: list[Wish] = field(default_factory=list)

    def of_prelude(self, key: Key) -> Compiled:
        """The function for a call of a built-in."""
        name = prelude_name(key.function_name)
        self.from_prelude[name] = None
        return self.prelude[name].compiled

    def note(self, wish: Wish | None) -> str:
        """What to write behind the jump back of a loop, for LLVM to heed; each loop has a note of its own."""
        if wish is None:
            return ""
        self._loops.append(wish)
        return f", !llvm.loop !{len(self._loops)}"

    def constant_data(self, data: str) -> str:
        """The name of a constant with this type and these contents, as LLVM writes them."""
        if data not in self._constants:
            self._constants[data] = f"@c{len(self._constants)}"
        return self._constants[data]

    def text(self) -> str:
        constants = [
            f"{name} = private unnamed_addr constant {data}, align 4\n" for data, name in self._constants.items()
        ]
        first = len(self._loops) + 1
        wishes = {wish: first + i for i, wish in enumerate(Wish)}
        notes = [f"!{i} = distinct !{{!{i}, !{wishes[wish]}}}\n" for i, wish in enumerate(self._loops, 1)]
        notes += [f"!{number} = !{{{wish.value}}}\n" for wish, number in wishes.items()]
        return "".join([*constants, *self.texts, "!0 = !{}\n", *notes])

    @property
    def is_plain(self) -> bool:
        """Whether all ports hold scalars, one behind the other."""
        return all(isinstance(port.type.element, Scalar) for port in ports_of(self.program))

    def port(self, name: str) -> ir.PortDecl:
        return next(port for port in ports_of(self.program) if port.name == name)

    def item_of(self, port: str) -> str:
        """The item that points to the elements of a port."""
        return f"port{next(i for i, p in enumerate(ports_of(self.program)) if p.name == port)}"
