"""The rules of the gate as pure functions of the author, the evidence and the existing memories."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import msgspec

from heldtrue.access.policy import may_read
from heldtrue.domain.action import ScopeResource
from heldtrue.domain.cause import CONFIRMABLE, PendingCause, PendingReason, RefusalCause
from heldtrue.domain.decision import Contrary, Corroborated, Created, Decision, Pending, Refreshed, Refused, Superseded
from heldtrue.domain.erasure import is_erased
from heldtrue.domain.judged import TextJudgement, TextSort
from heldtrue.domain.memory import CORROBORATION_GAIN, Kind, MemoryVersion, Status
from heldtrue.domain.principal import Principal, PrincipalKind
from heldtrue.domain.records import Quarantine, Tombstone
from heldtrue.ingest.stages.candidate import Candidate
from heldtrue.ingest.stages.match import Neighbour, choose_contraries, choose_equal
from heldtrue.ingest.stages.rejected import Rejected
from heldtrue.language.persons import may_be_about_person

DOUBTED_AT_LEAST = 0.8
"""A text is doubted only if the reader is so sure of what else it is."""
USEFUL_AT_LEAST = 0.7
"""Below this `useful`, a text waits as small talk or an instruction, unless it is most likely a statement."""
TRANSCRIPT_AT_LEAST = 0.5
"""From this share on, a text waits as a transcript."""
FACTUAL_AT_LEAST = 0.5
"""Below this `factual`, a text waits as an opinion."""
PROFILE_AT_LEAST = 0.45
"""From this share of the kind profile on, what has a person as its subject is a fact about that person. Like the
limits above, it was chosen on texts that were kept apart for it, not on a benchmark."""
_NOT_PERSONAL = (Kind.PREFERENCE, Kind.CONVENTION)
"""Kinds that do not wait although they are about a person."""
_RULE_KINDS = (Kind.CONVENTION, Kind.PREFERENCE, Kind.PATTERN, Kind.TASK_HINT)
"""Kinds that are said like an instruction."""
OPINION_KINDS = (Kind.PREFERENCE, Kind.LESSON, Kind.INSIGHT, Kind.EPISODE, Kind.TASK_HINT)
ON_CONFLICT = ("coexist", "wait", "refuse")
"""From the most lenient to the strictest; an agent may only ask for a stricter rule than the scope has."""


# Refusals


def refuse_rejected(tombstones: Sequence[Tombstone], principal: Principal) -> Refused | None:
    """Refuse a value that was rejected; details only go to principals that may read its scope."""
    if not tombstones:
        return None
    if (erased := next((stone for stone in tombstones if is_erased(stone)), None)) is not None:
        return Refused(
            RefusalCause.ERASED_BEFORE,
            "this statement was erased before",
            hint="only a person can state it again",
            tombstone_id=erased.id,
        )
    stone = next((stone for stone in tombstones if may_read(principal, ScopeResource(stone.scope))), None)
    if stone is None:
        return Refused(
            RefusalCause.REJECTED_BEFORE,
            "this claim was rejected before",
            hint="ask a person to review the rejection",
            tombstone_id=tombstones[0].id,
        )
    return Refused(
        RefusalCause.REJECTED_BEFORE,
        f"this was rejected by {stone.author}: {stone.reason}",
        hint=f"a person can allow this claim again with `restore` {stone.memory_id} and a `reason`",
        memory_id=stone.memory_id,
        tombstone_id=stone.id,
    )


def refuse_quarantined(quarantine: Quarantine | None) -> Refused | None:
    """Refuse memories from a source in quarantine."""
    if quarantine is None:
        return None
    return Refused(
        RefusalCause.QUARANTINE,
        f"its source is in quarantine: {quarantine.reason}",
        hint=f"a person can release the source: call `quarantine` with {quarantine.source_id}, `release` and a "
        "`reason`",
    )


def refuse_data(candidate: Candidate) -> Refused | None:
    """Refuse data of a kind that the scope does not accept. The reason names the kind, never the data."""
    if not candidate.refused:
        return None
    return Refused(
        RefusalCause.DATA_REFUSED,
        f"it contains {', '.join(candidate.refused)}, which {candidate.scope} does not accept",
        hint="remove the data, or change [masking] in heldtrue.toml",
    )


class Worth(msgspec.Struct, frozen=True):
    """What a lane asks of a text as a whole."""

    refuses: bool = False
    """Whether a text that is small talk or a transcript by its form is refused."""
    judges_people: bool = False
    """Whether submissions by a person are judged too; a person's own note never is."""


