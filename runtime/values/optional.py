"""Libraries that only some files need: imported when such a file is met, and named where they are missing."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from kcheck.runtime.values.problems import Unreadable


def needed(module: str, extra: str, purpose: str) -> Any:
    """The module; where it is not installed, `Unreadable` says how to get it."""
    try:
        return import_module(module)
    except ImportError as problem:
        raise Unreadable(f"{purpose} need the package {module}: pip install 'kcheck[{extra}]'") from problem
