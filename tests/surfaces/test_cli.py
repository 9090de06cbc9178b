"""The commands, as people and programs use them."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import msgspec
import pytest
from msgspec import Meta

from heldtrue.capabilities.call import Call
from heldtrue.capabilities.parameters import Request
from heldtrue.capabilities.registry import CAPABILITIES, capability
from heldtrue.capabilities.verb_index import all_capabilities, verbs
from heldtrue.domain.action import Effect
from tests.surfaces.conftest import CommandLine, Done

PORT = "The API listens on port 8080."


def test_learn_answers_programs_in_one_line(process: Callable[..., Done]) -> None:
    done = process("learn", PORT, "--source", "docs/deploy.md:12", "--json")
    assert (done.status, done.err) == (0, "")
    assert done.out.count("\n") == 1
    assert done.answer["outcome"] == "created"
    assert {"id", "iri", "status", "confidence", "content", "scope", "kind"} <= done.answer["memory"].keys()
    assert done.answer["memory"]["status"] == "active"
    assert done.answer["memory"]["confidence"] == 0.9
    assert done.answer["reason"]


@pytest.mark.covers("B15")
def test_recall_answers_programs_with_score_evidence_trust_and_reason(process: Callable[..., Done]) -> None:
    process("--agent", "scout", "learn", PORT, "--source", "docs/deploy.md:12")
    done = process("recall", "which port?", "--json")
    assert {"recall_id", "results"} <= done.answer.keys()
    (result,) = done.answer["results"]
    assert {"memory", "score", "breakdown", "matched_scope", "evidence", "trust", "explanation"} <= result.keys()
    assert result["memory"]["content"] == PORT
    assert result["score"] == pytest.approx(sum(result["breakdown"].values()))
    assert result["evidence"][0]["reference"] == "docs/deploy.md:12"
    assert [tag["tag"] for tag in result["trust"]] == ["unconfirmed"]
    assert '"port"' in result["explanation"]


def test_recall_tells_people_what_was_found_and_why(process: Callable[..., Done]) -> None:
    process("--agent", "scout", "learn", PORT, "--source", "docs/deploy.md:12")
    done = process("recall", "which", "port?")
    assert done.status == 0
    for told in (PORT, "score", "docs/deploy.md:12", "unconfirmed:", "Chosen because it matches", "agent:scout"):
        assert told in done.out
    assert "\x1b" not in done.out


def test_recall_says_so_when_it_finds_nothing(heldtrue: CommandLine) -> None:
    heldtrue("learn", PORT)
    assert 'No memories found for "zebra"' in heldtrue("recall", "zebra")
    assert heldtrue.json("recall", "zebra")["results"] == []


@pytest.mark.covers("A14")
def test_recall_as_of_tells_what_became_of_it(heldtrue: CommandLine) -> None:
    learned = heldtrue.json("learn", PORT)
    new = "The API listens on port 9090."
    heldtrue("correct", learned["memory"]["id"], new, "--reason", "moved behind the gateway")
    before = heldtrue("recall", "port", "--as-of", f"#{learned['seq']}")
    assert PORT in before
    assert f'since then: replaced by "{new}" because: moved behind the gateway' in before.replace("\n    ", " ")
    assert PORT not in heldtrue("recall", "port")


@pytest.mark.covers("B7", "A28")
@pytest.mark.parametrize("position", ["before", "after"])
def test_agent_changes_who_acts_wherever_it_is_typed(heldtrue: CommandLine, position: str) -> None:
    words = ["learn", "Maria prefers short answers", "--kind", "profile"]
    acting = ["--agent", "scout"]
    told = heldtrue.json(*(acting + words if position == "before" else words + acting))
    assert (told["outcome"], told["memory"]["status"], told["memory"]["agent"]) == ("pending", "inbox", "agent:scout")
    own = heldtrue.json("learn", "Maria prefers long walks", "--kind", "profile")
    assert (own["memory"]["status"], own["memory"]["verified_by"]) == ("active", "person:owner")


def test_global_options_go_before_or_after_the_command(process: Callable[..., Done], tmp_path: Path) -> None:
    other = tmp_path / "other"
    assert process("--home", str(other), "--json", "learn", PORT).answer["outcome"] == "created"
    assert process("learn", PORT, "--json", f"--home={other}").answer["outcome"] == "refreshed"
    assert process("status", "--json", "--home", str(other), "--project", "shop").answer["active"] == 1


def test_an_option_that_narrows_is_not_taken_for_who_acts(heldtrue: CommandLine) -> None:
    heldtrue("--agent", "scout", "learn", PORT)
    heldtrue("learn", "The queue drains at midnight.")
    assert [item["content"] for item in heldtrue.json("list", "--only-agent", "scout")["items"]] == [PORT]
    assert len(heldtrue.json("list", "--agent", "scout")["items"]) == 2


def test_lists_may_be_repeated_or_separated_by_commas(heldtrue: CommandLine) -> None:
    heldtrue("learn", PORT, "--kind", "artifact", "--scope", "project:shop")
    heldtrue("learn", "The queue drains at midnight.", "--kind", "pattern")
    heldtrue("learn", "Maria prefers tea.", "--kind", "preference")
    for words in (["--kind", "artifact,pattern"], ["--kind", "artifact", "--kind", "pattern"]):
        assert {item["kind"] for item in heldtrue.json("list", *words)["items"]} == {"artifact", "pattern"}
    assert [item["content"] for item in heldtrue.json("list", "--scope", "project:shop")["items"]] == [PORT]


def test_texts_come_from_standard_input(process: Callable[..., Done]) -> None:
    assert process("learn", "-", "--json", stdin=f"{PORT}\n").answer["memory"]["content"] == PORT
    lines = "".join(json.dumps({"content": f"Shelf {number} holds jar {number}."}) + "\n" for number in range(3))
    assert process("learn-many", "-", "--json", stdin=lines).answer["counts"] == {"created": 3}


def test_many_are_learned_from_a_file(heldtrue: CommandLine, tmp_path: Path) -> None:
    file = tmp_path / "notes.jsonl"
    file.write_text(f'{{"content": "{PORT}"}}\n\n{{"content": "Maria prefers tea.", "kind": "preference"}}\n', "utf-8")
    told = heldtrue("learn-many", str(file))
    assert "2 memories: 2 created" in told
    assert PORT in told


def test_a_place_with_a_default_can_be_left_out_or_named(heldtrue: CommandLine) -> None:
    first, second = (heldtrue.json("learn", text)["memory"]["id"] for text in (PORT, "The queue drains at midnight."))
    assert heldtrue.json("link", first, second)["link"]["relationship"] == "related_to"
    assert heldtrue.json("link", first, "--reason", "why", second, "supports")["link"]["relationship"] == "supports"
    assert heldtrue.json("link", first, second, "--relationship", "causes")["link"]["relationship"] == "causes"


def test_words_after_two_dashes_are_never_options(heldtrue: CommandLine) -> None:
    assert heldtrue.json("learn", "--", "--json is an option of every command")["memory"]["content"].startswith(
        "--json"
    )


def test_flags_can_be_turned_on_and_off(heldtrue: CommandLine) -> None:
    learned = heldtrue.json("learn", PORT)
    heldtrue("forget", learned["memory"]["id"], "--reason", "gone")
    assert len(heldtrue.json("diff", "#0")["retracted"]) == 1
    assert heldtrue.json("diff", "#0", "--no-include-corrections")["retracted"] == []
    assert heldtrue.json("conflicts", "--settled")["items"] == []


def test_quiet_leaves_the_ids(heldtrue: CommandLine) -> None:
    memory = heldtrue("learn", PORT, "--quiet").strip()
    assert heldtrue("recall", "port", "--quiet").strip() == memory
    assert heldtrue("--quiet", "list").strip() == memory
    assert heldtrue("verify", "--quiet") == ""


def test_a_refused_write_is_an_answer(heldtrue: CommandLine) -> None:
    memory = heldtrue("learn", PORT, "--quiet").strip()
    heldtrue("forget", memory, "--reason", "the service is gone")
    done = heldtrue.run("--agent", "scout", "learn", PORT)
    assert done.status == 0
    assert done.out.startswith("refused")
    assert "the service is gone" in done.out


def test_an_idempotency_key_makes_a_retry_safe(heldtrue: CommandLine) -> None:
    first = heldtrue.json("learn", PORT, "--idempotency-key", "one")
    assert heldtrue.json("learn", PORT, "--idempotency-key", "one") == first


def test_every_way_out_and_back_in(heldtrue: CommandLine, tmp_path: Path) -> None:
    heldtrue("learn", PORT)
    assert "Exported: 1 entry" in heldtrue("export", str(tmp_path / "out.jsonl"))
    assert "Backed up and verified: 1 entry" in heldtrue("backup", str(tmp_path / "out.db"))
    assert "each verified" in heldtrue("--home", str(tmp_path / "a"), "import", str(tmp_path / "out.jsonl"))
    assert heldtrue("--home", str(tmp_path / "b"), "restore-backup", str(tmp_path / "out.db")).startswith("restored")
    for home in ("a", "b"):
        assert PORT in heldtrue("--home", str(tmp_path / home), "recall", "port")


def test_versions_agree(heldtrue: CommandLine) -> None:
    from heldtrue import __version__

    assert heldtrue("version") == heldtrue("--version") == f"heldtrue {__version__}\n"
    assert heldtrue.json("version") == heldtrue.json("--version") == {"version": __version__}


# A capability is declared once


class Shouted(msgspec.Struct, frozen=True, kw_only=True):
    text: str
    letters: int
    loud: bool
    nothing: str | None = None
    echoes: list[str] = []


class ShoutRequest(Request):
    text: Annotated[str, Meta(description="What to shout.")]
    times: Annotated[int, Meta(ge=1, description="How often it comes back.")] = 1
    loud: Annotated[bool, Meta(description="Whether to use capitals.")] = True


def shout(call: Call, request: ShoutRequest) -> Shouted:
    """Say it again, louder."""
    said = request.text.upper() if request.loud else request.text
    return Shouted(text=said, letters=len(said), loud=request.loud, echoes=[f"{said}\x1b[2J"] * request.times)


@pytest.mark.covers("A26")
def test_a_new_capability_is_a_command_with_no_other_edit(heldtrue: CommandLine) -> None:
    heldtrue("learn", PORT)
    capability("memory.shout_out", Effect.READ, positional=("text",))(shout)
    try:
        told = heldtrue("shout-out", "hello", "--times", "2")
        assert told.count("HELLO\\x1b[2J") == 2
        assert "letters  5" in told
        assert heldtrue.json("shout-out", "hello", "--no-loud")["text"] == "hello"
        assert heldtrue.run("shout-out", "hello", "--times", "0").status == 2
        assert "Say it again, louder." in heldtrue("help", "--all")
        described = heldtrue("shout-out", "--help")
        assert all(text in described for text in ("What to shout.", "How often it comes back.", "--no-loud"))
        assert "shout-out" in heldtrue.run("shout-ou", "hello").err
    finally:
        del CAPABILITIES["memory.shout_out"]
    assert heldtrue.run("shout-out", "hello").status == 2


def test_the_short_cut_to_a_verb_leads_to_where_it_is_declared() -> None:
    found = {verb: capability.handler.__module__.rpartition(".")[2] for verb, capability in all_capabilities().items()}
    assert {verb: known.module for verb, known in verbs().items()} == found
