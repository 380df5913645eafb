"""The subgraph around what a question is about (GraphRAG's local search, without reports or a model)."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from gear_neo4j.domain import Hits
from gear_neo4j.errors import QueryTimeout
from gear_neo4j.graph.export import Seed
from gear_neo4j.graph.graph import Graph
from gear_neo4j.models.embeddings import Embedder
from gear_neo4j.recipes import RetrieverRecipe, option
from gear_neo4j.retrieval.expansion import Expanded
from gear_neo4j.retrieval.fusion import Ranked, ranked
from gear_neo4j.retrieval.question import Question, checked
from gear_neo4j.retrieval.retriever import fetched

# Facts of an entity that are looked at, and those of them that may come: the nearest to the question.
LOOKED_AT = 2_000
OF_AN_ENTITY = 50


class Subgraph(RetrieverRecipe):
    """The facts around the entities that a question is about, and the passages that state them.

    GraphRAG's local search without its reports and without a model.

    Raises:
        SettingsError: a number is below 1.
    """

    name: ClassVar[str] = "subgraph"
    entities: int = option(10, "entities to start from", least=1)
    hops: int = option(1, "steps away from them", least=1)
    facts: int = option(10, "further facts for each entity", least=1)


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """Entities by element id, best first, and the facts that were chosen, those between entities first."""

    entities: tuple[str, ...] = ()
    facts: tuple[Seed, ...] = ()
    exact: bool = True


class SubgraphRetriever:
    """Entities of the facts nearest to the question, the facts around them, and the passages that state these."""

    def __init__(self, graph: Graph, *, embedder: Embedder, options: Subgraph = Subgraph()) -> None:
        self._store = graph.store
        self._export = graph.export
        self._neighbourhoods = graph.neighbourhoods
        self._embedder = embedder
        self._options = options

    def retrieve(self, question: str, *, k: int = 10) -> Hits:
        """At most k passages, best first, and the facts of the subgraph as paths; three round trips for one hop."""
        asked = Question(checked(question, k=k), embedder=self._embedder)
        found = self.subgraph(asked)
        walked = Expanded(tuple(one.path for one in found.facts), found.exact)
        return fetched(self._store, asked, passages_of(found)[:k], name="subgraph", walked=walked)

    def subgraph(self, question: Question) -> Neighbourhood:
        """The entities that a question is about, and the facts between and around them."""
        options = self._options
        with question.timed("base"):
            seeds = self._export.seeds(question.vector, k=2 * options.entities)
        entities = tuple(dict.fromkeys(end for seed in seeds for end in seed.ends))[: options.entities]
        with question.timed("expand"):
            facts, exact = self._around(question, entities)
        inner = frozenset(entities)
        return Neighbourhood(entities, tuple(sorted(facts, key=lambda one: not inner.issuperset(one.ends))), exact)

    def _around(self, question: Question, entities: Sequence[str]) -> tuple[list[Seed], bool]:
        known: dict[str, Seed] = {}
        reached, exact = tuple(entities), True
        for _ in range(self._options.hops if entities else 0):
            try:
                found = self._neighbourhoods.around(reached, query=question.vector, limit=OF_AN_ENTITY, most=LOOKED_AT)
            except QueryTimeout:
                return list(known.values()), False
            exact = exact and found.exact
            fresh = [one for one in found.facts if one.triple.id not in known]
            known |= {one.triple.id: one for one in choose(fresh, reached, most=self._options.facts)}
            reached = tuple(dict.fromkeys([*reached, *(end for one in known.values() for end in one.ends)]))
        return list(known.values()), exact


def passages_of(found: Neighbourhood) -> list[Ranked]:
    """The passages of a subgraph: by the best entity whose facts they state, then by how many they state."""
    order = {id: place for place, id in enumerate(found.entities)}
    place: dict[str, int] = {}
    counts: Counter[str] = Counter()
    for one in found.facts:
        passage = one.triple.passage_id
        place[passage] = min([place.get(passage, len(order)), *(order.get(end, len(order)) for end in one.ends)])
        counts[passage] += 1
    ids = sorted(counts, key=lambda id: (place[id], -counts[id], id))
    return ranked("subgraph", [(id, float(counts[id])) for id in ids])


def choose(facts: Sequence[Seed], entities: Sequence[str], *, most: int) -> list[Seed]:
    """All facts between entities, then those that lead out: first to what most entities lead to, then the nearest."""
    inner = frozenset(entities)
    between = [one for one in facts if inner.issuperset(one.ends)]
    leading = [one for one in facts if not inner.issuperset(one.ends)]
    tied = Counter(end for one in leading for end in one.ends if end not in inner)
    leading.sort(key=lambda one: (-max(tied[end] for end in one.ends), -one.score, one.triple.id))
    return [*between, *leading[: most * len(entities)]]
