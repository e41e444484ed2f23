"""The entries that an example could have, with values of the right type and shape."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kcheck.checker import types
from kcheck.checker.facts import Symbol
from kcheck.grammar import syntax
from kcheck.lsp.features.cursor import Cursor, Inside
from kcheck.lsp.features.snippets import SIZES, Ports, Snippet, escaped, example_value, field_of, place

_ELEMENTWISE = (syntax.MapBody, syntax.GroupBody)


def whole(cursor: Cursor, ports: Ports) -> Snippet:
    """An example that binds all that has to be bound."""
    lines = [
        *(f"{symbol.name} = {place(i + 2, _value(cursor, symbol))};" for i, symbol in enumerate(_bound(cursor, ports))),
        *([f"{_domain(ports)}"] if _needs_domain(cursor, ports) else []),
    ]
    inner = "".join(f"  {line}\n" for line in lines)
    return Snippet("example", f"example ${{1:name}} {{\n{inner}  $0\n}}")


def entries(cursor: Cursor, ports: Ports) -> Iterator[tuple[Snippet, int]]:
    """The entries that an example lacks, with their ranks: what must be bound comes first."""
    given = _given(cursor)
    missing = [symbol for symbol in _bound(cursor, ports) if symbol.name not in given]
    for symbol in missing:
        text = f"{symbol.name} = {place(1, _value(cursor, symbol))};"
        yield Snippet(symbol.name, text, detail=symbol.detail), 1
    if len(missing) > 1:
        lines = (f"{symbol.name} = {place(i + 1, _value(cursor, symbol))};" for i, symbol in enumerate(missing))
        detail = ", ".join(symbol.name for symbol in missing)
        yield Snippet(missing[0].name, "\n".join(lines), "all that is missing", detail), 0
    for symbol in ports.params:
        if symbol.name not in given and symbol not in missing:
            yield Snippet(symbol.name, f"{symbol.name} = {place(1, _value(cursor, symbol))};", detail=symbol.detail), 3
    if "domain" not in given and _body(cursor) in _ELEMENTWISE:
        yield Snippet("domain", _domain(ports), detail="the size of what the kernel runs for"), 3
    for snippet in expectations(cursor, ports, after_word=False):
        yield snippet, 2


def expectations(cursor: Cursor, ports: Ports, *, after_word: bool) -> Iterator[Snippet]:
    """What could be expected and is not yet; `after_word` where `expect` stands there already."""
    given = _given(cursor, expected=True)
    for symbol in (*ports.outputs, *ports.memories):
        if symbol.name not in given:
            text = f"{symbol.name} = {place(1, _value(cursor, symbol))};"
            if after_word:
                yield Snippet(symbol.name, text, detail=symbol.detail)
            else:
                yield Snippet("expect", f"expect {text}", f"expect {symbol.name}", symbol.detail)


def _given(cursor: Cursor, *, expected: bool = False) -> set[str]:
    """The names of the entries that stand before and behind the cursor."""
    frame = cursor.nearest(Inside.EXAMPLE)
    found = set()
    for part in () if frame is None else frame.done:
        words = [piece.text for piece in part if piece.text != "param"]
        if (words[0] == "expect") == expected:
            found.add(words[1 if expected and len(words) > 1 else 0])
    node = _example(cursor)
    if node is not None:
        found |= {entry.name.text for entry in node.entries if entry.expected == expected}
    return found


def _example(cursor: Cursor) -> syntax.Example | None:
    """The example around the cursor, as far as it could be read."""
    item = cursor.item
    if item is None or not isinstance(item.node, syntax.Kernel):
        return None
    place_ = cursor.offset - item.offset
    examples = (member for member in item.node.members if isinstance(member, syntax.Example))
    return next((node for node in examples if node.span.start <= place_ <= node.span.end), None)


def _body(cursor: Cursor) -> type[syntax.Body] | None:
    node = None if cursor.item is None else cursor.item.node
    members = node.members if isinstance(node, syntax.Kernel) else ()
    return next((type(member) for member in members if isinstance(member, syntax.Body)), None)


def _bound(cursor: Cursor, ports: Ports) -> list[Symbol]:
    """What every example has to bind."""
    required = [symbol for symbol in ports.params if " = " not in symbol.detail]
    return [*ports.inputs, *ports.memories, *required]


def _value(cursor: Cursor, symbol: Symbol) -> str:
    """A value for a port or param: a param's default, else the least of its range."""
    if field_of(symbol) is None and symbol.type is not None:
        after = symbol.detail.partition(" = ")[2] or symbol.detail.partition(" in ")[2]
        written = after.partition(" in ")[0].partition("..")[0].strip()
        if written:
            return written
    if symbol.type is None:
        return ""
    type_ = symbol.type
    return example_value(type_, shape(cursor, type_) if isinstance(type_, types.Field) else None)


def _needs_domain(cursor: Cursor, ports: Ports) -> bool:
    return _body(cursor) in _ELEMENTWISE and not ports.inputs


def _domain(ports: Ports) -> str:
    type_ = field_of(ports.outputs[0]) if ports.outputs else None
    size = SIZES[type_.rank if type_ is not None else 1]
    written = ", ".join(str(n) for n in reversed(size))
    return f"domain = ${{1:{written if len(size) == 1 else f'({written})'}}};"


# ---------------------------------------------------------------- shapes


def shape(cursor: Cursor, type_: types.Field) -> Sequence[int] | None:
    """The shape of another field of that rank in the same example, slowest axis first."""
    node = _example(cursor)
    for entry in node.entries if node is not None else ():
        symbol = cursor.names.values.get(entry.name.text)
        other = field_of(symbol) if symbol is not None else None
        if other is not None and other.rank == type_.rank:
            found = _written_shape(entry.value, other.rank)
            if found is not None:
                return found
    return None


def _written_shape(node: syntax.Expr, rank: int) -> tuple[int, ...] | None:
    if rank == 0:
        return ()
    match node:
        case syntax.ArrayLiteral(elements=[first, *_] as elements):
            inner = _written_shape(first, rank - 1)
            return None if inner is None else (len(elements), *inner)
        case syntax.Call(args=[syntax.Tuple(elements=sizes)]):
            return _numbers(tuple(reversed(sizes)))
        case syntax.Call(args=[size]):
            return _numbers((size,))
        case _:
            return None


def _numbers(nodes: Sequence[syntax.Expr]) -> tuple[int, ...] | None:
    values = [node.value for node in nodes if isinstance(node, syntax.IntLiteral)]
    return tuple(values) if len(values) == len(nodes) else None


def generators(type_: types.Field, known: Sequence[int] | None) -> Iterator[tuple[str, str]]:
    """The words that make whole fields, and how they are called for this one."""
    size = tuple(reversed(known or SIZES[type_.rank]))
    written = escaped(str(size[0]) if len(size) == 1 else str(size))
    if not types.contains_enum(type_.element):
        yield "zeros", f"zeros(${{1:{written}}})"
    if type_.rank == 1 and type_.element in (types.INT, types.FLOAT):
        yield "range", f"range(${{1:{written}}})"
    if types.contains(type_.element, types.FLOAT) and not (
        types.contains(type_.element, types.INT) or types.contains(type_.element, types.BOOL)
    ):
        yield "random", f"random(${{1:{written}}}, seed = ${{2:1}})"
    yield "file", 'file("$1")'
