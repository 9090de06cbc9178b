"""How much of the evidence recall finds: LoCoMo's questions, every profile, every embedder that is installed.

The file is not ours to ship: `make bench-recall ARGS=/path/to/locomo10.json`. A full run writes recall.md and its
chart; with --quick (two conversations, the default profile) it only prints, unless --out names a folder.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean, stdev
from time import perf_counter
from typing import NamedTuple

from bench.charts import bar_chart
from bench.conversations import CATEGORIES, Asked, Conversation, read_conversations
from bench.machine import describe_machine
from bench.pages import RESULTS, machine_lines, percentile, table, write_page
from bench.ranking import MARK_NAMES, Marks, PlainSearch, mark, mean_marks
from bench.spaces import EMBEDDERS, open_space, set_up, store_vectors, what_is_missing
from bench.tuning import SHOWN, TUNED, Shown, Weights, tune, unweigh
from holdfast import Memory
from holdfast.capabilities.recalling import RecallAnswer
from holdfast.recall.profiles import DEFAULT, PROFILES
from holdfast.wiring.settings import RecallSettings

DATA = Path("../shared/data/locomo10.json")
LIMIT = 20
QUICK = 2
FLOORS = (0.05, 0.1, 0.15, 0.2, 0.25, 0.3)
_FLOOR = RecallSettings().floor
_ABSENT = """There is no LoCoMo file at {path}.
LoCoMo is a public set of ten long conversations with questions about them ("Evaluating Very Long-Term Conversational
Memory of LLM Agents", 2024); its file is called locomo10.json and is not part of this project. Name yours:
    make bench-recall ARGS=/path/to/locomo10.json"""


class Answered(NamedTuple):
    """One question as it was answered."""

    question: Asked
    order: list[int]
    seconds: float

    @property
    def marks(self) -> Marks:
        return mark(self.order, self.question.gold)


@dataclass
class Home:
    """A captured conversation: its folder, and which turn each source is."""

    conversation: Conversation
    folder: Path
    places: dict[str, int]

    @contextmanager
    def opened(self, embedder: str, *, floor: float | None = None) -> Iterator[Memory]:
        """For its owner, two days after the last session, every vector stored."""
        set_up(self.folder, embedder=embedder, floor=floor)
        with open_space(self.folder, clock=self.conversation.clock) as instance:
            store_vectors(instance)
            yield Memory.over(instance)

    def order(self, answer: RecallAnswer) -> list[int]:
        """The turns that came back, best first."""
        return [self.places[result.passage.source_id] for result in answer.results if result.passage is not None]


@dataclass
class Findings:
    """Everything a run found out."""

    conversations: int
    questions: int
    notes: list[str] = field(default_factory=list)
    references: dict[str, list[Answered]] = field(default_factory=dict)
    configurations: dict[tuple[str, str], list[Answered]] = field(default_factory=dict)
    """By profile and embedder."""
    floors: dict[str, list[str]] = field(default_factory=dict)
    tuned: list[list[str]] = field(default_factory=list)
    tuned_with: str = ""
    weights: dict[str, Weights] = field(default_factory=dict)
    """Those that were tuned, by the half they were tuned on."""


def ask(memory: Memory, question: str, limit: int = LIMIT, **how: object) -> RecallAnswer:
    """Ask for turns; a turn is a source of its own and comes back once."""
    answer: RecallAnswer = memory.recall(question, within=["sessions"], limit=limit, per_source=1, **how)
    return answer


def capture_all(conversations: Sequence[Conversation], folder: Path) -> list[Home]:
    """Every conversation in a home of its own."""
    homes = []
    for conversation in conversations:
        home = Home(conversation, folder / conversation.name, {})
        set_up(home.folder, embedder="none")
        with open_space(home.folder, clock=conversation.clock) as instance:
            home.places |= conversation.capture(Memory.over(instance))
        homes.append(home)
    return homes


# The marks


def run_references(conversations: Sequence[Conversation]) -> dict[str, list[Answered]]:
    """What plain BM25 finds, over turns and over turns with their neighbours."""
    found: dict[str, list[Answered]] = {"BM25 over turns": [], "BM25 over turns with neighbours": []}
    for one in conversations:
        places = range(len(one.turns))
        turns = PlainSearch(one.turns[place].said for place in places)
        around = PlainSearch(one.around(place) for place in places)
        for search, answers in zip((turns, around), found.values(), strict=True):
            answers += [_search(search, question) for question in one.questions]
    return found


def _search(search: PlainSearch, question: Asked) -> Answered:
    started = perf_counter()
    order = search.find(question.words, LIMIT)
    return Answered(question, order, perf_counter() - started)


def run_profiles(homes: Sequence[Home], embedder: str, profiles: Sequence[str]) -> dict[str, list[Answered]]:
    """What recall finds with one embedder, by profile."""
    found: dict[str, list[Answered]] = {profile: [] for profile in profiles}
    for home in homes:
        with home.opened(embedder) as memory:
            for profile in profiles:
                found[profile] += answer_all(home, memory, home.conversation.questions, profile=profile)
    return found


def answer_all(home: Home, memory: Memory, questions: Sequence[Asked], **how: object) -> list[Answered]:
    answers = []
    for question in questions:
        started = perf_counter()
        answer = ask(memory, question.words, **how)
        seconds = perf_counter() - started
        answers.append(Answered(question, home.order(answer), seconds))
    return answers


def profiles_for(embedder: str, profiles: Sequence[str]) -> list[str]:
    """The profiles that an embedder makes a difference to; all of them where there is none."""
    return [name for name in profiles if embedder == "none" or PROFILES[name].needs("meaning", "likeness")]


# The floor


def run_floor(homes: Sequence[Home], embedder: str) -> list[str]:
    """For each floor how many real questions keep their evidence, and how many foreign ones are answered with nothing.

    A foreign question is one about the conversation before: nothing in this one answers it.
    """
    kept: list[float] = []
    foreign: list[float] = []
    for number, home in enumerate(homes):
        others = homes[number - 1].conversation.questions
        with home.opened(embedder, floor=0.0) as memory:
            kept += [_gold_score(home, memory, question) for question in home.conversation.questions]
            foreign += [_top_score(memory, question.words) for question in others]
    shares = [(fmean(score >= floor for score in kept), fmean(score < floor for score in foreign)) for floor in FLOORS]
    return [f"{100 * keeps:.1f} / {100 * empty:.1f}" for keeps, empty in shares]


def _gold_score(home: Home, memory: Memory, question: Asked) -> float:
    """The best score of its evidence within the first ten; -1 where there is none, so that no floor keeps it."""
    results = ask(memory, question.words, limit=10).results
    return max(
        (one.score for one in results if one.passage and home.places[one.passage.source_id] in question.gold),
        default=-1.0,
    )


def _top_score(memory: Memory, words: str) -> float:
    return max((result.score for result in ask(memory, words, limit=1).results), default=-1.0)


# Tuning


def run_tuning(homes: Sequence[Home], embedder: str, found: Findings) -> None:
    """Tune on one half of the conversations and report on the other, and the other way round."""
    halves = {"odd": list(homes[::2]), "even": list(homes[1::2])}
    found.tuned_with = embedder
    for learned, tried in (("odd", "even"), ("even", "odd")):
        weights = tune(_show(halves[learned], embedder), seed=1)
        found.weights[learned] = weights
        found.tuned.append([f"{learned}, on {tried}", *_compare(halves[tried], embedder, weights)])


def _show(homes: Sequence[Home], embedder: str) -> list[Shown]:
    shown = []
    for home in homes:
        with home.opened(embedder, floor=0.0) as memory:
            for question in home.conversation.questions:
                answer = ask(memory, question.words, limit=SHOWN)
                hits = [place in question.gold for place in home.order(answer)]
                shown.append(unweigh(answer.results, hits, len(question.gold)))
    return shown


def _compare(homes: Sequence[Home], embedder: str, weights: Mapping[str, float]) -> list[str]:
    """R@10 and NDCG@10 with the shipped and with other weights, and their difference with its noise."""
    shipped: list[Marks] = []
    tuned: list[Marks] = []
    for home in homes:
        questions = home.conversation.questions
        with home.opened(embedder) as memory:
            shipped += [one.marks for one in answer_all(home, memory, questions)]
            tuned += [one.marks for one in answer_all(home, memory, questions, weights=dict(weights))]
    cells = []
    for name in ("recall_10", "ndcg_10"):
        ours = [100 * getattr(one, name) for one in shipped]
        theirs = [100 * getattr(one, name) for one in tuned]
        gains = [one - other for one, other in zip(theirs, ours, strict=True)]
        noise = 1.96 * stdev(gains) / len(gains) ** 0.5
        cells += [f"{fmean(ours):.1f}", f"{fmean(theirs):.1f}", f"{fmean(gains):+.1f} ± {noise:.1f}"]
    return cells


# The page


def name_configuration(profile: str, embedder: str) -> str:
    """A profile and its embedder; one that uses no vectors is the same with any."""
    return f"{profile}, {embedder}" if PROFILES[profile].needs("meaning", "likeness") else f"{profile}, any"


def marks_table(found: Findings, category: int | None = None) -> str:
    """The marks of every configuration, over all questions or over those of a category."""
    named = {name_configuration(*key): answers for key, answers in found.configurations.items()}
    rows = []
    for name, answers in {**named, **found.references}.items():
        chosen = [one for one in answers if category in (None, one.question.category)]
        if chosen:
            rows.append([name, *show_marks(mean_marks(one.marks for one in chosen)), _middle_ms(chosen)])
    return table(["profile, embedder", *MARK_NAMES, "p50, ms"], rows)


def show_marks(marks: Marks) -> list[str]:
    return [f"{100 * value:.1f}" for value in marks]


def _middle_ms(answers: Sequence[Answered]) -> str:
    return f"{1000 * percentile([one.seconds for one in answers], 0.5):.1f}"


def draw(found: Findings) -> str:
    """R@10 of every configuration, and the references as lines."""
    profiles = list(PROFILES)
    bars = [
        (name_configuration(profile, embedder), 100 * _recall_10(answers), profiles.index(profile))
        for (profile, embedder), answers in found.configurations.items()
    ]
    marks = {name: 100 * _recall_10(answers) for name, answers in found.references.items()}
    title = f"LoCoMo: evidence in the first ten results, {found.questions:,} questions, %"
    return bar_chart(title, sorted(bars, key=lambda bar: bar[2]), marks)


def _recall_10(answers: Sequence[Answered]) -> float:
    return mean_marks(one.marks for one in answers).recall_10


def page(found: Findings, command: str) -> list[str]:
    """The sections of recall.md."""
    sections = [
        "# Recall of evidence: LoCoMo",
        f"`{command}`: {found.conversations} conversations, {found.questions:,} questions of the categories 1 to 4 "
        "with the turns that answer them. Each session is captured as a thread; each question is asked two days after "
        'the last one, with `within=["sessions"]`. R@k is the share of a question\'s evidence turns among the first k '
        "results, as a mean over questions; all marks are per cent. No language model takes part.",
        machine_lines(describe_machine()),
        "![R@10 by configuration](recall.svg)",
        *found.notes,
        "## All questions",
        marks_table(found),
        "The references are BM25 over stemmed words, without stop words, with the speaker's name in the text. Profiles "
        "that weigh no vector give the same with every embedder and are shown once.",
    ]
    for category, name in CATEGORIES.items():
        sections += [f"## Category {category}: {name}", marks_table(found, category)]
    return [*sections, *_tuning_sections(found), *_floor_sections(found)]


def _tuning_sections(found: Findings) -> list[str]:
    if not found.tuned:
        return []
    gains = [f"{name} {how}" for name in ("R@10", "NDCG@10") for how in ("shipped", "tuned", "gain")]
    weights = {**{f"tuned on {half}": one for half, one in found.weights.items()}, "shipped": PROFILES[DEFAULT].weights}
    return [
        "## Tuned on one half, reported on the other",
        f"The shipped weights are fixed. Here those of the match ({', '.join(TUNED)}) are looked for from random "
        "starts on every second conversation, the odd ones or the even ones, and tried on the others by real recalls "
        f"(default profile, {found.tuned_with} embedder). The gain is that of the tuned over the shipped weights, with "
        "its 95% interval: where it includes nought, the half that was not seen gives no reason to prefer them.",
        table(["tuned on", *gains], found.tuned),
        table(["weights", *TUNED], [[name, *(f"{one[part]:g}" for part in TUNED)] for name, one in weights.items()]),
    ]


def _floor_sections(found: Findings) -> list[str]:
    if not found.floors:
        return []
    heads = ["embedder", *(f"floor {floor:g}" for floor in FLOORS)]
    return [
        "## The floor",
        "Each conversation's questions are also asked of another conversation, where nothing answers them. A cell "
        "holds two shares, in per cent: of the real questions, those with evidence among the first ten that the floor "
        "keeps; of the foreign ones, those that are answered with nothing. The default profile, which alone has a "
        f"floor; the shipped one is {_FLOOR:g}.",
        table(heads, [[name, *row] for name, row in found.floors.items()]),
    ]


# The run


def usable_embedders(folder: Path, found: Findings) -> list[str]:
    """The embedders that are installed; of each other one, a line that says what it lacks."""
    usable = []
    for embedder in EMBEDDERS:
        problem = what_is_missing(folder / f"probe-{embedder}", embedder)
        if problem is None:
            usable.append(embedder)
        else:
            found.notes.append(f"The embedder `{embedder}` was not measured: {problem}")
            print(found.notes[-1], flush=True)
    return usable


def run(conversations: Sequence[Conversation], profiles: Sequence[str], folder: Path) -> Findings:
    """Measure everything; each configuration is printed as it is done."""
    found = Findings(len(conversations), sum(len(one.questions) for one in conversations))
    found.references = run_references(conversations)
    for name, answers in found.references.items():
        _show_line(name, answers)
    embedders = usable_embedders(folder, found)
    homes = capture_all(conversations, folder)
    for embedder in embedders:
        for profile, answers in run_profiles(homes, embedder, profiles_for(embedder, profiles)).items():
            found.configurations[profile, embedder] = answers
            _show_line(name_configuration(profile, embedder), answers)
        found.floors[embedder] = run_floor(homes, embedder)
    if len(homes) > 1:
        run_tuning(homes, "static" if "static" in embedders else "none", found)
    return found


def _show_line(name: str, answers: Sequence[Answered]) -> None:
    marks = zip(MARK_NAMES, show_marks(mean_marks(one.marks for one in answers)), strict=True)
    print(f"  {name:<34} {'  '.join(f'{mark} {value:>5}' for mark, value in marks)}", flush=True)


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench recall", description=__doc__)
    parser.add_argument("path", nargs="?", type=Path, default=DATA, help=f"the LoCoMo file; left out, {DATA}")
    parser.add_argument("--quick", action="store_true", help="two conversations and the default profile")
    parser.add_argument("--out", type=Path, help="where the page goes; left out, bench/results for a full run")
    chosen = parser.parse_args(arguments)
    if not chosen.path.is_file():
        print(_ABSENT.format(path=chosen.path), file=sys.stderr)
        return 2
    conversations = read_conversations(chosen.path)
    if chosen.quick:
        conversations = conversations[:QUICK]
    profiles = [DEFAULT] if chosen.quick else list(PROFILES)
    with tempfile.TemporaryDirectory() as folder:
        found = run(conversations, profiles, Path(folder))
    sections = page(found, "make bench-recall" + (" ARGS=--quick" if chosen.quick else ""))
    where = chosen.out or (None if chosen.quick else RESULTS)
    if where is None:
        print("\n\n".join(sections[5:]))
    else:
        print(f"written: {write_page(where, 'recall', sections, {'recall.svg': draw(found)})}")
    return 0
