"""A backend that is not there: a skip that says so, or a failure where it has to be there."""

import pytest

from tests import backends
from tests.support import backend_named


def test_absent_backend_is_a_visible_skip() -> None:
    with pytest.raises(pytest.skip.Exception, match="abacus"):
        backend_named("abacus")


def test_absent_backend_fails_where_it_is_required(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backends, "REQUIRED", frozenset({"abacus"}))
    with pytest.raises(pytest.fail.Exception, match="abacus"):
        backend_named("abacus")


def test_backends_are_there() -> None:
    for name in backends.BACKENDS:
        assert backend_named(name).name == name
