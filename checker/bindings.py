"""Values that bind a port or param, before they meet its type: from an `example` or from the command line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from kcheck.grammar.spans import Origin


@dataclass(frozen=True, slots=True)
class FileValue:
    """The contents of a file; `path` as written, with its `:key` or `:column`, relative to the source file."""

    path: str


@dataclass(frozen=True, slots=True)
class Generated:
    """`zeros(size)`, `range(n)` or `random(size, seed=s)`; `size` is x first: (n), (w, h) or (w, h, d)."""

    kind: str
    size: tuple[int, ...]
    seed: int = 0


BoundValue: TypeAlias = "bool | int | float | str | list[BoundValue] | dict[str, BoundValue] | FileValue | Generated"
"""Literals nest as in JSON: structs are dicts, vectors and arrays lists, matrices lists of columns, an enum its
variant's name or `{variant: {field: value}}`."""


@dataclass(frozen=True, slots=True)
class ExampleSpec:
    """An `example` member of a kernel, checked: what it binds (inputs, memories and params by name) and expects."""

    name: str
    kernel: str
    values: Mapping[str, BoundValue]
    domain: tuple[int, ...] | None
    expected: Mapping[str, BoundValue]
    origin: Origin = field(compare=False)
    expected_origins: Mapping[str, Origin] = field(compare=False, default_factory=dict)
