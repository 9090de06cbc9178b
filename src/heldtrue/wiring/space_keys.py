"""The keys of spaces, one file each, in the user's state folder: outside every home, and readable by the user alone."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from pathlib import Path

from heldtrue.domain.errors import StorageProblem
from heldtrue.domain.space_key import SpaceKey, new_key, read_key
from heldtrue.wiring.known_homes import state_folder

_SPACE_ID = re.compile(r"[0-9a-f-]{1,64}")


class KeyFolder:
    """The keys of spaces by the id of the space; without a folder, no keys: a space in memory has none."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder

    def find(self, space_id: str) -> SpaceKey | None:
        path = self._path_of(space_id)
        if path is None:
            return None
        try:
            text = path.read_text("ascii", "replace")
        except OSError:
            return None
        return read_key(text)

    def find_or_make(self, space_id: str) -> SpaceKey:
        """The key of a space; it is made on first use."""
        return self.find(space_id) or self.keep(space_id, new_key(), replace=False)

    def keep(self, space_id: str, key: SpaceKey, *, replace: bool) -> SpaceKey:
        """Store a key and return the stored one. Without `replace`, an existing key is kept and returned."""
        path = self._path_of(space_id)
        if path is None:
            raise StorageProblem(
                f"the key of store {space_id} cannot be saved: the store has no home",
                hint="open a store that has a home",
            )
        part = path.with_name(f".{path.name}.{os.urandom(8).hex()}")
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
                file.write(key.secret.hex() + "\n")
                file.flush()
                os.fsync(file.fileno())
            if replace:
                part.replace(path)
            else:
                # Another process may be first: then its key is the one.
                with suppress(FileExistsError):
                    os.link(part, path)
        except OSError as problem:
            raise StorageProblem(
                f"the store's key cannot be saved in {path.parent}: {problem.strerror or problem}",
                hint="check the folder's permissions, or set XDG_STATE_HOME to another folder",
            ) from None
        finally:
            part.unlink(missing_ok=True)
        return self.find(space_id) or key

    def _path_of(self, space_id: str) -> Path | None:
        """The file of a key. The id may come from a file of somebody else, so it must not name another folder."""
        return self._folder / space_id if self._folder and _SPACE_ID.fullmatch(space_id) else None


def user_keys() -> KeyFolder:
    """The keys of this user."""
    return KeyFolder(state_folder() / "keys")
