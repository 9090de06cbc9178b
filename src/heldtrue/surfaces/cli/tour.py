"""A guided tour: three weeks of a small team, played on a temporary memory with the real commands."""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from heldtrue.surfaces.cli.options import Options
from heldtrue.surfaces.cli.page import Page, bold, dim, ink
from heldtrue.surfaces.cli.run import perform
from heldtrue.surfaces.cli.screen import Screen
from heldtrue.wiring.clock import ManualClock

_DAY_US = 86_400_000_000
_NOTES = """\
{"content": "Deploys happen on Tuesdays and Thursdays", "topic": "deploy"}
{"content": "The staging database runs PostgreSQL 17", "topic": "infra", "source": "infra/staging.tf:8"}
{"content": "Maria reviews every change to the billing module", "topic": "team"}
{"content": "Never restart the queue while an export is running", "kind": "convention", "topic": "infra"}
{"content": "The web front end is written in TypeScript", "topic": "code"}
"""
_TOKEN = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
"""Made up, and written in two pieces so that nobody's scanner takes this file for a leak."""
_QUESTION = "which port does the API listen on?"


class Tour:
    """Types commands for the reader, and shows what they answer."""

    def __init__(self, folder: Path, color: str) -> None:
        self.folder = folder
        self.home = folder / "home"
        self._color = color
        self.screen = Screen(sys.stdout, color)
        self._today = time.time_ns() // 1000
        self._clock = ManualClock(self._today)
        self._step = 0

    def step(self, title: str, why: str, *, days_ago: int) -> None:
        """Begin a step: where we are in time, and why one would do this."""
        self._step += 1
        self._clock.set(self._today - days_ago * _DAY_US)
        when = {0: "today", 1: "yesterday"}.get(days_ago, f"{days_ago} days ago")
        page = Page(self.screen, 0)
        page.line()
        page.line(ink(f"{self._step:>2}  {title}", "bold", "cyan"), dim(f"  {when}"))
        page.text(why, indent=4)
        self.screen.write(str(page) + "\n")

    def type(self, *words: str, reading: Path | None = None) -> Any:
        """Run a command as a user would type it; `reading` is the file that the last word names."""
        page = Page(self.screen, 0)
        lines = _fold(_pieces(("heldtrue", *words)), self.screen.width - 4)
        for place, line in enumerate(lines):
            page.line(dim("$ " if place == 0 else "    "), bold(line), dim(" \\" if place < len(lines) - 1 else ""))
        self.screen.write(str(page))
        real = [*words[:-1], str(reading)] if reading else list(words)
        # Unseen by the reader: where the memory is, and the colours of the tour itself.
        answer = perform(["--home", str(self.home), f"--color={self._color}", *real], clock=self._clock).answer
        self.screen.write("\n")
        return answer


def _quote(word: str) -> str:
    return f'"{word}"' if not word or any(letter in " ?*#'!()" for letter in word) else word


def _pieces(words: Sequence[str]) -> list[str]:
    """The words of a command, each option together with its value."""
    pieces: list[str] = []
    for word in words:
        if pieces and pieces[-1].startswith("--") and " " not in pieces[-1]:
            pieces[-1] += f" {_quote(word)}"
        else:
            pieces.append(_quote(word))
    return pieces


def _fold(pieces: list[str], width: int) -> list[str]:
    """A command in lines, each but the last to be continued."""
    lines = [""]
    for piece in pieces:
        if lines[-1] and len(lines[-1]) + 1 + len(piece) > width:
            lines.append("")
        lines[-1] = f"{lines[-1]} {piece}".strip()
    return lines


def run_tour(given: dict[str, Any], options: Options) -> int:
    """Play the whole tour; with `keep`, leave the memory it made and say where it is."""
    keep, color = bool(given.get("keep")), options.color
    folder = Path(tempfile.mkdtemp(prefix="heldtrue-tour-"))
    try:
        (folder / "home").mkdir(mode=0o700)
        (folder / "notes.jsonl").write_text(_NOTES, "utf-8")
        tour = Tour(folder, color)
        _welcome(tour)
        fact = _remember(tour)
        _disagree(tour)
        kept = _correct(tour, fact)
        _look_back(tour, fact)
        _forget(tour, kept)
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
        "This tour plays three weeks of a small team on a temporary memory. The commands and their answers are real; "
        "only the calendar is made up."
    )
    tour.screen.write(str(page))


