"""Who sends a message, and how what answers it gets at the space."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import msgspec

if TYPE_CHECKING:
    from heldtrue.capabilities.call import Call
    from heldtrue.domain.principal import Principal


class Caller(Protocol):
    """Opens the space for whoever asks, on first use."""

    def __call__(self) -> Call:
        """What a capability is used with."""

    def who(self) -> Principal:
        """Who asks. To find out makes no home."""


class KnownCaller(msgspec.Struct, frozen=True):
    """A caller that was let in before its message was read."""

    call: Call

    def __call__(self) -> Call:
        return self.call

    def who(self) -> Principal:
        return self.call.principal
