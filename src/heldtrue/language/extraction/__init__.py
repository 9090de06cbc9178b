"""Finds in a message or a document what is worth remembering: by rules and learned weights, with no language model.

The stages, in order: code, logs and quotations are blanked (clean.py), what is left is cut into sentences and
clauses (sentences.py, openers.py, clauses.py), what is no lasting statement is left out (filters.py), a clause is
taken for what its form says (statements.py: cues/ for set marks, requests.py for orders, first_person.py, states.py,
habits.py, group.py and belongings.py for what people say of themselves, facts.py, persons.py and things.py for the
rest; whole.py for sentences that say it only as a whole), weights learned from labelled text believe that or not, and
take what no rule takes (judged.py: traits.py, learned.py), it and we are named (people.py), the first person becomes
the third (phrasing.py, wording.py, translations.py), and the result gets its time and topic (draft.py: times.py,
topics.py). The order is written down in messages.py and documents.py.
"""

from __future__ import annotations

from heldtrue.language.extraction.documents import extract_document
from heldtrue.language.extraction.messages import extract_message
from heldtrue.language.extraction.rules import RulesExtractor

__all__ = ["RulesExtractor", "extract_document", "extract_message"]
