"""What counts without a question: the best of a scope, by the parts of a score that need no words."""

from __future__ import annotations

from heldtrue.domain.limits import SCOPE_MEMORIES_MAX
from heldtrue.recall.answer import Result
from heldtrue.recall.documents import Hits, RankedDocument
from heldtrue.recall.fold import fold_documents
from heldtrue.recall.pipeline import plan_search
from heldtrue.recall.ports import RecallReadTransaction
from heldtrue.recall.query import RecallQuery, SearchSettings, Standpoint
from heldtrue.recall.results import build_results
from heldtrue.recall.tools import RecallTools
from heldtrue.recall.trust import assess_trust
from heldtrue.recall.weigh import weigh_documents


def find_best_of_scope(
    reading: RecallReadTransaction,
    query: RecallQuery,
    standpoint: Standpoint,
    tools: RecallTools,
    settings: SearchSettings,
) -> tuple[Result, ...]:
    """The best of what a query's filters let through, whatever its words."""
    search = plan_search(reading, query, standpoint, tools.without_models(), settings, words="")
    headers = reading.memories.newest_headers(search.chosen, limit=SCOPE_MEMORIES_MAX)
    ranked = weigh_documents(reading, search, Hits(), [RankedDocument(header=header) for header in headers])
    folded = fold_documents(reading, search, ranked)
    assessed = assess_trust(reading, search, folded.documents, folded.texts)
    return build_results(reading, search, assessed, folded.texts)
