"""What people write who come from other languages, told in this one's terms.

Each function looks at one habit and answers nothing where it sees another; the first answer is taken.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from kcheck.grammar.lexis import RESERVED, Kind, Token
from kcheck.grammar.loops import foreign_loop
from kcheck.grammar.problems import SYNTAX, Problem, Remark, Repair
from kcheck.grammar.spans import Span
from kcheck.grammar.spot import CLOSER, Spot

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
# A place that may stand on both sides of `=` as it is, or another short value.
_TARGET = re.compile(r"[A-Za-z_0-9][A-Za-z0-9_.]*")
_NUMBER = re.compile(r"[0-9][0-9_]*(?:\.[0-9][0-9_]*)?(?:[eE][-+]?[0-9]+)?")
_INT_SUFFIXES = frozenset({"u", "l", "ul", "i32", "u32"})
_FLOAT_SUFFIXES = frozenset({"f", "f32", "lf", "h"})
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
    if spot.found.text == "." and spot.previous.text == ".." and spot.adjacent:
        span = Span(spot.previous.start, spot.found.end)
        return Problem(SYNTAX, "a range is written `..`", span, repairs=(Repair("Write `..`", span, ".."),))
    digits = spot.token(1)
    adjacent = digits.kind is Kind.NUMBER and digits.start == spot.found.end
    if spot.found.text != "." or not adjacent or not _wants_expression(spot):
        return None
    return _half_a_float(Span(spot.found.start, digits.end), f".{digits.text}", f"0.{digits.text}")


def _wants_pattern(spot: Spot) -> bool:
    return "PatternNumberToken" in spot.expected


# ---------------------------------------------------------------- statements of other languages


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
    message = f"a declaration begins with `let` or `var`: `var {declared} = …`"
    value = "" if spot.token(1).text == "=" else _first_value(type_)
    repairs = () if value is None else (Repair(f"Write `var {declared}`", span, f"var {declared}{value}"),)
    return Problem(SYNTAX, message, span, notes=(note,), repairs=repairs)


def _first_value(type_: str) -> str | None:
    """` = 0.0` and the like, for types that have a value which goes without saying."""
    if type_.startswith("Vec") and type_[3:] in ("2", "3", "4"):
        return f" = vec{type_[3:]}(0.0)"
    value = {"Int": "0", "Float": "0.0", "Bool": "false"}.get(type_)
    return None if value is None else f" = {value}"


def _constant(spot: Spot) -> Problem | None:
    """`const x = 3;` in a block."""
    if spot.found.text != "const" or "let" not in spot.expected or spot.braces != 0:
        return None
    message = "in a block, what stays the same is a `let`"
    return Problem(SYNTAX, message, spot.here, repairs=(Repair("Write `let`", spot.here, "let"),))


def _type_before_name(spot: Spot) -> Problem | None:
    """`let float x = 1.0;`."""
    words = [token.text for token in spot.statement]
    if len(words) != 2 or words[0] not in ("let", "var") or spot.found.kind is not Kind.WORD:
        return None
    if not (words[1] in FOREIGN_TYPES or words[1][0].isupper()) or spot.found.text in RESERVED:
        return None
    span = Span(spot.previous.start, spot.found.end)
    right = f"{spot.found.text}: {FOREIGN_TYPES.get(words[1], words[1])}"
    message = f"the type follows the name: `{right}`"
    return Problem(SYNTAX, message, span, repairs=(Repair(f"Write `{right}`", span, right),))


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
            return Problem(SYNTAX, message, Span(left.start, right.end), repairs=_step(spot, left, right))
    return None


def _step(spot: Spot, left: Token, right: Token) -> tuple[Repair, ...]:
    """`x += 1` for a statement that is `x++` or `++x` and no more."""
    start = spot.first.start
    end = next((token.end for token in spot.tokens if token.start >= right.start and token.text == ";"), None)
    if end is None:
        return ()
    target = (spot.text[start : left.start] + spot.text[right.end : end - 1]).strip()
    if not _TARGET.fullmatch(target) or (start < left.start and right.end < end - 1):
        return ()
    text = f"{target} {left.text}= 1"
    return (Repair(f"Write `{text}`", Span(start, end - 1), text),)


def _logical_assignment(spot: Spot) -> Problem | None:
    """`a &&= b`."""
    if spot.found.text not in ("&&", "||") or spot.token(1).text not in ("=", "=="):
        return None
    operator = spot.found.text
    span = Span(spot.found.start, spot.found.end + 1)
    message = f"there is no `{operator}=`: write `a = a {operator} b`"
    start = spot.first.start
    end = next((token.start for token in spot.tokens[spot.index :] if token.text == ";"), None)
    if end is None or not spot.statement:
        return Problem(SYNTAX, message, span)
    target, value = spot.text[start : spot.previous.end], spot.text[span.end : end].strip()
    text = f"{target} = {target} {operator} {value if _TARGET.fullmatch(value) else f'({value})'}"
    return Problem(SYNTAX, message, span, repairs=(Repair(f"Write `{text}`", Span(start, end), text),))


def _assign_by_two_equals(spot: Spot) -> Problem | None:
    """`let x == 3;`, `x := 3;`."""
    if spot.found.text == "==" and "AssignSign" in spot.expected and not _follows_value(spot):
        repair = Repair("Write `=`", spot.here, "=")
        return Problem(SYNTAX, "`==` compares; a first value follows `=`", spot.here, repairs=(repair,))
    if spot.found.text == "=" and spot.previous.text == ":" and spot.adjacent:
        span = Span(spot.previous.start, spot.found.end)
        return Problem(SYNTAX, "write `=`, not `:=`", span, repairs=(Repair("Write `=`", span, "="),))
    return None


def _other_comparison(spot: Spot) -> Problem | None:
    """`a === b`, `a !== b`, `a <> b`."""
    for left, right in ((spot.previous, spot.found), (spot.found, spot.token(1))):
        sign = {"===": "==", "!==": "!=", "<>": "!="}.get(left.text + right.text)
        if sign is not None and left.end == right.start:
            span = Span(left.start, right.end)
            message = f"write `{sign}`, not `{left.text}{right.text}`"
            return Problem(SYNTAX, message, span, repairs=(Repair(f"Write `{sign}`", span, sign),))
    return None


def _cast(spot: Spot) -> Problem | None:
    """`x as Int`, `(float) x`."""
    if not _follows_value(spot):
        return None
    if spot.found.text == "as":
        value, type_, end = spot.previous, spot.token(1), spot.token(1).end
        start = value.start
    elif spot.previous.text == ")" and spot.token(-3).text == "(" and spot.found.kind is Kind.WORD:
        value, type_, end = spot.found, spot.token(-2), spot.found.end
        start = spot.token(-3).start
    else:
        return None
    word = {"Int": "int", "Float": "float"}.get(FOREIGN_TYPES.get(type_.text, type_.text))
    if word is None:
        return None
    span = Span(start, end)
    text = f"{word}({value.text})"
    alone = value.kind in (Kind.WORD, Kind.NUMBER) and (value is spot.found or spot.token(-2).text != ".")
    repairs = (Repair(f"Write `{text}`", span, text),) if alone else ()
    return Problem(SYNTAX, f"a value is converted by `{word}(…)`", span, repairs=repairs)


def _double_colon(spot: Spot) -> Problem | None:
    if spot.found.text != ":" or spot.token(1).text != ":" or not _follows_value(spot):
        return None
    span = Span(spot.found.start, spot.token(1).end)
    return Problem(SYNTAX, "write `.`, not `::`", span, repairs=(Repair("Write `.`", span, "."),))


def _attribute(spot: Spot) -> Problem | None:
    """`[[buffer(0)]]`, `@builtin(position)`, where neither an index nor a kernel's version can stand."""
    brackets = spot.found.text == "[" and spot.token(1).text == "[" and spot.found.end == spot.token(1).start
    end = _group_end(spot, 0) if brackets else None
    if spot.found.text == "@" and "@" not in spot.expected and spot.token(1).kind is Kind.WORD:
        end = _group_end(spot, 2) if spot.token(2).text == "(" else spot.token(1).end
    if end is None or _follows_value(spot):
        return None
    span = Span(spot.found.start, end)
    note = "a kernel's mode, its ports and their types say all that attributes say elsewhere"
    return Problem(SYNTAX, "there are no attributes", span, "", (note,), (Repair("Remove it", span, ""),))


