"""A client of the language server over standard input and output, as small as tests need."""

from __future__ import annotations

import asyncio
import json
import sys
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

CAPABILITIES: dict[str, Any] = {
    "workspace": {
        "applyEdit": True,
        "configuration": True,
        "workspaceEdit": {"documentChanges": True},
        "codeLens": {"refreshSupport": True},
        "inlayHint": {"refreshSupport": True},
        "semanticTokens": {"refreshSupport": True},
        "didChangeWatchedFiles": {"dynamicRegistration": True},
    },
    "textDocument": {
        "publishDiagnostics": {"relatedInformation": True, "versionSupport": True},
        "completion": {"completionItem": {"snippetSupport": True}},
        "documentSymbol": {"hierarchicalDocumentSymbolSupport": True},
        "codeAction": {
            "codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["", "quickfix", "refactor", "source"]}}
        },
    },
    "window": {"workDoneProgress": True},
}


class ServerError(Exception):
    """The server answered a request with an error."""

    def __init__(self, error: dict[str, Any]) -> None:
        super().__init__(error.get("message", ""))
        self.code: int = error["code"]
        self.data = error.get("data")


class Client:
    """Speaks with one server; `notifications` holds what it sent, by method, and `requests` what it asked."""

    def __init__(self, settings: dict[str, Any] | None = None) -> None:
        self.settings = settings or {}
        self.notifications: dict[str, list[Any]] = defaultdict(list)
        self.requests: dict[str, list[Any]] = defaultdict(list)
        self.diagnostics: dict[str, tuple[int | None, list[Any]]] = {}
        self.capabilities: dict[str, Any] = {}
        self.process: asyncio.subprocess.Process
        self._number = 0
        self._versions: dict[str, int] = {}
        self._waiting: dict[int, asyncio.Future[Any]] = {}
        self._news = asyncio.Condition()
        self._reader: asyncio.Task[None]

    # ------------------------------------------------------------ life

    async def start(
        self,
        folder: Path | None = None,
        *,
        capabilities: dict[str, Any] = CAPABILITIES,
        options: dict[str, Any] | None = None,
        arguments: tuple[str, ...] = (),
        process_id: int | None = None,
    ) -> dict[str, Any]:
        """Start a server and initialize it; what it answers."""
        self.process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "kcheck",
            "lsp",
            *arguments,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            limit=1 << 28,
        )
        self._reader = asyncio.create_task(self._read())
        folders = [{"uri": folder.as_uri(), "name": folder.name}] if folder is not None else None
        answer: dict[str, Any] = await self.request(
            "initialize",
            {
                "processId": process_id,
                "rootUri": folder.as_uri() if folder is not None else None,
                "workspaceFolders": folders,
                "capabilities": capabilities,
                "initializationOptions": options,
            },
        )
        self.capabilities = answer["capabilities"]
        self.notify("initialized", {})
        return answer

    async def stop(self) -> int:
        """Shut the server down; its exit code."""
        await self.request("shutdown", None)
        self.notify("exit", None)
        code = await asyncio.wait_for(self.process.wait(), 10)
        self._reader.cancel()
        return code

    async def kill(self) -> None:
        if self.process.returncode is None:
            self.process.kill()
        await self.process.wait()
        self._reader.cancel()

    # ------------------------------------------------------------ messages

    def begin(self, method: str, params: Any) -> tuple[int, asyncio.Future[Any]]:
        """Send a request; its number, and what will have the answer."""
        self._number += 1
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._waiting[self._number] = future
        self.send({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params})
        return self._number, future

    async def request(self, method: str, params: Any, seconds: float = 30.0) -> Any:
        _, future = self.begin(method, params)
        return await asyncio.wait_for(future, seconds)

    async def answered(self, answer: asyncio.Future[Any], seconds: float = 30.0) -> ServerError | None:
        """Wait for an answer; the error, where it is one."""
        try:
            await asyncio.wait_for(answer, seconds)
        except ServerError as error:
            return error
        return None

    def notify(self, method: str, params: Any) -> None:
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    def send(self, message: dict[str, Any]) -> None:
        self.send_raw(json.dumps(message).encode())

    def send_raw(self, body: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)

    async def until(self, found: Callable[[], Any], seconds: float = 30.0) -> Any:
        """Wait until `found` gives something true, which is looked for after each message."""
        async with asyncio.timeout(seconds), self._news:
            while not (result := found()):
                await self._news.wait()
            return result

    async def _read(self) -> None:
        assert self.process.stdout is not None
        while True:
            length = 0
            while (line := await self.process.stdout.readline()).strip():
                if line.lower().startswith(b"content-length:"):
                    length = int(line.split(b":")[1])
            if not length:
                break
            self._take(json.loads(await self.process.stdout.readexactly(length)))
            async with self._news:
                self._news.notify_all()
        for future in self._waiting.values():
            if not future.done():
                future.set_exception(ConnectionError("the server is gone"))

    def _take(self, message: dict[str, Any]) -> None:
        if "method" not in message:
            future = self._waiting.pop(message["id"])
            if future.done():
                return
            if "error" in message:
                future.set_exception(ServerError(message["error"]))
            else:
                future.set_result(message.get("result"))
        elif "id" in message:
            self.requests[message["method"]].append(message.get("params"))
            self.send({"jsonrpc": "2.0", "id": message["id"], "result": self._reply(message)})
        else:
            self.notifications[message["method"]].append(message["params"])
            if message["method"] == "textDocument/publishDiagnostics":
                params = message["params"]
                self.diagnostics[params["uri"]] = (params.get("version"), params["diagnostics"])

    def _reply(self, message: dict[str, Any]) -> Any:
        if message["method"] == "workspace/configuration":
            return [self.settings for _ in message["params"]["items"]]
        if message["method"] == "workspace/applyEdit":
            return {"applied": True}
        return None

    # ------------------------------------------------------------ documents

    def open(self, uri: str, text: str) -> None:
        # A document that is opened again goes on counting: what was said of it before is told apart.
        version = self._versions[uri] = self._versions.get(uri, 0) + 1
        document = {"uri": uri, "languageId": "kernel", "version": version, "text": text}
        self.notify("textDocument/didOpen", {"textDocument": document})

    def change(self, uri: str, *changes: dict[str, Any]) -> int:
        """Send changes; the new version."""
        self._versions[uri] += 1
        self.notify(
            "textDocument/didChange",
            {"textDocument": {"uri": uri, "version": self._versions[uri]}, "contentChanges": list(changes)},
        )
        return self._versions[uri]

    def replace(self, uri: str, text: str) -> int:
        return self.change(uri, {"text": text})

    def close(self, uri: str) -> None:
        self.notify("textDocument/didClose", {"textDocument": {"uri": uri}})

    def close_all(self) -> None:
        """Close what is open, and forget what the server sent."""
        for uri in self._versions:
            self.close(uri)
        self._versions.clear()
        self.notifications.clear()
        self.requests.clear()
        self.diagnostics.clear()

    async def diagnosed(self, uri: str, version: int | None = None, seconds: float = 30.0) -> list[Any]:
        """The diagnostics of a version (by default the last that was sent), once they are there."""
        wanted = self._versions[uri] if version is None else version
        found = await self.until(
            lambda: (got := self.diagnostics.get(uri)) and (got[0] or 0) >= wanted and got, seconds
        )
        diagnostics: list[Any] = found[1]
        return diagnostics

    async def codes(self, uri: str) -> list[str]:
        return sorted(d["code"] for d in await self.diagnosed(uri))
