"""Spaces on a Citus cluster: each on one node, all through one address, with no change in the code that uses them."""

from __future__ import annotations

from pathlib import Path

import psycopg
import pytest

from heldtrue import Memory
from heldtrue.storage.postgres import catalogue
from tests.conformance.backends import CitusBackend
from tests.conformance.writers import append_one

pytestmark = pytest.mark.covers("X7")


def nodes_of(cluster: CitusBackend, schema: str) -> list[str]:
    """The nodes that hold tables of a schema."""
    with psycopg.connect(cluster.dsn) as connection:
        rows = connection.execute(
            "SELECT DISTINCT s.nodename || ':' || s.nodeport"
            " FROM citus_shards s JOIN pg_class c ON c.oid = s.table_name WHERE c.relnamespace = to_regnamespace(%s)",
            (f'"{schema}"',),
        ).fetchall()
    return [row[0] for row in rows]


def make_home(cluster: CitusBackend, folder: Path, name: str) -> Path:
    home, schema = folder / name, f"{cluster.prefix}_{name}"
    home.mkdir()
    cluster.schemas.add(schema)
    (home / "heldtrue.toml").write_text(f'[storage]\nurl = "{cluster.dsn}"\nspace = "{schema}"\n', "utf-8")
    return home


def test_every_table_of_a_space_is_on_one_node(cluster: CitusBackend) -> None:
    append_one(cluster.open(), "agent:a")
    assert len(nodes_of(cluster, cluster.prefix)) == 1
    with psycopg.connect(cluster.dsn) as connection:
        (local,) = connection.execute(
            "SELECT count(*) FROM pg_class c WHERE c.relnamespace = to_regnamespace(%s) AND c.relkind = 'r'"
            " AND c.oid NOT IN (SELECT logicalrelid FROM pg_dist_partition)",
            (cluster.prefix,),
        ).fetchone() or (None,)
    assert local == 0


def test_every_node_has_to_keep_what_it_saves(cluster: CitusBackend) -> None:
    with cluster.open().connector.reading() as connection:
        nodes = connection.rows(catalogue.NODES, {})
    with psycopg.connect(cluster.dsn) as connection:
        known = connection.execute("SELECT count(*) FROM pg_dist_node WHERE isactive").fetchone()
    assert known == (len(nodes),)
    assert {tuple(settings) for _node, settings in nodes} == {("on", "on", "UTF8")}


@pytest.mark.slow
def test_two_spaces_are_used_through_the_public_surface(cluster: CitusBackend, tmp_path: Path) -> None:
    homes = {name: make_home(cluster, tmp_path, name) for name in ("red", "blue")}
    for name, home in homes.items():
        use_everything(home, name)
        assert len(nodes_of(cluster, f"{cluster.prefix}_{name}")) == 1
    with Memory.open(homes["red"]) as red, Memory.open(homes["blue"]) as blue:
        assert [result.memory.content for result in red.recall("red lamp").results]
        assert "red" not in " ".join(result.memory.content for result in blue.recall("red lamp", limit=50).results)


def use_everything(home: Path, name: str) -> None:
    """What a space is there for, from the first write to a copy on another database."""
    with Memory.open(home) as memory:
        first = memory.learn(f"The {name} service listens on port 8443")
        memory.learn_many(
            [{"content": f"The {name} lamp number {number} hangs in hall {number}"} for number in range(30)]
        )
        memory.capture(messages=[{"role": "user", "content": f"We decided to paint the {name} bridge in May."}])
        memory.work()
        assert first.memory is not None
        memory.correct(first.memory.id, f"The {name} service listens on port 9443", reason="it moved")
        best = memory.recall("which port does the service listen on").results[0]
        assert best.memory.content == f"The {name} service listens on port 9443"
        assert memory.recall("painting the bridge", within=["sessions"]).results
        memory.maintain()
        memory.reindex()
        assert memory.verify().ok
        memory.backup(home.with_suffix(".backup"))
        memory.export(home.with_suffix(".jsonl"))
    with Memory.open(home.with_suffix(".copy")) as copy:
        assert copy.import_(home.with_suffix(".jsonl")).how == "replayed"
        copy.export(home.with_suffix(".again"))
    assert home.with_suffix(".again").read_bytes() == home.with_suffix(".jsonl").read_bytes()
