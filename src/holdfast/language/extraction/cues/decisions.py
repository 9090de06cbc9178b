"""What was decided, chosen, dropped or agreed, with the words that leave it open kept out by the filters."""

from __future__ import annotations

from holdfast.domain.memory import Kind
from holdfast.language.extraction.cues.cue import make_cue

_D = Kind.DECISION

DECISIONS = (
    make_cue(
        "says what to go with",
        _D,
        "let's",
        r"^let's ((?:go|stick|stay) with (?!that|this|it\b)[^.]{2,})",
        takes_sentence=True,
        template="We {}",
    ),
    make_cue(
        "says what was decided",
        _D,
        "decided agreed resolved settled opted voted chose chosen picked elected concluded committed",
        r"(?:<we>|<i>|\b[\w-]+[:,]? (?:has |have )?|^)(?:just |finally |all |already |now |both |jointly "
        r"|unanimously |have )?(?:decided (?:to (?!go home|leave|wait|sleep|stay (?:home|in)|call it|take "
        r"a)|on|against|that|for|in favou?r|not)|agreed (?:to (?!disagree)|on|that"
        r"|not)|resolved to|settled (?:on|for)|opted (?:for|to|against|out)|voted (?:to|for|against)"
        r"|(?:chose|chosen|picked)\b(?! (?:up|me|him|her|it up))|committed to|concluded that)",
        takes_sentence=True,
    ),
    make_cue(
        "says what they go with",
        _D,
        "going go goes went stick stuck stay stayed sticking staying switching moving migrating dropping "
        "replacing standardising "
        "standardizing adopting keeping switch move keep use drop instead rather",
        r"(?:<were>)(?:now |definitely |all )?(?:going (?:with|for|ahead with)|sticking (?:with|to)"
        r"|staying (?:with|on)|switching (?:to|from|over)|moving (?:to|from|away|off|over)|migrating"
        r"|dropping|replacing|standardi[sz]ing|adopting|keeping|going to (?:use|switch|move to|adopt|drop|keep|go with"
        r"|migrate|replace|stick with))\b|<we>(?:(?:go|went|stick|stuck|stay|stayed) with|went for)\b"
        r"|<well>(?:go (?:with|for)|stick (?:with|to)|stay (?:with|on)|switch to|move to|keep using"
        r"|use [^.]{2,60} (?:instead|rather than|for)|drop|keep|[^.]{2,80} (?:instead of|rather than))\b|\b[\w-]+ "
        r"goes with\b",
        takes_sentence=True,
    ),
    make_cue(
        "says what was given up",
        _D,
        "dropped abandoned scrapped rejected ruled discarded cancelled canceled discontinued retired "
        "deprecated postponed stopped",
        r"(?:<we>|\bwe've |\b(?:was|were|has been|have been) (?!cancel|stopped))(?:now |finally |also |all "
        r")?(?:dropped|abandoned|scrapped|rejected|ruled out|discarded|cancell?ed|discontinued|deprecated"
        r"|stopped (?:using|supporting|offering|doing|selling|accepting|taking|making|buying|shipping))\b",
        takes_sentence=True,
    ),
    make_cue(
        "says what was taken up",
        _D,
        "adopted approved switched moved migrated replaced standardised standardized introduced",
        r"<we>(?:now |finally |also |all |just )?(?:adopted|approved (?!your|my|it\b)|switched (?:from|to"
        r"|over)|moved (?:from|to|over"
        r"|away|(?:the|our) [\w ]{2,30} (?:to|from|into|over))|migrated|replaced|standardi[sz]ed on|introduced)\b",
        takes_sentence=True,
    ),
    make_cue(
        "says what they will no longer do",
        _D,
        "won't not longer anymore more wont",
        r"\b(?:(?:we|i) (?:won't|will not|wont|will no longer)|we (?:no longer|don't|are no longer|are not"
        r"|aren't))\b[^.,]{2,80}\b(?:any ?more|any longer)\b|\b(?:we will|we'll|we) no longer \w|\b(?:we're"
        r"|we are) not (?:going to|doing|using|buying|offering)\b"
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
