"""`docs/syntax.md` is what the grammar says, and its examples are examples of its rules."""

from __future__ import annotations

import importlib.util
import re
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from kcheck.grammar.engine import Failure, read
from kcheck.grammar.generator.shapes import Kind

ROOT = Path(__file__).resolve().parents[2]


@cache
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("syntax_docs", ROOT / "scripts" / "syntax_docs.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_is_current() -> None:
    assert script().PAGE.read_text(encoding="utf-8") == script().page(), "run: python scripts/syntax_docs.py"


def test_every_rule_has_its_words() -> None:
    rules = {name for name, rule in script().rules().items() if rule.kind is not Kind.MATCH}
    looked_at = {"InitStart"}
    assert rules - looked_at == set(script().ENTRIES) | script().PLAIN


def test_links_lead_to_one_place() -> None:
    text = script().page()
    titles = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    assert len(titles) == len(set(titles))
    anchors = {title.lower().replace(" ", "-") for title in titles}
    assert set(re.findall(r"\]\(#([^)]*)\)", text)) <= anchors


def kinds(tree: Any) -> set[str]:
    """The names of the rules in what the grammar gives."""
    found: set[str] = set()
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, list):
            waiting += node
        elif hasattr(node, "_tx_position"):
            found.add(type(node).__name__)
            waiting += [getattr(node, name) for name in type(node).__slots__]
    return found


@pytest.mark.parametrize("name", [name for name, entry in script().ENTRIES.items() if entry.example])
def test_examples(name: str) -> None:
    entry = script().ENTRIES[name]
    tree = read(entry.around.format(entry.example), list)
    assert not isinstance(tree, Failure), tree
    assert name in kinds(tree) or name == "File"
