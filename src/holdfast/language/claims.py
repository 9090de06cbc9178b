"""What one clause says: subject, attribute, value, polarity, and whether another value would contradict it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

import msgspec

from holdfast.domain.claim import Claim
from holdfast.language.clauses import (
    ADVERBS,
    AUXILIARIES,
    DETERMINERS,
    NOUNISH,
    PREPOSITIONS,
    PRONOUNS,
    SUBORDINATORS,
    VERBS,
    Clause,
    Token,
    find_verb,
    is_possessive,
    opens_imperative,
)
from holdfast.language.normalise import fold_text
from holdfast.language.terms import stem_word

# --- word tables --------------------------------------------------------------------------------------

ATTRIBUTE_NOUNS = frozenset(
    """email mail phone number address name timeout limit port version owner deadline birthday color colour language
    location role title age salary size cost price budget host url path status database editor branch region license
    key id username password timezone currency capital manager lead maintainer author framework format theme height
    weight interval threshold capacity ttl quota delay duration encoding locale shell hostname domain endpoint model
    type mode level count retries replicas provider registry repository nickname hometown employer""".split()
)
_UNKNOWN_SUBJECTS = frozenset("it he she they this that these those there you one who his her its their your".split())
_COLLECTIVE = frozenset("we us team project repo repositori codebas compani our".split())
_INDEFINITE = frozenset("a an some any every each all many most few several no another both".split())
_DROPPED = frozenset(
    "a an the our this that these those its their his her very quite really so please own".split()
) | ADVERBS - {"never", "only"}
_ALIASES = {
    "e-mail": "email", "mail": "email", "colour": "color", "telephone": "phone", "favourite": "favorite",
    "postgresql": "postgres", "psql": "postgres", "k8s": "kubernetes", "js": "javascript", "vscode": "vs code",
    "authorise": "authorize", "nodejs": "node", "repository": "repo", "db": "database", "config": "configuration",
}  # fmt: skip
_HEADS = {
    "phone number": "phone", "email address": "email", "port number": "port", "due date": "due",
    "version number": "version", "price": "cost", "deadlin": "due", "birthday": "born on",
}  # fmt: skip
_VERB_ALIASES = {
    "reside": "live", "adopt": "use", "love": "like", "enjoy": "like", "adore": "like", "favour": "prefer",
    "employ": "use",
    "utilize": "use", "equal": "be", "relocate": "move", "migrate": "switch",
}  # fmt: skip
_VERB_OPPOSITES = {
    "hate": "like",
    "dislike": "like",
    "forbid": "allow",
    "prohibit": "allow",
    "disable": "enable",
    "avoid": "use",
    "deny": "allow",
}
_VALUE_OPPOSITES = {
    "disabled": "enabl", "forbidden": "allow", "prohibited": "allow", "disallowed": "allow", "banned": "allow",
    "unsupported": "support", "inactive": "activ", "unavailable": "avail", "unstable": "stabl", "insecure": "secur",
    "incompatible": "compat", "unnecessary": "necessari", "invalid": "valid", "unencrypted": "encrypt",
    "unreliable": "reliabl",
    "incorrect": "correct", "unsafe": "safe", "optional": "requir", "false": "true", "off": "on",
}  # fmt: skip
_ATTRIBUTES = {
    "work for": "work at", "work with": "work with", "deploy on": "deploy to", "deploy in": "deploy to",
    "host in": "host on",
    "host at": "host on", "host with": "host on", "default to": "default", "live at": "live in", "belong to": "owner",
    "store on": "store in", "keep in": "store in", "save in": "store in", "bear in": "born in",
}  # fmt: skip
_EXCLUSIVE = frozenset(
    """live in|work at|default|report to|name|owner|port|due|store in|deploy to|host on|write in|move to|born on|born in
    |run at|start at|expire on|expire at|listen on|locate in|use as""".replace("\n    ", "").split("|")
)
_PLACED = frozenset(
    """store keep save deploy host write run format build document track release publish lint test manage log
        put schedule""".split()
)
_EVENTS = frozenset("move switch decide choose rename change set deprecate release name call agree bear".split())
_SETTERS = frozenset("set change update increase raise reduce lower decrease bump extend".split())
_SAME_PARTICIPLE = frozenset("set put run read cut split shut".split())
_LOCATED = frozenset("located situated based".split())
_QUALIFIERS = {
    "in": "in",
    "on": "in",
    "at": "in",
    "under": "in",
    "during": "in",
    "within": "in",
    "for": "for",
    "as": "for",
    "of": "of",
}
_CONDITIONS = frozenset("if when whenever unless until while once where after before".split())
_REASONS = frozenset("because since so as which who although though".split())
_COMPARATORS = frozenset("about around over under up than between within".split())
_LABELS = frozenset(
    """note rule tip convention preference decision fact reminder todo important warning fyi remember update
        correction user memory""".split()
)
_OPENERS_TABLE = (
    ("i", "think", "that"), ("note", "that"), ("remember", "that"), ("i", "think"), ("i", "believe"),
    ("remember", "to"), ("make", "sure", "to"),
    ("it", "turns", "out", "that"), ("keep", "in", "mind", "that"), ("fyi",), ("actually",), ("btw",), ("please",),
    ("so",), ("also",),
    ("currently",), ("now",), ("well",), ("yes",), ("in", "general"), ("by", "default"), ("and",), ("but",),
)  # fmt: skip
_OPENERS: dict[str, list[tuple[str, ...]]] = {}
for _opener in _OPENERS_TABLE:
    _OPENERS.setdefault(_opener[0], []).append(_opener)
_NEGATORS = frozenset(
    """not never no neither nicht kein keine keinen keiner nie не нет ни δεν μην لا ليس لم לא אין नहीं मत ne
        pas jamais n'est nunca""".split()
)


