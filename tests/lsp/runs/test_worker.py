"""What the process that runs kernels makes of a run; here without the process."""

import base64
import io
import json
import math
import pickle
from collections.abc import Callable
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import urlparse
from urllib.request import url2pathname

import numpy as np
import numpy.typing as npt
import pytest
from PIL import Image

from kcheck.lsp.runs import Comparison, RunRequest, RunResult
from kcheck.lsp.runs.messages import Run, Setup
from kcheck.lsp.runs.results import Output, Preview
from kcheck.lsp.runs.worker import Worker
from kcheck.runtime import backends
from kcheck.runtime.backend import Cancelled, Interrupted, Launch, Outcome, Progress, never, silent
from kcheck.runtime.fields import field_of
from kcheck.runtime.interpreter import Interpreter
from tests.lsp.runs.programs import request

Ask = Callable[[RunRequest], RunResult]


@pytest.fixture
def worker(tmp_path: Path) -> Worker:
    arrays = tmp_path / "arrays"
    arrays.mkdir()
    return Worker(Setup(memory=2048, folder=arrays))


@pytest.fixture
def ask(worker: Worker) -> Ask:
    numbers = count()

    def asked(wanted: RunRequest) -> RunResult:
        result = worker.run(Run(next(numbers), pickle.dumps(wanted.program), wanted.task), silent)
        assert isinstance(result, RunResult)
        json.dumps(result.to_json(lambda _: None), allow_nan=False)
        return result

    return asked


def only(result: RunResult) -> Output:
    assert result.error is None, result.error
    [output] = result.outputs
    return output


def drawn(preview: Preview | None) -> Image.Image:
    assert preview is not None
    assert preview.mime == "image/png"
    picture = Image.open(io.BytesIO(base64.b64decode(preview.data)))
    assert picture.size == (preview.width, preview.height)
    return picture


def saved(output: Output) -> npt.NDArray[Any]:
    assert output.file is not None
    array: npt.NDArray[Any] = np.load(url2pathname(urlparse(output.file).path))
    return array


# ---------------------------------------------------------------- what is run


def test_an_example_that_comes_out(ask: Ask, tmp_path: Path) -> None:
    result = ask(request(tmp_path, "scale", "right"))
    output = only(result)
    assert (result.kernel, result.example, result.diagnostics) == ("test.scale@1", "right", ())
    assert (output.name, output.kind, output.type, output.shape) == ("result", "output", "Rows<Float>", (3,))
    assert (output.view, output.values) == ("table", [0.5, 1.0, 2.0])
    assert saved(output).tolist() == [0.5, 1.0, 2.0]
    assert [one.to_json(lambda _: None) for one in result.expectations] == [{"output": "result", "ok": True}]


def test_an_example_that_does_not(ask: Ask, tmp_path: Path) -> None:
    result = ask(request(tmp_path, "scale", "wrong"))
    [problem] = result.diagnostics
    assert problem.code == "K716"
    assert "`result[1]` is 1.0, expected 2.0" in problem.message
    [shown] = [one.to_json(lambda origin: origin.path) for one in result.expectations]
    assert (shown["ok"], shown["range"]) == (False, problem.origin.path)
    assert only(result).values == [0.5, 1.0, 2.0]


def test_a_missing_file(ask: Ask, tmp_path: Path) -> None:
    result = ask(request(tmp_path, "scale", "lost"))
    assert result.error is not None
    assert (result.error.code, result.outputs) == ("K709", ())
    assert "in the example `lost`" in [note.message for note in result.error.notes]


def test_files_are_relative_to_the_source(ask: Ask, tmp_path: Path) -> None:
    np.save(tmp_path / "none.npy", np.array([8.0]))
    assert only(ask(request(tmp_path, "scale", "lost"))).values == [4.0]


