"""Whatever happens to a file on its way, reading it ends, and raises nothing but our own errors."""

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from heldtrue.domain.errors import HeldtrueError
from heldtrue.readers.recognise import FORMATS, read
from heldtrue.readers.values import Conversation, Document, NamedLink, Remark, Value
from tests.unit.readers import samples
from tests.unit.readers.making import make_pdf, zipped

JSON_PIECES = b'{ } [ ] " \\ , : null NaN 1e999 "\\ud800" true {} [] "" -1 "mapping" "type" "content"'.split()
PIECES = [
    *JSON_PIECES,
    *b"--- < <!-- ``` - [ ]] &a *a PK\x03\x04 %PDF- \0 \xff \xff\xfe \xef\xbb\xbf \xc3".split(b" "),
    *(b"", b"\n", b"\r", b"9" * 400, b"[" * 40),
]
Change = tuple[int, int, bytes]
CHANGES = st.lists(
    st.tuples(st.integers(0, 10_000), st.integers(0, 40), st.sampled_from(PIECES) | st.binary(max_size=8)),
    min_size=1,
    max_size=6,
)


def mutate(data: bytes, changes: list[Change]) -> bytes:
    """Cut something out at each place, and put something else there."""
    for start, length, piece in changes:
        at = start % (len(data) + 1)
        data = data[:at] + piece + data[at + length :]
    return data


def texts_of(value: Value) -> list[str]:
    match value:
        case Document():
            return [value.text, value.path, value.title or ""]
        case Conversation():
            return [value.thread, value.origin, value.title or "", *(turn.text for turn in value.turns)]
        case Remark():
            return [value.content, value.subject or "", *value.tags, *(word for pair in value.details for word in pair)]
        case NamedLink():
            return [value.from_name, value.relation, value.to_name]
        case _:
            return [str(value)]


def read_anyhow(path: Path, kind: str | None) -> None:
    with suppress(HeldtrueError):
        for value in read(path, kind):
            for text in texts_of(value):
                assert "\0" not in text
                text.encode()  # no halves of characters


@pytest.mark.parametrize("kind", samples.FILES)
@settings(max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(changes=CHANGES)
def test_a_damaged_file_is_read_or_refused(tmp_path: Path, kind: str, changes: list[Change]) -> None:
    name, data = samples.FILES[kind]
    path = tmp_path / name
    path.write_bytes(mutate(data, changes))
    read_anyhow(path, kind)
    read_anyhow(path, None)


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(changes=CHANGES)
def test_a_damaged_zip_is_read_or_refused(tmp_path: Path, changes: list[Change]) -> None:
    path = tmp_path / "e.zip"
    whole = zipped(conversations_dot_json=samples.CHATGPT, a_dot_md=b"otter", b__c_dot_jsonl=samples.CODEX)
    path.write_bytes(mutate(whole, changes))
    read_anyhow(path, None)
    read_anyhow(path, "documents")


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(changes=CHANGES)
def test_a_damaged_pdf_is_read_or_refused(tmp_path: Path, changes: list[Change]) -> None:
    pytest.importorskip("pypdf")
    path = tmp_path / "r.pdf"
    path.write_bytes(mutate(make_pdf("otter", "kelp"), changes))
    read_anyhow(path, "documents")


SCALARS: st.SearchStrategy[Any] = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
ANY: st.SearchStrategy[Any] = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


def swap(value: Any, path: list[int], other: Any) -> Any:
    """The value with something else at a place inside of it."""
    if not path or not isinstance(value, dict | list) or not value:
        return other
    keys = list(value) if isinstance(value, dict) else list(range(len(value)))
    chosen = keys[path[0] % len(keys)]
    changed = dict(value) if isinstance(value, dict) else list(value)
    changed[chosen] = swap(value[chosen], path[1:], other)
    return changed


@pytest.mark.parametrize("kind", ["chatgpt", "claude-export", "claude-code", "codex", "server-memory", "mem0"])
@settings(max_examples=120, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.integers(0, 50), max_size=7), ANY, st.integers(0, 50))
def test_a_value_of_any_other_type_in_any_place_is_borne(
    tmp_path: Path, kind: str, steps: list[int], other: Any, line: int
) -> None:
    name, data = samples.FILES[kind]
    path = tmp_path / name
    if name.endswith(".jsonl"):
        records = [json.loads(record) for record in data.splitlines()]
        records[line % len(records)] = swap(records[line % len(records)], steps, other)
        path.write_bytes(samples.dumps(*records))
    else:
        path.write_text(json.dumps(swap(json.loads(data), steps, other)))
    read_anyhow(path, kind)


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize(
    "data", [b"", b"\n", b"\0", b"\xff\xfe", b"[", b"{", b"[" * 100_000, b'{"a":' * 100_000, b"null"]
)
def test_next_to_nothing_is_borne_by_every_reader(tmp_path: Path, kind: str, data: bytes) -> None:
    path = tmp_path / "file"
    path.write_bytes(data)
    read_anyhow(path, kind)
    read_anyhow(path, None)
