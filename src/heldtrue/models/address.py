"""The address of a model's server, in its own module so that settings can be checked without loading more."""

from __future__ import annotations

from urllib.parse import urlsplit

from heldtrue.domain.errors import ModelProblem


def complete_url(url: str, tail: str, *, what: str) -> str:
    """The address to ask, from that of a server, of its `/v1` or of the place itself, which ends in `tail`."""
    try:
        parts = urlsplit(url.encode("ascii").decode())
    except ValueError as problem:
        raise ModelProblem(f"The URL of {what} is not valid.") from problem
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ModelProblem(f"The URL of {what} must begin with http:// or https://.")
    if "@" in parts.netloc:
        raise ModelProblem(f"The URL of {what} must not contain a password; put the key into an environment variable.")
    path = parts.path.rstrip("/")
    if not path.endswith(tail):
        path = f"{path or '/v1'}{tail}"
    return parts._replace(path=path, fragment="").geturl()
