"""Whether a statement is about a person, as far as its form tells. What it says of that person is not read."""

from __future__ import annotations

from heldtrue.domain.claim import Statement
from heldtrue.language.guard import guarded
from heldtrue.language.names import find_names
from heldtrue.language.terms import stem_word

_PERSONS = frozenset({"user", "owner"})
"""Subjects that are a person without a name."""


@guarded(lambda _statement: False)
def may_be_about_person(statement: Statement) -> bool:
    """Whether a claim has a subject that may be a person: a name, `the user` or `the owner`.

    A name of a thing cannot be told from a name of a person. In a text without capitals, any single word may be one.
    """
    subjects = [claim.subject.split() for claim in statement.claims if claim.subject]
    if not subjects:
        return False
    if any(subject[0] in _PERSONS for subject in subjects):
        return True
    if statement.text == statement.text.lower():
        return any(len(subject) == 1 for subject in subjects)
    named = {word for name in find_names(statement.text) for word in name.key.split()}
    named |= {stem_word(word) for word in named}
    return any(subject[0] in named for subject in subjects)
