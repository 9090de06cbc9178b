"""An agent loop with memory: recall before each answer, learn after it, give feedback.

Two parts stand in for a language model, so that the program runs anywhere and prints the same every time: `reply`
answers from the prompt, and the scripted extractor of Heldtrue says what is worth remembering.
"""

import re
import tempfile

from heldtrue import Memory
from heldtrue.domain.extracted import Extracted, Material
from heldtrue.domain.memory import Kind, Strength
from heldtrue.models.scripted import ScriptedExtractor

CONVERSATION = [
    "Please remember: we deploy the shop on Tuesdays.",
    "Please remember: I prefer short answers.",
    "When do we deploy the shop?",
]


def main() -> None:
    extractor = ScriptedExtractor(answers=find_facts)
    with tempfile.TemporaryDirectory() as home, Memory.open(home, agent="assistant") as memory:
        for message in CONVERSATION:
            print(f"user:      {message}")

            # Before the answer: what is known about this message goes into the prompt, as data.
            recalled = memory.inject(message)
            answer = reply(f"{recalled.block}\n\n{message}")
            print(f"assistant: {answer}")

            # After the answer: say what was of use, so that it is found sooner next time ...
            if recalled.injected:
                feedback = memory.feedback(recalled.recall_id, answer=answer)
                print(f"           used {len(feedback.used)} of {len(recalled.injected)} recalled memories")

            # ... and keep what the user said, with where it came from.
            for fact in extractor.extract(Material(text=message, is_spoken=True, speaker="user")):
                learned = memory.learn(fact.text, kind=fact.kind, source="conversation:1")
                print(f"           {learned.outcome}: {learned.memory.content} ({learned.memory.kind})")


def reply(prompt: str) -> str:
    """Stands in for a language model: repeats what the prompt knows, or says that it knows nothing."""
    known = re.findall(r"^\| (.*deploy.*)", prompt, re.MULTILINE)
    if prompt.endswith("?"):
        return known[0] if known else "I do not know."
    return "I will."


def find_facts(material: Material) -> list[Extracted]:
    """What a model would find worth remembering in a message: here, what follows "remember"."""
    found = re.search(r"remember: (.+)\.", material.text)
    if found is None:
        return []
    text = found[1].replace("we deploy", "We deploy").replace("I prefer", "The user prefers")
    kind = Kind.PREFERENCE if "prefers" in text else Kind.NOTE
    return [Extracted(text=text, kind=kind, strength=Strength.EXPLICIT, start=found.start(1), end=found.end(1))]


if __name__ == "__main__":
    main()
