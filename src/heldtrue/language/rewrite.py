"""A follow-up made findable: the names and topics it leans on, from what was said just before.

`And the timeout?` finds nothing by itself. Rules tell whether a question leans on what was said (a pronoun without its
noun, a missing verb, a bare `why?`), and what on: the last name that fits, the topic of the last message that had one.
Terms are only ever added, at the end and few, so that a wrong guess costs little.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence

import msgspec

from heldtrue.domain.limits import EARLIER_MESSAGE_CHARS_MAX
from heldtrue.language.grammar.lexicon import AUXILIARIES, DETERMINERS, PREPOSITIONS, PRONOUNS, VERBS
from heldtrue.language.guard import guarded
from heldtrue.language.names import find_names
from heldtrue.language.terms import stem_word
from heldtrue.language.usage import tells

MESSAGES_READ = 5
TERMS_ADDED = 8
_NAMES_ADDED, _WORDS_ADDED = 3, 4
_TERMS_ENOUGH = 3


class Rewritten(msgspec.Struct, frozen=True, gc=False):
    """A question as it is looked up, what was added to it, and why."""

    question: str
    added: tuple[str, ...]
    why: str


@guarded(lambda question, *_given, **_named: Rewritten(question, (), "the question could not be analysed"))
def rewrite_question(question: str, messages: Sequence[str], *, known: Collection[str] = ()) -> Rewritten:
    """The question with the terms that it leans on, from the last five messages (oldest first); else unchanged.

    The keys of known names, where given, tell names in a question in small letters.
    """
    leaning = _read_leaning(question, known)
    if leaning is None:
        return Rewritten(question, (), "the question stands alone")
    recent = [message[:EARLIER_MESSAGE_CHARS_MAX] for message in messages[-MESSAGES_READ:] if message.strip()]
    added = _without_repeats(_gather_terms(leaning, recent), question)[:TERMS_ADDED]
    if not added:
        return Rewritten(question, (), "nothing that was said before fits")
    return Rewritten(f"{question} {' '.join(added)}", tuple(added), leaning.why)


def _without_repeats(terms: Iterable[str], question: str) -> list[str]:
    """The terms that the question does not have, each once."""
    seen = {stem_word(word) for word in _words_of(question)}
    kept: list[str] = []
    for term in terms:
        stems = {stem_word(word) for word in _words_of(term)} or {term}
        if not stems <= seen:
            kept.append(term)
            seen |= stems
    return kept


_WORD = re.compile(r"[^\W_]+(?:['’_.\-/][^\W_]+)*")


def _words_of(text: str) -> list[str]:
    return [word.lower().replace("’", "'") for word in _WORD.findall(text)]


# --- what a question leans on -------------------------------------------------------------------------


class _Leaning(msgspec.Struct, frozen=True, gc=False):
    """What is missing in a question."""

    why: str
    person: str = ""
    """The pronoun that stands for a person."""
    many: bool = False
    """Whether a pronoun stands for several."""
    place: bool = False
    topic: bool = False
    """Whether the thing spoken of is missing."""
    contrast: bool = False
    """Whether the question puts another thing in its place: `and the timeout?`"""


_SHE = frozenset("she her hers herself".split())
_HE = frozenset("he him his himself".split())
_THEY = frozenset("they them their theirs themselves".split())
_IT = frozenset("it its itself".split())
_POINTING = frozenset("this that these those".split())
_TIMES = frozenset(
    "morning afternoon evening night week weekend month quarter year day spring summer autumn winter time".split()
)
_SPEAKERS = frozenset("i me my mine you your yours we us our".split())
_OPENERS = frozenset("and or but so also then und oder et ou y o e".split())
_ABOUT = (("what", "about"), ("how", "about"), ("what", "of"), ("same", "for"))
_REFERRING = frozenset("else instead latter former both neither either ones".split())
_FOR_THINGS = _REFERRING | _POINTING | {"it", "one"}
_ARTICLES_ELSEWHERE = frozenset("der die das den dem le la les el los las il lo".split())
_DUMMY_VERBS = frozenset("take takes took rain rains raining possible likely true worth ok okay".split())
_ASKING = frozenset(
    """why who whom whose when where which what how warum wieso wer wann wo pourquoi qui quand comment quién cuándo
    dónde cómo por qué""".split()
)
_GO_ON = (
    "tell me more",
    "go on",
    "more please",
    "say more",
    "explain",
    "elaborate",
    "for example",
    "why not",
    "how so",
)


def _read_leaning(question: str, known: Collection[str] = ()) -> _Leaning | None:
    """What the question lacks to be understood alone, or None."""
    words = _words_of(question)
    if not words:
        return None
    names = find_names(question, known=known)
    gap = _find_gap(question, words, bool(names))
    pronouns = list(_find_pronouns(words, {part for name in names for part in _words_of(name.text)}))
    if not pronouns and gap is None:
        return None
    person = next((word for word in pronouns if word in _SHE or word in _HE), "")
    many = not _THEY.isdisjoint(pronouns)
    return _Leaning(
        f"“{pronouns[0]}” stands for something said before" if pronouns else "what it is about was said before",
        person=person,
        many=many,
        place="there" in pronouns,
        # Where people are asked about, they are the topic.
        topic=gap == "contrast" or any(word in _FOR_THINGS for word in pronouns) or not (person or many),
        contrast=gap == "contrast",
    )


def _find_pronouns(words: Sequence[str], named: set[str]) -> Iterator[str]:
    """The pronouns that stand for nothing in the question itself."""
    names = [
        place
        for place, word in enumerate(words)
        if word.removesuffix("'s") in named or (place and _may_be_name(words[place - 1], word))
    ]
    people = [at for at in names if words[at].endswith("'s") or not (at and words[at - 1] in _INTO_PLACES)]
    named_from, person_from = _known_from(words, names), _known_from(words, people)
    has_noun = has_plural = False
    for place, word in enumerate(words):
        has_name, has_person = named_from < place, person_from < place
        if word in _SHE or word in _HE:
            if not has_person:
                yield word
        elif word in _THEY:
            if not (has_person or has_plural or len(people) > 1):
                yield word
        elif word.removesuffix("'s") in _IT:
            if not (has_name or has_noun or _is_dummy(words, place)):
                yield "it"
        elif not has_name and _refers(words, place, named) and not (names and word in _REFERRING):
            yield word
        has_noun |= tells(word)
        has_plural |= word.endswith("s") and tells(word)


def _known_from(words: Sequence[str], names: Sequence[int]) -> int:
    """The place from which on a pronoun may stand for one of the names: after the first of them.

    A name may also follow (`from her brother for Ada`), but in `is her dog called Rex` it is another.
    """
    if any(words[at - 1] in PREPOSITIONS for at in names if at):
        return -1
    return names[0] if names else len(words)


def _may_be_name(before: str, word: str) -> bool:
    """Whether a word in small letters stands where only a name can: one thing, without an article."""
    owns = word.endswith("'s")
    if before not in AUXILIARIES and before not in PREPOSITIONS and before not in ("when", "if", "and", "that"):
        return False
    single = owns or not word.endswith(("s", "ing", "ed"))
    return single and word.removesuffix("'s").isalpha() and word not in VERBS and tells(word.removesuffix("'s"))


def _refers(words: Sequence[str], place: int, named: set[str]) -> bool:
    """Whether a word such as this, there, else or one points at what was said before."""
    word, before = words[place], words[place - 1] if place else ""
    if word in _POINTING:
        return _points_back(words, place, named)
    if word == "there":
        return bool(before) and before not in AUXILIARIES and not _is_verb_at(words, place + 1)
    return word in _REFERRING or (word == "one" and before in ("which", "that", "other", "first", "last"))


def _is_verb_at(words: Sequence[str], place: int) -> bool:
    return place < len(words) and words[place] in AUXILIARIES


def _is_dummy(words: Sequence[str], place: int) -> bool:
    """`is it possible`, `how long does it take to`, `what time is it`: there it stands for nothing."""
    following = words[place + 1] if place + 1 < len(words) else ""
    if following in _DUMMY_VERBS:
        return True
    return not following and any(word in ("time", "date", "day", "weather") for word in words)


def _points_back(words: Sequence[str], place: int, named: set[str]) -> bool:
    """`when did that change?`, `who wrote that script?`; not `the file that we use`, nor `this week`."""
    following = words[place + 1] if place + 1 < len(words) else ""
    before = words[place - 1] if place else ""
    if following in _TIMES or following in named:
        return False
    if not following or following in AUXILIARIES or before in AUXILIARIES or before in PREPOSITIONS:
        return True
    if words[place] != "that" and words[place] != "those":
        return following not in _SPEAKERS
    if before and tells(before):
        return False
    return before in VERBS or (following in VERBS and not before)


def _find_gap(question: str, words: Sequence[str], has_names: bool) -> str | None:
    """`contrast` where another thing takes the place of the last, `whole` where all is missing, or None."""
    rest = words[1:] if words[0] in _OPENERS else words
    telling = [word for word in rest if tells(word) and word not in _ARTICLES_ELSEWHERE]
    if tuple(rest[:2]) in _ABOUT:
        return "contrast" if len(telling) < 4 else None
    if " ".join(rest) in _GO_ON or (len(rest) == 1 and rest[0] in _ASKING) or not rest:
        return "whole"
    if not _SPEAKERS.isdisjoint(rest) or ("it" in rest and _is_dummy(rest, rest.index("it"))):
        return None
    if not telling and not has_names:
        return "whole" if len(rest) <= 4 and (rest[0] in _ASKING or "?" in question) else None
    return _find_fragment(question, words, rest, telling, has_names)


_FIRST_UNSPACED = "\u0e00"


def _find_fragment(
    question: str, words: Sequence[str], rest: Sequence[str], telling: Sequence[str], has_names: bool
) -> str | None:
    """A question without a verb: `and the timeout?`, `on staging?`, `timeout?`; but keywords are a search."""
    if any(word in AUXILIARIES for word in rest) or len(telling) > 2 or rest[0] in _ASKING:
        return None
    if any(char >= _FIRST_UNSPACED for char in question):
        return None  # where words are not parted by spaces, few are no sign
    if rest[0] in PREPOSITIONS and ("?" in question or len(rest) < len(words)):
        return "whole"  # `and on staging?` asks for the same, elsewhere
    if len(rest) < len(words):
        return "contrast"
    opens = rest[0] in DETERMINERS
    if has_names and not opens:
        return None
    asks = "?" in question or "？" in question
    return "contrast" if asks and (opens or len(telling) < 2) else None


# --- what was said before -----------------------------------------------------------------------------


def _gather_terms(leaning: _Leaning, recent: Sequence[str]) -> list[str]:
    """What fits, the surest first."""
    found: list[str] = []
    if leaning.person:
        found.append(_find_person(recent, leaning.person))
    if leaning.many:
        found += _find_several(recent)
    if leaning.place:
        found.append(_find_place(recent))
    found = [name for name in found if name]
    if leaning.topic or not found:
        found += _find_topic(recent, contrast=leaning.contrast)
    return found


def _find_topic(recent: Sequence[str], *, contrast: bool) -> list[str]:
    """Names and telling words of the last messages, as far back as it takes to have a few.

    A question goes before its answer: it says what both are about.
    """
    names: dict[str, None] = {}
    words: dict[str, None] = {}
    place = len(recent) - 1
    while place >= 0 and len(names) + len(words) < _TERMS_ENOUGH:
        asked = place > 0 and "?" not in recent[place] and "?" in recent[place - 1]
        for message in recent[place - 1 : place + 1] if asked else recent[place : place + 1]:
            named = _names_in(message)
            names |= dict.fromkeys(named)
            words |= dict.fromkeys(_topic_words(message, named, contrast=contrast))
        place -= 2 if asked else 1
    return [*list(names)[:_NAMES_ADDED], *list(words)[:_WORDS_ADDED]]


def _names_in(message: str) -> list[str]:
    return [name.text for name in find_names(message)]


def _topic_words(message: str, named: Sequence[str], *, contrast: bool) -> list[str]:
    """The telling words of a message; where another thing takes the place of the last, those after a preposition.

    After `the retry limit of the gateway`, `and the timeout?` asks for that of the gateway, and not for retries.
    """
    words = _words_of(message)
    taken = {part for name in named for part in _words_of(name)}
    topics = [place for place in range(len(words)) if words[place] not in taken and _is_topic(words, place, taken)]
    inner = [place for place in topics if _follows_preposition(words, place)] if contrast else []
    return [words[place] for place in inner or topics]


def _is_topic(words: Sequence[str], place: int, named: set[str]) -> bool:
    """A telling word that is no verb here: `the retry limit`, but not `MySQL lacks`."""
    word, before = words[place], words[place - 1] if place else ""
    if word[0].isdigit() or (len(word) < 3 and word.isascii()):
        return False
    if word not in VERBS:
        return tells(word)
    if before in DETERMINERS and before not in ("that", "this", "which", "what"):
        return True
    return tells(word) and not (VERBS[word][1] in "sdb" and (before in named or before in PRONOUNS or tells(before)))


def _follows_preposition(words: Sequence[str], place: int) -> bool:
    """`of the gateway`, `in our billing service`."""
    for back in range(place - 1, max(-1, place - 4), -1):
        if words[back] in PREPOSITIONS:
            return True
        if words[back] not in DETERMINERS and not tells(words[back]):
            return False
    return False


# --- names that pronouns stand for --------------------------------------------------------------------

_INTO_PLACES = frozenset("in at near into on inside outside around through via".split())
_AFTER_PEOPLE = frozenset("with by for and to from about than".split())
_WOMEN = frozenset(
    """mary jennifer elizabeth susan karen sarah margaret ruth helen sharon carol heather megan erin kim joan ellen
    kathryn alice grace claire jane kate rachel deborah judith hannah emily lily molly amy nancy betty wendy jill
    iris""".split()
)
_MEN = frozenset(
    """james john robert michael david william joseph thomas charles daniel matthew mark paul steven andrew joshua kevin
    brian george edward ronald timothy jason jeffrey ryan jacob eric jonathan stephen justin scott brandon benjamin sam
    tim tom dave bob bill jim joe ben nate evan calvin oliver luke noah luca peter simon martin henry jack""".split()
)
_WOMENS_ENDS = ("a", "ine", "ie", "elle", "ette", "anne", "lyn", "een", "ice")


def _gender_of(name: str) -> str:
    first = name.split()[0].lower()
    if first in _WOMEN:
        return "she"
    if first in _MEN:
        return "he"
    return "she" if first.endswith(_WOMENS_ENDS) else ""


def _find_person(recent: Sequence[str], pronoun: str) -> str:
    """The name of a person in the last message that has one which fits; of several the one that does something."""
    wanted = "she" if pronoun in _SHE else "he"
    fallback = ""
    for message in reversed(recent):
        ranked = [(_rank_person(message, name), name) for name in _names_in(message) if _looks_like_person(name)]
        fitting = [(rank, name) for rank, name in ranked if rank > 0 and _gender_of(name) in ("", wanted)]
        sure = [(rank, name) for rank, name in fitting if _gender_of(name) == wanted]
        if sure or fitting:
            return max(sure or fitting, key=lambda pair: pair[0])[1]
        fallback = fallback or next((name for rank, name in ranked if rank > 0), "")
    return fallback


def _looks_like_person(name: str) -> bool:
    return all(part[0].isupper() and part[1:].islower() and part.isalpha() for part in name.split())


def _rank_person(message: str, name: str) -> int:
    """2 where the name acts, owns or speaks, 1 where it may be anybody, 0 where it is a place or a tool."""
    at = message.find(name)
    before = _words_of(message[max(0, at - 24) : at])[-1:]
    after = message[at + len(name) : at + len(name) + 2]
    following = _words_of(message[at + len(name) : at + len(name) + 30])[:1]
    if before and before[0] in _INTO_PLACES:
        return 0
    if before and before[0] in _AFTER_PEOPLE:
        return 1
    acts = following and (following[0] in AUXILIARIES or following[0] in VERBS)
    return 2 if acts or after[:1] in ("'", "’", ":") else 1


def _find_several(recent: Sequence[str]) -> list[str]:
    """The names of the last message that has two; where none has, those of the last that has one."""
    named = [names for message in reversed(recent) if (names := _names_in(message))]
    return next((names for names in named if len(names) > 1), named[0] if named else [])[:_NAMES_ADDED]


def _find_place(recent: Sequence[str]) -> str:
    """The last name that something is in, at or on the way to."""
    for message in reversed(recent):
        for name in reversed(_names_in(message)):
            at = message.find(name)
            before = _words_of(message[max(0, at - 24) : at])[-1:]
            if before and (before[0] in _INTO_PLACES or before[0] in ("to", "from")):
                return name
    return ""