# The subject of a fragment such as `Prefers dark mode`: somebody whom the words do not name.
_NOBODY = Token("", "quote", 0, 0)


class _Parse(msgspec.Struct):
    """A clause on its way to claims."""

    subject: Sequence[Token]
    verb: str
    mood: str
    positive: bool
    rest: Sequence[Token]
    passive: bool = False
    qualifiers: tuple[str, ...] = ()


_Draft = tuple[str, str, str, bool, bool]

# --- words to canonical text --------------------------------------------------------------------------


@lru_cache(maxsize=16384)
def canonical_word(low: str) -> str:
    """A lower-case word folded and stemmed; the parts of a code name become words."""
    low = _ALIASES.get(low, low)
    if low.endswith("'s"):
        low = low[:-2]
    if low.isalpha() and low.isascii():
        return stem_word(low)
    if "_" in low or "-" in low:
        return " ".join(canonical_word(part) for part in re.split("[_-]+", low) if part)
    return " ".join(stem_word(word) for word in fold_text(low).split())


def _words(tokens: Sequence[Token]) -> list[str]:
    """Canonical words of a phrase: no articles, no marks, no idle adverbs."""
    words: list[str] = []
    for token in tokens:
        if token.kind == "value" or token.kind == "quote":
            words.append(token.low)
        elif token.kind != "mark" and token.low not in _DROPPED and (word := canonical_word(token.low)):
            words.append(word)
    return words


def _phrase(tokens: Sequence[Token]) -> str:
    return " ".join(_words(tokens))


# --- the public function ------------------------------------------------------------------------------


def find_claims(clauses: Sequence[Clause], text: str) -> tuple[Claim, ...]:
    """The claims of a text's clauses, in order: at least one a clause, two where it says `X, not Y`."""
    plain = text == text.lower()
    claims: list[Claim] = []
    antecedent = ""
    for clause in clauses:
        for subject, attribute, value, positive, exclusive in _read_clause(clause, plain):
            if antecedent and subject in ("he", "she", "it"):
                subject, exclusive = antecedent, exclusive or attribute in _EXCLUSIVE
            claims.append(
                Claim(clause.sentence, clause.start, clause.end, subject, attribute, value, positive, exclusive)
            )
            if subject and subject not in _UNKNOWN_SUBJECTS and subject not in ("we", "i"):
                antecedent = subject
    return tuple(claims)


def _read_clause(clause: Clause, plain: bool) -> list[_Draft]:
    tokens: Sequence[Token] = clause.tokens
    if tokens[-1].low not in ("?", "？", "؟"):
        foreign = _read_foreign(clause)
        drafts = foreign or _read_english(_drop_asides(_drop_openers(tokens)), plain, ())
        drafts = [draft for draft in drafts if draft[2]]
        if drafts:
            return drafts
    return [_unparsed(clause)]


def _unparsed(clause: Clause) -> _Draft:
    words = [token for token in clause.tokens if token.low not in _NEGATORS or token.kind == "value"]
    value = _phrase(words) or fold_text(clause.sentence) or clause.sentence
    return "", "", value, len(words) == len(clause.tokens), False


def _drop_openers(tokens: Sequence[Token]) -> Sequence[Token]:
    """Without what only introduces the statement: `Note that`, `FYI`, `Decision:`."""
    if len(tokens) > 2 and tokens[1].low in (":", "-", "—") and tokens[0].low in _LABELS:
        return _drop_openers(tokens[2:])
    for opener in _OPENERS.get(tokens[0].low, ()):
        size = len(opener)
        if len(tokens) > size + 1 and all(tokens[i].low == opener[i] for i in range(size)):
            if size == 1 and tokens[size].low in AUXILIARIES and opener != ("please",):
                return tokens
            return tokens[size + (tokens[size].low == ",") :]
    return tokens


def _drop_asides(tokens: Sequence[Token]) -> Sequence[Token]:
    """Without bracketed asides and `, who ...,` between subject and verb."""
    kept: list[Token] = []
    closer = ""
    for place, token in enumerate(tokens):
        if closer:
            closer = "" if token.low == closer else closer
        elif token.low == "(" and place:
            closer = ")"
        elif token.low == "," and place + 1 < len(tokens) and tokens[place + 1].low in ("who", "which", "whose"):
            closer = ","
        else:
            kept.append(token)
    return kept or tokens


# --- from tokens to a parse ---------------------------------------------------------------------------


