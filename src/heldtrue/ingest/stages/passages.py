"""Findable evidence: a source cut into passages, each with the values that it says.

Nothing here depends on a store: `tombstones` decides when a passage is hidden, and `evidence` writes the rows.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

import msgspec

from heldtrue.domain.posting import Words
from heldtrue.domain.records import SourceKind
from heldtrue.domain.rows import Collection
from heldtrue.ingest.stages.keys import claim_values
from heldtrue.language.features import count_passage
from heldtrue.language.grammar.sentences import read_sentences
from heldtrue.language.grammar.tokens import read_tokens
from heldtrue.language.guard import guarded
from heldtrue.language.normalise import fold_text
from heldtrue.language.statements import analyse_statement
from heldtrue.language.text_chunks import context_title, split_chunks

SPOKEN = (SourceKind.CONVERSATION, SourceKind.RUN)
"""Sources that are turns of a conversation, not documents."""


class SaidValue(msgspec.Struct, frozen=True, gc=False):
    """A value that a text says, and the words that say it."""

    grain: str
    value: str
    words: str


class Cut(msgspec.Struct, frozen=True):
    """A passage of a text, taken apart."""

    start: int
    end: int
    said: tuple[SaidValue, ...]
    words: Words


def collection_of(kind: str) -> Collection:
    """What a source of a kind is searched together with."""
    return Collection.SESSIONS if kind in SPOKEN else Collection.SOURCES


def cut_source(content: str, title: str | None) -> tuple[Cut, ...]:
    """A text in the passages that will be findable, each with the heading it stands under and with what it says."""
    cuts = []
    for start, end in split_chunks(content):
        headings = " ".join(dict.fromkeys(filter(None, (title, context_title(content, start)))))
        text = content[start:end]
        cuts.append(Cut(start, end, said_under(title, text), count_passage(text, headings)))
    return tuple(cuts)


def cut_sources(title: str | None, contents: Sequence[str]) -> list[tuple[Cut, ...]]:
    """Several texts with one title, each in its passages."""
    return [cut_source(content, title) for content in contents]


def said_under(title: str | None, text: str) -> tuple[SaidValue, ...]:
    """What a passage says where it is shown, which is under its title."""
    return values_said(text) + (_said_by_title(title) if title else ())


@lru_cache(maxsize=256)
def _said_by_title(title: str) -> tuple[SaidValue, ...]:
    """Remembered, since all turns of a conversation have one title."""
    return values_said(title)


@guarded(lambda _text: ())
def values_said(text: str) -> tuple[SaidValue, ...]:
    """Every value that a text says and that might be rejected: as a whole, sentence by sentence, claim by claim.

    What somebody is quoted with is said too.
    """
    quoted = [found[1] for found in _QUOTED.finditer(text)] + [found[1] for found in _LABELLED.finditer(text)]
    return tuple(dict.fromkeys(said for part in (text, *quoted) for said in _values_of(part)))


_QUOTED = re.compile(r"""["“„«「]([^"“”„«»「」\n]{8,400})["“”»」]""")
_LABELLED = re.compile(r"^(?:[^:\n]|:(?!\s)){1,60}:[ \t]+(\S[^\n]{7,})$", re.MULTILINE)
"""`Ana: it is done`: what follows a name or another label at the start of a line."""


def _values_of(text: str) -> list[SaidValue]:
    statement = analyse_statement(text)
    tokens = read_tokens(text, statement.identifiers, statement.quantities, statement.dates)
    sentences = [text[tokens[first].start : tokens[last - 1].end] for first, last in read_sentences(text, tokens)]
    wordings = (text, *sentences, *(claim.text for claim in statement.claims))
    said = [SaidValue("text", folded, folded) for folded in map(fold_text, wordings) if folded]
    return said + [SaidValue("claim", value, claim.text) for claim in statement.claims for value in claim_values(claim)]
