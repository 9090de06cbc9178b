"""What is kept of a message and how it is said: with a judge that knows its answers, and by marks alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

import pytest

from heldtrue.domain.extracted import Extracted, Material
from heldtrue.domain.judged import JudgeUnits, UnitInContext, UnitJudgement
from heldtrue.domain.memory import Kind, Strength
from heldtrue.language.extraction import ReaderExtractor, extract_message
from heldtrue.language.guard import take_failures
from tests.unit.language.extraction.judges import judge_by, keep_all

NOW = int(datetime(2026, 3, 4, tzinfo=UTC).timestamp() * 1_000_000)  # a Wednesday


def find(
    text: str,
    judge: JudgeUnits | None,
    *,
    project: str | None = None,
    role: str = "user",
    before: Sequence[tuple[str, str]] = (),
) -> list[Extracted]:
    return extract_message(
        text, judge=judge, speaker="Mira", role=role, project=project, said_at=NOW, before=list(before)
    )


def only(text: str, kind: Kind, **known: object) -> Extracted:
    """The one statement of a message of which everything is kept as this kind."""
    found = find(text, keep_all(kind), **known)  # type: ignore[arg-type]
    assert len(found) == 1, found
    return found[0]


def texts(found: Sequence[Extracted]) -> list[str]:
    return [statement.text for statement in found]


def day(moment: int | None) -> str:
    return "" if moment is None else datetime.fromtimestamp(moment / 1_000_000, UTC).date().isoformat()


# In words that stand by themselves


@pytest.mark.parametrize(
    ("text", "kind", "said"),
    [
        ("I prefer window seats on long journeys.", Kind.PREFERENCE, "Mira prefers window seats on long journeys."),
        ("I don't drink coffee after lunch.", Kind.PREFERENCE, "Mira does not drink coffee after lunch."),
        ("Keep your explanations brief.", Kind.PREFERENCE, "Mira asks to keep the explanations brief."),
        ("Please don't use abbreviations.", Kind.PREFERENCE, "Mira asks not to use abbreviations."),
        ("I teach maths at a school in Bonn.", Kind.PROFILE, "Mira teaches maths at a school in Bonn."),
        ("My wife is from Peru.", Kind.PROFILE, "Mira's wife is from Peru."),
        ("moved to Graz in 2019", Kind.PROFILE, "Mira moved to Graz in 2019."),
        ("I'm tired because I'm 52.", Kind.NOTE, "Mira is tired because they are 52."),
        ("We always write migrations by hand.", Kind.CONVENTION, "Mira and others always write migrations by hand."),
        ("Never commit secrets to the repo.", Kind.CONVENTION, "Never commit secrets to the repo."),
        ("Call the bank about the loan.", Kind.TASK_HINT, "To do (Mira): Call the bank about the loan."),
        ("Remind me to call the dentist.", Kind.TASK_HINT, "Mira wants to be reminded to call the dentist."),
        ("A flat on the third floor.", Kind.PROFILE, "Mira: A flat on the third floor."),
        ("By the way, the limit is 200, btw.", Kind.PROJECT, "The limit is 200."),
    ],
)
def test_a_statement_is_said_in_the_third_person(text: str, kind: Kind, said: str) -> None:
    found = only(text, kind)
    assert (found.kind, found.text) == (kind, said)
    assert found.reason


def test_we_is_the_project_and_the_verb_agrees() -> None:
    said = "We don't deploy on Fridays."
    assert only(said, Kind.CONVENTION, project="otter").text == "otter does not deploy on Fridays."
    assert only(said, Kind.CONVENTION).text == "Mira and others don't deploy on Fridays."
    runs = only("Our database runs on Postgres 16.", Kind.PROJECT, project="otter")
    assert runs.text == "otter's database runs on Postgres 16."


def test_without_a_name_it_is_the_user() -> None:
    for speaker in (None, "user"):
        found = extract_message("I prefer tea.", judge=keep_all(Kind.PREFERENCE), speaker=speaker)
        assert texts(found) == ["The user prefers tea."]


def test_a_decision_says_why_and_against_what() -> None:
    found = only("We chose Terraform instead of Pulumi because everyone knows it.", Kind.DECISION, project="otter")
    assert found.text == "otter chose Terraform instead of Pulumi because everyone knows it."
    assert (found.rationale, found.alternatives) == ("everyone knows it", ("Pulumi",))
    assert found.topic == "terraform"


def test_clauses_carry_the_subject_that_they_share() -> None:
    table = {"I live in Vienna": Kind.PROFILE, "work as a teacher": Kind.PROFILE}
    table["I live in Vienna and work as a teacher"] = Kind.PROFILE
    assert texts(find("I live in Vienna and work as a teacher.", judge_by(table))) == [
        "Mira lives in Vienna.",
        "Mira works as a teacher.",
    ]


# What it leans on


def test_a_person_or_a_topic_that_was_named_stays_named() -> None:
    found = find("My brother Tom lives in Leeds. He works at the harbour.", keep_all(Kind.PROFILE))
    assert texts(found) == ["Mira's brother Tom lives in Leeds.", "Tom works at the harbour."]
    found = find("The release is on Monday. It needs two approvals.", keep_all(Kind.PROJECT))
    assert texts(found)[1] == "The release needs two approvals."


def test_what_the_turn_before_asked_about_is_named() -> None:
    asked = [("Tom", "Do you like the new dashboard?")]
    assert only("I hate it.", Kind.PREFERENCE, before=asked).text == "Mira hates the new dashboard."


def test_a_sentence_that_leans_on_the_one_before_is_joined_with_it() -> None:
    text = "Card and cash go in one pot. That is split every second Sunday."
    found = find(text, judge_by({"That is split every second Sunday": Kind.CONVENTION}))
    assert texts(found) == ["Card and cash go in one pot. That is split every second Sunday."]
    assert (found[0].start, found[0].end) == (0, len(text) - 1)


def test_what_cannot_be_said_otherwise_is_quoted_if_it_is_sure() -> None:
    assert only("They moved to the other office.", Kind.NOTE).text == 'Mira said: "They moved to the other office".'
    assert find("They moved to the other office.", keep_all(Kind.NOTE, 0.8)) == []
    german = only("Ich mag keinen Koriander.", Kind.PREFERENCE)
    assert german.text == 'Mira said: "Ich mag keinen Koriander".'


def test_a_quotation_tells_what_was_asked_and_on_which_day() -> None:
    asked = [("Tom", "Who will call them and when?")]
    found = only("She will, tomorrow.", Kind.TASK_HINT, before=asked)
    said = 'On 4 March 2026: Asked "Who will call them and when?", Mira said: "She will, tomorrow".'
    assert found.text == said


# Times


@pytest.mark.parametrize(
    ("said", "stated"),
    [
        ("I'll send the slides tomorrow.", "Mira will send the slides on 5 March 2026."),
        ("I'll send the slides by tomorrow evening.", "Mira will send the slides by 5 March 2026 in the evening."),
        ("The audit is next Monday.", "The audit is on Monday 9 March 2026."),
        ("The audit was last week.", "The audit was in the week of 23 February 2026."),
        ("The audit is next month.", "The audit is in April 2026."),
        ("The audit is on 9 March.", "The audit is on 9 March."),
        ("I prefer today's menu.", "Mira prefers today's menu."),
    ],
)
def test_words_that_mean_another_day_later_become_dates(said: str, stated: str) -> None:
    assert only(said, Kind.NOTE).text == stated


def test_dates_become_valid_time() -> None:
    task = only("I'll send the slides on Friday.", Kind.TASK_HINT)
    assert (day(task.valid_from), day(task.valid_to)) == ("2026-03-06", "2026-03-07")
    assert day(only("I moved to Porto in January.", Kind.PROFILE).valid_from) == "2026-01-01"
    assert day(only("Our contract with the bank ends on 31 December.", Kind.NOTE).valid_to) == "2027-01-01"
    assert day(only("I have to pay the bill before the 15th.", Kind.TASK_HINT).valid_from) == "2026-03-15"
    assert only("I prefer tea.", Kind.PREFERENCE).valid_from is None


# What is out by its structure


@pytest.mark.parametrize(
    "text",
    [
        "```\nwe always use tabs\n```",
        "> I prefer tea",
        "def total(rows):\n    # never round here\n    return sum(rows)",
        "2026-02-03 11:02:17 WARN pool: the limit is 20\n2026-02-03 11:02:18 INFO pool: the size is 20",
        "host | role\nanchor | we always use it | x",
        '"We never negotiate with anyone".',
        "Do you prefer tea or coffee?",
        "- [x] water the plants",
        "",
    ],
)
def test_code_logs_tables_quotations_questions_and_done_boxes_are_not_read(text: str) -> None:
    assert find(text, keep_all(Kind.NOTE), project="otter") == []
    assert find("The plants need water.", keep_all(Kind.NOTE), project="otter") != []


def test_an_assistant_counts_less_and_a_tool_not_at_all() -> None:
    found = only("Raising the memory limit to 2 GB fixed the crash.", Kind.PATTERN, role="assistant")
    assert found.strength is Strength.IMPLIED
    assert only("Raising the limit fixed the crash.", Kind.PATTERN).strength is Strength.EXPLICIT
    assert find("The limit is 2 GB.", keep_all(Kind.PROJECT), role="tool") == []


# What is marked in so many words

MARKED: Mapping[str, tuple[Kind, str]] = {
    "Remember that the wifi password is on the fridge.": (Kind.NOTE, "The wifi password is on the fridge."),
    "Note: the meter is in the cellar.": (Kind.NOTE, "The meter is in the cellar."),
    "TODO: order new filters": (Kind.TASK_HINT, "To do (Mira): order new filters."),
    "Don't forget to order new filters.": (Kind.TASK_HINT, "Mira wants to be reminded to order new filters."),
    "Decision: we take the ferry.": (Kind.DECISION, "Mira and others take the ferry."),
    "Lesson learned: test the backup first.": (Kind.LESSON, "Test the backup first."),
    "House rule: no shoes inside.": (Kind.CONVENTION, "No shoes inside."),
    "- [ ] ask Jo for the keys": (Kind.TASK_HINT, "To do (Mira): ask Jo for the keys."),
    "Decisions:\n- The fee is 20 euros.": (Kind.DECISION, "Mira: The fee is 20 euros."),
}


@pytest.mark.parametrize("text", MARKED)
def test_without_a_reader_what_is_marked_is_kept(text: str) -> None:
    (found,) = find(text, None)
    assert (found.kind, found.text) == MARKED[text]


@pytest.mark.parametrize("text", ["I live in Delft.", "We chose Rust.", "Never commit secrets.", "Remember that time?"])
def test_without_a_reader_nothing_else_is_kept(text: str) -> None:
    assert find(text, None) == []


def test_with_a_reader_a_label_names_the_kind_and_a_note_is_what_the_reader_says() -> None:
    assert only("Lesson: the probe needs a fuse.", Kind.PROJECT).kind is Kind.LESSON
    assert only("Remember that the probe needs a fuse.", Kind.PROJECT).kind is Kind.PROJECT


def test_with_a_reader_that_sees_nothing_in_it_a_label_is_not_enough() -> None:
    assert find("Rule one: never deploy hungry.", judge_by({})) == []


# The extractor


def test_the_extractor_reads_the_role_from_the_speaker() -> None:
    extractor = ReaderExtractor(keep_all(Kind.PREFERENCE))
    assert (extractor.name, ReaderExtractor(None).name) == ("reader", "marks")
    said = "I prefer tabs."
    assert extractor.extract(Material(text=said, is_spoken=True, speaker="tool")) == []
    assert texts(extractor.extract(Material(text=said, is_spoken=True, speaker="user"))) == ["The user prefers tabs."]
    assert texts(extractor.extract(Material(text=said, is_spoken=True, speaker="Bo"))) == ["Bo prefers tabs."]
    assert texts(extractor.extract(Material(text=said, is_spoken=True, speaker="ai"))) == [
        "The assistant prefers tabs."
    ]


def test_a_reader_that_fails_leaves_what_is_marked() -> None:
    def fail(_units: Sequence[UnitInContext]) -> list[UnitJudgement]:
        raise MemoryError

    extractor = ReaderExtractor(fail)
    found = extractor.extract(Material(text="I live here. Note: the key is under the mat.", is_spoken=True))
    assert texts(found) == ["The key is under the mat."]
    assert take_failures()
