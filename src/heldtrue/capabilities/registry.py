"""The registry: a request, a function and a declaration make a capability; all surfaces are built from it."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Annotated, Any, TypeVar, get_type_hints

import msgspec
from msgspec import Meta

from heldtrue.access.policy import Refusal, may, require
from heldtrue.capabilities.call import Call
from heldtrue.capabilities.declaration import Change, EverydayCommand, EverydayTool, FileUse, Group, Route
from heldtrue.capabilities.parameters import Mark, Metavar, Parameter, RequestType, read_parameters
from heldtrue.domain.action import READ, SPACE, Action, Audience, Effect, ScopeResource
from heldtrue.domain.errors import DataRefused, HeldtrueError, InvalidInput, NotAllowed
from heldtrue.domain.limits import ERROR_MESSAGE_CHARS_MAX
from heldtrue.domain.scope import parse_scope
from heldtrue.language.masking import mask_text, masking_by, redact_beginning

Handler = TypeVar("Handler", bound=Callable[..., Any])
IDEMPOTENCY = "idempotency_key"
_MANY = "memories"
"""The argument that makes a repeated request safe."""
_Key = Annotated[
    str | None,
    Meta(
        description="A unique text for this request. Sending it again returns the first response and changes nothing."
    ),
    Metavar("KEY"),
]


class Declaration(msgspec.Struct, frozen=True):
    """The declaration of a capability: everything except its request, its response and its docstring."""

    name: str
    effect: Effect
    audience: Audience = Audience.EVERYONE
    skill_agents: bool = False
    """Whether skill agents may use it."""
    group: Group = Group.MORE
    positional: tuple[str, ...] = ()
    """The positional arguments on the command line and in Python, in order."""
    destructive: bool = False
    """Whether it removes or replaces something. It stays in the history, but a client should ask the user first."""
    irreversible: bool = False
    """Whether something is lost for good. The target must then be specified by its id."""
    repeatable: bool = False
    """Whether repeating it changes nothing, even without an idempotency key."""
    makes_home: bool = False
    """Whether it creates the home if there is none. All others need one."""
    file: FileUse | None = None
    """Whether it reads or writes a file. A service receives the file with the request, or sends it back."""
    file_argument: str = "path"
    """The argument that names the file. If the argument is optional and not given, there is no file."""
    file_endings: tuple[str, ...] = ()
    """The extensions of the files that it can write, which determine the format. A name without an extension stands
    for one file with each of them."""
    progress: str | None = None
    """The text shown while it runs, if it can take long."""
    creates: tuple[str, ...] = ()
    """Outcomes that created something. They get the HTTP status 201."""
    change: Change | None = None
    is_search: bool = False
    """Whether it is logged as a search; otherwise it is logged as a read."""
    everyday: EverydayCommand | None = None
    synonyms: tuple[str, ...] = ()
    """Verbs that other programs use for the same thing. The command line runs this command for them, unless it is
    destructive: then it only suggests the command."""
    command: tuple[str, str] | None = None
    """Two words that also run it on the command line."""
    tool: EverydayTool | None = None
    instead: str | None = None
    """The verb of an everyday tool to suggest to callers that have no tool for this verb."""
    routes: tuple[Route, ...] = ()
    examples: tuple[str, ...] = ()
    """Example commands."""

    @property
    def verb(self) -> str:
        return self.name.partition(".")[2]

    def __call__(self, handler: Handler) -> Handler:
        """Declare a function as the capability."""
        CAPABILITIES[self.name] = Capability(self, handler)
        return handler


capability = Declaration
"""Used as a decorator: `@capability("memory.forget", Effect.WRITE, ...)`."""


class Capability:
    """A verb with its arguments, answer, declaration and description."""

    def __init__(self, declared: Declaration, handler: Callable[..., Any]) -> None:
        self.declared = declared
        self.name = declared.name
        self.verb = declared.verb
        self.effect = declared.effect
        self.action = Action(declared.name, declared.effect, declared.audience, declared.skill_agents)
        self.handler = handler

    @property
    def module(self) -> str:
        return str(self.handler.__module__)

    @property
    def doc(self) -> str:
        first, _, rest = (self.handler.__doc__ or "").strip().partition("\n")
        return f"{first}\n{textwrap.dedent(rest)}".strip()

    @property
    def summary(self) -> str:
        return self.doc.split("\n", 1)[0]

    @cached_property
    def _hints(self) -> dict[str, Any]:
        return get_type_hints(self.handler, include_extras=True)

    @cached_property
    def request(self) -> type[msgspec.Struct]:
        """The request type; for writes with an idempotency key."""
        # inspect.signature says the same, and takes longer to load than a recall takes to answer.
        written = self._hints[self.handler.__code__.co_varnames[1]]
        name = "".join(part.title() for part in self.verb.split("_")) + "Request"
        if self.effect is Effect.WRITE:
            return _derive(name, written, {IDEMPOTENCY: _Key})
        return written if written.__name__ == name else _derive(name, written, {})

    @cached_property
    def parameters(self) -> tuple[Parameter, ...]:
        return tuple(read_parameters(self.request, self.declared.positional))

    @cached_property
    def answer(self) -> Any:
        return self._hints["return"]

    def uses_file(self, arguments: Mapping[str, Any]) -> bool:
        """Whether a request reads or writes a file."""
        named = self.declared.file_argument
        is_required = any(parameter.name == named and parameter.required for parameter in self.parameters)
        return self.declared.file is not None and (is_required or arguments.get(named) is not None)

    def invoke(self, call: Call, arguments: Mapping[str, Any], *, strict: bool = True) -> Any:
        """Check the permission and the arguments, and run it. Every surface calls this."""
        with masking_by(call.instance.settings.masking):
            try:
                return self._invoke(call, arguments, strict)
            except HeldtrueError as problem:
                if isinstance(problem, InvalidInput):
                    problem.lead_with_field()
                _mask_words(problem)
                raise

    def _invoke(self, call: Call, arguments: Mapping[str, Any], strict: bool) -> Any:
        call = msgspec.structs.replace(call, action=self.name)
        self._authorise(call)
        request = self._read(arguments, strict)
        key = getattr(request, IDEMPOTENCY, None)
        if call.meter is not None:
            call.meter(self.effect, len(getattr(request, _MANY, None) or ()) or 1)
        self._refuse_unstorable(request)
        if key is not None:
            _refuse_telling_key(key)
            call = msgspec.structs.replace(call, idempotency_key=key, body=_body_of(request))
        return self.handler(call, request)

    def _authorise(self, call: Call) -> None:
        """Check whether the caller may use this in its project, repo and session. A refused write is recorded."""
        verdict = may(call.principal, self.action, SPACE)
        if isinstance(verdict, Refusal):
            if self.effect is Effect.WRITE:
                if call.meter is not None:
                    call.meter(self.effect, 1)
                _record(call, verdict.error)
            raise verdict.error
        for kind, name in (("project", call.project), ("repo", call.repo), ("session", call.session)):
            if name is not None:
                require(call.principal, READ, ScopeResource(parse_scope(f"{kind}:{name}", field=kind), kind))

    def _read(self, arguments: Mapping[str, Any], strict: bool) -> msgspec.Struct:
        try:
            return msgspec.convert(dict(arguments), self.request, strict=strict)
        except msgspec.ValidationError as problem:
            from heldtrue.capabilities.validation import explain_misfit

            raise explain_misfit(problem, self, arguments) from None

    def _refuse_unstorable(self, request: msgspec.Struct) -> None:
        """Refuse names, ids and paths with characters that cannot be stored."""
        for name in request.__struct_fields__:
            value = getattr(request, name)
            for text in value if isinstance(value, list) else (value,):
                if isinstance(text, str) and not _is_storable(text) and not self._is_prose(name):
                    raise InvalidInput(f"{name} contains an invalid character", field=name, hint="remove it")

    def _is_prose(self, name: str) -> bool:
        return any(parameter.name == name and parameter.has(Mark.PROSE) for parameter in self.parameters)


CAPABILITIES: dict[str, Capability] = {}
"""The capabilities of the loaded modules. `verb_index.all_capabilities` loads all."""


def _derive(name: str, written: type[msgspec.Struct], fields: Mapping[str, Any]) -> type[msgspec.Struct]:
    """The same request under another name, with additional optional fields."""
    left_out = dict.fromkeys(fields)
    namespace = {"__module__": written.__module__, "__annotations__": dict(fields), **left_out}
    derived: Any = RequestType(name, (written,), namespace)
    return derived  # type: ignore[no-any-return]


def _record(call: Call, error: NotAllowed) -> None:
    """Record a refused write in the ledger; the gateway writes the entry and raises the refusal."""

    def refuse(_session: object) -> None:
        raise error

    call.submit(refuse, type(None))


def _refuse_telling_key(key: str) -> None:
    """Refuse an idempotency key that contains a secret or personal data: keys are stored as they are."""
    if found := mask_text(key).findings:
        raise DataRefused(
            f"the idempotency key contains {found[0].kind}, and keys are stored as they are",
            field=IDEMPOTENCY,
            hint="use a UUID",
        )


def _is_storable(text: str) -> bool:
    return "\x00" not in text and (text.isascii() or not any("\ud800" <= mark <= "\udfff" for mark in text))


def _body_of(request: msgspec.Struct) -> bytes:
    """A request in canonical form, to detect another request with the same key."""
    values = {name: getattr(request, name) for name in request.__struct_fields__ if name != IDEMPOTENCY}
    try:
        return msgspec.json.encode(values, order="sorted")
    except UnicodeEncodeError:
        return repr(sorted(values.items())).encode("ascii", "backslashreplace")


def _mask_words(problem: HeldtrueError) -> None:
    """Mask secrets in an error message, and cut it to its maximum length."""

    def mask(text: str) -> str:
        masked = redact_beginning(text)
        return masked if len(masked) <= ERROR_MESSAGE_CHARS_MAX else masked[:ERROR_MESSAGE_CHARS_MAX] + "…"

    problem.message = mask(problem.message)
    problem.args = (problem.message,)
    problem.field = mask(problem.field) if problem.field else problem.field
    problem.hint = mask(problem.hint) if problem.hint else problem.hint
