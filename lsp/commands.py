"""The server's commands: their names, and the calls that lenses and actions offer."""

from __future__ import annotations

from lsprotocol import types as lsp

from kcheck.lsp.view import View
from kcheck.runtime.backends import AUTO, BACKENDS

RUN = "kcheck.run"
COMPARE = "kcheck.compare"
SHOW = "kcheck.show"
WITNESS = "kcheck.witness"
SAVE_WITNESS = "kcheck.saveWitness"
DOCTOR = "kcheck.doctor"
NEW_PACKAGE = "kcheck.newPackage"
RESTART = "kcheck.restartWorkers"

RUN_KERNEL = "source.kcheck.run"
"""The kind of the actions that run a kernel and change no text."""


def backends() -> list[str]:
    """What a kernel can be asked to run on, the usual choice first."""
    return [AUTO, *BACKENDS]


def run_command(view: View, kernel: str, example: str | None, backend: str | None = None) -> lsp.Command:
    what = f"Run {example}" if example is not None else f"Run {kernel}"
    where = "" if backend is None else f" on the {backend}"
    wanted = {"uri": view.uri, "kernel": kernel, "example": example, "backend": backend}
    given = {name: value for name, value in wanted.items() if value is not None}
    return lsp.Command(f"▶ {what}{where}", RUN, arguments=[given])


def compare_command(view: View, kernel: str) -> lsp.Command:
    return lsp.Command(f"Compare {kernel} on the backends", COMPARE, arguments=[{"uri": view.uri, "kernel": kernel}])


def witness_command(view: View, kernel: str, law: str, title: str | None = None) -> lsp.Command:
    wanted = {"uri": view.uri, "kernel": kernel, "law": law}
    return lsp.Command(title or f"Show the elements that refute {law}", WITNESS, arguments=[wanted])
