"""The `heldtrue` command."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Sequence

from heldtrue.environment import set_default

INTERRUPTED = 130
PIPE_CLOSED = 141


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and give its exit status: 0, or one that says what kind of error it was."""
    try:
        if argv is None:
            return _load_lean()(sys.argv[1:])
        from heldtrue.surfaces.cli.run import run

        return run(list(argv))
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        from heldtrue.surfaces.cli.screen import quiet_stdout

        quiet_stdout()
        return PIPE_CLOSED


def _load_lean() -> Callable[[list[str]], int]:
    """Load what a command needs, in a process that is ours alone, where a tenth of a second is felt.

    Nothing that loading makes is garbage, so nobody needs to look for any. And msgspec takes `typing_extensions`
    where it is installed, which loads `inspect` and `ast`; what it wants of it Python has itself since 3.11. Recall
    multiplies in its own thread: those that numpy would start with itself cost a tenth of a first answer.
    """
    set_default("OPENBLAS_NUM_THREADS", "1")
    gc.disable()
    hidden = "typing_extensions" not in sys.modules
    if hidden:
        sys.modules["typing_extensions"] = None  # type: ignore[assignment]
    try:
        import msgspec  # noqa: F401
    finally:
        if hidden:
            del sys.modules["typing_extensions"]
    from heldtrue.surfaces.cli.run import run

    gc.freeze()
    gc.enable()
    return run


if __name__ == "__main__":
    sys.exit(main())
