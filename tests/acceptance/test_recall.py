"""Recall: any words in any script, a hard limit, one order, its reasons shown, and only what may be told."""

from __future__ import annotations

import random
import unicodedata
from collections.abc import Iterator
from typing import Any

import pytest

from heldtrue import ManualClock, Memory, NotFound
from heldtrue.recall.profiles import PARTS
from tests.acceptance.homes import KINDS, MakeHome, new_clock, recalled, times

SCRIPTS = {
    "Latin": ("Der Wächter prüft die Brücke täglich.", "Brücke"),
    "Greek": ("Ο φύλακας ελέγχει τη γέφυρα.", "γέφυρα"),
    "Cyrillic": ("Сторож проверяет мост каждый день.", "мост"),
    "Armenian": ("Պահակը ստուգում է կամուրջը։", "կամուրջը"),
    "Hebrew": ("השומר בודק את הגשר", "הגשר"),
    "Arabic": ("الحارس يفحص الجسر", "الجسر"),
    "Persian": ("نگهبان پل را بررسی می‌کند", "پل"),
    "Devanagari": ("पहरेदार पुल की जाँच करता है", "पुल"),
    "Bengali": ("প্রহরী সেতু পরীক্ষা করে", "সেতু"),
    "Tamil": ("காவலர் பாலத்தை சரிபார்க்கிறார்", "பாலத்தை"),
    "Telugu": ("కాపలాదారు వంతెనను తనిఖీ చేస్తాడు", "వంతెనను"),
    "Gujarati": ("ચોકીદાર પુલ તપાસે છે", "પુલ"),
    "Thai": ("ยามตรวจสะพานทุกวัน", "สะพาน"),
    "Lao": ("ຍາມກວດຂົວທຸກມື້", "ຂົວ"),
    "Khmer": ("អ្នកយាមពិនិត្យស្ពាន", "ស្ពាន"),
    "Burmese": ("အစောင့်သည် တံတားကို စစ်ဆေးသည်", "တံတား"),
    "Chinese": ("看守每天检查桥梁", "桥梁"),
    "Japanese": ("番人は毎日橋を調べる", "橋を"),
    "Korean": ("경비원이 매일 다리를 점검한다", "다리를"),
    "Georgian": ("მცველი ამოწმებს ხიდს", "ხიდს"),
    "Amharic": ("ጠባቂው ድልድዩን ይፈትሻል", "ድልድዩን"),
    "Emoji": ("The 🌉 is checked by 👮‍♀️ daily", "checked"),
}
ODD = [
    '"', "'", "''", '""', "*", "a*", "(", ")", "((", "AND", "OR", "NOT", "NEAR(a b)", "a AND", "^a", "a:b", "title:x",
    "-a", "+a", "a-b", "a+b", "C++", "c#", ".env", "--", ";", "; DROP TABLE ledger; --", "\\", "\\'", "%", "_", "%a_",
    "{}", "[]", "<b>", "&amp;", "\x00", "a\x00b", "\ud800", "\u200b", "\u202e", "🐈", "\U000e0041", "a\u0301" * 40,
    "!" * 500, "a" * 2_000, "the of and", "?", "¿qué?", "1=1", "0x1F", "1e999", "NULL", "\t\n", "`id`", "$1", ":name",
    "a | b", "a & !b", "a <-> b", "'a':*",
]  # fmt: skip


@pytest.mark.covers("A7", "B19", "B22")
@pytest.mark.parametrize("script", SCRIPTS)
def test_a_word_of_any_script_finds_its_memory(anywhere: Memory, script: str) -> None:
    text, word = SCRIPTS[script]
    anywhere.learn("The parser is recursive.")
    kept = anywhere.learn(text)
    for question in (word, f"¿{word}?", f'"{word}" !!'):
        assert [result.memory.id for result in anywhere.recall(question).results] == [kept.memory.id]


@pytest.fixture(params=KINDS)
def library(request: pytest.FixtureRequest, make_home: MakeHome) -> Iterator[Memory]:
    with Memory.open(make_home(request.param), clock=new_clock()) as memory:
        memory.learn_many([{"content": text} for text, _ in SCRIPTS.values()])
        yield memory


def random_strings(count: int) -> list[str]:
    chance = random.Random(11)
    printable = [chr(code) for code in range(32, 0x3000) if unicodedata.category(chr(code)) != "Cn"]
    odd = list("\"'()*:^-+&|!<>\\%_{}[]\x00\t\n\u200b\u202e")
    return ["".join(chance.choices(printable + odd * 40, k=chance.randint(1, 60))) for _ in range(count)]


@pytest.mark.covers("A7", "B27")
def test_no_question_is_an_error(library: Memory) -> None:
    asked = 0
    for question in [*ODD, *random_strings(times(500))]:
        if question.strip():
            asked += 1
            assert len(library.recall(question, limit=3).results) <= 3
    assert asked > 500
    assert recalled(library, "检查") == [SCRIPTS["Chinese"][0]], "and questions are still answered"


