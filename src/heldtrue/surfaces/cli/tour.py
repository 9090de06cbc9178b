"""A guided tour: three weeks of a small team, on a temporary memory with the real commands."""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from heldtrue.domain.times import DAY_US
from heldtrue.surfaces.cli.options import Options
from heldtrue.surfaces.cli.page import Page, bold, dim, ink
from heldtrue.surfaces.cli.run import perform
from heldtrue.surfaces.cli.screen import Screen
from heldtrue.wiring.clock import ManualClock

_NOTES = """\
{"content": "Deploys happen on Tuesdays and Thursdays", "topic": "deploy"}
{"content": "The staging database runs PostgreSQL 17", "topic": "infra", "source": "infra/staging.tf:8"}
{"content": "Maria reviews every change to the billing module", "topic": "team"}
{"content": "Never restart the queue while an export is running", "kind": "convention", "topic": "infra"}
{"content": "The web front end is written in TypeScript", "topic": "code"}
"""
_TOKEN = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
"""Not a real token; written in two pieces so that no secret scanner reports this file."""
_QUESTION = "which port does the API listen on?"


class Tour:
    """Runs commands for the reader, and shows the answers."""

    def __init__(self, folder: Path, color: str) -> None:
        self.folder = folder
        self.home = folder / "home"
        self._color = color
        self.screen = Screen(sys.stdout, color)
        self._today = time.time_ns() // 1000
        self._clock = ManualClock(self._today)
        self._step = 0

    def step(self, title: str, why: str, *, days_ago: int) -> None:
        """Begin a step: its title, its date and its purpose."""
        self._step += 1
        self._clock.set(self._today - days_ago * DAY_US)
        when = {0: "today", 1: "yesterday"}.get(days_ago, f"{days_ago} days ago")
        page = Page(self.screen, 0)
        page.line()
        page.line(ink(f"{self._step:>2}  {title}", "bold", "cyan"), dim(f"  {when}"))
        page.text(why, indent=4)
        self.screen.write(str(page) + "\n")

    def type(self, *words: str, reading: Path | None = None) -> Any:
        """Run a command as a user would type it; `reading` is the file that the last word stands for."""
        page = Page(self.screen, 0)
        lines = _fold(_pieces(("heldtrue", *words)), self.screen.width - 4)
        for index, line in enumerate(lines):
            page.line(dim("$ " if index == 0 else "    "), bold(line), dim(" \\" if index < len(lines) - 1 else ""))
        self.screen.write(str(page))
        real = [*words[:-1], str(reading)] if reading else list(words)
        # Hidden from the reader: the home, and the colours of the tour itself.
        answer = perform(["--home", str(self.home), f"--color={self._color}", *real], clock=self._clock).answer
        self.screen.write("\n")
        return answer


def _quote(word: str) -> str:
    return f'"{word}"' if not word or any(letter in " ?*#'!()" for letter in word) else word


def _pieces(words: Sequence[str]) -> list[str]:
    """The words of a command, each option with its value."""
    pieces: list[str] = []
    for word in words:
        if pieces and pieces[-1].startswith("--") and " " not in pieces[-1]:
            pieces[-1] += f" {_quote(word)}"
        else:
            pieces.append(_quote(word))
    return pieces


def _fold(pieces: list[str], width: int) -> list[str]:
    """A command in lines; all but the last are continued."""
    lines = [""]
    for piece in pieces:
        if lines[-1] and len(lines[-1]) + 1 + len(piece) > width:
            lines.append("")
        lines[-1] = f"{lines[-1]} {piece}".strip()
    return lines


def run_tour(arguments: dict[str, Any], options: Options) -> int:
    """Run the whole tour; with `keep`, keep its memory and print the path."""
    keep, color = bool(arguments.get("keep")), options.color
    folder = Path(tempfile.mkdtemp(prefix="heldtrue-tour-"))
    try:
        (folder / "home").mkdir(mode=0o700)
        (folder / "notes.jsonl").write_text(_NOTES, "utf-8")
        tour = Tour(folder, color)
        _welcome(tour)
        fact = _remember(tour)
        _disagree(tour)
        remainder = _correct(tour, fact)
        _look_back(tour, fact)
        _forget(tour, remainder)
        _prove(tour)
        _farewell(tour, keep=keep)
    finally:
        if not keep:
            import shutil

            shutil.rmtree(folder, ignore_errors=True)
    return 0


def _welcome(tour: Tour) -> None:
    page = Page(tour.screen, 0)
    page.text(bold("Heldtrue: the memory that AI agents share and people can audit."))
    page.gap()
    page.text(
        "This tour follows a small team for three weeks, in a temporary store. The commands and their output are "
        "real; only the dates are simulated."
    )
    tour.screen.write(str(page))


