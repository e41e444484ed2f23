"""Reads textX's metamodel: the parser model that Arpeggio would run, as shapes.

This is the only module that looks inside textX. It follows textX 4 and Arpeggio 2; whatever it does not know
it refuses.
"""

from __future__ import annotations

from typing import Any

import arpeggio
from textx.const import MULT_ONEORMORE, MULT_ZEROORMORE, RULE_ABSTRACT, RULE_COMMON, RULE_MATCH
from textx.lang import BASE_TYPE_NAMES, python_type

from kcheck.grammar.generator.shapes import (
    CONVERSIONS,
    Assign,
    Attribute,
    Call,
    Choice,
    Expression,
    Grammar,
    Kind,
    Literal,
    Look,
    Maybe,
    Regex,
    Repeat,
    Rule,
    Sequence,
    Terminal,
    Unsupported,
)

_KINDS = {RULE_COMMON: Kind.COMMON, RULE_ABSTRACT: Kind.ABSTRACT, RULE_MATCH: Kind.MATCH}
_PREDICATES: dict[type, bool] = {arpeggio.And: True, arpeggio.Not: False}
_REPETITIONS: dict[type, bool] = {arpeggio.ZeroOrMore: False, arpeggio.OneOrMore: True}
# Options of a metamodel that change how it reads, and the only value that is modelled.
_OPTIONS = {
    "ignore_case": False,
    "memoization": False,
    "skipws": True,
    "textx_tools_support": False,
    "use_regexp_group": False,
    "user_classes": {},
    "user_classes_provider": None,
    "referenced_languages": {},
    "_model_processors": [],
}


def read_grammar(metamodel: Any, text: str) -> Grammar:
    """The grammar of `metamodel`, which textX made from `text`."""
    _check_options(metamodel)
    parser = metamodel._parser_blueprint
    reader = _Reader(text, metamodel.auto_init_attributes)
    first = parser.parser_model.nodes[0]
    if isinstance(first, arpeggio.Match) or first._tx_class._tx_type == RULE_MATCH:
        raise Unsupported("a first rule that makes no object")
    top = reader.rule(first)
    comments = parser.comments_model
    return Grammar(
        top=top,
        rules=tuple(reader.rules.values()),
        blanks=parser.ws,
        comments=reader.comments(comments) if comments is not None else (),
    )


def _check_options(metamodel: Any) -> None:
    for option, value in _OPTIONS.items():
        if getattr(metamodel, option) != value:
            raise Unsupported(f"the metamodel option {option.strip('_')}={getattr(metamodel, option)!r}")
    if metamodel._obj_processors != metamodel._default_obj_processors:
        raise Unsupported("an object processor")
    if metamodel._default_obj_processors.keys() != CONVERSIONS.keys():
        raise Unsupported(f"textX's conversions {sorted(metamodel._default_obj_processors)}")
    if len(metamodel.namespaces) != 2:  # the grammar's and that of the base types
        raise Unsupported("the import of another grammar")


class _Reader:
    """`rules` are those met so far, by the identity of their textX object."""

    def __init__(self, text: str, filled: bool) -> None:
        self.text = text
        self.filled = filled
        self.rules: dict[int, Rule] = {}

    def rule(self, node: Any) -> Rule:
        """The rule whose body is `node`; rules may be recursive, so it is noted before its body is read."""
        if id(node) not in self.rules:
            kind, name = node._tx_class, node.rule_name
            rule = Rule(name, _KINDS[kind._tx_type], self._attributes(kind), self._rule_text(kind), _conversion(name))
            self.rules[id(node)] = rule
            rule.body = _RuleReader(self, rule).inside(node)
        return self.rules[id(node)]

    def _rule_text(self, kind: Any) -> str:
        if kind.__name__ in BASE_TYPE_NAMES:
            return f"{kind.__name__}: one of textX's base types"
        return " ".join(self.text[kind._tx_position : kind._tx_position_end].split())

    def _attributes(self, kind: Any) -> tuple[Attribute, ...]:
        return tuple(self._attribute(attribute) for attribute in kind._tx_attrs.values())

    def _attribute(self, attribute: Any) -> Attribute:
        name = attribute.name
        if not attribute.cont:
            raise Unsupported(f"the reference to an object in `{name}`")
        if not (name.isidentifier() and name.isascii()) or name == "parent" or name.startswith("_"):
            raise Unsupported(f"an attribute named `{name}`")
        many = attribute.mult in (MULT_ZEROORMORE, MULT_ONEORMORE)
        return Attribute(name, many, self._default(attribute))

    def _default(self, attribute: Any) -> str | int | float | bool | None:
        """What textX's `_init_obj_attrs` gives."""
        if attribute.cls.__name__ not in BASE_TYPE_NAMES:
            return None
        if not self.filled:
            return False if attribute.bool_assignment else None
        value: str | int | float | bool = python_type(attribute.cls.__name__)()
        return value

    def comments(self, node: Any) -> tuple[Terminal, ...]:
        """The terminals that are comments; `node` must be one, or a choice of some."""
        if isinstance(node, arpeggio.Match):
            return (terminal(node),)
        if type(node) is not arpeggio.OrderedChoice:
            raise Unsupported("a rule Comment that is no choice of terminals")
        _check_modifiers(node)
        return tuple(found for way in node.nodes for found in self.comments(way))


