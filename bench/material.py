"""Made-up but sentence-like memories, the same ones for the same seed."""

from __future__ import annotations

import random
from collections.abc import Iterator

_PEOPLE = "Ada Bruno Chen Dana Emre Farah Goran Hana Ines Jonas Kofi Lena Marek Nadia Oskar Priya Quinn Rosa Sven Tariq"
_THINGS = (
    "gateway scheduler importer exporter indexer parser renderer cache queue ledger router balancer collector notifier "
    "archiver sampler tokenizer planner watcher resolver uploader crawler compiler linter formatter profiler tracer"
)
_PARTS = "timeout limit owner port region schema branch budget quota interval threshold prefix suffix folder format"
_PLACES = "Berlin Lagos Lima Osaka Porto Quito Riga Seoul Tunis Utrecht Vienna Warsaw Xalapa Yerevan Zagreb"
_TOOLS = "Postgres Redis Kafka Nginx Docker Terraform Ansible Grafana Prometheus Celery Django Flask Svelte Rust Go"
_SHAPES = (
    "The {part} of the {thing} {tag} is {number} seconds",
    "{person} from team {tag} prefers {tool} over {tool2} for the {thing}",
    "The {thing} {tag} runs in {place} and writes to {tool}",
    "Always restart the {thing} {tag} before changing its {part}",
    "{person} decided to move the {thing} {tag} to {tool} because {tool2} was too slow",
    "The {part} of {thing}-{tag} is kept in /srv/{thing}/{tag}/{part}.toml",
    "Release {number}.{small}.0 of the {thing} {tag} dropped support for {tool2}",
    "In project {tag} the {thing} must never call {tool} directly",
)


def sentences(count: int, *, seed: int) -> Iterator[str]:
    """Distinct statements of eight shapes about invented things."""
    chance = random.Random(seed)
    words = {"person": _PEOPLE, "thing": _THINGS, "part": _PARTS, "place": _PLACES, "tool": _TOOLS, "tool2": _TOOLS}
    lists = {name: text.split() for name, text in words.items()}
    for number in range(count):
        filled = {name: chance.choice(values) for name, values in lists.items()}
        tag = f"{chance.choice('bcdfghklmnprst')}{chance.choice('aeiou')}{seed}x{number}"
        shape = chance.choice(_SHAPES)
        yield shape.format(tag=tag, number=chance.randint(2, 900), small=chance.randint(0, 30), **filled)


# Facts in a vocabulary like that of a real store: a few words everywhere, most words hardly ever.

