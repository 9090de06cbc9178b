"""Notes of Basic Memory: Markdown with observations (`- [category] words #tag (context)`) and relations."""

from __future__ import annotations

import re
from collections.abc import Iterator

from heldtrue.readers.feeds import Feed
from heldtrue.readers.notes import MarkdownNote, read_note
from heldtrue.readers.plain import moment_of
from heldtrue.readers.remarks import known_kind, make_link, make_remark
from heldtrue.readers.values import NamedLink, Remark, Skipped, Value

_ITEM = re.compile(r"\s*[-*+]\s+(\S.*)")
_OBSERVATION = re.compile(r"\[([^\[\]()]+)\]\s+(.+)")
_CLOCK = re.compile(r"\d{1,3}:\d{2}(?::\d{2})?(?:[.,]\d{1,3})?(?:\s+-\s+[\d:.,]+)?")
_RELATION = re.compile(r"""(?:"([^"]+)"|'([^']+)'|([^\s\[\]"']+))\s*\[\[([^\[\]]+)\]\]\s*(?:\(([^()]*)\))?""")
_CONTEXT = re.compile(r"\(([^()]*)\)$")


def read_basic_memory(feed: Feed) -> Iterator[Value]:
    """The note as a document, then each observation as a remark and each relation as a link."""
    for found in read_note(feed):
        if not isinstance(found, MarkdownNote):
            yield found
            continue
        yield found.document()
        for number, line in found.body():
            item = _ITEM.fullmatch(line.rstrip())
            if item is not None and (value := _read_item(found, item[1], number)) is not None:
                yield value


def _read_item(note: MarkdownNote, text: str, number: int) -> Remark | NamedLink | Skipped | None:
    """What a list item says; an ordinary one is only part of the document."""
    where = f"{note.path}:{number}"
    relation = _RELATION.fullmatch(text)
    if relation is not None:
        kind = relation[1] or relation[2] or relation[3]
        return make_link(note.title, kind, relation[4].partition("|")[0], origin=where)
    category = observation_category(text)
    if category is None:
        return None
    words = text.partition("]")[2].strip()
    tags = [tag for word in words.split() if word.startswith("#") for tag in word.split("#") if tag]
    context = _CONTEXT.search(words)
    return make_remark(
        _without_tags(words[: context.start()] if context and context.start() else words),
        origin=where,
        kind=known_kind(category),
        subject=note.title,
        created_at=moment_of(note.front.text("created") or note.front.text("date")),
        tags=[category, *tags, *note.front.listed("tags")],
        details={"context": context[1]} if context else None,
    )


def _without_tags(words: str) -> str:
    """An observation without the tags at its end; one inside of a sentence is a word of it."""
    kept = words.split(" ")
    while len(kept) > 1 and (not kept[-1] or kept[-1].startswith("#")):
        kept.pop()
    return " ".join(kept)


def observation_category(text: str) -> str | None:
    """The category of an observation; a box to tick and the time in a transcript are none."""
    found = _OBSERVATION.fullmatch(text)
    if found is None:
        return None
    category = found[1].strip()
    is_box = len(category) == 1 and (category in "xX" or not category.isalnum())
    return None if not category or is_box or _CLOCK.fullmatch(category) else category


def has_observation(text: str) -> bool:
    """Whether any line is an observation."""
    items = (_ITEM.fullmatch(line.rstrip()) for line in text.split("\n"))
    return any(observation_category(item[1]) for item in items if item is not None)
