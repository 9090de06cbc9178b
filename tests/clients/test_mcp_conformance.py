"""The MCP project's own conformance suite, asking a real server in every revision that is spoken.

What fails must be what is expected to, check by check: `mcp-conformance/expected-failures.yml` says which, and why.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.client import HTTPConnection
from pathlib import Path

import pytest

from tests.clients.npm import install_packages, run_tool
from tests.loopback import Quiet, serve
from tests.service.server import Server

SUITE = Path(__file__).parent / "mcp-conformance"
EXPECTED = SUITE / "expected-failures.yml"
PROGRAM = "node_modules/@modelcontextprotocol/conformance/dist/index.js"
OF_THE_CONNECTION = frozenset(("connection", "keep-alive", "transfer-encoding", "content-length"))
LISTS = {"tools-list", "resources-list", "prompts-list"}
SOUND = {
    "2025-06-18": LISTS | {"server-initialize", "ping"},
    "2025-11-25": LISTS | {"server-initialize", "ping", "dns-rebinding-protection"},
    "2026-07-28": LISTS
    | {"caching", "http-header-validation", "sep-2164-resource-not-found", "dns-rebinding-protection"},
}
"""By revision, what must be asked and in order: a run that asks nothing has no unexpected failures either."""


@contextmanager
def signed_in(server: Server) -> Iterator[str]:
    """An address that passes requests on as they are, with Host and Origin, and with a token: the suite can send none.

    So a page from elsewhere is turned away by the server itself, and not for want of a token.
    """

    class Passer(Quiet):
        def pass_on(self) -> None:
            body = self.read_body()
            connection = HTTPConnection("127.0.0.1", server.port, timeout=30)
            connection.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
            for name, value in self.headers.items():
                connection.putheader(name, value)
            connection.putheader("Authorization", f"Bearer {server.token}")
            connection.endheaders(body)
            answer = connection.getresponse()
            told = answer.read()
            self.send_response_only(answer.status)
            for name, value in answer.headers.items():
                if name.lower() not in OF_THE_CONNECTION:
                    self.send_header(name, value)
            self.send_header("content-length", str(len(told)))
            connection.close()
            with suppress(BrokenPipeError):
                self.end_headers()
                self.wfile.write(told)

        do_GET = do_POST = do_DELETE = pass_on  # noqa: N815

    with serve(Passer) as address:
        yield f"{address}/mcp"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    running = Server(tmp_path_factory.mktemp("conformance") / "home").start()
    try:
        yield running
    finally:
        running.stop()


@pytest.mark.slow
@pytest.mark.covers("A20")
@pytest.mark.parametrize("revision", SOUND)
def test_the_conformance_suite(server: Server, revision: str, tmp_path: Path) -> None:
    install_packages(SUITE)
    with signed_in(server) as url:
        words = ["server", "--url", url, "--suite", "all", "--spec-version", revision]
        words += ["--expected-failures", str(EXPECTED), "--output-dir", str(tmp_path)]
        # It ends with an error where a check fails that is not expected to, or does not that is.
        run_tool("node", "--import", "./node20.mjs", PROGRAM, *words, folder=SUITE, seconds=300)
    failed = read_failures(tmp_path)
    assert {name: failed.get(name) for name in SOUND[revision]} == {name: [] for name in SOUND[revision]}


def read_failures(folder: Path) -> dict[str, list[str]]:
    """By scenario, the checks that did not pass."""
    found = {}
    for file in folder.glob("*/checks.json"):
        scenario = re.fullmatch(r"server-(.*)-\d{4}-\d\d-\d\dT.*", file.parent.name)
        assert scenario is not None
        checks = json.loads(file.read_text("utf-8"))
        found[scenario[1]] = [check["id"] for check in checks if check["status"] in ("FAILURE", "WARNING")]
    return found


def test_the_lock_file_of_the_suite_names_no_host() -> None:
    packages = json.loads((SUITE / "package-lock.json").read_text("utf-8"))["packages"]
    assert all("integrity" in package for name, package in packages.items() if name)
    assert not [name for name, package in packages.items() if "resolved" in package]
