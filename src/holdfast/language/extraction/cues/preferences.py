"""What somebody likes, wants, avoids and is used to."""

from __future__ import annotations

from holdfast.domain.memory import Kind, Strength
from holdfast.language.extraction.cues.cue import make_cue

_P = Kind.PREFERENCE
_IMPLIED = Strength.IMPLIED

PREFERENCES = (
    make_cue(
        "says what they prefer",
        _P,
        "prefer favour favor rather never",
        r"\bi(?:'d| would) never \w+ (?:an?|the|in|with|my|at)\b|<i><adv>(?:prefer|favou?r)\b|\bi(?:'d| "
        r"would)\s<adv>(?:rather|prefer)\b",
    ),
    make_cue(
        "says what they like",
        _P,
        "like love enjoy adore",
        r"(?<!would )(?<!'d )<i>(?!just love \w+ing)<adv>(?:like|love|enjoy|adore)\s(?!you\b|your\b|how "
        r"(?:this|that|it|you)\b|where\b|to (?:know|see"
        r"|ask|hear|say|thank)\b)",
    ),
    make_cue(
        "says what they dislike",
        _P,
        "hate dislike loathe despise detest stand bear like enjoy want care avoid refuse",
        r"<i><adv>(?:hate|dislike|loathe|despise|detest|(?:can't|cannot|cant|can not) (?:stand|bear)"
        r"|(?:don't|do not|dont|never)\s"
        r"<adv>(?:like|enjoy|want(?! to (?:know|be|see|go|do|hear|say))|care for)|avoid|refuse to)\b",
    ),
    make_cue(
        "names a favourite",
        _P,
        "favourite favorite preferred go-to peeve",
        r"\bmy (?:all-time |absolute |own |current )?(?:favou?rite|preferred|go-to|pet "
        r"peeve)\b[^.]{0,60}\b(?:is|are|was)\b|\b(?:is|are) my (?:favou?rite|go-to)\b",
    ),
    make_cue(
        "always ends up with it",
        _P,
        "always end usually tend normally mostly",
        r"\bi (?:always|usually|mostly|normally|tend to)\s(?:end up|go for|go with|fall back|come back)\s"
        r"|\bi (?:usually|mostly|tend to|normally|generally)\s(?:pick|choose|order|ask for|take|want|prefer"
        r"|buy|use|book"
        r"|drink|eat|wear|watch|read|listen|sit|cook)\s",
        _IMPLIED,
    ),
    make_cue(
        "says what they use",
        _P,
        "use",
        r"^i <adv>use (?!the (?:wrong|same|following|command)|this\b|that\b|it\b|your\b)[^.]{2,60}\b(?:for"
        r"|as|at|instead|over|daily|every)\b",
    ),
    make_cue(
        "says what they never or only take",
        _P,
        "don't dont never only always no not can't cannot cant",
        r"\bi\s(?:<adv>)(?<=never |.only |lways )(?:eat|drink|use|read|watch|buy|fly|take|order|wear|drive"
        r"|listen|cook|travel|shop|book|touch|write|sit|want|choose|pick|ask for|go for|end up|smoke"
        r"|stay)\s"
        r"|\bi\s(?:don't|do not|dont|no longer|can't|cannot|cant)\s<adv>(?:eat|drink|smoke|wear|fly|touch|use"
        r"|watch|tolerate)\s",
    ),
    make_cue(
        "says what suits them",
        _P,
        "fan fond keen into partial person thing more",
        r"<im>(?:not\s)?(?:really |very |quite |so |more |much )?(?:a (?:big |huge |great |real |massive "
        r")?fan of|fond of|keen on|into |partial to|an? \w+ person\b|more of an? )|\b(?:isn't|is not|aren't"
        r"|are not|is|are) (?:really |just )?my (?:thing|style|cup of tea)\b",
    ),
    make_cue(
        "says how it affects them",
        _P,
        "me i for nerves best better",
        r"\bdrives? me (?:mad|crazy|nuts|insane|up the wall|round the bend)\b|\bgets? on my nerves\b"
        r"|\bgives? me (?:a )?headaches?\b|\bmakes? me (?:sick|cringe|nervous|happy)\b"
        r"|\b(?:bores?|annoys?|irritates?|bothers?|distracts?|confuses) me\b|\bworks? (?:best|better|well) "
        r"for me\b|\b(?:suits?|helps?) me (?:best|most|learn|focus|think|concentrate|relax|sleep)\b"
        r"|\bevery time i [^.]{2,60} i \w|\bi could (?:live without|do without)\b|\bi can do without\b|\bi "
        r"(?:learn|work|think|focus|sleep|concentrate) (?:best|better)\b"
        r"|\b(?:don't|doesn't|do not|does not|won't) (?:work|suit|do it) (?:for )?me\b",
        _IMPLIED,
    ),
    make_cue(
        "says how they find it",
        _P,
        "find",
        r"\bi <adv>find (?!out|it (?:hard|difficult) to believe)[^.,]{2,60}?\s(?:un\w{4,}|\w{3,}ing"
        r"|\w{3,}ful|\w{3,}less|hard|easier|harder|clearer|nicer|ugly|useful|helpful|boring|difficult"
        r"|better|easy)\b",
        _IMPLIED,
    ),
    make_cue(
        "changed to it",
        _P,
        "switched changed moved swear sticking",
        r"<i>(?:just |recently |finally )?(?:switched|changed|moved|went) (?:over )?from [^.]{2,40} to \w"
        r"|\bi swear by\b|<im>sticking (?:with|to)\b",
    ),
    make_cue(
        "says what is not for them",
        _P,
        "for me before after",
        r"^(?:no|nothing|only) [^.]{2,50} for me\b|^(?:no \w+(?: \w+)?|nothing) (?:before|after|earlier "
        r"than|later than|over|under|above|below) (?:<number>|noon|midnight|eight|breakfast|lunch)\b",
    ),
    make_cue(
        "says what they want in general",
        _P,
        "always want need want",
        r"\bi (?:always|generally|in general|only ever|never) (?:want|need|expect|like|ask for)\s(?!you to "
        r"(?:check|look|read|write|fix|tell))|\bi (?:want|need|like|expect) (?:all|every|your|the) "
        r"(?:answers?|repl\w+|responses?|explanations?|examples?|summar\w+|code|messages?|emails?"
        r"|reports?)\b",
    ),
)
