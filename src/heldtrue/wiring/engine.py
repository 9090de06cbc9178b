"""Builds the engine when there is work to do: the jobs and what they need."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from heldtrue.domain.job import Job
from heldtrue.model_ports import Extractor
from heldtrue.ports import Clock
from heldtrue.wiring.models import Models
from heldtrue.wiring.outside_records import outside_records
from heldtrue.wiring.settings import Settings

if TYPE_CHECKING:
    from heldtrue.engine.compact import CompactionJob, ForeseenCompaction
    from heldtrue.engine.consolidate import ConsolidationJob, Foreseen
    from heldtrue.engine.ports import EngineStore
    from heldtrue.engine.worker import Handler
    from heldtrue.ingest.ports import TextAnalysis

SCHEDULED = ("nightly", "weekly", "monthly")
"""Jobs that run by the clock; the settings say when."""


class EngineParts:
    """The engine of an opened space; nothing of it is loaded before it is used."""

    def __init__(
        self,
        settings: Settings,
        store: EngineStore,
        clock: Clock,
        gate: Any,
        models: Models,
        analysis: TextAnalysis,
        *,
        home: Path | None = None,
    ) -> None:
        self._settings = settings
        self._store = store
        self._clock = clock
        self._gate = gate
        self._models = models
        self._analysis = analysis
        self._home = home
        self.watch: Callable[[Job], None] = lambda _job: None
        """Called after every step of every job, to show progress."""

    def ask_overdue(self) -> list[Job]:
        from heldtrue.engine.schedules import Schedule, ask_overdue, read_zone

        engine = self._settings.engine
        schedules = [Schedule(name, getattr(engine, name)) for name in SCHEDULED if name in self._handlers]
        return ask_overdue(self._store, schedules, now=self._clock.now(), zone=read_zone(engine.timezone))

    def run_due(self, names: Sequence[str], report: Callable[[Job], None], go_on: Callable[[], bool]) -> list[Job]:
        from heldtrue.engine.worker import Worker
        from heldtrue.language.masking import masking_by

        def report_and_watch(job: Job) -> None:
            report(job)
            self.watch(job)

        with masking_by(self._settings.masking.policy):
            return Worker(self._store, self._clock, self._handlers, on_job=report_and_watch).run_all(names, go_on=go_on)

    def compact(self) -> None:
        """Compact the space now, as the schedules would."""
        from heldtrue.domain.principal import SYSTEM
        from heldtrue.engine.queue import NewJob, ask_for

        new = NewJob(name="compact", asked_by=SYSTEM.id, trigger="start", once="compact:")
        with self._store.write() as writing:
            ask_for(writing, new, now=self._clock.now())
        self.run_due(["compact"], lambda _job: None, lambda: True)

    def foresee_compaction(self, scope: str, wanted: Mapping[str, Any]) -> list[ForeseenCompaction]:
        import msgspec

        from heldtrue.engine.compact import Wanted

        return self._compaction().foresee(scope, msgspec.convert(wanted, Wanted))

    def _compaction(self) -> CompactionJob:
        from heldtrue.engine.compact import CompactionJob

        policy = self._settings.retention.policy()
        return CompactionJob(self._store, self._gate, self._clock, policy, outside_records(self._home))

    def foresee_consolidation(self, scope: str) -> list[Foreseen]:
        return self._consolidation().foresee(scope)

    def _consolidation(self) -> ConsolidationJob:
        from heldtrue.engine.consolidate import ConsolidationJob
        from heldtrue.ingest.stages.near import NearStatements

        near = NearStatements(self._models.reader, self._models.find_near)
        return ConsolidationJob(self._store, self._gate, self._settings.engine.promotion, self._clock, near)

    @cached_property
    def _handlers(self) -> dict[str, Handler]:
        from heldtrue.engine.extraction_job import ExtractionJob
        from heldtrue.engine.insights import InsightsJob
        from heldtrue.engine.regular import Monthly, Nightly, Weekly
        from heldtrue.engine.summarise import SummaryJob
        from heldtrue.language.extraction import ReaderExtractor

        engine, rule_for = self._settings.engine, self._settings.conflicts.rule_for
        return {
            "extract": ExtractionJob(
                self._store,
                self._gate,
                ReaderExtractor(self._models.judge()),
                self._open_model(),
                rule_for,
                self._analysis,
            ),
            "consolidate": self._consolidation(),
            "compact": self._compaction(),
            "insights": InsightsJob(self._store, self._gate, rule_for),
            "summarise": SummaryJob(self._store, self._clock),
            "nightly": Nightly(self._store, self._gate),
            "weekly": Weekly(self._store, engine.unused_days),
            "monthly": Monthly(self._store, self._models.keep_vectors),
        }

    def _open_model(self) -> Extractor | None:
        """The language model that extracts, where the settings name one."""
        extraction = self._settings.extraction
        if extraction.model == "none":
            return None
        from heldtrue.models.extractor import ModelExtractor
        from heldtrue.models.language import ChatEndpoint, Patience
        from heldtrue.models.outage import Outage, outage_file

        note = outage_file(self._home, "extraction", extraction.url, extraction.name)
        chat = ChatEndpoint(
            extraction.model,
            extraction.url,
            extraction.name,
            extraction.key_variable,
            timeout_seconds=extraction.timeout_seconds,
            max_tokens=extraction.max_tokens,
            patience=Patience(outage=Outage(note)),
        )
        return ModelExtractor(chat)