def _group_end(spot: Spot, distance: int) -> int | None:
    """The end of the bracket that begins so many tokens after the one found."""
    depth = 0
    for token in spot.tokens[spot.index + distance :]:
        depth += (token.text in CLOSER) - (token.text in CLOSER.values())
        if depth == 0:
            return token.end
    return None


def _compare_by_one_equal(spot: Spot) -> Problem | None:
    if spot.found.text != "=" or not _follows_value(spot) or "AssignOperator" in spot.expected:
        return None
    repair = Repair("Write `==`", spot.here, "==")
    return Problem(SYNTAX, "`=` assigns; to compare write `==`", spot.here, repairs=(repair,))


def _conditional_operator(spot: Spot) -> Problem | None:
    if spot.found.text != "?":
        return None
    note = "write `if c { a } else { b }`, which is a value too, or `select(c, a, b)`"
    return Problem(SYNTAX, "there is no `? :`", spot.here, notes=(note,), repairs=_as_if(spot))


def _as_if(spot: Spot) -> tuple[Repair, ...]:
    """`if c { a } else { b }` for `c ? a : b`, where it begins after `=` or `return` and ends with its statement."""
    starts = [place for place, token in enumerate(spot.statement) if token.text in ("=", "return")]
    rest = spot.tokens[spot.index + 1 :]
    end = next((token for token in rest if token.text in (";", "{", "}", "?")), None)
    colon = next((token for token in rest if token.text == ":"), None)
    if not starts or end is None or colon is None or end.text != ";" or colon.start > end.start:
        return ()
    start = spot.statement[starts[-1]].end
    condition = spot.text[start : spot.found.start].strip()
    parts = spot.text[spot.found.end : colon.start].strip(), spot.text[colon.end : end.start].strip()
    if not condition or not all(parts):
        return ()
    text = f" if {condition} {{ {parts[0]} }} else {{ {parts[1]} }}"
    return (Repair("Write `if … else …`", Span(start, end.start), text),)


