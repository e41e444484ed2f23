"""What people write who come from other languages, told in this one's terms.

Each function looks at one habit and answers nothing where it sees another; the first answer is taken.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from kcheck.grammar.lexis import RESERVED, Kind
from kcheck.grammar.problems import SYNTAX, Problem, Remark, Repair
from kcheck.grammar.spans import Span
from kcheck.grammar.spot import Spot

Habit = Callable[[Spot], Problem | None]

FOREIGN_TYPES = {
    "int": "Int",
    "i32": "Int",
    "uint": "Int",
    "u32": "Int",
    "long": "Int",
    "float": "Float",
    "f32": "Float",
    "half": "Float",
    "double": "Float",
    "f64": "Float",
    "bool": "Bool",
    "vec2": "Vec2",
    "vec3": "Vec3",
    "vec4": "Vec4",
    "float2": "Vec2",
    "float3": "Vec3",
    "float4": "Vec4",
    "mat2": "Mat2",
    "mat3": "Mat3",
    "mat4": "Mat4",
}
"""What other languages call the types, and what they are called here."""
_NUMBER = re.compile(r"[0-9][0-9_]*(?:\.[0-9][0-9_]*)?(?:[eE][-+]?[0-9]+)?")
_INT_SUFFIXES = frozenset({"u", "l", "ul", "i32", "u32"})
_FLOAT_SUFFIXES = frozenset({"f", "f32", "lf", "h"})
_BOUNDED = "loops are bounded here: `for i in 0..n until done { … }` or `loop n until done { … }`"
_WORD_OPERATORS = {"and": "&&", "or": "||", "not": "!", "xor": "^", "mod": "%"}


def explain_habit(spot: Spot) -> Problem | None:
    return next((problem for habit in _HABITS if (problem := habit(spot))), None)


def _wants_expression(spot: Spot) -> bool:
    return "NumberToken" in spot.expected


def _follows_value(spot: Spot) -> bool:
    return "OperatorToken" in spot.expected


# ---------------------------------------------------------------- numbers


def _number(spot: Spot) -> Problem | None:
    """`1.`, `1.0f`, `0xG`, `12abc` where a value or a pattern could stand."""
    if spot.found.kind is not Kind.NUMBER or not (_wants_expression(spot) or _wants_pattern(spot)):
        return None
    text, span = spot.found.text, spot.here
    point = spot.token(1)
    if point.text == "." and point.start == spot.found.end:
        return _half_a_float(Span(span.start, point.end), f"{text}.", f"{text}.0")
    if _wants_pattern(spot):
        note = "a pattern is an Int, a Bool, a range of Ints or a variant; compare Floats by `if`"
        return Problem(SYNTAX, f"`{text}` is no pattern", span, notes=(note,))
    if problem := _suffixed(text, span):
        return problem
    note = "numbers are written `12`, `0.5`, `1e-3`, `0xFF` or `0b10`"
    return Problem(SYNTAX, f"`{text}` is no number", span, notes=(note,))


def _suffixed(text: str, span: Span) -> Problem | None:
    """`1.0f`, `3u`."""
    digits = _NUMBER.match(text)
    number = digits.group() if digits else ""
    suffix = text[len(number) :]
    if suffix.lower() not in _INT_SUFFIXES | _FLOAT_SUFFIXES:
        return None
    if suffix.lower() in _FLOAT_SUFFIXES and "." not in number:
        number += ".0"
    note = "the point makes a Float: `1.0`; all other numbers are Ints"
    repair = Repair(f"Write `{number}`", span, number)
    return Problem(SYNTAX, f"numbers have no suffix: `{suffix}`", span, notes=(note,), repairs=(repair,))


def _half_a_float(span: Span, text: str, whole: str) -> Problem:
    repair = Repair(f"Write `{whole}`", span, whole)
    message = f"a Float has digits on both sides of its point: `{whole}`, not `{text}`"
    return Problem(SYNTAX, message, span, repairs=(repair,))


def _leading_point(spot: Spot) -> Problem | None:
    """`.5`."""
    digits = spot.token(1)
    adjacent = digits.kind is Kind.NUMBER and digits.start == spot.found.end
    if spot.found.text != "." or not adjacent or not _wants_expression(spot):
        return None
    return _half_a_float(Span(spot.found.start, digits.end), f".{digits.text}", f"0.{digits.text}")


def _wants_pattern(spot: Spot) -> bool:
    return "PatternNumberToken" in spot.expected


# ---------------------------------------------------------------- statements of other languages


def _while(spot: Spot) -> Problem | None:
    if spot.first.text not in ("while", "do", "repeat") or not _follows_value(spot):
        return None
    span = Span(spot.first.start, spot.first.end)
    return Problem(SYNTAX, f"there is no `{spot.first.text}`", span, "not a statement here", (_BOUNDED,))


def _c_for(spot: Spot) -> Problem | None:
    if spot.previous.text != "for" or spot.found.text != "(":
        return None
    return Problem(SYNTAX, "a `for` walks a range: `for i in 0..n { … }`", spot.here, "no `(` here")


def _endless_loop(spot: Spot) -> Problem | None:
    if spot.previous.text != "loop" or spot.found.text != "{":
        return None
    message = "`loop` needs to know how often: `loop 10 { … }`"
    return Problem(SYNTAX, message, spot.after_previous, "no count", (_BOUNDED,))


def _do(spot: Spot) -> Problem | None:
    """`do { … } while (c);`, whose brace seemed to open a struct value."""
    word = spot.before_bracket(1)
    if word.text not in ("do", "repeat"):
        return None
    span = Span(word.start, word.end)
    return Problem(SYNTAX, f"there is no `{word.text}`", span, "not a statement here", (_BOUNDED,))


def _switch(spot: Spot) -> Problem | None:
    if spot.first.text not in ("switch", "case") or not _follows_value(spot):
        return None
    span = Span(spot.first.start, spot.first.end)
    return Problem(SYNTAX, f"there is no `{spot.first.text}`", span, notes=("write `match x { 0 => a, _ => b }`",))


def _elif(spot: Spot) -> Problem | None:
    if spot.first.text not in ("elif", "elsif", "elseif") or not _follows_value(spot):
        return None
    span = Span(spot.first.start, spot.first.end)
    repair = Repair("Write `else if`", span, "else if")
    return Problem(SYNTAX, f"write `else if`, not `{spot.first.text}`", span, repairs=(repair,))


def _declaration(spot: Spot) -> Problem | None:
    """`float x = 1.0;`, `Vec3 p;`, `auto x = 3;`."""
    if len(spot.statement) != 1 or spot.previous.kind is not Kind.WORD or spot.found.kind is not Kind.WORD:
        return None
    if spot.previous.text in RESERVED or "StatementEnd" not in spot.expected:
        return None
    if spot.token(1).text not in ("=", ";"):
        return None
    written = spot.previous.text
    type_ = FOREIGN_TYPES.get(written, written if written[0].isupper() else "")
    declared = f"{spot.found.text}: {type_}" if type_ else spot.found.text
    span = Span(spot.previous.start, spot.found.end)
    note = "`let` for a value that stays, `var` for one that changes; the type follows the name"
    repair = Repair(f"Write `var {declared}`", span, f"var {declared}")
    message = f"a declaration begins with `let` or `var`: `var {declared} = …`"
    return Problem(SYNTAX, message, span, notes=(note,), repairs=(repair,))


def _let_mut(spot: Spot) -> Problem | None:
    if [token.text for token in spot.statement] != ["let", "mut"] or spot.found.kind is not Kind.WORD:
        return None
    span = Span(spot.first.start, spot.previous.end)
    return Problem(SYNTAX, "write `var`, not `let mut`", span, repairs=(Repair("Write `var`", span, "var"),))


def _no_first_value(spot: Spot) -> Problem | None:
    if spot.first.text not in ("let", "var") or spot.found.text != ";" or "AssignSign" not in spot.expected:
        return None
    message = f"a `{spot.first.text}` needs its first value: `= …`"
    return Problem(SYNTAX, message, spot.after_previous, "no value")


def _second_name(spot: Spot) -> Problem | None:
    if spot.first.text not in ("let", "var") or spot.found.text != ",":
        return None
    message = f"one `{spot.first.text}` declares one name"
    return Problem(SYNTAX, message, spot.here, "`;` expected", ("write a statement for each",))


# ---------------------------------------------------------------- operators


def _increment(spot: Spot) -> Problem | None:
    """`i++;`, `i--;`, `++i;`."""
    if not _wants_expression(spot):
        return None
    pairs = ((spot.token(-2), spot.previous), (spot.previous, spot.found), (spot.found, spot.token(1)))
    for left, right in pairs:
        if left.text == right.text and left.text in ("+", "-") and left.end == right.start:
            message = f"there is no `{left.text * 2}`: write `x {left.text}= 1`"
            return Problem(SYNTAX, message, Span(left.start, right.end))
    return None


def _logical_assignment(spot: Spot) -> Problem | None:
    """`a &&= b`."""
    if spot.found.text not in ("&&", "||") or spot.token(1).text not in ("=", "=="):
        return None
    operator = spot.found.text
    span = Span(spot.found.start, spot.found.end + 1)
    return Problem(SYNTAX, f"there is no `{operator}=`: write `a = a {operator} b`", span)


def _compare_by_one_equal(spot: Spot) -> Problem | None:
    if spot.found.text != "=" or not _follows_value(spot) or "AssignOperator" in spot.expected:
        return None
    repair = Repair("Write `==`", spot.here, "==")
    return Problem(SYNTAX, "`=` assigns; to compare write `==`", spot.here, repairs=(repair,))


def _conditional_operator(spot: Spot) -> Problem | None:
    if spot.found.text != "?":
        return None
    note = "write `if c { a } else { b }`, which is a value too, or `select(c, a, b)`"
    return Problem(SYNTAX, "there is no `? :`", spot.here, notes=(note,))


def _power(spot: Spot) -> Problem | None:
    if spot.found.text != "*" or spot.previous.text != "*" or not spot.adjacent:
        return None
    return Problem(SYNTAX, "there is no `**`: write `pow(a, b)`", Span(spot.previous.start, spot.found.end))


def _word_operator(spot: Spot) -> Problem | None:
    """`a and b`, `not a`."""
    if not _follows_value(spot):
        return None
    for token in (spot.found, spot.previous):
        if token.text in _WORD_OPERATORS and (token is spot.found or token.text == "not"):
            sign, span = _WORD_OPERATORS[token.text], Span(token.start, token.end)
            repair = Repair(f"Write `{sign}`", span, sign)
            return Problem(SYNTAX, f"write `{sign}`, not `{token.text}`", span, repairs=(repair,))
    return None


def _arrow(spot: Spot) -> Problem | None:
    """`p->x`; an arm or a result with the wrong arrow."""
    if spot.found.text == "->" and (_follows_value(spot) or _wants_expression(spot)):
        return Problem(SYNTAX, "fields are read by `.`", spot.here, repairs=(Repair("Write `.`", spot.here, "."),))
    for right in ("=>", "->", "<-"):
        wrong = spot.found.text in ("->", "=>", ":", "=", "<~") and spot.found.text != right
        if right in spot.expected and wrong and "AssignSign" not in spot.expected:
            what = {
                "=>": "an arm's value follows",
                "->": "a result's type follows",
                "<-": "a source follows",
            }[right]
            repair = Repair(f"Write `{right}`", spot.here, right)
            return Problem(SYNTAX, f"{what} `{right}`, not `{spot.found.text}`", spot.here, repairs=(repair,))
    return None


# ---------------------------------------------------------------- characters


def _quote(spot: Spot) -> Problem | None:
    if spot.found.text not in ("'", "`"):
        return None
    note = 'there are no characters: use an Int; strings, in examples only, are written in `"`'
    return Problem(SYNTAX, f"{spot.found.text} has no meaning here", spot.here, notes=(note,))


def _strange(spot: Spot) -> Problem | None:
    if spot.found.kind is not Kind.STRANGE:
        return None
    character = spot.found.text
    if character.isalpha():
        note = "names are made of the letters a to z and A to Z, digits and `_`"
        return Problem(SYNTAX, f"`{character}` cannot stand in a name", spot.here, notes=(note,))
    shown = f"`{character}`" if character.isprintable() and not character.isspace() else "an invisible character"
    return Problem(SYNTAX, f"{shown} (U+{ord(character):04X}) has no meaning here", spot.here)


# ---------------------------------------------------------------- declarations


def _untyped(spot: Spot) -> Problem | None:
    """A parameter, port, param, const or field without its type."""
    if spot.expected != {":"} or spot.previous.kind is not Kind.WORD:
        return None
    name = spot.previous.text
    parameter = spot.first.text == "fn" and spot.found.text in (",", ")")
    declaration = spot.first.text in ("param", "const", "input", "output", "memory")
    field = spot.in_type and spot.found.kind is not Kind.WORD
    if parameter or field or (declaration and spot.found.text in ("=", ";")):
        message = f"`{name}` needs its type: `{name}: Float`"
        return Problem(SYNTAX, message, spot.after_previous, "no type")
    return None


def _field_without_value(spot: Spot) -> Problem | None:
    """`Light { sum, max }`, `Light { sum = 1 }`."""
    if spot.expected != {":"} or spot.found.text not in (",", "}", "="):
        return None
    if spot.first.text in RESERVED or spot.first.text == "node":
        return None
    message = f"a field is written `{spot.previous.text}: value`, also where a local has its name"
    return Problem(SYNTAX, message, spot.here, "`:` expected")


def _type_first(spot: Spot) -> Problem | None:
    """`fn f(float a)`, `input Image a;`."""
    if spot.expected != {":"} or spot.previous.kind is not Kind.WORD or spot.found.kind is not Kind.WORD:
        return None
    written, name = spot.previous.text, spot.found.text
    if not (written in FOREIGN_TYPES or written[0].isupper()) or name in RESERVED or name[0].isupper():
        return None
    span = Span(spot.previous.start, spot.found.end)
    right = f"{name}: {FOREIGN_TYPES.get(written, written)}"
    message = f"the type follows the name: `{right}`"
    return Problem(SYNTAX, message, span, repairs=(Repair(f"Write `{right}`", span, right),))


def _unversioned(spot: Spot) -> Problem | None:
    if "@" not in spot.expected or spot.previous.kind is not Kind.WORD:
        return None
    repair = Repair("Write `@1`", spot.after_previous, "@1")
    message = "a kernel's name ends in its version: `@1`"
    return Problem(SYNTAX, message, spot.after_previous, "no version", repairs=(repair,))


def _version(spot: Spot) -> Problem | None:
    if "VersionToken" not in spot.expected:
        return None
    return Problem(SYNTAX, f"a version is a whole number such as `@1`, not {spot.found_text}", spot.here)


def _reserved(spot: Spot) -> Problem | None:
    """`input kernel: …`: a reserved word where only a name can stand."""
    if "NameToken" not in spot.expected or spot.found.text not in RESERVED:
        return None
    if len(spot.expected) > 1 and spot.token(1).text not in (":", "=", ".", ",", ")"):
        return None
    message = f"`{spot.found.text}` is a reserved word and names nothing"
    return Problem(SYNTAX, message, spot.here, "choose another name")


# ---------------------------------------------------------------- blocks


def _statement_as_value(spot: Spot) -> Problem | None:
    """`0 => return 1,` and `0 => x = 1,`."""
    assigns = spot.found.text.endswith("=") and "ArmEnd" in spot.expected
    returns = spot.previous.text == "=>" and spot.found.text in ("return", "let", "var", "for", "loop")
    if not assigns and not returns:
        return None
    note = "an arm is a value or a block: `=> { … }`"
    return Problem(SYNTAX, "a statement needs braces around it here", spot.here, notes=(note,))


def _member_in_block(spot: Spot) -> Problem | None:
    """A member of a kernel where a statement is expected: the brace before it is missing."""
    members = ("input", "output", "param", "memory", "requires", "const", "struct", "enum", "fn")
    bodies = ("compute", "scan", "scatter", "prefix", "group", "merge", "example", "node")
    starts = "let" in spot.expected and spot.found.text in members
    body = spot.first.text in bodies and _follows_value(spot) and "StatementEnd" in spot.expected
    if not starts and not (body and (spot.found.kind is Kind.WORD or spot.found.text == "{")):
        return None
    token = spot.found if starts else spot.first
    message = f"`{token.text}` cannot stand inside a block: a `}}` is missing before it"
    bracket = spot.open_brackets[-1]
    opened = Remark(f"this `{bracket.text}` is still open", Span(bracket.start, bracket.end))
    return Problem(SYNTAX, message, Span(token.start, token.end), notes=(opened,))


def _statement_among_members(spot: Spot) -> Problem | None:
    if "requires" not in spot.expected:
        return None
    if spot.found.text in ("let", "var"):
        note = "a constant of the kernel is `const NAME: Int = 64;`"
        return Problem(SYNTAX, f"`{spot.found.text}` belongs in a body", spot.here, notes=(note,))
    if spot.found.text in ("if", "match", "for", "loop", "return"):
        note = "perhaps a `}` before this closes too much"
        return Problem(SYNTAX, "a statement belongs in a body", spot.here, notes=(note,))
    return None


def _no_braces(spot: Spot) -> Problem | None:
    """`if c x = 1;`, `else x = 1;`."""
    if "{" not in spot.expected or "StatementEnd" in spot.expected or spot.found.kind is not Kind.WORD:
        return None
    if not {spot.first.text, spot.previous.text} & {"if", "else", "for", "loop"}:
        return None
    message = f"expected `{{`, found {spot.found_text}"
    return Problem(SYNTAX, message, spot.here, notes=("a body stands in braces",))


_HABITS: tuple[Habit, ...] = (
    _number,
    _leading_point,
    _c_for,
    _endless_loop,
    _do,
    _logical_assignment,
    _increment,
    _conditional_operator,
    _power,
    _quote,
    _strange,
    _member_in_block,
    _while,
    _switch,
    _elif,
    _word_operator,
    _let_mut,
    _declaration,
    _no_first_value,
    _second_name,
    _statement_as_value,
    _arrow,
    _compare_by_one_equal,
    _type_first,
    _untyped,
    _field_without_value,
    _unversioned,
    _version,
    _reserved,
    _statement_among_members,
    _no_braces,
)
