"""What is said but is no lasting statement: questions, guesses, hearsay, moods, the moment, and what is taken
back."""

from __future__ import annotations

import re
from functools import cache

_QUESTION = r"""(?x)^(?:(?:so|and|but|ok|okay|hey|hi|sorry|um|please)[ ,]+)*(?:
    (?:what|which|who|whom|whose|where|why|how)(?:'s|'re)?\s(?!(?:we|i|the\steam)\s(?:agreed|decided|settled)|worked\b
      |works\b|helped\b|helps\b|fixed\b|solved\b|did\b|finally\b|ever\b|got\srid)
  | (?:can|could|would|will|should|shall|may)\s(?:you|i|we|he|she|they|it|the|this|that|someone|anyone|anybody|my
    |our)\b
  | (?:is|are|was|were|does|do|did|has|have|had|am)\s(?:you|i|we|he|she|they|it|the|this|that|these|there|anyone
    |anybody
      |someone|my|our|your)\b
  | when\s(?:is|are|does|do|did|will|was|should|can)\b | ¿ | wait,?\s(?:what|who|where|when|why|how)\b
  | .{3,80}\b(?:but|and|so)\s(?:what|why|how|who|where)\s(?:is|are|does|do|did|the\shell)\b
  | any\s(?:idea|chance|news|thoughts)
)"""
_GUESS = r"""(?x)\b(?:
    maybe | perhaps | possibly | might | could\s(?:be|have|maybe|also)|(?:we|i|you|they|one|it)\scould | i\sguess |
    i\ssuppose
  | i\swonder | wondering | not\ssure | unsure | no\sidea | who\sknows | don't\sknow | dont\sknow | (?:thinking
    |toying)\s(?:of|about)
  | (?:am|are|'m|'re|is)\sconsidering | (?:was|were)\s(?:going|about)\sto | let's\ssee | we'll\ssee | i\shope |
    hopefully
  | imagine | suppose\b | supposing | assuming | hypothetically | what\sif | would\s(?!rather|prefer
    |like\s(?:to\s)?(?:all|every|always))
  | i'd\s(?!rather|prefer|never) | we'd\s(?!rather|prefer) | they'd | he'd | she'd | it'd | probably | (?:some|one)\sday
    | someday
  | at\ssome\spoint | (?:haven't|hasn't|not|yet\sto|still)\s(?:yet\s)?(?:decided|settled|agreed|decide|deciding)
  | (?:need|have|has)\sto\s(?:decide|think) | undecided | as\sif | kind\sof | sort\sof | in\stheory | if\sonly | wish
  | vielleicht | könnten | könnte | irgendwann | peut-être | pourrait | on\spourrait | quizás | tal\svez | podríamos
  | keine\sahnung | ne\ssais\spas | no\ssé
)"""
_CONDITION = r"^(?:if|were|had|should|unless|in case|falls|wenn|si)\b"
_HEARSAY = r"""(?x)\b(?:
    (?:says?|said|saying|claims?\s(?:that|it|they|he|she|to|everyone|the)|claimed|thinks?|thought|believes?|believed|swears?|swore|argued|insists
    |told\s(?:me|us|him|her)|tells\s(?:me|us)|reckons?|heard|hears|allegedly|supposedly|rumou?r
      |according\sto|called\s(?:it|us|him|her|me|them))\b
  | goes\s["“:] | (?:wrote|writes|asked|announced|warned|posted|tweeted|mentioned|quoted|argues|suggests?
    |suggested)\s(?:that\b|in\b|me\b|us\b|whether|["“:])
)"""
_OWN = (
    r"\b(?:i|we|i've|we've|i'd|we'd) (?:just |also |already |really )?(?:said|told|wrote|think|believe"
    r"|heard|mentioned|asked|insist|claim|thought|suggest)\b"
)
_MOMENT = r"""(?x)\b(?:
    right\snow | at\sthe\smoment | just\snow | for\snow | this\s(?:morning|afternoon|evening|minute|second|instant)
    | tonight
  | today(?!'s) | (?:give\sme|just|one)\sa?\s?(?:minute|sec|second|moment)\b | real\squick | quickly | brb | afk |
    (?:^|be\s|'m\s|,\s)back\s(?:in|at|soon) | in\sa\s(?:min|sec|bit)
  | (?:is|are|was|'s|does|did)\b[^.]{0,40}\bagain$ | (?:in|for)\s(?:another\s)?(?:[a-z]+|\d+)\s(?:minutes?|mins?
    |seconds?|hours?)$ | (?:is|are|am|'s|'m|'re)\sstill\b | yet\sagain | acting\sup | so\sfar | almost\s(?:done
    |there|through) | meanwhile
  | gerade | heute | momentan | en\sce\smoment | aujourd'hui | ahora\smismo | hoy
  | (?<!when\sit)(?<!if\sit)(?:is|are|'s|'re
    |has\sbeen)\s(?:quiet|alive|back|up\sagain)
)"""
_MOOD = r"""(?x)(?:
    \b(?:lol|lmao|rofl|haha\w*|hehe|ugh|argh|wow|omg|wtf|yay|phew|grr+|meh|hm+|ouch|damn)\b
  | ^(?:oh\s)?(?:great|brilliant|sure|fantastic|wonderful|lovely|perfect|amazing|super|nice|awesome),\s
  | ^oh\s(?:sure|great|brilliant|lovely|yes,\sbecause) | \b(?:just|exactly)\swhat\s(?:i|we|this)\b | what\sa\s |
    i\sswear$
  | ^(?:thanks|thank\s(?:you|god|goodness|heavens|u)\b|thx|many\sthanks|good\s(?:luck|night|morning|job)|congrat
    |well\sdone|sorry|happy\s
    |welcome|cheers)
  | ^(?:lovely|nice|good|great|glad|happy|delighted|pleased)\sto\b
  | ^(?:danke|merci|gracias) | \bi\sdie(?!\sa)\b | \byour\s(?:weekend|day|holiday)
)"""
_EXAMPLE = r"""(?x)^(?:test|sample|dummy|example|placeholder)\s(?:input|data|text|sentence|message|case)\b |
    \b(?:for\sexample|e\.g\.|for\sinstance)[,:]"""
