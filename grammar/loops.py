"""Loops as other languages write them, and the bounded ones that are meant."""

from __future__ import annotations

from kcheck.grammar.lexis import RESERVED, Kind, Token, tokens
from kcheck.grammar.problems import SYNTAX, Problem, Repair
from kcheck.grammar.spans import Span
from kcheck.grammar.spot import Spot

_BOUNDED = "loops are bounded here: `for i in 0..n until done { … }` or `loop n until done { … }`"
_ROUNDS = 1024
"""What a fix gives a loop as its bound; its author knows better."""


def foreign_loop(spot: Spot) -> Problem | None:
    for habit in (_c_for, _for_each, _one_bound, _endless, _do_block, _while):
        if problem := habit(spot):
            return problem
    return None


def _c_for(spot: Spot) -> Problem | None:
    """`for (int i = 0; i < n; i++) {`."""
    if spot.previous.text != "for" or spot.found.text != "(":
        return None
    message = "a `for` walks a range: `for i in 0..n { … }`"
    close = next((index for index in range(1, 64) if spot.token(index).text == ")"), 0)
    header = [spot.token(index) for index in range(1, close)]
    span = Span(spot.found.start, spot.token(close).end)
    repairs = (Repair(f"Write `{text}`", span, text),) if (text := _range(spot, header)) else ()
    return Problem(SYNTAX, message, spot.here, "no `(` here", (), repairs)


def _range(spot: Spot, header: list[Token]) -> str | None:
    """`i in 0..n` for the tokens of `int i = 0; i < n; i++`."""
    parts: list[list[Token]] = [[]]
    for token in header:
        if token.text == ";":
            parts.append([])
        else:
            parts[-1].append(token)
    if len(parts) != 3:
        return None
    begin, test, step = parts
    sign = next((place for place, token in enumerate(begin) if token.text == "="), 0)
    if sign < 1 or sign > 2 or len(begin) < sign + 2 or len(test) < 3:
        return None
    name = begin[sign - 1].text
    counts = "".join(token.text for token in step) in (f"{name}++", f"++{name}", f"{name}+=1")
    if not counts or test[0].text != name or test[1].text not in ("<", "<="):
        return None
    dots = ".." if test[1].text == "<" else "..="
    return f"{name} in {_text(spot, begin[sign + 1 :])}{dots}{_text(spot, test[2:])}"


def _text(spot: Spot, part: list[Token]) -> str:
    return spot.text[part[0].start : part[-1].end]


def _for_each(spot: Spot) -> Problem | None:
    if spot.first.text != "foreach":
        return None
    span = Span(spot.first.start, spot.first.end)
    return Problem(SYNTAX, "write `for`, not `foreach`", span, repairs=(Repair("Write `for`", span, "for"),))


def _one_bound(spot: Spot) -> Problem | None:
    """`for i in n {` and `for i in range(n) {`."""
    words = [token.text for token in spot.statement]
    if words[:1] != ["for"] or words[2:3] != ["in"] or spot.found.text != "{" or "RangeSign" not in spot.expected:
        return None
    bound = list(spot.statement[3:])
    called = [token.text for token in bound[:2]] == ["range", "("] and "," not in words
    inside = bound[2:-1] if called else bound
    if not inside:
        return None
    text = f"0..{_text(spot, inside)}"
    span = Span(bound[0].start, bound[-1].end)
    repair = Repair(f"Write `{text}`", span, text)
    message = "expected `..`, found `{`"
    return Problem(SYNTAX, message, spot.here, notes=("a range is written `low..high`",), repairs=(repair,))


def _endless(spot: Spot) -> Problem | None:
    if spot.previous.text != "loop" or spot.found.text != "{":
        return None
    message = "`loop` needs to know how often: `loop 10 { … }`"
    place = spot.after_previous
    repair = Repair(f"Write `loop {_ROUNDS}`", place, f" {_ROUNDS}")
    return Problem(SYNTAX, message, place, "no count", (_BOUNDED,), (repair,))


def _do_block(spot: Spot) -> Problem | None:
    """`do { … } while (c);`, whose brace seemed to open a struct value."""
    word = spot.before_bracket(1)
    return _no_such(word) if word.text in ("do", "repeat") else None


