"""Texts to start from, with places to fill in: items, members of kernels, the six modes, values, examples.

They are written as the protocol's snippets, `${1:default}`, `${1|a,b|}` and `$0` for where the cursor ends.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from kcheck.checker import types
from kcheck.checker.facts import Symbol, SymbolKind
from kcheck.checker.lower.fixes import free_name, zero
from kcheck.lsp.features.words import WORDS

_PLACE = re.compile(r"\$\{(\d+):((?:[^}\\]|\\.)*)\}|\$\{(\d+)\|([^,|]*)[^}]*\}|\$(\d+)")
_DEEPEST = 2
_ESCAPED = re.compile(r"\\([\\$}])")


@dataclass(frozen=True, slots=True)
class Snippet:
    """`word` is what one types to find it; `label` tells several of one word apart."""

    word: str
    text: str
    label: str = ""
    detail: str = ""


def plain(text: str) -> str:
    """A snippet for clients that know none: every place holds what it starts with."""
    defaults: dict[str, str] = {}
    for number, default, choice_number, choice, _ in _PLACE.findall(text):
        if number or choice_number:
            defaults.setdefault(number or choice_number, default if number else choice)
    filled = text
    for _ in range(_DEEPEST):  # what a place starts with may name others
        filled = _PLACE.sub(lambda m: defaults.get(m[1] or m[3] or m[5], ""), filled)
    return _ESCAPED.sub(r"\1", filled)


def escaped(text: str) -> str:
    """A text as it stands in a place of a snippet."""
    return re.sub(r"([\\$}])", r"\\\1", text)


def place(number: int, text: str) -> str:
    return f"${{{number}:{escaped(text)}}}"


# ---------------------------------------------------------------- items

_REQUIRES = "  requires { field.read; field.write; }"
_KERNELS: Mapping[str, tuple[str, str]] = {
    "map": (
        "runs for each element of its output",
        "kernel ${1:package.name}@1 {\n"
        f"{_REQUIRES}\n"
        "  input ${2:source}: Grid<Float>;\n"
        "  output ${3:result}: Grid<Float>;\n"
        "\n"
        "  compute {\n"
        "    ${0:sample($2)}\n"
        "  }\n"
        "}",
    ),
    "reduction": (
        "folds a field to one value",
        "kernel ${1:package.name}@1 {\n"
        f"{_REQUIRES}\n"
        "  input ${2:source}: Rows<Int>;\n"
        "  output ${3:result}: Rows<Int>;\n"
        "\n"
        "  compute over $2 {\n"
        "    sample($2)\n"
        "  }\n"
        "  merge(a, b) {\n"
        "    ${0:a + b}\n"
        "  }\n"
        "}",
    ),
    "scan": (
        "walks a field in order",
        "kernel ${1:package.name}@1 {\n"
        f"{_REQUIRES}\n"
        "  input ${2:source}: Rows<Float>;\n"
        "  output ${3:result}: Rows<Float>;\n"
        "\n"
        "  scan over $2 with ${4:carried} = ${5:0.0} {\n"
        "    ${0:$4 + sample($2)}\n"
        "  }\n"
        "}",
    ),
    "scatter": (
        "writes to computed addresses",
        "kernel ${1:package.name}@1 {\n"
        f"{_REQUIRES}\n"
        "  input ${2:source}: Rows<Int>;\n"
        "  input ${3:target}: Rows<Int>;\n"
        "  output ${4:result}: Rows<Int>;\n"
        "  struct ${5:Pair} { address: Int; value: Int; }\n"
        "\n"
        "  scatter over $2 into $3 with ${6|sum,min,max,last|} {\n"
        "    $5 { address: sample($2), value: ${0:1} }\n"
        "  }\n"
        "}",
    ),
    "prefix": (
        "combines running values",
        "kernel ${1:package.name}@1 {\n"
        f"{_REQUIRES}\n"
        "  input ${2:source}: Rows<Int>;\n"
        "  output ${3:result}: Rows<Int>;\n"
        "\n"
        "  prefix over $2 with ${4|sum,min,max|} {\n"
        "    ${0:sample($2)}\n"
        "  }\n"
        "}",
    ),
    "group": (
        "lets neighbours trade values",
        "kernel ${1:package.name}@1 {\n"
        f"{_REQUIRES}\n"
        "  input ${2:source}: Rows<Float>;\n"
        "  output ${3:result}: Rows<Float>;\n"
        "\n"
        "  group ${4:64} {\n"
        "    let mine = sample($2);\n"
        "    ${0:mine + exchange(mine, lane() ^ 1)}\n"
        "  }\n"
        "}",
    ),
}
"""A kernel of each mode, by the mode's name."""

