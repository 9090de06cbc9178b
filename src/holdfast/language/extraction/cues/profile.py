"""Who somebody is: work, place, people, health, skills, habits, and what changed in their life."""

from __future__ import annotations

from holdfast.domain.memory import Kind, Strength
from holdfast.language.extraction.cues.cue import make_cue

_P = Kind.PROFILE
_KIN = (
    "wife|husband|partner|girlfriend|boyfriend|fianc\\w+|son|daughter|sons|daughters|kids?|child"
    "|children|twins|baby|brothers?|sisters?"
    "|mother|mum|mom|father|dad|parents|grandm\\w+|grandf\\w+|grandson|granddaughter|aunt|uncle"
    "|cousins?|nephew|niece|in-laws|family"
    "|dogs?|cats?|horse|pets?|rabbits?|hens|chickens|roommate|flatmate|neighbours?|neighbors?|friend"
)
_SELF = (
    "pronouns|birthday|job|title|role|position|profession|address|phone|number|e-?mail|time ?zone"
    "|age|height|weight|blood type|heart rate|blood pressure|shoe size|surname"
    "|nickname|nationality|native language|mother tongue|first language|hometown|home town|degree|major"
    "|subject|school|university|company"
    "|employer|manager|boss|team|department|office|shift|commute|car|bike|laptop|house|flat|apartment"
    "|garden|landlord|doctor|dentist|therapist"
    "|coach|teacher|tutor|passport|visa|licence|license|contract|fellowship|lease|insurance|mortgage"
    "|salary|instrument|hobby|hobbies|diet|allergy"
    "|allergies|medication|wedding|anniversary|exam|thesis|flight|handle|username|account|budget|rent"
    "|hours|working hours|day off|band|choir|club"
)
_OWNED = (
    "kids?|child|children|son|sons|daughter|daughters|twins|brothers?|sisters?|dogs?|cats?|horses?"
    "|pets?|rabbits?|hens|chickens|wife|husband|partner"
    "|car|bike|motorbike|boat|house|flat|garden|allotment|cabin|degree|phd|master's|licen[cs]e"
    "|allerg\\w+|asthma|diabetes|adhd|migraines?|arthritis"
    "|epilepsy|(?:bad|weak) (?:back|knees?|shoulder|heart|ankles?|eyesight)|disease|syndrome|disorder"
    "|hay fever|blood pressure|condition|intolerance|pacemaker|band"
    "|company|business|shop|bakery|practice|blog|podcast|channel|years|tattoos?|citizenship|passport"
    "|piano|guitar"
    "|(?:band|choir|football|yoga|piano|guitar|swim\\w*|dance|chess|judo|karate|training|orchestra"
    "|theatre) (?:practi[cs]e|class|training|rehearsals?|lessons?)"
)
_STATES = (
    "vegan|vegetarian|pescatarian|allergic|intolerant|lactose|gluten|diabetic|asthmatic|colou?r-?blind"
    "|left-handed|right-handed|dyslexic|deaf|blind|pregnant"
    "|married|single|divorced|widowed|engaged|retired|self-employed|freelance|unemployed|based in|from "
    "|originally from|responsible for|in charge of|on parental leave|(?:terrible|bad|good|great"
    "|hopeless|useless|better) (?:at|with)"
    "|on the [\\w ]{2,30} team|in (?:year|grade|class|form|my (?:first|second|third|fourth|final|last) "
    "year)|born in|bilingual|fluent in|new to|german|french|spanish|italian"
    "|english|british|irish|american|canadian|polish|dutch|danish|swedish|norwegian|finnish|indian"
    "|chinese|japanese|korean|brazilian|mexican|turkish|greek|swiss|austrian"
    "|jewish|muslim|christian|catholic|hindu|buddhist|autistic|an only child|the oldest|the youngest"
    "|the eldest|hard of hearing|short-sighted|anaemic|anemic|coeliac|celiac"
)
_HABITS = (
    "live|work|study|teach|play|sing|speak|lead|manage|handle|maintain|coach|volunteer|practi[cs]e|swim"
    "|cycle|climb|paint|knit|sew|garden|collect|commute|suffer|own|rent"
    "|train|dance|meditate|hike|ski|surf|sail|fish|bake|brew|blog|write|code|program|freelance|row|box"
    "|run|jog|hold|head|chair|report to|wear|supervise|speciali[sz]e|keep bees|take|look after|care for"
    "|share a|belong|attend"
)

