"""Claims: subject, attribute, value, polarity, exclusiveness."""

from __future__ import annotations

import pytest

from heldtrue.domain.claim import Claim
from heldtrue.language.grammar.lexicon import is_pronoun
from heldtrue.language.statements import analyse_statement
from tests.effort import assert_linear


def _claims(text: str) -> tuple[Claim, ...]:
    return analyse_statement(text).claims


# sentence, subject, attribute, value, positive, exclusive
ONE = [
    ("The office is in Berlin.", "offic", "be in", "berlin", True, True),
    ("The office is located in Berlin.", "offic", "be in", "berlin", True, True),
    ("Our office is based in Berlin", "offic", "be in", "berlin", True, True),
    ("The office is not in Berlin.", "offic", "be in", "berlin", False, True),
    ("The office isn't in Berlin.", "offic", "be in", "berlin", False, True),
    ("The office isn’t in Berlin.", "offic", "be in", "berlin", False, True),
    ("The office is no longer in Berlin.", "offic", "be in", "berlin", False, True),
    ("Alice's email is Ada@X.com.", "alic", "email", "ada@x.com", True, True),
    ("Alice's e-mail address is ada@x.com", "alic", "email", "ada@x.com", True, True),
    ("The email of Alice is ada@x.com", "alic", "email", "ada@x.com", True, True),
    ("Alice's phone number is 555-123-4567", "alic", "phone", "5551234567", True, True),
    ("the timeout of the API is 30 s", "api", "timeout", "30 s", True, True),
    ("The API's timeout is 30 seconds.", "api", "timeout", "30 s", True, True),
    ("The timeout for the API is 30 s", "api", "timeout", "30 s", True, True),
    ("API timeout: 30 s", "api", "timeout", "30 s", True, True),
    ("api_timeout = 30s", "api", "timeout", "30 s", True, True),
    ("The API timeout is set to 30,000 ms.", "api", "timeout", "30 s", True, True),
    ("The API has a timeout of 30 s", "api", "timeout", "30 s", True, True),
    ("The API listens on port 8080.", "api", "port", "8080", True, True),
    ("The API runs on port 8080", "api", "port", "8080", True, True),
    ("API port: 8080", "api", "port", "8080", True, True),
    ("The API port is 8080", "api", "port", "8080", True, True),
    ("The default branch is main.", "branch", "default", "main", True, True),
    ("The timeout defaults to 30 s", "timeout", "default", "30 s", True, True),
    ("The default timeout is 30 s", "timeout", "default", "30 s", True, True),
    ("The repo is owned by Alice.", "repo", "owner", "alic", True, True),
    ("Alice owns the repo.", "repo", "owner", "alic", True, True),
    ("Alice is the owner of the repo.", "repo", "owner", "alic", True, True),
    ("The owner of the repo is Alice.", "repo", "owner", "alic", True, True),
    ("The repo belongs to Alice", "repo", "owner", "alic", True, True),
    ("Berlin is the capital of Germany", "germani", "capit", "berlin", True, True),
    ("The capital of Germany is Berlin", "germani", "capit", "berlin", True, True),
    ("The CEO is Bob", "ceo", "be", "bob", True, True),
    ("Alice is tall.", "alic", "be", "tall", True, False),
    ("Alice is not tall.", "alic", "be", "tall", False, False),
    ("Alice is a doctor.", "alic", "be", "doctor", True, False),
    ("Alice isn't a doctor.", "alic", "be", "doctor", False, False),
    ("Alice is 30", "alic", "be", "30", True, True),
    ("My favorite color is blue.", "i", "favorit color", "blue", True, True),
    ("Alice's favourite color is blue", "alic", "favorit color", "blue", True, True),
    ("The report is due on 2026-05-17.", "report", "due", "2026-05-17", True, True),
    ("The report is due by 17 May 2026.", "report", "due", "2026-05-17", True, True),
    ("The deadline for the report is May 17, 2026.", "report", "due", "2026-05-17", True, True),
    ("Alice was born in 1990.", "alic", "born on", "1990", True, True),
    ("Alice was born in Berlin.", "alic", "born in", "berlin", True, True),
    ("The project is called Heldtrue.", "project", "name", "heldtru", True, True),
    ("The project is named Heldtrue.", "project", "name", "heldtru", True, True),
    ("Alice lives in Berlin.", "alic", "live in", "berlin", True, True),
    ("Alice resides in Berlin.", "alic", "live in", "berlin", True, True),
    ("Alice has lived in Berlin since 2019.", "alic", "live in", "berlin", True, True),
    ("Alice is living in Berlin.", "alic", "live in", "berlin", True, True),
    ("Alice doesn't live in Berlin.", "alic", "live in", "berlin", False, True),
    ("Alice does not live in Berlin anymore.", "alic", "live in", "berlin", False, True),
    ("Alice works at Acme.", "alic", "work at", "acm", True, True),
    ("Alice works for Acme.", "alic", "work at", "acm", True, True),
    ("Alice no longer works at Acme.", "alic", "work at", "acm", False, True),
    ("Alice never worked at Acme.", "alic", "past work at", "acm", False, False),
    ("Alice used to live in Berlin.", "alic", "past live in", "berlin", True, False),
    ("Alice lived in Berlin.", "alic", "past live in", "berlin", True, False),
    ("Alice will live in Berlin.", "alic", "will live in", "berlin", True, False),
    ("Alice moved to Munich.", "alic", "move to", "munich", True, True),
    ("Alice reports to Bob.", "alic", "report to", "bob", True, True),
    ("Alice likes tea.", "alic", "like", "tea", True, False),
    ("Alice loves tea.", "alic", "like", "tea", True, False),
    ("Alice doesn't like tea.", "alic", "like", "tea", False, False),
    ("Alice hates tea.", "alic", "like", "tea", False, False),
    ("Alice knows Rust", "alic", "know", "rust", True, False),
    ("Alice speaks German", "alic", "speak", "german", True, False),
    ("Alice has a cat", "alic", "have", "cat", True, False),
    ("Alice has no cat", "alic", "have", "cat", False, False),
    ("Alice has two cats", "alic", "have", "2 cat", True, False),
    ("The API supports TLS", "api", "support", "tls", True, False),
    ("The API requires Python 3.11", "api", "requir", "python 3.11", True, False),
    ("The build takes 5 minutes.", "build", "take", "300 s", True, True),
    ("The plan costs $30", "plan", "cost", "30 usd", True, True),
    ("We use Postgres.", "we", "use", "postgr", True, False),
    ("We use Postgres for storage.", "we", "use for storag", "postgr", True, True),
    ("Postgres is used for storage.", "we", "use for storag", "postgr", True, True),
    ("The team uses Postgres for storage", "we", "use for storag", "postgr", True, True),
    ("Use Postgres for storage", "we", "use for storag", "postgr", True, True),
    ("Use tabs for indentation", "we", "use for indent", "tab", True, True),
    ("Don't use tabs for indentation", "we", "use for indent", "tab", False, True),
    ("Redis is used by the API.", "api", "use", "redi", True, False),
    ("We decided to use Redis because it is fast.", "we", "use", "redi", True, False),
    ("We switched from MySQL to Postgres.", "we", "use", "postgr", True, False),
    ("Alice prefers tea over coffee.", "alic", "prefer coffe tea", "tea", True, True),
    ("Alice prefers coffee to tea.", "alic", "prefer coffe tea", "coffe", True, True),
    ("User prefers dark mode.", "user", "prefer mode", "dark", True, True),
    ("Prefers dark mode", "", "prefer mode", "dark", True, True),
    ("Alice prefers vim for editing", "alic", "prefer for edit", "vim", True, True),
    ("The API is deployed to Fly.", "api", "deploy to", "fli", True, True),
    ("The API is deployed on Fly.", "api", "deploy to", "fli", True, True),
    ("We deploy the API to Fly.", "api", "deploy to", "fli", True, True),
    ("Deploy the API to Fly", "api", "deploy to", "fli", True, True),
    ("Secrets are stored in Vault.", "secret", "store in", "vault", True, True),
    ("Store secrets in Vault.", "secret", "store in", "vault", True, True),
    ("The API is written in Go", "api", "write in", "go", True, True),
    ("Always run tests before commit.", "we", "run before commit", "test", True, False),
    ("Never push to main", "we", "push to", "main", False, False),
    ("Push to main", "we", "push to", "main", True, False),
    ("Do not use MySQL.", "we", "use", "mysql", False, False),
    ("Avoid using MySQL", "we", "use", "mysql", False, False),
    ("Avoid MySQL", "we", "use", "mysql", False, False),
    ("Don't commit secrets.", "we", "commit", "secret", False, False),
    ("Please don’t commit secrets", "we", "commit", "secret", False, False),
    ("Rule: never push to main", "we", "push to", "main", False, False),
    ("Note that Alice lives in Berlin", "alic", "live in", "berlin", True, True),
    ("The API cannot handle uploads.", "api", "can handl", "upload", False, False),
    ("The API can't handle uploads.", "api", "can handl", "upload", False, False),
    ("The API must use TLS", "api", "use", "tls", True, False),
    ("In production, the timeout is 30 s.", "timeout", "be in product", "30 s", True, True),
    ("The timeout is 30 s in production", "timeout", "be in product", "30 s", True, True),
    ("The timeout in production is 30 s", "timeout", "be in product", "30 s", True, True),
    ("In 2024 Alice lived in Berlin", "alic", "past live in in 2024", "berlin", True, False),
    ("When deploying, use the blue cluster.", "we", "use when deploy", "blue cluster", True, False),
    ("Caching is disabled.", "cach", "be", "enabl", False, False),
    ("Caching is enabled.", "cach", "be", "enabl", True, False),
    ("Caching is not enabled.", "cach", "be", "enabl", False, False),
    ("Force pushes are forbidden", "forc push", "be", "allow", False, False),
    ("Alice, who lives in Berlin, works at Acme", "alic", "work at", "acm", True, True),
    ("It's slow.", "it", "be", "slow", True, False),
    ("This is slow.", "this", "be", "slow", True, False),
    ("She speaks Spanish", "she", "speak", "spanish", True, False),
    ("They use Kafka", "they", "use", "kafka", True, False),
    ("Alice removed version 1.2.3", "alic", "past remov", "version 1.2.3", True, False),
    ("Die API läuft auf Port 8080", "api", "port", "8080", True, True),
    ("I'm vegetarian", "i", "be", "vegetarian", True, False),
    ("I don't eat meat", "i", "eat", "meat", False, False),
    ("Bob adores cats.", "bob", "like", "cat", True, False),
    ("Bob collects stamps", "bob", "collect", "stamp", True, False),
    ("Bob yodels opera songs", "bob", "yodel", "opera song", True, False),
    ("Tests run on CI.", "test", "run on", "ci", True, False),
    ("The meeting is at 10:30.", "meet", "be at", "630 clock", True, True),
    ("The max upload size is 10 MB", "max upload", "size", "10000000 byte", True, True),
    ("Deploys happen on Fridays", "deploy", "happen on", "friday", True, False),
    # held-out sentences, kept once the rules had been judged by them
    ("Run `make lint` before opening a PR.", "we", "run before open pr", "make lint", True, False),
    ("Kafka retention is 7 days for the orders topic.", "kafka retent", "be for order topic", "604800 s", True, True),
    ("The user's dog is called Biscuit.", "user dog", "name", "biscuit", True, True),
    ("Maria is allergic to peanuts.", "maria", "be", "allerg peanut", True, False),
    ("All timestamps are stored as UTC.", "all timestamp", "store as", "utc", True, False),
    ("Don't mock the database in integration tests.", "we", "mock in integr test", "databas", False, False),
    ("Prefer composition over inheritance.", "we", "prefer composit inherit", "composit", True, True),
    ("Tests must not depend on network access.", "test", "depend on", "network access", False, False),
    ("Type hints are required on all public functions.", "type hint", "requir on", "all public function", True, False),
    ("Line length limit: 120", "line length", "limit", "120", True, True),
    ("Bob is Alice's manager.", "alic", "manag", "bob", True, True),
    ("Alice's manager is Bob.", "alic", "manag", "bob", True, True),
    ("We no longer support Internet Explorer.", "we", "support", "internet explor", False, False),
    ("The main branch is protected.", "main", "branch", "protect", True, False),
    ("Squash commits before merging.", "we", "squash before merg", "commit", True, False),
    ("The `User` model has no `email` field.", "user model", "have", "email field", False, False),
    ("Port 5432 is used by Postgres.", "postgr", "port", "5432", True, True),
    ("Always squash-merge pull requests.", "we", "squash-merg", "pull request", True, False),
    ("pnpm is the package manager for this repo.", "repo", "packag manag", "pnpm", True, True),
    ("The service account cannot write to the bucket.", "servic account", "can write to", "bucket", False, False),
    ("The SLA is 99.9% uptime.", "sla", "be", "99.9 percent uptim", True, True),
    ("Mia's school starts at 8:15.", "mia school", "start at", "495 clock", True, True),
    ("We raised the API timeout to 60 s", "api", "timeout", "60 s", True, True),
    ("The API timeout was changed to 60 s", "api", "timeout", "60 s", True, True),
    # other languages
    ("Офис находится в Берлине", "oфиc", "be in", "бepлиh", True, True),
    ("Je n'aime pas le café.", "je", "like", "café", False, False),
    ("Das Büro ist in Berlin.", "büro", "be in", "berlin", True, True),
    ("Das Büro ist nicht in Berlin.", "büro", "be in", "berlin", False, True),
    ("Alice wohnt in Berlin", "alic", "live in", "berlin", True, True),
    ("Alice arbeitet bei Acme", "alic", "work at", "acm", True, True),
    ("La oficina está en Madrid.", "oficina", "be in", "madrid", True, True),
    ("La oficina no está en Madrid.", "oficina", "be in", "madrid", False, True),
    ("Alice vive en Madrid", "alic", "live in", "madrid", True, True),
    ("Le bureau est à Paris.", "bureau", "be in", "pari", True, True),
    ("Le bureau n'est pas à Paris.", "bureau", "be in", "pari", False, True),
    ("Alice habite à Paris", "alic", "live in", "pari", True, True),
    ("办公室在北京。", "办公室", "be in", "北京", True, True),
    ("办公室不在北京。", "办公室", "be in", "北京", False, True),
    ("张三是医生。", "张三", "be", "医生", True, False),
    ("张三不是医生。", "张三", "be", "医生", False, False),
    ("今日は雨です。", "今日", "be", "雨", True, False),
    ("今日は雨ではない。", "今日", "be", "雨", False, False),
]  # fmt: skip


