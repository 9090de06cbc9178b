"""The settings of a home: one file, `heldtrue.toml`, read once. Every key is here, with its default and its meaning.

The sentence under a key is what the reference, `heldtrue help settings` and the template of the file say about it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

import msgspec
from msgspec import Meta

from heldtrue.domain import limits
from heldtrue.domain.errors import InvalidInput, InvalidSettings, ModelProblem
from heldtrue.domain.masking import DEFAULT_POLICY, PERSONAL_KINDS, DataFamily, MaskingMode, MaskingPolicy, MaskingRules
from heldtrue.domain.memory import Staleness, Visibility
from heldtrue.domain.promotion import PromotionRule
from heldtrue.domain.retention import DIMENSIONS, RetentionPolicy, RetentionRule
from heldtrue.domain.scope import parse_scope

SETTINGS_FILE = "heldtrue.toml"
_POSTGRES = ("postgresql://", "postgres://")
_SQLITE = "sqlite:///"
_REFERENCE = "see all settings: heldtrue help settings"
_Count = Annotated[int, Meta(ge=0)]
_LISTED = re.compile(r"([\w.]+)\[(\d+)\]")
"""The path of one of several tables with the same name, such as `retention.rules[0]`."""
_KEY_VARIABLE = re.compile(r"HELDTRUE_[A-Z0-9_]+")
"""The names that `key_variable` may have. They are checked separately, so that the error says what a valid name is."""
_OWN_KIND = re.compile(r"[a-z][a-z0-9-]{1,39}")
UNUSED_DAYS = {"work": 90, "preferences": 180, "health": 365, "hobbies": 60, "relationships": 180}
"""Days without use after which memories of a category are archived."""


class ProjectSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    name: str = "memory"
    """The store's name, as shown by `status`."""
    base_iri: str = "urn:heldtrue:"
    """The prefix of every memory's IRI. It cannot be changed once the store exists."""


class StorageSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    url: str = "heldtrue.db"
    """The database: a SQLite file, relative to the home, or a `postgresql://` URL."""
    space: str = "heldtrue"
    """The PostgreSQL schema that contains this store."""

    @property
    def file(self) -> str | None:
        """The SQLite file, relative to the home; None if the database is PostgreSQL."""
        return None if self.url.startswith(_POSTGRES) else self.url.removeprefix(_SQLITE)


class MemorySettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    default_scope: str = "global"
    """The scope of memories that are written without one."""
    default_visibility: Visibility = Visibility.LOCAL
    """The visibility of memories that are written without one: `private`, `local` or `shared`."""
    default_staleness: Staleness = Staleness.STABLE
    """The staleness of memories that are written without one: `stable`, `weekly`, `daily`, `hourly` or `volatile`."""
    compact_on_start: bool = False
    """Whether to compact the store each time it is opened."""
    max_facts: _Count = 100_000
    """The number of active memories above which `status` shows a warning."""


class ConflictSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    default: Literal["wait", "refuse", "coexist"] = "wait"
    """What happens to a new memory that contradicts an existing one: it waits in the inbox (`wait`), is refused
    (`refuse`), or is stored alongside it (`coexist`)."""
    scopes: dict[str, Literal["wait", "refuse", "coexist"]] = {}
    """Rules for individual scopes, such as `{ "project:shop" = "refuse" }`."""

    def rule_for(self, scope: str) -> str:
        return self.scopes.get(scope, self.default)


class DecaySettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    per_day: Annotated[float, Meta(ge=0, le=1)] = 0.01
    """How fast the recency part of a score decays. The formula is exp(-per_day x days)."""
    categories: dict[str, Annotated[float, Meta(ge=0, le=1)]] = {}
    """Decay rates for individual categories, such as `{ work = 0.02 }`."""


class EndpointSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    url: str = ""
    """The URL of an OpenAI-compatible embeddings endpoint, such as http://localhost:11434/v1."""
    model: str = ""
    """The name of the embedding model."""
    key_variable: str = "HELDTRUE_EMBEDDING_KEY"
    """The environment variable that contains the API key, if the endpoint needs one. Its name must begin with
    HELDTRUE_, so that a settings file cannot make Heldtrue send any other secret."""


class RecallSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    profile: Literal["default", "brain", "hybrid", "dual", "rank"] = "default"
    """The scoring profile of recalls that do not specify one. `default` finds the most; `brain`, `hybrid`, `dual` and
    `rank` are fixed formulas for comparison."""
    profiles: dict[str, dict[str, float]] = {}
    """Weights that override a profile's own weights, such as `recency = 0.3` under `[recall.profiles.default]`."""
    floor: Annotated[float, Meta(ge=0, le=1)] | None = None
    """The minimum score of the best result with the profile `default`. If the best result scores lower, recall returns
    nothing. If not set, it is 0.13 for keywords alone and 0.23 to 0.25 with vectors, depending on the model."""
    decay: DecaySettings = DecaySettings()
    search_provider: Literal["fts5", "hybrid"] = "hybrid"
    """How recall finds memories: by keyword (`fts5`), or by keyword and vector (`hybrid`)."""
    vector_model: Literal["auto", "none", "static", "quality", "endpoint"] = "auto"
    """The embedding model. `static`: from the Python extra `vectors`. `quality`: from the extra `quality`. `endpoint`:
    the model at `endpoint.url`. `none`: no vectors. `auto`: `static` if the extra `vectors` is installed, otherwise
    `none`."""
    endpoint: EndpointSettings = EndpointSettings()
    reranker: Literal["none", "quality"] = "none"
    """The model that reorders the top results. `quality`: from the Python extra `quality`. `none`: no reordering."""
    log_days: _Count = 90
    """How many days to keep entries in the recall log. `maintain` deletes older entries. 0 keeps all of them."""


class EngineSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    extract: bool = True
    """Whether captured text is queued for extraction. Each `capture` can override this."""
    timezone: str = ""
    """The time zone for the schedules, such as Europe/Paris. If empty, the machine's time zone is used."""
    nightly: str = "0 2 * * *"
    """When the nightly job runs, as a cron expression. The job merges duplicates, archives memories and sources
    that are past their time, raises the priority of the day's memories and retries failed extractions."""
    weekly: str = "0 1 * * 0"
    """When the weekly job runs, as a cron expression. The job archives memories that have not been used for
    `unused_days` and rewrites summaries."""
    monthly: str = "0 3 1 * *"
    """When the monthly job runs, as a cron expression. The job checks the vectors and the word index, and writes the
    health report."""
    promotion: tuple[PromotionRule, ...] = (PromotionRule(),)
    """Rules that promote extracted memories without a person, each under `[[engine.promotion]]`. If you add a rule, the
    default rule no longer applies. The default rule promotes memories that two independent sources state explicitly."""
    unused_days: dict[str, _Count] = msgspec.field(default_factory=lambda: dict(UNUSED_DAYS))
    """For each category, the number of days after which unused, unverified memories are archived. For categories that
    are not listed, it is 180."""
    jobs_days: _Count = 90
    """How many days to keep finished jobs. `maintain` deletes older jobs. 0 keeps all of them."""


class RetentionSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    retracted_days: _Count = 30
    """How many days forgotten memories stay before compaction archives them."""
    min_confidence: Annotated[float, Meta(ge=0, le=1)] = 0.3
    """Compaction archives memories below this confidence that no person has verified."""
    rules: tuple[RetentionRule, ...] = ()
    """How long to keep certain memories and sources, each rule under `[[retention.rules]]`. A rule has `days`, and at
    least one of `category`, `kind`, `source` and `scope`. With `then = "erase"` it destroys them instead of archiving
    them. The first rule that matches applies."""

    def policy(self) -> RetentionPolicy:
        return RetentionPolicy(retracted_days=self.retracted_days, min_confidence=self.min_confidence, rules=self.rules)


class ServerSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    host: str = "127.0.0.1"
    """The address that `serve` listens on. An address that other machines can reach also needs `allowed_hosts`."""
    port: Annotated[int, Meta(ge=0, le=limits.PORT_MAX)] = 7373
    """The port that `serve` listens on. 0 picks a free port."""
    allowed_hosts: tuple[str, ...] = ()
    """Host names that requests may use, in addition to this machine's own names."""
    files: str = ""
    """The full path of a folder on the server's machine. If it is set, requests can read and write the files in this
    folder by path. By default, they cannot, and clients upload and download files instead."""
    requests_per_second: Annotated[int, Meta(ge=1)] = 50
    """How many requests one agent may send per second. Any further request gets status 429."""
    writes_per_minute: Annotated[int, Meta(ge=1)] = 600
    """How many writes one agent may send per minute."""
    in_flight: Annotated[int, Meta(ge=1)] = 4
    """How many requests from one agent may run at once. Keep it below `threads`, so that one agent cannot block the
    others."""
    threads: Annotated[int, Meta(ge=1, le=limits.SERVER_THREADS_MAX)] = 8
    """How many requests the server handles at once."""
    engine: bool = True
    """Whether the server also runs queued jobs. If not, run `heldtrue work` to run them."""
    log: Literal["auto", "lines", "json"] = "auto"
    """The format of the log on standard error: one JSON object per line (`json`) or short lines for people (`lines`).
    `auto` means `lines` on a terminal, otherwise `json`."""


class ExtractionSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    model: Literal["none", "openai", "anthropic"] = "none"
    """The API of the language model that extracts memories from captured text: `openai` or `anthropic`. Captured text
    is sent to the model's endpoint. With `none`, or if the model fails, the built-in reader extracts the memories."""
    url: str = ""
    """The URL of the model's endpoint, such as http://localhost:11434/v1 or https://api.anthropic.com."""
    name: str = ""
    """The name of the model."""
    key_variable: str = "HELDTRUE_MODEL_KEY"
    """The environment variable that contains the API key, if the endpoint needs one. Its name must begin with
    HELDTRUE_."""
    timeout_seconds: Annotated[float, Meta(gt=0, le=limits.MODEL_TIMEOUT_SECONDS_MAX)] = 60.0
    """How many seconds to wait for the model's response. A request that fails temporarily is sent up to three times."""
    max_tokens: Annotated[int, Meta(ge=limits.MODEL_ANSWER_TOKENS_MIN, le=limits.MODEL_ANSWER_TOKENS_MAX)] = 4_000
    """The maximum length of the model's response, in tokens. A reasoning model needs a higher limit."""


class MaskingSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    secrets: Literal["mask", "refuse"] = "mask"
    """What happens to a text with a secret, such as a password, a key or a PIN: the secret is masked (`mask`), or the
    write is refused (`refuse`)."""
    personal: Literal["keep", "mask", "refuse"] = "mask"
    """What happens to a text with personal data, such as a card, an IBAN or a tax number: the data is masked (`mask`),
    the write is refused (`refuse`), or the text is stored as it is (`keep`)."""
    kinds: dict[str, str] = {}
    """Rules for individual kinds, such as `{ email = "mask", iban = "keep" }`. `email` and `phone` are kept by default;
    secrets cannot be kept."""
    scopes: dict[str, dict[str, str]] = {}
    """Rules for individual scopes, such as `{ "project:billing" = { personal = "refuse" } }`. The keys are `secrets`,
    `personal` and kinds."""
    shapes: dict[str, str] = {}
    """Your own kinds, each with a pattern, such as `{ staff-number = 'EMP-\\d{6}' }`. They follow the rule for
    `personal`. Patterns may use letters, digits, `\\d`, `\\w`, `[A-Z0-9]`, groups, `?`, `{3}` and `{2,6}`."""

    @property
    def policy(self) -> MaskingPolicy:
        own = {"secrets": self.secrets, "personal": self.personal, **self.kinds}
        if self == MaskingSettings():
            return DEFAULT_POLICY
        scopes = {scope: MaskingRules.of(rules) for scope, rules in self.scopes.items()}
        return MaskingPolicy(MaskingRules.of(own), scopes, self.shapes)


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    project: ProjectSettings = ProjectSettings()
    storage: StorageSettings = StorageSettings()
    memory: MemorySettings = MemorySettings()
    conflicts: ConflictSettings = ConflictSettings()
    masking: MaskingSettings = MaskingSettings()
    recall: RecallSettings = RecallSettings()
    extraction: ExtractionSettings = ExtractionSettings()
    engine: EngineSettings = EngineSettings()
    retention: RetentionSettings = RetentionSettings()
    server: ServerSettings = ServerSettings()


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
    _check_key_variable(settings.recall.endpoint.key_variable, ("recall", "endpoint", "key_variable"), where)
    _check_key_variable(settings.extraction.key_variable, ("extraction", "key_variable"), where)
    _check_profiles(settings.recall, where)
    if table.get("masking"):
        _check_masking(settings.masking, where)
    if settings.extraction.model != "none":
        _check_extraction(settings.extraction, where)
    _check_rules(settings.retention.rules, where)
    if table.get("engine"):
        _check_engine(settings.engine, where)
    return settings


def _name_key(path: Sequence[str]) -> str:
    """A key as it stands in the file: `[memory] default_scope`, or `[[engine.promotion]] number 1: sources`."""
    section = ".".join(path[:-1])
    if listed := _LISTED.fullmatch(section) or _LISTED.fullmatch(".".join(path)):
        table = f"[[{listed[1]}]] number {int(listed[2]) + 1}"
        return f"{table}: {path[-1]}" if listed[0] == section else table
    return f"[{section}] {path[-1]}" if section else path[-1]


