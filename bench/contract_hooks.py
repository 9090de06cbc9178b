"""What schemathesis loads: it turns made-up words into ones that mean something here, and keeps the machine safe.

A schema says that a text is wanted, but not that it must name a memory that is there or a moment. Left as they are
made, nearly all requests would end at that; so in most of those that fit the schema such words are replaced by real
ones, which are read from the file that HELDTRUE_CONTRACT names. Requests that are made to be refused stay as they are.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import schemathesis

from heldtrue.capabilities.verb_index import all_capabilities

VARIABLE = "HELDTRUE_CONTRACT"
FILE_ARGUMENTS = {verb: "path" for verb, known in all_capabilities().items() if known.declared.file is not None}
"""Arguments that name a file of the server's machine: only ones in a folder of this run are ever sent."""
_NAMES_AGENTS = frozenset(("add_agent", "revoke_agent", "rotate_agent"))
_WRITES_FILES = frozenset(("backup", "export"))
_MENDED_OF_EIGHT, _OBJECTS_MAX = 6, 20
_KNOWN: dict[str, Any] = json.loads(Path(os.environ[VARIABLE]).read_text("utf-8")) if VARIABLE in os.environ else {}


def _pick(values: Sequence[Any], by: str) -> Any:
    """One of some values, the same for the same text, so that a case can be sent again."""
    return values[hashlib.sha256(by.encode("utf-8", "surrogatepass")).digest()[0] % len(values)]


def _mend(name: str, value: Any, seed: str, words: dict[str, list[Any]]) -> Any:
    """A value in the place of a text, or of each text of a list, where the name of the argument says what is meant."""
    if name not in words:
        return value
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return [_pick(words[name], f"{seed}{name}{number}") for number, _ in enumerate(value[:3])]
    return _pick(words[name], seed + name) if isinstance(value, str) else value


def _mend_all(given: dict[str, Any], seed: str, words: dict[str, list[Any]]) -> None:
    for name, value in given.items():
        if isinstance(value, list) and value and isinstance(value[0], dict):
            # A thousand memories in one request are tried elsewhere; here they would only make all that follows slow.
            del value[_OBJECTS_MAX:]
            for inner in value:
                _mend_all(inner, seed, words)
        else:
            given[name] = _mend(name, value, seed, words)


def _keep_safe(verb: str, body: dict[str, Any]) -> None:
    """No file but ours is named, and nobody takes away the token that this run itself uses."""
    argument = FILE_ARGUMENTS.get(verb)
    if argument and isinstance(body.get(argument), str) and body[argument] not in _KNOWN["words"]["memory"]:
        files = _KNOWN["written" if verb in _WRITES_FILES else "read"]
        body[argument] = str(Path(_KNOWN["folder"]) / _pick(files, body[argument]))
    name = body.get("name")
    if verb in _NAMES_AGENTS and isinstance(name, str) and any(word in name.lower() for word in _KNOWN["own"]):
        body["name"] = "somebody"


@schemathesis.hook
def before_call(_context: Any, case: Any, _kwargs: Any) -> None:
    """The last word before a request is sent."""
    verb = case.operation.path.rpartition("/")[2].removeprefix("memory.")
    fits = case.meta is not None and case.meta.generation.mode.is_positive
    parts = [case.body, case.query, case.path_parameters, dict(case.headers or {})]
    seed = hashlib.sha256(repr((case.operation.label, parts)).encode("utf-8", "surrogatepass")).hexdigest()
    if fits and int(seed[0], 16) % 8 < _MENDED_OF_EIGHT:
        words = _KNOWN["words"] | _KNOWN["words_of"].get(verb, {})
        for part in (case.body, case.query, case.path_parameters):
            if isinstance(part, dict):
                _mend_all(part, seed, words)
        for name in list(case.headers or {}):
            kind = name.lower().removeprefix("heldtrue-")
            if kind == "idempotency-key":
                case.headers[name] = seed
            elif kind in ("project", "repo", "session"):
                case.headers[name] = _KNOWN["words"][kind][0]
    if isinstance(case.body, dict):
        _keep_safe(verb, case.body)
