"""Help comes from the registry: nothing that a command takes goes unsaid."""

import re

import pytest

from heldtrue.capabilities.declaration import Group
from heldtrue.capabilities.verb_index import all_capabilities
from heldtrue.surfaces.cli.arguments import arguments_of
from heldtrue.surfaces.cli.builtin_commands import BUILTIN_COMMANDS
from heldtrue.surfaces.cli.options import GLOBALS
from heldtrue.wiring.settings import setting_names
from tests.surfaces.conftest import CommandLine

VERBS = sorted(all_capabilities())


def squeeze(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.covers("A26")
@pytest.mark.parametrize("verb", VERBS)
def test_help_describes_every_parameter(heldtrue: CommandLine, verb: str) -> None:
    told = squeeze(heldtrue(verb.replace("_", "-"), "--help"))
    capability = all_capabilities()[verb]
    for argument in arguments_of(capability):
        parameter = argument.parameter
        assert parameter.description, f"{verb} does not describe {parameter.name}"
        assert squeeze(parameter.description) in told
        assert (argument.metavar if argument.is_word else argument.option or "").removeprefix("--") in told
        for choice in argument.shape.choices:
            assert choice in told
    assert squeeze(capability.summary.replace("`as_of`", "--as-of")) in told
    assert heldtrue("help", verb.replace("_", "-")) == heldtrue(verb.replace("_", "-"), "-h")


@pytest.mark.parametrize("command", [*(verb.replace("_", "-") for verb in VERBS), *BUILTIN_COMMANDS])
def test_every_option_that_help_names_is_taken(heldtrue: CommandLine, command: str) -> None:
    told = heldtrue(command, "--help")
    (described,) = heldtrue.json("help", command)["commands"]
    own = told[: told.rindex("Global options")]
    named = re.findall(r"^ {4}(--[a-z-]+)(?:, (--[a-z-]+))?", own, re.MULTILINE)
    options = {option for pair in named for option in pair if option}
    options |= {argument["option"] for argument in described["arguments"] if argument["option"]}
    for option in options:
        # The second one is there so that nothing is done, whatever the first one is.
        said = heldtrue.run(command, option, "--surely-not").err
        assert f"no option {option}" not in said
        assert "no option --surely-not" in said or f"{option} needs a value" in said


@pytest.mark.parametrize("words", [[], ["help"], ["--help"], ["-h"]])
def test_alone_it_shows_the_everyday_commands_on_one_screen(heldtrue: CommandLine, words: list[str]) -> None:
    told = heldtrue(*words)
    lines = told.splitlines()
    assert len(lines) <= 25
    assert all(len(line) <= 80 for line in lines)
    named = [line.split()[0] for line in lines if line.startswith("    ") and not line.startswith("    $")]
    assert set(named) == {
        *"learn recall list correct forget inbox approve reject explain why status serve install".split()
    }
    assert named[:2] == ["learn", "recall"]
    assert "heldtrue help --all" in told
    assert told.count("    $ heldtrue") == 1


def test_all_commands_and_global_options_are_listed_by_task(heldtrue: CommandLine) -> None:
    told = heldtrue("help", "--all")
    titles = [line for line in told.splitlines() if line.startswith("  ") and line[2] != " "]
    assert [title.strip() for title in titles[1:-1]] == [group.value for group in Group]
    for verb in [*VERBS, *BUILTIN_COMMANDS]:
        assert f"    {verb.replace('_', '-')} " in told
    for option in GLOBALS:
        assert f"--{option.name}" in told


def test_help_for_what_is_not_there_suggests_what_is(heldtrue: CommandLine) -> None:
    for words in (["help", "recal"], ["recal", "--help"]):
        done = heldtrue.run(*words)
        assert done.status == 2
        assert "did you mean heldtrue recall?" in done.err


def test_help_tells_programs_the_same(heldtrue: CommandLine) -> None:
    every = heldtrue.json("help")["commands"]
    assert [command["name"] for command in every] == [
        *(verb.replace("_", "-") for verb in all_capabilities()), *BUILTIN_COMMANDS,
    ]  # fmt: skip
    assert all(command["summary"] for command in every)
    (learn,) = heldtrue.json("help", "learn")["commands"]
    assert learn in every
    assert heldtrue.json("learn", "--help") == {"commands": [learn]}
    kind = next(argument for argument in learn["arguments"] if argument["name"] == "kind")
    assert (kind["option"], kind["default"], kind["required"]) == ("--kind", "note", False)
    assert "decision" in kind["choices"]
    assert heldtrue.run("--json", "help", "recal").status == 2


def test_what_narrows_is_told_from_who_acts(heldtrue: CommandLine) -> None:
    told = squeeze(heldtrue("list", "--help"))
    assert (
        "Use --only-project, --only-repo and --only-agent to filter the results; "
        "use --project, --repo and --agent to set who you are and where you work." in told
    )
    assert "say who and where you are" not in heldtrue("recall", "--help")
    told = squeeze(heldtrue("agents", "add", "--help"))
    assert "Use --in-project and --in-repo to set what is stored; use --project and --repo to set who" in told
    assert "--only-" not in told
    overview = squeeze(heldtrue("help", "--all"))
    assert "New memories get the scope project:ID, and recall searches this scope and global." in overview


def test_help_touches_no_home(heldtrue: CommandLine) -> None:
    heldtrue("learn", "--help")
    assert not heldtrue.home.exists()


def test_no_parameter_hides_behind_a_global_option() -> None:
    reserved = {f"--{option.name}" for option in GLOBALS}
    for capability in all_capabilities().values():
        options = [option for option in (argument.option for argument in arguments_of(capability)) if option]
        assert len(options) == len(set(options))
        assert not reserved & set(options)


def test_a_flag_is_told_in_the_form_that_changes_something(heldtrue: CommandLine) -> None:
    assert "--no-hooks Do not add the hooks that inject memories and capture conversations. " in squeeze(
        heldtrue("install", "--help")
    )
    assert "--engine, --no-engine Run background jobs in the server, or leave them" in squeeze(heldtrue("serve", "-h"))
    assert "--extract, --no-extract Whether to extract memories from the text later" in squeeze(
        heldtrue("capture", "-h")
    )
    told = squeeze(heldtrue("diff", "--help"))
    assert "--no-include-corrections Whether to include corrections and retractions. On by default;" in told
    (install,) = heldtrue.json("help", "install")["commands"]
    assert {"--no-hooks", "--yes"} <= {argument["option"] for argument in install["arguments"]}


def test_help_counts_no_tools(heldtrue: CommandLine) -> None:
    told = squeeze(heldtrue("mcp", "--help"))
    assert "Which tools the agent gets: the everyday set (default) or all of them (all)." in told


def test_help_tells_every_setting(heldtrue: CommandLine) -> None:
    told = squeeze(heldtrue("help", "settings"))
    described = heldtrue.json("help", "settings")["settings"]
    assert [f"{setting['section']}.{setting['key']}" for setting in described] == setting_names()
    for setting in described:
        assert setting["meaning"], f"{setting['key']} says nothing"
        assert squeeze(f"{setting['key']} {setting['meaning']} Default: {setting['default']}.") in told
    assert "heldtrue help settings" in heldtrue("help")
    assert not heldtrue.home.exists()
