"""Whether any sentence makes the analysis fail, on its way through learn, capture and extraction.

`python -m bench text_fuzz` sends every sentence of our documents and 200,000 made ones; no analysis may fail, and no
text may be refused or lost.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, islice

from bench.made_texts import document_sentences, made_sentences
from bench.text_costs import open_plain
from heldtrue import Memory
from heldtrue.capabilities.call import Instance
from heldtrue.domain.errors import InvalidInput
from heldtrue.language.guard import list_failures
from heldtrue.language.masking import mask_text
from heldtrue.language.normalise import clean_text
from heldtrue.language.own_output import leave_out_own

SENTENCES, SEED = 200_000, 29
_AT_ONCE = 100


@dataclass
class FuzzResult:
    """What came of all sentences."""

    sent: int = 0
    failed: int = 0
    """Analyses that failed and were caught."""
    lost: int = 0
    """Sentences that were refused with an error, or whose evidence is not there word for word."""

    @property
    def is_clean(self) -> bool:
        return not self.failed and not self.lost


def fuzz(instance: Instance, sentences: Iterable[str]) -> FuzzResult:
    """Learn and capture sentences, as messages and as documents, and extract from both."""
    result = FuzzResult()
    before = _count_failures()
    for number, batch in enumerate(_in_batches(sentences)):
        result.sent += len(batch)
        result.lost += _send_batch(instance, batch, number)
    result.failed = _count_failures() - before
    return result


def _count_failures() -> int:
    return sum(failure.times for failure in list_failures())


def _in_batches(sentences: Iterable[str]) -> Iterator[list[str]]:
    remaining = iter(sentences)
    while batch := list(islice(remaining, _AT_ONCE)):
        yield batch


def _send_batch(instance: Instance, batch: list[str], number: int) -> int:
    """How many sentences of a batch were lost."""
    memory = Memory.over(instance)
    kept = [sentence for sentence in batch if _learn(memory, sentence)]
    messages = [{"role": "user", "content": sentence} for sentence in kept]
    talk = memory.capture(messages=messages, thread=f"talk {number}")
    unmasked = [sentence for sentence in kept if not _is_masked(sentence)]
    page = memory.capture("\n\n".join(unmasked), source=f"page-{number}.md")
    with instance.store.read() as reading:
        found = [reading.sources.get(source_id) for source_id in (*talk.sources, *page.sources)]
    stored = {source.content for source in found if source is not None}
    # Side by side, two sentences may look like a name with its secret.
    lost = sum(text not in stored and not _is_masked(text) for text in (*unmasked, "\n\n".join(unmasked)))
    return lost + sum(job.state != "done" for job in memory.work().jobs)


def _is_masked(sentence: str) -> bool:
    """Whether a sentence is not stored word for word: it has a secret in it, or is output of ours."""
    return bool(mask_text(sentence).findings or mask_text(clean_text(sentence)).findings) or (
        leave_out_own(sentence)[1] > 0
    )


def _learn(memory: Memory, sentence: str) -> bool:
    """Learn a sentence; only one without any visible character may be refused."""
    try:
        memory.learn(sentence)
    except InvalidInput as problem:
        if problem.message != "content is empty":
            raise
        return False
    return True


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench text_fuzz", description=__doc__)
    parser.add_argument("--sentences", type=int, default=SENTENCES, help="how many made-up sentences")
    parser.add_argument("--seed", type=int, default=SEED)
    chosen = parser.parse_args(arguments)
    sentences = chain(document_sentences(), made_sentences(chosen.sentences, seed=chosen.seed))
    with open_plain() as instance:
        result = fuzz(instance, sentences)
    print(f"{result.sent:,} sentences: {result.failed:,} analyses failed, {result.lost:,} texts were lost")
    for failure in list_failures():
        print(f"\n{failure.times:,} times {failure.place}\n{failure.trace}")
    return 0 if result.is_clean else 1
