"""The verifier: recomputes all hashes and digests of the ledger and reports every mismatch."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import msgspec

from heldtrue.audit.derived import DerivedRows, compare_derived
from heldtrue.audit.ports import AuditStore, Rebuilder
from heldtrue.domain.agent import TOKENS_AFTER
from heldtrue.domain.carried import ANSWER, ANSWERS_AFTER, ANSWERS_FORGOTTEN, digest_answer
from heldtrue.domain.continuity import OutsideHead, UnreadableHead
from heldtrue.domain.decision import OutcomeKind
from heldtrue.domain.erasure import ERASABLE_NAMED, ErasableTable, digest_rest, erased_by_digest, is_erased
from heldtrue.domain.errors import InvalidInput, StorageProblem
from heldtrue.domain.ledger import (
    EMPTY_HEAD,
    TABLES,
    Head,
    LedgerEntry,
    TableSpec,
    chain_hash,
    closing_digest,
    hash_records,
    opening_digest,
    text_digest,
)
from heldtrue.domain.limits import VERIFY_BATCH_ENTRIES, VERIFY_PROBLEMS_MAX
from heldtrue.domain.plural import count
from heldtrue.domain.records import ErasedRecord
from heldtrue.ports import HeadKeeper, ReadTransaction

_UNSALTED = "its salt is missing, so its content cannot be verified"
_MALFORMED = "it contains values of the wrong type"
_UNREADABLE = (TypeError, ValueError, OverflowError, AttributeError, msgspec.MsgspecError)
"""What reading a row with values of the wrong type raises."""
_REMEDY = "run heldtrue reindex"


class Problem(msgspec.Struct, frozen=True):
    """One mismatch."""

    what: str
    """`ledger`, `head`, `index`, `database`, or the table of the record."""
    where: str
    detail: str


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a verification."""

    ok: bool
    entries: int
    records: int
    head: str
    problems: list[Problem]
    notes: list[str]
    covered: list[str]
    """What was verified."""
    outside: list[str]
    """What was not verified: rows that are only counted at this level, and rows that do not affect any result."""


_COVERED = (
    "the ledger: every entry, their order, and the stored head",
    "records: memories, sources, evidence, links, tombstones, conflicts, quarantines, archived sources, saved views, "
    "agents, messages, and what was erased",
    "agents' tokens, and responses stored for retries",
    "the schema: tables, columns, indexes, triggers, views and functions",
)
_DERIVED = "derived data: lookup keys, passages and what is hidden of them, and the word index"
_VECTORS = "vectors"
_NEEDS_DEEP = "derived rows, such as lookup keys, words and vectors (use `deep` to verify them)"
_OUTSIDE = (
    "use counts, retrieval priorities and the recall log",
    "jobs, schedules and the history of summaries",
)


_PROVES, _FORGETS = f'"{ANSWER}":', f'"{ANSWERS_FORGOTTEN}":'


class _AnswerProof(msgspec.Struct, frozen=True):
    """What an entry says of the answer stored for a retry."""

    digest: str
    actor: str
    recorded_at: int


