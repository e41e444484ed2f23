"""Hovers, completion, signature help and hints asked of a server, while the text is being written."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from tests.lsp.client import Client

pytestmark = pytest.mark.asyncio(loop_scope="module")

TEXT = """\
struct Pair { low: Int; high: Float; }
kernel list.sum@1 {
  requires { field.read; field.write; }
  input line: Rows<Int>;
  output result: Rows<Int>;
  compute over line { let item = sample(line); item }
  merge(a, b) { a + b }
  example three { line = [1, 2, 3]; expect result = [6]; }
}
fn f(p: Pair) -> Float { return p.high; }
"""


def at(uri: str, line: int, character: int) -> dict[str, Any]:
    return {"textDocument": {"uri": uri}, "position": {"line": line, "character": character}}


async def test_what_is_written_is_completed_at_once(client: Client, folder: Path) -> None:
    uri = (folder / "main.kernel").as_uri()
    client.open(uri, TEXT)
    edited = {"start": {"line": 9, "character": 34}, "end": {"line": 9, "character": 38}}
    client.change(uri, {"range": edited, "text": ""})
    found = await client.request("textDocument/completion", at(uri, 9, 34))
    assert [item["label"] for item in found["items"]] == ["low", "high"]
    client.change(uri, {"range": {**edited, "end": edited["start"]}, "text": "high + max(1.0, "})
    found = await client.request("textDocument/signatureHelp", at(uri, 9, 50))
    assert found["signatures"][found["activeSignature"]]["label"] == "max(a: Float, b: Float) -> Float"
    assert found["activeParameter"] == 1


async def test_packages_are_found_below_the_root(client: Client, folder: Path) -> None:
    (folder / "far").mkdir()
    far = folder / "far" / "off.kernel"
    far.write_text("fn there(a: Int) -> Int { return a; }\n")
    client.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": far.as_uri(), "type": 1}]})
    uri = (folder / "main.kernel").as_uri()
    client.open(uri, "use far.off;\nfn f() -> Int { return there(1); }\n")
    assert await client.codes(uri) == []
    client.replace(uri, "use \nfn f() -> Int { return 1; }\n")
    found = await client.request("textDocument/completion", at(uri, 0, 4))
    assert "far.off" in [item["label"] for item in found["items"]]


async def test_verdicts_and_results_come_into_hovers_and_hints(client: Client, folder: Path) -> None:
    uri = (folder / "main.kernel").as_uri()
    client.open(uri, TEXT)

    await client.request(
        "workspace/executeCommand", {"command": "kcheck.run", "arguments": [{"uri": uri, "kernel": "list.sum@1"}]}
    )
    whole = {"start": {"line": 0, "character": 0}, "end": {"line": 20, "character": 0}}
    hints = await client.request("textDocument/inlayHint", {"textDocument": {"uri": uri}, "range": whole})
    labels = [hint["label"] for hint in hints]
    assert labels[0].startswith("= [6] ")
    assert labels[1:] == [": Int", "3 elements"]
    found = await client.request("textDocument/hover", at(uri, 7, 12))
    assert "example `three`" in found["contents"]["value"]
    async with asyncio.timeout(30):
        while "✓ **commutative**: proved" not in await hovered(client, uri):
            await asyncio.sleep(0.05)


async def hovered(client: Client, uri: str) -> str:
    """The hover at `merge`."""
    found = await client.request("textDocument/hover", at(uri, 6, 4))
    text: str = found["contents"]["value"]
    return text
