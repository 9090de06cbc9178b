"""Homes for acceptance tests."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from heldtrue import ManualClock, Memory
from tests.acceptance.homes import KINDS, MakeHome, new_clock, provide_homes


@pytest.fixture
def make_home(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[MakeHome]:
    yield from provide_homes(request, tmp_path)


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    """Each kind of store in turn."""
    return str(request.param)


@pytest.fixture
def clock() -> ManualClock:
    return new_clock()


@pytest.fixture
def owner(make_home: MakeHome, clock: ManualClock) -> Iterator[Memory]:
    """The owner's view of a fresh home on SQLite, at a clock that stands still."""
    with Memory.open(make_home(), clock=clock) as memory:
        yield memory


@pytest.fixture
def anywhere(kind: str, make_home: MakeHome, clock: ManualClock) -> Iterator[Memory]:
    """The same on each kind of store in turn."""
    with Memory.open(make_home(kind), clock=clock) as memory:
        yield memory
