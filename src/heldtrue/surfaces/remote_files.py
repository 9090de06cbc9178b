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
    """Invoke a capability with a file on this machine, and return the raw answer."""
    given = {name: value for name, value in arguments.items() if value is not None}
    declared = capability.declared
    path = given.pop(declared.file_argument, None)
    if not isinstance(path, str) or not path:
        raise InvalidInput(
            f"{declared.file_argument} is missing", field=declared.file_argument, hint="specify a file on this machine"
        )
    file = resolve_path(ANY_PATH, path, field=declared.file_argument)
    if declared.file is FileUse.READS:
        return _send(remote, capability, file, given)
    overwrite = given.pop("overwrite", False)
    if not declared.file_endings:
        check_target(file, str(file), overwrite)
        return msgspec.json.encode(_fetch(remote, capability, file, given) | {"path": str(file)})
    return _fetch_by_ending(remote, capability, file, given, overwrite=overwrite)


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


def _fetch_by_ending(
    remote: FileExchange, capability: Capability, file: Path, given: dict[str, Any], *, overwrite: bool
) -> bytes:
    """Fetch the file with this extension; without an extension, one file with each that there is."""
    declared = capability.declared
    targets = [file] if file.suffix else [file.with_name(file.name + ending) for ending in declared.file_endings]
    for target in targets:
        check_target(target, str(target), overwrite, field=declared.file_argument)
    answer: dict[str, Any] = {}
    files: list[dict[str, Any]] = []
    for target in targets:
        answer = _fetch(remote, capability, target, {**given, declared.file_argument: target.name})
        files += [written | {"path": str(target)} for written in answer["files"]]
    return msgspec.json.encode(answer | {"files": files})


def _fetch(remote: FileExchange, capability: Capability, file: Path, given: dict[str, Any]) -> dict[str, Any]:
    """Store the body of the response as a whole file, or nothing, and return the answer."""

    def receive(response: HTTPResponse) -> bytes:
        told = response.headers.get(ANSWER_HEADER)
        if told is None:
            raise StorageUnavailable(
                "the server sent the file without the result of the request",
                field="url",
                hint="check that the URL is that of a Heldtrue server",
            )
        with whole_file(file, field=capability.declared.file_argument) as part, part.open("wb") as target:
            while piece := response.read(FILE_PIECE_BYTES):
                target.write(piece)
            if response.length:
                raise StorageUnavailable(
                    f"the file is incomplete: the server stopped {response.length:,} bytes before its end",
                    field="url",
                    hint="try again",
                )
        return told.encode()

    answer: dict[str, Any] = msgspec.json.decode(
        remote.exchange_file("GET", _address(capability, given), None, receive)
    )
    return answer
