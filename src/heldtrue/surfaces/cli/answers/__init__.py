"""Answers for people: the renderer of each kind of answer, loaded when one is to be shown."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from heldtrue.surfaces.cli.page import Page

_HOMES = {
    "AgentAnswer": "agents",
    "AgentsAnswer": "agents",
    "BackupAnswer": "keeping",
    "BatchAnswer": "writing",
    "CaptureAnswer": "capturing",
    "CompactAnswer": "working",
    "ConflictsAnswer": "listing",
    "ConsolidateAnswer": "working",
    "ContextBundle": "injecting",
    "DiffAnswer": "changes",
    "ExpandAnswer": "injecting",
    "EventsAnswer": "agents",
    "Explanation": "telling",
    "ExportAnswer": "keeping",
    "FeedbackAnswer": "using",
    "GetAnswer": "telling",
    "HandedAnswer": "agents",
    "HistoryAnswer": "changes",
    "ImportAnswer": "keeping",
    "InboxAnswer": "listing",
    "IngestAnswer": "working",
    "InjectAnswer": "injecting",
    "JobAnswer": "working",
    "JobView": "working",
    "JobsAnswer": "working",
    "LinkAnswer": "writing",
    "ListAnswer": "listing",
    "RecallAnswer": "recalling",
    "RecallsAnswer": "using",
    "ReindexAnswer": "keeping",
    "QuarantineAnswer": "capturing",
    "Report": "keeping",
    "RestoreAnswer": "writing",
    "ReviewAnswer": "working",
    "SavedAnswer": "using",
    "ShareAnswer": "agents",
    "StatusAnswer": "keeping",
    "SummariesAnswer": "working",
    "UndoAnswer": "working",
    "UpkeepAnswer": "keeping",
    "ViewsAnswer": "using",
    "WhyAnswer": "using",
    "WorkAnswer": "working",
    "WriteAnswer": "writing",
}
"""By the name of the answer's type: an answer that has no renderer of its own yet is shown field by field."""


def show_answer(page: Page, answer: Any, asked: dict[str, Any]) -> None:
    """Write an answer onto a page; `asked` are the arguments it answers."""
    name = type(answer).__name__
    home = _HOMES.get(name)
    if home is None:
        from heldtrue.surfaces.cli.answers.plain import show_plain

        show_plain(page, answer)
        return
    import_module(f"heldtrue.surfaces.cli.answers.{home}").SHOW[name](page, answer, asked)


def essential_lines(answer: Any) -> list[str]:
    """What --quiet leaves of an answer: the ids in it that one would go on with."""
    if (token := getattr(answer, "token", None)) is not None:
        return [token]
    if (memory := getattr(answer, "memory", None)) is not None:
        return [memory if isinstance(memory, str) else memory.id]
    for field in ("results", "injected", "memories", "items", "answers", "sources"):
        found = getattr(answer, field, None)
        if found is not None:
            return [line for one in found for line in _id_of(one)]
    for field in ("views", "agents"):
        if (named := getattr(answer, field, None)) is not None:
            return [one.name for one in named]
    for field in ("jobs", "messages", "events"):
        if (found := getattr(answer, field, None)) is not None:
            return [line for one in found for line in _id_of(one)]
    if isinstance(found := getattr(getattr(answer, "job", None), "id", None), str):
        return [found]
    link = getattr(answer, "link", None)
    return _id_of(link if link is not None else answer)


def _id_of(one: Any) -> list[str]:
    if isinstance(one, str):
        return [one]
    for part in (getattr(one, "conflict", None), getattr(one, "memory", None), one):
        if (found := getattr(part, "id", None)) is not None:
            return [found]
    return []
