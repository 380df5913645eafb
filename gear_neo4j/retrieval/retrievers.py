"""The retrievers that users choose from; all return one ``Hits``."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Protocol, runtime_checkable

from gear_neo4j.domain import Hit, Hits, Passage
from gear_neo4j.errors import ReplyError
from gear_neo4j.graph.store import Store
from gear_neo4j.models.embeddings import Embedder
from gear_neo4j.retrieval.base import BaseSearch
from gear_neo4j.retrieval.beam import passages_of
from gear_neo4j.retrieval.expansion import Expanded, Expansion
from gear_neo4j.retrieval.fusion import Ranked, fuse, ranked
from gear_neo4j.retrieval.question import Question, checked
from gear_neo4j.retrieval.sync import Sync

BASE_K = 15


@runtime_checkable
class Retriever(Protocol):
    """What answers a question with passages."""

    def retrieve(self, question: str, *, k: int = 10) -> Hits:
        """At most k passages, best first, and the paths that led to them."""


class BaseRetriever:
    """A base retriever by itself, without the graph."""

    def __init__(self, store: Store, *, base: BaseSearch, embedder: Embedder) -> None:
        self._store = store
        self._base = base
        self._embedder = embedder

    def retrieve(self, question: str, *, k: int = 10) -> Hits:
        """At most k passages, best first; one round trip, where two lists are fused two."""
        asked = Question(checked(question, k=k), embedder=self._embedder)
        items, known = self._base.search(asked, k=k)
        return fetched(self._store, asked, items, name=self._base.name, known=known)


class NaiveRetriever:
    """NaiveGE (GeAR, section 4.1): base passages, the beam search from all their triples, both lists fused by rank."""

    def __init__(
        self, store: Store, *, base: BaseSearch, expansion: Expansion, embedder: Embedder, base_k: int = BASE_K
    ) -> None:
        self._store = store
        self._base = base
        self._expansion = expansion
        self._embedder = embedder
        self._base_k = base_k

    def retrieve(self, question: str, *, k: int = 10) -> Hits:
        """At most k passages, best first, and the paths of the beam search; for paths of l triples l + 1 round trips.

        A question whose paths meet a hub takes two more, and a base that is held in memory one less.
        """
        asked = Question(checked(question, k=k), embedder=self._embedder)
        base = self._base.rank(asked, k=max(k, self._base_k))
        start = [item.id for item in base[: self._base_k]]
        walked = self._expansion.expand(asked, passages=start) if start else Expanded()
        expanded = ranked("graph", [(id, 0.0) for id in passages_of(walked.paths)])
        fused = fuse({"graph": expanded, self._base.name: base})[:k]
        return fetched(self._store, asked, fused, name=f"naive over {self._base.name}", walked=walked)


class SyncRetriever:
    """SyncGE (GeAR, section 4.2) in a single step: one call of a language model a question."""

    def __init__(self, sync: Sync, *, embedder: Embedder) -> None:
        self._sync = sync
        self._embedder = embedder

    def retrieve(self, question: str, *, k: int = 10) -> Hits:
        """At most k passages, best first, the paths of the beam search, and the facts that the model noted.

        Where the model notes nothing, or nothing that can be used, the paths are those of NaiveGE.

        Raises:
            ModelError: the model failed.
        """
        step = self._sync.step(Question(checked(question, k=k), embedder=self._embedder), k=k)
        if step.error and not isinstance(step.error, ReplyError):
            raise step.error
        return Hits(
            step.question,
            f"sync over {self._sync.base_name}",
            make_hits(step.ranking[:k], step.passages),
            step.paths,
            step.exact,
            dict(step.milliseconds),
            facts=step.proximal,
            usage={"reader": step.error.usage if step.error else step.usage},
        )


def ranked_again(hits: Sequence[Hit]) -> tuple[Hit, ...]:
    """Hits in a new order, their ranks counted anew from 1."""
    return tuple(replace(hit, rank=rank) for rank, hit in enumerate(hits, start=1))


def make_hits(items: Sequence[Ranked], passages: Mapping[str, Passage]) -> tuple[Hit, ...]:
    """Hits from a ranking; a passage deleted since the index was read is left out, and the ranks close up."""
    present = [item for item in items if item.id in passages]
    return tuple(Hit(passages[item.id], item.score, rank, item.sources) for rank, item in enumerate(present, start=1))


def fetched(
    store: Store,
    question: Question,
    items: Sequence[Ranked],
    *,
    name: str,
    walked: Expanded = Expanded(),
    known: Mapping[str, Passage] = MappingProxyType({}),
) -> Hits:
    """What a retriever returns for a ranking; one round trip for the passages that are not known."""
    with question.timed("fetch"):
        missing = [item.id for item in items if item.id not in known]
        passages = {**known, **store.passages(missing)} if missing else known
    hits = make_hits(items, passages)
    return Hits(question.text, name, hits, walked.paths, walked.exact, question.milliseconds)