def _read_english(tokens: Sequence[Token], plain: bool, qualifiers: tuple[str, ...]) -> list[_Draft]:
    if not qualifiers and (start := _preamble_end(tokens)):
        return _read_english(tokens[start:], plain, (_qualifier(tokens[:start]),))
    assigned = _assignment_place(tokens)
    if assigned:
        return _copula(_Parse(tokens[:assigned], "be", "now", True, tokens[assigned + 1 :], False, qualifiers), plain)
    parse = _parse_clause(tokens)
    if parse is None:
        return []
    parse.qualifiers = qualifiers
    return _claims_of(parse, plain)


def _preamble_end(tokens: Sequence[Token]) -> int:
    """How many tokens stand before the main clause: `In production, ...`, `When deploying, ...`."""
    first = tokens[0].low
    if (first not in PREPOSITIONS and first not in _CONDITIONS) or len(tokens) < 4:
        return 0
    for place in range(1, min(len(tokens) - 1, 14)):
        token = tokens[place]
        if token.low == ",":
            return place + 1
        if (
            place > 1
            and first in PREPOSITIONS
            and (token.low in PRONOUNS or token.low in ("the", "our", "my") or tokens[place - 1].kind == "value")
        ):
            return place
    return 0


def _qualifier(tokens: Sequence[Token]) -> str:
    """A time, place or condition in canonical form; what only says since when is none."""
    first = tokens[0].low
    if first in ("since", "from") or (first == "as" and len(tokens) > 1 and tokens[1].low == "of"):
        return ""
    return f"{_QUALIFIERS.get(first, first)} {_phrase(tokens[1:])}".strip()


def _assignment_place(tokens: Sequence[Token]) -> int:
    """Place of the sign in `API timeout: 30 s`, `api_timeout = 30s`; 0 where there is none."""
    for place in range(1, min(len(tokens) - 1, 8)):
        token = tokens[place]
        if (token.kind == "mark" and token.low in (":", "=", "→", "：")) or (token.low == "—" and place < 4):
            return place
        if token.low in AUXILIARIES:
            return 0
    return 0


def _parse_clause(tokens: Sequence[Token]) -> _Parse | None:
    verb = find_verb(tokens, 0, len(tokens))
    if verb > 0 and not (opens_imperative(tokens, 0, len(tokens)) and not _is_subject(tokens[:verb], tokens[verb])):
        return _parse_verb_group(tokens, tokens[:verb], verb)
    if verb == 0:
        head, _, tail = tokens[0].low.rpartition("'")
        pronoun = Token(head, tokens[0].kind, tokens[0].start, tokens[0].end)
        auxiliary = Token("'" + tail, "word", tokens[0].start, tokens[0].end)
        return _parse_verb_group([pronoun, auxiliary, *tokens[1:]], [pronoun], 1)
    if opens_imperative(tokens, 0, len(tokens)):
        return _parse_verb_group(tokens, (), 0)
    known = VERBS.get(tokens[0].low)
    if known and known[1] == "s" and len(tokens) > 1 and tokens[1].kind != "mark":
        return _parse_verb_group(tokens, (_NOBODY,), 0)
    if len(tokens) > 2 and tokens[1].kind == "word" and (tokens[0].kind == "name" or tokens[0].low in PRONOUNS):
        unknown = tokens[1].low
        if (
            unknown.endswith("s")
            and unknown.isascii()
            and not unknown.endswith(("ss", "us", "'s"))
            and unknown not in PREPOSITIONS
        ):
            return _Parse(tokens[:1], stem_word(unknown), "now", True, tokens[2:])
    return None


def _is_subject(tokens: Sequence[Token], verb: Token) -> bool:
    """Whether these tokens are a subject and no command: `Type hints are ...`, not `Use the client that is ...`."""
    first = tokens[0].low
    if first in ADVERBS or first in AUXILIARIES:
        return False
    if first in PRONOUNS or first in DETERMINERS or first not in VERBS:
        return True
    if len(tokens) == 1:
        return (first != "use" and first in NOUNISH) or verb.low in AUXILIARIES
    return verb.low in AUXILIARIES and not any(
        token.kind == "mark" or token.low in DETERMINERS or token.low in SUBORDINATORS or token.low in PRONOUNS
        for token in tokens
    )


def _parse_verb_group(tokens: Sequence[Token], subject: Sequence[Token], place: int) -> _Parse:
    """Read auxiliaries, negation and main verb; what follows is the rest."""
    mood, positive, base = "now", True, ""
    be = False
    while subject and len(subject) > 1 and (subject[-1].low in ADVERBS or subject[-1].low in ("no", "longer", "not")):
        positive = positive and subject[-1].low not in ("never", "no", "not")
        subject = subject[:-1]
    while place < len(tokens):
        low = tokens[place].low
        auxiliary = AUXILIARIES.get(low) or (AUXILIARIES.get(low[low.rindex("'") :]) if "'" in low else None)
        if low == "no" and place + 1 < len(tokens) and tokens[place + 1].low == "longer":
            positive, place = False, place + 1
        elif low in ("not", "never", "no") and not (low == "no" and not be and base != "have"):
            positive = False
        elif auxiliary and not be:
            base = auxiliary[0]
            be = base == "be"
            mood = auxiliary[1] if mood == "now" and auxiliary[1] not in ("now", "must") else mood
            positive = positive and not auxiliary[2]
        elif low in ("been", "be") and base:
            base, be, mood = "be", True, "now" if mood == "past" else mood
        elif low not in ADVERBS and low not in ("please", "longer", "going"):
            break
        place += 1
    return _parse_main_verb(tokens, subject, place, base, mood, positive)


