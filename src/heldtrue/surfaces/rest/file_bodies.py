"""Routes whose body is a file: sent to a capability that reads one, or fetched from one that writes one.

A body passes through a temporary file, piece by piece, so that its size does not matter to the memory of the server.
"""

from __future__ import annotations

import asyncio
import json
import shutil
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

import msgspec
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from heldtrue.access.policy import require
from heldtrue.capabilities.declaration import FileUse
from heldtrue.capabilities.file_access import SentFile
from heldtrue.domain.errors import InvalidInput, StorageProblem
from heldtrue.domain.limits import BODY_SECONDS_MAX, FILE_BYTES_MAX, FILE_NAME_CHARS_MAX, FILE_PIECE_BYTES
from heldtrue.surfaces.rest import admission, problems
from heldtrue.surfaces.rest.routes import Form, arguments_of_query, join_arguments
from heldtrue.surfaces.rest.service import Service
from heldtrue.surfaces.wire import ANSWER_HEADER, FILE_TYPE, JSON_TYPE, too_large, write_json


def file_endpoint(service: Service, form: Form) -> Callable[[Request], Awaitable[Response]]:
    """The endpoint of a route whose body is a file."""

    async def answer(request: Request) -> Response:
        # Before the body: nobody sends a gigabyte to be refused.
        require(service.call_of(request).principal, form.capability.action)
        arguments = join_arguments(form, arguments_of_query(form, request.query_params.multi_items()), {}, None)
        if form.file is FileUse.WRITES and not form.capability.uses_file(arguments):
            named = form.capability.declared.file_argument
            raise InvalidInput(f"{named} is missing", field=named, hint="specify the name of the file")
        if request.method == "HEAD":
            return Response(media_type=FILE_TYPE)
        folder = Path(await service.run(lambda: tempfile.mkdtemp(prefix="heldtrue-")))
        try:
            file = folder / _safe_name(arguments.get(form.capability.declared.file_argument))
            if form.file is FileUse.READS:
                await _receive(service, request, file)
                return Response(
                    write_json(await _invoke(service, form, request, arguments, file)), media_type=JSON_TYPE
                )
            answer = await _invoke(service, form, request, arguments, file)
            return _send(service, file, answer)
        finally:
            # What is sent stays readable until it is closed.
            await service.run(lambda: shutil.rmtree(folder, ignore_errors=True))

    return answer


async def _invoke(service: Service, form: Form, request: Request, arguments: dict[str, Any], file: Path) -> Any:
    call = msgspec.structs.replace(service.call_of(request), files=SentFile(file))
    return await service.run(lambda: form.capability.invoke(call, arguments, strict=False))


def _safe_name(path: object) -> str:
    """The last part of a path as a name for a temporary file: a reader goes by its ending."""
    name = path.replace("\\", "/").rpartition("/")[2] if isinstance(path, str) else ""
    kept = "".join(mark if mark.isalnum() or mark in "-_. " else "_" for mark in name)[-FILE_NAME_CHARS_MAX:]
    return kept.encode("utf-8", "replace").decode().lstrip(".") or "file"


async def _receive(service: Service, request: Request, file: Path) -> None:
    """Write the body of a request to a file, with limits on its size and on the time between its pieces."""
    admission.check_media(request.method, request.headers, FILE_TYPE)
    pieces, size = aiter(request.stream()), 0
    with await service.run(lambda: file.open("xb")) as target:
        while (piece := await _next_piece(pieces)) is not None:
            size += len(piece)
            if size > FILE_BYTES_MAX:
                raise too_large("body", FILE_BYTES_MAX)
            await service.run(partial(_write, target, piece))


def _write(target: BinaryIO, piece: bytes) -> None:
    try:
        target.write(piece)
        target.flush()
    except OSError as problem:
        raise StorageProblem(f"the body cannot be stored: {problem.strerror or problem}", field="body") from None


async def _next_piece(pieces: AsyncIterator[bytes]) -> bytes | None:
    """Some of a body, as much as is worth a trip to the disk; None at its end."""
    gathered = bytearray()
    try:
        async with asyncio.timeout(BODY_SECONDS_MAX):
            while len(gathered) < FILE_PIECE_BYTES:
                gathered += await anext(pieces)
    except StopAsyncIteration:
        return bytes(gathered) or None
    except TimeoutError:
        slow = f"{FILE_PIECE_BYTES:,} bytes of the body did not arrive within {BODY_SECONDS_MAX:g} seconds"
        raise problems.TooSlow(slow, field="body", hint="use a faster connection") from None
    return bytes(gathered)


def _send(service: Service, file: Path, answer: Any) -> Response:
    """A response with a file as its body, and the answer of the capability in a header."""
    source = file.open("rb")
    # ASCII: a header has no other letters for certain.
    told = json.dumps(msgspec.to_builtins(answer), ensure_ascii=True)
    headers = {ANSWER_HEADER: told, "Content-Length": str(file.stat().st_size), "Cache-Control": "no-store"}
    return StreamingResponse(_pieces(service, source), media_type=FILE_TYPE, headers=headers)


async def _pieces(service: Service, source: BinaryIO) -> AsyncIterator[bytes]:
    with source:
        while piece := await service.run_short(lambda: source.read(FILE_PIECE_BYTES)):
            yield piece
