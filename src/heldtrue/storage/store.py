"""The store: one transaction's parts over named statements and one connector, rows in and out as domain records."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from heldtrue.storage.agents import AgentPart
from heldtrue.storage.connector import Connection, Connector
from heldtrue.storage.index import IndexPart
from heldtrue.storage.ledger import KnownSpace, LedgerPart
from heldtrue.storage.log import LogPart
from heldtrue.storage.memories import MemoryPart
from heldtrue.storage.migrate import changed_migrations, migrate
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
        "agents", "index", "ledger", "log", "memories", "passages", "queue", "records", "sources", "summaries",
        "vectors",
    )  # fmt: skip

    def __init__(self, sql: Runner, known: KnownSpace) -> None:
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


def _name_part(part: str) -> str:
    """The kind and the name of a part of a schema."""
    return " ".join(part.split(" ", 2)[:2])


class SqlStore:
    """A space in a SQL database."""

    def __init__(self, connector: Connector) -> None:
        self.connector = connector
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
    def write(self) -> Iterator[Transaction]:
        """Hold the write lock until commit; an exception rolls everything back."""
        try:
            with self.connector.writing() as connection:
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
        found = [f"migration {name} differs from the one this space was created with" for name in changed]
        return found + self._strange_parts() + self.connector.check_structure()

    def _strange_parts(self) -> list[str]:
        """Tables, indexes and triggers that are missing or unexpected."""
        pristine = self.connector.pristine()
        if pristine is None:
            return []
        try:
            migrate(pristine, self.statements)
            ours, theirs = set(pristine.describe_schema()), set(self.connector.describe_schema())
        finally:
            pristine.close()
        missing = [f"the database is missing {_name_part(part)}" for part in sorted(ours - theirs)]
        return missing + [f"the database has an unexpected {_name_part(part)}" for part in sorted(theirs - ours)]

    def tidy(self) -> None:
        """Post waiting words and run the database's own maintenance, in short steps that change no content."""
        with self.write() as transaction:
            transaction.index.post_words()
        self.connector.tidy()

    @property
    def is_file(self) -> bool:
        return self.connector.is_file

    def copy_to(self, path: str) -> None:
        self.connector.copy_to(path)

    def close(self) -> None:
        self.connector.close()