ITEMS: Sequence[Snippet] = (
    *(Snippet("kernel", text, f"kernel: {mode}", detail) for mode, (detail, text) in _KERNELS.items()),
    Snippet("fn", "fn ${1:name}(${2:x}: ${3:Float}) -> ${4:Float} {\n  return ${0:$2};\n}"),
    Snippet("struct", "struct ${1:Name} {\n  ${2:field}: ${3:Float};\n}"),
    Snippet("enum", "enum ${1:Name} {\n  ${2:First};\n  ${3:Second} { ${4:value}: ${5:Float}; }\n}"),
    Snippet("const", "const ${1:NAME}: ${2:Int} = ${3:1};"),
)
STATEMENTS: Sequence[Snippet] = (
    Snippet("let", "let ${1:x} = $0;"),
    Snippet("var", "var ${1:x} = $0;"),
    Snippet("if", "if ${1:condition} {\n  $0\n}"),
    Snippet("if", "if ${1:condition} {\n  $2\n} else {\n  $0\n}", "if … else"),
    Snippet("for", "for ${1:i} in ${2:0}..${3:n} {\n  $0\n}"),
    Snippet("for", "for ${1:i} in ${2:0}..${3:n} until ${4:condition} {\n  $0\n}", "for … until"),
    Snippet("loop", "loop ${1:n} {\n  $0\n}"),
    Snippet("loop", "loop ${1:n} until ${2:condition} {\n  $0\n}", "loop … until"),
    Snippet("match", "match ${1:value} {\n  $0\n}"),
    Snippet("return", "return $0;"),
)
VALUES: Sequence[Snippet] = (
    Snippet("if", "if ${1:condition} { $2 } else { $0 }", "if … else"),
    Snippet("match", "match ${1:value} {\n  $0\n}"),
)


# ---------------------------------------------------------------- members of kernels


@dataclass(frozen=True)
class Ports:
    """What a kernel declares, as far as it is known, by kind in the order of declaration."""

    inputs: Sequence[Symbol] = ()
    outputs: Sequence[Symbol] = ()
    memories: Sequence[Symbol] = ()
    params: Sequence[Symbol] = ()

    @property
    def result(self) -> types.Field | None:
        """The type of the only output."""
        return field_of(self.outputs[0]) if len(self.outputs) == 1 else None


_KINDS = {
    SymbolKind.INPUT: "inputs",
    SymbolKind.OUTPUT: "outputs",
    SymbolKind.MEMORY: "memories",
    SymbolKind.PARAM: "params",
}


def ports_of(values: Mapping[str, Symbol]) -> Ports:
    """The ports and params among the values in sight."""
    found: dict[str, list[Symbol]] = {kind: [] for kind in _KINDS.values()}
    for symbol in values.values():
        if symbol.kind in _KINDS:
            found[_KINDS[symbol.kind]].append(symbol)
    for symbols in found.values():
        symbols.sort(key=lambda symbol: 0 if symbol.origin is None else symbol.origin.span.start)
    return Ports(**found)


def field_of(symbol: Symbol) -> types.Field | None:
    return symbol.type if isinstance(symbol.type, types.Field) else None