def _parse_main_verb(
    tokens: Sequence[Token], subject: Sequence[Token], place: int, base: str, mood: str, positive: bool
) -> _Parse:
    word = tokens[place] if place < len(tokens) and tokens[place].kind in ("word", "name") else None
    be = base == "be"
    known = VERBS.get(word.low) if word else None
    if word and known is None and be and word.low.endswith("ed") and len(word.low) > 5:
        known = (word.low[:-2], "d")
    elif word and known is None and word.kind == "word" and base not in ("be", "have") and (base or not subject):
        known = (word.low, "b")  # after `should` or `never` stands a verb, known or not
    if known is None or (be and known[1] in ("b", "s") and known[0] not in _SAME_PARTICIPLE):
        return _Parse(subject, base or "be", mood, positive, tokens[place:])
    verb, form = known
    if be and form == "b":
        form = "d"
    following = tokens[place + 1].low if place + 1 < len(tokens) else ""
    chained = (
        following == "to"
        and verb in ("decide", "agree", "choose", "use", "need", "have", "plan", "want")
        and place + 2 < len(tokens)
    )
    if (chained and (inner := VERBS.get(tokens[place + 2].low))) or (
        verb in ("avoid", "stop") and (inner := VERBS.get(following)) and inner[1] == "g"
    ):
        mood = "past" if verb == "use" else "will" if verb in ("plan", "want") else "now"
        place, verb, positive = place + (2 if chained else 1), inner[0], positive and verb not in ("avoid", "stop")
    elif form == "d" and not base and verb not in _EVENTS and subject:
        mood = "past"
    elif form == "d" and base == "have":
        mood = "now"
    if verb in _VERB_OPPOSITES and not (be and form == "d"):
        verb, positive = _VERB_OPPOSITES[verb], not positive
    passive = be and form == "d"
    return _Parse(
        subject,
        _VERB_ALIASES.get(verb, verb),
        mood,
        positive,
        tokens[place + 1 :] if not passive else tokens[place:],
        passive,
    )


# --- from a parse to claims ---------------------------------------------------------------------------


def _claims_of(parse: _Parse, plain: bool) -> list[_Draft]:
    parse.rest, alternative = _cut_alternative(_cut_reason(parse))
    drafts = _one_claim(parse, plain)
    if alternative and drafts:
        denied = msgspec.structs.replace(
            parse, rest=_with_alternative(parse.rest, alternative), positive=not parse.positive
        )
        drafts += _one_claim(denied, plain)
    return drafts


def _one_claim(parse: _Parse, plain: bool) -> list[_Draft]:
    if parse.passive:
        return _passive(parse, plain)
    if parse.verb in ("be", "become", "remain", "stay") and parse.mood != "can":
        return _copula(parse, plain)
    return _active(parse, plain)


def _cut_reason(parse: _Parse) -> Sequence[Token]:
    """The rest without its reason; a condition at the end becomes a qualifier."""
    rest = parse.rest
    for place, token in enumerate(rest):
        low = token.low
        if token.kind == "value" or (not place and low not in ("because", "so") and low not in _CONDITIONS):
            continue
        is_date = place + 1 < len(rest) and rest[place + 1].kind == "value"
        if low in _REASONS and (low not in ("as", "so") or (place + 1 < len(rest) and rest[place + 1].low in PRONOUNS)):
            return _strip_marks(rest[:place])
        if _opens_purpose(rest, place):
            return _strip_marks(rest[:place])
        if low in _CONDITIONS and not is_date and (low not in ("after", "before") or parse.verb == "be"):
            parse.qualifiers += (_qualifier(rest[place:]),)
            return _strip_marks(rest[:place])
    return rest


def _opens_purpose(rest: Sequence[Token], place: int) -> bool:
    """`in order to ...`, `due to ...`, `to keep the ...`; but not `to host Beta`, where the word is a noun."""
    if place + 1 >= len(rest):
        return False
    low, following = rest[place].low, rest[place + 1].low
    if (low == "in" and following == "order") or low == "due":
        return True
    if low != "to" or rest[place + 1].kind != "word" or VERBS.get(following, ("", ""))[1] != "b":
        return False
    return following not in NOUNISH or (place + 2 < len(rest) and rest[place + 2].low in DETERMINERS)


def _strip_marks(tokens: Sequence[Token]) -> Sequence[Token]:
    while tokens and (
        (tokens[-1].kind == "mark" and tokens[-1].low not in "%)")
        or tokens[-1].low in ("anymore", "longer", "but", "and")
    ):
        tokens = tokens[:-1]
    return tokens


