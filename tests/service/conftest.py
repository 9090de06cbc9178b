"""What the tests of the service share: one running server a test, or one for a whole file."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.service.server import Server


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    running = Server(tmp_path / "home").start()
    try:
        yield running
    finally:
        running.stop()


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server that the tests of a file share; each writes of its own subjects."""
    running = Server(tmp_path_factory.mktemp("shared") / "home").start()
    try:
        yield running
    finally:
        running.stop()
