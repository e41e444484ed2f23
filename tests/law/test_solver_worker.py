"""The solver's process: what it tells, and that nothing it does stops the one who asks."""

from __future__ import annotations

import itertools
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from kcheck.checker import ir
from kcheck.checker.law.problem import Law, Undefined
from kcheck.checker.law.solver import worker as worker_module
from kcheck.checker.law.solver.messages import Defined, GaveUp, Message, NotShownDefined, Proved, Suspect
from kcheck.checker.law.solver.worker import STOPPED, TIMED_OUT, Worker
from tests.law import reductions
from tests.law.reductions import reduction

BOTH = frozenset(Law)


@pytest.fixture
def worker() -> Iterator[Worker]:
    with Worker() as started:
        yield started


def told(worker: Worker, program: ir.Program, seconds: float = 60, laws: frozenset[Law] = BOTH) -> list[Message]:
    return list(worker.decide(program, set(laws), time.monotonic() + seconds))


def test_proofs_come_with_what_they_assume(worker: Worker) -> None:
    messages = told(worker, reductions.clamped_sum())
    assert Defined(()) in messages
    proved = {message.law: message for message in messages if isinstance(message, Proved)}
    assert proved.keys() == BOTH
    assert set(proved[Law.ASSOCIATIVE].assuming) <= {"f >= 0", "f <= 100"}


def test_definedness_comes_with_what_it_assumes(worker: Worker) -> None:
    messages = told(worker, reductions.weighted_mean("abs(v.y) + 1.0"))
    assert Defined(("w >= 1",)) in messages


def test_steps_without_a_value_are_named_with_elements_that_reach_them(worker: Worker) -> None:
    messages = told(worker, reductions.weighted_mean("v.y"))
    [steps] = [message.steps for message in messages if isinstance(message, NotShownDefined)]
    assert {kind for kind, _ in steps} == {Undefined.DIVISION}
    suspects = [message.candidate for message in messages if isinstance(message, Suspect) and message.law is None]
    (_, a), (_, b) = suspects[0].elements
    assert a + b == 0


def test_a_needle_is_found(worker: Worker) -> None:
    wanted = set(Law)
    for message in worker.decide(reductions.needle(), wanted, time.monotonic() + 60):
        if isinstance(message, Suspect):
            assert message.law is not None
            elements = [value for (value,) in message.candidate.elements]
            sums = [(a + b) % 2**32 for a, b in itertools.pairwise(elements)]
            assert 0x12345678 in (*elements, *sums)
            wanted.discard(message.law)
    assert not wanted


def test_what_a_suspect_settles_is_left_alone(worker: Worker) -> None:
    wanted = set(Law)
    suspected: list[Law] = []
    for message in worker.decide(reductions.needle(), wanted, time.monotonic() + 60):
        if isinstance(message, Suspect) and message.law is not None:
            suspected.append(message.law)
            time.sleep(0.05)  # the process waits for what comes of it
            wanted.discard(message.law)
    assert sorted(suspected, key=lambda law: law.value) == [Law.ASSOCIATIVE, Law.COMMUTATIVE]


def test_one_process_serves_many_reductions(worker: Worker) -> None:
    worker.start()
    process = worker._process
    for program in (reductions.clamped_sum(), reductions.two_least(), reductions.clamped_sum()):
        assert any(isinstance(message, Proved) for message in told(worker, program))
    assert worker._process is process


def test_stopping_early_keeps_the_process_or_starts_another(worker: Worker) -> None:
    for message in worker.decide(reductions.welford(), set(Law), time.monotonic() + 60):
        if isinstance(message, Defined):
            break
    assert any(isinstance(message, Proved) for message in told(worker, reductions.clamped_sum()))


def test_without_time_there_is_an_answer_at_once(worker: Worker) -> None:
    worker.start()
    begun = time.monotonic()
    told(worker, reductions.welford(), 0)
    assert time.monotonic() - begun < 5


def test_a_merge_that_cannot_be_turned_into_terms_says_why(worker: Worker) -> None:
    merge = "var f = 0; for i in 0..a.f { f += b.f; } S { f: f }"
    messages = told(worker, reduction("f: Int;", "Int", "S { f: v }", merge))
    assert any(isinstance(m, GaveUp) and m.law is None and m.reason for m in messages)


def _wide() -> ir.Program:
    names = [f"f{i}" for i in range(50)]
    return reduction(
        " ".join(f"{name}: Int;" for name in names),
        "Int",
        f"S {{ {', '.join(f'{name}: v * {i + 1}' for i, name in enumerate(names))} }}",
        f"S {{ {', '.join(f'{name}: max(a.{name}, b.{names[i - 1]}) ^ 1' for i, name in enumerate(names))} }}",
    )


def _long() -> ir.Program:
    merge = "var s = a.f; for i in 0..1000 { s = (s ^ (s << 1)) + b.f * i; } S { f: s }"
    return reduction("f: Int;", "Int", "S { f: v }", merge)


