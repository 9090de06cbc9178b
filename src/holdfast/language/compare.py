"""What one statement is to another: equal, near, contrary or unrelated."""

from __future__ import annotations

import re
from collections.abc import Iterable

import msgspec

from holdfast.domain.claim import Claim, Statement
from holdfast.language.claims.attributes import ATTRIBUTE_STEMS
from holdfast.language.claims.canonical import canonical_word
from holdfast.language.grammar.lexicon import VERBS
from holdfast.language.normalise import fold_text
from holdfast.language.terms import stem_word

NEAR_LIKENESS_MIN = 0.85
"""Likeness of content words from which two statements may say the same."""


CONTRARY_PAIRS_MAX = 64
"""Pairs, and claims of one slot, after which the search stops: that much of one thing is a document, no statement."""


class Comparison(msgspec.Struct, frozen=True, gc=False):
    """The relation of a new statement to an old one, with the reason in words."""

    relation: str
    """One of `equal`, `near`, `contrary`, `unrelated`."""
    similarity: float
    """Likeness of content words, 0 to 1."""
    reason: str
    pairs: tuple[tuple[int, int], ...] = ()
    """Indexes (new, old) of the claims that are equal or contrary."""


# --- word tables --------------------------------------------------------------------------------------


def _stem_groups(table: str) -> dict[str, int]:
    """Stem to group number; a word may stand in one group only."""
    groups = [line.split() for line in table.strip().splitlines()]
    return {stem_word(word): number for number, words in enumerate(groups) for word in words}


_OPPOSITES = frozenset(
    frozenset(stem_word(word) for word in pair.split("/"))
    for pair in """enabled/disabled allowed/forbidden on/off tabs/spaces true/false open/closed up/down light/dark
    sync/async     synchronous/asynchronous public/private manual/automatic start/stop hot/cold short/long
    high/low fast/slow
    active/inactive
    alive/dead internal/external required/optional mandatory/optional snake_case/camelcase strict/lenient
    concise/verbose
    formal/informal yes/no single/married tall/short early/late safe/unsafe stable/unstable online/offline left/right
    brief/detailed cheap/expensive full/empty odd/even ascending/descending vegetarian/carnivore aisle/window""".split()
)
# Things of which a person or a project picks one: enough to see that two preferences speak of the same choice.
_RIVALS = _stem_groups(
    """
    tea coffee
    vim neovim emacs vscode nano pycharm intellij sublime zed cursor
    python rust go golang java kotlin scala ruby php javascript typescript c++ c# swift elixir haskell
    postgres postgresql mysql mariadb sqlite oracle mongodb dynamodb cassandra cockroachdb
    aws gcp azure heroku fly hetzner digitalocean vercel netlify render
    linux macos windows ubuntu debian
    chrome firefox safari edge
    bash zsh fish powershell
    npm yarn pnpm bun
    pip poetry uv conda pipenv
    black ruff yapf autopep8 flake8 pylint
    pytest unittest nose jest vitest mocha
    react vue angular svelte
    django flask fastapi starlette
    slack teams discord mattermost
    jira linear asana trello
    kafka rabbitmq sqs nats
    rest graphql grpc soap
    tabs spaces
    cats dogs
    dark light
    mornings evenings afternoons
    metric imperial
    docker podman
    merge rebase squash
    monday tuesday wednesday thursday friday saturday sunday
    markdown asciidoc rst restructuredtext latex
    """
)
_REGIONS = frozenset(
    """germany france spain italy england britain uk usa us america canada mexico brazil argentina india china japan
    korea     russia ukraine poland austria switzerland sweden norway denmark finland netherlands belgium
    portugal greece turkey
    israel egypt nigeria kenya australia europe asia africa bavaria california texas eu ireland scotland""".split()
)
_REGION_STEMS = frozenset(stem_word(region) for region in _REGIONS)
_UNKNOWN = frozenset("it he she they this that these those there you one who".split())
_COMPARATIVES = frozenset(
    "least most about around over under up than between more less within roughly approxim".split()
)
# Under these a second choice needs a sign that both speak of the same choice.
_WEAK = ("prefer", "run on", "write in", "run with", "format with", "test with", "build with")
_COUNTED = frozenset(
    """have want use requir need take cost last run retri wait allow be weigh measur expir keep target pin
        contain consist""".split()
)
_NUMBER = re.compile(r"(?<!\S)\d[\d.]*(?!\S)")
_MEASURED = re.compile(
    r"(?<!\S)-?\d[\d.]* (?:s|month|byte|bit/s|percent|usd|eur|gbp|jpy|m|g|l|celsius|hz|px|clock)(?!\S)"
)
_WORD = re.compile(r"[^\W_]+")


