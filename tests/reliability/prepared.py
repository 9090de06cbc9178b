"""A home with a little of everything in it, closed, to be copied and then mistreated."""

from __future__ import annotations

import shutil
from pathlib import Path

from heldtrue import Memory
from tests.acceptance.homes import new_clock

DATABASE, HEAD = "heldtrue.db", "ledger.head"


def prepare_home(home: Path) -> str:
    """Fill every table of a home through the public surface, close it, and give its head."""
    clock = new_clock()
    home.mkdir(parents=True, exist_ok=True)
    (home / "heldtrue.toml").write_text('[[retention.rules]]\nsource = "run"\ndays = 1\n', "utf-8")
    with Memory.open(home, clock=clock) as owner:
        _fill_runs(owner)
        codex, claude = owner.as_agent("codex"), owner.as_agent("claude")
        _fill_scopes(owner, codex)
        _erase_something(owner, codex)
        clock.advance(hours=1)
        _fill_reviews(owner, codex)
        clock.advance(days=1)
        _fill_conflicts(owner, codex, claude)
        clock.advance(days=1)
        _fill_links(owner, codex)
        clock.advance(hours=1)
        _fill_evidence(owner, codex)
        _archive_runs(owner)
        _fill_views(owner)
        _fill_agents(owner, codex)
        report = owner.verify()
        assert report.ok, report.problems
        return report.head


def _fill_scopes(owner: Memory, codex: Memory) -> None:
    owner.learn("Sebas prefers short answers.", kind="preference", topic="style", source="chat 12")
    owner.learn("The backend uses PostgreSQL 16.", scope="project:alpha", source="docs/stack.md:4")
    owner.learn("The parser lives in src/parse.py.", scope="repo:alpha-core")
    owner.learn("Releases happen on Thursdays.", scope="team:platform")
    owner.learn("The frontend is written in Svelte.", scope="project:beta", summary="Svelte in front")
    codex.learn("My scratch folder is /tmp/codex.", scope="agent:codex", visibility="private")
    codex.learn(
        "The build takes nine minutes.", scope="repo:beta-web", source_text="CI says: the build takes nine minutes."
    )
    owner.learn("The schedule is weekly.", scope="team:research", staleness="weekly")


def _fill_reviews(owner: Memory, codex: Memory) -> None:
    waiting = codex.learn("Sebas was born in Bilbao.", kind="profile")
    owner.reject(waiting.memory.id, reason="not so")
    other = codex.learn("Sebas speaks Basque.", kind="profile")
    owner.approve(other.memory.id, reason="he does")
    codex.learn("Sebas was born in Bilbao.")
    codex.learn("Thanks!")
    doubtful = owner.learn("The cache is kept for two hours and the log is kept for a week.", scope="project:alpha")
    owner.correct(doubtful.memory.id, "The cache is kept for six hours.", reason="measured it")
    gone = owner.learn("The office is in Madrid.")
    owner.forget(gone.memory.id, reason="we moved out")
    back = owner.learn("The printer is on floor two.")
    owner.forget(back.memory.id, reason="was it?")
    owner.restore(back.memory.id, reason="it is after all")


def _fill_conflicts(owner: Memory, codex: Memory, claude: Memory) -> None:
    for number, (old, new) in enumerate(
        (
            ("The API timeout is 30 seconds.", "The API timeout is 60 seconds."),
            ("The main branch is called main.", "The main branch is called trunk."),
            ("The database port is 5432.", "The database port is 5433."),
        )
    ):
        codex.learn(old, scope="project:alpha")
        held = claude.learn(new, scope="project:alpha")
        assert held.conflicts, held
        if number:
            owner.resolve(held.conflicts[0], "keep_both" if number == 1 else "keep_new", reason="asked around")


def _fill_links(owner: Memory, codex: Memory) -> None:
    one, two, three = (memory.id for memory in owner.list(limit=3).items)
    owner.link(one, two, "supports", reason="same meeting")
    owner.link(two, "https://example.org/adr/7", "derived_from")
    owner.link(one, three)
    owner.unlink(one, three, reason="unrelated after all")
    codex.learn("The build takes nine minutes.", scope="repo:beta-web")
    owner.learn("The build takes nine minutes.", scope="repo:beta-web")


def _fill_evidence(owner: Memory, codex: Memory) -> None:
    turns = [{"content": "The office is in Madrid.", "name": "Ana"}, {"content": "The lab is in Rome.", "name": "Bob"}]
    owner.capture(messages=turns, thread="chat 12", title="Where things are")
    codex.capture("# Sky\n\nThe moon is far.", source="sky.md", scope="project:beta", visibility="private")
    forged = codex.learn("The tower is tall.", source_text="They say: The tower is tall.", scope="project:beta")
    doubted = owner.explain(forged.memory.id).evidence[0].source_id
    owner.quarantine(doubted, reason="who says so?")
    owner.quarantine(doubted, reason="it is on the map", release=True)
    later = codex.learn("The well is deep.", source_text="They say: The well is deep.", scope="project:beta")
    owner.quarantine(owner.explain(later.memory.id).evidence[0].source_id, reason="nobody has seen it")


def _fill_runs(owner: Memory) -> None:
    for thread in ("run 1", "run 2"):
        turn = {"content": f"The crane of {thread} is yellow.", "name": "Ana"}
        owner.capture(messages=[turn], thread=thread, kind="run", extract=False)


def _archive_runs(owner: Memory) -> None:
    """Archive two sources, and bring one of them back."""
    changes = [change for change in owner.compact().changes if change.what == "source"]
    assert len(changes) == 2
    owner.undo(entry=f"#{changes[0].entry}", reason="still needed")


def _fill_views(owner: Memory) -> None:
    owner.save_view("stack", "PostgreSQL backend")
    owner.save_view("gone", "build minutes")
    owner.drop_view("gone")


def _fill_agents(owner: Memory, codex: Memory) -> None:
    for name in ("seo", "scout", "former"):
        owner.add_agent(name, projects=["alpha"], writes_per_minute=9)
    owner.rotate_agent("scout")
    owner.rotate_agent("owner")
    shared = [codex.learn("The harbour is in project alpha.", scope="project:alpha").memory.id]
    for name in ("seo", "former"):
        codex.share(name, action="look", memories=shared, context="for the map", expires="30 days")
    owner.revoke_agent("former")
    owner.add_agent("former", role="skill")


def _erase_something(owner: Memory, codex: Memory) -> None:
    corrected = codex.learn("The vault opens with the brass key.", scope="project:beta")
    owner.correct(corrected.memory.id, "The vault opens with the copper key.", reason="it was changed")
    planned = owner.erase(memories=[corrected.memory.id], reason="request 12")
    owner.erase(memories=[corrected.memory.id], reason="request 12", confirm=planned.confirm)


def copy_home(source: Path, target: Path) -> Path:
    """The files of a closed home, as a new one."""
    target.mkdir()
    for name in (DATABASE, HEAD):
        shutil.copyfile(source / name, target / name)
    return target
