"""The words that people and models use for ours, to tell whoever chose another one which was meant."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

_WORDS = {
    "archived": "old expired",
    "artifact": "file document doc snippet code output link reference resource",
    "claim": "fact statement assertion belief knowledge semantic information truth",
    "convention": "rule guideline policy standard style constraint instruction norm requirement",
    "decision": "choice adr resolution agreement",
    "entity": "person thing concept organisation organization company object component service",
    "episode": "event meeting incident episodic session conversation history experience",
    "explicit": "stated direct said",
    "implied": "implicit indirect",
    "inbox": "pending waiting unconfirmed proposed candidate",
    "insight": "observation finding analysis idea conclusion reflection",
    "lesson": "learning learned mistake gotcha pitfall postmortem warning",
    "note": "memo memory comment text general misc other remark context",
    "pattern": "procedure procedural howto how_to workflow recipe practice process skill",
    "preference": "like likes dislike pref taste habit",
    "private": "hidden secret personal own",
    "profile": "user bio identity trait about_user user_fact personal_fact",
    "project": "goal plan initiative milestone",
    "rejected": "refused denied",
    "retracted": "deleted removed forgotten",
    "shared": "public everyone open",
    "stable": "never permanent forever always",
    "superseded": "replaced outdated obsolete",
    "task_hint": "todo to_do task action action_item reminder next_step step",
}
"""By our word, those that are often taken for it; a word of ours is never another's."""
_OURS = {other: ours for ours, others in _WORDS.items() for other in others.split()}


def nearest_choice(given: str, choices: Sequence[str]) -> str | None:
    """The choice that was probably meant: by another word for it, else by its spelling."""
    plain = "_".join(given.strip().lower().replace("-", " ").split())
    for word in (plain, plain.removesuffix("s")):
        if word in choices:
            return word
        if _OURS.get(word) in choices:
            return _OURS[word]
    close = difflib.get_close_matches(plain, list(choices), 1, 0.7)
    return close[0] if close else None
