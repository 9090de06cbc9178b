"""Whose a row is, and who sees it."""

from __future__ import annotations

import pytest

from heldtrue.domain.memory import Visibility
from heldtrue.domain.principal import EVERYTHING, OWNER, Sight, agent_principal
from heldtrue.domain.privacy import SHARED, Privacy

pytestmark = pytest.mark.covers("B11")


@pytest.mark.parametrize("visibility", [Visibility.LOCAL, Visibility.SHARED, "local", "", None])
def test_what_is_not_private_is_shared_whoever_wrote_it(visibility: str | None) -> None:
    assert Privacy.of(visibility, "agent:a") is SHARED
    assert not SHARED.is_private


@pytest.mark.parametrize("visibility", [Visibility.PRIVATE, "private"])
def test_what_is_private_is_its_authors(visibility: str) -> None:
    own = Privacy.of(visibility, "agent:a")
    assert own.is_private
    assert own == Privacy("agent:a") != Privacy.of(visibility, "agent:b")


@pytest.mark.parametrize(
    ("sight", "privacy", "seen"),
    [
        (EVERYTHING, SHARED, True),
        (EVERYTHING, Privacy("agent:a"), True),
        (Sight(reader="agent:a"), SHARED, True),
        (Sight(reader="agent:a"), Privacy("agent:a"), True),
        (Sight(reader="agent:a"), Privacy("agent:ab"), False),
        (Sight(reader=""), Privacy("agent:a"), False),
        (OWNER.sight, Privacy("agent:a"), True),
        (agent_principal("a").sight, Privacy("agent:a"), True),
        (agent_principal("a").sight, Privacy("person:owner"), False),
    ],
)
def test_a_private_row_is_seen_by_its_author_and_by_who_sees_all(sight: Sight, privacy: Privacy, seen: bool) -> None:
    assert sight.sees(privacy) is seen


def test_a_row_is_covered_if_its_scope_is_reached_and_it_is_seen() -> None:
    sight = Sight(("global",), ("team:",), "agent:a")
    assert sight.covers("global", SHARED)
    assert sight.covers("team:x", Privacy("agent:a"))
    assert not sight.covers("team:x", Privacy("agent:b"))
    assert not sight.covers("project:x", SHARED)
