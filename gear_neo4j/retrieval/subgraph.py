"""The subgraph around the entities of a question (GraphRAG's local search, without reports or a model)."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from gear_neo4j.domain import Hits
from gear_neo4j.errors import QueryTimeout
from gear_neo4j.graph.graph import Graph
from gear_neo4j.graph.read.pagerank_queries import Seed
from gear_neo4j.models.embeddings import Embedder
from gear_neo4j.recipes.recipe import RetrieverRecipe, option
from gear_neo4j.retrieval.question import Question
from gear_neo4j.retrieval.rank.fusion import Ranked, ranked
from gear_neo4j.retrieval.retriever import fetch_hits
from gear_neo4j.retrieval.walk.expansion import ExpansionResult

# Facts scanned for each entity, and how many of them are returned: the nearest to the question.
SCANNED_FACTS = 2_000
FACTS_PER_ENTITY = 50


class Subgraph(RetrieverRecipe):
    """The facts around the entities of a question, and the passages that state them.

    GraphRAG's local search without its reports and without a model.

    Raises:
        SettingsError: a number is below 1.
    """

    name: ClassVar[str] = "subgraph"
    entities: int = option(10, "number of entities to start from", least=1)
    hops: int = option(1, "maximum distance from the starting entities, in triples", least=1)
    facts: int = option(10, "number of further facts per entity", least=1)


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """Entities by element id, best first, and the chosen facts, those between entities first."""

    entities: tuple[str, ...] = ()
    facts: tuple[Seed, ...] = ()
    exact: bool = True


class SubgraphRetriever:
    """Entities of the facts nearest to the question, the facts around them, and the passages that state these."""

    def __init__(self, graph: Graph, *, embedder: Embedder, options: Subgraph = Subgraph()) -> None:
        self._store = graph.store
        self._export = graph.pagerank
        self._neighbourhoods = graph.neighbourhoods
        self._embedder = embedder
        self._options = options

    def retrieve(self, question: str, *, k: int = 10) -> Hits:
        """At most k passages, best first, and the facts of the subgraph as paths; three round trips for one hop."""
        query = Question(question, k=k, embedder=self._embedder)
        neighbourhood = self.subgraph(query)
        expansion = ExpansionResult(tuple(fact.path for fact in neighbourhood.facts), neighbourhood.exact)
        return fetch_hits(self._store, query, passages_of(neighbourhood)[:k], name="subgraph", expansion=expansion)

    def subgraph(self, question: Question) -> Neighbourhood:
        """The entities of a question, and the facts between and around them."""
        options = self._options
        with question.timed("base"):
            seeds = self._export.seeds(question.vector, k=2 * options.entities)
        entities = tuple(dict.fromkeys(end for seed in seeds for end in seed.ends))[: options.entities]
        with question.timed("expand"):
            facts, exact = self._around(question, entities)
        inner = frozenset(entities)
        return Neighbourhood(entities, tuple(sorted(facts, key=lambda fact: not inner.issuperset(fact.ends))), exact)

    def _around(self, question: Question, entities: Sequence[str]) -> tuple[list[Seed], bool]:
        known: dict[str, Seed] = {}
        reached, exact = tuple(entities), True
        for _ in range(self._options.hops if entities else 0):
            try:
                around = self._neighbourhoods.around(
                    reached, query=question.vector, limit=FACTS_PER_ENTITY, most=SCANNED_FACTS
                )
            except QueryTimeout:
                return list(known.values()), False
            exact = exact and around.exact
            fresh = [fact for fact in around.facts if fact.triple.id not in known]
            known |= {fact.triple.id: fact for fact in choose(fresh, reached, most=self._options.facts)}
            reached = tuple(dict.fromkeys([*reached, *(end for fact in known.values() for end in fact.ends)]))
        return list(known.values()), exact


def passages_of(neighbourhood: Neighbourhood) -> list[Ranked]:
    """The passages of a subgraph: by the best entity whose facts they state, then by how many they state."""
    order = {id: number for number, id in enumerate(neighbourhood.entities)}
    rank: dict[str, int] = {}
    counts: Counter[str] = Counter()
    for fact in neighbourhood.facts:
        passage = fact.triple.passage_id
        rank[passage] = min([rank.get(passage, len(order)), *(order.get(end, len(order)) for end in fact.ends)])
        counts[passage] += 1
    ids = sorted(counts, key=lambda id: (rank[id], -counts[id], id))
    return ranked("subgraph", [(id, float(counts[id])) for id in ids])


def choose(facts: Sequence[Seed], entities: Sequence[str], *, most: int) -> list[Seed]:
    """All facts between entities, then facts that lead out: first to ends that more of them share, then the nearest."""
    inner = frozenset(entities)
    between = [fact for fact in facts if inner.issuperset(fact.ends)]
    leading = [fact for fact in facts if not inner.issuperset(fact.ends)]
    tied = Counter(end for fact in leading for end in fact.ends if end not in inner)
    leading.sort(key=lambda fact: (-max(tied[end] for end in fact.ends), -fact.score, fact.triple.id))
    return [*between, *leading[: most * len(entities)]]
