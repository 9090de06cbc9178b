"""What is shown of agents."""

from __future__ import annotations

from typing import Any

from heldtrue.capabilities.agents import AgentAnswer, AgentsAnswer, AgentView
from heldtrue.surfaces.cli.answers import shows
from heldtrue.surfaces.cli.page import Page, bold, dim, ink


@shows(AgentsAnswer)
def show_agents(page: Page, answer: AgentsAnswer, _asked: dict[str, Any]) -> None:
    """Everyone on record, one a line."""
    if not answer.items:
        page.line("Nobody has a token yet.")
        page.line(dim("Let an agent in: heldtrue agents add NAME --project ID"))
        return
    width = max(len(agent.name) for agent in answer.items)
    for agent in answer.items:
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
        bold(agent.name.ljust(width)),
        "  ",
        agent.role.ljust(7),
        "  ",
        state,
        "  ",
        told,
        dim(", ".join(["", *rates])),
    )


def _groups(agent: AgentView) -> list[tuple[str, list[str]]]:
    return [("project", agent.projects), ("repo", agent.repos), ("team", agent.teams)]


@shows(AgentAnswer)
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
