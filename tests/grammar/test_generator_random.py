"""Grammars made by chance: where the generator does not refuse one, its parser is textX's.

KCHECK_GRAMMARS=3000 python -m pytest tests/grammar/test_generator_random.py
"""

from __future__ import annotations

import os
from random import Random
from typing import Any

from textx.exceptions import TextXSemanticError, TextXSyntaxError

from kcheck.grammar.generator.shapes import Unsupported
from tests.grammar.readings import both, differences

GRAMMARS = int(os.environ.get("KCHECK_GRAMMARS", "60"))
TERMINALS = ["'a'", "'b'", "'c'", "','", "'ab'", "/[bc]/", "/b(?=c)/", "INT", "ID"]
RULES = ["A", "B", "M", "W"]
TOKENS = ["a", "b", "c", ",", "ab", "bc", "1", "w", "(", ")", " ", "#", "~"]
ABSTRACT = ["A | B", "B | M | A", "'(' A ')' | B", "A | 'c' B | INT", "M | A", "A"]
MATCH = ["'w'", "'b' 'c' | 'a'", "INT 'b'?", "/[ab]/"]
COMMENT = ["", "", "", "Comment: /#[a-c]*/;", "Comment: C | '~'; C: /#[a-c]*/;"]
ENDINGS = ["", "?", "*", "+", "*[',']", "+[',']"]
OPTIONS: list[dict[str, Any]] = [{}, {}, {"autokwd": True}, {"ws": " "}, {"auto_init_attributes": False}]


class Writer:
    """Writes a grammar. In `common` rules there are assignments, in `match` rules only other match rules."""

    def __init__(self, random: Random) -> None:
        self.random = random

    def grammar(self) -> str:
        one = self.random.choice
        return "\n".join(
            [
                f"R: x='a'? {self.choice('common', 2)};",
                f"A: 'a' {self.choice('common', 1)};",
                f"B: n=ID {self.choice('common', 1)};",
                f"T: {one(ABSTRACT)};",
                f"M: 'b' {self.choice('match', 1)};",
                f"W: {one(MATCH)};",
                one(COMMENT),
            ]
        )

    def choice(self, kind: str, depth: int) -> str:
        return " | ".join(self.sequence(kind, depth) for _ in range(self.random.choice([1, 1, 2]) if depth else 1))

    def sequence(self, kind: str, depth: int) -> str:
        return " ".join(self.element(kind, depth) for _ in range(self.random.choice([1, 2, 2, 3])))

    def element(self, kind: str, depth: int) -> str:
        one = self.random.choice
        match one(["group", "look", "own", "own", "own", "rule", "terminal", "terminal"]):
            case "group" if depth:
                return f"({self.choice(kind, depth - 1)}){one(ENDINGS)}"
            case "look":
                inside = one([one(TERMINALS), one(RULES), f"({self.choice('look', depth - 1)})" if depth else "'a'"])
                return f"{one('&!')}{inside}"
            case "own" if kind == "common":
                operator = one(["=", "=", "*=", "+=", "?="])
                separator = one(["", "[',']"]) if operator in ("*=", "+=") else ""
                return f"{one('pqrs')}{operator}{one([one(TERMINALS), one([*RULES, 'T'])])}{separator}"
            case "rule":
                return one(["M", "W"] if kind == "match" else RULES)
        return f"{one(TERMINALS)}{one(['', '', '', '?', '*', '+'])}"


def test_grammars_by_chance() -> None:
    random = Random("grammars")
    modelled = 0
    while modelled < GRAMMARS:
        grammar, options = Writer(random).grammar(), random.choice(OPTIONS)
        try:
            parsers = both(grammar, **options)
        except (Unsupported, TextXSemanticError, TextXSyntaxError):
            continue
        modelled += 1
        texts = [random.choice(["", " "]).join(random.choices(TOKENS, k=random.randrange(8))) for _ in range(60)]
        assert differences(texts, *parsers) == [], grammar
