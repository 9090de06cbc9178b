"""The order of the stages of recall.

    rewrite      the question, completed from the messages before it
    scope        which part of the space is searched, as far as the caller may see it
    question     the question taken apart
    words        the matches of its words
    meaning      the matches of its meaning
    links        memories linked to those in `near`
    candidates   the documents worth a closer look
    weigh        the parts of their scores
    links        memories linked to the best matches
    floor        drops weak results
    rerank       the first results in the order of a model
    fold         merges results that say the same
    trust        warnings about each result
    results      the results, with everything that explains them
    elsewhere    results from other projects, if there are none here
    since        how the results have changed since
    budget       the results that fit into a number of tokens
    log          the caller, the question, the results and the cost

The last two run once the caller of `recall` knows what it gives out.
"""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter

import msgspec

from heldtrue.domain.errors import StorageProblem
from heldtrue.domain.rows import Collection
from heldtrue.ports import ReadTransaction
from heldtrue.recall.answer import NoteCode, RecallNote, RecallOutcome, SearchOutcome
from heldtrue.recall.candidates import choose_candidates
from heldtrue.recall.documents import FoldedDocuments, Hits, RankedDocument
from heldtrue.recall.elsewhere import choose_elsewhere, keep_strong
from heldtrue.recall.floor import choose_floor, drop_weak, note_weak
from heldtrue.recall.fold import fold_documents
from heldtrue.recall.links import follow_best, follow_near
from heldtrue.recall.log_rows import recall_id_of
from heldtrue.recall.meaning import find_by_meaning
from heldtrue.recall.ports import RecallReadTransaction
from heldtrue.recall.profiles import DEFAULT, check_weights, choose_profile
from heldtrue.recall.query import RecallQuery, SearchSettings, Standpoint
from heldtrue.recall.question import parse_question
from heldtrue.recall.rerank import rerank_documents
from heldtrue.recall.results import build_results
from heldtrue.recall.rewrite import complete_question
from heldtrue.recall.scope import choose_scope, note_unsearched, open_shelves
from heldtrue.recall.search import ParsedQuestion, Search
from heldtrue.recall.since import add_changes
from heldtrue.recall.tools import RecallTools
from heldtrue.recall.trust import assess_trust
from heldtrue.recall.weigh import weigh_documents
from heldtrue.recall.words import find_by_words, note_read_as, read_directly

FAULTS_OF_DAMAGE = (ArithmeticError, AttributeError, LookupError, StorageProblem, TypeError, ValueError)
"""What computing with damaged derived rows raises, on either database."""


def recall(
    reading: RecallReadTransaction,
    query: RecallQuery,
    standpoint: Standpoint,
    tools: RecallTools,
    settings: SearchSettings,
) -> RecallOutcome:
    """The best results for a query: at most `limit`, in the same order for the same store and clock."""
    started = perf_counter()
    tools = tools.without_models() if query.words_only else tools
    words, rewritten = complete_question(query)
    search = plan_search(reading, query, standpoint, tools, settings, words=words)
    outcome = _search_sound_rows(reading, search, tools)
    if query.elsewhere and not outcome.results:
        outcome = _look_elsewhere(reading, query, search, tools) or outcome
    notes = outcome.notes
    if not outcome.results:
        notes = (*notes, *note_weak(outcome.weak), *note_unsearched(reading, search))
    results = outcome.results
    if standpoint.seq is not None:
        results = add_changes(reading, standpoint.principal, results)
    return RecallOutcome(
        id=_recall_id(search.state.head.hash, query, standpoint),
        query=query,
        now=standpoint.now,
        moment=standpoint.moment,
        seq=standpoint.seq,
        rewritten=rewritten,
        profile=search.profile.name,
        space=reading.ledger.space(),
        results=results,
        notes=notes,
        needs_rebuild=any(note.code is NoteCode.INDEX_DAMAGED for note in notes),
        needs_vectors=tools.needs_vectors(outcome.behind),
        cost={"milliseconds": round((perf_counter() - started) * 1000, 3), **outcome.cost},
    )


def recall_nothing(reading: ReadTransaction, query: RecallQuery, standpoint: Standpoint) -> RecallOutcome:
    """A recall without a search, so that memories that are shown anyway can be logged."""
    return RecallOutcome(
        id=_recall_id(reading.ledger.head().hash, query, standpoint),
        query=query,
        now=standpoint.now,
        moment=standpoint.moment,
        profile=query.profile or DEFAULT,
        space=reading.ledger.space(),
        cost={"milliseconds": 0.0},
    )


def plan_search(
    reading: ReadTransaction,
    query: RecallQuery,
    standpoint: Standpoint,
    tools: RecallTools,
    settings: SearchSettings,
    *,
    words: str,
) -> Search:
    """The search that a query asks for, with these words."""
    embedder, principal = tools.embedder, standpoint.principal
    state = reading.index.space_state(embedder.name if embedder is not None else None)
    scope = choose_scope(query, standpoint)
    name = query.profile or settings.recall_profile
    model_weights = embedder.weights if embedder is not None else {}
    overrides = settings.profile_weights(name), check_weights(query.weights)
    return Search(
        words=words,
        question=parse_question(words, now=standpoint.moment) if words else ParsedQuestion(),
        principal=principal,
        chosen=scope.chosen,
        collections=scope.collections,
        state=state,
        now=standpoint.moment,
        profile=choose_profile(name, model_weights, *overrides),
        words_profile=choose_profile(name, {}, *overrides),
        decay=settings.decay,
        beliefs_only=bool(query.kinds or query.min_confidence or query.trusted),
        topic=query.topic,
        near=standpoint.near,
        domain=None if principal.is_person else principal.id,
        limit=query.limit,
        floor=choose_floor(settings, name, embedder),
        words_floor=choose_floor(settings, name, None),
        weak_share=query.weak_share,
        per_source=query.per_source,
        around=query.around,
    )


