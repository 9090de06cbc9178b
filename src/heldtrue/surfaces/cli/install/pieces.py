"""What Heldtrue adds to a configuration: a server or hooks. Each piece can be added, found and removed."""

from __future__ import annotations

import copy
import re
import shlex
from collections.abc import Iterator, Mapping
from typing import Any, Protocol

import msgspec

from heldtrue.surfaces.cli.install.json_text import JsonText, Unreadable, render
from heldtrue.surfaces.cli.install.toml_text import add_table, drop_table, read_toml, set_values

NAME = "heldtrue"
"""The server's name in every configuration."""
SERVICE = "--url"
"""The option that sets the URL of a service."""
_ENVIRONMENT = "env"


class CannotEdit(Exception):
    """A configuration is right, but written so that a piece cannot be put in or taken out by its text."""


class ConfigPiece(Protocol):
    """One addition to one file."""

    @property
    def shown(self) -> str:
        """The piece alone, as it would stand in an empty file."""

    @property
    def words(self) -> list[str]:
        """What is typed to start it; of several commands, the first."""

    def put(self, text: str) -> str:
        """The text with the piece in it, and everything else as it was."""

    def take(self, text: str) -> str:
        """The text without the piece."""

    def as_found(self, text: str) -> ConfigPiece | None:
        """The piece as a text has it; none where it is not there."""


class JsonServerEntry(msgspec.Struct, frozen=True):
    """A server among those of a JSON file."""

    container: str
    entry: dict[str, Any]
    lenient: bool
    """Whether the program accepts comments and trailing commas."""
    keeps_env: bool = True
    """Whether an entry that starts Heldtrue may have an environment; an entry in a project may not."""

    @property
    def shown(self) -> str:
        return render({self.container: {NAME: self.entry}}) + "\n"

    @property
    def words(self) -> list[str]:
        return _words_of(self.entry)

    def put(self, text: str) -> str:
        if not text.strip():
            return self.shown
        document = JsonText(text, lenient=self.lenient)
        wanted = copy.deepcopy(document.value)
        servers = wanted.setdefault(self.container, {})
        if not isinstance(servers, dict):
            raise CannotEdit(f"{self.container} is not an object")
        held: Any = servers.get(NAME)
        servers[NAME] = self.entry if self._is_other(held) else _join(held, self.entry)
        if self.container not in document.value:
            new = document.insert((), self.container, {NAME: self.entry})
        elif NAME not in document.value[self.container]:
            new = document.insert((self.container,), NAME, self.entry)
        else:
            new = self._update(document, held)
        return _checked(new, wanted, self.lenient)

    def _update(self, document: JsonText, held: Any) -> str:
        """Change what differs, and keep what somebody added to the entry."""
        path = (self.container, NAME)
        if self._is_other(held):
            return document.replace(path, self.entry)
        text = document.text
        for key, value in _join(held, self.entry).items():
            if key not in held:
                text = JsonText(text, lenient=self.lenient).insert(path, key, value)
            elif held[key] != value:
                text = JsonText(text, lenient=self.lenient).replace((*path, key), value)
        return text

    def _is_other(self, held: Any) -> bool:
        return _is_other(held, self.entry, keeps_env=self.keeps_env)

    def take(self, text: str) -> str:
        document = JsonText(text, lenient=self.lenient)
        wanted = copy.deepcopy(document.value)
        del wanted[self.container][NAME]
        new = _checked(document.remove((self.container, NAME)), wanted, self.lenient)
        rest = JsonText(new, lenient=self.lenient)
        if not rest.is_bare((self.container,)):
            return new
        del wanted[self.container]
        return _checked(rest.remove((self.container,)), wanted, self.lenient)

    def as_found(self, text: str) -> JsonServerEntry | None:
        servers = JsonText(text, lenient=self.lenient).value.get(self.container) if text.strip() else None
        held = servers.get(NAME) if isinstance(servers, dict) else None
        return msgspec.structs.replace(self, entry=held) if isinstance(held, dict) else None


