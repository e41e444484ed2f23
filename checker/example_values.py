"""The values of `example` members: literals, generators and files, held to the types that they bind."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kcheck.checker import floats, ir, types
from kcheck.checker.bindings import BoundValue, FileValue, Generated
from kcheck.checker.lower.declarations import Declarations
from kcheck.checker.lower.expressions import describe, int_value
from kcheck.checker.lower.recording import Vocabulary
from kcheck.checker.lower.scopes import ConstEntity, Home, Scope
from kcheck.checker.near import did_you_mean
from kcheck.grammar import syntax
from kcheck.grammar.spans import Span

GENERATORS = ("zeros", "range", "random")
_NUMBERS = {"NaN": float("nan"), "Infinity": float("inf")}


class BadValueError(Exception):
    """A value that cannot be, with where and why; `message` is empty where that is reported already."""

    def __init__(self, span: Span, message: str, note: str = "") -> None:
        super().__init__(message)
        self.span, self.message, self.note = span, message, note


class ValueReader:
    """Reads the values of one kernel's examples; raises `BadValueError`."""

    def __init__(self, scope: Scope, home: Home, declarations: Declarations) -> None:
        self._scope = scope
        self._home = home
        self._declarations = declarations
        self._record = declarations.recorder.item(home)

    def read(self, node: syntax.Expr, type_: types.Type | types.Field) -> BoundValue:
        """The value for a port, or for a param."""
        if isinstance(node, syntax.Call):
            name = node.callee.name.text if isinstance(node.callee, syntax.NameRef) else ""
            if name == "file" or name in GENERATORS:
                self._record_call(node, Vocabulary.EXAMPLE)
            if name == "file":
                return _file(node)
            if name in GENERATORS:
                return self._generated(node, name, type_)
        if isinstance(type_, types.Field):
            return self._axes(node, type_.rank, type_.element)
        return self._element(node, type_)

    def _record_call(self, node: syntax.Call, vocabulary: Vocabulary) -> None:
        assert isinstance(node.callee, syntax.NameRef)
        self._record.word(node.callee.name, vocabulary)
        self._record.call(node)
        for keyword in node.keywords:
            self._record.word(keyword.name, Vocabulary.EXAMPLE)

    def size(self, node: syntax.Expr) -> tuple[int, ...]:
        """A size, x first: `n`, `(w, h)` or `(w, h, d)`."""
        parts = node.elements if isinstance(node, syntax.Tuple) else (node,)
        if not 1 <= len(parts) <= 3:
            raise BadValueError(node.span, "a size is a whole number, `(w, h)` or `(w, h, d)`")
        return tuple(self._whole(p) for p in parts)

    def _whole(self, node: syntax.Expr) -> int:
        """A constant Int that is not negative."""
        value = self._declarations.constant_int(node, self._scope, self._home)
        if value is None:
            raise BadValueError(node.span, "")
        if value < 0:
            raise BadValueError(node.span, f"a size is not negative; this is {value}")
        return value

    # ------------------------------------------------------------ generators

    def _generated(self, node: syntax.Call, name: str, type_: types.Type | types.Field) -> Generated:
        keywords = {k.name.text: k.value for k in node.keywords}
        seed = keywords.pop("seed", None) if name == "random" else None
        if keywords or len(node.args) != 1:
            raise BadValueError(node.span, f"`{name}` takes a size" + (" and `seed = …`" if name == "random" else ""))
        size = self.size(node.args[0])
        if not isinstance(type_, types.Field):
            raise BadValueError(node.span, f"`{name}` makes a field; a param takes one value")
        if name == "range" and len(size) != 1:
            raise BadValueError(node.args[0].span, "`range` takes one whole number")
        if len(size) != type_.rank:
            axes = {1: "one size", 2: "two sizes", 3: "three sizes"}
            message = f"a {types.RANK_NAMES[type_.rank]} has {axes[type_.rank]}, this has {len(size)}"
            raise BadValueError(node.args[0].span, message)
        if name == "random" and not _only_floats(type_.element):
            raise BadValueError(node.span, f"`random` makes Floats, not {type_.element}")
        if name == "range" and type_.element not in (types.INT, types.FLOAT):
            raise BadValueError(node.span, f"`range` makes whole numbers, not {type_.element}")
        return Generated(name, size, 0 if seed is None else self._whole(seed))

    # ------------------------------------------------------------ lists

    def _axes(self, node: syntax.Expr, rank: int, element: types.Type) -> BoundValue:
        if rank == 0:
            return self._element(node, element)
        what = "a list" if rank == 1 else "a list of lists"
        parts = self._list(node, f"expected {what} of {element}")
        found = [self._axes(part, rank - 1, element) for part in parts]
        for part, value in zip(parts, found, strict=True):
            if rank > 1 and _lengths(value, rank - 1) != _lengths(found[0], rank - 1):
                raise BadValueError(part.span, "the rows of this list have different lengths")
        return found

    def _list(self, node: syntax.Expr, expected: str) -> Sequence[syntax.Expr]:
        match node:
            case syntax.ArrayLiteral():
                return node.elements
            case syntax.ArrayRepeat():
                count = self._whole(node.length)
                if count > types.MAX_LEAVES:
                    raise BadValueError(node.length.span, f"a repeated list has up to {types.MAX_LEAVES} elements")
                return (node.value,) * count
            case _:
                raise BadValueError(node.span, f"{expected}, found {_kind(node)}")

    # ------------------------------------------------------------ elements

    def _element(self, node: syntax.Expr, type_: types.Type) -> BoundValue:
        constant = self._constant(node, type_)
        if constant is not None:
            return _plain(type_, iter(constant.leaves))
        match type_:
            case types.Scalar():
                return self._scalar(node, type_)
            case types.Struct():
                return self._struct(node, type_)
            case types.Enum():
                return self._enum(node, type_)
            case types.Unit():
                raise TypeError("no value has this type")
            case _:
                return self._parts(node, type_)

    def _parts(self, node: syntax.Expr, type_: types.Type) -> BoundValue:
        """A vector, matrix or array."""
        wanted = types.parts(type_)
        if isinstance(node, syntax.Call) and isinstance(type_, types.Vec):
            nodes = self._vector(node, type_)
        else:
            nodes = self._list(node, f"{describe(type_)} is a list of {len(wanted)}")
        if len(nodes) != len(wanted):
            raise BadValueError(node.span, f"{describe(type_)} has {len(wanted)} parts, this has {len(nodes)}")
        return [self._element(part, part_type) for part, part_type in zip(nodes, wanted, strict=True)]

    def _vector(self, node: syntax.Call, type_: types.Vec) -> Sequence[syntax.Expr]:
        name = f"vec{type_.size}"
        if not (isinstance(node.callee, syntax.NameRef) and node.callee.name.text == name):
            note = f"it can: `{name}`; and for whole ports " + ", ".join(f"`{g}`" for g in (*GENERATORS, "file"))
            raise BadValueError(node.span, "an example cannot call this", note)
        self._record_call(node, Vocabulary.CALL)
        return node.args * type_.size if len(node.args) == 1 else node.args

    def _struct(self, node: syntax.Expr, type_: types.Struct) -> BoundValue:
        match node:
            case syntax.Record():
                return self._fields(node.fields, type_, type_.key, node.span)
            case syntax.StructValue(enum=None) if self._names(node.name, type_):
                return self._fields(node.fields, type_, type_.key, node.span)
            case _:
                raise BadValueError(
                    node.span, f"{describe(type_)} is written `{{ field: value }}`, this is {_kind(node)}"
                )

    def _enum(self, node: syntax.Expr, type_: types.Enum) -> BoundValue:
        fields: tuple[syntax.FieldValue, ...] = ()
        match node:
            case syntax.NameRef(name=name):
                pass
            case syntax.Member(operand=syntax.NameRef(name=enum), name=name) if self._names(enum, type_):
                pass
            case syntax.StructValue(enum=enum_name, name=name) if enum_name is None or self._names(enum_name, type_):
                fields = node.fields
            case _:
                raise _not_a_variant(node, type_)
        index = type_.index(name.text)
        if index is None:
            raise _not_a_variant(node, type_)
        variant = type_.variants[index]
        self._record.variant(name, type_.key)
        payload = self._fields(fields, variant, type_.key, node.span)
        return {variant.name: payload} if payload else variant.name

    def _fields(
        self, given: Sequence[syntax.FieldValue], owner: types.Struct | types.Variant, key: str, span: Span
    ) -> dict[str, BoundValue]:
        """The fields of a struct or of a variant; `key` is that of the type."""
        variant = owner.name if isinstance(owner, types.Variant) else None
        wanted = {f.name: f.type for f in owner.fields}
        found: dict[str, BoundValue] = {}
        for field in given:
            name = field.name.text
            if name not in wanted:
                hint = did_you_mean(name, wanted)
                raise BadValueError(field.name.span, f"`{owner.name}` has no field `{name}`{hint}")
            self._record.field(field.name, key, variant)
            if name in found:
                raise BadValueError(field.name.span, f"`{name}` is given twice")
            found[name] = self._element(field.value, wanted[name])
        missing = ", ".join(f"`{name}`" for name in wanted if name not in found)
        if missing:
            raise BadValueError(span, f"`{owner.name}` also needs {missing}")
        return {name: found[name] for name in wanted}

    def _names(self, name: syntax.Name, type_: types.Type) -> bool:
        entity = self._scope.find_type(name.text)
        if entity is None:
            return False
        self._record.name(name, entity)
        return self._declarations.type_of(entity) == type_

    # ------------------------------------------------------------ numbers

    def _scalar(self, node: syntax.Expr, type_: types.Scalar) -> bool | int | float:
        value = self._number(node, type_)
        is_bool = isinstance(value, bool)
        if is_bool != (type_ is types.BOOL) or (type_ is types.INT and isinstance(value, float)):
            raise _unexpected(node, type_)
        if type_ is types.INT and not -(2**31) <= value < 2**31:
            raise BadValueError(node.span, f"{value} does not fit an Int")
        if type_ is types.FLOAT and isinstance(value, int) and floats.bits_of(str(abs(value))) is None:
            raise BadValueError(node.span, "this number is too large for a Float")
        return value

    def _number(self, node: syntax.Expr, type_: types.Scalar) -> bool | int | float:
        match node:
            case syntax.BoolLiteral():
                return node.value
            case syntax.IntLiteral():
                whole = int_value(node.value, True) if node.pattern else node.value
                if whole is None:
                    raise BadValueError(node.span, "this pattern has more than 32 bits")
                return whole
            case syntax.FloatLiteral():
                bits = floats.bits_of(node.text)
                if bits is None:
                    raise BadValueError(node.span, "this number is too large for a Float")
                return floats.to_float(bits)
            case syntax.Unary(op="-"):
                value = self._number(node.operand, type_)
                if isinstance(value, bool):
                    raise _unexpected(node.operand, type_)
                return -value
            case syntax.NameRef():
                return self._named_number(node, type_)
            case _:
                raise _unexpected(node, type_)

    def _named_number(self, node: syntax.NameRef, type_: types.Scalar) -> bool | int | float:
        name = node.name.text
        constant = self._constant(node)
        if constant is not None:
            if not isinstance(constant.type, types.Scalar):
                raise BadValueError(node.span, f"expected a value of type {type_}, `{name}` is {constant.type}")
            number = _plain(constant.type, iter(constant.leaves))
            assert isinstance(number, (bool, int, float))
            return number
        if name in _NUMBERS:
            self._record.word(node.name, Vocabulary.EXAMPLE)
            return _NUMBERS[name]
        raise BadValueError(node.span, f"there is no value `{name}` here")

    def _constant(self, node: syntax.Expr, type_: types.Type | None = None) -> ir.Const | None:
        """The constant that a name stands for, where it does, and where it has this type (any where that is None)."""
        if not isinstance(node, syntax.NameRef):
            return None
        found = self._scope.find_value(node.name.text)
        if not isinstance(found, ConstEntity):
            return None
        value = self._declarations.constant(found)
        if value is None:
            raise BadValueError(node.span, "")
        if type_ is not None and value.type != type_:
            return None
        self._record.name(node.name, found)
        return value


