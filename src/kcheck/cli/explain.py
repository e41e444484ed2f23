"""`kcheck explain`: why a rule is there, with an example of each side."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from kcheck.cli.files import UsageError

if TYPE_CHECKING:
    from kcheck.checker.rules.rule import Rule

_EXAMPLES = """\
examples:
  kcheck explain K203
  kcheck explain type-mismatch
  kcheck explain              (lists all rules)
"""


def add_arguments(subparsers: argparse._SubParsersAction[Any]) -> None:
    parser = subparsers.add_parser(
        "explain",
        help="tell why a rule is there",
        description="Explains the code of a message: the reason of its rule, a bad and a good example.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("code", nargs="?", metavar="CODE", help="a code such as K203, or the name of a rule")


def run(args: argparse.Namespace) -> int:
    """Print the page of one rule, or the list of all."""
    from kcheck.checker import rules
    from kcheck.checker.render import page

    print(page.catalogue(rules.CATALOGUE) if args.code is None else page.for_terminal(_rule(args.code)), end="")
    return 0


def _rule(asked: str) -> Rule:
    from kcheck.checker import rules

    found = rules.CATALOGUE.get(asked.upper()) or rules.BY_NAME.get(asked.lower())
    if found is None:
        raise UsageError(f"no rule is called {asked}{_near(asked)}; `kcheck explain` lists them all")
    return found


def _near(asked: str) -> str:
    import difflib

    from kcheck.checker import rules

    codes = difflib.get_close_matches(asked.upper(), rules.CATALOGUE, n=3, cutoff=0.7)
    near = codes or difflib.get_close_matches(asked.lower(), rules.BY_NAME, n=3)
    return f" (near: {', '.join(near)})" if near else ""
