"""A shader that is being written: its bindings, types and functions, each declared when it is first needed."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TypeAlias

from kcheck.checker import ir
from kcheck.checker.types import FLOAT, INT, Array, Enum, Mat, Scalar, Struct, Type, Vec, leaves, parts
from kcheck.grammar.spans import Origin
from kcheck.runtime.backend import Unsupported
from kcheck.runtime.gpu.wgsl import library
from kcheck.runtime.gpu.wgsl.names import TypeNames, field_word, kind, members, payload_word, words
from kcheck.runtime.gpu.wgsl.traits import Traits


@dataclass(frozen=True, slots=True)
class Stage:
    """One shader and what it is bound to.

    A workgroup takes so many `elements`.  `buffers` are the names of the storage buffers in the order of their
    bindings, with whether the shader writes them; binding 0 is the uniform block, which holds `facts` (see
    `Module.fact`) after its twelve fixed words.  `tables` are the words of the constants that are read from the
    buffer of that name.  `sites` are the reads of empty fields, numbered as in the buffer `failures`.
    """

    code: str
    elements: int
    buffers: tuple[tuple[str, bool], ...]
    facts: tuple[tuple[str, str], ...]
    tables: tuple[int, ...]
    sites: tuple[tuple[str, Origin], ...]


@dataclass(frozen=True, slots=True)
class Subject:
    """What is compiled: a program without calls of the prelude's built-ins, for a driver.

    `empty` are the ports without elements, whose reads are errors.  `remark` gives the comment for a place in the
    source, if any.
    """

    program: ir.Program
    traits: Traits
    empty: frozenset[str]
    remark: Callable[[Origin], str | None] = lambda _: None


Write: TypeAlias = Callable[[str, str, Scalar], str]
"""The statement that writes a word: its number, its bits (a u32), and the kind of scalar that they are."""

_WRITTEN_OUT = 64
"""The most words of an array whose elements are written out one by one; a loop needs computed indices."""

_LOCAL_LIMIT = 16
"""The most words of a constant that is written into code; larger ones are read from a buffer."""


class Module:
    """Collects the parts of one shader."""

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self.program = subject.program
        self.traits = subject.traits
        self.types = TypeNames()
        self._functions: dict[str, str] = {}
        self._library: dict[str, str] = {}
        self._globals: dict[str, str] = {}
        self._buffers: dict[str, str] = {}
        self._facts: dict[tuple[str, str], str] = {}
        self._tables: dict[tuple[object, ...], int] = {}
        self._table_words: list[int] = []
        self._sites: dict[tuple[str, Origin], int] = {}
        self.streamed: frozenset[str] = frozenset()
        """The inputs whose element at the own place lies in a variable `here_…` before an element run."""
        self._available = _library(subject.traits)

    # ------------------------------------------------------------ declarations

    def buffer(self, name: str, access: str = "read") -> str:
        """The name of a storage buffer; `access` is `read`, `write` (which reads too), `atomic`, or `wide_read` and
        `wide_write` for one whose items are four words."""
        known = self._buffers.get(name, "read")
        self._buffers[name] = access if known == "read" else known
        return name

    def fact(self, what: str, port: str = "") -> str:
        """Four words of the uniform block: the `size` of a port (x, y, z and all), its `extent`, the `domain`."""
        self._facts.setdefault((what, port), f"{what}_{port}" if port else what)
        return f"run.{self._facts[what, port]}"

    def declare(self, name: str, text: str) -> str:
        """A variable or alias of the module."""
        self._globals[name] = text
        return name

    @property
    def declared(self) -> frozenset[str]:
        """The names of the functions that the shader has, but for the library's."""
        return frozenset(self._functions)

    def function(self, name: str, text: Callable[[], str]) -> str:
        """A function of the shader, written when it is first asked for."""
        if name not in self._functions:
            self._functions[name] = ""  # keeps its place, and stops recursion
            self._functions[name] = text()
        return name

    def use(self, name: str) -> str:
        """A function of the library, with all that it calls."""
        if name not in self._library:
            text = self._library[name] = self._available[name]
            for word in re.findall(r"[A-Za-z_]\w*", text):
                if word != name and word in self._available:
                    self.use(word)
            if "parts_of" in text and name != "Parts":
                self.use("Parts")
        return name

    def arithmetic(self, name: str, type_: Type, arity: int) -> str:
        """A function of the library for a type of Floats, component by component."""
        if isinstance(type_, Vec):
            self.use(f"{name}_f32")
            made = library.by_component(name, arity, type_.size)
            return self.function(f"{name}_{kind(type_)}", lambda: made)
        if isinstance(type_, Mat):
            self.arithmetic(name, Vec(type_.size), arity)
            made = library.by_column(name, arity, type_.size)
            return self.function(f"{name}_{kind(type_)}", lambda: made)
        return self.use(f"{name}_{kind(type_)}")

    def site(self, port: str, origin: Origin) -> int:
        return self._sites.setdefault((port, origin), len(self._sites))

    # ------------------------------------------------------------ constants

    def is_table(self, const: ir.Const) -> bool:
        """Whether a constant is read from the buffer `tables` instead of being written out."""
        return words(const.type) > _LOCAL_LIMIT

    def table(self, const: ir.Const) -> int:
        """Where in the buffer `tables` the words of a constant begin."""
        key = (const.type, const.leaves)
        if key not in self._tables:
            self._tables[key] = len(self._table_words)
            self._table_words += [int(leaf) & 0xFFFFFFFF for leaf in const.leaves]
        return self._tables[key]

    # ------------------------------------------------------------ arrays

    def is_looped(self, type_: Array) -> bool:
        """Whether code for all elements of an array is a loop, and not written out."""
        if words(type_) <= _WRITTEN_OUT:
            return False
        self.check_indexed(type_)
        return True

    def check_indexed(self, type_: Type) -> None:
        """Refuse arrays that are too large for a computed index to choose from them."""
        limit = self.traits.indexed_words
        if words(type_) > limit:
            raise Unsupported(
                f"computed indices choose from {type_}, and the device takes at most {limit} numbers there"
            )

    # ------------------------------------------------------------ values and their scalars

    def assembled(self, type_: Type, pieces: list[str]) -> str:
        """A value from its scalars, which are taken from the front of `pieces`."""
        if isinstance(type_, Scalar):
            return pieces.pop(0)
        return self.types.made(type_, [self.assembled(part, pieces) for _, part in _pieces(type_)])

    def from_words(self, type_: Type, texts: Sequence[str]) -> str:
        """A value from its words (each a u32)."""
        return self.assembled(
            type_, [_from_word(text, leaf.scalar) for text, leaf in zip(texts, leaves(type_), strict=True)]
        )

    def to_words(self, type_: Type, value: str) -> list[str]:
        """The words of a value, which is a name."""
        if isinstance(type_, Scalar):
            return [_to_word(value, type_)]
        inside = zip(_accessors(type_), _pieces(type_), strict=True)
        return [word for accessor, (_, part) in inside for word in self.to_words(part, f"{value}{accessor}")]

    # ------------------------------------------------------------ values in buffers

    def load(self, buffer: str, at: str, type_: Type) -> str:
        """The value of `type_` whose first word is number `at` (a u32) of a buffer."""
        return self.loaded(lambda word: f"{buffer}[{word}]", buffer, at, type_)

    def loaded(self, word: Callable[[str], str], source: str, at: str, type_: Type) -> str:
        """As `load`, where `word` gives the text that reads a word; `source` names it."""
        match type_:
            case Scalar():
                return _from_word(word(at), type_)
            case Vec():
                inside = ", ".join(word(plus(at, i)) for i in range(type_.size))
                return f"bitcast<{self.types.name(type_)}>(vec{type_.size}<u32>({inside}))"
            case _:
                name = f"load_{source}_{self.types.word(type_)}"
                return f"{self.function(name, lambda: self._loader(name, word, source, type_))}({at})"

    def _loader(self, name: str, word: Callable[[str], str], source: str, type_: Type) -> str:
        result = self.types.name(type_)
        if isinstance(type_, Array) and self.is_looped(type_):
            step = words(type_.element)
            element = self.loaded(word, source, f"at + i * {step}u", type_.element)
            body = [
                f"  var value: {result};",
                f"  for (var i = 0u; i < {type_.length}u; i++) {{",
                f"    value[i] = {element};",
                "  }",
                "  return value;",
            ]
        else:
            inside = [self.loaded(word, source, plus("at", first), part) for first, part in _pieces(type_)]
            body = [f"  return {self.types.made(type_, inside)};"]
        return "\n".join([f"fn {name}(at: u32) -> {result} {{", *body, "}"])

    def store(self, buffer: str, at: str, type_: Type, value: str) -> str:
        """The statement that writes a value (a name) to a buffer, whose first word there is number `at`."""
        return f"{self.storer(lambda word, bits, _: f'{buffer}[{word}] = {bits};', buffer, type_)}({at}, {value});"

    def storer(self, write: Write, target: str, type_: Type) -> str:
        """The function `(at: u32, value)` that writes each word of a value as `write` says; `target` names it."""
        name = f"store_{target}_{self.types.word(type_)}"
        return self.function(name, lambda: self._storer(name, write, target, type_))

    def _storer(self, name: str, write: Write, target: str, type_: Type) -> str:
        if isinstance(type_, Array) and self.is_looped(type_):
            inner = self.storer(write, target, type_.element)
            step = words(type_.element)
            body = [
                f"  for (var i = 0u; i < {type_.length}u; i++) {{",
                f"    {inner}(at + i * {step}u, value[i]);",
                "  }",
            ]
        else:
            body = [f"  {line}" for line in self._writes(write, target, type_)]
        return "\n".join([f"fn {name}(at: u32, value: {self.types.name(type_)}) {{", *body, "}"])

    def _writes(self, write: Write, target: str, type_: Type) -> list[str]:
        if isinstance(type_, Scalar):
            return [write("at", _to_word("value", type_), type_)]
        if isinstance(type_, Vec):
            return [write(plus("at", i), f"bitcast<u32>(value.{'xyzw'[i]})", FLOAT) for i in range(type_.size)]
        return [
            f"{self.storer(write, target, part)}({plus('at', first)}, value{accessor});"
            for accessor, (first, part) in zip(_accessors(type_), _pieces(type_), strict=True)
        ]

    # ------------------------------------------------------------ all of it

    def stage(self, body: str, elements: int) -> Stage:
        """The shader with this entry point, whose workgroups take so many elements."""
        buffers = tuple((name, access not in ("read", "wide_read")) for name, access in self._buffers.items())
        if len(buffers) > self.traits.buffers:
            raise Unsupported(f"it needs {len(buffers)} buffers, and the device binds {self.traits.buffers}")
        block = [f"  {name}: vec4<u32>," for name in self._facts.values()]
        sections = [
            *self.types.declarations,
            "\n".join([_BLOCK, *block, "}"]),
            "@group(0) @binding(0) var<uniform> run: Run;",
            *(self._binding(i, name, access) for i, (name, access) in enumerate(self._buffers.items(), 1)),
            *self._globals.values(),
            *self._library.values(),
            *self._functions.values(),
            body,
        ]
        code = "\n\n".join(section.rstrip("\n") for section in sections) + "\n"
        return Stage(code, elements, buffers, tuple(self._facts), tuple(self._table_words), tuple(self._sites))

    def _binding(self, number: int, name: str, access: str) -> str:
        word = {
            "atomic": "atomic<i32>",
            "atomic64": "atomic<u64>",
            "wide_read": "vec4<u32>",
            "wide_write": "vec4<u32>",
        }.get(access, "u32")
        mode = "read" if access in ("read", "wide_read") else "read_write"
        return f"@group(0) @binding({number}) var<storage, {mode}> {name}: array<{word}>;"


