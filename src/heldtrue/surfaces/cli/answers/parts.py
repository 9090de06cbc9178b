"""Parts that several answers share: a memory's properties, its evidence, and its later changes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from heldtrue.capabilities.views import memory_state
from heldtrue.domain.cause import PendingCause
from heldtrue.domain.ids import ending_of, is_id
from heldtrue.domain.records import ConflictKind
from heldtrue.surfaces.cli.options import type_again
from heldtrue.surfaces.cli.page import Ink, Line, Page, Words, bold, dim, ink, inked
from heldtrue.surfaces.cli.text import age, shorten, width_of
from heldtrue.surfaces.safe_text import clean

if TYPE_CHECKING:
    from heldtrue.capabilities.reading import ActivityView
    from heldtrue.capabilities.views import ConflictView, LinkView, MemoryView, Replacement, SourceView

_GOOD, _CALM, _WAIT, _BAD = "green", "cyan", "yellow", "red"
_COLORS = {
    "created": _GOOD, "corroborated": _GOOD, "refreshed": _GOOD, "approved": _GOOD, "restored": _GOOD, "linked": _GOOD,
    "merged": _GOOD, "active": _GOOD, "superseded": _CALM, "resolved": _CALM, "archived": _CALM, "unlinked": _CALM,
    "pending": _WAIT, "inbox": _WAIT, "contradicted": _BAD, "refused": _BAD, "rejected": _BAD, "retracted": _BAD,
}  # fmt: skip
EXCERPT_CHARS = 240


def short_id(identifier: str) -> Ink:
    """An id by its last digits, which are accepted as an id."""
    return dim(f"…{ending_of(identifier)}" if is_id(identifier) else identifier)


def memory_line(memory: MemoryView) -> Line:
    """A memory as a line of a listing."""
    return Line("memory", memory.id, memory_state(memory.status, memory.version), memory.content)


def show_brief(page: Page, shown: Sequence[Line], *more: Words, mark: Ink = ("", ())) -> None:
    """One item of a listing on one line: number, mark, id, and as much of its text as fits."""
    first = shown[0]
    lead: list[Words] = [dim(page.number(*shown)), " "]
    if mark[0]:
        lead += [mark, " "]
    tail: list[Words] = [piece for word in more for piece in (dim("  "), word)]
    taken = sum(width_of(clean(inked(word)[0])) for word in (*lead, *tail))
    name = f"{short_id(first.id)[0]}  "
    columns = max(20, page.width - taken - width_of(name))
    text = shorten(first.text, columns)
    page.line(*lead, dim(name), text, " " * (columns - width_of(text)), *tail)


def color_word(word: str) -> Ink:
    """An outcome or a status in its colour."""
    return ink(word, "bold", _COLORS.get(word, _CALM))


def name_standing(memory: MemoryView) -> list[Words]:
    """The status, kind, scope and other properties of a memory, in short."""
    pieces: list[Words] = [memory.kind, memory.scope]
    if memory.status != "active":
        pieces.insert(0, color_word(memory.status))
    if memory.ended:
        pieces.insert(0, name_end(memory))
    if memory.topic:
        pieces.append(f"topic {memory.topic}")
    pieces.append(f"confidence {memory.confidence:.2f}")
    if memory.visibility != "local":
        pieces.append(memory.visibility)
    if memory.staleness != "stable":
        pieces.append(ink("stale", _WAIT) if memory.stale else f"staleness {memory.staleness}")
    if memory.verified_by:
        pieces.append(f"verified by {memory.verified_by}")
    return pieces


def name_end(memory: MemoryView) -> Ink:
    """That a memory is no longer true, and since when."""
    return ink(f"ended {(memory.valid_to or '')[:10]}", _WAIT)


def name_approval(memory: MemoryView) -> str:
    """The command that approves an inbox item; a decision without a rationale needs one."""
    has_rationale = memory.rationale is not None or memory.cause == PendingCause.NEEDS_SOURCE
    needs_rationale = memory.kind == "decision" and not has_rationale
    return f"heldtrue approve {ending_of(memory.id)}" + (" --rationale WHY" if needs_rationale else "")


def show_rationale(page: Page, memory: MemoryView, *, indent: int = 2) -> None:
    if memory.rationale:
        page.row("because", memory.rationale, indent=indent)


def show_valid_time(page: Page, memory: MemoryView, *, indent: int = 2) -> None:
    if memory.valid_from or memory.valid_to:
        since = f"from {memory.valid_from[:10]}" if memory.valid_from else ""
        until = f"until {memory.valid_to[:10]}" if memory.valid_to else ""
        page.row("valid", " ".join(part for part in (since, until) if part), indent=indent)


def name_sources(evidence: Iterable[SourceView]) -> list[str]:
    """Each source once, by its reference, its speaker or its author."""
    return list(dict.fromkeys(name_source(source) for source in evidence))


def name_source(source: SourceView) -> str:
    if source.speaker:
        where = f" in {source.thread}" if source.thread else ""
        return f"{source.speaker}{where} (captured by {source.author})"
    if source.reference:
        at = f":{source.line}" if source.line and not source.reference.endswith(f":{source.line}") else ""
        return f"{source.reference}{at} ({source.author})"
    return f"{source.author} (no source given)" if source.kind == "manual" else f"{source.kind}, {source.author}"


def show_evidence(page: Page, evidence: list[SourceView], statement: str, *, indent: int = 4) -> None:
    """Each source, with its text if that differs from the memory."""
    seen = set()
    for source in evidence:
        if source.source_id in seen:
            continue
        seen.add(source.source_id)
        page.list([name_source(source), age(source.recorded_at, page.now)], indent=indent)
        if source.erased:
            page.text(dim("the text of this source was erased"), indent=indent + 2)
        elif source.content.strip() != statement.strip():
            page.text(dim(f'"{shorten(source.content, EXCERPT_CHARS)}"'), indent=indent + 2)


def show_since(page: Page, since: Replacement | None, *, indent: int) -> None:
    """The later change of a memory that was asked for at an earlier time."""
    if since is None:
        return
    became = since.status
    if since.content is not None:
        became = f'replaced by "{since.content}"' if since.replaced_by else f'it now says "{since.content}"'
    because = f" because: {since.reason}" if since.reason else ""
    page.text(
        ink(f"since then: {became}{because} ({since.by}, {age(since.at, page.now)})", _CALM),
        indent=indent,
    )
    if since.replaced_by:
        page.line(" " * indent, short_id(since.replaced_by))


def show_more(page: Page, cursor: str | None, *, option: str = "--cursor", label: str = "More") -> None:
    """The command that shows the next page: the same arguments, from the end of this page."""
    if cursor:
        # On one line, however long, so that it can be copied.
        page.line(dim(f"{label}: {type_again(page.typed, option, cursor)}"))


def show_activity(page: Page, entry: ActivityView, *, indent: int = 4, about: str | None = None) -> None:
    """One ledger entry on one or two lines."""
    number = f"#{entry.seq}"
    done = entry.action.removeprefix("memory.")
    page.list(
        [f"{done} → {entry.outcome}", entry.actor, f"{entry.at[:16].replace('T', ' ')} UTC", age(entry.at, page.now)],
        indent=indent,
        label=number,
    )
    if entry.reason:
        page.text(entry.reason, indent=indent + 8)
    if about:
        page.line(" " * (indent + 8), dim(about))


def show_head(page: Page, memory: MemoryView) -> None:
    """The text, the id and the properties of a memory."""
    page.text(bold(memory.content))
    page.line("  ", dim(memory.id))
    standing = name_standing(memory)
    page.list(standing if memory.status != "active" else [color_word("active"), *standing])


def show_links(page: Page, links: list[LinkView], own: str) -> None:
    """The links of a memory; conflicts and replacements are shown elsewhere."""
    shown = [link for link in links if link.relationship not in ("contradicts", "supersedes")]
    if not shown:
        return
    page.title("Links")
    for link in shown:
        ended = f", until {link.recorded_to[:10]}" if link.recorded_to else ""
        arrow, other = ("→", link.to) if link.from_memory == own else ("←", link.from_memory)
        page.line("    ", link.relationship, " ", dim(arrow), " ", other, dim(ended))
        if link.reason:
            page.text(dim(link.reason), indent=6)


def show_conflicts_of(page: Page, conflicts: list[ConflictView]) -> None:
    """The open and the resolved conflicts of a memory."""
    if not conflicts:
        return
    page.title("Conflicts")
    for conflict in conflicts:
        if conflict.status == "pending":
            page.text(ink(conflict.finding, "red"), indent=4)
            choices = "keep_old|remove_both" if conflict.kind == ConflictKind.RETRACTION else "keep_old|keep_new"
            page.text(dim(f"pending: heldtrue resolve {ending_of(conflict.id)} {choices}"), indent=6)
        else:
            page.text(conflict.finding, indent=4)
            page.text(dim(f"resolved: {conflict.disposition} by {conflict.resolved_by}: {conflict.reason}"), indent=6)


def name_counts(counts: Mapping[str, int]) -> list[str]:
    """Each count with its name."""
    return [f"{number:,} {what.replace('_', ' ')}" for what, number in counts.items()]


def spell_pairs(pairs: dict[str, Any]) -> list[Words]:
    """Each name with its value."""
    return [f"{name.replace('_', ' ')} {_spell(value)}" for name, value in pairs.items() if value is not None]


def _spell(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(_spell(element) for element in value)
    return f"{value:,.3g}" if isinstance(value, float) else str(value)
