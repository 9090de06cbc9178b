"""First stage: texts are normalised, checked for size, and stripped of secrets and personal data before anything is
stored.
"""

from __future__ import annotations

from heldtrue.domain.errors import DataRefused, InvalidInput, TooLarge
from heldtrue.domain.limits import (
    CONTENT_BYTES_MAX,
    NAME_CHARS_MAX,
    REASON_CHARS_MAX,
    REFERENCE_CHARS_MAX,
    SOURCE_BYTES_MAX,
)
from heldtrue.domain.masking import DataFamily
from heldtrue.language.findings import Redaction
from heldtrue.language.masking import current_policy, mask_text, refused_kinds
from heldtrue.language.normalise import clean_text, find_hidden

_TELLS = {
    DataFamily.SECRETS: "a secret was masked before anything was stored",
    DataFamily.PERSONAL: "personal data was masked before anything was stored",
}


class Intake:
    """Cleans the texts of one write and records what was changed.

    Data that the scope does not accept raises `DataRefused`, unless the intake `collects`: then the text is masked, and
    `refused` names the kinds for the gate, which refuses the candidate.
    """

    def __init__(self, scope: str | None = None, *, collects: bool = False) -> None:
        self._scope = scope
        self._collects = collects
        self.masked: list[str] = []
        self.refused: set[str] = set()
        self.hidden: list[str] = []
        self.own = 0
        """Blocks that Heldtrue itself had rendered."""

    @property
    def notes(self) -> list[str]:
        """Notes about how the texts were changed."""
        notes = []
        policy = current_policy()
        for family, told in _TELLS.items():
            if kinds := sorted({kind for kind in self.masked if policy.family_of(kind) is family}):
                notes.append(f"{told} ({', '.join(kinds)})")
        if self.hidden:
            notes.append(f"invisible characters were removed ({', '.join(sorted(set(self.hidden)))})")
        if self.own:
            notes.append("a block of text that Heldtrue itself had generated was skipped")
        return notes

    def plain(self, text: str, *, field: str, bytes_max: int) -> str:
        """A text as it is stored and shown."""
        if len(text) > bytes_max or len(text.encode("utf-8", "replace")) > bytes_max:
            raise TooLarge(
                f"{field} is longer than {bytes_max:,} bytes",
                field=field,
                hint="shorten the text, or store it in parts",
            )
        cleaned = clean_text(text)
        if len(cleaned) != len(text):
            self.hidden.extend(find_hidden(text))
        redaction = mask_text(cleaned, self._scope)
        self._note(redaction, field)
        return redaction.text

    def content(self, text: str, *, field: str = "content") -> str:
        content = self.plain(text, field=field, bytes_max=CONTENT_BYTES_MAX)
        if not content:
            raise InvalidInput(f"{field} is empty", field=field, hint="write the text to remember")
        return content

    def name(self, text: str | None, *, field: str) -> str | None:
        """A short word such as a topic; blank means none."""
        return self._short(text, field=field, chars_max=NAME_CHARS_MAX)

    def reason(self, text: str | None, *, field: str = "reason") -> str | None:
        return self._short(text, field=field, chars_max=REASON_CHARS_MAX)

    def why(self, text: str) -> str:
        """A reason that must be given."""
        reason = self.reason(text)
        if reason is None:
            raise InvalidInput("reason is empty", field="reason", hint="give a reason")
        return reason

    def reference(self, text: str | None, *, field: str = "source") -> str | None:
        return self._short(text, field=field, chars_max=REFERENCE_CHARS_MAX)

    def evidence(self, raw: str, cleaned: str, *, field: str) -> str:
        """Raw evidence, kept as it came unless it hides a secret that only the plain form shows."""
        if raw.isascii() and raw == cleaned:
            return raw
        if len(raw.encode("utf-8", "replace")) > SOURCE_BYTES_MAX:
            raise TooLarge(
                f"{field} is longer than {SOURCE_BYTES_MAX:,} bytes", field=field, hint="capture the text in parts"
            )
        whole = raw.encode("utf-8", "replace").decode("utf-8").replace("\x00", "\ufffd")
        redaction = mask_text(whole, self._scope)
        hidden_secrets = len(mask_text(clean_text(raw), self._scope).findings)
        return cleaned if hidden_secrets != len(redaction.findings) else redaction.text

    def _note(self, redaction: Redaction, field: str) -> None:
        """Remember what was masked; refuse what the scope does not accept."""
        if not redaction.findings:
            return
        self.masked.extend(finding.kind for finding in redaction.findings)
        self.refused.update(kinds := refused_kinds(redaction.findings, self._scope))
        if kinds and not self._collects:
            where = self._scope or "this store"
            raise DataRefused(
                f"{field} contains {', '.join(kinds)}, which {where} does not accept",
                field=field,
                hint="remove the data, or change [masking] in heldtrue.toml",
            )

    def _short(self, text: str | None, *, field: str, chars_max: int) -> str | None:
        if text is None:
            return None
        plain = self.plain(text, field=field, bytes_max=4 * chars_max)
        if len(plain) > chars_max:
            raise TooLarge(f"{field} is longer than {chars_max:,} characters", field=field, hint="shorten it")
        return plain or None
