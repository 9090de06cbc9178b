"""Cards, accounts and numbers of authorities are found by form and check digit or beside their word, nothing else."""

from __future__ import annotations

import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heldtrue.language import check_digits
from heldtrue.language.masking import mask_text
from tests.effort import assert_linear

DIGITS = st.text(string.digits, min_size=1)


def digits(count: int) -> st.SearchStrategy[str]:
    return st.text(string.digits, min_size=count, max_size=count)


def kinds(text: str) -> list[str]:
    return [found.kind for found in mask_text(text).findings]


def finish_luhn(body: str) -> str:
    return next(body + last for last in string.digits if check_digits.passes_luhn(body + last))


CARDS = st.one_of(
    digits(14).map(lambda rest: finish_luhn(f"4{rest}")),
    digits(13).map(lambda rest: finish_luhn(f"55{rest}")),
    digits(12).map(lambda rest: finish_luhn(f"37{rest}")),
    digits(11).map(lambda rest: finish_luhn(f"2223{rest}")),
)


def group(number: str, sign: str) -> str:
    sizes = (4, 6, 5) if len(number) == 15 else (4, 4, 4, 4)
    parts, start = [], 0
    for size in sizes:
        parts.append(number[start : start + size])
        start += size
    return sign.join(parts)


@settings(max_examples=150, deadline=None)
@given(
    CARDS, st.sampled_from(["", " ", "-", ".", "\u00a0", " - "]), st.sampled_from(["Paid with {}.", "card: {}", "{}"])
)
def test_a_card_is_masked_in_every_grouping(number: str, sign: str, sentence: str) -> None:
    written = group(number, sign)
    masked = mask_text(sentence.format(written))
    assert masked.text == sentence.format("[redacted:card-number]")


@settings(max_examples=150, deadline=None)
@given(CARDS, st.integers(1, 9), st.sampled_from(["", " ", "-"]))
def test_a_card_with_a_wrong_check_digit_is_left_alone(number: str, wrong: int, sign: str) -> None:
    last = str((int(number[-1]) + wrong) % 10)
    assert kinds(f"Paid with {group(number[:-1] + last, sign)} today") == []


@settings(max_examples=150, deadline=None)
@given(CARDS, st.sampled_from(["order number {}", "tracking {}", '"order_id": "{}"', "ticket #{}", "build {}", "a{}b"]))
def test_a_number_that_says_it_is_something_else_is_no_card(number: str, sentence: str) -> None:
    assert kinds(sentence.format(number)) == []
    assert kinds(f"card {number}") == ["card-number"]


@settings(max_examples=100, deadline=None)
@given(st.integers(10**18, 10**19 - 1), st.integers(1_500_000_000, 2_000_000_000))
def test_times_and_snowflakes_are_no_cards(snowflake: int, second: int) -> None:
    for text in (f"{second}123", f"{second}123456", f"{second}123456789", f"{snowflake}", f"id {snowflake}"):
        assert kinds(f"at {text} it began") == []


IBANS = st.sampled_from([("DE", 18), ("GB", 18), ("FR", 23), ("ES", 20), ("NL", 14), ("NO", 11), ("PL", 24)])


def make_iban(country: str, body: str) -> str:
    return next(f"{country}{check:02d}{body}" for check in range(2, 99) if is_iban(f"{country}{check:02d}{body}"))


def is_iban(account: str) -> bool:
    return check_digits.passes_iban(account)


@settings(max_examples=150, deadline=None)
@given(IBANS, st.data(), st.sampled_from(["", " ", "-"]), st.booleans())
def test_an_iban_is_masked_with_its_check_digits_and_not_without(
    country: tuple[str, int], data: st.DataObject, sign: str, small: bool
) -> None:
    account = make_iban(country[0], data.draw(digits(country[1])))
    written = sign.join(account[start : start + 4] for start in range(0, len(account), 4))
    written = written.lower() if small else written
    assert mask_text(f"rent to {written} on Monday").text == "rent to [redacted:iban] on Monday"
    other = account[:-1] + str((int(account[-1]) + 1) % 10)
    assert not is_iban(other)
    assert "iban" not in kinds(f"rent to {other} on Monday")


