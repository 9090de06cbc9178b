"""Generate the examples of the API description by running them. `--check` checks that they are current."""

from __future__ import annotations

import re
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from heldtrue import ManualClock, Memory

EXAMPLES = Path(__file__).parents[1] / "src" / "heldtrue" / "surfaces" / "rest" / "examples.json"
_BEGIN = datetime(2026, 5, 17, 9, 30, tzinfo=UTC)
_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_HASH = re.compile(r"\b[0-9a-f]{64}\b")
_FENCE = re.compile(r'fence="[0-9a-f]+"')
_FIGURES = frozenset(("breakdown", "parts", "cost"))
"""Objects whose keys depend on the installed models."""


class Story:
    """Invokes capabilities, and records the first use of each as an example."""

    def __init__(self, memory: Memory, clock: ManualClock) -> None:
        self._memory = memory
        self._clock = clock
        self._names: dict[str, str] = {}
        self.told: dict[str, dict[str, Any]] = {}

    def use(self, verb: str, *, shown: bool = True, **request: Any) -> Any:
        """Return the answer; the recorded example has ids and hashes that are the same in every run."""
        self._clock.advance(seconds=60)
        answer = msgspec.to_builtins(self._memory.invoke(f"memory.{verb}", **request))
        if shown:
            self.told[verb] = {"request": self._steady(request), "answer": self._steady(answer)}
        return answer

    def _steady(self, value: Any) -> Any:
        match value:
            case dict():
                return {self._steady(name): self._steady(item) for name, item in value.items()}
            case list():
                return [self._steady(item) for item in value]
            case str():
                text = _FENCE.sub('fence="5f1d"', _HASH.sub("9c" * 32, value))
                return _ID.sub(self._name, text)
        return value

    def _name(self, found: re.Match[str]) -> str:
        return self._names.setdefault(found[0], f"019e34f6-d3c0-7000-8000-{len(self._names) + 1:012x}")


def tell_story() -> dict[str, dict[str, Any]]:
    """One request with its answer for each common capability."""
    clock = ManualClock(_BEGIN)
    with Memory.open(":memory:", clock=clock) as memory:
        story = Story(memory, clock)
        use = story.use
        learned = use("learn", content="The staging database lives in Frankfurt", source="docs/infra.md:12")
        one = learned["memory"]["id"]
        use("get", memory=one)
        found = use("recall", context="where is the staging database?", limit=3)
        use("feedback", recall_id=found["recall_id"], used=[one])
        use("context_for", task="move the staging database")
        use("capture", content="Notes: the cache is flushed at noon.", source="notes/cache.md", extract=False)
        use("list", limit=2)
        use("about", name="Frankfurt", limit=1)
        moved = use("correct", memory=one, content="The staging database lives in Dublin", reason="it moved in April")
        use("history", memory=one)
        use("explain", memory=moved["memory"]["id"], depth=1)
        place = use("events", shown=False)["next_cursor"]
        other = use("learn", shown=False, content="Staging is reset every night", source="docs/infra.md:14")
        use("link", memory=other["memory"]["id"], to=moved["memory"]["id"], relationship="applies_to")
        use("forget", memory=other["memory"]["id"], reason="the nightly job is gone")
        agent = Story(memory.as_agent("codex"), clock)
        agent.use("learn", content="The staging database lives in Oslo", source="chat with the operators")
        use("inbox", limit=1)
        agent.use("learn", content="Staging is reset every night", source="chat with the operators")
        use("refusals", limit=1)
        use("rejections", limit=1)
        use("conflicts", limit=1)
        use("status")
        use("events", after=place, names=["memory:write"], limit=2)
    return story.told


def shape_of(value: Any) -> Any:
    """The structure of a value, without the values."""
    match value:
        case dict():
            return {name: None if name in _FIGURES else shape_of(item) for name, item in value.items()}
        case list():
            return [shape_of(item) for item in value]
    return None


def main(arguments: list[str]) -> int:
    """Write the file if the structure of an example changed, or with --check report that it did."""
    told = tell_story()
    kept = msgspec.json.decode(EXAMPLES.read_bytes()) if EXAMPLES.exists() else None
    if shape_of(kept) == shape_of(told):
        return 0
    if "--check" in arguments:
        print("src/heldtrue/surfaces/rest/examples.json is out of date; run make reference")
        return 1
    EXAMPLES.write_bytes(msgspec.json.format(msgspec.json.encode(told), indent=1) + b"\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
