"""The generated parser cannot be told from textX: the same objects, or the same failure, whatever the text.

KCHECK_MUTANTS=10000 python -m pytest tests/grammar/test_generator.py -k mutants
"""

from __future__ import annotations

import os
import re
from functools import cache
from pathlib import Path
from random import Random

import pytest

from kcheck.grammar.generator.cache import kernel_parser
from kcheck.grammar.generator.reference import kernel_metamodel, reference_parser
from kcheck.grammar.split import split
from tests.grammar.readings import Read, differences, mutant
from tests.grammar.support import SEEDS, text_of

ROOT = Path(__file__).resolve().parents[2]
MUTANTS = int(os.environ.get("KCHECK_MUTANTS", "1000"))
BATCHES = 4
# textX takes some 30 ms for 1,000 characters.
LONGEST = 600
FILES = [
    *sorted((ROOT / "checker").rglob("*.kernel")),
    *sorted((ROOT / "examples").rglob("*.kernel")),
    *sorted((ROOT / "tests").rglob("*.kernel")),
    *sorted(SEEDS.glob("*.kernel")),
]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "checker").rglob("*.md")])
_BLOCK = re.compile(r"^```kernel[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)


@cache
def kernel() -> tuple[Read, Read]:
    return reference_parser(kernel_metamodel()), kernel_parser()


def items(text: str) -> list[str]:
    return [text[start:end] for start, end in split(text)]


@cache
def texts() -> tuple[str, ...]:
    """The items of all files, and what the documentation shows."""
    blocks = [block for page in PAGES for block in _BLOCK.findall(text_of(page))]
    return tuple(item for text in [*map(text_of, FILES), *blocks] for item in items(text))


# ---------------------------------------------------------------- Kernel


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_files(path: Path) -> None:
    assert differences([text_of(path)], *kernel()) == []


def test_documentation() -> None:
    blocks = [block for page in PAGES for block in _BLOCK.findall(text_of(page))]
    assert len(blocks) > 10
    assert differences(blocks, *kernel()) == []


@pytest.mark.parametrize("batch", range(BATCHES))
def test_mutants(batch: int) -> None:
    random = Random(f"mutants {batch}")
    mutants = (mutant(random, shortened(random, random.choice(texts()))) for _ in range(MUTANTS // BATCHES))
    assert differences(mutants, *kernel()) == []


def shortened(random: Random, text: str) -> str:
    """A text, or the start of one that is too long for textX, closed as well as one can."""
    return text if len(text) <= LONGEST else text[: random.randrange(100, LONGEST)] + "}"


@pytest.mark.parametrize("text", ["", " ", "// nothing", "/* open", "\ufeffuse a;", "é", ";", "}", "use a; x"])
def test_what_is_no_program(text: str) -> None:
    assert differences([text], *kernel()) == []


@pytest.mark.parametrize("text", ["fn f(a: T) -> U { let x = a . b(1)[2] + 3; x }\n", "kernel k@1 { input a: T; }"])
def test_every_start_of_a_text(text: str) -> None:
    assert differences((text[:end] for end in range(len(text))), *kernel()) == []
