"""`about` finds everything that is held about a subject, whatever way it came in, and nothing about another."""

from __future__ import annotations

import json
import stat
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from heldtrue import InvalidInput, ManualClock, Memory, NotAllowed
from heldtrue.domain.carried import CARRIED
from heldtrue.domain.ledger import TABLES, LedgerEntry
from heldtrue.domain.limits import SUBJECT_NAMES_MAX
from heldtrue.projections import subject_scan
from heldtrue.projections.subject_scan import HeldSection
from tests.acceptance.homes import MakeHome

ANN, BOB = "Ann Quill", "Bob Marsh"
WITHOUT_WORDS = {
    "archived_sources": "ids, and the rule by which a source was archived",
    "erased": "digests",
    "space": "its key and its name of itself",
    "evidence": "ids; the memories that rest on a source are found by what the source says",
    "memory_use": "counts",
    "schedules": "times",
}
"""Tables that contain no words, and so are not searched."""


def fill(owner: Memory, name: str, mark: str, folder: Path) -> dict[str, str]:
    """Tell a space about a person through every way in; each canary names where it is to be found."""
    codex = owner.as_agent("codex")
    moved = owner.learn(f"{name} lives in {mark}learned.", source=f"{mark}reference")
    owner.correct(moved.memory.id, f"{name} lives in {mark}corrected.", reason=f"{mark}whycorrected")
    gone = owner.learn(f"{name} drives a {mark}forgotten.")
    owner.forget(gone.memory.id, reason=f"{mark}whyforgotten")
    codex.learn(f"The {mark}conflict limit of {name} is 30 seconds.")
    assert owner.as_agent("claude").learn(f"The {mark}conflict limit of {name} is 60 seconds.").conflicts
    owner.learn_many([{"content": f"{name} owns a {mark}batch."}])
    waiting = codex.learn(f"{name} was born in {mark}rejected.", kind="profile")
    owner.reject(waiting.memory.id, reason=f"{mark}whyrejected")
    codex.learn(f"{name} was born in {mark}rejected.", kind="profile")  # refused: it was rejected
    codex.learn(f"{name} speaks {mark}inbox.", kind="profile")
    codex.learn(f"{name} hides {mark}private.", scope="agent:codex", visibility="private")
    owner.learn(f"The {mark}review is on Monday.", topic=f"{name} {mark}topic")
    turns = [
        {"name": name, "content": f"I am allergic to {mark}said."},
        {"name": "Cleo", "content": f"The weather is fine. {name} prefers {mark}captured. The sea is calm."},
    ]
    owner.capture(messages=turns, thread=f"{name} {mark}thread")
    codex.capture(f"# Notes\n\n{name} signed the {mark}document.", source=f"{mark}notes.md", visibility="private")
    forged = codex.capture(f"{name} is said to own the {mark}forged.", source=f"{mark}rumour.md", extract=False)
    owner.quarantine(forged.sources[0], reason=f"{mark}quarantined")
    (folder / f"{mark}file.md").write_text(f"# Guests\n\n{name} ordered the {mark}ingested.\n", "utf-8")
    owner.ingest(folder / f"{mark}file.md")
    owner.work()
    owner.link(moved.memory.id, f"https://example.org/{mark}linked", "see", reason=f"{mark}whylinked")
    owner.share("seo", action="look", memories=[moved.memory.id], context=f"{mark}shared", expires="30 days")
    owner.save_view(f"{mark}view", f"where does {name} live?")
    owner.recall(f"What does {name} think of {mark}asked?")
    owner.learn(f"{name} kept the {mark}answer.", idempotency_key=f"{mark}key")
    ways = (
        "learned reference corrected whycorrected forgotten whyforgotten batch rejected whyrejected inbox private "
        "topic said captured thread document forged quarantined file ingested conflict linked whylinked shared view "
        "asked answer key"
    )
    return {way: f"{mark}{way}" for way in ways.split()}


def read(path: Path) -> Any:
    return json.loads(path.read_text("utf-8"))


