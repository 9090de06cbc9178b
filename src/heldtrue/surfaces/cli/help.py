"""Help: what there is, and how one command is used. All of it comes from the registry."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from heldtrue.capabilities.homes import find_capability
from heldtrue.capabilities.registry import Capability
from heldtrue.surfaces.cli.arguments import GIVEN, ONLY, Argument
from heldtrue.surfaces.cli.options import GLOBALS, OF_AGENTS, GlobalOption
from heldtrue.surfaces.cli.page import Page, bold, dim, ink
from heldtrue.surfaces.groups import GROUPS, OTHERS, group_of

if TYPE_CHECKING:
    from heldtrue.wiring.describing import Setting

_EXAMPLES = {
    "learn": (
        'heldtrue learn "The API listens on port 8080" --source docs/deploy.md:12',
        'heldtrue learn "Maria prefers short answers" --kind profile --agent codex',
        "git log -1 --format=%B | heldtrue learn - --kind episode",
    ),
    "capture": (
        "heldtrue capture --message chat.jsonl --thread chat-12",
        "cat notes.md | heldtrue capture - --source notes.md",
    ),
    "quarantine": (
        'heldtrue quarantine SOURCE_ID --reason "the page was forged"',
        'heldtrue quarantine SOURCE_ID --release --reason "it was genuine"',
    ),
    "ingest": (
        "heldtrue --project shop ingest docs/",
        "heldtrue ingest chatgpt-export.zip",
        "heldtrue ingest ~/.claude/projects/shop --source-format claude-code",
    ),
    "work": ("heldtrue work", "heldtrue work --name extract"),
    "review": ('heldtrue review approve --kind preference --reason "read through"',),
    "compact": ("heldtrue compact --dry-run", "heldtrue compact --min-confidence 0.4"),
    "undo": ('heldtrue undo JOB_ID --reason "too much"', "heldtrue undo --entry '#120' --reason 'still needed'"),
    "learn-many": ("heldtrue learn-many facts.jsonl", "make-facts | heldtrue learn-many -"),
    "recall": (
        "heldtrue recall which port does the API use",
        'heldtrue recall "deploy" --scope project:shop --limit 3 --json',
        'heldtrue recall "API port" --as-of "3 days ago"',
    ),
    "inject": (
        'heldtrue inject "how do I deploy the shop?" --max-tokens 800',
        '{ heldtrue inject "$PROMPT"; echo "$PROMPT"; } | my-model',
        'heldtrue inject "and the port?" --chat chat.jsonl --json',
    ),
    "context-for": (
        'heldtrue --project shop context-for --task "move the shop to the new server"',
        "heldtrue context-for --only-agent codex",
    ),
    "expand": ("heldtrue expand ID --detail L1", "heldtrue expand SOURCE_ID --around 4"),
    "correct": ('heldtrue correct ID "The API listens on port 9090" --reason "moved behind the gateway"',),
    "forget": ('heldtrue forget ID --reason "the service is gone"',),
    "link": ('heldtrue link ID OTHER_ID supports --reason "same incident"', "heldtrue link ID https://example.org/x"),
    "list": ("heldtrue list --status inbox,superseded", "heldtrue list --only-agent codex --topic deploy"),
    "resolve": ('heldtrue resolve CONFLICT keep_new --reason "checked in production"',),
    "diff": ('heldtrue diff "3 days ago"', "heldtrue diff '#120' --until '#140'"),
    "why": ("heldtrue why RECALL_ID",),
    "feedback": (
        "heldtrue feedback RECALL_ID --used ID --ignored OTHER_ID",
        "my-agent answer | heldtrue feedback RECALL_ID --answer -",
        "heldtrue feedback RECALL_ID --undo",
    ),
    "save-view": ("heldtrue save-view incidents 'what broke lately' --arguments '{\"kinds\": [\"episode\"]}'",),
    "view": ("heldtrue view incidents",),
    "restore": ('heldtrue restore ID --reason "it was right after all"', "heldtrue --home NEW_FOLDER restore FILE"),
    "import": ("heldtrue import memories.jsonl",),
    "install": (
        "heldtrue install",
        "heldtrue install claude-code",
        "heldtrue install cursor --scope project --print",
        "heldtrue --agent reviewer --project shop install codex",
    ),
    "uninstall": ("heldtrue uninstall claude-code",),
}
_COLUMN = 24


def show_overview(page: Page, capabilities: Iterable[Capability], extras: Mapping[str, str]) -> None:
    """Every command with its one line, by what it is for."""
    page.line(bold("heldtrue"), " — the memory that AI agents share and people can audit")
    page.gap()
    page.line("  ", dim("heldtrue [OPTIONS] COMMAND ...     start with: heldtrue tour"))
    groups: dict[str, list[Capability]] = {name: [] for name in GROUPS}
    for one in capabilities:
        groups[group_of(one)].append(one)
    for title, members in groups.items():
        lines = [(one.verb.replace("_", "-"), one.summary) for one in members]
        if title == OTHERS:
            lines += list(extras.items())
        page.title(title)
        for name, summary in lines:
            page.text(summary, indent=_COLUMN + 2, first=ink(f"    {name}", "cyan"))
    page.title("Options of every command")
    _show_globals(page)
    page.gap()
    page.text(dim("How to use one: heldtrue help COMMAND. What can be set: heldtrue help settings"))


def show_settings(page: Page, settings: Iterable[Setting]) -> None:
    """Every key of the file of settings, with what it is without being set."""
    page.line(bold("heldtrue.toml"), " — the settings of a memory, in its home")
    section = None
    for one in settings:
        if one.section != section:
            page.title(f"[{(section := one.section)}]")
        reserved = " Reserved: nothing reads it yet." if one.reserved else ""
        told = f"{one.meaning} Left out: {one.default or 'empty'}.{reserved}"
        page.text(told, indent=_COLUMN + 4, first=ink(f"    {one.key}", "cyan"))


def show_command(page: Page, command: str, doc: str, arguments: Sequence[Argument]) -> None:
    """How one command is used: its arguments and options, each with its description."""
    page.line(bold(_usage(command, arguments)))
    page.gap()
    for one in arguments:
        doc = doc.replace(f"`{one.name}`", one.option or one.metavar)
    for paragraph in doc.split("\n\n"):
        page.text(" ".join(paragraph.split()), indent=2)
        page.gap()
    words = [one for one in arguments if one.is_word]
    options = [one for one in arguments if not one.is_word]
    for title, members in (("Arguments", words), ("Options", options)):
        if members:
            page.title(title)
            for one in members:
                _show_argument(page, one)
    for start, deed in ((ONLY, "choose what is shown"), (GIVEN, "are part of what is written")):
        if apart := [one.option for one in options if one.option and one.option.startswith(start)]:
            page.gap()
            page.text(dim(_tell_apart(apart, start, deed)), indent=4)
    if command in OF_AGENTS.values():
        _show_family(page)
    page.title("Options of every command")
    page.list([_name_global(one) for one in GLOBALS], indent=4, between="  ")
    if command in _EXAMPLES:
        page.title("Examples")
        for example in _EXAMPLES[command]:
            page.line("    ", dim("$ "), example)


def _show_family(page: Page) -> None:
    """What else is done to agents."""
    page.title("Agents")
    for word, command in OF_AGENTS.items():
        if (found := find_capability(command.replace("-", "_"))) is not None:
            page.text(found.summary, indent=_COLUMN + 4, first=ink(f"    agents {word}", "cyan"))


def _tell_apart(options: Sequence[str], start: str, deed: str) -> str:
    """What an option is for, beside the option of every command that it is named after."""
    acting = [f"--{option.removeprefix(start)}" for option in options]
    return f"{_join(options)} {deed}; {_join(acting)} say who and where you are."


def _join(words: Sequence[str]) -> str:
    return " and ".join(part for part in (", ".join(words[:-1]), words[-1]) if part)


def tell_command(command: str, doc: str, arguments: Sequence[Argument]) -> dict[str, object]:
    """How one command is used, for programs."""
    return {
        "name": command,
        "usage": _usage(command, arguments),
        "summary": doc.split("\n", 1)[0],
        "description": doc,
        "arguments": [
            {
                "name": one.name,
                "option": next(iter(one.forms), None),
                "required": one.parameter.required,
                "default": None if one.parameter.required else one.parameter.default,
                "choices": one.shape.choices,
                "many": one.shape.many,
                "description": one.parameter.description,
            }
            for one in arguments
        ],
    }


def _usage(command: str, arguments: Sequence[Argument]) -> str:
    pieces = [f"heldtrue {command}"]
    pieces += [one.metavar if one.parameter.required else f"[{one.metavar}]" for one in arguments if one.is_word]
    pieces += [f"{one.option} {one.metavar}" for one in arguments if not one.is_word and one.parameter.required]
    return " ".join([*pieces, "[OPTIONS]"])


def _show_argument(page: Page, one: Argument) -> None:
    page.text(_describe(one), indent=_COLUMN + 4, first=ink(f"    {_name(one)}", "cyan"))


def _name(one: Argument) -> str:
    if one.is_word:
        return one.metavar
    if one.is_flag:
        return ", ".join(one.forms)
    return f"{one.option} {one.metavar}"


def _describe(one: Argument) -> str:
    said = [one.parameter.description or one.name.replace("_", " ")]
    if one.shape.choices and not all(choice in said[0] for choice in one.shape.choices):
        said.append(f"One of: {', '.join(one.shape.choices)}.")
    if one.is_flag:
        if one.parameter.default is True and said[0].startswith("Whether"):
            said.append("This says no; left out, it is yes.")
    elif not one.parameter.required and one.parameter.default not in (None, ""):
        said.append(f"Left out: {one.parameter.default}.")
    if one.shape.many and not one.is_file:
        said.append("Repeat it, or separate with commas." if one.splits_at_commas else "Repeat it.")
    if one.is_file:
        said.append("A file with one JSON object on each line; - reads standard input.")
    if one.name in ("answer", "content"):
        said.append("- reads standard input.")
    return " ".join(said)


def _show_globals(page: Page) -> None:
    for one in GLOBALS:
        page.text(one.description, indent=_COLUMN + 4, first=ink(f"    {_name_global(one)}", "cyan"))


def _name_global(one: GlobalOption) -> str:
    return f"--{one.name} {one.metavar}" if one.metavar else f"--{one.name}"
