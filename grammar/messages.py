"""From the place where reading stopped to a message in people's words."""

from __future__ import annotations

from kcheck.grammar.habits import explain_habit
from kcheck.grammar.lexis import RESERVED, Kind, Token, closest
from kcheck.grammar.problems import SYNTAX, Problem, Remark, Repair
from kcheck.grammar.spans import Span
from kcheck.grammar.spot import CLOSER, Spot

# What the grammar's token rules are called; signs and words stand for themselves.
_SIGNS = {
    "AssignSign": "=",
    "RangeSign": "..",
    "StatementEnd": ";",
    "FieldEnd": ";",
    "ArmEnd": ",",
    "Dot": ".",
}
# What may always follow a value, and so says nothing about what is missing.
_CONTINUES_VALUE = frozenset({"OperatorToken", "AssignOperator", "Dot", "(", "["})
# A place is told by one of the words or rules that only it expects.
_PLACES = (
    ("PatternNumberToken", "a pattern"),
    ("let", "a statement"),
    ("requires", "a member of the kernel"),
    ("node", "an entry of the scene"),
    ("carry", "a setting of the node"),
    ("expect", "`port = value;` or `expect port = value;`"),
    ("NumberToken", "an expression"),
)
_PLACE_WORDS = frozenset({"let", "requires", "node", "carry", "expect"})
_PLACE_NOTES = {
    "requires": "members begin with `requires`, `input`, `output`, `param`, `memory`, `struct`, `enum`, `const`, "
    "`fn`, `compute`, `scan`, `scatter`, `prefix`, `group`, `merge` or `example`",
    "node": "entries begin with `input`, `param`, `node`, `output` or `example`",
    "carry": "settings are `port <- node.output;`, `port <~ node.output from init;`, `name = value;` and "
    "`carry port <- output;`",
}
_NAMED = {
    "let": "a name",
    "var": "a name",
    "for": "a name",
    ".": "a name after the `.`",
    "over": "the input to walk",
    "into": "the target input",
    "with": "`sum`, `min`, `max` or `last`",
    "kernel": "the kernel's name",
    "-": "a source such as `node.output`",
    "<~": "a source such as `node.output`",
    "from": "a source such as `node.output`",
    "like": "a source such as `node.output`",
}


def explain(spot: Spot) -> Problem:
    """The problem of an item whose reading stopped at a spot."""
    return (
        explain_habit(spot)
        or _never_closed(spot)
        or _mismatched(spot)
        or _missing_separator(spot)
        or _misspelt(spot)
        or _unexpected(spot)
    )


def _never_closed(spot: Spot) -> Problem | None:
    """The item ends inside brackets, or a statement inside `[`."""
    # `[a; n]` reads on where a statement of which the `]` is missing has ended.
    in_array = spot.is_cut_short and spot.previous.text == ";" and "NumberToken" in spot.expected
    if not (spot.at_end or in_array) or not spot.open_brackets:
        return None
    return never_closed(spot, _suspect(spot) if spot.at_end else spot.open_brackets[-1])


def never_closed(spot: Spot, bracket: Token) -> Problem:
    missing = CLOSER[bracket.text]
    end = Remark(f"the {'item' if spot.at_end else 'statement'} ends here without its `{missing}`", spot.after_previous)
    message = f"this `{bracket.text}` is never closed"
    return Problem(SYNTAX, message, Span(bracket.start, bracket.end), f"no `{missing}` for it", (end,))


def _suspect(spot: Spot) -> Token:
    """The bracket that most likely lacks its partner: one whose indentation says that another took it."""
    stack: list[Token] = []
    for token in spot.tokens:
        if token.text in CLOSER:
            stack.append(token)
        elif stack and token.text == CLOSER[stack[-1].text]:
            opener = stack.pop()
            if stack and _indent(spot.text, token) < _indent(spot.text, opener):
                return opener
    return stack[-1] if stack else spot.open_brackets[-1]


def _indent(text: str, token: Token) -> int:
    """How far the line of `token` is indented."""
    start = text.rfind("\n", 0, token.start) + 1
    line = text[start:]
    return len(line) - len(line.lstrip(" \t"))


def _mismatched(spot: Spot) -> Problem | None:
    """A closing bracket of another kind than the one that is open."""
    if spot.found.text not in CLOSER.values() or not spot.open_brackets:
        return None
    bracket = spot.open_brackets[-1]
    closing = CLOSER[bracket.text]
    if closing == spot.found.text:
        return None
    opened = Remark(f"this `{bracket.text}` is still open", Span(bracket.start, bracket.end))
    message = f"expected `{closing}`, found {spot.found_text}"
    if spot.found.text != "}" and ("let" in spot.expected or closing not in spot.expected):
        message = f"this `{spot.found.text}` closes nothing"
    return Problem(SYNTAX, message, spot.here, notes=(opened,))