@pytest.fixture
def filled(anywhere: Memory, tmp_path: Path, clock: ManualClock) -> tuple[Memory, dict[str, str], dict[str, str]]:
    """A space that was told the same about two people."""
    anywhere.add_agent("seo", role="skill")
    told = fill(anywhere, ANN, "annmark", tmp_path), fill(anywhere, BOB, "bobmark", tmp_path)
    clock.advance(days=8)
    anywhere.work()  # summaries
    return anywhere, *told


def test_every_way_in_is_found_and_nothing_about_another(
    filled: tuple[Memory, dict[str, str], dict[str, str]], tmp_path: Path
) -> None:
    owner, ann, bob = filled
    for name, own, other in ((ANN, ann, bob), (BOB, bob, ann)):
        answer = owner.about(name, export=tmp_path / name)
        assert [file.path for file in answer.files] == [str(tmp_path / f"{name}.json"), str(tmp_path / f"{name}.html")]
        for file in answer.files:
            text = Path(file.path).read_text("utf-8").lower()
            assert [way for way, canary in own.items() if canary not in text] == [], file.path
            assert [way for way, canary in other.items() if canary in text] == [], file.path
            assert file.bytes == Path(file.path).stat().st_size
    found = owner.about(ANN, limit=1000)
    assert found.counts == read(tmp_path / f"{ANN}.json")["counts"]
    assert set(HeldSection) - {item.section for item in found.items} == {HeldSection.NAMES}
    owner.add_agent("scout", projects=["ann-quill"])
    assert (owner.about(ANN).counts["names"], owner.about("ann-quill").counts["names"]) == (1, 1)


def test_a_memory_comes_with_its_versions_its_statuses_and_its_sources(
    filled: tuple[Memory, dict[str, str], dict[str, str]], tmp_path: Path
) -> None:
    owner, _, _ = filled
    owner.about(ANN, export=tmp_path / "ann.json")
    told = read(tmp_path / "ann.json")
    assert (told["heldtrue_about"], told["names"], told["made_by"]) == (1, [ANN], "person:owner")
    assert told["made_at"].endswith("Z")
    assert list(told["sections"]) == list(told["counts"]) == [section.value for section in HeldSection]
    assert {section: len(items) for section, items in told["sections"].items()} == told["counts"]
    memories = told["sections"]["memories"]
    statuses = {item["versions"][-1]["status"] for item in memories}
    assert statuses >= {"active", "inbox", "rejected", "retracted", "superseded"}
    for item in memories:
        assert item["names"] == [ANN]
        assert [version["version"] for version in item["versions"]] == list(range(1, len(item["versions"]) + 1))
        assert item["history"]
        assert item["sources"] == list(dict.fromkeys(source["source_id"] for source in item["evidence"]))
    forgotten = next(item for item in memories if "forgotten" in item["text"])
    assert [version["status"] for version in forgotten["versions"]] == ["active", "retracted"]
    assert forgotten["versions"][-1]["reason"] == "annmarkwhyforgotten"
    private = next(item for item in memories if "private" in item["text"])
    assert (private["versions"][0]["visibility"], private["by"]) == ("private", "agent:codex")


def test_of_a_source_the_sentence_counts_and_of_what_the_subject_said_all(
    filled: tuple[Memory, dict[str, str], dict[str, str]],
) -> None:
    owner, _, _ = filled
    sources = [item for item in owner.about(ANN, limit=1000).items if item.section == HeldSection.SOURCES]
    captured = next(item for item in sources if "annmarkcaptured" in item.text)
    assert captured.text == f"{ANN} prefers annmarkcaptured."
    assert (captured.details["speaker"], captured.details["thread"]) == ("Cleo", f"{ANN} annmarkthread")
    said = next(item for item in sources if "annmarksaid" in item.text)
    assert (said.text, said.names) == ("I am allergic to annmarksaid.", [ANN])
    heard = [item for item in owner.about(ANN, limit=1000).items if "annmarksaid" in item.text and item.versions]
    assert heard, "a memory that was made of what the subject said"


