"""Sentences, and the single clauses of compound sentences, each as a sentence that stands alone."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

import msgspec

from holdfast.domain.claim import DateMention, Identifier, Quantity
from holdfast.language.dates import find_dates
from holdfast.language.identifiers import find_identifiers
from holdfast.language.normalise import fold_text
from holdfast.language.quantities import find_quantities

# --- words of English grammar ------------------------------------------------------------------------

DETERMINERS = frozenset(
    """the a an this that these those my our your his her its their every each any some no all both another
        which what""".split()
)
PREPOSITIONS = frozenset(
    """in on at to for from by with of over under into onto about as via per through against between within without
    during before after since until till near behind inside outside above below across along around than like
    upon toward towards instead rather off out up""".split()
)
SUBORDINATORS = frozenset(
    """if when whenever because unless although though that which who whom whose where whether so once until
        provided""".split()
)
ADVERBS = frozenset(
    """also always usually normally typically generally currently now still already just only really actually mostly
    often sometimes rarely never ever then finally probably apparently definitely certainly simply mainly primarily
    today nowadays presently again both""".split()
)
PRONOUNS = frozenset(
    "i we you they he she it this that these those who everyone everybody someone nobody there".split()
)
_PLURAL_SUBJECTS = frozenset("i we you they people these those who all both users devs engineers".split())
_CONNECTORS = frozenset("and but while whereas yet".split())
_REPORTING = frozenset(
    """say think believe know hope mean ask tell want ensure note remember guess suspect claim assume make
        decide agree see""".split()
)

_AUXILIARY_TABLE = """
be now: is are am 's 're 'm ain't|be past: was were|have now: has have 've|have past: had|do now: does do|do past: did
will: will shall 'll won't|would: would|can: can cannot can't could may might|must: must should ought needn't
"""
_NEGATED = "is are was were has have had do does did would could might must should need".split()


def _build_auxiliaries() -> dict[str, tuple[str, str, bool]]:
    """Written auxiliary to its verb, its tense or mood, and whether it denies."""
    table: dict[str, tuple[str, str, bool]] = {}
    for row in _AUXILIARY_TABLE.strip().replace("\n", "|").split("|"):
        head, _, words = row.partition(": ")
        base, _, tense = head.partition(" ")
        for word in words.split():
            table[word] = (base, tense or base, word.endswith(("n't", "can't")) or word == "cannot")
    for word in _NEGATED:
        base, tense, _ = table.get(word, ("must", "must", False))
        table[f"{word}n't"] = (base, tense, True)
        table[f"{word}nt"] = (base, tense, True)
    table["dont"] = ("do", "now", True)
    return table


AUXILIARIES = _build_auxiliaries()

# Words after ~ are nouns as often as verbs: they need more evidence before a sentence is split at them.
_REGULAR_VERBS = """
accept achieve add adopt affect agree allow analyse answer appear apply approve archive arrive ask assign avoid base
become
believe belong block bind break bring cache cause choose claim close collect come communicate compile complete configure
connect consider consist contain continue convert cover create crash cut decide declare define delete deny depend
deploy describe design detect develop differ disable discuss dislike drink drive earn eat employ enable encrypt end
enforce ensure
equal evaluate exist expect expire explain expose express fail feel fetch fill find finish fit fix follow forbid
forget format
generate get give go grow guarantee handle happen hate have hear help hold hope ignore implement import improve include
increase indicate inherit initialize inject insist inspect install integrate introduce invoke join keep know land
last launch lead learn
leave let like listen live load locate log lose love maintain make manage map mean measure meet merge migrate
mention miss mock
move need notify occur offer omit open operate optimize organise own parse pass pay perform play point prefer prevent
print process produce prohibit protect provide publish put raise read receive recommend reduce refer refuse reject
relate rely remain remember remove render rename replace represent request require reside resolve respond restart
restrict return reuse
rotate sell see seem send separate serve set ship shut sit skip sleep smoke solve speak specify spend stand stay
stop store
study suggest supply suspect switch take talk teach tell tend terminate think throw tolerate trigger trust try turn
understand update upgrade upload use validate vary verify visit wait walk want warn wear win wish wrap write read
relocate
retire reply subscribe belong enjoy adore admire speak swim retry sync squash rebase lint dislike own escape scale
expire lock pin
abort activate adjust aggregate allocate announce append attach attend authenticate automate begin bundle calculate
cancel
capture carry catch clean clear combine compare compress compute confirm consume cook crawl deliver deprecate derive
detach
discover dispatch display distribute divide download emit encode enter establish execute expand export extend extract
flush forward gather hide hire identify indent inform ingest insert invest invite iterate kill lift locate marry mount
negotiate normalise obey obtain overlap own persist preserve promote propagate propose prune purge quit react recover
redirect refactor refresh register remind repeat reset restore retain retrieve revert ride sanitize scan seek select
serialize sing spawn spin strip submit succeed suffer suspend transform translate transmit truncate unlock wake weigh
withdraw summarize adore lower decrease bump extend
~ access act attempt back bill book branch build call care change charge check clone code command comment commit
control copy cost count cross date deal debug default delay demand document doubt draft drop edit email estimate face
fall favour flag flow fork fuel function gate grant group guard guide head host impact index interest issue judge
label lack level license limit link list look mail mark match matter mind mirror model monitor name note number order
pack page park patch phone pick pipe place plan plug poll port post power practice present press profile program
project promise prompt proxy pull push query question queue range rank rate reach record release report rescue rest
result
review risk roll route rule run sample save schedule scope score search secure seed sense shape share shift show sign
size sort sound source spread stage star start state step stream stress structure style support surprise tag target
test time trace track trade traffic train transfer trap travel treat trip type value version view volunteer vote walk
watch weight work wonder zone
"""
_IRREGULAR_VERBS = """
become became become|break broke broken|bring brought brought|build built built|buy bought bought|choose chose chosen
come came come
cost cost cost|cut cut cut|drink drank drunk|drive drove driven|eat ate eaten|fall fell fallen|feel felt felt
find found found
forbid forbade forbidden|forget forgot forgotten|get got gotten|give gave given|go went gone|grow grew grown
hear heard heard
hold held held|keep kept kept|know knew known|lead led led|leave left left|let let let|lose lost lost|make made made
mean meant meant
meet met met|pay paid paid|put put put|read read read|rebuild rebuilt rebuilt|run ran run|say said said|see saw seen
sell sold sold
send sent sent|set set set|show showed shown|shut shut shut|sit sat sat|sleep slept slept|speak spoke spoken
spend spent spent
split split split|spread spread spread|stand stood stood|swim swam swum|take took taken|teach taught taught
tell told told
think thought thought|throw threw thrown|understand understood understood|wear wore worn|win won won|write wrote written
rewrite rewrote rewritten|wake woke woken|begin began begun|fly flew flown|hide hid hidden|sing sang sung
catch caught caught
override overrode overridden|overwrite overwrote overwritten|bind bound bound
"""
_DOUBLED = frozenset(
    """ship stop plan log drop map pin skip tag set run cut get put let shut sit swim win begin commit prefer
        refer format wrap plug trap trip zip spin occur permit forget forbid""".split()
)


def _inflect(base: str) -> tuple[str, str, str]:
    """Third person, past and -ing form of a regular verb."""
    if base in _DOUBLED:
        return base + "s", base + base[-1] + "ed", base + base[-1] + "ing"
    if base.endswith("e"):
        return base + "s", base + "d", base[:-1] + "ing"
    if base.endswith("y") and base[-2] not in "aeiou":
        return base[:-1] + "ies", base[:-1] + "ied", base + "ing"
    return base + ("es" if base.endswith(("s", "x", "z", "ch", "sh", "o")) else "s"), base + "ed", base + "ing"


def _build_verbs() -> dict[str, tuple[str, str]]:
    """Every known verb form to its base and form: b(ase), s (third person), d (past, participle), g (-ing)."""
    forms: dict[str, tuple[str, str]] = {}
    irregular = [row.split() for row in _IRREGULAR_VERBS.strip().replace("\n", "|").split("|")]
    bases = [word for word in _REGULAR_VERBS.split() if word != "~"] + [row[0] for row in irregular]
    for base in bases:
        third, past, continuous = _inflect(base)
        forms.update({third: (base, "s"), past: (base, "d"), continuous: (base, "g")})
    for base, past, participle in irregular:
        forms.update({past: (base, "d"), participle: (base, "d")})
    forms.update((base, (base, "b")) for base in bases)
    for word in ("has", "have", "had", "being"):
        forms.pop(word, None)
    return forms


VERBS = _build_verbs()
NOUNISH = frozenset(_REGULAR_VERBS.partition("~")[2].split()) | {
    "use",
    "need",
    "set",
    "store",
    "read",
    "request",
    "return",
    "log",
    "lead",
    "end",
    "answer",
    "update",
    "like",
}

# --- tokens -------------------------------------------------------------------------------------------

_WORDLIKE = r"[\w\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0900-\u0963\u0966-\u0dff]"
_TOKEN = re.compile(rf"{_WORDLIKE}+(?:[-'’./&+]{_WORDLIKE}+)*(?:\+\+|#)?|[^\w\s]")
_QUOTED = re.compile(
    r"`[^`\n]{1,400}`|\"[^\"\n]{1,400}\"|“[^”\n]{1,400}”|«[^»\n]{1,400}»|「[^」\n]{1,400}」|(?<!\w)'[^'\n]{1,200}'(?!\w)"
)
_QUOTE_HINT = re.compile("[`\"“«「']")


class Token(msgspec.Struct, frozen=True, gc=False):
    """A word, a mark, a quotation, or a value (identifier, quantity, date) taken as one."""

    low: str
    """Lower-case word; for a value or quotation its canonical form."""
    kind: str
    """`word`, `name` (capitalised), `mark`, `value` or `quote`."""
    start: int
    end: int


class Clause(msgspec.Struct, frozen=True, gc=False):
    """One clause: where it stands, the sentence it makes, and its tokens, those of a carried subject first."""

    start: int
    end: int
    sentence: str
    tokens: list[Token]


def read_tokens(
    text: str, identifiers: Sequence[Identifier], quantities: Sequence[Quantity], dates: Sequence[DateMention]
) -> list[Token]:
    """The text as tokens; identifiers, quantities, dates and quotations are one token each."""
    spans = [(name.start, name.end, name.canonical, "value") for name in identifiers]
    spans += [(amount.start, amount.end, f"{amount.number} {amount.unit}".rstrip(), "value") for amount in quantities]
    spans += [(date.start, date.end, date.canonical, "value") for date in dates]
    if _QUOTE_HINT.search(text):
        spans += [(found.start(), found.end(), "", "quote") for found in _QUOTED.finditer(text)]
    if len(spans) > 1:
        spans.sort(key=lambda span: (span[0], -span[1]))
    tokens: list[Token] = []
    position = 0
    for start, end, canonical, kind in spans:
        if start < position:
            continue
        _read_words(text, position, start, tokens)
        tokens.append(Token(canonical or fold_text(text[start + 1 : end - 1]), kind, start, end))
        position = end
    _read_words(text, position, len(text), tokens)
    return tokens


def _read_words(text: str, start: int, end: int, tokens: list[Token]) -> None:
    for found in _TOKEN.finditer(text, start, end):
        low, kind = _classify(found.group())
        tokens.append(Token(low, kind, found.start(), found.end()))


@lru_cache(maxsize=16384)
def _classify(word: str) -> tuple[str, str]:
    """The word in lower case with a plain apostrophe, and its kind."""
    low = word.lower().replace("’", "'")
    if len(word) == 1 and not word.isalnum() and word != "_":
        return low, "mark"
    return low, "word" if word == word.lower() else "name"


# --- the finite verb ----------------------------------------------------------------------------------


def is_possessive(tokens: Sequence[Token], place: int) -> bool:
    """Whether `Alice's` at this place owns what follows, rather than being short for `Alice is`."""
    low = tokens[place].low
    if not low.endswith(("'s", "s'")) or tokens[place].kind == "value":
        return False
    if low[:-2] in PRONOUNS or low in ("let's", "what's", "where's", "here's"):
        return False
    following = tokens[place + 1].low if place + 1 < len(tokens) else "."
    return following not in PREPOSITIONS and following not in ("a", "an", "the", "not", "been", ".")


def find_verb(tokens: Sequence[Token], start: int, end: int) -> int:
    """Place of the finite verb of a clause with a subject in tokens[start:end], or -1."""
    for place in range(start + 1, end):
        if is_finite_verb(tokens, place, start, end):
            return place
        token = tokens[place]
        if (
            token.kind == "word"
            and token.low.endswith(("'s", "'re", "'m", "'ve", "'ll"))
            and not is_possessive(tokens, place)
        ):
            return place
    first = tokens[start].low if start < end else ""
    return (
        start
        if "'" in first and first.endswith(("'s", "'re", "'m", "'ve", "'ll")) and not is_possessive(tokens, start)
        else -1
    )


def is_finite_verb(tokens: Sequence[Token], place: int, start: int, end: int) -> bool:
    """Whether the word here is the verb of the subject before it: nouns of the same spelling are told apart."""
    token = tokens[place]
    if token.kind != "word":
        return False
    low, before = token.low, tokens[place - 1].low
    if low in AUXILIARIES:
        return before != "to"
    known = VERBS.get(low)
    if known is None or known[1] == "g" or (before in DETERMINERS and before not in PRONOUNS) or before in PREPOSITIONS:
        return False
    if (
        before in ("and", "or", "not", ",", "be", "been", "being")
        or before in AUXILIARIES
        or is_possessive(tokens, place - 1)
    ):
        return False
    following = tokens[place + 1] if place + 1 < end else None
    if known[1] == "b" and known[0] not in ("let",):
        return _takes_plural_verb(tokens, place, start) and (following is None or following.low not in AUXILIARIES)
    if known[1] == "s":
        return not _is_noun_before_verb(following)
    return not _opens_short_relative(tokens, place, end)


def _takes_plural_verb(tokens: Sequence[Token], place: int, start: int) -> bool:
    before = tokens[place - 1]
    while (before.low in ADVERBS or before.low in ("no", "longer")) and place - 1 > start:
        place -= 1
        before = tokens[place - 1]
    if before.low in _PLURAL_SUBJECTS:
        return True
    if (
        before.kind in ("word", "name")
        and before.low.endswith("s")
        and not before.low.endswith(("ss", "us", "is", "'s"))
    ):
        return before.low not in ADVERBS
    return any(token.low == "and" for token in tokens[max(start, place - 6) : place])


def _is_noun_before_verb(following: Token | None) -> bool:
    if following is None or following.kind != "word":
        return False
    return following.low in AUXILIARIES or (
        VERBS.get(following.low, ("", ""))[1] in ("b", "s")
        and following.low not in ("like", "use", "lint", "code", "test")
    )


def _opens_short_relative(tokens: Sequence[Token], place: int, end: int) -> bool:
    """Whether a past form only describes the noun before it: `the data stored in S3 is encrypted`."""
    if place + 1 >= end or tokens[place + 1].low not in PREPOSITIONS or tokens[place - 1].low in PRONOUNS:
        return False
    for token in tokens[place + 2 : min(end, place + 10)]:
        if token.low in _CONNECTORS or token.low in SUBORDINATORS or token.kind == "mark":
            return False
        if token.low in AUXILIARIES:
            return True
    return False


# --- sentences ----------------------------------------------------------------------------------------

_SENTENCE_ENDS = frozenset(".!?。！？؟।॥｡…")
_ENDS_WITHOUT_SPACE = frozenset("。！？؟।॥｡")
_ABBREVIATIONS = frozenset(
    """dr mr mrs ms prof st e.g i.e eg ie cf vs no nr approx ca fig sec vol ed al resp dept bzw z.b usw d.h sra
        ud pp incl""".split()
)
_CLOSING_ABBREVIATIONS = frozenset("etc inc ltd co corp jr sr gmbh a.m p.m u.s u.k bros".split())


def _read_sentences(text: str, tokens: Sequence[Token]) -> Iterator[tuple[int, int]]:
    """Token ranges of the sentences; the closing marks belong to none."""
    start = 0
    has_lines = "\n" in text
    for place, token in enumerate(tokens):
        if token.kind == "mark":
            if token.low in _SENTENCE_ENDS and _ends_sentence(tokens, place):
                if place > start:
                    yield start, place + (token.low in "?？؟")
                start = place + 1
        elif has_lines and place > start and _starts_line(text, tokens, place):
            yield start, place - (tokens[place - 1].low in ("-", "*", "•"))
            start = place
    if start < len(tokens):
        yield start, len(tokens)


def _ends_sentence(tokens: Sequence[Token], place: int) -> bool:
    token = tokens[place]
    if token.low in _ENDS_WITHOUT_SPACE or place + 1 == len(tokens):
        return True
    following = tokens[place + 1]
    if following.start == token.end:
        return False
    before = tokens[place - 1] if place and tokens[place - 1].end == token.start else None
    if token.low != "." or before is None:
        return True
    if before.low in _ABBREVIATIONS or (len(before.low) == 1 and before.kind == "name"):
        return False
    return before.low not in _CLOSING_ABBREVIATIONS or following.kind == "name"


def _starts_line(text: str, tokens: Sequence[Token], place: int) -> bool:
    """Whether a new line here starts a new sentence: after an empty line, or at a bullet."""
    before = tokens[place - 1]
    gap = text[before.end : tokens[place].start]
    if before.low in ("-", "*", "•") and place > 1:
        return "\n" in text[tokens[place - 2].end : before.start]
    return gap.count("\n") > 1 or (
        "\n" in gap and tokens[place].kind == "name" and before.low not in PREPOSITIONS | DETERMINERS | {",", "and"}
    )


# --- compound sentences -------------------------------------------------------------------------------


def split_clauses(text: str) -> tuple[tuple[int, int, str], ...]:
    """Every clause as (start, end, sentence): the sentence carries the shared subject where the clause omits it."""
    identifiers, dates = find_identifiers(text), find_dates(text)
    tokens = read_tokens(text, identifiers, find_quantities(text, identifiers=identifiers, dates=dates), dates)
    return tuple((clause.start, clause.end, clause.sentence) for clause in read_clauses(text, tokens))


def read_clauses(text: str, tokens: list[Token]) -> list[Clause]:
    """The clauses of a text that has been read into tokens."""
    clauses: list[Clause] = []
    for start, end in _read_sentences(text, tokens):
        while start < end and tokens[start].kind == "mark" and tokens[start].low not in "$#(/¿¡":
            start += 1
        if start < end:
            clauses.extend(_split_sentence(text, tokens, start, end))
    return clauses or ([_make_clause(text, tokens, [])] if tokens else [])


def _split_sentence(text: str, tokens: list[Token], start: int, end: int) -> Iterator[Clause]:
    """Cut where both sides are whole clauses; when unsure, do not cut."""
    carried: list[Token] = []
    verb = find_verb(tokens, start, end)
    subordinate = False
    place = start
    while place < end:
        low = tokens[place].low
        if low in SUBORDINATORS and tokens[place].kind != "value" and not (low == "that" and place == start):
            subordinate = True
        elif low in _CONNECTORS or low in (",", ";"):
            cut = _find_cut(tokens, carried, start, place, end, verb, subordinate)
            if cut is not None:
                right, carry = cut
                yield _make_clause(text, tokens[start:place], carried)
                carried, start = carry, right
                verb = -1 if carry else find_verb(tokens, start, end)
                place = right - 1
        place += 1
    yield _make_clause(text, tokens[start:end], carried)


def _make_clause(text: str, tokens: list[Token], carried: list[Token]) -> Clause:
    while len(tokens) > 1 and tokens[-1].kind == "mark" and tokens[-1].low in ",;:-–—":
        tokens = tokens[:-1]
    start, end = tokens[0].start, tokens[-1].end
    if end < len(text) and tokens[-1].low in _CLOSING_ABBREVIATIONS and text[end] == ".":
        end += 1
    sentence = text[start:end]
    if carried:
        sentence = " ".join(text[token.start : token.end] for token in carried) + " " + sentence
        return Clause(start, end, sentence.replace(" ,", ","), carried + tokens)
    return Clause(start, end, sentence, tokens)


def _find_cut(
    tokens: list[Token], carried: list[Token], start: int, place: int, end: int, verb: int, subordinate: bool
) -> tuple[int, list[Token]] | None:
    """Where the clause after the connector starts and the tokens it must carry, or None where it is no clause."""
    right = place + 1
    comma = tokens[place].low in (",", ";")
    if comma and right < end and tokens[right].low in _CONNECTORS:
        right += 1
    connector = tokens[right - 1].low
    if right >= end or place == start or (connector in ("while", "whereas") and tokens[right].low.endswith("ing")):
        return None
    if _is_assignment_list(tokens, start, place, right, end) and connector != "and":
        return right, []
    if carried:
        return _find_carried_cut(tokens, carried, right, end, comma)
    if verb == -1 or verb >= place:
        return _find_imperative_cut(tokens, start, place, right, end)
    if subordinate and (not comma or tokens[start].low in SUBORDINATORS or connector == ","):
        return None
    if place - verb > 1 and _has_own_subject(tokens, right, end, needs_head=connector == ","):
        reports = VERBS.get(tokens[verb].low, ("", ""))[0] in _REPORTING
        return None if reports and connector == "and" and not comma else (right, [])
    if subordinate or connector == "while":
        return None
    carry = _shared_subject(tokens, start, verb, right, end)
    return (right, carry) if carry else None


def _is_assignment_list(tokens: list[Token], start: int, place: int, right: int, end: int) -> bool:
    """Whether both sides are settings: `timeout = 30s, retries = 5`."""
    for sign in ("=", ":"):
        if any(token.low == sign for token in tokens[start + 1 : min(place, start + 6)]):
            return any(token.low == sign for token in tokens[right + 1 : min(end, right + 5)])
    return False


def _skip_adverbs(tokens: list[Token], place: int, end: int) -> int:
    while place < end and tokens[place].low in ADVERBS:
        place += 1
    return place


def _has_own_subject(tokens: list[Token], right: int, end: int, *, needs_head: bool) -> bool:
    """Whether a noun phrase and its finite verb stand here, and something is said with it."""
    right = _skip_adverbs(tokens, right, end)
    if right < end and tokens[right].low in AUXILIARIES:
        return False
    if needs_head and right < end and not (tokens[right].kind == "name" or tokens[right].low in DETERMINERS | PRONOUNS):
        return False
    for place in range(right, min(end, right + 7)):
        token = tokens[place]
        if place > right and is_finite_verb(tokens, place, right, end):
            return place + 1 < end and _agrees(tokens, right, place)
        if token.kind == "word" and token.low.endswith(("'s", "'re", "'m")) and not is_possessive(tokens, place):
            return token.low[:-2].rstrip("'") in PRONOUNS
        if (
            token.kind == "mark"
            or (token.low in PREPOSITIONS and token.low != "of")
            or token.low in SUBORDINATORS | _CONNECTORS | {"not", "or"}
        ):
            return False
    return False


def _agrees(tokens: list[Token], start: int, verb: int) -> bool:
    """Not `... and the worker are slow`: there the phrase is only the second half of a plural subject."""
    head = tokens[_before_adverbs(tokens, start, verb) - 1].low
    if tokens[verb].low not in ("are", "were", "have", "do", "don't", "aren't", "haven't", "weren't"):
        return True
    return head.endswith("s") or head in _PLURAL_SUBJECTS


def _before_adverbs(tokens: list[Token], start: int, end: int) -> int:
    while end - 1 > start and tokens[end - 1].low in ADVERBS:
        end -= 1
    return end


def _shared_subject(tokens: list[Token], start: int, verb: int, right: int, end: int) -> list[Token]:
    """The subject (and auxiliary) that the verb on the right shares with the clause on the left, or nothing."""
    place = _skip_adverbs(tokens, right, end)
    if place + 1 >= end or tokens[place].kind != "word":
        return []
    subject = tokens[start : _before_adverbs(tokens, start, verb)]
    left, word = tokens[verb].low, tokens[place].low
    auxiliary, known = AUXILIARIES.get(left), VERBS.get(word)
    if word in AUXILIARIES:
        return subject if AUXILIARIES[word][0] != "be" or tokens[place + 1].low != "and" else []
    if known is None:
        return []
    if known[1] == "s":
        third = VERBS.get(left, ("", ""))[1] in ("s", "d") or auxiliary is not None
        return subject if third and not _may_be_plural_noun(tokens, right, place) else []
    if known[1] == "d":
        if auxiliary and auxiliary[0] == "be" and not auxiliary[2] and tokens[place + 1].low in PREPOSITIONS:
            return [*subject, tokens[verb]]
        return subject if VERBS.get(left, ("", ""))[1] == "d" else []
    return _shared_base_verb(tokens, subject, verb, place)


def _shared_base_verb(tokens: list[Token], subject: list[Token], verb: int, place: int) -> list[Token]:
    """A plain verb continues a modal (`should use A and listen on B`) or a plural subject (`we use A and run B`)."""
    left, known = tokens[verb].low, VERBS[tokens[place].low]
    auxiliary = AUXILIARIES.get(left)
    following = tokens[place + 1]
    clear = known[0] not in NOUNISH or following.low in DETERMINERS or following.kind in ("name", "value")
    if known[1] != "b" or not clear:
        return []
    if (
        auxiliary
        and auxiliary[0] in ("will", "must", "can", "would")
        and not auxiliary[2]
        and tokens[verb + 1].low != "not"
    ):
        return [*subject, tokens[verb]]
    return subject if VERBS.get(left, ("", ""))[1] == "b" else []


def _may_be_plural_noun(tokens: list[Token], right: int, place: int) -> bool:
    """`runs lints and checks`: beside a plural noun, a word that is noun and verb is taken for a noun."""
    if VERBS[tokens[place].low][0] not in NOUNISH or right < 2:
        return False
    before = tokens[right - 2]
    return (
        before.kind == "word"
        and before.low.endswith("s")
        and VERBS[tokens[place].low][0] not in ("work", "use", "need")
    )


def _find_carried_cut(
    tokens: list[Token], carried: list[Token], right: int, end: int, comma: bool
) -> tuple[int, list[Token]] | None:
    """The next clause of a chain that already shares its subject: `lives in A, works at B, and likes C`."""
    if _has_own_subject(tokens, right, end, needs_head=comma):
        return right, []
    place = _skip_adverbs(tokens, right, end)
    word = tokens[place].low if place + 1 < end and tokens[place].kind == "word" else ""
    if word in AUXILIARIES or (VERBS.get(word, ("", ""))[1] == "s" and not _may_be_plural_noun(tokens, right, place)):
        return right, [token for token in carried if token.low not in AUXILIARIES]
    return None


def _find_imperative_cut(
    tokens: list[Token], start: int, place: int, right: int, end: int
) -> tuple[int, list[Token]] | None:
    """`Use tabs and never push to main`: two commands, or a command and a clause of its own."""
    if not opens_imperative(tokens, start, place) or place - start < 2 or right + 1 >= end:
        return None
    first, word = tokens[start].low, tokens[right].low
    if word in ("never", "always", "don't", "avoid") or (word == "do" and tokens[right + 1].low == "not"):
        return right, []
    if _has_own_subject(tokens, right, end, needs_head=True):
        return (right, []) if tokens[right - 1].low in (";", "but", "while") or tokens[place].low == "," else None
    known = VERBS.get(word)
    if known is None or known[1] != "b" or first in ("never", "don't", "do"):
        return None
    following = tokens[right + 1]
    clear = following.low in DETERMINERS or following.kind in ("name", "value", "quote") or known[0] not in NOUNISH
    return (right, []) if clear and following.kind != "mark" else None


def opens_imperative(tokens: Sequence[Token], start: int, end: int) -> bool:
    """Whether the clause is a command or a rule: it starts with a plain verb, or with always, never, do not."""
    place = start
    while place < end and tokens[place].low in ("always", "never", "please", "only", "also", "just", "then"):
        place += 1
    if place >= end:
        return False
    low = tokens[place].low
    if low in ("don't", "dont", "do"):
        return low != "do" or (place + 1 < end and tokens[place + 1].low in ("not", "never"))
    known = VERBS.get(low)
    if known is None or known[1] != "b" or tokens[place].kind == "value":
        return place > start and tokens[place].kind == "word" and place + 1 < end
    if place > start or place + 1 == end:
        return place > start
    following = tokens[place + 1]
    return (
        following.kind != "mark"
        and following.low not in AUXILIARIES
        and (known[0] not in NOUNISH or following.low != "of")
    )
