"""The stages of the way in, one module each; `ingest/__init__` names their order."""
