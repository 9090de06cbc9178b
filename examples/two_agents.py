"""Two agents share one store. One contradicts the other, and a person resolves the conflict."""

import tempfile

from heldtrue import Memory

QUESTION = "where is the staging database?"


def main() -> None:
    with tempfile.TemporaryDirectory() as home, Memory.open(home) as owner:
        codex, gemini = owner.as_agent("codex"), owner.as_agent("gemini")

        print("Codex learns a fact, and Gemini can use it at once:")
        learned = codex.learn("The staging database lives in Frankfurt", source="docs/infra.md:12")
        print(f"  codex:  {learned.outcome}")
        print(f"  gemini: {best_answer(gemini)}")

        print("Gemini reads something else. Its claim waits for a person, and recall warns everyone:")
        claim = gemini.learn("The staging database lives in Dublin", source="terraform/staging.tf:3")
        print(f"  gemini: {claim.outcome}")
        print(f"  codex:  {best_answer(codex)}")

        print("The owner looks at both sides and decides:")
        [conflict] = owner.conflicts().items
        print(f"  {conflict.old.agent} says: {conflict.old.content}")
        print(f"  {conflict.new.agent} says: {conflict.new.content}")
        owner.resolve(conflict.conflict.id, "keep_new", reason="it moved to Dublin in May")
        print(f"  codex:  {best_answer(codex)}")

        print("Codex still has the old value in its notes. It does not come back:")
        again = codex.learn("the staging database lives in FRANKFURT!")
        print(f"  codex:  {again.outcome}")
        assert best_answer(codex).startswith("The staging database lives in Dublin")


def best_answer(agent: Memory) -> str:
    """The best result of a recall, with its warnings."""
    best = agent.recall(QUESTION).results[0]
    warnings = ", ".join(tag.tag for tag in best.trust)
    return f"{best.memory.content} [{warnings or 'no warnings'}]"


if __name__ == "__main__":
    main()
