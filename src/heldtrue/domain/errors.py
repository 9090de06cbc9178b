"""The error tree: every error has a stable code, the field that caused it, and a hint about what to do next.

An expected outcome (a write that was refused, a recall that found nothing) is a normal response, not an error.
"""

from __future__ import annotations

from heldtrue.domain.cause import RefusalCause


class HeldtrueError(Exception):
    """Something went wrong inside Heldtrue."""

    code = "internal"
    exit_status = 1
    http_status = 500

    def __init__(self, message: str | None = None, *, field: str | None = None, hint: str | None = None) -> None:
        self.message = message or (type(self).__doc__ or "").strip()
        self.field = field
        self.hint = hint
        super().__init__(self.message)

    def __str__(self) -> str:
        return f"{self.message.rstrip('.')} ({self.hint})" if self.hint else self.message

    def as_answer(self) -> dict[str, object]:
        """The wire shape, the same on every surface."""
        return {"error": {"code": self.code, "message": self.message, "field": self.field, "hint": self.hint}}


class InvalidInput(HeldtrueError):
    """The request is not valid."""

    code = "invalid_input"
    exit_status = 2
    http_status = 400

    def __init__(
        self,
        message: str | None = None,
        *,
        field: str | None = None,
        hint: str | None = None,
        given: object = None,
        meant: str | None = None,
    ) -> None:
        """`given` is the value that the message begins with; `meant` is the value that the caller probably meant."""
        super().__init__(
            message if given is None else f"{given!r} {message}",
            field=field,
            hint=hint if meant is None else f"did you mean {meant}?",
        )
        self.given = given
        self.meant = meant

    def lead_with_field(self) -> None:
        """Prefix a message that begins with the given value with the name of its argument."""
        if self.field and self.given is not None:
            self.message, self.given = f"{self.field}: {self.message}", None


class TooLarge(InvalidInput):
    """The request is larger than the limit."""

    code = "too_large"
    http_status = 413


class DataRefused(InvalidInput):
    """The text contains data of a kind that its scope does not accept."""

    code = RefusalCause.DATA_REFUSED.value
    http_status = 422


class InvalidSettings(InvalidInput):
    """The settings file is not valid."""

    code = "invalid_settings"


class NotFound(HeldtrueError):
    """Not found."""

    code = "not_found"
    exit_status = 3
    http_status = 404


class NotAllowed(HeldtrueError):
    """Permission denied."""

    code = "not_allowed"
    exit_status = 4
    http_status = 403


class WrongState(HeldtrueError):
    """The memory is not in a state that allows this."""

    code = "wrong_state"
    exit_status = 5
    http_status = 409


class IdempotencyMismatch(WrongState):
    """This idempotency key was used before for a different request."""

    code = "idempotency_mismatch"


class Busy(HeldtrueError):
    """Other writers kept the store busy for too long; nothing was written."""

    code = "busy"
    exit_status = 6
    http_status = 503


class StorageProblem(HeldtrueError):
    """The store could not be read or written; no partial change was saved."""

    code = "storage"
    exit_status = 7
    http_status = 507


class StorageUnavailable(StorageProblem):
    """The store cannot be reached."""

    code = "storage_unavailable"
    http_status = 503


class OutcomeUnknown(StorageUnavailable):
    """The commit failed, and it is not known whether the write was saved."""

    code = "outcome_unknown"


class ReadOnlyStore(StorageProblem):
    """The store is on a read-only file system, so it can be read but not written."""

    code = "read_only"


class UnsafeLibrary(StorageProblem):
    """The SQLite library has a bug that can corrupt a store with several writers."""

    code = "unsafe_library"
    http_status = 503


class Untrusted(HeldtrueError):
    """The ledger could not be verified."""

    code = "unverified"
    exit_status = 8
    http_status = 409


class HomeChanged(Untrusted):
    """The store's database was deleted, replaced or restored from an older copy."""

    code = "home_changed"
    http_status = 503


class ClockJumped(Untrusted):
    """This machine's clock has jumped; nothing was written."""

    code = "clock_jumped"
    http_status = 503


class ModelProblem(HeldtrueError):
    """A model could not be used; everything that does not need it still works."""

    code = "model_problem"
    exit_status = 9
    http_status = 503
