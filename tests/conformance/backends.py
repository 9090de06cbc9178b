"""The databases that the suite runs on."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from pathlib import Path

import psycopg
import pytest

from heldtrue.storage.connector import Connector
from heldtrue.storage.postgres.connector import PostgresConnector
from heldtrue.storage.sqlite.connector import SqliteConnector
from heldtrue.storage.statements import load_statements
from heldtrue.storage.store import SqlStore

CITUS_VARIABLE = "HELDTRUE_TEST_CITUS"
"""The environment variable with the URL of the coordinator of a Citus cluster to test on."""
SERVERS = ("postgres", "citus") if CITUS_VARIABLE in os.environ else ("postgres",)
NAMES = ("memory", "file", *SERVERS)


class Backend(ABC):
    """A place for spaces; every one opened through it is closed with it."""

    name: str
    is_postgres = False

    def __init__(self) -> None:
        self._connectors: list[Connector] = []

    @abstractmethod
    def _connect(self, space: str) -> Connector: ...

    def connect(self, space: str = "one") -> Connector:
        """A space as it is, without bringing it up to date."""
        connector = self._connect(space)
        self._connectors.append(connector)
        return connector

    def open(self, space: str = "one") -> SqlStore:
        """A space, ready for use."""
        return SqlStore(self.connect(space))

    def close(self) -> None:
        for connector in self._connectors:
            connector.close()


class MemoryBackend(Backend):
    name = "memory"

    def _connect(self, space: str) -> Connector:
        return SqliteConnector(None)


class FileBackend(Backend):
    name = "file"

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.folder = folder

    def _connect(self, space: str) -> Connector:
        return SqliteConnector(self.folder / f"{space}.db")


class PostgresBackend(Backend):
    name = "postgres"
    is_postgres = True

    def __init__(self, dsn: str, prefix: str) -> None:
        super().__init__()
        self.dsn, self.prefix = dsn, prefix
        self.schemas: set[str] = set()

    def _connect(self, space: str) -> Connector:
        schema = self.prefix if space == "one" else f"{self.prefix}_{space}"
        self.schemas.add(schema)
        return PostgresConnector(self.dsn, schema)

    def drop_schemas(self) -> None:
        """Leave nothing behind on the server."""
        with psycopg.connect(self.dsn, autocommit=True) as connection:
            for schema in self.schemas:
                connection.execute(f'DROP SCHEMA IF EXISTS "{schema}" CASCADE')


class CitusBackend(PostgresBackend):
    """The same schemas, each placed on a node of a Citus cluster."""

    name = "citus"


def citus_dsn() -> str:
    """Where the coordinator is. Without a cluster the test is skipped; with a broken one it fails."""
    if CITUS_VARIABLE not in os.environ:
        pytest.skip(f"{CITUS_VARIABLE} names no Citus coordinator; if it does, this whole suite runs there too")
    return os.environ[CITUS_VARIABLE]


def spelled_statements(connector: Connector) -> dict[str, str]:
    """The named statements of a database, as a store would run them."""
    named = load_statements(connector.package, connector.within)
    return {name: connector.spell(sql) for name, sql in named.items()}