def declarations(ports: Ports) -> Iterator[Snippet]:
    """The members that declare something."""
    name = "source" if not ports.inputs else "other"
    yield Snippet("input", f"input ${{1:{name}}}: ${{2:Rows}}<${{3:Float}}>;$0")
    yield Snippet("output", "output ${1:result}: ${2:Rows}<${3:Float}>;$0")
    yield Snippet("memory", "memory ${1:cells}: ${2:Rows}<${3:Int}>;$0")
    yield Snippet("param", "param ${1:amount}: Float = ${2:0.5} in ${3:0.0}..${4:1.0};$0", "param with a range")
    yield Snippet("param", "param ${1:count}: ${2:Int} = ${3:1};$0")
    yield from (snippet for snippet in ITEMS if snippet.word != "kernel")


def requires(ports: Ports) -> Snippet:
    permissions = [
        *(["field.read;"] if ports.inputs or ports.memories else []),
        *(["field.write;"] if ports.outputs else []),
    ]
    return Snippet("requires", f"requires {{ {' '.join(permissions or ['field.read;', 'field.write;'])} }}$0")


def bodies(ports: Ports, taken: Iterable[str]) -> Iterator[Snippet]:
    """A body of each mode that the ports allow; `taken` are the names of types."""
    source = ports.inputs[0] if ports.inputs else None
    name = source.name if source is not None else "source"
    yield _mode("compute", "compute {\n  ${0:" + escaped(_values(ports)) + "}\n}")
    if source is not None:
        over = place(1, name)
        yield _mode(
            "compute over", f"compute over {over} {{\n  ${{2:{escaped(value(ports))}}}\n}}\n{merge(ports).text}"
        )
        yield _mode(
            "scan", f"scan over {over} with ${{2:carried}} = {_start(ports)} {{\n  ${{0:{_carried(ports)}}}\n}}"
        )
        yield from _scatter(ports, free_name("Pair", taken))
        yield from _prefix(ports)
    yield _mode("group", "group ${1:64} {\n  ${0:" + escaped(_values(ports)) + "}\n}")


def _mode(word: str, text: str) -> Snippet:
    return Snippet(word, text, detail=WORDS[word].form)


def value(ports: Ports) -> str:
    """A value of the output's type: of the first input where that has it."""
    result = ports.result
    if result is None:
        return ""
    source = field_of(ports.inputs[0]) if ports.inputs else None
    if source is not None and source.element == result.element:
        return f"sample({ports.inputs[0].name})"
    return zero(result.element)


def _values(ports: Ports) -> str:
    """What a map gives: a value, or a record of all outputs."""
    fields = [(symbol.name, field_of(symbol)) for symbol in ports.outputs]
    if len(fields) < 2:
        source = field_of(ports.inputs[0]) if ports.inputs else None
        result = ports.result
        same_rank = source is not None and result is not None and source.rank == result.rank
        return value(ports) if same_rank or result is None else zero(result.element)
    return f"{{ {', '.join(f'{name}: {zero(f.element) if f is not None else 0}' for name, f in fields)} }}"


def merge(ports: Ports) -> Snippet:
    result = ports.result
    text = "a" if result is None else merged(result.element, "a", "b")
    return Snippet("merge", f"merge(a, b) {{\n  ${{0:{escaped(text)}}}\n}}", detail=WORDS["merge"].form)


def merged(type_: types.Type, a: str, b: str) -> str:
    """The sum of two values, part by part; of Bools whether one is true."""
    match type_:
        case types.Scalar.BOOL:
            return f"{a} || {b}"
        case types.Struct():
            fields = (
                f"{each.name}: {merged(each.type, f'{a}.{each.name}', f'{b}.{each.name}')}" for each in type_.fields
            )
            return f"{type_.name} {{ {', '.join(fields)} }}"
        case types.Scalar() | types.Vec() | types.Mat():
            return f"{a} + {b}"
        case _:
            return a


def _start(ports: Ports) -> str:
    result = ports.result
    return "${3:" + ("0" if result is None else escaped(zero(result.element))) + "}"


