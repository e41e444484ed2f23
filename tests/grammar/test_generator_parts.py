"""The parts of the generator that can be told apart: patterns, first characters, the cache, what is written."""

from __future__ import annotations

import marshal
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from textx import metamodel_from_str

from kcheck.grammar import cached_files
from kcheck.grammar.generator import cache
from kcheck.grammar.generator.module import generate
from kcheck.grammar.generator.patterns import EVERY, OTHER, first_characters, kind_of, may_match_nothing
from tests.grammar.readings import both

PATTERNS = [
    r"abc", r"[a-c]x", r"[^a]", r"[^é]", r"[à-ÿ]", r"[é]", r".", r"\d+", r"\D", r"\w", r"\W", r"\s*x", r"\S", r"[\d_]+",
    r"[^\d\W]\w*", r"a|b?c", r"a*b", r"(?:a|bc)+d", r"(a)?b", r"a??b", r"(?=x)y?z|q", r"(?!x)[x-z]", r"\bw", r"^a|b$",
    r"(?i)k", r"(?i)[a-c]é?", r"(?i:s)t", r"(?>a|b)c", r"a*+b", r"(a)\1|b", r"(a)?(?(1)b|c)", r"\.\.=?", r"(?<=a)b|c",
    r"(?s).\n", r"\\", r"[\]x]", r"\x41|\u00e9",
]  # fmt: skip


@pytest.mark.parametrize("pattern", PATTERNS)
@settings(max_examples=40)
@given(st.data())
def test_what_a_match_begins_with(pattern: str, data: st.DataObject) -> None:
    first = first_characters(pattern, re.compile(pattern, re.MULTILINE).flags)
    matched = data.draw(st.from_regex(re.compile(pattern, re.MULTILINE)))
    for found in re.finditer(pattern, matched, re.MULTILINE):
        assert not found.group() or kind_of(found.group()[0]) in first
        assert found.group() or may_match_nothing(pattern, 0)


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("abc", "a"),
        ("[a-c]x|d", "abcd"),
        (r"x?y", "xy"),
        ("[à-ÿ]z", OTHER),
        ("(?=q)x", "x"),
        (r"[0-9][0-9_]*\.", "0123456789"),
        ("(?i)k", {"k", "K", OTHER}),
    ],
)
def test_first_characters_are_few(pattern: str, expected: str) -> None:
    assert first_characters(pattern, re.compile(pattern).flags) == frozenset(expected)


@pytest.mark.parametrize(("pattern", "empty"), [("a", False), ("a?", True), ("(?=a)", True), ("a|", True), ("$", True)])
def test_patterns_that_may_match_nothing(pattern: str, empty: bool) -> None:
    assert may_match_nothing(pattern, 0) is empty


def test_unknown_steps_of_a_pattern_may_begin_with_anything() -> None:
    assert first_characters(r"(a|b)?\1", 0) == EVERY


# ---------------------------------------------------------------- what is written


def test_the_parser_needs_only_re() -> None:
    source = generate(metamodel_from_str("R: a=INT;"), "R: a=INT;")
    assert set(re.findall(r"^(?:import|from) .*", source, re.MULTILINE)) == {"import re"}


def test_rules_are_shown_where_they_are_read() -> None:
    grammar = "R: x*=A ('b' y=INT)?;\n\nA: // one\n  'a' n=INT;"
    source = generate(metamodel_from_str(grammar), grammar)
    assert "# R: x*=A ('b' y=INT)?;" in source
    assert "# A: // one 'a' n=INT;" in source
    assert "# ('b' y=INT)?" in source


def test_readings_leave_nothing_behind() -> None:
    _, read = both("R: (a=INT ',')* b=ID;")
    first, *_ = read("1, x")
    second, *_ = read("2, 3, y")
    assert (first.a, first.b, second.a, second.b) == ([1], "x", [2, 3], "y")
    assert read("1, 1") == (None, 4, frozenset({","}), ())
    assert read("1") == (None, 1, frozenset({","}), ())


