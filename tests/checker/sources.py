"""Short ways from source text to what is tested: diagnostics at marked places, and values of runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kcheck.checker import check_text
from kcheck.checker.check import Loader
from kcheck.checker.checked import Checked
from kcheck.checker.ir import Program
from kcheck.checker.verify import verify_ir
from kcheck.grammar.diagnostics import Diagnostic, Severity
from kcheck.runtime.binding import bind
from kcheck.runtime.interpreter import Interpreter
from tests.values import differences, plain

ERROR, WARNING, HINT = Severity.ERROR, Severity.WARNING, Severity.HINT


def kernel(
    body: str,
    ports: str = "input x: Rows<Int>; output r: Rows<Int>;",
    *,
    head: str = "compute",
    before: str = "",
    members: str = "",
    name: str = "t.t@1",
) -> str:
    """A kernel with `body` in the braces after `head`; `before` are items of the file."""
    reads = "field.read; " if "input" in ports or "memory" in ports else ""
    requires = f"requires {{ {reads}field.write; }}"
    return f"{before}\nkernel {name} {{ {requires} {ports} {members}\n  {head} {{ {body} }} }}\n"


def floats(body: str, **more: str) -> str:
    """A kernel from Rows<Float> to Rows<Float>."""
    return kernel(body, "input x: Rows<Float>; output r: Rows<Float>;", **more)


# ---------------------------------------------------------------- diagnostics


def unmarked(text: str) -> tuple[str, list[tuple[int, int]]]:
    """The text without its marks `⟦…⟧`, and the spans that they enclose in the order of their starts."""
    plain_text: list[str] = []
    spans: list[list[int]] = []
    open_spans: list[int] = []
    length = 0
    for character in text:
        if character == "⟦":
            open_spans.append(len(spans))
            spans.append([length, -1])
        elif character == "⟧":
            spans[open_spans.pop()][1] = length
        else:
            plain_text.append(character)
            length += 1
    return "".join(plain_text), sorted((start, end) for start, end in spans)


def found(checked: Checked, severities: Sequence[Severity]) -> list[tuple[str, str, tuple[int, int]]]:
    """Code, text and span of each diagnostic of these severities."""
    result = []
    for diagnostic in checked.diagnostics:
        if diagnostic.severity in severities:
            span = checked.file.absolute(diagnostic.origin)
            result.append((diagnostic.code, checked.file.text[span.start : span.end], (span.start, span.end)))
    return result


def refused(
    codes: str, text: str, *, severities: Sequence[Severity] = (ERROR,), loader: Loader | None = None
) -> tuple[Diagnostic, ...]:
    """Check that the diagnostics have exactly these codes, at the marked places; gives them for a closer look."""
    source, spans = unmarked(text)
    checked = check_text(source, "t.kernel", loader)
    expected = [
        (code, source[start:end], (start, end)) for code, (start, end) in zip(codes.split(), spans, strict=True)
    ]
    assert found(checked, severities) == expected, "\n".join(f"{d.code} {d.message}" for d in checked.diagnostics)
    verify_all(checked)
    return tuple(d for d in checked.diagnostics if d.severity in severities)


def verify_all(checked: Checked) -> None:
    for program in checked.programs.values():
        verify_ir(program)


# ---------------------------------------------------------------- programs and runs


def checked_of(text: str, loader: Loader | None = None) -> Checked:
    """The result for a text without errors."""
    checked = check_text(text, "t.kernel", loader)
    assert not checked.has_errors, "\n".join(f"{d.code} {d.message}" for d in checked.diagnostics)
    verify_all(checked)
    return checked


def program(text: str, name: str | None = None, loader: Loader | None = None) -> Program:
    """The (only, or named) program of a text without errors."""
    programs = checked_of(text, loader).programs
    if name is None:
        [name] = programs
    return programs[name]


def run(made: Program | str, *, domain: Sequence[int] | None = None, **values: Any) -> Mapping[str, Any]:
    """What a run in the interpreter gives, outputs and memories by name, as plain values."""
    if isinstance(made, str):
        made = program(made)
    outcome = Interpreter().run(bind(made, values, domain))
    return {name: plain(field) for name, field in {**outcome.outputs, **outcome.memories}.items()}


def gives(
    made: Program | str, expected: Mapping[str, Any], *, domain: Sequence[int] | None = None, **values: Any
) -> None:
    """Check what a run gives, Floats bit by bit."""
    got = run(made, domain=domain, **values)
    wrong = [line for name in expected for line in differences(got[name], expected[name], where=name)]
    assert not wrong, "\n".join(wrong)