def _cut_alternative(rest: Sequence[Token]) -> tuple[Sequence[Token], Sequence[Token]]:
    """Split `X, not Y`, `X but not Y`, `X instead of Y`, `X rather than Y` into X and the denied Y."""
    for place in range(1, len(rest) - 1):
        low, following = rest[place].low, rest[place + 1].low
        if (
            (low in (",", "but") and following == "not")
            or (low == "instead" and following == "of")
            or (low == "rather" and following == "than")
        ):
            return _share_phrase(_strip_marks(rest[:place]), _strip_marks(rest[place + 2 :]))
        if low == "not" and rest[place - 1].kind != "mark" and place > 1:
            return _strip_marks(rest[:place]), _strip_marks(rest[place + 1 :])
    return _strip_marks(rest), ()


def _share_phrase(chosen: Sequence[Token], denied: Sequence[Token]) -> tuple[Sequence[Token], Sequence[Token]]:
    """`ruff instead of flake8 for linting`: what follows the denied half holds for both."""
    start = next(
        (place for place, token in enumerate(denied) if place and token.low in PREPOSITIONS and token.low != "of"), 0
    )
    if start and not any(token.low in PREPOSITIONS for token in chosen):
        return [*chosen, *denied[start:]], denied
    return chosen, denied


def _with_alternative(rest: Sequence[Token], alternative: Sequence[Token]) -> Sequence[Token]:
    """The rest with Y in the place of X: what stands around X holds for Y too."""
    if alternative[0].low in PREPOSITIONS:
        return alternative
    if rest and rest[0].low in PREPOSITIONS:
        return [rest[0], *alternative]
    own = next((place for place, token in enumerate(alternative) if token.low in PREPOSITIONS and token.low != "of"), 0)
    shared = next(
        (place for place, token in enumerate(rest) if token.low in PREPOSITIONS and token.low != "of"), len(rest)
    )
    return alternative if own else [*alternative, *rest[shared:]]


def _split_phrases(rest: Sequence[Token]) -> tuple[Sequence[Token], list[tuple[str, Sequence[Token]]]]:
    """The object, then every prepositional phrase as (preposition, phrase)."""
    starts: list[int] = []
    for place, token in enumerate(rest):
        if token.low in PREPOSITIONS and token.kind == "word" and token.low != "of" and place + 1 < len(rest):
            following = rest[place + 1]
            compares = (
                token.low in _COMPARATORS and (following.kind == "value" or following.low == "to")
            ) or following.low in ("least", "most")
            if not compares and not (starts and starts[-1] == place - 1):
                starts.append(place)
    if not starts:
        return rest, []
    ends = [*starts[1:], len(rest)]
    head = rest[: starts[0]]
    return head, [(rest[start].low, rest[start + 1 : end]) for start, end in zip(starts, ends, strict=True)]


def _name_subject(tokens: Sequence[Token]) -> tuple[list[str], list[str], list[str]]:
    """Owner, own words and qualifiers: `the timeout of the API` and `API's timeout` are both (api, timeout)."""
    head, phrases = _split_phrases(tokens)
    owner: list[str] = []
    for place, token in enumerate(head):
        if is_possessive(tokens, place) or token.low == "my":
            owner += _words(head[: place + 1]) if token.low != "my" else ["i"]
            head = head[place + 1 :]
            break
        if token.low == "of" and place:
            owner, head = _words(head[place + 1 :]), head[:place]
            break
    words = _words(head)
    qualifiers = []
    for preposition, phrase in phrases:
        if preposition in ("for", "of") and not owner:
            owner = _words(phrase)
        elif preposition != "since":
            qualifiers.append(f"{_QUALIFIERS.get(preposition, preposition)} {_phrase(phrase)}")
    return owner, words, qualifiers


def _actor(tokens: Sequence[Token]) -> str:
    """The subject of an action; a command and `we` speak of the same doers."""
    owner, words, qualifiers = _name_subject(tokens)
    subject = " ".join(owner + words + qualifiers)
    return "we" if not tokens or subject in _COLLECTIVE else subject.strip()


def _thing(tokens: Sequence[Token]) -> str:
    owner, words, _ = _name_subject(tokens)
    return " ".join(owner + words)


def _slot_of(tokens: Sequence[Token]) -> tuple[str, str, list[str]]:
    """Subject, attribute noun and qualifiers of what a copula or an assignment speaks about."""
    owner, words, qualifiers = _name_subject(tokens)
    flat = " ".join(words).split()
    if "default" in flat and len(owner) + len(flat) > 1:
        flat.remove("default")
        return " ".join(owner + flat), "default", qualifiers
    size = 2 if " ".join(flat[-2:]) in _HEADS else 1
    if owner:
        head = " ".join(flat)
        return " ".join(owner), _HEADS.get(head, head), qualifiers
    if len(flat) > size and (size == 2 or flat[-1] in _ATTRIBUTE_STEMS):
        head = " ".join(flat[-size:])
        return " ".join(flat[:-size]), _HEADS.get(head, head), qualifiers
    return " ".join(flat), "", qualifiers