@pytest.mark.parametrize(("text", "subject", "attribute", "value", "positive", "exclusive"), ONE)
def test_reads_the_claim(text: str, subject: str, attribute: str, value: str, positive: bool, exclusive: bool) -> None:
    read = [(claim.subject, claim.attribute, claim.value, claim.positive, claim.exclusive) for claim in _claims(text)]
    assert read == [(subject, attribute, value, positive, exclusive)]


TWO = [
    (
        "Maria is the product owner and speaks Spanish",
        [("maria", "be", "product owner", True), ("maria", "speak", "spanish", True)],
    ),
    (
        "Do not run migrations by hand and never edit the schema in production",
        [("we", "run by hand", "migrat", False), ("we", "edit in product", "schema", False)],
    ),
    (
        "Version 2 drops Python 3.9 and adds async",
        [("version 2", "drop", "python 3.9", True), ("version 2", "add", "async", True)],
    ),
    ("The office is in Munich, not Berlin.", [("offic", "be in", "munich", True), ("offic", "be in", "berlin", False)]),
    (
        "Alice lives in Munich and not in Berlin.",
        [("alic", "live in", "munich", True), ("alic", "live in", "berlin", False)],
    ),
    ("We use Postgres, not MySQL.", [("we", "use", "postgr", True), ("we", "use", "mysql", False)]),
    (
        "Use ruff instead of flake8 for linting.",
        [("we", "use for lint", "ruff", True), ("we", "use for lint", "flake8", False)],
    ),
    (
        "Use ruff for linting instead of flake8.",
        [("we", "use for lint", "ruff", True), ("we", "use for lint", "flake8", False)],
    ),
    ("We use Postgres rather than MySQL", [("we", "use", "postgr", True), ("we", "use", "mysql", False)]),
    ("Alice likes tea but not coffee", [("alic", "like", "tea", True), ("alic", "like", "coffe", False)]),
    (
        "Alice lives in Berlin and works at Acme",
        [("alic", "live in", "berlin", True), ("alic", "work at", "acm", True)],
    ),
    (
        "Alice lives in Berlin. She works at Acme.",
        [("alic", "live in", "berlin", True), ("alic", "work at", "acm", True)],
    ),
    (
        "The API timeout is 30 s and the retry limit is 5",
        [("api", "timeout", "30 s", True), ("retri", "limit", "5", True)],
    ),
    ("timeout = 30s, retries = 5", [("timeout", "be", "30 s", True), ("retri", "be", "5", True)]),
    (
        "Never push to main; always open a pull request.",
        [("we", "push to", "main", False), ("we", "open", "pull request", True)],
    ),
]


