"""LangGraph: a `BaseStore` whose items are memories, checked by the gate and stored with their history."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from datetime import datetime
from itertools import islice

from langgraph.store.base import BaseStore, GetOp, Item, ListNamespacesOp, Op, PutOp, Result, SearchItem, SearchOp

from heldtrue.domain.limits import RESULTS_MAX
from heldtrue.surfaces.adapters.items import Held, path_of
from heldtrue.surfaces.adapters.matching import fits_filter, fits_path
from heldtrue.surfaces.adapters.shelf import NotStored, StoreShelf
from heldtrue.surfaces.tools import Invoker

__all__ = ["HeldtrueStore", "NotStored"]


class HeldtrueStore(BaseStore):
    """A LangGraph store in one scope of a Heldtrue store. Each item is a memory; its namespace and key are the topic.

    `put` learns, or corrects the previous value; `delete` forgets; a search with a query is a recall. Replaced and
    deleted values stay in the history. A value that is refused or pending raises `NotStored`. `ttl` is not supported,
    and `index` is not needed: all items are searchable.
    """

    def __init__(self, memory: Invoker, *, scope: str = "project:langgraph") -> None:
        self._shelf = StoreShelf(memory, scope)

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Run the operations in order."""
        return [self._do(op) for op in ops]

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Run the operations in order, in a thread."""
        return await asyncio.to_thread(self.batch, list(ops))

    def _do(self, op: Op) -> Result:
        match op:
            case GetOp():
                held = self._shelf.get(path_of(op.namespace, op.key))
                return _to_item(held) if held is not None else None
            case SearchOp():
                return self._search(op)
            case ListNamespacesOp():
                return self._list_namespaces(op)
            case PutOp(value=None):
                self._shelf.delete(path_of(op.namespace, op.key))
            case PutOp(value=value) if value is not None:
                self._shelf.put(path_of(op.namespace, op.key), dict(value))
        return None

    def _search(self, op: SearchOp) -> list[SearchItem]:
        if not op.query:
            return self._choose(self._shelf.every(), op)
        found = self._shelf.find(op.query)
        chosen = self._choose(found, op)
        if len(found) >= RESULTS_MAX and len(chosen) < op.limit:
            # Others may have taken all the places: ask again with the words of the namespace, which its items have.
            chosen = self._choose(self._shelf.find(" ".join((op.query, *op.namespace_prefix))), op)
        return chosen

    def _choose(self, items: Iterable[Held], op: SearchOp) -> list[SearchItem]:
        depth = len(op.namespace_prefix)
        fitting = (
            held
            for held in items
            if held.item.namespace[:depth] == tuple(op.namespace_prefix)
            and fits_filter(held.item.value, op.filter or {})
        )
        return [_to_search_item(held) for held in islice(fitting, op.offset, op.offset + op.limit)]

    def _list_namespaces(self, op: ListNamespacesOp) -> list[tuple[str, ...]]:
        wanted = op.match_conditions or ()
        fitting = {
            held.item.namespace[: op.max_depth]
            for held in self._shelf.every()
            if all(fits_path(held.item.namespace, condition.match_type, condition.path) for condition in wanted)
        }
        return sorted(fitting)[op.offset : op.offset + op.limit]


def _to_item(held: Held) -> Item:
    return Item(
        value=held.item.value,
        key=held.item.key,
        namespace=held.item.namespace,
        created_at=datetime.fromisoformat(held.created_at),
        updated_at=datetime.fromisoformat(held.updated_at),
    )


def _to_search_item(held: Held) -> SearchItem:
    return SearchItem(
        held.item.namespace,
        held.item.key,
        held.item.value,
        datetime.fromisoformat(held.created_at),
        datetime.fromisoformat(held.updated_at),
        score=held.score,
    )
