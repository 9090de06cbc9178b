"""The plainest forms in German, Spanish and French."""

from __future__ import annotations

from heldtrue.domain.memory import Kind
from heldtrue.language.extraction.cues.cue import Cue, make_cue

_LIKES, _IS, _DECIDED, _DONE = (
    "says what they prefer",
    "says who they are",
    "says what was decided",
    "says how it is done",
)


def _german(reason: str, kind: Kind, words: str, pattern: str) -> Cue:
    return make_cue(reason, kind, words, pattern, language="de", takes_sentence=kind is Kind.DECISION)


def _spanish(reason: str, kind: Kind, words: str, pattern: str) -> Cue:
    return make_cue(reason, kind, words, pattern, language="es", takes_sentence=kind is Kind.DECISION)


def _french(reason: str, kind: Kind, words: str, pattern: str) -> Cue:
    return make_cue(reason, kind, words, pattern, language="fr", takes_sentence=kind is Kind.DECISION)


FOREIGN = (
    _german(
        _LIKES,
        Kind.PREFERENCE,
        "mag liebe bevorzuge hasse lieber gerne gern kann esse trinke benutze nutze verwende liebsten",
        r"^ich (?:mag|liebe|bevorzuge|hasse|kann [^.]{2,40} nicht (?:leiden|ausstehen))\b|^ich \w{3,12}(?: "
        r"[^.]{0,40})? (?:lieber|gerne?|am liebsten)\b|^am liebsten \w+ ich\b|^ich (?:esse|trinke|benutze"
        r"|nutze|verwende) (?:kein\w*|nie|nur|immer)\b",
    ),
    _german(_LIKES, Kind.PREFERENCE, "mein meine", r"^meine? lieblings\w+ (?:ist|sind)\b"),
    _german(
        _IS,
        Kind.PROFILE,
        "ich mein meine",
        r"^ich (?:wohne|lebe|arbeite|heiße|heisse|spreche|studiere|spiele|komme aus|leide|unterrichte|bin "
        r"(?:\d+|ein|eine|von beruf|allergisch|vegetarier\w*|veganer\w*|aus|bei|der|die|verheiratet)\b)"
        r"|^ich habe (?:ein|eine|einen|zwei|drei|vier) (?:\w+ )?(?:kind\w*|sohn|tochter|söhne|töchter"
        r"|hunde?|katzen?|bruder|brüder|schwestern?|\w*allergie\w*)\b|^meine? (?:frau|mann|sohn|tochter"
        r"|geburtstag|chef\w*|firma) (?:ist|hat|heißt|arbeitet|wohnt)\b",
    ),
    _german(
        _DECIDED,
        Kind.DECISION,
        "beschlossen entschieden entschlossen geeinigt nehmen bleiben",
        r"\b(?:wir|ich) (?:haben|habe) (?:uns |mich )?(?:\w+ ){0,5}(?:beschlossen|entschieden|entschlossen"
        r"|geeinigt)\b|^wir (?:nehmen jetzt|bleiben bei)\b",
    ),
    _german(
        _DONE,
        Kind.CONVENTION,
        "immer nie niemals grundsätzlich muss müssen darf dürfen",
        r"^(?:wir|bei uns)\b[^.]{0,60}\b(?:immer|nie|niemals|grundsätzlich)\b|^(?:alle|jede[rs]?|niemand"
        r"|kein\w*) [^.]{2,60} (?:muss|müssen|darf|dürfen)\b",
    ),
    _spanish(
        _LIKES,
        Kind.PREFERENCE,
        "gusta gustan prefiero odio encanta encantan detesto no mi",
        r"^(?:a mí )?(?:no )?me (?:gustan?|encantan?)\b|^(?:yo )?(?:prefiero|odio|detesto|no (?:como|bebo"
        r"|soporto))\b|^mi \w+ (?:favorit[oa]|preferid[oa]) es\b",
    ),
    _spanish(
        _IS,
        Kind.PROFILE,
        "soy vivo trabajo tengo llamo hablo estudio mi",
        r"^(?:yo )?(?:soy (?!yo)\w|vivo en|trabajo (?:en|como|para|de)|tengo (?:\d+|un|una|dos|tres) "
        r"(?:años|hij\w+|perr\w+|gat\w+|herman\w+|alergia)|me llamo|hablo|estudio)\b|^mi (?:mujer|esposa"
        r"|marido|hij[oa]|cumpleaños) (?:es|se llama|trabaja|tiene)\b",
    ),
    _spanish(
        _DECIDED,
        Kind.DECISION,
        "decidido decidimos acordado acordamos elegido elegimos",
        r"^(?:al final )?(?:hemos (?:decidido|acordado|elegido)|decidimos|acordamos|elegimos|he decidido)\b",
    ),
    _spanish(
        _DONE,
        Kind.CONVENTION,
        "siempre nunca deben debe tiene tienen",
        r"^(?:siempre|nunca) \w+mos\b|^(?:todos?|todas?|cada) [^.]{2,50} (?:deben?|tienen? que)\b",
    ),
    _french(
        _LIKES,
        Kind.PREFERENCE,
        "je j'aime j'adore mon ma",
        r"^(?:moi,? )?(?:je (?:préfère|déteste|n'aime (?:pas|plus)|ne (?:mange|bois|supporte) (?:pas|plus"
        r"|jamais))|j'(?:aime|adore))\b|^mon \w+ préféré est\b|^ma \w+ préférée est\b",
    ),
    _french(
        _IS,
        Kind.PROFILE,
        "je j'habite j'ai mon ma",
        r"^(?:je (?:suis (?:un|une|le|la|allergique|végétari\w+|végan\w*|né\w*|de|professeur\w*|médecin"
        r"|infirmi\w+|ingénieur\w*|étudiante?)|travaille|m'appelle|parle|vis (?:à|en|dans)|étudie|joue)"
        r"|j'(?:habite|ai (?:\d+|un|une|deux|trois) (?:ans|enfants?|fils|filles?|chiens?|chats?|frères?"
        r"|sœurs?|allergie)))\b|^(?:mon|ma) (?:femme|mari|fils|fille|anniversaire) (?:est|s'appelle"
        r"|travaille|a)\b",
    ),
    _french(
        _DECIDED,
        Kind.DECISION,
        "décidé choisi convenu opté",
        r"^(?:nous avons|on a|j'ai) (?:finalement |donc )?(?:décidé|choisi|convenu|opté)\b",
    ),
    _french(
        _DONE,
        Kind.CONVENTION,
        "toujours jamais doit doivent",
        r"^(?:on|nous) (?:ne |n')?\w+ (?:toujours|jamais)\b|^(?:tous|toutes|chaque) [^.]{2,50} (?:doit"
        r"|doivent)\b",
    ),
)
