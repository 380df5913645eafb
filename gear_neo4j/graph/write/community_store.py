"""The communities of entities, as nodes of their own."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gear_neo4j.graph.connection.database import Database, Row


@dataclass(frozen=True, slots=True)
class CommunityBuild:
    """The record of a collection's last build: the graph's version (None if it was killed), and the size limit.

    Without a collection, it is the record of an older version, which built the communities of all together.
    """

    collection: str | None
    version: str | None
    most: int | None


@dataclass(frozen=True, slots=True)
class Marks:
    """Marks that tell whether communities are older than the last move of a passage, or the last loss of a reader."""

    moved: str | None
    restricted: str | None


class CommunityStore:
    """The communities of one database; each method is one query and one round trip."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def builds(self) -> list[CommunityBuild]:
        """The records of the last builds, one for each collection."""
        return [CommunityBuild(**row) for row in self._database.call("community_builds")]

    def begin_build(self, collection: str) -> Marks:
        """The marks of a collection, which must be read before its triples."""
        return Marks(**self._database.call("begin_communities", collection=collection)[0])

    def record_build(self, collection: str, *, version: str | None, most: int) -> None:
        """Record the graph version of a collection's communities, and their maximum size."""
        self._database.call("record_communities", collection=collection, version=version, most=most)

    def facts(self, collection: str, *, names: Sequence[str]) -> Iterator[Row]:
        """Every triple of a collection between two different nodes, streamed, with its passage, readers and ends.

        Args:
            names: the properties that name the nodes of an adopted graph.
        """
        return self._database.stream("community_facts", collection=collection, names=list(names))

    def all(self) -> Iterator[Row]:
        """Every community with its report, streamed; under a scope, only those that it admits."""
        return self._database.stream("communities")

    def built(self, collection: str) -> Iterator[Row]:
        """Every community of a collection as it was built, streamed."""
        return self._database.stream("built_communities", collection=collection)

    def count(self) -> dict[str | None, int]:
        """The number of communities of each collection; None stands for those of an older version, built together."""
        return {row["collection"]: row["communities"] for row in self._database.call("count_communities")}

    def content(self, id: str, *, most: int) -> list[Row]:
        """The triples of a community and of its parts."""
        return self._database.call("community_content", id=id, most=most)

    def members(self, *, names: Sequence[str], most: int) -> Iterator[Row]:
        """The nodes of each community with the most triples, streamed; ``names`` are the properties that name them."""
        return self._database.stream("community_members", names=list(names), most=most)

    def with_report(self, nodes: Sequence[str]) -> list[Row]:
        """The communities with a report that contain any of the nodes (element ids): a row per node and community."""
        return self._database.call("communities_of", nodes=list(nodes))

    def late_reports(self) -> dict[str, frozenset[str]]:
        """For each community whose report uses more than its build knows, the sets of readers of all its sources."""
        return {row["id"]: frozenset(row["readers"]) for row in self._database.call("late_reports")}

    def write(self, rows: Sequence[Row], *, collection: str) -> int:
        """Write communities of a collection, in one transaction; returns the number of new ones."""
        return int(self._database.call("write_communities", rows=list(rows), collection=collection)[0]["written"])

    def stamp(self, rows: Sequence[Row], marks: Marks) -> None:
        """Set who may read the reports of communities (``id`` and ``readers``), in one transaction."""
        self._database.call("stamp_communities", rows=list(rows), moved=marks.moved, restricted=marks.restricted)

    def write_report(
        self,
        id: str,
        *,
        title: str,
        summary: str,
        rank: float,
        findings: Sequence[str],
        model: str,
        late: Sequence[str] | None = None,
    ) -> None:
        """Write a model's report on a community.

        Args:
            late: the sets of readers of all its sources, if the build does not know all of them.
        """
        report = {"title": title, "summary": summary, "rank": rank, "findings": list(findings)}
        self._database.call("write_report", id=id, **report, error=None, model=model, late=late)

    def record_error(self, id: str, *, error: str, model: str) -> None:
        """Record why a model wrote no report on a community."""
        report = dict.fromkeys(("title", "summary", "rank", "findings", "late"))
        self._database.call("write_report", id=id, **report, error=error, model=model)

    def delete(self, ids: Sequence[str]) -> None:
        """Delete communities."""
        self._database.call("delete_communities", ids=list(ids))

    def delete_empty(self) -> None:
        """Delete the communities that have no members left."""
        self._database.call("delete_empty_communities")

    def delete_others(self, collections: Sequence[str], *, limit: int) -> int:
        """Delete up to ``limit`` communities that are in none of the collections; returns their number."""
        rows = self._database.call("delete_other_communities", collections=list(collections), limit=limit)
        return int(rows[0]["communities"])

    def drop(self, collection: str, *, limit: int) -> int:
        """Delete up to ``limit`` communities of a collection, and the record of its build; returns their number."""
        return int(self._database.call("drop_communities", collection=collection, limit=limit)[0]["communities"])

    def claim(self, *, limit: int) -> int:
        """Put up to ``limit`` communities into the default collection, if it is the only one; returns their number."""
        return int(self._database.call("claim_communities", limit=limit)[0]["communities"])

    def clear(self, *, limit: int) -> int:
        """Delete up to ``limit`` communities, in any order; returns their number."""
        return int(self._database.call("clear_communities", limit=limit)[0]["communities"])
