"""A small model of a space with two clocks: what it must answer after learning, correcting, forgetting, restoring and
merging. It restates the rules in its own words and shares no code with the product.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

OWNER = "person:owner"
_Time = int | None


@dataclass(frozen=True)
class State:
    """A memory from one ledger entry on."""

    status: str
    start: _Time
    end: _Time

    def holds_at(self, moment: int) -> bool:
        return (self.start is None or self.start <= moment) and (self.end is None or moment < self.end)


@dataclass
class Fact:
    """A memory: a subject has a value."""

    id: str
    subject: str
    value: int
    author: str
    created: int
    observed: int
    verified: bool
    states: list[tuple[int, State]] = field(default_factory=list)

    @property
    def now(self) -> State:
        return self.states[-1][1]

    @property
    def is_active(self) -> bool:
        return self.now.status == "active"

    def at(self, seq: int) -> State | None:
        return next((state for since, state in reversed(self.states) if since <= seq), None)


def overlap(first: tuple[_Time, _Time], second: tuple[_Time, _Time]) -> bool:
    return _begins_before_end(first, second) and _begins_before_end(second, first)


def _begins_before_end(first: tuple[_Time, _Time], second: tuple[_Time, _Time]) -> bool:
    return first[0] is None or second[1] is None or first[0] < second[1]


def period(start: _Time, end: _Time, said: int) -> tuple[_Time, _Time]:
    """When a statement holds; without any date from when it is said."""
    return (said, None) if start is None and end is None else (start, end)


@dataclass
class Oracle:
    """What a space believes, and what it believed after each entry."""

    facts: dict[str, Fact] = field(default_factory=dict)
    recorded: list[int] = field(default_factory=lambda: [-(2**62)])
    """When each entry was recorded, by its sequence."""
    rejected: dict[tuple[str, int], set[str]] = field(default_factory=dict)
    """By value, the memories with which it was rejected."""
    replaced: set[tuple[str, str]] = field(default_factory=set)
    """Which memory replaced which."""

    # The clock of the ledger

    def record(self, now: int) -> None:
        self.recorded.append(max(now, self.recorded[-1] + 1))

    @property
    def seq(self) -> int:
        return len(self.recorded) - 1

    def seq_at(self, moment: int) -> int:
        return max(seq for seq, at in enumerate(self.recorded) if at <= moment)

    # What is there

    def active(self, subject: str | None = None) -> list[Fact]:
        return [fact for fact in self.facts.values() if fact.is_active and subject in (None, fact.subject)]

    def believed(self, seq: int) -> Iterator[tuple[Fact, State]]:
        for fact in self.facts.values():
            state = fact.at(seq)
            if state is not None and state.status == "active":
                yield fact, state

    def around(self, subject: str, when: tuple[_Time, _Time]) -> list[Fact]:
        """What is active about a subject at the same time."""
        return [fact for fact in self.active(subject) if overlap(when, self.period_of(fact))]

    def period_of(self, fact: Fact) -> tuple[_Time, _Time]:
        return period(fact.now.start, fact.now.end, min(fact.created, fact.observed))

    # The acts: each returns the outcome that the space must report

    def plan_learn(
        self, who: str, subject: str, value: int, start: _Time, end: _Time, now: int
    ) -> tuple[str, list[Fact]]:
        """What learning a value comes to, and the facts that it concerns."""
        if who != OWNER and self.rejected.get((subject, value)):
            return "refused", []
        when = period(start, end, now)
        near = self.around(subject, when)
        if same := [fact for fact in near if fact.value == value]:
            own = who == same[0].author and not (same[0].verified and who != OWNER)
            return ("refreshed" if own else "corroborated"), same
        follows = near or (self._ended_before(subject, value, start) if start is not None else [])
        if (
            len(follows) == 1
            and who == OWNER
            and self._follows(follows[0], subject, value, start, end, now, bool(near))
        ):
            return "superseded", follows
        return ("pending" if near else "created"), near

    def _ended_before(self, subject: str, value: int, start: int) -> list[Fact]:
        ended = [
            fact
            for fact in self.active(subject)
            if fact.value != value and fact.now.end is not None and fact.now.end <= start
        ]
        last = max((fact.now.end or 0 for fact in ended), default=0)
        return [fact for fact in ended if fact.now.end == last]

    def _follows(self, old: Fact, subject: str, value: int, start: _Time, end: _Time, now: int, is_near: bool) -> bool:
        """Whether a statement of the owner is known to come after another one."""
        if start is not None:
            known = old.observed if old.now.start is None else old.now.start
            return not is_near or start > known
        earlier = set(self.rejected.get((subject, value), ()))
        earlier |= {fact.id for fact in self.active(subject) if fact.value == value}
        was_replaced = any((old.id, gone) in self.replaced for gone in earlier)
        return end is None and was_replaced and (old.now.start or 0) < now

    def learn(self, memory: str | None, who: str, subject: str, value: int, start: _Time, end: _Time, now: int) -> None:
        outcome, facts = self.plan_learn(who, subject, value, start, end, now)
        self.record(now)
        if who == OWNER:
            self.rejected.pop((subject, value), None)
        if outcome in ("refreshed", "corroborated"):
            self._say_again(facts[0], who, outcome, start, end)
        elif outcome != "refused":
            assert memory is not None
            if outcome == "superseded":
                start = now if start is None else start
                self._end(facts[0], start)
                self.replaced.add((memory, facts[0].id))
            self._add(memory, who, subject, value, State("inbox" if outcome == "pending" else "active", start, end))

    def _say_again(self, fact: Fact, who: str, outcome: str, start: _Time, end: _Time) -> None:
        takes_times = (who == OWNER and not fact.verified) or outcome == "refreshed"
        if takes_times:
            known = min(fact.created, fact.observed) if fact.now.start is None else fact.now.start
            begins = start if start is not None and start < known else fact.now.start
            self._become(fact, replace(fact.now, start=begins, end=fact.now.end if end is None else end))
            fact.observed = self.recorded[-1]
        fact.verified |= who == OWNER

    def _end(self, fact: Fact, moment: int) -> None:
        if fact.now.end is None or fact.now.end > moment:
            self._become(fact, replace(fact.now, end=moment))

    def correct(self, old: Fact, memory: str, value: int, start: _Time, end: _Time, now: int) -> None:
        self.record(now)
        self.rejected.pop((old.subject, value), None)
        self._become(old, replace(old.now, status="superseded"))
        if value != old.value:
            self._reject(old)
        self._add(memory, OWNER, old.subject, value, State("active", start, end))
        self.replaced.add((memory, old.id))

    def forget(self, fact: Fact, now: int) -> None:
        self.record(now)
        self._become(fact, replace(fact.now, status="retracted"))
        self._reject(fact)

    def restore(self, fact: Fact, now: int) -> None:
        self.record(now)
        self.rejected.pop((fact.subject, fact.value), None)
        self.replaced = {(new, old) for new, old in self.replaced if old != fact.id}
        self._become(fact, replace(fact.now, status="active"))
        fact.verified = True

    def merge(self, kept: Fact, gone: Fact, now: int) -> None:
        self.record(now)
        self._become(gone, replace(gone.now, status="superseded"))
        self.replaced.add((kept.id, gone.id))
        kept.verified |= gone.verified

    def dismiss(self, fact: Fact, now: int) -> None:
        self.record(now)
        self._become(fact, replace(fact.now, status="archived"))

    def _add(self, memory: str, who: str, subject: str, value: int, state: State) -> None:
        at = self.recorded[-1]
        is_verified = who == OWNER and state.status == "active"
        self.facts[memory] = Fact(memory, subject, value, who, at, at, is_verified, [(self.seq, state)])

    def _become(self, fact: Fact, state: State) -> None:
        fact.states.append((self.seq, state))

    def _reject(self, fact: Fact) -> None:
        self.rejected.setdefault((fact.subject, fact.value), set()).add(fact.id)