class Verifier:
    """Walks a ledger in steps, so that a long history does not hold up writers."""

    def __init__(self, store: AuditStore, heads: HeadKeeper, rebuilder: Rebuilder | None = None) -> None:
        """With a rebuilder, derived rows are recomputed and compared; without one they are only counted."""
        self._store = store
        self._heads = heads
        self._rebuilder = rebuilder
        self.problems: list[Problem] = []
        self.notes: list[str] = []
        self.records = 0
        self._answers: dict[int, _AnswerProof] = {}
        self._erased: dict[bytes, ErasedRecord] = {}
        """What was erased on purpose, by the digest of the record."""
        self.erased = 0
        self._last = EMPTY_HEAD

    def run(self, known_head: str | None = None, progress: Callable[[int, int], None] | None = None) -> Report:
        """Check the chain, every record, the stored ledger head, the word index and the database itself."""
        # The head is looked up before the view begins: a commit in between may only make the ledger longer.
        stored = self._heads.stored()
        with self._store.read() as reading:
            until = reading.ledger.head().seq
            self._check_heads(reading, stored, known_head)
            self._space_key = reading.ledger.space().key
            self._erased = erased_by_digest(reading.ledger.records_written("erased", after=0, until=until))
        self._attempt("file", self._check_structure)
        after = 0
        while after < until:
            step = min(after + VERIFY_BATCH_ENTRIES, until)
            self._attempt(f"entries {after + 1} to {step}", self._check_step, after, step)
            after = step
            if progress:
                progress(after, until)
        self._attempt("records", self._check_strays)
        if self.erased:
            self.notes.append(
                f"{count(self.erased, 'record was', 'records were')} erased: the ledger proves "
                "the erasure, not the erased content"
            )
        self._attempt("tokens", self._check_tokens)
        self._attempt("idempotency", self._check_answers, until)
        self._attempt("index", self._check_index if self._rebuilder is None else self._check_derived)
        covered, outside = self._scope()
        return Report(
            ok=not self.problems,
            entries=until,
            records=self.records,
            head=self._last.as_text(),
            problems=self.problems,
            notes=self.notes,
            covered=covered,
            outside=outside,
        )

    def _scope(self) -> tuple[list[str], list[str]]:
        """What this verification covers, and what it does not."""
        if self._rebuilder is None:
            return [*_COVERED], [_NEEDS_DEEP, *_OUTSIDE]
        if self._rebuilder.vector_model is None:
            return [*_COVERED, _DERIVED], [f"{_VECTORS} (recomputing them needs a remote or slow model)", *_OUTSIDE]
        return [*_COVERED, _DERIVED, _VECTORS], [*_OUTSIDE]

    def _report(self, what: str, where: str, detail: str) -> None:
        if len(self.problems) < VERIFY_PROBLEMS_MAX:
            self.problems.append(Problem(what, where, detail))

    def _attempt(self, where: str, check: Callable[..., None], *values: int) -> None:
        """Run a check; data that the database cannot read is a finding too."""
        try:
            check(*values)
        except StorageProblem as problem:
            self._report("database", where, problem.message)
        except _UNREADABLE:
            self._report("database", where, _MALFORMED)

    def _check_structure(self) -> None:
        for detail in self._store.check_structure():
            self._report("database", "file", detail)

    # The chain

    def _check_heads(self, reading: ReadTransaction, stored: Sequence[OutsideHead], known_head: str | None) -> None:
        if not stored:
            self.notes.append(
                "no ledger head is stored outside the database yet, so a truncated ledger would not be detected"
            )
        for outside in stored:
            if isinstance(outside, UnreadableHead):
                self._report("head", outside.where, f"the stored ledger head cannot be read: {outside.problem}")
                continue
            if outside.space_id != reading.ledger.space().id:
                self._report("head", outside.where, "the stored ledger head belongs to another store")
                continue
            self._check_head(reading, outside.head.seq, outside.head.hash, f"the ledger head in {outside.where}")
            if outside.since > 1:
                self.notes.append(
                    f"{outside.where} was missing and was recreated at entry {outside.since:,}: it proves nothing "
                    "about the end of the ledger before that"
                )
        if known_head is not None:
            seq, known_hash = parse_head(known_head)
            self._check_head(reading, seq, known_hash, "the given ledger head")

    def _check_head(self, reading: ReadTransaction, seq: int, known_hash: bytes, whose: str) -> None:
        entry = reading.ledger.entry(seq) if seq else None
        if seq and entry is None:
            self._report("head", f"entry {seq}", f"{whose} is not in the ledger: the ledger was truncated")
        elif entry is not None and entry.hash != known_hash:
            self._report("head", f"entry {seq}", f"{whose} does not match the ledger: history was rewritten")

    def _check_step(self, after: int, until: int) -> None:
        with self._store.read() as reading:
            digests = self._digests_by_entry(reading, after, until)
            found = reading.ledger.entries(after=after, until=until, limit=until - after + 1)
        entries = {entry.seq: entry for entry in found}
        for seq in range(after + 1, until + 1):
            entry = entries.get(seq)
            if entry is None:
                self._report("ledger", f"entry {seq}", "it is missing")
                continue
            try:
                self._check_entry(entry, digests.get(seq, []))
                if entry.outcome == OutcomeKind.ACCEPTED:
                    self.notes.append(f"entry {seq:,}: {entry.actor} accepted that {entry.reason}")
                self._note_answer(entry)
                self._last = Head(entry.seq, _as_bytes(entry.hash), int(entry.recorded_at))
            except _UNREADABLE:
                self._report("ledger", f"entry {seq}", _MALFORMED)

    def _check_entry(self, entry: LedgerEntry, digests: list[bytes]) -> None:
        where = f"entry {entry.seq}"
        if entry.prev_hash != self._last.hash:
            self._report("ledger", where, "it does not follow the entry before it")
        if entry.recorded_at <= self._last.recorded_at:
            self._report("ledger", where, "its time is not after the entry before it")
        if entry.salt is None or entry.digest in self._erased:
            self._check_erased(ERASABLE_NAMED["ledger"], entry, where)
        elif text_digest(entry.salt, entry.reason, entry.detail) != entry.digest:
            self._report("ledger", where, "its text does not match its digest")
        if chain_hash(entry) != entry.hash:
            self._report("ledger", where, "it does not match its hash")
        if len(digests) != entry.records or hash_records(digests) != entry.records_hash:
            self._report(
                "ledger", where, f"it should cover {entry.records} records, but the {len(digests)} found do not match"
            )

    # The records

    def _digests_by_entry(self, reading: ReadTransaction, after: int, until: int) -> dict[int, list[bytes]]:
        digests: dict[int, list[bytes]] = defaultdict(list)
        for spec in TABLES:
            for record in reading.ledger.records_written(spec.table, after=after, until=until):
                self.records += 1
                self._check_record(spec, record, "digest", opening_digest)
                self._check_open(spec, record)
                digests[record.seq].append(_as_bytes(record.digest))
            for record in reading.ledger.records_closed(spec.table, after=after, until=until) if spec.closing else ():
                self._check_record(spec, record, "closing_digest", closing_digest)
                digests[record.seq_to].append(_as_bytes(record.closing_digest))
        return digests

    def _check_record(self, spec: TableSpec, record: Any, column: str, compute: Callable[[Any], bytes]) -> None:
        if is_erased(record) or record.digest in self._erased:
            self._check_erased(ERASABLE_NAMED.get(spec.table), record, name_record(spec, record), column)
            return
        try:
            matches = compute(record) == getattr(record, column)
        except (TypeError, ValueError):
            self._report(spec.table, name_record(spec, record), _MALFORMED)
            return
        if not matches:
            self._report(spec.table, name_record(spec, record), "its content does not match its digest")

    def _check_erased(self, spec: ErasableTable | None, record: Any, where: str, column: str = "digest") -> None:
        """A record without words must be listed as erased, and be what the erasure has left of it."""
        proof = self._erased.get(record.digest)
        if spec is None or proof is None:
            self._report("ledger" if spec is None else spec.table, where, _UNSALTED)
        elif not is_erased(record):
            self._report(spec.table, where, "it was erased, but its content is still there")
        elif column == "closing_digest":
            if record.seq_to > proof.seq and closing_digest(record) != record.closing_digest:
                self._report(spec.table, where, "its content does not match its digest")
        else:
            self.erased += 1
            if digest_rest(self._space_key, spec, record, seq=proof.seq) != proof.rest_digest:
                self._report(spec.table, where, "it does not match what its erasure left of it")

    def _check_open(self, spec: TableSpec, record: Any) -> None:
        """A record that no entry closed must not be marked as closed."""
        if not spec.closing or record.seq_to is not None:
            return
        if any(getattr(record, column) is not None for column in (*spec.closing, "closing_digest")):
            self._report(spec.table, name_record(spec, record), "it has an end, but no ledger entry set that end")

    def _check_strays(self) -> None:
        """Report records whose ledger entry does not exist."""
        with self._store.read() as reading:
            until = reading.ledger.head().seq
            for spec in TABLES:
                for record in reading.ledger.records_outside(spec.table, until=until):
                    self._report(spec.table, name_record(spec, record), "no ledger entry accounts for it")

    def _check_tokens(self) -> None:
        """Report tokens that no record names, and records whose token is gone."""
        with self._store.read() as reading:
            agents = reading.agents.known()
            stored = dict(reading.agents.tokens())
            arrived = reading.index.state(TOKENS_AFTER)
        for agent in agents:
            if agent.has_token:
                continue
            if agent.name in stored:
                self._report("tokens", agent.name, "its token is not the one that the ledger recorded")
            elif agent.token_check is not None and agent.seq > arrived:
                self._report("tokens", agent.name, "the ledger recorded a token for it, which is missing")
        for name in sorted(stored.keys() - {agent.name for agent in agents}):
            self._report("tokens", name, "no ledger entry accounts for its token")

    def _note_answer(self, entry: LedgerEntry) -> None:
        """Remember what an entry proves about the answer stored for a retry of its write."""
        if _PROVES not in entry.detail and _FORGETS not in entry.detail:
            return
        detail = msgspec.json.decode(entry.detail, type=dict[str, Any])
        if detail.get(ANSWERS_FORGOTTEN):
            gone = detail.get("agent")
            self._answers = {seq: proof for seq, proof in self._answers.items() if proof.actor != gone}
        if isinstance(digest := detail.get(ANSWER), str):
            self._answers[entry.seq] = _AnswerProof(digest, entry.actor, entry.recorded_at)

    def _check_answers(self, until: int) -> None:
        """Report stored answers that the ledger does not prove, and those that are gone."""
        with self._store.read() as reading:
            space_key, dropped = reading.ledger.space().key, reading.index.state(ANSWERS_AFTER)
            for kept in reading.carried.rows_of("idempotency"):
                proof = self._answers.pop(kept.seq, None)
                try:
                    matches = proof is not None and digest_answer(space_key, kept) == proof.digest
                except (TypeError, ValueError):
                    matches = False
                if not matches and not (isinstance(kept.seq, int) and kept.seq > until):
                    self._report(
                        "idempotency", f"{kept.principal} {kept.key}", "no ledger entry proves this stored response"
                    )
        for seq, proof in self._answers.items():
            if proof.recorded_at >= dropped:
                self._report("idempotency", f"entry {seq}", "the response that was stored for a retry is missing")

    # What was derived

    def _check_derived(self) -> None:
        """Recompute every derived row from the records, and report each document whose rows differ."""
        assert self._rebuilder is not None
        model = self._rebuilder.vector_model
        with self._store.read() as reading:
            with self._rebuilder.rebuild(reading) as rebuilding:
                rebuilt = DerivedRows(rebuilding, model)
            present = DerivedRows(reading, model)
        for where, detail in compare_derived(present, rebuilt):
            self._report("index", where, f"{detail}; {_REMEDY}")

    def _check_index(self) -> None:
        with self._store.read() as reading:
            missing = list(_differences(reading))
            lost = reading.ledger.tally("unfindable_sources")
            uneven = [(scope, wanted, there) for _no, scope, wanted, there in reading.index.totals() if wanted != there]
        if missing:
            self._report(
                "index", f"version {missing[0]}", f"{len(missing)} versions are not indexed correctly; {_REMEDY}"
            )
        if lost:
            self._report("index", "sources", f"{lost} sources are not indexed correctly; {_REMEDY}")
        for scope, wanted, there in uneven:
            self._report("index", scope, f"the index has {there} words instead of {wanted}; {_REMEDY}")