@pytest.mark.parametrize(
    ("number", "passes", "changed"),
    [
        ("86095742719", check_digits.passes_steuer_id, "86095742718"),
        ("65170839J003", check_digits.passes_german_pension, "65170839J008"),
        ("255081416802538", check_digits.passes_nir, "255081416802539"),
        ("2550814168025" + "38", check_digits.passes_nir, "155081416802538"),
        ("12345678Z", check_digits.passes_dni, "12345678A"),
        ("X1234567L", check_digits.passes_dni, "Y1234567L"),
        ("RSSMRA85T10A562S", check_digits.passes_codice_fiscale, "RSSMRA85T10A562T"),
        ("9434765919", check_digits.passes_nhs, "9434765918"),
        ("021000021", check_digits.passes_aba, "021000022"),
        ("52998224725", check_digits.passes_cpf, "52998224724"),
        ("7569217076985", check_digits.passes_ean13, "7569217076984"),
        ("490154203237518", check_digits.passes_luhn, "490154203237517"),
    ],
)
def test_check_digits_follow_the_public_schemes(number: str, passes: object, changed: str) -> None:
    assert callable(passes)
    assert passes(number)
    assert not passes(changed)


BESIDE = [
    ("card-code", "The CVV is {}", "381"),
    ("card-code", "Kartenpr\u00fcfnummer: {}", "0042"),
    ("card-expiry", "my card, valid thru {}", "09/28"),
    ("social-security-number", "SSN {}", "219-09-9999"),
    ("social-security-number", "her social security number is {}", "219 09 9999"),
    ("social-security-number", "NI number {}", "AB 12 34 56 C"),
    ("social-security-number", "Sozialversicherungsnummer {}", "65 170839 J 003"),
    ("social-security-number", "num\u00e9ro de s\u00e9curit\u00e9 sociale : {}", "2 55 08 14 168 025 38"),
    ("tax-number", "ITIN: {}", "912-78-4410"),
    ("tax-number", "UTR {}", "12345 67890"),
    ("tax-number", "Steuer-ID: {}", "86 095 742 719"),
    ("tax-number", "Steuernummer {}", "21/815/08150"),
    ("tax-number", "num\u00e9ro fiscal : {}", "30 23 217 600 053"),
    ("tax-number", "codice fiscale {}", "RSSMRA85T10A562S"),
    ("national-id", "DNI {}", "12345678Z"),
    ("national-id", "NIE: {}", "X-1234567-L"),
    ("sort-code", "sort code {}", "20-00-00"),
    ("bank-account", "account number {}", "55779911"),
    ("routing-number", "routing number {}", "021000021"),
    ("passport-number", "Passport no. {}", "C01X00T47"),
    ("driving-licence", "driving licence {}", "MORGA657054SM9IJ"),
    ("health-number", "NHS number {}", "943 476 5919"),
    ("health-number", "Versichertennummer: {}", "A123456780"),
    ("imei", "IMEI {}", "490154203237518"),
]


@pytest.mark.parametrize(("kind", "sentence", "number"), BESIDE)
@pytest.mark.parametrize("frame", ["{}", "Note: {}.", "Before.\n{}\nAfter."])
def test_a_number_beside_its_word_is_masked(kind: str, sentence: str, number: str, frame: str) -> None:
    text = frame.format(sentence.format(number))
    masked = mask_text(text)
    assert kind in [found.kind for found in masked.findings]
    assert number not in masked.text


@pytest.mark.parametrize(("kind", "sentence", "number"), BESIDE)
def test_a_number_in_a_table_or_below_its_word_is_masked(kind: str, sentence: str, number: str) -> None:
    name = sentence.partition("{}")[0].strip(" :").split(" is")[0]
    if kind == "card-expiry":
        name = "card expiry"
    for text in (f"| {name} | {number} |", f"| who | {name} |\n|---|---|\n| Ann | {number} |", f"{name}:\n\n{number}"):
        assert number not in mask_text(text).text, text


