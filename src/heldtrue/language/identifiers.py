"""Names that point at exactly one thing, each with the form in which equal names are equal."""

from __future__ import annotations

import re
from bisect import bisect_left, insort
from collections.abc import Callable, Iterator, Sequence

from heldtrue.domain.claim import Identifier
from heldtrue.language.guard import spend

_Found = tuple[str, int, int, str]

_DIGIT = re.compile(r"\d")
# Patterns kept as text are compiled, and cached by `re`, when the first text needs them: most need none.
_INNER_DOT = re.compile(r"\.\w")
_VERSION_HINT = re.compile(r"[.vV](?:(?<=\d\.)|(?<=\b[vV]))\d")  # first a set of characters: a search skips to them
_URL = r"(?<![^\W_])(?:[A-Za-z][A-Za-z0-9+.\-]{1,15}://|www\.)[^\s<>\"`]+"
_URL_PARTS = r"(?s)(?:([A-Za-z][A-Za-z0-9+.\-]*)://)?(?:([^/?#@\s]*)@)?([^/?#:]*)(?::(\d+))?(.*)"
_MAIL = r"(?<![\w.+%\-])[^\W_][\w.+%'\-]{0,63}@[\w\-]{1,63}(?:\.[\w\-]{2,63}){1,6}"
_HANDLE = r"(?<![\w.@/+\-])@[^\W\d][\w.\-]{0,63}(?![\w.\-/])"
_UUID = r"(?<![\w\-])[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}(?![\w\-])"
_CARD = r"(?=\d)(?<![\w.\-])\d(?:[ \-]?\d){12,18}(?![\w\-])"
_PHONE = r"""(?x)(?=[+(\d])(?<![\w.+\-/])(?:
        \+\d(?:[ ()./\-]{0,2}\d){6,14}                      # +49 (30) 123 45-67
      | (?:1[ .\-])?\(\d{2,5}\)[ \-]?\d{2,4}(?:[ \-]?\d{2,4}){1,3}
      | (?:1[ .\-])?\d{3}([ .\-])\d{3}\1\d{4}               # 555-123-4567
      | 0\d{1,4}[ /\-]\d{2,8}(?:[ \-]?\d{2,4}){0,4}         # 030 1234567, 01 23 45 67 89
      | 0\d{9,11}
      | \d{3}-\d{4}
      | \d{7,12}
    )(?![\w\-])(?!\.\d)"""
_PHONE_CUE = r"(?i)phone|\btel\b|mobile|\bcell|\bcall|\bfax|whatsapp|telefon|tel[eé]fono|handy|电话|手机|電話"
_VERSION = (
    r"(?=[\dvV])(?<![\w.\-/])(?:[vV](?=\d))?\d+(?:\.\d+){0,3}(?:\.x)?(?:-?(?:rc|alpha|beta|dev|pre|a|b)(?:[.\-]?\d+)*)?"
    r"(?:\+[0-9A-Za-z.]{1,32})?(?![\w\-])(?!\.\d)"
)
# Day.month.year is a date, and groups of three digits are one long number.
_NO_VERSION = r"\d{1,2}\.\d{1,2}\.(?:19|20)\d\d|\d{1,3}(?:\.\d{3}){2,}"
_VERSION_CUE = r"(?:([^\W\d_][\w+#]*)[ ]|(\b[Vv]ersion|\b[Rr]elease)s?(?: is|:| =)?[ ])$"
_VERSIONED = frozenset(
    """version release python node nodejs java kotlin scala go golang rust php ruby perl django flask rails react vue
    angular typescript tls ssl http openapi postgres postgresql mysql sqlite redis kafka kubernetes k8s docker helm
    terraform ubuntu debian fedora macos ios android gcc clang cuda pytorch numpy pandas swift dotnet""".split()
)
_NOT_PRODUCTS = frozenset(
    """in at on for the about around only over under from to with takes costs is are was by of and or than least most
    between until after before every within roughly exactly nearly approximately up we it use set wait""".split()
)
_PATH = r"(?<![\w.@~/:\\\-])(?:~|\.{1,2})?[\w.@+\-]*(?:/+[\w.@+\-]+)+/?|(?<![\w.:/])(?:~|\.{1,2})/(?!\S)"
_EXTENSION = r"\w\.[A-Za-z][A-Za-z0-9]{0,9}\Z"
_WINDOWS_PATH = r"(?<![\w])[A-Za-z]:[\\/][^\s:*?\"<>|,;]*|(?<!\S)\\\\[\w.\-]+\\[^\s:*?\"<>|,;]+"
_DOTTED = r"(?<![\w.@/\-])(?:\.?[^\W_][\w\-]*(?:\.[\w\-]+)+|localhost)(?::\d{1,5}(?!\d))?(?![\w@/])"
_INTERNET_ADDRESS = r"\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\Z"