def _refuse(where: str, path: Sequence[str], wrong: str, hint: str = _REFERENCE) -> InvalidSettings:
    return InvalidSettings(f"{where}: {_name_key(path)}: {wrong}", field=".".join(path), hint=hint)


def _explain_value(problem: msgspec.ValidationError, table: dict[str, Any], where: str) -> InvalidSettings:
    """A wrong value, with its key and what belongs there."""
    from heldtrue.capabilities.parameters import choices_of
    from heldtrue.capabilities.validation import hint_at, split_path, value_at, word_misfit

    text, location = split_path(problem)
    hint, path = hint_at(Settings, location), (location or "").removesuffix("[...]").split(".")
    value = value_at(table, ".".join(path))
    if location and location.endswith("[...]"):
        key, value = next((key, choice) for key, choice in value.items() if choice not in choices_of(hint))
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


def _check_key_variable(name: str, path: Sequence[str], where: str) -> None:
    if not _KEY_VARIABLE.fullmatch(name):
        wrong = f"{_spell(name)} is not the name of an environment variable that begins with HELDTRUE_"
        raise _refuse(where, path, wrong, f"use capital letters, digits and _, such as HELDTRUE_{path[0].upper()}_KEY")


def _check_profiles(recall: RecallSettings, where: str) -> None:
    if not recall.profiles and recall.vector_model != "endpoint":
        return
    from heldtrue.recall.profiles import PARTS, PROFILES

    for name, weights in recall.profiles.items():
        path = ("recall", "profiles", name)
        if name not in PROFILES:
            raise _refuse(where, path, "unknown profile", f"the profiles are {', '.join(PROFILES)}")
        for part, weight in weights.items():
            if part not in PARTS:
                raise _refuse(where, (*path, part), "is not a part of the score", f"the parts are {', '.join(PARTS)}")
            if not 0 <= weight <= limits.RECALL_WEIGHT_MAX:
                raise _refuse(where, (*path, part), f"{weight} is not a number from 0 to {limits.RECALL_WEIGHT_MAX}")
    if recall.vector_model == "endpoint" and not (recall.endpoint.url and recall.endpoint.model):
        raise _refuse(where, ("recall", "endpoint", "url"), 'vector_model is "endpoint", but url or model is not set')


def _check_masking(masking: MaskingSettings, where: str) -> None:
    for kind, pattern in masking.shapes.items():
        _check_shape(kind, pattern, where)
    _check_masking_rules(masking, masking.kinds, ("masking", "kinds"), where)
    for scope, rules in masking.scopes.items():
        _check_scope(scope, ("masking", "scopes"), where)
        _check_masking_rules(masking, rules, ("masking", "scopes", scope), where)


def _check_shape(kind: str, pattern: str, where: str) -> None:
    from heldtrue.language.own_shapes import UnsafeShape, compile_shape

    path = ("masking", "shapes", kind)
    if not _OWN_KIND.fullmatch(kind) or kind in PERSONAL_KINDS or kind in set(DataFamily):
        raise _refuse(where, path, "is not a name for your own kind", "use small letters, digits and -, and a new name")
    try:
        compile_shape(pattern)
    except UnsafeShape as problem:
        raise _refuse(where, path, f"the pattern cannot be used: {problem}") from None


def _check_masking_rules(masking: MaskingSettings, rules: dict[str, str], path: Sequence[str], where: str) -> None:
    from heldtrue.language.kinds import SECRET_KINDS

    families = () if path[-1] == "kinds" else tuple(DataFamily)
    may_keep = {*PERSONAL_KINDS, *masking.shapes, DataFamily.PERSONAL}
    for kind, mode in rules.items():
        if kind not in may_keep and kind not in SECRET_KINDS and kind not in families:
            known = ", ".join([*families, *PERSONAL_KINDS, *masking.shapes])
            raise _refuse(where, (*path, kind), "is not a kind of data", f"the kinds are {known}, and kinds of secrets")
        if mode not in set(MaskingMode) or (mode == MaskingMode.KEEP and kind not in may_keep):
            choices = "keep, mask or refuse" if kind in may_keep else "mask or refuse: secrets are never kept"
            raise _refuse(where, (*path, kind), f"{_spell(mode)} is not possible", f"use {choices}")


