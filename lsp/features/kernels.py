"""The kernels of a file, as lenses, actions and the status speak of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from lsprotocol import types as lsp

from kcheck.checker import ir
from kcheck.grammar import syntax
from kcheck.grammar.source import ParsedItem
from kcheck.grammar.spans import Span
from kcheck.lsp.view import View


@dataclass(frozen=True, slots=True)
class KernelItem:
    """`program` is None where the kernel has an error."""

    item: ParsedItem
    node: syntax.Kernel
    program: ir.Program | None

    @property
    def name(self) -> str:
        return self.node.name.text

    @property
    def name_span(self) -> Span:
        """In the file."""
        return self.node.name.span.shifted(self.item.offset)

    @property
    def span(self) -> Span:
        return self.node.span.shifted(self.item.offset)

    @property
    def merge(self) -> syntax.Merge | None:
        return next((member for member in self.node.members if isinstance(member, syntax.Merge)), None)

    @property
    def examples(self) -> list[syntax.Example]:
        return [member for member in self.node.members if isinstance(member, syntax.Example)]


def kernels(view: View) -> Iterator[KernelItem]:
    for item in view.file.items:
        if isinstance(item.node, syntax.Kernel):
            program = view.checked.programs.get(item.node.name.text)
            # Of two kernels of one name the first has the program.
            own = program is not None and program.origin.item == item.key
            yield KernelItem(item, item.node, program if own else None)


def kernel_at(view: View, offset: int) -> KernelItem | None:
    return next((k for k in kernels(view) if k.span.start <= offset <= k.span.end), None)


def kernel_of(view: View, item: ParsedItem) -> KernelItem | None:
    """The kernel that an item is."""
    return next((k for k in kernels(view) if k.item is item), None)


def kernel_named(view: View, name: str) -> KernelItem | None:
    """By its full name, or without the version where that is enough."""
    found = [k for k in kernels(view) if name in (k.name, k.name.rpartition("@")[0])]
    return found[0] if len(found) == 1 else next((k for k in found if k.name == name), None)


def examples_of(view: View, kernel: str) -> list[str]:
    """The names of a kernel's examples that have no error."""
    return [example.name for example in view.checked.examples if example.kernel == kernel]


def status(view: View, *, is_current: bool) -> dict[str, object]:
    """The `kcheck/status` notification."""
    return {
        "uri": view.uri,
        "version": view.version,
        "state": "ready" if is_current else "working",
        "kernels": [
            {
                "name": kernel.name,
                "range": plain_range(view.range(kernel.span)),
                "selectionRange": plain_range(view.range(kernel.name_span)),
                "hasErrors": kernel.program is None,
                "examples": examples_of(view, kernel.name),
                "laws": [
                    {
                        "law": law.law.value,
                        "state": law.state.value,
                        "assuming": list(law.finding.assuming) if law.finding else [],
                        "reason": law.finding.reason if law.finding else "",
                        "seconds": law.finding.seconds if law.finding else 0.0,
                    }
                    for law in view.laws.get(kernel.name, ())
                ],
            }
            for kernel in kernels(view)
        ],
    }


def plain_range(range_: lsp.Range) -> dict[str, object]:
    """A range as JSON has it."""
    return {
        "start": {"line": range_.start.line, "character": range_.start.character},
        "end": {"line": range_.end.line, "character": range_.end.character},
    }
