"""What was learnt, put right, or worked."""

from __future__ import annotations

from heldtrue.domain.memory import Kind
from heldtrue.language.extraction.cues.cue import make_cue

_L = Kind.LESSON
_W = Kind.PATTERN
_MENDED = (
    r"(?:fix(?:es|ed)|solve[sd]|resolve[sd]|cure[sd]|stop(?:s|ped)|reduce[sd]|prevent(?:s|ed)|cuts?|eliminate[sd]"
    r"|improve[sd]|sped up|speeds up|help(?:s|ed)|end(?:s|ed)|halve[sd]|double[sd]|remove[sd]|restore[sd]"
    r"|unblock(?:s|ed)"
    r"|clear(?:s|ed)(?: up)?|sort(?:s|ed)(?: out)?|ease[sd]|repair(?:s|ed)|saves?|saved|brought|brings|gets? rid of"
    r"|got rid of|keeps|kept|did|does|made|makes|got|works?|worked|took care of|avoid(?:s|ed)|calmed|lowered|raised"
    r"|tripled|boosted|silenced|gave|gives|lets?)"
)
_BETTER = (
    r"(?:doubled|halved|tripled|improved|dropped|fell|rose|stopped|vanished|disappeared|recovered|healed|worked|works"
    r"|work|went (?:away|down|up|back|through)|(?:is|are|was|were) (?:gone|fine|solved|fixed|quiet|back)|cleared"
    r"|got (?:better|faster|easier|quieter)|(?:has|have|'s|'ve)? ?been (?:fine|green|stable|quiet|good|gone|ok|solid)"
    r"|settled|calmed|(?:only )?(?:go|goes) (?:away|quiet|through)|stops?|disappears?|vanish(?:es)?|behaves?|kept|keeps"
    r"|broke|failed|passes|passed|boots|starts|holds|sleeps?|slept|lasts|grows|grew)"
)

PATTERNS = (
    make_cue(
        "says what worked",
        _W,
        "fixed solved fix trick solution worked works helped cured resolved cause workaround secret key remedy answer "
        "helps solves fixes cure best does what",
        r"\b(?:what|the (?:only )?(?:thing|one thing|trick|fix|solution|workaround|cure|remedy|secret|best way"
        r"|answer))\b.{0,60}\b(?:fix(?:es|ed)|solve[sd]|work(?:s|ed)|help(?:s|ed)|cure[sd]|did it|does it|was to"
        r"|is to|was|turned out|got|gets|made|makes|kept|keeps|brought"
        r"|saved|saves|turned)\b[^:]{0,60}(?:\b(?:was|is|were|to)\b|: )|\b(?:the|our|my|only) (?:fix|solution"
        r"|workaround|trick|cure|remedy|secret)(?: for .{2,40}| to .{2,40}| here)? (?:was|is)\b "
        r"|^(?:solution|workaround|trick|cure|remedy)(?: for [^:]{2,40})?: ",
    ),
    make_cue(
        "says what did the job",
        _W,
        "did job trick fixed solved resolved cured helped rid worked cleared sorted made brought which",
        r"^(?!that\b|it\b|this\b|which\b|thanks).{6,160}?\b(?:did the (?:job|trick)|fixed (?:it|the|that"
        r"|this|them|my|our)|solved (?:it|the|that|this|my|our)|resolved (?:it|the|this|my|our)|cured (?:it"
        r"|the|my)|got rid of|sorted (?:it|the|that)|made (?:it|the [\w ]{2,30}|all the difference) (?:go away"
        r"|disappear"
        r"|stop|work)|cleared (?:it|the|that) up|brought (?:it|the [\w ]{2,30}) back|worked (?:really |very "
        r"|quite |so )"
        r"?(?:well|best|wonders|great|fine|a treat)|helped (?:a lot|most|with|against|enormously)"
        rf"|,? (?:which|and that|that) (?:finally |really |completely )?{_MENDED} (?:the|my|our|it|all|them))\b",
    ),
    make_cue(
        "says by what it was solved",
        _W,
        "by",
        r"\b(?:fixed|solved|resolved|cured|got rid of|avoided|worked around|repaired|stopped|sped up"
        r"|reduced|cut|prevented|restored|recovered|mended|unblocked|saved|managed|got .{2,40}) (?:.{2,80}? )?by "
        r"\w+ing\b",
    ),
    make_cue(
        "says what doing it changed",
        _W,
        "the my our all it them him her with against us me a better what away best by twice half",
        rf"^(?!during|according|nothing|something|anything|everything|being|speaking|looking|talking"
        rf"|thing)\w{{2,14}}ing "
        rf".{{3,110}}?\b(?:(?:has |have )?(?:{_MENDED}|(?!annoy|bore|tire|ruin|waste|kill|delay|last|need|seem"
        rf"|turn|end|us)\w{{3,}}ed) (?:the|my|our|all|it|them|with|against|us|me|him|her|a|more"
        rf"|\w+'s|better|best|twice|wonders)"
        rf"\b|(?:keeps|stops|stopped|prevents|prevented|saves|saved) [a-z]+ \w|(?:is|was) what (?:keeps|kept"
        rf"|fix|fixe[sd]|makes|made|helps|helped|works|worked|solve[sd]|did))",
    ),
    make_cue(
        "says what it takes to end the trouble",
        _W,
        "if when once after until since by unless with",
        rf"^(?!i\b|we\b|you\b|it\b|they\b|he\b|she\b|if\b|when\b)[^,]{{3,90}}?\b{_BETTER}\b[^,]{{0,60}}?\b"
        rf"(?:(?:until|once|after|when|since|if|as soon as) (?:i|we|you|one|the \w+|my \w+|[a-z]+|she|he) [a-z]{{2,14}}"
        rf"|(?:by|after|since|when) (?!\w+day|morning|evening|everything|nothing)\w{{3,12}}ing)\b",
    ),
    make_cue(
        "says that it has been well since",
        _W,
        "since now then",
        r"\b(?:i|we) [a-z]{2,14} .{4,100}\b(?:since then|ever since|and now)[, ](?:it|they|everything"
        r"|the [\w ]{2,30})(?:'s| has| have|'ve| is)? ?(?:been )?(?:green|fine|stable|quiet|works?|working"
        r"|gone|faster|ok|okay|good|passing|solid)\b",
    ),
    make_cue(
        "says how trouble was mended",
        _W,
        "to",
        r"^to (?:get rid of|fix|solve|stop|avoid|make|get|cure|prevent|clean|remove|restore|recover|speed) "
        r".{3,80}?,? (?:i|we) (?:<adv>)[a-z]{2,14} \w",
    ),
)

