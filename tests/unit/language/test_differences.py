"""Pairs that a stranger, and we ourselves, took for duplicates or contradictions: each is judged both ways."""

from __future__ import annotations

import pytest

from heldtrue.language.compare import compare_statements
from heldtrue.language.contradiction import contrary_keys
from heldtrue.language.statements import analyse_statement

# What differs in order, in a sign, in a code name or in a small word that carries the meaning.
DIFFERENT = [
    ("Merge main into release", "Merge release into main"),
    ("Run migrations before deploying the app", "Deploy the app before running migrations"),
    ("Service A depends on service B", "Service B depends on service A"),
    ("Start the database before the API", "Start the API before the database"),
    ("Use Redis for sessions and Postgres for jobs", "Use Postgres for sessions and Redis for jobs"),
    ("Alice handed the pager to Bob", "Bob handed the pager to Alice"),
    ("Build first, then test", "Test first, then build"),
    ("cron 5 0 * * *", "cron 0 5 * * *"),
    ("服务A调用服务B", "服务B调用服务A"),
    ("Anna vertritt Ben", "Ben vertritt Anna"),
    ("Alert when errors are >= 500", "Alert when errors are <= 500"),
    ("Assert x == 5", "Assert x != 5"),
    ("Use a && b", "Use a || b"),
    ("The flow is a -> b", "The flow is a <- b"),
    ("The regex is .*", "The regex is .+"),
    ("Lint src/**/*.py", "Lint src/*.py"),
    ("Set API_KEY in the environment", "Set API_KEYS in the environment"),
    ("Call get_user first", "Call get_users first"),
    ("Pass -v to the tool", "Pass -V to the tool"),
    ("The code is 01234", "The code is 1234"),
    ("Call fooBar in the handler", "Call foobars in the handler"),
    ("Run `test` nightly", "Run `tests` nightly"),
    ("Only admins can deploy", "Admins can deploy"),
    ("All tests pass", "Some tests pass"),
    ("Every user has a role", "Most users have a role"),
    ("Deploy with no downtime", "Deploy with downtime"),
    ("Deploy without downtime", "Deploy with downtime"),
    ("We will use Kafka", "We use Kafka"),
    ("We might use Kafka", "We use Kafka"),
    ("We must use Kafka", "We should use Kafka"),
    ("We used to use Kafka", "We use Kafka"),
    ("We used Kafka", "We use Kafka"),
    ("Do we use Kafka?", "We use Kafka"),
    ("We use Kafka?", "We use Kafka"),
    ("I would use uv", "Use uv"),
    ("I would use uv", "I use uv"),
    ("Restart after the deploy", "Restart before the deploy"),
    ("Ask if the build fails", "Ask unless the build fails"),
    ("Keep at least 3 backups", "Keep at most 3 backups"),
    ("Keep more than 3 backups", "Keep less than 3 backups"),
    ("Not all tests pass", "No tests pass"),
    ("The firewall blocks port 8080", "The firewall opens port 8080"),
    ("Alice deployed version 1.2.3", "Alice removed version 1.2.3"),
    ("Alice met Bob. She lives in Rome.", "Alice met Bob. He lives in Rome."),
    ("Alice hides keys in boxes", "Alice hides keys on boxes"),
    ("Not Alice but Bob pays", "Alice but not Bob pays"),
    ("Alice can deploy and Bob must review", "Alice must deploy and Bob can review"),
    ("Deploy A without B with C", "Deploy A with B without C"),
    ("Raise the limit to 60", "Reduce the limit to 60"),
    ("cron 0 5 * * *", "cron 0 * 5 * *"),
    ("Only admins deploy to prod", "Admins deploy only to prod"),
    ("The API (internal) uses Redis", "The API (external) uses Redis"),
    ("Alice works at Acme although she is remote", "Alice works at Acme although she is on leave"),
    ("The server uses Redis", "The servers use Redis"),
    ("Alice leads marketing", "Alice leads the market"),
    ("His birthday is 3 May 1990", "Her birthday is 3 May 1990"),
    ("Plan A costs $5", "The plan costs $5"),
    ("We plan to use Kafka", "We want to use Kafka"),
    ("We decided to use Kafka", "We use Kafka"),
    ("We are migrating to Postgres", "We use Postgres"),
    ("The API became slow", "The API remains slow"),
    ("By default the timeout is 30 s", "The timeout is 30 s"),
    ("TODO: use uv", "Use uv"),
    ("Alice sometimes drinks coffee", "Alice drinks coffee"),
    ("The app probably uses Redis", "The app uses Redis"),
    ("Turn on debug mode", "Turn off debug mode"),
    ("Log in before the call", "Log out before the call"),
    ("Deploy. Never roll back.", "Deploy never. Roll back."),
    ("Use libfoo 3.10", "Use libfoo 3.1"),
    ("The quota is 5 MB", "The quota is 5 Mb"),
    ("I have used Kafka", "I use Kafka"),
    ("The timeout is about 30 s", "The timeout is 30 s"),
    ("Alice can deploy", "Alice may deploy"),
    ("Copy a.txt to b.txt", "Copy b.txt to a.txt"),
    ("Run step 1 after step 2", "Run step 2 after step 1"),
    ("Set x = []", "Set x = {}"),
    ("Use 3 retries and 5 workers", "Use 5 retries and 3 workers"),
    ("The build is 👍", "The build is 👎"),
    ("The key is FooBarId", "The key is fooBarId"),
    ("Alice is taller than Bob", "Bob is taller than Alice"),
    ("Block traffic from A to B", "Block traffic from B to A"),
    ("Tests run on this branch", "Tests run on those branches"),
    ("Write to disk, then to cache", "Write to cache, then to disk"),
    ("Give Bob access to prod", "Give prod access to Bob"),
    ("The ratio is 1/2", "The ratio is 2/1"),
    ("Retry unless it is a 404", "Retry if it is a 404"),
    ("Anyone can read, few can write", "Few can read, anyone can write"),
    ("The test fails on CI", "The tests fail on CI"),
    ("User Alice manages user Bob", "User Bob manages user Alice"),
    ("Never deploy on Friday", "Deploy on Friday"),
    ("Ask before you merge", "Merge before you ask"),
    ("You need not restart", "You need to restart"),
    ("Run with --dry-run", "Run with --dryrun"),
    ("Use config.prod.yaml", "Use config.dev.yaml"),
    ("Nur Admins deployen", "Admins deployen"),
    ("Wir nutzen Kafka nicht", "Wir nutzen Kafka"),
    ("Alice likes tea more than coffee", "Alice likes coffee more than tea"),
    ("Disable caching", "Enable caching"),
    ("The service has two replicas", "The service had two replicas"),
    ("The old API uses Redis", "The API uses Redis"),
    ("Only use tabs", "Use tabs"),
    ("Use only tabs", "Use tabs"),
    ("Use just tabs", "Use tabs"),
    ("Does the API support TLS?", "The API does support TLS"),
    ("Bob told Alice that Carol left", "Alice told Bob that Carol left"),
    ("Keep the logs for up to 30 days", "Keep the logs for 30 days"),
    ("Restart nginx every 2 days", "Restart nginx in 2 days"),
    ("The password is hunter2", "The password is Hunter2"),
    ("Use ^1.2.0", "Use ~1.2.0"),
    ("chmod 755 deploy.sh", "chmod 0755 deploy.sh"),
    ("rm -rf build/", "rm -fr dist/"),
    ("Match a.b", "Match a\\.b"),
    ("The API is up when Redis is up", "Redis is up when the API is up"),
    ("Foo calls bar", "Bar calls foo"),
    ("The PR was merged by Alice, reviewed by Bob", "The PR was merged by Bob, reviewed by Alice"),
    ("Maria is the lead", "Maria is the owner"),
    ("The limit is 10 per user", "The limit is 10 per team"),
    ("Someone broke the build", "Nobody broke the build"),
    ("We love tabs", "We hate tabs"),
    ("We support Python 3.9 and 3.10", "We support Python 3.9 or 3.10"),
    ("Use plan a", "Use the plan"),
    ("Service a is down", "The service is down"),
    ("Ship it to US", "Ship it to us"),
    ("Ask IT first", "Ask it first"),
]

