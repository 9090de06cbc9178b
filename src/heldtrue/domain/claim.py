"""A parsed sentence: its claims, and the identifiers, quantities and dates in them."""

from __future__ import annotations

import msgspec


class Identifier(msgspec.Struct, frozen=True, gc=False):
    """A name that identifies exactly one thing, with its canonical form."""

    kind: str
    """One of `mail`, `phone`, `handle`, `uuid`, `card`, `version`, `path`, `url`."""
    text: str
    canonical: str
    start: int
    end: int


class Quantity(msgspec.Struct, frozen=True, gc=False):
    """A number with its unit, in canonical form: `1,500 ms` and `1.5 s` are both `1.5 s`."""

    text: str
    number: str
    """Plain decimal digits, no grouping and no trailing zeros, in the canonical unit."""
    unit: str
    """Canonical unit (`s`, `byte`, `percent`, `usd`, ...), or empty for a bare number."""
    start: int
    end: int


class DateMention(msgspec.Struct, frozen=True, gc=False):
    """A calendar date that the text states outright (relative dates need a clock and are left alone)."""

    text: str
    canonical: str
    """ISO 8601, as precise as stated: `2026`, `2026-05` or `2026-05-17`."""
    start: int
    end: int


class Claim(msgspec.Struct, frozen=True, gc=False):
    """One assertion about one subject."""

    text: str
    """The clause as a sentence that stands alone."""
    start: int
    end: int
    subject: str
    """Folded and stemmed; empty where the clause has none that the rules can name."""
    attribute: str
    """What is said about the subject, folded and stemmed: `be`, `live in`, `use for indent`."""
    value: str
    """Folded and canonical: identifiers, quantities and dates in their canonical forms."""
    positive: bool
    """False where the clause denies: `is not`, `never`, `no longer`."""
    exclusive: bool
    """True where one subject has one value at a time for this attribute, so another value contradicts it."""

    @property
    def slot(self) -> str:
        """What the claim is about: equal slots speak of the same attribute of the same subject."""
        return f"{self.subject}\x1f{self.attribute}"

    @property
    def key(self) -> str:
        """The claim itself: equal keys say the same."""
        return f"{self.subject}\x1f{self.attribute}\x1f{self.value}\x1f{'+' if self.positive else '-'}"


class Statement(msgspec.Struct, frozen=True, gc=False):
    """A parsed text."""

    text: str
    claims: tuple[Claim, ...]
    identifiers: tuple[Identifier, ...]
    quantities: tuple[Quantity, ...]
    dates: tuple[DateMention, ...]
    terms: frozenset[str]
    """Stemmed content words, for likeness of wording."""
    has_rationale: bool
    """Whether it says why (`because`, `so that`, `in order to`, ...)."""
