"""The file `heldtrue.toml`: written with every default as a comment, and changed one key at a time."""

from __future__ import annotations

import copy
import textwrap
import tomllib
from collections.abc import Iterable, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

import msgspec

from heldtrue.domain.errors import InvalidSettings
from heldtrue.surfaces.cli.arguments import shape_of
from heldtrue.surfaces.cli.install.files import NotEditable, read_config, write_config
from heldtrue.surfaces.cli.install.toml_text import drop_key, set_key
from heldtrue.surfaces.cli.usage import UsageProblem, suggest
from heldtrue.wiring.settings import SETTINGS_FILE, Settings, parse_settings, setting_names
from heldtrue.wiring.settings_reference import NOT_SET, Setting, describe_settings

_WIDTH = 100
_UNCHANGED = "nothing was changed"
_ON_TOP = """\
# The settings of this Heldtrue store. Each key is shown as a comment with its default value.
# To change one, remove the # before it and edit the value, or run: heldtrue config set KEY VALUE
# To see the values in effect, run: heldtrue config list
"""


def write_template(home: Path) -> bool:
    """Write the commented file into a home; return False if there is a file already, which is not changed."""
    file = read_config(home / SETTINGS_FILE)
    if file.data is not None:
        return False
    write_config(file, render_template(describe_settings()).encode(), keep_copy=False)
    return True


def render_template(settings: Iterable[Setting]) -> str:
    """Every setting in its section, as a comment, with its description."""
    # A section inside of a section comes after the keys of the outer one, as TOML wants it.
    tables: dict[str, list[Setting]] = {}
    for _, members in groupby(settings, lambda setting: setting.section):
        for setting in sorted(members, key=lambda setting: setting.key.count(".")):
            tables.setdefault(setting.path.rpartition(".")[0], []).append(setting)
    pieces = [_ON_TOP]
    for table, keys in tables.items():
        pieces.append(f"\n[{table}]\n" + "\n".join(_render_setting(setting) for setting in keys))
    return "".join(pieces)


def _render_setting(setting: Setting) -> str:
    lines = textwrap.wrap(setting.meaning, _WIDTH, initial_indent="# ", subsequent_indent="# ", break_on_hyphens=False)
    name = setting.key.rpartition(".")[2]
    value = f"# {name} =   ({NOT_SET})" if setting.default == NOT_SET else f"# {name} = {setting.default}"
    return "\n".join([*lines, value]) + "\n"


def find_setting(key: str) -> tuple[str, ...]:
    """The path of a key; the error for an unknown one suggests a similar key."""
    names = setting_names()
    if key in names:
        return tuple(key.split("."))
    endings = [name for name in names if name.rpartition(".")[2] == key.rpartition(".")[2]]
    sections = sorted({name.partition(".")[0] for name in names})
    if key in sections:
        hint = f"{key} is a section; see its keys: heldtrue config list {key}"
    elif endings:
        hint = f"did you mean {' or '.join(endings)}?"
    else:
        close = suggest(key, names)
        hint = f"did you mean {close}?" if close else "see all keys: heldtrue config list"
    raise UsageProblem(f"there is no setting {key!r}", field="key", hint=hint)


def value_at(settings: Settings, path: Sequence[str]) -> Any:
    """The value of a key, in JSON types."""
    found: Any = settings
    for part in path:
        found = getattr(found, part)
    return msgspec.json.decode(msgspec.json.encode(found))


def read_table(home: Path) -> dict[str, Any]:
    """The content of the file as nested tables; empty if there is no file."""
    text = read_config(home / SETTINGS_FILE).text
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as problem:
        raise InvalidSettings(f"{home / SETTINGS_FILE} is not valid TOML: {problem}") from None


def is_given(table: dict[str, Any], path: Sequence[str]) -> bool:
    """Whether the file sets a key."""
    found: Any = table
    for part in path:
        if not isinstance(found, dict) or part not in found:
            return False
        found = found[part]
    return True


def read_value(path: Sequence[str], text: str) -> Any:
    """Convert typed text to the type of its setting: text needs no quotes, a list may use commas."""
    shape = shape_of(_hint_of(path))
    if shape.base is str and not shape.many:
        return text
    if shape.base is str and not text.lstrip().startswith("["):
        return [piece.strip() for piece in text.split(",") if piece.strip()]
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except (tomllib.TOMLDecodeError, KeyError):
        return text  # validation of the settings gives the error


def _hint_of(path: Sequence[str]) -> Any:
    found: Any = Settings
    for part in path:
        found = next(field.type for field in msgspec.structs.fields(found) if field.name == part)
    return found


def change_setting(home: Path, path: Sequence[str], value: Any) -> Settings:
    """Write a new value of a key, if the settings are valid with it; None removes the key."""
    file = read_config(home / SETTINGS_FILE)
    wanted = copy.deepcopy(read_table(home))
    _put(wanted, path, value)
    try:
        text = drop_key(file.text, path) if value is None else set_key(file.text, path, value)
        is_right = _without_empty(tomllib.loads(text)) == _without_empty(wanted)
    except tomllib.TOMLDecodeError:
        is_right = False
    if not is_right:
        raise NotEditable(
            f"`heldtrue config` cannot edit {'.'.join(path)} in {file.path}, because of the way it is written there",
            field="key",
            hint=f"edit the file by hand; {_UNCHANGED}",
        )
    settings = parse_settings(text, _UNCHANGED)
    write_config(file, file.encode(text), keep_copy=False)
    return settings


def _put(table: dict[str, Any], path: Sequence[str], value: Any) -> None:
    for part in path[:-1]:
        table = table.setdefault(part, {})
    if value is None:
        table.pop(path[-1], None)
    else:
        table[path[-1]] = value


def _without_empty(table: dict[str, Any]) -> dict[str, Any]:
    """A table without its empty tables, which make no difference."""
    found = {}
    for name, value in table.items():
        inner = _without_empty(value) if isinstance(value, dict) else value
        if inner != {}:
            found[name] = inner
    return found
