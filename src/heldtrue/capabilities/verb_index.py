"""Find capabilities by verb, loading only the modules that are needed.

The module and the basic properties of each verb are read from a file that `make reference` generates from the
declarations. A test checks that it is current.
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
    """The properties of a verb that are known without loading its module."""

    module: str
    effect: Effect
    summary: str
    group: Group
    audience: Audience = Audience.EVERYONE
    skill_agents: bool = False
    tool: str | None = None
    """The name of its everyday tool, if it has one."""
    instead: str | None = None
    change: str | None = None
    is_search: bool = False
    command: tuple[str, str] | None = None
    everyday: EverydayCommand | None = None
    synonyms: tuple[str, ...] = ()
    destructive: bool = False

    def action(self, verb: str) -> Action:
        return Action(PREFIX + verb, self.effect, self.audience, self.skill_agents)


def describe_verb(capability: Capability) -> Verb:
    """The index entry of a capability."""
    declared = capability.declared
    return Verb(
        module=capability.module.rpartition(".")[2],
        effect=declared.effect,
        summary=capability.summary,
        group=declared.group,
        audience=declared.audience,
        skill_agents=declared.skill_agents,
        tool=(declared.tool.name or f"memory_{capability.verb}") if declared.tool is not None else None,
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
    """Every verb: those of the index, and those declared since it was generated."""
    return _indexed() | {
        each.verb: describe_verb(each) for each in CAPABILITIES.values() if each.verb not in _indexed()
    }


def find_verb(verb: str) -> Verb | None:
    """The index entry of a verb. None if there is no such verb."""
    declared = CAPABILITIES.get(PREFIX + verb)
    return _indexed().get(verb) or (describe_verb(declared) if declared is not None else None)


def find_synonym(word: str) -> str | None:
    """The verb for a synonym that people use. None if the word is not a known synonym."""
    return next((verb for verb, known in verbs().items() if word in known.synonyms), None)


def find_capability(verb: str) -> Capability | None:
    """The capability of a verb, loading only its module; None if there is no such verb."""
    name = PREFIX + verb
    if name not in CAPABILITIES and verb in _indexed():
        import_module(f"{capabilities.__name__}.{_indexed()[verb].module}")
    return CAPABILITIES.get(name)


def all_capabilities() -> dict[str, Capability]:
    """Every capability by its verb, ordered by group, then by declaration."""
    # pkgutil finds the same, and loads inspect for it.
    for file in sorted(Path(__file__).parent.glob("[a-z]*.py")):
        import_module(f"{capabilities.__name__}.{file.stem}")
    return {found.verb: found for found in sorted(CAPABILITIES.values(), key=_sort_key)}


def _sort_key(capability: Capability) -> tuple[int, str, int]:
    groups = list(type(capability.declared.group))
    return groups.index(capability.declared.group), capability.module, capability.handler.__code__.co_firstlineno


def index_text() -> str:
    """The index, generated from the declarations."""
    lines = [
        f"{msgspec.json.encode(verb).decode()}: {msgspec.json.encode(describe_verb(found)).decode()}"
        for verb, found in sorted(all_capabilities().items())
    ]
    return "{\n" + ",\n".join(lines) + "\n}\n"
