"""Secrets found in text and replaced by their kind, so that none is stored, logged or shown.

Two families of rules. A *token* rule knows the shape that one vendor gives its keys and needs nothing
around it. A *named* rule needs a name that says secret ("password", "api_key", "client secret") beside a
value that is neither a placeholder, nor a reference to a place that holds the secret, nor prose.

Judgement calls: `changeme`, `<your-key>`, `xxx`, `$API_KEY` and keys that say EXAMPLE are placeholders and
stay; a password of plain small letters counts in quotes or after an upper-case name (`DB_PASSWORD=letmein`)
but not in prose, where it is a word. Pass text through `clean_text` first: a secret cut by invisible
characters is found only once they are gone.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator

import msgspec

from heldtrue.domain.limits import SECRET_CHARS_MAX
from heldtrue.language import secret_shapes as shapes
from heldtrue.language.findings import Finding
from heldtrue.language.findings import compiled as _rule

_PROSE_WORDS = (
    r"(?i)\b(?:must|be|is|are|the|a|an|at|least|should|not|your|please|enter|for|of|to|and|or|in|has|was|may)\b"
)
_AFTER_VALUE = (
    r"(?i)\s*(?:$|\n|[,.;:!?)\]}\"'`|&/<\\-]"
    r"|(?:and|for|on|with|but|or|in|at|as|if|until|user|username|now|please|then|still|no|works|worked|again|to|und|et|y|e)\b)"
)
_HASH = r"(?i)[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{56,64}|[0-9a-f]{96,128}|[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}"
_WEAK_PASSWORDS = frozenset({"letmein", "qwerty", "iloveyou", "opensesame", "swordfish", "monkey", "dragon"})
_SHORTEST = {"password": 4, "secret": 8, "weak": 20}
_SHORTEST_URL_PASSWORD = 4
_NESTED_NAMES = 8
"""Names inside the value of another name (`key=key=...`) that are judged; a value with more is masked unread."""


def find_tokens(text: str) -> Iterator[Finding]:
    """The secrets that the shape of their vendor gives away."""
    for kind, must_contain, shape in shapes.TOKEN_SHAPES:
        if must_contain not in text:
            continue
        for match in _rule(shape).finditer(text):
            if _is_random_token(kind, match[0]):
                yield Finding(kind, match.start(), match.end())
                if kind == "aws-access-key-id":
                    yield from _find_aws_secret_beside(text, match.start(), match.end())


def find_named_secrets(text: str, low: str) -> Iterator[Finding]:
    """The secrets that stand beside a name; `low` is the text in small letters, of the same length."""
    yield from _find_private_keys(text)
    yield from _find_url_passwords(text)
    yield from _find_headers(text, low)
    yield from _find_named(text, low)
    yield from _find_options_and_pairs(text, low)


def _is_random_token(kind: str, token: str) -> bool:
    """Whether the token carries a key: not a placeholder, not words joined by hyphens."""
    if _rule(shapes.PLACEHOLDER).fullmatch(token[:SECRET_CHARS_MAX]) and kind not in (
        "jwt",
        "slack-webhook",
        "discord-webhook",
    ):
        return False
    body = token[4:]
    if len(set(body)) < 6 or not (kind == "aws-access-key-id" or any(char.isdigit() for char in body)):
        return False
    # scikit-learn anchors and the like: "sk-" and small words
    return kind != "openai-key" or body != body.lower() or _rule("[0-9a-f-]{32,}").search(body) is not None


def _find_aws_secret_beside(text: str, key_id_start: int, key_id_end: int) -> Iterator[Finding]:
    """The secret half, which has no shape of its own, is recognised by standing near its key id."""
    pattern = _rule(r"(?<![A-Za-z0-9/+=])[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])")
    for start, end in ((key_id_end, key_id_end + 160), (max(0, key_id_start - 120), key_id_start)):
        match = pattern.search(text, start, end)
        if match and _count_classes(match[0]) >= 3 and not _rule(_HASH).fullmatch(match[0]):
            yield Finding("aws-secret-key", match.start(), match.end())
            return


def _find_private_keys(text: str) -> Iterator[Finding]:
    if "PRIVATE KEY" not in text:
        return
    begins = [match.span() for match in _rule(shapes.KEY_BEGIN).finditer(text)]
    ends = deque(match.span() for match in _rule(shapes.KEY_END).finditer(text))
    place = 0
    for (start, after), (next_start, _) in zip(begins, [*begins, (len(text) + 1, 0)][1:], strict=True):
        while ends and ends[0][0] < after:  # an end without its beginning
            end_start, end_after = ends.popleft()
            yield Finding("private-key", _walk_back_over_key_lines(text, place, end_start), end_after)
        if ends and ends[0][0] < next_start:
            place = ends.popleft()[1]
        else:  # cut short: what still looks like key material goes
            lines = _rule(shapes.KEY_LINES).match(text, after)
            place = lines.end() if lines else after
        yield Finding("private-key", start, place)
    for end_start, end_after in ends:
        yield Finding("private-key", _walk_back_over_key_lines(text, place, end_start), end_after)
        place = end_after


def _walk_back_over_key_lines(text: str, earliest: int, start: int) -> int:
    while start > earliest:
        line_start = max(text.rfind("\n", earliest, start - 1) + 1, earliest)
        if not _rule(r"[A-Za-z0-9+/=]{0,128}").fullmatch(text[line_start:start].strip()):
            break
        start = line_start
    return start


def _find_url_passwords(text: str) -> Iterator[Finding]:
    place = text.find("://")
    while place != -1:
        # a password in a database address is often typed as it is; in a web address ? and # end the place
        web = text[max(0, place - 5) : place].lower().endswith(("http", "https"))
        authority = _rule(shapes.WEB_PLACE if web else shapes.URL_PLACE).match(text, place + 3)
        if authority and "@" in authority[0] and ":" in authority[0]:
            password = authority[0].rpartition("@")[0].partition(":")[2]
            start = authority.start() + authority[0].index(":") + 1
            if len(password) >= _SHORTEST_URL_PASSWORD and not is_reference(password):
                yield Finding("url-password", start, start + len(password))
        place = text.find("://", place + 3)


def _find_headers(text: str, low: str) -> Iterator[Finding]:
    for match in _rule(shapes.HEADER).finditer(low):
        value = _read_plain(text, match.end())
        basic = match["scheme"] == "basic"
        long_enough = len(value) >= (12 if basic else 16)
        if long_enough and mixes_letters_and_digits(value) and not (is_reference(value) or _is_wordy(value)):
            yield _finding(text, "basic-auth" if basic else "bearer-token", match.end(), value)


def _find_options_and_pairs(text: str, low: str) -> Iterator[Finding]:
    says_login = any(map(low.__contains__, ("cred", "log", "zugangsd", "anmelded", "identifiants")))
    patterns = [shapes.OPTION] * (" -" in low) + [shapes.CREDENTIAL_PAIR] * says_login
    patterns += [shapes.USER_PAIR] * (says_login or "passw" in low)
    for pattern in patterns:
        for match in _rule(pattern).finditer(low):
            value = _read_plain(text, match.end())
            if len(value) >= 6 and mixes_letters_and_digits(value) and not (is_ordinary(value) or is_reference(value)):
                yield _finding(text, "password", match.end(), value)


class _Named(msgspec.Struct, frozen=True):
    """A name that says secret, how the text leads from it to a value, and that value."""

    strength: str  # password: people choose it, may be short; secret: machines make it; weak: may be no secret
    name: str
    equals: bool
    spoken: bool
    beside: bool
    start: int
    value: str
    quoted: bool
    rest_ends: bool


def _find_named(text: str, low: str) -> Iterator[Finding]:
    pattern = _rule(shapes.NAMED)
    place = value_end = nested = 0
    while match := pattern.search(low, place):
        place = match.end()
        strength = _rate_name(low, match)
        if strength is None:
            continue
        nested = nested + 1 if match.start() < value_end else 0
        start, value, quoted = read_value(text, match.end())
        value_end = max(value_end, start + len(value))
        if nested > _NESTED_NAMES and value:
            found = _finding(text, "secret", start, value)
        elif (named := _read_named(text, match, strength, (start, value, quoted))) and _is_named_secret(named):
            found = _finding(text, _name_kind(low, match, named), named.start, named.value)
        else:
            continue
        place = found.end
        yield found


def _read_named(text: str, match: re.Match[str], strength: str, read: tuple[int, str, bool]) -> _Named | None:
    start, value, quoted = read
    if len(value) < _SHORTEST[strength] or (not quoted and is_ordinary(value)) or is_reference(value):
        return None
    return _Named(
        strength=strength,
        name=text[match.start() : match.start("name") + len(match["name"])],
        equals=match["equals"] is not None,
        spoken=match["spoken"] is not None,
        beside=match["beside"] is not None,
        start=start,
        value=value,
        quoted=quoted,
        rest_ends=_rule(_AFTER_VALUE).match(text, start + len(value) + quoted) is not None,
    )


def _rate_name(low: str, match: re.Match[str]) -> str | None:
    name, start = match["name"], match.start()
    joined_to_letters = low[start - 1 : start].isalpha()
    if name.startswith(("secret", "token", "credential", "cl", "chave", "schl")):
        return "secret"
    if name == "key":
        if _rule(shapes.BEFORE_KEY).search(low, max(0, start - 16), start):
            return "secret"
        return None if joined_to_letters else "weak"
    if name.startswith(("auth", "salt", "signature", "cookie", "session", "hmac")):
        return None if joined_to_letters else "weak"
    if name == "pass" and (joined_to_letters or not _is_assigned(low, match)):
        return None
    return None if name == "pw" and joined_to_letters else "password"


def _is_assigned(low: str, match: re.Match[str]) -> bool:
    """Whether "pass" is a name, not a verb or a ticket: by a sign, or by a value that nobody writes as a word."""
    if match["beside"]:
        return False
    return not match["spoken"] or _rule(shapes.CHOSEN_VALUE).match(low, match.end()) is not None


def _is_named_secret(named: _Named) -> bool:
    if named.strength == "password":
        return _is_password(named)
    if named.strength == "secret":
        return _is_machine_secret(named)
    return not (named.spoken or named.beside) and _is_random(named.value)


def _name_kind(low: str, match: re.Match[str], named: _Named) -> str:
    if named.strength == "password":
        return "password"
    name = low[max(0, match.start() - 24) : match.end()]
    if "aws" in name and "secret" in name:
        return "aws-secret-key"
    if "datadog" in name or "dd_" in name or "dd-" in name:
        return "datadog-key"
    if "twilio" in name:
        return "twilio-key"
    if named.strength == "weak":
        return "high-entropy-value"
    return "token" if named.name.lower() == "token" else "api-key" if named.name.lower().endswith("key") else "secret"


def _is_password(named: _Named) -> bool:
    value, length = named.value, len(named.value)
    if named.beside:
        return _is_password_beside(named)
    if named.quoted:
        return length >= 4 and (" " not in value or (value.count(" ") >= 2 and not _rule(_PROSE_WORDS).search(value)))
    if value.isalpha():
        env_style = named.equals and named.name.isupper() and length >= 6
        return value.lower() in _WEAK_PASSWORDS or env_style
    if value.isdigit():
        return length >= 6 and named.rest_ends
    if not mixes_letters_and_digits(value) and not any(char in "!@#$%^&*?~+=" for char in value[:-1]):
        return False
    if named.equals:
        return length >= 4
    return length >= 8 or (length >= 5 and named.rest_ends)


def _is_password_beside(named: _Named) -> bool:
    """Whether what stands right behind a name, without a sign or a verb, is a password."""
    plain = len(named.value) >= 6 and " " not in named.value and mixes_letters_and_digits(named.value)
    return plain and (named.rest_ends or named.quoted)


def is_table_password(name: str, value: str) -> bool:
    """Whether a cell under `password` in a table of users is one; there, a plain word of some length counts."""
    name = name.replace("_", " ")
    found = _rule(shapes.NAME).search(name)
    if found is None or _rule(shapes.NAME_OF_MACHINES).search(name) or _rule(shapes.ABOUT_VALUES).search(name):
        return False
    return (
        len(value) >= 6
        and not any(sign in value for sign in " ({[<")
        and not (is_reference(value) or _rule(shapes.TECHNICAL).fullmatch(value.rstrip("!?")))
    )


def _is_machine_secret(named: _Named) -> bool:
    value, length = named.value, len(named.value)
    if " " in value or not mixes_letters_and_digits(value) or _is_wordy(value):
        return False
    if named.beside:
        hexadecimal = named.name.lower() == "key" and named.rest_ends and _rule(_HASH).fullmatch(value) is not None
        return hexadecimal or _is_random(value)
    if named.quoted or named.equals:
        return length >= 8
    return length >= 20 or (length >= 8 and named.rest_ends)


def _is_random(value: str) -> bool:
    """A value so mixed that nobody typed it as a word: what a weak name needs beside it."""
    if not 20 <= len(value) <= SECRET_CHARS_MAX or _rule(_HASH).fullmatch(value) or _is_wordy(value):
        return False
    kinds = (str.islower, str.isupper, str.isdigit)
    return all(any(map(kind, value)) for kind in kinds) and len(set(value)) >= 12


def _is_wordy(value: str) -> bool:
    """Words and numbers joined by signs: a name such as user-service-prod-2."""
    parts = _rule(r"[-_./: ]+").split(value)
    return len(parts) > 1 and all(part.isalpha() or (part.isdigit() and len(part) <= 8) or not part for part in parts)


def is_ordinary(value: str) -> bool:
    value = value.rstrip("!?")
    return bool(_rule(shapes.TECHNICAL).fullmatch(value) or _rule(shapes.CODE).fullmatch(value))


def is_reference(value: str) -> bool:
    """A placeholder, or a pointer to where the secret is kept."""
    head = value[:SECRET_CHARS_MAX].rstrip("!?")
    if (
        not head
        or _rule(shapes.PLACEHOLDER).fullmatch(head)
        or (_rule("(?i)passw|passe|contrase").search(head) and head.isalpha())
    ):
        return True
    if not _rule(shapes.REFERENCE).fullmatch(head):
        return False
    return not (head[0] in "/$@&%[{" and len(head) >= 16 and _is_random(head))


def mixes_letters_and_digits(value: str) -> bool:
    return any(map(str.isdigit, value)) and any(map(str.isalpha, value))


def _count_classes(value: str) -> int:
    kinds = (str.islower, str.isupper, str.isdigit)
    return sum(any(map(kind, value)) for kind in kinds) + (not value.isalnum())


def read_value(text: str, place: int) -> tuple[int, str, bool]:
    """Where the value starts, the value, and whether it stood in quotes."""
    quote = text[place : place + 1]
    if quote in ('"', "'", "`") and quote:
        end = text.find(quote, place + 1, place + 1 + SECRET_CHARS_MAX)
        if end != -1 and "\n" not in text[place:end]:
            return place + 1, text[place + 1 : end], True
        place += 1
    return place, _read_plain(text, place), False


def _read_plain(text: str, place: int) -> str:
    """An unquoted value: up to white space or the next assignment, without the punctuation of its sentence."""
    match = _rule(rf"[^\s\"'`]{{1,{SECRET_CHARS_MAX}}}").match(text, place)
    if match is None:
        return ""
    value = match[0]
    if value[0].isascii() and not value.isascii():  # no space ends a value in these scripts
        value = _rule("[\u3000-\u30ff\u3400-\u9fff\uac00-\ud7af\uff01-\uff1f]").split(value, maxsplit=1)[0]
    following = _rule(r"[&;,]\w{1,40}[=:]|\\n|</").search(value)
    if following and following.start() > 0:
        value = value[: following.start()]
    return value.rstrip(".,;:)]}>")


def _finding(text: str, kind: str, start: int, value: str) -> Finding:
    """A finding that covers the whole value, also where only its first part was read."""
    end = start + len(value)
    if len(value) == SECRET_CHARS_MAX:
        longer = _rule(r"[^\s\"'`]*+").match(text, end)
        end = longer.end() if longer else end
    return Finding(kind, start, end)
