"""Who may come by token, what agents handed each other, and what has happened."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from holdfast.surfaces.cli.page import Page, bold, dim, ink
from holdfast.surfaces.cli.text import age, count

if TYPE_CHECKING:
    from holdfast.capabilities.agents import AgentAnswer, AgentsAnswer, AgentView
    from holdfast.capabilities.following import Event, EventsAnswer
    from holdfast.capabilities.sharing import HandedAnswer, HandedMessage, ShareAnswer


def show_agents(page: Page, answer: AgentsAnswer, _asked: dict[str, Any]) -> None:
    """Everyone on record, one a line."""
    if not answer.agents:
        page.line("Nobody has a token yet.")
        page.line(dim("Let an agent in: holdfast agents add NAME --project ID"))
        return
    width = max(len(agent.name) for agent in answer.agents)
    for agent in answer.agents:
        _show_agent(page, agent, width)


_REACHES = {"person": "everything", "admin": "everything", "skill": "only what it is handed"}


def _show_agent(page: Page, agent: AgentView, width: int = 0) -> None:
    state = ink("has a token", "green") if agent.has_token else ink("no token   ", "red")
    reach = [f"{kind} {name}" for kind, names in _groups(agent) for name in names]
    rates = [
        f"{number:,} {what}"
        for number, what in ((agent.writes_per_minute, "writes/min"), (agent.requests_per_second, "requests/s"))
        if number
    ]
    told = _REACHES.get(agent.role) or ", ".join(["global (reads)", *reach])
    page.line(
        bold(agent.name.ljust(width)), "  ", agent.role.ljust(7), "  ", state, "  ", told, dim(", ".join(["", *rates]))
    )


def _groups(agent: AgentView) -> list[tuple[str, list[str]]]:
    return [("project", agent.projects), ("repo", agent.repos), ("team", agent.teams)]


def show_agent(page: Page, answer: AgentAnswer, _asked: dict[str, Any]) -> None:
    """An agent after a change, with its new token if there is one."""
    _show_agent(page, answer.agent)
    if answer.token is not None:
        page.row("token", bold(answer.token))
        page.row("", dim("shown this once: only a digest of it is kept"))


def show_share(page: Page, answer: ShareAnswer, _asked: dict[str, Any]) -> None:
    page.line(ink("shared", "green"), " with ", bold(answer.message.to))
    _show_message(page, answer.message)


def show_handed(page: Page, answer: HandedAnswer, _asked: dict[str, Any]) -> None:
    """The messages, newest first."""
    if not answer.messages:
        page.line("Nothing was handed to you, or it has expired.")
    for message in answer.messages:
        page.gap()
        page.line(bold(message.payload.action), dim(f"  from {message.sender}, {age(message.created_at, page.now)}"))
        _show_message(page, message)


def _show_message(page: Page, message: HandedMessage) -> None:
    context = message.payload.context
    if context.project_context:
        page.text(context.project_context, indent=2)
    for memory in context.memories:
        page.text(f"- {memory.content}", indent=2)
    if context.gone:
        page.line(dim(f"  {count(context.gone, 'memory')} that came along no longer holds"))
    page.line(dim(f"  {message.type}, until {message.expires_at}  {message.id}"))


def show_events(page: Page, answer: EventsAnswer, _asked: dict[str, Any]) -> None:
    """What happened, one a line, and where to go on."""
    for event in answer.events:
        show_event(page, event)
    page.line(dim(f"go on with: holdfast events --after {answer.next}"))


def show_event(page: Page, event: Event) -> None:
    """One event on one line."""
    told = event.payload.get("query") or " ".join(
        str(event.payload[name]) for name in ("type", "delta", "path") if event.payload.get(name)
    )
    page.line(dim(event.at), "  ", bold(event.event), "  ", event.by, "  ", str(told))


SHOW = {
    "AgentAnswer": show_agent,
    "AgentsAnswer": show_agents,
    "EventsAnswer": show_events,
    "HandedAnswer": show_handed,
    "ShareAnswer": show_share,
}
