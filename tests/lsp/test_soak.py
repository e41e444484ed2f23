"""A day at the keyboard: random edits, undo, renames, saves, and at each checkpoint what a fresh check says.

`KCHECK_EDITS` sets how many edits (10,000 take some ten minutes).
"""

import os
import random
import re
from pathlib import Path
from typing import Any

import pytest

from kcheck.checker.check import check_text
from kcheck.checker.settings import settled
from kcheck.workspace import loader_for
from tests.lsp.client import Client

pytestmark = pytest.mark.asyncio(loop_scope="module")

EDITS = int(os.environ.get("KCHECK_EDITS", "300"))
CHECKPOINT = 50
EXAMPLES = Path(__file__).parents[2] / "examples"
SCRAPS = (
    "", "x", ";", "}", "{", "(", ")", " ", "\n", "let y = 1;", "sample(", "0.5", "// note\n", "/* ", "*/", "é",
    "\U0001f600", "kernel a.b@1 {", "fn f(x: Int) -> Int { return x; }\n", "use helpers;\n",
    "merge(a, b) { return a; }", "\r\n", '"',
)  # fmt: skip
ASKED = ("hover", "definition", "completion", "signatureHelp", "documentHighlight", "prepareRename")


class Typist:
    """Edits one document through a client, and knows what its text must be."""

    def __init__(self, client: Client, uri: str, text: str, seed: int) -> None:
        self.client = client
        self.uri = uri
        self.text = text
        self.random = random.Random(seed)
        self.undo: list[str] = [text]
        client.open(uri, text)

    async def edit(self) -> None:
        kind = self.random.random()
        if kind < 0.1 and len(self.undo) > 1:
            self.undo.pop()
            self._set(self.undo[-1])
        elif kind < 0.15:
            # As editors send a multi-cursor edit: each change counts from the text after the one before.
            for _ in range(3):
                self._type()
        elif kind < 0.17:
            self.client.notify("textDocument/didSave", {"textDocument": {"uri": self.uri}})
        elif kind < 0.19:
            self.client.close(self.uri)
            self.client.open(self.uri, self.text)
        elif kind < 0.35:
            await self._ask()
        else:
            self._type()

    def _type(self) -> None:
        if len(self.text) > 40_000:
            self._set(self.undo[0])
            return
        start = self.random.randrange(len(self.text) + 1)
        if self.random.random() < 0.6:  # most edits are near the last, and small
            start = min(len(self.text), self.random.choice([m.start() for m in re.finditer(r"\w+|$", self.text)]))
        end = min(len(self.text), start + self.random.choice((0, 0, 0, 1, 1, 3, 20)))
        start, end = outside_breaks(self.text, start), outside_breaks(self.text, end)
        new = self.random.choice(SCRAPS)
        change = {"range": {"start": position(self.text, start), "end": position(self.text, end)}, "text": new}
        self.client.change(self.uri, change)
        self.text = self.text[:start] + new + self.text[end:]
        self.undo = [*self.undo[-20:], self.text]

    def _set(self, text: str) -> None:
        self.client.replace(self.uri, text)
        self.text = text

    async def _ask(self) -> None:
        """A request whose answer nobody waits for, as it happens to those who type fast."""
        place = position(self.text, self.random.randrange(len(self.text) + 1))
        method = self.random.choice(ASKED)
        params = {"textDocument": {"uri": self.uri}, "position": place}
        number, answer = self.client.begin(f"textDocument/{method}", params)
        if self.random.random() < 0.3:
            self.client.notify("$/cancelRequest", {"id": number})
        error = await self.client.answered(answer)
        assert error is None or error.code in (-32800, -32602, -32803), error  # cancelled, or refused in words

    async def compare(self) -> None:
        """The diagnostics, but for those on laws and runs, are those of a fresh check."""
        if not self.text:
            return
        found = await self.client.diagnosed(self.uri)
        path = self.uri.removeprefix("file://")
        checked = settled(check_text(self.text, path, loader_for(Path(path).parent, str)), laws=False)
        lines = checked.file.lines
        expected = []
        for diagnostic in checked.diagnostics:
            span = checked.file.absolute(diagnostic.origin)
            ends = (lines.position(span.start), lines.position(span.end))
            expected.append((diagnostic.code, *((end.line, end.character) for end in ends)))
        got = [
            (d["code"], *((d["range"][e]["line"], d["range"][e]["character"]) for e in ("start", "end"))) for d in found
        ]
        assert sorted(one for one in got if not one[0].startswith("K4")) == sorted(
            one for one in expected if not one[0].startswith("K4")
        )


def outside_breaks(text: str, offset: int) -> int:
    """No editor has a cursor between the two characters of a line break."""
    return offset - 1 if text[max(0, offset - 1) : offset + 1] == "\r\n" else offset


def position(text: str, offset: int) -> dict[str, Any]:
    """As a client counts it, worked out the slow way."""
    before = re.split(r"\r\n|\r|\n", text[: outside_breaks(text, offset)])
    return {"line": len(before) - 1, "character": len(before[-1].encode("utf-16-le")) // 2}


async def test_a_day_of_edits(client: Client, folder: Path) -> None:
    (folder / "helpers.kernel").write_text("fn twice(x: Float) -> Float { return x * 2.0; }\n")
    typists = []
    for seed, name in enumerate(("photo.kernel", "lists.kernel")):
        text = (EXAMPLES / name).read_text()
        typists.append(Typist(client, (folder / name).as_uri(), text, seed))
    for number in range(EDITS):
        typist = typists[number % 7 == 0]
        await typist.edit()
        if number % CHECKPOINT == CHECKPOINT - 1:
            for one in typists:
                await one.compare()
    for one in typists:
        await one.compare()
    assert not [m for m in client.notifications["window/showMessage"] if "fault" in m["message"]]


async def test_positions_count_as_clients_do() -> None:
    assert position("a\U0001f600b", 3) == {"line": 0, "character": 4}
    assert position("a\r\nb", 3) == {"line": 1, "character": 0}
