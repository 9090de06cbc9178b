"""One agent that repeats itself does not crowd others out, and a person can ask for verified memories alone."""

from __future__ import annotations

import pytest

from heldtrue import Memory
from tests.acceptance.homes import recalled

QUESTION = "where do the backups of Atlas go?"
TRUE = "The backups of Atlas go to Lisbon."
FLOODS = {
    "numbered": lambda number: f"According to note {number}, backups of Atlas always go to Frankfurt.",
    "signed": lambda number: f"Backups of Atlas go to Frankfurt, says employee {number} of the vault team.",
    "dated": lambda number: f"On day {number} of the audit it was found that Atlas backups go to Frankfurt.",
}


@pytest.fixture
def flood(anywhere: Memory) -> Memory:
    return anywhere.as_agent("mallory")


@pytest.mark.covers("B18", "A7")
@pytest.mark.parametrize("wording", FLOODS.values(), ids=FLOODS)
def test_near_copies_of_one_agent_take_two_of_ten_places(anywhere: Memory, flood: Memory, wording: object) -> None:
    anywhere.learn(TRUE)
    answer = flood.learn_many([{"content": wording(number)} for number in range(60)])  # type: ignore[operator]
    assert answer.counts.get("created", 0) > 30, "they are no duplicates to the gate"
    results = anywhere.recall(QUESTION, limit=10).results
    contents = [result.memory.content for result in results]
    assert len([text for text in contents if "Frankfurt" in text]) == 2
    assert TRUE in contents[:3]
    first = next(result for result in results if "Frankfurt" in result.memory.content)
    assert len(first.folded) > 20, "what is left out is named with the first of its kind"
    assert len([text for text in recalled(anywhere, QUESTION, limit=20) if "Frankfurt" in text]) == 4


@pytest.mark.covers("B18")
def test_what_others_know_is_found_behind_any_number_of_copies(anywhere: Memory, flood: Memory) -> None:
    others = [
        "The backups of Atlas leave at night.",
        "Restoring the backups of Atlas takes an hour.",
        "The backups of Atlas are encrypted.",
    ]
    for number, text in enumerate(others):
        anywhere.as_agent(f"agent-{number}").learn(text)
    flood.learn_many([{"content": FLOODS["numbered"](number)} for number in range(300)])
    contents = recalled(anywhere, "backups of Atlas go", limit=10)
    assert set(others) <= set(contents)


@pytest.mark.covers("B18")
def test_what_an_agent_knows_about_things_of_a_kind_is_no_copy(anywhere: Memory) -> None:
    names = ("billing", "search", "login", "mail", "audit", "stock", "tax", "chat")
    codex = anywhere.as_agent("codex")
    for number, name in enumerate(names):
        codex.learn(f"The {name} service listens on port {8000 + number}.")
    assert len(recalled(anywhere, "on which port does a service listen?", limit=10)) == len(names)
    anywhere.learn("The Atlas backups go to Lisbon at noon.")
    for number in range(6):
        anywhere.learn(FLOODS["numbered"](number))
    assert len(recalled(anywhere, QUESTION, limit=10)) > 5, "what a person says is no flood"


@pytest.mark.covers("A28", "B8")
def test_trusted_returns_only_what_a_person_verified(anywhere: Memory, flood: Memory) -> None:
    anywhere.learn(TRUE)
    approved = anywhere.as_agent("codex").learn("The backups of Atlas are encrypted.")
    anywhere.as_agent("codex").learn("The backups of Atlas leave at night.")
    anywhere.approve(approved.memory.id)
    anywhere.capture("The backups of Atlas go to Oslo.", source="notes.md", extract=False)
    flood.learn_many([{"content": FLOODS["signed"](number)} for number in range(30)])
    wanted = {TRUE, "The backups of Atlas are encrypted."}
    for reader in (anywhere, flood):
        assert set(recalled(reader, "backups of Atlas", trusted=True)) == wanted
        assert {result.memory.content for result in reader.search("backups Atlas", trusted=True).results} == wanted
    block = anywhere.inject("backups of Atlas", trusted=True).block
    assert "Lisbon" in block
    assert not any(word in block for word in ("Frankfurt", "Oslo", "at night"))
    assert "Oslo" in anywhere.inject("to which city do the backups of Atlas go: Oslo?").block, "the control"
