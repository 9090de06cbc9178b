"""Homes for reliability tests."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.acceptance.homes import MakeHome, provide_homes


@pytest.fixture
def make_home(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[MakeHome]:
    yield from provide_homes(request, tmp_path)
