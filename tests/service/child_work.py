"""Work that a child process does in tests: it takes too long, ends the process, or fails."""

import os
import re
import signal

from heldtrue.ingest.stages.candidate import Candidate, Proposal, prepare_candidate
from heldtrue.language.guard import guarded


def find_slowly(pattern: str, text: str) -> bool:
    """Stands for an analysis that is stuck in one long call."""
    return guarded(lambda _text: False)(lambda sent: re.search(pattern, sent) is not None)(text)


def kill_the_child(given: tuple[int, Proposal]) -> Candidate:
    """Prepare a proposal, unless this is another process than the one that asked for it."""
    parent, proposal = given
    if os.getpid() != parent:
        os.kill(os.getpid(), signal.SIGKILL)
    return prepare_candidate(proposal)


@guarded(lambda _text: "kept")
def fail_on_text(text: str) -> str:
    return text * (1 // 0)
