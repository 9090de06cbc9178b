"""Finds in a message or a document what is worth remembering: the reader judges, and no rule chooses.

The stages, in the order that `messages` and `documents` write down:

1. `blanking` blanks code, logs and quotations.
2. `sentence_spans`, `openers` and `clause_spans` split the rest into sentences and clauses.
3. `judgements` asks the reader about the sentences, and about the clauses of those that may hold something.
4. `choice` turns its answers into what is kept: whole sentences, else clauses. `marks` adds what the text itself marks
   with a label, a heading (`sections`) or a box; without a reader, only that is kept.
5. `joining` names what a sentence leans on (`speaker_names`), or joins it with the sentence before.
6. `statements` puts it into words (`phrasing`, `wording`, `requests`): in the third person, else as a quotation.
7. `draft` adds times and topics (`validity_times`, `relative_dates`, `topics`), reasons and alternatives.
"""

from __future__ import annotations

from heldtrue.language.extraction.documents import extract_document
from heldtrue.language.extraction.extractor import ReaderExtractor
from heldtrue.language.extraction.messages import extract_message

__all__ = ["ReaderExtractor", "extract_document", "extract_message"]
