"""Runs each test on every database it can run on."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest

from heldtrue.storage.store import SqlStore
from tests.conformance.backends import (
    NAMES,
    SERVERS,
    Backend,
    CitusBackend,
    FileBackend,
    MemoryBackend,
    PostgresBackend,
    citus_dsn,
)


def _lend(name: str, request: pytest.FixtureRequest) -> Iterator[Backend]:
    # Fixtures by name, so that the SQLite runs start no server.
    if name == "memory":
        backend: Backend = MemoryBackend()
    elif name == "file":
        folder: Path = request.getfixturevalue("tmp_path")
        backend = FileBackend(folder)
    elif name == "citus":
        backend = CitusBackend(citus_dsn(), f"space_{uuid4().hex}")
    else:
        backend = PostgresBackend(request.getfixturevalue("postgres_dsn"), request.getfixturevalue("postgres_space"))
    yield backend
    backend.close()
    if isinstance(backend, PostgresBackend):
        backend.drop_schemas()


@pytest.fixture(params=NAMES)
def backend(request: pytest.FixtureRequest) -> Iterator[Backend]:
    """Each database in turn."""
    yield from _lend(request.param, request)


@pytest.fixture(params=[name for name in NAMES if name != "memory"])
def lasting(request: pytest.FixtureRequest) -> Iterator[Backend]:
    """Each database that a second process, or a second opening, can reach."""
    yield from _lend(request.param, request)


@pytest.fixture(params=SERVERS)
def postgres(request: pytest.FixtureRequest) -> Iterator[PostgresBackend]:
    """PostgreSQL, as one server and as a Citus cluster."""
    for backend in _lend(request.param, request):
        assert isinstance(backend, PostgresBackend)
        yield backend


@pytest.fixture
def cluster(request: pytest.FixtureRequest) -> Iterator[CitusBackend]:
    """A Citus cluster alone."""
    for backend in _lend("citus", request):
        assert isinstance(backend, CitusBackend)
        yield backend


@pytest.fixture
def store(backend: Backend) -> SqlStore:
    """An empty space in each database in turn."""
    return backend.open()
