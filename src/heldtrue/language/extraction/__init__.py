"""Finds in a message or a document what is worth remembering: by rules and learned weights, with no language model.

The stages, in the order that `messages` and `documents` write down:

1. `blanking` blanks code, logs and quotations.
2. `sentence_spans`, `openers` and `clause_spans` split the rest into sentences and clauses.
3. `filters` leaves out what is no lasting statement.
4. `clause_classifier` says what a clause is: `cues/` for set phrases, `requests` for orders, `first_person`, `states`,
   `habits`, `group` and `belongings` for what people say about themselves, `facts`, `person_facts` and `thing_facts`
   for the rest; `whole_sentences` for sentences that say one thing across their clauses.
5. `clause_selection` confirms that or not by learned weights, and keeps what no rule finds (`traits`, `learned`).
6. `speaker_names` puts names for I, we and it; `phrasing`, `wording` and `foreign_third_person` turn the first person
   into the third.
7. `draft` adds the time and the topic (`validity_times`, `topics`).
"""

from __future__ import annotations

from heldtrue.language.extraction.documents import extract_document
from heldtrue.language.extraction.messages import extract_message
from heldtrue.language.extraction.rules import RulesExtractor

__all__ = ["RulesExtractor", "extract_document", "extract_message"]
