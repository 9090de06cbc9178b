"""What the rules find in messages, each kind with what it must not be taken for."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from heldtrue.domain.extracted import Extracted, Material
from heldtrue.domain.memory import Kind, Strength
from heldtrue.language.extraction import RulesExtractor, extract_message

NOW = int(datetime(2026, 3, 4, tzinfo=UTC).timestamp() * 1_000_000)  # a Wednesday


def find(
    text: str, *, project: str | None = None, role: str = "user", before: list[tuple[str, str]] | None = None
) -> list[Extracted]:
    return extract_message(text, speaker="Mira", role=role, project=project, said_at=NOW, before=before or [])


def only(text: str, **known: object) -> Extracted:
    found = find(text, **known)  # type: ignore[arg-type]
    assert len(found) == 1, found
    return found[0]


def day(moment: int | None) -> str:
    return "" if moment is None else datetime.fromtimestamp(moment / 1_000_000, UTC).date().isoformat()


@pytest.mark.parametrize(
    ("text", "kind", "said"),
    [
        ("I prefer window seats on long journeys.", Kind.PREFERENCE, "Mira prefers window seats on long journeys."),
        ("I can't stand olives.", Kind.PREFERENCE, "Mira can't stand olives."),
        ("My favourite painter is Klee.", Kind.PREFERENCE, "Mira's favourite painter is Klee."),
        ("I don't drink coffee after lunch.", Kind.PREFERENCE, "Mira does not drink coffee after lunch."),
        ("Keep your explanations brief.", Kind.PREFERENCE, "Mira asks to keep the explanations brief."),
        ("Please don't use abbreviations in the reports.", Kind.PREFERENCE, "Mira asks not to use abbreviations"),
        ("I'm allergic to shellfish.", Kind.PROFILE, "Mira is allergic to shellfish."),
        ("I teach maths at a school in Bonn.", Kind.PROFILE, "Mira teaches maths at a school in Bonn."),
        ("My wife is from Peru.", Kind.PROFILE, "Mira's wife is from Peru."),
        ("Please call me Alex.", Kind.PROFILE, "Mira wants to be called Alex."),
        ("We ruled out the ferry, it takes too long.", Kind.DECISION, "Mira and others ruled out the ferry"),
        ("We always write migrations by hand.", Kind.CONVENTION, "Mira and others always write migrations by hand."),
        ("Never commit secrets to the repo.", Kind.CONVENTION, "Never commit secrets to the repo."),
        ("All pull requests need two approvals.", Kind.CONVENTION, "All pull requests need two approvals."),
        ("Don't use the staging key in the docs again.", Kind.LESSON, "Don't use the staging key in the docs again."),
        ("Turns out the API returns dates in local time.", Kind.LESSON, "The API returns dates in local time."),
        ("No, actually the limit is 200.", Kind.LESSON, "The limit is 200."),
        ("Clearing the browser cache fixed the login loop.", Kind.PATTERN, "Clearing the browser cache"),
        ("The build kept breaking until I pinned numpy.", Kind.PATTERN, "until Mira pinned numpy."),
        ("Remind me to call the dentist tomorrow.", Kind.TASK_HINT, "Mira wants to be reminded to call the dentist"),
        ("Lukas will prepare the demo.", Kind.TASK_HINT, "Lukas will prepare the demo."),
        ("The wifi password is written on the fridge.", Kind.NOTE, "The wifi password is written on the fridge."),
    ],
)
def test_finds_what_lasts(text: str, kind: Kind, said: str) -> None:
    found = only(text)
    assert (found.kind, said in found.text) == (kind, True), found
    assert found.reason


@pytest.mark.parametrize(
    "text",
    [
        "Do you prefer tea or coffee?",
        "I guess I prefer the first one.",
        "I like your idea.",
        "I love it!",
        "She told me that she prefers tea.",
        "Make the text shorter and more formal.",
        "Write the answer in French.",
        "Don't worry about it.",
        "I'm hungry.",
        "I'm waiting for the build to finish.",
        "I have two questions.",
        "My phone is at 3%.",
        "Maybe we should use Rust.",
        "We are still discussing whether to move to Berlin.",
        "If we dropped the old client, would anybody notice?",
        "Imagine we had decided to use Rust.",
        "Nobody knows why.",
        "Never been better.",
        "Turns out I was wrong.",
        "Thanks, that fixed it!",
        "I'll be right back.",
        "I need to check something first.",
        "Paul will be late.",
        "The cat is on the table.",
        "The download is at 45%.",
        "There are 12 files in the folder.",
        "The train is late again.",
        "I like tea, no wait, forget that.",
        "We use tabs. Scratch that, wrong team.",
        "ok",
        "",
    ],
)
def test_leaves_out_what_does_not_last(text: str) -> None:
    assert find(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "```\nwe always use tabs\n```",
        "> I prefer tea",
        "def total(rows):\n    # never round here\n    return sum(rows)",
        "2026-02-03 11:02:17 WARN pool: the limit is 20\n2026-02-03 11:02:18 INFO pool: the size is 20",
        "host | role\nanchor | we always use it | x",
        'The film goes "we never negotiate with anyone".',
    ],
)
def test_reads_no_code_logs_tables_or_quotations(text: str) -> None:
    assert find(text, project="otter") == []


def test_says_why_and_against_what_it_was_decided() -> None:
    found = only("We chose Terraform instead of Pulumi because everyone knows it.", project="otter")
    assert found.text == "otter chose Terraform instead of Pulumi because everyone knows it."
    assert (found.rationale, found.alternatives) == ("everyone knows it", ("Pulumi",))
    assert found.kind is Kind.DECISION
    assert found.topic == "terraform"


def test_we_is_the_project_and_the_verb_agrees() -> None:
    assert only("We don't deploy on Fridays.", project="otter").text == "otter does not deploy on Fridays."
    assert only("We don't deploy on Fridays.").text == "Mira and others don't deploy on Fridays."
    assert only("Our database runs on Postgres 16.", project="otter").text == "otter's database runs on Postgres 16."


def test_without_a_name_it_is_the_user() -> None:
    assert extract_message("I prefer tea.", speaker=None)[0].text == "The user prefers tea."
    assert extract_message("I prefer tea.", speaker="user")[0].text == "The user prefers tea."


def test_it_is_named_only_where_that_is_safe() -> None:
    asked = [("Tom", "Do you like the new dashboard?")]
    assert only("I hate it.", before=asked).text == "Mira hates the new dashboard."
    assert find("I hate it.") == []
    assert find("I hate it.", before=[("Tom", "The menu and the footer are new.")]) == []


def test_one_statement_each() -> None:
    found = find("I'm a nurse and I live in Delft, but my brother works in Oslo.")
    assert [statement.text for statement in found] == [
        "Mira is a nurse.",
        "Mira lives in Delft.",
        "Mira's brother works in Oslo.",
    ]


@pytest.mark.parametrize(
    ("asked", "answer", "kind", "said"),
    [
        ("The deadline is on Friday, right?", "No, on Monday.", Kind.LESSON, "The deadline is on Monday."),
        ("Who will call the bank?", "I'll do it tomorrow.", Kind.TASK_HINT, "Mira will call the bank tomorrow."),
        ("Where does the config live?", "in /etc/otter", Kind.PROJECT, "The config lives in /etc/otter."),
    ],
)
def test_short_answers_are_said_in_full(asked: str, answer: str, kind: Kind, said: str) -> None:
    found = only(answer, before=[("Tom", asked)])
    assert (found.kind, found.text) == (kind, said)
    assert find(answer) == []


def test_dates_become_valid_time() -> None:
    task = only("I'll send the slides on Friday.")
    assert (day(task.valid_from), day(task.valid_to)) == ("2026-03-06", "2026-03-07")
    assert day(only("I moved to Porto in January.").valid_from) == "2026-01-01"
    assert day(only("Our contract with the bank ends on 31 December.").valid_to) == "2027-01-01"
    assert day(only("I have to pay the bill before the 15th.").valid_from) == "2026-03-15"
    assert day(only("I have to pay the bill before the 2nd.").valid_from) == "2026-04-02"
    assert only("I prefer tea.").valid_from is None


def test_strength_follows_the_wording() -> None:
    assert only("I prefer oat milk.").strength is Strength.EXPLICIT
    assert only("I always end up ordering oat milk.").strength is Strength.IMPLIED


def test_an_assistant_counts_less() -> None:
    found = only("Raising the memory limit to 2 GB fixed the crash.", role="assistant")
    assert (found.kind, found.strength) == (Kind.PATTERN, Strength.IMPLIED)
    for text in ("I prefer tabs.", "I'll run the tests now.", "The file has 200 lines.", "Let me look at the log."):
        assert find(text, role="assistant") == []
    assert find("I prefer tabs.", role="tool") == []


def test_the_extractor_reads_the_role_from_the_speaker() -> None:
    extractor = RulesExtractor()
    assert extractor.name == "rules"
    said = "I prefer tabs."
    assert extractor.extract(Material(text=said, is_spoken=True, speaker="assistant")) == []
    assert extractor.extract(Material(text=said, is_spoken=True, speaker="tool")) == []
    assert extractor.extract(Material(text=said, is_spoken=True, speaker="user"))[0].text == "The user prefers tabs."
    assert extractor.extract(Material(text=said, is_spoken=True, speaker="Bo"))[0].text == "Bo prefers tabs."


@pytest.mark.parametrize(
    ("text", "kind", "said"),
    [
        ("Ich mag keinen Koriander.", Kind.PREFERENCE, "Mira mag keinen Koriander."),
        ("Ich arbeite als Köchin in Graz.", Kind.PROFILE, "Mira arbeitet als Köchin in Graz."),
        ("Wir haben uns für Holz entschieden.", Kind.DECISION, "otter hat sich für Holz entschieden."),
        ("No me gustan las aceitunas.", Kind.PREFERENCE, "A Mira no le gustan las aceitunas."),
        ("Vivo en Sevilla.", Kind.PROFILE, "Mira vive en Sevilla."),
        ("Hemos decidido comprar el piso.", Kind.DECISION, "otter ha decidido comprar el piso."),
        ("Je préfère le thé.", Kind.PREFERENCE, "Mira préfère le thé."),
        ("J'habite à Nantes.", Kind.PROFILE, "Mira habite à Nantes."),
        ("Nous avons choisi le bois.", Kind.DECISION, "otter a choisi le bois."),
    ],
)
def test_the_plainest_forms_of_three_more_languages(text: str, kind: Kind, said: str) -> None:
    found = only(text, project="otter")
    assert (found.kind, found.text) == (kind, said)


@pytest.mark.parametrize("text", ["Ich habe Hunger.", "Wie geht es dir?", "Tengo hambre.", "Je suis fatigué."])
def test_their_small_talk_is_left_out(text: str) -> None:
    assert find(text) == []


def test_a_shared_subject_is_carried_along() -> None:
    said = [statement.text for statement in find("Ich wohne in Wien und arbeite als Lehrerin.")]
    assert said == ["Mira wohnt in Wien.", "Mira arbeitet als Lehrerin."]
    said = [statement.text for statement in find("I live in Vienna and work as a teacher.")]
    assert said == ["Mira lives in Vienna.", "Mira works as a teacher."]


def test_a_decision_against_and_for_is_one() -> None:
    found = only("We decided against the bus. The tram it is, since it runs all night.", project="otter")
    assert (found.kind, found.start, found.rationale) == (Kind.DECISION, 0, "it runs all night")


def test_what_somebody_took_on_is_a_task_and_what_a_group_agreed_is_a_decision() -> None:
    assert only("Lukas has agreed to proofread the abstract by Friday.").kind is Kind.TASK_HINT
    assert only("The committee agreed to raise the fee.").kind is Kind.DECISION


@pytest.mark.parametrize(
    ("said", "kind", "stated"),
    [
        ("I mend clocks for a living.", Kind.PROFILE, "Mira mends clocks for a living."),
        ("I'm more of a tea person.", Kind.PREFERENCE, "Mira is more of a tea person."),
        ("moved to Graz in 2019", Kind.PROFILE, "Mira moved to Graz in 2019."),
        ("My uncle Piet repairs organs.", Kind.PROFILE, "Mira's uncle Piet repairs organs."),
        ("I must return the ladder before Saturday.", Kind.TASK_HINT, "Mira must return the ladder before Saturday."),
        ("- [ ] ask Jo for the keys", Kind.TASK_HINT, "To do: ask Jo for the keys."),
        ("No visitors after ten.", Kind.CONVENTION, "No visitors after ten."),
        ("Keys go in the green cabinet.", Kind.NOTE, "Keys go in the green cabinet."),
        ("The humming stopped when we moved the fridge.", Kind.PATTERN, None),
        ("Oiling the hinge cured the squeak.", Kind.PATTERN, "Oiling the hinge cured the squeak."),
        ("The stain came from the old pipe.", Kind.LESSON, "The stain came from the old pipe."),
        ("Whoever comes last locks the gate.", Kind.CONVENTION, "Whoever comes last locks the gate."),
    ],
)
def test_plain_sentences_tell_their_kind_by_their_form(said: str, kind: Kind, stated: str | None) -> None:
    found = only(said)
    assert found.kind is kind
    assert stated is None or found.text == stated


@pytest.mark.parametrize(
    "said",
    [
        "I keep getting a blank page.",
        "I open the lid and it beeps.",
        "The oven is at 180 degrees.",
        "Gravity makes things fall.",
        "Lovely to meet you both.",
        "We leave at seven.",
        "Send me the plan again.",
        "Do it for me.",
        "She sings well.",
        "- [x] water the plants",
    ],
)
def test_what_passes_is_left_out(said: str) -> None:
    assert find(said) == []


def test_a_person_named_once_stays_named() -> None:
    found = find("My brother Tom lives in Leeds. He works at the harbour.")
    assert [statement.text for statement in found] == [
        "Mira's brother Tom lives in Leeds.",
        "Tom works at the harbour.",
    ]