def value_leaves(value: BoundValue, type_: types.Type) -> Iterator[bool | int | float]:
    """The scalars of a value without enums, in the order of `types.leaves`."""
    if isinstance(type_, types.Scalar):
        assert isinstance(value, (bool, int, float))
        yield value
        return
    assert isinstance(value, (list, dict))
    parts = list(value.values()) if isinstance(value, dict) else value
    for part, part_type in zip(parts, types.parts(type_), strict=True):
        yield from value_leaves(part, part_type)


def shape_of(value: BoundValue, rank: int) -> tuple[int, ...] | None:
    """The size of a field along each axis, slowest first; None where only a run can tell."""
    if isinstance(value, Generated):
        return value.size[::-1]
    return _lengths(value, rank) if isinstance(value, list) else None


def _lengths(value: BoundValue, rank: int) -> tuple[int, ...]:
    lengths = []
    for _ in range(rank):
        assert isinstance(value, list)
        lengths.append(len(value))
        value = value[0] if value else []
    return tuple(lengths)


def _plain(type_: types.Type, leaves: Iterator[ir.LeafValue]) -> BoundValue:
    """A constant as a literal."""
    match type_:
        case types.Scalar.FLOAT:
            return floats.to_float(int(next(leaves)))
        case types.Scalar():
            return next(leaves)
        case types.Struct():
            return {f.name: _plain(f.type, leaves) for f in type_.fields}
        case types.Enum():
            number = int(next(leaves))
            payloads = [{f.name: _plain(f.type, leaves) for f in v.fields} for v in type_.variants]
            chosen, payload = type_.variants[number], payloads[number]
            return {chosen.name: payload} if payload else chosen.name
        case types.Unit():
            raise TypeError("no value has this type")
        case _:
            return [_plain(part, leaves) for part in types.parts(type_)]


