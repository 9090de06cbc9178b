"""What can happen to a home beneath a running process: deleted, moved, replaced, emptied, an older copy."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

DATABASE = "heldtrue.db"
Deed = Callable[[Path, Path], None]
"""Done to a home, given an older copy of it."""


def delete_home(_older: Path, home: Path) -> None:
    # Aside first: a process that writes into it meanwhile would keep it from being deleted.
    gone = home.with_name(f"{home.name}-gone")
    home.rename(gone)
    shutil.rmtree(gone)


def move_home_away(_older: Path, home: Path) -> None:
    home.rename(home.with_name(f"{home.name}-away"))


def delete_database(_older: Path, home: Path) -> None:
    (home / DATABASE).unlink()


def replace_database(older: Path, home: Path) -> None:
    shutil.copy(older / DATABASE, home / "new")
    (home / "new").replace(home / DATABASE)


def empty_database(_older: Path, home: Path) -> None:
    os.truncate(home / DATABASE, 0)


def replace_home(older: Path, home: Path) -> None:
    delete_home(older, home)
    shutil.copytree(older, home)


def overwrite_home(older: Path, home: Path) -> None:
    """Every file, one over the other, as `cp` does it: the files keep their identity."""
    for ending in ("-wal", "-shm"):
        (home / f"{DATABASE}{ending}").unlink(missing_ok=True)
    for file in older.iterdir():
        if file.is_file():
            shutil.copyfile(file, home / file.name)


def delete_log(_older: Path, home: Path) -> None:
    (home / f"{DATABASE}-wal").unlink(missing_ok=True)


def delete_log_index(_older: Path, home: Path) -> None:
    (home / f"{DATABASE}-shm").unlink(missing_ok=True)


DEEDS: dict[str, Deed] = {
    "home deleted": delete_home,
    "home moved away": move_home_away,
    "database deleted": delete_database,
    "database replaced": replace_database,
    "database emptied": empty_database,
    "home replaced by an older copy": replace_home,
    "home overwritten by an older copy": overwrite_home,
    "log deleted": delete_log,
    "index of the log deleted": delete_log_index,
}
