"""Runs in a process of their own: cancelled, out of time or memory, killed, left alone."""

import asyncio
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from kcheck.lsp.runs import Limits, Runner, RunRequest, RunResult, Superseded
from kcheck.lsp.runs import runner as runner_module
from tests.lsp.runs.programs import request

Scenario = Callable[[Runner], Awaitable[None]]

CANCEL_SECONDS = 0.1
"""In which nobody waits for a cancelled run any more."""

IF_SIGNALS = pytest.mark.skipif(sys.platform == "win32", reason="there are no such signals")


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def with_runner(scenario: Scenario, limits: Limits | None = None) -> None:
    async def whole() -> None:
        runner = Runner(limits or Limits())
        try:
            await scenario(runner)
        finally:
            await runner.close()

    asyncio.run(whole())


def endless(folder: Path, backend: str = "jit") -> RunRequest:
    return request(folder, "long", texts={"x": "zeros(1000000)"}, backend=backend)


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


async def works(runner: Runner, folder: Path) -> None:
    result = await runner.run(request(folder, "scale", "right"))
    assert (result.diagnostics, result.outputs[0].values) == ((), [0.5, 1.0, 2.0])


def test_runs_follow_each_other_in_one_process(tmp_path: Path, temporary: Path) -> None:
    async def scenario(runner: Runner) -> None:
        assert runner.pid is None
        await asyncio.gather(*(works(runner, tmp_path) for _ in range(3)))
        first = runner.pid
        await works(runner, tmp_path)
        assert first is not None
        assert runner.pid == first
        [folder] = temporary.iterdir()
        await runner.close()
        assert not folder.exists()
        assert not is_running(first)

    with_runner(scenario)


@pytest.mark.parametrize("backend", ["jit", "interpreter"])
def test_cancelled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, backend: str) -> None:
    monkeypatch.setattr(runner_module, "_GRACE", 20.0)

    async def scenario(runner: Runner) -> None:
        await works(runner, tmp_path)
        before = runner.pid
        await cancelled(runner.run(endless(tmp_path, backend)))
        await works(runner, tmp_path)
        assert runner.pid == before  # nothing had to be started anew

    with_runner(scenario)


@IF_SIGNALS
def test_cancelled_where_nobody_listens(tmp_path: Path) -> None:
    async def scenario(runner: Runner) -> None:
        await works(runner, tmp_path)
        before = runner.pid
        assert before is not None
        os.kill(before, signal.SIGSTOP)
        await cancelled(runner.run(request(tmp_path, "scale", "right")))
        await works(runner, tmp_path)
        assert not is_running(before)

    with_runner(scenario)


async def cancelled(run: Coroutine[object, object, RunResult]) -> None:
    """Cancel a run in the middle."""
    task = asyncio.create_task(run)
    await asyncio.sleep(0.3)
    task.cancel()
    start = time.monotonic()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert time.monotonic() - start < CANCEL_SECONDS


def test_cancelled_while_it_waits(tmp_path: Path) -> None:
    async def scenario(runner: Runner) -> None:
        running = asyncio.create_task(runner.run(endless(tmp_path)))
        waiting = asyncio.create_task(runner.run(request(tmp_path, "scale", "right")))
        await asyncio.sleep(0.1)
        waiting.cancel()
        running.cancel()
        for task in (waiting, running):
            with pytest.raises(asyncio.CancelledError):
                await task
        await works(runner, tmp_path)

    with_runner(scenario)


def test_out_of_time(tmp_path: Path) -> None:
    async def scenario(runner: Runner) -> None:
        result = await runner.run(endless(tmp_path))
        assert result.error is not None
        assert result.error.code == "K719"
        assert result.error.message == "test.long@1 was ended: it ran for longer than 3 s"
        await works(runner, tmp_path)

    with_runner(scenario, Limits(seconds=3))


@pytest.mark.skipif(sys.platform != "linux", reason="there alone a process can be held to its memory")
def test_out_of_memory(tmp_path: Path) -> None:
    async def scenario(runner: Runner) -> None:
        result = await runner.run(request(tmp_path, "colour", domain=(8000, 8000)))  # a GB
        assert result.error is not None
        assert result.error.code == "K713"
        assert "runs in the editor have 900 MiB" in result.error.notes[-1].message
        await works(runner, tmp_path)

    with_runner(scenario, Limits(memory=900))


