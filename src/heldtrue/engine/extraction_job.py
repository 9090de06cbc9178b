"""The job `extract`: reads captured sources one by one and passes the statements in them through the gate.

Reading is done outside any transaction; a step then writes what a few sources gave and notes how far the job has come.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from operator import sub

import msgspec

from heldtrue.access.identity import find_again
from heldtrue.domain.erasure import is_erased
from heldtrue.domain.errors import ModelProblem
from heldtrue.domain.extracted import Extracted, Material
from heldtrue.domain.limits import (
    EXTRACTION_SECONDS_PER_CHAR_MAX,
    EXTRACTION_STEP_MODEL_SOURCES_MAX,
    EXTRACTION_STEP_SOURCES_MAX,
    EXTRACTION_STEP_STATEMENTS_MAX,
)
from heldtrue.domain.principal import Principal
from heldtrue.domain.records import Source
from heldtrue.domain.scope import scope_kind, scope_name
from heldtrue.engine.ports import EngineStore
from heldtrue.engine.sweep import CHANNEL
from heldtrue.engine.worker import Run
from heldtrue.ingest.acts.extracted_lane import (
    ACTION,
    Taken,
    count_outcomes,
    expire_vanished,
    propose_extracted,
    take_in,
)
from heldtrue.ingest.gate import EXTRACTED, ConflictRule
from heldtrue.ingest.gateway import Gate, PlannedAct, Planning, WriteRequest
from heldtrue.ingest.ports import IngestReadTransaction, TextAnalysis
from heldtrue.ingest.stages.candidate import Candidate
from heldtrue.ingest.stages.journal import WriteSession
from heldtrue.ingest.stages.passages import SPOKEN
from heldtrue.language.guard import count_unparsed
from heldtrue.model_ports import Extractor

NAME = "extract"
_TURNS_BEFORE = 2


class ExtractionArguments(msgspec.Struct, frozen=True):
    """The arguments of the job."""

    sources: list[str]
    project: str | None = None


class ExtractionOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """The outcome of the job so far."""

    extractor: str = ""
    fallbacks: int = 0
    """Sources for which the model failed and the reader was used."""
    problem: str | None = None
    """The last failure."""
    unparsed: int = 0
    """Sources that could not be analysed in full."""
    model_calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    """The calls and tokens that the model used, including failed calls."""
    counts: dict[str, int] = {}
    candidates: list[Taken] = []
    entries: list[int] = []
    """The ledger entries that the job made, so that all of them can be undone."""


class ExtractionJob:
    """Runs the job."""

    def __init__(
        self,
        store: EngineStore,
        gate: Gate,
        reader: Extractor,
        model: Extractor | None,
        rule_for: ConflictRule,
        analysis: TextAnalysis,
    ) -> None:
        self._store = store
        self._gate = gate
        self._reader = reader
        self._model = model
        self._rule_for = rule_for
        self._analysis = analysis

    def __call__(self, run: Run) -> None:
        given, so_far = run.arguments(ExtractionArguments), run.outcome(ExtractionOutcome)
        with self._store.read() as reading:
            actor = find_again(reading, run.job.asked_by)
        at_once = EXTRACTION_STEP_SOURCES_MAX if self._model is None else EXTRACTION_STEP_MODEL_SOURCES_MAX
        for start in range(run.job.done, len(given.sources), at_once):
            ids = given.sources[start : start + at_once]
            so_far = self._step(run, given, actor, ids, so_far, done=start + len(ids))

    def _step(
        self,
        run: Run,
        arguments: ExtractionArguments,
        actor: Principal,
        ids: Sequence[str],
        so_far: ExtractionOutcome,
        *,
        done: int,
    ) -> ExtractionOutcome:
        with self._store.read() as reading:
            read = [(source, _material(reading, source, arguments.project)) for source in _sources(reading, ids)]
        before = _read_meter(self._model)
        problems: list[str] = []
        proposed = []
        unparsed = 0
        for source, material in read:
            before_source = count_unparsed()
            proposed += self._extract(_SourceText(source, material, arguments.project), problems)
            unparsed += count_unparsed() > before_source
        calls, tokens_read, tokens_written = map(sub, _read_meter(self._model), before)

        so_far = msgspec.structs.replace(
            so_far,
            extractor=(self._model or self._reader).name,
            fallbacks=so_far.fallbacks + len(problems),
            problem=problems[-1] if problems else so_far.problem,
            unparsed=so_far.unparsed + unparsed,
            model_calls=so_far.model_calls + calls,
            input_tokens=so_far.input_tokens + tokens_read,
            output_tokens=so_far.output_tokens + tokens_written,
        )
        # One text may hold thousands of statements: nobody else is to wait for all of them.
        *parts, last = _in_parts(proposed)
        for part in parts:
            so_far = self._take_in(run, actor, part, (), so_far, done=run.job.done)
        return self._take_in(run, actor, last, [source for source, _ in read], so_far, done=done)

    def _take_in(
        self,
        run: Run,
        actor: Principal,
        proposed: Sequence[tuple[Extracted, Candidate]],
        finished: Sequence[Source],
        so_far: ExtractionOutcome,
        *,
        done: int,
    ) -> ExtractionOutcome:
        """Take some statements through the gate in one transaction, with what the sources that are done say no more."""

        def plan(planning: Planning) -> list[Candidate]:
            return planning.judge.judge_candidates([ready for _, ready in proposed], actor, EXTRACTED.worth)

        def carry_out(session: WriteSession, judged: list[Candidate]) -> ExtractionOutcome:
            found = zip((statement for statement, _ in proposed), judged, strict=True)
            fresh = [take_in(session, statement, ready, self._rule_for) for statement, ready in found]
            expired = [outcome for source in finished for outcome in expire_vanished(session, source)]
            taken = [*so_far.candidates, *fresh]
            gone = so_far.counts.get("expired", 0) + len(expired)
            ingested = msgspec.structs.replace(
                so_far,
                counts=count_outcomes(taken) | ({"expired": gone} if gone else {}),
                candidates=taken,
                entries=[
                    *so_far.entries,
                    *(statement.entry for statement in fresh if statement.entry),
                    *(outcome.seq for outcome in expired),
                ],
            )
            run.note(session.transaction, done=done, outcome=ingested)
            return ingested

        request = WriteRequest(principal=actor, channel=CHANNEL, action=ACTION)
        return self._gate.submit(request, PlannedAct(plan, carry_out), ExtractionOutcome)

    def _extract(self, text: _SourceText, problems: list[str]) -> list[tuple[Extracted, Candidate]]:
        """What a text says: by the model if there is one, and by the reader where it fails, which is noted."""
        if self._model is not None:
            try:
                found = self._model.extract(text.material)
            except ModelProblem as problem:
                problems.append(str(problem))
            else:
                return _propose_all(found, text)
        more = len(text.material.text) * EXTRACTION_SECONDS_PER_CHAR_MAX
        return self._analysis.run_apart(partial(_extract_by_reader, self._reader), text, seconds_more=more)


class _SourceText(msgspec.Struct, frozen=True):
    """A source, what an extractor reads of it, and the project that it belongs to."""

    source: Source
    material: Material
    project: str | None


def _extract_by_reader(reader: Extractor, text: _SourceText) -> list[tuple[Extracted, Candidate]]:
    return _propose_all(reader.extract(text.material), text)


def _propose_all(found: Sequence[Extracted], text: _SourceText) -> list[tuple[Extracted, Candidate]]:
    return [(statement, propose_extracted(statement, text.source, project=text.project)) for statement in found]


def _in_parts(proposed: Sequence[tuple[Extracted, Candidate]]) -> list[Sequence[tuple[Extracted, Candidate]]]:
    """Statements in the parts that one transaction each takes; at least one part, which may be empty."""
    starts = range(0, max(1, len(proposed)), EXTRACTION_STEP_STATEMENTS_MAX)
    return [proposed[start : start + EXTRACTION_STEP_STATEMENTS_MAX] for start in starts]


def _read_meter(model: Extractor | None) -> tuple[int, int, int]:
    """Calls, tokens read and tokens written that a model has used so far in this thread, where it counts them."""
    spent: tuple[int, int, int] = getattr(model, "spent", (0, 0, 0))
    return spent


def _sources(reading: IngestReadTransaction, ids: Sequence[str]) -> list[Source]:
    found = [reading.sources.get(source_id) for source_id in ids]
    return [source for source in found if source is not None and not is_erased(source)]


def _material(reading: IngestReadTransaction, source: Source, project: str | None) -> Material:
    is_spoken = source.kind in SPOKEN or source.speaker is not None
    before: tuple[tuple[str | None, str], ...] = ()
    if is_spoken and source.place:
        turns = reading.sources.turns_before(source, limit=_TURNS_BEFORE)
        before = tuple((turn.speaker, turn.content) for turn in turns)
    return Material(
        text=source.content,
        is_spoken=is_spoken,
        speaker=source.speaker,
        project=scope_name(source.scope) if scope_kind(source.scope) == "project" else project,
        said_at=source.recorded_at if source.occurred_at is None else source.occurred_at,
        path=source.reference,
        title=source.title,
        before=before,
    )
