"""`kcheck check`, `explain`, `show` and the command line around them."""

import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

from kcheck.cli import COMMANDS, check, main

GOOD = """\
kernel sound.half@1 {
  requires { field.read; field.write; }
  input samples: Rows<Float>;
  output result: Rows<Float>;
  compute { return sample(samples) * 0.5; }
}
"""
BAD = GOOD.replace("samples) *", "sample) *")
REDUCTION = """\
kernel stats.total@1 {
  requires { field.read; field.write; }
  input values: Rows<Int>;
  output result: Rows<Int>;
  compute over values { return sample(values); }
  merge(a, b) { return a + b; }
}
"""

PROGRAM = "import sys; from kcheck.cli import main; sys.exit(main())"
HEAVY = ("numpy", "textx", "arpeggio", "rich", "PIL", "kcheck.grammar", "kcheck.checker", "kcheck.runtime")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "good.kernel").write_text(GOOD)
    (tmp_path / "bad.kernel").write_text(BAD)
    (tmp_path / "total.kernel").write_text(REDUCTION)
    return tmp_path


Captured = pytest.CaptureFixture[str]

# ---------------------------------------------------------------- check


def test_a_good_file(home: Path, capsys: Captured) -> None:
    assert main(["check", "good.kernel"]) == 0
    assert capsys.readouterr().out == "no errors in 1 file\n"


def test_a_bad_file(home: Path, capsys: Captured) -> None:
    assert main(["check", "bad.kernel"]) == 1
    out = capsys.readouterr().out
    assert "error[K2" in out
    assert " --> bad.kernel:5:" in out
    assert "1 error" in out


def test_check_may_be_left_out(home: Path, capsys: Captured) -> None:
    assert main(["bad.kernel", "good.kernel"]) == 1
    assert "in 2 files" in capsys.readouterr().out
    assert main(["--format", "json", "good.kernel"]) == 0
    assert json.loads(capsys.readouterr().out)["version"] == 1


def test_json(home: Path, capsys: Captured) -> None:
    assert main(["check", "bad.kernel", "good.kernel", "--format", "json"]) == 1
    shown = json.loads(capsys.readouterr().out)
    assert [file["path"] for file in shown["files"]] == ["bad.kernel", "good.kernel"]
    [found] = [d for d in shown["files"][0]["diagnostics"] if d["severity"] == "error"]
    assert found["range"]["start"]["line"] == 4
    assert shown["summary"]["errors"] == 1


def test_folders(home: Path, capsys: Captured) -> None:
    (home / "empty").mkdir()
    assert main(["check", ".", "empty"]) == 1
    captured = capsys.readouterr()
    assert "in 3 files" in captured.out
    assert captured.err == "kcheck: no .kernel files in empty\n"
    assert main(["check", "empty"]) == 2
    assert capsys.readouterr().err == "kcheck: error: no .kernel files in empty\n"


def test_standard_input(home: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(BAD.encode())))
    assert main(["check", "-"]) == 1
    assert " --> <stdin>:5:" in capsys.readouterr().out
    assert main(["check", "-", "-"]) == 2
    assert "standard input can be read only once" in capsys.readouterr().err


