"""What is asked of the graph from nodes that a question names: the paths between them, and the facts around them."""

from collections.abc import Sequence
from dataclasses import dataclass

from gear_neo4j.domain import Path, Triple
from gear_neo4j.graph.database import Database, Row
from gear_neo4j.graph.export import Seed
from gear_neo4j.graph.store import Vector, triple_of


@dataclass(frozen=True, slots=True)
class Between:
    """A path between the two nodes of a pair, by its place among the pairs; ``rank`` sums what its triples say.

    A triple without a rank counts 0. ``score`` of the path is the cosine of its triples together to the question.
    """

    pair: int
    path: Path
    rank: float


@dataclass(frozen=True, slots=True)
class Found:
    """The facts around some nodes, best first; ``exact`` is False where a node has more than were looked at."""

    facts: tuple[Seed, ...]
    exact: bool


class Neighbourhoods:
    """The triples around and between nodes of one database; nodes are given by their element ids."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def between(self, pairs: Sequence[tuple[str, str]], *, query: Vector, hops: int, most: int) -> list[Between]:
        """At most ``most`` of the shortest paths of each pair, of 1 to 4 triples; one round trip.

        Raises:
            QueryTimeout: the server took more than ten seconds.
        """
        if not pairs:
            return []
        asked = {"pairs": [list(pair) for pair in pairs], "hops": hops, "most": most, "query": query}
        return [_between(row) for row in self._database.call("paths_between", **asked)]

    def around(self, nodes: Sequence[str], *, query: Vector, limit: int, most: int) -> Found:
        """Of each node the ``limit`` facts nearest to the query, of the first ``most`` that are met; one round trip.

        Raises:
            QueryTimeout: the server took more than ten seconds.
        """
        rows = self._database.call("facts_around", nodes=list(nodes), query=query, limit=limit, most=most)
        facts = tuple(Seed(triple_of(row), row["score"], (row["head"], row["tail"])) for row in rows)
        return Found(facts, exact=not any(row["cut"] for row in rows))


def _between(row: Row) -> Between:
    triples = tuple(Triple(*parts[:5]) for parts in row["triples"])
    scores = tuple(parts[6] for parts in row["triples"])
    return Between(row["place"], Path(triples, row["score"], scores), sum(parts[5] or 0.0 for parts in row["triples"]))