FRUITS = "apple banana cherry damson elder fig grape hazel imbe jujube kiwi lemon mango".split()


def plant(memory: Memory, clock: ManualClock) -> None:
    """A dozen memories that share a word, of different ages, kinds, topics and certainty."""
    for number, fruit in enumerate(FRUITS):
        memory.learn(
            f"The orchard grows {fruit} in row r{number}z.",
            topic="rows" if number % 3 == 0 else None,
            kind="note" if number % 2 else "convention",
            confidence=round(0.2 + number * 0.06, 2),
        )
        clock.advance(days=5)


@pytest.mark.covers("A7", "B27", "B15")
def test_the_limit_is_hard_and_the_order_never_varies(anywhere: Memory, clock: ManualClock) -> None:
    plant(anywhere, clock)
    whole = anywhere.recall("orchard", limit=100).results
    assert len(whole) == len(FRUITS)
    for limit in (1, 2, 5, 13, 100):
        assert anywhere.recall("orchard", limit=limit).results == whole[:limit]
    assert len(anywhere.recall("orchard").results) == 10
    assert [result.score for result in whole] == sorted((result.score for result in whole), reverse=True)


@pytest.mark.covers("B27", "A7", "D28")
def test_both_stores_answer_in_the_same_order_with_the_same_scores(make_home: MakeHome) -> None:
    told: list[list[tuple[str, float, dict[str, float], str]]] = []
    for kind in KINDS:
        clock = new_clock()
        with Memory.open(make_home(kind), clock=clock) as memory:
            plant(memory, clock)
            memory.learn_many([{"content": text} for text, _ in SCRIPTS.values()])
            told.append(
                [
                    (result.memory.content, result.score, result.breakdown, result.explanation)
                    for question in ("orchard", "orchard fig row", "checks the bridge", "桥梁", "r7z kiwi", "мост")
                    for result in memory.recall(question, topic="rows").results
                ]
            )
    assert told[0] == told[1]
    assert len(told[0]) > 20


@pytest.mark.covers("A7", "B15")
def test_the_parts_of_a_score_are_shown_and_are_the_score(anywhere: Memory, clock: ManualClock) -> None:
    plant(anywhere, clock)
    results = anywhere.recall("orchard fig", topic="rows", limit=100).results
    for result in results:
        assert {"text", "topic", "recency", "confidence", "priority", "verified"} <= set(result.breakdown) <= set(PARTS)
        assert "time" not in result.breakdown, "what the question does not ask for does not count"
        assert sum(result.breakdown.values()) == pytest.approx(result.score, abs=1e-5)
        assert 0 <= result.score <= 1
        assert (result.breakdown["topic"] > 0) == (result.memory.topic == "rows")
        assert result.matched_scope == result.memory.scope
        assert result.explanation.startswith("Chosen because")
    assert results[0].memory.content.split()[3] == "fig", "more words in common is a better match"


@pytest.mark.covers("A7", "A19")
def test_the_weights_of_the_settings_decide(make_home: MakeHome) -> None:
    for part, winner in (("recency", "mango"), ("confidence", "mango"), ("topic", "lemon")):
        weights = "".join(f"{name} = {1.0 if name == part else 0.0}\n" for name in ("text", "topic", "recency"))
        rest = "".join(f"{name} = {1.0 if name == part else 0.0}\n" for name in ("confidence",))
        clock = new_clock()
        settings = f'[recall]\nprofile = "brain"\n[recall.profiles.brain]\n{weights}{rest}'
        with Memory.open(make_home(settings=settings), clock=clock) as memory:
            plant(memory, clock)
            results = memory.recall("orchard", topic="rows", limit=100).results
            assert results[0].score > 0
            expected = "mango" if part == "topic" else winner  # mango is number 12: also of that topic
            assert results[0].memory.content.split()[3] == expected
            assert all(set(result.breakdown) == {part} for result in results)


@pytest.mark.covers("A7", "B19")
def test_filters_hold_inside_the_limit(anywhere: Memory, clock: ManualClock) -> None:
    plant(anywhere, clock)
    sure = anywhere.recall("orchard", min_confidence=0.7, limit=100).results
    assert [result.memory.confidence >= 0.7 for result in sure] == [True] * len(sure) == [True] * 4
    assert len(anywhere.recall("orchard", max_age="21d", limit=100).results) == 4
    assert anywhere.recall("orchard", max_age="1h").results == []
    kinds = anywhere.recall("orchard", kinds=["convention"], limit=100).results
    assert {result.memory.kind for result in kinds} == {"convention"}
    assert len(kinds) == 7
    assert len(anywhere.recall("orchard", kinds=["note", "convention"], limit=100).results) == 13
    assert anywhere.recall("orchard", kinds=["decision"]).results == []


