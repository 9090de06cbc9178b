"""`heldtrue init` and `heldtrue config`: create a home with a settings file, and read or change its settings."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import msgspec

from heldtrue.capabilities.call import Call
from heldtrue.capabilities.homes import found_memory
from heldtrue.domain.errors import InvalidInput, NotAllowed, StorageProblem
from heldtrue.domain.principal import OWNER
from heldtrue.surfaces.cli.backends import CHANNEL, find_url, require_home
from heldtrue.surfaces.cli.options import Options
from heldtrue.surfaces.cli.page import Page, bold, dim, ink
from heldtrue.surfaces.cli.screen import Screen, encode_answer
from heldtrue.surfaces.cli.settings_file import (
    change_setting,
    find_setting,
    is_given,
    read_table,
    read_value,
    value_at,
    write_template,
)
from heldtrue.surfaces.cli.usage import UsageProblem
from heldtrue.wiring.homes import HOME_FOLDER, find_home, folder_home
from heldtrue.wiring.instance import open_instance
from heldtrue.wiring.known_homes import KnownHome, state_folder
from heldtrue.wiring.settings import SETTINGS_FILE, Settings, read_settings, setting_names
from heldtrue.wiring.toml_values import spell_toml

_IN_GIT = (
    "This folder is in a git work tree, where git may overwrite or delete ignored files. The store is therefore "
    "kept inside the repository's .git folder, where checkout, clean and commit do not touch it. The store is not "
    "part of any commit or clone. If you delete this clone, you delete the store."
)
_SECRET = ("storage.url",)
"""Settings with a URL that may contain a password."""


class SettingValue(msgspec.Struct, frozen=True):
    """The value of one setting, and where it comes from."""

    key: str
    value: Any
    default: Any
    source: str
    """`file` or `default`."""


def run_init(given: dict[str, Any], options: Options) -> int:
    """Create a home with a commented settings file; existing files are not changed."""
    is_here = given.get("here", False)
    home = _home_of_folder(options) if is_here else _own_home(options)
    was_there = home.is_dir() and any(home.iterdir())
    if was_there and is_here:
        KnownHome(home).refuse_unknown()
    _create(home, is_founded=is_here)
    is_written = write_template(home)
    path = home / SETTINGS_FILE
    screen = Screen(sys.stdout, options.color)
    if options.json:
        answer = {"home": str(home), "settings": str(path), "created": not was_there, "settings_written": is_written}
        screen.write_bytes(encode_answer(answer, pretty=screen.is_terminal))
        return 0
    if options.quiet:
        screen.write(f"{home}\n")
        return 0
    page = Page(screen, 0)
    if was_there:
        page.line(f"{home} is already a home. Its memories were not changed.")
    else:
        page.line(ink("Created", "green"), f" a home at {home}")
    page.line(f"{'Wrote' if is_written else 'Kept'} {path}", dim("" if is_written else " (it already existed)"))
    if is_here and home.name != HOME_FOLDER:
        page.gap()
        page.text(ink(_IN_GIT, "yellow"))
    page.gap()
    page.line(dim("Next, try:"))
    for command in ('heldtrue learn "The API listens on port 8080"', "heldtrue install", "heldtrue config list"):
        page.line(dim(f"  {command}"))
    screen.write(str(page))
    return 0


def _home_of_folder(options: Options) -> Path:
    if options.home is not None:
        raise UsageProblem("--here and --home cannot be used together", field="here", hint="remove one of them")
    return folder_home(Path.cwd())


def _create(home: Path, *, is_founded: bool) -> None:
    """Create a home; a folder home gets its first entry, and with it the id by which this machine knows it."""
    instance = open_instance(home)
    try:
        with instance.store.read() as reading:
            is_empty = reading.ledger.head().seq == 0
        if is_founded and is_empty:
            found_memory(Call(instance=instance, principal=OWNER, channel=CHANNEL))
    finally:
        instance.close()
    if is_founded and not KnownHome(home).is_known:
        raise StorageProblem(
            f"{home} was created, but it cannot be recorded as your own: {state_folder()} is not writable",
            field="home",
            hint=f"make that folder writable, or add --home {home} to every command",
        )


def run_config(arguments: dict[str, Any], options: Options) -> int:
    """Read or change the settings of a home."""
    action, key, value = arguments.get("action", "list"), arguments.get("key"), arguments.get("value")
    home = _own_home(options)
    require_home(home)
    if action == "list":
        return _list_settings(home, key, options)
    if key is None:
        raise UsageProblem(f"config {action} needs a KEY", field="key", hint="see all keys: heldtrue config list")
    path = find_setting(key)
    if (action == "set") is not (value is not None):
        needs = "needs a VALUE" if value is None else "takes no value"
        raise UsageProblem(f"config {action} {needs}", field="value", hint=f"heldtrue config set {key} VALUE")
    if action != "get":
        _refuse_agent(options)
        change_setting(home, path, None if value is None else read_value(path, value))
    _show_one(home, _describe(read_settings(home), read_table(home), key), options, changed=action != "get")
    return 0


def _own_home(options: Options) -> Path:
    if find_url(options) is not None:
        raise InvalidInput(
            "a service's settings can only be shown and changed on its own machine",
            field="home",
            hint="run the command on that machine, or choose a home on this machine with --home",
        )
    return find_home(options.home)


def _refuse_agent(options: Options) -> None:
    if options.agent is not None:
        raise NotAllowed("only a person can change settings", field="agent", hint="remove --agent")


def _list_settings(home: Path, section: str | None, options: Options) -> int:
    names = setting_names()
    if section is not None and section not in names:
        chosen = [name for name in names if name.startswith(f"{section}.")]
        names = chosen or [".".join(find_setting(section))]
    elif section is not None:
        names = [section]
    settings, table = read_settings(home), read_table(home)
    values = [_describe(settings, table, name) for name in names]
    screen = Screen(sys.stdout, options.color)
    if options.json:
        screen.write_bytes(encode_answer({"settings": values}, pretty=screen.is_terminal))
        return 0
    page = Page(screen, 0)
    for setting in values:
        spelled = _spell(setting.value)
        if options.quiet:
            page.line(f"{setting.key} = {spelled}")
        elif setting.source == "file":
            page.line(bold(f"{setting.key} = {spelled}"))
        else:
            page.line(f"{setting.key} = ", dim(f"{spelled}   (default)"))
    if not options.quiet:
        page.gap()
        page.line(dim(f"Values that are not marked (default) are set in {home / SETTINGS_FILE}"))
    screen.write(str(page))
    return 0


def _describe(settings: Settings, table: dict[str, Any], name: str) -> SettingValue:
    path = name.split(".")
    value, default = value_at(settings, path), value_at(Settings(), path)
    if name in _SECRET:
        value = _mask_password(value)
    return SettingValue(name, value, default, "file" if is_given(table, path) else "default")


def _mask_password(address: str) -> str:
    """A URL with its password masked."""
    scheme, mark, rest = address.partition("://")
    login, at, host = rest.rpartition("@")
    name, colon, _ = login.partition(":")
    return f"{scheme}{mark}{name}{colon}{'***' if colon else ''}{at}{host}"


def _spell(value: Any) -> str:
    return "not set" if value is None else spell_toml(value)


def _show_one(home: Path, setting: SettingValue, options: Options, *, changed: bool) -> None:
    screen = Screen(sys.stdout, options.color)
    if options.json:
        screen.write_bytes(encode_answer(setting, pretty=screen.is_terminal))
        return
    page = Page(screen, 0)
    if options.quiet:
        page.line(setting.value if isinstance(setting.value, str) else _spell(setting.value))
    else:
        path = home / SETTINGS_FILE
        where = f"set in {path}" if setting.source == "file" else f"the default; not set in {path}"
        page.line(bold(f"{setting.key} = {_spell(setting.value)}"))
        page.line(dim(f"  {where}"))
        if setting.source == "file" and setting.value != setting.default:
            page.line(dim(f"  default: {_spell(setting.default)}"))
        if changed:
            page.line(dim("  Restart heldtrue serve for this to take effect."))
    screen.write(str(page))
