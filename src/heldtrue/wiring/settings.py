"""The settings of a home: one file, `heldtrue.toml`, read once. Every key is here, with its default and its meaning."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from heldtrue.domain.errors import InvalidInput, InvalidSettings, ModelProblem
from heldtrue.domain.memory import Staleness, Visibility
from heldtrue.domain.promotion import PromotionRule
from heldtrue.domain.scope import parse_scope

SETTINGS_FILE = "heldtrue.toml"
_POSTGRES = ("postgresql://", "postgres://")
_SQLITE = "sqlite:///"
_REFERENCE = "what there is: heldtrue help settings"
_WEIGHT_MAX = 10
_Count = Annotated[int, Meta(ge=0)]
_KeyVariable = Annotated[str, Meta(pattern="^HELDTRUE_[A-Z0-9_]+$")]


UNUSED_DAYS = {"work": 90, "preferences": 180, "health": 365, "hobbies": 60, "relationships": 180}
"""How long something of a category may go unused, in days."""


class ProjectSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    name: str = "memory"
    """What this memory is called; `status` shows it."""
    base_iri: str = "urn:heldtrue:"
    """Prefix of every memory's IRI; fixed when the space is created."""


class StorageSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    url: str = "heldtrue.db"
    """A SQLite file, relative to the home, or a `postgresql://` address."""
    space: str = "heldtrue"
    """On PostgreSQL, the schema that holds this space."""

    @property
    def file(self) -> str | None:
        """The SQLite file, relative to the home; none where it is not one."""
        return None if self.url.startswith(_POSTGRES) else self.url.removeprefix(_SQLITE)


class MemorySettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    default_scope: str = "global"
    """Where a memory goes that names no scope."""
    default_visibility: Visibility = Visibility.LOCAL
    """Who may see a memory that does not say: private, local or shared."""
    default_staleness: Staleness = Staleness.STABLE
    """How soon a memory that does not say should be doubted."""
    compact_on_start: bool = False
    """Whether opening the home runs its upkeep first."""
    max_facts: _Count = 100_000
    """Soft limit: `status` warns above it."""
    max_memory_size: _Count = 50_000
    """Largest size of a rendered MEMORY.md, in characters."""
    memory_path: str = "MEMORY.md"
    """Where an agent's MEMORY.md is rendered, relative to the agent's folder."""


class ConflictSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    default: Literal["wait", "refuse", "coexist"] = "wait"
    """What happens to a memory that contradicts a held one: wait in the inbox, be refused, or stand beside it."""
    scopes: dict[str, Literal["wait", "refuse", "coexist"]] = {}
    """The same for single scopes."""

    def rule_for(self, scope: str) -> str:
        return self.scopes.get(scope, self.default)


class DecaySettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    per_day: Annotated[float, Meta(ge=0, le=1)] = 0.01
    """How fast freshness fades: the recency part is exp(-rate x days)."""
    categories: dict[str, Annotated[float, Meta(ge=0, le=1)]] = {}
    """The same for single categories."""


class EndpointSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    url: str = ""
    """An OpenAI-compatible endpoint for embeddings, such as http://localhost:11434/v1."""
    model: str = ""
    """The name of the model there."""
    key_variable: _KeyVariable = "HELDTRUE_EMBEDDING_KEY"
    """The environment variable that holds the key of the endpoint, where it needs one; its name begins with
    HELDTRUE_, so that no settings file can have another secret sent."""


class RecallSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    profile: Literal["default", "brain", "hybrid", "dual", "rank"] = "default"
    """How results are weighed where a recall does not say."""
    profiles: dict[str, dict[str, float]] = {}
    """Other weights for the parts of a profile: `[recall.profiles.default]` with `recency = 0.3`, for example."""
    floor: Annotated[float, Meta(ge=0, le=1)] | None = None
    """With the default profile: where even the best result scores less, nothing is returned. Left out, 0.13 by words
    alone and what the embedding model asks for with one."""
    decay: DecaySettings = DecaySettings()
    search_provider: Literal["fts5", "hybrid"] = "hybrid"
    """How memories are found: by words alone (fts5, the name the seed gives it), or by words and vectors (hybrid)."""
    vector_model: Literal["auto", "none", "static", "quality", "endpoint"] = "auto"
    """The embedding model: the static table where the extra `vectors` is installed (auto), none, the table, the models
    of the extra `quality`, or an endpoint."""
    endpoint: EndpointSettings = EndpointSettings()
    reranker: Literal["none", "quality"] = "none"
    """Whether a model of the extra `quality` reads the first results again and orders them anew."""
    log_days: _Count = 90
    """Days that the log of recalls is kept; `maintain` drops what is older. 0 keeps all of it."""


class EngineSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    extract: bool = True
    """Whether what is captured is put into the queue for extraction; a capture may say otherwise."""
    timezone: str = ""
    """The time zone of the schedules, such as Europe/Paris; left out, that of the machine."""
    nightly: str = "0 2 * * *"
    """When duplicates are merged, today's memories moved up and what was captured is caught up with, as in cron."""
    weekly: str = "0 1 * * 0"
    """When category summaries are rebuilt and what was not used for its time is archived."""
    monthly: str = "0 3 1 * *"
    """When vectors and the index are checked, and the health report is written."""
    promotion: tuple[PromotionRule, ...] = (PromotionRule(),)
    """Rules by which what was extracted begins to count without a person; `[[engine.promotion]]` begins one, and the
    first that is given replaces the one there is: said outright by two independent sources."""
    unused_days: dict[str, _Count] = msgspec.field(default_factory=lambda: dict(UNUSED_DAYS))
    """Days after which something of a category that nobody has used is archived; all others are left to the month."""
    jobs_days: _Count = 90
    """Days that finished jobs are kept; `maintain` drops what is older. 0 keeps all of them."""


class ServerSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    host: str = "127.0.0.1"
    """Where `serve` listens. Another address than this machine's own needs allowed_hosts too."""
    port: Annotated[int, Meta(ge=0, le=65535)] = 7373
    """The port of it; 0 takes one that is free."""
    allowed_hosts: tuple[str, ...] = ()
    """Names, beside those of this machine itself, by which the server may be called."""
    requests_per_second: Annotated[int, Meta(ge=1)] = 50
    """How often one agent may ask; more at once is answered with 429."""
    writes_per_minute: Annotated[int, Meta(ge=1)] = 600
    """How often one agent may write."""
    in_flight: Annotated[int, Meta(ge=1)] = 4
    """Requests of one agent that may be under way at once: fewer than threads, so that none can keep others waiting."""
    threads: Annotated[int, Meta(ge=1, le=256)] = 8
    """Requests that are worked on at once."""
    engine: bool = True
    """Whether the server also does the work that waits in the queue; otherwise `heldtrue work` does."""
    log: Literal["auto", "lines", "json"] = "auto"
    """How the log on standard error is written: one JSON object per line (json), short lines for people (lines), or
    short lines on a terminal and JSON elsewhere (auto)."""


class ExtractionSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    model: Literal["none", "openai", "anthropic"] = "none"
    """The language model that finds memories in what is captured: none, so that rules find them; one behind an
    endpoint that speaks as OpenAI's does (openai); or as Anthropic's does (anthropic). The rules step in where it
    fails. What is captured is sent to it."""
    url: str = ""
    """Where the model is asked, such as http://localhost:11434/v1 or https://api.anthropic.com."""
    name: str = ""
    """The name of the model there."""
    key_variable: _KeyVariable = "HELDTRUE_MODEL_KEY"
    """The environment variable with the key of the endpoint, where it needs one; its name begins with HELDTRUE_."""
    timeout_seconds: Annotated[float, Meta(gt=0, le=600)] = 60.0
    """How long to wait for an answer, and again for the end of it; three tries are made."""
    max_tokens: Annotated[int, Meta(ge=100, le=100_000)] = 4_000
    """The longest answer that the model may give, in tokens; a model that thinks first needs more of them."""


class SessionSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    sessions_path: str = "sessions/"
    """Where session transcripts are rendered, relative to the agent's folder."""
    session_retention_days: _Count = 30
    """Days after which a session is archived."""
    compaction_threshold: _Count = 100_000
    """Tokens in a session before it is compacted."""
    compaction_keep_recent: _Count = 10
    """Messages that compaction leaves as they are."""
    flush_enabled: bool = True
    """Whether what matters is saved before a compaction."""
    flush_threshold: _Count = 80_000
    """Tokens in a session before that saving starts."""
    tool_result_retention: _Count = 5
    """Tool results that stay in an agent's context."""


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    project: ProjectSettings = ProjectSettings()
    storage: StorageSettings = StorageSettings()
    memory: MemorySettings = MemorySettings()
    conflicts: ConflictSettings = ConflictSettings()
    recall: RecallSettings = RecallSettings()
    extraction: ExtractionSettings = ExtractionSettings()
    engine: EngineSettings = EngineSettings()
    server: ServerSettings = ServerSettings()
    sessions: SessionSettings = SessionSettings()


def read_settings(home: Path) -> Settings:
    """The settings of a home; the defaults where it has no file. A wrong key is an error that names the right one."""
    path = home / SETTINGS_FILE
    try:
        text = path.read_text("utf-8")
    except FileNotFoundError:
        return Settings()
    except (OSError, UnicodeDecodeError) as problem:
        raise InvalidSettings(
            f"{path} cannot be read: {problem}", hint="it must be a readable UTF-8 text file"
        ) from None
    return parse_settings(text, str(path))


def parse_settings(text: str, where: str = SETTINGS_FILE) -> Settings:
    """Settings from the text of the file, or an error that names the key and what it takes."""
    import tomllib

    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as problem:
        raise InvalidSettings(f"{where} is not valid TOML: {problem}", hint=_REFERENCE) from None
    _refuse_unknown(table, Settings, (), where)
    try:
        settings = msgspec.convert(table, Settings)
    except msgspec.ValidationError as problem:
        raise _explain_value(problem, table, where) from None
    _check_url(settings.storage.url, where)
    _check_scope(settings.memory.default_scope, ("memory", "default_scope"), where)
    for scope in settings.conflicts.scopes:
        _check_scope(scope, ("conflicts", "scopes"), where)
    _check_profiles(settings.recall, where)
    if settings.extraction.model != "none":
        _check_extraction(settings.extraction, where)
    if "engine" in table:
        _check_engine(settings.engine, where)
    return settings


def _name_key(path: Sequence[str]) -> str:
    """A key as it stands in the file: `[memory] default_scope`."""
    section = ".".join(path[:-1])
    return f"[{section}] {path[-1]}" if section else path[-1]


def _refuse(where: str, path: Sequence[str], wrong: str, hint: str = _REFERENCE) -> InvalidSettings:
    return InvalidSettings(f"{where}: {_name_key(path)}: {wrong}", field=".".join(path), hint=hint)


def _explain_value(problem: msgspec.ValidationError, table: dict[str, Any], where: str) -> InvalidSettings:
    """A wrong value, with its key and what belongs there."""
    from heldtrue.capabilities.parameters import choices_of
    from heldtrue.capabilities.validation import hint_at, split_place, value_at, word_misfit

    text, place = split_place(problem)
    hint, path = hint_at(Settings, place), (place or "").removesuffix("[...]").split(".")
    value = value_at(table, ".".join(path))
    if place and place.endswith("[...]"):
        key, value = next((key, one) for key, one in value.items() if one not in choices_of(hint))
        path.append(key)
    return _refuse(where, path, word_misfit(text, hint, value, _spell))


def _spell(value: object) -> str:
    """A value as it stands in the file."""
    return msgspec.json.encode(value).decode() if isinstance(value, str | bool) else str(value)


def _check_url(url: str, where: str) -> None:
    if url and ("://" not in url or url.startswith((*_POSTGRES, _SQLITE))):
        return
    scheme, mark, rest = url.partition("://")
    # Without who logs in, and with what: a password must not end up in a log.
    shown = scheme + mark + rest.rpartition("@")[2].partition("?")[0]
    raise _refuse(where, ("storage", "url"), f"{_spell(shown)} is not a SQLite file or a postgresql:// address")


def _check_scope(scope: str, path: Sequence[str], where: str) -> None:
    try:
        parse_scope(scope)
    except InvalidInput as problem:
        raise _refuse(where, path, f"{_spell(scope)} is not a scope", problem.hint or _REFERENCE) from None