class TomlServer(msgspec.Struct, frozen=True):
    """A server as a table of a TOML file."""

    container: str
    entry: dict[str, Any]
    keeps_env: bool = True

    @property
    def _table(self) -> str:
        return f"{self.container}.{NAME}"

    @property
    def shown(self) -> str:
        return add_table("", self._table, self.entry)

    @property
    def words(self) -> list[str]:
        return _words_of(self.entry)

    def put(self, text: str) -> str:
        wanted = read_toml(text)
        servers = wanted.setdefault(self.container, {})
        if not isinstance(servers, dict):
            raise CannotEdit(f"{self.container} is not a table")
        held: Any = servers.get(NAME)
        is_other = _is_other(held, self.entry, keeps_env=self.keeps_env)
        if held is None:
            new = add_table(text, self._table, self.entry)
        elif is_other:
            new = add_table(drop_table(text, self._table), self._table, self.entry)
        else:
            joined = _join(held, self.entry)
            changed = {key: value for key, value in joined.items() if held.get(key) != value}
            # An environment may be a table of its own, which a value of the same name cannot stand beside.
            is_table = _ENVIRONMENT in held and _ENVIRONMENT in changed
            new = (
                add_table(drop_table(text, self._table), self._table, joined)
                if is_table
                else set_values(text, self._table, changed)
            )
        servers[NAME] = self.entry if is_other else _join(held, self.entry)
        return self._checked(new, wanted)

    def take(self, text: str) -> str:
        wanted = read_toml(text)
        del wanted[self.container][NAME]
        return self._checked(drop_table(text, self._table), wanted)

    def _checked(self, text: str, wanted: dict[str, Any]) -> str:
        try:
            found = read_toml(text)
        except Unreadable as problem:
            raise CannotEdit(f"{self.container} is not written as [{self.container}.NAME] tables: {problem}") from None
        if not wanted[self.container]:
            wanted.pop(self.container)
            found = {key: value for key, value in found.items() if key != self.container or value}
        if found != wanted:
            raise CannotEdit(f"{self.container} is not written as [{self.container}.NAME] tables")
        return text

    def as_found(self, text: str) -> TomlServer | None:
        servers = read_toml(text).get(self.container)
        held = servers.get(NAME) if isinstance(servers, dict) else None
        return msgspec.structs.replace(self, entry=held) if isinstance(held, dict) else None


class Hooks(msgspec.Struct, frozen=True):
    """Commands that a program runs at certain moments: a list for each event, where ours stands among others."""

    groups: Mapping[str, dict[str, Any]]
    """Heldtrue's hook group for each event: one command, and a matcher for some events."""
    lenient: bool = True

    @property
    def shown(self) -> str:
        return render({"hooks": {event: [group] for event, group in self.groups.items()}}) + "\n"

    @property
    def words(self) -> list[str]:
        return shlex.split(next(iter(self.groups.values()))["hooks"][0]["command"])

    def put(self, text: str) -> str:
        if not text.strip():
            return self.shown
        for event, group in self.groups.items():
            text = self._put_one(text, event, group)
        return text

    def _put_one(self, text: str, event: str, group: dict[str, Any]) -> str:
        document = JsonText(text, lenient=self.lenient)
        wanted = copy.deepcopy(document.value)
        hooks = wanted.setdefault("hooks", {})
        if not isinstance(hooks, dict) or not isinstance(hooks.setdefault(event, []), list):
            raise CannotEdit("hooks must have a list for each event")
        position = _find_ours(hooks[event], event)
        if "hooks" not in document.value:
            hooks[event].append(group)
            new = document.insert((), "hooks", {event: [group]})
        elif event not in document.value["hooks"]:
            hooks[event].append(group)
            new = document.insert(("hooks",), event, [group])
        elif position is None:
            hooks[event].append(group)
            new = document.insert(("hooks", event), None, group)
        else:
            number, inner = position
            command = group["hooks"][0]["command"]
            if hooks[event][number]["hooks"][inner]["command"] == command:
                return text
            hooks[event][number]["hooks"][inner]["command"] = command
            new = document.replace(("hooks", event, number, "hooks", inner, "command"), command)
        return _checked(new, wanted, self.lenient)

    def take(self, text: str) -> str:
        for event in self.groups:
            text = self._take_one(text, event)
        return text

    def _take_one(self, text: str, event: str) -> str:
        document = JsonText(text, lenient=self.lenient)
        wanted = copy.deepcopy(document.value)
        groups = _groups_of(wanted, event)
        position = _find_ours(groups, event)
        if position is None:
            return text
        number, inner = position
        path: tuple[str | int, ...] = ("hooks", event, number, "hooks", inner)
        # What would be empty without it was made for it.
        for holder, shorter in ((groups[number]["hooks"], 3), (groups, 2), (wanted["hooks"], 1)):
            if len(holder) > 1:
                break
            path = path[:shorter]
        held: Any = wanted
        for key in path[:-1]:
            held = held[key]
        del held[path[-1]]
        return _checked(document.remove(path), wanted, self.lenient)

    def as_found(self, text: str) -> Hooks | None:
        value = JsonText(text, lenient=self.lenient).value if text.strip() else {}
        found = {}
        for event in self.groups:
            groups = _groups_of(value, event)
            position = _find_ours(groups, event)
            if position is not None:
                group, inner = groups[position[0]], groups[position[0]]["hooks"][position[1]]
                found[event] = group | {"hooks": [inner]}
        return msgspec.structs.replace(self, groups=found) if found else None


