"""The look-alike table: which letters of other alphabets a reader takes for a Latin letter.

The facts come from Unicode's security data (UTS 39, confusables, as shipped with confusable-homoglyphs
3.3.1, Unicode 15.1), read once at development time and reduced by these rules:

* Both sides are case-folded and in NFKC form, so full-width, mathematical and modifier letters, which
  NFKC already resolves, are not listed.
* Within Russian, Greek and Armenian no two letters share a target: two different words of one of these
  languages stay different. That is why soft sign, final forms, U+03C3 and U+04AF are left out.
* Signs of units are left out although they look like letters: micro (5 \N{GREEK SMALL LETTER MU}s is not 5 ms)
  and ohm (which is not W). Digits are left out too: O is not 0 and l is not 1.
* Scripts of Asia and Africa in daily use whose round letters Unicode compares with "o" are left out.
* Small capitals, Insular letters and white-on-black letters are added, and letters with an accent whose
  base is listed (U+0451 looks like U+00EB).
"""

from __future__ import annotations

# target letter -> hexadecimal code points, so that the file itself shows no look-alike
_CODE_POINTS = {
    "a": "251 3b1 430 13aa 15c5 1d00 237a a4ee 102a0 16f40",
    "b": "185 299 3b2 432 13cf 13f4 1472 15af 15f7 a4d0 a7b5 10282 102a1 10301",
    "c": "441 13df 1d04 2ca5 a4da 102a2 10302 1043d 1051c",
    "d": "501 13a0 13e7 146f 15de 15ea 1d05 a4d2 a4d3 a77a",
    "e": "3b5 435 13ac 1d07 212e 2d39 a4f0 ab32 10286 118c6 118ce",
    "f": "3dd 584 15b4 1e9d a4dd a730 a77c a799 ab35 10287 102a5 10525 118c2 1d213",
    "g": "18d 261 262 50d 581 13c0 13f3 1d79 1d83 a4d6",
    "h": "29c 43d 4bb 570 13bb 13c2 157c 2c8f a4e7 102cf",
    "i": "131 269 26a 3b9 456 13a5 2373 2c93 118c3",
    "j": "237 29d 3f3 458 13ab 148d 1d0a a4d9",
    "k": "3ba 43a 13e6 16d5 1d0b 2c95 a4d7 10518",
    "l": "1c0 29f 4cf 13de 14aa 16c1 2223 2cd1 2d4f a4e1 a4f2 1028a 10309 10443 10526 118d2 16f16 16f28 1d22a",
    "m": "3fb 43c 13b7 15f0 16d6 1d0d 2c99 a4df 102b0 10311",
    "n": "274 3b7 578 2c9b a4e0 10513",
    "o": "3bf 43e 585 1d0f 1d11 2c9f 2d54 a4f3 ab3d 10292 102ab 1042c 104ea 10516 118c8 118d5 118d7",
    "p": "3c1 440 13e2 146d 1d18 2374 2ca3 a4d1 10295",
    "q": "51b 563 2d55 a7af",
    "r": "280 433 13a1 13b1 13d2 1587 1d26 2c85 a4e3 a783 ab47 ab48 104dc 16f35 1d216",
    "s": "1bd 455 57f 13d5 13da a4e2 a731 a785 10296 10448 118c1 16f3a",
    "t": "3c4 442 13a2 1d1b 2ca7 a4d4 a787 10297 102b1 10315 16f0a",
    "u": "28b 3c5 57d 144c 1d1c a4f4 a79f ab4e ab52 104f6 118d8 16f42",
    "v": "3bd 475 13d9 142f 1d20 2d38 a4e6 1051d 118c0 16f08 1d20d",
    "w": "26f 461 51d 561 13b3 13d4 1d21 a4ea",
    "x": "d7 3c7 445 1541 157d 166d 16b7 2cad 2d5d a4eb ab53 10290 102b4 10317 10527",
    "y": "263 28f 3b3 443 13a9 13bd 1d8c 1eff 2ca9 a4ec ab5a 102b2 118dc 16f43",
    "z": "3b6 13c3 1d22 a4dc 118c4 118c9",
    "\u00e0": "1f70",
    "\u00e1": "3ac",
    "\u00e4": "4d3",
    "\u00e8": "450 1f72",
    "\u00e9": "3ad",
    "\u00eb": "451",
    "\u00ec": "1f76",
    "\u00ed": "3af",
    "\u00ef": "3ca 457",
    "\u00f2": "1f78",
    "\u00f3": "3cc",
    "\u00f6": "4e7",
    "\u00f9": "1f7a",
    "\u00fa": "3cd",
    "\u00fc": "3cb",
    "\u00ff": "4f1",
    "\u0101": "1fb1",
    "\u0103": "4d1 1fb0",
    "\u0115": "4d7",
    "\u012b": "1fd1",
    "\u012d": "1fd0",
    "\u0144": "3ae",
    "\u0155": "453",
    "\u016b": "1fe1",
    "\u016d": "1fe0",
    "\u01f9": "1f74",
    "\u0233": "4ef",
    "\u1e31": "45c",
}

# the digit nought of every script that has its own ten digits, in a row of code points
_DECIMAL_ZEROS = (
    "660 6f0 7c0 966 9e6 a66 ae6 b66 be6 c66 ce6 d66 de6 e50 ed0 f20 1040 1090 17e0 1810 1946 19d0 1a80 1a90 "
    "1b50 1bb0 1c40 1c50 a620 a8d0 a900 a9d0 a9f0 aa50 abf0 104a0 10d30 11066 110f0 11136 111d0 112f0 11450 "
    "114d0 11650 116c0 11730 118e0 11950 11c50 11d50 11da0 16a60 16ac0 16b50 1e140 1e2f0 1e950"
)

# Capital letters whose small form looks like another Latin letter or like none. They count as Latin only
# inside a word that also has Latin letters: in a Greek or Russian word they are themselves.
CAPITALS_IN_LATIN_WORDS = str.maketrans({0x39C: "M", 0x39D: "N", 0x397: "H", 0x3A5: "Y", 0x42C: "b", 0x4AE: "Y"})


def build_lookalikes() -> dict[int, str]:
    """The str.translate table from a case-folded look-alike to the Latin letter it imitates."""
    table = {int(code, 16): letter for letter, codes in _CODE_POINTS.items() for code in codes.split()}
    for offset in range(26):
        letter = chr(ord("a") + offset)
        table[0x1F150 + offset] = letter  # negative circled
        table[0x1F170 + offset] = letter  # negative squared
    return table


def build_digits() -> dict[int, str]:
    """The str.translate table from a decimal digit of any script to the ASCII digit of the same value."""
    return {int(zero, 16) + value: str(value) for zero in _DECIMAL_ZEROS.split() for value in range(10)}
