"""The server's log: ids and numbers, never content. One JSON object per line, or a short line for people."""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Literal

import msgspec

from heldtrue.domain.limits import FAULTS_REMEMBERED_MAX, REPEATED_LOG_SECONDS

_KNOWN = (
    "request", "method", "route", "status", "ms", "principal", "problem", "where", "detail", "url", "pid", "repeated",
)  # fmt: skip


class JsonLines(logging.Formatter):
    """A record as one line of JSON: a fixed message and only known fields."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, object] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "event": record.getMessage(),
        }
        line |= {name: getattr(record, name) for name in _KNOWN if getattr(record, name, None) is not None}
        if record.exc_info:
            line["trace"] = self.formatException(record.exc_info)
        return msgspec.json.encode(line).decode()


class PlainLines(logging.Formatter):
    """A record as a short line for people: the time and the same fields."""

    def format(self, record: logging.LogRecord) -> str:
        known = {name: getattr(record, name) for name in _KNOWN if getattr(record, name, None) is not None}
        at = datetime.fromtimestamp(record.created).astimezone().strftime("%H:%M:%S")
        if record.getMessage() == "request":
            told = [known.get("method"), known.get("route"), known.get("status"), f"{known.get('ms')} ms"]
            line = "  ".join(str(part) for part in [*told, known.get("principal", "nobody")])
        else:
            rest = ", ".join(f"{name} {value}" for name, value in known.items())
            line = f"{record.levelname.lower()}: {record.getMessage()}" + (f" ({rest})" if rest else "")
        trace = f"\n{self.formatException(record.exc_info)}" if record.exc_info else ""
        return f"{at}  {line}{trace}"


class RepeatFilter(logging.Filter):
    """Lets a fault through once a minute, with how often it happened in between; requests have a line each."""

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._monotonic = monotonic
        self._told: dict[tuple[object, ...], tuple[float, int]] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        if record.levelno < logging.WARNING or hasattr(record, "request"):
            return True
        # asyncio puts what differs, such as the number of a socket, on further lines.
        what = str(record.msg).partition("\n")[0]
        key = (record.name, what, getattr(record, "problem", None), getattr(record, "where", None))
        now = self._monotonic()
        told, repeated = self._told.get(key, (float("-inf"), 0))
        if now - told < REPEATED_LOG_SECONDS:
            self._told[key] = (told, repeated + 1)
            return False
        if repeated:
            record.repeated = repeated
        if len(self._told) >= FAULTS_REMEMBERED_MAX:
            self._told.clear()
        self._told[key] = (now, 0)
        return True


def start_log(form: Literal["auto", "lines", "json"], level: int = logging.INFO) -> None:
    """Send the log to standard error: as JSON for a supervisor, as short lines for people."""
    handler = logging.StreamHandler(sys.stderr)
    is_readable = sys.stderr.isatty() if form == "auto" else form == "lines"
    handler.setFormatter(PlainLines() if is_readable else JsonLines())
    handler.addFilter(RepeatFilter())
    for name in ("heldtrue", "uvicorn.error", "asyncio"):
        log = logging.getLogger(name)
        log.handlers = [handler]
        log.propagate = False
        log.setLevel(level if name == "heldtrue" else logging.WARNING)
