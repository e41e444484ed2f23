"""How long an editor waits for the language server: a client over standard input and output, on the clock.

    python -m benchmarks.editor [--busy]

A workspace of 50 files is open, and in it a file of some 2,000 lines.  With --busy the analyst works all the time:
before each request a key is pressed in the large file.  Milliseconds: the median, and the 95th percentile.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import re
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable, Set
from pathlib import Path
from typing import Any

from tests.lsp.client import Client, ServerError

ROUNDS = 60
LINES = 2000
FILES = 50
OPEN = {"queued", "working", "stale"}
SETTLED = {"proved", "refuted", "unknown"}
EXAMPLES = Path(__file__).parents[1] / "examples"


def copies(count: int) -> str:
    """So many lines of the examples, each copy with names of its own."""
    texts = [path.read_text() for path in sorted(EXAMPLES.glob("*.kernel"))]
    parts: list[str] = []
    lines = number = 0
    while lines < count:
        for text in texts:
            made = _renamed(text, number)
            parts.append(made)
            lines += made.count("\n")
        number += 1
    return "\n".join(parts)


def _renamed(text: str, number: int) -> str:
    text = re.sub(r"@(\d+)", lambda found: f"@{int(found[1]) + 10 * number}", text)
    for name in sorted(set(re.findall(r"^(?:fn|struct|enum|const)\s+(\w+)", text, re.MULTILINE))):
        text = re.sub(rf"\b{name}\b", f"{name}{'_' if name[0].islower() else 'X'}{number}", text)
    return text


class Bench:
    """One server with a workspace; measures what a client sees."""

    def __init__(self, folder: Path, *, busy: bool) -> None:
        self.client = Client()
        self.folder = folder
        self.busy = busy
        self.text = copies(LINES)
        self.uri = (folder / "large.kernel").as_uri()
        self.random = random.Random(1)

    async def start(self) -> None:
        for number in range(FILES):
            part = _renamed((EXAMPLES / "photo.kernel").read_text(), number + 1000)
            (self.folder / f"file{number}.kernel").write_text(part)
        (self.folder / "large.kernel").write_text(self.text)
        start = time.perf_counter()
        await self.client.start(self.folder, options={"notifications": {"status": True}})
        print(f"start to initialized: {1000 * (time.perf_counter() - start):.0f} ms")
        start = time.perf_counter()
        self.client.open(self.uri, self.text)
        await self.client.diagnosed(self.uri)
        print(f"open to first diagnostics: {1000 * (time.perf_counter() - start):.0f} ms")
        await asyncio.sleep(5)  # the other files are analysed, and the laws proved

    # ------------------------------------------------------------ measures

    async def measure(self, name: str, once: Callable[[], Awaitable[Any]], rounds: int = ROUNDS) -> None:
        times = []
        for _ in range(rounds):
            if self.busy:
                self.press()
            start = time.perf_counter()
            await once()
            times.append(1000 * (time.perf_counter() - start))
        times.sort()
        print(f"{name:44} {statistics.median(times):8.1f} {times[int(0.95 * len(times))]:8.1f}", flush=True)

    def press(self) -> int:
        """Type a key into a comment of the large file."""
        return self.client.change(self.uri, insertion(self.comment(), "x"))

    def comment(self) -> dict[str, int]:
        lines = self.text.split("\n")
        places = [i for i, line in enumerate(lines) if line.startswith("///")]
        return {"line": self.random.choice(places), "character": 3}

    def place(self, pattern: str) -> dict[str, Any]:
        """A position in the large file where the pattern's first group stands."""
        found = self.random.choice(list(re.finditer(pattern, self.text)))
        line = self.text.count("\n", 0, found.start(1))
        start = self.text.rfind("\n", 0, found.start(1)) + 1
        return {"line": line, "character": found.start(1) - start}

    async def ask(self, method: str, pattern: str, **more: Any) -> Any:
        params = {"textDocument": {"uri": self.uri}, "position": self.place(pattern), **more}
        return await self.client.request(f"textDocument/{method}", params)

    async def of_file(self, method: str, **more: Any) -> Any:
        return await self.client.request(f"textDocument/{method}", {"textDocument": {"uri": self.uri}, **more})

    async def keystroke(self) -> None:
        """A key in a function, and the diagnostics of that version."""
        place = self.place(r"return (\w)")
        version = self.client.change(self.uri, insertion(place, "z"))
        await self.client.diagnosed(self.uri, version)
        version = self.client.change(self.uri, removal(place))
        await self.client.diagnosed(self.uri, version)

    async def mark(self) -> None:
        """A change of a merge, until its laws are shown with what becomes of them."""
        await self.merge_changed(OPEN | SETTLED)

    async def verdict(self) -> None:
        """A change of a merge, then the first verdict on it: the time includes that nobody types for a moment."""
        await self.merge_changed(SETTLED)

    async def merge_changed(self, states: Set[str]) -> None:
        """Change a merge, until one of its laws has such a state."""
        place = self.place(r"merge\(a, b\) (\{)")
        before = "\n".join(self.text.split("\n")[: place["line"]])
        kernel = re.findall(r"^kernel (\S+)", before, re.MULTILINE)[-1]
        spare = f" let spare{self.random.randrange(10**9)} = 1;"
        version = self.client.change(self.uri, insertion({**place, "character": place["character"] + 1}, spare))
        await self.client.until(lambda: not states.isdisjoint(self._states(version, kernel)))

    def _states(self, version: int, kernel: str) -> list[str]:
        return [
            law["state"]
            for status in self.client.notifications["kcheck/status"][-3:]
            if status["uri"] == self.uri and status["version"] == version
            for item in status["kernels"]
            if item["name"] == kernel
            for law in item["laws"]
        ]

    async def cancelled(self) -> None:
        wanted = {"command": "kcheck.run", "arguments": [{"uri": self.slow, "kernel": "slow.walk@1"}]}
        number, answer = self.client.begin("workspace/executeCommand", wanted)
        await asyncio.sleep(1.0)
        start = time.perf_counter()
        self.client.notify("$/cancelRequest", {"id": number})
        try:
            await answer
        except ServerError:
            self.cancels.append(1000 * (time.perf_counter() - start))

    async def cancels_of_runs(self) -> None:
        self.slow, self.cancels = (self.folder / "slow.kernel").as_uri(), list[float]()
        self.client.open(self.slow, SLOW)
        await self.client.diagnosed(self.slow)
        for _ in range(6):
            await self.cancelled()
        times = sorted(self.cancels)
        print(f"{'cancel of a run':44} {statistics.median(times):8.1f} {times[-1]:8.1f}")

    def memory(self) -> float:
        """MiB that the server itself holds; 0 where the system does not tell."""
        status = Path(f"/proc/{self.client.process.pid}/status")
        if not status.exists():
            return 0.0
        found = re.search(r"VmRSS:\s+(\d+) kB", status.read_text())
        return int(found[1]) / 1024 if found else 0.0


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


