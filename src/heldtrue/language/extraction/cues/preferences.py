"""What somebody likes, wants, avoids and is used to."""

from __future__ import annotations

from heldtrue.domain.memory import Kind, Strength
from heldtrue.language.extraction.cues.cue import make_cue

_P = Kind.PREFERENCE
_IMPLIED = Strength.IMPLIED

PREFERENCES = (
    make_cue(
        "says how it affects them",
        _P,
        "me i for nerves best better",
        r"\bdrives? me (?:mad|crazy|nuts|insane|up the wall|round the bend)\b|\bgets? on my nerves\b"
        r"|\bgives? me (?:a )?headaches?\b|\bmakes? me (?:sick|cringe|nervous|happy)\b"
        r"|\b(?:bores?|annoys?|irritates?|bothers?|distracts?|confuses) me\b|\bworks? (?:best|better|well) "
        r"for me\b|^(?!can|could|please|this|that|it|you|what|who|god)[\w' -]{4,60} (?:suits?|helps?) me\b"
        r"|\bevery time i .{2,60} i \w|\bi could (?:live without|do without)\b|\bi can do without\b|\bi "
        r"(?:learn|work|think|focus|sleep|concentrate) (?:best|better)\b"
        r"|\b(?:don't|doesn't|do not|does not|won't) (?:work|suit|do it) (?:for )?me\b",
        _IMPLIED,
    ),
    make_cue(
        "changed to it",
        _P,
        "switched changed moved swear sticking",
        r"<i>(?:just |recently |finally )?(?:switched|changed|moved|went) (?:over )?from .{2,40} to \w"
        r"|\bi swear by\b|<im>sticking (?:with|to)\b",
    ),
    make_cue(
        "says what is not for them",
        _P,
        "for me before after",
        r"^(?:no|nothing|only) .{2,50} for me\b|^(?:no \w+(?: \w+)?|nothing) (?:before|after|earlier "
        r"than|later than|over|under|above|below) (?:<number>|noon|midnight|eight|breakfast|lunch)\b",
    ),
)
