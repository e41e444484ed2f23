"""What the pages for people say is so: their programs check, their commands and Python print what is shown.

A page's fenced blocks are tested by their first line:

    ```kernel                checks without errors, and its examples pass
    ```kernel error=K205     has errors, of this code only
    ```kernel file=a.kernel  the same as `kernel`, and the commands and Python below find it under this name
    ```console               `$ kcheck …` and what it prints; a line `…` stands for any lines
    ```pycon                 a Python session, as doctest has it

Times differ from run to run, so any number of seconds equals any other.
"""

import doctest
import importlib.util
import re
import shlex
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from io import BytesIO, TextIOWrapper
from pathlib import Path
from types import ModuleType

import pytest

from kcheck.checker import check_text
from kcheck.cli import main
from kcheck.grammar.diagnostics import Severity
from kcheck.runtime.examples import test_file as run_examples
from kcheck.runtime.laws import judged

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", ROOT / "ARCHITECTURE.md", *sorted((ROOT / "docs").glob("*.md"))]

_FENCE = re.compile(r"^```(?P<kind>\w+)(?P<options>[^\n]*)\n(?P<text>.*?)^```$", re.M | re.S)
_FENCED = re.compile(r"^```.*?^```$", re.M | re.S)
_SECONDS = re.compile(r"\d+(\.\d+)?(e-?\d+)? s\b|(?<=\"(?:compile)\": )[\d.e-]+|(?<=\"run\": )[\d.e-]+")
_LINK = re.compile(r"\]\((?P<target>[^)#:\s]*)(?:#(?P<anchor>[^)\s]+))?\)")


@dataclass(frozen=True)
class Block:
    """A fenced block of a page."""

    page: Path
    line: int
    kind: str
    options: dict[str, str]
    text: str

    def __str__(self) -> str:
        return f"{self.page.name}:{self.line}"


def blocks(page: Path) -> Iterator[Block]:
    text = page.read_text(encoding="utf-8")
    for found in _FENCE.finditer(text):
        options = dict(option.split("=", 1) for option in found["options"].split())
        yield Block(page, text.count("\n", 0, found.start()) + 1, found["kind"], options, found["text"])


KERNELS = [block for page in PAGES for block in blocks(page) if block.kind == "kernel"]
SESSIONS = [page for page in PAGES if any(block.kind in ("console", "pycon") for block in blocks(page))]


@pytest.mark.parametrize("block", KERNELS, ids=str)
def test_program(block: Block) -> None:
    checked = judged(check_text(block.text, f"{block}"), 10.0)
    codes = {found.code for found in checked.diagnostics if found.severity is Severity.ERROR}
    assert codes == ({block.options["error"]} if "error" in block.options else set()), checked.diagnostics
    assert [tested.problem for tested in run_examples(checked, "auto").examples if tested.problem] == []


@pytest.mark.parametrize("page", SESSIONS, ids=lambda page: page.name)
def test_sessions(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The commands and Python of one page, in order, in a folder that holds its files and the examples."""
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    names: dict[str, object] = {}
    for block in blocks(page):
        if "file" in block.options:
            (tmp_path / block.options["file"]).write_text(block.text, encoding="utf-8")
        if block.kind == "console":
            check_console(block)
        if block.kind == "pycon":
            check_python(block, names)


def check_console(block: Block) -> None:
    for command, expected in commands(block.text):
        words = shlex.split(command)
        assert words[0] == "kcheck", f"{block}: only kcheck is run"
        said = output_of(words[1:])
        wanted = re.escape(same_times(expected)).replace(re.escape("…\n"), "(?:.*\n)*", 1)
        assert re.fullmatch(wanted, same_times(said)), f"{block}: {command}\n{said}"


def output_of(arguments: list[str]) -> str:
    """What the command line prints to both of its streams."""
    said = TextIOWrapper(BytesIO(), encoding="utf-8", write_through=True)
    with redirect_stdout(said), redirect_stderr(said):
        main(arguments)
    said.seek(0)
    return said.read()


def commands(text: str) -> Iterator[tuple[str, str]]:
    """The commands of a block, each with the lines below it."""
    for part in re.split(r"^\$ ", text, flags=re.M)[1:]:
        command, _, expected = part.partition("\n")
        yield command, expected.removesuffix("\n") + "\n" if expected.strip() else ""


def same_times(text: str) -> str:
    return _SECONDS.sub("# s", text)


def check_python(block: Block, names: dict[str, object]) -> None:
    test = doctest.DocTestParser().get_doctest(block.text, names, str(block), str(block.page), block.line)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    said: list[str] = []
    runner.run(test, out=said.append, clear_globs=False)
    names.update(test.globs)
    assert runner.summarize(verbose=False).failed == 0, "".join(said)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links(page: Path) -> None:
    """Links within the project lead somewhere."""
    for found in _LINK.finditer(prose(page.read_text(encoding="utf-8"))):
        target = page.parent / found["target"] if found["target"] else page
        assert target.exists(), found[0]
        if found["anchor"]:
            assert found["anchor"] in anchors(target.read_text(encoding="utf-8")), found[0]


def prose(text: str) -> str:
    """A page without its code."""
    return re.sub(r"`[^`\n]*`", "", _FENCED.sub("", text))


def anchors(text: str) -> set[str]:
    """The names that headings can be linked by."""
    headings = re.findall(r"^#+ (.+)$", _FENCED.sub("", text), re.M)
    return {re.sub(r"[^\w -]", "", heading).strip().lower().replace(" ", "-") for heading in headings}


# ---------------------------------------------------------------- the page of built-ins


def test_builtins_page_is_up_to_date() -> None:
    script = builtin_docs()
    assert script.PAGE.read_text(encoding="utf-8") == script.page(), "run: python scripts/builtin_docs.py"


def test_builtins_page_is_complete() -> None:
    from kcheck.checker.builtins import BY_NAME, CONTRACTS, ErrorClass

    script = builtin_docs()
    named = [name for names in script.SECTIONS.values() for name in names.split()]
    assert sorted(named) == sorted(BY_NAME)
    assert script.EDGES.keys() == BY_NAME.keys()
    assert script.ULPS.keys() == {b for b, contract in CONTRACTS.items() if contract.error is ErrorClass.ELEMENTARY}


def builtin_docs() -> ModuleType:
    spec = importlib.util.spec_from_file_location("builtin_docs", ROOT / "scripts" / "builtin_docs.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
