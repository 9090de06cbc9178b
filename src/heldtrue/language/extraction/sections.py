"""Headings and lead-ins that say what stands under them: to do, rules, decisions, lessons."""

from __future__ import annotations

import re
from functools import cache

_SECTIONS = (
    ("task",
        r"to-?dos?|to do|tasks?|action(?: items?| points?)?s?|next steps?|follow-?ups?|open (?:tasks?"
        r"|items?|points?)"),
    ("convention",
        r"(?:[\w-]+ )?(?:rules?|conventions?|guidelines?|policy|policies|house rules|standards?|style)"
        r"|ground rules|dos and don'ts"),
    ("decision", r"(?:the |our )?decisions?(?: made| taken)?|agreed|agreements|resolutions?|outcome"),
    ("lesson",
        r"(?:key )?(?:lessons?|takeaways?|learnings?)(?: learn(?:ed|t))?|(?:what we )?learn(?:ed|t)|gotchas"
        r"|pitfalls|known issues|what (?:worked|went wrong)"),
)  # fmt: skip


@cache
def _rules() -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple((name, re.compile(rf"^(?:{pattern})$")) for name, pattern in _SECTIONS)


def name_section(low: str) -> str:
    """What a heading or a line that ends in a colon announces; empty where it is none of these."""
    bold = low.startswith(("**", "__")) and low.endswith(("**", "__", "**:", ":**"))
    if not (bold or low.endswith(":")) or len(low) > 60:
        return ""
    return name_heading(low)


def name_heading(low: str) -> str:
    """Likewise for a heading, with its number and marks."""
    title = re.sub(r"^[\d.\s#*_]+|[\s:*_]+$", "", low.lower())
    return next((name for name, rule in _rules() if rule.match(title)), "")
