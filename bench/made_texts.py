"""Texts to try the analysis with: sentences of our documents, made-up sentences, and runs that slow patterns down."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path

from bench.patterns import collect_patterns, read_pieces

PROJECT = Path(__file__).parent.parent

PROSE = (
    "The deploy host of the shop is called gimli. We decided to use Postgres for the ledger because it is durable. "
    "Mira prefers short answers in the morning. The nightly job starts at 02:00 UTC and takes about forty minutes. "
    "On 12 May 2024 we moved the service to Frankfurt, and Jonas owns it now. I always run the tests before I push.\n"
)
"""Ordinary prose, which other texts are compared with."""

# Runs

_CHARACTERS = (
    *"aA1 \n\t.,-_:;=/\\\"'`()[]<>{}#*|@!?~^+%$&éяあ漢。…“€😀١\r",
    *("\r\n", "\u200b", "\u00a0", "\u2028", "\u0301", "\ufdfa", "\u0130"),
)
_PIECES = (
    *("a ", "A ", "1 ", "1,", "1.", "a.", "a, ", "a: ", "a-", "a_", "Ab ", '"a', "'s ", "a\n", "\n ", "\n\n", "  a"),
    *("\n- ", "\n# ", "\n1. ", "> ", "| ", "|-", "**", "__", "```", "``` \n", "<a>", "</", "&a;", "\x1b[", "- "),
    *("key=", "x=1 ", "a=b&", "token: ", "password is ", "secret=abc123 ", "sk-", "eyJ", "-----BEGIN ", "http://"),
    *("a@b.", "www.", "/a", "C:\\", "v1.", "0x", "+1 ", "12:", "2024-", "May ", "20% ", "$1 ", "1-", "by 20 "),
    *("I ", "I am ", "is ", "not ", "never ", "and ", "because ", "the ", "user: ", "A: ", "Ana said ", "a. ", "A. "),
    *("I like tea, ", "the port is 80, ", "yesterday ", "; ", "«a» "),
)
RUNS = (*_CHARACTERS, *_PIECES)
"""What texts of one repeated piece are made of: each class of characters, and what our rules look for."""


def all_runs() -> list[str]:
    """The same, and the pieces of every pattern in the source."""
    pieces = chain.from_iterable(read_pieces(pattern) for pattern in collect_patterns())
    return list(dict.fromkeys((*RUNS, *pieces)))


def repeat(piece: str, size: int) -> str:
    """A text of about so many bytes that repeats a piece between two other characters."""
    return "A" + piece * max(1, size // len(piece.encode("utf-8", "replace"))) + "!"


# Sentences

_TEMPLATES = (
    *("The {noun} was {verb} by {number}.", "{name} {verb} the {noun} {time}{stop}", "We {verb} {number} {noun}s, "),
    *("{label}: {noun} = {number}{unit}{stop}", "Is the {noun} {number}{unit}?", "{name}: I {verb} {noun} {time}."),
    *("thing that cannot {verb}: both {noun}s are {verb},\nthe one {verb}", "- [ ] {verb} the {noun} ({name})"),
    *("Don't {verb} the {noun}; {name} {verb} {number} of them{stop}", "# {noun} {number}\n\n{name} {verb} it {time}."),
    *("| {noun} | {number} |\n|---|---|\n| {name} | {verb} |", '> {name} said: "{noun} {verb} {number}"{stop}'),
    *(
        "{number}{unit} {number}{unit} {number}",
        "by {number} by {noun} by {time}{stop}",
        "{name}'s {noun} is {number}.",
    ),
    *("Der {noun} wurde von {name} um {number} {unit} erhöht{stop}", "Ich mag {noun} nicht, weil {name} {number} hat."),
    *("Le {noun} de {name} est à {number} {unit}, mais {time}{stop}", "J'ai {number} {noun}s depuis {time}."),
    *("El {noun} fue {verb} por {name} el {number} de mayo{stop}", "¿{name} tiene {number} {noun}?"),
    *("O {noun} não é {number}{unit}; {name} prefere {noun}{stop}", "{noun}を{number}に変更しました。{name}は{time}。"),
    *("{name}住在{noun}，从{number}年开始。", "Я не люблю {noun}, потому что {name} {number}{stop}"),
)
_WORDS = {
    "noun": "price port server timeout café Straße datos 価格 сервер nothing it who , - ( \" * host's e.g. v2".split(),
    "verb": "increased|set|is|was not|owns|prefers|don't|moved,|by|called|and|because|used to|has been|".split("|"),
    "name": "Ana Jonas Weber José 田中 Мария @sam I we He  O'Neil J. the-one".split(" "),
    "time": "yesterday|at 5|by 20|on 3 May|in 2024|since 12.05.|20:00|by Friday|every day|until|2026-13-45|".split("|"),
    "number": "0 20 -5 1,500 1.5 3. .7 1e9 ½ 12:30 2024 007 99999999999999 v1.2.3 ١٢ 二十 ¼ 10² +49 $5 5€ #1".split(),
    "unit": "|ms| s|%|km/h| GB| Euro|°C| o'clock| days| pm|'".split("|"),
    "stop": ". ! ? … ; , ... ?! 。 :) \n ) \" ' — .\u200b".split(" "),
    "label": "Note Decision TODO user Lesson Fact Ana key 注意 Achtung".split(),
}
_JOINTS = (" ", ", ", "\n", "; ", " and ", "")


def made_sentences(number: int, *, seed: int) -> Iterator[str]:
    """Sentences of templates, numbers and punctuation in six languages and more, some of them joined or cut."""
    chance = random.Random(seed)
    for _ in range(number):
        sentence = _make_sentence(chance)
        twist = chance.random()
        if twist < 0.15:
            sentence += chance.choice(_JOINTS) + _make_sentence(chance)
        elif twist < 0.25:
            sentence = sentence[: chance.randrange(1, len(sentence) + 1)]
        elif twist < 0.32:
            sentence = sentence.upper() if chance.random() < 0.5 else sentence.lower()
        yield sentence


def _make_sentence(chance: random.Random) -> str:
    return re.sub(r"\{(\w+)\}", lambda field: chance.choice(_WORDS[field[1]]), chance.choice(_TEMPLATES))


def document_sentences() -> list[str]:
    """Every line, paragraph and sentence of our own documents."""
    found: dict[str, None] = {}
    for path in sorted([*PROJECT.glob("*.md"), *PROJECT.glob("docs/**/*.md")]):
        for paragraph in path.read_text("utf-8").split("\n\n"):
            parts: Sequence[str] = (paragraph, *paragraph.split("\n"), *re.split(r"(?<=[.!?])\s", paragraph))
            found.update(dict.fromkeys(part for part in parts if part.strip()))
    return list(found)
