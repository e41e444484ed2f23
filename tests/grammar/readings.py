"""Comparing what two parsers of the same grammar make of a text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from random import Random
from typing import Any

from textx import metamodel_from_str

from kcheck.grammar.generator.cache import Reading
from kcheck.grammar.generator.module import generate
from kcheck.grammar.generator.reference import reference_parser

Read = Callable[[str], Reading]


def both(grammar: str, **options: Any) -> tuple[Read, Read]:
    """textX's parser of a grammar, and the one that is generated from it."""
    metamodel = metamodel_from_str(grammar, **options)
    module: dict[str, Any] = {"__name__": "generated"}
    exec(compile(generate(metamodel, grammar), "<generated>", "exec"), module)
    return reference_parser(metamodel), module["read"]


def differences(texts: Iterable[str], reference: Read, generated: Read) -> list[str]:
    """The texts that two parsers read differently, with what differs; a few are enough."""
    found = []
    for text in texts:
        if difference := _difference(reference(text), generated(text)):
            found.append(f"{text!r}: {difference}")
        if len(found) == 5:
            break
    return found


def _difference(ours: Reading, theirs: Reading) -> str:
    if ours[0] is None or theirs[0] is None:
        return "" if ours[:3] == theirs[:3] else f"{_short(ours)} / {_short(theirs)}"
    return next(_trees(ours[0], theirs[0]), "")


def _short(reading: Reading) -> str:
    tree, offset, expected, _ = reading
    return f"fails at {offset}, expected {sorted(expected)}" if tree is None else f"{type(tree).__name__}"


def _trees(reference: Any, generated: Any) -> Iterator[str]:
    """What differs between an object of textX and the one that stands for it; trees may be deep."""
    waiting = [(reference, generated, "")]
    while waiting:
        one, other, path = waiting.pop()
        if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
            waiting += [(*pair, f"{path}[{index}]") for index, pair in enumerate(zip(one, other, strict=True))]
        elif not hasattr(one, "_tx_position"):
            if type(one) is not type(other) or one != other:
                yield f"{path}: {one!r} / {other!r}"
        elif _head(one, tuple(type(one)._tx_attrs)) != _head(other, getattr(type(other), "__slots__", ())):
            yield f"{path}: {one!r} / {other!r}"
        else:
            waiting += [(getattr(one, name), getattr(other, name), f"{path}.{name}") for name in type(one)._tx_attrs]


def _head(node: Any, attributes: tuple[str, ...]) -> tuple[Any, ...]:
    return type(node).__name__, attributes, getattr(node, "_tx_position", None), getattr(node, "_tx_position_end", None)


_TOKENS = re.compile(r"\w+|\s+|[^\w\s]")
_SIGNS = r"""
= == ; { } ( ) [ ] , : . .. ..= < > -> <- <~ => >>> <<= << && || ! ~ @ | & " /* // */ é _ 0x 1. 1e5 .5
let var if else match for in loop until return param expect like from with over into x 1 true sum
"""
_PIECES = [*_SIGNS.split(), " ", "\n", " /* c */ ", " // c\n", "\t\r\n"]


def mutant(random: Random, text: str) -> str:
    """A text with a few of its tokens taken out, doubled, swapped, replaced, shortened or lengthened."""
    tokens = _TOKENS.findall(text)
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        place, other = random.randrange(len(tokens)), random.randrange(len(tokens))
        match random.randrange(8):
            case 0:
                del tokens[place]
            case 1:
                tokens.insert(place, tokens[place])
            case 2:
                tokens[place], tokens[other] = tokens[other], tokens[place]
            case 3:
                tokens.insert(place, random.choice(_PIECES))
            case 4:
                tokens[place] = random.choice(_PIECES)
            case 5:
                tokens[place] = tokens[place][:-1]
            case 6:
                del tokens[place + 1 :]
            case 7:
                tokens[place] += random.choice("aZ_0é ")
        tokens = tokens or ["x"]
    return "".join(tokens)