def _check_profiles(recall: RecallSettings, where: str) -> None:
    if not recall.profiles and recall.vector_model != "endpoint":
        return
    from heldtrue.recall.profiles import PARTS, PROFILES

    for name, weights in recall.profiles.items():
        path = ("recall", "profiles", name)
        if name not in PROFILES:
            raise _refuse(where, path, "there is no such profile", f"the profiles are {', '.join(PROFILES)}")
        for part, weight in weights.items():
            if part not in PARTS:
                raise _refuse(where, (*path, part), "is no part of a score", f"the parts are {', '.join(PARTS)}")
            if not 0 <= weight <= _WEIGHT_MAX:
                raise _refuse(where, (*path, part), f"{weight} is not a number from 0 to {_WEIGHT_MAX}")
    if recall.vector_model == "endpoint" and not (recall.endpoint.url and recall.endpoint.model):
        raise _refuse(where, ("recall", "endpoint", "url"), "vector_model is endpoint, but none is given")


def _check_extraction(extraction: ExtractionSettings, where: str) -> None:
    from heldtrue.models.address import complete_url

    for name in ("url", "name"):
        if not getattr(extraction, name):
            raise _refuse(where, ("extraction", name), f"model is {extraction.model}, but none is given")
    try:
        complete_url(extraction.url, "", what="a language model's endpoint")
    except ModelProblem as problem:
        raise _refuse(where, ("extraction", "url"), str(problem)) from None


def _check_engine(engine: EngineSettings, where: str) -> None:
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

    from cronsim import CronSim, CronSimError

    for name in ("nightly", "weekly", "monthly"):
        line = getattr(engine, name)
        try:
            CronSim(line, datetime(2000, 1, 1, tzinfo=UTC))
        except CronSimError as problem:
            hint = "write minute, hour, day, month and day of the week, such as 0 2 * * *"
            raise _refuse(where, ("engine", name), f"{_spell(line)} is not a line of cron: {problem}", hint) from None
    try:
        ZoneInfo(engine.timezone or "UTC")
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise _refuse(where, ("engine", "timezone"), f"{_spell(engine.timezone)} is not a time zone") from None


def _refuse_unknown(table: dict[str, Any], shape: Any, path: tuple[str, ...], where: str) -> None:
    known = {field.name: field.type for field in msgspec.structs.fields(shape)}
    for key, value in table.items():
        here = (*path, key)
        if key not in known:
            is_section = isinstance(value, dict)
            what = f"section: [{'.'.join(here)}]" if is_section else f"key: {_name_key(here)}"
            hint = _suggest(here, is_section=is_section)
            raise InvalidSettings(f"{where} has an unknown {what}", field=".".join(here), hint=hint)
        inner = known[key]
        if isinstance(value, dict) and isinstance(inner, type) and issubclass(inner, msgspec.Struct):
            _refuse_unknown(value, inner, here, where)


def _suggest(path: Sequence[str], *, is_section: bool) -> str:
    """The key or section that was probably meant, or those that there are."""
    import difflib

    keys = setting_names()
    names = sorted({key.rpartition(".")[0] for key in keys}) if is_section else keys
    everywhere = {name.rpartition(".")[2]: name for name in names}
    section = ".".join(path[:-1])
    beside = {name.rpartition(".")[2]: name for name in names if name.rpartition(".")[0] == section}
    # What stands elsewhere must be nearly the same word: there are many.
    for known, alike in ((beside, 0.6), (everywhere, 0.8)):
        for close in difflib.get_close_matches(path[-1], known, 1, alike):
            found = known[close]
            return f"did you mean {f'[{found}]' if is_section else _name_key(found.rsplit('.', 1))}?"
    if section and beside and not is_section:
        return f"[{section}] takes {', '.join(beside)}; {_REFERENCE}"
    return _REFERENCE


def setting_names(shape: Any = Settings, prefix: str = "") -> list[str]:
    """Every key, with its section."""
    names: list[str] = []
    for field in msgspec.structs.fields(shape):
        inner = field.type
        if isinstance(inner, type) and issubclass(inner, msgspec.Struct):
            names += setting_names(inner, f"{prefix}{field.name}.")
        else:
            names.append(prefix + field.name)
    return names