_ATTRIBUTE_STEMS = frozenset(canonical_word(noun) for noun in ATTRIBUTE_NOUNS)

_SINGLE_STEMS = _ATTRIBUTE_STEMS | {"due", "default", "born on"}


def _join(*parts: str) -> str:
    return " ".join(part for part in parts if part)


def _mood_prefix(mood: str) -> str:
    return "" if mood in ("now", "do") else "can" if mood == "can" else mood


def _is_definite(tokens: Sequence[Token], subject: str) -> bool:
    if not tokens:
        return True
    return (
        tokens[0].low not in _INDEFINITE
        and subject not in _UNKNOWN_SUBJECTS
        and tokens[0].low not in _UNKNOWN_SUBJECTS - {"this", "that"}
    )


def _is_telling(tokens: Sequence[Token], plain: bool) -> bool:
    """Whether the value is a number, date, identifier, quotation or name: one of its kind."""
    if any(token.kind in ("value", "quote") for token in tokens):
        return True
    words = [token for token in tokens if token.kind != "mark"]
    if not words or words[0].low in ("a", "an", "some", "any"):
        return False
    return any(token.kind == "name" for token in words) or (
        plain and len(words) == 1 and words[0].low not in VERBS and words[0].low not in _VALUE_OPPOSITES
    )


def _copula(parse: _Parse, plain: bool) -> list[_Draft]:
    """`X is Y`: the value is what follows, or the phrase after the first preposition."""
    rest, positive = parse.rest, parse.positive
    if rest and rest[0].low == "due":
        return _stated(
            parse, "due", [token for token in rest[1:] if token.low not in ("on", "by", "at", "in")], exclusive=True
        )
    if rest and rest[0].low == "born":
        dated = any(token.kind == "value" for token in rest)
        return _stated(
            parse,
            "born on" if dated else "born in",
            rest[2:] if len(rest) > 2 and rest[1].low in PREPOSITIONS else rest[1:],
            exclusive=True,
        )
    head, phrases = _split_phrases(rest)
    swapped = _swap_definition(parse, head)
    if swapped:
        parse = msgspec.structs.replace(parse, subject=swapped[0], rest=swapped[1])
        phrases = [phrase for phrase in phrases if phrase[0] != "for"]
        head = parse.rest
    subject, noun, qualifiers = _slot_of(parse.subject)
    preposition = ""
    if not head and phrases:
        preposition, head = phrases[0]
        phrases = phrases[1:]
        if noun and preposition in ("on", "at", "by") and head[0].kind == "value":
            preposition = ""  # the birthday is on a date, the port at a number
    value_tokens = list(head)
    for place, phrase in phrases:
        if place not in _QUALIFIERS and place not in _CONDITIONS and place != "since" and not preposition:
            value_tokens += phrase
        elif place != "since":
            qualifiers.append(f"{_QUALIFIERS.get(place, place)} {_phrase(phrase)}")
    value, positive = _flip_opposite(value_tokens, positive)
    held = noun or preposition or _definite_noun(parse.subject) or (bool(head) and head[0].kind == "value")
    telling = _is_telling(head, plain) or (noun.rpartition(" ")[2] in _SINGLE_STEMS and not _is_participle(head))
    exclusive = bool(held) and telling and _is_definite(parse.subject, subject) and parse.mood in ("now", "do")
    attribute = noun if noun and not preposition else _join(noun, "be", preposition)
    full = _join(_mood_prefix(parse.mood), attribute, *sorted({*qualifiers, *parse.qualifiers}))
    return [(subject, full, value, positive, exclusive)]


def _is_participle(tokens: Sequence[Token]) -> bool:
    """`the main branch is protected` describes the branch, it does not name one."""
    return (
        len(tokens) > 0
        and tokens[0].kind == "word"
        and (tokens[0].low.endswith("ed") or VERBS.get(tokens[0].low, ("", ""))[1] == "d")
    )


def _definite_noun(tokens: Sequence[Token]) -> bool:
    """Whether the subject is a thing (`the office`) and not a bare name, of which many things hold at once."""
    if not tokens or tokens[0].low in DETERMINERS or len(tokens) > 2:
        return bool(tokens)
    return (
        not all(token.kind in ("name", "quote") for token in tokens)
        or canonical_word(tokens[-1].low) in _ATTRIBUTE_STEMS
    )


def _swap_definition(parse: _Parse, head: Sequence[Token]) -> tuple[Sequence[Token], Sequence[Token]] | None:
    """`Alice is the owner of the repo` read as `the owner of the repo is Alice`."""
    subject = parse.subject
    named = all(token.kind in ("name", "value") for token in subject) or (
        len(subject) == 1 and subject[0].low not in PRONOUNS
    )
    if not named or not subject or len(head) < 2 or any(token.kind == "mark" for token in head):
        return None
    if head[0].low not in ("the", "our", "my") and not is_possessive(head, 0):
        return None
    scoped = len(parse.rest) > len(head) and parse.rest[len(head)].low == "for"
    return parse.rest if scoped else head, subject


