"""Who somebody is: work, place, people, health, skills, habits, and what changed in their life."""

from __future__ import annotations

from heldtrue.domain.memory import Kind, Strength
from heldtrue.language.extraction.cues.cue import make_cue
from heldtrue.language.extraction.cues.tasks import WHEN

_P = Kind.PROFILE

PROFILE = (
    make_cue(
        "says how old somebody gets", _P, "turns", r"^(?!it\b|this\b|that\b|the\b)[a-z][\w' ]{1,30} turns \d{1,3}\b"
    ),
    make_cue(
        "says when they are not there",
        _P,
        "away off leave holiday vacation office unavailable",
        rf"\b(?:i'll|i will|i shall|i'm|i am|we'll|we're|we are) (?:be )?(?:away|off|on (?:\w+ )?(?:leave"
        rf"|holiday|vacation)|out of "
        rf"(?:the )?office|unavailable|not available)\b.{{0,60}}?{WHEN}",
    ),
    make_cue(
        "says how to call them",
        _P,
        "call calls go",
        r"^(?:please |just |everyone |everybody |people |you can |friends )*(?:calls? me|i go by)\s"
        r"(?!back|when|if|later|tomorrow|crazy|at|on|today|a\b|an\b|the\b)([\w-]+(?: [\w-]+)?)",
        template="I want to be called {}",
    ),
    make_cue(
        "says what they are, in passing",
        _P,
        "as being",
        r"^(?:as|being) (an? (?!result|rule|start|test|side|consequence|matter|reminder|workaround|follow"
        r"|quick|first|last|bonus|whole|group|team)[a-z-]+(?: [a-z-]+){0,3}?),? i(?:'d|'m|'ll|'ve)?\b",
        Strength.IMPLIED,
        template="I am {}",
    ),
)
