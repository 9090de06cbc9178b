"""The words of a declaration: what a capability says about itself, so that no surface keeps a list of verbs."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

import msgspec


class Group(StrEnum):
    """What capabilities are for: the headings of help and of the service's description, in their order."""

    REMEMBER = "Store and correct memories"
    LOOK_UP = "Search and read"
    PROMPT = "Prompt context"
    FEEDBACK = "Feedback and saved questions"
    FILES = "Import files"
    WORK = "Background jobs"
    DECIDE = "Review"
    AGENTS = "Agents and sharing"
    FOLLOW = "Events"
    UPKEEP = "Status and maintenance"
    MOVE = "Backup and migration"
    MORE = "Setup and help"


class Change(StrEnum):
    """What a write does to memories, as `diff` sorts it."""

    ADDED = "added"
    CORRECTED = "corrected"
    RETRACTED = "retracted"
    LINKED = "linked"


class EverydayCommand(msgspec.Struct, frozen=True):
    """How a person is told of a command that is used every day."""

    rank: int
    """Its place among them."""
    summary: str
    """What it does, in words that fit on a line."""


class EverydayTool(msgspec.Struct, frozen=True):
    """How a model is told of a capability that is always offered to it.

    A model reads all of these before every conversation: a dozen tools, 2,500 tokens.
    """

    description: str
    arguments: Mapping[str, str]
    """Those that are told, in few words or none where the name says it; all others are taken as well."""
    rank: int
    """Its place among the tools."""
    name: str | None = None
    """Its name, where that is not the verb's."""
    skill_agents: bool = False
    """Whether it is offered to skill agents, and to nobody else."""


class Route(msgspec.Struct, frozen=True):
    """A natural form of a capability over HTTP, beside `POST /v1/NAME`."""

    method: str
    path: str
    """As OpenAPI and Starlette spell it; a name in braces is the argument of that name."""
    renamed: Mapping[str, str] = {}
    """The argument that a name in the path stands for, where it is another."""
    fixed: Mapping[str, Any] = {}
    """Arguments that the address itself stands for; `{id}` in a text is taken from the path."""
