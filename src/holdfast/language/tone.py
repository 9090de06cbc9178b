"""TEMPORARY."""


def read_tone(text: str) -> str:
    return "neutral"
