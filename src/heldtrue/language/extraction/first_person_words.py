"""Words by which what somebody says of themself is told apart: likings, life, habits, and what only passes."""

from __future__ import annotations

LIKING = frozenset(
    """like love enjoy adore hate dislike loathe detest despise prefer favour favor fear dread appreciate crave avoid
    fancy relish tolerate struggle swear""".split()
)
LIFE = frozenset(
    """live work study teach play sing speak lead manage handle maintain coach volunteer practise practice swim cycle
    climb paint knit sew garden collect commute suffer own rent train dance meditate hike ski surf sail fish bake brew
    blog write code program freelance row box run jog hold head chair report wear supervise specialise specialize keep
    take care share belong attend drive ride raise breed grow cook read use help translate design edit earn
    come carry chair conduct consult direct farm nurse tutor serve sell weigh sleep represent breed mentor
    co-own part-own cover oversee restore do charge farm stack""".split()
)
CHOOSING = frozenset(
    """eat drink use read watch buy fly take order wear drive listen cook travel shop book touch write sit want choose
    pick ask go end smoke stay sleep have start type work learn walk run skip print try prefer tend stick answer do
    keep""".split()
)
PASSING = frozenset(
    """think know see guess hope mean feel wonder say wish suppose understand believe agree remember forget wait try
    look find notice assume expect doubt promise suggest apologise apologize thank die lose sit stand miss hear swear
    bet owe vote imagine realise realize confess admit laugh cry mind care matter win get want need have wanna gonna
    gotta""".split()
)
"""Verbs of the moment: a habit must be said to make them last."""
EVENTS = frozenset(
    """moved joined gave quit retired became grew graduated married divorced qualified emigrated trained taught studied
    worked lived served played founded inherited spent broke tore injured sprained lost started""".split()
)
BEING = frozenset(
    """vegan vegetarian pescatarian allergic intolerant lactose gluten diabetic asthmatic colour-blind color-blind
    colourblind colorblind left-handed right-handed dyslexic deaf blind pregnant married single divorced widowed engaged
    retired self-employed freelance unemployed based from originally responsible bilingual fluent autistic coeliac
    celiac anaemic anemic short-sighted jewish muslim christian catholic hindu buddhist sikh protestant born raised
    qualified certified trained self-taught employed registered new semi-retired part-time full-time dairy-free
    gluten-free nocturnal sober teetotal disabled hypermobile epileptic insured supervised mentored double-jointed
    claustrophobic""".split()
)
NATIONS = ("ish", "ese", "rian", "lian", "sian", "tian", "nian", "dian", "pean", "rean", "ican", "aican", "zilian")
NATIONAL = frozenset("german french dutch greek czech swiss thai iraqi pakistani israeli welsh indian russian".split())
NO_NATION = frozenset("ticklish sluggish rubbish feverish selfish foolish finish english-speaking".split())
FOND = frozenset("fond keen into partial fussy picky obsessed mad crazy scared afraid terrified wary hooked".split())
LASTING_ING = frozenset(
    """living working studying learning training teaching raising recovering preparing saving doing moving expecting
    looking caring reading writing taking sharing renting running managing leading building""".split()
)
NO_NOUN = frozenset(
    """bit little mess wreck idiot fool second minute few lot tad one same while hour step genius joke loss way
    moron disaster pain bad good""".split()
)
OWNED = frozenset(
    """kid kids child children son sons daughter daughters twins brother brothers sister sisters dog dogs cat cats horse
    horses pet pets rabbit rabbits hens chickens wife husband partner car bike motorbike boat house flat apartment
    garden allotment cabin degree phd master's licence license allergy allergies asthma diabetes adhd migraine migraines
    arthritis epilepsy disease syndrome disorder hay fever condition intolerance pacemaker band company business shop
    bakery practice blog podcast channel tattoo tattoos citizenship passport piano guitar violin knee knees back
    shoulder heart ankle eyesight hearing tinnitus sight pressure van farm studio workshop grandchildren grandchild
    grandson granddaughter nephew niece parents godson goddaughter stepson stepdaughter roommate flatmate tenants
    certificate diploma background experience commute greenhouse beehives hives bees phobia insomnia anxiety depression
    dyslexia stutter limp visa mortgage lodger eczema psoriasis anaemia vertigo season-ticket scoliosis hernia
    sensitivity tolerance employees""".split()
)
KIN = frozenset(
    """wife husband partner girlfriend boyfriend fiance fiancee fiancé fiancée son daughter sons daughters kid kids
    child
    children twins baby brother brothers sister sisters mother mum mom father dad parents grandmother grandma gran nan
    grandfather grandad grandpa grandson granddaughter grandchildren aunt uncle cousin cousins nephew niece in-laws
    family dog dogs cat cats horse pet pets rabbit rabbits hens roommate flatmate neighbour neighbours neighbor ex
    neighbors friend girls boys eldest youngest oldest stepson stepdaughter stepdad stepmum mother-in-law father-in-law
    godson lad puppy kitten toddler teenager lodger ex-wife ex-husband puppy""".split()
)
SELF = frozenset(
    """pronouns birthday job title role position profession address phone number email e-mail timezone zone age height
    weight type rate pressure size surname nickname name nationality language tongue hometown town degree major subject
    school university company employer manager boss supervisor advisor adviser team department office shift shifts
    commute car bike laptop house flat apartment garden landlord doctor dentist therapist physio coach teacher tutor
    passport visa licence license contract fellowship lease insurance mortgage salary instrument hobby hobbies diet
    allergy allergies medication wedding anniversary exam thesis flight handle username account budget rent hours off
    band choir club desk background specialty speciality field research phd hearing eyesight sight knees back brain
    hip knee shoulder wrist ankle eyes ears placement internship apprenticeship mentor tours computer keyboard
    editor setup""".split()
)
STATES = frozenset(
    """still gone dead broken fine okay ok great tired back down late here there killing delayed cancelled canceled full
    empty low stuck lost on freezing hurting asleep sick ill hungry cold hot done ready busy ringing sore slow dying
    buzzing running over open wrong right clear better worse awful terrible happy sad upset furious cross good
    bad""".split()
)
MENTAL = frozenset(
    """think know guess hope mean feel wonder say wish suppose understand believe agree remember forget notice assume
    expect doubt promise suggest apologise apologize thank die lose miss hear bet imagine realise realize confess admit
    laugh cry mind care matter win have need want see find get wanna gonna gotta""".split()
)
REPORTING = frozenset(
    """open click press enter select call install upload push pull start add change set remove delete put try
    send""".split()
)
"""What people tell they just did when something fails."""
HABIT = (
    r"\b(?:always|usually|mostly|normally|generally|only|never|rarely|hardly|seldom|tend to|by default|every|each"
    r"|daily|weekly|twice|once an?|mornings?|evenings|afternoons|nights|weekends|weekdays|(?:mon|tues|wednes|thurs"
    r"|fri|satur|sun)days|most days|whenever|no matter|as a rule|for (?:everything|all|most)|instead of|rather than"
    r"|without|(?:before|after|until) (?:\d|noon|lunch|work|dinner|breakfast|bed|eight|nine|ten|eleven|six"
    r"|seven|five|midnight))\b"
)
GROUP_WAYS = frozenset(
    """use write follow name keep store format indent label tag wrap prefix version spell call speak squash merge review
    deploy release ship test run pair rotate archive back buy order pay charge bill log document work meet hold start
    close open stick tune wash clean lock count weigh feed water send sign file reply answer split share take hand
    put do serve accept avoid require publish build host track measure report check pin sort cut leave dress eat
    print scan invoice offer sell bake source get""".split()
)
GROUP_FACTS = frozenset(
    """have sell offer employ own rent ship depend support run host close open serve operate cover charge keep
    deliver""".split()
)
GOING = frozenset(
    "go come arrive fly leave travel drive move win play join visit run finish meet start close open get".split()
)
"""What a group does once at a time that is named, rather than always."""
ILLS = frozenset("seasick carsick travel-sick fright headaches migraines nosebleeds dizzy hives rashes cramps".split())
CALLINGS = frozenset(
    "sing paint knit climb swim dance ski surf garden fish hike bake cycle box row sail teach stammer snore".split()
)
COUNTS = frozenset(
    "two three four five six seven eight nine ten eleven twelve fifteen twenty thirty forty fifty".split()
)
ON_WHAT = frozenset("call duty leave medication insulin parental maternity sabbatical".split())
ABLE = frozenset(
    """eat drink drive swim hear lift digest tolerate have sleep concentrate focus speak smell taste handle carry kneel
    bend do make work meet take cook""".split()
)
REFUSED = frozenset("eat drink smoke fly touch use watch wear do take buy trust".split())
AT_HAND = frozenset(
    """tests test command commands script build server code query program app look break following same wrong time file
    error issue link screenshot""".split()
)
