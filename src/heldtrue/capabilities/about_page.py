"""One page about a subject, for people: it needs no script and loads nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from html import escape
from typing import TYPE_CHECKING, Any

import msgspec

from heldtrue.projections.subject_scan import HeldSection, MatchCause

if TYPE_CHECKING:
    from heldtrue.capabilities.about_items import AboutItem, HeldEvidence
    from heldtrue.capabilities.views import MemoryView

TITLES: Mapping[str, str] = {
    HeldSection.MEMORIES: "Memories",
    HeldSection.SOURCES: "Sources",
    HeldSection.LINKS: "Links",
    HeldSection.CONFLICTS: "Conflicts",
    HeldSection.REJECTIONS: "Rejected values",
    HeldSection.QUARANTINES: "Quarantines",
    HeldSection.SHARES: "Messages between agents",
    HeldSection.VIEWS: "Saved views",
    HeldSection.NAMES: "Agents, people, projects, repos and teams",
    HeldSection.ENTRIES: "Other ledger entries, such as refused writes",
    HeldSection.SUMMARIES: "Summaries",
    HeldSection.RECALLS: "Logged questions",
    HeldSection.JOBS: "Jobs",
    HeldSection.ANSWERS: "Responses stored for retries",
}
CAUSES: Mapping[str, str] = {
    MatchCause.WORDS: "mentions",
    MatchCause.EVIDENCE: "its source mentions",
    MatchCause.MEMORY: "belongs to a memory above",
    MatchCause.SOURCE: "belongs to a source above",
}

_STYLE = """
:root { color-scheme: light dark; --ink: #1d2328; --soft: #5b6670; --line: #d5dade; --paper: #fff; --card: #f6f8f9; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e4e8eb; --soft: #9aa5ae; --line: #39424a; --paper: #14181b; --card: #1c2226; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 54rem; padding: 2rem 1.25rem 4rem; background: var(--paper); color: var(--ink);
  font: 1rem/1.5 system-ui, sans-serif; }
h1 { font-size: 1.7rem; line-height: 1.25; margin: 0 0 1rem; overflow-wrap: anywhere; }
h2 { font-size: 1.2rem; margin: 2.5rem 0 .75rem; padding-bottom: .3rem; border-bottom: 1px solid var(--line); }
h4 { font-size: .85rem; margin: .9rem 0 .3rem; color: var(--soft); }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .15rem 1rem; margin: 0; }
dt { color: var(--soft); }
dd { margin: 0; overflow-wrap: anywhere; }
table { border-collapse: collapse; }
td { padding: .15rem 1.5rem .15rem 0; }
td:last-child { text-align: right; font-variant-numeric: tabular-nums; }
article { margin: 0 0 1rem; padding: .9rem 1rem; background: var(--card); border: 1px solid var(--line);
  border-radius: .4rem; }
