"""The server's settings: the `[server]` section of its home, with environment variables that override single keys."""

from __future__ import annotations

from pathlib import Path
from typing import Any, get_origin

import msgspec

from heldtrue.domain.errors import InvalidSettings
from heldtrue.environment import read_variables
from heldtrue.wiring.settings import ServerSettings, read_settings

VARIABLE_PREFIX = "HELDTRUE_SERVER_"


def read_server_settings(home: Path) -> ServerSettings:
    """The section `[server]` of a home, overridden by the variables `HELDTRUE_SERVER_*`."""
    settings = read_settings(home).server if home.is_dir() else ServerSettings()
    types = {field.name: field.type for field in msgspec.structs.fields(ServerSettings)}
    given: dict[str, Any] = {}
    for variable, text in read_variables(VARIABLE_PREFIX).items():
        key = variable.removeprefix(VARIABLE_PREFIX).lower()
        if key not in types:
            raise _refuse_variable(variable, key, types)
        given[key] = _read_value(variable, text, types[key])
    return msgspec.structs.replace(settings, **given)


def _read_value(variable: str, text: str, kind: Any) -> Any:
    parts = [part.strip() for part in text.split(",") if part.strip()]
    try:
        return msgspec.convert(parts if get_origin(kind) is tuple else text, kind, strict=False)
    except msgspec.ValidationError as problem:
        from heldtrue.capabilities.validation import word_misfit

        raise InvalidSettings(f"{variable}: {word_misfit(str(problem), kind, text)}", field=variable) from None


def _refuse_variable(variable: str, key: str, known: dict[str, Any]) -> InvalidSettings:
    from heldtrue.capabilities.validation import nearest

    close = nearest(key, known)
    meant = f"did you mean {VARIABLE_PREFIX}{close.upper()}? " if close else ""
    return InvalidSettings(
        f"the variable {variable} sets {key!r}, but [server] has no such key",
        field=variable,
        hint=f"{meant}see all settings: heldtrue help settings",
    )
