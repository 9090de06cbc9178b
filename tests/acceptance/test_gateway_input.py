"""What cannot be stored is said to be so, by the name of the field, and leaves nothing behind; secrets are masked."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

from heldtrue import HeldtrueError, InvalidInput, Memory
from tests.acceptance.homes import MakeHome, entries, head_of, listed, recalled

KIB = 1024
BAD_LEARNS: dict[str, tuple[dict[str, Any], str]] = {
    "no content": ({"content": ""}, "content"),
    "blank content": ({"content": " \n\t "}, "content"),
    "content of invisible characters": ({"content": "\u200b\u2060\u202e"}, "content"),
    "content of NULs": ({"content": "\x00\x00"}, "content"),
    "content that is no text": ({"content": 7}, "content"),
    "content left out": ({}, "content"),
    "content of 65 KiB": ({"content": "a" * 65 * KIB}, "content"),
    "content of 65 KiB in few letters": ({"content": "猫" * 22 * KIB}, "content"),
    "source text of over a megabyte": ({"content": "short", "source_text": "a" * (KIB * KIB + 1)}, "source_text"),
    "a title without end": ({"content": "short", "title": "t" * 201}, "title"),
    "a topic without end": ({"content": "short", "topic": "t" * 201}, "topic"),
    "a source without end": ({"content": "short", "source": "s" * 2_001}, "source"),
    "a rationale without end": ({"content": "short", "rationale": "r" * 4_001}, "rationale"),
    "confidence above one": ({"content": "short", "confidence": 1.01}, "confidence"),
    "confidence below nought": ({"content": "short", "confidence": -0.01}, "confidence"),
    "confidence that is no number": ({"content": "short", "confidence": math.nan}, "confidence"),
    "endless confidence": ({"content": "short", "confidence": math.inf}, "confidence"),
    "confidence in words": ({"content": "short", "confidence": "high"}, "confidence"),
    "an unknown kind": ({"content": "short", "kind": "fact"}, "kind"),
    "an unknown staleness": ({"content": "short", "staleness": "monthly"}, "staleness"),
    "an unknown visibility": ({"content": "short", "visibility": "public"}, "visibility"),
    "an unknown strength": ({"content": "short", "strength": "weak"}, "strength"),
    "an unknown conflict rule": ({"content": "short", "on_conflict": "ignore"}, "on_conflict"),
    "an unknown argument": ({"content": "short", "contents": "x"}, "contents"),
    "a status given by the caller": ({"content": "short", "status": "active"}, "status"),
    "a verifier given by the caller": ({"content": "short", "verified_by": "person:owner"}, "verified_by"),
    "an author given by the caller": ({"content": "short", "agent": "claude"}, "agent"),
    "a scope of no kind": ({"content": "short", "scope": "planet:earth"}, "scope"),
    "a scope without a name": ({"content": "short", "scope": "project:"}, "scope"),
    "a scope with a wildcard": ({"content": "short", "scope": "project:*"}, "scope"),
    "a scope with a space": ({"content": "short", "scope": "project:a b"}, "scope"),
    "a scope without end": ({"content": "short", "scope": "project:" + "a" * 201}, "scope"),
    "a moment that is none": ({"content": "short", "valid_from": "soon"}, "valid_from"),
    "a day that is none": ({"content": "short", "observed_at": "2026-02-30"}, "observed_at"),
    "a moment before all calendars": ({"content": "short", "valid_from": "999999999 weeks ago"}, "valid_from"),
    "an end before the start": ({"content": "x y", "valid_from": "2026-02-01", "valid_to": "2026-01-01"}, "valid_to"),
    "a key without letters": ({"content": "short", "idempotency_key": ""}, "idempotency_key"),
    "a key without end": ({"content": "short", "idempotency_key": "k" * 201}, "idempotency_key"),
}
BAD_CALLS: dict[str, tuple[str, dict[str, Any], str]] = {
    "recall nothing": ("memory.recall", {"context": "  "}, "context"),
    "recall without end": ("memory.recall", {"context": "w" * 2_001}, "context"),
    "recall none": ("memory.recall", {"context": "x", "limit": 0}, "limit"),
    "recall too many": ("memory.recall", {"context": "x", "limit": 101}, "limit"),
    "recall 2^63": ("memory.recall", {"context": "x", "limit": 2**63}, "limit"),
    "recall as of nonsense": ("memory.recall", {"context": "x", "as_of": "then"}, "as_of"),
    "recall as of an entry beyond numbers": ("memory.recall", {"context": "x", "as_of": f"#{2**63}"}, "as_of"),
    "recall of an unknown age": ("memory.recall", {"context": "x", "max_age": "old"}, "max_age"),
    "recall of an unknown kind": ("memory.recall", {"context": "x", "kinds": ["fact"]}, "kinds[0]"),
    "recall in an unknown scope": ("memory.recall", {"context": "x", "scopes": ["planet:earth"]}, "scopes"),
    "recall with NaN": ("memory.recall", {"context": "x", "min_confidence": math.nan}, "min_confidence"),
    "list too many": ("memory.list", {"limit": 1_001}, "limit"),
    "list from a wrong cursor": ("memory.list", {"cursor": "next"}, "cursor"),
    "list from a cursor beyond numbers": ("memory.list", {"cursor": str(2**63)}, "cursor"),
    "list an unknown status": ("memory.list", {"statuses": ["alive"]}, "statuses[0]"),
    "explain too deep": ("memory.explain", {"memory": "x", "depth": 11}, "depth"),
    "diff since nonsense": ("memory.diff", {"since": "then"}, "since"),
    "conflicts from a wrong cursor": ("memory.conflicts", {"cursor": "-1"}, "cursor"),
    "forget without a reason": ("memory.forget", {"memory": "x"}, "reason"),
    "an empty batch": ("memory.learn_many", {"memories": []}, "memories"),
    "a batch without end": ("memory.learn_many", {"memories": [{"content": "x"}] * 1_001}, "memories"),
    "a wrong head": ("memory.verify", {"head": "12"}, "head"),
}


@pytest.mark.covers("B1", "D5", "A26")
@pytest.mark.parametrize(("arguments", "field"), BAD_LEARNS.values(), ids=BAD_LEARNS)
def test_a_bad_write_is_refused_by_the_name_of_its_field_and_writes_nothing(
    owner: Memory, arguments: dict[str, Any], field: str
) -> None:
    owner.learn("Something is held already.")
    head = head_of(owner)
    for caller in (owner, owner.as_agent("codex")):
        with pytest.raises(InvalidInput) as refused:
            caller.invoke("memory.learn", **arguments)
        assert refused.value.field == field
        assert refused.value.message
        assert refused.value.exit_status == 2
    if "idempotency_key" not in arguments:
        with pytest.raises(InvalidInput) as refused:
            owner.learn_many([{"content": "A good one before it."}, arguments])
        assert str(refused.value.field).startswith("memories[")
    assert head_of(owner) == head
    assert listed(owner) == ["Something is held already."]


@pytest.mark.covers("B1", "A26")
@pytest.mark.parametrize(("verb", "arguments", "field"), BAD_CALLS.values(), ids=BAD_CALLS)
def test_a_bad_call_is_refused_by_the_name_of_its_field(
    owner: Memory, verb: str, arguments: dict[str, Any], field: str
) -> None:
    owner.learn("Something is held already.")
    head = head_of(owner)
    with pytest.raises(InvalidInput) as refused:
        owner.invoke(verb, **arguments)
    assert refused.value.field == field
    assert head_of(owner) == head


@pytest.mark.covers("A26")
def test_a_misspelt_argument_is_told_the_right_one(owner: Memory) -> None:
    with pytest.raises(InvalidInput) as refused:
        owner.invoke("memory.learn", content="x y", visibilty="local")
    assert refused.value.hint == "did you mean visibility?"


@pytest.mark.covers("A3", "D2")
@pytest.mark.parametrize(
    "text",
    [
        "a" * 60 * KIB,
        "A lone \ud800 surrogate in the middle.",
        "A NUL \x00 in the middle.",
        "A terminal \x1b[31mcolour\x1b[0m code.",
        "Größe, 大きさ, μέγεθος, размер, 🐈\u200d⬛ and हिन्दी.",
        "' OR 1=1; DROP TABLE memory_versions; --",
        '"quoted" AND (NOT near/2) * ^ : text',
        "%s %d {0} {name} ${HOME} $(rm -rf /)",
        "9223372036854775808 is two to the power of 63.",
    ],
    ids=["long", "surrogate", "NUL", "terminal", "scripts", "SQL", "FTS", "formats", "2^63"],
)
def test_odd_but_good_text_is_kept_on_either_store(anywhere: Memory, text: str) -> None:
    answer = anywhere.learn(text)
    assert answer.outcome == "created"
    told = anywhere.get(answer.memory.id)
    assert told.memory.content == answer.memory.content
    assert "\x00" not in told.memory.content
    assert told.memory.content.encode("utf-8"), "it can be written out"
    assert anywhere.verify().ok


# Secrets

SECRETS = {
    "GitHub token": "ghp_" + "x9Qd3LmT7vRb2KcN8wYf5HsJ1pZg4UeA6oXi",
    "private key": "-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA7v9QxTz3kLmN\n-----END RSA PRIVATE KEY-----",
    "password": "hunter2-Zx81-correct",
}
CANARIES = ("x9Qd3LmT7vRb2KcN8wYf5HsJ1pZg4UeA6oXi", "MIIEowIBAAKCAQEA7v9QxTz3kLmN", "hunter2-Zx81-correct")
SAY = {
    "GitHub token": "The token is {}",
    "private key": "The key is {}",
    "password": "The password is password={}",
}


def spill(secret: str) -> str:
    return SAY[secret].format(SECRETS[secret])


def bytes_of(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file())


@pytest.mark.covers("D5", "B1")
@pytest.mark.parametrize("secret", SECRETS)
def test_a_secret_is_masked_wherever_it_is_said_and_is_in_no_file(
    secret: str, make_home: MakeHome, tmp_path: Path
) -> None:
    home, out = make_home(), tmp_path / "out"
    out.mkdir()
    text = spill(secret)
    with Memory.open(home) as memory:
        codex = memory.as_agent("codex")
        learned = codex.learn(f"Deploys need it. {text}", source_text=f"Someone pasted: {text}", source="chat")
        assert any("masked" in note for note in learned.notes)
        assert "redacted" in learned.memory.content
        other = memory.learn(
            "The parser is recursive.", title=text, summary=text, topic=text, rationale=text, source=text, category=text
        )
        memory.link(other.memory.id, learned.memory.id, reason=text)
        memory.unlink(other.memory.id, learned.memory.id, reason=text)
        memory.learn_many([{"content": f"In a batch: {text}"}])
        memory.correct(other.memory.id, f"The parser is iterative. {text}", reason=text)
        memory.forget(learned.memory.id, reason=text)
        memory.restore(learned.memory.id, reason=text)
        waiting = codex.learn("Sebas likes cats.", kind="profile")
        memory.reject(waiting.memory.id, reason=text)
        (tmp_path / "lines.jsonl").write_text(json.dumps({"content": f"Imported: {text}"}), "utf-8")
        memory.import_(str(tmp_path / "lines.jsonl"))
        memory.recall(text)
        memory.export(str(out / "export.jsonl"))
        memory.backup(str(out / "backup.db"))
        ledger = " ".join(f"{entry.reason} {entry.detail}" for entry in entries(memory))
    for data in (bytes_of(home), bytes_of(out), ledger.encode()):
        assert not [canary for canary in CANARIES if canary.encode() in data]
    assert b"Deploys need it" in bytes_of(home), "what is not secret is there to be found"
    assert b"Deploys need it" in bytes_of(out)


@pytest.mark.covers("D5")
@pytest.mark.parametrize("secret", SECRETS)
def test_a_secret_is_in_no_error_message(owner: Memory, secret: str) -> None:
    text = spill(secret)
    told = []
    for verb, arguments in (
        ("memory.learn", {"content": text, "scope": text}),
        ("memory.learn", {"content": text, "valid_from": text}),
        ("memory.learn", {"content": text, "kind": text}),
        ("memory.learn", {"content": text + "a" * 70 * KIB}),
        ("memory.get", {"memory": text}),
        ("memory.recall", {"context": "x", "as_of": text}),
        ("memory.link", {"memory": text, "to": text}),
        ("memory.resolve", {"conflict": text, "disposition": "keep_old", "reason": "x"}),
    ):
        with pytest.raises(HeldtrueError) as refused:
            owner.invoke(verb, **arguments)
        told.append(f"{refused.value.message} {refused.value.hint}")
    assert not [canary for canary in CANARIES for message in told if canary in message]
    assert all(len(message) < 1_000 for message in told)


@pytest.mark.covers("D5")
def test_what_only_looks_like_a_secret_is_kept(owner: Memory) -> None:
    texts = [
        "The password policy asks for twelve characters.",
        "Tokens expire after one hour.",
        "Commit 3f786850e387550fdab836ed7e6dc881de23001b broke the build.",
    ]
    for text in texts:
        assert owner.learn(text).notes == []
    assert sorted(listed(owner)) == sorted(texts)
    assert recalled(owner, "commit 3f786850e387550fdab836ed7e6dc881de23001b")[0] == texts[2]
