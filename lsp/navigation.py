"""Wires the features that tell where things are, and rename them."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

from kcheck.lsp.features import definition, hierarchy, references, rename, tokens
from kcheck.lsp.threads import apart

if TYPE_CHECKING:
    from kcheck.lsp.server import KernelServer

_PATIENCE_SECONDS = 10.0
"""How long a rename waits for files that are still to be read."""


class RequestFailed(JsonRpcException):
    """The request is right, and yet there is no answer; the message is for people."""

    CODE = lsp.LSPErrorCodes.RequestFailed.value
    MESSAGE = "Request failed"


def register_navigation(server: KernelServer) -> None:
    _register_places(server)
    _register_rename(server)
    _register_calls(server)
    _register_tokens(server)


def _register_places(server: KernelServer) -> None:
    # Nothing is declared in one place and defined in another.
    @server.feature(lsp.TEXT_DOCUMENT_DECLARATION)
    @server.feature(lsp.TEXT_DOCUMENT_DEFINITION)
    async def definition_(params: lsp.DefinitionParams | lsp.DeclarationParams) -> Any:
        return await server.ask(params.text_document.uri, lambda view: definition.definition(view, params.position))

    @server.feature(lsp.TEXT_DOCUMENT_TYPE_DEFINITION)
    async def type_definition(params: lsp.TypeDefinitionParams) -> Any:
        return await server.ask(
            params.text_document.uri, lambda view: definition.type_definition(view, params.position)
        )

    @server.feature(lsp.TEXT_DOCUMENT_REFERENCES)
    async def references_(params: lsp.ReferenceParams) -> Any:
        declared = params.context.include_declaration
        return await server.ask_slowly(
            params.text_document.uri,
            lambda view: references.references(view, params.position, with_declaration=declared),
        )

    @server.feature(lsp.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT)
    async def highlight(params: lsp.DocumentHighlightParams) -> Any:
        return await server.ask(params.text_document.uri, lambda view: references.highlights(view, params.position))


def _register_rename(server: KernelServer) -> None:
    def sources() -> rename.Sources:
        state = server.state
        return rename.Sources(state.loader, server.host.is_ours, state.memo, is_whole=state.is_whole)

    @server.feature(lsp.TEXT_DOCUMENT_PREPARE_RENAME)
    async def prepare(params: lsp.PrepareRenameParams) -> Any:
        try:
            await _all_read(server)
            return await server.ask(
                params.text_document.uri, lambda view: rename.prepare_rename(view, params.position, sources())
            )
        except rename.RenameRefused as refused:
            raise RequestFailed(str(refused)) from refused

    @server.feature(lsp.TEXT_DOCUMENT_RENAME, lsp.RenameOptions(prepare_provider=True))
    async def rename_(params: lsp.RenameParams) -> Any:
        try:
            await _all_read(server)
            view = await server.snapshot(params.text_document.uri)
            if view is None:
                return None
            return await apart(
                lambda cancelled: rename.rename(view, params.position, params.new_name, sources(), cancelled)
            )
        except rename.RenameRefused as refused:
            raise RequestFailed(str(refused)) from refused


async def _all_read(server: KernelServer) -> None:
    """A name may stand in any file of the workspace."""
    try:
        async with asyncio.timeout(_PATIENCE_SECONDS):
            while not server.state.is_idle:
                await asyncio.sleep(0.01)
    except TimeoutError:
        raise rename.RenameRefused("the files of the workspace are still being read: try again") from None


def _register_calls(server: KernelServer) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_PREPARE_CALL_HIERARCHY)
    async def prepare(params: lsp.CallHierarchyPrepareParams) -> Any:
        return await server.ask(params.text_document.uri, lambda view: hierarchy.prepare_calls(view, params.position))

    @server.feature(lsp.CALL_HIERARCHY_INCOMING_CALLS)
    async def incoming(params: lsp.CallHierarchyIncomingCallsParams) -> Any:
        return await server.ask_slowly(params.item.uri, lambda view: hierarchy.incoming_calls(view, params.item))

    @server.feature(lsp.CALL_HIERARCHY_OUTGOING_CALLS)
    async def outgoing(params: lsp.CallHierarchyOutgoingCallsParams) -> Any:
        return await server.ask(params.item.uri, lambda view: hierarchy.outgoing_calls(view, params.item))


def _register_tokens(server: KernelServer) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL, tokens.LEGEND)
    async def full(params: lsp.SemanticTokensParams) -> Any:
        return await server.ask_slowly(params.text_document.uri, server.tokens.full)

    @server.feature(lsp.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL_DELTA, tokens.LEGEND)
    async def delta(params: lsp.SemanticTokensDeltaParams) -> Any:
        return await server.ask_slowly(
            params.text_document.uri, lambda view: server.tokens.delta(view, params.previous_result_id)
        )

    @server.feature(lsp.TEXT_DOCUMENT_SEMANTIC_TOKENS_RANGE, tokens.LEGEND)
    async def range_(params: lsp.SemanticTokensRangeParams) -> Any:
        return await server.ask_slowly(params.text_document.uri, lambda view: server.tokens.within(view, params.range))
