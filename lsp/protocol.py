"""The protocol as pygls speaks it, where we need it otherwise."""

from __future__ import annotations

import os
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any

from cattrs import Converter
from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException
from pygls.protocol import JsonRPCNotification, LanguageServerProtocol, lsp_method

if TYPE_CHECKING:
    from kcheck.lsp.server import KernelServer

_UNREADABLE = "$/unreadable"
"""The method of a notification that nobody handles."""


class KernelProtocol(LanguageServerProtocol):
    """Documents are our own: pygls keeps others, and cuts lines where editors do not.  Every request has an answer."""

    _server: KernelServer

    def __init__(self, server: KernelServer, converter: Converter) -> None:
        super().__init__(server, converter)
        # A coroutine is cancelled with its request; the commands of pygls are not.
        self.fm.builtin_features[lsp.WORKSPACE_EXECUTE_COMMAND] = self._execute

    # ------------------------------------------------------------ messages

    def structure_message(self, data: dict[str, Any]) -> Any:
        try:
            return super().structure_message(data)
        except JsonRpcException as error:
            if "id" in data and "method" in data:
                self._send_response(data["id"], None, error.to_response_error())
            return JsonRPCNotification(_UNREADABLE, self.VERSION, None)

    def handle_message(self, message: Any) -> None:
        method = getattr(message, "method", None)
        ending = self._server.ending
        if method == lsp.EXIT and ending is not None and not ending.done():
            # Some clients do not wait for the answer to `shutdown`. Meanwhile a thread waits for their next message,
            # and Python would wait for that thread.
            ending.add_done_callback(lambda _: os._exit(0))
            return
        refused = self._refusal(method)
        if refused is None:
            super().handle_message(message)
        elif hasattr(message, "id"):
            self._send_response(message.id, None, refused)

    def _send_handler_result(self, future: Future[Any], *, msg_id: int | str) -> None:
        """What is refused in words is no fault, and nothing for the log."""
        refused = None if future.cancelled() else future.exception()
        if isinstance(refused, JsonRpcException):
            self._request_futures.pop(msg_id, None)
            self._send_response(msg_id, None, refused.to_response_error())
        else:
            super()._send_handler_result(future, msg_id=msg_id)

    def _refusal(self, method: str | None) -> lsp.ResponseError | None:
        """Why a message comes too early or too late, if it does."""
        if method is None or method == lsp.EXIT:
            return None
        if self._shutdown:
            return lsp.ResponseError(lsp.ErrorCodes.InvalidRequest, "the server is shut down")
        if not self._server.has_begun and method != lsp.INITIALIZE:
            return lsp.ResponseError(lsp.ErrorCodes.ServerNotInitialized, "the server is not initialized")
        if self._server.has_begun and method == lsp.INITIALIZE:
            return lsp.ResponseError(lsp.ErrorCodes.InvalidRequest, "the server is initialized already")
        return None

    async def _execute(self, params: lsp.ExecuteCommandParams) -> Any:
        return await self._server.dispatch.execute(params.command, params.arguments, params.work_done_token)

    # ------------------------------------------------------------ documents

    @lsp_method(lsp.TEXT_DOCUMENT_DID_OPEN)
    def lsp_text_document__did_open(self, params: lsp.DidOpenTextDocumentParams) -> None:
        self._server.state.open(params.text_document)

    @lsp_method(lsp.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(self, params: lsp.DidChangeTextDocumentParams) -> None:
        self._server.state.change(params.text_document, params.content_changes)

    @lsp_method(lsp.TEXT_DOCUMENT_DID_CLOSE)
    def lsp_text_document__did_close(self, params: lsp.DidCloseTextDocumentParams) -> None:
        self._server.closed(params.text_document.uri)
