"""The language server: wires the protocol to the workspace and the features, and nothing else."""

from __future__ import annotations

import asyncio
import gc
import logging
import os
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException, JsonRpcInternalError
from pygls.lsp.server import LanguageServer

from kcheck.lsp import options
from kcheck.lsp.commands import RUN_KERNEL
from kcheck.lsp.dispatch import Dispatch
from kcheck.lsp.documents import path_of, written_path
from kcheck.lsp.features import (
    actions,
    completion,
    diagnostics,
    formatting,
    hints,
    hover,
    lenses,
    links,
    ranges,
    signature,
    symbols,
)
from kcheck.lsp.features.kernels import status
from kcheck.lsp.features.tokens import Tokens
from kcheck.lsp.host import Host
from kcheck.lsp.navigation import register_navigation
from kcheck.lsp.options import Options
from kcheck.lsp.proofs import Proofs
from kcheck.lsp.protocol import KernelProtocol
from kcheck.lsp.running import Running
from kcheck.lsp.runs.messages import Limits
from kcheck.lsp.threads import apart
from kcheck.lsp.view import Traits, View
from kcheck.lsp.workspace import Workspace

log = logging.getLogger(__name__)

Answer = TypeVar("Answer")

_NEWS_SECONDS = 0.03
_REFRESH_SECONDS = 0.1
"""Clients are asked to look again at lenses and hints no more often than that."""
_WATCH_SECONDS = 5.0
"""How often to look whether the client's process is still there."""
_DRAW_PICTURES = frozenset({"marked"})
"""The readers of Markdown that show pictures; others would show their thousands of letters."""
_FREEZE_SECONDS = 3.0
"""How long after the start the objects that stay for good are taken from the collector's passes."""


