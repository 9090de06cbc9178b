"""Words of English grammar, and the verbs: every known form with its base."""

from __future__ import annotations

DETERMINERS = frozenset(
    """the a an this that these those my our your his her its their every each any some no all both another
    which what""".split()
)
PREPOSITIONS = frozenset(
    """in on at to for from by with of over under into onto about as via per through against between within without
    during before after since until till near behind inside outside above below across along around than like
    upon toward towards instead rather off out up""".split()
)
SUBORDINATORS = frozenset(
    """if when whenever because unless although though that which who whom whose where whether so once until
    provided""".split()
)
ADVERBS = frozenset(
    """also always usually normally typically generally currently now still already just only really actually mostly
    often sometimes rarely never ever then finally probably apparently definitely certainly simply mainly primarily
    today nowadays presently again both""".split()
)
PRONOUNS = frozenset(
    "i we you they he she it this that these those who everyone everybody someone nobody there".split()
)
_STANDS_FOR_ANOTHER = PRONOUNS - {"i", "we", "everyone", "everybody", "someone", "nobody"}


def is_pronoun(subject: str) -> bool:
    """Whether a claim's subject only stands for one named elsewhere: she, he, it, they, this."""
    return subject in _STANDS_FOR_ANOTHER


PLURAL_SUBJECTS = frozenset("i we you they people these those who all both users devs engineers".split())
CONNECTORS = frozenset("and but while whereas yet".split())

# --- auxiliaries --------------------------------------------------------------------------------------

_AUXILIARY_TABLE = """
be now: is are am 's 're 'm ain't|be past: was were|have now: has have 've|have past: had|do now: does do|do past: did
will: will shall 'll won't|would: would|can: can cannot can't could may might|must: must should ought needn't
"""
_NEGATED = "is are was were has have had do does did would could might must should need".split()


def _build_auxiliaries() -> dict[str, tuple[str, str, bool]]:
    """Written auxiliary to its verb, its tense or mood, and whether it denies."""
    table: dict[str, tuple[str, str, bool]] = {}
    for row in _AUXILIARY_TABLE.strip().replace("\n", "|").split("|"):
        head, _, words = row.partition(": ")
        base, _, tense = head.partition(" ")
        for word in words.split():
            table[word] = (base, tense or base, word.endswith(("n't", "can't")) or word == "cannot")
    for word in _NEGATED:
        base, tense, _ = table.get(word, ("must", "must", False))
        table[f"{word}n't"] = (base, tense, True)
        table[f"{word}nt"] = (base, tense, True)
    table["dont"] = ("do", "now", True)
    return table


AUXILIARIES = _build_auxiliaries()

# --- verbs --------------------------------------------------------------------------------------------

