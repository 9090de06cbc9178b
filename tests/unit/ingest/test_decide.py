"""The rules of the gate as tables: who says it, on what evidence, against what is held."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from heldtrue.domain.cause import PendingCause, PendingReason, RefusalCause
from heldtrue.domain.decision import Corroborated, Created, Pending, Refreshed, Refused, Superseded
from heldtrue.domain.judged import TextSort
from heldtrue.domain.memory import Kind
from heldtrue.domain.principal import OWNER, SYSTEM, Principal, PrincipalKind, new_agent
from heldtrue.ingest.stages.candidate import Candidate, Proposal, prepare_candidate
from heldtrue.ingest.stages.decide import (
    NeighbourComparison,
    Worth,
    decide_candidate,
    doubt_text,
    protects,
    reason_to_wait,
    refuse_rejected,
    refuse_worthless,
    strictest,
)
from heldtrue.ingest.stages.match import Neighbour, read_statement
from heldtrue.language.compare import Comparison
from tests.conformance.samples import make_plain_version, make_tombstone
from tests.unit.ingest.judged import judge_as

CODEX, CLAUDE = new_agent("codex"), new_agent("claude")
PEER = Principal(PrincipalKind.PEER, "far")


def candidate(text: str = "The gate is blue.", **given: Any) -> Candidate:
    return prepare_candidate(Proposal(content=text, **given))


def neighbour(relation: str, **held: Any) -> Neighbour:
    fields = {"author": "agent:codex", "confidence": 0.9, "status": "active"} | held
    memory = make_plain_version(1, "The gate is red.", **fields)
    return Neighbour(memory, read_statement(memory.content), Comparison(relation, 0.9, "the colour differs"))


def decide(who: Principal, *neighbours: Neighbour, **given: Any) -> Any:
    settled = given.pop("settled", frozenset())
    on_conflict = given.pop("on_conflict", "wait")
    is_confirmed = given.pop("is_confirmed", False)
    own = frozenset(held.memory.memory_id for held in neighbours) if given.pop("own", False) else frozenset[str]()
    pairs = [number for number, held in enumerate(neighbours) if held.comparison.relation == "contrary"]
    compared = NeighbourComparison(neighbours, pairs, settled=settled, is_confirmed=is_confirmed, own=own)
    return decide_candidate(candidate(**given), who, compared, on_conflict)


@pytest.mark.covers("B7", "D5")
@pytest.mark.parametrize(
    ("who", "given", "cause"),
    [
        (OWNER, {}, None),
        (OWNER, {"kind": Kind.PROFILE}, None),
        (OWNER, {"kind": Kind.DECISION}, PendingCause.NEEDS_RATIONALE),
        (OWNER, {"kind": Kind.DECISION, "rationale": "it is cheap"}, None),
        (SYSTEM, {"kind": Kind.PROFILE}, None),
        (SYSTEM, {"kind": Kind.DECISION}, PendingCause.NEEDS_RATIONALE),
        (PEER, {}, PendingCause.PEER),
        (CODEX, {}, None),
        (CODEX, {"kind": Kind.PROFILE}, PendingCause.PERSONAL),
        (CODEX, {"kind": Kind.PREFERENCE}, None),
        (CODEX, {"kind": Kind.DECISION}, PendingCause.NEEDS_RATIONALE_AND_SOURCE),
        (CODEX, {"kind": Kind.DECISION, "source": "adr/1"}, PendingCause.NEEDS_RATIONALE),
        (CODEX, {"kind": Kind.DECISION, "rationale": "it is cheap"}, PendingCause.NEEDS_SOURCE),
        (CODEX, {"kind": Kind.DECISION, "rationale": "it is cheap", "source": "adr/1"}, None),
        (OWNER, {"hold_because": PendingReason(PendingCause.EXTRACTED, "it was found")}, PendingCause.EXTRACTED),
    ],
)
def test_what_must_wait_depends_on_who_says_it_and_with_what(
    who: Principal, given: dict[str, Any], cause: PendingCause | None
) -> None:
    wait = reason_to_wait(candidate(**given), who)
    assert (wait and wait.cause) is cause
    decision = decide(who, **given)
    assert isinstance(decision, Created if cause is None else Pending)
    assert decision.reason
    assert getattr(decision, "cause", None) is cause


@pytest.mark.covers("D6", "D4")
def test_the_same_said_again_is_a_refresh_or_a_confirmation() -> None:
    for relation in ("equal", "near"):
        same = neighbour(relation)
        assert isinstance(decide(CODEX, same), Refreshed)
        confirmed = decide(CLAUDE, same)
        assert isinstance(confirmed, Corroborated)
        assert confirmed.gain == 0.1
        again = decide(CLAUDE, same, is_confirmed=True)
        assert isinstance(again, Corroborated)
        assert again.gain == 0.0


@pytest.mark.covers("D6")
def test_an_equal_one_goes_before_a_contrary_one() -> None:
    assert isinstance(decide(CODEX, neighbour("contrary"), neighbour("equal")), Refreshed)


@pytest.mark.covers("D4", "E6")
@pytest.mark.parametrize(("rule", "outcome"), [("wait", Pending), ("refuse", Refused), ("coexist", Created)])
def test_a_contradiction_ends_as_its_scope_says(
    rule: str, outcome: type[Pending] | type[Refused] | type[Created]
) -> None:
    decision = decide(CLAUDE, neighbour("contrary"), on_conflict=rule)
    assert isinstance(decision, outcome)
    assert getattr(decision, "cause", "contradiction") == "contradiction"
    assert "the colour differs" in decision.reason
    assert isinstance(decide(CLAUDE, neighbour("unrelated"), on_conflict=rule), Created)


@pytest.mark.covers("E6")
def test_a_contradiction_that_a_person_let_stand_is_none() -> None:
    assert isinstance(decide(CLAUDE, neighbour("contrary"), settled=frozenset({0})), Created)


@pytest.mark.covers("D4")
def test_what_must_wait_waits_also_where_contraries_may_stand() -> None:
    assert isinstance(decide(CLAUDE, neighbour("contrary"), on_conflict="coexist", kind=Kind.PROFILE), Pending)


@pytest.mark.covers("D4")
@pytest.mark.parametrize(
    ("who", "confidence", "held", "weaker_is_new"),
    [
        (CLAUDE, 0.9, {}, True),
        (CLAUDE, 0.8, {}, True),
        (CLAUDE, 0.95, {}, True),
        (CODEX, 0.9, {"confidence": 0.8}, False),
        (OWNER, 0.1, {"confidence": 1.0}, False),
        (CLAUDE, 1.0, {"verified_by": "person:owner", "confidence": 0.1}, True),
        (OWNER, 0.5, {"verified_by": "person:owner", "confidence": 0.6}, True),
    ],
)
def test_the_weaker_side_is_the_one_without_a_person_then_the_less_certain_then_the_newcomer(
    who: Principal, confidence: float, held: dict[str, Any], weaker_is_new: bool
) -> None:
    decision = decide(who, neighbour("contrary", **held), confidence=confidence)
    assert decision.contraries[0].weaker_is_new is weaker_is_new


@pytest.mark.covers("A14")
@pytest.mark.parametrize(
    ("who", "starts", "held", "ends"),
    [
        (OWNER, 200, {"valid_from": 100}, True),
        (OWNER, 200, {"valid_from": None, "observed_at": 100}, True),
        (OWNER, 100, {"valid_from": 100}, False),
        (OWNER, 50, {"valid_from": 100}, False),
        (OWNER, None, {"valid_from": 100}, False),
        (CODEX, 200, {"valid_from": 100}, True),
        (CLAUDE, 200, {"valid_from": 100}, False),
        (CODEX, 200, {"valid_from": 100, "verified_by": "person:owner"}, False),
    ],
)
def test_a_later_fact_ends_an_earlier_one_only_by_a_stated_date_and_by_who_may(
    who: Principal, starts: int | None, held: dict[str, Any], ends: bool
) -> None:
    decision = decide(who, neighbour("contrary", **held), valid_from=starts, own=ends)
    assert isinstance(decision, Superseded) is ends


@pytest.mark.covers("A14")
def test_a_later_fact_that_contradicts_two_ends_neither() -> None:
    two = (neighbour("contrary", valid_from=1), neighbour("contrary", valid_from=1))
    assert isinstance(decide(OWNER, *two, valid_from=200), Pending)


@pytest.mark.covers("B7")
@pytest.mark.parametrize("asked", [None, "coexist", "wait", "refuse"])
@pytest.mark.parametrize("rule", ["coexist", "wait", "refuse"])
def test_an_agent_may_only_be_stricter(asked: str | None, rule: str) -> None:
    order = ["coexist", "wait", "refuse"]
    assert strictest(asked, rule, OWNER) == (asked or rule)
    assert order.index(strictest(asked, rule, CODEX)) == max(order.index(choice) for choice in (asked or rule, rule))


LOG = "12:00:01 start\n12:00:02 read\n12:00:03 stop"


@pytest.mark.covers("D5")
@pytest.mark.parametrize(
    ("who", "worth", "text", "cause"),
    [
        (CODEX, Worth(refuses=True), "Thanks!", RefusalCause.CHATTER),
        (SYSTEM, Worth(refuses=True), "Thanks!", RefusalCause.CHATTER),
        (OWNER, Worth(refuses=True), "Thanks!", None),
        (OWNER, Worth(refuses=True, judges_people=True), "Thanks!", RefusalCause.CHATTER),
        (CODEX, Worth(refuses=True), LOG, RefusalCause.TRANSCRIPT),
        (OWNER, Worth(refuses=True), LOG, None),
        (CODEX, Worth(refuses=True), "The gate is blue.", None),
        (CODEX, Worth(refuses=True), "I think the gate might be blue.", None),
        (CODEX, Worth(), "Thanks!", None),
    ],
)
def test_what_states_nothing_by_its_form_is_refused_as_the_lane_says(
    who: Principal, worth: Worth, text: str, cause: RefusalCause | None
) -> None:
    refused = refuse_worthless(candidate(text), who, worth)
    assert (refused and refused.cause) is cause


@pytest.mark.covers("D5")
@pytest.mark.parametrize(
    ("sort", "share", "kind", "cause"),
    [
        (TextSort.STATEMENT, 1.0, Kind.NOTE, None),
        (TextSort.OPINION, 0.93, Kind.NOTE, PendingCause.OPINION),
        (TextSort.OPINION, 0.93, Kind.PREFERENCE, None),
        (TextSort.OPINION, 0.79, Kind.NOTE, None),
        (TextSort.CHATTER, 0.93, Kind.NOTE, PendingCause.CHATTER),
        (TextSort.CHATTER, 0.81, Kind.NOTE, PendingCause.CHATTER),
        (TextSort.CHATTER, 0.79, Kind.NOTE, None),
        (TextSort.CHATTER, 0.93, Kind.EPISODE, None),
        (TextSort.INSTRUCTION, 0.93, Kind.NOTE, PendingCause.CHATTER),
        (TextSort.INSTRUCTION, 0.93, Kind.CONVENTION, None),
        (TextSort.TRANSCRIPT, 0.93, Kind.NOTE, PendingCause.TRANSCRIPT),
        (TextSort.TRANSCRIPT, 0.79, Kind.NOTE, None),
    ],
)
def test_what_the_reader_does_not_take_for_a_statement_waits(
    sort: TextSort, share: float, kind: Kind, cause: PendingCause | None
) -> None:
    judged = msgspec.structs.replace(candidate(kind=kind), judgement=judge_as(sort, share))
    doubt = doubt_text(judged, CODEX, Worth())
    assert (doubt and doubt.cause) is cause
    assert doubt is None or f"({share})" in doubt.text, "the reason says how sure it is"
    assert refuse_worthless(judged, CODEX, Worth(refuses=True)) is None, "a model never refuses"
    assert doubt_text(judged, OWNER, Worth()) is None, "a person is not judged"
    told = doubt_text(judged, OWNER, Worth(judges_people=True))
    assert told == doubt, "unless others took it from the person's texts"


@pytest.mark.covers("D5")
@pytest.mark.parametrize(
    ("held", "cause"),
    [
        (PendingCause.EXTRACTED, PendingCause.OPINION),
        (PendingCause.IMPORTED, PendingCause.OPINION),
        (PendingCause.UNPROVEN, PendingCause.UNPROVEN),
    ],
)
def test_a_doubt_comes_before_what_only_needs_confirmation(held: PendingCause, cause: PendingCause) -> None:
    extracted = candidate(hold_because=PendingReason(held, "it waits"))
    doubt = PendingReason(PendingCause.OPINION, "it reads as an opinion or a guess (0.93)")
    wait = reason_to_wait(extracted, OWNER, doubt)
    assert wait is not None
    assert wait.cause is cause


@pytest.mark.covers("B7")
@pytest.mark.parametrize(
    ("text", "kind", "profile", "cause"),
    [
        ("Ana lives in Porto.", Kind.NOTE, 0.9, PendingCause.PERSONAL),
        ("ana lives in porto", Kind.NOTE, 0.9, PendingCause.PERSONAL),
        ("The user lives in Porto.", Kind.PROJECT, 0.9, PendingCause.PERSONAL),
        ("Ana lives in Porto.", Kind.PREFERENCE, 0.9, None),
        ("Ana lives in Porto.", Kind.CONVENTION, 0.9, None),
        ("Ana lives in Porto.", Kind.NOTE, 0.4, None),
        ("The gate is blue.", Kind.NOTE, 0.9, None),
    ],
)
def test_an_agents_statement_about_a_person_waits_whatever_kind_it_is_called(
    text: str, kind: Kind, profile: float, cause: PendingCause | None
) -> None:
    judged = msgspec.structs.replace(
        candidate(text, kind=kind), judgement=judge_as(TextSort.STATEMENT, profile=profile)
    )
    wait = reason_to_wait(judged, CODEX)
    assert (wait and wait.cause) is cause
    assert reason_to_wait(judged, OWNER) is None


@pytest.mark.covers("A5")
def test_a_tombstone_refuses_with_its_reason_and_the_way_back() -> None:
    assert refuse_rejected([], OWNER) is None
    refused = refuse_rejected([make_tombstone(1)], OWNER)
    assert refused is not None
    assert refused.cause is RefusalCause.REJECTED_BEFORE
    assert make_tombstone(1).reason in refused.reason
    assert make_tombstone(1).memory_id in (refused.hint or "")


@pytest.mark.covers("A28")
def test_what_a_person_stands_behind_is_protected_from_agents() -> None:
    memory = make_plain_version(1, "The gate is red.")
    verified = msgspec.structs.replace(memory, verified_by="person:owner")
    assert protects(verified, CODEX)
    assert not protects(verified, OWNER)
    assert not protects(memory, CODEX)
