"""Which capabilities are tools by default, and in which words a model is told of them.

A model reads all of this before every conversation: a dozen tools, 2,500 tokens. The rest is there for who asks.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

import msgspec

PREFIX = "memory_"
"""Instead of `memory.`: several clients and vendors leave out every tool for one name with a dot."""
_COMMAND = re.compile(r"\bholdfast ([a-z][a-z-]*)")


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
        "Retract a memory that must not be believed any more and has no replacement. Its history stays.",
        {"memory": _ID, "reason": "Why"},
    ),
    Chosen(
        "link",
        "Join a memory to another or to an IRI.",
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
        "What was added, corrected, retracted and linked since a moment.",
        {"since": _WHEN, "until": "", "topic": ""},
    ),
    Chosen("query", "Ask the knowledge graph in SPARQL 1.1, read-only.", {"sparql": ""}),
    Chosen("status", "Size, what waits, what is stale, who writes, warnings.", {}),
    Chosen(
        "compact",
        "Archive what is doubtful or out of date, merge what is said twice. Only a person may.",
        {"min_confidence": "0.3 if left out", "dry_run": "Only count"},
    ),
    Chosen(
        "capture",
        "Keep a text or a conversation word for word as evidence, to be searched later. Single facts: memory_learn.",
        {"content": "A text, or", "messages": "the turns", "title": "", "source": "Where it is from"},
    ),
    Chosen(
        "feedback",
        "After answering from a recall, say what you used of it and what not: it ranks better next time.",
        {"recall_id": "", "used": "Ids", "ignored": "Ids"},
    ),
)
"""The ten verbs of a brain, and three for an agent's loop. One that is not declared yet is left out."""


_NAMES = {one.verb: one.name for one in CHOSEN}


def tool_name(verb: str) -> str:
    """The name that a capability has as a tool."""
    return _NAMES.get(verb, PREFIX + verb)


def retell_commands(hint: str, name_of: Callable[[str], str | None]) -> str:
    """A hint that tells a person what to type, in the words of another surface; where it has none, as it is."""
    return _COMMAND.sub(lambda command: name_of(command[1].replace("-", "_")) or command[0], hint)


def say_for_tools(hint: str, is_tool: Callable[[str], bool]) -> str:
    """The same for one who has tools."""
    return retell_commands(hint, lambda verb: tool_name(verb) if is_tool(verb) else None)