_DOMAIN_ENDS = frozenset(
    """com org net io dev app ai edu gov mil int info biz cloud tech xyz de fr es it nl ch at uk us eu jp cn kr
        ru br in local internal""".split()
)
_FILE_ENDS = frozenset(
    """py pyi js jsx ts tsx mjs cjs rs go java kt c h cpp hpp cs rb php swift sh bash zsh ps1 sql md rst txt json yaml
    yml toml ini cfg conf env lock xml html css scss csv tsv parquet pdf png jpg jpeg svg gif log db sqlite zip tar gz
    tf proto ipynb dockerfile gradle vue svelte""".split()
)
_DEFAULT_PORTS = {"http": "80", "https": "443", "ftp": "21", "ssh": "22", "ws": "80", "wss": "443"}
_CLOSERS = {")": "(", "]": "[", "}": "{"}


def find_identifiers(text: str) -> tuple[Identifier, ...]:
    """Every identifier of the text in order, none overlapping: where two readings compete, the more specific wins."""
    spend(len(text))
    readers = _readers_for(text)
    if not readers:
        return ()
    chosen: list[tuple[int, int, str, str]] = []
    for reader in readers:
        for kind, start, end, canonical in reader(text):
            if is_free(chosen, start, end):
                insort(chosen, (start, end, kind, canonical))
    return tuple(Identifier(kind, text[start:end], canonical, start, end) for start, end, kind, canonical in chosen)


def is_free(chosen: Sequence[tuple[int, int, str, str]], start: int, end: int) -> bool:
    """Whether none of the spans, which are in order and apart, overlaps start to end."""
    if not chosen:
        return True
    place = bisect_left(chosen, (end,))
    return place == 0 or chosen[place - 1][1] <= start


def _readers_for(text: str) -> list[Callable[[str], Iterator[_Found]]]:
    """The readers whose tell-tale characters occur, most specific first: most sentences need none of them."""
    readers: list[Callable[[str], Iterator[_Found]]] = []
    if "://" in text or "www." in text:
        readers.append(_read_urls)
    if "@" in text:
        readers.append(_read_mails)
    digits = len(_DIGIT.findall(text))
    if digits and text.count("-") > 3:
        readers.append(_read_uuids)
    if digits >= 7:
        readers.append(_read_cards)
        readers.append(_read_phones)
    if "\\" in text or ":/" in text:
        readers.append(_read_windows_paths)
    if "/" in text:
        readers.append(_read_paths)
    if _INNER_DOT.search(text) or "localhost" in text:
        readers.append(_read_dotted_names)
    if digits and _VERSION_HINT.search(text):
        readers.append(_read_versions)
    if "@" in text:
        readers.append(_read_handles)
    return readers


def _read_urls(text: str) -> Iterator[_Found]:
    for match in re.finditer(_URL, text):
        end = _trim_end(text, match.start(), match.end())
        if canonical := canonical_url(text[match.start() : end]):
            yield "url", match.start(), end, canonical


def canonical_url(url: str) -> str:
    """Scheme and host in lower case, no default port, no trailing slash; empty where there is no host."""
    parts = re.match(_URL_PARTS, url)
    if parts is None or (not parts[3] and parts[1] != "file"):
        return ""
    scheme, login, host, port, rest = (part or "" for part in parts.groups())
    scheme = scheme.lower()
    shown_port = f":{port}" if port and _DEFAULT_PORTS.get(scheme) != port else ""
    path = rest.rstrip("/") if "?" not in rest and "#" not in rest else rest
    return f"{scheme}://" * bool(scheme) + f"{login}@" * bool(login) + host.lower() + shown_port + path


def _trim_end(text: str, start: int, end: int) -> int:
    """Where the identifier ends once the sentence's own punctuation is given back."""
    while end > start:
        last = text[end - 1]
        if last in _CLOSERS:
            if text.count(_CLOSERS[last], start, end) >= text.count(last, start, end):
                break
        elif last not in ".,;:!?'\"’”»。，！？*_":
            break
        end -= 1
    return end


def _read_mails(text: str) -> Iterator[_Found]:
    for match in re.finditer(_MAIL, text):
        end = _trim_end(text, match.start(), match.end())
        yield "mail", match.start(), end, text[match.start() : end].casefold()


