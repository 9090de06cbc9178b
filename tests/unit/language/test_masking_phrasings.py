"""The ways in which people write a secret beside its name, and what looks alike and is none."""

from __future__ import annotations

import pytest

from heldtrue.language.masking import mask_text
from heldtrue.language.word_classes import is_mixture
from tests.effort import assert_linear

PASSWORD = "Tulpe#77Regen"
KEY_ID, KEY = "AKIAQ7XK2M5LPZ3RT6YB", "Vb8/kPq2LmN5xRt7Yw0ZsD3fGh6JkL9cXe1AuTo4"
SEED = "gesture brisk orphan tunnel velvet mimic harvest oblige canyon riot slender puzzle".split()

LAYOUTS = [
    "<table>\n<tr><th>Login</th><th>Password</th></tr>\n<tr><td>bo</td><td>{}</td></tr>\n</table>",
    "<tr>\n<th>User</th>\n<th>Password</th>\n</tr>\n<tr>\n<td>bo</td>\n<td>{}</td>\n</tr>",
    "<dt>Password</dt>\n<dd>{}</dd>",
    "USER        PASSWORD        ROLE\nbo          {}    admin",
    '"id","email","pass"\n"17","bo@shop.example","{}"',
    "\u2551 Dienst \u2551 Passwort \u2551\n\u2551 VPN \u2551 {} \u2551",
    "| | Test | Live |\n|---|---|---|\n| User | app | app |\n| Password | none | {} |",
    "name;value\ndb_host;10.4.0.12\ndb_password;{}",
    "INSERT INTO users (login, password) VALUES ('bo', '{}');",
    "PASSWORD\n--------\n{}",
    "Password\nUser: bo\n{}",
    "Login\nPassword\nbo\n{}",
    "New login for the shop:\nbo@shop.example\n{}",
    "Here you go, the password:\n\n{}",
    "2. Enter this password:\n   {}\n3. Press F10",
    "admin password (change after login):\n{}",
]
SENTENCES = [
    "we changed the router password from Marigold41 to {} yesterday",
    "The password hasn't changed since March: {}",
    "the password would be {}, do not share it",
    "the pass is still {} on that box",
    "enter {} when the phone wants the wifi password",
    "just use {} to log in, that is the password for everyone",
    "The old password {} still works",
    "My password? It's {}.",
    "The password (don't laugh) is {}",
    "Das Kennwort wurde auf {} ge\u00e4ndert",
    "Das Passwort dazu lautet {}.",
    "Heslo k \u00fa\u010dtu je {}.",
    "L\u00f6senordet till skrivaren \u00e4r {}",
    "p a s s w o r d : {}",
    "p@ssw0rd for vpn -> {}",
    "guest wifi is Attic5G, pass {}",
    "clave del wifi: {}",
]


@pytest.mark.parametrize("sentence", [*LAYOUTS, *SENTENCES])
def test_a_password_is_masked_however_it_is_joined_to_its_name(sentence: str) -> None:
    masked = mask_text(sentence.format(PASSWORD))
    assert PASSWORD not in masked.text
    assert {found.kind for found in masked.findings} <= {"password", "secret"}


@pytest.mark.parametrize(
    ("text", "secrets"),
    [
        ("the wifi's Attic5G and the key is saltyflipflops", ["saltyflipflops"]),
        (f"the secret that came with it was {KEY}, the id is {KEY_ID}", [KEY, KEY_ID]),
        ("S/C: 77 98 90  A/C: 31253300", ["77 98 90", "31253300"]),
        ("send the 40 quid to 58887965 40-06-52", ["58887965", "40-06-52"]),
        ("Account: 60318842 (NatWest, 20-44-91)", ["60318842", "20-44-91"]),
        ("the account is held under number 32264584; the sort code is 11-15-30", ["32264584", "11-15-30"]),
        ("name,sort_code,account\nBo,04-00-93,98268490", ["04-00-93", "98268490"]),
        ("| Routing | Account |\n|---|---|\n| 021000021 | 6837235837 |", ["021000021", "6837235837"]),
        ("Voided check shows 124003116 and account 2183940175", ["124003116", "2183940175"]),
        ("passport_number: Z9T046RX4", ["Z9T046RX4"]),
        ("Bo's passport is L8391027 and Mei's is E40281937.", ["L8391027", "E40281937"]),
        ("Passport number (as shown on page 2): 526929342", ["526929342"]),
        ("Employer Identification Number (EIN) .......... 46-0879898", ["46-0879898"]),
        ("meine id f\u00fcr den steuerberater 39357860142", ["39357860142"]),
        ("And the three digits on the reverse, please?\nCaller: sure, 539", ["539"]),
        ("the alarm goes off after 30 sec, type 7718 then the green button", ["7718"]),
        ("c\u00f3digo de la alarma 5193 y el del portal 0864", ["5193", "0864"]),
        ("jdbc:oracle:thin:hr/Qo8ozl7BnK@//ora2:1521/PROD", ["Qo8ozl7BnK"]),
    ],
)
def test_a_secret_is_masked_in_the_words_of_people(text: str, secrets: list[str]) -> None:
    masked = mask_text(text).text
    assert [secret for secret in secrets if secret in masked] == []


