"""Finds one branch in a tree of messages: a regenerated answer leaves other branches beside it."""

from __future__ import annotations

from collections.abc import Mapping


def follow_branch(parents: Mapping[str, str | None], leaf: str) -> list[str]:
    """The nodes from the root down to a leaf; stops at a cycle."""
    branch: list[str] = []
    seen: set[str] = set()
    at: str | None = leaf
    while at is not None and at in parents and at not in seen:
        seen.add(at)
        branch.append(at)
        at = parents[at]
    return branch[::-1]


def find_leaf(parents: Mapping[str, str | None]) -> str | None:
    """The leaf of a tree that does not name one: the last node without children."""
    followed = {parent for parent in parents.values() if parent is not None}
    leaves = [node for node in parents if node not in followed]
    return leaves[-1] if leaves else None