def _missing_separator(spot: Spot) -> Problem | None:
    """A `;` or `,` is missing between the token before and the one found."""
    sign = _separator(spot)
    if not sign or not _ends_here(spot):
        return None
    place = spot.after_previous
    repair = Repair(f"Insert `{sign}`", place, sign)
    what = (
        f"a value or `{sign}` after `return`"
        if spot.previous.text == "return"
        else f"`{sign}` after {_what_ended(spot)}"
    )
    message = f"expected {what}"
    return Problem(SYNTAX, message, place, f"`{sign}` is missing here", repairs=(repair,))


def _separator(spot: Spot) -> str:
    if "," in spot.expected and (spot.is_cut_short or ">" in spot.expected):
        return ""
    if spot.expected & {",", "ArmEnd"} and spot.previous.text not in (",", "(", "[", "{"):
        return "," if _starts_element(spot) else ""
    # Where a statement or member may begin, a `;` is expected only because stray ones are allowed.
    if spot.expected & {";", "StatementEnd", "FieldEnd"} and not spot.expected & _PLACE_WORDS:
        return ";"
    return ""


def _starts_element(spot: Spot) -> bool:
    """Whether what was found seems to be the next of a list."""
    return spot.found.kind in (Kind.WORD, Kind.NUMBER) or (
        spot.on_new_line and spot.found.text not in (";", *CLOSER.values())
    )


def _ends_here(spot: Spot) -> bool:
    """Whether what was found starts something new rather than goes on wrongly."""
    found = spot.found
    starts_field = found.kind is Kind.WORD and ("FieldEnd" in spot.expected or "," in spot.expected)
    return (
        spot.at_end
        or spot.on_new_line
        or starts_field
        or found.text in RESERVED
        or found.text == "}"
        or (found.kind is Kind.NUMBER and bool(spot.expected & {",", "ArmEnd"}))
        or (found.kind is Kind.WORD and "ArmEnd" in spot.expected)
    )


def _what_ended(spot: Spot) -> str:
    """What stands before a missing `;` or `,`."""
    first = spot.first.text
    if "FieldEnd" in spot.expected:
        return "the variant" if "{" in spot.expected else "the field"
    if "ArmEnd" in spot.expected:
        return "the arm"
    if first == "return":
        return "the returned value"
    if first in ("input", "output", "memory", "param", "use"):
        return "the declaration"
    if "AssignOperator" in spot.expected:
        return "the statement"
    return "the value" if "OperatorToken" in spot.expected else "the name"


def _misspelt(spot: Spot) -> Problem | None:
    """A word that is close to one that could stand here."""
    words = [word for word in spot.expected if word.isalpha() and word.islower()]
    if spot.found.kind is not Kind.WORD or "OperatorToken" in spot.expected:
        return None
    if spot.found.text not in words and (meant := closest(spot.found.text, words)):
        repair = Repair(f"Write `{meant}`", spot.here, meant)
        message = f"expected {_expected(spot)}, found `{spot.found.text}`"
        return Problem(SYNTAX, message, spot.here, f"perhaps `{meant}`?", _notes(spot), (repair,))
    return None


def _unexpected(spot: Spot) -> Problem:
    message = f"expected {_expected(spot)}, found {spot.found_text}"
    return Problem(SYNTAX, message, spot.here, notes=_notes(spot))


def _notes(spot: Spot) -> tuple[str, ...]:
    notes = [note for word, note in _PLACE_NOTES.items() if word in spot.expected]
    if "RangeSign" in spot.expected and "=>" not in spot.expected:
        notes.append("a range is written `low..high`")
    if spot.found.text in RESERVED and "NameToken" in spot.expected:
        notes.append(f"`{spot.found.text}` is a reserved word")
    return tuple(notes)


def _expected(spot: Spot) -> str:
    """What could stand at the spot, in words."""
    return _one_of([*_things(spot), *_signs(spot)])


def _things(spot: Spot) -> list[str]:
    for rule, words in _PLACES:
        if rule in spot.expected:
            return [words]
    if "NameToken" not in spot.expected:
        return []
    if "[" in spot.expected:
        return ["a type"]
    if spot.previous.text == "with" and spot.first.text == "scan":
        return ["a name for the value that is carried on"]
    return [_NAMED.get(spot.previous.text, "a name")]


def _signs(spot: Spot) -> list[str]:
    things = bool(_things(spot))
    signs = {_SIGNS.get(name, name) for name in spot.expected - _noise(spot)}
    kept = [sign for sign in signs if sign in ("}", ")", "]") or not things]
    return [f"`{sign}`" for sign in sorted(kept) if not sign.endswith("Token")]


def _noise(spot: Spot) -> frozenset[str]:
    """Names that are expected but say little."""
    noise = {"Comment"}
    if "Dot" in spot.expected:
        noise |= _CONTINUES_VALUE
    if "StatementEnd" in spot.expected:
        noise |= {":"}
    if spot.expected & {"StatementEnd", ";", ",", ")", "]", "ArmEnd"}:
        noise |= {"{"}
    if ")" in spot.expected:
        noise |= {"AssignSign"}
    if len(spot.expected) > 1:
        noise |= {"<", "Dot"}
    return frozenset(noise)


def _one_of(names: list[str]) -> str:
    if len(names) < 2:
        return "".join(names) or "something else"
    return f"{', '.join(names[:-1])} or {names[-1]}"
