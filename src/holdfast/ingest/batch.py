"""Learning many at once: what can be found out before the lock is taken, and one look-up for all where it cannot.

A batch is kept or not kept as a whole, so one transaction writes all of it, and everybody else waits for it. What is
found out beforehand decides nothing: whoever has the lock looks again. But texts are taken apart and compared by then,
which is remembered, and what is left to be looked up is known.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import msgspec

from holdfast.domain.principal import Principal
from holdfast.ingest.burial import keys_of_stones
from holdfast.ingest.candidate import Candidate
from holdfast.ingest.journal import Pen
from holdfast.ingest.keys import pair_key
from holdfast.ingest.learn import ConflictRule, keys_in_space, learn
from holdfast.ingest.match import choose_contraries, compare_texts, find_neighbours, read_gist_of
from holdfast.ingest.neighbourhood import Neighbourhood
from holdfast.ingest.outcome import Outcome
from holdfast.ports import Reading


class Planned(msgspec.Struct, frozen=True):
    """A candidate of a batch, with the keys of what is going to be looked up for it."""

    candidate: Candidate
    keys: list[int] | None = None
    """What it would be indexed under; none where the space is yet to be founded."""
    stones: frozenset[int] | None = None
    """What a tombstone in its way would have; none where that cannot be told beforehand."""
    pairs: tuple[int, ...] = ()
    """Those of the conflicts it would be in."""


def plan_batch(reading: Reading, candidates: Sequence[Candidate], actor: Principal) -> list[Planned]:
    """Prepare candidates for being learned together."""
    space = reading.space()
    if not space.id:
        return [Planned(candidate) for candidate in candidates]
    keys = [keys_in_space(space.key, candidate, actor) for candidate in candidates]
    shared = Counter(key for own in keys for key in own)
    neighbourhood = Neighbourhood(reading)
    neighbourhood.look_up(shared)
    firsts: dict[int, str] = {}
    planned = []
    for candidate, own in zip(candidates, keys, strict=True):
        _compare_within(candidate, [key for key in own if shared[key] > 1], firsts)
        held = neighbourhood.find(own)
        neighbours = find_neighbours(
            candidate.statement, held, scope=candidate.scope, private_to=candidate.private_to(actor)
        )
        opposed = [pair_key(space.key, candidate.statement, one.statement) for one in choose_contraries(neighbours)]
        planned.append(Planned(candidate, own, keys_of_stones(space.key, candidate), tuple(opposed)))
    return planned


def _compare_within(candidate: Candidate, shared: Sequence[int], firsts: dict[int, str]) -> None:
    """Compare a candidate with the first of the batch under each key, which are likely to count when its turn comes."""
    if shared:
        read_gist_of(candidate.content)
    for first in {firsts.setdefault(key, candidate.content) for key in shared}:
        if first is not candidate.content:
            compare_texts(candidate.content, first)


def learn_all(pen: Pen, planned: Sequence[Planned], rule_for: ConflictRule) -> list[Outcome]:
    """Take candidates through the gate one after another, each seeing those before it."""
    pen.neighbourhood.look_up(_join(one.keys for one in planned))
    pen.look_up_conflicts(_join(one.pairs for one in planned))
    # Learning lays no tombstone, so where there is none now there is none for the whole batch.
    buried = {stone.lookup_key for stone in pen.transaction.tombstones_by_keys(_join(one.stones for one in planned))}
    return [
        learn(
            pen,
            one.candidate,
            rule_for,
            keys=one.keys,
            is_unburied=one.stones is not None and buried.isdisjoint(one.stones),
        )
        for one in planned
    ]


def _join(keys: Iterable[Iterable[int] | None]) -> set[int]:
    return {key for own in keys for key in own or ()}
