"""Which claims cannot both hold: one slot with two values that exclude each other; in doubt, none."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

import msgspec

from heldtrue.domain.claim import Claim
from heldtrue.domain.limits import CLAIM_CHECKS_MAX, CONTRARY_PAIRS_MAX
from heldtrue.language.claims.antonyms import find_antonym_pair
from heldtrue.language.claims.canonical import canonical_word
from heldtrue.language.claims.changed_values import differ_in_hole
from heldtrue.language.claims.compatible_pairs import are_compatible
from heldtrue.language.claims.denials import deny_each_other, plain_subject
from heldtrue.language.claims.implied_slots import implied_slots_clash, read_implied_slots
from heldtrue.language.claims.numeric_holes import MOODS, read_skeleton
from heldtrue.language.claims.role_inversion import invert_roles
from heldtrue.language.distinguishing_marks import read_marks, same_names
from heldtrue.language.guard import guarded
from heldtrue.language.terms import stem_word

# --- word tables --------------------------------------------------------------------------------------


def _stem_groups(table: str) -> dict[str, int]:
    """Stems to group number; a name may stand in one group only, and its words are joined by `_`."""
    groups = [line.split() for line in table.strip().splitlines()]
    return {
        " ".join(stem_word(part) for part in word.split("_")): number
        for number, words in enumerate(groups)
        for word in words
    }


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


def _name_opposites() -> dict[str, str]:
    """Each word of a pair to the one name of all words that it is an opposite of, be it by way of others."""
    names: dict[str, str] = {}
    for pair in sorted("/".join(sorted(pair)) for pair in _OPPOSITES):
        one, other = (names.get(word, find_antonym_pair(word)[0]) for word in pair.split("/"))
        names.update({word: one for word, name in names.items() if name == other})
        names.update(dict.fromkeys((*pair.split("/"), other, one), one))
    return names


_OPPOSITE_NAMES = _name_opposites()
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
    jenkins circleci travis buildkite teamcity github_actions gitlab_ci
    github gitlab bitbucket gitea
    memcached redis valkey
    terraform pulumi cloudformation
    webpack vite rollup esbuild parcel
    s3 gcs minio
    red blue green yellow orange purple pink brown black white grey gray turquoise beige
    spring summer autumn winter
    north south east west
    northern southern eastern western
    gas oil petrol diesel electricity hydrogen coal
    breakfast lunch dinner
    mit apache_2 apache gpl agpl lgpl bsd mpl unlicense proprietary
    """
)
# What a thing is in, on or at may be a time, a tongue or a form: one of each may be true at once.
_KINDS = {
    stem_word(word): kind
    for kind, words in {
        "time": """monday tuesday wednesday thursday friday saturday sunday weekday weekdays weekend weekends morning
            mornings evening evenings afternoon night noon midnight january february march april june july august
            september october november december spring summer autumn winter today tomorrow time schedule hold""",
        "tongue": """english german french spanish italian portuguese dutch polish russian ukrainian chinese japanese
            korean arabic hebrew hindi turkish swedish norwegian danish finnish greek czech latin""",
        "zone": "utc gmt cet cest est edt pst pdt ist jst",
        "form": """json yaml toml xml csv parquet protobuf avro html pdf base64 hex binary plaintext ascii utf-8 unicode
            format""",
        "stage": "production prod staging development dev beta alpha preview progress review draft trial ci test",
        "call": "zoom slack teams meet discord skype webex",
    }.items()
    for word in words.split()
}
_DATE = re.compile(r"\d{4}(?:-\d\d){0,2}|.* clock")
_REGIONS = frozenset(
    """germany france spain italy england britain uk usa us america canada mexico brazil argentina india china japan
    korea     russia ukraine poland austria switzerland sweden norway denmark finland netherlands belgium
    portugal greece turkey
    israel chile peru colombia cuba vietnam thailand indonesia hungary romania bulgaria croatia serbia slovenia
    iceland estonia latvia lithuania morocco tunisia ghana ethiopia pakistan iran iraq malaysia taiwan
    egypt nigeria kenya australia europe asia africa bavaria california texas eu ireland scotland""".split()
)
_REGION_STEMS = frozenset(stem_word(region) for region in _REGIONS)
_UNKNOWN = frozenset("it he she they this that these those there you one who".split())
_SOME = ("some ", "mani ", "few ", "sever ", "most ", "ani ", "other ", "anoth ")
"""What is said of some of them may be otherwise with others."""
_WHOSE = re.compile(r"(?:his|her|its|their|your)\b", re.IGNORECASE)
"""An owner whom the words do not name: her phone may be another's."""
_DIMENSIONS = frozenset("deep long wide tall high thick old heavi away".split())
_COMPARATIVES = frozenset(
    "least most about around over under up than between more less within roughly approxim".split()
)
# Under these a second choice needs a sign that both speak of the same choice.
_WEAK = ("prefer", "use for", "run on", "write in", "run with", "format with", "test with", "build with")
_COUNTED = frozenset(
    """have want use requir need take cost last run retri wait allow be weigh measur expir keep target pin
        contain consist store""".split()
)
# Choices of one: a thing has one licence, and a file is indented in one way.
_CHOICES = (*_WEAK, "licens under", "indent with", "licens as", "licens with")
_UNDERSCORED = re.compile(r"\w*[^\W_]_\w+")
_NUMBER = re.compile(r"(?<!\S)\d[\d.]*(?!\S)")
_MEASURED = re.compile(
    r"(?<!\S)-?\d[\d.]* (?:s|month|byte|bit/s|percent|usd|eur|gbp|jpy|m|g|l|celsius|hz|px|clock)(?!\S)"
)


