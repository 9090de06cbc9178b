"""The child process of a service in which long texts are analysed: `python -m heldtrue.wiring.analysis_child`."""

from __future__ import annotations

import faulthandler
import logging
import os
import signal
import sys

from heldtrue.language.guard import take_failures
from heldtrue.language.masking import masking_by
from heldtrue.wiring.analysis_children import ChildOutcome, read_message, write_message

_NICENESS = 5
"""Requests of others come first."""


def main() -> None:
    """Do one piece of work after another until the parent ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C in a terminal reaches both; the parent decides
    if hasattr(os, "nice"):
        os.nice(_NICENESS)
    logging.disable()  # the parent logs what failed here
    asked, answered = sys.stdin.buffer, os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    sys.stdout = sys.stderr  # nothing else may write where the answers go
    while True:
        try:
            seconds_max, policy, work, given = read_message(asked)
        except EOFError:
            return
        # The watchdog of faulthandler is a thread in C: it ends the process also where the interpreter is stuck.
        faulthandler.dump_traceback_later(seconds_max, exit=True)
        try:
            with masking_by(policy):
                outcome = ChildOutcome(answer=work(given))
        except Exception as problem:  # noqa: BLE001 - the parent raises it
            outcome = ChildOutcome(problem=problem)
        faulthandler.cancel_dump_traceback_later()
        write_message(answered, outcome._replace(failures=tuple(take_failures())))


if __name__ == "__main__":
    main()
