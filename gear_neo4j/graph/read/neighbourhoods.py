"""Queries from the nodes that a question mentions: the paths between them, and the facts around them."""

from collections.abc import Sequence
from dataclasses import dataclass

from gear_neo4j.domain import Path, Triple
from gear_neo4j.graph.connection.database import Database, Row
from gear_neo4j.graph.read.pagerank_queries import Seed
from gear_neo4j.graph.read.store import Vector, triple_of
from gear_neo4j.graph.read.vanished import TRIPLE, present


@dataclass(frozen=True, slots=True)
class ConnectingPath:
    """A path between the two nodes of a pair; ``pair`` is the pair's index, ``rank`` the sum of the triples' ranks.

    A triple without a rank counts 0. The path's ``score`` is the cosine between all its triples and the question.
    """

    pair: int
    path: Path
    rank: float


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """The facts around some nodes, best first; ``exact`` is False if a node has more than were examined."""

    facts: tuple[Seed, ...]
    exact: bool


class Neighbourhoods:
    """The triples around and between nodes of one database; nodes are given by their element ids."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def between(self, pairs: Sequence[tuple[str, str]], *, query: Vector, hops: int, most: int) -> list[ConnectingPath]:
        """At most ``most`` of the shortest paths of each pair, of 1 to 4 triples; one round trip.

        Raises:
            QueryTimeout: the server took more than ten seconds.
        """
        if not pairs:
            return []
        parameters = {"pairs": [list(pair) for pair in pairs], "hops": hops, "most": most, "query": query}
        rows = self._database.call("paths_between", **parameters)
        # Nulls are of triples that were deleted during the query.
        return [_connecting_path(row) for row in rows if all(None not in parts[:5] for parts in row["triples"])]

    def around(self, nodes: Sequence[str], *, query: Vector, limit: int, most: int) -> Neighbourhood:
        """For each node, the ``limit`` facts nearest to the query among the first ``most`` met; one round trip.

        Raises:
            QueryTimeout: the server took more than ten seconds.
        """
        rows = self._database.call("facts_around", nodes=list(nodes), query=query, limit=limit, most=most)
        facts = tuple(
            Seed(triple_of(row), row["score"], (row["head"], row["tail"])) for row in present(rows, *TRIPLE, "score")
        )
        return Neighbourhood(facts, exact=not any(row["cut"] for row in rows))


def _connecting_path(row: Row) -> ConnectingPath:
    triples = tuple(Triple(*parts[:5]) for parts in row["triples"])
    scores = tuple(parts[6] for parts in row["triples"])
    return ConnectingPath(
        row["pair"], Path(triples, row["score"], scores), sum(parts[5] or 0.0 for parts in row["triples"])
    )