.text, blockquote { white-space: pre-wrap; overflow-wrap: anywhere; }
.text { margin: 0 0 .5rem; }
blockquote { margin: .2rem 0; padding-left: .75rem; border-left: 3px solid var(--line); }
.soft, dl { font-size: .85rem; }
.soft { color: var(--soft); margin: .2rem 0; overflow-wrap: anywhere; }
ol { margin: .2rem 0; padding-left: 1.4rem; }
a { color: inherit; }
@media print {
  :root { --ink: #000; --soft: #444; --line: #bbb; --paper: #fff; --card: #fff; }
  body { max-width: none; padding: 0; font-size: .85rem; }
  h2, h4 { break-after: avoid; }
  .text { break-inside: avoid; }
}
"""


def write_page(
    names: Iterable[str], facts: Mapping[str, str], counts: Mapping[str, int], items: Iterable[AboutItem]
) -> Iterator[str]:
    """The page, piece by piece."""
    title = f"What is held about {escape(next(iter(names)))}"
    yield (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n'
        f"<title>{title}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n{_facts(facts)}\n"
    )
    yield from _summary(counts)
    current = None
    for item in items:
        if item.section != current:
            current = item.section
            yield f'<h2 id="{escape(current)}">{escape(TITLES[current])} ({counts[current]:,})</h2>\n'
        yield f"<article>\n{_memory(item) if item.versions else _other(item)}</article>\n"
    yield "</body>\n</html>\n"


def _summary(counts: Mapping[str, int]) -> Iterator[str]:
    yield "<h2>Summary</h2>\n"
    if not any(counts.values()):
        yield "<p>Nothing mentions this subject by these names.</p>\n"
        return
    yield "<table>\n"
    for section, number in counts.items():
        if number:
            yield f'<tr><td><a href="#{escape(section)}">{escape(TITLES[section])}</a></td><td>{number:,}</td></tr>\n'
    yield "</table>\n"


def _memory(item: AboutItem) -> str:
    last = item.versions[-1]
    facts = {
        "Id": item.id,
        "Status": last.status + (f" ({last.cause})" if last.cause else ""),
        "Kind": last.kind,
        "Scope": last.scope + (", private" if last.visibility == "private" else ""),
        "Topic": last.topic,
        "Stated by": last.agent,
        "Verified by": last.verified_by,
        "Confidence": f"{last.confidence:.2f}",
        "Stated at": say_time(last.created_at),
        "Valid from": say_time(last.valid_from),
        "Valid until": say_time(last.valid_to),
        "Rationale": last.rationale,
    }
    parts = [_text(item.text), _why(item), _facts(facts), "<h4>History</h4>\n<ol>\n"]
    parts += [f"<li>{_version(version)}</li>\n" for version in item.versions]
    parts.append("</ol>\n")
    if item.evidence:
        parts += ["<h4>Sources</h4>\n", *(_evidence(evidence) for evidence in item.evidence)]
    return "".join(parts)


def _version(version: MemoryView) -> str:
    why = f": {version.reason}" if version.reason else ""
    said = f"{say_time(version.recorded_from)}, {version.change} by {version.changed_by}, {version.status}{why}"
    return f'<span class="soft">{escape(said)}</span>\n<blockquote>{escape(version.content)}</blockquote>'


def _evidence(evidence: HeldEvidence) -> str:
    where = (evidence.reference, evidence.thread and f"thread {evidence.thread}")
    said = (
        evidence.speaker and f"said by {evidence.speaker}",
        f"{evidence.kind} by {evidence.author}",
        *where,
        say_time(evidence.occurred_at or evidence.recorded_at),
        f"source {evidence.source_id}",
    )
    return f'<blockquote>{escape(evidence.passage)}</blockquote>\n<p class="soft">{escape(_join(said))}</p>\n'


def _other(item: AboutItem) -> str:
    facts = {
        "Id": item.id,
        "By": item.by,
        "Recorded at": say_time(item.at),
        **{_title(name): say_time(value) if name.endswith("_at") else value for name, value in item.details.items()},
        "Memories": ", ".join(item.memories),
        "Sources": ", ".join(item.sources),
    }
    return _text(item.text) + _why(item) + _facts(facts)


def _why(item: AboutItem) -> str:
    return f'<p class="soft">{escape(f"{CAUSES[item.cause]} {_join(item.names)}".strip())}</p>\n'


def _text(text: str) -> str:
    return f'<p class="text">{escape(text)}</p>\n'


def _facts(facts: Mapping[str, Any]) -> str:
    rows = (f"<dt>{escape(name)}</dt><dd>{escape(_spell(value))}</dd>\n" for name, value in facts.items() if value)
    return f"<dl>\n{''.join(rows)}</dl>\n"


def say_time(moment: str | None) -> str:
    """A moment to the second, as people write it; empty if there is none."""
    return f"{moment[:10]} {moment[11:19]} UTC" if moment else ""


def _title(name: str) -> str:
    return name.replace("_", " ").capitalize()


def _spell(value: Any) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def _join(parts: Iterable[str | None]) -> str:
    return ", ".join(part for part in parts if part)
