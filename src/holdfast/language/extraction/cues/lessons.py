"""What was learnt, put right, or worked."""

from __future__ import annotations

from holdfast.domain.memory import Kind
from holdfast.language.extraction.cues.cue import make_cue

_L = Kind.LESSON
_W = Kind.PATTERN

PATTERNS = (
    make_cue(
        "says what worked",
        _W,
        "fixed solved fix trick solution worked works helped cured resolved cause workaround",
        r"\b(?:what|the (?:only )?(?:thing|one thing|trick|fix|solution|workaround|cure|remedy"
        r"|answer))\b[^.]{0,60}\b(?:fix(?:es|ed)|solve[sd]|work(?:s|ed)|help(?:s|ed)|cure[sd]|did it|was to"
        r"|is to|was|turned out)\b[^.:]{0,60}(?:\b(?:was|is|were|to)\b|: )|\b(?:the|our|my) (?:fix|solution"
        r"|workaround|trick|cure|remedy) (?:was|is|for [^.]{2,40} (?:was|is)) ",
    ),
    make_cue(
        "says what did the job",
        _W,
        "did job trick fixed solved resolved cured helped rid worked cleared sorted made brought",
        r"^(?!that\b|it\b|this\b|which\b|thanks)[^.]{6,160}?\b(?:did the (?:job|trick)|fixed (?:it|the|that"
        r"|this|them|my|our)|solved (?:it|the|that|this|my|our)|resolved (?:it|the|this|my|our)|cured (?:it"
        r"|the|my)|got rid of|sorted (?:it|the|that)|made (?:it|the [\w ]{2,30}) (?:go away|disappear|stop"
        r"|work)|cleared (?:it|the|that) up|brought (?:it|the [\w ]{2,30}) back|worked (?:really |very "
        r"|quite |so )?(?:well|best|wonders|great|fine)|helped (?:a lot|most|with|against|enormously))\b",
    ),
    make_cue(
        "says by what it was solved",
        _W,
        "by",
        r"\b(?:fixed|solved|resolved|cured|got rid of|avoided|worked around|repaired|stopped|sped up"
        r"|reduced|cut|prevented|restored|recovered|mended|unblocked) (?:[^.]{2,80}? )?by \w+ing\b",
    ),
    make_cue(
        "says what doing it changed",
        _W,
        "stopped reduced prevented cut eliminated improved sped helped cured ended halved doubled removed "
        "restored unblocked what",
        r"^\w{2,14}ing [^.]{3,110}?\b(?:(?:has |have )?(?:stopped|reduced|prevented|cut|eliminated|improved"
        r"|sped up|helped|cured|ended|halved"
        r"|doubled|removed|restored|unblocked) (?:the|my|our|all|it|them|with|against|us|me)\b"
        r"|(?:is|was) what (?:keeps|kept|fix|fixe[sd]|makes|made|helps|helped|works|worked|solve[sd]|did))",
    ),
    make_cue(
        "says what it takes to end the trouble",
        _W,
        "if when once after",
        r"\b(?:go(?:es)? away|disappears?|vanish(?:es)?|stops?|works?(?: again| fine)?|helps?|is fixed|are "
        r"fixed) (?:if|when|once|after|as soon as) (?:you|one|we|i) \w+ \w",
    ),
    make_cue(
        "says that it has been well since",
        _W,
        "since now then",
        r"\b(?:i|we) [a-z]{2,14} [^.]{4,100}\b(?:since then|ever since|and now)[, ](?:it|they|everything"
        r"|the [\w ]{2,30})(?:'s| has| have|'ve| is)? ?(?:been )?(?:green|fine|stable|quiet|works?|working"
        r"|gone|faster|ok|okay|good|passing|solid)\b",
    ),
    make_cue(
        "says what ended the trouble",
        _W,
        "until once after when since",
        r"\b(?:kept|keeps|stopped|went away|disappeared|vanished|was gone|broke|failed|works?|worked"
        r"|improved|has been fine|been (?:fine|green|stable|quiet))\b[^.]{0,80}\b(?:until|once|after|when"
        r"|since) (?:i|we) (?:<adv>)[a-z]{2,14}(?:ed|t|d|k|w|n|g|p|e)? \w",
    ),
    make_cue(
        "says how trouble was mended",
        _W,
        "to",
        r"^to (?:get rid of|fix|solve|stop|avoid|make|get|cure|prevent|clean|remove|restore|recover|speed) "
        r"[^.]{3,80}?,? (?:i|we) (?:<adv>)[a-z]{2,14} \w",
    ),
    make_cue(
        "says what to do when",
        _W,
        "if when whenever",
        r"^(?:if|when|whenever) (?!you (?:write|show|give|answer|send|explain|make|generate|draft)"
        r"|i\b)[^,]{4,80}, (?:first |just |always |then )?(?:run|restart|delete|clear|use"
        r"|call|check|remove|reset|reload|rebuild|stop|start|drain|kill|wait|add|turn|switch|unplug|press"
        r"|open|close|try|set|roll|clean|bleed|replace|update|flush|revert)\b [^?]{3,}",
    ),
)

LESSONS = (
    make_cue(
        "says what is done wrong again and again",
        _L,
        "you",
        r"^(?:you|you're) (?:keep|always|still|again) (\w+ing [^.]{3,})",
        template="Stop {}",
    ),
    make_cue(
        "says what was learnt",
        _L,
        "learned learnt realised realized discovered lesson mistake cause culprit problem reason takeaway "
        "moral found figured",
        r"\b(?:i|we)(?:'ve| have)? (?:just |finally |also )?(?:learn(?:ed|t)|reali[sz]ed|discovered|found "
        r"out|figured out) (?:the hard way )?(?:that|how)\b|\bthe (?:lesson|takeaway|moral) (?:is|was)\b"
        r"|\b(?:was|is) a mistake\b|\bthe (?:root )?cause (?:was|is)\b|\bthe (?:culprit|problem|reason) "
        r"(?:was|turned out)\b",
    ),
    make_cue(
        "warns of a trap",
        _L,
        "careful beware watch caution chokes",
        r"^(?:be careful|beware|watch out|careful)\b[^.]{6,}|\bthe [\w -]{2,40} (?:chokes?|crash(?:es)?"
        r"|breaks?|fails?|hangs?|falls over|dies|stalls) (?:on|when|if|with|unless|without|for)\b",
    ),
)
