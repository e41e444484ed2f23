"""The prelude's functions: compiled once, taken in or called, with the interpreter's bits either way."""

from __future__ import annotations

import importlib.util
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from kcheck.checker.builtins import Builtin
from kcheck.checker.prelude import ELEMENTARY_BUILTINS
from kcheck.runtime.backend import Launch
from kcheck.runtime.jit import Jit, cache, library, program
from kcheck.runtime.jit.library import Library
from tests.interpreter.build import kernel
from tests.jit.build import assert_same, compiled, launch_of

ROOT = Path(__file__).resolve().parents[2]
EDGES = np.array([0.0, 0.25, 1.0, 3.0, 5000.0, 1e10, 3e38, 1e-40, np.inf, np.nan], np.float32)
"""Sines of 5000 and more take the long way round, and powers of all but usual numbers too."""
EDGES = np.concatenate([EDGES, -EDGES])


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache folder, and libraries that have no machine code yet."""
    monkeypatch.setattr(cache, "cache_folder", lambda: tmp_path)
    made = {fast: Library(fast) for fast in (False, True)}
    monkeypatch.setattr(program, "library", made.__getitem__)
    return tmp_path / "jit"


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The modules of the prelude's functions that were compiled."""
    texts: list[str] = []
    compile_ = library.machine_code

    def recorded(text: str, *, briefly: bool) -> bytes:
        texts.append(text)
        return compile_(text, briefly=briefly)

    monkeypatch.setattr(library, "machine_code", recorded)
    return texts


def start_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forget what this process has, as a new one would."""
    later = Library(fast=False)
    monkeypatch.setattr(program, "library", lambda fast: later)


def straight(expression: str) -> Launch:
    source = kernel(
        "input x: Rows<Float>; output result: Rows<Float>;", f"compute {{ let v = sample(x); {expression} }}"
    )
    return launch_of(source, {"x": EDGES})


def with_loop(expression: str) -> Launch:
    """Scans with loops are never run for several elements at once, so large functions are called."""
    loop = f"for i in 0..3 {{ let v = sample(x) + float(i); s = s * 0.5 + {expression}; }}"
    body = f"scan over x with last = 0.0 {{ var s = 0.0; {loop} return s; }}"
    return launch_of(kernel("input x: Rows<Float>; output result: Rows<Float>;", body), {"x": EDGES})


def call_of(builtin: Builtin) -> str:
    return f"{builtin.value}(v, 0.75 - v)" if builtin in (Builtin.POW, Builtin.ATAN2) else f"{builtin.value}(v)"


@pytest.mark.parametrize("builtin", sorted(ELEMENTARY_BUILTINS, key=str), ids=str)
def test_taken_in_or_called_the_bits_are_the_same(builtin: Builtin) -> None:
    assert_same(straight(call_of(builtin)))
    assert_same(with_loop(call_of(builtin)))


def test_a_vector_is_taken_component_by_component() -> None:
    body = "compute { var s = vec3(0.0); for i in 0..2 { s = s + sin(vec3(sample(x), 1.0, 9000.0)); } return s; }"
    assert_same(launch_of(kernel("input x: Rows<Float>; output result: Rows<Vec3>;", body), {"x": EDGES}))


def test_what_one_program_needed_the_next_one_has(folder: Path, made: list[str]) -> None:
    assert_same(with_loop("sin(v) + pow(v, v)"), Jit())
    assert len(made) == 2
    assert_same(with_loop("sin(v) * cos(v)"), Jit())
    assert len(made) == 2  # large arguments are brought near to zero in one way for both


def test_the_next_process_has_it_from_the_folder(
    folder: Path, made: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert_same(with_loop("sin(v) + pow(v, v)"), Jit())
    made.clear()
    start_anew(monkeypatch)
    assert_same(with_loop("sin(v) - pow(v, v)"), Jit())
    assert not made


def test_what_is_not_whole_is_made_again(folder: Path, made: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    assert_same(with_loop("sin(v)"), Jit())
    for path in folder.iterdir():
        path.write_bytes(path.read_bytes()[:-1])
    start_anew(monkeypatch)
    assert_same(with_loop("sin(v)"), Jit())
    assert len(made) == 2


def test_without_a_folder_it_is_made_by_every_process(made: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "cache_folder", lambda: None)
    for _ in range(2):
        start_anew(monkeypatch)
        assert_same(with_loop("sin(v)"), Jit())
    assert len(made) == 2


def test_fast_arithmetic_has_functions_of_its_own(folder: Path, made: list[str]) -> None:
    for fast in (False, True, False, True):
        program.write_module(with_loop("pow(v, v)").program, frozenset(), fast=fast)
    assert ["contract" in text for text in made] == [False, True]


def test_a_vector_calls_one_function_for_all_components(folder: Path, made: list[str]) -> None:
    program.write_module(with_loop("length(cos(vec3(v, 1.0, 2.0)))").program, frozenset(), fast=False)
    [text] = [text for text in made if "cos_vec3" in text]
    assert text.count("@prelude.cos_float(") == 4
    assert text.count("noinline") == 1


def test_the_texts_are_up_to_date() -> None:
    spec = importlib.util.spec_from_file_location("jit_prelude", ROOT / "scripts" / "jit_prelude.py")
    assert spec is not None
    assert spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    assert library.TEXTS.read_text("utf-8") == script.written(), "run: python scripts/jit_prelude.py"


def test_only_large_functions_are_linked() -> None:
    small = compiled(
        kernel(
            "output result: Rows<Float>;",
            "compute { for i in 0..3 { if fract(float(i)) > 0.5 { return 1.0; } } return 0.0; }",
        )
    )
    assert program.write_module(small, frozenset(), fast=False).linked == []
    module = program.write_module(with_loop("sin(v) + cos(v)").program, frozenset(), fast=False)
    assert len(module.linked) == 1  # what both do with large arguments
    assert "declare" in module.text


def test_backends_at_one_time_share_it(folder: Path) -> None:
    expressions = [
        f"{builtin.value}(v * {n}.5)" for builtin in (Builtin.SIN, Builtin.COS, Builtin.EXP) for n in range(2)
    ]
    launches = [with_loop(expression) for expression in expressions]
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda launch: assert_same(launch, Jit()), launches))
