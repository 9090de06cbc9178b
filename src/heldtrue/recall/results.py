"""Stage: the results, each with everything that explains it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from heldtrue.domain.posting import PLACES_MAX
from heldtrue.domain.rows import PassageText
from heldtrue.language.terms import words_of_terms
from heldtrue.ports import ReadTransaction
from heldtrue.recall.answer import Result
from heldtrue.recall.documents import AssessedDocument, DocumentTexts, terms_of
from heldtrue.recall.explain import describe_age, explain_memory, explain_passage
from heldtrue.recall.score import break_down
from heldtrue.recall.search import Search


def build_results(
    reading: ReadTransaction, search: Search, assessed: Sequence[AssessedDocument], texts: DocumentTexts
) -> tuple[Result, ...]:
    """The results of a search, in the order of the documents."""
    builder = ResultBuilder(search, texts, _read_around(reading, search, assessed))
    return tuple(builder.build(document) for document in assessed)


class ResultBuilder:
    """Makes a result of a document: its score in parts, its evidence, and why it was chosen."""

    def __init__(self, search: Search, texts: DocumentTexts, around: dict[int, list[PassageText]]) -> None:
        self._search = search
        self._texts = texts
        self._around = around
        self._words = words_of_terms(search.words, search.question.terms)

    def build(self, assessed: AssessedDocument) -> Result:
        return self._from_memory(assessed) if assessed.document.is_memory else self._from_passage(assessed)

    def _from_memory(self, assessed: AssessedDocument) -> Result:
        memory = self._texts.memories[assessed.document.no]
        score, shares, parts = break_down(assessed.document, self._search)
        matched = self._matched(filter(None, (memory.title, memory.content, memory.summary, memory.topic)))
        age = describe_age(memory.observed_at, self._search.now)
        return Result(
            memory=memory,
            passage=None,
            score=score,
            breakdown=shares,
            evidence=assessed.evidence,
            trust=assessed.trust,
            explanation=explain_memory(memory, matched, parts, assessed.trust, age=age),
            folded=assessed.folded,
        )

    def _from_passage(self, assessed: AssessedDocument) -> Result:
        passage = self._texts.passages[assessed.document.no]
        score, shares, parts = break_down(assessed.document, self._search)
        moment = passage.recorded_at if passage.occurred_at is None else passage.occurred_at
        age = describe_age(moment, self._search.now)
        return Result(
            memory=None,
            passage=passage,
            score=score,
            breakdown=shares,
            trust=assessed.trust,
            explanation=explain_passage(passage, self._matched((passage.text,)), parts, age=age),
            folded=assessed.folded,
            around=tuple(self._around.get(passage.no, ())),
        )

    def _matched(self, texts: Iterable[str]) -> list[str]:
        """The words of the question that some texts have."""
        terms: frozenset[str] = frozenset()
        for text in texts:
            terms = terms | terms_of(text) if terms else terms_of(text)
        return list(dict.fromkeys(word for term, word in self._words if term in terms))


def _read_around(
    reading: ReadTransaction, search: Search, assessed: Sequence[AssessedDocument]
) -> dict[int, list[PassageText]]:
    """The neighbouring passages of each passage, as far as the caller may see them."""
    passages = [row.document.no for row in assessed if not row.document.is_memory]
    if not search.around or not passages:
        return {}
    reach = range(-search.around, search.around + 1)
    numbers = {
        number: [number + offset for offset in reach if (number + offset) // PLACES_MAX == number // PLACES_MAX]
        for number in passages
    }
    wanted = {other for others in numbers.values() for other in others}
    seen = reading.passages.numbered(sorted(wanted), search.evidence_shelves, search.chosen)
    found = reading.passages.texts([passage.no for passage in seen], search.chosen.seq)
    texts = {text.no: text for text in found}
    return {
        number: [texts[other] for other in others if other in texts and other != number]
        for number, others in numbers.items()
    }
