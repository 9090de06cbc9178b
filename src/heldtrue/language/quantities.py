"""Numbers with their units, in the one form in which equal amounts are equal."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from functools import lru_cache

from heldtrue.domain.claim import DateMention, Identifier, Quantity
from heldtrue.language.dates import find_dates
from heldtrue.language.guard import spend
from heldtrue.language.identifiers import find_identifiers

_CURRENCY_SIGNS = {
    "$": "usd",
    "€": "eur",
    "£": "gbp",
    "¥": "jpy",
    "₹": "inr",
    "₽": "rub",
    "₩": "krw",
    "₪": "ils",
    "₺": "try",
}

_NUMBER = re.compile(
    r"(?=[\d$€£¥₹₽₩₪₺+\-−UCA])(?<![\w.,:/#])(?:(?:US|CA|AU)?([$€£¥₹₽₩₪₺]) ?)?([+\-−](?=\d))?"
    r"(\d{1,3}(?:,\d{3})+(?:\.\d+)?(?![\d,])"
    r"|\d{1,3}(?:[ \u00a0\u202f’_]\d{3})+(?:[.,]\d{1,2})?(?![\d’_])(?![ \u00a0]\d)"
    r"|\d{1,3}(?:\.\d{3}){2,}(?:,\d+)?|\d+(?:[.,٫]\d+)?)"
    r"(?:(?=[^\w\s])|(?=\s)|(?=\w)|\Z)"
)
_UNIT = re.compile(r"[ \u00a0\u202f\-]?((?:[^\W\d_]|[\u0900-\u0963°µμ%％٪$€£¥₹₽₩₪₺℃℉])+(?:/[^\W\d_]+)?)")
_CLOCK = (
    r"(?i)(?<![\w.:\-])(?:([01]?\d|2[0-3]):([0-5]\d)(?::[0-5]\d)?(?: ?([ap])\.?m\b\.?)?"
    r"|(1[0-2]|0?[1-9]) ?([ap])\.?m\b)(?![\w:])"
)
_CLOCK_HINT = re.compile(r"\d:\d|\d ?[aApP]\.?[mM]")
_FIRST_DIGIT = re.compile(r"\d(?<![\w.:]\d)")  # no number and no time of day starts inside a word such as `x86`

_NUMBER_WORDS = {
    word: Decimal(number)
    for number, words in enumerate(
        "zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty".split(
            "|"
        )
    )
    for word in words.split()
} | {
    "thirty": Decimal(30),
    "forty": Decimal(40),
    "fifty": Decimal(50),
    "sixty": Decimal(60),
    "ninety": Decimal(90),
    "dozen": Decimal(12),
}

# Words that may be in the table; the pattern starts with a set of characters, so that a search skips to them.
_NUMBER_WORD = re.compile(r"[DEFNOSTZdefnostz](?<=\b.)[A-Za-z]{2,8}\b", re.ASCII)

_SCALES = {
    "k": 1000, "K": 1000, "thousand": 1000, "M": 10**6, "mio": 10**6, "million": 10**6, "millions": 10**6, "mn": 10**6,
    "bn": 10**9, "billion": 10**9, "trillion": 10**12, "hundred": 100, "万": 10**4, "億": 10**8, "亿": 10**8,
}  # fmt: skip

# One line a dimension: canonical unit, then `words=factor` groups.
_UNIT_TABLE = """
s: ns,nanosecond,nanoseconds=1e-9 us,µs,μs,microsecond,microseconds=1e-6
s: ms,msec,millis,millisecond,milliseconds=0.001
s: s,sec,secs,second,seconds,sekunde,sekunden,segundo,segundos,seconde,secondes,секунд,секунды,секунда,сек,秒=1
s: 초,δευτερόλεπτα,ثانية,ثواني,שניות,सेकंड=1
s: min,mins,minute,minutes,minuten,minuto,minutos,минут,минуты,минута,мин,分钟,分鐘,分間,分,분,λεπτά,دقيقة=60
s: دقائق,דקות,मिनट=60
s: h,hr,hrs,hour,hours,stunde,stunden,hora,horas,heure,heures,час,часа,часов,小时,小時,時間,시간,ώρες,ساعة=3600
s: ساعات,שעות,घंटे=3600
s: d,day,days,tag,tage,tagen,día,días,dia,dias,jour,jours,день,дня,дней,天,일,ημέρες,يوم,أيام,ימים,दिन=86400
s: week,weeks,woche,wochen,semana,semanas,semaine,semaines,недель,недели,неделя,周,週間=604800
month: month,months,monat,monate,monaten,mes,meses,mois,месяц,месяца,месяцев,个月,ヶ月,개월=1 quarter,quarters=3
month: year,years,yr,yrs,jahr,jahre,jahren,año,años,ans,an,год,года,лет,年=12
byte: byte,bytes,B=1 kb,KB,kB,kilobyte,kilobytes=1e3 mb,MB,megabyte,megabytes=1e6 gb,GB,gigabyte,gigabytes,Go=1e9
byte: tb,TB,terabyte,terabytes=1e12 pb,PB=1e15
byte: KiB,kib=1024 MiB,mib=1048576 GiB,gib,Gi=1073741824 TiB,tib=1099511627776 Mi=1048576 Ki=1024
bit: bit,bits=1 Kb,kbit=1e3 Mb,mbit,Mbit=1e6 Gb,gbit,Gbit=1e9
bit/s: bps,bit/s=1 kbps,Kbps,kbit/s=1e3 mbps,Mbps,Mbit/s,mbit/s=1e6 gbps,Gbps,Gbit/s=1e9 MB/s=8e6 GB/s=8e9
bit/s: KB/s,kB/s=8e3
percent: %,％,٪,percent,pct,prozent,процент,процента,процентов=1 percentage=1 bp,bps.=0.01
usd: $,usd,USD,dollar,dollars,美元=1 cents=0.01
eur: €,eur,EUR,euro,euros,евро,欧元=1
gbp: £,gbp,GBP=1
jpy: ¥,jpy,JPY,yen,円=1
cny: cny,CNY,rmb,RMB,yuan,元=1
inr: ₹,inr,INR,rupees,रुपये=1
rub: ₽,rub,RUB,рублей,рубля,руб=1
krw: ₩,KRW,won,원=1
chf: chf,CHF=1
m: nm=1e-9 mm,millimeters,millimetres=0.001 cm,centimeters,centimetres,см=0.01
m: m,meter,meters,metre,metres,mètres,metros,м,метров,米=1 km,kilometer,kilometers,kilometre,kilometres,км,公里=1000
m: inch,inches=0.0254 ft,foot,feet=0.3048 yards=0.9144 mi,mile,miles=1609.344
g: mg,milligrams=0.001 g,gram,grams,gramm=1 kg,kilo,kilos,kilogram,kilograms,кг,公斤=1000 t,tonne,tonnes,tons=1e6
g: lb,lbs,pound,pounds=453.59237 oz,ounce,ounces=28.349523125
l: ml,mL=0.001 cl=0.01 l,L,liter,liters,litre,litres=1
celsius: °C,°c,℃,celsius=1
fahrenheit: °F,°f,℉,fahrenheit=1
kelvin: kelvin=1
degree: °,degree,degrees=1
hz: hz,Hz,hertz=1 khz,kHz,KHz,kilohertz=1e3 mhz,MHz=1e6 ghz,GHz=1e9
px: px,pixel,pixels=1
dpi: dpi=1
fps: fps=1
request/s: rps,qps,req/s=1
km/h: km/h,kmh,kph=1 mph=1.609344
watt: W,watt,watts=1 kW=1000
volt: V,volt,volts=1
retry: retry,retries=1
attempt: attempt,attempts=1
user: user,users=1
request: request,requests=1
worker: worker,workers=1
thread: thread,threads=1
core: core,cores=1
replica: replica,replicas=1
connection: connection,connections=1
row: row,rows=1
line: line,lines=1
item: item,items=1
char: character,characters,chars,char=1
token: token,tokens=1
file: file,files=1
time: times=1 twice=2
person: person,people,persons=1
space: space,spaces=1
node: node,nodes=1
"""


_COUNTED = frozenset(
    """retry attempt user request worker thread core replica connection row line item char token file time person space
    node""".split()
)


@lru_cache(maxsize=1)
def _units() -> dict[str, tuple[str, Decimal]]:
    """Every written unit with its canonical unit and factor, read from the table at first need."""
    units: dict[str, tuple[str, Decimal]] = {}
    for line in _UNIT_TABLE.strip().splitlines():
        canonical, _, groups = line.partition(":")
        for group in groups.split():
            words, _, factor = group.partition("=")
            for word in words.split(","):
                units[word] = (canonical, Decimal(factor))
    return units


def is_unit(word: str) -> bool:
    """Whether a word is a unit of measure, as it is written or in small letters; what is only counted is none."""
    known = _units().get(word) or _units().get(word.lower())
    return known is not None and known[0] not in _COUNTED


def find_quantities(
    text: str, *, identifiers: Sequence[Identifier] | None = None, dates: Sequence[DateMention] | None = None
) -> tuple[Quantity, ...]:
    """Every number of the text in order, in canonical units; digits of identifiers and dates are left alone."""
    spend(len(text))
    found: list[Quantity] = []
    if _FIRST_DIGIT.search(text):
        names = find_identifiers(text) if identifiers is None else identifiers
        days = find_dates(text) if dates is None else dates
        taken = sorted([(name.start, name.end) for name in names] + [(day.start, day.end) for day in days])
        if _CLOCK_HINT.search(text):
            found.extend(_skip_taken(taken, _read_clock_times(text)))
            taken = sorted(taken + [(quantity.start, quantity.end) for quantity in found])
        found.extend(_skip_taken(taken, _read_numbers(text)))
    if not _NUMBER_WORDS.keys().isdisjoint(map(str.lower, _NUMBER_WORD.findall(text))):
        found.extend(_skip_taken(sorted((q.start, q.end) for q in found), _read_number_words(text)))
    found.sort(key=_start_of)
    return tuple(found)


def _start_of(quantity: Quantity) -> int:
    return quantity.start


def _skip_taken(ordered: list[tuple[int, int]], quantities: Iterator[Quantity]) -> Iterator[Quantity]:
    """The quantities outside the taken spans: both run from left to right, so one pass decides."""
    position = 0
    for quantity in quantities:
        while position < len(ordered) and ordered[position][1] <= quantity.start:
            position += 1
        if position == len(ordered) or ordered[position][0] >= quantity.end:
            yield quantity


def _read_clock_times(text: str) -> Iterator[Quantity]:
    """Times of day as minutes after midnight, so that `3 pm` and `15:00` are the same."""
    for match in re.finditer(_CLOCK, text):
        hour, minute = int(match[1] or match[4]), int(match[2] or 0)
        half = (match[3] or match[5] or "").lower()
        if half:
            hour = hour % 12 + (12 if half == "p" else 0)
        yield Quantity(match.group(), str(hour * 60 + minute), "clock", match.start(), match.end())


def _read_numbers(text: str) -> Iterator[Quantity]:
    for match in _NUMBER.finditer(text):
        number = _parse_number(match[3])
        if match[2] in ("-", "−") and number:
            number = -number
        reading = _read_unit(text, match.end(), number, bool(match[1]))
        if reading is None:
            continue
        end, number, unit = reading
        if match[1]:
            unit = _CURRENCY_SIGNS[match[1]]
        yield Quantity(text[match.start() : end], plain_number(number), unit, match.start(), end)


def _parse_number(written: str) -> Decimal:
    """The number without its grouping; a lone comma is decimal unless three digits follow it."""
    if written.isdecimal():
        return Decimal(written)
    digits = re.sub("[ \u00a0\u202f’_]", "", written).replace("٫", ".")
    if "," in digits:
        head, _, tail = digits.rpartition(",")
        if "." in tail or len(tail) == 3:
            digits = digits.replace(",", "")
        else:
            digits = head.replace(".", "") + "." + tail
    elif digits.count(".") > 1:
        digits = digits.replace(".", "")
    return Decimal(digits)


def plain_number(number: Decimal) -> str:
    """Decimal digits without exponent and without trailing zeros."""
    if number.adjusted() > 60 or number.adjusted() < -60:
        return str(number.normalize())
    shown = format(number, "f")
    if "." in shown:
        shown = shown.rstrip("0").rstrip(".")
    return "0" if shown in ("-0", "") else shown


def _read_unit(text: str, end: int, number: Decimal, priced: bool) -> tuple[int, Decimal, str] | None:
    """Where the quantity ends, with its number and unit in canonical form; None where the digits belong to a word."""
    match = _UNIT.match(text, end)
    if match is None:
        return None if text[end : end + 1] == "_" else (end, number, "")
    word, attached = match[1], match.start(1) == end
    if scale := _SCALES.get(word if len(word) == 1 else word.lower()):
        number *= scale
        end = match.end()
        following = None if priced else _UNIT.match(text, end)
        if following is None or (unit := _look_up(following[1], attached=False)) is None:
            return end, number, ""
        return (following.start(1) + unit[0], *_convert(number, unit[1], unit[2]))
    if attached and word == "s" and 1000 <= number < 2100 and number % 10 == 0:
        return None  # the 1990s
    found = None if priced else _look_up(word, attached=attached)
    if found is None:
        return None if attached and word[0].isascii() and word[0].isalpha() else (end, number, "")
    return (match.start(1) + found[0], *_convert(number, found[1], found[2]))


def _look_up(word: str, *, attached: bool) -> tuple[int, str, Decimal] | None:
    """Length of the unit in the word, its canonical unit and factor."""
    units = _units()
    if word == "m" and attached:
        return 1, "s", Decimal(60)  # `5m` is how durations are configured; lengths are written `5 m`.
    known = units.get(word) or (units.get(word.lower()) if len(word) > 1 else None)
    if known:
        return len(word), *known
    if "/" in word and (known := units.get(word.partition("/")[0])):
        return word.index("/"), *known
    if not word[0].isascii() or not word[-1].isascii():
        for length in (4, 3, 2, 1):
            if length < len(word) and (known := units.get(word[:length])) and not word[:length].isascii():
                return length, *known
    return None


def _convert(number: Decimal, unit: str, factor: Decimal) -> tuple[Decimal, str]:
    if unit == "fahrenheit" and number.adjusted() < 12:
        return ((number - 32) * 5 / 9).quantize(Decimal("0.0001")), "celsius"
    return number * factor, unit


def _read_number_words(text: str) -> Iterator[Quantity]:
    """Numbers written as words: `three retries`; `one` only before a unit, as it is mostly no number."""
    for match in _NUMBER_WORD.finditer(text):
        word = match.group().lower()
        number = _NUMBER_WORDS.get(word)
        if number is None:
            continue
        unit_match = _UNIT.match(text, match.end())
        unit = _look_up(unit_match[1], attached=False) if unit_match else None
        if unit_match and unit:
            converted, name = _convert(number, unit[1], unit[2])
            end = unit_match.start(1) + unit[0]
            yield Quantity(text[match.start() : end], plain_number(converted), name, match.start(), end)
        elif word != "one" and text[match.end() : match.end() + 1] != "-":
            yield Quantity(match.group(), plain_number(number), "", match.start(), match.end())
