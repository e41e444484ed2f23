"""The server as clients meet it: documents, diagnostics, proofs, runs, commands, and all that can go wrong."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kcheck.lsp.documents import path_of
from tests.lsp.client import CAPABILITIES, Client, ServerError

pytestmark = pytest.mark.asyncio(loop_scope="module")

GAIN = """\
kernel sound.gain@1 {
  requires { field.read; field.write; }
  input samples: Rows<Float>;
  output result: Rows<Float>;
  param amount: Float = 2.0 in 0.0..16.0;
  compute { return sample(samples) * amount; }
  example three { samples = [1, 2, 3]; expect result = [2, 4, 6]; }
}
"""

PEAK = """\
kernel sound.peak@1 {
  requires { field.read; field.write; }
  input samples: Rows<Float>;
  output result: Rows<Float>;
  compute over samples { return sample(samples); }
  merge(a, b) { return max(a, b); }
}
"""

HELPERS = "fn twice(x: Float) -> Float { return x * 2.0; }\n"

USER = """\
use helpers;
kernel sound.loud@1 {
  requires { field.read; field.write; }
  input samples: Rows<Float>;
  output result: Rows<Float>;
  compute { return twice(sample(samples)); }
}
"""


def uri_in(folder: Path, name: str = "sound.kernel") -> str:
    return (folder / name).as_uri()


def edit(line: int, start: int, end: int, text: str) -> dict[str, Any]:
    return {
        "range": {"start": {"line": line, "character": start}, "end": {"line": line, "character": end}},
        "text": text,
    }


async def command(client: Client, command_: str, /, **wanted: Any) -> Any:
    return await client.request("workspace/executeCommand", {"command": f"kcheck.{command_}", "arguments": [wanted]})


async def law_titles(client: Client, uri: str, mark: str) -> list[str]:
    """The titles of the lenses on laws, once one has the mark; they are looked at whenever there is news."""
    for _ in range(200):
        lenses = await client.request("textDocument/codeLens", {"textDocument": {"uri": uri}})
        titles = [lens["command"]["title"] for lens in lenses if "▶" not in lens["command"]["title"]]
        if any(mark in title for title in titles):
            return titles
        await asyncio.sleep(0.1)
    raise AssertionError(f"no law became {mark}: {titles}")


# ---------------------------------------------------------------- documents and findings


async def test_findings_come_with_their_version(client: Client, folder: Path) -> None:
    uri = uri_in(folder)
    client.open(uri, GAIN)
    assert await client.codes(uri) == []
    version = client.change(uri, edit(5, 19, 35, "nowhere(samples)"))
    assert await client.codes(uri) == ["K201"]
    assert client.diagnostics[uri][0] == version
    [found] = client.diagnostics[uri][1]
    assert found["range"] == {"start": {"line": 5, "character": 19}, "end": {"line": 5, "character": 26}}
    assert (found["severity"], found["source"]) == (1, "kcheck")
    client.change(uri, edit(5, 19, 35, "sample(samples)"))
    assert await client.codes(uri) == []


async def test_a_closed_document_has_no_findings(client: Client, folder: Path) -> None:
    uri = uri_in(folder)
    client.open(uri, "fn broken( {")
    assert await client.diagnosed(uri)
    client.close(uri)
    await client.until(lambda: client.diagnostics[uri] == (None, []))


async def test_changes_count_in_utf16(client: Client, folder: Path) -> None:
    uri = uri_in(folder)
    client.open(uri, f"// \N{GRINNING FACE}\N{GRINNING FACE} é\n{GAIN}")
    assert await client.codes(uri) == []
    # Each face is two units: after them, `é` is the 8th.
    client.change(uri, edit(0, 8, 9, "\nfn one() -> Int { return true; }\n//"))
    assert await client.codes(uri) == ["K203"]


@pytest.mark.parametrize("line_break", ["\r\n", "\r"])
async def test_lines_end_as_editors_end_them(client: Client, folder: Path, line_break: str) -> None:
    uri = uri_in(folder)
    client.open(uri, GAIN.replace("\n", line_break))
    client.change(uri, edit(5, 19, 35, "nowhere"))
    [found] = await client.diagnosed(uri)
    assert found["range"]["start"] == {"line": 5, "character": 19}


async def test_a_form_feed_ends_no_line(client: Client, folder: Path) -> None:
    uri = uri_in(folder)
    client.open(uri, f"// one\N{LINE SEPARATOR}two\x0cthree\n{GAIN}")
    client.change(uri, edit(6, 19, 35, "nowhere"))
    [found] = [d for d in await client.diagnosed(uri) if d["code"] == "K201"]
    assert found["range"]["start"] == {"line": 6, "character": 19}


async def test_places_outside_the_text_count_as_its_ends(client: Client, folder: Path) -> None:
    uri = uri_in(folder)
    client.open(uri, GAIN)
    whole = {"range": {"start": {"line": 0, "character": 0}, "end": {"line": 9999, "character": 9999}}, "text": "fn"}
    client.change(uri, whole)
    assert await client.codes(uri) == ["K101"]


async def test_a_file_follows_the_files_it_uses(client: Client, folder: Path) -> None:
    user, helpers = uri_in(folder), uri_in(folder, "helpers.kernel")
    client.open(user, USER)
    assert await client.codes(user) == ["K221"]
    client.open(helpers, HELPERS)  # nothing lies on disk: what is open counts
    (folder / "helpers.kernel").write_text("")
    client.change(helpers, edit(0, 0, 0, "// here\n"))
    await client.until(lambda: client.diagnostics[user][1] == [])
    client.replace(helpers, HELPERS.replace("Float", "Int"))
    await client.until(lambda: [d["code"] for d in client.diagnostics[user][1]] != [])


async def test_a_file_that_appears_is_found(client: Client, folder: Path) -> None:
    user = uri_in(folder)
    client.open(user, USER)
    assert await client.diagnosed(user)
    (folder / "helpers.kernel").write_text(HELPERS)
    changes = [{"uri": uri_in(folder, "helpers.kernel"), "type": 1}]
    client.notify("workspace/didChangeWatchedFiles", {"changes": changes})
    await client.until(lambda: client.diagnostics[user][1] == [])


async def test_settings_of_the_project_count(client: Client, folder: Path) -> None:
    uri = uri_in(folder)
    unused = GAIN.replace("return sample", "let spare = 1; return sample")
    client.open(uri, unused)
    codes = await client.codes(uri)
    assert codes
    (folder / "kcheck.toml").write_text(f"allow = {json.dumps(codes)}")
    client.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": uri_in(folder, "kcheck.toml"), "type": 2}]})
    await client.until(lambda: client.diagnostics[uri][1] == [])


async def test_200_open_kernels_follow_a_change_in_what_they_use(client: Client, folder: Path) -> None:
    helpers, users = uri_in(folder, "helpers.kernel"), [uri_in(folder, f"user{i}.kernel") for i in range(200)]
    client.open(helpers, HELPERS)
    (folder / "helpers.kernel").write_text(HELPERS)
    for number, uri in enumerate(users):
        client.open(uri, USER.replace("sound.loud", f"sound.loud{number}"))
    for uri in users:
        assert await client.codes(uri) == []
    client.replace(helpers, HELPERS.replace("twice", "double"))
    await client.until(lambda: all("K201" in [d["code"] for d in client.diagnostics[uri][1]] for uri in users))
    client.replace(helpers, HELPERS)
    await client.until(lambda: not any(client.diagnostics[uri][1] for uri in users))


# ---------------------------------------------------------------- laws


async def test_laws_are_proved_when_typing_stops(client: Client, folder: Path) -> None:
    uri = uri_in(folder)
    client.open(uri, PEAK)
    await law_titles(client, uri, "✓ associative and commutative: proved")


async def test_a_refuted_law_shows_its_elements(client: Client, folder: Path) -> None:
    uri = uri_in(folder)
    client.open(uri, PEAK.replace("max(a, b)", "a - b"))
    titles = await law_titles(client, uri, "✗")
    assert any("associative" in title for title in titles)
    await client.until(lambda: "K401" in [d["code"] for d in client.diagnostics[uri][1]])
    found = await command(client, "witness", uri=uri, kernel="sound.peak@1", law="commutative")
    assert found["left"]["text"] == "merge(a, b)"
    assert found["left"]["value"] != found["right"]["value"]
    await command(client, "saveWitness", uri=uri, kernel="sound.peak@1", law="commutative")
    [applied] = client.requests["workspace/applyEdit"]
    [change] = applied["edit"]["documentChanges"]
    [added] = change["edits"]
    assert "example not_commutative {" in added["newText"]
    client.change(uri, {"range": added["range"], "text": added["newText"]})
    assert {d["code"] for d in await client.diagnosed(uri)} <= {"K401"}


async def test_proofs_can_be_turned_off_and_on(folder: Path) -> None:
    client = Client({"proofs": False})
    await client.start(folder)
    uri = uri_in(folder)
    client.open(uri, PEAK.replace("max(a, b)", "a - b"))
    assert "K401" not in await client.codes(uri)
    client.settings = {"proofs": True}
    client.notify("workspace/didChangeConfiguration", {"settings": None})
    await law_titles(client, uri, "✗")
    await client.until(lambda: "K401" in [d["code"] for d in client.diagnostics[uri][1]])
    client.settings = {"proofs": False}
    client.notify("workspace/didChangeConfiguration", {"settings": None})
    await client.until(lambda: "K401" not in [d["code"] for d in client.diagnostics[uri][1]])
    lenses = await client.request("textDocument/codeLens", {"textDocument": {"uri": uri}})
    assert [lens["command"]["title"] for lens in lenses] == ["▶ run"]
    assert await client.stop() == 0


# A product without carries: nobody has decided this one within a second.
HARD = PEAK.replace("Float", "Int").replace(
    "return max(a, b);", "var x = 0; for i in 0..32 { x ^= (a << i) & (0 - ((b >>> i) & 1)); } return x;"
)


async def test_what_was_being_proved_is_asked_again_after_a_restart(client: Client, folder: Path) -> None:
    uri = uri_in(folder)
    client.open(uri, HARD)
    await law_titles(client, uri, "proving")
    await command(client, "restartWorkers")
    titles = await law_titles(client, uri, "…")
    assert not any("not decided" in title for title in titles)
    client.replace(uri, PEAK)
    await law_titles(client, uri, "✓")
    assert not [m for m in client.notifications["window/showMessage"] if "stopped" in m["message"]]


async def test_nothing_is_called_proved_after_a_change(client: Client, folder: Path) -> None:
    uri = uri_in(folder)
    client.open(uri, PEAK)
    await law_titles(client, uri, "✓")
    client.change(uri, edit(5, 23, 32, "a * b - 1.0"))
    lenses = await client.request("textDocument/codeLens", {"textDocument": {"uri": uri}})
    titles = [lens["command"]["title"] for lens in lenses]
    assert not any("✓" in title for title in titles)
    await law_titles(client, uri, "✗")


# ---------------------------------------------------------------- runs


async def test_an_example_runs(client: Client, folder: Path) -> None:
    uri = uri_in(folder)
    client.open(uri, GAIN)
    found = await command(client, "run", uri=uri, kernel="sound.gain@1", example="three")
    [output] = found["outputs"]
    assert (output["name"], output["values"]) == ("result", [2, 4, 6])
    assert found["expectations"] == [{"output": "result", "ok": True}]
    # A client that asked for no results is told in a line.
    [shown] = await client.until(lambda: client.notifications["window/showMessage"])
    assert "sound.gain@1 ran on the" in shown["message"]


async def test_a_failed_expectation_is_a_finding(client: Client, folder: Path) -> None:
    uri = uri_in(folder)
    client.open(uri, GAIN.replace("[2, 4, 6]", "[2, 4, 7]"))
    await command(client, "run", uri=uri, kernel="sound.gain@1")
    found = await client.until(lambda: client.diagnostics[uri][1])
    assert [d["code"] for d in found] == ["K716"]
    assert "expected 7.0" in found[0]["message"]
    # It is about the code as it was: a change takes it away.
    client.change(uri, edit(5, 37, 43, "(amount + 0.0)"))
    assert await client.codes(uri) == []


async def test_values_given_once_are_remembered(client: Client, folder: Path) -> None:
    uri = uri_in(folder)
    client.open(uri, PEAK)
    with pytest.raises(ServerError) as refused:
        await command(client, "run", uri=uri, kernel="sound.peak@1")
    assert refused.value.data == {"needs": [{"name": "samples", "kind": "input", "type": "Rows<Float>"}]}
    found = await command(client, "run", uri=uri, kernel="sound.peak@1", values={"samples": "[1, 3, 2]"})
    assert found["outputs"][0]["values"] == [3]
    again = await command(client, "run", uri=uri, kernel="sound.peak@1")
    assert again["outputs"][0]["values"] == [3]
    with pytest.raises(ServerError) as asked:
        await command(client, "run", uri=uri, kernel="sound.peak@1", ask=True)
    assert asked.value.data == refused.value.data


async def test_backends_are_compared(client: Client, folder: Path) -> None:
    uri = uri_in(folder)
    client.open(uri, GAIN)
    found = await command(client, "compare", uri=uri, kernel="sound.gain@1")
    assert (found["same"], found["backends"]) == (True, ["interpreter", "jit"])
    (shown,) = found["outputs"]  # to look at, as after a run
    assert (shown["name"], shown.get("difference")) == ("result", None)
    assert np.load(path_of(shown["file"])).tolist() == shown["values"]


SLOW = """\
kernel slow.walk@1 {
  requires { field.read; field.write; }
  output result: Rows<Int>;
  compute {
    var x = 1;
    for i in 0..2000000000 { x = x * 3 + i; for j in 0..2000000000 { x ^= j * i; } }
    return x;
  }
  example one { domain = 1000; }
}
"""


async def test_a_run_is_cancelled_at_once(client: Client, folder: Path) -> None:
    uri = uri_in(folder)
    client.open(uri, SLOW)
    await client.diagnosed(uri)
    wanted = {"command": "kcheck.run", "arguments": [{"uri": uri, "kernel": "slow.walk@1"}]}
    number, answer = client.begin("workspace/executeCommand", wanted)
    await asyncio.sleep(3.0)
    assert not answer.done()
    # Meanwhile nothing else waits.
    symbols = await client.request("textDocument/documentSymbol", {"textDocument": {"uri": uri}}, seconds=1.0)
    assert symbols
    client.notify("$/cancelRequest", {"id": number})
    with pytest.raises(ServerError):
        await asyncio.wait_for(answer, 1.0)
    client.replace(uri, GAIN)
    found = await command(client, "run", uri=uri, kernel="sound.gain@1")
    assert found["outputs"][0]["values"] == [2, 4, 6]


async def test_new_limits_end_no_run(client: Client, folder: Path) -> None:
    uri = uri_in(folder)
    client.open(uri, SLOW.replace("2000000000", "4000") + GAIN)
    wanted = {"command": "kcheck.run", "arguments": [{"uri": uri, "kernel": "slow.walk@1"}]}
    _, answer = client.begin("workspace/executeCommand", wanted)
    await asyncio.sleep(0.5)
    client.settings = {"runMemory": 1500}
    client.notify("workspace/didChangeConfiguration", {"settings": None})
    await asyncio.sleep(0.2)
    await command(client, "run", uri=uri, kernel="sound.gain@1")
    assert "error" not in await answer
    client.settings = {"runMemory": 2048}
    client.notify("workspace/didChangeConfiguration", {"settings": None})


async def test_a_run_has_memory_enough_to_begin(client: Client, folder: Path) -> None:
    uri = uri_in(folder)
    client.open(uri, GAIN)
    client.settings = {"runMemory": 40}
    client.notify("workspace/didChangeConfiguration", {"settings": None})
    told = await client.until(lambda: [m for m in client.notifications["window/showMessage"] if "runM" in m["message"]])
    assert told[0]["message"] == "the setting kcheck.runMemory cannot be 40: at least 256 is needed"
    client.settings = {"runMemory": 256}
    client.notify("workspace/didChangeConfiguration", {"settings": None})
    found = await command(client, "run", uri=uri, kernel="sound.gain@1")
    assert found["outputs"][0]["values"] == [2, 4, 6]
    client.settings = {"runMemory": 2048}
    client.notify("workspace/didChangeConfiguration", {"settings": None})


async def test_the_same_findings_are_not_sent_again(client: Client, folder: Path) -> None:
    uri = uri_in(folder)
    client.open(uri, GAIN)
    await client.codes(uri)
    for _ in range(3):
        await command(client, "run", uri=uri, kernel="sound.gain@1")
    await asyncio.sleep(0.2)
    sent = [p for p in client.notifications["textDocument/publishDiagnostics"] if p["uri"] == uri and p.get("version")]
    versions = [p["version"] for p in sent]
    assert len(versions) == len(set(versions)), sent


@pytest.mark.parametrize("backend", [["jit"], {"name": "jit"}, 3])
async def test_a_backend_is_named_by_a_word(client: Client, folder: Path, backend: Any) -> None:
    uri = uri_in(folder)
    client.open(uri, GAIN)
    with pytest.raises(ServerError, match="no backend"):
        await command(client, "run", uri=uri, kernel="sound.gain@1", backend=backend)
    with pytest.raises(ServerError, match="name two of"):
        await command(client, "compare", uri=uri, kernel="sound.gain@1", backends=[backend, backend])


async def test_no_code_beside_a_kernel_is_run(client: Client, folder: Path) -> None:
    mark = folder / "mark"
    for name in ("json.py", "kcheck.py"):
        (folder / name).write_text(f"open({str(mark)!r}, 'w')")
    uri = uri_in(folder)
    client.open(uri, GAIN)
    await command(client, "show", uri=uri, kernel="sound.gain@1", what="ir")
    assert not mark.exists()


async def test_forms_are_shown(client: Client, folder: Path) -> None:
    uri = uri_in(folder)
    client.open(uri, GAIN)
    found = await command(client, "show", uri=uri, kernel="sound.gain@1", what="ir")
    assert found["text"].startswith("program sound.gain@1")
    with pytest.raises(ServerError, match="to show, not machine"):
        await command(client, "show", uri=uri, kernel="sound.gain@1", what="machine")


async def test_a_new_package_checks(client: Client, folder: Path) -> None:
    made = await command(client, "newPackage", uri=folder.as_uri(), name="fresh")
    path = folder / "fresh" / "fresh.kernel"
    assert made["uri"] == path.as_uri()
    client.open(made["uri"], path.read_text())
    assert await client.codes(made["uri"]) == []


# ---------------------------------------------------------------- what can go wrong


async def test_every_request_has_an_answer(client: Client, folder: Path) -> None:
    for method, params in (
        ("textDocument/hover", {"nothing": "of use"}),
        ("textDocument/documentSymbol", {"textDocument": {"uri": "file:///not/open.kernel"}}),
        ("workspace/executeCommand", {"command": "kcheck.unknown"}),
        ("workspace/executeCommand", {"command": "kcheck.run", "arguments": [3]}),
        ("workspace/executeCommand", {"command": "kcheck.run", "arguments": [{}]}),
        ("no/such/method", {}),
        ("initialize", {"capabilities": {}, "processId": None, "rootUri": None}),
    ):
        _, answer = client.begin(method, params)
        error = await client.answered(answer, 5.0)
        assert error is None or str(error)


async def test_edits_of_what_is_not_open_change_nothing(client: Client, folder: Path) -> None:
    uri = uri_in(folder)
    for method in ("didChange", "didClose", "didSave"):
        document = {"uri": uri, "version": 7}
        client.notify(f"textDocument/{method}", {"textDocument": document, "contentChanges": [{"text": "x"}]})
    client.open(uri, GAIN)
    assert await client.codes(uri) == []


@pytest.mark.parametrize("uri", ["untitled:Untitled-1", "git:/a/b.kernel?ref=HEAD", "vscode-notebook-cell:/x#1"])
async def test_documents_need_no_file(client: Client, uri: str) -> None:
    client.open(uri, GAIN)
    assert await client.codes(uri) == []
    client.replace(uri, PEAK.replace("max(a, b)", "a"))
    await client.until(lambda: "K401" in [d["code"] for d in client.diagnostics[uri][1]])


@pytest.mark.parametrize(
    "uri",
    [
        "file:///a%00b.kernel",
        "file:",
        "http://[bad/x",
        "file:///\ud800.kernel",
        f"file:///{'a/' * 3000}x.kernel",
        f"file:///{'a' * 300}.kernel",
    ],
    ids=["zero", "nothing", "broken", "surrogate", "deep", "long"],
)
async def test_odd_names_are_survived(client: Client, uri: str) -> None:
    client.open(uri, GAIN)
    assert await client.codes(uri) == []
    assert not [m for m in client.notifications["window/showMessage"] if "fault" in m["message"]]


async def test_a_semicolon_belongs_to_a_name(client: Client, folder: Path) -> None:
    uri = folder.as_uri() + "/a;b.kernel"
    client.open(uri, GAIN)
    with pytest.raises(ServerError, match=r"in .*a;b\.kernel"):
        await command(client, "run", uri=uri, kernel="nothing@1")


async def test_a_file_open_twice_stays_open_when_one_is_closed(client: Client, folder: Path) -> None:
    one, other = folder.as_uri() + "/a%20b.kernel", folder.as_uri() + "/./a%20b.kernel"
    client.open(one, "fn broken( {")
    client.open(other, GAIN)
    assert await client.codes(other) == []
    client.close(other)
    await client.until(lambda: client.diagnostics[other] == (None, []))
    found = await client.request("textDocument/foldingRange", {"textDocument": {"uri": one}})
    assert found == []  # of the text that is open
    assert await client.codes(one) == ["K101"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names")
async def test_nobody_waits_for_a_pipe(folder: Path) -> None:
    os.mkfifo(folder / "pipe.kernel")
    client = Client()
    await client.start(folder)
    uri = uri_in(folder)
    client.open(uri, "use pipe;\n" + GAIN)
    assert await client.codes(uri) == ["K221"]
    assert await client.stop() == 0


@pytest.mark.parametrize(
    "text",
    ["", "\0\1\2\ufffd" * 100, "\ud800 fn", "{" * 5000, "(" * 100_000, "x" * 2_000_000, "/*" * 1000, "\ufeff" + GAIN],
    ids=["empty", "binary", "surrogate", "braces", "deep", "huge", "comments", "mark"],
)
async def test_odd_texts_are_survived(client: Client, folder: Path, text: str) -> None:
    uri = uri_in(folder)
    client.open(uri, text)
    await client.diagnosed(uri)
    for method in ("documentSymbol", "foldingRange", "codeLens", "documentLink"):
        await client.request(f"textDocument/{method}", {"textDocument": {"uri": uri}})
    client.replace(uri, GAIN)
    assert await client.codes(uri) == []


async def test_messages_that_nobody_can_read_are_survived(client: Client, folder: Path) -> None:
    for body in (
        b"{",
        b"[]",
        b"null",
        b'{"jsonrpc": "2.0"}',
        b'{"method": 3}',
        b"\xff\xfe",
        b'{"jsonrpc":"1.0","id":1}',
    ):
        client.send_raw(body)
    client.open(uri_in(folder), GAIN)
    assert await client.codes(uri_in(folder)) == []


async def test_requests_before_and_after_the_session_are_refused(folder: Path) -> None:
    client = Client()
    await client.start(folder)
    await client.request("shutdown", None)
    with pytest.raises(ServerError):
        await client.request("textDocument/hover", {}, seconds=5.0)
    client.notify("exit", None)
    assert await asyncio.wait_for(client.process.wait(), 10) == 0


async def test_a_client_may_end_without_waiting_for_the_answer(folder: Path) -> None:
    client = Client()
    await client.start(folder)
    client.open(uri_in(folder), GAIN)
    await command(client, "run", uri=uri_in(folder), kernel="sound.gain@1")  # so that there is a process to end
    client.begin("shutdown", None)
    client.notify("exit", None)
    assert await asyncio.wait_for(client.process.wait(), 10) == 0


def children(process: int) -> list[int]:
    found = subprocess.run(["ps", "-eo", "pid=,ppid="], capture_output=True, text=True, check=True)
    pairs = [tuple(map(int, line.split())) for line in found.stdout.splitlines()]
    own = [pid for pid, parent in pairs if parent == process]
    return own + [pid for child in own for pid in children(child)]


def is_alive(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks for processes as Linux shows them")
@pytest.mark.parametrize("how", ["closed pipes", "killed"])
async def test_no_process_outlives_a_client(folder: Path, how: str) -> None:
    client = Client()
    await client.start(folder)
    uri = uri_in(folder)
    client.open(uri, PEAK + GAIN)
    await law_titles(client, uri, "✓")
    await command(client, "run", uri=uri, kernel="sound.gain@1")
    family = [client.process.pid, *children(client.process.pid)]
    assert len(family) >= 3
    if how == "killed":
        client.process.kill()
    else:
        assert client.process.stdin is not None
        client.process.stdin.close()
    await asyncio.wait_for(client.process.wait(), 10)
    for _ in range(100):
        if not any(map(is_alive, family)):
            return
        await asyncio.sleep(0.1)
    raise AssertionError(f"left over: {[pid for pid in family if is_alive(pid)]}")


@pytest.mark.skipif(os.name != "posix", reason="signal 0 looks for a process")
async def test_the_server_ends_with_the_process_that_it_was_told_of(folder: Path) -> None:
    other = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(2)"])
    client = Client()
    await client.start(folder, process_id=other.pid)
    other.wait()
    assert await asyncio.wait_for(client.process.wait(), 20) == 1


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks for processes as Linux shows them")
async def test_a_crashed_process_is_started_again_and_told_once(client: Client, folder: Path) -> None:
    uri = uri_in(folder)
    client.open(uri, GAIN)
    await command(client, "run", uri=uri, kernel="sound.gain@1")
    for pid in children(client.process.pid):
        os.kill(pid, signal.SIGKILL)
    await asyncio.sleep(0.2)
    found = await command(client, "run", uri=uri, kernel="sound.gain@1")
    assert found["outputs"][0]["values"] == [2, 4, 6]


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks for processes as Linux shows them")
async def test_a_prover_that_ended_is_started_again(client: Client, folder: Path) -> None:
    uri = uri_in(folder)
    client.open(uri, PEAK)
    await law_titles(client, uri, "✓")
    for pid in children(client.process.pid):
        os.kill(pid, signal.SIGKILL)
    await asyncio.sleep(0.2)
    client.replace(uri, PEAK.replace("max(a, b)", "min(a, b)"))
    await law_titles(client, uri, "✓ associative and commutative: proved")


async def test_what_is_refused_is_not_logged(folder: Path, tmp_path: Path) -> None:
    log = tmp_path / "log"
    client = Client()
    await client.start(folder, arguments=("--log", str(log)))
    uri = uri_in(folder)
    client.open(uri, GAIN)
    with pytest.raises(ServerError, match="there is no kernel"):
        await command(client, "run", uri=uri, kernel="nothing@1")
    assert await client.stop() == 0
    assert "Traceback" not in log.read_text()


async def test_a_client_that_was_not_asked_to_pull_is_pushed_to(folder: Path) -> None:
    client = Client({"pullDiagnostics": True})  # too late: what the server can do was agreed on before
    await client.start(folder)
    await client.until(lambda: client.requests["workspace/configuration"])
    await asyncio.sleep(0.2)
    uri = uri_in(folder)
    client.open(uri, "fn broken( {")
    assert await client.codes(uri) == ["K101"]
    assert await client.stop() == 0


async def test_what_keeps_the_server_from_starting_is_said_in_a_line(tmp_path: Path) -> None:
    for arguments in (["--tcp", "99999999"], ["--log", str(tmp_path / "nowhere" / "log")]):
        command_ = [sys.executable, "-m", "kcheck", "lsp", *arguments]
        ended = subprocess.run(command_, check=False, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        assert ended.returncode == 2
        assert len(ended.stderr.splitlines()) == 1


async def test_a_client_that_pulls_is_not_pushed_to(folder: Path) -> None:
    client = Client()
    await client.start(folder, options={"pullDiagnostics": True})
    assert client.capabilities["diagnosticProvider"]["interFileDependencies"] is True
    uri = uri_in(folder)
    client.open(uri, "fn broken( {")
    report = await client.request("textDocument/diagnostic", {"textDocument": {"uri": uri}})
    assert [d["code"] for d in report["items"]] == ["K101"]
    assert uri not in client.diagnostics
    assert await client.stop() == 0


async def test_a_client_without_capabilities_is_served(folder: Path) -> None:
    client = Client()
    await client.start(folder, capabilities={})
    uri = uri_in(folder)
    client.open(uri, GAIN)
    assert await client.codes(uri) == []
    symbols = await client.request("textDocument/documentSymbol", {"textDocument": {"uri": uri}})
    assert symbols[0]["location"]["uri"] == uri  # the flat form
    assert await client.stop() == 0


async def test_settings_that_make_no_sense_are_told(folder: Path) -> None:
    client = Client({"proofTimeout": -1, "backend": 3, "unknown": True})
    await client.start(folder, capabilities=CAPABILITIES)
    await client.until(lambda: len(client.notifications["window/showMessage"]) >= 2)
    assert await client.stop() == 0


async def test_symbols_are_those_of_the_texts_as_they_stand(folder: Path) -> None:
    (folder / "helpers.kernel").write_text(HELPERS)
    client = Client()
    await client.start(folder)
    uri = uri_in(folder, "helpers.kernel")

    async def named(query: str) -> list[str]:
        found = await client.request("workspace/symbol", {"query": query})
        return [symbol["location"]["uri"] for symbol in found]

    client.open(uri, HELPERS.replace("twice", "thrice"))
    assert (await named("twice"), await named("thrice")) == ([], [uri])
    client.close(uri)
    assert (await named("twice"), await named("thrice")) == ([uri], [])
    never_saved = uri_in(folder, "unsaved.kernel")
    client.open(never_saved, HELPERS.replace("twice", "thrice"))
    assert await named("thrice") == [never_saved]
    client.close(never_saved)
    assert await named("thrice") == []
    assert await client.stop() == 0


@pytest.mark.skipif(os.name != "posix", reason="links need rights elsewhere")
async def test_a_workspace_behind_a_link_is_one(folder: Path, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(folder)
    (folder / "helpers.kernel").write_text(HELPERS)
    client = Client()
    await client.start(link)
    user, helpers = uri_in(link), uri_in(link, "helpers.kernel")
    client.open(user, USER)
    assert await client.codes(user) == []
    client.open(helpers, HELPERS.replace("twice", "thrice"))
    await client.until(lambda: client.diagnostics[user][1])
    client.close(helpers)
    await client.until(lambda: not client.diagnostics[user][1])
    found = await client.request("workspace/symbol", {"query": "twice"})
    assert [symbol["location"]["uri"] for symbol in found] == [helpers]
    assert await client.stop() == 0
