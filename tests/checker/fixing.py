"""Applying fixes to a text, as an editor does."""

from __future__ import annotations

from itertools import pairwise

from kcheck.checker import check_text
from kcheck.checker.check import Loader
from kcheck.checker.checked import Checked
from kcheck.checker.settings import settled
from kcheck.grammar.diagnostics import Diagnostic, Fix, Severity


def applied(checked: Checked, fix: Fix) -> str:
    """The text of the checked file after a fix; its edits must not overlap."""
    text = checked.file.text
    edits = sorted(((checked.file.absolute(e.origin), e.text) for e in fix.edits), key=lambda e: e[0])
    for (before, _), (after, _) in pairwise(edits):
        assert before.end <= after.start, f"edits of {fix.title!r} overlap"
    for span, new in reversed(edits):
        assert 0 <= span.start <= span.end <= len(text)
        text = text[: span.start] + new + text[span.end :]
    return text


def errors(checked: Checked) -> list[tuple[str, str]]:
    return [(d.code, d.message) for d in checked.diagnostics if d.severity is Severity.ERROR]


def same_kind(checked: Checked, found: Diagnostic) -> int:
    """How many findings are like this one."""
    return sum((d.code, d.message) == (found.code, found.message) for d in checked.diagnostics)


def mends(checked: Checked, found: Diagnostic, fix: Fix, loader: Loader | None = None) -> str:
    """Check that a fix takes its finding away and brings no new error; gives the text after it."""
    text = applied(checked, fix)
    after = settled(check_text(text, checked.file.path, loader))
    assert same_kind(after, found) < same_kind(checked, found), f"{found.code} is still there after:\n{text}"
    before = errors(checked)
    new = [e for e in errors(after) if e not in before]
    assert new == [], f"new after {fix.title!r}: {new} in:\n{text}"
    return text
