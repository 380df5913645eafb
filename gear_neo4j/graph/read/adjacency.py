"""The edges that PageRank follows from passages and entities, read around some nodes instead of exported."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from gear_neo4j.graph.connection.database import Database
from gear_neo4j.graph.read.pagerank_queries import PageRankQueries, Seed
from gear_neo4j.graph.read.store import ScoredTriple, Vector, triple_of
from gear_neo4j.graph.read.vanished import TRIPLE, present
from gear_neo4j.graph.read.versioned import Versioned

# Whether a node is a passage, and the passage's id or the entity's element id.
Node = tuple[bool, str]
# Maximum number of hubs to cache for a scope; each takes up to a hundred kilobytes.
MOST_KEPT = 1_000


@dataclass(frozen=True, slots=True)
class NodeEdges:
    """The edges of a passage or an entity: the passages and entities at their other ends, with weights.

    The weight of a passage's edge to an entity is the number of its triples that start or end there, that of an edge
    between entities the number of triples between them, and that of a synonym edge its score. ``weight`` is the total
    of all edges. For a hub, only some edges are known: then it is not ``whole``. ``mentioned_in`` is the number of
    passages that mention an entity, or, for a hub, the number of its triples.
    """

    passages: Mapping[str, float]
    entities: Mapping[str, float]
    weight: float
    whole: bool = True
    mentioned_in: int = 0


@dataclass(frozen=True, slots=True)
class Adjacency:
    """The edges of some passages, by id, and of some entities, by element id."""

    passages: Mapping[str, NodeEdges]
    entities: Mapping[str, NodeEdges]


@dataclass(frozen=True, slots=True)
class EntityEdges:
    """The edges that the server found around an entity.

    ``degree`` is the number of its triples; ``stating`` and ``others`` have the passage of each triple and the entity
    at its other end, and are empty for a hub. ``examined`` is the number of relationships that the server had to read
    under a scope.
    """

    degree: int
    stating: Sequence[str]
    others: Sequence[str]
    synonyms: Sequence[tuple[str, float]]
    examined: int = 0


# Cached edges, by the size of a hub and the entity's element id.
Kept = dict[tuple[int, str], EntityEdges]


class AdjacencyReader:
    """Reads edges from one database, including those between synonyms if it ``follows_synonyms``.

    Under a scope, the server examines every triple of an entity. The results for hubs are cached until the graph
    changes: hubs are few, most questions reach the same ones, and they take most of the time.
    """

    follows_synonyms = True

    def __init__(self, database: Database) -> None:
        self._database = database
        is_scoped = not database.scope.is_everything
        self._kept = Versioned[Kept](lambda _: {}, version=PageRankQueries(database).version) if is_scoped else None

    def kept(self) -> Kept:
        """The cached edges of the current graph, for the reads of a walk; one round trip under a scope, else none."""
        return self._kept.current() if self._kept else {}

    def read(
        self,
        passages: Sequence[str],
        entities: Sequence[str],
        *,
        hub: int,
        pool: Iterable[Seed] = (),
        kept: Kept | None = None,
    ) -> Adjacency:
        """The edges of some passages (ids) and entities (element ids); one round trip.

        Of a node with more than ``hub`` triples, only triples in the ``pool`` count. Cached edges (``kept``) are not
        read again.

        Raises:
            QueryTimeout: the server took more than ten seconds.
        """
        kept = {} if kept is None else kept
        known = {id: kept[hub, id] for id in entities if (hub, id) in kept}
        unread = [id for id in entities if id not in known]
        row = self._database.call("edges_of", passages=list(passages), entities=unread, hub=hub)[0]
        found = known | {id: EntityEdges(*around) for id, *around in row["entities"]}
        _keep(found, kept, hub=hub)
        near = list(pool)
        return Adjacency(
            {id: _of_passage(id, degree, ends, near) for id, degree, ends in row["passages"]},
            # In the order of the request, because sums of mass must not depend on the cache.
            {id: _of_entity(id, found[id], near, self.follows_synonyms) for id in entities if id in found},
        )

    def triples(self, edges: Sequence[tuple[Node, Node]], *, query: Vector) -> list[list[ScoredTriple]]:
        """For each edge, the one or two triples behind it nearest to the query, none for synonyms; one round trip.

        All triples of the first node of each edge are examined.

        Raises:
            QueryTimeout: the server took more than ten seconds.
        """
        triples: list[list[ScoredTriple]] = [[] for _ in edges]
        rows = self._database.call("edge_triples", edges=[[*one, *other] for one, other in edges], query=query)
        for row in present(rows, *TRIPLE):
            triples[row["edge"]].append(ScoredTriple(triple_of(row), row["score"]))
        return triples


def _keep(found: Mapping[str, EntityEdges], kept: Kept, *, hub: int) -> None:
    for id, around in found.items():
        if around.examined > hub and len(kept) < MOST_KEPT:
            kept[hub, id] = around


def _of_passage(id: str, degree: int, ends: Sequence[str], pool: Sequence[Seed]) -> NodeEdges:
    whole = len(ends) == 2 * degree
    if not whole:
        ends = [end for seed in pool if seed.triple.passage_id == id for end in seed.ends]
    return NodeEdges({}, Counter(ends), 2.0 * degree, whole)


def _of_entity(id: str, around: EntityEdges, pool: Sequence[Seed], follows_synonyms: bool) -> NodeEdges:
    degree, stating, others = around.degree, around.stating, around.others
    synonyms = around.synonyms if follows_synonyms else ()
    whole = len(stating) == degree
    loops = others.count(id)
    if not whole:
        met = [(seed, other) for seed in pool for end, other in _both_ways(seed.ends) if end == id]
        stating, others = [seed.triple.passage_id for seed, _ in met], [other for _, other in met]
    near: dict[str, float] = dict(Counter(other for other in others if other != id))
    for other, score in synonyms:
        near[other] = near.get(other, 0.0) + score
    weight = 2.0 * degree - loops + sum(score for _, score in synonyms)
    counted = Counter(stating)
    return NodeEdges(counted, near, weight, whole, len(counted) if whole else degree)


def _both_ways(ends: tuple[str, str]) -> tuple[tuple[str, str], tuple[str, str]]:
    return ends, (ends[1], ends[0])
