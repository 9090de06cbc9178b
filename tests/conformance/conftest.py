"""Runs each test on every database it can run on."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from heldtrue.storage.store import SqlStore
from tests.conformance.backends import NAMES, Backend, FileBackend, MemoryBackend, PostgresBackend


def _lend(name: str, request: pytest.FixtureRequest) -> Iterator[Backend]:
    # Fixtures by name, so that the SQLite runs start no server.
    if name == "memory":
        backend: Backend = MemoryBackend()
    elif name == "file":
        folder: Path = request.getfixturevalue("tmp_path")
        backend = FileBackend(folder)
    else:
        backend = PostgresBackend(request.getfixturevalue("postgres_dsn"), request.getfixturevalue("postgres_space"))
    yield backend
    backend.close()
    if isinstance(backend, PostgresBackend):
        _drop(backend)


def _drop(backend: PostgresBackend) -> None:
    import psycopg

    with psycopg.connect(backend.dsn, autocommit=True) as connection:
        for schema in backend.schemas:
            connection.execute(f'DROP SCHEMA IF EXISTS "{schema}" CASCADE')


@pytest.fixture(params=NAMES)
def backend(request: pytest.FixtureRequest) -> Iterator[Backend]:
    """Each database in turn."""
    yield from _lend(request.param, request)


@pytest.fixture(params=[name for name in NAMES if name != "memory"])
def lasting(request: pytest.FixtureRequest) -> Iterator[Backend]:
    """Each database that a second process, or a second opening, can reach."""
    yield from _lend(request.param, request)


@pytest.fixture
def postgres(request: pytest.FixtureRequest) -> Iterator[Backend]:
    """PostgreSQL alone."""
    yield from _lend("postgres", request)


@pytest.fixture
def store(backend: Backend) -> SqlStore:
    """An empty space in each database in turn."""
    return backend.open()
