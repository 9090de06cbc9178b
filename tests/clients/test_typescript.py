"""The TypeScript client: made from the document, held to its types, and used with a real server."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from heldtrue import Memory
from heldtrue.capabilities.verb_index import all_capabilities
from tests.clients.npm import alone, install_packages, run_tool
from tests.conftest import is_worker
from tests.docs.markdown import read_blocks
from tests.service.server import Server

PROJECT = Path(__file__).parents[2]
PACKAGE = PROJECT / "clients" / "typescript"
DOCUMENTS = (PACKAGE / "README.md", PROJECT / "docs" / "guides" / "typescript.md")
USUAL_URL = "http://127.0.0.1:7373"
PROGRAM = {
    "extends": str(PACKAGE / "tsconfig.json"),
    "compilerOptions": {"paths": {}, "rootDir": ".", "noEmitOnError": True},
    "include": ["*.ts"],
}


@pytest.mark.covers("A25", "A26")
def test_the_types_and_methods_are_those_of_the_document() -> None:
    words = [sys.executable, "tools/typescript.py", "--check"]
    done = subprocess.run(words, cwd=PROJECT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    made = (PACKAGE / "src" / "generated.ts").read_text("utf-8")
    called = re.findall(r'return this\.call\("(\w+)", request, options\)', made)
    assert sorted([*called, "events"]) == sorted(capability.verb for capability in all_capabilities().values())


def test_an_answer_leaves_nothing_out_as_its_type_says() -> None:
    seen: set[Any] = set()

    def walk(part: Any) -> None:
        if isinstance(part, msgspec.inspect.StructType):
            if part.cls in seen:
                return
            seen.add(part.cls)
        inside = part if isinstance(part, tuple) else [getattr(part, name) for name in fields_of(part)]
        for inner in inside:
            walk(inner)

    def fields_of(part: Any) -> tuple[str, ...]:
        return part.__struct_fields__ if isinstance(part, msgspec.Struct) else ()

    for capability in all_capabilities().values():
        walk(msgspec.inspect.type_info(capability.answer))
    assert len(seen) > 50
    assert [shape for shape in seen if shape.__struct_config__.omit_defaults] == []


def test_the_lock_file_names_no_host_and_the_package_needs_nothing() -> None:
    assert "://" not in (PACKAGE / "package-lock.json").read_text("utf-8")
    described = json.loads((PACKAGE / "package.json").read_text("utf-8"))
    assert "dependencies" not in described
    assert all(version[0].isdigit() for version in described["devDependencies"].values())


@pytest.fixture(scope="session")
def compiler() -> list[str]:
    install_packages(PACKAGE)
    return ["node", str(PACKAGE / "node_modules" / "typescript" / "bin" / "tsc")]


@pytest.fixture(scope="session")
def programs(compiler: list[str], tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Path:
    """A project that has the packed package installed, with the programs of the tests and of the documents."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if is_worker(request.config) else base) / "typescript"
    with alone(folder.with_suffix(".lock")):
        if not folder.exists():
            making = folder.with_suffix(".making")
            make_programs(making, compiler)
            making.rename(folder)
    return folder


def make_programs(folder: Path, compiler: list[str]) -> None:
    install_built(folder, compiler)
    for source in (PACKAGE / "test").glob("*.ts"):
        shutil.copy(source, folder)
    for document in DOCUMENTS:
        blocks = [block.text for block in read_blocks(document.read_text("utf-8")) if block.language == "ts"]
        shown = "".join(blocks)
        assert shown.count(f'"{USUAL_URL}"') == 1
        reached = shown.replace(f'"{USUAL_URL}"', 'process.env["HELDTRUE_URL"] ?? ""')
        (folder / f"{document.stem}.ts").write_text(reached, "utf-8")
    (folder / "package.json").write_text(json.dumps({"type": "module", "private": True}))
    (folder / "tsconfig.json").write_text(json.dumps(PROGRAM))
    run_tool(*compiler, folder=folder)


def install_built(folder: Path, compiler: list[str]) -> None:
    """Build and pack the package beside its own folder, where others may be building, and unpack what was packed."""
    staged = folder / "staged"
    staged.mkdir(parents=True)
    for name in ("package.json", "README.md"):
        shutil.copy(PACKAGE / name, staged)
    run_tool(*compiler, "--project", "tsconfig.build.json", "--outDir", str(staged / "dist"), folder=PACKAGE)
    packed = run_tool("npm", "pack", "--ignore-scripts", folder=staged).strip()
    with tarfile.open(staged / packed) as archive:
        archive.extractall(folder, filter="data")
    (folder / "node_modules").mkdir()
    (folder / "package").rename(folder / "node_modules" / "heldtrue-client")
    shutil.rmtree(staged)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    running = Server(tmp_path_factory.mktemp("shared") / "home").start()
    try:
        yield running
    finally:
        running.stop()


@pytest.fixture(scope="module")
def outcome(programs: Path, shared: Server) -> dict[str, Any]:
    """What came of test/live.ts."""
    told: dict[str, Any] = json.loads(run_tool("node", "live.js", shared.url, shared.token, folder=programs))
    return told


@pytest.mark.covers("A25")
def test_the_source_compiles_and_wrong_arguments_do_not(compiler: list[str]) -> None:
    """Each line of test/types.ts that is marked to be wrong must be: a mark without an error is an error itself."""
    assert (PACKAGE / "test" / "types.ts").read_text("utf-8").count("@ts-expect-error") > 10
    run_tool(*compiler, "--noEmit", folder=PACKAGE)


