"""Sentences around a statement that repeat it, deny it, or leave it open. `{}` is the statement without its stop."""

REPEATED = (
    "Heads-up: {}.",
    "Noting this down: {}.",
    "We settled this already: {}.",
    "Per the handbook, {}.",
    "The ticket says it plainly: {}.",
    "I double-checked, and {}.",
    "For anyone new here, {}.",
    "{}. Just making sure it is saved.",
    "{}, which has not changed.",
    "Lena reminded us that {}.",
    "It's on the board: {}.",
    "Worth knowing: {}",
    "As mentioned in stand-up, {}.",
    "So, {}, okay?",
    "Yep. {}.",
    "From the call with the client: {}.",
    "I read in the log that {}.",
    "{} (see the wiki).",
    "Update after the meeting - {}",
    "Please store the following. {}.",
    "The user wants me to remember that {}.",
    "Session summary: {}.",
    "* {}",
    "Known fact: {}",
    "My colleague confirmed it this morning: {}.",
    "In short, {}.",
    "One thing that matters for this: {}.",
    "It remains true that {}.",
    "Given that {}, we can plan the rest.",
    "Because {}, nothing else has to change.",
    "You already know this, but {}.",
    "{}, and that is final.",
    "Once again: {}!",
    "Hi all, quick note that {}. Thanks!",
    "Result of my research: {}.",
    "I was told by the owner that {}.",
)
DENIED = (
    "It isn't true that {}.",
    "Nobody should believe that {}; it is wrong.",
    "We checked, and it is not the case that {}.",
    "The claim that {} turned out to be false.",
    "{}? No, that is wrong.",
    "Contrary to the old notes, it does not hold that {}.",
    "Scratch that: it is incorrect that {}.",
    "It has stopped being true that {}.",
)
OPEN = (
    "Is it really so that {}?",
    "Who told you that {}?",
    "Can someone check whether {}?",
    "I am not sure that {}.",
    "What if {}?",
    "Suppose that {}; what would follow?",
    "It was proposed that {}, but nothing is decided.",
    "They are still arguing about whether {}.",
    "Until last year it was true that {}.",
    "I wish that {}.",
    "An older document claims that {}; we do not know.",
)


def put(frame: str, statement: str) -> str:
    """A statement in a frame."""
    said = statement.strip().rstrip(".")
    if not frame.startswith("{}"):
        first = said.split(" ", 1)[0]
        if first in _SMALL:
            said = said[0].lower() + said[1:]
    return frame.replace("{}", said)


_SMALL = frozenset(
    "The A An Our We My His Her Their All No Every Each It There In On At For If When After Before".split()
)
