"""How agents and their tokens are shown."""

from __future__ import annotations

from typing import Any

from heldtrue.capabilities.agents import AgentAnswer, AgentsAnswer, AgentView
from heldtrue.surfaces.cli.answers import shows
from heldtrue.surfaces.cli.page import Page, bold, dim, ink


@shows(AgentsAnswer)
def show_agents(page: Page, answer: AgentsAnswer, _arguments: dict[str, Any]) -> None:
    """One line per agent."""
    if not answer.items:
        page.line("No agents yet.")
        page.line(dim("To add one: heldtrue agents add NAME --project ID"))
        return
    width = max(len(agent.name) for agent in answer.items)
    for agent in answer.items:
        _show_agent(page, agent, width)


_REACHES = {
    "person": "everything",
    "admin": "everything",
    "general": "global, all projects, repositories and sessions",
    "skill": "only what is shared with it",
}


def _show_agent(page: Page, agent: AgentView, width: int = 0) -> None:
    state = ink("has a token", "green") if agent.has_token else ink("no token   ", "red")
    reach = [f"{kind} {name}" for kind, names in _groups(agent) for name in names]
    rates = [
        f"{number:,} {what}"
        for number, what in ((agent.writes_per_minute, "writes/min"), (agent.requests_per_second, "requests/s"))
        if number
    ]
    access = _REACHES.get(agent.role) or ", ".join(["global (reads)", *reach])
    page.line(
        bold(agent.name.ljust(width)),
        "  ",
        agent.role.ljust(7),
        "  ",
        state,
        "  ",
        access,
        dim(", ".join(["", *rates])),
    )


def _groups(agent: AgentView) -> list[tuple[str, list[str]]]:
    return [("project", agent.projects), ("repo", agent.repos), ("team", agent.teams)]


@shows(AgentAnswer)
def show_agent(page: Page, answer: AgentAnswer, _arguments: dict[str, Any]) -> None:
    """An agent with its new token, or that its token was revoked."""
    if answer.token is None:
        _show_revoked(page, answer)
        return
    _show_agent(page, answer.agent)
    page.row("token", bold(answer.token))
    page.row("", dim("shown only once: Heldtrue stores only a digest of it"))


def _show_revoked(page: Page, answer: AgentAnswer) -> None:
    agent = answer.agent
    page.line(bold(agent.name), "  ", ink("revoked" if answer.changed else "was already revoked", "red"))
    if agent.role == "person":
        text = "Your token for the service no longer works. On this machine, you do not need a token."
    else:
        text = "The token no longer works. The agent's memories are kept."
    page.text(text, indent=2)
    page.line(dim(f"  To issue a new token: heldtrue agents rotate {agent.name}"))