def _remember(tour: Tour) -> str:
    tour.step("Learn", "You write down a fact and where you read it. The answer says what became of it.", days_ago=21)
    fact = tour.type(
        "learn", "The API listens on port 8080 and is deployed from the main branch.",
        "--source", "docs/deploy.md:12", "--topic", "deploy",
    )  # fmt: skip
    tour.step("Learn many", "Notes you already have come from a file: all of them are kept, or none.", days_ago=21)
    tour.type("learn-many", "notes.jsonl", reading=tour.folder / "notes.jsonl")
    tour.step(
        "Agree",
        "The agent codex reads the same in the code. No twin is made: the memory gains evidence and confidence.",
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
        "The agent scout claims something else. It cannot overrule you: its claim waits in your inbox.",
        days_ago=14,
    )
    claim = tour.type("--agent", "scout", "learn", "The API listens on port 3000.", "--source", "logs/preview.log:7")
    tour.type("inbox")
    tour.step(
        "Recall",
        "Meanwhile anyone can ask. Each result says why it was chosen, where it comes from, and what to mind.",
        days_ago=14,
    )
    tour.type("recall", _QUESTION, "--limit", "1")
    tour.step("Decide", "You know better, and say why. What you reject does not come back by itself.", days_ago=13)
    tour.type("reject", claim.memory.id, "--reason", "3000 is only the preview server")


def _correct(tour: Tour, fact: str) -> str:
    tour.step(
        "Correct",
        "A week later the port really moves. You correct that half of the memory; the other half stays standing.",
        days_ago=5,
    )
    corrected = tour.type("correct", fact, "The API listens on port 9090.", "--reason", "moved behind the gateway")
    tour.step(
        "Stay corrected",
        "codex still has the old value in its notes and tells it again. Another spelling does not help.",
        days_ago=4,
    )
    tour.type("--agent", "codex", "learn", "the API  listens on PORT 8080!")
    return str(corrected.kept[0].id)


def _look_back(tour: Tour, fact: str) -> None:
    tour.step("Travel in time", "What did we believe ten days ago? And what has become of it since?", days_ago=0)
    tour.type("recall", _QUESTION, "--as-of", "10 days ago", "--limit", "1")
    tour.step(
        "Explain", "Every memory can tell its story: who said it, on what evidence, and what ended it.", days_ago=0
    )
    tour.type("explain", fact)


def _forget(tour: Tour, kept: str) -> None:
    tour.step("Forget", "What is no longer so leaves use, never the record.", days_ago=0)
    tour.type("forget", kept, "--reason", "we deploy from tags now")
    tour.type("history", kept)
    tour.step("Keep secrets out", "A token in a note is masked before anything is stored.", days_ago=0)
    tour.type("learn", f"Staging deploys with the token {_TOKEN}")


def _prove(tour: Tour) -> None:
    tour.step(
        "Verify",
        "All of this is in a ledger whose entries chain to one another, like the pages of a bound book. "
        "An edit, a deletion or a cut end would show.",
        days_ago=0,
    )
    tour.type("verify")


def _farewell(tour: Tour, *, keep: bool) -> None:
    page = Page(tour.screen, 0)
    page.line()
    page.line(ink(" ✓  That was Heldtrue.", "bold", "green"))
    place = f"--home {tour.home} " if keep else ""
    page.text("Try it yourself:", indent=4)
    tries = [
        (f'heldtrue {place}learn "..." --source FILE:LINE', "in a project folder; the memory is in .heldtrue there"),
        (f"heldtrue {place}recall WORDS", "add --json to see what an agent sees"),
        (f'heldtrue {place}diff "2 weeks ago"', "what changed, and who changed it"),
        ("heldtrue help", "all there is"),
    ]
    if not keep:
        tries.append(("heldtrue tour --keep", "the same tour, with its memory left for you to look around in"))
    for command, aim in tries:
        page.line("    ", dim("$ "), bold(command))
        page.line("        ", dim(aim))
    if keep:
        page.gap()
        page.line("    The memory of this tour is kept in ", bold(str(tour.home)))
    tour.screen.write(str(page))
