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
from typing import Any, NamedTuple

from bench.charts import bar_chart
from bench.conversations import CATEGORIES, Asked, Conversation, read_conversations
from bench.machine import describe_machine
from bench.pages import RESULTS, machine_lines, percentile, table, write_page
from bench.ranking import MARK_NAMES, Marks, PlainSearch, mark, mean_marks
from bench.spaces import EMBEDDERS, open_space, set_up, store_vectors, what_is_missing
from bench.tuning import SHOWN, TUNED, Shown, Weights, tune, unweigh
from heldtrue import Memory
from heldtrue.capabilities.recalling import RecallAnswer
from heldtrue.recall.profiles import DEFAULT, PROFILES, Profile, choose_profile

DATA = Path("../shared/data/locomo10.json")
LIMIT = 20
QUICK = 2
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

    def shipped(self, embedder: str) -> Profile:
        """The default profile as it is with an embedder."""
        set_up(self.folder, embedder=embedder)
        with open_space(self.folder, clock=self.conversation.clock) as instance:
            model = instance.tools().embedder
            return choose_profile(DEFAULT, model.weights if model is not None else {})

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
    """Those that were tuned on each half, and the shipped ones."""


def ask(memory: Memory, question: str, limit: int = LIMIT, **how: Any) -> RecallAnswer:
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
    for conversation in conversations:
        places = range(len(conversation.turns))
        turns = PlainSearch(conversation.turns[index].said for index in places)
        around = PlainSearch(conversation.around(index) for index in places)
        for search, answers in zip((turns, around), found.values(), strict=True):
            answers += [_search(search, question) for question in conversation.questions]
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


def answer_all(home: Home, memory: Memory, questions: Sequence[Asked], **how: Any) -> list[Answered]:
    answers = []
    for question in questions:
        started = perf_counter()
        answer = ask(memory, question.words, **how)
        seconds = perf_counter() - started
        answers.append(Answered(question, home.order(answer), seconds))
    return answers


def uses_vectors(profile: str) -> bool:
    """Whether it makes a difference to a profile which embedder there is."""
    return profile == DEFAULT or PROFILES[profile].needs("meaning", "likeness")


def profiles_for(embedder: str, profiles: Sequence[str]) -> list[str]:
    """The profiles that an embedder makes a difference to; all of them where there is none."""
    return [name for name in profiles if embedder == "none" or uses_vectors(name)]


# The floor


def run_floor(homes: Sequence[Home], embedder: str) -> list[str]:
    """What the floor keeps of the real questions, and how many foreign ones it leaves without an answer.

    A foreign question is one about another conversation: nothing in this one answers it.
    """
    found = []
    for floor in (None, 0.0):
        kept: list[bool] = []
        empty: list[bool] = []
        for number, home in enumerate(homes):
            foreign = homes[number - 1].conversation.questions
            with home.opened(embedder, floor=floor) as memory:
                kept += [_finds_evidence(home, memory, question) for question in home.conversation.questions]
                empty += [not ask(memory, question.words, limit=1).results for question in foreign]
        found.append([f"{100 * fmean(shares):.1f}" for shares in (kept, empty)])
    return [*found[0], *found[1]]


def _finds_evidence(home: Home, memory: Memory, question: Asked) -> bool:
    return not question.gold.isdisjoint(home.order(ask(memory, question.words, limit=10)))


# Tuning


def run_tuning(homes: Sequence[Home], embedder: str, found: Findings) -> None:
    """Tune on one half of the conversations and report on the other, and the other way round."""
    halves = {"odd": list(homes[::2]), "even": list(homes[1::2])}
    shipped = homes[0].shipped(embedder)
    found.tuned_with = embedder
    for learned, tried in (("odd", "even"), ("even", "odd")):
        weights = tune(_show(halves[learned], embedder, shipped), shipped, seed=1)
        found.weights[f"tuned on {learned}"] = weights
        found.tuned.append([f"{learned}, on {tried}", *_compare(halves[tried], embedder, weights)])
    found.weights["shipped"] = dict(shipped.weights)


def _show(homes: Sequence[Home], embedder: str, shipped: Profile) -> list[Shown]:
    shown = []
    for home in homes:
        with home.opened(embedder, floor=0.0) as memory:
            for question in home.conversation.questions:
                answer = ask(memory, question.words, limit=SHOWN)
                hits = [index in question.gold for index in home.order(answer)]
                shown.append(unweigh(shipped, answer.results, hits, len(question.gold)))
    return shown


