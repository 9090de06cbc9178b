"""Look-up keys: short keyed hashes by which equal, similar, contrary and rejected values find each other."""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from functools import lru_cache

from holdfast.domain.claim import Claim, Statement
from holdfast.domain.limits import CLAIMS_KEYED_MAX
from holdfast.domain.scope import GLOBAL
from holdfast.language.normalise import fold_text
from holdfast.language.statements import analyse_statement

_WORD_BITS = 0xFFFF_FFFF_FFFF_FFFF
_DROPPED_FROM, _DROPPED_TO = 6, 24
"""Texts of this many terms may differ in one term and still be near; shorter ones may not, longer ones rarely do."""


def lookup_key(space_key: bytes, *parts: str) -> int:
    """A 64-bit hash of some parts that cannot be guessed without the key of the space."""
    digest = hashlib.blake2b("\x1e".join(parts).encode("utf-8", "replace"), digest_size=8, key=space_key).digest()
    return int.from_bytes(digest, "big", signed=True)


@lru_cache(maxsize=16384)
def _term_hash(term: str) -> int:
    return int.from_bytes(hashlib.blake2b(term.encode("utf-8", "replace"), digest_size=8).digest(), "big")


class _TermSums:
    """A set of terms as one sum of hashes, and that sum without each term that may be missing from a near text."""

    def __init__(self, terms: frozenset[str]) -> None:
        hashes = {term: _term_hash(term) for term in terms}
        self.whole = sum(hashes.values()) & _WORD_BITS
        # A term with a digit is never dropped: a text without it says something else.
        droppable = _DROPPED_FROM <= len(hashes) <= _DROPPED_TO
        words = [value for term, value in hashes.items() if term.isalpha()] if droppable else []
        self.shortened = [(self.whole - value) & _WORD_BITS for value in words]


def _sum_key(mark: int, total: int) -> int:
    """A sum as a signed 64-bit key, apart from those of another mark."""
    mixed = (total * 0x9E37_79B9_7F4A_7C15 + mark) & _WORD_BITS
    return mixed - (1 << 64) if mixed >> 63 else mixed


_WHOLE, _SHORTENED = 1, 2


class NeighbourKeys:
    """The keys of a statement: under which it is found, and where to look for what it is like or against."""

    def __init__(self, space_key: bytes, statement: Statement) -> None:
        self._sums = _TermSums(statement.terms)
        self._shared = [lookup_key(space_key, "text", fold_text(statement.text)), _sum_key(_WHOLE, self._sums.whole)]
        for claim in statement.claims[:CLAIMS_KEYED_MAX]:
            self._shared.append(lookup_key(space_key, "claim", claim.slot, claim.value))
            if claim.exclusive and claim.subject + claim.attribute:
                self._shared.append(lookup_key(space_key, "slot", claim.slot))

    def index(self) -> list[int]:
        """Under which a memory is found when something equal, similar or contrary is proposed."""
        return self._shared + [_sum_key(_SHORTENED, total) for total in self._sums.shortened]

    def search(self) -> list[int]:
        """Where to look for what is equal or contrary, or has one term more or one term less."""
        shorter = [_sum_key(_WHOLE, total) for total in self._sums.shortened]
        return [*self._shared, _sum_key(_SHORTENED, self._sums.whole), *shorter]


def index_keys(space_key: bytes, statement: Statement) -> list[int]:
    """The keys under which a statement is indexed."""
    return NeighbourKeys(space_key, statement).index()


def value_key(space_key: bytes, scope: str, grain: str, value: str) -> int:
    """The key by which one folded value is rejected in a scope."""
    return lookup_key(space_key, "value", scope, grain, value)


def value_keys(
    space_key: bytes, scope: str, statement: Statement, *, spare: Collection[str] = ()
) -> dict[int, tuple[str, str]]:
    """The keys by which a value is rejected in a scope, each with its grain and its folded value.

    Claims whose key is in `spare` still stand and are left out.
    """
    grains = [("text", fold_text(statement.text))]
    for claim in statement.claims[:CLAIMS_KEYED_MAX]:
        if claim.key not in spare:
            grains.extend(("claim", value) for value in _claim_values(claim) if value not in spare)
    return {value_key(space_key, scope, grain, value): (grain, value) for grain, value in grains}


def _claim_values(claim: Claim) -> list[str]:
    """What a claim says, as it was read and as its folded wording reads.

    Capitals, quotes and look-alike letters can hide from the reader what is subject and what is value; folded, they
    cannot. A plain sentence that was understood needs no second reading.
    """
    if claim.subject and claim.text.isascii():
        return [claim.key]
    return [claim.key, *(one.key for one in analyse_statement(fold_text(claim.text)).claims)]


def covering_scopes(scope: str, project_id: str | None) -> tuple[str, ...]:
    """The scopes whose rejections reach a scope: itself, its project, and what was rejected for everyone."""
    wider = (f"project:{project_id}",) if project_id else ()
    return tuple(dict.fromkeys((scope, *wider, GLOBAL)))


def pair_key(space_key: bytes, one: Statement, other: Statement) -> int:
    """The key of two values that disagree, whichever came first."""
    first, second = sorted((fold_text(one.text), fold_text(other.text)))
    return lookup_key(space_key, "pair", first, second)