def test_an_alias_and_an_identifier_find_more_and_say_which_it_was(owner: Memory) -> None:
    by_name = owner.learn("Ann Quill plays the cello.").memory.id
    by_mail = owner.learn("Invoices go to Ann.Quill@Example.com.").memory.id
    by_phone = owner.learn("The number for emergencies is +49 (30) 123 45-67.").memory.id
    owner.learn("Joann Quillon plays the flute.")
    owner.learn("Reports go to joann.quill@example.com.")
    items = owner.about("ann quill", also=["ann.quill@example.com", "+49 30 1234567"], limit=100).items
    names = {item.id: item.names for item in items if item.versions}
    assert names == {by_name: ["ann quill"], by_mail: ["ann.quill@example.com"], by_phone: ["+49 30 1234567"]}
    assert {item.id for item in owner.about("Ann Quill").items if item.versions} == {by_name}


def test_pages_together_are_the_whole(filled: tuple[Memory, dict[str, str], dict[str, str]]) -> None:
    owner, _, _ = filled
    whole = [(item.section, item.id, item.text) for item in owner.about(ANN, limit=1000).items]
    paged: list[tuple[str, str | None, str]] = []
    cursor = None
    while True:
        page = owner.about(ANN, limit=7, cursor=cursor)
        paged += [(item.section, item.id, item.text) for item in page.items]
        cursor = page.next_cursor
        if cursor is None:
            break
    assert paged == whole
    assert len(set(whole)) == len(whole)
    assert len(whole) > 7


