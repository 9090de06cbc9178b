"""Passwords and codes where people write them without an assignment: command lines, PINs, notes in words.

`secrets` reads names and values ("password: x"). Here a program's own way of taking a password says what is one, or a
word that a short number needs beside it, such as "PIN".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from heldtrue.domain.limits import SECRET_CHARS_MAX
from heldtrue.language.findings import Finding, compiled
from heldtrue.language.label_scan import has_digits, read_number, read_number_before
from heldtrue.language.secrets import is_reference, mixes_letters_and_digits, read_value

_ARGUMENTS = r"[^\n|;]{0,200}?[ \t]"
_NETWORK_KEY = (
    r"(?i)\b(?:wpa[23]?|wi-?fi|wlan|network|netzwerk)[ _-]?(?:key|schl\u00fcssel)[ \t]{0,2}(?:is|[:=])?[ \t]{1,2}(?=\S)"
)
_USER_OPTION = r"[ \t](?:-[uUln]|--user(?:name)?)(?:[ \t=:]{1,2}|(?=\w))(?![-\s])[\w.@\\-]{1,64}"
_STRONG = r"(?=[^\s/:]{0,40}\d)(?=[^\s/:]{0,40}[A-Za-z])[^\s/:]{6,64}(?:\s|$)"
# Each pattern ends where the password begins. They are read in small letters, apart from one-letter options.
_COMMANDS: tuple[tuple[str, str], ...] = (
    ("-p", rf"\b(?i:mysql\w*|mariadb\w*|7z[ar]?|(?:un)?rar)\b(?:{_ARGUMENTS})-p(?=[^\s=])"),
    (
        "-p",
        rf"\b(?i:sshpass|mongo(?:sh|dump|restore|export|import)?|(?:docker|podman|helm|cf|az|oc"
        rf"|skopeo|buildah)(?: registry)?"
        rf" login|htpasswd|rabbitmqadmin|cqlsh|clickhouse-client|ldapadd|kinit|vncdo|evil-winrm"
        rf"|impacket\w*|crackmapexec|nxc)\b(?:{_ARGUMENTS})-p[ \t=]?(?=\S)",
    ),
    ("sshpass", r"\b(?i:sshpass)[ \t]{1,3}-p[ \t]{0,2}(?=\S)"),
    (
        "-a",
        rf"\b(?i:redis-cli|valkey-cli|memtier_benchmark|redis-benchmark)\b(?:{_ARGUMENTS})(?:-a"
        rf"|--pass)[ \t=]{{1,2}}(?=\S)",
    ),
    ("-w", rf"\b(?i:ldap(?:search|modify|add|delete|whoami|passwd))\b(?:{_ARGUMENTS})-w[ \t]{{0,2}}(?=\S)"),
    (
        "%",
        rf"\b(?i:smbclient|smbmap|rpcclient|mount\.cifs|net)\b(?:{_ARGUMENTS})(?:-U"
        rf"|--user=?)[ \t]?[\"']?[\w.\\@+-]{{1,64}}%(?=\S)",
    ),
    ("/p", r"(?i)\b(?:xfreerdp|wfreerdp|mstsc|cmdkey|rdesktop)\b[^\n]{0,200}?[ \t]/p(?:ass)?:(?=\S)"),
    ("pass:", r"(?i)-pass(?:in|out)?[ \t]{1,2}pass:(?=\S)"),
    (
        "-storepass",
        r"(?i)-(?:storepass|keypass|srcstorepass|deststorepass|passphrase|admin-?pass(?:word)?|pwd"
        r"|password)[ \t]{1,2}(?=[^\s-])",
    ),
    (
        "--p",
        r"(?i)(?<!\S)--?(?:password|passwd|passphrase|pass|http-password|ftp-password"
        r"|proxy-password|db-pass(?:word)?|root-password"
        r"|admin-pass(?:word)?|registry-password|docker-password|vault-password|bind-?pw"
        r"|user-password|wp-pass|pw)(?:=|[ \t]{1,2})(?=[^\s-])",
    ),
    (
        "curl",
        rf"\b(?i:curl|wget|http|https|httpie|xh)\b(?:{_ARGUMENTS})(?:-u|--user|-a|--auth"
        rf"|--proxy-user|-U)(?:[ \t=]{{0,2}})[\"']?[\w.@+\\-]{{1,64}}:(?=\S)",
    ),
    (
        "identified",
        r"(?i)\bidentified(?:[ \t]with[ \t][\w'\"]{1,40})?[ \t]{1,3}by[ \t]{1,3}(?:password[ \t]{1,3})?(?=[\"'])",
    ),
    ("password '", r"(?i)\b(?:with|set|user|role|login)\b[^\n;]{0,80}?\bpassword[ \t]{0,3}=?[ \t]{0,3}(?=')"),
    ("requirepass", r"(?i)\b(?:requirepass|masterauth|sentinel auth-pass \w{1,40})[ \t]{1,3}(?=\S)"),
    (
        "chpasswd",
        r"(?i)\becho[ \t]{1,3}(?:-n[ \t])?[\"']?[\w.-]{1,64}:"
        r"(?=[^\s|]{1,200}[\"']?[ \t]{0,3}\|[ \t]{0,3}(?:sudo[ \t])?chpasswd)",
    ),
    ("sudo -s", r"(?i)\becho[ \t]{1,3}(?:-n[ \t])?(?=[^\s|]{1,200}[ \t]{0,3}\|[ \t]{0,3}sudo[ \t]{1,2}-s)"),
    ("net user", r"(?i)\bnet[ \t]{1,2}user[ \t]{1,2}[\w.-]{1,64}[ \t]{1,2}(?=[^\s/*])"),
    ("net use", r"(?i)\bnet[ \t]{1,2}use[ \t][^\n]{0,120}?/user:\S{1,80}[ \t]{1,2}(?=[^\s/])"),
    (
        "securestring",
        r"(?i)convertto-securestring[ \t]{1,2}(?:-string[ \t]{1,2})?"
        r"(?=[\"'][^\"'\n]{1,80}[\"'][^\n]{0,40}-asplaintext)",
    ),
    ("wifi:", r"(?i)wifi:(?:[a-z]:[^;\n]{0,64};){0,3}p:(?=[^;\s])"),
    ("password for", r"(?i)\bset[ \t]{1,2}password[ \t]{1,2}for[ \t][^\n=]{1,80}=[ \t]{0,2}(?=['\"])"),
    ("sshpass=", r"(?i)\bsshpass=(?=\S)"),
    ("--password-stdin", r"(?i)\becho[ \t]{1,3}(?:-n[ \t])?(?=[^\s|]{1,200}[ \t]{0,3}\|[^\n|]{0,80}--password-stdin)"),
    ("zip -p", r"(?i)\b(?:un)?zip[ \t]{1,2}-P[ \t]{0,2}(?=\S)"),
    ("-p ", rf"\b(?i:sqlcmd|bcp|osql|zip|unzip)\b(?:{_ARGUMENTS})-P[ \t]{{0,2}}(?=\S)"),
    ("snmp", rf"\b(?i:snmp\w{{2,10}})\b(?:{_ARGUMENTS})-[AX][ \t]{{1,2}}(?=\S)"),
    ("sqlplus", r"(?i)\bsqlplus[ \t][^\n/]{0,60}?[\w$.]{1,40}/(?=[^\s/@]{3,60}(?:@|\s|$))"),
    ("dp ", r"(?i)\b(?:impdp|expdp)[ \t]{1,2}[\w$.]{1,40}/(?=[^\s/@]{3,60}(?:@|\s|$))"),
    (
        " -a ",
        r"\b(?i:http|https|httpie|xh)[ \t]{1,2}(?:[^\n|;]{0,80}?[ \t])?(?:-a"
        r"|--auth)[ \t=]{1,2}[\"']?[\w.@+-]{1,64}:(?=\S)",
    ),
    ("mysql", rf"\b(?i:mysql\w*|mariadb\w*)\b(?:{_ARGUMENTS})-p[ \t]{{1,2}}(?=\S{{0,60}}[!@#$%^&*?])"),
    ("-p", rf"(?:{_USER_OPTION})(?:[^\n|;]{{0,120}}?[ \t])-[pP][ \t:]{{0,2}}(?=['\"]?{_STRONG})"),
    ("-p", r"(?<![\w-])(?:rdesktop|cypher-shell|beeline|cadaver)[^\n|;]{0,80}?[ \t]-[pP][ \t]{0,2}(?=\S)"),
    ("-pw", r"(?<=[ \t])-pw[ \t]{1,2}(?=\S)"),
    (
        "rabbitmqctl",
        r"(?i)\brabbitmqctl[ \t][^\n]{0,40}?(?:add_user"
        r"|change_password)[ \t]{1,2}[\w.@-]{1,64}[ \t]{1,2}(?=\S)",
    ),
    ("htpasswd", r"(?i)\bhtpasswd[ \t]{1,2}-(?=\w{0,5}n)\w{1,6}[ \t]{1,2}[\w.@-]{1,64}[ \t]{1,2}(?=\S)"),
    ("openssl passwd", r"(?i)\bopenssl[ \t]{1,2}passwd[ \t]{1,2}(?:-[\w-]{1,12}[ \t]{1,2}){0,4}(?=[^\s-])"),
    ("ldappasswd", r"(?i)\bldappasswd[ \t](?:[^\n]{0,80}?[ \t])?-[sa][ \t]{1,2}(?=\S)"),
    ("net use", r"(?i)\bnet[ \t]{1,2}use[ \t]{1,2}(?:[a-z]:[ \t]{1,2})?\\\\\S{1,80}[ \t]{1,2}(?=[^\s/*])"),
    ("lftp", r"(?i)\blftp[ \t](?:[^\n]{0,80}?[ \t])?-u[ \t]{0,2}[\w.@-]{1,64},(?=\S)"),
    ("rman", r"(?i)\brman[ \t]{1,2}target[ \t]{1,2}[\w$.]{1,40}/(?=[^\s/@]{3,60})"),
    *((hint, rf"\b{hint}[ \t]?[\w$.]{{1,40}}/(?=[^\s/@]{{3,60}}(?:@|\s|$))") for hint in ("imp ", "exp ")),
    ("encrypt_string", r"(?i)\bansible-vault[ \t]{1,2}encrypt_string[ \t]{1,2}(?=['\"])"),
    ("rediscli_auth", r"(?i)\brediscli_auth=(?=\S)"),
    *((hint, _NETWORK_KEY) for hint in ("wpa", "network key", "wifi key", "wi-fi key", "wlan", "netzwerk")),
    ("nmcli", r"(?i)\bnmcli\b[^\n]{0,120}?password[ \t]{1,2}(?=\S)"),
    ("wpa_passphrase", r"(?i)\bwpa_passphrase[ \t]{1,2}\S{1,64}[ \t]{1,2}(?=\S)"),
    ("htpasswd", r"(?i)\bhtpasswd[ \t]{1,2}-\w{0,5}b\w{0,5}[ \t]{1,2}\S{1,120}[ \t]{1,2}[\w.@-]{1,64}[ \t]{1,2}(?=\S)"),
    ("jdbc:", r"(?i)\bjdbc:oracle:\w{1,8}:[\w$.]{1,40}/(?=[^\s/@]{3,60}@)"),
    *((hint, rf"(?i)(?<!\w){hint}[\w.+-]{{1,64}}:(?=[^\s@/]{{4,80}}@[\w.-])") for hint in ("sip:", "sips:", "turn:")),
    ("psk", r"(?i)\b(?:psk|wpa[ _-]?(?:2|3)?[ _-]?(?:key|psk|pass\w*))[ \t]{0,3}[=:][ \t]{0,3}(?=\S)"),
)
_VALUE_ENDS = {"wifi:": r"[;\"'|]", "chpasswd": r"[;\"'|]", **dict.fromkeys(("jdbc:", "sip:", "sips:", "turn:"), "@")}
"""Signs that end a password where a space does not."""
_COMMAND_LINE = r"^\s*[$>] |\s(?:-u|-h|--user(?:name)?|--host|--login)[ =](?!(?:and|or|the)\b)\S"

_LOCKED = (
    "door|gate|alarm|entry|entrance|safe|lock|lock ?box|access|keypad|vault|garage|locker"
    "|building|unlock|disarm|voicemail"
    "|atm|bank|front door|back door|key ?safe|sim|phone|tablet|card|debit card|credit card"
    "|house|office|cabinet|lift|parking"
)
_PIN = (
    r"pin[ -]?(?:code|number|no|nr|nummer)|pincode|pins?|passcode|geheimzahl|geheimnummer|geheimcode|puk(?:[ -]?code)?"
    r"|code (?:pin|secret|confidentiel|d'acc[e\u00e8]s|porte)|digicode|c[o\u00f3]digo (?:pin"
    r"|secreto|de acceso|de acesso)"
    r"|codice (?:pin|segreto|di accesso)|\u043f\u0438\u043d-?\u043a\u043e\u0434\w?"
    r"|t\u00fcrcode|zugangscode|toegangscode"
    r"|combination|key ?pad|(?:safe|gate|door|garage|padlock|vault|lock|box|phone|tablet|ipad|laptop)"
    r" (?:opens|unlocks) with"
    r"|codes? (?:de l['\u2019]|d['\u2019]|de la |de |du |des )(?:immeuble|entr[e\u00e9]e|alarme|porte\w*|portail"
    r"|b\u00e2timent"
    r"|coffre\w*|parking|garage|hall|cadenas|interphone|grille|carte\w*)"
    r"|c[o\u00f3]digo de(?:l| la)? (?:la )?(?:alarma|portal|puerta|caja|candado|garaje|port\u00f3n|edificio|tarjeta"
    r"|entrada|porta|alarme)"
    r"|codice de(?:l|lla|ll['\u2019]) ?(?:cancello|portone|allarme|cassaforte|porta|garage|lucchetto|citofono|carta"
    r"|bancomat)"
    r"|(?:alarm|tor|haus|haust\u00fcr|tresor|garagen|schl\u00fcsselbox|schloss|keller|eingangs|sperr"
    r"|schlie\u00dffach|deur|poort|kluis)-?code"
    r"|code (?:f\u00fcr|vom|von|zum|zur|van|voor)(?: de[rmn]?| die| das| het)? (?:t\u00fcr|haust\u00fcr|tor|alarm\w*"
    r"|tresor|garage"
    r"|schl\u00fcssel\w*|safe|deur|voordeur|kluis|poort|hek|keller|schloss)"
    r"|kod (?:do|na) \w{3,14}|pincode (?:van|voor)(?: de| het| mijn)? \w{3,14}"
    rf"|(?:{_LOCKED}) ?(?:code|combination|combo|pin)"
    rf"|(?:code|combination) (?:for|to|of) (?:the |my |our |your )?(?:\w{{1,20}} ){{0,2}}(?:{_LOCKED})"
)
_PIN_VALUE = (
    r"[*#]?(?:[A-DF-Z]?\d{4,8}[A-DF-Z]?|\d(?:[ -]\d){3,7}|\d{1,2} (?:klucz|key|cl[e\u00e9]|schl\u00fcssel) \d{4}"
    r"|\d{2,4}(?:[ -]\d{2,4}){1,3})[*#]?(?![\w/])(?![.,:]\d)(?!-\d)(?! ?(?:digits?|characters?"
    r"|px|mm|ms|kb|mb|gb|times|users|people|requests|items|bytes|seconds|minutes|hours|days"
    r"|attempts|pins|%))"
)
_CODE = (
    r"otp(?: code)?|one[- ]time (?:pass)?(?:code|word|pin)|verification codes?"
    r"|2fa (?:backup )?codes?|mfa codes?|two-factor codes?|totp (?:seed|secret)|backup codes?"
    r"|recovery (?:codes?|key)|scratch codes?"
    r"|(?:your|sms|security|confirmation|activation) code|authenti(?:cation|cator) codes?"
    r"|login code|confirmation pin|best\u00e4tigungscode"
    r"|einmal(?:code|passwort|kennwort)|code de v[e\u00e9]rification"
    r"|c[o\u00f3]digo de verificaci[o\u00f3]n|codice di verifica|wiederherstellungscodes?"
    r"|transaktionsnummer|m?tan"
)
_CODE_VALUE = (
    r"(?:\d{3}[ -]\d{3,4}|\d{4}[ -]\d{4}|\d{5,8}|[A-Z2-7]{16,64}"
    r"|[A-Za-z0-9]{4,6}(?:-[A-Za-z0-9]{4,6}){1,9}|(?=[a-z]*\d)(?=\d*[a-z])[a-z0-9]{8,12})"
    r"(?![\w/])(?![.,:]\d)(?! ?(?:digits?|characters?|users|attempts|times|%))"
)
_SHORT_HINTS = (
    *(
        "pin",
        "passcode",
        "geheim",
        "puk",
        "code",
        "c\u00f3digo",
        "codigo",
        "codice",
        "digicode",
        "\u043f\u0438\u043d",
        "combination",
        "combo",
        "otp",
    ),
    *(
        "one-time",
        "one time",
        "tan",
        "recovery key",
        "einmal",
        "totp",
        "kod ",
        "alarm",
        "disarm",
        "tresor",
        "door",
        "gate",
        "safe",
        "lock",
    ),
    *("garage", "keypad", "t\u00fcr", "porta", "puerta"),
)
_WORDS_BETWEEN = {"pin": 0, "one-time-code": 2}
_NEXT_PIN = (
    r",?[ \t](?:and|y|et|und|e|en|i)[ \t](?:[^\W\d_'\u2019]{1,12}['\u2019 \t]){1,5}?(?:(?:is|est|es|ist|\u00e8"
    r"|:)[ \t])?(?=\d{4,6}(?![\w/.:-]))"
)
"""The way from one code to the next: "alarm 5193 and the one for the gate 0864"."""
_KEYED_IN = (
    r"(?<![^\W_])(?:type|enter|punch(?: in)?|key in|dial|tap|press|input|tippe|tape[rz]?|marca|gib)(?:[ \t](?:in"
    r"|the code"
    r"|code))?"
    r"[ \t](?=[*#]?(?!(?:19|20)\d\d(?!\d))\d{4,6}[*#]?(?![\w/.:-]))"
)
_LOCK_BESIDE = (
    r"(?<![^\W_])(?:alarm|tresor|safe|lock ?box|key ?safe|gate|door|garage|padlock|garagentor"
    r"|haust\u00fcr)(?::[ \t]?|[ \t])"
    r"(?=[*#]?(?!(?:19|20)\d\d(?!\d))\d{4,6}[*#]?,?[ \t][^.\n\d]{0,24}"
    r"(?:disarm|press|star\b|hash\b|pound\b|turn|drehen|unlock|push|pull|dr\u00fccken))"
)
"""A lock right before digits that something is done with."""
_NEAR_LOCK = (
    r"alarm|disarm|unlock|door|gate|keypad|key ?pad|lock ?box|key ?safe|\bsafe\b|garage|entrance|intercom|buzzer"
    r"|padlock|\block\b|t\u00fcr\b|tresor"
    r"|portail|porte\b|digicode|puerta|portal\b|cancello|portone"
)
_NEAR_LOCK_CHARS = 80
_IS_SAID = (
    r"\s{0,3}(?:[:=]|(?:is|was|ist|lautet|est|es|\u00e8)\b"
    r"|(?:for|of|to|f\u00fcr|von|de|du|del|della)\s[^.\n\d]{1,30}(?::|=|\b(?:is|was|ist|est?|\u00e8)\b))"
)
_SAID_NAMES = ("password", "passwort", "passc", "passphrase", "kennwort", "mot de passe", "contrase")
_SAID_FIRST = (
    r"[\"'`]?(?:[ \t]{1,2}\((?:the )?|[ \t]{1,2}(?:is|was|as|ist|est|es|\u00e8)[ \t]"
    r"(?:(?:the|my|our|your|his|her|their|its|das|mein|le|mon|la|mi|new|old|current|admin|root"
    r"|wi-?fi|temporary|default|initial|master|shared|a)[ \t]){0,4})$"
)
_CODE_OF_MANY = r"(?:bank|office|building|phone|card|house|parking|lift|access) ?code"
_LONGEST_BRIDGE, _LONGEST_WORD = 60, 64


def find_credentials(text: str, low: str) -> Iterator[Finding]:
    """The passwords in command lines, and those that are said before their name."""
    yield from _find_in_commands(text, low)
    if any(map(low.__contains__, _SAID_NAMES)):
        yield from _find_said_first(text, low)


def find_codes(text: str, low: str) -> Iterator[Finding]:
    """PINs and codes for one use, beside their word, in a text that has digits."""
    if not any(map(low.__contains__, _SHORT_HINTS)):
        return
    yield from _find_keyed_in(text, low)
    for match in compiled(code_names()).finditer(low):
        kind = "pin" if match["pin"] else "one-time-code"
        value = compiled(_PIN_VALUE if kind == "pin" else _CODE_VALUE)
        named = _names_a_code(text, match)
        found = read_number(text, match.end(), value, words_max=_WORDS_BETWEEN[kind]) if named else None
        found = found or read_number_before(text, low, match.start(), value)
        while found is not None and (has_digits(found[0], 3) or (found[0].isupper() and has_digits(found[0], 1))):
            yield Finding(kind, found.start(), found.end())
            listed = compiled(r"[ \t]*[,;/|]?\s{1,6}(?:[-*\d.)]{1,3}[ \t])?").match(text, found.end())
            if kind == "pin":
                listed = compiled(_NEXT_PIN).match(low, found.end())
            found = value.match(text, listed.end()) if listed else None


def _find_keyed_in(text: str, low: str) -> Iterator[Finding]:
    """Digits that somebody is told to key in at a door or an alarm."""
    for match in compiled(_KEYED_IN).finditer(low):
        near = max(0, match.start() - _NEAR_LOCK_CHARS), match.end() + _NEAR_LOCK_CHARS
        if compiled(_NEAR_LOCK).search(low, *near) and (found := compiled(_PIN_VALUE).match(text, match.end())):
            yield Finding("pin", found.start(), found.end())
    for match in compiled(_LOCK_BESIDE).finditer(low):
        if found := compiled(_PIN_VALUE).match(text, match.end()):
            yield Finding("pin", found.start(), found.end())


def _find_in_commands(text: str, low: str) -> Iterator[Finding]:
    for hint, pattern in _COMMANDS:
        if hint not in low:
            continue
        place, rule = 0, compiled(pattern)
        while match := rule.search(text, place):
            start, value, quoted = read_value(text, match.end())
            place = max(match.end(), start + len(value))
            if ends := _VALUE_ENDS.get(hint):
                value = re.split(ends, value, maxsplit=1)[0]
            if _is_argument(hint, value, quoted=quoted, line=_line_of(text, match.start())):
                yield Finding("password", start, start + len(value))


def _is_argument(hint: str, value: str, *, quoted: bool, line: str) -> bool:
    """Whether a program would take this as a password: not a switch, a variable, a file, or a word of a sentence."""
    if len(value) < 3 or len(value) > SECRET_CHARS_MAX or value.startswith("-") or is_reference(value):
        return False
    if quoted or mixes_letters_and_digits(value):
        return not compiled(r"\d{1,5}(?::\d{1,5})?(?:/\w+)?").fullmatch(value)
    if hint in ("wpa", "wlan") or hint.endswith((" key", "netzwerk")):
        return False  # "WPA2 key management": a key has digits
    if hint in ("--p", "-storepass") and value.isalpha():
        # "--password or --token" in a sentence: a command names the user as well, or stands behind a prompt
        return len(value) >= 6 and compiled(_COMMAND_LINE).search(line) is not None
    return len(value) >= 4


def _line_of(text: str, at: int) -> str:
    start = max(text.rfind("\n", 0, at) + 1, at - 200)
    end = text.find("\n", at, at + 400)
    return text[start : end if end != -1 else at + 400]


@cache
def code_names() -> str:
    """The names of codes, as a pattern over small letters."""
    return rf"(?<![^\W_])(?:(?P<pin>{_PIN})|(?P<code>{_CODE}))(?![^\W\d_])"


def _names_a_code(text: str, match: re.Match[str]) -> bool:
    """Whether a short word is meant as a name: "PIN", "pin:" or "my pin is", not "pin it to 2024"."""
    word = text[match.start() : match.end()]
    if match[0] == "combination":
        near = text[max(0, match.start() - _NEAR_LOCK_CHARS) : match.end() + _NEAR_LOCK_CHARS].lower()
        return compiled(_NEAR_LOCK).search(near) is not None
    if compiled(_CODE_OF_MANY).fullmatch(match[0]):  # a bank, an office and a town have codes that are no secret
        return compiled(rf"(?:{_IS_SAID})\s{{0,2}}(?!(?:19|20)\d\d\b)").match(text, match.end()) is not None
    if match[0] not in ("pin", "pins", "tan", "mtan"):
        return True
    if word.isupper() and match[0] != "tan":
        return compiled(r"[ \t]\d{1,3}(?!\d)").match(text, match.end()) is None
    following = text[match.end() : match.end() + 40]
    before = text[max(0, match.start() - 24) : match.start()].lower()
    if compiled(_IS_SAID).match(following):
        return True
    return compiled(r"(?:card|sim|bank|atm|my|phone|tablet|debit|credit|safe|door|alarm)\s$").search(before) is not None


def _find_said_first(text: str, low: str) -> Iterator[Finding]:
    """A password before its name: "X is the password", "X (password)"."""
    for name in compiled("|".join(_SAID_NAMES)).finditer(low):
        bridge = compiled(_SAID_FIRST).search(low, max(0, name.start() - _LONGEST_BRIDGE), name.start())
        if bridge is None:
            continue
        end = bridge.start()
        word = compiled(r"[\s\"'`()]").split(text[max(0, end - _LONGEST_WORD) : end])[-1]
        value = word.rstrip(".,;:")
        if len(value) >= 6 and mixes_letters_and_digits(value) and not is_reference(value) and "://" not in value:
            yield Finding("password", end - len(word), end - len(word) + len(value))
