"""Who may come by token, what agents handed each other, and what has happened."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from heldtrue.surfaces.cli.answers.parts import show_more
from heldtrue.surfaces.cli.page import Page, bold, dim, ink
from heldtrue.surfaces.cli.text import age, count, shorten

if TYPE_CHECKING:
    from heldtrue.capabilities.agents import AgentAnswer, AgentsAnswer, AgentView
    from heldtrue.capabilities.following import Event, EventsAnswer
    from heldtrue.capabilities.sharing import HandedAnswer, HandedMessage, ShareAnswer

_QUESTION_CHARS = 120


def show_agents(page: Page, answer: AgentsAnswer, _asked: dict[str, Any]) -> None:
    """Everyone on record, one a line."""
    if not answer.agents:
        page.line("Nobody has a token yet.")
        page.line(dim("Let an agent in: heldtrue agents add NAME --project ID"))
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
    """An agent after a change, with its new token; or that it has none any more."""
    if answer.token is None:
        _show_revoked(page, answer)
        return
    _show_agent(page, answer.agent)
    page.row("token", bold(answer.token))
    page.row("", dim("shown this once: only a digest of it is kept"))


def _show_revoked(page: Page, answer: AgentAnswer) -> None:
    agent = answer.agent
    page.line(bold(agent.name), "  ", ink("revoked" if answer.changed else "was revoked already", "red"))
    if agent.role == "person":
        told = "No token opens a service in your name any more. On this machine, with the home, you need none."
    else:
        told = "Its token opens nothing any more; what it has written stays."
    page.text(told, indent=2)
    page.line(dim(f"  To give a new token: heldtrue agents rotate {agent.name}"))


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
    page.gap()
    show_more(page, answer.next_cursor)


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
    show_more(page, answer.next, option="--after", told="go on with")


def show_event(page: Page, event: Event) -> None:
    """One event on one line."""
    page.line(dim(event.at), "  ", bold(event.event), "  ", event.by, "  ", _tell_event(event.payload))


def _tell_event(payload: dict[str, Any]) -> str:
    """What happened, in words: what was asked; or what was done, to what, and the id to go on with."""
    if (query := payload.get("query")) is not None:
        return f"{shorten(str(query), _QUESTION_CHARS)} ({count(payload.get('results', 0), 'result')})"
    deed = str(payload.get("type", "")).removeprefix("memory.").replace("_", "-")
    if about := payload.get("about"):
        return f"{deed}: {shorten(str(about), _QUESTION_CHARS)}"
    kind, scope = payload.get("kind"), payload.get("scope")
    told = [deed, payload.get("delta"), f"{kind} in {scope}" if kind and scope else None]
    path = str(payload.get("path") or "").rpartition("/")[2]
    return " ".join(str(one) for one in (*told, path) if one)


SHOW = {
    "AgentAnswer": show_agent,
    "AgentsAnswer": show_agents,
    "EventsAnswer": show_events,
    "HandedAnswer": show_handed,
    "ShareAnswer": show_share,
}