def _flip_opposite(tokens: Sequence[Token], positive: bool) -> tuple[str, bool]:
    """`disabled` is said as `not enabled`, so that the two meet."""
    words = [token for token in tokens if token.low not in _DROPPED and token.kind != "mark"]
    if len(words) == 1 and (opposite := _VALUE_OPPOSITES.get(words[0].low)):
        return opposite, not positive
    return _phrase(tokens), positive


def _stated(parse: _Parse, attribute: str, value: Sequence[Token], *, exclusive: bool) -> list[_Draft]:
    subject, noun, qualifiers = _slot_of(parse.subject)
    exclusive = exclusive and _is_definite(parse.subject, subject) and parse.mood != "can"
    prefix = _mood_prefix(parse.mood) if attribute not in ("born on", "born in", "name") else ""
    full = _join(prefix, attribute, *sorted({*qualifiers, *parse.qualifiers}))
    return [(_join(subject, noun), full, _phrase(value), parse.positive, exclusive)]


def _passive(parse: _Parse, plain: bool) -> list[_Draft]:
    """`X is used for Y`, `X is stored in Y`, `X is owned by Y`; a participle alone is an adjective."""
    participle, rest = parse.rest[0], parse.rest[1:]
    head, phrases = _split_phrases(rest)
    if participle.low in _LOCATED and phrases:
        return _copula(msgspec.structs.replace(parse, rest=rest, passive=False), plain)
    if parse.verb in ("call", "name") and head:
        return _stated(parse, "name", head, exclusive=True)
    if parse.verb in _SETTERS and phrases and phrases[-1][0] == "to":
        return _set_value(parse, parse.subject, phrases[-1][1], plain)
    if not phrases:
        return _copula(msgspec.structs.replace(parse, passive=False), plain)
    if phrases[0][0] == "by" and not head:
        actor = msgspec.structs.replace(parse, subject=phrases[0][1], rest=parse.subject, passive=False)
        return _active(actor, plain)
    if parse.verb in ("use", "prefer", "need") and not head:
        return _active(msgspec.structs.replace(parse, subject=(), rest=[*parse.subject, *rest], passive=False), plain)
    return _active(msgspec.structs.replace(parse, rest=rest, passive=False), plain)


def _set_value(parse: _Parse, subject: Sequence[Token], value: Sequence[Token], plain: bool) -> list[_Draft]:
    """`the timeout was raised to 60 s`: since then it is 60 s."""
    mood = "now" if parse.mood == "past" else parse.mood
    return _copula(msgspec.structs.replace(parse, subject=subject, rest=value, passive=False, mood=mood), plain)


def _active(parse: _Parse, plain: bool) -> list[_Draft]:
    """`S verb O`, `S verb prep V`, `S verb O prep Y`."""
    rest, positive = parse.rest, parse.positive
    if rest and rest[0].low == "no" and len(rest) > 1:
        rest, positive = rest[1:], not positive
    head, phrases = _split_phrases(rest)
    subject = _actor(parse.subject)
    if parse.verb == "own" and head:
        owned = _thing(head)
        return [(owned, _join(_mood_prefix(parse.mood), "owner"), subject, positive, parse.mood == "now")]
    if parse.verb in _SETTERS and head and phrases and phrases[-1][0] == "to":
        return _set_value(parse, head, phrases[-1][1], plain)
    if parse.verb == "belong":
        subject = _thing(parse.subject)
    if noun := _stated_noun(head, phrases):
        return _stated_property(parse, subject, noun, head, phrases, positive)
    if parse.verb == "prefer" and head:
        return [_preference(parse, subject, head, phrases, positive)]
    if parse.verb == "switch" and phrases and phrases[-1][0] == "to":
        return [(subject, "use", _phrase(phrases[-1][1]), positive, False)]
    if (
        head
        and phrases
        and parse.verb in _PLACED
        and subject == "we"
        and phrases[0][0] in ("in", "on", "to", "with", "at", "as")
    ):
        subject, head = _thing(head), ()
    return [_action(parse, subject, head, phrases, positive, plain)]


def _action(
    parse: _Parse,
    subject: str,
    head: Sequence[Token],
    phrases: list[tuple[str, Sequence[Token]]],
    positive: bool,
    plain: bool,
) -> _Draft:
    verb = stem_word(parse.verb)
    value_tokens = head
    if not head and phrases:
        (preposition, value_tokens), phrases = phrases[0], phrases[1:]
        if preposition == "without":
            preposition, positive = "with", not positive
        verb = _ATTRIBUTES.get(f"{parse.verb} {preposition}", f"{verb} {preposition}")
    qualifiers = list(parse.qualifiers)
    for preposition, phrase in phrases:
        if preposition == "without":
            preposition, positive = "with", not positive
        if preposition != "since":
            qualifiers.append(f"{_QUALIFIERS.get(preposition, preposition)} {_phrase(phrase)}")
    attribute = _join(_mood_prefix(parse.mood), verb, *sorted(filter(None, qualifiers)))
    telling = any(token.kind == "value" for token in value_tokens)
    named = telling or verb not in ("live in", "work at", "move to") or _is_telling(value_tokens, plain)
    single = (
        (verb in _EXCLUSIVE and named)
        or (verb == "use" and any(q.startswith("for ") for q in qualifiers))
        or (verb in ("cost", "take", "last", "expir") and telling)
    )
    exclusive = (
        single
        and parse.mood in ("now", "do")
        and _is_definite(parse.subject, subject)
        and "sometimes" not in (t.low for t in value_tokens)
    )
    return subject, attribute, _phrase(value_tokens) or verb, positive, exclusive


