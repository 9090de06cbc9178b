"""Passwords in ordinary sentences, where neither a sign nor a verb joins the name to the value.

"Changed the password from X to Y", "the password has not changed since March: X", "enter X when it asks for the
password", names that are spelled out (`p a s s w o r d`), and what people call the password of a wireless network.
"""

from __future__ import annotations

from collections.abc import Iterator

from heldtrue.language import secret_shapes as shapes
from heldtrue.language.findings import Finding, compiled
from heldtrue.language.secrets import is_ordinary, is_reference, mixes_letters_and_digits, read_value

_NAME = (
    r"(?<![^\W_])(?:pass ?(?:word|phrase|code|wort)|kennwort|mot de passe|mdp|contrase[n\u00f1]a|wachtwoord|senha|pwd?"
    r"|has[l\u0142]o|heslo|l\u00f6senord(?:et)?|parola|\u043f\u0430\u0440\u043e\u043b\w|login|logins?|credentials?"
    r"|zugriffs-?token|access token|api[ -]?token|api[ -]?key|cl[e\u00e9] d'api|cl[e\u00e9] api|zugangsschl\u00fcssel)"
    r"(?![^\W_])"
)
_ENTER = (
    r"(?:type(?: in)?|enter|use|try|put(?: in)?|key in|say|gib|tippe|saisir|saisis|tape[rz]?|ingresa|escribe|inserisci)"
)
_NO_ANNOUNCEMENT = (
    r"(?![^\n:]{0,100}(?:polic|hash|reset|length|rule|manager|link|page|error|attempt|expir|strength|rotat|algorithm"
    r"|ticket"
    r"|commit|version|issue|format|type|test|requir|must|field|method|step|docs?|see |scope|header|endpoint|file|path"
    r"|support|score|screen|flow|module|class|function|user|storage|stored|encrypt|salt|column|date|until|time))"
)
_CHANGED = rf"{_NAME}[^\n.:;]{{0,40}}?[ \t](?:from|von|de|z|fr\u00e5n)[ \t](?=\S)"
_CHANGED_TO = r"[\"'`]?[ \t](?:to|auf|zu|in|\u00e0|a|na|till|into)[ \t](?=\S)"
_ANNOUNCED = rf"{_NAME}{_NO_ANNOUNCEMENT}[^\n:.]{{1,90}}:[ \t]{{1,2}}(?=\S)"
_ASKED = rf"{_NAME}[^\n.:]{{0,30}}?[ \t,]{_ENTER}:?[ \t](?=\S)"
_ENTERED = (
    rf"(?<![^\W_]){_ENTER}[ \t](?=\S{{6,64}}[ \t](?:when|if|where|at|for|as|once|wenn|als|quand|comme|cuando|como"
    rf"|quando)\b"
    rf"[^\n.]{{0,60}}?(?:{_NAME}))"
)
_USED = rf"(?<![^\W_]){_ENTER}[ \t](?=\S{{6,64}}[ \t]to[ \t](?:log|sign|get|connect|unlock|open|join|access)\b)"
_GAP = r"[ ._*-]?"
_SPELLED = (
    r"(?<![^\W_])(?:"
    + _GAP.join(("p", "[a@4]", "[s$5]", "[s$5]", "w", "[o0]", "r", "d"))
    + r"|p[a@4][s$5]{2}w(?:[o0]r)?d|pass? ?w? ?o?rd)(?![^\W_])"
)
_AFTER_SPELLED = (
    r"(?:[ \t](?:for|to|of|on)[ \t](?:\S{1,30}[ \t]){0,3}?\S{1,30})?[ \t]{0,3}(?:[:=]|->|=>|\bis\b)[ \t]{1,3}(?=\S)"
)
_NETWORK = r"wi-?fi|wlan|ssid|wireless|hotspot|internet: network"
_NETWORK_BESIDE = (
    r"(?<![^\W_])(?:(?:pass|pw|code|key|schl\u00fcssel|clave|mdp)[ \t]{1,2}|(?:join"
    r"|connect to)[ \t]\S{1,32}[ \t]with[ \t]"
    r"|(?:wi-?fi|wlan|hotspot)(?:[ \t](?:is|name))?:?[ \t][^\s/,;]{1,32}[ \t]?[/,;|\u2013-][ \t]?)(?=\S)"
)
"""What may lead to the key of a network without a sign or a verb; then the key has letters and digits."""
_NETWORK_KEY = (
    r"(?<![^\W_])(?:(?:wi-?fi|wlan|network|netzwerk)[ _-]?)?"
    r"(?:key|code|pass|pw|password|passwort|kennwort|schl\u00fcssel|clave|chave|cl[e\u00e9]|chiave|sleutel"
    r"|has[l\u0142]o|kod"
    r"|mot de passe|contrase[n\u00f1]a|senha|wachtwoord)"
    r"(?:[ \t](?:for|of|to|del?|du|della|do|da|voor|f\u00fcr|vom|zum)[ \t](?:\S{1,20}[ \t]){0,3}?\S{1,20}"
    r"|[ \t](?:wi-?fi|wlan))?"
    r"(?:[ \t]{0,2}[:=][ \t]{0,3}|[ \t](?:is|ist|lautet|est|es|c['\u2019]est|\u00e8|\u00e9|to|je|are)[:]?[ \t])(?=\S)"
)
_NO_KEY = (
    r".*(?:ed|able|ible|ing|ly|ent|ment|tion|where|thing|ive|al|ary|ory|ous|less|ful|en|ung|lich|bar|iert|ent)"
    r"|.{0,9}|printed|.*reception.*|.*router.*"
)
_NEAR_NETWORK_CHARS = 80
_SHORTEST_KEY = 8
_WORDS_AND_NUMBER = (
    r"[a-z]{3,12}(?: [a-z]{3,12}){1,4} \d{1,4}(?=\s(?:with|without|no|all)\b[^\n]{0,20}(?:space|word|lower))"
)