_BLOCK = """\
struct Run {
  one: f32,
  negative_zero: f32,
  count: u32, // the elements of the domain
  first: u32, // numbers whose meaning is the schedule's
  step: u32,
  limit: u32,
  zeros: vec4<u32>,"""


@cache
def _library(traits: Traits) -> Mapping[str, str]:
    return library.functions(traits)


def param_word(program: ir.Program, name: str) -> int:
    """Where in the buffer `params` the words of a param begin."""
    before = 0
    for param in program.params:
        if param.name == name:
            break
        before += words(param.type)
    return before


def plus(at: str, offset: int) -> str:
    """The number of a word so many further on."""
    return f"{at} + {offset}u" if offset else at


def times(at: str, factor: int) -> str:
    return at if factor == 1 else f"{at} * {factor}u"


def _pieces(type_: Type) -> list[tuple[int, Type]]:
    """The direct parts of a type, each with the word at which it begins; all members of an enum."""
    if isinstance(type_, Struct):
        return [(field_word(type_, i), field.type) for i, field in enumerate(type_.fields)]
    if isinstance(type_, Enum):
        payloads = [
            (payload_word(type_, v, i), field.type)
            for v, variant in enumerate(type_.variants)
            for i, field in enumerate(variant.fields)
        ]
        return [(0, INT), *payloads]
    inside = parts(type_)
    return [(i * words(part), part) for i, part in enumerate(inside)]


def _accessors(type_: Type) -> list[str]:
    if isinstance(type_, Struct) and not type_.fields:
        return []
    if isinstance(type_, (Struct, Enum)):
        return [f".{name}" for name, _ in members(type_)]
    if isinstance(type_, Vec):
        return [f".{axis}" for axis in "xyzw"[: type_.size]]
    return [f"[{i}]" for i in range(len(parts(type_)))]


def _from_word(word: str, type_: Scalar) -> str:
    if type_ is FLOAT or type_ is INT:
        return f"bitcast<{'f32' if type_ is FLOAT else 'i32'}>({word})"
    return f"({word} != 0u)"


def _to_word(value: str, type_: Scalar) -> str:
    if type_ is FLOAT or type_ is INT:
        return f"bitcast<u32>({value})"
    return f"u32({value})"
