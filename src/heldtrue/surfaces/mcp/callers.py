"""The caller of a message, and access to its space."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import msgspec

if TYPE_CHECKING:
    from heldtrue.capabilities.call import Call
    from heldtrue.domain.principal import Principal


class Caller(Protocol):
    """Opens the space for a caller, on first use."""

    def __call__(self) -> Call:
        """The call that capabilities are invoked with."""

    def who(self) -> Principal:
        """The caller's principal. Reading it never creates a home."""


class KnownCaller(msgspec.Struct, frozen=True):
    """A caller that was authenticated before its message was read."""

    call: Call

    def __call__(self) -> Call:
        return self.call

    def who(self) -> Principal:
        return self.call.principal