class _RuleReader:
    """Reads the body of one rule."""

    def __init__(self, reader: _Reader, rule: Rule) -> None:
        self.reader = reader
        self.attributes = {attribute.name: attribute for attribute in rule.attributes}

    def expression(self, node: Any) -> Expression:
        """An expression within the rule, which may be a reference to another."""
        _check_modifiers(node)
        if isinstance(node, arpeggio.Match):
            return terminal(node)
        if node.rule_name.startswith("__asgn_"):
            return self._assignment(node)
        if node.root:
            return Call(self.reader.rule(node))
        return self.inside(node)

    def inside(self, node: Any) -> Expression:
        """An expression that is, or is part of, the rule's body."""
        _check_modifiers(node)
        kind = type(node)
        if kind is arpeggio.Sequence:
            return Sequence(self._all(node.nodes))
        if kind is arpeggio.OrderedChoice:
            return Choice(self._all(node.nodes))
        if kind is arpeggio.Optional:
            return Maybe(self.expression(node.nodes[0]))
        if kind in _REPETITIONS:
            return Repeat(self.expression(node.nodes[0]), _REPETITIONS[kind], _separator(node))
        if kind in _PREDICATES:
            return Look(_without_assignments(self.expression(node.nodes[0])), _PREDICATES[kind])
        if kind is arpeggio.UnorderedGroup:
            raise Unsupported("an unordered group (#)")
        raise Unsupported(f"Arpeggio's {kind.__name__}")

    def _all(self, nodes: list[Any]) -> tuple[Expression, ...]:
        return tuple(self.expression(node) for node in nodes)

    def _assignment(self, node: Any) -> Expression:
        attribute = self.attributes[node._attr_name]
        value = self.expression(node.nodes[0])
        if not isinstance(value, Literal | Regex | Call):
            raise Unsupported(f"an assignment of {type(value).__name__} to `{attribute.name}`")
        match node.rule_name:
            case "__asgn_plain":
                return Assign(attribute, value)
            case "__asgn_optional":
                return Maybe(Assign(attribute, value, flag=True))
            case "__asgn_zeroormore" | "__asgn_oneormore":
                return Repeat(Assign(attribute, value), node.rule_name == "__asgn_oneormore", _separator(node))
        raise Unsupported(f"the assignment {node.rule_name}")


def _check_modifiers(node: Any) -> None:
    if node.root and node.rule_name == "sep":
        raise Unsupported("a rule named `sep`, which textX takes for a separator")
    if node.suppress:
        raise Unsupported("a suppressed match (-)")
    if getattr(node, "eolterm", False):
        raise Unsupported("the modifier eolterm")
    for modifier in ("skipws", "ws", "split"):
        if getattr(node, modifier, None) is not None:
            raise Unsupported(f"the modifier {modifier}")


def _separator(node: Any) -> Terminal | None:
    return terminal(node.sep) if node.sep is not None else None


def terminal(node: Any) -> Terminal:
    _check_modifiers(node)
    if node.ignore_case:
        raise Unsupported("a terminal in any case")
    name, conversion = terminal_name(node), _conversion(node.rule_name)
    if type(node) is arpeggio.StrMatch:
        return Literal(node.to_match, False, name, conversion)
    if type(node) is not arpeggio.RegExMatch:
        raise Unsupported(f"Arpeggio's {type(node).__name__}")
    if node.to_match_regex == rf"{node.to_match}\b" and node.to_match.isidentifier():
        return Literal(node.to_match, True, name, conversion)
    return Regex(node.to_match_regex, node.regex.flags, name, conversion)


def _conversion(rule: str) -> str:
    return rule if rule in CONVERSIONS else ""


def terminal_name(node: Any) -> str:
    """How a failure calls one of Arpeggio's expressions."""
    return node.rule_name if node.root else str(getattr(node, "to_match", node.name))


def _without_assignments(expression: Expression) -> Expression:
    """What a predicate looks at; what it reads it forgets."""
    match expression:
        case Assign(value=value):
            return value
        case Sequence(parts):
            return Sequence(tuple(map(_without_assignments, parts)))
        case Choice(ways):
            return Choice(tuple(map(_without_assignments, ways)))
        case Maybe(body):
            return Maybe(_without_assignments(body))
        case Repeat(body, needed, separator):
            return Repeat(_without_assignments(body), needed, separator)
        case Look(body, wanted):
            return Look(_without_assignments(body), wanted)
        case Literal() | Regex() | Call():
            return expression
