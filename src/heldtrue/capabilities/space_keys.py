"""Move a space's key to another machine."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from heldtrue.capabilities.call import Call
from heldtrue.capabilities.declaration import FileUse, Group
from heldtrue.capabilities.files import open_file, shown_path, target_file, whole_file
from heldtrue.capabilities.parameters import Mark, Request
from heldtrue.capabilities.registry import capability
from heldtrue.capabilities.shapes import Id
from heldtrue.capabilities.transfer import Overwrite
from heldtrue.domain.action import Audience, Effect
from heldtrue.domain.errors import InvalidInput, WrongState
from heldtrue.domain.limits import KEY_FILE_BYTES_MAX
from heldtrue.domain.space_key import read_key


class KeyFile(msgspec.Struct, frozen=True, kw_only=True):
    """The content of a file that moves a key."""

    heldtrue_key: int
    space_id: str
    key: str


class KeyAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """A key that was exported or imported."""

    path: str
    space: Id
    name: str
    """A fingerprint that identifies the key without revealing it."""


class ExportKeyRequest(Request):
    path: Annotated[str, Meta(min_length=1, description="The file to write. Keep it secret."), Mark.PATH]
    overwrite: Overwrite = False


@capability(
    "memory.export_key",
    Effect.ADMIN,
    audience=Audience.PEOPLE,
    group=Group.MOVE,
    positional=("path",),
    file=FileUse.WRITES,
    command=("key", "export"),
    examples=("heldtrue key export shop.key",),
)
def export_key(call: Call, request: ExportKeyRequest) -> KeyAnswer:
    """Write this store's key to a file, so that another machine can import the key and continue the store.

    Every export is signed with this key, and a store replays new entries from an export only if the store and
    the export have the same key. Whoever has the key can change the store through an import, so keep
    the file secret.
    """
    target = target_file(call, request.path, request.overwrite)
    with call.instance.store.read() as reading:
        space_id = reading.ledger.space().id
    key = call.instance.keys.find_or_make(space_id) if space_id else None
    if key is None:
        raise WrongState("this store has no key yet", hint="store a first memory, which creates the key")
    content = KeyFile(heldtrue_key=1, space_id=space_id, key=key.secret.hex())
    with whole_file(target) as part:
        part.write_bytes(msgspec.json.encode(content) + b"\n")
    return KeyAnswer(path=shown_path(call, request.path, target), space=space_id, name=key.name)


class ImportKeyRequest(Request):
    path: Annotated[str, Meta(min_length=1, description="A file written by `export_key`."), Mark.PATH]


@capability(
    "memory.import_key",
    Effect.ADMIN,
    audience=Audience.PEOPLE,
    group=Group.MOVE,
    positional=("path",),
    destructive=True,
    repeatable=True,
    makes_home=True,
    file=FileUse.READS,
    command=("key", "import"),
    examples=("heldtrue key import shop.key",),
)
def import_key(call: Call, request: ImportKeyRequest) -> KeyAnswer:
    """Save a store's key on this machine, replacing any key that this machine has for the same store."""
    with open_file(call, request.path) as file:
        raw = file.read(KEY_FILE_BYTES_MAX)
    try:
        content = msgspec.json.decode(raw, type=KeyFile)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        content = None
    key = read_key(content.key) if content is not None else None
    if content is None or key is None:
        raise InvalidInput(f"{request.path} is not a key file", field="path", hint="use a file written by `export_key`")
    call.instance.keys.keep(content.space_id, key, replace=True)
    return KeyAnswer(path=request.path, space=content.space_id, name=key.name)
