"""The systemd units and the launchd job: well formed, and what they start serves."""

from __future__ import annotations

import plistlib
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.packaging.environments import PROJECT, offline
from tests.packaging.servers import ask, free_port, started, wait_for

DEPLOY = PROJECT / "deploy"
PROGRAM = shutil.which("heldtrue", path=str(Path(sys.executable).parent))
UNITS = {
    "heldtrue.service": ("/opt/heldtrue/bin/heldtrue", "/var/lib/heldtrue"),
    "heldtrue-user.service": ("%h/.local/bin/heldtrue", "%h/.heldtrue"),
}


def read_unit(name: str) -> dict[str, str]:
    return dict(re.findall(r"^(\w+)=(.*)$", (DEPLOY / name).read_text("utf-8"), re.MULTILINE))


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is not on this machine")
@pytest.mark.parametrize("name", UNITS)
def test_systemd_finds_nothing_wrong_with_a_unit(name: str, tmp_path: Path) -> None:
    assert PROGRAM
    unit = tmp_path / name
    unit.write_text((DEPLOY / name).read_text("utf-8").replace(UNITS[name][0], PROGRAM))
    done = subprocess.run(
        ["systemd-analyze", *(["--user"] if "user" in name else []), "verify", unit],
        env=offline(XDG_RUNTIME_DIR=str(tmp_path)),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout + done.stderr) == (0, "")


def serve_once(command: list[str], home: Path) -> None:
    port = free_port()
    variables = {"HELDTRUE_HOME": str(home), "HELDTRUE_SERVER_PORT": str(port)}
    with started(command, offline(**variables), home.parent) as server:
        wait_for(port, server)
        assert ask(port, "/v1/status")[0] == 401
    assert (home / "heldtrue.db").exists()


@pytest.mark.parametrize("name", UNITS)
def test_what_a_unit_starts_serves_the_home_that_it_names(name: str, tmp_path: Path) -> None:
    assert PROGRAM
    unit, (program, home) = read_unit(name), UNITS[name]
    assert unit["Environment"] == f"HELDTRUE_HOME={home}"
    assert unit["ExecStart"].startswith(f"{program} ")
    serve_once([PROGRAM, *unit["ExecStart"].split()[1:]], tmp_path / "home")


def test_the_system_unit_runs_as_a_user_of_its_own_and_writes_to_its_home_alone() -> None:
    unit = read_unit("heldtrue.service")
    assert unit["User"] == "heldtrue"
    assert (unit["ProtectSystem"], unit["StateDirectory"], unit["NoNewPrivileges"]) == ("strict", "heldtrue", "yes")
    assert int(unit["TimeoutStopSec"]) > 20, "the server takes up to 20 s to finish what is under way"


def test_the_launchd_job_is_a_property_list_and_what_it_starts_serves(tmp_path: Path) -> None:
    text = (DEPLOY / "heldtrue.plist").read_text("utf-8").replace("HOME/", f"{tmp_path}/")
    job = plistlib.loads(text.encode())
    assert job["Label"] == "local.heldtrue"
    assert job["EnvironmentVariables"] == {"HELDTRUE_HOME": str(tmp_path / ".heldtrue")}
    assert job["ProgramArguments"][0] == str(tmp_path / ".local/bin/heldtrue")
    assert job["Umask"] == 0o077
    assert PROGRAM
    serve_once([PROGRAM, *job["ProgramArguments"][1:]], Path(job["EnvironmentVariables"]["HELDTRUE_HOME"]))
