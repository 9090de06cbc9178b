"""A server takes its settings from its home, and from the environment where a variable says otherwise."""

from __future__ import annotations

from pathlib import Path

import pytest

from heldtrue.domain.errors import InvalidSettings
from heldtrue.wiring.server_settings import read_server_settings
from heldtrue.wiring.settings import ServerSettings


@pytest.mark.covers("A19")
def test_a_variable_replaces_the_setting_of_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "heldtrue.toml").write_text('[server]\nport = 7000\nthreads = 3\nallowed_hosts = ["file.example"]\n')
    monkeypatch.setenv("HELDTRUE_SERVER_PORT", "8080")
    monkeypatch.setenv("HELDTRUE_SERVER_ALLOWED_HOSTS", "memory.example, 10.0.0.5,")
    monkeypatch.setenv("HELDTRUE_SERVER_ENGINE", "false")
    monkeypatch.setenv("HELDTRUE_SERVER_HOST", "")
    read = read_server_settings(tmp_path)
    assert read.allowed_hosts == ("memory.example", "10.0.0.5")
    assert (read.port, read.threads, read.engine) == (8080, 3, False)
    assert read.host == ServerSettings().host, "an empty variable counts as not set"


def test_a_home_that_is_not_there_yet_has_the_defaults_and_the_variables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert read_server_settings(tmp_path / "later") == ServerSettings()
    monkeypatch.setenv("HELDTRUE_SERVER_LOG", "json")
    assert read_server_settings(tmp_path / "later").log == "json"


@pytest.mark.parametrize(
    ("variable", "value", "told"),
    [
        ("HELDTRUE_SERVER_PORT", "eighty", "HELDTRUE_SERVER_PORT: 'eighty' is not a whole number"),
        ("HELDTRUE_SERVER_PORT", "70000", "HELDTRUE_SERVER_PORT: '70000' is not a whole number of at most 65535"),
        ("HELDTRUE_SERVER_LOG", "xml", "HELDTRUE_SERVER_LOG: 'xml' is not one of auto, lines, json"),
        ("HELDTRUE_SERVER_HOSTS", "a", "did you mean HELDTRUE_SERVER_HOST?"),
    ],
)
def test_a_wrong_variable_is_named(
    variable: str, value: str, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, value)
    with pytest.raises(InvalidSettings) as refusal:
        read_server_settings(tmp_path)
    assert told in str(refusal.value)
    assert refusal.value.field == variable