def _compare(homes: Sequence[Home], embedder: str, weights: Mapping[str, float]) -> list[str]:
    """R@10 and NDCG@10 with the shipped and with other weights, and their difference with its noise."""
    shipped: list[Marks] = []
    tuned: list[Marks] = []
    for home in homes:
        questions = home.conversation.questions
        with home.opened(embedder) as memory:
            shipped += [answer.marks for answer in answer_all(home, memory, questions)]
            tuned += [answer.marks for answer in answer_all(home, memory, questions, weights=dict(weights))]
    cells = []
    for name in ("recall_10", "ndcg_10"):
        ours = [100 * getattr(marks, name) for marks in shipped]
        theirs = [100 * getattr(marks, name) for marks in tuned]
        gains = [tuned_mark - other for tuned_mark, other in zip(theirs, ours, strict=True)]
        noise = 1.96 * stdev(gains) / len(gains) ** 0.5
        cells += [f"{fmean(ours):.1f}", f"{fmean(theirs):.1f}", f"{fmean(gains):+.1f} ± {noise:.1f}"]
    return cells


# The page


def name_configuration(profile: str, embedder: str) -> str:
    """A profile and its embedder; one that uses no vectors is the same with any."""
    return f"{profile}, {embedder}" if uses_vectors(profile) else f"{profile}, any"


def marks_table(found: Findings, category: int | None = None) -> str:
    """The marks of every configuration, over all questions or over those of a category."""
    named = {name_configuration(*key): found.configurations[key] for key in in_order(found)}
    rows = []
    for name, answers in {**named, **found.references}.items():
        chosen = [answer for answer in answers if category in (None, answer.question.category)]
        if chosen:
            rows.append([name, *show_marks(mean_marks(answer.marks for answer in chosen)), _middle_ms(chosen)])
    return table(["profile, embedder", *MARK_NAMES, "p50, ms"], rows)


def in_order(found: Findings) -> list[tuple[str, str]]:
    """The configurations that were measured, profile by profile."""
    profiles = list(PROFILES)
    return sorted(found.configurations, key=lambda key: profiles.index(key[0]))


def show_marks(marks: Marks) -> list[str]:
    return [f"{100 * value:.1f}" for value in marks]


def _middle_ms(answers: Sequence[Answered]) -> str:
    return f"{1000 * percentile([answer.seconds for answer in answers], 0.5):.1f}"


def draw(found: Findings) -> str:
    """R@10 of every configuration, and the references as lines."""
    profiles = list(PROFILES)
    bars = [
        (name_configuration(*key), 100 * _recall_10(found.configurations[key]), profiles.index(key[0]))
        for key in in_order(found)
    ]
    marks = {name: 100 * _recall_10(answers) for name, answers in found.references.items()}
    title = f"LoCoMo: evidence in the first ten results, {found.questions:,} questions, %"
    return bar_chart(title, bars, marks)


def _recall_10(answers: Sequence[Answered]) -> float:
    return mean_marks(answer.marks for answer in answers).recall_10


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
    weights = [[name, *(f"{weight.get(part, 0):g}" for part in TUNED)] for name, weight in found.weights.items()]
    return [
        "## Tuned on one half, reported on the other",
        f"The shipped weights are fixed. Here those of the match ({', '.join(TUNED)}) are looked for from random "
        "starts on every second conversation, the odd ones or the even ones, and tried on the others by real recalls "
        f"(default profile, {found.tuned_with} embedder). The gain is that of the tuned over the shipped weights, with "
        "its 95% interval. What is tuned has not seen the half it is reported on, while the shipped weights, and the "
        "constants within the parts, were chosen with all conversations in view: shipped marks well above the tuned "
        "ones would be a fit to these questions, tuned ones well above the shipped would be better weights.",
        table(["tuned on", *gains], found.tuned),
        table(["weights", *TUNED], weights),
    ]


def _floor_sections(found: Findings) -> list[str]:
    if not found.floors:
        return []
    heads = ["embedder", *(f"{what}, {how}" for how in ("floor", "no floor") for what in ("evidence kept", "nothing"))]
    return [
        "## The floor",
        "Each conversation's questions are also asked of another conversation, where nothing answers them. *Evidence "
        "kept* is the share of real questions with evidence among the first ten results, *nothing* the share of "
        "foreign questions that are answered with nothing, both in per cent; with the shipped floor and "
        "with none. Default profile, which alone has a floor.",
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
    found = Findings(len(conversations), sum(len(conversation.questions) for conversation in conversations))
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
    marks = zip(MARK_NAMES, show_marks(mean_marks(answer.marks for answer in answers)), strict=True)
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
