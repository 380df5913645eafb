"""The retriever protocol, and the last step of every retriever: from a ranking to ``Hits``."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Protocol, runtime_checkable

from gear_neo4j.domain import Hit, Hits, Passage
from gear_neo4j.graph.read.store import Store
from gear_neo4j.retrieval.question import Question
from gear_neo4j.retrieval.rank.fusion import Ranked
from gear_neo4j.retrieval.walk.expansion import ExpansionResult

BASE_K = 15


@runtime_checkable
class Retriever(Protocol):
    """Finds passages for a question."""

    def retrieve(self, question: str, *, k: int = 10) -> Hits:
        """At most k passages, best first, and the paths that led to them."""


def ranked_again(hits: Sequence[Hit]) -> tuple[Hit, ...]:
    """Hits in a new order, ranked again from 1."""
    return tuple(replace(hit, rank=rank) for rank, hit in enumerate(hits, start=1))


def make_hits(
    items: Sequence[Ranked],
    passages: Mapping[str, Passage],
    *,
    cosines: Mapping[str, float] = MappingProxyType({}),
) -> tuple[Hit, ...]:
    """Hits from a ranking; passages deleted since the index was read are left out, without a gap in the ranks."""
    present = [item for item in items if item.id in passages]
    return tuple(
        Hit(passages[item.id], item.score, rank, item.sources, cosines.get(item.id))
        for rank, item in enumerate(present, start=1)
    )


def fetch_hits(
    store: Store,
    question: Question,
    items: Sequence[Ranked],
    *,
    name: str,
    expansion: ExpansionResult = ExpansionResult(),
    known: Mapping[str, Passage] = MappingProxyType({}),
) -> Hits:
    """The hits for a ranking; one round trip for passages that have not been fetched yet."""
    with question.timed("fetch"):
        known = {**expansion.passages, **known}
        missing = [item.id for item in items if item.id not in known]
        passages = {**known, **store.passages(missing)} if missing else known
    hits = make_hits(items, passages, cosines=question.cosines)
    return Hits(
        question.text,
        name,
        hits,
        tuple(dict.fromkeys((*expansion.paths, *question.paths))),
        expansion.exact,
        question.milliseconds,
        usage=dict(question.usage),
        similarity=question.similarity,
    )
