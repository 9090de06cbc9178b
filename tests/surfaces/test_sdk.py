"""The Python surface: its methods say what they take, and take what Python programs have at hand."""

import inspect
import pydoc
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from heldtrue import InvalidInput, Memory, NotFound
from heldtrue.capabilities.verb_index import all_capabilities
from heldtrue.surfaces.sdk import method_name
from tests.surfaces.conftest import ENVIRONMENT

PORT = "The API listens on port 8080."


@pytest.mark.parametrize("name", sorted(all_capabilities()))
def test_a_method_shows_the_arguments_it_takes(name: str) -> None:
    capability = all_capabilities()[name]
    shown = inspect.signature(getattr(Memory, method_name(capability)))
    names = [parameter.name for parameter in capability.parameters]
    assert list(shown.parameters) == ["self", *names]
    for parameter in capability.parameters:
        one = shown.parameters[parameter.name]
        assert (one.kind is one.POSITIONAL_OR_KEYWORD) == parameter.positional
        assert (one.default is one.empty) == parameter.required
    with Memory.open(":memory:") as memory:
        assert list(inspect.signature(getattr(memory, method_name(capability))).parameters) == names


def help_text(documented: object) -> str:
    """What help() tells, on one line: newer Pythons break long signatures."""
    return " ".join(pydoc.plain(pydoc.render_doc(documented)).split()).replace("( ", "(")


def test_help_shows_the_arguments_and_the_description() -> None:
    told = help_text(Memory.learn)
    assert "learn(self, /, content: str, *, confidence: " in told
    assert "topic: str | None = None" in told
    assert "kind: heldtrue.domain.memory.Kind = 'note'" in told
    assert "Store a fact, preference, decision or rule" in told
    assert "recall(" in help_text(Memory)
    assert "context: str" in help_text(Memory)


def test_the_surface_itself_does_not_load_what_only_help_needs() -> None:
    script = (
        "import sys; sys.modules['typing_extensions'] = None\n"
        "from heldtrue import Memory\n"
        "Memory.learn\n"
        "sys.exit('inspect' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", script], check=False, env=ENVIRONMENT).returncode == 0


def test_arguments_are_given_by_place_or_by_name_but_once() -> None:
    with Memory.open(":memory:") as memory:
        assert memory.learn(PORT).outcome == "created"
        assert memory.learn(content=PORT).outcome == "refreshed"
        with pytest.raises(TypeError, match="at most 1 positional"):
            memory.learn(PORT, 0.5)  # type: ignore[call-arg]
        with pytest.raises(TypeError, match="got content twice"):
            memory.learn(PORT, content=PORT)  # type: ignore[misc]


def test_an_unknown_capability_gets_a_suggestion() -> None:
    with Memory.open(":memory:") as memory:
        with pytest.raises(InvalidInput, match=r"no capability named 'memory.lern' \(did you mean memory.learn\?\)"):
            memory.invoke("memory.lern", content=PORT)
        with pytest.raises(InvalidInput, match=r"the capabilities are: .*memory\.recall"):
            memory.invoke("zzz")
        assert memory.invoke("memory.learn", content=PORT, valid_from=date(2026, 1, 2)).outcome == "created"


def test_paths_may_be_paths(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "home") as memory:
        memory.learn(PORT, source=Path("docs/deploy.md"))
        assert memory.export(tmp_path / "out.jsonl").path == str(tmp_path / "out.jsonl")
        assert memory.backup(tmp_path / "out.db").entries == 1
        assert memory.recall("port").results[0].evidence[0].reference == "docs/deploy.md"
    with Memory.open(tmp_path / "imported") as other:
        assert other.import_(tmp_path / "out.jsonl").entries == 1
    with Memory.open(tmp_path / "restored") as other:
        assert other.restore_backup(tmp_path / "out.db").entries == 1


