"""Facts of many programs: no name is missed, none is taken for another, and broken texts do no harm."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterator
from itertools import cycle
from pathlib import Path

import pytest

from kcheck.checker import check_text, rules
from kcheck.checker.checked import Checked
from kcheck.checker.facts import SymbolKind
from kcheck.checker.ir import Program
from kcheck.checker.render.ir import render
from kcheck.grammar import syntax
from kcheck.grammar.lexis import tokens
from kcheck.grammar.source import ParsedItem
from kcheck.grammar.spans import Origin, Span
from kcheck.grammar.walk import descendants
from tests.cases.cases import all_cases
from tests.matrix.features import FEATURES
from tests.matrix.forms import FORMS, kernel

EXAMPLES = Path(__file__).parents[2] / "examples"
SOURCES: dict[str, str] = {
    **{path.name: path.read_text(encoding="utf-8") for path in sorted(EXAMPLES.glob("*.kernel"))},
    **{case.name: case.source for case in all_cases()},
    **{f"{f.name} in a {form.name}": kernel(f, form.skeleton(f)) for f, form in zip(FEATURES, cycle(FORMS))},
    **{f"{rule.code}, bad": rule.bad for rule in rules.CATALOGUE.values() if rule.bad is not None},
    **{f"{rule.code}, good": rule.good for rule in rules.CATALOGUE.values() if rule.good is not None},
}


@pytest.fixture(scope="module")
def programs() -> dict[str, Checked]:
    return {path: check_text(source, path) for path, source in SOURCES.items()}


def test_references_stand_at_names(programs: dict[str, Checked]) -> None:
    for checked in programs.values():
        hold_names(checked)


def hold_names(checked: Checked) -> None:
    """Each reference stands at a name that says what the symbol is called, and each declaration at its origin."""
    for item in checked.file.items:
        names = {n.span: n.text for n in descendants(item.node) if isinstance(n, syntax.Name)}
        for reference in checked.facts[item.key].references:
            symbol = reference.symbol
            assert names[reference.span] == symbol.name, (checked.file.path, reference)
            at = Origin(checked.file.path, item.key, reference.span)
            assert reference.is_declaration == (symbol.origin == at), (checked.file.path, reference)


def test_no_name_is_missed(programs: dict[str, Checked]) -> None:
    """In programs without errors all names stand for something but those of components, and inside scenes."""
    for path, checked in programs.items():
        for item in checked.file.items:
            if not checked.has_errors and not isinstance(item.node, syntax.Scene):
                spans = Counter(r.span for r in checked.facts[item.key].references)
                assert spans == Counter(_expected(item, checked)), (path, item.key)


def _expected(item: ParsedItem, checked: Checked) -> Iterator[Span]:
    """Where names stand; in a pattern `r` alone is two."""
    types = checked.facts[item.key].types
    components = {
        node.name.span
        for node in descendants(item.node)
        if isinstance(node, syntax.Member) and str(types.get(node.operand.span)).startswith("Vec")
    }
    return (n.span for n in descendants(item.node) if isinstance(n, syntax.Name) and n.span not in components)


# ---------------------------------------------------------------- other names

# What others name too: kernels from outside, packages by their files, the language everywhere.
KEPT = {SymbolKind.KERNEL, SymbolKind.PACKAGE, SymbolKind.BUILTIN, SymbolKind.TYPE, SymbolKind.PERMISSION}


def test_other_names_change_no_meaning(programs: dict[str, Checked]) -> None:
    """Give each symbol a name that no other has: one that was missed is unknown then, one that was taken for another
    means something else."""
    for path, checked in programs.items():
        if not checked.has_errors:
            other = check_text(renamed(checked), path)
            assert codes(other) == codes(checked), path
            assert list(map(plain, other.programs.values())) == list(map(plain, checked.programs.values())), path


def renamed(checked: Checked) -> str:
    """The text with a number behind all names of each symbol; digits keep the order in which names are sorted."""
    numbers: dict[tuple[SymbolKind, Origin | None], int] = {}
    names: dict[Span, dict[SymbolKind, str]] = {}
    for item in checked.file.items:
        for reference in checked.facts[item.key].references:
            symbol = reference.symbol
            if symbol.kind not in KEPT:
                number = numbers.setdefault((symbol.kind, symbol.origin), len(numbers))
                names.setdefault(reference.span.shifted(item.offset), {})[symbol.kind] = f"{symbol.name}0q{number}"
    text, parts, start = checked.file.text, [], 0
    for span, found in sorted(names.items()):
        field = found.pop(SymbolKind.FIELD, None)
        parts += [text[start : span.start], ": ".join(name for name in (field, *found.values()) if name)]
        start = span.end
    return "".join((*parts, text[start:]))


def codes(checked: Checked) -> Counter[str]:
    """What is found wrong, but for names that hide others, and comments that accept this."""
    return Counter(d.code for d in checked.diagnostics if d.code not in ("K209", "K233"))


def plain(program: Program) -> str:
    return re.sub(r"0q\d+", "", render(program))


# ---------------------------------------------------------------- broken texts


@pytest.mark.parametrize("seed", range(8))
def test_broken_texts(seed: int) -> None:
    """Texts with words removed, doubled and moved have facts too, and these hold what is true of all facts."""
    chance = random.Random(seed)
    for path, source in chance.sample(sorted(SOURCES.items()), 25):
        words = [source[t.start : t.end] for t in tokens(source)]
        for _ in range(chance.randrange(1, 4)):
            at = chance.randrange(len(words))
            words[at : at + 1] = chance.choice(([], [words[at]] * 2, [chance.choice(words)], [words[at], ";"]))
        checked = check_text(" ".join(words), path)
        hold_names(checked)
        for item in checked.file.items:
            facts = checked.facts[item.key]
            assert all(0 <= s.start <= s.end <= len(item.text) for s in facts.types)
            assert all(site.symbol.name == item.text[site.name.start : site.name.end] for site in facts.calls)
            assert facts.uniform.isdisjoint(facts.divergent)
            for offset in range(0, len(item.text), 7):
                facts.visible(offset)
