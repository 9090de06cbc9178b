"""A proposed memory, prepared: normalised, parsed, with every default filled in."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import msgspec

from heldtrue.domain.cause import PendingReason
from heldtrue.domain.claim import Statement
from heldtrue.domain.errors import InvalidInput
from heldtrue.domain.judged import TextJudgement, TextSort
from heldtrue.domain.limits import SOURCE_BYTES_MAX
from heldtrue.domain.memory import STARTING_CONFIDENCE, Kind, MemoryVersion, Staleness, Strength, ValidTime, Visibility
from heldtrue.domain.posting import Words
from heldtrue.domain.principal import Principal, PrincipalKind
from heldtrue.domain.privacy import Privacy
from heldtrue.domain.records import SourceKind
from heldtrue.domain.scope import parse_scope, scope_kind, scope_name
from heldtrue.ingest.stages.intake import Intake
from heldtrue.ingest.stages.match import read_statement
from heldtrue.ingest.stages.passages import Cut, cut_source
from heldtrue.language.exact_sorts import sort_exactly
from heldtrue.language.features import count_words
from heldtrue.language.guard import count_unparsed
from heldtrue.language.masking import mask_text
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

    @property
    def chars(self) -> int:
        """How much text there is to analyse."""
        return len(self.content) + len(self.source_text or "")


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
    claimed_confidence: float
    """As the caller gave it; `confidence_by` says how much of it counts."""
    reference: str | None
    evidence_text: str
    file: str | None
    line: int | None
    statement: Statement
    exact_sort: TextSort | None
    """What it is by its form alone, where that is not a statement."""
    notes: tuple[str, ...]
    refused: tuple[str, ...]
    """The kinds of data in it that its scope does not accept. What it says is masked all the same."""
    tone: str
    """The tone it is said in."""
    words: Words
    """The words by which it will be found."""
    cuts: tuple[Cut, ...] = ()
    """The findable pieces of its evidence, where that was handed in with it."""
    judgement: TextJudgement | None = None
    """What the reader says of it, where it was asked."""

    def valid_time(self, now: int) -> ValidTime:
        """When it would be true. Without dates: since it was observed."""
        proposal = self.proposal
        said_at = now if proposal.observed_at is None else proposal.observed_at
        return ValidTime.of(proposal.valid_from, proposal.valid_to, said_at=said_at)

    def privacy(self, author: Principal) -> Privacy:
        """Whose it would be."""
        return Privacy.of(self.proposal.visibility, author.id)

    def confidence_by(self, author: Principal) -> float:
        """How sure it starts: a person decides, anyone else may lower what the evidence gives and never raise it."""
        if author.is_person or author.kind is PrincipalKind.SYSTEM:
            return self.claimed_confidence
        return min(self.claimed_confidence, STARTING_CONFIDENCE[self.proposal.strength])

    @property
    def texts(self) -> list[str]:
        """The texts in which it states something."""
        return [text for text in (self.content, self.title, self.summary, self.rationale) if text]

    @property
    def factual(self) -> float:
        """From opinion (0) to fact (1); a text that was not judged counts as a fact."""
        return 1.0 if self.judgement is None else self.judgement.factual

    @property
    def useful(self) -> float:
        """From chatter (0) to worth storing (1); a text that was not judged counts as worth storing."""
        if self.exact_sort is not None:
            return 0.0
        return 1.0 if self.judgement is None else self.judgement.useful

    @property
    def statements(self) -> list[Statement]:
        """All texts that it would show, parsed."""
        texts = (self.title, self.summary, self.rationale, self.topic, self.category)
        return [self.statement, *(read_statement(text) for text in texts if text)]

    @property
    def has_rationale(self) -> bool:
        return self.rationale is not None or self.statement.has_rationale


UNPARSED = "Heldtrue could not analyse the whole text; it was stored, but not fully compared with other memories"
"""The note about a text whose analysis failed or was cut off."""


def prepare_candidates(proposals: Sequence[Proposal]) -> list[Candidate]:
    """Several proposals, prepared; an error names the proposal by its number."""
    prepared = []
    for number, proposal in enumerate(proposals):
        with name_item("memories", number):
            prepared.append(prepare_candidate(proposal))
    return prepared


@contextmanager
def name_item(field: str, number: int) -> Iterator[None]:
    """Within this context, an error about an argument says in which item of a list it is."""
    try:
        yield
    except InvalidInput as problem:
        problem.field = f"{field}[{number}].{problem.field}" if problem.field else f"{field}[{number}]"
        raise


def prepare_candidate(proposal: Proposal) -> Candidate:
    """Normalise, limit, redact and parse a proposal, without a store."""
    unparsed = count_unparsed()
    candidate = _prepare(proposal)
    if count_unparsed() == unparsed:
        return candidate
    return msgspec.structs.replace(candidate, notes=(*candidate.notes, UNPARSED))


def _prepare(proposal: Proposal) -> Candidate:
    scope = read_scope(proposal.scope)
    intake = Intake(scope, collects=True)
    content = intake.content(proposal.content)
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
        claimed_confidence=_starting_confidence(proposal),
        reference=reference,
        evidence_text=evidence_text,
        file=located["file"] if located else None,
        line=int(located["line"]) if located else None,
        statement=read_statement(content),
        exact_sort=sort_exactly(content),
        notes=tuple(intake.notes),
        refused=tuple(sorted(intake.refused)),
        tone=proposal.sentiment or read_tone(content),
        words=count_words(content, title, summary, topic),
        cuts=cut_source(evidence_text, None) if proposal.source_text is not None else (),
    )


def restate_memory(memory: MemoryVersion, *, content: str | None = None, rationale: str | None = None) -> Candidate:
    """An existing memory as a candidate, with new wording or a new rationale, true for the same time."""
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
            valid_from=memory.valid_from,
            valid_to=memory.valid_to,
        )
    )


def read_scope(text: str) -> str:
    """The scope of a write; everyone can see it, so it must not contain a secret or personal data."""
    scope = parse_scope(text)
    if mask_text(scope).findings:
        raise InvalidInput(
            "the scope contains a secret or personal data",
            field="scope",
            hint="use the name of a project, team, repo or agent",
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
            "valid_to must be later than valid_from", field="valid_to", hint="change `valid_to` or `valid_from`"
        )