def is_judged(principal: Principal, worth: Worth) -> bool:
    """Whether what somebody says is judged as a whole."""
    return worth.judges_people or not principal.is_person


def refuse_worthless(candidate: Candidate, principal: Principal, worth: Worth) -> Refused | None:
    """Refuse what is not a statement by its form. What the reader doubts waits, it is not refused."""
    if not worth.refuses or not is_judged(principal, worth):
        return None
    match candidate.exact_sort:
        case TextSort.CHATTER:
            return Refused(RefusalCause.CHATTER, "it is not worth storing: it states nothing")
        case TextSort.TRANSCRIPT:
            return Refused(
                RefusalCause.TRANSCRIPT,
                "it is raw dialogue, a log or code, not a statement",
                hint="say in a sentence what it shows, or store it as evidence with `capture`",
            )
    return None


# Waiting


_READS_AS = {
    TextSort.OPINION: "an opinion or a guess",
    TextSort.CHATTER: "small talk",
    TextSort.INSTRUCTION: "an instruction",
    TextSort.TRANSCRIPT: "raw dialogue, a log or code",
}


def doubt_text(candidate: Candidate, principal: Principal, worth: Worth) -> PendingReason | None:
    """Why a candidate waits that the reader does not take for a statement; the reason names the sort and its share."""
    judged, kind = candidate.judgement, candidate.proposal.kind
    if judged is None or kind is Kind.EPISODE or not is_judged(principal, worth):
        return None
    if judged.sort is TextSort.STATEMENT or judged.sorts[judged.sort] < DOUBTED_AT_LEAST:
        return None
    if kind not in OPINION_KINDS and judged.factual < FACTUAL_AT_LEAST:
        return _doubt(PendingCause.OPINION, TextSort.OPINION, judged)
    if judged.sorts[TextSort.TRANSCRIPT] >= TRANSCRIPT_AT_LEAST:
        return _doubt(PendingCause.TRANSCRIPT, TextSort.TRANSCRIPT, judged)
    chatter, instruction = judged.sorts[TextSort.CHATTER], judged.sorts[TextSort.INSTRUCTION]
    useful = 1.0 - chatter if kind in _RULE_KINDS else judged.useful
    if useful >= USEFUL_AT_LEAST:
        return None
    is_order = instruction > chatter and kind not in _RULE_KINDS
    return _doubt(PendingCause.CHATTER, TextSort.INSTRUCTION if is_order else TextSort.CHATTER, judged)


def _doubt(cause: PendingCause, sort: TextSort, judged: TextJudgement) -> PendingReason:
    return PendingReason(cause, f"it reads as {_READS_AS[sort]} ({judged.sorts[sort]:.2f})")


def reason_to_wait(
    candidate: Candidate, principal: Principal, doubt: PendingReason | None = None
) -> PendingReason | None:
    """Why a candidate must wait for a person although nothing contradicts it; None if it need not.

    A doubt about the text comes before a cause that would only need confirmation.
    """
    held = candidate.proposal.hold_because
    if held is not None:
        return doubt if doubt is not None and held.cause in CONFIRMABLE else held
    if candidate.proposal.kind is Kind.DECISION and not candidate.has_rationale:
        return _lacks_rationale(candidate, principal)
    if principal.kind is PrincipalKind.PEER:
        return PendingReason(PendingCause.PEER, "it comes from another instance, so a person must approve it")
    return (_reason_of_agent(candidate) if principal.kind is PrincipalKind.AGENT else None) or doubt


def says_rejected(found: Rejected, principal: Principal) -> PendingReason:
    """Why a candidate waits that says what was rejected; the words only go to principals that may read its scope."""
    if not may_read(principal, ScopeResource(found.stone.scope)):
        return PendingReason(PendingCause.SAYS_REJECTED, "it repeats a statement that was rejected before")
    return PendingReason(PendingCause.SAYS_REJECTED, f"it repeats a statement that was rejected: {found.shown}")