def _while(spot: Spot) -> Problem | None:
    first = spot.first
    if first.text not in ("while", "do", "repeat") or "OperatorToken" not in spot.expected:
        return None
    problem = _no_such(first)
    brace = next((token for token in spot.tokens[spot.index :] if token.text in ("{", ";", "}")), None)
    if first.text != "while" or brace is None or brace.text != "{":
        return problem
    condition = spot.text[first.end : brace.start].strip()
    if not condition:
        return problem
    header = f"loop {_ROUNDS} until {_negated(condition)} "
    repair = Repair(f"Write `{header.strip()}`", Span(first.start, brace.start), header)
    return Problem(problem.code, problem.message, problem.span, problem.label, problem.notes, (repair,))


def _no_such(word: Token) -> Problem:
    span = Span(word.start, word.end)
    return Problem(SYNTAX, f"there is no `{word.text}`", span, "not a statement here", (_BOUNDED,))


def _negated(condition: str) -> str:
    if condition.startswith("(") and _closes_at_end(condition):
        return f"!{condition}"
    return f"!({condition})"


def _closes_at_end(text: str) -> bool:
    """Whether the first bracket of a text is closed by its last."""
    depth = 0
    for token in tokens(text):
        depth += (token.text == "(") - (token.text == ")")
        if depth == 0:
            return token.end == len(text)
    return False


# ---------------------------------------------------------------- jumps


def jump(text: str, word: str, span: Span) -> Problem:
    """A `break` or `continue`, which stands in `text` at `span`."""
    advice, rewrite = {
        "break": ("a loop ends early by its `until`: `for i in 0..n until done { … }`", _as_until),
        "continue": ("put the rest of the loop's body in an `if`", _as_if),
    }[word]
    found = list(tokens(text))
    repair = rewrite(text, found, next(index for index, token in enumerate(found) if token.start == span.start))
    repairs = () if repair is None else (repair,)
    return Problem(SYNTAX, f"there is no `{word}`", span, "not a statement here", (advice,), repairs)


def _as_until(text: str, found: list[Token], at: int) -> Repair | None:
    """`for … { if c { break; } …` as `for … until c { …`."""
    branch = _lonely_branch(found, at)
    if branch is None or found[branch - 1].text != "{":
        return None
    header = _loop_header(found, branch - 1)
    if header is None or any(token.text == "until" for token in found[header:branch]):
        return None
    condition = text[found[branch].end : found[at - 1].start].strip()
    span = Span(found[branch - 1].start, found[at + 2].end)
    return Repair(f"Write `until {condition}`", span, f"until {condition} {{")


def _as_if(text: str, found: list[Token], at: int) -> Repair | None:
    """`if c { continue; } rest }` as `if !(c) { rest } }`."""
    branch = _lonely_branch(found, at)
    if branch is None:
        return None
    opener, closer = _around(found, branch)
    if opener is None or closer is None or _loop_header(found, opener) is None:
        return None
    condition = _negated(text[found[branch].end : found[at - 1].start].strip())
    rest = text[found[at + 2].end : found[closer].start].rstrip()
    span = Span(found[branch].start, found[closer - 1].end)
    return Repair(f"Write `if {condition}` around the rest", span, f"if {condition} {{{rest} }}")


def _lonely_branch(found: list[Token], at: int) -> int | None:
    """The `if` of `if c { break; }`, without an `else`, whose jump is the token `at`."""
    after = [token.text for token in found[at + 1 : at + 4]]
    if at < 3 or found[at - 1].text != "{" or after[:2] != [";", "}"] or after[2:] == ["else"]:
        return None
    for index in range(at - 2, 0, -1):
        if found[index].text == "if":
            return index if found[index - 1].text != "else" else None
        if found[index].text in ("{", "}", ";"):
            return None
    return None


def _around(found: list[Token], at: int) -> tuple[int | None, int | None]:
    """The braces of the block that holds the token `at`."""
    return _brace(found, range(at - 1, -1, -1), "}", "{"), _brace(found, range(at, len(found)), "{", "}")


def _brace(found: list[Token], places: range, deeper: str, wanted: str) -> int | None:
    depth = 0
    for index in places:
        if found[index].text == wanted and depth == 0:
            return index
        depth += (found[index].text == deeper) - (found[index].text == wanted)
    return None


def _loop_header(found: list[Token], brace: int) -> int | None:
    """The word of the loop whose body begins at `brace`."""
    for index in range(brace - 1, -1, -1):
        token = found[index]
        if token.text in ("for", "loop"):
            return index
        if token.text in ("{", "}", ";") or (token.kind is Kind.WORD and token.text in RESERVED - {"in", "until"}):
            return None
    return None