def test_moments_may_be_dates_and_spans() -> None:
    with Memory.open(":memory:") as memory:
        before = datetime.now(UTC)
        learned = memory.learn(
            PORT, valid_from=date(2026, 1, 2), valid_to=datetime(2999, 1, 2, 3, 4, tzinfo=UTC)
        ).memory
        assert learned is not None
        assert learned.valid_from == "2026-01-02T00:00:00.000000Z"
        assert learned.valid_to == "2999-01-02T03:04:00.000000Z"
        assert memory.recall("port", as_of=before).results == []
        assert len(memory.recall("port", as_of=datetime.now(UTC)).results) == 1
        assert len(memory.recall("port", max_age=timedelta(days=1)).results) == 1
        assert memory.recall("port", valid_at=date(2025, 1, 1)).results == []
        assert len(memory.diff(before).added) == 1
        many = memory.learn_many([{"content": "The queue drains at midnight.", "observed_at": date(2026, 1, 3)}])
        assert many.answers[0].memory is not None
        assert many.answers[0].memory.observed_at == "2026-01-03T00:00:00.000000Z"


def _wrong(call: Callable[[], object]) -> InvalidInput:
    with pytest.raises(InvalidInput) as refused:
        call()
    return refused.value


def test_a_wrong_choice_is_told_the_right_ones() -> None:
    with Memory.open(":memory:") as memory:
        wrong = _wrong(lambda: memory.learn(PORT, kind="decison"))  # type: ignore[arg-type]
        assert wrong.message.startswith("kind: 'decison' is not one of profile, preference, decision, ")
        assert (wrong.field, wrong.hint) == ("kind", "did you mean decision?")
        wrong = _wrong(lambda: memory.learn(PORT, on_conflict="fight"))  # type: ignore[arg-type]
        assert wrong.message == "on_conflict: 'fight' is not one of wait, refuse, coexist"
        wrong = _wrong(lambda: memory.list(kinds=["note", "fact"]))  # type: ignore[list-item]
        assert wrong.message.startswith("kinds[1]: 'fact' is not one of ")


def test_a_wrong_value_is_told_what_belongs_there() -> None:
    with Memory.open(":memory:") as memory:
        told = {
            "reason is empty": lambda: memory.forget("x", reason=""),
            "memories is empty": lambda: memory.learn_many([]),
            "limit: '3' is not a whole number": lambda: memory.recall("x", limit="3"),  # type: ignore[arg-type]
            "context: 5 is not a string": lambda: memory.recall(5),  # type: ignore[arg-type]
            "kinds: 'note' is not a list": lambda: memory.list(kinds="note"),  # type: ignore[arg-type]
            "memories[0]: 5 is not an object": lambda: memory.learn_many([5]),  # type: ignore[list-item]
            "memories[0]: a key is not a string": lambda: memory.learn_many([{1: 2}]),  # type: ignore[dict-item]
            "memories[1]: unknown key 'conten', did you mean 'content'?": lambda: memory.learn_many(
                [{"content": PORT}, {"conten": PORT}]
            ),
            "memories[0]: content is missing": lambda: memory.learn_many([{}]),
            "valid_from: 'foo' is not a date or time": lambda: memory.learn(PORT, valid_from="foo"),
            "scope: 'foo' is not a scope": lambda: memory.learn(PORT, scope="foo"),
        }
        assert [_wrong(call).message for call in told.values()] == list(told)
        assert _wrong(lambda: memory.forget("x", reason="")).hint == "specify the reason in plain words"
        long = _wrong(lambda: memory.recall("x", limit="9" * 5_000))  # type: ignore[arg-type]
        assert len(long.message) < 200


def test_what_is_wrong_with_a_value_repeats_no_secret() -> None:
    token = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
    with Memory.open(":memory:") as memory:
        assert token not in str(_wrong(lambda: memory.learn(PORT, kind=token)))  # type: ignore[arg-type]
        cut = _wrong(lambda: memory.learn(PORT, kind="x" * 60 + f" {token}"))  # type: ignore[arg-type]
        assert token[:12] not in str(cut)
        with pytest.raises(NotFound) as refused:
            memory.get(token)
        assert token not in str(refused.value)
