"""Handing in what people have: files, folders, and the exports and transcripts of other products."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta

from heldtrue.capabilities.arguments import Scope
from heldtrue.capabilities.call import Call
from heldtrue.capabilities.registry import Effect, capability
from heldtrue.capabilities.shapes import Id
from heldtrue.domain.memory import Visibility
from heldtrue.domain.principal import require_person
from heldtrue.domain.records import SourceKind
from heldtrue.ingest.candidate import read_scope
from heldtrue.ingest.capture import Capture


class LeftOut(msgspec.Struct, frozen=True, kw_only=True):
    """Something that was not taken in, and why."""

    path: str
    reason: str


class IngestAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """What was found and what became of it."""

    format: str
    documents: int
    conversations: int
    turns: int
    """Turns of conversations that are new."""
    memories: dict[str, int]
    """Memories of another product, by what became of them."""
    unchanged: int
    """Documents and conversations that were handed in before."""
    expired: int
    """Memories that left the working set because the file that alone had said so is gone from the folder."""
    returned: int
    """Those that came back with their file."""
    left_out: int
    details: list[LeftOut]
    """What was left out, or was not read quite as it stands; at most a hundred of them."""
    jobs: list[Id]
    """The extractions that were asked for: `work` does them."""


@capability("memory.ingest", Effect.ADMIN, for_persons=True)
def ingest(
    call: Call,
    path: Annotated[str, Meta(min_length=1, description="A file, a folder or a zip on this machine.")],
    *,
    source_format: Annotated[
        str | None, Meta(description="What it is; left out, that is found out from what is in it.")
    ] = None,
    scope: Scope = None,
    visibility: Annotated[Visibility | None, Meta(description="Who may ever see it.")] = None,
    extract: Annotated[
        bool | None, Meta(description="Whether memories are to be found in it later; left out, as the settings say.")
    ] = None,
) -> IngestAnswer:
    """Take in files, folders, exports and transcripts as evidence, and other products' memories as proposals.

    Formats: documents (notes, code, JSON, HTML, PDF), chatgpt, claude-export, claude-code, codex, server-memory,
    mem0, basic-memory, obsidian, agents-files. Handed in again, only what is new or changed is taken; what is left
    out is listed with its reason.
    """
    require_person(call.principal, "read files of this machine")
    settings = call.instance.settings
    given = Capture(
        scope=read_scope(scope or call.default_scope),
        project_id=call.project or call.principal.own_project,
        kind=SourceKind.DOCUMENT,
        visibility=visibility or Visibility(settings.default_visibility),
    )
    from heldtrue.capabilities.taking_in import take_in_all  # brings the readers, which nothing else needs

    name, tally = take_in_all(call, given, Path(path).expanduser(), source_format, extract)
    return IngestAnswer(
        format=name,
        documents=tally.documents,
        conversations=tally.conversations,
        turns=tally.turns,
        memories=dict(sorted(tally.memories.items())),
        unchanged=tally.unchanged,
        expired=tally.expired,
        returned=tally.returned,
        left_out=tally.left_out,
        details=[LeftOut(path=where, reason=why) for where, why in tally.details],
        jobs=tally.jobs,
    )
