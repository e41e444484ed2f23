"""The errors that only a run itself can meet, worded once for all backends."""

from __future__ import annotations

from kcheck.checker import rules
from kcheck.checker.rules.rule import Rule
from kcheck.grammar.diagnostics import Note
from kcheck.grammar.spans import Origin
from kcheck.runtime.errors import RunError


def empty_read(port: str, origin: Origin) -> RunError:
    """A read that clamps to the nearest element found no element at all."""
    return _failure(
        rules.EMPTY_READ,
        f"`{port}` is read here and has no elements",
        origin,
        "a read outside a field takes its nearest element, and an empty field has none",
    )


def empty_fold(port: str, origin: Origin) -> RunError:
    return _failure(
        rules.EMPTY_FOLD,
        f"`{port}` has no elements to fold",
        origin,
        "a reduction merges the results of its elements, so it needs at least one",
    )


def divergent_exchange(origin: Origin) -> RunError:
    return _failure(
        rules.DIVERGENT_EXCHANGE,
        "not every lane of the group reaches this exchange",
        origin,
        "an exchange reads what the other lanes hold at that same exchange, so all must get there together",
    )


def device_failed(device: str, problem: str, origin: Origin) -> RunError:
    return _failure(
        rules.DEVICE_FAILED,
        f"{device} could not run this: {problem}",
        origin,
        "nothing was changed; a device that is lost is opened anew by the next run",
    )


def _failure(rule: Rule, message: str, origin: Origin, note: str) -> RunError:
    return RunError(rule.report(origin, message, notes=(Note(note),)))
