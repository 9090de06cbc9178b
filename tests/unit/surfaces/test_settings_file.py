"""The file of settings as text: written with every default, and changed without touching anything else in it."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heldtrue.domain.errors import InvalidSettings
from heldtrue.surfaces.cli.install.files import NotEditable
from heldtrue.surfaces.cli.install.toml_text import drop_key, set_key
from heldtrue.surfaces.cli.settings_file import (
    change_setting,
    find_setting,
    read_value,
    render_template,
    value_at,
    write_template,
)
from heldtrue.surfaces.cli.usage import UsageProblem
from heldtrue.wiring.settings import SETTINGS_FILE, Settings, parse_settings, read_settings, setting_names
from heldtrue.wiring.settings_reference import NOT_SET, describe_settings


def test_the_template_changes_nothing_and_names_every_setting() -> None:
    text = render_template(describe_settings())
    assert parse_settings(text) == Settings()
    table = None
    found = set()
    for line in text.splitlines():
        if line.startswith("["):
            table = line.strip("[]")
        elif " = " in line or line.endswith(f"({NOT_SET})"):
            found.add(f"{table}.{line.removeprefix('# ').partition(' =')[0]}")
    assert set(setting_names()) <= found
    assert all(len(line) <= 130 for line in text.splitlines())


def test_every_default_in_the_template_is_the_default() -> None:
    text = render_template(describe_settings())
    names = {name.rpartition(".")[2] for name in setting_names()}
    lines = [
        line.removeprefix("# ")
        if line.removeprefix("# ").partition(" = ")[0] in names and NOT_SET not in line
        else line
        for line in text.splitlines()
    ]
    assert parse_settings("\n".join(lines)) == Settings()
    assert sum(not line.startswith(("#", "[")) and bool(line) for line in lines) == len(setting_names()) - 1


def test_a_file_that_is_there_is_never_written_over(tmp_path: Path) -> None:
    assert write_template(tmp_path)
    assert (tmp_path / SETTINGS_FILE).stat().st_mode & 0o777 == 0o600
    (tmp_path / SETTINGS_FILE).write_text("# mine\n")
    assert not write_template(tmp_path)
    assert (tmp_path / SETTINGS_FILE).read_text() == "# mine\n"


OTHERS: dict[str, tuple[str, Any]] = {
    "server.port": ("8080", 8080),
    "project.name": ("my memory", "my memory"),
    "memory.default_visibility": ("private", "private"),
    "engine.extract": ("false", False),
    "recall.floor": ("0.2", 0.2),
    "recall.decay.per_day": ("0.5", 0.5),
    "server.allowed_hosts": ("a.example, b.example", ["a.example", "b.example"]),
    "conflicts.scopes": ('{ "project:shop" = "refuse" }', {"project:shop": "refuse"}),
    "engine.promotion": ("[{ sources = 3 }]", None),
}


@pytest.mark.parametrize("key", OTHERS)
def test_a_setting_is_changed_and_taken_back(tmp_path: Path, key: str) -> None:
    write_template(tmp_path)
    before = (tmp_path / SETTINGS_FILE).read_text()
    path = find_setting(key)
    typed, value = OTHERS[key]
    change_setting(tmp_path, path, read_value(path, typed))
    text = (tmp_path / SETTINGS_FILE).read_text()
    assert set(before.splitlines()) <= set(text.splitlines())
    assert len(text.splitlines()) == len(before.splitlines()) + 1
    found = value_at(read_settings(tmp_path), path)
    assert found == value if value is not None else found[0]["sources"] == 3
    line = text.splitlines().index(next(line for line in text.splitlines() if line.startswith(f"{path[-1]} =")))
    assert text.splitlines()[line - 1].startswith(f"# {path[-1]} =")
    change_setting(tmp_path, path, None)
    assert (tmp_path / SETTINGS_FILE).read_text() == before


def test_a_second_value_takes_the_line_of_the_first_and_keeps_its_comment() -> None:
    text = '[server]\nport = 1  # as # agreed\nhost = "#x"   # here\n\n[storage]\nurl = "a.db"\n'
    assert set_key(text, ("server", "port"), 2) == text.replace("port = 1 ", "port = 2 ")
    assert set_key(text, ("server", "host"), "y") == text.replace('"#x"', '"y"')
    added = set_key(text, ("server", "threads"), 3)
    assert added == text.replace("# here\n", "# here\nthreads = 3\n")
    assert set_key(text, ("recall", "log_days"), 3) == text + "\n[recall]\nlog_days = 3\n"
    assert set_key("", ("recall", "log_days"), 3) == "[recall]\nlog_days = 3\n"
    assert drop_key(text, ("server", "port")) == text.replace("port = 1  # as # agreed\n", "")


def test_other_ways_to_write_a_key_are_found() -> None:
    text = "recall.decay.per_day = 0.2\n"
    assert set_key(text, ("recall", "decay", "per_day"), 0.3) == "recall.decay.per_day = 0.3\n"
    text = "[recall]\ndecay.per_day = 0.2\n"
    assert set_key(text, ("recall", "decay", "per_day"), 0.3) == "[recall]\ndecay.per_day = 0.3\n"
    text = "[server]\r\nallowed_hosts = [\r\n  'a', # one\r\n  'b',\r\n] # all\r\nport = 1\r\n"
    changed = set_key(text, ("server", "allowed_hosts"), ["c"])
    assert changed == '[server]\r\nallowed_hosts = ["c"] # all\r\nport = 1\r\n'


@pytest.mark.parametrize(
    "text",
    [
        "[recall]\ndecay = { per_day = 0.2 }\n",
        "recall = { decay = { per_day = 0.2 } }\n",
        '[project]\nname = """\n[recall.decay]\n"""\n[recall]\ndecay = {}\n',
    ],
)
def test_what_cannot_be_changed_line_by_line_is_left_alone(tmp_path: Path, text: str) -> None:
    (tmp_path / SETTINGS_FILE).write_text(text)
    with pytest.raises(NotEditable, match=r"recall\.decay\.per_day"):
        change_setting(tmp_path, ("recall", "decay", "per_day"), 0.3)
    assert (tmp_path / SETTINGS_FILE).read_text() == text


def test_a_wrong_value_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    write_template(tmp_path)
    before = (tmp_path / SETTINGS_FILE).read_bytes()
    for key, typed in (("server.port", "often"), ("server.port", "70000"), ("engine.nightly", "each night")):
        path = find_setting(key)
        with pytest.raises(InvalidSettings, match="nothing was changed"):
            change_setting(tmp_path, path, read_value(path, typed))
    assert (tmp_path / SETTINGS_FILE).read_bytes() == before
    assert list(tmp_path.iterdir()) == [tmp_path / SETTINGS_FILE]


@pytest.mark.parametrize(
    ("key", "hint"),
    [
        ("port", "did you mean server.port?"),
        ("server.prot", "did you mean server.port?"),
        ("server", "server is a section; see its keys: heldtrue config list server"),
        ("url", "did you mean storage.url or recall.endpoint.url or extraction.url?"),
        ("qqqq", "see all keys: heldtrue config list"),
    ],
)
def test_an_unknown_key_is_told_the_right_one(key: str, hint: str) -> None:
    with pytest.raises(UsageProblem) as refused:
        find_setting(key)
    assert refused.value.hint == hint


TEXTS = st.text(st.sampled_from("ab#\"'\\[]{}=\n é"), max_size=12)


@given(first=TEXTS, second=TEXTS, comment=st.text(st.sampled_from("ab #\"'"), max_size=8).map(lambda text: f"{text}!"))
def test_any_text_is_written_and_replaced(first: str, second: str, comment: str) -> None:
    text = f"[project]\n# {comment}\nbase_iri = 'x' # {comment}\n[server]\nport = 1\n"
    for value in (first, second):
        text = set_key(set_key(text, ("project", "name"), value), ("project", "base_iri"), value)
        assert tomllib.loads(text) == {"project": {"base_iri": value, "name": value}, "server": {"port": 1}}
        assert text.count(f"# {comment}") >= 2
