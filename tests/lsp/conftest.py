"""One server for the tests of a module: a start takes seconds."""

import os
from collections.abc import AsyncIterator
from itertools import count
from pathlib import Path

import pytest
import pytest_asyncio

from tests.lsp.client import Client

_numbers = count()


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The workspace of the module's server."""
    return tmp_path_factory.mktemp("workspace")


@pytest.fixture
def folder(root: Path) -> Path:
    """A package of its own for each test."""
    made = root / f"package{next(_numbers)}"
    made.mkdir()
    (made / "kcheck.toml").write_text("")
    return made


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def server(root: Path) -> AsyncIterator[Client]:
    made = Client()
    await made.start(root, arguments=tuple(os.environ.get("KCHECK_LSP_ARGUMENTS", "").split()))
    yield made
    assert await made.stop() == 0


@pytest_asyncio.fixture(loop_scope="module")
async def client(server: Client) -> AsyncIterator[Client]:
    """The module's client; what a test opened is closed after it."""
    yield server
    server.close_all()