def _read_handles(text: str) -> Iterator[_Found]:
    for match in re.finditer(_HANDLE, text):
        end = match.end()
        while text[end - 1] in ".-":
            end -= 1
        yield "handle", match.start(), end, text[match.start() : end].casefold()


def _read_uuids(text: str) -> Iterator[_Found]:
    for match in re.finditer(_UUID, text):
        yield "uuid", match.start(), match.end(), match.group().lower()


def _plain_digits(text: str) -> str:
    return "".join(str(int(char)) for char in text if char.isdecimal())


def _read_cards(text: str) -> Iterator[_Found]:
    for match in re.finditer(_CARD, text):
        digits = _plain_digits(match.group())
        # Payment networks start at 2 to 6: this leaves clock readings in milliseconds alone.
        if digits[0] in "23456" and _passes_luhn(digits):
            yield "card", match.start(), match.end(), digits


def _passes_luhn(digits: str) -> bool:
    total = 0
    for position, digit in enumerate(reversed(digits)):
        number = int(digit) * (2 if position % 2 else 1)
        total += number - 9 if number > 9 else number
    return total % 10 == 0


def _read_phones(text: str) -> Iterator[_Found]:
    for match in re.finditer(_PHONE, text):
        written = match.group()
        digits = _plain_digits(written)
        if written[0] == "+":
            if 7 <= len(digits) <= 15:
                yield "phone", match.start(), match.end(), "+" + digits
        elif _is_national_phone(written, digits, text[max(0, match.start() - 30) : match.start()]):
            yield "phone", match.start(), match.end(), digits


def _is_national_phone(written: str, digits: str, before: str) -> bool:
    """A run of digits alone is a phone number only where the words before it say so."""
    if (len(written) == len(digits) and digits[0] != "0") or len(digits) < 8:
        return bool(re.search(_PHONE_CUE, before))
    return 8 <= len(digits) <= 13


def _read_windows_paths(text: str) -> Iterator[_Found]:
    for match in re.finditer(_WINDOWS_PATH, text):
        end = _trim_end(text, match.start(), match.end())
        if end - match.start() > 2:
            canonical = text[match.start() : end].replace("\\", "/").casefold()
            yield "path", match.start(), end, canonical.rstrip("/") if len(canonical) > 3 else canonical


def _read_paths(text: str) -> Iterator[_Found]:
    for match in re.finditer(_PATH, text):
        end = _trim_end(text, match.start(), match.end())
        path = text[match.start() : end]
        if path and (path[0] in "/~" or path.startswith(("./", "../")) or re.search(_EXTENSION, path)):
            yield "path", match.start(), end, canonical_path(path)


def canonical_path(path: str) -> str:
    """The path without idle parts: `./a//b/` is `a/b`."""
    pieces = [piece for piece in path.split("/") if piece not in ("", ".")]
    return ("/" if path[0] == "/" else "") + "/".join(pieces) or path


def _read_dotted_names(text: str) -> Iterator[_Found]:
    """Hosts (`api.example.com`, `10.0.0.5:80`) and file names (`config.yaml`) that stand without a slash."""
    for match in re.finditer(_DOTTED, text):
        written = match.group()
        name, _, port = written.partition(":")
        last = name.rpartition(".")[2].lower()
        if re.match(_INTERNET_ADDRESS, written) and all(int(part) < 256 for part in name.split(".")):
            yield "url", match.start(), match.end(), written
        elif not port and last in _FILE_ENDS and not name[0].isdigit() and not (last == "js" and name[0].isupper()):
            yield "path", match.start(), match.end(), name
        elif (last in _DOMAIN_ENDS and name[0] != ".") or (name == "localhost" and port):
            yield "url", match.start(), match.end(), written.lower()


def _read_versions(text: str) -> Iterator[_Found]:
    for match in re.finditer(_VERSION, text):
        written = match.group()
        if _is_version(written, text, match.start(), match.end()):
            yield "version", match.start(), match.end(), written.lstrip("vV").lower()


def _is_version(written: str, text: str, start: int, end: int) -> bool:
    if written[0] in "vV" and (start == 0 or text[start - 1] not in "$€£"):
        return True
    dots = written.count(".")
    if dots == 0 or text[end : end + 1] in ("%", "°") or (start and text[start - 1] in "$€£"):
        return False
    if dots >= 2:
        return not re.fullmatch(_NO_VERSION, written)
    cue = re.search(_VERSION_CUE, text[max(0, start - 24) : start])
    if cue is None:
        return False
    word = cue[1] or cue[2]
    return word.lower() in _VERSIONED or (
        word[0].isupper() and word.lower() not in _NOT_PRODUCTS and not text[end : end + 2].strip().isalpha()
    )