def _checked(text: str, wanted: Any, lenient: bool) -> str:
    """The text, if it says just what it should."""
    try:
        found = JsonText(text, lenient=lenient).value
    except Unreadable as problem:
        raise CannotEdit(str(problem)) from None
    if found != wanted:
        raise CannotEdit("the edit would change other values")
    return text


def _words_of(entry: Mapping[str, Any]) -> list[str]:
    given = entry.get("args")
    return [str(word) for word in (entry.get("command"), *(given if isinstance(given, list) else ()))]


def _join(held: Mapping[str, Any], entry: Mapping[str, Any]) -> dict[str, Any]:
    """An entry of ours with what somebody added to it, also to its environment."""
    joined = {**held, **entry}
    if isinstance(own := held.get(_ENVIRONMENT), dict) and _ENVIRONMENT in entry:
        joined[_ENVIRONMENT] = {**own, **entry[_ENVIRONMENT]}
    return joined


def _is_other(held: Any, entry: Mapping[str, Any], *, keeps_env: bool) -> bool:
    """Whether what has our name is not ours, so that nothing of it is kept: it starts another program, or none.

    An environment decides what a program does as much as its command: where none is kept, such an entry is not ours.
    """
    if held == entry:
        return False
    if not isinstance(held, dict) or not _starts_us(held, entry):
        return True
    if (SERVICE in _words_of(held)) != (SERVICE in _words_of(entry)):
        return True  # the token for a service is of no use for a memory on this machine
    return not keeps_env and any(key.lower().startswith("env") for key in held)


def _starts_us(held: Mapping[str, Any], entry: Mapping[str, Any]) -> bool:
    """Whether an entry starts a Heldtrue: this one, or one that is or was installed elsewhere."""
    words = _words_of(held)
    program = re.split(r"[/\\]", words[0])[-1]
    if program in (NAME, f"{NAME}.exe"):
        return True
    is_module = words[1:4] == ["-P", "-m", NAME] or words[1:3] == ["-m", NAME]
    return is_module and (words[0] == entry.get("command") or program.startswith("python"))


def _groups_of(value: Any, event: str) -> list[Any]:
    hooks = value.get("hooks")
    groups = hooks.get(event) if isinstance(hooks, dict) else None
    return groups if isinstance(groups, list) else []


def _find_ours(groups: list[Any], event: str) -> tuple[int, int] | None:
    """The position of our command: the index of its group, and its index in the group."""
    for number, group in enumerate(groups):
        for inner, command in _commands_of(group):
            if is_our_hook(command, event):
                return number, inner
    return None


def _commands_of(group: Any) -> Iterator[tuple[int, str]]:
    listed = group.get("hooks") if isinstance(group, dict) else None
    for index, hook in enumerate(listed if isinstance(listed, list) else []):
        if isinstance(hook, dict) and isinstance(hook.get("command"), str):
            yield index, hook["command"]


EVENTS = {
    "SessionStart": "session-start",
    "UserPromptSubmit": "prompt",
    "Stop": "stop",
    "SessionEnd": "session-end",
}
"""The Claude Code name of each event, and the name that `heldtrue hook` uses."""


def is_our_hook(command: str, event: str) -> bool:
    """Whether a command of somebody's hooks is the one that Heldtrue puts there for an event."""
    try:
        words = shlex.split(command)
    except ValueError:
        return False
    index = words.index("hook") if "hook" in words else -1
    return index > 0 and words[index + 1 : index + 2] == [EVENTS[event]] and NAME in " ".join(words[:index])
