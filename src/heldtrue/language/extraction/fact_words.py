"""Words and patterns by which plain statements are told from passing remarks."""

from __future__ import annotations

SUBJECT_TOKENS = 9
TITLES = frozenset("dr mr mrs ms prof".split())
NO_SUBJECT = frozenset(
    """i you he she it they we this that these those there someone somebody anyone nobody nothing something everything
    anything who what which where why how if when because since let thanks please see one some any people here so such
    a an another yes no not""".split()
)
META = frozenset(
    """figure table section appendix chapter page document file above below list example following question questions
    test tests build function line lines output message answer code error logs log weather traffic coffee
    result results value total sum score variable parameter method class column row field cell customer client
    one ones thing things idea point problem day week rest""".split()
)
"""What is spoken of in passing: a statement about it seldom lasts."""
STATIVE = frozenset(
    """live run use depend listen belong own contain require support cost serve read write sit ship come go handle
    lead manage maintain host store hold keep connect talk send receive cover include provide speak last expire end
    start
    open close begin happen consist charge deliver bake sell employ work stand fit accept allow return share
    point process control cache expose publish sync take leave turn replace bring order apply differ""".split()
)
SHALLOW = frozenset(
    "look seem feel sound say think want hope hurt suck rock keep fail crash break smell taste hate love like need "
    "wait try mean matter deserve ask complain stink rule beat make know wonder miss get ring".split()
)
PLACE = frozenset(
    "in on at under behind with inside outside above below beside near next between within "
    "opposite around from for".split()
)
FLEETING = frozenset(
    "again still just today tonight yesterday already almost soon later currently meanwhile tomorrow yet".split()
)
ROLE = (
    r"^(?:(?:scared|afraid|terrified|fond|keen|obsessed|good|bad|hopeless|brilliant) (?:of|on|with|at)|its"
    r"|their|his|her|\w+'s|our|the|my|a|an|allergic|vegetarian|vegan|in charge|responsible|on "
    r"call|on leave|from|based|married|pregnant|diabetic|left-handed|the new)\b"
)
ASSIGNED = (
    r"^(?:will (?!be\b|not\b)|has to|needs? to|must|should|is going to|is supposed to|promised to|agreed to|offered to"
    r"|volunteered to|is to|took over|takes over|takes care of|is doing|is writing|is preparing|(?:does"
    r"|writes|asks|prepares|sends|brings|books|orders|calls|buys|organi[sz]es|checks|reviews|fixes"
    r"|drafts|updates|makes|finishes|contacts|arranges|creates|cleans|picks|collects|tests|migrates"
    r"|adds|removes|presents|drives|cooks|gets|talks|moves|sets|reports|follows|looks|investigates"
    r"|shares|deploys|signs|pays|invites)(?: (?:up|out|off|back|into|for|to|with|at|down))?(?= (?:the|an?|all"
    r"|our|their|his|her|some|it|us|[0-9]"
    r"|two|three|four|five|us)\b))"
)
OFTEN = (
    r"\b(?:every|each (?:day|week|month|year|time|morning)|daily|weekly|monthly|nightly|yearly|always"
    r"|never|twice a|once a|on weekends"
    r"|(?:mondays|tuesdays|wednesdays|thursdays|fridays|saturdays|sundays))\b"
)
KEPT = (
    r"^(?:always |only |never |not )?(?:named|called|kept|deleted|written|labell?ed|stored|reviewed"
    r"|merged|squashed|tagged|formatted|indented|approved|signed|sorted|numbered|released|archived"
    r"|prefixed|published|rotated|tested|documented|stamped|sealed|paid|washed|cleaned|watered|fed"
    r"|locked|backed)\b"
)
JUDGING = frozenset(
    """lovely nice good bad great terrible awful amazing beautiful best better worse worst boring fun easy hard hot cold
    expensive cheap stuck late broken done ready over out up down back off away gone fine okay ok busy full empty
    important interesting wonderful horrible perfect overrated underrated cool weird strange crazy wrong right true
    tired happy sad angry sick here there""".split()
)
ORDINALS = frozenset("first second third fourth last next other same new old whole".split())
HIDDEN = frozenset("under behind above below inside beside between underneath".split())
SETTLED_PAST = frozenset("founded built established opened bought written designed installed started launched".split())
UNABLE = frozenset("eat have do drive walk hear see climb drink fly read swim handle tolerate".split())
CHANGED = frozenset(
    """moved switched migrated relocated renamed postponed rescheduled pushed shifted extended changed raised lowered
    increased reduced""".split()
)
BROKEN = frozenset("work load open start respond compile run render show print turn know think fit look".split())
"""What something does not do where it is broken, which passes."""
SETTLED = frozenset(
    """disabled enabled stored kept hosted located booked planned scheduled closed blocked based owned managed written
    named pinned capped limited billed labelled encrypted mounted signed reserved delivered serviced due""".split()
)
"""Participles that say how things stand, also without is: `root login disabled everywhere`."""
NUMBERS = frozenset(
    "two three four five six seven eight nine ten eleven twelve fifteen twenty thirty forty fifty "
    "hundred thousand half midnight noon".split()
)
DAYS = frozenset(
    """monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays fridays
    saturdays
    sundays january february march april june july august september october november december weekends
    spring summer autumn winter easter christmas""".split()
)
TIMED = frozenset(
    """cost pay charge go come close open start finish end meet run last live belong stay begin leave arrive expire
    get""".split()
)
"""What is told of things nearby, rather than of things in general."""
RUNS = frozenset("handle manage lead run maintain own hold head chair cover oversee supervise keep take come".split())
LEADING = frozenset("since from as on in at until every after for during".split())