def _search_sound_rows(reading: RecallReadTransaction, search: Search, tools: RecallTools) -> SearchOutcome:
    """Run a search. Where derived rows are damaged, do without the vectors, and then without the index."""
    with_words = tools.without_models()
    attempts = (
        (search, tools, False, ""),
        (search, with_words, False, "stored vectors are damaged, so the search was by keyword only"),
        (
            msgspec.structs.replace(search, collections=(Collection.MEMORY,)),
            with_words,
            True,
            "the index is damaged, so only the newest memories were searched",
        ),
    )
    for attempt, using, directly, damage in attempts:
        try:
            outcome = run_search(reading, attempt, using, directly=directly)
        except FAULTS_OF_DAMAGE:
            if directly:
                raise
            import logging  # nobody pays for it until something fails

            logging.getLogger("heldtrue").warning(
                "the search index is damaged; run heldtrue verify --deep", exc_info=True
            )
            tools.forget()
            continue
        found = [
            damage,
            *(f"damaged rows of the index table {table} were left out" for table in sorted(reading.damaged)),
        ]
        notes = [RecallNote(NoteCode.INDEX_DAMAGED, text) for text in found if text]
        return msgspec.structs.replace(outcome, notes=(*outcome.notes, *notes))
    raise AssertionError("the last attempt answers or raises")


def run_search(
    reading: RecallReadTransaction, search: Search, tools: RecallTools, *, directly: bool = False
) -> SearchOutcome:
    """Run the stages from finding to results; `directly` reads memories themselves instead of the index."""
    word_notes: list[RecallNote] = []
    if directly:
        words = read_directly(reading, search)
    else:
        search = open_shelves(reading, search, tools.words)
        words, word_notes = find_by_words(reading, search, tools.words)
    vectors, vector_notes = find_by_meaning(reading, search, words, tools)
    if vectors is None:
        search = search.without_vectors()
    hits = Hits(words, vectors, follow_near(reading, search))
    candidates = choose_candidates(reading, search, hits)
    read_as_notes = note_read_as(words, candidates)
    ranked = weigh_documents(reading, search, hits, candidates)
    if search.profile.needs("proximity"):
        ranked = _weigh_linked(reading, search, hits, ranked)
    folded, weak, reranker_notes = _fold_best(reading, search, ranked, tools)
    if folded.crowd and len(folded.documents) < search.limit:
        ranked = _weigh_besides(reading, search, hits, ranked, folded.crowd)
        folded, weak, reranker_notes = _fold_best(reading, search, ranked, tools)
    assessed = assess_trust(reading, search, folded.documents, folded.texts)
    notes: list[RecallNote] = [*tools.problems, *word_notes, *vector_notes, *read_as_notes, *reranker_notes]
    return SearchOutcome(
        results=build_results(reading, search, assessed, folded.texts),
        notes=tuple(notes),
        weak=weak,
        behind=vectors.behind if vectors is not None else 0,
        cost={"shelves": len(search.shelves), "candidates": len(ranked), "language_model_calls": 0},
    )


def _fold_best(
    reading: RecallReadTransaction, search: Search, ranked: Sequence[RankedDocument], tools: RecallTools
) -> tuple[FoldedDocuments, int, list[RecallNote]]:
    """The best of some documents, how many were too weak, and what there is to say about their order."""
    good = drop_weak(search, ranked)
    ordered, notes = rerank_documents(reading, search, good, tools.reranker)
    return fold_documents(reading, search, ordered), len(ranked) - len(good), notes


def _weigh_besides(
    reading: RecallReadTransaction,
    search: Search,
    hits: Hits,
    ranked: Sequence[RankedDocument],
    crowd: tuple[str, ...],
) -> list[RankedDocument]:
    """Weigh again with what others know: the near copies of some authors have left too little room for it."""
    chosen = msgspec.structs.replace(search.chosen, unverified_except=crowd)
    known = {(document.is_memory, document.no) for document in ranked}
    others = choose_candidates(reading, msgspec.structs.replace(search, chosen=chosen), hits)
    fresh = [document for document in others if (document.is_memory, document.no) not in known]
    return weigh_documents(reading, search, hits, [*ranked, *fresh])


def _weigh_linked(
    reading: RecallReadTransaction, search: Search, hits: Hits, ranked: list[RankedDocument]
) -> list[RankedDocument]:
    """Weigh again with what is linked to the documents that fit best: it comes in, or moves up."""
    followed = follow_best(reading, search, hits.links, ranked)
    if followed is None:
        return ranked
    links, fresh = followed
    return weigh_documents(reading, search, msgspec.structs.replace(hits, links=links), [*ranked, *fresh])


def _look_elsewhere(
    reading: RecallReadTransaction, query: RecallQuery, search: Search, tools: RecallTools
) -> SearchOutcome | None:
    wider = choose_elsewhere(reading, query, search)
    return keep_strong(run_search(reading, wider, tools)) if wider is not None else None


def _recall_id(head: bytes | str, query: RecallQuery, standpoint: Standpoint) -> str:
    parts = (head, standpoint.principal.id, repr(query), repr(standpoint.marks))
    return recall_id_of(now=standpoint.now, parts=parts)
