"""Embedders and rerankers: read from packages that carry their weights, asked over HTTP, or scripted for tests."""
