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

from time import perf_counter

import msgspec

from heldtrue.ports import ReadTransaction
from heldtrue.recall.answer import RecallNote, RecallOutcome, SearchOutcome
from heldtrue.recall.candidates import choose_candidates
from heldtrue.recall.documents import Hits, RankedDocument
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
from heldtrue.recall.words import find_by_words, note_read_as


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
    outcome = run_search(reading, search, tools)
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
        seq=standpoint.seq,
        rewritten=rewritten,
        profile=search.profile.name,
        space=reading.ledger.space(),
        results=results,
        notes=notes,
        needs_vectors=tools.needs_vectors(outcome.behind),
        cost={"milliseconds": round((perf_counter() - started) * 1000, 3), **outcome.cost},
    )


def recall_nothing(reading: ReadTransaction, query: RecallQuery, standpoint: Standpoint) -> RecallOutcome:
    """A recall without a search, so that memories that are shown anyway can be logged."""
    return RecallOutcome(
        id=_recall_id(reading.ledger.head().hash, query, standpoint),
        query=query,
        now=standpoint.now,
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
    scope = choose_scope(reading, query, standpoint)
    name = query.profile or settings.recall_profile
    model_weights = embedder.weights if embedder is not None else {}
    profile = choose_profile(name, model_weights, settings.profile_weights(name), check_weights(query.weights))
    return Search(
        words=words,
        question=parse_question(words, now=scope.moment) if words else ParsedQuestion(),
        principal=principal,
        chosen=scope.chosen,
        collections=scope.collections,
        state=state,
        now=scope.moment,
        profile=profile,
        decay=settings.decay,
        beliefs_only=bool(query.kinds or query.min_confidence),
        topic=query.topic,
        near=standpoint.near,
        domain=None if principal.is_person else principal.id,
        limit=query.limit,
        floor=choose_floor(settings, name, embedder),
        weak_share=query.weak_share,
        per_source=query.per_source,
        around=query.around,
    )


def run_search(reading: RecallReadTransaction, search: Search, tools: RecallTools) -> SearchOutcome:
    """Run the stages from finding to results."""
    search = open_shelves(reading, search, tools.words)
    words, word_notes = find_by_words(reading, search, tools.words)
    vectors, vector_notes = find_by_meaning(reading, search, words, tools)
    hits = Hits(words, vectors, follow_near(reading, search))
    candidates = choose_candidates(reading, search, hits)
    read_as_notes = note_read_as(words, candidates)
    ranked = weigh_documents(reading, search, hits, candidates)
    if search.profile.needs("proximity"):
        ranked = _weigh_linked(reading, search, hits, ranked)
    good = drop_weak(search, ranked)
    ordered, reranker_notes = rerank_documents(reading, search, good, tools.reranker)
    folded, texts = fold_documents(reading, search, ordered)
    assessed = assess_trust(reading, search, folded, texts)
    notes: list[RecallNote] = [*tools.problems, *word_notes, *vector_notes, *read_as_notes, *reranker_notes]
    return SearchOutcome(
        results=build_results(reading, search, assessed, texts),
        notes=tuple(notes),
        weak=len(ranked) - len(good),
        behind=vectors.behind if vectors is not None else 0,
        cost={"shelves": len(search.shelves), "candidates": len(ranked), "language_model_calls": 0},
    )


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
