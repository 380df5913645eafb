"""The communities of entities, as nodes of their own."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gear_neo4j.graph.database import Database, Row


@dataclass(frozen=True, slots=True)
class CommunityRecord:
    """The record of the last build: the graph's version, the size limit, and the number of communities now."""

    version: str | None
    most: int | None
    communities: int


class CommunityStore:
    """The communities of one database; each method is one query and one round trip."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def record(self) -> CommunityRecord | None:
        """The record of the last build; None if the database holds no gear-neo4j data."""
        rows = self._database.call("community_store")
        return CommunityRecord(**rows[0]) if rows else None

    def record_build(self, *, version: str | None, most: int) -> None:
        """Record which version of the graph the communities belong to, and how large one may be."""
        self._database.call("record_communities", version=version, most=most)

    def facts(self) -> Iterator[Row]:
        """Every triple between two different nodes, streamed: ``id``, ``passage``, ``head`` and ``tail``."""
        return self._database.stream("community_facts")

    def all(self) -> Iterator[Row]:
        """Every community with its report, streamed."""
        return self._database.stream("communities")

    def content(self, id: str, *, most: int) -> list[Row]:
        """The triples of a community and of those below it."""
        return self._database.call("community_content", id=id, most=most)

    def members(self, *, names: Sequence[str], most: int) -> Iterator[Row]:
        """The nodes of each community with the most triples, streamed; ``names`` are the properties that name them."""
        return self._database.stream("community_members", names=list(names), most=most)

    def with_report(self, nodes: Sequence[str]) -> list[Row]:
        """The communities with a report that contain any of the nodes (element ids): a row per node and community."""
        return self._database.call("communities_of", nodes=list(nodes))

    def write(self, rows: Sequence[Row]) -> int:
        """Write communities, in one transaction; returns how many are new."""
        return int(self._database.call("write_communities", rows=list(rows))[0]["written"])

    def write_report(
        self, id: str, *, title: str, summary: str, rank: float, findings: Sequence[str], model: str
    ) -> None:
        """Write a model's report on a community."""
        report = {"title": title, "summary": summary, "rank": rank, "findings": list(findings)}
        self._database.call("write_report", id=id, **report, error=None, model=model)

    def record_error(self, id: str, *, error: str, model: str) -> None:
        """Record why a model wrote no report on a community."""
        report = dict.fromkeys(("title", "summary", "rank", "findings"))
        self._database.call("write_report", id=id, **report, error=error, model=model)

    def delete(self, ids: Sequence[str]) -> None:
        """Delete communities."""
        self._database.call("delete_communities", ids=list(ids))

    def delete_empty(self) -> None:
        """Delete the communities that have no members left."""
        self._database.call("delete_empty_communities")

    def clear(self, *, limit: int) -> int:
        """Delete up to ``limit`` communities, in any order; returns how many."""
        return int(self._database.call("clear_communities", limit=limit)[0]["communities"])