# --- the public functions -----------------------------------------------------------------------------


class Outline(msgspec.Struct, frozen=True, gc=False):
    """The claims of a statement, each turned where it names an office, with what they are looked up by."""

    claims: tuple[Claim, ...]
    names: tuple[str, ...]
    """The key of each claim: equal ones say the same."""
    said: frozenset[str]
    """All of these."""
    keys: tuple[tuple[str, ...], ...]
    """What each claim shares one of with whatever is contrary to it."""
    places: dict[str, list[int]]
    """By such a key the places of the claims that have it."""


def outline_claims(claims: Sequence[Claim], *, keyed: bool = True) -> Outline:
    """Prepare claims for being compared; two of which each is its statement's only one need no keys for that."""
    turned = invert_roles(claims)
    names = tuple([claim.key for claim in turned])
    keys = tuple([tuple(dict.fromkeys(_claim_keys(claim))) for claim in turned]) if keyed else ()
    places: dict[str, list[int]] = {}
    for place, own in enumerate(keys):
        for key in own:
            places.setdefault(key, []).append(place)
    return Outline(turned, names, frozenset(names), keys, places)


def find_contrary(new: Outline, old: Outline) -> tuple[list[tuple[int, int]], int]:
    """Indexes (new, old) of the claims that cannot both hold, and how many pairs were looked at to tell."""
    if len(new.claims) == 1 == len(old.claims):
        return [(0, 0)] if _are_contrary(new.claims[0], old.claims[0]) else [], 1
    met = new.places.keys() & old.places.keys()
    if not met:
        return [], 0
    shared = new.said & old.said
    under = {key: _first_unshared(old, old.places[key], shared) for key in met}
    pairs: list[tuple[int, int]] = []
    checks = 0
    for place in sorted({place for key in met for place in new.places[key]}):
        if new.names[place] not in shared:
            claim = new.claims[place]
            keys = [key for key in new.keys[place] if key in under]
            others = under[keys[0]] if len(keys) == 1 else dict.fromkeys(one for key in keys for one in under[key])
            pairs.extend((place, other) for other in others if _are_contrary(claim, old.claims[other]))
            checks += len(others)
            if len(pairs) > CONTRARY_PAIRS_MAX or checks >= CLAIM_CHECKS_MAX:
                break
    return pairs, checks


def _first_unshared(outline: Outline, places: Sequence[int], shared: frozenset[str]) -> Sequence[int]:
    """As many places as are looked at under one key, of claims that only one side makes."""
    if shared:
        places = [place for place in places if outline.names[place] not in shared]
    return places[:CONTRARY_PAIRS_MAX]


@guarded(lambda _claims: [])
def contrary_keys(claims: Sequence[Claim]) -> list[str]:
    """Texts of which two statements share one wherever they have an equal claim or find_contrary finds a pair."""
    return list(dict.fromkeys(key for claim in invert_roles(claims) for key in _claim_keys(claim)))