def insertion(place: dict[str, int], text: str) -> dict[str, Any]:
    return {"range": {"start": place, "end": place}, "text": text}


def removal(place: dict[str, int]) -> dict[str, Any]:
    end = {**place, "character": place["character"] + 1}
    return {"range": {"start": place, "end": end}, "text": ""}


async def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--busy", action="store_true", help="press a key before each request")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(folder), busy=arguments.busy)
        await bench.start()
        print(f"{'':44} {'median':>8} {'p95':>8}")
        name = r"\b(luma|sample|clamp|coord)\("
        await bench.measure("hover", lambda: bench.ask("hover", name))
        await bench.measure("definition", lambda: bench.ask("definition", r"return (\w+)\("))
        await bench.measure(
            "references", lambda: bench.ask("references", r"let (\w+)", context={"includeDeclaration": True})
        )
        await bench.measure("completion", lambda: bench.ask("completion", r"let \w+ = (\w)"))
        await bench.measure("signature help", lambda: bench.ask("signatureHelp", r"vec\d\((\S)"))
        await bench.measure("document symbols", lambda: bench.of_file("documentSymbol"))
        await bench.measure("semantic tokens", lambda: bench.of_file("semanticTokens/full"))
        whole = {"start": {"line": 0, "character": 0}, "end": {"line": 60, "character": 0}}
        await bench.measure("inlay hints of a screen", lambda: bench.of_file("inlayHint", range=whole))
        await bench.measure("code lenses", lambda: bench.of_file("codeLens"))
        await bench.measure("folding", lambda: bench.of_file("foldingRange"))
        await bench.measure("two keystrokes to diagnostics, each once", bench.keystroke)
        if not arguments.busy:  # with a key every moment nothing is ever proved
            await bench.measure("a merge changed to the mark of its laws", bench.mark, 20)
            await bench.measure("a merge changed to its first verdict", bench.verdict, 20)
        print(f"resident memory of the server: {bench.memory():.0f} MiB")
        await bench.cancels_of_runs()
        await bench.client.stop()


if __name__ == "__main__":
    asyncio.run(main())