def _lacks_rationale(candidate: Candidate, principal: Principal) -> PendingReason:
    if principal.kind is PrincipalKind.AGENT and candidate.reference is None:
        return PendingReason(
            PendingCause.NEEDS_RATIONALE_AND_SOURCE,
            "a decision needs a rationale and a source; send it again with both",
        )
    return PendingReason(
        PendingCause.NEEDS_RATIONALE,
        "a decision needs a rationale; approve it with a rationale, or state it again with 'because' and the reason",
    )


def _reason_of_agent(candidate: Candidate) -> PendingReason | None:
    """Why a statement by an agent must wait."""
    kind = candidate.proposal.kind
    if kind is Kind.PROFILE or _is_profile(candidate):
        return PendingReason(PendingCause.PERSONAL, "an agent's statement about a person needs a person's approval")
    if kind is Kind.DECISION and candidate.reference is None:
        return PendingReason(PendingCause.NEEDS_SOURCE, "a decision reported by an agent needs a source")
    return None


def _is_profile(candidate: Candidate) -> bool:
    """Whether a statement is a fact about a person, whatever kind it is called."""
    judged = candidate.judgement
    if judged is None or candidate.proposal.kind in _NOT_PERSONAL:
        return False
    return judged.kinds[Kind.PROFILE] >= PROFILE_AT_LEAST and may_be_about_person(candidate.statement)


# Deciding


class NeighbourComparison(msgspec.Struct, frozen=True):
    """A candidate compared with existing memories."""

    neighbours: Sequence[Neighbour] = ()
    pair_keys: Sequence[int] = ()
    """Of its contrary neighbours, in their order."""
    possible: Sequence[tuple[Neighbour, int]] = ()
    """Memories that perhaps contradict it, each with the key of the pair."""
    settled: frozenset[int] = frozenset()
    """The keys of the pairs that a person resolved with `keep_both`."""
    is_confirmed: bool = False
    """Whether its equal has evidence by the same author already."""
    own: frozenset[str] = frozenset()
    """The ids of its contraries that nobody but the same author stands behind."""
    changed_back: Collection[str] = ()
    """The memories that once replaced what the candidate says again."""


def decide_candidate(
    candidate: Candidate,
    principal: Principal,
    compared: NeighbourComparison,
    on_conflict: str,
    *,
    vouched: bool = True,
    recognised: PendingReason | None = None,
    doubt: PendingReason | None = None,
) -> Decision:
    """Decide about a candidate that is not refused.

    `vouched` says whether a person who submits it thereby verifies it, `recognised` what it says that was rejected,
    `doubt` why it may not be a statement.
    """
    equal = choose_equal(compared.neighbours) if compared.neighbours else None
    if equal is not None:
        return _merge(principal, equal, is_confirmed=compared.is_confirmed, vouched=vouched)
    wait = recognised or reason_to_wait(candidate, principal, doubt)
    opposed = _unsettled(compared) if compared.neighbours else []
    if wait is None and (successor := _find_successor(candidate, principal, compared, opposed)):
        return successor
    possible = tuple(_weigh(candidate, principal, contrary, key) for contrary, key in compared.possible)
    if not opposed:
        if wait is not None:
            return Pending(wait.cause, wait.text, possible)
        flag = f"it may contradict an existing memory: {possible[0].finding}" if possible else "no conflict found"
        return Created(f"new; {flag}", possible)
    weighed = tuple(_weigh(candidate, principal, contrary, key) for contrary, key in opposed)
    return _decide_opposed((*weighed, *possible), wait, on_conflict)


def _unsettled(compared: NeighbourComparison) -> list[tuple[Neighbour, int]]:
    """The contrary neighbours that nobody let stand beside it, each with the key of the pair."""
    contraries = zip(choose_contraries(compared.neighbours), compared.pair_keys, strict=True)
    return [(contrary, key) for contrary, key in contraries if key not in compared.settled]


