"""The first tier: what is known of the categories that a question touches, a line for each memory."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from heldtrue.domain.limits import SUMMARIES_MAX
from heldtrue.language.terms import index_terms, query_terms
from heldtrue.recall.render import Entry, line_of


class Summary(msgspec.Struct, frozen=True):
    """A category and its memories, those that fit best first."""

    subject: str
    entries: tuple[Entry, ...]


def summarise(entries: Sequence[Entry]) -> list[Summary]:
    """The categories of the best results, the best first: its category, else its topic, else its kind.

    Raw evidence is of no category: nobody has weighed it yet.
    """
    groups: dict[str, list[Entry]] = {}
    for entry in entries:
        if entry.passage is None:
            groups.setdefault(entry.subject or entry.kind, []).append(entry)
    return [Summary(subject, tuple(members)) for subject, members in list(groups.items())[:SUMMARIES_MAX]]


def cover_question(summaries: Sequence[Summary], entries: Sequence[Entry], question: str) -> bool:
    """Whether some summaries say what the results they were made from would say.

    They do where the line of the best result is all it says, and where every word of the question that any result has
    is on one of the lines.
    """
    if not summaries or entries[0] is not summaries[0].entries[0] or not _says_all(entries[0]):
        return False
    wanted = set(query_terms(question))
    held = {term for entry in entries for term in wanted.intersection(index_terms(entry.text))}
    told = {term for summary in summaries for entry in summary.entries for term in index_terms(line_of(entry))}
    return bool(held) and held <= told


def _says_all(entry: Entry) -> bool:
    """Whether the line of an entry is its whole text."""
    return line_of(entry) == " ".join(entry.text.split()) and not entry.rationale
