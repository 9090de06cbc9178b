"""One branch out of a tree of messages: an answer that was asked for again leaves others beside it."""

from __future__ import annotations

from collections.abc import Mapping


def follow_branch(parents: Mapping[str, str | None], leaf: str) -> list[str]:
    """The nodes from the root down to a leaf; a circle ends it."""
    branch: list[str] = []
    seen: set[str] = set()
    at: str | None = leaf
    while at is not None and at in parents and at not in seen:
        seen.add(at)
        branch.append(at)
        at = parents[at]
    return branch[::-1]


def find_leaf(parents: Mapping[str, str | None]) -> str | None:
    """Where a tree that names no leaf ends: the last node that no other follows."""
    followed = {parent for parent in parents.values() if parent is not None}
    leaves = [node for node in parents if node not in followed]
    return leaves[-1] if leaves else None
