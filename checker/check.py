"""Checking a file: parse, resolve what it uses, lower every kernel, and collect what there is to say."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from kcheck.checker import ir, rules, uniformity
from kcheck.checker.bindings import ExampleSpec
from kcheck.checker.checked import Checked
from kcheck.checker.examples import check_examples
from kcheck.checker.law.prefix import could_be_prefix
from kcheck.checker.lower import functions, kernels
from kcheck.checker.lower.context import ProgramContext
from kcheck.checker.lower.declarations import Declarations
from kcheck.checker.lower.items import declare_file
from kcheck.checker.lower.problems import Problems
from kcheck.checker.lower.scopes import FunctionEntity, Home, Scope
from kcheck.checker.ranges import analysis as ranges
from kcheck.checker.ranges.report import reports
from kcheck.checker.uniformity.report import report
from kcheck.grammar import parser, syntax
from kcheck.grammar.diagnostics import Diagnostic, Note, Severity
from kcheck.grammar.garbage import no_collection
from kcheck.grammar.recursion import deep_recursion
from kcheck.grammar.source import SourceFile
from kcheck.grammar.spans import Origin

Loader: TypeAlias = Callable[[str], "tuple[str, bytes] | None"]
"""Finds the file of a dotted package path: its path and contents, or None."""

_REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
"""What stands in a text for bytes that are not UTF-8."""


def check_bytes(data: bytes, path: str, loader: Loader | None = None) -> Checked:
    """Check the contents of a file."""
    text, problems = parser.decode(data, path)
    return _check(text, path, loader, problems)


def check_text(text: str, path: str = "<text>", loader: Loader | None = None) -> Checked:
    """Check a text as if it stood in a file at `path`."""
    return _check(text, path, loader, ())


def _check(text: str, path: str, loader: Loader | None, decoding: tuple[Diagnostic, ...]) -> Checked:
    with deep_recursion(), no_collection():
        return _Check(path, loader).run(text, decoding)


class _Check:
    """One run of the checker over a file and those it uses."""

    def __init__(self, path: str, loader: Loader | None) -> None:
        self._path = path
        self._loader = loader
        self._problems = Problems()
        self._declarations = Declarations(self._problems)
        self._files: dict[str, SourceFile] = {}
        self._scopes: dict[str, Scope] = {}
        self._loading: list[str] = []
        self._entries: dict[str, Origin] = {}
        """For each file that is used, directly or not: the path after the `use` that leads to it."""

    def run(self, text: str, decoding: tuple[Diagnostic, ...]) -> Checked:
        scope = self._load(self._path, text, decoding)
        file = self._files[self._path]
        programs: dict[str, ir.Program] = {}
        specs: list[ExampleSpec] = []
        for item in file.items:
            home = Home(self._path, item.key, item.text, item.is_whole)
            match item.node:
                case syntax.Kernel() as kernel:
                    program, kernel_scope = kernels.lower_kernel(kernel, home, scope, self._declarations)
                    specs += check_examples(kernel, home, kernel_scope, self._declarations, program)
                    if program is not None:
                        lanes = program.schedule.size if isinstance(program.schedule, ir.Lanes) else None
                        self._look_for_hazards(program.functions, program.params, lanes)
                    if program is not None and self._is_even(program):
                        programs.setdefault(program.name, program)
                        self._remark(could_be_prefix(program, kernel, item.text))
                case syntax.Scene() as scene:
                    message = "scenes are not checked yet"
                    self._problems.add(rules.SCENES_NOT_CHECKED.report(home.at(scene.name.span), message))
                case _:
                    pass
        self._check_rest(scope)
        return Checked(
            file=file,
            files=self._files,
            diagnostics=self._own_diagnostics(),
            programs=programs,
            scenes=tuple(i.node.name.text for i in file.items if isinstance(i.node, syntax.Scene)),
            examples=tuple(specs),
        )

    # ------------------------------------------------------------ files and packages

    def _load(self, path: str, text: str, decoding: tuple[Diagnostic, ...], package: str = "") -> Scope:
        """Parse a file and those it uses; where bytes could not be read, syntax errors would only repeat that."""
        file, problems = parser.parse(text, path)
        self._files[path] = file
        damaged = {"", *(i.key for i in file.items if _REPLACEMENT in i.text)} if decoding else set()
        self._problems.extend((*decoding, *(p for p in problems if p.origin.item not in damaged)))
        for item in file.items:
            self._problems.expect_follow_ons(path, item)
        scope = self._scopes[path] = declare_file(path, file.items, self._problems, package)
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
            self._problems.add(_unknown_package(node, home))
            return
        path, data = found
        origin = home.at(node.path.span)
        entry = self._entries.get(home.path, origin)
        if path in self._loading:
            scope.incomplete = True
            self._report_cycle(self._loading[self._loading.index(path) :], entry if path == self._path else origin)
            return
        if path not in self._scopes:
            self._entries[path] = entry
            text, problems = parser.decode(data, path)
            self._load(path, text, problems, node.path.text)
        found_scope = self._scopes[path]
        if found_scope not in scope.imports:
            scope.imports.append(found_scope)

    def _report_cycle(self, circle: list[str], origin: Origin) -> None:
        path = " → ".join((*circle, circle[0]))
        message = "this file uses itself" if len(circle) == 1 else f"files use each other in a circle: {path}"
        self._problems.add(rules.USE_CYCLE.report(origin, message))

    # ------------------------------------------------------------ what no kernel reaches

    def _check_rest(self, scope: Scope) -> None:
        """Look for errors in the items that no kernel uses."""
        for type_ in scope.types.values():
            self._declarations.type_of(type_)
        for const in scope.consts.values():
            self._declarations.constant(const)
        for function in scope.functions.values():
            self._declarations.signature(function)
        attempts = [ProgramContext(self._declarations, scope, rank) for rank in (1, 2, 3)]
        for function in scope.functions.values():
            if not function.checked:
                self._check_function(function, attempts)
        for attempt in attempts:
            self._look_for_hazards([lowered.function for lowered in attempt.functions])
        for item in self._files[self._path].items:
            if isinstance(item.node, syntax.BrokenItem) and item.node.body is not None:
                home = Home(self._path, item.key, item.text, is_whole=False)
                functions.check_unread(attempts[0], home, scope, item.node.names, item.node.body)

    def _check_function(self, entity: FunctionEntity, attempts: list[ProgramContext]) -> None:
        """A function that no kernel calls must fit some kernel: one whose domain has 1, 2 or 3 axes."""
        found = []
        for program in attempts:
            problems = Problems()
            program.declarations = Declarations(problems)
            lowered = functions.lower_function(program, entity)
            if lowered is not None:
                self._problems.extend(problems.all())
                return
            found.append(problems)
        self._problems.extend(min(found, key=lambda problems: problems.errors).all())

    def _remark(self, found: Diagnostic | None) -> None:
        if found is not None:
            self._problems.add(found)

    def _look_for_hazards(
        self, functions: Sequence[ir.Function], params: Sequence[ir.ParamDecl] = (), lanes: int | None = None
    ) -> None:
        self._problems.extend(reports(ranges.analyse(functions, params, lanes).hazards, self._files))

    def _is_even(self, program: ir.Program) -> bool:
        """Whether every lane reaches each exchange; reports those that some may not."""
        violations = uniformity.analyse(program).violations
        if isinstance(program.schedule, ir.Lanes):
            size = program.schedule.size
            self._problems.extend(report(v, size, self._files) for v in violations)
        return not violations

    # ------------------------------------------------------------ results

    def _own_diagnostics(self) -> tuple[Diagnostic, ...]:
        """The diagnostics of the file itself; errors in files that it uses are named where it uses them."""
        own, foreign = [], []
        for found in self._problems.all():
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
