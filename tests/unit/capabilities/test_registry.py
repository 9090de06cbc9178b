"""One declaration is a capability: its request, its checks, its words."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from heldtrue import InvalidInput, Memory
from heldtrue.capabilities.call import parse_number
from heldtrue.capabilities.registry import Capability
from heldtrue.capabilities.verb_index import all_capabilities
from heldtrue.domain.action import Effect

VERBS = (
    "learn learn_many correct forget link unlink get list history recall explain diff status verify conflicts resolve "
    "inbox approve reject restore export import backup maintain reindex"
).split()


@pytest.mark.covers("A26", "A21")
def test_the_verbs_are_all_there_and_each_is_a_method() -> None:
    assert set(VERBS) <= set(all_capabilities())
    for name, capability in all_capabilities().items():
        method = capability.verb + ("_" if capability.verb == "import" else "")
        assert callable(getattr(Memory, method)), name


@pytest.mark.covers("A26")
@pytest.mark.parametrize("capability", all_capabilities().values(), ids=lambda declared: declared.verb)
def test_each_says_what_it_does_and_what_each_argument_is(capability: Capability) -> None:
    assert capability.summary.endswith((".", ":"))
    for parameter in capability.parameters:
        assert parameter.description, f"{capability.name} {parameter.name}"
    schema = msgspec.json.schema(capability.request)
    assert schema
    assert (any(parameter.name == "idempotency_key" for parameter in capability.parameters)) is (
        capability.effect is Effect.WRITE
    )


def tell(verb: str, **arguments: Any) -> InvalidInput:
    with Memory.open(":memory:") as memory, pytest.raises(InvalidInput) as refused:
        memory.invoke(f"memory.{verb}", **arguments)
    return refused.value


@pytest.mark.covers("A26")
def test_a_wrong_argument_is_named_with_what_it_takes() -> None:
    unknown = tell("learn", content="x", confidense=0.5)
    assert (unknown.field, unknown.hint) == ("confidense", "did you mean confidence?")
    missing = tell("forget", memory="x")
    assert (missing.field, "reason" in missing.message) == ("reason", True)
    wrong = tell("learn", content="x", kind="fact")
    assert (wrong.field, wrong.hint) == ("kind", "did you mean claim?")
    wrong = tell("learn", content="x", kind="zebra")
    assert (wrong.field, wrong.hint) == ("kind", "The kind of memory.")
    inside = tell("learn_many", memories=[{"content": "x"}, {"contents": "y"}])
    assert str(inside.field).startswith("memories[1]")


@pytest.mark.parametrize("digits", ["", "-1", "1.0", "٣", "9" * 19, "x"])
def test_a_number_of_ours_is_short_and_plain(digits: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        parse_number(digits, digits, field="cursor", hint="use another")
    assert (refused.value.field, refused.value.hint) == ("cursor", "use another")
    assert parse_number("12", "#12", field="cursor", hint="") == 12