@IF_SIGNALS
def test_killed(tmp_path: Path) -> None:
    async def scenario(runner: Runner) -> None:
        await works(runner, tmp_path)
        task = asyncio.create_task(runner.run(endless(tmp_path)))
        await asyncio.sleep(0.2)
        assert runner.pid is not None
        os.kill(runner.pid, signal.SIGKILL)
        result = await task
        assert result.error is not None
        assert (result.error.code, "(signal 9)" in result.error.message) == ("K719", True)
        await works(runner, tmp_path)

    with_runner(scenario)


@IF_SIGNALS
def test_killed_between_runs(tmp_path: Path) -> None:
    async def scenario(runner: Runner) -> None:
        await works(runner, tmp_path)
        assert runner.pid is not None
        os.kill(runner.pid, signal.SIGTERM)
        while runner.pid is not None:
            await asyncio.sleep(0.01)
        await works(runner, tmp_path)

    with_runner(scenario)


def test_closed_during_a_run(tmp_path: Path) -> None:
    async def scenario(runner: Runner) -> None:
        tasks = [asyncio.create_task(runner.run(endless(tmp_path))) for _ in range(2)]
        await asyncio.sleep(0.2)
        await runner.close()
        for result in await asyncio.gather(*tasks):
            assert result.error is not None
            assert result.error.code == "K719"
        assert runner.pid is None

    with_runner(scenario)


def test_the_latest_quick_run_wins(tmp_path: Path) -> None:
    async def scenario(runner: Runner) -> None:
        wanted = request(tmp_path, "scale", texts={"x": "[1]"}, quick=True)
        asked = [runner.run(replace(wanted, params={"k": k})) for k in range(4)]
        found = await asyncio.gather(*asked, return_exceptions=True)
        first, *passed_over, last = found  # the first one had begun already
        assert [type(one) for one in passed_over] == [Superseded] * 2
        assert isinstance(first, RunResult)
        assert isinstance(last, RunResult)
        assert (first.outputs[0].values, last.outputs[0].values) == ([0.0], [3.0])

    with_runner(scenario)


def test_progress(tmp_path: Path) -> None:
    async def scenario(runner: Runner) -> None:
        told: list[float] = []
        wanted = request(tmp_path, "rounds", domain=(1000, 1000), backend="interpreter")
        assert (await runner.run(wanted, told.append)).error is None
        assert told == sorted(told)
        assert told
        assert 0.0 <= told[0] <= told[-1] <= 1.0

    with_runner(scenario)


def test_two_backends(tmp_path: Path) -> None:
    async def scenario(runner: Runner) -> None:
        found = await runner.compare(request(tmp_path, "scale", "right"), ("interpreter", "interpreter"))
        assert found.same

    with_runner(scenario)


def test_a_large_picture(tmp_path: Path) -> None:
    """The whole array lies in a file; what is sent stays small."""

    async def scenario(runner: Runner) -> None:
        result = await runner.run(request(tmp_path, "colour", domain=(4096, 4096)))
        assert result.error is None
        [output] = result.outputs
        assert output.preview is not None
        assert output.preview.width == 1024
        assert output.file is not None
        array = np.load(output.file.removeprefix("file://"), mmap_mode="r")
        assert array.shape == (4096, 4096, 4)
        assert array[0, 4095, 0] == np.float32(4095.5 / 4096)

    with_runner(scenario)


@IF_SIGNALS
def test_no_process_outlives_its_server(tmp_path: Path) -> None:
    server = f"""
import asyncio
from pathlib import Path
from tests.lsp.runs.programs import request
from kcheck.lsp.runs import runner as runner_module
from kcheck.lsp.runs import Limits, Runner

async def main():
    runner = Runner(Limits())
    await runner.run(request(Path({str(tmp_path)!r}), "scale", "right"))
    print(runner.pid, flush=True)
    await runner.run(request(Path({str(tmp_path)!r}), "long", texts={{"x": "zeros(1000000)"}}))

asyncio.run(main())
"""
    process = subprocess.Popen([sys.executable, "-c", server], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    with process.stdout as output:
        child = int(output.readline())
        time.sleep(0.3)
        process.kill()
        process.wait()
        deadline = time.monotonic() + 10
        while is_running(child) and time.monotonic() < deadline:
            time.sleep(0.02)
        assert not is_running(child)
