"""The state of the server: open documents, what was found out about them, and views of both for the features.

All of it lives on the event loop; the analyst's thread hands in what it found.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from lsprotocol import types as lsp

from kcheck.checker import rules
from kcheck.checker.check import Loader
from kcheck.checker.checked import Checked
from kcheck.checker.law.prover import with_judgements
from kcheck.checker.memo import Memo
from kcheck.checker.settings import settled
from kcheck.lsp.analysis import Analysis, Analyst, Urgency
from kcheck.lsp.documents import Document, Documents, changed, is_file, kernel_files, path_of
from kcheck.lsp.host import Host
from kcheck.lsp.outcomes import Outcomes
from kcheck.lsp.proofs import Proofs
from kcheck.lsp.threads import apart
from kcheck.lsp.view import Traits, View

MOST_FILES = 2000
"""So many files of a workspace are analysed beside those that are open."""
_PATIENCE_SECONDS = 5.0
"""How long a request waits for the analysis of what was just typed before it takes the one before."""


@dataclass
class _Known:
    """What is known of a path, and who waits for more."""

    analysis: Analysis | None = None
    view: View | None = None
    waiting: list[asyncio.Future[None]] = field(default_factory=list)


def _let_go(known: _Known) -> None:
    """Nobody needs to wait any longer."""
    for waiting in known.waiting:
        if not waiting.done():
            waiting.set_result(None)
    known.waiting.clear()


class _Every(Mapping[str, Checked]):
    """The last analysis of each file, by path, as it stands when it is asked for."""

    def __init__(self, known: Mapping[str, _Known]) -> None:
        self._known = known

    def __getitem__(self, path: str) -> Checked:
        analysis = self._known[path].analysis
        if analysis is None:
            raise KeyError(path)
        return analysis.checked

    def __iter__(self) -> Iterator[str]:
        return (path for path, known in self._known.items() if known.analysis is not None)

    def __len__(self) -> int:
        return sum(1 for _ in self)


class Workspace:
    """`analysed` is called after each analysis, with the path of the file; `failed` with what is wrong with us."""

    def __init__(
        self,
        host: Host,
        analysed: Callable[[str], None],
        failed: Callable[[str], None],
        proofs: Proofs,
        outcomes: Outcomes,
    ) -> None:
        self.documents = Documents()
        self.proofs = proofs
        self.outcomes = outcomes
        self.traits = Traits()
        self._loop = asyncio.get_running_loop()
        self._analysed = analysed
        self._failed = failed
        self._known: dict[str, _Known] = {}
        self._every = _Every(self._known)
        self._folders: list[Path] = []
        self.is_whole = True
        """Whether all files of the workspace are read, and not only so many."""
        self._walk: asyncio.Task[None] | None = None
        self._analyst = Analyst(self.documents, host, self._hand_over, self._hand_over_failure)
        self._analyst.start()

    # ------------------------------------------------------------ documents

    def open(self, item: lsp.TextDocumentItem) -> None:
        document = Document(item.uri, path_of(item.uri), item.version, item.text)
        self.documents.put(document)
        self._touch(document.path)

    def change(
        self, identity: lsp.VersionedTextDocumentIdentifier, changes: Sequence[lsp.TextDocumentContentChangeEvent]
    ) -> None:
        """Changes of a document that is not open are for nobody."""
        document = self.documents.get(identity.uri)
        if document is None:
            return
        self.documents.put(changed(document, identity.version, changes))
        self.proofs.typed()
        self._touch(document.path)

    def close(self, uri: str) -> None:
        """Back to what lies on disk, if anything does."""
        document = self.documents.remove(uri)
        if document is None:
            return
        if self.documents.at(document.path) is not None:
            self._touch(document.path)
            return
        self.proofs.forget(document.path)
        self.outcomes.forget(document.path)
        self._read_again(document.path, is_wanted=self._is_inside(Path(document.path)))

    def touch_on_disk(self, path: str) -> None:
        """A file was made, changed or removed by somebody else."""
        if self.documents.at(path) is None:
            self._read_again(path, is_wanted=True)

    def _read_again(self, path: str, *, is_wanted: bool) -> None:
        """What is known of a file that is not open comes from the disk, where it lies there."""
        if is_wanted and is_file(path) and Path(path).is_file():
            self._touch(path, Urgency.BACKGROUND)
        else:
            self.forget(path)
            self._touch_users(path)

    def touch_all(self) -> None:
        """Settings have changed."""
        for path in self._known:
            self._analyst.request(path, Urgency.DEPENDENT)

    def forget(self, path: str) -> None:
        self._analyst.forget(path)
        known = self._known.pop(path, None)
        if known is not None:
            _let_go(known)

    def _touch(self, path: str, urgency: Urgency = Urgency.TYPED) -> None:
        self._known.setdefault(path, _Known())
        self._analyst.request(path, urgency)
        self._touch_users(path)

    def _touch_users(self, path: str) -> None:
        """The files that use this one, or that look for one which was not there."""
        for other, known in self._known.items():
            if other == path or known.analysis is None:
                continue
            checked = known.analysis.checked
            if path in checked.files or _lacks_packages(checked):
                is_open = self.documents.at(other) is not None
                self._analyst.request(other, Urgency.DEPENDENT if is_open else Urgency.BACKGROUND)

    # ------------------------------------------------------------ folders

    def set_folders(self, folders: Sequence[Path]) -> None:
        """These are the workspace's folders now: their files are analysed too, after all that is open."""
        gone = [folder for folder in self._folders if folder not in folders]
        self._folders = list(folders)
        for path in [p for p in self._known if is_file(p) and any(Path(p).is_relative_to(g) for g in gone)]:
            if self.documents.at(path) is None and not self._is_inside(Path(path)):
                self.forget(path)
        if self._walk is not None:
            self._walk.cancel()
        self._walk = self._loop.create_task(self._read_folders(folders))

    async def _read_folders(self, folders: Sequence[Path]) -> None:
        """Walking a home folder or a slow disk takes long, so it is done beside the loop."""
        files = await apart(lambda cancelled: kernel_files(folders, MOST_FILES, cancelled))
        for file in files:
            path = str(file)
            if path not in self._known:
                self._known[path] = _Known()
                self._analyst.request(path, Urgency.BACKGROUND)
        self.is_whole = len(files) < MOST_FILES

    def _is_inside(self, path: Path) -> bool:
        return any(path.is_relative_to(folder) for folder in self._folders)

    # ------------------------------------------------------------ analyses

    def _hand_over(self, analysis: Analysis) -> None:
        """In the analyst's thread."""
        with suppress(RuntimeError):  # the loop is closed: the server ends
            self._loop.call_soon_threadsafe(self._take, analysis)

    def _hand_over_failure(self, path: str, error: Exception) -> None:
        """In the analyst's thread."""
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._take_failure, path, error)

    def _take_failure(self, path: str, error: Exception) -> None:
        known = self._known.get(path)
        if known is not None:
            _let_go(known)
        self._failed(f"kcheck has a fault, and could not check {path}: {error}")

    def _take(self, analysis: Analysis) -> None:
        known = self._known.get(analysis.path)
        document = self.documents.at(analysis.path)
        if known is None or (document is None) != (analysis.version is None):
            return  # closed, or opened, meanwhile
        known.analysis = analysis
        known.view = None
        if self.is_current(analysis.path):
            _let_go(known)
        if document is not None:
            self.proofs.want(analysis.path, analysis.reductions)
        self._analysed(analysis.path)

    def is_current(self, path: str) -> bool:
        """Whether the last analysis is of the text as it stands in the editor, or of a file where it is not open."""
        known, document = self._known.get(path), self.documents.at(path)
        if known is None or known.analysis is None:
            return False
        analysis = known.analysis
        if document is None:
            return analysis.version is None
        return analysis.version == document.version and analysis.text == document.text

    @property
    def is_idle(self) -> bool:
        """Whether there is nothing left to find or to analyse."""
        return (self._walk is None or self._walk.done()) and self._analyst.is_idle

    async def current(self, uri: str) -> View | None:
        """A view of a document as it stands, once it is analysed; of its last analysis where that takes long."""
        path = path_of(uri)
        known = self._known.get(path)
        if known is None:
            return None
        if not self.is_current(path):
            await self._wait_for([known])
        return self.view(path)

    async def _wait_for(self, files: Sequence[_Known]) -> None:
        """Until they are analysed as they stand, or for as long as a request waits."""
        waiting: list[asyncio.Future[None]] = [self._loop.create_future() for _ in files]
        for known, future in zip(files, waiting, strict=True):
            known.waiting.append(future)
        if waiting:
            await asyncio.wait(waiting, timeout=_PATIENCE_SECONDS)

    def view(self, path: str) -> View | None:
        """A view of a file as it was last analysed."""
        known = self._known.get(path)
        if known is None or known.analysis is None:
            return None
        if known.view is None:
            known.view = self._made_view(known.analysis)
        return known.view

    def judged(self, path: str) -> None:
        """What is known of the laws of a file has changed."""
        known = self._known.get(path)
        if known is not None:
            known.view = None

    def _made_view(self, analysis: Analysis) -> View:
        path = analysis.path
        is_open = self.documents.at(path) is not None
        reductions = analysis.reductions if is_open else ()
        return View(
            uri=self.documents.uri(path),
            version=analysis.version,
            checked=self._with_findings(analysis),
            laws={r.name: states for r in reductions if (states := self.proofs.states(r))},
            outcomes={name: tuple(self.outcomes.of(path, name)) for name in self.outcomes.kernels(path)},
            documents=self.documents,
            every=self._every,
            traits=self.traits,
            paths=self._known.keys(),
        )

    async def files(self) -> Sequence[tuple[str, Checked]]:
        """The last analysis of each file, by URI; those that were just typed in, opened or closed are waited for."""
        late = [path for path in self._known if not self.is_current(path)]
        # Those that were never open are waited for by nobody: there may be thousands.
        touched = [path for path in late if self._known[path].analysis is not None or self.documents.at(path)]
        await self._wait_for([self._known[path] for path in touched])
        return [(self.documents.uri(path), checked) for path, checked in self._every.items()]

    def loader(self, path: str) -> Loader:
        """What finds the packages that a file uses."""
        return self._analyst.loader(path)

    def memo(self, path: str) -> Memo:
        """What makes another check of a file fast."""
        return self._analyst.memo(path)

    def places(self, path: str) -> Sequence[Path]:
        """The folders below which packages lie that a file may use."""
        return self._analyst.places(path)

    def analysis(self, path: str) -> Analysis | None:
        known = self._known.get(path)
        return None if known is None else known.analysis

    def _with_findings(self, analysis: Analysis) -> Checked:
        """The result with what is known so far of laws and runs, comments and settings applied."""
        judgements = [j for r in analysis.reductions if (j := self.proofs.judgement(r)) is not None]
        checked = with_judgements(analysis.checked, judgements)
        ran = [d for p in checked.programs.values() for d in self.outcomes.diagnostics(analysis.path, p)]
        own = tuple(d for d in ran if d.origin.path == analysis.path)
        checked = replace(checked, diagnostics=(*checked.diagnostics, *own))
        return settled(checked, analysis.settings, laws=len(judgements) == len(analysis.reductions))

    def close_all(self) -> None:
        if self._walk is not None:
            self._walk.cancel()
        self._analyst.close()


def _lacks_packages(checked: Checked) -> bool:
    return any(d.code == rules.UNKNOWN_PACKAGE.code for d in checked.diagnostics)