_SURNAMES = (
    "Novak Okafor Lindgren Tanaka Moreau Silva Haddad Kowalski Brandt Iyer Fischer Duarte Petrov Nakamura Olsen Castro "
    "Ferrari Mensah Larsen Ozturk Romero Schmidt Takahashi Varga Weber Yilmaz Andersson Barbosa Chowdhury Dvorak"
)
_COMPONENTS = (
    "service gateway scheduler database dashboard pipeline worker queue cache website importer report editor server "
    "client library mailer parser index crawler archive router plugin exporter notifier simulator catalogue planner "
    "translator recorder balancer compiler sampler validator tracker bridge turbine greenhouse workshop kitchen"
)
_ASPECTS = (
    "timeout budget owner limit format address password policy deadline schema region backup capacity interval licence "
    "colour threshold calendar retention quota alphabet checklist invoice temperature pressure pricing contract layout "
    "glossary warranty signature prefix rotation latency throughput vocabulary handbook insurance"
)
_EVENTS = (
    "release audit outage migration meeting review incident workshop upgrade holiday conference interview inspection "
    "rehearsal delivery inventory election storm harvest merger exhibition renovation strike marathon"
)
_QUALITIES = (
    "slow expensive fragile noisy large unclear outdated quiet narrow bright heavy brittle shallow crowded salty warm "
    "opaque verbose lonely steep humid generous rigid tangled"
)
_TEAMS = (
    "platform payments design support research mobile legal finance data security operations logistics marketing "
    "hardware translation archive nursery orchard kitchen theatre"
)
_UNITS = "seconds minutes hours days requests pages euros kilometres litres degrees megabytes percent"
_STARTS = "bar cor dal fen gor hel jun kes lor mar nor pel quil ras sol tam ul ver wen zan".split()
_MIDDLES = "a e i o u an el in or ul ati emo ira ova uni".split()
_ENDS = "bek cord dan fyr gate hame lis mond nix peak rin sby tor vale wick yon zell dra th ska".split()
_FACTS = (
    "The {aspect} of the {name} {component} is {number} {unit} since the {event} in {place}",
    "{person} {surname} asked the {team} team to keep the {aspect} of the {name} {component} in {place}",
    "We moved the {name} {component} from {tool} to {tool2} because its {aspect} was too {quality}",
    "Before every {event} restart the {name} {component} and check the {aspect} with the {team} team",
    "The {name} {component} writes its {aspect} to {tool} every {number} {unit}",
    "{person} {surname} reviews every change to the {aspect} of the {name} {component} before the {event}",
    "After the {event} in {place} the {team} team found the {aspect} of the {name} {component} {quality}",
    "The {name} {component} must never share its {aspect} with {tool} during the {event}",
    "{person} {surname} thinks that the {quality} {aspect} of the {name} {component} caused the {event}",
    "For the {name} {component} the {aspect} is agreed with {person} {surname} at each {event} in {place}",
    "The {team} team pays {number} {unit} for the {aspect} of the {name} {component} made by {surname}",
    "Nobody but {person} {surname} may touch the {aspect} of the {name} {component} after the {event}",
)
_LISTS = {
    name: text.split()
    for name, text in {
        "person": _PEOPLE,
        "surname": _SURNAMES,
        "component": _COMPONENTS,
        "aspect": _ASPECTS,
        "event": _EVENTS,
        "quality": _QUALITIES,
        "team": _TEAMS,
        "unit": _UNITS,
        "place": _PLACES,
        "tool": _TOOLS,
        "tool2": _TOOLS,
    }.items()
}
_SMALL_WORDS = frozenset(
    "the of is since in to for we its was too with and every that at each by but an a may nobody after before from "
    "because must never during asked keep team check found thinks".split()
)
_FRAMES = (
    "do you remember what we said about the {words}?",
    "what do we know about {words}?",
    "what was it with the {words}?",
    "is there anything on {words} that I should know?",
    "who of the team can say something about the {words}?",
    "how did we settle the matter of {words}?",
)
_BETWEEN = ("of the", "and the", "in the", "for", "with", "and", "at the", "to the", "", "")
"""What stands between the telling words of a question."""


def facts(count: int, *, seed: int) -> Iterator[str]:
    """Distinct statements of twelve shapes; the commoner a word's rank, the oftener it is used, as Zipf has it.

    No two are about the same aspect of the same component of the same name, so that none contradicts another.
    """
    chance = random.Random(seed)
    names, components, aspects = name_count(count), _LISTS["component"], _LISTS["aspect"]
    known: set[int] = set()
    for _ in range(count):
        filled = {name: values[zipf_rank(chance, len(values))] for name, values in _LISTS.items()}
        name, component, aspect = (zipf_rank(chance, most) for most in (names, len(components), len(aspects)))
        while (about := (name * len(components) + component) * len(aspects) + aspect) in known:
            name, aspect = chance.randrange(names), chance.randrange(len(aspects))
        known.add(about)
        filled |= {"name": invent_name(name), "component": components[component], "aspect": aspects[aspect]}
        yield chance.choice(_FACTS).format(number=chance.randint(2, 900), **filled)


def name_count(count: int) -> int:
    """How many names a store of some size has: a vocabulary grows with its texts, but more slowly than they do."""
    return min(len(_STARTS) * len(_MIDDLES) * len(_MIDDLES) * len(_ENDS), 400 + count // 10)


def invent_name(number: int) -> str:
    """A name that can be spoken; another for every number."""
    number, start = divmod(number, len(_STARTS))
    number, end = divmod(number, len(_ENDS))
    second, first = divmod(number, len(_MIDDLES))
    middle = _MIDDLES[first] + (f"l{_MIDDLES[second]}" if second else "")
    return (_STARTS[start] + middle + _ENDS[(end + 7 * first) % len(_ENDS)]).title()


def zipf_rank(chance: random.Random, count: int) -> int:
    """A rank below `count`, each in inverse proportion to how low it is: the second half as often as the first."""
    return int((count + 1) ** chance.random()) - 1


def paraphrase(fact: str, chance: random.Random) -> str:
    """A question about a fact: some of its telling words in another order, among the words of any question."""
    telling = [word for word in fact.split() if word.lower() not in _SMALL_WORDS]
    kept = chance.sample(telling, max(3, round(0.45 * len(telling))))
    words = [kept[0]]
    for word in kept[1:]:
        words += [chance.choice(_BETWEEN), word]
    return chance.choice(_FRAMES).format(words=" ".join(filter(None, words)))
