"""The check digits of cards, accounts and numbers of authorities. The schemes are public; each reads plain digits."""

from __future__ import annotations

import string

_DNI_LETTERS = "TRWAGMYFPDXBNJZSQVHLCKE"
_ITALIAN_ODD = (1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23)
"""What a letter A to Z counts at an odd place of a codice fiscale; the digits 0 to 9 count as A to J."""
_OMOCODIA = str.maketrans("LMNPQRSTUV", "0123456789")
IBAN_LENGTHS = {
    code[:2]: int(code[2:])
    for code in (
        "AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29 "
        "ES24 FI18 FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 "
        "LC32 LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 "
        "QA29 RO24 RS22 RU33 SA24 SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30"
    ).split()
}
"""How long the account numbers of each country are, by the registry of ISO 13616."""


def passes_luhn(digits: str) -> bool:
    """Payment cards, IMEIs, Canadian social insurance numbers."""
    doubled = [sum(divmod(2 * int(digit), 10)) for digit in digits[-2::-2]]
    return (sum(map(int, digits[-1::-2])) + sum(doubled)) % 10 == 0


def passes_iban(account: str) -> bool:
    """An account in capital letters, without spaces: the length of its country, and ISO 7064 MOD 97-10."""
    if IBAN_LENGTHS.get(account[:2]) != len(account):
        return False
    return int("".join(str(int(mark, 36)) for mark in account[4:] + account[:4])) % 97 == 1


def passes_steuer_id(digits: str) -> bool:
    """The German tax identification number: ISO 7064 MOD 11,10, and one digit that repeats in the first ten."""
    if len(digits) != 11 or digits[0] == "0" or len(set(digits[:10])) not in (8, 9):
        return False
    product = 10
    for digit in digits[:10]:
        product = ((int(digit) + product) % 10 or 10) * 2 % 11
    return (11 - product) % 10 == int(digits[10])


def passes_german_pension(number: str) -> bool:
    """The German social insurance number: area, birthday, letter, serial number and a check digit."""
    letter = f"{ord(number[8]) - ord('A') + 1:02d}"
    weights = (2, 1, 2, 5, 7, 1, 2, 1, 2, 1, 2, 1)
    total = 0
    for digit, weight in zip(number[:8] + letter + number[9:11], weights, strict=True):
        total += sum(divmod(int(digit) * weight, 10))
    return total % 10 == int(number[11])


def passes_nir(number: str) -> bool:
    """The French social security number with its key; Corsica has 2A and 2B where others have digits."""
    body = number[:13].replace("2A", "19").replace("2B", "18")
    return body.isdigit() and 97 - int(body) % 97 == int(number[13:])


def passes_dni(number: str) -> bool:
    """The Spanish DNI and NIE: the letter follows from the digits."""
    digits = number[:-1].translate(str.maketrans("XYZ", "012"))
    return _DNI_LETTERS[int(digits) % 23] == number[-1]


def passes_codice_fiscale(code: str) -> bool:
    """The Italian tax code: the last letter follows from the fifteen marks before it."""
    total = 0
    for number, mark in enumerate(code[:15]):
        worth = int(mark) if mark.isdigit() else ord(mark) - ord("A")
        total += worth if number % 2 else _ITALIAN_ODD[worth]
    return string.ascii_uppercase[total % 26] == code[15]


def plain_codice_fiscale(code: str) -> str:
    """The code with digits where letters replace them, which happens if two people would have the same code."""
    return "".join(
        mark.translate(_OMOCODIA) if number in (6, 7, 9, 10, 12, 13, 14) else mark for number, mark in enumerate(code)
    )


def passes_nhs(digits: str) -> bool:
    """The number of a patient in England: weights 10 to 2, modulo 11."""
    total = sum(int(digit) * weight for digit, weight in zip(digits, range(10, 1, -1), strict=False))
    return (11 - total % 11) % 11 == int(digits[9])


def passes_aba(digits: str) -> bool:
    """The routing number of an American bank: weights 3, 7 and 1, and a prefix that was assigned."""
    assigned = int(digits[:2]) in (*range(1, 13), *range(21, 33), *range(61, 73), 80)
    return assigned and sum(int(digit) * weight for digit, weight in zip(digits, (3, 7, 1) * 3, strict=True)) % 10 == 0


def passes_cpf(digits: str) -> bool:
    """The Brazilian taxpayer number: two check digits, modulo 11."""
    if len(set(digits)) == 1:
        return False
    for length in (9, 10):
        total = sum(int(digit) * weight for digit, weight in zip(digits, range(length + 1, 1, -1), strict=False))
        if (total * 10 % 11) % 10 != int(digits[length]):
            return False
    return True


def passes_ean13(digits: str) -> bool:
    """The Swiss social insurance number has the check digit of a bar code."""
    return sum(int(digit) * (3 if number % 2 else 1) for number, digit in enumerate(digits)) % 10 == 0
