"""Which capabilities are tools by default, and in which words a model is told of them.

A model reads all of this before every conversation: a dozen tools, 2,500 tokens. The rest is there for who asks.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

import msgspec

PREFIX = "memory_"
"""Instead of `memory.`: several clients and vendors leave out every tool for one name with a dot."""
_COMMAND = re.compile(r"`([a-z_]+)`|\bheldtrue ([a-z][a-z-]*)")
"""How a hint names a verb or an argument: as `verb`, or where it is for whoever has the home, as what to type there."""
_EITHER = re.compile(rf"(?:{_COMMAND.pattern})(?: [A-Z]+)*, or (?=(?:{_COMMAND.pattern}))")
_WORD = re.compile(r"`([a-z_]+)`")
_REMOTE = re.compile(r"\bmemory\.([a-z_]+)")


class Chosen(msgspec.Struct, frozen=True):
    """A capability that is always offered."""

    verb: str
    description: str
    arguments: Mapping[str, str]
    """Those that are told, in few words or none where the name says it; all others are taken as well."""
    tool: str | None = None
    """Its name, where that is not the verb's."""

    @property
    def name(self) -> str:
        return self.tool or PREFIX + self.verb


_ID = "Its id"
_WHEN = "Such as 2026-05-17 or '3 days ago'"

CHOSEN = (
    Chosen(
        "context_for",
        "Call first, when a task or session begins: the profile, decisions, conventions, lessons and facts that fit, "
        "as one block.",
        {"task": "What is to be done", "project": "", "max_tokens": ""},
        "memory_context",
    ),
    Chosen(
        "recall",
        "Look up what is known about a question, best first, with the reason and how far to trust it. Use it before "
        "you assume or ask.",
        {
            "context": "The question, in plain words",
            "topic": "",
            "limit": "10 if left out",
            "min_confidence": "",
            "max_age": "Such as 7d",
            "scopes": "Such as project:shop",
            "within": "Add sessions to search captured conversations too",
            "as_of": "What was believed then: 2026-05-17, '3 days ago'",
        },
    ),
    Chosen(
        "learn",
        "Remember one fact, preference, decision or lesson that will matter later. It is checked against what is "
        "held: read outcome (created, corroborated, held, refused) and reason.",
        {
            "content": "In words that stand alone",
            "kind": "",
            "topic": "",
            "source": "File:line, URL or conversation",
            "scope": "global, project:ID, repo:ID, agent:ID",
            "confidence": "0 to 1",
            "staleness": "",
            "rationale": "Why; a decision needs it, and a source",
        },
    ),
    Chosen(
        "correct",
        "Replace a memory that is wrong or out of date. Not for new facts.",
        {"memory": _ID, "content": "What is right", "reason": "Why", "confidence": "", "source": ""},
    ),
    Chosen(
        "forget",
        "Retract a memory that must not be believed any more and has no replacement; else memory_correct. Its history "
        "stays.",
        {"memory": _ID, "reason": "Why"},
    ),
    Chosen(
        "link",
        "Note how a memory relates to another one, or to an IRI.",
        {
            "memory": _ID,
            "to": "Id or IRI",
            "relationship": "causes, requires, contradicts, supports, supersedes, applies_to, derived_from, related_to",
        },
    ),
    Chosen(
        "explain",
        "Why a memory is believed, or no longer is: who said it, when, from what source, what it replaced.",
        {"memory": _ID, "depth": "", "as_of": ""},
    ),
    Chosen(
        "diff",
        "What changed in memory since a moment: added, corrected, retracted, linked.",
        {"since": _WHEN, "until": "", "topic": ""},
    ),
    Chosen("query", "Ask the knowledge graph in SPARQL 1.1, read-only.", {"sparql": ""}),
    Chosen(
        "status",
        "The memory in figures: how much, of what kind and scope, what waits for review, what is stale, warnings. Not "
        "for looking things up.",
        {},
    ),
    Chosen(
        "compact",
        "Tidy up, when you are asked to: archive what is doubtful or out of date, merge what is said twice.",
        {"min_confidence": "0.3 if left out", "dry_run": "Only count"},
    ),
    Chosen(
        "capture",
        "Keep a text or a conversation word for word as evidence, to be searched later. Single facts: memory_learn.",
        {
            "content": "The text, where it is no conversation",
            "messages": "The turns of a conversation",
            "title": "",
            "source": "Where it is from",
        },
    ),
    Chosen(
        "feedback",
        "After answering from a recall, say what you used of it and what not: it ranks better next time.",
        {"recall_id": "As memory_recall told it", "used": "Ids", "ignored": "Ids"},
    ),
)
"""The ten verbs of a brain, and three for an agent's loop. One that is not declared yet is left out."""

HANDED = Chosen(
    "handed",
    "What other agents have handed to you for your task, newest first. Call it first: it is all you get.",
    {"limit": "", "cursor": "From the answer before, for more"},
)
"""The one tool of an agent that may use nothing else."""


_NAMES = {one.verb: one.name for one in CHOSEN}
_INSTEAD = {"history": "explain", "get": "explain"}
"""What says the same, where a verb is no tool and another is."""


def tool_name(verb: str) -> str:
    """The name that a capability has as a tool."""
    return _NAMES.get(verb, PREFIX + verb)


def retell_commands(hint: str, name_of: Callable[[str], str | None]) -> str:
    """A hint in the words of a surface: what has no name there is told as the plain word it is."""

    def retell(named: re.Match[str]) -> str:
        word, command = named.groups()
        return name_of(_verb(word, command)) or word or named[0]

    return _COMMAND.sub(retell, hint)


def _verb(word: str | None, command: str | None) -> str:
    return word or (command or "").replace("-", "_")


def say_for_tools(hint: str, is_tool: Callable[[str], bool]) -> str:
    """The same for one who has tools: of two ways to go on it is the one with a tool."""

    def name_of(verb: str) -> str | None:
        verb = verb if is_tool(verb) else _INSTEAD.get(verb, verb)
        return tool_name(verb) if is_tool(verb) else None

    def choose(either: re.Match[str]) -> str:
        words = either.groups()
        first, second = name_of(_verb(*words[:2])), name_of(_verb(*words[2:]))
        return "" if first is None and second is not None else either[0]

    return retell_commands(_EITHER.sub(choose, hint), name_of)


def say_for_commands(hint: str, command_of: Callable[[str], str | None]) -> str:
    """The same for one who types commands, where every word that is no verb is an option; also what a server said."""

    def name_of(word: str) -> str:
        command = command_of(word)
        return f"--{word.replace('_', '-')}" if command is None else f"heldtrue {command}"

    plain = _REMOTE.sub(lambda named: f"`{named[1]}`" if command_of(named[1]) else named[0], hint)
    return _WORD.sub(lambda named: name_of(named[1]), plain)