def _claim_keys(claim: Claim) -> Iterator[str]:
    """What a claim is looked up by: its words without times, numbers and denials; and the slots that it fills."""
    yield "\x1f".join((plain_subject(claim.subject), *_bag_of(claim)))
    if claim.exclusive:
        yield _topic(claim)
    elif claim.positive and (group := _rival_group(claim.value)) != -1 and _is_choice(claim):
        yield f"{_topic(claim)}\x1fone of {group}"
    for slot, _ in read_implied_slots(claim):
        yield slot


def _bag_of(claim: Claim) -> list[str]:
    """The words of a claim in no order, each pair of opposites as one word."""
    if not claim.attribute:
        words: Sequence[str] = _MEASURED.sub("#", claim.value).split()
    else:
        words = read_skeleton(claim.attribute, claim.value).words
        if _NUMBER.search(claim.value) and (_counts(claim) or claim.attribute.startswith(_WEAK)):
            words = [word for word in words if not _NUMBER.fullmatch(word)]  # the version in `needs python 3.11`
    return sorted(filter(None, set(map(_bag_name, words))))


@lru_cache(maxsize=16384)
def _bag_name(word: str) -> str:
    """The name of a word and its opposites; none for marks and for words that come and go."""
    if word in _UNHELD or word[0] == "#":
        return ""
    pole = find_antonym_pair(word)[0]
    return _OPPOSITE_NAMES.get(pole, pole)


_UNHELD = MOODS | frozenset("| be have do in on at to of with for all everi each a non".split())


def _is_choice(claim: Claim) -> bool:
    return claim.attribute == "be" or claim.attribute.startswith(_CHOICES)


def _topic(claim: Claim) -> str:
    """What claims of one slot share, so that long texts need not be compared pair by pair."""
    attribute = "place" if claim.attribute in ("move to", "live in", "be in") else claim.attribute
    return f"{claim.subject} {attribute}"


def _are_contrary(new: Claim, old: Claim) -> bool:
    if new.subject in _UNKNOWN or new.subject.startswith(_SOME):
        return False
    if plain_subject(new.subject) == plain_subject(old.subject):
        found = _exclude_each_other(new, old)
    else:
        found = (_same_slot(new, old) and _clash_in_slot(new, old)) or implied_slots_clash(new, old)
    return found and not are_compatible(new, old)


def _exclude_each_other(new: Claim, old: Claim) -> bool:
    """Whether two claims of one subject cannot both hold."""
    if new.positive and old.positive and (_WHOSE.match(new.text) or _WHOSE.match(old.text)):
        return False
    if _same_slot(new, old) and _clash_in_slot(new, old):
        return True
    if not new.attribute or not old.attribute:
        return False
    if deny_each_other(new, old):
        return _name_the_same(new, old)
    if not (new.positive and old.positive):
        return False
    return (differ_in_hole(new, old) and not _name_other_slots(new, old)) or implied_slots_clash(new, old)


def _clash_in_slot(new: Claim, old: Claim) -> bool:
    """Whether two claims of one slot exclude each other by their values."""
    if new.value == old.value:
        return new.positive != old.positive and _name_the_same(new, old)
    if not (new.positive and old.positive) or _name_other_slots(new, old):
        return False
    if not new.attribute:
        return _differs_in_measure(new.value, old.value) or _differ_in_opposites(new.value, old.value)
    if new.exclusive and old.exclusive:
        return _values_clash(new, old)
    if _is_choice(new):
        return _is_one_choice(new, old) or (_counts(new) and _differs_in_count(new.value, old.value))
    if not _counts(new):
        return False
    return _differ_in_opposites(new.value, old.value) or _differs_in_count(new.value, old.value)


def _name_the_same(new: Claim, old: Claim) -> bool:
    """Forbidding `get_users` says nothing of `get_user`, nor forbidding `>=` of `<=`."""
    return same_names(new.text, old.text, exact_case=False) and (
        read_marks(new.text).symbols == read_marks(old.text).symbols
    )


def _name_other_slots(new: Claim, old: Claim) -> bool:
    """Whether code names of which a stem is the same make it two slots: `max_user` and `max_users`."""
    return "_" in new.text and "_" in old.text and _slot_names(new) != _slot_names(old)


