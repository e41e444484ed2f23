"""Functions that no kernel calls, and bodies whose header could not be read: each is checked on its own.

Such a function must fit some kernel: one whose domain has 1, 2 or 3 axes.  So for each number of axes there is a
program without a kernel, a `Trial`.  What a function does there is one piece, worked out after those of the functions
that it calls; what is wrong with them is told once, by their own pieces.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping
from typing import NamedTuple

from kcheck.checker.lower import functions
from kcheck.checker.lower.context import ProgramContext
from kcheck.checker.lower.declarations import Declarations, piece_key
from kcheck.checker.lower.ledger import Key, Page
from kcheck.checker.lower.questions import UNANSWERED, Answer
from kcheck.checker.lower.scopes import FunctionEntity, Home, Scope
from kcheck.checker.ranges.analysis import Analysis
from kcheck.checker.ranges.report import reports
from kcheck.grammar import syntax
from kcheck.grammar.source import SourceFile

_TRIALS = {f"function in {rank}": rank for rank in (1, 2, 3)}


class Fit(NamedTuple):
    """Whether a function can be lowered in a trial, and whether those that it calls can."""

    is_good: bool
    are_callees_good: bool


def is_trial(page: Page) -> bool:
    """Whether a page is that of a function in a trial: it tells of the function only if that trial is chosen."""
    return page.key[0] in _TRIALS


class Uncalled:
    """Checks functions and bodies of the file with this scope."""

    def __init__(self, scope: Scope, declarations: Declarations, files: Mapping[str, SourceFile]) -> None:
        self._path = scope.home.path
        self._trials = [
            _Trial(what, ProgramContext(declarations, scope, rank), files) for what, rank in _TRIALS.items()
        ]

    def check(self, entity: FunctionEntity) -> list[Page]:
        """The pages that tell what is wrong with a function, and with those of other files that it calls."""
        found: list[Page] = []
        for trial in self._trials:
            found.append(trial.page(entity))
            if found[-1].made.is_good:
                break
        best = max(found, key=lambda page: (*page.made, -page.errors))
        return [best, *self._foreign(best)]

    def check_unread(self, home: Home, node: syntax.BrokenItem, scope: Scope) -> list[Page]:
        """The pages that tell what is wrong in the body of an item of which only that could be read."""
        page = self._trials[0].unread(home, node, scope)
        return [page, *self._foreign(page)]

    def _foreign(self, page: Page) -> list[Page]:
        """Those among the pages that one rests on which are about functions of other files."""
        found: dict[Page, None] = {}
        waiting = [page]
        while waiting:
            for (what, path, _), callee in waiting.pop().asked.items():
                if what in _TRIALS and path != self._path and isinstance(callee, Page) and callee not in found:
                    found[callee] = None
                    waiting.append(callee)
        return list(found)


class _Trial:
    """The functions that were lowered for some number of axes; `what` is the question for the page of one."""

    def __init__(self, what: str, program: ProgramContext, files: Mapping[str, SourceFile]) -> None:
        self._what = what
        self._program = program
        self._files = files
        self._ledger = program.declarations.ledger
        self._ledger.resolvers[what] = self._answer
        self._ranges = Analysis()
        self._pages: dict[FunctionEntity, Page] = {}
        self._heights: dict[FunctionEntity, int] = {}
        """Of the functions that are being worked out: how many pages were being written before."""

    def page(self, entity: FunctionEntity) -> Page:
        """The page of a function, after those of the functions that it calls: no recursion along chains of calls."""
        pending = [] if entity in self._pages else [self._function(entity)]
        while pending:
            needed = next(pending[-1], None)
            if needed is None:
                pending.pop()
            else:
                pending.append(self._function(needed))
        return self._pages[entity]

    def unread(self, home: Home, node: syntax.BrokenItem, scope: Scope) -> Page:
        assert node.body is not None
        key, body = ("unread", home.path, home.item, home.text, scope.package), node.body

        def check() -> bool:
            functions.check_unread(self._program, home, scope, node.names, body)
            return True

        steps = self._piece(key, body, scope, check)
        while True:
            try:
                self.page(next(steps))
            except StopIteration as end:
                page: Page = end.value
                return page

    def _function(self, entity: FunctionEntity) -> Iterator[FunctionEntity]:
        """Check a function; gives those that have to be checked before it goes on."""
        self._heights[entity] = self._ledger.height
        key, body = piece_key(self._what, entity), entity.node.body
        self._pages[entity] = yield from self._piece(key, body, entity.scope, lambda: self._lower(entity))
        del self._heights[entity]

    def _lower(self, entity: FunctionEntity) -> bool:
        return functions.lower_function(self._program, entity) is not None

    def _piece(
        self, key: Key, body: syntax.Block, scope: Scope, check: Callable[[], bool]
    ) -> Generator[FunctionEntity, None, Page]:
        """What `check` finds in a body; gives the functions that have to be checked before it goes on."""
        for kept in self._ledger.kept(key):
            if (yield from self._holds(kept)):
                self._ledger.pages.append(kept)
                return kept
        page = self._ledger.open(key)
        are_callees_good = True
        for _, callee in functions.calls_in(body, scope):
            if self._is_new(callee):
                yield callee
            are_callees_good &= self._rest_on(callee)
        is_good = check()
        self._look_for_hazards()
        page.made = Fit(is_good, are_callees_good)
        return self._ledger.close()

    def _holds(self, page: Page) -> Generator[FunctionEntity, None, bool]:
        """As `Ledger.recalled`, but without recursion."""
        for question, mark in page.asked.items():
            what, path, item = question
            entity = self._ledger.item(path, item) if what == self._what else None
            if isinstance(entity, FunctionEntity) and self._is_new(entity):
                yield entity
            if self._ledger.mark(question) != mark:
                return False
        return True

    def _is_new(self, entity: FunctionEntity) -> bool:
        return entity not in self._pages and entity not in self._heights

    def _rest_on(self, callee: FunctionEntity) -> bool:
        """Note that the present page needs a function, and lower that if its page was recalled; whether it is good."""
        if callee in self._heights:
            self._ledger.spoil(self._heights[callee])
            return True
        page = self._pages[callee]
        self._ledger.note((self._what, callee.home.path, callee.home.item), page)
        if callee not in self._program.lowered:
            with self._ledger.aside():
                self._lower(callee)
                self._look_for_hazards()
        return bool(page.made.is_good)

    def _answer(self, path: str, item: str) -> Answer:
        entity = self._ledger.item(path, item)
        if not isinstance(entity, FunctionEntity) or entity in self._heights:
            return UNANSWERED
        page = self.page(entity)
        return Answer(page, page)

    def _look_for_hazards(self) -> None:
        """Look at the functions that were lowered since."""
        for lowered in self._program.functions[len(self._ranges.results) :]:
            self._ledger.page.problems.extend(reports(self._ranges.look_at(lowered.function), self._files))
