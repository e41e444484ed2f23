"""Merges put together at random from parts whose laws are known, so that those of the whole are known too.

Parts stand side by side, behind a flag that says whether there is a value, behind one-to-one mappings of words, or go
with a key, of which the best is chosen.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from kcheck.checker.law.problem import Law

BOTH = frozenset(Law)
ASSOCIATIVE = frozenset((Law.ASSOCIATIVE,))


@dataclass(frozen=True)
class Part:
    """`types`, `element` and `merge` go by field: the type, what compute gives for an element `s` (Int), `f` (Float),
    and what merge makes of two values of these names. `laws` are those that hold."""

    types: Mapping[str, str]
    element: Mapping[str, str]
    merge: Callable[[str, str], Mapping[str, str]]
    laws: frozenset[Law]


@dataclass(frozen=True)
class _Operation:
    """A merge of two numbers; `element`, where it is given, is all that it is meant for."""

    text: str
    laws: frozenset[Law] = BOTH
    element: str | None = None


_INTS = (
    _Operation("{a} + {b}"),
    _Operation("{a} * {b}"),
    _Operation("{a} + {b} + {a} * {b}"),
    _Operation("{a} + {b} - {a} * {b}"),
    _Operation("min({a}, {b})"),
    _Operation("max({a}, {b})"),
    _Operation("if {a} > {b} {{ {a} }} else {{ {b} }}"),
    _Operation("max({a} ^ -2147483648, {b} ^ -2147483648) ^ -2147483648"),
    _Operation("{a} & {b}"),
    _Operation("{a} | {b}"),
    _Operation("{a} ^ {b}"),
    _Operation("~({a} ^ {b})"),
    _Operation("({a} + {b}) & 0xFFFF", element="s & 0xFFFF"),
    _Operation("{a}", ASSOCIATIVE),
    _Operation("{b}", ASSOCIATIVE),
    _Operation("if {a} != 0 {{ {a} }} else {{ {b} }}", ASSOCIATIVE),
    _Operation("if abs({a}) >= abs({b}) {{ {a} }} else {{ {b} }}", ASSOCIATIVE),
)
_INT_ELEMENTS = (
    "s",
    "s & 255",
    "s % 10",
    "index()",
    "if s > 3 { 1 } else { 0 }",
    "1",
    "s >> 3",
    "max(s, 0)",
    "s * 2 + 1",
)
_FLOATS = (
    _Operation("{a} + {b}"),
    _Operation("{a} * {b}"),
    _Operation("min({a}, {b})"),
    _Operation("max({a}, {b})"),
    _Operation("select({a} < {b}, {a}, {b})"),
    _Operation("{a} + {b} * (1.0 - {a})"),
    _Operation("sqrt({a} * {a} + {b} * {b})", element="abs(f) + 1.0"),
    _Operation("1.0 / (1.0 / {a} + 1.0 / {b})", element="abs(f) + 1.0"),
    _Operation("{a}", ASSOCIATIVE),
    _Operation("{b}", ASSOCIATIVE),
)
_FLOAT_ELEMENTS = (
    "f",
    "f * f",
    "abs(f)",
    "f + 1.0",
    "clamp(f, 0.0, 1.0)",
    "1.0",
    "if f > 0.5 { 1.0 } else { 0.0 }",
    "float(s)",
)
_MAPPINGS = (
    ("({x} ^ 255)", "({x} ^ 255)"),
    ("({x} + 77)", "({x} - 77)"),
    ("(-{x})", "(-{x})"),
    ("(~{x})", "(~{x})"),
    ("({x} * 3)", "({x} * -1431655765)"),
)
"""One-to-one mappings of words, with their opposites; 3 * -1431655765 is 1 in 32 bits."""
_ZEROS = {"Int": "0", "Float": "0.0", "Bool": "false"}


class Composer:
    """One random merge."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._names = 0

    def whole(self) -> Part:
        return self._part(self._random.randint(1, 3))

    def _part(self, depth: int) -> Part:
        simple = (self._number, self._number, self._number, self._affine, self._mean)
        if depth == 0 or self._random.random() < 0.3:
            return self._random.choice(simple)()
        compound = (self._pair, self._mapped, self._optional, self._keyed)
        return self._random.choice(compound)(depth - 1)

    def _name(self) -> str:
        self._names += 1
        return f"v{self._names}"

    # ------------------------------------------------------------ single ones

    def _number(self) -> Part:
        kind, operations, elements = self._random.choice(
            (("Int", _INTS, _INT_ELEMENTS), ("Float", _FLOATS, _FLOAT_ELEMENTS))
        )
        operation, name = self._random.choice(operations), self._name()
        element = operation.element or self._random.choice(elements)
        return Part(
            {name: kind},
            {name: element},
            lambda a, b: {name: operation.text.format(a=f"{a}.{name}", b=f"{b}.{name}")},
            operation.laws,
        )

    def _affine(self) -> Part:
        """x * m + c, one after the other."""
        m, c = self._name(), self._name()
        kind, factor, offset = self._random.choice((("Int", "s | 1", "s - 5"), ("Float", "f", "f + 2.0")))
        return Part(
            {m: kind, c: kind},
            {m: factor, c: offset},
            lambda a, b: {m: f"{a}.{m} * {b}.{m}", c: f"{a}.{c} * {b}.{m} + {b}.{c}"},
            ASSOCIATIVE,
        )

    def _mean(self) -> Part:
        m, w = self._name(), self._name()
        weight = self._random.choice(("1.0", "2.0", "abs(f) + 0.5"))
        sums = "({a}.{m} * {a}.{w} + {b}.{m} * {b}.{w}) / ({a}.{w} + {b}.{w})"
        return Part(
            {m: "Float", w: "Float"},
            {m: "f", w: weight},
            lambda a, b: {m: sums.format(a=a, b=b, m=m, w=w), w: f"{a}.{w} + {b}.{w}"},
            BOTH,
        )

    # ------------------------------------------------------------ of others

    def _pair(self, depth: int) -> Part:
        first, second = self._part(depth), self._part(depth)
        return Part(
            {**first.types, **second.types},
            {**first.element, **second.element},
            lambda a, b: {**first.merge(a, b), **second.merge(a, b)},
            first.laws & second.laws,
        )

    def _mapped(self, depth: int) -> Part:
        """The field of a number, seen through a mapping."""
        inner = self._part(depth)
        if list(inner.types.values()) != ["Int"]:
            return inner
        [name] = inner.types
        forth, back = self._random.choice(_MAPPINGS)

        def merge(a: str, b: str) -> Mapping[str, str]:
            [text] = inner.merge("@0", "@1").values()
            for mark, value in (("@0", a), ("@1", b)):
                text = text.replace(f"{mark}.{name}", back.format(x=f"{value}.{name}"))
            return {name: forth.format(x=f"({text})")}

        return Part(inner.types, {name: forth.format(x=f"({inner.element[name]})")}, merge, inner.laws)

    def _optional(self, depth: int) -> Part:
        """A value for some elements only."""
        inner, has = self._part(depth), self._name()
        test = self._random.choice(("s > 0", "f > 0.0", "s % 2 == 0"))

        def merge(a: str, b: str) -> Mapping[str, str]:
            chosen = {
                name: f"if !{a}.{has} {{ {b}.{name} }} else {{ if !{b}.{has} {{ {a}.{name} }} else {{ {text} }} }}"
                for name, text in inner.merge(a, b).items()
            }
            return {has: f"{a}.{has} || {b}.{has}", **chosen}

        element = {
            name: f"if {test} {{ {text} }} else {{ {_ZEROS[inner.types[name]]} }}"
            for name, text in inner.element.items()
        }
        return Part({has: "Bool", **inner.types}, {has: test, **element}, merge, inner.laws)

    def _keyed(self, depth: int) -> Part:
        """Of two elements the one with the better key; the smaller index where both are alike."""
        inner, key, at = self._part(depth), self._name(), self._name()
        better = self._random.choice("<>")
        kind, value = self._random.choice((("Int", "s"), ("Float", "f")))
        types = {key: kind, at: "Int", **inner.types}

        def merge(a: str, b: str) -> Mapping[str, str]:
            is_first = f"{a}.{key} {better} {b}.{key} || ({a}.{key} == {b}.{key} && {a}.{at} < {b}.{at})"
            return {name: f"if {is_first} {{ {a}.{name} }} else {{ {b}.{name} }}" for name in types}

        return Part(types, {key: value, at: "index()", **inner.element}, merge, BOTH)


def composed(seed: int) -> tuple[str, frozenset[Law]]:
    """The text of a kernel, and which laws its merge obeys."""
    part = Composer(seed).whole()
    fields = " ".join(f"{name}: {kind};" for name, kind in part.types.items())
    element, merged = (
        ", ".join(f"{name}: {text}" for name, text in texts.items()) for texts in (part.element, part.merge("a", "b"))
    )
    source = f"""
    struct Whole {{ {fields} }}
    struct Element {{ i: Int; g: Float; }}
    kernel law.composed@1 {{
      requires {{ field.read; field.write; }}
      input x: Rows<Element>;
      output result: Rows<Whole>;
      compute over x {{
        let s = sample(x).i;
        let f = sample(x).g;
        return Whole {{ {element} }};
      }}
      merge(a, b) {{ return Whole {{ {merged} }}; }}
    }}
    """
    return source, part.laws
