"""PostgreSQL: a space is a schema."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heldtrue.distribution import suggest_install
from heldtrue.domain.errors import StorageProblem

if TYPE_CHECKING:
    from heldtrue.storage.postgres.connector import PostgresConnector


def open_connector(dsn: str, schema: str) -> PostgresConnector:
    """The schema of that name on that server, made if it is missing. Loads the driver, which is an optional part."""
    try:
        from heldtrue.storage.postgres.connector import PostgresConnector
    except ImportError as missing:
        raise StorageProblem(
            f"a store in PostgreSQL needs the psycopg driver ({missing})", hint=suggest_install("postgres")
        ) from missing
    return PostgresConnector(dsn, schema)
