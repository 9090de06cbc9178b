"""No test can leave this machine, and every test can still use it."""

import socket
import threading
import urllib.request
from pathlib import Path

import pytest

from tests.network_guard import OutsideConnectionError


@pytest.mark.parametrize("address", ["192.0.2.1", "8.8.8.8", "169.254.169.254", "10.0.0.1"])
def test_another_machine_is_refused(address: str) -> None:
    with socket.socket() as outside, pytest.raises(OutsideConnectionError, match=address):
        outside.connect((address, 80))


def test_another_machine_is_refused_over_ipv6_and_by_name() -> None:
    with socket.socket(socket.AF_INET6) as outside, pytest.raises(OutsideConnectionError, match="2001:db8::1"):
        outside.connect(("2001:db8::1", 80))
    with socket.socket() as outside, pytest.raises(OutsideConnectionError, match=r"example\.org"):
        outside.connect_ex(("example.org", 80))


def test_a_library_cannot_leave_either() -> None:
    with pytest.raises(OutsideConnectionError):
        urllib.request.urlopen("http://192.0.2.1/", timeout=1)


def test_loopback_is_open() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        greet_once(server)
        with socket.create_connection(server.getsockname()) as inside:
            assert inside.recv(5) == b"hello"


def test_a_unix_socket_is_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # a relative name, since a path may be too long for a socket
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("door")
        server.listen()
        greet_once(server)
        with socket.socket(socket.AF_UNIX) as inside:
            inside.connect("door")
            assert inside.recv(5) == b"hello"


def greet_once(server: socket.socket) -> None:
    def greet() -> None:
        caller, _ = server.accept()
        with caller:
            caller.sendall(b"hello")

    threading.Thread(target=greet, daemon=True).start()