# Two things that may both be true.
COMPATIBLE = [
    ("Use pytest for tests", "Use hypothesis for tests"),
    ("Use Redis for caching", "Use a CDN for caching"),
    ("The meeting is on Monday", "The meeting is on Zoom"),
    ("The API is deployed on Mondays", "The API is deployed on Kubernetes"),
    ("Release notes are in CHANGELOG.md", "Release notes are in English"),
    ("The API is hosted on AWS", "The API is hosted on three nodes"),
    ("We store timestamps in UTC", "We store timestamps in the created_at column"),
    ("The firewall blocks port 80", "The firewall opens port 81"),
    ("The meeting is in English", "The meeting is in Berlin"),
    ("Never call get_users", "Call get_user"),
    ("max_user = 5", "max_users = 6"),
    ("Use Sentry for monitoring", "Use Grafana for monitoring"),
    ("The docs are in docs/api.md", "The docs are in Markdown"),
    ("The job runs at 3 am", "The job runs at Acme"),
    ("The service is deployed to staging", "The service is deployed to Fly"),
    ("The talk is on 2026-05-17", "The talk is on YouTube"),
    ("The data is stored in JSON", "The data is stored in S3"),
    ("Use Docker for development", "Use Vagrant for development"),
    ("Allow x >= 5", "Do not allow x <= 5"),
    ("This is slow", "This is not slow"),
    ("The standup is at 9:30", "The standup is at the office"),
    ("Logs are stored in UTC", "Logs are stored in Loki"),
    ("The team uses Slack for chat", "The team uses email for chat"),
    ("The site is hosted on Vercel", "The site is hosted on port 8080"),
]