@pytest.mark.parametrize(
    "text",
    [
        "DB_PASSWORD=\nDB_NAME=shop1",
        "user,last_password_change\nbo,2024-03-01",
        "| Field | Type | Required |\n|---|---|---|\n| user | varchar(64) | yes |\n| password | varchar(255) | yes |",
        "<table><tr><th>Field</th><th>Rule</th></tr><tr><td>Password</td><td>8-64 characters</td></tr></table>",
        "Your password must contain:\n1 uppercase letter",
        "We changed the password hashing from bcrypt to argon2id.",
        "Password reset flow: see ticket AUTH-2291",
        "The second pass is O(n log n) in the worst case.",
        "The wifi password is available at reception.",
        "The wifi key is printed on the router.",
        "p@ssw0rd-style passwords are rejected",
        "\u30d1\u30b9\u30ef\u30fc\u30c9\u306f8\u6587\u5b57\u4ee5\u4e0a\u3067\u5165\u529b\u3057\u3066\u304f\u3060\u3055\u3044\u3002",
        "Paid on 12-04-23, invoice 20240412.",
        "Invoice 60318842 due 20-04-24.",
        "The bank branch opened 12.03.98 with 20000000 in deposits.",
        "The routing latency was 021000021 ns in the trace.",
        "The last four digits are 4417.",
        "HTTP code 503 while paying by credit card",
        "Enter 2024 in the year field next to the gate number.",
        "office code 1200 in the HR export is Berlin",
        "The combination of 1200 and 1500 rpm works.",
        "invoice numbered 200285363 was paid",
        "sip:trunk1@voip.example.com:5060",
        "INSERT INTO settings (name, value) VALUES ('page_size', '25');",
    ],
)
def test_what_only_looks_like_a_secret_stays(text: str) -> None:
    assert mask_text(text).text == text


@pytest.mark.parametrize(
    "text",
    [
        " ".join(SEED),
        ", ".join(SEED),
        "\n".join(f"{number:2}. {word}" for number, word in enumerate(SEED, 1)),
        "\n".join(f"{n + 1}. {SEED[n]:<12} {n + 7}. {SEED[n + 6]}" for n in range(6)),
        "| # | word |\n|---|---|\n" + "\n".join(f"| {number} | {word} |" for number, word in enumerate(SEED, 1)),
        " ".join(f"{number} {word}" for number, word in enumerate(SEED, 1)),
        "typing it from the paper: " + ", ".join(SEED) + ". did it restore?",
        "keep this safe\n" + " ".join(SEED) + "\nthanks",
        "TREZOR " + " ".join(SEED).upper(),
    ],
)
def test_a_seed_phrase_is_masked_in_every_layout(text: str) -> None:
    masked = mask_text(text).text.lower()
    assert [word for word in SEED if word in masked] == []


@pytest.mark.parametrize(
    "text",
    [
        "bread butter tea pepper pasta nuts beans olives garlic milk onions salt",
        "hinge hammer river teapot chimney puddle drawer trellis garden saddle bucket basket",
        "run jump swim climb throw catch kick roll skip hop crawl dance",
        "get put post patch delete head options trace connect list show create",
        "Words with silent letters: gnat, knee, wreck, debt, doubt, psalm, tomb, half, calf, walk, talk, folk",
        "Wallet features: send, receive, swap, stake, buy, sell, scan, sign, verify, backup, restore, export",
    ],
)
def test_a_list_of_like_things_is_no_seed_phrase(text: str) -> None:
    assert mask_text(text).text == text


def test_words_by_chance_are_a_mixture_and_words_of_one_class_are_not() -> None:
    assert is_mixture(SEED)
    assert not is_mixture("lion tiger bear wolf eagle owl zebra camel monkey parrot snake frog".split())


@pytest.mark.parametrize(
    "unit",
    [
        *("password from x1 ", "p-a-s-s ", "wifi key for a ", "enter abcdef1 when ", "password   user\n", "ability, "),
        *(
            "Password\nUser: x\n",
            "login\npassword\n\n",
            "<tr><td>x",
            "</tr>",
            "<a",
            "12-34-56 12345678 pay ",
            "1. word ",
        ),
        *(
            "sort code 12-34-56 ",
            "ach 123456789 ",
            ") values (",
            "(x) values (1),",
            "alarm type 1234 ",
            "pin 1234 and the ",
        ),
        *("login:\nbo\n", "passport L8391027 and Mei's is ", "user,password\n"),
    ],
    ids=ascii,
)
def test_the_ways_of_writing_cost_no_more_than_the_length_of_the_text(unit: str) -> None:
    assert_linear(mask_text, unit * (65_536 // len(unit)))
