"""What the server needs from around it: where packages lie, and what a project decides about findings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from kcheck.checker.check import Loader
from kcheck.checker.settings import Settings

Name: TypeAlias = Callable[[Path], str]
Read: TypeAlias = Callable[[Path], bytes]


@dataclass(frozen=True, slots=True)
class Host:
    """`loader_for` finds the packages that files of a folder use, with names and contents as it is told; they lie
    below the folders that `places_for` gives.  `settings_for` gives the settings for files of a folder, and what is
    wrong with the file that holds them, if any; `packages` is the folder of those that come with the tool.
    """

    version: str
    loader_for: Callable[[Path, Name, Read], Loader]
    places_for: Callable[[Path], Sequence[Path]]
    settings_for: Callable[[Path], tuple[Settings, str]]
    packages: Path

    def is_ours(self, path: str) -> bool:
        """Whether a file comes with the tool."""
        return Path(path).is_relative_to(self.packages)
