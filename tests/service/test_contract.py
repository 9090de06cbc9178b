"""The service does what its OpenAPI document promises: schemathesis asks, with all of its checks.

`python -m bench contract` asks more than 10,000 times; here it is a few hundred of them.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.contract import EXCLUDED, Plan, prepare, run_as
from tests.service.server import Server

pytestmark = pytest.mark.without_reader

pytest.importorskip("schemathesis")


@pytest.mark.slow
@pytest.mark.covers("A25", "B1")
def test_every_operation_keeps_its_promise_to_the_owner_and_to_an_agent(server: Server, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    agent = prepare(server, folder)
    everything = Plan(examples=2, seed=1, phases=("fuzzing", "stateful"))
    corners = Plan(
        examples=1, seed=1, phases=("coverage",), only=r"/v1/memories/\{id\}$|/v1/memory\.(get|forget)$|/v1/inbox"
    )
    # The agent first: what the owner's calls forget and correct, an agent can do nothing more to.
    for ran in (
        run_as(server, "agent", agent, corners, folder),
        run_as(server, "owner", server.token, everything, folder),
    ):
        assert not ran.failures, "\n".join([ran.output, *ran.failures])
        assert not [status for status in ran.statuses if status >= 500]
        assert ran.calls > 150, ran.output
        # The control: what fits is not only refused well.
        assert ran.accepted > 0.3, ran.output
    assert "/v1/events" in EXCLUDED