def _decide_opposed(contraries: tuple[Contrary, ...], wait: PendingReason | None, on_conflict: str) -> Decision:
    """Decide about a candidate that contradicts existing memories."""
    finding = contraries[0].finding
    if on_conflict == "refuse":
        return Refused(
            RefusalCause.CONTRADICTION,
            f"it contradicts an existing memory: {finding}",
            hint="if the existing memory is wrong, replace it with `correct`",
        )
    if wait is not None:
        return Pending(wait.cause, wait.text, contraries)
    if on_conflict == "wait":
        return Pending(PendingCause.CONTRADICTION, f"it contradicts an existing memory: {finding}", contraries)
    return Created(f"it contradicts an existing memory, which this scope allows: {finding}", contraries)


def _merge(principal: Principal, equal: Neighbour, *, is_confirmed: bool, vouched: bool) -> Decision:
    memory, how = equal.memory, "the same" if equal.comparison.relation == "equal" else "the same thing in other words"
    if protects(memory, principal):
        return Corroborated(memory, 0.0, f"{memory.verified_by} has already verified this; the new evidence was added")
    is_own = memory.author == principal.id
    if not vouched and (memory.verified_by is not None or is_own or is_confirmed):
        return Corroborated(memory, 0.0, f"a text from {principal.id} says {how}; it was added as evidence")
    if is_own:
        return Refreshed(memory, f"its author has already said {how}; the new wording was stored")
    if is_confirmed:
        return Corroborated(memory, 0.0, f"{principal.id} has already confirmed it")
    return Corroborated(memory, CORROBORATION_GAIN, f"{memory.author} said {how}, and {principal.id} confirmed it")


def _find_successor(
    candidate: Candidate,
    principal: Principal,
    compared: NeighbourComparison,
    opposed: Sequence[tuple[Neighbour, int]],
) -> Superseded | None:
    """The fact that a later one follows, and ends where it has not ended yet.

    The later date must be given, not inferred. Only if a person says again what the other fact once replaced, it is
    clear without a date that it changed back.
    """
    starts = candidate.proposal.valid_from
    followed = [contrary for contrary, _ in opposed] or _ended_before(compared, starts)
    if len(followed) != 1:
        return None
    memory, finding = followed[0].memory, followed[0].comparison.reason
    if starts is None:
        if memory.memory_id not in compared.changed_back or candidate.proposal.valid_to is not None:
            return None
        return Superseded(memory, f"the value changed back: {finding}")
    may_replace = principal.is_person or memory.memory_id in compared.own
    earlier = memory.valid_from if memory.valid_from is not None else memory.observed_at
    if not may_replace or memory.status != Status.ACTIVE or (opposed and starts <= earlier):
        return None
    return Superseded(memory, f"it is valid from a later date: {finding}")


def _ended_before(compared: NeighbourComparison, starts: int | None) -> list[Neighbour]:
    """The contrary fact that ended last before the candidate begins; several if they ended together."""
    ended = [
        neighbour
        for neighbour in compared.neighbours
        if neighbour.is_contrary and starts is not None and neighbour.memory.has_ended(starts)
    ]
    last = max((neighbour.memory.valid_to or 0 for neighbour in ended), default=0)
    return [neighbour for neighbour in ended if neighbour.memory.valid_to == last]


def _weigh(candidate: Candidate, principal: Principal, opposed: Neighbour, pair_key: int) -> Contrary:
    """Which side is weaker: the unverified one, then the one with less confidence, then the new one.

    What an agent says never weakens what another has said: a person decides between them.
    """
    memory = opposed.memory
    held = (memory.verified_by is not None, memory.confidence)
    new = (principal.is_person, candidate.confidence_by(principal))
    may_weaken = principal.is_person or memory.author == principal.id
    weaker_is_new = new <= held or not may_weaken
    return Contrary(memory, opposed.comparison.reason, pair_key, weaker_is_new, is_sure=opposed.is_sure)


def strictest(choice: str | None, rule: str, principal: Principal) -> str:
    """The conflict rule that applies: a person may choose, an agent may only be stricter than the scope."""
    if choice is None:
        return rule
    return choice if principal.is_person else max(choice, rule, key=ON_CONFLICT.index)


def protects(memory: MemoryVersion, principal: Principal) -> bool:
    """Whether a memory is verified by a person, so an agent may propose a change but not make it."""
    return memory.verified_by is not None and not principal.is_person
