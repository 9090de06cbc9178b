"""Names of files and folders that are skipped, and why."""

from __future__ import annotations

from heldtrue.domain.limits import REFERENCE_CHARS_MAX

_FOLDERS = {
    "node_modules": "a folder of installed packages",
    "bower_components": "a folder of installed packages",
    "site-packages": "a folder of installed packages",
    "__pycache__": "a folder of compiled files",
    "__MACOSX": "a folder of file system metadata",
    "venv": "a virtual environment",
    "virtualenv": "a virtual environment",
}
_ARCHIVES = (".zip", ".jar", ".tar", ".tgz", ".gz", ".bz2", ".xz", ".7z", ".rar", ".zst")
ENVIRONMENT_MARK = "pyvenv.cfg"
"""The file that every virtual environment has, whatever its name."""


def pass_folder(name: str, shown: frozenset[str] = frozenset()) -> str | None:
    """Why a folder of this name is skipped; None if it is read. `shown` are hidden names to read."""
    if name in shown:
        return None
    return "a hidden folder" if name.startswith(".") else _FOLDERS.get(name)


def pass_file(path: str, shown: frozenset[str] = frozenset()) -> str | None:
    """Why a file of this name is not read; None if it is."""
    name = path.rpartition("/")[2]
    if len(path) > REFERENCE_CHARS_MAX:
        return f"its name is longer than {REFERENCE_CHARS_MAX:,} characters"
    if name.startswith(".") and name not in shown:
        return "a hidden file"
    return "nested archives are not read" if name.lower().endswith(_ARCHIVES) else None


def pass_member(path: str, shown: frozenset[str] = frozenset()) -> str | None:
    """Why a member of an archive is not read, by all of its name."""
    folders = path.split("/")[:-1]
    reasons = (pass_folder(name, shown) for name in folders)
    return next((f"it is in {reason}" for reason in reasons if reason), None) or pass_file(path, shown)
