"""The Python API."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kcheck
from kcheck.runtime.backends import best
from kcheck.runtime.fields import Box, Field, field_of

TEXT = """\
struct Tone { low: Float; count: Int; }

/// Scales its input.
kernel demo.scale@1 {
  requires { field.read; field.write; }
  input x: Rows<Float>;
  param k: Float = 2.0 in 0.0..9.0;
  output result: Rows<Float>;
  compute { return sample(x) * k; }
}

kernel demo.scale@2 {
  requires { field.read; field.write; }
  input x: Rows<Float>;
  output result: Rows<Float>;
  output twice: Rows<Float>;
  compute { { result: sample(x), twice: sample(x) * 2.0 } }
}

kernel demo.tone@1 {
  requires { field.read; field.write; }
  input x: Rows<Tone>;
  output result: Rows<Tone>;
  compute over x { return sample(x); }
  merge(a, b) { return Tone { low: min(a.low, b.low), count: a.count + b.count }; }
}

kernel demo.cells@1 {
  requires { field.read; field.write; }
  input ticks: Rows<Int>;
  memory ram: Rows<Int>;
  output result: Rows<Int>;
  scan over ticks with n = 0 {
    put(ram, n, 7);
    return n + 1;
  }
}

kernel demo.place@1 {
  requires { field.write; }
  output result: Grid<Float>;
  compute { return coord().x; }
}

