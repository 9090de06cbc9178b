"""Numbers of people that have no form of their own, found beside the word that names them, in several languages.

One row of `_LABELS` says how a kind is called, what its number looks like, and how many other words may stand between
the two: none where the word also means something else ("account", "passport" the library).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache, lru_cache

import msgspec

from heldtrue.language import check_digits
from heldtrue.language.bank_pairs import find_account_beside, find_bank_pairs
from heldtrue.language.findings import Finding, compiled
from heldtrue.language.label_scan import bare, has_digits, read_number, read_number_before

_G = "[ \u00a0\u2009\u202f./\u2010-\u2013-]?"
_END = (
    r"(?![A-Za-z0-9])(?![.,]\d)(?!-\d)(?! ?(?:ns|ms|\u00b5s|kb|mb|gb|bytes|rows|lines|px|km|requests|records|entries"
    r"|users|items)\b)"
)
_ID = (
    r"(?=[A-Za-z0-9])[A-Z]{0,8}(?:[ -]?(?=[A-Za-z]{0,6}\d)[A-Za-z0-9]{1,22}+){1,6}+"
    rf"(?:[ -][A-Z0-9]{{1,5}}(?=[\s.,;)]|$))?{_END}"
)
"""Capitals and digits in one to seven groups."""


def _digits(count: str) -> str:
    """So many digits, with at most one sign between two."""
    low, _, high = count.partition(",")
    return rf"\d(?:{_G}\d){{{int(low) - 1},{int(high or low) - 1}}}{_END}"


_PASSPORT = (
    r"(?:passport|pasaporte|passeport|passaport[oe]|reisepass|paspoort|pass(?=-?(?:nummer|nr))|paszport\w{0,2}"
    r"|\u00fatlev\u00e9l"
    r"|pasportu?|passi|pasaport|cestovn\u00ed pas|(?:\u0437\u0430\u0433\u0440\u0430\u043d)?"
    "\u043f\u0430\u0441\u043f\u043e\u0440\u0442\\w{0,3}|\u62a4\u7167\u53f7?\u7801?)"
)


class _Label(msgspec.Struct, frozen=True):
    kind: str
    names: str
    """How the kind is called, in small letters."""
    value: str
    words_max: int = 3
    """How many words that say nothing about the number may stand between."""
    check: Callable[[str], bool] | None = None
    """What a bare number must fulfil."""
    near: str | None = None
    """What must stand near the name, where the name alone says too little."""

    def accepts(self, written: str) -> bool:
        """Whether a number, as it is written, fulfils what the kind asks for."""
        return self.check is None or self.check(bare(written))


_LABELS: tuple[_Label, ...] = (
    _Label(
        "card-code",
        r"(?:digits|digit (?:code|number)|code|number) (?:on|at) the (?:back|rear|reverse|front|signature strip)"
        r"|cvv2?|cvc2?|cvn2?|csc|cvd|cav2|cryptogramme(?: visuel)?"
        r"|card verification(?: value| code| number)?|card security (?:code|number)",
        r"\d{3,4}(?![\w/])(?!\.\d)",
    ),
    _Label(
        "card-code",
        r"security code(?! (?:review|scan|path|audit|freeze|analysis))|security number|kartenpr\u00fcf(?:nummer"
        r"|ziffer)|pr\u00fcfnummer|pr\u00fcfziffer"
        r"|c[o\u00f3]digo de (?:seguridad|seguran[c\u00e7]a)|code de s[e\u00e9]curit[e\u00e9]|codice di sicurezza"
        r"|sicherheitscode|beveiligingscode",
        r"\d{3,4}(?![\w/])(?!\.\d)",
        1,
    ),
    _Label(
        "card-code",
        r"cid|(?:front|back|amex|card|3[- ]digit|4[- ]digit|three[- ]digit|four[- ]digit) (?:front |back )?code"
        r"|(?<!last )(?<!first )(?:3|4|three|four|extra|small) (?:digits|numbers)(?! (?:on|at) the)|pr\u00fcfcode",
        r"\d{3,4}(?![\w/%])(?!\.\d)(?! ?(?:error|errors|status|lines|times|times|of)\b)",
        1,
        near=r"amex|cvv|cvc|visa|mastercard|(?:credit|debit|bank) ?card"
        r"|on the back|kreditkarte|carte bancaire|tarjeta de",
    ),
    _Label(
        "card-number",
        r"(?:credit |debit |kredit|bank)?(?:card|karten?)(?:number|nummer)?|visa|mastercard|amex|pan",
        _digits("12,19"),
        3,
        check_digits.passes_luhn,
    ),
    _Label(
        "social-security-number",
        r"ssn|s\.s\.n|ss#|social security|soc(?:ial)?\.? ?sec(?:urity)?\.?",
        rf"\d{{3}}{_G}\d{{2}}{_G}\d{{4}}{_END}",
        4,
    ),
    _Label("social-security-number", r"social", rf"\d{{3}}{_G}\d{{2}}{_G}\d{{4}}{_END}", 0),
    _Label(
        "tax-number",
        r"itin|individual taxpayer(?: id\w*)?|taxpayer id\w*|tax id\w*|tax (?:number|no)|tin|ein|fein|federal id\w*"
        r"|employer id\w*|business tax",
        _digits("9,13"),
        3,
    ),
    _Label(
        "social-security-number",
        r"national insurance|nino|n\.?i\.? (?:number|no|num)|nin",
        rf"[A-Za-z]{{2}}{_G}\d{{2}}{_G}\d{{2}}{_G}\d{{2}}(?:{_G}[A-Da-d])?{_END}",
        4,
    ),
    _Label(
        "tax-number",
        r"utr|unique taxpayer(?: reference)?|tax(?:payer)? ref(?:erence)?|self[- ]assessment",
        _digits("10"),
        3,
    ),
    _Label("health-number", r"nhs (?:number|no|num|id|nr)", _digits("10"), 3),
    _Label("health-number", r"nhs", _digits("10"), 3, check_digits.passes_nhs),
    _Label(
        "tax-number",
        r"steuer-?(?:identifikations)?-? ?(?:id|nummer|nr|ident-?nummer|ident-?nr)|identifikations-?(?:nummer|nr)"
        r"|steuerliche (?:id|identifikation|nummer|identifikationsnummer)"
        r"|steuer-?idnr|idnr|id-nr|steuer",
        rf"(?:\d{{2}}{_G}\d{{3}}{_G}\d{{3}}{_G}\d{{3}}|\d{{2,3}} ?/ ?\d{{3,4}} ?/ ?\d{{4,5}}|\d{{10,13}}){_END}",
    ),
    _Label(
        "social-security-number",
        r"sozialversicherungs?-?(?:nummer|nr)?|sv-?(?:nummer|nr)|rentenversicherungs?-?(?:nummer"
        r"|nr)|versicherungsnummer"
        r"|rvnr|vsnr|svnr|rv-nummer|pension insurance(?: number)?",
        rf"(?:\d{{2}}{_G}\d{{2}}{_G}\d{{2}}{_G}\d{{2}}{_G}[A-Za-z]{_G}\d{{2}}{_G}\d|\d{{4}}{_G}\d{{6}}){_END}",
    ),
    _Label(
        "social-security-number",
        r"nir|s[e\u00e9]cu(?:rit[e\u00e9] sociale)?|insee|immatriculation|n\u00b0 ?ss|assur[e\u00e9]|matricule",
        rf"[1-478]{_G}\d{{2}}{_G}\d{{2}}{_G}(?:\d{{2}}"
        rf"|2[AaBb]){_G}\d{{3}}{_G}\d{{3}}(?:{_G}(?:cl[e\u00e9] ?)?\d{{2}})?{_END}",
        4,
    ),
    _Label(
        "tax-number",
        r"(?:num[e\u00e9]ro|n\u00b0|no|identifiant|r[e\u00e9]f[e\u00e9]rence) fiscal(?:e)?|spi"
        r"|fiscal (?:number|id|ref\w*)|num fiscal",
        rf"[0-3]{_digits('13')[2:]}",
    ),
    _Label(
        "national-id",
        r"d\.?n\.?i|n\.?i\.?f|n\.?i\.?e|documento nacional|c[e\u00e9]dula",
        rf"(?:[XYZxyz]{_G})?\d{{1,2}}{_G}\d{{3}}{_G}\d{{2,3}}{_G}[A-Za-z]{_END}",
    ),
    _Label("social-security-number", r"seguridad social|n\.?s\.?s|n\.\u00ba ss|naf", _digits("12"), 3),
    _Label(
        "tax-number",
        r"codice fiscale|cod\.? ?fisc\w*|c\.?f\.?|tax code|fiscal code",
        r"[A-Za-z]{3} ?[A-Za-z]{3} ?[\dA-Za-z]{2} ?[A-Za-z] ?[\dA-Za-z]{2} ?[A-Za-z][\dA-Za-z]{3} ?[A-Za-z]"
        r"(?![A-Za-z0-9])",
        3,
        lambda code: has_digits(code, 4),
    ),
    # other countries
    _Label("national-id", r"a+dh?a+r(?: card| number)?", _digits("12"), 3),
    _Label(
        "tax-number", r"pan(?: card| number| no)?|permanent account number", rf"[A-Za-z]{{5}}\d{{4}}[A-Za-z]{_END}", 2
    ),
    _Label("tax-number", r"cpf", _digits("11"), 3),
    _Label("social-security-number", r"sin|social insurance(?: number)?", _digits("9"), 1, check_digits.passes_luhn),
    _Label("tax-number", r"tfn|tax file(?: number| no)?", _digits("8,9"), 3),
    _Label("tax-number", r"bsn|burgerservicenummer|sofinummer|nif|contribuinte", _digits("9"), 2),
    _Label("national-id", r"pesel", _digits("11"), 3),
    _Label(
        "national-id",
        r"personnummer|personal identity number|cpr(?:-nummer| number|-nr)?|f\u00f8dselsnummer|hetu|henkil\u00f6tunnus",
        r"\d{6,8}[-+Aa ]?(?:\d{4,5}|\d{3}[A-Za-z])(?!\w)",
        2,
    ),
    _Label("social-security-number", r"ahv(?:-nummer|-nr)?|avs", _digits("13"), 3),
    _Label("national-id", r"ppsn?|pps (?:number|no)", rf"\d{{7}}[A-Wa-w][A-Ia-iWw]?{_END}", 2),
    _Label(
        "national-id",
        r"my number|resident registration|rrn|rijksregister\w*|national register|registre national"
        r"|national id(?:entity)?(?: card)?|identity (?:card|number)|id card|id-card"
        r"|personalausweis\w*|ausweis(?:nummer|nr)?|carte d'identit[e\u00e9]"
        r"|carta d'identit[a\u00e0]|documento de identidad|curp",
        _ID,
        2,
        lambda value: has_digits(value, 5),
    ),
    _Label(
        "national-id",
        "\u8eab\u4efd\u8bc1\u53f7?\u7801?|\u30de\u30a4\u30ca\u30f3\u30d0\u30fc|\uc8fc\ubbfc\ub4f1\ub85d\ubc88\ud638",
        r"\d{6}-?\d{6,7}(?:\d{4}[\dXx])?(?!\w)",
        2,
    ),
    # banks
    _Label("sort-code", r"sort ?-?codes?|s/c|sc", r"\d{2}[ .\u2010-\u2013-]\d{2}[ .\u2010-\u2013-]\d{2}(?!\d)", 3),
    _Label("sort-code", r"sort ?-?codes?", r"\d{6}(?!\d)", 0),
    _Label("sort-code", r"sort", r"\d{2}[ .\u2010-\u2013-]\d{2}[ .\u2010-\u2013-]\d{2}(?!\d)", 0),
    _Label(
        "routing-number",
        r"routing(?: transit)?(?: number| no| num| nr| code)?|aba(?: number| routing)?|rtn|rt#"
        r"|n[u\u00fa]mero de (?:ruta|tr[a\u00e1]nsito)"
        r"|ruta(?: bancaria)?|num[e\u00e9]ro d'acheminement|transit",
        _digits("9"),
        3,
        check_digits.passes_aba,
    ),
    _Label(
        "routing-number",
        r"bankleitzahl|blz|bsb|transit number|institution number|ifsc(?: code)?",
        rf"(?:[A-Z]{{4}}0[A-Z0-9]{{6}}|\d{{3}}{_G}\d{{3}}{_G}\d{{0,3}}){_END}",
        2,
    ),
    _Label(
        "bank-account",
        r"(?:bank |giro |checking |savings |current )?(?:account|acct|acc|a/c)\.? ?(?:number|no|nr"
        r"|num|#)|bank (?:account|acct)|kontonummer"
        r"|konto-?nr|kto(?:-nr)?|girokonto|num[e\u00e9]ro de compte|compte bancaire"
        r"|n[u\u00fa]mero de cuenta|cuenta bancaria|cuenta corriente"
        r"|numero di conto|conto corrente|rekeningnummer|checking account|savings account|clabe"
        r"|bank(?:ing)? details|bankverbindung|account ending",
        _digits("6,18"),
        2,
    ),
    # papers
    _Label(
        "passport-number",
        rf"{_PASSPORT}(?:[ -]?(?:number|no|nr|nummer|num|n\u00b0|#))?|pp ?(?:#|no|number|nr|num)"
        rf"|travel document(?: number| no)?",
        _ID,
        2,
        lambda value: has_digits(value, 3) and 6 <= len(value) <= 12,
    ),
    _Label(
        "passport-number",
        rf"{_PASSPORT}[ -]?(?:number|no|nr|nummer|num|n\u00b0|#)",
        r"[A-Z0-9]{8,9}(?![A-Za-z0-9])",
        1,
        lambda value: has_digits(value, 1),
    ),
    _Label(
        "passport-number",
        r"numbered|(?:old|new|previous|other|second|first|expired) one",
        _ID,
        1,
        lambda value: has_digits(value, 5) and 7 <= len(value) <= 10,
        near=_PASSPORT,
    ),
    _Label(
        "driving-licence",
        r"licen[cs]e (?:number|no|nr|#)",
        rf"[A-Z]{{0,2}}\d{{6,9}}{_END}",
        0,
    ),
    _Label(
        "driving-licence",
        r"driv(?:ing|er'?s?|er\u2019s) ?-?(?:licen[cs]e|permit)|dl(?: number| no|#)|dvla"
        r"|f\u00fchrerschein\w*|permis de conduire|permiso de conducir|carn[e\u00e9] de conducir"
        r"|patente(?: di guida)?|rijbewijs\w*|carta de condu\u00e7\u00e3o|licencia de conducir",
        _ID,
        3,
        lambda value: has_digits(value, 4),
    ),
    _Label(
        "driving-licence",
        r"licen[cs]e",
        _ID,
        1,
        lambda value: has_digits(value, 4) and 6 <= len(value) <= 18,
        near=r"hire car|rental|rent a car|driv|dvla|dmv|car hire|vehicle hire",
    ),
    _Label(
        "health-number",
        r"(?:health|medical|medicare|medicaid|dental|patient|insurance|insurance member"
        r"|health plan|health insurance)"
        r" ?(?:card|insurance|record|plan|policy|member|subscriber|care)? ?(?:number|no|nr|num|id"
        r"|#)|medicare(?: number| card)?|medicaid|mrn|medical record(?! count|s? total)"
        r"|health insurance|health plan(?: policy)?|krankenversicherung|kvnr|krankenversicherten?-?(?:nummer|nr)"
        r"|krankenversicherungs?-?(?:nummer|nr)|krankenkassen?-?(?:nummer|nr)|krankenkasse"
        r"|versichertennummer|gesundheitskarte|ehic"
        r"|carte vitale|tessera sanitaria|tarjeta sanitaria|n[u\u00fa]mero de afiliado"
        r"|num[e\u00e9]ro d'assur\u00e9|health card|hicn|mbi|zorgpas\w*|mutuelle|ohip(?: card)?|ramq|phn",
        _ID,
        2,
        lambda value: has_digits(value, 5),
    ),
    _Label(
        "health-number",
        r"(?:policy|subscriber|member|membership) ?(?:number|no|nr|num|id|#)",
        _ID,
        1,
        lambda value: has_digits(value, 5) and not value.isdigit(),
    ),
    _Label("imei", r"imei2?", _digits("15,16"), 3, lambda digits: check_digits.passes_luhn(digits[:15])),
)
_OWNED = ("passport-number", "social-security-number", "tax-number", "national-id", "driving-licence")
_MOST_OWNERS = 6
_NEXT_OWNER = (
    r"\)?(?:,|;|[ \t](?:and|und|et|y|e|&))[ \t](?:[^\W\d_]{1,20}(?:['\u2019]s)?[ \t]){1,3}"
    r"(?:(?:is|ist|est|es)[ \t]|:[ \t]|\()?(?=[A-Z0-9])"
)
_LONGEST_WEAK = 4
_NEAR_CHARS = 120
_BEFORE_NUMBER, _BEHIND_NUMBER = 200, 100
_SIX_DIGITS = r"[A-Za-z]{5}\d{4}[A-Za-z]|\d(?:[ ./A-Za-z\u00a0\u2009\u202f\u2010-\u2013-]?\d){5}"
"""What every number above contains, apart from what belongs to a card, and papers with many letters."""
_SHORT_PARTS = (
    *(
        "on the back",
        "passp",
        "passep",
        "pasap",
        "passap",
        "pasp",
        "paszp",
        "pasportu",
        "\u043f\u0430\u0441\u043f",
        "pp#",
        "pp no",
        "pp number",
        "cid",
        "digits",
        "numbers",
        "code",
        "reisepass",
        "driv",
        "f\u00fchrersch",
        "permis",
        "medic",
        "patient",
        "ausweis",
    ),
    *(
        "cv",
        "csc",
        "security",
        "verification",
        "sicher",
        "beveil",
        "segur",
        "s\u00e9curit",
        "securit",
        "sicurezza",
        "pr\u00fcf",
        "cryptogr",
    ),
)
_CLOUD = (
    r"(?:aws|azure|gcp|google|cloud|github|stripe|customer|user|service|ledger|gl|tenant"
    r"|support|email|twitter|member)[\s_-]*$"
)
_EXPIRY_NAME = (
    r"(?<![a-z])(?:exp(?:iry|ires?|iring|iration|\.)?(?: ?date)?|valid (?:thru|through|until|to"
    r"|till)|good (?:thru|through)|thru"
    r"|g\u00fcltig bis|g\u00fcltig|expire(?: le| fin)?|date d'expiration"
    r"|caduca(?:\u00e7\u00e3o|cidad)?|vence|vencimiento|validade|scadenza|ablaufdatum"
    r"|verf\u00e4llt)(?![a-z])"
)
_EXPIRY = (
    r"(?:0?[1-9]|1[0-2]) ?[/.-] ?(?:20)?[2-4]\d(?![\d/-])(?!\.\d)"
    r"|(?:0[1-9]|1[0-2])[2-4]\d(?!\d)"
)
_NEAR_CARD = (
    r"card|(?<!her )(?<!his )(?<!work )(?<!student )(?<!tourist )(?<!schengen )visa|master ?card|amex|cvv|cvc|karte"
    r"|carte|tarjeta|carta|cart\u00e3o|\[redacted:card"
)


def find_labelled_numbers(text: str, low: str) -> Iterator[Finding]:
    """The numbers that are known by the word beside them."""
    banks: list[Finding] = []
    for start, end in _near_numbers(text, low):
        for match in compiled(number_names()).finditer(low, start, end):
            for found in _read_values(text, low, match):
                if found.kind in ("sort-code", "routing-number"):
                    banks.append(found)
                yield found
    if banks:
        yield from find_account_beside(text, low, banks, _digits("6,17"))
    yield from find_bank_pairs(text, low)
    if compiled(_NEAR_CARD).search(low):
        yield from _find_expiry(text, low)


def _near_numbers(text: str, low: str) -> Iterator[tuple[int, int]]:
    """The parts of a text in which a name can have a number: not far before or behind one."""
    if any(map(low.__contains__, _SHORT_PARTS)):
        yield 0, len(low)
        return
    start = end = 0
    for match in compiled(_SIX_DIGITS).finditer(text):
        if match.start() - _BEFORE_NUMBER > end:
            yield start, end
            start = match.start() - _BEFORE_NUMBER
        end = match.end() + _BEHIND_NUMBER
    yield start, min(end, len(low))


@cache
def number_names() -> str:
    """The names of all kinds, as a pattern over small letters."""
    names = "|".join(_loosely_joined(label.names) for label in _LABELS)
    return rf"(?<![^\W_])(?:{names})(?![^\W\d_])"


@lru_cache(maxsize=256)
def _labels_of(name: str) -> tuple[_Label, ...]:
    """The kinds that go by a name; some share one."""
    return tuple(label for label in _LABELS if compiled(_loosely_joined(label.names)).fullmatch(name))


def _loosely_joined(names: str) -> str:
    """Names whose words may also be joined by a sign or by nothing: `sort_code`, `sortCode`."""
    joined: str = compiled(r"(\[[^\]]*\]|\(\?<!\w+ \))| ").sub(lambda part: part[1] or "[ _-]?", names)
    return joined


def _read_values(text: str, low: str, name: re.Match[str]) -> Iterator[Finding]:
    """The number that a name announces."""
    for label in _labels_of(name[0]):
        if label.kind == "bank-account" and compiled(_CLOUD).search(low, max(0, name.start() - 16), name.start()):
            continue
        near = max(0, name.start() - _NEAR_CHARS), name.end() + _NEAR_CHARS
        if label.near and not compiled(label.near).search(low, *near):
            continue
        value = compiled(label.value)
        # A short word in small letters is often just a word ("tin"): then nothing may stand between.
        is_weak = name.end() - name.start() <= _LONGEST_WEAK and text[name.start() : name.end()].islower()
        found = read_number(text, name.end(), value, words_max=0 if is_weak else label.words_max)
        found = found or read_number_before(text, low, name.start(), value)
        if found is not None and label.accepts(found[0]):
            yield Finding(label.kind, found.start(), found.end())
            yield from _read_next_owners(text, label, found.end())
            return


def _read_next_owners(text: str, label: _Label, end: int) -> Iterator[Finding]:
    """The numbers of further people: "Ada's passport is X and Bo's is Y"."""
    for _ in range(_MOST_OWNERS if label.kind in _OWNED else 0):
        bridge = compiled(_NEXT_OWNER).match(text, end)
        found = compiled(label.value).match(text, bridge.end()) if bridge else None
        if found is None or not label.accepts(found[0]):
            return
        yield Finding(label.kind, found.start(), found.end())
        end = found.end()


def _find_expiry(text: str, low: str) -> Iterator[Finding]:
    for match in compiled(_EXPIRY_NAME).finditer(low):
        near = compiled(_NEAR_CARD).search(low, max(0, match.start() - 120), min(len(low), match.end() + 80))
        found = read_number(text, match.end(), compiled(_EXPIRY), words_max=1) if near else None
        if found is not None:
            yield Finding("card-expiry", found.start(), found.end())