def _stated_noun(head: Sequence[Token], phrases: list[tuple[str, Sequence[Token]]]) -> str:
    """The attribute noun before a number or identifier: `on port 8080`, `a timeout of 30 s`, `version 1.2.3`."""
    tokens = head or (phrases[0][1] if phrases else ())
    words = [token for token in tokens if token.low not in _DROPPED and token.low != "of"]
    if len(words) == 2 and words[1].kind == "value" and (noun := canonical_word(words[0].low)) in _ATTRIBUTE_STEMS:
        return noun
    return ""


def _stated_property(
    parse: _Parse,
    subject: str,
    noun: str,
    head: Sequence[Token],
    phrases: list[tuple[str, Sequence[Token]]],
    positive: bool,
) -> list[_Draft]:
    tokens = head or phrases[0][1]
    others = phrases if head else phrases[1:]
    qualifiers = [f"{_QUALIFIERS.get(place, place)} {_phrase(phrase)}" for place, phrase in others if place != "since"]
    attribute = _join(_mood_prefix(parse.mood), noun, *sorted({*qualifiers, *parse.qualifiers}))
    exclusive = parse.mood in ("now", "do") and _is_definite(parse.subject, subject)
    return [(subject, attribute, tokens[-1].low, positive, exclusive)]


def _preference(
    parse: _Parse, subject: str, head: Sequence[Token], phrases: list[tuple[str, Sequence[Token]]], positive: bool
) -> _Draft:
    """`prefers X over Y` speaks of the pair; `prefers dark mode` of the mode; `prefers X for Y` of Y."""
    value, topic = _phrase(head), ""
    others = [
        f"{_QUALIFIERS.get(place, place)} {_phrase(phrase)}" for place, phrase in phrases if place not in ("over", "to")
    ]
    rivals = [_phrase(phrase) for place, phrase in phrases if place in ("over", "to")]
    if rivals:
        topic = " ".join(sorted([value, rivals[0]]))
    elif " " in value and not others and all(token.kind == "word" for token in head):
        value, _, topic = value.rpartition(" ")
    attribute = _join(_mood_prefix(parse.mood), "prefer", topic, *sorted({*others, *parse.qualifiers}))
    return subject, attribute, value, positive, parse.mood == "now" and _is_definite(parse.subject, subject)


# --- other languages ----------------------------------------------------------------------------------

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
    }.items()
    for word in words.split()
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


def _read_foreign(clause: Clause) -> list[_Draft]:
    """The most common sentence frames of other languages, by table; empty where none fits."""
    if not clause.sentence.isascii() and _CJK.search(clause.sentence):
        return _read_east_asian(clause.sentence)
    words = [token.low for token in clause.tokens]
    place = next(
        (
            i
            for i, word in enumerate(words)
            if word in _FOREIGN_VERBS or (word.startswith("n'") and word[2:] in _FOREIGN_VERBS)
        ),
        0,
    )
    if not place or place + 1 == len(words) or not _ENGLISH_WORDS.isdisjoint(words):
        return []
    base = _FOREIGN_VERBS.get(words[place]) or _FOREIGN_VERBS[words[place][2:]]
    positive = _NEGATORS.isdisjoint(words)
    kept = [
        token
        for token in clause.tokens[place + 1 :]
        if token.low not in _NEGATORS and token.low not in _FOREIGN_ARTICLES
    ]
    subject = [
        token for token in clause.tokens[:place] if token.low not in _NEGATORS and token.low not in _FOREIGN_ARTICLES
    ]
    preposition = _FOREIGN_PREPOSITIONS.get(kept[0].low, "") if len(kept) > 1 else ""
    tokens = kept[1:] if preposition else kept
    attribute = _join(base, preposition)
    attribute = "work at" if base == "work" and preposition else _ATTRIBUTES.get(attribute, attribute)
    telling = any(token.kind in ("value", "name") for token in tokens) and (bool(preposition) or len(subject) < place)
    exclusive = attribute in _EXCLUSIVE or (base == "be" and telling)
    return [(_phrase(subject), attribute, _phrase(tokens), positive, exclusive)] if subject and tokens else []


def _read_east_asian(sentence: str) -> list[_Draft]:
    found = re.match(_JAPANESE, sentence)
    if found:
        return [(fold_text(found[1]), "be", fold_text(found[2]), found[3] in ("です", "である", "だ"), False)]
    found = None if re.search("[\u3040-\u30ff]", sentence) else re.match(_CHINESE, sentence)
    if found is None:
        return []
    attribute, positive = _CHINESE_VERBS[found[2]]
    exclusive = attribute != "be" or bool(re.search(r"\d", found[3]))
    return [(fold_text(found[1]), attribute, fold_text(found[3]), positive, exclusive)]
