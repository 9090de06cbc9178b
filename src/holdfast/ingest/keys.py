"""Look-up keys: short keyed hashes by which equal, similar, contrary and rejected values find each other."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from zlib import crc32

from holdfast.domain.claim import Statement
from holdfast.domain.limits import CLAIMS_KEYED_MAX
from holdfast.domain.scope import GLOBAL
from holdfast.language.normalise import fold_text

_BANDS, _ROWS = 4, 3
_MASK = 0xFFFF_FFFF
# Odd multipliers and offsets of the permutations behind the sketch; any fixed spread-out numbers do.
_PERMUTATIONS = tuple((2 * crc32(b"times%d" % n) + 1, crc32(b"plus%d" % n)) for n in range(_BANDS * _ROWS))


def lookup_key(space_key: bytes, *parts: str) -> int:
    """A 64-bit hash of some parts that cannot be guessed without the key of the space."""
    digest = hashlib.blake2b("\x1e".join(parts).encode("utf-8", "replace"), digest_size=8, key=space_key).digest()
    return int.from_bytes(digest, "big", signed=True)


@lru_cache(maxsize=16384)
def _term_hash(term: str) -> int:
    return crc32(term.encode("utf-8", "replace"))


def _sketch_bands(terms: frozenset[str]) -> list[str]:
    """MinHash bands: texts with 85% of their terms in common share at least one, 98 times in 100."""
    hashes = [_term_hash(term) for term in terms]
    if not hashes:
        return []
    least = [min([(times * value + plus) & _MASK for value in hashes]) for times, plus in _PERMUTATIONS]
    return [f"{band}:{least[band * _ROWS : (band + 1) * _ROWS]}" for band in range(_BANDS)]


def neighbour_keys(space_key: bytes, statement: Statement) -> list[int]:
    """The keys under which a memory is found when something equal, similar or contrary is proposed."""
    keys = [lookup_key(space_key, "text", fold_text(statement.text))]
    for claim in statement.claims[:CLAIMS_KEYED_MAX]:
        keys.append(lookup_key(space_key, "claim", claim.slot, claim.value))
        if claim.exclusive and claim.subject + claim.attribute:
            keys.append(lookup_key(space_key, "slot", claim.slot))
    keys.extend(lookup_key(space_key, "band", band) for band in _sketch_bands(statement.terms))
    return keys


def value_key(space_key: bytes, scope: str, grain: str, value: str) -> int:
    """The key by which one folded value is rejected in a scope."""
    return lookup_key(space_key, "value", scope, grain, value)


def value_keys(space_key: bytes, scope: str, statement: Statement) -> dict[int, tuple[str, str]]:
    """The keys by which a value is rejected in a scope, each with its grain and its folded value."""
    folded = fold_text(statement.text)
    grains = [("text", folded), *(("claim", claim.key) for claim in statement.claims[:CLAIMS_KEYED_MAX])]
    return {value_key(space_key, scope, grain, value): (grain, value) for grain, value in grains}


def covering_scopes(scope: str, project_id: str | None) -> tuple[str, ...]:
    """The scopes whose rejections reach a scope: itself, its project, and what was rejected for everyone."""
    wider = (f"project:{project_id}",) if project_id else ()
    return tuple(dict.fromkeys((scope, *wider, GLOBAL)))


def pair_key(space_key: bytes, one: Statement, other: Statement) -> int:
    """The key of two values that disagree, whichever came first."""
    first, second = sorted((fold_text(one.text), fold_text(other.text)))
    return lookup_key(space_key, "pair", first, second)
