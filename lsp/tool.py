"""Commands of `kcheck` itself, run in a process of their own."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from kcheck.lsp.child import environment

SECONDS = 60.0


class ToolFailed(Exception):
    """The command did not succeed; the text says what it said."""


async def tool(*arguments: str, text: str = "", folder: Path | None = None) -> str:
    """What `kcheck ARGUMENTS` prints with `text` on its standard input; raises `ToolFailed`."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-P",  # the folder holds what others wrote
        "-m",
        "kcheck",
        *arguments,
        cwd=folder if folder is not None and folder.is_dir() else None,
        env=environment(),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        async with asyncio.timeout(SECONDS):
            out, errors = await process.communicate(text.encode("utf-8", "replace"))
    except BaseException:
        process.kill()
        await process.wait()
        raise
    if process.returncode != 0:
        said = (errors or out).decode("utf-8", "replace").strip()
        raise ToolFailed(said.removeprefix("kcheck: error: "))
    return out.decode("utf-8", "replace")
