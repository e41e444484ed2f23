"""What a shader's text depends on besides the program: what the driver does to numbers and loops, and its limits."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum


class Guard(Enum):
    """How arithmetic on Floats is kept from being contracted, reordered or folded by a driver.

    All but the last mix in numbers that no compiler knows, for they come from a buffer.
    """

    FMA = "fma"
    """Each operation is one `fma` with an unknown 1 or -0."""
    XOR = "xor"
    """Each operation has the bits of an operand and of its result xor-ed with an unknown 0."""
    BOTH = "fma and xor"
    NONE = "none"
    """Drivers may do what they like, as `--fast` allows."""


class Comparison(Enum):
    """How Floats are compared, as drivers may fold tests that only a NaN fails.  The fastest way comes first."""

    OWN = "own"
    """As the driver does."""
    APART = "apart"
    """So that no compiler can tell that a number is compared with itself."""
    HIDDEN = "hidden"
    """So that none can tell what the opposite of a result is, either."""
    BITS = "bits"
    """As Ints, which is right everywhere, for subnormal numbers too."""


@dataclass(frozen=True, slots=True)
class Traits:
    """`exact_division` and `exact_root` say that the driver's own `/` and `sqrt` are correctly rounded.

    `rounds` is how many rounds of loops an invocation may run where the driver ends it silently after some, else
    None.  `workgroup_bytes` and `invocations` bound a workgroup.  `indexed_words` is the largest
    array within an invocation from which a computed index may choose: software drivers take very long to compile
    more, real devices have no memory for more.
    `at_once` says whether it pays that an invocation takes four elements at once, with wide reads and writes.
    `subgroup` is how many neighbouring invocations run as one and may use subgroup operations, 0 where none may.
    `looks_back` says that workgroups go on while others wait for them, and that there are atomic operations on 64 bits.
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
    subgroup: int = 0
    comparison: Comparison = Comparison.BITS
    looks_back: bool = False


COMMON = Traits(Guard.FMA, False, False, None, 256, 16384, 8, 1024, True)
"""What any device has: for showing code where there is none."""


def fast(traits: Traits) -> Traits:
    """Those for code in which arithmetic is the driver's own."""
    return replace(traits, guard=Guard.NONE, exact_division=True, exact_root=True)
