"""What a shader's text depends on besides the program: what the driver does to numbers and loops, and its limits."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Guard(Enum):
    """How arithmetic on Floats is kept from being contracted, reordered or folded by a driver.

    All of them mix in numbers that no compiler knows, for they come from a buffer.
    """

    FMA = "fma"
    """Each operation is one `fma` with an unknown 1 or -0."""
    XOR = "xor"
    """Each operation has the bits of an operand and of its result xor-ed with an unknown 0."""
    BOTH = "fma and xor"


@dataclass(frozen=True, slots=True)
class Traits:
    """`exact_division` and `exact_root` say that the driver's own `/` and `sqrt` are correctly rounded.

    `rounds` is how many rounds of loops an invocation may run where the driver ends it silently after some, else
    None.  `workgroup_bytes` and `invocations` bound a workgroup.  `indexed_words` is the largest
    array within an invocation from which a computed index may choose: software drivers take very long to compile
    more, real devices have no memory for more.
    `at_once` says whether it pays that an invocation takes four elements at once, with wide reads and writes.
    """

    guard: Guard
    exact_division: bool
    exact_root: bool
    rounds: int | None
    invocations: int
    workgroup_bytes: int
    buffers: int
    indexed_words: int
    at_once: bool


COMMON = Traits(Guard.FMA, False, False, None, 256, 16384, 8, 1024, True)
"""What any device has: for showing code where there is none."""