def _differences(reading: ReadTransaction) -> Iterator[int]:
    """The ordinals that only one of the records and the word index has."""
    after, size = 0, 5_000
    while True:
        versions = [version.no for version in reading.memories.versions_page(after=after, limit=size)]
        indexed = reading.index.indexed_numbers(after=after, limit=size)
        if not versions and not indexed:
            return
        end = (
            min(page[-1] for page in (versions, indexed) if len(page) == size)
            if size in (len(versions), len(indexed))
            else max([*versions, *indexed])
        )
        yield from sorted({no for no in versions if no <= end} ^ {no for no in indexed if no <= end})
        after = end


def _as_bytes(digest: object) -> bytes:
    return digest if isinstance(digest, bytes) else b""


def name_record(spec: TableSpec, record: Any) -> str:
    return " ".join(str(getattr(record, column)) for column in spec.key)


def parse_head(text: str) -> tuple[int, bytes]:
    """A head as `verify` prints it: `120:<hash>`."""
    seq, colon, digest = text.strip().partition(":")
    try:
        if colon and seq.isdigit() and len(seq) < 19 and len(digest) == 64:
            return int(seq), bytes.fromhex(digest)
    except ValueError:
        pass
    raise InvalidInput(
        "is not a ledger head", given=text, field="head", hint="copy the head exactly as `verify` prints it: SEQ:HASH"
    )
