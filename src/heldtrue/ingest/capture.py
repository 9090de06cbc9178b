"""Capturing: evidence handed in for its own sake, kept as it was said and made findable."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

import msgspec

from heldtrue.domain.errors import TooLarge
from heldtrue.domain.limits import CAPTURE_BYTES_MAX, SOURCE_BYTES_MAX
from heldtrue.domain.memory import Visibility
from heldtrue.domain.privacy import Privacy
from heldtrue.domain.records import Source, SourceKind
from heldtrue.ingest.decide import authorise_write
from heldtrue.ingest.evidence import evidence_key, name_thread
from heldtrue.ingest.intake import Intake
from heldtrue.ingest.journal import Journal, Pen
from heldtrue.ingest.keys import lookup_key
from heldtrue.ingest.passages import Cut, cut_source, index_source, judge_source
from heldtrue.language.own import leave_out_own
from heldtrue.ports import Reading

_COMMON_MIN = 2
"""Turns that a conversation must have in common with its thread, from the beginning, to be one that parted from it."""


class Material(msgspec.Struct, frozen=True):
    """What somebody said or wrote, made ready to keep: nothing about it depends on what is held."""

    content: str
    speaker: str | None
    occurred_at: int | None
    cuts: tuple[Cut, ...] | None = None
    """Its findable pieces, once it is taken apart."""


class Capture(msgspec.Struct, frozen=True, kw_only=True):
    """Where captured material belongs."""

    scope: str
    project_id: str | None
    kind: SourceKind
    visibility: Visibility
    thread: str | None = None
    title: str | None = None
    reference: str | None = None
    is_spoken: bool = False
    """Whether it is turns of a conversation, not one text."""

    def privacy(self, author: str) -> Privacy:
        """Whose it is if that author keeps it."""
        return Privacy.of(self.visibility, author)


class Captured(msgspec.Struct, frozen=True, kw_only=True):
    """What a capture came to."""

    outcome: str
    thread: str
    sources: tuple[str, ...]
    captured: int
    known: int
    seq: int


def take_material(
    intake: Intake, raw: str, *, field: str, speaker: str | None, occurred_at: int | None
) -> Material | None:
    """Measure a text and rid it of secrets and of what Heldtrue itself rendered; None if nothing is left."""
    raw, own = leave_out_own(raw)
    intake.own += own
    plain = intake.plain(raw, field=field, bytes_max=SOURCE_BYTES_MAX)
    return Material(intake.evidence(raw, plain, field=field), speaker, occurred_at) if plain else None


def take_apart(material: Sequence[Material], title: str | None, *, known: int) -> list[Material]:
    """The same material with what is probably new taken apart, so that nobody has to wait for that during the write."""
    fresh = [msgspec.structs.replace(one, cuts=cut_source(one.content, title)) for one in material[known:]]
    return [*material[:known], *fresh]


def count_known(reading: Reading, given: Capture, material: Sequence[Material], author: str) -> int:
    """How much of some material, from its beginning, was handed in before."""
    if given.is_spoken:
        return len(_known_turns(reading, given, material, author))
    key = _document_key(reading.space().key, given, material[0], author)
    return int(_known_document(reading, key, material[0]) is not None)


def check_size(material: Sequence[Material], *, field: str) -> None:
    """Refuse what is too much for one entry."""
    if sum(len(one.content.encode()) for one in material) > CAPTURE_BYTES_MAX:
        raise TooLarge(f"{field} hold more than {CAPTURE_BYTES_MAX:,} bytes", field=field, hint="capture them in parts")


def capture_document(pen: Pen, given: Capture, material: Material) -> Captured:
    """Keep one text, unless its author handed it in before."""
    authorise_write(pen.actor, given.scope)
    key = _document_key(pen.space.key, given, material, pen.actor.id)
    present = _known_document(pen.transaction, key, material)
    journal = Journal(pen, "memory.capture")
    if present is not None:
        return _finish(journal, given, present.thread or present.id, [present], known=1)
    source_id = journal.fresh_id()
    thread = given.thread or name_thread(given.reference) or source_id
    place = journal.transaction.thread_length(thread, given.scope, given.privacy(journal.actor))
    source = _keep(journal, given, material, source_id=source_id, thread=thread, place=place, key=key)
    for earlier in journal.transaction.documents_before(source):
        judge_source(journal.transaction, earlier.id)
    return _finish(journal, given, thread, [source], known=0)


def _document_key(space_key: bytes, given: Capture, material: Material, author: str) -> int:
    # Without a thread of its own it is what `learn` makes of the same passage.
    place = "\x1f".join(one or "" for one in (given.reference, given.thread)).rstrip("\x1f")
    return evidence_key(space_key, author, given.scope, given.visibility, place, material.content)


def _known_document(reading: Reading, key: int, material: Material) -> Source | None:
    """The same text, if it was handed in before and is the newest of its document."""
    present = reading.source_by_lookup(key)
    if present is None or present.content != material.content:
        return None
    later = reading.documents_after(present)
    newest = later[-1] if later else present
    return newest if newest.content == material.content else None


def capture_turns(pen: Pen, given: Capture, turns: Sequence[Material]) -> Captured:
    """Keep the turns of a conversation that its thread does not have yet.

    A conversation is sent again and again as it grows: one that begins as the thread does is the same one, and only
    what follows is new, also where the two part later on. Any other goes on where the thread ends.
    """
    authorise_write(pen.actor, given.scope)
    journal = Journal(pen, "memory.capture")
    known = _known_turns(journal.transaction, given, turns, journal.actor)
    thread, privacy = given.thread or journal.fresh_id(), given.privacy(journal.actor)
    place = journal.transaction.thread_length(thread, given.scope, privacy)
    added = []
    for turn in turns[len(known) :]:
        key = lookup_key(pen.space.key, "turn", journal.actor, given.scope, thread, str(place), turn.content)
        added.append(_keep(journal, given, turn, source_id=journal.fresh_id(), thread=thread, place=place, key=key))
        place += 1
    return _finish(journal, given, thread, [*known, *added], known=len(known))


def _known_turns(reading: Reading, given: Capture, turns: Sequence[Material], author: str) -> list[Source]:
    """The turns that a thread begins with, if it begins like these."""
    if given.thread is None:
        return []
    present = reading.thread_turns(given.thread, given.scope, given.privacy(author), limit=len(turns))
    alike = list(takewhile(lambda pair: _is_same_turn(*pair), zip(present, turns, strict=False)))
    # One turn in common, and then another, is a short word said twice rather than a conversation that took a turn.
    is_same = len(alike) in (len(present), len(turns)) or len(alike) >= _COMMON_MIN
    return [one for one, _ in alike] if is_same else []


def _is_same_turn(one: Source, turn: Material) -> bool:
    """Whether a turn was handed in before; where both tell the time, that must be the same too."""
    times = {one.occurred_at, turn.occurred_at} - {None}
    return (one.speaker, one.content) == (turn.speaker, turn.content) and len(times) < 2


def _keep(
    journal: Journal, given: Capture, material: Material, *, source_id: str, thread: str, place: int, key: int
) -> Source:
    journal.register_scope(given.scope, given.project_id)
    source = Source(
        id=source_id,
        seq=journal.seq,
        kind=given.kind.value,
        content=material.content,
        content_type="text/plain",
        reference=given.reference,
        author=journal.actor,
        scope=given.scope,
        occurred_at=material.occurred_at,
        recorded_at=journal.at,
        lookup_key=key,
        title=given.title,
        thread=thread,
        place=place,
        speaker=material.speaker,
        visibility=given.visibility.value,
    )
    journal.insert(source)
    index_source(journal.transaction, source, material.cuts)
    return source


def _finish(journal: Journal, given: Capture, thread: str, sources: Sequence[Source], *, known: int) -> Captured:
    captured = len(sources) - known
    outcome = "captured" if captured else "unchanged"
    entry = journal.finish(
        outcome,
        target=sources[known].id if captured else sources[0].id,
        scope=given.scope,
        reason="handed in as evidence" if captured else "all of it was handed in before",
        thread=thread,
        captured=captured,
        known=known,
    )
    return Captured(
        outcome=outcome,
        thread=thread,
        sources=tuple(source.id for source in sources),
        captured=captured,
        known=known,
        seq=entry.seq,
    )