def _remember(tour: Tour) -> str:
    tour.step("Learn", "You store a fact and its source. The output shows the outcome and the reason.", days_ago=21)
    fact = tour.type(
        "learn", "The API listens on port 8080 and is deployed from the main branch.",
        "--source", "docs/deploy.md:12", "--topic", "deploy",
    )  # fmt: skip
    tour.step(
        "Learn many", "You import existing notes from a file. Either all of them are stored, or none.", days_ago=21
    )
    tour.type("learn-many", "notes.jsonl", reading=tour.folder / "notes.jsonl")
    tour.step(
        "Agree",
        "The agent codex finds the same fact in the code. No duplicate is stored; the memory gains evidence.",
        days_ago=18,
    )
    tour.type(
        "--agent", "codex", "learn", "the API listens on port 8080, and is deployed from the main branch",
        "--source", "src/server.py:41",
    )  # fmt: skip
    return str(fact.memory.id)


def _disagree(tour: Tour) -> None:
    tour.step(
        "Disagree",
        "The agent scout claims something different. It cannot overrule you, so its claim goes to your inbox.",
        days_ago=14,
    )
    claim = tour.type("--agent", "scout", "learn", "The API listens on port 3000.", "--source", "logs/preview.log:7")
    tour.type("inbox")
    tour.step(
        "Recall",
        "Meanwhile, anyone can recall the fact. Each result shows why it was chosen, its sources and any warnings.",
        days_ago=14,
    )
    tour.type("recall", _QUESTION, "--limit", "1")
    tour.step("Decide", "You reject the claim and say why. From then on, the same claim is refused.", days_ago=13)
    tour.type("reject", claim.memory.id, "--reason", "3000 is only the preview server")


def _correct(tour: Tour, fact: str) -> str:
    tour.step(
        "Correct",
        "A week later, the port really changes. You correct that part of the memory; the other part stays active.",
        days_ago=5,
    )
    corrected = tour.type("correct", fact, "The API listens on port 9090.", "--reason", "moved behind the gateway")
    tour.step(
        "Stay corrected",
        "codex still has the old value in its notes and learns it again. A different spelling makes no difference.",
        days_ago=4,
    )
    tour.type("--agent", "codex", "learn", "the API  listens on PORT 8080!")
    return str(corrected.kept[0].id)


def _look_back(tour: Tour, fact: str) -> None:
    tour.step("Look back in time", "What did we believe ten days ago, and what has changed since then?", days_ago=0)
    tour.type("recall", _QUESTION, "--as-of", "10 days ago", "--limit", "1")
    tour.step(
        "Explain",
        "Every memory has a full record: who stated it, on what evidence, and what replaced it.",
        days_ago=0,
    )
    tour.type("explain", fact)


def _forget(tour: Tour, remainder: str) -> None:
    tour.step(
        "Forget",
        "You retract a fact that is no longer true. It is no longer recalled, but its history stays readable.",
        days_ago=0,
    )
    tour.type("forget", remainder, "--reason", "we deploy from tags now")
    tour.type("history", remainder)
    tour.step("Keep secrets out", "A secret in a text is masked before anything is stored.", days_ago=0)
    tour.type("learn", f"Staging deploys with the token {_TOKEN}")


def _prove(tour: Tour) -> None:
    tour.step(
        "Verify",
        "All of this is recorded in a ledger whose entries are linked by hashes. Verification finds every entry "
        "that was edited, deleted or cut off.",
        days_ago=0,
    )
    tour.type("verify")


def _farewell(tour: Tour, *, keep: bool) -> None:
    page = Page(tour.screen, 0)
    page.line()
    page.line(ink(" ✓  End of the tour.", "bold", "green"))
    home = f"--home {tour.home} " if keep else ""
    page.text("Try it yourself:", indent=4)
    tries = [
        (f'heldtrue {home}learn "..." --source FILE:LINE', "store a fact of your own"),
        (f"heldtrue {home}recall WORDS", "add --json for the output that an agent gets"),
        (f'heldtrue {home}diff "2 weeks ago"', "what changed, and who changed it"),
        ("heldtrue help", "the everyday commands; help --all lists all of them"),
    ]
    if not keep:
        tries.append(("heldtrue tour --keep", "take the same tour, and keep its store to explore"))
    for command, purpose in tries:
        page.line("    ", dim("$ "), bold(command))
        page.line("        ", dim(purpose))
    if keep:
        page.gap()
        page.line("    This tour's store is in ", bold(str(tour.home)))
    tour.screen.write(str(page))