# --- the public function ------------------------------------------------------------------------------


def compare_statements(new: Statement, old: Statement) -> Comparison:
    """Say what a new statement is to an old one; a different value is never a duplicate."""
    similarity = _likeness(new.terms, old.terms)
    if new.text == old.text or (similarity == 1.0 and fold_text(new.text) == fold_text(old.text)):
        pairs = tuple((place, place) for place in range(min(len(new.claims), len(old.claims))))
        return Comparison("equal", 1.0, "both have the same wording", pairs)
    contrary = _find_contrary(new, old)
    if contrary:
        first = contrary[0]
        return Comparison("contrary", similarity, _say_why(new.claims[first[0]], old.claims[first[1]]), tuple(contrary))
    if similarity == 0.0 and new.terms:
        return Comparison("unrelated", 0.0, "they share no word")
    same_facts = _facts(new) == _facts(old)
    if same_facts:
        pairs = _equal_pairs(new.claims, old.claims)
        if pairs and len(pairs) == len(new.claims) == len(old.claims) and _same_reasons(new, old):
            return Comparison("equal", max(similarity, NEAR_LIKENESS_MIN), "both make the same claims", pairs)
        if similarity >= NEAR_LIKENESS_MIN and _is_near(new, old):
            return Comparison("near", similarity, "both say the same in other words", pairs)
    return Comparison("unrelated", similarity, "they do not speak of the same thing in the same way")


def _likeness(new: frozenset[str], old: frozenset[str]) -> float:
    """Shared content words as a part of all (Dice)."""
    total = len(new) + len(old)
    return 2 * len(new & old) / total if total else 0.0


def _facts(statement: Statement) -> set[str]:
    """Canonical identifiers, quantities and dates."""
    facts = {name.canonical for name in statement.identifiers}
    facts.update(f"{amount.number} {amount.unit}" for amount in statement.quantities)
    facts.update(date.canonical for date in statement.dates)
    return facts


def _equal_pairs(new: tuple[Claim, ...], old: tuple[Claim, ...]) -> tuple[tuple[int, int], ...]:
    places = {claim.key: place for place, claim in enumerate(old)}
    return tuple((place, places[claim.key]) for place, claim in enumerate(new) if claim.key in places)


def _same_reasons(new: Statement, old: Statement) -> bool:
    """A reason is not part of a claim: where one is given, the words must agree too."""
    return not (new.has_rationale or old.has_rationale) or new.terms == old.terms


# --- contrary -----------------------------------------------------------------------------------------


def _find_contrary(new: Statement, old: Statement) -> list[tuple[int, int]]:
    if len(new.claims) == 1 == len(old.claims):
        return [(0, 0)] if _are_contrary(new.claims[0], old.claims[0]) else []
    shared = {claim.key for claim in new.claims} & {claim.key for claim in old.claims}
    by_topic: dict[str, list[int]] = {}
    for place, claim in enumerate(old.claims):
        if claim.key not in shared:
            by_topic.setdefault(_topic(claim), []).append(place)
    pairs: list[tuple[int, int]] = []
    for place, claim in enumerate(new.claims):
        if claim.key not in shared:
            others = by_topic.get(_topic(claim), ())[:CONTRARY_PAIRS_MAX]
            pairs.extend((place, other) for other in others if _are_contrary(claim, old.claims[other]))
            if len(pairs) > CONTRARY_PAIRS_MAX:
                break
    return pairs


