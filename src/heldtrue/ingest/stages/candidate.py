"""A proposed memory, prepared: normalised, parsed, with every default filled in."""

from __future__ import annotations

import math
import re

import msgspec

from heldtrue.domain.cause import PendingReason
from heldtrue.domain.claim import Statement
from heldtrue.domain.errors import InvalidInput
from heldtrue.domain.limits import SOURCE_BYTES_MAX
from heldtrue.domain.memory import STARTING_CONFIDENCE, Kind, MemoryVersion, Staleness, Strength, Visibility
from heldtrue.domain.posting import Words
from heldtrue.domain.principal import Principal
from heldtrue.domain.privacy import Privacy
from heldtrue.domain.records import SourceKind
from heldtrue.domain.scope import parse_scope, scope_kind, scope_name
from heldtrue.ingest.stages.intake import Intake
from heldtrue.ingest.stages.match import read_statement
from heldtrue.ingest.stages.passages import Cut, cut_source
from heldtrue.language.features import count_words
from heldtrue.language.judge import TextQuality, judge_text
from heldtrue.language.secrets import redact_secrets
from heldtrue.language.tone import read_tone

_FILE_LINE = re.compile(r"(?P<file>[^\s:][^:]*?):(?P<line>\d{1,9})(?::\d+)?")


class Proposal(msgspec.Struct, frozen=True, kw_only=True):
    """A memory as the caller proposes it."""

    content: str
    kind: Kind = Kind.NOTE
    title: str | None = None
    summary: str | None = None
    rationale: str | None = None
    scope: str = "global"
    project: str | None = None
    visibility: Visibility = Visibility.LOCAL
    topic: str | None = None
    category: str | None = None
    staleness: Staleness = Staleness.STABLE
    strength: Strength = Strength.EXPLICIT
    confidence: float | None = None
    source: str | None = None
    source_text: str | None = None
    source_kind: SourceKind = SourceKind.MANUAL
    source_id: str | None = None
    """Its source, if that is already stored."""
    span: tuple[int, int] | None = None
    """Where in that source."""
    valid_from: int | None = None
    valid_to: int | None = None
    observed_at: int | None = None
    on_conflict: str | None = None
    sentiment: str | None = None
    """The tone it was said in; default: the tone of its words."""
    hold_because: PendingReason | None = None
    """Why it must wait in the inbox, whatever else is decided."""


class Candidate(msgspec.Struct, frozen=True):
    """A proposal after the first stages; it does not depend on existing memories."""

    proposal: Proposal
    content: str
    title: str | None
    summary: str | None
    rationale: str | None
    scope: str
    project_id: str | None
    repo_id: str | None
    topic: str | None
    category: str | None
    confidence: float
    reference: str | None
    evidence_text: str
    file: str | None
    line: int | None
    statement: Statement
    judgement: TextQuality
    notes: tuple[str, ...]
    tone: str
    """The tone it is said in."""
    words: Words
    """The words by which it will be found."""
    cuts: tuple[Cut, ...] = ()
    """The findable pieces of its evidence, where that was handed in with it."""

    def privacy(self, author: Principal) -> Privacy:
        """Whose it would be."""
        return Privacy.of(self.proposal.visibility, author.id)

    @property
    def statements(self) -> list[Statement]:
        """All texts that it would show, parsed."""
        texts = (self.title, self.summary, self.rationale, self.topic, self.category)
        return [self.statement, *(read_statement(text) for text in texts if text)]

    @property
    def has_rationale(self) -> bool:
        return self.rationale is not None or self.statement.has_rationale


def prepare_candidate(proposal: Proposal) -> Candidate:
    """Normalise, limit, redact, parse and judge a proposal, without a store."""
    intake = Intake()
    content = intake.content(proposal.content)
    scope = read_scope(proposal.scope)
    kind = scope_kind(scope)
    reference = intake.reference(proposal.source)
    located = _FILE_LINE.fullmatch(reference) if reference and "://" not in reference else None
    raw, plain, field = proposal.content, content, "content"
    if proposal.source_text is not None:
        raw, field = proposal.source_text, "source_text"
        plain = intake.plain(raw, field=field, bytes_max=SOURCE_BYTES_MAX)
    evidence_text = intake.evidence(raw, plain, field=field)
    _check_valid_time(proposal)
    title = intake.name(proposal.title, field="title")
    summary = intake.reason(proposal.summary, field="summary")
    topic = intake.name(proposal.topic, field="topic")
    return Candidate(
        proposal=proposal,
        content=content,
        title=title,
        summary=summary,
        rationale=intake.reason(proposal.rationale, field="rationale"),
        scope=scope,
        project_id=scope_name(scope) if kind == "project" else intake.name(proposal.project, field="project"),
        repo_id=scope_name(scope) if kind == "repo" else None,
        topic=topic,
        category=intake.name(proposal.category, field="category"),
        confidence=_starting_confidence(proposal),
        reference=reference,
        evidence_text=evidence_text,
        file=located["file"] if located else None,
        line=int(located["line"]) if located else None,
        statement=read_statement(content),
        judgement=judge_text(content),
        notes=tuple(intake.notes),
        tone=proposal.sentiment or read_tone(content),
        words=count_words(content, title, summary, topic),
        cuts=cut_source(evidence_text, None) if proposal.source_text is not None else (),
    )


def restate_memory(memory: MemoryVersion, *, content: str | None = None, rationale: str | None = None) -> Candidate:
    """An existing memory as a candidate, with new wording or a new rationale."""
    return prepare_candidate(
        Proposal(
            content=memory.content if content is None else content,
            kind=Kind(memory.kind),
            scope=memory.scope,
            project=memory.project_id,
            topic=memory.topic,
            category=memory.category,
            rationale=rationale or memory.rationale,
            visibility=Visibility(memory.visibility),
            staleness=Staleness(memory.staleness),
        )
    )


def read_scope(text: str) -> str:
    """The scope of a write; everyone can see it, so it must not contain a secret."""
    scope = parse_scope(text)
    if redact_secrets(scope).findings:
        raise InvalidInput(
            "the scope contains a secret", field="scope", hint="use the name of a project, team, repo or agent"
        )
    return scope


def _starting_confidence(proposal: Proposal) -> float:
    if proposal.confidence is None:
        return STARTING_CONFIDENCE[proposal.strength]
    if not math.isfinite(proposal.confidence) or not 0 <= proposal.confidence <= 1:
        raise InvalidInput(
            f"confidence {proposal.confidence} is out of range", field="confidence", hint="use a number from 0 to 1"
        )
    return float(proposal.confidence)


def _check_valid_time(proposal: Proposal) -> None:
    if proposal.valid_from is not None and proposal.valid_to is not None and proposal.valid_from >= proposal.valid_to:
        raise InvalidInput(
            "valid_to is not after valid_from", field="valid_to", hint="choose a valid_to that is later than valid_from"
        )
