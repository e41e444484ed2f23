"""The same features asked of a server, in a workspace of several files."""

from pathlib import Path
from typing import Any

import pytest

from tests.lsp.client import Client, ServerError

pytestmark = pytest.mark.asyncio(loop_scope="module")

SHAPES = "fn area(r: Float) -> Float { return r * r; }\n"
USER = "use shapes;\nfn twice(r: Float) -> Float { return 2.0 * area(r); }\n"


def at(uri: str, line: int, character: int) -> dict[str, Any]:
    return {"textDocument": {"uri": uri}, "position": {"line": line, "character": character}}


def write(folder: Path, **texts: str) -> dict[str, str]:
    """Make files; their URIs by name."""
    for name, text in texts.items():
        (folder / f"{name}.kernel").write_text(text)
    return {name: (folder / f"{name}.kernel").as_uri() for name in texts}


async def test_places(client: Client, folder: Path) -> None:
    uris = write(folder, shapes=SHAPES, user=USER, more=USER)
    client.open(uris["user"], USER)
    (found,) = await client.request("textDocument/definition", at(uris["user"], 1, 46))
    assert found["uri"] == uris["shapes"]
    assert found["range"]["start"] == {"line": 0, "character": 3}
    assert await client.request("textDocument/declaration", at(uris["user"], 1, 46)) == [found]
    assert await client.request("textDocument/typeDefinition", at(uris["user"], 1, 46)) == []
    highlights = await client.request("textDocument/documentHighlight", at(uris["user"], 1, 46))
    assert [h["range"]["start"]["character"] for h in highlights] == [43]
    assert await client.request("textDocument/definition", at((folder / "none.kernel").as_uri(), 0, 0)) is None


async def test_rename_in_files_that_are_not_open(client: Client, folder: Path) -> None:
    uris = write(folder, shapes=SHAPES, user=USER, more=USER)
    client.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": uri, "type": 1} for uri in uris.values()]})
    client.open(uris["user"], USER)
    prepared = await client.request("textDocument/prepareRename", at(uris["user"], 1, 46))
    assert prepared["placeholder"] == "area"
    answer = await client.request("textDocument/rename", {**at(uris["user"], 1, 46), "newName": "size_of"})
    changes = {c["textDocument"]["uri"]: (c["textDocument"]["version"], c["edits"]) for c in answer["documentChanges"]}
    assert {uri: version for uri, (version, _) in changes.items()} == {
        uris["shapes"]: None,
        uris["user"]: 1,
        uris["more"]: None,
    }
    assert {edit["newText"] for _, edits in changes.values() for edit in edits} == {"size_of"}

    locations = await client.request(
        "textDocument/references", {**at(uris["user"], 1, 46), "context": {"includeDeclaration": False}}
    )
    assert sorted(location["uri"] for location in locations) == sorted([uris["user"], uris["more"]])


async def test_refusals_are_said(client: Client, folder: Path) -> None:
    uris = write(folder, user=USER)
    client.open(uris["user"], "fn a() -> Int { return 1; }\nfn b() -> Int { return max(a(), 2); }\n")
    with pytest.raises(ServerError, match="a second `b`") as refused:
        await client.request("textDocument/rename", {**at(uris["user"], 0, 3), "newName": "b"})
    assert refused.value.code == -32803
    with pytest.raises(ServerError, match="`max` is a word of the language"):
        await client.request("textDocument/prepareRename", at(uris["user"], 1, 24))


async def test_calls(client: Client, folder: Path) -> None:
    uris = write(folder, shapes=SHAPES, user=USER)
    client.open(uris["shapes"], SHAPES)
    client.open(uris["user"], USER)
    await client.diagnosed(uris["user"])
    (item,) = await client.request("textDocument/prepareCallHierarchy", at(uris["user"], 1, 44))
    assert (item["name"], item["uri"]) == ("area", uris["shapes"])
    (incoming,) = await client.request("callHierarchy/incomingCalls", {"item": item})
    assert incoming["from"]["name"] == "twice"
    (outgoing,) = await client.request("callHierarchy/outgoingCalls", {"item": incoming["from"]})
    assert outgoing["to"] == item


async def test_tokens(client: Client, folder: Path) -> None:
    uri = write(folder, user=USER)["user"]
    legend = client.capabilities["semanticTokensProvider"]["legend"]
    client.open(uri, SHAPES)
    full = await client.request("textDocument/semanticTokens/full", {"textDocument": {"uri": uri}})
    assert [legend["tokenTypes"][type_] for type_ in full["data"][3::5]][:3] == ["keyword", "function", "parameter"]
    client.replace(uri, f"\n{SHAPES}")
    delta = await client.request(
        "textDocument/semanticTokens/full/delta",
        {"textDocument": {"uri": uri}, "previousResultId": full["resultId"]},
    )
    assert delta["edits"] == [{"start": 0, "deleteCount": 1, "data": [1]}]
    range_ = {"start": {"line": 1, "character": 0}, "end": {"line": 1, "character": 1}}
    part = await client.request("textDocument/semanticTokens/range", {"textDocument": {"uri": uri}, "range": range_})
    assert part["data"] == [1, *full["data"][1:]]


async def test_colours_change_with_other_files(client: Client, folder: Path) -> None:
    uris = write(folder, shapes="", user=USER)
    client.open(uris["user"], USER)
    asked = {"textDocument": {"uri": uris["user"]}}
    before = (await client.request("textDocument/semanticTokens/full", asked))["data"]
    client.requests.pop("workspace/semanticTokens/refresh", None)
    client.open(uris["shapes"], SHAPES)
    await client.until(lambda: client.requests["workspace/semanticTokens/refresh"])
    after = (await client.request("textDocument/semanticTokens/full", asked))["data"]
    assert len(after) == len(before) + 5