def _topic(claim: Claim) -> str:
    """What claims of one slot share, so that long texts need not be compared pair by pair."""
    attribute = "place" if claim.attribute in ("move to", "live in", "be in") else claim.attribute
    return f"{claim.subject} {attribute}"


def _are_contrary(new: Claim, old: Claim) -> bool:
    if not _same_slot(new, old) or new.subject in _UNKNOWN:
        return False
    if new.value == old.value:
        return new.positive != old.positive
    if not (new.positive and old.positive):
        return False
    if not new.attribute:
        return _differs_in_measure(new.value, old.value) or _differ_in_opposites(new.value, old.value)
    if new.exclusive and old.exclusive:
        return _values_clash(new, old)
    verb = new.attribute.partition(" ")[0]
    if new.attribute == "be" or new.attribute.startswith(_WEAK):
        return _is_one_choice(new, old) or (verb in _COUNTED and _differs_in_count(new.value, old.value))
    if verb not in _COUNTED:
        return False
    return _differ_in_opposites(new.value, old.value) or _differs_in_count(new.value, old.value)


def _same_slot(new: Claim, old: Claim) -> bool:
    """`api` + `read timeout` and `api read` + `timeout` are one slot; moving to a place is living there."""
    if new.attribute == old.attribute:
        return new.subject == old.subject
    if new.subject == old.subject:
        moved = {new.attribute, old.attribute}
        return "move to" in moved and ("live in" in moved or "be in" in moved)
    return bool(new.attribute) and f"{new.subject} {new.attribute}" == f"{old.subject} {old.attribute}"


def _values_clash(new: Claim, old: Claim) -> bool:
    """Whether two values of a slot that holds one cannot both be meant."""
    ours, theirs = set(new.value.split()), set(old.value.split())
    if ours <= theirs or theirs <= ours:
        return False  # one only says it more precisely
    if (ours ^ theirs) & _COMPARATIVES or _is_vaguer_date(new.value, old.value):
        return False
    if _is_measure(new.value) != _is_measure(old.value) and not (ours | theirs) & _NO_MEASURE:
        return False  # being configurable and being 30 s are two things to say of a timeout
    placed = new.attribute.endswith((" in", "move to")) or old.attribute.endswith(" in")
    if placed and bool(ours & _REGION_STEMS) != bool(theirs & _REGION_STEMS):
        return False  # a town and a country do not exclude each other
    weak = (new.attribute.startswith(_WEAK) and " for " not in new.attribute) or (
        new.subject == "we" and new.attribute == "deploy to"
    )
    return not weak or _is_one_choice(new, old)


_NO_MEASURE = frozenset({"unlimit", "infinit", "none", "zero", "disabl", "off", "unset", "unbound", "never"})


def _is_measure(value: str) -> bool:
    return any(word.replace(".", "", 1).isdigit() for word in value.split())


def _is_vaguer_date(new: str, old: str) -> bool:
    return new[:1].isdigit() and "-" in new + old and (new.startswith(old) or old.startswith(new))


def _is_one_choice(new: Claim, old: Claim) -> bool:
    if new.value in new.attribute and old.value in new.attribute:
        return True  # prefers X over Y against Y over X
    if _differ_in_opposites(new.value, old.value):
        return True
    groups = [_RIVALS.get(word.split()[-1], -1) for word in (new.value, old.value)]
    return groups[0] == groups[1] != -1


def _differ_in_opposites(new: str, old: str) -> bool:
    """Whether the values differ in one word and its opposite only."""
    ours, theirs = new.split(), old.split()
    if len(ours) != len(theirs):
        return False
    different = [pair for pair in zip(ours, theirs, strict=True) if pair[0] != pair[1]]
    return len(different) == 1 and frozenset(different[0]) in _OPPOSITES


