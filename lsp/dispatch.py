"""The commands that a client can ask for by name."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcInvalidParams

from kcheck.lsp import commands
from kcheck.lsp.documents import is_file, path_of, uri_of
from kcheck.lsp.features import witness
from kcheck.lsp.progress import reporting
from kcheck.lsp.running import Refused, result_object
from kcheck.lsp.tool import ToolFailed, tool
from kcheck.lsp.view import View

if TYPE_CHECKING:
    from kcheck.lsp.server import KernelServer

Wanted = Mapping[str, Any]
Token = lsp.ProgressToken | None

_LANGUAGES = {"ir": "plaintext", "llvm": "llvm", "wgsl": "wgsl", "smt": "smtlib"}


class RequestRefused(JsonRpcInvalidParams):
    """What a client asked for cannot be done; the message is for people."""


class Dispatch:
    """Each command takes one object, and answers with one."""

    def __init__(self, server: KernelServer) -> None:
        self._server = server
        self._commands: dict[str, Callable[[Wanted, Token], Awaitable[Any]]] = {
            commands.RUN: self._run,
            commands.COMPARE: self._compare,
            commands.SHOW: self._show,
            commands.WITNESS: self._witness,
            commands.SAVE_WITNESS: self._save_witness,
            commands.DOCTOR: self._doctor,
            commands.NEW_PACKAGE: self._new_package,
            commands.RESTART: self._restart,
        }

    @property
    def names(self) -> Sequence[str]:
        return list(self._commands)

    async def execute(self, name: str, arguments: Sequence[Any] | None, token: Token) -> Any:
        """Raises `RequestRefused` for what cannot be done."""
        command = self._commands.get(name)
        if command is None:
            raise RequestRefused(message=f"there is no command {name}")
        given = arguments[0] if arguments else {}
        if not isinstance(given, Mapping):
            raise RequestRefused(message=f"{name} takes one object")
        try:
            return await command(given, token)
        except Refused as refused:
            raise RequestRefused(message=str(refused), data=refused.data) from refused
        except ToolFailed as failed:
            raise RequestRefused(message=str(failed)) from failed

    async def _view(self, wanted: Wanted) -> View:
        view = await self._server.state.current(str(wanted.get("uri")))
        if view is None:
            raise Refused(f"{wanted.get('uri')} is not known here")
        return view

    # ------------------------------------------------------------ runs

    async def _run(self, wanted: Wanted, token: Token) -> Any:
        view = await self._view(wanted)
        title = f"Running {wanted.get('kernel') or 'the kernel'}"
        with reporting(self._server, None if wanted.get("quick") else token, title) as report:
            outcome = await self._server.running.run(view, wanted, report)
        result = result_object(view, outcome)
        if not wanted.get("quick"):
            self._server.ran(view.path, result)
        return result

    async def _compare(self, wanted: Wanted, token: Token) -> Any:
        view = await self._view(wanted)
        with reporting(self._server, token, f"Comparing {wanted.get('kernel') or 'the kernel'}"):
            comparison = await self._server.running.compare(view, wanted)
        self._server.ran(view.path, None)
        return comparison

    async def _restart(self, wanted: Wanted, token: Token) -> Any:
        await self._server.running.restart()
        await self._server.proofs.restart()
        return {}

    # ------------------------------------------------------------ what is known

    async def _show(self, wanted: Wanted, token: Token) -> Any:
        view = await self._view(wanted)
        what = wanted.get("what")
        if what not in _LANGUAGES:
            raise Refused(f"there is {', '.join(_LANGUAGES)} to show, not {what}")
        folder = Path(view.path).parent if is_file(view.path) else None
        text = await tool(
            "show", "-", "--kernel", str(wanted.get("kernel")), f"--{what}", text=view.text, folder=folder
        )
        return {"text": text, "language": _LANGUAGES[what]}

    async def _witness(self, wanted: Wanted, token: Token) -> Any:
        view = await self._view(wanted)
        kernel, law = str(wanted.get("kernel")), str(wanted.get("law"))
        found = witness.witness(view, kernel, law)
        if found is None:
            raise Refused(f"no elements are known that show {kernel} not {law}")
        return witness.witness_object(found, kernel, law)

    async def _save_witness(self, wanted: Wanted, token: Token) -> Any:
        view = await self._view(wanted)
        edit = witness.as_example(view, str(wanted.get("kernel")), str(wanted.get("law")))
        if edit is None:
            raise Refused("the elements are not known, or there are too many of them for an example")
        applied = await self._server.workspace_apply_edit_async(
            lsp.ApplyWorkspaceEditParams(edit, "Save the elements as an example")
        )
        return {"applied": applied.applied}

    async def _doctor(self, wanted: Wanted, token: Token) -> Any:
        return {"text": await tool("doctor")}

    async def _new_package(self, wanted: Wanted, token: Token) -> Any:
        folder = path_of(str(wanted.get("uri")))
        if not is_file(folder):
            raise Refused("a package needs a folder on disk")
        made = (await tool("new", str(Path(folder, str(wanted.get("name") or "kernels"))))).splitlines()
        return {"uri": uri_of(made[-1])}
