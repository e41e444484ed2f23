"""`// kcheck: allow K208 — reason`: comments that accept a finding where it stands."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from kcheck.checker import rules
from kcheck.checker.near import did_you_mean
from kcheck.grammar.diagnostics import Diagnostic, Edit, Fix, Note, Severity
from kcheck.grammar.lexis import tokens
from kcheck.grammar.source import SourceFile
from kcheck.grammar.spans import Origin, Span

MARK = "kcheck:"

_COMMENT = re.compile(r"/\*.*?\*/|//[^\r\n]*", re.S)
_MARKED = re.compile(r"/{2,}[ \t]*kcheck:[ \t]*(?P<text>.*)")
_ALLOW = re.compile(r"allow[ \t]+(?P<codes>K\d+(?:[ \t]*,?[ \t]*K\d+)*)[ \t]*(?:(?:—|–|--?|:)[ \t]*(?P<reason>.*))?")
_CODE = re.compile(r"K\d+")
_FORM = "write `// kcheck: allow K208 — reason`"


@dataclass(frozen=True, slots=True)
class Allowance:
    """What one comment accepts: findings of `codes` that start on `line`, zero-based."""

    span: Span
    line: int
    codes: tuple[str, ...]


def without_allowed(
    file: SourceFile, found: Sequence[Diagnostic], is_judged: Callable[[str], bool]
) -> tuple[Diagnostic, ...]:
    """The findings that no comment accepts, and what is wrong with the comments themselves.

    Errors cannot be accepted.  `is_judged` tells of a code whether its rule was looked at: a comment that accepts
    what was left out is not called useless, and none is in an item with syntax errors, for they hide findings.
    """
    if MARK not in file.text:
        return tuple(found)
    allowances: list[Allowance] = []
    problems: list[Diagnostic] = []
    for span, line in _marked_comments(file):
        read = _read(file, span, line)
        if isinstance(read, Diagnostic):
            problems.append(read)
        else:
            allowances.append(read)
    by_line: dict[int, list[Allowance]] = {}
    for allowance in allowances:
        by_line.setdefault(allowance.line, []).append(allowance)
    kept, used = [], set()
    for diagnostic in found:
        here = by_line.get(file.lines.line(file.absolute(diagnostic.origin).start), [])
        hits = {(a.span, diagnostic.code) for a in here if diagnostic.code in a.codes}
        used |= hits
        if not hits or diagnostic.severity is Severity.ERROR:
            kept.append(diagnostic)
    unread = [Span(item.offset, item.offset + len(item.text)) for item in file.items if not item.is_whole]
    for allowance in allowances:
        if any(span.start <= allowance.span.start < span.end for span in unread):
            continue
        idle = [c for c in allowance.codes if (allowance.span, c) not in used and is_judged(c)]
        if idle:
            kept.append(_unused(file, allowance, idle))
    return (*kept, *problems)


def _marked_comments(file: SourceFile) -> Iterator[tuple[Span, int]]:
    """The comments that speak to the checker, with the line that each is about: its own, or the next with code."""
    lines = file.lines
    waiting: list[Span] = []
    end = 0
    for token in tokens(file.text):
        for span in (s for s in _comments(file.text, end, token.start) if _MARKED.match(file.text, s.start, s.end)):
            if end and lines.line(span.start) == lines.line(end - 1):
                yield span, lines.line(span.start)
            else:
                waiting.append(span)
        yield from ((span, lines.line(token.start)) for span in waiting)
        waiting.clear()
        end = token.end
    for span in _comments(file.text, end, len(file.text)):
        if _MARKED.match(file.text, span.start, span.end):
            yield span, lines.line(span.start)


def _comments(text: str, start: int, end: int) -> Iterator[Span]:
    for found in _COMMENT.finditer(text, start, end):
        yield Span(found.start(), found.end())


def _read(file: SourceFile, span: Span, line: int) -> Allowance | Diagnostic:
    """What a comment accepts, or what is wrong with it."""
    marked = _MARKED.match(file.text, span.start, span.end)
    assert marked is not None
    allow = _ALLOW.fullmatch(marked["text"].rstrip())
    if allow is None:
        return _bad(file, span, "this comment says nothing that kcheck knows", _FORM)
    codes = tuple(dict.fromkeys(_CODE.findall(allow["codes"])))
    for code in codes:
        rule = rules.CATALOGUE.get(code)
        if rule is None:
            return _bad(file, span, f"there is no rule {code}{did_you_mean(code, rules.CATALOGUE)}")
        if rule.severity is Severity.ERROR:
            message = f"{code} is an error: what it forbids cannot run, so it cannot be allowed"
            return _bad(file, span, message, "only warnings, remarks and hints can be")
    if not allow["reason"]:
        return _bad(file, span, "this comment gives no reason, so it allows nothing", _FORM)
    return Allowance(span, line, codes)


def _bad(file: SourceFile, span: Span, message: str, *notes: str) -> Diagnostic:
    return rules.BAD_ALLOW.report(Origin(file.path, "", span), message, notes=tuple(Note(n) for n in notes))


def _unused(file: SourceFile, allowance: Allowance, idle: Sequence[str]) -> Diagnostic:
    codes = " and ".join(idle)
    message = f"nothing here breaks {codes}: this comment is not needed"
    if len(idle) < len(allowance.codes):
        message = f"nothing here breaks {codes}: {'it' if len(idle) == 1 else 'they'} need not be allowed"
    fix = Fix(f"remove {codes}", (_without(file, allowance, idle),))
    return rules.UNUSED_ALLOW.report(Origin(file.path, "", allowance.span), message, fixes=(fix,))


def _without(file: SourceFile, allowance: Allowance, idle: Sequence[str]) -> Edit:
    """Take codes out of a comment; with the last of them goes the comment, and its line if it has one."""
    text, span = file.text, allowance.span
    rest = [code for code in allowance.codes if code not in idle]
    if rest:
        listed = re.compile(r"K\d+(?:[ \t]*,?[ \t]*K\d+)*").search(text, span.start)
        assert listed is not None
        return Edit(Origin(file.path, "", Span(listed.start(), listed.end())), ", ".join(rest))
    start = file.lines.line_start(file.lines.line(span.start))
    before = text[start : span.start]
    if before.strip():
        return Edit(Origin(file.path, "", Span(start + len(before.rstrip()), span.end)), "")
    end = text.find("\n", span.end)
    return Edit(Origin(file.path, "", Span(start, len(text) if end < 0 else end + 1)), "")
