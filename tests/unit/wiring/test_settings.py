"""The settings file: defaults, checks, and what a wrong key is told."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from heldtrue import ManualClock
from heldtrue.domain.errors import InvalidInput, InvalidSettings
from heldtrue.wiring.clock import SystemClock
from heldtrue.wiring.settings import Settings, parse_settings, read_settings, setting_names


def value_of(settings: Any, name: str) -> Any:
    for part in name.split("."):
        settings = getattr(settings, part)
    return settings


@pytest.mark.covers("A19")
def test_a_home_without_a_file_has_the_defaults(tmp_path: Path) -> None:
    assert read_settings(tmp_path) == Settings() == parse_settings("")


OTHERS = {
    "conflicts.default": '"refuse"',
    "recall.search_provider": '"fts5"',
    "recall.profile": '"brain"',
    "recall.profiles": "{brain = {text = 0.5}}",
    "recall.vector_model": '"none"',
    "recall.reranker": '"quality"',
    "recall.floor": "0.5",
    "recall.decay.categories": "{work = 0.5}",
    "extraction.model": '"openai"\nurl = "http://localhost/v1"\nname = "x"',
    "extraction.max_tokens": "700",
    "extraction.key_variable": '"HELDTRUE_OTHER"',
    "recall.endpoint.key_variable": '"HELDTRUE_OTHER"',
    "server.allowed_hosts": '["memory.example"]',
    "server.log": '"json"',
    "engine.timezone": '"Europe/Paris"',
    "engine.nightly": '"30 4 * * *"',
    "engine.weekly": '"30 4 * * 6"',
    "engine.monthly": '"30 4 2 * *"',
    "masking.secrets": '"refuse"',
    "masking.personal": '"keep"',
    "masking.kinds": '{email = "mask"}',
    "masking.scopes": '{"project:x" = {personal = "refuse", iban = "keep"}}',
    "masking.shapes": "{staff-number = 'EMP-\\d{6}'}",
    "engine.promotion": "[{sources = 3}]",
    "engine.unused_days": "{work = 9}",
    "retention.rules": '[{category = "work", days = 9}]',
}
"""Values of keys that do not take any."""


@pytest.mark.parametrize("name", setting_names())
def test_every_key_can_be_set_and_is_documented_with_its_default(name: str) -> None:
    default = value_of(Settings(), name)
    section, _, key = name.rpartition(".")
    document = Path("docs/reference/settings.md").read_text("utf-8")
    shown = name.partition(".")[2]
    assert f"`{shown}`" in document, "it is in the reference"
    given = {
        bool: str(not default).lower(),
        int: "7",
        float: "0.5",
        str: '"project:x"',
        dict: '{"project:x" = "refuse"}',
    }
    literal = '"private"' if key == "default_visibility" else '"daily"' if key == "default_staleness" else None
    literal = OTHERS.get(name, literal)
    text = f"[{section}]\n{key} = {literal or given.get(type(default), chr(34) + 'x' + chr(34))}\n"
    assert value_of(parse_settings(text), name) != default


@pytest.mark.covers("A19")
@pytest.mark.parametrize(
    ("text", "field", "suggestion"),
    [
        ("[memory]\ndefault_scop = 'global'", "memory.default_scop", "[memory] default_scope"),
        ("[memory]\nmax_fact = 5", "memory.max_fact", "[memory] max_facts"),
        ("[recall.decay]\nper_days = 0.1", "recall.decay.per_days", "[recall.decay] per_day"),
        ("[conflict]\ndefault = 'wait'", "conflict", "[conflicts]"),
        ("[memry]\nmax_facts = 5", "memry", "[memory]"),
        ("[recall.decy]\nper_day = 0.1", "recall.decy", "[recall.decay]"),
        ("max_facts = 5", "max_facts", "[memory] max_facts"),
        ("[recall]\nlog_day = 3", "recall.log_day", "[recall] log_days"),
        ("[project]\nmax_facts = 5", "project.max_facts", "[memory] max_facts"),
        ("[extraction]\ntimeout = 5", "extraction.timeout", "[extraction] timeout_seconds"),
    ],
)
def test_an_unknown_key_is_told_the_right_one(text: str, field: str, suggestion: str) -> None:
    with pytest.raises(InvalidSettings) as refused:
        parse_settings(text)
    assert refused.value.field == field
    assert refused.value.hint == f"did you mean {suggestion}?"


@pytest.mark.covers("A19")
def test_a_key_that_is_near_to_none_is_told_those_that_there_are() -> None:
    for text, told in (
        ("[server]\nfoo = 1", "the keys in [server] are host, port, "),
        ("[recall.foo]\nx = 1", "see all settings: heldtrue help settings"),
        ("foo = 1", "see all settings: heldtrue help settings"),
    ):
        with pytest.raises(InvalidSettings) as refused:
            parse_settings(text)
        assert str(refused.value.hint).startswith(told)
        assert str(refused.value.hint).endswith("heldtrue help settings")


@pytest.mark.covers("A19")
@pytest.mark.parametrize(
    "text",
    [
        "[memory\n",
        "[memory]\nmax_facts = -1",
        "[memory]\nmax_facts = 'many'",
        "[memory]\ndefault_scope = 'planet:earth'",
        "[memory]\ndefault_visibility = 'public'",
        "[conflicts]\ndefault = 'ignore'",
        "[conflicts.scopes]\n'planet:earth' = 'wait'",
        "[conflicts.scopes]\n'project:a' = 'maybe'",
        "[recall]\nfloor = 2",
        "[recall.profiles.brain]\ntext = 11",
        "[recall.profiles.brain]\ntext = nan",
        "[recall.profiles.brain]\nlooks = 1",
        "[recall.profiles.mine]\ntext = 1",
        '[recall]\nvector_model = "endpoint"',
        "storage = 'here'",
    ],
)
def test_a_wrong_value_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        parse_settings(text)
    assert refused.value.hint


@pytest.mark.covers("A19")
@pytest.mark.parametrize(
    ("text", "field", "told"),
    [
        (
            "[memory]\ndefault_visibility = 'keep'",
            "memory.default_visibility",
            '[memory] default_visibility: "keep" is not one of private, local, shared',
        ),
        (
            "[conflicts.scopes]\n'project:a' = 'wait'\n'project:b.c' = 'maybe'",
            "conflicts.scopes.project:b.c",
            '[conflicts.scopes] project:b.c: "maybe" is not one of wait, refuse, coexist',
        ),
        ("[memory]\nmax_facts = 'many'", "memory.max_facts", '[memory] max_facts: "many" is not a whole number'),
        ("[memory]\nmax_facts = -1", "memory.max_facts", "[memory] max_facts: -1 is not a whole number of at least 0"),
        (
            "[memory]\ncompact_on_start = 1",
            "memory.compact_on_start",
            "[memory] compact_on_start: 1 is not true or false",
        ),
        (
            "[recall.decay]\nper_day = 11",
            "recall.decay.per_day",
            "[recall.decay] per_day: 11 is not a number of at most 1",
        ),
        ("[memory]\ndefault_scope = 'mars'", "memory.default_scope", '[memory] default_scope: "mars" is not a scope'),
        ("storage = 'here'", "storage", 'storage: "here" is not an object'),
        (
            "[[retention.rules]]\ndays = 30",
            "retention.rules[0]",
            "[[retention.rules]] number 1: at least one of category, kind, source, scope must be set",
        ),
        (
            "[[retention.rules]]\ncategory = 'work'",
            "retention.rules[0].days",
            "[[retention.rules]] number 1: days: missing",
        ),
        (
            "[[retention.rules]]\ncategory = 'work'\ndays = 0",
            "retention.rules[0].days",
            "[[retention.rules]] number 1: days: 0 is not a whole number of at least 1",
        ),
        (
            "[[retention.rules]]\ncategory = 'work'\ndays = 9\n[[retention.rules]]\nsource = 'chat'\ndays = 9",
            "retention.rules[1].source",
            '[[retention.rules]] number 2: source: "chat" is not one of manual, conversation, run, document, import',
        ),
        (
            "[[retention.rules]]\nscope = 'mars'\ndays = 9",
            "retention.rules[0].scope",
            '[[retention.rules]] number 1: scope: "mars" is not a scope',
        ),
        (
            "[[retention.rules]]\nscope = 'global'\ndays = 9\nthen = 'burn'",
            "retention.rules[0].then",
            '[[retention.rules]] number 1: then: "burn" is not one of archive, erase',
        ),
        (
            "[[retention.rules]]\nscope = 'global'\nday = 9",
            "retention.rules[0].day",
            "[[retention.rules]] number 1: day: unknown key",
        ),
        (
            "[[engine.promotion]]\nstrength = 'weak'",
            "engine.promotion[0].strength",
            '[[engine.promotion]] number 1: strength: "weak" is not one of explicit, implied, inferred',
        ),
    ],
)
def test_a_wrong_value_is_told_its_key_and_what_belongs_there(text: str, field: str, told: str) -> None:
    with pytest.raises(InvalidSettings) as refused:
        parse_settings(text)
    assert (refused.value.field, refused.value.message) == (field, f"heldtrue.toml: {told}")


@pytest.mark.covers("A19")
@pytest.mark.parametrize("url", ["mysql://x", "", "sqlite://x.db", "http://x/y"])
def test_a_store_of_no_known_kind_is_refused(url: str) -> None:
    with pytest.raises(InvalidSettings) as refused:
        parse_settings(f"[storage]\nurl = '{url}'")
    assert refused.value.field == "storage.url"
    assert refused.value.message == (
        f'heldtrue.toml: [storage] url: "{url}" is not a SQLite file or a postgresql:// address'
    )


@pytest.mark.covers("A19")
def test_a_refused_address_does_not_repeat_its_password() -> None:
    with pytest.raises(InvalidSettings) as refused:
        parse_settings("[storage]\nurl = 'mysql://me:hunter2@db/x?password=hunter3'")
    assert '"mysql://db/x"' in refused.value.message
    assert "hunter" not in str(refused.value)


@pytest.mark.parametrize(
    ("url", "file"),
    [("brain.db", "brain.db"), ("sqlite:///brain.db", "brain.db"), ("postgresql://x/y", None), ("postgres://x", None)],
)
def test_a_store_is_a_file_or_an_address(url: str, file: str | None) -> None:
    assert parse_settings(f"[storage]\nurl = '{url}'").storage.file == file


@pytest.mark.covers("A19")
def test_a_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "heldtrue.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InvalidSettings, match=r"heldtrue\.toml"):
        read_settings(tmp_path)


@pytest.mark.covers("A19", "D4")
def test_a_scope_without_a_rule_of_its_own_has_the_default() -> None:
    rules = parse_settings('[conflicts]\ndefault = "refuse"\n[conflicts.scopes]\n"project:a" = "coexist"').conflicts
    assert (rules.rule_for("project:a"), rules.rule_for("project:b")) == ("coexist", "refuse")


def test_settings_are_values() -> None:
    with pytest.raises(AttributeError):
        Settings().memory.max_facts = 5  # type: ignore[misc]


def test_a_manual_clock_stands_still_until_it_is_moved() -> None:
    clock = ManualClock(5_000_000)
    assert clock.now() == clock.now() == 5_000_000
    clock.advance(seconds=1)
    assert clock.now() == 6_000_000
    clock.advance(days=-1)
    assert clock.now() < 0
    clock.set(7)
    assert clock.now() == 7


def test_the_machines_clock_goes_forward() -> None:
    clock = SystemClock()
    assert clock.now() <= clock.now()
    assert clock.now() > 1_700_000_000_000_000
