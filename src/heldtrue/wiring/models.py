"""Picks the models that the settings choose, and opens each when it is first needed."""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from heldtrue.domain.errors import ModelProblem, WrongState
from heldtrue.domain.judged import JudgeUnits
from heldtrue.domain.limits import EMBEDDING_DELAY_SECONDS, MODEL_MEMORY_BYTES_MIN
from heldtrue.domain.memory import MemoryVersion
from heldtrue.domain.principal import Principal
from heldtrue.environment import read_variable
from heldtrue.model_ports import Embedder, Reranker, StatementReader
from heldtrue.ports import Background, Clock
from heldtrue.wiring.installed_reader import judge_units, shared_reader
from heldtrue.wiring.settings import RecallSettings

if TYPE_CHECKING:
    from heldtrue.engine.ports import EngineStore
    from heldtrue.recall.answer import RecallNote
    from heldtrue.recall.index.vectors import VectorCache
    from heldtrue.recall.query import SearchSettings
    from heldtrue.recall.tools import RecallTools

Model = TypeVar("Model")
EMBEDDING_JOB = "embedding"
REBUILDING_JOB = "rebuilding the index"
READER_VARIABLE = "HELDTRUE_READER"
"""With `none`, the reader is not used even if it is installed."""
_STATIC_PARTS = ("numpy", "tokenizers", "wordllama")


class Models:
    """The models of one opened space, and the caches that recalls share."""

    def __init__(
        self,
        settings: RecallSettings,
        store: EngineStore,
        background: Background,
        clock: Clock,
        *,
        search: SearchSettings,
        home: Path | None = None,
    ) -> None:
        self._settings = settings
        self._clock = clock
        self._search = search
        self._home = home
        self._store = store
        self._background = background
        self.begin_anew()
        _MODELS.add(self)

    def begin_anew(self) -> None:
        """Start without caches; in a forked child, a lock may be held by a thread that is gone."""
        self._lock = threading.Lock()
        self._tools: RecallTools | None = None
        self._is_rebuilt = False

    def tools(self) -> RecallTools:
        """What a recall works with."""
        with self._lock:
            if self._tools is None:
                self._tools = self._open()
            return self._tools

    def _open(self) -> RecallTools:
        from heldtrue.recall.index.cache import IndexCache
        from heldtrue.recall.tools import RecallTools

        problems: list[RecallNote] = []
        embedder = _try("vectors", self._open_embedder, problems)
        reranker = _try("the reranker", self._open_reranker, problems)
        vectors = _open_cache() if embedder is not None else None
        return RecallTools(IndexCache(), vectors, embedder, reranker, tuple(problems))

    def _open_embedder(self) -> Embedder | None:
        model = self._settings.vector_model if self._settings.search_provider == "hybrid" else "none"
        if model != "none":
            _check_memory_limit()
        match model:
            case "auto":
                return open_static() if all(find_spec(part) for part in _STATIC_PARTS) else None
            case "static":
                return open_static()
            case "quality":
                from heldtrue.models.onnx import open_quality

                return open_quality()
            case "endpoint":
                return self._open_endpoint()
            case _:
                return None

    def _open_endpoint(self) -> Embedder:
        from heldtrue.models.endpoint import EndpointEmbedder, Outages
        from heldtrue.models.outage import Outage, outage_file

        endpoint = self._settings.endpoint
        questions, documents = (
            Outage(outage_file(self._home, purpose, endpoint.url, endpoint.model))
            for purpose in ("questions", "documents")
        )
        return EndpointEmbedder(
            endpoint.url, endpoint.model, endpoint.key_variable, outages=Outages(questions, documents)
        )

    def _open_reranker(self) -> Reranker | None:
        if self._settings.reranker == "none":
            return None
        from heldtrue.models.onnx import open_cross_encoder

        return open_cross_encoder()

    def has_reader(self) -> bool:
        """Whether the reader and what it needs are installed, and not switched off."""
        is_wanted = read_variable(READER_VARIABLE) != "none"
        return is_wanted and all(find_spec(part) for part in (*_STATIC_PARTS, "heldtrue_reader"))

    def reader(self) -> StatementReader | None:
        """The reader of this process, if it is in use and the process may use the memory that it needs."""
        return shared_reader() if self.has_reader() and not _memory_limit() else None

    def judge(self) -> JudgeUnits | None:
        """What judges units of texts, if the reader is installed; it can be handed to another process."""
        return judge_units if self.has_reader() else None

    def find_near(self, reading: Any, text: str, scope: str, writer: Principal) -> list[MemoryVersion]:
        """The active memories of a scope that are nearest to a text, as far as a writer may see them."""
        from heldtrue.recall.near import find_near, look_from

        return find_near(reading, text, look_from(writer, scope, self._clock.now()), self.tools(), self._search)

    def keep_vectors_soon(self) -> None:
        """Embed documents without a stored vector in the background: at least one step, and the rest as time allows."""
        self._background.later(EMBEDDING_JOB, self._keep_some, delay_s=EMBEDDING_DELAY_SECONDS)

    def _keep_some(self) -> None:
        """One short step; others that wait for the background get their turn before the next."""
        if self.keep_vectors(lambda _done, _all: False):
            self._background.later(EMBEDDING_JOB, self._keep_some, delay_s=0.0, optional=True)

    def rebuild_soon(self) -> None:
        """Rebuild damaged derived rows in the background, only once: if one rebuild does not help, a second would not
        either."""
        if not self._is_rebuilt:
            self._is_rebuilt = True
            self._background.later(REBUILDING_JOB, self._rebuild, delay_s=0.0, optional=True)

    def _rebuild(self) -> None:
        from heldtrue.ingest.acts.reindex import rebuild_index

        # Where another rebuild has begun meanwhile, that one mends it.
        with suppress(WrongState):
            rebuild_index(self._store)
        self.tools().forget()
        self.keep_vectors_soon()

    def keep_vectors(self, go_on: Callable[[int, int], bool] = lambda _done, _all: True) -> int:
        """Embed the documents without a stored vector, and return how many there were."""
        embedder = self.tools().embedder
        if embedder is None:
            return 0
        from heldtrue.recall.index.embedding import keep_vectors

        return keep_vectors(self._store, embedder, go_on=go_on)


