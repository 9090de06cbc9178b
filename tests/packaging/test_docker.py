"""The Dockerfile and the compose file: their lines are run in an empty folder, without Docker."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml

from heldtrue.wiring.server_settings import VARIABLE_PREFIX
from heldtrue.wiring.settings import ServerSettings, parse_settings
from tests.packaging.dockerfile import Image, copy_context, make_tools, read_dockerfile
from tests.packaging.environments import PROJECT, collect_packages, copy_project, offline
from tests.packaging.servers import ask, free_port, started, wait_for

DOCKERFILE = read_dockerfile((PROJECT / "Dockerfile").read_text("utf-8"))
COMPOSE: dict[str, Any] = yaml.safe_load((PROJECT / "compose.yaml").read_text("utf-8"))
SERVICES: dict[str, Any] = COMPOSE["services"]
HOME = "/var/lib/heldtrue"


def stated(name: str) -> str:
    """What the last stage says about the image."""
    return [instruction for instruction in DOCKERFILE if instruction.name == name][-1].text


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Image:
    """The image, with the packages of its lock and no others."""
    folder = tmp_path_factory.mktemp("docker")
    packages = collect_packages("image", folder / "packages")
    built = Image(
        root=folder / "root",
        context=copy_context(copy_project(folder / "clone"), folder / "context"),
        tools=make_tools(folder / "tools"),
        outside=offline(PYTHONPATH=str(packages)),
    )
    built.build(DOCKERFILE)
    return built


@pytest.mark.slow
def test_the_image_serves_as_its_lines_say(image: Image) -> None:
    port = free_port()
    image.variables["HELDTRUE_SERVER_PORT"] = str(port)
    with started(image.stated["CMD"].words, image.environment, image.place("/")) as server:
        wait_for(port, server)
        image.run(json.loads(stated("HEALTHCHECK").partition(" CMD ")[2]))

        told = image.run(["heldtrue", "agents", "rotate", "owner"])
        token = re.search(r"ht_\S+", told)
        assert token, told
        status, _ = ask(port, "/v1/memories", token=token[0], body={"content": "Deploys happen on Tuesdays"})
        assert status == 201
        assert "Tuesdays" in ask(port, "/v1/recall?context=when+do+we+deploy", token=token[0])[1]
        assert ask(port, "/v1/status", token=token[0], host="elsewhere.example")[0] == 421
    assert (image.place(HOME) / "heldtrue.db").exists()
    assert (image.tools / "chown.log").read_text() == f"10001:10001 {image.place(HOME)}\n"


@pytest.mark.slow
def test_the_image_has_vectors_and_the_driver_and_not_the_source(image: Image) -> None:
    image.run(["python", "-c", "from heldtrue.models.static import open_static; open_static().embed(['a text'])"])
    image.run(["python", "-c", "import psycopg"])
    assert not (image.place("/build")).exists()
    where = image.run(["python", "-c", "import heldtrue; print(heldtrue.__file__)"])
    assert where.startswith(str(image.place("/opt/heldtrue")))


def test_the_image_runs_as_an_ordinary_user_on_a_slim_python() -> None:
    bases = [instruction.words[0] for instruction in DOCKERFILE if instruction.name == "FROM"]
    assert len(set(bases)) == 1
    assert re.fullmatch(r"python:3\.\d+-slim", bases[0])
    user, group = stated("USER").split(":")
    assert int(user) >= 1000
    assert int(group) >= 1000
    assert stated("VOLUME") == HOME


def test_only_what_is_copied_is_sent_to_docker(tmp_path: Path) -> None:
    clone = copy_project(tmp_path / "clone")
    (clone / ".venv").mkdir()
    (clone / ".venv" / "secret").touch()
    (clone / "src" / "heldtrue" / "__pycache__").mkdir()
    (clone / "src" / "heldtrue" / "__pycache__" / "left.pyc").touch()
    sent = copy_context(clone, tmp_path / "context")
    assert {path.name for path in sent.iterdir()} == {
        *("LICENSE", "README.md", "packages", "pyproject.toml", "requirements", "src")
    }
    assert {path.name for path in (sent / "packages" / "heldtrue-reader").iterdir()} == {
        *("NOTICE", "README.md", "pyproject.toml", "src")
    }
    assert not list(sent.rglob("__pycache__"))
    assert (sent / "src" / "heldtrue" / "wiring" / "settings.py").exists()


# --- compose --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["heldtrue", "heldtrue-postgres"])
def test_a_service_of_the_compose_file_fits_the_image(name: str) -> None:
    service = SERVICES[name]
    assert service["build"] == "."
    assert "command" not in service, "the image says what runs"
    assert service["ports"] == [f"127.0.0.1:7373:{stated('EXPOSE')}"]
    assert service["volumes"][0].split(":")[1] == stated("VOLUME")
    assert service["volumes"][0].split(":")[0] in COMPOSE["volumes"]
    known = {f"{VARIABLE_PREFIX}{field.name.upper()}" for field in msgspec.structs.fields(ServerSettings)}
    ours = {variable for variable in service["environment"] if variable.startswith("HELDTRUE_")}
    assert ours <= known
    hosts = service["environment"]["HELDTRUE_SERVER_ALLOWED_HOSTS"]
    assert name in hosts.partition(":-")[2].rstrip("}").split(","), "other containers call it by its name"


def test_the_service_alone_needs_no_profile_and_the_other_brings_its_database() -> None:
    assert "profiles" not in SERVICES["heldtrue"]
    assert SERVICES["heldtrue-postgres"]["profiles"] == SERVICES["database"]["profiles"] == ["postgres"]
    assert SERVICES["heldtrue-postgres"]["depends_on"] == {"database": {"condition": "service_healthy"}}
    ours, theirs = SERVICES["heldtrue-postgres"]["environment"], SERVICES["database"]["environment"]
    assert ours["PGHOST"] == "database"
    assert (ours["PGUSER"], ours["PGDATABASE"]) == (theirs["POSTGRES_USER"], theirs["POSTGRES_DB"])
    assert ours["PGPASSWORD"] == theirs["POSTGRES_PASSWORD"] == "${POSTGRES_PASSWORD:-}"
    assert "ports" not in SERVICES["database"], "nobody else reaches the database"


@pytest.mark.slow
def test_the_settings_of_the_compose_file_lead_to_postgresql(
    image: Image, postgres_dsn: str, postgres_space: str
) -> None:
    from psycopg.conninfo import conninfo_to_dict

    mounted, target, _ = SERVICES["heldtrue-postgres"]["volumes"][1].split(":")
    text = (PROJECT / mounted).read_text("utf-8")
    assert target == f"{HOME}/heldtrue.toml"
    assert parse_settings(text).storage.url == "postgresql://"

    home = image.place("/var/lib/on-postgres")
    home.mkdir()
    (home / "heldtrue.toml").write_text(f'{text}space = "{postgres_space}"\n')
    server = {f"PG{key.upper()}": str(value) for key, value in conninfo_to_dict(postgres_dsn).items()}
    server["PGDATABASE"] = server.pop("PGDBNAME", "postgres")
    done = subprocess.run(
        ["heldtrue", "--home", str(home), "learn", "Deploys happen on Tuesdays"],
        env=image.environment | server,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert not (home / "heldtrue.db").exists()