def test_texts_and_params(ask: Ask, tmp_path: Path) -> None:
    result = ask(request(tmp_path, "scale", texts={"x": "range(3)"}, params={"k": 2}))
    assert only(result).values == [0.0, 2.0, 4.0]
    [setting] = result.params
    assert setting.to_json() == {
        "name": "k",
        "type": "Float",
        "value": 2.0,
        "default": 0.5,
        "low": 0.0,
        "high": 4.0,
    }


@pytest.mark.parametrize("quick", [False, True])
def test_outputs_and_params_have_the_order_of_the_source(ask: Ask, tmp_path: Path, quick: bool) -> None:
    result = ask(request(tmp_path, "order", domain=(3,), params={"step": 2, "from": 1}, quick=quick))
    assert [(output.name, output.values) for output in result.outputs] == [("twice", [2, 6, 10]), ("once", [1, 3, 5])]
    assert [setting.name for setting in result.params] == ([] if quick else ["step", "from"])


def test_params_stand_in_for_those_of_an_example(ask: Ask, tmp_path: Path) -> None:
    result = ask(request(tmp_path, "scale", "wrong", params={"k": 1}))
    assert only(result).values == [1.0, 2.0, 4.0]
    assert result.expectations == ()  # it expects nothing of other values


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({}, "K702"),
        ({"texts": {"x": "[1", "k": "1"}}, "K703"),
        ({"texts": {"x": "[true]"}}, "K703"),
        ({"texts": {"x": "[1]", "y": "[1]"}}, "K701"),
        ({"texts": {"x": "[1]"}, "params": {"k": 5}}, "K705"),
        ({"texts": {"x": "[1]"}, "domain": (2,)}, "K704"),
        ({"texts": {"x": "[1]"}, "backend": "abacus"}, "K711"),
        ({"texts": {"x": "zeros(99999999999)"}}, "K713"),
    ],
)
def test_refusals(ask: Ask, tmp_path: Path, options: dict[str, object], code: str) -> None:
    result = ask(request(tmp_path, "scale", **options))
    assert [found.code for found in result.diagnostics] == [code]


