"""Which SQLite may hold a space that several processes write."""

from __future__ import annotations

import apsw
import pytest

from heldtrue.domain.errors import UnsafeLibrary
from heldtrue.storage.sqlite.library import is_safe, parse_version, refuse_unsafe

ACCEPTED = [
    "3.44.6",
    "3.44.7",
    "3.50.7",
    "3.50.9",
    "3.51.3",
    "3.51.10",
    "3.52.0",
    "3.53.1",
    "3.54.0",
    "3.100.0",
    "4.0.0",
]
REFUSED = [
    "3.7.0", "3.7.17", "3.8.0", "3.31.1", "3.40.1", "3.43.6", "3.44.0", "3.44.5", "3.45.0", "3.45.6", "3.46.1",
    "3.47.7", "3.48.9", "3.49.2", "3.50.0", "3.50.4", "3.50.6", "3.51.0", "3.51.1", "3.51.2",
]  # fmt: skip


@pytest.mark.parametrize("version", ACCEPTED)
def test_a_repaired_library_is_accepted(version: str) -> None:
    assert is_safe(parse_version(version))
    refuse_unsafe(version)


@pytest.mark.parametrize("version", REFUSED)
def test_an_affected_library_is_refused_with_the_way_out(version: str) -> None:
    assert not is_safe(parse_version(version))
    with pytest.raises(UnsafeLibrary) as problem:
        refuse_unsafe(version)
    assert f"SQLite {version} " in problem.value.message
    assert "WAL-reset" in problem.value.message
    for fixed in ("3.51.3", "3.50.7", "3.44.6"):
        assert fixed in problem.value.message
    assert "pip install --upgrade 'apsw>=3.54'" in (problem.value.hint or "")
    assert problem.value.code == "unsafe_library"


def test_a_version_with_a_fourth_part_is_read_by_its_first_three() -> None:
    assert parse_version("3.54.1.0") == (3, 54, 1)


def test_the_library_we_run_on_is_accepted() -> None:
    refuse_unsafe(apsw.sqlite_lib_version())
