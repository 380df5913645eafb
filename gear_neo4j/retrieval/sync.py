"""SyncGE (GeAR, section 4.2): a language model reads the base passages, and the walk starts from the facts it notes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

from gear_neo4j.domain import Fact, Hits, Passage, Path, Triple
from gear_neo4j.errors import ModelError, ReplyError
from gear_neo4j.graph.read.store import ScoredTriple, Store
from gear_neo4j.models.embeddings import Embedder
from gear_neo4j.retrieval.first_stage import FirstStage
from gear_neo4j.retrieval.naive import ExpansionRecipe
from gear_neo4j.retrieval.question import Question
from gear_neo4j.retrieval.rank.fusion import Ranked, fuse, ranked
from gear_neo4j.retrieval.retriever import make_hits
from gear_neo4j.retrieval.walk.beam import passages_of
from gear_neo4j.retrieval.walk.expansion import Expansion
from gear_neo4j.roles.answering import Reader
from gear_neo4j.usage import Usage

_Reading = tuple[tuple[Fact, ...], Usage, ModelError | None]


@dataclass(frozen=True, slots=True)
class SyncStep:
    """One synchronised expansion: passages read, facts noted, triples linked, paths walked, and the fused ranking.

    ``linked`` holds, for each proximal triple, the stored triple nearest to it. ``proximal`` is empty if the reader
    noted nothing or failed (``error``); then the walk started from all triples of the base passages. Paths of the first
    stage follow those of the walk.
    """

    question: str
    base: tuple[Passage, ...]
    proximal: tuple[Fact, ...]
    linked: tuple[Triple | None, ...]
    paths: tuple[Path, ...]
    exact: bool
    ranking: tuple[Ranked, ...]
    passages: Mapping[str, Passage]
    usage: Usage = Usage()
    error: ModelError | None = None
    milliseconds: Mapping[str, float] = field(default_factory=dict)

    def first(self, k: int) -> list[Passage]:
        """The first k passages of the ranking."""
        return [self.passages[item.id] for item in self.ranking if item.id in self.passages][:k]

    def reached(self, k: int) -> list[Passage]:
        """The first k passages of the ranking, without those that the reader read."""
        read = {passage.id for passage in self.base}
        return [passage for passage in self.first(len(self.ranking)) if passage.id not in read][:k]


class SyncGE(ExpansionRecipe):
    """Walks from the facts that a language model notes in the first passages (GeAR's SyncGE); one call a question."""

    name: ClassVar[str] = "sync"

    @property
    def requires_model(self) -> bool:
        """Yes: for its reader."""
        return True


class SyncExpansion:
    """SyncGE over one database: base passages, reader, tripleLink, beam search, fusion.

    Args:
        base_k: the number of base passages that the reader sees.
    """

    def __init__(
        self, store: Store, *, base: FirstStage, expansion: Expansion, reader: Reader, embedder: Embedder, base_k: int
    ) -> None:
        self._store = store
        self._base = base
        self._expansion = expansion
        self._reader = reader
        self._embedder = embedder
        self._base_k = base_k

    @property
    def base_name(self) -> str:
        """The base retriever's name."""
        return self._base.name

    def step(self, question: Question, *, k: int = 0) -> SyncStep:
        """Expand once; fuses at least k base passages, of which the reader sees the first ``base_k``.

        If the reader fails or notes nothing, the walk is that of NaiveGE.
        """
        base = self._base.rank(question, k=max(k, self._base_k))
        known = self._fetch(question, [item.id for item in base], {})
        context = [known[item.id] for item in base[: self._base_k] if item.id in known]
        proximal, usage, error = self._read(question, context)
        start, linked = self._link(question, proximal)
        if start:
            expansion = self._expansion.walk(question, start=start)
        else:
            expansion = self._expansion.expand(question, passages=[item.id for item in base[: self._base_k]])
        reached = ranked("graph", [(id, 0.0) for id in passages_of(expansion.paths)])
        ranking = self._ranking(base, reached)
        known = self._fetch(question, [item.id for item in ranking], {**known, **expansion.passages})
        return SyncStep(
            question=question.text,
            base=tuple(context),
            proximal=proximal,
            linked=linked,
            paths=tuple(dict.fromkeys((*expansion.paths, *question.paths))),
            exact=expansion.exact,
            ranking=tuple(ranking),
            passages=known,
            usage=usage,
            error=error,
            milliseconds=question.milliseconds,
        )

    def _ranking(self, base: Sequence[Ranked], reached: Sequence[Ranked]) -> list[Ranked]:
        """Both lists, fused by rank; if the base walks the graph itself, its order stays, and new passages follow."""
        fused = fuse({"graph": reached, self._base.name: base})
        if not self._base.walks:
            return fused
        first = {item.id: item for item in base}
        both = {item.id: item.sources for item in fused}
        new = [item for item in reached if item.id not in first]
        return [replace(item, sources=both[item.id]) for item in (*first.values(), *new)]

    def _read(self, question: Question, passages: Sequence[Passage]) -> _Reading:
        if not passages:
            return (), Usage(), None
        with question.timed("read"):
            try:
                reply = self._reader.read(question.text, passages)
            except ModelError as error:
                return (), Usage(), error
        return reply.value, reply.usage, None

    def _link(
        self, question: Question, proximal: Sequence[Fact]
    ) -> tuple[list[ScoredTriple], tuple[Triple | None, ...]]:
        """tripleLink (GeAR, equation 2): the start triples, each once, and the linked triple of each proximal one."""
        if not proximal:
            return [], ()
        with question.timed("encode"):
            vectors = self._embedder.embed([fact.text for fact in proximal]).tolist()
        with question.timed("link"):
            nearest = self._store.link_triples(vectors, query=question.vector)
        start = {hit.triple.id: hit for hit in nearest if hit}
        return list(start.values()), tuple(hit.triple if hit else None for hit in nearest)

    def _fetch(self, question: Question, ids: Sequence[str], known: Mapping[str, Passage]) -> dict[str, Passage]:
        missing = [id for id in ids if id not in known]
        with question.timed("fetch"):
            return {**known, **(self._store.passages(missing) if missing else {})}


class SyncRetriever:
    """SyncGE (GeAR, section 4.2) in a single step: one call of a language model a question."""

    def __init__(self, sync: SyncExpansion, *, embedder: Embedder) -> None:
        self._sync = sync
        self._embedder = embedder

    def retrieve(self, question: str, *, k: int = 10) -> Hits:
        """At most k passages, best first, the paths of the beam search, and the facts that the model noted.

        If the model notes nothing usable, the paths are those of NaiveGE.

        Raises:
            ModelError: the model failed.
        """
        query = Question(question, k=k, embedder=self._embedder)
        step = self._sync.step(query, k=k)
        if step.error and not isinstance(step.error, ReplyError):
            raise step.error
        return Hits(
            step.question,
            f"sync over {self._sync.base_name}",
            make_hits(step.ranking[:k], step.passages, cosines=query.cosines),
            step.paths,
            step.exact,
            dict(step.milliseconds),
            facts=step.proximal,
            usage={**query.usage, "reader": step.error.usage if step.error else step.usage},
        )