@pytest.mark.covers("A7", "A6")
def test_what_is_linked_to_where_you_ask_from_ranks_higher(anywhere: Memory, clock: ManualClock) -> None:
    plant(anywhere, clock)
    ids = {item.content.split()[3]: item.id for item in anywhere.list(limit=100).items}
    anywhere.link(ids["cherry"], ids["apple"])
    anywhere.link(ids["damson"], ids["cherry"])
    far = {result.memory.content.split()[3]: result for result in anywhere.recall("orchard", limit=100).results}
    near = {
        result.memory.content.split()[3]: result
        for result in anywhere.recall("orchard", near=[ids["apple"]], limit=100).results
    }
    assert near["cherry"].breakdown["proximity"] > near["damson"].breakdown["proximity"] > 0
    assert near["kiwi"].breakdown["proximity"] == 0
    assert near["cherry"].score > far["cherry"].score
    assert "linked" in near["cherry"].explanation
    with pytest.raises(NotFound):
        anywhere.recall("orchard", near=["01900000-0000-7000-8000-000000000000"])


@pytest.mark.covers("A5", "B12", "A7")
def test_only_active_memories_are_recalled(anywhere: Memory) -> None:
    codex, claude = anywhere.as_agent("codex"), anywhere.as_agent("claude")
    codex.learn("The heron is grey.", kind="profile")
    anywhere.forget(anywhere.learn("The heron is tall.").memory.id, reason="short")
    anywhere.correct(anywhere.learn("The heron eats bread.").memory.id, "The heron eats fish.", reason="saw it")
    anywhere.reject(codex.learn("The heron sings.", kind="profile").memory.id, reason="no")
    codex.learn("The heron count is 3.")
    claude.learn("The heron count is 4.")
    assert sorted(recalled(anywhere, "heron")) == ["The heron count is 3.", "The heron eats fish."]
    statuses: list[Any] = ["inbox", "superseded", "retracted", "rejected"]
    assert len(anywhere.list(statuses=statuses).items) == 5, "the others are there, and can be listed"


@pytest.mark.covers("B11", "B19")
def test_only_the_scopes_asked_for_are_searched(anywhere: Memory) -> None:
    scopes = ("global", "project:a", "repo:a", "team:a", "agent:a", "session:a")
    for scope in scopes:
        anywhere.learn(f"The heron of {scope} is grey.", scope=scope)
    for scope in scopes:
        assert recalled(anywhere, "heron", scopes=[scope]) == [f"The heron of {scope} is grey."]
    assert len(recalled(anywhere, "heron", scopes=["project:a", "repo:a"])) == 2
    assert len(recalled(anywhere, "heron")) == 6, "the owner, in no project, is told of all"
    assert recalled(anywhere, "heron", scopes=["project:b"]) == []


def tags_of(memory: Memory, words: str) -> dict[str, list[str]]:
    results = memory.recall(words, limit=100).results
    return {result.memory.content: sorted(tag.tag for tag in result.trust) for result in results}


@pytest.mark.covers("A13", "A28", "B15", "D4", "D20")
def test_what_a_reader_must_know_is_tagged(anywhere: Memory, clock: ManualClock) -> None:
    codex, claude = anywhere.as_agent("codex"), anywhere.as_agent("claude")
    anywhere.learn("The heron is grey.")
    codex.learn("The heron sleeps.")
    codex.learn("The heron nests in May.", confidence=0.2)
    codex.learn("The heron swims.")
    claude.learn("The heron swims.")
    anywhere.learn("The heron is at the pond.", staleness="hourly")
    anywhere.learn("The heron is hungry.", staleness="volatile")
    codex.learn("The heron count is 3.")
    claude.learn("The heron count is 4.")
    clock.advance(hours=2)
    assert tags_of(anywhere, "heron") == {
        "The heron is grey.": [],
        "The heron sleeps.": ["unconfirmed"],
        "The heron nests in May.": ["uncertain", "unconfirmed"],
        "The heron swims.": [],
        "The heron is at the pond.": ["stale"],
        "The heron is hungry.": ["stale"],
        "The heron count is 3.": ["conflicting", "unconfirmed"],
    }
    warned = next(
        result
        for result in anywhere.recall("heron nests").results
        if result.memory.content == "The heron nests in May."
    )
    assert "Warning:" in warned.explanation
    assert "uncertain" in warned.explanation


