"""Numbers of people that their own form gives away: cards, accounts, and numbers of authorities with a check digit.

A check digit alone proves little (one number in ten passes Luhn's), so a card needs the prefix and length of an issuer
as well, and a bare run of digits must not follow a word such as "order" or "tracking". What has no form of its own is
read in `personal_labels`, beside the word that names it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from heldtrue.language import check_digits
from heldtrue.language.findings import Finding, compiled

_GAP = "[ \u00a0\u2009\u202f.\u2010-\u2015-]"
_MANY_DIGITS = rf"\d(?:{_GAP}{{0,3}}\d){{7}}"
"""Eight digits with little between them: every number below that has no letters in it contains as many."""
_IN_LETTERS = (
    r"\d{2} ?(?:[A-Za-z] ?\d\d|\d\d ?\d\d ?[A-D](?![A-Za-z0-9]))|\d{6}[A-Z0-9]{2}\d[A-Z]{2}"
    r"|\d[HM][A-Z]{5}|[XYZ][ -]?\d[.\d]{6}"
)
"""What numbers with letters between few digits contain: codice fiscale, NINO, British licences, CURP, NIE."""

_CARD = rf"(?<!\d)\d{{1,19}}(?!\d)(?:[ \t]?(?:{_GAP}|_)?[ \t]?\d{{1,19}}(?!\d)){{0,7}}"
"""One to eight groups of digits, among which a card may be."""
_CARD_WORDS = (
    r"card|visa|master ?card|amex|american express|maestro|discover|diners|unionpay|kredit|karte|carte|tarjeta|carta"
    r"|cart\u00e3o|cvv|cvc|cvn|debit|credit|kort|\bcc\b|\bpan\b|\u043a\u0430\u0440\u0442|\u5361|\u30ab\u30fc\u30c9"
)
_CARD_GROUPS = frozenset(
    {(4, 4, 4, 4), (4, 6, 5), (4, 6, 4), (4, 4, 4, 4, 3), (4, 4, 4, 4, 2), (4, 5, 6), (4, 4, 4, 3)}
)
_ISSUERS = (
    (r"4", (13, 16, 19)),
    (r"5[1-5]|2(?:22[1-9]|2[3-9]|[3-6]|7[01]|720)", (16,)),
    (r"3[47]", (15,)),
    (r"30[0-5]|3[689]", (14, 16)),
    (r"6011|64[4-9]|65", (16, 17, 18, 19)),
    (r"35(?:2[89]|[3-8])", (16, 17, 18, 19)),
    (r"62", (16, 17, 18, 19)),
    (r"5018|5020|5038|5893|6304|6759|676[1-3]", tuple(range(12, 20))),
    (r"220[0-4]|8[12]|60|508|9792", (16,)),
)
_IBAN = rf"(?<![A-Za-z0-9])[A-Za-z]{{2}} ?\d{{2}}(?:{_GAP}?[A-Za-z0-9]){{11,40}}"
_OTHER_NUMBER = (
    r"(?<![a-z])(?:order|track|trace|tracking|invoice|ticket|transaction|txn|request|session"
    r"|parcel|shipment|serial|sku|part|item"
    r"|product|ref|reference|case|batch|build|job|run|event|message|msg|user|customer|commit|uuid|isbn|ean|gtin|upc"
    r"|barcode|timestamp|ts|time|seed|offset|nonce|hash|checksum|snowflake|tweet|channel|guild|node|object|row|record"
    r"|phone|tel|telephone|fax|mobile|call|version|rev|revision|model|catalog|catalogue|article|lot|device|sensor|meter"
    r"|counter|bestellnummer|rechnung|auftrag|sendung|artikel|commande|facture|pedido|factura|ordine|fattura"
    r"|\bid|_id|epoch|doi|asin|issn|vin|flight|form|rfc|issue|bug|pr)"
    r"[\s_-]*(?:(?:number|no|nr|num|id|code|key|is|was|with|for)\b[.\s_-]*){0,3}[\"'`]?[=:#>-]{0,2}\s*[\"'`(\[#]?$"
)
_TAX_WORDS = r"steuer|identifikationsnummer|finanzamt|elster|idnr|tax id|bundeszentralamt"
"""Without one of these in the text, eleven digits with a right check digit may be anything."""
_NUMBERS: tuple[tuple[str, str], ...] = (
    ("ssn", r"(?<![\w.-])(?!000|666)\d{3}([-\u2010-\u2013])(?!00)\d{2}\1(?!0000)\d{4}(?![\w-])(?!\.\d)"),
    (
        "pension",
        r"(?<![A-Za-z0-9])\d{2} ?(?:0[1-9]|[12]\d|3[01]) ?(?:0[1-9]|1[0-2]) ?\d{2} ?[A-Z] ?\d{2} ?\d(?![A-Za-z0-9])",
    ),
    (
        "nir",
        r"(?<![A-Za-z0-9.-])[12][ .-]?\d{2}[ .-]?(?:0[1-9]|1[0-2]|[2-9]\d)[ .-]?(?:\d{2}|2[AB])[ .-]?\d{3}[ .-]?\d{3}"
        r"(?:[ .-]?| ?[/|] ?)\d{2}(?![A-Za-z0-9])",
    ),
    ("steuer-id", r"(?<![\w.-])\d{2} ?\d{3} ?\d{3} ?\d{3}(?![\w-])(?!\.\d)"),
    ("dni", r"(?<![\w.-])(?:\d{8}-?|\d{2}\.\d{3}\.\d{3}[ -]?)[A-Z](?![\w-])"),
    ("cpf", r"(?<![\w.-])\d{3}\.\d{3}\.\d{3}-\d{2}(?![\w-])"),
    ("ahv", r"(?<![\w.-])756\.\d{4}\.\d{4}\.\d{2}(?![\w-])"),
)
_LETTERED: tuple[tuple[str, str], ...] = (
    (
        "nino",
        r"(?<![A-Za-z0-9])(?!BG|GB|NK|KN|TN|NT|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z]([ -]?)\d{2}[ -]?\d{2}[ -]?\d{2}"
        r"[ -]?[A-D](?![A-Za-z0-9])(?!-\w)",
    ),
    (
        "codice fiscale",
        r"(?<![A-Za-z0-9])[A-Za-z]{3} ?[A-Za-z]{3} ?[\dL-NP-Vl-np-v]{2} ?[A-EHLMPR-Ta-ehlmpr-t] ?[\dL-NP-Vl-np-v]{2} ?"
        r"[A-Za-z][\dL-NP-Vl-np-v]{3} ?[A-Za-z](?![A-Za-z0-9])",
    ),
    ("licence", r"(?<![A-Za-z0-9])[A-Z]{1,5}9{0,4}[ ]?\d[0156]\d[0-3]\d\d[ ]?[A-Z9]{2}\d ?[A-Z]{2}(?![A-Za-z0-9])"),
    ("nie", r"(?<![\w.-])[XYZ][ -]?(?:\d{7}|\d\.\d{3}\.\d{3})[ -]?[A-Z](?![\w-])"),
    ("curp", r"(?<![A-Za-z0-9])[A-Z]{4}\d{6}[HM][A-Z]{5}[A-Z0-9]\d(?![A-Za-z0-9])"),
)
_KINDS = {
    "ssn": "social-security-number",
    "pension": "social-security-number",
    "nir": "social-security-number",
    "ahv": "social-security-number",
    "nino": "social-security-number",
    "dni": "national-id",
    "nie": "national-id",
    "curp": "national-id",
    "cpf": "tax-number",
    "steuer-id": "tax-number",
    "codice fiscale": "tax-number",
    "licence": "driving-licence",
}
_EMAIL = r"(?<![\w.+-])[\w.+-]{1,64}@(?:[\w-]{1,63}\.){1,5}[A-Za-z]{2,24}(?![\w-])"
_PHONE = (
    r"(?<![\w.+-])(?:\+\d{1,3}[ .-]?(?:\(\d{1,5}\)[ .-]?)?\d(?:[ .-]?\d){5,13}|\(\d{2,5}\)[ .-]?\d(?:[ .-]?\d){4,9}"
    r"|0\d{1,4}[ /.-]\d(?:[ .-]?\d){4,9}|\d{3}[.-]\d{3}[.-]\d{4})(?![\w-])"
)


def find_personal_numbers(text: str, low: str) -> Iterator[Finding]:
    """The numbers that are known by their form alone."""
    if compiled(_MANY_DIGITS).search(text):
        yield from _find_ibans(text)
        yield from _find_cards(text, low)
        yield from _find_by_form(text, low, _NUMBERS)
    if compiled(_IN_LETTERS).search(text):
        yield from _find_by_form(text, low, _LETTERED)


def find_addresses(text: str) -> Iterator[Finding]:
    """Mail addresses and telephone numbers, for those who ask for it."""
    if "@" in text:
        yield from (Finding("email", match.start(), match.end()) for match in compiled(_EMAIL).finditer(text))
    yield from (Finding("phone", match.start(), match.end()) for match in compiled(_PHONE).finditer(text))


def is_card(digits: str) -> bool:
    """Whether an issuer gives out numbers of this form, and the check digit is right."""
    if len(set(digits)) < 2 or not check_digits.passes_luhn(digits):
        return False
    return any(len(digits) in lengths and compiled(prefix).match(digits) for prefix, lengths in _ISSUERS)


def names_other_number(low: str, start: int) -> bool:
    """Whether the words right before a place say that some other kind of number follows, such as an order's."""
    return compiled(_OTHER_NUMBER).search(low, max(0, start - 48), start) is not None


