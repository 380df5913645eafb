"""The edges that PageRank follows from passages and entities, read around some nodes instead of exported."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from gear_neo4j.graph.database import Database
from gear_neo4j.graph.export import Seed


@dataclass(frozen=True, slots=True)
class NodeEdges:
    """The edges of a passage or an entity: the passages and entities at their other ends, with weights.

    A passage's edge to an entity weighs the number of its triples that begin or end there, an edge between entities the
    number of triples between them, and a synonym edge its score. ``weight`` is that of all edges. Of a hub, only some
    are known: then it is not ``whole``. ``mentioned_in`` is the number of passages that mention an entity, of a hub
    the number of its triples.
    """

    passages: Mapping[str, float]
    entities: Mapping[str, float]
    weight: float
    whole: bool = True
    mentioned_in: int = 0


@dataclass(frozen=True, slots=True)
class MassEdges:
    """The edges of some passages, by id, and of some entities, by element id."""

    passages: Mapping[str, NodeEdges]
    entities: Mapping[str, NodeEdges]


class MassReader:
    """Reads edges from one database; those between synonyms, too, if it ``follows_synonyms``."""

    follows_synonyms = True

    def __init__(self, database: Database) -> None:
        self._database = database

    def read(
        self, passages: Sequence[str], entities: Sequence[str], *, hub: int, pool: Iterable[Seed] = ()
    ) -> MassEdges:
        """The edges of some passages (ids) and entities (element ids); one round trip.

        Of a node with more than ``hub`` triples, only those triples count that are in the ``pool``.

        Raises:
            QueryTimeout: the server took more than ten seconds.
        """
        row = self._database.call("edges_of", passages=list(passages), entities=list(entities), hub=hub)[0]
        near = list(pool)
        return MassEdges(
            {id: _of_passage(id, degree, ends, near) for id, degree, ends in row["passages"]},
            {
                id: _of_entity(id, near, degree, stating, others, synonyms if self.follows_synonyms else ())
                for id, degree, stating, others, synonyms in row["entities"]
            },
        )


def _of_passage(id: str, degree: int, ends: Sequence[str], pool: Sequence[Seed]) -> NodeEdges:
    whole = len(ends) == 2 * degree
    if not whole:
        ends = [end for seed in pool if seed.triple.passage_id == id for end in seed.ends]
    return NodeEdges({}, Counter(ends), 2.0 * degree, whole)


def _of_entity(
    id: str,
    pool: Sequence[Seed],
    degree: int,
    stating: Sequence[str],
    others: Sequence[str],
    synonyms: Sequence[tuple[str, float]],
) -> NodeEdges:
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