# Two things of which one is wrong.
OPPOSED = [
    ("The project requires Python 3.11", "The project requires Python 3.12"),
    ("The project uses Node 18", "The project uses Node 20"),
    ("The API is public", "The API is private"),
    ("Requests time out after 30 seconds", "Requests time out after 60 seconds"),
    ("Logs are kept for 30 days", "Logs are kept for 90 days"),
    ("The project is licensed under MIT", "The project is licensed under Apache-2.0"),
    ("Indent with tabs", "Indent with spaces"),
    ("Die API läuft auf Port 8080", "Die API läuft auf Port 9090"),
    ("The project is licensed under GPL", "The project is licensed under MIT"),
    ("Backups are kept for 7 days", "Backups are kept for 14 days"),
    ("Sessions time out after 15 minutes", "Sessions time out after 1 hour"),
    ("The repo is private", "The repo is public"),
    ("Maria is the CTO", "Omar is the CTO"),
    ("Priya is the team lead", "The team lead is Omar"),
    ("The service needs Java 17", "The service needs Java 21"),
    ("Die API läuft auf Port 80", "Die API läuft auf Port 81"),
    ("We use Jenkins for CI", "We use GitHub Actions for CI"),
    ("Deploys happen on Monday. The office is in Rome.", "The office is in Oslo."),
]

# One thing in two wordings.
SAME = [
    ("API timeout: 30 s", "The API timeout is 30 seconds"),
    ("Alice owns billing", "Billing is owned by Alice"),
    ("We use Kafka", "we really use kafka."),
    ("Always run the tests before a merge", "Run tests before the merge"),
    ("All tests run on CI", "Tests run on CI"),
    ("Don't push to main", "Do not push to main."),
    ("Priya is the team lead", "The team lead is Priya"),
    ("Basically, we use Kafka", "We use Kafka."),
    ("The API uses TLS", "the api uses tls"),
    ("We do not deploy on Fridays", "We don't deploy on Fridays"),
    ("The owner of `billing` is Alice", "the owner of `billing` is Alice."),
    ("The cache TTL is 5 min", "The cache TTL is 300 seconds"),
    ("I'm vegetarian", "I am vegetarian"),
]


def _relations(first: str, second: str) -> set[str]:
    ours, theirs = analyse_statement(first), analyse_statement(second)
    return {compare_statements(ours, theirs).relation, compare_statements(theirs, ours).relation}


@pytest.mark.parametrize(("first", "second"), DIFFERENT)
def test_a_different_fact_is_no_duplicate(first: str, second: str) -> None:
    assert _relations(first, second) <= {"unrelated", "contrary"}


@pytest.mark.parametrize(("first", "second"), COMPATIBLE)
def test_what_may_both_be_true_is_no_contradiction(first: str, second: str) -> None:
    assert _relations(first, second) == {"unrelated"}


@pytest.mark.parametrize(("first", "second"), OPPOSED)
def test_what_cannot_both_be_true_is_a_contradiction(first: str, second: str) -> None:
    assert _relations(first, second) == {"contrary"}
    keys = [set(contrary_keys(analyse_statement(text).claims)) for text in (first, second)]
    assert keys[0] & keys[1]


@pytest.mark.parametrize(("first", "second"), SAME)
def test_one_fact_in_two_wordings_is_a_duplicate(first: str, second: str) -> None:
    assert _relations(first, second) <= {"equal", "near"}


@pytest.mark.parametrize("statement", sorted({text for pair in (*DIFFERENT, *OPPOSED, *SAME) for text in pair}))
def test_a_text_is_a_duplicate_of_itself_without_its_full_stop(statement: str) -> None:
    bare = statement.rstrip(".")
    assert _relations(statement, bare) <= {"equal", "near"}
