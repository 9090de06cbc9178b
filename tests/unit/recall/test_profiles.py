"""Profiles: the formulas of the seeds to the letter, and weights that always make a whole."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heldtrue.domain.ledger import EMPTY_HEAD
from heldtrue.domain.principal import EVERYTHING, OWNER
from heldtrue.domain.rows import Collection, RankedHeader, SpaceState, VersionFilter
from heldtrue.models.endpoint import EndpointEmbedder
from heldtrue.models.onnx import BgeEmbedder, QualityEmbedder
from heldtrue.models.scripted import ScriptedEmbedder
from heldtrue.models.static import StaticEmbedder
from heldtrue.recall.documents import RankedDocument
from heldtrue.recall.profiles import DEFAULT, PART_MEANINGS, PARTS, PROFILES, Profile, choose_profile
from heldtrue.recall.score import add_up, break_down, recency_part
from heldtrue.recall.search import Search

DAY = 86_400_000_000
Weights = dict[str, float]
MODELS: list[Weights] = [
    dict(embedder.weights)
    for embedder in (StaticEmbedder, EndpointEmbedder, BgeEmbedder, QualityEmbedder, ScriptedEmbedder())
]
"""What embedding models ask for."""
unit = st.floats(0, 1)


def score_by(name: str, parts: dict[str, float], *, days_old: float = 0.0) -> float:
    """What a profile makes of a memory with these parts and that age."""
    header: dict[str, Any] = {
        "no": 1, "memory_id": "m1", "kind": "note", "scope": "global", "topic": None, "category": None,
        "confidence": 1.0, "author": "person:owner", "verified_by": None, "valid_from": None, "valid_to": None,
        "observed_at": 0, "recorded_from": 0, "priority": None, "recalled": None,
    }  # fmt: skip
    question = Search(
        words="amber", chosen=VersionFilter(sight=EVERYTHING), collections=(Collection.MEMORY,),
        profile=PROFILES[name], words_profile=PROFILES[name], limit=10,
        now=round(days_old * DAY), decay={"": 0.01}, principal=OWNER,
        state=SpaceState(EMPTY_HEAD, 0, 0, 0, 0, False, False, False, None, 0),
    )  # fmt: skip
    candidate = RankedDocument(header=RankedHeader(**header))
    candidate.parts = {"recency": recency_part(candidate, question)} | parts
    add_up(candidate, PROFILES[name].in_play(()), question)
    return break_down(candidate, question)[0]


@pytest.mark.covers("A7")
@given(unit, unit, unit, unit, unit)
def test_brain_is_text_topic_recency_confidence_and_proximity(
    text: float, topic: float, recency: float, confidence: float, proximity: float
) -> None:
    parts = {"text": text, "topic": topic, "recency": recency, "confidence": confidence, "proximity": proximity}
    formula = 0.6 * text + 0.1 * topic + 0.1 * recency + 0.15 * confidence + 0.05 * proximity
    assert score_by("brain", parts) == pytest.approx(formula, abs=1e-5)


@pytest.mark.covers("B20")
@given(unit, unit, unit, unit, unit)
def test_hybrid_is_words_and_vectors_in_equal_parts(
    text: float, meaning: float, scope: float, recency: float, confidence: float
) -> None:
    parts = {"text": text, "meaning": meaning, "scope": scope, "recency": recency, "confidence": confidence}
    formula = 0.35 * text + 0.35 * meaning + 0.1 * scope + 0.1 * recency + 0.1 * confidence
    assert score_by("hybrid", parts) == pytest.approx(formula, abs=1e-5)


@pytest.mark.covers("D14", "D11")
@given(unit, unit, st.floats(0, 2_000))
def test_dual_is_vectors_and_links_half_and_half_and_all_of_it_decays(
    meaning: float, proximity: float, days: float
) -> None:
    formula = (0.5 * meaning + 0.5 * proximity) * math.exp(-0.01 * days)
    scored = score_by("dual", {"meaning": meaning, "proximity": proximity}, days_old=days)
    assert scored == pytest.approx(formula, abs=1e-5)


@pytest.mark.covers("E5")
@given(unit, unit, unit)
def test_rank_is_confidence_recency_and_access(confidence: float, recency: float, access: float) -> None:
    formula = 0.4 * confidence + 0.3 * recency + 0.3 * access
    scored = score_by("rank", {"confidence": confidence, "recency": recency, "access": access, "text": 1.0})
    assert scored == pytest.approx(formula, abs=1e-5)


chosen = st.builds(choose_profile, st.sampled_from(sorted(PROFILES)), st.sampled_from([{}, *MODELS]))


@pytest.mark.covers("A7", "B15")
@given(chosen, st.sets(st.sampled_from(PARTS)))
def test_the_weights_in_play_make_a_whole_and_leave_out_what_is_absent(profile: Profile, absent: set[str]) -> None:
    weights = profile.in_play(absent)
    assert absent.isdisjoint(weights)
    assert all(weight > 0 for weight in weights.values())
    if set(profile.weights) - absent:
        assert sum(weights.values()) == pytest.approx(1)
    else:
        assert weights == {}


@pytest.mark.covers("B6", "A29")
@pytest.mark.parametrize("model", MODELS)
def test_without_an_embedder_its_weight_goes_to_what_the_words_say_and_to_nothing_else(model: Weights) -> None:
    for name, heirs in (("default", ("text", "thread")), ("hybrid", ("text",))):
        profile = choose_profile(name, model)
        full, bare = profile.in_play(()), profile.in_play({"meaning", "likeness"})
        assert full["meaning"] > 0
        inherited = sum(full[part] for part in (*heirs, "meaning", "likeness") if part in full)
        assert sum(bare[part] for part in heirs) == pytest.approx(inherited)
        rest = set(full) - {*heirs, "meaning", "likeness"}
        assert {part: bare[part] for part in rest} == pytest.approx({part: full[part] for part in rest})
        assert bare["text"] / bare[heirs[-1]] == pytest.approx(full["text"] / full[heirs[-1]]), "as they stand"


@pytest.mark.covers("C14")
@pytest.mark.parametrize("model", MODELS)
def test_only_our_own_profile_makes_room_for_what_a_model_has_to_say(model: Weights) -> None:
    assert not PROFILES[DEFAULT].needs("meaning", "likeness")
    mine = choose_profile(DEFAULT, model)
    assert {part: mine.weights[part] for part in model} == model
    rest = set(PROFILES[DEFAULT].weights) - set(model)
    assert {part: mine.weights[part] for part in rest} == {part: PROFILES[DEFAULT].weights[part] for part in rest}
    for name in set(PROFILES) - {DEFAULT}:
        assert choose_profile(name, model).weights == PROFILES[name].weights, "the formulas of the seeds stay"


def test_what_has_no_heir_is_shared_by_all_in_proportion() -> None:
    full, without = PROFILES["brain"].in_play(()), PROFILES["brain"].in_play({"topic", "proximity"})
    share = 1 - full["topic"] - full["proximity"]
    assert without == pytest.approx({part: full[part] / share for part in ("text", "recency", "confidence")})
    assert PROFILES["dual"].in_play({"meaning"}) == {"proximity": 1.0}
    assert PROFILES["dual"].in_play({"proximity"}) == {"meaning": 1.0}


@pytest.mark.covers("A7", "A19")
def test_single_weights_can_be_replaced_and_the_last_word_counts() -> None:
    mine = choose_profile("brain", {}, {"text": 5.0, "priority": 3.0}, {"text": 0.0, "priority": 0.4})
    assert set(mine.in_play(())) == {"topic", "recency", "confidence", "proximity", "priority"}
    assert mine.in_play(())["priority"] == pytest.approx(0.5)
    assert (mine.name, mine.needs("text"), mine.needs("text", "priority")) == ("brain", False, True)
    assert PROFILES["brain"].weights["text"] == 0.6, "the profile itself stays as it is"
    assert choose_profile("brain", {}, {}, {}) == PROFILES["brain"]


def test_every_part_of_a_profile_has_a_meaning() -> None:
    for profile in PROFILES.values():
        assert set(profile.weights) <= set(PART_MEANINGS)
    used = {part for weights in (*MODELS, *(profile.weights for profile in PROFILES.values())) for part in weights}
    assert set(PART_MEANINGS) - used <= {"reranker"}
    assert [name for name, profile in PROFILES.items() if profile.decays] == ["dual"]
