"""LLVM's assembly language, written as text: constants, and functions block by block."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

from kcheck.checker.types import BOOL, FLOAT, Scalar

FAST_FLAGS = "reassoc nsz arcp contract "
"""What LLVM may do to arithmetic on Floats that is not strict."""


def constant(kind: Scalar, leaf: int) -> str:
    """A scalar of an IR constant: a bool, a signed int, or the bits of a Float."""
    if kind is BOOL:
        return "true" if leaf else "false"
    return float_constant(leaf) if kind is FLOAT else str(int(leaf))


def float_constant(bits: int) -> str:
    """A Float by its bits; LLVM writes it as the double of the same value."""
    sign, exponent, mantissa = bits >> 31, bits >> 23 & 0xFF, bits & 0x7FFFFF
    if exponent == 0xFF:
        exponent = 0x7FF
    elif exponent:
        exponent += 1023 - 127
    elif mantissa:  # subnormal as a Float, not as a double
        shift = 24 - mantissa.bit_length()
        exponent, mantissa = 1023 - 126 - shift, (mantissa << shift) & 0x7FFFFF
    return f"0x{sign << 63 | exponent << 52 | mantissa << 29:016X}"


class Code:
    """A function that is being written.

    There is always a current block, until a jump or return closes it; what follows then has to start another.
    """

    def __init__(self, float_flags: str = "") -> None:
        self.float_flags = float_flags
        """What LLVM may do to arithmetic on Floats beyond IEEE's rules; each word with a space behind it."""
        self._entry: list[str] = []
        self._lines: list[str] = []
        self._names = 0
        self.is_open = True
        self.block = "entry"
        """The label of the current block."""
        self.stack_bytes = 0

    # ------------------------------------------------------------ instructions

    def name(self) -> str:
        self._names += 1
        return f"%v{self._names}"

    def value(self, instruction: str) -> str:
        """Write an instruction that has a result; answers its name."""
        name = self.name()
        self._lines.append(f"  {name} = {instruction}")
        return name

    def do(self, instruction: str) -> None:
        self._lines.append(f"  {instruction}")

    def alloca(self, type_: str, size: int, align: int = 4) -> str:
        """Room on the stack for the whole of the function, whose type has `size` bytes."""
        self.stack_bytes += size + align
        return self.at_entry(f"alloca {type_}, align {align}")

    def at_entry(self, instruction: str) -> str:
        """As `value`, at the head of the function: the result is there on every path."""
        name = self.name()
        self.define_at_entry(name, instruction)
        return name

    def define_at_entry(self, name: str, instruction: str) -> None:
        self._entry.append(f"  {name} = {instruction}")

    # ------------------------------------------------------------ blocks

    def label(self, hint: str) -> str:
        self._names += 1
        return f"{hint}{self._names}"

    def start(self, label: str) -> None:
        """Begin a block; what was current goes on into it."""
        if self.is_open:
            self.jump(label)
        self._lines.append(f"{label}:")
        self.block = label
        self.is_open = True

    def jump(self, label: str) -> None:
        self.close(f"br label %{label}")

    def branch(self, condition: str, yes: str, no: str) -> None:
        self.close(f"br i1 {condition}, label %{yes}, label %{no}")

    def close(self, terminator: str) -> None:
        self._lines.append(f"  {terminator}")
        self.is_open = False

    @contextmanager
    def only_if(self, condition: str) -> Iterator[None]:
        """What is written inside runs only where `condition` (i1) is true."""
        yes, end = self.label("then"), self.label("end")
        self.branch(condition, yes, end)
        self.start(yes)
        yield
        self.start(end)

    # ------------------------------------------------------------ arithmetic in short

    def call(self, result: str, name: str, args: Iterable[str]) -> str:
        """A call that gives something; the arguments have their types in front."""
        return self.value(f"call {result} @{name}({', '.join(args)})")

    def offset(self, pointer: str, offset: int | str) -> str:
        """A pointer so many bytes (an i64) further on."""
        if offset in (0, "0"):
            return pointer
        return self.value(f"getelementptr inbounds i8, ptr {pointer}, i64 {offset}")

    def text(self, head: str) -> str:
        """The whole function: `head` is all before its brace."""
        return f"{head} {self.body()}"

    def body(self) -> str:
        """The function from its brace on."""
        return "\n".join(["{", "entry:", *self._entry, *self._lines, "}\n"])


def arguments(types: Sequence[str], names: Sequence[str]) -> list[str]:
    return [f"{type_} {name}" for type_, name in zip(types, names, strict=True)]
