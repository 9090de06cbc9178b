"""How this copy of Heldtrue was installed, and the command that adds an extra to it.

A bare name would be looked up in a package index, which may hold someone else's code under it. So the command names
what this copy was installed from: its source tree, a wheel, or a repository.
"""

from __future__ import annotations

import shlex
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import msgspec

_NAME = "heldtrue"
_PACKAGE = Path(__file__).resolve().parent
_TOOLS = {"pipx_metadata.json": "pipx install --force", "uv-receipt.toml": "uv tool install --force"}
"""Programs that keep an environment for one command, by the file that each leaves in it."""


def suggest_install(extra: str) -> str:
    """The command line that adds an extra to this copy."""
    from urllib.parse import unquote, urlsplit  # slow to load, and hardly ever needed

    tree = find_source_tree(_PACKAGE)
    if tree is not None:
        return _word_command(f"{tree}[{extra}]", is_editable=True)
    origin = read_origin(_PACKAGE)
    if origin is None:  # it came from a package index, by its name
        return _word_command(f"{_NAME}[{extra}]")
    url = urlsplit(origin["url"])
    if url.scheme == "file":
        path = Path(unquote(url.path))
        if not path.exists():
            return f"download the Heldtrue source again and run this in its folder: {_word_command(f'.[{extra}]')}"
        return _word_command(f"{path}[{extra}]")
    if repository := origin.get("vcs_info"):
        return _word_command(f"{_NAME}[{extra}] @ {repository['vcs']}+{origin['url']}@{repository['commit_id']}")
    return _word_command(f"{_NAME}[{extra}] @ {origin['url']}")


def suggest_reader() -> str:
    """The command line that adds the reader to this copy. It is a package of its own in the source tree."""
    folder = Path("packages", "heldtrue-reader")
    tree = find_source_tree(_PACKAGE)
    if tree is not None and (tree / folder).exists():
        return _word_command(str(tree / folder))
    return f"run this in a folder with the Heldtrue source: {_word_command(f'./{folder}')}"


def find_source_tree(package: Path) -> Path | None:
    """The checkout that a package folder lies in; none where the package was installed elsewhere."""
    tree = package.parent.parent
    try:
        text = (tree / "pyproject.toml").read_text("utf-8")
    except OSError:
        return None
    return tree if package.parent.name == "src" and f'\nname = "{_NAME}"\n' in text else None


def read_origin(package: Path) -> dict[str, Any] | None:
    """What the installer noted about where a package came from (PEP 610); none for one from an index."""
    for note in package.parent.glob(f"{_NAME}-*.dist-info/direct_url.json"):
        return msgspec.json.decode(note.read_bytes(), type=dict[str, Any])
    return None


def _word_command(requirement: str, *, is_editable: bool = False) -> str:
    for file, command in _TOOLS.items():
        if (Path(sys.prefix) / file).exists():
            return f"{command} {shlex.quote(requirement)}"
    editable = "--editable " if is_editable else ""
    return f"{_name_pip()} install {editable}{shlex.quote(requirement)}"


def _name_pip() -> str:
    """The pip of this environment, in as few words as reach it from here."""
    import shutil

    found = shutil.which("pip")
    if found and Path(found).parent == Path(sys.executable).parent:
        return "pip"
    python = shlex.quote(sys.executable)
    return f"{python} -m pip" if find_spec("pip") else f"pip --python {python}"
