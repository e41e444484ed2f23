"""The names in a generated module, and the constants that its functions share.

No two can meet: functions begin with `parse_`, matchers with `match_`, sets of first characters with `FIRST_`;
what holds an attribute ends in `_`; numbered variables end in a digit; classes begin with a capital letter and
have no `_`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from kcheck.grammar.generator.patterns import ASCII, OTHER
from kcheck.grammar.generator.shapes import Regex, Rule

_CLASS = re.compile(r"[A-Z][A-Za-z0-9]*")
_TAKEN = frozenset({"Node", "Ways", "ONCE", "FAR", "None", "True", "False"})


class Names:
    """Gives names, and remembers which constants were asked for."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        self._rules: dict[Rule, str] = {}
        for number, rule in enumerate(rules, 1):
            clash = rule.name in self._rules.values() or rule.name in _TAKEN or not _CLASS.fullmatch(rule.name)
            self._rules[rule] = f"Rule_{number}" if clash else rule.name
        self._patterns: dict[tuple[str, int], str] = {}
        self._firsts: dict[str, str] = {}

    def rule(self, rule: Rule) -> str:
        return self._rules[rule]

    def function(self, rule: Rule) -> str:
        return f"parse_{self._rules[rule]}"

    def matcher(self, terminal: Regex) -> str:
        """The constant that matches a terminal at a position."""
        key = terminal.pattern, terminal.flags
        if key not in self._patterns:
            name = terminal.name if terminal.name.isidentifier() and terminal.name.isascii() else ""
            taken = f"match_{name}" in self._patterns.values()
            self._patterns[key] = f"match_{name}" if name and not taken else f"match_{len(self._patterns) + 1}"
        return self._patterns[key]

    def first(self, characters: Iterable[str]) -> str:
        """The constant that holds some characters."""
        text = "".join(sorted(characters))
        return self._firsts.setdefault(text, f"FIRST_{len(self._firsts) + 1}")

    def one_of(self, first: frozenset[str], character: str) -> str | None:
        """The condition that `character` is among some first characters, unless all are."""
        if OTHER not in first:
            return f"{character} in {self.first(first)}"
        return f"{character} not in {self.first(ASCII - first)}" if ASCII - first else None

    def definitions(self) -> list[str]:
        matchers = [
            f"{name} = re.compile({pattern!r}, {_flags(flags)}).match"
            for (pattern, flags), name in self._patterns.items()
        ]
        return matchers + [f"{name} = {characters!r}" for characters, name in self._firsts.items()]


def _flags(flags: int) -> str:
    return "re.MULTILINE" if flags == re.MULTILINE | re.UNICODE else str(flags)