def _find_ibans(text: str) -> Iterator[Finding]:
    pattern, place = compiled(_IBAN), 0
    while match := pattern.search(text, place):
        start, place = match.start(), match.start() + 2
        length = check_digits.IBAN_LENGTHS.get(text[start : start + 2].upper())
        if length is None:
            continue
        marks = [at for at in range(start, match.end()) if text[at].isalnum()][:length]
        end = marks[-1] + 1
        account = "".join([text[at] for at in marks]).upper()
        if not text[end : end + 1].isalnum() and _is_grouped(text, marks) and check_digits.passes_iban(account):
            place = end
            yield Finding("iban", start, end)


def _is_grouped(text: str, marks: list[int]) -> bool:
    """Whether an account is written in groups of four or without gaps; "at 17262219..." is not Austrian."""
    gaps = {number for number in range(1, len(marks)) if marks[number] - marks[number - 1] > 1}
    if text[marks[0]].isupper():
        gaps.discard(2)
    return all(text[at].isascii() for at in marks) and all(number % 4 == 0 for number in gaps)


def _find_cards(text: str, low: str) -> Iterator[Finding]:
    for match in compiled(_CARD).finditer(text):
        groups = [group.span() for group in re.finditer(r"\d+", match[0])]
        first = 0
        while first < len(groups):
            ends = range(len(groups), first, -1)
            last = next((last for last in ends if _is_card_at(text, low, match, groups[first:last])), 0)
            if last:
                start, end = match.start() + groups[first][0], match.start() + groups[last - 1][1]
                yield Finding("card-number", start, end)
                yield from _find_beside_card(text, end)
            first = last or first + 1


