"""What PostgreSQL reports reaches people as one of our errors, with a way out."""

from __future__ import annotations

import psycopg
import pytest
from psycopg import errors

from heldtrue.domain.errors import Busy, HeldtrueError, StorageProblem, StorageUnavailable
from heldtrue.storage.postgres.connector import lock_key, refuse_unsafe_settings
from heldtrue.storage.postgres.problems import explain

CASES: list[tuple[type[psycopg.Error], type[HeldtrueError], str]] = [
    (errors.LockNotAvailable, Busy, "busy for over 30 s"),
    (errors.QueryCanceled, Busy, "busy"),
    (errors.DeadlockDetected, Busy, "busy"),
    (errors.SerializationFailure, Busy, "busy"),
    (errors.IdleInTransactionSessionTimeout, Busy, "idle for over 30 s"),
    (errors.DiskFull, StorageProblem, "is full"),
    (errors.ReadOnlySqlTransaction, StorageProblem, "cannot be written to"),
    (errors.InsufficientPrivilege, StorageProblem, "this role may not use"),
    (errors.DataCorrupted, StorageProblem, "damaged"),
    (errors.IndexCorrupted, StorageProblem, "damaged"),
    (errors.AdminShutdown, StorageUnavailable, "cannot be reached"),
    (errors.CannotConnectNow, StorageUnavailable, "cannot be reached"),
    (errors.TooManyConnections, StorageUnavailable, "cannot be reached"),
]


@pytest.mark.parametrize(("given", "wanted", "words"), CASES, ids=lambda value: getattr(value, "__name__", None))
def test_each_report_has_its_error_and_its_hint(
    given: type[psycopg.Error], wanted: type[HeldtrueError], words: str
) -> None:
    problem = explain(given("said the server"), "PostgreSQL db/brain", connected=True, waited_ms=30_000)
    assert type(problem) is wanted
    assert words in problem.message
    assert problem.hint


def test_anything_else_is_passed_on_by_its_first_line() -> None:
    problem = explain(
        errors.UniqueViolation("duplicate\nDETAIL: Key (id)=(private)"), "here", connected=True, waited_ms=30_000
    )
    assert type(problem) is StorageProblem
    assert problem.message == "database error: duplicate"


def test_a_lost_connection_is_told_apart_from_a_refusal() -> None:
    lost = psycopg.OperationalError("server closed the connection unexpectedly")
    assert type(explain(lost, "here", connected=False, waited_ms=30_000)) is StorageUnavailable
    assert type(explain(lost, "here", connected=True, waited_ms=30_000)) is StorageProblem


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        (("off", "on", "UTF8"), "synchronous_commit is off"),
        (("local", "on", "UTF8"), "synchronous_commit is local"),
        (("on", "off", "UTF8"), "fsync is off"),
        (("on", "on", "SQL_ASCII"), "SQL_ASCII"),
        (("on", "on", "LATIN1"), "LATIN1"),
    ],
)
def test_a_server_that_may_lose_or_garble_is_refused(settings: tuple[str, str, str], words: str) -> None:
    with pytest.raises(StorageProblem, match=words) as problem:
        refuse_unsafe_settings(*settings)
    assert problem.value.hint
    with pytest.raises(StorageProblem, match=r"10\.0\.0\.7:5432"):
        refuse_unsafe_settings(*settings, server="the Citus node 10.0.0.7:5432")


@pytest.mark.parametrize("synchronous_commit", ["on", "remote_apply"])
def test_a_safe_server_is_accepted(synchronous_commit: str) -> None:
    refuse_unsafe_settings(synchronous_commit, "on", "UTF8")


def test_the_lock_of_a_space_is_the_same_everywhere_and_its_own() -> None:
    """Another number in another release would let both write at once."""
    assert lock_key("brain") == -1858968122567272534
    assert len({lock_key(f"space_{number}") for number in range(1_000)}) == 1_000
    assert all(-(2**63) <= lock_key(f"space_{number}") < 2**63 for number in range(1_000))
