"""What is kept from one check of a file to the next, so that an edit costs what it changes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kcheck.checker.lower.ledger import Key, Page


class Cancelled(Exception):
    """Nobody waits any longer for the result of a check."""


class Memo:
    """The pages of the last two checks: the one before the last serves edits that are taken back.

    A check with a memo gives exactly what one without it gives.  A memo serves one file, and one check at a time.
    """

    def __init__(self) -> None:
        self._last: dict[Key, Page] = {}
        self._before: dict[Key, Page] = {}

    def pages(self, key: Key) -> Iterator[Page]:
        """The pages of this piece, the last first; whether one still holds is another question."""
        place = _place(key)
        last, before = self._last.get(place), self._before.get(place)
        if last is not None and last.key == key:
            yield last
        if before is not None and before.key == key and before is not last:
            yield before

    def copy(self) -> Memo:
        """For a check at the same time."""
        made = Memo()
        made._last, made._before = dict(self._last), dict(self._before)
        return made

    def keep(self, pages: Iterable[Page]) -> None:
        """Take the pages of a check that was completed for the last ones."""
        self._before, self._last = self._last, _by_place(pages)

    def add(self, pages: Iterable[Page]) -> None:
        """Take over what a check found before it was cancelled."""
        self._last |= _by_place(pages)


def _by_place(pages: Iterable[Page]) -> dict[Key, Page]:
    return {_place(page.key): page for page in pages if page.lasts}


def _place(key: Key) -> Key:
    """What a piece is and which item it is about, without the item's text: there is one page for each."""
    return key[:3]
