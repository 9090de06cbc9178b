"""Importing captured evidence from another space, under its own ids, so that a second import finds it again."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from heldtrue.domain.decision import OutcomeKind
from heldtrue.domain.errors import HeldtrueError
from heldtrue.domain.memory import Visibility
from heldtrue.domain.privacy import Privacy
from heldtrue.domain.records import Source, SourceKind
from heldtrue.domain.scope import parse_scope
from heldtrue.ingest.acts.capture import CapturedText, take_material
from heldtrue.ingest.acts.import_memories import ACTION
from heldtrue.ingest.stages.evidence import SourceDraft, add_source
from heldtrue.ingest.stages.intake import Intake
from heldtrue.ingest.stages.journal import EntryBuilder, WriteSession
from heldtrue.ingest.stages.keys import lookup_key
from heldtrue.ingest.stages.passages import cut_source


class ForeignSource(msgspec.Struct, frozen=True):
    """A source of another space that passed the checks of a capture."""

    source: Source
    text: CapturedText
    reference: str | None
    thread: str
    title: str | None
    visibility: Visibility


class RefusedSource(msgspec.Struct, frozen=True):
    """A source of another space that is not imported, and why."""

    reason: str


class ImportedEvidence(msgspec.Struct, frozen=True):
    """What became of the sources of one entry."""

    imported: tuple[str, ...]
    known: int
    refused: tuple[str, ...]
    """The reasons."""


def check_source(source: Source, *, is_quarantined: bool) -> ForeignSource | RefusedSource:
    """Check a foreign source as a captured text is checked: its size, its secrets, its scope and its names."""
    if is_quarantined:
        return RefusedSource(f"source {source.id} is in quarantine in the store it came from")
    intake = Intake(source.scope)
    try:
        parse_scope(source.scope, field="scope")
        speaker = intake.name(source.speaker, field="speaker")
        text = take_material(intake, source.content, field="text", speaker=speaker, occurred_at=source.occurred_at)
        if text is None:
            return RefusedSource(f"source {source.id} is empty")
        title = intake.name(source.title, field="title")
        return ForeignSource(
            source,
            msgspec.structs.replace(text, cuts=cut_source(text.content, title)),
            intake.reference(source.reference),
            intake.name(source.thread, field="thread") or source.id,
            title,
            Visibility(source.visibility or Visibility.LOCAL),
        )
    except HeldtrueError as problem:
        return RefusedSource(f"source {source.id}: {problem.message}")


def import_evidence(session: WriteSession, checked: Sequence[ForeignSource | RefusedSource]) -> ImportedEvidence:
    """Store the sources of one foreign entry that are not here yet, in one entry."""
    refused = tuple(found.reason for found in checked if isinstance(found, RefusedSource))
    passed = [found for found in checked if isinstance(found, ForeignSource)]
    fresh = [found for found in passed if not _is_here(session, found)]
    if fresh:
        builder = EntryBuilder(session, ACTION)
        for found in fresh:
            _add(builder, found)
        first = fresh[0].source
        builder.finish(
            OutcomeKind.CAPTURED,
            target=first.id,
            scope=first.scope,
            reason="imported as evidence",
            thread=fresh[0].thread,
            captured=len(fresh),
            known=len(passed) - len(fresh),
        )
    return ImportedEvidence(tuple(found.source.id for found in fresh), len(passed) - len(fresh), refused)


def _is_here(session: WriteSession, found: ForeignSource) -> bool:
    """Whether this space has the source, under its id or as the same text imported from a copy."""
    sources = session.transaction.sources
    if sources.get(found.source.id) is not None:
        return True
    present = sources.by_lookup(_key(session, found))
    return present is not None and present.content == found.text.content


def _key(session: WriteSession, found: ForeignSource) -> int:
    """The key of imported evidence: the same text at the same place of the same thread."""
    source = found.source
    position = "" if source.place is None else str(source.place)
    return lookup_key(
        session.space.key, "imported", session.actor.id, source.scope, found.thread, position, found.text.content
    )


def _add(builder: EntryBuilder, found: ForeignSource) -> None:
    source = found.source
    builder.register_scope(source.scope, None)
    privacy = Privacy.of(found.visibility, builder.actor)
    said_at = source.occurred_at
    draft = SourceDraft(
        kind=SourceKind(source.kind),
        content=found.text.content,
        reference=found.reference,
        scope=source.scope,
        occurred_at=said_at if said_at is None or said_at <= builder.at else None,
        lookup_key=_key(builder.session, found),
        title=found.title,
        thread=found.thread,
        position=builder.transaction.sources.thread_length(found.thread, source.scope, privacy),
        speaker=found.text.speaker,
        visibility=found.visibility,
        cuts=found.text.cuts,
    )
    add_source(builder, draft, source.id)
