"""What `kcheck test` prints: lines for people, JSON, or JUnit's XML for build servers."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from typing import Any
from xml.etree import ElementTree

from kcheck.checker.render import text
from kcheck.checker.render.json import diagnostic_object
from kcheck.checker.render.reports import Files, files_of
from kcheck.cli import terminal
from kcheck.grammar.diagnostics import Diagnostic, Severity
from kcheck.runtime.examples import Tested, TestedFile

VERSION = 1

_PASSED, _FAILED = "32", "31"


def render(files: Sequence[TestedFile], form: str, *, quiet: bool) -> str:
    """The report on all files in the format `form`: "text", "json" or "junit"."""
    match form:
        case "json":
            return _json(files)
        case "junit":
            return _junit(files)
        case _:
            return "".join(f"{line}\n" for line in _lines(files, quiet=quiet))


def _errors(file: TestedFile) -> list[Diagnostic]:
    """What the checker refuses a file for."""
    return [found for found in file.checked.diagnostics if found.severity is Severity.ERROR]


def _counts(files: Sequence[TestedFile]) -> dict[str, int]:
    examples = [tested for file in files for tested in file.examples]
    failed = sum(tested.problem is not None for tested in examples)
    refused = sum(file.checked.has_errors for file in files)
    return {"passed": len(examples) - failed, "failed": failed, "refused": refused}


# ---------------------------------------------------------------- text


def _lines(files: Sequence[TestedFile], *, quiet: bool) -> Iterator[str]:
    style = text.Style(color=terminal.wants_color(sys.stdout), width=terminal.width())
    for file in files:
        if not quiet or file.failed:
            yield file.checked.file.path
        yield from _file_lines(file, style, quiet=quiet)
    if not quiet:
        counts = {name: count for name, count in _counts(files).items() if count or name == "passed"}
        yield ", ".join(f"{count} {_COUNTED[name]}" for name, count in counts.items())


_COUNTED = {"passed": "passed", "failed": "failed", "refused": "with errors"}


def _file_lines(file: TestedFile, style: text.Style, *, quiet: bool) -> Iterator[str]:
    sources = files_of([file.checked])
    for found in _errors(file):
        yield from text.diagnostic(found, sources, style).splitlines()
    if not file.examples and not file.failed and not quiet:
        yield "  no examples"
    for tested in file.examples:
        yield from _example_lines(tested, sources, style, quiet=quiet)


def _example_lines(tested: Tested, sources: Files, style: text.Style, *, quiet: bool) -> Iterator[str]:
    passed = tested.problem is None
    if passed and quiet:
        return
    word = style.paint("ok", _PASSED) + "    " if passed else style.paint("FAILED", _FAILED)
    yield f"  {word}  {tested.example.kernel}  {tested.example.name}  {tested.seconds:.3f} s"
    if tested.problem:
        for line in text.diagnostic(tested.problem, sources, style).splitlines():
            yield f"    {line}".rstrip()


# ---------------------------------------------------------------- JSON


def _json(files: Sequence[TestedFile]) -> str:
    document = {
        "version": VERSION,
        "files": [_file_object(file) for file in files],
        "summary": _counts(files),
    }
    return json.dumps(document, indent=2) + "\n"


def _file_object(file: TestedFile) -> dict[str, Any]:
    sources = files_of([file.checked])
    return {
        "path": file.checked.file.path,
        "diagnostics": [diagnostic_object(found, sources) for found in _errors(file)],
        "examples": [_example_object(tested, sources) for tested in file.examples],
    }


def _example_object(tested: Tested, sources: Files) -> dict[str, Any]:
    return {
        "kernel": tested.example.kernel,
        "name": tested.example.name,
        "status": "failed" if tested.problem else "passed",
        "seconds": tested.seconds,
        "error": diagnostic_object(tested.problem, sources) if tested.problem else None,
    }


# ---------------------------------------------------------------- JUnit


def _junit(files: Sequence[TestedFile]) -> str:
    root = ElementTree.Element("testsuites")
    for file in files:
        sources = files_of([file.checked])
        suite = ElementTree.SubElement(root, "testsuite", name=file.checked.file.path)
        for found in _errors(file):
            _case(suite, "check", found.code, 0.0, found, "error", sources)
        for tested in file.examples:
            example = tested.example
            _case(suite, example.kernel, example.name, tested.seconds, tested.problem, "failure", sources)
        suite.set("tests", str(len(suite)))
        suite.set("failures", str(len(suite.findall("testcase/failure"))))
        suite.set("errors", str(len(suite.findall("testcase/error"))))
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def _case(
    suite: ElementTree.Element,
    group: str,
    name: str,
    seconds: float,
    problem: Diagnostic | None,
    kind: str,
    sources: Files,
) -> None:
    case = ElementTree.SubElement(suite, "testcase", classname=group, name=name, time=f"{seconds:.3f}")
    if problem:
        message = f"{problem.code}: {problem.message}"
        ElementTree.SubElement(case, kind, message=message).text = text.diagnostic(problem, sources)
