"""The REST service: every capability over HTTP, built from the registry."""
