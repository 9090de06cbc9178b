"""Whether some words are a mixture, as a wallet picks them, or a list of like things, as people write one.

A wallet picks its words by chance from a public list of 2,048 (BIP-39), so actions, qualities, ideas and people stand
beside each other. A list of groceries, tools or exercises has words of one class. The words below are the ones that
tell: most of that list without its things, and a few like them; endings tell some of the others.
"""

from __future__ import annotations

from heldtrue.language.findings import compiled

_ACTIONS = frozenset(
    "abandon absorb accuse achieve acquire adapt adjust admit advance affect afford agree aim allow alter amuse "
    "announce annoy answer apologize appear apply approve argue arrange arrest arrive ask assist assume attach "
    "attack attend attract avoid balance become begin behave believe belong bend betray bless blow blur bounce "
    "breathe bring burst buy call cancel carry cause change chase check choose claim clap clarify clean click "
    "climb close collect combine come commit compare confirm connect consider control convince cook copy correct "
    "cover cram crash crawl create cross cruise crumble crush cry damage deal decide decline defend define defy "
    "delay deliver demand deny depart depend deposit derive describe despair destroy detect develop devote differ "
    "dig dismiss display divert divide donate draw drift drink drop earn edit educate eject elect embark embody "
    "embrace emerge employ empower enable enact endorse enforce engage enhance enjoy enlist enrich enroll ensure "
    "enter equip erase erode erupt escape evoke evolve exchange exclude execute exhaust exhibit exist expand "
    "expect expire explain expose extend fade fail fall feed feel fetch find finish fit fix flee float flush fly "
    "focus fold follow force forget forward gain gasp gather gaze giggle give glance glare glow grab grant grow "
    "guess guide happen have hear help hide hire hold hope hover hunt hurry hurt identify ignore impose improve "
    "impulse include increase indicate inflict inform inhale inherit inject inquire insist inspire install invest "
    "invite involve join judge jump keep kick kiss knock know lament laugh launch learn leave lend like listen "
    "live load lock lose love make manage match mean measure meet melt mention merge mix modify move multiply "
    "need neglect notice nominate obey oblige observe obtain occur offer omit oppose order own pass pause pay "
    "permit pick play possess praise predict prefer prepare present pretend prevent produce profit promote "
    "prosper protect prove provide pull punch purchase push put quit raise rally reach react read rebuild recall "
    "receive recycle reduce reflect reform refuse regret reject relax release rely remain remember remind remove "
    "render renew rent reopen repair repeat replace require rescue resemble resist respond result retire retreat "
    "return reunion reveal review rotate ruin run say scan scare scatter scrub search seek select sell send serve "
    "settle shift shine shiver shop shove shrug shuffle sing skip sleep slide smile snap sniff solve speak spend "
    "spin spread squeeze start stay steal stumble submit succeed suffer suggest supply surge surprise surround "
    "survey suspect sustain swallow swap swear swim swing talk teach tell thrive throw toss train transfer travel "
    "treat trigger trust try tumble turn twist unfold unlock update upgrade uphold vanish venture verify visit "
    "vote wait walk want warm warn wash waste watch wear welcome whip win wink wish wonder work worry wrap wreck "
    "write yell".split()
)
_QUALITIES = frozenset(
    "able absent abstract absurd active actual acoustic aerobic alien alone alpha already also amateur among "
    "ancient angry another any armed asleep aware awesome awful awkward basic best better between big bitter "
    "black bleak blind blue brave brief bright brisk broken brown bulk busy calm capable casual central certain "
    "cheap chief chronic civil classic clever clinic cold common cool correct crazy crisp critical cruel cubic "
    "curious current cute daring dark decent deep dense devoted different digital dirty distant dizzy domestic "
    "double dry dumb during dutch eager early easy either elder electric elegant elite empty endless enough "
    "entire equal essential eternal every evil exact excess exotic extra faint false famous fancy fatal few final "
    "firm first fiscal flat fluid fond formal fortune fragile frequent fresh front frozen full funny future "
    "garbage general gentle genuine giant glad global good great green grey grim guilty half happy hard harsh "
    "hidden high hollow honest huge human humble hungry idle illegal ill immense immune inner innocent intact "
    "jealous joy just keen kind large last late latin lazy legal liberal light liquid little local logical lonely "
    "long loud loyal lucky mad magic main major manual married mean mental mere middle mild minor mixed modern "
    "moral much mutual naive naked narrow nasty near neat neither never next nice noble normal notable nuclear "
    "obscure obvious odd often okay old only open orange organic original other outer outside own pale patient "
    "perfect pink plastic polar pretty primary prior private proud public pure quick quiet random rapid rare raw "
    "ready real rebel recent regular rich rigid ripe robust rough round royal rude rural sad safe same satisfy "
    "scary second secret select senior shallow sharp short shy sick silent silly similar simple since six slight "
    "slim slow small smart smooth social soft solar solid soon sorry spare spatial special spicy stable steep "
    "stereo still strong sudden sunny super supreme sure sweet swift tall ten then tilt tiny tired together top "
    "topple tough toxic tragic true two typical ugly unable unaware under unfair unhappy uniform unique universal "
    "unknown until unusual upper upset urban useful useless usual vacant vague valid vast very viable vital vivid "
    "weird wet white wide wild wise wrong young yellow zero".split()
)
_IDEAS = frozenset(
    "ability access account act action address advice age air alert amount anger anxiety april area army art "
    "aspect asset atom audit august aunt author autumn average award battle beauty behind benefit blame blood "
    "bonus border boss boy brain brother bubble budget business captain career case category century chance chaos "
    "chapter charge child choice chunk citizen clerk client code comfort company concert conduct congress cost "
    "country couple course cousin credit crew crime crisis critic crowd culture custom cycle dad danger daughter "
    "dawn day debate debris decade december degree depth desert design desire detail device dial diary diet "
    "dignity dilemma direct disease disorder doctor document dose doubt dozen drama dream duty dynamic echo "
    "ecology economy edge effort emotion end enemy energy episode era error essay estate ethics event evidence "
    "example exercise exile eye face faculty faith family fan fantasy fashion fatigue fault favorite feature "
    "february fee festival fever fiction figure fire fitness flavor foot found friend fun gap genius genre "
    "gesture ghost glory goal gospel gossip grace grief group guard guest guilt habit harvest hazard health heart "
    "height hero history hobby holiday hour host hundred husband idea image impact income index industry initial "
    "input insane interest issue item joke journey jury junior justice king knee label labor lady language law "
    "leader lecture legend leisure length lesson letter level liberty life limit link list loan logic loop lounge "
    "luxury maid man mandate mass master math matter maximum media member memory mercy merit method million "
    "minimum minute miracle misery mistake model moment monitor month mood mother motion music myth name nation "
    "nature network neutral news noise nothing notion novel number object ocean october office option oval owner "
    "pact panic parade parent party patrol peace people period phone photo phrase picture piece pilot place "
    "planet player pledge poem police pond position post poverty power price pride prison prize problem process "
    "program project proof proper prophet province pulse pupil purpose puzzle quality quantum quarter question "
    "race rate ratio reason recipe record region relief report resource response rhythm risk ritual rival role "
    "romance rookie route routine rule sadness sail sample scale scene scheme science score script season section "
    "seed segment sense sentence series service session shame shape share sibling sight sign silence sister "
    "situate skill society son sort soul sound source space speed sphere spirit sport spot spouse staff stage "
    "state status step stock story strategy street style subject success sugar summer surface symbol symptom "
    "system talent target task tax team tenant term test text theme theory thing thought thunder time title today "
    "tomorrow tone tonight topic total tour town trade tradition tragedy traffic trend trial tribe trick trouble "
    "truth type uncle universe usage utility vacuum value vendor verb version victim victory video view village "
    "violin virtual virus vision voice void volume voyage wage war way wealth wedding week weekend west wife will "
    "winner winter wisdom woman word world worth year youth zone".split()
)
_COMMANDS = frozenset(
    "get put post patch delete head options trace connect list show create read parse check plan build test lint "
    "pack sign push pull merge deploy watch scan copy move send receive swap stake buy sell verify backup restore "
    "export import update upgrade install remove start stop restart log debug init clone fetch clean run fix add "
    "edit save load open close print sort filter search find view share sync left right north south east west "
    "upper lower inner outer front back top bottom next last first fast small simple modern stable secure open "
    "local remote shared private public".split()
)
"""What menus, programs and directions are called."""
_MOST_COMMANDS = 0.33
_CLASSES = (
    (_ACTIONS, r".{2,}(?:ify|ize|ise|ect|ute|uce|uire|olve|pose|scribe|mit|tain)|(?:re|dis|en)[b-df-hj-np-tv-z].{3,}"),
    (_QUALITIES, r".{2,}(?:ous|ful|ive|less|ical|ial|ual|ant|ent|ible|able|ic)|un.{4,}"),
    (_IDEAS, r".{2,}(?:tion|sion|ment|ness|ity|ance|ence|ship|dom|ism|ory|ure)"),
)
_FEWEST_WORDS = 0.25
"""The share of the words that must be of some class; by chance, about half of them are."""
_MANY_WORDS = 0.33
"""The share where nearly all of them are of one class."""
_OTHER_CLASSES = 2


def is_menu(words: list[str]) -> bool:
    """Whether many of the words are commands or directions."""
    return sum(word in _COMMANDS for word in words) >= _MOST_COMMANDS * len(words)


def is_mixture(words: list[str]) -> bool:
    """Whether enough words are actions, qualities or ideas, and not all of one class."""
    if is_menu(words):
        return False
    counts = [0, 0, 0]
    for word in words:
        for number, (members, endings) in enumerate(_CLASSES):
            if word in members or compiled(endings).fullmatch(word):
                counts[number] += 1
                break
    others = sum(counts) - max(counts)
    if others < _OTHER_CLASSES:
        return others > 0 and sum(counts) >= max(5, _MANY_WORDS * len(words))
    return sum(counts) >= max(3, _FEWEST_WORDS * len(words))
