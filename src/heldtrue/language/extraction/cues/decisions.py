"""What was decided, chosen, dropped or agreed, with the words that leave it open kept out by the filters."""

from __future__ import annotations

from heldtrue.domain.memory import Kind
from heldtrue.language.extraction.cues.cue import make_cue

_D = Kind.DECISION
_LATE = r"(?<!after )(?<!since )(?<!when )(?<!once )(?<!until )(?<!that )(?<!because )(?<!if )"
_JUST = r"(?:just |finally |all |already |now |both |jointly |unanimously |also |therefore |eventually |have )?"
_OFF = (
    r"(?:dropped|abandoned|scrapped|rejected|ruled out|discarded|cancell?ed|discontinued|deprecated|ditched|killed"
    r"|axed|shelved|binned|retired|called off|parked|postponed|got rid of|gave up on|given up on|stopped (?:using"
    r"|supporting|offering|doing|selling|accepting|taking|making|buying|shipping|giving|letting|sending))"
)
_ON = (
    r"(?:gone (?:with|for|ahead)|went (?:with|for|ahead)|adopted|approved (?!your|my|it\b)|switched (?:from|to|over)"
    r"|(?:went|gone|going) back to|returned to|reverted to|moved (?:from|to|over|off|on to|away|(?:the|our"
    r"|all) [\w ]{2,30} (?:to|from|into|over|onto))|migrated|replaced"
    r"|standardi[sz]ed on|introduced|signed (?:up )?with|signed off on|landed on|hired|ended up (?:with|going|using"
    r"|choosing|picking)|converted|brought in|renamed|banned|made \w+ (?:mandatory|optional|compulsory)|appointed)"
)

DECISIONS = (
    make_cue(
        "says what to go with",
        _D,
        "let's",
        r"^let's ((?:go|stick|stay) with (?!that|this|it\b).{2,})",
        takes_sentence=True,
        template="We {}",
    ),
    make_cue(
        "says what was decided",
        _D,
        "decided agreed resolved settled opted voted chose chosen picked elected concluded committed decision call "
        "said",
        rf"(?:{_LATE}<we>|<i>|\b[\w-]+[:,]? (?:has |have )?|^){_JUST}(?:decided (?:to (?!go home|leave|wait|sleep"
        rf"|stay (?:home|in)|call it|take a)|on|against|that|for|in favou?r|not)|agreed (?:to (?!disagree)|on|that|not"
        rf"|with \w+ (?:to|that))|resolved (?:not )?to|settled (?:on|for)|opted (?:for|to|against|out)"
        rf"|voted (?:to|for|against)"
        rf"|(?:chose|chosen|picked)\b(?! (?:up|me|him|her|it up|on))|committed to|concluded that"
        rf"|said (?:no|we(?:'d| would)|that we)|(?:took|made|taken) (?:the |a |our )?(?:decision|call"
        rf"|choice) (?:to|that|not))",
        takes_sentence=True,
    ),
    make_cue(
        "says what they go with",
        _D,
        "going go goes went stick stuck stay stayed sticking staying switching moving migrating dropping replacing "
        "standardising standardizing adopting keeping switch move keep use drop instead rather not cancelling hiring "
        "ditching skipping closing killing cutting scrapping axing merging year time all season term",
        r"(?:<were>)(?:now |definitely |all )?(?:going (?:with|for|ahead with)|sticking (?:with|to)"
        r"|staying (?:with|on)|switching (?:to|from|over)|moving (?:to|from|away|off|over)|migrating|ditching|skipping"
        r"|dropping|killing|cutting|scrapping|axing|merging|replacing|standardi[sz]ing|adopting|keeping"
        r"|closing down|cancelling|going to (?:use|switch|move to"
        r"|adopt|drop|keep|go with|migrate|replace|stick with)|\w{2,12}ing [^?]{3,80} (?:this (?:year|time"
        r"|season|term)|instead|after all|from (?:now|here)(?: on)?))\b"
        r"(?! (?:tomorrow|now|home|out)\b)"
        rf"|{_LATE}<we>(?:(?:go|went|stick|stuck|stay) with|went for|stayed (?!up|in\b|home|there|late|at|for"
        rf"|until|over)|stuck to)\b"
        r"|<well>(?:go (?:with|for)|stick (?:with|to)|stay (?:with|on)|switch to|move to|keep using"
        r"|use .{2,60} (?:instead|rather than|for)|drop|keep|.{2,80}(?: instead of| rather than|, not))\b"
        r"|^(?!the\b|it\b)[\w-]+ "
        r"goes with\b",
        takes_sentence=True,
    ),
    make_cue(
        "says what was given up",
        _D,
        "dropped abandoned scrapped rejected ruled discarded cancelled canceled discontinued deprecated stopped "
        "ditched "
        "killed axed shelved binned retired called parked postponed rid gave given",
        rf"^i(?:'ve| have)? (?:scrapped|ditched|abandoned|ruled out|rejected|gave up on|given up on) \w"
        rf"|(?:{_LATE}<we>|\bwe've |\b(?:was|were|has been|have been) (?!cancel|stopped|retired|called"
        rf"|killed)){_JUST}{_OFF}\b",
        takes_sentence=True,
    ),
    make_cue(
        "says what was taken up",
        _D,
        "adopted approved switched moved migrated replaced standardised standardized introduced gone went signed "
        "landed "
        "hired ended converted brought renamed banned made appointed returned reverted",
        rf"^(?:(?:in|on|at|after|since|as of|last|this|from)\b[^,]{{2,40}}, )?<we>{_JUST}{_ON}\b",
        takes_sentence=True,
    ),
    make_cue(
        "says what they will no longer do",
        _D,
        "won't not longer anymore more wont",
        r"\b(?:(?:we|i) (?:won't|will not|wont|will no longer)|we (?:no longer|don't|are no longer|are not"
        r"|aren't))\b[^,]{2,80}\b(?:any ?more|any longer)\b|\b(?:we will|we'll|we) no longer \w|\b(?:we're"
        r"|we are) not (?:going to|doing|using|buying|offering|having|giving|taking|selling|renewing)\b"
        r"|\bwe (?:won't|will not|wont) (?!be\b|know|need|have (?:time|any)|make it|see|get)[a-z]+ (?:the"
        r"|our|any|a|an)\b",
        takes_sentence=True,
    ),
    make_cue(
        "says what it is to be", _D, "it is", r"^[\w' -]{2,50} it is(?:$|,| then| since| because)", takes_sentence=True
    ),
    make_cue(
        "says it is a decision",
        _D,
        "decision choice verdict plan",
        r"\b(?:the|our|my|final) (?:final )?(?:decision|choice|verdict) (?:is|was|fell|went|has been)\b"
        r"|\b(?:is|was) (?:the|our|my) (?:final )?(?:decision|choice)\b",
        takes_sentence=True,
    ),
)
