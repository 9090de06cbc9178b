"""Words that no tracked file may contain: the former name of the product, and what belongs to one machine alone."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

from tests.tidy.figures import PROJECT

FORMER_NAME = "hold" + "fast"
"""Written in two parts: this file is looked through as well."""

CHANGELOG = "CHANGELOG.md"
SAMPLE_USERS = frozenset({"ada", "me", "sam"})
"""Whose home folders examples and tests may name."""
PUBLIC_INDEXES = frozenset({"pypi.org", "files.pythonhosted.org", "registry.npmjs.org"})

_HOME_FOLDER = re.compile(r"(?:/home|/Users)/(?P<user>[\w.-]+)|(?<![\w/])/r[o]ot/")
_RESOLVED = re.compile(r'"resolved":\s*"https?://(?P<host>[\w.:-]+)')


def tracked_files(project: Path = PROJECT) -> list[str]:
    """The files that a commit would hold: tracked ones, and new ones that are not ignored."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=project, capture_output=True, check=True).stdout.decode().split("\0")
    return sorted(name for name in set(listed) if name and (project / name).is_file())


def find_former_name(path: str, text: str) -> Iterator[str]:
    """Where a file or its name has the former name of the product, as `path:line`."""
    if FORMER_NAME in path.lower():
        yield path
    for number, line in enumerate(text.splitlines(), 1):
        if FORMER_NAME in line.lower():
            yield f"{path}:{number}"


def find_machine_words(path: str, text: str, *, checkout: str, hosts: frozenset[str]) -> Iterator[str]:
    """Where a file names a folder of one machine, or the host of a package index, as `path:line: word`."""
    private = frozenset(hosts) - PUBLIC_INDEXES
    for number, line in enumerate(text.splitlines(), 1):
        found = [match[0] for match in _HOME_FOLDER.finditer(line) if (match["user"] or "").lower() not in SAMPLE_USERS]
        found += [match["host"] for match in _RESOLVED.finditer(line) if match["host"] not in PUBLIC_INDEXES]
        found += [host for host in sorted(private) if host in line]
        found += [checkout] if checkout and checkout in line else []
        yield from (f"{path}:{number}: {word}" for word in found)


def checkout_path(project: Path = PROJECT) -> str:
    """The folder of this checkout, if its path is long enough not to be met by chance."""
    return f"{project}/" if len(project.parts) > 2 else ""


def index_hosts() -> frozenset[str]:
    """The hosts that pip would ask for packages on this machine."""
    asked = subprocess.run(
        [sys.executable, "-m", "pip", "config", "list"], capture_output=True, text=True, check=False
    ).stdout
    asked += " ".join(value for name, value in os.environ.items() if name.startswith(("PIP_", "UV_")))
    return frozenset(filter(None, (urlsplit(url).hostname for url in re.findall(r"https?://[^\s'\",]+", asked))))
