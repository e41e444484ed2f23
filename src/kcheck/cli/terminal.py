"""What the program's output streams can show."""

from __future__ import annotations

import io
import os
import sys
from typing import TextIO

NARROWEST, WIDEST = 60, 160


def wants_color(stream: TextIO) -> bool:
    """Colour on terminals only, unless NO_COLOR or FORCE_COLOR says otherwise."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def width() -> int:
    """The columns to fill."""
    import shutil

    return min(WIDEST, max(NARROWEST, shutil.get_terminal_size((100, 24)).columns))


def never_fail_on_text() -> None:
    """Source text may hold what the terminal's encoding lacks: such characters are written as escapes."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