def test_small_batches_find_the_same(
    filled: tuple[Memory, dict[str, str], dict[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    owner, _, _ = filled
    whole = owner.about(ANN, limit=1000)
    for limit, small in (("SUBJECT_BATCH_ENTRIES", 1), ("VERIFY_BATCH_ENTRIES", 2), ("SUBJECT_BATCH_ROWS", 3)):
        monkeypatch.setattr(subject_scan, limit, small)
    assert owner.about(ANN, limit=1000).items == whole.items


def test_agents_are_refused(owner: Memory, tmp_path: Path) -> None:
    owner.learn("Ann Quill plays the cello.")
    owner.add_agent("chief", role="admin")
    for agent in ("codex", "chief"):
        with pytest.raises(NotAllowed, match="only a person"):
            owner.as_agent(agent).about("Ann Quill", export=tmp_path / "ann.json")
    assert list(tmp_path.glob("ann*")) == []
    assert owner.about("Ann Quill").counts["memories"] == 1


def test_a_file_is_private_and_whole_and_never_replaced_unasked(owner: Memory, tmp_path: Path) -> None:
    owner.learn("Ann Quill plays the cello.")
    target = tmp_path / "ann.html"
    owner.about("Ann Quill", export=target)
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    before = target.read_bytes()
    owner.learn("Ann Quill plays the harp.")
    for path in (target, tmp_path / "ann"):
        with pytest.raises(InvalidInput, match="already exists") as refused:
            owner.about("Ann Quill", export=path)
        assert refused.value.field == "export"
    assert target.read_bytes() == before
    assert not (tmp_path / "ann.json").exists(), "neither file is written if one of them is there"
    owner.about("Ann Quill", export=target, overwrite=True)
    assert b"harp" in target.read_bytes()
    assert not list(tmp_path.glob(".*.part"))
    for wrong in (tmp_path / "ann.txt", ""):
        with pytest.raises(InvalidInput):
            owner.about("Ann Quill", export=wrong)


HOSTILE = [
    "(a+)+$",
    ".*",
    "[",
    "\\",
    "%_",
    "'; DROP TABLE sources; --",
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "\u202eevil",
    "x" * 200,
    "\u738b\u5c0f\u660e",
]


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_name_is_only_a_name(owner: Memory, tmp_path: Path, name: str) -> None:
    owner.learn("Nothing to see here, aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.")
    if not any(char.isalnum() for char in name):
        with pytest.raises(InvalidInput) as refused:
            owner.about(name)
        assert refused.value.field == "name"
        return
    assert owner.about(name).items == []
    owner.learn(f"We met {name} at the harbour.")
    answer = owner.about(name, export=tmp_path / "out")
    assert answer.counts["memories"] == 1
    check_page((tmp_path / "out.html").read_text("utf-8"))


def test_too_many_names_and_too_long_ones_are_refused(owner: Memory) -> None:
    owner.learn("Ann Quill plays the cello.")
    many = [f"alias {number}" for number in range(SUBJECT_NAMES_MAX - 1)]
    assert owner.about("Ann Quill", also=many).counts["memories"] == 1
    with pytest.raises(InvalidInput) as refused:
        owner.about("?!", also=["Ann Quill"])
    assert refused.value.field == "name"
    for also in ([*many, "one more"], ["x" * 201]):
        with pytest.raises(InvalidInput) as refused:
            owner.about("Ann Quill", also=also)
        assert refused.value.field == "also"


class PageReader(HTMLParser):
    """Collects the tags, the attributes and the words of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[tuple[str, str | None]] = set()
        self.words = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes.update(attrs)

    def handle_data(self, data: str) -> None:
        self.words += data


def check_page(page: str) -> PageReader:
    reader = PageReader()
    reader.feed(page)
    reader.close()
    assert reader.tags <= set(
        "html head meta title style body h1 h2 h4 dl dt dd table tr td a article p ol li span blockquote".split()
    )
    assert {name for name, _ in reader.attributes} <= {"lang", "charset", "http-equiv", "content", "name", "id",
                                                       "class", "href"}  # fmt: skip
    assert all(value and value.startswith("#") for name, value in reader.attributes if name == "href")
    assert "url(" not in page
    return reader


def test_markup_in_what_is_held_is_shown_as_text(owner: Memory, tmp_path: Path) -> None:
    attack = "</style></title><script>alert('x')</script><img src=https://example.org/p.png onerror=alert(1)>"
    owner.learn(f"Ann Quill wrote {attack}", source="javascript:alert(1)", topic="<b>bold</b>")
    owner.capture(messages=[{"name": f"Ann Quill {attack}", "content": f"I wrote {attack}"}], thread=attack)
    owner.save_view("<i>Ann Quill</i>", "<u>who</u>")
    owner.about("Ann Quill", also=["<script>Ann</script>"], export=tmp_path / "ann.html")
    reader = check_page((tmp_path / "ann.html").read_text("utf-8"))
    for shown in ("<script>alert('x')</script>", "<script>Ann</script>", "<b>bold</b>", "<i>Ann Quill</i>"):
        assert shown in reader.words


def test_a_subject_of_whom_nothing_is_held(owner: Memory, tmp_path: Path) -> None:
    owner.learn("Bob Marsh plays the cello.")
    answer = owner.about("Ann Quill", export=tmp_path / "ann")
    assert set(answer.counts.values()) == {0}
    assert "Nothing mentions this subject" in check_page((tmp_path / "ann.html").read_text("utf-8")).words
    assert set(map(len, read(tmp_path / "ann.json")["sections"].values())) == {0}


def test_an_empty_home_is_searched(make_home: MakeHome, clock: ManualClock) -> None:
    with Memory.open(make_home(), clock=clock) as memory:
        assert memory.about("Ann Quill").items == []


def test_what_a_later_version_no_longer_says_is_found(owner: Memory) -> None:
    learned = owner.learn("The contact is Ann Quill.").memory.id
    owner.correct(learned, "The contact is Bob Marsh.", reason="she left")
    items = owner.about("Ann Quill").items
    assert learned in [item.id for item in items]


def test_every_table_is_searched_or_is_known_to_have_no_words() -> None:
    tables = {spec.table: spec.type for spec in TABLES} | {"ledger": LedgerEntry}
    tables |= {spec.table: spec.type for spec in CARRIED}
    assert subject_scan.SEARCHED | WITHOUT_WORDS.keys() == tables.keys()
