"""What counts without a question: the best of a scope, by the parts of a score that need no words."""

from __future__ import annotations

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

_LOOKED_AT = 2_000
"""The newest so many are weighed against each other."""


def find_best_of_scope(
    reading: RecallReadTransaction,
    query: RecallQuery,
    standpoint: Standpoint,
    tools: RecallTools,
    settings: SearchSettings,
) -> tuple[Result, ...]:
    """The best of what a query's filters let through, whatever its words."""
    search = plan_search(reading, query, standpoint, tools.without_models(), settings, words="")
    headers = reading.memories.newest_headers(search.chosen, limit=_LOOKED_AT)
    ranked = weigh_documents(reading, search, Hits(), [RankedDocument(header=header) for header in headers])
    folded, texts = fold_documents(reading, search, ranked)
    return build_results(reading, search, assess_trust(reading, search, folded, texts), texts)
