"""Finds capabilities by their verbs, with no more loaded than it takes.

Where each verb is declared, and the little that is asked of a verb before it is used, is read from a file that
`make reference` writes from the declarations; a test checks that it is current.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pathlib import Path

import msgspec

from heldtrue import capabilities
from heldtrue.capabilities.declaration import EverydayCommand, Group
from heldtrue.capabilities.registry import CAPABILITIES, Capability
from heldtrue.domain.action import Action, Audience, Effect

INDEX = Path(__file__).with_name("verb_index.json")
PREFIX = "memory."


class Verb(msgspec.Struct, frozen=True, omit_defaults=True):
    """What is known of a verb without loading its module."""

    module: str
    effect: Effect
    summary: str
    group: Group
    audience: Audience = Audience.EVERYONE
    skill_agents: bool = False
    tool: str | None = None
    """The name of its tool, if it is one that is always offered."""
    instead: str | None = None
    change: str | None = None
    is_search: bool = False
    command: tuple[str, str] | None = None
    everyday: EverydayCommand | None = None
    synonyms: tuple[str, ...] = ()
    destructive: bool = False

    def action(self, verb: str) -> Action:
        return Action(PREFIX + verb, self.effect, self.audience, self.skill_agents)


def describe_verb(one: Capability) -> Verb:
    """The line of the index that a declaration stands for."""
    declared = one.declared
    return Verb(
        module=one.module.rpartition(".")[2],
        effect=declared.effect,
        summary=one.summary,
        group=declared.group,
        audience=declared.audience,
        skill_agents=declared.skill_agents,
        tool=(declared.tool.name or f"memory_{one.verb}") if declared.tool is not None else None,
        instead=declared.instead,
        change=declared.change,
        is_search=declared.is_search,
        command=declared.command,
        everyday=declared.everyday,
        synonyms=declared.synonyms,
        destructive=declared.destructive,
    )


@cache
def _indexed() -> dict[str, Verb]:
    return msgspec.json.decode(INDEX.read_bytes(), type=dict[str, Verb]) if INDEX.exists() else {}


def verbs() -> dict[str, Verb]:
    """Every verb: those of the index, and those that were declared since it was written."""
    return _indexed() | {one.verb: describe_verb(one) for one in CAPABILITIES.values() if one.verb not in _indexed()}


def find_verb(verb: str) -> Verb | None:
    """What is known of a verb; none if there is no such verb."""
    declared = CAPABILITIES.get(PREFIX + verb)
    return _indexed().get(verb) or (describe_verb(declared) if declared is not None else None)


def find_synonym(word: str) -> str | None:
    """The verb that people mean by a word of theirs; none if nobody does."""
    return next((verb for verb, known in verbs().items() if word in known.synonyms), None)


def find_capability(verb: str) -> Capability | None:
    """The capability of a verb, with no more loaded than it takes; none if there is no such verb."""
    name = PREFIX + verb
    if name not in CAPABILITIES and verb in _indexed():
        import_module(f"{capabilities.__name__}.{_indexed()[verb].module}")
    return CAPABILITIES.get(name)


def all_capabilities() -> dict[str, Capability]:
    """Every capability by its verb, in the order of the groups, and in each as they are declared."""
    # pkgutil finds the same, and loads inspect for it.
    for file in sorted(Path(__file__).parent.glob("[a-z]*.py")):
        import_module(f"{capabilities.__name__}.{file.stem}")
    return {one.verb: one for one in sorted(CAPABILITIES.values(), key=_place)}


def _place(one: Capability) -> tuple[int, str, int]:
    groups = list(type(one.declared.group))
    return groups.index(one.declared.group), one.module, one.handler.__code__.co_firstlineno


def index_text() -> str:
    """The index as the declarations say it."""
    lines = [
        f"{msgspec.json.encode(verb).decode()}: {msgspec.json.encode(describe_verb(one)).decode()}"
        for verb, one in sorted(all_capabilities().items())
    ]
    return "{\n" + ",\n".join(lines) + "\n}\n"
