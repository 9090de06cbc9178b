"""Look-up keys: short keyed hashes by which equal, similar, contrary and rejected values find each other."""

from __future__ import annotations

import hashlib
from collections.abc import Collection

from heldtrue.domain.claim import Claim, Statement
from heldtrue.domain.limits import CLAIMS_KEYED_MAX
from heldtrue.domain.privacy import Privacy
from heldtrue.domain.scope import GLOBAL
from heldtrue.language.contradiction import contrary_keys
from heldtrue.language.normalise import fold_text
from heldtrue.language.senses import LIGHT_STEMS
from heldtrue.language.statements import analyse_statement


def lookup_key(space_key: bytes, *parts: str) -> int:
    """A 64-bit hash of some parts that cannot be guessed without the key of the space."""
    digest = hashlib.blake2b("\x1e".join(parts).encode("utf-8", "replace"), digest_size=8, key=space_key).digest()
    return int.from_bytes(digest, "big", signed=True)


def index_keys(space_key: bytes, statement: Statement, *, scope: str, privacy: Privacy) -> list[int]:
    """The keys by which a statement and what is equal, near or contrary to it find each other.

    Only statements of one scope, and private ones of one author, are compared, so the keys of others never meet.
    """
    readers = f"{scope} {privacy.author or ''}"
    core = sorted(statement.terms - LIGHT_STEMS)
    keys = [lookup_key(space_key, readers, "core", *core)] if core else []
    claims = statement.claims[:CLAIMS_KEYED_MAX]
    keys += [lookup_key(space_key, readers, "contrary", key) for key in contrary_keys(claims)]
    return keys


def value_key(space_key: bytes, scope: str, grain: str, value: str) -> int:
    """The key by which one folded value is rejected in a scope."""
    return lookup_key(space_key, "value", scope, grain, value)


def value_keys(
    space_key: bytes, scope: str, statement: Statement, *, spare: Collection[str] = ()
) -> dict[int, tuple[str, str]]:
    """The keys by which a value is rejected in a scope, each with its grain and its folded value.

    Claims whose key is in `spare` still stand and are left out.
    """
    values = said_values(statement, spare=spare)
    return {value_key(space_key, scope, grain, value): (grain, value) for grain, value in values}


def said_values(statement: Statement, *, spare: Collection[str] = ()) -> list[tuple[str, str]]:
    """The values that a statement says, each with its grain: its whole wording, and claim by claim."""
    values = [("text", fold_text(statement.text))]
    for claim in statement.claims:
        if claim.key not in spare:
            values.extend(("claim", value) for value in claim_values(claim) if value not in spare)
    return values


def claim_values(claim: Claim) -> list[str]:
    """What a claim says, as it was read and as its folded wording reads.

    Capitals, quotes and look-alike letters can hide from the reader what is subject and what is value; folded, they
    cannot. A plain sentence that was understood needs no second reading.
    """
    if claim.subject and claim.text.isascii():
        return [claim.key]
    return [claim.key, *(folded.key for folded in analyse_statement(fold_text(claim.text)).claims)]


def covering_scopes(scope: str, project_id: str | None) -> tuple[str, ...]:
    """The scopes whose rejections reach a scope: itself, its project, and what was rejected for everyone."""
    wider = (f"project:{project_id}",) if project_id else ()
    return tuple(dict.fromkeys((scope, *wider, GLOBAL)))


def pair_key(space_key: bytes, new: Statement, old: Statement) -> int:
    """The key of two values that disagree, whichever came first."""
    first, second = sorted((fold_text(new.text), fold_text(old.text)))
    return lookup_key(space_key, "pair", first, second)


def content_key(space_key: bytes, content: str) -> int:
    """The key by which the content of an erased source is recognised, whoever captures it again and wherever."""
    return lookup_key(space_key, "content", fold_text(content))
