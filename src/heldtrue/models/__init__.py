"""Embedders, rerankers and language models: from packages that carry their weights, over HTTP, or scripted."""
