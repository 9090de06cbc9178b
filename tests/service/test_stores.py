"""The service over either kind of store, and several servers over one space."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.acceptance.homes import KINDS, MakeHome, provide_homes
from tests.service.server import Server


@pytest.fixture
def make_home(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[MakeHome]:
    yield from provide_homes(request, tmp_path)


@pytest.mark.covers("B28", "D28")
@pytest.mark.parametrize("kind", KINDS)
def test_two_servers_share_a_space_and_all_of_their_writes_are_kept(make_home: MakeHome, kind: str) -> None:
    home = make_home(kind)
    first = Server(home).start()
    second = Server(home, token=first.token).start()
    try:
        tokens = [first.let_in(f"diver{number}", projects=["reef"]) for number in range(4)]
        kept: list[str] = []
        problems: list[BaseException] = []

        def write(number: int, token: str) -> None:
            server = (first, second)[number % 2]
            try:
                with server.connect(token) as memory:
                    for place in range(10):
                        learned = memory.learn(f"Diver {number} saw fish {place} at depth {10 * number + place}")
                        kept.append(learned.memory.id)
            except BaseException as problem:  # noqa: BLE001 - told below
                problems.append(problem)

        writers = [threading.Thread(target=write, args=one) for one in enumerate(tokens)]
        for writer in writers:
            writer.start()
        for writer in writers:
            writer.join(60)
        assert not problems
        for server in (first, second):
            held = {one.id for one in server.owner().list(limit=1000).memories}
            assert set(kept) <= held
        found = second.connect(tokens[0]).recall("what did diver 0 see at depth 3?")
        assert found.results[0].memory.content == "Diver 0 saw fish 3 at depth 3"
        events = second.owner().events(after="0.0", names=["memory:write"], limit=1000).events
        assert len([one for one in events if one.payload["type"] == "memory.learn"]) == 40
        first.owner().revoke_agent("diver0")
        assert second.ask("GET", "/v1/memories", token=tokens[0]).status == 401  # at once, on the other server too
        assert second.owner().verify().ok
    finally:
        first.stop()
        second.stop()
