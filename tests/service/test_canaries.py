"""Nothing of one tenant reaches another, whatever both ask at once; each finds its own.

`python -m bench canaries` makes 10,000 calls; here it is a part of them.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.canaries import CLIENTS, TENANTS, Watch, canary, readings, run, settle
from heldtrue.capabilities.verb_index import all_capabilities
from tests.service.server import Server

pytestmark = pytest.mark.without_reader


@pytest.mark.slow
@pytest.mark.covers("B1", "C11")
def test_fifty_clients_of_two_tenants_see_nothing_of_each_other(tmp_path: Path) -> None:
    seen = run(tmp_path, calls=1_500, clients=CLIENTS)
    assert seen.calls == 1_500
    assert not seen.leaks, "\n".join(sorted(set(seen.leaks))[:20])
    assert not seen.faults, "\n".join(sorted(set(seen.faults))[:20])
    # The control: each finds its own, and is refused what is not.
    assert seen.own > 400
    assert seen.statuses[404] + seen.statuses[403] > 200
    assert len(seen.by_name) > 45


def test_the_watch_sees_a_word_of_another_and_overlooks_what_was_asked_for(server: Server) -> None:
    members = settle(server)
    watch = Watch(members)
    one, same, other = members[0], members[1], members[-1]
    assert {one.tenant, other.tenant} == set(TENANTS)
    # The owner sees all: were it given to an agent, it would be a leak, and is seen as one.
    everything = server.ask("POST", "/v1/memory.list", {"limit": 1000}).body.decode()
    for reader, tenant, name in ((one, other.tenant, other.name), (other, one.tenant, one.name)):
        found = watch.foreign(reader, everything, "")
        assert {canary(tenant, "fact"), canary(name, "secret")} <= found
        assert canary(reader.tenant, "fact") not in found
    assert canary(same.name, "secret") in watch.foreign(one, everything, "")
    assert not watch.foreign(one, f"there is no {other.project}", f"/v1/projects/{other.project}/knowledge")
    asked = {ask.name for ask in readings(one, other)}
    assert asked == {capability.name for capability in all_capabilities().values() if capability.effect == "read"}
