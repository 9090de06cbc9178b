"""What answers tell people: the reasons, and what to type next."""

from tests.surfaces.conftest import CommandLine

PORT = "The API listens on port 8080."


def test_the_rationale_is_told_wherever_a_memory_is_shown_whole(heldtrue: CommandLine) -> None:
    memory = heldtrue("learn", PORT, "--rationale", "the proxy wants it", "--quiet").strip()
    for words in (["recall", "port"], ["get", memory], ["explain", memory], ["history", memory]):
        told = [line.split() for line in heldtrue(*words).splitlines()]
        assert told.count("because the proxy wants it".split()) == 1, words


def test_a_rationale_given_later_is_told_once_with_its_version(heldtrue: CommandLine) -> None:
    words = ["--agent", "scout", "learn", "We use Kafka for events", "--kind", "decision", "--quiet"]
    memory = heldtrue(*words).strip()
    assert "because" not in heldtrue("history", memory).replace("'because'", "")
    heldtrue("approve", memory, "--rationale", "it is fast")
    first, second = heldtrue("history", memory).split("version 2 ")
    assert "because it is fast" not in first
    assert second.count("because it is fast") == 1
    assert "rationale" not in second


def test_the_inbox_tells_the_rationale_and_what_is_held_instead(heldtrue: CommandLine) -> None:
    heldtrue("learn", PORT)
    heldtrue("--agent", "scout", "learn", "The API listens on port 3000.", "--rationale", "the log says so")
    told = heldtrue("inbox")
    assert "because the log says so" in told
    assert f"contradicts {PORT}" in told


def test_the_inbox_asks_only_for_what_is_missing(heldtrue: CommandLine) -> None:
    decision = ["--agent", "scout", "--quiet", "learn", "--kind", "decision"]
    unsourced = heldtrue(*decision, "We decided to use Kafka for events because it is fast").strip()
    unreasoned = heldtrue(*decision, "We decided to use Rust").strip()
    lines = [line.strip() for line in heldtrue("inbox").splitlines()]
    assert f"accept  heldtrue approve {unsourced[-8:]}" in lines
    assert f"accept  heldtrue approve {unreasoned[-8:]} --rationale WHY" in lines
    heldtrue("approve", unsourced)
    assert heldtrue.run("approve", unreasoned).status == 2
