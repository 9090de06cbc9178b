"""What is asked, as values: the query, where it is asked from, and the settings it is searched by."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

import msgspec

from heldtrue.domain import limits
from heldtrue.domain.memory import Kind
from heldtrue.domain.principal import Principal


class RecallQuery(msgspec.Struct, frozen=True, kw_only=True):
    """A recall as any capability may ask for it. The log keeps it as it was asked."""

    context: str
    """The question, in plain words."""
    topic: str | None = None
    min_confidence: float = 0.0
    trusted: bool = False
    """Only memories that a person has verified."""
    max_age: str | None = None
    limit: int = limits.RESULTS_DEFAULT
    scopes: Sequence[str] | None = None
    kinds: Sequence[Kind] | None = None
    within: Sequence[str] | None = None
    near: Sequence[str] | None = None
    profile: str | None = None
    weights: Mapping[str, float] | None = None
    messages: Sequence[str] | None = None
    around: int = 0
    per_source: int | None = 3
    elsewhere: bool = False
    weak_share: float = 0.35
    """What a result must score, as a share of the best one's score, to be returned beside it."""
    as_of: str | None = None
    valid_at: str | None = None
    words_only: bool = False
    """Use no models: anything that costs more than looking words up is left out."""


class Standpoint(msgspec.Struct, frozen=True, kw_only=True):
    """Where a query is asked from: by whom and when, and what its scopes, moments and ids mean for that caller."""

    principal: Principal
    """Whose sight the search has."""
    now: int
    moment: int
    """The moment asked about: now, or the one that `as_of` names. Ages count from it."""
    scopes: tuple[str, ...] | None = None
    """The scopes that the search covers; None means every scope."""
    seq: int | None = None
    """The ledger sequence that `as_of` names; None means now."""
    valid_at: int | None = None
    near: tuple[str, ...] = ()
    """The ids of the memories that the query is asked from."""
    marks: tuple[object, ...] = ()
    """What else tells this recall from another one of the same at the same moment."""


class SearchSettings(Protocol):
    """The settings that recall reads."""

    @property
    def recall_profile(self) -> str: ...
    @property
    def recall_floor(self) -> float | None: ...
    @property
    def decay(self) -> Mapping[str, float]: ...
    def profile_weights(self, profile: str) -> Mapping[str, float]: ...
