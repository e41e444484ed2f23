"""The items of a completion: how each is shown, found, ranked and written."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from lsprotocol import types as lsp

from kcheck.checker.facts import Symbol, SymbolKind
from kcheck.lsp.features import snippets
from kcheck.lsp.features.snippets import Snippet
from kcheck.lsp.features.words import WORDS
from kcheck.lsp.view import View

KINDS = {
    SymbolKind.LOCAL: lsp.CompletionItemKind.Variable,
    SymbolKind.PARAMETER: lsp.CompletionItemKind.Variable,
    SymbolKind.PARAM: lsp.CompletionItemKind.Property,
    SymbolKind.CONST: lsp.CompletionItemKind.Constant,
    SymbolKind.FUNCTION: lsp.CompletionItemKind.Function,
    SymbolKind.BUILTIN: lsp.CompletionItemKind.Function,
    SymbolKind.INPUT: lsp.CompletionItemKind.Field,
    SymbolKind.OUTPUT: lsp.CompletionItemKind.Field,
    SymbolKind.MEMORY: lsp.CompletionItemKind.Field,
    SymbolKind.STRUCT: lsp.CompletionItemKind.Struct,
    SymbolKind.ENUM: lsp.CompletionItemKind.Enum,
    SymbolKind.VARIANT: lsp.CompletionItemKind.EnumMember,
    SymbolKind.FIELD: lsp.CompletionItemKind.Field,
    SymbolKind.TYPE: lsp.CompletionItemKind.TypeParameter,
}


@dataclass
class Offers:
    """Collects items; a lower `rank` comes first."""

    view: View
    range: lsp.Range
    items: list[lsp.CompletionItem] = field(default_factory=list)
    is_incomplete: bool = False

    def add(
        self,
        label: str,
        kind: lsp.CompletionItemKind,
        text: str = "",
        *,
        detail: str = "",
        doc: str = "",
        rank: int = 5,
        word: str = "",
        edits: Sequence[lsp.TextEdit] = (),
        range_: lsp.Range | None = None,
    ) -> None:
        """Offer `text` (by default the label), which may be a snippet; `word` is what one types to find it."""
        written = text or snippets.escaped(label)
        is_snippet = self.view.traits.snippets and "$" in written
        new_text = self._without_repeat(written if is_snippet else snippets.plain(written))
        self.items.append(
            lsp.CompletionItem(
                label=label,
                kind=kind,
                detail=detail or None,
                documentation=self._documentation(doc),
                sort_text=f"{rank}{label}",
                filter_text=word or None,
                insert_text_format=lsp.InsertTextFormat.Snippet if is_snippet else None,
                insert_text_mode=lsp.InsertTextMode.AdjustIndentation if "\n" in new_text else None,
                text_edit=lsp.TextEdit(range_ or self.range, new_text),
                additional_text_edits=list(edits) or None,
            )
        )

    @cached_property
    def _is_ended(self) -> bool:
        """Whether a semicolon stands behind the cursor already."""
        end = self.view.offset(self.range.end)
        return self.view.text[end : end + 1] == ";"

    def _without_repeat(self, text: str) -> str:
        return re.sub(r";(\$0)?$", r"\1", text) if self._is_ended else text

    def _documentation(self, doc: str) -> lsp.MarkupContent | str | None:
        if not doc:
            return None
        return lsp.MarkupContent(lsp.MarkupKind.Markdown, doc) if self.view.traits.markdown_in_items else doc

    def snippet(self, snippet: Snippet, rank: int = 5) -> None:
        detail = snippet.detail or (WORDS[snippet.word].form if snippet.word in WORDS else "")
        label = snippet.label or snippet.word
        self.add(label, lsp.CompletionItemKind.Snippet, snippet.text, detail=detail, rank=rank, word=snippet.word)

    def words(self, texts: Iterable[str], rank: int = 5) -> None:
        for text in texts:
            self.add(text, lsp.CompletionItemKind.Keyword, detail=WORDS[text].form if text in WORDS else "", rank=rank)

    def symbols(self, found: Iterable[Symbol], rank: int = 5) -> None:
        for symbol in found:
            self.add(symbol.name, KINDS[symbol.kind], detail=symbol.detail, doc=symbol.doc, rank=rank)
