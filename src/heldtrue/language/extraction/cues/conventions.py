"""How things are done: rules, habits of a group, and what must or may not be."""

from __future__ import annotations

from heldtrue.domain.memory import Kind
from heldtrue.language.extraction.cues.cue import make_cue

_C = Kind.CONVENTION
_NOT_RULED = (
    r"(?!i\b|i'm|you\b|he\b|she\b|it\b|they\b|someone|somebody|anyone|this\b|that\b|there\b|who\b"
    r"|what\b|if\b|my \w+ (?:must|has)|remind)"
)

CONVENTIONS = (
    make_cue(
        "says how such things should be",
        _C,
        "should",
        r"^(?!i\b|we\b|you\b|they\b|this\b|these\b|things\b)[a-z-]+s should (?:not )?(?:be|have|use|go"
        r"|start|end|contain) \w",
    ),
    make_cue(
        "says what such things need",
        _C,
        "need require needs",
        r"^(?!i\b|we\b|you\b|they\b|the\b|this\b|these\b|my\b|our\b)[a-z-]+s(?: (?:above|over|under|below"
        r"|for|from|to|in|with|of) [\w,. ]{2,40})?"
        r" (?:need|require)s? (?:an?|the|two|three|at least|approval|written|sign|\d|<number>)\b",
    ),
    make_cue(
        "says whom to ask",
        _C,
        "ask contact ping talk",
        r"^(?:for|about|in|on) [\w' -]{2,40}?,? (?:you can |please |always )?(?:ask|contact|ping|talk to) "
        r"\w+$",
    ),
    make_cue(
        "says what the group always or never does",
        _C,
        "always never only don't dont not everyone nobody all",
        r"\b(?:we|everyone|everybody|nobody|no one|the team|all of us) (?:<adv>)?(?:(?<=always )|(?<=never "
        r")|(?<=only )|(?<=nobody )|(?<=one )|(?<=everyone )|(?<=everybody )|(?:don't|dont|do not) "
        r"(?:<adv>)?)(?!lose\b|know\b|think\b|want\b|have to\b|need to\b|care\b|mind\b|like\b|see\b"
        r"|remember\b|understand\b|believe\b|agree\b|have (?:time|any|the|a)\b|forget\b|win\b|laugh\b|end "
        r"up\b|could\b|can\b|would\b|knew\b|was\b|is\b|has\b|had\b|were\b|did\b|wants\b|likes\b|will\b"
        r"|should\b|really|knows\b|cares\b|minds\b|sees\b|understands\b|loves\b|hates\b|got\b)[a-z]{2,14}\s\w",
    ),
    make_cue(
        "says what must be",
        _C,
        "must mustn't shall",
        rf"^{_NOT_RULED}[^,:]{{2,90}}? (?:must(?:n't| not| never| always)?|shall(?: not)?) (?!have\b)\w",
    ),
    make_cue(
        "says what needs to be",
        _C,
        "need needs has have require requires gets get",
        rf"^(?:every|each|all|any|no|new|both) (?:[^,]|,(?=\d)){{2,70}}? (?:needs?|has to|have to|requires?"
        rf"|gets?|must|goes|go|is|are|should) \w|^{_NOT_RULED}(?!we\b)[^,]{{2,60}}? (?:(?:has|have|needs?) "
        rf"to be|require[sd]?) \w",
    ),
    make_cue(
        "says what is not allowed",
        _C,
        "allowed forbidden required mandatory prohibited banned compulsory optional permitted",
        rf"^{_NOT_RULED}[^,]{{2,70}}? (?:is|are)(?: not|n't| strictly| always)? (?:allowed|forbidden"
        rf"|required|mandatory|prohibited|banned|compulsory|permitted|off limits)\b",
    ),
    make_cue(
        "says what should be",
        _C,
        "should shouldn't",
        rf"^{_NOT_RULED}(?!we\b)[^,]{{2,70}}? should(?:n't| not| never| always| only) \w|^(?:all|every|each"
        rf"|any|new|no) [^,]{{2,60}} should \w",
    ),
    make_cue(
        "says from when it is the rule",
        _C,
        "now future onwards forward on",
        r"\b(?:from now on|going forward|from here on|in future|as of (?:now|today|<day>)"
        r"|from \w+(?: \w+)? on(?:wards)?(?!\w| \w+day))\b",
    ),
    make_cue(
        "says what is due when",
        _C,
        "due payable within",
        r"^(?!i\b|it\b|this\b)[^,]{2,50} (?:is|are) (?:due|payable) (?:within|after|no later than)\b",
    ),
)
