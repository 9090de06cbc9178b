"""Makes remarks and links of what another product kept, within the limits of a memory."""

from __future__ import annotations

from heldtrue.domain.limits import CONTENT_BYTES_MAX, FRONT_MATTER_DETAILS_MAX, NAME_CHARS_MAX
from heldtrue.domain.memory import Kind
from heldtrue.readers.plain import as_text, short_tags, shorten
from heldtrue.readers.values import NamedLink, Remark, Skipped

_KINDS = frozenset(kind.value for kind in Kind)


def make_remark(
    content: object,
    *,
    origin: str,
    kind: str | None = None,
    subject: object = None,
    created_at: int | None = None,
    tags: object = (),
    details: object = None,
) -> Remark | Skipped:
    """A memory of another product; what says nothing, or too much for one memory, is left out."""
    words = as_text(content).strip()
    if not words:
        return Skipped(path=origin, reason="it contains no text")
    if len(words.encode()) > CONTENT_BYTES_MAX:
        return Skipped(path=origin, reason=f"it is longer than {CONTENT_BYTES_MAX:,} bytes")
    return Remark(
        content=words,
        kind=kind,
        subject=shorten(subject, NAME_CHARS_MAX),
        created_at=created_at,
        tags=short_tags(tags),
        details=_pair_details(details),
        origin=origin,
    )


def make_link(from_name: object, relation: object, to_name: object, *, origin: str) -> NamedLink | Skipped:
    """A relation by its three names; one that lacks any of them is left out."""
    names = [shorten(name, NAME_CHARS_MAX) for name in (from_name, relation, to_name)]
    if not all(names):
        return Skipped(path=origin, reason="the relation has no name, or one of its two entities is missing")
    return NamedLink(from_name=names[0] or "", relation=names[1] or "", to_name=names[2] or "", origin=origin)


def known_kind(word: object) -> str | None:
    """One of our kinds of memory, if a word is one."""
    name = as_text(word).strip().lower().replace("-", "_").replace(" ", "_")
    return name if name in _KINDS else None


def _pair_details(details: object) -> tuple[tuple[str, str], ...]:
    if not isinstance(details, dict):
        return ()
    plain = {key: value for key, value in details.items() if isinstance(value, str | int | float | bool)}
    pairs = ((shorten(key, NAME_CHARS_MAX), shorten(str(value), NAME_CHARS_MAX)) for key, value in plain.items())
    return tuple((key, value) for key, value in pairs if key and value)[:FRONT_MATTER_DETAILS_MAX]
