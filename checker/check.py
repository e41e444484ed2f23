"""Checking a file: parse, resolve what it uses, lower every kernel, and collect what there is to say."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from typing import NamedTuple, TypeAlias

from kcheck.checker import facts, ir, rules, uniformity
from kcheck.checker.bindings import ExampleSpec
from kcheck.checker.checked import Checked
from kcheck.checker.examples import check_examples
from kcheck.checker.law.prefix import could_be_prefix
from kcheck.checker.lower import kernels
from kcheck.checker.lower.declarations import Declarations
from kcheck.checker.lower.items import declare_file
from kcheck.checker.lower.ledger import Ledger, Page
from kcheck.checker.lower.recording import LaneFacts, PackageUse
from kcheck.checker.lower.scopes import Home, Scope
from kcheck.checker.memo import Cancelled, Memo
from kcheck.checker.ranges import analysis as ranges
from kcheck.checker.ranges.report import reports
from kcheck.checker.uncalled import Uncalled, is_trial
from kcheck.checker.uniformity.report import report
from kcheck.grammar import parser, syntax
from kcheck.grammar.diagnostics import Diagnostic, Note, Severity
from kcheck.grammar.garbage import no_collection
from kcheck.grammar.recursion import deep_recursion
from kcheck.grammar.source import ParsedItem, SourceFile
from kcheck.grammar.spans import Origin

Loader: TypeAlias = Callable[[str], "tuple[str, bytes] | None"]
"""Finds the file of a dotted package path: its path and contents, or None."""

_REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
"""What stands in a text for bytes that are not UTF-8."""


def check_bytes(
    data: bytes,
    path: str,
    loader: Loader | None = None,
    memo: Memo | None = None,
    cancelled: Callable[[], bool] = lambda: False,
) -> Checked:
    """Check the contents of a file; `memo` and `cancelled` are as for `check_text`."""
    text, problems = parser.decode(data, path)
    return _check(text, path, loader, problems, memo, cancelled)


def check_text(
    text: str,
    path: str = "<text>",
    loader: Loader | None = None,
    memo: Memo | None = None,
    cancelled: Callable[[], bool] = lambda: False,
) -> Checked:
    """Check a text as if it stood in a file at `path`.

    With the `memo` of an earlier check only what an edit changes is done again; the result is the same as without.
    `cancelled` is asked between items: where it says so, `Cancelled` is raised.
    """
    return _check(text, path, loader, (), memo, cancelled)


def _check(
    text: str,
    path: str,
    loader: Loader | None,
    decoding: tuple[Diagnostic, ...],
    memo: Memo | None,
    cancelled: Callable[[], bool],
) -> Checked:
    with deep_recursion(), no_collection():
        return _Check(path, loader, memo or Memo(), cancelled).run(text, decoding)


class _KernelOutcome(NamedTuple):
    """What checking a kernel gives; `calls` are the keys of the file's functions that were lowered for it."""

    program: ir.Program | None
    examples: tuple[ExampleSpec, ...]
    calls: tuple[str, ...]


