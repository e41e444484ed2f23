"""The kernels that the project started from, read from beside the repository: they check and run as they stand."""

from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.backends import BACKENDS
from tests.support import program_of, run
from tests.values import EXACT, Tolerance, differences

FOLDER = Path(__file__).resolve().parents[3] / "shared" / "seed" / "kernels"
pytestmark = pytest.mark.skipif(not FOLDER.is_dir(), reason=f"the seed kernels are not at {FOLDER}")

LINE = [[float(i), float(i * i % 7)] for i in range(65)]
HIT, MISS = [0.8, 0.3, 0.2, 1.0], [0.4, 0.6, 0.9, 1.0]


def paired() -> list[list[float]]:
    """Sums on even lanes, differences on odd ones; lane 64 is alone in its group."""
    found = []
    for i, x in enumerate(LINE):
        pair = LINE[i ^ 1] if i < 64 else x
        found.append([p + q if i % 2 == 0 else q - p for p, q in zip(x, pair, strict=True)])
    return found


RUNS: dict[str, tuple[dict[str, Any], dict[str, Any], dict[str, Any], Tolerance]] = {
    "offsets": ({"flags": [0, 5, -1, 0, 0, 2]}, {}, {"result": [0, 1, 2, 2, 2, 3]}, EXACT),
    "lowpass": (
        {"samples": [1, 1, 1, -1]},
        {"k": 0.5},
        {"result": [0.5, 0.75, 0.875, -0.0625]},
        EXACT,
    ),
    "luma": (
        {"source": [[[1, 0, 0, 0], [0, 1, 0, 1]], [[0, 0, 1, 1], [1, 1, 1, 0.5]]]},
        {},
        {"result": [{"sum": 2.0, "max": 1.0, "count": 4}]},
        Tolerance(relative=1e-6),
    ),
    "fft_row": ({"line": LINE}, {}, {"result": paired()}, EXACT),
    "splat": (
        {
            "particles": [
                {"position": [0.5, 0.5], "speed": [3, 4]},
                {"position": [0.75, 0.5], "speed": [0, 0]},
                {"position": [1.0, 0.5], "speed": [1, 0]},
                {"position": [-0.1, 0], "speed": [1, 0]},
                {"position": ["NaN", 0], "speed": [1, 0]},
            ],
            "canvas": [[[1, 1, 1], [0, 0, 0]], [[0, 0, 0], [0, 0, 2]]],
        },
        {},
        {"result": [[[1, 1, 1], [0, 0, 0]], [[0, 0, 0], [5, 1, 4]]]},
        EXACT,
    ),
}


@cache
def text(name: str) -> str:
    return (FOLDER / f"{name}.kernel").read_text("utf-8")


@pytest.mark.parametrize("name", ["fft_row", "lowpass", "luma", "offsets", "shade", "splat", "step"])
def test_is_accepted(name: str) -> None:
    assert program_of(text(name)).name


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", RUNS)
def test_runs(name: str, backend: str) -> None:
    inputs, params, wanted, tolerance = RUNS[name]
    floats = {port: _numbers(value) for port, value in inputs.items()}
    result = run(program_of(text(name)), floats, params, backend=backend)
    assert not list(differences(dict(result.outputs), wanted, tolerance))


@pytest.mark.parametrize("backend", BACKENDS)
def test_steps_write_memory_in_order(backend: str) -> None:
    ram = [3, 1, 4] + [0] * 98
    result = run(program_of(text("step")), {"ticks": [0] * 4}, memories={"ram": ram}, backend=backend)
    assert result.outputs["result"] == [1, 2, 3, 4]
    # Step 0 writes 6 at 100; step 1 would write at 101, which is outside.
    assert result.memories["ram"] == [3, 1, 4, *[0] * 97, 6]


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_sphere_is_hit_in_the_middle(backend: str) -> None:
    result = run(program_of(text("shade")), {}, domain=(5, 5), backend=backend)
    assert not list(differences(result.outputs["albedo"][2][2], HIT))
    assert not list(differences(result.outputs["normal"][2][2], [0.0, 0.0, -1.0], Tolerance(ulp=2)))
    assert not list(differences(result.outputs["depth"][2][2], 2.0, Tolerance(ulp=2)))
    for x, y in ((0, 0), (4, 0), (0, 4), (4, 4)):
        assert not list(differences(result.outputs["albedo"][y][x], MISS))
        assert result.outputs["normal"][y][x] == [0.0, 0.0, 0.0]
        assert result.outputs["depth"][y][x] == 100.0


def _numbers(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _numbers(v) for key, v in value.items()}
    if isinstance(value, list):
        return [_numbers(v) for v in value]
    return float("nan") if value == "NaN" else value
