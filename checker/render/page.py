"""The pages of the rule catalogue, for the documentation and for the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from kcheck.checker.rules.rule import Rule

FAMILIES = {
    "K1": "Syntax",
    "K2": "Names and types",
    "K3": "Modes, ports and permissions",
    "K4": "Merge laws",
    "K5": "Uniformity",
    "K6": "Scenes",
    "K7": "Running",
}
"""What the first digit of a code stands for."""


def for_docs(rule: Rule) -> str:
    """A rule's page in Markdown."""
    parts = [
        f"# {rule.code}: {rule.title}",
        f"*{rule.severity.value}* · `{rule.name}`",
        rule.explanation.strip(),
    ]
    for title, program in _examples(rule):
        parts.append(f"## {title}\n\n```kernel\n{program.strip()}\n```")
    return "\n\n".join(parts) + "\n"


def for_terminal(rule: Rule) -> str:
    """A rule's page as plain text."""
    head = f"{rule.code} ({rule.name}, {rule.severity.value}): {rule.title}"
    parts = [head, _without_fences(rule.explanation.strip())]
    for title, program in _examples(rule):
        parts.append(f"{title}:\n\n{_indented(program.strip().splitlines())}")
    return "\n\n".join(parts) + "\n"


def _without_fences(markdown: str) -> str:
    """Fenced blocks become indented ones."""
    pieces = markdown.split("```")
    pieces[1::2] = [_indented(piece.strip("\n").splitlines()) for piece in pieces[1::2]]
    return "".join(pieces)


def _examples(rule: Rule) -> Iterable[tuple[str, str]]:
    if rule.bad is not None:
        yield "Bad", rule.bad
    if rule.good is not None:
        yield "Good", rule.good


def _indented(lines: Iterable[str]) -> str:
    return "\n".join(f"    {line}".rstrip() for line in lines)


def catalogue(rules: Mapping[str, Rule]) -> str:
    """All rules by family, as plain text."""
    return "\n".join(
        f"{title}\n" + "".join(f"  {r.code}  {r.severity.value:<8} {r.title}\n" for r in members)
        for title, members in _families(rules)
    )


def index_for_docs(rules: Mapping[str, Rule]) -> str:
    """The list of all rules in Markdown, with links to their pages."""
    parts = [
        "# Rules",
        "Every message of kcheck has a code. `kcheck explain CODE` shows its page in the terminal.",
    ]
    for title, members in _families(rules):
        rows = "\n".join(f"| [{r.code}]({r.code}.md) | {r.severity.value} | {r.title} |" for r in members)
        parts.append(f"## {title}\n\n| code | severity | meaning |\n|---|---|---|\n{rows}")
    return "\n\n".join(parts) + "\n"


def _families(rules: Mapping[str, Rule]) -> Iterable[tuple[str, list[Rule]]]:
    for family, title in FAMILIES.items():
        members = [rule for code, rule in rules.items() if code.startswith(family)]
        if members:
            yield title, members
