"""The types of a declaration. A capability declares everything here, so that no surface keeps a list of verbs."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

import msgspec


class Group(StrEnum):
    """Groups of capabilities: the headings of help, of the API description and of the reference, in this order."""

    REMEMBER = "Store and correct memories"
    LOOK_UP = "Search and read"
    PROMPT = "Prompt context"
    FEEDBACK = "Feedback and saved views"
    FILES = "Import files"
    WORK = "Background jobs"
    DECIDE = "Review"
    AGENTS = "Agents and sharing"
    FOLLOW = "Events"
    UPKEEP = "Status and maintenance"
    MOVE = "Backup and migration"
    MORE = "Setup and help"


class FileUse(StrEnum):
    """What a capability does with the file that an argument names."""

    READS = "reads"
    WRITES = "writes"


class Change(StrEnum):
    """How a write changes memories, as `diff` groups it."""

    ADDED = "added"
    CORRECTED = "corrected"
    RETRACTED = "retracted"
    LINKED = "linked"


class EverydayCommand(msgspec.Struct, frozen=True):
    """How an everyday command is presented to a person."""

    rank: int
    """Its position among the everyday commands."""
    summary: str
    """What it does, in one line."""


class EverydayTool(msgspec.Struct, frozen=True):
    """How a capability is offered to a model as an everyday tool.

    A model reads all of them before every conversation: a dozen tools, 2,500 tokens.
    """

    description: str
    arguments: Mapping[str, str]
    """The listed arguments, each with a short description or an empty one. Arguments not listed are accepted too."""
    rank: int
    """Its position among the tools."""
    name: str | None = None
    """Its name, if it differs from the verb's."""
    skill_agents: bool = False
    """Whether it is offered only to skill agents."""


class Route(msgspec.Struct, frozen=True):
    """An additional REST route of a capability, besides `POST /v1/NAME`."""

    method: str
    path: str
    """In OpenAPI and Starlette syntax; a name in braces is the argument of that name."""
    renamed: Mapping[str, str] = {}
    """Names in the path that stand for an argument of another name."""
    fixed: Mapping[str, Any] = {}
    """Arguments that the path fixes; `{id}` in a text is taken from the path."""
