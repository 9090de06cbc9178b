"""`heldtrue init` and `heldtrue config`: a home with its file of settings, and the settings one by one."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import msgspec

from heldtrue.domain.errors import InvalidInput, NotAllowed
from heldtrue.surfaces.cli.backends import find_url, require_home
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
from heldtrue.wiring.instance import URL_VARIABLE, find_home, open_instance
from heldtrue.wiring.settings import SETTINGS_FILE, Settings, read_settings, setting_names
from heldtrue.wiring.toml_values import spell_toml

_SECRET = ("storage.url",)
"""Addresses that may hold a password."""


class SettingValue(msgspec.Struct, frozen=True):
    """One setting as it is in effect."""

    key: str
    value: Any
    default: Any
    source: str
    """`file` or `default`."""


def run_init(_given: dict[str, Any], options: Options) -> int:
    """Make a home with a commented file of settings; what is there already stays as it is."""
    home = _own_home(options)
    was_there = home.is_dir() and any(home.iterdir())
    open_instance(home).close()
    is_written = write_template(home)
    path = home / SETTINGS_FILE
    screen = Screen(sys.stdout, options.color)
    if options.json:
        made = {"home": str(home), "settings": str(path), "created": not was_there, "settings_written": is_written}
        screen.write_bytes(encode_answer(made, pretty=screen.is_terminal))
        return 0
    if options.quiet:
        screen.write(f"{home}\n")
        return 0
    page = Page(screen, 0)
    if was_there:
        page.line(f"There is a home at {home} already; its memories were not touched.")
    else:
        page.line(ink("Created", "green"), f" a home at {home}")
    page.line(f"{'Wrote' if is_written else 'Kept'} {path}", dim("" if is_written else ", which was there already"))
    page.gap()
    page.line(dim('Next: heldtrue learn "The API listens on port 8080", heldtrue install, heldtrue config list'))
    screen.write(str(page))
    return 0


def run_config(given: dict[str, Any], options: Options) -> int:
    """Read or change the settings of a home."""
    action, key, value = given.get("action", "list"), given.get("key"), given.get("value")
    home = _own_home(options)
    require_home(home)
    if action == "list":
        return _list_settings(home, key, options)
    if key is None:
        raise UsageProblem(f"config {action} needs KEY", field="key", hint="see all keys: heldtrue config list")
    path = find_setting(key)
    if (action == "set") is not (value is not None):
        needs = "needs VALUE" if value is None else "takes no value"
        raise UsageProblem(f"config {action} {needs}", field="value", hint=f"heldtrue config set {key} VALUE")
    if action != "get":
        _refuse_agent(options)
        change_setting(home, path, None if value is None else read_value(path, value))
    _show_one(home, _describe(read_settings(home), read_table(home), key), options, changed=action != "get")
    return 0


def _own_home(options: Options) -> Path:
    if find_url(options) is not None:
        raise InvalidInput(
            f"{URL_VARIABLE} names a service, whose settings are on its own machine",
            field="home",
            hint="run it there, or name a home on this machine with --home",
        )
    return find_home(options.home)


def _refuse_agent(options: Options) -> None:
    if options.agent is not None:
        raise NotAllowed("Only a person can change settings", field="agent", hint="leave --agent out")


def _list_settings(home: Path, section: str | None, options: Options) -> int:
    names = setting_names()
    if section is not None and section not in names:
        chosen = [name for name in names if name.startswith(f"{section}.")]
        names = chosen or [".".join(find_setting(section))]
    elif section is not None:
        names = [section]
    settings, table = read_settings(home), read_table(home)
    found = [_describe(settings, table, name) for name in names]
    screen = Screen(sys.stdout, options.color)
    if options.json:
        screen.write_bytes(encode_answer({"settings": found}, pretty=screen.is_terminal))
        return 0
    page = Page(screen, 0)
    for setting in found:
        spelled = _spell(setting.value)
        if options.quiet:
            page.line(f"{setting.key} = {spelled}")
        elif setting.source == "file":
            page.line(bold(f"{setting.key} = {spelled}"))
        else:
            page.line(f"{setting.key} = ", dim(f"{spelled}   (default)"))
    if not options.quiet:
        page.gap()
        page.line(dim(f"Values without (default) are set in {home / SETTINGS_FILE}"))
    screen.write(str(page))
    return 0


def _describe(settings: Settings, table: dict[str, Any], name: str) -> SettingValue:
    path = name.split(".")
    value, default = value_at(settings, path), value_at(Settings(), path)
    if name in _SECRET:
        value = _mask_password(value)
    return SettingValue(name, value, default, "file" if is_given(table, path) else "default")


def _mask_password(address: str) -> str:
    """An address without the password in it."""
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
        where = f"set in {path}" if setting.source == "file" else f"default; {path} does not set it"
        page.line(bold(f"{setting.key} = {_spell(setting.value)}"))
        page.line(dim(f"  {where}"))
        if setting.source == "file" and setting.value != setting.default:
            page.line(dim(f"  default: {_spell(setting.default)}"))
        if changed:
            page.line(dim("  A running heldtrue serve uses the new value after a restart."))
    screen.write(str(page))
