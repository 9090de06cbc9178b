"""Prompts that a person picks in a client: to begin with what is known, and to keep what was learned."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from heldtrue.capabilities.verb_index import find_capability
from heldtrue.domain.errors import InvalidInput, NotFound
from heldtrue.surfaces.mcp.answers import give_answer
from heldtrue.surfaces.mcp.callers import Caller


class PromptArgument(msgspec.Struct, frozen=True):
    """What a prompt is filled in with."""

    name: str
    description: str
    required: bool = False


class Prompt(msgspec.Struct, frozen=True):
    """A message for a model, made when it is picked."""

    name: str
    title: str
    description: str
    arguments: tuple[PromptArgument, ...]
    write: Callable[[Mapping[str, str], Caller], str]


def _start_task(given: Mapping[str, str], caller: Caller) -> str:
    capability = find_capability("context_for")
    assert capability is not None
    answer = give_answer(capability, capability.invoke(caller(), dict(given)))
    known = answer["content"][0]["text"]
    return (
        f"{known}\n\nThe task: {given['task']}\n\n"
        "Say in a sentence or two what of the above matters for it, citing ids, and where it is doubtful or in "
        "conflict. Use memory_recall for what is missing. Then begin."
    )


def _keep_learnings(given: Mapping[str, str], _caller: Caller) -> str:
    about = f" about {given['topic']}" if "topic" in given else ""
    return (
        f"Go through this conversation and keep what will matter later{about}: decisions with their reason, "
        "preferences, facts that took effort to find, lessons from what went wrong.\n"
        "For each, first memory_recall what is held. If it is there and right, leave it. If it is there and wrong, "
        "memory_correct it. If it is new, memory_learn it: one fact each, in words that stand alone, with its kind and "
        "source. Leave out chatter, secrets and what the code says itself.\n"
        "At the end list what you kept, with ids, and what was held or refused and why."
    )


def _check_claim(given: Mapping[str, str], _caller: Caller) -> str:
    return (
        f"Is this so? {given['claim']}\n\n"
        "memory_recall it, then memory_explain what comes closest: who said it, when, from which source, what it "
        "replaced. Say whether memory supports it, contradicts it or does not know, with ids. If a memory is wrong, "
        "propose a memory_correct and wait for my word before you make it."
    )


PROMPTS = (
    Prompt(
        "start_task",
        "Start a task with what is known",
        "Recall what matters for a task before working on it.",
        (
            PromptArgument("task", "What is to be done.", required=True),
            PromptArgument("project", "The project it is in."),
            PromptArgument("repo", "The repository it is in."),
        ),
        _start_task,
    ),
    Prompt(
        "keep_learnings",
        "Keep what was learned",
        "Go through the conversation and remember what will matter later.",
        (PromptArgument("topic", "Only what is about this."),),
        _keep_learnings,
    ),
    Prompt(
        "check_claim",
        "Check a claim against memory",
        "Find out whether memory supports a statement, and why.",
        (PromptArgument("claim", "The statement.", required=True),),
        _check_claim,
    ),
)


def list_prompts() -> list[dict[str, Any]]:
    """Every prompt, with what it is filled in with."""
    return [
        {
            "name": one.name,
            "title": one.title,
            "description": one.description,
            "arguments": [msgspec.to_builtins(argument) for argument in one.arguments],
        }
        for one in PROMPTS
    ]


def fill_prompt(name: str, given: Mapping[str, Any], caller: Caller) -> dict[str, Any]:
    """A prompt, filled in."""
    prompt = next((one for one in PROMPTS if one.name == name), None)
    if prompt is None:
        raise NotFound("there is no such prompt", field="name", hint=f"there are: {', '.join(_names())}")
    known = {argument.name for argument in prompt.arguments}
    for key, value in given.items():
        if key not in known:
            raise InvalidInput(f"{name} has no argument {key!r}", field=key, hint=f"it takes: {', '.join(known)}")
        if not isinstance(value, str):
            raise InvalidInput(f"{key} must be a text", field=key)
    filled = {key: value for key, value in given.items() if value.strip()}
    for argument in prompt.arguments:
        if argument.required and argument.name not in filled:
            raise InvalidInput(f"{name} needs {argument.name}", field=argument.name, hint=argument.description)
    message = {"role": "user", "content": {"type": "text", "text": prompt.write(filled, caller)}}
    return {"description": prompt.description, "messages": [message]}


def _names() -> list[str]:
    return [one.name for one in PROMPTS]
