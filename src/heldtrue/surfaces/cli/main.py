"""The `heldtrue` command."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Sequence

from heldtrue.environment import set_default
from heldtrue.surfaces.cli.shortage import is_shortage

INTERRUPTED = 130
PIPE_CLOSED = 141
NO_MEMORY = 1


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status: 0, or the status of the error."""
    try:
        if argv is None:
            return _load_lean()(sys.argv[1:])
        from heldtrue.surfaces.cli.run import run

        return run(list(argv))
    except KeyboardInterrupt:
        return INTERRUPTED
    except (MemoryError, ImportError, SystemError) as problem:
        if not is_shortage(problem):
            raise
        sys.stderr.write("heldtrue: the process ran out of memory.\n          raise the limit with ulimit -v\n")
        return NO_MEMORY
    except BrokenPipeError:
        from heldtrue.surfaces.cli.screen import quiet_stdout

        quiet_stdout()
        return PIPE_CLOSED


def _load_lean() -> Callable[[list[str]], int]:
    """Load the code of a command fast, in a process of our own.

    Loading creates no garbage, so the collector is off. msgspec imports `typing_extensions` if it is installed, which
    loads `inspect` and `ast`; Python 3.11 has everything that it needs of it. Recall multiplies in its own thread: the
    threads that numpy starts cost a tenth of the time of a first answer.
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
