"""Secrets and personal data never reach a file of the home, by any way in, unless a scope keeps them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from heldtrue import HeldtrueError, InvalidInput, Memory
from tests.acceptance.homes import MakeHome

SECRET = "Wagtail#4417x"
IBAN = "DE89 3704 0044 0532 0130 00"
CARD = "4012 8888 8888 1881"
CONTROL = "plumage"
TOLD = f"The {CONTROL} archive: password {SECRET}, rent to IBAN {IBAN}, paid by card {CARD}."
CANARIES = (SECRET, IBAN, CARD, CARD.replace(" ", ""), IBAN.replace(" ", ""))


def found_in(home: Path) -> set[str]:
    """Which of the canaries, and of the control word, are in any file of a home."""
    files = [path.read_bytes() for path in sorted(home.rglob("*")) if path.is_file()]
    assert files
    return {word for word in (*CANARIES, CONTROL) if any(word.encode() in content for content in files)}


def base(owner: Memory, number: int = 1) -> str:
    learned = owner.learn(f"The aviary number {number} has {number + 3} perches, says the keeper.")
    return str(learned.memory.id)


def pending(owner: Memory) -> str:
    waiting = owner.as_agent("codex").upsert_profile_fact("The keeper of the aviary is Ola.")
    return str(waiting.memory.id)


def in_conflict(owner: Memory) -> str:
    owner.learn("The aviary opens at 9:00.")
    answer = owner.as_agent("codex").learn("The aviary opens at 10:00.")
    return str(answer.conflicts[0])


def capture_and_work(owner: Memory, text: str) -> None:
    owner.capture(text, title=text, source="note", speaker="Ola")
    owner.work()


def ingest_file(owner: Memory, text: str) -> None:
    assert owner.home is not None
    folder = owner.home.parent / f"{owner.home.name}-files"
    folder.mkdir()
    (folder / "notes.md").write_text(f"# Notes\n\n{text}\n", "utf-8")
    owner.ingest(folder)
    owner.work()


def ingest_memories(owner: Memory, text: str) -> None:
    assert owner.home is not None
    path = owner.home.parent / f"{owner.home.name}-memory.jsonl"
    entity = {"type": "entity", "name": "aviary", "entityType": "place", "observations": [text]}
    path.write_text(json.dumps(entity) + "\n", "utf-8")
    owner.ingest(path, source_format="server-memory")


def import_kept(owner: Memory, text: str) -> None:
    """Import an export of a store that keeps personal data."""
    assert owner.home is not None
    other = owner.home.parent / f"{owner.home.name}-other"
    other.mkdir()
    (other / "heldtrue.toml").write_text('[masking]\npersonal = "keep"\n', "utf-8")
    with Memory.open(other) as elsewhere:
        learned = elsewhere.learn(text)
        elsewhere.capture(text)
        elsewhere.forget(learned.memory.id, reason=text)
        elsewhere.learn(f"{text} It is still so.")
        path = other.with_suffix(".jsonl")
        elsewhere.export(path)
        assert IBAN.encode() in path.read_bytes(), "the other store keeps it"
    base(owner)
    owner.import_(path)


def feed_back(owner: Memory, text: str) -> None:
    base(owner)
    recalled = owner.recall(f"aviary {text}")
    owner.feedback(recalled.recall_id, answer=text)


def share(owner: Memory, text: str) -> None:
    owner.add_agent("codex", projects=["aviary"])
    owner.share("codex", memories=[base(owner)], action="read", context=text)


def quarantine(owner: Memory, text: str) -> None:
    captured = owner.capture("The aviary has a leak in the roof.")
    owner.quarantine(captured.sources[0], reason=text)


def undo(owner: Memory, text: str) -> None:
    memory = base(owner)
    answer = owner.forget(memory, reason="gone")
    try:
        owner.undo(entry=f"#{answer.seq}", reason=text)
    except HeldtrueError as problem:
        owner.learn(f"{CONTROL} {problem}"[:200])


WAYS: dict[str, Callable[[Memory, str], object]] = {
    "learn": lambda owner, text: owner.learn(text),
    "learn, in every field": lambda owner, text: owner.learn(
        f"The aviary is open. {CONTROL}",
        topic=text,
        title=text,
        summary=text,
        rationale=text,
        category=text,
        source=text,
        source_text=text,
    ),
    "learn_many": lambda owner, text: owner.learn_many([{"content": text}, {"content": f"Again: {text}"}]),
    "correct": lambda owner, text: owner.correct(base(owner), text, reason=text, source=text),
    "forget": lambda owner, text: owner.forget(base(owner), reason=text),
    "upsert_profile_fact": lambda owner, text: owner.upsert_profile_fact(text, category=text),
    "capture": capture_and_work,
    "capture of messages": lambda owner, text: owner.capture(messages=[{"role": "user", "content": text}], thread=text),
    "capture_session": lambda owner, text: owner.capture_session([{"role": "user", "content": text}], session="s1"),
    "capture_conversation": lambda owner, text: owner.capture_conversation(text, capture_mode="notes", thread=text),
    "ingest of a file": ingest_file,
    "ingest of another product's memories": ingest_memories,
    "import": import_kept,
    "approve with new words": lambda owner, text: owner.approve(pending(owner), content=text, reason=text),
    "approve with a rationale": lambda owner, text: owner.approve(pending(owner), rationale=text),
    "reject": lambda owner, text: owner.reject(pending(owner), reason=text),
    "dismiss": lambda owner, text: owner.dismiss(pending(owner), reason=text),
    "merge": lambda owner, text: owner.merge(base(owner), base(owner, 2), reason=text),
    "resolve with new words": lambda owner, text: owner.resolve(in_conflict(owner), "merge", text=text, reason=text),
    "link": lambda owner, text: owner.link(base(owner), base(owner, 2), "supports", reason=text),
    "share": share,
    "quarantine": quarantine,
    "undo": undo,
    "feedback": feed_back,
    "save_view": lambda owner, text: owner.save_view("birds", text, arguments={"topic": text}),
    "recall": lambda owner, text: owner.recall(text, topic=text),
    "inject": lambda owner, text: owner.inject(text, chat=[{"role": "user", "content": text}]),
    "context_for": lambda owner, text: owner.context_for(task=text),
}


@pytest.mark.parametrize("way", WAYS)
def test_neither_secrets_nor_personal_data_reach_a_file_of_the_home(make_home: MakeHome, way: str) -> None:
    home = make_home()
    with Memory.open(home) as owner:
        WAYS[way](owner, TOLD)
        owner.maintain()
    assert found_in(home) == {CONTROL}, "the words around them are there"


@pytest.mark.parametrize("way", ["learn", "capture", "save_view", "recall"])
def test_what_a_home_keeps_is_found_by_the_same_search(make_home: MakeHome, way: str) -> None:
    home = make_home(settings='[masking]\npersonal = "keep"\n')
    with Memory.open(home) as owner:
        WAYS[way](owner, TOLD)
    assert found_in(home) == {CONTROL, IBAN, CARD}, "the secret is masked all the same"


def test_a_key_of_a_request_must_not_tell_a_secret(make_home: MakeHome) -> None:
    home = make_home()
    with Memory.open(home) as owner:
        for key in (f"password: {SECRET}", f"card {CARD}", IBAN):
            with pytest.raises(InvalidInput) as refusal:
                owner.learn(f"The {CONTROL} is blue.", idempotency_key=key)
            assert (refusal.value.code, refusal.value.field) == ("data_refused", "idempotency_key")
            assert not any(canary in str(refusal.value) for canary in CANARIES)
        owner.learn(f"The {CONTROL} is blue.", idempotency_key="0190b6d0-7c1e-7b5a-9a51-4d0c1d2e3f40")
    assert found_in(home) == {CONTROL}


def test_an_error_message_does_not_repeat_personal_data(make_home: MakeHome) -> None:
    with Memory.open(make_home()) as owner, pytest.raises(HeldtrueError) as refusal:
        owner.get(f"card {CARD}")
    assert "card-number" in str(refusal.value)
    assert CARD not in str(refusal.value)


def test_the_answer_says_what_was_masked(make_home: MakeHome) -> None:
    with Memory.open(make_home()) as owner:
        learned, captured = owner.learn(TOLD), owner.capture(TOLD)
    expected = [
        "a secret was masked before anything was stored (password)",
        "personal data was masked before anything was stored (card-number, iban)",
    ]
    assert learned.notes == expected
    assert captured.notes == expected
    assert learned.memory.content == (
        f"The {CONTROL} archive: password [redacted:password], rent to IBAN [redacted:iban], "
        "paid by card [redacted:card-number]."
    )


BILLING = """
[masking]
personal = "mask"
kinds = { email = "mask", imei = "keep" }

