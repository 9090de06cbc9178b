"""The PostgreSQL server of the tests is the one we pinned, durable, private, and gone when it should be."""

import os
import subprocess
import sys
from pathlib import Path

import psycopg

from tests.postgres_server import PostgresServer
from tests.waiting import wait_until


def test_the_server_is_the_pinned_postgresql_with_full_durability(postgres_dsn: str) -> None:
    with psycopg.connect(postgres_dsn) as connection:
        version = connection.execute("SELECT version()").fetchone()
        settings: dict[str, str] = dict(
            connection.execute(
                "SELECT name, setting FROM pg_settings WHERE name IN "
                "('fsync', 'synchronous_commit', 'full_page_writes', 'server_encoding', 'max_connections')"
            ).fetchall()
        )
    assert version is not None
    assert version[0].startswith("PostgreSQL 18.6 ")
    assert settings == {
        "fsync": "on",
        "synchronous_commit": "on",
        "full_page_writes": "on",
        "server_encoding": "UTF8",
        "max_connections": "100",
    }


def test_vectors_can_be_used(postgres_dsn: str) -> None:
    with psycopg.connect(postgres_dsn) as connection, connection.transaction(force_rollback=True):
        connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
        row = connection.execute("SELECT '[1,2]'::vector <-> '[1,4]'::vector").fetchone()
    assert row == (2.0,)


def test_the_server_listens_on_no_port(postgres_dsn: str) -> None:
    with psycopg.connect(postgres_dsn) as connection:
        assert connection.execute("SHOW listen_addresses").fetchone() == ("",)


def test_a_space_is_a_fresh_name(postgres_dsn: str, postgres_space: str) -> None:
    with psycopg.connect(postgres_dsn) as connection:
        connection.execute(f'CREATE SCHEMA "{postgres_space}"')  # fails if anybody had it before


def test_stopping_leaves_neither_process_nor_folder() -> None:
    server = PostgresServer()
    folder, process = server._folder, postmaster_pid(server._folder)
    assert is_alive(process)
    server.stop()
    assert not folder.exists()
    assert not is_alive(process)


def test_a_killed_run_leaves_neither_process_nor_folder() -> None:
    script = (
        "import time\nfrom tests.postgres_server import PostgresServer\n"
        "print(PostgresServer()._folder, flush=True)\ntime.sleep(60)"
    )
    run = subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[2]
    )
    assert run.stdout is not None
    folder = Path(run.stdout.readline().strip())
    process = postmaster_pid(folder)
    run.kill()
    run.wait()
    run.stdout.close()
    wait_until_gone(process, folder)


def postmaster_pid(folder: Path) -> int:
    return int((folder / "data" / "postmaster.pid").read_text().split()[0])


def is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def wait_until_gone(process: int, folder: Path) -> None:
    """Fail where the server or its folder outlives the run that was killed."""
    wait_until(lambda: not is_alive(process) and not folder.exists())
