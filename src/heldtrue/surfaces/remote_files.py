"""Files for a service: a client sends the file that a capability reads, and stores the one that it writes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from http.client import HTTPResponse
from pathlib import Path
from typing import Any, BinaryIO, Protocol
from urllib.parse import urlencode

import msgspec

from heldtrue.capabilities.declaration import FileUse
from heldtrue.capabilities.file_access import ANY_PATH, resolve_path
from heldtrue.capabilities.files import check_target, whole_file
from heldtrue.capabilities.registry import Capability
from heldtrue.domain.errors import InvalidInput, NotFound, StorageUnavailable
from heldtrue.domain.limits import FILE_PIECE_BYTES
from heldtrue.surfaces.wire import ANSWER_HEADER


class FileExchange(Protocol):
    """A connection to a service that can send and receive files."""

    def exchange_file(
        self, method: str, path: str, body: BinaryIO | None, receive: Callable[[HTTPResponse], bytes]
    ) -> bytes: ...


def use_file(remote: FileExchange, capability: Capability, arguments: Mapping[str, Any]) -> bytes:
    """Invoke a capability with the file at `path` on this machine, and return the raw answer."""
    given = {name: value for name, value in arguments.items() if value is not None}
    path = given.pop("path", None)
    if not isinstance(path, str) or not path:
        raise InvalidInput("path is missing", field="path", hint="specify a file on this machine")
    file = resolve_path(ANY_PATH, path)
    if capability.declared.file is FileUse.READS:
        return _send(remote, capability, file, given)
    return _fetch(remote, capability, file, given)


def _address(capability: Capability, given: Mapping[str, Any]) -> str:
    named = {name: _plain(value) for name, value in given.items()}
    query = urlencode(named, doseq=True)
    return f"/v1/files/{capability.verb}" + (f"?{query}" if query else "")


def _plain(value: Any) -> Any:
    """A value as a query string spells it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return [_plain(part) for part in value] if isinstance(value, list) else value


def _send(remote: FileExchange, capability: Capability, file: Path, given: dict[str, Any]) -> bytes:
    if file.is_dir():
        raise InvalidInput(f"{file} is a folder", field="path", hint="send a file; a folder can be sent as a zip file")
    try:
        body = file.open("rb")
    except OSError as problem:
        raise NotFound(f"{file} cannot be read: {problem.strerror or problem}", field="path") from None
    with body:
        address = _address(capability, {**given, "path": str(file.absolute())})
        return remote.exchange_file("POST", address, body, lambda response: response.read())


def _fetch(remote: FileExchange, capability: Capability, file: Path, given: dict[str, Any]) -> bytes:
    """Store the body of the response as a whole file, or nothing."""
    check_target(file, str(file), given.pop("overwrite", False))

    def receive(response: HTTPResponse) -> bytes:
        told = response.headers.get(ANSWER_HEADER)
        if told is None:
            raise StorageUnavailable(
                "the server sent the file without the result of the request",
                field="url",
                hint="check that the URL is that of a Heldtrue server",
            )
        with whole_file(file) as part, part.open("wb") as target:
            while piece := response.read(FILE_PIECE_BYTES):
                target.write(piece)
            if response.length:
                raise StorageUnavailable(
                    f"the file is incomplete: the server stopped {response.length:,} bytes before its end",
                    field="url",
                    hint="try again",
                )
        answer: dict[str, Any] = msgspec.json.decode(told)
        return msgspec.json.encode(answer | {"path": str(file)})

    return remote.exchange_file("GET", _address(capability, given), None, receive)
