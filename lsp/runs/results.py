"""What a run gives to an editor: pictures, plots and numbers about its outputs, small enough to be sent.

Every class has a `to_json` that gives what docs/editor.md describes.  Floats that are not finite, which JSON lacks, are
the texts "NaN", "Infinity" and "-Infinity".
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from kcheck.grammar.diagnostics import Diagnostic
from kcheck.grammar.spans import Origin

Object: TypeAlias = dict[str, Any]

RangeOf: TypeAlias = Callable[[Origin], object]
"""From a place to its range in the protocol's positions."""


def number(value: float) -> float | str:
    """A number as JSON can hold it."""
    if math.isfinite(value):
        return value
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


@dataclass(frozen=True, slots=True)
class Preview:
    """A picture in 8 bits; `data` is a PNG in base64, or `file` the URI of one.

    Colours are encoded as sRGB (`encoding` "srgb"); other numbers are "linear" between `low`, which is 0, and `high`,
    which is 255.  A pixel stands for `step` x `step` elements; `layer` is the one of a volume that is shown.
    """

    mime: str
    data: str
    width: int
    height: int
    channels: int
    low: float
    high: float
    encoding: str
    step: int
    layer: int | None = None
    file: str | None = None

    def to_json(self) -> Object:
        shown: Object = {
            "mime": self.mime,
            **({"data": self.data} if self.file is None else {"file": self.file}),
            "width": self.width,
            "height": self.height,
            "channels": self.channels,
            "low": number(self.low),
            "high": number(self.high),
            "encoding": self.encoding,
            "step": self.step,
        }
        return shown if self.layer is None else shown | {"layer": self.layer}


@dataclass(frozen=True, slots=True)
class Plot:
    """The least and the greatest number of each stretch of rows, NaN where a stretch has none."""

    low: tuple[float, ...]
    high: tuple[float, ...]

    def to_json(self) -> Object:
        return {"low": [*map(number, self.low)], "high": [*map(number, self.high)]}


@dataclass(frozen=True, slots=True)
class Summary:
    """All numbers in one place of the elements (`name`, as `position.x`; "" for scalars) in a few.

    `low`, `high` and `mean` are of what is finite, and NaN where nothing is.  `bins` count it in equal parts of `low`
    to `high`; there are none for a few numbers.  After quick runs there is no more than `count`, `low` and `high`.
    """

    name: str
    count: int
    low: float
    high: float
    mean: float | None = None
    nans: int = 0
    infinite: int = 0
    bins: tuple[int, ...] = ()

    def to_json(self) -> Object:
        shown: Object = {"count": self.count, "min": number(self.low), "max": number(self.high)}
        if self.mean is not None:
            shown |= {"mean": number(self.mean), "nan": self.nans, "infinite": self.infinite}
        if self.bins:
            shown["histogram"] = {"low": self.low, "high": self.high, "counts": list(self.bins)}
        return shown


@dataclass(frozen=True, slots=True)
class Number:
    """One of the numbers that an element consists of: "Float", "Int" or "Bool"; an enum's tag counts its variants."""

    name: str
    type: str
    variants: tuple[str, ...] = ()

    def to_json(self) -> Object:
        shown: Object = {"name": self.name, "type": self.type}
        return shown | {"variants": list(self.variants)} if self.variants else shown


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the elements that is drawn by itself, as the field of a struct or a vector's component in rows."""

    name: str
    type: str
    preview: Preview | None
    plot: Plot | None

    def to_json(self) -> Object:
        return {"name": self.name, "type": self.type, **_drawn(self.preview, self.plot)}


@dataclass(frozen=True, slots=True)
class Change:
    """The difference to another field of the same shape; `changed` counts elements."""

    changed: int
    largest: float
    preview: Preview | None

    def to_json(self) -> Object:
        return {"changed": self.changed, "largest": number(self.largest), **_drawn(self.preview, None)}


@dataclass(frozen=True, slots=True)
class Words:
    """An output for a hover: Markdown, its picture as a data URI ("" for none), and a drawing of it in characters."""

    text: str
    picture: str = ""
    drawing: str = ""


@dataclass(frozen=True, slots=True)
class Output:
    """One output or memory.

    `numbers` are the first ones that an element consists of, in the order of its bytes; quick runs have none.
    `kind` is "output" or "memory"; `view` what suits it best: "picture", "plot", "table", "hex" or "value".
    `values` are all elements as `run --format json` writes them, where these are few; `file` is a .npy that holds them.
    """

    name: str
    kind: str
    type: str
    element: str
    shape: tuple[int, ...]
    view: str
    numbers: tuple[Number, ...] = ()
    summaries: tuple[Summary, ...] = ()
    preview: Preview | None = None
    plot: Plot | None = None
    parts: tuple[Part, ...] = ()
    values: Any = None
    hex: str | None = None
    file: str | None = None
    difference: Change | None = None
    words: Words | None = None
    """There are none after quick runs."""

    def to_json(self) -> Object:
        shown: Object = {
            "name": self.name,
            "kind": self.kind,
            "type": self.type,
            "element": self.element,
            "shape": list(self.shape),
            "view": self.view,
            **_drawn(self.preview, self.plot),
        }
        if self.numbers:
            shown["numbers"] = [one.to_json() for one in self.numbers]
        if self.summaries:
            shown["summary"] = _summary(self.summaries)
        if self.parts:
            shown["parts"] = [part.to_json() for part in self.parts]
        if self.difference is not None:
            shown["difference"] = self.difference.to_json()
        others = {"values": self.values, "hex": self.hex, "file": self.file}
        return shown | {name: value for name, value in others.items() if value is not None}


def _drawn(preview: Preview | None, plot: Plot | None) -> Object:
    shown = {"preview": preview, "plot": plot}
    return {name: one.to_json() for name, one in shown.items() if one is not None}