def _value_before_if(spot: Spot) -> Problem | None:
    """`x = a if c else b;`."""
    if spot.found.text != "if" or not _follows_value(spot) or spot.on_new_line:
        return None
    starts = [token.end for token in spot.statement if token.text in ("=", "return")]
    rest = spot.tokens[spot.index + 1 :]
    other = next((token for token in rest if token.text in ("else", ";", "{", "}")), None)
    if not starts or other is None or other.text != "else":
        return None
    message = "the condition stands before the values: `if c { a } else { b }`"
    end = next((token for token in rest if token.start > other.start and token.text in (";", "{", "}")), other)
    value, condition = spot.text[starts[-1] : spot.found.start], spot.text[spot.found.end : other.start]
    text = f" if {condition.strip()} {{ {value.strip()} }} else {{ {spot.text[other.end : end.start].strip()} }}"
    repairs = (Repair("Write `if … else …`", Span(starts[-1], end.start), text),) if end.text == ";" else ()
    return Problem(SYNTAX, message, spot.here, repairs=repairs)


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


def _comment_sign(spot: Spot) -> Problem | None:
    """`# a remark`, `-- a remark`."""
    start, sign = spot.found.start, spot.found.text
    words = [token.text for token in spot.statement[:2]]
    if words == ["-", "-"] and spot.previous.kind is Kind.WORD and _follows_value(spot):
        start, sign = spot.first.start, "--"
    span = Span(start, start + len(sign))
    blank = spot.text[span.end : span.end + 1].isspace()
    if not (sign == "#" and not spot.statement) and not (sign == "--" and spot.text.startswith(sign, start) and blank):
        return None
    repair = Repair("Write `//`", span, "//")
    return Problem(SYNTAX, f"a comment begins with `//`, not `{sign}`", span, repairs=(repair,))


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
    if parameter or field or (declaration and (spot.found.text in ("=", ";") or spot.is_cut_short)):
        message = f"`{name}` needs its type: `{name}: Float`"
        port = spot.first.text in ("input", "output", "memory")
        repairs = () if port else (Repair(f"Write `{name}: Float`", spot.after_previous, ": Float"),)
        return Problem(SYNTAX, message, spot.after_previous, "no type", (), repairs)
    return None


def _field_without_value(spot: Spot) -> Problem | None:
    """`Light { sum, max }`, `Light { sum = 1 }`."""
    if spot.expected != {":"} or spot.found.text not in (",", "}", "="):
        return None
    if spot.first.text in RESERVED or spot.first.text == "node":
        return None
    message = f"a field is written `{spot.previous.text}: value`, also where a local has its name"
    return Problem(SYNTAX, message, spot.here, "`:` expected")


