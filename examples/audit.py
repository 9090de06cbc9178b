"""An audit of a store: what we believed then, why we stopped, and whether the history is intact."""

import sqlite3
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from heldtrue import ManualClock, Memory

QUESTION = "how long are invoices kept?"


def main() -> None:
    clock = ManualClock(datetime(2026, 3, 2, 9, tzinfo=UTC))  # a clock that we set, to play three months at once
    with tempfile.TemporaryDirectory() as home:
        with Memory.open(home, clock=clock) as memory:
            wrong = memory.as_agent("codex").learn("Invoices are kept for six years", source="wiki/finance.md:8")
            memory.approve(wrong.memory.id, reason="as in the wiki")
            clock.set(datetime(2026, 5, 4, 14, tzinfo=UTC))
            memory.correct(wrong.memory.id, "Invoices are kept for ten years", reason="the auditor showed us the law")
            clock.set(datetime(2026, 6, 1, 10, tzinfo=UTC))

            print("What do we believe today?")
            print(f"  {memory.recall(QUESTION).results[0].memory.content}")

            print("What did we believe on 1 April?")
            then = memory.recall(QUESTION, as_of="2026-04-01").results[0]
            print(f"  {then.memory.content}")

            print("Who said so, on what evidence, and who approved it?")
            for version in memory.history(wrong.memory.id).versions:
                print(f"  {version.recorded_from[:10]}  {version.change} by {version.changed_by}: {version.status}")
            evidence = memory.explain(wrong.memory.id).evidence[0]
            print(f"  evidence: {evidence.reference}, given by {evidence.author}")

            print("Why did we stop?")
            assert then.since is not None
            print(f"  {then.since.reason}; since then: {then.since.content}")

            report = memory.verify()
            print(f"Is the history intact? {report.ok}: {report.entries} entries, {report.records} records checked")
            assert report.ok

        print("Somebody edits the database behind our back:")
        tamper(Path(home) / "heldtrue.db")
        with Memory.open(home, clock=clock) as memory:
            report = memory.verify()
            print(f"Is the history intact? {report.ok}: {len(report.problems)} problem found")
            assert not report.ok


def tamper(database: Path) -> None:
    """Rewrite a memory in the file, past the triggers that protect it."""
    with sqlite3.connect(database) as connection:
        triggers = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
        for name, _ in triggers:
            connection.execute(f'DROP TRIGGER "{name}"')
        connection.execute("UPDATE memory_versions SET content = replace(content, 'ten years', 'two years')")
        for _, sql in triggers:
            connection.execute(sql)
    connection.close()


if __name__ == "__main__":
    main()