def _summary(summaries: Sequence[Summary]) -> Object:
    first = summaries[0]
    if not first.name:
        return first.to_json()
    return {"count": first.count, "fields": [{"name": one.name, **one.to_json()} for one in summaries]}


@dataclass(frozen=True, slots=True)
class Expectation:
    """What came of an `expect` of the example; `problem` is None where the output is as expected."""

    output: str
    problem: Diagnostic | None

    def to_json(self, range_of: RangeOf) -> Object:
        if self.problem is None:
            return {"output": self.output, "ok": True}
        place = range_of(self.problem.origin)
        return {"output": self.output, "ok": False, "message": self.problem.message, "range": place}


@dataclass(frozen=True, slots=True)
class Setting:
    """A param as it was set; values are as JSON writes them, None where there is no default or no range."""

    name: str
    type: str
    value: Any
    default: Any
    low: Any
    high: Any

    def to_json(self) -> Object:
        return {
            "name": self.name,
            "type": self.type,
            "value": self.value,
            "default": self.default,
            "low": self.low,
            "high": self.high,
        }


_MOST_PICTURES = 2
"""In one hover."""


@dataclass(frozen=True, slots=True)
class RunResult:
    """What came of a run; with an `error` there are no outputs.

    `backend` is the one that ran, `fallback` says why that is not the one which was asked for.
    """

    kernel: str
    example: str | None
    backend: str
    fallback: str | None = None
    compile_seconds: float = 0.0
    run_seconds: float = 0.0
    outputs: tuple[Output, ...] = ()
    expectations: tuple[Expectation, ...] = ()
    params: tuple[Setting, ...] = ()
    error: Diagnostic | None = None

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """What is wrong: the error, or what the example expected in vain."""
        failed = tuple(one.problem for one in self.expectations if one.problem is not None)
        return failed if self.error is None else (self.error,)

    def markdown(self, *, pictures: bool) -> str:
        """The run for a hover, with pictures where the client shows them, else with drawings in characters."""
        seconds = self.compile_seconds + self.run_seconds
        example = "" if self.example is None else f" · example `{self.example}`"
        lines = [f"**`{self.kernel}`**{example} · {self.backend}, {seconds:.3g} s"]
        if self.fallback:
            lines += ["", f"_{self.fallback}_"]
        for problem in self.diagnostics:
            lines += ["", f"✗ {problem.code}: {problem.message}"]
        shown = 0
        for output in self.outputs:
            if output.words is not None:
                lines += ["", output.words.text]
                if pictures and output.words.picture and shown < _MOST_PICTURES:
                    lines += ["", f"![{output.name}]({output.words.picture})"]
                    shown += 1
                elif not pictures and output.words.drawing:
                    lines += ["", "```text", output.words.drawing, "```"]
        return "\n".join(lines)

    def to_json(self, range_of: RangeOf) -> Object:
        shown: Object = {
            "kernel": self.kernel,
            "example": self.example,
            "backend": self.backend,
            "fallback": self.fallback,
            "seconds": {"compile": self.compile_seconds, "run": self.run_seconds},
            "outputs": [output.to_json() for output in self.outputs],
            "expectations": [expectation.to_json(range_of) for expectation in self.expectations],
            "params": [setting.to_json() for setting in self.params],
        }
        return shown if self.error is None else shown | {"error": error_object(self.error, range_of)}


@dataclass(frozen=True, slots=True)
class FirstDifference:
    """The first element in which two backends differ: its place in NumPy's order, the part of it, both values."""

    output: str
    place: tuple[int, ...]
    part: str
    values: tuple[str, str]


@dataclass(frozen=True, slots=True)
class Comparison:
    """What came of a run on two backends; with an `error` there is no more.

    `fallbacks` say, for each of the backends, why another one ran in its place.  `outputs` are as the first backend
    gave them, with the difference for those that differ.
    """

    kernel: str
    backends: tuple[str, str]
    seconds: tuple[float, float] = (0.0, 0.0)
    fallbacks: tuple[str | None, str | None] = (None, None)
    first: FirstDifference | None = None
    outputs: tuple[Output, ...] = ()
    error: Diagnostic | None = None

    @property
    def same(self) -> bool:
        return self.error is None and self.first is None

    @property
    def message(self) -> str:
        """The outcome in a sentence."""
        ours, theirs = self.backends
        if self.error is not None:
            return self.error.message
        if self.first is None:
            return f"{ours} and {theirs} give the same bits"
        place = self.first.output + "".join(f"[{step}]" for step in self.first.place)
        part = f".{self.first.part}" if self.first.part and self.first.part[0] != "[" else self.first.part
        return f"`{place}{part}` is {self.first.values[0]} on {ours} and {self.first.values[1]} on {theirs}"

    def to_json(self, range_of: RangeOf) -> Object:
        shown: Object = {
            "kernel": self.kernel,
            "backends": list(self.backends),
            "same": self.same,
            "seconds": dict(zip(self.backends, self.seconds, strict=True)),
            "fallbacks": dict(zip(self.backends, self.fallbacks, strict=True)),
            "message": self.message,
            "outputs": [output.to_json() for output in self.outputs],
        }
        if self.first is not None:
            place = {"output": self.first.output, "place": list(self.first.place), "field": self.first.part}
            shown["first"] = place | {"values": dict(zip(self.backends, self.first.values, strict=True))}
        return shown if self.error is None else shown | {"error": error_object(self.error, range_of)}


def error_object(error: Diagnostic, range_of: RangeOf) -> Object:
    notes = [note.message for note in error.notes]
    return {"code": error.code, "message": error.message, "notes": notes, "range": range_of(error.origin)}
