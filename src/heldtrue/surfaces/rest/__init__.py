"""The service: every capability over HTTP, made from the registry."""
