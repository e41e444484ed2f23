"""What stands at a position, in Markdown: declarations, built-ins, words, numbers, verdicts and results."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from decimal import Decimal, InvalidOperation

from lsprotocol import types as lsp

from kcheck.checker import floats, rules
from kcheck.checker.facts import ItemFacts, Reference, Symbol, SymbolKind
from kcheck.checker.lower.expressions import int_value
from kcheck.grammar import syntax
from kcheck.grammar.lexis import Kind, Token
from kcheck.grammar.literals import number
from kcheck.grammar.problems import UnreadableError
from kcheck.grammar.source import ParsedItem
from kcheck.grammar.spans import Span
from kcheck.lsp.features import builtin_texts, law_texts, words
from kcheck.lsp.features.declarations import declaration
from kcheck.lsp.features.kernels import KernelItem, kernel_of
from kcheck.lsp.features.nearby import tokens_before
from kcheck.lsp.outcomes import Outcome
from kcheck.lsp.view import View

_CODE = re.compile(r"K[0-9]{3}(?![0-9])")
_WORD_END = re.compile(r"[\w.]*(?:(?<=[eE])[-+]\d+)?")
_MOST_LINES = 24
"""So much of a declaration is shown."""
_MOST_DIGITS = 60
"""Longer exact values are left out."""


def hover(view: View, position: lsp.Position) -> lsp.Hover | None:
    offset = view.offset(position)
    item = view.item_at(offset)
    parts: list[str] = []
    span: Span | None = None
    if item is not None:
        found = _at(view, item, offset)
        if found is not None:
            span = found[0].shifted(item.offset)
            parts += found[1]
    parts += _codes(view, offset)
    if not parts:
        return None
    return lsp.Hover(_content(view, parts), view.range(span) if span is not None else None)


def _content(view: View, parts: Sequence[str]) -> lsp.MarkupContent:
    text = "\n\n".join(parts)
    if view.traits.markdown:
        return lsp.MarkupContent(lsp.MarkupKind.Markdown, text)
    return lsp.MarkupContent(lsp.MarkupKind.PlainText, re.sub(r"^```\w*\n?|[`*]", "", text, flags=re.MULTILINE))


def code(text: str) -> str:
    return f"```kernel\n{text}\n```"


def _at(view: View, item: ParsedItem, offset: int) -> tuple[Span, list[str]] | None:
    """What there is to say of a place in an item, and of which part of its text."""
    facts = view.checked.facts.get(item.key)
    token = _token(view, item, offset)
    if token is None:
        return None
    span = Span(token.start, token.end).shifted(-item.offset)
    touching = () if facts is None else facts.at(span.end)
    references = [r for r in touching if r.span.start <= span.start and span.end <= r.span.end]
    if references and facts is not None:
        return references[0].span, list(_named(view, item, facts, references))
    if token.kind is Kind.NUMBER:
        text = _number(token)
        return None if text is None else (span, [text])
    word = _word(item, token.text, span.start)
    if word is not None:
        return span, list(_word_parts(view, item, word))
    return None if facts is None else _expression(item, facts, span)


def _token(view: View, item: ParsedItem, offset: int) -> Token | None:
    """The token at a place, as placed in the file; of two that touch there a word or number, else the later."""
    word = _WORD_END.match(view.text, offset)
    end = max(word.end() if word is not None else offset, min(offset + 1, len(view.text)))
    found = tokens_before(view.text, item.offset, end) or ()
    touching = [token for token in found if token.start <= offset <= token.end]
    named = [token for token in touching if token.kind in (Kind.WORD, Kind.NUMBER)]
    return next(iter(named or reversed(touching)), None)


# ---------------------------------------------------------------- names


def _named(view: View, item: ParsedItem, facts: ItemFacts, references: Sequence[Reference]) -> Iterator[str]:
    for reference in references:
        symbol = reference.symbol
        if symbol.kind is SymbolKind.BUILTIN:
            yield from _builtin(facts, reference)
            continue
        yield code(_declaration(view, symbol))
        about = words.TYPES.get(symbol.name, "") if symbol.kind is SymbolKind.TYPE else symbol.doc
        yield from filter(None, (about, _lanes(facts, reference), _where_from(view, item, symbol)))
        yield from _results(view, item, symbol)


def _declaration(view: View, symbol: Symbol) -> str:
    """A declaration as it is written, for what has no bodies; a kernel as its ports and its mode."""
    found = declaration(view, symbol)
    if found is None:
        owner = f"{symbol.owner}." if symbol.owner and symbol.kind is SymbolKind.VARIANT else ""
        return f"{owner}{symbol.detail}"
    _, item, node = found
    if isinstance(node, syntax.Kernel):
        return "\n".join(_kernel_lines(item, node))
    if isinstance(node, (syntax.Struct, syntax.Enumeration)):
        return _dedented(item.text, node.span)
    return symbol.detail


def _kernel_lines(item: ParsedItem, node: syntax.Kernel) -> Iterator[str]:
    yield f"kernel {node.name.text}"
    for member in node.members:
        match member:
            case syntax.Port() | syntax.Param():
                yield f"  {_one_line(item.text, member.span)}"
            case syntax.Body():
                yield f"  {_one_line(item.text, member.head)}"
            case _:
                pass


def _one_line(text: str, span: Span) -> str:
    return " ".join(text[span.start : span.end].split())


def _dedented(text: str, span: Span) -> str:
    start = text.rfind("\n", 0, span.start) + 1
    margin = len(text[start : span.start]) - len(text[start : span.start].lstrip())
    lines = text[span.start : span.end].splitlines()
    shown = [lines[0], *(line[margin:] if not line[:margin].strip() else line for line in lines[1:])]
    return "\n".join([*shown[:_MOST_LINES], *(["  …"] if len(shown) > _MOST_LINES else [])])


def _where_from(view: View, item: ParsedItem, symbol: Symbol) -> str:
    """The file, kernel or type that something belongs to, where that is not plain to see."""
    if symbol.kind in (SymbolKind.FIELD, SymbolKind.VARIANT) and symbol.owner:
        what = "field" if symbol.kind is SymbolKind.FIELD else "variant"
        text = f"{what} of `{symbol.owner}`"
    else:
        text = ""
    if symbol.origin is not None and symbol.origin.path != view.path and symbol.kind is not SymbolKind.PACKAGE:
        text = f"{text}, from `{_package(view, symbol.origin.path)}`".removeprefix(", ")
    return f"_{text}_" if text else ""


def _package(view: View, path: str) -> str:
    """What the file calls a file that it uses; its path where another one uses that."""
    for facts in view.checked.facts.values():
        for reference in facts.references:
            symbol = reference.symbol
            if symbol.kind is SymbolKind.PACKAGE and symbol.origin is not None and symbol.origin.path == path:
                return symbol.name
    return path


def _lanes(facts: ItemFacts, reference: Reference) -> str:
    """How a local of a group kernel stands from lane to lane."""
    origin = reference.symbol.origin
    if origin is None or reference.symbol.kind not in (SymbolKind.LOCAL, SymbolKind.PARAMETER):
        return ""
    if origin.span in facts.divergent:
        return "_may differ from lane to lane_"
    return "_the same in all lanes of a group_" if origin.span in facts.uniform else ""


# ---------------------------------------------------------------- the language's own


def _builtin(facts: ItemFacts, reference: Reference) -> Iterator[str]:
    symbol = reference.symbol
    call = next((call for call in facts.calls if call.name == reference.span), None)
    if call is not None and call.parameters and all(p.type is not None for p in call.parameters):
        arguments = ", ".join(f"{p.name}: {p.type}" for p in call.parameters)
        result = facts.types.get(call.span)
        yield code(f"{symbol.name}({arguments})" + (f" -> {result}" if result is not None else ""))
    else:
        yield code(symbol.detail)
    yield from builtin_texts.about(symbol)


def _word(item: ParsedItem, text: str, start: int) -> str | None:
    """The word of the language that stands at a place, if it is one there."""
    if text not in words.WORDS:
        return None
    members = item.node.members if isinstance(item.node, syntax.Kernel) else ()
    member = next((member for member in members if member.span.start <= start < member.span.end), None)
    match member:
        case syntax.ReductionBody() if text == "compute":
            return "compute over"
        case syntax.Body() | syntax.Merge() if start < member.head.end:
            return text
        case syntax.Example():
            return text
        case _:
            return text if text in words.ANYWHERE else None


def _word_parts(view: View, item: ParsedItem, name: str) -> Iterator[str]:
    word = words.WORDS[name]
    if name == "merge":
        kernel = kernel_of(view, item)
        if kernel is not None:
            yield from law_texts.verdicts(view.laws.get(kernel.name, ()))
    yield code(word.form)
    yield f"{word.text}\n\n_{word.place}_"


# ---------------------------------------------------------------- numbers and values


def _number(token: Token) -> str | None:
    try:
        node = number(token.text, Span(token.start, token.end))
        return _int(node) if isinstance(node, syntax.IntLiteral) else _float(node.text)
    except (UnreadableError, ValueError, InvalidOperation):  # it is no number yet
        return None


def _int(node: syntax.IntLiteral) -> str | None:
    value = int_value(node.value, node.pattern)
    if value is None:
        return None
    bits = value & 0xFFFFFFFF
    return f"{code(f'{value}: Int')}\n`0x{bits:X}` · `0b{bits:b}`"


def _float(text: str) -> str | None:
    written = Decimal(text)
    bits = floats.bits_of(text)
    if bits is None:
        return None
    value = Decimal(floats.to_float(bits))
    exact = f"{value:f}" if len(f"{value:f}") <= _MOST_DIGITS else f"about {value:.20e}"
    told = "exactly this number" if written == value else f"the nearest Float is {exact}"
    return f"{code(f'{text}: Float')}\n{told} · bits `0x{bits:08X}`"


def _expression(item: ParsedItem, facts: ItemFacts, span: Span) -> tuple[Span, list[str]] | None:
    """The smallest expression around an operator, a bracket or a component."""
    around = [s for s in facts.types if s.start <= span.start and span.end <= s.end]
    found = min(around, key=lambda s: s.end - s.start, default=None)
    if found is None:
        return None
    text = _one_line(item.text, found)
    shown = text if len(text) <= _MOST_DIGITS else f"{text[:_MOST_DIGITS]}…"
    return found, [code(f"{shown}: {facts.types[found]}")]


# ---------------------------------------------------------------- rules


def _codes(view: View, offset: int) -> Iterator[str]:
    """The rules behind the findings at a place, or behind a code that a comment names."""
    codes = []
    for found in view.checked.diagnostics:
        span = view.file.absolute(found.origin)
        if span.start <= offset <= max(span.end, span.start + 1):
            codes.append(found.code)
    line = view.lines.line(offset)
    start = view.lines.line_start(line)
    codes += [m.group() for m in _CODE.finditer(view.lines.line_text(line)) if m.start() <= offset - start <= m.end()]
    for each in dict.fromkeys(codes):
        rule = rules.CATALOGUE.get(each)
        if rule is not None:
            yield f"**{each}**: {rule.title} · `kcheck explain {each}`"


# ---------------------------------------------------------------- results


def _results(view: View, item: ParsedItem, symbol: Symbol) -> Iterator[str]:
    """What the last run gave: of a kernel, of an example, or at a port."""
    own = symbol.origin is not None and symbol.origin.path == view.path and symbol.origin.item == item.key
    kernel = kernel_of(view, item) if own else None
    outcomes = view.outcomes.get(kernel.name, ()) if kernel is not None else ()
    if kernel is None or not outcomes:
        return
    match symbol.kind:
        case SymbolKind.KERNEL:
            yield result_text(view, kernel, outcomes[-1])
        case SymbolKind.EXAMPLE:
            for outcome in outcomes:
                if outcome.example == symbol.name:
                    yield result_text(view, kernel, outcome)
        case SymbolKind.OUTPUT | SymbolKind.MEMORY:
            outcome = outcomes[-1]
            shown = tuple(output for output in outcome.result.outputs if output.name == symbol.name)
            if shown:
                yield result_text(view, kernel, replace(outcome, result=replace(outcome.result, outputs=shown)))
        case _:
            return


def result_text(view: View, kernel: KernelItem, outcome: Outcome) -> str:
    text = outcome.result.markdown(pictures=view.traits.pictures)
    return text if is_fresh(kernel, outcome) else f"_of older code:_\n\n{text}"


def is_fresh(kernel: KernelItem, outcome: Outcome) -> bool:
    """Whether a result is one of the kernel as it stands."""
    return kernel.program is outcome.program or kernel.program == outcome.program