@pytest.mark.parametrize("sentence", ["{} is my passport number", "she gave {} (passport)", "use {} as the NHS number"])
def test_a_number_before_its_word_is_masked(sentence: str) -> None:
    assert mask_text(sentence.format("943 476 5919")).text.count("[redacted:") == 1


ORDINARY = """\
Order number 4539578763621486 shipped on 2026-03-04
tracking number 1Z999AA10123456784
ISBN 978-3-16-148410-0
AWS account 123456789012 runs the staging cluster
commit 9fceb02d0ae598e95dc970b74767f19372d61af8
Call +49 30 901820 or 020 7946 0958 before noon
phone (555) 123-4567, ask for Kim
the sort code path handles 371509 keys
routing table has 120000000 entries
The passport library 0.7.0 breaks with express 5
passport renewal takes 6 weeks and costs 120 EUR
pin 13 is ground, pin 4 is 5 V
Pin the version to 2024 until the fix is out
The certificate expires 12/2027
card layout uses 1200 px columns
health check took 123456 us
member since 2019-04-01, 123456 points
tax year 2024/25 begins in April
version 20240115.1 of the driver 535.104.05
coordinates 52.520008, 13.404954
10.0.0.12:8443 answered in 1200 ms
EUR 12.345.678,90 in revenue
1700000000123 is the timestamp
Discord channel 112233445566778899
VAT DE136695976
seed = 123456789
error code 1045 on port 3306
2026-01-15T09:30:00.123456Z worker-3 took 20411 ms
DOI 10.1000/s12345-678-90123-4
insurance costs 4200 EUR a year""".splitlines()


@pytest.mark.parametrize("text", ORDINARY)
def test_an_ordinary_line_with_numbers_is_left_alone(text: str) -> None:
    assert mask_text(text).text == text


PASSWORD = "Kestrel#4417x"
COMMANDS = [
    "mysql -u root -p{} shop",
    "mysqldump -h db1 -u root -p'{}' crm",
    "sshpass -p {} ssh ops@db1",
    "curl -u admin:{} https://nas.example/api",
    "PGPASSWORD={} psql -h db1",
    "redis-cli -h cache -a {} ping",
    "docker login -u ci -p {} registry.example",
    "mongosh --username root --password {}",
    "ldapsearch -D cn=admin -w {}",
    "sqlcmd -S db1 -U sa -P {}",
    "CREATE USER 'app' IDENTIFIED BY '{}';",
    "ALTER ROLE app WITH PASSWORD '{}'",
    "openssl rsa -in key.pem -passin pass:{}",
    "WIFI:S:guest;T:WPA;P:{};;",
    "echo '{}' | sudo -S apt update",
]
LAYOUTS = [
    "| user | password |\n|---|---|\n| root | {} |",
    "| Field | Value |\n|---|---|\n| Password | {} |",
    "+------+--------+\n| login | passwd |\n+------+--------+\n| sam | {} |\n+------+--------+",
    "user,password\nann,{}",
    "user\tpassword\nann\t{}",
    "Password:\n{}",
    "Password\n\n{}\n",
    "## Password\n```\n{}\n```",
    "**Password:** {}",
]
SPELLINGS = [
    "p\u0430ssword: {}",
    "P\u0430\u0455\u0455w\u043erd is {}",
    "mdp : {}",
    "La password del server \u00e8 {}",
    "contrase\u00f1a del router: {}",
    "has\u0142o: {}",
    "l\u00f6senord: {}",
    "{} is the password for the NAS",
    "the new password, valid from Monday, is {}",
]


@pytest.mark.parametrize("sentence", [*COMMANDS, *LAYOUTS, *SPELLINGS])
def test_a_password_is_masked_in_commands_layouts_and_spellings(sentence: str) -> None:
    masked = mask_text(sentence.format(PASSWORD))
    assert masked.findings
    assert PASSWORD not in masked.text