[masking.scopes."project:billing"]
personal = "refuse"
iban = "keep"

[masking.scopes."project:vault"]
secrets = "refuse"
personal = "keep"

[masking.shapes]
staff-number = 'EMP-\\d{6}'
"""


@pytest.fixture
def billed(make_home: MakeHome) -> Path:
    return make_home(settings=BILLING)


def test_each_scope_keeps_masks_or_refuses(billed: Path) -> None:
    with Memory.open(billed) as owner:

        def content(scope: str, text: str) -> str:
            return str(owner.learn(text, scope=scope).memory.content)

        assert content("global", f"Rent: {IBAN}.") == "Rent: [redacted:iban]."
        assert content("project:billing", f"Rent of Ann: {IBAN}.") == f"Rent of Ann: {IBAN}."
        assert content("project:vault", f"Card of Ann: {CARD}.") == f"Card of Ann: {CARD}."
        assert content("global", "Ask ola@example.org at once.") == "Ask [redacted:email] at once."
        assert content("global", "Ring +49 30 901820 at once.") == "Ring +49 30 901820 at once."
        assert content("global", "IMEI 490154203237518 is hers.") == "IMEI 490154203237518 is hers."
        assert content("global", "Ola is EMP-104417 since May.") == "Ola is [redacted:staff-number] since May."
        assert content("project:vault", "Ida is EMP-104418 since May.") == "Ida is EMP-104418 since May."


def test_a_refused_memory_names_the_kind_and_the_cause(billed: Path) -> None:
    with Memory.open(billed) as owner:
        paid = owner.learn(f"The {CONTROL} was paid by card {CARD}.", scope="project:billing")
        said = owner.learn(f"The {CONTROL} has the password {SECRET}.", scope="project:vault")
        staff = owner.learn("Ola is EMP-104417 since May.", scope="project:billing")
        many = owner.learn_many(
            [
                {"content": f"Card {CARD}", "scope": "project:billing"},
                {"content": "The aviary is open.", "scope": "project:billing"},
            ]
        )
        refused = [entry.reason for entry in owner.refusals().items]
    assert [(answer.outcome, answer.cause, answer.memory) for answer in (paid, said, staff)] == [
        ("refused", "data_refused", None)
    ] * 3
    assert paid.reason == "it contains card-number, which project:billing does not accept"
    assert said.reason == "it contains password, which project:vault does not accept"
    assert staff.reason == "it contains staff-number, which project:billing does not accept"
    assert many.counts == {"refused": 1, "created": 1}, "one refused memory does not stop the others"
    assert paid.reason in refused, "the ledger keeps the refusal"
    assert found_in(billed) == {CONTROL}


REFUSED: dict[str, Callable[[Memory, str], object]] = {
    "capture": lambda owner, text: owner.capture(text, scope="project:billing"),
    "capture, title": lambda owner, text: owner.capture("The aviary.", title=text, scope="project:billing"),
    "capture_session": lambda owner, text: owner.capture_session(
        [{"role": "user", "content": text}], session="s", scope="project:billing"
    ),
    "approve": lambda owner, text: owner.approve(
        owner.as_agent("codex").learn("I think it is fine.", kind="profile", scope="project:billing").memory.id,
        content=text,
    ),
}


@pytest.mark.parametrize("way", REFUSED)
def test_other_writes_to_a_refusing_scope_fail_with_the_kind(billed: Path, way: str) -> None:
    with Memory.open(billed) as owner, pytest.raises(InvalidInput) as refusal:
        REFUSED[way](owner, f"The {CONTROL} was paid by card {CARD}.")
    assert refusal.value.code == "data_refused"
    assert "card-number" in refusal.value.message
    assert CARD not in str(refusal.value)
    assert CARD.encode() not in b"".join(path.read_bytes() for path in billed.rglob("*") if path.is_file())


def test_a_file_with_refused_data_is_left_out_and_the_others_are_read(billed: Path, tmp_path: Path) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "card.md").write_text(f"Paid by card {CARD}.\n", "utf-8")
    (folder / "bird.md").write_text(f"The {CONTROL} is blue.\n", "utf-8")
    (folder / f"card {CARD}.md").write_text("The aviary.\n", "utf-8")
    with Memory.open(billed) as owner:
        answer = owner.ingest(folder, scope="project:billing")
    assert (answer.documents, answer.left_out) == (1, 2)
    assert any("card-number" in left.reason for left in answer.details)
    assert CARD.encode() not in b"".join(path.read_bytes() for path in billed.rglob("*") if path.is_file())
    assert CONTROL in found_in(billed)


def test_jobs_mask_by_the_same_settings(make_home: MakeHome) -> None:
    """What was captured before a setting changed is masked again when a job makes a memory of it."""
    home = make_home(settings='[masking]\npersonal = "keep"\n')
    text = f"We decided to pay the rent of the {CONTROL} archive to {IBAN}. Our archive uses PostgreSQL."
    with Memory.open(home) as owner:
        owner.capture(text)
    (home / "heldtrue.toml").write_text("", "utf-8")
    with Memory.open(home) as owner:
        owner.work()
        waiting = [item.memory.content for item in owner.inbox().items]
    assert waiting
    assert any("[redacted:iban]" in content for content in waiting)
    assert not any(IBAN in content for content in waiting)


@pytest.mark.parametrize(
    ("settings", "field", "said"),
    [
        ('[masking]\nsecrets = "keep"', "masking.secrets", "mask, refuse"),
        ('[masking.kinds]\npassword = "keep"', "masking.kinds.password", "secrets are never kept"),
        ('[masking.kinds]\ngithub-token = "keep"', "masking.kinds.github-token", "secrets are never kept"),
        ('[masking.kinds]\nibans = "mask"', "masking.kinds.ibans", "is not a kind of data"),
        ('[masking.kinds]\niban = "hide"', "masking.kinds.iban", "keep, mask or refuse"),
        ('[masking.scopes.billing]\npersonal = "mask"', "masking.scopes", "is not a scope"),
        ('[masking.scopes."project:x"]\nsecrets = "keep"', "masking.scopes.project:x.secrets", "never kept"),
        ("[masking.shapes]\nstaff = '(a+)+b'", "masking.shapes.staff", "is not allowed"),
        ("[masking.shapes]\nstaff = 'a{2}'", "masking.shapes.staff", "fewer than 4 characters"),
        ("[masking.shapes]\nstaff = '\\d{500}'", "masking.shapes.staff", "more than 200 characters"),
        ("[masking.shapes]\niban = 'EMP-\\d{6}'", "masking.shapes.iban", "new name"),
    ],
)
def test_a_setting_that_cannot_hold_is_refused_with_what_to_do(
    make_home: MakeHome, settings: str, field: str, said: str
) -> None:
    with pytest.raises(InvalidInput) as refusal:
        Memory.open(make_home(settings=settings))
    assert refusal.value.field == field
    assert said in str(refusal.value)


def test_a_long_text_is_masked_by_the_settings_in_a_child_process_too(billed: Path) -> None:
    from heldtrue.ingest.stages.candidate import Proposal, prepare_candidate
    from heldtrue.language.masking import masking_by
    from heldtrue.wiring.analysis_children import InChildren
    from heldtrue.wiring.settings import read_settings

    children = InChildren()
    try:
        with masking_by(read_settings(billed).masking.policy):
            proposal = Proposal(content=f"Ola is EMP-104417. Card {CARD}.", scope="project:billing")
            made: Any = children.run_apart(prepare_candidate, proposal)
    finally:
        children.close()
    assert made.content == "Ola is [redacted:staff-number]. Card [redacted:card-number]."
    assert made.refused == ("card-number", "staff-number")
