"""Arguments that several capabilities share, each described once."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from heldtrue.capabilities.parameters import Mark, Metavar, Reference, Synonyms
from heldtrue.domain import limits
from heldtrue.domain.memory import Kind, Staleness, Status, Strength, Visibility

# Words from a few, with those that are often taken for them

KindWord = Annotated[
    Kind,
    Synonyms(
        {
            "artifact": "file document doc snippet code output link reference resource",
            "claim": "fact statement assertion belief knowledge semantic information truth",
            "convention": "rule guideline policy standard style constraint instruction norm requirement",
            "decision": "choice adr resolution agreement",
            "entity": "person thing concept organisation organization company object component service",
            "episode": "event meeting incident episodic session conversation history experience",
            "insight": "observation finding analysis idea conclusion reflection",
            "lesson": "learning learned mistake gotcha pitfall postmortem warning",
            "note": "memo memory comment text general misc other remark context",
            "pattern": "procedure procedural howto how_to workflow recipe practice process skill",
            "preference": "like likes dislike pref taste habit",
            "profile": "user bio identity trait about_user user_fact personal_fact",
            "project": "goal plan initiative milestone",
            "task_hint": "todo to_do task action action_item reminder next_step step",
        }
    ),
]
StatusWord = Annotated[
    Status,
    Synonyms(
        {
            "archived": "old expired",
            "inbox": "pending waiting unconfirmed proposed candidate",
            "rejected": "refused denied",
            "retracted": "deleted removed forgotten",
            "superseded": "replaced outdated obsolete",
        }
    ),
]
StalenessWord = Annotated[Staleness, Synonyms({"stable": "never permanent forever always"})]
StrengthWord = Annotated[Strength, Synonyms({"explicit": "stated direct said", "implied": "implicit indirect"})]
VisibilityWord = Annotated[
    Visibility, Synonyms({"private": "hidden secret personal own", "shared": "public everyone open"})
]

# What is named, and why

MEMORY = Reference(("memory",), "list")
MemoryRef = Annotated[str, Meta(description="The id or IRI of a memory."), MEMORY]
WaitingRef = Annotated[str, Meta(description="The id or IRI of a memory."), Reference(("memory",), "inbox")]
Content = Annotated[
    str, Meta(description="The statement to remember, in plain words."), Mark.PROSE, Mark.STDIN, Mark.SENTENCE
]
Reason = Annotated[
    str,
    Meta(min_length=1, description="The reason, which is kept in the history."),
    Mark.PROSE,
    Metavar("WHY"),
]
Topic = Annotated[str | None, Meta(description="The topic of the memory.")]
SourceRef = Annotated[
    str | None,
    Meta(description="Where the text comes from: a file with a line (src/app.py:12), a URL, a conversation or a run."),
    Mark.PATH,
]
Scope = Annotated[
    str | None,
    Meta(description="The scope: global, team:ID, project:ID, repo:ID, agent:ID or session:ID."),
]
OptionalVisibility = Annotated[VisibilityWord | None, Meta(description="Who may see the memory.")]

# What is looked for

Scopes = Annotated[list[str] | None, Meta(description="Only these scopes. Default: the caller's own scopes.")]
Kinds = Annotated[list[KindWord] | None, Meta(description="Only memories of these kinds.")]
MinConfidence = Annotated[float, Meta(ge=0, le=1, description="Minimum confidence.")]
AsOf = Annotated[
    str | None,
    Meta(description="Return the state at an earlier time: 2026-05-17, '3 days ago', or a ledger entry such as #120."),
    Mark.MOMENT,
    Metavar("WHEN"),
]
ValidAt = Annotated[
    str | None, Meta(description="Only memories that were true at this time."), Mark.MOMENT, Metavar("WHEN")
]
ResultLimit = Annotated[int, Meta(ge=1, le=limits.RESULTS_MAX, description="Maximum number of results.")]
ListLimit = Annotated[int, Meta(ge=1, le=limits.LIST_MAX, description="Maximum number of items.")]
Cursor = Annotated[str | None, Meta(description="The `next_cursor` of the previous page.")]