# ---------------------------------------------------------------- the cache


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.setenv(name, str(tmp_path))
    return tmp_path / "kcheck"


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The parsers that were made; each is the same small one, so that no test waits for textX."""
    sources: list[str] = []

    def make() -> str:
        sources.append("def read(text):\n    return text.upper(), 0, frozenset(), ()\n")
        return sources[-1]

    monkeypatch.setattr(cache, "_source", make)
    return sources


def works(read: Callable[[str], cache.Reading]) -> bool:
    return read("a") == ("A", 0, frozenset(), ())


def test_a_parser_is_made_once(folder: Path, made: list[str]) -> None:
    assert works(cache.kernel_parser())
    assert works(cache.kernel_parser())
    assert len(made) == 1
    assert sorted(path.suffix for path in folder.iterdir()) == [".bin", ".py"]


@pytest.mark.parametrize("damage", [b"", b"nonsense", marshal.dumps(compile("read = 1", "", "exec"))])
def test_a_damaged_parser_is_made_again(folder: Path, made: list[str], damage: bytes) -> None:
    cache.kernel_parser()
    [kept] = folder.glob("*.bin")
    whole = kept.read_bytes()
    kept.write_bytes(damage)
    assert works(cache.kernel_parser())
    assert len(made) == 2
    assert kept.read_bytes() == whole
    kept.write_bytes(whole[:-1])
    assert works(cache.kernel_parser())
    assert len(made) == 3


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such modes")
def test_a_parser_that_others_may_write_is_made_again(folder: Path, made: list[str]) -> None:
    cache.kernel_parser()
    [kept] = folder.glob("*.bin")
    kept.chmod(0o666)
    assert works(cache.kernel_parser())
    assert len(made) == 2
    assert not kept.stat().st_mode & 0o022


def test_no_folder_is_no_failure(folder: Path, made: list[str]) -> None:
    folder.write_text("a file stands where the folder should")
    assert works(cache.kernel_parser())
    assert works(cache.kernel_parser())
    assert len(made) == 2


def test_no_home_is_no_failure(made: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def no_home() -> Path:
        raise RuntimeError

    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.delenv("LOCALAPPDATA", raising=False)
    monkeypatch.setattr(Path, "home", no_home)
    assert cached_files.cache_folder() is None
    assert works(cache.kernel_parser())


def test_no_sources_are_no_failure(
    folder: Path, made: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache, "GRAMMAR", tmp_path / "nowhere.tx")
    assert works(cache.kernel_parser())
    assert not folder.exists()


def test_old_parsers_go(folder: Path, made: list[str]) -> None:
    folder.mkdir()
    for name, age in (("parser-old.bin", 200), ("parser-new.bin", 2), ("else.bin", 200)):
        (folder / name).touch()
        when = (folder / name).stat().st_mtime - age * 24 * 3600
        os.utime(folder / name, (when, when))
    cache.kernel_parser()
    names = {path.name for path in folder.iterdir()}
    assert {"parser-new.bin", "else.bin"} < names
    assert "parser-old.bin" not in names


def test_each_grammar_has_its_parser(
    folder: Path, made: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache.kernel_parser()
    other = tmp_path / "other.tx"
    other.write_bytes(cache.GRAMMAR.read_bytes() + b"\n")
    monkeypatch.setattr(cache, "GRAMMAR", other)
    cache.kernel_parser()
    assert len(made) == 2
    assert len(list(folder.glob("*.bin"))) == 2


@pytest.mark.parametrize(
    ("platform", "variable", "usual"),
    [
        ("linux", "XDG_CACHE_HOME", ".cache"),
        ("darwin", "XDG_CACHE_HOME", "Library/Caches"),
        ("win32", "LOCALAPPDATA", "AppData/Local"),
    ],
)
def test_where_the_cache_is(platform: str, variable: str, usual: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setattr(Path, "home", lambda: Path("/home/me"))
    monkeypatch.delenv(variable, raising=False)
    assert cached_files.cache_folder() == Path("/home/me", usual, "kcheck")
    monkeypatch.setenv(variable, "relative")
    assert cached_files.cache_folder() == Path("/home/me", usual, "kcheck")
    monkeypatch.setenv(variable, "/elsewhere")
    assert cached_files.cache_folder() == Path("/elsewhere/kcheck")


def test_processes_may_make_it_at_once(tmp_path: Path) -> None:
    environment = os.environ | {"XDG_CACHE_HOME": str(tmp_path), "LOCALAPPDATA": str(tmp_path)}
    program = "from kcheck.grammar.engine import read; assert read('use a; use b;', len) == 2"
    running = [subprocess.Popen([sys.executable, "-c", program], env=environment) for _ in range(2)]
    assert [process.wait() for process in running] == [0, 0]
    assert len(list((tmp_path / "kcheck").iterdir())) == 2
