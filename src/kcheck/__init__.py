"""kcheck: a small language for GPU kernels, checked and run from Python.

    import kcheck

    module = kcheck.load("edges.kernel")
    sharpen = module["edges.sharpen"]
    out = sharpen(source=pixels, amount=0.5)
    out["result"]

Inputs, memories and params are given by name, as NumPy arrays, nested lists, numbers, paths of files
(`pathlib.Path("photo.png")`) or fields of earlier results.  Arrays have the axes of the field in NumPy's order,
`(n)`, `(h, w)`, `(d, h, w)`, and then those of the elements; structs are structured arrays.

A file that the checker refuses raises `CheckError`; a call that cannot run raises `RunError` and changes nothing.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import index
from typing import TYPE_CHECKING, Any, SupportsIndex

if TYPE_CHECKING:
    from kcheck.checker.checked import Checked
    from kcheck.checker.ir import Program
    from kcheck.grammar.diagnostics import Diagnostic
    from kcheck.runtime.errors import CheckError, RunError
    from kcheck.runtime.resident import DeviceArray
    from kcheck.runtime.results import Result
    from kcheck.runtime.values.incoming import Value

__all__ = [
    "CheckError",
    "DeviceArray",
    "Kernel",
    "Module",
    "Result",
    "RunError",
    "UnknownKernel",
    "device",
    "load",
    "loads",
]

_LAZY = {
    "CheckError": "kcheck.runtime.errors",
    "RunError": "kcheck.runtime.errors",
    "DeviceArray": "kcheck.runtime.resident",
    "Result": "kcheck.runtime.results",
}
"""Names whose modules are imported when they are first used, so that `import kcheck` costs next to nothing."""


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module `kcheck` has no attribute `{name}`")
    from importlib import import_module

    return getattr(import_module(_LAZY[name]), name)


def load(path: str | os.PathLike[str]) -> Module:
    """The kernels of a file; raises `CheckError` where it has errors, `OSError` where it cannot be read."""
    from pathlib import Path

    from kcheck.checker import check_bytes
    from kcheck.workspace import loader_for

    file = Path(path)
    return _module(check_bytes(file.read_bytes(), str(file), loader_for(file.parent)))


def loads(text: str, path: str = "<text>") -> Module:
    """The kernels of a text; `path` is the name that messages give it."""
    from pathlib import Path

    from kcheck.checker import check_text
    from kcheck.workspace import loader_for

    return _module(check_text(text, path, loader_for(Path.cwd())))


def device(array: Any) -> DeviceArray:
    """A copy of an array that stays on the graphics device: kernels that run there take it in without a transfer.

    It is read like any other, but cannot be written to.  The first run that takes it brings it to the device, and what
    such a run gives stays there too until somebody looks at it.
    """
    from kcheck.runtime.resident import resident

    return resident(array)


def _module(checked: Checked) -> Module:
    from kcheck.checker.settings import settled
    from kcheck.runtime.laws import RUN_SECONDS, judged

    checked = settled(judged(checked, RUN_SECONDS))
    if checked.has_errors:
        from kcheck.checker.render import text
        from kcheck.runtime.errors import CheckError

        raise CheckError(checked.diagnostics, text.render([checked]))
    return Module(checked)


class UnknownKernel(KeyError):
    """A module has no kernel of that name; the text names those that are near."""

    def __str__(self) -> str:
        return str(self.args[0])


class Module(Mapping[str, "Kernel"]):
    """The kernels of one file by name: `module["edges.sharpen@1"]`, or `module["edges.sharpen"]` where it has
    only one version.  Iteration gives the full names, `values()` the kernels."""

    def __init__(self, checked: Checked) -> None:
        self._checked = checked
        self._kernels = {name: Kernel(program) for name, program in checked.programs.items()}

    @property
    def path(self) -> str:
        return self._checked.file.path

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """What the checker remarks: warnings and hints, for a module has no errors."""
        return self._checked.diagnostics

    def __getitem__(self, name: str) -> Kernel:
        found = [full for full in self._kernels if full == name or full.rpartition("@")[0] == name]
        if len(found) != 1:
            raise UnknownKernel(self._unknown(name, found))
        return self._kernels[found[0]]

    def _unknown(self, name: str, found: Sequence[str]) -> str:
        if found:
            return f"{self.path} has `{name}` in several versions: {', '.join(found)}"
        from difflib import get_close_matches

        near = get_close_matches(name, self._kernels, n=3)
        meant = f"did you mean {' or '.join(near)}?" if near else f"it has {', '.join(self._kernels) or 'none'}"
        return f"{self.path} has no kernel `{name}`; {meant}"

    def __iter__(self) -> Iterator[str]:
        return iter(self._kernels)

    def __len__(self) -> int:
        return len(self._kernels)

    def __repr__(self) -> str:
        return f"<Module {self.path}: {', '.join(self._kernels)}>"


class Kernel:
    """One kernel: call it with its inputs, memories and params by name."""

    def __init__(self, program: Program) -> None:
        self.program = program
        """The checked program, as the backends take it."""
        self.__doc__ = program.doc or None

    @property
    def name(self) -> str:
        """The full name with its version."""
        return self.program.name

    def __call__(
        self,
        values: Mapping[str, Value] | None = None,
        /,
        *,
        domain: SupportsIndex | Iterable[SupportsIndex] | None = None,
        backend: str = "auto",
        fast: bool = False,
        **named: Value,
    ) -> Result:
        """Run the kernel: `out = kernel(source=pixels, k=0.2)`.

        `domain` is x first: n, (w, h) or (w, h, d); only maps and groups take one, and need it only where no input
        gives it.  `values` is for names that cannot be keywords here, `domain`, `backend` and `fast` themselves.
        With `fast` a backend may use its own arithmetic, which need not give the bits of another.
        Raises `RunError` where a value is missing, unknown or does not fit, or where the run itself fails.
        """
        from kcheck.runtime.backends import Options, execute

        return execute(
            self.program, {**(values or {}), **named}, _sizes(self.program, domain), Options(backend, fast=fast)
        )

    def __repr__(self) -> str:
        program = self.program
        ports = [f"{port.name}: {port.type}" for port in (*program.inputs, *program.memories)]
        params = [f"{param.name}: {param.type}" for param in program.params]
        outputs = [f"{port.name}: {port.type}" for port in program.outputs]
        return f"<Kernel {self.name}({', '.join(ports + params)}) -> {', '.join(outputs)}>"


def _sizes(program: Program, domain: SupportsIndex | Iterable[SupportsIndex] | None) -> tuple[int, ...] | None:
    if domain is None:
        return None
    sizes = tuple(domain) if isinstance(domain, Iterable) else (domain,)
    if all(isinstance(size, SupportsIndex) and not isinstance(size, bool) for size in sizes):
        return tuple(index(size) for size in sizes)
    from kcheck.checker import rules
    from kcheck.runtime.errors import RunError

    problem = f"the domain is {domain!r}, but sizes are whole numbers, x first: n, (w, h) or (w, h, d)"
    raise RunError(rules.SHAPE_MISMATCH.report(program.origin, problem))
