"""The packages that a file could use, and what they declare."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from lsprotocol import types as lsp

from kcheck.checker.facts import SymbolKind
from kcheck.grammar import syntax
from kcheck.lsp import convert
from kcheck.lsp.documents import is_file
from kcheck.lsp.view import View

_DOTTED = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*")
_SUFFIX = ".kernel"
_KINDS: dict[type[syntax.Node], SymbolKind] = {
    syntax.Const: SymbolKind.CONST,
    syntax.Struct: SymbolKind.STRUCT,
    syntax.Enumeration: SymbolKind.ENUM,
    syntax.Function: SymbolKind.FUNCTION,
}


def names(view: View, places: Sequence[Path]) -> Mapping[str, str]:
    """How `use` names each file of the workspace, and each that comes with the tool, by path."""
    shipped = _shipped(places[-1]) if places else ()
    paths = dict.fromkeys((*filter(is_file, (*view.every, *view.paths)), *shipped))
    return {path: name for path in paths if (name := _name(path, places)) is not None}


@lru_cache(maxsize=4)
def _shipped(folder: Path) -> tuple[str, ...]:
    """The packages that come with the tool; they stay as they are."""
    return tuple(sorted(map(str, folder.rglob(f"*{_SUFFIX}"))))


def _name(path: str, places: Sequence[Path]) -> str | None:
    """The shortest dotted name under which `use` finds a file."""
    found = []
    for place in places:
        folder = f"{place}/"
        if path.startswith(folder) and path.endswith(_SUFFIX):
            found.append(path[len(folder) : -len(_SUFFIX)].replace("/", "."))
    written = [name for name in found if _DOTTED.fullmatch(name)]
    return min(written, key=len, default=None)


def used(view: View) -> frozenset[str]:
    return frozenset(item.node.path.text for item in view.file.items if isinstance(item.node, syntax.Use))


def exported(view: View, places: Sequence[Path]) -> Iterator[tuple[str, SymbolKind, str]]:
    """The names that files declare which this one does not use, with the package."""
    known = used(view)
    for path, package in names(view, places).items():
        checked = view.every.get(path)
        if checked is None or path == view.path or package in known:
            continue
        for item in checked.file.items:
            node = item.node
            if isinstance(node, (syntax.Const, syntax.Struct, syntax.Enumeration, syntax.Function)):
                yield node.name.text, _KINDS[type(node)], package


def add_use(view: View, package: str) -> lsp.TextEdit:
    """The edit that brings a package in: after the last `use`, else before the first item."""
    uses = [item for item in view.file.items if isinstance(item.node, syntax.Use)]
    if uses:
        place, text = uses[-1].offset + len(uses[-1].text), f"\nuse {package};"
    else:
        first = view.file.items[0].offset if view.file.items else 0
        place, text = first, f"use {package};\n\n"
    position = convert.position(view.lines, place)
    return lsp.TextEdit(lsp.Range(position, position), text)