def _differs_in_count(new: str, old: str) -> bool:
    """`3 cats` against `4 cats`, `python 3.11` against `python 3.12`: the number leads, or ends a name."""
    if _NUMBER.sub("#", new) != _NUMBER.sub("#", old) or not _NUMBER.search(new):
        return False
    return _NUMBER.match(new) is not None or (new.split()[-1][0].isdigit() and len(new.split()) == 2)


def _differs_in_measure(new: str, old: str) -> bool:
    """Sentences that no rule can parse are contrary where only measures differ; bare numbers may just label things."""
    return new != old and _MEASURED.search(new) is not None and _MEASURED.sub("#", new) == _MEASURED.sub("#", old)


# --- near ---------------------------------------------------------------------------------------------


def _is_near(new: Statement, old: Statement) -> bool:
    """Whether what differs is wording only: no name, no negation, no exchanged word, no exchanged roles."""
    if sorted(claim.positive for claim in new.claims) != sorted(claim.positive for claim in old.claims):
        return False
    ours, theirs = new.terms - old.terms, old.terms - new.terms
    if ours and theirs:
        return False
    if _names(new.text, ours) or _names(old.text, theirs):
        return False
    return not any(_other_value(left, right) for left in new.claims[:16] for right in old.claims[:16])


def _names(text: str, terms: Iterable[str]) -> bool:
    wanted = set(terms)
    if not wanted:
        return False
    inner = _WORD.findall(text)[1:]  # the first word is capitalised anyway
    return any(word != word.lower() and stem_word(word.lower()) in wanted for word in inner) or any(
        term[0].isdigit() for term in wanted
    )


def _other_value(new: Claim, old: Claim) -> bool:
    """Same slot, other value; or the same verb with subject and value exchanged; or another condition."""
    if not new.attribute or not old.attribute:
        return False
    ours, theirs = set(new.value.split()), set(old.value.split())
    if new.slot == old.slot:
        return not (ours <= theirs or theirs <= ours)
    if new.attribute == old.attribute:
        return bool(ours & set(old.subject.split())) and bool(theirs & set(new.subject.split()))
    return (
        new.subject == old.subject
        and new.value == old.value
        and new.attribute.partition(" ")[0] == old.attribute.partition(" ")[0]
    )


# --- reasons ------------------------------------------------------------------------------------------


def _say_why(new: Claim, old: Claim) -> str:
    """One plain sentence that names the slot and the two values in the writers' own words."""
    if new.value == old.value:
        first, second = (new, old) if new.positive else (old, new)
        return f'one says and the other denies: "{first.text}" against "{second.text}"'
    ours, theirs = _own_words(new.text), _own_words(old.text)
    values = f'"{_say(new.value, ours)}" against "{_say(old.value, theirs)}"'
    return f"both say {_say_slot(new, ours)}: {values}"


def _say_slot(claim: Claim, words: dict[str, str]) -> str:
    subject = _say(claim.subject, words)
    the = subject if subject in ("i", "we") or claim.text.lower().startswith(subject) else f"the {subject}"
    attribute = _say(claim.attribute, words)
    if claim.attribute in ("be in", "be at", "be on"):
        return f"where {the} is"
    if claim.attribute in ("live in", "move to"):
        return f"where {the} lives"
    if claim.attribute.startswith("use for"):
        return f"what is used {attribute.partition(' ')[2]}"
    if claim.attribute == "be":
        return f"what {the} is"
    if not subject:
        return f"the same ({attribute})" if attribute else "the same"
    first = attribute.partition(" ")[0]
    if first in ATTRIBUTE_STEMS:
        return f"the {attribute} of {the}"
    return f"what {the} {attribute}" if first in VERBS or first in ("has", "have") else f"the {attribute} of {the}"


def _own_words(text: str) -> dict[str, str]:
    """Stem to the word of the text it came from."""
    return {canonical_word(word): word for word in _WORD.findall(text.lower())}


def _say(stems: str, words: dict[str, str]) -> str:
    return " ".join([words.get(stem, stem) for stem in stems.split(" ")])
