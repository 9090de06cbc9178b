"""Tone: what people sound like, and what engineering only sounds like."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heldtrue.language.tone import read_tone
from tests.effort import assert_linear

CASES = {
    "frustrated": [
        "I'm so frustrated with this build system.",
        "Ugh, the tests keep failing and I have no time for this.",
        "This is the third time today, it keeps crashing!",
        "I hate this flaky test.",
        "Why is it still not working? I followed every step.",
        "I'm fed up with these merge conflicts.",
        "The login is broken again and nobody cares.",
        "This API is driving me crazy!",
        "What a waste of time. Nothing works.",
        "I already told you not to touch the schema.",
        "Great, the deploy failed again.",
        "The documentation is terrible and useless!",
        "I'm tired of fixing the same bug over and over.",
        "Wonderful, another outage. Just wonderful.",
        "Das nervt mich gewaltig.",
        "😡 who pushed to main?",
        "This is so annoying!!",
        "I've had enough of this flaky pipeline.",
        "How many times do I have to explain this?",
        "wtf is going on with CI",
        "The app crashed again. Unacceptable.",
        "Argh, lost my changes!",
        "Honestly, I hate that we have no tests.",
    ],
    "excited": [
        "I'm so excited about the new release!",
        "It works! Finally! Yay!",
        "I can't wait to try this out.",
        "That's amazing news, congratulations!",
        "We shipped it 🎉🎉",
        "Wow, this is awesome!",
        "I love it, the new editor is fantastic.",
        "So happy with how the demo went!",
        "Great news: the paper was accepted!",
        "Melanie was thrilled to win the race.",
        "This is the best day ever!",
        "Woohoo, all tests are green!",
        "I'm delighted with the result.",
        "Perfect! Excellent work!",
        "We won the award!!! Congratulations team!",
        "OMG this is incredible!",
        "Our demo was a success, I'm thrilled.",
        "Yay, vacation tomorrow!",
        "This feature is amazing, love it!",
        "I am really happy that you joined us!",
    ],
    "uncertain": [
        "I'm not sure whether we should use Kafka here.",
        "Maybe it is the cache, but perhaps it is the network.",
        "I have no idea why this happens.",
        "Hmm, I think it might be the timeout.",
        "I don't know which option is better.",
        "I could be wrong, but the limit seems to be 5.",
        "I'm confused about the two config files.",
        "I wonder if the index is even used.",
        "Not certain that this is the right approach.",
        "I guess we could try it, hard to say.",
        "If I remember correctly, it was port 8080, maybe.",
        "Keine Ahnung, ob das stimmt.",
        "It is unclear to me, I'm torn between both.",
        "I'm unsure which region to pick.",
        "Perhaps we should wait, maybe until Monday.",
        "No clue where that file went.",
        "I doubt that this scales, but I might be missing something.",
        "Hmm... not sure.",
        "I suppose it depends on the load.",
    ],
    "neutral": [
        "The gateway timeout is 30 seconds.",
        "Add a kill switch for the new feature.",
        "fatal error: cannot open file config.yaml",
        "Remove the dead code in the parser.",
        "The critical path has three steps.",
        "The job was aborted and the process was killed.",
        "Dead letter queues are checked daily.",
        "The deploy failed because the disk was full.",
        "The build is broken on Windows.",
        "What is the retry limit?",
        "Avoid frustrating users with long forms.",
        "If users get annoyed, show a hint.",
        "This is not annoying at all.",
        "I am not excited about it.",
        "I'm not angry.",
        "The state machine has an excited state.",
        "Use `hate` as a label in the classifier.",
        'The button says "I love it!".',
        "def is_happy(): return True",
        "Please make sure the tests pass.",
        "The Maybe monad is useful.",
        "We train an HMM on the logs.",
        "Thanks, that is fine.",
        "Stop the server before the upgrade.",
        "Deadlock found when trying to get lock.",
        "Panic: index out of range",
        "Bad request: missing field name.",
        "The awesome-list repository has 300 links.",
        "Nice to meet you.",
        "We use Perl, perhaps for historical reasons.",
        "The happy path is tested, the sad path is not.",
        "Caroline lives in Berlin and works as a counsellor.",
        "Could you send me the file?",
        "The worker is down for maintenance.",
        "See https://example.com/wtf/ugh for details.",
        "There are an awful lot of files.",
        "Users could be confused when the label changes.",
        "The confusion matrix shows 90% accuracy.",
        "今天天气很好。",
        "The meeting is at 3 pm.",
        "Abort the transaction when the check fails.",
        "Fatal: not a git repository",
        "Great Britain has four nations.",
        "The function may return None.",
        "Critical bug fixed in release 2.",
        "The team is happy to help with migrations.",
        "I think, therefore I am.",
        "Restart the crashed worker.",
        "The user prefers dark mode.",
        "The master process kills idle children.",
        "She loves pottery and hiking.",
        "We might move to Kubernetes in Q3.",
        "Never gonna give you up",
        "Panic mode resets the device.",
        "Let me know if you are unsure.",
        "It would be annoying to rewrite this.",
        "The error is 'I hate you' in the fixture.",
    ],
}
LABELLED = [(text, tone) for tone, texts in CASES.items() for text in texts]


@pytest.mark.parametrize(("text", "tone"), LABELLED)
def test_hears_the_tone(text: str, tone: str) -> None:
    assert read_tone(text) == tone


def test_enough_was_tried() -> None:
    assert len(LABELLED) >= 60
    assert all(len(texts) >= 12 for texts in CASES.values())


@pytest.mark.parametrize(
    "term", ["kill switch", "fatal error", "abort", "dead code", "critical path", "deadlock", "crash"]
)
def test_terms_of_engineering_are_no_feelings(term: str) -> None:
    assert read_tone(f"Document the {term} handling!") == "neutral"
    assert read_tone(f"I'm so frustrated with this {term}.") == "frustrated"  # nor do they hide any


def test_a_denial_takes_a_cue_back_and_its_absence_does_not() -> None:
    assert read_tone("It is annoying.") == "frustrated"
    assert read_tone("It is not annoying.") == "neutral"
    assert read_tone("It was never really annoying.") == "neutral"


def test_a_condition_takes_a_cue_back() -> None:
    assert read_tone("If it gets annoying, stop.") == "neutral"


def test_one_cue_on_a_long_page_is_no_tone() -> None:
    page = "The service reads the file and writes a row for each line. " * 30
    assert read_tone("Not sure about that.") == "uncertain"
    assert read_tone(page + "Not sure about that.") == "neutral"


def test_feelings_that_pull_both_ways_leave_it_open() -> None:
    assert read_tone("I'm thrilled about the demo and frustrated with the build.") == "neutral"


def test_code_and_quotations_have_no_tone() -> None:
    assert read_tone("```\nugh = wtf\n```") == "neutral"
    assert read_tone("> I hate this\n\nNoted.") == "neutral"


@settings(max_examples=300, deadline=None)
@given(st.text())
def test_any_text_has_a_tone(text: str) -> None:
    assert read_tone(text) in ("frustrated", "excited", "uncertain", "neutral")


@pytest.mark.parametrize("part", ["`", '"', "> ", "ugh! ", "if ", "```", "'a "])
def test_takes_linear_time(part: str) -> None:
    assert_linear(read_tone, part * (400_000 // len(part)))
