"""The third person in German, Spanish and French, for the plain forms that the cues know."""

from __future__ import annotations

import re

from heldtrue.language.extraction.speaker_names import People

_GERMAN = {
    "bin": "ist", "habe": "hat", "mag": "mag", "kann": "kann", "muss": "muss", "darf": "darf", "will": "will",
    "esse": "isst",
    "spreche": "spricht", "nehme": "nimmt", "lese": "liest", "fahre": "fährt", "trage": "trägt", "schlafe": "schläft",
    "heiße": "heißt", "heisse": "heisst", "haben": "hat", "sind": "ist", "müssen": "muss", "dürfen": "darf",
    "nehmen": "nimmt",
    "hasse": "hasst",
}  # fmt: skip
_SPANISH = {
    "prefiero": "prefiere", "odio": "odia", "detesto": "detesta", "soy": "es", "vivo": "vive", "trabajo":
    "trabaja", "tengo": "tiene",
    "hablo": "habla", "estudio": "estudia", "como": "come", "bebo": "bebe", "soporto": "soporta", "llamo": "llama",
    "he": "ha", "hemos": "ha",
    "decidimos": "decidió", "acordamos": "acordó", "elegimos": "eligió",
}  # fmt: skip
_FRENCH = {"suis": "est", "ai": "a", "vis": "vit", "bois": "boit", "avons": "a"}
_WE = frozenset("wir hemos decidimos acordamos elegimos nous on".split())


def reword_foreign(text: str, language: str, people: People) -> str | None:
    """The sentence said of the one who says it, or none where that is not known or not plain."""
    words = text.split()
    if not words:
        return None
    who = people.us if any(word.lower() in _WE for word in words[:3]) else people.me
    if who is None:
        return None
    return {"de": _german, "es": _spanish, "fr": _french}[language](words, text, who)


def _german(words: list[str], text: str, who: str) -> str:
    if words[0].lower() in ("mein", "meine"):
        return " ".join([who + ("'" if who.endswith("s") else "s"), *words[1:]])
    place = next((at for at, word in enumerate(words[:4]) if word.lower() in ("ich", "wir")), -1)
    if place < 0:
        return text
    verb_at = place + 1 if place == 0 else place - 1
    verb = words[verb_at].lower() if verb_at < len(words) else ""
    words[verb_at] = _GERMAN.get(verb) or _inflect_german(verb)
    words[place] = who
    return " ".join("sich" if word.lower() in ("mich", "uns") else word for word in words)


def _inflect_german(verb: str) -> str:
    stem = verb[:-2] if verb.endswith("en") else verb[:-1] if verb.endswith("e") else verb
    return stem + ("et" if stem.endswith(("t", "d")) else "t")


def _spanish(words: list[str], text: str, who: str) -> str:
    low = [word.lower() for word in words]
    if "me" in low[:4] and not {"gusta", "gustan", "encanta", "encantan"}.isdisjoint(low[:5]):
        at = low.index("me")
        denial = "no " if "no" in low[:at] else ""
        return f"A {who} {denial}le {' '.join(words[at + 1 :])}"
    if low[0] == "mi" and len(words) > 2:
        return re.sub(r"^mi (\w+(?: favorit[oa]| preferid[oa])?)", rf"El/la \1 de {who}", text, flags=re.IGNORECASE)
    start = 1 if low[0] == "yo" else 0
    rest = ["se" if word.lower() == "me" else _SPANISH.get(word.lower(), word) for word in words[start : start + 3]]
    return " ".join([who, *rest, *words[start + 3 :]])


def _french(words: list[str], text: str, who: str) -> str:
    low = words[0].lower()
    if low in ("mon", "ma") and len(words) > 2:
        article = "Le" if low == "mon" else "La"
        return re.sub(r"^(?:mon|ma) (\w+(?: préférée?)?)", rf"{article} \1 de {who}", text, flags=re.IGNORECASE)
    if low.rstrip(",") == "moi":
        words = words[1:]
        low = words[0].lower()
    if low.startswith("j'"):
        words = [who, words[0][2:], *words[1:]]
    elif low in ("je", "nous", "on"):
        words = [who, *words[1:]]
    changed = ["s'appelle" if word.lower() == "m'appelle" else _FRENCH.get(word.lower(), word) for word in words[1:3]]
    return " ".join([words[0], *changed, *words[3:]])
