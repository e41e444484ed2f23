"""Wide reads and writes: an invocation that takes four elements at once reads and writes them by four words.

The memory of a real device is only quick when much is asked for at once.  An input is a *stream* where its elements
at the own place are read and small; its words for the four elements are read before any of them runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kcheck.checker import ir
from kcheck.checker.types import Type
from kcheck.runtime.gpu.wgsl.module import Module, Subject
from kcheck.runtime.gpu.wgsl.names import words

AT_ONCE = 4
_MOST_WORDS = 4
"""Of an element; larger ones are wide by themselves."""
_MOST_NODES = 400
"""Of a program, which is compiled four times."""


@dataclass(frozen=True, slots=True)
class Streams:
    """The inputs that are streams, in order."""

    ports: tuple[ir.PortDecl, ...]

    def declare(self, module: Module) -> None:
        """To be called before functions are written: they take the element at the own place from variables."""
        module.streamed = frozenset(port.name for port in self.ports)
        for port in self.ports:
            type_ = module.types.name(port.type.element)
            module.declare(f"here_{port.name}", f"var<private> here_{port.name}: {type_};")

    def read(self, module: Module, first: str, tag: str = "") -> list[str]:
        """The lines that read all words for four elements; `first` is the first one's number divided by 4."""
        lines = []
        for port in self.ports:
            buffer, count = module.buffer(f"wide_{port.name}", "wide_read"), words(port.type.element)
            lines += [f"let s{tag}_{port.name}_{i} = {buffer}[{first} * {count}u + {i}u];" for i in range(count)]
        return lines

    def place(self, module: Module, which: int, tag: str = "") -> list[str]:
        """The lines that make one of the four the element at the own place."""
        lines = []
        for port in self.ports:
            type_, count = port.type.element, words(port.type.element)
            texts = [word(f"s{tag}_{port.name}_", which * count + i) for i in range(count)]
            lines.append(f"here_{port.name} = {module.from_words(type_, texts)};")
        return lines

    def is_wide(self, results: Sequence[Type]) -> bool:
        """Whether an element fills four words somewhere: then those that an invocation takes do not follow one another,
        but neighbours go to neighbouring invocations."""
        return any(words(type_) == 4 for type_ in (*results, *(port.type.element for port in self.ports)))

    def fetch(self, module: Module, number: str, tag: str) -> list[str]:
        """The lines that read the words of element `number` (a text that may stand in a product)."""
        lines = []
        for port in self.ports:
            count, name = words(port.type.element), f"s{tag}_{port.name}_"
            if count == 4:
                lines.append(f"let {name}0 = {module.buffer(f'wide_{port.name}', 'wide_read')}[{number}];")
            else:
                buffer = module.buffer(f"in_{port.name}")
                inside = [f"{buffer}[{number} * {count}u + {i}u]" for i in range(count)]
                lines.append(f"let {name}0 = vec4<u32>({', '.join([*inside, *['0u'] * (4 - count)])});")
        return lines


def word(name: str, number: int) -> str:
    """A word of those that lie in vectors of this name and a number."""
    return f"{name}{number // 4}.{'xyzw'[number % 4]}"


def nodes_of(subject: Subject) -> int:
    """How large a program is."""
    return sum(1 for function in subject.program.functions for _ in ir.walk(function.body))


def streams_of(subject: Subject, results: tuple[Type, ...]) -> Streams | None:
    """The streams of a program whose results for an element are these; None where four at once do not pay."""
    program = subject.program
    types = [*results, *(port.type.element for port in program.inputs if port.name in program.sampled)]
    small = all(1 <= words(type_) <= _MOST_WORDS for type_ in types)
    if not subject.traits.at_once or not small or nodes_of(subject) > _MOST_NODES or subject.empty:
        return None
    return Streams(tuple(port for port in program.inputs if port.name in program.sampled))