class KernelServer(LanguageServer):
    """`state`, `proofs` and `running` are there from `initialize` on."""

    def __init__(self, host: Host) -> None:
        super().__init__("kcheck", host.version, protocol_cls=KernelProtocol)
        self.host = host
        self.options = Options()
        self.dispatch = Dispatch(self)
        self.state: Workspace
        self.proofs: Proofs
        self.running: Running
        self.tokens = Tokens()
        self.marks = hints.Marks()
        self.has_begun = False
        self.ending: asyncio.Future[None] | None = None
        """Done when nothing is left but to answer `shutdown`."""
        self._refresh: asyncio.TimerHandle | None = None
        self._is_recoloured = False
        self._told: set[str] = set()
        self._folders: list[str] = []
        self._published: dict[str, tuple[int | None, list[lsp.Diagnostic]]] = {}
        """What the client was told last of each open document."""
        self._news: set[str] = set()
        """The files of which something is known that the client is to be told of soon."""

    # ------------------------------------------------------------ life

    def begin(self, params: lsp.InitializeParams) -> None:
        """The client has said who it is and what it can do."""
        self.has_begun = True
        self.options, _ = options.read(params.initialization_options)
        self.proofs = Proofs(self._judged, self.tell_once)
        self.running = Running()
        self.state = Workspace(self.host, self._analysed, self.tell_once, self.proofs, self.running.outcomes)
        self.state.traits = _traits(params.capabilities)
        self._apply_options()

    def ready(self, params: lsp.InitializeParams) -> None:
        """The client waits for nothing more: look at its folders."""
        roots = [params.root_uri] if params.root_uri else []
        self.set_folders([folder.uri for folder in params.workspace_folders or ()] or roots)
        asyncio.get_running_loop().call_later(_FREEZE_SECONDS, _freeze)
        if params.process_id is not None:
            self._watch(params.process_id)

    @property
    def was_shut_down(self) -> bool:
        """Whether the client has said that it needs the server no more."""
        return self.ending is not None

    async def end(self) -> None:
        """Leave no process behind."""
        self.ending = asyncio.ensure_future(self._end())
        await self.ending

    async def _end(self) -> None:
        self.state.close_all()
        await self.running.restart()
        await self.proofs.close()

    def set_folders(self, uris: Sequence[str]) -> None:
        """These are the workspace's folders now."""
        self._folders = list(uris)
        self.state.documents.follow(path for uri in uris if (path := written_path(uri)) is not None)
        self.state.set_folders([Path(path_of(uri)) for uri in uris])

    def change_folders(self, event: lsp.WorkspaceFoldersChangeEvent) -> None:
        removed = {folder.uri for folder in event.removed}
        added = [folder.uri for folder in event.added]
        self.set_folders([*(uri for uri in self._folders if uri not in (*removed, *added)), *added])

    def _watch(self, process_id: int) -> None:
        """End when the client's process is gone, even if something else keeps our input open."""
        if not _is_alive(process_id):
            log.warning("the client's process is gone")
            os._exit(1)  # the processes that work for us end with their input
        asyncio.get_running_loop().call_later(_WATCH_SECONDS, self._watch, process_id)

    def report_server_error(self, error: Exception, source: object) -> None:
        """A fault of ours, or a message that nobody can read: for the log, and once for people."""
        is_fault = isinstance(error, JsonRpcInternalError) or not isinstance(error, JsonRpcException)
        log.log(logging.ERROR if is_fault else logging.INFO, "%s: %s", getattr(source, "__name__", source), error)
        if is_fault:
            self.tell_once(f"kcheck has a fault: {error}")

    def set_options(self, given: object) -> None:
        before = self.options
        read, problems = options.read(given, before)
        # How diagnostics are sent was agreed on at the start.
        self.options = replace(read, pull_diagnostics=before.pull_diagnostics)
        for problem in problems:
            self.tell_once(problem)
        if self.options != before:
            self._apply_options()
            for document in self.state.documents.all():
                self._judged(document.path)

    def _apply_options(self) -> None:
        self.proofs.set_up(self.options.proofs, self.options.proof_timeout)
        self.running.backend = self.options.backend
        self.running.limits = Limits(self.options.run_timeout, self.options.run_memory)

    def tell_once(self, message: str) -> None:
        """Say something that nobody wants to hear twice."""
        log.warning(message)
        if message not in self._told:
            self._told.add(message)
            self.window_show_message(lsp.ShowMessageParams(lsp.MessageType.Warning, message))

    # ------------------------------------------------------------ news

    def closed(self, uri: str) -> None:
        self.state.close(uri)
        self.tokens.forget(path_of(uri))
        self.marks.forget(path_of(uri))
        self._publish(uri, None, [])
        self._published.pop(uri, None)

    def _analysed(self, path: str) -> None:
        analysis = self.state.analysis(path)
        if analysis is not None:
            if analysis.problem:
                self.tell_once(analysis.problem)
            # Another file has changed, and this one means something else now.
            self._is_recoloured |= self.tokens.was_told(path, analysis.version)
        self._show(path)

    def _judged(self, path: str) -> None:
        """What is known of laws or runs has changed; news that come close together are told at once."""
        self.state.judged(path)
        if path not in self._news:
            self._news.add(path)
            asyncio.get_running_loop().call_later(_NEWS_SECONDS, self._show_news, path)

    def _show_news(self, path: str) -> None:
        self._news.discard(path)
        self._show(path)

    def ran(self, path: str, result: dict[str, Any] | None) -> None:
        """A kernel of a file was run, or compared on two backends."""
        if result is not None:
            if self.options.send_results:
                self.protocol.notify("kcheck/result", result)
            else:
                self._say_result(result)
        self._judged(path)

    def _say_result(self, result: dict[str, Any]) -> None:
        """In a line, for clients that show nothing of the result themselves."""
        error = result.get("error")
        if error is not None:
            self.window_show_message(
                lsp.ShowMessageParams(lsp.MessageType.Error, f"{result['kernel']}: {error['message']}")
            )
            return
        names = ", ".join(f"{output['name']}: {output['type']}" for output in result["outputs"])
        seconds = result["seconds"]["run"]
        text = f"{result['kernel']} ran on the {result['backend']} in {seconds * 1000:.3g} ms: {names}"
        self.window_show_message(lsp.ShowMessageParams(lsp.MessageType.Info, text))

    def _show(self, path: str) -> None:
        """Tell the client what is new about an open file."""
        if self.state.documents.at(path) is None or not self.state.is_current(path):
            return  # another analysis is on its way
        view = self.state.view(path)
        assert view is not None
        self._publish(view.uri, view.version, diagnostics.diagnostics(view))
        if self.options.send_status:
            self.protocol.notify("kcheck/status", status(view, is_current=True))
        self._refresh_soon()

    def _publish(self, uri: str, version: int | None, found: list[lsp.Diagnostic]) -> None:
        if not self.options.pull_diagnostics and self._published.get(uri) != (version, found):
            self._published[uri] = version, found
            self.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri, found, version))

    def _refresh_soon(self) -> None:
        if self._refresh is None:
            self._refresh = asyncio.get_running_loop().call_later(_REFRESH_SECONDS, self._refresh_now)

    def _refresh_now(self) -> None:
        """Ask the client to look again at what it has shown: it asks by itself only after an edit."""
        self._refresh = None
        workspace = self.client_capabilities.workspace
        if workspace is None:
            return
        if workspace.code_lens is not None and workspace.code_lens.refresh_support:
            self.workspace_code_lens_refresh(None)
        if workspace.inlay_hint is not None and workspace.inlay_hint.refresh_support:
            self.workspace_inlay_hint_refresh(None)
        tokens = workspace.semantic_tokens
        if self._is_recoloured and tokens is not None and tokens.refresh_support:
            self._is_recoloured = False
            self.workspace_semantic_tokens_refresh(None)
        if self.options.pull_diagnostics:
            self.workspace_diagnostic_refresh(None)

    # ------------------------------------------------------------ requests

    async def ask_slowly(self, uri: str, feature: Callable[[View], Answer]) -> Answer | None:
        """The same for a feature that takes its time: other requests are answered meanwhile."""
        view = await self.snapshot(uri)
        return None if view is None else await apart(lambda _: feature(view))

    async def snapshot(self, uri: str) -> View | None:
        """A view for another thread: it stays as it is while the server goes on."""
        view = await self.state.current(uri)
        return None if view is None else replace(view, every=dict(view.every), paths=tuple(view.paths))

    async def ask(self, uri: str, feature: Callable[[View], Answer]) -> Answer | None:
        """The answer of a feature for a document as it stands; None for one that is not known."""
        view = await self.state.current(uri)
        return None if view is None else feature(view)