@pytest.mark.parametrize(
    "text",
    [
        "docker run -p 8080:80 app",
        "ssh -p 2222 ops@db1",
        "psql -h db1 -p 5432 -U app",
        "mysql -u root -p shop",
        "The options --username and --password are read from the file",
        "| Field | Type |\n|---|---|\n| password | varchar(255) |\n| pin | integer |",
        "| user | role |\n|---|---|\n| root | admin |",
        "Password\n\nStored in Vault since 2024-01-05",
        "curl -u $USER:$TOKEN https://x.example",
    ],
)
def test_commands_and_tables_without_a_password_are_left_alone(text: str) -> None:
    assert mask_text(text).text == text


PHRASE = "cabin galaxy napkin label quiz false idea palace hammer raccoon fabric absent"


@pytest.mark.parametrize(
    "text",
    [
        f"seed phrase: {PHRASE}",
        f"Recovery phrase\n{PHRASE}\n",
        f'mnemonic = "{PHRASE}"',
        f"Seed words: {', '.join(PHRASE.split())}",
        "Backup words:\n" + "\n".join(f"{number}. {word}" for number, word in enumerate(PHRASE.split(), 1)),
        PHRASE,
        f"keep this\n{PHRASE}\nthanks",
    ],
)
def test_a_seed_phrase_is_masked(text: str) -> None:
    masked = mask_text(text).text
    assert "[redacted:seed-phrase]" in masked
    assert "raccoon" not in masked


@pytest.mark.parametrize(
    "text",
    [
        "Write the seed phrase on paper and never store it in the cloud, because whoever reads it owns the wallet.",
        "The recovery plan covers backups, restores and the people who are called at night.",
        "when users open the page the server sends them the newest list of open orders",
    ],
)
def test_prose_is_no_seed_phrase(text: str) -> None:
    assert mask_text(text).text == text


@pytest.mark.parametrize("text", ["PIN: 4821", "my pin is 4821", "door code 4821", "the PIN for the blue card is 4821"])
def test_a_pin_is_masked_beside_its_word(text: str) -> None:
    assert mask_text(text).text == text.replace("4821", "[redacted:pin]")


HOSTILE = (
    *("1 ", "1-", "4111 ", "12345678 ", "DE89", "DE89 3704 ", "SSN ", "passport ", "passport of a ", "PIN is ", "cvv "),
    *("account number is ", "seed phrase ", "seed the ", "ab cd ", "word ", "| password ", "password\n", "a,b\n"),
    *(
        "mysql -p",
        "mysql a -",
        "curl -u a",
        "echo a|",
        "1A",
        "a1 ",
        "no. ",
        "is my passport number ",
        "X1234567",
        "sort ",
    ),
    *("password \u0430", "card 1/", "code for the ", "|", "\t", "\n", "net use a ", "user/", "12/"),
)


@pytest.mark.parametrize("unit", HOSTILE, ids=ascii)
def test_hostile_text_costs_no_more_than_its_length(unit: str) -> None:
    assert_linear(mask_text, unit * (65_536 // len(unit)))


@settings(max_examples=300, deadline=None)
@given(
    st.text(max_size=120),
    st.sampled_from(["SSN ", "| password |", "PIN: ", "passport no. ", "seed phrase: ", "mysql -u a -p", "card\n"]),
    st.text(max_size=60),
)
def test_any_text_is_read_without_error_and_masking_twice_changes_nothing_more(
    before: str, name: str, after: str
) -> None:
    once = mask_text(before + name + after).text
    assert mask_text(once).text.count("[redacted:") >= once.count("[redacted:")


@pytest.mark.parametrize(
    "command",
    [
        "/opt/tools/.venv/bin/heldtrue hook session-start --agent claude-code --home /srv/people/agent/home",
        "make build test lint --jobs four && copy dist/app/bin/tool opt/local/share/backup --keep",
    ],
)
def test_a_path_or_a_command_is_no_seed_phrase(command: str) -> None:
    assert mask_text(command).findings == ()