def _check_extraction(extraction: ExtractionSettings, where: str) -> None:
    from heldtrue.models.address import complete_url

    for name in ("url", "name"):
        if not getattr(extraction, name):
            raise _refuse(where, ("extraction", name), f"model is {_spell(extraction.model)}, but {name} is not set")
    try:
        complete_url(extraction.url, "", what="a language model's endpoint")
    except ModelProblem as problem:
        raise _refuse(where, ("extraction", "url"), str(problem)) from None


def _check_rules(rules: Sequence[RetentionRule], where: str) -> None:
    for number, rule in enumerate(rules):
        path = ("retention", f"rules[{number}]")
        if not rule.named:
            wrong = f"at least one of {', '.join(DIMENSIONS)} must be set"
            raise _refuse(where, path, wrong, "say which memories or sources the rule is about")
        if rule.scope is not None:
            _check_scope(rule.scope, (*path, "scope"), where)


def _check_engine(engine: EngineSettings, where: str) -> None:
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

    from cronsim import CronSim, CronSimError

    for name in ("nightly", "weekly", "monthly"):
        line = getattr(engine, name)
        try:
            CronSim(line, datetime(2000, 1, 1, tzinfo=UTC))
        except CronSimError as problem:
            hint = "write minute, hour, day, month and day of the week, such as 0 2 * * *"
            raise _refuse(
                where, ("engine", name), f"{_spell(line)} is not a cron expression: {problem}", hint
            ) from None
    try:
        ZoneInfo(engine.timezone or "UTC")
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise _refuse(where, ("engine", "timezone"), f"{_spell(engine.timezone)} is not a time zone") from None


def _refuse_unknown(table: dict[str, Any], shape: Any, path: tuple[str, ...], where: str) -> None:
    known = {field.name: field.type for field in msgspec.structs.fields(shape)}
    for key, value in table.items():
        key_path = (*path, key)
        if key not in known:
            is_section = isinstance(value, dict)
            what = f"section: [{'.'.join(key_path)}]" if is_section else f"key: {_name_key(key_path)}"
            hint = _suggest(key_path, is_section=is_section)
            raise InvalidSettings(f"{where} has an unknown {what}", field=".".join(key_path), hint=hint)
        inner = known[key]
        if isinstance(value, dict) and isinstance(inner, type) and issubclass(inner, msgspec.Struct):
            _refuse_unknown(value, inner, key_path, where)
        elif isinstance(value, list):
            _refuse_unknown_in_list(value, inner, key_path, where)


def _refuse_unknown_in_list(tables: list[Any], shape: Any, path: tuple[str, ...], where: str) -> None:
    """The same for tables that may stand in the file several times, and what each of them must have."""
    inner = next(iter(get_args(shape)), None)
    if not (isinstance(inner, type) and issubclass(inner, msgspec.Struct)):
        return
    fields = msgspec.structs.fields(inner)
    names = [field.name for field in fields]
    for number, table in enumerate(tables):
        here, known = (*path[:-1], f"{path[-1]}[{number}]"), f"the keys are {', '.join(names)}; {_REFERENCE}"
        for key in table if isinstance(table, dict) else ():
            if key not in names:
                raise _refuse(where, (*here, key), "unknown key", known)
        for field in fields:
            if field.required and isinstance(table, dict) and field.name not in table:
                raise _refuse(where, (*here, field.name), "missing", known)


def _suggest(path: Sequence[str], *, is_section: bool) -> str:
    """The key or section that was probably meant, or the keys of the section."""
    import difflib

    keys = setting_names()
    names = sorted({key.rpartition(".")[0] for key in keys}) if is_section else keys
    anywhere = {name.rpartition(".")[2]: name for name in names}
    section = ".".join(path[:-1])
    in_section = {name.rpartition(".")[2]: name for name in names if name.rpartition(".")[0] == section}
    # There are many names in other sections: one of those must be nearly the same word.
    for known, likeness in ((in_section, 0.6), (anywhere, 0.8)):
        for close in difflib.get_close_matches(path[-1], known, 1, likeness):
            meant = known[close]
            return f"did you mean {f'[{meant}]' if is_section else _name_key(meant.rsplit('.', 1))}?"
    if section and in_section and not is_section:
        return f"the keys in [{section}] are {', '.join(in_section)}; {_REFERENCE}"
    return _REFERENCE


def setting_names(shape: Any = Settings, prefix: str = "") -> list[str]:
    """The path of every key, such as `recall.decay.per_day`."""
    names: list[str] = []
    for field in msgspec.structs.fields(shape):
        inner = field.type
        if isinstance(inner, type) and issubclass(inner, msgspec.Struct):
            names += setting_names(inner, f"{prefix}{field.name}.")
        else:
            names.append(prefix + field.name)
    return names
