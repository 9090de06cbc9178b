"""Secrets and personal data in a text, replaced by their kind before anything is stored, logged or shown.

Every text passes here. Cheap looks come first: most texts have neither a long run of characters, nor a name that says
secret, nor enough digits, and call for no pattern at all. Which kinds are masked, kept or refused is the policy of the
space, which holds for the current call (`masking_by`); what is kept in no scope is the default.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache

import msgspec

from heldtrue.domain.masking import DEFAULT_POLICY, MaskingMode, MaskingPolicy
from heldtrue.language import secret_shapes
from heldtrue.language.findings import Finding, Redaction, merge_findings, replace_findings
from heldtrue.language.markup import has_markup, without_tags

_BEGINNING, _EDGE = 4_000, 1_000
_LAYOUT_PARTS = ("\n", "|", "\t", "values")
"""What lays out a text in lines, cells or rows."""
_policy: ContextVar[MaskingPolicy] = ContextVar("masking_policy", default=DEFAULT_POLICY)


@contextmanager
def masking_by(policy: MaskingPolicy) -> Iterator[None]:
    """Within this context, texts are masked as the settings of a space say."""
    before = _policy.set(policy)
    try:
        yield
    finally:
        _policy.reset(before)


def current_policy() -> MaskingPolicy:
    return _policy.get()


def mask_text(text: str, scope: str | None = None) -> Redaction:
    """The text with each finding replaced by `[redacted:<kind>]`, apart from the kinds that the scope keeps."""
    policy = _policy.get()
    found = [each for each in find_all(text) if policy.mode_of(each.kind, scope) is not MaskingMode.KEEP]
    if not found:
        return Redaction(text)
    merged = merge_findings(found)
    return Redaction(replace_findings(text, merged), merged)


def refused_kinds(findings: Iterable[Finding], scope: str | None) -> list[str]:
    """The kinds among the findings that the scope refuses."""
    policy = _policy.get()
    return sorted({each.kind for each in findings if policy.mode_of(each.kind, scope) is MaskingMode.REFUSE})


def redact_beginning(text: str) -> str:
    """What an error may show of a text, without its secrets: the beginning of it, however long it is.

    Looking through megabytes takes minutes. What ends where the reading ends may be half a secret, which is not known
    for one, so that part is given up.
    """
    masked = mask_text(text[:_BEGINNING]).text
    return masked if len(text) <= _BEGINNING else masked[: max(0, len(masked) - _EDGE)] + "…"


def find_all(text: str) -> list[Finding]:
    """Everything that any rule finds, with overlaps; the more specific rules first."""
    low = _lower(text)
    findings = _find_in(text, low) if secret_shapes.may_hold_any(text, low) else []
    if has_markup(text):
        readable = without_tags(text)
        findings += _find_in(readable, _lower(readable))
    if not text.isascii() and (plain := low.translate(_lookalikes())) != low:
        findings += _find_in(text.translate(_digits()), plain)
    policy = _policy.get()
    if policy is DEFAULT_POLICY:
        return findings
    if policy.shapes:
        from heldtrue.language.own_shapes import find_own_shapes

        findings += find_own_shapes(text, policy.shapes)
    if policy.looks_for_addresses:
        from heldtrue.language.personal_numbers import find_addresses

        findings += find_addresses(text)
    return findings


def _lower(text: str) -> str:
    """The text in small letters, of the same length."""
    low = text.lower()
    if len(low) != len(text):  # a few letters grow when lowered; places must stay comparable
        low = "".join([small if len(small := char.lower()) == 1 else char for char in text])
    return low


def _find_in(text: str, low: str) -> list[Finding]:
    looks = _Looks(text, low)
    findings = list(_find_on_lines(text, low, looks))
    if (looks.named or looks.number) and any(map(low.__contains__, _LAYOUT_PARTS)):
        findings += _find_in_layout(text, low)
    return findings


class _Looks:
    """What the cheap looks say about a text: which rules have to read it."""

    __slots__ = ("command", "named", "number", "phrase", "token")

    def __init__(self, text: str, low: str) -> None:
        self.token = secret_shapes.may_hold_token(text)
        self.number = secret_shapes.may_hold_number(text)
        self.named = secret_shapes.may_hold_named(low)
        self.command = self.named or secret_shapes.may_hold_command(low)
        self.phrase = secret_shapes.may_hold_phrase(low)


def _find_on_lines(text: str, low: str, looks: _Looks) -> Iterator[Finding]:
    # Each rule is loaded by the first text that calls for it.
    if looks.token:
        from heldtrue.language.secrets import find_tokens

        yield from find_tokens(text)
    if looks.number:
        from heldtrue.language.personal_labels import find_labelled_numbers
        from heldtrue.language.personal_numbers import find_personal_numbers

        yield from find_personal_numbers(text, low)
        yield from find_labelled_numbers(text, low)
    if looks.named:
        from heldtrue.language.said_passwords import find_said_passwords
        from heldtrue.language.secrets import find_named_secrets

        yield from find_named_secrets(text, low)
        yield from find_said_passwords(text, low)
    if looks.command or looks.number:
        from heldtrue.language.credentials import find_codes, find_credentials

        if looks.command:
            yield from find_credentials(text, low)
        yield from find_codes(text, low)
    if looks.phrase:
        from heldtrue.language.seed_phrases import find_seed_phrases

        yield from find_seed_phrases(low)


def _find_in_layout(text: str, low: str) -> Iterator[Finding]:
    """What only the layout joins to its name: cells of a table, a value below its name."""
    from heldtrue.language.value_pairs import read_pairs

    for pair in read_pairs(text):
        value = text[pair.start : pair.end]
        joined, low_joined = f"{pair.name}: {value}", f"{pair.low_name}: {low[pair.start : pair.end]}"
        before = len(pair.name) + 2
        for found in _find_on_lines(joined, low_joined, _Looks(joined, low_joined)):
            if found.start >= before:
                shift = pair.start - before
                yield msgspec.structs.replace(found, start=found.start + shift, end=found.end + shift)
        if pair.is_credential:
            from heldtrue.language.secrets import is_table_password

            if is_table_password(pair.low_name, value):
                yield Finding("password", pair.start, pair.end)


@cache
def _lookalikes() -> dict[int, str]:
    from heldtrue.language.lookalikes import build_lookalikes

    return {**build_lookalikes(), **_digits()}


@cache
def _digits() -> dict[int, str]:
    from heldtrue.language.lookalikes import build_digits

    return {**build_digits(), **{0xFF10 + value: str(value) for value in range(10)}}
