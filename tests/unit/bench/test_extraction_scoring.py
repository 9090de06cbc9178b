"""How extraction is scored: a find is right once, of a right kind, and only if it says all that it must."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import msgspec
import pytest

from bench.extraction import MEASURED_SETS, main, run, said_at
from bench.extraction.labels import (
    FOLDER,
    TRAINED_SETS,
    Fact,
    Labelled,
    find_faults,
    line_of,
    read_development,
    read_set,
    read_unit_file,
)
from bench.extraction.scoring import (
    Figures,
    add_up,
    add_up_aspects,
    add_up_by_kind,
    contains_all,
    junk_rate,
    says,
    score,
)
from heldtrue.domain.memory import Kind


@dataclass(frozen=True)
class Find:
    """A stand-in for what extraction answers with."""

    text: str
    kind: Kind = Kind.PREFERENCE
    strength: str = "explicit"
    start: int = 0
    end: int = 1
    valid_from: int | None = None


def fact(*must: str, kind: Kind = Kind.PREFERENCE, also: tuple[Kind, ...] = ()) -> Fact:
    return Fact(kind=kind, also=also, must=must, span="tea", strength="explicit")


def item(*facts: Fact, text: str = "I like tea", name: str = "t001") -> Labelled:
    return Labelled(
        id=name,
        sort="message",
        domain="household",
        register="chat",
        language="en",
        speaker="Mira",
        at="2026-03-04",
        text=text,
        facts=facts,
    )


def perfect(labelled: Labelled) -> Sequence[Find]:
    """Finds exactly what is labelled."""
    found = []
    for fact in labelled.facts:
        start = labelled.text.find(fact.span)
        words = " ".join(word.split("|")[0] for word in fact.must)
        found.append(Find(words, fact.kind, fact.strength, start, start + len(fact.span)))
    return found


# Whether a find is a fact


@pytest.mark.parametrize(
    ("text", "must", "expected"),
    [
        ("Mira likes TEA", ["mira", "tea"], True),
        ("I like tea", ["Mira", "tea"], False),
        ("Never push on Fridays", ["never|not", "push"], True),
        ("Do not push on Fridays", ["never|not", "push"], True),
        ("Push on Fridays", ["never|not", "push"], False),
        ("Straße", ["STRASSE"], True),
    ],
)
def test_a_text_has_to_contain_everything(text: str, must: list[str], expected: bool) -> None:
    assert contains_all(text, must) is expected


def test_the_kind_has_to_be_the_labelled_one_or_one_that_is_equally_right() -> None:
    wanted = fact("Mira", "tea", also=(Kind.PROFILE,))
    assert says(Find("Mira likes tea"), wanted)
    assert says(Find("Mira likes tea", Kind.PROFILE), wanted)
    assert not says(Find("Mira likes tea", Kind.NOTE), wanted)


# Telling finds apart


def test_a_fact_is_met_once_and_the_second_find_is_false() -> None:
    scored = score(item(fact("Mira", "tea")), [Find("Mira likes tea"), Find("Mira does like tea")])
    assert (len(scored.right), len(scored.missed), len(scored.false)) == (1, 0, 1)


def test_one_find_meets_one_fact_only() -> None:
    scored = score(item(fact("Mira", "tea"), fact("Mira", "cake")), [Find("Mira likes tea and cake")])
    assert (len(scored.right), len(scored.missed), len(scored.false)) == (1, 1, 0)


def test_finds_are_paired_so_that_most_facts_are_met() -> None:
    both, tea = Find("Mira likes tea and cake"), Find("Mira likes tea")
    for found in ([both, tea], [tea, both]):
        scored = score(item(fact("Mira", "tea"), fact("Mira", "cake")), found)
        assert {(fact.must[1], find.text) for fact, find in scored.right} == {("tea", tea.text), ("cake", both.text)}


def test_what_is_found_where_nothing_is_labelled_is_false_and_counts_as_junk() -> None:
    quiet, loud = score(item(), []), score(item(), [Find("Mira is here"), Find("Mira is tired")])
    assert len(loud.false) == 2
    assert junk_rate([quiet, loud]) == 0.5
    assert junk_rate([score(item(fact("tea")), [])]) is None


# The figures


def test_figures_over_all_kinds() -> None:
    scored = [
        score(item(fact("tea"), fact("cake")), [Find("tea"), Find("rain")]),
        score(item(), [Find("nothing")]),
    ]
    figures = add_up(scored)
    assert figures == Figures(labelled=2, found=3, right=1, met=1)
    assert figures.precision == pytest.approx(1 / 3)
    assert figures.recall == 0.5


def test_precision_goes_by_the_found_kind_and_recall_by_the_labelled() -> None:
    wanted = fact("tea", kind=Kind.PREFERENCE, also=(Kind.PROFILE,))
    by_kind = add_up_by_kind([score(item(wanted), [Find("tea", Kind.PROFILE), Find("tea", Kind.NOTE)])])
    assert by_kind["preference"] == Figures(labelled=1, found=0, right=0, met=1)
    assert by_kind["profile"] == Figures(labelled=0, found=1, right=1, met=0)
    assert by_kind["note"] == Figures(labelled=0, found=1, right=0, met=0)
    assert (by_kind["preference"].precision, by_kind["preference"].recall) == (None, 1.0)


# The labels


SETS = (*TRAINED_SETS, *MEASURED_SETS)


@pytest.mark.parametrize("name", SETS)
def test_the_labels_are_well_formed(name: str) -> None:
    assert find_faults(read_set(name)) == []


def test_the_sets_share_no_text_and_no_id() -> None:
    for trained, measured in product(TRAINED_SETS, MEASURED_SETS):
        first, second = read_set(trained), read_set(measured)
        assert {item.text for item in first}.isdisjoint(item.text for item in second)
    names = [item.id for name in ("tuning", "aside") for item in read_set(name)]
    assert len(names) == len(set(names))


def test_faults_are_named() -> None:
    good = item(fact("tea"))
    assert find_faults([good, item(text="thanks", name="t002")]) == []
    wrong = msgspec.structs.replace(good, at="4 March", facts=(msgspec.structs.replace(fact("tea"), span="milk"),))
    faults = find_faults([wrong, item(text="thanks")])
    assert faults == [
        "t001: '4 March' is no date",
        "t001: 'milk' does not occur in it",
        "t001: the id is used twice",
    ]


def test_lines_are_counted_from_one() -> None:
    assert [line_of("a\nb\nc", offset) for offset in (0, 2, 4)] == [1, 2, 3]


# The runner


def test_said_at_is_noon_of_the_day() -> None:
    assert said_at(item()) == 1_772_625_600_000_000


@pytest.mark.parametrize("name", SETS)
def test_finding_what_is_labelled_is_perfect(name: str) -> None:
    scored = run(name, read_set(name), perfect).scored
    figures = add_up(scored)
    assert (figures.precision, figures.recall, junk_rate(scored)) == (1.0, 1.0, 0.0)


def test_finding_nothing_and_finding_everything() -> None:
    nothing = run("aside", read_set("aside"), lambda _: []).scored
    assert (add_up(nothing).precision, add_up(nothing).recall, junk_rate(nothing)) == (None, 0.0, 0.0)
    everything = run("aside", read_set("aside"), lambda item: [Find(item.text, Kind.NOTE)]).scored
    assert junk_rate(everything) == 1.0


def test_a_page_is_written_and_the_wrong_ones_are_listed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tuning", "second", "--marks", "--show", "--out", str(tmp_path)]) == 0
    assert "missed  preference" in capsys.readouterr().out
    text = (tmp_path / "extraction.md").read_text("utf-8")
    assert "## tuning: messages" in text
    assert "## second: messages" in text
    assert "## Worth keeping, kind and wording" in text


def test_one_set_alone_leaves_the_page_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["aside", "--marks"]) == 0
    assert "written to" not in capsys.readouterr().out


# Texts in the form of the training files


def test_a_unit_file_is_read_with_what_is_optional(tmp_path: Path) -> None:
    path = tmp_path / "voices.txt"
    path.write_text(
        "@ speaker=Maria_Keller role=user project=otter date=2026-03-02 genre=chat\n< Tom: tea or coffee?\n"
        "I like tea. Maybe milk.\n- preference,profile | I like tea | Maria; tea\n? | Maybe milk\n",
        "utf-8",
    )
    (read,) = read_unit_file(path)
    assert (read.speaker, read.project, read.before[0].speaker, read.before[0].text) == (
        *("Maria Keller", "otter"),
        *("Tom", "tea or coffee?"),
    )
    assert (read.facts[0].kind, read.facts[0].also, read.optional) == (
        *(Kind.PREFERENCE, (Kind.PROFILE,)),
        ("Maybe milk",),
    )
    milk = Find("Maria may like milk", Kind.NOTE, start=12, end=22)
    assert score(read, [milk]).false == ()
    assert score(read, [Find("Maria likes", Kind.NOTE, start=0, end=10)]).false != ()


def test_development_items_are_some_of_all_sets() -> None:
    texts = {entry.text for name in TRAINED_SETS for entry in read_set(name)}
    held = read_development()
    assert 100 < sum(entry.text in texts for entry in held) < len(texts) / 5
    assert any(entry.text not in texts for entry in held)


def test_worth_kind_and_wording_are_told_apart() -> None:
    labelled = item(fact("Mira", "tea"))
    wrong_kind = Find("Mira likes tea", Kind.NOTE, start=7, end=10)
    wrong_words = Find("likes tea", start=7, end=10)
    elsewhere = Find("Mira likes tea", start=0, end=3)
    aspects = add_up_aspects(
        [score(labelled, [wrong_kind]), score(labelled, [wrong_words]), score(labelled, [elsewhere])]
    )
    assert aspects.worth == Figures(3, 3, 2, 2)
    assert (aspects.kind, aspects.wording) == ((1, 2), (1, 2))


def test_every_line_is_an_object_of_its_own() -> None:
    for name in SETS:
        lines = (FOLDER / f"{name}.jsonl").read_text("utf-8").splitlines()
        assert all(isinstance(json.loads(line), dict) for line in lines)