def test_what_nobody_thought_of_is_told(ask: Ask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("by nought")

    monkeypatch.setattr(Interpreter, "run", broken)
    result = ask(request(tmp_path, "scale", "right", backend="interpreter"))
    assert result.error is not None
    assert (result.error.code, "ZeroDivisionError: by nought" in result.error.message) == ("K719", True)


def test_cancelled_before_it_begins(worker: Worker, tmp_path: Path) -> None:
    wanted = request(tmp_path, "long", texts={"x": "zeros(100)"})
    worker.cancel(7)
    with pytest.raises(Interrupted):
        worker.run(Run(7, pickle.dumps(wanted.program), wanted.task), silent)


# ---------------------------------------------------------------- what is shown


def test_a_picture_of_numbers(ask: Ask, tmp_path: Path) -> None:
    output = only(ask(request(tmp_path, "ramp", domain=(40, 30))))
    expected = np.arange(40) + 10.0 * np.arange(30)[:, None]
    assert output.view == "picture"
    assert np.array_equal(np.asarray(drawn(output.preview)), np.floor(expected / 329 * 255 + 0.5))
    assert output.preview is not None
    assert (output.preview.low, output.preview.high, output.preview.encoding) == (0.0, 329.0, "linear")
    [summary] = output.summaries
    assert (summary.count, summary.low, summary.high, summary.mean) == (1200, 0.0, 329.0, 164.5)
    assert summary.bins == tuple(np.histogram(expected, 64)[0].tolist())
    assert np.array_equal(saved(output), expected)


def test_a_picture_in_colour(ask: Ask, tmp_path: Path) -> None:
    output = only(ask(request(tmp_path, "colour", domain=(64, 64), params={"k": 0.2158605})))
    picture = drawn(output.preview)
    assert picture.mode == "RGB"
    at_the_corner = 255 * (1.055 * (0.5 / 64) ** (1 / 2.4) - 0.055)  # IEC 61966-2-1
    assert picture.getpixel((0, 0)) == (round(at_the_corner), round(at_the_corner), 128)
    assert len(output.summaries) == 4


def test_large_pictures_are_made_smaller(ask: Ask, tmp_path: Path) -> None:
    output = only(ask(request(tmp_path, "ramp", domain=(3000, 2))))
    assert output.preview is not None
    assert (output.preview.width, output.preview.height, output.preview.step) == (1000, 1, 3)
    assert output.values is None


def test_the_middle_of_a_volume(ask: Ask, tmp_path: Path) -> None:
    output = only(ask(request(tmp_path, "volume", domain=(4, 5, 6))))
    assert (output.shape, output.view) == ((6, 5, 4), "picture")
    assert output.preview is not None
    assert output.preview.layer == 3
    assert (output.preview.low, output.preview.high) == (60.0, 79.0)


def test_a_plot(ask: Ask, tmp_path: Path) -> None:
    output = only(ask(request(tmp_path, "scale", texts={"x": "range(10000)"}, params={"k": 1})))
    assert output.view == "plot"
    assert output.plot is not None
    assert (len(output.plot.low), output.plot.low[0], output.plot.high[-1]) == (2048, 0.0, 9999.0)
    assert (output.values, saved(output)[-1]) == (None, 9999.0)


def test_structs_part_by_part(ask: Ask, tmp_path: Path) -> None:
    output = only(ask(request(tmp_path, "bodies", domain=(3,))))
    assert output.values[2] == {"mass": 2, "place": [2.0, 0.5]}
    assert [(part.name, part.type) for part in output.parts] == [
        ("mass", "Int"),
        ("place.x", "Float"),
        ("place.y", "Float"),
    ]
    assert output.parts[0].plot is not None
    assert output.parts[0].plot.high == (0.0, 1.0, 2.0)
    summary = output.to_json()["summary"]
    assert [one["name"] for one in summary["fields"]] == ["mass", "place.x", "place.y"]


def test_memory_in_hex(ask: Ask, tmp_path: Path) -> None:
    result = ask(request(tmp_path, "count", texts={"x": "[2, 17, 40]", "ram": "zeros(18)"}))
    output, memory = result.outputs
    assert (output.kind, output.values) == ("output", [1, 2, 3])
    assert (memory.kind, memory.view) == ("memory", "hex")
    assert memory.hex == "00000000  " + "00 " * 15 + "00\n00000010  00 01"


def test_large_words_in_hex(ask: Ask, tmp_path: Path) -> None:
    result = ask(request(tmp_path, "count", texts={"x": "[9]", "ram": "[-1, 256]"}))
    assert result.outputs[1].hex == "00000000  ffffffff 00000100"


def test_numbers_that_json_lacks(ask: Ask, tmp_path: Path) -> None:
    output = only(ask(request(tmp_path, "scale", texts={"x": "[NaN, Infinity, 1]"})))
    assert output.values == ["NaN", "Infinity", 0.5]
    summary = output.to_json()["summary"]
    assert (summary["min"], summary["max"], summary["nan"], summary["infinite"]) == (0.5, 0.5, 1, 1)
    assert output.to_json()["plot"]["high"] == ["NaN", "Infinity", 0.5]


def test_nothing(ask: Ask, tmp_path: Path) -> None:
    output = only(ask(request(tmp_path, "scale", texts={"x": "[]"})))
    assert (output.shape, output.values, output.plot, output.preview) == ((0,), [], None, None)
    assert math.isnan(output.summaries[0].low)


# ---------------------------------------------------------------- from run to run


def test_the_difference_to_the_run_before(ask: Ask, tmp_path: Path) -> None:
    wanted = request(tmp_path, "ramp", domain=(20, 10))
    assert only(ask(wanted)).difference is None
    difference = only(ask(replace(wanted, params={"k": 2}))).difference
    assert difference is not None
    assert (difference.changed, difference.largest) == (180, 90.0)
    assert drawn(difference.preview).getpixel((0, 9)) == 255
    assert only(ask(replace(wanted, params={"k": 2}))).to_json()["difference"] == {"changed": 0, "largest": 0.0}


def test_no_difference_to_another_shape(ask: Ask, tmp_path: Path) -> None:
    wanted = request(tmp_path, "ramp", domain=(20, 10))
    ask(wanted)
    assert only(ask(replace(wanted, domain=(10, 20)))).difference is None


def test_arrays_of_the_run_before_are_removed(ask: Ask, tmp_path: Path) -> None:
    for kernel in ("ramp", "colour", "ramp"):
        ask(request(tmp_path, kernel, domain=(4, 4)))
    assert sorted(path.name for path in (tmp_path / "arrays").iterdir()) == ["1-result.npy", "2-result.npy"]


def test_arrays_of_a_process_that_ended_are_removed(ask: Ask, tmp_path: Path) -> None:
    ask(request(tmp_path, "ramp", domain=(4, 4)))
    Worker(Setup(memory=2048, folder=tmp_path / "arrays"))
    assert list((tmp_path / "arrays").iterdir()) == []


def test_results_that_take_too_much_memory_are_not_kept(tmp_path: Path) -> None:
    arrays = tmp_path / "arrays"
    arrays.mkdir()
    small = Worker(Setup(memory=1, folder=arrays))
    wanted = request(tmp_path, "ramp", domain=(300, 300))
    for number in range(2):
        result = small.run(Run(number, pickle.dumps(wanted.program), wanted.task), silent)
        assert isinstance(result, RunResult)
        assert only(result).difference is None


def test_a_quick_run_keeps_the_inputs(ask: Ask, tmp_path: Path) -> None:
    np.save(tmp_path / "none.npy", np.array([8.0]))
    wanted = request(tmp_path, "scale", "lost")
    ask(wanted)
    np.save(tmp_path / "none.npy", np.array([16.0]))
    result = ask(replace(wanted, params={"k": 1}, quick=True))
    quick = only(result)
    assert result.params == ()
    assert (quick.values, quick.file, quick.words, quick.difference) == ([8.0], None, None, None)
    assert only(ask(wanted)).values == [8.0]


def test_a_quick_run_with_other_inputs(ask: Ask, tmp_path: Path) -> None:
    wanted = request(tmp_path, "scale", texts={"x": "[1]"}, quick=True)
    assert only(ask(wanted)).values == [0.5]
    assert only(ask(replace(wanted, texts={"x": "[3]"}))).values == [1.5]


def test_a_quick_picture(ask: Ask, tmp_path: Path) -> None:
    output = only(ask(request(tmp_path, "colour", domain=(1024, 512), quick=True)))
    assert drawn(output.preview).size == (512, 256)
    assert (output.summaries, output.values, output.file) == ((), None, None)


def test_quick_pictures_as_files(ask: Ask, tmp_path: Path) -> None:
    wanted = request(tmp_path, "colour", domain=(64, 32), quick=True)
    within = drawn(only(ask(wanted)).preview)
    files = []
    for _ in range(20):
        shown = only(ask(replace(wanted, picture_files=True))).preview
        assert shown is not None
        assert shown.file is not None
        assert "data" not in shown.to_json()
        files.append(Path(url2pathname(urlparse(shown.file).path)))
        with Image.open(files[-1]) as picture:
            assert np.array_equal(np.asarray(picture), np.asarray(within))
    assert len(set(files)) == 20
    assert [file for file in files if file.exists()] == files[-8:]


def test_a_quick_picture_that_cannot_be_written_is_sent(ask: Ask, tmp_path: Path) -> None:
    wanted = request(tmp_path, "colour", domain=(64, 32), quick=True, picture_files=True)
    first = only(ask(wanted)).preview
    assert first is not None
    assert first.file is not None
    (tmp_path / "arrays").rename(tmp_path / "elsewhere")
    then = only(ask(wanted)).preview
    assert then is not None
    assert then.file is None
    assert drawn(then).size == (64, 32)


# ---------------------------------------------------------------- hovers


def test_markdown_of_few_numbers(ask: Ask, tmp_path: Path) -> None:
    text = ask(request(tmp_path, "scale", "wrong")).markdown(pictures=True)
    assert text.startswith("**`test.scale@1`** · example `wrong` · ")
    assert "✗ K716: expected `result` (Rows<Float>): `result[1]` is 1.0, expected 2.0" in text
    assert "```text\nresult: Rows<Float>, 3 elements\n  [0.5, 1.0, 2.0]\n```" in text


def test_markdown_with_a_picture(ask: Ask, tmp_path: Path) -> None:
    result = ask(request(tmp_path, "colour", domain=(1000, 700)))
    text = result.markdown(pictures=True)
    assert len(text) < 100_000
    assert "| x | 0.0005 | 0.9995 | 0.5 | `████████████████` |  |" in text
    data = text[text.index("base64,") + 7 : text.rindex(")")]
    assert max(Image.open(io.BytesIO(base64.b64decode(data))).size) <= 256
    drawing = result.markdown(pictures=False)
    assert "base64" not in drawing
    assert len(drawing.splitlines()) > 20


def test_markdown_of_rows(ask: Ask, tmp_path: Path) -> None:
    text = ask(request(tmp_path, "scale", texts={"x": "range(1000)"})).markdown(pictures=True)
    assert "`▁" in text
    assert "█`" in text


# ---------------------------------------------------------------- two backends


class Odd:
    """The interpreter with a mistake: one more in the second element."""

    name = "odd"

    def run(self, launch: Launch, cancelled: Cancelled = never, progress: Progress = silent) -> Outcome:
        outcome = Interpreter().run(launch, cancelled, progress)
        field = outcome.outputs["result"]
        data = field.data.copy()
        data[1] += 1
        return replace(outcome, outputs={"result": field_of(field.type, data)})


def compared(worker: Worker, wanted: RunRequest, one: str, other: str) -> Comparison:
    result = worker.run(Run(0, pickle.dumps(wanted.program), wanted.task, (one, other)), silent)
    assert isinstance(result, Comparison)
    json.dumps(result.to_json(lambda _: None), allow_nan=False)
    return result


def test_backends_that_agree(worker: Worker, tmp_path: Path) -> None:
    found = compared(worker, request(tmp_path, "scale", texts={"x": "[NaN, 1, 3]"}), "interpreter", "auto")
    assert (found.same, found.first, found.error) == (True, None, None)
    [output] = found.outputs
    assert (output.values, output.difference) == (["NaN", 0.5, 1.5], None)


def test_backends_that_differ(worker: Worker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(backends.BACKENDS, "odd", Odd)
    found = compared(worker, request(tmp_path, "scale", "right"), "interpreter", "odd")
    assert not found.same
    assert found.to_json(lambda _: None)["first"] == {
        "output": "result",
        "place": [1],
        "field": "",
        "values": {"interpreter": "1.0", "odd": "2.0"},
    }
    assert found.message == "`result[1]` is 1.0 on interpreter and 2.0 on odd"
    [output] = found.outputs
    assert output.difference is not None
    assert (output.difference.changed, output.difference.largest) == (1, 1.0)


def test_a_backend_that_is_not_there(worker: Worker, tmp_path: Path) -> None:
    found = compared(worker, request(tmp_path, "scale", "right"), "interpreter", "abacus")
    assert found.error is not None
    assert found.error.code == "K711"
    assert not found.same
    assert "on the backend `abacus`" in [note.message for note in found.error.notes]
