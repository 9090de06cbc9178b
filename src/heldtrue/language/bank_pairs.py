"""Accounts that stand beside the number of their bank, in any order and often without a word.

A sort code and an account of eight digits, a routing number and the account behind it, and the line that machines read
on a check. Dates have the form of a sort code, so what stands near must speak of money.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from heldtrue.language import check_digits
from heldtrue.language.findings import Finding, compiled
from heldtrue.language.label_scan import read_number
from heldtrue.language.personal_numbers import names_other_number

_SORT_CODE = r"\d{2}(?P<sign>[ .\u2010-\u2013-])\d{2}(?P=sign)\d{2}"
_EIGHT = r"\d{8}|\d{4} \d{4}"
_BESIDE = (
    r"[ \t]{0,2}(?:[/,;|\u00b7+&-]|and|\n|\((?:[a-z]{3,15},?[ \t]){0,2})?[ \t]{0,2}(?:(?:a/c|acc(?:oun)?t?|no|number"
    r"|sc|s/c|sort"
    r"|code)[ .:#]{1,2}){0,2}"
)
_CODE_FIRST = rf"(?<![\w.-])(?P<code>{_SORT_CODE})(?:{_BESIDE})(?<!\d)(?P<account>{_EIGHT})(?![\w-])(?!\.\d)"
_ACCOUNT_FIRST = rf"(?<![\w.-])(?P<account>{_EIGHT})(?:{_BESIDE})(?<!\d)(?P<code>{_SORT_CODE})(?![\w-])(?!\.\d)"
_MONEY = (
    r"bank|bacs|chaps|faster payment|\bpay|paid|payee|payment|transfer|sort|account|\ba/c|standing order"
    r"|direct debit|rent"
    r"|invoice|quid|\u00a3|\bsend|sent|owe|deposit|refund|barclays|lloyds|monzo|natwest|hsbc|halifax|santander"
    r"|nationwide"
    r"|starling|revolut|first direct|tsb|co-?op|metro|virgin money|handelsbanken|coutts|salary|wages|subs\b|iban|bic"
)
_NEAR_CHARS = 160
_MOST_BANKS = 50
_JOINING_WORDS = ("then", "and", "number", "no")
"""Words that lead to an account only right beside the number of its bank."""
_DATED = r"(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])|(?:0[1-9]|[12]\d|3[01])(?:0[1-9]|1[0-2])(?:19|20)\d\d"
_CHECK_LINE = r"[\u2446A]?(?P<routing>\d{9})[\u2446][ ]{0,3}(?P<account>\d[\d -]{4,18}\d)(?=[\u2448\u2449\u2447]| |$)"
_DEPOSIT = r"(?<![a-z])(?:direct deposit|wire (?:it )?to|wire transfer|ach|voided check)(?![a-z])"
_TWO_NUMBERS = (
    r"(?<![\w.-])(?P<routing>\d{9})(?:[ \t]{0,2}(?:[/,;|:#-]|then|and|acct|account|number|no|is"
    r"|\n)){0,3}[ \t]{0,2}(?<!\d)(?P<account>\d{6,14})(?![\w-])(?!\.\d)"
)
_ACCOUNT_NAME = (
    r"(?<![^\W_])(?:account|acct|acc|a/c|konto|checking|savings|cuenta|compte|dda|then|and|number|no)(?![^\W\d_])"
)


def find_bank_pairs(text: str, low: str) -> Iterator[Finding]:
    """A sort code and an account right beside each other, and the line of a check."""
    for pattern in (_CODE_FIRST, _ACCOUNT_FIRST):
        for match in compiled(pattern).finditer(low):
            near = max(0, match.start() - _NEAR_CHARS), match.end() + _NEAR_CHARS
            is_other = is_dated(match["account"]) or names_other_number(low, match.start("account"))
            if not is_other and compiled(_MONEY).search(low, *near):
                yield Finding("sort-code", match.start("code"), match.end("code"))
                yield Finding("bank-account", match.start("account"), match.end("account"))
    yield from _find_deposits(low)
    for match in compiled(_CHECK_LINE).finditer(text) if "\u2446" in text else ():
        if check_digits.passes_aba(match["routing"]):
            yield Finding("routing-number", match.start("routing"), match.end("routing"))
            yield Finding("bank-account", match.start("account"), match.end("account"))


def _find_deposits(low: str) -> Iterator[Finding]:
    """A number with the check digit of an American bank, and the account behind or before it, where money is sent."""
    for words in compiled(_DEPOSIT).finditer(low):
        for match in compiled(_TWO_NUMBERS).finditer(low, words.end(), min(len(low), words.end() + _NEAR_CHARS)):
            if check_digits.passes_aba(match["routing"]):
                yield Finding("routing-number", match.start("routing"), match.end("routing"))
                yield Finding("bank-account", match.start("account"), match.end("account"))


def find_account_beside(text: str, low: str, banks: Sequence[Finding], digits: str) -> Iterator[Finding]:
    """The account in a text that names its bank by number: there, "account" or a number of its length is enough."""
    taken = {(bank.start, bank.end) for bank in banks}
    for match in compiled(_ACCOUNT_NAME).finditer(low):
        is_account = match[0] not in _JOINING_WORDS
        if not is_account and not any(abs(match.start() - bank.start) <= _NEAR_CHARS for bank in banks[:_MOST_BANKS]):
            continue
        found = read_number(text, match.end(), compiled(digits), words_max=2 if is_account else 0)
        if found is not None and found.span() not in taken:
            yield Finding("bank-account", found.start(), found.end())
    for bank in banks:
        if bank.kind == "sort-code":
            yield from _find_eight_digits(low, bank)


def _find_eight_digits(low: str, bank: Finding) -> Iterator[Finding]:
    near = max(0, bank.start - _NEAR_CHARS), min(len(low), bank.end + _NEAR_CHARS)
    for match in compiled(rf"(?<![\w.-])(?:{_EIGHT})(?![\w-])(?!\.\d)").finditer(low, *near):
        if not is_dated(match[0]) and not names_other_number(low, match.start()):
            yield Finding("bank-account", match.start(), match.end())


def is_dated(digits: str) -> bool:
    return compiled(_DATED).fullmatch(digits) is not None