PROFILE = (
    make_cue(
        "says how old somebody gets", _P, "turns", r"^(?!it\b|this\b|that\b|the\b)[a-z][\w' ]{1,30} turns \d{1,3}\b"
    ),
    make_cue(
        "says who they are",
        _P,
        "i'm am im i've been",
        rf"(?:<im>|\bi've been |\bi have been )(?:<adv>|not |now |currently |both )(?:{_STATES})\b",
    ),
    make_cue(
        "says how old they are",
        _P,
        "i'm am im have turn turned",
        r"<im>(?:<adv>|almost |nearly )\d{1,2}(?=$| (?:years|and|now|,))|\bi have \d{1,2} years\b|\bi "
        r"turn(?:ed)? \d{1,2}\b",
    ),
    make_cue(
        "says what they are",
        _P,
        "i'm am im",
        r"<im>(?:<adv>)(?:an?|the|one of the) (?!bit\b|little\b|(?:big |huge |great |real )?fan\b|mess\b"
        r"|wreck\b|idiot\b|fool\b|second\b|minute\b|few\b|lot\b|tad\b|one\b|same\b|only one\b|while\b"
        r"|person\b|hour\b)[a-z]",
    ),
    make_cue(
        "says what they do",
        _P,
        _HABITS.replace("|", " ")
        .replace("practi[cs]e", "practice practise")
        .replace("speciali[sz]e", "specialise specialize"),
        rf"^(?:[a-z' ]{{0,30}}, )?i <adv>(?:{_HABITS})(?=\s|$)(?! (?:(?:on|at|for|with) )?(?:it|this|that|you|your)\b"
        rf"| into\b| around\b| [^.]{2, 40} now$| out of\b| the (?:tests?|commands?|scripts?|build|server"
        rf"|code|query|program|app)\b| a (?:look|break|test)\b"
        rf"| to (?:ask|say|tell|you)\b)",
    ),
    make_cue(
        "says what they are doing over time",
        _P,
        "i'm am im",
        r"<im><adv>(?:living|working (?:as|at|for|in)|studying|learning|training (?:for|to)|teaching"
        r"|raising|taking care of|looking after my|recovering from|preparing for|saving (?:up )?for|doing "
        r"(?:a|my) (?:phd|degree|master|apprenticeship|course)|moving to|allergic|expecting|(?:supervised"
        r"|employed|mentored|coached|treated|trained|certified|registered|insured) (?:by|at|in|as|with)"
        r"|not eating|not drinking)\b",
    ),
    make_cue(
        "says what they have",
        _P,
        "have got i've we've we",
        rf"\b(?:i|we)(?: have got|'ve got| have| own|ve got) (?!to\b|a question|an idea|no idea)(?:[a-z-]+ "
        rf"){{0,4}}?(?:{_OWNED})(?=$|,| (?:and|or|but|which|who|that|called|named|with|in|on|at|from|since"
        rf"|of|to|for|whose|then|every)\b)",
    ),
    make_cue(
        "says how it is with theirs",
        _P,
        "my our",
        rf"\b(?:my|our) (?:[a-z-]+ ){{0,2}}?(?:{_KIN}|{_SELF})(?:'s [a-z]+)?(?: [a-z]+)?(?:,? [a-z]+,?)? "
        rf"(?:is|are|has|have|was born|works?|lives?|loves?|hates?|likes?|plays?|speaks?|studies|expires?"
        rf"|ends?|runs? (?:until|out|from|for)|starts?|turns|goes to|can't|cannot|doesn't|don't|teaches"
        rf"|needs|comes from|retired|moved)\b(?! at \d+ ?%)(?! (?:\w+ing|still|gone|dead|broken|fine|okay"
        rf"|ok|great|tired"
        rf"|back|down|late|here|there|killing|delayed|cancelled|canceled|full|empty|low|stuck"
        rf"|lost|on fire|freezing|hurting|asleep)\b)",
    ),
    make_cue(
        "says what changed in their life",
        _P,
        "moved took joined gave given broke tore injured sprained quit stopped started born diagnosed grew graduated "
        "retired became left used got",
        r"<i>(?:just |recently |finally |only )?(?:moved (?:to|from|in|into|out|back)|took over|joined "
        r"(?!the (?:call|meeting|chat))|gave up|given up|(?:broke|tore|injured|sprained) my|quit|stopped "
        r"\w+ing|started (?:\w+ing|as|at|a "
        r"(?:new )?(?:job|company|course|degree)|my)|was born|was diagnosed|grew up|graduated|retired"
        r"|became|left (?:my "
        r"job|the company)|used to (?:live|work|be|play|teach|study|smoke)|got (?:married|divorced|engaged"
        r"|promoted|diagnosed))\b",
    ),
    make_cue(
        "says what they do since long",
        _P,
        "since for",
        r"\bi(?:'ve| have) (?:used|worked|lived|played|taught|sung|run|owned) [^.]{2,60} (?:since|for) \w"
        r"|\bi (?:make|do|have been|'ve been|am|practise|go) [^.]{2,40} (?:since|for (?:<number>|many|over"
        r"|about) (?:\w+ )?years)\b|\bi've been \w+ing [^.]{0,40}(?:since|for (?:<number>|many|over|about"
        r"|almost) )",
    ),
    make_cue(
        "says what they do regularly",
        _P,
        "every week weekly daily year twice once mondays tuesdays wednesdays thursdays fridays saturdays "
        "sundays weekends usually always",
        r"\bi (?:<adv>)(?!think|hope|guess|know|see|die|need|want|wish|feel|lose|forget|tell|say|ask"
        r"|get)[a-z]{2,12} [^.]{0,60}\b(?:every (?:\w+ )?(?:day|morning|evening|night|week|month|year"
        r"|summer|winter|<day>)|(?:once|twice|three times|<number> times) an? \w+|on (?:<day>|weekends)"
        r"|daily|weekly)\b",
    ),
    make_cue(
        "says how to call them",
        _P,
        "call calls go",
        r"^(?:please |just |everyone |everybody |people |you can |friends )*(?:calls? me|i go by)\s"
        r"(?!back|when|if|later|tomorrow|crazy|at|on|today|a\b|an\b|the\b)([\w-]+(?: [\w-]+)?)",
        template="I want to be called {}",
    ),
    make_cue(
        "says when they are not there",
        _P,
        "work available free off can't cannot do",
        r"\bi (?:don't|never|can't|cannot|cant) (?:work|do|make|meet|take calls)[^.]{0,20}\b(?:on |before "
        r"|after )?(?:<day>|weekends|mornings|evenings)\b|<im>(?:not available|off|only available|only free"
        r"|unavailable) (?:on |every |before |after )",
    ),
    make_cue(
        "says what they are, in passing",
        _P,
        "as being",
        r"^(?:as|being) (an? (?!result|rule|start|test|side|consequence|matter|reminder|workaround|follow"
        r"|quick|first|last|bonus|whole|group|team)[a-z-]+(?: [a-z-]+){0,3}?),? i(?:'d|'m|'ll|'ve)?\b",
        Strength.IMPLIED,
        template="I am {}",
    ),
)
