"""Items that cannot be read, and text that begins none."""

from __future__ import annotations

import re

from kcheck.grammar import syntax
from kcheck.grammar.lexis import ITEM_WORDS, Kind, Token, Trivia, closest, tokens
from kcheck.grammar.problems import SYNTAX, Problem, Repair
from kcheck.grammar.spans import Span

_KEYWORDS: dict[type[syntax.Node], str] = {
    syntax.Use: "use",
    syntax.Const: "const",
    syntax.Struct: "struct",
    syntax.Enumeration: "enum",
    syntax.Function: "fn",
    syntax.Kernel: "kernel",
    syntax.Scene: "scene",
}
# What other languages call these.
_SYNONYMS = {
    "import": "use",
    "include": "use",
    "using": "use",
    "from": "use",
    "function": "fn",
    "func": "fn",
    "def": "fn",
    "class": "struct",
    "record": "struct",
    "type": "struct",
    "static": "const",
    "let": "const",
    "var": "const",
    "module": "scene",
    "graph": "scene",
    "pipeline": "scene",
}
# fmt: off
_MEMBER_WORDS = frozenset({
    "requires", "input", "output", "param", "memory", "compute", "merge", "scan", "scatter", "prefix", "group",
    "example", "node",
})
# fmt: on
_STATEMENT_WORDS = frozenset({"if", "match", "for", "loop", "return", "else"})
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_DOTTED = re.compile(r"[A-Za-z_][A-Za-z0-9_.]*(?:@[0-9]+)?")


def label(item: syntax.Item) -> str:
    """What an item is called among those of its file: `kernel stats.luma@1`."""
    if isinstance(item, syntax.BrokenItem):
        words = (item.keyword, item.name.text if item.name else None)
        return " ".join(word for word in words if word) or "?"
    name = item.path if isinstance(item, syntax.Use) else item.name
    return f"{_KEYWORDS[type(item)]} {name.text}".rstrip()


def starts_item(text: str) -> bool:
    word = _WORD.match(text, Trivia(text).skip(0))
    return word is not None and word.group() in ITEM_WORDS


def broken_item(text: str) -> syntax.BrokenItem:
    """What is known of an item that could not be read: the words it begins with."""
    words = tokens(text)
    first = next(words, None)
    second = next(words, None)
    keyword = _meant(first) if first else None
    name = None
    if keyword and second and (match := _DOTTED.match(text, second.start)):
        name = syntax.Name(span=Span(match.start(), match.end()), text=match.group())
    return syntax.BrokenItem(span=Span(0, len(text)), keyword=keyword, name=name)


def _meant(token: Token) -> str | None:
    """The item's word that `token` is or seems to be meant for."""
    if token.kind is not Kind.WORD:
        return None
    if token.text in ITEM_WORDS:
        return token.text
    if token.text in _SYNONYMS:
        return _SYNONYMS[token.text]
    if token.text in _MEMBER_WORDS | _STATEMENT_WORDS:
        return None
    return closest(token.text, ITEM_WORDS)


def misplaced(text: str) -> Problem:
    """What to say of text that begins no item."""
    first = next(tokens(text))
    span = Span(first.start, first.end)
    if first.text in _MEMBER_WORDS:
        return Problem(
            SYNTAX,
            f"`{first.text}` belongs inside a kernel or scene",
            span,
            "outside of any",
            ("perhaps a `}` before this closes too much",),
        )
    if first.text == "}":
        return Problem(SYNTAX, "this `}` closes nothing", span, "no `{` is open here")
    if first.text in _STATEMENT_WORDS:
        note = "perhaps a `}` before this closes too much"
        return Problem(SYNTAX, "a statement belongs inside a kernel or function", span, notes=(note,))
    return _unknown_item(first, span)


def _unknown_item(first: Token, span: Span) -> Problem:
    message = f"expected an item, found `{first.text}`"
    items = "items begin with `use`, `const`, `struct`, `enum`, `fn`, `kernel` or `scene`"
    if meant := _meant(first):
        repair = Repair(f"Write `{meant}`", span, meant)
        return Problem(SYNTAX, message, span, f"perhaps `{meant}`?", (items,), (repair,))
    return Problem(SYNTAX, message, span, notes=(items,))
