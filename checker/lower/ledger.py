"""What pieces of checking ask of what surrounds them, so that one need not be done again when nothing would change.

A *piece* is the checking of one item, or what one item declares: a type, a constant, a signature.  It sees its own
text, and all else it learns by questions: which item has this name, what is its value.  So two runs of a piece that
get the same answers do the same.  Each piece has a `Page`, where its questions are noted with the marks of the
answers, beside what it found wrong and what it made.

A page of an earlier run holds as long as its questions, asked again in their order, get answers of the same marks.
Asking them again works out anew, or recalls, exactly the pieces that the run itself would have needed.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeAlias

from kcheck.checker.lower.problems import Problems
from kcheck.checker.lower.questions import UNANSWERED, Answer, Question
from kcheck.checker.lower.recording import Recorder
from kcheck.grammar.diagnostics import Diagnostic
from kcheck.grammar.source import ParsedItem

if TYPE_CHECKING:
    from kcheck.checker.lower.scopes import ItemEntity, Scope

Key: TypeAlias = tuple[Hashable, ...]
"""What a piece is, with all of its own text."""


class Page:
    """What one piece asked and found.  `made` is what it gave; `found` and `errors` are known when it is closed."""

    __slots__ = ("_problems", "asked", "errors", "found", "key", "lasts", "made", "recorder", "unread")

    def __init__(self, key: Key, problems: Problems) -> None:
        self.key = key
        self.asked: dict[Question, object] = {}
        self._problems: Problems | None = problems
        self.recorder = Recorder()
        self.found: tuple[Diagnostic, ...] = ()
        self.errors = 0
        """How many errors there were, with those of what this rests on."""
        self.unread = 0
        """How often something was used whose item has a syntax error."""
        self.made: Any = None
        self.lasts = True
        """Whether what is here follows from the answers alone, and not from who came first."""

    @property
    def problems(self) -> Problems:
        assert self._problems is not None, "this page is closed"
        return self._problems

    def close(self) -> None:
        self.found, self.errors = self.problems.all(), self.problems.errors
        self._problems = None


class Ledger:
    """The pages of one run of the checker; `kept` finds those of runs before."""

    def __init__(self, kept: Callable[[Key], Iterable[Page]] | None = None) -> None:
        self.kept = kept or _nothing_kept
        self.pages: list[Page] = []
        """All that were closed or recalled, in this order."""
        self.scopes: dict[str, Scope] = {}
        """Those of the files, by path."""
        self.resolvers: dict[str, Callable[[str, str], Answer]] = {}
        """For each kind of question about an item what answers it."""
        self._unread: dict[tuple[str, str], ParsedItem] = {}
        self._answers: dict[Question, Answer] = {}
        self.page = Page((), Problems(self._unread))
        """The one that is being written."""
        self._open = [self.page]

    def expect_follow_ons(self, path: str, item: ParsedItem) -> None:
        """Keep to oneself what is only the consequence of an item's syntax errors."""
        if not item.is_whole:
            self._unread[path, item.key] = item

    # ------------------------------------------------------------ questions

    def ask(self, question: Question) -> Any:
        """The answer, noted in the page that is being written."""
        answer = self._answers.get(question) or self._answer(question)
        self.page.asked[question] = answer.mark
        return answer.found

    def note(self, question: Question, mark: object) -> None:
        """Note a question that was answered otherwise."""
        self.page.asked[question] = mark

    def mark(self, question: Question) -> object:
        """What a page would note of the answer now."""
        return (self._answers.get(question) or self._answer(question)).mark

    def item(self, path: str, key: str) -> ItemEntity | None:
        """What an item of a file declares."""
        scope = self.scopes.get(path)
        return None if scope is None else scope.items.get(key)

    def _answer(self, question: Question) -> Answer:
        what, path, name = question
        if path not in self.scopes:
            return UNANSWERED
        find = self.resolvers.get(what)
        answer = find(path, name) if find is not None else self.scopes[path].answer(what, name)
        if answer is not UNANSWERED:
            self._answers[question] = answer
        return answer

    # ------------------------------------------------------------ pages

    @property
    def height(self) -> int:
        """How many pages are being written, each for a question of the one before."""
        return len(self._open)

    def recalled(self, key: Key) -> Page | None:
        """The page of an earlier run of a piece, if it holds."""
        for page in self.kept(key):
            if all(self.mark(question) == mark for question, mark in page.asked.items()):
                self.pages.append(page)
                return page
        return None

    def open(self, key: Key) -> Page:
        """Begin a page; it is the one that is written until `close`."""
        self.page = Page(key, Problems(self._unread))
        self._open.append(self.page)
        return self.page

    def close(self) -> Page:
        page = self._open.pop()
        page.close()
        self.page = self._open[-1]
        self.pages.append(page)
        return page

    @contextmanager
    def piece(self, key: Key) -> Iterator[Page]:
        """A page for what is done inside."""
        yield self.open(key)
        self.close()

    @contextmanager
    def aside(self) -> Iterator[None]:
        """What is asked and found inside is known from other pages: it is noted nowhere."""
        self.open(())
        yield
        self.page.close()
        self._open.pop()
        self.page = self._open[-1]

    def spoil(self, height: int) -> None:
        """The pages from this height on need each other: what they say depends on which was begun first."""
        for page in self._open[height:]:
            page.lasts = False

    def forget(self) -> None:
        """The run is over: the scopes that still refer to it must not keep what it made."""
        for scope in self.scopes.values():
            for entity in scope.items.values():
                entity.page = None
        self.kept = _nothing_kept
        self.pages, self.scopes, self.resolvers, self._answers, self._unread = [], {}, {}, {}, {}
        self.page = Page((), Problems(self._unread))
        self._open = [self.page]


def _nothing_kept(_key: Key) -> Iterable[Page]:
    return ()
