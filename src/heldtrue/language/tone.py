"""The tone of a message: frustrated, excited, uncertain, or neutral, which is also the answer where in doubt.

Cues are words and turns of phrase with a weight. Words that only sound like feelings in engineering (`kill switch`,
`fatal error`, `dead code`) are no cues at all, or are taken out first; so are code, quotations and links. A denial, a
condition or an instruction before a cue takes it back: `not annoying`, `if users get confused`, `avoid frustrating`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache

from heldtrue.domain.limits import TONE_CHARS_MAX
from heldtrue.language.guard import guarded

FRUSTRATED, EXCITED, UNCERTAIN, NEUTRAL = "frustrated", "excited", "uncertain", "neutral"

_ENOUGH = 1.0
"""The weight from which a tone is heard."""
_MARGIN = 0.4
"""How much louder it must be than the next."""
_WORDS_PER_CUE = 40
"""In a text longer than this a cue counts for less: one `maybe` on a page is no tone."""


@guarded(lambda _text: NEUTRAL)
def read_tone(text: str) -> str:
    """The tone in which a text is written: `frustrated`, `excited`, `uncertain`, or `neutral` when in doubt."""
    words = _read_words(text[:TONE_CHARS_MAX])
    scores = {FRUSTRATED: 0.0, EXCITED: 0.0, UNCERTAIN: 0.0}
    for place, length, tone, weight in _find_cues(words):
        if not _is_taken_back(words, place, tone):
            scores[tone] += weight * _loudness(words, place + length, tone)
    if scores[EXCITED] and _is_bitter(words):
        scores[FRUSTRATED] += scores[EXCITED]
        scores[EXCITED] = 0.0
    thin = max(1.0, sum(word[0].isalpha() for word in words) / _WORDS_PER_CUE)
    ranked = sorted(scores.items(), key=lambda pair: -pair[1])
    best, runner_up = ranked[0], ranked[1]
    return best[0] if best[1] / thin >= _ENOUGH and best[1] - runner_up[1] >= _MARGIN * thin else NEUTRAL


# --- words --------------------------------------------------------------------------------------------

_QUIET = r"```.*?(?:```|\Z)|`[^`\n]*`|\"[^\"\n]{0,200}\"|“[^”\n]{0,200}”|(?<!\w)'[^'\n]{3,80}'(?!\w)|https?://\S+|(?m:^\s*>[^\n]*$)"
_QUIET_SIGNS = frozenset("`\"“':>")
_TECHNICAL = r"""(?x)\b(?:
    kill[ -]?switch | kill[ ]-\d+ | dead[ -]?(?:code|letters?|locks?|lines?|end) | fatal[ ](?:errors?|exceptions?)
  | critical[ ](?:path|section)s? | hate[ ]speech | awesome[ -]list | excited[ ]state | maybe[ ](?:monad|type)s?
  | uncertain(?:ty)?[ ](?:quantification|values?|intervals?|estimates?) | (?:callback|dependency|dll)[ ]hell
  | upset[ ]plots? | wonder[ ]woman | stuck[ -]at | happy[ -]path | sad[ -]path | damn[ ]vulnerable
  | love[ ]?2d | confusion[ ]matri(?:x|ces) | frustrated[ ]magnets? | amazing[ ]grace | perfect[ ](?:hash|forward)\w*
  | awful[ ]lot | (?:sentiment|tone|emotion)[ ](?:analysis|labels?|classes|classifier)
)\b|\bMaybe(?=[\[\(<{])|\bHMMs?\b|\bMAD\b"""
_WORD = r"[^\W\d_]+(?:'[^\W\d_]+)*|[!?]+|\.\.\.|…|[🎉🥳🤩😍🙌😡🤬😤😠😩🤔😕🤷]|[,.;:()\n]|\d+"


@cache
def _rules() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    return re.compile(_QUIET, re.DOTALL), re.compile(_TECHNICAL, re.IGNORECASE), re.compile(_WORD)


def _read_words(text: str) -> list[str]:
    """Words in small letters and the marks that carry a tone, without code, quotations and technical terms."""
    quiet, technical, word = _rules()
    plain = text.replace("’", "'")
    if not _QUIET_SIGNS.isdisjoint(plain):
        plain = quiet.sub(" ; ", plain)
    # Case tells HMM from hmm, so it is looked at before it is dropped.
    found = word.findall(technical.sub(_drop_technical, plain).lower())
    return [one[0] if one[0] in "!?" else one for one in found]


def _drop_technical(match: re.Match[str]) -> str:
    found = match.group()
    if found.lower() in ("hmm", "hmms", "mad") and not found.isupper():
        return found
    return " ; "


# --- cues ---------------------------------------------------------------------------------------------

_CUES = {
    FRUSTRATED: """
1.5: frustrated|frustrating|frustration|annoyed|annoying|infuriating|infuriated|fed up|sick of|tired of|ugh|argh|grr|wtf
1.5: ridiculous|unacceptable|waste of time|wasting my time|wasted hours|driving me crazy|driving me mad|driving me nuts
1.5: drives me crazy|drives me mad|drives me nuts|had enough|nothing works|i hate|we hate|hate it|hate this|hate that
1.5: pulling my hair|lost my patience|last straw|i give up|i'm giving up|so angry|i'm angry|really angry|pissed off
1.5: makes me angry|made me angry|makes no sense at all|what a mess|such a mess|for the third time|for the tenth time
1.2: keeps failing|keeps breaking|keeps crashing|keeps happening|keep failing|keep breaking|keep crashing|still broken
1.2: keeps timing out|fails again|failed again|broken again|broke again|crashed again|down again|still not working
1.2: still doesn't work|still does not work|still won't work|not working again|yet again|how many times|i told you
1.2: i already told you|i already said|stop doing|so slow|not happy|unhappy
1.2: disappointed|disappointing|fedup|damn|dammit|no end to|over and over|genervt|nervt|j'en ai marre|harto|harta
1.5: 😡|🤬|😤|😠
1.0: terrible|awful|horrible
0.7: 😩|i'm stuck|stuck on|upset|useless
""",
    EXCITED: """
1.5: excited|thrilled|can't wait|cannot wait|so happy|super happy|over the moon|delighted|ecstatic|stoked|woohoo|hooray
1.5: yay|hurray|great news|amazing news|finally works|it works !|love it !|love this !|so proud|best day ever
1.5: best ever|dream come true|congratulations|congrats|😍|🎉|🥳|🤩|🙌
1.5: so glad|very happy|really happy|pumped|blown away|freue mich
1.0: awesome|amazing|fantastic|incredible|wow|love it|love this|génial
0.6: great|perfect|excellent|wonderful|brilliant|superb|i love|we love|happy|glad
""",
    UNCERTAIN: """
1.5: not sure|not certain|unsure|uncertain|no idea|i don't know|i do not know|don't really know|have no clue|no clue
1.5: not convinced|i'm confused|i am confused|so confused|i could be wrong|i might be wrong|i may be wrong|hard to say
1.5: hard to tell|i wonder|i'm wondering|i am wondering|can't decide|cannot decide|torn between|keine ahnung|weiß nicht
1.5: pas sûr|pas sûre|no sé|no estoy seguro|bin unsicher|not entirely sure|not quite sure|not really sure|i doubt
1.2: i guess|i suppose|if i remember correctly|if i recall|iirc|🤷|🤔|i'm not positive
0.9: confused|unclear
0.7: maybe|perhaps|possibly|hmm|hm|afaik|i think|i believe|seems|might|not clear|confusing|vielleicht|peut être|😕
0.4: probably|could|would it|should we|should i|or not
""",
}
_DENIALS = frozenset(
    "not never no without hardly barely isn't aren't wasn't weren't don't doesn't didn't ain't nor".split()
)
_CONDITIONS = frozenset("if when whenever unless would could case avoid prevent reduce stop less whether".split())
_PROBLEMS = frozenset(
    "broken broke fails failed failing crash crashed crashes down bug bugs error errors outage breaks".split()
)
_BITTER = frozenset("again another".split())
_OTHERS = frozenset("you users user they people anyone anybody customers readers".split())
_ALSO_OF_OTHERS = frozenset("confused confusing unclear".split())
"""Doubts that a text may warn of: `users could be confused`."""


@cache
def _cues() -> dict[str, list[tuple[tuple[str, ...], str, float]]]:
    """Each cue by its first word, the longest first."""
    table: dict[str, list[tuple[tuple[str, ...], str, float]]] = {}
    for tone, rows in _CUES.items():
        for row in rows.strip().splitlines():
            weight, _, phrases = row.partition(": ")
            for phrase in phrases.split("|"):
                words = tuple(phrase.split())
                table.setdefault(words[0], []).append((words, tone, float(weight)))
    for cues in table.values():
        cues.sort(key=lambda cue: -len(cue[0]))
    return table


def _find_cues(words: Sequence[str]) -> Iterator[tuple[int, int, str, float]]:
    """Place, length, tone and weight of each cue; where two begin together the longer one counts."""
    table = _cues()
    place = 0
    while place < len(words):
        length = 1
        for phrase, tone, weight in table.get(words[place], ()):
            if tuple(words[place : place + len(phrase)]) == phrase:
                yield place, len(phrase), tone, weight
                length = len(phrase)
                break
        place += length


_CLAUSE_ENDS = frozenset(".;:!?()\n…") | {"..."}


def _is_taken_back(words: Sequence[str], place: int, tone: str) -> bool:
    """Whether a denial, a condition or an instruction stands shortly before, in the same clause."""
    for back in range(place - 1, max(-1, place - 5), -1):
        word = words[back]
        if word[0] in _CLAUSE_ENDS or (word in _CLAUSE_ENDS):
            return False
        if word in _DENIALS and place - back <= 3:
            return True
        if tone == UNCERTAIN and word in _OTHERS:
            return True
        if word in _CONDITIONS and (tone != UNCERTAIN or words[place] in _ALSO_OF_OTHERS):
            return True
    return False


def _loudness(words: Sequence[str], end: int, tone: str) -> float:
    """A cue counts for more where exclamation marks follow soon; doubt is not shouted."""
    if tone == UNCERTAIN:
        return 1.0
    following = next((word for word in words[end : end + 4] if word[0] in "!?."), "")
    return 1.5 if following[:1] == "!" else 1.0


def _is_bitter(words: Sequence[str]) -> bool:
    """`Great, the build is broken again`: praise beside a problem that came back is none."""
    return not _PROBLEMS.isdisjoint(words) and not _BITTER.isdisjoint(words)
