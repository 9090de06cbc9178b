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
