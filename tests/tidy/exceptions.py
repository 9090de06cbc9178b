"""The list of what breaks a rule today. It may only shrink: a line that is no longer needed fails the build."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from tests.tidy.figures import Count

LIST = Path(__file__).with_name("exceptions.txt")


@dataclass(frozen=True)
class Verdict:
    """How what was counted compares with the list."""

    excess: list[Count] = field(default_factory=list)
    """What is beyond its limit and not on the list, or beyond what the list says."""
    needless: list[Count] = field(default_factory=list)
    """Lines of the list that nothing needs any more."""


def read_list(text: str) -> list[Count]:
    """The exceptions in a text: `rule value path name`, one a line; `#` begins a comment."""
    found = []
    for line in filter(None, (line.partition("#")[0].strip() for line in text.splitlines())):
        rule, value, path, *name = line.split()
        found.append(Count(rule, path, " ".join(name), int(value)))
    return found


def judge(counts: Iterable[Count], exceptions: Iterable[Count]) -> Verdict:
    """Compare what was counted with what is on the list."""
    allowed = {(exception.rule, exception.path, exception.name): exception for exception in exceptions}
    verdict = Verdict()
    for count in sorted(count for count in counts if count.is_too_much):
        exception = allowed.pop((count.rule, count.path, count.name), None)
        if exception is None or count.value > exception.value:
            verdict.excess.append(count)
    verdict.needless.extend(allowed.values())
    return verdict