LESSONS = (
    make_cue(
        "says what is done wrong again and again",
        _L,
        "you",
        r"^(?:you|you're) (?:keep|always|still|again) (\w+ing .{3,})",
        template="Stop {}",
    ),
    make_cue(
        "says what was learnt",
        _L,
        "learned learnt realised realized discovered lesson mistake cause culprit problem reason takeaway issue "
        "moral found figured catch trouble bug because caused due down came comes stemmed resulted was",
        r"\b(?:i|we)(?:'ve| have)? (?:just |finally |also )?(?:learn(?:ed|t)|reali[sz]ed|discovered|found "
        r"out|figured out) (?:the hard way )?(?:that|how)\b|\bthe (?:lesson|takeaway|moral) (?:is|was)\b"
        r"|\b(?:was|is) a mistake\b|\b(?:was|were) (?:caused by|due to|down to)\b|\b(?:crash\w*|errors?"
        r"|failures?|bugs?|leaks?|outage|spike|delays?|noise|smell"
        r"|stains?|pain|slowdown|timeouts?|jam|mess|mix-up|gap|drop|loss|problems?|rash) .{0,40}\b(?:(?:came"
        r"|comes|stemmed|resulted) from|was (?:just |only )?(?:an?|the|because))\b"
        r"|\b(?:failed|broke|crashed|hung|stopped|timed out|was slow|went wrong|jumped|flickered|drifted|leaked"
        r"|slowed|looped|shifted|stalled|froze) because\b|(?:\b(?:the |our |my )|^|: |, )(?:root |real |actual "
        r"|whole )?(?:cause|culprit|problem|reason|issue"
        r"|trouble|bug|catch) (?:(?:for|of|with) [\w ]{2,40} )?(?:was|turned out|is that|had been)\b(?! (?:me|you)$)",
    ),
    make_cue(
        "says what would have been better",
        _L,
        "should should've shouldn't never again next",
        r"\b(?:i|we) (?:really )?(?:should(?:n't| not)? have|should've|ought to have) \w+ [^?]{4,}"
        r"|^never again [^?]{6,}"
        r"|^next time,? [^?]{6,}|\b(?:won't|never|not) (?:make|do) (?:that|the same) mistake again\b",
    ),
    make_cue(
        "warns of a trap",
        _L,
        "careful beware watch caution chokes choke crashes crash breaks break fails fail hangs hang falls dies stalls "
        "stall jams jam leaks leak freezes freeze burns sticks trips rejects ignores corrupts",
        r"^(?:be careful|beware|watch out|careful)\b.{6,}|^(?!i\b|we\b|you\b|it\b|they\b|he\b|she\b|this\b|that\b|if\b)"
        r"[\w' -]{3,50} (?:chokes?|crash(?:es)?|breaks?|fails?|hangs?|falls? (?:over|apart|off)|dies|stalls?"
        r"|jams?|leaks?"
        r"|freezes?|burns?|trips?|rejects?|ignores|corrupts?)(?: (?!on\b"
        r"|in\b)[\w' -]{2,40})?(?: on \w+)? (?:when|if|unless"
        r"|without|whenever) \w|\bthe [\w -]{2,40} (?:chokes?|crashes|breaks?|fails?|dies|stalls?) (?:on|with|for) \w",
    ),
)
