"""What was recalled, why, and how far to trust it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from holdfast.surfaces.cli.answers.parts import name_sources, show_rationale, show_since
from holdfast.surfaces.cli.page import Page, bold, dim, ink
from holdfast.surfaces.cli.text import count

if TYPE_CHECKING:
    from holdfast.capabilities.reading import RecallAnswer, RecallResult

_TAGS = {"conflicting": "red", "overridden": "red", "uncertain": "yellow", "stale": "yellow", "unconfirmed": "yellow"}


def show_recall(page: Page, answer: RecallAnswer, asked: dict[str, Any]) -> None:
    """The results, best first, or a sentence that says there are none."""
    then = f", as believed {_name_moment(asked.get('as_of', ''))} (entry {answer.as_of})" if answer.as_of else ""
    if not answer.results:
        page.text(f'Nothing is known about "{asked.get("context", "")}"{then}.')
        page.text(
            dim("Only active memories are recalled. Try other words, or look around: holdfast list, holdfast inbox"),
        )
        return
    page.text(dim(f'{count(len(answer.results), "memory")} for "{asked.get("context", "")}"{then}'))
    for rank, result in enumerate(answer.results, 1):
        page.gap()
        _show_result(page, rank, result)


def _name_moment(as_of: str) -> str:
    """The moment in the words it was asked in."""
    return "then" if not as_of or as_of.startswith("#") else as_of if as_of.endswith("ago") else f"at {as_of}"


def _show_result(page: Page, rank: int, result: RecallResult) -> None:
    memory = result.memory
    page.text(bold(memory.content), indent=4, first=ink(f"{rank:>2}", "cyan"))
    # The tags have lines of their own here; the sentence that an agent reads repeats them at its end.
    page.text(result.explanation.partition(" Mind: ")[0] if result.trust else result.explanation, indent=4)
    for tag in result.trust:
        page.text(f"{tag.tag}: {tag.detail}", indent=6, first=ink("    !", "bold", _TAGS.get(tag.tag, "yellow")))
    show_rationale(page, memory, indent=4)
    show_since(page, result.since, indent=4)
    if sources := name_sources(result.evidence):
        page.list(sources, indent=4, label="from", between=", ")
    parts = [f"{name} {share:.2f}" for name, share in result.breakdown.items() if share >= 0.005]
    page.list([f"{result.score:.2f} = {' + '.join(parts)}"], indent=4, label="score")
    page.list([dim(memory.id), memory.kind, memory.scope], indent=4, label="id")


SHOW = {"RecallAnswer": show_recall}
