"""A program's module as it is written: its functions, the items that they take, its constants and notes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
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


APART = "!1"
"""The mark of reads and writes of memory in loops of which no round writes what another one uses."""


_ENABLED = '!"llvm.loop.vectorize.enable", i1 true'
_LANES = (
    '!"llvm.loop.unroll.disable"',
    f'!"llvm.loop.parallel_accesses", {APART}',
)


class Wish(Enum):
    """What LLVM is asked to do with a loop, without a thought whether it pays; the value is in its own words."""

    VECTORISED = (_ENABLED,)
    """Several rounds are worked on at once; there must be nothing in them that stands in the way."""
    EIGHT = (*_LANES, '!"llvm.loop.interleave.count", i32 1')
    """As before, of a loop of eight rounds, whose reads and writes of memory are `APART`: there is no loop left."""
    SIXTEEN = (*_LANES, '!"llvm.loop.interleave.count", i32 2')
    """The same of sixteen rounds: two vectors of eight, so that one is worked on while the other waits."""
    ONCE = ('!"llvm.loop.unroll.disable"',)
    """The body is written once: it is large."""
    SINGLE = '!"llvm.loop.unroll.disable"', '!"llvm.loop.vectorize.width", i32 1'
    """The body is written once, and one round after the other is done."""


_FIRST_NOTE = 2
"""The number of the first loop's note."""


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


def _once(name: str) -> str:
    return f"{name}.once"


def _calling(function: Written) -> str:
    """A function that calls this one, and that LLVM neither takes in nor calls more often than it has to."""
    name = function.compiled.name
    result, parameters = function.signature.split(f" @{name}")
    return (
        f"define internal {result} @{_once(name)}{parameters} "
        "noinline nounwind willreturn memory(none) speculatable {\n"
        f"  %result = call {result} @{name}{parameters}\n  ret {result} %result\n}}\n"
    )


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
    _once: dict[str, None] = field(default_factory=dict)
    """Those of them that are called for many elements at once."""
    _constants: dict[str, str] = field(default_factory=dict)
    _loops: list[Wish] = field(default_factory=list)

    def of_prelude(self, key: Key) -> Compiled:
        """The function for a call of a built-in."""
        name = prelude_name(key.function_name)
        self.from_prelude[name] = None
        return self.prelude[name].compiled

    def of_prelude_once(self, key: Key) -> Compiled:
        """For arguments that are the same for many elements: LLVM moves a call of it out of the loop over them.

        Taken in there it would be branches on what the loop does not change, which the search for loops that can work
        on several elements at once may go through for minutes.
        """
        compiled = self.of_prelude(key)
        if compiled.needs or "ptr" in self.prelude[compiled.name].signature:
            return compiled
        self._once[compiled.name] = None
        return replace(compiled, name=_once(compiled.name))

    def note(self, wish: Wish | None) -> str:
        """What to write behind the jump back of a loop, for LLVM to heed; each loop has a note of its own."""
        if wish is None:
            return ""
        self._loops.append(wish)
        return f", !llvm.loop !{_FIRST_NOTE + len(self._loops) - 1}"

    def constant_data(self, data: str) -> str:
        """The name of a constant with this type and these contents, as LLVM writes them."""
        if data not in self._constants:
            self._constants[data] = f"@c{len(self._constants)}"
        return self._constants[data]

    def text(self) -> str:
        constants = [
            f"{name} = private unnamed_addr constant {data}, align 4\n" for data, name in self._constants.items()
        ]
        words = list(dict.fromkeys(word for wish in self._loops for word in wish.value))
        numbers = {word: _FIRST_NOTE + len(self._loops) + i for i, word in enumerate(words)}
        notes = [f"!{number} = !{{{word}}}\n" for word, number in numbers.items()]
        for i, wish in enumerate(self._loops, _FIRST_NOTE):
            hints = ", ".join(f"!{numbers[word]}" for word in wish.value)
            notes.append(f"!{i} = distinct !{{!{i}, {hints}}}\n")
        once = [_calling(self.prelude[name]) for name in self._once]
        return "".join([*constants, *once, *self.texts, "!0 = !{}\n", f"{APART} = distinct !{{}}\n", *notes])

    @property
    def is_plain(self) -> bool:
        """Whether all ports hold scalars, one behind the other."""
        return all(isinstance(port.type.element, Scalar) for port in ports_of(self.program))

    def port(self, name: str) -> ir.PortDecl:
        return next(port for port in ports_of(self.program) if port.name == name)

    def item_of(self, port: str) -> str:
        """The item that points to the elements of a port."""
        return f"port{next(i for i, p in enumerate(ports_of(self.program)) if p.name == port)}"