def _is_alive(process_id: int) -> bool:
    if os.name != "posix":  # signal 0 would end it
        return True
    try:
        os.kill(process_id, 0)
    except ProcessLookupError:
        return False
    except OSError:  # not ours to signal, so it is there
        return True
    return True


def _traits(capabilities: lsp.ClientCapabilities) -> Traits:
    document, workspace, general = capabilities.text_document, capabilities.workspace, capabilities.general
    completion = document.completion if document is not None else None
    item = completion.completion_item if completion is not None else None
    signature_help = document.signature_help if document is not None else None
    shown = signature_help.signature_information if signature_help is not None else None
    symbols = document.document_symbol if document is not None else None
    published = document.publish_diagnostics if document is not None else None
    edit = workspace.workspace_edit if workspace is not None else None
    return Traits(
        snippets=bool(item is not None and item.snippet_support),
        hierarchical_symbols=bool(symbols is not None and symbols.hierarchical_document_symbol_support),
        document_changes=bool(edit is not None and edit.document_changes),
        related_information=bool(published is not None and published.related_information),
        markdown=_takes_markdown(document),
        markdown_in_items=_has_markdown(item.documentation_format if item is not None else None),
        markdown_in_signatures=_has_markdown(shown.documentation_format if shown is not None else None),
        pictures=general is not None and general.markdown is not None and general.markdown.parser in _DRAW_PICTURES,
    )


