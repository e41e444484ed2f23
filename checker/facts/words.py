"""The language's own names for the editor: what they look like, and what their arguments are called."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from kcheck.checker import types
from kcheck.checker.builtins import BY_NAME, CONSTRUCTORS, PLACE_WORDS, PORT_WORDS, Contract, resolve
from kcheck.checker.lower.declarations import BASIC_TYPES, IMAGE
from kcheck.checker.lower.recording import Vocabulary, WordUse
from kcheck.checker.types import FLOAT

AnyType: TypeAlias = "types.Type | types.Field"
"""The type of a value or of a port."""

TYPES: Mapping[str, AnyType] = {**BASIC_TYPES, "Image": IMAGE}
"""The built-in types that need no element type."""

PERMISSIONS: Mapping[str, str] = {
    "field.read": "The kernel reads fields: it has an input or a memory.",
    "field.write": "The kernel writes fields: it has an output.",
}

_PARAMETERS: Mapping[str, str] = {
    **dict.fromkeys(("min", "max", "dot", "cross", "distance", "udiv", "urem", "ult"), "a b"),
    **dict.fromkeys(("popcount", "clz", "ctz", "reverse_bits", "bitcast_float", "hash", "random"), "i"),
    **dict.fromkeys(("transpose", "determinant", "inverse"), "m"),
    "clamp": "x low high",
    "pow": "x y",
    "atan2": "y x",
    "mix": "a b t",
    "step": "edge x",
    "smoothstep": "low high x",
    "normalize": "v",
    "reflect": "i n",
    "refract": "i n eta",
    "luma": "colour",
    "select": "condition a b",
}
"""The names of the arguments of built-ins; `x` is that of all others."""

PORT_FORMS: Mapping[str, tuple[str, ...]] = {
    "sample": ("field", "field position"),
    "at": ("field address", "field x y", "field x y z"),
    "put": ("memory address value", "memory x y value", "memory x y z value"),
    "emit": ("pair",),
    "exchange": ("value lane",),
    "size": ("field",),
    "extent": ("field",),
}
"""What the words that read ports or act take, by the number of arguments."""

EXAMPLE_WORDS: Mapping[str, tuple[str, str]] = {
    "domain": ("domain = (w, h)", "The size of the domain: `n`, `(w, h)` or `(w, h, d)`."),
    "file": ("file(path)", "The contents of a file; the path is relative to the file of the kernel."),
    "zeros": ("zeros(size)", "A field of zeros."),
    "range": ("range(size)", "The whole numbers from 0 to size - 1."),
    "random": ("random(size, seed=0)", "A field of Floats in 0.0 <= x < 1.0."),
    "seed": ("seed=0", "Another seed gives other random numbers."),
    "NaN": ("NaN", "The Float that is not a number."),
    "Infinity": ("Infinity", "The Float above all others."),
}
_COMBINE_WORDS: Mapping[str, str] = {
    "sum": "Adds number by number.",
    "min": "Takes the smaller, number by number; a NaN is ignored.",
    "max": "Takes the larger, number by number; a NaN is ignored.",
    "last": "Takes the value of the last element.",
}


def detail(word: WordUse) -> str:
    """A word as it is written, with its arguments."""
    name = word.name
    match word.vocabulary:
        case Vocabulary.COMBINE:
            return f"with {name}"
        case Vocabulary.EXAMPLE:
            return EXAMPLE_WORDS[name][0]
        case Vocabulary.CALL:
            contract = BY_NAME.get(name)
            if contract is not None:
                return _contract_text(contract)
            if name in CONSTRUCTORS:
                return f"{name}(…) -> {CONSTRUCTORS[name]}"
            return f"{name}({', '.join(_form(name, 0))})"


def doc(word: WordUse) -> str:
    name = word.name
    match word.vocabulary:
        case Vocabulary.COMBINE:
            return _COMBINE_WORDS[name]
        case Vocabulary.EXAMPLE:
            return EXAMPLE_WORDS[name][1]
        case Vocabulary.CALL:
            contract = BY_NAME.get(name)
            return contract.doc if contract is not None else (PLACE_WORDS | PORT_WORDS).get(name, "")


def parameters(word: WordUse, given: Sequence[AnyType | None]) -> list[tuple[str, AnyType | None]]:
    """The names and types of what a call takes whose arguments have the types `given`; None where not known."""
    name = word.name
    if word.vocabulary is Vocabulary.EXAMPLE:
        return [("path" if name == "file" else "size", None)]
    contract = BY_NAME.get(name)
    if contract is not None:
        return list(zip(argument_names(name, contract.arity), _resolved(contract, given), strict=True))
    if name in CONSTRUCTORS:
        return [(part, FLOAT) for part in _parts(CONSTRUCTORS[name], given)]
    form = _form(name, len(given))
    return list(zip(form, [*given, *(None for _ in form)], strict=False))


def _resolved(contract: Contract, given: Sequence[AnyType | None]) -> Sequence[AnyType | None]:
    """The parameters of the overload that takes these arguments; not known where none does."""
    known = [type_ for type_ in given if type_ is not None and not isinstance(type_, types.Field)]
    found = resolve(contract, known)
    return (None,) * contract.arity if found is None or len(known) < len(given) else found.parameters


def _parts(made: types.Type, given: Sequence[AnyType | None]) -> str:
    """The components of a vector that is made of that many numbers, else nothing."""
    is_plain = isinstance(made, types.Vec) and len(given) == made.size and all(type_ is FLOAT for type_ in given)
    return "xyzw"[: len(given)] if is_plain else ""


def argument_names(name: str, arity: int) -> list[str]:
    names = _PARAMETERS.get(name, "x").split()
    assert len(names) == arity, name
    return names


def _form(name: str, count: int) -> list[str]:
    """The arguments of the shortest form that has at least `count`."""
    forms = [form.split() for form in PORT_FORMS.get(name, ("",))]
    return next((form for form in forms if len(form) >= count), forms[-1])


def _contract_text(contract: Contract) -> str:
    """The signature; `T` for any of several types."""
    name, first = contract.builtin.value, contract.overloads[0]
    named = zip(argument_names(name, contract.arity), first.parameters, strict=True)
    return f"{name}({', '.join(f'{n}: {type_}' for n, type_ in named)}) -> {first.result}"