def _try(what: str, open_model: Callable[[], Model | None], problems: list[RecallNote]) -> Model | None:
    """Open a model, or add a note that says why it is not used; recall works without it.

    The note also goes to remote callers, so it leaves out the install hint, which can name paths of this machine.
    """
    try:
        return open_model()
    except ModelProblem as problem:
        from heldtrue.recall.answer import NoteCode, RecallNote

        problems.append(RecallNote(NoteCode.MODEL_UNAVAILABLE, f"{what} could not be used: {problem.message}"))
        return None


def _memory_limit() -> int | None:
    """How much memory this process may use, where that is too little for a model."""
    try:
        import resource
    except ImportError:  # not on Windows
        return None
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    return limit if limit != resource.RLIM_INFINITY and limit < MODEL_MEMORY_BYTES_MIN else None


def _check_memory_limit() -> None:
    """Refuse to load a model into a process that may use too little memory: its library would end the process."""
    if (limit := _memory_limit()) is not None:
        raise ModelProblem(
            f"This process may use {limit // 2**20} MiB of memory, but models need at least "
            f"{MODEL_MEMORY_BYTES_MIN // 2**20} MiB.",
            hint="raise the limit with `ulimit -v`",
        )


def _open_cache() -> VectorCache:
    from heldtrue.recall.index.vectors import VectorCache

    return VectorCache()


def open_static() -> Embedder:
    from heldtrue.models.static import open_static as open_table

    return open_table()


_MODELS: weakref.WeakSet[Models] = weakref.WeakSet()


def _begin_anew() -> None:
    for models in list(_MODELS):
        models.begin_anew()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_begin_anew)
