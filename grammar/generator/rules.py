"""From a rule to the Python function that reads it."""

from __future__ import annotations

from collections.abc import Iterable
from keyword import iskeyword

from kcheck.grammar.generator.code import Coder, Lines, converted, forget, indent, local
from kcheck.grammar.generator.firsts import Firsts
from kcheck.grammar.generator.names import Names
from kcheck.grammar.generator.shapes import Attribute, Call, Choice, Expression, Kind, Literal, Regex, Rule
from kcheck.grammar.generator.undo import surely_assigned


class RuleWriter:
    """Writes functions of the fast or of the tracking parser."""

    def __init__(self, names: Names, firsts: Firsts, tracking: bool, lists: frozenset[str] = frozenset()) -> None:
        self.names = names
        self.firsts = firsts
        self.tracking = tracking
        self.lists = lists
        self.state = "pos, end, raw, hidden" if tracking else "pos, end, far"

    def functions(self, rules: Iterable[Rule]) -> Lines:
        """The functions of all rules, then the tables that some of them use."""
        tables: Lines = []
        lines: Lines = []
        for rule in rules:
            if _only_calls(rule):
                tables += self._table(rule)
            lines += ["", *self._function(rule)]
        return [*lines, "", *tables]

    def _function(self, rule: Rule) -> Lines:
        writers = {Kind.COMMON: self._object, Kind.ABSTRACT: self._alternative, Kind.MATCH: self._text}
        write = self._by_first_character if _only_calls(rule) else writers[rule.kind]
        return [
            f"def {self.names.function(rule)}():",
            f"    # {rule.text}",
            f"    nonlocal {self.state}",
            *indent(write(rule)),
        ]

    def _coder(self, rule: Rule) -> Coder:
        return Coder(rule, self.names, self.firsts, self.tracking, self.lists)

    def _object(self, rule: Rule) -> Lines:
        """A common rule: reads, then makes the object."""
        surely = surely_assigned(rule.body, self.firsts)
        begun = [f"{local(it)} = {[] if it.many else it.default!r}" for it in rule.attributes if it not in surely]
        return [
            "start = pos",
            *begun,
            *self._coder(rule).code(rule.body, ["return None"], forget),
            f"node = {self.names.rule(rule)}()",
            "node._tx_position = start",
            "node._tx_position_end = end",
            *map(_kept, rule.attributes),
            "return node",
        ]

    def _alternative(self, rule: Rule) -> Lines:
        body = self._coder(rule).code(rule.body, ["return None"], lambda value: [f"node = {value}"])
        return [*body, "return node"]

    def _text(self, rule: Rule) -> Lines:
        """A match rule: what it reads as one text, or the value of what it reads, if that is one thing."""
        coder = self._coder(rule)
        if _is_one(rule.body):
            body = coder.code(rule.body, ["return None"], lambda value: [f"text = {value}"])
            return [*body, f"return {converted('text', rule.conversion)}"]
        return [
            "parts_ = []",
            *coder.code(rule.body, ["return None"], lambda value: [f"parts_.append({value})"]),
            "text = parts_[0] if len(parts_) == 1 else ''.join(map(str, parts_))",
            f"return {converted('text', rule.conversion)}",
        ]

    def _by_first_character(self, rule: Rule) -> Lines:
        """A choice of rules goes straight to those that the next character may begin."""
        place = "pos, end, raw" if self.tracking else "pos, end"
        back = place.replace(",", "_1,") + "_1"
        ways = f"{self._table_name(rule)}[src[pos : pos + 1]]"
        if self.tracking:
            ways = f"{self._table_name(rule)}[None] if pos >= FAR else {ways}"
        return [
            f"{back} = {place}",
            f"for parse in {ways}:",
            "    node = parse()",
            "    if node is not None:",
            "        return node",
            *([] if self.tracking else ["    if pos > far:", "        far = pos"]),
            f"    {place} = {back}",
            "return None",
        ]

    def _table(self, rule: Rule) -> Lines:
        ways = [
            f"({self.names.function(call)}, {self.names.first(self.firsts.first(call.body))})," for call in _calls(rule)
        ]
        return [f"{self._table_name(rule)} = by_first_character(", *indent(ways), ")"]

    def _table_name(self, rule: Rule) -> str:
        return f"ways_{self.names.rule(rule)}"


def _calls(rule: Rule) -> list[Rule]:
    """The alternatives of a rule that are calls."""
    return [way.rule for way in rule.body.ways if isinstance(way, Call)] if isinstance(rule.body, Choice) else []


def _only_calls(rule: Rule) -> bool:
    ways = len(rule.body.ways) if isinstance(rule.body, Choice) else 0
    return rule.kind is Kind.ABSTRACT and ways > 0 and len(_calls(rule)) == ways


def _kept(attribute: Attribute) -> str:
    if iskeyword(attribute.name):
        return f"setattr(node, {attribute.name!r}, {local(attribute)})"
    return f"node.{attribute.name} = {local(attribute)}"


def _is_one(expression: Expression) -> bool:
    """Whether an expression reads exactly one terminal, or calls one rule."""
    if isinstance(expression, Choice):
        return all(map(_is_one, expression.ways))
    return isinstance(expression, Literal | Regex | Call)
