"""Metrics in the Prometheus format. No label contains user input."""

from __future__ import annotations

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Histogram, generate_latest

_BUCKETS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)
"""The bounds, in seconds, of the classes in which durations are counted."""


class Metrics:
    """Requests by route and status, and how long they took."""

    media_type = CONTENT_TYPE_LATEST

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._requests = Counter(
            "heldtrue_requests",
            "Requests by method, route and status.",
            ("method", "route", "status"),
            registry=self._registry,
        )
        self._seconds = Histogram(
            "heldtrue_request_seconds", "Duration of requests.", ("route",), buckets=_BUCKETS, registry=self._registry
        )

    def count(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count a request. An unknown method is not used as a label."""
        known = method if method in ("GET", "POST", "PATCH", "DELETE", "PUT", "HEAD", "OPTIONS") else "other"
        self._requests.labels(known, route, str(status)).inc()
        self._seconds.labels(route).observe(seconds)

    def render(self) -> bytes:
        return generate_latest(self._registry)
