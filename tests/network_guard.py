"""Keeps a test process on this machine: a connection to anywhere else is refused with a sentence."""

import ipaddress
import socket
from typing import Any

import pytest


class OutsideConnectionError(AssertionError):
    """A test tried to reach another machine."""

    def __init__(self, address: object) -> None:
        super().__init__(
            f"this test tried to connect to {address!r}; tests talk to this machine only (loopback, Unix sockets)"
        )


def refuse_outside_connections(patch: pytest.MonkeyPatch) -> None:
    """Let sockets of this process connect to loopback and Unix addresses only, until the patch is undone."""
    for name in ("connect", "connect_ex"):
        patch.setattr(socket.socket, name, guarded(getattr(socket.socket, name)))


def guarded(connect: Any) -> Any:
    """The same method, for addresses of this machine."""

    def connect_on_this_machine(self: socket.socket, address: Any) -> Any:
        if not is_on_this_machine(self.family, address):
            self.close()  # whoever made it expects other errors than this one, and would leave it open
            raise OutsideConnectionError(address)
        return connect(self, address)

    return connect_on_this_machine


def is_on_this_machine(family: int, address: Any) -> bool:
    """Say whether an address is a Unix socket or loopback, without asking any name server."""
    if family == socket.AF_UNIX:
        return True
    if family not in (socket.AF_INET, socket.AF_INET6):
        return False
    host = str(address[0])
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.partition("%")[0]).is_loopback
    except ValueError:
        return False