@pytest.mark.covers("A25")
def test_a_memory_is_learned_recalled_corrected_and_explained(outcome: dict[str, Any]) -> None:
    done = outcome["remembers"]
    assert done["learned"]["outcome"] == "created"
    assert (done["learned"]["notes"], done["learned"]["kept"]) == ([], [])
    assert done["recalled"]["results"][0]["memory"]["content"] == "The shop opens at nine"
    assert done["corrected"]["outcome"] == "superseded"
    assert "winter hours" in json.dumps(done["explained"])
    assert done["scope"] == "project:billing"


@pytest.mark.covers("A25")
def test_a_failure_has_its_code_field_hint_status_and_when_to_come_again(
    outcome: dict[str, Any], shared: Server
) -> None:
    failed = outcome["fails"]
    told = {name: (problem["code"], problem["field"], problem["status"]) for name, problem in failed.items()}
    assert told == {
        "missing": ("not_found", "memory", 404),
        "wrong": ("invalid_input", "limit", 400),
        "stranger": ("no_credential", None, 401),
        "forbidden": ("not_allowed", "scope", 403),
        "often": ("too_often", None, 429),
        "unreadable": ("unreadable", "url", 502),
        "moved": ("unreadable", "url", 302),
        "nobody": ("unreachable", "url", None),
        "place": ("invalid_input", "url", None),
        "capability": ("invalid_input", "name", None),
    }
    assert failed["often"]["retryAfter"] > 0
    assert failed["wrong"]["retryAfter"] is None
    assert {problem["name"] for problem in failed.values()} == {"HeldtrueError"}
    assert all(failed[name]["hint"] for name in ("missing", "wrong", "stranger", "nobody", "place"))
    assert shared.token not in json.dumps(outcome["fails"]) + outcome["shown"]


@pytest.mark.covers("A25")
def test_a_write_whose_answer_was_lost_is_sent_again_with_its_key_and_done_once(outcome: dict[str, Any]) -> None:
    done = outcome["repeats"]
    # Sent again without a key, as the next call does, it would have been a second observation.
    assert (done["created"], done["again"], done["kept"]) == ("created", "refreshed", "created")
    first, second = done["keys"]["write"]
    assert len(first) == 32
    assert first == second
    assert first not in done["keys"]["twice"]
    assert done["keys"]["own"] == [None, None], "a key of the caller's own goes with the arguments"
    assert done["keys"]["read"] == [None, None]
    assert (done["gaveUp"]["code"], len(done["keys"]["twice"])) == ("unreachable", 2)
    assert (done["notRepeated"]["code"], len(done["keys"]["admin"])) == ("unreachable", 1)


def test_a_call_is_given_up_by_its_signal_or_after_its_time(outcome: dict[str, Any]) -> None:
    done = outcome["givesUp"]
    assert done["late"]["code"] == "timeout"
    assert done["stopped"] == {"thrown": "Error: changed my mind"}
    assert done["before"] == {"thrown": "Error: never begun"}
    assert done["endless"]


def test_a_line_that_breaks_is_taken_up_after_the_last_event_that_was_told(outcome: dict[str, Any]) -> None:
    done = outcome["follows"]
    assert done["seen"] == ["é2.0", "é3.0", "é4.0"]
    # A place told ahead of its event counts only where there was none before; an event that broke off before its end
    # is asked for again, through two failures.
    assert done["asked"] == [None, "1.0", "2.0", "2.0", "3.0", "3.0", "3.0", "4.0"]
    assert (done["end"]["code"], done["end"]["status"]) == ("no_credential", 401)
    assert (done["unknown"]["code"], done["unknown"]["field"]) == ("invalid_input", "after")
    assert done["nowhere"]["code"] == "unreachable"
    assert done["page"]


def test_a_signal_ends_the_loop_although_more_events_have_arrived(outcome: dict[str, Any]) -> None:
    assert outcome["stops"]["seen"] == ["1.0"]


@pytest.mark.covers("A25", "C15")
def test_events_go_on_through_a_restart_of_the_server_with_none_lost_and_none_twice(
    programs: Path, tmp_path: Path
) -> None:
    server = Server(tmp_path / "home").start()
    follower = None
    try:
        server.owner().learn("The first tide is at six")
        words = ["node", "follow.js", server.url, server.token, "4"]
        follower = subprocess.Popen(words, cwd=programs, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        assert follower.stdout is not None
        lines = [follower.stdout.readline() for _ in range(2)]
        server.options = ("--port", str(server.port))
        server.stop()
        with Memory.open(server.home) as memory:
            memory.learn("The second tide is at noon")
        server.start()
        server.owner().learn("The third tide is at seven")
        rest, _ = follower.communicate(timeout=30)
    finally:
        if follower is not None and follower.poll() is None:
            follower.kill()
        server.stop()
    *events, end = map(json.loads, [*lines, *rest.splitlines()])
    told = [(event["payload"]["seq"], event["payload"]["type"]) for event in events]
    # The first entry of a space that is served is the owner's token.
    assert told == [(1, "memory.rotate_agent"), (2, "memory.learn"), (3, "memory.learn"), (4, "memory.learn")]
    assert end == "the loop has ended"


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.stem)
def test_the_examples_of_the_documents_work(programs: Path, shared: Server, document: Path) -> None:
    reached = {"HELDTRUE_URL": shared.url, "HELDTRUE_TOKEN": shared.token}
    shown = run_tool("node", f"{document.stem}.js", folder=programs, seconds=30, **reached)
    assert "created" in shown or "refreshed" in shown
