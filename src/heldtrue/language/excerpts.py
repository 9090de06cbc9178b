"""The sentences of a text that mention a subject."""

from __future__ import annotations

from collections.abc import Iterator

from heldtrue.language.extraction.sentence_spans import split_sentences
from heldtrue.language.mentions import Mentions

_AROUND_CHARS = 200
"""What is quoted on either side of a mention that is in no sentence, such as one in a very long line."""


def quote_mentions(text: str, mentions: Mentions) -> list[str]:
    """Each sentence that mentions the subject, in order."""
    quoted: list[str] = []
    end = 0
    for start, stop in _merge(text, mentions):
        if stop > end:
            quoted.append(text[max(start, end) : stop].strip())
            end = stop
    return quoted


def _merge(text: str, mentions: Mentions) -> Iterator[tuple[int, int]]:
    """For each mention the sentences that it is in, or what stands around it."""
    spans = mentions.spans(text)
    sentences = split_sentences(text) if spans else []
    place = 0
    for start, end in spans:
        while place < len(sentences) and sentences[place].end <= start:
            place += 1
        last = place
        while last + 1 < len(sentences) and sentences[last + 1].start < end:
            last += 1
        if place < len(sentences) and sentences[place].start <= start and end <= sentences[last].end:
            yield sentences[place].start, sentences[last].end
        else:
            yield max(0, start - _AROUND_CHARS), min(len(text), end + _AROUND_CHARS)
