"""Writes the pages of `docs/rules` from the rule files: run it after changing one.

python scripts/rule_docs.py
"""

from __future__ import annotations

from pathlib import Path

from kcheck.checker.render import page
from kcheck.checker.rules import CATALOGUE

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "rules"


def pages() -> dict[str, str]:
    """Every page by its file name."""
    return {
        "README.md": page.index_for_docs(CATALOGUE),
        **{f"{rule.code}.md": page.for_docs(rule) for rule in CATALOGUE.values()},
    }


def main() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    wanted = pages()
    for old in FOLDER.glob("*.md"):
        if old.name not in wanted:
            old.unlink()
    for name, text in wanted.items():
        (FOLDER / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