def test_a_missing_file_is_wrong_usage(home: Path, capsys: Captured) -> None:
    assert main(["check", "good.kernel", "gone.kernel"]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err == "kcheck: error: gone.kernel: no such file or folder\n"


def test_other_encodings_are_found(home: Path, capsys: Captured) -> None:
    (home / "latin.kernel").write_bytes("// é\n".encode("latin-1") + GOOD.encode())
    assert main(["check", "latin.kernel"]) == 1
    assert "error[K102]" in capsys.readouterr().out


def test_quiet(home: Path, capsys: Captured) -> None:
    assert main(["check", "--quiet", "good.kernel"]) == 0
    assert capsys.readouterr().out == ""
    assert main(["check", "--quiet", "bad.kernel"]) == 1
    assert "in 1 file" not in capsys.readouterr().out


def test_packages_of_the_workspace(home: Path, capsys: Captured) -> None:
    (home / "color").mkdir()
    (home / "color" / "basic.kernel").write_text("fn half(x: Float) -> Float { return x * 0.5; }\n")
    (home / "user.kernel").write_text(
        "use color.basic;\n\n" + GOOD.replace("sample(samples) * 0.5", "half(sample(samples))")
    )
    assert main(["check", "user.kernel"]) == 0
    (home / "color" / "basic.kernel").write_text("fn half(x: Float) -> Float { return y * 0.5; }\n")
    assert main(["check", "user.kernel"]) == 1
    capsys.readouterr()
    assert main(["check", "user.kernel"]) == 1
    assert " --> color/basic.kernel:1:" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("environment", "colored"),
    [({}, False), ({"FORCE_COLOR": "1"}, True), ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False)],
)
def test_colours(
    home: Path,
    capsys: Captured,
    monkeypatch: pytest.MonkeyPatch,
    environment: dict[str, str],
    colored: bool,
) -> None:
    for name in ("FORCE_COLOR", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    main(["check", "bad.kernel"])
    assert ("\x1b[" in capsys.readouterr().out) == colored


# ---------------------------------------------------------------- explain, show


def test_explain(capsys: Captured) -> None:
    for code in ("K203", "k203", "type-mismatch"):
        assert main(["explain", code]) == 0
        out = capsys.readouterr().out
        assert out.startswith("K203 (type-mismatch, error): ")
        assert "\nBad:\n" in out


def test_explain_lists_all_rules(capsys: Captured) -> None:
    assert main(["explain"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("Syntax\n  K101  error ")
    assert "\nRunning\n  K701 " in out


@pytest.mark.parametrize(("asked", "near"), [("K299", "K2"), ("type-mismatsch", "type-mismatch")])
def test_explain_of_an_unknown_code(capsys: Captured, asked: str, near: str) -> None:
    assert main(["explain", asked]) == 2
    err = capsys.readouterr().err
    assert f"no rule is called {asked} (near: {near}" in err


def test_show(home: Path, capsys: Captured) -> None:
    assert main(["show", "good.kernel", "--ir"]) == 0
    whole = capsys.readouterr().out
    assert whole.startswith("program sound.half@1 (rank 1, result Float)\n")
    assert main(["show", "good.kernel", "--kernel", "sound.half@1", "--ir"]) == 0
    assert capsys.readouterr().out == whole


def test_show_refuses(home: Path, capsys: Captured) -> None:
    assert main(["show", "bad.kernel", "--ir"]) == 1
    assert "error[K2" in capsys.readouterr().err
    assert main(["show", "good.kernel", "--kernel", "sound.half@2", "--ir"]) == 2
    assert "no kernel is called sound.half@2; good.kernel holds sound.half@1" in capsys.readouterr().err
    assert main(["show", "good.kernel"]) == 2


# ---------------------------------------------------------------- around them


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_that_takes_something_shows_an_example(capsys: Captured, command: str) -> None:
    assert main([command, "--help"]) == 0
    usage, _, examples = capsys.readouterr().out.partition("\nexample")
    assert usage.startswith(f"usage: kcheck {command} ")
    assert f"kcheck {command}" in examples or command == "doctor"


def test_help_lists_the_commands_that_are_there(capsys: Captured) -> None:
    assert main(["--help"]) == 0
    out = capsys.readouterr().out
    assert all(f"\n    {command} " in out for command in COMMANDS)
    assert main([]) == 2
    assert "usage: kcheck" in capsys.readouterr().err


@pytest.mark.parametrize("wrong", [["check"], ["check", "--bogus", "x"], ["--bogus"], ["show", "x", "--html"]])
def test_wrong_usage(capsys: Captured, wrong: list[str]) -> None:
    assert main(wrong) == 2
    assert "usage: kcheck" in capsys.readouterr().err


def test_a_misspelled_command(home: Path, capsys: Captured) -> None:
    assert main(["chekc", "good.kernel"]) == 2
    assert "did you mean the command `check`?" in capsys.readouterr().err


def test_an_interrupt_ends_quietly(home: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    def interrupted(_: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(check, "run", interrupted)
    assert main(["check", "good.kernel"]) == 130
    assert capsys.readouterr() == ("", "")


def test_a_closed_pipe_ends_quietly() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM, "explain"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 141


def test_text_that_the_terminal_cannot_show(home: Path) -> None:
    (home / "umlaut.kernel").write_text("const ä: Int = 1;\n", encoding="utf-8")
    ended = subprocess.run(
        [sys.executable, "-c", PROGRAM, "check", "umlaut.kernel"],
        env={"PYTHONIOENCODING": "ascii", "PYTHONPATH": ":".join(sys.path)},
        capture_output=True,
        check=False,
    )
    assert ended.returncode == 1
    assert b"const \\xe4: Int" in ended.stdout


def test_help_loads_nothing_heavy() -> None:
    code = "import sys; from kcheck.cli import main; main(['--help']); print(*sys.modules)"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = ended.stdout.splitlines()[-1].split()
    assert [name for name in HEAVY if name in loaded] == []


def test_version(capsys: Captured) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out.startswith("kcheck")
