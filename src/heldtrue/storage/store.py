"""The store: one transaction's parts over named statements and one connector, rows in and out as domain records."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from heldtrue.domain.limits import BUSY_TIMEOUT_MS
from heldtrue.storage.agents import AgentPart
from heldtrue.storage.carried import CarriedPart
from heldtrue.storage.connector import Connection, Connector
from heldtrue.storage.derived import DerivedPart
from heldtrue.storage.index import IndexPart
from heldtrue.storage.ledger import KnownSpace, LedgerPart
from heldtrue.storage.log import LogPart
from heldtrue.storage.memories import MemoryPart
from heldtrue.storage.migrate import changed_migrations, migrate, schema_scripts
from heldtrue.storage.passages import PassagePart
from heldtrue.storage.queue import QueuePart
from heldtrue.storage.records import RecordPart
from heldtrue.storage.runner import Runner
from heldtrue.storage.sources import SourcePart
from heldtrue.storage.statements import load_statements
from heldtrue.storage.summaries import SummaryPart
from heldtrue.storage.vectors import VectorPart


class Transaction:
    """One transaction, by parts: all of them read, and inside `SqlStore.write` they write."""

    __slots__ = (
        "_sql", "agents", "carried", "derived", "index", "ledger", "log", "memories", "passages", "queue", "records",
        "sources", "summaries", "vectors",
    )  # fmt: skip

    def __init__(self, sql: Runner, known: KnownSpace) -> None:
        self._sql = sql
        self.ledger = LedgerPart(sql, known)
        self.memories = MemoryPart(sql)
        self.records = RecordPart(sql)
        self.sources = SourcePart(sql)
        self.index = IndexPart(sql)
        self.passages = PassagePart(sql, self.index)
        self.vectors = VectorPart(sql)
        self.log = LogPart(sql)
        self.queue = QueuePart(sql)
        self.summaries = SummaryPart(sql)
        self.agents = AgentPart(sql)
        self.carried = CarriedPart(sql)
        self.derived = DerivedPart(sql)

    @property
    def damaged(self) -> frozenset[str]:
        return frozenset(self._sql.damaged)


class SqlStore:
    """A space in a SQL database."""

    def __init__(self, connector: Connector, *, patience_ms: int = BUSY_TIMEOUT_MS) -> None:
        """`patience_ms` is how long a write waits for others, unless it says so itself."""
        self.connector = connector
        self._patience_ms = patience_ms
        named = load_statements(connector.package, connector.within)
        self.statements = {name: connector.spell(sql) for name, sql in named.items()}
        self._known = KnownSpace()
        if not connector.read_only:
            migrate(connector, self.statements)

    @contextmanager
    def read(self) -> Iterator[Transaction]:
        """One consistent view."""
        with self.connector.reading() as connection:
            yield self._begin(connection)

    @contextmanager
    def write(self, *, patience_ms: int | None = None) -> Iterator[Transaction]:
        """Hold the write lock until commit; an exception rolls everything back."""
        patience_ms = self._patience_ms if patience_ms is None else patience_ms
        try:
            with self.connector.writing(patience_ms=patience_ms) as connection:
                yield self._begin(connection)
        except BaseException:
            # The space may have been founded in what is now undone.
            self._known.record = None
            raise

    def _begin(self, connection: Connection) -> Transaction:
        return Transaction(Runner(self.connector, self.statements, connection), self._known)

    def size_bytes(self) -> int:
        return self.connector.size_bytes()

    def check_structure(self) -> list[str]:
        changed = changed_migrations(self.connector, self.statements)
        found = [f"migration {name} differs from the one this store was created with" for name in changed]
        return found + self.check_schema() + self.connector.check_structure()

    def check_schema(self) -> list[str]:
        """The parts of the schema that are missing, changed or unexpected."""
        expected = set(self.connector.describe_new(schema_scripts(self.connector, self.statements)))
        present = set(self.connector.describe_schema())
        missing = {part.name for part in expected - present}
        strange = {part.name for part in present - expected}
        return [
            *(f"the database is missing {name}" for name in sorted(missing - strange)),
            *(f"{name} differs from what Heldtrue creates" for name in sorted(missing & strange)),
            *(f"the database has an unexpected {name}" for name in sorted(strange - missing)),
        ]

    def tidy(self) -> None:
        """Post waiting words and run the database's own maintenance, in short steps that change no content."""
        with self.write() as transaction:
            transaction.index.post_words()
        self.connector.tidy()

    def scrub(self) -> None:
        """Leave nothing of what was deleted or overwritten in the files of the database."""
        self.connector.scrub()

    def check_place(self) -> None:
        """Raise `HomeChanged` if the database that is open is no longer the one at its path."""
        self.connector.check_place()

    @property
    def read_only(self) -> bool:
        return self.connector.read_only

    @property
    def is_file(self) -> bool:
        return self.connector.is_file

    def copy_to(self, path: str) -> None:
        self.connector.copy_to(path)

    def close(self) -> None:
        self.connector.close()