@pytest.mark.parametrize(("text", "expected"), TWO)
def test_reads_both_claims(text: str, expected: list[tuple[str, str, str, bool]]) -> None:
    assert [(claim.subject, claim.attribute, claim.value, claim.positive) for claim in _claims(text)] == expected


UNPARSED = [
    ("hello world", True),
    ("Where is Alice?", True),
    ("Blue-green, mostly", True),
    ("Обед в полдень", True),
    ("Обед не в полдень", False),
    ("Το γραφείο δεν άνοιξε", False),
    ("المكتب في القاهرة", True),
    ("المكتب ليس في القاهرة", False),
    ("המשרד בתל אביב", True),
    ("המשרד לא בתל אביב", False),
    ("कार्यालय दिल्ली में है", True),
    ("कार्यालय दिल्ली में नहीं है", False),
    ("사무실은 서울에 있다", True),
    ("สำนักงานอยู่ที่กรุงเทพ", True),
    ("👍", True),
    ("...", True),
]


@pytest.mark.parametrize(("text", "positive"), UNPARSED)
def test_what_no_rule_reads_is_one_claim_without_a_slot(text: str, positive: bool) -> None:
    (claim,) = _claims(text)
    assert (claim.subject, claim.attribute, claim.exclusive, claim.positive) == ("", "", False, positive)
    assert claim.value


def test_a_pronoun_is_told_from_a_name() -> None:
    assert all(is_pronoun(subject) for subject in ("she", "he", "it", "they", "this"))
    assert not any(is_pronoun(subject) for subject in ("", "i", "we", "maria", "api", "italy"))


@pytest.mark.parametrize("mark", ["*", "`", '"', "[", "\\", "and "])
def test_what_follows_a_value_is_left_out_in_linear_time(mark: str) -> None:
    assert_linear(lambda marks: _claims(f"The pier is red {marks}"), mark * 40_000)
    assert [claim.value for claim in _claims(f"The pier is red {mark * 3}")] == ["red"]
