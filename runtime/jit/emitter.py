"""What the writers of functions and drivers share: values in pieces, and what a function needs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TypeAlias

from kcheck.checker import ir, types
from kcheck.checker.types import BOOL, Scalar, Type
from kcheck.runtime.jit.module import APART, ENV, ERROR, SCRATCH, STOP, Compiled, Module, Wish, item_type
from kcheck.runtime.jit.numbers import EQUAL
from kcheck.runtime.jit.storage import IN_MEMORY, REGISTERS, Piece, byte_size
from kcheck.runtime.jit.text import Code, constant

Value: TypeAlias = "list[str]"
"""The pieces of a value: names or constants of scalars, and pointers to stored arrays.

A stored array is never changed under a pointer to it before the statement at hand has used it."""

_ON_STACK = 256
"""Arrays of more bytes go to the scratch memory: stacks are small."""


class Emitter:
    """Writes one function; `items` are what it has of the things that come with a run."""

    def __init__(self, module: Module, items: Mapping[str, str] | None = None) -> None:
        self.module = module
        self.code = Code(module.float_flags)
        self.items = dict(items or {})
        self.needs: dict[str, None] = {}
        self.sampled: dict[str, str] = {}
        """The scalars at the element's own place that have been read already, by port."""
        self.held: dict[str, Value] = {}
        """The elements at the element's own place that the driver has at hand, by port."""
        self._mark = ""
        """What stands behind reads and writes of memory."""
        self.stack = 0
        self.scratch = 0
        self.uses_arrays = False
        """Whether there are stored arrays, in this function or in those that it calls."""
        self._callees_scratch = 0

    # ------------------------------------------------------------ what comes with a run

    def item(self, name: str) -> str:
        """The name of an item here; a function that does not have it gets it as an argument."""
        if name not in self.items:
            self.items[name] = f"%{name}"
        if self.items[name] == f"%{name}":
            self.needs[name] = None
        return self.items[name]

    def env(self, kind: str, offset: int) -> str:
        """A number (`i32` or `float`) of the environment."""
        place = self.code.offset(self.item(ENV), offset)
        return self.code.value(f"load {kind}, ptr {place}, align 1, !invariant.load !0{self._mark}")

    def size(self, port: str, axis: int) -> str:
        """The elements of a port along an axis (i32); x is axis 0."""
        return self.env("i32", self.module.environment.sizes[port] + 4 * axis)

    def domain(self, axis: int) -> str:
        return self.env("i32", 4 * axis)

    def fail(self, site: int) -> None:
        """Note an error, unless there was one before in this chunk; the function goes on."""
        code, place = self.code, self.item(ERROR)
        before = code.value(f"load i32, ptr {place}, align 4")
        first = code.value(f"icmp slt i32 {before}, 0")
        noted = code.value(f"select i1 {first}, i32 {site}, i32 {before}")
        code.do(f"store i32 {noted}, ptr {place}, align 4")

    def stopped(self) -> str:
        """Whether somebody wants the run to end (i1)."""
        flag = self.code.value(f"load volatile i32, ptr {self.item(STOP)}, align 4")
        return self.code.value(f"icmp ne i32 {flag}, 0")

    # ------------------------------------------------------------ room

    def room(self, size: int, on_stack: int = _ON_STACK) -> str:
        """A pointer to so many bytes that are this function's own; above `on_stack` in the scratch memory."""
        self.uses_arrays = True
        if size <= on_stack:
            return self.code.alloca(f"[{size} x i8]", size, 16)
        start = self.scratch
        self.scratch += (size + 63) // 64 * 64
        self.item(SCRATCH)
        # Into the entry block, so that it is there on every path.
        return self.code.at_entry(f"getelementptr inbounds i8, ptr %{SCRATCH}, i64 {start}")

    def variable(self, piece: Piece) -> str:
        """A pointer to room for a piece."""
        if isinstance(piece, Scalar):
            return self.code.alloca(IN_MEMORY[piece], 4)
        return self.room(byte_size(piece))

    # ------------------------------------------------------------ values in memory

    def pieces(self, type_: Type) -> tuple[Piece, ...]:
        return self.module.storage.pieces(type_)

    def places(self, pointer: str, type_: Type) -> list[str]:
        """Where the pieces are of a value that lies in memory as in `runtime.layout`."""
        return [self.code.offset(pointer, offset) for offset in self.module.storage.offsets(type_)]

    def load(self, pointer: str, type_: Type) -> Value:
        """A value that lies in memory; its stored arrays stay there."""
        return self.get(self.places(pointer, type_), type_)

    def load_scalar(self, place: str, kind: Scalar) -> str:
        # In a struct with a Bool nothing is aligned.
        loaded = self.code.value(f"load {IN_MEMORY[kind]}, ptr {place}, align 1{self._mark}")
        return self.code.value(f"icmp ne i8 {loaded}, 0") if kind is BOOL else loaded

    def store(self, pointer: str, type_: Type, value: Value) -> None:
        """Copy a value to memory."""
        for piece, place, part in zip(self.pieces(type_), self.places(pointer, type_), value, strict=True):
            self.put_piece(piece, place, part)

    def store_scalar(self, place: str, kind: Scalar, value: str) -> None:
        if kind is BOOL:
            value = self.code.value(f"zext i1 {value} to i8")
        self.code.do(f"store {IN_MEMORY[kind]} {value}, ptr {place}, align 1{self._mark}")

    def copy(self, to: str, start: str, array: types.Array) -> None:
        """Copy a stored array; the two are one or do not overlap."""
        self.code.do(f"call void @llvm.memcpy.p0.p0.i64(ptr {to}, ptr {start}, i64 {byte_size(array)}, i1 false)")

    # ------------------------------------------------------------ values in variables

    def get(self, places: Sequence[str], type_: Type) -> Value:
        """What variables hold, one for each piece."""
        paired = zip(self.pieces(type_), places, strict=True)
        return [self.get_piece(piece, place) for piece, place in paired]

    def get_piece(self, piece: Piece, place: str) -> str:
        if isinstance(piece, Scalar):
            return self.load_scalar(place, piece)
        self.uses_arrays = True
        return place

    def put(self, places: Sequence[str], type_: Type, value: Value) -> None:
        """Give variables a value.

        Where it holds several stored arrays, some may be the variables' own in another order, so all are read before
        any is written.
        """
        pieces = self.pieces(type_)
        if sum(not isinstance(piece, Scalar) for piece in pieces) > 1:
            value = [self._copied(piece, part) for piece, part in zip(pieces, value, strict=True)]
        for piece, place, part in zip(pieces, places, value, strict=True):
            self.put_piece(piece, place, part)

    def put_piece(self, piece: Piece, place: str, part: str) -> None:
        if isinstance(piece, Scalar):
            self.store_scalar(place, piece, part)
        else:
            self.copy(place, part, piece)

    def _copied(self, piece: Piece, part: str) -> str:
        if isinstance(piece, Scalar):
            return part
        room = self.room(byte_size(piece))
        self.copy(room, part, piece)
        return room

    # ------------------------------------------------------------ constants

    def constant(self, type_: Type, leaves: Sequence[ir.LeafValue]) -> Value:
        value: Value = []
        left = iter(zip(types.leaves(type_), leaves, strict=True))
        for piece in self.pieces(type_):
            if isinstance(piece, Scalar):
                leaf, number = next(left)
                value.append(constant(leaf.scalar, number))
            else:
                own = [next(left) for _ in range(types.leaf_count(piece))]
                value.append(self._constant_array([(leaf.scalar, number) for leaf, number in own]))
        return value

    def _constant_array(self, leaves: Sequence[tuple[Scalar, ir.LeafValue]]) -> str:
        self.uses_arrays = True
        if not any(number for _, number in leaves):
            size = sum(1 if kind is BOOL else 4 for kind, _ in leaves)
            return self.module.constant_data(f"[{size} x i8] zeroinitializer")
        kinds = {kind for kind, _ in leaves}
        if len(kinds) == 1:
            [kind] = kinds
            parts = ", ".join(_in_memory(kind, number) for kind, number in leaves)
            return self.module.constant_data(f"[{len(leaves)} x {IN_MEMORY[kind]}] [{parts}]")
        held = ", ".join(IN_MEMORY[kind] for kind, _ in leaves)
        parts = ", ".join(_in_memory(kind, number) for kind, number in leaves)
        return self.module.constant_data(f"<{{{held}}}> <{{{parts}}}>")

    def zero(self, type_: Type) -> Value:
        return self.constant(type_, [0] * types.leaf_count(type_))

    # ------------------------------------------------------------ control

    def choose(self, condition: str, type_: Type, then: Callable[[], Value], otherwise: Callable[[], Value]) -> Value:
        """The value of the chosen side, of which alone anything is computed."""
        code = self.code
        yes, no, end = code.label("then"), code.label("else"), code.label("end")
        code.branch(condition, yes, no)
        sides: list[tuple[Value, str]] = []
        for label, side in ((yes, then), (no, otherwise)):
            code.start(label)
            sides.append((side(), code.block))
            code.jump(end)
        code.start(end)
        [(left, first), (right, second)] = sides
        return [
            code.value(f"phi {_held(piece)} [{a}, %{first}], [{b}, %{second}]")
            for piece, a, b in zip(self.pieces(type_), left, right, strict=True)
        ]

    @contextmanager
    def rounds(self, first: str, end: str, wish: Wish | None = None) -> Iterator[str]:
        """What is written inside is the body of a loop, whose counter (i64) goes from `first` to before `end`."""
        code = self.code
        before, head, body, done = code.block, code.label("loop"), code.label("body"), code.label("done")
        code.start(head)
        number, following = code.name(), code.name()
        latch = code.label("next")
        code.do(f"{number} = phi i64 [{first}, %{before}], [{following}, %{latch}]")
        more = code.value(f"icmp slt i64 {number}, {end}")
        code.branch(more, body, done)
        code.start(body)
        outer, self._mark = (
            self._mark,
            f", !llvm.access.group {APART}" if wish in (Wish.EIGHT, Wish.SIXTEEN) else self._mark,
        )
        yield number
        self._mark = outer
        code.start(latch)
        code.do(f"{following} = add nuw nsw i64 {number}, 1")
        code.close(f"br label %{head}{self.module.note(wish)}")
        code.start(done)

    # ------------------------------------------------------------ comparing

    def equal(self, type_: Type, left: Value, right: Value) -> str:
        """Whether all scalars are equal, Floats as numbers (i1)."""
        same = "true"
        for piece, a, b in zip(self.pieces(type_), left, right, strict=True):
            one = EQUAL[piece](self.code, a, b) if isinstance(piece, Scalar) else self._equal_arrays(piece, a, b)
            same = one if same == "true" else self.code.value(f"and i1 {same}, {one}")
        return same

    def _equal_arrays(self, array: types.Array, left: str, right: str) -> str:
        place = self.code.alloca("i1", 4)
        self.code.do(f"store i1 true, ptr {place}")
        size = byte_size(array.element)
        with self.rounds("0", str(array.length)) as i:
            offset = self.code.value(f"mul i64 {i}, {size}")
            a, b = (self.load(self.code.offset(p, offset), array.element) for p in (left, right))
            before = self.code.value(f"load i1, ptr {place}")
            both = self.code.value(f"and i1 {before}, {self.equal(array.element, a, b)}")
            self.code.do(f"store i1 {both}, ptr {place}")
        return self.code.value(f"load i1, ptr {place}")

    # ------------------------------------------------------------ calls

    def arguments(self, compiled: Compiled) -> list[str]:
        """The items that a function needs, as the first arguments of a call."""
        return [f"{item_type(need)} {self._for_callee(need)}" for need in compiled.needs]

    def _for_callee(self, need: str) -> str:
        return self.item(need) if need != SCRATCH else self._callee_scratch()

    def _callee_scratch(self) -> str:
        """The scratch memory behind this function's own, whose size is not known yet."""
        self.item(SCRATCH)
        return "%callee_scratch"

    def calls(self, compiled: Compiled) -> None:
        self.uses_arrays |= not compiled.is_straight
        if compiled.is_inlined:
            self.code.stack_bytes += compiled.stack
        self.stack = max(self.stack, compiled.stack)
        self._callees_scratch = max(self._callees_scratch, compiled.scratch)

    def finish(self) -> None:
        """Once all is written: where the scratch memory of callees begins."""
        if SCRATCH in self.needs or SCRATCH in self.items:
            place = f"getelementptr inbounds i8, ptr %{SCRATCH}, i64 {self.scratch}"
            self.code.define_at_entry("%callee_scratch", place)

    @property
    def whole_stack(self) -> int:
        return self.stack + self.code.stack_bytes

    @property
    def whole_scratch(self) -> int:
        return self.scratch + self._callees_scratch


def _held(piece: Piece) -> str:
    return REGISTERS[piece] if isinstance(piece, Scalar) else "ptr"


def _in_memory(kind: Scalar, number: ir.LeafValue) -> str:
    return f"i8 {int(number)}" if kind is BOOL else f"{IN_MEMORY[kind]} {constant(kind, number)}"