def _carried(ports: Ports) -> str:
    result = ports.result
    is_number = result is not None and isinstance(result.element, (types.Vec, types.Mat))
    is_number = is_number or (result is not None and result.element in (types.INT, types.FLOAT))
    read = value(ports)
    return f"$2 + {read}" if is_number and read.startswith("sample") else "$2"


def _scatter(ports: Ports, pair: str) -> Iterator[Snippet]:
    target = field_of(ports.inputs[-1])
    if target is None:
        return
    address, element = types.address_type(target.rank), target.element
    op = "${3|sum,min,max,last|}" if not _is_discrete(element) else "last"
    yield _mode(
        "scatter",
        f"struct {pair} {{ address: {address}; value: {element}; }}\n\n"
        f"scatter over {place(1, ports.inputs[0].name)} into {place(2, ports.inputs[-1].name)} with {op} {{\n"
        f"  {pair} {{ address: ${{4:{escaped(zero(address))}}}, value: ${{0:{escaped(zero(element))}}} }}\n}}",
    )


def _prefix(ports: Ports) -> Iterator[Snippet]:
    result = ports.result
    if result is not None and not _is_discrete(result.element):
        ops = "max,min" if types.contains(result.element, types.FLOAT) else "sum,max,min"
        head = f"prefix over {place(1, ports.inputs[0].name)} with ${{2|{ops}|}}"
        yield _mode("prefix", f"{head} {{\n  ${{0:{escaped(value(ports))}}}\n}}")


def _is_discrete(type_: types.Type) -> bool:
    """Whether `sum`, `min` and `max` do not take a type."""
    return types.contains_enum(type_) or types.contains(type_, types.BOOL)


# ---------------------------------------------------------------- values


def call(name: str, arguments: Sequence[str]) -> str:
    """A call with a place for each argument."""
    return f"{name}({', '.join(place(i + 1, argument) for i, argument in enumerate(arguments))})"


def fields(owner: Sequence[types.FieldOf], start: int = 1) -> str:
    """`name: value` for each field."""
    return ", ".join(f"{each.name}: {place(start + i, zero(each.type))}" for i, each in enumerate(owner))


def made(name: str, owner: Sequence[types.FieldOf]) -> str:
    """A value of a struct or variant with all fields."""
    return f"{name} {{ {fields(owner)} }}" if owner else name


SIZES = {1: (3,), 2: (2, 2), 3: (2, 2, 2)}
"""The sizes of the fields in new examples, slowest axis first, by rank."""


def example_value(type_: types.Type | types.Field, shape: Sequence[int] | None = None) -> str:
    """A value for a port or param of an example, `shape` slowest axis first."""
    if not isinstance(type_, types.Field):
        return plain_value(type_)
    size = tuple(shape or SIZES[type_.rank])
    count = 1
    for length in size:
        count *= length
    if count <= 12 and (isinstance(type_.element, types.Scalar) or types.contains_enum(type_.element)):
        return _nested(plain_value(type_.element), size)
    if types.contains_enum(type_.element):
        return _repeated(plain_value(type_.element), size)
    written = tuple(reversed(size))
    return f"zeros({written[0] if len(written) == 1 else written})"


def _nested(element: str, shape: Sequence[int]) -> str:
    if not shape:
        return element
    return f"[{', '.join([_nested(element, shape[1:])] * shape[0])}]"


def _repeated(element: str, shape: Sequence[int]) -> str:
    return f"[{_repeated(element, shape[1:])}; {shape[0]}]" if shape else element


def plain_value(type_: types.Type) -> str:
    """A value as examples write it, in short: `{ x: 0 }`, `[0, 0]`."""
    match type_:
        case types.Struct():
            return f"{{ {', '.join(f'{each.name}: {plain_value(each.type)}' for each in type_.fields)} }}"
        case types.Scalar.FLOAT:
            return "0.0"
        case types.Vec():
            return f"[{', '.join(['0.0'] * type_.size)}]"
        case _:
            return zero(type_)