def _file(node: syntax.Call) -> FileValue:
    if len(node.args) != 1 or node.keywords or not isinstance(node.args[0], syntax.StringLiteral):
        raise BadValueError(node.span, '`file` takes one path in quotes: `file("photo.png")`')
    return FileValue(node.args[0].value)


def _only_floats(type_: types.Type) -> bool:
    return types.contains(type_, types.FLOAT) and not (
        types.contains(type_, types.INT) or types.contains(type_, types.BOOL)
    )


def _unexpected(node: syntax.Expr, type_: types.Type) -> BadValueError:
    return BadValueError(node.span, f"expected a value of type {type_}, found {_kind(node)}")


def _not_a_variant(node: syntax.Expr, type_: types.Enum) -> BadValueError:
    listing = ", ".join(f"`{v.name}`" for v in type_.variants)
    return BadValueError(node.span, f"{describe(type_)} is one of {listing}")


def _kind(node: syntax.Expr) -> str:
    """What a value looks like, for messages."""
    match node:
        case syntax.BoolLiteral():
            return "a Bool"
        case syntax.IntLiteral():
            return "a whole number"
        case syntax.FloatLiteral():
            return "a number with a fraction"
        case syntax.Unary():
            return _kind(node.operand) if node.op == "-" else "an expression"
        case syntax.StringLiteral():
            return "text"
        case syntax.NameRef():
            return f"`{node.name.text}`"
        case syntax.ArrayLiteral() | syntax.ArrayRepeat():
            return "a list"
        case syntax.Record():
            return "a record"
        case syntax.StructValue():
            return f"a `{node.name.text}`"
        case syntax.Tuple():
            return "a size"
        case syntax.Call():
            return "a call"
        case _:
            return "an expression"
