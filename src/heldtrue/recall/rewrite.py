"""Stage: the question as it is searched for, completed from the messages before it where it needs them."""

from __future__ import annotations

from heldtrue.domain import limits
from heldtrue.domain.errors import InvalidInput, TooLarge
from heldtrue.recall.query import RecallQuery


def complete_question(query: RecallQuery) -> tuple[str, str | None]:
    """The words to search for, and the completed question if it had to be completed."""
    context = query.context
    if len(context) > limits.QUERY_CHARS_MAX:
        raise TooLarge(
            f"context is longer than {limits.QUERY_CHARS_MAX:,} characters", field="context", hint="use fewer words"
        )
    if not context.strip():
        raise InvalidInput("context is empty", field="context", hint="write a question")
    words = _plain_words(context)
    if not query.messages:
        return words, None
    from heldtrue.language.rewrite import rewrite_question

    messages = [
        _plain_words(message[-limits.QUERY_CHARS_MAX :]) for message in query.messages[-limits.EARLIER_MESSAGES_MAX :]
    ]
    rewritten = rewrite_question(words, messages)
    return rewritten.question, rewritten.question if rewritten.added else None


def _plain_words(text: str) -> str:
    """A text as it is matched; printable ASCII is clean already, and then the tables need not be loaded."""
    if text.isascii() and text.isprintable():
        return text
    from heldtrue.language.normalise import clean_text

    return clean_text(text)
