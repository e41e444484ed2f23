"""The settings of a project: `kcheck.toml`, or `[tool.kcheck]` in `pyproject.toml`."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from kcheck.checker import rules
from kcheck.checker.near import did_you_mean
from kcheck.checker.settings import Settings
from kcheck.grammar.diagnostics import Severity

OWN_FILE, SHARED_FILE = "kcheck.toml", "pyproject.toml"


class ConfigError(Exception):
    """A settings file that cannot be followed; the text names the file and what is wrong."""


@dataclass(frozen=True, slots=True)
class Config:
    """Settings and the file that holds them; `path` is None where there is none."""

    path: Path | None
    settings: Settings

    def excludes(self, file: Path) -> bool:
        """Whether a pattern of `exclude` fits the file, or a folder that it lies in, below the settings file."""
        if self.path is None or not file.is_relative_to(self.path.parent):
            return False
        tail = file.relative_to(self.path.parent)
        places = [tail, *tail.parents][:-1]
        return any(fnmatch(place.as_posix(), p.rstrip("/")) for place in places for p in self.settings.exclude)


NONE = Config(None, Settings())


def config_for(folder: Path) -> Config:
    """The settings for files in `folder`: of the nearest folder at or above it that holds some.

    Raises `ConfigError`.
    """
    here = folder.resolve()
    for place in (here, *here.parents):
        own, shared = place / OWN_FILE, place / SHARED_FILE
        if os.path.isfile(own):
            return Config(own, _settings(own, _table(own)))
        if os.path.isfile(shared):
            table = _table(shared).get("tool", {}).get("kcheck")
            if table is not None:
                return Config(shared, _settings(shared, table))
    return NONE


def _table(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ConfigError(f"{path}: {error}") from error


def _settings(path: Path, table: object) -> Settings:
    if not isinstance(table, dict):
        raise ConfigError(f"{path}: `tool.kcheck` holds settings, `name = value`")
    values: dict[str, Any] = {}
    severities: dict[str, Severity | None] = {}
    for key, value in table.items():
        reader = _READERS.get(key)
        if reader is None:
            known = ", ".join(_READERS)
            raise ConfigError(f"{path}: there is no setting `{key}`{did_you_mean(key, _READERS)} (there are {known})")
        try:
            reader(value, values, severities)
        except ValueError as error:
            raise ConfigError(f"{path}: `{key}`: {error}") from error
    return Settings(severities=severities, **values)


Severities = dict[str, Severity | None]


def _allow(value: object, values: dict[str, Any], severities: Severities) -> None:
    for code in _texts(value):
        severities[_softened(code)] = None


def _severity(value: object, values: dict[str, Any], severities: Severities) -> None:
    if not isinstance(value, Mapping):
        raise ValueError('needs a table, such as { K209 = "error" }')
    for code, name in value.items():
        found = next((s for s in Severity if s.value == name), None)
        if found is None:
            raise ValueError(f"{code} is {name!r}, but there are {', '.join(s.value for s in Severity)}")
        severities[_softened(code)] = found


def _softened(code: str) -> str:
    """The code of a rule whose weight may be changed."""
    rule = rules.CATALOGUE.get(code)
    if rule is None:
        raise ValueError(f"there is no rule {code}{did_you_mean(code, rules.CATALOGUE)}")
    if rule.severity is Severity.ERROR:
        raise ValueError(f"{code} is an error, and stays one: what it forbids cannot run")
    return code


def _require_proof(value: object, values: dict[str, Any], severities: Severities) -> None:
    if not isinstance(value, bool):
        raise ValueError("is true or false")
    values["require_proof"] = value


def _timeout(value: object, values: dict[str, Any], severities: Severities) -> None:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not value > 0:
        raise ValueError("is a number of seconds above 0")
    values["timeout"] = float(value)


def _exclude(value: object, values: dict[str, Any], severities: Severities) -> None:
    values["exclude"] = tuple(_texts(value))


def _texts(value: object) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(v, str) for v in value):
        raise ValueError("is a list of texts")
    return value


_READERS: dict[str, Callable[[object, dict[str, Any], Severities], None]] = {
    "allow": _allow,
    "severity": _severity,
    "require-proof": _require_proof,
    "timeout": _timeout,
    "exclude": _exclude,
}
