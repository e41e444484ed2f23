"""Lines of code with their indentation."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


class Lines:
    """Text that is being written line by line; `deepest` is how far its braces have nested."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._depth = 0
        self._temporaries = 0
        self.deepest = 0

    def add(self, line: str) -> None:
        self.lines.append("  " * self._depth + line)

    def temporary(self, value: str) -> str:
        """A name for a value that is evaluated here, once."""
        name = self.fresh("t")
        self.add(f"let {name} = {value};")
        return name

    def fresh(self, hint: str) -> str:
        self._temporaries += 1
        return f"{hint}{self._temporaries}"

    @contextmanager
    def braces(self, head: str) -> Iterator[None]:
        self.add(f"{head} {{")
        with self._inside():
            yield

    @contextmanager
    def otherwise(self, head: str = "else") -> Iterator[None]:
        """Braces that go on where the ones before were closed."""
        self.lines[-1] += f" {head} {{"
        with self._inside():
            yield

    @contextmanager
    def _inside(self) -> Iterator[None]:
        self._depth += 1
        self.deepest = max(self.deepest, self._depth)
        yield
        self._depth -= 1
        self.add("}")

    @property
    def text(self) -> str:
        return "\n".join(self.lines) + "\n"
