"""The server against the specification, with the capabilities of real clients: pytest-lsp looks at every answer."""

import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_lsp
from lsprotocol import types as lsp
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities

pytestmark = pytest.mark.asyncio

TEXT = (Path(__file__).parents[2] / "examples" / "photo.kernel").read_text()
WRONG = TEXT.replace("luma(at(source", "lumo(at(source", 1)


@pytest_lsp.fixture(
    config=ClientServerConfig([sys.executable, "-m", "kcheck", "lsp"]),
    params=["neovim", "visual-studio-code", "emacs"],
)
async def speaker(lsp_client: LanguageClient, request: Any, tmp_path: Path) -> AsyncIterator[None]:
    """A session as this client would have it."""
    for method in (
        lsp.CLIENT_REGISTER_CAPABILITY,
        lsp.WORKSPACE_CODE_LENS_REFRESH,
        lsp.WORKSPACE_INLAY_HINT_REFRESH,
        lsp.WORKSPACE_SEMANTIC_TOKENS_REFRESH,
    ):
        lsp_client.feature(method)(_agreed)
    folder = lsp.WorkspaceFolder(tmp_path.as_uri(), "workspace")
    capabilities = client_capabilities(request.param)
    await lsp_client.initialize_session(
        lsp.InitializeParams(capabilities, root_uri=folder.uri, workspace_folders=[folder])
    )
    yield
    await lsp_client.shutdown_session()


def _agreed(*_: Any) -> None:
    """What every client says to these."""


async def test_answers_follow_the_specification(speaker: LanguageClient, tmp_path: Path) -> None:
    client = speaker
    uri = (tmp_path / "photo.kernel").as_uri()
    client.text_document_did_open(lsp.DidOpenTextDocumentParams(lsp.TextDocumentItem(uri, "kernel", 1, WRONG)))
    while not client.diagnostics.get(uri):
        await client.wait_for_notification(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
    [found] = [d for d in client.diagnostics[uri] if d.severity is lsp.DiagnosticSeverity.Error]
    assert found.code == "K201"
    document = lsp.TextDocumentIdentifier(uri)
    place = found.range.start
    inside = lsp.Position(place.line, place.character + 2)
    answers: dict[str, Any] = {
        "hover": await client.text_document_hover_async(lsp.HoverParams(document, lsp.Position(4, 14))),
        "completion": await client.text_document_completion_async(lsp.CompletionParams(document, inside)),
        "signature": await client.text_document_signature_help_async(
            lsp.SignatureHelpParams(document, lsp.Position(place.line, place.character + 8))
        ),
        "symbols": await client.text_document_document_symbol_async(lsp.DocumentSymbolParams(document)),
        "folds": await client.text_document_folding_range_async(lsp.FoldingRangeParams(document)),
        "lenses": await client.text_document_code_lens_async(lsp.CodeLensParams(document)),
        "hints": await client.text_document_inlay_hint_async(
            lsp.InlayHintParams(document, lsp.Range(lsp.Position(0, 0), lsp.Position(200, 0)))
        ),
        "tokens": await client.text_document_semantic_tokens_full_async(lsp.SemanticTokensParams(document)),
        "actions": await client.text_document_code_action_async(
            lsp.CodeActionParams(document, found.range, lsp.CodeActionContext([found]))
        ),
        "references": await client.text_document_references_async(
            lsp.ReferenceParams(lsp.ReferenceContext(True), document, lsp.Position(7, 10))
        ),
        "formatting": await client.text_document_formatting_async(
            lsp.DocumentFormattingParams(document, lsp.FormattingOptions(2, True))
        ),
    }
    assert [name for name, answer in answers.items() if answer is None] == []
    assert any("luma" in action.title for action in answers["actions"])
