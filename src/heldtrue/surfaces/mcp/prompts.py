"""Prompts that a person picks in a client: start a task from memory, save what was learned, check a claim."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from heldtrue.capabilities.verb_index import find_capability
from heldtrue.domain.errors import InvalidInput, NotFound
from heldtrue.surfaces.mcp.answers import give_answer
from heldtrue.surfaces.mcp.callers import Caller


class PromptArgument(msgspec.Struct, frozen=True):
    """An argument of a prompt."""

    name: str
    description: str
    required: bool = False


class Prompt(msgspec.Struct, frozen=True):
    """A prompt; its message is rendered when it is picked."""

    name: str
    title: str
    description: str
    arguments: tuple[PromptArgument, ...]
    write: Callable[[Mapping[str, str], Caller], str]


def _start_task(arguments: Mapping[str, str], caller: Caller) -> str:
    capability = find_capability("context_for")
    assert capability is not None
    answer = give_answer(capability, capability.invoke(caller(), dict(arguments)))
    known = answer["content"][0]["text"]
    return (
        f"{known}\n\nThe task: {arguments['task']}\n\n"
        "In one or two sentences, say which of these memories matter for the task, with their ids, and which are "
        "doubtful or in conflict. Use memory_recall for anything that is missing. Then start the task."
    )


def _keep_learnings(arguments: Mapping[str, str], _caller: Caller) -> str:
    about = f" about {arguments['topic']}" if "topic" in arguments else ""
    return (
        f"Review this conversation and save what will matter later{about}: decisions with their reasons, "
        "preferences, facts that took effort to find, lessons from mistakes.\n"
        "Search for each one with memory_recall first. If it is already stored and right, skip it. If it is stored "
        "but wrong, use memory_correct. If it is new, use memory_learn: one self-contained fact per call, with its "
        "kind and source. Skip small talk, secrets and anything that can be read in the code.\n"
        "At the end, list what you saved, with ids. Also list what is pending or was refused, and why."
    )


def _check_claim(arguments: Mapping[str, str], _caller: Caller) -> str:
    return (
        f"Is this true? {arguments['claim']}\n\n"
        "Search for it with memory_recall, then use memory_explain on the closest match: its author, time, source and "
        "what it replaced. Say whether memory supports the claim, contradicts it or has no information, with ids. If a "
        "memory is wrong, propose a memory_correct and wait for my approval before you call it."
    )


PROMPTS = (
    Prompt(
        "start_task",
        "Recall memories for a task",
        "Recall relevant memories before working on a task.",
        (
            PromptArgument("task", "The task.", required=True),
            PromptArgument("project", "The project of the task."),
            PromptArgument("repo", "The repository of the task."),
        ),
        _start_task,
    ),
    Prompt(
        "keep_learnings",
        "Save what was learned",
        "Review the conversation and remember what will matter later.",
        (PromptArgument("topic", "Save only facts about this topic."),),
        _keep_learnings,
    ),
    Prompt(
        "check_claim",
        "Check a claim against memory",
        "Check whether memory supports a statement, and why.",
        (PromptArgument("claim", "The statement to check.", required=True),),
        _check_claim,
    ),
)


def list_prompts() -> list[dict[str, Any]]:
    """Every prompt, with its arguments."""
    return [
        {
            "name": prompt.name,
            "title": prompt.title,
            "description": prompt.description,
            "arguments": [msgspec.to_builtins(argument) for argument in prompt.arguments],
        }
        for prompt in PROMPTS
    ]


def fill_prompt(name: str, arguments: Mapping[str, Any], caller: Caller) -> dict[str, Any]:
    """A prompt, filled in."""
    prompt = next((prompt for prompt in PROMPTS if prompt.name == name), None)
    if prompt is None:
        raise NotFound("no such prompt", field="name", hint=f"the prompts are: {', '.join(_names())}")
    known = {argument.name for argument in prompt.arguments}
    for key, value in arguments.items():
        if key not in known:
            raise InvalidInput(
                f"{name} has no argument {key!r}", field=key, hint=f"its arguments are: {', '.join(known)}"
            )
        if not isinstance(value, str):
            raise InvalidInput(f"{key} must be a string", field=key)
    filled = {key: value for key, value in arguments.items() if value.strip()}
    for argument in prompt.arguments:
        if argument.required and argument.name not in filled:
            raise InvalidInput(f"{name} needs {argument.name}", field=argument.name, hint=argument.description)
    message = {"role": "user", "content": {"type": "text", "text": prompt.write(filled, caller)}}
    return {"description": prompt.description, "messages": [message]}


def _names() -> list[str]:
    return [prompt.name for prompt in PROMPTS]
