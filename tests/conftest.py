"""What every test gets: one PostgreSQL for the run, repeatable properties, and no way off this machine."""

import os
import tempfile
from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import hypothesis
import pytest

from heldtrue.language.guard import take_failures
from heldtrue.wiring.models import READER_VARIABLE
from tests.network_guard import refuse_outside_connections
from tests.postgres_server import PostgresDesk, ask_desk

SEED_VARIABLE = "HELDTRUE_TEST_SEED"

DESK = pytest.StashKey[PostgresDesk]()
STATE = pytest.StashKey[tempfile.TemporaryDirectory[str]]()


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Choose the seed of properties, and open the desk that lends out the PostgreSQL server."""
    choose_seed(config)
    if not is_worker(config):
        config.stash[DESK] = PostgresDesk()
        # In the environment: processes that tests start leave the state folder of the user alone, too.
        config.stash[STATE] = tempfile.TemporaryDirectory(prefix="heldtrue-state-")
        os.environ["XDG_STATE_HOME"] = config.stash[STATE].name


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Switch the reader off for tests that write much and are about something else, before any fixture is made."""
    if item.get_closest_marker("without_reader"):
        os.environ[READER_VARIABLE] = "none"
    else:
        os.environ.pop(READER_VARIABLE, None)


def pytest_unconfigure(config: pytest.Config) -> None:
    """Stop the PostgreSQL server, also after Ctrl-C."""
    desk = config.stash.get(DESK, None)
    if desk is not None:
        desk.close()
        config.stash[STATE].cleanup()


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Tell a worker of pytest-xdist where the desk is."""
    node.workerinput["postgres_desk"] = node.config.stash[DESK].address


def is_worker(config: pytest.Config) -> bool:
    """Say whether this process was started by pytest-xdist to run a share of the tests."""
    return hasattr(config, "workerinput")


def choose_seed(config: pytest.Config) -> None:
    """Try the same examples in every run, or others with HELDTRUE_TEST_SEED=<number>."""
    seed = os.environ.get(SEED_VARIABLE)
    hypothesis.settings.register_profile("heldtrue", derandomize=seed is None, deadline=None, print_blob=True)
    hypothesis.settings.load_profile("heldtrue")
    if seed is not None:
        config.option.hypothesis_seed = seed  # as --hypothesis-seed would; read after us, hence tryfirst


@pytest.fixture(autouse=True)
def _no_analysis_fails() -> Iterator[None]:
    """Fail a test in which the analysis of a text failed, although its text was kept."""
    yield
    failures = take_failures()
    assert not failures, "\n".join(f"{failure.place}\n{failure.trace}" for failure in failures)


@pytest.fixture(scope="session", autouse=True)
def _stay_on_this_machine() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        refuse_outside_connections(patch)
        yield


@pytest.fixture(scope="session")
def postgres_dsn(request: pytest.FixtureRequest) -> str:
    """Where the PostgreSQL server of this run is; the first test that asks starts it."""
    if is_worker(request.config):
        return ask_desk(request.config.workerinput["postgres_desk"])  # type: ignore[attr-defined]
    return request.config.stash[DESK].dsn()


@pytest.fixture
def postgres_space(postgres_dsn: str) -> Iterator[str]:
    """A schema name that nobody else uses; what the test makes of it is dropped afterwards."""
    import psycopg

    name = f"space_{uuid4().hex}"
    yield name
    with psycopg.connect(postgres_dsn, autocommit=True) as connection:
        connection.execute(f'DROP SCHEMA IF EXISTS "{name}" CASCADE')
