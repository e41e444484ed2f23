"""Case files: Markdown whose headings name cases, with a kernel and what is expected of it.

    ## heading
    ```kernel
    … source …
    ```
    ```json
    {"inputs": {}, "params": {}, "domain": [w, h], "memories": {}, "outputs": {}, "tolerance": "exact"}
    ```

A `json` block is a run: `outputs` (and `memories_after`) say what comes out, `error` the code of the run that cannot
be.  `codes` instead are the errors that the checker finds, in the order of the text, and `warnings` its warnings.
A kernel may have any number of `json` blocks; `kernel` picks one where the source holds several.  `tolerance` is
`"exact"` (the default), `{"ulp": n}` or `{"relative": x}`, for all outputs or by output under `tolerances`.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from tests.values import EXACT, Tolerance, numbers

HERE = Path(__file__).parent
_PART = re.compile(r"^(?:#+ (?P<heading>[^\n]+)|```(?P<kind>kernel|json)\n(?P<text>.*?)^```)$", re.M | re.S)
_KEYS = {
    *("kernel", "inputs", "params", "domain", "memories", "outputs", "memories_after", "tolerance", "tolerances"),
    *("codes", "warnings", "error"),
}


@dataclass(frozen=True)
class Case:
    """One expectation about one source."""

    name: str
    source: str
    kernel: str | None = None
    inputs: Mapping[str, Any] = field(default_factory=dict)
    params: Mapping[str, Any] = field(default_factory=dict)
    memories: Mapping[str, Any] = field(default_factory=dict)
    domain: tuple[int, ...] | None = None
    outputs: Mapping[str, Any] | None = None
    memories_after: Mapping[str, Any] | None = None
    tolerance: Tolerance = EXACT
    tolerances: Mapping[str, Tolerance] = field(default_factory=dict)
    codes: tuple[str, ...] | None = None
    warnings: tuple[str, ...] | None = None
    error: str | None = None

    @property
    def runs(self) -> bool:
        return self.codes is None


@cache
def all_cases() -> tuple[Case, ...]:
    """The cases of every file beside this one, in order."""
    return tuple(case for path in sorted(HERE.glob("*.md")) for case in read_cases(path))


def read_cases(path: Path) -> Iterator[Case]:
    for name, source, spec in read_specs(path):
        yield make_case(name, source, spec)


def read_specs(path: Path) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Each `json` block with a name for it and the kernels that it speaks of."""
    heading, source, count, unused = "", None, 0, False
    for part in _PART.finditer(path.read_text("utf-8")):
        if part["heading"]:
            assert not unused, f"{path.name}: {heading} expects nothing"
            heading, source, count = part["heading"], None, 0
        elif part["kind"] == "kernel":
            assert not unused, f"{path.name}: {heading} expects nothing"
            source, unused = part["text"], True
        else:
            assert source is not None, f"{path.name}: {heading} has no kernel"
            count, unused = count + 1, False
            yield f"{path.stem}/{heading}#{count}", source, json.loads(part["text"])
    assert not unused, f"{path.name}: {heading} expects nothing"


def make_case(name: str, source: str, spec: dict[str, Any]) -> Case:
    """The case of one `json` block."""
    assert spec.keys() <= _KEYS, f"{name}: {spec.keys() - _KEYS} mean nothing"
    ends = [key for key in ("outputs", "codes", "error") if key in spec]
    assert len(ends) == 1, f"{name} needs one of outputs, codes, error"
    return Case(
        name,
        source,
        spec.get("kernel"),
        inputs=numbers(spec.get("inputs", {})),
        params=numbers(spec.get("params", {})),
        memories=numbers(spec.get("memories", {})),
        domain=tuple(spec["domain"]) if "domain" in spec else None,
        outputs=spec.get("outputs"),
        memories_after=spec.get("memories_after"),
        tolerance=_tolerance(spec.get("tolerance", "exact")),
        tolerances={port: _tolerance(t) for port, t in spec.get("tolerances", {}).items()},
        codes=tuple(spec["codes"]) if "codes" in spec else None,
        warnings=tuple(spec["warnings"]) if "warnings" in spec else None,
        error=spec.get("error"),
    )


def _tolerance(spec: str | dict[str, float]) -> Tolerance:
    if isinstance(spec, str):
        assert spec == "exact", spec
        return EXACT
    return Tolerance(**spec)
