"""The key of a space: whoever has it can write exports that other homes of the space continue from."""

from __future__ import annotations

import hashlib
import hmac
import os

import msgspec

_KEY_BYTES = 32


class SpaceKey(msgspec.Struct, frozen=True):
    """A secret of the people who own a space. It is kept outside the home, and no export or backup contains it."""

    secret: bytes

    @property
    def name(self) -> str:
        """A fingerprint that identifies the key without revealing it."""
        return hashlib.sha256(b"heldtrue/key\n" + self.secret).hexdigest()[:16]

    def begin_code(self, space_id: str) -> hmac.HMAC:
        """The authentication code of an export, to be updated with its lines."""
        return hmac.new(self.secret, b"heldtrue/export\n" + space_id.encode() + b"\n", hashlib.sha256)


def new_key() -> SpaceKey:
    return SpaceKey(os.urandom(_KEY_BYTES))


def read_key(text: str) -> SpaceKey | None:
    """A key from its hexadecimal form; None for anything else."""
    try:
        secret = bytes.fromhex(text.strip())
    except ValueError:
        return None
    return SpaceKey(secret) if len(secret) == _KEY_BYTES else None
