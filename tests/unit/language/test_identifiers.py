"""Identifiers: what is one, what is none, and which spellings are the same."""

from __future__ import annotations

from itertools import pairwise

import pytest

from heldtrue.language.identifiers import find_identifiers

FOUND = [
    ("mail ada@example.com today", "mail", "ada@example.com"),
    ("Ada.Lovelace@Example.COM", "mail", "ada.lovelace@example.com"),
    ("Write to first.last+tag@sub.example.co.uk.", "mail", "first.last+tag@sub.example.co.uk"),
    ("<ops@example.org>", "mail", "ops@example.org"),
    ("Почта: ivan@пример.рф", "mail", "ivan@пример.рф"),
    ("mailto:ada@example.com", "mail", "ada@example.com"),
    ("Alice's email is a_b-c@x-y.io, I think", "mail", "a_b-c@x-y.io"),
    ("Call +49 30 1234567", "phone", "+49301234567"),
    ("Call +1 (555) 123-4567 now", "phone", "+15551234567"),
    ("+44 20 7946 0958", "phone", "+442079460958"),
    ("+33 1 23 45 67 89", "phone", "+33123456789"),
    ("+86 138 0013 8000", "phone", "+8613800138000"),
    ("+4930123456", "phone", "+4930123456"),
    ("555-123-4567", "phone", "5551234567"),
    ("(555) 123-4567", "phone", "5551234567"),
    ("555.123.4567", "phone", "5551234567"),
    ("1-800-555-1234", "phone", "18005551234"),
    ("030 1234567", "phone", "0301234567"),
    ("030/1234567", "phone", "0301234567"),
    ("01 23 45 67 89", "phone", "0123456789"),
    ("(030) 123 4567", "phone", "0301234567"),
    ("0171 2345678", "phone", "01712345678"),
    ("Her phone number is 5551234", "phone", "5551234"),
    ("Call 555-1234", "phone", "5551234"),
    ("tel 15551234567", "phone", "15551234567"),
    ("ask @ada_l", "handle", "@ada_l"),
    ("@Bob owns it", "handle", "@bob"),
    ("thanks @carol.", "handle", "@carol"),
    ("(@dave-2)", "handle", "@dave-2"),
    ("id 550e8400-e29b-41d4-a716-446655440000", "uuid", "550e8400-e29b-41d4-a716-446655440000"),
    ("550E8400-E29B-41D4-A716-446655440000", "uuid", "550e8400-e29b-41d4-a716-446655440000"),
    ("card 4111 1111 1111 1111", "card", "4111111111111111"),
    ("4111-1111-1111-1111", "card", "4111111111111111"),
    ("5500005555555559", "card", "5500005555555559"),
    ("378282246310005", "card", "378282246310005"),
    ("v1.2.3", "version", "1.2.3"),
    ("V2.0", "version", "2.0"),
    ("release v2", "version", "2"),
    ("1.2.3-rc.1 is out", "version", "1.2.3-rc.1"),
    ("1.2.3", "version", "1.2.3"),
    ("uses Python 3.11", "version", "3.11"),
    ("python 3.10", "version", "3.10"),
    ("Ubuntu 22.04 LTS", "version", "22.04"),
    ("version 1.10", "version", "1.10"),
    ("3.0.0-beta", "version", "3.0.0-beta"),
    ("1.4.2+build5", "version", "1.4.2+build5"),
    ("see /etc/hosts", "path", "/etc/hosts"),
    ("see /etc/hosts.", "path", "/etc/hosts"),
    ("in ~/notes/todo.md", "path", "~/notes/todo.md"),
    ("./run.sh", "path", "run.sh"),
    ("../lib/x", "path", "../lib/x"),
    ("src/heldtrue/a.py", "path", "src/heldtrue/a.py"),
    ("src//heldtrue/./a.py", "path", "src/heldtrue/a.py"),
    ("/var/log/", "path", "/var/log"),
    (r"C:\Users\Ada\x.txt", "path", "c:/users/ada/x.txt"),
    ("C:/Users/Ada", "path", "c:/users/ada"),
    (r"\\server\share\x", "path", "//server/share/x"),
    ("settings in config.yaml", "path", "config.yaml"),
    ("edit pyproject.toml, please", "path", "pyproject.toml"),
    ("https://example.com/a", "url", "https://example.com/a"),
    ("HTTPS://Example.COM:443/a/", "url", "https://example.com/a"),
    ("http://example.com:80", "url", "http://example.com"),
    ("http://example.com:8080/", "url", "http://example.com:8080"),
    ("(see https://x.org/wiki/A_(b)).", "url", "https://x.org/wiki/A_(b)"),
    ("https://x.org/?q=A/", "url", "https://x.org/?q=A/"),
    ("postgres://u:p@DB.host:5432/app", "url", "postgres://u:p@db.host:5432/app"),
    ("www.Example.com/Path", "url", "www.example.com/Path"),
    ("host api.example.com", "url", "api.example.com"),
    ("at 10.0.0.5:8080", "url", "10.0.0.5:8080"),
    ("localhost:3000", "url", "localhost:3000"),
    ("地址 https://例子.中国/路径。", "url", "https://例子.中国/路径"),
]

NONE = [
    "",
    "Alice lives in Berlin.",
    "and/or",
    "km/h",
    "w/o",
    "TCP/IP",
    "3.5 s",
    "between 3 and 5",
    "2026-05-17",
    "17.05.2026",
    "port 8080",
    "1,500,000",
    "1.500.000",
    "1 500 000",
    "4111 1111 1111 1112",
    "1700000000000",
    "0000 0000 0000 0000",
    "a @ b",
    "@ home",
    "@types/node",
    "e.g. this",
    "I like C++ and Node.js",
    "The end.Next",
    "10:30",
    "$3.50",
    "takes 2.5 hours",
    "100-200",
    "550e8400-e29b-41d4-a716",
    "他住在北京",
    "Он живёт в Москве",
]


@pytest.mark.parametrize(("text", "kind", "canonical"), FOUND)
def test_finds_the_identifier(text: str, kind: str, canonical: str) -> None:
    assert [(name.kind, name.canonical) for name in find_identifiers(text)] == [(kind, canonical)]


@pytest.mark.parametrize(("text", "kind", "canonical"), FOUND)
def test_span_is_the_written_text(text: str, kind: str, canonical: str) -> None:
    for name in find_identifiers(text):
        assert text[name.start : name.end] == name.text


@pytest.mark.parametrize("text", NONE)
def test_finds_none(text: str) -> None:
    assert find_identifiers(text) == ()


SAME = [
    ("Ada.Lovelace@Example.COM", "ada.lovelace@example.com"),
    ("+49 30 1234567", "+49-30-123-45-67"),
    ("(555) 123-4567", "555.123.4567"),
    ("4111-1111-1111-1111", "4111 1111 1111 1111"),
    ("v1.2.3", "1.2.3"),
    ("https://EXAMPLE.com/", "https://example.com"),
    ("@Ada", "@ada"),
]


@pytest.mark.parametrize(("left", "right"), SAME)
def test_spellings_of_one_thing_are_equal(left: str, right: str) -> None:
    assert find_identifiers(left)[0].canonical == find_identifiers(right)[0].canonical


def test_several_do_not_overlap() -> None:
    text = "Ask ada@example.com or @bob at https://x.org/@carol about v1.2.3 in /etc/x.conf."
    found = find_identifiers(text)
    assert [name.kind for name in found] == ["mail", "handle", "url", "version", "path"]
    assert all(left.end <= right.start for left, right in pairwise(found))