def _takes_markdown(document: lsp.TextDocumentClientCapabilities | None) -> bool:
    hover_ = document.hover if document is not None else None
    formats = hover_.content_format if hover_ is not None else None
    return formats is None or lsp.MarkupKind.Markdown in formats


def _has_markdown(formats: Sequence[lsp.MarkupKind] | None) -> bool:
    """Without a word of the client it gets plain text, as the protocol says."""
    return formats is not None and lsp.MarkupKind.Markdown in formats


def _freeze() -> None:
    """What is there after the start stays: no pass of the collector needs to look at it again."""
    gc.collect()
    gc.freeze()


def make_server(host: Host) -> KernelServer:
    """A server with all its features, which `start_io` or `start_tcp` runs."""
    server = KernelServer(host)
    _register_life(server)
    _register_features(server)
    register_navigation(server)
    return server


def _register_life(server: KernelServer) -> None:
    given: list[lsp.InitializeParams] = []

    @server.feature(lsp.INITIALIZE)
    def initialize(params: lsp.InitializeParams) -> None:
        given[:] = [params]
        server.begin(params)
        if server.options.pull_diagnostics:
            _register_pull(server)

    @server.feature(lsp.INITIALIZED)
    async def initialized(_: lsp.InitializedParams) -> None:
        server.ready(given[0])
        await _watch_files(server)
        await _ask_for_options(server)

    @server.feature(lsp.SHUTDOWN)
    async def shutdown(_: None) -> None:
        await server.end()

    @server.feature(lsp.WORKSPACE_DID_CHANGE_CONFIGURATION)
    async def configure(params: lsp.DidChangeConfigurationParams) -> None:
        settings = params.settings
        if isinstance(settings, dict) and "kcheck" in settings:
            server.set_options(settings["kcheck"])
        await _ask_for_options(server)

    @server.feature(lsp.TEXT_DOCUMENT_DID_SAVE)
    def saved(_: lsp.DidSaveTextDocumentParams) -> None:
        """What is open is known already."""

    @server.feature(lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def watched(params: lsp.DidChangeWatchedFilesParams) -> None:
        for event in params.changes:
            path = path_of(event.uri)
            if path.endswith(".kernel"):
                server.state.touch_on_disk(path)
            else:
                server.state.touch_all()

    @server.feature(lsp.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    def folders(params: lsp.DidChangeWorkspaceFoldersParams) -> None:
        server.change_folders(params.event)


async def _watch_files(server: KernelServer) -> None:
    workspace = server.client_capabilities.workspace
    watching = workspace.did_change_watched_files if workspace is not None else None
    if watching is None or not watching.dynamic_registration:
        return
    patterns = ("**/*.kernel", "**/kcheck.toml", "**/pyproject.toml")
    await _asked(
        server.client_register_capability_async(
            lsp.RegistrationParams(
                [
                    lsp.Registration(
                        "kcheck.files",
                        lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES,
                        lsp.DidChangeWatchedFilesRegistrationOptions([lsp.FileSystemWatcher(p) for p in patterns]),
                    )
                ]
            )
        )
    )


async def _ask_for_options(server: KernelServer) -> None:
    workspace = server.client_capabilities.workspace
    if workspace is None or not workspace.configuration:
        return
    items = [lsp.ConfigurationItem(section="kcheck")]
    answer = await _asked(server.workspace_configuration_async(lsp.ConfigurationParams(items)))
    if answer:
        server.set_options(answer[0])


async def _asked(request: Awaitable[Any]) -> Any:
    """The client's answer, or None where it does not like the question."""
    try:
        return await request
    except JsonRpcException as error:
        log.info("the client refused a request: %s", error)
        return None


def _register_features(server: KernelServer) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
    async def document_symbol(params: lsp.DocumentSymbolParams) -> Any:
        return await server.ask(params.text_document.uri, symbols.document_symbols)

    @server.feature(lsp.WORKSPACE_SYMBOL)
    async def workspace_symbol(params: lsp.WorkspaceSymbolParams) -> Any:
        return symbols.workspace_symbols(await server.state.files(), params.query)

    @server.feature(lsp.TEXT_DOCUMENT_FOLDING_RANGE)
    async def folding_range(params: lsp.FoldingRangeParams) -> Any:
        return await server.ask(params.text_document.uri, ranges.folding_ranges)

    @server.feature(lsp.TEXT_DOCUMENT_SELECTION_RANGE)
    async def selection_range(params: lsp.SelectionRangeParams) -> Any:
        return await server.ask(params.text_document.uri, lambda view: ranges.selection_ranges(view, params.positions))

    @server.feature(lsp.TEXT_DOCUMENT_FORMATTING)
    async def formatting_(params: lsp.DocumentFormattingParams) -> Any:
        return await server.ask_slowly(params.text_document.uri, formatting.format_document)

    @server.feature(lsp.TEXT_DOCUMENT_RANGE_FORMATTING)
    async def range_formatting(params: lsp.DocumentRangeFormattingParams) -> Any:
        return await server.ask_slowly(
            params.text_document.uri, lambda view: formatting.format_selection(view, params.range)
        )

    @server.feature(lsp.TEXT_DOCUMENT_DOCUMENT_LINK)
    async def document_link(params: lsp.DocumentLinkParams) -> Any:
        return await server.ask(
            params.text_document.uri, lambda view: links.document_links(view, server.state.loader(view.path))
        )

    @server.feature(
        lsp.TEXT_DOCUMENT_CODE_ACTION,
        lsp.CodeActionOptions([lsp.CodeActionKind.QuickFix, lsp.CodeActionKind.RefactorRewrite, RUN_KERNEL]),
    )
    async def code_action(params: lsp.CodeActionParams) -> Any:
        wanted = params.context.only
        return await server.ask(params.text_document.uri, lambda view: actions.code_actions(view, params.range, wanted))

    @server.feature(lsp.TEXT_DOCUMENT_CODE_LENS, lsp.CodeLensOptions(resolve_provider=False))
    async def code_lens(params: lsp.CodeLensParams) -> Any:
        return await server.ask(params.text_document.uri, lenses.code_lenses)

    @server.feature(lsp.TEXT_DOCUMENT_HOVER)
    async def hover_(params: lsp.HoverParams) -> Any:
        return await server.ask(params.text_document.uri, lambda view: hover.hover(view, params.position))

    @server.feature(lsp.TEXT_DOCUMENT_SIGNATURE_HELP, lsp.SignatureHelpOptions(["(", ","]))
    async def signature_help(params: lsp.SignatureHelpParams) -> Any:
        return await server.ask(params.text_document.uri, lambda view: signature.signature_help(view, params.position))

    @server.feature(lsp.TEXT_DOCUMENT_COMPLETION, lsp.CompletionOptions([".", '"', "/"]))
    async def completion_(params: lsp.CompletionParams) -> Any:
        return await server.ask(
            params.text_document.uri,
            lambda view: completion.completion(view, params.position, server.state.places(view.path)),
        )

    @server.feature(lsp.TEXT_DOCUMENT_INLAY_HINT)
    async def inlay_hint(params: lsp.InlayHintParams) -> Any:
        return await server.ask(
            params.text_document.uri, lambda view: hints.inlay_hints(view, params.range, server.options, server.marks)
        )

    for name in server.dispatch.names:
        # That clients hear of them; the protocol hands them to `dispatch`.
        server.command(name)(_dispatched)


def _dispatched(*_: Any) -> None:
    raise AssertionError("the protocol dispatches commands itself")


def _register_pull(server: KernelServer) -> None:
    """Diagnostics for clients that ask for them; these are told nothing unasked."""

    @server.feature(
        lsp.TEXT_DOCUMENT_DIAGNOSTIC, lsp.DiagnosticOptions(inter_file_dependencies=True, workspace_diagnostics=False)
    )
    async def diagnostic(params: lsp.DocumentDiagnosticParams) -> lsp.DocumentDiagnosticReport:
        found = await server.ask(params.text_document.uri, diagnostics.diagnostics)
        return lsp.RelatedFullDocumentDiagnosticReport(found or [])
