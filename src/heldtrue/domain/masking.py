"""Which data is taken out of a text before it is stored: the kinds, their families, and what each scope does."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

import msgspec


class MaskingMode(StrEnum):
    """What happens to a text in which data of a kind is found."""

    KEEP = "keep"
    """It is stored as it is."""
    MASK = "mask"
    """It is stored with the kind instead of the data."""
    REFUSE = "refuse"
    """The write is refused."""


class DataFamily(StrEnum):
    """The two groups of kinds that a setting can name as a whole."""

    SECRETS = "secrets"
    """What gives access: passwords, keys, tokens, PINs, seed phrases."""
    PERSONAL = "personal"
    """What belongs to a person: cards, accounts, numbers of authorities."""


PERSONAL_KINDS = (
    *("card-number", "card-code", "card-expiry", "iban", "bank-account", "sort-code", "routing-number"),
    *("social-security-number", "tax-number", "national-id", "passport-number", "driving-licence"),
    *("health-number", "imei", "email", "phone"),
)
"""The kinds of the family `personal`. Every other kind is a secret."""
KEPT_BY_DEFAULT = frozenset({"email", "phone"})
"""What a memory is often about: it is looked for only where a setting says so."""


class MaskingRules(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What one scope, or the whole space, does with what is found; None follows the space."""

    secrets: MaskingMode | None = None
    personal: MaskingMode | None = None
    kinds: dict[str, MaskingMode] = {}

    @classmethod
    def of(cls, rules: Mapping[str, str]) -> MaskingRules:
        """Rules as the settings have them: families and kinds side by side."""
        families = {family.value: MaskingMode(rules[family]) for family in DataFamily if family in rules}
        kinds = {kind: MaskingMode(mode) for kind, mode in rules.items() if kind not in families}
        return cls(**families, kinds=kinds)


class MaskingPolicy(msgspec.Struct, frozen=True):
    """What a space does with data of every kind, by scope. Without settings: everything known is masked."""

    rules: MaskingRules = MaskingRules()
    scopes: dict[str, MaskingRules] = {}
    shapes: dict[str, str] = {}
    """The space's own kinds: names and patterns. They belong to the family `personal`."""

    def family_of(self, kind: str) -> DataFamily:
        return DataFamily.PERSONAL if kind in PERSONAL_KINDS or kind in self.shapes else DataFamily.SECRETS

    def mode_of(self, kind: str, scope: str | None) -> MaskingMode:
        """What happens to data of a kind in a scope; None stands for a text that belongs to no scope."""
        for rules in (self.scopes.get(scope or ""), self.rules):
            if rules is None:
                continue
            if (mode := rules.kinds.get(kind)) is not None:
                return mode
            family = rules.personal if self.family_of(kind) is DataFamily.PERSONAL else rules.secrets
            if family is not None and kind not in KEPT_BY_DEFAULT:
                return family
        return MaskingMode.KEEP if kind in KEPT_BY_DEFAULT else MaskingMode.MASK

    @property
    def looks_for_addresses(self) -> bool:
        """Whether any scope does something with mail addresses or telephone numbers."""
        everywhere = (self.rules, *self.scopes.values())
        return any(kind in rules.kinds for rules in everywhere for kind in KEPT_BY_DEFAULT)


DEFAULT_POLICY = MaskingPolicy()