def _many_cases() -> ir.Program:
    cases = " ".join(f"{i} => {{ S {{ t: b.t, x: a.x * {i} + b.x }} }}" for i in range(32))
    return reduction("t: Int; x: Int;", "Int", "S { t: v & 31, x: v }", f"match a.t {{ {cases} _ => {{ a }} }}")


@pytest.mark.parametrize("make", [_wide, _long, _many_cases])
def test_large_merges_take_bounded_time_and_memory(worker: Worker, make: Callable[[], ir.Program]) -> None:
    program = make()
    worker.start()
    assert worker._process is not None
    status = Path(f"/proc/{worker._process._popen.pid}/status")
    begun = time.monotonic()
    for _ in worker.decide(program, set(Law), begun + 3):
        if status.exists():
            [peak] = [line for line in status.read_text().splitlines() if line.startswith("VmHWM")]
            assert int(peak.split()[1]) < 1 << 20  # KiB
    assert time.monotonic() - begun < 3 + 2


# ---------------------------------------------------------------- what may go wrong


@pytest.fixture
def instead_of_z3(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A module that the process takes for z3."""
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path / "z3.py"


def test_z3_is_missing(worker: Worker, instead_of_z3: Path) -> None:
    instead_of_z3.write_text("raise ImportError('no such module')")
    [message] = told(worker, reductions.clamped_sum())
    assert isinstance(message, GaveUp)
    assert "z3" in message.reason


def test_z3_crashes(worker: Worker, instead_of_z3: Path) -> None:
    instead_of_z3.write_text("import os\nos.abort()")
    assert told(worker, reductions.clamped_sum()) == [GaveUp(None, STOPPED)]


def test_z3_does_not_come_back(worker: Worker, instead_of_z3: Path) -> None:
    instead_of_z3.write_text("import time\ntime.sleep(1000)")
    begun = time.monotonic()
    assert told(worker, reductions.clamped_sum(), 0.5) == [GaveUp(None, TIMED_OUT)]
    assert time.monotonic() - begun < 5
    instead_of_z3.unlink()
    assert any(isinstance(message, Proved) for message in told(worker, reductions.clamped_sum()))


@pytest.mark.skipif(sys.platform != "linux", reason="no other system holds a process to its limit")
def test_z3_takes_too_much_memory(worker: Worker, instead_of_z3: Path) -> None:
    instead_of_z3.write_text("kept = bytearray(2 << 30)")
    [message] = told(worker, reductions.clamped_sum())
    assert isinstance(message, GaveUp)
    assert "memory" in message.reason


def test_the_process_is_ended_from_outside(worker: Worker) -> None:
    messages = worker.decide(reductions.welford(), set(Law), time.monotonic() + 60)
    next(messages)
    assert worker._process is not None
    worker._process._popen.kill()
    assert GaveUp(None, STOPPED) in list(messages)
    assert any(isinstance(message, Proved) for message in told(worker, reductions.clamped_sum()))


def test_the_process_cannot_be_started(worker: Worker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_module.sys, "executable", "/nowhere/python")
    [message] = told(worker, reductions.clamped_sum())
    assert isinstance(message, GaveUp)
    assert "cannot be asked" in message.reason


def test_the_process_ends_with_the_one_who_started_it(worker: Worker) -> None:
    worker.start()
    assert worker._process is not None
    popen = worker._process._popen
    worker._process._input.close()
    assert popen.wait(10) == 0


def test_the_process_ends_at_what_it_does_not_understand(worker: Worker) -> None:
    worker.start()
    assert worker._process is not None
    worker._process._input.write(b"\x05\x00\x00\x00hello")
    [message] = told(worker, reductions.clamped_sum())
    assert isinstance(message, GaveUp)
    assert any(isinstance(message, Proved) for message in told(worker, reductions.clamped_sum()))


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
def test_an_interrupt_ends_everything_at_once(tmp_path: Path) -> None:
    script = tmp_path / "ask.py"
    script.write_text(
        "import time\n"
        "from kcheck.checker import check_text\n"
        "from kcheck.checker.law.problem import Law\n"
        "from kcheck.checker.law.solver.worker import Worker\n"
        f"[program] = check_text({HARD!r}).programs.values()\n"
        "with Worker() as worker:\n"
        "    for message in worker.decide(program, set(Law), time.monotonic() + 600):\n"
        "        print('told', worker._process._popen.pid, flush=True)\n"
    )
    asked = subprocess.Popen([sys.executable, script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert asked.stdout is not None
    pid = int(asked.stdout.readline().split()[1])
    begun = time.monotonic()
    asked.send_signal(signal.SIGINT)
    _, errors = asked.communicate(timeout=10)
    assert "KeyboardInterrupt" in errors
    assert time.monotonic() - begun < 3
    assert not Path(f"/proc/{pid}/stat").exists()


HARD = (
    "kernel hard@1 { requires { field.read; field.write; } input xs: Rows<Int>; output result: Rows<Int>;"
    " compute over xs { sample(xs) }"
    " merge(a, b) { popcount(a * b) * popcount(a + b) + popcount(a ^ b) * udiv(a * a + b * b, 77) } }"
)