@pytest.mark.covers("A13", "A11")
@pytest.mark.parametrize(
    ("staleness", "fresh_hours", "stale_hours"),
    [
        ("weekly", 24 * 7 - 1, 24 * 7),
        ("daily", 23, 24),
        ("hourly", 0.9, 1),
        ("volatile", None, 0),
        ("stable", 9_999, None),
    ],
)
def test_each_staleness_policy_has_its_own_term(
    owner: Memory, clock: ManualClock, staleness: Any, fresh_hours: float | None, stale_hours: float | None
) -> None:
    learned = owner.learn("The queue is empty.", staleness=staleness).memory.id
    for hours, stale in ((fresh_hours, False), (stale_hours, True)):
        if hours is not None:
            clock.set(new_clock().now())
            clock.advance(hours=hours)
            assert owner.get(learned).memory.stale is stale
            assert owner.status().stale == int(stale)
    assert owner.status().staleness == {staleness: 1}


@pytest.mark.covers("E6")
def test_across_scopes_the_team_speaks_over_the_project_and_the_project_over_all(anywhere: Memory) -> None:
    said: dict[str, str] = {}
    for scope, day in (("global", "Monday"), ("project:a", "Tuesday"), ("team:a", "Friday")):
        said[scope] = anywhere.learn(f"The release day is {day}.", scope=scope).memory.id
    results = anywhere.recall("when is the release day").results
    assert results[0].memory.scope == "team:a"
    overridden = {result.memory.scope: [tag for tag in result.trust if tag.tag == "overridden"] for result in results}
    assert overridden["team:a"] == []
    assert [tag.memory_id for tag in overridden["project:a"]] == [said["team:a"]]
    assert overridden["global"][0].memory_id in (said["team:a"], said["project:a"])
    assert anywhere.conflicts().items == [], "scopes that differ are no conflict"
    alone = anywhere.recall("when is the release day", scopes=["global"]).results
    assert [tag.tag for tag in alone[0].trust] == []


@pytest.mark.covers("E6", "A6")
def test_an_explicit_override_goes_before_the_order_of_scopes(anywhere: Memory) -> None:
    everyone = anywhere.learn("The release day is Monday.").memory.id
    project = anywhere.learn("The release day is Tuesday.", scope="project:a").memory.id
    results = anywhere.recall("release day").results
    assert [result.memory.id for result in results] == [project, everyone]
    anywhere.link(everyone, project, "overrides", reason="company rule")
    results = anywhere.recall("release day").results
    assert [result.memory.id for result in results] == [everyone, project]
    tags = [(tag.tag, tag.memory_id, tag.detail) for tag in results[1].trust]
    assert tags == [("overridden", everyone, "company rule")]
    anywhere.unlink(everyone, project, "overrides", reason="no longer")
    assert [result.memory.id for result in anywhere.recall("release day").results] == [project, everyone]


@pytest.mark.covers("B19", "A7")
def test_title_summary_and_topic_are_searched_too(anywhere: Memory) -> None:
    kept = anywhere.learn(
        "It opens at nine.", title="Aviary hours", summary="When the ticket booth is staffed", topic="visiting"
    ).memory.id
    for question in ("aviary", "visiting", "ticket booth"):
        assert [result.memory.id for result in anywhere.recall(question).results] == [kept], question


@pytest.mark.covers("A7", "B22")
def test_words_are_found_in_other_forms_and_parts(anywhere: Memory) -> None:
    anywhere.learn("The engine retries failing deployments via DeployRunner2 and max_retry_count.")
    for question in ("deployment", "retry", "failed", "deploy runner", "max_retry_count", "count", "DEPLOYMENTS"):
        assert len(recalled(anywhere, question)) == 1, question
    assert recalled(anywhere, "giraffe") == []


@pytest.mark.covers("A11")
def test_a_result_and_the_status_show_every_field(owner: Memory) -> None:
    owner.learn(
        "The heron is grey.", scope="project:a", topic="birds", category="nature", summary="grey", title="Heron"
    )
    told: Any = owner.recall("heron").results[0].memory
    assert (told.kind, told.scope, told.project_id, told.topic, told.category) == (
        "note",
        "project:a",
        "a",
        "birds",
        "nature",
    )
    assert (told.title, told.summary, told.visibility, told.strength) == ("Heron", "grey", "local", "explicit")
    assert told.iri.endswith(told.id)
    status = owner.status()
    assert (status.active, status.topics, status.scopes, status.kinds) == (
        1,
        {"birds": 1},
        {"project:a": 1},
        {"note": 1},
    )
    assert (status.agents, status.ledger_entries, status.warnings) == ({"person:owner": 1}, 1, [])


@pytest.mark.covers("A11", "A19")
def test_status_warns_above_the_soft_limit(make_home: MakeHome) -> None:
    with Memory.open(make_home(settings="[memory]\nmax_facts = 2\n")) as memory:
        for number in range(2):
            memory.learn(f"Item i{number}x is in bin b{number}y.")
        assert memory.status().warnings == []
        memory.learn("One more is in the yard.")
        assert any("soft limit" in warning for warning in memory.status().warnings)