class _Check:
    """One run of the checker over a file and those it uses."""

    def __init__(self, path: str, loader: Loader | None, memo: Memo, cancelled: Callable[[], bool]) -> None:
        self._path = path
        self._loader = loader
        self._memo = memo
        self._cancelled = cancelled
        self._ledger = Ledger(memo.pages)
        self._declarations = Declarations(self._ledger)
        self._files: dict[str, SourceFile] = {}
        self._loading: list[str] = []
        self._entries: dict[str, Origin] = {}
        """For each file that is used, directly or not: the path after the `use` that leads to it."""

    def run(self, text: str, decoding: tuple[Diagnostic, ...]) -> Checked:
        try:
            checked = self._run(text, decoding)
            self._memo.keep(self._ledger.pages)
        except Cancelled:
            self._memo.add(self._ledger.pages)
            raise
        finally:
            self._ledger.forget()
        return checked

    def _run(self, text: str, decoding: tuple[Diagnostic, ...]) -> Checked:
        scope = self._load(self._path, text, decoding)
        file = self._files[self._path]
        kernels_ = [self._kernel(item, item.node, scope) for item in file.items if isinstance(item.node, syntax.Kernel)]
        for item in file.items:
            if isinstance(item.node, syntax.Scene):
                self._report_scene(item, item.node)
        programs: dict[str, ir.Program] = {}
        for outcome in kernels_:
            if outcome.program is not None:
                programs.setdefault(outcome.program.name, outcome.program)
        rest = self._check_rest(scope, {name for outcome in kernels_ for name in outcome.calls})
        self._ledger.page.close()
        pages = (self._ledger.page, *(page for page in self._ledger.pages if not is_trial(page)), *rest)
        return Checked(
            file=file,
            files=self._files,
            diagnostics=self._own_diagnostics(pages),
            programs=programs,
            scenes=tuple(i.node.name.text for i in file.items if isinstance(i.node, syntax.Scene)),
            examples=tuple(spec for outcome in kernels_ for spec in outcome.examples),
            facts=facts.gather(file, self._ledger.scopes, [page.recorder for page in pages]),
        )

    def _stop_if_cancelled(self) -> None:
        if self._cancelled():
            raise Cancelled

    # ------------------------------------------------------------ files and packages

    def _load(self, path: str, text: str, decoding: tuple[Diagnostic, ...], package: str = "") -> Scope:
        """Parse a file and those it uses; where bytes could not be read, syntax errors would only repeat that."""
        file, problems = parser.parse(text, path)
        self._files[path] = file
        damaged = {"", *(i.key for i in file.items if _REPLACEMENT in i.text)} if decoding else set()
        self._ledger.page.problems.extend((*decoding, *(p for p in problems if p.origin.item not in damaged)))
        for item in file.items:
            self._ledger.expect_follow_ons(path, item)
        scope = declare_file(path, file.items, self._ledger, package)
        self._loading.append(path)
        for item in file.items:
            if isinstance(item.node, syntax.Use):
                self._use(scope, item.node, Home(path, item.key, item.text))
        self._loading.pop()
        return scope

    def _use(self, scope: Scope, node: syntax.Use, home: Home) -> None:
        found = self._loader(node.path.text) if self._loader is not None else None
        if found is None:
            scope.incomplete = True
            self._ledger.page.problems.add(_unknown_package(node, home))
            return
        path, data = found
        self._ledger.page.recorder.item(home).name(node.path, PackageUse(node.path.text, path))
        origin = home.at(node.path.span)
        entry = self._entries.get(home.path, origin)
        if path in self._loading:
            scope.incomplete = True
            self._report_cycle(self._loading[self._loading.index(path) :], entry if path == self._path else origin)
            return
        if path not in self._ledger.scopes:
            self._entries[path] = entry
            text, problems = parser.decode(data, path)
            self._load(path, text, problems, node.path.text)
        found_scope = self._ledger.scopes[path]
        if found_scope not in scope.imports:
            scope.imports.append(found_scope)

    def _report_cycle(self, circle: list[str], origin: Origin) -> None:
        path = " → ".join((*circle, circle[0]))
        message = "this file uses itself" if len(circle) == 1 else f"files use each other in a circle: {path}"
        self._ledger.page.problems.add(rules.USE_CYCLE.report(origin, message))

    # ------------------------------------------------------------ items

    def _kernel(self, item: ParsedItem, node: syntax.Kernel, scope: Scope) -> _KernelOutcome:
        self._stop_if_cancelled()
        key = ("kernel", self._path, item.key, item.text, scope.package)
        page = self._ledger.recalled(key)
        if page is None:
            with self._ledger.piece(key) as page:
                page.made = self._lower_kernel(item, node, scope)
        outcome: _KernelOutcome = page.made
        return outcome

    def _lower_kernel(self, item: ParsedItem, node: syntax.Kernel, scope: Scope) -> _KernelOutcome:
        home = Home(self._path, item.key, item.text, item.is_whole)
        lowered = kernels.lower_kernel(node, home, scope, self._declarations)
        program = lowered.program
        specs = check_examples(node, home, lowered.scope, self._declarations, program)
        if program is not None:
            lanes = program.schedule.size if isinstance(program.schedule, ir.Lanes) else None
            hazards = ranges.analyse(program.functions, program.params, lanes).hazards
            self._ledger.page.problems.extend(reports(hazards, self._files))
            program = program if self._is_even(program) else None
        if program is not None:
            remark = could_be_prefix(program, node, item.text)
            self._ledger.page.problems.extend(() if remark is None else (remark,))
        calls = {e.home.item: None for e in lowered.calls if e.scope.parent is None and e.home.path == self._path}
        lowered.scope.parent = None  # what is kept of the kernel must not keep the file as it is now
        return _KernelOutcome(program, tuple(specs), tuple(calls))

    def _is_even(self, program: ir.Program) -> bool:
        """Whether every lane reaches each exchange; reports those that some may not."""
        found = uniformity.analyse(program)
        page = self._ledger.page
        if isinstance(program.schedule, ir.Lanes):
            page.recorder.lanes.append(LaneFacts(program, found.divergent))
            size = program.schedule.size
            page.problems.extend(report(v, size, self._files) for v in found.violations)
        return not found.violations

    def _report_scene(self, item: ParsedItem, node: syntax.Scene) -> None:
        origin = Home(self._path, item.key, item.text, item.is_whole).at(node.name.span)
        self._ledger.page.problems.add(rules.SCENES_NOT_CHECKED.report(origin, "scenes are not checked yet"))

    def _check_rest(self, scope: Scope, called: Collection[str]) -> list[Page]:
        """Look for errors in the items that no kernel uses; gives the pages that tell of functions and bodies."""
        for type_ in scope.types.values():
            self._declarations.type_of(type_)
        for const in scope.consts.values():
            self._declarations.constant(const)
        for function in scope.functions.values():
            self._declarations.signature(function)
        uncalled = Uncalled(scope, self._declarations, self._files)
        pages: list[Page] = []
        for function in scope.functions.values():
            if function.home.item not in called:
                self._stop_if_cancelled()
                pages += uncalled.check(function)
        for item in self._files[self._path].items:
            if isinstance(item.node, syntax.BrokenItem) and item.node.body is not None:
                home = Home(self._path, item.key, item.text, is_whole=False)
                pages += uncalled.check_unread(home, item.node, scope)
        return pages

    # ------------------------------------------------------------ results

    def _own_diagnostics(self, pages: Iterable[Page]) -> tuple[Diagnostic, ...]:
        """The diagnostics of the file itself; errors in files that it uses are named where it uses them."""
        own, foreign = [], []
        for found in _once(found for page in pages for found in page.found):
            if found.origin.path == self._path:
                own.append(found)
            elif found.severity is Severity.ERROR:
                foreign.append(found)
        own += self._foreign_errors(foreign)
        file = self._files[self._path]
        return tuple(sorted(own, key=lambda d: (file.absolute(d.origin).start, file.absolute(d.origin).end)))

    def _foreign_errors(self, foreign: list[Diagnostic]) -> Iterator[Diagnostic]:
        """One error at each `use` that leads to files with errors."""
        by_entry: dict[Origin, list[Diagnostic]] = {}
        for found in foreign:
            by_entry.setdefault(self._entries[found.origin.path], []).append(found)
        for entry, errors in by_entry.items():
            paths = ", ".join(f"`{p}`" for p in dict.fromkeys(d.origin.path for d in errors))
            count = "an error" if len(errors) == 1 else f"{len(errors)} errors"
            notes = tuple(Note(f"{d.code}: {d.message}", d.origin) for d in errors[:3])
            message = f"this cannot be used: there {'is' if len(errors) == 1 else 'are'} {count} in {paths}"
            yield rules.UNKNOWN_PACKAGE.report(entry, message, notes=notes)


def _unknown_package(node: syntax.Use, home: Home) -> Diagnostic:
    path = node.path.text
    return rules.UNKNOWN_PACKAGE.report(
        home.at(node.path.span),
        f"there is no package file `{path}`",
        notes=(
            Note(f"`use {path};` looks for `{path.replace('.', '/')}.kernel` in the workspace and beside this file"),
        ),
    )


def _once(diagnostics: Iterable[Diagnostic]) -> Iterable[Diagnostic]:
    """A function that is lowered for several kernels is told of each of its problems once."""
    found: dict[tuple[str, Origin, str], Diagnostic] = {}
    for each in diagnostics:
        found.setdefault((each.code, each.origin, each.message), each)
    return found.values()