def _is_card_at(text: str, low: str, run: re.Match[str], groups: list[tuple[int, int]]) -> bool:
    """Whether some groups of a run are a card that stands by itself."""
    digits = "".join([run[0][start:end] for start, end in groups])
    if not 12 <= len(digits) <= 19:
        return False
    start, end = run.start() + groups[0][0], run.start() + groups[-1][1]
    in_fraction = compiled(r"\d[.,]$").search(text, max(0, start - 2), start) or compiled(r"[.,]\d").match(text, end)
    if in_fraction or not is_card(digits):
        return False
    return _is_written_as_card(low, start, end, tuple(end - start for start, end in groups))


def _is_written_as_card(low: str, start: int, end: int, groups: tuple[int, ...]) -> bool:
    """Whether a number of the right form is meant as a card: by a word near it, or by how it is grouped."""
    before, after = low[start - 1 : start], low[end : end + 1]
    if compiled(_CARD_WORDS).search(low, max(0, start - 100), min(len(low), end + 40)):
        return True
    if before.isalpha() or after.isalpha() or before == "_":
        return False
    if names_other_number(low, start):
        return False
    if groups in _CARD_GROUPS:
        return not _is_part_of_run(low, start, end)
    is_apart = (before.isspace() or before in "\"'`(|:>,") and (after not in "-_/:" or not after)
    return len(groups) == 1 and 14 <= groups[0] <= 16 and is_apart


def _is_part_of_run(low: str, start: int, end: int) -> bool:
    """Whether more digits stand right beside a number, other than the date of a card."""
    before = compiled(rf"\d{_GAP}{{1,2}}$").search(low, max(0, start - 3), start)
    after = compiled(rf"{_GAP}{{1,2}}\d(?!\d? ?[/|-] ?\d)").match(low, end)
    return before is not None or after is not None


def _find_beside_card(text: str, end: int) -> Iterator[Finding]:
    """The date and the code that are often written right behind a card, without a word."""
    date = compiled(r"[ ,;|/\t]{1,3}(0[1-9]|1[0-2]) ?[/|-] ?(?:20)?[2-4]\d(?!\d)").match(text, end)
    if date is None:
        return
    yield Finding("card-expiry", date.start(1), date.end())
    code = compiled(r"[ ,;|/\t]{1,3}(\d{3,4})(?![\w/.-])").match(text, date.end())
    if code is not None:
        yield Finding("card-code", code.start(1), code.end())


def _find_by_form(text: str, low: str, forms: tuple[tuple[str, str], ...]) -> Iterator[Finding]:
    for name, pattern in forms:
        if name == "steuer-id" and not compiled(_TAX_WORDS).search(low):
            continue
        for match in compiled(pattern).finditer(text):
            if _is_right(name, match[0]) and not names_other_number(low, match.start()):
                kind = "tax-number" if name == "ssn" and match[0].startswith("9") else _KINDS[name]
                yield Finding(kind, match.start(), match.end())


def _is_right(name: str, written: str) -> bool:
    plain = re.sub(r"[^A-Za-z0-9]", "", written).upper()
    if name == "ssn":
        return plain[0] != "9" or int(plain[3:5]) in (*range(50, 66), *range(70, 89), *range(90, 93), *range(94, 100))
    if name == "codice fiscale":
        real = check_digits.plain_codice_fiscale(plain)
        return real[6:8].isdigit() and real[9:11].isdigit() and check_digits.passes_codice_fiscale(plain)
    if name in ("dni", "nie"):
        looks_like_date = compiled(r"(?:19|20)\d\d(?:0[1-9]|1[0-2])[0-3]\d").match(plain) is not None
        return check_digits.passes_dni(plain) and not looks_like_date
    checks = {
        "pension": check_digits.passes_german_pension,
        "nir": check_digits.passes_nir,
        "cpf": check_digits.passes_cpf,
        "steuer-id": check_digits.passes_steuer_id,
        "ahv": check_digits.passes_ean13,
    }
    return name not in checks or checks[name](plain)