# Words after ~ are nouns as often as verbs: they need more evidence before a sentence is split at them.
_REGULAR_VERBS = """
accept achieve add adopt affect agree allow analyse answer appear apply approve archive arrive ask assign avoid base
become believe belong block bind break bring cache cause choose claim close collect come communicate compile complete
configure connect consider consist contain continue convert cover create crash cut decide declare define delete deny
depend deploy describe design detect develop differ disable discuss dislike drink drive earn eat employ enable encrypt
end enforce ensure equal evaluate exist expect expire explain expose express fail feel fetch fill find finish fit fix
follow forbid forget format generate get give go grow guarantee handle happen hate have hear help hold hope ignore
implement import improve include increase indicate inherit initialize inject insist inspect install integrate introduce
invoke join keep know land last launch lead learn leave let like listen live load locate log lose love maintain make
manage map mean measure meet merge migrate mention miss mock move need notify occur offer omit open operate optimize
organise own parse pass pay perform play point prefer prevent print process produce prohibit protect provide publish put
raise read receive recommend reduce refer refuse reject relate rely remain remember remove render rename replace
represent request require reside resolve respond restart restrict return reuse rotate sell see seem send separate serve
set ship shut sit skip sleep smoke solve speak specify spend stand stay stop store study suggest supply suspect switch
take talk teach tell tend terminate think throw tolerate trigger trust try turn understand update upgrade upload use
validate vary verify visit wait walk want warn wear win wish wrap write read relocate retire reply subscribe belong
enjoy adore admire speak swim retry sync squash rebase lint dislike own escape scale expire lock pin abort activate
adjust aggregate allocate announce append attach attend authenticate automate begin bundle calculate cancel capture
carry catch clean clear combine compare compress compute confirm consume cook crawl deliver deprecate derive detach
discover dispatch display distribute divide download emit encode enter establish execute expand export extend extract
flush forward gather hide hire identify indent inform ingest insert invest invite iterate kill lift locate marry mount
negotiate normalise obey obtain overlap own persist preserve promote propagate propose prune purge quit react recover
redirect refactor refresh register remind repeat reset restore retain retrieve revert ride sanitize scan seek select
serialize sing spawn spin strip submit succeed suffer suspend transform translate transmit truncate unlock wake weigh
withdraw summarize adore lower decrease bump extend rehearse exclude permit insure govern renew depart commence conclude
resume acquire appoint graduate invent construct renovate demolish practise celebrate borrow donate repair bake paint
touch survive harvest climb burn boil melt chase disagree distrust detest loathe admit disobey
comprise exceed prescribe supervise resign postpone commute inaugurate retain accommodate
~ access act attempt back bill book branch build call care change charge check clone code command comment commit control
copy cost count cross date deal debug default delay demand document doubt draft drop edit email estimate face fall
favour flag flow fork fuel function gate grant group guard guide head host impact index interest issue judge label lack
level license limit link list look mail mark match matter mind mirror model monitor name note number order pack page
park patch phone pick pipe place plan plug poll port post power practice present press profile program project promise
prompt proxy pull push query question queue range rank rate reach record release report rescue rest result review risk
roll route rule run sample save schedule scope score search secure seed sense shape share shift show sign size sort
sound source spread stage star start state step stream stress structure style support surprise tag target test time
trace track trade traffic train transfer trap travel treat trip type value version view volunteer vote walk watch weight
work wonder zone
"""
_IRREGULAR_VERBS = """
become became become|break broke broken|bring brought brought|build built built|buy bought bought|choose chose chosen
come came come|cost cost cost|cut cut cut|drink drank drunk|drive drove driven|eat ate eaten|fall fell fallen
feel felt felt|find found found|forbid forbade forbidden|forget forgot forgotten|get got gotten|give gave given
go went gone|grow grew grown|hear heard heard|hold held held|keep kept kept|know knew known|lead led led
leave left left|let let let|lose lost lost|make made made|mean meant meant|meet met met|pay paid paid|put put put
read read read|rebuild rebuilt rebuilt|run ran run|say said said|see saw seen|sell sold sold|send sent sent|set set set
show showed shown|shut shut shut|sit sat sat|sleep slept slept|speak spoke spoken|spend spent spent|split split split
spread spread spread|stand stood stood|swim swam swum|take took taken|teach taught taught|tell told told
think thought thought|throw threw thrown|understand understood understood|wear wore worn|win won won
write wrote written|rewrite rewrote rewritten|wake woke woken|begin began begun|fly flew flown|hide hid hidden
hang hung hung|feed fed fed|lend lent lent|freeze froze frozen|oversee oversaw overseen
sing sang sung|catch caught caught|override overrode overridden|overwrite overwrote overwritten|bind bound bound
"""
_DOUBLED = frozenset(
    """ship stop plan log drop map pin skip tag set run cut get put let shut sit swim win begin commit prefer
    refer format wrap plug trap trip zip spin occur permit forget forbid submit admit
    omit transmit equip control patrol transfer""".split()
)


def _inflect(base: str) -> tuple[str, str, str]:
    """Third person, past and -ing form of a regular verb."""
    if base in _DOUBLED:
        return base + "s", base + base[-1] + "ed", base + base[-1] + "ing"
    if base.endswith("e"):
        return base + "s", base + "d", base[:-1] + "ing"
    if base.endswith("y") and base[-2] not in "aeiou":
        return base[:-1] + "ies", base[:-1] + "ied", base + "ing"
    return base + ("es" if base.endswith(("s", "x", "z", "ch", "sh", "o")) else "s"), base + "ed", base + "ing"


def _build_verbs() -> dict[str, tuple[str, str]]:
    """Every known verb form to its base and form: b(ase), s (third person), d (past, participle), g (-ing)."""
    forms: dict[str, tuple[str, str]] = {}
    irregular = [row.split() for row in _IRREGULAR_VERBS.strip().replace("\n", "|").split("|")]
    bases = [word for word in _REGULAR_VERBS.split() if word != "~"] + [row[0] for row in irregular]
    for base in bases:
        third, past, continuous = _inflect(base)
        forms.update({third: (base, "s"), past: (base, "d"), continuous: (base, "g")})
    for base, past, participle in irregular:
        forms.update({past: (base, "d"), participle: (base, "d")})
    forms.update((base, (base, "b")) for base in bases)
    forms.update({"dies": ("die", "s"), "died": ("die", "d"), "bans": ("ban", "s"), "banned": ("ban", "d")})
    forms.update({"founds": ("found", "s"), "founded": ("found", "d"), "founding": ("found", "g")})
    for word in ("has", "have", "had", "being"):
        forms.pop(word, None)
    return forms


VERBS = _build_verbs()
NOUNISH = frozenset(_REGULAR_VERBS.partition("~")[2].split()) | frozenset(
    "use need set store read request return log lead end answer update like".split()
)