def find_said_passwords(text: str, low: str) -> Iterator[Finding]:
    """The passwords of sentences; `low` is the text in small letters, of the same length."""
    if compiled(r"\d").search(low) and compiled(_NAME).search(low):
        yield from _find_changed(text, low)
        for pattern in (_ANNOUNCED, _ASKED, _ENTERED, _USED):
            yield from _find_after(text, low, pattern)
        for match in compiled(_ASKED).finditer(low):
            if words := compiled(_WORDS_AND_NUMBER).match(low, match.end()):
                yield Finding("password", words.start(), words.end())
    if any(map(low.__contains__, shapes.LOOKALIKE_PARTS)) or "pass" in low:
        yield from _find_spelled(text, low)
    if compiled(_NETWORK).search(low):
        yield from _find_network_keys(text, low)
        yield from _find_network_keys_beside(text, low)


def _find_changed(text: str, low: str) -> Iterator[Finding]:
    for match in compiled(_CHANGED).finditer(low):
        start, old, _ = read_value(text, match.end())
        follows = compiled(_CHANGED_TO).match(low, start + len(old))
        if follows is None:
            continue
        after, new, _ = read_value(text, follows.end())
        if _is_chosen(old) or _is_chosen(new):
            yield from (Finding("password", at, at + len(value)) for at, value in ((start, old), (after, new)))


def _find_after(text: str, low: str, pattern: str) -> Iterator[Finding]:
    for match in compiled(pattern).finditer(low):
        start, value, quoted = read_value(text, match.end())
        ends = pattern != _ANNOUNCED or compiled(r"[\"'`.,;)]{0,2}(?:\s|$)").match(text, start + len(value) + quoted)
        if ends and _is_chosen(value):
            yield Finding("password", start, start + len(value))


def _find_spelled(text: str, low: str) -> Iterator[Finding]:
    for name in compiled(_SPELLED).finditer(low):
        if name[0] == "password" or not (match := compiled(_AFTER_SPELLED).match(low, name.end())):
            continue
        start, value, _ = read_value(text, match.end())
        joined = compiled(r"\w[_.!@#$%^&*+-]\w").search(value) is not None
        if len(value) >= 6 and (joined or mixes_letters_and_digits(value)) and not is_reference(value):
            yield Finding("password", start, start + len(value))


def _find_network_keys(text: str, low: str) -> Iterator[Finding]:
    for match in compiled(_NETWORK_KEY).finditer(low):
        near = max(0, match.start() - _NEAR_NETWORK_CHARS), match.end() + _NEAR_NETWORK_CHARS
        if compiled(_NETWORK).search(low, *near) is None:
            continue
        start, value, quoted = read_value(text, match.end())
        ends = compiled(r"[\"'`)]{0,2}\s*(?:$|[\n.,;(|]|(?:and|und|et|y|e|for|\u2013|-)\s)").match(
            text, start + len(value) + quoted
        )
        if ends and _SHORTEST_KEY <= len(value) <= 63 and not is_reference(value) and _is_network_key(value):
            yield Finding("password", start, start + len(value))


def _find_network_keys_beside(text: str, low: str) -> Iterator[Finding]:
    for match in compiled(_NETWORK_BESIDE).finditer(low):
        near = max(0, match.start() - _NEAR_NETWORK_CHARS), match.end() + _NEAR_NETWORK_CHARS
        start, value, _ = read_value(text, match.end())
        if len(value) >= _SHORTEST_KEY and _is_chosen(value) and compiled(_NETWORK).search(low, *near):
            yield Finding("password", start, start + len(value))


def _is_network_key(value: str) -> bool:
    if value.isalpha():
        return compiled(_NO_KEY).fullmatch(value.lower()) is None
    return not is_ordinary(value) and not compiled(r"[\d.:/-]{1,10}").fullmatch(value)


def _is_chosen(value: str) -> bool:
    """Whether somebody chose this as a password: letters and digits, and neither a name, a number nor a date."""
    if len(value) < 6 or not mixes_letters_and_digits(value) or is_reference(value) or is_ordinary(value):
        return False
    if compiled(r"(?i)[a-z]{1,8}[-_#]\d{1,9}|\d[\d.,:/-]*[a-z%]{1,3}|[a-z]{1,3}\d{1,4}|v?\d+(?:\.\d+)+\S*").fullmatch(
        value
    ):
        return False
    return "://" not in value and "(" not in value
