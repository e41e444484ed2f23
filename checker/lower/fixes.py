"""The fixes that more than one place offers: conversions, renamings, removals and values to start from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kcheck.checker import types
from kcheck.checker.lower import edits
from kcheck.checker.lower.scopes import Home
from kcheck.checker.near import nearest
from kcheck.grammar import syntax
from kcheck.grammar.diagnostics import Edit, Fix
from kcheck.grammar.spans import Span
from kcheck.grammar.walk import descendants

# ---------------------------------------------------------------- names


def rename(home: Home, name: syntax.Name, known: Iterable[str]) -> tuple[Fix, ...]:
    """Take the name of `known` that was most likely meant."""
    near = nearest(name.text, known)
    return () if near is None else rename_to(home, name, near)


def rename_to(home: Home, name: syntax.Name, text: str) -> tuple[Fix, ...]:
    return (Fix(f"change it to `{text}`", (edits.replace(home, name.span, text),)),)


def free_name(wanted: str, used: Iterable[str]) -> str:
    """`wanted`, or with the first number after it that makes it a new name."""
    taken = set(used)
    numbered = (wanted if n == 1 else f"{wanted}{n}" for n in range(1, len(taken) + 2))
    return next(name for name in numbered if name not in taken)


def names_in(node: syntax.Node) -> set[str]:
    """Every name that is declared or used below `node`."""
    return {found.text for found in descendants(node) if isinstance(found, syntax.Name)}


def write(home: Home, span: Span, text: str) -> tuple[Fix, ...]:
    return (Fix(f"write `{text}`", (edits.replace(home, span, text),)),)


# ---------------------------------------------------------------- removing


def remove(home: Home, span: Span, what: str = "it", *more: Edit) -> tuple[Fix, ...]:
    return (Fix(f"remove {what}", (edits.remove(home, span), *more)),)


def remove_listed(home: Home, span: Span, what: str = "it") -> tuple[Fix, ...]:
    return (Fix(f"remove {what}", (edits.remove_listed(home, span),)),)


# ---------------------------------------------------------------- values


def zero(type_: types.Type) -> str:
    """The text of a value to start from: zeros, and the first variant of an enum."""
    match type_:
        case types.Scalar():
            return {types.BOOL: "false", types.INT: "0", types.FLOAT: "0.0"}[type_]
        case types.Vec():
            return f"vec{type_.size}(0.0)"
        case types.Mat():
            return f"mat{type_.size}({', '.join([zero(types.Vec(type_.size))] * type_.size)})"
        case types.Array():
            return f"[{zero(type_.element)}; {type_.length}]"
        case types.Struct():
            return f"{type_.name} {record(type_.fields)}"
        case types.Enum():
            first = type_.variants[0]
            name = f"{type_.name}.{first.name}"
            return f"{name} {record(first.fields)}" if first.fields else name
        case types.Unit():
            raise TypeError("there is no value of no type")


def record(fields: Sequence[types.FieldOf]) -> str:
    """`{ name: value, … }` with a value to start from for each field."""
    if not fields:
        return "{}"
    return f"{{ {named_zeros(fields)} }}"


def named_zeros(fields: Sequence[types.FieldOf]) -> str:
    return ", ".join(f"{f.name}: {zero(f.type)}" for f in fields)


def add_fields(home: Home, braces: Span, fields: Sequence[types.FieldOf], given: Sequence[Span]) -> tuple[Fix, ...]:
    """Add what a record, struct value or variant lacks after what it has; `braces` ends at its closing brace."""
    text = named_zeros(fields)
    if given:
        last = edits.with_comma(home, given[-1])
        comma = "" if last != given[-1] else ","
        edit = edits.insert(home, last.end, f"{comma} {text}")
    elif home.text[braces.end - 1] == "}":
        inside = Span(home.text.rindex("{", 0, braces.end) + 1, braces.end - 1)
        edit = edits.replace(home, inside, f" {text} ")
    else:
        edit = edits.insert(home, braces.end, f" {{ {text} }}")
    return (Fix(f"add `{text}`", (edit,)),)


# ---------------------------------------------------------------- types

_BY_NEED: dict[tuple[types.Type, types.Type], tuple[str, str]] = {
    (types.INT, types.FLOAT): ("float(", ")"),
    (types.FLOAT, types.INT): ("int(", ")"),
    (types.BOOL, types.INT): ("int(", ")"),
    (types.INT, types.BOOL): ("", " != 0"),
    (types.FLOAT, types.BOOL): ("", " != 0.0"),
}


def convert(home: Home, node: syntax.Expr, found: types.Type, wanted: types.Type) -> tuple[Fix, ...]:
    """The conversion of a value that is known to be meant; a literal is written anew."""
    edit = conversion(home, node, found, wanted)
    if edit is None:
        return ()
    title = f"write `{edit[0].text}`" if len(edit) == 1 else f"convert it: `{edit[0].text}…{edit[1].text}`"
    return (Fix(title, edit),)


def conversion(home: Home, node: syntax.Expr, found: types.Type, wanted: types.Type) -> tuple[Edit, ...] | None:
    """The edits that make a value of type `found` one of type `wanted`."""
    literal = _literal(node, found, wanted)
    if literal is not None:
        return (edits.replace(home, node.span, literal),)
    around = _BY_NEED.get((found, wanted)) or _vector(found, wanted)
    if around is None:
        return None
    before, after = around
    if not before and _binds_loosely(node):
        before, after = "(", f"){after}"
    return edits.wrap(home, node.span, before, after)


def floored(home: Home, node: syntax.Expr) -> tuple[Edit, ...]:
    """A Float as the Int of the element that it stands in."""
    literal = _literal(node, types.FLOAT, types.INT)
    if literal is not None:
        return (edits.replace(home, node.span, literal),)
    return edits.wrap(home, node.span, "int(floor(", "))")


def _literal(node: syntax.Expr, found: types.Type, wanted: types.Type) -> str | None:
    """An Int literal as a Float, 0 and 1 as Bools, or a whole Float literal as an Int."""
    if isinstance(node, syntax.IntLiteral) and node.value in (0, 1) and (found, wanted) == (types.INT, types.BOOL):
        return "true" if node.value else "false"
    sign = ""
    if isinstance(node, syntax.Unary) and node.op == "-":
        sign, node = "-", node.operand
    if isinstance(node, syntax.IntLiteral) and not node.pattern and (found, wanted) == (types.INT, types.FLOAT):
        return f"{sign}{node.value}.0"
    if isinstance(node, syntax.FloatLiteral) and (found, wanted) == (types.FLOAT, types.INT):
        value = float(node.text)
        return f"{sign}{int(value)}" if value.is_integer() and value < 2**31 else None
    return None


def _vector(found: types.Type, wanted: types.Type) -> tuple[str, str] | None:
    """A scalar in every component, or the first components of a longer vector."""
    if isinstance(wanted, types.Vec):
        if found is types.FLOAT:
            return f"vec{wanted.size}(", ")"
        if found is types.INT:
            return f"vec{wanted.size}(float(", "))"
        if isinstance(found, types.Vec) and found.size > wanted.size:
            return "", f".{'xyzw'[: wanted.size]}"
    return None


def _binds_loosely(node: syntax.Expr) -> bool:
    """Whether something written after a value would take only its last part."""
    return isinstance(node, (syntax.Binary, syntax.Unary, syntax.If, syntax.Match, syntax.Block))
