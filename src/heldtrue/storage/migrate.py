"""Numbered migrations, each applied once, in order, with its checksum kept."""

from __future__ import annotations

import hashlib
from pathlib import Path

from heldtrue.domain.errors import StorageProblem
from heldtrue.storage.connector import Connection, Connector
from heldtrue.storage.statements import package_folder


def migration_files(package: str) -> list[Path]:
    """The migrations of a database, oldest first."""
    return sorted((package_folder(package) / "migrations").glob("*.sql"), key=lambda file: file.name)


def _applied(connection: Connection, statements: dict[str, str]) -> dict[str, str]:
    present = connection.rows(statements["has_migrations"], {})[0][0]
    return {row[0]: row[1] for row in connection.rows(statements["applied_migrations"], {})} if present else {}


def migrate(connector: Connector, statements: dict[str, str]) -> list[str]:
    """Apply the missing migrations and return them. A space of a newer Heldtrue is refused and not changed."""
    files = migration_files(connector.package)
    names = {file.name for file in files}
    with connector.reading() as connection:
        applied = _applied(connection, statements)
    _refuse_unknown(applied, names)
    if names <= applied.keys():
        return []
    with connector.writing() as connection:
        # Looked up again under the lock: another process may have been first.
        applied = _applied(connection, statements)
        if not applied and not connection.rows(statements["has_migrations"], {})[0][0]:
            connection.run(statements["create_migrations"], {})
        waiting = [file for file in files if file.name not in applied]
        for file in waiting:
            connection.run_script(file.read_text("utf-8"))
            connection.run(statements["record_migration"], {"name": file.name, "checksum": _checksum(file)})
    return [file.name for file in waiting]


def schema_scripts(connector: Connector, statements: dict[str, str]) -> list[str]:
    """The scripts that make a new space, in order."""
    return [statements["create_migrations"], *(file.read_text("utf-8") for file in migration_files(connector.package))]


def _checksum(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def changed_migrations(connector: Connector, statements: dict[str, str]) -> list[str]:
    """Migrations whose text differs from the one that was applied to this space."""
    with connector.reading() as connection:
        applied = _applied(connection, statements)
    files = migration_files(connector.package)
    return [file.name for file in files if applied.get(file.name, _checksum(file)) != _checksum(file)]


def _refuse_unknown(applied: dict[str, str], names: set[str]) -> None:
    unknown = sorted(str(name) for name in applied.keys() - names)
    if unknown:
        raise StorageProblem(
            f"this store was written by a newer version of Heldtrue (it has {', '.join(unknown)})",
            hint="update Heldtrue; nothing was changed",
        )
