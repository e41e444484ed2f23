"""The ways in which a function or a word of the language can be called."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from kcheck.checker.builtins import ANY, BY_NAME, CONSTRUCTORS, PLACE_WORDS, PORT_WORDS, Contract, Pattern
from kcheck.checker.facts import Names, Symbol
from kcheck.checker.facts.words import PORT_FORMS, argument_names
from kcheck.checker.types import FLOAT, INT, Mat, Type, Vec
from kcheck.lsp.features.declarations import parameters
from kcheck.lsp.features.inference import AnyType
from kcheck.lsp.view import View


@dataclass(frozen=True, slots=True)
class Argument:
    """`written` is the type as it is shown, "" for ports and what may have any type."""

    name: str
    written: str = ""
    type: AnyType | None = None

    @property
    def label(self) -> str:
        return f"{self.name}: {self.written}" if self.written else self.name


@dataclass(frozen=True, slots=True)
class Form:
    """One signature; `result` is "" where there is none to tell."""

    name: str
    arguments: tuple[Argument, ...]
    result: str = ""

    @property
    def label(self) -> str:
        result = f" -> {self.result}" if self.result else ""
        return f"{self.name}({', '.join(argument.label for argument in self.arguments)}){result}"

    def takes(self, given: Sequence[AnyType | None]) -> bool:
        """Whether it may take arguments of these types; None is any."""
        if len(given) > len(self.arguments):
            return False
        pairs = zip(self.arguments, given, strict=False)
        return all(a.type is None or found is None or _fits(a.type, found) for a, found in pairs)


def _fits(wanted: AnyType, found: AnyType) -> bool:
    return wanted == found or (found is FLOAT and isinstance(wanted, Vec))


def forms(view: View, symbol: Symbol, names: Names) -> list[Form]:
    """All signatures of what is called; nothing for what cannot be."""
    return _of_word(symbol.name) if symbol.origin is None else [_own(view, symbol, names)]


@cache
def _of_word(name: str) -> list[Form]:
    if name in BY_NAME:
        return list(_of_contract(BY_NAME[name]))
    if name in CONSTRUCTORS:
        made = CONSTRUCTORS[name]
        parts = _vector_parts(made.size) if isinstance(made, Vec) else _matrix_parts(made)
        return [Form(name, tuple(_argument(*part) for part in form), str(made)) for form in parts]
    if name in PORT_FORMS:
        return [Form(name, tuple(_port_argument(name, part) for part in form.split())) for form in PORT_FORMS[name]]
    return [Form(name, ())] if name in PLACE_WORDS or name in PORT_WORDS else []


def _own(view: View, symbol: Symbol, names: Names) -> Form:
    arguments = tuple(Argument(*part) for part in parameters(view, symbol, names))
    return Form(symbol.name, arguments, symbol.detail.rpartition(" -> ")[2] if " -> " in symbol.detail else "")


def _of_contract(contract: Contract) -> Iterator[Form]:
    """One form for each type that it takes."""
    name = contract.builtin.value
    for overload in contract.overloads:
        labels = argument_names(name, contract.arity)
        for choice in overload.choices or (None,):
            pairs = zip(labels, (_concrete(p, choice) for p in overload.parameters), strict=True)
            result = _concrete(overload.result, choice)
            yield Form(name, tuple(_argument(*pair) for pair in pairs), "T" if result is None else str(result))


def _concrete(pattern: Pattern, choice: Type | None) -> Type | None:
    """None for what may have any type."""
    if isinstance(pattern, str):
        return None if pattern == ANY else choice
    return pattern


def _argument(name: str, type_: Type | None) -> Argument:
    return Argument(name, "T" if type_ is None else str(type_), type_)


_INT_ARGUMENTS = frozenset({("at", "x"), ("at", "y"), ("at", "z"), ("put", "x"), ("put", "y"), ("put", "z")}) | {
    ("exchange", "lane")
}


def _port_argument(word: str, name: str) -> Argument:
    return _argument(name, INT) if (word, name) in _INT_ARGUMENTS else Argument(name)


def _vector_parts(size: int) -> Iterator[list[tuple[str, Type]]]:
    """All components the same, one by one, or a vector beside Floats."""
    letters = "xyzw"[:size]
    yield [("x", FLOAT)]
    yield [(letter, FLOAT) for letter in letters]
    for length in range(size - 1, 1, -1):
        for start in range(size - length + 1):
            yield [
                *_floats(letters[:start]),
                (letters[start : start + length], Vec(length)),
                *_floats(letters[start + length :]),
            ]
    if size == 4:
        yield [("xy", Vec(2)), ("zw", Vec(2))]


def _floats(letters: Iterable[str]) -> list[tuple[str, Type]]:
    return [(letter, FLOAT) for letter in letters]


def _matrix_parts(made: Type) -> Iterator[list[tuple[str, Type]]]:
    assert isinstance(made, Mat)
    yield [(f"c{i}", Vec(made.size)) for i in range(made.size)]
    yield [(f"{letter}{column}", FLOAT) for column in range(made.size) for letter in "xyzw"[: made.size]]


def best(found: Sequence[Form], given: Sequence[AnyType | None], count: int) -> int:
    """The position of the form that fits what is written so far; `count` arguments are begun."""
    for i, form in enumerate(found):
        if count <= len(form.arguments) and form.takes(given):
            return i
    return next((i for i, form in enumerate(found) if count <= len(form.arguments)), len(found) - 1)
