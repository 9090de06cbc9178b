"""The claims of a clause in another language, for the most common sentence forms, by table."""

from __future__ import annotations

import re

from heldtrue.language.claims.attributes import ATTRIBUTE_STEMS, EXCLUSIVE, VERB_SPELLINGS
from heldtrue.language.claims.canonical import canonical_word, join_words, phrase_of
from heldtrue.language.claims.parse import Draft
from heldtrue.language.grammar.clauses import Clause
from heldtrue.language.normalise import fold_text

NEGATORS = frozenset(
    """not never no neither nicht kein keine keinen keiner nie не нет ни δεν μην لا ليس لم לא אין नहीं मत ne
    pas jamais n'est nunca""".split()
)
_FOREIGN_VERBS = {
    word: base
    for base, words in {
        "be": "ist sind es está están est sont è são är находится находятся liegt",
        "live": "wohnt lebt vive viven habite vit живет живёт",
        "work": "arbeitet trabaja travaille работает",
        "use": "nutzt verwendet benutzt nutzen verwenden usa usamos utiliza utilise utilisons использует используем",
        "prefer": "bevorzugt prefiere préfère предпочитает",
        "like": "mag aime любит",
        "name": "heißt",
        "run": "läuft laufen lauscht hört corre escucha tourne écoute",
    }.items()
    for verb in words.split()
    for word in (verb, f"n'{verb}")
}
_FOREIGN_PREPOSITIONS = {
    "in": "in", "en": "in", "im": "in", "à": "in", "в": "in", "bei": "at", "chez": "at", "für": "for", "para": "for",
    "pour": "for", "для": "for", "на": "on", "auf": "on", "an": "at",
}  # fmt: skip
_FOREIGN_ARTICLES = frozenset(
    "der die das den dem ein eine einen el la los las un una le les unser unsere nuestro nuestra notre".split()
)
_ENGLISH_WORDS = frozenset("the is are of and to was with has".split())
_CHINESE = r"(?s)(.{1,40}?)(并?不是|不在|住在|位于|是|在)(.{1,200})"
_CHINESE_VERBS = {
    "是": ("be", True),
    "不是": ("be", False),
    "并不是": ("be", False),
    "在": ("be in", True),
    "不在": ("be in", False),
    "住在": ("live in", True),
    "位于": ("be in", True),
}
_JAPANESE = r"(?s)(.{1,40}?)は(.{1,200}?)(です|である|だ|ではない|ではありません|じゃない|じゃありません)\Z"
_CJK = re.compile("[\u3040-\u30ff\u4e00-\u9fff]")


def read_foreign(clause: Clause) -> list[Draft]:
    """The most common sentence frames of other languages, by table; empty where none fits."""
    if not clause.sentence.isascii() and _CJK.search(clause.sentence):
        return _read_east_asian(clause.sentence)
    words = [token.low for token in clause.tokens]
    if not _ENGLISH_WORDS.isdisjoint(words) or _FOREIGN_VERBS.keys().isdisjoint(words):
        return []
    place = next(place for place, word in enumerate(words) if word in _FOREIGN_VERBS)
    if not place or place + 1 == len(words):
        return []
    base = _FOREIGN_VERBS[words[place]]
    positive = NEGATORS.isdisjoint(words)
    kept = [
        token
        for token in clause.tokens[place + 1 :]
        if token.low not in NEGATORS and token.low not in _FOREIGN_ARTICLES
    ]
    subject = [
        token for token in clause.tokens[:place] if token.low not in NEGATORS and token.low not in _FOREIGN_ARTICLES
    ]
    preposition = _FOREIGN_PREPOSITIONS.get(kept[0].low, "") if len(kept) > 1 else ""
    tokens = kept[1:] if preposition else kept
    if len(tokens) == 2 and tokens[1].kind == "value" and (noun := canonical_word(tokens[0].low)) in ATTRIBUTE_STEMS:
        return [(phrase_of(subject), noun, tokens[1].low, positive, True)] if subject else []
    attribute = join_words(base, preposition)
    attribute = "work at" if base == "work" and preposition else VERB_SPELLINGS.get(attribute, attribute)
    telling = any(token.kind in ("value", "name") for token in tokens) and (bool(preposition) or len(subject) < place)
    exclusive = attribute in EXCLUSIVE or (base == "be" and telling)
    return [(phrase_of(subject), attribute, phrase_of(tokens), positive, exclusive)] if subject and tokens else []


def _read_east_asian(sentence: str) -> list[Draft]:
    found = re.match(_JAPANESE, sentence)
    if found:
        return [(fold_text(found[1]), "be", fold_text(found[2]), found[3] in ("です", "である", "だ"), False)]
    found = None if re.search("[\u3040-\u30ff]", sentence) else re.match(_CHINESE, sentence)
    if found is None:
        return []
    attribute, positive = _CHINESE_VERBS[found[2]]
    exclusive = attribute != "be" or bool(re.search(r"\d", found[3]))
    return [(fold_text(found[1]), attribute, fold_text(found[3]), positive, exclusive)]
