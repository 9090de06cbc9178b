"""The kinds of secrets that the rules of this package tell apart, for settings that name one."""

from __future__ import annotations

from heldtrue.language.secret_shapes import TOKEN_SHAPES

SECRET_KINDS = frozenset({kind for kind, _, _ in TOKEN_SHAPES}) | {
    *("password", "pin", "one-time-code", "seed-phrase", "private-key", "url-password", "basic-auth", "bearer-token"),
    *("secret", "token", "api-key", "high-entropy-value", "aws-secret-key", "datadog-key", "twilio-key"),
}