kernel demo.odd@1 {
  requires { field.read; field.write; }
  input domain: Rows<Int>;
  output values: Rows<Int>;
  compute { return sample(domain); }
}
"""


@pytest.fixture(scope="module")
def module() -> kcheck.Module:
    return kcheck.loads(TEXT, "demo.kernel")


def test_arrays_in_and_out(module: kcheck.Module) -> None:
    out = module["demo.scale@1"](x=np.array([1.0, 2.0]), k=0.5)
    assert out["result"].dtype == np.float32
    assert out["result"].tolist() == [0.5, 1.0]
    assert out.result is out["result"]


@pytest.mark.parametrize("x", [[1, 2.5], (1, np.float32(2.5)), np.array([1, 2.5], np.float32)])
def test_lists_are_accepted(module: kcheck.Module, x: Any) -> None:
    assert module["demo.scale@1"](x=x).result.tolist() == [2.0, 5.0]


def test_results_are_mappings(module: kcheck.Module) -> None:
    out = module["demo.scale@2"](x=[1])
    assert list(out) == ["result", "twice"]
    assert len(out) == 2
    assert {name: array.tolist() for name, array in out.items()} == {"result": [1.0], "twice": [2.0]}
    assert out.backend == best().name
    assert out.seconds >= 0.0
    assert out.memories == {}
    assert "twice" in dir(out)
    assert f"twice: Rows<Float> (1,) by {best().name}" in repr(out)
    with pytest.raises(KeyError):
        out["thrice"]
    with pytest.raises(AttributeError, match="no output `thrice`"):
        _ = out.thrice


def test_structured_arrays(module: kcheck.Module) -> None:
    x = np.array([(3.0, 1), (2.0, 5)], [("low", "f4"), ("count", "i4")])
    out = module["demo.tone"](x=x).result
    assert out.shape == (1,)
    assert (out["low"][0], out["count"][0]) == (2.0, 6)


def test_memories(module: kcheck.Module) -> None:
    ram = np.zeros(3, np.int32)
    out = module["demo.cells"](ticks=[0, 0], ram=ram)
    assert out.memories["ram"].tolist() == [7, 7, 0]
    assert ram.tolist() == [0, 0, 0]


def test_domains_are_x_first(module: kcheck.Module) -> None:
    assert module["demo.place"](domain=(3, 2)).result.tolist() == [[0, 1, 2], [0, 1, 2]]
    assert module["demo.scale@1"](x=[1], domain=1).result.tolist() == [2.0]
    assert module["demo.place"](domain=np.array([1, 1])).result.tolist() == [[0]]


@pytest.mark.parametrize("domain", ["a", "32", 2.0, True, (3, 2.5), (True, 2), [None]])
def test_domains_are_whole_numbers(module: kcheck.Module, domain: Any) -> None:
    with pytest.raises(kcheck.RunError, match=r"K704.*whole numbers"):
        module["demo.place"](domain=domain)


def test_names_that_are_words_of_the_call(module: kcheck.Module) -> None:
    out = module["demo.odd"]({"domain": [1, 2]})
    assert out["values"].tolist() == [1, 2]


def test_fields_of_earlier_results(module: kcheck.Module) -> None:
    first = module["demo.scale@1"](x=[1]).fields["result"]
    assert isinstance(first, Field)
    assert module["demo.scale@1"](x=first).result.tolist() == [4.0]
    moved = field_of(first.type, first.data, Box((5.0,), (6.0,)))
    assert module["demo.scale@1"](x=moved).fields["result"].extent == Box((5.0,), (6.0,))


def test_files(module: kcheck.Module, tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.array([1.0]))
    assert module["demo.scale@1"](x=tmp_path / "x.npy").result.tolist() == [2.0]


def test_kernels_by_name(module: kcheck.Module) -> None:
    assert module["demo.tone"].name == "demo.tone@1"
    assert module["demo.scale@1"].__doc__ == "Scales its input."
    assert "demo.scale@1" in module
    assert "demo.none" not in module
    assert list(module)[:2] == ["demo.scale@1", "demo.scale@2"]
    assert len(module) == 6
    assert repr(module["demo.scale@1"]) == "<Kernel demo.scale@1(x: Rows<Float>, k: Float) -> result: Rows<Float>>"
    assert "demo.kernel" in repr(module)


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("demo.scal@1", "did you mean demo.scale@1"),
        ("demo.scale", "in several versions: demo.scale@1, demo.scale@2"),
        ("zzz", "it has demo.scale@1"),
    ],
)
def test_kernels_that_are_not_there(module: kcheck.Module, name: str, says: str) -> None:
    with pytest.raises(KeyError) as info:
        module[name]
    assert says in str(info.value)


@pytest.mark.parametrize(
    ("values", "code"),
    [
        ({}, "K702"),
        ({"y": [1]}, "K701"),
        ({"x": "text"}, "K703"),
        ({"x": [[1]]}, "K704"),
        ({"x": [None]}, "K703"),
        ({"x": np.zeros((1, 1))}, "K704"),
        ({"x": np.array(["a"])}, "K703"),
        ({"x": [1], "k": 10}, "K705"),
        ({"x": object()}, "K703"),
        ({"x": np.ma.MaskedArray([1.0, 2.0], [False, True])}, "K703"),
    ],
)
def test_refused_calls(module: kcheck.Module, values: dict[str, Any], code: str) -> None:
    with pytest.raises(kcheck.RunError) as info:
        module["demo.scale@1"](values)
    assert info.value.code == code
    assert str(info.value).startswith(code)


def test_backends(module: kcheck.Module) -> None:
    assert module["demo.scale@1"](x=[1], backend="interpreter").backend == "interpreter"
    with pytest.raises(kcheck.RunError, match="K711"):
        module["demo.scale@1"](x=[1], backend="abacus")


def test_files_with_errors() -> None:
    with pytest.raises(kcheck.CheckError) as info:
        kcheck.loads(TEXT.replace("sample(x) * k", "sample(y) * k"), "wrong.kernel")
    assert isinstance(info.value, ValueError)
    assert "error[K201]" in str(info.value)
    assert "wrong.kernel:9:" in str(info.value)
    assert "K201" in {diagnostic.code for diagnostic in info.value.diagnostics}


def test_load(tmp_path: Path) -> None:
    (tmp_path / "demo.kernel").write_text(TEXT)
    module = kcheck.load(tmp_path / "demo.kernel")
    assert module.path.endswith("demo.kernel")
    assert module.diagnostics is not None
    with pytest.raises(FileNotFoundError):
        kcheck.load(tmp_path / "none.kernel")
    with pytest.raises(IsADirectoryError):
        kcheck.load(tmp_path)


def test_load_finds_what_a_file_uses(tmp_path: Path) -> None:
    (tmp_path / "shapes.kernel").write_text("fn half(x: Float) -> Float { return x * 0.5; }\n")
    (tmp_path / "main.kernel").write_text("use shapes;\n" + TEXT.replace("sample(x) * k", "half(sample(x)) * k"))
    assert kcheck.load(tmp_path / "main.kernel")["demo.scale@1"](x=[1]).result.tolist() == [1.0]


def test_files_that_are_not_text(tmp_path: Path) -> None:
    (tmp_path / "bad.kernel").write_bytes(b"kernel \xff")
    with pytest.raises(kcheck.CheckError, match="K102"):
        kcheck.load(tmp_path / "bad.kernel")


def test_names_of_the_package() -> None:
    for name in kcheck.__all__:
        assert getattr(kcheck, name) is not None
    with pytest.raises(AttributeError, match="nothing"):
        _ = kcheck.nothing


def test_import_is_light() -> None:
    script = "import sys, kcheck; print([m for m in sys.modules if m.partition('.')[0] in sys.argv[1:]])"
    heavy = ["numpy", "PIL", "rich", "textx", "arpeggio", "dataclasses"]
    # Not under coverage, which loads modules of its own.
    plain = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE")}
    command = [sys.executable, "-c", script, *heavy]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=plain)
    assert done.stdout.strip() == "[]"
