"""Words of time in German, French and Spanish: they become the English ones."""

from __future__ import annotations

from functools import cache
from itertools import pairwise

from heldtrue.language.periods.words import COUNTS, Word

_FOREIGN = """
gestern ayer:yesterday|vorgestern anteayer:day before yesterday|heute hoy aujourd'hui:today|demain:tomorrow
montag lundi lunes:monday|dienstag mardi martes:tuesday|mittwoch mercredi miércoles:wednesday
donnerstag jeudi jueves:thursday|freitag vendredi viernes:friday|samstag samedi sábado:saturday
sonntag dimanche domingo:sunday|im en:in|am:on|seit depuis desde:since|nach après después:after|avant antes:before
bis hasta:until|zwischen entre:between|und et y:and|sommer été verano:summer|frühling printemps primavera:spring
herbst automne otoño:autumn|hiver invierno:winter
"""
_FOREIGN_PHRASES = """
letzte_woche vorige_woche semaine_dernière semana_pasada:last week|letzten_monat mois_dernier mes_pasado:last month
letztes_jahr letzten_jahr année_dernière an_dernier l'année_dernière l'an_dernier año_pasado:last year
diese_woche cette_semaine esta_semana:this week|diesen_monat ce_mois este_mes:this month
dieses_jahr cette_année este_año:this year|letzten_sommer été_dernier l'été_dernier verano_pasado:last summer
letzten_montag lundi_dernier lunes_pasado:last monday|letzten_freitag vendredi_dernier viernes_pasado:last friday
antes_de:before|después_de:after|nächste_woche semaine_prochaine próxima_semana:next week
heute_morgen:today|gestern_abend:yesterday
"""
_FOREIGN_UNITS = {
    "day": "tag tage tagen jour jours día días dia dias", "week": "woche wochen semaine semaines semana semanas",
    "month": "monat monate monaten mois mes meses", "year": "jahr jahre jahren an ans année années año años",
}  # fmt: skip
AGO = frozenset({"vor", "hace", "il"})
"""Words with which `ago` begins; the last one is French and goes on with `y a`."""
_FRENCH = frozenset(
    "que quoi qui qu'est nous vous je j'ai il elle on est avons avez dit fait le la les était ça".split()
)
_GERMAN = frozenset("ist was wer wie wo der die das nicht und wir ich war sind".split())


@cache
def foreign_words() -> tuple[dict[str, str], dict[tuple[str, str], str], dict[str, str]]:
    """Single words, pairs of words and units of other languages with what they are in English."""
    words: dict[str, str] = {}
    for row in _FOREIGN.strip().replace("\n", "|").split("|"):
        names, _, english = row.partition(":")
        words.update(dict.fromkeys(names.split(), english))
    pairs: dict[tuple[str, str], str] = {}
    for row in _FOREIGN_PHRASES.strip().replace("\n", "|").split("|"):
        names, _, english = row.partition(":")
        for name in names.split():
            first, _, second = name.partition("_")
            pairs[first, second] = english
    units = {word: unit for unit, names in _FOREIGN_UNITS.items() for word in names.split()}
    return words, pairs, units


def translate(words: list[Word]) -> list[Word]:
    """The same words, those of time in German, French and Spanish in English; each keeps its place in the text."""
    singles, pairs, _ = foreign_words()
    lows = [word.low for word in words]
    if (
        singles.keys().isdisjoint(lows)
        and AGO.isdisjoint(lows[:-1])
        and "hier" not in lows[:-1]
        and pairs.keys().isdisjoint(pairwise(lows))
    ):
        return _translate_hier(words)
    out: list[Word] = []
    place = 0
    while place < len(words):
        low = words[place].low
        english = pairs.get((low, words[place + 1].low)) if place + 1 < len(words) else None
        count = 2 if english else 1
        if ago := _foreign_ago(words, place):
            out.extend(ago)
            place += len(ago) - 1 + (2 if low == "il" else 0)
            continue
        english = english or ("before" if low == "vor" else singles.get(low))
        out.extend(_as_english(words[place], words[place + count - 1].end, english) if english else [words[place]])
        place += count
    return _translate_hier(out)


def _as_english(word: Word, end: int, english: str) -> list[Word]:
    return [Word(low, "word", word.start, end, word.capital) for low in english.split()]


def _foreign_ago(words: list[Word], place: int) -> list[Word]:
    """`vor zwei Wochen`, `il y a deux semaines` and `hace dos semanas` as `two weeks ago`."""
    low = words[place].low
    first = place + 3 if low == "il" else place + 1
    if low not in AGO or first + 1 >= len(words):
        return []
    if low == "il" and [word.low for word in words[place + 1 : first]] != ["y", "a"]:
        return []
    unit = foreign_words()[2].get(words[first + 1].low)
    if unit is None or not (words[first].kind == "number" or words[first].low in COUNTS):
        return []
    start, end = words[place].start, words[first + 1].end
    spoken = ((words[first].low, words[first].kind), (unit, "word"), ("ago", "word"))
    return [Word(text, kind, start, end) for text, kind in spoken]


def _translate_hier(words: list[Word]) -> list[Word]:
    """`hier` is yesterday in French and here in German: the words around it tell."""
    lows = {word.low for word in words}
    if "hier" not in lows or lows.isdisjoint(_FRENCH) or not lows.isdisjoint(_GERMAN):
        return words
    return [Word("yesterday", "word", word.start, word.end) if word.low == "hier" else word for word in words]
