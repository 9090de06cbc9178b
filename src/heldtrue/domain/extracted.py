"""What an extractor finds in a text: single statements that could become memories."""

from __future__ import annotations

import msgspec

from heldtrue.domain.memory import Kind, Strength


class Extracted(msgspec.Struct, frozen=True, kw_only=True):
    """One statement that stands by itself, and where it was found."""

    text: str
    """A sentence that needs nothing around it: who "I" and "we" are is said."""
    kind: Kind
    strength: Strength
    start: int
    end: int
    """The part of the text that it was taken from, in characters."""
    rationale: str | None = None
    alternatives: tuple[str, ...] = ()
    """What was decided against."""
    topic: str | None = None
    category: str | None = None
    """The part of life it belongs to: work, health, preferences, ..."""
    valid_from: int | None = None
    valid_to: int | None = None
    """When it holds, where the text says so; microseconds UTC."""
    tone: str = "neutral"
    reason: str = ""
    """Why it was taken, in words."""


class Material(msgspec.Struct, frozen=True, kw_only=True):
    """A text to extract from, and what is known around it."""

    text: str
    is_spoken: bool
    """Whether it is a turn of a conversation, not a document."""
    speaker: str | None = None
    project: str | None = None
    said_at: int | None = None
    path: str | None = None
    title: str | None = None
    before: tuple[tuple[str | None, str], ...] = ()
    """The turns before it, oldest first: who spoke, and what."""