def _slot_names(claim: Claim) -> set[str]:
    slot = f"{claim.subject} {claim.attribute}"
    names = (word.lower() for word in _UNDERSCORED.findall(claim.text))
    return {name for name in names if canonical_word(name) in slot}


def _counts(claim: Claim) -> bool:
    """Whether the verb tells how many or how long, and of no condition: `keep for 30 days`, `time out after 30 s`."""
    verb, _, rest = claim.attribute.partition(" ")
    return verb in _COUNTED or (verb == "time" and rest.startswith(("out", "after")))


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
    weak = new.attribute.startswith(_WEAK) or (new.subject == "we" and new.attribute == "deploy to")
    if weak and not _is_one_choice(new, old):
        return False
    ours, theirs = set(new.value.split()), set(old.value.split())
    if ours <= theirs or theirs <= ours:
        return False  # one only says it more precisely
    if ours & _DIMENSIONS and theirs & _DIMENSIONS and (ours ^ theirs) & _DIMENSIONS:
        return False  # 12 m deep and 3 km long
    if (ours ^ theirs) & _COMPARATIVES or _is_vaguer_date(new.value, old.value):
        return False
    if _is_measure(new.value) != _is_measure(old.value) and not (ours | theirs) & _NO_MEASURE:
        return False  # being configurable and being 30 s are two things to say of a timeout
    if _is_open(new.attribute) and _kind_of(new) != _kind_of(old):
        return False  # a meeting on Monday may be on Zoom
    placed = new.attribute.endswith((" in", " from", "move to")) or old.attribute.endswith(" in")
    # A town and a country do not exclude each other.
    return not placed or bool(ours & _REGION_STEMS) == bool(theirs & _REGION_STEMS)


def _is_open(attribute: str) -> bool:
    """Whether values of several kinds fit: after `is`, and after a verb and its preposition."""
    words = attribute.split(" ", 2)
    return words[0] == "be" or (len(words) > 1 and words[1] in _OPEN_PREPOSITIONS)


_OPEN_PREPOSITIONS = frozenset("in on at to as with under by".split())


def _kind_of(claim: Claim) -> str:
    """What kind of value it is, where that can be told: a time, a tongue, a form, or the name of a file or column."""
    value = claim.value
    if _DATE.fullmatch(value):
        return "time"
    if any(sign in value for sign in "/@_") or re.search(r"[^\W\d]\.\w", value):
        return "name"
    if "_" in claim.text and any(canonical_word(word.lower()) in value for word in _UNDERSCORED.findall(claim.text)):
        return "name"
    return _KINDS.get(value.rpartition(" ")[2], "")


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
    ours, theirs = set(new.value.split()), set(old.value.split())
    if ours <= theirs or theirs <= ours:
        return False  # dark blue is blue
    return _rival_group(new.value) == _rival_group(old.value) != -1


def _rival_group(value: str) -> int:
    return _RIVALS.get(value, _RIVALS.get(value.rpartition(" ")[2], -1))


def _differ_in_opposites(new: str, old: str) -> bool:
    """Whether the values differ in one word and its opposite only."""
    ours, theirs = new.split(), old.split()
    if len(ours) != len(theirs):
        return False
    different = [pair for pair in zip(ours, theirs, strict=True) if pair[0] != pair[1]]
    return len(different) == 1 and frozenset(different[0]) in _OPPOSITES


def _differs_in_count(new: str, old: str) -> bool:
    """`3 cats` against `4 cats`, `after 30 s` against `after 60 s`, `python 3.11` against `python 3.12`.

    The number leads, is a measure, or ends a name.
    """
    if _NUMBER.sub("#", new) != _NUMBER.sub("#", old) or not _NUMBER.search(new):
        return False
    if _NUMBER.match(new) is not None or (new.split()[-1][0].isdigit() and len(new.split()) == 2):
        return True
    return new.startswith("after ") and _differs_in_measure(new, old)


def _differs_in_measure(new: str, old: str) -> bool:
    """Sentences that no rule can parse are contrary where only measures differ; bare numbers may just label things."""
    return new != old and _MEASURED.search(new) is not None and _MEASURED.sub("#", new) == _MEASURED.sub("#", old)