_REASON = re.compile(r",?\s(?:because|since|as)\s")
_TAKEN_BACK = r"""(?x)\b(?:
    scratch\sthat | forget\s(?:that|it|what\si|i\ssaid|about\sthat) | never\s?mind | nvm | no\swait | wait,?\sno\b
    | strike\sthat | ignore\sthat
  | i\stake\s(?:that|it)\sback | disregard\sthat | (?:just\s)?kidding | jk\b | i\swas\s(?:only\s)?joking |
    not\sreally$ | my\smistake
  | i\smisspoke | that\swas\sabout\ssomething | wrong\s(?:chat|channel|window|thread)
)"""


@cache
def _rules() -> dict[str, re.Pattern[str]]:
    table = {
        "question": _QUESTION,
        "guess": _GUESS,
        "condition": _CONDITION,
        "hearsay": _HEARSAY,
        "own": _OWN,
        "moment": _MOMENT,
        "mood": _MOOD,
        "taken_back": _TAKEN_BACK,
        "example": _EXAMPLE,
    }
    return {name: re.compile(pattern) for name, pattern in table.items()}


def is_question(low: str) -> bool:
    """Whether a sentence asks; with no question mark, by how it begins."""
    tail = low.rstrip("\"')*_ ")
    return tail.endswith(("?", "？")) or _rules()["question"].match(low) is not None


def takes_back(low: str) -> bool:
    """Whether a sentence withdraws what was said just before."""
    return _rules()["taken_back"].search(low) is not None


def is_condition(low: str) -> bool:
    """Whether it opens with a condition."""
    return _rules()["condition"].match(low) is not None


def is_guess(low: str) -> bool:
    """Whether it is open, imagined or undecided."""
    said = _REASON.split(low, maxsplit=1)[0]
    return _rules()["guess"].search(said) is not None


def is_hearsay(low: str) -> bool:
    """Whether it only reports what somebody else says or thinks."""
    rules = _rules()
    return rules["hearsay"].search(low) is not None and rules["own"].search(low) is None


def is_momentary(low: str) -> bool:
    """Whether it holds only for the moment."""
    return _rules()["moment"].search(low) is not None


def is_mood(low: str) -> bool:
    """Whether it is thanks, a greeting, an exclamation or irony."""
    return _rules()["mood"].search(low) is not None


def is_quoted(text: str) -> bool:
    """Whether most of it stands in quotation marks, or a long quotation is what it is about."""
    quoted = sum(len(found) for found in re.findall(r"\"[^\"\n]{2,400}\"|“[^”\n]{2,400}”|«[^»\n]{2,400}»", text))
    return quoted * 2 > len(text) or (quoted > 12 and not text.startswith(('"', "“", "«")) and is_hearsay(text.lower()))


def find_fault(text: str, low: str) -> str:
    """Why a sentence is no lasting statement, in one word; empty where nothing speaks against it."""
    if is_mood(low):
        return "mood"
    if _rules()["example"].search(low):
        return "example"
    if is_quoted(text):
        return "quotation"
    return "guess" if is_guess(low) else ""