def _value_without_brace(spot: Spot) -> Problem | None:
    """`return Light` and its fields in the lines that follow."""
    name = spot.previous.text
    field = spot.found.kind is Kind.WORD and spot.token(1).text == ":"
    if not (field and spot.on_new_line and name[:1].isupper() and "OperatorToken" in spot.expected and spot.braces < 0):
        return None
    repair = Repair("Insert `{`", spot.after_previous, " {")
    return Problem(SYNTAX, f"expected `{{` after `{name}`", spot.after_previous, repairs=(repair,))


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
    if "NameToken" not in spot.expected or spot.found.text not in RESERVED or spot.is_cut_short:
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
    """A member of a kernel, or an arm, where a statement is expected: the brace before it is missing."""
    members = ("input", "output", "param", "memory", "requires", "const", "struct", "enum", "fn")
    bodies = ("compute", "scan", "scatter", "prefix", "group", "merge", "example", "node")
    starts = "let" in spot.expected and spot.found.text in members
    if spot.ends_value:
        starts |= spot.found.text in members + bodies and spot.token(1).kind is Kind.WORD
    body = spot.first.text in bodies and _follows_value(spot) and "StatementEnd" in spot.expected
    named = body and (spot.found.kind is Kind.WORD or spot.found.text == "{")
    if not starts and not named and not spot.is_arm_in_block:
        return None
    token = spot.found if starts or spot.ends_value else spot.first
    what = f"`{token.text}`" if starts or named else "an arm"
    message = f"{what} cannot stand inside a block: a `}}` is missing before it"
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


def _lone_else(spot: Spot) -> Problem | None:
    if spot.found.text != "else" or "let" not in spot.expected or spot.is_in_branch:
        return None
    return Problem(SYNTAX, "this `else` belongs to no `if`", spot.here)


def _no_braces(spot: Spot) -> Problem | None:
    """`if c x = 1;`, `else x = 1;`."""
    if "{" not in spot.expected or "StatementEnd" in spot.expected or spot.found.kind is not Kind.WORD:
        return None
    if spot.is_cut_short and spot.braces < 0:
        return None
    if not spot.statement or not {spot.first.text, spot.previous.text} & {"if", "else", "for", "loop"}:
        return None
    message = f"expected `{{`, found {spot.found_text}"
    return Problem(SYNTAX, message, spot.here, notes=("a body stands in braces",), repairs=_braces(spot))


def _braces(spot: Spot) -> tuple[Repair, ...]:
    """Braces around the one statement that follows."""
    if spot.found.text == "then":
        return (Repair("Remove `then`", spot.here, ""),)
    end = next((token for token in spot.tokens[spot.index :] if token.text in (";", "{", "}")), None)
    if end is None or end.text != ";" or spot.braces != 0:
        return ()
    text = f"{{ {spot.text[spot.found.start : end.end]} }}"
    return (Repair("Put it in braces", Span(spot.found.start, end.end), text),)


def _pattern_word(spot: Spot) -> Problem | None:
    """`case 0 => 1`, `else => 1`."""
    if spot.previous.text == "case" and "=>" in spot.expected:
        span = Span(spot.previous.start, spot.found.start)
        return Problem(SYNTAX, "an arm begins with its pattern", span, repairs=(Repair("Remove `case`", span, ""),))
    if spot.found.text == "else" and _wants_pattern(spot):
        repair = Repair("Write `_`", spot.here, "_")
        return Problem(SYNTAX, "the pattern that fits all is `_`", spot.here, repairs=(repair,))
    return None


_HABITS: tuple[Habit, ...] = (
    _number,
    _leading_point,
    foreign_loop,
    _logical_assignment,
    _other_comparison,
    _assign_by_two_equals,
    _attribute,
    _cast,
    _double_colon,
    _pattern_word,
    _constant,
    _increment,
    _conditional_operator,
    _value_before_if,
    _power,
    _quote,
    _comment_sign,
    _strange,
    _member_in_block,
    _switch,
    _elif,
    _word_operator,
    _let_mut,
    _type_before_name,
    _declaration,
    _no_first_value,
    _second_name,
    _statement_as_value,
    _arrow,
    _compare_by_one_equal,
    _type_first,
    _value_without_brace,
    _untyped,
    _field_without_value,
    _unversioned,
    _version,
    _reserved,
    _statement_among_members,
    _lone_else,
    _no_braces,
)
