"""The generated parser, from the user's cache folder, or made now and put there.

Making it takes textX and some 300 ms, loading it less than 10. Its file is named by a hash of all that it was made
from, so that it never has to be judged old: the grammar, this package, textX, Python. Nothing here fails because of
the folder; without one every process makes the parser anew.
"""

from __future__ import annotations

import marshal
import sys
from collections.abc import Callable, Iterator
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from types import CodeType
from typing import Any, TypeAlias

from kcheck.grammar.cached_files import cache_folder, forget_old, read, sealed, unsealed, write

GRAMMAR = Path(__file__).parents[1] / "kernel.tx"

LISTS = frozenset(
    {
        "Struct.fields",
        "Enumeration.variants",
        "VariantBody.fields",
        "Kernel.members",
        "Example.entries",
        "Scene.entries",
        "SceneNode.settings",
        "Block.statements",
        "Match.arms",
    }
)
"""The lists in which reading goes on behind an element that is wrong."""

Reading: TypeAlias = tuple[Any, int, frozenset[str], tuple[tuple[str, int], ...]]
"""What a text gives: its tree or None, the offset where reading stopped, the names expected there, and the elements
of `LISTS` inside of which that was, the outermost first: each as its list and its offset."""

# What decides how textX reads.
_FOREIGN_SOURCES = {"textx": ("lang.py", "metamodel.py", "model.py"), "arpeggio": ("__init__.py",)}


def kernel_parser() -> Callable[[str], Reading]:
    """The function that reads what `kernel.tx` describes."""
    place = _place()
    code = (_load(place) if place is not None else None) or _make(place)
    module: dict[str, Any] = {"__name__": "kcheck.grammar.generated"}
    exec(code, module)
    read: Callable[[str], Reading] = module["read"]
    return read


def _place() -> Path | None:
    """Where the parser is kept, without a suffix."""
    folder = cache_folder()
    try:
        return folder / f"parser-{_key()}" if folder is not None else None
    except OSError:
        # Sources that are no files: nothing tells whether a kept parser is of this version.
        return None


def _key() -> str:
    """A name for all that the parser is made from."""
    made_from = sha256(sys.version.encode())
    for path in _sources():
        made_from.update(f"\0{path.name}\0".encode())
        made_from.update(path.read_bytes())
    return made_from.hexdigest()[:32]


def _sources() -> Iterator[Path]:
    yield GRAMMAR
    yield from sorted(Path(__file__).parent.glob("*.py"))
    for package, names in _FOREIGN_SOURCES.items():
        spec = find_spec(package)
        if spec is not None and spec.origin is not None:
            yield from (Path(spec.origin).with_name(name) for name in names)


def _load(place: Path) -> CodeType | None:
    """The code of the parser, if it lies there whole."""
    data = unsealed(read(place.with_suffix(".bin")))
    code = None if data is None else marshal.loads(data)
    return code if isinstance(code, CodeType) else None


def _make(place: Path | None) -> CodeType:
    """Makes the parser; keeps its code, and its source for people and for tracebacks."""
    source = _source()
    if place is None:
        return compile(source, "<the generated parser>", "exec", dont_inherit=True)
    path = place.with_suffix(".py")
    code = compile(source, str(path), "exec", dont_inherit=True)
    forget_old(place.parent, "parser-*")
    write(place.parent, {path.name: source.encode(), f"{place.name}.bin": sealed(marshal.dumps(code))})
    return code


def _source() -> str:
    # These bring textX.
    from kcheck.grammar.generator.module import generate
    from kcheck.grammar.generator.reference import kernel_metamodel

    return generate(kernel_metamodel(), GRAMMAR.read_text(encoding="utf-8"), LISTS)
