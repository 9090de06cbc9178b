"""The homes that this user has created or chosen with --home: where each one is, and the id and head of its store.

A home decides where texts and keys are sent and what a model reads, so it must not be enough to unpack an archive, or
to clone a repository that has one inside. And a whole home can be put back to an earlier state, with the head file in
it: only what is kept outside the home shows that. The records are in the user's state folder; without them everything
still works, but neither is noticed.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from heldtrue.domain.continuity import StoredHead
from heldtrue.domain.errors import HomeChanged, NotAllowed
from heldtrue.domain.ledger import Head
from heldtrue.domain.limits import KNOWN_HOMES_MAX, PATH_FILE_BYTES_MAX
from heldtrue.domain.plural import count
from heldtrue.environment import read_variable
from heldtrue.storage.headfile import WIDTH, HeadFile, parse_head

HEAD_FILE = "ledger.head"
_RECORDS = "known-homes"


class KnownHome:
    """What this user's state folder says about a home."""

    def __init__(self, home: Path) -> None:
        self.home = home.resolve()
        name = sha256(str(self.home).encode("utf-8", "surrogateescape")).hexdigest()[:32]
        self.file = HeadFile(_record_folder() / name, label=str(self.home), is_optional=True)

    @property
    def stored(self) -> StoredHead | None:
        """The id and head of the store; None if it is not known here, or nothing has been written yet."""
        found = self.file.stored()
        return found if isinstance(found, StoredHead) else None

    @property
    def is_known(self) -> bool:
        """Whether this store was created here or chosen with --home, or was moved here from another path."""
        if self.stored is not None:
            return True
        space_id = space_of(self.home)
        return space_id is not None and self._find_moved(space_id) is not None

    def note(self) -> None:
        """Remember the home as this user's own. If that cannot be stored, --home is needed each time."""
        with suppress(OSError):
            folder = _record_folder()
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if not self.file.path.exists():
                _forget_oldest(folder)
                self.file.create()

    def refuse_unknown(self) -> None:
        """Refuse a home that came with a folder."""
        if not self.is_known:
            raise NotAllowed(
                f"{self.home} was not created on this machine: it came with the folder, for example in a git clone",
                field="home",
                hint=f"to use your own store, add --home ~/.heldtrue; if you trust this one, run: heldtrue --home "
                f"{self.home} trust",
            )

    def refuse_other(self, space_id: str | None) -> None:
        """Refuse a home that does not contain the store that is known here."""
        stored = self.stored
        if stored is None or not space_id or stored.space_id == space_id:
            return
        raise HomeChanged(
            f"{self.home} no longer contains the same store: the earlier one, which had "
            f"{count(stored.head.seq, 'entry')}, was replaced, for example by a checkout or a copy",
            field="home",
            hint=f"restore the earlier folder; if you trust the new one, run: heldtrue --home {self.home} trust",
        )

    def bind(self, space_id: str, head: Head, *, since: int) -> None:
        """Remember the store of a home that was not known yet. A store that was moved keeps its known head.

        `since` is the entry from which on the head in the home vouches for the ledger.
        """
        self.note()
        moved = self._find_moved(space_id)
        known = moved.stored if moved is not None else None
        with suppress(OSError):
            if known is None:
                self.file.accept(space_id, head, since=since)
            else:
                self.file.accept(space_id, known.head, since=known.since)
            if moved is not None:
                moved.file.path.unlink()

    def _find_moved(self, space_id: str) -> KnownHome | None:
        """The record of the same store at its former path."""
        for path, stored in _records():
            if stored is not None and stored.space_id == space_id and path != self.home and space_of(path) != space_id:
                return KnownHome(path)
        return None


def space_of(home: Path) -> str | None:
    """The id of the store in a home, read from the head file; nothing else is opened."""
    file = HeadFile(home / HEAD_FILE)
    try:
        found = file.stored()
    finally:
        file.close()
    return found.space_id if isinstance(found, StoredHead) else None


def _records() -> Iterator[tuple[Path, StoredHead | None]]:
    """The known homes, each with its head."""
    with suppress(OSError):
        for record in sorted(_record_folder().iterdir()):
            with suppress(OSError):
                with record.open("rb") as file:
                    raw = file.read(WIDTH + PATH_FILE_BYTES_MAX)
                path = raw[WIDTH:].decode("utf-8", "surrogateescape").strip("\n")
                if path:
                    yield Path(path), parse_head(raw, str(record))


def _forget_oldest(folder: Path) -> None:
    """Make room: forget the homes that are gone, the oldest first."""
    records = sorted(folder.iterdir(), key=lambda record: record.stat().st_mtime)
    surplus = len(records) - KNOWN_HOMES_MAX + 1
    if surplus <= 0:
        return
    gone = {KnownHome(path).file.path for path, _ in _records() if not path.exists()}
    for record in [record for record in records if record in gone][:surplus]:
        record.unlink()


def _record_folder() -> Path:
    return state_folder() / _RECORDS


def state_folder() -> Path:
    """Where this user's programs keep state that is not a setting and may be lost."""
    state = read_variable("XDG_STATE_HOME") or read_variable("LOCALAPPDATA")
    return (Path(state) if state else Path.home() / ".local" / "state") / "heldtrue"
