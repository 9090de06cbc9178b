"""The server's log: one JSON object a line, with ids and figures, and never with what someone said."""

from __future__ import annotations

import logging
import sys
from datetime import UTC, datetime

import msgspec

_KNOWN = ("request", "method", "route", "status", "ms", "principal", "problem", "where", "url", "pid")


class JsonLines(logging.Formatter):
    """A record as one line: its message is a fixed word, and only known fields are taken along."""

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


def log_as_json(level: int = logging.INFO) -> None:
    """Send the log to standard error, where a supervisor picks it up."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    for name in ("holdfast", "uvicorn.error"):
        log = logging.getLogger(name)
        log.handlers = [handler]
        log.propagate = False
        log.setLevel(level if name == "holdfast" else logging.WARNING)
